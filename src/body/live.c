#include "body/live.h"

#include <string.h>

#include "base/memory.h"
#include "body/jump.h"

static const rlti_pose still = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

void rlti_live_input_reset(rlti_live_input *input) {
    input->is_moved = input->has_vertices = input->has_roots = 0;
    input->turned = 0;
    input->whole = still;
    for (int b = 0; b < RLTI_BONE_COUNT; b++)
        input->turn[b] = still.rotation;
    for (int s = 0; s < input->strand_count; s++)
        input->turns[s] = still.rotation;
    for (int c = 0; c < input->collider_count; c++) {
        input->colliders[c] = still;
        input->collider_moved[c] = 0;
    }
}

void rlti_live_input_clear(rlti_live_input *input) {
    RLTI_FREE(input->vertices, input->roots, input->turns, input->colliders, input->collider_moved);
    *input = (rlti_live_input){0};
}

int rlti_live_input_reserve(rlti_live_input *input, int vertices, int strands, int colliders) {
    if (vertices > 0 && input->vertices == NULL) {
        input->vertices = RLTI_NEW(rlti_vec3, vertices);
        input->vertex_count = input->vertices != NULL ? vertices : 0;
    }
    if (strands > 0 && input->roots == NULL) {
        if (!RLTI_ALLOCATE(RLTI_ITEMS(input->roots, strands), RLTI_ITEMS(input->turns, strands)))
            return 0;
        input->strand_count = strands;
        for (int s = 0; s < strands; s++)
            input->turns[s] = still.rotation;
    }
    if (colliders > 0 && input->colliders == NULL) {
        if (!RLTI_ALLOCATE(RLTI_ITEMS(input->colliders, colliders),
                           RLTI_ITEMS(input->collider_moved, colliders)))
            return 0;
        input->collider_count = colliders;
        for (int c = 0; c < colliders; c++)
            input->colliders[c] = still;
    }
    return vertices == 0 || input->vertices != NULL;
}

static rlti_vec3 blend_vector(rlti_vec3 a, rlti_vec3 b, double s) {
    return rlti_madd(a, s, rlti_sub(b, a));
}

/* Along the shorter way. */
static rlti_quat blend_quat(rlti_quat a, rlti_quat b, double s) {
    double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0.0 ? -s : s, r = 1.0 - s;
    return rlti_quat_normalize(
        (rlti_quat){r * a.w + sign * b.w, r * a.x + sign * b.x, r * a.y + sign * b.y, r * a.z + sign * b.z});
}

static rlti_pose blend_pose(const rlti_pose *a, const rlti_pose *b, double s) {
    return (rlti_pose){blend_quat(a->rotation, b->rotation, s),
                       blend_vector(a->translation, b->translation, s)};
}

static void copy_input(const rlti_live_input *from, rlti_live_input *to) {
    to->is_moved = from->is_moved;
    to->turned = from->turned;
    to->whole = from->whole;
    memcpy(to->turn, from->turn, sizeof to->turn);
    to->has_vertices = from->has_vertices;
    to->has_roots = from->has_roots;
    if (from->has_vertices)
        memcpy(to->vertices, from->vertices, (size_t)from->vertex_count * sizeof *to->vertices);
    if (from->has_roots) {
        memcpy(to->roots, from->roots, (size_t)from->strand_count * sizeof *to->roots);
        memcpy(to->turns, from->turns, (size_t)from->strand_count * sizeof *to->turns);
    }
    for (int c = 0; c < from->collider_count; c++) {
        to->colliders[c] = from->colliders[c];
        to->collider_moved[c] = from->collider_moved[c];
    }
}

void rlti_live_input_blend(const rlti_live_input *a, const rlti_live_input *b, double s,
                           rlti_live_input *to) {
    copy_input(b, to);
    if (s >= 1.0)
        return;
    to->is_moved = a->is_moved || b->is_moved;
    to->turned = a->turned | b->turned;
    to->whole = blend_pose(&a->whole, &b->whole, s);
    for (int k = 0; k < RLTI_BONE_COUNT; k++)
        if (to->turned >> k & 1u)
            to->turn[k] = blend_quat(a->turn[k], b->turn[k], s);
    for (int v = 0; v < b->vertex_count && a->has_vertices && b->has_vertices; v++)
        to->vertices[v] = blend_vector(a->vertices[v], b->vertices[v], s);
    for (int r = 0; r < b->strand_count && a->has_roots && b->has_roots; r++) {
        to->roots[r] = blend_vector(a->roots[r], b->roots[r], s);
        to->turns[r] = blend_quat(a->turns[r], b->turns[r], s);
    }
    for (int c = 0; c < b->collider_count && c < a->collider_count; c++)
        if (a->collider_moved[c] && b->collider_moved[c])
            to->colliders[c] = blend_pose(&a->colliders[c], &b->colliders[c], s);
}

/* ---- as numbers ---- */

void rlti_pack(rlti_packer *p, void *data, size_t numbers) {
    if (p->from != NULL && numbers > p->limit - p->count) {
        p->bad = 1;
        return;
    }
    if (p->to != NULL)
        memcpy(p->to + p->count, data, numbers * sizeof(double));
    if (p->from != NULL && !p->dry)
        memcpy(data, p->from + p->count, numbers * sizeof(double));
    p->count += numbers;
}

long long rlti_pack_whole(rlti_packer *p, long long value) {
    double number = (double)value;
    if (p->from != NULL && p->count < p->limit && p->dry)
        number = p->from[p->count];
    rlti_pack(p, &number, 1);
    return number > -9e15 && number < 9e15 ? (long long)number : 0;
}

/* Of a value that only changes where it is read for good. */
static void pack_flag(rlti_packer *p, int *flag) {
    int value = rlti_pack_whole(p, *flag) != 0;
    if (!p->dry)
        *flag = value;
}

_Static_assert(sizeof(rlti_pose) == 7 * sizeof(double), "a pose is 7 numbers");

void rlti_live_input_pack(rlti_packer *p, rlti_live_input *input) {
    unsigned turned = (unsigned)rlti_pack_whole(p, input->turned);
    int has_vertices = (int)rlti_pack_whole(p, input->has_vertices) != 0;
    int has_roots = (int)rlti_pack_whole(p, input->has_roots) != 0;
    if ((has_vertices && input->vertices == NULL) || (has_roots && input->roots == NULL)) {
        p->bad = 1;
        return;
    }
    if (!p->dry) {
        input->turned = turned;
        input->has_vertices = has_vertices;
        input->has_roots = has_roots;
    }
    pack_flag(p, &input->is_moved);
    rlti_pack(p, &input->whole, 7);
    rlti_pack(p, input->turn, (size_t)4 * RLTI_BONE_COUNT);
    if (has_vertices)
        rlti_pack(p, input->vertices, 3 * (size_t)input->vertex_count);
    if (has_roots) {
        rlti_pack(p, input->roots, 3 * (size_t)input->strand_count);
        rlti_pack(p, input->turns, 4 * (size_t)input->strand_count);
    }
    for (int c = 0; c < input->collider_count; c++) {
        int moved = (int)rlti_pack_whole(p, input->collider_moved[c]) != 0;
        if (!p->dry)
            input->collider_moved[c] = (unsigned char)moved;
        rlti_pack(p, &input->colliders[c], 7);
    }
}

/* ---- samples ---- */

const rlti_live_sample *rlti_live_at(const rlti_live *live, int frame) {
    long long back = (long long)live->newest - frame;
    back = back < 0 ? 0 : (back >= RLTI_LIVE_SAMPLES ? RLTI_LIVE_SAMPLES - 1 : back);
    return &live->samples[(unsigned)(live->newest - (int)back) % RLTI_LIVE_SAMPLES];
}

void rlti_causal_positions(rlti_vec3 p[4], int jumps) {
    rlti_vec3 before = jumps & RLTI_JUMP_BEFORE ? p[1] : p[0];
    if (jumps & RLTI_JUMP_NOW)
        p[1] = before = p[2];
    p[0] = rlti_madd(p[2], -2.0, rlti_sub(p[1], before));
    p[3] = rlti_madd(p[2], 1.0, rlti_sub(p[2], p[1]));
}

/* a + b s, number by number. */
static rlti_quat quat_madd(rlti_quat a, double s, rlti_quat b) {
    return (rlti_quat){a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* Numbers of a quaternion each by itself, as they are interpolated; all have the same sign already. */
void rlti_causal_rotations(rlti_quat q[4], int jumps) {
    rlti_quat before = jumps & RLTI_JUMP_BEFORE ? q[1] : q[0];
    if (jumps & RLTI_JUMP_NOW)
        q[1] = before = q[2];
    q[0] = quat_madd(q[2], -2.0, quat_madd(q[1], -1.0, before));
    q[3] = quat_madd(q[2], 1.0, quat_madd(q[2], -1.0, q[1]));
}
