#include "shape/reshape.h"

#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "body/root_frame.h"
#include "body/segment.h"
#include "groom/curve_motion.h"
#include "groom/shapes.h"
#include "model/fold.h"

/* One hair section at the present time. */
typedef struct section {
    const rlti_reshape_data *data; /* NULL: never changes */
    int first, end;                /* strands */
    rlti_vec3 *other;              /* groom that it is blended with, [points of the section] */
    double rest_area;              /* of the skin it grows on, twice */
    double blend, scale;           /* now */
    int fresh;                     /* 1: not what the model's strands have */
} section;

/* One worker's memory, [longest strand] each. */
typedef struct worker_scratch {
    rlti_vec3 *points;
    double (*target)[3], (*other)[3];
} worker_scratch;

struct rlti_reshape {
    rlti_reshape_def def;
    section *sections; /* [hair_count] */
    int curve_count;
    rlti_curve_motion *curves;    /* [curve_count] */
    rlti_motion_segment *motions; /* [strand_count] of roots; NULL: no posed curves */
    rlti_vec3 *skin; /* [5][vertex_count] coefficients of its motion, and where it is; NULL: no scale */
    worker_scratch *scratch; /* [threads] */
    int threads, longest;
    int frame, jumps; /* of the body, around this interval */
    double at;
};

static int is_wanted(const rlti_hair_data *hair) {
    const rlti_reshape_data *r = &hair->reshape;
    return hair->role == RLTI_ROLE_HAIR && (r->curves != RLTI_RESHAPE_OFF || r->scale || r->groom[0] != '\0');
}

int rlti_reshape_wanted(const rlti_scene_data *scene) {
    for (int h = 0; h < scene->hair_count; h++)
        if (is_wanted(&scene->hair[h]))
            return 1;
    return 0;
}

void rlti_reshape_destroy(rlti_reshape *r) {
    if (r == NULL)
        return;
    for (int h = 0; r->sections != NULL && h < r->def.scene->hair_count; h++)
        rlti_free(r->sections[h].other);
    for (int c = 0; c < r->curve_count; c++)
        rlti_curve_motion_destroy(&r->curves[c]);
    for (int t = 0; r->scratch != NULL && t < r->threads; t++)
        RLTI_FREE(r->scratch[t].points, r->scratch[t].target, r->scratch[t].other);
    RLTI_FREE(r->sections, r->curves, r->motions, r->skin, r->scratch, r);
}

static int points_of(const rlti_reshape *r, int first, int end) {
    return r->def.strands->first[end] - r->def.strands->first[first];
}

size_t rlti_reshape_bytes(const rlti_reshape *r) {
    size_t sum = sizeof *r;
    for (int h = 0; h < r->def.scene->hair_count; h++)
        if (r->sections[h].other != NULL)
            sum += (size_t)points_of(r, r->sections[h].first, r->sections[h].end) * sizeof(rlti_vec3);
    for (int c = 0; c < r->curve_count; c++) {
        int first = r->curves[c].first_strand;
        sum += (RLTI_STENCIL + 1) * sizeof(rlti_vec3) *
               (size_t)points_of(r, first, first + r->curves[c].curves->strand_count);
    }
    if (r->motions != NULL)
        sum += (size_t)r->def.strands->strand_count * sizeof *r->motions;
    if (r->skin != NULL)
        sum += 5 * (size_t)rlti_body_mesh(r->def.body)->vertex_count * sizeof *r->skin;
    return sum;
}

/* Twice the area of the triangles that a section's roots grow on; one with many roots counts as often. */
static double skin_area(const rlti_reshape *r, const section *s, const rlti_vec3 *vertices) {
    const rlti_mesh *mesh = rlti_body_mesh(r->def.body);
    double sum = 0.0;
    for (int strand = s->first; strand < s->end; strand++) {
        int triangle = r->def.strands->roots[strand].triangle;
        if (triangle < 0)
            continue;
        const int *corner = mesh->triangles[triangle];
        const rlti_vec3 corners[3] = {vertices[corner[0]], vertices[corner[1]], vertices[corner[2]]};
        sum += rlti_triangle_twice_area(corners);
    }
    return sum;
}

/* ---- building ---- */

/* The file's curves that a section's strands come from. */
static rlt_status add_curves(rlti_reshape *r, int h, rlt_messages *messages) {
    const rlti_strands *strands = r->def.strands;
    rlt_status status = RLT_OK;
    for (int i = 0; i < strands->source_count && status == RLT_OK; i++)
        if (strands->sources[i].hair == h)
            status = rlti_curve_motion_create(strands, i, r->def.scene->hair[h].file_place, messages,
                                              &r->curves[r->curve_count++]);
    return status;
}

static rlt_status add_section(rlti_reshape *r, int h, rlt_messages *messages) {
    const rlti_scene_data *scene = r->def.scene;
    const rlti_strands *strands = r->def.strands;
    section *s = &r->sections[h];
    rlt_status status = RLT_OK;
    while (s->first < strands->strand_count && strands->hair[s->first] != h)
        s->first++;
    for (s->end = s->first; s->end < strands->strand_count && strands->hair[s->end] == h;)
        s->end++;
    s->scale = 1.0;
    if (!is_wanted(&scene->hair[h]))
        return RLT_OK;
    s->data = &scene->hair[h].reshape;
    if (s->data->groom[0] != '\0')
        status = rlti_shape_points(scene, r->def.body, strands, h, rlti_hair_named(scene, s->data->groom),
                                   s->data->place, messages, &s->other);
    if (status == RLT_OK && s->data->curves != RLTI_RESHAPE_OFF)
        status = add_curves(r, h, messages);
    s->rest_area = skin_area(r, s, rlti_body_mesh(r->def.body)->vertices);
    return status;
}

static int make_scratch(rlti_reshape *r) {
    const rlti_strands *strands = r->def.strands;
    const rlti_scene_data *scene = r->def.scene;
    int posed = 0, scale = 0, done = 1;
    for (int h = 0; h < scene->hair_count; h++) {
        if (r->sections[h].data == NULL)
            continue;
        posed = posed || r->sections[h].data->curves == RLTI_RESHAPE_POSED;
        scale = scale || r->sections[h].data->scale;
    }
    r->longest = rlti_longest_run(strands->first, strands->strand_count);
    r->threads = rlti_pool_threads(r->def.pool);
    r->scratch = RLTI_NEW(worker_scratch, r->threads);
    for (int t = 0; r->scratch != NULL && t < r->threads; t++) {
        worker_scratch *m = &r->scratch[t];
        m->points = RLTI_NEW(rlti_vec3, r->longest);
        m->target = rlti_allocate((size_t)r->longest, sizeof *m->target);
        m->other = rlti_allocate((size_t)r->longest, sizeof *m->other);
        done = done && m->points != NULL && m->target != NULL && m->other != NULL;
    }
    if (posed)
        r->motions = RLTI_NEW(rlti_motion_segment, strands->strand_count);
    if (scale)
        r->skin = RLTI_NEW(rlti_vec3, 5 * (size_t)rlti_body_mesh(r->def.body)->vertex_count);
    return done && r->scratch != NULL && (!posed || r->motions != NULL) && (!scale || r->skin != NULL);
}

rlt_status rlti_reshape_create(const rlti_reshape_def *def, rlt_messages *messages, rlti_reshape **reshape) {
    *reshape = NULL;
    rlti_reshape *r = RLTI_NEW(rlti_reshape, 1);
    if (r == NULL)
        return rlti_out_of_memory(messages);
    r->def = *def;
    r->sections = RLTI_NEW(section, def->scene->hair_count);
    r->curves = RLTI_NEW(rlti_curve_motion, def->strands->source_count);
    rlt_status status = r->sections != NULL && r->curves != NULL ? RLT_OK : rlti_out_of_memory(messages);
    for (int h = 0; h < def->scene->hair_count && status == RLT_OK; h++)
        status = add_section(r, h, messages);
    if (status == RLT_OK && !make_scratch(r))
        status = rlti_out_of_memory(messages);
    if (status != RLT_OK) {
        rlti_reshape_destroy(r);
        return status;
    }
    *reshape = r;
    return RLT_OK;
}

/* ---- time ---- */

rlt_status rlti_reshape_begin_frame(rlti_reshape *r, int frame, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    r->frame = frame;
    r->jumps = rlti_body_jumps(r->def.body, frame);
    for (int c = 0; c < r->curve_count && status == RLT_OK; c++) {
        status = rlti_curve_motion_begin(&r->curves[c], frame, messages);
        if (status == RLT_OK)
            rlti_curve_motion_warn(&r->curves[c], frame, messages);
    }
    if (status == RLT_OK && r->skin != NULL)
        rlti_body_vertex_segment(r->def.body, frame, r->skin);
    return status;
}

void rlti_reshape_begin_strand(rlti_reshape *r, int strand, int frame) {
    if (r->motions != NULL)
        rlti_body_root_segment(r->def.body, &r->def.strands->roots[strand], frame, &r->motions[strand]);
}

void rlti_reshape_pose(rlti_reshape *r, int frame, double at) {
    rlti_vec3 *vertices = r->skin;
    if (r->skin != NULL) {
        vertices += 4 * (size_t)rlti_body_mesh(r->def.body)->vertex_count;
        rlti_body_vertices_at(r->def.body, r->skin, at, r->def.scene->time.fps, vertices, NULL);
    }
    r->at = at;
    for (int h = 0; h < r->def.scene->hair_count; h++) {
        section *s = &r->sections[h];
        if (s->data == NULL)
            continue;
        double blend = s->other != NULL ? rlti_track_at(&s->data->blend, frame + at) : 0.0, scale = 1.0;
        if (s->data->scale && s->rest_area > 0.0)
            scale = sqrt(skin_area(r, s, vertices) / s->rest_area);
        if (!(scale > 1e-3)) /* skin that has vanished: hair does not follow it there */
            scale = 1e-3;
        s->fresh = s->data->curves != RLTI_RESHAPE_OFF || blend < s->blend || blend > s->blend ||
                   scale < s->scale || scale > s->scale;
        s->blend = blend;
        s->scale = r->def.size[h] = scale;
    }
}

/* The strand as the file's curves have it now; posed ones are turned back to the rest pose. */
static void take_curves(const rlti_reshape *r, const section *s, int strand, rlti_vec3 *points) {
    const rlti_curve_motion *curves = r->curves;
    const int *first = r->def.strands->first;
    rlti_vec3 root = r->def.strands->points[first[strand]], from = root, c[4];
    rlti_quat back = {1.0, 0.0, 0.0, 0.0};
    while (!rlti_curve_motion_has(curves, strand))
        curves++;
    if (s->data->curves == RLTI_RESHAPE_POSED)
        back = rlti_quat_conjugate(rlti_quat_normalize(rlti_segment_rotation(&r->motions[strand], r->at)));
    for (int i = 0; i < points_of(r, strand, strand + 1); i++) {
        rlti_curve_motion_segment(curves, r->frame, r->jumps, first[strand] + i, c);
        rlti_vec3 now = rlti_cubic_vector(c, 1, r->at);
        from = i == 0 ? now : from;
        points[i] = rlti_add(root, rlti_quat_rotate(back, rlti_sub(now, from)));
    }
}

/* Both shapes folded, blended edge by edge, and unfolded: lengths go over evenly, and a strand winds up
 * instead of cutting across. The other's root frame is this one's, carried to its direction, so that both
 * count the angle around the strand from the same side. */
static void blend_with(const rlti_reshape *r, const section *s, int strand, worker_scratch *m) {
    const rlti_hair_data *hair = &r->def.scene->hair[r->def.strands->hair[strand]];
    int count = points_of(r, strand, strand + 1);
    double whole = rlti_points_length(r->def.strands->points + r->def.strands->first[strand], count);
    double beta = rlti_fold_beta(whole / (count - 1), hair->bend_smoothing);
    const rlti_vec3 *other = s->other + points_of(r, s->first, strand);
    double w = s->blend;
    rlti_fold_root root = rlti_fold_root_of(m->points),
                   far = rlti_fold_root_carry(root, rlti_fold_root_of(other).u);
    rlti_vec3 u = rlti_madd(rlti_scale(1.0 - w, root.u), w, far.u);
    /* half way between opposite directions: through the normal */
    u = rlti_normalize(rlti_length(u) > 1e-6 ? u : root.n);
    rlti_fold(beta, count, root, m->points, m->target);
    rlti_fold(beta, count, far, other, m->other);
    for (int i = 0; i + 1 < count; i++) {
        rlti_vec3 a = rlti_v3(m->target[i][0], m->target[i][1], m->target[i][2]),
                  b = rlti_v3(m->other[i][0], m->other[i][1], m->other[i][2]);
        double length = (1.0 - w) * rlti_length(a) + w * rlti_length(b);
        rlti_vec3 t = rlti_madd(rlti_scale(1.0 - w, a), w, b);
        t = rlti_length(t) > 1e-6 * length ? rlti_scale(length, rlti_normalize(t)) : a;
        rlti_v3_put(m->target[i], t);
    }
    rlti_unfold(beta, count, rlti_fold_root_carry(root, u), (const double(*)[3])m->target, m->points);
}

const rlti_vec3 *rlti_reshape_strand(rlti_reshape *r, int strand, int worker) {
    const section *s = &r->sections[r->def.strands->hair[strand]];
    worker_scratch *m = &r->scratch[worker];
    const rlti_vec3 *groom = r->def.strands->points + r->def.strands->first[strand];
    int count = points_of(r, strand, strand + 1);
    if (s->data == NULL || !s->fresh)
        return NULL;
    if (s->data->curves != RLTI_RESHAPE_OFF)
        take_curves(r, s, strand, m->points);
    else
        memcpy(m->points, groom, (size_t)count * sizeof *groom);
    if (s->blend > 0.0)
        blend_with(r, s, strand, m);
    for (int i = 1; i < count; i++)
        m->points[i] = rlti_madd(m->points[0], s->scale, rlti_sub(m->points[i], m->points[0]));
    return m->points;
}
