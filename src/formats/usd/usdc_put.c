/* Values of a crate, written: in the rep where they fit into it, else appended to the values. */
#include <math.h>
#include <string.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "formats/usd/usdc_out.h"
#include "formats/usd/usdc_pack.h"

/* Longer ones are written as they are: packing takes twice their memory. */
enum { LEAST_PACKED = 16, MOST_PACKED = 2 * 1024 * 1024 };

uint64_t rlti_crate_put_double(rlti_stream *out, double value) {
    float single = (float)value;
    uint64_t type = (uint64_t)RLTI_CRATE_DOUBLE << 48;
    if ((double)single == value) {
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        return type | RLTI_REP_INLINED | bits;
    }
    uint64_t bits, at = rlti_stream_align(out);
    memcpy(&bits, &value, sizeof bits);
    rlti_stream_u64(out, bits);
    return type | at;
}

/* Elements, lowest byte first. */
static void put_elements(rlti_stream *out, const void *data, size_t count, size_t size) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const unsigned char *from = data;
    for (size_t i = 0; i < count; i++)
        for (size_t k = size; k > 0; k--)
            rlti_stream_write(out, from + i * size + k - 1, 1);
#else
    rlti_stream_write(out, data, count * size);
#endif
}

/* ---- texts ---- */

uint32_t rlti_crate_sink_token(rlti_crate_sink *own, const char *text) {
    int is_new;
    uint32_t number = rlti_crate_tokens_put(&own->tokens, text, &is_new);
    if (is_new)
        rlti_stream_write(own->texts, text, strlen(text) + 1);
    return number;
}

/* ---- one value ---- */

/* 1 where the number is whole, fits a signed byte, and has no sign of its own (-0 would lose it). */
static int as_byte(double value, uint32_t *byte) {
    if (!(value >= -128.0 && value <= 127.0) || value != floor(value) || (value == 0.0 && signbit(value)))
        return 0;
    *byte = (uint32_t)(int32_t)value & 255;
    return 1;
}

/* Vectors as a byte a number; matrices by their diagonal, where the rest is 0. */
static int inline_bytes(const double *numbers, rlti_array_type type, uint32_t *payload) {
    int is_matrix = type.role == RLTI_ROLE_MATRIX, side = type.arity == 16 ? 4 : type.arity == 9 ? 3 : 2;
    *payload = 0;
    for (int i = 0; i < type.arity; i++) {
        uint32_t byte;
        int place = is_matrix ? i / side : i;
        if (!as_byte(numbers[i], &byte))
            return 0;
        if (is_matrix && i / side != i % side) {
            if (byte != 0)
                return 0;
            continue;
        }
        *payload |= byte << (8 * place);
    }
    return 1;
}

static int inline_number(const rlti_array *value, uint32_t *payload) {
    rlti_array_type type = value->type;
    double numbers[16];
    *payload = 0;
    if (type.arity == 1) {
        uint64_t bits = 0;
        size_t size = rlti_element_size(type.element);
        if (size <= 4) {
            memcpy(payload, value->data, size);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            *payload >>= 32 - 8 * size;
#endif
            return 1;
        }
        memcpy(&bits, value->data, sizeof bits);
        if (type.element == RLTI_DOUBLE) {
            double number = *(const double *)value->data;
            float single = (float)number;
            memcpy(payload, &single, sizeof single);
            return (double)single == number;
        }
        *payload = (uint32_t)bits;
        return type.element == RLTI_UINT64 ? bits <= UINT32_MAX
                                           : *(const int64_t *)value->data == (int32_t)*payload;
    }
    return type.role != RLTI_ROLE_QUATERNION && rlti_array_to_doubles(value, numbers) &&
           inline_bytes(numbers, type, payload);
}

/* The type's bits of a rep. */
static uint64_t type_bits(const rlti_crate_track *track, rlti_array_type type) {
    return (uint64_t)(track->is_time ? RLTI_CRATE_TIME_CODE : rlti_crate_type_number(type)) << 48;
}

static uint64_t put_single(rlti_crate_sink *own, const rlti_array *value, uint64_t type) {
    uint32_t payload;
    if (value->type.element == RLTI_TEXT) {
        payload = rlti_crate_sink_token(own, *(const char *const *)value->data);
        return payload == UINT32_MAX ? 0 : type | RLTI_REP_INLINED | payload;
    }
    int is_time = type == (uint64_t)RLTI_CRATE_TIME_CODE << 48; /* OpenUSD reads none from a rep */
    if (!is_time && inline_number(value, &payload))
        return type | RLTI_REP_INLINED | payload;
    uint64_t at = rlti_stream_align(own->data);
    put_elements(own->data, value->data, (size_t)value->type.arity, rlti_element_size(value->type.element));
    return type | at;
}

/* ---- arrays ---- */

uint64_t rlti_crate_mark(const unsigned char *bytes, size_t size) {
    enum { PIECE = 512 };
    if (size <= (size_t)3 * PIECE)
        return rlti_checksum(size, bytes, size);
    uint64_t mark = rlti_checksum(size, bytes, PIECE);
    mark = rlti_checksum(mark, bytes + size / 2, PIECE);
    return rlti_checksum(mark, bytes + size - PIECE, PIECE);
}

/* 1 where the array written last has these bytes, as the file says. */
static int is_same_as_last(rlti_crate_sink *own, const rlti_crate_track *track, uint64_t count,
                           const unsigned char *bytes, size_t size) {
    unsigned char chunk[4096];
    if (track->last_count != count || track->last_bytes != size ||
        track->last_mark != rlti_crate_mark(bytes, size))
        return 0;
    long long at = (long long)RLTI_REP_PAYLOAD(track->last) + 8;
    for (size_t done = 0; done < size;) {
        size_t part = size - done < sizeof chunk ? size - done : sizeof chunk;
        if (!rlti_stream_read(own->data, at + (long long)done, chunk, part) ||
            memcmp(chunk, bytes + done, part) != 0)
            return 0;
        done += part;
    }
    return 1;
}

/* An array's count and then its bytes, which are elements of `element` bytes each. */
static uint64_t put_block(rlti_crate_sink *own, rlti_crate_track *track, uint64_t flags, uint64_t count,
                          const void *bytes, size_t size, size_t element) {
    if (track->last != 0 && track->last >> 48 == flags >> 48 &&
        is_same_as_last(own, track, count, bytes, size))
        return track->last;
    uint64_t at = rlti_stream_align(own->data);
    rlti_stream_u64(own->data, count);
    put_elements(own->data, bytes, size / element, element);
    track->last = flags | at;
    track->last_count = count;
    track->last_bytes = size;
    track->last_mark = rlti_crate_mark(bytes, size);
    return track->last;
}

static uint64_t put_plain(rlti_crate_sink *own, rlti_crate_track *track, const rlti_array *value,
                          uint64_t type) {
    size_t element = rlti_element_size(value->type.element);
    return put_block(own, track, type | RLTI_REP_ARRAY, value->count, value->data,
                     value->count * (size_t)value->type.arity * element, element);
}

static uint64_t put_packed(rlti_crate_sink *own, rlti_crate_track *track, const rlti_array *value,
                           uint64_t type) {
    size_t width = rlti_element_size(value->type.element);
    unsigned char *packed = rlti_allocate(rlti_ints_bound(value->count, width) + 8, 1);
    size_t size = packed != NULL ? rlti_ints_pack(value->data, value->count, width, packed + 8) : 0;
    uint64_t rep = 0;
    if (size > 0) {
        rlti_bytes_put(packed, size, 8);
        rep = put_block(own, track, type | RLTI_REP_ARRAY | RLTI_REP_COMPRESSED, value->count, packed,
                        size + 8, 1);
    }
    rlti_free(packed);
    return rep;
}

static uint64_t put_texts(rlti_crate_sink *own, const rlti_array *value, uint64_t type) {
    const char *const *texts = value->data;
    uint64_t at = rlti_stream_align(own->data);
    rlti_stream_u64(own->data, value->count);
    for (size_t i = 0; i < value->count; i++) {
        uint32_t number = rlti_crate_sink_token(own, texts[i]);
        if (number == UINT32_MAX)
            return 0;
        rlti_stream_u32(own->data, number);
    }
    return type | RLTI_REP_ARRAY | at;
}

static int is_packed(const rlti_array *value) {
    rlti_element element = value->type.element;
    return value->type.arity == 1 && value->count >= LEAST_PACKED && value->count <= MOST_PACKED &&
           (element == RLTI_INT32 || element == RLTI_UINT32 || element == RLTI_INT64 ||
            element == RLTI_UINT64);
}

uint64_t rlti_crate_put(rlti_crate_sink *own, rlti_crate_track *track, const rlti_array *value) {
    uint64_t type = type_bits(track, value->type);
    if (value->blocked)
        return RLTI_REP_INLINED | (uint64_t)RLTI_CRATE_BLOCK << 48;
    if (!value->type.is_array)
        return put_single(own, value, type);
    if (value->count == 0)
        return type | RLTI_REP_ARRAY;
    if (value->type.element == RLTI_TEXT)
        return put_texts(own, value, type);
    return is_packed(value) ? put_packed(own, track, value, type) : put_plain(own, track, value, type);
}

/* ---- arrays in pieces ---- */

/* How many elements there are stands before them, and is known behind them. */
void rlti_crate_begin(rlti_crate_sink *own) {
    own->piece_at = rlti_stream_align(own->data);
    own->piece_count = 0;
    rlti_stream_u64(own->data, 0);
}

void rlti_crate_piece(rlti_crate_sink *own, const rlti_array *piece) {
    put_elements(own->data, piece->data, piece->count * (size_t)piece->type.arity,
                 rlti_element_size(piece->type.element));
    own->piece_count += piece->count;
}

uint64_t rlti_crate_end(rlti_crate_sink *own, rlti_crate_track *track, rlti_array_type type) {
    unsigned char bytes[8];
    uint64_t rep = type_bits(track, type) | RLTI_REP_ARRAY;
    rlti_bytes_put(bytes, own->piece_count, 8);
    rlti_stream_patch(own->data, (long long)own->piece_at, bytes, sizeof bytes);
    track->last = 0; /* the next array is written anew */
    return own->piece_count > 0 ? rep | own->piece_at : rep;
}
