#include "formats/alembic/ogawa_write.h"

void rlti_ogawa_begin(rlti_stream *out) {
    static const unsigned char header[RLTI_OGAWA_HEADER] = "Ogawa\0\0\1";
    rlti_stream_write(out, header, sizeof header);
}

uint64_t rlti_ogawa_put_data(rlti_stream *out, const uint64_t *key, const void *bytes, size_t size) {
    if (size == 0)
        return RLTI_OGAWA_EMPTY_DATA;
    uint64_t reference = rlti_stream_align(out) | RLTI_OGAWA_IS_DATA;
    rlti_stream_u64(out, size + (key != NULL ? RLTI_OGAWA_KEY : 0));
    if (key != NULL) {
        rlti_stream_u64(out, key[0]);
        rlti_stream_u64(out, key[1]);
    }
    rlti_stream_write(out, bytes, size);
    return reference;
}

uint64_t rlti_ogawa_begin_data(rlti_stream *out) {
    uint64_t at = rlti_stream_align(out);
    for (int i = 0; i < 3; i++)
        rlti_stream_u64(out, 0);
    return at;
}

uint64_t rlti_ogawa_end_data(rlti_stream *out, uint64_t at, const uint64_t key[2]) {
    unsigned char bytes[24];
    rlti_bytes_put(bytes, (uint64_t)rlti_stream_length(out) - at - 8, 8);
    rlti_bytes_put(bytes + 8, key[0], 8);
    rlti_bytes_put(bytes + 16, key[1], 8);
    rlti_stream_patch(out, (long long)at, bytes, sizeof bytes);
    return at | RLTI_OGAWA_IS_DATA;
}

uint64_t rlti_ogawa_put_group(rlti_stream *out, const uint64_t *children, size_t count) {
    if (count == 0)
        return 0;
    uint64_t reference = rlti_stream_align(out);
    rlti_stream_u64(out, count);
    for (size_t i = 0; i < count; i++)
        rlti_stream_u64(out, children[i]);
    return reference;
}

void rlti_ogawa_end(rlti_stream *out, uint64_t root) {
    static const unsigned char complete[1] = {0xff};
    unsigned char bytes[8];
    rlti_bytes_put(bytes, root, 8);
    rlti_stream_sync(out); /* all it points at is on the disk before it says so */
    rlti_stream_patch(out, 8, bytes, sizeof bytes);
    rlti_stream_patch(out, 5, complete, sizeof complete);
}
