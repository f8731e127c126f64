/* Values that only some scenes have: attribute maps, keys of a rigid motion, values over the frames. */
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
    if (node->kind != RLTI_NODE_SCALAR || length == 0)
        return rlti_value_problem(place, node, "must name an attribute of the groom");
    if (length >= sizeof ramp->attribute)
        return rlti_value_problem(place, node, "an attribute's name must be at most %zu bytes",
                                  sizeof ramp->attribute - 1);
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
    if (node->kind != RLTI_NODE_LIST || node->count > RLTI_KEYS_MAX)
        return rlti_value_problem(
            place, node, "must be a list of at most %d keys [frame, x, y, z, rx, ry, rz]", RLTI_KEYS_MAX);
    rlti_keys keys = {0};
    for (const rlti_node *item = node->first; item != NULL; item = item->next, count++) {
        char name[160];
        rlti_place at = *place;
        snprintf(name, sizeof name, "%.120s[%d]", place->key, count);
        at.key = name;
        if (item->kind != RLTI_NODE_LIST || item->count != 7)
            return rlti_value_problem(&at, item, "must be seven numbers, [frame, x, y, z, rx, ry, rz]");
        int k = 0;
        for (const rlti_node *number = item->first; number != NULL; number = number->next, k++)
            if (!rlti_number_read(&at, &any, number, &keys.key[count][k]))
                return 0;
        if (count > 0 && !(keys.key[count][0] > keys.key[count - 1][0]))
            return rlti_value_problem(&at, item->first, "frames must increase");
    }
    keys.count = count;
    *value = keys;
    return 1;
}

double rlti_track_at(const rlti_track *track, double frame) {
    int last = track->count - 1;
    if (last < 0 || frame <= track->key[0][0])
        return track->key[0][1];
    for (int i = 0; i < last; i++) {
        const double *a = track->key[i], *b = track->key[i + 1];
        if (frame < b[0])
            return a[1] + (b[1] - a[1]) * ((frame - a[0]) / (b[0] - a[0]));
    }
    return track->key[last][1];
}

int rlti_track_read(const rlti_place *place, const rlti_row *row, const rlti_node *node, rlti_track *value) {
    const rlti_row any = {.min = -1e9, .max = 1e9, .range = "-1e9..1e9"};
    rlti_track track = {0};
    if (node->kind != RLTI_NODE_LIST) {
        track.count = 1;
        if (!rlti_number_read(place, row, node, &track.key[0][1]))
            return 0;
        *value = track;
        return 1;
    }
    if (node->count < 1 || node->count > RLTI_TRACK_MAX)
        return rlti_value_problem(place, node, "must be a number, or a list of 1 to %d pairs [frame, value]",
                                  RLTI_TRACK_MAX);
    for (const rlti_node *item = node->first; item != NULL; item = item->next, track.count++) {
        char name[160];
        rlti_place at = *place;
        double *key = track.key[track.count];
        snprintf(name, sizeof name, "%.120s[%d]", place->key, track.count);
        at.key = name;
        if (item->kind != RLTI_NODE_LIST || item->count != 2)
            return rlti_value_problem(&at, item, "must be a [frame, value] pair");
        if (!rlti_number_read(&at, &any, item->first, &key[0]) ||
            !rlti_number_read(&at, row, item->first->next, &key[1]))
            return 0;
        if (track.count > 0 && !(key[0] > key[-2]))
            return rlti_value_problem(&at, item->first, "frames must increase");
    }
    *value = track;
    return 1;
}

int rlti_hair_named(const rlti_scene_data *scene, const char *name) {
    for (int h = 0; h < scene->hair_count; h++)
        if (strcmp(scene->hair[h].name, name) == 0)
            return h;
    return -1;
}

int rlti_constraint_chooses(const rlti_constraint_data *constraint, const char *hair) {
    for (int n = 0; n < constraint->hair.count; n++)
        if (strcmp(constraint->hair.name[n], hair) == 0)
            return 1;
    return constraint->hair.count == 0;
}
