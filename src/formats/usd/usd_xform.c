/* Transform stacks: xformOpOrder and the operations it names (formats.md: UsdGeomXformable). With row vectors
 * the last operation of the list is applied to points first: p' = p op_n ... op_1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/matrix.h"
#include "formats/usd/usd_stage.h"

enum { STEPS_MAX = 1000 }; /* of one transform; more is a damaged file */

static const struct {
    const char *name;
    rlti_usd_op_type type;
    signed char axes[3];
} op_types[] = {
    {"translate", RLTI_USD_TRANSLATE, {0, 1, 2}},
    {"translateX", RLTI_USD_TRANSLATE, {0, -1, -1}},
    {"translateY", RLTI_USD_TRANSLATE, {1, -1, -1}},
    {"translateZ", RLTI_USD_TRANSLATE, {2, -1, -1}},
    {"scale", RLTI_USD_SCALE, {0, 1, 2}},
    {"scaleX", RLTI_USD_SCALE, {0, -1, -1}},
    {"scaleY", RLTI_USD_SCALE, {1, -1, -1}},
    {"scaleZ", RLTI_USD_SCALE, {2, -1, -1}},
    {"rotateX", RLTI_USD_ROTATE, {0, -1, -1}},
    {"rotateY", RLTI_USD_ROTATE, {1, -1, -1}},
    {"rotateZ", RLTI_USD_ROTATE, {2, -1, -1}},
    {"rotateXYZ", RLTI_USD_ROTATE, {0, 1, 2}},
    {"rotateXZY", RLTI_USD_ROTATE, {0, 2, 1}},
    {"rotateYXZ", RLTI_USD_ROTATE, {1, 0, 2}},
    {"rotateYZX", RLTI_USD_ROTATE, {1, 2, 0}},
    {"rotateZXY", RLTI_USD_ROTATE, {2, 0, 1}},
    {"rotateZYX", RLTI_USD_ROTATE, {2, 1, 0}},
    {"orient", RLTI_USD_ORIENT, {0, 1, 2}},
    {"transform", RLTI_USD_MATRIX, {0, 1, 2}},
};

static int numbers_of(const rlti_usd_op *op) {
    switch (op->type) {
    case RLTI_USD_ORIENT:
        return 4;
    case RLTI_USD_MATRIX:
        return 16;
    default:
        return op->axes[1] < 0 ? 1 : 3;
    }
}

/* "xformOp:rotateXYZ:suffix" to an operation; 0 where the type is not known. */
static int parse_op(const char *name, rlti_usd_op *op) {
    if (strncmp(name, "xformOp:", 8) != 0)
        return 0;
    size_t length = strcspn(name + 8, ":");
    for (size_t i = 0; i < sizeof op_types / sizeof op_types[0]; i++)
        if (strlen(op_types[i].name) == length && strncmp(op_types[i].name, name + 8, length) == 0) {
            op->type = op_types[i].type;
            memcpy(op->axes, op_types[i].axes, sizeof op->axes);
            return 1;
        }
    return 0;
}

/* 1 where every writer keeps the name: letters, digits, '_' and ':' of ASCII. */
static int is_plain(const char *name) {
    for (; *name != '\0'; name++)
        if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
              (*name >= '0' && *name <= ':') || *name == '_'))
            return 0;
    return 1;
}

static rlt_status add_ops(rlti_usd_own *own, int prim, const char *file, const rlti_array *order,
                          rlt_messages *messages, rlti_usd_xform *xform) {
    const char *const *words = order->data;
    const char *path = own->composed.prims[prim].path;
    xform->is_whole = 1;
    for (size_t i = 0; i < order->count; i++) {
        const char *word = words[i];
        rlti_usd_op op = {0};
        if (strcmp(word, "!resetXformStack!") == 0) { /* what stands before it does not count */
            xform->resets = 1;
            xform->is_whole &= xform->count == 0;
            xform->count = 0;
            continue;
        }
        op.inverts = strncmp(word, "!invert!", 8) == 0;
        word += op.inverts ? 8 : 0;
        if (!parse_op(word, &op)) {
            xform->is_whole = 0;
            rlti_warn(messages, "%s: %s: xformOpOrder: '%s' is not known; left out", file, path, word);
            continue;
        }
        op.from = rlti_usd_property_named(own, prim, word);
        if (op.from == NULL || (op.from->samples == NULL && op.from->value == NULL)) {
            xform->is_whole = 0;
            if (op.from == NULL)
                rlti_warn(messages, "%s: %s: xformOpOrder: there is no '%s'; left out", file, path, word);
            continue;
        }
        rlti_array_type type = op.from->type;
        if (type.element == RLTI_TEXT || type.is_array || type.arity != numbers_of(&op))
            return rlti_refuse(messages, "%s: %s.%s: type %s cannot be a step of a transform", file, path,
                               word, op.from->type_name);
        xform->ops[xform->count++] = op;
        xform->is_whole &= is_plain(word);
    }
    return RLT_OK;
}

rlt_status rlti_usd_xform_open(rlti_usd_own *own, int prim, const char *file, rlt_messages *messages) {
    const rlti_usd_resolved *from = rlti_usd_property_named(own, prim, "xformOpOrder");
    const char *path = own->composed.prims[prim].path;
    rlti_array order = {0};
    if (from == NULL || (from->value == NULL && from->samples == NULL))
        return RLT_OK;
    rlt_status status =
        rlti_usd_resolved_read(from, from->value != NULL ? -1 : 0, file, path, messages, &order);
    if (status == RLT_OK && !order.blocked && order.count > 0) {
        rlti_usd_xform *xform = rlti_arena_keep(&own->arena, 1, sizeof *xform);
        if (order.type.element != RLTI_TEXT)
            status = rlti_refuse(messages, "%s: %s.xformOpOrder: not a list of words", file, path);
        else if (order.count > STEPS_MAX)
            status = rlti_refuse(messages, "%s: %s.xformOpOrder: more than %d steps", file, path, STEPS_MAX);
        else if (xform == NULL ||
                 (xform->ops = rlti_arena_keep(&own->arena, order.count, sizeof *xform->ops)) == NULL)
            status = rlti_out_of_memory(messages);
        else
            status = add_ops(own, prim, file, &order, messages, xform);
        if (status == RLT_OK && xform != NULL)
            xform->is_whole &= from->value != NULL;
        if (status == RLT_OK && xform != NULL && (xform->count > 0 || xform->resets))
            own->xforms[prim] = xform;
    }
    rlti_array_clear(&order);
    return status;
}

rlt_status rlti_usd_xform_times(const rlti_usd_xform *xform, rlt_messages *messages, double **times,
                                int *count) {
    int all = 0;
    *count = 0;
    for (int i = 0; i < xform->count; i++)
        all += xform->ops[i].from->samples != NULL ? xform->ops[i].from->samples->sample_count : 0;
    double *list = RLTI_NEW(double, all);
    *times = list;
    if (list == NULL)
        return rlti_out_of_memory(messages);
    int used = 0;
    for (int i = 0; i < xform->count; i++) {
        const rlti_usd_resolved *from = xform->ops[i].from;
        for (int s = 0; from->samples != NULL && s < from->samples->sample_count; s++)
            list[used++] = from->scale * from->samples->times[s] + from->offset;
    }
    qsort(list, (size_t)used, sizeof *list, rlti_compare_doubles);
    for (int i = 0; i < used; i++)
        if (*count == 0 || list[i] > list[*count - 1])
            list[(*count)++] = list[i];
    return RLT_OK;
}

/* ---- at a time ---- */

/* `wanted` numbers, into `to`. */
static rlt_status read_numbers(const rlti_usd_resolved *from, int sample, int wanted, const char *file,
                               const char *path, rlt_messages *messages, double *to, int *is_blocked) {
    rlti_array array = {0};
    rlt_status status = rlti_usd_resolved_read(from, sample, file, path, messages, &array);
    *is_blocked = array.blocked;
    memset(to, 0, (size_t)wanted * sizeof *to);
    if (status == RLT_OK && !array.blocked) {
        int ok = array.count == 1 && array.type.arity == wanted && rlti_array_to_doubles(&array, to);
        for (int i = 0; i < wanted; i++)
            ok = ok && isfinite(to[i]);
        if (!ok)
            status = rlti_refuse(messages, "%s: %s.%s: not finite numbers for a transform", file, path,
                                 from->name);
    }
    rlti_array_clear(&array);
    return status;
}

static void mix(const rlti_usd_op *op, int count, double *a, const double *b, double share) {
    if (op->type == RLTI_USD_ORIENT) {
        rlti_quat x = {a[3], a[0], a[1], a[2]}, y = {b[3], b[0], b[1], b[2]};
        rlti_quat q = rlti_quat_slerp(x, y, share);
        a[0] = q.x, a[1] = q.y, a[2] = q.z, a[3] = q.w;
        return;
    }
    for (int i = 0; i < count; i++)
        a[i] = (1.0 - share) * a[i] + share * b[i];
}

/* The numbers of a step at a time; *is_blocked when it has none there. */
static rlt_status numbers_at(const rlti_usd_op *op, double time, const char *file, const char *path,
                             rlt_messages *messages, double to[16], int *is_blocked) {
    const rlti_usd_resolved *from = op->from;
    int count = numbers_of(op);
    if (from->samples == NULL)
        return read_numbers(from, -1, count, file, path, messages, to, is_blocked);
    double own = (time - from->offset) / from->scale;
    const double *times = from->samples->times;
    int low = 0, high = from->samples->sample_count - 1, last = high;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (times[middle] <= own)
            low = middle;
        else
            high = middle - 1;
    }
    rlt_status status = read_numbers(from, low, count, file, path, messages, to, is_blocked);
    if (status != RLT_OK || *is_blocked || low == last || !(own > times[low]))
        return status;
    double next[16];
    int next_blocked;
    status = read_numbers(from, low + 1, count, file, path, messages, next, &next_blocked);
    if (status == RLT_OK && !next_blocked)
        mix(op, count, to, next, (own - times[low]) / (times[low + 1] - times[low]));
    return status;
}

/* Turns by `degrees` about one axis: row vectors. */
static void turn(int axis, double degrees, double m[16]) {
    double sine, cosine;
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    rlti_degrees(degrees, &sine, &cosine);
    rlti_matrix_identity(m);
    m[5 * a] = m[5 * b] = cosine;
    m[4 * a + b] = sine;
    m[4 * b + a] = -sine;
}

static void matrix_of(const rlti_usd_op *op, const double *numbers, double m[16]) {
    rlti_matrix_identity(m);
    switch (op->type) {
    case RLTI_USD_TRANSLATE:
        for (int i = 0; i < 3 && op->axes[i] >= 0; i++)
            m[12 + op->axes[i]] = numbers[i];
        break;
    case RLTI_USD_SCALE:
        for (int i = 0; i < 3 && op->axes[i] >= 0; i++)
            m[5 * op->axes[i]] = numbers[i];
        break;
    case RLTI_USD_ROTATE: { /* the first axis first; a single angle, or angles by axis */
        int is_single = op->axes[1] < 0;
        for (int i = 0; i < 3 && op->axes[i] >= 0; i++) {
            double one[16];
            turn(op->axes[i], is_single ? numbers[0] : numbers[op->axes[i]], one);
            rlti_matrix_multiply(m, one, m);
        }
        break;
    }
    case RLTI_USD_ORIENT: {
        rlti_quat q = {numbers[3], numbers[0], numbers[1], numbers[2]};
        rlti_matrix_rotation(rlti_quat_normalize(q), m);
        break;
    }
    default:
        memcpy(m, numbers, 16 * sizeof *m);
        break;
    }
}

rlt_status rlti_usd_xform_at(const rlti_usd_xform *xform, double time, const char *file, const char *path,
                             rlt_messages *messages, double matrix[16]) {
    rlti_matrix_identity(matrix);
    for (int i = xform->count - 1; i >= 0; i--) {
        const rlti_usd_op *op = &xform->ops[i];
        double numbers[16], m[16];
        int is_blocked;
        rlt_status status = numbers_at(op, time, file, path, messages, numbers, &is_blocked);
        if (status != RLT_OK)
            return status;
        if (is_blocked)
            continue;
        matrix_of(op, numbers, m);
        if (op->inverts && !rlti_matrix_inverse(m, m))
            return rlti_refuse(messages, "%s: %s.%s: cannot be inverted", file, path, op->from->name);
        rlti_matrix_multiply(matrix, m, matrix);
    }
    return RLT_OK;
}
