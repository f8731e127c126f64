/* Images as OpenEXR files, by OpenEXRCore: encoded in memory, so that the file appears whole or not at all.
 */
#include <string.h>

#include <openexr.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "io/output.h"
#include "render/image.h"
#include "ringlet/write.h"

int rlt_image_exr_available(void) {
    return 1;
}

/* Where the library writes; it goes back to fill in its table of chunks. */
typedef struct memory_file {
    uint8_t *bytes;
    size_t size, capacity;
    int is_full; /* out of memory */
} memory_file;

enum { SPARE_BYTES = 65536 }; /* beyond what is written */

static int64_t write_memory(exr_const_context_t context, void *data, const void *bytes, uint64_t size,
                            uint64_t offset, exr_stream_error_func_ptr_t error) {
    memory_file *file = data;
    uint64_t end = offset + size;
    (void)context;
    (void)error;
    if (!RLTI_LIST_RESERVE(file->bytes, end, SPARE_BYTES, file->capacity)) {
        file->is_full = 1;
        return -1;
    }
    memcpy(file->bytes + offset, bytes, size);
    file->size = end > file->size ? end : file->size;
    return (int64_t)size;
}

/* Instead of the standard one, which prints. The context is locked while it writes: asking it for anything
 * here, its user data too, would wait forever. */
static void keep_quiet(exr_const_context_t context, exr_result_t code, const char *text) {
    (void)context;
    (void)code;
    (void)text;
}

/* One channel: its name, its type in the file, and where its values lie (all four bytes each). */
typedef struct channel {
    const char *name;
    const void *values;
    exr_pixel_type_t type;
    int parts; /* values a pixel in the array */
} channel;

enum { CHANNEL_COUNT = 11 };

static void list_channels(const rlt_image *image, channel channels[CHANNEL_COUNT]) {
    const channel list[CHANNEL_COUNT] = {
        {"R", image->rgba, EXR_PIXEL_HALF, 4},
        {"G", image->rgba + 1, EXR_PIXEL_HALF, 4},
        {"B", image->rgba + 2, EXR_PIXEL_HALF, 4},
        {"A", image->rgba + 3, EXR_PIXEL_HALF, 4},
        {"Z", image->depth, EXR_PIXEL_FLOAT, 1},
        {"tangent.X", image->tangent, EXR_PIXEL_FLOAT, 3},
        {"tangent.Y", image->tangent + 1, EXR_PIXEL_FLOAT, 3},
        {"tangent.Z", image->tangent + 2, EXR_PIXEL_FLOAT, 3},
        {"motion.X", image->motion, EXR_PIXEL_FLOAT, 2},
        {"motion.Y", image->motion + 1, EXR_PIXEL_FLOAT, 2},
        {"id", image->id, EXR_PIXEL_UINT, 1},
    };
    memcpy(channels, list, sizeof list);
}

static exr_result_t write_header(exr_context_t context, const rlt_image *image, const channel *channels) {
    int part = 0;
    exr_result_t result = exr_add_part(context, "ringlet", EXR_STORAGE_SCANLINE, &part);
    if (result == EXR_ERR_SUCCESS)
        result = exr_initialize_required_attr_simple(context, part, image->width, image->height,
                                                     EXR_COMPRESSION_ZIP);
    for (int c = 0; c < CHANNEL_COUNT && result == EXR_ERR_SUCCESS; c++)
        result = exr_add_channel(context, part, channels[c].name, channels[c].type,
                                 EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1);
    return result == EXR_ERR_SUCCESS ? exr_write_header(context) : result;
}

/* Points the encoder's channels (which it sorts by name) at the rows of a chunk. */
static void point_channels(exr_encode_pipeline_t *pipeline, const rlt_image *image, const channel *channels,
                           int row) {
    for (int i = 0; i < pipeline->channel_count; i++) {
        exr_coding_channel_info_t *to = &pipeline->channels[i];
        for (int c = 0; c < CHANNEL_COUNT; c++) {
            const channel *from = &channels[c];
            if (strcmp(to->channel_name, from->name) != 0)
                continue;
            size_t stride = 4 * (size_t)from->parts;
            to->user_pixel_stride = (int32_t)stride;
            to->user_line_stride = (int32_t)(stride * (size_t)image->width);
            to->user_bytes_per_element = 4;
            to->user_data_type = (uint16_t)(from->type == EXR_PIXEL_UINT ? EXR_PIXEL_UINT : EXR_PIXEL_FLOAT);
            to->encode_from_ptr = (const uint8_t *)from->values + (size_t)row * stride * (size_t)image->width;
        }
    }
}

static exr_result_t write_rows(exr_context_t context, const rlt_image *image, const channel *channels) {
    int32_t rows = 0;
    exr_result_t result = exr_get_scanlines_per_chunk(context, 0, &rows);
    exr_encode_pipeline_t pipeline = EXR_ENCODE_PIPELINE_INITIALIZER;
    for (int y = 0; y < image->height && result == EXR_ERR_SUCCESS; y += rows) {
        exr_chunk_info_t chunk;
        result = exr_write_scanline_chunk_info(context, 0, y, &chunk);
        if (result == EXR_ERR_SUCCESS)
            result = y == 0 ? exr_encoding_initialize(context, 0, &chunk, &pipeline)
                            : exr_encoding_update(context, 0, &chunk, &pipeline);
        if (result != EXR_ERR_SUCCESS)
            break;
        point_channels(&pipeline, image, channels, y);
        if (y == 0)
            result = exr_encoding_choose_default_routines(context, 0, &pipeline);
        if (result == EXR_ERR_SUCCESS)
            result = exr_encoding_run(context, 0, &pipeline);
    }
    exr_encoding_destroy(context, &pipeline);
    return result;
}

static exr_result_t encode(const char *path, const rlt_image *image, memory_file *file) {
    exr_context_initializer_t initializer = EXR_DEFAULT_CONTEXT_INITIALIZER;
    initializer.error_handler_fn = keep_quiet;
    initializer.user_data = file;
    initializer.write_fn = write_memory;
    exr_context_t context = NULL;
    channel channels[CHANNEL_COUNT];
    list_channels(image, channels);
    exr_result_t result = exr_start_write(&context, path, EXR_WRITE_FILE_DIRECTLY, &initializer);
    if (result == EXR_ERR_SUCCESS)
        result = write_header(context, image, channels);
    if (result == EXR_ERR_SUCCESS)
        result = write_rows(context, image, channels);
    if (context != NULL) {
        exr_result_t finished = exr_finish(&context);
        result = result == EXR_ERR_SUCCESS ? finished : result;
    }
    return result;
}

rlt_status rlt_image_write_exr(const rlt_image *image, const char *path, rlt_messages *messages) {
    rlt_status status = rlti_output_prepare(path, messages);
    if (status != RLT_OK)
        return status;
    memory_file file = {0};
    exr_result_t result = encode(path, image, &file);
    if (file.is_full)
        status = rlti_out_of_memory(messages);
    else if (result != EXR_ERR_SUCCESS)
        status = rlti_fail(messages, RLT_FAILED, "%s: cannot write: %s", path,
                           exr_get_default_error_message(result));
    else
        status = rlt_bytes_write(path, file.bytes, file.size, messages);
    rlti_free(file.bytes);
    return status;
}
