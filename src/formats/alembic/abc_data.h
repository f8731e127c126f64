/* Shared by the parts of the Alembic reader. */
#ifndef RLTI_FORMATS_ALEMBIC_ABC_DATA_H
#define RLTI_FORMATS_ALEMBIC_ABC_DATA_H

#include "formats/alembic/abc_values.h"
#include "formats/tree/stage.h"
#include "io/file_map.h"

/* A transform: operations and where their numbers are. */
typedef struct rlti_abc_xform {
    const unsigned char *operations; /* [count] kind << 4 | hint */
    size_t count;
    int values;   /* index of the property with the numbers, or -1 */
    int inherits; /* ... with 0 where parents do not count, or -1 */
} rlti_abc_xform;

typedef struct rlti_abc {
    rlti_file_map map;
    rlti_abc_archive archive;
    int property_count, property_capacity;
    rlti_abc_property *properties; /* those attributes and transforms read */
    int xform_count, xform_capacity;
    rlti_abc_xform *xforms;
} rlti_abc;

/* While the tree is made. */
enum { RLTI_ABC_PATH = 4096, RLTI_ABC_TYPE = 64, RLTI_ABC_DEPTH = 200, RLTI_ABC_ORIGIN = 1024 };
typedef struct rlti_abc_builder {
    rlti_abc *abc;
    rlti_stage *stage;
    rlt_messages *messages;
    char path[RLTI_ABC_PATH + 1]; /* of the object at hand */
    size_t length;
    size_t budget; /* bytes the tree may still take: a file cannot hold more than it has bytes for */
    int depth;
    uint64_t above[RLTI_ABC_DEPTH]; /* [depth] groups of the objects above */
    double *times;                  /* scratch */
    size_t time_capacity;
    int has_range;
    int warned_times, warned_instances;
    int has_source; /* the instance before was of `source`, at this path */
    rlti_abc_text source_path;
    rlti_abc_object source;
    int instances;          /* that are followed at the moment, one within another */
    size_t instance_budget; /* bytes of the tree that instances may still take: they cost the file nothing */
    char origin[RLTI_ABC_ORIGIN]; /* of the property that is added next (rlti_attribute.origin), or "" */
    int unplaced;                 /* parameters without a scope whose count fits no place */
} rlti_abc_builder;

/* "FILE: /path: what", where what is a problem; RLT_OK for NULL. */
rlt_status rlti_abc_problem(const rlti_abc_builder *b, const char *name, const char *problem);
/* Takes bytes from the budget, that of instances within one. */
rlt_status rlti_abc_charge(rlti_abc_builder *b, size_t bytes);
/* Keeps a property for later reading; *index says where. */
rlt_status rlti_abc_keep(rlti_abc_builder *b, const rlti_abc_property *property, int *index);
/* Times of a property's steps in b->times; less than all where they do not increase. */
rlt_status rlti_abc_times(rlti_abc_builder *b, const rlti_abc_property *property, int *count);

const rlti_abc_property *rlti_abc_find(const rlti_abc_property *list, int count, const char *name);

/* Kind of an object by its metadata. */
void rlti_abc_describe(rlti_abc_text metadata, rlti_prim *prim, char type[RLTI_ABC_TYPE]);
/* Adds the prim (named in b->path) with all attributes its properties give. */
rlt_status rlti_abc_add_prim(rlti_abc_builder *b, const rlti_ogawa_group *object, rlti_prim *prim,
                             int *index);

/* ---- abc_places.c: places of parameters without a scope ---- */

/* How many values there are for each place. */
typedef struct rlti_abc_places {
    int is_shape;
    size_t points, parts;            /* parts: curves or faces */
    size_t corners;                  /* of faces */
    size_t varying;                  /* ends of curves' segments, once counted */
    const rlti_abc_property *curves; /* what they are counted from; NULL: done */
    const rlti_prim *prim;
} rlti_abc_places;

rlti_abc_places rlti_abc_places_of(const rlti_abc_builder *b, const rlti_abc_property *list, int count,
                                   const rlti_prim *prim);

/* The place that the count of the property (values, or indices where it has some) fits: one value is
 * constant; else vertex goes before faceVarying, uniform and varying, where a count fits several. What fits
 * none is reported, and stays `otherwise`. */
rlti_interpolation rlti_abc_guess_place(rlti_abc_builder *b, const rlti_abc_property *property, int per_place,
                                        const char *name, rlti_abc_places *places,
                                        rlti_interpolation otherwise);

/* Says how many more there were than the one that was named. */
void rlti_abc_report_more_unplaced(const rlti_abc_builder *b);

/* Finds the transform among the properties of `.xform`. */
rlt_status rlti_abc_add_xform(rlti_abc_builder *b, const rlti_abc_property *list, int count, rlti_prim *prim);
rlt_status rlti_abc_read_transform(const rlti_stage *stage, const rlti_prim *prim, double time,
                                   rlt_messages *messages, double matrix[16], int *resets);

#endif
