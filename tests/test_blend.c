/* Simulation blended with the animation of a groom's file (scenes/files/blend.yaml): where the map says 1 it
 * is the animation, below that it follows the more loosely the less it says. */
#include <unistd.h>

#include "run_fixture.h"

#define SCENE RLT_SOURCE_DIR "/scenes/files/blend.yaml"
#define PINS  "constraints=[{kind: pin, target: file, hold: hard}]"

/* The animation swings with a period of 24 frames: at its end, and back in its first pose. */
enum { STRANDS = 12, POINTS = 9, SWUNG = 19, BACK = 25 };

static void begin(run *r, const char *setting, int threads) {
    *r = (run){.messages = rlt_messages_create()};
    rlt_simulation_def def = {.size = sizeof def, .threads = threads};
    rlt_status status = rlt_scene_load_file(SCENE, &setting, setting != NULL, r->messages, &r->scene);
    if (status == RLT_OK)
        status = rlt_simulation_create(r->scene, &def, r->messages, &r->simulation);
    for (int i = 0; i < rlt_messages_count(r->messages) && status != RLT_OK; i++)
        print_message("%s\n", rlt_messages_text(r->messages, i));
    assert_int_equal(status, RLT_OK);
}

/* Points of frame SWUNG, to be freed; *from_rest is the greatest distance from the groom at BACK. */
static double *swung(const char *setting, double *from_rest) {
    run r;
    begin(&r, setting, 1);
    run_frames(&r, SWUNG - 1);
    double *points = run_points(&r);
    run_frames(&r, BACK - SWUNG);
    rlt_frame_view view = run_view(&r);
    assert_int_equal(view.point_count, STRANDS * POINTS);
    *from_rest = 0.0;
    for (int p = 0; p < view.point_count; p++)
        *from_rest = fmax(*from_rest, run_distance(view.points + 3 * (size_t)p, view.rest + 3 * (size_t)p));
    run_end(&r);
    return points;
}

/* Mean distance of the points at this place along the strands. */
static double apart(const double *a, const double *b, int point) {
    double sum = 0.0;
    for (int s = 0; s < STRANDS; s++) {
        size_t at = 3 * (size_t)(s * POINTS + point);
        sum += run_distance(a + at, b + at);
    }
    return sum / STRANDS;
}

static void the_map_says_how_much_follows(void **state) {
    double back[4];
    (void)state;
    double *animation = swung(PINS, &back[0]), *all = swung("constraints[0].ramp=1", &back[1]),
           *map = swung(NULL, &back[2]), *free_hair = swung("constraints=[]", &back[3]);
    print_message("by the map, from root to tip, off the animation by");
    for (int p = 1; p < POINTS; p++)
        print_message(" %.3f", apart(map, animation, p));
    print_message("; tips by %.3f where all follows, %.1f where nothing does\n",
                  apart(all, animation, POINTS - 1), apart(free_hair, animation, POINTS - 1));
    assert_true(back[0] < 0.02 && back[1] < 0.02); /* the animation itself */
    assert_true(back[3] > 3.0);
    for (int p = 1; p < POINTS; p++)
        assert_true(apart(all, animation, p) < 0.005);
    /* the map: 1 up to a quarter of the length, then falling to 0 at three quarters */
    assert_true(apart(map, animation, 2) < 0.005);
    for (int p = 3; p < POINTS; p++)
        assert_true(apart(map, animation, p) > apart(map, animation, p - 1));
    assert_true(apart(map, animation, 3) < 0.06 * apart(free_hair, animation, POINTS - 1));
    assert_true(apart(map, animation, POINTS - 1) > 2.0);
    free(animation);
    free(all);
    free(map);
    free(free_hair);
}

/* The law has no step in it. */
static void steps_do_not_show(void **state) {
    double back;
    (void)state;
    double *coarse = swung("time.outer_steps=20", &back), *fine = swung("time.outer_steps=60", &back);
    double worst = 0.0;
    for (int p = 1; p < POINTS; p++)
        worst = fmax(worst, apart(coarse, fine, p));
    print_message("a third of the steps moves points by %.4f units\n", worst);
    assert_true(worst < 0.1);
    free(coarse);
    free(fine);
}

static void threads_do_not_show(void **state) {
    run one, three;
    (void)state;
    begin(&one, NULL, 1);
    begin(&three, NULL, 3);
    run_frames(&one, 12);
    run_frames(&three, 12);
    assert_true(rlt_simulation_hash(one.simulation) == rlt_simulation_hash(three.simulation));
    run_end(&one);
    run_end(&three);
}

/* Generated hair has no animation but its root's. */
static void the_groom_leads_where_no_file_does(void **state) {
    static const char *const constraints[] = {"kind: blend, ramp: [[0.5, 1], [0.6, 0]]",
                                              "kind: blend, weight: 0"};
    run r[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        run_begin(&r[k], RLT_SIMD_AUTO, 1,
                  "time: {last: 20, outer_steps: 12, force_steps: 12, damping_steps: 6}\n"
                  "character: {kind: none}\n"
                  "hair: {preset: straight, region: none, contact: {enabled: off},\n"
                  "  strands: [[[0, 0, 0], [2, 0, 0], [4, 0, 0], [6, 0, 0], [8, 0, 0]]]}\n"
                  "constraints: {%s}\n",
                  constraints[k]);
        run_frames(&r[k], 15);
    }
    rlt_frame_view held = run_view(&r[0]), loose = run_view(&r[1]);
    assert_true(run_distance(held.points + 6, held.rest + 6) < 0.005);
    assert_true(run_distance(held.points + 12, held.rest + 12) > 1.0);
    assert_true(run_distance(loose.points + 6, loose.rest + 6) > 1.0);
    run_end(&r[0]);
    run_end(&r[1]);
}

static void assert_told(rlt_status wanted, const char *setting, const char *message) {
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    int told = 0;
    rlt_status status = rlt_scene_load_file(SCENE, &setting, 1, messages, &scene);
    if (status == RLT_OK)
        status = rlt_simulation_create(scene, NULL, messages, &simulation);
    assert_int_equal(status, wanted);
    for (int i = 0; i < rlt_messages_count(messages); i++)
        told = told || strstr(rlt_messages_text(messages, i), message) != NULL;
    if (!told)
        fail_msg("'%s' is not reported", message);
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
}

static void bad_ones_are_told(void **state) {
    (void)state;
    assert_told(RLT_BAD_INPUT, "constraints[0].ramp=attribute:folow",
                "blend.usda: /dancer/tail: constraints.ramp = attribute:folow: there is no such attribute; "
                "there are: widths, follow");
    assert_told(RLT_OK, "constraints[0].stiffness=3",
                "--set:1:26: constraints[0].stiffness: not used by kind blend: ramp and weight say how much "
                "hair follows");
    assert_told(RLT_BAD_INPUT, "constraints=[{name: a, kind: blend}, {name: b, kind: pin, hold: hard}]",
                "constraint 'b' conflicts with 'a'");
    assert_told(RLT_OK, "constraints=[{kind: blend, ramp: 0.9}, {kind: pin, hold: hard}]", "12 strands");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_map_says_how_much_follows),
        cmocka_unit_test(steps_do_not_show),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(the_groom_leads_where_no_file_does),
        cmocka_unit_test(bad_ones_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
