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

/* A contact of two edges as it is without a passage, at these places; `along` is the distance along the
 * normal, and `radius` that of the pair. */
static rlti_edge_contact contact_of(const rlti_edge_contacts *contacts, const rlti_strand_edge *a,
                                    const rlti_strand_edge *b, const double share[2], rlti_vec3 normal,
                                    double along, double radius) {
    const double(*friction)[2] = contacts->strands.friction;
    rlti_edge_contact contact = {.strand = {a->strand, b->strand},
                                 .edge = {a->edge, b->edge},
                                 .share = {share[0], share[1]},
                                 .normal = normal,
                                 .gap = along - radius,
                                 .radius = radius,
                                 .time = 1.0};
    for (int k = 0; k < 2; k++)
        contact.friction[k] = 0.5 * (friction[a->strand][k] + friction[b->strand][k]);
    return contact;
}

static rlti_edge_contact contact_at(pair *p, const double share[2], rlti_vec3 normal, double along) {
    return contact_of(p->contacts, p->a, p->b, share, normal, along, radius_of(p, share));
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

static void fill_pack(const rlti_edge_contacts *contacts, const rlti_edge_waiting *waiting,
                      rlti_edge_pack *pack) {
    const rlti_edge_strands *strands = &contacts->strands;
    pack->end = contacts->end;
    pack->rest = strands->keep ? strands->rest : NULL;
    pack->radius = strands->radius;
    pack->offset = strands->offset;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < RLTI_EDGE_PACK; k++) {
            const rlti_strand_edge *edge = &waiting->edge[side][k < waiting->count ? k : 0];
            pack->point[side][k] = edge->point;
            pack->follows[side][k] = edge->last ? 0.0 : 1.0;
        }
}

/* One part of the k-th pair. */
static rlti_edge_contact found_at(const rlti_edge_contacts *contacts, const rlti_edge_waiting *waiting,
                                  const rlti_edge_proximities *found, int part, int k) {
    const double share[2] = {found->share[part][0][k], found->share[part][1][k]};
    rlti_vec3 normal =
        rlti_v3(found->normal[part][0][k], found->normal[part][1][k], found->normal[part][2][k]);
    return contact_of(contacts, &waiting->edge[0][k], &waiting->edge[1][k], share, normal,
                      found->along[part][k], found->radius[part][k]);
}

int rlti_edge_pairs_meet(const rlti_edge_contacts *contacts, rlti_edge_waiting *waiting,
                         rlti_edge_chunk *chunk) {
    rlti_edge_proximities found;
    rlti_edge_pack pack;
    int count = waiting->count;
    if (count == 0)
        return 1;
    if (!RLTI_LIST_RESERVE(chunk->items, chunk->count, 2 * count, chunk->capacity))
        return 0;
    fill_pack(contacts, waiting, &pack);
    waiting->count = 0;
    contacts->kernel->meet(&pack, &found);
    for (int k = 0; k < count; k++) {
        rlti_edge_contact *to = chunk->items + chunk->count;
        int parts = 0;
        if (found.odd >> k & 1u)
            parts = rlti_edge_pair(contacts, &waiting->edge[0][k], &waiting->edge[1][k], 0, to);
        else
            for (int part = 0; part < 2; part++)
                if (found.near[part] >> k & 1u) {
                    to[parts] = found_at(contacts, waiting, &found, part, k);
                    to[parts].part = parts;
                    parts++;
                }
        chunk->count += parts;
    }
    return 1;
}
