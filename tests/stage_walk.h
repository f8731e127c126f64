/* Reads everything a stage has: every value, transform and geometry. For the fuzz programs and for tests with
 * damaged files. */
#ifndef TESTS_STAGE_WALK_H
#define TESTS_STAGE_WALK_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/geometry.h"
#include "formats/tree/readers.h"

static inline void walk_geometry(const rlti_stage *stage, int prim, rlt_messages *messages) {
    rlti_geometry_def def = {.time = stage->first_time, .levels = 1};
    rlti_geometry *g;
    rlti_geometry_space(stage, 1.0, 'Y', 1.0, 'Y', def.to_target);
    if (rlti_geometry_open(stage, prim, &def, messages, &g) != RLT_OK)
        return;
    double(*points)[3] = malloc(((size_t)g->point_count + 1) * sizeof *points);
    double *corners = malloc(((size_t)g->triangle_count + 1) * 3 * 16 * sizeof *corners);
    const rlti_prim *p = &stage->prims[prim];
    rlti_geometry_points(g, stage->first_time, messages, points);
    rlti_geometry_points(g, 0.5 * (stage->first_time + stage->last_time), messages, points);
    for (int t = 0; t < g->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (g->triangles[t][k] < 0 || g->triangles[t][k] >= g->point_count)
                abort();
    for (int i = 0; i < p->attribute_count && g->triangle_count > 0; i++) {
        const rlti_attribute *a = &stage->attributes[p->first_attribute + i];
        if (a->type.element != RLTI_TEXT && a->type.arity <= 16)
            rlti_geometry_corner_values(g, a, stage->first_time, messages, corners);
    }
    free(points);
    free(corners);
    rlti_geometry_close(g);
}

static inline void walk_stage(const rlti_stage *stage, rlt_messages *messages) {
    rlti_array value = {0};
    double world[16];
    for (int i = 0; i < stage->prim_count && i < 200; i++) {
        const rlti_prim *prim = &stage->prims[i];
        if (prim->parent >= i)
            abort();
        rlti_stage_world(stage, i, stage->last_time, messages, world);
        for (int k = 0; k < prim->attribute_count && k < 100; k++)
            rlti_stage_flat(stage, prim, &stage->attributes[prim->first_attribute + k], stage->last_time,
                            messages, &value);
        if (prim->kind == RLTI_PRIM_MESH || prim->kind == RLTI_PRIM_CURVES)
            walk_geometry(stage, i, messages);
    }
    rlti_array_clear(&value);
}

/* Formats of one still prim (.hair, .tfx, .obj): what was opened can be read to its last byte. */
static inline void walk_plain(const rlti_stage *stage, rlt_messages *messages) {
    rlti_array value = {0};
    for (int i = 0; i < stage->attribute_count; i++) {
        size_t sum = 0;
        if (stage->reader->read(stage, &stage->prims[0], &stage->attributes[i], -1, messages, &value) !=
            RLT_OK)
            abort(); /* all was checked when it was opened */
        for (size_t k = 0; k < value.count * (size_t)value.type.arity * 4; k++)
            sum += ((const unsigned char *)value.data)[k];
        if (sum == SIZE_MAX) /* never; the sum must be used */
            abort();
    }
    rlti_array_clear(&value);
}

typedef rlt_status walk_opener(const char *path, rlti_file_map *map, rlt_messages *messages,
                               rlti_stage **stage);

/* Opens these bytes with one reader and reads the stage through; aborts where a promise is broken. */
static inline rlt_status walk_bytes_with(walk_opener *open, const unsigned char *data, size_t size,
                                         rlt_messages *messages) {
    /* a copy that starts aligned, as a mapped file does, and ends where the sanitizer sees it */
    unsigned char *copy = malloc(size);
    rlti_file_map map = {.bytes = copy, .size = size};
    rlti_stage *stage = NULL;
    if (size > 0)
        memcpy(copy, data, size);
    rlt_status status = open("bytes", &map, messages, &stage);
    if ((status == RLT_OK) != (stage != NULL) ||
        (status != RLT_OK && messages != NULL && rlt_messages_count(messages) == 0))
        abort();
    if (stage != NULL &&
        (open == rlti_hair_stage_open || open == rlti_tfx_stage_open || open == rlti_obj_stage_open))
        walk_plain(stage, messages);
    if (stage != NULL)
        walk_stage(stage, messages);
    rlti_stage_close(stage);
    free(copy);
    return status;
}

/* The same as a USD file of any kind. */
static inline rlt_status walk_bytes(const unsigned char *data, size_t size, rlt_messages *messages) {
    return walk_bytes_with(rlti_usd_stage_open, data, size, messages);
}

#endif
