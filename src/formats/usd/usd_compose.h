/* Composition: what several USD layers say about each prim, strongest first.
 *
 * Local layers before inherits, variants, relocates, references, payloads, and specializes last, as USD's
 * LIVERPS has it; of two arcs of one kind, that authored deeper in the namespace is stronger. */
#ifndef RLTI_FORMATS_USD_USD_COMPOSE_H
#define RLTI_FORMATS_USD_USD_COMPOSE_H

#include "formats/usd/usd_layers.h"

typedef struct rlti_usd_node rlti_usd_node;

/* Opinions of one layer about a prim. */
typedef struct rlti_usd_site {
    const rlti_usd_layer *layer;
    const rlti_usd_prim *prim;
    double offset, scale; /* time of the stage = scale * time of the layer + offset */
    rlti_usd_node *node;  /* how its paths become the stage's */
} rlti_usd_site;

typedef struct rlti_usd_composed_prim {
    const char *path, *name, *type_name; /* in the stage */
    int parent;
    int site_count;
    const rlti_usd_site *sites; /* strongest first */
} rlti_usd_composed_prim;

typedef struct rlti_usd_composition {
    int count;
    rlti_usd_composed_prim *prims; /* defined, active, not abstract; parents before children */
} rlti_usd_composition;

/* Variants the caller chooses, before any layer does: of every prim that has such a set. */
enum { RLTI_USD_CHOICE_TAKEN = 1, RLTI_USD_CHOICE_MISSED = 2 };
typedef struct rlti_usd_choices {
    int count;
    const rlti_usd_selection *list;
    unsigned char *met; /* [count] what became of it */
} rlti_usd_choices;

/* Composes everything below the root. What cannot be found or followed is left out with a warning, of which
 * up to RLTI_USD_PROBLEMS_MAX are listed. `choices` may be NULL. Memory is the arena's, but for the list of
 * prims: rlti_usd_composition_free. */
rlt_status rlti_usd_compose(rlti_usd_layers *layers, rlti_usd_choices *choices, rlti_arena *arena,
                            rlt_messages *messages, rlti_usd_composition *made);
void rlti_usd_composition_free(rlti_usd_composition *composition);

/* A path as a layer has it, in the stage; NULL where it leads out of what is referenced. */
const char *rlti_usd_map_path(rlti_arena *arena, const rlti_usd_site *site, const char *path);

#endif
