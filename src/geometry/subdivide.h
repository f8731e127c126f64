/* Smoothing of subdivision cages: Catmull-Clark, Loop, or bilinear, by whole levels.
 *
 * The topology is worked out once. What remains is a sparse table: each refined point is a weighted sum of
 * cage points, so that a frame of an animation is one cheap pass. Boundaries are sharp edges with sharp
 * corners (USD's fallback edgeAndCorner: a boundary vertex of a single face stays). Creases are not read. */
#ifndef RLTI_GEOMETRY_SUBDIVIDE_H
#define RLTI_GEOMETRY_SUBDIVIDE_H

#include "formats/tree/stage.h"

#define RLTI_SUBDIVIDE_LEVELS_MAX 5

typedef struct rlti_subdivision {
    int level_count;
    int cage_count;   /* points of the cage */
    int point_count;  /* refined */
    int face_count;   /* refined: quads, of Loop triangles */
    int corner_count; /* indices in all */
    int *face_counts; /* [face_count] corners of each */
    int *corners;     /* [corner_count] refined points, in the winding of the cage */
    int *face_from;   /* [face_count] the cage's face each came from */
    int *starts;      /* [point_count + 1] into sources and weights */
    int *sources;     /* cage points, increasing within one point */
    double *weights;  /* they sum to 1 */
} rlti_subdivision;

typedef struct rlti_cage {
    int point_count, face_count;
    const int *counts;  /* [face_count] at least 3 each */
    const int *corners; /* points, already checked */
} rlti_cage;

/* Loop needs triangles. `is_linear`: the scheme's faces, but points on the flat faces (for values at
 * corners). `place` ("FILE: /prim") is for messages. With 0 levels, or the scheme none, the mesh is given
 * back. */
rlt_status rlti_subdivide(const char *place, rlti_scheme scheme, int is_linear, int levels,
                          const rlti_cage *cage, rlt_messages *messages, rlti_subdivision **subdivision);
void rlti_subdivision_destroy(rlti_subdivision *subdivision);

/* refined = table * cage, `arity` numbers per point. */
void rlti_subdivision_apply(const rlti_subdivision *subdivision, int arity,
                            const double *cage /* [cage_count * arity] */,
                            double *refined /* [point_count * arity] */);

#endif
