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
    {"motion.", RLTI_CHANGE_DIRECT},
    {"constraints.stiffness", RLTI_CHANGE_DIRECT},
    {"constraints.damping", RLTI_CHANGE_DIRECT},
    {"constraints.weight", RLTI_CHANGE_DIRECT},
    {"constraints.speed", RLTI_CHANGE_DIRECT},
    {"constraints.", RLTI_CHANGE_DRIVE},
    {"gravity", RLTI_CHANGE_DRIVE},
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
