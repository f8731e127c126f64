#include "scene/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "formats/tree/stage.h"
#include "scene/units.h"
#include "scene/value.h"

void rlti_scene_data_free(rlti_scene_data *data) {
    for (int i = 0; i < data->hair_count; i++)
        rlti_strands_free(&data->hair[i]);
    RLTI_FREE(data->hair, data->colliders);
    data->hair = NULL;
    data->hair_count = 0;
    data->colliders = NULL;
    data->collider_count = 0;
    rlti_free(data->constraints);
    data->constraints = NULL;
    data->constraint_count = data->implied_count = 0;
}

static void no_memory(rlti_loader *loader) {
    rlti_problems_no_memory(loader->problems);
}

static void parse_file(rlti_loader *loader, const char *text, size_t size) {
    rlti_layer *file = &loader->layers[0];
    rlti_tree_error error;
    rlti_node *root = NULL;
    const char *foreign = rlti_stage_foreign((const unsigned char *)text, size);
    if (foreign != NULL) {
        rlti_problem_at(loader->problems, &file->source, 0, 0, "%s", foreign);
        return;
    }
    rlt_status status = rlti_tree_parse(loader->tree, text, size, 0, &error, &root);
    if (status == RLT_FAILED)
        no_memory(loader);
    else if (status != RLT_OK)
        rlti_problem_at(loader->problems, &file->source, error.line, error.column, "%s", error.text);
    else if (root == NULL || rlti_node_is_null(root))
        rlti_problem_at(loader->problems, &file->source, 0, 0, "holds no scene: it is empty");
    else if (root->kind != RLTI_NODE_MAP)
        rlti_problem_at(loader->problems, &file->source, root->line, root->column,
                        "must be a mapping of keys, as in \"title: curls\"");
    else
        file->root = root;
}

/* The text that says how many sections there are: the file's, unless an override brings a list, or the first
 * section at all. */
static void find_base(rlti_loader *loader, rlti_repeated *repeated) {
    repeated->base = rlti_node_find(loader->layers[0].root, repeated->name);
    for (int layer = 1; layer < loader->layer_count; layer++) {
        const rlti_node *root = loader->layers[layer].root;
        if (root == NULL || root->first->index >= 0)
            continue;
        const rlti_node *value = rlti_node_find(root, repeated->name);
        if (value == NULL)
            continue;
        int none_yet = repeated->base == NULL || rlti_node_is_null(repeated->base);
        if (value->kind == RLTI_NODE_LIST || (none_yet && value->kind == RLTI_NODE_MAP)) {
            repeated->base = value;
            repeated->base_layer = layer;
        }
    }
    const rlti_node *base = repeated->base;
    if (base != NULL && base->kind == RLTI_NODE_MAP)
        repeated->count = 1;
    else if (base != NULL && base->kind == RLTI_NODE_LIST)
        repeated->count = base->count < RLTI_SECTIONS_MAX ? base->count : RLTI_SECTIONS_MAX;
}

/* Sections with their default values; `data` is the array they fill, of structs of `size` bytes. */
static void make_sections(rlti_loader *loader, rlti_repeated *repeated, void *data, size_t size) {
    repeated->sections = RLTI_NEW(rlti_section, repeated->count);
    if (repeated->sections == NULL || data == NULL) {
        repeated->count = 0;
        no_memory(loader);
        return;
    }
    if (repeated->count > 0)
        rlti_apply_defaults(loader, repeated->part, data);
    int is_list = repeated->base != NULL && repeated->base->kind == RLTI_NODE_LIST;
    const rlti_node *node = is_list ? repeated->base->first : repeated->base;
    for (int i = 0; i < repeated->count && node != NULL; i++, node = node->next) {
        rlti_section *section = &repeated->sections[i];
        section->data = (char *)data + (size_t)i * size;
        section->prefix = repeated->name;
        section->source = &loader->layers[repeated->base_layer].source;
        section->node = node;
        if (is_list)
            snprintf(section->shown, sizeof section->shown, "%s[%d]", repeated->name, i);
        else
            snprintf(section->shown, sizeof section->shown, "%s", repeated->name);
        if (i > 0) /* defaults own no memory, so a copy is as good */
            memcpy(section->data, data, size);
    }
}

static void make_data(rlti_loader *loader) {
    rlti_scene_data *data = loader->data;
    find_base(loader, &loader->hair);
    find_base(loader, &loader->colliders);
    find_base(loader, &loader->constraints);
    data->hair = RLTI_NEW(rlti_hair_data, loader->hair.count);
    data->hair_count = data->hair == NULL ? 0 : loader->hair.count;
    data->colliders = RLTI_NEW(rlti_collider_data, loader->colliders.count);
    data->collider_count = data->colliders == NULL ? 0 : loader->colliders.count;
    data->constraints = RLTI_NEW(rlti_constraint_data, loader->constraints.count);
    data->constraint_count = data->constraints == NULL ? 0 : loader->constraints.count;
    make_sections(loader, &loader->hair, data->hair, sizeof *data->hair);
    make_sections(loader, &loader->colliders, data->colliders, sizeof *data->colliders);
    make_sections(loader, &loader->constraints, data->constraints, sizeof *data->constraints);
    loader->scene->data = data;
    loader->scene->prefix = "";
    loader->scene->source = &loader->layers[0].source;
    loader->scene->node = loader->layers[0].root;
    rlti_apply_defaults(loader, RLTI_PART_SCENE, data);
}

/* A character without a colliders key still keeps hair out of its body. */
static void imply_collider(rlti_loader *loader) {
    rlti_scene_data *data = loader->data;
    if (loader->colliders.base != NULL || data->character.kind == RLTI_CHARACTER_NONE)
        return;
    rlti_collider_data *collider = RLTI_NEW(rlti_collider_data, 1);
    if (collider == NULL) {
        no_memory(loader);
        return;
    }
    rlti_apply_defaults(loader, RLTI_PART_COLLIDER, collider);
    collider->kind = RLTI_COLLIDER_BODY;
    snprintf(collider->name, sizeof collider->name, "body");
    rlti_free(data->colliders);
    data->colliders = collider;
    data->collider_count = 1;
}

/* Hair that is tied is pinned where the tie is. */
static void imply_ties(rlti_loader *loader) {
    rlti_scene_data *data = loader->data;
    int ties = 0;
    for (int h = 0; h < data->hair_count; h++)
        ties += data->hair[h].tie.style != RLTI_TIE_NONE;
    if (ties == 0)
        return;
    rlti_constraint_data *all = RLTI_NEW(rlti_constraint_data, data->constraint_count + ties);
    if (all == NULL) {
        no_memory(loader);
        return;
    }
    for (int c = 0; c < data->constraint_count; c++) {
        all[c] = data->constraints[c];
        loader->constraints.sections[c].data = &all[c];
    }
    for (int h = 0; h < data->hair_count; h++) {
        const rlti_hair_data *hair = &data->hair[h];
        rlti_constraint_data *tie = &all[data->constraint_count];
        if (hair->tie.style == RLTI_TIE_NONE)
            continue;
        rlti_apply_defaults(loader, RLTI_PART_CONSTRAINT, tie);
        tie->kind = RLTI_CONSTRAINT_PIN;
        tie->hard = 1;
        tie->hair.count = 1;
        snprintf(tie->hair.name[0], sizeof tie->hair.name[0], "%s", hair->name);
        snprintf(tie->name, sizeof tie->name, "hair.tie");
        snprintf(tie->place, sizeof tie->place, "hair.tie");
        memcpy(tie->ball, hair->tie.position, sizeof hair->tie.position);
        tie->ball[3] = hair->tie.style == RLTI_TIE_BUN ? hair->tie.size : hair->tie.radius;
        data->constraint_count++;
        data->implied_count++;
    }
    rlti_free(data->constraints);
    data->constraints = all;
}

/* A preset's wisps stand apart on the way to a tie, where all hair lies on the head: between few strands that
 * is skin. Locks cover it. */
static void imply_locks(rlti_loader *loader) {
    const double broader = 1.4; /* a lock is as broad as the wisps that it stands for */
    for (int h = 0; h < loader->data->hair_count; h++) {
        rlti_hair_data *hair = &loader->data->hair[h];
        const rlti_section *section = &loader->hair.sections[h];
        int row;
        const rlti_given *blend = rlti_given_for(section, "fill.blend", &row);
        int asked = blend->node != NULL && blend->source->order >= loader->layers[0].source.order;
        if (hair->tie.style == RLTI_TIE_NONE || hair->fill.blend != RLTI_FILL_WISPS || asked)
            continue;
        hair->fill.blend = RLTI_FILL_LOCKS;
        if (rlti_given_for(section, "fill.lock_radius", &row)->node == NULL)
            hair->fill.lock_radius = broader * hair->fill.wisp_radius;
    }
}

static void apply_all(rlti_loader *loader) {
    make_data(loader);
    if (rlti_problems_has_no_memory(loader->problems))
        return;
    for (int i = 0; i < loader->hair.count; i++)
        rlti_apply_preset(loader, i);
    for (int layer = 0; layer < loader->layer_count; layer++) {
        const rlti_layer *l = &loader->layers[layer];
        if (l->root != NULL)
            rlti_apply_map(loader, layer, &l->source, loader->scene, "", "", l->root);
    }
    if (rlti_problems_has_no_memory(loader->problems))
        return;
    imply_ties(loader);
    imply_locks(loader);
    imply_collider(loader); /* before the rules, which look for its name */
    rlti_rules_check(loader);
}

/* "scenes/" of "scenes/redhead.yaml". A name too long for a path is not that of a file. */
static void set_folder(const char *name, rlti_scene_data *data) {
    const char *slash = strrchr(name, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - name) + 1;
    if (length < sizeof data->folder)
        memcpy(data->folder, name, length);
}

/* The length of a unit, which numbers with the name of another one need before any value is read. */
static void find_unit(rlti_loader *loader) {
    loader->metres_per_unit = 0.01; /* the row's default */
    for (int layer = 0; layer < loader->layer_count; layer++) {
        const rlti_node *root = loader->layers[layer].root;
        const rlti_node *units = root != NULL ? rlti_node_find(root, "units") : NULL;
        const rlti_node *node = units != NULL ? rlti_node_find(units, "metres_per_unit") : NULL;
        double metres;
        if (node != NULL && node->kind == RLTI_NODE_SCALAR && node->plain &&
            (rlti_number_parse(node->text, node->length, &metres) == RLTI_NUMBER_FINITE ||
             rlti_unit_read(node->text, node->length, "m", 1.0, &metres) == RLTI_UNIT_KNOWN) &&
            metres > 0.0)
            loader->metres_per_unit = metres;
    }
}

/* Every text becomes a tree first: how many sections there are depends on all of them. */
static void read_layers(rlti_loader *loader, const char *name, const char *text, size_t size,
                        const char *const *overrides) {
    loader->layers[0].source = (rlti_source){name, 1};
    parse_file(loader, text, size);
    for (int k = 1; k < loader->layer_count; k++) {
        loader->layers[k].source = (rlti_source){"--set", 1 + k};
        loader->layers[k].root = rlti_override_parse(loader, &loader->layers[k].source, overrides[k - 1]);
    }
    /* a text that uses aliases with measure stays far below this */
    loader->budget = 4LL * rlti_tree_node_count(loader->tree) + 1000000;
    find_unit(loader);
}

rlt_status rlti_scene_parse(const char *name, const char *text, size_t size, const char *const *overrides,
                            int override_count, rlt_messages *messages, rlti_scene_data *data) {
    rlti_loader loader = {.data = data};
    loader.hair.name = "hair";
    loader.hair.part = RLTI_PART_HAIR;
    loader.colliders.name = "colliders";
    loader.colliders.part = RLTI_PART_COLLIDER;
    loader.constraints.name = "constraints";
    loader.constraints.part = RLTI_PART_CONSTRAINT;
    loader.layer_count = 1 + override_count;
    loader.tree = rlti_tree_create();
    loader.problems = rlti_problems_create();
    loader.layers = RLTI_NEW(rlti_layer, loader.layer_count);
    loader.scene = RLTI_NEW(rlti_section, 1);
    rlt_status status = RLT_FAILED;
    if (loader.tree == NULL || loader.problems == NULL || loader.layers == NULL || loader.scene == NULL) {
        rlti_out_of_memory(messages);
        goto done;
    }
    set_folder(name, data);
    read_layers(&loader, name, text, size, overrides);
    if (loader.layers[0].root != NULL)
        apply_all(&loader);
    rlti_problems_list(loader.problems, messages);
    if (rlti_problems_has_no_memory(loader.problems))
        status = rlti_out_of_memory(messages);
    else
        status = rlti_problems_errors(loader.problems) > 0 ? RLT_BAD_INPUT : RLT_OK;
done:
    RLTI_FREE(loader.hair.sections, loader.colliders.sections, loader.constraints.sections, loader.scene,
              loader.layers);
    rlti_problems_destroy(loader.problems);
    rlti_tree_destroy(loader.tree);
    return status;
}
