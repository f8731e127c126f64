/* Stages of formats that hold one prim, still, as plain runs of numbers: .hair, .tfx, .obj. */
#ifndef RLTI_FORMATS_TREE_PLAIN_STAGE_H
#define RLTI_FORMATS_TREE_PLAIN_STAGE_H

#include "formats/tree/stage.h"
#include "io/file_map.h"

enum { RLTI_PLAIN_RUNS = 12 };

/* Where the values of one attribute are. */
typedef struct rlti_plain_run {
    const unsigned char *from; /* NULL: `fill` again and again */
    size_t stride;             /* bytes from one value to the next */
    size_t count;
    int32_t fill;
    int is_segments; /* 16-bit counts of segments, read as counts of points: one more */
} rlti_plain_run;

typedef struct rlti_plain {
    rlti_file_map map;
    void *memory[4]; /* freed with the stage */
    int run_count;
    rlti_plain_run runs[RLTI_PLAIN_RUNS];
} rlti_plain;

/* A stage that owns the map (also on failure, when NULL is returned). */
rlti_stage *rlti_plain_create(const char *path, const char *format, rlti_file_map *map);

/* Adds an attribute of the prim added last. Returns 0 when out of memory. */
int rlti_plain_attribute(rlti_stage *stage, const char *name, rlti_attribute_class class_,
                         rlti_array_type type, rlti_interpolation interpolation, rlti_plain_run run);

#endif
