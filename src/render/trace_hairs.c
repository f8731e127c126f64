/* Render hairs into curves for the tracer, block by block over the threads. */
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "render/trace.h"

#define BLOCK 256 /* hairs made at once by one thread */

/* Few hairs are drawn with more points than they are made of, so that curls are round from close by. Not many
 * hairs: rays are a little faster (smaller boxes), but the tree takes as much longer to build. */
#define FINER_POINTS 1000000
#define FINER_MAX    4

#define WIDER_MAX 1.6 /* times that hairs are wider where they stand for others */

/* ---- one frame's worth of views: at the beginning and the end of the shutter ---- */

/* A view moved along its velocities. */
typedef struct moved_view {
    rlt_frame_view view;
    double *points, *vertices;
} moved_view;

static double *move(const double *places, const double *velocities, int count, double seconds) {
    double *moved = RLTI_NEW(double, 3 * (size_t)count);
    for (size_t i = 0; moved != NULL && i < 3 * (size_t)count; i++)
        moved[i] = places[i] + (velocities != NULL ? seconds * velocities[i] : 0.0);
    return moved;
}

static rlt_status moved_view_create(moved_view *moved, const rlt_frame_view *view, const rlt_render_def *def,
                                    double seconds, rlt_messages *messages) {
    moved->view = *view;
    moved->points = move(view->points, view->velocities, view->point_count, seconds);
    moved->vertices = move(view->vertices, def->vertex_velocities, view->vertex_count, seconds);
    if (moved->points == NULL || moved->vertices == NULL)
        return rlti_out_of_memory(messages);
    moved->view.points = moved->points;
    moved->view.vertices = moved->vertices;
    return RLT_OK;
}

static void moved_view_destroy(moved_view *moved) {
    RLTI_FREE(moved->points, moved->vertices);
}

/* ---- making hairs ---- */

/* Where a worker's block is made before it is thinned out. */
typedef struct scratch {
    float *points; /* [BLOCK][longest][3] */
    float *widths; /* [BLOCK][longest] */
    int *counts;   /* [BLOCK] */
} scratch;

typedef struct maker {
    rlti_hairs *hairs;
    const rlt_frame_view *view; /* at this step */
    const rlt_fill *fill;       /* NULL: the view's own strands */
    int step;
    int longest;      /* points of a hair before thinning */
    int kept;         /* of these, drawn */
    int finer;        /* pieces that each part between two points is drawn with */
    float radius;     /* per width */
    scratch *scratch; /* [workers] */
} maker;

static void copy_strand(const rlt_frame_view *view, long long strand, float *points, float *widths,
                        int *count) {
    int first = view->first[strand];
    *count = view->first[strand + 1] - first;
    for (int i = 0; i < *count; i++) {
        for (int c = 0; c < 3; c++)
            points[3 * i + c] = (float)view->points[3 * (size_t)(first + i) + (size_t)c];
        widths[i] = (float)view->widths[first + i];
    }
}

static void set_vertex(float *vertex, const float *place, float radius) {
    memcpy(vertex, place, 3 * sizeof(float));
    vertex[3] = radius;
}

/* Points that are drawn for `count` made ones. */
static int drawn_points(const maker *m, int count) {
    if (count < 2)
        return 0;
    if (m->kept == m->longest)
        return (count - 1) * m->finer + 1;
    int kept = (int)((long long)count * m->kept / m->longest);
    return kept < 2 ? 2 : kept;
}

static rlti_f3 place_of(const float *p) {
    return rlti_f3_of(p[0], p[1], p[2]);
}

/* The cubic from b to c that leaves b as the line from a to c goes, and reaches c as that from b to d
 * (Catmull and Rom): b + u (start + u (quadratic + u cubic)). */
typedef struct curve {
    rlti_f3 from, start, quadratic, cubic;
} curve;

static curve curve_through(rlti_f3 a, rlti_f3 b, rlti_f3 c, rlti_f3 d) {
    rlti_f3 start = rlti_f3_scale(0.5f, rlti_f3_sub(c, a));
    rlti_f3 end = rlti_f3_scale(0.5f, rlti_f3_sub(d, b));
    rlti_f3 chord = rlti_f3_sub(c, b);
    curve made = {.from = b, .start = start};
    made.quadratic = rlti_f3_sub(rlti_f3_madd(rlti_f3_scale(3.0f, chord), -2.0f, start), end);
    made.cubic = rlti_f3_madd(rlti_f3_add(start, end), -2.0f, chord);
    return made;
}

static rlti_f3 curve_place(const curve *k, float u) {
    rlti_f3 place = rlti_f3_madd(rlti_f3_madd(k->from, u, k->start), u * u, k->quadratic);
    return rlti_f3_madd(place, u * u * u, k->cubic);
}

/* The curve through all points, `share` of the distance from point i to the next; its ends go straight on. */
static rlti_f3 smooth_place(const float *points, int count, int i, float share) {
    const float *at = points + 3 * (size_t)i;
    rlti_f3 b = place_of(at), c = place_of(at + 3);
    rlti_f3 a = i > 0 ? place_of(at - 3) : rlti_f3_madd(rlti_f3_scale(2.0f, b), -1.0f, c);
    rlti_f3 d = i + 2 < count ? place_of(at + 6) : rlti_f3_madd(rlti_f3_scale(2.0f, c), -1.0f, b);
    curve k = curve_through(a, b, c, d);
    return curve_place(&k, share);
}

static void draw_point(const maker *m, const float *points, const float *widths, int count, int drawn, int i,
                       float *vertex) {
    if (m->finer == 1 || m->kept < m->longest) {
        int from = (int)((long long)i * (count - 1) / (drawn - 1));
        set_vertex(vertex, points + 3 * (size_t)from, m->radius * widths[from]);
        return;
    }
    int from = i / m->finer;
    from = from < count - 1 ? from : count - 2;
    float share = (float)(i - from * m->finer) / (float)m->finer;
    rlti_f3 at = smooth_place(points, count, from, share);
    const float place[3] = {at.x, at.y, at.z};
    set_vertex(vertex, place, m->radius * (widths[from] + share * (widths[from + 1] - widths[from])));
}

/* Its guide's file hides it at this frame. */
static int is_hidden(const maker *m, long long hair) {
    const unsigned char *hidden = m->view->hidden;
    return hidden != NULL && hidden[m->fill != NULL ? rlt_fill_guide(m->fill, hair) : (int)hair];
}

/* Writes the hair's points, fewer or more of them, and the mirrored ones beyond both ends. */
static void place_hair(const maker *m, long long hair, const float *points, const float *widths, int count) {
    rlti_hairs *hairs = m->hairs;
    float *vertices = hairs->vertices[m->step] + 4 * (size_t)hair * (size_t)hairs->stride;
    int drawn = drawn_points(m, count);
    for (int i = 0; i < drawn; i++)
        draw_point(m, points, widths, count, drawn, i, vertices + 4 * (size_t)(i + 1));
    if (m->step == 0)
        hairs->counts[hair] = is_hidden(m, hair) ? 0 : drawn;
    if (drawn < 2)
        return;
    float *before = vertices;
    float *last = vertices + 4 * (size_t)drawn;
    for (int c = 0; c < 3; c++) {
        before[c] = 2.0f * before[4 + c] - before[8 + c];
        last[4 + c] = 2.0f * last[c] - last[c - 4];
    }
    before[3] = before[7];
    last[7] = last[3];
}

static void make_block(void *context, int index, int worker) {
    const maker *m = context;
    scratch *s = &m->scratch[worker];
    long long first = (long long)index * BLOCK;
    int count = (int)(m->hairs->count - first < BLOCK ? m->hairs->count - first : BLOCK);
    size_t longest = (size_t)m->longest;
    if (m->fill != NULL)
        rlt_fill_block(m->fill, first, count, s->points, s->widths, s->counts);
    for (int i = 0; i < count; i++) {
        float *points = s->points + 3 * longest * (size_t)i;
        float *widths = s->widths + longest * (size_t)i;
        if (m->fill == NULL)
            copy_strand(m->view, first + i, points, widths, &s->counts[i]);
        place_hair(m, first + i, points, widths, s->counts[i]);
    }
}

static rlt_status make_step(maker *m, rlti_pool *pool, rlt_messages *messages) {
    int workers = rlti_pool_threads(pool);
    m->scratch = RLTI_NEW(scratch, workers);
    rlt_status status = m->scratch != NULL ? RLT_OK : rlti_out_of_memory(messages);
    for (int w = 0; w < workers && status == RLT_OK; w++) {
        if (!RLTI_ALLOCATE(RLTI_ITEMS(m->scratch[w].points, 3 * (size_t)BLOCK * (size_t)m->longest),
                           RLTI_ITEMS(m->scratch[w].widths, (size_t)BLOCK * (size_t)m->longest),
                           RLTI_ITEMS(m->scratch[w].counts, BLOCK)))
            status = rlti_out_of_memory(messages);
    }
    if (status == RLT_OK)
        rlti_pool_for(pool, (int)((m->hairs->count + BLOCK - 1) / BLOCK), make_block, m);
    for (int w = 0; w < workers && m->scratch != NULL; w++)
        RLTI_FREE(m->scratch[w].points, m->scratch[w].widths, m->scratch[w].counts);
    rlti_free(m->scratch);
    m->scratch = NULL;
    return status;
}

/* ---- all of them ---- */

static rlt_status allocate(rlti_hairs *hairs, int kept, int steps, rlt_messages *messages) {
    hairs->stride = kept + 2;
    hairs->steps = steps;
    size_t vertices = (size_t)hairs->count * (size_t)hairs->stride;
    if (vertices > UINT32_MAX)
        return rlti_refuse(
            messages, "render: %lld hairs of %d points are more than one picture can hold; limit its points",
            hairs->count, kept);
    hairs->counts = RLTI_NEW(int, hairs->count);
    int complete = hairs->counts != NULL;
    for (int step = 0; step < steps && complete; step++) {
        /* Embree reads 16 bytes at the last vertex */
        hairs->vertices[step] = RLTI_NEW(float, 4 * vertices + 16);
        complete = hairs->vertices[step] != NULL;
    }
    return complete ? RLT_OK : rlti_out_of_memory(messages);
}

static rlt_status list_segments(rlti_hairs *hairs, rlt_messages *messages) {
    for (long long h = 0; h < hairs->count; h++)
        if (hairs->counts[h] > 1) {
            hairs->segment_count += (size_t)(hairs->counts[h] - 1);
            hairs->points += hairs->counts[h];
        }
    hairs->segments = RLTI_NEW(uint32_t, hairs->segment_count + 4);
    if (hairs->segments == NULL)
        return rlti_out_of_memory(messages);
    size_t next = 0;
    for (long long h = 0; h < hairs->count; h++) {
        size_t first = (size_t)h * (size_t)hairs->stride;
        for (int i = 0; i + 1 < hairs->counts[h]; i++) {
            hairs->segments[next++] = (uint32_t)(first + (size_t)i);
            float radius = hairs->vertices[0][4 * (first + (size_t)i + 1) + 3];
            hairs->widest = radius > hairs->widest ? radius : hairs->widest;
        }
    }
    return RLT_OK;
}

/* Each hair looks as the section of its guide does. */
static rlt_status choose_looks(rlti_hairs *hairs, const rlt_frame_view *view, const rlt_fill *fill,
                               const rlt_render_def *def, rlt_messages *messages) {
    if (view->hair == NULL)
        return RLT_OK;
    hairs->looks = RLTI_NEW(uint8_t, hairs->count);
    if (hairs->looks == NULL)
        return rlti_out_of_memory(messages);
    for (long long h = 0; h < hairs->count; h++) {
        int section = view->hair[fill != NULL ? rlt_fill_guide(fill, h) : (int)h];
        hairs->looks[h] = (uint8_t)(section >= 0 && section < def->look_count ? section : 0);
    }
    return RLT_OK;
}

static rlt_status make_moving(const maker *m, const rlt_frame_view *view, rlt_fill *fill,
                              const rlt_render_def *def, rlti_pool *pool, rlt_messages *messages) {
    moved_view moved = {0};
    rlt_status status = RLT_OK;
    for (int step = 0; step < 2 && status == RLT_OK; step++) {
        status = moved_view_create(&moved, view, def, (step - 0.5) * def->shutter, messages);
        if (status == RLT_OK && fill != NULL)
            status = rlt_fill_frame(fill, &moved.view, messages);
        maker moving = *m;
        moving.step = step;
        moving.view = &moved.view;
        if (status == RLT_OK)
            status = make_step(&moving, pool, messages);
        moved_view_destroy(&moved);
    }
    if (status == RLT_OK && fill != NULL) /* as the caller expects it */
        status = rlt_fill_frame(fill, view, messages);
    return status;
}

rlt_status rlti_hairs_create(rlti_hairs *hairs, const rlt_frame_view *view, rlt_fill *fill,
                             const rlt_render_def *def, int fewer, rlti_pool *pool, rlt_messages *messages) {
    *hairs = (rlti_hairs){0};
    if (view->strand_count == 0)
        return allocate(hairs, 0, 1, messages);
    maker m = {.hairs = hairs, .view = view, .fill = fill, .radius = 0.5f * (float)def->hair.width};
    hairs->count = fill != NULL ? rlt_fill_hairs(fill) : view->strand_count;
    m.longest = fill != NULL ? rlt_fill_points(fill) : rlti_longest_run(view->first, view->strand_count);
    m.kept = m.longest;
    if (fewer && def->points > 0 && hairs->count > def->points / m.longest) {
        double all = (double)hairs->count; /* the first of them grow around all guides alike */
        hairs->count = def->points / m.longest > 0 ? def->points / m.longest : 1;
        m.radius *= (float)fmin(all / (double)hairs->count, WIDER_MAX);
    }
    if (def->points > 0 && hairs->count > 0 && def->points / hairs->count < m.longest)
        m.kept = def->points / hairs->count < 4 ? 4 : (int)(def->points / hairs->count);
    m.kept = m.kept > m.longest ? m.longest : m.kept;
    m.finer = 1;
    long long finest = fewer && def->points > 0 && def->points < FINER_POINTS ? def->points : FINER_POINTS;
    while (m.finer < FINER_MAX && hairs->count * (long long)m.longest * (m.finer + 1) <= finest)
        m.finer++;
    int moving = def->shutter > 0.0 && view->velocities != NULL;
    int stored = m.kept == m.longest ? (m.longest - 1) * m.finer + 1 : m.kept;
    rlt_status status = allocate(hairs, stored, moving ? 2 : 1, messages);
    if (status == RLT_OK && moving) {
        status = make_moving(&m, view, fill, def, pool, messages);
    } else if (status == RLT_OK) {
        if (fill != NULL)
            status = rlt_fill_frame(fill, view, messages);
        if (status == RLT_OK)
            status = make_step(&m, pool, messages);
    }
    if (status == RLT_OK)
        status = list_segments(hairs, messages);
    if (status == RLT_OK && def->look_count > 1)
        status = choose_looks(hairs, view, fill, def, messages);
    return status;
}

void rlti_hairs_destroy(rlti_hairs *hairs) {
    RLTI_FREE(hairs->vertices[0], hairs->vertices[1], hairs->counts, hairs->looks, hairs->segments,
              hairs->cover);
    *hairs = (rlti_hairs){0};
}

/* A width of this many pixels is met by about every second ray through a pixel that it crosses. */
#define PIXELS_LEAST 0.6f
#define WIDEN_MAX    4.0f /* times; hairs much thinner than that are many */

rlt_status rlti_hairs_widen(rlti_hairs *hairs, const rlti_lens *lens, rlt_messages *messages) {
    if (hairs->segment_count == 0)
        return RLT_OK;
    size_t count = (size_t)hairs->count * (size_t)hairs->stride;
    hairs->cover = RLTI_NEW(float, count + 1);
    if (hairs->cover == NULL)
        return rlti_out_of_memory(messages);
    float per_depth = PIXELS_LEAST * lens->slope_y / lens->height; /* radius at depth 1 */
    for (long long h = 0; h < hairs->count; h++)
        for (int i = 0; hairs->counts[h] > 1 && i < hairs->counts[h] + 2; i++) {
            size_t v = (size_t)h * (size_t)hairs->stride + (size_t)i;
            float *at = hairs->vertices[0] + 4 * v;
            float least = per_depth * -rlti_f3_dot(rlti_f3_sub(place_of(at), lens->eye), lens->back);
            hairs->cover[v] = at[3] > 0.0f || i == 0 ? 1.0f : hairs->cover[v - 1]; /* tips end in a point */
            if (!(at[3] > 0.0f) || !(at[3] < least))
                continue;
            least = rlti_min(least, WIDEN_MAX * at[3]);
            hairs->cover[v] = at[3] / least;
            for (int step = 0; step < hairs->steps; step++)
                hairs->vertices[step][4 * v + 3] = least;
        }
    return RLT_OK;
}

/* The curve's four points at a time. */
static void control_points(const rlti_hairs *hairs, uint32_t segment, float time, float p[16]) {
    size_t first = 4 * (size_t)hairs->segments[segment];
    memcpy(p, hairs->vertices[0] + first, 16 * sizeof(float));
    if (hairs->steps == 2)
        for (int i = 0; i < 16; i++)
            p[i] += time * (hairs->vertices[1][first + (size_t)i] - p[i]);
}

rlti_hair_point rlti_hairs_at(const rlti_hairs *hairs, uint32_t segment, float u, float time) {
    float p[16];
    control_points(hairs, segment, time, p);
    rlti_f3 b = place_of(p + 4), chord = rlti_f3_sub(place_of(p + 8), b);
    curve k = curve_through(place_of(p), b, place_of(p + 8), place_of(p + 12));
    rlti_hair_point at;
    at.place = curve_place(&k, u);
    at.tangent =
        rlti_f3_normalize(rlti_f3_madd(rlti_f3_madd(k.start, 2.0f * u, k.quadratic), 3.0f * u * u, k.cubic));
    at.radius = p[7] + u * (p[11] - p[7]);
    at.cover = 1.0f;
    if (hairs->cover != NULL) {
        const float *cover = hairs->cover + hairs->segments[segment] + 1;
        at.cover = cover[0] + u * (cover[1] - cover[0]);
    }
    at.middle = rlti_f3_madd(b, u, chord);
    at.chord = chord;
    return at;
}
