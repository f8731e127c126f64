/* Moving, pulling and reading a live simulation. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "sim/live_data.h"

/* ---- moving ---- */

/* Memory for vertices or roots in all places where they may be. */
static rlt_status reserve(rlt_simulation *sim, int vertices, int strands, rlt_messages *messages) {
    if (rlti_live_input_reserve(&sim->live->last, vertices, strands, 0) &&
        rlti_live_input_reserve(&sim->live->next, vertices, strands, 0) &&
        rlti_body_live_reserve(sim->body, vertices, strands))
        return RLT_OK;
    return rlti_out_of_memory(messages);
}

rlt_status rlt_simulation_move_vertices(rlt_simulation *sim, const rlt_array *vertices,
                                        rlt_messages *messages) {
    rlt_status status = rlti_live_require(sim, "rlt_simulation_move_vertices", messages);
    if (status != RLT_OK)
        return status;
    if (vertices == NULL || vertices->data == NULL) {
        sim->live->next.has_vertices = 0;
        return RLT_OK;
    }
    int count = rlti_body_mesh(sim->body)->vertex_count;
    if (count == 0)
        return rlti_refuse(messages, "rlt_simulation_move_vertices: the simulation has no body");
    status = rlti_numbers_check(vertices, "vertices", count, 3, messages);
    if (status == RLT_OK)
        status = reserve(sim, count, 0, messages);
    if (status != RLT_OK)
        return status;
    rlti_numbers_copy(vertices, count, 3, &sim->live->next.vertices[0].x);
    sim->live->next.has_vertices = 1;
    return RLT_OK;
}

/* Unit quaternions; 0: one has no length. */
static int take_turns(const rlt_array *turns, int strands, rlti_quat *to) {
    int fine = 1;
    for (int s = 0; s < strands; s++) {
        double q[4] = {0.0, 0.0, 0.0, 1.0};
        for (int k = 0; k < 4 && turns != NULL && turns->data != NULL; k++)
            q[k] = rlti_number_of(turns, s, 4, k);
        fine = fine && q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0.0;
        if (to != NULL)
            to[s] = rlti_quat_normalize((rlti_quat){q[3], q[0], q[1], q[2]});
    }
    return fine;
}

rlt_status rlt_simulation_move_roots(rlt_simulation *sim, const rlt_array *positions, const rlt_array *turns,
                                     rlt_messages *messages) {
    rlt_status status = rlti_live_require(sim, "rlt_simulation_move_roots", messages);
    if (status != RLT_OK)
        return status;
    if (positions == NULL || positions->data == NULL) {
        sim->live->next.has_roots = 0;
        return RLT_OK;
    }
    int strands = sim->strands->strand_count;
    status = rlti_numbers_check(positions, "roots", strands, 3, messages);
    if (status == RLT_OK && turns != NULL && turns->data != NULL)
        status = rlti_numbers_check(turns, "turns", strands, 4, messages);
    if (status == RLT_OK && !take_turns(turns, strands, NULL))
        status = rlti_refuse(messages, "turns: a quaternion is 0; nothing was changed");
    if (status == RLT_OK)
        status = reserve(sim, 0, strands, messages);
    if (status != RLT_OK)
        return status;
    rlti_numbers_copy(positions, strands, 3, &sim->live->next.roots[0].x);
    take_turns(turns, strands, sim->live->next.turns);
    sim->live->next.has_roots = 1;
    return RLT_OK;
}

/* The rotation of an orthonormal matrix of row vectors (Shepperd): from the greatest of four. */
static rlti_quat rotation_of(const double m[16]) {
    double trace = m[0] + m[5] + m[10], at[4] = {trace, m[0], m[5], m[10]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        k = at[i] > at[k] ? i : k;
    double wx = m[6] - m[9], wy = m[8] - m[2], wz = m[1] - m[4];
    double xy = m[1] + m[4], xz = m[8] + m[2], yz = m[6] + m[9];
    rlti_quat q = {0};
    if (k == 0)
        q = (rlti_quat){1.0 + trace, wx, wy, wz};
    else if (k == 1)
        q = (rlti_quat){wx, 1.0 + 2.0 * m[0] - trace, xy, xz};
    else if (k == 2)
        q = (rlti_quat){wy, xy, 1.0 + 2.0 * m[5] - trace, yz};
    else
        q = (rlti_quat){wz, xz, yz, 1.0 + 2.0 * m[10] - trace};
    return rlti_quat_normalize(q);
}

/* A rigid pose from a matrix; NULL is none. */
static rlt_status take_matrix(const double m[16], const char *what, rlt_messages *messages, rlti_pose *pose) {
    static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double tolerance = 1e-3;
    const rlt_array all = {.data = m != NULL ? m : identity};
    m = all.data;
    rlt_status status = rlti_numbers_check(&all, what, 16, 1, messages);
    if (status != RLT_OK)
        return status;
    double worst = 0.0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double dot = m[4 * i] * m[4 * k] + m[4 * i + 1] * m[4 * k + 1] + m[4 * i + 2] * m[4 * k + 2];
            worst = fmax(worst, fabs(dot - (i == k)));
        }
    rlti_vec3 x = rlti_v3(m[0], m[1], m[2]), y = rlti_v3(m[4], m[5], m[6]), z = rlti_v3(m[8], m[9], m[10]);
    double affine = fabs(m[3]) + fabs(m[7]) + fabs(m[11]) + fabs(m[15] - 1.0);
    if (worst > tolerance || affine > tolerance || !(rlti_dot(rlti_cross(x, y), z) > 0.0))
        return rlti_refuse(messages,
                           "%s: the matrix is not a rotation and a shift; scale, shear and mirrors are not "
                           "possible, move vertices instead",
                           what);
    *pose = (rlti_pose){rotation_of(m), rlti_v3(m[12], m[13], m[14])};
    return RLT_OK;
}

static int bone_named(const char *part) {
    static const char *const words = RLTI_BONES;
    int bone = 0;
    size_t length = strlen(part);
    for (const char *at = words; at != NULL; bone++) {
        const char *end = strstr(at, " | ");
        size_t size = end != NULL ? (size_t)(end - at) : strlen(at);
        if (size == length && memcmp(at, part, size) == 0)
            return bone;
        at = end != NULL ? end + 3 : NULL;
    }
    return -1;
}

rlt_status rlt_simulation_move(rlt_simulation *sim, const char *part, const double matrix[16],
                               rlt_messages *messages) {
    rlti_pose pose;
    rlt_status status = rlti_live_require(sim, "rlt_simulation_move", messages);
    if (status == RLT_OK)
        status = take_matrix(matrix, part != NULL ? part : "character", messages, &pose);
    if (status != RLT_OK)
        return status;
    rlti_live_input *next = &sim->live->next;
    if (part == NULL) {
        next->whole = pose;
        next->is_moved = next->is_moved || matrix != NULL;
        return RLT_OK;
    }
    int bone = bone_named(part);
    if (rlti_body_is_file(sim->body))
        return rlti_refuse(messages,
                           "%s: a body that is given, or of a file, has no bones to turn; NULL is all of it",
                           part);
    if (bone <= RLTI_BONE_NONE || !rlti_body_has_bone(sim->body, (rlti_bone)bone))
        return rlti_refuse(messages, "%s: the character has no such bone; NULL is the whole character", part);
    if (rlti_length(pose.translation) > 0.0)
        return rlti_refuse(messages, "%s: a bone turns about its joint; its shift must be 0", part);
    next->turn[bone] = pose.rotation;
    next->turned |= matrix != NULL ? 1u << bone : 0u;
    return RLT_OK;
}

rlt_status rlt_simulation_move_collider(rlt_simulation *sim, const char *name, const double matrix[16],
                                        rlt_messages *messages) {
    rlti_pose pose;
    int c = 0;
    rlt_status status = rlti_live_require(sim, "rlt_simulation_move_collider", messages);
    if (status == RLT_OK)
        status = take_matrix(matrix, name != NULL ? name : "collider", messages, &pose);
    if (status != RLT_OK)
        return status;
    while (name != NULL && c < sim->scene->collider_count && strcmp(sim->scene->colliders[c].name, name) != 0)
        c++;
    if (name == NULL || c == sim->scene->collider_count)
        return rlti_refuse(messages, "%s: the scene has no collider of that name",
                           name != NULL ? name : "(no name)");
    if (sim->scene->colliders[c].kind == RLTI_COLLIDER_BODY)
        return rlti_refuse(messages, "%s: is the character's own mesh; move the character", name);
    sim->live->next.colliders[c] = pose;
    sim->live->next.collider_moved[c] = matrix != NULL;
    return RLT_OK;
}

rlt_status rlt_simulation_play(rlt_simulation *sim, int plays, rlt_messages *messages) {
    rlt_status status = rlti_live_require(sim, "rlt_simulation_play", messages);
    if (status == RLT_OK)
        sim->live->plays = plays != 0;
    return status;
}

rlt_status rlt_simulation_seek(rlt_simulation *sim, int frame, rlt_messages *messages) {
    rlt_status status = rlti_live_require(sim, "rlt_simulation_seek", messages);
    if (status == RLT_OK && (frame < -1000000 || frame > 100000000))
        status = rlti_refuse(messages, "rlt_simulation_seek: frame %d is out of range", frame);
    if (status == RLT_OK)
        sim->live->motion_frame = frame - (sim->live->plays != 0);
    return status;
}

int rlt_simulation_motion_frame(const rlt_simulation *sim) {
    return rlt_simulation_is_live(sim) ? sim->live->motion_frame : (sim != NULL ? sim->frame : 0);
}

/* ---- pulling ---- */

_Static_assert(RLT_PULLS_MAX == RLTI_PULLS_MAX, "as many as the drive takes");

static int strand_of(const rlti_strands *strands, int point) {
    int low = 0, high = strands->strand_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (strands->first[middle] <= point)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

rlt_status rlt_simulation_pull(rlt_simulation *sim, int count, const int *points, const rlt_array *targets,
                               double stiffness, rlt_messages *messages) {
    rlti_pull pulls[RLTI_PULLS_MAX];
    rlt_status status = rlti_live_require(sim, "rlt_simulation_pull", messages);
    if (status == RLT_OK && (count < 0 || count > RLTI_PULLS_MAX || (count > 0 && points == NULL)))
        status = rlti_refuse(messages, "rlt_simulation_pull: %d points; at most %d can be pulled", count,
                             RLTI_PULLS_MAX);
    if (status == RLT_OK && !(stiffness >= 0.0 && stiffness <= 1e8))
        status = rlti_refuse(messages, "rlt_simulation_pull: the stiffness must be 0..1e8");
    if (status == RLT_OK && count > 0)
        status = rlti_numbers_check(targets, "targets", count, 3, messages);
    for (int k = 0; k < count && status == RLT_OK; k++) {
        if (points[k] < 0 || points[k] >= sim->strands->point_count)
            status = rlti_refuse(messages, "rlt_simulation_pull: there is no point %d", points[k]);
        int strand = status == RLT_OK ? strand_of(sim->strands, points[k]) : 0, same = 1;
        for (int i = 0; i < k && status == RLT_OK; i++) {
            same += pulls[i].strand == strand;
            if (points[i] == points[k])
                status = rlti_refuse(messages, "rlt_simulation_pull: point %d is there twice", points[k]);
        }
        if (status == RLT_OK && same > RLTI_PULLS_STRAND)
            status = rlti_refuse(messages, "rlt_simulation_pull: more than %d points of strand %d",
                                 RLTI_PULLS_STRAND, strand);
        if (status != RLT_OK)
            break;
        pulls[k] = (rlti_pull){strand, points[k] - sim->strands->first[strand],
                               rlti_v3(rlti_number_of(targets, k, 3, 0), rlti_number_of(targets, k, 3, 1),
                                       rlti_number_of(targets, k, 3, 2))};
    }
    if (status == RLT_OK)
        rlti_drive_pull(sim->drive, pulls, count, stiffness);
    return status;
}

/* ---- reading ---- */

int rlt_simulation_read_count(const rlt_simulation *sim, rlt_read what, int *numbers) {
    if (numbers != NULL)
        *numbers = 0;
    if (sim == NULL)
        return 0;
    const rlti_strands *strands = sim->strands;
    const struct {
        int elements, numbers;
    } kinds[] = {{strands->point_count, 3},  {strands->point_count, 3},
                 {strands->point_count, 9},  {strands->strand_count, 3},
                 {strands->strand_count, 4}, {rlti_body_mesh(sim->body)->vertex_count, 3},
                 {strands->point_count, 1}};
    int known = (int)what >= 0 && (size_t)what < sizeof kinds / sizeof kinds[0];
    if (numbers != NULL)
        *numbers = known ? kinds[what].numbers : 0;
    return known ? kinds[what].elements : 0;
}

static void read_roots(const rlt_simulation *sim, int turns, const rlt_buffer *buffer) {
    enum { BLOCK = 64 };
    rlti_vec3 places[BLOCK];
    rlti_quat turned[BLOCK];
    for (int first = 0, all = sim->strands->strand_count; first < all; first += BLOCK) {
        int count = all - first < BLOCK ? all - first : BLOCK;
        rlti_body_roots_sample(sim->body, &sim->strands->roots[first], count, sim->frame, sim->vertices,
                               places, turned);
        for (int i = 0; i < count; i++) {
            const double q[4] = {turned[i].x, turned[i].y, turned[i].z, turned[i].w};
            rlti_buffer_put(buffer, first + i, turns ? 4 : 3, turns ? q : &places[i].x);
        }
    }
}

static rlt_status read_frames(const rlt_simulation *sim, const rlt_buffer *buffer, rlt_messages *messages) {
    double *frames = RLTI_NEW(double, 9 * (size_t)rlti_matter_longest(sim->matter));
    rlt_status status = frames != NULL ? RLT_OK : rlti_out_of_memory(messages);
    for (int s = 0; s < sim->strands->strand_count && status == RLT_OK; s++) {
        int first = sim->strands->first[s], n = sim->strands->first[s + 1] - first;
        status = rlt_simulation_strand_frames(sim, s, frames);
        if (status != RLT_OK)
            rlti_refuse(messages,
                        "frames: strands of model %s have none; points and turns of roots can be read",
                        rlti_simulation_solver(sim, s)->type->name);
        for (int p = 0; p < n && status == RLT_OK; p++)
            rlti_buffer_put(buffer, first + p, 9, frames + 9 * (size_t)p);
    }
    rlti_free(frames);
    return status;
}

rlt_status rlt_simulation_read(const rlt_simulation *sim, rlt_read what, const rlt_buffer *buffer,
                               rlt_messages *messages) {
    if (sim == NULL)
        return rlti_refuse(messages, "rlt_simulation_read: the simulation is NULL");
    int numbers = 0, count = rlt_simulation_read_count(sim, what, &numbers);
    if (numbers == 0)
        return rlti_refuse(messages, "rlt_simulation_read: unknown kind %d", (int)what);
    if (buffer == NULL || buffer->data == NULL)
        return rlti_refuse(messages, "rlt_simulation_read: no buffer; it needs %d elements of %d numbers",
                           count, numbers);
    const rlt_array shape = {buffer->data, buffer->type, buffer->stride};
    rlt_status status = rlti_numbers_check(&shape, "buffer", 0, numbers, messages);
    if (status != RLT_OK)
        return status;
    const double *from = what == RLT_READ_POINTS       ? &sim->points[0].x
                         : what == RLT_READ_VELOCITIES ? &sim->velocities[0].x
                         : what == RLT_READ_VERTICES   ? &sim->vertices[0].x
                         : what == RLT_READ_WIDTHS     ? rlti_drive_widths(sim->drive)
                                                       : NULL;
    for (int e = 0; e < count && from != NULL; e++)
        rlti_buffer_put(buffer, e, numbers, from + (size_t)e * (size_t)numbers);
    if (what == RLT_READ_ROOTS || what == RLT_READ_TURNS)
        read_roots(sim, what == RLT_READ_TURNS, buffer);
    return what == RLT_READ_FRAMES ? read_frames(sim, buffer, messages) : RLT_OK;
}
