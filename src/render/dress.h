/* Generated characters as pictures show them: the head with lips, lids, brows, and a shirt on a trunk below
 * the bust; the horse with dark legs, muzzle and eyes. The mesh that hair collides with has none of it. */
#ifndef RLTI_RENDER_DRESS_H
#define RLTI_RENDER_DRESS_H

#include "render/trace_vector.h"
#include "ringlet/simulation.h"
#include "ringlet/status.h"

/* Where the vertices of a generated head or horse are at rest, if a view's mesh is one. */
typedef struct rlti_dress {
    int vertex_count, triangle_count; /* of the mesh it was last asked for */
    int rest_count;                   /* vertices of the character; 0: it is none */
    int is_horse;
    float *rest; /* [rest_count][3] */
} rlti_dress;

/* Looks the view's mesh up. Quick for the mesh of the frame before. */
rlt_status rlti_dress_find(rlti_dress *dress, const rlt_frame_view *view, rlt_messages *messages);
void rlti_dress_destroy(rlti_dress *dress);

/* Paint at a place of the character at rest. */
typedef struct rlti_makeup {
    rlti_f3 tint; /* factor on the skin's colour */
    float brow;   /* 0..1: hair of brows and lashes */
    float cloth;  /* 0..1: a shirt */
    float coat;   /* 0..1: short hair, which does not shine as skin does */
} rlti_makeup;
rlti_makeup rlti_dress_at(rlti_f3 rest, int is_horse);

/* How far a place of the head at rest is within the shirt; negative beside it [unit]. */
float rlti_dress_shirt(rlti_f3 rest);

/* Skin with its paint. */
rlti_f3 rlti_painted(rlti_f3 skin, rlti_f3 brow, const rlti_makeup *makeup);

/* Draws the bust's base down to a trunk, so that it does not end within the picture; at both ends of the
 * shutter alike. 0: out of memory. */
int rlti_dress_lengthen(const rlti_dress *dress, int vertex_count, float *const vertices[2], int steps,
                        float *normals);

#endif
