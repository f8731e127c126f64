/* USD crates, version 0.8.0, written as the values come. Three parts stand beside the file until it is
 * closed: the values themselves, which become the file when the tables are put behind them; a record for each
 * value (whose, when, where); and the texts that have numbers. The latter two are what a later run needs to
 * resume. */
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usd_author.h"
#include "formats/usd/usdc_out.h"
#include "formats/tree/journal.h"
#include "formats/tree/writers.h"
#include "io/file_map.h"

/* Larger values go past the buffer. */
enum { DATA_BUFFER = 256 * 1024, LOG_BUFFER = 64 * 1024 };

/* One value. Written and read by the same program on the same machine. */
typedef struct record {
    int32_t is_transform, handle;
    double time;
    uint64_t rep;
} record;

static rlti_crate_sink *own_of(const rlti_sink *sink) {
    return sink->own;
}

/* ---- tracks ---- */

static int reserve(rlti_crate_track *track) {
    int capacity = track->capacity;
    return RLTI_LIST_RESERVE(track->times, track->count, 1, capacity) &&
           RLTI_LIST_RESERVE(track->reps, track->count, 1, track->capacity);
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

/* A value is where its rep says: notes that. */
static rlt_status note(rlti_crate_sink *own, int is_transform, int handle, double time, uint64_t rep,
                       rlt_messages *messages) {
    rlti_crate_track *track = is_transform ? &own->transforms[handle] : &own->tracks[handle];
    record entry = {is_transform, handle, time, rep};
    if (rep == 0 || !keep(track, time, rep))
        return rlti_out_of_memory(messages);
    rlti_stream_write(own->log, &entry, sizeof entry);
    rlt_status status = rlti_stream_check(own->data, messages);
    if (status == RLT_OK)
        status = rlti_stream_check(own->log, messages);
    return status == RLT_OK ? rlti_stream_check(own->texts, messages) : status;
}

static rlt_status add(rlti_sink *sink, int is_transform, int handle, double time, const rlti_array *value,
                      rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    rlti_crate_track *track = is_transform ? &own->transforms[handle] : &own->tracks[handle];
    return note(own, is_transform, handle, time, rlti_crate_put(own, track, value), messages);
}

/* ---- the sink ---- */

static rlt_status declare_prim(rlti_sink *sink, int index, const rlti_prim *prim, rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    (void)prim;
    return RLTI_LIST_RESERVE(own->transforms, index, 1, own->transform_count) ? RLT_OK
                                                                              : rlti_out_of_memory(messages);
}

static rlt_status declare_attribute(rlti_sink *sink, int index, int prim, const rlti_attribute *attribute,
                                    rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    rlti_usd_form form = rlti_usd_attribute_form(attribute);
    if (form.type.arity == 0 || rlti_crate_type_number(form.type) == 0)
        rlti_warn(messages, "%s: %s.%s: USD has no such type; it is left out", sink->path,
                  sink->prims[prim].path, attribute->name);
    if (!RLTI_LIST_RESERVE(own->tracks, index, 1, own->track_count))
        return rlti_out_of_memory(messages);
    own->tracks[index].is_time = form.type_name != NULL && strncmp(form.type_name, "timecode", 8) == 0;
    return RLT_OK;
}

/* The type that is written; 0 where USD has none. */
static int type_of(const rlti_attribute *attribute, rlti_array_type *type) {
    *type = rlti_usd_attribute_form(attribute).type;
    return type->arity != 0 && rlti_crate_type_number(*type) != 0;
}

static rlt_status write_value(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                              rlt_messages *messages) {
    rlti_array_type type;
    rlti_array typed;
    if (!type_of(&sink->attributes[attribute], &type))
        return RLT_OK;
    rlt_status status = rlti_usd_fit(sink, attribute, value, &own_of(sink)->scratch, &typed, messages);
    return status == RLT_OK ? add(sink, 0, attribute, time, &typed, messages) : status;
}

static rlt_status begin_pieces(rlti_sink *sink, int attribute, rlt_messages *messages) {
    rlti_array_type type;
    (void)messages;
    if (type_of(&sink->attributes[attribute], &type))
        rlti_crate_begin(own_of(sink));
    return RLT_OK;
}

static rlt_status add_piece(rlti_sink *sink, int attribute, const rlti_array *piece, rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    rlti_array_type type;
    rlti_array typed;
    if (!type_of(&sink->attributes[attribute], &type))
        return RLT_OK;
    rlt_status status = rlti_usd_fit(sink, attribute, piece, &own->scratch, &typed, messages);
    if (status != RLT_OK)
        return status;
    rlti_crate_piece(own, &typed);
    return rlti_stream_check(own->data, messages);
}

static rlt_status end_pieces(rlti_sink *sink, int attribute, double time, rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    rlti_array_type type;
    if (!type_of(&sink->attributes[attribute], &type))
        return RLT_OK;
    return note(own, 0, attribute, time, rlti_crate_end(own, &own->tracks[attribute], type), messages);
}

static rlt_status write_transform(rlti_sink *sink, int prim, double time, const double matrix[16],
                                  rlt_messages *messages) {
    rlti_array value = {.type = {RLTI_DOUBLE, 16, RLTI_ROLE_MATRIX, 0}, .count = 1, .data = matrix};
    return add(sink, 1, prim, time, &value, messages);
}

/* ---- resuming ---- */

static rlt_status load_texts(rlti_sink *sink, const rlti_file_map *map, rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    const char *at = (const char *)map->bytes;
    if (map->size > 0 && at[map->size - 1] != '\0')
        return rlti_journal_unfit(sink, messages);
    for (size_t done = 0; done < map->size;) {
        int is_new;
        if (rlti_crate_tokens_put(&own->tokens, at + done, &is_new) == UINT32_MAX)
            return rlti_out_of_memory(messages);
        if (!is_new)
            return rlti_journal_unfit(sink, messages);
        done += strlen(at + done) + 1;
    }
    return RLT_OK;
}

static int read_u64(rlti_crate_sink *own, uint64_t at, uint64_t *value) {
    unsigned char bytes[8];
    *value = 0;
    if (!rlti_stream_read(own->data, (long long)at, bytes, sizeof bytes))
        return 0;
    for (int k = 0; k < 8; k++)
        *value |= (uint64_t)bytes[k] << (8 * k);
    return 1;
}

/* Restores what decides whether the next array is the same. */
static rlt_status restore_last(rlti_crate_sink *own, rlti_crate_track *track, rlt_messages *messages) {
    rlti_array_type type;
    uint64_t rep = track->last, at = RLTI_REP_PAYLOAD(rep), size = 0;
    track->last = 0; /* where it cannot be read, the next array is written anew */
    if (rep == 0 || !rlti_crate_array_type(rep, &type) || !read_u64(own, at, &track->last_count))
        return RLT_OK;
    if (rep & RLTI_REP_COMPRESSED) {
        if (!read_u64(own, at + 8, &size))
            return RLT_OK;
        size += 8;
    } else {
        size = track->last_count * rlti_element_size(type.element) * (uint64_t)type.arity;
    }
    if (size > (uint64_t)rlti_stream_length(own->data) - at)
        return RLT_OK;
    unsigned char *data = rlti_allocate((size_t)size, 1);
    if (data == NULL)
        return rlti_out_of_memory(messages);
    if (rlti_stream_read(own->data, (long long)at + 8, data, (size_t)size)) {
        track->last = rep;
        track->last_bytes = size;
        track->last_mark = rlti_crate_mark(data, (size_t)size);
    }
    rlti_free(data);
    return RLT_OK;
}

static rlt_status take_record(rlti_sink *sink, const void *bytes, rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    record entry;
    rlti_array_type type;
    memcpy(&entry, bytes, sizeof entry);
    if (entry.handle < 0 ||
        !rlti_journal_found(sink, entry.is_transform ? RLTI_TRANSFORM_OF(entry.handle) : entry.handle,
                            entry.time) ||
        (!(entry.rep & RLTI_REP_INLINED) &&
         RLTI_REP_PAYLOAD(entry.rep) >= (uint64_t)rlti_stream_length(own->data)))
        return rlti_journal_unfit(sink, messages);
    rlti_crate_track *track =
        entry.is_transform ? &own->transforms[entry.handle] : &own->tracks[entry.handle];
    if (!keep(track, entry.time, entry.rep))
        return rlti_out_of_memory(messages);
    if (entry.rep & RLTI_REP_ARRAY && RLTI_REP_PAYLOAD(entry.rep) != 0 &&
        rlti_crate_array_type(entry.rep, &type) && type.element != RLTI_TEXT)
        track->last = entry.rep;
    return RLT_OK;
}

static rlt_status restore(rlti_sink *sink, rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    rlti_file_map texts;
    rlt_status status = rlti_journal_records(sink, 1, sizeof(record), take_record, messages);
    for (int i = 0; i < sink->attribute_count && status == RLT_OK; i++)
        status = restore_last(own, &own->tracks[i], messages);
    if (status == RLT_OK)
        status = rlti_file_map_open(own->texts->name, NULL, messages, &texts);
    if (status != RLT_OK)
        return status;
    status = load_texts(sink, &texts, messages);
    rlti_file_map_close(&texts);
    return status;
}

/* ---- making and freeing ---- */

static void free_tracks(rlti_crate_track *tracks, int count) {
    for (int i = 0; i < count; i++) {
        RLTI_FREE(tracks[i].times, tracks[i].reps);
    }
    rlti_free(tracks);
}

static void free_sink(rlti_sink *sink) {
    rlti_crate_sink *own = own_of(sink);
    rlti_crate_tokens_free(&own->tokens);
    free_tracks(own->tracks, own->track_count);
    free_tracks(own->transforms, own->transform_count);
    rlti_array_clear(&own->scratch);
    rlti_free(own);
}

static rlt_status open_sink(rlti_sink *sink, rlt_messages *messages) {
    rlti_crate_sink *own = own_of(sink);
    int is_new;
    own->data = &sink->parts[0];
    own->log = &sink->parts[1];
    own->texts = &sink->parts[2];
    return rlti_crate_tokens_put(&own->tokens, ";-)", &is_new) != UINT32_MAX ? RLT_OK
                                                                             : rlti_out_of_memory(messages);
}

static void start(rlti_sink *sink) {
    static const unsigned char header[RLTI_CRATE_HEADER] = {0};
    rlti_stream_write(own_of(sink)->data, header, sizeof header);
}

const rlti_sink_writer rlti_usdc_sink = {
    .format = "usdc",
    .parts = {{".values.part", DATA_BUFFER}, {".index.part", LOG_BUFFER}, {".texts.part", LOG_BUFFER}},
    .temporary = ".tmp",
    .appends = 1,
    .own_bytes = sizeof(rlti_crate_sink),
    .open = open_sink,
    .start = start,
    .prim = declare_prim,
    .attribute = declare_attribute,
    .write = write_value,
    .transform = write_transform,
    .begin = begin_pieces,
    .piece = add_piece,
    .end = end_pieces,
    .compose = rlti_crate_compose,
    .restore = restore,
    .free = free_sink};
