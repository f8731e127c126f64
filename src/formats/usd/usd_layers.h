/* The layers a USD stage is made of: opened once each, with their sub-layers in stacks. */
#ifndef RLTI_FORMATS_USD_USD_LAYERS_H
#define RLTI_FORMATS_USD_USD_LAYERS_H

#include "base/arena.h"
#include "formats/usd/usd_layer.h"
#include "io/file_map.h"

#define RLTI_USD_PROBLEMS_MAX 20 /* listed, then composition stops */

/* One open layer. */
typedef struct rlti_usd_member {
    const rlti_usd_layer *layer;
    int index;            /* in the list of layers */
    double offset, scale; /* time of the stack = scale * time of the layer + offset */
} rlti_usd_member;

/* A layer with its sub-layers, strongest first. */
typedef struct rlti_usd_stack {
    int root; /* index of its first layer */
    int count;
    rlti_usd_member *members; /* [count] */
    double codes_per_second;  /* of the root layer, with USD's fallbacks */
    int relocate_count;       /* of all its layers */
    const rlti_usd_relocate *relocates;
} rlti_usd_stack;

typedef struct rlti_usd_layers rlti_usd_layers;

/* Takes over the map of the first file, also on failure. Everything goes with rlti_usd_layers_close. */
rlt_status rlti_usd_layers_open(const char *path, rlti_file_map *map, rlti_arena *arena,
                                rlt_messages *messages, rlti_usd_layers **layers);
void rlti_usd_layers_close(rlti_usd_layers *layers);

const rlti_usd_layer *rlti_usd_layers_get(const rlti_usd_layers *layers, int index);
size_t rlti_usd_layers_specs(const rlti_usd_layers *layers); /* prims and properties in all of them */

/* The stack of the first file. */
rlt_status rlti_usd_layers_root(rlti_usd_layers *layers, rlt_messages *messages,
                                const rlti_usd_stack **stack);

/* The stack of the file `asset` as written in layer `from`. `place` ("FILE: /prim: reference to X") starts
 * messages: warnings, where the file cannot be had, and the status is RLT_BAD_INPUT then. */
rlt_status rlti_usd_layers_stack(rlti_usd_layers *layers, int from, const char *asset, const char *place,
                                 rlt_messages *messages, const rlti_usd_stack **stack);

/* The child of this name, or -1; `parent` -1 are roots. */
int rlti_usd_layers_child(const rlti_usd_layers *layers, int layer, int parent, const char *name);
/* The first child and the next sibling, or -1; variants are no children, but are found by their name. */
int rlti_usd_layers_first(const rlti_usd_layers *layers, int layer, int parent);
int rlti_usd_layers_next(const rlti_usd_layers *layers, int layer, int prim);

/* Where a file named in `from` is: beside it, absolute, or within its package ("x.usdz[y.usdc]"). NULL when
 * out of memory. */
char *rlti_usd_resolve(rlti_arena *arena, const char *from, const char *asset);

/* A file's time codes per second with USD's fallbacks: framesPerSecond, then 24. */
double rlti_usd_codes_per_second(const rlti_usd_layer *layer);

#endif
