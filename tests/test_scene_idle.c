/* Warnings of values that nothing reads; what a preset gives is nobody's mistake. */
#include "scene_fixture.h"

/* Scenes of which nothing is said. */
static void assert_silent(fixture *f, const char *const scenes[], size_t count) {
    for (size_t i = 0; i < count; i++) {
        rlt_scene_destroy(f->scene);
        f->scene = NULL;
        load_good(f, scenes[i]);
        assert_messages(f, NULL, 0);
    }
}

static void test_idle_values(void **state) {
    fixture *f = *state;
    static const bad cases[] = {
        {"hair: {count: 1, points_per_turn: 9, segment: 2}\n",
         "s.yaml:1:47: hair.segment = 2: does nothing: hair.points_per_turn says how many points there are; "
         "set that, or set it to 0"},
        {"hair: {count: 1, style: straight, radius: 2}\n",
         "s.yaml:1:43: hair.radius = 2: does nothing with style: straight; set hair.style to wavy or helix, "
         "or "
         "remove it"},
        {"hair: {count: 3, preset: redhead, resample: 8}\n",
         "s.yaml:1:45: hair.resample = 8: does nothing without a groom from a file; give hair.file"},
        {"hair: {preset: redhead, strands: [[[0, 0, 0], [0, 1, 0], [0, 2, 0]]], length: 3, region: none}\n",
         "s.yaml:1:79: hair.length = 3: does nothing: strands are given point by point; remove it"},
        {"hair: {preset: redhead, file: groom.usda, count: 5}\ncharacter: {kind: head}\n",
         "s.yaml:1:50: hair.count = 5: does nothing: the groom comes from a file; remove it"},
        {"hair: {preset: redhead, file: groom.usda, region: scalp}\ncharacter: {kind: head}\n",
         "s.yaml:1:51: hair.region = \"scalp\": does nothing: roots from a file are bound where they are "
         "(hair.bind); remove it"},
        {"hair: {count: 5, preset: redhead, density: 2}\n",
         "s.yaml:1:44: hair.density = 2: does nothing: hair.count says how many strands there are; set that "
         "to 0, or remove it"},
        {"hair: {count: 5, preset: redhead, tie: {position: [0, 1, 2]}}\n",
         "s.yaml:1:51: hair.tie.position = [0, 1, 2]: does nothing without a tie; set hair.tie.style to "
         "ponytail or bun, or remove it"},
        {"motion: {kind: spin, amount: 2}\nhair: {count: 1}\n",
         "s.yaml:1:30: motion.amount = 2: does nothing with this motion.kind, which has its own measures; "
         "remove it"},
        {"motion: {kind: shake, speed: 2}\nhair: {count: 1}\n",
         "s.yaml:1:30: motion.speed = 2: does nothing: only walk and walk-shake have a speed (motion.kind); "
         "remove it"},
        {"hair: {count: 1, preset: 3b, fill: {clump: 0.3}}\n",
         "s.yaml:1:44: hair.fill.clump = 0.3: does nothing with blend: wisps; set hair.fill.blend to locks, "
         "or remove it"},
        {"hair: {count: 1, fill: {blend: points, phase: 3, clump: 0.3}}\n",
         "s.yaml:1:47: hair.fill.phase = 3: does nothing with blend: points; set hair.fill.blend to locks, "
         "or remove it"},
        {"hair: {count: 1, fill: {blend: curls, locks: 3, clump: 0.3}}\n",
         "s.yaml:1:46: hair.fill.locks = 3: does nothing with blend: curls; set hair.fill.blend to locks, or "
         "remove it"},
    };
    assert_warnings(f, cases, sizeof cases / sizeof cases[0]);
}

/* Gravity that is not the earth's, where the groom is in balance with whatever there is. */
static void test_idle_gravity(void **state) {
    fixture *f = *state;
    static const bad cases[] = {
        {"gravity: [0, -98, 0]\nhair: {count: 1, sag: {mode: solve}}\n",
         "s.yaml:1:10: gravity = [0, -98, 0]: does not change how hair hangs: hair.sag.mode is solve, so the "
         "groom is where it rests under any gravity; set it to off to let hair fall"},
    };
    static const char *const silent[] = {
        "gravity: [0, -981, 0]\nhair: {count: 1, sag: {mode: solve}}\n",
        "gravity: [0, -9.8, 0]\nunits: {metres_per_unit: 1}\nhair: {count: 1, sag: {mode: solve}}\n",
        "gravity: [0, 98, 0]\nhair: {count: 1, sag: {mode: off}}\n",
    };
    assert_warnings(f, cases, 1);
    assert_silent(f, silent, sizeof silent / sizeof silent[0]);
}

/* Hair that is combed, but does not hang, is a bun that nobody asked for. */
static void test_combed_hair_hangs(void **state) {
    fixture *f = *state;
    static const bad cases[] = {
        {"character: {kind: head}\nhair: {count: 1, style: wavy, comb: 0.5, length: 30, fall: 0.3}\n",
         "s.yaml:2:60: hair.fall = 0.3: hair that is combed and does not fall winds up behind the ears; set "
         "hair.fall to 0.8 or more, or hair.comb to 0"},
    };
    static const char *const silent[] = {
        "character: {kind: head}\nhair: {count: 1, style: wavy, comb: 0.5, length: 30, fall: 0.8}\n",
        "character: {kind: head}\nhair: {count: 1, style: wavy, comb: 0.5, length: 8, fall: 0.3}\n",
        "character: {kind: head}\nhair: {count: 1, style: wavy, comb: 0, length: 30, fall: 0.3}\n"};
    assert_warnings(f, cases, 1);
    assert_silent(f, silent, sizeof silent / sizeof silent[0]);
}

/* A factor on no wind; a wind that is given as 0 was asked for. */
static void test_idle_wind(void **state) {
    fixture *f = *state;
    static const bad cases[] = {
        {"hair: {count: 1}\nwind: {strength: 5}\n",
         "s.yaml:2:18: wind.strength = 5: does nothing: there is no wind; give wind.velocity or "
         "wind.turbulence"},
        {"hair: {count: 1}\nwind: {turbulence: 3, gust_strength: 0.5}\n",
         "s.yaml:2:38: wind.gust_strength = 0.5: does nothing: gusts are of the steady wind, and there is "
         "none; "
         "give wind.velocity"},
        {"hair: {count: 1}\nwind: {velocity: [9, 0, 0], turbulence_length: 2, strength: 2}\n",
         "s.yaml:2:48: wind.turbulence_length = 2: does nothing: there is no turbulence; give "
         "wind.turbulence"},
    };
    static const char *const silent[] = {
        "hair: {count: 1}\nwind: {velocity: [0, 0, 0], strength: 5, gust_strength: 1, gust_period: 3}\n",
        "hair: {count: 1}\nwind: {turbulence: 0, strength: 5, turbulence_length: 3}\n",
        "hair: {count: 1}\nwind: {turbulence: 4, strength: 5, turbulence_length: 3}\n",
        "hair: {count: 1}\nwind: {velocity: [0, 0, 9], strength: [[1, 1], [6, 0]], gust_strength: 1}\n"};
    assert_warnings(f, cases, sizeof cases / sizeof cases[0]);
    assert_silent(f, silent, sizeof silent / sizeof silent[0]);
}

/* Values that an override of their neighbour has made idle serve the scene as it is without. */
static void test_idle_beside_override(void **state) {
    fixture *f = *state;
    static const char text[] = "motion: {kind: walk, amount: 2, speed: 9}\n"
                               "hair: {density: 1, tie: {style: bun, size: 3}, fill: {clump: 0.3}}\n";
    static const char *const set[] = {"hair.count=2", "hair.tie.style=none", "hair.fill.blend=wisps",
                                      "motion.kind=still"};
    static const char *const idle[] = {"hair.fill.blend=wisps", "hair.fill.phase=3"};
    static const char *const said =
        "--set:1:17: hair.fill.phase = 3: does nothing with blend: wisps; set hair.fill.blend to locks, or "
        "remove it";
    assert_int_equal(load_with(f, text, set, 4), RLT_OK);
    assert_messages(f, NULL, 0);
    assert_int_equal(load_with(f, "hair: {count: 1}\n", idle, 2), RLT_OK);
    assert_messages(f, &said, 1);
}

/* Values of another strand model. */
static void test_idle_model(void **state) {
    fixture *f = *state;
    static const bad cases[] = {
        {"hair: {count: 1, model: rod, formulation: paper}\n",
         "s.yaml:1:43: hair.formulation = \"paper\": does nothing: model rod does not read it; set "
         "hair.rod.gradient instead"},
        {"hair: {count: 1, model: rod, preset: redhead, core: {damping: 5}}\n",
         "s.yaml:1:63: hair.core.damping = 5: does nothing: model rod does not read it; set hair.rod.damping "
         "instead"},
        {"hair: {count: 1, model: rod, sag: {mode: solve, limit: 2}}\n",
         "s.yaml:1:56: hair.sag.limit = 2: does nothing: model rod does not read it; remove it: a rod is "
         "stiffened where its equilibrium is not stable"},
        {"hair: {file: g.usda, model: rod, segment_floor: 0.5}\ncharacter: {kind: head}\n",
         "s.yaml:1:49: hair.segment_floor = 0.5: does nothing: model rod does not read it; remove it: rods "
         "are stable with segments of any length"},
        {"hair: {count: 1, model: rod, collide: {stiffness: 5}}\n",
         "s.yaml:1:51: hair.collide.stiffness = 5: does nothing: model rod does not read it; remove it: "
         "bodies do not give way to rods"},
        {"hair: {count: 1, model: rod, rod: {young: 4e9}, bend: {stiffness: 5}}\n",
         "s.yaml:1:67: hair.bend.stiffness = 5: does nothing: model rod has a material of its own "
         "(hair.rod); "
         "set hair.rod.young instead"},
        {"hair: {count: 1, rod: {young: 4}}\n", /* nor is it refused */
         "s.yaml:1:31: hair.rod.young = 4: does nothing: model taz does not read it; set hair.model to rod "
         "or coil, "
         "or remove it"},
        {"time: {outer_steps: 30}\nhair: {count: 1, model: rod}\n",
         "s.yaml:1:21: time.outer_steps = 30: does nothing: all hair is of model rod, which does not read "
         "it; "
         "set hair.rod.steps instead"},
        {"health: {check_steps: off}\nhair: {count: 1, model: rod}\n",
         "s.yaml:1:23: health.check_steps = \"off\": does nothing: all hair is of model rod, which does not "
         "read it; remove it: rods are stable in steps of any length"},
        {"time: {outer_steps: 30}\nhair: [{count: 1, model: rod, rod: {steps: 8}}, {count: 1}]\n",
         "s.yaml:2:44: hair[0].rod.steps = 8: acts as 30: other hair of the scene takes so many steps a "
         "frame; remove it"},
        {"hair: {count: 1, link: {count: 2}}\n", "s.yaml:1:32: hair.link.count = 2: does nothing: model taz "
                                                 "does not read it; set hair.model to rod or coil, "
                                                 "or remove it"},
        {"hair: {count: 1, model: rod, link: {count: 2, reach: 3}}\n",
         "s.yaml:1:44: hair.link.count = 2: does nothing: links are solved with contacts; set "
         "hair.contact.method to solve"},
        {"hair: {count: 1, model: rod, link: {fade: 2}, contact: {method: solve}}\n",
         "s.yaml:1:43: hair.link.fade = 2: does nothing: there are no links; set hair.link.count, or remove "
         "it"},
        {"hair: {count: 1, model: rod, link: {count: 2}, contact: {method: solve, enabled: off}}\n",
         "s.yaml:1:44: hair.link.count = 2: does nothing: this hair has no contacts to be solved with; set "
         "hair.contact.enabled to on"},
    };
    assert_warnings(f, cases, sizeof cases / sizeof cases[0]);
    /* what is converted, what is blended in those frames, what any model may read, and what is no hair */
    static const char *const good[] = {
        "hair: {count: 1, model: rod, bend: {stiffness: 5}, stretch: {limit: 1.2}}\n",
        "hair: {count: 1, model: rod, link: {count: 2, fade: 3}, contact: {method: solve}}\n",
        ("hair: [{count: 1, model: rod, bend: {smoothing: 5}, rod: {young: 4e9}, reshape: {groom: b}}, "
         "{name: b, role: shape, count: 1, bend: {stiffness: 1}, rod: {young: 4e9}}]\n"),
        "hair: {count: 1, model: mine, rod: {young: 4e9}, core: {damping: 5}}\n",
        "time: {outer_steps: 30, force_steps: 4}\nhair: [{count: 1, model: rod}, {count: 1}]\n",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(load_with(f, good[i], NULL, 0), RLT_OK);
        assert_messages(f, NULL, 0);
    }
}

/* Where an override changes the model of a scene, the values that serve the other are named at once; an
 * override of all sections is reported once. */
static void test_idle_by_override(void **state) {
    fixture *f = *state;
    static const char *const set[] = {"hair.model=rod", "hair.collide.damping=3"};
    static const char *const messages[] = {
        "--set:1:12: hair[0].model = \"rod\": does not read all that the scene gives for another model: "
        "hair.core.damping, hair.core.blend; give its own values (hair.rod) where they matter",
        "--set:1:12: hair[0].model = \"rod\": no hair is left that reads time.outer_steps, time.force_steps",
        "--set:1:22: hair[0].collide.damping = 3: does nothing: model rod does not read it; remove it: "
        "bodies "
        "do not give way to rods"};
    assert_int_equal(load_with(f,
                               "time: {outer_steps: 30, force_steps: 4}\n"
                               "hair:\n- &a {count: 1, core: {damping: 5, blend: [1, 2]}}\n- *a\n",
                               set, 2),
                     RLT_OK);
    assert_messages(f, messages, 3);
    assert_int_equal(rlt_messages_severity(f->messages, 0), RLT_WARNING);
    assert_int_equal(rlt_messages_severity(f->messages, 1), RLT_NOTE);
    static const char *const second[] = {"hair[1].model=rod"};
    static const char *const note =
        "--set:1:15: hair[1].model = \"rod\": no hair is left that reads time.outer_steps";
    assert_int_equal(
        load_with(f, "time: {outer_steps: 30}\nhair: [{role: shape, count: 1}, {count: 1}]\n", second, 1),
        RLT_OK);
    assert_messages(f, &note, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_idle_values),          TEST(test_idle_wind),
        TEST(test_idle_gravity),         TEST(test_combed_hair_hangs),
        TEST(test_idle_beside_override), TEST(test_idle_model),
        TEST(test_idle_by_override),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
