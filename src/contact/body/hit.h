/* The nearest surface seen from a hair point. */
#ifndef RLTI_CONTACT_BODY_HIT_H
#define RLTI_CONTACT_BODY_HIT_H

#include <math.h>

/* Planes are also reported for points this much further out than asked for [unit]. */
#define RLTI_CONTACT_SLACK 0.05

typedef struct rlti_hit {
    double distance;    /* signed */
    double normal[3];   /* outward unit vector */
    double height;      /* of the point over the plane through the surface with that normal */
    double velocity[3]; /* of the surface [unit/s] */
} rlti_hit;

/* Memory of a hair point within a frame interval: a ball that was free of a mesh's surface, the
 * point being outside (while the point stays well inside it, nothing has to be searched), and a triangle that
 * was near (where the next search starts). All zero: nothing is known. It only saves time: answers are the
 * same without. */
typedef struct rlti_memory {
    float place[3]; /* the ball's centre, relative to the mesh's */
    float radius;   /* plus how far the mesh's vertices had moved (rlti_mesh_collider.moved) */
    int triangle;   /* its index + 1 */
} rlti_memory;

/* A box in the world that things may be skipped by: least corner, then greatest. */
typedef struct rlti_box {
    double minimum[3], maximum[3];
} rlti_box;

static inline int rlti_box_apart(const rlti_box *a, const rlti_box *b, double gap) {
    for (int k = 0; k < 3; k++)
        if (a->minimum[k] > b->maximum[k] + gap || b->minimum[k] > a->maximum[k] + gap)
            return 1;
    return 0;
}

static inline float rlti_length3(const float v[3]) {
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

#endif
