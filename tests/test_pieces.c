/* Arrays handed to a sink in pieces: the file is the one of whole arrays, byte by byte. */
#include "stage_fixture.h"

#include "formats/alembic/murmur3.h"

enum { STRANDS = 7, POINTS = 35, FRAMES = 3 };

static const rlti_array_type point = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1},
                             number = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1},
                             whole = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1};

/* A value at once (`piece` 0), or so many elements at a time. */
static void give(rlti_sink *sink, int attribute, double time, const rlti_array *value, size_t piece,
                 rlt_messages *messages) {
    if (piece == 0) {
        stage_ok(rlti_sink_write(sink, attribute, time, value, messages), messages);
        return;
    }
    size_t size = rlti_element_size(value->type.element) * (size_t)value->type.arity;
    stage_ok(rlti_sink_begin(sink, attribute, time, messages), messages);
    for (size_t at = 0; at < value->count; at += piece) {
        rlti_array some = {.type = value->type,
                           .count = value->count - at < piece ? value->count - at : piece,
                           .data = (const char *)value->data + at * size};
        stage_ok(rlti_sink_piece(sink, &some, messages), messages);
    }
    stage_ok(rlti_sink_end(sink, messages), messages);
}

static int declare(rlti_sink *sink, int prim, const char *name, rlti_array_type type,
                   rlti_interpolation place, rlt_messages *messages) {
    int index;
    rlti_attribute a = {.name = name, .type = type, .interpolation = place, .indices = -1, .element_size = 1};
    stage_ok(rlti_sink_attribute(sink, prim, &a, messages, &index), messages);
    return index;
}

static void write_file(const char *path, size_t piece, int frames) {
    rlti_sink *sink;
    rlti_sink_def def = {.codes_per_second = 24.0, .first_time = 0.0, .last_time = frames - 1.0};
    rlti_prim prim = {.name = "hair",
                      .type_name = "BasisCurves",
                      .kind = RLTI_PRIM_CURVES,
                      .curve_type = RLTI_CURVE_LINEAR};
    rlt_messages *messages = rlt_messages_create();
    float p[POINTS][3], w[POINTS];
    int32_t n[STRANDS];
    int hair;
    stage_ok(rlti_sink_open(path, &def, messages, &sink), messages);
    stage_ok(rlti_sink_prim(sink, -1, &prim, messages, &hair), messages);
    int counts = declare(sink, hair, "curveVertexCounts", whole, RLTI_UNIFORM, messages);
    int widths = declare(sink, hair, "widths", number, RLTI_VERTEX, messages);
    int points = declare(sink, hair, "points", point, RLTI_VERTEX, messages);
    for (int i = 0; i < STRANDS; i++)
        n[i] = POINTS / STRANDS;
    for (int i = 0; i < POINTS; i++)
        w[i] = 0.125f / (float)(1 + i);
    give(sink, counts, (double)NAN, &(rlti_array){.type = whole, .count = STRANDS, .data = n}, piece,
         messages);
    give(sink, widths, (double)NAN, &(rlti_array){.type = number, .count = POINTS, .data = w}, piece,
         messages);
    for (int frame = 0; frame < frames; frame++) {
        for (int i = 0; i < POINTS; i++)
            for (int c = 0; c < 3; c++)
                p[i][c] = (float)(i + frame) * 0.1f - (float)c;
        give(sink, points, frame, &(rlti_array){.type = point, .count = POINTS, .data = p}, piece, messages);
    }
    stage_ok(rlti_sink_close(sink, messages), messages);
    rlt_messages_destroy(messages);
}

static void test_same_bytes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int frames;
    } files[] = {{"usda", FRAMES}, {"usdc", FRAMES}, {"abc", FRAMES}, {"hair", 1}, {"obj", 1}};
    static const size_t pieces[] = {1, 2, 5, 13, POINTS, 2 * POINTS};
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        char path[64];
        size_t size, again;
        snprintf(path, sizeof path, "pieces.%s", files[f].name);
        write_file(path, 0, files[f].frames);
        unsigned char *expected = bytes_read(path, &size);
        for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
            write_file(path, pieces[i], files[f].frames);
            unsigned char *bytes = bytes_read(path, &again);
            assert_int_equal(again, size);
            assert_memory_equal(bytes, expected, size);
            free(bytes);
        }
        free(expected);
        remove(path);
    }
}

/* Nothing else is written before the end; pieces have the declared type; a failure stays one. */
static void test_order(void **state) {
    (void)state;
    static const char *const paths[] = {"order.usda", "order.usdc", "order.abc", "order.hair"};
    for (size_t f = 0; f < sizeof paths / sizeof paths[0]; f++) {
        rlti_sink *sink;
        rlti_sink_def def = {.codes_per_second = 24.0};
        rlti_prim prim = {.name = "hair", .type_name = "BasisCurves", .kind = RLTI_PRIM_CURVES};
        rlt_messages *messages = rlt_messages_create();
        float p[3] = {0};
        rlti_array value = {.type = point, .count = 1, .data = p}, other = value;
        int hair;
        stage_ok(rlti_sink_open(paths[f], &def, messages, &sink), messages);
        stage_ok(rlti_sink_prim(sink, -1, &prim, messages, &hair), messages);
        int points = declare(sink, hair, "points", point, RLTI_VERTEX, messages);
        assert_int_equal(rlti_sink_piece(sink, &value, messages), RLT_FAILED);
        stage_ok(rlti_sink_begin(sink, points, 1.0, messages), messages);
        assert_int_equal(rlti_sink_begin(sink, points, 2.0, messages), RLT_FAILED);
        assert_int_equal(rlti_sink_write(sink, points, 2.0, &value, messages), RLT_FAILED);
        assert_int_equal(rlti_sink_publish(sink, messages), RLT_FAILED);
        assert_non_null(strstr(rlt_messages_text(messages, rlt_messages_count(messages) - 1),
                               "/hair.points: has begun and not ended"));
        other.type = number;
        assert_int_equal(rlti_sink_piece(sink, &other, messages), RLT_BAD_INPUT);
        assert_int_equal(rlti_sink_piece(sink, &value, messages), RLT_FAILED); /* it stays broken */
        assert_int_equal(rlti_sink_end(sink, messages), RLT_FAILED);
        assert_int_equal(rlti_sink_close(sink, messages), RLT_FAILED);
        assert_int_not_equal(access(paths[f], F_OK), 0);
        rlt_messages_destroy(messages);
    }
}

static void test_hash(void **state) {
    (void)state;
    unsigned char bytes[200];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(37 * i);
    for (size_t size = 0; size <= sizeof bytes; size++)
        for (size_t piece = 1; piece < 40; piece += 3) {
            uint64_t expected[2], found[2];
            rlti_murmur3_state sum = {0};
            rlti_murmur3(bytes, size, expected);
            for (size_t at = 0; at < size; at += piece)
                rlti_murmur3_add(&sum, bytes + at, size - at < piece ? size - at : piece);
            rlti_murmur3_end(&sum, found);
            assert_memory_equal(found, expected, sizeof found);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_hash)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
