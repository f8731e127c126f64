#include "ringlet/cache.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "files/looks.h"
#include "geometry/geometry.h"
#include "formats/tree/stage.h"

#define METRES_PER_UNIT 0.01
#define DEFAULT_WIDTH   0.05 /* of curves without widths [unit] */

/* One prim of curves or one mesh, and where its points go. */
typedef struct part {
    rlti_geometry *geometry;
    int is_mesh, blinks; /* its visibility changes */
    int first;           /* in the view's points or vertices */
    int count;           /* points it has there: curves of one point are left out */
    int *from;           /* [count] of the prim's own; NULL: all of them in order */
    int first_strand, strand_count;
    double (*read)[3]; /* [geometry->point_count] */
} part;

struct rlt_cache {
    rlti_stage *stage;
    double to_target[16], scale; /* from the file's world; of lengths */
    double codes_per_frame;
    rlt_cache_facts facts;
    part *parts;
    int part_count;
    int *first, *hair;
    char *look;            /* NULL: no curves say */
    unsigned char *hidden; /* [strands] rlt_frame_view.hidden, or NULL */
    int *triangles;
    double *points, *rest, *velocities, *widths, *vertices, *vertex_velocities;
};

/* All that the file shows at some time. */
static int is_wanted(const rlti_stage *stage, int index) {
    const rlti_prim *prim = &stage->prims[index];
    int is_mesh = prim->kind == RLTI_PRIM_MESH && prim->purpose != RLTI_PURPOSE_GUIDE;
    if (prim->purpose == RLTI_PURPOSE_PROXY || (prim->kind != RLTI_PRIM_CURVES && !is_mesh))
        return 0;
    return rlti_stage_is_shown(stage, index);
}

/* ---- opening ---- */

static rlt_status open_parts(rlt_cache *cache, rlt_messages *messages) {
    const rlti_stage *stage = cache->stage;
    rlti_geometry_def def = {.time = stage->first_time};
    memcpy(def.to_target, cache->to_target, sizeof def.to_target);
    cache->parts = RLTI_NEW(part, stage->prim_count);
    if (cache->parts == NULL)
        return rlti_out_of_memory(messages);
    for (int i = 0; i < stage->prim_count; i++) {
        if (!is_wanted(stage, i))
            continue;
        int owner;
        part *p = &cache->parts[cache->part_count];
        p->is_mesh = stage->prims[i].kind == RLTI_PRIM_MESH;
        p->blinks = rlti_stage_visibility(stage, i, &owner) != NULL;
        if (p->is_mesh && p->blinks)
            rlti_warn(messages, "%s: %s: its visibility changes; taken as visible at every frame",
                      stage->file, stage->prims[i].path);
        rlt_status status = rlti_geometry_open(stage, i, &def, messages, &p->geometry);
        if (status != RLT_OK)
            return status;
        cache->part_count++;
        p->read = rlti_allocate((size_t)p->geometry->point_count, sizeof *p->read);
        if (p->read == NULL)
            return rlti_out_of_memory(messages);
    }
    return RLT_OK;
}

/* Which points of curves are kept, and how many there are of everything. */
static rlt_status count_points(rlt_cache *cache, rlt_messages *messages) {
    rlt_cache_facts *facts = &cache->facts;
    for (int i = 0; i < cache->part_count; i++) {
        part *p = &cache->parts[i];
        const rlti_geometry *g = p->geometry;
        if (p->is_mesh) {
            p->first = facts->vertices;
            p->count = g->point_count;
            facts->vertices += g->point_count;
            facts->triangles += g->triangle_count;
            continue;
        }
        facts->links += rlti_stage_count_links(g->stage, &g->stage->prims[g->prim]);
        p->from = RLTI_NEW(int, g->point_count);
        if (p->from == NULL)
            return rlti_out_of_memory(messages);
        p->first = facts->points;
        p->first_strand = facts->strands;
        for (int c = 0, at = 0; c < g->curve_count; at += g->curve_counts[c++]) {
            if (g->curve_counts[c] < 2)
                continue;
            for (int k = 0; k < g->curve_counts[c]; k++)
                p->from[p->count++] = at + k;
            facts->strands++;
        }
        facts->points += p->count;
        p->strand_count = facts->strands - p->first_strand;
    }
    if (facts->strands == 0)
        return rlti_refuse(messages, "%s: has no curves to show", cache->stage->file);
    return RLT_OK;
}

static rlt_status allocate(rlt_cache *cache, rlt_messages *messages) {
    const rlt_cache_facts *facts = &cache->facts;
    int blinks = 0;
    for (int i = 0; i < cache->part_count; i++)
        blinks |= cache->parts[i].blinks && !cache->parts[i].is_mesh;
    cache->hidden = blinks ? RLTI_NEW(unsigned char, facts->strands) : NULL;
    int good =
        RLTI_ALLOCATE(RLTI_ITEMS(cache->first, facts->strands + 1), RLTI_ITEMS(cache->hair, facts->strands),
                      RLTI_ITEMS(cache->triangles, 3 * (size_t)facts->triangles),
                      RLTI_ITEMS(cache->points, 3 * (size_t)facts->points),
                      RLTI_ITEMS(cache->rest, 3 * (size_t)facts->points),
                      RLTI_ITEMS(cache->velocities, 3 * (size_t)facts->points),
                      RLTI_ITEMS(cache->widths, facts->points),
                      RLTI_ITEMS(cache->vertices, 3 * (size_t)facts->vertices),
                      RLTI_ITEMS(cache->vertex_velocities, 3 * (size_t)facts->vertices)) &&
        (cache->hidden != NULL || !blinks);
    return good ? RLT_OK : rlti_out_of_memory(messages);
}

static void set_topology(rlt_cache *cache) {
    int strand = 0, hair = 0, triangle = 0, point = 0;
    for (int i = 0; i < cache->part_count; i++) {
        const part *p = &cache->parts[i];
        const rlti_geometry *g = p->geometry;
        for (int t = 0; p->is_mesh && t < g->triangle_count; t++, triangle++)
            for (int k = 0; k < 3; k++)
                cache->triangles[3 * triangle + k] = p->first + g->triangles[t][k];
        for (int c = 0; !p->is_mesh && c < g->curve_count; c++) {
            if (g->curve_counts[c] < 2)
                continue;
            cache->first[strand] = point;
            cache->hair[strand++] = hair;
            point += g->curve_counts[c];
        }
        hair += !p->is_mesh;
    }
    cache->first[strand] = point;
}

/* Widths come one per point, per curve or for all, and may be missing. */
static rlt_status read_widths(rlt_cache *cache, const part *p, rlt_messages *messages) {
    const rlti_prim *prim = &cache->stage->prims[p->geometry->prim];
    const rlti_attribute *a = rlti_stage_attribute(cache->stage, prim, RLTI_BUILT_IN, "widths");
    rlti_array array = {0};
    double *values = NULL;
    rlt_status status = RLT_OK;
    if (a != NULL)
        status = rlti_stage_flat(cache->stage, prim, a, cache->stage->first_time, messages, &array);
    if (status == RLT_OK && a != NULL && !array.blocked && array.type.arity == 1 && array.count > 0) {
        values = RLTI_NEW(double, array.count);
        if (values == NULL)
            status = rlti_out_of_memory(messages);
        else if (!rlti_array_to_doubles(&array, values))
            status = rlti_refuse(messages, "%s: %s.widths: not numbers", cache->stage->file, prim->path);
    }
    const rlti_geometry *g = p->geometry;
    int at = p->first, own = 0;
    for (int c = 0; c < g->curve_count && status == RLT_OK; own += g->curve_counts[c++])
        for (int k = 0; g->curve_counts[c] > 1 && k < g->curve_counts[c]; k++) {
            double width = DEFAULT_WIDTH / cache->scale;
            if (values != NULL && array.count == (size_t)g->point_count)
                width = values[own + k];
            else if (values != NULL && array.count == (size_t)g->curve_count)
                width = values[c];
            else if (values != NULL)
                width = values[0];
            cache->widths[at++] = width * cache->scale;
        }
    rlti_free(values);
    rlti_array_clear(&array);
    return status;
}

static void copy_points(const part *p, double *to) {
    for (int k = 0; k < p->count; k++)
        memcpy(to + 3 * ((size_t)p->first + (size_t)k), p->read[p->from != NULL ? p->from[k] : k],
               sizeof p->read[0]);
}

/* The groom: the file's own rest shape, or the first frame. */
static rlt_status read_rest(rlt_cache *cache, const part *p, rlt_messages *messages) {
    const rlti_prim *owner = NULL;
    const rlti_attribute *a = rlti_stage_primvar(cache->stage, p->geometry->prim, "rest", &owner);
    double time = cache->stage->first_time;
    rlt_status status = RLT_BAD_INPUT;
    if (a != NULL && owner == &cache->stage->prims[p->geometry->prim])
        status = rlti_geometry_vertex_values(p->geometry, a, time, 1, NULL, p->read);
    if (status != RLT_OK)
        status = rlti_geometry_points(p->geometry, time, messages, p->read);
    if (status == RLT_OK)
        copy_points(p, cache->rest);
    return status;
}

/* Curves that Ringlet wrote say how pictures show them, and of which section each is. */
static rlt_status read_look(rlt_cache *cache, const part *p, rlt_messages *messages) {
    const rlti_prim *prim = &cache->stage->prims[p->geometry->prim];
    const rlti_attribute *a = rlti_stage_attribute(cache->stage, prim, RLTI_PRIMVAR, RLTI_LOOK_NAME);
    double time = cache->stage->first_time;
    rlti_array array = {0};
    if (a == NULL || a->type.element != RLTI_TEXT || cache->look != NULL)
        return RLT_OK;
    rlt_status status = rlti_stage_flat(cache->stage, prim, a, time, messages, &array);
    if (status == RLT_OK && !array.blocked && array.count == 1) {
        const char *text = ((const char *const *)array.data)[0];
        size_t size = strlen(text) + 1;
        cache->look = rlti_allocate(size, 1);
        if (cache->look == NULL)
            status = rlti_out_of_memory(messages);
        else
            memcpy(cache->look, text, size);
    }
    rlti_array_clear(&array);
    a = rlti_stage_attribute(cache->stage, prim, RLTI_PRIMVAR, "groupId");
    if (status != RLT_OK || a == NULL)
        return status;
    status = rlti_stage_flat(cache->stage, prim, a, time, messages, &array);
    double *groups = array.count == (size_t)p->strand_count ? RLTI_NEW(double, array.count) : NULL;
    if (status == RLT_OK && groups != NULL && array.type.arity == 1 && rlti_array_to_doubles(&array, groups))
        for (int k = 0; k < p->strand_count; k++)
            cache->hair[p->first_strand + k] = groups[k] >= 0.0 && groups[k] < 1e6 ? (int)groups[k] : 0;
    rlti_free(groups);
    rlti_array_clear(&array);
    return status;
}

static void find_frames(rlt_cache *cache) {
    const rlti_stage *stage = cache->stage;
    rlt_cache_facts *facts = &cache->facts;
    double fps = stage->frames_per_second > 0.0 ? stage->frames_per_second : 24.0;
    if (stage->frames_per_second <= 0.0 && stage->codes_per_second > 1.0)
        fps = stage->codes_per_second;
    cache->codes_per_frame = stage->codes_per_second / fps;
    facts->frames_per_second = fps;
    facts->format = stage->reader->format;
    double first = stage->first_time / cache->codes_per_frame,
           last = stage->last_time / cache->codes_per_frame;
    if (fabs(first) < 1e8 && fabs(last) < 1e8) {
        facts->first = (int)ceil(first - 1e-4);
        facts->last = (int)floor(last + 1e-4);
    }
    if (facts->last < facts->first)
        facts->last = facts->first;
}

static rlt_status build(rlt_cache *cache, const char *path, rlt_messages *messages) {
    rlt_status status = rlti_stage_open(path, messages, &cache->stage);
    if (status != RLT_OK)
        return status;
    const rlti_stage *stage = cache->stage;
    rlti_geometry_space(stage, METRES_PER_UNIT, 'Y', METRES_PER_UNIT, 'Y', cache->to_target);
    cache->scale = stage->metres_per_unit > 0.0 ? stage->metres_per_unit / METRES_PER_UNIT : 1.0;
    find_frames(cache);
    status = open_parts(cache, messages);
    if (status == RLT_OK)
        status = count_points(cache, messages);
    if (status == RLT_OK)
        status = allocate(cache, messages);
    if (status == RLT_OK)
        set_topology(cache);
    for (int i = 0; i < cache->part_count && status == RLT_OK; i++) {
        if (cache->parts[i].is_mesh)
            continue;
        status = read_widths(cache, &cache->parts[i], messages);
        if (status == RLT_OK)
            status = read_rest(cache, &cache->parts[i], messages);
        if (status == RLT_OK)
            status = read_look(cache, &cache->parts[i], messages);
    }
    return status;
}

const char *rlt_cache_look(const rlt_cache *cache) {
    return cache->look;
}

const rlt_inputs *rlt_cache_inputs(const rlt_cache *cache) {
    return cache->stage->inputs;
}

rlt_status rlt_cache_open(const char *path, rlt_messages *messages, rlt_cache **cache) {
    *cache = NULL;
    rlt_cache *opened = RLTI_NEW(rlt_cache, 1);
    if (opened == NULL)
        return rlti_out_of_memory(messages);
    rlt_status status = build(opened, path, messages);
    if (status == RLT_OK)
        *cache = opened;
    else
        rlt_cache_close(opened);
    return status;
}

void rlt_cache_close(rlt_cache *cache) {
    if (cache == NULL)
        return;
    for (int i = 0; i < cache->part_count; i++) {
        rlti_geometry_close(cache->parts[i].geometry);
        RLTI_FREE(cache->parts[i].from, cache->parts[i].read);
    }
    RLTI_FREE(cache->parts, cache->first, cache->hair, cache->hidden, cache->triangles, cache->points,
              cache->rest, cache->velocities, cache->look, cache->widths, cache->vertices,
              cache->vertex_velocities);
    rlti_stage_close(cache->stage);
    rlti_free(cache);
}

rlt_status rlt_cache_get(const rlt_cache *cache, rlt_cache_facts *facts) {
    return RLTI_WRITE(rlt_cache_facts, facts, &cache->facts, NULL);
}

/* ---- frames ---- */

/* Points of a part at a time. */
static rlt_status read_points(part *p, double time, double *to, rlt_messages *messages) {
    rlt_status status = rlti_geometry_points(p->geometry, time, messages, p->read);
    if (status == RLT_OK)
        copy_points(p, to);
    return status;
}

/* The file's own velocities, where it has good ones. Those of a part that its transform moves leave that
 * motion out, so differences are taken there. */
static int read_velocities(const rlt_cache *cache, const part *p, double time) {
    const rlti_stage *stage = cache->stage;
    const rlti_attribute *a =
        rlti_stage_attribute(stage, &stage->prims[p->geometry->prim], RLTI_BUILT_IN, "velocities");
    if (p->is_mesh || a == NULL || p->geometry->is_skinned ||
        rlti_stage_world_moves(stage, p->geometry->prim) ||
        rlti_geometry_vertex_values(p->geometry, a, time, 0, NULL, p->read) != RLT_OK)
        return 0;
    copy_points(p, cache->velocities);
    return 1;
}

/* To the next frame, at the last one from the frame before. */
static rlt_status difference(rlt_cache *cache, part *p, int frame, const double *points, double *velocities,
                             rlt_messages *messages) {
    int forward = frame < cache->facts.last;
    if (cache->facts.first == cache->facts.last) {
        memset(velocities + 3 * (size_t)p->first, 0, 3 * (size_t)p->count * sizeof(double));
        return RLT_OK;
    }
    double time = (frame + (forward ? 1 : -1)) * cache->codes_per_frame;
    rlt_status status = read_points(p, time, velocities, messages);
    double rate = forward ? cache->facts.frames_per_second : -cache->facts.frames_per_second;
    for (size_t k = 3 * (size_t)p->first; status == RLT_OK && k < 3 * ((size_t)p->first + (size_t)p->count);
         k++)
        velocities[k] = rate * (velocities[k] - points[k]);
    return status;
}

rlt_status rlt_cache_view(rlt_cache *cache, int frame, rlt_messages *messages, rlt_frame_view *view) {
    const rlt_cache_facts *facts = &cache->facts;
    double time = frame * cache->codes_per_frame;
    rlt_status status = RLT_OK;
    if (frame < facts->first || frame > facts->last)
        return rlti_refuse(messages, "%s: has no frame %d; there are frames %d to %d", cache->stage->file,
                           frame, facts->first, facts->last);
    for (int i = 0; i < cache->part_count && status == RLT_OK; i++) {
        part *p = &cache->parts[i];
        double *points = p->is_mesh ? cache->vertices : cache->points;
        double *velocities = p->is_mesh ? cache->vertex_velocities : cache->velocities;
        status = read_points(p, time, points, messages);
        if (p->blinks && p->strand_count > 0)
            memset(cache->hidden + p->first_strand, rlti_stage_hides(cache->stage, p->geometry->prim, time),
                   (size_t)p->strand_count);
        if (status == RLT_OK && !read_velocities(cache, p, time))
            status = difference(cache, p, frame, points, velocities, messages);
    }
    if (status != RLT_OK)
        return status;
    const rlt_frame_view own = {.frame = frame,
                                .inputs = cache->stage->inputs,
                                .hidden = cache->hidden,
                                .time = (frame - facts->first) / facts->frames_per_second,
                                .strand_count = facts->strands,
                                .point_count = facts->points,
                                .first = cache->first,
                                .points = cache->points,
                                .velocities = cache->velocities,
                                .rest = cache->rest,
                                .widths = cache->widths,
                                .hair = cache->hair,
                                .vertex_count = facts->vertices,
                                .triangle_count = facts->triangles,
                                .vertices = cache->vertices,
                                .triangles = cache->triangles};
    return RLTI_WRITE(rlt_frame_view, view, &own, messages);
}

const double *rlt_cache_vertex_velocities(const rlt_cache *cache) {
    return cache->vertex_velocities;
}
