/* A body from a file: its mesh at rest, and where its vertices are at the frames around the present one. */
#ifndef RLTI_BODY_BODY_FILE_H
#define RLTI_BODY_BODY_FILE_H

#include "body/body.h"
#include "scene/files.h"

enum { RLTI_BODY_SLOTS = 4 }; /* samples that decide one frame interval */

typedef struct rlti_body_file {
    const rlti_scene_data *scene;
    const rlti_stage *stage;
    rlti_geometry *geometry;
    double (*uv)[2];                   /* [3 * triangle_count] texture coordinates of the corners, or NULL */
    rlti_vec3 *slots[RLTI_BODY_SLOTS]; /* [vertex_count] NULL where nothing moves */
    int slot_frame[RLTI_BODY_SLOTS];
    int slot_full[RLTI_BODY_SLOTS];
} rlti_body_file;

/* Reads the mesh at its rest time into `mesh`, with the regions all and each face set. On failure nothing is
 * kept. */
rlt_status rlti_body_file_open(const rlti_scene_data *scene, rlti_files *files, rlt_messages *messages,
                               rlti_mesh *mesh, rlti_body_file *file);
void rlti_body_file_close(rlti_body_file *file);

/* Reads the samples from `frame` - 1 to `frame` + 2. */
rlt_status rlti_body_file_begin(rlti_body_file *file, int frame, rlt_messages *messages);

/* The vertices at a frame that was read; NULL when it was not, or when nothing ever moves. */
const rlti_vec3 *rlti_body_file_sample(const rlti_body_file *file, int frame);

#endif
