/* Inside of the fill: fill.c (which hair from which guides), fill_guides.c (guides of a frame),
 * fill_hairs.c (hairs of a block) and fill_body.c (which keeps them out of the body). */
#ifndef RLTI_FILL_FILL_DATA_H
#define RLTI_FILL_FILL_DATA_H

#include "base/math.h"
#include "groom/mesh_tree.h"
#include "ringlet/fill.h"

/* One guide in one frame at the samples of a hair, coordinate by coordinate: a compiler makes vector
 * instructions of loops over samples. The guide is core + N a + B b + T c at every sample. */
enum {
    FILL_CORE,               /* the middle line of the curl, minus its first point */
    FILL_T = FILL_CORE + 3,  /* unit, along it */
    FILL_N = FILL_T + 3,     /* unit, across it, turning as little as possible */
    FILL_CURL = FILL_N + 3,  /* a, b, c: the curl around it */
    FILL_AT = FILL_CURL + 3, /* the guide itself, minus its first point */
    FILL_ROWS = FILL_AT + 3
};

/* Constants of a guide. */
typedef struct rlti_fill_guide {
    int first, count; /* of its points in the view */
    double length;    /* [unit] of the groom */
    float smoothing;  /* share that one sample of the middle line takes of the one before */
    float radius;     /* root mean square of the curl in the groom [unit] */
    float width;      /* at the root [unit] */
    int triangle;     /* whose first edge turns with the head, or -1 */
    rlti_vec3
        tangent;      /* of the middle line at the root, in the groom: without a mesh, its axis turns least */
    rlti_vec3 across; /* N at the root then */
    rlti_vec3 direction; /* unit: from the root to the middle of the groomed guide */
    int group;           /* only guides of one group blend */
} rlti_fill_guide;

/* Constants of a hair. */
typedef struct rlti_fill_hair {
    int guide[RLT_FILL_NEIGHBOURS_MAX]; /* the nearest first; `count` of them */
    float share[RLT_FILL_NEIGHBOURS_MAX];
    int count;
    int triangle; /* of its root, or -1 */
    float at[3];  /* barycentric; without a triangle: along N, B, T of its guide's root [unit] */
} rlti_fill_hair;

struct rlt_fill {
    rlt_fill_def def;
    double spacing; /* mean distance of guides [unit] */
    int guide_count, samples;
    long long hair_count;
    int vertex_count, triangle_count, point_count; /* every view must have the same */
    rlti_fill_guide *guides;                       /* [guide_count] */
    int *sample_at;                                /* [guide_count][samples] the point before each sample */
    float *sample_share;                           /* [guide_count][samples] how far to the next */
    rlti_fill_hair *hairs;                         /* [hair_count] */
    /* the present frame */
    int hidden_guides;  /* of the view; -1: no guide is ever hidden */
    float *rows;        /* [guide_count][FILL_ROWS][samples] */
    rlti_vec3 *roots;   /* [guide_count] world */
    double *corners;    /* [vertex_count][3] */
    int *triangles;     /* [triangle_count][3] */
    rlti_vec3 *scratch; /* [2 * samples] of one guide */
    double *weights;    /* [samples] */
    rlti_mesh body;     /* as it stands, and its tree; distances: empty where hairs may go into it */
    rlti_mesh_tree *tree;
    rlti_distance_grid distances;
};

static inline float *rlti_fill_row(const rlt_fill *fill, int guide, int row) {
    return fill->rows + ((size_t)guide * FILL_ROWS + (size_t)row) * (size_t)fill->samples;
}

/* fill_guides.c: rests the guides on the groom (`points`: all of the view's) and measures them; then, frame
 * by frame. */
void rlti_fill_measure(rlt_fill *fill, const double *points);
void rlti_fill_take(rlt_fill *fill, const double *points, const double *vertices);

/* fill_body.c: takes the body of a frame, if there is one (0: out of memory); moves the points of a hair out
 * of it. */
int rlti_fill_take_body(rlt_fill *fill, const double *vertices);
void rlti_fill_forget_body(rlt_fill *fill);
void rlti_fill_keep_outside(const rlt_fill *fill, float width, int count, float *points);

#endif
