/* Traced pictures: the same for any number of threads, right where they should be, clean errors; images
 * written and read back. Without Embree only what is said then is tested. */
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
#include <unistd.h>

#include <png.h>

#include "base/math.h"
#include "render/trace.h"
#include "ringlet/ringlet.h"

#define STRANDS 60
#define POINTS  12
#define SIZE    40

typedef struct world {
    double points[STRANDS * POINTS * 3], widths[STRANDS * POINTS], velocities[STRANDS * POINTS * 3];
    double vertices[6 * 3];
    int first[STRANDS + 1], triangles[8 * 3];
    rlt_frame_view view;
} world;

static world scene;
static char directory[256];

/* An octahedron with waves of hair that hang from its upper half. */
static int make_world(void **state) {
    (void)state;
    world *w = &scene;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/ringlet-render-XXXXXX", base != NULL ? base : ".");
    if (mkdtemp(directory) == NULL)
        return -1;
    const double vertices[18] = {10, 0, 0, -10, 0, 0, 0, 10, 0, 0, -10, 0, 0, 0, 10, 0, 0, -10};
    const int triangles[24] = {2, 4, 0, 2, 0, 5, 2, 5, 1, 2, 1, 4, 3, 0, 4, 3, 5, 0, 3, 1, 5, 3, 4, 1};
    memcpy(w->vertices, vertices, sizeof vertices);
    memcpy(w->triangles, triangles, sizeof triangles);
    for (int s = 0; s < STRANDS; s++) {
        w->first[s] = s * POINTS;
        double angle = 2.0 * RLTI_PI * s / STRANDS;
        for (int i = 0; i < POINTS; i++) {
            int p = s * POINTS + i;
            double radius = 8.0 + rlti_sin(1.1 * i);
            w->points[3 * p] = radius * rlti_cos(angle);
            w->points[3 * p + 1] = 6.0 - 1.5 * i;
            w->points[3 * p + 2] = radius * rlti_sin(angle);
            w->velocities[3 * p] = 30.0;
            w->widths[p] = 0.4;
        }
    }
    w->first[STRANDS] = STRANDS * POINTS;
    w->view = (rlt_frame_view){.size = sizeof(rlt_frame_view),
                               .frame = 3,
                               .strand_count = STRANDS,
                               .point_count = STRANDS * POINTS,
                               .first = w->first,
                               .points = w->points,
                               .velocities = w->velocities,
                               .rest = w->points,
                               .widths = w->widths,
                               .vertex_count = 6,
                               .triangle_count = 8,
                               .vertices = w->vertices,
                               .triangles = w->triangles};
    return 0;
}

static const char *path_of(const char *name) {
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static int remove_world(void **state) {
    (void)state;
    unlink(path_of("p.png"));
    unlink(path_of("p.exr"));
    return rmdir(directory); /* fails if anything else was left */
}

static void need_tracing(void) {
    if (!rlt_render_available()) {
        print_message("built without Embree: nothing to trace\n");
        skip();
    }
}

static rlt_render_def small(void) {
    rlt_render_def def = rlt_render_defaults();
    def.width = SIZE;
    def.height = SIZE;
    def.samples = 4;
    return def;
}

static rlt_image *render_with(int threads, const rlt_frame_view *view, const rlt_render_def *def,
                              rlt_status expected, rlt_messages *messages) {
    rlt_render *render = NULL;
    rlt_image *image = NULL;
    assert_int_equal(rlt_render_create(threads, messages, &render), RLT_OK);
    assert_int_equal(rlt_render_frame(render, view, NULL, def, messages, &image), expected);
    assert_int_equal(image != NULL, expected == RLT_OK);
    rlt_render_destroy(render);
    return image;
}

static int says(const rlt_messages *messages, const char *text) {
    for (int i = 0; i < rlt_messages_count(messages); i++)
        if (strstr(rlt_messages_text(messages, i), text) != NULL)
            return 1;
    return 0;
}

static void assert_same_image(const rlt_image *a, const rlt_image *b) {
    size_t pixels = (size_t)a->width * (size_t)a->height;
    assert_memory_equal(a->rgba, b->rgba, 16 * pixels);
    assert_memory_equal(a->depth, b->depth, 4 * pixels);
    assert_memory_equal(a->tangent, b->tangent, 12 * pixels);
    assert_memory_equal(a->motion, b->motion, 8 * pixels);
    assert_memory_equal(a->id, b->id, 4 * pixels);
}

static void test_without_embree(void **state) {
    (void)state;
    if (rlt_render_available())
        return;
    rlt_messages *messages = rlt_messages_create();
    rlt_render *render = NULL;
    assert_int_equal(rlt_render_create(1, messages, &render), RLT_BAD_INPUT);
    assert_null(render);
    assert_true(says(messages, "built without Embree"));
    rlt_messages_destroy(messages);
}

static void test_any_threads(void **state) {
    (void)state;
    need_tracing();
    rlt_render_def def = small();
    def.shutter = 0.02;
    def.camera.aperture = 0.5;
    def.ground = 1;
    rlt_image *one = render_with(1, &scene.view, &def, RLT_OK, NULL);
    for (int threads = 2; threads <= 3; threads++) {
        rlt_image *more = render_with(threads, &scene.view, &def, RLT_OK, NULL);
        assert_same_image(one, more);
        rlt_image_destroy(more);
    }
    rlt_image_destroy(one);
}

/* All of a file into `bytes`; returns its size. */
static size_t read_all(const char *path, uint8_t *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    assert_true(size > 0 && size < room);
    fclose(file);
    return size;
}

/* Everything together: filled hairs, body and ground, motion blur of both, lens; down to the bytes of the
 * files. */
static void test_files_for_any_threads(void **state) {
    (void)state;
    need_tracing();
    enum { ROOM = 1 << 17 };
    static const int threads[] = {1, 2, 3, 8};
    const char *const names[] = {"p.png", "p.exr"};
    static uint8_t first[2][ROOM], bytes[ROOM];
    size_t sizes[2] = {0, 0};
    double velocities[6 * 3];
    for (int i = 0; i < 18; i++)
        velocities[i] = i % 3 == 0 ? 30.0 : 5.0;
    rlt_render_def def = small();
    def.shutter = 0.02;
    def.camera.aperture = 0.5;
    def.ground = 1;
    def.vertex_velocities = velocities;
    rlt_fill_def fill_def = rlt_fill_defaults();
    fill_def.hairs = 700; /* several blocks, so that threads share them */
    for (int t = 0; t < 4; t++) {
        rlt_render *render = NULL;
        rlt_fill *fill = NULL;
        rlt_image *image = NULL;
        rlt_render_statistics statistics = {.size = sizeof statistics};
        assert_int_equal(rlt_fill_create(&scene.view, &fill_def, NULL, &fill), RLT_OK);
        assert_int_equal(rlt_render_create(threads[t], NULL, &render), RLT_OK);
        assert_int_equal(rlt_render_frame(render, &scene.view, fill, &def, NULL, &image), RLT_OK);
        rlt_render_statistics_get(render, &statistics);
        assert_int_equal(statistics.hairs, 700);
        assert_int_equal(statistics.threads, threads[t]);
        assert_int_equal(rlt_image_write_png(image, path_of(names[0]), 0, NULL), RLT_OK);
        if (rlt_image_exr_available())
            assert_int_equal(rlt_image_write_exr(image, path_of(names[1]), NULL), RLT_OK);
        for (int n = 0; n < (rlt_image_exr_available() ? 2 : 1); n++) {
            size_t size = read_all(path_of(names[n]), t == 0 ? first[n] : bytes, ROOM);
            if (t == 0)
                sizes[n] = size;
            assert_int_equal(size, sizes[n]);
            if (t > 0)
                assert_memory_equal(bytes, first[n], size);
        }
        rlt_image_destroy(image);
        rlt_render_destroy(render);
        rlt_fill_destroy(fill);
    }
}

/* Two sections, side by side: one black, one white. */
static void test_looks_of_sections(void **state) {
    (void)state;
    need_tracing();
    int sections[STRANDS];
    rlt_frame_view view = scene.view;
    view.hair = sections;
    for (int s = 0; s < STRANDS; s++)
        sections[s] = scene.points[3 * s * POINTS] > 0.0;
    rlt_render_def def = small();
    def.camera.azimuth = 0.0;
    def.body = 0;
    def.look_count = 2;
    def.looks[0] = def.looks[1] = def.hair;
    def.looks[0].eumelanin = 8.0;
    def.looks[1].eumelanin = def.looks[1].pheomelanin = 0.0;
    rlt_image *image = render_with(2, &view, &def, RLT_OK, NULL);
    double sides[2] = {0.0, 0.0};
    for (int p = 0; p < SIZE * SIZE; p++)
        sides[p % SIZE >= SIZE / 2] += (double)image->rgba[4 * p + 1];
    assert_true(sides[0] > 0.0 && sides[1] > 3.0 * sides[0]);
    rlt_image_destroy(image);
    def.look_count = RLT_RENDER_LOOKS_MAX + 1;
    render_with(1, &view, &def, RLT_BAD_INPUT, NULL);
}

static double mean_cover(const rlt_image *image) {
    double sum = 0.0;
    for (int i = 0; i < SIZE * SIZE; i++)
        sum += (double)image->rgba[4 * i + 3];
    return sum / (SIZE * SIZE);
}

/* Adds mean red, green and blue of a picture with many hairs, traced exactly or as usual. */
static void add_colour(const rlt_render_def *def, int exact, int seed, double mean[3]) {
    rlt_render_def own = *def;
    rlt_fill_def fill_def = rlt_fill_defaults();
    rlt_render *render = NULL;
    rlt_fill *fill = NULL;
    rlt_image *image = NULL;
    fill_def.hairs = 4000;
    fill_def.seed = (uint64_t)seed;
    own.exact = exact;
    assert_int_equal(rlt_fill_create(&scene.view, &fill_def, NULL, &fill), RLT_OK);
    assert_int_equal(rlt_render_create(0, NULL, &render), RLT_OK);
    assert_int_equal(rlt_render_frame(render, &scene.view, fill, &own, NULL, &image), RLT_OK);
    for (int i = 0; i < 3 * SIZE * SIZE; i++)
        mean[i % 3] += (double)image->rgba[4 * (i / 3) + i % 3] / (SIZE * SIZE);
    rlt_image_destroy(image);
    rlt_render_destroy(render);
    rlt_fill_destroy(fill);
}

/* Light kept at hairs, far hairs as a cloud and modelled scattering bring the light of each hair traced, in
 * every colour of hair: white, where nearly all of it has been scattered often, to black, where nearly none
 * has; with and without a body. Many thin hairs, so that shadows are deep. */
static void test_cloud_is_the_mean(void **state) {
    (void)state;
    need_tracing();
    static const struct {
        double eumelanin, pheomelanin, width;
        int body;
    } cases[] = {{0.0, 0.0, 0.25, 0}, {0.1, 0.3, 0.25, 0}, {1.25, 2.6, 0.25, 0}, {6.0, 0.0, 0.25, 0},
                 {0.4, 0.5, 0.25, 1}, {1.25, 2.6, 0.01, 1}}; /* the last: hardly any hair */
    double brightest = 0.0, darkest = HUGE_VAL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rlt_render_def def = small();
        def.samples = 8;
        def.hair.eumelanin = cases[i].eumelanin;
        def.hair.pheomelanin = cases[i].pheomelanin;
        def.hair.width = cases[i].width;
        def.body = cases[i].body;
        double exact[3] = {0.0}, usual[3] = {0.0};
        for (int seed = 1; seed <= 2; seed++) { /* one alone differs by 3% from the mean of many */
            add_colour(&def, 1, seed, exact);
            add_colour(&def, 0, seed, usual);
        }
        print_message("melanin %g, %g: each hair %.4f %.4f %.4f (two pictures), usual %.3f %.3f %.3f of it\n",
                      def.hair.eumelanin, def.hair.pheomelanin, exact[0], exact[1], exact[2],
                      usual[0] / exact[0], usual[1] / exact[1], usual[2] / exact[2]);
        for (int c = 0; c < 3; c++)
            assert_true(fabs(usual[c] / exact[c] - 1.0) < 0.08);
        brightest = fmax(brightest, exact[1]);
        darkest = fmin(darkest, exact[1]);
    }
    assert_true(brightest > 8.0 * darkest); /* they are as different as that */
}

/* Skin is as bright with any number of samples: one of four follows light that bounces. */
static void test_any_number_of_samples(void **state) {
    (void)state;
    need_tracing();
    double mean[2][3] = {{0.0}};
    static const int samples[] = {16, 5};
    for (int k = 0; k < 2; k++) {
        rlt_render_def def = small();
        def.samples = samples[k];
        def.hair.width = 0.01; /* hardly any hair */
        add_colour(&def, 0, 1, mean[k]);
    }
    print_message("5 samples: %.3f %.3f %.3f of 16\n", mean[1][0] / mean[0][0], mean[1][1] / mean[0][1],
                  mean[1][2] / mean[0][2]);
    for (int c = 0; c < 3; c++)
        assert_true(fabs(mean[1][c] / mean[0][c] - 1.0) < 0.03);
}

/* Hairs take turns around two guides. Where half of them stand for all in the cloud, both guides have theirs:
 * with every second hair one would be twice as dark, and the other white. */
static void test_cloud_of_some_hairs(void **state) {
    (void)state;
    enum { HAIRS = 2000, STRIDE = 4 };
    float *vertices = calloc((size_t)HAIRS * STRIDE * 4, sizeof *vertices);
    static int counts[HAIRS];
    assert_non_null(vertices);
    for (int h = 0; h < HAIRS; h++) {
        counts[h] = 2;
        for (int i = 0; i < STRIDE; i++) {
            const float at[] = {h % 2 == 0 ? 0.0f : 10.0f, (float)i, 0.01f * (float)(h % 50), 0.01f};
            memcpy(vertices + 4 * ((size_t)h * STRIDE + (size_t)i), at, sizeof at);
        }
    }
    rlti_hairs hairs = {.count = HAIRS,
                        .stride = STRIDE,
                        .vertices = {vertices, NULL},
                        .counts = counts,
                        .segment_count = HAIRS,
                        .steps = 1};
    rlti_density density;
    assert_int_equal(rlti_density_create(&density, &hairs, HAIRS - 1, 20, NULL), RLT_OK);
    double sides[2] = {0.0, 0.0};
    for (int i = 0; i < density.size[0] * density.size[1] * density.size[2]; i++)
        sides[2 * (i % density.size[0]) >= density.size[0]] += (double)density.cells[4 * i];
    print_message("one hair of two: %.3f of the cloud at the first guide\n",
                  sides[0] / (sides[0] + sides[1]));
    assert_true(fabs(sides[0] / (sides[0] + sides[1]) - 0.5) < 0.05);
    rlti_density_destroy(&density);
    free(vertices);
}

/* Hairs thinner than a pixel cover as much drawn wide and transparent as drawn as they are. */
static void test_thin_hairs(void **state) {
    (void)state;
    need_tracing();
    double alpha[2];
    for (int i = 0; i < 2; i++) {
        rlt_render_def def = small();
        rlt_render *render = NULL;
        rlt_image *image = NULL;
        def.samples = 64;
        def.exact = i == 0; /* as thin as they are */
        def.body = 0;
        def.hair.width = 0.2;
        assert_int_equal(rlt_render_create(0, NULL, &render), RLT_OK);
        assert_int_equal(rlt_render_frame(render, &scene.view, NULL, &def, NULL, &image), RLT_OK);
        alpha[i] = mean_cover(image);
        rlt_image_destroy(image);
        rlt_render_destroy(render);
    }
    print_message("cover %.5f as they are, %.5f widened\n", alpha[0], alpha[1]);
    assert_true(alpha[0] > 0.0 && fabs(alpha[1] / alpha[0] - 1.0) < 0.1);
}

/* Nothing in the corners, hair or body in the middle, light in it. */
static void test_things_are_seen(void **state) {
    (void)state;
    need_tracing();
    rlt_render_def def = small();
    rlt_image *image = render_with(1, &scene.view, &def, RLT_OK, NULL);
    assert_true(image->rgba[3] == 0.0f && image->rgba[0] == 0.0f && image->id[0] == RLT_RENDER_ID_NONE);
    assert_true(isinf(image->depth[0]));
    int hair = 0, body = 0;
    double light = 0.0;
    for (int i = 0; i < SIZE * SIZE; i++) {
        hair += image->id[i] >= RLT_RENDER_ID_FIRST_HAIR;
        body += image->id[i] == RLT_RENDER_ID_BODY;
        assert_true(image->id[i] < RLT_RENDER_ID_FIRST_HAIR + STRANDS);
        for (int c = 0; c < 4; c++)
            assert_true(image->rgba[4 * i + c] >= 0.0f && isfinite(image->rgba[4 * i + c]));
        light += image->rgba[4 * i];
    }
    assert_true(hair > SIZE * SIZE / 10 && body > SIZE);
    assert_true(light > 0.01 * SIZE * SIZE);

    /* the picture is where rlt_render_project says */
    rlt_render_camera camera = def.camera;
    assert_int_equal(rlt_render_camera_fit(&scene.view, SIZE, SIZE, &camera, NULL), RLT_OK);
    assert_int_equal(camera.automatic, 0);
    double pixel[3];
    const double top[3] = {0.0, 9.0, 0.0};
    assert_int_equal(rlt_render_project(&camera, SIZE, SIZE, top, pixel), 1);
    int at = (int)pixel[1] * SIZE + (int)pixel[0];
    assert_int_equal(image->id[at], RLT_RENDER_ID_BODY);
    assert_true(fabs(image->depth[at] - pixel[2]) < 4.0);
    rlt_image_destroy(image);
}

static void test_motion(void **state) {
    (void)state;
    need_tracing();
    rlt_render_def def = small();
    def.shutter = 0.1;
    def.camera.azimuth = 0.0;
    rlt_image *image = render_with(2, &scene.view, &def, RLT_OK, NULL);
    int moved = 0;
    for (int i = 0; i < SIZE * SIZE; i++)
        if (image->id[i] >= RLT_RENDER_ID_FIRST_HAIR) {
            assert_true(image->motion[2 * i] > 1.0f && fabsf(image->motion[2 * i + 1]) < 0.5f);
            moved++;
        }
    assert_true(moved > 10);
    rlt_image_destroy(image);
}

static void test_bad_input(void **state) {
    (void)state;
    need_tracing();
    rlt_messages *messages = rlt_messages_create();
    rlt_frame_view empty = {.size = sizeof empty, .frame = 1};
    rlt_render_def def = small();
    render_with(1, &empty, &def, RLT_BAD_INPUT, messages);
    assert_true(says(messages, "neither hair nor body"));
    def.samples = 0;
    def.hair.roughness = 2.0;
    def.sky[1] = NAN;
    render_with(1, &scene.view, &def, RLT_BAD_INPUT, messages);
    assert_true(says(messages, "samples = 0") && says(messages, "roughness = 2") && says(messages, "sky"));
    def = small();
    def.camera.automatic = 0; /* eye and target are the same */
    render_with(1, &scene.view, &def, RLT_BAD_INPUT, messages);
    assert_true(says(messages, "eye and target"));
    rlt_render *render = NULL;
    assert_int_equal(rlt_render_create(-1, messages, &render), RLT_BAD_INPUT);
    rlt_messages_destroy(messages);
}

static void test_odd_input(void **state) {
    (void)state;
    need_tracing();
    rlt_messages *messages = rlt_messages_create();
    rlt_render_def def = small();
    def.hair.width = 0.0;
    def.body = 0;
    rlt_image *image = render_with(1, &scene.view, &def, RLT_OK, messages);
    assert_true(says(messages, "no width"));
    for (int i = 0; i < SIZE * SIZE; i++)
        assert_true(image->rgba[4 * i + 3] == 0.0f);
    rlt_image_destroy(image);

    def = small();
    def.camera.automatic = 0;
    def.camera.eye[0] = 8.5; /* in the middle of a hair */
    def.camera.target[0] = 0.0;
    image = render_with(1, &scene.view, &def, RLT_OK, messages);
    assert_true(says(messages, "within the hair"));
    rlt_image_destroy(image);
    rlt_messages_destroy(messages);
}

/* Fewer points than were asked for: still all hairs. */
static void test_thinned_points(void **state) {
    (void)state;
    need_tracing();
    rlt_render_def def = small();
    def.points = 4 * STRANDS;
    rlt_render *render = NULL;
    rlt_image *image = NULL;
    rlt_render_statistics statistics = {.size = sizeof statistics};
    assert_int_equal(rlt_render_create(1, NULL, &render), RLT_OK);
    assert_true(rlt_render_bare_rate(render, 0.01) == 0.0);
    assert_int_equal(rlt_render_frame(render, &scene.view, NULL, &def, NULL, &image), RLT_OK);
    rlt_render_statistics_get(render, &statistics);
    assert_int_equal(statistics.hairs, STRANDS);
    assert_int_equal(statistics.points, 4 * STRANDS);
    assert_int_equal(statistics.rays_primary, 4 * SIZE * SIZE);
    assert_true(statistics.rays_shadow > 0 && statistics.rays_bounce > 0 && statistics.bytes > 0);
    assert_true(rlt_render_bare_rate(render, 0.01) > 0.0);
    rlt_image_destroy(image);
    rlt_render_destroy(render);
}

static int stop_at_once(void *context, double done) {
    assert_true(done > 0.0 && done <= 1.0);
    ++*(int *)context;
    return 1;
}

static void test_stop(void **state) {
    (void)state;
    need_tracing();
    rlt_messages *messages = rlt_messages_create();
    rlt_render_def def = small();
    int calls = 0;
    def.progress = stop_at_once;
    def.progress_context = &calls;
    render_with(1, &scene.view, &def, RLT_FAILED, messages);
    assert_int_equal(calls, 1);
    assert_true(says(messages, "stopped"));
    rlt_messages_destroy(messages);
}

/* ---- images ---- */

/* A ramp of light: half grey at the left, beyond white at the right; the lower half is clear. */
static rlt_image *make_image(void) {
    rlt_image *image = rlt_image_create(30, 20);
    assert_non_null(image);
    for (int y = 0; y < 10; y++)
        for (int x = 0; x < 30; x++) {
            size_t pixel = (size_t)y * 30 + (size_t)x;
            for (int c = 0; c < 3; c++)
                image->rgba[4 * pixel + (size_t)c] = 0.25f + 0.1f * (float)x;
            image->rgba[4 * pixel + 3] = 1.0f;
            image->depth[pixel] = 10.0f + (float)x;
            image->id[pixel] = 70000u + (uint32_t)x;
            image->motion[2 * pixel + 1] = -1.5f;
            image->tangent[3 * pixel + 2] = 0.125f * (float)y;
        }
    image->background[1][2] = 1.0f;
    return image;
}

static void test_png(void **state) {
    (void)state;
    rlt_image *image = make_image();
    uint8_t bytes[30 * 20 * 4];
    assert_int_equal(rlt_image_write_png(image, path_of("p.png"), 1, NULL), RLT_OK);
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    assert_true(png_image_begin_read_from_file(&png, path_of("p.png")));
    png.format = PNG_FORMAT_RGBA;
    assert_int_equal(png.width, 30);
    assert_true(png_image_finish_read(&png, NULL, bytes, 0, NULL));
    assert_in_range(bytes[0], 136, 138); /* 0.25 in sRGB */
    int before = 0;
    for (int x = 0; x < 30; x++) {
        assert_true(bytes[4 * x] + 1 >= before && bytes[4 * x + 3] == 255);
        before = bytes[4 * x];
    }
    assert_true(before > 245); /* rolled off, never clipped */
    assert_int_equal(bytes[4 * 30 * 15 + 3], 0);
    rlt_image_bytes(image, 3, bytes);
    assert_true(bytes[3 * 30 * 19 + 2] > 200 && bytes[3 * 30 * 19] <= 1); /* the background */
    rlt_image_destroy(image);
    assert_null(rlt_image_create(0, 10));
    assert_null(rlt_image_create(10, RLT_IMAGE_SIZE_MAX + 1));
}

static void test_unwritable(void **state) {
    (void)state;
    rlt_messages *messages = rlt_messages_create();
    rlt_image *image = make_image();
    assert_int_not_equal(rlt_image_write_png(image, "/dev/null/p.png", 0, messages), RLT_OK);
    assert_int_equal(rlt_messages_count(messages), 1);
    assert_true(says(messages, "/dev/null"));
    assert_int_not_equal(rlt_image_write_exr(image, "/dev/null/p.exr", messages), RLT_OK);
    assert_int_equal(rlt_messages_count(messages), 2);
    rlt_image_destroy(image);
    rlt_messages_destroy(messages);
}

static rlt_image *preview_with(int threads, const rlt_render_def *def) {
    rlt_messages *messages = rlt_messages_create();
    rlt_render *render = NULL;
    rlt_image *image = NULL;
    assert_int_equal(rlt_render_create_preview(threads, messages, &render), RLT_OK);
    assert_int_equal(rlt_render_frame(render, &scene.view, NULL, def, messages, &image), RLT_OK);
    rlt_render_destroy(render);
    rlt_messages_destroy(messages);
    return image;
}

/* The mean light of a box of pixels in the middle of the picture. */
static void mean_of(const rlt_image *image, int x0, int y0, int x1, int y1, double mean[3]) {
    memset(mean, 0, 3 * sizeof *mean);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            for (int c = 0; c < 3; c++)
                mean[c] += (double)image->rgba[4 * (y * image->width + x) + c] / ((x1 - x0) * (y1 - y0));
}

/* Rasterised: the same bytes for any threads, hair in the colour of its pigment, brighter where there is more
 * light, body and background where they are. */
static void test_preview(void **state) {
    (void)state;
    rlt_render_def def = small();
    def.hair.eumelanin = 0.05;
    def.hair.pheomelanin = 1.3;
    def.body = 0;
    rlt_image *one = preview_with(1, &def), *three = preview_with(3, &def);
    assert_same_image(one, three);
    rlt_image_destroy(three);
    double red[3], dark[3], bright[3], corner[3];
    mean_of(one, 12, 14, 28, 26, red);
    print_message("red: %g %g %g\n", red[0], red[1], red[2]);
    assert_true(red[0] > 1.5 * red[1] && red[1] > red[2] && red[0] > 0.05);
    mean_of(one, 0, 0, 2, 1, corner);
    for (int c = 0; c < 3; c++)
        assert_true(fabs(corner[c] - def.background[0][c]) < 0.02);
    rlt_image_destroy(one);

    def.hair.eumelanin = 6.0;
    one = preview_with(2, &def);
    mean_of(one, 12, 14, 28, 26, dark);
    assert_true(dark[0] < 0.4 * red[0]);
    rlt_image_destroy(one);
    for (int c = 0; c < 3; c++)
        def.key.colour[c] *= 3.0;
    one = preview_with(2, &def);
    mean_of(one, 12, 14, 28, 26, bright);
    assert_true(bright[1] > 1.3 * dark[1]);
    rlt_image_destroy(one);
    def.body = 1;
    one = preview_with(2, &def);
    assert_int_equal(one->id[SIZE * (SIZE / 2) + SIZE / 2], RLT_RENDER_ID_BODY);
    rlt_image_destroy(one);
}

/* Brown hair is not much darker in a preview than it is traced (a third, with all of its own shadow). */
static void test_preview_is_as_light(void **state) {
    (void)state;
    rlt_render_def def = small();
    def.hair.eumelanin = 1.3;
    def.hair.width = 3.0; /* a dense tube of it */
    def.body = 0;
    def.shutter = 0.0;
    rlt_image *drawn = preview_with(2, &def), *traced = render_with(2, &scene.view, &def, RLT_OK, NULL);
    double here[3], there[3];
    mean_of(drawn, 12, 14, 28, 26, here);
    mean_of(traced, 12, 14, 28, 26, there);
    print_message("preview: %g %g %g, traced: %g %g %g\n", here[0], here[1], here[2], there[0], there[1],
                  there[2]);
    assert_true(here[0] > 0.45 * there[0] && here[0] < 1.5 * there[0]);
    rlt_image_destroy(drawn);
    rlt_image_destroy(traced);
}

/* Hairs of a preview of 60,000. */
static long long preview_hairs(double points) {
    rlt_render_def def = small();
    rlt_fill_def many = rlt_fill_defaults();
    rlt_render_statistics statistics = {.size = sizeof statistics};
    rlt_render *render = NULL;
    rlt_fill *fill = NULL;
    rlt_image *image = NULL;
    many.hairs = 60000;
    many.points = 20;
    if (points > 0.0)
        def.preview_points = points;
    assert_int_equal(rlt_fill_create(&scene.view, &many, NULL, &fill), RLT_OK);
    assert_int_equal(rlt_render_create_preview(1, NULL, &render), RLT_OK);
    assert_int_equal(rlt_render_frame(render, &scene.view, fill, &def, NULL, &image), RLT_OK);
    rlt_render_statistics_get(render, &statistics);
    rlt_image_destroy(image);
    rlt_render_destroy(render);
    rlt_fill_destroy(fill);
    return statistics.hairs;
}

/* Stills have time for more hairs than movies. Small pictures have 400,000 points in any case. */
static void test_preview_points(void **state) {
    (void)state;
    assert_int_equal(preview_hairs(0.0), 400000 / 20);
    assert_int_equal(preview_hairs(10.0), 400000 / 20);
    assert_int_equal(preview_hairs(500.0), 500 * SIZE * SIZE / 20);
    assert_int_equal(preview_hairs(1000.0), 60000);
}

static void test_paste_and_label(void **state) {
    (void)state;
    rlt_image *page = rlt_image_create(60, 40), *small_one = rlt_image_create(10, 8);
    for (int i = 0; i < 80; i++)
        for (int c = 0; c < 4; c++)
            small_one->rgba[4 * i + c] = c == 3 ? 1.0f : 0.25f * (float)(c + 1);
    rlt_image_paste(page, small_one, 55, -3); /* the part that fits */
    rlt_image_paste(page, small_one, 5, 6);
    uint8_t bytes[60 * 40 * 3], alone[10 * 8 * 3];
    rlt_image_bytes(page, 3, bytes);
    rlt_image_bytes(small_one, 3, alone);
    for (int c = 0; c < 3; c++) {
        assert_true(abs(bytes[3 * (60 * 10 + 10) + c] - alone[3 * 40 + c]) <= 2);
        assert_true(abs(bytes[3 * (60 * 2 + 57) + c] - alone[3 * 40 + c]) <= 2);
        assert_int_equal(bytes[3 * (60 * 20 + 30) + c], 0);
    }
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlt_image_label(page, "12", 20, 20, 1, messages), RLT_OK);
    assert_int_equal(rlt_image_label(page, "12", 20, 20, 0, messages), RLT_BAD_INPUT);
    rlt_image_bytes(page, 3, bytes);
    int lit = 0;
    for (int y = 20; y < 33; y++)
        for (int x = 20; x < 40; x++)
            lit += bytes[3 * (60 * y + x)] > 128;
    assert_in_range(lit, 10, 120);
    rlt_messages_destroy(messages);
    rlt_image_destroy(page);
    rlt_image_destroy(small_one);
}

/* The scalp's colour covers the skin between roots that are far apart, and ends soon beyond the outermost. */
static void test_scalp_ends(void **state) {
    (void)state;
    enum { SIDE = 7, ROOTS = SIDE * SIDE, PLACES = 4 };
    const double apart = 3.0, edge = 9.0;
    const double vertices[3 * PLACES] = {1.5, 0, 1.5, edge, 0, 0, edge + 2.0, 0, 0, edge + 6.0, 0, 0};
    const int triangles[6] = {0, 1, 2, 1, 2, 3};
    double points[ROOTS * 2 * 3];
    int first[ROOTS + 1];
    for (int s = 0; s < ROOTS; s++) {
        const double hair[6] = {apart * (s % SIDE) - edge, 0, apart * (s / SIDE) - edge, 0, 9, 0};
        memcpy(points + (size_t)6 * (size_t)s, hair, sizeof hair);
        first[s] = 2 * s;
    }
    first[ROOTS] = 2 * ROOTS;
    const rlt_frame_view view = {.size = sizeof view,
                                 .strand_count = ROOTS,
                                 .point_count = 2 * ROOTS,
                                 .first = first,
                                 .points = points,
                                 .vertex_count = PLACES,
                                 .triangle_count = 2,
                                 .vertices = vertices,
                                 .triangles = triangles};
    const rlt_render_def def = rlt_render_defaults();
    const rlti_dress dress = {0};
    rlti_mesh_shape body;
    rlti_pool *pool = rlti_pool_create(2);
    assert_non_null(pool);
    assert_int_equal(rlti_mesh_shape_create(&body, &view, &def, &dress, pool, NULL), RLT_OK);
    assert_true(body.scalp[0] > 0.99f && body.scalp[1] > 0.99f);
    assert_true(body.scalp[2] < 0.01f && body.scalp[3] < 0.01f);
    rlti_mesh_shape_destroy(&body);
    rlti_pool_destroy(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_embree),
        cmocka_unit_test(test_preview),
        cmocka_unit_test(test_preview_is_as_light),
        cmocka_unit_test(test_preview_points),
        cmocka_unit_test(test_scalp_ends),
        cmocka_unit_test(test_paste_and_label),
        cmocka_unit_test(test_any_threads),
        cmocka_unit_test(test_files_for_any_threads),

        cmocka_unit_test(test_looks_of_sections),
        cmocka_unit_test(test_cloud_is_the_mean),
        cmocka_unit_test(test_any_number_of_samples),
        cmocka_unit_test(test_cloud_of_some_hairs),
        cmocka_unit_test(test_thin_hairs),
        cmocka_unit_test(test_things_are_seen),
        cmocka_unit_test(test_motion),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_odd_input),
        cmocka_unit_test(test_thinned_points),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_png),
        cmocka_unit_test(test_unwritable),
    };
    return cmocka_run_group_tests(tests, make_world, remove_world);
}
