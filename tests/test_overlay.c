/* Overlays are drawn where they should be, in the colours of the key, and say what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "render/overlay.h"
#include "ringlet/ringlet.h"

#define SIZE   160
#define POINTS 5

/* Two strands straight down, at x = -4 and 4; everything of the diagnostics is known. */
typedef struct stage {
    double points[2 * POINTS * 3], widths[2 * POINTS], vertices[9];
    int first[3], triangles[3];
    double curve[2][2 * POINTS * 3], frames[2 * POINTS * 9], targets[2 * POINTS * 3];
    double values[4][2 * POINTS], radii[2 * POINTS];
    unsigned char particle[2 * POINTS];
    rlt_contact_spring spring;
    rlt_frame_view view;
    rlt_diagnostics d;
    rlt_render_camera camera;
} stage;

static stage *make_stage(void) {
    stage *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (int p = 0; p < 2 * POINTS; p++) {
        double x = p < POINTS ? -4.0 : 4.0, y = 8.0 - 4.0 * (p % POINTS);
        s->points[3 * p] = x;
        s->points[3 * p + 1] = y;
        s->widths[p] = 0.1;
        for (int k = 0; k < 2; k++) { /* beside the strand: smoothed by 1, core by 2 */
            s->curve[k][3 * p] = x + 1.0 + k;
            s->curve[k][3 * p + 1] = y;
        }
        s->frames[9 * p + 1] = -1.0; /* tangent down, normal to the right, binormal to the eye */
        s->frames[9 * p + 3] = 1.0;
        s->frames[9 * p + 8] = 1.0;
        s->targets[3 * p] = -3.0; /* to the left */
        s->values[0][p] = 1.0;
        s->radii[p] = 1.5;
        s->particle[p] = p % 2 == 0 ? RLT_PARTICLE_KEPT : RLT_PARTICLE_PRUNED;
    }
    s->first[1] = POINTS;
    s->first[2] = 2 * POINTS;
    s->spring = (rlt_contact_spring){2, POINTS + 2, 1.0};
    s->view = (rlt_frame_view){.size = sizeof(rlt_frame_view),
                               .strand_count = 2,
                               .point_count = 2 * POINTS,
                               .first = s->first,
                               .points = s->points,
                               .widths = s->widths};
    s->d = (rlt_diagnostics){.size = sizeof(rlt_diagnostics),
                             .strand_count = 2,
                             .point_count = 2 * POINTS,
                             .stretch = s->values[0],
                             .speed = s->values[1],
                             .penetration = s->values[2],
                             .twist = s->values[3],
                             .curvature = s->values[3],
                             .residual = s->values[3],
                             .smoothed = s->curve[0],
                             .core = s->curve[1],
                             .frame_origins = s->curve[0],
                             .frames = s->frames,
                             .targets = s->targets,
                             .radii = s->radii,
                             .particle = s->particle,
                             .spring_count = 1,
                             .springs = &s->spring};
    s->camera = (rlt_render_camera){.eye = {0, 0, 40}, .field_of_view = 30};
    return s;
}

static rlt_image *draw_with(stage *s, rlt_overlay_def *def) {
    rlt_image *image = rlt_image_create(SIZE, SIZE);
    assert_non_null(image);
    assert_int_equal(rlt_image_overlay(image, &s->camera, &s->view, &s->d, def, NULL), RLT_OK);
    return image;
}

static rlt_image *draw(stage *s, unsigned show) {
    rlt_overlay_def def = rlt_overlay_defaults();
    def.show = show;
    def.legend = 0;
    return draw_with(s, &def);
}

/* The shown light at a place of the world. */
static const float *at(const rlt_image *image, const stage *s, double x, double y, double z) {
    static float colour[3];
    double pixel[3];
    const double place[3] = {x, y, z};
    assert_int_equal(rlt_render_project(&s->camera, SIZE, SIZE, place, pixel), 1);
    memcpy(colour, image->rgba + 4 * ((size_t)pixel[1] * SIZE + (size_t)pixel[0]), sizeof colour);
    return colour;
}

static void assert_dark(const float *colour) {
    assert_true(colour[0] == 0.0f && colour[1] == 0.0f && colour[2] == 0.0f);
}

/* Brightest where `channel` says, and there at all. */
static void assert_hue(const float *colour, int channel) {
    for (int c = 0; c < 3; c++)
        if (c != channel && !(colour[channel] > 1.3f * colour[c] + 0.05f))
            fail_msg("(%g %g %g): channel %d is not the brightest", colour[0], colour[1], colour[2], channel);
}

enum { RED, GREEN, BLUE };

static void test_curves(void **state) {
    (void)state;
    stage *s = make_stage();
    rlt_image *image = draw(s, RLT_SHOW_GUIDES);
    assert_true(at(image, s, -4, 3, 0)[0] > 0.3f && at(image, s, 4, -5, 0)[1] > 0.3f);
    assert_dark(at(image, s, -3, 3, 0));
    assert_dark(at(image, s, -4, 8.5, 0)); /* beyond the root */
    assert_true(image->rgba[3] == 0.0f);
    rlt_image_destroy(image);
    image = draw(s, RLT_SHOW_SMOOTHED);
    assert_hue(at(image, s, -3, 3, 0), BLUE);
    assert_dark(at(image, s, -4, 3, 0));
    rlt_image_destroy(image);
    image = draw(s, RLT_SHOW_CORE | RLT_SHOW_SMOOTHED);
    assert_hue(at(image, s, 6, 3, 0), RED);
    assert_hue(at(image, s, 5, 3, 0), BLUE);
    rlt_image_destroy(image);
    free(s);
}

static void test_frames_and_targets(void **state) {
    (void)state;
    stage *s = make_stage();
    rlt_image *image = draw(s, RLT_SHOW_FRAMES);
    /* 0.8 of an edge long, from the smoothed curve */
    assert_hue(at(image, s, -3, 2.5, 0), RED);
    assert_hue(at(image, s, -1, 4, 0), GREEN);
    assert_dark(at(image, s, 0.5, 4, 0));
    rlt_image_destroy(image);
    image = draw(s, RLT_SHOW_TARGETS);
    assert_hue(at(image, s, -5.5, 4, 0), RED);
    assert_dark(at(image, s, -5.5, 2, 0));
    assert_dark(at(image, s, -5.5, -8, 0)); /* none at the tip */
    rlt_image_destroy(image);
    free(s);
}

static void test_contacts(void **state) {
    (void)state;
    stage *s = make_stage();
    rlt_image *image = draw(s, RLT_SHOW_CONTACTS);
    const float *spring = at(image, s, 0, 0, 0);
    assert_hue(spring, RED);
    const float *sphere = at(image, s, -5.5, 0, 0); /* where its outline is: yellow */
    assert_true(sphere[0] > 0.2f && sphere[1] > 0.2f && sphere[2] < 0.2f);
    const float *apart = at(image, s, -5.5, 8, 0); /* touches nothing: fainter, bluish */
    assert_true(apart[2] > apart[0] && apart[2] > 0.02f);
    assert_dark(at(image, s, -5.5, 4, 0)); /* left out */
    rlt_image_destroy(image);
    image = draw(s, RLT_SHOW_PRUNED);
    assert_hue(at(image, s, -4, 8, 0), GREEN);
    assert_hue(at(image, s, -4, 4, 0), RED);
    assert_dark(at(image, s, -4, 6, 0));
    rlt_image_destroy(image);
    free(s);
}

/* ---- values ---- */

/* Is the text in the picture, dot for dot? */
static int finds_text(const rlt_image *image, const char *text) {
    rlti_picture word = {0};
    rlti_colour white = {{1.0f, 1.0f, 1.0f}};
    int width = RLTI_LETTER_WIDTH * (int)strlen(text) - 1, height = RLTI_LETTER_HEIGHT;
    assert_int_equal(rlti_picture_create(&word, width, height, NULL), RLT_OK);
    rlti_draw_text(&word, text, 0, 0, 1, white);
    int found = 0;
    for (int y = 0; y + height <= image->height && !found; y++)
        for (int x = 0; x + width <= image->width && !found; x++) {
            int same = 1;
            for (int j = 0; j < height && same; j++)
                for (int i = 0; i < width && same; i++) {
                    const float *p =
                        image->rgba + 4 * ((size_t)(y + j) * (size_t)image->width + (size_t)(x + i));
                    int lit =
                        word.samples[(size_t)(2 * j) * (size_t)word.width + (size_t)(2 * i)].colour[0] > 0.5f;
                    same = lit == (p[0] > 0.6f && p[1] > 0.6f && p[2] > 0.6f);
                }
            found = same;
        }
    rlti_picture_destroy(&word);
    return found;
}

static void test_speed_and_its_scale(void **state) {
    (void)state;
    stage *s = make_stage();
    for (int p = POINTS; p < 2 * POINTS; p++)
        s->values[1][p] = 34.0; /* the right strand moves */
    rlt_overlay_def def = rlt_overlay_defaults();
    def.show = RLT_SHOW_SPEED | RLT_SHOW_GUIDES;
    rlt_image *image = draw_with(s, &def);
    assert_true(def.range == 50.0); /* the round number above */
    assert_hue(at(image, s, -4, 3, 0), BLUE);
    const float *fast = at(image, s, 4, 3, 0); /* 0.68 of the scale: from green to yellow */
    assert_true(fast[0] > 2.0f * fast[2] && fast[1] > 2.0f * fast[2]);
    assert_true(finds_text(image, "speed: cm/s") && finds_text(image, "50") && finds_text(image, "25"));
    assert_false(finds_text(image, "100"));
    rlt_image_destroy(image);

    /* in a movie the scale stays, though the hair calms down */
    s->values[1][POINTS] = 1.0;
    def.metres_per_unit = 1.0;
    image = draw_with(s, &def);
    assert_true(def.range == 50.0);
    assert_true(finds_text(image, "speed: m/s"));
    rlt_image_destroy(image);
    def = rlt_overlay_defaults();
    def.show = RLT_SHOW_SPEED;
    s->values[1][POINTS] = 1001.0;
    def.metres_per_unit = 0.3;
    image = draw_with(s, &def);
    assert_true(def.range == 2000.0);
    assert_true(finds_text(image, "2000") && finds_text(image, "speed: unit/s"));
    rlt_image_destroy(image);
    free(s);
}

static void test_stretch(void **state) {
    (void)state;
    stage *s = make_stage();
    s->values[0][0] = 1.2; /* first edge of the left strand */
    s->values[0][POINTS] = 0.9;
    rlt_overlay_def def = rlt_overlay_defaults();
    def.show = RLT_SHOW_STRETCH;
    rlt_image *image = draw_with(s, &def);
    assert_true(fabs(def.range - 0.2) < 1e-12);
    assert_hue(at(image, s, -4, 7, 0), RED);
    assert_hue(at(image, s, 4, 7, 0), BLUE);
    const float *plain = at(image, s, -4, 3, 0);
    assert_true(plain[0] > 0.4f && fabsf(plain[0] - plain[2]) < 0.1f);
    assert_true(finds_text(image, "0.8") && finds_text(image, "1.2") && finds_text(image, "stretch"));
    rlt_image_destroy(image);
    free(s);
}

/* Against rest there are two sides; strands without a number are dark, and do not count. */
static void test_twist_and_curvature(void **state) {
    (void)state;
    const rlt_show both[2] = {RLT_SHOW_TWIST, RLT_SHOW_CURVATURE};
    const char *const titles[2] = {"twist - rest: rad/cm", "curvature - rest: rad/cm"};
    for (int k = 0; k < 2; k++) {
        stage *s = make_stage();
        s->values[3][0] = s->values[3][1] = -0.04;
        s->values[3][2] = s->values[3][3] = s->values[3][4] = 0.03;
        for (int p = POINTS; p < 2 * POINTS; p++)
            s->values[3][p] = NAN;
        rlt_overlay_def def = rlt_overlay_defaults();
        def.show = (unsigned)both[k];
        rlt_image *image = draw_with(s, &def);
        assert_true(fabs(def.range - 0.05) < 1e-12);
        assert_hue(at(image, s, -4, 7, 0), BLUE);
        assert_hue(at(image, s, -4, -1, 0), RED);
        const float *none = at(image, s, 4, 7, 0);
        assert_true(none[0] > 0.0f && none[0] < 0.3f && none[0] == none[1] && none[0] == none[2]);
        assert_true(finds_text(image, titles[k]) && finds_text(image, "-0.05") && finds_text(image, "0.05"));
        rlt_image_destroy(image);
        free(s);
    }
}

/* By powers of ten: 1e-4 is in the middle of 1e-6 to 1e-2. What is infinite has the last colour. */
static void test_residual(void **state) {
    (void)state;
    stage *s = make_stage();
    for (int p = 0; p < 2 * POINTS; p++)
        s->values[3][p] = p < POINTS ? 1e-9 : 1e-4;
    s->values[3][POINTS - 1] = s->values[3][POINTS - 2] = HUGE_VAL;
    rlt_overlay_def def = rlt_overlay_defaults();
    def.show = RLT_SHOW_RESIDUAL;
    rlt_image *image = draw_with(s, &def);
    assert_true(fabs(def.range - 0.01) < 1e-12);
    assert_hue(at(image, s, -4, 7, 0), BLUE);
    assert_hue(at(image, s, -4, -6, 0), RED);
    assert_hue(at(image, s, 4, 7, 0), GREEN);
    assert_true(finds_text(image, "residual: of a segment") && finds_text(image, "1e-06") &&
                finds_text(image, "0.0001") && finds_text(image, "0.01"));
    rlt_image_destroy(image);
    s->values[3][0] = 0.02; /* one scale further */
    image = draw_with(s, &def);
    assert_true(fabs(def.range - 1.0) < 1e-12);
    assert_true(finds_text(image, "0.001"));
    rlt_image_destroy(image);
    free(s);
}

/* A wall in front of the left strand hides it, but not where it is just behind it and told to be inside. */
static void test_hidden_by_the_body(void **state) {
    (void)state;
    stage *s = make_stage();
    const double vertices[9] = {-12, -20, 1, 0, -20, 1, -6, 30, 1};
    const int triangle[3] = {0, 1, 2};
    memcpy(s->vertices, vertices, sizeof vertices);
    memcpy(s->triangles, triangle, sizeof triangle);
    s->view.vertex_count = 3;
    s->view.triangle_count = 1;
    s->view.vertices = s->vertices;
    s->view.triangles = s->triangles;
    for (int turn = 0; turn < 2; turn++) {
        rlt_image *image = draw(s, RLT_SHOW_GUIDES);
        assert_dark(at(image, s, -4, 3, 0));
        assert_true(at(image, s, 4, 3, 0)[0] > 0.3f);
        rlt_image_destroy(image);
        s->triangles[0] = 1; /* seen from behind it hides, too */
        s->triangles[1] = 0;
    }
    rlt_overlay_def def = rlt_overlay_defaults();
    def.show = RLT_SHOW_GUIDES;
    def.body = 0;
    rlt_image *image = draw_with(s, &def);
    assert_true(at(image, s, -4, 3, 0)[0] > 0.3f);
    rlt_image_destroy(image);

    s->values[2][1] = 1.0;
    image = draw(s, RLT_SHOW_PENETRATION);
    assert_true(at(image, s, -4, 4, 0)[0] > 0.3f); /* deepest: pink */
    assert_true(at(image, s, -4, 4, 0)[2] > at(image, s, -4, 4, 0)[1]);
    assert_dark(at(image, s, -4, -6, 0));
    rlt_image_destroy(image);
    free(s);
}

/* The picture below fades, and stays where nothing is drawn. */
static void test_ghost_and_bytes(void **state) {
    (void)state;
    stage *s = make_stage();
    rlt_image *images[2];
    for (int k = 0; k < 2; k++) {
        rlt_overlay_def def = rlt_overlay_defaults();
        def.show = RLT_SHOW_GUIDES | RLT_SHOW_FRAMES | RLT_SHOW_CONTACTS;
        def.ghost = 0.5;
        images[k] = rlt_image_create(SIZE, SIZE);
        for (int i = 0; i < 4 * SIZE * SIZE; i++)
            images[k]->rgba[i] = i % 4 == 3 ? 1.0f : 0.4f;
        assert_int_equal(rlt_image_overlay(images[k], &s->camera, &s->view, &s->d, &def, NULL), RLT_OK);
    }
    assert_memory_equal(images[0]->rgba, images[1]->rgba, sizeof(float) * 4 * SIZE * SIZE);
    const float *last = images[0]->rgba + 4 * (SIZE * SIZE - 1);
    assert_true(last[0] == 0.2f && last[3] == 0.5f);
    assert_true(finds_text(images[0], "no contact") && finds_text(images[0], "frames"));
    rlt_image_destroy(images[0]);
    rlt_image_destroy(images[1]);
    free(s);
}

/* Strands behind and around the eye are no trouble. */
static void test_camera_in_the_hair(void **state) {
    (void)state;
    stage *s = make_stage();
    s->camera.eye[2] = 0.0;
    s->camera.target[2] = -10.0;
    rlt_image *image = draw(s, 1023u & ~(unsigned)(RLT_SHOW_STRETCH | RLT_SHOW_SPEED));
    for (int i = 0; i < 4 * SIZE * SIZE; i++)
        assert_true(isfinite(image->rgba[i]));
    rlt_image_destroy(image);
    free(s);
}

static void refuse(stage *s, rlt_overlay_def def, const char *part) {
    rlt_messages *messages = rlt_messages_create();
    rlt_image *image = rlt_image_create(SIZE, SIZE);
    assert_int_equal(rlt_image_overlay(image, &s->camera, &s->view, &s->d, &def, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_messages_count(messages), 1);
    if (strstr(rlt_messages_text(messages, 0), part) == NULL)
        fail_msg("%s", rlt_messages_text(messages, 0));
    rlt_image_destroy(image);
    rlt_messages_destroy(messages);
}

/* One point held with 3 g, one exactly. The guides keep their colour. */
static void test_holds(void **state) {
    (void)state;
    stage *s = make_stage();
    int points[2] = {1, POINTS + 1};
    double forces[2] = {3.0, -1.0}, anchors[6] = {0, s->points[3 * points[0] + 1], 0, 8, 0, 0};
    anchors[4] = s->points[3 * points[1] + 1];
    s->d.hold_count = 2;
    s->d.hold_points = points;
    s->d.hold_anchors = anchors;
    s->d.hold_forces = forces;
    rlt_overlay_def def = rlt_overlay_defaults();
    def.show = RLT_SHOW_HOLDS | RLT_SHOW_GUIDES;
    rlt_image *image = draw_with(s, &def);
    assert_true(def.range == 5.0);
    const float *pulled = at(image, s, -2, anchors[1], 0); /* 0.6 of the scale: green to yellow */
    assert_true(pulled[0] > 0.3f && pulled[1] > 2.0f * pulled[2]);
    const float *exact = at(image, s, 6, anchors[4], 0);
    assert_true(exact[2] > 0.5f && exact[0] > 0.4f && exact[1] < 0.3f);
    const float *guide = at(image, s, -4, 3, 0);
    assert_true(guide[0] > 0.3f && fabsf(guide[0] - guide[2]) < 0.15f);
    assert_true(finds_text(image, "holds: g") && finds_text(image, "held exactly"));
    rlt_image_destroy(image);
    points[1] = 2 * POINTS;
    refuse(s, def, "a hold of a point that is not there");
    free(s);
}

/* A line along a force from where it acts, by powers of ten from 0.001 weights on, a dot that says whether it
 * slips, and the line of the other hair against it. */
static void test_forces(void **state) {
    (void)state;
    stage *s = make_stage();
    double places[6] = {-4, 0, 0, 4, 0, 0}, others[6] = {-4, -3, 0, 4, 0, 0};
    double vectors[6] = {0, 1e-3, 0, 0, 10, 0}, sizes[2] = {1e-3, 10};
    unsigned char slips[2] = {0, 1};
    s->d.force_count = 2;
    s->d.force_places = places;
    s->d.force_others = others;
    s->d.force_vectors = vectors;
    s->d.force_sizes = sizes;
    s->d.force_slips = slips;
    rlt_overlay_def def = rlt_overlay_defaults();
    def.show = RLT_SHOW_FORCES;
    rlt_image *image = draw_with(s, &def);
    assert_true(fabs(def.range - 10.0) < 1e-9);
    assert_true(finds_text(image, "force: weights of a hair") && finds_text(image, "sticks") &&
                finds_text(image, "slips") && finds_text(image, "0.001") && finds_text(image, "10"));
    assert_hue(at(image, s, 4, 0.8, 0), RED);
    assert_hue(at(image, s, -4, -3.15, 0), BLUE);
    rlt_image_destroy(image);
    s->d.force_sizes = NULL;
    refuse(s, def, "forces: the diagnostics do not hold it");
    free(s);
}

static void test_bad_input(void **state) {
    (void)state;
    stage *s = make_stage();
    rlt_overlay_def def = rlt_overlay_defaults();
    refuse(s, def, "show = 0");
    def.show = RLT_SHOW_SPEED | RLT_SHOW_STRETCH;
    refuse(s, def, "show one of them");
    def.show = RLT_SHOW_FRAMES;
    s->d.frames = NULL;
    refuse(s, def, "frames: the diagnostics do not hold it");
    def.show = RLT_SHOW_RESIDUAL;
    s->d.residual = NULL;
    refuse(s, def, "residual: the diagnostics do not hold it");
    def.show = RLT_SHOW_GUIDES;
    s->d.point_count--;
    refuse(s, def, "of another view");
    s->d.point_count++;
    s->spring.other = 2 * POINTS;
    refuse(s, def, "a point that is not there");
    s->spring.other = POINTS;
    s->camera.automatic = 1;
    refuse(s, def, "camera must stand");
    s->camera.automatic = 0;
    def.ghost = NAN;
    refuse(s, def, "ghost");
    free(s);
}

static void test_names(void **state) {
    (void)state;
    int count = 0;
    while (rlt_show_name(count) != NULL)
        count++;
    assert_int_equal(count, 15);
    assert_null(rlt_show_name(-1));
    assert_string_equal(rlt_show_name(3), "frames");
    assert_int_equal(RLT_SHOW_FRAMES, 1 << 3);
    assert_string_equal(rlt_show_name(9), "speed");
    assert_int_equal(RLT_SHOW_SPEED, 1 << 9);
    assert_string_equal(rlt_show_name(13), "residual");
    assert_int_equal(RLT_SHOW_RESIDUAL, 1 << 13);
    assert_string_equal(rlt_show_name(14), "forces");
    assert_int_equal(RLT_SHOW_FORCES, 1 << 14);
    assert_int_equal(RLT_SHOW_SIMULATION, 32767 & ~(RLT_SHOW_GUIDES | RLT_SHOW_STRETCH | RLT_SHOW_SPEED));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves),          cmocka_unit_test(test_frames_and_targets),
        cmocka_unit_test(test_contacts),        cmocka_unit_test(test_speed_and_its_scale),
        cmocka_unit_test(test_stretch),         cmocka_unit_test(test_hidden_by_the_body),
        cmocka_unit_test(test_ghost_and_bytes), cmocka_unit_test(test_camera_in_the_hair),
        cmocka_unit_test(test_bad_input),       cmocka_unit_test(test_names),
        cmocka_unit_test(test_holds),           cmocka_unit_test(test_twist_and_curvature),
        cmocka_unit_test(test_forces),          cmocka_unit_test(test_residual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
