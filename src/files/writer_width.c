/* Widths of hair that was read from files: the file's own, or the scene's where it has none. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "files/writer_data.h"

/* Of a length in the scene's unit, as it is written: the prim's own space, or the scene's world. */
static double written(const rlt_writer *writer, const rlt_source *source) {
    return writer->layout == RLTI_LAYOUT_OWN || !(source->length_scale > 0.0) ? 1.0
                                                                              : 1.0 / source->length_scale;
}

double rlti_writer_kept_scale(const rlt_writer *writer, const rlt_source *source, const rlti_attribute *a) {
    if (strncmp(a->type_name, "timecode", 8) == 0 && source->codes_per_second > 0.0)
        return writer->sink->def.codes_per_second / source->codes_per_second;
    int is_width = a->class_ == RLTI_BUILT_IN && strcmp(a->name, "widths") == 0;
    return is_width && writer->layout == RLTI_LAYOUT_OWN && source->length_scale > 0.0 ? source->length_scale
                                                                                       : 1.0;
}

rlt_status rlti_writer_scale_value(rlti_array *value, double scale, rlt_messages *messages) {
    size_t count = value->count * (size_t)value->type.arity;
    if (scale == 1.0 || (value->type.element != RLTI_FLOAT && value->type.element != RLTI_DOUBLE))
        return RLT_OK;
    rlti_array scaled = {0};
    void *values = rlti_array_reserve(&scaled, value->type, value->count);
    if (values == NULL)
        return rlti_out_of_memory(messages);
    for (size_t i = 0; i < count; i++)
        if (value->type.element == RLTI_FLOAT)
            ((float *)values)[i] = (float)((double)((const float *)value->data)[i] * scale);
        else
            ((double *)values)[i] = ((const double *)value->data)[i] * scale;
    rlti_array_clear(value);
    *value = scaled;
    return RLT_OK;
}

/* One width per curve; the curves may be in several sections of the scene. Returns 1 where all are the same.
 */
static int set_widths(const rlt_writer *writer, const rlt_frame_view *view, int k, float *widths) {
    const rlt_source *source = view->sources[k];
    int same = 1;
    for (int c = 0; c < source->curve_count; c++)
        widths[c] = (float)(source->width * written(writer, source));
    for (int other = 0; other < view->source_count; other++) {
        const rlt_source *also = view->sources[other];
        if (strcmp(also->file, source->file) != 0 || strcmp(also->prim, source->prim) != 0)
            continue;
        for (int s = 0; s < also->strand_count; s++)
            widths[also->curve[s]] = (float)(also->width * written(writer, also));
    }
    for (int c = 1; c < source->curve_count; c++)
        same &= widths[c] == widths[0];
    return same;
}

rlt_status rlti_writer_declare_width(rlt_writer *writer, const rlt_frame_view *view, int k, int writes,
                                     rlt_messages *messages) {
    static const rlti_array_type type = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1};
    const rlt_source *source = view->sources[k];
    rlti_written_source *to = &writer->sources[k];
    const rlti_attribute *own =
        rlti_stage_attribute(to->stage, &to->stage->prims[to->from], RLTI_BUILT_IN, "widths");
    int has_own = own != NULL && (own->has_default || own->sample_count > 0); /* though it may not fit */
    if (!(source->width > 0.0) || source->curve_count == 0 || has_own)
        return RLT_OK;
    float *widths = RLTI_NEW(float, source->curve_count);
    if (widths == NULL)
        return rlti_out_of_memory(messages);
    int same = set_widths(writer, view, k, widths);
    for (int c = 0; c < source->curve_count; c++)
        to->half_width = fmax(to->half_width, 0.5 * (double)widths[c]);
    rlt_status status = rlti_sink_still(writer->sink, to->prim, "widths", RLTI_BUILT_IN, type,
                                        same ? RLTI_CONSTANT : RLTI_UNIFORM, widths,
                                        same ? 1 : (size_t)source->curve_count, writes, messages);
    rlti_free(widths);
    return status;
}
