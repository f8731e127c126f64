/* Alembic transforms: a list of operations, the first applied last, and their numbers over time. */
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/matrix.h"
#include "base/messages.h"
#include "formats/alembic/abc_data.h"

enum {
    SCALE,
    TRANSLATE,
    ROTATE, /* axis and angle [degrees] */
    MATRIX,
    ROTATE_X,
    ROTATE_Y,
    ROTATE_Z,
    OPERATIONS
};

static const unsigned char channels[OPERATIONS] = {3, 3, 4, 16, 1, 1, 1};

/* Numbers the operations need; 0 where one is not known. */
static size_t needed(const rlti_abc_xform *xform) {
    size_t sum = 0;
    for (size_t i = 0; i < xform->count; i++) {
        if (xform->operations[i] >> 4 >= OPERATIONS)
            return 0;
        sum += channels[xform->operations[i] >> 4];
    }
    return sum;
}

static int does_inherit(const rlti_abc *abc, const rlti_abc_property *p, double time);

/* 1 where the property says at all times that parents count, as nearly always. */
static int always_inherits(const rlti_abc *abc, const rlti_abc_property *p) {
    return rlti_abc_step_count(p) == 1 && does_inherit(abc, p, 0.0);
}

static rlt_status keep_found(rlti_abc_builder *b, const rlti_abc_property *list, int count, const char *name,
                             int *index) {
    const rlti_abc_property *p = rlti_abc_find(list, count, name);
    *index = -1;
    if (p == NULL || p->kind == RLTI_ABC_COMPOUND || p->sample_count == 0)
        return RLT_OK;
    return rlti_abc_keep(b, p, index);
}

rlt_status rlti_abc_add_xform(rlti_abc_builder *b, const rlti_abc_property *list, int count,
                              rlti_prim *prim) {
    rlti_abc_xform xform = {0};
    rlti_ogawa_data data;
    const rlti_abc_property *operations = rlti_abc_find(list, count, ".ops");
    if (operations != NULL && operations->kind != RLTI_ABC_COMPOUND && operations->sample_count > 0) {
        const char *problem = rlti_abc_sample(&b->abc->archive, operations, 0, &data);
        if (problem == NULL && operations->pod != 1)
            problem = "operations are not bytes";
        if (problem != NULL)
            return rlti_abc_problem(b, ".ops", problem);
        xform.operations = data.bytes;
        xform.count = data.size;
    }
    rlt_status status = keep_found(b, list, count, ".vals", &xform.values);
    if (status == RLT_OK)
        status = keep_found(b, list, count, ".inherits", &xform.inherits);
    if (status != RLT_OK)
        return status;
    if (xform.inherits >= 0 && always_inherits(b->abc, &b->abc->properties[xform.inherits]))
        xform.inherits = -1;
    const rlti_abc_property *values = xform.values >= 0 ? &b->abc->properties[xform.values] : NULL;
    if (values == NULL)
        xform.count = 0;
    else if (xform.count > 0 && (needed(&xform) == 0 || values->pod != 11))
        return rlti_abc_problem(b, ".ops", "an operation that is not known");
    prim->has_transform = xform.count > 0 || xform.inherits >= 0;
    prim->resets =
        xform.inherits >= 0 && !does_inherit(b->abc, &b->abc->properties[xform.inherits], -HUGE_VAL);
    prim->resets_change = xform.inherits >= 0 && rlti_abc_step_count(&b->abc->properties[xform.inherits]) > 1;
    if (xform.count > 0 && rlti_abc_step_count(values) > 1) {
        status = rlti_abc_times(b, values, &prim->transform_time_count);
        prim->transform_times = b->times;
    }
    if (status == RLT_OK &&
        !RLTI_LIST_RESERVE(b->abc->xforms, b->abc->xform_count, 1, b->abc->xform_capacity))
        status = rlti_out_of_memory(b->messages);
    if (status == RLT_OK)
        status = rlti_abc_charge(b, sizeof xform);
    if (status == RLT_OK) {
        prim->where[0] = (uint64_t)b->abc->xform_count;
        b->abc->xforms[b->abc->xform_count++] = xform;
    }
    return status;
}

/* ---- matrices: row vectors, p' = p M ---- */

static void rotation(rlti_vec3 axis, double degrees, double m[16]) {
    rlti_vec3 u = rlti_normalize(axis);
    double angle = degrees * (RLTI_PI / 180.0);
    double c = rlti_cos(angle), s = rlti_sin(angle), d = 1.0 - c;
    m[0] = u.x * u.x * d + c;
    m[1] = u.x * u.y * d + u.z * s;
    m[2] = u.x * u.z * d - u.y * s;
    m[4] = u.x * u.y * d - u.z * s;
    m[5] = u.y * u.y * d + c;
    m[6] = u.y * u.z * d + u.x * s;
    m[8] = u.x * u.z * d + u.y * s;
    m[9] = u.y * u.z * d - u.x * s;
    m[10] = u.z * u.z * d + c;
}

static void operation_matrix(int kind, const double *v, double m[16]) {
    rlti_matrix_identity(m);
    switch (kind) {
    case SCALE:
        m[0] = v[0];
        m[5] = v[1];
        m[10] = v[2];
        break;
    case TRANSLATE:
        memcpy(m + 12, v, 3 * sizeof *v);
        break;
    case ROTATE:
        rotation(rlti_v3(v[0], v[1], v[2]), v[3], m);
        break;
    case MATRIX:
        memcpy(m, v, 16 * sizeof *v);
        break;
    default:
        rotation(rlti_v3(kind == ROTATE_X, kind == ROTATE_Y, kind == ROTATE_Z), v[0], m);
        break;
    }
}

static void stack_matrix(const rlti_abc_xform *xform, const double *values, double matrix[16]) {
    rlti_matrix_identity(matrix);
    for (size_t i = 0; i < xform->count; i++) {
        double one[16];
        int kind = xform->operations[i] >> 4;
        operation_matrix(kind, values, one);
        rlti_matrix_multiply(one, matrix, matrix);
        values += channels[kind];
    }
}

/* ---- over time ---- */

/* The step at or before the time, and how far it is to the next (0 to 1). */
static int find_step(const rlti_prim *prim, double time, double *share) {
    int step = 0, last = prim->transform_time_count - 1;
    *share = 0.0;
    while (step < last) {
        int middle = step + (last - step + 1) / 2;
        if (prim->transform_times[middle] <= time)
            step = middle;
        else
            last = middle - 1;
    }
    if (step + 1 < prim->transform_time_count && time > prim->transform_times[step])
        *share = (time - prim->transform_times[step]) /
                 (prim->transform_times[step + 1] - prim->transform_times[step]);
    return step;
}

static const char *read_step(const rlti_abc *abc, const rlti_abc_xform *xform, int step, rlti_array *values) {
    const rlti_abc_property *p = &abc->properties[xform->values];
    rlti_ogawa_data data;
    size_t count = needed(xform);
    const char *problem = rlti_abc_sample(&abc->archive, p, rlti_abc_step_sample(p, (uint32_t)step), &data);
    if (problem != NULL)
        return problem;
    if (data.size < count * sizeof(double))
        return "fewer numbers than its operations need";
    static const rlti_array_type type = {RLTI_DOUBLE, 1, RLTI_ROLE_NONE, 1};
    void *numbers = rlti_array_reserve(values, type, count);
    if (numbers == NULL)
        return rlti_abc_no_memory;
    memcpy(numbers, data.bytes, count * sizeof(double));
    return NULL;
}

static const char *read_matrix(const rlti_abc *abc, const rlti_prim *prim, const rlti_abc_xform *xform,
                               double time, double matrix[16]) {
    double share;
    int step = find_step(prim, time, &share);
    rlti_array values = {0}, next = {0};
    const char *problem = read_step(abc, xform, step, &values);
    if (problem == NULL && share > 0.0) {
        problem = read_step(abc, xform, step + 1, &next);
        double *a = values.owned;
        const double *b = next.data;
        for (size_t i = 0; problem == NULL && i < values.count; i++)
            a[i] = (1.0 - share) * a[i] + share * b[i];
    }
    if (problem == NULL)
        stack_matrix(xform, values.data, matrix);
    rlti_array_clear(&values);
    rlti_array_clear(&next);
    return problem;
}

/* The sample of .inherits that holds at a time. */
static int does_inherit(const rlti_abc *abc, const rlti_abc_property *p, double time) {
    uint32_t steps = rlti_abc_step_count(p), step = 0;
    rlti_ogawa_data data;
    while (step + 1 < steps &&
           rlti_abc_time(&abc->archive.samplings[p->sampling], rlti_abc_step_sample(p, step + 1)) <= time)
        step++;
    return rlti_abc_sample(&abc->archive, p, rlti_abc_step_sample(p, step), &data) != NULL ||
           data.size == 0 || data.bytes[0] != 0;
}

rlt_status rlti_abc_read_transform(const rlti_stage *stage, const rlti_prim *prim, double time,
                                   rlt_messages *messages, double matrix[16], int *resets) {
    const rlti_abc *abc = stage->own;
    const rlti_abc_xform *xform = &abc->xforms[prim->where[0]];
    rlti_matrix_identity(matrix);
    *resets = xform->inherits >= 0 && !does_inherit(abc, &abc->properties[xform->inherits], time);
    const char *problem = xform->count > 0 ? read_matrix(abc, prim, xform, time, matrix) : NULL;
    if (problem == rlti_abc_no_memory)
        return rlti_out_of_memory(messages);
    if (problem != NULL)
        return rlti_refuse(messages, "%s: %s: transform: %s", stage->file, prim->path, problem);
    return RLT_OK;
}
