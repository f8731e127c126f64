/* The writer of .usda files: values as they come. usda_publish.c makes the file. */
#include "formats/usd/usda_sink.h"

#include <math.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usd_author.h"
#include "formats/usd/usda_print.h"
#include "formats/tree/journal.h"
#include "formats/tree/writers.h"

enum { PART_BUFFER = 256 * 1024 };
#define RECORD_MARK 0x6164737574726170u /* "partusda" */

/* The track of what a record speaks of. */
static rlti_usda_track *track_of(const rlti_usda_sink_own *own, int what) {
    return what >= 0 ? &own->attributes[what] : &own->transforms[RLTI_TRANSFORM_OF(what)];
}

static rlt_status add_entry(rlti_usda_sink_own *own, const rlti_usda_entry *entry, rlt_messages *messages) {
    if (!RLTI_LIST_RESERVE(own->entries, own->entry_count, 1, own->entry_capacity))
        return rlti_out_of_memory(messages);
    int index = own->entry_count++;
    own->entries[index] = *entry;
    own->entries[index].next = -1;
    rlti_usda_track *track = track_of(own, entry->what);
    if (isnan(entry->time)) {
        track->value = index;
        return RLT_OK;
    }
    if (track->first < 0)
        track->first = index;
    else
        own->entries[track->last].next = index;
    track->last = index;
    return RLT_OK;
}

/* ---- declarations ---- */

static rlt_status add_prim(rlti_sink *sink, int index, const rlti_prim *prim, rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    (void)prim;
    if (!RLTI_LIST_RESERVE(own->transforms, index, 1, own->prim_capacity))
        return rlti_out_of_memory(messages);
    own->transforms[index] = (rlti_usda_track){-1, -1, -1};
    return RLT_OK;
}

static rlt_status add_attribute(rlti_sink *sink, int index, int prim, const rlti_attribute *attribute,
                                rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    if (!RLTI_LIST_RESERVE(own->attributes, index, 1, own->attribute_capacity))
        return rlti_out_of_memory(messages);
    own->attributes[index] = (rlti_usda_track){-1, -1, -1};
    if (rlti_usd_attribute_form(attribute).type.arity == 0 && !own->warned) {
        rlti_warn(messages, "%s: %s.%s is left out: USD has no type for it", sink->path,
                  sink->prims[prim].path, attribute->name);
        own->warned = 1;
    }
    return RLT_OK;
}

/* ---- values ---- */

/* The text from `start` on belongs to this value. */
static rlt_status end_value(rlti_sink *sink, int what, double time, long long start, rlt_messages *messages) {
    long long length = rlti_stream_length(sink->parts) - start;
    rlti_usda_record record = {what, time, length, RECORD_MARK};
    rlti_stream_write(sink->parts, &record, sizeof record);
    rlt_status status = rlti_stream_check(sink->parts, messages);
    if (status == RLT_OK)
        status = add_entry(sink->own, &(rlti_usda_entry){what, -1, time, start, length}, messages);
    return status;
}

static rlt_status write_value(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                              rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    rlti_array shown;
    if (rlti_usd_attribute_form(&sink->attributes[attribute]).type.arity == 0)
        return RLT_OK;
    rlt_status status = rlti_usd_fit(sink, attribute, value, &own->fitted, &shown, messages);
    if (status != RLT_OK)
        return status;
    long long start = rlti_stream_length(sink->parts);
    rlti_usda_print_value(sink->parts, &shown);
    return end_value(sink, attribute, time, start, messages);
}

static rlt_status begin_pieces(rlti_sink *sink, int attribute, rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    (void)messages;
    if (rlti_usd_attribute_form(&sink->attributes[attribute]).type.arity == 0)
        return RLT_OK;
    own->piece_start = rlti_stream_length(sink->parts);
    own->has_piece = 0;
    rlti_stream_text(sink->parts, "[");
    return RLT_OK;
}

static rlt_status add_piece(rlti_sink *sink, int attribute, const rlti_array *piece, rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    rlti_array shown;
    if (rlti_usd_attribute_form(&sink->attributes[attribute]).type.arity == 0)
        return RLT_OK;
    rlt_status status = rlti_usd_fit(sink, attribute, piece, &own->fitted, &shown, messages);
    if (status != RLT_OK)
        return status;
    rlti_usda_print_elements(sink->parts, &shown, !own->has_piece);
    own->has_piece = 1;
    return rlti_stream_check(sink->parts, messages);
}

static rlt_status end_pieces(rlti_sink *sink, int attribute, double time, rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    if (rlti_usd_attribute_form(&sink->attributes[attribute]).type.arity == 0)
        return RLT_OK;
    rlti_stream_text(sink->parts, "]");
    return end_value(sink, attribute, time, own->piece_start, messages);
}

static rlt_status write_transform(rlti_sink *sink, int prim, double time, const double matrix[16],
                                  rlt_messages *messages) {
    rlti_array value = {.type = {RLTI_DOUBLE, 16, RLTI_ROLE_MATRIX, 0}, .count = 1, .data = matrix};
    long long start = rlti_stream_length(sink->parts);
    rlti_usda_print_value(sink->parts, &value);
    return end_value(sink, RLTI_TRANSFORM_OF(prim), time, start, messages);
}

/* ---- resuming ---- */

/* Finds the values of the part again, from its end to its start: 0 where it holds others, -1 when out of
 * memory. */
static int collect(rlti_sink *sink, rlti_usda_entry **list, int *count) {
    long long end = rlti_stream_length(sink->parts);
    int capacity = 0;
    while (end > 0) {
        rlti_usda_record record;
        end -= (long long)sizeof record;
        if (!rlti_stream_read(sink->parts, end, &record, sizeof record) || record.mark != RECORD_MARK ||
            record.length < 0 || record.length > end || record.what != (int)record.what)
            return 0;
        if (!RLTI_LIST_RESERVE(*list, *count, 1, capacity))
            return -1;
        end -= record.length;
        (*list)[(*count)++] = (rlti_usda_entry){(int)record.what, -1, record.time, end, record.length};
    }
    return 1;
}

static rlt_status restore(rlti_sink *sink, rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    rlti_usda_entry *found = NULL;
    int count = 0, ok = collect(sink, &found, &count);
    rlt_status status = ok > 0    ? RLT_OK
                        : ok == 0 ? rlti_journal_unfit(sink, messages)
                                  : rlti_out_of_memory(messages);
    own->entry_count = 0;
    for (int i = count - 1; i >= 0 && status == RLT_OK; i--)
        status = rlti_journal_found(sink, found[i].what, found[i].time) ? add_entry(own, &found[i], messages)
                                                                        : rlti_journal_unfit(sink, messages);
    rlti_free(found);
    return status;
}

/* ---- freeing ---- */

static void destroy(rlti_sink *sink) {
    rlti_usda_sink_own *own = sink->own;
    rlti_array_clear(&own->fitted);
    RLTI_FREE(own->entries, own->attributes, own->transforms, own);
}

const rlti_sink_writer rlti_usda_sink = {.format = "usda",
                                         .parts = {{".part", PART_BUFFER}},
                                         .temporary = ".tmp",
                                         .own_bytes = sizeof(rlti_usda_sink_own),
                                         .prim = add_prim,
                                         .attribute = add_attribute,
                                         .write = write_value,
                                         .transform = write_transform,
                                         .begin = begin_pieces,
                                         .piece = add_piece,
                                         .end = end_pieces,
                                         .compose = rlti_usda_compose,
                                         .restore = restore,
                                         .free = destroy};
