/* Lines over samples that a surface covers in part (render/lines.h): hair behind it fills the rest. Curls of
 * few points have no corners. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/memory.h"
#include "render/lines.h"

/* Draws a red line at a depth over a sample half covered by a green surface at depth 10, with a blue
 * background; `far`: depth of what is behind the surface. */
static rlti_sample draw(float depth, float far) {
    rlti_sample samples[4] = {
        {{0, 0, 1}, HUGE_VALF}, {{0, 0, 1}, HUGE_VALF}, {{0, 0, 1}, -1.0f}, {{0, 0, 1}, HUGE_VALF}};
    rlti_edge edges[4] = {[2] = {{0, 1, 0}, 0.5f, 10.0f, far}};
    rlti_picture picture = {
        .pixel_width = 4, .pixel_height = 1, .width = 4, .height = 1, .samples = samples, .edges = edges};
    const rlti_line_vertex line[] = {{0.0f, 0.5f, depth, 1.0f, {1, 0, 0}},
                                     {4.0f, 0.5f, depth, 1.0f, {1, 0, 0}}};
    assert_int_equal(rlti_lines_draw(&picture, line, 2, NULL, NULL), RLT_OK);
    if (samples[2].depth < 0.0f)
        rlti_edge_settle(&edges[2], &samples[2]);
    assert_true(samples[2].depth == 10.0f);
    return samples[2];
}

static void is_colour(const rlti_sample *sample, float r, float g, float b) {
    const float wanted[3] = {r, g, b};
    for (int c = 0; c < 3; c++)
        assert_true(fabsf(sample->colour[c] - wanted[c]) < 1e-6f);
}

static void hair_shows_beside_an_edge(void **state) {
    (void)state;
    rlti_sample before = draw(5.0f, HUGE_VALF), behind = draw(20.0f, HUGE_VALF), hidden = draw(20.0f, 15.0f),
                between = draw(12.0f, 15.0f);
    is_colour(&before, 1.0f, 0.0f, 0.0f);
    is_colour(&behind, 0.5f, 0.5f, 0.0f); /* no background shines through between surface and hair */
    is_colour(&hidden, 0.0f, 0.5f, 0.5f);
    is_colour(&between, 0.5f, 0.5f, 0.0f);
}

static void curls_have_no_corners(void **state) {
    (void)state;
    enum { POINTS = 21, ALL = POINTS + 4 };
    const float radius = 40.0f; /* two turns of ten points, a gap, a straight line, one beyond the picture */
    rlti_picture picture = {.width = 100, .height = 100};
    rlti_line_vertex lines[ALL] = {0}, *smooth = NULL;
    for (int i = 0; i < POINTS; i++) {
        float angle = 6.2831853f * (float)i / 10.0f;
        lines[i] = (rlti_line_vertex){50.0f + radius * cosf(angle),
                                      50.0f + radius * sinf(angle),
                                      9.0f,
                                      1.0f + (float)i,
                                      {(float)i, 0.0f, 0.0f}};
    }
    for (int i = 1; i < 4; i++)
        lines[POINTS + i] = (rlti_line_vertex){30.0f * (float)i, 20.0f * (float)i, 5.0f, 1.0f, {0}};
    int count = 0;
    rlti_pool *pool = rlti_pool_create(2);
    assert_int_equal(rlti_lines_smooth(&picture, lines, ALL, pool, &smooth, &count, NULL), RLT_OK);
    float away = 0.0f, before = 0.0f;
    int pieces = 0;
    for (int i = 0; i + 1 < count && smooth[i + 1].depth > 0.0f; i++, pieces++) {
        const rlti_line_vertex *a = &smooth[i], *b = a + 1;
        assert_true(b->colour[0] > a->colour[0] && b->width > a->width);
        if (a->colour[0] >= 1.0f && b->colour[0] <= POINTS - 2.0f) /* ends go straight on */
            away = fmaxf(away, radius - hypotf(0.5f * (a->x + b->x) - 50.0f, 0.5f * (a->y + b->y) - 50.0f));
    }
    before =
        radius - hypotf(0.5f * (lines[4].x + lines[5].x) - 50.0f, 0.5f * (lines[4].y + lines[5].y) - 50.0f);
    print_message("%d pieces of %d; chords %.2f off the circle, %.2f before\n", pieces, POINTS - 1,
                  (double)away, (double)before);
    assert_true(before > 1.5f && away < 0.35f);
    assert_int_equal(count, pieces + 1 + 4); /* the straight line is as it was */
    rlti_free(smooth);
    picture.width = picture.height = 5; /* nothing is seen */
    for (int i = 0; i < ALL; i++)
        lines[i].x += 200.0f;
    assert_int_equal(rlti_lines_smooth(&picture, lines, ALL, pool, &smooth, &count, NULL), RLT_OK);
    assert_int_equal(count, ALL);
    rlti_free(smooth);
    rlti_pool_destroy(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hair_shows_beside_an_edge),
                                       cmocka_unit_test(curls_have_no_corners)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
