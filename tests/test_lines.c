/* Lines over samples that a surface covers in part (render/lines.h): hair behind it fills the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hair_shows_beside_an_edge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
