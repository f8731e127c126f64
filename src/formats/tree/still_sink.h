/* Writers of formats without time (.hair, .obj): the first value of each attribute the format can hold goes
 * to a part file; the file itself is put together from it when it is published. */
#ifndef RLTI_FORMATS_TREE_STILL_SINK_H
#define RLTI_FORMATS_TREE_STILL_SINK_H

#include "formats/tree/sink.h"
#include "io/file_map.h"

typedef struct rlti_still_format {
    const char *extension; /* for messages */
    const char *holds;     /* what it can hold, in words */
    /* 1: the attribute's first value is kept */
    int (*wants)(const rlti_prim *prim, const rlti_attribute *attribute);
    /* Writes the whole file. */
    rlt_status (*compose)(const rlti_sink *sink, rlti_stream *out, rlt_messages *messages);
} rlti_still_format;

typedef struct rlti_still_value {
    long long at; /* in the part file; 0: no value yet */
    uint64_t count;
} rlti_still_value;

typedef struct rlti_still {
    long long length; /* bytes in the part */
    int value_capacity, transform_capacity;
    rlti_still_value *values;     /* [value_capacity] by attribute */
    rlti_still_value *transforms; /* [transform_capacity] by prim */
    int has_later, has_left_out;  /* said once */
    long long piece_at;           /* of the record of the array in pieces; -1: it is not kept */
    uint64_t piece_count;         /* its values so far */
    rlti_file_map map;            /* of the part, while the file is put together */
} rlti_still;

extern const rlti_still_format rlti_hair_format, rlti_obj_format;

/* While composing. The first `count` values are not needed now: their memory is given back, until somebody
 * reads them again. */
void rlti_still_forget(const rlti_sink *sink, const rlti_array *view, size_t count);
/* The value of a prim's attribute, in the mapped part; 0 where there is none. */
int rlti_still_value_of(const rlti_sink *sink, int prim, rlti_attribute_class class_, const char *name,
                        rlti_array *view, int *attribute);
/* The values that index this attribute's. */
int rlti_still_indices_of(const rlti_sink *sink, int attribute, rlti_array *view);
int rlti_still_value_at(const rlti_sink *sink, int attribute, rlti_array *view);
/* From the prim's space to the world; 0 where that is the same. */
int rlti_still_world(const rlti_sink *sink, int prim, double matrix[16]);
/* Points as floats in the world; `scratch` for 3 * count floats. Returns 0 where they are no numbers. */
int rlti_still_points(const rlti_array *view, size_t first, size_t count, const double *world,
                      float *scratch);

#endif
