/* Hair sections that are filled each in its own way (rlt_fill_def.sections, rlt_scene_section_fill). */
#include "run_fixture.h"

static const char scene_text[] =
    "character: {resolution: 24}\n"
    "hair:\n"
    "  - {name: long, region: scalp, count: 30, length: 20, points_per_turn: 0, segment: 1, radius: 0,\n"
    "     fill: {per_guide: 20, blend: locks}}\n"
    "  - {name: coat, region: scalp, count: 50, length: 4, segment: 1, radius: 0, seed: 7,\n"
    "     fill: {per_guide: 8, blend: points, width: 3, outside: off}}\n";

typedef struct whole {
    run r;
    rlt_frame_view view;
    rlt_fill_def def, sections[2];
    rlt_fill *fill;
} whole;

static void begin(whole *w) {
    run_begin(&w->r, RLT_SIMD_AUTO, 1, "%s", scene_text);
    w->view = run_view(&w->r);
    w->def = rlt_fill_defaults();
    assert_int_equal(rlt_scene_fill(w->r.scene, &w->def), RLT_OK);
    assert_int_equal(rlt_scene_fill_sections(w->r.scene), 2);
    for (int k = 0; k < 2; k++) {
        w->sections[k] = rlt_fill_defaults();
        assert_int_equal(rlt_scene_section_fill(w->r.scene, k, &w->sections[k]), RLT_OK);
    }
    assert_int_equal(rlt_scene_section_fill(w->r.scene, 2, &w->def), RLT_BAD_INPUT);
    w->def.points = 0;
    w->def.sections = w->sections;
    w->def.section_count = 2;
}

static void create(whole *w) {
    assert_int_equal(rlt_fill_create(&w->view, &w->def, w->r.messages, &w->fill), RLT_OK);
}

static void end(whole *w) {
    rlt_fill_destroy(w->fill);
    run_end(&w->r);
}

static void each_section_has_its_own(void **state) {
    (void)state;
    whole w;
    begin(&w);
    create(&w);
    long long hairs = rlt_fill_hairs(w.fill);
    assert_int_equal(hairs, 30 * 20 + 50 * 8);
    size_t n = (size_t)rlt_fill_points(w.fill);
    assert_true(n >= 20 && n <= 24);
    float *points = test_calloc((size_t)hairs * n * 3, sizeof *points);
    float *widths = test_calloc((size_t)hairs * n, sizeof *widths);
    int *counts = test_calloc((size_t)hairs, sizeof *counts);
    for (int frame = 0; frame < 2; frame++) {
        int of[2] = {0, 0}, early[2] = {0, 0};
        rlt_fill_block(w.fill, 0, (int)hairs, points, widths, counts);
        for (int h = 0; h < (int)hairs; h++) {
            int guide = rlt_fill_guide(w.fill, h), section = w.view.hair[guide];
            assert_true(guide < 80 && section == (guide >= 30));
            assert_true(counts[h] <= (section ? 6 : 24)); /* a short coat has few points */
            float wide = section ? 3.0f : 1.0f;
            assert_true(fabsf(widths[(size_t)h * n] - wide * 0.05f) < 0.03f * wide);
            of[section]++;
            early[section] += h < 100;
        }
        assert_int_equal(of[0], 600);
        assert_int_equal(of[1], 400);
        assert_int_equal(early[0], 60); /* the first hundred stand for all */
        assert_int_equal(rlt_fill_frame(w.fill, &w.view, w.r.messages), RLT_OK);
    }
    test_free(points);
    test_free(widths);
    test_free(counts);
    end(&w);
}

static void a_number_of_hairs_is_shared_out(void **state) {
    (void)state;
    whole w;
    begin(&w);
    w.def.hairs = 500;
    create(&w);
    int of[2] = {0, 0};
    for (long long h = 0; h < rlt_fill_hairs(w.fill); h++)
        of[w.view.hair[rlt_fill_guide(w.fill, h)]]++;
    assert_int_equal(of[0], 300);
    assert_int_equal(of[1], 200);
    end(&w);
}

static void bad_sections_are_told(void **state) {
    (void)state;
    whole w;
    begin(&w);
    w.sections[1].neighbours = 0;
    assert_int_equal(rlt_fill_create(&w.view, &w.def, w.r.messages, &w.fill), RLT_BAD_INPUT);
    assert_true(rlt_messages_count(w.r.messages) > 0);
    w.sections[0].size = 0;
    assert_int_equal(rlt_fill_create(&w.view, &w.def, w.r.messages, &w.fill), RLT_BAD_INPUT);
    assert_null(w.fill);
    end(&w);
}

static void sections_that_say_the_same_are_one(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, "%s",
              "character: {resolution: 24}\n"
              "hair:\n"
              "  - {name: a, region: scalp, count: 9, radius: 0, fill: {count: 300, clump: 0.5}}\n"
              "  - {name: b, region: scalp, count: 9, radius: 0, fill: {count: 700, clump: 0.5}}\n");
    rlt_fill_def def = rlt_fill_defaults();
    assert_int_equal(rlt_scene_fill_sections(r.scene), 0);
    assert_int_equal(rlt_scene_fill(r.scene, &def), RLT_OK);
    assert_int_equal(def.hairs, 700); /* of all together, the largest that one says */
    run_end(&r);
}

static rlt_fill_def fill_of(const char *text) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, "%s", text);
    rlt_fill_def def = rlt_fill_defaults();
    assert_int_equal(rlt_scene_fill(r.scene, &def), RLT_OK);
    run_end(&r);
    return def;
}

/* A preset's wisps leave skin between them on the way to a tie. */
static void tied_wisps_are_locks_unless_asked_for(void **state) {
    (void)state;
#define TIED "character: {resolution: 24}\nhair: {count: 9, preset: 3b, tie: {style: ponytail}"
    rlt_fill_def def = fill_of(TIED "}\n");
    assert_int_equal(def.blend, RLT_FILL_LOCKS);
    assert_float_equal(def.lock_radius, 1.4 * 0.175, 1e-12);
    def = fill_of(TIED ", fill: {lock_radius: 0.3}}\n");
    assert_float_equal(def.lock_radius, 0.3, 1e-12);
    def = fill_of(TIED ", fill: {blend: wisps}}\n");
    assert_int_equal(def.blend, RLT_FILL_WISPS);
    def = fill_of("character: {resolution: 24}\nhair: {count: 9, preset: 3b}\n");
    assert_int_equal(def.blend, RLT_FILL_WISPS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_section_has_its_own),
        cmocka_unit_test(a_number_of_hairs_is_shared_out),
        cmocka_unit_test(bad_sections_are_told),
        cmocka_unit_test(sections_that_say_the_same_are_one),
        cmocka_unit_test(tied_wisps_are_locks_unless_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
