#include "render/render.h"

#include <stdint.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/random.h"
#include "render/image.h"

rlt_status rlti_picture_create(rlti_picture *picture, int width, int height, rlt_messages *messages) {
    *picture = (rlti_picture){.pixel_width = width,
                              .pixel_height = height,
                              .width = RLTI_SUPERSAMPLING * width,
                              .height = RLTI_SUPERSAMPLING * height};
    size_t samples = (size_t)picture->width * (size_t)picture->height;
    picture->samples = RLTI_NEW(rlti_sample, samples);
    return picture->samples != NULL ? RLT_OK : rlti_out_of_memory(messages);
}

void rlti_picture_destroy(rlti_picture *picture) {
    rlti_free(picture->samples);
    picture->samples = NULL;
}

void rlti_picture_clear(rlti_picture *picture) {
    static const float top[3] = {0.045f, 0.055f, 0.070f};
    static const float bottom[3] = {0.200f, 0.205f, 0.215f};
    for (int y = 0; y < picture->height; y++) {
        float v = ((float)y + 0.5f) / (float)picture->height;
        float blend = v * v * (3.0f - 2.0f * v);
        for (int x = 0; x < picture->width; x++) {
            float u = ((float)x + 0.5f) / (float)picture->width - 0.5f;
            float w = v - 0.5f;
            float glow = 1.25f - 1.1f * (u * u + w * w);
            rlti_sample *sample = &picture->samples[(size_t)y * (size_t)picture->width + (size_t)x];
            for (int c = 0; c < 3; c++)
                sample->colour[c] = glow * (top[c] + blend * (bottom[c] - top[c]));
            sample->depth = HUGE_VALF;
        }
    }
}

/* Highlights roll off instead of clipping; 1.0 in the scene becomes 0.58. */
static float tone(float x) {
    return x * (1.0f + x * 0.16f) / (1.0f + x);
}

/* x^(1/5) for x in [0, 1], by Newton */
static double fifth_root(double x) {
    double r = 1.0;
    for (int i = 0; i < 40; i++)
        r = 0.8 * r + 0.2 * x / (r * r * r * r + 1e-300);
    return r;
}

#define GAMMA_STEPS 4096

/* Code values for linear light i / GAMMA_STEPS, times 256: the inverse of (v / 255)^2.2 = v^2 v^(1/5). */
static void make_gamma_table(uint16_t *table) {
    int step = 0;
    for (int code = 0; code <= 255 * 16; code++) {
        double v = ((double)code + 0.5) / (255.0 * 16.0);
        double linear = v * v * fifth_root(v);
        while (step <= GAMMA_STEPS && (double)step / GAMMA_STEPS < linear)
            table[step++] = (uint16_t)(code * 16);
    }
    while (step <= GAMMA_STEPS)
        table[step++] = 255 * 256;
}

static uint8_t encode(const uint16_t *table, float linear, uint32_t noise) {
    float clamped = linear < 0.0f ? 0.0f : (linear > 1.0f ? 1.0f : linear);
    /* the noise hides the steps between code values in smooth gradients */
    uint32_t code = ((uint32_t)table[(int)(clamped * GAMMA_STEPS)] + noise) >> 8;
    return (uint8_t)(code > 255 ? 255 : code);
}

static void resolve(const rlti_picture *picture, const uint16_t *table, uint8_t *bytes) {
    const float share = 1.0f / (RLTI_SUPERSAMPLING * RLTI_SUPERSAMPLING);
    for (int y = 0; y < picture->pixel_height; y++)
        for (int x = 0; x < picture->pixel_width; x++) {
            float sum[3] = {0.0f, 0.0f, 0.0f};
            for (int j = 0; j < RLTI_SUPERSAMPLING; j++)
                for (int i = 0; i < RLTI_SUPERSAMPLING; i++) {
                    size_t row = (size_t)(RLTI_SUPERSAMPLING * y + j) * (size_t)picture->width;
                    const float *sample = picture->samples[row + (size_t)(RLTI_SUPERSAMPLING * x + i)].colour;
                    for (int c = 0; c < 3; c++)
                        sum[c] += tone(sample[c]);
                }
            size_t pixel = (size_t)y * (size_t)picture->pixel_width + (size_t)x;
            uint32_t noise = (uint32_t)(rlti_hash64(pixel) >> 56);
            for (int c = 0; c < 3; c++)
                bytes[3 * pixel + (size_t)c] = encode(table, share * sum[c], noise);
        }
}

rlt_status rlti_picture_save(const rlti_picture *picture, const char *path, rlt_messages *messages) {
    uint16_t *table = RLTI_NEW(uint16_t, GAMMA_STEPS + 1);
    uint8_t *bytes = rlti_allocate((size_t)picture->pixel_width * (size_t)picture->pixel_height, 3);
    rlt_status status;
    if (table == NULL || bytes == NULL) {
        status = rlti_out_of_memory(messages);
    } else {
        make_gamma_table(table);
        resolve(picture, table, bytes);
        status = rlti_png_write(path, bytes, picture->pixel_width, picture->pixel_height, 3, 1, messages);
    }
    RLTI_FREE(table, bytes);
    return status;
}
