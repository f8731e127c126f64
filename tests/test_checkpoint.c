/* Checkpoints: a run that goes on from one gives the bytes of an unbroken run; damaged ones are refused. */
#include "run_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "io/checkpoint.h"

#define PATH "checkpoint.test"

/* Everything on, two sections, strands of many lengths; few steps so that the portable build is quick. */
#define SCENE                                                                                                \
    "time: {last: %d, preroll: 1, outer_steps: 12, force_steps: 15, damping_steps: 5}\n"                     \
    "title: %s\n"                                                                                            \
    "motion: {kind: walk, amount: 2}\n"                                                                      \
    "character: {kind: head, resolution: 16, position: [%s, 0, 0]}\n"                                        \
    "wind: {velocity: [60, 0, 20], gust_strength: 0.3, turbulence: 40, seed: 3}\n"                           \
    "hair:\n"                                                                                                \
    "  - {name: curls, preset: redhead, region: none, spacing: 1, count: 11, total_points: 200, length: 20," \
    " length_variation: 0.4, variation: 0.2, drag: 2, stretch: {stiffness: 1e6, damping: 1000}}\n"           \
    "  - {name: straight, preset: horse, region: none, count: 3, length: 9, drag: 1}\n"

static void begin(run *r, rlt_simd simd, int threads) {
    run_begin(r, simd, threads, SCENE, 20, "a", "0.5");
}

static rlt_status save(run *r) {
    return rlt_checkpoint_write(PATH, r->simulation, NULL, r->messages);
}

static rlt_status load(run *r) {
    rlt_messages_clear(r->messages);
    return rlt_checkpoint_read(PATH, r->simulation, r->messages);
}

static void assert_refused(run *r, const char *why) {
    uint64_t before = rlt_simulation_hash(r->simulation);
    assert_int_equal(load(r), RLT_BAD_INPUT);
    assert_int_equal(rlt_messages_count(r->messages), 1);
    const char *text = rlt_messages_text(r->messages, 0);
    if (strstr(text, why) == NULL || strncmp(text, PATH ": ", strlen(PATH) + 2) != 0)
        fail_msg("\"%s\" does not say \"%s\"", text, why);
    assert_true(rlt_simulation_hash(r->simulation) == before);
}

/* ---- the same bytes ---- */

static uint64_t unbroken(rlt_simd simd, int frames) {
    run r;
    begin(&r, simd, 1);
    run_frames(&r, frames);
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(r.simulation, &s);
    assert_true(s.contacts > 0); /* or the tests say nothing about collisions */
    assert_true(s.hair_contacts > 10);
    uint64_t hash = rlt_simulation_hash(r.simulation);
    run_end(&r);
    return hash;
}

static void test_other_threads_and_widths_go_on_with_the_same_bytes(void **state) {
    (void)state;
    const struct {
        rlt_simd before, after;
        int threads_before, threads_after;
    } cases[] = {{RLT_SIMD_AUTO, RLT_SIMD_AUTO, 1, 3},
                 {RLT_SIMD_AVX512, RLT_SIMD_AVX2, 2, 1},
                 {RLT_SIMD_AVX2, RLT_SIMD_AVX512, 1, 2},
                 {RLT_SIMD_AUTO, RLT_SIMD_PORTABLE, 1, 1},
                 {RLT_SIMD_PORTABLE, RLT_SIMD_AUTO, 2, 2}};
    uint64_t expected = unbroken(RLT_SIMD_AUTO, 6);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        if (!rlt_simd_available(cases[c].before) || !rlt_simd_available(cases[c].after)) {
            print_message("case %d: not on this CPU\n", (int)c);
            continue;
        }
        run first, second;
        begin(&first, cases[c].before, cases[c].threads_before);
        run_frames(&first, 3);
        assert_int_equal(save(&first), RLT_OK);
        begin(&second, cases[c].after, cases[c].threads_after);
        assert_int_equal(load(&second), RLT_OK);
        /* the view is the first run's, body and all */
        rlt_frame_view a = run_view(&first), b = run_view(&second);
        assert_int_equal(a.frame, b.frame);
        assert_memory_equal(a.points, b.points, 3 * sizeof(double) * (size_t)a.point_count);
        assert_memory_equal(a.velocities, b.velocities, 3 * sizeof(double) * (size_t)a.point_count);
        assert_memory_equal(a.vertices, b.vertices, 3 * sizeof(double) * (size_t)a.vertex_count);
        double frames_a[9 * 64], frames_b[9 * 64];
        int edges = a.first[1] - a.first[0];
        assert_true(edges <= 64);
        assert_int_equal(rlt_simulation_strand_frames(first.simulation, 0, frames_a), RLT_OK);
        assert_int_equal(rlt_simulation_strand_frames(second.simulation, 0, frames_b), RLT_OK);
        assert_memory_equal(frames_a, frames_b, sizeof(double) * 9 * (size_t)edges);
        run_frames(&second, 3);
        assert_true(rlt_simulation_hash(second.simulation) == expected);
        /* writing a checkpoint changes nothing */
        run_frames(&first, 3);
        assert_true(rlt_simulation_hash(first.simulation) == expected);
        run_end(&first);
        run_end(&second);
    }
}

static void read_bytes(const char *path, unsigned char **bytes, size_t *size) {
    struct stat found;
    assert_int_equal(stat(path, &found), 0);
    *size = (size_t)found.st_size;
    *bytes = malloc(*size);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_true(fread(*bytes, 1, *size, file) == *size);
    fclose(file);
}

/* The file says nothing of threads and widths either. */
static void test_the_file_is_the_same_for_any_threads_and_width(void **state) {
    (void)state;
    unsigned char *bytes[2];
    size_t size[2];
    const rlt_simd builds[2] = {RLT_SIMD_AUTO, RLT_SIMD_PORTABLE};
    for (int i = 0; i < 2; i++) {
        run r;
        begin(&r, builds[i], 1 + 2 * i);
        run_frames(&r, 1);
        assert_int_equal(save(&r), RLT_OK);
        read_bytes(PATH, &bytes[i], &size[i]);
        run_end(&r);
    }
    assert_true(size[0] == size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void test_the_reference_goes_on_but_does_not_mix(void **state) {
    (void)state;
    run first, second;
    begin(&first, RLT_SIMD_REFERENCE, 1);
    run_frames(&first, 1);
    assert_int_equal(save(&first), RLT_OK);
    run_frames(&first, 1);
    begin(&second, RLT_SIMD_REFERENCE, 2);
    assert_int_equal(load(&second), RLT_OK);
    run_frames(&second, 1);
    assert_true(rlt_simulation_hash(first.simulation) == rlt_simulation_hash(second.simulation));
    run_end(&first);
    run_end(&second);
    begin(&second, RLT_SIMD_AUTO, 1);
    assert_refused(&second, "reference build");
    run_end(&second);
}

static void test_before_the_first_frame_and_onto_a_run_further_on(void **state) {
    (void)state;
    run r;
    begin(&r, RLT_SIMD_AUTO, 1);
    assert_int_equal(save(&r), RLT_OK); /* nothing simulated yet, in the preroll */
    run_frames(&r, 2);
    assert_int_equal(load(&r), RLT_OK); /* back again */
    assert_int_equal(run_view(&r).frame, 0);
    run_frames(&r, 3);
    assert_true(rlt_simulation_hash(r.simulation) == unbroken(RLT_SIMD_AUTO, 3));
    run_end(&r);
}

/* ---- with a writer, body and all ---- */

static const rlt_writer_def file_def = {
    .size = sizeof file_def, .frames_per_second = 24.0, .metres_per_unit = 0.01, .title = "test"};

static void add_frames(run *r, rlt_writer *writer, int frames) {
    for (int f = 0; f < frames; f++) {
        run_frames(r, 1);
        rlt_frame_view view = run_view(r);
        assert_int_equal(rlt_writer_add(writer, &view, r->messages), RLT_OK);
    }
}

/* Leaves half a run beside "broken.usda": a checkpoint after two frames, and one more frame. */
static void leave_half(void) {
    run r;
    rlt_writer *writer = NULL;
    begin(&r, RLT_SIMD_AUTO, 1);
    assert_int_equal(rlt_writer_open("broken.usda", &file_def, r.messages, &writer), RLT_OK);
    add_frames(&r, writer, 2);
    assert_int_equal(rlt_checkpoint_write(PATH, r.simulation, writer, r.messages), RLT_OK);
    add_frames(&r, writer, 1);
    assert_int_equal(rlt_writer_publish(writer, r.messages), RLT_OK); /* a file already, and going on */
    assert_int_equal(access("broken.usda", F_OK), 0);
    add_frames(&r, writer, 1);
    rlt_writer_leave(writer);
    run_end(&r);
}

static void test_the_writer_goes_on_with_the_same_bytes(void **state) {
    (void)state;
    run r;
    rlt_writer *writer = NULL;
    begin(&r, RLT_SIMD_AUTO, 1);
    assert_int_equal(rlt_writer_open("unbroken.usda", &file_def, r.messages, &writer), RLT_OK);
    add_frames(&r, writer, 4);
    assert_int_equal(rlt_writer_close(writer, r.messages), RLT_OK);
    run_end(&r);

    leave_half();
    begin(&r, RLT_SIMD_AUTO, 2);
    assert_int_equal(load(&r), RLT_OK);
    rlt_frame_view view = run_view(&r);
    assert_true(view.vertex_count > 0);
    assert_int_equal(rlt_writer_resume("broken.usda", &file_def, PATH, &view, r.messages, &writer), RLT_OK);
    int first, last;
    assert_int_equal(rlt_writer_frames(writer, &first, &last), 2);
    assert_int_equal(first, 1);
    assert_int_equal(last, 2);
    assert_int_equal(rlt_writer_add(writer, &view, r.messages), RLT_BAD_INPUT); /* it has that one */
    add_frames(&r, writer, 2);
    assert_int_equal(rlt_writer_close(writer, r.messages), RLT_OK);
    assert_int_equal(system("cmp broken.usda unbroken.usda"), 0);
    assert_int_not_equal(access("broken.usda.part", F_OK), 0);
    run_end(&r);
    unlink("broken.usda");
    unlink("unbroken.usda");
}

static void test_a_checkpoint_without_its_writer_is_refused(void **state) {
    (void)state;
    run r;
    rlt_writer *writer = NULL;
    leave_half();
    begin(&r, RLT_SIMD_AUTO, 1);
    assert_int_equal(load(&r), RLT_OK);
    rlt_frame_view view = run_view(&r);
    rlt_frame_view bald = view;
    bald.vertex_count = bald.triangle_count = 0;
    assert_int_equal(rlt_writer_resume("broken.usda", &file_def, PATH, &bald, NULL, &writer), RLT_BAD_INPUT);
    assert_int_equal(rlt_writer_resume("elsewhere.usda", &file_def, PATH, &view, NULL, &writer),
                     RLT_BAD_INPUT);
    assert_int_equal(save(&r), RLT_OK); /* without a writer */
    assert_int_equal(rlt_writer_resume("broken.usda", &file_def, PATH, &view, NULL, &writer), RLT_BAD_INPUT);
    assert_null(writer);
    assert_int_equal(access("broken.usda.part", F_OK), 0); /* refused, not removed */
    assert_int_equal(system("rm -f broken.usda*"), 0);
    run_end(&r);
}

/* ---- the wrong scene ---- */

static void test_a_changed_scene_is_refused(void **state) {
    (void)state;
    run r;
    begin(&r, RLT_SIMD_AUTO, 1);
    run_frames(&r, 1);
    assert_int_equal(save(&r), RLT_OK);
    run_end(&r);
    run_begin(&r, RLT_SIMD_AUTO, 1, SCENE, 20, "a", "0.25");
    assert_refused(&r, "another scene");
    run_end(&r);
    run_begin(&r, RLT_SIMD_AUTO, 1, SCENE "health: {speed_limit: 10000}\ncontacts: {margin: 1}\n", 30,
              "another title", "0.5");
    assert_int_equal(load(&r), RLT_OK); /* none of these changes a motion */
    run_end(&r);
}

/* A hair whose limit, and whose look in pictures, may be changed between two runs. */
static void begin_limited(run *r, const char *limit, const char *look) {
    run_begin(r, RLT_SIMD_AUTO, 1,
              "time: {last: 3, outer_steps: 20}\n"
              "character: {kind: none}\n"
              "hair: {region: none, count: 1, length: 5, stretch: {limit: %s}, fill: {clump: %s},"
              " look: {eumelanin: %s}}\n"
              "render: {azimuth: %s}\n",
              limit, look, look, look);
}

static void test_another_stretch_limit_is_refused_and_another_look_is_not(void **state) {
    (void)state;
    run r;
    begin_limited(&r, "1.3", "0.25");
    run_frames(&r, 1);
    assert_int_equal(save(&r), RLT_OK);
    run_end(&r);
    begin_limited(&r, "1.4", "0.25");
    assert_refused(&r, "another scene");
    run_end(&r);
    begin_limited(&r, "1.3", "0.5"); /* hair.fill, hair.look and render act on pictures only */
    assert_int_equal(load(&r), RLT_OK);
    run_end(&r);
    unlink(PATH);
}

/* ---- bad files ---- */

static void write_bytes(const char *path, const unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fwrite(bytes, 1, size, file) == size);
    assert_int_equal(fclose(file), 0);
}

static void put(unsigned char *at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *at, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* Where a field's elements begin. */
static unsigned char *field_of(unsigned char *bytes, const char *name, uint64_t *count) {
    int fields = (int)get(bytes + 12, 4);
    unsigned char *data = bytes + 16 + 32 * fields;
    for (int f = 0; f < fields; f++) {
        unsigned char *entry = bytes + 16 + 32 * f;
        *count = get(entry + 24, 8);
        if (strcmp((const char *)entry, name) == 0)
            return data;
        data += (*count * get(entry + 16, 4) + 7) / 8 * 8;
    }
    fail_msg("there is no field %s", name);
    return NULL;
}

/* Writes changed bytes with a checksum that is right again. */
static void write_signed(unsigned char *bytes, size_t size) {
    put(bytes + size - 8, rlti_checksum(0, bytes, size - 8), 8);
    write_bytes(PATH, bytes, size);
}

typedef struct bad {
    run r;
    unsigned char *good, *bytes;
    size_t size;
} bad;

static void begin_bad(bad *b) {
    begin(&b->r, RLT_SIMD_AUTO, 1);
    run_frames(&b->r, 1);
    assert_int_equal(save(&b->r), RLT_OK);
    read_bytes(PATH, &b->good, &b->size);
    b->bytes = malloc(b->size + 8);
    memcpy(b->bytes, b->good, b->size);
}

static void end_bad(bad *b) {
    write_bytes(PATH, b->good, b->size);
    assert_int_equal(load(&b->r), RLT_OK); /* the fixture itself is good */
    free(b->good);
    free(b->bytes);
    run_end(&b->r);
}

static void test_truncated_and_longer_files_are_refused(void **state) {
    (void)state;
    bad b;
    begin_bad(&b);
    const size_t sizes[] = {0, 7, 8, 15};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        write_bytes(PATH, b.bytes, sizes[i]);
        assert_refused(&b.r, "not a checkpoint");
    }
    for (size_t size = 16; size < b.size; size += size < 400 ? 8 : b.size / 19) {
        write_bytes(PATH, b.bytes, size);
        assert_refused(&b.r, "cut short");
    }
    memset(b.bytes + b.size, 0, 8);
    write_bytes(PATH, b.bytes, b.size + 8);
    assert_refused(&b.r, "cut short");
    end_bad(&b);
}

static void test_any_flipped_bit_is_refused(void **state) {
    (void)state;
    bad b;
    begin_bad(&b);
    for (size_t at = 0; at < b.size; at += at < 300 ? 1 : b.size / 97) {
        b.bytes[at] ^= (unsigned char)(1u << (at % 8));
        write_bytes(PATH, b.bytes, b.size);
        assert_refused(&b.r, at < 8 ? "not a checkpoint" : "");
        b.bytes[at] ^= (unsigned char)(1u << (at % 8));
    }
    end_bad(&b);
}

static void test_another_version_is_refused(void **state) {
    (void)state;
    bad b;
    begin_bad(&b);
    put(b.bytes + 8, 1, 4);
    write_signed(b.bytes, b.size);
    assert_refused(&b.r, "format 1");
    end_bad(&b);
    begin_bad(&b);
    uint64_t room;
    char *version = (char *)field_of(b.bytes, "version", &room);
    assert_string_equal(version, rlt_version());
    memcpy(version, "9.9.9", 6);
    write_signed(b.bytes, b.size);
    assert_refused(&b.r, "Ringlet 9.9.9");
    memset(version, 'x', room); /* no end */
    write_signed(b.bytes, b.size);
    assert_refused(&b.r, "Ringlet xxx");
    end_bad(&b);
}

/* Counts and element sizes that lie, with a good checksum. */
static void test_lying_counts_are_refused(void **state) {
    (void)state;
    bad b;
    begin_bad(&b);
    const uint64_t counts[] = {0, 1, (uint64_t)1 << 61, UINT64_MAX, UINT64_MAX / 8, (uint64_t)b.size};
    int field_count = (int)get(b.bytes + 12, 4);
    for (int field = 0; field < field_count; field++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            memcpy(b.bytes, b.good, b.size);
            if (memcmp(b.bytes + 16 + 32 * field + 24, &counts[c], 8) == 0)
                continue;
            put(b.bytes + 16 + 32 * field + 24, counts[c], 8);
            write_signed(b.bytes, b.size);
            assert_refused(&b.r, "");
        }
    const uint64_t elements[] = {0, 2, 3, 16, UINT32_MAX};
    for (size_t e = 0; e < sizeof elements / sizeof elements[0]; e++) {
        memcpy(b.bytes, b.good, b.size);
        put(b.bytes + 16 + 16, elements[e], 4);
        write_signed(b.bytes, b.size);
        assert_refused(&b.r, "cut short");
    }
    const uint64_t fields[] = {0, (uint64_t)field_count - 1, (uint64_t)field_count + 1, 256, 257, UINT32_MAX};
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
        memcpy(b.bytes, b.good, b.size);
        put(b.bytes + 12, fields[f], 4);
        write_signed(b.bytes, b.size);
        assert_refused(&b.r, "");
    }
    memcpy(b.bytes, b.good, b.size);
    memset(b.bytes + 16, 'n', 16); /* a name without an end */
    write_signed(b.bytes, b.size);
    assert_refused(&b.r, "cut short");
    end_bad(&b);
}

static void test_numbers_that_are_not_finite_are_refused(void **state) {
    (void)state;
    bad b;
    static const char *const names[] = {"0.positions", "0.velocities", "0.roots", "origins"};
    begin_bad(&b);
    for (int n = 0; n < 4; n++) {
        uint64_t count;
        memcpy(b.bytes, b.good, b.size);
        unsigned char *data = field_of(b.bytes, names[n], &count);
        if (n < 3)
            put(data + 4 * (count - 1), 0x7f800000u, 4); /* infinite */
        else
            put(data + 8 * (count - 1), 0x7ff8000000000000u, 8); /* not a number */
        write_signed(b.bytes, b.size);
        assert_refused(&b.r, "not finite");
    }
    end_bad(&b);
}

static void test_contacts_that_cannot_be_are_refused(void **state) {
    (void)state;
    bad b;
    uint64_t count;
    begin_bad(&b);
    unsigned char *springs = field_of(b.bytes, "springs", &count);
    assert_true(count >= 6);
    uint64_t first = get(springs, 4), other = get(springs + 4, 4);
    const struct {
        uint64_t particle, other, age;
    } wrong[] = {{UINT32_MAX, other, 0x3f000000u}, /* -1 */
                 {first, 1000000, 0x3f000000u},    /* there are not that many */
                 {first, first, 0x3f000000u},      /* with itself */
                 {other, first, 0x3f000000u},      /* from the other end */
                 {other - 1, other, 0x3f000000u},  /* on one hair, or out of order */
                 {first, other, 0x7fc00000u},      /* no number */
                 {first, other, 0x3f800001u},      /* more than risen */
                 {first, other, 0}};               /* dead */
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        put(springs, wrong[w].particle, 4);
        put(springs + 4, wrong[w].other, 4);
        put(springs + 8, wrong[w].age, 4);
        write_signed(b.bytes, b.size);
        assert_refused(&b.r, "contact");
    }
    memcpy(b.bytes, b.good, b.size);
    memcpy(springs + 12, springs, 12); /* twice the same */
    write_signed(b.bytes, b.size);
    assert_refused(&b.r, "contact");
    end_bad(&b);
}

static void test_what_is_no_file_is_refused(void **state) {
    (void)state;
    run r;
    begin(&r, RLT_SIMD_AUTO, 1);
    unlink(PATH);
    assert_refused(&r, "cannot be read: No such file");
    mkdir(PATH, 0777);
    assert_refused(&r, "not a checkpoint");
    rlt_messages_clear(r.messages);
    assert_int_equal(rlt_checkpoint_write(PATH, r.simulation, NULL, r.messages), RLT_FAILED);
    rmdir(PATH);
    run_end(&r);
}

/* ---- the byte format alone ---- */

static void test_fields_come_back_by_name_and_size(void **state) {
    (void)state;
    unsigned char letters[3] = {1, 2, 3}, letters_back[3];
    double numbers[2] = {1.5, -2.25}, back[2];
    rlti_field fields[] = {{"letters", 1, 3, letters}, {"none", 4, 0, NULL}, {"numbers", 8, 2, numbers}};
    assert_int_equal(rlti_checkpoint_save(PATH, fields, 3, NULL), RLT_OK);
    rlti_checkpoint *c = NULL;
    assert_int_equal(rlti_checkpoint_load(PATH, NULL, &c), RLT_OK);
    assert_true(rlti_checkpoint_count(c, "letters", 1) == 3);
    assert_true(rlti_checkpoint_count(c, "none", 4) == 0);
    assert_true(rlti_checkpoint_count(c, "numbers", 8) == 2);
    assert_true(rlti_checkpoint_count(c, "numbers", 4) == -1);
    assert_true(rlti_checkpoint_count(c, "words", 4) == -1);
    assert_int_equal(rlti_checkpoint_get(c, &(rlti_field){"numbers", 8, 2, back}, NULL), RLT_OK);
    assert_int_equal(rlti_checkpoint_get(c, &(rlti_field){"letters", 1, 3, letters_back}, NULL), RLT_OK);
    assert_memory_equal(back, numbers, sizeof back);
    assert_memory_equal(letters_back, letters, sizeof letters);
    assert_int_equal(rlti_checkpoint_get(c, &(rlti_field){"numbers", 8, 1, back}, NULL), RLT_BAD_INPUT);
    rlti_checkpoint_destroy(c);
    struct stat found;
    assert_int_equal(stat(PATH, &found), 0);
    assert_int_equal(found.st_size, 16 + 3 * 32 + 8 + 16 + 8);
    unlink(PATH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_threads_and_widths_go_on_with_the_same_bytes),
        cmocka_unit_test(test_the_file_is_the_same_for_any_threads_and_width),
        cmocka_unit_test(test_the_reference_goes_on_but_does_not_mix),
        cmocka_unit_test(test_before_the_first_frame_and_onto_a_run_further_on),
        cmocka_unit_test(test_the_writer_goes_on_with_the_same_bytes),
        cmocka_unit_test(test_a_checkpoint_without_its_writer_is_refused),
        cmocka_unit_test(test_a_changed_scene_is_refused),
        cmocka_unit_test(test_another_stretch_limit_is_refused_and_another_look_is_not),
        cmocka_unit_test(test_truncated_and_longer_files_are_refused),
        cmocka_unit_test(test_any_flipped_bit_is_refused),
        cmocka_unit_test(test_another_version_is_refused),
        cmocka_unit_test(test_lying_counts_are_refused),
        cmocka_unit_test(test_numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(test_contacts_that_cannot_be_are_refused),
        cmocka_unit_test(test_what_is_no_file_is_refused),
        cmocka_unit_test(test_fields_come_back_by_name_and_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
