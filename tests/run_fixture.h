/* Runs scenes given as text and keeps what a test wants to compare. */
#ifndef RUN_FIXTURE_H
#define RUN_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ringlet/ringlet.h"

typedef struct run {
    rlt_messages *messages;
    rlt_scene *scene;
    rlt_simulation *simulation;
} run;

static inline void run_begin(run *r, rlt_simd simd, int threads, const char *format, ...) {
    char text[16384];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    assert_true(size > 0 && size < (int)sizeof(text));
    r->messages = rlt_messages_create();
    r->scene = NULL;
    r->simulation = NULL;
    rlt_status status = rlt_scene_load_text("test", text, (size_t)size, NULL, 0, r->messages, &r->scene);
    rlt_simulation_def def = {.size = sizeof def, .threads = threads, .simd = simd};
    if (status == RLT_OK)
        status = rlt_simulation_create(r->scene, &def, r->messages, &r->simulation);
    if (status != RLT_OK)
        for (int i = 0; i < rlt_messages_count(r->messages); i++)
            print_message("%s\n", rlt_messages_text(r->messages, i));
    assert_int_equal(status, RLT_OK);
}

static inline void run_frames(run *r, int frames) {
    for (int f = 0; f < frames; f++) {
        rlt_status status = rlt_simulation_advance(r->simulation, r->messages);
        if (status != RLT_OK)
            print_message("%s\n", rlt_messages_text(r->messages, rlt_messages_count(r->messages) - 1));
        assert_int_equal(status, RLT_OK);
    }
}

static inline rlt_frame_view run_view(const run *r) {
    rlt_frame_view view = {.size = sizeof view};
    rlt_simulation_view(r->simulation, &view);
    return view;
}

/* A copy of the present points, [point_count][3]; the caller frees it. */
static inline double *run_points(const run *r) {
    rlt_frame_view view = run_view(r);
    double *points = malloc((size_t)view.point_count * 3 * sizeof(double));
    assert_non_null(points);
    memcpy(points, view.points, (size_t)view.point_count * 3 * sizeof(double));
    return points;
}

static inline rlt_statistics run_statistics(const run *r) {
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(r->simulation, &s);
    return s;
}

/* Depth of the deepest point in a body [unit]. */
static inline double run_deepest(rlt_simulation *simulation, rlt_messages *messages) {
    rlt_diagnostics *d = NULL;
    double deepest = 0.0;
    assert_int_equal(rlt_simulation_diagnose(simulation, messages, &d), RLT_OK);
    for (int p = 0; p < d->point_count; p++)
        deepest = fmax(deepest, d->penetration[p]);
    rlt_diagnostics_destroy(d);
    return deepest;
}

static inline void run_end(run *r) {
    rlt_simulation_destroy(r->simulation);
    rlt_scene_destroy(r->scene);
    rlt_messages_destroy(r->messages);
}

/* A scene that must be refused, when it is read or when it is built: its first message, or (`which` < 0) its
 * last. */
static inline void run_assert_refused(const char *text, int which, const char *message) {
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    rlt_status status = rlt_scene_load_text("s.yaml", text, strlen(text), NULL, 0, messages, &scene);
    if (status == RLT_OK)
        status = rlt_simulation_create(scene, NULL, messages, &simulation);
    assert_int_equal(status, RLT_BAD_INPUT);
    assert_string_equal(rlt_messages_text(messages, which < 0 ? rlt_messages_count(messages) - 1 : which),
                        message);
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
}

/* How many messages have this text. */
static inline int run_said(const run *r, const char *text) {
    int count = 0;
    for (int i = 0; i < rlt_messages_count(r->messages); i++)
        count += strstr(rlt_messages_text(r->messages, i), text) != NULL;
    return count;
}

static inline double run_distance(const double *a, const double *b) {
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

#endif
