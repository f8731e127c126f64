/* Two edges of strands. */
#include "base/list.h"
#include "contact/edge/contacts_data.h"

/* Both edges: two points each in all arrays. */
typedef struct pair {
    const rlti_edge_contacts *contacts;
    const rlti_strand_edge *a, *b;
    const rlti_vec3 *end[2]; /* of a and b, at the end of the step */
    double rest;             /* distance in the groom, negative: not known yet */
} pair;

/* The motion of points a0, a1, b0, b1. */
static void motion_of(const pair *p, rlti_moving points[4]) {
    for (int k = 0; k < 4; k++) {
        int point = (k < 2 ? p->a->point : p->b->point) + (k & 1);
        points[k] = (rlti_moving){p->contacts->start[point], p->contacts->end[point]};
    }
}

/* From b to a between two places that move with the hair. */
static rlti_vec3 apart(const pair *p, const double share[2]) {
    return rlti_sub(rlti_between(p->end[0][0], p->end[0][1], share[0]),
                    rlti_between(p->end[1][0], p->end[1][1], share[1]));
}

/* The same at the start of the step. */
static rlti_vec3 apart_before(const pair *p, const double share[2]) {
    const rlti_vec3 *a = p->contacts->start + p->a->point, *b = p->contacts->start + p->b->point;
    return rlti_sub(rlti_between(a[0], a[1], share[0]), rlti_between(b[0], b[1], share[1]));
}

/* No point of a gets nearer to one of b in the step than by this: what they do in common does not count. */
static double reach_of(const rlti_moving points[4]) {
    double square = 0.0;
    for (int k = 0; k < 4; k++) {
        const rlti_moving *a = &points[k & 1], *b = &points[2 + (k >> 1)];
        rlti_vec3 v = rlti_sub(rlti_sub(a->to, a->from), rlti_sub(b->to, b->from));
        square = fmax(square, rlti_dot(v, v));
    }
    return sqrt(square);
}

/* The sum of both radii. */
static double radii_of(const pair *p, const double share[2]) {
    const double *radius = p->contacts->strands.radius;
    return rlti_edge_radius(radius, p->a, share[0]) + rlti_edge_radius(radius, p->b, share[1]);
}

/* The distance in the groom. */
static double rest_of(const pair *p) {
    const rlti_vec3 *rest = p->contacts->strands.rest;
    double unused[2];
    return rlti_nearest_edges(rest + p->a->point, rest + p->b->point, unused);
}

/* The radius of the pair: with `keep` no more than its distance in the groom. */
static double radius_of(pair *p, const double share[2]) {
    const rlti_edge_strands *strands = &p->contacts->strands;
    double radius = radii_of(p, share);
    if (!strands->keep)
        return radius;
    p->rest = p->rest < 0.0 ? rest_of(p) : p->rest;
    return fmin(radius, p->rest);
}

/* Where a contact of two edges is, and how large: `along` is the distance along the normal, and `radius` that
 * of the pair. */
typedef struct touch {
    double share[2];
    rlti_vec3 normal;
    double along, radius;
} touch;

/* A contact of two edges as it is without a passage. */
static inline void put_contact(const rlti_edge_contacts *contacts, const rlti_strand_edge *a,
                               const rlti_strand_edge *b, const touch *t, int part, rlti_edge_contact *to) {
    const double(*friction)[2] = contacts->strands.friction;
    to->strand[0] = a->strand;
    to->strand[1] = b->strand;
    to->edge[0] = a->edge;
    to->edge[1] = b->edge;
    to->part = part;
    to->passage = 0;
    to->normal = t->normal;
    to->gap = t->along - t->radius;
    to->radius = t->radius;
    for (int k = 0; k < 2; k++) {
        to->share[k] = t->share[k];
        to->friction[k] = 0.5 * (friction[a->strand][k] + friction[b->strand][k]);
    }
    to->time = 1.0;
    to->moved = rlti_v3(0, 0, 0);
}

static rlti_edge_contact contact_at(pair *p, const double share[2], rlti_vec3 normal, double along) {
    const touch t = {{share[0], share[1]}, normal, along, radius_of(p, share)};
    rlti_edge_contact contact;
    put_contact(p->contacts, p->a, p->b, &t, 0, &contact);
    return contact;
}

/* A unit vector along `wish` across `axis`, or any across it where there is none. */
static rlti_vec3 across(rlti_vec3 wish, rlti_vec3 axis) {
    rlti_vec3 unit = rlti_normalize(axis), rest = rlti_madd(wish, -rlti_dot(wish, unit), unit);
    double least = 1e-12 * rlti_length(wish);
    return rlti_length(rest) > least ? rlti_normalize(rest) : rlti_perpendicular(unit);
}

/* ---- passages ---- */

/* Across both edges where they meet, to the side where they came from. Edges that start in contact have
 * none: they may leave to the side where they go. */
static rlti_vec3 passage_normal(const pair *p, const rlti_moving points[4], const rlti_passing *passing,
                                const double share[2]) {
    rlti_vec3 x[4], before = apart_before(p, share), after = apart(p, share);
    for (int k = 0; k < 4; k++)
        x[k] = rlti_moving_at(points[k], passing->time);
    rlti_vec3 u = rlti_sub(x[1], x[0]), v = rlti_sub(x[3], x[2]), n = rlti_cross(u, v);
    rlti_vec3 back = rlti_sub(before, after);
    if (rlti_dot(n, n) <= 1e-12 * rlti_dot(u, u) * rlti_dot(v, v))
        return across(back, rlti_dot(u, u) > rlti_dot(v, v) ? u : v);
    n = rlti_normalize(n);
    double from = rlti_dot(n, before), none = 2e-6 * sqrt(fmax(rlti_dot(u, u), rlti_dot(v, v)));
    double side = fabs(from) > none ? from : rlti_dot(n, after);
    return side < 0.0 ? rlti_scale(-1.0, n) : n;
}

/* Not where they are further apart than they have moved. */
static int find_passage(pair *p, rlti_edge_contact *found) {
    rlti_passing passing;
    rlti_moving points[4];
    double share[2];
    motion_of(p, points);
    if (!(rlti_nearest_edges(p->end[0], p->end[1], share) <= reach_of(points) * (1.0 + 1e-9)) ||
        !rlti_passing_edges(points, &passing))
        return 0;
    share[0] = passing.weights[1];
    share[1] = passing.weights[3];
    rlti_vec3 normal = passage_normal(p, points, &passing, share);
    *found = contact_at(p, share, normal, rlti_dot(normal, apart(p, share)));
    found->passage = 1;
    found->time = passing.time;
    return 1;
}

/* ---- proximities ---- */

/* The end of an edge is also the start of the next one, whose nearest point is as near or nearer: it is
 * counted there, unless that pair is left out. */
static int is_counted_next(const pair *p, const double share[2]) {
    int same = p->a->strand == p->b->strand;
    for (int k = 0; k < 2; k++) {
        const rlti_strand_edge *edge = k == 0 ? p->a : p->b;
        if (share[k] < 1.0 || edge->last)
            continue;
        if (!same || !rlti_edge_contacts_neighbours(p->contacts, p->a->strand, p->a->edge + (k == 0),
                                                    p->b->edge + (k == 1)))
            return 1;
    }
    return 0;
}

static int add_proximity(pair *p, const double share[2], int count, rlti_edge_contact *found) {
    rlti_vec3 between = apart(p, share);
    double square = rlti_dot(between, between), offset = p->contacts->strands.offset,
           far = radii_of(p, share) + offset;
    if (!(square < far * far * (1.0 + 1e-9)) || is_counted_next(p, share))
        return count;
    double distance = sqrt(square);
    if (!(distance < radius_of(p, share) + offset))
        return count;
    rlti_vec3 u = rlti_sub(p->end[0][1], p->end[0][0]), normal = rlti_normalize(between);
    if (!(distance > 1e-12 * rlti_length(u)))
        normal = across(apart_before(p, share), u);
    found[count] = contact_at(p, share, normal, rlti_dot(normal, between));
    found[count].part = count;
    return count + 1;
}

/* Both ends of the part in which parallel edges lie side by side; returns 0 where they do not. */
static int ends_of_overlap(const pair *p, double ends[2][2]) {
    const rlti_vec3 x[4] = {p->end[0][0], p->end[0][1], p->end[1][0], p->end[1][1]};
    rlti_vec3 u = rlti_sub(x[1], x[0]), v = rlti_sub(x[3], x[2]), n = rlti_cross(u, v);
    if (!(rlti_dot(n, n) < RLTI_EDGE_PARALLEL * rlti_dot(u, u) * rlti_dot(v, v)))
        return 0;
    double s = rlti_nearest_share(x[2], x[0], x[1]), t = rlti_nearest_share(x[3], x[0], x[1]);
    if (s == t)
        return 0;
    ends[0][0] = fmin(s, t);
    ends[1][0] = fmax(s, t);
    for (int k = 0; k < 2; k++)
        ends[k][1] = rlti_nearest_share(rlti_between(x[0], x[1], ends[k][0]), x[2], x[3]);
    return 1;
}

int rlti_edge_pair(const rlti_edge_contacts *contacts, const rlti_strand_edge *a, const rlti_strand_edge *b,
                   int may_pass, rlti_edge_contact found[2]) {
    pair p = {contacts, a, b, {contacts->end + a->point, contacts->end + b->point}, -1.0};
    double share[2], ends[2][2];
    if (may_pass && find_passage(&p, &found[0]))
        return 1;
    if (ends_of_overlap(&p, ends)) {
        int count = add_proximity(&p, ends[0], 0, found);
        return add_proximity(&p, ends[1], count, found);
    }
    rlti_nearest_edges(p.end[0], p.end[1], share);
    return add_proximity(&p, share, 0, found);
}

/* ---- eight pairs at once ---- */

/* Adds the held contacts of a run's edges before this one. */
static void put_held(rlti_edge_waiting *w, int edge, rlti_edge_chunk *chunk) {
    for (int end = w->held_end[w->now - w->first]; w->held < end && chunk->held[w->held].edge[0] < edge;)
        chunk->items[chunk->count++] = chunk->held[w->held++];
}

/* Contacts of all runs before the one at this place are complete. */
static void go_on(const rlti_edge_contacts *contacts, int place, rlti_edge_waiting *w,
                  rlti_edge_chunk *chunk) {
    for (; w->now < place; w->now++) {
        put_held(w, INT32_MAX, chunk);
        rlti_edge_found *found = &contacts->run_found[contacts->tree.run[w->now]];
        *found = (rlti_edge_found){.first = w->begun, .count = chunk->count - w->begun};
        for (int k = w->begun; k < chunk->count; k++)
            found->passages += chunk->items[k].passage;
        w->begun = chunk->count;
    }
}

/* Adds the contacts of the k-th pair, one by one; returns how many. */
static int meet_single(const rlti_edge_contacts *contacts, const rlti_edge_waiting *w, int k,
                       rlti_edge_contact *to) {
    int count = rlti_edge_pair(contacts, &w->edge[0][k], &w->edge[1][k], (int)(w->pass >> k & 1u), to);
    return contacts->only_passages && count > 0 ? to->passage : count;
}

/* Whether the k-th pair passes; adds the passage. Else its proximities are those of the others. */
static int pair_passes(const rlti_edge_contacts *contacts, const rlti_edge_waiting *w, int k,
                       rlti_edge_contact *to) {
    const rlti_strand_edge *a = &w->edge[0][k], *b = &w->edge[1][k];
    pair p = {contacts, a, b, {contacts->end + a->point, contacts->end + b->point}, -1.0};
    return find_passage(&p, to);
}

static int put_found(const rlti_edge_contacts *contacts, const rlti_edge_waiting *w,
                     const rlti_edge_proximities *f, int k, rlti_edge_contact *to) {
    int count = 0;
    for (int part = 0; part < 2; part++) {
        if (!(f->near[part] >> k & 1u))
            continue;
        const touch t = {{f->share[part][0][k], f->share[part][1][k]},
                         rlti_v3(f->normal[part][0][k], f->normal[part][1][k], f->normal[part][2][k]),
                         f->along[part][k],
                         f->radius[part][k]};
        put_contact(contacts, &w->edge[0][k], &w->edge[1][k], &t, count, to + count);
        count++;
    }
    return count;
}

/* Adds the contacts of all that wait. */
static int meet_waiting(const rlti_edge_contacts *contacts, rlti_edge_waiting *w, rlti_edge_chunk *chunk) {
    rlti_edge_proximities found;
    if (!RLTI_LIST_RESERVE(chunk->items, chunk->count, 2 * w->count + chunk->held_count - w->held,
                           chunk->capacity))
        return 0;
    if (w->count == 0)
        return 1;
    for (int k = w->count; k < RLTI_EDGE_PACK; k++)
        for (int side = 0; side < 2; side++)
            w->pack.point[side][k] = 0;
    contacts->kernel->meet(&w->pack, &found);
    unsigned single = w->single | found.odd, any = single | w->pass | found.near[0] | found.near[1];
    for (int k = 0; k < w->count; k++) {
        if (!(any >> k & 1u))
            continue;
        go_on(contacts, w->place[k], w, chunk);
        put_held(w, w->edge[0][k].edge, chunk);
        rlti_edge_contact *to = chunk->items + chunk->count;
        if (single >> k & 1u)
            chunk->count += meet_single(contacts, w, k, to);
        else if (w->pass >> k & 1u && pair_passes(contacts, w, k, to))
            chunk->count++;
        else
            chunk->count += put_found(contacts, w, &found, k, to);
    }
    w->count = 0;
    w->single = w->pass = w->pack.follows[0] = w->pack.follows[1] = 0;
    return 1;
}

/* One more pair waits: those of one strand, and where only passages count, for one by one. */
static void add_waiting(rlti_edge_waiting *w, int place, const rlti_strand_edge *a, const rlti_strand_edge *b,
                        unsigned pass, unsigned single) {
    int k = w->count++;
    w->place[k] = place;
    w->edge[0][k] = *a;
    w->edge[1][k] = *b;
    w->pack.point[0][k] = a->point;
    w->pack.point[1][k] = b->point;
    w->pack.follows[0] |= (unsigned)!a->last << k;
    w->pack.follows[1] |= (unsigned)!b->last << k;
    w->single |= (single | (unsigned)(a->strand == b->strand)) << k;
    w->pass |= pass << k;
}

void rlti_edge_pairs_begin(const rlti_edge_contacts *contacts, int first, rlti_edge_waiting *waiting) {
    waiting->count = 0;
    waiting->single = waiting->pass = waiting->pack.follows[0] = waiting->pack.follows[1] = 0;
    waiting->pack.end = contacts->rows;
    waiting->pack.rest = contacts->groom;
    waiting->pack.offset = contacts->strands.offset;
    waiting->first = waiting->now = first;
    waiting->begun = waiting->held = 0;
}

int rlti_edge_pairs_meet(const rlti_edge_contacts *contacts, int run, rlti_edge_waiting *w,
                         rlti_edge_chunk *chunk) {
    int place = contacts->tree.place[run];
    w->held_end[place - w->first] = chunk->held_count;
    for (int item = 0, k = 0; k < chunk->other_count; item++) {
        if (k == chunk->other_end[item])
            continue;
        rlti_strand_edge a = rlti_strand_edge_of(contacts, run, item);
        for (; k < chunk->other_end[item]; k++) {
            unsigned pass = (unsigned)chunk->others[k] & 1u, other = (unsigned)chunk->others[k] >> 1;
            if (contacts->only_passages && !pass)
                continue;
            rlti_strand_edge b = rlti_strand_edge_of(contacts, (int)(other / RLTI_SWEEP_WIDTH),
                                                     (int)(other % RLTI_SWEEP_WIDTH));
            add_waiting(w, place, &a, &b, pass, (unsigned)contacts->only_passages);
            if (w->count == RLTI_EDGE_PACK && !meet_waiting(contacts, w, chunk))
                return 0;
        }
    }
    return 1;
}

int rlti_edge_pairs_end(const rlti_edge_contacts *contacts, int end, rlti_edge_waiting *w,
                        rlti_edge_chunk *chunk) {
    if (!meet_waiting(contacts, w, chunk))
        return 0;
    go_on(contacts, end, w, chunk);
    return 1;
}
