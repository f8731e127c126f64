/* Alembic (Ogawa) files, written as the samples come. Two parts stand beside the file until it is closed: the
 * samples, which become the file when headers and groups are put behind them; and a record for each sample,
 * which is what a later run needs to resume. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "formats/alembic/abc_out.h"
#include "formats/alembic/murmur3.h"
#include "formats/tree/journal.h"
#include "formats/tree/writers.h"

enum { DATA_BUFFER = 256 * 1024, LOG_BUFFER = 64 * 1024 };

typedef enum record_kind { OF_ATTRIBUTE, OF_TRANSFORM, OF_BOUNDS } record_kind;

/* One sample. Written and read by the same program on the same machine. */
typedef struct record {
    int32_t kind, handle;
    int64_t is_one; /* it has exactly one value */
    double time;    /* NaN: without one */
    uint64_t data, size;
    uint64_t key[2], bytes;
} record;

/* ---- declarations ---- */

static rlt_status declare_prim(rlti_sink *sink, int index, const rlti_prim *prim, rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    if (!RLTI_LIST_RESERVE(own->prims, index, 1, own->prim_count))
        return rlti_out_of_memory(messages);
    own->prims[index].moves = prim->has_transform || rlti_abc_is_turned(sink, index);
    if (rlti_abc_turns_up(sink) && !own->said_axis) {
        own->said_axis = 1;
        rlti_message(messages, RLT_NOTE,
                     "%s: turned from Z up to Y up, which programs that read Alembic expect (it can be kept: "
                     "--keep-axis)",
                     sink->path);
    }
    int is_held = prim->kind == RLTI_PRIM_GROUP || prim->kind == RLTI_PRIM_XFORM ||
                  prim->kind == RLTI_PRIM_CURVES || prim->kind == RLTI_PRIM_MESH ||
                  prim->kind == RLTI_PRIM_FACE_SET;
    if (!is_held && !own->said_kind) {
        own->said_kind = 1;
        rlti_warn(messages, "%s: %s and the like become transforms with user properties: no curves or meshes",
                  sink->path, sink->prims[index].path);
    }
    return RLT_OK;
}

static rlt_status declare_attribute(rlti_sink *sink, int index, int prim, const rlti_attribute *attribute,
                                    rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    int capacity = own->track_count;
    if (!RLTI_LIST_RESERVE(own->tracks, index, 1, capacity) ||
        !RLTI_LIST_RESERVE(own->forms, index, 1, own->track_count))
        return rlti_out_of_memory(messages);
    own->forms[index] = rlti_abc_form_of(&sink->prims[prim], attribute);
    own->prims[prim].has_extent |= own->forms[index].place == RLTI_ABC_BOUNDS;
    return RLT_OK;
}

/* ---- samples ---- */

static int grow_track(rlti_abc_track *track, int has_sizes) {
    int capacity = track->capacity, size_capacity = capacity;
    return RLTI_LIST_RESERVE(track->times, track->count, 1, capacity) &&
           (!has_sizes || RLTI_LIST_RESERVE(track->sizes, track->count, 1, size_capacity)) &&
           RLTI_LIST_RESERVE(track->data, track->count, 1, track->capacity);
}

static rlti_abc_recent *recent_of(rlti_abc_writer *own, const uint64_t key[2]) {
    return &own->recent[key[0] % RLTI_ABC_RECENT];
}

/* Notes a sample in memory, as when it was written and when an earlier run's records are read. */
static int note(rlti_abc_writer *own, rlti_abc_track *track, const record *r, int has_sizes) {
    uint64_t mixed[4] = {track->hash[0], track->hash[1], r->key[0], r->key[1]};
    if (isnan(r->time)) {
        track->has_still = 1;
        track->still = r->data;
        track->still_size = r->size;
    } else {
        if (!grow_track(track, has_sizes))
            return 0;
        track->times[track->count] = r->time;
        track->data[track->count] = r->data;
        if (has_sizes)
            track->sizes[track->count] = r->size;
        track->count++;
    }
    rlti_murmur3(mixed, sizeof mixed, track->hash);
    track->has_many |= !r->is_one;
    track->is_uneven |= track->last != 0 && track->last_bytes != r->bytes;
    track->last = r->data;
    track->last_bytes = r->bytes;
    memcpy(track->last_key, r->key, sizeof r->key);
    if (r->bytes > 0)
        *recent_of(own, r->key) = (rlti_abc_recent){{r->key[0], r->key[1]}, r->bytes, r->data};
    return 1;
}

/* After a sample was written. */
static rlt_status keep(rlti_abc_writer *own, rlti_abc_track *track, const record *r, int has_sizes,
                       rlt_messages *messages) {
    rlti_stream_write(own->log, r, sizeof *r);
    if (!note(own, track, r, has_sizes))
        return rlti_out_of_memory(messages);
    rlt_status status = rlti_stream_check(own->data, messages);
    return status == RLT_OK ? rlti_stream_check(own->log, messages) : status;
}

/* Writes a block unless one like it was written lately; `has_count`: how many there are is written too, since
 * the size of texts does not show it. */
static rlt_status put(rlti_sink *sink, record_kind kind, int handle, rlti_abc_track *track, double time,
                      const void *bytes, size_t size, size_t values, int has_count, rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    record r = {.kind = kind, .handle = handle, .is_one = values == 1, .time = time, .bytes = size};
    if (size > 0)
        rlti_murmur3(bytes, size, r.key);
    const rlti_abc_recent *recent = recent_of(own, r.key);
    if (size == 0)
        r.data = RLTI_OGAWA_EMPTY_DATA;
    else if (track->last_bytes == size && memcmp(track->last_key, r.key, sizeof r.key) == 0)
        r.data = track->last;
    else if (recent->bytes == size && memcmp(recent->key, r.key, sizeof r.key) == 0)
        r.data = recent->data;
    else
        r.data = rlti_ogawa_put_data(own->data, r.key, bytes, size);
    if (has_count) {
        uint64_t many = values;
        r.size = rlti_ogawa_put_data(own->data, NULL, &many, sizeof many);
    }
    return keep(own, track, &r, has_count, messages);
}

/* Texts one after the other, each with its end. */
static rlt_status put_texts(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                            rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    const char *const *texts = value->data;
    size_t bytes = 0;
    for (size_t i = 0; i < value->count; i++)
        bytes += strlen(texts[i]) + 1;
    rlti_array_type plain = {RLTI_UINT8, 1, RLTI_ROLE_NONE, 1};
    char *scratch = rlti_array_reserve(&own->scratch, plain, bytes);
    if (scratch == NULL)
        return rlti_out_of_memory(messages);
    for (size_t i = 0; i < value->count; i++) {
        size_t size = strlen(texts[i]) + 1;
        memcpy(scratch, texts[i], size);
        scratch += size;
    }
    return put(sink, OF_ATTRIBUTE, attribute, &own->tracks[attribute], time, own->scratch.data, bytes,
               value->count, own->forms[attribute].type.is_array, messages);
}

/* Boxes around points, which may come in pieces; inside out where there are none. */
static void clear_box(float minimum[3], float maximum[3]) {
    for (int c = 0; c < 3; c++) {
        minimum[c] = HUGE_VALF;
        maximum[c] = -HUGE_VALF;
    }
}

static void grow_box(const rlti_array *points, float minimum[3], float maximum[3]) {
    const float *p = points->data;
    for (size_t i = 0; i < points->count; i++, p += 3)
        for (int c = 0; c < 3; c++) {
            minimum[c] = p[c] < minimum[c] ? p[c] : minimum[c];
            maximum[c] = p[c] > maximum[c] ? p[c] : maximum[c];
        }
}

static rlt_status put_box(rlti_sink *sink, int prim, double time, const float minimum[3],
                          const float maximum[3], rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    double box[6];
    for (int c = 0; c < 3; c++) {
        int is_empty = !(minimum[c] <= maximum[c]);
        box[c] = is_empty ? DBL_MAX : (double)minimum[c];
        box[3 + c] = is_empty ? -DBL_MAX : (double)maximum[c];
    }
    return put(sink, OF_BOUNDS, prim, &own->prims[prim].bounds, time, box, sizeof box, 1, 0, messages);
}

/* 1: boxes are made from this attribute. */
static int makes_box(const rlti_sink *sink, int attribute) {
    const rlti_abc_writer *own = sink->own;
    const rlti_abc_form *form = &own->forms[attribute];
    return !own->prims[sink->owner[attribute]].has_extent && form->place == RLTI_ABC_SCHEMA &&
           strcmp(form->property, "P") == 0;
}

static rlt_status cannot_fit(const rlti_sink *sink, int attribute, rlt_messages *messages) {
    return rlti_refuse(messages, "%s: %s.%s: has another type or count than was declared", sink->path,
                       sink->prims[sink->owner[attribute]].path, sink->attributes[attribute].name);
}

/* 0 hides, -1 leaves it to the parent. */
static rlt_status put_visible(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                              rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    if (value->type.element != RLTI_TEXT || value->count != 1)
        return cannot_fit(sink, attribute, messages);
    int8_t visible = strcmp(((const char *const *)value->data)[0], "invisible") == 0 ? 0 : -1;
    return put(sink, OF_ATTRIBUTE, attribute, &own->tracks[attribute], time, &visible, 1, 1, 0, messages);
}

static rlt_status put_value(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                            rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    const rlti_abc_form *form = &own->forms[attribute];
    int prim = sink->owner[attribute];
    const rlti_array *fitted;
    if (form->place == RLTI_ABC_VISIBILITY)
        return put_visible(sink, attribute, time, value, messages);
    if (form->type.element == RLTI_TEXT)
        return value->type.element == RLTI_TEXT ? put_texts(sink, attribute, time, value, messages)
                                                : cannot_fit(sink, attribute, messages);
    int fits = rlti_abc_fit(value, form->type, &own->scratch, &fitted);
    if (fits <= 0)
        return fits == 0 ? rlti_out_of_memory(messages) : cannot_fit(sink, attribute, messages);
    size_t bytes = fitted->count * (size_t)form->type.arity * rlti_element_size(form->type.element);
    if (form->place == RLTI_ABC_BOUNDS)
        return fitted->count == 1 ? put(sink, OF_BOUNDS, prim, &own->prims[prim].bounds, time, fitted->data,
                                        bytes, 1, 0, messages)
                                  : cannot_fit(sink, attribute, messages);
    rlt_status status = put(sink, OF_ATTRIBUTE, attribute, &own->tracks[attribute], time, fitted->data, bytes,
                            fitted->count, 0, messages);
    if (status == RLT_OK && makes_box(sink, attribute)) {
        float minimum[3], maximum[3];
        clear_box(minimum, maximum);
        grow_box(fitted, minimum, maximum);
        status = put_box(sink, prim, time, minimum, maximum, messages);
    }
    return status;
}

/* ---- faces of right-handed meshes are turned, pinned B-splines straightened ---- */

static int needs_counts(const rlti_sink *sink, int attribute) {
    const rlti_abc_writer *own = sink->own;
    const rlti_prim *prim = &sink->prims[sink->owner[attribute]];
    if (!sink->attributes[attribute].is_index || prim->kind != RLTI_PRIM_MESH || prim->left_handed)
        return own->forms[attribute].needs_counts;
    int values = rlti_abc_indexed_by(sink, attribute);
    return values >= 0 && sink->attributes[values].interpolation == RLTI_FACE_VARYING &&
           sink->attributes[values].class_ != RLTI_CUSTOM;
}

static rlt_status put_turned(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                             rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    rlti_abc_prim *prim = &own->prims[sink->owner[attribute]];
    const rlti_attribute *a = &sink->attributes[attribute];
    int per_corner = a->is_index || a->element_size < 1 ? 1 : a->element_size;
    int is_mesh = sink->prims[sink->owner[attribute]].kind == RLTI_PRIM_MESH;
    int turned = is_mesh ? rlti_abc_turn(value, &prim->counts, per_corner, &own->turned)
                         : rlti_abc_joints(value, &prim->counts, &own->turned);
    if (turned <= 0)
        return turned == 0 ? rlti_out_of_memory(messages)
                           : rlti_refuse(messages, "%s: %s.%s: does not fit %s", sink->path,
                                         sink->prims[sink->owner[attribute]].path, a->name,
                                         is_mesh ? "faceVertexCounts" : "curveVertexCounts");
    return put_value(sink, attribute, time, &own->turned, messages);
}

/* Keeps a value until its faces are known. */
static rlt_status wait_for_counts(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                                  rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    rlti_abc_waiting *kept = RLTI_NEW(rlti_abc_waiting, 1);
    if (kept == NULL || !rlti_array_copy(&kept->value, value)) {
        rlti_free(kept);
        return rlti_out_of_memory(messages);
    }
    kept->attribute = attribute;
    kept->time = time;
    *own->waiting_end = kept;
    own->waiting_end = &kept->next;
    return RLT_OK;
}

/* Writes what waits for this prim, or (-1) all that still waits, as it is. */
static rlt_status end_waiting(rlti_sink *sink, int prim, rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    rlti_abc_waiting **at = &own->waiting;
    rlt_status status = RLT_OK;
    while (*at != NULL) {
        rlti_abc_waiting *kept = *at;
        if (prim >= 0 && sink->owner[kept->attribute] != prim) {
            at = &kept->next;
            continue;
        }
        if (status == RLT_OK)
            status = (prim >= 0 ? put_turned : put_value)(sink, kept->attribute, kept->time, &kept->value,
                                                          messages);
        *at = kept->next;
        rlti_array_clear(&kept->value);
        rlti_free(kept);
    }
    own->waiting_end = at;
    return status;
}

static rlt_status keep_counts(rlti_sink *sink, int attribute, const rlti_array *value,
                              rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    rlti_abc_prim *prim = &own->prims[sink->owner[attribute]];
    const rlti_array *fitted;
    int fits = rlti_abc_fit(value, own->forms[attribute].type, &own->scratch, &fitted);
    if (fits < 0)
        return cannot_fit(sink, attribute, messages);
    if (fits == 0 || !rlti_array_copy(&prim->counts, fitted))
        return rlti_out_of_memory(messages);
    prim->has_counts = 1;
    return RLT_OK;
}

/* ---- what the sink asks for ---- */

static rlt_status write_value(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                              rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    const rlti_abc_form *form = &own->forms[attribute];
    int prim = sink->owner[attribute];
    if (value->blocked) {
        if (form->type.is_array && form->place != RLTI_ABC_BOUNDS) {
            rlti_array none = {.type = sink->attributes[attribute].type};
            return put_value(sink, attribute, time, &none, messages);
        }
        if (!own->said_blocked)
            rlti_warn(messages, "%s: %s.%s: Alembic cannot store that there is no value; it is left out",
                      sink->path, sink->prims[prim].path, sink->attributes[attribute].name);
        own->said_blocked = 1;
        return RLT_OK;
    }
    if (needs_counts(sink, attribute)) {
        if (!own->prims[prim].has_counts)
            return wait_for_counts(sink, attribute, time, value, messages);
        return put_turned(sink, attribute, time, value, messages);
    }
    rlt_status status = form->is_counts ? keep_counts(sink, attribute, value, messages) : RLT_OK;
    if (status == RLT_OK)
        status = put_value(sink, attribute, time, value, messages);
    if (status == RLT_OK && form->is_counts)
        status = end_waiting(sink, prim, messages);
    return status;
}

/* ---- one sample in pieces ---- */

static rlt_status begin_pieces(rlti_sink *sink, int attribute, rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    const rlti_abc_form *form = &own->forms[attribute];
    if (needs_counts(sink, attribute) || form->is_counts || form->place == RLTI_ABC_BOUNDS)
        return rlti_refuse(messages, "%s: %s.%s: must be written whole", sink->path,
                           sink->prims[sink->owner[attribute]].path, sink->attributes[attribute].name);
    own->pieces = (rlti_abc_pieces){0};
    clear_box(own->pieces.minimum, own->pieces.maximum);
    return RLT_OK;
}

static rlt_status add_piece(rlti_sink *sink, int attribute, const rlti_array *piece, rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    rlti_abc_pieces *pieces = &own->pieces;
    rlti_array_type type = own->forms[attribute].type;
    const rlti_array *fitted;
    int fits = rlti_abc_fit(piece, type, &own->scratch, &fitted);
    if (fits <= 0)
        return fits == 0 ? rlti_out_of_memory(messages) : cannot_fit(sink, attribute, messages);
    size_t bytes = fitted->count * (size_t)type.arity * rlti_element_size(type.element);
    if (pieces->at == 0)
        pieces->at = rlti_ogawa_begin_data(own->data);
    rlti_stream_write(own->data, fitted->data, bytes);
    rlti_murmur3_add(&pieces->key, fitted->data, bytes);
    pieces->count += fitted->count;
    if (makes_box(sink, attribute))
        grow_box(fitted, pieces->minimum, pieces->maximum);
    return rlti_stream_check(own->data, messages);
}

static rlt_status end_pieces(rlti_sink *sink, int attribute, double time, rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    rlti_abc_pieces *pieces = &own->pieces;
    record r = {.kind = OF_ATTRIBUTE,
                .handle = attribute,
                .is_one = pieces->count == 1,
                .time = time,
                .data = RLTI_OGAWA_EMPTY_DATA,
                .bytes = pieces->key.size};
    if (pieces->at != 0) {
        rlti_murmur3_end(&pieces->key, r.key);
        r.data = rlti_ogawa_end_data(own->data, pieces->at, r.key);
    }
    rlt_status status = keep(own, &own->tracks[attribute], &r, 0, messages);
    if (status == RLT_OK && makes_box(sink, attribute))
        status = put_box(sink, sink->owner[attribute], time, pieces->minimum, pieces->maximum, messages);
    return status;
}

static rlt_status write_transform(rlti_sink *sink, int prim, double time, const double matrix[16],
                                  rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    double turned[16];
    own->prims[prim].moves = 1;
    if (rlti_abc_is_turned(sink, prim)) {
        rlti_abc_turn_up(matrix, turned);
        matrix = turned;
    }
    return put(sink, OF_TRANSFORM, prim, &own->prims[prim].transform, time, matrix, 16 * sizeof(double), 1, 0,
               messages);
}

static rlt_status settle(rlti_sink *sink, int publishes, rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    if (publishes)
        return end_waiting(sink, -1, messages);
    if (own->waiting != NULL)
        return rlti_fail(messages, RLT_FAILED,
                         "%s: %s: values were written without the counts of faces or curves", sink->path,
                         sink->prims[sink->owner[own->waiting->attribute]].path);
    return RLT_OK;
}

/* ---- resuming ---- */

static rlti_abc_track *track_of(rlti_sink *sink, const record *r) {
    rlti_abc_writer *own = sink->own;
    if (r->handle < 0)
        return NULL;
    switch (r->kind) {
    case OF_ATTRIBUTE:
        return rlti_journal_found(sink, r->handle, r->time) ? &own->tracks[r->handle] : NULL;
    case OF_TRANSFORM:
        return rlti_journal_found(sink, RLTI_TRANSFORM_OF(r->handle), r->time)
                   ? &own->prims[r->handle].transform
                   : NULL;
    case OF_BOUNDS:
        return r->handle < sink->prim_count ? &own->prims[r->handle].bounds : NULL;
    default:
        return NULL;
    }
}

/* The counts by which later values are turned, from the samples. */
static rlt_status restore_counts(rlti_sink *sink, const record *r, rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    if (r->kind != OF_ATTRIBUTE || !own->forms[r->handle].is_counts)
        return RLT_OK;
    rlti_abc_prim *prim = &own->prims[sink->owner[r->handle]];
    long long at = (long long)(r->data & ~RLTI_OGAWA_IS_DATA) + 8 + RLTI_OGAWA_KEY;
    void *scratch = rlti_array_reserve(&prim->counts, own->forms[r->handle].type, r->bytes / 4);
    if (scratch == NULL)
        return rlti_out_of_memory(messages);
    if (r->bytes > 0 && !rlti_stream_read(own->data, at, scratch, r->bytes))
        return rlti_journal_unfit(sink, messages);
    prim->has_counts = 1;
    return RLT_OK;
}

static rlt_status take_record(rlti_sink *sink, const void *bytes, rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    uint64_t data_size = (uint64_t)rlti_stream_length(own->data);
    record r;
    memcpy(&r, bytes, sizeof r);
    rlti_abc_track *track = track_of(sink, &r);
    if (track == NULL || (r.data & ~RLTI_OGAWA_IS_DATA) >= data_size || r.bytes > data_size)
        return rlti_journal_unfit(sink, messages);
    int is_text = r.kind == OF_ATTRIBUTE && own->forms[r.handle].type.element == RLTI_TEXT;
    if (!note(own, track, &r, is_text && r.size != 0))
        return rlti_out_of_memory(messages);
    if (r.kind == OF_TRANSFORM)
        own->prims[r.handle].moves = 1;
    return restore_counts(sink, &r, messages);
}

static rlt_status restore(rlti_sink *sink, rlt_messages *messages) {
    return rlti_journal_records(sink, 1, sizeof(record), take_record, messages);
}

/* ---- end ---- */

static void free_track(rlti_abc_track *track) {
    RLTI_FREE(track->times, track->data, track->sizes);
}

static void free_sink(rlti_sink *sink) {
    rlti_abc_writer *own = sink->own;
    for (int i = 0; i < own->track_count; i++)
        free_track(&own->tracks[i]);
    for (int i = 0; i < own->prim_count; i++) {
        free_track(&own->prims[i].transform);
        free_track(&own->prims[i].bounds);
        rlti_array_clear(&own->prims[i].counts);
    }
    while (own->waiting != NULL) {
        rlti_abc_waiting *next = own->waiting->next;
        rlti_array_clear(&own->waiting->value);
        rlti_free(own->waiting);
        own->waiting = next;
    }
    rlti_array_clear(&own->scratch);
    rlti_array_clear(&own->turned);
    RLTI_FREE(own->tracks, own->forms, own->prims, own->recent, own);
}

static rlt_status open_sink(rlti_sink *sink, rlt_messages *messages) {
    rlti_abc_writer *own = sink->own;
    own->data = &sink->parts[0];
    own->log = &sink->parts[1];
    own->waiting_end = &own->waiting;
    own->recent = RLTI_NEW(rlti_abc_recent, RLTI_ABC_RECENT);
    return own->recent != NULL ? RLT_OK : rlti_out_of_memory(messages);
}

static void start(rlti_sink *sink) {
    rlti_ogawa_begin(&sink->parts[0]);
}

const rlti_sink_writer rlti_abc_sink = {
    .format = "abc",
    .parts = {{".samples.part", DATA_BUFFER}, {".index.part", LOG_BUFFER}},
    .temporary = ".part",
    .appends = 1,
    .own_bytes = sizeof(rlti_abc_writer),
    .open = open_sink,
    .start = start,
    .prim = declare_prim,
    .attribute = declare_attribute,
    .write = write_value,
    .transform = write_transform,
    .begin = begin_pieces,
    .piece = add_piece,
    .end = end_pieces,
    .settle = settle,
    .compose = rlti_abc_compose,
    .restore = restore,
    .free = free_sink};
