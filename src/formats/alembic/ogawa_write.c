#define _POSIX_C_SOURCE 200809L /* pwrite */
#include "formats/alembic/ogawa_write.h"

#include <string.h>

static void put(rlti_ogawa_out *out, const void *bytes, size_t size) {
    rlti_stream_write(&out->stream, bytes, size);
    out->at += size;
}

static void put_u64(rlti_ogawa_out *out, uint64_t value) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    put(out, bytes, sizeof bytes);
}

static void align(rlti_ogawa_out *out) {
    static const unsigned char zeros[8];
    put(out, zeros, (size_t)(-out->at & 7));
}

void rlti_ogawa_begin(rlti_ogawa_out *out) {
    static const unsigned char header[RLTI_OGAWA_HEADER] = "Ogawa\0\0\1";
    out->at = 0;
    put(out, header, sizeof header);
}

uint64_t rlti_ogawa_put_data(rlti_ogawa_out *out, const uint64_t *key, const void *bytes, size_t size) {
    if (size == 0)
        return RLTI_OGAWA_EMPTY_DATA;
    align(out);
    uint64_t reference = out->at | RLTI_OGAWA_IS_DATA;
    put_u64(out, size + (key != NULL ? RLTI_OGAWA_KEY : 0));
    if (key != NULL) {
        put_u64(out, key[0]);
        put_u64(out, key[1]);
    }
    put(out, bytes, size);
    return reference;
}

uint64_t rlti_ogawa_begin_data(rlti_ogawa_out *out) {
    align(out);
    uint64_t at = out->at;
    for (int i = 0; i < 3; i++)
        put_u64(out, 0);
    return at;
}

void rlti_ogawa_add_data(rlti_ogawa_out *out, const void *bytes, size_t size) {
    put(out, bytes, size);
}

uint64_t rlti_ogawa_end_data(rlti_ogawa_out *out, uint64_t at, const uint64_t key[2]) {
    const uint64_t words[3] = {out->at - at - 8, key[0], key[1]};
    unsigned char bytes[sizeof words];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(words[i / 8] >> (8 * (i % 8)));
    rlti_stream_patch(&out->stream, (long long)at, bytes, sizeof bytes);
    return at | RLTI_OGAWA_IS_DATA;
}

uint64_t rlti_ogawa_put_group(rlti_ogawa_out *out, const uint64_t *children, size_t count) {
    if (count == 0)
        return 0;
    align(out);
    uint64_t reference = out->at;
    put_u64(out, count);
    for (size_t i = 0; i < count; i++)
        put_u64(out, children[i]);
    return reference;
}

void rlti_ogawa_end(rlti_ogawa_out *out, uint64_t root) {
    static const unsigned char complete[1] = {0xff};
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(root >> (8 * i));
    rlti_stream_sync(&out->stream); /* all it points at is on the disk before it says so */
    rlti_stream_patch(&out->stream, 8, bytes, sizeof bytes);
    rlti_stream_patch(&out->stream, 5, complete, sizeof complete);
}
