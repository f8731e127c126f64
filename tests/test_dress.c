/* Paint on generated characters: on the sides of the head, where only the ears' folds are drawn, it has no
 * edges; the horse is a bay; the bust goes on without stripes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "render/dress.h"

static float differ(rlti_f3 a, rlti_f3 b) {
    return fmaxf(fabsf(a.x - b.x), fmaxf(fabsf(a.y - b.y), fabsf(a.z - b.z)));
}

static void sides_have_no_edges(void **state) {
    (void)state;
    const float step = 0.05f; /* [unit], a pixel of a close-up */
    float most = 0.0f, ears = 0.0f;
    for (float x = 5.6f; x < 8.0f; x += 0.3f)
        for (float y = -10.0f; y < 4.5f; y += step)
            for (float z = -9.0f; z < 6.0f; z += step) {
                rlti_f3 at = rlti_dress_at(rlti_f3_of(x, y, z), 0).tint;
                float *to = x > 6.5f && y > -2.5f && y < 3.0f && z > -3.2f && z < 0.6f ? &ears : &most;
                *to = fmaxf(*to, differ(at, rlti_dress_at(rlti_f3_of(x, y + step, z), 0).tint));
                *to = fmaxf(*to, differ(at, rlti_dress_at(rlti_f3_of(x, y, z + step), 0).tint));
                *to = fmaxf(*to, differ(at, rlti_dress_at(rlti_f3_of(x + step, y, z), 0).tint));
            }
    print_message("tints of neighbours differ by %.3f at most, on ears by %.3f\n", (double)most,
                  (double)ears);
    assert_true(most < 0.1f && ears < 0.25f);
}

static void horses_have_dark_legs(void **state) {
    (void)state;
    rlti_makeup flank = rlti_dress_at(rlti_f3_of(28.0f, 120.0f, 0.0f), 1);
    rlti_makeup cannon = rlti_dress_at(rlti_f3_of(16.0f, 30.0f, 41.0f), 1);
    rlti_makeup muzzle = rlti_dress_at(rlti_f3_of(3.0f, 144.0f, 145.0f), 1);
    assert_true(flank.tint.x == 1.0f && flank.coat == 1.0f && flank.cloth == 0.0f);
    assert_true(cannon.tint.x < 0.3f && muzzle.tint.x < 0.5f);
    assert_true(rlti_dress_at(rlti_f3_of(10.5f, 180.0f, 114.0f), 1).tint.x < 0.2f); /* an eye */
}

/* Normals that each lean to one side by themselves lean less where the bust is drawn down: what they differ
 * by would be a stripe. */
static void the_bust_has_no_stripes(void **state) {
    (void)state;
    enum { AROUND = 40, ROWS = 3, COUNT = AROUND * ROWS };
    static float rest[3 * COUNT], vertices[3 * COUNT], normals[3 * COUNT];
    for (int v = 0; v < COUNT; v++) {
        float angle = 6.2831853f * (float)(v % AROUND) / AROUND, lean = v % 2 ? 0.25f : -0.25f;
        rest[3 * v] = 10.0f * cosf(angle);
        rest[3 * v + 1] = -29.5f - 1.5f * (float)(v / AROUND);
        rest[3 * v + 2] = 10.0f * sinf(angle);
        normals[3 * v] = cosf(angle + lean);
        normals[3 * v + 1] = v / AROUND == ROWS - 1 ? -0.8f : 0.0f;
        normals[3 * v + 2] = sinf(angle + lean);
    }
    memcpy(vertices, rest, sizeof rest);
    const rlti_dress dress = {.rest = rest, .rest_count = COUNT};
    float *const steps[2] = {vertices, NULL};
    assert_true(rlti_dress_lengthen(&dress, COUNT, steps, 1, normals));
    float most = 0.0f;
    for (int v = 0; v < COUNT; v++) {
        float angle = 6.2831853f * (float)(v % AROUND) / AROUND;
        most = fmaxf(most, fabsf(normals[3 * v] * sinf(angle) - normals[3 * v + 2] * cosf(angle)));
    }
    print_message("normals lean by %.3f at most\n", (double)most);
    assert_true(most < 0.08f);
    assert_true(vertices[3 * (COUNT - 1) + 1] < -60.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sides_have_no_edges),
                                       cmocka_unit_test(the_bust_has_no_stripes),
                                       cmocka_unit_test(horses_have_dark_legs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
