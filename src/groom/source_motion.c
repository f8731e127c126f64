/* Curves of a prim that no section simulates, where the file moves them: read anew at every frame, so that
 * what is written shows them as the file does. With them, visibility that changes. */
#include <math.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/messages.h"
#include "groom/import.h"

/* ---- which prims need it ---- */

static int has_left_out(const rlti_strands *strands, int source) {
    int taken = 0, k = source;
    do {
        taken += strands->sources[k].strand_count;
        k = strands->sources[k].next_of_prim;
    } while (k > 0);
    return taken < strands->sources[source].curve_count;
}

/* In the prim's own space: a transform that moves is written as one. */
static int points_move(const rlti_curves *curves) {
    const rlti_prim *prim = &curves->stage->prims[curves->prim];
    const rlti_attribute *a = rlti_stage_attribute(curves->stage, prim, RLTI_BUILT_IN, "points");
    return curves->geometry->time_count > 1 &&
           (curves->geometry->is_skinned || (a != NULL && a->sample_count > 1));
}

static int blinks(const rlti_curves *curves) {
    int owner;
    return rlti_stage_visibility(curves->stage, curves->prim, &owner) != NULL;
}

rlt_status rlti_source_motion_prepare(rlti_strands *strands, rlt_messages *messages) {
    for (int i = 0; i < strands->source_count && strands->hidden == NULL; i++)
        if (blinks(&strands->curves[i])) {
            strands->hidden = RLTI_NEW(unsigned char, strands->strand_count);
            if (strands->hidden == NULL)
                return rlti_out_of_memory(messages);
        }
    for (int i = 0; i < strands->source_count; i++) {
        rlt_source *source = &strands->sources[i];
        rlti_curves *curves = &strands->curves[i];
        if (source->first_of_prim != i || !has_left_out(strands, i) || !points_move(curves))
            continue;
        if (!RLTI_ALLOCATE(RLTI_ITEMS(curves->moved, 3 * (size_t)curves->point_count),
                           RLTI_ITEMS(curves->moved_rate, 3 * (size_t)curves->point_count),
                           RLTI_ITEMS(curves->read[0], curves->point_count),
                           RLTI_ITEMS(curves->read[1], curves->point_count)))
            return rlti_out_of_memory(messages);
        source->moved = curves->moved;
        source->moved_velocities = curves->moved_rate;
    }
    return RLT_OK;
}

/* ---- a frame ---- */

/* geometry.h hands over double[3]; both are three doubles in a row. */
static double (*as_rows(rlti_vec3 *points))[3] {
    return (double(*)[3])(void *)points;
}

static void put(const rlti_vec3 *from, int count, float *to) {
    for (int i = 0; i < count; i++, to += 3) {
        to[0] = (float)from[i].x;
        to[1] = (float)from[i].y;
        to[2] = (float)from[i].z;
    }
}

/* The prim's points in its own space, skinned if bound. */
static rlt_status read_points(const rlti_curves *curves, double time, rlt_messages *messages, rlti_vec3 *to) {
    double inverse[16];
    rlt_status status = rlti_geometry_points(curves->geometry, time, messages, as_rows(to));
    if (status == RLT_OK)
        status = rlti_source_inverse(curves, time, messages, inverse);
    for (int i = 0; i < curves->point_count && status == RLT_OK; i++)
        to[i] = rlti_matrix_point(inverse, to[i]);
    return status;
}

/* The velocities that the file states; 0: it has none that fit. A skeleton moves points as well. */
static int read_stated(const rlti_curves *curves, double time, rlti_vec3 *to) {
    const rlti_prim *prim = &curves->stage->prims[curves->prim];
    const rlti_attribute *a = rlti_stage_attribute(curves->stage, prim, RLTI_BUILT_IN, "velocities");
    double inverse[16];
    if (a == NULL || curves->geometry->is_skinned ||
        rlti_geometry_vertex_values(curves->geometry, a, time, 0, NULL, as_rows(to)) != RLT_OK ||
        rlti_source_inverse(curves, time, NULL, inverse) != RLT_OK)
        return 0;
    for (int i = 0; i < curves->point_count; i++)
        to[i] = rlti_matrix_vector(inverse, to[i]);
    return 1;
}

/* Differences over one frame about `time`, one-sided where the file's motion begins or ends; in read[0]. */
static rlt_status find_velocities(const rlti_curves *curves, double time, rlt_messages *messages) {
    const rlti_geometry *g = curves->geometry;
    double half = 0.5 * curves->stage->codes_per_second / curves->scene->time.fps;
    double from = fmax(time - half, g->times[0]), to = fmin(time + half, g->times[g->time_count - 1]);
    double per_second = to > from ? curves->stage->codes_per_second / (to - from) : 0.0;
    rlt_status status = RLT_OK;
    if (per_second > 0.0) {
        status = read_points(curves, from, messages, curves->read[1]);
        if (status == RLT_OK)
            status = read_points(curves, to, messages, curves->read[0]);
    }
    for (int i = 0; i < curves->point_count && status == RLT_OK; i++)
        curves->read[0][i] = rlti_scale(per_second, rlti_sub(curves->read[0][i], curves->read[1][i]));
    return status;
}

rlt_status rlti_source_motion_read(const rlti_strands *strands, int source, rlt_messages *messages) {
    const rlti_curves *curves = &strands->curves[source];
    const rlt_source *s = &strands->sources[source];
    double time = strands->places[source].time_code;
    if (strands->hidden != NULL && s->strand_count > 0)
        memset(strands->hidden + s->first_strand, rlti_stage_hides(curves->stage, curves->prim, time),
               (size_t)s->strand_count);
    if (curves->moved == NULL)
        return RLT_OK;
    rlt_status status = read_points(curves, time, messages, curves->read[0]);
    if (status == RLT_OK)
        put(curves->read[0], curves->point_count, curves->moved);
    if (status == RLT_OK && !read_stated(curves, time, curves->read[0]))
        status = find_velocities(curves, time, messages);
    if (status == RLT_OK)
        put(curves->read[0], curves->point_count, curves->moved_rate);
    return status;
}
