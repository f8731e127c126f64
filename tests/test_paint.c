/* Paint of a body for programs that draw it themselves: the face, the shirt and the scalp of pictures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "ringlet/ringlet.h"

enum { FACE = 64 };

typedef struct painted {
    rlt_scene *scene;
    rlt_simulation *simulation;
    rlt_frame_view view;
    rlt_render_def look;
    rlt_render_paint_buffers paint;
} painted;

static void paint_scene(painted *p, const char *text, size_t size) {
    rlt_messages *messages = rlt_messages_create();
    if (rlt_scene_load_text("paint", text, size, NULL, 0, messages, &p->scene) != RLT_OK ||
        rlt_simulation_create(p->scene, NULL, messages, &p->simulation) != RLT_OK)
        fail_msg("%s", rlt_messages_text(messages, 0));
    p->view.size = sizeof p->view;
    rlt_simulation_view(p->simulation, &p->view);
    p->look = rlt_render_defaults();
    rlt_scene_look(p->scene, &p->look);
    size_t count = (size_t)p->view.vertex_count;
    p->paint = (rlt_render_paint_buffers){.size = sizeof p->paint,
                                          .colours = calloc(3 * count, sizeof(float)),
                                          .shirt = calloc(count, sizeof(float)),
                                          .cloth = calloc(3, sizeof(float)),
                                          .places = calloc(3 * count, sizeof(float)),
                                          .face_size = FACE,
                                          .face = calloc((size_t)3 * FACE * FACE, sizeof(float))};
    assert_int_equal(rlt_render_paint(&p->view, &p->look, &p->paint, messages), RLT_OK);
    rlt_messages_destroy(messages);
}

static void clear(painted *p) {
    free(p->paint.colours);
    free(p->paint.shirt);
    free(p->paint.cloth);
    free(p->paint.places);
    free(p->paint.face);
    rlt_simulation_destroy(p->simulation);
    rlt_scene_destroy(p->scene);
}

/* The face's picture at a place of the head at rest [unit]: 16 of them wide and high, from -11 up. */
static const float *face_at(const painted *p, double x, double y) {
    int column = (int)lrint((x + 8.0) / 16.0 * (FACE - 1)), row = (int)lrint((y + 11.0) / 16.0 * (FACE - 1));
    return p->paint.face + (size_t)3 * (size_t)(row * FACE + column);
}

static void a_head_has_a_face_a_shirt_and_a_scalp(void **state) {
    (void)state;
    static const char text[] = "hair: {count: 60, length: 10, segment: 2}\n";
    painted p = {0};
    paint_scene(&p, text, sizeof text - 1);
    const float *lips = face_at(&p, 0.0, -7.4), *brow = face_at(&p, 2.6, 2.6),
                *forehead = face_at(&p, 0.0, 4.0);
    assert_true(lips[0] > 0.75f && lips[1] < 0.7f);
    assert_true(brow[0] < 0.6f);
    for (int k = 0; k < 3; k++)
        assert_float_equal(forehead[k], 1.0f, 1e-5);
    int front = 0, dressed = 0, under_hair = 0, bare = 0;
    for (int v = 0; v < p.view.vertex_count; v++) {
        const float *colour = p.paint.colours + 3 * (size_t)v, *place = p.paint.places + 3 * (size_t)v;
        int is_skin = fabsf(colour[0] - (float)p.look.skin[0]) < 1e-6f;
        front += place[2] == 1.0f;
        dressed += p.paint.shirt[v] > 1.0f;
        bare += p.paint.shirt[v] < -1.0f && is_skin;
        under_hair += colour[0] < 0.7f * (float)p.look.skin[0];
        assert_true(p.paint.shirt[v] < 0.0f || place[1] < 0.0f); /* no shirt in the face */
    }
    assert_true(front > 100 && dressed > 100 && bare > 100 && under_hair > 100);
    assert_true(p.paint.cloth[0] > 0.1f && p.paint.cloth[0] < 0.2f);
    clear(&p);
}

static void other_bodies_have_none(void **state) {
    (void)state;
    static const char text[] =
        "character: {kind: ball}\nhair: {region: all, count: 20, length: 5, segment: 1}\n";
    painted p = {0};
    paint_scene(&p, text, sizeof text - 1);
    for (int v = 0; v < p.view.vertex_count; v++) {
        for (int k = 0; k < 3; k++)
            assert_float_equal(p.paint.places[3 * v + k], 0.0f, 0.0);
        assert_true(p.paint.shirt[v] < -1.0f);
    }
    rlt_render_paint_buffers none = {.size = sizeof none};
    assert_int_equal(rlt_render_paint(&p.view, &p.look, &none, NULL), RLT_BAD_INPUT);
    clear(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_head_has_a_face_a_shirt_and_a_scalp),
                                       cmocka_unit_test(other_bodies_have_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
