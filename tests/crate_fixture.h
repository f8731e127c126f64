/* USD crates made piece by piece, of any version and as wrong as a test wants them. */
#ifndef TESTS_CRATE_FIXTURE_H
#define TESTS_CRATE_FIXTURE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/usd/usdc_crate.h"
#include "formats/usd/usdc_pack.h"

enum {
    CRATE_VALUES = 16384,
    CRATE_TEXT = 4096,
    CRATE_LIST = 512, /* entries of each table */
    CRATE_START = 88  /* of the values */
};

/* The tables before they are packed. */
typedef struct crate {
    unsigned char values[CRATE_VALUES];
    size_t value_bytes;
    char text[CRATE_TEXT];
    size_t text_bytes;
    uint32_t token_count;
    uint32_t strings[CRATE_LIST], string_count;
    uint32_t field_tokens[CRATE_LIST], field_count;
    uint64_t field_reps[CRATE_LIST];
    uint32_t sets[CRATE_LIST], set_count;
    uint32_t path_index[CRATE_LIST], path_token[CRATE_LIST], path_jump[CRATE_LIST], path_count;
    uint32_t spec_path[CRATE_LIST], spec_set[CRATE_LIST], spec_kind[CRATE_LIST], spec_count;
    int version; /* minor */
} crate;

static inline uint32_t crate_token(crate *c, const char *text) {
    const char *at = c->text;
    for (uint32_t i = 0; i < c->token_count; i++, at += strlen(at) + 1)
        if (strcmp(at, text) == 0)
            return i;
    memcpy(c->text + c->text_bytes, text, strlen(text) + 1);
    c->text_bytes += strlen(text) + 1;
    return c->token_count++;
}

static inline uint32_t crate_string(crate *c, const char *text) {
    c->strings[c->string_count] = crate_token(c, text);
    return c->string_count++;
}

static inline void crate_begin(crate *c, int version) {
    memset(c, 0, sizeof *c);
    c->version = version;
    crate_token(c, ";-)");
}

/* ---- values ---- */

static inline uint64_t crate_at(const crate *c) {
    return CRATE_START + c->value_bytes;
}

static inline uint64_t crate_put(crate *c, const void *bytes, size_t size) {
    uint64_t at = crate_at(c);
    memcpy(c->values + c->value_bytes, bytes, size);
    c->value_bytes += size;
    return at;
}

static inline uint64_t crate_u64(crate *c, uint64_t value) {
    return crate_put(c, &value, 8);
}
static inline uint64_t crate_u32(crate *c, uint32_t value) {
    return crate_put(c, &value, 4);
}
static inline uint64_t crate_u8(crate *c, unsigned value) {
    unsigned char byte = (unsigned char)value;
    return crate_put(c, &byte, 1);
}
static inline uint64_t crate_double(crate *c, double value) {
    return crate_put(c, &value, 8);
}

static inline void crate_align(crate *c) {
    while (crate_at(c) % 8 != 0)
        crate_u8(c, 0);
}

/* What stands before the elements of an array, in the manner of the version. */
static inline uint64_t crate_array(crate *c, uint64_t count) {
    crate_align(c);
    uint64_t at = crate_at(c);
    if (c->version < 5)
        crate_u32(c, 1);
    if (c->version < 7)
        crate_u32(c, (uint32_t)count);
    else
        crate_u64(c, count);
    return at;
}

static inline void crate_ints(crate *c, const void *ints, size_t count, size_t width) {
    unsigned char packed[4096];
    size_t size = rlti_ints_pack(ints, count, width, packed);
    crate_u64(c, size);
    crate_put(c, packed, size);
}

static inline uint64_t crate_inlined(int type, uint32_t payload) {
    return RLTI_REP_INLINED | (uint64_t)type << 48 | payload;
}

static inline uint64_t crate_rep(int type, uint64_t at) {
    return (uint64_t)type << 48 | at;
}

static inline uint64_t crate_token_rep(crate *c, const char *text) {
    return crate_inlined(RLTI_CRATE_TOKEN, crate_token(c, text));
}

/* A vector of tokens from a text with blanks. */
static inline uint64_t crate_tokens(crate *c, const char *names) {
    char copy[256];
    uint64_t count = 0;
    uint32_t list[64];
    strcpy(copy, names);
    for (char *name = strtok(copy, " "); name != NULL; name = strtok(NULL, " "))
        list[count++] = crate_token(c, name);
    uint64_t at = crate_u64(c, count);
    crate_put(c, list, 4 * (size_t)count);
    return crate_rep(RLTI_CRATE_TOKEN_VECTOR, at);
}

/* ---- specs ---- */

static inline void crate_field(crate *c, const char *name, uint64_t rep) {
    c->sets[c->set_count++] = c->field_count;
    c->field_tokens[c->field_count] = crate_token(c, name);
    c->field_reps[c->field_count++] = rep;
}

/* A path in the order of a walk, with its jump, and its spec, whose fields follow. */
static inline uint32_t crate_spec(crate *c, int kind, const char *name, int is_property, int jump) {
    uint32_t token = c->path_count == 0 ? 0 : crate_token(c, name), path = c->path_count;
    if (c->spec_count > 0)
        c->sets[c->set_count++] = UINT32_MAX;
    c->path_index[path] = path;
    c->path_token[path] = is_property ? (uint32_t) - (int32_t)token : token;
    c->path_jump[path] = (uint32_t)jump;
    c->path_count++;
    if (kind != 0) {
        c->spec_path[c->spec_count] = path;
        c->spec_set[c->spec_count] = c->set_count;
        c->spec_kind[c->spec_count++] = (uint32_t)kind;
    }
    return path;
}

/* ---- the file ---- */

typedef struct crate_file {
    unsigned char *bytes;
    size_t size, room;
    uint64_t starts[6], sizes[6];
} crate_file;

static inline void crate_append(crate_file *f, const void *bytes, size_t size) {
    if (f->size + size > f->room) {
        f->room = 2 * (f->size + size);
        f->bytes = realloc(f->bytes, f->room);
    }
    if (size > 0)
        memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

static inline void crate_append_u64(crate_file *f, uint64_t value) {
    crate_append(f, &value, 8);
}

static inline void crate_append_ints(crate_file *f, const uint32_t *ints, uint32_t count) {
    unsigned char packed[8192];
    size_t size = count > 0 ? rlti_ints_pack(ints, count, 4, packed) : 0;
    crate_append_u64(f, size);
    crate_append(f, packed, size);
}

static inline void crate_append_packed(crate_file *f, const void *bytes, size_t count) {
    unsigned char packed[8192];
    size_t size = count > 0 ? rlti_fast_pack(bytes, count, packed) : 0;
    crate_append_u64(f, size);
    crate_append(f, packed, size);
}

/* One after the other as structures, each with four bytes of filling before version 1. */
static inline void crate_append_row(crate_file *f, const crate *c, uint32_t a, uint32_t b, uint32_t d) {
    const uint32_t row[4] = {0, a, b, d};
    crate_append(f, row + (c->version > 0), sizeof row - 4 * (size_t)(c->version > 0));
}

/* From one path on; returns the number of the first path behind it and its children. */
static inline uint32_t crate_append_path(crate_file *f, const crate *c, uint32_t at) {
    if (at >= c->path_count) /* a damaged one */
        return at;
    int32_t token = (int32_t)c->path_token[at], jump = (int32_t)c->path_jump[at];
    int has_child = jump > 0 || jump == -1, has_sibling = jump >= 0;
    crate_append_row(f, c, c->path_index[at], (uint32_t)(token < 0 ? -token : token),
                     (uint32_t)(has_child + 2 * has_sibling + 4 * (token < 0)));
    size_t place = f->size;
    if (has_child && has_sibling)
        crate_append_u64(f, 0);
    uint32_t next = at + 1;
    if (has_child)
        next = crate_append_path(f, c, next);
    if (has_child && has_sibling)
        memcpy(f->bytes + place, &(uint64_t){f->size}, 8);
    return has_sibling ? crate_append_path(f, c, next) : next;
}

/* A section of the versions before 4, in which nothing is packed. */
static inline void crate_append_plain(crate_file *f, const crate *c, int section) {
    const uint32_t counts[6] = {c->token_count, c->string_count, c->field_count,
                                c->set_count,   c->path_count,   c->spec_count};
    crate_append_u64(f, counts[section]);
    if (section == 0) {
        crate_append_u64(f, c->text_bytes);
        crate_append(f, c->text, c->text_bytes);
    } else if (section == 1 || section == 3) {
        crate_append(f, section == 1 ? c->strings : c->sets, 4 * (size_t)counts[section]);
    } else if (section == 4) {
        crate_append_path(f, c, 0);
    }
    for (uint32_t i = 0; i < counts[section] && section == 2; i++) {
        const uint32_t name[2] = {0, c->field_tokens[i]};
        crate_append(f, name, 8);
        crate_append_u64(f, c->field_reps[i]);
    }
    for (uint32_t i = 0; i < counts[section] && section == 5; i++)
        crate_append_row(f, c, c->spec_path[i], c->spec_set[i], c->spec_kind[i]);
}

/* Frees with free(). `ends` 1: the last set of fields gets its end. */
static inline unsigned char *crate_finish(crate *c, int ends, size_t *size) {
    static const char names[6][16] = {"TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"};
    crate_file f = {0};
    unsigned char header[CRATE_START] = "PXR-USDC";
    if (ends)
        c->sets[c->set_count++] = UINT32_MAX;
    header[9] = (unsigned char)c->version;
    crate_append(&f, header, sizeof header);
    crate_append(&f, c->values, c->value_bytes);
    for (int s = 0; s < 6; s++) {
        f.starts[s] = f.size;
        if (c->version < 4) {
            crate_append_plain(&f, c, s);
            f.sizes[s] = f.size - f.starts[s];
            continue;
        }
        switch (s) {
        case 0:
            crate_append_u64(&f, c->token_count);
            crate_append_u64(&f, c->text_bytes);
            crate_append_packed(&f, c->text, c->text_bytes);
            break;
        case 1:
            crate_append_u64(&f, c->string_count);
            crate_append(&f, c->strings, 4 * (size_t)c->string_count);
            break;
        case 2:
            crate_append_u64(&f, c->field_count);
            crate_append_ints(&f, c->field_tokens, c->field_count);
            crate_append_packed(&f, c->field_reps, 8 * (size_t)c->field_count);
            break;
        case 3:
            crate_append_u64(&f, c->set_count);
            crate_append_ints(&f, c->sets, c->set_count);
            break;
        case 4:
            crate_append_u64(&f, c->path_count);
            crate_append_u64(&f, c->path_count);
            crate_append_ints(&f, c->path_index, c->path_count);
            crate_append_ints(&f, c->path_token, c->path_count);
            crate_append_ints(&f, c->path_jump, c->path_count);
            break;
        default:
            crate_append_u64(&f, c->spec_count);
            crate_append_ints(&f, c->spec_path, c->spec_count);
            crate_append_ints(&f, c->spec_set, c->spec_count);
            crate_append_ints(&f, c->spec_kind, c->spec_count);
        }
        f.sizes[s] = f.size - f.starts[s];
    }
    memcpy(f.bytes + 16, &(uint64_t){f.size}, 8);
    crate_append_u64(&f, 6);
    for (int s = 0; s < 6; s++) {
        crate_append(&f, names[s], 16);
        crate_append_u64(&f, f.starts[s]);
        crate_append_u64(&f, f.sizes[s]);
    }
    *size = f.size;
    return f.bytes;
}

/* ---- a file with something of everything ---- */

static inline uint64_t crate_list(crate *c, int type, int header, uint32_t item) {
    uint64_t at = crate_u8(c, (unsigned)header);
    crate_u64(c, 1);
    crate_u32(c, item);
    return crate_rep(type, at);
}

static inline uint64_t crate_references(crate *c, const char *asset, uint32_t path) {
    uint32_t key = crate_string(c, "note"), file = crate_string(c, asset);
    uint64_t at = crate_u8(c, 32);
    crate_u64(c, 1);
    crate_u32(c, file);
    crate_u32(c, path);
    crate_double(c, 10.0);
    crate_double(c, 2.0);
    crate_u64(c, 1); /* a dictionary with one number, which stands before its rep */
    crate_u32(c, key);
    crate_u64(c, 16);
    crate_double(c, 0.1);
    crate_u64(c, crate_rep(RLTI_CRATE_DOUBLE, crate_at(c) - 8));
    return crate_rep(RLTI_CRATE_REFERENCE_LIST, at);
}

static inline uint64_t crate_payload(crate *c, const char *asset, uint32_t path) {
    uint32_t file = crate_string(c, asset);
    uint64_t at = crate_at(c);
    if (c->version >= 8) {
        crate_u8(c, 2); /* explicit */
        crate_u64(c, 1);
    }
    crate_u32(c, file);
    crate_u32(c, path);
    if (c->version >= 8) {
        crate_double(c, 5.0);
        crate_double(c, 1.0);
    }
    return crate_rep(c->version >= 8 ? RLTI_CRATE_PAYLOAD_LIST : RLTI_CRATE_PAYLOAD, at);
}

static inline uint64_t crate_samples(crate *c, const double *times, const uint64_t *reps, uint64_t count) {
    uint64_t times_at = crate_u64(c, count);
    crate_put(c, times, 8 * (size_t)count);
    uint64_t at = crate_u64(c, 8);
    crate_u64(c, crate_rep(RLTI_CRATE_DOUBLE_VECTOR, times_at));
    crate_u64(c, 8);
    crate_u64(c, count);
    crate_put(c, reps, 8 * (size_t)count);
    return crate_rep(RLTI_CRATE_TIME_SAMPLES, at);
}

enum { CRATE_COUNT = 20 }; /* of long arrays */

static inline void crate_example_layer(crate *c) {
    crate_spec(c, RLTI_SPEC_ROOT, "", 0, -1);
    float metre = 0.01F;
    uint32_t bits;
    memcpy(&bits, &metre, 4);
    crate_field(c, "metersPerUnit", crate_inlined(RLTI_CRATE_FLOAT, bits));
    crate_field(c, "upAxis", crate_token_rep(c, "Z"));
    crate_field(c, "primChildren", crate_tokens(c, "B A"));
    uint32_t file = crate_string(c, "below.usd");
    uint64_t at = crate_u64(c, 1);
    crate_u32(c, file);
    crate_field(c, "subLayers", crate_rep(RLTI_CRATE_STRING_VECTOR, at));
    at = crate_u64(c, 1);
    crate_double(c, 3.0);
    crate_double(c, 0.5);
    crate_field(c, "subLayerOffsets", crate_rep(RLTI_CRATE_LAYER_OFFSETS, at));
}

static inline void crate_example_arrays(crate *c) {
    int ints[CRATE_COUNT];
    uint32_t index[CRATE_COUNT];
    float points[4][3] = {{0.5F, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, -0.25F}}, two[2] = {0.25F, -0.0F};
    for (int i = 0; i < CRATE_COUNT; i++) {
        ints[i] = 3 * i - 7;
        index[i] = (uint32_t)(i % 2);
    }
    crate_spec(c, RLTI_SPEC_ATTRIBUTE, "points", 1, 0);
    crate_field(c, "typeName", crate_token_rep(c, "point3f[]"));
    uint64_t first = crate_array(c, 4);
    crate_put(c, points, sizeof points);
    uint64_t reps[2] = {RLTI_REP_ARRAY | crate_rep(24, first), crate_inlined(RLTI_CRATE_BLOCK, 0)};
    crate_field(c, "timeSamples", crate_samples(c, (const double[]){1.0, 2.5}, reps, 2));
    crate_spec(c, RLTI_SPEC_ATTRIBUTE, "counts", 1, 0);
    crate_field(c, "typeName", crate_token_rep(c, "int[]"));
    uint64_t at = crate_array(c, CRATE_COUNT), packed = c->version >= 5 ? RLTI_REP_COMPRESSED : 0;
    if (packed)
        crate_ints(c, ints, CRATE_COUNT, 4);
    else
        crate_put(c, ints, sizeof ints);
    crate_field(c, "default", RLTI_REP_ARRAY | packed | crate_rep(RLTI_CRATE_INT, at));
    if (c->version < 6)
        return;
    crate_spec(c, RLTI_SPEC_ATTRIBUTE, "whole", 1, 0);
    crate_field(c, "typeName", crate_token_rep(c, "half[]"));
    at = crate_array(c, CRATE_COUNT);
    crate_u8(c, 'i');
    crate_ints(c, ints, CRATE_COUNT, 4);
    crate_field(c, "default", RLTI_REP_ARRAY | RLTI_REP_COMPRESSED | crate_rep(RLTI_CRATE_HALF, at));
    crate_spec(c, RLTI_SPEC_ATTRIBUTE, "few", 1, 0);
    crate_field(c, "typeName", crate_token_rep(c, "float[]"));
    at = crate_array(c, CRATE_COUNT);
    crate_u8(c, 't');
    crate_u32(c, 2);
    crate_put(c, two, sizeof two);
    crate_ints(c, index, CRATE_COUNT, 4);
    crate_field(c, "default", RLTI_REP_ARRAY | RLTI_REP_COMPRESSED | crate_rep(RLTI_CRATE_FLOAT, at));
}

/* /A with attributes, a relationship and variants; /B with references. */
static inline void crate_example(crate *c, int version) {
    crate_begin(c, version);
    crate_example_layer(c);
    int attributes = version >= 6 ? 4 : 2;
    uint32_t a = crate_spec(c, RLTI_SPEC_PRIM, "A", 0, attributes + 7);
    crate_field(c, "specifier", crate_inlined(RLTI_CRATE_SPECIFIER, 0));
    crate_field(c, "typeName", crate_token_rep(c, "BasisCurves"));
    crate_field(c, "properties", crate_tokens(c, "look counts points"));
    crate_field(c, "apiSchemas", crate_list(c, RLTI_CRATE_TOKEN_LIST, 32, crate_token(c, "GroomAPI")));
    crate_field(c, "variantSetNames", crate_list(c, RLTI_CRATE_STRING_LIST, 32, crate_string(c, "lod")));
    crate_example_arrays(c);
    crate_spec(c, RLTI_SPEC_ATTRIBUTE, "xformOp:transform", 1, 0);
    crate_field(c, "typeName", crate_token_rep(c, "matrix4d"));
    crate_field(c, "default", crate_inlined(RLTI_CRATE_MATRIX4D, 0x01fd0201)); /* 1 2 -3 1 */
    crate_spec(c, RLTI_SPEC_ATTRIBUTE, "tint", 1, 0);
    crate_field(c, "typeName", crate_token_rep(c, "color3f"));
    crate_field(c, "variability", crate_inlined(RLTI_CRATE_VARIABILITY, 1));
    crate_field(c, "custom", crate_inlined(RLTI_CRATE_BOOL, 1));
    crate_field(c, "interpolation", crate_token_rep(c, "constant"));
    crate_field(c, "elementSize", crate_inlined(RLTI_CRATE_INT, 3));
    crate_align(c);
    uint64_t at = crate_u64(c, 8); /* a value that is somewhere else */
    crate_u64(c, crate_inlined(24, 0x00ff0201));
    crate_field(c, "default", crate_rep(RLTI_CRATE_VALUE, at));
    crate_spec(c, RLTI_SPEC_RELATIONSHIP, "look", 1, 0);
    crate_field(c, "targetPaths", crate_list(c, RLTI_CRATE_PATH_LIST, 3, a));
    crate_spec(c, RLTI_SPEC_VARIANT_SET, "{lod=}", 0, 0);
    crate_spec(c, RLTI_SPEC_VARIANT, "{lod=high}", 0, -1);
    crate_spec(c, RLTI_SPEC_PRIM, "Inside", 0, -2); /* the variant's, not the layer's */
    uint32_t b = crate_spec(c, RLTI_SPEC_PRIM, "B", 0, -2);
    (void)b;
    crate_field(c, "specifier", crate_inlined(RLTI_CRATE_SPECIFIER, 1));
    crate_field(c, "references", crate_references(c, "asset.usd", a));
    crate_field(c, "payload", crate_payload(c, "heavy.usd", 0));
    crate_field(c, "active", crate_inlined(RLTI_CRATE_BOOL, 0));
    crate_field(c, "instanceable", crate_inlined(RLTI_CRATE_BOOL, 1));
    crate_field(c, "kind", crate_token_rep(c, "component"));
}

#endif
