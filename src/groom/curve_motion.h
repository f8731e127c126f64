/* The curves of a groom's file as they move there: an animator or a rig has moved them. They are read frame
 * by frame, with the same smooth path between frames as the body's (cubic Hermite with Catmull-Rom tangents).
 */
#ifndef RLTI_GROOM_CURVE_MOTION_H
#define RLTI_GROOM_CURVE_MOTION_H

#include "groom/import.h"

enum { RLTI_STENCIL = 4 }; /* frames that decide an interval: before, start, end, after */

/* Of one prim. */
typedef struct rlti_curve_motion {
    const rlti_strands *strands;
    rlti_curves *curves;
    int first_strand;
    const char *place;        /* in the scene, of who asked for it: for messages */
    int frames[RLTI_STENCIL]; /* of the samples below */
    int full[RLTI_STENCIL];
    rlti_vec3 *sample[RLTI_STENCIL]; /* [points of all its strands] */
    rlti_vec3 *own;                  /* [point_count of the prim] as read */
    double *component;               /* the same, one axis */
    double *values;                  /* of one strand */
    int reported;                    /* 1: points at one place were warned of */
} rlti_curve_motion;

/* The prim that a strand comes from, as a number of strands->sources; -1: none. */
int rlti_curve_source(const rlti_strands *strands, int strand);

/* Fails only when out of memory; to be destroyed in any case. */
rlt_status rlti_curve_motion_create(const rlti_strands *strands, int source, const char *place,
                                    rlt_messages *messages, rlti_curve_motion *motion);
void rlti_curve_motion_destroy(rlti_curve_motion *motion);

/* Reads what the interval [frame, frame + 1] needs. Before the scene's first frame the first one holds, or is
 * eased into, as for the body. */
rlt_status rlti_curve_motion_begin(rlti_curve_motion *motion, int frame, rlt_messages *messages);

/* One frame's curves, as the strands have their points: [points of all its strands]. */
rlt_status rlti_curve_motion_read(rlti_curve_motion *motion, int frame, rlt_messages *messages,
                                  rlti_vec3 *points);

/* Warns, once, of curves that have two successive points at one place at the end of the interval that was
 * begun: as a rest shape they have an edge without length. */
void rlti_curve_motion_warn(rlti_curve_motion *motion, int frame, rlt_messages *messages);

/* Whether a strand is of this prim. */
int rlti_curve_motion_has(const rlti_curve_motion *motion, int strand);

/* Coefficients over the interval that was begun, of a point of the groom: c0 + s (c1 + s (c2 + s c3)).
 * `jumps`: those of the body there (body/jump.h), which the curves make too. */
void rlti_curve_motion_segment(const rlti_curve_motion *motion, int frame, int jumps, int point,
                               rlti_vec3 to[4]);

#endif
