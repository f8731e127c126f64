/* A scene, value by value, as text: for reports. */
#include <ctype.h>
#include <string.h>

#include "base/number.h"
#include "ringlet/scene.h"
#include "scene/parse.h"
#include "scene/scene_data.h"
#include "scene/schema.h"

/* Text that is cut where it does not fit, and always ends. */
typedef struct shown {
    char *text;
    size_t used, size;
} shown;

static void add_bytes(shown *s, const char *bytes, size_t count) {
    for (size_t i = 0; i < count && s->used + 1 < s->size; i++)
        s->text[s->used++] = bytes[i];
}

static void add(shown *s, const char *text) {
    add_bytes(s, text, strlen(text));
}

static void add_number(shown *s, double value) {
    char text[RLTI_DOUBLE_TEXT];
    add_bytes(s, text, (size_t)rlti_format_double(value, text));
}

static void add_integer(shown *s, int value) {
    char text[RLTI_INT_TEXT];
    add_bytes(s, text, (size_t)rlti_format_int(value, text));
}

static void add_numbers(shown *s, const double *values, int count) {
    add(s, "[");
    for (int i = 0; i < count; i++) {
        add(s, i > 0 ? ", " : "");
        add_number(s, values[i]);
    }
    add(s, "]");
}

static void add_rows(shown *s, const double *values, int count, int width) {
    add(s, "[");
    for (int i = 0; i < count; i++) {
        add(s, i > 0 ? ", " : "");
        add_numbers(s, values + (size_t)i * (size_t)width, width);
    }
    add(s, "]");
}

/* Pairs of a place and a value; one alone is its value. */
static void add_pairs(shown *s, const double (*pairs)[2], int count) {
    if (count == 1)
        add_number(s, pairs[0][1]);
    else
        add_rows(s, pairs[0], count, 2);
}

static void add_ramp(shown *s, const rlti_ramp *ramp) {
    double knots[RLTI_RAMP_KNOTS][2];
    for (int i = 0; i < ramp->count; i++) {
        knots[i][0] = ramp->position[i];
        knots[i][1] = ramp->value[i];
    }
    add_pairs(s, (const double(*)[2])knots, ramp->count);
}

/* Quoted where YAML could take it for something else. */
static void add_text(shown *s, const char *text) {
    int plain = isalpha((unsigned char)text[0]) != 0;
    for (const char *c = text; *c != '\0'; c++)
        plain = plain && (isalnum((unsigned char)*c) || strchr("_-./ ", *c) != NULL);
    if (plain) {
        add(s, text);
        return;
    }
    add(s, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            add(s, "\\");
        add_bytes(s, c, 1);
    }
    add(s, "\"");
}

static void add_names(shown *s, const rlti_names *names) {
    add(s, "[");
    for (int i = 0; i < names->count; i++) {
        add(s, i > 0 ? ", " : "");
        add_text(s, names->name[i]);
    }
    add(s, "]");
}

static void add_frames(shown *s, const rlti_frames *frames) {
    double numbers[RLTI_FRAMES_MAX];
    for (int i = 0; i < frames->count; i++)
        numbers[i] = frames->frame[i];
    add_numbers(s, numbers, frames->count);
}

static void add_choice(shown *s, const char *words, int value) {
    for (; value > 0 && words != NULL; value--) {
        words = strstr(words, " | ");
        words = words != NULL ? words + 3 : NULL;
    }
    if (words != NULL) {
        const char *end = strstr(words, " | ");
        add_bytes(s, words, end != NULL ? (size_t)(end - words) : strlen(words));
    }
}

static void add_strands(shown *s, const rlti_hair_data *hair) {
    if (hair->strand_count == 0) {
        add(s, "[]");
        return;
    }
    add_integer(s, hair->strand_count);
    add(s, " strands");
}

static void add_value(shown *s, const rlti_row *row, const void *data) {
    const void *value = (const char *)data + row->offset;
    switch (row->type) {
    case RLTI_TYPE_NUMBER:
        if (*(const double *)value == RLTI_AUTO)
            add(s, "auto");
        else
            add_number(s, *(const double *)value);
        break;
    case RLTI_TYPE_INTEGER:
        add_integer(s, *(const int *)value);
        break;
    case RLTI_TYPE_SWITCH:
        add(s, *(const int *)value ? "on" : "off");
        break;
    case RLTI_TYPE_CHOICE:
        add_choice(s, row->range, *(const int *)value);
        break;
    case RLTI_TYPE_TEXT:
    case RLTI_TYPE_PRESET:
        add_text(s, value);
        break;
    case RLTI_TYPE_VECTOR:
        add_numbers(s, value, 3);
        break;
    case RLTI_TYPE_RANGE:
        add_numbers(s, value, 2);
        break;
    case RLTI_TYPE_RAMP:
        add_ramp(s, value);
        break;
    case RLTI_TYPE_NAMES:
        add_names(s, value);
        break;
    case RLTI_TYPE_KEYS:
        add_rows(s, ((const rlti_keys *)value)->key[0], ((const rlti_keys *)value)->count, 7);
        break;
    case RLTI_TYPE_TRACK:
        add_pairs(s, ((const rlti_track *)value)->key, ((const rlti_track *)value)->count);
        break;
    case RLTI_TYPE_FRAMES:
        add_frames(s, value);
        break;
    case RLTI_TYPE_STRANDS:
        add_strands(s, data);
        break;
    }
}

/* Do two texts mean the same? Numbers may be written in several forms: 1e4, 10000. */
static int same_meaning(const char *a, const char *b) {
    const char *a_end = a + strlen(a), *b_end = b + strlen(b);
    while (a < a_end && b < b_end) {
        double x, y;
        const char *after_a = rlti_scan_double(a, a_end, &x), *after_b = rlti_scan_double(b, b_end, &y);
        if (after_a != NULL && after_b != NULL) {
            if (x < y || x > y)
                return 0;
            a = after_a;
            b = after_b;
        } else if (*a++ != *b++) {
            return 0;
        }
    }
    return a == a_end && b == b_end;
}

/* The struct a row counts in, or NULL where there is no such section. */
static const void *find_part(const rlti_scene_data *data, rlti_part part, int section) {
    switch (part) {
    case RLTI_PART_SCENE:
        return section == 0 ? data : NULL;
    case RLTI_PART_HAIR:
        return section < data->hair_count ? &data->hair[section] : NULL;
    case RLTI_PART_COLLIDER:
        return section < data->collider_count ? &data->colliders[section] : NULL;
    case RLTI_PART_CONSTRAINT:
        return section < data->constraint_count - data->implied_count ? &data->constraints[section] : NULL;
    }
    return NULL;
}

int rlt_scene_value(const rlt_scene *scene, int index, int section, char *text, size_t size,
                    int *is_default) {
    if (scene == NULL || text == NULL || size == 0 || index < 0 || index >= rlti_schema_count() ||
        section < 0)
        return 0;
    const rlti_row *row = rlti_schema_row(index);
    const void *data = find_part(rlti_scene_get(scene), row->part, section);
    if (data == NULL)
        return 0;
    shown s = {text, 0, size};
    add_value(&s, row, data);
    text[s.used] = '\0';
    if (is_default != NULL)
        *is_default = same_meaning(text, row->default_value);
    return 1;
}
