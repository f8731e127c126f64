#include "geometry/subdivide.h"

#include <limits.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/messages.h"
#include "geometry/sides.h"

enum { CORNERS_MAX = 1 << 28 };

/* How the faces of one level hang together. */
typedef struct mesh {
    int points, faces, corners, edges;
    const int *counts, *at;
    int *starts;      /* [faces + 1] first corner of each */
    int *face_of;     /* [corners] */
    int *edge_of;     /* [corners] edge to the next corner */
    int (*ends)[2];   /* [edges] */
    int *edge_faces;  /* [edges] how many */
    int (*beside)[2]; /* [edges] corners whose edges these are: the first two */
    rlti_side *sides; /* [corners] */
} mesh;

static void mesh_free(mesh *m) {
    RLTI_FREE(m->starts, m->face_of, m->edge_of, m->ends, m->edge_faces, m->beside, m->sides);
}

static int next_corner(const mesh *m, int corner) {
    int face = m->face_of[corner];
    return corner + 1 < m->starts[face + 1] ? corner + 1 : m->starts[face];
}

static int mesh_make(mesh *m, int points, int faces, int corners, const int *counts, const int *at) {
    *m = (mesh){.points = points, .faces = faces, .corners = corners, .counts = counts, .at = at};
    if (!RLTI_ALLOCATE(RLTI_ITEMS(m->starts, (size_t)faces + 1), RLTI_ITEMS(m->face_of, corners),
                       RLTI_ITEMS(m->edge_of, corners), RLTI_ITEMS(m->sides, corners),
                       RLTI_ITEMS(m->ends, corners), RLTI_ITEMS(m->edge_faces, corners),
                       RLTI_ITEMS(m->beside, corners)))
        return 0;
    for (int f = 0, c = 0; f < faces; f++) {
        m->starts[f] = c;
        for (int i = 0; i < counts[f]; i++)
            m->face_of[c++] = f;
        m->starts[f + 1] = c;
    }
    for (int c = 0; c < corners; c++) {
        m->sides[c] = rlti_side_of(at[c], at[next_corner(m, c)], c);
    }
    rlti_sides_sort(m->sides, corners);
    for (int i = 0; i < corners; i++) {
        const rlti_side *s = &m->sides[i];
        if (i == 0 || !rlti_side_shares(s, s - 1)) {
            m->ends[m->edges][0] = s->low;
            m->ends[m->edges][1] = s->high;
            m->edges++;
        }
        int e = m->edges - 1;
        if (m->edge_faces[e] < 2)
            m->beside[e][m->edge_faces[e]] = s->side;
        m->edge_faces[e]++;
        m->edge_of[s->side] = e;
    }
    return 1;
}

/* ---- the table ---- */

typedef struct row_maker { /* sums of rows of the level before */
    const int *starts, *sources;
    const double *weights;
    double *sums; /* [cage points] */
    char *is_met; /* [cage points] */
    int *met;     /* [cage points] those with something in this row */
    int met_count;
    int *out_starts, *out_sources; /* the new table */
    double *out_weights;
    size_t used, capacity;
    int rows;
    int failed;
} row_maker;

static void add(row_maker *r, int point, double weight) {
    for (int i = r->starts[point]; i < r->starts[point + 1]; i++) {
        int source = r->sources[i];
        if (!r->is_met[source]) {
            r->is_met[source] = 1;
            r->met[r->met_count++] = source;
        }
        r->sums[source] += weight * r->weights[i];
    }
}

static void finish_row(row_maker *r) {
    size_t more = (size_t)r->met_count, capacity = r->capacity;
    r->failed = r->failed || more > INT_MAX - r->used ||
                !RLTI_LIST_RESERVE(r->out_sources, r->used, more, capacity) ||
                !RLTI_LIST_RESERVE(r->out_weights, r->used, more, r->capacity);
    qsort(r->met, (size_t)r->met_count, sizeof *r->met, rlti_compare_ints);
    for (int i = 0; i < r->met_count; i++) {
        int source = r->met[i];
        if (!r->failed) {
            r->out_sources[r->used] = source;
            r->out_weights[r->used++] = r->sums[source];
        }
        r->sums[source] = 0.0;
        r->is_met[source] = 0;
    }
    r->met_count = 0;
    r->out_starts[++r->rows] = (int)r->used;
}

static void add_face(row_maker *r, const mesh *m, int face, double weight) {
    for (int c = m->starts[face]; c < m->starts[face + 1]; c++)
        add(r, m->at[c], weight / m->counts[face]);
}

/* ---- the rules ---- */

/* Surroundings of each point: edges, faces, and edges on a boundary (or with more than two faces). */
typedef struct around {
    int *edge_starts, *edges; /* [points + 1], [2 edges] */
    int *face_starts, *corners;
    int *sharp; /* [points] */
} around;

static void around_free(around *a) {
    RLTI_FREE(a->edge_starts, a->edges, a->face_starts, a->corners, a->sharp);
}

static int around_make(around *a, const mesh *m) {
    size_t points = (size_t)m->points;
    *a = (around){RLTI_NEW(int, points + 2), RLTI_NEW(int, 2 * (size_t)m->edges), RLTI_NEW(int, points + 2),
                  RLTI_NEW(int, m->corners), RLTI_NEW(int, points)};
    if (a->edge_starts == NULL || a->edges == NULL || a->face_starts == NULL || a->corners == NULL ||
        a->sharp == NULL)
        return 0;
    /* counts two places on, then starts one place on, then filled: starts end where they belong */
    for (int e = 0; e < m->edges; e++)
        for (int k = 0; k < 2; k++) {
            a->edge_starts[m->ends[e][k] + 2]++;
            a->sharp[m->ends[e][k]] += m->edge_faces[e] != 2;
        }
    for (int c = 0; c < m->corners; c++)
        a->face_starts[m->at[c] + 2]++;
    for (int p = 0; p < m->points; p++) {
        a->edge_starts[p + 2] += a->edge_starts[p + 1];
        a->face_starts[p + 2] += a->face_starts[p + 1];
    }
    for (int e = 0; e < m->edges; e++)
        for (int k = 0; k < 2; k++)
            a->edges[a->edge_starts[m->ends[e][k] + 1]++] = e;
    for (int c = 0; c < m->corners; c++)
        a->corners[a->face_starts[m->at[c] + 1]++] = c;
    return 1;
}

static int other_end(const mesh *m, int edge, int point) {
    return m->ends[edge][0] == point ? m->ends[edge][1] : m->ends[edge][0];
}

/* Loop's weight of each neighbour: (5/8 - (3/8 + cos(2 pi / n) / 4)^2) / n. */
static double loop_weight(int n) {
    double c = 0.375 + 0.25 * rlti_cos(2.0 * RLTI_PI / n);
    return (0.625 - c * c) / n;
}

static void add_vertex(row_maker *r, const mesh *m, const around *a, int point, int is_loop) {
    int first = a->edge_starts[point], edges = a->edge_starts[point + 1] - first;
    int corner = a->face_starts[point], faces = a->face_starts[point + 1] - corner;
    if (a->sharp[point] == 0 && edges == faces && edges > 2) {
        double n = edges, own = is_loop ? 1.0 - n * loop_weight(edges) : (n - 2.0) / n;
        double each = is_loop ? loop_weight(edges) : 1.0 / (n * n);
        add(r, point, own);
        for (int i = 0; i < edges; i++)
            add(r, other_end(m, a->edges[first + i], point), each);
        for (int i = 0; !is_loop && i < faces; i++)
            add_face(r, m, m->face_of[a->corners[corner + i]], each);
    } else if (a->sharp[point] == 2 && faces > 1) { /* on a boundary */
        add(r, point, 0.75);
        for (int i = 0; i < edges; i++)
            if (m->edge_faces[a->edges[first + i]] != 2)
                add(r, other_end(m, a->edges[first + i], point), 0.125);
    } else {
        add(r, point, 1.0); /* a corner, a loose point, or a place where surfaces meet */
    }
}

static void add_edge(row_maker *r, const mesh *m, int edge, int is_loop, int is_linear) {
    int a = m->ends[edge][0], b = m->ends[edge][1];
    if (is_linear || m->edge_faces[edge] != 2) {
        add(r, a, 0.5);
        add(r, b, 0.5);
        return;
    }
    add(r, a, is_loop ? 0.375 : 0.25);
    add(r, b, is_loop ? 0.375 : 0.25);
    for (int k = 0; k < 2; k++) {
        int corner = m->beside[edge][k];
        if (is_loop)
            add(r, m->at[next_corner(m, next_corner(m, corner))], 0.125);
        else
            add_face(r, m, m->face_of[corner], 0.25);
    }
}

static void make_rows(row_maker *r, const mesh *m, const around *a, int is_loop, int is_linear) {
    for (int p = 0; p < m->points; p++) {
        if (is_linear)
            add(r, p, 1.0);
        else
            add_vertex(r, m, a, p, is_loop);
        finish_row(r);
    }
    for (int e = 0; e < m->edges; e++) {
        add_edge(r, m, e, is_loop, is_linear);
        finish_row(r);
    }
    for (int f = 0; !is_loop && f < m->faces; f++) {
        add_face(r, m, f, 1.0);
        finish_row(r);
    }
}

/* Faces of the next level: of Loop four triangles each, else a quad at each corner. */
static void make_faces(const mesh *m, int is_loop, const int *from, int *counts, int *at, int *next_from) {
    int face = 0, corner = 0;
    for (int f = 0; f < m->faces; f++) {
        int first = m->starts[f], n = m->counts[f];
        for (int i = 0; i < n; i++) {
            int before = m->points + m->edge_of[first + (i + n - 1) % n];
            int after = m->points + m->edge_of[first + i];
            at[corner++] = m->at[first + i];
            at[corner++] = after;
            if (!is_loop)
                at[corner++] = m->points + m->edges + f;
            at[corner++] = before;
            counts[face] = is_loop ? 3 : 4;
            next_from[face++] = from[f];
        }
        if (is_loop) {
            for (int i = 0; i < 3; i++)
                at[corner++] = m->points + m->edge_of[first + i];
            counts[face] = 3;
            next_from[face++] = from[f];
        }
    }
}

/* ---- levels ---- */

static int refine(rlti_subdivision *s, int is_loop, int is_linear) {
    mesh m;
    around a = {0};
    row_maker r = {.starts = s->starts, .sources = s->sources, .weights = s->weights};
    int faces = is_loop ? 4 * s->face_count : s->corner_count, corners = is_loop ? 3 * faces : 4 * faces;
    int *counts = RLTI_NEW(int, faces), *at = RLTI_NEW(int, corners), *from = RLTI_NEW(int, faces);
    int ok = mesh_make(&m, s->point_count, s->face_count, s->corner_count, s->face_counts, s->corners) &&
             around_make(&a, &m) && counts != NULL && at != NULL && from != NULL;
    int points = m.points + m.edges + (is_loop ? 0 : m.faces);
    r.sums = RLTI_NEW(double, s->cage_count);
    r.is_met = RLTI_NEW(char, s->cage_count);
    r.met = RLTI_NEW(int, s->cage_count);
    r.out_starts = RLTI_NEW(int, (size_t)points + 1);
    ok = ok && r.sums != NULL && r.is_met != NULL && r.met != NULL && r.out_starts != NULL;
    if (ok) {
        make_rows(&r, &m, &a, is_loop, is_linear);
        ok = !r.failed;
    }
    if (ok)
        make_faces(&m, is_loop, s->face_from, counts, at, from);
    mesh_free(&m);
    around_free(&a);
    RLTI_FREE(r.sums, r.is_met, r.met);
    rlti_subdivision made = {
        s->level_count + 1, s->cage_count, points,       faces, corners, counts, at, from,
        r.out_starts,       r.out_sources, r.out_weights};
    rlti_subdivision old = ok ? *s : made;
    if (ok)
        *s = made;
    RLTI_FREE(old.face_counts, old.corners, old.face_from, old.starts, old.sources, old.weights);
    return ok;
}

/* The cage as a refinement of itself. */
static rlti_subdivision *start(const rlti_cage *cage, int corners) {
    rlti_subdivision *s = RLTI_NEW(rlti_subdivision, 1);
    if (s == NULL)
        return NULL;
    s->cage_count = s->point_count = cage->point_count;
    s->face_count = cage->face_count;
    s->corner_count = corners;
    if (!RLTI_ALLOCATE(
            RLTI_ITEMS(s->face_counts, cage->face_count), RLTI_ITEMS(s->corners, corners),
            RLTI_ITEMS(s->face_from, cage->face_count), RLTI_ITEMS(s->starts, (size_t)cage->point_count + 1),
            RLTI_ITEMS(s->sources, cage->point_count), RLTI_ITEMS(s->weights, cage->point_count))) {
        rlti_subdivision_destroy(s);
        return NULL;
    }
    for (int f = 0; f < cage->face_count; f++) {
        s->face_counts[f] = cage->counts[f];
        s->face_from[f] = f;
    }
    for (int c = 0; c < corners; c++)
        s->corners[c] = cage->corners[c];
    for (int p = 0; p < cage->point_count; p++) {
        s->starts[p + 1] = p + 1;
        s->sources[p] = p;
        s->weights[p] = 1.0;
    }
    return s;
}

rlt_status rlti_subdivide(const char *place, rlti_scheme scheme, int is_linear, int levels,
                          const rlti_cage *cage, rlt_messages *messages, rlti_subdivision **subdivision) {
    int is_loop = scheme == RLTI_SCHEME_LOOP;
    double corners = 0.0;
    *subdivision = NULL;
    levels = scheme == RLTI_SCHEME_NONE ? 0 : levels;
    if (levels < 0 || levels > RLTI_SUBDIVIDE_LEVELS_MAX)
        return rlti_refuse(messages, "%s: %d levels of smoothing: must be 0 to %d", place, levels,
                           RLTI_SUBDIVIDE_LEVELS_MAX);
    for (int f = 0; f < cage->face_count; f++) {
        if (levels > 0 && (cage->counts[f] < 3 || (is_loop && cage->counts[f] != 3)))
            return rlti_refuse(messages,
                               "%s: face %d has %d corners, and cannot be smoothed with the scheme %s", place,
                               f, cage->counts[f], is_loop ? "loop, which needs triangles" : "catmullClark");
        corners += cage->counts[f];
    }
    double refined = corners;
    for (int i = 0; i < levels; i++)
        refined *= 4.0;
    if (refined > CORNERS_MAX)
        return rlti_refuse(messages, "%s: %d levels would give more than %d corners", place, levels,
                           CORNERS_MAX);
    rlti_subdivision *made = start(cage, (int)corners);
    int ok = made != NULL;
    for (int i = 0; i < levels && ok; i++)
        ok = refine(made, is_loop, is_linear || scheme == RLTI_SCHEME_BILINEAR);
    if (!ok) {
        rlti_subdivision_destroy(made);
        return rlti_out_of_memory(messages);
    }
    *subdivision = made;
    return RLT_OK;
}

void rlti_subdivision_destroy(rlti_subdivision *s) {
    if (s == NULL)
        return;
    RLTI_FREE(s->face_counts, s->corners, s->face_from, s->starts, s->sources, s->weights, s);
}

void rlti_subdivision_apply(const rlti_subdivision *s, int arity, const double *cage, double *refined) {
    for (int p = 0; p < s->point_count; p++) {
        double *to = refined + (size_t)p * (size_t)arity;
        for (int k = 0; k < arity; k++)
            to[k] = 0.0;
        for (int i = s->starts[p]; i < s->starts[p + 1]; i++) {
            const double *from = cage + (size_t)s->sources[i] * (size_t)arity;
            for (int k = 0; k < arity; k++)
                to[k] += s->weights[i] * from[k];
        }
    }
}
