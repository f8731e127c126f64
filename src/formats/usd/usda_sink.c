/* The writer of .usda files: values as they come. usda_publish.c makes the file. */
#include "formats/usd/usda_sink.h"

#include <math.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usd_author.h"
#include "formats/usd/usda_print.h"
#include "formats/tree/writers.h"

static const char suffix[] = ".part";
#define RECORD_MARK 0x6164737574726170u /* "partusda" */

/* The track of what a record speaks of. */
static rlti_usda_track *track_of(const rlti_usda_sink_own *own, int what) {
    return what >= 0 ? &own->attributes[what] : &own->transforms[-1 - what];
}

static rlt_status add_entry(rlti_usda_sink_own *own, const rlti_usda_entry *entry, rlt_messages *messages) {
    if (!RLTI_LIST_RESERVE(own->entries, own->entry_count, 1, own->entry_room))
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
    if (!RLTI_LIST_RESERVE(own->transforms, index, 1, own->prim_room))
        return rlti_out_of_memory(messages);
    own->transforms[index] = (rlti_usda_track){-1, -1, -1};
    return RLT_OK;
}

static rlt_status add_attribute(rlti_sink *sink, int index, int prim, const rlti_attribute *attribute,
                                rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    if (!RLTI_LIST_RESERVE(own->attributes, index, 1, own->attribute_room))
        return rlti_out_of_memory(messages);
    own->attributes[index] = (rlti_usda_track){-1, -1, -1};
    if (rlti_usd_attribute_form(attribute).type.arity == 0 && !own->warned) {
        rlti_message(messages, RLT_WARNING, "%s: %s.%s is left out: USD has no type for it", sink->path,
                     sink->prims[prim].path, attribute->name);
        own->warned = 1;
    }
    return RLT_OK;
}

/* ---- values ---- */

static rlt_status check_time(const rlti_sink *sink, int what, double time, rlt_messages *messages) {
    const rlti_usda_sink_own *own = sink->own;
    const rlti_usda_track *track = track_of(own, what);
    const char *path = sink->prims[what >= 0 ? sink->owner[what] : -1 - what].path;
    const char *name = what >= 0 ? sink->attributes[what].name : "transform";
    if (own->part.name == NULL)
        return rlti_fail(messages, RLT_FAILED, "%s: resumed without the mark to resume from", sink->path);
    if (isinf(time))
        return rlti_fail(messages, RLT_BAD_INPUT, "%s: %s.%s: a time must be finite", sink->path, path, name);
    if (!isnan(time) && track->last >= 0 && !(time > own->entries[track->last].time))
        return rlti_fail(messages, RLT_BAD_INPUT, "%s: %s.%s: time %g comes after %g: times must increase",
                         sink->path, path, name, time, own->entries[track->last].time);
    return RLT_OK;
}

/* The text from `start` on belongs to this value. */
static rlt_status end_value(rlti_usda_sink_own *own, int what, double time, long long start,
                            rlt_messages *messages) {
    long long length = rlti_stream_length(&own->part) - start;
    rlti_usda_record record = {what, time, length, RECORD_MARK};
    rlti_stream_write(&own->part, &record, sizeof record);
    rlt_status status = rlti_stream_check(&own->part, messages);
    if (status == RLT_OK)
        status = add_entry(own, &(rlti_usda_entry){what, -1, time, start, length}, messages);
    return status;
}

/* The value in the declared type: brackets and order go by that. */
static rlt_status fit(rlti_sink *sink, int attribute, const rlti_usd_form *form, const rlti_array *value,
                      rlti_array *shown, rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    const rlti_array *fitted;
    int fits = rlti_usd_fit(value, form->type, &own->fitted, &fitted);
    if (fits == 0)
        return rlti_out_of_memory(messages);
    if (fits < 0 || (!fitted->blocked && !form->type.is_array && fitted->count != 1))
        return rlti_fail(messages, RLT_BAD_INPUT, "%s: %s.%s: the value is not a %s", sink->path,
                         sink->prims[sink->owner[attribute]].path, sink->attributes[attribute].name,
                         form->type_name);
    *shown = *fitted;
    shown->type = form->type;
    return RLT_OK;
}

static rlt_status write_value(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                              rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    rlti_usd_form form = rlti_usd_attribute_form(&sink->attributes[attribute]);
    rlti_array shown;
    rlt_status status = check_time(sink, attribute, time, messages);
    if (status != RLT_OK || form.type.arity == 0)
        return status;
    status = fit(sink, attribute, &form, value, &shown, messages);
    if (status != RLT_OK)
        return status;
    long long start = rlti_stream_length(&own->part);
    rlti_usda_print_value(&own->part, &shown);
    return end_value(own, attribute, time, start, messages);
}

static rlt_status begin_pieces(rlti_sink *sink, int attribute, double time, rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    rlt_status status = check_time(sink, attribute, time, messages);
    if (status != RLT_OK || rlti_usd_attribute_form(&sink->attributes[attribute]).type.arity == 0)
        return status;
    own->piece_start = rlti_stream_length(&own->part);
    own->has_piece = 0;
    rlti_stream_text(&own->part, "[");
    return RLT_OK;
}

static rlt_status add_piece(rlti_sink *sink, int attribute, const rlti_array *piece, rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    rlti_usd_form form = rlti_usd_attribute_form(&sink->attributes[attribute]);
    rlti_array shown;
    if (form.type.arity == 0)
        return RLT_OK;
    rlt_status status = fit(sink, attribute, &form, piece, &shown, messages);
    if (status != RLT_OK)
        return status;
    rlti_usda_print_elements(&own->part, &shown, !own->has_piece);
    own->has_piece = 1;
    return rlti_stream_check(&own->part, messages);
}

static rlt_status end_pieces(rlti_sink *sink, int attribute, double time, rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    if (rlti_usd_attribute_form(&sink->attributes[attribute]).type.arity == 0)
        return RLT_OK;
    rlti_stream_text(&own->part, "]");
    return end_value(own, attribute, time, own->piece_start, messages);
}

static rlt_status write_transform(rlti_sink *sink, int prim, double time, const double matrix[16],
                                  rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    rlt_status status = check_time(sink, -1 - prim, time, messages);
    if (status != RLT_OK)
        return status;
    rlti_array value = {.type = {RLTI_DOUBLE, 16, RLTI_ROLE_MATRIX, 0}, .count = 1, .data = matrix};
    long long start = rlti_stream_length(&own->part);
    rlti_usda_print_value(&own->part, &value);
    return end_value(own, -1 - prim, time, start, messages);
}

/* ---- resuming ---- */

static rlt_status marks(rlti_sink *sink, rlti_stream_mark *list, int *count, rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    *count = 1;
    list[0] = (rlti_stream_mark){-1, 0};
    if (own->part.name == NULL)
        return RLT_OK;
    list[0] = rlti_stream_sync(&own->part);
    return rlti_stream_check(&own->part, messages);
}

/* Could a writer with these declarations have written this record, with its text ending at `end`? */
static int is_sound(const rlti_sink *sink, const rlti_usda_record *record, long long end) {
    return record->mark == RECORD_MARK && record->length >= 0 && record->length <= end &&
           record->what < sink->attribute_count && record->what >= -(int64_t)sink->prim_count &&
           !isinf(record->time);
}

/* Finds the values of the part again, from its end to its start. */
static int collect(rlti_sink *sink, long long end, rlti_usda_entry **list, int *count) {
    rlti_usda_sink_own *own = sink->own;
    int room = 0;
    while (end > 0) {
        rlti_usda_record record;
        end -= (long long)sizeof record;
        if (!rlti_stream_read(&own->part, end, &record, sizeof record) || !is_sound(sink, &record, end))
            return 0;
        if (!RLTI_LIST_RESERVE(*list, *count, 1, room))
            return -1;
        end -= record.length;
        (*list)[(*count)++] = (rlti_usda_entry){(int)record.what, -1, record.time, end, record.length};
    }
    return 1;
}

static rlt_status resume(rlti_sink *sink, const rlti_stream_mark *list, int count, rlt_messages *messages) {
    rlti_usda_sink_own *own = sink->own;
    if (count != 1 || list[0].length < 0)
        return rlti_fail(messages, RLT_BAD_INPUT, "%s: cannot resume it: nothing was written", sink->path);
    rlti_stream_discard(&own->part); /* where opening made one, although it was to resume */
    rlt_status status =
        rlti_stream_reopen(&own->part, sink->path, suffix, RLTI_USDA_BUFFER_SIZE, &list[0], messages);
    if (status != RLT_OK)
        return status;
    rlti_usda_entry *found = NULL;
    int found_count = 0, ok = collect(sink, list[0].length, &found, &found_count);
    own->entry_count = 0;
    if (ok == 0)
        status = rlti_fail(messages, RLT_BAD_INPUT,
                           "%s: cannot resume it: its parts do not fit what is declared", sink->path);
    else if (ok < 0)
        status = rlti_out_of_memory(messages);
    for (int i = found_count - 1; i >= 0 && status == RLT_OK; i--)
        status = add_entry(own, &found[i], messages);
    rlti_free(found);
    return status;
}

/* ---- opening, freeing ---- */

static void destroy(rlti_sink *sink, int keep_parts) {
    rlti_usda_sink_own *own = sink->own;
    if (own == NULL)
        return;
    if (keep_parts)
        rlti_stream_leave(&own->part);
    else
        rlti_stream_discard(&own->part);
    rlti_array_clear(&own->fitted);
    rlti_free(own->entries);
    rlti_free(own->attributes);
    rlti_free(own->transforms);
    rlti_free(own);
    sink->own = NULL;
}

rlt_status rlti_usda_sink_open(rlti_sink *sink, rlt_messages *messages) {
    rlti_usda_sink_own *own = RLTI_NEW(rlti_usda_sink_own, 1);
    rlt_status status = own != NULL ? RLT_OK : rlti_out_of_memory(messages);
    sink->own = own;
    if (status == RLT_OK && !sink->def.resumes)
        status = rlti_stream_open(&own->part, sink->path, suffix, RLTI_USDA_BUFFER_SIZE, messages);
    if (status != RLT_OK)
        destroy(sink, 1);
    return status;
}

const rlti_sink_writer rlti_usda_sink = {.format = "usda",
                                         .prim = add_prim,
                                         .attribute = add_attribute,
                                         .write = write_value,
                                         .transform = write_transform,
                                         .begin = begin_pieces,
                                         .piece = add_piece,
                                         .end = end_pieces,
                                         .publish = rlti_usda_publish,
                                         .marks = marks,
                                         .resume = resume,
                                         .free = destroy};
