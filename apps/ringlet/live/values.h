/* Values of the scene: what was changed, and all of it as JSON for the page's sliders. */
#ifndef RINGLET_APP_LIVE_VALUES_H
#define RINGLET_APP_LIVE_VALUES_H

#include "args.h"
#include "json.h"
#include "ringlet/ringlet.h"

/* "key=value" texts, each key once, in the order in which they were first set. Starts all zero. */
typedef struct live_values {
    int count, capacity;
    char **texts;
} live_values;

/* Sets "key=value"; 0 when out of memory. */
int live_values_set(live_values *values, const char *text);
/* Takes a key away; 0 where it was not there. */
int live_values_unset(live_values *values, const char *key);
/* The text of a key, "key=value"; NULL: not set. */
const char *live_values_find(const live_values *values, const char *key, size_t key_size);
/* Makes `to` the same; 0 when out of memory. */
int live_values_copy(live_values *to, const live_values *from);
void live_values_clear(live_values *values);

/* Length of the key in "key=value" or "key". */
size_t live_values_key(const char *text);

/* Member "schema": rows with key, type, unit, range, default, help and whether it is live. */
void live_values_schema(json *out);
/* Members "scenes" and "presets": names. */
void live_values_names(json *out);
/* An object with every value of a scene by its key ("hair[1].count" where there are several sections). */
void live_values_print(json *out, const char *name, const rlt_scene *scene);

/* How many sections a row of the schema has in a scene. */
int live_values_sections(const rlt_scene *scene, int row);

#endif
