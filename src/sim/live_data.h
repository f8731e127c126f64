/* Inside of a live simulation, shared by live*.c: what its caller has given, and where its time is. */
#ifndef RLTI_SIM_LIVE_DATA_H
#define RLTI_SIM_LIVE_DATA_H

#include "body/live.h"
#include "ringlet/live.h"
#include "sim/simulation_data.h"

struct rlti_live_run {
    rlt_scene *scene; /* its own; the simulation's values are this one's */
    rlt_live_motion motion;
    double jump_speed;

    /* copies of the caller's body and groom; all NULL: the scene's */
    rlti_mesh *mesh;
    rlti_given_groom *groom;
    int hair; /* section that has the groom */
    double *points, *widths, *weights;
    int *counts, *triangles;

    const rlt_simulation *like; /* while it is built: the simulation that it replaces */

    /* where things are at the end of the last step and of the next one */
    rlti_live_input last, next;
    int plays;        /* 1: the scene's own motion continues */
    int motion_frame; /* of it, in the newest sample */
    int begins;       /* the frame it begins at */
    int fresh;        /* 1: nothing has moved since it was made or reset */
    double left_over; /* [s] */
    long long ticks;
};

/* RLT_OK, or a refusal of what is not live. */
rlt_status rlti_live_require(const rlt_simulation *sim, const char *what, rlt_messages *messages);

/* All samples of the body where the next step's input has it, still. */
rlt_status rlti_live_stand(rlt_simulation *sim, rlt_messages *messages);

/* live_array.c: a number of an element of a caller's array. */
double rlti_number_of(const rlt_array *array, int element, int numbers, int k);
/* 1 when the array is there and all its numbers are finite and below RLTI_ABSURD; else says what is wrong. */
#define RLTI_ABSURD 1e9
rlt_status rlti_numbers_check(const rlt_array *array, const char *name, int elements, int numbers,
                              rlt_messages *messages);
/* The numbers as doubles, side by side. */
void rlti_numbers_copy(const rlt_array *array, int elements, int numbers, double *to);
void rlti_buffer_put(const rlt_buffer *buffer, int element, int numbers, const double *from);

/* live_state.c: rlti_simulation_renew in the pose that it was made in, because what the groom is settled with
 * depends on it in its last bits; then the motion is where it was. */
rlt_status rlti_live_renew(rlt_simulation *sim, rlt_messages *messages);

/* The state as bytes, and back. */
rlt_status rlti_live_save(rlt_simulation *sim, void *bytes, size_t capacity, size_t *size,
                          rlt_messages *messages);
/* `live`: also where the motion is. */
rlt_status rlti_live_load(rlt_simulation *sim, const void *bytes, size_t size, int live,
                          rlt_messages *messages);

#endif
