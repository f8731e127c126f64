/* Inside of the crate reader: the tables of a file (usdc_sections.c), its values (usdc_values.c,
 * usdc_lists.c), and the layer made of them (usdc_read.c). */
#ifndef RLTI_FORMATS_USD_USDC_CRATE_H
#define RLTI_FORMATS_USD_USDC_CRATE_H

#include "base/arena.h"
#include "formats/usd/usd_layer.h"
#include "io/span.h"

/* Value types as numbered in the file. Those not named here are plain numbers and texts (usdc_values.c). */
typedef enum rlti_crate_type {
    RLTI_CRATE_BOOL = 1,
    RLTI_CRATE_UCHAR = 2,
    RLTI_CRATE_INT = 3,
    RLTI_CRATE_UINT = 4,
    RLTI_CRATE_INT64 = 5,
    RLTI_CRATE_UINT64 = 6,
    RLTI_CRATE_HALF = 7,
    RLTI_CRATE_FLOAT = 8,
    RLTI_CRATE_DOUBLE = 9,
    RLTI_CRATE_STRING = 10,
    RLTI_CRATE_TOKEN = 11,
    RLTI_CRATE_ASSET = 12,
    RLTI_CRATE_MATRIX2D = 13,
    RLTI_CRATE_MATRIX4D = 15,
    RLTI_CRATE_QUATD = 16,
    RLTI_CRATE_QUATH = 18,
    RLTI_CRATE_VEC2D = 19,
    RLTI_CRATE_VEC4I = 30,
    RLTI_CRATE_DICTIONARY = 31,
    RLTI_CRATE_TOKEN_LIST = 32,
    RLTI_CRATE_STRING_LIST = 33,
    RLTI_CRATE_PATH_LIST = 34,
    RLTI_CRATE_REFERENCE_LIST = 35,
    RLTI_CRATE_PATH_VECTOR = 40,
    RLTI_CRATE_TOKEN_VECTOR = 41,
    RLTI_CRATE_SPECIFIER = 42,
    RLTI_CRATE_VARIABILITY = 44,
    RLTI_CRATE_VARIANT_SELECTION = 45,
    RLTI_CRATE_TIME_SAMPLES = 46,
    RLTI_CRATE_PAYLOAD = 47,
    RLTI_CRATE_DOUBLE_VECTOR = 48,
    RLTI_CRATE_LAYER_OFFSETS = 49,
    RLTI_CRATE_STRING_VECTOR = 50,
    RLTI_CRATE_BLOCK = 51,
    RLTI_CRATE_VALUE = 52,
    RLTI_CRATE_UNREGISTERED = 53,
    RLTI_CRATE_PAYLOAD_LIST = 55,
    RLTI_CRATE_TIME_CODE = 56,
    RLTI_CRATE_PATH_EXPRESSION = 57,
    RLTI_CRATE_RELOCATES = 58,
    RLTI_CRATE_SPLINE = 59,
    RLTI_CRATE_ANIMATION_BLOCK = 60
} rlti_crate_type;

/* A value rep: flags, a type and 48 bits that are the value or where it is. */
#define RLTI_REP_ARRAY        ((uint64_t)1 << 63)
#define RLTI_REP_INLINED      ((uint64_t)1 << 62)
#define RLTI_REP_COMPRESSED   ((uint64_t)1 << 61)
#define RLTI_REP_UNKNOWN      ((uint64_t)0x1f << 56) /* flags of versions after 0.12 */
#define RLTI_REP_TYPE(rep)    ((int)((rep) >> 48 & 0xff))
#define RLTI_REP_PAYLOAD(rep) ((rep) & (((uint64_t)1 << 48) - 1))

/* Kinds of specs. */
enum {
    RLTI_SPEC_ATTRIBUTE = 1,
    RLTI_SPEC_PRIM = 6,
    RLTI_SPEC_ROOT = 7,
    RLTI_SPEC_RELATIONSHIP = 8,
    RLTI_SPEC_VARIANT = 10,
    RLTI_SPEC_VARIANT_SET = 11,
    RLTI_SPEC_KINDS = 13
};

/* The tree of paths. Links are path indices, -1 where there is none. */
typedef struct rlti_crate_path {
    int parent, child, sibling;
    int32_t token;      /* of the last part; negative: a property, and the token is -token */
    uint32_t field_set; /* of its spec */
    uint8_t spec;       /* kind; 0: it has none */
    uint16_t depth;
} rlti_crate_path;

#define RLTI_CRATE_DEPTH       512 /* of paths */
#define RLTI_CRATE_FIELDS      512 /* of one spec */
#define RLTI_CRATE_INDIRECTION 8   /* values that are somewhere else */

typedef struct rlti_crate {
    const char *file;
    const unsigned char *bytes;
    size_t size;
    const rlti_file_pages *pages; /* of the file; NULL: all bytes are there */
    int version;                  /* 100 * minor + patch; the major number is 0 */
    rlt_messages *messages;       /* only while the file is opened */
    rlti_arena arena;
    char *token_text;
    const char **tokens;
    size_t token_count;
    uint32_t *strings; /* tokens */
    size_t string_count;
    uint32_t *field_tokens;
    uint64_t *field_reps;
    size_t field_count;
    uint32_t *field_sets; /* field indices; every set ends with UINT32_MAX, and so does the list */
    size_t field_set_count;
    rlti_crate_path *paths;
    size_t path_count;
    size_t prim_specs, property_specs;
    /* Budget of memory while opening: lists may be named again and again by a small file. */
    uint64_t items_left, text_left;
    unsigned warned; /* bits: each said once */
    /* most attributes of a file share their times */
    uint64_t times_rep;
    const double *times;
    uint64_t time_count;
} rlti_crate;

/* "FILE: PLACE: what" as RLT_BAD_INPUT. */
rlt_status rlti_crate_damaged(const rlti_crate *crate, rlt_messages *messages, const char *place,
                              const char *what);

/* Reads header and tables. */
rlt_status rlti_crate_read_tables(rlti_crate *crate);
void rlti_crate_free(rlti_crate *crate);

/* The text of a token or string index, or NULL where there is none. */
const char *rlti_crate_token(const rlti_crate *crate, uint64_t index);
const char *rlti_crate_string(const rlti_crate *crate, uint64_t index);
/* "/Char/Hair.points"; kept in the arena. NULL where there is none, or when out of memory or of patience. */
const char *rlti_crate_path_text(rlti_crate *crate, uint64_t index);

/* Takes from what may still be made; 0 when it is used up. */
int rlti_crate_spend(rlti_crate *crate, uint64_t items);

/* ---- values (usdc_values.c) ---- */

/* Follows values that are somewhere else; 0 where they lead nowhere. */
uint64_t rlti_crate_resolve(const rlti_crate *crate, uint64_t rep);

/* The type of the numbers or texts of a rep; 0 where it is neither. */
int rlti_crate_array_type(uint64_t rep, rlti_array_type *type);

/* And back: the number of the type in a file; 0 where it has none. */
int rlti_crate_type_number(rlti_array_type type);

/* Reads numbers or texts. Thread-safe. */
rlt_status rlti_crate_read_value(const rlti_crate *crate, uint64_t rep, rlti_array_type type,
                                 rlt_messages *messages, rlti_array *to);

/* One number of any type, and one text; 0 or NULL where it is something else. */
int rlti_crate_number(const rlti_crate *crate, uint64_t rep, double *number);
const char *rlti_crate_text(const rlti_crate *crate, uint64_t rep);

/* ---- lists (usdc_lists.c); all are copies in the arena ---- */

typedef enum rlti_crate_item { RLTI_ITEM_TOKEN, RLTI_ITEM_STRING, RLTI_ITEM_PATH } rlti_crate_item;

/* Is called for each entry of a dictionary; 0 ends it. */
typedef int rlti_crate_visit(rlti_crate *crate, const char *key, uint64_t rep, void *context);
/* Returns 0 where it is damaged or something else. */
int rlti_crate_dictionary(rlti_crate *crate, uint64_t rep, rlti_crate_visit *visit, void *context);
/* The text under a key of a dictionary, or NULL. */
const char *rlti_crate_entry(rlti_crate *crate, uint64_t rep, const char *key);
/* Texts of a vector. Returns 0 where it is damaged or something else, as all of these do. */
int rlti_crate_texts(rlti_crate *crate, uint64_t rep, int *count, const char *const **texts);
/* Texts of an edited list. */
int rlti_crate_text_list(rlti_crate *crate, uint64_t rep, const rlti_usd_list **list);
/* The same as indices of tokens; only vectors of tokens. Points into the file or the arena. */
int rlti_crate_token_vector(rlti_crate *crate, uint64_t rep, rlti_span *items, size_t *count);
/* References or payloads. */
int rlti_crate_arc_list(rlti_crate *crate, uint64_t rep, const rlti_usd_list **list);
/* Offset and scale of sub-layers. */
int rlti_crate_layer_offsets(rlti_crate *crate, uint64_t rep, rlti_usd_arc *arcs, int count);
/* Chosen variants, and prims that are moved. */
int rlti_crate_selections(rlti_crate *crate, uint64_t rep, int *count, const rlti_usd_selection **list);
int rlti_crate_relocates(rlti_crate *crate, uint64_t rep, int *count, const rlti_usd_relocate **list);
/* Value clips (usdc_clips.c). */
int rlti_crate_clips(rlti_crate *crate, uint64_t rep, int *count, const rlti_usd_clips **list);
/* Times, and the reps of the values. */
int rlti_crate_time_samples(rlti_crate *crate, uint64_t rep, int *count, const double **times,
                            rlti_span *reps);

#endif
