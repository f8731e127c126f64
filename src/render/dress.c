#include "render/dress.h"

#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "body/character.h"
#include "body/mesh.h"

/* The resolution that a mesh may have: that of scenes. */
enum { RESOLUTION = 48 };

static int is_mesh(const rlti_mesh *known, const rlt_frame_view *view) {
    if (view->vertex_count < known->vertex_count || view->triangle_count < known->triangle_count)
        return 0;
    for (int t = 0; t < known->triangle_count; t++) /* a strap comes after it */
        for (int k = 0; k < 3; k++)
            if (view->triangles[3 * (size_t)t + (size_t)k] != known->triangles[t][k])
                return 0;
    return 1;
}

/* Whether the view's mesh is this character's; then where its vertices are at rest. */
static rlt_status find_one(rlti_dress *dress, const rlti_character *character, const rlt_frame_view *view,
                           int *found, rlt_messages *messages) {
    rlti_mesh mesh = {0};
    if (!character->build(RESOLUTION, &mesh))
        return rlti_out_of_memory(messages);
    *found = is_mesh(&mesh, view);
    dress->rest = *found ? RLTI_NEW(float, 3 * (size_t)mesh.vertex_count) : NULL;
    if (dress->rest != NULL) {
        dress->rest_count = mesh.vertex_count;
        for (int v = 0; v < mesh.vertex_count; v++)
            rlti_v3_round(dress->rest + 3 * (size_t)v, mesh.vertices[v]);
    }
    rlti_mesh_clear(&mesh);
    return *found && dress->rest == NULL ? rlti_out_of_memory(messages) : RLT_OK;
}

rlt_status rlti_dress_find(rlti_dress *dress, const rlt_frame_view *view, rlt_messages *messages) {
    if (dress->vertex_count == view->vertex_count && dress->triangle_count == view->triangle_count)
        return RLT_OK;
    rlti_dress_destroy(dress);
    int found = 0;
    rlt_status status = find_one(dress, &rlti_head, view, &found, messages);
    if (status == RLT_OK && !found) {
        status = find_one(dress, &rlti_horse, view, &found, messages);
        dress->is_horse = found;
    }
    if (status != RLT_OK)
        return status;
    dress->vertex_count = view->vertex_count;
    dress->triangle_count = view->triangle_count;
    return RLT_OK;
}

void rlti_dress_destroy(rlti_dress *dress) {
    rlti_free(dress->rest);
    *dress = (rlti_dress){0};
}

/* ---- the face; x is the distance from the middle, z points forwards [unit] ---- */

static float soft(float x) {
    x = rlti_min(1.0f, rlti_max(0.0f, x));
    return x * x * (3.0f - 2.0f * x);
}

/* 1 within an ellipse, 0 outside, soft over `edge` of its radii. */
static float within(float x, float y, float rx, float ry, float edge) {
    float d = sqrtf(x * x / (rx * rx) + y * y / (ry * ry));
    return soft((1.0f - d) / edge + 0.5f);
}

/* 1 on a line that is `half` wide on both sides. */
static float on_line(float distance, float half) {
    return soft(1.5f - fabsf(distance) / half);
}

static void blend_tint(rlti_makeup *m, float r, float g, float b, float share) {
    m->tint = rlti_f3_times(m->tint, rlti_f3_mix(rlti_f3_of(1.0f, 1.0f, 1.0f), rlti_f3_of(r, g, b), share));
}

static void paint_mouth(rlti_makeup *m, float x, float y) {
    float upper = within(x - 0.55f, y + 6.25f, 1.75f, 0.62f, 0.3f);
    float lower = within(x, y + 7.38f, 1.85f, 0.72f, 0.3f);
    blend_tint(m, 0.86f, 0.56f, 0.57f, rlti_max(upper, lower));
    float line = on_line(y + 6.82f + 0.03f * x * x, 0.1f) * soft((2.35f - x) / 0.4f);
    blend_tint(m, 0.35f, 0.22f, 0.22f, 0.85f * line);
}

static void paint_eye(rlti_makeup *m, float x, float y) {
    float u = (x - 2.95f) / 1.55f; /* -1 .. 1 along the lids */
    float ends = soft((1.02f - fabsf(u)) / 0.15f);
    float arc = rlti_max(0.0f, 1.0f - u * u);
    blend_tint(m, 0.86f, 0.76f, 0.74f, within(x - 2.95f, y - 0.2f, 1.9f, 1.1f, 0.7f));
    /* lashes where closed lids meet, longer outwards; the crease above */
    float lash = on_line(y + 0.30f + 0.42f * arc, 0.11f + 0.05f * (u + 1.0f)) * ends;
    float crease = on_line(y - 0.55f - 0.35f * arc, 0.09f) * ends;
    m->brow = rlti_max(m->brow, 0.95f * lash);
    blend_tint(m, 0.55f, 0.42f, 0.40f, 0.7f * crease);
    /* the brow rises and then falls, and thins outwards */
    float b = (x - 1.05f) / 4.0f;
    float height = 2.25f + 0.75f * b * (1.75f - 1.45f * b);
    float brow = on_line(y - height, 0.30f - 0.17f * rlti_max(0.0f, b)) * soft((x - 0.95f) / 0.5f) *
                 soft((5.05f - x) / 0.7f);
    m->brow = rlti_max(m->brow, 0.8f * brow);
}

/* Pink, with a fold within its rim and a hollow in front of that. */
static void paint_ear(rlti_makeup *m, float x, float y, float z) {
    float ear = soft((x - 6.4f) / 0.6f) * within(z + 1.3f, y - 0.3f, 1.9f, 2.5f, 0.8f);
    blend_tint(m, 1.0f, 0.84f, 0.80f, 0.7f * ear);
    float fold_z = (z + 1.35f) / 1.05f, fold_y = (y - 0.45f) / 1.6f;
    float fold = on_line(sqrtf(fold_z * fold_z + fold_y * fold_y) - 1.0f, 0.16f) * soft((y + 1.2f) / 0.8f) *
                 soft((0.2f - z) / 0.5f);
    float hollow = within(z + 0.75f, y + 0.35f, 0.65f, 0.8f, 0.6f);
    blend_tint(m, 0.58f, 0.42f, 0.38f, soft((x - 6.9f) / 0.5f) * rlti_max(0.75f * fold, 0.9f * hollow));
}

/* The base of the bust is flat, at -33; what is below TRUNK goes down, as far as pictures may show. */
#define TRUNK  (-29.0f)
#define BASE   (-32.0f)
#define LENGTH 60.0f

#define ABOVE                                                                                                \
    4.0f /* from there on down normals are a mean over ROUND: each would have a long stripe [unit] */
#define ROUND 3.0f

/* The mean of normals around a vertex of the base, without what points down. */
static rlti_f3 round_normal(const rlti_dress *dress, int vertex, const int *low, int low_count,
                            const float *normals, rlti_f3 down) {
    const float *at = dress->rest + 3 * (size_t)vertex;
    rlti_f3 sum = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < low_count; i++) {
        const float *to = dress->rest + 3 * (size_t)low[i], *n = normals + 3 * (size_t)low[i];
        float x = to[0] - at[0], z = to[2] - at[2], weight = 1.0f - (x * x + z * z) / (ROUND * ROUND);
        rlti_f3 normal = rlti_f3_of(n[0], n[1], n[2]);
        if (weight > 0.0f)
            sum = rlti_f3_madd(sum, weight * weight, rlti_f3_madd(normal, -rlti_f3_dot(normal, down), down));
    }
    return sum;
}

int rlti_dress_lengthen(const rlti_dress *dress, int vertex_count, float *const vertices[2], int steps,
                        float *normals) {
    rlti_f3 down = {0.0f, 0.0f, 0.0f};
    int count = dress->rest_count < vertex_count ? dress->rest_count : vertex_count, low_count = 0;
    if (dress->is_horse)
        return 1;
    int *low = RLTI_NEW(int, count);
    float *smooth = RLTI_NEW(float, 3 * (size_t)count);
    if (low == NULL || smooth == NULL) {
        RLTI_FREE(low, smooth);
        return 0;
    }
    for (int v = 0; v < count; v++) {
        if (dress->rest[3 * v + 1] < BASE)
            down = rlti_f3_add(down, rlti_f3_of(normals[3 * v], normals[3 * v + 1], normals[3 * v + 2]));
        if (dress->rest[3 * v + 1] < TRUNK + ABOVE)
            low[low_count++] = v;
    }
    down = rlti_f3_normalize(down);
    for (int i = 0; i < low_count; i++) {
        float height = dress->rest[3 * low[i] + 1], share = soft((TRUNK - height) / (TRUNK - BASE));
        const float *n = normals + 3 * (size_t)low[i];
        rlti_f3 round = rlti_f3_normalize(round_normal(dress, low[i], low, low_count, normals, down));
        rlti_f3 normal = rlti_f3_normalize(
            rlti_f3_mix(rlti_f3_of(n[0], n[1], n[2]), round, soft((TRUNK + ABOVE - height) / ABOVE)));
        const float by[3] = {down.x, down.y, down.z}, to[3] = {normal.x, normal.y, normal.z};
        for (int k = 0; k < 3; k++) {
            for (int step = 0; step < steps; step++)
                vertices[step][3 * (size_t)low[i] + (size_t)k] += LENGTH * share * by[k];
            smooth[3 * i + k] = to[k];
        }
    }
    for (int i = 0; i < low_count; i++)
        memcpy(normals + 3 * (size_t)low[i], smooth + 3 * (size_t)i, 3 * sizeof *normals);
    RLTI_FREE(low, smooth);
    return 1;
}

float rlti_dress_shirt(rlti_f3 p) {
    /* the neck line is lower in front */
    return (-24.0f - 2.0f * soft(0.5f + 0.1f * p.z)) + 0.04f * fabsf(p.x) * fabsf(p.x) - p.y;
}

/* A bay: legs, muzzle and the tips of the ears are dark, the skin has a short coat. */
static rlti_makeup horse_at(rlti_f3 p) {
    rlti_makeup m = {.tint = {1.0f, 1.0f, 1.0f}, .coat = 1.0f};
    float x = fabsf(p.x),
          muzzle = sqrtf(x * x + (p.y - 144.0f) * (p.y - 144.0f) + (p.z - 143.0f) * (p.z - 143.0f));
    blend_tint(&m, 0.16f, 0.2f, 0.26f, soft((70.0f - p.y) / 24.0f));
    blend_tint(&m, 2.4f, 3.6f, 5.0f, soft((10.5f - p.y) / 2.0f)); /* horn */
    if (p.z > 80.0f && p.y > 130.0f) {
        blend_tint(&m, 0.35f, 0.38f, 0.45f, soft((19.0f - muzzle) / 10.0f));
        blend_tint(&m, 0.2f, 0.2f, 0.2f,
                   within(x - 5.8f, p.y - 149.5f, 2.2f, 1.8f, 0.8f) * soft((p.z - 142.0f) / 2.0f));
        blend_tint(&m, 0.3f, 0.3f, 0.3f, soft((p.y - 204.0f) / 8.0f));
        float eye = within(p.y - 180.0f, p.z - 114.0f, 2.4f, 3.0f, 0.5f) * soft((x - 9.0f) / 1.0f);
        blend_tint(&m, 0.1f, 0.1f, 0.1f, eye);
        m.coat = 1.0f - 0.25f * eye;
    }
    return m;
}

rlti_makeup rlti_dress_at(rlti_f3 p, int is_horse) {
    if (is_horse)
        return horse_at(p);
    rlti_makeup m = {.tint = {1.0f, 1.0f, 1.0f}};
    float x = fabsf(p.x);
    m.cloth = soft(0.5f + 2.0f * rlti_dress_shirt(p));
    if (p.y < -11.0f || p.y > 5.0f)
        return m;
    if (p.z > 3.2f) {
        float cheek = 0.8f * soft((p.z - 3.2f) / 1.8f); /* ends before the side of the head begins */
        blend_tint(&m, 1.04f, 0.86f, 0.82f, cheek * within(x - 3.7f, p.y + 2.9f, 2.4f, 1.9f, 1.0f));
        blend_tint(&m, 1.02f, 0.88f, 0.85f, 0.6f * within(x, p.y + 3.2f, 1.1f, 1.1f, 0.9f));
        paint_mouth(&m, x, p.y);
        paint_eye(&m, x, p.y);
        blend_tint(&m, 0.3f, 0.2f, 0.2f, 0.8f * within(x - 0.72f, p.y + 3.98f, 0.34f, 0.2f, 0.6f));
    } else if (x > 6.4f) {
        paint_ear(&m, x, p.y, p.z);
    }
    return m;
}
