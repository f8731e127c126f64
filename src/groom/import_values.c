#include <stdio.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/messages.h"
#include "groom/import.h"

/* An attribute on the prim itself, whatever its class. */
static const rlti_attribute *on_prim(const rlti_stage *stage, const rlti_prim *prim, const char *name) {
    static const rlti_attribute_class classes[] = {RLTI_PRIMVAR, RLTI_BUILT_IN, RLTI_CUSTOM};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        const rlti_attribute *a = rlti_stage_attribute(stage, prim, classes[i], name);
        if (a != NULL && !a->is_index)
            return a;
    }
    return NULL;
}

const rlti_attribute *rlti_curves_attribute(const rlti_curves *curves, const char *name,
                                            const rlti_prim **owner) {
    const rlti_stage *stage = curves->stage;
    for (int p = curves->prim; p >= 0; p = stage->prims[p].parent) {
        const rlti_attribute *a = on_prim(stage, &stage->prims[p], name);
        *owner = &stage->prims[p];
        if (a != NULL &&
            (p == curves->prim || (a->class_ != RLTI_BUILT_IN && a->interpolation == RLTI_CONSTANT)))
            return a;
    }
    return NULL;
}

/* Values a curve of `count` points has where an attribute varies: one per end of a segment. */
static int varying_count(const rlti_prim *prim, int count) {
    int periodic = prim->wrap == RLTI_WRAP_PERIODIC;
    if (prim->curve_type == RLTI_CURVE_LINEAR)
        return count;
    if (prim->wrap == RLTI_WRAP_PINNED)
        return count;
    int step = prim->basis == RLTI_BASIS_BEZIER ? 3 : 1;
    int segments = periodic ? count / step : (count >= 4 ? (count - 4) / step + 1 : 1);
    return periodic ? segments : segments + 1;
}

/* Spreads `have` values evenly over the points of a curve. */
static void spread(const double *from, int have, int arity, int count, double *to) {
    for (int i = 0; i < count; i++) {
        double at = count > 1 ? (double)i * (have - 1) / (count - 1) : 0.0;
        int k = (int)at;
        k = k < have - 1 ? k : (have > 1 ? have - 2 : 0);
        double share = at - k;
        const double *a = from + (size_t)k * (size_t)arity, *b = a + (have > 1 ? arity : 0);
        for (int c = 0; c < arity; c++)
            to[(size_t)i * (size_t)arity + (size_t)c] = a[c] + share * (b[c] - a[c]);
    }
}

/* Owner of the values: what the file says where the count fits that, else what the count fits. */
static int place_of_count(const rlti_curves *curves, const rlti_attribute *attribute, size_t count,
                          rlti_interpolation *place) {
    const rlti_prim *prim = &curves->stage->prims[curves->prim];
    size_t varying = 0;
    for (int c = 0; c < curves->curve_count; c++)
        varying += (size_t)varying_count(prim, curves->first[c + 1] - curves->first[c]);
    const struct {
        rlti_interpolation place;
        size_t count;
    } fits[] = {{RLTI_VERTEX, (size_t)curves->point_count},
                {RLTI_UNIFORM, (size_t)curves->curve_count},
                {RLTI_VARYING, varying},
                {RLTI_CONSTANT, 1}};
    for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++)
        if (fits[i].place == attribute->interpolation && fits[i].count == count) {
            *place = fits[i].place;
            return 1;
        }
    for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++)
        if (fits[i].count == count) {
            *place = fits[i].place;
            return 1;
        }
    return 0;
}

static void fill(const rlti_curves *curves, rlti_interpolation place, int arity, const double *from,
                 double *to) {
    const rlti_prim *prim = &curves->stage->prims[curves->prim];
    size_t size = (size_t)arity, at = 0;
    for (int c = 0; c < curves->curve_count; c++) {
        int first = curves->first[c], count = curves->first[c + 1] - first;
        double *out = to + (size_t)first * size;
        int have = place == RLTI_VERTEX ? count : place == RLTI_VARYING ? varying_count(prim, count) : 1;
        const double *in = place == RLTI_CONSTANT ? from : from + at * size;
        if (have == count)
            memcpy(out, in, (size_t)count * size * sizeof(double));
        else if (count > 0)
            spread(in, have, arity, count, out);
        at += (size_t)have;
    }
}

rlt_status rlti_curves_per_point(const rlti_curves *curves, const rlti_prim *owner,
                                 const rlti_attribute *attribute, rlt_messages *messages, double *values) {
    const rlti_stage *stage = curves->stage;
    rlti_array array = {0};
    rlti_interpolation place = RLTI_CONSTANT;
    double *numbers = NULL;
    rlt_status status = rlti_stage_flat(stage, owner, attribute, curves->time, messages, &array);
    if (status == RLT_OK && array.blocked)
        status = rlti_refuse(messages, "%s: %s.%s: has no value", stage->file, owner->path, attribute->name);
    if (status == RLT_OK && !place_of_count(curves, attribute, array.count, &place))
        status = rlti_refuse(messages,
                             "%s: %s.%s: has %zu values; %d curves with %d points would have %d, %d or 1",
                             stage->file, owner->path, attribute->name, array.count, curves->curve_count,
                             curves->point_count, curves->curve_count, curves->point_count);
    if (status == RLT_OK) {
        numbers = RLTI_NEW(double, array.count *(size_t)array.type.arity);
        if (numbers == NULL)
            status = rlti_out_of_memory(messages);
        else if (!rlti_array_to_doubles(&array, numbers))
            status =
                rlti_refuse(messages, "%s: %s.%s: is %s, not numbers", stage->file, owner->path,
                            attribute->name, attribute->type_name[0] != '\0' ? attribute->type_name : "text");
        else
            fill(curves, place, array.type.arity, numbers, values);
    }
    rlti_free(numbers);
    rlti_array_clear(&array);
    return status;
}

/* ---- attributes under their usual names ---- */

typedef struct usual_name {
    const char *name;
    double factor;
} usual_name;

/* Reads the first of these that the prim has, of the given arity, into new memory; NULL: there is none. What
 * does not fit becomes a warning. */
static rlt_status read_usual(const rlti_curves *curves, const usual_name *names, size_t count, int arity,
                             rlt_messages *messages, double **values) {
    *values = NULL;
    for (size_t i = 0; i < count; i++) {
        const rlti_prim *owner;
        const rlti_attribute *a = rlti_curves_attribute(curves, names[i].name, &owner);
        if (a == NULL || a->type.arity != arity || a->type.element == RLTI_TEXT ||
            (!a->has_default && a->sample_count == 0))
            continue;
        size_t size = (size_t)curves->point_count * (size_t)arity;
        *values = RLTI_NEW(double, size);
        if (*values == NULL)
            return rlti_out_of_memory(messages);
        rlt_messages *own = rlt_messages_create();
        rlt_status status = rlti_curves_per_point(curves, owner, a, own, *values);
        if (status == RLT_BAD_INPUT && rlt_messages_count(own) > 0)
            rlti_warn(messages, "%s; left out", rlt_messages_text(own, 0));
        rlt_messages_destroy(own);
        if (status == RLT_FAILED)
            return rlti_out_of_memory(messages);
        if (status == RLT_OK) {
            for (size_t k = 0; k < size; k++)
                (*values)[k] *= names[i].factor;
            return RLT_OK;
        }
        rlti_free(*values);
        *values = NULL;
    }
    return RLT_OK;
}

#define COUNT(names) (sizeof(names) / sizeof((names)[0]))

/* How much longer a length of the prim's space is in the scene: the cube root of what volumes grow by. */
static double length_scale(const rlti_curves *curves, rlt_messages *messages) {
    double m[16];
    if (rlti_geometry_matrix(curves->geometry, curves->time, messages, m) != RLT_OK)
        return 1.0;
    double volume = fabs(rlti_matrix_determinant3(m)), root = 1.0;
    if (!(volume > 0.0) || !isfinite(volume))
        return 1.0;
    /* Newton, scaled to near 1 first: the same bits on every machine */
    double power = 1.0;
    for (; volume > 8.0; power *= 2.0)
        volume *= 0.125;
    for (; volume < 0.125; power *= 0.5)
        volume *= 8.0;
    for (int i = 0; i < 40; i++)
        root = (2.0 * root + volume / (root * root)) / 3.0;
    return root * power;
}

rlt_status rlti_curves_read_usual(rlti_curves *curves, rlt_messages *messages) {
    static const usual_name widths[] = {{"widths", 1.0},     {"width", 1.0},  {"groom_width", 1.0},
                                        {"hairWidths", 1.0}, {"pscale", 1.0}, {"radius", 2.0}};
    static const usual_name uv[] = {
        {"groom_root_uv", 1.0}, {"surface_uv_coordinate", 1.0}, {"st", 1.0}, {"uv", 1.0}, {"UVMap", 1.0},
        {"map1", 1.0}};
    double *per_point = NULL;
    rlt_status status = read_usual(curves, widths, COUNT(widths), 1, messages, &curves->widths);
    curves->length_scale = length_scale(curves, messages);
    for (int p = 0; p < curves->point_count && status == RLT_OK && curves->widths != NULL; p++) {
        double width = curves->widths[p] * curves->length_scale;
        curves->widths[p] = width > 0.0 && isfinite(width) ? width : 0.0;
    }
    if (status == RLT_OK)
        status = read_usual(curves, uv, COUNT(uv), 2, messages, &per_point);
    if (status == RLT_OK && per_point != NULL) {
        curves->root_uv = RLTI_NEW(double, 2 * (size_t)curves->curve_count);
        if (curves->root_uv == NULL)
            status = rlti_out_of_memory(messages);
        for (int c = 0; c < curves->curve_count && curves->root_uv != NULL; c++)
            if (curves->first[c + 1] > curves->first[c])
                memcpy(curves->root_uv + 2 * (size_t)c, per_point + 2 * (size_t)curves->first[c],
                       2 * sizeof(double));
    }
    rlti_free(per_point);
    return status;
}

/* One number per curve under one of the names, from its first point; NULL: the prim has none. */
static rlt_status read_per_curve(const rlti_curves *curves, const usual_name *names, size_t count,
                                 rlt_messages *messages, double **values) {
    double *per_point = NULL;
    *values = NULL;
    rlt_status status = read_usual(curves, names, count, 1, messages, &per_point);
    if (status == RLT_OK && per_point != NULL) {
        *values = RLTI_NEW(double, curves->curve_count);
        if (*values == NULL)
            status = rlti_out_of_memory(messages);
        for (int c = 0; c < curves->curve_count && *values != NULL; c++)
            (*values)[c] = curves->first[c + 1] > curves->first[c] ? per_point[curves->first[c]] : 0.0;
    }
    rlti_free(per_point);
    return status;
}

rlt_status rlti_curves_guides(const rlti_curves *curves, rlt_messages *messages, unsigned char *is_guide) {
    static const usual_name names[] = {{"groom_guide", 1.0}};
    int by_purpose = curves->stage->prims[curves->prim].purpose == RLTI_PURPOSE_GUIDE;
    double *mark = NULL;
    rlt_status status = read_per_curve(curves, names, COUNT(names), messages, &mark);
    for (int c = 0; c < curves->curve_count; c++)
        is_guide[c] = mark != NULL ? mark[c] != 0.0 : by_purpose;
    rlti_free(mark);
    return status;
}

rlt_status rlti_curves_groups(const rlti_curves *curves, rlt_messages *messages, double **groups) {
    static const usual_name names[] = {{"groom_group_id", 1.0}, {"groupId", 1.0}, {"group_id", 1.0}};
    return read_per_curve(curves, names, COUNT(names), messages, groups);
}
