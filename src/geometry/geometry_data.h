/* A geometry with what only its makers need. */
#ifndef RLTI_GEOMETRY_GEOMETRY_DATA_H
#define RLTI_GEOMETRY_GEOMETRY_DATA_H

#include "geometry/geometry.h"
#include "geometry/subdivide.h"
#include "formats/usd/usd_skel.h"

typedef struct rlti_geometry_private {
    rlti_geometry out; /* first, so that pointers to both are the same */
    rlti_geometry_def def;
    const rlti_attribute *points;
    rlti_skel *skel;                  /* NULL: not bound */
    rlti_subdivision *smooth;         /* NULL: as it is */
    rlti_subdivision *smooth_corners; /* the same faces with a point for each corner of the cage; made when
                                         values at corners are asked for */
    int has_reported;                 /* of a sample without a value */
    rlti_array value, skinned;        /* used again at each time */
    double (*cage)[3];                /* [cage_count] */
    double *times;
    int *curve_counts;
    int face_count, corner_count, hole_count;
    int *face_counts, *corners, *holes; /* as in the file */
    int (*triangles)[3], (*triangle_corners)[3], *triangle_faces;
} rlti_geometry_private;

/* Checks the faces, smooths them, cuts them into triangles. */
rlt_status rlti_geometry_open_mesh(rlti_geometry_private *p, rlt_messages *messages);

#endif
