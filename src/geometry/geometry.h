/* Geometry of a stage as simulations want it: points in the world, in known units and with a known up axis;
 * meshes as triangles. The same for every format.
 *
 *     rlti_geometry_def def = {0};
 *     rlti_geometry_space(stage, 0.01, 'Y', 1.0, 'Y', def.to_target);
 *     rlti_geometry_open(stage, prim, &def, messages, &geometry);
 *     rlti_geometry_points(geometry, time, messages, points); */
#ifndef RLTI_GEOMETRY_GEOMETRY_H
#define RLTI_GEOMETRY_GEOMETRY_H

#include "formats/tree/stage.h"

#define RLTI_GEOMETRY_FURTHEST 1e9 /* greatest coordinate in the target's units */

/* The matrix from the stage's world to a target: scale of units and rotation of the up axis (Z up to Y up is
 * -90 degrees about X). `assumed_...` count where the file does not say (Alembic, .hair, ...). */
void rlti_geometry_space(const rlti_stage *stage, double assumed_metres_per_unit, char assumed_up_axis,
                         double metres_per_unit, char up_axis, double to_target[16]);

typedef struct rlti_geometry_def {
    double to_target[16]; /* applied after the prim's world transform */
    double time;          /* of the topology, and of first checks (the stage's first_time, normally) */
    int levels;           /* meshes with a subdivision scheme: smooth so often; 0 takes the cage */
} rlti_geometry_def;

typedef struct rlti_geometry {
    const rlti_stage *stage;
    int prim;
    int point_count; /* after smoothing */
    int cage_count;  /* points in the file; the same without smoothing */
    int is_skinned;
    /* Every time at which points can change: samples of points, of transforms, of a skeleton's motion; none
     * when nothing moves. Between them the file's own interpolation counts. */
    int time_count;
    const double *times;
    /* curves */
    int curve_count;
    const int *curve_counts; /* [curve_count] points of each; their sum is point_count */
    /* meshes: right-handed, outside is counter-clockwise, in the target's space; holes left out */
    int triangle_count;
    const int (*triangles)[3]; /* into points */
    const int (
        *triangle_corners)[3]; /* which corner (of faceVertexIndices, or of the smoothed faces) each is */
    const int *triangle_faces; /* [triangle_count] face of the file each lies in */
} rlti_geometry;

/* A prim of curves or a mesh. Checked: counts against points, indices, and that the topology is the same at
 * all times (RLT_BAD_INPUT otherwise, with the time). The stage must outlive it. */
rlt_status rlti_geometry_open(const rlti_stage *stage, int prim, const rlti_geometry_def *def,
                              rlt_messages *messages, rlti_geometry **geometry);
void rlti_geometry_close(rlti_geometry *geometry);

/* Points at a time in the target's space: skinned if bound, smoothed if asked. A count that differs, NaN or
 * infinite points are RLT_BAD_INPUT with the place. Not thread-safe for one geometry. */
rlt_status rlti_geometry_points(rlti_geometry *geometry, double time, rlt_messages *messages,
                                double (*points)[3] /* [point_count] */);

/* The same for another attribute with one point per vertex (a rest shape). `place` 1: a position; 0: a
 * vector, of which only the turning and scaling part counts. No skinning. RLT_BAD_INPUT when it has another
 * count or is not float3. */
rlt_status rlti_geometry_vertex_values(rlti_geometry *geometry, const rlti_attribute *attribute, double time,
                                       int place, rlt_messages *messages,
                                       double (*points)[3] /* [point_count] */);

/* Values of any numeric attribute at the corners of a mesh's triangles, indices applied, smoothed meshes
 * too (face-varying ones linearly): `values` is [triangle_count * 3 * arity]. */
rlt_status rlti_geometry_corner_values(rlti_geometry *geometry, const rlti_attribute *attribute, double time,
                                       rlt_messages *messages, double *values);

/* From the prim's space to the target's at a time (of a skinned prim, the skeleton's). */
rlt_status rlti_geometry_matrix(const rlti_geometry *geometry, double time, rlt_messages *messages,
                                double matrix[16]);

#endif
