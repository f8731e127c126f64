/* Passages that stay for the rest of a step. */
#include "base/list.h"
#include "contact/edge/contacts_data.h"

void rlti_edge_contacts_begin(rlti_edge_contacts *contacts) {
    contacts->kept_count = 0;
    contacts->known = 0;
    contacts->searches = 0;
}

/* Order of the list, but for the part: a pair is one. */
static int compare_pairs(const rlti_edge_contact *a, const rlti_edge_contact *b) {
    const int x[4] = {a->strand[0], a->edge[0], a->strand[1], a->edge[1]},
              y[4] = {b->strand[0], b->edge[0], b->strand[1], b->edge[1]};
    for (int k = 0; k < 4; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

/* Where a contact's side on a strand is now, along its normal. */
static double place_of(const rlti_edge_contacts *contacts, const rlti_edge_contact *c, int side) {
    const rlti_vec3 *x = contacts->end + contacts->strands.first[c->strand[side]] + c->edge[side];
    return rlti_dot(c->normal, rlti_between(x[0], x[1], c->share[side]));
}

static int is_body(const rlti_edge_contacts *contacts, const rlti_edge_contact *c) {
    return c->strand[1] >= contacts->strands.strand_count;
}

/* The passage with the gap it has now. */
static rlti_edge_contact renew(const rlti_edge_contacts *contacts, const rlti_edge_kept *kept) {
    rlti_edge_contact c = kept->contact;
    double level = is_body(contacts, &c) ? kept->level : place_of(contacts, &c, 1);
    c.gap = place_of(contacts, &c, 0) - level - c.radius;
    return c;
}

/* Whether one of the new contacts of its pair stands for a kept passage: the same feature of a body, or near
 * it on both edges. */
static int is_renewed(const rlti_edge_contacts *contacts, const rlti_edge_contact *old,
                      const rlti_edge_contact *pair, int count) {
    const double near = 0.1; /* of an edge */
    for (const rlti_edge_contact *c = pair; c < pair + count; c++) {
        if (is_body(contacts, old)
                ? c->part == old->part && (c->passage || rlti_dot(c->normal, old->normal) > 0.0)
                : c->passage && fabs(c->share[0] - old->share[0]) < near &&
                      fabs(c->share[1] - old->share[1]) < near)
            return 1;
    }
    return 0;
}

/* Puts a kept passage after the `count` contacts of its pair; in the order of parts for a body. Returns how
 * many there are then. */
static int put_kept(const rlti_edge_contacts *contacts, const rlti_edge_kept *kept, rlti_edge_contact *pair,
                    int count) {
    rlti_edge_contact now = renew(contacts, kept);
    int place = count;
    if (!(now.gap == now.gap)) /* a strand that is no number has no contact */
        return count;
    if (is_body(contacts, &now))
        for (; place > 0 && pair[place - 1].part > now.part; place--)
            pair[place] = pair[place - 1];
    else
        now.part = place;
    pair[place] = now;
    return count + 1;
}

/* The run that a passage is listed with. */
static int run_of(const rlti_edge_contacts *contacts, const rlti_edge_kept *kept) {
    return contacts->first_run[kept->contact.strand[0]] + kept->contact.edge[0] / RLTI_SWEEP_WIDTH;
}

/* Second strands of a list's contacts from `first` on, the run's. */
static int list_seconds(rlti_edge_contacts *contacts, int run, int first, int count) {
    rlti_edge_chunk *chunk = rlti_edge_chunk_of(contacts, run);
    if (contacts->ranks != NULL)
        return rlti_edge_seconds(contacts->shared, first, count, &contacts->second,
                                 &contacts->second_capacity);
    return rlti_edge_seconds(chunk->items, first, count, &chunk->second, &chunk->second_capacity);
}

/* The list that a run's contacts lie in, with memory for `more` at its end; NULL when out of memory. Sets
 * *count to that of the list. */
static rlti_edge_contact *reserve(rlti_edge_contacts *contacts, int run, int more, int **count) {
    rlti_edge_chunk *chunk = rlti_edge_chunk_of(contacts, run);
    *count = contacts->ranks != NULL ? &contacts->shared_count : &chunk->count;
    if (contacts->ranks != NULL)
        return RLTI_LIST_RESERVE(contacts->shared, contacts->shared_count, more, contacts->shared_capacity)
                   ? contacts->shared
                   : NULL;
    return RLTI_LIST_RESERVE(chunk->items, chunk->count, more, chunk->capacity) ? chunk->items : NULL;
}

/* The contacts of a run and so many kept passages in one list, pair by pair, at the end of that which the
 * run's are in. Returns 0 when out of memory. */
static int merge(rlti_edge_contacts *contacts, int run, const rlti_edge_kept *kept, int kept_count) {
    rlti_edge_found *found = &contacts->run_found[run];
    int *all = NULL;
    rlti_edge_contact *list = reserve(contacts, run, found->count + kept_count, &all);
    if (list == NULL)
        return 0;
    const rlti_edge_contact *items = list + found->first;
    rlti_edge_contact *merged = list + *all;
    int count = 0, k = 0, i = 0;
    while (i < found->count || k < kept_count) {
        const rlti_edge_contact *pair = i < found->count ? &items[i] : &kept[k].contact;
        if (k < kept_count && compare_pairs(&kept[k].contact, pair) < 0)
            pair = &kept[k].contact;
        int first = count, from = i;
        while (i < found->count && compare_pairs(&items[i], pair) == 0)
            merged[count++] = items[i++];
        for (; k < kept_count && compare_pairs(&kept[k].contact, pair) == 0; k++)
            if (!is_renewed(contacts, &kept[k].contact, items + from, i - from))
                count = first + put_kept(contacts, &kept[k], merged + first, count - first);
    }
    *found = (rlti_edge_found){.first = *all, .count = count};
    for (int c = 0; c < count; c++)
        found->passages += merged[c].passage;
    *all += count;
    return list_seconds(contacts, run, found->first, *all);
}

/* Keeps the passages of a run. */
static int keep_passages(rlti_edge_contacts *contacts, int run) {
    const rlti_edge_found *found = &contacts->run_found[run];
    for (int i = 0; i < found->count; i++) {
        const rlti_edge_contact *c = &rlti_edge_run_items(contacts, run)[i];
        if (!c->passage)
            continue;
        if (!RLTI_LIST_RESERVE(contacts->kept, contacts->kept_count, 1, contacts->kept_capacity))
            return 0;
        double level = is_body(contacts, c) ? place_of(contacts, c, 0) - c->gap - c->radius : 0.0;
        contacts->kept[contacts->kept_count++] = (rlti_edge_kept){*c, level};
    }
    return 1;
}

int rlti_edge_contacts_keep(rlti_edge_contacts *contacts) {
    int done = 1;
    for (int k = 0, end = 0; k < contacts->kept_count && done; k = end) {
        int run = run_of(contacts, &contacts->kept[k]);
        while (end < contacts->kept_count && run_of(contacts, &contacts->kept[end]) == run)
            end++;
        done = merge(contacts, run, contacts->kept + k, end - k);
    }
    contacts->kept_count = 0;
    for (int run = 0; run < contacts->run_count && done; run++)
        if (contacts->run_found[run].passages > 0)
            done = keep_passages(contacts, run);
    return done;
}

const rlti_edge_contact *rlti_edge_contacts_passage(const rlti_edge_contacts *contacts, int index) {
    return index < contacts->kept_count ? &contacts->kept[index].contact : NULL;
}
