/* The character's mesh for the tracer. */
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/random.h"
#include "render/render.h"
#include "render/trace.h"

static rlti_vec3 root_of(const rlt_frame_view *view, int strand) {
    return rlti_v3_at(view->points, view->first[strand]);
}

static int section_of(const rlt_frame_view *view, int strand) {
    int section = view->hair != NULL ? view->hair[strand] : 0;
    return section >= 0 && section < RLT_RENDER_LOOKS_MAX ? section : 0;
}

/* Distance from a root to the nearest of its section, in the mean over about 200 of all: how far apart hair
 * is rooted there, to know where the scalp ends. */
static double root_spacing(const rlt_frame_view *view, int section) {
    int stride = view->strand_count / 200 + 1, count = 0;
    double sum = 0.0;
    for (int s = 0; s < view->strand_count; s++) {
        double nearest = HUGE_VAL;
        if (section_of(view, s) != section || rlti_hash64((uint64_t)s) % (uint64_t)stride != 0)
            continue;
        for (int other = 0; other < view->strand_count; other++) {
            rlti_vec3 d = rlti_sub(root_of(view, other), root_of(view, s));
            double square = rlti_dot(d, d);
            if (other != s && section_of(view, other) == section && square < nearest)
                nearest = square;
        }
        sum += nearest < HUGE_VAL ? sqrt(nearest) : 0.0;
        count += nearest < HUGE_VAL;
    }
    return count > 0 ? sum / count : 0.0;
}

/* Roots of one section: how far around each the scalp reaches between roots, and beyond the outermost. */
typedef struct rooting {
    double reach, beyond;
} rooting;

/* Hair reaches two distances of its roots around them; beyond the outermost no further than a small share of
 * all that it covers (on a head, one to two centimetres), or few guides would tint the face. */
static rooting find_rooting(const rlt_frame_view *view, int section, int stride) {
    rlti_vec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    int count = 0;
    for (int s = 0; s < view->strand_count; s++) {
        if (section_of(view, s) != section)
            continue;
        rlti_vec3 root = root_of(view, s);
        low = (rlti_vec3){fmin(low.x, root.x), fmin(low.y, root.y), fmin(low.z, root.z)};
        high = (rlti_vec3){fmax(high.x, root.x), fmax(high.y, root.y), fmax(high.z, root.z)};
        count++;
    }
    if (count < 2)
        return (rooting){0};
    double reach = 2.2 * sqrt((double)stride) * root_spacing(view, section);
    return (rooting){reach, fmin(reach, 0.04 * rlti_length(rlti_sub(high, low)))};
}

/* How far a place is beyond all roots of a section that reach it, seen from their middle; 0 or less among
 * them. */
static double distance_beyond(const rlt_frame_view *view, rlti_vec3 place, int section, int stride,
                              double reach) {
    rlti_vec3 sum = {0};
    double least = HUGE_VAL;
    for (int s = 0; s < view->strand_count; s += stride) {
        rlti_vec3 d = rlti_sub(place, root_of(view, s));
        if (section_of(view, s) == section && rlti_dot(d, d) < 2.25 * reach * reach)
            sum = rlti_add(sum, d);
    }
    rlti_vec3 outwards = rlti_normalize(sum);
    for (int s = 0; s < view->strand_count; s += stride) {
        rlti_vec3 d = rlti_sub(place, root_of(view, s));
        if (section_of(view, s) == section && rlti_dot(d, d) < 2.25 * reach * reach)
            least = fmin(least, rlti_dot(d, outwards));
    }
    return least;
}

typedef struct scalp_job {
    const rlt_frame_view *view;
    float *scalp;
    uint8_t *coat;
    int looks, stride;
    rooting of_look[RLT_RENDER_LOOKS_MAX];
} scalp_job;

enum { SCALP_BLOCK = 64 }; /* vertices */

static void find_scalp_at(const scalp_job *j, int v) {
    const rlt_frame_view *view = j->view;
    rlti_vec3 place = rlti_v3_at(view->vertices, v);
    double nearest = HUGE_VAL;
    int section = 0;
    for (int s = 0; s < view->strand_count; s += j->stride) {
        int of = section_of(view, s);
        double reach = j->of_look[of].reach;
        rlti_vec3 d = rlti_sub(root_of(view, s), place);
        double share = reach > 0.0 ? rlti_dot(d, d) / (reach * reach) : HUGE_VAL;
        if (share < nearest) {
            nearest = share;
            section = of;
        }
    }
    const rooting *r = &j->of_look[section];
    double scalp = nearest < HUGE_VAL ? rlti_smoothstep(1.5 - sqrt(nearest)) : 0.0;
    if (scalp > 0.0 && r->beyond < r->reach) {
        double beyond = distance_beyond(view, place, section, j->stride, r->reach);
        scalp = fmin(scalp, rlti_smoothstep(1.5 - beyond / r->beyond));
    }
    j->scalp[v] = (float)scalp;
    j->coat[v] = (uint8_t)(section < j->looks ? section : 0);
}

static void find_scalp_block(void *context, int index, int worker) {
    const scalp_job *j = context;
    (void)worker;
    for (int v = index * SCALP_BLOCK; v < (index + 1) * SCALP_BLOCK && v < j->view->vertex_count; v++)
        find_scalp_at(j, v);
}

/* Twice the mean over each vertex and those close beside it: between few roots the scalp's edge has teeth. */
static int smooth_scalp(const scalp_job *j) {
    const rlt_frame_view *view = j->view;
    size_t vertices = (size_t)view->vertex_count;
    float *scalp = j->scalp;
    float *sums = RLTI_NEW(float, 2 * vertices + 1);
    if (sums == NULL)
        return 0;
    float *counts = sums + vertices;
    for (int pass = 0; pass < 2; pass++) {
        memcpy(sums, scalp, vertices * sizeof *sums);
        for (size_t v = 0; v < vertices; v++)
            counts[v] = 1.0f;
        for (int t = 0; t < view->triangle_count; t++)
            for (int k = 0; k < 3; k++) {
                int v = view->triangles[3 * (size_t)t + (size_t)k];
                int beside = view->triangles[3 * (size_t)t + (size_t)((k + 1) % 3)];
                rlti_vec3 d = rlti_sub(rlti_v3_at(view->vertices, v), rlti_v3_at(view->vertices, beside));
                double close = 1.8 * j->of_look[j->coat[v]].beyond;
                if (!(rlti_dot(d, d) < close * close))
                    continue;
                sums[v] += scalp[beside];
                counts[v] += 1.0f;
            }
        for (size_t v = 0; v < vertices; v++)
            scalp[v] = sums[v] / counts[v];
    }
    rlti_free(sums);
    return 1;
}

int rlti_find_scalp(const rlt_frame_view *view, int looks, rlti_pool *pool, float *scalp, uint8_t *coat) {
    scalp_job j = {
        .view = view, .scalp = scalp, .coat = coat, .looks = looks, .stride = view->strand_count / 4096 + 1};
    for (int k = 0; k < RLT_RENDER_LOOKS_MAX; k++)
        j.of_look[k] = find_rooting(view, k, j.stride);
    rlti_pool_for(pool, (view->vertex_count + SCALP_BLOCK - 1) / SCALP_BLOCK, find_scalp_block, &j);
    return smooth_scalp(&j);
}

static rlt_status fill_body(rlti_mesh_shape *body, const rlt_frame_view *view, const rlt_render_def *def,
                            const rlti_dress *dress, const rlti_vec3 *normals, rlti_pool *pool,
                            rlt_messages *messages) {
    size_t vertices = (size_t)view->vertex_count;
    size_t triangles = (size_t)view->triangle_count;
    body->steps = def->shutter > 0.0 && def->vertex_velocities != NULL ? 2 : 1;
    /* Embree reads 16 bytes at the last vertex */
    for (int step = 0; step < body->steps; step++)
        body->vertices[step] = RLTI_NEW(float, 3 * vertices + 4);
    body->normals = RLTI_NEW(float, 3 * vertices);
    body->triangles = RLTI_NEW(uint32_t, 3 * triangles + 4);
    body->scalp = RLTI_NEW(float, vertices);
    body->coat = RLTI_NEW(uint8_t, vertices);
    if (body->vertices[0] == NULL || (body->steps == 2 && body->vertices[1] == NULL) ||
        body->normals == NULL || body->triangles == NULL || body->scalp == NULL || body->coat == NULL)
        return rlti_out_of_memory(messages);
    if (!rlti_find_scalp(view, def->look_count > 0 ? def->look_count : 1, pool, body->scalp, body->coat))
        return rlti_out_of_memory(messages);
    for (int step = 0; step < body->steps; step++) {
        double seconds = body->steps == 2 ? (step - 0.5) * def->shutter : 0.0;
        for (size_t i = 0; i < 3 * vertices; i++)
            body->vertices[step][i] =
                (float)(view->vertices[i] + (body->steps == 2 ? seconds * def->vertex_velocities[i] : 0.0));
    }
    for (size_t v = 0; v < vertices; v++) {
        body->normals[3 * v] = (float)normals[v].x;
        body->normals[3 * v + 1] = (float)normals[v].y;
        body->normals[3 * v + 2] = (float)normals[v].z;
    }

    if (body->rest_count > 0 &&
        !rlti_dress_lengthen(dress, view->vertex_count, body->vertices, body->steps, body->normals))
        return rlti_out_of_memory(messages);
    for (size_t i = 0; i < 3 * triangles; i++)
        body->triangles[i] = (uint32_t)view->triangles[i];
    body->vertex_count = view->vertex_count;
    body->triangle_count = view->triangle_count;
    return RLT_OK;
}

rlt_status rlti_mesh_shape_create(rlti_mesh_shape *body, const rlt_frame_view *view,
                                  const rlt_render_def *def, const rlti_dress *dress, rlti_pool *pool,
                                  rlt_messages *messages) {
    *body = (rlti_mesh_shape){
        .steps = 1, .rest = dress->rest, .rest_count = dress->rest_count, .is_horse = dress->is_horse};
    if (!def->body || view->vertex_count == 0)
        return RLT_OK;
    rlti_vec3 *normals = rlti_surface_normals(view);
    rlt_status status = normals != NULL ? fill_body(body, view, def, dress, normals, pool, messages)
                                        : rlti_out_of_memory(messages);
    rlti_free(normals);
    return status;
}

void rlti_mesh_shape_destroy(rlti_mesh_shape *body) {
    RLTI_FREE(body->vertices[0], body->vertices[1], body->normals, body->scalp, body->coat, body->triangles);
    *body = (rlti_mesh_shape){0};
}
