/* OpenEXR files read back with OpenEXRCore: names, types and values of the channels. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ringlet/ringlet.h"

#if RLTI_HAVE_OPENEXR
#include <openexr.h>

#define WIDTH  30
#define HEIGHT 40 /* more than two chunks */

/* Channel c at a pixel; all different. */
static float expected(int c, int pixel) {
    return (float)c + 0.5f + (float)(pixel % 64) / 64.0f;
}

static rlt_image *make_image(void) {
    rlt_image *image = rlt_image_create(WIDTH, HEIGHT);
    assert_non_null(image);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        for (int c = 0; c < 4; c++)
            image->rgba[4 * i + c] = expected(c, i);
        image->depth[i] = i == 7 ? HUGE_VALF : expected(4, i);
        for (int c = 0; c < 3; c++)
            image->tangent[3 * i + c] = expected(5 + c, i);
        for (int c = 0; c < 2; c++)
            image->motion[2 * i + c] = expected(8 + c, i);
        image->id[i] = 4000000000u + (uint32_t)i;
    }
    return image;
}

static const char *const names[11] = {"R",         "G",         "B",        "A",        "Z", "tangent.X",
                                      "tangent.Y", "tangent.Z", "motion.X", "motion.Y", "id"};

static int index_of(const char *name) {
    for (int c = 0; c < 11; c++)
        if (strcmp(names[c], name) == 0)
            return c;
    return -1;
}

static void check_value(int c, int pixel, float value, uint32_t id) {
    if (c == 10)
        assert_true(id == 4000000000u + (uint32_t)pixel);
    else if (c == 4 && pixel == 7)
        assert_true(isinf(value));
    else
        assert_true(fabsf(value - expected(c, pixel)) <= (c < 4 ? 0.003f : 0.0f)); /* half has 11 bits */
}

static void read_chunk(exr_context_t file, int y, int rows, exr_decode_pipeline_t *pipeline) {
    exr_chunk_info_t chunk;
    static float room[11][WIDTH * HEIGHT];
    assert_int_equal(exr_read_scanline_chunk_info(file, 0, y, &chunk), EXR_ERR_SUCCESS);
    assert_int_equal(y == 0 ? exr_decoding_initialize(file, 0, &chunk, pipeline)
                            : exr_decoding_update(file, 0, &chunk, pipeline),
                     EXR_ERR_SUCCESS);
    assert_int_equal(pipeline->channel_count, 11);
    for (int i = 0; i < 11; i++) {
        exr_coding_channel_info_t *channel = &pipeline->channels[i];
        int c = index_of(channel->channel_name);
        assert_true(c >= 0);
        assert_int_equal(channel->data_type,
                         c == 10 ? EXR_PIXEL_UINT : (c < 4 ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT));
        channel->decode_to_ptr = (uint8_t *)room[c];
        channel->user_pixel_stride = 4;
        channel->user_line_stride = 4 * WIDTH;
        channel->user_bytes_per_element = 4;
        channel->user_data_type = (uint16_t)(c == 10 ? EXR_PIXEL_UINT : EXR_PIXEL_FLOAT);
    }
    if (y == 0)
        assert_int_equal(exr_decoding_choose_default_routines(file, 0, pipeline), EXR_ERR_SUCCESS);
    assert_int_equal(exr_decoding_run(file, 0, pipeline), EXR_ERR_SUCCESS);
    for (int c = 0; c < 11; c++)
        for (int i = 0; i < rows * WIDTH; i++) {
            uint32_t id;
            memcpy(&id, &room[c][i], sizeof id);
            check_value(c, y * WIDTH + i, room[c][i], id);
        }
}

static void test_read_back(void **state) {
    (void)state;
    char directory[256], path[300];
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/ringlet-exr-XXXXXX", base != NULL ? base : ".");
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/p.exr", directory);
    rlt_image *image = make_image();
    assert_int_equal(rlt_image_exr_available(), 1);
    assert_int_equal(rlt_image_write_exr(image, path, NULL), RLT_OK);
    rlt_image_destroy(image);

    exr_context_t file = NULL;
    int32_t rows = 0;
    exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
    assert_int_equal(exr_start_read(&file, path, NULL), EXR_ERR_SUCCESS);
    assert_int_equal(exr_get_scanlines_per_chunk(file, 0, &rows), EXR_ERR_SUCCESS);
    for (int y = 0; y < HEIGHT; y += rows)
        read_chunk(file, y, HEIGHT - y < rows ? HEIGHT - y : rows, &pipeline);
    exr_decoding_destroy(file, &pipeline);
    exr_finish(&file);
    unlink(path);
    assert_int_equal(rmdir(directory), 0);
}
#else
static void test_read_back(void **state) {
    (void)state;
    rlt_messages *messages = rlt_messages_create();
    rlt_image *image = rlt_image_create(2, 2);
    assert_int_equal(rlt_image_exr_available(), 0);
    assert_int_equal(rlt_image_write_exr(image, "p.exr", messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_messages_count(messages), 1);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "built without OpenEXR"));
    rlt_image_destroy(image);
    rlt_messages_destroy(messages);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
