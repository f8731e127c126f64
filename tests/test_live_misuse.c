/* ringlet/live.h in the hands of one who has not read it: nothing breaks, all of it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ringlet/live.h"
#include "ringlet/ringlet.h"

static const double corners[4][3] = {{0, 0, 0}, {10, 0, 0}, {0, 0, 10}, {0, 10, 0}};
static const int faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
static const double unit[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

/* Refused, with a message that has this part. */
static void refused(rlt_status status, rlt_messages *messages, const char *part) {
    int count = rlt_messages_count(messages);
    assert_int_equal(status, RLT_BAD_INPUT);
    assert_true(count > 0);
    assert_non_null(strstr(rlt_messages_text(messages, count - 1), part));
}

static rlt_status begin(int points, rlt_messages *messages, rlt_simulation **sim) {
    const double hair[3][3] = {{2, 2, 2}, {3, 3, 3}, {4, 4, 4}};
    rlt_live_groom groom = rlt_live_groom_defaults();
    rlt_live_body body = rlt_live_body_defaults();
    rlt_live_def def = rlt_live_defaults();
    groom.strand_count = 1;
    groom.counts = &points;
    groom.points.data = hair;
    body.vertex_count = body.triangle_count = 4;
    body.vertices.data = corners;
    body.triangles = faces[0];
    def.groom = &groom;
    def.body = &body;
    return rlt_live_create(&def, messages, sim);
}

static void null_is_refused_everywhere(void **state) {
    (void)state;
    static const char no[] = "NULL";
    rlt_messages *m = rlt_messages_create();
    const rlt_buffer buffer = {.data = NULL};
    size_t size;
    int numbers = 7;
    double left = 7.0;
    refused(rlt_live_create(NULL, m, NULL), m, no);
    refused(rlt_live_fit(NULL, NULL, m, NULL), m, no);
    refused(rlt_simulation_move_vertices(NULL, NULL, m), m, no);
    refused(rlt_simulation_move_roots(NULL, NULL, NULL, m), m, no);
    refused(rlt_simulation_move(NULL, NULL, unit, m), m, no);
    refused(rlt_simulation_move_collider(NULL, NULL, unit, m), m, no);
    refused(rlt_simulation_play(NULL, 1, m), m, no);
    refused(rlt_simulation_seek(NULL, 1, m), m, no);
    refused(rlt_simulation_pull(NULL, 0, NULL, NULL, 1.0, m), m, no);
    refused(rlt_simulation_step(NULL, 0.01, m), m, no);
    refused(rlt_simulation_read(NULL, RLT_READ_POINTS, &buffer, m), m, no);
    refused(rlt_simulation_set(NULL, NULL, 0, m), m, no);
    refused(rlt_simulation_rebuild(NULL, NULL, NULL, 0, m, NULL), m, no);
    refused(rlt_simulation_save(NULL, NULL, 0, &size, m), m, no);
    refused(rlt_simulation_load(NULL, unit, 1, m), m, no);
    refused(rlt_simulation_reset(NULL, m), m, no);
    assert_int_equal(rlt_simulation_read_count(NULL, RLT_READ_POINTS, &numbers), 0);
    assert_int_equal(numbers, 0);
    assert_true(rlt_simulation_tick(NULL) == 0.0);
    assert_int_equal(rlt_simulation_ticks(NULL, &left), 0);
    assert_true(left == 0.0);
    assert_int_equal(rlt_simulation_is_live(NULL), 0);
    assert_int_equal(rlt_simulation_motion_frame(NULL), 0);
    assert_null(rlt_simulation_scene(NULL));
    rlt_messages_destroy(m);
}

static void strands_have_two_points_at_least(void **state) {
    (void)state;
    rlt_messages *m = rlt_messages_create();
    rlt_simulation *sim = NULL;
    refused(begin(1, m, &sim), m, "at least 2");
    assert_null(sim);
    assert_int_equal(begin(2, m, &sim), RLT_OK);
    assert_int_equal(rlt_simulation_read_count(sim, RLT_READ_POINTS, NULL), 2);
    rlt_simulation_destroy(sim);
    rlt_messages_destroy(m);
}

/* A mesh has no bones, and does not pretend to have turned one. */
static void bodies_that_are_given_have_no_bones(void **state) {
    (void)state;
    rlt_messages *m = rlt_messages_create();
    rlt_simulation *sim = NULL;
    assert_int_equal(begin(3, m, &sim), RLT_OK);
    refused(rlt_simulation_move(sim, "head", unit, m), m, "has no bones");
    refused(rlt_simulation_move(sim, "torso", NULL, m), m, "has no bones");
    assert_int_equal(rlt_simulation_move(sim, NULL, unit, m), RLT_OK);
    assert_int_equal(rlt_simulation_step(sim, 1.0 / 24.0, m), RLT_OK);
    rlt_simulation_destroy(sim);
    rlt_messages_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(null_is_refused_everywhere),
                                       cmocka_unit_test(strands_have_two_points_at_least),
                                       cmocka_unit_test(bodies_that_are_given_have_no_bones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
