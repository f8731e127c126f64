/* How much hair and body lie between a point and each light.
 *
 * Lines have no normal, so without shadows a head of hair is a flat patch of colour: what shows its volume is
 * how light fades on its path in. Each light gets a grid aligned with it; every hair adds its covered area to
 * the cells it passes, and a running sum from the light's side turns that into optical depth. */
#include "render/render.h"

#include "base/memory.h"
#include "base/messages.h"

#define CELLS_MAX 144 /* along the longest side */
#define ENCLOSED  2.0 /* cells: a body this far in front of a point shades it fully */

/* In cells from the grid's corner */
static void to_grid(const rlti_occlusion *occlusion, rlti_vec3 p, double at[3]) {
    for (int c = 0; c < 3; c++)
        at[c] = (rlti_dot(p, occlusion->axes[c]) - occlusion->low[c]) * occlusion->per_unit;
}

static rlt_status create_grid(rlti_occlusion *occlusion, const rlt_frame_view *view, double spread,
                              rlti_vec3 direction, rlt_messages *messages) {
    occlusion->axes[2] = direction;
    occlusion->axes[0] = rlti_perpendicular(direction);
    occlusion->axes[1] = rlti_cross(direction, occlusion->axes[0]);
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < view->point_count; i++)
        for (int c = 0; c < 3; c++) {
            double x = rlti_dot(rlti_v3_at(view->points, i), occlusion->axes[c]);
            low[c] = x < low[c] ? x : low[c];
            high[c] = x > high[c] ? x : high[c];
        }
    double longest = 1e-6;
    for (int c = 0; c < 3; c++) {
        low[c] -= spread;
        high[c] += spread;
        longest = high[c] - low[c] > longest ? high[c] - low[c] : longest;
    }
    occlusion->cell = longest / (CELLS_MAX - 4);
    occlusion->per_unit = 1.0 / occlusion->cell;
    size_t cells = 1;
    for (int c = 0; c < 3; c++) {
        occlusion->low[c] = low[c] - 1.5 * occlusion->cell;
        occlusion->size[c] = (int)((high[c] - low[c]) / occlusion->cell) + 4;
        cells *= (size_t)occlusion->size[c];
    }
    size_t columns = (size_t)occlusion->size[0] * (size_t)occlusion->size[1];
    if (!RLTI_ALLOCATE(RLTI_ITEMS(occlusion->optical, cells), RLTI_ITEMS(occlusion->solid_depth, columns)))
        return rlti_out_of_memory(messages);
    for (size_t i = 0; i < columns; i++)
        occlusion->solid_depth[i] = -HUGE_VALF;
    return RLT_OK;
}

/* Shares `amount` among the eight cells around p. */
static void splat(rlti_occlusion *occlusion, rlti_vec3 p, float amount) {
    double at[3];
    int cell[3];
    float f[3];
    to_grid(occlusion, p, at);
    for (int c = 0; c < 3; c++) {
        double base = floor(at[c]);
        if (!(base >= 0.0 && base < occlusion->size[c] - 1))
            return;
        cell[c] = (int)base;
        f[c] = (float)(at[c] - base);
    }
    size_t row = (size_t)occlusion->size[0];
    size_t layer = row * (size_t)occlusion->size[1];
    float *corner = occlusion->optical + (size_t)cell[2] * layer + (size_t)cell[1] * row + (size_t)cell[0];
    for (size_t k = 0; k < 2; k++)
        for (size_t j = 0; j < 2; j++) {
            float weight = amount * (k ? f[2] : 1.0f - f[2]) * (j ? f[1] : 1.0f - f[1]);
            corner[k * layer + j * row] += weight * (1.0f - f[0]);
            corner[k * layer + j * row + 1] += weight * f[0];
        }
}

static void add_hair(rlti_lighting *lighting, const rlti_wisps *wisps, rlti_vec3 *points) {
    for (int s = 0; s < wisps->view->strand_count; s++)
        for (int copy = 0; copy < wisps->copies; copy++) {
            int count = rlti_wisps_hair(wisps, s, copy, points);
            for (int i = 0; i + 1 < count; i++) {
                rlti_vec3 edge = rlti_sub(points[i + 1], points[i]);
                double area = rlti_length(edge) * wisps->width;
                for (int l = 0; l < RLTI_LIGHT_COUNT; l++) {
                    rlti_occlusion *occlusion = &lighting->occlusion[l];
                    splat(occlusion, points[i], (float)(area / (occlusion->cell * occlusion->cell)));
                }
            }
        }
}

static void sum_from_light(rlti_occlusion *occlusion) {
    size_t layer = (size_t)occlusion->size[0] * (size_t)occlusion->size[1];
    for (int k = occlusion->size[2] - 2; k >= 0; k--) {
        float *here = occlusion->optical + (size_t)k * layer;
        const float *above = here + layer;
        for (size_t i = 0; i < layer; i++)
            here[i] += above[i];
    }
}

/* Marks where the triangle begins in every column whose centre it covers. */
static void add_triangle(rlti_occlusion *occlusion, double a[3], double b[3], double c[3]) {
    double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (!(fabs(area) > 1e-12))
        return;
    double x0 = fmax(0.0, ceil(fmin(a[0], fmin(b[0], c[0]))));
    double x1 = fmin(occlusion->size[0] - 1.0, floor(fmax(a[0], fmax(b[0], c[0]))));
    double y0 = fmax(0.0, ceil(fmin(a[1], fmin(b[1], c[1]))));
    double y1 = fmin(occlusion->size[1] - 1.0, floor(fmax(a[1], fmax(b[1], c[1]))));
    for (double y = y0; y <= y1; y += 1.0)
        for (double x = x0; x <= x1; x += 1.0) {
            double wb = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area;
            double wc = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area;
            if (wb < 0.0 || wc < 0.0 || wb + wc > 1.0)
                continue;
            float z = (float)(a[2] + wb * (b[2] - a[2]) + wc * (c[2] - a[2]));
            float *solid = occlusion->solid_depth + (size_t)y * (size_t)occlusion->size[0] + (size_t)x;
            *solid = z > *solid ? z : *solid;
        }
}

static void add_body(rlti_occlusion *occlusion, const rlt_frame_view *view) {
    for (int t = 0; t < view->triangle_count; t++) {
        double corner[3][3];
        for (int c = 0; c < 3; c++)
            to_grid(occlusion, rlti_v3_at(view->vertices, view->triangles[3 * t + c]), corner[c]);
        add_triangle(occlusion, corner[0], corner[1], corner[2]);
    }
}

/* The lights hang on the camera, so that every view is lit well. */
static void place_lights(rlti_lighting *lighting, const rlti_camera *camera) {
    static const double places[RLTI_LIGHT_COUNT][3] = {
        [RLTI_LIGHT_KEY] = {-0.60, 0.72, 0.60}, /* right, up, back */
        [RLTI_LIGHT_FILL] = {0.75, 0.15, 0.75},
        [RLTI_LIGHT_RIM] = {0.55, 0.55, -0.75},
    };
    static const float colours[RLTI_LIGHT_COUNT][3] = {
        [RLTI_LIGHT_KEY] = {3.00f, 2.80f, 2.55f},
        [RLTI_LIGHT_FILL] = {0.55f, 0.62f, 0.75f},
        [RLTI_LIGHT_RIM] = {2.00f, 1.95f, 1.90f},
    };
    for (int l = 0; l < RLTI_LIGHT_COUNT; l++) {
        rlti_vec3 direction = rlti_scale(places[l][0], camera->right);
        direction = rlti_madd(direction, places[l][1], camera->up);
        direction = rlti_madd(direction, places[l][2], camera->back);
        lighting->lights[l].direction = rlti_normalize(direction);
        for (int c = 0; c < 3; c++)
            lighting->lights[l].colour[c] = colours[l][c];
    }
}

rlt_status rlti_lighting_create(rlti_lighting *lighting, const rlti_wisps *wisps, const rlti_camera *camera,
                                rlt_messages *messages) {
    *lighting = (rlti_lighting){0};
    place_lights(lighting, camera);
    for (int i = 0; i < 512; i++)
        lighting->falloff[i] = (float)rlti_exp(-i * (8.0 / 511.0));
    if (wisps->view->strand_count == 0)
        return RLT_OK;
    rlt_status status = RLT_OK;
    for (int l = 0; l < RLTI_LIGHT_COUNT && status == RLT_OK; l++)
        status = create_grid(&lighting->occlusion[l], wisps->view, wisps->spread,
                             lighting->lights[l].direction, messages);
    rlti_vec3 *points = RLTI_NEW(rlti_vec3, wisps->longest);
    if (status == RLT_OK && points == NULL)
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK) {
        add_hair(lighting, wisps, points);
        for (int l = 0; l < RLTI_LIGHT_COUNT; l++) {
            sum_from_light(&lighting->occlusion[l]);
            add_body(&lighting->occlusion[l], wisps->view);
        }
    }
    rlti_free(points);
    if (status != RLT_OK)
        rlti_lighting_destroy(lighting);
    return status;
}

void rlti_lighting_destroy(rlti_lighting *lighting) {
    for (int l = 0; l < RLTI_LIGHT_COUNT; l++) {
        RLTI_FREE(lighting->occlusion[l].optical, lighting->occlusion[l].solid_depth);
        lighting->occlusion[l] = (rlti_occlusion){0};
    }
}

double rlti_occlusion_hair(const rlti_occlusion *occlusion, rlti_vec3 p) {
    if (occlusion->optical == NULL)
        return 0.0;
    double at[3];
    to_grid(occlusion, p, at);
    if (!(at[0] >= 0.0 && at[0] < occlusion->size[0] - 1 && at[1] >= 0.0 && at[1] < occlusion->size[1] - 1 &&
          at[2] < occlusion->size[2] - 1))
        return 0.0; /* beside the hair, or between it and the light */
    double below = at[2] < 0.0 ? 0.0 : at[2];
    int cell[3] = {(int)at[0], (int)at[1], (int)below};
    float f[3] = {(float)(at[0] - cell[0]), (float)(at[1] - cell[1]), (float)(below - cell[2])};
    size_t row = (size_t)occlusion->size[0];
    size_t layer = row * (size_t)occlusion->size[1];
    const float *corner =
        occlusion->optical + (size_t)cell[2] * layer + (size_t)cell[1] * row + (size_t)cell[0];
    float sum = 0.0f;
    for (size_t k = 0; k < 2; k++) {
        const float *c = corner + k * layer;
        float near_row = c[0] + f[0] * (c[1] - c[0]);
        float far_row = c[row] + f[0] * (c[row + 1] - c[row]);
        sum += (k ? f[2] : 1.0f - f[2]) * (near_row + f[1] * (far_row - near_row));
    }
    return (double)sum;
}

double rlti_occlusion_body(const rlti_occlusion *occlusion, rlti_vec3 p) {
    if (occlusion->solid_depth == NULL)
        return 0.0;
    double at[3];
    to_grid(occlusion, p, at);
    if (!(at[0] >= 0.0 && at[0] < occlusion->size[0] - 1 && at[1] >= 0.0 && at[1] < occlusion->size[1] - 1))
        return 0.0;
    int x = (int)at[0];
    int y = (int)at[1];
    float u = (float)(at[0] - x);
    float v = (float)(at[1] - y);
    const float *solid = occlusion->solid_depth + (size_t)y * (size_t)occlusion->size[0] + (size_t)x;
    float weights[4] = {(1.0f - u) * (1.0f - v), u * (1.0f - v), (1.0f - u) * v, u * v};
    const float depths[4] = {solid[0], solid[1], solid[occlusion->size[0]], solid[occlusion->size[0] + 1]};
    double shade = 0.0;
    for (int i = 0; i < 4; i++)
        shade += (double)weights[i] * rlti_smoothstep(((double)depths[i] - at[2] - 0.5) / ENCLOSED);
    return shade;
}
