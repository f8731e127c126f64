#include "geometry/geometry.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "geometry/geometry_data.h"
#include "base/matrix.h"

void rlti_geometry_space(const rlti_stage *stage, double assumed_metres_per_unit, char assumed_up_axis,
                         double metres_per_unit, char up_axis, double to_target[16]) {
    double metres = stage->metres_per_unit > 0.0 ? stage->metres_per_unit : assumed_metres_per_unit;
    char up = stage->up_axis != 0 ? stage->up_axis : assumed_up_axis;
    double scale = metres / metres_per_unit;
    rlti_matrix_identity(to_target);
    for (int i = 0; i < 3; i++)
        to_target[5 * i] = scale;
    if (up == 'Z' && up_axis == 'Y') { /* (x, y, z) to (x, z, -y) */
        to_target[5] = to_target[10] = 0.0;
        to_target[6] = -scale;
        to_target[9] = scale;
    } else if (up == 'Y' && up_axis == 'Z') { /* (x, y, z) to (x, -z, y) */
        to_target[5] = to_target[10] = 0.0;
        to_target[6] = scale;
        to_target[9] = -scale;
    }
}

rlt_status rlti_geometry_matrix(const rlti_geometry *geometry, double time, rlt_messages *messages,
                                double matrix[16]) {
    const rlti_geometry_private *p = (const rlti_geometry_private *)geometry;
    rlt_status status = p->skel != NULL
                            ? rlti_skel_world(p->skel, time, messages, matrix)
                            : rlti_stage_world(geometry->stage, geometry->prim, time, messages, matrix);
    if (status == RLT_OK)
        rlti_matrix_multiply(matrix, p->def.to_target, matrix);
    return status;
}

/* ---- opening ---- */

static const rlti_prim *prim_of(const rlti_geometry_private *p) {
    return &p->out.stage->prims[p->out.prim];
}

/* An attribute of whole numbers at the time of the topology; *values NULL where there is none. */
static rlt_status read_ints(rlti_geometry_private *p, const char *name, rlt_messages *messages, int **values,
                            int *count) {
    const rlti_stage *stage = p->out.stage;
    const rlti_prim *prim = prim_of(p);
    const rlti_attribute *a = rlti_stage_attribute(stage, prim, RLTI_BUILT_IN, name);
    rlti_array array = {0};
    *values = NULL;
    *count = 0;
    if (a == NULL)
        return RLT_OK;
    rlt_status status = rlti_stage_value(stage, prim, a, p->def.time, messages, &array);
    if (status == RLT_OK && !array.blocked) {
        int *made = RLTI_NEW(int, array.count);
        if (array.count > INT_MAX || array.type.arity != 1)
            status = rlti_refuse(messages, "%s: %s.%s: not a list of whole numbers", stage->file, prim->path,
                                 name);
        else if (made == NULL)
            status = rlti_out_of_memory(messages);
        else if (!rlti_array_to_ints(&array, made))
            status = rlti_refuse(messages, "%s: %s.%s: not whole numbers", stage->file, prim->path, name);
        if (status == RLT_OK) {
            *values = made;
            *count = (int)array.count;
        } else {
            rlti_free(made);
        }
    }
    rlti_array_clear(&array);
    return status;
}

/* The same at all its samples, or RLT_BAD_INPUT with the first time at which it differs. */
static rlt_status check_constant(const rlti_geometry_private *p, const char *name, rlt_messages *messages) {
    const rlti_stage *stage = p->out.stage;
    const rlti_prim *prim = prim_of(p);
    const rlti_attribute *a = rlti_stage_attribute(stage, prim, RLTI_BUILT_IN, name);
    rlti_array first = {0}, other = {0};
    rlt_status status = RLT_OK;
    for (int i = 0; a != NULL && a->sample_count > 1 && i < a->sample_count && status == RLT_OK; i++) {
        status = stage->reader->read(stage, prim, a, i, messages, i == 0 ? &first : &other);
        if (status == RLT_OK && i > 0 && !rlti_array_equal(&first, &other))
            status = rlti_refuse(
                messages, "%s: %s.%s: changes at time %g; geometry whose topology changes cannot be used",
                stage->file, prim->path, name, a->times[i]);
    }
    rlti_array_clear(&first);
    rlti_array_clear(&other);
    return status;
}

static rlt_status open_curves(rlti_geometry_private *p, rlt_messages *messages) {
    const rlti_stage *stage = p->out.stage;
    const char *path = prim_of(p)->path;
    rlt_status status = read_ints(p, "curveVertexCounts", messages, &p->curve_counts, &p->out.curve_count);
    if (status == RLT_OK)
        status = check_constant(p, "curveVertexCounts", messages);
    long long sum = 0;
    for (int i = 0; i < p->out.curve_count && status == RLT_OK; i++) {
        if (p->curve_counts[i] < 0)
            status = rlti_refuse(messages, "%s: %s.curveVertexCounts: curve %d has %d points", stage->file,
                                 path, i, p->curve_counts[i]);
        sum += p->curve_counts[i];
    }
    if (status == RLT_OK && sum != p->out.cage_count)
        status = rlti_refuse(messages, "%s: %s: curveVertexCounts add up to %lld, but there are %d points",
                             stage->file, path, sum, p->out.cage_count);
    p->out.curve_counts = p->curve_counts;
    p->out.point_count = p->out.cage_count;
    return status;
}

/* All times at which anything moves; with `list` NULL only counted. */
static size_t put_times(const rlti_geometry_private *p, double *list) {
    const rlti_stage *stage = p->out.stage;
    size_t used = 0;
    const double *skel_times = NULL;
    int skel_count = p->skel != NULL ? rlti_skel_times(p->skel, &skel_times) : 0;
    if (p->points->sample_count > 1) {
        if (list != NULL)
            memcpy(list, p->points->times, (size_t)p->points->sample_count * sizeof *list);
        used += (size_t)p->points->sample_count;
    }
    if (skel_count > 0) {
        if (list != NULL)
            memcpy(list + used, skel_times, (size_t)skel_count * sizeof *list);
        used += (size_t)skel_count;
    }
    int from = p->skel != NULL ? rlti_skel_skeleton(p->skel) : p->out.prim;
    for (int i = from; i >= 0; i = stage->prims[i].parent) {
        int count = stage->prims[i].has_transform ? stage->prims[i].transform_time_count : 0;
        if (list != NULL && count > 1)
            memcpy(list + used, stage->prims[i].transform_times, (size_t)count * sizeof *list);
        used += count > 1 ? (size_t)count : 0;
    }
    return used;
}

static rlt_status make_times(rlti_geometry_private *p, rlt_messages *messages) {
    size_t count = put_times(p, NULL);
    p->times = RLTI_NEW(double, count);
    if (p->times == NULL || count > INT_MAX)
        return rlti_out_of_memory(messages);
    put_times(p, p->times);
    qsort(p->times, count, sizeof *p->times, rlti_compare_doubles);
    for (size_t i = 0; i < count; i++)
        if (p->out.time_count == 0 || p->times[i] > p->times[p->out.time_count - 1])
            p->times[p->out.time_count++] = p->times[i];
    p->out.times = p->times;
    return RLT_OK;
}

/* Points at a time. Where the file says there are none (a blocked sample) those of the nearest sample before
 * count, or else of the first after: a body does not vanish for a frame. */
static rlt_status read_points(rlti_geometry_private *p, double time, rlt_messages *messages) {
    const rlti_stage *stage = p->out.stage;
    const rlti_prim *prim = prim_of(p);
    const rlti_attribute *a = p->points;
    rlt_status status = rlti_stage_value(stage, prim, a, time, messages, &p->value);
    if (status != RLT_OK || !p->value.blocked || a->sample_count == 0)
        return status;
    int at = 0, first;
    while (at + 1 < a->sample_count && a->times[at + 1] <= time)
        at++;
    first = at;
    while (at > 0 && p->value.blocked && status == RLT_OK)
        status = stage->reader->read(stage, prim, a, --at, messages, &p->value);
    for (at = first; p->value.blocked && status == RLT_OK && ++at < a->sample_count;)
        status = stage->reader->read(stage, prim, a, at, messages, &p->value);
    if (status == RLT_OK && !p->value.blocked && !p->has_reported) {
        p->has_reported = 1;
        rlti_warn(messages, "%s: %s.points: no value at time %g; those of the nearest sample are taken",
                  stage->file, prim->path, time);
    }
    return status;
}

/* Finds the points, and how many there are. */
static rlt_status find_points(rlti_geometry_private *p, rlt_messages *messages) {
    const rlti_stage *stage = p->out.stage;
    const rlti_prim *prim = prim_of(p);
    p->points = rlti_stage_attribute(stage, prim, RLTI_BUILT_IN, "points");
    if (p->points == NULL)
        return rlti_refuse(messages, "%s: %s: has no points", stage->file, prim->path);
    if (p->points->type.arity != 3 || p->points->type.element == RLTI_TEXT)
        return rlti_refuse(messages, "%s: %s.points: not points", stage->file, prim->path);
    rlt_status status = read_points(p, p->def.time, messages);
    if (status != RLT_OK)
        return status;
    if (p->value.blocked || p->value.count == 0)
        return rlti_refuse(messages, "%s: %s: has no points at time %g", stage->file, prim->path,
                           p->def.time);
    if (p->value.count > INT_MAX / 16)
        return rlti_refuse(messages, "%s: %s: %zu points are too many", stage->file, prim->path,
                           p->value.count);
    p->out.cage_count = (int)p->value.count;
    p->cage = rlti_allocate(p->value.count, sizeof *p->cage);
    if (p->cage == NULL || !rlti_array_to_doubles(&p->value, p->cage[0]))
        return rlti_out_of_memory(messages);
    return RLT_OK;
}

static rlt_status open_all(rlti_geometry_private *p, rlt_messages *messages) {
    const rlti_stage *stage = p->out.stage;
    const rlti_prim *prim = prim_of(p);
    if (prim->kind != RLTI_PRIM_MESH && prim->kind != RLTI_PRIM_CURVES)
        return rlti_refuse(messages, "%s: %s: neither a mesh nor curves", stage->file, prim->path);
    rlt_status status = find_points(p, messages);
    if (status == RLT_OK && rlti_skel_is_bound(stage, p->out.prim)) {
        status = rlti_skel_open(stage, p->out.prim, messages, &p->skel);
        p->out.is_skinned = 1;
    }
    if (status == RLT_OK && prim->kind == RLTI_PRIM_MESH) {
        status = read_ints(p, "faceVertexCounts", messages, &p->face_counts, &p->face_count);
        if (status == RLT_OK)
            status = read_ints(p, "faceVertexIndices", messages, &p->corners, &p->corner_count);
        if (status == RLT_OK)
            status = read_ints(p, "holeIndices", messages, &p->holes, &p->hole_count);
        if (status == RLT_OK)
            status = check_constant(p, "faceVertexCounts", messages);
        if (status == RLT_OK)
            status = check_constant(p, "faceVertexIndices", messages);
        if (status == RLT_OK)
            status = rlti_geometry_open_mesh(p, messages);
    } else if (status == RLT_OK) {
        status = open_curves(p, messages);
    }
    if (status == RLT_OK)
        status = make_times(p, messages);
    return status;
}

rlt_status rlti_geometry_open(const rlti_stage *stage, int prim, const rlti_geometry_def *def,
                              rlt_messages *messages, rlti_geometry **geometry) {
    rlti_geometry_private *p = RLTI_NEW(rlti_geometry_private, 1);
    *geometry = NULL;
    if (p == NULL)
        return rlti_out_of_memory(messages);
    p->out.stage = stage;
    p->out.prim = prim;
    p->def = *def;
    rlt_status status = open_all(p, messages);
    if (status == RLT_OK)
        *geometry = &p->out;
    else
        rlti_geometry_close(&p->out);
    return status;
}

void rlti_geometry_close(rlti_geometry *geometry) {
    rlti_geometry_private *p = (rlti_geometry_private *)geometry;
    if (p == NULL)
        return;
    rlti_skel_close(p->skel);
    rlti_subdivision_destroy(p->smooth);
    rlti_subdivision_destroy(p->smooth_corners);
    rlti_array_clear(&p->value);
    rlti_array_clear(&p->skinned);
    RLTI_FREE(p->cage, p->times, p->curve_counts, p->face_counts, p->corners, p->holes, p->triangles,
              p->triangle_corners, p->triangle_faces, p);
}

/* ---- points ---- */

/* p->cage, smoothed, into the target's space. */
static rlt_status place_points(rlti_geometry_private *p, const char *name, double time,
                               const double matrix[16], rlt_messages *messages, double (*points)[3]) {
    const rlti_geometry *g = &p->out;
    if (p->smooth != NULL)
        rlti_subdivision_apply(p->smooth, 3, p->cage[0], points[0]);
    else
        memcpy(points, p->cage, (size_t)g->cage_count * sizeof *points);
    for (int i = 0; i < g->point_count; i++) {
        rlti_vec3 v = rlti_matrix_point(matrix, rlti_v3(points[i][0], points[i][1], points[i][2]));
        if (!(fabs(v.x) <= RLTI_GEOMETRY_FURTHEST && fabs(v.y) <= RLTI_GEOMETRY_FURTHEST &&
              fabs(v.z) <= RLTI_GEOMETRY_FURTHEST))
            return rlti_refuse(
                messages, "%s: %s.%s: point %d at time %g is %g units from the origin; at most 1e9",
                g->stage->file, prim_of(p)->path, name, i, time, fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))));
        rlti_v3_put(points[i], v);
    }
    return RLT_OK;
}

/* Doubles of `from` in p->cage: as many as points, finite. */
static rlt_status take_values(rlti_geometry_private *p, const char *name, double time, const rlti_array *from,
                              rlt_messages *messages) {
    const char *file = p->out.stage->file, *path = prim_of(p)->path;
    if (from->blocked)
        return rlti_refuse(messages, "%s: %s.%s: has no value at time %g", file, path, name, time);
    if (from->type.arity != 3 || from->type.element == RLTI_TEXT)
        return rlti_refuse(messages, "%s: %s.%s: not three numbers per point", file, path, name);
    if (from->count != (size_t)p->out.cage_count)
        return rlti_refuse(messages, "%s: %s.%s: %zu values at time %g, but there are %d points", file, path,
                           name, from->count, time, p->out.cage_count);
    if (!rlti_array_to_doubles(from, p->cage[0]))
        return rlti_refuse(messages, "%s: %s.%s: not numbers", file, path, name);
    for (int i = 0; i < p->out.cage_count; i++)
        if (!isfinite(p->cage[i][0]) || !isfinite(p->cage[i][1]) || !isfinite(p->cage[i][2]))
            return rlti_refuse(messages, "%s: %s.%s: point %d at time %g is not a finite number", file, path,
                               name, i, time);
    return RLT_OK;
}

rlt_status rlti_geometry_points(rlti_geometry *geometry, double time, rlt_messages *messages,
                                double (*points)[3]) {
    rlti_geometry_private *p = (rlti_geometry_private *)geometry;
    double matrix[16];
    rlt_status status = read_points(p, time, messages);
    if (status == RLT_OK)
        status = take_values(p, "points", time, &p->value, messages);
    if (status == RLT_OK && p->skel != NULL) {
        status = rlti_skel_points(p->skel, time, messages, &p->value, &p->skinned);
        if (status == RLT_OK)
            status = take_values(p, "points", time, &p->skinned, messages);
    }
    if (status == RLT_OK)
        status = rlti_geometry_matrix(geometry, time, messages, matrix);
    return status == RLT_OK ? place_points(p, "points", time, matrix, messages, points) : status;
}

rlt_status rlti_geometry_vertex_values(rlti_geometry *geometry, const rlti_attribute *attribute, double time,
                                       int place, rlt_messages *messages, double (*points)[3]) {
    rlti_geometry_private *p = (rlti_geometry_private *)geometry;
    rlti_array value = {0};
    double matrix[16];
    rlt_status status = rlti_stage_flat(geometry->stage, prim_of(p), attribute, time, messages, &value);
    if (status == RLT_OK)
        status = take_values(p, attribute->name, time, &value, messages);
    if (status == RLT_OK)
        status = rlti_stage_world(geometry->stage, geometry->prim, time, messages, matrix);
    if (status == RLT_OK) {
        rlti_matrix_multiply(matrix, p->def.to_target, matrix);
        if (!place)
            matrix[12] = matrix[13] = matrix[14] = 0.0;
        status = place_points(p, attribute->name, time, matrix, messages, points);
    }
    rlti_array_clear(&value);
    return status;
}
