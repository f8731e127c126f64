#include "live/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE = 4096, KEY = 160, SECTIONS = 64 };

size_t live_values_key(const char *text) {
    return strcspn(text, "=");
}

static int find(const live_values *values, const char *key, size_t size) {
    for (int i = 0; i < values->count; i++)
        if (live_values_key(values->texts[i]) == size && memcmp(values->texts[i], key, size) == 0)
            return i;
    return -1;
}

const char *live_values_find(const live_values *values, const char *key, size_t key_size) {
    int at = find(values, key, key_size);
    return at >= 0 ? values->texts[at] : NULL;
}

int live_values_set(live_values *values, const char *text) {
    char *copy = strdup(text);
    if (copy == NULL)
        return 0;
    int at = find(values, text, live_values_key(text));
    if (at >= 0) {
        free(values->texts[at]);
        values->texts[at] = copy;
        return 1;
    }
    if (values->count == values->capacity) {
        int capacity = 2 * values->capacity + 16;
        char **texts = realloc(values->texts, (size_t)capacity * sizeof *texts);
        if (texts == NULL) {
            free(copy);
            return 0;
        }
        values->texts = texts;
        values->capacity = capacity;
    }
    values->texts[values->count++] = copy;
    return 1;
}

int live_values_unset(live_values *values, const char *key) {
    int at = find(values, key, live_values_key(key));
    if (at < 0)
        return 0;
    free(values->texts[at]);
    values->count--;
    memmove(values->texts + at, values->texts + at + 1, (size_t)(values->count - at) * sizeof *values->texts);
    return 1;
}

void live_values_clear(live_values *values) {
    for (int i = 0; i < values->count; i++)
        free(values->texts[i]);
    free(values->texts);
    *values = (live_values){0};
}

int live_values_copy(live_values *to, const live_values *from) {
    live_values copy = {0};
    for (int i = 0; i < from->count; i++)
        if (!live_values_set(&copy, from->texts[i])) {
            live_values_clear(&copy);
            return 0;
        }
    live_values_clear(to);
    *to = copy;
    return 1;
}

/* ---- as JSON ---- */

void live_values_schema(json *out) {
    rlt_schema_entry row = {.size = sizeof row};
    json_begin_array(out, "schema");
    for (int i = 0; rlt_schema_get(i, &row); i++) {
        json_begin_object(out, NULL);
        json_string(out, "key", row.key);
        json_string(out, "type", row.type);
        json_string(out, "unit", row.unit);
        json_string(out, "range", row.range);
        json_string(out, "default", row.default_value);
        json_known(out, "minimum", row.minimum, row.minimum != 0.0 || row.maximum != 0.0);
        json_known(out, "maximum", row.maximum, row.minimum != 0.0 || row.maximum != 0.0);
        json_string(out, "help", row.help);
        json_integer(out, "live", row.live);
        json_end_object(out);
    }
    json_end_array(out);
}

/* The reference page lists the presets in one line: "Presets: 2a, 2b, ... wavy." */
static void print_presets(json *out) {
    char *page = rlt_schema_reference(), *at = page != NULL ? strstr(page, " Presets: ") : NULL;
    json_begin_array(out, "presets");
    if (at != NULL) {
        at += strlen(" Presets: ");
        at[strcspn(at, ".\n")] = '\0';
        for (char *name = strtok(at, ", "); name != NULL; name = strtok(NULL, ", "))
            json_string(out, NULL, name);
    }
    json_end_array(out);
    rlt_text_free(page);
}

void live_values_names(json *out) {
    json_begin_array(out, "scenes");
    for (int i = 0; rlt_embedded_scene_name(i) != NULL; i++)
        json_string(out, NULL, rlt_embedded_scene_name(i));
    json_end_array(out);
    print_presets(out);
}

int live_values_sections(const rlt_scene *scene, int row) {
    char text[8];
    int count = 0;
    while (count < SECTIONS && rlt_scene_value(scene, row, count, text, sizeof text, NULL))
        count++;
    return count;
}

void live_values_print(json *out, const char *name, const rlt_scene *scene) {
    rlt_schema_entry row = {.size = sizeof row};
    static const char *const lists[] = {"hair.", "colliders.", "constraints."};
    char text[VALUE], key[KEY];
    json_begin_object(out, name);
    for (int i = 0; rlt_schema_get(i, &row); i++) {
        int sections = live_values_sections(scene, i);
        size_t head = 0;
        for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
            if (strncmp(row.key, lists[k], strlen(lists[k])) == 0)
                head = strlen(lists[k]) - 1;
        for (int s = 0; s < sections; s++) {
            rlt_scene_value(scene, i, s, text, sizeof text, NULL);
            if (sections > 1 && head > 0)
                snprintf(key, sizeof key, "%.*s[%d]%s", (int)head, row.key, s, row.key + head);
            else
                snprintf(key, sizeof key, "%s", row.key);
            json_string(out, key, text);
        }
    }
    json_end_object(out);
}
