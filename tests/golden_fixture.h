/* Pictures against stored ones, within a tolerance (docs/design/render.md, "Golden pictures"). */
#ifndef GOLDEN_FIXTURE_H
#define GOLDEN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <png.h>

/* Code values of 8 bits, 0..255. */
#define GOLDEN_MEAN  0.3   /* most that all channels of all pixels may differ in the mean */
#define GOLDEN_FAR   24    /* a pixel with a channel that differs by more than this is far off */
#define GOLDEN_SHARE 0.005 /* most of all pixels that may be far off */

typedef struct golden_difference {
    double mean;  /* of all channels */
    double share; /* of pixels far off */
    int most;
} golden_difference;

static inline golden_difference golden_compare(const uint8_t *a, const uint8_t *b, size_t pixels) {
    golden_difference d = {0};
    double sum = 0.0;
    size_t far = 0;
    for (size_t i = 0; i < pixels; i++) {
        int worst = 0;
        for (size_t c = 0; c < 3; c++) {
            int off = abs((int)a[3 * i + c] - (int)b[3 * i + c]);
            sum += off;
            worst = off > worst ? off : worst;
        }
        far += worst > GOLDEN_FAR;
        d.most = worst > d.most ? worst : d.most;
    }
    d.mean = sum / (3.0 * (double)pixels);
    d.share = (double)far / (double)pixels;
    return d;
}

static inline int golden_is_close(golden_difference d) {
    return d.mean <= GOLDEN_MEAN && d.share <= GOLDEN_SHARE;
}

static inline void golden_write(const char *path, const uint8_t *bytes, int width, int height) {
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = (png_uint_32)width;
    png.height = (png_uint_32)height;
    png.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_file(&png, path, 0, bytes, 0, NULL))
        fail_msg("%s: cannot write: %s", path, png.message);
}

/* 1 where there is a picture of that size. */
static inline int golden_read(const char *path, uint8_t *bytes, int width, int height) {
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&png, path))
        return 0;
    int fits = (int)png.width == width && (int)png.height == height;
    png.format = PNG_FORMAT_RGB;
    if (fits)
        fits = png_image_finish_read(&png, NULL, bytes, 0, NULL);
    png_image_free(&png);
    return fits;
}

/* Compares bytes [height][width][3] with tests/golden/NAME.png. With RINGLET_GOLDEN=write in the environment
 * they become that picture (scripts/golden). Where they differ too much NAME.actual.png and
 * NAME.difference.png (grey, differences four times enlarged) are left in the working folder, that is told,
 * and 0 is returned. */
static inline int golden_check(const char *name, const uint8_t *bytes, int width, int height) {
    char path[1024], actual[256], difference[256];
    const char *wish = getenv("RINGLET_GOLDEN");
    size_t pixels = (size_t)width * (size_t)height;
    snprintf(path, sizeof path, "%s/tests/golden/%s.png", RLT_SOURCE_DIR, name);
    snprintf(actual, sizeof actual, "%s.actual.png", name);
    snprintf(difference, sizeof difference, "%s.difference.png", name);
    if (wish != NULL && strcmp(wish, "write") == 0) {
        golden_write(path, bytes, width, height);
        print_message("%s: written\n", path);
        return 1;
    }
    uint8_t *wanted = malloc(3 * pixels);
    assert_non_null(wanted);
    if (!golden_read(path, wanted, width, height)) {
        golden_write(actual, bytes, width, height);
        print_error("%s: there is no such picture of %d x %d; this build's is in %s; scripts/golden makes "
                    "them anew\n",
                    path, width, height, actual);
        free(wanted);
        return 0;
    }
    golden_difference d = golden_compare(bytes, wanted, pixels);
    int close = golden_is_close(d);
    if (wish != NULL)
        print_message("%s: mean %.4f, far off %.4f%%, most %d\n", name, d.mean, 100.0 * d.share, d.most);
    if (!close) {
        golden_write(actual, bytes, width, height);
        for (size_t i = 0; i < 3 * pixels; i++) {
            int off = 128 + 4 * ((int)bytes[i] - (int)wanted[i]);
            wanted[i] = (uint8_t)(off < 0 ? 0 : off > 255 ? 255 : off);
        }
        golden_write(difference, wanted, width, height);
        print_error(
            "%s differs: %.3f in the mean (at most %.3f), %.2f%% of the pixels by more than %d (at most "
            "%.2f%%); see %s and %s in the working folder; scripts/golden makes the pictures anew\n",
            name, d.mean, GOLDEN_MEAN, 100.0 * d.share, GOLDEN_FAR, 100.0 * GOLDEN_SHARE, actual, difference);
    }
    free(wanted);
    return close;
}

#endif
