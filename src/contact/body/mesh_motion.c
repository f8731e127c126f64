#include "contact/body/mesh_motion.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "body/jump.h"
#include "body/live.h"

enum { SAMPLES = RLTI_MOTION_SAMPLES };

static int sample_frame(int frame, int sample) {
    long long wanted = (long long)frame + sample - 2;
    return wanted > INT32_MAX ? INT32_MAX : (wanted < INT32_MIN ? INT32_MIN : (int)wanted);
}

/* Half the diagonal of the box around the rest pose. */
static double half_diagonal(const rlti_obj *obj) {
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double minimum = obj->vertices[0][k], maximum = minimum;
        for (int v = 1; v < obj->vertex_count; v++) {
            minimum = fmin(minimum, obj->vertices[v][k]);
            maximum = fmax(maximum, obj->vertices[v][k]);
        }
        square += (maximum - minimum) * (maximum - minimum);
    }
    return 0.5 * sqrt(square);
}

/* The file that holds at a frame. */
static int file_frame(const rlti_mesh_motion *motion, int frame) {
    int held = rlti_body_held_frame(motion->scene, frame);
    return motion->geometry != NULL ? held : rlti_sequence_hold(&motion->sequence, held);
}

static int allocate(rlti_mesh_motion *motion) {
    size_t size = rlti_sequence_path_size(&motion->sequence);
    return RLTI_ALLOCATE(RLTI_ITEMS(motion->path, size), RLTI_ITEMS(motion->first_path, size));
}

/* It has samples, each in a file of its own or all in one. */
static int is_sampled(const rlti_mesh_motion *motion) {
    return motion->geometry != NULL ? motion->geometry->time_count > 1
                                    : rlti_sequence_is_numbered(&motion->sequence);
}

/* Until a frame is begun, and for good where nothing moves, all samples are the rest pose. */
static int allocate_slots(rlti_mesh_motion *motion) {
    for (int i = 0; i < SAMPLES; i++) {
        motion->sample[i] = (const double(*)[3])motion->obj->vertices;
        motion->pose[i].rotation.w = motion->part[i] = 1.0;
    }
    for (int i = 0; i < SAMPLES && is_sampled(motion); i++) {
        motion->slots[i] = rlti_allocate((size_t)motion->obj->vertex_count, sizeof(double[3]));
        if (motion->slots[i] == NULL)
            return 0;
    }
    return 1;
}

static void convert(const rlti_mesh_motion *motion, double (*vertices)[3]) {
    const double *m = motion->to_scene;
    for (int v = 0; motion->converts && v < motion->obj->vertex_count; v++) {
        double p[3] = {vertices[v][0], vertices[v][1], vertices[v][2]};
        for (int k = 0; k < 3; k++)
            vertices[v][k] = p[0] * m[k] + p[1] * m[4 + k] + p[2] * m[8 + k] + m[12 + k];
    }
}

/* A file of a sequence that was read: it must still be what it was when the run began. */
static rlt_status check_file(const rlti_mesh_motion *motion, const char *path, rlt_status status, int first,
                             rlt_messages *messages) {
    const rlt_inputs *inputs = motion->body != NULL ? rlti_files_inputs(rlti_body_files(motion->body)) : NULL;
    if (rlti_inputs_still(inputs, path, NULL) == RLT_OK)
        return status;
    rlti_messages_drop(messages, first);
    return rlti_input_changed(path, messages);
}

/* OBJ files have no units: those of the scene's `files` count. */
static rlt_status open_obj(rlti_mesh_motion *motion, const char *path, rlt_messages *messages) {
    const rlti_stage unknown = {.reader = NULL};
    rlt_status status = rlti_sequence_open(path, messages, &motion->sequence);
    if (status != RLT_OK)
        return status;
    if (!allocate(motion))
        return rlti_out_of_memory(messages);
    rlti_files_space(motion->scene, &unknown, motion->to_scene);
    for (int i = 0; i < 16; i++)
        motion->converts = motion->converts || motion->to_scene[i] != (i % 5 == 0 ? 1.0 : 0.0);
    rlti_sequence_path(&motion->sequence, file_frame(motion, motion->scene->time.first), motion->first_path,
                       rlti_sequence_path_size(&motion->sequence));
    if (motion->body != NULL)
        status =
            rlti_sequence_list(&motion->sequence, rlti_files_inputs(rlti_body_files(motion->body)), messages);
    int first_message = rlt_messages_count(messages);
    if (status == RLT_OK)
        status =
            check_file(motion, motion->first_path, rlti_obj_read(motion->first_path, messages, &motion->obj),
                       first_message, messages);
    if (status == RLT_OK)
        convert(motion, motion->obj->vertices);
    return status;
}

/* Memory for a mesh that is not from an OBJ file; its vertices and triangles are to be filled in. */
static rlti_obj *create_obj(int vertices, int triangles) {
    rlti_obj *obj = RLTI_NEW(rlti_obj, 1);
    if (obj == NULL)
        return NULL;
    obj->vertex_count = vertices;
    obj->triangle_count = obj->face_count = triangles;
    if (RLTI_ALLOCATE(RLTI_ITEMS(obj->vertices, vertices), RLTI_ITEMS(obj->triangles, triangles)))
        return obj;
    rlti_obj_destroy(obj);
    return NULL;
}

static rlt_status open_stage(rlti_mesh_motion *motion, const rlti_collider_data *data,
                             rlt_messages *messages) {
    int prim = -1;
    rlti_files *files = motion->body != NULL ? rlti_body_files(motion->body) : NULL;
    if (files == NULL)
        files = motion->files = rlti_files_create(motion->scene);
    if (files == NULL)
        return rlti_out_of_memory(messages);
    rlt_status status = rlti_files_open(files, data->file, messages, &motion->stage);
    if (status == RLT_OK)
        status = rlti_files_select_one(motion->stage, RLTI_PRIM_MESH, data->prim, messages, &prim);
    if (status != RLT_OK)
        return status;
    rlti_geometry_def def = {.time = rlti_files_rest_time(motion->stage), .levels = data->subdivide};
    rlti_files_space(motion->scene, motion->stage, def.to_target);
    status = rlti_geometry_open(motion->stage, prim, &def, messages, &motion->geometry);
    if (status != RLT_OK)
        return status;
    const rlti_geometry *geometry = motion->geometry;
    if (geometry->triangle_count == 0)
        return rlti_refuse(messages, "%s: %s: the mesh has no faces; name another (colliders.prim)",
                           motion->stage->file, motion->stage->prims[prim].path);
    motion->obj = create_obj(geometry->point_count, geometry->triangle_count);
    if (motion->obj == NULL)
        return rlti_out_of_memory(messages);
    memcpy(motion->obj->triangles, geometry->triangles,
           (size_t)geometry->triangle_count * sizeof *motion->obj->triangles);
    return rlti_geometry_points(motion->geometry, def.time, messages, motion->obj->vertices);
}

/* Numbered files are OBJ files; else the first bytes decide. */
static int is_stage(const char *path) {
    unsigned char bytes[4096];
    FILE *file = strchr(path, '#') == NULL ? fopen(path, "rb") : NULL;
    if (file == NULL)
        return 0; /* errors in it are reported where it is read */
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    const char *format = rlti_stage_format(bytes, count);
    return format != NULL && strcmp(format, "obj") != 0;
}

static void begin(const rlti_scene_data *scene, const rlti_collider_data *data, const rlti_body *body,
                  rlti_mesh_motion *motion) {
    memset(motion, 0, sizeof *motion);
    memcpy(motion->name, data->name, sizeof motion->name);
    motion->scene = scene;
    motion->place = data->file_place;
    motion->body = body;
}

rlt_status rlti_mesh_motion_open(const rlti_scene_data *scene, const rlti_collider_data *data,
                                 const char *path, const rlti_body *body, rlt_messages *messages,
                                 rlti_mesh_motion *motion) {
    begin(scene, data, body, motion);
    motion->bone =
        body != NULL ? rlti_body_collider_bone(body, (int)(data - scene->colliders)) : RLTI_BONE_NONE;
    int first_message = rlt_messages_count(messages), from_stage = is_stage(path);
    rlt_status status = from_stage ? open_stage(motion, data, messages) : open_obj(motion, path, messages);
    if (from_stage && data->file_place[0] != '\0')
        rlti_messages_prefix(messages, first_message, data->file_place);
    if (status == RLT_OK && !allocate_slots(motion))
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK)
        motion->jump_size = half_diagonal(motion->obj);
    else
        rlti_mesh_motion_close(motion);
    return status;
}

rlt_status rlti_mesh_motion_open_body(const rlti_scene_data *scene, const rlti_collider_data *data,
                                      const rlti_body *body, rlt_messages *messages,
                                      rlti_mesh_motion *motion) {
    const rlti_mesh *mesh = rlti_body_mesh(body);
    begin(scene, data, body, motion);
    motion->is_body = 1;
    motion->obj = create_obj(mesh->vertex_count, mesh->triangle_count);
    motion->segment = RLTI_NEW(rlti_vec3, 4 * (size_t)mesh->vertex_count);
    if (motion->obj == NULL || motion->segment == NULL) {
        rlti_mesh_motion_close(motion);
        return rlti_out_of_memory(messages);
    }
    memcpy(motion->obj->triangles, mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    memcpy(motion->obj->vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    return RLT_OK;
}

void rlti_mesh_motion_close(rlti_mesh_motion *motion) {
    for (int i = 0; i < SAMPLES; i++)
        rlti_free(motion->slots[i]);
    rlti_geometry_close(motion->geometry);
    rlti_files_destroy(motion->files);
    rlti_free(motion->segment);
    rlti_obj_destroy(motion->obj);
    rlti_sequence_close(&motion->sequence);
    RLTI_FREE(motion->path, motion->first_path);
    memset(motion, 0, sizeof *motion);
}

int rlti_mesh_motion_is_still(const rlti_mesh_motion *motion) {
    if (motion->is_body)
        return 0;
    return motion->bone == RLTI_BONE_NONE &&
           (motion->geometry != NULL ? !is_sampled(motion) : motion->sequence.first == motion->sequence.last);
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
    motion->slot_frame[slot] = frame;
    if (motion->geometry != NULL) {
        double time = rlti_files_time(motion->scene, motion->stage, motion->geometry, frame);
        rlt_status read = rlti_geometry_points(motion->geometry, time, messages, motion->slots[slot]);
        motion->slot_full[slot] = read == RLT_OK;
        return read;
    }
    rlti_sequence_path(&motion->sequence, frame, motion->path, rlti_sequence_path_size(&motion->sequence));
    int first = rlt_messages_count(messages);
    rlt_status status =
        rlti_obj_read_vertices(motion->path, motion->obj, motion->first_path, messages, motion->slots[slot]);
    status = check_file(motion, motion->path, status, first, messages);
    motion->slot_full[slot] = status == RLT_OK;
    if (status == RLT_OK)
        convert(motion, motion->slots[slot]);
    return status;
}

static rlt_status take_samples(rlti_mesh_motion *motion, int frame, rlt_messages *messages) {
    int needed[SAMPLES];
    for (int k = 0; k < SAMPLES; k++) {
        needed[k] = file_frame(motion, sample_frame(frame, k));
        motion->part[k] = rlti_body_pose_part(&motion->scene->time, sample_frame(frame, k));
        if (motion->bone != RLTI_BONE_NONE)
            motion->pose[k] = rlti_body_bone_sample(motion->body, motion->bone, sample_frame(frame, k));
    }
    for (int k = 0; k < SAMPLES; k++) {
        if (!is_sampled(motion))
            continue; /* always the rest pose */
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
        if (motion->part[k] < 1.0) { /* a preroll that eases in begins at rest */
            const double *rest = motion->obj->vertices[vertex];
            rlti_vec3 from = rlti_v3(rest[0], rest[1], rest[2]);
            p[k] = rlti_madd(from, motion->part[k], rlti_sub(p[k], from));
        }
        if (motion->bone != RLTI_BONE_NONE)
            p[k] = rlti_add(rlti_quat_rotate(motion->pose[k].rotation, p[k]), motion->pose[k].translation);
    }
    int causal = motion->body != NULL && rlti_body_is_causal(motion->body);
    if (motion->along == 0 && !causal)
        return;
    if (causal)
        rlti_causal_positions(p + 1, motion->along);
    else
        rlti_jump_positions(p + 1, motion->along);
    p[0] = rlti_sub(rlti_scale(2.0, p[1]), p[2]);
    p[5] = rlti_sub(rlti_scale(2.0, p[4]), p[3]);
}

/* Jumps of the body that the mesh makes too: at a cut, or where every vertex goes further than
 * character.jump. Hair is at the end of such a jump from its start on, and so is the mesh. */
static int jumps_along(rlti_mesh_motion *motion, int frame) {
    int along = motion->body != NULL ? rlti_body_jumps(motion->body, frame) : 0;
    motion->along = 0;
    for (int v = 0; v < motion->obj->vertex_count && along != 0; v++) {
        rlti_vec3 p[SAMPLES];
        world_samples(motion, v, p);
        for (int k = 0; k < 3; k++)
            if (!rlti_frames_has(&motion->scene->character.cuts, frame + k) &&
                !(rlti_length(rlti_sub(p[k + 2], p[k + 1])) > motion->scene->character.jump))
                along &= ~(1 << k);
    }
    return along;
}

/* How far step 1 is from what its neighbours announce, if that makes it a jump; else 0. */
static double surprise(rlti_vec3 before, rlti_vec3 step, rlti_vec3 after, double size) {
    double change = rlti_length(rlti_sub(after, before));
    double off = rlti_length(rlti_madd(step, -0.5, rlti_add(before, after)));
    return off > size && off > change ? off : 0.0;
}

static void find_jumps(rlti_mesh_motion *motion, int frame, rlt_messages *messages) {
    double furthest = 0.0;
    int which = 0;
    memset(motion->jump, 0, sizeof motion->jump);
    /* a bone jumps with the body only */
    for (int v = 0; v < motion->obj->vertex_count && is_sampled(motion); v++) {
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
    if (!motion->jump[1] || motion->reported)
        return;
    char distance[32];
    rlti_number_format(floor(100.0 * furthest + 0.5) / 100.0, distance, sizeof distance);
    rlti_warn(
        messages,
        "collider '%s' jumps from frame %d to %d (vertex %d by %s units): it is moved without speed; hair "
        "it lands on is pushed out gently",
        motion->name, frame, frame + 1, which + 1, distance);
    motion->reported = 1;
}

rlt_status rlti_mesh_motion_begin(rlti_mesh_motion *motion, int frame, rlt_messages *messages) {
    if (motion->is_body) {
        rlti_body_vertex_segment(motion->body, frame, motion->segment);
        return RLT_OK;
    }
    int first_message = rlt_messages_count(messages);
    rlt_status status = take_samples(motion, frame, messages);
    if (motion->place[0] != '\0')
        rlti_messages_prefix(messages, first_message, motion->place);
    if (status == RLT_OK) {
        motion->along = jumps_along(motion, frame);
        find_jumps(motion, frame, messages);
    }
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
    size_t all = (size_t)motion->obj->vertex_count;
    for (int i = 0; i < 4 && motion->is_body; i++)
        for (int v = 0; v < count; v++)
            coefficients[(size_t)i * (size_t)count + (size_t)v] =
                motion->segment[(size_t)i * all + (size_t)from[v]];
    if (motion->is_body)
        return;
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
