#include "files/convert.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"

#include "formats/alembic/abc_out.h"

int rlti_choose_prims(const rlti_stage *stage, const char *pattern, unsigned char *take) {
    int chosen = 0;
    for (int i = 0; i < stage->prim_count; i++) {
        int parent = stage->prims[i].parent;
        int fits = pattern == NULL || rlti_path_fits(stage->prims[i].path, pattern);
        chosen += fits;
        take[i] = fits || (parent >= 0 && take[parent] == 2) ? 2 : 0;
        for (int p = parent; fits && p >= 0 && take[p] == 0; p = stage->prims[p].parent)
            take[p] = 1;
    }
    return chosen;
}

int rlti_sink_is_usd(const rlti_sink *sink) {
    return strncmp(sink->writer->format, "usd", 3) == 0;
}

int rlti_sink_is_still(const rlti_sink *sink) {
    return strcmp(sink->writer->format, "hair") == 0 || strcmp(sink->writer->format, "obj") == 0;
}

int rlti_is_visibility(const rlti_attribute *attribute) {
    return attribute->class_ == RLTI_BUILT_IN && strcmp(attribute->name, "visibility") == 0;
}

void rlti_report_pinned(rlti_sink *sink, const rlti_stage *stage, int prim, rlt_messages *messages) {
    const rlti_prim *curves = &stage->prims[prim];
    int is_spline = curves->basis == RLTI_BASIS_BSPLINE, kind = 1 << is_spline;
    if ((sink->said_pinned & kind) || strcmp(sink->writer->format, "abc") != 0 ||
        !rlti_abc_is_straightened(curves))
        return;
    sink->said_pinned |= kind;
    rlti_message(
        messages, RLT_NOTE,
        "%s: %s: pinned %s; %s has straight pieces between %s; Alembic has no pinned curves, and open "
        "ones end before the skin",
        stage->file, curves->path, is_spline ? "B-splines" : "Catmull-Rom curves", sink->path,
        is_spline ? "the points where their segments meet, (a + 4 b + c) / 6, and their end points; "
                    "control points are not kept"
                  : "their points");
}

void rlti_report_resets(const rlti_sink *sink, const rlti_stage *stage, const rlti_prim *prim,
                        rlt_messages *messages) {
    if (prim->resets_change)
        rlti_message(messages, RLT_WARNING,
                     "%s: %s: follows its parents' transforms at some times only; in %s %s, as at its first",
                     stage->file, prim->path, sink->path, prim->resets ? "never" : "always");
}

rlt_status rlti_carry_links(rlti_sink *sink, int to, const rlti_stage *stage, const rlti_prim *prim,
                            int (*wants)(const rlti_link *link), rlt_messages *messages) {
    int count;
    const rlti_link *links = rlti_stage_links(stage, prim, &count);
    rlt_status status = RLT_OK;
    for (int i = 0; i < count && status == RLT_OK && rlti_sink_is_usd(sink); i++)
        if (wants == NULL || wants(&links[i]))
            status = rlti_sink_link(sink, to, &links[i], messages);
    return status;
}

void rlti_warn_links(const char *to, int count, rlt_messages *messages) {
    if (count > 0)
        rlti_warn(messages,
                  "%s: cannot hold links between prims, and leaves out %d (material bindings, relationships, "
                  "connections); write .usda or .usdc to keep them",
                  to, count);
}

double rlti_snap_time(double time) {
    double whole = floor(time + 0.5);
    return fabs(time - whole) <= 1e-6 ? whole : time;
}

int rlti_sink_expands(const rlti_sink *sink, const rlti_attribute *attribute) {
    return rlti_sink_is_usd(sink) && attribute->class_ == RLTI_BUILT_IN &&
           (attribute->indices >= 0 || attribute->is_index);
}

rlt_status rlti_expanded_times(const rlti_stage *stage, const rlti_prim *prim,
                               const rlti_attribute *attribute, rlt_messages *messages, double **times,
                               int *count) {
    const rlti_attribute *by = &stage->attributes[prim->first_attribute + attribute->indices];
    int a = 0, b = 0;
    double *list = RLTI_NEW(double, (size_t)attribute->sample_count + (size_t)by->sample_count);
    *times = list;
    *count = 0;
    if (list == NULL)
        return rlti_out_of_memory(messages);
    while (a < attribute->sample_count || b < by->sample_count) {
        double x = a < attribute->sample_count ? attribute->times[a] : HUGE_VAL;
        double y = b < by->sample_count ? by->times[b] : HUGE_VAL;
        list[(*count)++] = x < y ? x : y;
        a += x <= y;
        b += y <= x;
    }
    return RLT_OK;
}

void rlti_warn_axis(const char *path, int is_alembic, char up, rlt_messages *messages) {
    if (!is_alembic)
        rlti_message(messages, RLT_WARNING,
                     "%s: the axis is kept anyway: only Alembic is turned to Y up; leave keep-axis out",
                     path);
    else if (up != 'Z')
        rlti_message(messages, RLT_WARNING,
                     "%s: the axis is kept anyway: only Z is turned to Y up; leave keep-axis out", path);
}

int rlti_is_unreadable(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *attribute,
                       rlt_messages *messages, rlti_array *scratch) {
    int has_value = attribute->sample_count > 0 || attribute->has_default;
    if (!has_value || attribute->class_ == RLTI_BUILT_IN || attribute->indices >= 0 || attribute->is_index)
        return 0;
    rlt_messages *own = rlt_messages_create();
    rlt_status status =
        stage->reader->read(stage, prim, attribute, attribute->sample_count > 0 ? 0 : -1, own, scratch);
    if (status == RLT_BAD_INPUT) {
        if (rlt_messages_count(own) == 0)
            rlti_warn(messages, "%s: %s.%s: cannot be read; left out", stage->file, prim->path,
                      attribute->name);
        for (int i = 0; i < rlt_messages_count(own); i++)
            rlti_warn(messages, "%s (%s.%s); left out", rlt_messages_text(own, i), prim->path,
                      attribute->name);
    }
    rlt_messages_destroy(own);
    return status == RLT_BAD_INPUT;
}
