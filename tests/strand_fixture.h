/* A few equal strands made by hand, one tile of them in any build of the kernel: for tests of the strand
 * model. */
#ifndef STRAND_FIXTURE_H
#define STRAND_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/memory.h"
#include "base/random.h"
#include "ringlet/ringlet.h"
#include "solve/kernel.h"

typedef struct fixture {
    rlt_scene *scene; /* owns the hair data */
    rlti_scene_data data;
    rlti_hair_data hair; /* may be changed before fixture_build */
    rlti_strands strands;
    rlti_matter *matter;
    rlti_taz_model *model;
    const rlti_kernel *kernel;
    rlti_tile *tile;
    void *scratch;
    int points;
    double force_step;
} fixture;

/* A helix hanging from the origin: radius fades in over the first turn, `points` points of equal arc length.
 */
static inline void fixture_helix(rlti_vec3 *p, int points, double length, double radius, double pitch) {
    double around = 2.0 * RLTI_PI * radius, arc = sqrt(around * around + pitch * pitch);
    for (int i = 0; i < points; i++) {
        double s = length * i / (points - 1), turns = s / arc, fade = rlti_smoothstep(s / 6.0);
        p[i] = rlti_v3(radius * fade * rlti_cos(2.0 * RLTI_PI * turns), -pitch * turns,
                       radius * fade * rlti_sin(2.0 * RLTI_PI * turns));
    }
}

/* Hair values of a preset (or the defaults with NULL); 60 x 15 steps at 24 frames per second. */
static inline void fixture_begin(fixture *f, const char *preset) {
    char text[256];
    memset(f, 0, sizeof(*f));
    snprintf(text, sizeof(text), "character: {kind: none}\nhair: {%s%s, region: none, count: 1}\n",
             preset != NULL ? "preset: " : "name: plain", preset != NULL ? preset : "");
    rlt_messages *messages = rlt_messages_create();
    rlt_status status = rlt_scene_load_text("fixture", text, strlen(text), NULL, 0, messages, &f->scene);
    for (int i = 0; i < rlt_messages_count(messages); i++)
        print_message("%s\n", rlt_messages_text(messages, i));
    rlt_messages_destroy(messages);
    assert_int_equal(status, RLT_OK);
    f->hair = rlti_scene_get(f->scene)->hair[0];
    f->force_step = 1.0 / (24 * 60 * 15);
}

/* `count` equal strands (0 = one per lane) with the given rest points. */
static inline void fixture_build(fixture *f, rlt_simd simd, const rlti_vec3 *rest, int points, int count,
                                 int damping_steps) {
    f->kernel = rlti_kernel_select(simd);
    assert_non_null(f->kernel);
    if (count == 0)
        count = f->kernel->lanes;
    f->points = points;
    f->data.hair_count = 1;
    f->data.hair = &f->hair;
    f->strands.strand_count = count;
    f->strands.point_count = count * points;
    f->strands.first = calloc((size_t)count + 1, sizeof(int));
    f->strands.points = calloc((size_t)(count * points), sizeof(rlti_vec3));
    f->strands.hair = calloc((size_t)count, sizeof(int));
    int ids[16];
    for (int k = 0; k < count; k++) {
        ids[k] = k;
        f->strands.first[k + 1] = (k + 1) * points;
        memcpy(f->strands.points + k * points, rest, (size_t)points * sizeof(rlti_vec3));
    }
    f->matter = rlti_matter_create(&f->strands);
    assert_non_null(f->matter);
    assert_int_equal(rlti_taz_model_create(&f->data, &f->strands, NULL, f->matter, NULL, &f->model), RLT_OK);
    rlti_tile_def def = {.model = f->model,
                         .hair = &f->hair,
                         .strands = ids,
                         .count = count,
                         .force_step = f->force_step,
                         .damping_steps = damping_steps};
    f->tile = f->kernel->create(&def);
    assert_non_null(f->tile);
    f->scratch = rlti_allocate(1, f->kernel->scratch_bytes(points));
    assert_non_null(f->scratch);
    f->kernel->bind(f->tile, f->scratch);
    rlti_vec3 *zero = calloc((size_t)points, sizeof(rlti_vec3));
    rlti_motion_segment still;
    memset(&still, 0, sizeof(still));
    still.rotation[0].w = 1.0;
    for (int k = 0; k < count; k++) {
        f->kernel->set_state(f->tile, k, rest, zero);
        f->kernel->begin_frame(f->tile, k, &still, rlti_v3(0, 0, 0));
        f->kernel->set_root_frame(f->tile, k, f->model->strands[k].root_direction,
                                  f->model->strands[k].root_normal);
    }
    free(zero);
}

/* One frame of 60 outer steps with the root held still. */
static inline void fixture_frame(fixture *f, const double gravity[3]) {
    int force_steps = (int)(1.0 / (24 * 60 * f->force_step) + 0.5);
    for (int o = 0; o < 60; o++) {
        rlti_step step = {.gravity = {gravity[0], gravity[1], gravity[2]},
                          .force_steps = force_steps,
                          .first_force_step = o * force_steps,
                          .frame_step = 24 * f->force_step,
                          .rate = 24};
        f->kernel->run(f->tile, &step);
    }
}

static inline double fixture_energy(fixture *f, int strand, const double gravity[3]) {
    rlti_measure m[16];
    f->kernel->measure(f->tile, gravity, m);
    const double *e = m[strand].energies;
    return m[strand].kinetic + e[RLTI_TAZ_ENERGY_STRETCH] + e[RLTI_TAZ_ENERGY_BEND] +
           e[RLTI_TAZ_ENERGY_CORE] + m[strand].gravity;
}

static inline void fixture_end(fixture *f) {
    if (f->tile != NULL)
        f->kernel->destroy(f->tile);
    rlti_free(f->scratch);
    rlti_taz_model_destroy(f->model);
    rlti_matter_destroy(f->matter);
    free(f->strands.first);
    free(f->strands.points);
    free(f->strands.hair);
    rlt_scene_destroy(f->scene);
}

#endif
