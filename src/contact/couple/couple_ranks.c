/* Solutions that ranks share. Each object belongs to a rank, and each task, the items of two objects, is
 * worked on by the rank of one of them, pool by pool as by one rank alone. By lumped masses a point goes from
 * task to task with where it is, and the forces on it, and where the next task is another rank's it is sent
 * there before that pool. After the last pool forces go to the ranks of the strands, which solve these, and
 * say where their points are to the ranks with tasks that meet them. By whole inverses strands go from task
 * to task, and forces to all ranks in the end. So all numbers are those of one rank, in the same order, and
 * points are sent where objects of two ranks meet.
 *
 * All ranks have the same items, so each plans by itself, for the objects that it has tasks or strands of,
 * what it will send and what it will get. */
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "contact/couple/couple_data.h"

/* ---- who does what ---- */

/* Objects whose strands are all of one rank are that one's. Where strands were shared out otherwise, since
 * objects are few, each rank has as many objects, in their order. */
static void give_objects(const rlti_couple *couple, rlti_couple_ranks *r, const int *owner) {
    int whole = 1;
    for (int o = 0; o < couple->object_count; o++)
        r->object[o] = -1;
    for (int s = 0; s < couple->strand_count; s++) {
        int *rank = &r->object[couple->object[s]];
        whole = whole && (*rank < 0 || *rank == owner[s]);
        *rank = owner[s];
    }
    for (int o = 0; o < couple->object_count; o++)
        if (!whole || r->object[o] < 0)
            r->object[o] = (int)((long long)o * r->count / couple->object_count);
}

int rlti_couple_set_ranks(rlti_couple *couple, rlt_ranks *ranks, const int *owner) {
    if (rlt_ranks_count(ranks) < 2)
        return 1;
    rlti_couple_ranks *r = couple->ranks = RLTI_NEW(rlti_couple_ranks, 1);
    if (r == NULL)
        return 0;
    r->handle = ranks;
    r->rank = rlt_ranks_rank(ranks);
    r->count = rlt_ranks_count(ranks);
    if (!RLTI_ALLOCATE(RLTI_ITEMS(r->object, couple->object_count), RLTI_ITEMS(r->near, couple->object_count),
                       RLTI_ITEMS(r->point, couple->point_count), RLTI_ITEMS(r->holder, couple->point_count),
                       RLTI_ITEMS(r->stamp, couple->point_count), RLTI_ITEMS(r->seen, couple->strand_count),
                       RLTI_ITEMS(r->bytes, r->count), RLTI_ITEMS(r->parcels, 2 * (size_t)r->count)))
        return 0;
    give_objects(couple, r, owner);
    for (int s = 0; s < couple->strand_count; s++)
        for (int p = couple->first[s]; p < couple->first[s + 1]; p++)
            r->point[p] = owner[s];
    return 1;
}

void rlti_couple_free_ranks(rlti_couple *couple) {
    rlti_couple_ranks *r = couple->ranks;
    if (r == NULL)
        return;
    RLTI_FREE(r->object, r->near, r->point, r->holder, r->stamp, r->seen, r->bytes, r->parcels, r->first,
              r->entries, r->points, r->values, r);
    couple->ranks = NULL;
}

size_t rlti_couple_rank_bytes(const rlti_couple *couple) {
    const rlti_couple_ranks *r = couple->ranks;
    if (r == NULL)
        return 0;
    return sizeof *r + 3 * (size_t)couple->point_count * sizeof(int) +
           (size_t)couple->object_count * (sizeof *r->object + 1) +
           2 * (size_t)r->count * sizeof *r->parcels + (size_t)r->first_capacity * sizeof *r->first +
           (size_t)r->entry_capacity * sizeof *r->entries + (size_t)r->point_capacity * sizeof *r->points +
           (size_t)r->value_capacity * sizeof *r->values;
}

/* Half of the tasks of two ranks are each one's. Whatever else changes, who has a task does not, so its
 * forces are there when it comes again. */
static int rank_of(const rlti_couple_ranks *r, int a, int b) {
    return r->object[(a + b) % 2 == 0 ? (a < b ? a : b) : (a < b ? b : a)];
}

int rlti_couple_is_solved_here(const rlti_couple *couple, int strand, int other) {
    int a = couple->object[strand], b = other >= 0 ? couple->object[other] : a;
    return couple->ranks == NULL || rank_of(couple->ranks, a, b) == couple->ranks->rank;
}

void rlti_couple_assign(rlti_couple *couple) {
    rlti_couple_ranks *r = couple->ranks;
    if (r == NULL)
        return;
    memset(r->near, 0, (size_t)couple->object_count);
    for (int s = 0; s < couple->strand_count; s++)
        if (r->point[couple->first[s]] == r->rank)
            r->near[couple->object[s]] = 1;
    for (int t = 0; t < couple->plan.task_count; t++) {
        rlti_couple_task *task = &couple->plan.tasks[t];
        task->rank = rank_of(r, task->object[0], task->object[1]);
        if (task->rank == r->rank)
            r->near[task->object[0]] = r->near[task->object[1]] = 1;
    }
}

/* ---- what is handed on ---- */

/* Of a pool, or of those that follow: all forces, all displacements. */
static int key_of(const rlti_couple_ranks *r, int pool, int receives, int rank) {
    return (2 * pool + receives) * r->count + rank;
}

/* Notes a point that goes from one rank to another; 0 when out of memory. */
static int note(rlti_couple_ranks *r, int pool, int from, int to, int point) {
    if (from == to || (from != r->rank && to != r->rank))
        return 1;
    if (r->entry_count == r->entry_capacity &&
        !RLTI_LIST_RESERVE(r->entries, r->entry_count, r->entry_count + 1024, r->entry_capacity))
        return 0;
    int receives = to == r->rank;
    int *entry = r->entries[r->entry_count++];
    entry[0] = key_of(r, pool, receives, receives ? from : to);
    entry[1] = point;
    return 1;
}

/* Points from one task to the next, and in the end to their strands. */
static int note_tasks(const rlti_couple *couple, rlti_couple_ranks *r) {
    const rlti_couple_plan *plan = &couple->plan;
    int done = 1;
    for (int p = 0; p < couple->point_count; p++)
        r->holder[p] = -1;
    for (int p = 0; p < plan->pool_count; p++)
        for (int t = plan->pool_first[p]; t < plan->pool_first[p + 1]; t++) {
            const rlti_couple_task *task = &plan->tasks[t];
            for (int k = 0; k < task->members; k++) {
                int point = plan->members[task->member + k].point;
                if (r->holder[point] >= 0)
                    done = done && note(r, p, r->holder[point], task->rank, point);
                r->holder[point] = task->rank;
            }
        }
    for (int p = 0; p < couple->point_count; p++)
        if (r->holder[p] >= 0)
            done = done && note(r, plan->pool_count, r->holder[p], r->point[p], p);
    return done;
}

/* Points that the tasks of a rank meet, of strands of another one: each once. */
static int note_needs(const rlti_couple *couple, rlti_couple_ranks *r, int rank) {
    const rlti_couple_plan *plan = &couple->plan;
    int done = 1;
    for (int t = 0; t < plan->task_count; t++) {
        const rlti_couple_task *task = &plan->tasks[t];
        for (int k = 0; k < (task->rank == rank ? task->members : 0); k++) {
            int point = plan->members[task->member + k].point;
            if (r->stamp[point] == rank + 1)
                continue;
            r->stamp[point] = rank + 1;
            done = done && note(r, plan->pool_count + 1, r->point[point], rank, point);
        }
    }
    return done;
}

/* Points by keys, those of each as they were found: the other rank finds them in the same order. */
static int sort_entries(rlti_couple_ranks *r) {
    int keys = key_of(r, r->pools + 2, 0, 0), most = 0;
    if (!RLTI_LIST_RESERVE(r->first, 0, keys + 1, r->first_capacity) ||
        !RLTI_LIST_RESERVE(r->points, 0, r->entry_count, r->point_capacity))
        return 0;
    memset(r->first, 0, ((size_t)keys + 1) * sizeof *r->first);
    for (int k = 0; k < r->entry_count; k++)
        r->first[r->entries[k][0] + 1]++;
    for (int k = 0; k < keys; k++)
        r->first[k + 1] += r->first[k];
    for (int k = 0; k < r->entry_count; k++)
        r->points[r->first[r->entries[k][0]]++] = r->entries[k][1];
    for (int k = keys; k > 0; k--) /* each start has become the end */
        r->first[k] = r->first[k - 1];
    r->first[0] = 0;
    for (int pool = 0; pool < r->pools + 2; pool++) {
        int count = r->first[key_of(r, pool + 1, 0, 0)] - r->first[key_of(r, pool, 0, 0)];
        most = count > most ? count : most;
    }
    /* a row in double precision, and a force */
    return RLTI_LIST_RESERVE(r->values, 0, 7 * most + 1, r->value_capacity);
}

int rlti_couple_plan_hands(rlti_couple *couple) {
    rlti_couple_ranks *r = couple->ranks;
    int done = 1;
    if (r == NULL)
        return 1;
    r->pools = couple->plan.pool_count;
    r->entry_count = 0;
    memset(r->stamp, 0, (size_t)couple->point_count * sizeof *r->stamp);
    done = note_tasks(couple, r);
    for (int rank = 0; rank < r->count; rank++)
        done = done && note_needs(couple, r, rank);
    return done && sort_entries(r);
}

/* ---- whole inverses ---- */

/* The strands of a task's items, once each: they come from the tasks that had them last. `seen` has the
 * number of the last task of each strand, `starts` the rank of the first one. */
static int note_strands(const rlti_couple *couple, rlti_couple_ranks *r, const rlti_couple_items *items,
                        int pool, int index) {
    const rlti_couple_task *task = &couple->plan.tasks[index];
    int done = 1, *seen = r->seen, *starts = r->stamp;
    for (int k = 2 * task->first; k < 2 * (task->first + task->count); k++) {
        int strand = rlti_couple_strand(items, couple->plan.list[k / 2], k & 1);
        if (strand < 0 || seen[strand] == index + 1)
            continue;
        int first = couple->first[strand], holder = r->holder[first];
        seen[strand] = index + 1;
        for (int p = first; holder >= 0 && p < couple->first[strand + 1]; p++)
            done = done && note(r, pool, holder, task->rank, p);
        if (holder < 0)
            starts[first] = task->rank;
        r->holder[first] = task->rank;
    }
    return done;
}

int rlti_couple_plan_strands(rlti_couple *couple, const rlti_couple_items *items) {
    rlti_couple_ranks *r = couple->ranks;
    const rlti_couple_plan *plan = &couple->plan;
    int done = 1;
    if (r == NULL)
        return 1;
    r->pools = plan->pool_count;
    r->entry_count = 0;
    memset(r->seen, 0, (size_t)couple->strand_count * sizeof *r->seen);
    for (int s = 0; s < couple->strand_count; s++)
        r->holder[couple->first[s]] = -1;
    for (int p = 0; p < plan->pool_count; p++)
        for (int t = plan->pool_first[p]; t < plan->pool_first[p + 1]; t++)
            if (rlti_couple_is_near(couple, &plan->tasks[t]))
                done = done && note_strands(couple, r, items, p, t);
    for (int s = 0; s < couple->strand_count; s++) {
        int first = couple->first[s];
        for (int p = first; r->holder[first] >= 0 && p < couple->first[s + 1]; p++)
            done = done && note(r, plan->pool_count, r->holder[first], r->stamp[first], p);
    }
    return done && sort_entries(r) &&
           RLTI_LIST_RESERVE(r->values, 0, 3 * items->contact_count + items->link_count + 1,
                             r->value_capacity);
}

/* ---- sending ---- */

/* Bytes of each point, in an array of all points. */
typedef struct cargo {
    char *data;
    size_t bytes; /* of a point, a multiple of 8 */
} cargo;

/* Copies what the points of a parcel have to or from its values. */
static void copy_points(const int *points, int count, const cargo *list, int parts, char *values, int out) {
    for (int k = 0; k < count; k++)
        for (int i = 0; i < parts; i++) {
            char *at = list[i].data + (size_t)points[k] * list[i].bytes;
            memcpy(out ? values : at, out ? at : values, list[i].bytes);
            values += list[i].bytes;
        }
}

static void trade(rlti_couple_ranks *r, int pool, const cargo *list, int parts) {
    size_t bytes = 0;
    int count = 0, base = r->first[key_of(r, pool, 0, 0)], end = key_of(r, pool + 1, 0, 0);
    for (int i = 0; i < parts; i++)
        bytes += list[i].bytes;
    for (int key = key_of(r, pool, 0, 0); key < end; key++) {
        int points = r->first[key + 1] - r->first[key], receives = key >= key_of(r, pool, 1, 0);
        double *values = r->values + bytes / sizeof(double) * (size_t)(r->first[key] - base);
        if (points == 0)
            continue;
        r->parcels[count++] =
            (rlti_parcel){key % r->count, receives, values, (int)(bytes / sizeof(double) * (size_t)points)};
        if (!receives)
            copy_points(r->points + r->first[key], points, list, parts, (char *)values, 1);
    }
    rlti_ranks_trade(r->handle, r->parcels, count);
    for (int key = key_of(r, pool, 1, 0); key < end; key++)
        copy_points(r->points + r->first[key], r->first[key + 1] - r->first[key], list, parts,
                    (char *)(r->values + bytes / sizeof(double) * (size_t)(r->first[key] - base)), 0);
}

void rlti_couple_hand_on(rlti_couple *couple, int pool, size_t row, int forces) {
    const cargo rows = {couple->rows, row}, pushes = {(char *)couple->force, sizeof *couple->force};
    const cargo list[2] = {row > 0 ? rows : pushes, pushes};
    if (couple->ranks != NULL && (row > 0 || forces))
        trade(couple->ranks, pool, list, row > 0 && forces ? 2 : 1);
}

void rlti_couple_hand_forces(rlti_couple *couple) {
    const cargo pushes = {(char *)couple->force, sizeof *couple->force};
    if (couple->ranks != NULL)
        trade(couple->ranks, couple->ranks->pools, &pushes, 1);
}

void rlti_couple_hand_moved(rlti_couple *couple, rlti_vec3 *moved) {
    const cargo places = {(char *)moved, sizeof *moved};
    if (couple->ranks != NULL)
        trade(couple->ranks, couple->ranks->pools + 1, &places, 1);
}

void rlti_couple_hand_strands(rlti_couple *couple, int pool) {
    const cargo places = {(char *)couple->work, sizeof *couple->work};
    if (couple->ranks != NULL)
        trade(couple->ranks, pool, &places, 1);
}

/* Copies the forces of a rank's items, in the order of tasks, to or from a row of values. */
static double *copy_items(const rlti_couple *couple, int rank, double *values, int out) {
    const rlti_couple_plan *plan = &couple->plan;
    for (int t = 0; t < plan->task_count; t++) {
        const rlti_couple_task *task = &plan->tasks[t];
        for (int k = 0; k < (task->rank == rank ? task->count : 0); k++) {
            int contact = k < task->contacts, size = contact ? 3 : 1;
            double *force = contact ? couple->locals[plan->list[task->first + k]].r
                                    : &couple->springs[task->spring + k - task->contacts].r;
            memcpy(out ? values : force, out ? force : values, (size_t)size * sizeof *values);
            values += size;
        }
    }
    return values;
}

void rlti_couple_share_items(rlti_couple *couple) {
    rlti_couple_ranks *r = couple->ranks;
    const rlti_couple_plan *plan = &couple->plan;
    if (r == NULL)
        return;
    memset(r->bytes, 0, (size_t)r->count * sizeof *r->bytes);
    for (int t = 0; t < plan->task_count; t++)
        r->bytes[plan->tasks[t].rank] +=
            sizeof(double) *
            (size_t)(3 * plan->tasks[t].contacts + plan->tasks[t].count - plan->tasks[t].contacts);
    double *mine = r->values, *from = r->values;
    for (int rank = 0; rank < r->rank; rank++)
        mine += r->bytes[rank] / sizeof *mine;
    copy_items(couple, r->rank, mine, 1);
    rlti_ranks_share(r->handle, mine, r->bytes, r->values);
    for (int rank = 0; rank < r->count; rank++)
        from = copy_items(couple, rank, from, 0);
}

/* ---- numbers of all ---- */

double rlti_couple_greatest(const rlti_couple *couple, double value) {
    if (couple->ranks != NULL)
        rlti_ranks_max(couple->ranks->handle, &value, 1);
    return value;
}

void rlti_couple_add_up(const rlti_couple *couple, double *values, int count) {
    if (couple->ranks != NULL)
        rlt_ranks_sum(couple->ranks->handle, values, count);
}

int rlti_couple_any_failed(const rlti_couple *couple, int failed) {
    return rlti_couple_greatest(couple, failed) > 0.0;
}

/* The deepest contact is that of the first task that has it. */
static int find_deepest(const rlti_couple *couple, int task, double mine, const rlti_couple_result *all,
                        int contact) {
    int has = contact >= 0 && mine == all->deepest_of[0];
    double first = rlti_couple_greatest(couple, has ? -(double)task : -HUGE_VAL);
    return (int)rlti_couple_greatest(couple, has && -(double)task == first ? contact : -1.0);
}

void rlti_couple_combine(const rlti_couple *couple, int task, rlti_couple_result *result) {
    if (couple->ranks == NULL)
        return;
    rlt_ranks *ranks = couple->ranks->handle;
    double mine = result->deepest_of[0];
    double sums[] = {result->unresolved, result->unresolved_links, result->touching,
                     result->bodies,     result->bodies_touching,  result->slipping};
    double most[] = {result->residual, result->deepest, result->deepest_of[0], result->deepest_of[1]};
    rlt_ranks_sum(ranks, sums, sizeof sums / sizeof *sums);
    rlti_ranks_max(ranks, most, sizeof most / sizeof *most);
    result->unresolved = (int)sums[0];
    result->unresolved_links = (int)sums[1];
    result->touching = (int)sums[2];
    result->bodies = (int)sums[3];
    result->bodies_touching = (int)sums[4];
    result->slipping = (int)sums[5];
    result->residual = most[0];
    result->deepest = most[1];
    result->deepest_of[0] = most[2];
    result->deepest_of[1] = most[3];
    result->deepest_contact = find_deepest(couple, task, mine, result, result->deepest_contact);
}
