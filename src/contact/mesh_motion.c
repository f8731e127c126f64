#include "contact/mesh_motion.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"

enum { SAMPLES = RLTI_MOTION_SAMPLES };

static int sample_frame(int frame, int sample) {
    long long wanted = (long long)frame + sample - 2;
    return wanted > INT32_MAX ? INT32_MAX : (wanted < INT32_MIN ? INT32_MIN : (int)wanted);
}

/* Half the diagonal of the box around the rest pose. */
static double half_diagonal(const rlti_obj *obj) {
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double least = obj->vertices[0][k], most = least;
        for (int v = 1; v < obj->vertex_count; v++) {
            least = fmin(least, obj->vertices[v][k]);
            most = fmax(most, obj->vertices[v][k]);
        }
        square += (most - least) * (most - least);
    }
    return 0.5 * sqrt(square);
}

/* The file that holds at a frame; before the scene's first frame the body waits in its first pose. */
static int file_frame(const rlti_mesh_motion *motion, int frame) {
    return rlti_sequence_hold(&motion->sequence, frame > motion->first ? frame : motion->first);
}

static int allocate(rlti_mesh_motion *motion) {
    size_t size = rlti_sequence_room(&motion->sequence);
    motion->path = RLTI_NEW(char, size);
    motion->first_path = RLTI_NEW(char, size);
    return motion->path != NULL && motion->first_path != NULL;
}

static int allocate_slots(rlti_mesh_motion *motion) {
    for (int i = 0; i < SAMPLES && rlti_sequence_is_numbered(&motion->sequence); i++) {
        motion->slots[i] = rlti_allocate((size_t)motion->obj->vertex_count, sizeof(double[3]));
        if (motion->slots[i] == NULL)
            return 0;
    }
    return 1;
}

rlt_status rlti_mesh_motion_open(const rlti_scene_data *scene, const rlti_collider_data *data,
                                 const char *path, const rlti_body *body, rlt_messages *messages,
                                 rlti_mesh_motion *motion) {
    memset(motion, 0, sizeof *motion);
    memcpy(motion->name, data->name, sizeof motion->name);
    motion->body = body;
    motion->bone = body != NULL ? data->bone : RLTI_BONE_NONE;
    motion->first = scene->time.first;
    rlt_status status = rlti_sequence_open(path, messages, &motion->sequence);
    if (status != RLT_OK)
        return status;
    if (!allocate(motion)) {
        status = rlti_out_of_memory(messages);
    } else {
        rlti_sequence_path(&motion->sequence, file_frame(motion, motion->first), motion->first_path,
                           rlti_sequence_room(&motion->sequence));
        status = rlti_obj_read(motion->first_path, messages, &motion->obj);
    }
    if (status == RLT_OK && !allocate_slots(motion))
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK)
        motion->jump_size = half_diagonal(motion->obj);
    else
        rlti_mesh_motion_close(motion);
    return status;
}

void rlti_mesh_motion_close(rlti_mesh_motion *motion) {
    for (int i = 0; i < SAMPLES; i++)
        rlti_free(motion->slots[i]);
    rlti_obj_destroy(motion->obj);
    rlti_sequence_close(&motion->sequence);
    rlti_free(motion->path);
    rlti_free(motion->first_path);
    memset(motion, 0, sizeof *motion);
}

int rlti_mesh_motion_is_still(const rlti_mesh_motion *motion) {
    return motion->bone == RLTI_BONE_NONE && motion->sequence.first == motion->sequence.last;
}

/* A slot whose file none of the samples needs. There is one: samples are as many as slots. */
static int free_slot(const rlti_mesh_motion *motion, const int needed[SAMPLES]) {
    for (int i = 0; i < SAMPLES; i++) {
        int used = 0;
        for (int k = 0; k < SAMPLES; k++)
            used = used || (motion->slot_full[i] && motion->slot_frame[i] == needed[k]);
        if (!used)
            return i;
    }
    return 0;
}

static int find_slot(const rlti_mesh_motion *motion, int frame) {
    for (int i = 0; i < SAMPLES; i++)
        if (motion->slot_full[i] && motion->slot_frame[i] == frame)
            return i;
    return -1;
}

static rlt_status fill_slot(rlti_mesh_motion *motion, int slot, int frame, rlt_messages *messages) {
    motion->slot_full[slot] = 0;
    rlti_sequence_path(&motion->sequence, frame, motion->path, rlti_sequence_room(&motion->sequence));
    rlt_status status =
        rlti_obj_read_vertices(motion->path, motion->obj, motion->first_path, messages, motion->slots[slot]);
    motion->slot_full[slot] = status == RLT_OK;
    motion->slot_frame[slot] = frame;
    return status;
}

static rlt_status take_samples(rlti_mesh_motion *motion, int frame, rlt_messages *messages) {
    int needed[SAMPLES];
    for (int k = 0; k < SAMPLES; k++) {
        needed[k] = file_frame(motion, sample_frame(frame, k));
        if (motion->bone != RLTI_BONE_NONE)
            motion->pose[k] = rlti_body_bone_sample(motion->body, motion->bone, sample_frame(frame, k));
    }
    for (int k = 0; k < SAMPLES; k++) {
        if (!rlti_sequence_is_numbered(&motion->sequence)) {
            motion->sample[k] = (const double(*)[3])motion->obj->vertices;
            continue;
        }
        int slot = find_slot(motion, needed[k]);
        if (slot < 0) {
            slot = free_slot(motion, needed);
            rlt_status status = fill_slot(motion, slot, needed[k], messages);
            if (status != RLT_OK)
                return status;
        }
        motion->sample[k] = (const double(*)[3])motion->slots[slot];
    }
    return RLT_OK;
}

static void world_samples(const rlti_mesh_motion *motion, int vertex, rlti_vec3 p[SAMPLES]) {
    for (int k = 0; k < SAMPLES; k++) {
        const double *at = motion->sample[k][vertex];
        p[k] = rlti_v3(at[0], at[1], at[2]);
        if (motion->bone != RLTI_BONE_NONE)
            p[k] = rlti_add(rlti_quat_rotate(motion->pose[k].rotation, p[k]), motion->pose[k].translation);
    }
}

/* How far step 1 is from what its neighbours tell, if that makes it a jump; else 0. */
static double surprise(rlti_vec3 before, rlti_vec3 step, rlti_vec3 after, double size) {
    double change = rlti_length(rlti_sub(after, before));
    double off = rlti_length(rlti_madd(step, -0.5, rlti_add(before, after)));
    return off > size && off > change ? off : 0.0;
}

static void find_jumps(rlti_mesh_motion *motion, int frame, rlt_messages *messages) {
    double furthest = 0.0;
    int which = 0;
    memset(motion->jump, 0, sizeof motion->jump);
    /* a bone of the generated character never jumps */
    for (int v = 0; v < motion->obj->vertex_count && rlti_sequence_is_numbered(&motion->sequence); v++) {
        rlti_vec3 p[SAMPLES], step[SAMPLES - 1];
        world_samples(motion, v, p);
        for (int k = 0; k + 1 < SAMPLES; k++)
            step[k] = rlti_sub(p[k + 1], p[k]);
        for (int k = 0; k < 3; k++) {
            double off = surprise(step[k], step[k + 1], step[k + 2], motion->jump_size);
            motion->jump[k] = motion->jump[k] || off > 0.0;
            if (k == 1 && off > furthest) {
                furthest = off;
                which = v;
            }
        }
    }
    if (!motion->jump[1] || motion->told)
        return;
    char distance[32];
    rlti_number_format(floor(100.0 * furthest + 0.5) / 100.0, distance, sizeof distance);
    rlti_message(
        messages, RLT_WARNING,
        "collider '%s' jumps from frame %d to %d (vertex %d by %s units): it is moved without speed; hair "
        "it lands on is pushed out gently",
        motion->name, frame, frame + 1, which + 1, distance);
    motion->told = 1;
}

rlt_status rlti_mesh_motion_begin(rlti_mesh_motion *motion, int frame, rlt_messages *messages) {
    rlt_status status = take_samples(motion, frame, messages);
    if (status == RLT_OK)
        find_jumps(motion, frame, messages);
    return status;
}

/* Value, then Hermite with the tangents m1 and m2. */
static void cubic(rlti_vec3 p1, rlti_vec3 p2, rlti_vec3 m1, rlti_vec3 m2, rlti_vec3 c[4]) {
    rlti_vec3 d = rlti_sub(p2, p1);
    c[0] = p1;
    c[1] = m1;
    c[2] = rlti_sub(rlti_madd(rlti_scale(3.0, d), -2.0, m1), m2);
    c[3] = rlti_madd(rlti_add(m1, m2), -2.0, d);
}

void rlti_mesh_motion_segment(const rlti_mesh_motion *motion, const int *from, int count,
                              rlti_vec3 *coefficients) {
    const int *jump = motion->jump;
    const rlti_vec3 zero = rlti_v3(0, 0, 0);
    for (int v = 0; v < count; v++) {
        rlti_vec3 p[SAMPLES], c[4];
        world_samples(motion, from[v], p);
        rlti_vec3 step = rlti_sub(p[3], p[2]);
        if (jump[1]) {
            c[0] = p[2];
            c[1] = jump[0] ? zero : rlti_sub(p[2], p[1]);
            c[2] = c[3] = zero;
        } else {
            rlti_vec3 m1 = jump[0] ? step : rlti_scale(0.5, rlti_sub(p[3], p[1]));
            rlti_vec3 m2 = jump[2] ? step : rlti_scale(0.5, rlti_sub(p[4], p[2]));
            cubic(p[2], p[3], m1, m2, c);
        }
        for (int i = 0; i < 4; i++)
            coefficients[(size_t)i * (size_t)count + (size_t)v] = c[i];
    }
}
