/* Golden pictures: a few small scenes look as they looked when their pictures were stored. */
#define _DEFAULT_SOURCE
#include "golden_fixture.h"

#include <unistd.h>

#include "ringlet/ringlet.h"

#define SIZE 96

typedef struct golden_case {
    const char *name, *scene;
    const char *overrides[12]; /* after those that make all of them small */
    int frames;                /* simulated before the picture */
    int hairs;
    double azimuth;
    unsigned show; /* overlays */
    int white;     /* furnace: hair that absorbs nothing in light from everywhere */
} golden_case;

static const golden_case cases[] = {
    {.name = "straight",
     .scene = "straight",
     .overrides = {"hair.count=80", "hair.total_points=1200"},
     .frames = 1,
     .hairs = 1200,
     .azimuth = 30.0},
    {.name = "wavy",
     .scene = "wavy",
     .overrides = {"hair.count=80", "hair.total_points=1600"},
     .frames = 1,
     .hairs = 1200,
     .azimuth = -40.0},
    {.name = "redhead",
     .scene = "redhead",
     .overrides = {"hair.count=60", "hair.total_points=2400"},
     .frames = 1,
     .hairs = 1200,
     .azimuth = 25.0},
    {.name = "coil",
     .scene = "coil",
     .overrides = {"hair.count=50", "hair.total_points=2000", "time.outer_steps=20"},
     .frames = 1,
     .hairs = 1200,
     .azimuth = 20.0},
    {.name = "horse-mane",
     .scene = "horse-mane",
     .overrides = {"hair.count=80", "hair.total_points=1200"},
     .frames = 1,
     .hairs = 1200,
     .azimuth = 60.0},
    {.name = "furnace",
     .scene = "wavy",
     .overrides = {"hair.count=60", "hair.total_points=900"},
     .hairs = 1000,
     .azimuth = 180.0,
     .white = 1},
    {.name = "overlay",
     .scene = "redhead",
     .overrides = {"hair.count=8", "hair.total_points=240", "hair.contact.enabled=on"},
     .frames = 1,
     .hairs = 200,
     .azimuth = 25.0,
     .show = RLT_SHOW_GUIDES | RLT_SHOW_FRAMES | RLT_SHOW_CONTACTS | RLT_SHOW_SPEED},
};

/* Everything small and quick; the hair still falls, swings and meets the body. */
static const char *const all_small[] = {"time.preroll=0", "time.outer_steps=12", "character.resolution=12",
                                        "hair.contact.enabled=off"};

static rlt_scene *load(const golden_case *c) {
    const char *overrides[32];
    int count = 0;
    rlt_scene *scene = NULL;
    rlt_messages *messages = rlt_messages_create();
    for (size_t i = 0; i < sizeof all_small / sizeof all_small[0]; i++)
        overrides[count++] = all_small[i];
    for (int i = 0; c->overrides[i] != NULL; i++)
        overrides[count++] = c->overrides[i];
    rlt_status status = rlt_scene_load_embedded(c->scene, overrides, count, messages, &scene);
    for (int i = 0; i < rlt_messages_count(messages) && status != RLT_OK; i++)
        print_message("%s\n", rlt_messages_text(messages, i));
    assert_int_equal(status, RLT_OK);
    rlt_messages_destroy(messages);
    return scene;
}

static void make_white(rlt_render_def *def) {
    def->hair.eumelanin = def->hair.pheomelanin = 0.0;
    for (int i = 0; i < def->look_count; i++) {
        def->looks[i].eumelanin = def->looks[i].pheomelanin = 0.0;
        def->looks[i].dyed = 0;
    }
    def->key.colour[0] = def->key.colour[1] = def->key.colour[2] = 0.0;
    def->fill = def->rim = def->key;
    for (int i = 0; i < 3; i++)
        def->sky[i] = def->horizon[i] = def->floor[i] = def->background[0][i] = def->background[1][i] = 0.5;
    def->body = def->ground = 0;
}

static void draw_over(rlt_image *image, const rlt_render_camera *camera, const rlt_frame_view *view,
                      rlt_simulation *simulation, unsigned show) {
    rlt_diagnostics *diagnostics = NULL;
    rlt_overlay_def def = rlt_overlay_defaults();
    def.show = show;
    assert_int_equal(rlt_simulation_diagnose(simulation, NULL, &diagnostics), RLT_OK);
    assert_int_equal(rlt_image_overlay(image, camera, view, diagnostics, &def, NULL), RLT_OK);
    rlt_diagnostics_destroy(diagnostics);
}

static void take_picture(const golden_case *c, uint8_t *bytes) {
    rlt_scene *scene = load(c);
    rlt_simulation *simulation = NULL;
    rlt_simulation_def how = rlt_simulation_defaults();
    rlt_fill_def fill_def = rlt_fill_defaults();
    rlt_render_def def = rlt_render_defaults();
    rlt_fill *fill = NULL;
    rlt_render *render = NULL;
    rlt_image *image = NULL;
    rlt_frame_view view = {.size = sizeof view};
    how.threads = 2;
    rlt_scene_fill(scene, &fill_def);
    rlt_scene_look(scene, &def);
    fill_def.hairs = c->hairs;
    fill_def.width *= 4.0; /* fewer and wider hairs than a real head has */
    def.width = def.height = SIZE;
    def.samples = 6;
    def.draft = 1;
    def.seed = 5;
    def.camera.azimuth = c->azimuth;
    def.shutter = 0.5 / rlt_scene_frames_per_second(scene);
    if (c->white)
        make_white(&def);
    assert_int_equal(rlt_simulation_create(scene, &how, NULL, &simulation), RLT_OK);
    for (int f = 0; f < c->frames; f++)
        assert_int_equal(rlt_simulation_advance(simulation, NULL), RLT_OK);
    rlt_simulation_view(simulation, &view);
    assert_int_equal(rlt_fill_create(&view, &fill_def, NULL, &fill), RLT_OK);
    assert_int_equal(rlt_render_camera_fit(&view, SIZE, SIZE, &def.camera, NULL), RLT_OK);
    assert_int_equal(rlt_render_create(2, NULL, &render), RLT_OK);
    assert_int_equal(rlt_render_frame(render, &view, fill, &def, NULL, &image), RLT_OK);
    if (c->show != 0)
        draw_over(image, &def.camera, &view, simulation, c->show);
    rlt_image_bytes(image, 3, bytes);
    rlt_image_destroy(image);
    rlt_render_destroy(render);
    rlt_fill_destroy(fill);
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
}

static void golden_pictures(void **state) {
    (void)state;
    if (!rlt_render_available()) {
        print_message("built without Embree: nothing to compare\n");
        skip();
    }
    static uint8_t bytes[SIZE * SIZE * 3];
    int failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        take_picture(&cases[i], bytes);
        failed += !golden_check(cases[i].name, bytes, SIZE, SIZE);
    }
    assert_int_equal(failed, 0); /* all of them were told */
}

/* The measure sees what it should, and lets pass what it should. */
static void tolerance(void **state) {
    (void)state;
    static uint8_t a[100 * 100 * 3], b[100 * 100 * 3];
    memset(a, 100, sizeof a);
    memset(b, 100, sizeof b);
    assert_true(golden_is_close(golden_compare(a, b, 10000)));
    for (int i = 0; i < 45; i++)
        b[3 * 17 * i] = 130; /* some pixels far off */
    golden_difference d = golden_compare(a, b, 10000);
    assert_true(golden_is_close(d) && d.most == 30);
    for (int i = 0; i < 55; i++)
        b[3 * 17 * i + 1] = 130; /* too many */
    assert_false(golden_is_close(golden_compare(a, b, 10000)));
    memset(b, 101, sizeof b); /* all a little brighter */
    assert_false(golden_is_close(golden_compare(a, b, 10000)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tolerance),
        cmocka_unit_test(golden_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
