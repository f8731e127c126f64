/* The history of a run, frame by frame: the numbers behind the report's charts. */
#ifndef RINGLET_APP_HISTORY_H
#define RINGLET_APP_HISTORY_H

#include "ringlet/simulation.h"

enum {
    HISTORY_DRIVE,
    HISTORY_DETECT,
    HISTORY_COLLIDE,
    HISTORY_CONTACT,
    HISTORY_STEP,
    HISTORY_EXCHANGE,
    HISTORY_CHECK,
    HISTORY_PHASES
};

typedef struct history_frame {
    int frame;
    double seconds;                 /* wall, the simulation alone */
    double phases[HISTORY_PHASES];  /* [s] summed over the threads */
    double length, length_longest;  /* strands' length over their rest length: mean, and the greatest */
    double edge;                    /* the same of the longest edge */
    double fastest;                 /* [unit/s] */
    double energies[RLT_NAMED_MAX]; /* [mass unit^2/s^2] by the names of the history */
    double contacts, hair_contacts; /* with bodies; between hairs, mean over the frame */
    /* solved with the hair, means over the frame's steps; worst and depths as shares of the mean radius */
    double touching, slipping, unresolved, newton, sweeps, residual, deepest, bodies_deepest;
} history_frame;

/* Starts all zero. */
typedef struct history {
    history_frame *frames;
    int count, capacity;
    double totals[HISTORY_PHASES]; /* at the last frame, since creation */
    int energy_count;
    const char *energy_names[RLT_NAMED_MAX];
} history;

/* "drive", "detect", ... */
extern const char *const history_phase_names[HISTORY_PHASES];

/* Seconds of one phase since creation, 0 where there is none of that name. */
double history_phase(const rlt_statistics *statistics, const char *name);
/* Seconds of each phase since creation. */
void history_phases(const rlt_statistics *statistics, double *phases);

/* Counts of a run before the first frame that is added. */
void history_begin(history *h, const rlt_statistics *statistics);

/* Adds a frame that took `seconds`; 0 when out of memory. */
int history_add(history *h, const rlt_frame_view *view, const rlt_statistics *statistics, double seconds);
void history_free(history *h);

#endif
