#include "scene/live.h"

#include <string.h>

/* The first key that a row's begins with decides. */
static const struct {
    const char *prefix;
    rlti_change change;
} changes[] = {
    {"title", RLTI_CHANGE_LOOK},
    {"render.", RLTI_CHANGE_LOOK},
    {"hair.fill.", RLTI_CHANGE_LOOK},
    {"hair.look.", RLTI_CHANGE_LOOK},
    {"time.last", RLTI_CHANGE_LOOK},
    {"health.check_steps", RLTI_CHANGE_DRIVE},
    {"health.", RLTI_CHANGE_DIRECT},
    {"wind.", RLTI_CHANGE_DIRECT},
    {"motion.brows", RLTI_CHANGE_REBUILD},
    {"motion.file", RLTI_CHANGE_REBUILD},
    {"motion.", RLTI_CHANGE_DIRECT},
    {"constraints.stiffness", RLTI_CHANGE_DIRECT},
    {"constraints.damping", RLTI_CHANGE_DIRECT},
    {"constraints.weight", RLTI_CHANGE_DIRECT},
    {"constraints.speed", RLTI_CHANGE_DIRECT},
    {"constraints.", RLTI_CHANGE_DRIVE},
    {"gravity", RLTI_CHANGE_DRIVE},
    {"time.steps", RLTI_CHANGE_DRIVE},
    {"time.outer_steps", RLTI_CHANGE_DRIVE},
    {"time.force_steps", RLTI_CHANGE_DRIVE},
    {"time.damping_steps", RLTI_CHANGE_DRIVE},
    {"colliders.", RLTI_CHANGE_DRIVE},
    {"contacts.", RLTI_CHANGE_DRIVE},
    {"character.jump", RLTI_CHANGE_DIRECT},
    {"hair.formulation", RLTI_CHANGE_DRIVE},
    {"hair.mass", RLTI_CHANGE_DRIVE},
    {"hair.width", RLTI_CHANGE_DRIVE},
    {"hair.drag", RLTI_CHANGE_DRIVE},
    {"hair.stretch.", RLTI_CHANGE_DRIVE},
    {"hair.bend.", RLTI_CHANGE_DRIVE},
    {"hair.core.", RLTI_CHANGE_DRIVE},
    {"hair.rod.", RLTI_CHANGE_DRIVE},
    {"hair.coil.", RLTI_CHANGE_DRIVE},
    {"hair.sag.", RLTI_CHANGE_DRIVE},
    {"hair.collide.", RLTI_CHANGE_DRIVE},
    {"hair.contact.", RLTI_CHANGE_DRIVE},
    {"hair.link.", RLTI_CHANGE_DRIVE},
    {"hair.prune.", RLTI_CHANGE_DRIVE},
};

rlti_change rlti_row_change(const rlti_row *row) {
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        if (strncmp(row->key, changes[i].prefix, strlen(changes[i].prefix)) == 0)
            return changes[i].change;
    return RLTI_CHANGE_REBUILD;
}

/* The same numbers to the last bit, or the same text. */
static int same_value(const rlti_row *row, const char *a, const char *b) {
    if (row->type ==
        RLTI_TYPE_STRANDS) /* counts and points follow from the text, which nobody changes alone */
        return 1;
    if (row->type == RLTI_TYPE_TEXT || row->type == RLTI_TYPE_PRESET)
        return strcmp(a + row->offset, b + row->offset) == 0;
    return memcmp(a + row->offset, b + row->offset, row->size) == 0;
}

typedef struct comparison {
    rlti_change change;
    const char *key;
} comparison;

static void compare_part(rlti_part part, const void *a, const void *b, comparison *found) {
    for (int r = 0; r < rlti_schema_count(); r++) {
        const rlti_row *row = rlti_schema_row(r);
        if (row->part != part || same_value(row, a, b))
            continue;
        rlti_change change = rlti_row_change(row);
        if (change > found->change)
            *found = (comparison){change, row->key};
    }
}

rlti_change rlti_scene_compare(const rlt_scene *from, const rlt_scene *to, const char **key) {
    const rlti_scene_data *a = rlti_scene_get(from), *b = rlti_scene_get(to);
    comparison found = {RLTI_CHANGE_NONE, NULL};
    if (a->hair_count != b->hair_count)
        found = (comparison){RLTI_CHANGE_REBUILD, "hair"};
    else if (a->collider_count != b->collider_count)
        found = (comparison){RLTI_CHANGE_REBUILD, "colliders"};
    else if (a->constraint_count != b->constraint_count)
        found = (comparison){RLTI_CHANGE_REBUILD, "constraints"};
    compare_part(RLTI_PART_SCENE, a, b, &found);
    for (int h = 0; h < a->hair_count && found.change < RLTI_CHANGE_REBUILD; h++) {
        compare_part(RLTI_PART_HAIR, &a->hair[h], &b->hair[h], &found);
        if (a->hair[h].strand_count != b->hair[h].strand_count)
            found = (comparison){RLTI_CHANGE_REBUILD, "hair.strands"};
    }
    for (int c = 0; c < a->collider_count && found.change < RLTI_CHANGE_REBUILD; c++)
        compare_part(RLTI_PART_COLLIDER, &a->colliders[c], &b->colliders[c], &found);
    for (int c = 0; c < a->constraint_count && found.change < RLTI_CHANGE_REBUILD; c++)
        compare_part(RLTI_PART_CONSTRAINT, &a->constraints[c], &b->constraints[c], &found);
    *key = found.key;
    return found.change;
}
