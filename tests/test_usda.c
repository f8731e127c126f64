/* The .usda writer: what the file says, that it reads back to the same floats, and that it appears whole or
 * not at all. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "ringlet/ringlet.h"

/* ---- a directory of its own for each test ---- */

static char directory[256];

static int make_directory(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/ringlet-usda-XXXXXX", base != NULL ? base : ".");
    return mkdtemp(directory) == NULL;
}

static void empty(const char *path) {
    DIR *open = opendir(path);
    struct dirent *entry;
    while (open != NULL && (entry = readdir(open)) != NULL) {
        char name[600];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (unlink(name) != 0)
            empty(name);
    }
    if (open != NULL)
        closedir(open);
    rmdir(path);
}

static int remove_directory(void **state) {
    (void)state;
    chmod(directory, 0777);
    empty(directory);
    return 0;
}

static char *in_directory(const char *name) {
    static char paths[4][400];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, 400, "%s/%s", directory, name);
    return path;
}

static int files_in_directory(void) {
    int count = 0;
    DIR *open = opendir(directory);
    assert_non_null(open);
    for (struct dirent *entry; (entry = readdir(open)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(open);
    return count;
}

/* ---- a tiny reader ---- */

static char *read_whole(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    text[size] = '\0';
    fclose(file);
    return text;
}

static const char *after(const char *text, const char *wanted) {
    const char *found = strstr(text, wanted);
    if (found == NULL)
        fail_msg("\"%s\" is missing", wanted);
    return found + strlen(wanted);
}

/* Reads the numbers of "[...]" at `text`, whatever the tuples; returns how many. */
static int read_array(const char *text, float *values, int most) {
    int count = 0;
    assert_int_equal(*text, '[');
    for (const char *c = text + 1; *c != ']';) {
        if (strchr("(), ", *c) != NULL) {
            c++;
            continue;
        }
        char *end;
        assert_true(count < most);
        values[count++] = strtof(c, &end);
        assert_ptr_not_equal(end, c);
        c = end;
    }
    return count;
}

/* The array of one frame in a timeSamples block. */
static int read_sample(const char *text, const char *attribute, int frame, float *values, int most) {
    char key[40];
    const char *block = after(text, attribute);
    snprintf(key, sizeof key, "\n            %d: ", frame);
    const char *array = after(block, key);
    const char *end = strstr(block, "\n        }");
    assert_true(end != NULL && array < end);
    return read_array(array, values, most);
}

static int sample_count(const char *text, const char *attribute) {
    int count = 0;
    const char *block = after(text, attribute);
    const char *end = strstr(block, "\n        }");
    for (const char *c = block; c < end; c++)
        count += *c == ':';
    return count;
}

/* ---- a frame to write ---- */

typedef struct frame {
    double points[15], velocities[15], rest[15], widths[5], vertices[12];
    int first[3], hair[2], triangles[12];
    rlt_frame_view view;
} frame;

/* Two strands of three and two points, and a tetrahedron. */
static void make_frame(frame *f, int number) {
    static const int first[3] = {0, 3, 5};
    static const int triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    memset(f, 0, sizeof *f);
    memcpy(f->first, first, sizeof first);
    memcpy(f->triangles, triangles, sizeof triangles);
    f->hair[1] = 4;
    for (int i = 0; i < 15; i++) {
        f->rest[i] = i / 7.0;
        f->points[i] = i / 7.0 + 0.1 * number * (i % 4) - 1.0 / 3.0;
        f->velocities[i] = number * 1e-7 * (i - 7) * (i - 7) * (i - 7);
    }
    for (int i = 0; i < 5; i++)
        f->widths[i] = 0.01 * (i + 1);
    for (int i = 0; i < 12; i++)
        f->vertices[i] = (i % 4 == 0) * 3.3 + number;
    f->view = (rlt_frame_view){.size = sizeof(rlt_frame_view),
                               .frame = number,
                               .time = number / 24.0,
                               .strand_count = 2,
                               .point_count = 5,
                               .first = f->first,
                               .points = f->points,
                               .velocities = f->velocities,
                               .rest = f->rest,
                               .widths = f->widths,
                               .hair = f->hair,
                               .vertex_count = 4,
                               .triangle_count = 4,
                               .vertices = f->vertices,
                               .triangles = f->triangles};
}

static const rlt_writer_def usual = {.size = sizeof usual,
                                     .frames_per_second = 24.0,
                                     .metres_per_unit = 0.01,
                                     .title = "a \"title\"\\ of\n2 lines"};

static rlt_writer *open_writer(const char *path) {
    rlt_writer *writer = NULL;
    assert_int_equal(rlt_writer_open(path, &usual, NULL, &writer), RLT_OK);
    assert_non_null(writer);
    return writer;
}

static void expect_message(rlt_messages *messages, const char *path, const char *rest) {
    char text[800];
    snprintf(text, sizeof text, "%s%s", path, rest);
    assert_true(rlt_messages_count(messages) > 0);
    assert_string_equal(rlt_messages_text(messages, rlt_messages_count(messages) - 1), text);
}

/* ---- tests ---- */

static void a_small_file_letter_by_letter(void **state) {
    (void)state;
    static const int first[2] = {0, 2};
    static const double widths[2] = {0.5, 0.25};
    double points[6] = {0, 1, -0.5, 0.1, 2, 3};
    rlt_frame_view view = {.size = sizeof view,
                           .frame = -3,
                           .strand_count = 1,
                           .point_count = 2,
                           .first = first,
                           .points = points,
                           .widths = widths};
    char *path = in_directory("small.usda");
    rlt_writer *writer = NULL;
    rlt_writer_def def = {
        .size = sizeof def, .frames_per_second = 23.976, .metres_per_unit = 1.0, .title = "one strand"};
    assert_int_equal(rlt_writer_open(path, &def, NULL, &writer), RLT_OK);
    assert_int_equal(rlt_writer_add(writer, &view, NULL), RLT_OK);
    points[0] = 1e-7;
    view.frame = 12;
    assert_int_equal(rlt_writer_add(writer, &view, NULL), RLT_OK);
    assert_int_equal(rlt_writer_close(writer, NULL), RLT_OK);
    char *text = read_whole(path);
    assert_string_equal(text, "#usda 1.0\n"
                              "(\n"
                              "    defaultPrim = \"Ringlet\"\n"
                              "    doc = \"one strand\"\n"
                              "    endTimeCode = 12\n"
                              "    framesPerSecond = 23.976\n"
                              "    metersPerUnit = 1\n"
                              "    startTimeCode = -3\n"
                              "    timeCodesPerSecond = 23.976\n"
                              "    upAxis = \"Y\"\n"
                              ")\n"
                              "\n"
                              "def Xform \"Ringlet\"\n"
                              "{\n"
                              "\n"
                              "    def BasisCurves \"Hair\"\n"
                              "    {\n"
                              "        uniform token type = \"cubic\"\n"
                              "        uniform token basis = \"catmullRom\"\n"
                              "        uniform token wrap = \"pinned\"\n"
                              "        int[] curveVertexCounts = [2]\n"
                              "        float[] widths = [0.5, 0.25] (\n"
                              "            interpolation = \"vertex\"\n"
                              "        )\n"
                              "        int[] primvars:hairId = [0] (\n"
                              "            interpolation = \"uniform\"\n"
                              "        )\n"
                              "        point3f[] points.timeSamples = {\n"
                              "            -3: [(0, 1, -0.5), (0.1, 2, 3)],\n"
                              "            12: [(1e-7, 1, -0.5), (0.1, 2, 3)],\n"
                              "        }\n"
                              "        float3[] extent.timeSamples = {\n"
                              "            -3: [(-0.25, 0.75, -0.75), (0.25, 2.125, 3.125)],\n"
                              "            12: [(-0.24999991, 0.75, -0.75), (0.25000012, 2.125, 3.125)],\n"
                              "        }\n"
                              "    }\n"
                              "}\n");
    free(text);
}

static void expect_floats(const float *got, const double *wanted, int count) {
    for (int i = 0; i < count; i++) {
        float w = (float)wanted[i];
        assert_memory_equal(&got[i], &w, sizeof w);
    }
}

static void values_read_back_to_the_same_floats(void **state) {
    (void)state;
    char *path = in_directory("full.usda");
    rlt_writer *writer = open_writer(path);
    frame f;
    for (int number = 1; number <= 3; number++) {
        make_frame(&f, number);
        assert_int_equal(rlt_writer_add(writer, &f.view, NULL), RLT_OK);
    }
    assert_int_equal(rlt_writer_close(writer, NULL), RLT_OK);

    char *text = read_whole(path);
    float values[64];
    assert_memory_equal(text, "#usda 1.0\n(\n", 12);
    after(text, "    doc = \"a \\\"title\\\"\\\\ of\\n2 lines\"\n");
    after(text, "    startTimeCode = 1\n");
    after(text, "    endTimeCode = 3\n");
    after(text, "    metersPerUnit = 0.01\n");
    assert_null(strstr(text, "xformOp"));
    after(text, "        int[] curveVertexCounts = [3, 2]\n");
    after(text, "        int[] primvars:hairId = [0, 1] (\n            interpolation = \"uniform\"\n");
    after(text, "        int[] primvars:groupId = [0, 4] (\n            interpolation = \"uniform\"\n");
    assert_int_equal(read_array(after(text, "float[] widths = "), values, 64), 5);
    expect_floats(values, f.widths, 5);
    assert_int_equal(read_array(after(text, "point3f[] primvars:rest = "), values, 64), 15);
    expect_floats(values, f.rest, 15);

    const char *body = after(text, "    def Mesh \"Body\"\n    {\n");
    after(body, "        uniform token subdivisionScheme = \"none\"\n");
    after(body, "        uniform token orientation = \"rightHanded\"\n");
    after(body, "        int[] faceVertexCounts = [3, 3, 3, 3]\n");
    after(body, "        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]\n");
    assert_int_equal(sample_count(text, "point3f[] points.timeSamples = {"), 3);
    assert_int_equal(sample_count(text, "vector3f[] velocities.timeSamples = {"), 3);
    assert_int_equal(sample_count(text, "float3[] extent.timeSamples = {"), 3);
    assert_int_equal(sample_count(body, "point3f[] points.timeSamples = {"), 3);
    assert_int_equal(sample_count(body, "float3[] extent.timeSamples = {"), 3);
    for (int number = 1; number <= 3; number++) {
        make_frame(&f, number);
        assert_int_equal(read_sample(text, "point3f[] points.timeSamples = {", number, values, 64), 15);
        expect_floats(values, f.points, 15);
        float extent[6];
        assert_int_equal(read_sample(text, "float3[] extent.timeSamples = {", number, extent, 6), 6);
        for (int i = 0; i < 15; i++) {
            assert_true((double)extent[i % 3] <= (double)values[i] - 0.5 * f.widths[i / 3]);
            assert_true((double)extent[3 + i % 3] >= (double)values[i] + 0.5 * f.widths[i / 3]);
        }
        assert_int_equal(read_sample(text, "vector3f[] velocities.timeSamples = {", number, values, 64), 15);
        expect_floats(values, f.velocities, 15);
        assert_int_equal(read_sample(body, "point3f[] points.timeSamples = {", number, values, 64), 12);
        expect_floats(values, f.vertices, 12);
    }
    free(text);
}

static void far_from_the_origin_keeps_small_motion(void **state) {
    (void)state;
    char *path = in_directory("far.usda");
    rlt_writer *writer = open_writer(path);
    frame f;
    for (int number = 1; number <= 2; number++) {
        make_frame(&f, number);
        for (int i = 0; i < 15; i++)
            f.points[i] += i % 3 == 0 ? 1e5 : 0.0;
        for (int i = 0; i < 12; i++)
            f.vertices[i] += i % 3 == 0 ? 1e5 : 0.0;
        assert_int_equal(rlt_writer_add(writer, &f.view, NULL), RLT_OK);
    }
    assert_int_equal(rlt_writer_close(writer, NULL), RLT_OK);
    char *text = read_whole(path);
    double shift[3];
    static const char matrix[] =
        "    matrix4d xformOp:transform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), ";
    assert_int_equal(sscanf(after(text, matrix), "(%lf, %lf, %lf, 1) )", &shift[0], &shift[1], &shift[2]), 3);
    after(text, "    uniform token[] xformOpOrder = [\"xformOp:transform\"]\n");
    assert_true(fabs(shift[0] - 1e5) < 10.0 && floor(shift[0]) == shift[0]);
    float values[64];
    assert_int_equal(read_sample(text, "point3f[] points.timeSamples = {", 2, values, 64), 15);
    for (int i = 0; i < 15; i++)
        assert_true(fabs((double)values[i] + shift[i % 3] - f.points[i]) < 1e-6); /* a float at 1e5: 0.004 */
    free(text);
}

static void the_file_appears_only_when_closed(void **state) {
    (void)state;
    char *path = in_directory("atomic.usda");
    FILE *old = fopen(path, "w");
    assert_non_null(old);
    fputs("old", old);
    fclose(old);
    frame f;
    make_frame(&f, 1);
    rlt_writer *writer = open_writer(path);
    assert_int_equal(rlt_writer_add(writer, &f.view, NULL), RLT_OK);
    char *text = read_whole(path);
    assert_string_equal(text, "old");
    free(text);
    assert_int_equal(access(in_directory("atomic.usda.part"), F_OK), 0);
    assert_int_equal(rlt_writer_close(writer, NULL), RLT_OK);
    text = read_whole(path);
    assert_memory_equal(text, "#usda 1.0\n", 10);
    free(text);
    assert_int_equal(files_in_directory(), 1);
}

static void abandoned_writers_leave_nothing(void **state) {
    (void)state;
    frame f;
    make_frame(&f, 1);
    rlt_writer *writer = open_writer(in_directory("gone.usda"));
    assert_int_equal(rlt_writer_add(writer, &f.view, NULL), RLT_OK);
    rlt_writer_abandon(writer);
    rlt_writer_abandon(NULL);
    assert_int_equal(files_in_directory(), 0);
}

static void missing_directories_are_made(void **state) {
    (void)state;
    char *path = in_directory("a/b//c/x.usda");
    frame f;
    make_frame(&f, 7);
    rlt_writer *writer = open_writer(path);
    assert_int_equal(rlt_writer_add(writer, &f.view, NULL), RLT_OK);
    assert_int_equal(rlt_writer_close(writer, NULL), RLT_OK);
    assert_int_equal(access(path, R_OK), 0);
}

static void expect_open_fails(const char *path, rlt_status status, const char *rest) {
    rlt_messages *messages = rlt_messages_create();
    rlt_writer *writer = (rlt_writer *)messages;
    assert_int_equal(rlt_writer_open(path, &usual, messages, &writer), status);
    assert_null(writer);
    expect_message(messages, path, rest);
    rlt_messages_destroy(messages);
}

static void unwritable_places_are_told_at_once(void **state) {
    (void)state;
    FILE *file = fopen(in_directory("file"), "w");
    assert_non_null(file);
    fclose(file);
    expect_open_fails(in_directory("file/x.usda"), RLT_FAILED, ": cannot write: Not a directory");
    expect_open_fails(directory, RLT_FAILED, ": cannot write: Is a directory");
    expect_open_fails("", RLT_BAD_INPUT, "output file: the name is empty");
    if (geteuid() != 0) { /* root may write anywhere */
        chmod(directory, 0555);
        expect_open_fails(in_directory("x.usda"), RLT_FAILED, ": cannot write: Permission denied");
        expect_open_fails(in_directory("d/x.usda"), RLT_FAILED, ": cannot write: Permission denied");
    }
}

static void bad_definitions_are_refused(void **state) {
    (void)state;
    rlt_messages *messages = rlt_messages_create();
    rlt_writer *writer;
    char *path = in_directory("x.usda");
    rlt_writer_def def = {.size = sizeof def, .metres_per_unit = 1.0};
    assert_int_equal(rlt_writer_open(path, &def, messages, &writer), RLT_BAD_INPUT);
    expect_message(messages, path, ": frames per second must be > 0");
    def = (rlt_writer_def){.size = sizeof(rlt_writer_def), .frames_per_second = 24.0, .metres_per_unit = NAN};
    assert_int_equal(rlt_writer_open(path, &def, messages, &writer), RLT_BAD_INPUT);
    expect_message(messages, path, ": metres per unit must be > 0");
    assert_int_equal(files_in_directory(), 0);
    rlt_messages_destroy(messages);
}

static void bad_frames_are_refused_and_the_rest_is_kept(void **state) {
    (void)state;
    char *path = in_directory("bad.usda");
    rlt_messages *messages = rlt_messages_create();
    rlt_writer *writer = open_writer(path);
    frame f;

    make_frame(&f, 5);
    f.first[1] = 4;
    assert_int_equal(rlt_writer_add(writer, &f.view, messages), RLT_BAD_INPUT);
    expect_message(messages, path, ": frame 5: strand 1 has fewer than 2 points");
    make_frame(&f, 5);
    f.triangles[4] = 9;
    assert_int_equal(rlt_writer_add(writer, &f.view, messages), RLT_BAD_INPUT);
    expect_message(messages, path, ": frame 5: triangle 1 names vertex 9, which does not exist");

    make_frame(&f, 5);
    assert_int_equal(rlt_writer_add(writer, &f.view, messages), RLT_OK);
    assert_int_equal(rlt_writer_add(writer, &f.view, messages), RLT_BAD_INPUT);
    expect_message(messages, path, ": frame 5 comes after frame 5: frames must increase");

    make_frame(&f, 6);
    f.first[1] = 2;
    assert_int_equal(rlt_writer_add(writer, &f.view, messages), RLT_BAD_INPUT);
    expect_message(messages, path, ": frame 6: strands or triangles differ from the first frame's");
    make_frame(&f, 6);
    f.vertices[7] = INFINITY;
    assert_int_equal(rlt_writer_add(writer, &f.view, messages), RLT_BAD_INPUT);
    expect_message(messages, path, ": frame 6: vertex 2 is not finite");
    make_frame(&f, 6);
    f.points[14] = NAN;
    assert_int_equal(rlt_writer_add(writer, &f.view, messages), RLT_BAD_INPUT);
    expect_message(messages, path, ": frame 6: point 4 is not finite");

    make_frame(&f, 8);
    assert_int_equal(rlt_writer_add(writer, &f.view, messages), RLT_OK);
    assert_int_equal(rlt_writer_close(writer, messages), RLT_OK);
    char *text = read_whole(path);
    assert_int_equal(sample_count(text, "point3f[] points.timeSamples = {"), 2);
    assert_int_equal(sample_count(text, "vector3f[] velocities.timeSamples = {"), 2);
    after(text, "    endTimeCode = 8\n");
    free(text);
    rlt_messages_destroy(messages);
}

static void no_frames_no_file(void **state) {
    (void)state;
    char *path = in_directory("none.usda");
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlt_writer_close(open_writer(path), messages), RLT_BAD_INPUT);
    expect_message(messages, path, ": not written: no frame was added");
    assert_int_equal(files_in_directory(), 0);
    rlt_messages_destroy(messages);
}

/* A limit on file size stands in for a full disk: writes fail the same way, with another reason. */
static void a_full_disk_is_an_error_and_leaves_nothing(void **state) {
    (void)state;
    char *path = in_directory("big.usda");
    rlt_messages *messages = rlt_messages_create();
    rlt_writer *writer = open_writer(path);
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    struct rlimit limit = {.rlim_cur = 300000, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    frame f;
    rlt_status status = RLT_OK;
    int number = 0;
    while (status == RLT_OK && number < 100000) {
        make_frame(&f, ++number);
        status = rlt_writer_add(writer, &f.view, messages);
    }
    rlt_status again = rlt_writer_close(writer, NULL);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, RLT_FAILED);
    expect_message(messages, path, ": cannot write: File too large");
    assert_int_equal(again, RLT_FAILED);
    assert_int_equal(files_in_directory(), 0);
    rlt_messages_destroy(messages);
}

static void floats_are_shortest_and_exact(void **state) {
    (void)state;
    /* a stride that reaches all exponents and both signs */
    for (uint64_t pattern = 0; pattern <= UINT32_MAX; pattern += 7919) {
        uint32_t bits = (uint32_t)pattern;
        float value, back;
        char text[RLTI_FLOAT_TEXT + 1];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        int length = rlti_format_float(value, text);
        assert_true(length < RLTI_FLOAT_TEXT);
        text[length] = '\0';
        back = strtof(text, NULL);
        if (memcmp(&back, &value, sizeof back) != 0)
            fail_msg("%a became \"%s\"", (double)value, text);
    }
    static const struct {
        float value;
        const char *text;
    } cases[] = {{0.0f, "0"},
                 {-0.0f, "-0"},
                 {0.1f, "0.1"},
                 {-1.0f / 3.0f, "-0.33333334"},
                 {16777216.0f, "16777216"},
                 {1e9f, "1e9"},
                 {1e-4f, "0.0001"},
                 {1.25e-5f, "1.25e-5"},
                 {3.4028235e38f, "3.4028235e38"},
                 {-1.17549435e-38f, "-1.1754944e-38"},
                 {1e-45f, "1e-45"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[RLTI_FLOAT_TEXT + 1];
        text[rlti_format_float(cases[i].value, text)] = '\0';
        assert_string_equal(text, cases[i].text);
    }
}

static void assert_number_texts(void) {
    char text[RLTI_DOUBLE_TEXT + 1];
    text[rlti_format_double(-1234.5e-10, text)] = '\0';
    assert_string_equal(text, "-1.2345e-07");
    text[rlti_format_double(1.0 / 3.0, text)] = '\0';
    assert_string_equal(text, "0.3333333333333333");
    text[rlti_format_int(-2147483647 - 1, text)] = '\0';
    assert_string_equal(text, "-2147483648");
    text[rlti_format_float(0.25f, text)] = '\0';
    assert_string_equal(text, "0.25");
}

static void numbers_are_written_in_full(void **state) {
    (void)state;
    assert_number_texts();
}

static void numbers_do_not_depend_on_the_locale(void **state) {
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    int tested = 0;
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
        if (setlocale(LC_NUMERIC, locales[i]) == NULL)
            continue;
        assert_string_equal(localeconv()->decimal_point, ",");
        assert_number_texts();
        tested++;
    }
    setlocale(LC_NUMERIC, "C");
    if (tested == 0) {
        print_message("no locale with a decimal comma here\n");
        skip();
    }
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_DIRECTORY(a_small_file_letter_by_letter),
        IN_DIRECTORY(values_read_back_to_the_same_floats),
        IN_DIRECTORY(far_from_the_origin_keeps_small_motion),
        IN_DIRECTORY(the_file_appears_only_when_closed),
        IN_DIRECTORY(abandoned_writers_leave_nothing),
        IN_DIRECTORY(missing_directories_are_made),
        IN_DIRECTORY(unwritable_places_are_told_at_once),
        IN_DIRECTORY(bad_definitions_are_refused),
        IN_DIRECTORY(bad_frames_are_refused_and_the_rest_is_kept),
        IN_DIRECTORY(no_frames_no_file),
        IN_DIRECTORY(a_full_disk_is_an_error_and_leaves_nothing),
        cmocka_unit_test(floats_are_shortest_and_exact),
        cmocka_unit_test(numbers_are_written_in_full),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
