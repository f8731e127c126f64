#include "formats/tree/journal.h"

#include <math.h>

#include "base/messages.h"
#include "io/file_map.h"

/* ---- parts ---- */

static const rlti_sink_part *part_of(const rlti_sink *sink, int part) {
    return &sink->writer->parts[part];
}

static int part_count(const rlti_sink *sink) {
    int count = 0;
    while (count < RLTI_SINK_PARTS && part_of(sink, count)->suffix != NULL)
        count++;
    return count;
}

rlt_status rlti_journal_open(rlti_sink *sink, rlt_messages *messages) {
    rlti_stream probe;
    rlt_status status = rlti_stream_open(&probe, sink->path, sink->writer->temporary, 1, messages);
    if (status == RLT_OK)
        rlti_stream_discard(&probe);
    if (status != RLT_OK || sink->def.resumes)
        return status;
    for (int p = 0; p < part_count(sink) && status == RLT_OK; p++)
        status = rlti_stream_open(&sink->parts[p], sink->path, part_of(sink, p)->suffix,
                                  part_of(sink, p)->buffer, messages);
    if (status != RLT_OK) {
        rlti_journal_close(sink, 0);
        return status;
    }
    if (sink->writer->start != NULL)
        sink->writer->start(sink);
    sink->has_parts = 1;
    return RLT_OK;
}

void rlti_journal_close(rlti_sink *sink, int keep_parts) {
    for (int p = 0; p < part_count(sink); p++)
        (keep_parts ? rlti_stream_leave : rlti_stream_discard)(&sink->parts[p]);
    sink->has_parts = 0;
}

/* ---- times ---- */

static double *last_time(const rlti_sink *sink, int what) {
    return what >= 0 ? &sink->value_times[what] : &sink->transform_times[RLTI_TRANSFORM_OF(what)];
}

rlt_status rlti_journal_check_time(const rlti_sink *sink, int what, double time, rlt_messages *messages) {
    const char *path = sink->prims[what >= 0 ? sink->owner[what] : RLTI_TRANSFORM_OF(what)].path;
    const char *name = what >= 0 ? sink->attributes[what].name : "transform";
    double last = *last_time(sink, what);
    if (isinf(time))
        return rlti_refuse(messages, "%s: %s.%s: a time must be finite", sink->path, path, name);
    if (!isnan(time) && !(time > last))
        return rlti_refuse(messages, "%s: %s.%s: time %g comes after %g: times must increase", sink->path,
                           path, name, time, last);
    return RLT_OK;
}

void rlti_journal_set_time(rlti_sink *sink, int what, double time) {
    if (!isnan(time))
        *last_time(sink, what) = time;
}

/* ---- publishing ---- */

rlt_status rlti_journal_publish(rlti_sink *sink, rlt_messages *messages) {
    const rlti_sink_writer *writer = sink->writer;
    rlti_stream whole, *out = &whole;
    rlt_status status = writer->settle != NULL ? writer->settle(sink, 1, messages) : RLT_OK;
    if (status != RLT_OK)
        return status;
    if (writer->appends && sink->closes) {
        out = &sink->parts[0]; /* nobody needs it any more */
    } else {
        status = rlti_stream_open(&whole, sink->path, writer->temporary, part_of(sink, 0)->buffer, messages);
        if (status != RLT_OK)
            return status;
        if (writer->appends)
            rlti_stream_append(&whole, &sink->parts[0]);
    }
    status = writer->compose(sink, out, messages);
    if (status == RLT_OK)
        return rlti_stream_publish(out, messages);
    rlti_stream_discard(out);
    return status;
}

/* ---- resuming ---- */

rlt_status rlti_journal_marks(rlti_sink *sink, rlti_stream_mark *marks, int *count, rlt_messages *messages) {
    rlt_status status = sink->writer->settle != NULL ? sink->writer->settle(sink, 0, messages) : RLT_OK;
    *count = part_count(sink);
    for (int p = 0; p < *count && status == RLT_OK; p++) {
        marks[p] = rlti_stream_sync(&sink->parts[p]);
        status = rlti_stream_check(&sink->parts[p], messages);
    }
    return status;
}

rlt_status rlti_journal_resume(rlti_sink *sink, const rlti_stream_mark *marks, int count,
                               rlt_messages *messages) {
    rlt_status status = count == part_count(sink) ? RLT_OK : rlti_journal_unfit(sink, messages);
    rlti_journal_close(sink, 1); /* where opening made some, although it was to resume */
    for (int p = 0; p < count && status == RLT_OK; p++)
        status = marks[p].length < 0
                     ? rlti_journal_unfit(sink, messages)
                     : rlti_stream_reopen(&sink->parts[p], sink->path, part_of(sink, p)->suffix,
                                          part_of(sink, p)->buffer, &marks[p], messages);
    if (status != RLT_OK)
        return status;
    sink->has_parts = 1;
    return sink->writer->restore(sink, messages);
}

rlt_status rlti_journal_unfit(const rlti_sink *sink, rlt_messages *messages) {
    return rlti_refuse(messages,
                       "%s: cannot be resumed: its parts do not fit what is declared; run without --resume",
                       sink->path);
}

int rlti_journal_found(rlti_sink *sink, int64_t what, double time) {
    if (what >= sink->attribute_count || what < -(int64_t)sink->prim_count ||
        rlti_journal_check_time(sink, (int)what, time, NULL) != RLT_OK)
        return 0;
    rlti_journal_set_time(sink, (int)what, time);
    return 1;
}

rlt_status rlti_journal_records(rlti_sink *sink, int part, size_t size,
                                rlt_status (*take)(rlti_sink *sink, const void *record,
                                                   rlt_messages *messages),
                                rlt_messages *messages) {
    rlti_file_map map;
    rlt_status status = rlti_file_map_open(sink->parts[part].name, NULL, messages, &map);
    if (status != RLT_OK)
        return status;
    if (map.size % size != 0)
        status = rlti_journal_unfit(sink, messages);
    for (size_t at = 0; at < map.size && status == RLT_OK; at += size)
        status = take(sink, map.bytes + at, messages);
    rlti_file_map_close(&map);
    return status;
}
