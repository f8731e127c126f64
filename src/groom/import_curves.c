#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "groom/import.h"
#include "scene/readers.h"

static const double shortest_segment = 1e-4; /* of the strand's mean: shorter ones are near-degenerate */
static const double shortest_strand = 1e-3;  /* [unit] */
static const double coincident = 1e-7;       /* of the strand's mean: two points at one place */

void rlti_find(rlti_findings *f, int id) {
    if (f->count < RLTI_IDS_SHOWN)
        f->ids[f->count] = id;
    f->count++;
}

rlti_id_list rlti_list_ids(const rlti_findings *f) {
    rlti_id_list list = {""};
    size_t used = 0;
    int shown = f->count < RLTI_IDS_SHOWN ? f->count : RLTI_IDS_SHOWN;
    for (int i = 0; i < shown; i++)
        used += (size_t)snprintf(list.text + used, sizeof list.text - used, i > 0 ? ", %d" : "%d", f->ids[i]);
    if (f->count > RLTI_IDS_SHOWN)
        snprintf(list.text + used, sizeof list.text - used, ", ...");
    return list;
}

const char *rlti_curves_path(const rlti_curves *curves) {
    return curves->stage->prims[curves->prim].path;
}

/* ---- reading ---- */

/* geometry.h hands over double[3]; both are three doubles in a row. */
static double (*as_rows(rlti_vec3 *points))[3] {
    return (double(*)[3])(void *)points;
}

static rlt_status read_own(rlti_curves *curves, rlt_messages *messages) {
    const rlti_prim *prim = &curves->stage->prims[curves->prim];
    const rlti_attribute *a = rlti_stage_attribute(curves->stage, prim, RLTI_BUILT_IN, "points");
    size_t count = 3 * (size_t)curves->point_count;
    rlti_array array = {0};
    curves->own = RLTI_NEW(float, count);
    double *numbers = RLTI_NEW(double, count);
    rlt_status status = curves->own == NULL || numbers == NULL ? rlti_out_of_memory(messages) : RLT_OK;
    if (status == RLT_OK && a != NULL)
        status = rlti_stage_value(curves->stage, prim, a, curves->time, messages, &array);
    if (status == RLT_OK && array.count * (size_t)array.type.arity == count && count > 0 &&
        rlti_array_to_doubles(&array, numbers))
        for (size_t i = 0; i < count; i++)
            curves->own[i] = (float)numbers[i];
    rlti_free(numbers);
    rlti_array_clear(&array);
    return status;
}

/* 1 where the attribute is there, but holds nothing. */
static int is_empty(const rlti_curves *curves, const rlti_attribute *a, rlt_messages *messages) {
    rlti_array array = {0};
    const rlti_prim *prim = &curves->stage->prims[curves->prim];
    rlt_status status = rlti_stage_value(curves->stage, prim, a, curves->time, messages, &array);
    int empty = status == RLT_OK && (array.blocked || array.count == 0);
    rlti_array_clear(&array);
    return empty;
}

/* The rest shape: an attribute of the file, or the points at its first time. */
static rlt_status read_points(rlti_curves *curves, rlt_messages *messages) {
    static const char *const names[] = {
        "physics:restShapePoints", "rest", "pref", "Pref", "restPosition", "rest_position"};
    size_t from = rlti_curves_have_physics(curves) ? 0 : 1;
    for (size_t i = from; i < sizeof names / sizeof names[0] && curves->hair->rest == RLTI_REST_FILE; i++) {
        const rlti_prim *owner;
        const rlti_attribute *a = rlti_curves_attribute(curves, names[i], &owner);
        if (a == NULL || a->type.arity != 3 || owner != &curves->stage->prims[curves->prim] ||
            (i == 0 && is_empty(curves, a, messages)))
            continue;
        return rlti_geometry_vertex_values(curves->geometry, a, curves->time, 1, messages,
                                           as_rows(curves->points));
    }
    return rlti_geometry_points(curves->geometry, curves->time, messages, as_rows(curves->points));
}

rlt_status rlti_curves_open(const rlti_scene_data *scene, int section, const rlti_stage *stage, int prim,
                            rlt_messages *messages, rlti_curves *curves) {
    curves->scene = scene;
    curves->hair = &scene->hair[section];
    curves->section = section;
    curves->stage = stage;
    curves->prim = prim;
    curves->time = rlti_files_rest_time(stage);
    rlti_geometry_def def = {.time = curves->time};
    rlti_files_space(scene, stage, def.to_target);
    rlt_status status = rlti_geometry_open(stage, prim, &def, messages, &curves->geometry);
    if (status != RLT_OK)
        return status;
    curves->curve_count = curves->geometry->curve_count;
    curves->point_count = curves->geometry->point_count;
    curves->first = RLTI_NEW(int, curves->curve_count + 1);
    curves->points = RLTI_NEW(rlti_vec3, curves->point_count);
    curves->is_left_out = RLTI_NEW(unsigned char, curves->curve_count);
    curves->curve = RLTI_NEW(int, curves->curve_count);
    curves->counts = RLTI_NEW(int, curves->curve_count);
    curves->minimum = RLTI_NEW(double, curves->curve_count);
    if (curves->first == NULL || curves->points == NULL || curves->is_left_out == NULL ||
        curves->curve == NULL || curves->counts == NULL || curves->minimum == NULL)
        return rlti_out_of_memory(messages);
    for (int c = 0; c < curves->curve_count; c++)
        curves->first[c + 1] = curves->first[c] + curves->geometry->curve_counts[c];
    status = read_points(curves, messages);
    if (status == RLT_OK)
        status = read_own(curves, messages);
    return status == RLT_OK ? rlti_curves_read_usual(curves, messages) : status;
}

void rlti_curves_close(rlti_curves *curves) {
    rlti_geometry_close(curves->geometry);
    RLTI_FREE(curves->first, curves->points, curves->own, curves->moved, curves->moved_rate, curves->read[0],
              curves->read[1], curves->is_left_out, curves->curve, curves->counts, curves->along,
              curves->widths, curves->root_uv, curves->minimum);
    memset(curves, 0, sizeof *curves);
}

/* ---- what cannot be simulated, and what is hard to ---- */

typedef struct trouble {
    rlti_findings single, no_length, thin; /* thin: near-degenerate */
    double thinnest;                       /* [unit] its shortest segment, or its length */
    double longest;                        /* [unit] strand */
    int longest_curve;
} trouble;

static double length_of(const rlti_curves *curves, int c) {
    double length = 0.0;
    for (int p = curves->first[c] + 1; p < curves->first[c + 1]; p++)
        length += rlti_length(rlti_sub(curves->points[p], curves->points[p - 1]));
    return length;
}

/* Points at one place have no direction between them: they are drawn apart along the line to the next point
 * by what nobody can see. */
static void separate(rlti_curves *curves, int c, double mean) {
    int first = curves->first[c], last = curves->first[c + 1] - 1;
    rlti_vec3 *p = curves->points;
    for (int i = first + 1; i <= last; i++) {
        if (rlti_length(rlti_sub(p[i], p[i - 1])) > coincident * mean)
            continue;
        rlti_vec3 direction = rlti_v3(0, 0, 0);
        for (int k = i + 1; k <= last && !(rlti_length(direction) > coincident * mean); k++)
            direction = rlti_sub(p[k], p[i - 1]);
        if (!(rlti_length(direction) > coincident * mean) && i >= first + 2)
            direction = rlti_sub(p[i - 1], p[i - 2]);
        p[i] = rlti_madd(p[i - 1], shortest_segment * mean, rlti_normalize(direction));
    }
}

static void check_curve(rlti_curves *curves, int c, trouble *found) {
    int count = curves->first[c + 1] - curves->first[c];
    double length = length_of(curves, c), mean = count > 1 ? length / (count - 1) : 0.0;
    double minimum = mean;
    if (count < 2 || !(length > 0.0)) {
        rlti_find(count < 2 ? &found->single : &found->no_length, c);
        curves->is_left_out[c] = 1;
        return;
    }
    if (length > found->longest) {
        found->longest = length;
        found->longest_curve = c;
    }
    for (int p = curves->first[c] + 1; p < curves->first[c + 1]; p++)
        minimum = fmin(minimum, rlti_length(rlti_sub(curves->points[p], curves->points[p - 1])));
    if (minimum >= shortest_segment * mean && length >= shortest_strand)
        return;
    if (found->thin.count == 0 || minimum < found->thinnest)
        found->thinnest = minimum;
    rlti_find(&found->thin, c);
    separate(curves, c, mean);
}

static int strand_points(const rlti_curves *curves, int c) {
    const rlti_hair_data *hair = curves->hair;
    int own = curves->first[c + 1] - curves->first[c];
    if (hair->resample > 0)
        return hair->resample;
    if (!(hair->resample_segment > 0.0))
        return own;
    double edges = floor(length_of(curves, c) / hair->resample_segment + 0.5);
    return edges < 2.0 ? 3 : (edges > 9999.0 ? 10000 : (int)edges + 1);
}

/* A strand far shorter than the others of its prim would need far shorter steps. Its segments count as longer
 * ones for stiffness and mass: nobody sees how it swings. */
static rlt_status set_minimum(rlti_curves *curves, rlt_messages *messages) {
    double *means = RLTI_NEW(double, curves->curve_count);
    if (means == NULL)
        return rlti_out_of_memory(messages);
    int count = 0;
    for (int c = 0; c < curves->curve_count; c++)
        if (!curves->is_left_out[c])
            means[count++] = length_of(curves, c) / (strand_points(curves, c) - 1);
    qsort(means, (size_t)count, sizeof(double), rlti_compare_doubles);
    for (int c = 0; c < curves->curve_count; c++)
        curves->minimum[c] = count > 0 ? curves->hair->segment_floor * means[count / 2] : 0.0;
    rlti_free(means);
    return RLT_OK;
}

static void report_findings(const rlti_curves *curves, const rlti_findings *found, const char *what,
                            rlt_messages *messages) {
    if (found->count > 0)
        rlti_message(messages, RLT_WARNING, "%s: %s: %d curve%s left out: %s (%s)", curves->stage->file,
                     rlti_curves_path(curves), found->count, found->count == 1 ? "" : "s", what,
                     rlti_list_ids(found).text);
}

static void report_trouble(const rlti_curves *curves, const trouble *found, rlt_messages *messages) {
    char number[32];
    const rlti_prim *prim = &curves->stage->prims[curves->prim];
    report_findings(curves, &found->single, "fewer than 2 points", messages);
    report_findings(curves, &found->no_length, "no length, all points at one place", messages);
    if (found->thin.count > 0) {
        rlti_number_short(found->thinnest, number, sizeof number);
        rlti_message(messages, RLT_WARNING,
                     "%s: %s: %d near-degenerate curve%s, with segments down to %s units (%s); simulated%s",
                     curves->stage->file, prim->path, found->thin.count, found->thin.count == 1 ? "" : "s",
                     number, rlti_list_ids(&found->thin).text,
                     rlti_hair_reads(curves->hair, "hair.segment_floor")
                         ? " with the stiffness and mass of longer segments"
                         : ", segments below 1/1000 of their strand's mean with the stiffness and mass of "
                           "that length");
    }
    if (prim->wrap == RLTI_WRAP_PERIODIC)
        rlti_message(messages, RLT_WARNING,
                     "%s: %s: periodic curves are simulated as open ones, from their first point",
                     curves->stage->file, prim->path);
    double metres = found->longest * curves->scene->metres_per_unit;
    if (!(found->longest > 0.0) || (metres >= 1e-3 && metres <= 10.0))
        return;
    char unit[32];
    rlti_number_short(metres < 1e-3 ? metres * 1000.0 : metres, number, sizeof number);
    rlti_number_short(rlti_files_unit(curves->scene, curves->stage), unit, sizeof unit);
    rlti_message(messages, RLT_WARNING,
                 "%s: %s: the longest strand (%d) is %s %s long: is one unit of the file really %s m? (%s)",
                 curves->stage->file, prim->path, found->longest_curve, number, metres < 1e-3 ? "mm" : "m",
                 unit,
                 curves->stage->metres_per_unit > 0.0 ? "the file says so"
                                                      : "the file does not say: files.metres_per_unit");
}

/* ---- strands ---- */

static int is_resampled(const rlti_curves *curves) {
    return curves->hair->resample > 0 || curves->hair->resample_segment > 0.0;
}

/* Shortens a curve to hair.cut: each point goes to the same share of the length that is left. From the tip to
 * the root, so that what lies before a point is still as it was. */
static void cut_curve(rlti_curves *curves, int c) {
    int first = curves->first[c], last = curves->first[c + 1] - 1;
    double length = length_of(curves, c), share = curves->hair->cut / length, along = length;
    if (!(curves->hair->cut > 0.0) || !(length > curves->hair->cut))
        return;
    for (int p = last; p > first; p--) {
        double before = rlti_length(rlti_sub(curves->points[p], curves->points[p - 1])), from = 0.0;
        int k = first;
        for (; k + 1 < p; k++) {
            double edge = rlti_length(rlti_sub(curves->points[k + 1], curves->points[k]));
            if (from + edge >= along * share)
                break;
            from += edge;
        }
        rlti_vec3 edge = rlti_sub(curves->points[k + 1], curves->points[k]);
        double size = rlti_length(edge), part = size > 0.0 ? (along * share - from) / size : 0.0;
        curves->points[p] = rlti_madd(curves->points[k], part, edge);
        along -= before;
    }
}

rlt_status rlti_curves_choose(rlti_curves *curves, const unsigned char *take, rlt_messages *messages) {
    trouble found = {0};
    for (int c = 0; c < curves->curve_count; c++) {
        curves->is_left_out[c] = !take[c];
        if (take[c])
            cut_curve(curves, c);
        if (take[c])
            check_curve(curves, c, &found);
    }
    rlt_status status = set_minimum(curves, messages);
    if (status != RLT_OK)
        return status;
    report_trouble(curves, &found, messages);
    for (int c = 0; c < curves->curve_count; c++) {
        if (curves->is_left_out[c])
            continue;
        curves->curve[curves->strand_count] = c;
        curves->counts[curves->strand_count++] = strand_points(curves, c);
    }
    if (is_resampled(curves)) {
        curves->along = RLTI_NEW(double, curves->point_count);
        if (curves->along == NULL)
            return rlti_out_of_memory(messages);
    }
    return RLT_OK;
}

/* Points at equal distances along the curve's own, and where those lie between them. */
static void divide(rlti_curves *curves, int index, rlti_vec3 *points) {
    int c = curves->curve[index], first = curves->first[c], last = curves->first[c + 1] - 1;
    int count = curves->counts[index];
    double length = length_of(curves, c), step = length / (count - 1), before = 0.0;
    int next = 1;
    points[0] = curves->points[first];
    points[count - 1] = curves->points[last];
    for (int p = first + 1; p <= last; p++) {
        rlti_vec3 edge = rlti_sub(curves->points[p], curves->points[p - 1]);
        double size = rlti_length(edge);
        for (; next < count - 1 && next * step <= before + size; next++)
            points[next] =
                rlti_madd(curves->points[p - 1], size > 0.0 ? (next * step - before) / size : 0.0, edge);
        before += size;
        curves->along[p] = p == last ? count - 1 : fmin(before / step, count - 1);
    }
    for (; next < count - 1; next++) /* rounding left some over */
        points[next] =
            rlti_madd(points[next - 1], 1.0 / (count - next), rlti_sub(points[count - 1], points[next - 1]));
}

void rlti_curves_strand(rlti_curves *curves, int index, rlti_vec3 *points) {
    int first = curves->first[curves->curve[index]];
    if (is_resampled(curves))
        divide(curves, index, points);
    else
        memcpy(points, curves->points + first, (size_t)curves->counts[index] * sizeof *points);
}

void rlti_curves_values(const rlti_curves *curves, int index, const double *per_point, double *values) {
    int c = curves->curve[index], first = curves->first[c], own = curves->first[c + 1] - first;
    if (!is_resampled(curves)) {
        memcpy(values, per_point + first, (size_t)own * sizeof *values);
        return;
    }
    int p = 0; /* the last of the curve's own points at or before point i of the strand */
    for (int i = 0; i < curves->counts[index]; i++) {
        while (p + 2 < own && curves->along[first + p + 1] <= i)
            p++;
        double from = curves->along[first + p], width = curves->along[first + p + 1] - from;
        double share = width > 0.0 ? fmin(1.0, fmax(0.0, (i - from) / width)) : 0.0;
        values[i] = per_point[first + p] + share * (per_point[first + p + 1] - per_point[first + p]);
    }
}
