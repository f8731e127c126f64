/* The arithmetic of a plan, apart from where its numbers come from. It is explained in
 * docs/design/distribute.md. */
#ifndef RLTI_SIM_PLAN_MODEL_H
#define RLTI_SIM_PLAN_MODEL_H

#include "partition/partition.h"
#include "ringlet/plan.h"

typedef struct rlti_plan_input {
    const rlti_graph *graph;
    const int *points;    /* [strand] */
    const int *particles; /* [strand] kept ones */
    const int *order;     /* [strand] as tiles are filled: by section, longest first */
    const int *section;   /* [strand] */
    int lanes;            /* strands in a tile */
    int threads;          /* of a rank */
    int exchanges;        /* per frame */
    double seconds;       /* of a frame on one thread, without exchange */
    double step_share;    /* of these: in the step kernel */
    double common_share;  /* of these: what every rank does for all hair */
    double latency;       /* [s] */
    double bandwidth;     /* [byte/s] */
    double memory_common; /* what every rank has [byte] */
    double memory_tile;   /* per point of the longest strand of a tile [byte] */
    double memory_edge;   /* per neighbour of a rank's own hair: lists of contacts [byte] */
} rlti_plan_input;

/* Bytes of a point that go to rank 0 at the end of a frame: position and velocity. */
#define RLTI_PLAN_GATHER_BYTES 48

/* Tiles of the whole scene on one rank, in points of their longest strands: what input->seconds is for. */
double rlti_plan_tiles(const rlti_plan_input *input);

/* All of the line but speed-up and efficiency, for hairs shared as `part` says, part[strand] in [0, ranks).
 * Fails only when out of memory. */
rlt_status rlti_plan_line(const rlti_plan_input *input, int ranks, const int *part, rlt_messages *messages,
                          rlt_plan_line *line);

/* Speed-ups over `seconds` on one rank; which count is fastest, and which still efficient. */
void rlti_plan_judge(double seconds, rlt_plan_line *lines, int count, rlt_plan_summary *summary);

#endif
