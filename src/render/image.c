/* Images: memory, and what of them a screen shows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <png.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/random.h"
#include "io/output.h"
#include "render/image.h"
#include "ringlet/write.h"

rlt_image *rlt_image_create(int width, int height) {
    if (width < 1 || height < 1 || width > RLT_IMAGE_SIZE_MAX || height > RLT_IMAGE_SIZE_MAX)
        return NULL;
    rlt_image *image = RLTI_NEW(rlt_image, 1);
    if (image == NULL)
        return NULL;
    size_t pixels = (size_t)width * (size_t)height;
    image->size = sizeof *image;
    image->width = width;
    image->height = height;
    image->exposure = 1.0;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(image->rgba, 4 * pixels), RLTI_ITEMS(image->depth, pixels),
                       RLTI_ITEMS(image->tangent, 3 * pixels), RLTI_ITEMS(image->motion, 2 * pixels),
                       RLTI_ITEMS(image->id, pixels))) {
        rlt_image_destroy(image);
        return NULL;
    }
    for (size_t i = 0; i < pixels; i++)
        image->depth[i] = HUGE_VALF;
    return image;
}

void rlt_image_destroy(rlt_image *image) {
    if (image == NULL)
        return;
    RLTI_FREE(image->rgba, image->depth, image->tangent, image->motion, image->id, image);
}

/* Straight up to KNEE, then a curve that reaches 1 at infinity with the same slope at the knee: middle tones
 * keep their contrast, highlights keep their colour. */
#define KNEE 0.6f

static float roll_off(float x) {
    if (!(x > 0.0f))
        return 0.0f; /* not a number, too */
    if (x <= KNEE)
        return x;
    if (!(x < 1e6f))
        return 1.0f;
    float beyond = (x - KNEE) / (1.0f - KNEE);
    return KNEE + (1.0f - KNEE) * beyond / (1.0f + beyond);
}

/* The light that rolls off to y. What is as good as white would be infinite: it is held there. */
static float unroll(float y) {
    if (!(y > 0.0f))
        return 0.0f;
    if (y <= KNEE)
        return y;
    float beyond = ((y < 0.98f ? y : 0.98f) - KNEE) / (1.0f - KNEE);
    return KNEE + (1.0f - KNEE) * beyond / (1.0f - beyond);
}

static float behind(const rlt_image *image, int y, int channel) {
    float v = ((float)y + 0.5f) / (float)image->height;
    return image->background[0][channel] +
           v * (image->background[1][channel] - image->background[0][channel]);
}

static float alpha_of(const float rgba[4]) {
    return rgba[3] < 0.0f ? 0.0f : (rgba[3] > 1.0f ? 1.0f : rgba[3]);
}

void rlti_image_shown(const rlt_image *image, int x, int y, float colour[3]) {
    const float *rgba = image->rgba + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
    for (int c = 0; c < 3; c++)
        colour[c] =
            roll_off((float)image->exposure * (rgba[c] + (1.0f - alpha_of(rgba)) * behind(image, y, c)));
}

void rlti_image_show(rlt_image *image, int x, int y, const float colour[3]) {
    float *rgba = image->rgba + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
    for (int c = 0; c < 3; c++)
        rgba[c] = image->exposure > 0.0 ? unroll(colour[c]) / (float)image->exposure : 0.0f;
    rgba[3] = 1.0f;
}

void rlt_image_paste(rlt_image *to, const rlt_image *from, int x, int y) {
    for (int j = 0; j < from->height; j++)
        for (int i = 0; i < from->width; i++) {
            int column = x + i, row = y + j;
            float shown[3];
            if (column < 0 || row < 0 || column >= to->width || row >= to->height)
                continue;
            rlti_image_shown(from, i, j, shown);
            rlti_image_show(to, column, row, shown);
        }
}

/* The sRGB curve of IEC 61966-2-1. */
static float encode_srgb(float x) {
    return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.0f / 2.4f) - 0.055f;
}

#define CURVE_STEPS 4096

/* Code values for the square root of light i / CURVE_STEPS (the root spreads the steps where the curve is
 * steep). */
static void make_curve(float *curve) {
    for (int i = 0; i <= CURVE_STEPS; i++) {
        float root = (float)i / CURVE_STEPS;
        curve[i] = 255.0f * encode_srgb(root * root);
    }
}

static float code_of(const float *curve, float light) {
    float at = sqrtf(light) * CURVE_STEPS;
    int i = (int)at;
    if (i >= CURVE_STEPS)
        return curve[CURVE_STEPS];
    return curve[i] + (at - (float)i) * (curve[i + 1] - curve[i]);
}

static uint8_t byte_of(float code, float dither) {
    int value = (int)(code + dither);
    return (uint8_t)(value > 255 ? 255 : value);
}

static void show_pixel(const rlt_image *image, const float *curve, int x, int y, int channels,
                       uint8_t *bytes) {
    size_t pixel = (size_t)y * (size_t)image->width + (size_t)x;
    const float *rgba = image->rgba + 4 * pixel;
    float alpha = alpha_of(rgba);
    /* a fixed pattern below one code value hides the steps of smooth gradients */
    float dither = (float)(rlti_hash64(pixel) >> 40) * 0x1.0p-24f;
    for (int c = 0; c < 3; c++) {
        float light = channels == 3 ? rgba[c] + (1.0f - alpha) * behind(image, y, c)
                                    : (alpha > 0.0f ? rgba[c] / alpha : 0.0f);
        bytes[c] = byte_of(code_of(curve, roll_off((float)image->exposure * light)), dither);
    }
    if (channels == 4)
        bytes[3] = byte_of(255.0f * alpha, 0.5f);
}

void rlt_image_bytes(const rlt_image *image, int channels, uint8_t *bytes) {
    float curve[CURVE_STEPS + 1];
    make_curve(curve);
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++) {
            size_t pixel = (size_t)y * (size_t)image->width + (size_t)x;
            show_pixel(image, curve, x, y, channels == 4 ? 4 : 3, bytes + pixel * (channels == 4 ? 4 : 3));
        }
}

rlt_status rlti_png_write(const char *path, const uint8_t *bytes, int width, int height, int channels,
                          int is_fast, rlt_messages *messages) {
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = (png_uint_32)width;
    png.height = (png_uint_32)height;
    png.format = channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
    png.flags = is_fast ? PNG_IMAGE_FLAG_FAST : 0;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
    uint8_t *file = rlti_allocate(size, 1);
    rlt_status status = RLT_OK;
    if (file == NULL)
        status = rlti_out_of_memory(messages);
    else if (!png_image_write_to_memory(&png, file, &size, 0, bytes, 0, NULL))
        status = rlti_fail(messages, RLT_FAILED, "%s: cannot write: %s", path, png.message);
    else
        status = rlt_bytes_write(path, file, size, messages);
    png_image_free(&png);
    rlti_free(file);
    return status;
}

rlt_status rlt_image_write_png(const rlt_image *image, const char *path, int with_alpha,
                               rlt_messages *messages) {
    rlt_status status = rlti_output_prepare(path, messages);
    if (status != RLT_OK)
        return status;
    int channels = with_alpha ? 4 : 3;
    uint8_t *bytes = rlti_allocate((size_t)image->width * (size_t)image->height, (size_t)channels);
    if (bytes == NULL)
        return rlti_out_of_memory(messages);
    rlt_image_bytes(image, channels, bytes);
    status = rlti_png_write(path, bytes, image->width, image->height, channels, 0, messages);
    rlti_free(bytes);
    return status;
}
