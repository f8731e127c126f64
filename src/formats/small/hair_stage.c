/* Cem Yuksel's .hair: a header of 128 bytes, then runs of numbers without alignment; little endian. */
#include <string.h>

#include "base/messages.h"
#include "formats/tree/plain_stage.h"
#include "formats/tree/readers.h"
#include "io/seal.h"
#include "io/span.h"

enum {
    HEADER_BYTES = 128,
    INFO_BYTES = 88,
    HAS_SEGMENTS = 1,
    HAS_POINTS = 2,
    HAS_THICKNESS = 4,
    HAS_TRANSPARENCY = 8,
    HAS_COLOURS = 16,
    HAS_ALL = 31
};

typedef struct header {
    uint32_t strands, points, arrays, segments; /* `segments`: of every strand where there is no list */
    const unsigned char *thickness, *transparency, *colour;
    char info[INFO_BYTES + 1];
} header;

/* The runs in the order of the file; NULL where missing. */
typedef struct runs {
    const unsigned char *segments, *points, *thickness, *transparency, *colours;
} runs;

static void read_header(rlti_span *span, header *h) {
    rlti_span_take(span, 4); /* "HAIR" */
    h->strands = rlti_span_u32(span);
    h->points = rlti_span_u32(span);
    h->arrays = rlti_span_u32(span);
    h->segments = rlti_span_u32(span);
    h->thickness = rlti_span_take(span, 4);
    h->transparency = rlti_span_take(span, 4);
    h->colour = rlti_span_take(span, 12);
    const unsigned char *info = rlti_span_take(span, INFO_BYTES);
    if (info != NULL)
        memcpy(h->info, info, INFO_BYTES);
    h->info[INFO_BYTES] = '\0';
    for (char *c = h->info; *c != '\0'; c++) /* no control codes in what is printed */
        if ((unsigned char)*c < 0x20 || (unsigned char)*c == 0x7f)
            *c = ' ';
}

static const unsigned char *take_run(rlti_span *span, const header *h, uint32_t bit, uint32_t count,
                                     size_t size) {
    if ((h->arrays & bit) == 0)
        return NULL;
    return rlti_span_take(span, (size_t)count * size);
}

/* Points all strands have together; at most 2^32 times 2^32. */
static int sum_is_right(const header *h, const runs *r, uint64_t *sum) {
    *sum = 0;
    if (r->segments == NULL) {
        *sum = (uint64_t)h->strands * ((uint64_t)h->segments + 1);
        return h->segments < INT32_MAX && *sum == h->points;
    }
    for (uint32_t i = 0; i < h->strands; i++)
        *sum += 1u + (uint32_t)(r->segments[2 * (size_t)i] | r->segments[2 * (size_t)i + 1] << 8);
    return *sum == h->points;
}

static rlt_status check(const char *path, const rlti_span *span, const header *h, const runs *r,
                        rlt_messages *messages) {
    uint64_t sum;
    if (h->strands == 0)
        return rlti_refuse(messages, "%s: header: there are no strands", path);
    if ((h->arrays & HAS_POINTS) == 0)
        return rlti_refuse(messages, "%s: header: the file has no points", path);
    if (span->failed)
        return rlti_refuse(
            messages,
            "%s: %zu bytes, too few for %lu strands of %lu points in all: the file was cut off, "
            "or its header is wrong",
            path, span->size, (unsigned long)h->strands, (unsigned long)h->points);
    if (!sum_is_right(h, r, &sum))
        return rlti_refuse(messages, "%s: header: %lu points, but the strands have %llu together", path,
                           (unsigned long)h->points, (unsigned long long)sum);
    if ((h->arrays & ~(uint32_t)HAS_ALL) != 0)
        rlti_warn(messages, "%s: header: unknown kinds of values (bits 0x%lx) are left out", path,
                  (unsigned long)(h->arrays & ~(uint32_t)HAS_ALL));
    else if (rlti_span_left(span) > 0 && !rlti_seal_is(span->bytes + span->at, rlti_span_left(span)))
        rlti_warn(messages, "%s: %zu bytes after the end are left out", path, rlti_span_left(span));
    return RLT_OK;
}

/* Values per point, or the header's one value where there are none. */
static int add_values(rlti_stage *stage, const char *name, rlti_attribute_class class_, rlti_array_type type,
                      const unsigned char *run, uint32_t count, const unsigned char *otherwise) {
    size_t stride = 4 * (size_t)type.arity;
    rlti_plain_run values = {.from = run != NULL ? run : otherwise, .stride = stride, .count = count};
    if (run == NULL)
        values.count = 1;
    return rlti_plain_attribute(stage, name, class_, type, run != NULL ? RLTI_VERTEX : RLTI_CONSTANT, values);
}

static int build(rlti_stage *stage, const header *h, const runs *r) {
    static const rlti_array_type point = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1},
                                 colour = {RLTI_FLOAT, 3, RLTI_ROLE_COLOUR, 1},
                                 number = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1},
                                 whole = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1};
    rlti_prim prim = {.path = "/hair",
                      .name = "hair",
                      .type_name = "hair",
                      .parent = -1,
                      .kind = RLTI_PRIM_CURVES,
                      .curve_type = RLTI_CURVE_LINEAR,
                      .basis = RLTI_BASIS_NONE};
    rlti_plain_run counts = {.from = r->segments,
                             .stride = 2,
                             .count = h->strands,
                             .fill = (int32_t)(h->segments + 1),
                             .is_segments = r->segments != NULL};
    rlti_plain_run points = {.from = r->points, .stride = 12, .count = h->points};
    stage->version = rlti_stage_text(stage, h->info);
    stage->default_prim = 0;
    const char *made = h->info + RLTI_HAIR_MARK_AT;
    if (made[-1] == '\0' && strncmp(made, RLTI_HAIR_MARK, strlen(RLTI_HAIR_MARK)) == 0)
        rlti_stage_fingerprint(stage, made + strlen(RLTI_HAIR_MARK), RLTI_FINGERPRINT_SIZE - 1);
    return stage->version != NULL && rlti_stage_add_prim(stage, &prim) >= 0 &&
           rlti_plain_attribute(stage, "points", RLTI_BUILT_IN, point, RLTI_VERTEX, points) &&
           rlti_plain_attribute(stage, "curveVertexCounts", RLTI_BUILT_IN, whole, RLTI_UNIFORM, counts) &&
           add_values(stage, "widths", RLTI_BUILT_IN, number, r->thickness, h->points, h->thickness) &&
           add_values(stage, "transparency", RLTI_PRIMVAR, number, r->transparency, h->points,
                      h->transparency) &&
           add_values(stage, "displayColor", RLTI_PRIMVAR, colour, r->colours, h->points, h->colour);
}

rlt_status rlti_hair_stage_open(const char *path, rlti_file_map *map, rlt_messages *messages,
                                rlti_stage **stage) {
    header h = {0};
    runs r = {0};
    rlti_span span = {.bytes = map->bytes, .size = map->size};
    *stage = NULL;
    if (map->size < HEADER_BYTES) {
        rlt_status status =
            rlti_refuse(messages, "%s: %zu bytes: shorter than the header of a .hair file", path, map->size);
        rlti_file_map_close(map);
        return status;
    }
    read_header(&span, &h);
    r.segments = take_run(&span, &h, HAS_SEGMENTS, h.strands, 2);
    r.points = take_run(&span, &h, HAS_POINTS, h.points, 12);
    r.thickness = take_run(&span, &h, HAS_THICKNESS, h.points, 4);
    r.transparency = take_run(&span, &h, HAS_TRANSPARENCY, h.points, 4);
    r.colours = take_run(&span, &h, HAS_COLOURS, h.points, 12);
    rlt_status status = check(path, &span, &h, &r, messages);
    if (status != RLT_OK) {
        rlti_file_map_close(map);
        return status;
    }
    rlti_stage *made = rlti_plain_create(path, "hair", map);
    if (made == NULL || !build(made, &h, &r)) {
        rlti_stage_close(made);
        return rlti_out_of_memory(messages);
    }
    *stage = made;
    return RLT_OK;
}
