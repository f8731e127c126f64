/* Hair of the presets that hang leaves the face free: of the hairs of a picture as groomed, none hangs before
 * it. */
#include "run_fixture.h"

enum { BLOCK = 512 };

/* Whether a hair hangs in front of the face: between brows and chin, nearer to its middle than the outer
 * corners of the eyes, outside of the skin. */
static int hides_face(const float *at, int count) {
    for (int i = 0; i < count; i++) {
        const float *p = at + 3 * i;
        if (fabsf(p[0]) < 3.0f && p[1] < 1.0f && p[1] > -9.0f && p[2] > 9.0f)
            return 1;
    }
    return 0;
}

/* Hairs of a picture that hide the face. */
static int hidden_by(const char *preset, const char *groom) {
    run r;
    run_begin(
        &r, RLT_SIMD_AUTO, 1,
        "character: {resolution: 24}\nhair: {preset: %s, region: scalp, count: 450%s, sag: {mode: off}}\n",
        preset, groom);
    rlt_frame_view view = run_view(&r);
    rlt_fill_def def = rlt_fill_defaults();
    rlt_fill *fill = NULL;
    assert_int_equal(rlt_scene_fill(r.scene, &def), RLT_OK);
    def.hairs = 12000; /* enough to find strays, and soon done */
    assert_int_equal(rlt_fill_create(&view, &def, r.messages, &fill), RLT_OK);
    int size = rlt_fill_points(fill), hidden = 0;
    float *points = test_calloc((size_t)BLOCK * (size_t)size * 3, sizeof *points);
    float *widths = test_calloc((size_t)BLOCK * (size_t)size, sizeof *widths);
    int *counts = test_calloc(BLOCK, sizeof *counts);
    for (long long first = 0; first < rlt_fill_hairs(fill); first += BLOCK) {
        long long left = rlt_fill_hairs(fill) - first;
        int count = left < BLOCK ? (int)left : BLOCK;
        rlt_fill_block(fill, first, count, points, widths, counts);
        for (int i = 0; i < count; i++)
            hidden += hides_face(points + 3 * (size_t)size * (size_t)i, counts[i]);
    }
    print_message("%s%s: %d of %lld hairs in front of the face\n", preset, groom, hidden,
                  rlt_fill_hairs(fill));
    test_free(points);
    test_free(widths);
    test_free(counts);
    rlt_fill_destroy(fill);
    run_end(&r);
    return hidden;
}

static void faces_are_free(void **state) {
    static const char *const hanging[] = {"1a", "1b", "1c", "2a", "2b", "2c", "3a", "3b", "3c"};
    static const char *const parted[] = {"straight", "wavy", "redhead"}; /* as `ringlet new` writes them */
    (void)state;
    for (size_t k = 0; k < sizeof hanging / sizeof hanging[0]; k++)
        assert_int_equal(hidden_by(hanging[k], ""), 0);
    for (size_t k = 0; k < sizeof parted / sizeof parted[0]; k++)
        assert_int_equal(hidden_by(parted[k], ", total_points: 0, fall: 0.95, comb: 0.5"), 0);
}

/* What the test measures is there: hair that leaves the skin straight and is blended across the parting hangs
 * into the face. */
static void uncombed_hair_hides_it(void **state) {
    (void)state;
    assert_true(hidden_by("straight", ", fall: 0.95, comb: 0, fill: {parting: 180}") > 0);
    assert_true(hidden_by("2a", ", comb: 0, fill: {parting: 180}") > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_are_free),
        cmocka_unit_test(uncombed_hair_hides_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
