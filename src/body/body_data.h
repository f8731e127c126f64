/* Inside of the body, shared by body.c and body_live.c. */
#ifndef RLTI_BODY_BODY_DATA_H
#define RLTI_BODY_BODY_DATA_H

#include "body/body_file.h"
#include "body/character.h"
#include "body/live.h"

struct rlti_body {
    const rlti_scene_data *scene;
    const rlti_character *character;
    rlti_mesh mesh;
    rlti_files *files;
    rlti_body_file file; /* where the mesh comes from one */
    rlti_vec3 middle;    /* of a mesh from a file: what it spins about */
    double *weights;     /* [vertex_count][joint_count]; NULL: all move with the first joint */
    rlti_vec3 *
        lift; /* [vertex_count] displacement of the rest vertex for brows raised by 1; NULL: they never move */
    int joint_of[RLTI_BONE_COUNT]; /* index of each bone's joint, -1: not a bone of this character */
    rlti_pose *cache; /* [cached_count][joint_count] poses of frames from cached_first on: thousands of roots
                         ask for the same few frames */
    int cached_first, cached_count;
    double (*curve)[7]; /* [curve_count] keys of motion.file; NULL: there is none */
    int curve_count;
    /* where roots turn by best fit: the triangles around each vertex, else NULL */
    int *around_first;      /* [vertex_count + 1] */
    int *around;            /* [3 triangle_count] */
    rlti_quat *turned_back; /* [triangle_count] rlti_rest_turned_back, where roots turn by cross products */
    int jumps, jumps_frame; /* rlti_jumps around the frame that was begun last: the same for every root */
    int has_jumps;          /* 1: they are known */
    rlti_live *live;        /* motion that is given as it goes; NULL: it follows from the scene */
};

/* All vertices at one frame sample. */
typedef struct rlti_body_sample {
    double part; /* share of the motion from the rest pose, below 1 in a preroll that eases in */
    const rlti_pose *poses;
    double brows;              /* raised by this */
    const rlti_vec3 *vertices; /* before the poses */
    const rlti_vec3 *world;    /* where vertices are, whatever the poses; NULL: not given */
    rlti_pose scratch[RLTI_BONE_COUNT];
} rlti_body_sample;

/* Poses of all bones at a frame sample, in the order of the character's joints. `input`: what a caller moves
 * besides; NULL: nothing. */
void rlti_body_poses(const rlti_body *body, int frame, const rlti_live_input *input, rlti_pose *poses);
/* A vertex of a sample. */
rlti_vec3 rlti_body_skin(const rlti_body *body, const rlti_body_sample *at, int vertex);
/* How far brows are raised at a frame sample [unit]. */
double rlti_body_brows(const rlti_scene_data *scene, int frame);

#endif
