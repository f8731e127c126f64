/* Light on body and ground without grain: a mean over neighbouring pixels of the same surface. */
#include "render/image.h"
#include "render/trace.h"

/* The mean is one over all pixels nearby, and then one over some farther ones: few samples are not enough for
 * the first alone, which leaves clouds of its own size. In small pictures a face is not much larger. */
enum {
    REACH = 5,
    WIDE = 2,
    STEP_MAX = 4,
    STEP_HEIGHT = 160
};                   /* taps to each side; pixels between the second's */
#define SPREAD 3.0f  /* of the bell that weighs taps [pixels] */
#define SLOPE  0.03f /* depths that differ by this share are of two surfaces */

void rlti_surfaces_add(rlti_surface_pixel *pixel, const rlti_sight *sight, float share) {
    if (!(sight->surface > 0.0f))
        return;
    float weight = share * sight->surface;
    pixel->reached = rlti_f3_madd(pixel->reached, weight, sight->reached);
    pixel->tint = rlti_f3_madd(pixel->tint, weight, sight->tint);
    pixel->normal = rlti_f3_madd(pixel->normal, weight, sight->normal);
    pixel->depth += weight * sight->depth;
    pixel->share += weight;
}

typedef struct smoother {
    const rlti_surfaces *surfaces;
    rlt_image *image;
    int step; /* pixels between taps of the second mean; 0: none */
    float bell[REACH + 1];
} smoother;

static rlti_f3 light_around(const smoother *s, int x, int y, const rlti_surface_pixel *middle, int second) {
    const rlti_surfaces *surfaces = s->surfaces;
    int reach = second ? WIDE : REACH, step = second ? s->step : 1;
    rlti_f3 sum = {0.0f, 0.0f, 0.0f}, normal = rlti_f3_normalize(middle->normal);
    float total = 0.0f, depth = middle->depth / middle->share;
    for (int v = -reach; v <= reach; v++)
        for (int u = -reach; u <= reach; u++) {
            int i = x + u * step, j = y + v * step;
            if (i < 0 || j < 0 || i >= surfaces->width || j >= surfaces->height)
                continue;
            const rlti_surface_pixel *at = &surfaces->pixels[(size_t)j * (size_t)surfaces->width + (size_t)i];
            if (!(at->share > 0.0f))
                continue;
            float apart = (at->depth / at->share - depth) / (SLOPE * depth);
            float same = rlti_max(0.0f, rlti_f3_dot(normal, at->normal) / at->share);
            same *= same;
            same *= same;
            same *= same;
            int far = second ? 2 : 1; /* the bell of the second is as wide, in its own steps half as much */
            float weight = s->bell[far * (u < 0 ? -u : u)] * s->bell[far * (v < 0 ? -v : v)] * same /
                           (1.0f + apart * apart);
            sum = rlti_f3_madd(sum, weight, second ? at->light : at->reached);
            total += weight * at->share;
        }
    return total > 0.0f ? rlti_f3_scale(1.0f / total, sum) : sum;
}

static void smooth_row_first(void *context, int y, int worker) {
    const smoother *s = context;
    (void)worker;
    for (int x = 0; x < s->surfaces->width; x++) {
        rlti_surface_pixel *pixel = &s->surfaces->pixels[(size_t)y * (size_t)s->surfaces->width + (size_t)x];
        if (pixel->share > 0.0f)
            pixel->light = rlti_f3_scale(pixel->share, light_around(s, x, y, pixel, 0));
    }
}

static void smooth_row(void *context, int y, int worker) {
    const smoother *s = context;
    (void)worker;
    for (int x = 0; x < s->surfaces->width; x++) {
        size_t index = (size_t)y * (size_t)s->surfaces->width + (size_t)x;
        const rlti_surface_pixel *pixel = &s->surfaces->pixels[index];
        if (!(pixel->share > 0.0f))
            continue;
        rlti_f3 light =
            s->step > 0 ? light_around(s, x, y, pixel, 1) : rlti_f3_scale(1.0f / pixel->share, pixel->light);
        light = rlti_f3_times(pixel->tint, light);
        s->image->rgba[4 * index] += light.x;
        s->image->rgba[4 * index + 1] += light.y;
        s->image->rgba[4 * index + 2] += light.z;
    }
}

void rlti_surfaces_finish(const rlti_surfaces *surfaces, rlti_pool *pool, rlt_image *image) {
    smoother s = {.surfaces = surfaces, .image = image};
    s.step = surfaces->height / STEP_HEIGHT < STEP_MAX ? surfaces->height / STEP_HEIGHT : STEP_MAX;
    for (int i = 0; i <= REACH; i++)
        s.bell[i] = expf(-0.5f * (float)(i * i) / (SPREAD * SPREAD));
    rlti_pool_for(pool, surfaces->height, smooth_row_first, &s);
    rlti_pool_for(pool, surfaces->height, smooth_row, &s);
}
