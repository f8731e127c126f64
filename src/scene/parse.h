/* From texts to scene data: the file, its presets and the overrides, in layers. */
#ifndef RLTI_SCENE_PARSE_H
#define RLTI_SCENE_PARSE_H

#include "scene/problems.h"
#include "scene/scene_data.h"
#include "scene/schema.h"
#include "scene/tree.h"

#define RLTI_SECTIONS_MAX 1024 /* hair sections, colliders, constraints in one scene */

/* Which text gave a value last; all zero where it is the default. */
typedef struct rlti_given {
    const rlti_source *source;
    const rlti_node *node;
    int failed; /* the text was wrong and has been reported */
} rlti_given;

/* One thing with values of its own: the scene itself, one hair section, one collider, one
 * constraint. */
typedef struct rlti_section {
    void *data;                /* the struct its rows' offsets count in */
    const char *prefix;        /* of its keys in the schema: "", "hair", "colliders", "constraints" */
    char shown[32];            /* of its keys in messages: "", "hair", "hair[2]" */
    const rlti_source *source; /* where it begins */
    const rlti_node *node;
    rlti_given given[RLTI_SCHEMA_MAX]; /* by row */
} rlti_section;

/* A section that may come several times. */
typedef struct rlti_repeated {
    const char *name; /* "hair", "colliders" or "constraints" */
    rlti_part part;
    const rlti_node *base; /* the mapping or list that says how many there are; NULL: the key is absent */
    int base_layer;
    int count;
    rlti_section *sections; /* [count] */
} rlti_repeated;

/* Layer 0 is the file, layer 1 + k override k. */
typedef struct rlti_layer {
    rlti_source source;
    const rlti_node *root;
} rlti_layer;

typedef struct rlti_loader {
    rlti_tree *tree;
    rlti_problems *problems;
    rlti_scene_data *data;
    long long budget;       /* values that may still be read */
    double metres_per_unit; /* as the last text says it, for numbers with a unit */
    int layer_count;
    rlti_layer *layers; /* [layer_count] */
    rlti_section *scene;
    rlti_repeated hair, colliders, constraints;
} rlti_loader;

/* Reads a scene into `data`, which must be zero; free it with rlti_scene_data_free also after a failure. */
rlt_status rlti_scene_parse(const char *name, const char *text, size_t size, const char *const *overrides,
                            int override_count, rlt_messages *messages, rlti_scene_data *data);
void rlti_scene_data_free(rlti_scene_data *data);

/* override.c: "hair[1].bend.stiffness=5" as the tree {hair: {bend: {stiffness: 5}}}; NULL after a problem. */
const rlti_node *rlti_override_parse(rlti_loader *loader, const rlti_source *source, const char *text);

/* apply.c: sets the defaults of a part's rows in `data`. */
void rlti_apply_defaults(rlti_loader *loader, rlti_part part, void *data);
/* Sets what a mapping says in a section. `prefix` and `shown` are the mapping's own: "hair.bend". */
void rlti_apply_map(rlti_loader *loader, int layer, const rlti_source *source, rlti_section *section,
                    const char *prefix, const char *shown, const rlti_node *map);
/* Sets the values of the preset a hair section names, if any. */
void rlti_apply_preset(rlti_loader *loader, int index);

/* rules.c: what no single row can check. */
void rlti_rules_check(rlti_loader *loader);
/* The text that gave a value of a section ("bend.stiffness"), and its row. */
const rlti_given *rlti_given_for(const rlti_section *section, const char *key, int *row);
/* Warns about a value that was given: "key = value: fact". */
void rlti_warn_of(rlti_loader *loader, const rlti_section *section, const char *key, const char *fact);
/* 0: something else in the section's place has been reported already. */
int rlti_section_is_map(const rlti_section *section);

/* idle.c: warns of values that nothing reads. After the rules. */
void rlti_idle_check(rlti_loader *loader);

#endif
