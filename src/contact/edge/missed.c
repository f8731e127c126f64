#include "contact/edge/missed.h"

#include "base/random.h"
#include "contact/edge/contacts_data.h"

enum { PARTS = 64, BLOCKS = 256, BATCH = 128 };

/* ---- one pair ---- */

static double volume(const rlti_vec3 x[4]) {
    return rlti_dot(rlti_sub(x[1], x[0]), rlti_cross(rlti_sub(x[2], x[0]), rlti_sub(x[3], x[0])));
}

static void place(const rlti_moving points[4], double time, rlti_vec3 x[4]) {
    for (int k = 0; k < 4; k++)
        x[k] = rlti_moving_at(points[k], time);
}

/* Four points in one plane: whether the ends of each edge are on different sides of the other. */
static int edges_cross(const rlti_vec3 x[4]) {
    rlti_vec3 u = rlti_sub(x[1], x[0]), v = rlti_sub(x[3], x[2]), n = rlti_cross(u, v);
    rlti_vec3 beside_u = rlti_cross(n, u), beside_v = rlti_cross(n, v);
    double a = rlti_dot(beside_u, rlti_sub(x[2], x[0])), b = rlti_dot(beside_u, rlti_sub(x[3], x[0]));
    double c = rlti_dot(beside_v, rlti_sub(x[0], x[2])), d = rlti_dot(beside_v, rlti_sub(x[1], x[2]));
    return a * b < 0.0 && c * d < 0.0;
}

/* Whether the point, in the triangle's plane, is within it. */
static int face_holds(const rlti_vec3 x[4]) {
    rlti_vec3 n = rlti_cross(rlti_sub(x[2], x[1]), rlti_sub(x[3], x[1]));
    int left = 0;
    for (int k = 1; k < 4; k++) {
        rlti_vec3 side = rlti_sub(x[k % 3 + 1], x[k]);
        left += rlti_dot(rlti_cross(n, side), rlti_sub(x[0], x[k])) > 0.0;
    }
    return left == 3;
}

/* An odd number of passages in the step; `last` is the time of the last one. */
static int passes_at(const rlti_moving points[4], int face, double *last) {
    int odd = 0;
    rlti_vec3 x[4];
    place(points, 0.0, x);
    double before = volume(x);
    for (int i = 1; i <= PARTS; i++) {
        double from = (double)(i - 1) / PARTS, to = (double)i / PARTS;
        place(points, to, x);
        double after = volume(x), low = before;
        for (int halving = 0; (before < 0.0) != (after < 0.0) && halving < 30; halving++) {
            double middle = 0.5 * (from + to);
            place(points, middle, x);
            double value = volume(x);
            if ((value < 0.0) == (low < 0.0))
                from = middle;
            else
                to = middle;
        }
        if ((before < 0.0) != (after < 0.0)) {
            place(points, 0.5 * (from + to), x);
            int passes = face ? face_holds(x) : edges_cross(x);
            odd ^= passes;
            *last = passes ? 0.5 * (from + to) : *last;
        }
        before = after;
    }
    return odd;
}

static int passes(const rlti_moving points[4], int face) {
    double last = 0.0;
    return passes_at(points, face, &last);
}

/* ---- boxes: all that a motion covers, seen from something that moves by `shift` ---- */

typedef struct cover {
    rlti_vec3 shift;
    double low[3], high[3];
} cover;

/* The range of one coordinate. */
static void range_of(const rlti_moving *points, int count, const cover *c, int axis, double *low,
                     double *high) {
    const double shift[3] = {c->shift.x, c->shift.y, c->shift.z};
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (int i = 0; i < count; i++) {
        const double from[3] = {points[i].from.x, points[i].from.y, points[i].from.z},
                     to[3] = {points[i].to.x, points[i].to.y, points[i].to.z};
        double end = to[axis] - shift[axis], least = from[axis] < end ? from[axis] : end,
               most = from[axis] < end ? end : from[axis];
        *low = least < *low ? least : *low;
        *high = most > *high ? most : *high;
    }
}

static cover cover_of(const rlti_moving *points, int count, rlti_vec3 shift) {
    cover c = {.shift = shift};
    for (int k = 0; k < 3; k++)
        range_of(points, count, &c, k, &c.low[k], &c.high[k]);
    return c;
}

static int is_apart(const cover *c, const rlti_moving *points, int count) {
    for (int k = 0; k < 3; k++) {
        double low, high;
        range_of(points, count, c, k, &low, &high);
        if (c->low[k] > high || low > c->high[k])
            return 1;
    }
    return 0;
}

/* ---- the list ---- */

/* -1, 0, 1: a contact stands before, at or after a pair; of a body any triangle will do. */
static int compare(const rlti_edge_contact *contact, const int key[4], int parts) {
    const int own[4] = {contact->strand[0], contact->edge[0], contact->strand[1], contact->edge[1]};
    for (int k = 0; k < parts; k++)
        if (own[k] != key[k])
            return own[k] < key[k] ? -1 : 1;
    return 0;
}

static int is_listed(const rlti_edge_contacts *contacts, const int key[4], int parts) {
    const int *first = contacts->strands.first;
    if (contacts->count == 0 || key[1] < 0 || key[1] >= first[key[0] + 1] - first[key[0]] - 1)
        return 0;
    rlti_edge_part part =
        rlti_edge_contacts_part(contacts, contacts->first_run[key[0]] + key[1] / RLTI_SWEEP_WIDTH);
    int low = 0, high = part.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (compare(&part.items[middle], key, parts) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < part.count && compare(&part.items[low], key, parts) == 0;
}

/* A passage near the end of an edge may be listed with the next one. */
static int has_contact(const rlti_edge_contacts *contacts, const rlti_strand_edge *a, int strand, int edge) {
    int body = strand >= contacts->strands.strand_count;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            int key[4] = {a->strand, a->edge + i, strand, edge + j};
            int swapped[4] = {strand, edge + j, a->strand, a->edge + i};
            if (is_listed(contacts, key, body ? 3 : 4) || (!body && is_listed(contacts, swapped, 4)))
                return 1;
        }
    return 0;
}

/* ---- all ---- */

typedef struct check {
    const rlti_edge_contacts *contacts;
    const rlti_vec3 *start, *end;
    int all; /* every edge is checked: each pair once */
    rlti_missed result;
} check;

static void edge_points(const check *c, int point, rlti_moving points[2]) {
    for (int k = 0; k < 2; k++)
        points[k] = (rlti_moving){c->start[point + k], c->end[point + k]};
}

static void count_pair(check *c, const rlti_strand_edge *a, int strand, int edge) {
    int body = strand >= c->contacts->strands.strand_count,
        missed = !has_contact(c->contacts, a, strand, edge);
    c->result.passed++;
    c->result.missed += missed;
    c->result.bodies_passed += body;
    c->result.bodies_missed += body && missed;
}

/* An edge that is checked, and what its motion covers. */
typedef struct checked {
    rlti_strand_edge edge;
    rlti_moving own[2];
    cover around;
} checked;

static checked make_checked(const check *c, rlti_strand_edge edge) {
    checked made = {.edge = edge};
    edge_points(c, edge.point, made.own);
    made.around = cover_of(made.own, 2, rlti_sub(made.own[0].to, made.own[0].from));
    return made;
}

/* One edge with all edges of a strand. */
static void check_strand(check *c, const checked *one, int strand) {
    const int *first = c->contacts->strands.first;
    const rlti_strand_edge *a = &one->edge;
    int from = c->all && strand == a->strand ? a->edge + 1 : 0;
    for (int edge = from; edge < first[strand + 1] - first[strand] - 1; edge++) {
        rlti_moving points[4] = {one->own[0], one->own[1]};
        edge_points(c, first[strand] + edge, points + 2);
        if (is_apart(&one->around, points + 2, 2))
            continue;
        int lower = edge < a->edge ? edge : a->edge, upper = edge < a->edge ? a->edge : edge;
        if (strand == a->strand &&
            (!c->contacts->strands.self || rlti_edge_contacts_neighbours(c->contacts, strand, lower, upper)))
            continue;
        if (passes(points, 0))
            count_pair(c, a, strand, edge);
    }
}

/* Whether the point ends behind the triangle: out of a solid it may come. */
static int ends_behind(const rlti_moving points[4]) {
    rlti_vec3 x[4];
    place(points, 1.0, x);
    rlti_vec3 normal = rlti_cross(rlti_sub(x[2], x[1]), rlti_sub(x[3], x[1]));
    return rlti_dot(normal, rlti_sub(x[0], x[1])) < 0.0;
}

/* An edge's second point through a triangle. */
static int point_passes(const rlti_edge_mesh *mesh, const rlti_moving own[2], const rlti_moving corners[3]) {
    rlti_moving points[4] = {own[1], corners[0], corners[1], corners[2]};
    return passes(points, 1) && (mesh->sheet || ends_behind(points));
}

/* The edge through a side of a triangle, inward. Of the volume's sign: it is positive where the edge is on
 * that side of the other that the cross product of both points to. */
static int side_passes(const rlti_edge_mesh *mesh, const rlti_moving own[2], int triangle, int side) {
    const rlti_surface *surface = mesh->surface;
    const int faces[2] = {triangle, surface->adjacent[triangle][side]}, *v = surface->triangles[triangle];
    rlti_moving points[4] = {own[0], own[1], mesh->vertices[v[side]], mesh->vertices[v[(side + 1) % 3]]};
    double time = 0.0;
    if (!passes_at(points, 0, &time))
        return 0;
    rlti_vec3 x[4], out = rlti_v3(0, 0, 0), end[4];
    place(points, time, x);
    place(points, 1.0, end);
    for (int f = 0; f < 2 && faces[f] >= 0; f++) {
        rlti_vec3 corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = rlti_moving_at(mesh->vertices[surface->triangles[faces[f]][k]], time);
        rlti_vec3 n = rlti_cross(rlti_sub(corner[1], corner[0]), rlti_sub(corner[2], corner[0]));
        out = rlti_add(out, rlti_normalize(n));
    }
    double facing = rlti_dot(out, rlti_cross(rlti_sub(x[1], x[0]), rlti_sub(x[3], x[2])));
    return mesh->sheet || (facing < 0.0) != (volume(end) < 0.0);
}

/* Whether hair has a distance to keep there: what grows out of a body may be in it. */
static int is_kept_out(const check *c, const rlti_strand_edge *a, int body, int between) {
    double share = between ? 0.5 : 1.0;
    return rlti_edge_body_radius(c->contacts, a, body, share, between) > c->contacts->strands.offset;
}

/* A box around many points, at both ends of the step: most are far away. */
typedef struct block {
    cover from, to;
} block;

/* Of successive triangles. */
typedef struct blocks {
    int size; /* triangles of one */
    block list[BLOCKS];
} blocks;

static block empty_block(void) {
    const cover none = {.low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, .high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    return (block){none, none};
}

static void include(cover *c, rlti_vec3 point) {
    const double at[3] = {point.x, point.y, point.z};
    for (int k = 0; k < 3; k++) {
        c->low[k] = at[k] < c->low[k] ? at[k] : c->low[k];
        c->high[k] = at[k] > c->high[k] ? at[k] : c->high[k];
    }
}

static void fill_blocks(const rlti_edge_mesh *mesh, blocks *b) {
    b->size = (mesh->item_count + BLOCKS - 1) / BLOCKS;
    for (int i = 0; i < BLOCKS; i++)
        b->list[i] = empty_block();
    for (int t = 0; t < mesh->item_count && mesh->shape == NULL; t++)
        for (int k = 0; k < 3; k++) {
            const rlti_moving *vertex = &mesh->vertices[mesh->surface->triangles[t][k]];
            include(&b->list[t / b->size].from, vertex->from);
            include(&b->list[t / b->size].to, vertex->to);
        }
}

static int is_block_apart(const block *b, const cover *c) {
    const double shift[3] = {c->shift.x, c->shift.y, c->shift.z};
    for (int k = 0; k < 3; k++)
        if ((b->from.high[k] < c->low[k] && b->to.high[k] - shift[k] < c->low[k]) ||
            (b->from.low[k] > c->high[k] && b->to.low[k] - shift[k] > c->high[k]))
            return 1;
    return 0;
}

/* An edge and its second point with all triangles. */
static void check_body(check *c, const checked *one, const rlti_edge_mesh *mesh, int body,
                       const blocks *near) {
    const rlti_strand_edge *a = &one->edge;
    int strand = c->contacts->strands.strand_count + body, points = is_kept_out(c, a, body, 0),
        sides = a->edge > 0 && is_kept_out(c, a, body, 1);
    for (int t = 0; t < mesh->item_count; t++) {
        if (t % near->size == 0 && is_block_apart(&near->list[t / near->size], &one->around)) {
            t += near->size - 1;
            continue;
        }
        rlti_moving corners[3];
        for (int k = 0; k < 3; k++)
            corners[k] = mesh->vertices[mesh->surface->triangles[t][k]];
        if (is_apart(&one->around, corners, 3))
            continue;
        if (points && point_passes(mesh, one->own, corners))
            count_pair(c, a, strand, t);
        for (int side = 0; side < 3 && sides; side++) {
            int other = mesh->surface->adjacent[t][side];
            if ((other < 0 || t < other) && side_passes(mesh, one->own, t, side))
                count_pair(c, a, strand, t);
        }
    }
}

/* An edge through the axis of a capsule. */
static void check_shape(check *c, const checked *one, const rlti_edge_mesh *mesh, int body) {
    const rlti_strand_edge *a = &one->edge;
    const rlti_moving points[4] = {one->own[0], one->own[1], mesh->vertices[0], mesh->vertices[1]};
    if (a->edge > 0 && is_kept_out(c, a, body, 1) && passes(points, 0))
        count_pair(c, a, c->contacts->strands.strand_count + body, 0);
}

/* An edge with a body. */
static void check_edge(check *c, const checked *one, const rlti_edge_mesh *mesh, int body,
                       const blocks *near) {
    if (!rlti_edge_meets(c->contacts, one->edge.strand, body))
        return;
    if (mesh->shape != NULL)
        check_shape(c, one, mesh, body);
    else
        check_body(c, one, mesh, body, near);
}

static int through_body(const rlti_edge_contacts *contacts, int kept) {
    return contacts->kept[kept].contact.strand[1] >= contacts->strands.strand_count;
}

int rlti_missed_suspects(const rlti_edge_contacts *contacts) {
    for (int k = 0; k < contacts->kept_count; k++)
        if (through_body(contacts, k))
            return 1;
    return 0;
}

/* Edges with a passage through a body, at most as many as are checked; returns how many. */
static int list_suspects(const rlti_edge_contacts *contacts, rlti_strand_edge *suspects) {
    int count = 0;
    for (int k = 0; k < contacts->kept_count && count < RLTI_PASSED_MOST; k++) {
        const rlti_edge_contact *kept = &contacts->kept[k].contact;
        const rlti_strand_edge *last = &suspects[count > 0 ? count - 1 : 0];
        if (!through_body(contacts, k) ||
            (count > 0 && kept->strand[0] == last->strand && kept->edge[0] == last->edge))
            continue;
        suspects[count++] = (rlti_strand_edge){kept->strand[0], kept->edge[0],
                                               contacts->strands.first[kept->strand[0]] + kept->edge[0], 0};
    }
    return count;
}

int rlti_missed_passed(const rlti_edge_contacts *contacts, const rlti_vec3 *start, const rlti_vec3 *end,
                       const rlti_edge_mesh *const *bodies, int body_count) {
    check c = {.contacts = contacts, .start = start, .end = end};
    rlti_strand_edge suspects[RLTI_PASSED_MOST];
    unsigned char has_passed[RLTI_PASSED_MOST] = {0};
    blocks near;
    int passed = 0, count = list_suspects(contacts, suspects);
    for (int b = 0; b < body_count && count > 0; b++) {
        fill_blocks(bodies[b], &near);
        for (int k = 0; k < count; k++) {
            long long before = c.result.passed;
            checked one = make_checked(&c, suspects[k]);
            check_edge(&c, &one, bodies[b], b, &near);
            has_passed[k] |= c.result.passed > before;
        }
    }
    for (int k = 0; k < count; k++)
        passed += has_passed[k];
    return passed;
}

/* Which edges are checked, by the points that they begin at. */
typedef struct sample {
    uint64_t seed;
    double share;
} sample;

static int is_sampled(const sample *s, int point) {
    return s->share >= 1.0 || rlti_random(s->seed, (uint64_t)point, 0) < s->share;
}

/* Edges that are checked together, so that boxes of strands and bodies are made once for all of them. */
typedef struct batch {
    int count;
    checked list[BATCH];
} batch;

static block strand_block(const check *c, int strand) {
    block made = empty_block();
    for (int p = c->contacts->strands.first[strand]; p < c->contacts->strands.first[strand + 1]; p++) {
        include(&made.from, c->start[p]);
        include(&made.to, c->end[p]);
    }
    return made;
}

/* A batch with all strands and bodies; it is empty then. */
static void check_batch(check *c, const rlti_edge_mesh *const *bodies, int body_count, batch *some) {
    for (int s = 0; s < c->contacts->strands.strand_count && some->count > 0; s++) {
        block all = strand_block(c, s);
        for (int k = 0; k < some->count; k++)
            if (!(c->all && s < some->list[k].edge.strand) && !is_block_apart(&all, &some->list[k].around))
                check_strand(c, &some->list[k], s);
    }
    for (int b = 0; b < body_count && some->count > 0; b++) {
        blocks near;
        fill_blocks(bodies[b], &near);
        for (int k = 0; k < some->count; k++)
            check_edge(c, &some->list[k], bodies[b], b, &near);
    }
    c->result.edges += some->count;
    some->count = 0;
}

rlti_missed rlti_missed_count(const rlti_edge_contacts *contacts, const rlti_vec3 *start,
                              const rlti_vec3 *end, const rlti_edge_mesh *const *bodies, int body_count,
                              int edges, uint64_t seed) {
    check c = {.contacts = contacts, .start = start, .end = end};
    int strands = contacts->strands.strand_count;
    const int *first = contacts->strands.first;
    const sample chosen = {seed, (double)edges / fmax(1.0, (double)(first[strands] - strands))};
    batch some;
    some.count = 0; /* the rest is not cleared: it is large */
    c.all = chosen.share >= 1.0;
    for (int s = 0; s < strands; s++)
        for (int edge = 0; edge < first[s + 1] - first[s] - 1; edge++) {
            if (!is_sampled(&chosen, first[s] + edge))
                continue;
            if (some.count == BATCH)
                check_batch(&c, bodies, body_count, &some);
            some.list[some.count++] = make_checked(&c, (rlti_strand_edge){s, edge, first[s] + edge, 0});
        }
    check_batch(&c, bodies, body_count, &some);
    return c.result;
}
