#include "body/body.h"
#include "body/segment.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "body/body_data.h"
#include "body/character.h"
#include "body/mesh.h"
#include "body/jump.h"
#include "body/motion.h"
#include "body/root_frame.h"
#include "base/number.h"
#include "io/key_file.h"
#include "scene/files.h"

/* Samples that decide one frame interval: before, start, end, after. */
enum { STENCIL = 4, CACHED_FRAMES_MAX = 4096 };

/* A body from a file moves as a whole, after what its file says. */
static const rlti_joint whole[] = {{RLTI_BONE_TORSO, RLTI_BONE_NONE, {0.0, 0.0, 0.0}}};
static const rlti_character from_file = {.joint_count = 1, .joints = whole};

static rlti_vec3 to_world(const rlti_character_data *character, rlti_vec3 p) {
    const double *at = character->position;
    return rlti_madd(rlti_v3(at[0], at[1], at[2]), character->scale, p);
}

static rlt_status build_mesh(rlti_body *body) {
    const rlti_character_data *place = &body->scene->character;
    const rlti_character *character = body->character;
    rlti_mesh *mesh = &body->mesh;
    size_t joints = (size_t)character->joint_count;
    if (!character->build(place->resolution, mesh))
        return RLT_FAILED;
    int skin = mesh->vertex_count;
    if (place->strap > 0.0 && character->strap != NULL && !character->strap(place->strap, mesh))
        return RLT_FAILED;
    body->weights = RLTI_NEW(double, (size_t)mesh->vertex_count *joints);
    int moves = 0;
    for (int i = 0; i < body->scene->motion.brows.count && character->lift != NULL; i++)
        moves = moves || body->scene->motion.brows.key[i][1] != 0.0;
    if (moves)
        body->lift = RLTI_NEW(rlti_vec3, mesh->vertex_count);
    if (body->weights == NULL || (moves && body->lift == NULL))
        return RLT_FAILED;
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (v < skin)
            character->weigh(mesh->vertices[v], body->weights + (size_t)v * joints);
        else
            body->weights[(size_t)v * joints] = 1.0;
        if (body->lift != NULL && character->lift != NULL && v < skin)
            body->lift[v] = rlti_scale(place->scale, character->lift(mesh->vertices[v]));
        mesh->vertices[v] = to_world(place, mesh->vertices[v]);
    }
    return RLT_OK;
}

int rlti_body_held_frame(const rlti_scene_data *scene, int frame) {
    return frame < scene->time.first && !(scene->motion.start < 0.0) ? scene->time.first : frame;
}

double rlti_body_pose_part(const rlti_time_data *time, int frame) {
    if (time->preroll_pose != RLTI_PREROLL_EASE || frame >= time->first)
        return 1.0;
    double begin = (double)time->first - time->preroll;
    return time->preroll > 0 ? rlti_ease(((double)frame - begin) / (0.75 * time->preroll)) : 1.0;
}

/* Part of a rotation, along the shortest arc. */
static rlti_quat part_of_turn(double part, rlti_quat q) {
    double sign = q.w < 0.0 ? -1.0 : 1.0, s = sign * part;
    return rlti_quat_normalize((rlti_quat){1.0 - part + s * q.w, s * q.x, s * q.y, s * q.z});
}

static void ease_joints(double part, rlti_joints *joints) {
    joints->travel = rlti_scale(part, joints->travel);
    for (int b = 0; b < RLTI_BONE_COUNT; b++)
        joints->turn[b] = part_of_turn(part, joints->turn[b]);
}

/* Adds turns and moves of a caller. */
static void add_input(const rlti_live_input *input, rlti_joints *joints, rlti_pose *world) {
    for (int b = 0; b < RLTI_BONE_COUNT; b++)
        if (input->turned >> b & 1u)
            joints->turn[b] = rlti_quat_multiply(input->turn[b], joints->turn[b]);
    if (!input->is_moved)
        return;
    world->translation = rlti_pose_apply(&input->whole, world->translation);
    world->rotation = rlti_quat_multiply(input->whole.rotation, world->rotation);
}

static rlti_vec3 pivot_of(const rlti_body *body, const rlti_joint *joint) {
    return body->character == &from_file ? body->middle : to_world(&body->scene->character, joint->pivot);
}

/* Those of motion.kind keys: from the scene, or from its file. */
static rlti_key_list motion_keys(const rlti_body *body) {
    return body->curve != NULL ? (rlti_key_list){body->curve_count, (const double(*)[7])body->curve}
                               : rlti_key_list_of(&body->scene->motion.keys);
}

/* Poses of all bones at a frame sample, in the order of the character's joints. */
void rlti_body_poses(const rlti_body *body, int frame, const rlti_live_input *input, rlti_pose *poses) {
    const rlti_scene_data *scene = body->scene;
    /* in double: frame and first may be far apart */
    double seconds = ((double)frame - (double)scene->time.first) / scene->time.fps;
    rlti_key_list keys = motion_keys(body);
    rlti_joints joints = rlti_motion_at(scene, &keys, seconds);
    double part = rlti_body_pose_part(&scene->time, frame);
    if (part < 1.0)
        ease_joints(part, &joints);
    rlti_pose world = {{1.0, 0.0, 0.0, 0.0}, joints.travel};
    if (scene->character.keys.count > 0) {
        int held = seconds < 0.0 && !(scene->motion.start < 0.0);
        keys = rlti_key_list_of(&scene->character.keys);
        rlti_pose keyed = rlti_keys_at(&keys, 1.0, held ? scene->time.first : frame);
        if (part < 1.0) {
            keyed.rotation = part_of_turn(part, keyed.rotation);
            keyed.translation = rlti_scale(part, keyed.translation);
        }
        world.translation = rlti_pose_apply(&keyed, joints.travel);
        world.rotation = keyed.rotation;
    }
    if (input != NULL)
        add_input(input, &joints, &world);
    for (int j = 0; j < body->character->joint_count; j++) {
        const rlti_joint *joint = &body->character->joints[j];
        int parent = body->joint_of[joint->parent];
        poses[j] = rlti_pose_attach(parent < 0 ? world : poses[parent], joints.turn[joint->bone],
                                    pivot_of(body, joint));
    }
}

static rlt_status cache_poses(rlti_body *body) {
    const rlti_time_data *time = &body->scene->time;
    /* one sample before the first interval, two after the last */
    double frames = (double)time->last - (double)time->first + 4.0;
    body->cached_first = time->first > INT32_MIN ? time->first - 1 : time->first;
    body->cached_count = frames < 1.0 ? 0 : (frames > CACHED_FRAMES_MAX ? CACHED_FRAMES_MAX : (int)frames);
    if (body->cached_count > (long long)INT32_MAX - body->cached_first)
        body->cached_count = 0;
    size_t joints = (size_t)body->character->joint_count;
    body->cache = RLTI_NEW(rlti_pose, (size_t)body->cached_count * joints);
    if (body->cache == NULL)
        return RLT_FAILED;
    for (int f = 0; f < body->cached_count; f++)
        rlti_body_poses(body, body->cached_first + f, NULL, body->cache + (size_t)f * joints);
    return RLT_OK;
}

/* The poses of a frame: those kept, or computed into the scratch `scratch`. */
static const rlti_pose *poses_at(const rlti_body *body, int frame, rlti_pose scratch[RLTI_BONE_COUNT]) {
    if (body->live != NULL)
        return rlti_live_at(body->live, frame)->poses;
    long long at = (long long)frame - body->cached_first;
    if (at >= 0 && at < body->cached_count)
        return body->cache + (size_t)at * (size_t)body->character->joint_count;
    rlti_body_poses(body, frame, NULL, scratch);
    return scratch;
}

static rlt_status must_be_positive(const char *key, double value, rlt_messages *messages) {
    char text[32];
    if (value > 0.0)
        return RLT_OK;
    rlti_number_format(value, text, sizeof text); /* the same in every locale */
    return rlti_refuse(messages, "%s = %s: must be > 0", key, text);
}

/* The scene's reader checks ranges; a caller that fills the data itself is checked here. */
static rlt_status check(const rlti_scene_data *scene, rlt_messages *messages) {
    const rlti_character_data *character = &scene->character;
    rlt_status status = must_be_positive("time.fps", scene->time.fps, messages);
    if (status == RLT_OK)
        status = must_be_positive("metres_per_unit", scene->metres_per_unit, messages);
    if (status == RLT_OK)
        status = must_be_positive("character.scale", character->scale, messages);
    if (status == RLT_OK && character->kind == RLTI_CHARACTER_FILE &&
        (character->scale != 1.0 || character->position[0] != 0.0 || character->position[1] != 0.0 ||
         character->position[2] != 0.0))
        status = rlti_refuse(messages,
                             "character: position and scale are for generated characters; move a body from a "
                             "file with character.keys, its units are files.metres_per_unit");
    if (status == RLT_OK && character->resolution > 1000)
        status = rlti_refuse(messages, "character.resolution = %d: must be <= 1000", character->resolution);
    const char *refusal = rlti_motion_refusal(character->kind, scene->motion.kind);
    if (status == RLT_OK && refusal != NULL)
        status = rlti_refuse(messages, "motion.kind: %s", refusal);
    return status;
}

static void choose_character(rlti_body *body) {
    rlti_character_kind kind = body->scene->character.kind;
    if (body->scene->character.given != NULL)
        kind = RLTI_CHARACTER_FILE; /* as if it were */
    /* hair without a body hangs on the head's bones */
    body->character = kind == RLTI_CHARACTER_HORSE  ? &rlti_horse
                      : kind == RLTI_CHARACTER_FILE ? &from_file
                      : kind == RLTI_CHARACTER_BALL ? &rlti_ball
                                                    : &rlti_head;
    for (int b = 0; b < RLTI_BONE_COUNT; b++)
        body->joint_of[b] = -1;
    for (int j = 0; j < body->character->joint_count; j++)
        body->joint_of[body->character->joints[j].bone] = j;
    if (kind == RLTI_CHARACTER_FILE) /* whatever part is named moves with the whole */
        body->joint_of[RLTI_BONE_NECK] = body->joint_of[RLTI_BONE_HEAD] = 0;
}

/* A copy of the caller's mesh, all of it one region. */
static rlt_status copy_mesh(const rlti_mesh *from, rlti_mesh *to) {
    *to = (rlti_mesh){.vertex_count = from->vertex_count, .triangle_count = from->triangle_count};
    if (!RLTI_ALLOCATE(RLTI_ITEMS(to->vertices, from->vertex_count),
                       RLTI_ITEMS(to->triangles, from->triangle_count),
                       RLTI_ITEMS(to->regions, from->triangle_count), RLTI_ITEMS(to->region_names, 1)))
        return RLT_FAILED;
    memcpy(to->vertices, from->vertices, (size_t)from->vertex_count * sizeof *to->vertices);
    memcpy(to->triangles, from->triangles, (size_t)from->triangle_count * sizeof *to->triangles);
    to->region_count = 1;
    memcpy(to->region_names[0].name, "all", sizeof "all");
    for (int t = 0; t < to->triangle_count; t++)
        to->regions[t] = 1;
    return RLT_OK;
}

static rlt_status read_mesh(rlti_body *body, rlt_messages *messages) {
    const rlti_mesh *given = body->scene->character.given;
    rlt_status status =
        given == NULL ? rlti_body_file_open(body->scene, body->files, messages, &body->mesh, &body->file)
        : copy_mesh(given, &body->mesh) == RLT_OK ? RLT_OK
                                                  : rlti_out_of_memory(messages);
    if (status != RLT_OK)
        return status;
    rlti_vec3 low, high;
    rlti_mesh_bounds(&body->mesh, &low, &high);
    body->middle = rlti_scale(0.5, rlti_add(low, high));
    return RLT_OK;
}

/* Warns of keys that are all before or after the shot: nothing moves. */
static void check_keys(const rlti_body *body, const char *what, rlt_messages *messages) {
    const rlti_scene_data *scene = body->scene;
    rlti_key_list keys = motion_keys(body);
    /* frames of the keys that the scene's first and last frames show */
    double start = scene->motion.start, fps = scene->time.fps;
    double first = scene->time.first + (start < 0.0 ? -start * fps : 0.0);
    double last = scene->time.last - start * fps;
    double from = keys.count > 0 ? keys.key[0][0] : first,
           to = keys.count > 0 ? keys.key[keys.count - 1][0] : last;
    if (keys.count < 2 || (to > first && from < last))
        return;
    rlti_warn(
        messages,
        "%s: its keys are of frames %.9g to %.9g, the shot is %d to %d: the character does not move; set "
        "time.first and time.last, or shift the keys",
        what, from, to, scene->time.first, scene->time.last);
}

/* Whatever motion.kind is: a live scene may go over to keys. */
static rlt_status read_curve(rlti_body *body, rlt_messages *messages) {
    const rlti_motion_data *motion = &body->scene->motion;
    char path[RLTI_PATH_SIZE + RLTI_FILE_SIZE], prefix[RLTI_PLACE_SIZE + 32];
    int first = rlt_messages_count(messages), is_file = motion->file[0] != '\0';
    rlt_status status = RLT_OK;
    snprintf(prefix, sizeof prefix, "%s%smotion.%s", motion->file_place,
             motion->file_place[0] != '\0' ? ": " : "", is_file ? "file" : "keys");
    if (is_file) {
        rlti_files_path(body->scene, motion->file, path, sizeof path);
        status = rlti_key_file_read(path, rlti_files_inputs(body->files), messages, &body->curve,
                                    &body->curve_count);
        rlti_messages_prefix(messages, first, prefix);
    }
    if (status == RLT_OK && motion->kind == RLTI_MOTION_KEYS)
        check_keys(body, prefix, messages);
    return status;
}

/* Lists the triangles around every vertex. */
static rlt_status list_around(rlti_body *body) {
    const rlti_mesh *mesh = &body->mesh;
    const int *corners = (const int *)mesh->triangles;
    int count = 3 * mesh->triangle_count, vertices = mesh->vertex_count;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(body->around_first, vertices + 2), RLTI_ITEMS(body->around, count)))
        return RLT_FAILED;
    int *next = body->around_first +
                1; /* where to put a vertex's next triangle; in the end, where the following vertex begins */
    for (int c = 0; c < count; c++)
        next[corners[c] + 1]++;
    for (int v = 0; v < vertices; v++)
        next[v + 1] += next[v];
    for (int c = 0; c < count; c++)
        body->around[next[corners[c]]++] = c / 3;
    return RLT_OK;
}

static void rest_corners(const rlti_body *body, int triangle, rlti_vec3 rest[3]) {
    for (int k = 0; k < 3; k++)
        rest[k] = body->mesh.vertices[body->mesh.triangles[triangle][k]];
}

static rlt_status turn_back(rlti_body *body) {
    int count = body->mesh.triangle_count;
    body->turned_back = RLTI_NEW(rlti_quat, count);
    if (body->turned_back == NULL && count > 0)
        return RLT_FAILED;
    for (int t = 0; t < count; t++) {
        rlti_vec3 rest[3];
        rest_corners(body, t, rest);
        body->turned_back[t] = rlti_rest_turned_back(rest);
    }
    return RLT_OK;
}

static int fits_roots(const rlti_scene_data *scene) {
    const rlti_character_data *character = &scene->character;
    return character->root_frames == RLTI_ROOTS_BEST_FIT ||
           (character->root_frames == RLTI_ROOTS_AUTO &&
            (character->kind == RLTI_CHARACTER_FILE || character->given != NULL));
}

rlt_status rlti_body_create(const rlti_scene_data *scene, rlt_messages *messages, rlti_body **body) {
    *body = NULL;
    rlt_status status = check(scene, messages);
    if (status != RLT_OK)
        return status;
    rlti_body *made = RLTI_NEW(rlti_body, 1);
    if (made == NULL)
        return rlti_out_of_memory(messages);
    made->scene = scene;
    choose_character(made);
    made->files = rlti_files_create(scene);
    status = made->files != NULL ? RLT_OK : rlti_out_of_memory(messages);
    if (status == RLT_OK && made->character == &from_file)
        status = read_mesh(made, messages);
    else if (status == RLT_OK && scene->character.kind != RLTI_CHARACTER_NONE)
        status = build_mesh(made) == RLT_OK ? RLT_OK : rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = read_curve(made, messages);
    if (status == RLT_OK && cache_poses(made) != RLT_OK)
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK && (fits_roots(scene) ? list_around(made) : turn_back(made)) != RLT_OK)
        status = rlti_out_of_memory(messages);
    if (status != RLT_OK) {
        rlti_body_destroy(made);
        return status;
    }
    *body = made;
    return RLT_OK;
}

void rlti_body_destroy(rlti_body *body) {
    if (body == NULL)
        return;
    rlti_mesh_clear(&body->mesh);
    rlti_body_file_close(&body->file);
    rlti_files_destroy(body->files);
    for (int k = 0; k < RLTI_LIVE_SAMPLES && body->live != NULL; k++)
        rlti_live_input_clear(&body->live->samples[k].given);
    RLTI_FREE(body->curve, body->weights, body->lift, body->cache, body->around_first, body->around,
              body->turned_back, body->live, body);
}

const rlti_mesh *rlti_body_mesh(const rlti_body *body) {
    return &body->mesh;
}

int rlti_body_is_file(const rlti_body *body) {
    return body->character == &from_file;
}

const double (*rlti_body_uv(const rlti_body *body))[2] {
    return (const double(*)[2])body->file.uv;
}

struct rlti_files *rlti_body_files(const rlti_body *body) {
    return body->files;
}

int rlti_body_region(const rlti_body *body, const char *name) {
    for (int r = 0; r < body->mesh.region_count; r++)
        if (strcmp(body->mesh.region_names[r].name, name) == 0)
            return r;
    return -1;
}

int rlti_body_comb(const rlti_body *body, int region, rlti_vec3 point, rlti_vec3 *direction) {
    if (body->character->comb == NULL || body->mesh.triangle_count == 0)
        return 0;
    const rlti_character_data *place = &body->scene->character;
    rlti_vec3 at = rlti_v3(place->position[0], place->position[1], place->position[2]);
    rlti_vec3 own = rlti_scale(1.0 / place->scale, rlti_sub(point, at));
    *direction = rlti_normalize(body->character->comb(region, own));
    return 1;
}

int rlti_body_has_bone(const rlti_body *body, rlti_bone bone) {
    return bone > RLTI_BONE_NONE && bone < RLTI_BONE_COUNT && body->joint_of[bone] >= 0;
}

rlti_pose rlti_body_bone_sample(const rlti_body *body, rlti_bone bone, int frame) {
    rlti_pose scratch[RLTI_BONE_COUNT];
    if (body->live != NULL && bone >= RLTI_BONE_COUNT)
        return rlti_live_at(body->live, frame)->given.colliders[(int)bone - RLTI_BONE_COUNT];
    int joint = bone >= 0 && bone < RLTI_BONE_COUNT ? body->joint_of[bone] : -1;
    if (joint < 0)
        return (rlti_pose){{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    return poses_at(body, frame, scratch)[joint];
}

/* Linear blend skinning: the weighted mean of where the bones would take the vertex. A bone without weight is
 * skipped, so that vertices of one bone only move exactly rigidly. */
rlti_vec3 rlti_body_skin(const rlti_body *body, const rlti_body_sample *at, int vertex) {
    const rlti_pose *poses = at->poses;
    if (at->world != NULL)
        return at->world[vertex];
    if (body->weights == NULL) {
        rlti_vec3 p = at->vertices[vertex], rest = body->mesh.vertices[vertex];
        if (at->part < 1.0)
            p = rlti_madd(rest, at->part, rlti_sub(p, rest));
        return rlti_pose_apply(&poses[0], p);
    }
    int joints = body->character->joint_count;
    const double *weights = body->weights + (size_t)vertex * (size_t)joints;
    rlti_vec3 sum = rlti_v3(0, 0, 0), rest = at->vertices[vertex];
    if (body->lift != NULL)
        rest = rlti_madd(rest, at->brows, body->lift[vertex]);
    for (int j = 0; j < joints; j++)
        if (weights[j] != 0.0)
            sum = rlti_madd(sum, weights[j], rlti_pose_apply(&poses[j], rest));
    return sum;
}

/* A sample that is given, not computed. */
static void take_live(const rlti_body *body, const rlti_live_sample *live, rlti_body_sample *at) {
    at->part = live->part;
    at->poses = live->poses;
    at->brows = live->brows;
    at->vertices = body->mesh.vertices;
    at->world = live->given.has_vertices ? live->given.vertices : NULL;
}

double rlti_body_brows(const rlti_scene_data *scene, int frame) {
    int held = frame < scene->time.first && !(scene->motion.start < 0.0);
    return rlti_track_at(&scene->motion.brows, held ? scene->time.first : frame);
}

static void take_sample(const rlti_body *body, int frame, rlti_body_sample *at) {
    if (body->live != NULL) {
        take_live(body, rlti_live_at(body->live, frame), at);
        return;
    }
    at->world = NULL;
    at->part = rlti_body_pose_part(&body->scene->time, frame);
    at->poses = poses_at(body, frame, at->scratch);
    at->brows = body->lift != NULL ? rlti_body_brows(body->scene, frame) : 0.0;
    at->vertices = body->file.geometry != NULL ? rlti_body_file_sample(&body->file, frame) : NULL;
    if (at->vertices == NULL)
        at->vertices = body->mesh.vertices;
}

/* Cubic Hermite coefficients in s of the interval between p[1] and p[2], with Catmull-Rom tangents. */
static void hermite(const double p[STENCIL], double c[STENCIL]) {
    double m1 = 0.5 * (p[2] - p[0]);
    double m2 = 0.5 * (p[3] - p[1]);
    double d = p[2] - p[1];
    c[0] = p[1];
    c[1] = m1;
    c[2] = 3.0 * d - 2.0 * m1 - m2;
    c[3] = m1 + m2 - 2.0 * d;
}

static void hermite_vector(const rlti_vec3 p[STENCIL], rlti_vec3 c[STENCIL]) {
    double x[STENCIL], y[STENCIL], z[STENCIL];
    double cx[STENCIL], cy[STENCIL], cz[STENCIL];
    for (int k = 0; k < STENCIL; k++) {
        x[k] = p[k].x;
        y[k] = p[k].y;
        z[k] = p[k].z;
    }
    hermite(x, cx);
    hermite(y, cy);
    hermite(z, cz);
    for (int k = 0; k < STENCIL; k++)
        c[k] = rlti_v3(cx[k], cy[k], cz[k]);
}

/* q and -q are the same rotation: each sample takes the sign nearer to its predecessor, else the cubic would
 * run through zero. */
static void align_signs(rlti_quat q[STENCIL]) {
    for (int k = 1; k < STENCIL; k++) {
        const rlti_quat *a = &q[k - 1];
        rlti_quat *b = &q[k];
        if (a->w * b->w + a->x * b->x + a->y * b->y + a->z * b->z < 0.0)
            *b = (rlti_quat){-b->w, -b->x, -b->y, -b->z};
    }
}

/* The segment through four samples, `jumps` among them. */
static void segment_from_samples(const rlti_body *body, rlti_vec3 p[STENCIL], rlti_quat q[STENCIL], int jumps,
                                 rlti_motion_segment *segment) {
    int causal = body->live != NULL && body->live->is_causal;
    if (causal) {
        rlti_causal_positions(p, jumps);
        align_signs(q);
        rlti_causal_rotations(q, jumps);
    } else {
        rlti_jump_positions(p, jumps);
        rlti_jump_rotations(q, jumps);
        align_signs(q);
    }
    hermite_vector(p, segment->position);
    double component[4][STENCIL], c[4][STENCIL];
    for (int k = 0; k < STENCIL; k++) {
        component[0][k] = q[k].w;
        component[1][k] = q[k].x;
        component[2][k] = q[k].y;
        component[3][k] = q[k].z;
    }
    for (int i = 0; i < 4; i++)
        hermite(component[i], c[i]);
    for (int k = 0; k < STENCIL; k++)
        segment->rotation[k] = (rlti_quat){c[0][k], c[1][k], c[2][k], c[3][k]};
}

/* The deformation around a vertex: that of its triangles, by their area at rest. */
static void deformation_around(const rlti_body *body, const rlti_body_sample *at, int vertex, double weight,
                               rlti_matrix3 *sum) {
    int first = body->around_first[vertex], last = body->around_first[vertex + 1];
    rlti_vec3 rest[3], now[3];
    double area = 0.0;
    for (int a = first; a < last; a++) {
        rest_corners(body, body->around[a], rest);
        area += rlti_triangle_twice_area(rest);
    }
    for (int a = first; a < last && area > 0.0; a++) {
        int triangle = body->around[a];
        rest_corners(body, triangle, rest);
        for (int k = 0; k < 3; k++)
            now[k] = rlti_body_skin(body, at, body->mesh.triangles[triangle][k]);
        rlti_deformation_add(sum, weight * rlti_triangle_twice_area(rest) / area, rest, now);
    }
}

/* The rotation nearest to the deformation of the skin around the root. */
static rlti_quat best_fit(const rlti_body *body, const rlti_body_sample *at, const rlti_root *root) {
    rlti_matrix3 sum = {0};
    for (int k = 0; k < 3; k++) /* a root beside its triangle has weights below 0 */
        deformation_around(body, at, body->mesh.triangles[root->triangle][k], fmax(root->barycentric[k], 0.0),
                           &sum);
    return rlti_nearest_rotation(&sum);
}

/* 1: the root is where the caller says. */
static int root_given(const rlti_body *body, const rlti_root *root, int frame, rlti_vec3 *position,
                      rlti_quat *rotation) {
    const rlti_live *live = body->live;
    const rlti_live_input *given = live != NULL ? &rlti_live_at(live, frame)->given : NULL;
    if (given == NULL)
        return 0;
    if (!given->has_roots || root < live->roots || root >= live->roots + live->strand_count)
        return 0;
    *position = given->roots[root - live->roots];
    *rotation = given->turns[root - live->roots];
    return 1;
}

static int is_on_mesh(const rlti_body *body, const rlti_root *root) {
    return root->triangle >= 0 && root->triangle < body->mesh.triangle_count;
}

/* A root on the mesh; `skin`: where its vertices are, NULL: not known. */
static void place_root(const rlti_body *body, const rlti_root *root, const rlti_body_sample *at,
                       const rlti_vec3 *skin, rlti_vec3 *position, rlti_quat *rotation) {
    const int *corner = body->mesh.triangles[root->triangle];
    rlti_vec3 now[3];
    *position = rlti_v3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        now[k] = skin != NULL ? skin[corner[k]] : rlti_body_skin(body, at, corner[k]);
        *position = rlti_madd(*position, root->barycentric[k], now[k]);
    }
    *rotation = body->around != NULL ? best_fit(body, at, root)
                                     : rlti_rotation_by_cross(body->turned_back[root->triangle], now);
    if (root->offset.x != 0.0 || root->offset.y != 0.0 || root->offset.z != 0.0)
        *position = rlti_add(*position, rlti_quat_rotate(*rotation, root->offset));
}

void rlti_body_roots_sample(const rlti_body *body, const rlti_root *roots, int count, int frame,
                            const rlti_vec3 *skin, rlti_vec3 *positions, rlti_quat *rotations) {
    rlti_body_sample at; /* the body's pose, taken once, where it is needed */
    for (int r = 0, taken = 0; r < count; r++) {
        if (root_given(body, &roots[r], frame, &positions[r], &rotations[r]))
            continue;
        if (!is_on_mesh(body, &roots[r])) {
            rlti_pose pose = rlti_body_bone_sample(body, roots[r].bone, frame);
            positions[r] = rlti_pose_apply(&pose, roots[r].position);
            rotations[r] = pose.rotation;
            continue;
        }
        if (!taken && (skin == NULL || body->around != NULL))
            take_sample(body, frame, &at);
        taken = 1;
        place_root(body, &roots[r], &at, skin, &positions[r], &rotations[r]);
    }
}

/* Frame samples are asked for one before and two after the interval; at the ends of int, the last one holds.
 */
static int stencil_frame(int frame, int k) {
    long long wanted = (long long)frame + k - 1;
    return wanted > INT32_MAX ? INT32_MAX : (wanted < INT32_MIN ? INT32_MIN : (int)wanted);
}

static double jump_limit(const rlti_body *body) {
    double own = body->scene->character.jump;
    return own > 0.0 || body->live == NULL ? own : body->live->jump;
}

/* 1 when every point sampled moves further than character.jump between two samples: some of the skin's, or
 * the joints. */
static int is_jump(const rlti_body *body, int from, int to) {
    enum { SAMPLES = 8 };
    double limit = jump_limit(body);
    int vertices = body->mesh.vertex_count, samples = vertices > 0 ? SAMPLES : body->character->joint_count;
    rlti_body_sample a, b;
    take_sample(body, from, &a);
    take_sample(body, to, &b);
    for (int k = 0; k < samples; k++) {
        rlti_vec3 p, q;
        if (vertices > 0) {
            int v = (int)((long long)k * vertices / SAMPLES);
            p = rlti_body_skin(body, &a, v);
            q = rlti_body_skin(body, &b, v);
        } else {
            rlti_vec3 pivot = pivot_of(body, &body->character->joints[k]);
            p = rlti_pose_apply(&a.poses[k], pivot);
            q = rlti_pose_apply(&b.poses[k], pivot);
        }
        if (!(rlti_length(rlti_sub(q, p)) > limit))
            return 0;
    }
    return samples > 0;
}

int rlti_body_jumps(const rlti_body *body, int frame) {
    int jumps = 0;
    if (body->has_jumps && body->jumps_frame == frame)
        return body->jumps;
    for (int k = 0; k + 1 < STENCIL; k++) {
        int to = stencil_frame(frame, k + 1);
        int jump = rlti_frames_has(&body->scene->character.cuts, to) ||
                   (jump_limit(body) > 0.0 && is_jump(body, stencil_frame(frame, k), to));
        jumps |= jump << k;
    }
    return jumps;
}

rlt_status rlti_body_begin_frame(rlti_body *body, int frame, rlt_messages *messages) {
    int reads = body->file.geometry != NULL && body->live == NULL;
    rlt_status status = reads ? rlti_body_file_begin(&body->file, frame, messages) : RLT_OK;
    body->has_jumps = 0; /* a file's samples have changed */
    if (status != RLT_OK)
        return status;
    body->jumps = rlti_body_jumps(body, frame);
    body->jumps_frame = frame;
    body->has_jumps = 1;
    return RLT_OK;
}

void rlti_body_root_segment(const rlti_body *body, const rlti_root *root, int frame,
                            rlti_motion_segment *segment) {
    rlti_vec3 p[STENCIL];
    rlti_quat q[STENCIL];
    int jumps = rlti_body_jumps(body, frame);
    for (int k = 0; k < STENCIL; k++)
        rlti_body_roots_sample(body, root, 1, stencil_frame(frame, k), NULL, &p[k], &q[k]);
    segment_from_samples(body, p, q, jumps, segment);
}

int rlti_body_root_jump(const rlti_body *body, const rlti_root *root, int frame, rlti_quat *turn) {
    *turn = (rlti_quat){1.0, 0.0, 0.0, 0.0};
    if (!(rlti_body_jumps(body, frame) & RLTI_JUMP_NOW))
        return 0;
    rlti_vec3 position;
    rlti_quat before;
    rlti_motion_segment segment;
    rlti_body_roots_sample(body, root, 1, frame, NULL, &position, &before);
    rlti_body_root_segment(body, root, frame, &segment);
    *turn = rlti_quat_normalize(rlti_quat_multiply(segment.rotation[0], rlti_quat_conjugate(before)));
    return 1;
}

void rlti_body_bone_segment(const rlti_body *body, rlti_bone bone, int frame, rlti_motion_segment *segment) {
    rlti_vec3 p[STENCIL];
    rlti_quat q[STENCIL];
    for (int k = 0; k < STENCIL; k++) {
        rlti_pose pose = rlti_body_bone_sample(body, bone, stencil_frame(frame, k));
        p[k] = pose.translation;
        q[k] = pose.rotation;
    }
    segment_from_samples(body, p, q, rlti_body_jumps(body, frame), segment);
}

void rlti_motion_segment_at(const rlti_motion_segment *segment, double s, double rate, rlti_vec3 *position,
                            rlti_vec3 *velocity, rlti_quat *rotation, rlti_quat *rotation_rate) {
    const rlti_quat *q = segment->rotation;
    *position = rlti_segment_position(segment, s);
    *velocity = rlti_segment_velocity(segment, s, rate);
    *rotation = rlti_segment_rotation(segment, s);
    rotation_rate->w = rate * rlti_cubic_slope(q[1].w, q[2].w, q[3].w, s);
    rotation_rate->x = rate * rlti_cubic_slope(q[1].x, q[2].x, q[3].x, s);
    rotation_rate->y = rate * rlti_cubic_slope(q[1].y, q[2].y, q[3].y, s);
    rotation_rate->z = rate * rlti_cubic_slope(q[1].z, q[2].z, q[3].z, s);
}

void rlti_body_vertex_segment(const rlti_body *body, int frame, rlti_vec3 *coefficients) {
    rlti_body_sample at[STENCIL];
    size_t count = (size_t)body->mesh.vertex_count;
    for (int k = 0; k < STENCIL; k++)
        take_sample(body, stencil_frame(frame, k), &at[k]);
    int jumps = rlti_body_jumps(body, frame);
    for (size_t v = 0; v < count; v++) {
        rlti_vec3 p[STENCIL], c[STENCIL];
        for (int k = 0; k < STENCIL; k++)
            p[k] = rlti_body_skin(body, &at[k], (int)v);
        if (body->live != NULL && body->live->is_causal)
            rlti_causal_positions(p, jumps);
        else
            rlti_jump_positions(p, jumps);
        hermite_vector(p, c);
        for (size_t k = 0; k < STENCIL; k++)
            coefficients[k * count + v] = c[k];
    }
}

void rlti_body_vertices_at(const rlti_body *body, const rlti_vec3 *coefficients, double s, double rate,
                           rlti_vec3 *positions, rlti_vec3 *velocities) {
    size_t count = (size_t)body->mesh.vertex_count;
    for (size_t v = 0; v < count; v++) {
        positions[v] = rlti_cubic_vector(coefficients + v, count, s);
        if (velocities != NULL)
            velocities[v] = rlti_scale(rate, rlti_cubic_vector_slope(coefficients + v, count, s));
    }
}

void rlti_body_vertices_sample(const rlti_body *body, int frame, rlti_vec3 *positions) {
    rlti_body_sample at;
    take_sample(body, frame, &at);
    for (int v = 0; v < body->mesh.vertex_count; v++)
        positions[v] = rlti_body_skin(body, &at, v);
}
