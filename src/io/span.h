/* Bytes that came from outside, read with every step checked. A span keeps its first failure: code that
 * decodes can read on (it gets zeros) and ask once. Little endian. */
#ifndef RLTI_IO_SPAN_H
#define RLTI_IO_SPAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "io/file_map.h"

typedef struct rlti_span {
    const unsigned char *bytes;
    size_t size;
    size_t at;
    int failed;                   /* something was read beyond the end */
    const rlti_file_pages *pages; /* of the file they are part of; NULL: they are all there */
} rlti_span;

/* Where the next `count` bytes are, which may not be read yet, or NULL (and failed) when there are not so
 * many left. */
static inline const unsigned char *rlti_span_pass(rlti_span *span, size_t count) {
    if (span->failed || count > span->size - span->at) {
        span->failed = 1;
        return NULL;
    }
    const unsigned char *taken = span->bytes + span->at;
    span->at += count;
    return taken;
}

/* The same, for reading. */
static inline const unsigned char *rlti_span_take(rlti_span *span, size_t count) {
    const unsigned char *taken = rlti_span_pass(span, count);
    if (taken != NULL && span->pages != NULL)
        rlti_file_pages_need(span->pages, taken, count);
    return taken;
}

static inline void rlti_span_seek(rlti_span *span, uint64_t at) {
    if (at > span->size)
        span->failed = 1;
    else
        span->at = (size_t)at;
}

static inline size_t rlti_span_left(const rlti_span *span) {
    return span->failed ? 0 : span->size - span->at;
}

static inline uint64_t rlti_span_uint(rlti_span *span, size_t bytes) {
    const unsigned char *taken = rlti_span_take(span, bytes);
    uint64_t value = 0;
    for (size_t i = 0; taken != NULL && i < bytes; i++)
        value |= (uint64_t)taken[i] << (8 * i);
    return value;
}

static inline uint8_t rlti_span_u8(rlti_span *span) {
    return (uint8_t)rlti_span_uint(span, 1);
}
static inline uint16_t rlti_span_u16(rlti_span *span) {
    return (uint16_t)rlti_span_uint(span, 2);
}
static inline uint32_t rlti_span_u32(rlti_span *span) {
    return (uint32_t)rlti_span_uint(span, 4);
}
static inline uint64_t rlti_span_u64(rlti_span *span) {
    return rlti_span_uint(span, 8);
}
static inline float rlti_span_float(rlti_span *span) {
    uint32_t bits = rlti_span_u32(span);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline double rlti_span_double(rlti_span *span) {
    uint64_t bits = rlti_span_u64(span);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* 1 when `count` things of `size` bytes can still come: to be asked before anything is allocated for them. */
static inline int rlti_span_has(const rlti_span *span, uint64_t count, size_t size) {
    return !span->failed && (size == 0 || count <= (span->size - span->at) / size);
}

#endif
