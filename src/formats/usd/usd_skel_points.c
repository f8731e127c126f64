/* Skinning at a time: the pose of the skeleton, then the points. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/matrix.h"
#include "formats/usd/usd_skel_data.h"

/* ---- the pose ---- */

/* `count` values of `arity` numbers at a time; NULL (with RLT_OK) where there are none. */
static rlt_status numbers_at(const rlti_skel *s, const rlti_attribute *a, double time, int arity,
                             size_t count, rlt_messages *messages, double **numbers) {
    const rlti_prim *prim = &s->stage->prims[s->motion];
    rlti_array array = {0};
    *numbers = NULL;
    if (a == NULL)
        return RLT_OK;
    rlt_status status = rlti_stage_value(s->stage, prim, a, time, messages, &array);
    if (status == RLT_OK && !array.blocked) {
        if (array.count != count || array.type.arity != arity)
            status = rlti_refuse(messages, "%s: %s.%s: %zu values at time %g, but %zu are needed",
                                 s->stage->file, prim->path, a->name, array.count, time, count);
        else if ((*numbers = RLTI_NEW(double, count *(size_t)arity)) == NULL ||
                 !rlti_array_to_doubles(&array, *numbers))
            status = rlti_out_of_memory(messages);
        for (size_t i = 0; status == RLT_OK && *numbers != NULL && i < count * (size_t)arity; i++)
            if (!isfinite((*numbers)[i]))
                status = rlti_refuse(messages, "%s: %s.%s: not a finite number at time %g", s->stage->file,
                                     prim->path, a->name, time);
    }
    rlti_array_clear(&array);
    return status;
}

static rlti_quat quat_of(const double *v) {
    rlti_quat q = {v[3], v[0], v[1], v[2]};
    return q;
}

/* Rotations between two samples go along great circles, each by itself. */
static rlt_status rotations_at(const rlti_skel *s, double time, rlt_messages *messages, double **numbers) {
    const rlti_attribute *a = s->rotations;
    size_t count = (size_t)s->motion_count;
    int low = 0;
    double *next = NULL;
    if (a == NULL || a->sample_count < 2)
        return numbers_at(s, a, time, 4, count, messages, numbers);
    while (low + 1 < a->sample_count && a->times[low + 1] <= time)
        low++;
    rlt_status status = numbers_at(s, a, a->times[low], 4, count, messages, numbers);
    if (status != RLT_OK || low + 1 == a->sample_count || !(time > a->times[low]) || *numbers == NULL)
        return status;
    status = numbers_at(s, a, a->times[low + 1], 4, count, messages, &next);
    double share = (time - a->times[low]) / (a->times[low + 1] - a->times[low]);
    for (size_t i = 0; status == RLT_OK && next != NULL && i < count; i++) {
        double *to = *numbers + 4 * i;
        rlti_quat q = rlti_quat_slerp(quat_of(to), quat_of(next + 4 * i), share);
        to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w;
    }
    rlti_free(next);
    return status;
}

/* Joints in their parents' spaces: the rest pose, with what the motion moves. */
static rlt_status pose_locally(rlti_skel *s, double time, rlt_messages *messages) {
    double *t = NULL, *r = NULL, *k = NULL;
    size_t count = (size_t)s->motion_count;
    memcpy(s->pose, s->rest, (size_t)s->joint_count * sizeof *s->pose);
    if (s->motion < 0 || s->motion_count == 0)
        return RLT_OK;
    rlt_status status = numbers_at(s, s->translations, time, 3, count, messages, &t);
    if (status == RLT_OK)
        status = rotations_at(s, time, messages, &r);
    if (status == RLT_OK)
        status = numbers_at(s, s->scales, time, 3, count, messages, &k);
    /* USD wants all three; a missing scale alone is taken as 1 */
    for (size_t i = 0; status == RLT_OK && t != NULL && r != NULL && i < count; i++) {
        if (s->motion_joints[i] < 0)
            continue;
        double *m = s->pose[s->motion_joints[i]];
        rlti_matrix_rotation(rlti_quat_normalize(quat_of(r + 4 * i)), m);
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++)
                m[4 * row + column] *= k != NULL ? k[3 * i + (size_t)row] : 1.0;
        memcpy(m + 12, t + 3 * i, 3 * sizeof *m);
    }
    RLTI_FREE(t, r, k);
    return status;
}

/* The rotation U and the symmetric P of M = P U (upper 3 x 3), by Newton's iteration U <- (U + U^-T) / 2; of
 * a mirroring matrix P has the sign. */
static void split(const double m[16], double rotation[16], double scale[16]) {
    double sign = rlti_matrix_determinant3(m) < 0.0 ? -1.0 : 1.0;
    rlti_matrix_identity(rotation);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            rotation[4 * r + c] = sign * m[4 * r + c];
    for (int i = 0; i < 30; i++) {
        double inverse[16], change = 0.0;
        if (!rlti_matrix_inverse(rotation, inverse)) { /* flat: nothing turns */
            rlti_matrix_identity(rotation);
            break;
        }
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                double next = 0.5 * (rotation[4 * r + c] + inverse[4 * c + r]);
                change = fmax(change, fabs(next - rotation[4 * r + c]));
                inverse[4 * c + r] = next; /* kept in the transposed place */
            }
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                rotation[4 * r + c] = inverse[4 * c + r];
        if (change < 1e-14)
            break;
    }
    rlti_matrix_identity(scale);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            scale[4 * r + c] = m[4 * r] * rotation[4 * c] + m[4 * r + 1] * rotation[4 * c + 1] +
                               m[4 * r + 2] * rotation[4 * c + 2];
}

static void make_dual(const double m[16], rlti_skel_dual *to) {
    double rotation[16];
    split(m, rotation, to->scale);
    to->real = rlti_quat_normalize(rlti_quat_from_matrix(rotation));
    rlti_quat moved = {0.0, m[12], m[13], m[14]};
    to->dual = rlti_quat_multiply(moved, to->real);
    to->dual.w *= 0.5, to->dual.x *= 0.5, to->dual.y *= 0.5, to->dual.z *= 0.5;
}

/* Skinning matrices, from the bind pose in skeleton space to the pose. */
static rlt_status make_pose(rlti_skel *s, double time, rlt_messages *messages) {
    rlt_status status = pose_locally(s, time, messages);
    if (status != RLT_OK)
        return status;
    for (int i = 0; i < s->joint_count; i++)
        if (s->parents[i] >= 0)
            rlti_matrix_multiply(s->pose[i], s->pose[s->parents[i]], s->pose[i]);
    for (int i = 0; i < s->joint_count; i++) {
        rlti_matrix_multiply(s->unbind[i], s->pose[i], s->pose[i]);
        if (s->is_dual)
            make_dual(s->pose[i], &s->duals[i]);
    }
    return RLT_OK;
}

/* ---- points ---- */

static rlti_vec3 skin_linear(const rlti_skel *s, const int *joints, const double *weights, rlti_vec3 p) {
    rlti_vec3 sum = {0, 0, 0};
    for (int i = 0; i < s->influences; i++)
        if (weights[i] != 0.0)
            sum = rlti_madd(sum, weights[i], rlti_matrix_point(s->pose[joints[i]], p));
    return sum;
}

static void add_quat(rlti_quat *to, double weight, rlti_quat q) {
    to->w += weight * q.w;
    to->x += weight * q.x;
    to->y += weight * q.y;
    to->z += weight * q.z;
}

/* Dual quaternions on the side of the joint with the greatest weight; scales are blended before. */
static rlti_vec3 skin_dual(const rlti_skel *s, const int *joints, const double *weights, rlti_vec3 p) {
    rlti_quat real = {0, 0, 0, 0}, dual = real;
    rlti_vec3 scaled = {0, 0, 0};
    int main = 0;
    for (int i = 1; i < s->influences; i++)
        if (weights[i] > weights[main])
            main = i;
    rlti_quat side = s->duals[joints[main]].real;
    for (int i = 0; i < s->influences; i++) {
        const rlti_skel_dual *d = &s->duals[joints[i]];
        double weight = weights[i];
        if (weight == 0.0)
            continue;
        scaled = rlti_madd(scaled, weight, rlti_matrix_vector(d->scale, p));
        if (d->real.w * side.w + d->real.x * side.x + d->real.y * side.y + d->real.z * side.z < 0.0)
            weight = -weight;
        add_quat(&real, weight, d->real);
        add_quat(&dual, weight, d->dual);
    }
    double length = sqrt(real.w * real.w + real.x * real.x + real.y * real.y + real.z * real.z);
    if (!(length > 0.0))
        return scaled;
    /* translation = 2 dual conj(real) / |real|^2 */
    rlti_quat unit = rlti_quat_normalize(real);
    rlti_quat moved = rlti_quat_multiply(dual, rlti_quat_conjugate(unit));
    return rlti_madd(rlti_quat_rotate(unit, scaled), 2.0 / length, rlti_v3(moved.x, moved.y, moved.z));
}

/* Adds a share of what a blend shape is at one of its keys. */
static rlt_status add_key(const rlti_skel *s, const rlti_skel_shape *shape, const rlti_skel_key *key,
                          double share, rlt_messages *messages, double (*points)[3], size_t count) {
    for (int k = 0; k < key->count && share != 0.0; k++) {
        int at = shape->points != NULL ? shape->points[k] : k;
        if (at < 0 || (size_t)at >= count)
            return rlti_refuse(messages, "%s: %s: a blend shape moves point %d, but there are %zu",
                               s->stage->file, s->stage->prims[s->prim].path, at, count);
        for (int c = 0; c < 3; c++)
            points[at][c] += share * key->offsets[k][c];
    }
    return RLT_OK;
}

/* Adds a blend shape: between the two keys around the weight, or beyond the outermost two, as in OpenUSD. */
static rlt_status add_shape(const rlti_skel *s, const rlti_skel_shape *shape, double weight,
                            rlt_messages *messages, double (*points)[3], size_t count) {
    int upper = 1;
    while (upper + 1 < shape->key_count && shape->keys[upper].weight <= weight)
        upper++;
    const rlti_skel_key *low = &shape->keys[upper - 1], *high = &shape->keys[upper];
    double delta = high->weight - low->weight;
    if (!(delta > 1e-6))
        return RLT_OK;
    double share = (weight - low->weight) / delta;
    rlt_status status = add_key(s, shape, low, 1.0 - share, messages, points, count);
    return status == RLT_OK ? add_key(s, shape, high, share, messages, points, count) : status;
}

static rlt_status add_shapes(const rlti_skel *s, double time, rlt_messages *messages, double (*points)[3],
                             size_t count) {
    rlti_array weights = {0};
    const rlti_prim *prim = &s->stage->prims[s->motion >= 0 ? s->motion : 0];
    if (s->shape_count == 0)
        return RLT_OK;
    rlt_status status = rlti_stage_value(s->stage, prim, s->shape_weights, time, messages, &weights);
    double *numbers = status == RLT_OK && !weights.blocked ? RLTI_NEW(double, weights.count) : NULL;
    if (numbers != NULL && weights.type.arity == 1 && rlti_array_to_doubles(&weights, numbers))
        for (int i = 0; i < s->shape_count && status == RLT_OK; i++)
            if ((size_t)s->shapes[i].weight < weights.count && numbers[s->shapes[i].weight] != 0.0)
                status = add_shape(s, &s->shapes[i], numbers[s->shapes[i].weight], messages, points, count);
    rlti_free(numbers);
    rlti_array_clear(&weights);
    return status;
}

rlt_status rlti_skel_points(rlti_skel *s, double time, rlt_messages *messages, const rlti_array *points,
                            rlti_array *out) {
    static const rlti_array_type type = {RLTI_DOUBLE, 3, RLTI_ROLE_POINT, 1};
    const rlti_prim *prim = &s->stage->prims[s->prim];
    if (points->blocked || points->type.arity != 3 ||
        (s->has_joints && !s->is_rigid && points->count != s->places))
        return rlti_refuse(messages, "%s: %s: %zu points at time %g, but joint weights for %zu points",
                           s->stage->file, prim->path, points->count, time, s->places);
    double(*to)[3] = rlti_array_reserve(out, type, points->count);
    if (to == NULL || !rlti_array_to_doubles(points, (double *)to))
        return rlti_out_of_memory(messages);
    rlt_status status = add_shapes(s, time, messages, to, points->count);
    if (status != RLT_OK || !s->has_joints)
        return status;
    status = make_pose(s, time, messages);
    for (size_t i = 0; status == RLT_OK && i < points->count; i++) {
        size_t first = s->is_rigid ? 0 : i * (size_t)s->influences;
        rlti_vec3 p = rlti_matrix_point(s->geom_bind, rlti_v3(to[i][0], to[i][1], to[i][2]));
        p = s->is_dual ? skin_dual(s, s->joints + first, s->weights + first, p)
                       : skin_linear(s, s->joints + first, s->weights + first, p);
        rlti_v3_put(to[i], p);
    }
    return status;
}

rlt_status rlti_skel_world(const rlti_skel *s, double time, rlt_messages *messages, double matrix[16]) {
    return rlti_stage_world(s->stage, s->has_joints ? s->skeleton : s->prim, time, messages, matrix);
}
