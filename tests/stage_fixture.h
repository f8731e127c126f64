/* Scene files in tests: opening them, reading values, writing them again. */
#ifndef TESTS_STAGE_FIXTURE_H
#define TESTS_STAGE_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/tree/sink.h"
#include "formats/tree/stage.h"

static inline void stage_print(const rlt_messages *messages) {
    for (int i = 0; i < rlt_messages_count(messages); i++)
        print_message("%s\n", rlt_messages_text(messages, i));
}

static inline void stage_ok(rlt_status status, rlt_messages *messages) {
    if (status != RLT_OK)
        stage_print(messages);
    assert_int_equal(status, RLT_OK);
}

static inline rlti_stage *stage_open_good(const char *path) {
    rlti_stage *stage;
    rlt_messages *messages = rlt_messages_create();
    stage_ok(rlti_stage_open(path, messages, &stage), messages);
    rlt_messages_destroy(messages);
    return stage;
}

/* Opens a file that must be refused; the first message must hold `text`. */
static inline void stage_open_bad(const char *path, const char *text) {
    rlti_stage *stage;
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlti_stage_open(path, messages, &stage), RLT_BAD_INPUT);
    assert_null(stage);
    assert_true(rlt_messages_count(messages) > 0);
    if (strstr(rlt_messages_text(messages, 0), text) == NULL)
        fail_msg("'%s' instead of '%s'", rlt_messages_text(messages, 0), text);
    rlt_messages_destroy(messages);
}

static inline void stage_read(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *a,
                              int sample, rlti_array *to) {
    rlt_messages *messages = rlt_messages_create();
    stage_ok(stage->reader->read(stage, prim, a, sample, messages, to), messages);
    rlt_messages_destroy(messages);
}

/* The attribute, which must be there. */
static inline const rlti_attribute *stage_need(const rlti_stage *stage, const rlti_prim *prim,
                                               rlti_attribute_class class_, const char *name) {
    const rlti_attribute *a = rlti_stage_attribute(stage, prim, class_, name);
    if (a == NULL)
        fail_msg("%s has no attribute %s", prim->path, name);
    return a;
}

/* "ii.i" where it is hidden at frame 3 of 1 to 4; static visibility counts, too. */
static inline void stage_visible(const char *file, const char *path, const char *wanted) {
    rlti_stage *stage = stage_open_good(file);
    int index = rlti_stage_find(stage, path);
    assert_true(index >= 0);
    const rlti_prim *prim = &stage->prims[index];
    const rlti_attribute *a = rlti_stage_attribute(stage, prim, RLTI_BUILT_IN, "visibility");
    rlti_array value = {0};
    char got[8] = "";
    for (int frame = 1; frame <= 4; frame++) {
        int hidden = prim->is_hidden && !prim->is_hidden_above;
        if (a != NULL) {
            stage_ok(
                rlti_stage_value(stage, prim, a, frame / 24.0 * stage->codes_per_second + 1e-9, NULL, &value),
                NULL);
            assert_int_equal(value.count, 1);
            hidden = strcmp(((const char *const *)value.data)[0], "invisible") == 0;
        }
        got[frame - 1] = hidden ? '.' : 'i';
    }
    if (strcmp(got, wanted) != 0)
        fail_msg("%s: %s: '%s', not '%s'", file, path, got, wanted);
    rlti_array_clear(&value);
    rlti_stage_close(stage);
}

static inline void bytes_write(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline unsigned char *bytes_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* ---- all that a stage holds into a sink ---- */

static inline void stage_declare(const rlti_stage *stage, rlti_sink *sink, rlt_messages *messages) {
    for (int p = 0; p < stage->prim_count; p++) {
        int made, index;
        stage_ok(rlti_sink_prim(sink, stage->prims[p].parent, &stage->prims[p], messages, &made), messages);
        assert_int_equal(made, p);
        for (int i = 0; i < stage->prims[p].attribute_count; i++)
            stage_ok(rlti_sink_attribute(sink, p, &stage->attributes[stage->prims[p].first_attribute + i],
                                         messages, &index),
                     messages);
    }
}

/* The values of samples from `first` on, time after time; the first call (0) also those without a time. */
static inline void stage_feed(const rlti_stage *stage, rlti_sink *sink, int first, int end,
                              rlt_messages *messages) {
    rlti_array value = {0};
    for (int sample = first == 0 ? -1 : first; sample < end; sample++)
        for (int p = 0; p < stage->prim_count; p++) {
            const rlti_prim *prim = &stage->prims[p];
            double matrix[16];
            int resets;
            if (prim->has_transform && (sample < 0) == (prim->transform_time_count == 0) &&
                sample < (prim->transform_time_count == 0 ? 1 : prim->transform_time_count)) {
                double time = sample < 0 ? (double)NAN : prim->transform_times[sample];
                stage_ok(
                    stage->reader->transform(stage, prim, sample < 0 ? 0.0 : time, messages, matrix, &resets),
                    messages);
                stage_ok(rlti_sink_transform(sink, p, time, matrix, messages), messages);
            }
            for (int i = 0; i < prim->attribute_count; i++) {
                const rlti_attribute *a = &stage->attributes[prim->first_attribute + i];
                if (sample < 0 ? !a->has_default : sample >= a->sample_count)
                    continue;
                stage_ok(stage->reader->read(stage, prim, a, sample, messages, &value), messages);
                stage_ok(rlti_sink_write(sink, prim->first_attribute + i,
                                         sample < 0 ? (double)NAN : a->times[sample], &value, messages),
                         messages);
            }
        }
    rlti_array_clear(&value);
}

static inline rlti_sink_def stage_def(const rlti_stage *stage) {
    return (rlti_sink_def){.codes_per_second = stage->codes_per_second,
                           .frames_per_second = stage->frames_per_second,
                           .metres_per_unit = stage->metres_per_unit,
                           .up_axis = stage->up_axis,
                           .first_time = stage->first_time,
                           .last_time = stage->last_time};
}

/* Writes a stage as another file; returns how many warnings there were. */
static inline int stage_copy(const rlti_stage *stage, const char *path) {
    rlti_sink *sink;
    rlti_sink_def def = stage_def(stage);
    rlt_messages *messages = rlt_messages_create();
    stage_ok(rlti_sink_open(path, &def, messages, &sink), messages);
    stage_declare(stage, sink, messages);
    stage_feed(stage, sink, 0, 1000, messages);
    stage_ok(rlti_sink_close(sink, messages), messages);
    int count = rlt_messages_count(messages);
    rlt_messages_destroy(messages);
    return count;
}

/* Everything `a` has is in `b` with the same bytes at the same times; prims by their paths, attributes by
 * class and name. */
static inline void stage_same(const rlti_stage *a, const rlti_stage *b) {
    rlti_array left = {0}, right = {0};
    for (int p = 0; p < a->prim_count; p++) {
        const rlti_prim *prim = &a->prims[p];
        int found = rlti_stage_find(b, prim->path);
        if (found < 0)
            fail_msg("no %s", prim->path);
        const rlti_prim *other = &b->prims[found];
        assert_int_equal(prim->kind, other->kind);
        for (int i = 0; i < prim->attribute_count; i++) {
            const rlti_attribute *x = &a->attributes[prim->first_attribute + i];
            const rlti_attribute *y = stage_need(b, other, x->class_, x->name);
            assert_int_equal(x->interpolation, y->interpolation);
            assert_int_equal(x->sample_count, y->sample_count);
            assert_int_equal(x->has_default, y->has_default);
            assert_int_equal(x->type.role, y->type.role);
            assert_int_equal(x->type.is_array, y->type.is_array);
            assert_int_equal(x->element_size, y->element_size);
            assert_int_equal(x->indices >= 0, y->indices >= 0);
            for (int k = x->has_default ? -1 : 0; k < x->sample_count; k++) {
                if (k >= 0 && !(fabs(x->times[k] - y->times[k]) <= 1e-9))
                    fail_msg("%s.%s: other times", prim->path, x->name);
                stage_read(a, prim, x, k, &left);
                stage_read(b, other, y, k, &right);
                if (!rlti_array_equal(&left, &right))
                    fail_msg("%s.%s: sample %d differs", prim->path, x->name, k);
            }
        }
    }
    rlti_array_clear(&left);
    rlti_array_clear(&right);
}

#endif
