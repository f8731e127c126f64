/* The character's surface and skeleton at time t: scalp mesh, named regions, colliders' bones, hair roots.
 *
 * The motion is sampled once per frame (as a file would deliver it), and everything between two samples is
 * cubic Hermite with Catmull-Rom tangents: position and velocity are continuous, because a velocity that
 * jumps at every sample makes hair jitter at 24 Hz. Frames before the scene's first (preroll) hold the first
 * pose, or ease into it (time.preroll_pose), unless motion.start is negative: then the motion is under way
 * already. */
#ifndef RLTI_BODY_BODY_H
#define RLTI_BODY_BODY_H

#include "base/math.h"
#include "ringlet/status.h"
#include "scene/scene_data.h"

typedef struct rlti_region {
    char name[RLTI_NAME_SIZE];
} rlti_region;

/* A triangle mesh with named regions; triangles are counter-clockwise seen from outside. */
typedef struct rlti_mesh {
    int vertex_count;
    int triangle_count;
    int region_count;
    rlti_vec3 *vertices; /* [vertex_count] rest pose */
    int (*triangles)[3]; /* [triangle_count] */
    uint32_t
        *regions; /* [triangle_count] bit r set: the triangle is part of region r (regions may overlap) */
    rlti_region *region_names; /* [region_count], at most 32 */
} rlti_mesh;

typedef struct rlti_body rlti_body;

/* Builds the character of the scene, or reads it from its file; with character.kind none the mesh has no
 * triangles. */
rlt_status rlti_body_create(const rlti_scene_data *scene, rlt_messages *messages, rlti_body **body);
void rlti_body_destroy(rlti_body *body);

const rlti_mesh *rlti_body_mesh(const rlti_body *body);

/* 1 when the mesh came from a file or a caller: it may be open, or have faces that do not fit together. */
int rlti_body_is_file(const rlti_body *body);

/* Texture coordinates of the corners of the mesh's triangles, [3 * triangle_count][2], or NULL. */
const double (*rlti_body_uv(const rlti_body *body))[2];

/* The files of the scene, open as long as the body is. */
struct rlti_files;
struct rlti_files *rlti_body_files(const rlti_body *body);

/* Reads what the interval [frame, frame + 1] needs from the body's file, if it has one. To be called before
 * roots or vertices of that interval, or of its two ends, are asked for; not thread safe. Other frames of a
 * body that moves by its file show the rest pose. */
rlt_status rlti_body_begin_frame(rlti_body *body, int frame, rlt_messages *messages);

/* Sample of the file that a frame of anything moved by a file takes: before the scene's first frame all wait
 * in their pose there, unless the motion is to be under way. */
int rlti_body_held_frame(const rlti_scene_data *scene, int frame);

/* How far a preroll that eases in has gone from the rest pose at a frame sample, 0 to 1. */
double rlti_body_pose_part(const rlti_time_data *time, int frame);

/* Index of a named region of the mesh, or -1. */
int rlti_body_region(const rlti_body *body, const char *name);

/* The unit direction (rest pose) in which hair of a region is combed at a rest-pose point of it, such as from
 * the crest of a neck to its side. Returns 0 where the character says nothing about it. */
int rlti_body_comb(const rlti_body *body, int region, rlti_vec3 point, rlti_vec3 *direction);

/* A rigid pose: world point = rotate(rotation, rest point) + translation. */
typedef struct rlti_pose {
    rlti_quat rotation;
    rlti_vec3 translation;
} rlti_pose;

int rlti_body_has_bone(const rlti_body *body, rlti_bone bone);

/* The bone that carries a collider of the scene. Where motion is live, each has one of its own, beyond the
 * character's. */
rlti_bone rlti_body_collider_bone(const rlti_body *body, int collider);

/* The pose of a bone at frame sample `frame` (any integer). A bone the character does not have stays where it
 * is, as `none` does. */
rlti_pose rlti_body_bone_sample(const rlti_body *body, rlti_bone bone, int frame);

/* Where a strand grows: a point of a triangle, or (triangle = -1) a rest-pose point carried by `bone`. */
typedef struct rlti_root {
    int triangle;
    double barycentric[3];
    rlti_bone bone;
    rlti_vec3 position; /* rest pose */
    rlti_vec3 offset;   /* from the point of the triangle to the root, at rest; turns with the triangle */
} rlti_root;

/* Where `count` roots are at a frame sample, and how they are turned from the rest pose. `skin`: all vertices
 * at that sample, where they are known; NULL: those that are needed are computed. */
void rlti_body_roots_sample(const rlti_body *body, const rlti_root *roots, int count, int frame,
                            const rlti_vec3 *skin, rlti_vec3 *positions, rlti_quat *rotations);

/* Motion over one frame interval s in [0, 1]: value(s) = c0 + s (c1 + s (c2 + s c3)). The rotation is from
 * the rest pose to now; its polynomial is to be normalised after evaluation. */
typedef struct rlti_motion_segment {
    rlti_vec3 position[4];
    rlti_quat rotation[4];
} rlti_motion_segment;

/* The segment of a root between frame samples `frame` and `frame` + 1. */
void rlti_body_root_segment(const rlti_body *body, const rlti_root *root, int frame,
                            rlti_motion_segment *segment);

/* Whether the body jumps between frame samples `frame` and `frame` + 1 (character.jump, character.cuts); then
 * *turn is how the root turns in the jump, to be applied to what hangs on it. */
int rlti_body_root_jump(const rlti_body *body, const rlti_root *root, int frame, rlti_quat *turn);

/* rlti_jumps of the body around that interval, as bits. */
int rlti_body_jumps(const rlti_body *body, int frame);

/* The segment of a bone: `position` is then its translation. */
void rlti_body_bone_segment(const rlti_body *body, rlti_bone bone, int frame, rlti_motion_segment *segment);

/* Value and derivative with respect to time (seconds) at s; `rate` is frames per second. The rotation is
 * returned unnormalised together with its derivative. */
void rlti_motion_segment_at(const rlti_motion_segment *segment, double s, double rate, rlti_vec3 *position,
                            rlti_vec3 *velocity, rlti_quat *rotation, rlti_quat *rotation_rate);

/* Vertex motion over one frame interval: coefficients like a motion segment's positions, [4][vertex_count].
 */
void rlti_body_vertex_segment(const rlti_body *body, int frame, rlti_vec3 *coefficients);

/* Vertices (and, unless NULL, velocities) at s in [0, 1] of that interval. */
void rlti_body_vertices_at(const rlti_body *body, const rlti_vec3 *coefficients, double s, double rate,
                           rlti_vec3 *positions, rlti_vec3 *velocities);

/* ---- live: motion that is given as it goes (body/live.h) ---- */

typedef struct rlti_live rlti_live;
typedef struct rlti_live_input rlti_live_input;

/* From now on samples are those that are pushed. Of `def` is_causal, jump, roots and strand_count count.
 * 0: out of memory. */
int rlti_body_go_live(rlti_body *body, const rlti_live *def);
const rlti_live *rlti_body_live(const rlti_body *body); /* NULL: it is not */
int rlti_body_is_causal(const rlti_body *body);
/* Memory for vertices and roots that are given; 0: out of memory. */
int rlti_body_live_reserve(rlti_body *body, int vertices, int strands);
/* The sample of `frame`: frame `motion` of the scene's own motion, with the inputs blended. Fails only
 * where a file cannot be read. */
rlt_status rlti_body_live_push(rlti_body *body, int frame, int motion, const rlti_live_input *a,
                               const rlti_live_input *b, double s, rlt_messages *messages);
/* All samples as numbers of a saved state, or from them (body/live.h). */
struct rlti_packer;
void rlti_body_live_pack(rlti_body *body, struct rlti_packer *packer);

/* Vertices exactly at a frame sample, for the writers. */
void rlti_body_vertices_sample(const rlti_body *body, int frame, rlti_vec3 *positions);

#endif
