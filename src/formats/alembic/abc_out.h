/* Inside of the Alembic writer. Samples go to the data part as they come (abc_sink.c, abc_forms.c); headers
 * and groups are put behind them when the file is published (abc_publish.c, abc_headers.c). */
#ifndef RLTI_FORMATS_ALEMBIC_ABC_OUT_H
#define RLTI_FORMATS_ALEMBIC_ABC_OUT_H

#include "formats/alembic/murmur3.h"
#include "formats/alembic/ogawa_write.h"
#include "formats/tree/sink.h"

/* Record of one property as written. */
typedef struct rlti_abc_track {
    double *times;   /* [count] as handed over */
    uint64_t *data;  /* [count] references */
    uint64_t *sizes; /* [count] references to the counts of texts; NULL for numbers */
    int count, capacity;
    int has_still; /* a value without a time */
    uint64_t still, still_size;
    uint64_t last, last_key[2], last_bytes; /* the block written last */
    uint64_t hash[2];                       /* of all keys so far */
    int has_many;                           /* a sample has not exactly one value */
    int is_uneven;                          /* samples have different sizes */
} rlti_abc_track;

/* Where an attribute goes. */
typedef enum rlti_abc_place {
    RLTI_ABC_NOWHERE,
    RLTI_ABC_SCHEMA,     /* .geom, .xform, .faceset */
    RLTI_ABC_BOUNDS,     /* .selfBnds */
    RLTI_ABC_VISIBILITY, /* beside the schema */
    RLTI_ABC_PARAMETER,
    RLTI_ABC_USER,
    RLTI_ABC_ORIGINAL /* where its origin says */
} rlti_abc_place;

typedef struct rlti_abc_form {
    rlti_abc_place place;
    const char *property; /* NULL: the attribute's own name */
    rlti_array_type type; /* as it is written */
    int is_parameter;     /* its metadata say where on the geometry it is */
    const char *metadata; /* of those that are no parameters */
    int needs_counts;     /* values per corner of right-handed faces, which are turned; points of pinned
                             B-splines, of which the joints are written */
    int is_counts;
} rlti_abc_form;

typedef struct rlti_abc_prim {
    rlti_abc_track transform, bounds;
    int moves;         /* it has a transform of its own */
    int has_extent;    /* boxes are handed over: none are made from points */
    rlti_array counts; /* of right-handed faces or of pinned B-splines, at the last time */
    int has_counts;
} rlti_abc_prim;

/* A value that waits for the counts of its faces or curves. */
typedef struct rlti_abc_waiting {
    struct rlti_abc_waiting *next;
    int attribute;
    double time;
    rlti_array value;
} rlti_abc_waiting;

/* Blocks written lately, by their keys. */
enum { RLTI_ABC_RECENT = 4096 };
typedef struct rlti_abc_recent {
    uint64_t key[2], bytes, data;
} rlti_abc_recent;

/* The sample that comes in pieces. */
typedef struct rlti_abc_pieces {
    uint64_t at;    /* of its block; 0: nothing came yet */
    uint64_t count; /* values so far */
    rlti_murmur3_state key;
    float minimum[3], maximum[3]; /* of points, where boxes are made from them */
} rlti_abc_pieces;

typedef struct rlti_abc_writer {
    rlti_stream *data; /* of the sink's parts */
    rlti_stream *log;  /* a record for each sample */
    int track_count, prim_count;
    rlti_abc_track *tracks; /* by attribute */
    rlti_abc_form *forms;
    rlti_abc_prim *prims;
    rlti_array scratch, turned;
    rlti_abc_waiting *waiting, **waiting_end;
    rlti_abc_recent *recent; /* [RLTI_ABC_RECENT] */
    int said_blocked, said_kind, said_axis;
    rlti_abc_pieces pieces;
} rlti_abc_writer;

/* ---- abc_forms.c: what is written how ---- */

rlti_abc_form rlti_abc_form_of(const rlti_prim *prim, const rlti_attribute *attribute);
int rlti_abc_pod_of(rlti_element element);

/* The value in another type, in `scratch` where it has to change. Returns 0 when out of memory, -1 where it
 * cannot be. */
int rlti_abc_fit(const rlti_array *value, rlti_array_type type, rlti_array *scratch,
                 const rlti_array **fitted);

/* Values per corner with the faces turned round; the first corner stays. Returns 0 when out of memory, -1
 * where the counts do not fit. */
int rlti_abc_turn(const rlti_array *value, const rlti_array *counts, int per_corner, rlti_array *scratch);

/* ---- abc_axis.c: Z up becomes Y up ---- */

/* 1 where roots, and prims that do not follow their parents, carry the turn, so that all points, normals and
 * velocities below stay as they are. */
int rlti_abc_turns_up(const rlti_sink *sink);
/* 1 for these prims. */
int rlti_abc_is_turned(const rlti_sink *sink, int prim);
/* Their transform with the turn behind it. */
void rlti_abc_turn_up(const double matrix[16], double turned[16]);

/* ---- abc_curves.c: pinned curves, as straight pieces ---- */

/* In the metadata of curves that were pinned Catmull-Rom curves, for Ringlet's own reader ("ringletCurves").
 */
extern const char rlti_abc_was_pinned[];

int rlti_abc_is_straightened(const rlti_prim *prim);
/* 1 where its points are not on the curve: the joints are written in their place. */
int rlti_abc_has_joints(const rlti_prim *prim);
int rlti_abc_needs_joints(const rlti_prim *prim, const rlti_attribute *attribute);

/* Where the curves of these points are at each of them. Returns 0 when out of memory, -1 where the counts do
 * not fit. */
int rlti_abc_joints(const rlti_array *value, const rlti_array *counts, rlti_array *scratch);

/* ---- abc_forms.c ---- */

/* Words for where on the geometry values belong, by rlti_interpolation. */
extern const char *const rlti_abc_scopes[];

/* "arrayExtent=1;geoScope=uni;..." of a parameter, or the interpretation alone; at most `size` bytes. */
void rlti_abc_parameter_text(const rlti_attribute *attribute, const rlti_abc_form *form, char *text,
                             size_t size);

/* The attribute that an index belongs to, or -1. */
int rlti_abc_indexed_by(const rlti_sink *sink, int attribute);
/* The attribute that holds this one's indices, or -1. */
int rlti_abc_indices_of(const rlti_sink *sink, int attribute);

/* ---- abc_publish.c ---- */

/* Writes headers, groups and the archive's own parts behind the samples. */
rlt_status rlti_abc_compose(rlti_sink *sink, rlti_stream *out, rlt_messages *messages);

#endif
