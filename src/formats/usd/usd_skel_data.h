/* A binding to a skeleton: what opening it found, and scratch for the pose. */
#ifndef RLTI_FORMATS_USD_USD_SKEL_DATA_H
#define RLTI_FORMATS_USD_USD_SKEL_DATA_H

#include "base/math.h"
#include "formats/usd/usd_skel.h"

/* A blend shape at one weight: at 0 nothing, at 1 itself, at others its in-betweens. */
typedef struct rlti_skel_key {
    double weight;
    int count;            /* points it moves */
    double (*offsets)[3]; /* [count] */
} rlti_skel_key;

/* One blend shape of the prim: straight from key to key, and on beyond the first and the last. */
typedef struct rlti_skel_shape {
    int weight;          /* place in the motion's blendShapeWeights */
    int *points;         /* of the keys' offsets, or NULL: all, from the first */
    int key_count;       /* at least 2 */
    rlti_skel_key *keys; /* [key_count] weights increase */
} rlti_skel_shape;

/* A rigid motion with a scale before it: p' = (p scale) turned by the dual quaternion. */
typedef struct rlti_skel_dual {
    rlti_quat real, dual;
    double scale[16]; /* symmetric; only its upper 3 x 3 counts */
} rlti_skel_dual;

struct rlti_skel {
    const rlti_stage *stage;
    int prim, skeleton, motion; /* indices; motion -1: rest pose */
    /* the skeleton */
    int joint_count;
    int *parents;         /* [joint_count] or -1 */
    double (*rest)[16];   /* in the parent joint's space */
    double (*unbind)[16]; /* inverse of the bind pose */
    /* its motion */
    const rlti_attribute *translations, *rotations, *scales, *shape_weights; /* NULL: none */
    int motion_count;
    int *motion_joints; /* [motion_count] joint of the skeleton each one moves, or -1 */
    double *times;
    int time_count;
    /* the prim's binding */
    int has_joints; /* 0: blend shapes only */
    int is_rigid;   /* one set of influences for all points */
    int is_dual;    /* dual quaternions */
    int influences; /* of each point */
    size_t places;  /* points with weights; 1 when rigid */
    int *joints;    /* [places * influences] */
    double *weights;
    double geom_bind[16];
    int shape_count;
    rlti_skel_shape *shapes;
    /* the pose */
    double (*pose)[16];    /* [joint_count] joints in skeleton space, then skinning matrices */
    rlti_skel_dual *duals; /* [joint_count] */
};

#endif
