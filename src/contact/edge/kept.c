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

/* Whether one of the new passages of its pair, from `first` on, stands for a kept one: the same feature of
 * a body, or near it on both edges. */
static int is_renewed(const rlti_edge_contacts *contacts, const rlti_edge_contact *old, int first, int end) {
    const double near = 0.1; /* of an edge */
    for (int i = first; i < end; i++) {
        const rlti_edge_contact *c = &contacts->items[i];
        if (is_body(contacts, old)
                ? c->part == old->part && (c->passage || rlti_dot(c->normal, old->normal) > 0.0)
                : c->passage && fabs(c->share[0] - old->share[0]) < near &&
                      fabs(c->share[1] - old->share[1]) < near)
            return 1;
    }
    return 0;
}

/* Puts a kept passage into the list, after those of its pair; in the order of parts for a body. */
static void put_kept(rlti_edge_contacts *contacts, const rlti_edge_kept *kept, int first, int *count) {
    rlti_edge_contact now = renew(contacts, kept);
    int place = *count;
    if (!(now.gap == now.gap)) /* a strand that is no number has no contact */
        return;
    if (is_body(contacts, &now))
        for (; place > first && contacts->spare[place - 1].part > now.part; place--)
            contacts->spare[place] = contacts->spare[place - 1];
    else
        now.part = place - first;
    contacts->spare[place] = now;
    ++*count;
}

static void swap_lists(rlti_edge_contacts *contacts, int count) {
    rlti_edge_contact *items = contacts->items;
    int capacity = contacts->capacity;
    contacts->items = contacts->spare;
    contacts->capacity = contacts->spare_capacity;
    contacts->spare = items;
    contacts->spare_capacity = capacity;
    contacts->count = count;
}

/* Both lists in one, pair by pair. */
static int merge(rlti_edge_contacts *contacts) {
    int count = 0, k = 0, i = 0;
    if (!RLTI_LIST_RESERVE(contacts->spare, 0, contacts->count + contacts->kept_count,
                           contacts->spare_capacity))
        return 0;
    while (i < contacts->count || k < contacts->kept_count) {
        const rlti_edge_contact *pair =
            i < contacts->count ? &contacts->items[i] : &contacts->kept[k].contact;
        if (k < contacts->kept_count && compare_pairs(&contacts->kept[k].contact, pair) < 0)
            pair = &contacts->kept[k].contact;
        int first = count, from = i;
        while (i < contacts->count && compare_pairs(&contacts->items[i], pair) == 0)
            contacts->spare[count++] = contacts->items[i++];
        for (; k < contacts->kept_count && compare_pairs(&contacts->kept[k].contact, pair) == 0; k++)
            if (!is_renewed(contacts, &contacts->kept[k].contact, from, i))
                put_kept(contacts, &contacts->kept[k], first, &count);
    }
    swap_lists(contacts, count);
    return 1;
}

/* Keeps the passages among so many contacts of the list. */
static int keep_passages(rlti_edge_contacts *contacts, int first, int count) {
    for (int i = first; i < first + count; i++) {
        const rlti_edge_contact *c = &contacts->items[i];
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
    int done = 1, merged = contacts->kept_count > 0;
    if (merged && !merge(contacts))
        return 0;
    contacts->kept_count = 0;
    if (merged)
        return keep_passages(contacts, 0, contacts->count);
    for (int run = 0; run < contacts->run_count && done; run++)
        if (contacts->run_found[run].passages > 0)
            done = keep_passages(contacts, contacts->run_found[run].place, contacts->run_found[run].count);
    return done;
}

const rlti_edge_contact *rlti_edge_contacts_passage(const rlti_edge_contacts *contacts, int index) {
    return index < contacts->kept_count ? &contacts->kept[index].contact : NULL;
}
