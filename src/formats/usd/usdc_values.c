/* Numbers and texts of a crate. */
#include <string.h>

#include "base/messages.h"
#include "formats/usd/usdc_crate.h"
#include "formats/usd/usdc_pack.h"

enum { COMPRESSED_MIN = 16 }; /* shorter arrays are never compressed */

/* ---- types ---- */

int rlti_crate_array_type(uint64_t rep, rlti_array_type *type) {
    static const rlti_array_type types[] = {
        [1] = {RLTI_BOOL, 1, RLTI_ROLE_NONE, 0},         [2] = {RLTI_UINT8, 1, RLTI_ROLE_NONE, 0},
        [3] = {RLTI_INT32, 1, RLTI_ROLE_NONE, 0},        [4] = {RLTI_UINT32, 1, RLTI_ROLE_NONE, 0},
        [5] = {RLTI_INT64, 1, RLTI_ROLE_NONE, 0},        [6] = {RLTI_UINT64, 1, RLTI_ROLE_NONE, 0},
        [7] = {RLTI_HALF, 1, RLTI_ROLE_NONE, 0},         [8] = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 0},
        [9] = {RLTI_DOUBLE, 1, RLTI_ROLE_NONE, 0},       [10] = {RLTI_TEXT, 1, RLTI_ROLE_NONE, 0},
        [11] = {RLTI_TEXT, 1, RLTI_ROLE_TOKEN, 0},       [12] = {RLTI_TEXT, 1, RLTI_ROLE_ASSET, 0},
        [13] = {RLTI_DOUBLE, 4, RLTI_ROLE_MATRIX, 0},    [14] = {RLTI_DOUBLE, 9, RLTI_ROLE_MATRIX, 0},
        [15] = {RLTI_DOUBLE, 16, RLTI_ROLE_MATRIX, 0},   [16] = {RLTI_DOUBLE, 4, RLTI_ROLE_QUATERNION, 0},
        [17] = {RLTI_FLOAT, 4, RLTI_ROLE_QUATERNION, 0}, [18] = {RLTI_HALF, 4, RLTI_ROLE_QUATERNION, 0},
        [19] = {RLTI_DOUBLE, 2, RLTI_ROLE_NONE, 0},      [20] = {RLTI_FLOAT, 2, RLTI_ROLE_NONE, 0},
        [21] = {RLTI_HALF, 2, RLTI_ROLE_NONE, 0},        [22] = {RLTI_INT32, 2, RLTI_ROLE_NONE, 0},
        [23] = {RLTI_DOUBLE, 3, RLTI_ROLE_NONE, 0},      [24] = {RLTI_FLOAT, 3, RLTI_ROLE_NONE, 0},
        [25] = {RLTI_HALF, 3, RLTI_ROLE_NONE, 0},        [26] = {RLTI_INT32, 3, RLTI_ROLE_NONE, 0},
        [27] = {RLTI_DOUBLE, 4, RLTI_ROLE_NONE, 0},      [28] = {RLTI_FLOAT, 4, RLTI_ROLE_NONE, 0},
        [29] = {RLTI_HALF, 4, RLTI_ROLE_NONE, 0},        [30] = {RLTI_INT32, 4, RLTI_ROLE_NONE, 0},
        [56] = {RLTI_DOUBLE, 1, RLTI_ROLE_NONE, 0},      [57] = {RLTI_TEXT, 1, RLTI_ROLE_NONE, 0}};
    size_t number = (size_t)RLTI_REP_TYPE(rep);
    if (number >= sizeof types / sizeof types[0] || types[number].arity == 0 || rep & RLTI_REP_UNKNOWN)
        return 0;
    *type = types[number];
    type->is_array = (rep & RLTI_REP_ARRAY) != 0;
    return 1;
}

int rlti_crate_type_number(rlti_array_type type) {
    int is_special = type.element == RLTI_TEXT
                         ? type.role == RLTI_ROLE_TOKEN || type.role == RLTI_ROLE_ASSET
                         : type.role == RLTI_ROLE_MATRIX || type.role == RLTI_ROLE_QUATERNION;
    rlti_role role = is_special ? type.role : RLTI_ROLE_NONE;
    for (int number = RLTI_CRATE_BOOL; number <= RLTI_CRATE_VEC4I; number++) {
        rlti_array_type found;
        if (rlti_crate_array_type((uint64_t)number << 48, &found) && found.element == type.element &&
            found.arity == type.arity && found.role == role)
            return number;
    }
    return 0;
}

uint64_t rlti_crate_resolve(const rlti_crate *crate, uint64_t rep) {
    for (int i = 0; i < RLTI_CRATE_INDIRECTION; i++) {
        int type = RLTI_REP_TYPE(rep);
        if (type != RLTI_CRATE_VALUE && type != RLTI_CRATE_UNREGISTERED)
            return rep;
        rlti_span span = {.bytes = crate->bytes, .size = crate->size, .pages = crate->pages};
        rlti_span_seek(&span, RLTI_REP_PAYLOAD(rep));
        uint64_t at = span.at;
        uint64_t jump = rlti_span_u64(&span); /* signed, relative to itself; modulo 2^64 */
        rlti_span_seek(&span, at + jump);
        rep = rlti_span_u64(&span);
        if (span.failed)
            return 0;
    }
    return 0;
}

static int is_little_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* Elements in the order of bytes of this machine. */
static void copy_elements(void *to, const unsigned char *from, size_t count, size_t size) {
    if (is_little_endian()) {
        memcpy(to, from, count * size);
        return;
    }
    unsigned char *place = to;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < size; k++)
            place[i * size + k] = from[i * size + size - 1 - k];
}

/* ---- one value ---- */

/* Vectors and diagonals stand as one signed byte a number. */
static void decode_bytes(uint32_t payload, rlti_array_type type, void *to) {
    int is_matrix = type.role == RLTI_ROLE_MATRIX;
    int side = type.arity == 16 ? 4 : type.arity == 9 ? 3 : 2;
    for (int i = 0; i < type.arity; i++) {
        int place = is_matrix ? i / side : i;
        int on_diagonal = !is_matrix || i % side == i / side;
        int byte = (int)(payload >> (8 * place) & 255);
        rlti_array_store(type.element, to, (size_t)i,
                         on_diagonal ? (double)(byte < 128 ? byte : byte - 256) : 0.0);
    }
}

static int decode_inlined(const rlti_crate *crate, uint64_t rep, rlti_array_type type, void *to) {
    uint32_t payload = (uint32_t)rep;
    int32_t number = (int32_t)payload;
    float single;
    memcpy(&single, &payload, sizeof single);
    switch (RLTI_REP_TYPE(rep)) {
    case RLTI_CRATE_BOOL:
        *(uint8_t *)to = (payload & 255) != 0;
        return 1;
    case RLTI_CRATE_UCHAR:
        *(uint8_t *)to = (uint8_t)payload;
        return 1;
    case RLTI_CRATE_HALF:
        *(uint16_t *)to = (uint16_t)payload;
        return 1;
    case RLTI_CRATE_INT:
    case RLTI_CRATE_UINT:
    case RLTI_CRATE_FLOAT:
        memcpy(to, &payload, sizeof payload);
        return 1;
    case RLTI_CRATE_INT64:
        *(int64_t *)to = number;
        return 1;
    case RLTI_CRATE_UINT64:
        *(uint64_t *)to = payload;
        return 1;
    case RLTI_CRATE_DOUBLE:
    case RLTI_CRATE_TIME_CODE:
        *(double *)to = (double)single;
        return 1;
    case RLTI_CRATE_STRING:
    case RLTI_CRATE_PATH_EXPRESSION:
        *(const char **)to = rlti_crate_string(crate, payload);
        return *(const char **)to != NULL;
    case RLTI_CRATE_TOKEN:
    case RLTI_CRATE_ASSET:
        *(const char **)to = rlti_crate_token(crate, payload);
        return *(const char **)to != NULL;
    default:
        if (type.role == RLTI_ROLE_QUATERNION)
            return 0;
        decode_bytes(payload, type, to);
        return 1;
    }
}

/* Types whose value always fits into the rep, whatever its flag says. */
static int is_always_inlined(int type) {
    return (type >= RLTI_CRATE_BOOL && type <= RLTI_CRATE_UINT) || type == RLTI_CRATE_HALF ||
           type == RLTI_CRATE_FLOAT || type == RLTI_CRATE_STRING || type == RLTI_CRATE_TOKEN ||
           type == RLTI_CRATE_ASSET;
}

/* At most 128 bytes. */
static int decode_one(const rlti_crate *crate, uint64_t rep, rlti_array_type type, void *to) {
    if (rep & RLTI_REP_INLINED || is_always_inlined(RLTI_REP_TYPE(rep)))
        return decode_inlined(crate, rep, type, to);
    rlti_span span = {.bytes = crate->bytes, .size = crate->size, .pages = crate->pages};
    rlti_span_seek(&span, RLTI_REP_PAYLOAD(rep));
    if (type.element == RLTI_TEXT) { /* a path expression */
        *(const char **)to = rlti_crate_string(crate, rlti_span_u32(&span));
        return !span.failed && *(const char **)to != NULL;
    }
    size_t size = rlti_element_size(type.element);
    const unsigned char *bytes = rlti_span_take(&span, size * (size_t)type.arity);
    if (bytes != NULL)
        copy_elements(to, bytes, (size_t)type.arity, size);
    return bytes != NULL;
}

int rlti_crate_number(const rlti_crate *crate, uint64_t rep, double *number) {
    rlti_array value = {0};
    double one[1];
    rep = rlti_crate_resolve(crate, rep);
    if (rep == 0 || rep & RLTI_REP_ARRAY || !rlti_crate_array_type(rep, &value.type) ||
        value.type.arity != 1 || value.type.element == RLTI_TEXT || !decode_one(crate, rep, value.type, one))
        return 0;
    value.count = 1;
    value.data = one;
    return rlti_array_to_doubles(&value, number);
}

const char *rlti_crate_text(const rlti_crate *crate, uint64_t rep) {
    rlti_array_type type;
    const char *text = NULL;
    rep = rlti_crate_resolve(crate, rep);
    if (rep == 0 || rep & RLTI_REP_ARRAY || !rlti_crate_array_type(rep, &type) || type.element != RLTI_TEXT)
        return NULL;
    return decode_one(crate, rep, type, &text) ? text : NULL;
}

/* ---- arrays ---- */

typedef enum outcome { READ, DAMAGED, NO_MEMORY } outcome;

static outcome take_ints(rlti_span *span, uint64_t count, size_t width, rlti_ints *ints) {
    uint64_t size = rlti_span_u64(span);
    const unsigned char *packed = rlti_span_has(span, size, 1) ? rlti_span_take(span, (size_t)size) : NULL;
    if (packed == NULL)
        return DAMAGED;
    rlti_ints_result result = rlti_ints_begin(ints, packed, (size_t)size, count, width);
    return result == RLTI_INTS_OK ? READ : result == RLTI_INTS_DAMAGED ? DAMAGED : NO_MEMORY;
}

/* Floats that are whole numbers: integers in the place where the floats go, from the end for the wider ones
 * and from the start for the narrower. */
static outcome read_whole(rlti_span *span, uint64_t count, rlti_array_type type, rlti_array *to) {
    rlti_ints ints;
    outcome result = take_ints(span, count, 4, &ints);
    if (result != READ)
        return result;
    rlti_array numbers = {0};
    void *values = rlti_array_reserve(to, type, ints.count);
    int32_t *whole =
        rlti_array_reserve(&numbers, (rlti_array_type){RLTI_INT32, 1, RLTI_ROLE_NONE, 1}, ints.count);
    if (values != NULL && whole != NULL) {
        rlti_ints_decode(&ints, whole);
        for (size_t i = 0; i < ints.count; i++)
            rlti_array_store(type.element, values, i, whole[i]);
    }
    result = values != NULL && whole != NULL ? READ : NO_MEMORY;
    rlti_array_clear(&numbers);
    rlti_ints_end(&ints);
    return result;
}

/* Floats that are few different ones: a table, and indices into it. */
static outcome read_table(rlti_span *span, uint64_t count, rlti_array_type type, rlti_array *to) {
    size_t size = rlti_element_size(type.element);
    uint32_t entries = rlti_span_u32(span);
    const unsigned char *table =
        rlti_span_has(span, entries, size) ? rlti_span_take(span, entries * size) : NULL;
    rlti_ints ints;
    outcome result = table != NULL ? take_ints(span, count, 4, &ints) : DAMAGED;
    if (result != READ)
        return result;
    rlti_array numbers = {0};
    unsigned char *values = rlti_array_reserve(to, type, ints.count);
    uint32_t *index =
        rlti_array_reserve(&numbers, (rlti_array_type){RLTI_UINT32, 1, RLTI_ROLE_NONE, 1}, ints.count);
    result = values != NULL && index != NULL ? READ : NO_MEMORY;
    if (result == READ)
        rlti_ints_decode(&ints, index);
    for (size_t i = 0; i < ints.count && result == READ; i++) {
        if (index[i] >= entries)
            result = DAMAGED;
        else
            copy_elements(values + i * size, table + index[i] * size, 1, size);
    }
    rlti_array_clear(&numbers);
    rlti_ints_end(&ints);
    return result;
}

static outcome read_compressed(rlti_span *span, uint64_t count, rlti_array_type type, rlti_array *to) {
    if (type.element == RLTI_HALF || type.element == RLTI_FLOAT || type.element == RLTI_DOUBLE) {
        int code = rlti_span_u8(span);
        return code == 'i' ? read_whole(span, count, type, to)
                           : (code == 't' ? read_table(span, count, type, to) : DAMAGED);
    }
    rlti_ints ints;
    outcome result = take_ints(span, count, rlti_element_size(type.element), &ints);
    if (result != READ)
        return result;
    void *values = rlti_array_reserve(to, type, ints.count);
    if (values != NULL)
        rlti_ints_decode(&ints, values);
    rlti_ints_end(&ints);
    return values != NULL ? READ : NO_MEMORY;
}

static outcome read_texts(const rlti_crate *crate, rlti_span *span, uint64_t count, int by_token,
                          rlti_array_type type, rlti_array *to) {
    if (!rlti_span_has(span, count, 4))
        return DAMAGED;
    const char **texts = rlti_array_reserve(to, type, (size_t)count);
    if (texts == NULL)
        return NO_MEMORY;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t index = rlti_span_u32(span);
        texts[i] = by_token ? rlti_crate_token(crate, index) : rlti_crate_string(crate, index);
        if (texts[i] == NULL)
            return DAMAGED;
    }
    return READ;
}

/* Numbers as they stand in the file: where they are there and aligned nothing is copied. */
static outcome read_plain(rlti_span *span, uint64_t count, rlti_array_type type, rlti_array *to) {
    size_t size = rlti_element_size(type.element), value = size * (size_t)type.arity;
    if (!rlti_span_has(span, count, value))
        return DAMAGED;
    size_t all = (size_t)count * value;
    const unsigned char *bytes = rlti_span_pass(span, all);
    if (span->pages != NULL && all >= RLTI_COPIED && type.element != RLTI_BOOL && is_little_endian()) {
        void *own = rlti_array_reserve(to, type, (size_t)count);
        if (own != NULL)
            rlti_file_pages_copy(span->pages, bytes, all, own);
        return own != NULL ? READ : NO_MEMORY;
    }
    rlti_file_pages_need(span->pages, bytes, all);
    if (type.element != RLTI_BOOL && is_little_endian() && (uintptr_t)bytes % size == 0) {
        to->type = type;
        to->count = (size_t)count;
        to->data = bytes;
        to->blocked = 0;
        return READ;
    }
    unsigned char *values = rlti_array_reserve(to, type, (size_t)count);
    if (values == NULL)
        return NO_MEMORY;
    copy_elements(values, bytes, (size_t)count * (size_t)type.arity, size);
    for (size_t i = 0; i < (size_t)count && type.element == RLTI_BOOL; i++)
        values[i] = values[i] != 0;
    return READ;
}

static int can_be_compressed(const rlti_crate *crate, int type) {
    if (type >= RLTI_CRATE_INT && type <= RLTI_CRATE_UINT64)
        return crate->version >= 500;
    return type >= RLTI_CRATE_HALF && type <= RLTI_CRATE_DOUBLE && crate->version >= 600;
}

static outcome read_array(const rlti_crate *crate, uint64_t rep, rlti_array_type type, rlti_array *to) {
    int number = RLTI_REP_TYPE(rep);
    rlti_span span = {.bytes = crate->bytes, .size = crate->size, .pages = crate->pages};
    if (RLTI_REP_PAYLOAD(rep) == 0)
        return rlti_array_reserve(to, type, 0) != NULL ? READ : NO_MEMORY;
    rlti_span_seek(&span, RLTI_REP_PAYLOAD(rep));
    if (crate->version < 500)
        (void)rlti_span_u32(&span); /* the rank, always 1 */
    uint64_t count = crate->version < 700 ? rlti_span_u32(&span) : rlti_span_u64(&span);
    if (span.failed)
        return DAMAGED;
    if (type.element == RLTI_TEXT)
        return read_texts(crate, &span, count, number == RLTI_CRATE_TOKEN, type, to);
    if (rep & RLTI_REP_COMPRESSED && count >= COMPRESSED_MIN && can_be_compressed(crate, number))
        return read_compressed(&span, count, type, to);
    return read_plain(&span, count, type, to);
}

static outcome read_single(const rlti_crate *crate, uint64_t rep, rlti_array_type type, rlti_array *to) {
    void *values = rlti_array_reserve(to, type, 1);
    if (values == NULL)
        return NO_MEMORY;
    return decode_one(crate, rep, type, values) ? READ : DAMAGED;
}

rlt_status rlti_crate_read_value(const rlti_crate *crate, uint64_t rep, rlti_array_type type,
                                 rlt_messages *messages, rlti_array *to) {
    rlti_array_type stored;
    to->count = 0;
    to->data = NULL;
    to->blocked = 0;
    if (RLTI_REP_TYPE(rep) == RLTI_CRATE_BLOCK) {
        to->blocked = 1;
        to->type = type;
        return RLT_OK;
    }
    outcome result = DAMAGED;
    if (rlti_crate_array_type(rep, &stored)) {
        if (stored.element == type.element && stored.arity == type.arity)
            stored.role = type.role;
        result = stored.is_array ? read_array(crate, rep, stored, to) : read_single(crate, rep, stored, to);
    }
    if (result == READ)
        return RLT_OK;
    to->count = 0;
    to->data = NULL;
    if (result == NO_MEMORY)
        return rlti_out_of_memory(messages);
    return rlti_refuse(messages, "%s: value at byte %llu: damaged", crate->file,
                       (unsigned long long)RLTI_REP_PAYLOAD(rep));
}
