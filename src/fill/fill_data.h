/* Inside of the fill: fill.c (which hair from which guides), fill_guides.c (guides of a frame), fill_locks.c
 * (locks between guides), fill_hairs.c (hairs of a block), fill_body.c (which keeps them out of the body) and
 * fill_sections.c (hair sections that are filled each in its own way). */
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
    rlti_vec3 early;     /* unit: along its middle line from the root to a quarter */
    int group;           /* only guides of one group blend */
} rlti_fill_guide;

/* Constants of a hair. */
typedef struct rlti_fill_hair {
    int guide[RLT_FILL_NEIGHBOURS_MAX]; /* the nearest first; `count` of them */
    float share[RLT_FILL_NEIGHBOURS_MAX];
    int count;
    int home;     /* the guide it grew around */
    int triangle; /* of its root, or -1 */
    float at[3];  /* barycentric; without a triangle: along N, B, T of the root of `home` [unit] */
} rlti_fill_hair;

/* A lock in one frame, row by row as a guide: its middle in the world, and two directions across it. */
enum { LOCK_AT, LOCK_N = LOCK_AT + 3, LOCK_B = LOCK_N + 3, LOCK_ROWS = LOCK_B + 3 };

/* Constants of a lock. */
typedef struct rlti_fill_lock {
    rlti_fill_hair middle;
    rlti_vec3 offset;   /* of its root from its guide's in the groom [unit] */
    float cosine, sine; /* of the angle its curl is turned by */
    float wide;         /* factor on the curl */
    float radius;       /* [unit] */
    float weight;       /* of its size among those of its guide */
    float keep;         /* share of the length */
} rlti_fill_lock;

/* Constants of a hair in a lock. */
typedef struct rlti_fill_strand {
    int lock;
    int triangle; /* of its root, or -1 */
    float at[3];  /* as rlti_fill_hair's */
    float edge;   /* 0: inside, 1: where the hair ends, as far as the hairline is soft */
} rlti_fill_strand;

/* Random numbers of one hair, and of one lock. */
enum {
    RANDOM_RADIUS,
    RANDOM_ANGLE,
    RANDOM_PHASE,
    RANDOM_LENGTH,
    RANDOM_NOISE,
    RANDOM_DISC = RANDOM_NOISE + 8,
    RANDOM_GROUP = RANDOM_DISC + 2,
    RANDOM_STRAY,
    RANDOM_EDGE,
    RANDOM_FRIZZ = RANDOM_EDGE + 2,
    RANDOM_LOCK = 1000
};

/* A hair of a whole. */
typedef struct rlti_fill_place {
    int part;
    int hair; /* of the part */
} rlti_fill_place;

struct rlt_fill {
    rlt_fill_def def;
    double spacing; /* mean distance of guides [unit] */
    int guide_count, samples;
    long long hair_count;
    int vertex_count, triangle_count, point_count; /* every view must have the same */
    rlti_fill_guide *guides;                       /* [guide_count] */
    int *sample_at;                                /* [guide_count][samples] the point before each sample */
    float *sample_share;                           /* [guide_count][samples] how far to the next */
    rlti_fill_hair *hairs;                         /* [hair_count], unless there are locks: */
    rlti_fill_lock *locks;                         /* [guide_count][def.locks] */
    rlti_fill_strand *strands;                     /* [hair_count] */
    /* the present frame */
    int hidden_guides;  /* of the view; -1: no guide is ever hidden */
    float *rows;        /* [guide_count][FILL_ROWS][samples] */
    float *lock_rows;   /* [guide_count][def.locks][LOCK_ROWS][samples] */
    rlti_vec3 *roots;   /* [guide_count] world */
    double *corners;    /* [vertex_count][3] */
    int *triangles;     /* [triangle_count][3] */
    rlti_vec3 *scratch; /* [2 * samples] of one guide */
    double *weights;    /* [samples] */
    rlti_mesh body;     /* as it stands, and its tree; distances: empty where hairs may go into it */
    rlti_mesh_tree *tree;
    rlti_distance_grid distances;
    /* hair sections with definitions of their own are fills of their own, one after the other; the whole then
     * has the guides' groups, the body and sums alone */
    const rlt_fill *whole; /* whose part this is: it has the body */
    rlt_fill **parts;      /* [part_count]; NULL: this is no whole */
    int part_count;
    int *first_guide;       /* [part_count + 1] */
    rlti_fill_place *order; /* [hair_count] where each hair is: the first few are some of every part */
};

static inline float *rlti_fill_row(const rlt_fill *fill, int guide, int row) {
    return fill->rows + ((size_t)guide * FILL_ROWS + (size_t)row) * (size_t)fill->samples;
}

static inline float *rlti_lock_row(const rlt_fill *fill, int lock, int row) {
    return fill->lock_rows + ((size_t)lock * LOCK_ROWS + (size_t)row) * (size_t)fill->samples;
}

/* Sums of the guides' rows at each sample, and what is made of them. */
typedef struct rlti_fill_scratch {
    float core[3][RLT_FILL_POINTS_MAX], tangent[3][RLT_FILL_POINTS_MAX], normal[3][RLT_FILL_POINTS_MAX];
    float points[3 * RLT_FILL_POINTS_MAX];
} rlti_fill_scratch;

/* fill.c: the nearest guides of a root within the disc of guide g, and their shares. `lists` is what
 * fill.c found. */
void rlti_fill_choose(const rlt_fill *fill, const void *lists, int g, rlti_vec3 root, rlti_fill_hair *hair);
/* A root at (u, v) of the disc around guide g, on the skin if there is one; returns where. */
rlti_vec3 rlti_fill_place_root(const rlt_fill *fill, int g, double u, double v, int *triangle, float at[3]);

/* fill_hairs.c: the middle line of a blend in the world, from the root that `middle` has; `turned` by an
 * angle's cosine and sine. `pull` draws it to its first guide towards the tip. N and T of it stay in the
 * scratch. */
void rlti_fill_wind(const rlt_fill *fill, const rlti_fill_hair *middle, const float turned[2], float wide,
                    float pull, int count, rlti_fill_scratch *r, float *points);
/* Where a root is in the world. `g` is the guide that `at` counts from without a triangle. */
void rlti_fill_root(const rlt_fill *fill, int g, int triangle, const float at[3], float root[3]);
/* How far the pull of `clump` has come at sample i: 0 at its beginning, 1 at the tip. */
static inline float rlti_fill_ramp(const rlt_fill *fill, int i) {
    float begin = (float)fill->def.clump_start, s = (float)i / (float)(fill->samples - 1);
    s = begin < 1.0f ? (s - begin) / (1.0f - begin) : 0.0f;
    return s > 0.0f ? s * (2.0f - s) : 0.0f;
}

/* fill_locks.c: places locks and the roots of their hairs, once; their middles, frame by frame; one hair,
 * of which it returns the points. */
int rlti_locks_place(rlt_fill *fill, const void *lists);
void rlti_locks_take(rlt_fill *fill);
int rlti_locks_hair(const rlt_fill *fill, long long h, float *points);

/* fill_guides.c: rests the guides on the groom (`points`: all of the view's) and measures them; then, frame
 * by frame. */
void rlti_fill_measure(rlt_fill *fill, const double *points);
void rlti_fill_take(rlt_fill *fill, const double *points, const double *vertices);

/* fill.c: decides for checked guides and a checked definition; `whole`: that this is a part of. */
rlt_status rlti_fill_make(const rlt_frame_view *view, const rlt_fill_def *def, const rlt_fill *whole,
                          rlt_messages *messages, rlt_fill **fill);
void rlti_fill_take_hidden(rlt_fill *fill, const rlt_frame_view *view);
rlt_status rlti_fill_check(const rlt_fill_def *def, rlt_messages *messages);

/* fill_sections.c: a whole of parts, one for each run of strands of a section; its next frame. */
rlt_status rlti_fill_make_whole(const rlt_frame_view *view, const rlt_fill_def *def, rlt_messages *messages,
                                rlt_fill **fill);
rlt_status rlti_fill_frame_whole(rlt_fill *fill, const rlt_frame_view *view, rlt_messages *messages);
/* fill_body.c: takes the body of a frame, if there is one (0: out of memory); moves the points of a hair out
 * of it. */
int rlti_fill_take_body(rlt_fill *fill, const double *vertices);
void rlti_fill_forget_body(rlt_fill *fill);
void rlti_fill_keep_outside(const rlt_fill *fill, float width, int count, float *points);

#endif
