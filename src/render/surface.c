#include "render/render.h"

#include "base/memory.h"

rlti_vec3 *rlti_surface_normals(const rlt_frame_view *view) {
    rlti_vec3 *normals = RLTI_NEW(rlti_vec3, view->vertex_count);
    if (normals == NULL)
        return NULL;
    for (int t = 0; t < view->triangle_count; t++) {
        const int *corner = view->triangles + 3 * (size_t)t;
        rlti_vec3 a = rlti_v3_at(view->vertices, corner[0]);
        rlti_vec3 b = rlti_v3_at(view->vertices, corner[1]);
        rlti_vec3 c = rlti_v3_at(view->vertices, corner[2]);
        rlti_vec3 normal = rlti_cross(rlti_sub(b, a), rlti_sub(c, a)); /* its length weights by area */
        for (int i = 0; i < 3; i++)
            normals[corner[i]] = rlti_add(normals[corner[i]], normal);
    }
    for (int v = 0; v < view->vertex_count; v++)
        normals[v] = rlti_normalize(normals[v]);
    return normals;
}

static float power32(float x) {
    float x2 = x * x, x4 = x2 * x2, x8 = x4 * x4, x16 = x8 * x8;
    return x16 * x16;
}

/* The body's shadow on itself: lifted off the surface by a few cells, or the coarse grid would let it shade
 * itself in stripes, and averaged over neighbouring cells to hide their edges. */
static float body_shadow(const rlti_occlusion *occlusion, rlti_vec3 p, rlti_vec3 normal) {
    rlti_vec3 lifted = rlti_madd(p, 2.5 * occlusion->cell, normal);
    double sum = 0.0;
    for (int i = -1; i <= 1; i += 2)
        for (int j = -1; j <= 1; j += 2) {
            rlti_vec3 beside = rlti_madd(lifted, i * occlusion->cell, occlusion->axes[0]);
            sum += rlti_occlusion_body(occlusion, rlti_madd(beside, j * occlusion->cell, occlusion->axes[1]));
        }
    return (float)(sum / 4.0);
}

/* How much each vertex belongs to the scalp: 1 at the roots, 0 a few wisps away. Without it the skin would
 * shine through between the strands, where a real head has a thousand hairs more. */
float *rlti_surface_scalp(const rlt_frame_view *view, double spread) {
    float *scalp = RLTI_NEW(float, view->vertex_count);
    if (scalp == NULL)
        return NULL;
    int stride = view->strand_count / 4096 + 1;
    double reach = 3.0 * spread;
    for (int v = 0; v < view->vertex_count && reach > 0.0; v++) {
        double minimum = HUGE_VAL;
        for (int s = 0; s < view->strand_count; s += stride) {
            rlti_vec3 d = rlti_sub(rlti_v3_at(view->points, view->first[s]), rlti_v3_at(view->vertices, v));
            double square = rlti_dot(d, d);
            minimum = square < minimum ? square : minimum;
        }
        scalp[v] = (float)rlti_smoothstep(1.5 - sqrt(minimum) / reach);
    }
    return scalp;
}

/* Matte skin: wrapped diffuse, a faint sheen, a bright rim; the hair's shadow falls on it. */
static void shade(const rlti_lighting *lighting, const rlti_camera *camera, rlti_vec3 p, rlti_vec3 normal,
                  float scalp, float colour[3]) {
    static const float bare[3] = {0.44f, 0.30f, 0.235f};
    static const float covered[3] = {0.11f, 0.030f, 0.012f};
    static const float ambient[3] = {0.20f, 0.21f, 0.24f};
    float skin[3];
    for (int c = 0; c < 3; c++)
        skin[c] = bare[c] + scalp * (covered[c] - bare[c]);
    rlti_vec3 view = rlti_normalize(rlti_sub(camera->eye, p));
    if (rlti_dot(normal, view) < 0.0)
        normal = rlti_madd(normal, -1.0 * rlti_dot(normal, view), view); /* a grazing vertex normal */
    double depths[RLTI_LIGHT_COUNT];
    double minimum = HUGE_VAL;
    for (int l = 0; l < RLTI_LIGHT_COUNT; l++) {
        depths[l] = rlti_occlusion_hair(&lighting->occlusion[l], p);
        minimum = depths[l] < minimum ? depths[l] : minimum;
    }
    float open = 0.25f + 0.75f * rlti_falloff(lighting, 0.6 * minimum);
    float sky = open * (float)(0.75 + 0.25 * rlti_dot(normal, camera->up));
    for (int c = 0; c < 3; c++)
        colour[c] = skin[c] * ambient[c] * sky;
    float facing = (float)rlti_dot(normal, view);
    float edge = 1.0f - (facing < 0.0f ? 0.0f : facing);
    for (int l = 0; l < RLTI_LIGHT_COUNT; l++) {
        const rlti_light *light = &lighting->lights[l];
        float wrapped = (float)((rlti_dot(normal, light->direction) + 0.12) / 1.12);
        if (wrapped <= 0.0f)
            continue;
        const rlti_occlusion *occlusion = &lighting->occlusion[l];
        float clear = 1.0f - 0.75f * body_shadow(occlusion, p, normal);
        float passed = clear * rlti_falloff(lighting, 0.9 * depths[l]);
        rlti_vec3 half = rlti_normalize(rlti_add(light->direction, view));
        float sheen = 0.10f * (1.0f - scalp) * power32((float)fmax(0.0, rlti_dot(normal, half)));
        float rim = l == RLTI_LIGHT_RIM ? 0.5f * edge * edge * edge : 0.0f;
        for (int c = 0; c < 3; c++)
            colour[c] += passed * light->colour[c] * (0.62f * skin[c] * wrapped + sheen + rim * wrapped);
    }
}

typedef struct corner {
    rlti_projected at;
    rlti_vec3 point, normal;
    float scalp;
} corner;

static rlti_vec3 blend(const rlti_vec3 v[3], const double w[3]) {
    return rlti_madd(rlti_madd(rlti_scale(w[0], v[0]), w[1], v[1]), w[2], v[2]);
}

static void draw_triangle(rlti_picture *picture, const rlti_camera *camera, const rlti_lighting *lighting,
                          const corner *a, const corner *b, const corner *c) {
    double area = (b->at.x - a->at.x) * (c->at.y - a->at.y) - (b->at.y - a->at.y) * (c->at.x - a->at.x);
    /* seen from behind, as y points down; where only depth is asked for both sides count */
    if (!(area < -1e-9) && (lighting != NULL || !(area > 1e-9)))
        return;
    double x0 = fmax(0.0, floor(fmin(a->at.x, fmin(b->at.x, c->at.x))));
    double x1 = fmin(picture->width - 1.0, ceil(fmax(a->at.x, fmax(b->at.x, c->at.x))));
    double y0 = fmax(0.0, floor(fmin(a->at.y, fmin(b->at.y, c->at.y))));
    double y1 = fmin(picture->height - 1.0, ceil(fmax(a->at.y, fmax(b->at.y, c->at.y))));
    const rlti_vec3 points[3] = {a->point, b->point, c->point};
    const rlti_vec3 normals[3] = {a->normal, b->normal, c->normal};
    for (double row = y0; row <= y1; row += 1.0)
        for (double column = x0; column <= x1; column += 1.0) {
            double x = column + 0.5;
            double y = row + 0.5;
            double wb = ((x - a->at.x) * (c->at.y - a->at.y) - (y - a->at.y) * (c->at.x - a->at.x)) / area;
            double wc = ((b->at.x - a->at.x) * (y - a->at.y) - (b->at.y - a->at.y) * (x - a->at.x)) / area;
            double wa = 1.0 - wb - wc;
            if (wa < 0.0 || wb < 0.0 || wc < 0.0)
                continue;
            /* 1 / depth is linear on the screen */
            double w[3] = {wa / a->at.depth, wb / b->at.depth, wc / c->at.depth};
            double depth = 1.0 / (w[0] + w[1] + w[2]);
            rlti_sample *sample = &picture->samples[(size_t)row * (size_t)picture->width + (size_t)column];
            if (!(depth < (double)sample->depth))
                continue;
            sample->depth = (float)depth;
            if (lighting == NULL)
                continue;
            for (int i = 0; i < 3; i++)
                w[i] *= depth;
            float scalp =
                (float)(w[0] * (double)a->scalp + w[1] * (double)b->scalp + w[2] * (double)c->scalp);
            shade(lighting, camera, blend(points, w), rlti_normalize(blend(normals, w)), scalp,
                  sample->colour);
        }
}

void rlti_surface_draw(rlti_picture *picture, const rlti_camera *camera, const rlti_lighting *lighting,
                       const rlt_frame_view *view, const rlti_vec3 *normals, const float *scalp) {
    for (int t = 0; t < view->triangle_count; t++) {
        corner corners[3];
        int visible = 1;
        for (int i = 0; i < 3; i++) {
            int v = view->triangles[3 * (size_t)t + (size_t)i];
            corners[i].point = rlti_v3_at(view->vertices, v);
            corners[i].normal = normals != NULL ? normals[v] : rlti_v3(0, 0, 0);
            corners[i].scalp = scalp != NULL ? scalp[v] : 0.0f;
            corners[i].at = rlti_camera_project(camera, corners[i].point);
            visible = visible && corners[i].at.depth > camera->nearest;
        }
        if (visible)
            draw_triangle(picture, camera, lighting, &corners[0], &corners[1], &corners[2]);
    }
}
