/* Which contacts and links are worked on at once. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "contact/couple/couple_data.h"

static int object_of(const rlti_couple *couple, const rlti_couple_items *items, int item, int side) {
    int strand = rlti_couple_strand(items, item, side);
    return couple->object[strand >= 0 ? strand : rlti_couple_strand(items, item, 0)];
}

/* Sorts keys by the object that begins at a bit; those of the same object stay in order. */
static void sort_by_object(rlti_couple *couple, int count, int bit, uint64_t mask) {
    int *first = couple->bucket, place = 0;
    memset(first, 0, ((size_t)couple->object_count + 1) * sizeof *first);
    for (int k = 0; k < count; k++)
        first[couple->keys[k] >> bit & mask]++;
    for (int o = 0; o < couple->object_count; o++) {
        int items = first[o];
        first[o] = place;
        place += items;
    }
    for (int k = 0; k < count; k++)
        couple->spare[first[couple->keys[k] >> bit & mask]++] = couple->keys[k];
    uint64_t *sorted = couple->spare;
    couple->spare = couple->keys;
    couple->keys = sorted;
}

/* Most items first: they are begun first. */
static int compare_tasks(const void *a, const void *b) {
    const rlti_couple_task *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* A key is the pair of objects, then the item: sorted, items of a task stand together and in order. */
enum { OBJECT_BITS = 20, ITEM_BITS = 24 };

static int gather_tasks(rlti_couple *couple, const rlti_couple_items *items) {
    int count = rlti_couple_count(items);
    if (couple->object_count >= 1 << OBJECT_BITS || count >= 1 << ITEM_BITS)
        return 0;
    for (int k = 0; k < count; k++) {
        uint64_t a = (uint64_t)object_of(couple, items, k, 0), b = (uint64_t)object_of(couple, items, k, 1);
        uint64_t pair = a < b ? a << OBJECT_BITS | b : b << OBJECT_BITS | a;
        couple->keys[k] = pair << ITEM_BITS | (uint64_t)k;
    }
    sort_by_object(couple, count, ITEM_BITS, ((uint64_t)1 << OBJECT_BITS) - 1);
    sort_by_object(couple, count, ITEM_BITS + OBJECT_BITS, ((uint64_t)1 << OBJECT_BITS) - 1);
    couple->task_count = 0;
    for (int k = 0; k < count; k++) {
        uint64_t pair = couple->keys[k] >> ITEM_BITS;
        couple->list[k] = (int)(couple->keys[k] & ((1u << ITEM_BITS) - 1u));
        if (k == 0 || pair != couple->keys[k - 1] >> ITEM_BITS)
            couple->sorted[couple->task_count++] = (rlti_couple_task){
                {(int)(pair >> OBJECT_BITS), (int)(pair & ((1u << OBJECT_BITS) - 1u))}, k, 0, 0, 0, 0};
        couple->sorted[couple->task_count - 1].count++;
    }
    qsort(couple->sorted, (size_t)couple->task_count, sizeof *couple->sorted, compare_tasks);
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
static int colour_tasks(rlti_couple *couple) {
    /* a task meets fewer than twice as many others as there are objects */
    int bound = 2 * couple->object_count < couple->task_count ? 2 * couple->object_count : couple->task_count;
    int words = bound / 64 + 1;
    size_t marks = (size_t)words * (size_t)couple->object_count;
    if (marks > INT32_MAX || !RLTI_LIST_RESERVE(couple->used, 0, (int)marks, couple->marks))
        return 0;
    memset(couple->used, 0, marks * sizeof *couple->used);
    couple->pool_count = 0;
    for (int t = 0; t < couple->task_count; t++) {
        const rlti_couple_task *task = &couple->sorted[t];
        uint64_t *a = couple->used + (size_t)task->object[0] * (size_t)words,
                 *b = couple->used + (size_t)task->object[1] * (size_t)words;
        unsigned colour = first_free(a, b, words);
        couple->colour[t] = (int)colour;
        a[colour / 64] |= (uint64_t)1 << (colour % 64);
        b[colour / 64] |= (uint64_t)1 << (colour % 64);
        couple->pool_count = (int)colour + 1 > couple->pool_count ? (int)colour + 1 : couple->pool_count;
    }
    return 1;
}

/* Links in the order of tasks. */
static void place_links(rlti_couple *couple, const rlti_couple_items *items) {
    int lump = 0, spring = 0;
    for (int t = 0; t < couple->task_count; t++) {
        rlti_couple_task *task = &couple->tasks[t];
        int k = task->first, end = task->first + task->count;
        task->lump = lump;
        task->spring = spring;
        while (k < end && couple->list[k] < items->contact_count)
            k++;
        task->contacts = k - task->first;
        lump += task->contacts;
        for (; k < end; k++)
            couple->springs[spring++].item = couple->list[k] - items->contact_count;
    }
}

int rlti_couple_schedule(rlti_couple *couple, const rlti_couple_items *items) {
    if (!gather_tasks(couple, items) || !colour_tasks(couple))
        return 0;
    int placed = 0;
    for (int p = 0; p < couple->pool_count; p++) {
        couple->pool_first[p] = placed;
        for (int t = 0; t < couple->task_count; t++)
            if (couple->colour[t] == p)
                couple->tasks[placed++] = couple->sorted[t];
    }
    couple->pool_first[couple->pool_count] = placed;
    place_links(couple, items);
    return 1;
}
