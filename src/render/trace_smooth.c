/* Light on body and ground without grain: a mean over neighbouring pixels of the same surface. */
#include "render/image.h"
#include "render/trace.h"

enum { REACH = 5 };  /* pixels to each side */
#define SPREAD 3.0f  /* of the bell that weighs them [pixels] */
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
    float bell[REACH + 1];
} smoother;

static rlti_f3 light_around(const smoother *s, int x, int y, const rlti_surface_pixel *middle) {
    const rlti_surfaces *surfaces = s->surfaces;
    rlti_f3 sum = {0.0f, 0.0f, 0.0f}, normal = rlti_f3_normalize(middle->normal);
    float total = 0.0f, depth = middle->depth / middle->share;
    for (int j = y - REACH; j <= y + REACH; j++)
        for (int i = x - REACH; i <= x + REACH; i++) {
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
            float weight = s->bell[i < x ? x - i : i - x] * s->bell[j < y ? y - j : j - y] * same /
                           (1.0f + apart * apart);
            sum = rlti_f3_madd(sum, weight, at->reached);
            total += weight * at->share;
        }
    return total > 0.0f ? rlti_f3_scale(1.0f / total, sum) : sum;
}

static void smooth_row(void *context, int y, int worker) {
    const smoother *s = context;
    (void)worker;
    for (int x = 0; x < s->surfaces->width; x++) {
        size_t index = (size_t)y * (size_t)s->surfaces->width + (size_t)x;
        const rlti_surface_pixel *pixel = &s->surfaces->pixels[index];
        if (!(pixel->share > 0.0f))
            continue;
        rlti_f3 light = rlti_f3_times(pixel->tint, light_around(s, x, y, pixel));
        s->image->rgba[4 * index] += light.x;
        s->image->rgba[4 * index + 1] += light.y;
        s->image->rgba[4 * index + 2] += light.z;
    }
}

void rlti_surfaces_finish(const rlti_surfaces *surfaces, rlti_pool *pool, rlt_image *image) {
    smoother s = {.surfaces = surfaces, .image = image};
    for (int i = 0; i <= REACH; i++)
        s.bell[i] = expf(-0.5f * (float)(i * i) / (SPREAD * SPREAD));
    rlti_pool_for(pool, surfaces->height, smooth_row, &s);
}
