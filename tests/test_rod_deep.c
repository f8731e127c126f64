/* Hair that begins in hair, or comes deep into it within a step: it is pushed out, comes to rest, and is told
 * of. */
#include "model_fixture.h"

/* Hairs with so many edges of this length, the first from the origin to the end: they go on side by side. */
static void write_strands(char *text, size_t size, int rows, int columns, int points, const double row[3],
                          const double column[3], const double edge[3]) {
    size_t used = 0;
    for (int k = 0; k < rows * columns; k++) {
        used += (size_t)snprintf(text + used, size - used, "%s[", k > 0 ? ", " : "");
        for (int i = 0; i < points; i++) {
            double x[3];
            for (int d = 0; d < 3; d++)
                x[d] = k / columns * row[d] + k % columns * column[d] + i * edge[d];
            used += (size_t)snprintf(text + used, size - used, "%s[%.6g, %.6g, %.6g]", i > 0 ? ", " : "",
                                     x[0], x[1], x[2]);
        }
        used += (size_t)snprintf(text + used, size - used, "]");
    }
    assert_true(used < size);
}

/* Roots that are nearer to each other than radii allow: no force moves them apart. Hair was shaken for ever,
 * at 270 units/s. */
static void roots_leave_no_space(void **state) {
    (void)state;
    char strands[8000];
    run r;
    write_strands(strands, sizeof strands, 1, 3, 40, (const double[3]){0, 0, 0},
                  (const double[3]){0.5, 0, 0.1}, (const double[3]){0, -0.25, 0});
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "time: {last: 60}\ncharacter: {kind: none}\nhair: {model: rod, contact: {method: solve, "
              "radius: 1, groom: push}, strands: [%s]}\n",
              strands);
    assert_int_equal(run_said(&r, "3 strands are nearer to their neighbours at the root than half of "
                                  "hair.contact.radius (first is strand 0, 0.51 units from the next root)"),
                     1);
    assert_int_equal(run_said(&r, "let the ramp of hair.contact.radius begin smaller"), 1);
    run_frames(&r, 60);
    assert_true(run_statistics(&r).fastest < 1.0);
    assert_true(run_statistics(&r).solved_deepest < 0.05);
    assert_true(run_statistics(&r).solved_unresolved < 1.0);
    run_end(&r);
}

/* Roots with space, and radii that begin small, are not spoken of. */
static void roots_with_space(void **state) {
    (void)state;
    static const char *const radii[] = {"0.2", "[[0, 0.05], [0.5, 1], [1, 1]]"};
    char strands[8000];
    write_strands(strands, sizeof strands, 1, 3, 40, (const double[3]){0, 0, 0},
                  (const double[3]){0.5, 0, 0.1}, (const double[3]){0, -0.25, 0});
    for (size_t k = 0; k < sizeof radii / sizeof *radii; k++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1,
                  "character: {kind: none}\nhair: {model: rod, contact: {method: solve, radius: %s, "
                  "groom: push}, strands: [%s]}\n",
                  radii[k], strands);
        assert_int_equal(run_said(&r, "at the root than half of"), 0);
        run_end(&r);
    }
}

/* One step a frame: hair that falls comes into other hair within a step, Newton is lost, and shorter steps
 * help. They were not taken for hair that is so deep, as if it had begun there, and it was up to 60 radii
 * deep. */
static void one_step_a_frame(void **state) {
    (void)state;
    char strands[24000];
    run r;
    write_strands(strands, sizeof strands, 3, 4, 60, (const double[3]){0, 0.5, 0},
                  (const double[3]){0, 0, 0.5}, (const double[3]){0.3, -0.01, 0});
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "time: {last: 30}\ncharacter: {kind: none}\n"
              "colliders: {kind: sphere, position: [4, -8, 0], radius: 3}\n"
              "hair: {model: rod, rod: {steps: 1}, collide: {friction: 0.5, thickness: 0.2},"
              " contact: {method: solve, radius: 0.2, groom: push}, strands: [%s]}\n",
              strands);
    int halved = 0;
    for (int f = 0; f < 30; f++) {
        run_frames(&r, 1);
        halved += run_statistics(&r).solved_halved;
        assert_true(run_statistics(&r).solved_deepest < 4.0);
        assert_true(run_statistics(&r).fastest < 1000.0);
    }
    assert_true(halved > 0);
    run_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_leave_no_space),
        cmocka_unit_test(roots_with_space),
        cmocka_unit_test(one_step_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
