/* Solved contacts over all frames of a run: what the last frame alone would not tell. */
#ifndef RINGLET_APP_SOLVED_H
#define RINGLET_APP_SOLVED_H

#include "json.h"
#include "ringlet/simulation.h"

/* The greatest of all frames, and the frame. */
typedef struct solved_worst {
    double value;
    int frame;
} solved_worst;

/* Starts all zero. Depths and residuals are shares of the mean radius. */
typedef struct solved_frames {
    int frames; /* with contacts, links or both */
    solved_worst residual, deepest, bodies_deepest, unresolved, newton;
    long long crossings_checked, crossings, crossings_missed; /* of samples in the last steps of frames */
    long long bodies_crossings, bodies_crossings_missed, bodies_passed, halved;
} solved_frames;

void solved_add(solved_frames *all, int frame, const rlt_statistics *statistics);

/* One object. */
void solved_json(json *out, const solved_frames *all);

/* Rows of a table: name, number, frame. */
void solved_html(FILE *file, const solved_frames *all);

#endif
