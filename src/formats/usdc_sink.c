/* USD crates, version 0.8.0, written as the values come. Three parts stand beside the file until it is
 * closed: the values themselves, which become the file when the tables are put behind them; a record for each
 * value (whose, when, where); and the texts that have numbers. The latter two are what a later run needs to
 * go on. */
#include <math.h>
#include <string.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd_author.h"
#include "formats/usdc_out.h"
#include "formats/usdc_pack.h"
#include "formats/writers.h"
#include "io/file_map.h"

/* Larger values go past the buffer. */
enum { DATA_BUFFER = 256 * 1024, LOG_BUFFER = 64 * 1024, PART_COUNT = 3 };
static const char *const suffixes[PART_COUNT] = {".values.part", ".index.part", ".texts.part"};

/* Longer ones are written as they are: packing takes twice their memory. */
enum { LEAST_PACKED = 16, MOST_PACKED = 2 * 1024 * 1024 };

/* One value. Written and read by the same program on the same machine. */
typedef struct record {
    int32_t is_transform, handle;
    double time;
    uint64_t rep;
} record;

static rlti_crate_sink *own_of(const rlti_sink *sink) {
    return sink->own;
}

/* ---- bytes ---- */

void rlti_crate_bytes(rlti_crate_out *out, const void *bytes, size_t size) {
    rlti_stream_write(&out->stream, bytes, size);
    out->at += size;
}

void rlti_crate_u64(rlti_crate_out *out, uint64_t value) {
    unsigned char bytes[8];
    for (int k = 0; k < 8; k++)
        bytes[k] = (unsigned char)(value >> (8 * k));
    rlti_crate_bytes(out, bytes, sizeof bytes);
}

uint64_t rlti_crate_align(rlti_crate_out *out) {
    static const unsigned char zeros[8] = {0};
    rlti_crate_bytes(out, zeros, (size_t)(-out->at & 7));
    return out->at;
}

uint64_t rlti_crate_put_double(rlti_crate_out *out, double value) {
    float single = (float)value;
    uint64_t type = (uint64_t)RLTI_CRATE_DOUBLE << 48;
    if ((double)single == value) {
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        return type | RLTI_REP_INLINED | bits;
    }
    uint64_t bits, at = rlti_crate_align(out);
    memcpy(&bits, &value, sizeof bits);
    rlti_crate_u64(out, bits);
    return type | at;
}

/* Elements, lowest byte first. */
static void put_elements(rlti_crate_out *out, const void *data, size_t count, size_t size) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const unsigned char *from = data;
    for (size_t i = 0; i < count; i++)
        for (size_t k = size; k > 0; k--)
            rlti_crate_bytes(out, from + i * size + k - 1, 1);
#else
    rlti_crate_bytes(out, data, count * size);
#endif
}

/* ---- texts ---- */

uint32_t rlti_crate_sink_token(rlti_crate_sink *own, const char *text) {
    int is_new;
    uint32_t number = rlti_crate_tokens_put(&own->tokens, text, &is_new);
    if (is_new)
        rlti_stream_write(&own->texts, text, strlen(text) + 1);
    return number;
}

/* ---- one value ---- */

/* 1 where the number is whole, fits a signed byte, and has no sign of its own (-0 would lose it). */
static int as_byte(double value, uint32_t *byte) {
    if (!(value >= -128.0 && value <= 127.0) || value != floor(value) || (value == 0.0 && signbit(value)))
        return 0;
    *byte = (uint32_t)(int32_t)value & 255;
    return 1;
}

/* Vectors as a byte a number; matrices by their diagonal, where the rest is 0. */
static int inline_bytes(const double *numbers, rlti_array_type type, uint32_t *payload) {
    int is_matrix = type.role == RLTI_ROLE_MATRIX, side = type.arity == 16 ? 4 : type.arity == 9 ? 3 : 2;
    *payload = 0;
    for (int i = 0; i < type.arity; i++) {
        uint32_t byte;
        int place = is_matrix ? i / side : i;
        if (!as_byte(numbers[i], &byte))
            return 0;
        if (is_matrix && i / side != i % side) {
            if (byte != 0)
                return 0;
            continue;
        }
        *payload |= byte << (8 * place);
    }
    return 1;
}

static int inline_number(const rlti_array *value, uint32_t *payload) {
    rlti_array_type type = value->type;
    double numbers[16];
    *payload = 0;
    if (type.arity == 1) {
        uint64_t bits = 0;
        size_t size = rlti_element_size(type.element);
        if (size <= 4) {
            memcpy(payload, value->data, size);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            *payload >>= 32 - 8 * size;
#endif
            return 1;
        }
        memcpy(&bits, value->data, sizeof bits);
        if (type.element == RLTI_DOUBLE) {
            double number = *(const double *)value->data;
            float single = (float)number;
            memcpy(payload, &single, sizeof single);
            return (double)single == number;
        }
        *payload = (uint32_t)bits;
        return type.element == RLTI_UINT64 ? bits <= UINT32_MAX
                                           : *(const int64_t *)value->data == (int32_t)*payload;
    }
    return type.role != RLTI_ROLE_QUATERNION && rlti_array_to_doubles(value, numbers) &&
           inline_bytes(numbers, type, payload);
}

static uint64_t put_single(rlti_crate_sink *own, const rlti_array *value, uint64_t type) {
    uint32_t payload;
    if (value->type.element == RLTI_TEXT) {
        payload = rlti_crate_sink_token(own, *(const char *const *)value->data);
        return payload == UINT32_MAX ? 0 : type | RLTI_REP_INLINED | payload;
    }
    if (inline_number(value, &payload))
        return type | RLTI_REP_INLINED | payload;
    uint64_t at = rlti_crate_align(&own->data);
    put_elements(&own->data, value->data, (size_t)value->type.arity, rlti_element_size(value->type.element));
    return type | at;
}

/* ---- arrays ---- */

/* A checksum of the ends and the middle: arrays that differ mostly differ there. */
static uint64_t mark_of(const unsigned char *bytes, size_t size) {
    enum { PIECE = 512 };
    if (size <= (size_t)3 * PIECE)
        return rlti_checksum(size, bytes, size);
    uint64_t mark = rlti_checksum(size, bytes, PIECE);
    mark = rlti_checksum(mark, bytes + size / 2, PIECE);
    return rlti_checksum(mark, bytes + size - PIECE, PIECE);
}

/* 1 where the array written last has these bytes, as the file says. */
static int is_same_as_last(rlti_crate_sink *own, const rlti_crate_track *track, const unsigned char *bytes,
                           size_t size) {
    unsigned char chunk[4096];
    if (track->last == 0 || track->last_bytes != size || track->last_mark != mark_of(bytes, size))
        return 0;
    long long at = (long long)RLTI_REP_PAYLOAD(track->last) + 8;
    for (size_t done = 0; done < size;) {
        size_t part = size - done < sizeof chunk ? size - done : sizeof chunk;
        if (!rlti_stream_read(&own->data.stream, at + (long long)done, chunk, part) ||
            memcmp(chunk, bytes + done, part) != 0)
            return 0;
        done += part;
    }
    return 1;
}

static uint64_t put_plain(rlti_crate_sink *own, rlti_crate_track *track, const rlti_array *value,
                          uint64_t type) {
    size_t element = rlti_element_size(value->type.element), count = value->count * (size_t)value->type.arity;
    size_t size = count * element;
    if (is_same_as_last(own, track, value->data, size))
        return track->last;
    uint64_t at = rlti_crate_align(&own->data);
    rlti_crate_u64(&own->data, value->count);
    put_elements(&own->data, value->data, count, element);
    track->last = type | RLTI_REP_ARRAY | at;
    track->last_bytes = size;
    track->last_mark = mark_of(value->data, size);
    return track->last;
}

static uint64_t put_packed(rlti_crate_sink *own, const rlti_array *value, uint64_t type) {
    size_t width = rlti_element_size(value->type.element);
    unsigned char *packed = rlti_allocate(rlti_ints_bound(value->count, width), 1);
    size_t size = packed != NULL ? rlti_ints_pack(value->data, value->count, width, packed) : 0;
    uint64_t at = 0;
    if (size > 0) {
        at = rlti_crate_align(&own->data);
        rlti_crate_u64(&own->data, value->count);
        rlti_crate_u64(&own->data, size);
        rlti_crate_bytes(&own->data, packed, size);
    }
    rlti_free(packed);
    return size > 0 ? type | RLTI_REP_ARRAY | RLTI_REP_COMPRESSED | at : 0;
}

static uint64_t put_texts(rlti_crate_sink *own, const rlti_array *value, uint64_t type) {
    const char *const *texts = value->data;
    uint64_t at = rlti_crate_align(&own->data);
    rlti_crate_u64(&own->data, value->count);
    for (size_t i = 0; i < value->count; i++) {
        uint32_t number = rlti_crate_sink_token(own, texts[i]);
        unsigned char bytes[4] = {(unsigned char)number, (unsigned char)(number >> 8),
                                  (unsigned char)(number >> 16), (unsigned char)(number >> 24)};
        if (number == UINT32_MAX)
            return 0;
        rlti_crate_bytes(&own->data, bytes, sizeof bytes);
    }
    return type | RLTI_REP_ARRAY | at;
}

static int is_packed(const rlti_array *value) {
    rlti_element element = value->type.element;
    return value->type.arity == 1 && value->count >= LEAST_PACKED && value->count <= MOST_PACKED &&
           (element == RLTI_INT32 || element == RLTI_UINT32 || element == RLTI_INT64 ||
            element == RLTI_UINT64);
}

/* Returns 0 when out of memory. */
static uint64_t put_value(rlti_crate_sink *own, rlti_crate_track *track, const rlti_array *value) {
    uint64_t type = (uint64_t)rlti_crate_type_number(value->type) << 48;
    if (value->blocked)
        return RLTI_REP_INLINED | (uint64_t)RLTI_CRATE_BLOCK << 48;
    if (!value->type.is_array)
        return put_single(own, value, type);
    if (value->count == 0)
        return type | RLTI_REP_ARRAY;
    if (value->type.element == RLTI_TEXT)
        return put_texts(own, value, type);
    return is_packed(value) ? put_packed(own, value, type) : put_plain(own, track, value, type);
}

/* ---- tracks ---- */

static int reserve(rlti_crate_track *track) {
    if (track->count < track->room)
        return 1;
    int room = track->room > 0 ? 2 * track->room : 8;
    double *times = RLTI_NEW(double, room);
    uint64_t *reps = RLTI_NEW(uint64_t, room);
    if (times == NULL || reps == NULL) {
        rlti_free(times);
        rlti_free(reps);
        return 0;
    }
    if (track->count > 0) {
        memcpy(times, track->times, (size_t)track->count * sizeof *times);
        memcpy(reps, track->reps, (size_t)track->count * sizeof *reps);
    }
    rlti_free(track->times);
    rlti_free(track->reps);
    track->times = times;
    track->reps = reps;
    track->room = room;
    return 1;
}

static int keep(rlti_crate_track *track, double time, uint64_t rep) {
    if (isnan(time)) {
        track->value = rep;
        return 1;
    }
    if (!reserve(track))
        return 0;
    track->times[track->count] = time;
    track->reps[track->count++] = rep;
    return 1;
}

/* Room for the tracks of as many as are declared now. */
static int grow_tracks(rlti_crate_track **tracks, int *count, int wanted) {
    if (wanted <= *count)
        return 1;
    int room = wanted > 2 * *count ? wanted + 8 : 2 * *count;
    rlti_crate_track *more = RLTI_NEW(rlti_crate_track, room);
    if (more == NULL)
        return 0;
    if (*count > 0)
        memcpy(more, *tracks, (size_t)*count * sizeof *more);
    rlti_free(*tracks);
    *tracks = more;
    *count = room;
    return 1;
}

static rlt_status check_time(const rlti_sink *sink, const rlti_crate_track *track, double time,
                             const char *what, rlt_messages *messages) {
    if (isnan(time) || (isfinite(time) && (track->count == 0 || time > track->times[track->count - 1])))
        return RLT_OK;
    return rlti_fail(messages, RLT_BAD_INPUT, "%s: %s: times must increase (%g)", sink->path, what, time);
}

static rlt_status add(rlti_sink *sink, int is_transform, int handle, double time, const rlti_array *value,
                      rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    rlti_crate_track *track = is_transform ? &own->transforms[handle] : &own->tracks[handle];
    record entry = {is_transform, handle, time, put_value(own, track, value)};
    if (entry.rep == 0 || !keep(track, time, entry.rep))
        return rlti_out_of_memory(messages);
    rlti_stream_write(&own->log, &entry, sizeof entry);
    rlt_status status = rlti_stream_check(&own->data.stream, messages);
    if (status == RLT_OK)
        status = rlti_stream_check(&own->log, messages);
    return status == RLT_OK ? rlti_stream_check(&own->texts, messages) : status;
}

/* ---- the sink ---- */

static rlt_status declare_prim(rlti_sink *sink, int index, const rlti_prim *prim, rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    (void)prim;
    return grow_tracks(&own->transforms, &own->transform_count, index + 1) ? RLT_OK
                                                                           : rlti_out_of_memory(messages);
}

static rlt_status declare_attribute(rlti_sink *sink, int index, int prim, const rlti_attribute *attribute,
                                    rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    rlti_usd_form form = rlti_usd_attribute_form(attribute);
    if (form.type.arity == 0 || rlti_crate_type_number(form.type) == 0)
        rlti_message(messages, RLT_WARNING, "%s: %s.%s: USD has no such type; it is left out", sink->path,
                     sink->prims[prim].path, attribute->name);
    return grow_tracks(&own->tracks, &own->track_count, index + 1) ? RLT_OK : rlti_out_of_memory(messages);
}

static rlt_status write_value(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                              rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    const rlti_attribute *declared = &sink->attributes[attribute];
    rlti_usd_form form = rlti_usd_attribute_form(declared);
    if (form.type.arity == 0 || rlti_crate_type_number(form.type) == 0)
        return RLT_OK;
    rlt_status status = check_time(sink, &own->tracks[attribute], time, declared->name, messages);
    if (status != RLT_OK)
        return status;
    const rlti_array *fitted;
    int fits = rlti_usd_fit(value, form.type, &own->scratch, &fitted);
    if (fits == 0)
        return rlti_out_of_memory(messages);
    if (fits < 0 || (!value->blocked && !form.type.is_array && fitted->count != 1))
        return rlti_fail(messages, RLT_BAD_INPUT, "%s: %s.%s: the value is not of the type that was declared",
                         sink->path, sink->prims[sink->owner[attribute]].path, declared->name);
    rlti_array typed = *fitted;
    typed.type = form.type;
    return add(sink, 0, attribute, time, &typed, messages);
}

static rlt_status write_transform(rlti_sink *sink, int prim, double time, const double matrix[16],
                                  rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    rlti_array value = {.type = {RLTI_DOUBLE, 16, RLTI_ROLE_MATRIX, 0}, .count = 1, .data = matrix};
    rlt_status status = check_time(sink, &own->transforms[prim], time, sink->prims[prim].path, messages);
    return status == RLT_OK ? add(sink, 1, prim, time, &value, messages) : status;
}

/* The last time the values themselves become the file; before that, a copy of them. */
static rlt_status publish(rlti_sink *sink, rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    rlti_crate_out copy = {.at = own->data.at}, *out = &own->data;
    rlt_status status = RLT_OK;
    if (!sink->closes) {
        status = rlti_stream_open(&copy.stream, sink->path, ".tmp", DATA_BUFFER, messages);
        if (status != RLT_OK)
            return status;
        rlti_stream_append(&copy.stream, &own->data.stream);
        out = &copy;
    }
    status = rlti_crate_finish(sink, out, messages);
    if (status == RLT_OK)
        status = rlti_stream_check(&own->texts, messages);
    if (status == RLT_OK)
        return rlti_stream_publish(&out->stream, messages);
    rlti_stream_discard(&out->stream);
    return status;
}

static rlti_stream *part_of(rlti_crate_sink *own, int part) {
    return part == 0 ? &own->data.stream : part == 1 ? &own->log : &own->texts;
}

static rlt_status marks(rlti_sink *sink, rlti_stream_mark *list, int *count, rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    rlt_status status = RLT_OK;
    *count = PART_COUNT;
    for (int p = 0; p < PART_COUNT; p++) {
        list[p] = rlti_stream_sync(part_of(own, p));
        if (status == RLT_OK)
            status = rlti_stream_check(part_of(own, p), messages);
    }
    return status;
}

/* ---- going on ---- */

static rlt_status not_ours(const rlti_sink *sink, rlt_messages *messages) {
    return rlti_fail(messages, RLT_BAD_INPUT, "%s: cannot go on with it: its parts do not fit together",
                     sink->path);
}

static rlt_status load_texts(rlti_sink *sink, const rlti_file_map *map, rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    const char *at = (const char *)map->bytes;
    if (map->size > 0 && at[map->size - 1] != '\0')
        return not_ours(sink, messages);
    for (size_t done = 0; done < map->size;) {
        int is_new;
        if (rlti_crate_tokens_put(&own->tokens, at + done, &is_new) == UINT32_MAX)
            return rlti_out_of_memory(messages);
        if (!is_new)
            return not_ours(sink, messages);
        done += strlen(at + done) + 1;
    }
    return RLT_OK;
}

/* What is needed to tell whether the next array is the same. */
static rlt_status restore_last(rlti_crate_sink *own, rlti_crate_track *track, rlt_messages *messages) {
    rlti_array_type type;
    unsigned char bytes[8];
    uint64_t count = 0;
    if (track->last == 0 || !rlti_crate_array_type(track->last, &type))
        return RLT_OK;
    long long at = (long long)RLTI_REP_PAYLOAD(track->last);
    if (!rlti_stream_read(&own->data.stream, at, bytes, sizeof bytes))
        return rlti_stream_check(&own->data.stream, messages);
    for (int k = 0; k < 8; k++)
        count |= (uint64_t)bytes[k] << (8 * k);
    size_t one = rlti_element_size(type.element) * (size_t)type.arity;
    if (count > (own->data.at - (uint64_t)at) / one) {
        track->last = 0;
        return RLT_OK;
    }
    unsigned char *data = rlti_allocate((size_t)count, one);
    if (data == NULL)
        return rlti_out_of_memory(messages);
    track->last_bytes = count * one;
    if (rlti_stream_read(&own->data.stream, at + 8, data, (size_t)track->last_bytes))
        track->last_mark = mark_of(data, (size_t)track->last_bytes);
    else
        track->last = 0;
    rlti_free(data);
    return RLT_OK;
}

static rlt_status load_log(rlti_sink *sink, const rlti_file_map *map, rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    if (map->size % sizeof(record) != 0)
        return not_ours(sink, messages);
    for (size_t at = 0; at < map->size; at += sizeof(record)) {
        record entry;
        memcpy(&entry, map->bytes + at, sizeof entry);
        int count = entry.is_transform ? sink->prim_count : sink->attribute_count;
        if (entry.handle < 0 || entry.handle >= count ||
            (!(entry.rep & RLTI_REP_INLINED) && RLTI_REP_PAYLOAD(entry.rep) >= own->data.at))
            return not_ours(sink, messages);
        rlti_crate_track *track =
            entry.is_transform ? &own->transforms[entry.handle] : &own->tracks[entry.handle];
        if (!keep(track, entry.time, entry.rep))
            return rlti_out_of_memory(messages);
        rlti_array_type type;
        int is_plain = entry.rep & RLTI_REP_ARRAY && !(entry.rep & RLTI_REP_COMPRESSED) &&
                       RLTI_REP_PAYLOAD(entry.rep) != 0 && rlti_crate_array_type(entry.rep, &type) &&
                       type.element != RLTI_TEXT;
        if (is_plain)
            track->last = entry.rep;
    }
    rlt_status status = RLT_OK;
    for (int i = 0; i < sink->attribute_count && status == RLT_OK; i++)
        status = restore_last(own, &own->tracks[i], messages);
    return status;
}

static rlt_status resume(rlti_sink *sink, const rlti_stream_mark *list, int count, rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    rlt_status status = count == PART_COUNT ? RLT_OK : not_ours(sink, messages);
    for (int p = 0; p < PART_COUNT && status == RLT_OK; p++)
        status = rlti_stream_reopen(part_of(own, p), sink->path, suffixes[p],
                                    p == 0 ? DATA_BUFFER : LOG_BUFFER, &list[p], messages);
    if (status != RLT_OK)
        return status;
    own->data.at = (uint64_t)list[0].length;
    for (int p = 1; p < PART_COUNT && status == RLT_OK; p++) {
        rlti_file_map map;
        status = rlti_file_map_open(part_of(own, p)->name, messages, &map);
        if (status == RLT_OK)
            status = p == 1 ? load_log(sink, &map, messages) : load_texts(sink, &map, messages);
        rlti_file_map_close(&map);
    }
    return status;
}

/* ---- making and freeing ---- */

static void free_tracks(rlti_crate_track *tracks, int count) {
    for (int i = 0; i < count; i++) {
        rlti_free(tracks[i].times);
        rlti_free(tracks[i].reps);
    }
    rlti_free(tracks);
}

static void free_sink(rlti_sink *sink, int keep_parts) {
    rlti_crate_sink *own = own_of(sink);
    for (int p = 0; p < PART_COUNT; p++) {
        if (keep_parts)
            rlti_stream_leave(part_of(own, p));
        else
            rlti_stream_discard(part_of(own, p));
    }
    rlti_crate_tokens_free(&own->tokens);
    free_tracks(own->tracks, own->track_count);
    free_tracks(own->transforms, own->transform_count);
    rlti_array_clear(&own->scratch);
    rlti_free(own);
    sink->own = NULL;
}

const rlti_sink_writer rlti_usdc_sink = {
    "usdc", declare_prim, declare_attribute, write_value, write_transform, publish, marks, resume, free_sink};

rlt_status rlti_usdc_sink_open(rlti_sink *sink, rlt_messages *messages) {
    static const unsigned char header[RLTI_CRATE_HEADER] = {0};
    rlti_crate_sink *own = RLTI_NEW(rlti_crate_sink, 1);
    int is_new;
    if (own == NULL)
        return rlti_out_of_memory(messages);
    sink->own = own;
    rlt_status status = RLT_OK;
    if (rlti_crate_tokens_put(&own->tokens, ";-)", &is_new) == UINT32_MAX)
        status = rlti_out_of_memory(messages);
    for (int p = 0; p < PART_COUNT && status == RLT_OK && !sink->def.resumes; p++)
        status = rlti_stream_open(part_of(own, p), sink->path, suffixes[p], p == 0 ? DATA_BUFFER : LOG_BUFFER,
                                  messages);
    if (status == RLT_OK && !sink->def.resumes)
        rlti_crate_bytes(&own->data, header, sizeof header);
    if (status != RLT_OK)
        free_sink(sink, 0);
    return status;
}
