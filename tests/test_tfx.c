/* TressFX .tfx files as stages. */
#include "stage_fixture.h"

#include "data_fixture.h"

enum { STRANDS = 3, PER_STRAND = 4, POINTS = STRANDS * PER_STRAND };

/* A file with all five runs; returns its size. */
static size_t make_tfx(unsigned char *bytes) {
    static const size_t counts[5] = {4 * POINTS, 2 * STRANDS, 2 * POINTS, STRANDS, 4 * POINTS};
    float version = 4.0f;
    uint32_t numbers[2] = {STRANDS, PER_STRAND};
    size_t at = 160;
    memset(bytes, 0, 160);
    memcpy(bytes, &version, 4);
    memcpy(bytes + 4, numbers, 8);
    for (size_t run = 0; run < 5; run++) {
        uint32_t offset = (uint32_t)at;
        memcpy(bytes + 12 + 4 * run, &offset, 4);
        for (size_t i = 0; i < counts[run]; i++, at += 4) {
            float value = (float)(1000 * run + i);
            memcpy(bytes + at, &value, 4);
        }
    }
    return at;
}

static void expect(const rlti_stage *stage, rlti_attribute_class class_, const char *name, size_t count,
                   size_t index, float expected) {
    rlti_array value = {0};
    stage_read(stage, &stage->prims[0], stage_need(stage, &stage->prims[0], class_, name), -1, &value);
    assert_int_equal(value.count, count);
    assert_true(((const float *)value.data)[index] == expected);
    rlti_array_clear(&value);
}

static void test_every_run(void **state) {
    (void)state;
    unsigned char bytes[2048];
    bytes_write("every.tfx", bytes, make_tfx(bytes));
    rlti_stage *stage = stage_open_good("every.tfx");
    rlti_array counts = {0};
    expect(stage, RLTI_BUILT_IN, "points", POINTS, 3 * POINTS - 1, 46.0f);
    expect(stage, RLTI_PRIMVAR, "inverseMass", POINTS, POINTS - 1, 47.0f);
    expect(stage, RLTI_PRIMVAR, "st", STRANDS, 5, 1005.0f);
    expect(stage, RLTI_PRIMVAR, "vertexUV", POINTS, 23, 2023.0f);
    expect(stage, RLTI_BUILT_IN, "widths", STRANDS, 2, 3002.0f);
    expect(stage, RLTI_PRIMVAR, "displayColor", POINTS, 3, 4004.0f);
    expect(stage, RLTI_PRIMVAR, "displayOpacity", POINTS, 1, 4007.0f);
    stage_read(stage, &stage->prims[0],
               stage_need(stage, &stage->prims[0], RLTI_BUILT_IN, "curveVertexCounts"), -1, &counts);
    assert_int_equal(counts.count, STRANDS);
    assert_int_equal(((const int32_t *)counts.data)[2], PER_STRAND);
    rlti_array_clear(&counts);
    rlti_stage_close(stage);
    remove("every.tfx");
}

static void test_bad_files(void **state) {
    (void)state;
    unsigned char bytes[2048];
    size_t size = make_tfx(bytes);
    for (size_t cut = 12; cut < size; cut++) {
        bytes_write("bad.tfx", bytes, cut);
        stage_open_bad("bad.tfx", cut < 160 ? "shorter than the header" : "do not fit at byte");
    }
    static const struct {
        size_t at;
        uint32_t value;
        const char *text;
    } lies[] = {{4, 0, "0 strands of 4 points"},
                {4, 0xffffffff, "do not fit"},
                {8, 0, "3 strands of 0 points"},
                {8, 0xff, "do not fit"},
                {12, 0, "has no positions"},
                {12, 8, "do not fit"},
                {12, 0xffffffff, "do not fit at byte 42"}};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        unsigned char kept[4];
        memcpy(kept, bytes + lies[i].at, 4);
        memcpy(bytes + lies[i].at, &lies[i].value, 4);
        bytes_write("bad.tfx", bytes, size);
        rlti_stage *stage;
        rlt_messages *messages = rlt_messages_create();
        assert_int_equal(rlti_stage_open("bad.tfx", messages, &stage), RLT_BAD_INPUT);
        int last = rlt_messages_count(messages) - 1; /* a warning may come first */
        assert_non_null(strstr(rlt_messages_text(messages, last), lies[i].text));
        rlt_messages_destroy(messages);
        memcpy(bytes + lies[i].at, kept, 4);
    }
    remove("bad.tfx");
}

/* The same groom as .tfx and as .hair has the same points. */
static void test_real_groom(void **state) {
    (void)state;
    char path[1024];
    rlti_array points = {0}, again = {0};
    if (!data_path("Ratboy_mohawk.tfx", path, sizeof path))
        skip();
    rlti_stage *stage = stage_open_good(path);
    assert_true(data_path("ratboy_mohawk_2228x32.hair", path, sizeof path));
    rlti_stage *other = stage_open_good(path);
    stage_read(stage, &stage->prims[0], stage_need(stage, &stage->prims[0], RLTI_BUILT_IN, "points"), -1,
               &points);
    stage_read(other, &other->prims[0], stage_need(other, &other->prims[0], RLTI_BUILT_IN, "points"), -1,
               &again);
    assert_int_equal(points.count, 2228 * 32);
    assert_true(rlti_array_equal(&points, &again));
    rlti_array_clear(&points);
    rlti_array_clear(&again);
    rlti_stage_close(stage);
    rlti_stage_close(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_run), cmocka_unit_test(test_bad_files),
                                       cmocka_unit_test(test_real_groom)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
