#include "contact/edge/missed.h"

#include "base/random.h"
#include "contact/edge/contacts_data.h"

enum { PARTS = 64, BLOCKS = 256, STRETCH = 8, BATCH = 128 };

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
    int low = 0, high = contacts->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (compare(&contacts->items[middle], key, parts) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < contacts->count && compare(&contacts->items[low], key, parts) == 0;
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

/* An edge that is checked against all others. */
typedef struct sampled {
    rlti_strand_edge edge;
    rlti_moving own[2];
    cover around;
} sampled;

/* One edge with some of a strand's. */
static void check_stretch(check *c, const sampled *s, int strand, int from, int to) {
    const rlti_strand_edge *a = &s->edge;
    if (c->all && strand == a->strand && from <= a->edge)
        from = a->edge + 1;
    for (int edge = from; edge < to; edge++) {
        rlti_moving points[4] = {s->own[0], s->own[1]};
        edge_points(c, c->contacts->strands.first[strand] + edge, points + 2);
        if (is_apart(&s->around, points + 2, 2))
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

/* Boxes around blocks of successive triangles, at both ends of the step: most are far away. */
typedef struct blocks {
    int size; /* triangles of one */
    cover from[BLOCKS], to[BLOCKS];
} blocks;

static void include(cover *c, rlti_vec3 point) {
    const double at[3] = {point.x, point.y, point.z};
    for (int k = 0; k < 3; k++) {
        c->low[k] = at[k] < c->low[k] ? at[k] : c->low[k];
        c->high[k] = at[k] > c->high[k] ? at[k] : c->high[k];
    }
}

static cover cover_nothing(void) {
    return (cover){.low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, .high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}

static void fill_blocks(const rlti_edge_mesh *mesh, blocks *b) {
    b->size = (mesh->item_count + BLOCKS - 1) / BLOCKS;
    for (int i = 0; i < BLOCKS; i++)
        b->from[i] = b->to[i] = cover_nothing();
    for (int t = 0; t < mesh->item_count && mesh->shape == NULL; t++)
        for (int k = 0; k < 3; k++) {
            const rlti_moving *vertex = &mesh->vertices[mesh->surface->triangles[t][k]];
            include(&b->from[t / b->size], vertex->from);
            include(&b->to[t / b->size], vertex->to);
        }
}

/* Whether what begins within one box and ends within another stays beside what is covered. */
static int are_apart(const cover *from, const cover *to, const cover *c) {
    const double shift[3] = {c->shift.x, c->shift.y, c->shift.z};
    for (int k = 0; k < 3; k++)
        if ((from->high[k] < c->low[k] && to->high[k] - shift[k] < c->low[k]) ||
            (from->low[k] > c->high[k] && to->low[k] - shift[k] > c->high[k]))
            return 1;
    return 0;
}

/* Some edges with all strands, by stretches: most are far away. */
static void check_strands(check *c, const sampled *samples, int count) {
    const int *first = c->contacts->strands.first;
    for (int s = 0; s < c->contacts->strands.strand_count; s++)
        for (int edge = 0, end; edge < first[s + 1] - first[s] - 1; edge = end) {
            int edges = first[s + 1] - first[s] - 1;
            end = edge + STRETCH < edges ? edge + STRETCH : edges;
            cover from = cover_nothing(), to = cover_nothing();
            for (int p = first[s] + edge; p <= first[s] + end; p++) {
                include(&from, c->start[p]);
                include(&to, c->end[p]);
            }
            for (int k = 0; k < count; k++)
                if (!(c->all && s < samples[k].edge.strand) && !are_apart(&from, &to, &samples[k].around))
                    check_stretch(c, &samples[k], s, edge, end);
        }
}

/* An edge and its second point with all triangles. */
static void check_body(check *c, const rlti_strand_edge *a, const rlti_moving own[2], const cover *around,
                       const rlti_edge_mesh *mesh, int body, const blocks *near) {
    int strand = c->contacts->strands.strand_count + body, points = is_kept_out(c, a, body, 0),
        sides = a->edge > 0 && is_kept_out(c, a, body, 1);
    for (int t = 0; t < mesh->item_count; t++) {
        if (t % near->size == 0 &&
            are_apart(&near->from[t / near->size], &near->to[t / near->size], around)) {
            t += near->size - 1;
            continue;
        }
        rlti_moving corners[3];
        for (int k = 0; k < 3; k++)
            corners[k] = mesh->vertices[mesh->surface->triangles[t][k]];
        if (is_apart(around, corners, 3))
            continue;
        if (points && point_passes(mesh, own, corners))
            count_pair(c, a, strand, t);
        for (int side = 0; side < 3 && sides; side++) {
            int other = mesh->surface->adjacent[t][side];
            if ((other < 0 || t < other) && side_passes(mesh, own, t, side))
                count_pair(c, a, strand, t);
        }
    }
}

/* An edge through the axis of a capsule. */
static void check_shape(check *c, const rlti_strand_edge *a, const rlti_moving own[2],
                        const rlti_edge_mesh *mesh, int body) {
    const rlti_moving points[4] = {own[0], own[1], mesh->vertices[0], mesh->vertices[1]};
    if (a->edge > 0 && is_kept_out(c, a, body, 1) && passes(points, 0))
        count_pair(c, a, c->contacts->strands.strand_count + body, 0);
}

/* An edge with a body. */
static void check_edge(check *c, const rlti_strand_edge *a, const rlti_edge_mesh *mesh, int body,
                       const blocks *near) {
    rlti_moving own[2];
    if (!rlti_edge_meets(c->contacts, a->strand, body))
        return;
    edge_points(c, a->point, own);
    cover around = cover_of(own, 2, rlti_sub(own[0].to, own[0].from));
    if (mesh->shape != NULL)
        check_shape(c, a, own, mesh, body);
    else
        check_body(c, a, own, &around, mesh, body, near);
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
            check_edge(&c, &suspects[k], bodies[b], b, &near);
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

/* Edges as they are chosen: with each of the bodies at once, with strands by batches. */
static void check_sampled(check *c, const sample *some, const rlti_edge_mesh *const *bodies, int body,
                          const blocks *near) {
    const int *first = c->contacts->strands.first;
    sampled batch[BATCH];
    int count = 0;
    for (int s = 0; s < c->contacts->strands.strand_count; s++)
        for (int edge = 0; edge < first[s + 1] - first[s] - 1; edge++) {
            rlti_strand_edge a = {s, edge, first[s] + edge, 0};
            if (!is_sampled(some, a.point))
                continue;
            if (body >= 0) {
                check_edge(c, &a, bodies[body], body, near);
                continue;
            }
            c->result.edges++;
            batch[count].edge = a;
            edge_points(c, a.point, batch[count].own);
            rlti_moving *own = batch[count].own;
            batch[count++].around = cover_of(own, 2, rlti_sub(own[0].to, own[0].from));
            if (count == BATCH) {
                check_strands(c, batch, count);
                count = 0;
            }
        }
    if (count > 0)
        check_strands(c, batch, count);
}

rlti_missed rlti_missed_count(const rlti_edge_contacts *contacts, const rlti_vec3 *start,
                              const rlti_vec3 *end, const rlti_edge_mesh *const *bodies, int body_count,
                              int edges, uint64_t seed) {
    check c = {.contacts = contacts, .start = start, .end = end};
    int strands = contacts->strands.strand_count;
    const int *first = contacts->strands.first;
    const sample some = {seed, (double)edges / fmax(1.0, (double)(first[strands] - strands))};
    blocks near;
    c.all = some.share >= 1.0;
    for (int b = -1; b < body_count; b++) { /* strands, then each body */
        if (b >= 0)
            fill_blocks(bodies[b], &near);
        check_sampled(&c, &some, bodies, b, &near);
    }
    return c.result;
}
