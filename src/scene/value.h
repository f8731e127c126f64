/* One value: from a node of the file to a member of the scene's data, checked against its row. */
#ifndef RLTI_SCENE_VALUE_H
#define RLTI_SCENE_VALUE_H

#include "scene/problems.h"
#include "scene/scene_data.h"
#include "scene/schema.h"
#include "scene/tree.h"

/* Where a value stands, for messages. */
typedef struct rlti_place {
    rlti_problems *problems;
    const rlti_source *source;
    const char *key;   /* as messages show it: "hair[1].bend.stiffness" */
    long long *budget; /* values that may still be read; aliases must not multiply a small file endlessly */
    double metres_per_unit; /* of the scene, for numbers with a unit */
} rlti_place;

/* Reports "key = value: reason" at the node. Returns 0. */
int rlti_value_problem(const rlti_place *place, const rlti_node *node, const char *format, ...)
    RLTI_PRINTF(3, 4);

/* Reads `node` into the row's member of `part` (an rlti_scene_data, rlti_hair_data, rlti_collider_data
 * or rlti_constraint_data).
 * Returns 0 after reporting what is wrong; the member then keeps its value. */
int rlti_value_read(const rlti_place *place, const rlti_row *row, const rlti_node *node, void *part);

/* The special case of hair.strands. */
int rlti_strands_read(const rlti_place *place, const rlti_row *row, const rlti_node *node,
                      rlti_hair_data *hair);
void rlti_strands_free(rlti_hair_data *hair);

/* files_value.c: a ramp that is an attribute of the groom: "attribute:NAME" or {attribute: NAME, scale: ...};
 * and the answer where that is not possible, which names the keys that can. */
int rlti_map_is(const rlti_node *node);
int rlti_map_read(const rlti_place *place, const rlti_node *node, rlti_ramp *ramp);
void rlti_map_refuse(const rlti_place *place, const rlti_node *node);

/* The special case of character.keys. */
int rlti_keys_read(const rlti_place *place, const rlti_node *node, rlti_keys *keys);

/* A number, or a list of [frame, value] pairs. */
int rlti_track_read(const rlti_place *place, const rlti_row *row, const rlti_node *node, rlti_track *track);

/* A number inside a value, within the row's range. */
int rlti_number_read(const rlti_place *place, const rlti_row *row, const rlti_node *node, double *value);

/* Takes from the budget; reports and returns 0 when it is used up. */
int rlti_budget_take(const rlti_place *place, const rlti_node *node, long long count);

#endif
