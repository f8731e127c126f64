/* Contacts as detection has found them, taken over for the solution.
 *
 * They are found in the order of strands. By lumped masses they are solved by pairs of objects, so that is
 * the order in which they are taken over: by the object of the first strand, then by that of the second, then
 * as found. What is solved together lies together then, and is read in a row. An object's contacts are those
 * of its strands, which follow each other in the list that was found: so each lot of strands, an object or
 * else a part of the list, is taken over by itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "solve/rod_solver_contacts.h"

/* ---- lots ---- */

int rlti_rod_solver_make_lots(const rod_solver *s, rod_contacts *c) {
    int strands = s->def.strands->strand_count, *lot = RLTI_NEW(int, strands), done = lot != NULL;
    c->sorts = c->settings.block == RLTI_COUPLE_LUMPED;
    for (int k = 0; k < strands; k++)
        c->object_count = c->object[k] + 1 > c->object_count ? c->object[k] + 1 : c->object_count;
    if (done && c->sorts)
        memcpy(lot, c->object, (size_t)strands * sizeof *lot);
    c->lot_count = done && c->sorts ? c->object_count
                   : done           ? rlti_couple_group(strands, s->def.strands->first, NULL, 1000, lot)
                                    : 0;
    size_t lots = (size_t)c->lot_count, bins = (size_t)c->object_count + 1;
    done = done && RLTI_ALLOCATE(RLTI_ITEMS(c->lot_first, lots + 1), RLTI_ITEMS(c->lot_strands, strands),
                                 RLTI_ITEMS(c->strand_found, strands), RLTI_ITEMS(c->list_first, lots + 1),
                                 RLTI_ITEMS(c->before_first, lots + 1),
                                 RLTI_ITEMS(c->bins, bins * (size_t)rlti_pool_threads(s->def.pool)));
    for (int k = 0; done && k < strands; k++)
        c->lot_first[lot[k] + 1]++;
    for (int k = 0; done && k < c->lot_count; k++)
        c->lot_first[k + 1] += c->lot_first[k];
    for (int k = 0; done && k < strands; k++)
        c->lot_strands[c->lot_first[lot[k]]++] = k;
    for (int k = c->lot_count; done && k > 0; k--) /* each start has become the end */
        c->lot_first[k] = c->lot_first[k - 1];
    if (done)
        c->lot_first[0] = 0;
    rlti_free(lot);
    return done;
}

void rlti_rod_solver_free_lots(rod_contacts *c) {
    RLTI_FREE(c->lot_first, c->lot_strands, c->strand_found, c->list_first, c->before_first, c->bins,
              c->place);
}

size_t rlti_rod_solver_lot_bytes(const rod_solver *s, const rod_contacts *c) {
    return (3 * ((size_t)c->lot_count + 1) + 2 * (size_t)s->def.strands->strand_count +
            ((size_t)c->object_count + 1) * (size_t)rlti_pool_threads(s->def.pool) +
            (size_t)c->place_capacity) *
           sizeof(int);
}

/* ---- contacts ---- */

/* The object of a contact's second side, by which contacts are sorted; a body is with the first one's. */
static int other_of(const rod_contacts *c, int first, int second) {
    if (!c->sorts)
        return 0;
    return c->object[second >= 0 && second < c->strands.strand_count ? second : first];
}

/* How many contacts each strand of a lot has found. */
static void count_strands(void *context, int index, int worker) {
    const rod_contacts *c = ((const rod_solver *)context)->contacts;
    (void)worker;
    for (int k = c->lot_first[index]; k < c->lot_first[index + 1]; k++) {
        int strand = c->lot_strands[k], end = rlti_edge_contacts_first_part(c->found, strand + 1);
        c->strand_found[strand] = 0;
        for (int i = rlti_edge_contacts_first_part(c->found, strand); i < end; i++)
            c->strand_found[strand] += rlti_edge_contacts_part(c->found, i).count;
    }
}

/* Displacements of a lot's points in the step until now. */
static void fill_travel(void *context, int index, int worker) {
    const rod_contacts *c = ((const rod_solver *)context)->contacts;
    (void)worker;
    for (int k = c->lot_first[index]; k < c->lot_first[index + 1]; k++) {
        const int *first = c->strands.first + c->lot_strands[k];
        for (int p = first[0]; p < first[1]; p++)
            c->moved[p] = rlti_sub(c->end[p], c->start[p]);
    }
}

/* Any thread, any number of times. */
static void set_flag(unsigned char *flag) {
    if (!__atomic_load_n(flag, __ATOMIC_RELAXED))
        __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
}

/* Adds to the bins how many contacts of a strand there are with each object. */
static void count_others(const rod_contacts *c, int strand, int *bins) {
    int end = rlti_edge_contacts_first_part(c->found, strand + 1);
    for (int i = rlti_edge_contacts_first_part(c->found, strand); i < end; i++) {
        rlti_edge_part part = rlti_edge_contacts_part(c->found, i);
        for (int k = 0; k < part.count; k++)
            bins[other_of(c, strand, part.second[k]) + 1]++;
    }
}

/* Places of a part's contacts in the list, and who has them. */
static void place_part(const rod_contacts *c, int strand, rlti_edge_part part, int *bins) {
    for (int k = 0; k < part.count; k++) {
        int second = part.second[k], place = bins[other_of(c, strand, second)]++,
            hair = second < c->strands.strand_count ? second : -1;
        int here = !c->sorts /* by whole inverses all ranks know all forces */ ||
                   rlti_couple_is_solved_here(c->couple, strand, hair);
        c->place[part.first + k] = here ? place : -1 - place;
        if (hair >= 0)
            set_flag(&c->touches[hair]);
    }
}

/* Contacts of a lot in the form in which they are solved. */
static void take_lot(void *context, int index, int worker) {
    const rod_solver *s = context;
    rod_contacts *c = s->contacts;
    int *bins = c->bins + (size_t)worker * ((size_t)c->object_count + 1);
    memset(bins, 0, ((size_t)c->object_count + 1) * sizeof *bins);
    for (int k = c->lot_first[index]; k < c->lot_first[index + 1]; k++)
        count_others(c, c->lot_strands[k], bins);
    bins[0] = c->list_first[index];
    for (int o = 0; o < c->object_count; o++)
        bins[o + 1] += bins[o];
    for (int k = c->lot_first[index]; k < c->lot_first[index + 1]; k++) {
        int strand = c->lot_strands[k], end = rlti_edge_contacts_first_part(c->found, strand + 1);
        for (int i = rlti_edge_contacts_first_part(c->found, strand); i < end; i++) {
            rlti_edge_part part = rlti_edge_contacts_part(c->found, i);
            place_part(c, strand, part, bins);
            rlti_couple_take(&c->strands, part.items, part.count, c->moved, c->press, c->place + part.first,
                             c->list);
        }
        if (c->strand_found[strand] > 0)
            set_flag(&c->touches[strand]);
    }
}

/* ---- forces ---- */

/* Contacts in the order of the list: bodies, whose numbers are negative here, follow strands. */
static int compare(const rod_contacts *c, const rlti_couple_contact *a, const rod_before *b) {
    if (a->strand[0] == b->strand[0] && a->edge[0] == b->edge[0] && a->strand[1] == b->strand[1] &&
        a->edge[1] == b->edge[1])
        return 0;
    const int one[6] = {other_of(c, a->strand[0], a->strand[1]),
                        a->strand[0],
                        a->edge[0],
                        a->strand[1] < 0,
                        abs(a->strand[1]),
                        a->edge[1]},
              other[6] = {other_of(c, b->strand[0], b->strand[1]),
                          b->strand[0],
                          b->edge[0],
                          b->strand[1] < 0,
                          abs(b->strand[1]),
                          b->edge[1]};
    for (int k = 0; k < 6; k++)
        if (one[k] != other[k])
            return one[k] < other[k] ? -1 : 1;
    return 0;
}

/* Contacts that were there in the last search begin with the forces they had: the k-th of a pair with the
 * k-th's. */
static void take_forces(void *context, int index, int worker) {
    const rod_contacts *c = ((const rod_solver *)context)->contacts;
    int i = c->list_first[index], j = c->before_first[index];
    (void)worker;
    while (i < c->list_first[index + 1] && j < c->before_first[index + 1]) {
        int order = compare(c, &c->list[i], &c->before[j]);
        if (order == 0)
            c->list[i].force = c->before[j].force;
        i += order <= 0;
        j += order >= 0;
    }
}

/* ---- all ---- */

static void keep_lot(void *context, int index, int worker) {
    const rod_contacts *c = ((const rod_solver *)context)->contacts;
    (void)worker;
    for (int k = c->list_first[index]; k < c->list_first[index + 1]; k++) {
        const rlti_couple_contact *from = &c->list[k];
        c->before[k] =
            (rod_before){{from->strand[0], from->strand[1]}, {from->edge[0], from->edge[1]}, from->force};
    }
}

/* Forces of the last search of the step. Returns 0 when out of memory. */
static int keep_forces(rod_solver *s) {
    rod_contacts *c = s->contacts;
    if (!RLTI_LIST_RESERVE(c->before, 0, c->list_first[c->lot_count], c->before_capacity))
        return 0;
    rlti_pool_for(s->def.pool, c->lot_count, keep_lot, s);
    memcpy(c->before_first, c->list_first, ((size_t)c->lot_count + 1) * sizeof *c->before_first);
    return 1;
}

int rlti_rod_solver_take_found(rod_solver *s) {
    rod_contacts *c = s->contacts;
    int count = rlti_edge_contacts_count(c->found), sum = 0;
    if (c->round > 0 && !keep_forces(s))
        return 0;
    if (!RLTI_LIST_RESERVE(c->list, 0, count, c->capacity) ||
        !RLTI_LIST_RESERVE(c->place, 0, count, c->place_capacity))
        return 0;
    c->count = count;
    memset(c->touches, 0, (size_t)c->strands.strand_count);
    rlti_pool_for(s->def.pool, c->lot_count, count_strands, s);
    rlti_pool_for(s->def.pool, c->lot_count, fill_travel, s);
    for (int lot = 0; lot < c->lot_count; lot++) {
        c->list_first[lot] = sum;
        for (int k = c->lot_first[lot]; k < c->lot_first[lot + 1]; k++)
            sum += c->strand_found[c->lot_strands[k]];
    }
    c->list_first[c->lot_count] = sum;
    rlti_pool_for(s->def.pool, c->lot_count, take_lot, s);
    if (c->round > 0)
        rlti_pool_for(s->def.pool, c->lot_count, take_forces, s);
    return 1;
}
