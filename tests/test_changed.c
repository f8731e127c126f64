/* Files that are overwritten or cut while they are read: a message, never a signal, and never half of each.
 * Large files are read page by page: that gives what reading them whole does. */
#include "folder_fixture.h"
#include "stage_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "formats/tree/readers.h"
#include "import_fixture.h"
#include "io/inputs.h"

enum { PRIMS = 24, FRAMES = 12, MOST = 6000 };

static const rlti_array_type point = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1},
                             number = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1},
                             whole = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1},
                             word = {RLTI_TEXT, 1, RLTI_ROLE_TOKEN, 1};

static int declare(rlti_sink *sink, int prim, const char *name, rlti_attribute_class class_,
                   rlti_array_type type, rlti_interpolation place, int moves, rlt_messages *messages) {
    int index;
    stage_ok(rlti_sink_declare(sink, prim, name, class_, type, place, moves, messages, &index), messages);
    return index;
}

/* Curves of many sizes that move, below transforms that move; .hair has one still prim. */
static void write_file(const char *path, int prims, int frames) {
    static float p[3 * MOST];
    static int32_t n[MOST / 2];
    rlti_sink *sink;
    rlti_sink_def def = {.codes_per_second = 24.0, .first_time = 0.0, .last_time = frames - 1.0};
    rlt_messages *messages = rlt_messages_create();
    int points[PRIMS], parents[PRIMS];
    stage_ok(rlti_sink_open(path, &def, messages, &sink), messages);
    int is_still = frames == 1;
    for (int k = 0; k < prims; k++) {
        static const char *const words[] = {"one", "another", "the last"};
        char name[32];
        int count = is_still ? MOST * 20 / prims : 2 + k * k * 10, hair = -1;
        count = count < MOST ? count / 2 * 2 : MOST;
        snprintf(name, sizeof name, "at_%d", k);
        rlti_prim xform = {.name = name,
                           .type_name = "Xform",
                           .kind = RLTI_PRIM_XFORM,
                           .has_transform = !is_still,
                           .transform_time_count = is_still ? 0 : frames};
        stage_ok(rlti_sink_prim(sink, -1, &xform, messages, &parents[k]), messages);
        rlti_prim prim = {.name = "hair",
                          .type_name = "BasisCurves",
                          .kind = RLTI_PRIM_CURVES,
                          .curve_type = RLTI_CURVE_LINEAR,
                          .basis = RLTI_BASIS_NONE};
        stage_ok(rlti_sink_prim(sink, parents[k], &prim, messages, &hair), messages);
        for (int i = 0; i < count / 2; i++)
            n[i] = 2;
        stage_ok(rlti_sink_still(sink, hair, "curveVertexCounts", RLTI_BUILT_IN, whole, RLTI_UNIFORM, n,
                                 (size_t)count / 2, 1, messages),
                 messages);
        for (int i = 0; i < count; i++)
            p[i] = 0.125f / (float)(1 + i);
        stage_ok(rlti_sink_still(sink, hair, "widths", RLTI_BUILT_IN, number, RLTI_VERTEX, p, (size_t)count,
                                 1, messages),
                 messages);
        if (!is_still)
            stage_ok(rlti_sink_still(sink, hair, "words", RLTI_PRIMVAR, word, RLTI_CONSTANT, words, 3, 1,
                                     messages),
                     messages);
        points[k] = declare(sink, hair, "points", RLTI_BUILT_IN, point, RLTI_VERTEX, !is_still, messages);
    }
    for (int f = 0; f < frames; f++)
        for (int k = 0; k < prims; k++) {
            double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, f, k, 0, 1};
            int count = is_still ? MOST * 20 / prims : 2 + k * k * 10;
            count = count < MOST ? count / 2 * 2 : MOST;
            for (int i = 0; i < 3 * count; i++)
                p[i] = (float)(i * (f + 1)) / (float)(k + 7);
            if (!is_still)
                stage_ok(rlti_sink_transform(sink, parents[k], f, matrix, messages), messages);
            stage_ok(rlti_sink_write(sink, points[k], is_still ? (double)NAN : f,
                                     &(rlti_array){.type = point, .count = (size_t)count, .data = p},
                                     messages),
                     messages);
        }
    stage_ok(rlti_sink_close(sink, messages), messages);
    rlt_messages_destroy(messages);
}

/* One entry, stored as it is, at a place that is a multiple of `align`. */
static void write_package(const char *from, const char *to, size_t align) {
    size_t size, name = strlen(from), extra = 0;
    unsigned char *bytes = bytes_read(from, &size), head[64] = {0};
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    while ((30 + name + extra) % align != 0)
        extra++;
    const uint32_t count = (uint32_t)size, start = (uint32_t)(30 + name + extra + size),
                   line = (uint32_t)(46 + name);
    memcpy(head, "PK\3\4\12", 5);
    memcpy(head + 18, &count, 4);
    memcpy(head + 22, &count, 4);
    head[26] = (unsigned char)name;
    head[28] = (unsigned char)extra;
    fwrite(head, 1, 30, file);
    fwrite(from, 1, name, file);
    memset(head, 0, sizeof head);
    fwrite(head, 1, extra, file);
    fwrite(bytes, 1, size, file);
    memcpy(head, "PK\1\2\12\0\12", 7);
    memcpy(head + 20, &count, 4);
    memcpy(head + 24, &count, 4);
    head[28] = (unsigned char)name;
    fwrite(head, 1, 46, file);
    fwrite(from, 1, name, file);
    memset(head, 0, sizeof head);
    memcpy(head, "PK\5\6", 4);
    head[8] = head[10] = 1;
    memcpy(head + 12, &line, 4);
    memcpy(head + 16, &start, 4);
    fwrite(head, 1, 22, file);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

static void assert_same(const rlti_stage *a, const rlti_stage *b) {
    rlti_array x = {0}, y = {0};
    assert_int_equal(a->prim_count, b->prim_count);
    assert_int_equal(a->attribute_count, b->attribute_count);
    for (int p = 0; p < a->prim_count; p++) {
        const rlti_prim *prim = &a->prims[p], *other = &b->prims[p];
        assert_string_equal(prim->path, other->path);
        assert_string_equal(prim->type_name, other->type_name);
        for (int f = 0; f < FRAMES && prim->has_transform; f++) {
            double one[16], two[16];
            int resets;
            assert_int_equal(
                a->reader->transform(a, prim, f / 24.0 * a->codes_per_second, NULL, one, &resets), RLT_OK);
            assert_int_equal(
                b->reader->transform(b, other, f / 24.0 * a->codes_per_second, NULL, two, &resets), RLT_OK);
            assert_memory_equal(one, two, sizeof one);
        }
        for (int i = prim->first_attribute; i < prim->first_attribute + prim->attribute_count; i++)
            for (int s = a->attributes[i].has_default ? -1 : 0; s < a->attributes[i].sample_count; s++) {
                stage_read(a, prim, &a->attributes[i], s, &x);
                stage_read(b, other, &b->attributes[i], s, &y);
                if (!rlti_array_equal(&x, &y))
                    fail_msg("%s: %s.%s: sample %d differs", a->file, prim->path, a->attributes[i].name, s);
            }
    }
    rlti_array_clear(&x);
    rlti_array_clear(&y);
}

static void pages_give_what_the_whole_file_does(void **state) {
    static const char *const names[] = {"c.usdc", "c.abc", "c.usda", "c.usdz", "odd.usdz", "c.hair"};
    (void)state;
    write_file("c.usdc", PRIMS, FRAMES);
    write_file("c.abc", PRIMS, FRAMES);
    write_file("c.usda", PRIMS, FRAMES);
    write_file("c.hair", 20, 1);
    write_package("c.usdc", "c.usdz", 64);
    write_package("c.usdc", "odd.usdz", 7);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        rlt_messages *messages = rlt_messages_create();
        size_t size;
        unsigned char *bytes = bytes_read(names[i], &size), *copy = aligned_alloc(64, (size / 64 + 1) * 64);
        assert_non_null(copy);
        memcpy(copy, bytes, size);
        assert_true(size > 1100000);
        rlti_file_map map = {.bytes = copy, .size = size};
        rlti_stage *in_memory = NULL, *paged = stage_open_good(names[i]);
        rlt_status status =
            strcmp(names[i], "c.abc") == 0    ? rlti_abc_stage_open(names[i], &map, messages, &in_memory)
            : strcmp(names[i], "c.hair") == 0 ? rlti_hair_stage_open(names[i], &map, messages, &in_memory)
                                              : rlti_usd_stage_open(names[i], &map, messages, &in_memory);
        stage_ok(status, messages);
        assert_same(paged, in_memory);
        rlti_stage_close(paged);
        rlti_stage_close(in_memory);
        free(copy);
        free(bytes);
        rlt_messages_destroy(messages);
    }
}

/* Reads all; the first status that is not good, and its last message. */
static rlt_status read_all(const rlti_stage *stage, char *said, size_t size) {
    rlt_messages *messages = rlt_messages_create();
    rlti_array value = {0};
    rlt_status status = RLT_OK;
    for (int p = 0; p < stage->prim_count && status == RLT_OK; p++)
        for (int i = 0; i < stage->prims[p].attribute_count && status == RLT_OK; i++) {
            const rlti_attribute *a = &stage->attributes[stage->prims[p].first_attribute + i];
            for (int s = a->has_default ? -1 : 0; s < a->sample_count && status == RLT_OK; s++)
                status = stage->reader->read(stage, &stage->prims[p], a, s, messages, &value);
        }
    said[0] = '\0';
    if (status != RLT_OK) {
        assert_int_equal(rlt_messages_count(messages), 1); /* and nothing about what was found in it */
        snprintf(said, size, "%s", rlt_messages_text(messages, 0));
    }
    rlti_array_clear(&value);
    rlt_messages_destroy(messages);
    return status;
}

static void touch_later(const char *path) {
    struct timespec times[2] = {{.tv_sec = 2000000000}, {.tv_sec = 2000000000}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void a_large_file_that_changes_is_an_error(void **state) {
    static const char *const names[] = {"t.usdc", "t.abc"};
    char said[256], wanted[128];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(wanted, sizeof wanted, "%s: changed while read; run again when it is complete", names[i]);
        write_file(names[i], PRIMS, FRAMES);
        rlti_stage *stage = stage_open_good(names[i]);
        assert_int_equal(read_all(stage, said, sizeof said), RLT_OK);
        rlti_stage_close(stage);

        stage = stage_open_good(names[i]); /* cut */
        assert_int_equal(truncate(names[i], 5000), 0);
        assert_int_equal(read_all(stage, said, sizeof said), RLT_FAILED);
        assert_string_equal(said, wanted);
        rlti_stage_close(stage);

        write_file(names[i], PRIMS, FRAMES); /* overwritten in place, with other bytes of the same size */
        stage = stage_open_good(names[i]);
        size_t size;
        unsigned char *bytes = bytes_read(names[i], &size);
        memset(bytes + 4096, 0x55, size - 4096);
        int file = open(names[i], O_WRONLY);
        assert_true(file >= 0 && pwrite(file, bytes, size, 0) == (ssize_t)size && close(file) == 0);
        touch_later(names[i]);
        free(bytes);
        assert_int_equal(read_all(stage, said, sizeof said), RLT_FAILED);
        assert_string_equal(said, wanted);
        rlti_stage_close(stage);

        write_file(names[i], PRIMS, FRAMES); /* replaced by another: the open one is whole */
        stage = stage_open_good(names[i]);
        write_file(names[i], PRIMS, 2);
        assert_int_equal(read_all(stage, said, sizeof said), RLT_OK);
        rlti_stage_close(stage);
    }
}

static void caches_say_so_too(void **state) {
    static const char *const names[] = {"f.usdc", "f.abc"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        rlt_messages *messages = rlt_messages_create();
        rlt_cache *cache = NULL;
        rlt_frame_view view = {.size = sizeof view};
        write_file(names[i], PRIMS, FRAMES);
        assert_int_equal(rlt_cache_open(names[i], messages, &cache), RLT_OK);
        assert_int_equal(rlt_cache_view(cache, 0, messages, &view), RLT_OK);
        assert_int_equal(truncate(names[i], 5000), 0);
        assert_int_equal(rlt_cache_view(cache, 5, messages, &view), RLT_FAILED);
        assert_non_null(strstr(rlt_messages_text(messages, rlt_messages_count(messages) - 1),
                               "changed while read; run again when it is complete"));
        rlt_cache_close(cache);
        rlt_messages_destroy(messages);
    }
}

/* Small ones are in memory since they were opened. */
static void a_small_file_is_what_it_was(void **state) {
    char said[256];
    (void)state;
    write_file("small.usdc", 3, 4);
    rlti_stage *stage = stage_open_good("small.usdc");
    assert_int_equal(truncate("small.usdc", 10), 0);
    assert_int_equal(read_all(stage, said, sizeof said), RLT_OK);
    rlti_stage_close(stage);
}

/* What could not be understood because it was being written is no bad input. */
static void nonsense_of_a_file_in_the_making_is_a_failure(void **state) {
    rlt_messages *messages = rlt_messages_create();
    rlt_inputs *inputs = rlt_inputs_create();
    rlti_identity identity;
    (void)state;
    bytes_write("half.usda", "#usda 1.0\ndef", 13);
    assert_true(rlti_identity_of("half.usda", &identity));
    assert_int_equal(rlti_inputs_add(inputs, "half.usda", &identity, 1, messages), RLT_OK);
    assert_int_equal(rlti_inputs_explain(inputs, RLT_BAD_INPUT, 0, messages), RLT_BAD_INPUT);
    rlt_scene *scene;
    assert_int_equal(rlt_scene_load_text("s", "hair: 3", 7, NULL, 0, messages, &scene), RLT_BAD_INPUT);
    bytes_write("half.usda", "#usda 1.0\ndef Xform \"a\" {}\n", 27);
    assert_int_equal(rlti_inputs_explain(inputs, RLT_BAD_INPUT, 0, messages), RLT_FAILED);
    assert_int_equal(rlt_messages_count(messages), 1);
    assert_string_equal(rlt_messages_text(messages, 0),
                        "half.usda: changed while read; run again when it is complete");
    rlt_inputs_destroy(inputs);
    rlt_messages_destroy(messages);
}

#define BALL "v -1 -9 0\nv 1 -9 0\nv 0 -8 1\nv 0 -8 -1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"

static void a_sequence_that_changes_is_an_error(void **state) {
    import *f = *state;
    static const char *const others[] = {"v 1 2", BALL "\n"}; /* half a file; a good one, but another */
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES "}\n");
        for (int k = 1; k <= 9; k++) {
            char name[32];
            snprintf(name, sizeof name, "ball.%d.obj", k);
            import_write(f, name, BALL);
        }
        import_good(f, "time: {last: 9, outer_steps: 10, force_steps: 60, damping_steps: 20}\n"
                       "character: {kind: file, file: s.usda}\n"
                       "colliders:\n  - {name: ball, kind: mesh, file: ball.#.obj}\n" SCENE_HAIR "}\n");
        import_write(f, "ball.8.obj", others[i]);
        rlt_messages_clear(f->messages);
        rlt_status status = RLT_OK;
        for (int k = 0; k < 8 && status == RLT_OK; k++)
            status = rlt_simulation_advance(f->simulation, f->messages);
        assert_int_equal(status, RLT_FAILED);
        import_expect(f, "", "ball.8.obj: changed while read; run again when it is complete");
    }
}

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("changed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_give_what_the_whole_file_does),
        cmocka_unit_test(a_large_file_that_changes_is_an_error),
        cmocka_unit_test(caches_say_so_too),
        cmocka_unit_test(a_small_file_is_what_it_was),
        cmocka_unit_test(nonsense_of_a_file_in_the_making_is_a_failure),
        cmocka_unit_test_setup_teardown(a_sequence_that_changes_is_an_error, import_setup, import_teardown),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
