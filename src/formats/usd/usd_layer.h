/* One USD layer as it was authored: prims and properties, before sub-layers and references are put together
 * (usd_compose.c does that). Made by the text reader (usda_read.c) and the crate reader
 * (usdc_read.c).
 *
 * Everything is read at once but values: those stay in the file until rlti_usd_layer_read. */
#ifndef RLTI_FORMATS_USD_USD_LAYER_H
#define RLTI_FORMATS_USD_USD_LAYER_H

#include "base/arena.h"
#include "formats/tree/stage.h"
#include "io/file_map.h"

typedef enum rlti_usd_specifier { RLTI_USD_DEF, RLTI_USD_OVER, RLTI_USD_CLASS } rlti_usd_specifier;

/* A yes or no that a layer may leave to weaker ones. */
typedef enum rlti_usd_flag { RLTI_USD_UNSAID, RLTI_USD_FALSE, RLTI_USD_TRUE } rlti_usd_flag;

/* Where a value is, in the reader's own terms. `kind` 0: there is none. */
typedef enum rlti_usd_value_kind { RLTI_USD_NO_VALUE, RLTI_USD_BLOCKED, RLTI_USD_VALUE } rlti_usd_value_kind;
typedef struct rlti_usd_value {
    rlti_usd_value_kind kind;
    rlti_array_type type; /* of this value; a file may lie about the attribute's */
    uint64_t where;       /* value rep of a crate, offset of a text */
    uint64_t size;        /* [bytes] of a text */
} rlti_usd_value;

/* A reference, payload or sub-layer. */
typedef struct rlti_usd_arc {
    const char *asset;     /* file as written, "" = this layer */
    const char *prim_path; /* "" = the default prim */
    double offset, scale;  /* of time codes: t = scale * t' + offset */
} rlti_usd_arc;

/* Edits of one layer to a list that weaker ones may have: an edit each of "explicit", "add" and so on, as
 * usd_edits.c applies them. Items are rlti_usd_arc (references, payloads) or const char * (all others). */
typedef enum rlti_usd_edit {
    RLTI_USD_EXPLICIT, /* these and no others */
    RLTI_USD_ADDED,    /* at the end, where they are not there yet */
    RLTI_USD_PREPENDED,
    RLTI_USD_APPENDED,
    RLTI_USD_DELETED,
    RLTI_USD_ORDERED, /* which of those that are there come first */
    RLTI_USD_EDITS
} rlti_usd_edit;

typedef struct rlti_usd_items {
    int count;
    const void *items;
} rlti_usd_items;

typedef struct rlti_usd_list {
    int is_explicit; /* the explicit edit counts, even where it is empty; no other does */
    rlti_usd_items edits[RLTI_USD_EDITS];
} rlti_usd_list;

/* The variant that a prim chooses of a set. */
typedef struct rlti_usd_selection {
    const char *set, *variant; /* "": none */
} rlti_usd_selection;

/* A prim that appears at another path than where references put it. */
typedef struct rlti_usd_relocate {
    const char *source, *target; /* absolute */
} rlti_usd_relocate;

/* One set of value clips: files that hold the samples of a prim and of those below it. */
typedef struct rlti_usd_clips {
    const char *name;
    int asset_count;
    const char *const *assets;
    const char *prim_path; /* in the clips */
    int active_count;      /* stage time, index of the clip that counts from there on */
    const double (*active)[2];
    int time_count; /* stage time, time in the clip; straight between */
    const double (*times)[2];
    const char *template_asset; /* "clip.###.usd", in place of assets; "" */
    double template_start, template_end, template_stride;
} rlti_usd_clips;

typedef struct rlti_usd_property {
    const char *name;      /* "points", "primvars:st", "primvars:st:indices", "xformOp:translate" */
    const char *type_name; /* "point3f[]"; "" for relationships */
    rlti_array_type type;  /* from type_name; element RLTI_TEXT arity 0 where the type is not known */
    int is_relationship, is_custom, is_uniform;
    rlti_usd_value value; /* the default */
    int sample_count;
    const double *times; /* [sample_count] increasing */
    const rlti_usd_value *samples;
    const char *interpolation; /* "" = not authored */
    int element_size;          /* 0 = not authored */
    const rlti_usd_list
        *targets;      /* of a relationship, or connections of an attribute: absolute paths; or NULL */
    rlti_notes *notes; /* NULL: there are none */
} rlti_usd_property;

typedef struct rlti_usd_prim {
    const char *path, *name, *type_name; /* type "" where not authored */
    int parent;                          /* index or -1; parents come before children, order of the file */
    rlti_usd_specifier specifier;
    int first_property, property_count;
    /* lists, NULL where the layer does not say anything about them */
    const rlti_usd_list *references, *payloads;
    const rlti_usd_list *inherits, *specializes; /* absolute paths */
    const rlti_usd_list *api_schemas, *variant_sets;
    const char *kind, *doc; /* "" */
    rlti_usd_flag active, instanceable;
    int is_variant; /* no prim, but a variant of its parent, which it has the path of: "{set=variant}" is its
                       name */
    int selection_count;
    const rlti_usd_selection *selections;
    int clip_count;
    const rlti_usd_clips *clips; /* strongest first */
} rlti_usd_prim;

typedef struct rlti_usd_layer rlti_usd_layer;

typedef struct rlti_usd_layer_reader {
    const char *format; /* "usda" or "usdc" */
    rlt_status (*read)(const rlti_usd_layer *layer, const rlti_usd_value *value, rlt_messages *messages,
                       rlti_array *to);
    void (*close)(rlti_usd_layer *layer); /* frees `own` */
} rlti_usd_layer_reader;

struct rlti_usd_layer {
    const rlti_usd_layer_reader *reader;
    void *own;
    const char *file; /* for messages; of a package "x.usdz[layer.usdc]" */
    const char *version;
    int prim_count, property_count;
    rlti_usd_prim *prims;
    rlti_usd_property *properties; /* prim after prim */
    /* stage metadata; has_... 0 where not authored */
    char up_axis;                                    /* 0, 'Y', 'Z' */
    double metres_per_unit, kilograms_per_unit;      /* 0 */
    double time_codes_per_second, frames_per_second; /* 0 */
    int has_range;
    double start_time, end_time;
    const char *default_prim;  /* "" */
    const char *documentation; /* "" */
    const char *fingerprint;   /* "" */
    int sublayer_count;
    const rlti_usd_arc *sublayers; /* strongest first */
    int relocate_count;
    const rlti_usd_relocate *relocates;
};

/* Readers. `bytes` stay valid until the layer is closed (a mapped file or part of one); where there are
 * `pages`, those bytes that are needed are read, and of a text no more is kept than one value. All texts and
 * lists belong to the layer. */
rlt_status rlti_usda_layer_open(const char *file, const unsigned char *bytes, size_t size,
                                const rlti_file_pages *pages, rlt_messages *messages, rlti_usd_layer **layer);
rlt_status rlti_usdc_layer_open(const char *file, const unsigned char *bytes, size_t size,
                                const rlti_file_pages *pages, rlt_messages *messages, rlti_usd_layer **layer);

/* An Alembic file, which is opened by its name. */
rlt_status rlti_usd_alembic_open(const char *file, rlt_messages *messages, rlti_usd_layer **layer);

static inline rlt_status rlti_usd_layer_read(const rlti_usd_layer *layer, const rlti_usd_value *value,
                                             rlt_messages *messages, rlti_array *to) {
    return layer->reader->read(layer, value, messages, to);
}
void rlti_usd_layer_close(rlti_usd_layer *layer); /* calls reader->close, frees the layer */

/* "{set=variant}", the name of a variant below the prim it varies; NULL when out of memory. */
const char *rlti_usd_variant_name(rlti_arena *arena, const char *set, const char *variant);

/* "point3f[]" to a type; legacy names ("Vec3f", "PointFloat") too. Returns 0 where not known, and then the
 * type is RLTI_TEXT of arity 0. */
int rlti_usd_type(const char *name, size_t length, rlti_array_type *type);

/* The name of a text among rlti_notes: "bindMaterialAs"; whether it is a token, not a string. */
const char *rlti_usd_note_name(int note, int *is_token);
/* Its place, or -1. */
int rlti_usd_note_find(const char *name, size_t length);

/* And back; NULL where USD has no such type. Of a role that USD does not have on these numbers, the plain
 * name
 * ("float3" of a box); integers of one or two bytes with a sign, and of two without, are "int". */
const char *rlti_usd_type_name(rlti_array_type type);

#endif
