/* Where strands came from, for writers: rlt_source. */
#include <string.h>

#include "base/messages.h"
#include "groom/import.h"

void rlti_source_describe(const rlti_curves *curves, int first_strand, rlt_source *source) {
    static const char *const types[] = {"cubic", "linear", "variable"};
    static const char *const bases[] = {"bezier", "bspline", "catmullRom", "hermite", "power", "none"};
    static const char *const wraps[] = {"nonperiodic", "periodic", "pinned"};
    const rlti_prim *prim = &curves->stage->prims[curves->prim];
    *source = (rlt_source){.hair = curves->section,
                           .file = curves->stage->file,
                           .format = curves->stage->reader->format,
                           .prim = prim->path,
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

/* The inverse of a matrix whose last column is 0 0 0 1; 0 when it has none. */
static int invert(const double m[16], double to[16]) {
    double det = m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
                 m[2] * (m[4] * m[9] - m[5] * m[8]);
    if (!(fabs(det) > 0.0) || !isfinite(1.0 / det))
        return 0;
    memset(to, 0, 16 * sizeof *to);
    to[0] = (m[5] * m[10] - m[6] * m[9]) / det;
    to[1] = (m[2] * m[9] - m[1] * m[10]) / det;
    to[2] = (m[1] * m[6] - m[2] * m[5]) / det;
    to[4] = (m[6] * m[8] - m[4] * m[10]) / det;
    to[5] = (m[0] * m[10] - m[2] * m[8]) / det;
    to[6] = (m[2] * m[4] - m[0] * m[6]) / det;
    to[8] = (m[4] * m[9] - m[5] * m[8]) / det;
    to[9] = (m[1] * m[8] - m[0] * m[9]) / det;
    to[10] = (m[0] * m[5] - m[1] * m[4]) / det;
    for (int k = 0; k < 3; k++)
        to[12 + k] = -(m[12] * to[k] + m[13] * to[4 + k] + m[14] * to[8 + k]);
    to[15] = 1.0;
    return 1;
}

static rlt_status inverse_at(const rlti_curves *curves, double frame, rlt_messages *messages, double to[16]) {
    double matrix[16];
    double time = rlti_files_time(curves->scene, curves->stage, curves->geometry, frame);
    rlt_status status = rlti_geometry_matrix(curves->geometry, time, messages, matrix);
    if (status == RLT_OK && !invert(matrix, to))
        status = rlti_fail(messages, RLT_BAD_INPUT, "%s: %s: its transform makes everything flat",
                           curves->stage->file, rlti_curves_path(curves));
    return status;
}

rlt_status rlti_groom_place_sources(const rlti_strands *strands, int frame, rlt_messages *messages) {
    for (int i = 0; i < strands->source_count; i++) {
        const rlti_curves *curves = &strands->curves[i];
        rlt_source *source = &strands->sources[i];
        source->time_code = rlti_files_time(curves->scene, curves->stage, curves->geometry, frame);
        rlt_status status = inverse_at(curves, frame, messages, source->to_source);
        if (status == RLT_OK && rlti_stage_world_moves(curves->stage, curves->prim)) {
            double before[16] = {0}, after[16] = {0};
            status = inverse_at(curves, frame - 0.5, messages, before);
            if (status == RLT_OK)
                status = inverse_at(curves, frame + 0.5, messages, after);
            for (int k = 0; k < 16 && status == RLT_OK; k++)
                source->to_source_rate[k] = (after[k] - before[k]) * curves->scene->time.fps;
        }
        if (status != RLT_OK)
            return status;
    }
    return RLT_OK;
}
