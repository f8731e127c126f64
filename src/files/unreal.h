/* Unreal's groom attributes ("Alembic for Grooms"): the same names as geometry attributes in Alembic and as
 * primvars in USD, where the applied schema GroomAPI marks the top prim. */
#ifndef RLTI_FILES_UNREAL_H
#define RLTI_FILES_UNREAL_H

#include "formats/tree/sink.h"

#define RLTI_UNREAL_SCHEMA "GroomAPI"

/* Attributes of one prim of curves for the engine. */
typedef struct rlti_unreal_curves {
    int curve_count;
    int is_guide;
    const int *group_ids; /* [curve_count]; NULL: all 0 */
    const int *ids;       /* [curve_count]; NULL: 0, 1, ... */
    const float *root_uv; /* [curve_count][2]; NULL: the engine projects */
    const float *widths;  /* diameters [width_count]; NULL: the engine takes the curves' own */
    size_t width_count;   /* 1, one per curve or one per point, as in width_place */
    rlti_interpolation width_place;
} rlti_unreal_curves;

/* Declares version and tool on the top prim. `writes` 0: the values are there already (a resumed run).
 */
rlt_status rlti_unreal_top(rlti_sink *sink, int prim, int writes, rlt_messages *messages);

/* Declares groom_guide, groom_group_id, groom_id, groom_root_uv and groom_width on a prim of curves; those in
 * `has` (a NULL-terminated list of names; may be NULL) are there already. */
rlt_status rlti_unreal_add(rlti_sink *sink, int prim, const rlti_unreal_curves *curves,
                           const char *const *has, int writes, rlt_messages *messages);

/* The same for a prim of curves of a stage: ids, groups, root uv and widths from its own attributes under any
 * of their usual names at a time; what it already has as groom_* is left to the caller to copy. */
rlt_status rlti_unreal_from_stage(const rlti_stage *stage, int prim, double time, rlti_sink *sink, int to,
                                  int writes, rlt_messages *messages);

/* "A B" with one more schema, for rlti_prim.api_schemas; free it with rlti_free. NULL when out of memory. */
char *rlti_unreal_schemas(const char *schemas);

#endif
