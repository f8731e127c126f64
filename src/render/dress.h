/* The generated head as pictures show it: lips, lids, brows, and a shirt on a trunk below
 * the bust. The mesh that hair
 * collides with has none of it. */
#ifndef RLTI_RENDER_DRESS_H
#define RLTI_RENDER_DRESS_H

#include "render/trace_vector.h"
#include "ringlet/simulation.h"
#include "ringlet/status.h"

/* Where the vertices of the generated head are at rest, if a view's mesh is one. */
typedef struct rlti_dress {
    int vertex_count, triangle_count; /* of the mesh it was last asked for */
    int head_count;                   /* vertices of the head; 0: it is none */
    float *rest;                      /* [head_count][3] */
} rlti_dress;

/* Looks the view's mesh up. Quick for the mesh of the frame before. */
rlt_status rlti_dress_find(rlti_dress *dress, const rlt_frame_view *view, rlt_messages *messages);
void rlti_dress_destroy(rlti_dress *dress);

/* Paint at a place of the head at rest. */
typedef struct rlti_makeup {
    rlti_f3 tint; /* factor on the skin's colour */
    float brow;   /* 0..1: hair of brows and lashes */
    float cloth;  /* 0..1: a shirt */
} rlti_makeup;
rlti_makeup rlti_dress_at(rlti_f3 rest);

/* How far a place of the head at rest is within the shirt; negative beside it [unit]. */
float rlti_dress_shirt(rlti_f3 rest);

/* Skin with its paint. */
rlti_f3 rlti_painted(rlti_f3 skin, rlti_f3 brow, const rlti_makeup *makeup);

/* Draws the bust's base down to a trunk, so that it does not end within the picture; at both ends of the
 * shutter alike. */
void rlti_dress_lengthen(const rlti_dress *dress, int vertex_count, float *const vertices[2], int steps,
                         float *normals);

#endif
