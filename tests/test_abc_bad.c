/* Damaged, lying and odd Alembic files: a message or a stage, no crash, no memory beyond reason. */
#include "abc_fixture.h"

#include <sys/resource.h>

#include "data_fixture.h"
#include "formats/alembic/abc_headers.h"

/* Opens and reads; a refusal always says why, and only success gives a stage. */
static rlt_status try_bytes(const unsigned char *bytes, size_t size) {
    rlti_stage *stage = NULL;
    rlt_messages *messages = rlt_messages_create();
    rlt_status status = abc_open_bytes(bytes, size, messages, &stage);
    assert_true((status == RLT_OK) == (stage != NULL));
    assert_true(status == RLT_OK || (status == RLT_BAD_INPUT && rlt_messages_count(messages) > 0));
    if (stage != NULL)
        abc_read_all(stage, messages);
    rlti_stage_close(stage);
    rlt_messages_destroy(messages);
    return status;
}

/* A small file with everything: made here, so that the test needs no other. */
static unsigned char *make_file(size_t *size) {
    static const float p[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static const int32_t four = 4, indices[4] = {0, 1, 2, 3};
    static const char *const word = "word";
    static const rlti_array_type text = {RLTI_TEXT, 1, RLTI_ROLE_NONE, 1};
    const double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1};
    abc_writing w = abc_begin("small.abc", 24.0, 0);
    int top = abc_prim(&w, -1, "top", RLTI_PRIM_XFORM), hair = abc_prim(&w, top, "hair", RLTI_PRIM_CURVES),
        mesh = abc_prim(&w, top, "mesh", RLTI_PRIM_MESH);
    int a = abc_attribute(&w, hair, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX);
    int b = abc_attribute(&w, hair, RLTI_BUILT_IN, "curveVertexCounts", abc_whole, RLTI_UNIFORM);
    int c = abc_attribute(&w, hair, RLTI_PRIMVAR, "names", text, RLTI_UNIFORM);
    int d = abc_attribute(&w, mesh, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX);
    int e = abc_attribute(&w, mesh, RLTI_BUILT_IN, "faceVertexCounts", abc_whole, RLTI_UNIFORM);
    int f = abc_attribute(&w, mesh, RLTI_BUILT_IN, "faceVertexIndices", abc_whole, RLTI_FACE_VARYING);
    int g = abc_attribute(&w, mesh, RLTI_CUSTOM, "note", text, RLTI_CONSTANT);
    abc_write(&w, b, (double)NAN, &four, 1);
    abc_write(&w, c, (double)NAN, &word, 1);
    abc_write(&w, e, (double)NAN, &four, 1);
    abc_write(&w, f, (double)NAN, indices, 4);
    abc_write(&w, g, (double)NAN, &word, 1);
    abc_write(&w, d, (double)NAN, p, 4);
    for (int frame = 0; frame < 3; frame++) {
        abc_write(&w, a, frame, frame == 1 ? p : p + 1, frame == 1 ? 4 : 3);
        stage_ok(rlti_sink_transform(w.sink, top, frame, matrix, w.messages), w.messages);
    }
    abc_end(&w);
    unsigned char *bytes = bytes_read("small.abc", size);
    remove("small.abc");
    return bytes;
}

/* The corpus of the fuzzer is this file: the same bytes on every machine. When the writer changes what it
 * writes, the file changes with it. */
static void test_corpus(void **state) {
    (void)state;
    size_t size, kept_size;
    unsigned char *bytes = make_file(&size),
                  *kept = bytes_read(RLT_SOURCE_DIR "/tests/corpus/abc/small.abc", &kept_size);
    assert_int_equal(size, kept_size);
    assert_memory_equal(bytes, kept, size);
    assert_int_equal(try_bytes(kept, kept_size), RLT_OK);
    free(bytes);
    free(kept);
}

static long greatest_memory(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss; /* [KiB] */
}

static void test_cut_off_anywhere(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = make_file(&size);
    assert_int_equal(try_bytes(bytes, size), RLT_OK);
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *copy = malloc(cut + 1); /* so that a sanitizer sees any step beyond */
        memcpy(copy, bytes, cut);
        assert_int_equal(try_bytes(copy, cut), RLT_BAD_INPUT); /* the root is the last thing in the file */
        free(copy);
    }
    free(bytes);
}

static void test_bits_flipped(void **state) {
    (void)state;
    size_t size;
    unsigned char *bytes = make_file(&size);
    long before = greatest_memory();
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit += i < 4096 ? 1 : 3) {
            bytes[i] ^= (unsigned char)(1 << bit);
            try_bytes(bytes, size);
            bytes[i] ^= (unsigned char)(1 << bit);
        }
    for (size_t i = 0; i + 8 <= size; i += 4) { /* and whole numbers */
        static const uint64_t lies[] = {0, UINT64_MAX, 0x7fffffffffffffffu, 0x8000000000000010u, 1u << 31};
        unsigned char kept[8];
        memcpy(kept, bytes + i, 8);
        for (size_t k = 0; k < sizeof lies / sizeof lies[0]; k++) {
            memcpy(bytes + i, &lies[k], 8);
            try_bytes(bytes, size);
        }
        memcpy(bytes + i, kept, 8);
    }
    /* a sanitizer keeps up to 256 MiB of freed memory, with its own beside; without one this is about 0 */
    assert_true(greatest_memory() - before < 500 * 1024);
    free(bytes);
}

static void test_real_file_flipped(void **state) {
    (void)state;
    char path[1024];
    size_t size;
    if (!data_path("own_ref_groom_unreal_attrs.abc", path, sizeof path))
        skip();
    unsigned char *bytes = bytes_read(path, &size);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= (unsigned char)(1 << (i % 8));
        try_bytes(bytes, size);
        bytes[i] ^= (unsigned char)(1 << (i % 8));
    }
    free(bytes);
}

/* ---- files made by hand ---- */

typedef struct making {
    rlti_stream out;
    rlti_abc_headers h;
    rlt_messages *messages;
} making;

static void begin(making *m) {
    *m = (making){.messages = rlt_messages_create()};
    stage_ok(rlti_stream_open(&m->out, "made.abc", ".part", 65536, m->messages), m->messages);
    rlti_ogawa_begin(&m->out);
    m->h = (rlti_abc_headers){.out = &m->out, .codes_per_second = 1.0, .frames_per_second = 24.0};
}

static unsigned char *end(making *m, uint64_t top, size_t *size) {
    rlti_abc_end_archive(&m->h, top, "_ai_Application=test");
    rlti_abc_headers_free(&m->h);
    assert_int_equal(m->h.failed, 0);
    stage_ok(rlti_stream_publish(&m->out, m->messages), m->messages);
    rlt_messages_destroy(m->messages);
    unsigned char *bytes = bytes_read("made.abc", size);
    remove("made.abc");
    return bytes;
}

static void expect_message(const unsigned char *bytes, size_t size, const char *text) {
    rlti_stage *stage;
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(abc_open_bytes(bytes, size, messages, &stage), RLT_BAD_INPUT);
    if (strstr(rlt_messages_text(messages, 0), text) == NULL)
        fail_msg("'%s' instead of '%s'", rlt_messages_text(messages, 0), text);
    rlt_messages_destroy(messages);
}

/* Objects below one another, as many as `depth`. */
static void nest(making *m, rlti_abc_children *to, int depth) {
    rlti_abc_compound properties = {0};
    rlti_abc_children children = {0};
    if (depth > 1)
        nest(m, &children, depth - 1);
    rlti_abc_add_object(&m->h, to, "o", "", &properties, &children);
}

static void test_deep_nesting(void **state) {
    (void)state;
    for (int depth = 199; depth < 260; depth += 30) {
        size_t size;
        making m;
        rlti_abc_children roots = {0};
        begin(&m);
        nest(&m, &roots, depth);
        unsigned char *bytes = end(&m, rlti_abc_end_top(&m.h, &roots), &size);
        if (depth <= 200)
            assert_int_equal(try_bytes(bytes, size), RLT_OK);
        else
            expect_message(bytes, size, "more than 200 objects below one another");
        free(bytes);
    }
}

/* The first place of a 64-bit value. */
static size_t find_u64(const unsigned char *bytes, size_t size, uint64_t value) {
    for (size_t i = 16; i + 8 <= size; i++)
        if (memcmp(bytes + i, &value, 8) == 0)
            return i;
    fail_msg("not found");
    return 0;
}

/* A child that is its own parent, and a tree whose leaves are its root many times over. */
static void test_cycles(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        size_t size;
        making m;
        rlti_abc_children roots = {0}, children = {0};
        rlti_abc_compound properties = {0};
        begin(&m);
        for (int i = 0; i < (wide ? 40 : 1); i++) {
            rlti_abc_compound none = {0};
            rlti_abc_children leaves = {0};
            rlti_abc_add_object(&m.h, &children, "leaf", "", &none, &leaves);
        }
        uint64_t leaf;
        memcpy(&leaf, children.children.at, 8);
        rlti_abc_add_object(&m.h, &roots, "top", "", &properties, &children);
        uint64_t group;
        memcpy(&group, roots.children.at, 8);
        unsigned char *bytes = end(&m, rlti_abc_end_top(&m.h, &roots), &size);
        if (wide)
            for (int i = 0; i < 40; i++) /* children after the first reference, 8 bytes each */
                memcpy(bytes + group + 16 + 8 * (size_t)i, &group, 8);
        else
            memcpy(bytes + find_u64(bytes + group, size - group, leaf) + group, &group, 8);
        expect_message(bytes, size, "made.abc: /top: an object that holds itself");
        free(bytes);
    }
}

/* Objects that share their children ten levels down: few bytes, very many paths. */
static void test_shared_children(void **state) {
    (void)state;
    size_t size;
    making m;
    rlti_abc_children level = {0};
    begin(&m);
    for (int depth = 0; depth < 10; depth++) {
        rlti_abc_compound none = {0};
        rlti_abc_children next = {0};
        rlti_abc_add_object(&m.h, &next, "o", "", &none, &level);
        for (int i = 0; i < 9; i++) { /* the same again */
            uint64_t group;
            memcpy(&group, next.children.at, 8);
            rlti_abc_append(&m.h, &next.children, &group, 8);
            rlti_abc_append(&m.h, &next.headers, "\1\0\0\0p\0", 6);
        }
        level = next;
    }
    unsigned char *bytes = end(&m, rlti_abc_end_top(&m.h, &level), &size);
    expect_message(bytes, size, "lead back to themselves");
    free(bytes);
}

/* User properties in compounds that hold themselves. */
static void test_compound_cycles(void **state) {
    (void)state;
    static const rlti_array_type byte = {RLTI_UINT8, 1, RLTI_ROLE_NONE, 0};
    size_t size;
    making m;
    rlti_abc_children roots = {0}, none = {0};
    rlti_abc_compound properties = {0}, outer = {0};
    begin(&m);
    for (int i = 0; i < 20; i++) {
        rlti_abc_compound inner = {0};
        rlti_abc_add_still(&m.h, &inner, "x", "", byte, "y", 1, NULL);
        rlti_abc_add_compound(&m.h, &outer, "inner", "", &inner);
    }
    rlti_abc_add_compound(&m.h, &properties, "user", "", &outer);
    uint64_t group;
    memcpy(&group, properties.children.at, 8);
    rlti_abc_add_object(&m.h, &roots, "top", "", &properties, &none);
    unsigned char *bytes = end(&m, rlti_abc_end_top(&m.h, &roots), &size);
    assert_int_equal(try_bytes(bytes, size), RLT_OK);
    for (int i = 0; i < 20; i++)
        memcpy(bytes + group + 8 + 8 * (size_t)i, &group, 8);
    expect_message(bytes, size, "lead back to themselves");
    free(bytes);
}

/* ---- transforms ---- */

static void test_every_operation(void **state) {
    (void)state;
    static const unsigned char operations[7] = {0x10, 0x40, 0x50, 0x60, 0x20, 0x00, 0x30};
    static const double values[3 + 1 + 1 + 1 + 4 + 3 + 16] = {
        10, 20, 30, 90, 90, 90, 0, 0, 2, 90, 2, 3, 4, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5, 0, 0, 1};
    static const rlti_array_type bytes_type = {RLTI_UINT8, 7, RLTI_ROLE_NONE, 0},
                                 array = {RLTI_DOUBLE, 1, RLTI_ROLE_NONE, 1},
                                 scalar = {RLTI_DOUBLE, 29, RLTI_ROLE_NONE, 0},
                                 flag = {RLTI_BOOL, 1, RLTI_ROLE_NONE, 0};
    for (int is_array = 0; is_array < 2; is_array++) {
        size_t size;
        making m;
        rlti_abc_children roots = {0}, none = {0};
        rlti_abc_compound properties = {0}, xform = {0};
        unsigned char inherits = (unsigned char)is_array;
        begin(&m);
        rlti_abc_add_still(&m.h, &xform, ".inherits", "", flag, &inherits, 1, NULL);
        rlti_abc_add_still(&m.h, &xform, ".ops", "", bytes_type, operations, sizeof operations, NULL);
        rlti_abc_add_still(&m.h, &xform, ".vals", "", is_array ? array : scalar, values, sizeof values, NULL);
        rlti_abc_add_compound(&m.h, &properties, ".xform", "schema=AbcGeom_Xform_v3", &xform);
        rlti_abc_add_object(&m.h, &roots, "x", "schema=AbcGeom_Xform_v3", &properties, &none);
        unsigned char *bytes = end(&m, rlti_abc_end_top(&m.h, &roots), &size);
        rlti_stage *stage;
        double matrix[16];
        int resets;
        assert_int_equal(abc_open_bytes(bytes, size, NULL, &stage), RLT_OK);
        assert_int_equal(stage->prims[0].has_transform, 1);
        assert_int_equal(stage->reader->transform(stage, &stage->prims[0], 0.0, NULL, matrix, &resets),
                         RLT_OK);
        assert_int_equal(resets, !is_array);
        /* the last first: +0.5 x, scale, z by 90 degrees, z again, y, x, move:
         *   (0.5 + 1, 1, 1) -> (3, 3, 4) -> (-3, 3, 4) -> (-3, -3, 4)
         *   -> y: (4, -3, 3) -> x: (4, -3, -3) -> (14, 17, 27) */
        double p[4] = {1, 1, 1, 1}, q[3];
        for (int c = 0; c < 3; c++)
            q[c] = p[0] * matrix[c] + p[1] * matrix[4 + c] + p[2] * matrix[8 + c] + matrix[12 + c];
        assert_true(fabs(q[0] - 14.0) < 1e-9 && fabs(q[1] - 17.0) < 1e-9 && fabs(q[2] - 27.0) < 1e-9);
        rlti_stage_close(stage);
        free(bytes);
    }
}

/* Parameters as older tools write them: no metadata, wide texts, compounds without indices, nothing at all.
 */
static void test_odd_properties(void **state) {
    (void)state;
    static const rlti_array_type number = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1},
                                 odd = {RLTI_FLOAT, 5, RLTI_ROLE_NONE, 0};
    static const float values[15] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    static const int32_t counts[3] = {2, 2, 1};
    size_t size;
    making m;
    rlti_abc_children roots = {0}, none = {0};
    rlti_abc_compound properties = {0}, geom = {0}, arb = {0}, bare = {0}, empty = {0};
    begin(&m);
    rlti_abc_add_still(&m.h, &geom, "P", "", (rlti_array_type){RLTI_FLOAT, 3, RLTI_ROLE_NONE, 1}, values, 60,
                       NULL);
    rlti_abc_add_still(&m.h, &geom, "nVertices", "", abc_whole, counts, sizeof counts, NULL);
    rlti_abc_add_still(&m.h, &arb, "per_point", "", number, values, 20, NULL);
    rlti_abc_add_still(&m.h, &arb, "per_curve", "", number, values, 12, NULL);
    rlti_abc_add_still(&m.h, &arb, "one", "", number, values, 4, NULL);
    rlti_abc_add_still(&m.h, &arb, "five", "", odd, values, 20, NULL);
    rlti_abc_add_still(&m.h, &bare, ".vals", "", number, values, 20, NULL);
    rlti_abc_add_compound(&m.h, &arb, "bare", "geoScope=vtx", &bare);
    rlti_abc_add_compound(&m.h, &arb, "empty", "geoScope=vtx", &empty);
    rlti_abc_add_compound(&m.h, &geom, ".arbGeomParams", "", &arb);
    rlti_abc_add_compound(&m.h, &properties, ".geom", "schema=AbcGeom_Curve_v1", &geom);
    rlti_abc_add_object(&m.h, &roots, "hair", "schema=AbcGeom_Curve_v1", &properties, &none);
    rlti_abc_compound nothing = {0};
    rlti_abc_add_object(&m.h, &roots, "mesh", "schema=AbcGeom_PolyMesh_v1", &nothing, &none);
    unsigned char *bytes = end(&m, rlti_abc_end_top(&m.h, &roots), &size);
    rlti_stage *stage;
    assert_int_equal(abc_open_bytes(bytes, size, NULL, &stage), RLT_OK);
    const rlti_prim *hair = &stage->prims[0];
    assert_int_equal(hair->kind, RLTI_PRIM_CURVES);
    assert_int_equal(stage_need(stage, hair, RLTI_PRIMVAR, "per_point")->interpolation, RLTI_VERTEX);
    assert_int_equal(stage_need(stage, hair, RLTI_PRIMVAR, "per_curve")->interpolation, RLTI_UNIFORM);
    assert_int_equal(stage_need(stage, hair, RLTI_PRIMVAR, "one")->interpolation, RLTI_CONSTANT);
    assert_int_equal(stage_need(stage, hair, RLTI_PRIMVAR, "bare")->interpolation, RLTI_VERTEX);
    const rlti_attribute *five = stage_need(stage, hair, RLTI_PRIMVAR, "five");
    assert_true(five->type.arity == 1 && five->element_size == 5);
    assert_int_equal(stage->prims[1].kind, RLTI_PRIM_MESH);
    assert_int_equal(stage->prims[1].attribute_count, 0);
    rlti_stage_close(stage);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corpus),          cmocka_unit_test(test_cut_off_anywhere),
        cmocka_unit_test(test_bits_flipped),    cmocka_unit_test(test_real_file_flipped),
        cmocka_unit_test(test_deep_nesting),    cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_shared_children), cmocka_unit_test(test_compound_cycles),
        cmocka_unit_test(test_every_operation), cmocka_unit_test(test_odd_properties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
