/* Values that only scenes with files have: attribute maps and keys of a rigid motion. */
#include <stdio.h>
#include <string.h>

#include "scene/value.h"

static const char word[] = "attribute:";

int rlti_map_is(const rlti_node *node) {
    if (node->kind == RLTI_NODE_SCALAR)
        return strncmp(node->text, word, sizeof word - 1) == 0;
    return node->kind == RLTI_NODE_MAP && rlti_node_find(node, "attribute") != NULL;
}

void rlti_map_refuse(const rlti_place *place, const rlti_node *node) {
    char list[512] = "";
    size_t used = 0;
    for (int i = 0; i < rlti_schema_count(); i++) {
        const rlti_row *row = rlti_schema_row(i);
        if (row->type == RLTI_TYPE_RAMP && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", row->key);
    }
    rlti_value_problem(place, node, "is one number for the whole section; attributes can drive %s", list);
}

/* The name of the attribute, checked as text. */
static int read_name(const rlti_place *place, const rlti_node *node, const char *text, size_t length,
                     rlti_ramp *ramp) {
    if (node->kind != RLTI_NODE_SCALAR || length == 0) {
        rlti_value_problem(place, node, "must name an attribute of the groom");
        return 0;
    }
    if (length >= sizeof ramp->attribute) {
        rlti_value_problem(place, node, "an attribute's name must be at most %zu bytes",
                           sizeof ramp->attribute - 1);
        return 0;
    }
    memcpy(ramp->attribute, text, length);
    return 1;
}

int rlti_map_read(const rlti_place *place, const rlti_node *node, rlti_ramp *value) {
    const rlti_row any = {.min = -1e300, .max = 1e300, .range = "-1e300..1e300"};
    rlti_ramp ramp = {.scale = 1.0};
    int good = 1;
    if (node->kind == RLTI_NODE_SCALAR)
        good = read_name(place, node, node->text + sizeof word - 1, node->length - (sizeof word - 1), &ramp);
    for (const rlti_node *key = node->kind == RLTI_NODE_MAP ? node->first : NULL;
         key != NULL && key->next != NULL; key = key->next->next) {
        const rlti_node *item = key->next;
        char name[160];
        rlti_place at = *place;
        snprintf(name, sizeof name, "%.120s.%.30s", place->key,
                 key->kind == RLTI_NODE_SCALAR ? key->text : "?");
        at.key = name;
        if (rlti_node_is(key, "attribute"))
            good &= read_name(&at, item, item->text, item->length, &ramp);
        else if (rlti_node_is(key, "scale"))
            good &= rlti_number_read(&at, &any, item, &ramp.scale);
        else if (rlti_node_is(key, "offset"))
            good &= rlti_number_read(&at, &any, item, &ramp.offset);
        else {
            rlti_value_problem(&at, item, "unknown key; a map has attribute, scale and offset");
            good = 0;
        }
    }
    if (good)
        *value = ramp;
    return good;
}

int rlti_keys_read(const rlti_place *place, const rlti_node *node, rlti_keys *value) {
    const rlti_row any = {.min = -1e9, .max = 1e9, .range = "-1e9..1e9"};
    int count = 0;
    if (node->kind != RLTI_NODE_LIST || node->count > RLTI_KEYS_MAX) {
        rlti_value_problem(place, node, "must be a list of at most %d keys [frame, x, y, z, rx, ry, rz]",
                           RLTI_KEYS_MAX);
        return 0;
    }
    rlti_keys keys = {0};
    for (const rlti_node *item = node->first; item != NULL; item = item->next, count++) {
        char name[160];
        rlti_place at = *place;
        snprintf(name, sizeof name, "%.120s[%d]", place->key, count);
        at.key = name;
        if (item->kind != RLTI_NODE_LIST || item->count != 7) {
            rlti_value_problem(&at, item, "must be seven numbers, [frame, x, y, z, rx, ry, rz]");
            return 0;
        }
        int k = 0;
        for (const rlti_node *number = item->first; number != NULL; number = number->next, k++)
            if (!rlti_number_read(&at, &any, number, &keys.key[count][k]))
                return 0;
        if (count > 0 && !(keys.key[count][0] > keys.key[count - 1][0])) {
            rlti_value_problem(&at, item->first, "frames must increase");
            return 0;
        }
    }
    keys.count = count;
    *value = keys;
    return 1;
}
