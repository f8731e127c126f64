/* Alembic files in tests: small ones with everything in them, and opening bytes that are in memory. */
#ifndef TESTS_ABC_FIXTURE_H
#define TESTS_ABC_FIXTURE_H

#include "stage_fixture.h"

#include "formats/tree/readers.h"

/* A stage straight from bytes; the status of opening it. */
static inline rlt_status abc_open_bytes(const unsigned char *bytes, size_t size, rlt_messages *messages,
                                        rlti_stage **stage) {
    rlti_file_map map = {.bytes = bytes, .size = size};
    return rlti_abc_stage_open("made.abc", &map, messages, stage);
}

/* Reads all there is, good or bad. */
static inline void abc_read_all(const rlti_stage *stage, rlt_messages *messages) {
    rlti_array value = {0};
    double matrix[16];
    int resets;
    for (int p = 0; p < stage->prim_count; p++) {
        const rlti_prim *prim = &stage->prims[p];
        for (int i = 0; i < prim->attribute_count; i++) {
            const rlti_attribute *a = &stage->attributes[prim->first_attribute + i];
            for (int k = a->has_default ? -1 : 0; k < a->sample_count && k < 8; k++)
                if (stage->reader->read(stage, prim, a, k, messages, &value) == RLT_OK &&
                    value.type.element != RLTI_TEXT) { /* every byte of it */
                    double sum[1] = {0};
                    rlti_array one = {.type = value.type, .count = 1};
                    size_t size = rlti_element_size(value.type.element);
                    one.type.arity = 1;
                    for (size_t j = 0; j < value.count * (size_t)value.type.arity; j++) {
                        one.data = (const char *)value.data + j * size;
                        rlti_array_to_doubles(&one, sum);
                    }
                }
        }
        if (prim->has_transform)
            stage->reader->transform(stage, prim, 0.1, messages, matrix, &resets);
    }
    rlti_array_clear(&value);
}

/* ---- declaring and writing ---- */

typedef struct abc_writing {
    rlti_sink *sink;
    rlt_messages *messages;
} abc_writing;

static inline abc_writing abc_begin(const char *path, double fps, int resumes) {
    abc_writing w = {.messages = rlt_messages_create()};
    rlti_sink_def def = {
        .codes_per_second = fps, .frames_per_second = fps, .title = "a; test", .resumes = resumes};
    stage_ok(rlti_sink_open(path, &def, w.messages, &w.sink), w.messages);
    return w;
}

static inline void abc_end(abc_writing *w) {
    stage_ok(rlti_sink_close(w->sink, w->messages), w->messages);
    rlt_messages_destroy(w->messages);
}

static inline int abc_prim(abc_writing *w, int parent, const char *name, rlti_prim_kind kind) {
    int index;
    rlti_prim prim = {.name = name,
                      .type_name = "",
                      .kind = kind,
                      .curve_type = RLTI_CURVE_LINEAR,
                      .basis = RLTI_BASIS_NONE};
    stage_ok(rlti_sink_prim(w->sink, parent, &prim, w->messages, &index), w->messages);
    return index;
}

static inline int abc_attribute(abc_writing *w, int prim, rlti_attribute_class class_, const char *name,
                                rlti_array_type type, rlti_interpolation interpolation) {
    int index;
    rlti_attribute a = {.name = name,
                        .class_ = class_,
                        .type = type,
                        .interpolation = interpolation,
                        .element_size = 1,
                        .indices = -1,
                        .type_name = ""};
    stage_ok(rlti_sink_attribute(w->sink, prim, &a, w->messages, &index), w->messages);
    return index;
}

static inline void abc_write(abc_writing *w, int attribute, double time, const void *data, size_t count) {
    rlti_array value = {.type = w->sink->attributes[attribute].type, .count = count, .data = data};
    stage_ok(rlti_sink_write(w->sink, attribute, time, &value, w->messages), w->messages);
}

static const rlti_array_type abc_point = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1},
                             abc_whole = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1},
                             abc_number = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1};

#endif
