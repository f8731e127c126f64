/* Where the vertices of a mesh from files are: one file carried by a bone, a numbered sequence of files, or a
 * file that has samples of its own. The same for the character's body where it came from a file.
 *
 * As with the generated body, everything between two samples is cubic Hermite with Catmull-Rom tangents, so
 * that velocities are continuous. Only the six samples around the present frame are held in memory: two
 * before, two after, because a jump (a cut in the animation) must be seen before its tangents are used.
 *
 * A jump between samples p1 and p2 is a step that its neighbours do not announce: with the steps before and
 * after it, d0 and d2, |d1 - (d0 + d2)/2| is greater than half the mesh's diagonal and than |d2 - d0|. Fast
 * motion, even a stop at 30 g, is far from that. In the frame of a jump the mesh continues as before, and at
 * its end it is there: nothing is ever given the speed of the jump. A jump together with the body
 * (character.jump) is made at the start of the frame, as hair makes it (body/jump.h). */
#ifndef RLTI_CONTACT_BODY_MESH_MOTION_H
#define RLTI_CONTACT_BODY_MESH_MOTION_H

#include "body/body.h"
#include "io/obj.h"
#include "io/sequence.h"
#include "scene/files.h"

enum { RLTI_MOTION_SAMPLES = 6 };

typedef struct rlti_mesh_motion {
    char name[RLTI_NAME_SIZE]; /* of the collider, for messages */
    const char *place;         /* of the file in the scene, for messages; may be empty */
    const rlti_scene_data *scene;
    const rlti_body *body;
    int is_body; /* it is the body's own mesh, and moves as that says */
    rlti_bone bone;
    rlti_sequence sequence;
    double to_scene[16]; /* from an OBJ file's units and axes */
    int converts;        /* 1: that changes something */
    rlti_files *files;   /* own, where there is no body to have them */
    const rlti_stage *stage;
    rlti_geometry *geometry; /* of a file with samples of its own; NULL: OBJ files */
    rlti_vec3 *segment;      /* [4][vertex_count] of the body */
    rlti_obj *obj;           /* the rest pose: the file of the scene's first frame, or its first sample */
    char *path;              /* scratch for a file's name */
    char *first_path;        /* of `obj` */

    /* samples around the present frame: [2] is its start, [3] its end */
    double (*slots[RLTI_MOTION_SAMPLES])[3]; /* [vertex_count] of a sequence: files read, in any order */
    int slot_frame[RLTI_MOTION_SAMPLES];     /* the file's number */
    int slot_full[RLTI_MOTION_SAMPLES];
    const double (*sample[RLTI_MOTION_SAMPLES])[3];
    rlti_pose pose[RLTI_MOTION_SAMPLES];
    double part
        [RLTI_MOTION_SAMPLES]; /* share of the motion from the rest pose, below 1 in a preroll that eases in */
    int jump[3];               /* between samples 1 and 2, 2 and 3, 3 and 4 */
    int along;                 /* rlti_jumps made together with the body, which are not among those */
    double jump_size;
    int reported; /* a jump has been reported */
} rlti_mesh_motion;

/* Reads the first file and looks which others there are. `path` is where the collider's file is. On failure
 * nothing is kept. */
rlt_status rlti_mesh_motion_open(const rlti_scene_data *scene, const rlti_collider_data *data,
                                 const char *path, const rlti_body *body, rlt_messages *messages,
                                 rlti_mesh_motion *motion);

/* The same for the body's own mesh, which came from a file. */
rlt_status rlti_mesh_motion_open_body(const rlti_scene_data *scene, const rlti_collider_data *data,
                                      const rlti_body *body, rlt_messages *messages,
                                      rlti_mesh_motion *motion);
void rlti_mesh_motion_close(rlti_mesh_motion *motion);

/* 1 when nothing ever moves. */
int rlti_mesh_motion_is_still(const rlti_mesh_motion *motion);

/* Reads what the interval [frame, frame + 1] needs. Warns of the first jump. Depends on the
 * frame only, not on what was read before. */
rlt_status rlti_mesh_motion_begin(rlti_mesh_motion *motion, int frame, rlt_messages *messages);

/* Coefficients over that interval for the vertices from[0 .. count - 1], as rlti_body_vertex_segment. */
void rlti_mesh_motion_segment(const rlti_mesh_motion *motion, const int *from, int count,
                              rlti_vec3 *coefficients);

#endif
