/* The schema: one row per value a scene file may hold. Parsing, checking, defaults, overrides and the
 * reference page all come from it; docs/design/scene-format.md says how to add a row. */
#ifndef RLTI_SCENE_SCHEMA_H
#define RLTI_SCENE_SCHEMA_H

#include <stddef.h>

typedef enum rlti_type {
    RLTI_TYPE_NUMBER,  /* double */
    RLTI_TYPE_INTEGER, /* int */
    RLTI_TYPE_SWITCH,  /* int 0 or 1 */
    RLTI_TYPE_CHOICE,  /* enum; the words stand in the order of its values */
    RLTI_TYPE_TEXT,    /* char[] */
    RLTI_TYPE_PRESET,  /* char[], the name of a preset */
    RLTI_TYPE_VECTOR,  /* double[3] */
    RLTI_TYPE_RANGE,   /* double[2], increasing */
    RLTI_TYPE_RAMP,    /* rlti_ramp */
    RLTI_TYPE_NAMES,   /* rlti_names */
    RLTI_TYPE_STRANDS, /* rlti_strand_data *, with its count in strand_count */
    RLTI_TYPE_KEYS,    /* rlti_keys */
    RLTI_TYPE_TRACK,   /* rlti_track */
    RLTI_TYPE_FRAMES   /* rlti_frames */
} rlti_type;

/* The struct a row's offset counts in. */
typedef enum rlti_part {
    RLTI_PART_SCENE,
    RLTI_PART_HAIR,
    RLTI_PART_COLLIDER,
    RLTI_PART_CONSTRAINT
} rlti_part;

typedef struct rlti_row {
    const char *key;
    rlti_type type;
    const char *unit;
    const char *range; /* as shown to users; choices are split at " | " */
    double min, max;   /* of every number in the value */
    int exclusive;     /* min itself is not allowed */
    rlti_part part;
    size_t offset, size;       /* of the member */
    const char *default_value; /* YAML */
    const char *help;
} rlti_row;

#define RLTI_SCHEMA_MAX 400 /* more than the number of rows, for tables indexed by row */

/* The number of rows; rlti_schema_row(i) for i below it. */
int rlti_schema_count(void);
const rlti_row *rlti_schema_row(int index);

/* The index of a key, or -1. */
int rlti_schema_find(const char *key);

/* Meaning of `name` below `prefix` ("" for the top): a row's index, with *is_section 0; or the index of the
 * first row in the section of that name, with *is_section 1; or -1. */
int rlti_schema_child(const char *prefix, const char *name, int *is_section);

/* The child of `prefix` whose name is closest to a misspelt one, copied to `best`; 0 when none is close. */
int rlti_schema_suggest(const char *prefix, const char *name, char *best, size_t size);

const char *rlti_type_name(rlti_type type);

/* 1 when a row of numbers takes the word `auto`, too (RLTI_AUTO). */
int rlti_row_takes_auto(const rlti_row *row);

/* The value of a word among a row's choices, or -1. */
int rlti_choice_value(const rlti_row *row, const char *word);

/* 1 when two words are so alike that one may be a slip for the other; *distance says how far apart. */
int rlti_words_close(const char *a, const char *b, int *distance);

#endif
