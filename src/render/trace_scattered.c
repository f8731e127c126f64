/* Light scattered among hairs: as much as paths find, placed as a model of it is.
 *
 * A path from a hair to lights and sky is right in the mean, and grainy; thousands of them are needed where
 * light changes slowly. The model (raster.c) has no grain and all the detail, but is as right as its
 * constants are: for white hair it gives too much, for black too little. Their quotient changes slowly over a
 * picture, whatever the pigment, and a few hundred paths around a place give it well. */
#include "base/memory.h"
#include "base/messages.h"
#include "render/trace.h"

enum { AROUND = 3 };      /* parts to each side that a quotient is a mean over */
#define QUOTIENT_MAX 8.0f /* times the model, at most: few paths, or none */

rlt_status rlti_scattered_create(rlti_scattered *scattered, int width, int height, rlt_messages *messages) {
    *scattered = (rlti_scattered){.width = width, .height = height};
    scattered->tiles_x = (width + RLTI_SCATTERED_TILE - 1) / RLTI_SCATTERED_TILE;
    scattered->tiles_y = (height + RLTI_SCATTERED_TILE - 1) / RLTI_SCATTERED_TILE;
    if (RLTI_ALLOCATE(RLTI_ITEMS(scattered->pixels, (size_t)width * (size_t)height),
                      RLTI_ITEMS(scattered->tiles, (size_t)scattered->tiles_x * (size_t)scattered->tiles_y)))
        return RLT_OK;
    rlti_scattered_destroy(scattered);
    return rlti_out_of_memory(messages);
}

void rlti_scattered_destroy(rlti_scattered *scattered) {
    RLTI_FREE(scattered->pixels, scattered->tiles);
    *scattered = (rlti_scattered){0};
}

void rlti_scattered_add(rlti_scattered *scattered, int x, int y, const rlti_sight *sight, float share) {
    rlti_f3 *pixel = &scattered->pixels[(size_t)y * (size_t)scattered->width + (size_t)x];
    *pixel = rlti_f3_madd(*pixel, share, sight->scattered);
    if (!sight->follows)
        return;
    rlti_scattered_tile *tile =
        &scattered->tiles[(size_t)(y / RLTI_SCATTERED_TILE) * (size_t)scattered->tiles_x +
                          (size_t)(x / RLTI_SCATTERED_TILE)];
    tile->followed = rlti_f3_add(tile->followed, sight->followed);
    tile->modelled = rlti_f3_add(tile->modelled, sight->scattered);
}

static float quotient(float followed, float modelled) {
    return modelled > 0.0f ? rlti_min(followed / modelled, QUOTIENT_MAX) : 1.0f;
}

/* Sums around the tile, weighed by a bell. */
static rlti_f3 quotient_around(const rlti_scattered *scattered, int x, int y) {
    static const float bell[AROUND + 1] = {1.0f, 0.8f, 0.4f, 0.12f};
    rlti_f3 followed = {0.0f, 0.0f, 0.0f}, modelled = {0.0f, 0.0f, 0.0f};
    for (int j = y - AROUND; j <= y + AROUND; j++)
        for (int i = x - AROUND; i <= x + AROUND; i++) {
            if (i < 0 || j < 0 || i >= scattered->tiles_x || j >= scattered->tiles_y)
                continue;
            const rlti_scattered_tile *tile = &scattered->tiles[j * scattered->tiles_x + i];
            float weight = bell[i < x ? x - i : i - x] * bell[j < y ? y - j : j - y];
            followed = rlti_f3_madd(followed, weight, tile->followed);
            modelled = rlti_f3_madd(modelled, weight, tile->modelled);
        }
    return rlti_f3_of(quotient(followed.x, modelled.x), quotient(followed.y, modelled.y),
                      quotient(followed.z, modelled.z));
}

/* Between the middles of the four parts around the middle of a pixel. */
static rlti_f3 quotient_at(const rlti_f3 *quotients, int tiles_x, int tiles_y, int x, int y) {
    float at[2] = {((float)x + 0.5f) / RLTI_SCATTERED_TILE - 0.5f,
                   ((float)y + 0.5f) / RLTI_SCATTERED_TILE - 0.5f};
    const int last[2] = {tiles_x - 1, tiles_y - 1};
    int low[2], high[2];
    for (int c = 0; c < 2; c++) {
        at[c] = rlti_min(rlti_max(at[c], 0.0f), (float)last[c]);
        low[c] = (int)at[c];
        high[c] = low[c] < last[c] ? low[c] + 1 : last[c];
        at[c] -= (float)low[c];
    }
    const rlti_f3 *above = quotients + (size_t)low[1] * (size_t)tiles_x;
    const rlti_f3 *below = quotients + (size_t)high[1] * (size_t)tiles_x;
    return rlti_f3_mix(rlti_f3_mix(above[low[0]], above[high[0]], at[0]),
                       rlti_f3_mix(below[low[0]], below[high[0]], at[0]), at[1]);
}

rlt_status rlti_scattered_finish(rlti_scattered *scattered, rlt_image *image, rlt_messages *messages) {
    int tiles_x = scattered->tiles_x, tiles_y = scattered->tiles_y;
    rlti_f3 *quotients = RLTI_NEW(rlti_f3, (size_t)tiles_x * (size_t)tiles_y);
    if (quotients == NULL)
        return rlti_out_of_memory(messages);
    for (int y = 0; y < tiles_y; y++)
        for (int x = 0; x < tiles_x; x++)
            quotients[y * tiles_x + x] = quotient_around(scattered, x, y);
    for (int y = 0; y < scattered->height; y++)
        for (int x = 0; x < scattered->width; x++) {
            size_t pixel = (size_t)y * (size_t)scattered->width + (size_t)x;
            rlti_f3 model = scattered->pixels[pixel];
            if (!(rlti_f3_largest(model) > 0.0f))
                continue;
            rlti_f3 light = rlti_f3_times(model, quotient_at(quotients, tiles_x, tiles_y, x, y));
            image->rgba[4 * pixel] += light.x;
            image->rgba[4 * pixel + 1] += light.y;
            image->rgba[4 * pixel + 2] += light.z;
        }
    rlti_free(quotients);
    return RLT_OK;
}
