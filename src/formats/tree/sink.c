#include "formats/tree/sink.h"

#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "formats/tree/journal.h"
#include "formats/tree/writers.h"
#include "io/lock.h"
#include "io/seal.h"

typedef struct format {
    const char *extension;
    const rlti_sink_writer *writer;
} format;

static const format formats[] = {
    {".usda", &rlti_usda_sink}, {".usdc", &rlti_usdc_sink}, {".usd", &rlti_usdc_sink},
    {".abc", &rlti_abc_sink},   {".hair", &rlti_hair_sink}, {".obj", &rlti_obj_sink},
};

static const format *find_format(const char *path) {
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(dot, formats[i].extension) == 0)
            return &formats[i];
    return NULL;
}

static char *duplicate(const char *text, int *ok) {
    if (text == NULL)
        return NULL;
    char *copy = rlti_text_copy(text);
    *ok &= copy != NULL;
    return copy;
}

static void free_text(const char *text) {
    rlti_free((void *)text); /* a copy made here */
}

static void destroy(rlti_sink *sink, int keep_parts) {
    rlti_journal_close(sink, keep_parts);
    if (sink->own != NULL)
        sink->writer->free(sink);
    for (int i = 0; i < sink->prim_count; i++) {
        free_text(sink->prims[i].path);
        free_text(sink->prims[i].name);
        free_text(sink->prims[i].type_name);
        free_text(sink->prims[i].api_schemas);
        free_text(sink->prims[i].model);
        free_text(sink->prims[i].doc);
    }
    for (int i = 0; i < sink->attribute_count; i++) {
        free_text(sink->attributes[i].name);
        free_text(sink->attributes[i].type_name);
        free_text(sink->attributes[i].origin);
    }
    free_text(sink->def.title);
    free_text(sink->def.default_prim);
    free_text(sink->def.over);
    RLTI_FREE(sink->prims, sink->attributes, sink->owner, sink->value_times, sink->transform_times,
              sink->links, sink->link_owner);
    rlti_arena_clear(&sink->arena);
    rlt_lock_release(sink->lock);
    RLTI_FREE(sink->path, sink);
}

/* Copies of its texts take the place of the old. */
static int take_def(rlti_sink *sink, const rlti_sink_def *def) {
    int ok = 1;
    rlti_sink_def old = sink->def;
    sink->def = *def;
    sink->def.title = duplicate(def->title, &ok);
    sink->def.default_prim = duplicate(def->default_prim, &ok);
    sink->def.over = duplicate(def->over, &ok);
    free_text(old.title);
    free_text(old.default_prim);
    free_text(old.over);
    return ok;
}

static rlt_status check_def(const char *path, const rlti_sink_def *def, rlt_messages *messages) {
    if (!(def->codes_per_second > 0.0) || !isfinite(def->codes_per_second))
        return rlti_refuse(messages, "%s: time codes per second must be > 0", path);
    if (!(def->metres_per_unit >= 0.0) || !isfinite(def->metres_per_unit))
        return rlti_refuse(messages, "%s: metres per unit must be > 0", path);
    return RLT_OK;
}

rlt_status rlti_sink_open(const char *path, const rlti_sink_def *def, rlt_messages *messages,
                          rlti_sink **sink) {
    *sink = NULL;
    const format *chosen = find_format(path);
    if (chosen == NULL)
        return rlti_refuse(messages, "%s: the name must end in .usda, .usdc, .usd, .abc, .hair or .obj",
                           path);
    rlt_status status = check_def(path, def, messages);
    if (status == RLT_OK)
        status = rlti_output_prepare(path, messages);
    if (status != RLT_OK)
        return status;
    rlti_sink *made = RLTI_NEW(rlti_sink, 1);
    if (made == NULL)
        return rlti_out_of_memory(messages);
    int ok = 1;
    made->writer = chosen->writer;
    made->path = duplicate(path, &ok);
    ok = ok && take_def(made, def);
    status = ok ? rlti_lock_take(path, def->lock, messages, &made->lock) : rlti_out_of_memory(messages);
    if (status == RLT_OK) {
        made->own = rlti_allocate(1, made->writer->own_bytes);
        status = made->own != NULL ? RLT_OK : rlti_out_of_memory(messages);
    }
    if (status == RLT_OK && made->writer->open != NULL)
        status = made->writer->open(made, messages);
    if (status == RLT_OK)
        status = rlti_journal_open(made, messages);
    if (status != RLT_OK) {
        destroy(made, 0);
        return status;
    }
    *sink = made;
    return RLT_OK;
}

rlt_status rlti_sink_redefine(rlti_sink *sink, const rlti_sink_def *def, rlt_messages *messages) {
    rlt_status status = check_def(sink->path, def, messages);
    if (status == RLT_OK && !take_def(sink, def))
        status = rlti_out_of_memory(messages);
    return status;
}

static char *join_path(const char *parent, const char *name) {
    size_t length = strlen(parent), size = length + strlen(name) + 2;
    char *path = rlti_allocate(size, 1);
    if (path != NULL) {
        memcpy(path, parent, length);
        path[length] = '/';
        memcpy(path + length + 1, name, size - length - 1);
    }
    return path;
}

rlt_status rlti_sink_prim(rlti_sink *sink, int parent, const rlti_prim *prim, rlt_messages *messages,
                          int *index) {
    int ok = 1, capacity = sink->prim_capacity;
    if (!RLTI_LIST_RESERVE(sink->prims, sink->prim_count, 1, capacity) ||
        !RLTI_LIST_RESERVE(sink->transform_times, sink->prim_count, 1, sink->prim_capacity))
        return rlti_out_of_memory(messages);
    rlti_prim *made = &sink->prims[sink->prim_count];
    *made = *prim;
    made->parent = parent;
    made->name = duplicate(prim->name, &ok);
    made->type_name = duplicate(prim->type_name, &ok);
    made->api_schemas = duplicate(prim->api_schemas, &ok);
    made->model = duplicate(prim->model, &ok);
    made->doc = duplicate(prim->doc, &ok);
    made->path = join_path(parent >= 0 ? sink->prims[parent].path : "", prim->name);
    made->transform_times = NULL;
    sink->transform_times[sink->prim_count++] = -HUGE_VAL;
    if (!ok || made->path == NULL)
        return rlti_out_of_memory(messages);
    *index = sink->prim_count - 1;
    return sink->writer->prim(sink, *index, made, messages);
}

rlt_status rlti_sink_attribute(rlti_sink *sink, int prim, const rlti_attribute *attribute,
                               rlt_messages *messages, int *index) {
    int ok = 1, capacity = sink->attribute_capacity, owner_capacity = capacity;
    if (!RLTI_LIST_RESERVE(sink->attributes, sink->attribute_count, 1, capacity) ||
        !RLTI_LIST_RESERVE(sink->owner, sink->attribute_count, 1, owner_capacity) ||
        !RLTI_LIST_RESERVE(sink->value_times, sink->attribute_count, 1, sink->attribute_capacity))
        return rlti_out_of_memory(messages);
    rlti_attribute *made = &sink->attributes[sink->attribute_count];
    *made = *attribute;
    made->name = duplicate(attribute->name, &ok);
    made->type_name = duplicate(attribute->type_name, &ok);
    made->origin = duplicate(attribute->origin, &ok);
    made->times = NULL;
    sink->value_times[sink->attribute_count] = -HUGE_VAL;
    sink->owner[sink->attribute_count++] = prim;
    if (!ok)
        return rlti_out_of_memory(messages);
    *index = sink->attribute_count - 1;
    return sink->writer->attribute(sink, *index, prim, made, messages);
}

static const char *keep_text(rlti_sink *sink, const char *text, int *ok) {
    const char *copy = text != NULL ? rlti_arena_text(&sink->arena, text, strlen(text)) : NULL;
    *ok &= (copy != NULL) == (text != NULL);
    return copy;
}

rlt_status rlti_sink_link(rlti_sink *sink, int prim, const rlti_link *link, rlt_messages *messages) {
    int ok = 1, capacity = sink->link_capacity;
    if (!RLTI_LIST_RESERVE(sink->links, sink->link_count, 1, capacity) ||
        !RLTI_LIST_RESERVE(sink->link_owner, sink->link_count, 1, sink->link_capacity))
        return rlti_out_of_memory(messages);
    rlti_link *made = &sink->links[sink->link_count];
    const char **targets = rlti_arena_keep(&sink->arena, (size_t)link->target_count, sizeof *targets);
    *made = *link;
    made->name = keep_text(sink, link->name, &ok);
    made->type_name = keep_text(sink, link->type_name, &ok);
    made->targets = targets;
    for (int i = 0; i < link->target_count && targets != NULL; i++)
        targets[i] = keep_text(sink, link->targets[i], &ok);
    for (int i = 0; i < RLTI_NOTES; i++)
        made->notes.texts[i] = keep_text(sink, link->notes.texts[i], &ok);
    if (!ok || targets == NULL)
        return rlti_out_of_memory(messages);
    sink->link_owner[sink->link_count++] = prim;
    return RLT_OK;
}

/* A failure is remembered: what is on the disk can no longer become a good file. */
static rlt_status keep(rlti_sink *sink, rlt_status status) {
    sink->failed |= status != RLT_OK;
    return status;
}

/* RLT_OK where something else can be written now. */
static rlt_status check_free(const rlti_sink *sink, rlt_messages *messages) {
    if (sink->failed)
        return rlti_fail(messages, RLT_FAILED, "%s: incomplete: a value could not be written", sink->path);
    if (!sink->has_parts)
        return rlti_fail(messages, RLT_FAILED, "%s: a run that resumes has not stated where it was",
                         sink->path);
    if (sink->in_pieces)
        return rlti_fail(messages, RLT_FAILED, "%s: %s.%s: has begun and not ended", sink->path,
                         sink->prims[sink->owner[sink->piece_of]].path,
                         sink->attributes[sink->piece_of].name);
    return RLT_OK;
}

/* The same for a value of an attribute or of a transform. */
static rlt_status check_value(rlti_sink *sink, int what, double time, rlt_messages *messages) {
    rlt_status status = check_free(sink, messages);
    return status == RLT_OK ? keep(sink, rlti_journal_check_time(sink, what, time, messages)) : status;
}

rlt_status rlti_sink_write(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                           rlt_messages *messages) {
    rlt_status status = check_value(sink, attribute, time, messages);
    if (status != RLT_OK)
        return status;
    rlti_journal_set_time(sink, attribute, time);
    return keep(sink, sink->writer->write(sink, attribute, time, value, messages));
}

/* ---- arrays in pieces ---- */

rlt_status rlti_sink_begin(rlti_sink *sink, int attribute, double time, rlt_messages *messages) {
    rlt_status status = check_value(sink, attribute, time, messages);
    const rlti_attribute *a = &sink->attributes[attribute];
    if (status == RLT_OK && (!a->type.is_array || a->type.element == RLTI_TEXT))
        status = rlti_refuse(messages, "%s: %s.%s: only arrays of numbers come in pieces", sink->path,
                             sink->prims[sink->owner[attribute]].path, a->name);
    if (status == RLT_OK)
        status = keep(sink, sink->writer->begin(sink, attribute, messages));
    if (status != RLT_OK)
        return status;
    rlti_journal_set_time(sink, attribute, time);
    sink->in_pieces = 1;
    sink->piece_of = attribute;
    sink->piece_time = time;
    return RLT_OK;
}

static rlt_status check_begun(const rlti_sink *sink, rlt_messages *messages) {
    if (sink->failed || sink->in_pieces)
        return sink->failed ? check_free(sink, messages) : RLT_OK;
    return rlti_fail(messages, RLT_FAILED, "%s: a piece of no array", sink->path);
}

rlt_status rlti_sink_piece(rlti_sink *sink, const rlti_array *piece, rlt_messages *messages) {
    rlt_status status = check_begun(sink, messages);
    if (status != RLT_OK || piece->count == 0)
        return status;
    const rlti_array_type declared = sink->attributes[sink->piece_of].type;
    if (piece->type.element != declared.element || piece->type.arity != declared.arity)
        return keep(sink, rlti_refuse(messages, "%s: %s.%s: a piece of another type", sink->path,
                                      sink->prims[sink->owner[sink->piece_of]].path,
                                      sink->attributes[sink->piece_of].name));
    return keep(sink, sink->writer->piece(sink, sink->piece_of, piece, messages));
}

rlt_status rlti_sink_end(rlti_sink *sink, rlt_messages *messages) {
    rlt_status status = check_begun(sink, messages);
    if (status != RLT_OK)
        return status;
    sink->in_pieces = 0;
    return keep(sink, sink->writer->end(sink, sink->piece_of, sink->piece_time, messages));
}

rlt_status rlti_sink_declare(rlti_sink *sink, int prim, const char *name, rlti_attribute_class class_,
                             rlti_array_type type, rlti_interpolation place, int moves,
                             rlt_messages *messages, int *index) {
    rlti_attribute a = {.name = name,
                        .class_ = class_,
                        .type = type,
                        .interpolation = place,
                        .element_size = 1,
                        .indices = -1,
                        .has_default = !moves,
                        .sample_count = moves};
    return rlti_sink_attribute(sink, prim, &a, messages, index);
}

rlt_status rlti_sink_still(rlti_sink *sink, int prim, const char *name, rlti_attribute_class class_,
                           rlti_array_type type, rlti_interpolation place, const void *data, size_t count,
                           int writes, rlt_messages *messages) {
    rlti_array value = {.type = type, .count = count, .data = data};
    int index = -1;
    rlt_status status = rlti_sink_declare(sink, prim, name, class_, type, place, 0, messages, &index);
    if (status == RLT_OK && writes)
        status = rlti_sink_write(sink, index, (double)NAN, &value, messages);
    return status;
}

rlt_status rlti_sink_transform(rlti_sink *sink, int prim, double time, const double matrix[16],
                               rlt_messages *messages) {
    rlt_status status = check_value(sink, RLTI_TRANSFORM_OF(prim), time, messages);
    if (status != RLT_OK)
        return status;
    rlti_journal_set_time(sink, RLTI_TRANSFORM_OF(prim), time);
    return keep(sink, sink->writer->transform(sink, prim, time, matrix, messages));
}

void rlti_sink_range(rlti_sink *sink, double first_time, double last_time) {
    sink->def.first_time = first_time;
    sink->def.last_time = last_time;
}

void rlti_sink_fingerprint(rlti_sink *sink, uint64_t fingerprint) {
    rlti_fingerprint_text(fingerprint, sink->fingerprint);
}

void rlti_sink_seal(const rlti_sink *sink, rlti_stream *file) {
    if (sink->fingerprint[0] != '\0')
        rlti_seal_write(file);
}

rlt_status rlti_sink_publish(rlti_sink *sink, rlt_messages *messages) {
    rlt_status status = check_free(sink, messages);
    return status == RLT_OK ? keep(sink, rlti_journal_publish(sink, messages)) : status;
}

rlt_status rlti_sink_marks(rlti_sink *sink, rlti_stream_mark marks[RLTI_SINK_MARKS], int *count,
                           rlt_messages *messages) {
    rlt_status status = check_free(sink, messages);
    return status == RLT_OK ? keep(sink, rlti_journal_marks(sink, marks, count, messages)) : status;
}

rlt_status rlti_sink_resume(rlti_sink *sink, const rlti_stream_mark *marks, int count,
                            rlt_messages *messages) {
    return keep(sink, rlti_journal_resume(sink, marks, count, messages));
}

rlt_status rlti_sink_close(rlti_sink *sink, rlt_messages *messages) {
    sink->closes = 1;
    rlt_status status = rlti_sink_publish(sink, messages);
    destroy(sink, 0);
    return status;
}

void rlti_sink_leave(rlti_sink *sink) {
    if (sink != NULL)
        destroy(sink, 1);
}

void rlti_sink_abandon(rlti_sink *sink) {
    if (sink != NULL)
        destroy(sink, 0);
}
