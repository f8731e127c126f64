/* Where strands came from, for writers: rlt_source. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/messages.h"
#include "groom/import.h"

void rlti_source_describe(const rlti_curves *curves, int first_strand, rlt_source *source) {
    static const char *const types[] = {"cubic", "linear", "variable"};
    static const char *const bases[] = {"bezier", "bspline", "catmullRom", "hermite", "power", "none"};
    static const char *const wraps[] = {"nonperiodic", "periodic", "pinned"};
    const rlti_prim *prim = &curves->stage->prims[curves->prim];
    *source = (rlt_source){.size = sizeof *source,
                           .hair = curves->section,
                           .file = curves->stage->file,
                           .variants = curves->stage->variants,
                           .format = curves->stage->reader->format,
                           .prim = prim->path,
                           .links = rlti_stage_count_links(curves->stage, prim),
                           .type = types[prim->curve_type],
                           .basis = bases[prim->basis],
                           .wrap = wraps[prim->wrap],
                           .curve_count = curves->curve_count,
                           .point_count = curves->point_count,
                           .counts = curves->geometry->curve_counts,
                           .points = curves->own,
                           .first_strand = first_strand,
                           .strand_count = curves->strand_count,
                           .curve = curves->curve,
                           .resampled = curves->along != NULL,
                           .along = curves->along,
                           .metres_per_unit = rlti_files_unit(curves->scene, curves->stage),
                           .up = rlti_files_up(curves->scene, curves->stage),
                           .codes_per_second = curves->stage->codes_per_second,
                           .length_scale = curves->length_scale,
                           .width = curves->widths == NULL ? curves->hair->width : 0.0};
}

/* ---- sections that share a prim ---- */

/* Where a source's curves are. */
typedef struct prim_of {
    const rlti_curves *curves;
    int source;
} prim_of;

static int compare_prims(const void *left, const void *right) {
    const prim_of *a = left, *b = right;
    int files = strcmp(a->curves->stage->file, b->curves->stage->file);
    if (files != 0)
        return files;
    if (a->curves->prim != b->curves->prim)
        return a->curves->prim < b->curves->prim ? -1 : 1;
    return a->source < b->source ? -1 : 1;
}

static int is_same_prim(const prim_of *a, const prim_of *b) {
    return a->curves->stage == b->curves->stage && a->curves->prim == b->curves->prim;
}

/* "s.yaml:7:21: hair[1].file" */
static void name_place(const rlti_curves *curves, char *place, size_t size) {
    const char *at = curves->hair->file_place;
    snprintf(place, size, "%s%s%s.file", at, at[0] != '\0' ? ": " : "",
             rlti_section(curves->scene, curves->section).text);
}

/* A curve has one motion only. Curves of a source are in increasing order. */
static rlt_status check_apart(const rlti_curves *a, const rlti_curves *b, rlt_messages *messages) {
    rlti_findings both = {0};
    for (int i = 0, k = 0; i < a->strand_count && k < b->strand_count;) {
        if (a->curve[i] == b->curve[k])
            rlti_find(&both, a->curve[i]);
        int low = a->curve[i] <= b->curve[k];
        k += a->curve[i] >= b->curve[k];
        i += low;
    }
    if (both.count == 0)
        return RLT_OK;
    char place[RLTI_PLACE_SIZE + 48];
    name_place(b, place, sizeof place);
    return rlti_refuse(messages,
                       "%s: %s: %s: %s simulates %d of its curves as well (%s); choose others by hair.group, "
                       "hair.prim or hair.guides",
                       place, b->stage->file, rlti_curves_path(b), rlti_section(a->scene, a->section).text,
                       both.count, rlti_list_ids(&both).text);
}

/* Links the sources of a run of the sorted list, which have one prim. */
static rlt_status link_run(rlti_strands *strands, const prim_of *run, int count, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int i = 0; i < count; i++) {
        rlt_source *source = &strands->sources[run[i].source];
        source->first_of_prim = run[0].source;
        source->next_of_prim = i + 1 < count ? run[i + 1].source : 0;
        for (int k = 0; k < i; k++)
            if (check_apart(run[k].curves, run[i].curves, messages) != RLT_OK)
                status = RLT_BAD_INPUT;
    }
    return status;
}

/* One file by two names that do not stand for the same scene: its prims would be written twice. */
static rlt_status check_names(const rlti_files *files, const rlti_strands *strands, rlt_messages *messages) {
    for (int i = 0; i < strands->source_count; i++) {
        const rlti_curves *one = &strands->curves[i];
        if (i > 0 && one->stage == strands->curves[i - 1].stage)
            continue;
        for (int k = 0; k < i; k++) {
            const rlti_curves *other = &strands->curves[k];
            if ((k > 0 && other->stage == strands->curves[k - 1].stage) ||
                !rlti_files_are_one(files, one->stage, other->stage))
                continue;
            char place[RLTI_PLACE_SIZE + 48];
            name_place(one, place, sizeof place);
            return rlti_refuse(messages, "%s: %s: is the same file as %s; use one name for both", place,
                               one->stage->file, other->stage->file);
        }
    }
    return RLT_OK;
}

rlt_status rlti_groom_link_sources(const rlti_files *files, rlti_strands *strands, rlt_messages *messages) {
    int count = strands->source_count;
    rlt_status status = check_names(files, strands, messages);
    if (status != RLT_OK)
        return status;
    prim_of *list = RLTI_NEW(prim_of, count);
    if (list == NULL)
        return rlti_out_of_memory(messages);
    for (int i = 0; i < count; i++)
        list[i] = (prim_of){&strands->curves[i], i};
    if (count > 1)
        qsort(list, (size_t)count, sizeof *list, compare_prims);
    for (int first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && is_same_prim(&list[end], &list[first]);)
            end++;
        if (link_run(strands, list + first, end - first, messages) != RLT_OK)
            status = RLT_BAD_INPUT;
    }
    rlti_free(list);
    return status == RLT_OK ? rlti_source_motion_prepare(strands, messages) : status;
}

/* ---- where they are at a frame ---- */

/* The inverse of a matrix whose last column is 0 0 0 1; 0 when it has none. */
static int invert(const double m[16], double to[16]) {
    double determinant = rlti_matrix_adjugate3(m, to);
    if (!(fabs(determinant) > 0.0) || !isfinite(1.0 / determinant))
        return 0;
    for (int i = 0; i < 11; i++)
        to[i] /= i % 4 < 3 ? determinant : 1.0;
    rlti_matrix_inverse_shift(m, to);
    return 1;
}

rlt_status rlti_source_inverse(const rlti_curves *curves, double time, rlt_messages *messages,
                               double to[16]) {
    double matrix[16];
    rlt_status status = rlti_geometry_matrix(curves->geometry, time, messages, matrix);
    if (status == RLT_OK && !invert(matrix, to))
        status = rlti_refuse(messages, "%s: %s: its transform makes everything flat", curves->stage->file,
                             rlti_curves_path(curves));
    return status;
}

/* Change of the inverse per second: over one frame about `frame`, one-sided where the file's motion begins or
 * ends. */
static rlt_status inverse_rate(const rlti_curves *curves, double frame, rlt_messages *messages,
                               double to[16]) {
    const rlti_geometry *g = curves->geometry;
    double before[16] = {0}, after[16] = {0};
    double from = rlti_files_time(curves->scene, curves->stage, g, frame - 0.5),
           until = rlti_files_time(curves->scene, curves->stage, g, frame + 0.5);
    if (g->time_count > 0) {
        from = fmax(from, g->times[0]);
        until = fmin(until, g->times[g->time_count - 1]);
    }
    if (!(until > from))
        return RLT_OK;
    rlt_status status = rlti_source_inverse(curves, from, messages, before);
    if (status == RLT_OK)
        status = rlti_source_inverse(curves, until, messages, after);
    for (int k = 0; k < 16 && status == RLT_OK; k++)
        to[k] = (after[k] - before[k]) * (curves->stage->codes_per_second / (until - from));
    return status;
}

rlt_status rlti_groom_place_sources(const rlti_strands *strands, int frame, rlt_messages *messages) {
    for (int i = 0; i < strands->source_count; i++) {
        const rlti_curves *curves = &strands->curves[i];
        rlti_source_place *place = &strands->places[i];
        *place = (rlti_source_place){0};
        place->time_code = rlti_files_time(curves->scene, curves->stage, curves->geometry, frame);
        rlt_status status = rlti_source_inverse(curves, place->time_code, messages, place->to_source);
        if (status == RLT_OK && rlti_stage_world_moves(curves->stage, curves->prim))
            status = inverse_rate(curves, frame, messages, place->to_source_rate);
        if (status == RLT_OK)
            status = rlti_source_motion_read(strands, i, messages);
        if (status != RLT_OK)
            return status;
    }
    return RLT_OK;
}

void rlti_groom_show_sources(const rlti_strands *strands) {
    for (int i = 0; i < strands->source_count; i++) {
        const rlti_source_place *place = &strands->places[i];
        rlt_source *source = &strands->sources[i];
        source->time_code = place->time_code;
        memcpy(source->to_source, place->to_source, sizeof source->to_source);
        memcpy(source->to_source_rate, place->to_source_rate, sizeof source->to_source_rate);
    }
}
