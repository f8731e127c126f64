/* Scenes: load, check, override, describe. */
#ifndef RINGLET_SCENE_H
#define RINGLET_SCENE_H

#include <stddef.h>

#include "ringlet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A checked scene. Immutable once loaded. */
typedef struct rlt_scene rlt_scene;

/* Loads and checks a scene file. `overrides` are "key=value" texts as given to --set, applied after the file;
 * a problem in override k is reported at "--set:1:COLUMN" of its own text. All problems are listed in
 * `messages`; on any error the status is RLT_BAD_INPUT and *scene is NULL. */
rlt_status rlt_scene_load_file(const char *path, const char *const *overrides, int override_count,
                               rlt_messages *messages, rlt_scene **scene);

/* The same from memory; `name` stands for the file in messages. */
rlt_status rlt_scene_load_text(const char *name, const char *text, size_t size, const char *const *overrides,
                               int override_count, rlt_messages *messages, rlt_scene **scene);

/* The same for a scene built into the library ("redhead"); an unknown name lists the known ones. */
rlt_status rlt_scene_load_embedded(const char *name, const char *const *overrides, int override_count,
                                   rlt_messages *messages, rlt_scene **scene);

void rlt_scene_destroy(rlt_scene *scene);

/* A scene like this one with further overrides, as if they had been given to it besides its own. Every key is
 * known by its last value: changing a value to and fro does not make the list longer. */
rlt_status rlt_scene_change(const rlt_scene *scene, const char *const *overrides, int override_count,
                            rlt_messages *messages, rlt_scene **changed);

/* The overrides it has, "key=value", counted from 0; NULL past the end. With its text they are the scene. */
const char *rlt_scene_override(const rlt_scene *scene, int index);
/* The text it was made from, without overrides; "" for NULL. */
const char *rlt_scene_text(const rlt_scene *scene);

/* Names and texts of the embedded scenes; NULL past the end. */
const char *rlt_embedded_scene_name(int index);
const char *rlt_embedded_scene_text(int index);

/* The same of the presets, the kinds of hair that hair.preset names; a text begins with a comment that says
 * what it is. */
const char *rlt_embedded_preset_name(int index);
const char *rlt_embedded_preset_text(int index);

/* Values that a caller needs before a run. */
const char *rlt_scene_title(const rlt_scene *scene);
double rlt_scene_frames_per_second(const rlt_scene *scene);
int rlt_scene_first_frame(const rlt_scene *scene);
int rlt_scene_last_frame(const rlt_scene *scene);
double rlt_scene_metres_per_unit(const rlt_scene *scene);

/* The work that changing a value takes where a simulation is live (ringlet/live.h). */
typedef enum rlt_live {
    RLT_LIVE_REBUILD = 0, /* rlt_simulation_rebuild */
    RLT_LIVE_SET = 1,     /* rlt_simulation_set */
    RLT_LIVE_LOOK = 2     /* the same; no effect on the motion, only on pictures and reports */
} rlt_live;

/* One row of the schema: what a scene file may say. */
typedef struct rlt_schema_entry {
    size_t size;               /* of this struct: sizeof */
    const char *key;           /* "hair.bend.stiffness" */
    const char *type;          /* "number", "integer", "switch", "choice", "text", "vector", "ramp", ... */
    const char *unit;          /* "unit/s", or "" */
    const char *range;         /* ">= 0", "0..1", "straight | wavy | helix | coil", or "" */
    const char *default_value; /* as it would be written in a file */
    const char *help;          /* one line */
    double minimum, maximum;   /* of every number in the value; HUGE_VAL: no maximum. 0 and 0: it has none */
    int exclusive;             /* 1: the minimum itself is not allowed */
    int group_length;          /* bytes of the key without its last word: of "hair.bend"; 0: none */
    int live;                  /* rlt_live: what changing it takes in a live simulation */
    int reserved;              /* 0 */
} rlt_schema_entry;

/* Row `index` of the schema; returns 0 past the end and for a size that is not set, 1 otherwise. */
int rlt_schema_get(int index, rlt_schema_entry *entry);

/* The value that row `index` of the schema has in a scene, as it would be written in a file (of strands: how
 * many). `section` counts hair sections and colliders from 0, and is 0 for all other rows. A text longer than
 * `size` - 1 bytes is cut. `is_default`, unless NULL, reports whether the value is the schema's. Returns 0
 * where there is no such row or section, 1 otherwise. */
int rlt_scene_value(const rlt_scene *scene, int index, int section, char *text, size_t size, int *is_default);

/* The reference page of the scene format, Markdown, made from the schema; NULL when out of memory. Free it
 * with rlt_text_free. */
char *rlt_schema_reference(void);
void rlt_text_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
