#include "formats/tree/still_sink.h"

#include <string.h>

#include "base/list.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/messages.h"
#include "formats/tree/journal.h"
#include "formats/tree/writers.h"
#include "io/span.h"

/* The part file: records of a header (what, index, count: 16 bytes) and values, padded to 8 bytes. */
enum { RECORD_BYTES = 16, COUNT_AT = 8, IS_VALUE = 1, IS_TRANSFORM = 2 };

static const rlti_still_format *format_of(const rlti_sink *sink) {
    return sink->writer->details;
}

static rlt_status add_prim(rlti_sink *sink, int index, const rlti_prim *prim, rlt_messages *messages) {
    rlti_still *still = sink->own;
    (void)prim;
    return RLTI_LIST_RESERVE(still->transforms, index, 1, still->transform_capacity)
               ? RLT_OK
               : rlti_out_of_memory(messages);
}

static rlt_status add_attribute(rlti_sink *sink, int index, int prim, const rlti_attribute *attribute,
                                rlt_messages *messages) {
    rlti_still *still = sink->own;
    if (!RLTI_LIST_RESERVE(still->values, index, 1, still->value_capacity))
        return rlti_out_of_memory(messages);
    if (!attribute->is_index && !still->has_left_out &&
        !format_of(sink)->wants(&sink->prims[prim], attribute)) {
        still->has_left_out = 1;
        rlti_warn(messages, "%s: a %s file holds %s only; %s.%s and the like are left out", sink->path,
                  format_of(sink)->extension, format_of(sink)->holds, sink->prims[prim].path,
                  attribute->name);
    }
    return RLT_OK;
}

static void put_record(rlti_sink *sink, uint32_t what, uint32_t index, uint64_t count) {
    rlti_still *still = sink->own;
    unsigned char record[RECORD_BYTES];
    memcpy(record, &what, 4);
    memcpy(record + 4, &index, 4);
    memcpy(record + COUNT_AT, &count, 8);
    rlti_stream_write(sink->parts, record, sizeof record);
    still->length += RECORD_BYTES;
}

/* The last bytes of a value. */
static void put_padding(rlti_sink *sink, size_t bytes) {
    rlti_still *still = sink->own;
    static const unsigned char zeros[8];
    size_t padding = (8 - bytes % 8) % 8;
    rlti_stream_write(sink->parts, zeros, padding);
    still->length += (long long)(bytes + padding);
}

static rlt_status append(rlti_sink *sink, uint32_t what, uint32_t index, uint64_t count, const void *data,
                         size_t bytes, rlti_still_value *value, rlt_messages *messages) {
    rlti_still *still = sink->own;
    put_record(sink, what, index, count);
    *value = (rlti_still_value){still->length, count};
    rlti_stream_write(sink->parts, data, bytes);
    put_padding(sink, bytes);
    return rlti_stream_check(sink->parts, messages);
}

static size_t bytes_of(rlti_array_type type, uint64_t count) {
    return (size_t)count * (size_t)type.arity * rlti_element_size(type.element);
}

/* 1: the format holds it, and it has no value yet. Values of the first time are kept: the format has no
 * others. */
static int is_kept(rlti_sink *sink, int attribute, rlt_messages *messages) {
    rlti_still *still = sink->own;
    const rlti_attribute *a = &sink->attributes[attribute];
    if (a->type.element == RLTI_TEXT ||
        (!a->is_index && !format_of(sink)->wants(&sink->prims[sink->owner[attribute]], a)))
        return 0;
    if (still->values[attribute].at == 0)
        return 1;
    if (!still->has_later) {
        still->has_later = 1;
        rlti_warn(messages, "%s: a %s file has no time: only the first frame is written", sink->path,
                  format_of(sink)->extension);
    }
    return 0;
}

static rlt_status write_value(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                              rlt_messages *messages) {
    rlti_still *still = sink->own;
    (void)time;
    if (value->blocked || !is_kept(sink, attribute, messages))
        return RLT_OK;
    return append(sink, IS_VALUE, (uint32_t)attribute, value->count, value->data,
                  bytes_of(sink->attributes[attribute].type, value->count), &still->values[attribute],
                  messages);
}

static rlt_status begin_pieces(rlti_sink *sink, int attribute, rlt_messages *messages) {
    rlti_still *still = sink->own;
    still->piece_at = -1;
    still->piece_count = 0;
    if (!is_kept(sink, attribute, messages))
        return RLT_OK;
    still->piece_at = still->length;
    put_record(sink, IS_VALUE, (uint32_t)attribute, 0);
    return RLT_OK;
}

static rlt_status add_piece(rlti_sink *sink, int attribute, const rlti_array *piece, rlt_messages *messages) {
    rlti_still *still = sink->own;
    if (still->piece_at < 0)
        return RLT_OK;
    rlti_stream_write(sink->parts, piece->data, bytes_of(sink->attributes[attribute].type, piece->count));
    still->piece_count += piece->count;
    return rlti_stream_check(sink->parts, messages);
}

static rlt_status end_pieces(rlti_sink *sink, int attribute, double time, rlt_messages *messages) {
    rlti_still *still = sink->own;
    (void)time;
    if (still->piece_at < 0)
        return RLT_OK;
    still->values[attribute] = (rlti_still_value){still->length, still->piece_count};
    put_padding(sink, bytes_of(sink->attributes[attribute].type, still->piece_count));
    rlti_stream_patch(sink->parts, still->piece_at + COUNT_AT, &still->piece_count,
                      sizeof still->piece_count);
    return rlti_stream_check(sink->parts, messages);
}

static rlt_status write_transform(rlti_sink *sink, int prim, double time, const double matrix[16],
                                  rlt_messages *messages) {
    rlti_still *still = sink->own;
    (void)time;
    if (still->transforms[prim].at != 0)
        return RLT_OK;
    return append(sink, IS_TRANSFORM, (uint32_t)prim, 1, matrix, 16 * sizeof(double),
                  &still->transforms[prim], messages);
}

static rlt_status compose(rlti_sink *sink, rlti_stream *out, rlt_messages *messages) {
    rlti_still *still = sink->own;
    if (still->length == 0)
        return rlti_refuse(messages, "%s: nothing to write: there are no %s", sink->path,
                           format_of(sink)->holds);
    rlti_stream_sync(sink->parts);
    rlt_status status = rlti_stream_check(sink->parts, messages);
    if (status == RLT_OK)
        status = rlti_file_map_open(sink->parts->name, NULL, messages, &still->map);
    if (status != RLT_OK)
        return status;
    status = format_of(sink)->compose(sink, out, messages);
    rlti_file_map_close(&still->map);
    return status;
}

/* Finds the records of the earlier run again; they must fit what is declared now. */
static int scan(const rlti_sink *sink, rlti_still *still, const rlti_file_map *map) {
    rlti_span span = {.bytes = map->bytes, .size = map->size};
    while (rlti_span_left(&span) > 0) {
        uint32_t what = rlti_span_u32(&span), index = rlti_span_u32(&span);
        uint64_t count = rlti_span_u64(&span);
        rlti_still_value value = {(long long)span.at, count};
        size_t bytes = 16 * sizeof(double);
        if (span.failed || index > INT32_MAX ||
            (int)index >= (what == IS_VALUE ? sink->attribute_count : sink->prim_count))
            return 0;
        if (what == IS_VALUE) {
            rlti_array_type type = sink->attributes[index].type;
            if (!rlti_span_has(&span, count, bytes_of(type, 1)))
                return 0;
            bytes = bytes_of(type, count);
        }
        if (rlti_span_take(&span, (bytes + 7) / 8 * 8) == NULL)
            return 0;
        *(what == IS_VALUE ? &still->values[index] : &still->transforms[index]) = value;
    }
    still->length = (long long)map->size;
    return 1;
}

static rlt_status restore(rlti_sink *sink, rlt_messages *messages) {
    rlti_file_map map;
    rlt_status status = rlti_file_map_open(sink->parts->name, NULL, messages, &map);
    if (status != RLT_OK)
        return status;
    if (!scan(sink, sink->own, &map))
        status = rlti_journal_unfit(sink, messages);
    rlti_file_map_close(&map);
    return status;
}

static void free_sink(rlti_sink *sink) {
    rlti_still *still = sink->own;
    RLTI_FREE(still->values, still->transforms, still);
}

/* One writer a format; what differs is in its details. */
#define STILL_WRITER(name, own_format)                                                                       \
    {                                                                                                        \
        .format = (name), .parts = {{".values.part", (size_t)256 * 1024}}, .temporary = ".part",             \
        .details = (own_format), .own_bytes = sizeof(rlti_still), .prim = add_prim,                          \
        .attribute = add_attribute, .write = write_value, .transform = write_transform,                      \
        .begin = begin_pieces, .piece = add_piece, .end = end_pieces, .compose = compose,                    \
        .restore = restore, .free = free_sink                                                                \
    }

const rlti_sink_writer rlti_hair_sink = STILL_WRITER("hair", &rlti_hair_format);
const rlti_sink_writer rlti_obj_sink = STILL_WRITER("obj", &rlti_obj_format);

/* ---- while composing ---- */

void rlti_still_forget(const rlti_sink *sink, const rlti_array *view, size_t count) {
    const rlti_still *still = sink->own;
    rlti_file_map_forget(&still->map, view->data, bytes_of(view->type, count));
}

int rlti_still_value_at(const rlti_sink *sink, int attribute, rlti_array *view) {
    const rlti_still *still = sink->own;
    rlti_still_value value = still->values[attribute];
    if (value.at == 0)
        return 0;
    *view = (rlti_array){.type = sink->attributes[attribute].type,
                         .count = (size_t)value.count,
                         .data = still->map.bytes + value.at};
    return 1;
}

int rlti_still_value_of(const rlti_sink *sink, int prim, rlti_attribute_class class_, const char *name,
                        rlti_array *view, int *attribute) {
    for (int i = 0; i < sink->attribute_count; i++) {
        const rlti_attribute *a = &sink->attributes[i];
        if (sink->owner[i] != prim || a->class_ != class_ || strcmp(a->name, name) != 0 ||
            !rlti_still_value_at(sink, i, view))
            continue;
        if (attribute != NULL)
            *attribute = i;
        return 1;
    }
    return 0;
}

int rlti_still_indices_of(const rlti_sink *sink, int attribute, rlti_array *view) {
    int left = sink->attributes[attribute].indices;
    for (int i = 0; left >= 0 && i < sink->attribute_count; i++)
        if (sink->owner[i] == sink->owner[attribute] && left-- == 0)
            return sink->attributes[i].type.arity == 1 && rlti_still_value_at(sink, i, view);
    return 0;
}

int rlti_still_world(const rlti_sink *sink, int prim, double matrix[16]) {
    const rlti_still *still = sink->own;
    rlti_matrix_identity(matrix);
    for (int i = prim; i >= 0; i = sink->prims[i].resets ? -1 : sink->prims[i].parent)
        if (still->transforms[i].at != 0) {
            double own[16];
            memcpy(own, still->map.bytes + still->transforms[i].at, sizeof own);
            rlti_matrix_multiply(matrix, own, matrix);
        }
    return !rlti_matrix_is_identity(matrix);
}

int rlti_still_points(const rlti_array *view, size_t first, size_t count, const double *world,
                      float *scratch) {
    enum { SOME = 256 };
    double values[3 * SOME];
    size_t one = bytes_of(view->type, 1);
    if (view->type.arity != 3)
        return 0;
    if (view->type.element == RLTI_FLOAT && world == NULL) { /* not a bit changes */
        memcpy(scratch, (const unsigned char *)view->data + first * one, count * one);
        return 1;
    }
    while (count > 0) {
        size_t n = count < SOME ? count : SOME;
        rlti_array some = {.type = view->type, .count = n, .data = (const char *)view->data + first * one};
        if (!rlti_array_to_doubles(&some, values))
            return 0;
        for (size_t i = 0; i < n; i++, scratch += 3)
            for (int c = 0; c < 3; c++) {
                const double *p = values + 3 * i;
                double moved = world == NULL ? p[c]
                                             : p[0] * world[c] + p[1] * world[4 + c] + p[2] * world[8 + c] +
                                                   world[12 + c];
                scratch[c] = (float)moved;
            }
        first += n;
        count -= n;
    }
    return 1;
}
