/* Samples of a body that a caller moves as it goes. */
#include <string.h>

#include "base/memory.h"
#include "body/body_data.h"

rlti_bone rlti_body_collider_bone(const rlti_body *body, int collider) {
    if (body->live != NULL)
        return (rlti_bone)(RLTI_BONE_COUNT + collider);
    return body->scene->colliders[collider].bone;
}

/* A collider that nobody moves goes with its bone. */
static void carry_colliders(const rlti_body *body, rlti_live_sample *to) {
    for (int c = 0; c < to->given.collider_count; c++) {
        int joint = body->joint_of[body->scene->colliders[c].bone];
        if (to->given.collider_moved[c])
            continue;
        to->given.colliders[c] = (rlti_pose){{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        if (joint >= 0)
            to->given.colliders[c] = to->poses[joint];
    }
}

int rlti_body_is_causal(const rlti_body *body) {
    return body->live != NULL && body->live->is_causal;
}

const rlti_live *rlti_body_live(const rlti_body *body) {
    return body->live;
}

int rlti_body_go_live(rlti_body *body, const rlti_live *def) {
    int vertices = rlti_body_is_file(body) ? body->mesh.vertex_count : 0;
    body->live = RLTI_NEW(rlti_live, 1);
    if (body->live == NULL)
        return 0;
    body->live->is_causal = def->is_causal;
    body->live->jump = def->jump;
    body->live->roots = def->roots;
    body->live->strand_count = def->strand_count;
    for (int k = 0; k < RLTI_LIVE_SAMPLES; k++) {
        rlti_live_input *given = &body->live->samples[k].given;
        if (!rlti_live_input_reserve(given, vertices, 0, body->scene->collider_count))
            return 0;
        rlti_live_input_reset(given);
    }
    return 1;
}

int rlti_body_live_reserve(rlti_body *body, int vertices, int strands) {
    for (int k = 0; k < RLTI_LIVE_SAMPLES; k++)
        if (!rlti_live_input_reserve(&body->live->samples[k].given, vertices, strands, 0))
            return 0;
    return 1;
}

/* Vertices of a file that moves, at a frame of its own. */
static rlt_status read_vertices(rlti_body *body, int motion, rlti_live_sample *to, rlt_messages *messages) {
    rlt_status status = rlti_body_file_begin(&body->file, motion, messages);
    const rlti_vec3 *vertices = status == RLT_OK ? rlti_body_file_sample(&body->file, motion) : NULL;
    if (vertices == NULL)
        return status;
    rlti_body_sample at = {.part = to->part, .poses = to->poses, .vertices = vertices};
    for (int v = 0; v < body->mesh.vertex_count; v++)
        to->given.vertices[v] = rlti_body_skin(body, &at, v);
    to->given.has_vertices = 1;
    return RLT_OK;
}

rlt_status rlti_body_live_push(rlti_body *body, int frame, int motion, const rlti_live_input *a,
                               const rlti_live_input *b, double s, rlt_messages *messages) {
    rlti_live *live = body->live;
    rlti_live_sample *to = &live->samples[(unsigned)frame % RLTI_LIVE_SAMPLES];
    rlti_live_input_blend(a, b, s, &to->given);
    to->part = rlti_body_pose_part(&body->scene->time, motion);
    to->brows = body->lift != NULL ? rlti_body_brows(body->scene, motion) : 0.0;
    rlti_body_poses(body, motion, &to->given, to->poses);
    carry_colliders(body, to);
    rlt_status status = body->file.geometry != NULL && !to->given.has_vertices
                            ? read_vertices(body, motion, to, messages)
                            : RLT_OK;
    live->newest = frame;
    return status;
}

void rlti_body_live_pack(rlti_body *body, struct rlti_packer *p) {
    const size_t poses = sizeof(rlti_pose) / sizeof(double) * RLTI_BONE_COUNT;
    for (int k = 0; k < RLTI_LIVE_SAMPLES; k++) {
        rlti_live_sample *s = &body->live->samples[k];
        rlti_live_input_pack(p, &s->given);
        rlti_pack(p, s->poses, poses);
        rlti_pack(p, &s->brows, 1);
        rlti_pack(p, &s->part, 1);
    }
    int newest = (int)rlti_pack_whole(p, body->live->newest);
    if (p->dry)
        return;
    body->live->newest = newest;
    if (p->from != NULL)
        body->has_jumps = 0;
}
