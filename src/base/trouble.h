/* Something that goes wrong in many frames of a run: it is reported when it begins and when it has become
 * twice as bad, and summed up at the end. A run of a thousand frames does not report a thousand times what is
 * known. */
#ifndef RLTI_BASE_TROUBLE_H
#define RLTI_BASE_TROUBLE_H

#include "ringlet/status.h"

/* All 0: nothing has gone wrong yet. */
typedef struct rlti_trouble {
    int frames, first, last; /* that it was in */
    int told;                /* how often it was reported */
    double size;             /* when it was reported last */
    int worst_frame;
    double worst;
} rlti_trouble;

/* Notes it for a frame; returns 1 where it is to be reported. A run that has gone back to an earlier frame
 * begins anew. */
int rlti_trouble_note(rlti_trouble *trouble, int frame, double size);

/* Sums it up, unless all of it was reported: "FILE: frames A to B: WHAT in N of them; worst is frame C, with
 * SIZE OF_WHAT". */
void rlti_trouble_sum_up(const rlti_trouble *trouble, const char *file, const char *what, const char *of_what,
                         rlt_messages *messages);

#endif
