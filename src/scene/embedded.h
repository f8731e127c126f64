/* The scene and preset files built into the library; the tables are made by cmake/embed.cmake. */
#ifndef RLTI_SCENE_EMBEDDED_H
#define RLTI_SCENE_EMBEDDED_H

#include <stddef.h>

typedef struct rlti_embedded {
    const char *name; /* the file's name without .yaml; NULL ends the table */
    const char *text; /* ends in a zero byte after `size` bytes */
    size_t size;
} rlti_embedded;

extern const rlti_embedded rlti_embedded_scenes[];
extern const rlti_embedded rlti_embedded_presets[];

/* The entry of that name, in whatever case, or NULL. */
const rlti_embedded *rlti_embedded_find(const rlti_embedded *table, const char *name);

/* The name that a misspelt one is closest to, or NULL where none is close. */
const char *rlti_embedded_closest(const rlti_embedded *table, const char *name);

/* All names, separated by ", ". */
void rlti_embedded_names(const rlti_embedded *table, char *text, size_t size);

#endif
