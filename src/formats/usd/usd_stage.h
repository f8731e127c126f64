/* The neutral stage over composed USD layers: what its parts share. */
#ifndef RLTI_FORMATS_USD_USD_STAGE_H
#define RLTI_FORMATS_USD_USD_STAGE_H

#include "formats/tree/stage.h"
#include "formats/usd/usd_compose.h"
#include "formats/usd/usd_edits.h"

extern const rlti_stage_reader rlti_usda_stage_reader, rlti_usdc_stage_reader, rlti_usdz_stage_reader;

/* A property after composition: each part from the strongest layer that has it. */
typedef struct rlti_usd_resolved {
    const char *name, *type_name;
    rlti_array_type type;
    int is_relationship, is_uniform, is_custom;
    const char *interpolation; /* "" */
    int element_size;          /* 0 */
    /* Samples and the default may come from different layers; NULL where there are none. */
    const rlti_usd_layer *sample_layer, *default_layer;
    const rlti_usd_property *samples, *value;
    const rlti_usd_layer *const *sample_layers; /* of each sample, where value clips have them; else NULL */
    double offset, scale;                       /* of the samples' times */
    double default_offset, default_scale;       /* of the default's layer, for values that are times */
    int target_count;
    const char **targets; /* paths in the stage */
    rlti_usd_edited edited;
    rlti_notes notes;
} rlti_usd_resolved;

typedef enum rlti_usd_op_type {
    RLTI_USD_TRANSLATE,
    RLTI_USD_SCALE,
    RLTI_USD_ROTATE, /* about one to three axes */
    RLTI_USD_ORIENT,
    RLTI_USD_MATRIX
} rlti_usd_op_type;

/* One step of a transform stack. */
typedef struct rlti_usd_op {
    rlti_usd_op_type type;
    signed char axes[3]; /* of a value with fewer than three, or the order of rotations; -1: no more */
    int inverts;
    const rlti_usd_resolved *from;
} rlti_usd_op;

typedef struct rlti_usd_xform {
    int count, resets;
    int is_whole;     /* nothing that xformOpOrder names was left out */
    rlti_usd_op *ops; /* in the order of xformOpOrder */
} rlti_usd_xform;

typedef struct rlti_usd_clip_set rlti_usd_clip_set;

typedef struct rlti_usd_own { /* what a stage's `own` is */
    rlti_arena arena;
    rlti_usd_layers *layers;
    rlti_usd_composition composed;
    rlti_usd_resolved **properties; /* [prim_count] of each prim: [property_counts] */
    int *property_counts;
    rlti_usd_xform **xforms;   /* [prim_count] or NULL */
    rlti_usd_clip_set **clips; /* [prim_count] its own or a parent's, or NULL */
    const rlti_link **links;   /* [prim_count] of each prim: [link_counts] */
    int *link_counts;
} rlti_usd_own;

/* usd_property.c: the properties of a composed prim. */
rlt_status rlti_usd_resolve_prim(rlti_usd_own *own, int prim, rlt_messages *messages);
const rlti_usd_resolved *rlti_usd_property_named(const rlti_usd_own *own, int prim, const char *name);

/* A value as the property's type: sample 0.. or -1 for the default. `place` is "FILE: /prim". */
rlt_status rlti_usd_resolved_read(const rlti_usd_resolved *property, int sample, const char *file,
                                  const char *path, rlt_messages *messages, rlti_array *to);

/* usd_clips.c: finds the value clips of a prim, whose parent was asked before. */
rlt_status rlti_usd_clips_open(rlti_usd_own *own, int prim, rlt_messages *messages);
/* The weakest of the prim's sites that is stronger than its clips, or -1. */
int rlti_usd_clips_place(const rlti_usd_own *own, int prim);
/* Takes the samples of the property from the clips, where they have any. */
rlt_status rlti_usd_clips_apply(rlti_usd_own *own, int prim, rlti_usd_resolved *to, rlt_messages *messages);

/* usd_xform.c: the transform stack of a prim, and what it gives at a time. */
rlt_status rlti_usd_xform_open(rlti_usd_own *own, int prim, const char *file, rlt_messages *messages);
/* Times at which it changes, increasing; freed by the caller (rlti_free). */
rlt_status rlti_usd_xform_times(const rlti_usd_xform *xform, rlt_messages *messages, double **times,
                                int *count);
rlt_status rlti_usd_xform_at(const rlti_usd_xform *xform, double time, const char *file, const char *path,
                             rlt_messages *messages, double matrix[16]);

/* usd_links.c: what the properties of a prim are beside their values. 0 when out of memory. */
int rlti_usd_links_open(rlti_usd_own *own, int prim);

/* usd_operations.c: the transform as the file has it, xformOpOrder and the operations it names, as attributes
 * that reader->read takes. How many: 0 where the stage is not USD, or where not all of them are known. Memory
 * is the stage's. */
int rlti_usd_operation_count(const rlti_stage *stage, const rlti_prim *prim);
rlt_status rlti_usd_operations(const rlti_stage *stage, const rlti_prim *prim, rlt_messages *messages,
                               const rlti_attribute **list /* [rlti_usd_operation_count] */);
/* 1 where an operation goes along great circles between its keys, not straight. */
int rlti_usd_turns_between(const rlti_stage *stage, const rlti_prim *prim);

int rlti_stage_is_usd(const rlti_stage *stage);

/* The file of the layer that has the attribute's values; NULL where the stage is not USD. */
const char *rlti_usd_layer_of(const rlti_stage *stage, const rlti_prim *prim,
                              const rlti_attribute *attribute);

/* Paths of a relationship's targets, as they are in the stage; NULL, 0 where the stage is not USD or has no
 * such relationship. */
const char *const *rlti_usd_targets(const rlti_stage *stage, const rlti_prim *prim, const char *relationship,
                                    int *count);

#endif
