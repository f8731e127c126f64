/* Rules about what refers to what by name: colliders of hair, other grooms, what constraints hold. */
#include <stdio.h>
#include <string.h>

#include "scene/rules.h"

/* The names one of hair's lists may hold: groups or names of colliders. */
static const char *collider_word(const rlti_collider_data *collider, int is_group) {
    return is_group ? collider->group : collider->name;
}

/* "head, hat", each once, cut short; and the one closest to a misspelt word, if any. */
static void list_words(const rlti_scene_data *data, int is_group, const char *word, char *list, size_t size,
                       char closest[RLTI_NAME_SIZE]) {
    size_t used = 0;
    int best = 1000;
    list[0] = closest[0] = '\0';
    for (int i = 0; i < data->collider_count; i++) {
        const char *name = collider_word(&data->colliders[i], is_group);
        int before = 0, distance;
        while (strcmp(collider_word(&data->colliders[before], is_group), name) != 0)
            before++;
        if (before < i)
            continue;
        if (used < size)
            snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
        used += strlen(name) + (used > 0 ? 2 : 0);
        if (rlti_words_close(name, word, &distance) && distance < best) {
            best = distance;
            snprintf(closest, RLTI_NAME_SIZE, "%s", name);
        }
    }
}

/* Every name in hair.collide.groups or hair.collide.except must be that of a collider. */
void rlti_check_names(rlti_loader *loader, const rlti_section *section, const char *key,
                      const rlti_names *names, int is_group) {
    const rlti_scene_data *data = loader->data;
    int row;
    const rlti_given *given = rlti_given_for(section, key, &row);
    if (given->failed || given->node == NULL)
        return;
    int is_list = given->node->kind == RLTI_NODE_LIST, n = 0;
    for (const rlti_node *item = is_list ? given->node->first : given->node; item != NULL && n < names->count;
         item = is_list ? item->next : NULL, n++) {
        int i = 0;
        while (i < data->collider_count &&
               strcmp(collider_word(&data->colliders[i], is_group), names->name[n]) != 0)
            i++;
        if (i < data->collider_count)
            continue;
        char list[160], closest[RLTI_NAME_SIZE], shown[RLTI_NAME_SIZE];
        list_words(data, is_group, names->name[n], list, sizeof list, closest);
        rlti_node_show(item, shown, sizeof shown);
        rlti_problem_at(loader->problems, given->source, item->line, item->column,
                        "%s.%s = %s: no collider %s; there %s%s%s%s%s", section->shown, key, shown,
                        is_group ? "is in this group" : "has this name", list[0] != '\0' ? "is " : "is none",
                        list, closest[0] != '\0' ? "; did you mean " : "", closest,
                        closest[0] != '\0' ? "?" : "");
    }
}

/* Every name in constraints.hair must be that of a hair section. */
static void check_hair_names(rlti_loader *loader, const rlti_section *section, const rlti_names *names) {
    const rlti_scene_data *data = loader->data;
    for (int n = 0; n < names->count; n++) {
        char list[160] = "";
        int found = 0, shape = 0;
        for (int h = 0; h < data->hair_count; h++) {
            size_t used = strlen(list);
            int same = strcmp(data->hair[h].name, names->name[n]) == 0;
            shape = shape || (same && data->hair[h].role == RLTI_ROLE_SHAPE);
            found = found || same;
            snprintf(list + used, sizeof list - used, "%s%s", h > 0 ? ", " : "", data->hair[h].name);
        }
        if (!found)
            rlti_broken(loader, section, "hair", NULL, "no hair has the name %s; there is %s", names->name[n],
                        list[0] != '\0' ? list : "none");
        else if (shape)
            rlti_broken(loader, section, "hair", NULL, "%s is a shape, which is not simulated",
                        names->name[n]);
    }
}

/* A groom that hair goes over to, or is led to. */
static void check_shape(rlti_loader *loader, const rlti_section *section, const char *key, const char *name) {
    int h = rlti_hair_named(loader->data, name);
    if (h < 0)
        rlti_broken(loader, section, key, NULL, "no hair has this name");
    else if (loader->data->hair[h].role != RLTI_ROLE_SHAPE)
        rlti_broken(loader, section, key, NULL, "is hair of its own; give it role: shape");
}

/* A rest shape that changes: where from, and whether that can be. */
void rlti_check_reshape(rlti_loader *loader, const rlti_section *section) {
    rlti_hair_data *hair = section->data;
    rlti_reshape_data *reshape = &hair->reshape;
    int moves = reshape->curves != RLTI_RESHAPE_OFF || reshape->scale || reshape->groom[0] != '\0';
    rlti_note_place(loader, section, "reshape.groom", reshape->place);
    if (hair->role == RLTI_ROLE_SHAPE && moves)
        rlti_broken(loader, section, "role", "reshape.groom", "a shape does not change itself");
    if (reshape->curves != RLTI_RESHAPE_OFF && hair->file[0] == '\0')
        rlti_broken(loader, section, "reshape.curves", "file", "needs a groom from a file");
    if (reshape->curves == RLTI_RESHAPE_POSED && reshape->scale)
        rlti_broken(loader, section, "reshape.scale", "reshape.curves",
                    "posed curves have the character's size already");
    if (reshape->curves == RLTI_RESHAPE_POSED && loader->data->time.preroll_pose == RLTI_PREROLL_EASE)
        rlti_broken(loader, section, "reshape.curves", NULL,
                    "posed curves show the first pose from the start: time.preroll_pose must be first");
    if (reshape->scale && loader->data->character.kind == RLTI_CHARACTER_NONE)
        rlti_broken(loader, section, "reshape.scale", NULL, "needs a character: character.kind is none");
    if (reshape->groom[0] == '\0') {
        if (!rlti_track_is_zero(&reshape->blend))
            rlti_broken(loader, section, "reshape.blend", "reshape.groom",
                        "needs reshape.groom, the shape to blend with");
    } else {
        check_shape(loader, section, "reshape.groom", reshape->groom);
    }
}

/* Objects that a field keeps hair off. */
static void check_field(rlti_loader *loader, const rlti_section *section,
                        const rlti_constraint_data *constraint, rlti_collider_kind object) {
    if (object == RLTI_COLLIDER_BODY && loader->data->character.kind == RLTI_CHARACTER_NONE)
        rlti_broken(loader, section, "object", "kind", "needs a character: character.kind is none");
    else if (object != RLTI_COLLIDER_BODY && constraint->part[0] != '\0')
        rlti_broken(loader, section, "part", "object", "needs a collider of kind body; %s is none",
                    constraint->object);
}

/* The object that points are attached to, or kept off. */
static void check_object(rlti_loader *loader, const rlti_section *section,
                         const rlti_constraint_data *constraint) {
    const rlti_scene_data *data = loader->data;
    char list[160], closest[RLTI_NAME_SIZE];
    int i = 0;
    while (i < data->collider_count && strcmp(data->colliders[i].name, constraint->object) != 0)
        i++;
    list_words(data, 0, constraint->object, list, sizeof list, closest);
    if (i == data->collider_count)
        rlti_broken(loader, section, "object", "kind", "must name a collider; there is %s%s%s%s",
                    list[0] != '\0' ? list : "none", closest[0] != '\0' ? "; did you mean " : "", closest,
                    closest[0] != '\0' ? "?" : "");
    else if (!data->colliders[i].enabled && constraint->enabled)
        rlti_broken(loader, section, "object", "kind", "is not enabled");
    else if (constraint->kind == RLTI_CONSTRAINT_FIELD)
        check_field(loader, section, constraint, data->colliders[i].kind);
    else if (constraint->grip == RLTI_GRIP_INSIDE && data->colliders[i].kind != RLTI_COLLIDER_SPHERE)
        rlti_broken(loader, section, "grip", "object", "needs a sphere; %s is none", constraint->object);
}

/* A blend is described by ramp and weight alone. */
static void check_blend(rlti_loader *loader, const rlti_section *section) {
    static const char *const unused[] = {"hold", "stiffness", "damping"};
    for (size_t k = 0; k < sizeof unused / sizeof unused[0]; k++) {
        int row;
        const rlti_given *given = rlti_given_for(section, unused[k], &row);
        if (given->node != NULL)
            rlti_remark_at(loader->problems, RLT_WARNING, given->source, given->node->line,
                           given->node->column,
                           "%s.%s: not used by kind blend: ramp and weight say how much hair follows",
                           section->shown, unused[k]);
    }
}

/* Stiffness of a pose where the scene does not say it: it is reached [1/s^2]. */
#define POSE_STIFFNESS 3e4

static void check_pose(rlti_loader *loader, const rlti_section *section, rlti_constraint_data *constraint) {
    int row;
    if (rlti_given_for(section, "stiffness", &row)->node == NULL)
        constraint->stiffness = POSE_STIFFNESS;
    if (constraint->frame <= loader->data->time.first)
        rlti_broken(loader, section, "frame", "kind",
                    "must be after time.first (%d): a pose takes time to reach", loader->data->time.first);
}

void rlti_check_constraint(rlti_loader *loader, const rlti_section *section) {
    rlti_constraint_data *constraint = section->data;
    snprintf(constraint->place, RLTI_PLACE_SIZE, "%s:%d:%d", section->source->name, section->node->line,
             section->node->column);
    check_hair_names(loader, section, &constraint->hair);
    if (constraint->last_strand >= 0 && constraint->last_strand < constraint->first_strand)
        rlti_broken(loader, section, "last_strand", "first_strand", "must be >= %s.first_strand (%d)",
                    section->shown, constraint->first_strand);
    if (constraint->kind == RLTI_CONSTRAINT_ATTACH || constraint->kind == RLTI_CONSTRAINT_FIELD)
        check_object(loader, section, constraint);
    if (constraint->target == RLTI_TARGET_SHAPE)
        check_shape(loader, section, "shape", constraint->shape);
    if (constraint->kind == RLTI_CONSTRAINT_BLEND)
        check_blend(loader, section);
    if (constraint->kind == RLTI_CONSTRAINT_POSE)
        check_pose(loader, section, constraint);
    if (constraint->kind == RLTI_CONSTRAINT_FREEZE)
        constraint->hard = 1;
    if (constraint->kind == RLTI_CONSTRAINT_SCALP && loader->data->character.kind == RLTI_CHARACTER_NONE)
        rlti_broken(loader, section, "kind", NULL, "needs a character: character.kind is none");
}
