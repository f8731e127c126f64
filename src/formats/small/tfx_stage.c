/* TressFX .tfx (version 4): a header of 160 bytes with the places of up to five runs; little endian. Every
 * strand has the same number of points. */
#include "base/messages.h"
#include "formats/tree/plain_stage.h"
#include "formats/tree/readers.h"
#include "io/span.h"

enum { HEADER_BYTES = 160, POINTS_MAX = 64 };

/* The runs a header names, in its order. */
enum { POSITION, STRAND_UV, VERTEX_UV, STRAND_THICKNESS, VERTEX_COLOUR, RUNS };

static const struct {
    const char *name;
    size_t size;    /* bytes of one value */
    int per_strand; /* else per point */
} kinds[RUNS] = {{"position", 16, 0},
                 {"strandUV", 8, 1},
                 {"vertexUV", 8, 0},
                 {"strandThickness", 4, 1},
                 {"vertexColor", 16, 0}};

typedef struct header {
    uint32_t strands, per_strand;
    const unsigned char *runs[RUNS]; /* NULL where missing */
} header;

static size_t count_of(const header *h, int kind) {
    return kinds[kind].per_strand ? h->strands : (size_t)h->strands * h->per_strand;
}

static rlt_status read_header(const char *path, rlti_span *span, header *h, rlt_messages *messages) {
    float version = rlti_span_float(span);
    h->strands = rlti_span_u32(span);
    h->per_strand = rlti_span_u32(span);
    if (span->size < HEADER_BYTES)
        return rlti_refuse(messages, "%s: %zu bytes: shorter than the header of a .tfx file", path,
                           span->size);
    if (!(version == 4.0f))
        return rlti_refuse(messages, "%s: version %g of .tfx is not known; 4 is", path, (double)version);
    if (h->strands == 0 || h->per_strand < 2)
        return rlti_refuse(messages, "%s: header: %lu strands of %lu points", path, (unsigned long)h->strands,
                           (unsigned long)h->per_strand);
    if (h->per_strand > POINTS_MAX)
        rlti_warn(messages, "%s: header: %lu points per strand; TressFX has at most %d", path,
                  (unsigned long)h->per_strand, POINTS_MAX);
    for (int i = 0; i < RUNS; i++) {
        uint32_t at = rlti_span_u32(span);
        if (at == 0)
            continue;
        if (at < HEADER_BYTES || at > span->size ||
            (uint64_t)h->strands * h->per_strand > span->size || /* keeps the product below small */
            count_of(h, i) > (span->size - at) / kinds[i].size)
            return rlti_refuse(
                messages,
                "%s: %s: %lu strands of %lu points do not fit at byte %lu of %zu: the file was "
                "cut off, or its header is wrong",
                path, kinds[i].name, (unsigned long)h->strands, (unsigned long)h->per_strand,
                (unsigned long)at, span->size);
        h->runs[i] = span->bytes + at;
    }
    if (h->runs[POSITION] == NULL)
        return rlti_refuse(messages, "%s: header: the file has no positions", path);
    return RLT_OK;
}

static int add_run(rlti_stage *stage, const header *h, int kind, size_t skip, const char *name,
                   rlti_attribute_class class_, rlti_array_type type) {
    if (h->runs[kind] == NULL)
        return 1;
    rlti_plain_run run = {
        .from = h->runs[kind] + skip, .stride = kinds[kind].size, .count = count_of(h, kind)};
    return rlti_plain_attribute(stage, name, class_, type,
                                kinds[kind].per_strand ? RLTI_UNIFORM : RLTI_VERTEX, run);
}

static int build(rlti_stage *stage, const header *h) {
    static const rlti_array_type point = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1},
                                 colour = {RLTI_FLOAT, 3, RLTI_ROLE_COLOUR, 1},
                                 number = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1},
                                 texture = {RLTI_FLOAT, 2, RLTI_ROLE_TEXTURE, 1},
                                 whole = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1};
    rlti_prim prim = {.path = "/hair",
                      .name = "hair",
                      .type_name = "tfx",
                      .parent = -1,
                      .kind = RLTI_PRIM_CURVES,
                      .curve_type = RLTI_CURVE_LINEAR,
                      .basis = RLTI_BASIS_NONE};
    rlti_plain_run counts = {.count = h->strands, .fill = (int32_t)h->per_strand};
    stage->version = "4";
    stage->default_prim = 0;
    return rlti_stage_add_prim(stage, &prim) >= 0 &&
           add_run(stage, h, POSITION, 0, "points", RLTI_BUILT_IN, point) &&
           rlti_plain_attribute(stage, "curveVertexCounts", RLTI_BUILT_IN, whole, RLTI_UNIFORM, counts) &&
           add_run(stage, h, STRAND_THICKNESS, 0, "widths", RLTI_BUILT_IN, number) &&
           add_run(stage, h, POSITION, 12, "inverseMass", RLTI_PRIMVAR, number) &&
           add_run(stage, h, STRAND_UV, 0, "st", RLTI_PRIMVAR, texture) &&
           add_run(stage, h, VERTEX_UV, 0, "vertexUV", RLTI_PRIMVAR, texture) &&
           add_run(stage, h, VERTEX_COLOUR, 0, "displayColor", RLTI_PRIMVAR, colour) &&
           add_run(stage, h, VERTEX_COLOUR, 12, "displayOpacity", RLTI_PRIMVAR, number);
}

rlt_status rlti_tfx_stage_open(const char *path, rlti_file_map *map, rlt_messages *messages,
                               rlti_stage **stage) {
    header h = {0};
    rlti_span span = {.bytes = map->bytes, .size = map->size};
    *stage = NULL;
    rlt_status status = read_header(path, &span, &h, messages);
    if (status != RLT_OK) {
        rlti_file_map_close(map);
        return status;
    }
    rlti_stage *made = rlti_plain_create(path, "tfx", map);
    if (made == NULL || !build(made, &h)) {
        rlti_stage_close(made);
        return rlti_out_of_memory(messages);
    }
    *stage = made;
    return RLT_OK;
}
