/* Preview pictures: right size, hair and body where they should be, the same bytes each time, clean errors.
 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <png.h>

#include "base/math.h"
#include "ringlet/ringlet.h"

#define STRANDS 40
#define POINTS  24
#define RINGS   12
#define SIDES   20

typedef struct world {
    double points[STRANDS * POINTS * 3], widths[STRANDS * POINTS];
    double vertices[(RINGS + 1) * SIDES * 3];
    int first[STRANDS + 1], triangles[RINGS * SIDES * 2 * 3];
    rlt_frame_view view;
} world;

static world scene;
static char directory[256];

static void make_sphere(world *w) {
    double *v = w->vertices;
    for (int j = 0; j <= RINGS; j++)
        for (int i = 0; i < SIDES; i++) {
            double down = RLTI_PI * j / RINGS;
            double around = 2.0 * RLTI_PI * i / SIDES;
            *v++ = 10.0 * rlti_sin(down) * rlti_cos(around);
            *v++ = 10.0 * rlti_cos(down);
            *v++ = 10.0 * rlti_sin(down) * rlti_sin(around);
        }
    int *t = w->triangles;
    for (int j = 0; j < RINGS; j++)
        for (int i = 0; i < SIDES; i++) {
            int a = j * SIDES + i, b = j * SIDES + (i + 1) % SIDES;
            int corners[6] = {a, b, a + SIDES, b, b + SIDES, a + SIDES};
            memcpy(t, corners, sizeof corners);
            t += 6;
        }
}

/* A sphere with curls that grow from its upper half. */
static int make_world(void **state) {
    (void)state;
    world *w = &scene;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/ringlet-preview-XXXXXX", base != NULL ? base : ".");
    if (mkdtemp(directory) == NULL)
        return -1;
    make_sphere(w);
    for (int s = 0; s < STRANDS; s++) {
        w->first[s] = s * POINTS;
        double height = 1.0 - (s + 0.5) / STRANDS;
        double radius = sqrt(1.0 - height * height);
        rlti_vec3 out = rlti_v3(radius * rlti_cos(2.4 * s), height, radius * rlti_sin(2.4 * s));
        rlti_vec3 side = rlti_perpendicular(out);
        rlti_vec3 other = rlti_cross(out, side);
        for (int i = 0; i < POINTS; i++) {
            rlti_vec3 p = rlti_scale(10.0 + 0.4 * i, out);
            p = rlti_madd(p, rlti_cos(0.7 * i), side);
            p = rlti_madd(p, rlti_sin(0.7 * i), other);
            memcpy(&w->points[3 * (s * POINTS + i)], &p, sizeof p);
            w->widths[s * POINTS + i] = 0.1;
        }
    }
    w->first[STRANDS] = STRANDS * POINTS;
    w->view = (rlt_frame_view){.size = sizeof(rlt_frame_view),
                               .frame = 3,
                               .strand_count = STRANDS,
                               .point_count = STRANDS * POINTS,
                               .first = w->first,
                               .points = w->points,
                               .widths = w->widths,
                               .vertex_count = (RINGS + 1) * SIDES,
                               .triangle_count = RINGS * SIDES * 2,
                               .vertices = w->vertices,
                               .triangles = w->triangles};
    return 0;
}

static const char *picture_path(void) {
    static char path[400];
    snprintf(path, sizeof path, "%s/p.png", directory);
    return path;
}

static int remove_world(void **state) {
    (void)state;
    unlink(picture_path());
    return rmdir(directory); /* fails if anything else was left */
}

/* ---- looking at a picture ---- */

typedef struct look {
    int width, height;
    uint8_t *rgb;
} look;

static look look_at(const char *path) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    look l = {(int)image.width, (int)image.height, malloc(PNG_IMAGE_SIZE(image))};
    assert_non_null(l.rgb);
    assert_true(png_image_finish_read(&image, NULL, l.rgb, 0, NULL));
    return l;
}

/* Share of pixels of hair colour: far more red than blue, which neither body nor background is. */
static double hair_share(const look *l) {
    int count = 0;
    for (int i = 0; i < l->width * l->height; i++)
        count += l->rgb[3 * i] > 40 && l->rgb[3 * i] > 1.6 * l->rgb[3 * i + 2];
    return (double)count / (l->width * l->height);
}

static rlt_preview_def small(void) {
    rlt_preview_def def = rlt_preview_defaults();
    def.width = 160;
    def.height = 120;
    return def;
}

static look draw(const rlt_frame_view *view, const rlt_preview_def *def) {
    rlt_messages *messages = rlt_messages_create();
    rlt_status status = rlt_preview_write(picture_path(), view, def, messages);
    if (status != RLT_OK)
        fail_msg("%s", rlt_messages_text(messages, 0));
    rlt_messages_destroy(messages);
    return look_at(picture_path());
}

/* ---- tests ---- */

static void a_picture_shows_hair_and_body(void **state) {
    (void)state;
    rlt_preview_def def = small();
    look both = draw(&scene.view, &def);
    assert_int_equal(both.width, 160);
    assert_int_equal(both.height, 120);
    assert_true(hair_share(&both) > 0.08);

    rlt_frame_view bald = scene.view;
    bald.strand_count = bald.point_count = 0;
    def.fit_mode = 1;
    def.span = 40.0;
    look body = draw(&bald, &def);
    assert_true(hair_share(&body) == 0.0);
    const uint8_t *middle = body.rgb + 3 * (60 * 160 + 80);
    const uint8_t *corner = body.rgb;
    assert_true(middle[0] > corner[0] + 40);
    /* lit from one side: the sphere is not flat */
    const uint8_t *bright = body.rgb + 3 * (40 * 160 + 65);
    const uint8_t *dark = body.rgb + 3 * (82 * 160 + 92);
    assert_true(bright[0] > dark[0] + 15);
    free(both.rgb);
    free(body.rgb);
}

static void the_camera_sees_everything_and_turns(void **state) {
    (void)state;
    rlt_preview_def def = small();
    look front = draw(&scene.view, &def);
    /* fitted: nothing reaches the border */
    for (int x = 0; x < 160; x++)
        for (int edge = 0; edge < 2; edge++) {
            const uint8_t *pixel = front.rgb + 3 * ((edge ? 119 : 0) * 160 + x);
            assert_false(pixel[0] > 40 && pixel[0] > 1.6 * pixel[2]);
        }
    def.azimuth += 90.0;
    look side = draw(&scene.view, &def);
    assert_memory_not_equal(front.rgb, side.rgb, 160 * 120 * 3);
    free(front.rgb);
    free(side.rgb);
}

/* One short hair before or behind the sphere, seen along z. */
static double hair_at_depth(double z) {
    static const int first[2] = {0, 3};
    double points[9] = {-3, -3, z, 0, 0, z, 3, 3, z};
    double widths[3] = {0.5, 0.5, 0.5};
    rlt_frame_view view = scene.view;
    view.strand_count = 1;
    view.point_count = 3;
    view.first = first;
    view.points = points;
    view.widths = widths;
    rlt_preview_def def = small();
    def.azimuth = def.elevation = 0.0;
    def.fit_mode = 1;
    def.span = 24.0;
    look l = draw(&view, &def);
    double share = hair_share(&l);
    free(l.rgb);
    return share;
}

static void the_body_hides_the_hair_behind_it(void **state) {
    (void)state;
    assert_true(hair_at_depth(12.0) > 0.002);
    assert_true(hair_at_depth(-12.0) == 0.0);
}

static void the_same_frame_gives_the_same_bytes(void **state) {
    (void)state;
    rlt_preview_def def = small();
    uint8_t *bytes[2];
    size_t sizes[2];
    for (int i = 0; i < 2; i++) {
        look l = draw(&scene.view, &def);
        free(l.rgb);
        struct stat info;
        assert_int_equal(stat(picture_path(), &info), 0);
        sizes[i] = (size_t)info.st_size;
        bytes[i] = malloc(sizes[i]);
        FILE *file = fopen(picture_path(), "rb");
        assert_non_null(file);
        assert_int_equal(fread(bytes[i], 1, sizes[i], file), sizes[i]);
        fclose(file);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void expect_failure(const char *path, const rlt_frame_view *view, const rlt_preview_def *def,
                           rlt_status status, const char *rest) {
    char text[600];
    rlt_messages *messages = rlt_messages_create();
    snprintf(text, sizeof text, "%s%s", path, rest);
    assert_int_equal(rlt_preview_write(path, view, def, messages), status);
    assert_int_equal(rlt_messages_count(messages), 1);
    assert_string_equal(rlt_messages_text(messages, 0), text);
    rlt_messages_destroy(messages);
}

static void bad_wishes_are_refused(void **state) {
    (void)state;
    const char *path = picture_path();
    rlt_preview_def def = small();
    def.width = 0;
    expect_failure(path, &scene.view, &def, RLT_BAD_INPUT,
                   ": a picture of 0 x 120 pixels: must be 1 to 4096 each");
    def = small();
    def.elevation = NAN;
    expect_failure(path, &scene.view, &def, RLT_BAD_INPUT,
                   ": the elevation must be -90 to 90 degrees, the azimuth finite");
    def = small();
    def.fit_mode = 1;
    expect_failure(path, &scene.view, &def, RLT_BAD_INPUT, ": the span must be > 0 and the target finite");
    def = small();
    scene.points[7] = NAN;
    expect_failure(path, &scene.view, &def, RLT_BAD_INPUT, ": frame 3: point 2 is not finite");
    assert_int_equal(access(path, F_OK), -1);
}

static void unwritable_places_are_told(void **state) {
    (void)state;
    rlt_preview_def def = small();
    expect_failure(directory, &scene.view, &def, RLT_FAILED, ": cannot write: Is a directory");
    char under_file[500];
    look l = draw(&scene.view, &def);
    free(l.rgb);
    snprintf(under_file, sizeof under_file, "%s/x.png", picture_path());
    expect_failure(under_file, &scene.view, &def, RLT_FAILED, ": cannot write: Not a directory");
}

/* The sanitizers reserve more address space than the limit leaves. */
#if defined(__SANITIZE_ADDRESS__)
#define LIMITED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIMITED 0
#endif
#endif
#ifndef LIMITED
#define LIMITED 1
#endif

static void too_little_memory_is_an_error(void **state) {
    (void)state;
    if (!LIMITED)
        skip();
    rlt_messages *messages = rlt_messages_create();
    rlt_preview_def def = small();
    def.width = def.height = 4096;
    struct rlimit before;
    getrlimit(RLIMIT_AS, &before);
    struct rlimit limit = {.rlim_cur = (rlim_t)512 << 20, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    rlt_status status = rlt_preview_write(picture_path(), &scene.view, &def, messages);
    setrlimit(RLIMIT_AS, &before);
    assert_int_equal(status, RLT_FAILED);
    assert_string_equal(rlt_messages_text(messages, 0), "out of memory");
    assert_int_equal(access(picture_path(), F_OK), -1);
    rlt_messages_destroy(messages);
}

/* Nothing may be read outside or divided by zero, whatever the shape. */
static void degenerate_frames_are_drawn(void **state) {
    (void)state;
    static const int first[3] = {0, 2, 4};
    double points[12] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3};
    double widths[4] = {0, 0, 0, 0};
    rlt_frame_view view = {.size = sizeof view,
                           .strand_count = 2,
                           .point_count = 4,
                           .first = first,
                           .points = points,
                           .widths = widths};
    rlt_preview_def def = small();
    look l = draw(&view, &def);
    free(l.rgb);
    points[3] = 1e30; /* a straight line to nowhere */
    l = draw(&view, &def);
    free(l.rgb);
    /* the eye inside the sphere, hair through the lens */
    def.fit_mode = 1;
    def.span = 0.5;
    def.target[2] = 10.0;
    l = draw(&scene.view, &def);
    free(l.rgb);
    def.width = def.height = 1;
    l = draw(&scene.view, &def);
    assert_int_equal(l.width, 1);
    free(l.rgb);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, make_world, remove_world)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_picture_shows_hair_and_body),
        IN_WORLD(the_camera_sees_everything_and_turns),
        IN_WORLD(the_body_hides_the_hair_behind_it),
        IN_WORLD(the_same_frame_gives_the_same_bytes),
        IN_WORLD(bad_wishes_are_refused),
        IN_WORLD(unwritable_places_are_told),
        IN_WORLD(too_little_memory_is_an_error),
        IN_WORLD(degenerate_frames_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
