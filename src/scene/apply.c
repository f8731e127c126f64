/* Walks mappings along the schema and sets values. */
#include <stdio.h>
#include <string.h>

#include "scene/embedded.h"
#include "scene/parse.h"
#include "scene/suggest.h"
#include "scene/value.h"

#define SHOWN_SIZE 128

static const rlti_source preset_source = {"preset", 0};
static const rlti_source default_source = {"default", -1};

/* Only a mistake in the library's own texts gets here; tests load every default and every preset. */
static const rlti_node *parse_own(rlti_loader *loader, const rlti_source *source, const char *text,
                                  size_t size) {
    rlti_tree_error error;
    rlti_node *root = NULL;
    rlt_status status = rlti_tree_parse(loader->tree, text, size, 0, &error, &root);
    if (status == RLT_FAILED)
        rlti_problems_no_memory(loader->problems);
    else if (status != RLT_OK)
        rlti_problem_at(loader->problems, source, error.line, error.column, "%s", error.text);
    return root;
}

void rlti_apply_defaults(rlti_loader *loader, rlti_part part, void *data) {
    for (int i = 0; i < rlti_schema_count(); i++) {
        const rlti_row *row = rlti_schema_row(i);
        if (row->part != part)
            continue;
        const rlti_node *node =
            parse_own(loader, &default_source, row->default_value, strlen(row->default_value));
        rlti_place place = {loader->problems, &default_source, row->key, &loader->budget,
                            loader->metres_per_unit};
        if (node != NULL)
            rlti_value_read(&place, row, node, data);
    }
}

/* "hair" + "bend" */
static void join(char *path, size_t size, const char *prefix, const char *name) {
    snprintf(path, size, "%s%s%s", prefix, prefix[0] != '\0' ? "." : "", name);
}

static void report_unknown(rlti_loader *loader, const rlti_source *source, const char *prefix,
                           const char *shown, const rlti_node *key) {
    char name[64], path[SHOWN_SIZE], suggestion[2 * SHOWN_SIZE] = "";
    rlti_text_show(key->text, key->length, name, sizeof name);
    join(path, sizeof path, shown, name);
    (void)rlti_suggest(prefix, shown, key->text, suggestion, sizeof suggestion);
    rlti_problem_at(loader->problems, source, key->line, key->column, "%s: unknown key%s%s%s", path,
                    suggestion[0] ? "; did you mean " : "", suggestion, suggestion[0] ? "?" : "");
}

static void apply_value(rlti_loader *loader, const rlti_source *source, rlti_section *section, int row_index,
                        const char *shown, const rlti_node *node) {
    const rlti_row *row = rlti_schema_row(row_index);
    rlti_place place = {loader->problems, source, shown, &loader->budget, loader->metres_per_unit};
    rlti_given *given = &section->given[row_index];
    given->source = source;
    given->node = node;
    given->failed = !rlti_value_read(&place, row, node, section->data);
}

static void report_not_map(rlti_loader *loader, const rlti_source *source, const char *shown,
                           const rlti_node *node, const char *reason) {
    rlti_place place = {loader->problems, source, shown, &loader->budget, loader->metres_per_unit};
    rlti_value_problem(&place, node, "%s", reason);
}

/* How many sections there are, for a message about an index. */
static void report_index(rlti_loader *loader, const rlti_source *source, const rlti_repeated *repeated,
                         const char *shown, const rlti_node *key) {
    const char *noun = repeated->part == RLTI_PART_HAIR       ? "hair section"
                       : repeated->part == RLTI_PART_COLLIDER ? "collider"
                                                              : "constraint";
    if (repeated->count == 0)
        rlti_problem_at(loader->problems, source, key->line, key->column, "%s: there is no %s", shown, noun);
    else
        rlti_problem_at(loader->problems, source, key->line, key->column,
                        "%s: there %s %d %s%s, counted from 0", shown, repeated->count == 1 ? "is" : "are",
                        repeated->count, noun, repeated->count == 1 ? "" : "s");
}

/* The sections as the file (or a list in an override) gives them. */
static void apply_base(rlti_loader *loader, int layer, const rlti_source *source, rlti_repeated *repeated) {
    const rlti_node *base = repeated->base;
    if (base->kind == RLTI_NODE_SCALAR && !rlti_node_is_null(base))
        report_not_map(loader, source, repeated->name, base, "must be a mapping of keys, or a list of them");
    if (base->kind == RLTI_NODE_LIST && base->count > RLTI_SECTIONS_MAX)
        rlti_problem_at(loader->problems, source, base->line, base->column,
                        "%s: must have at most %d entries", repeated->name, RLTI_SECTIONS_MAX);
    for (int i = 0; i < repeated->count; i++) {
        rlti_section *section = &repeated->sections[i];
        if (section->node->kind == RLTI_NODE_MAP)
            rlti_apply_map(loader, layer, source, section, repeated->name, section->shown, section->node);
        else if (!rlti_node_is_null(section->node))
            report_not_map(loader, source, section->shown, section->node, "must be a mapping of keys");
    }
}

/* An override of one section or of all. */
static void apply_override(rlti_loader *loader, int layer, const rlti_source *source, rlti_repeated *repeated,
                           const rlti_node *key, const rlti_node *value) {
    char shown[48];
    if (key->index < 0)
        snprintf(shown, sizeof shown, "%s", repeated->name);
    else
        snprintf(shown, sizeof shown, "%s[%d]", repeated->name, key->index);
    if (repeated->count == 0 || key->index >= repeated->count) {
        report_index(loader, source, repeated, shown, key);
    } else if (value->kind != RLTI_NODE_MAP) {
        report_not_map(loader, source, shown, value, "must be a mapping of keys");
    } else {
        int first = key->index < 0 ? 0 : key->index;
        int end = key->index < 0 ? repeated->count : key->index + 1;
        for (int i = first; i < end; i++) {
            rlti_problems_mute(loader->problems, i > first); /* a problem is reported once */
            rlti_apply_map(loader, layer, source, &repeated->sections[i], repeated->name, shown, value);
        }
        rlti_problems_mute(loader->problems, 0);
    }
}

static void apply_repeated(rlti_loader *loader, int layer, const rlti_source *source, rlti_repeated *repeated,
                           const rlti_node *key, const rlti_node *value) {
    if (value == repeated->base)
        apply_base(loader, layer, source, repeated);
    else if (repeated->base == NULL || layer > repeated->base_layer)
        apply_override(loader, layer, source, repeated, key, value);
    /* else: a list in a later override replaces this */
}

static rlti_repeated *find_repeated(rlti_loader *loader, const char *prefix, const rlti_node *key) {
    if (prefix[0] != '\0')
        return NULL;
    if (rlti_node_is(key, loader->hair.name))
        return &loader->hair;
    if (rlti_node_is(key, loader->colliders.name))
        return &loader->colliders;
    return rlti_node_is(key, loader->constraints.name) ? &loader->constraints : NULL;
}

/* One key and its value; `seen` holds the line of each child already met, by row. */
static void apply_pair(rlti_loader *loader, int layer, const rlti_source *source, rlti_section *section,
                       const char *prefix, const char *shown, const rlti_node *key, int *seen) {
    const rlti_node *value = key->next;
    if (key->kind != RLTI_NODE_SCALAR) {
        rlti_problem_at(loader->problems, source, key->line, key->column, "%s%sa key must be a word", shown,
                        shown[0] != '\0' ? ": " : "");
        return;
    }
    int is_section = 0;
    int child = strlen(key->text) == key->length ? rlti_schema_child(prefix, key->text, &is_section) : -1;
    if (child < 0) {
        report_unknown(loader, source, prefix, shown, key);
        return;
    }
    char path[SHOWN_SIZE], schema_path[SHOWN_SIZE];
    join(path, sizeof path, shown, key->text);
    join(schema_path, sizeof schema_path, prefix, key->text);
    rlti_repeated *repeated = find_repeated(loader, prefix, key);
    if (seen[child] != 0)
        rlti_problem_at(loader->problems, source, key->line, key->column, "%s: given twice, first in line %d",
                        path, seen[child]);
    else if (repeated != NULL)
        apply_repeated(loader, layer, source, repeated, key, value);
    else if (key->index >= 0)
        rlti_problem_at(loader->problems, source, key->line, key->column, "%s[%d]: is not a list", path,
                        key->index);
    else if (!is_section)
        apply_value(loader, source, section, child, path, value);
    else if (value->kind == RLTI_NODE_MAP)
        rlti_apply_map(loader, layer, source, section, schema_path, path, value);
    else if (!rlti_node_is_null(value))
        report_not_map(loader, source, path, value, "must be a mapping of keys");
    seen[child] = key->line;
}

void rlti_apply_map(rlti_loader *loader, int layer, const rlti_source *source, rlti_section *section,
                    const char *prefix, const char *shown, const rlti_node *map) {
    int seen[RLTI_SCHEMA_MAX] = {0};
    rlti_place place = {loader->problems, source, shown[0] != '\0' ? shown : "scene", &loader->budget,
                        loader->metres_per_unit};
    for (const rlti_node *key = map->first; key != NULL && key->next != NULL; key = key->next->next) {
        if (rlti_problems_full(loader->problems) || !rlti_budget_take(&place, map, 2))
            return;
        apply_pair(loader, layer, source, section, prefix, shown, key, seen);
    }
}

/* The last text that names the preset of hair section `index`: its own mapping, then each override. */
static const rlti_node *find_preset(const rlti_loader *loader, int index) {
    const rlti_node *found = rlti_node_find(loader->hair.sections[index].node, "preset");
    for (int layer = loader->hair.base_layer + 1; layer < loader->layer_count; layer++) {
        const rlti_node *root = loader->layers[layer].root;
        if (root == NULL || root->kind != RLTI_NODE_MAP || root->first == NULL)
            continue;
        const rlti_node *key = root->first;
        if (!rlti_node_is(key, loader->hair.name) || (key->index >= 0 && key->index != index))
            continue;
        const rlti_node *preset = rlti_node_find(key->next, "preset");
        found = preset != NULL ? preset : found;
    }
    return found;
}

void rlti_apply_preset(rlti_loader *loader, int index) {
    const rlti_node *name = find_preset(loader, index);
    if (name == NULL || name->kind != RLTI_NODE_SCALAR)
        return;
    const rlti_embedded *preset = rlti_embedded_find(rlti_embedded_presets, name->text);
    if (preset == NULL)
        return; /* reported when the key itself is read */
    const rlti_node *root = parse_own(loader, &preset_source, preset->text, preset->size);
    if (root != NULL)
        rlti_apply_map(loader, 0, &preset_source, &loader->hair.sections[index], "hair", "hair", root);
}
