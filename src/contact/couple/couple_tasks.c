/* Which contacts and links are worked on at once. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "contact/couple/couple_data.h"

static int object_of(const rlti_couple *couple, const rlti_couple_items *items, int item, int side) {
    int strand = rlti_couple_strand(items, item, side);
    return couple->object[strand >= 0 ? strand : rlti_couple_strand(items, item, 0)];
}

/* Sorts keys by the object that begins at a bit; those of the same object stay in order. */
static void sort_by_object(const rlti_couple *couple, rlti_couple_plan *plan, int count, int bit,
                           uint64_t mask) {
    int *first = couple->bucket, place = 0;
    memset(first, 0, ((size_t)couple->object_count + 1) * sizeof *first);
    for (int k = 0; k < count; k++)
        first[plan->keys[k] >> bit & mask]++;
    for (int o = 0; o < couple->object_count; o++) {
        int items = first[o];
        first[o] = place;
        place += items;
    }
    for (int k = 0; k < count; k++)
        plan->spare[first[plan->keys[k] >> bit & mask]++] = plan->keys[k];
    uint64_t *sorted = plan->spare;
    plan->spare = plan->keys;
    plan->keys = sorted;
}

/* Memory for so many items, with a quarter as many to spare; and for tasks. */
static int reserve_items(rlti_couple_plan *plan, int count) {
    int capacity[2] = {plan->capacity, plan->capacity};
    int most = count + count / 4 + 64;
    return count <= plan->capacity || (RLTI_LIST_RESERVE(plan->list, 0, most, capacity[0]) &&
                                       RLTI_LIST_RESERVE(plan->keys, 0, most, capacity[1]) &&
                                       RLTI_LIST_RESERVE(plan->spare, 0, most, plan->capacity));
}
static int reserve_tasks(rlti_couple_plan *plan, int count) {
    int capacity[4] = {plan->task_capacity, plan->task_capacity, plan->task_capacity, plan->task_capacity};
    int one_more = plan->task_capacity > 0 ? plan->task_capacity + 1 : 0, most = count + count / 4 + 16;
    return count <= plan->task_capacity ||
           (RLTI_LIST_RESERVE(plan->tasks, 0, most, capacity[0]) &&
            RLTI_LIST_RESERVE(plan->sorted, 0, most, capacity[1]) &&
            RLTI_LIST_RESERVE(plan->off, 0, most, capacity[2]) &&
            RLTI_LIST_RESERVE(plan->colour, 0, most, capacity[3]) &&
            RLTI_LIST_RESERVE(plan->pool_first, 0, most + 1, one_more) && (plan->task_capacity = most, 1));
}

void rlti_couple_plan_free(rlti_couple_plan *plan) {
    RLTI_FREE(plan->list, plan->keys, plan->spare, plan->tasks, plan->sorted, plan->pool_first, plan->colour,
              plan->off, plan->used, plan->place, plan->open, plan->filled, plan->points, plan->briefs,
              plan->members);
    *plan = (rlti_couple_plan){0};
}

size_t rlti_couple_plan_bytes(const rlti_couple_plan *plan) {
    return (size_t)plan->capacity * (sizeof *plan->list + 2 * sizeof *plan->keys) +
           (size_t)plan->task_capacity * (2 * sizeof *plan->tasks + 2 * sizeof(int) + sizeof(double)) +
           (size_t)plan->marks * sizeof *plan->used + (size_t)plan->place_capacity * 5 * sizeof(int) +
           (size_t)plan->brief_capacity * sizeof *plan->briefs +
           (size_t)plan->member_capacity * sizeof *plan->members;
}

static int compare_pairs(const rlti_couple_task *a, const rlti_couple_task *b) {
    int side = a->object[0] != b->object[0] ? 0 : 1;
    return (a->object[side] > b->object[side]) - (a->object[side] < b->object[side]);
}

/* Most items first: they are begun first. */
static int compare_tasks(const void *a, const void *b) {
    const rlti_couple_task *x = a, *y = b;
    int first = x->count + x->links, second = y->count + y->links;
    return first != second ? (first > second ? -1 : 1) : compare_pairs(x, y);
}

enum { OBJECT_BITS = RLTI_COUPLE_OBJECT_BITS, ITEM_BITS = RLTI_COUPLE_ITEM_BITS };

enum { BLOCK = 4096 };

typedef struct keying {
    const rlti_couple *couple;
    const rlti_couple_plan *plan;
    const rlti_couple_items *items;
    int warm;
    rlti_couple_brief *briefs; /* NULL: not wanted */
} keying;

static rlti_couple_brief brief_of(const rlti_couple *couple, const rlti_couple_contact *c, int warm) {
    const rlti_vec3 *force = &c->force;
    int pushed = warm && (force->x != 0.0 || force->y != 0.0 || force->z != 0.0);
    rlti_couple_brief brief = {.odd = c->edge[0] & 1, .closed = c->gap < 0.0 || pushed};
    for (int side = 0; side < 2; side++)
        brief.slot[side] = c->strand[side] >= 0 ? couple->slots.strand[c->strand[side]] + c->edge[side] : -1;
    return brief;
}

/* Notes that strands have contacts; any thread, any number of times. */
static void touch(const rlti_couple *couple, const int strand[2]) {
    for (int side = 0; side < 2 && strand[side] >= 0; side++)
        if (!__atomic_load_n(&couple->strand_first[strand[side]], __ATOMIC_RELAXED))
            __atomic_store_n(&couple->strand_first[strand[side]], 1, __ATOMIC_RELAXED);
}

static void make_keys(void *context, int index, int worker) {
    const keying *w = context;
    int count = rlti_couple_count(w->items);
    (void)worker;
    for (int k = index * BLOCK; k < (index + 1) * BLOCK && k < count; k++) {
        uint64_t a = (uint64_t)object_of(w->couple, w->items, k, 0),
                 b = (uint64_t)object_of(w->couple, w->items, k, 1);
        uint64_t pair = a < b ? a << OBJECT_BITS | b : b << OBJECT_BITS | a;
        w->plan->keys[k] = pair << ITEM_BITS | (uint64_t)k;
        if (w->briefs != NULL) {
            w->briefs[k] = brief_of(w->couple, &w->items->contacts[k], w->warm);
            touch(w->couple, w->items->contacts[k].strand);
        }
    }
}

/* Tasks with those of links, both ascending by objects: tasks of the same objects become one. */
static void add_links(const rlti_couple *couple, rlti_couple_plan *plan, const rlti_couple_plan *links) {
    int count = 0, k = 0, t = 0;
    while (t < plan->task_count || k < links->task_count) {
        int link = k < links->task_count ? couple->link_pairs[k] : -1;
        int order = link < 0                ? -1
                    : t == plan->task_count ? 1
                                            : compare_pairs(&plan->sorted[t], &links->tasks[link]);
        rlti_couple_task *task = &plan->tasks[count++];
        if (order <= 0)
            *task = plan->sorted[t++];
        else
            *task = (rlti_couple_task){.object = {links->tasks[link].object[0], links->tasks[link].object[1]},
                                       .link = -1};
        if (order >= 0) {
            task->link = link;
            task->links = links->tasks[link].count;
            k++;
        }
    }
    memcpy(plan->sorted, plan->tasks, (size_t)count * sizeof *plan->sorted);
    plan->task_count = count;
}

static int gather_tasks(const rlti_couple *couple, rlti_pool *pool, rlti_couple_plan *plan,
                        const rlti_couple_items *items, int warm, const rlti_couple_plan *links) {
    keying w = {couple, plan, items, warm, links != NULL ? plan->briefs : NULL};
    int count = rlti_couple_count(items), tasks = links != NULL ? links->task_count : 0;
    if (couple->object_count >= 1 << OBJECT_BITS || count >= 1 << ITEM_BITS || !reserve_items(plan, count))
        return 0;
    rlti_pool_for(pool, (count + BLOCK - 1) / BLOCK, make_keys, &w);
    sort_by_object(couple, plan, count, ITEM_BITS, ((uint64_t)1 << OBJECT_BITS) - 1);
    sort_by_object(couple, plan, count, ITEM_BITS + OBJECT_BITS, ((uint64_t)1 << OBJECT_BITS) - 1);
    for (int k = 0; k < count; k++)
        tasks += k == 0 || plan->keys[k] >> ITEM_BITS != plan->keys[k - 1] >> ITEM_BITS;
    if (!reserve_tasks(plan, tasks))
        return 0;
    plan->task_count = 0;
    for (int k = 0; k < count; k++) {
        uint64_t pair = plan->keys[k] >> ITEM_BITS;
        plan->list[k] = rlti_couple_item(plan->keys[k]);
        if (k == 0 || pair != plan->keys[k - 1] >> ITEM_BITS)
            plan->sorted[plan->task_count++] = (rlti_couple_task){
                .object = {(int)(pair >> OBJECT_BITS), (int)(pair & ((1u << OBJECT_BITS) - 1u))},
                .first = k,
                .link = -1};
        rlti_couple_task *task = &plan->sorted[plan->task_count - 1];
        task->count++;
        task->contacts += plan->list[k] < items->contact_count;
    }
    if (links != NULL)
        add_links(couple, plan, links);
    qsort(plan->sorted, (size_t)plan->task_count, sizeof *plan->sorted, compare_tasks);
    return 1;
}

/* The first colour that neither object has yet: there is one. */
static unsigned first_free(const uint64_t *a, const uint64_t *b, int words) {
    int w = 0;
    while (w + 1 < words && (a[w] | b[w]) == UINT64_MAX)
        w++;
    uint64_t both = a[w] | b[w];
    return 64u * (unsigned)w + (both != UINT64_MAX ? (unsigned)__builtin_ctzll(~both) : 63u);
}

/* Colours all tasks, those with most items first; returns 0 when out of memory. */
static int colour_tasks(const rlti_couple *couple, rlti_couple_plan *plan) {
    /* a task meets fewer than twice as many others as there are objects */
    int bound = 2 * couple->object_count < plan->task_count ? 2 * couple->object_count : plan->task_count;
    int words = bound / 64 + 1;
    size_t marks = (size_t)words * (size_t)couple->object_count;
    if (marks > INT32_MAX || !RLTI_LIST_RESERVE(plan->used, 0, (int)marks, plan->marks))
        return 0;
    memset(plan->used, 0, marks * sizeof *plan->used);
    plan->pool_count = 0;
    for (int t = 0; t < plan->task_count; t++) {
        const rlti_couple_task *task = &plan->sorted[t];
        uint64_t *a = plan->used + (size_t)task->object[0] * (size_t)words,
                 *b = plan->used + (size_t)task->object[1] * (size_t)words;
        unsigned colour = first_free(a, b, words);
        plan->colour[t] = (int)colour;
        a[colour / 64] |= (uint64_t)1 << (colour % 64);
        b[colour / 64] |= (uint64_t)1 << (colour % 64);
        plan->pool_count = (int)colour + 1 > plan->pool_count ? (int)colour + 1 : plan->pool_count;
    }
    return 1;
}

int rlti_couple_schedule(const rlti_couple *couple, rlti_pool *pool, rlti_couple_plan *plan,
                         const rlti_couple_items *items, int warm, const rlti_couple_plan *links) {
    if (!gather_tasks(couple, pool, plan, items, warm, links) || !colour_tasks(couple, plan))
        return 0;
    memset(plan->pool_first, 0, ((size_t)plan->pool_count + 1) * sizeof *plan->pool_first);
    for (int t = 0; t < plan->task_count; t++)
        plan->pool_first[plan->colour[t] + 1]++;
    for (int p = 0; p < plan->pool_count; p++)
        plan->pool_first[p + 1] += plan->pool_first[p];
    for (int t = 0; t < plan->task_count; t++)
        plan->tasks[plan->pool_first[plan->colour[t]]++] = plan->sorted[t];
    for (int p = plan->pool_count; p > 0; p--) /* each start has become the end */
        plan->pool_first[p] = plan->pool_first[p - 1];
    plan->pool_first[0] = 0;
    return 1;
}
