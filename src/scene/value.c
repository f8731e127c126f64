#include "scene/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "scene/embedded.h"
#include "scene/units.h"

#define SHOWN_SIZE 64

int rlti_value_problem(const rlti_place *place, const rlti_node *node, const char *format, ...) {
    char reason[768], shown[SHOWN_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    rlti_node_show(node, shown, sizeof shown);
    if (rlti_node_is_null(node) && node->length == 0)
        rlti_problem_at(place->problems, place->source, node->line, node->column, "%s: has no value: %s",
                        place->key, reason);
    else
        rlti_problem_at(place->problems, place->source, node->line, node->column, "%s = %s: %s", place->key,
                        shown, reason);
    return 0;
}

int rlti_budget_take(const rlti_place *place, const rlti_node *node, long long count) {
    if (*place->budget < count) {
        if (*place->budget >= 0)
            rlti_value_problem(place, node, "aliases repeat too many values");
        *place->budget = -1; /* said once */
        return 0;
    }
    *place->budget -= count;
    return 1;
}

static int in_range(const rlti_place *place, const rlti_row *row, const rlti_node *node, double value) {
    int low = row->exclusive ? value > row->min : value >= row->min;
    if (low && value <= row->max)
        return 1;
    int both_ends = strstr(row->range, "..") != NULL;
    return rlti_value_problem(place, node, "must be %s%s", both_ends ? "within " : "", row->range);
}

/* A finite number, whatever its range; in the unit of a row, where one is named. Rows may be NULL, and those
 * of frames have no unit. */
static int finite_number(const rlti_place *place, const rlti_row *row, const rlti_node *node,
                         const char *wanted, double *value) {
    rlti_number_kind kind = RLTI_NUMBER_NONE;
    rlti_unit_kind unit = RLTI_UNIT_NONE;
    int is_plain = node->kind == RLTI_NODE_SCALAR && node->plain;
    if (is_plain)
        kind = rlti_number_parse(node->text, node->length, value);
    if (is_plain && kind == RLTI_NUMBER_NONE && row != NULL && row->unit != NULL)
        unit = rlti_unit_read(node->text, node->length, row->unit, place->metres_per_unit, value);
    if (unit == RLTI_UNIT_KNOWN)
        return 1;
    if (unit == RLTI_UNIT_FOREIGN) {
        char words[160];
        rlti_unit_describe(row->unit, place->metres_per_unit, words, sizeof words);
        return rlti_value_problem(place, node, "%s; it %s", wanted, words);
    }
    switch (kind) {
    case RLTI_NUMBER_FINITE:
        return 1;
    case RLTI_NUMBER_NO_MEMORY:
        rlti_problems_no_memory(place->problems);
        return 0;
    case RLTI_NUMBER_NOT_FINITE:
        return rlti_value_problem(place, node, "must be a finite number");
    default:
        return rlti_value_problem(place, node, "%s", wanted);
    }
}

int rlti_number_read(const rlti_place *place, const rlti_row *row, const rlti_node *node, double *value) {
    double read = 0.0;
    if (rlti_map_is(node)) {
        rlti_map_refuse(place, node);
        return 0;
    }
    if (!finite_number(place, row, node, "must be a number", &read) || !in_range(place, row, node, read))
        return 0;
    *value = read;
    return 1;
}

/* A number, or `auto` where the row takes it. */
static int read_number(const rlti_place *place, const rlti_row *row, const rlti_node *node, double *value) {
    int takes = rlti_row_takes_auto(row);
    double read = 0.0;
    if (takes && node->kind == RLTI_NODE_SCALAR && node->length == 4 && memcmp(node->text, "auto", 4) == 0) {
        *value = RLTI_AUTO;
        return 1;
    }
    if (!takes || rlti_map_is(node))
        return rlti_number_read(place, row, node, value);
    if (!finite_number(place, row, node, "must be auto or a number", &read) ||
        !in_range(place, row, node, read))
        return 0;
    *value = read;
    return 1;
}

static int read_integer(const rlti_place *place, const rlti_row *row, const rlti_node *node, int *value) {
    double read = 0.0;
    if (!finite_number(place, row->unit[0] != '\0' ? row : NULL, node, "must be an integer", &read))
        return 0;
    /* every row's range lies within int, which makes the conversion safe; 2^53 keeps the first one so */
    if (read < -9e15 || read > 9e15)
        return in_range(place, row, node, read);
    if ((double)(long long)read != read)
        return rlti_value_problem(place, node, "must be an integer");
    if (!in_range(place, row, node, read))
        return 0;
    *value = (int)read;
    return 1;
}

static int read_switch(const rlti_place *place, const rlti_node *node, int *value) {
    static const char *const words[] = {"off", "on", "false", "true", "no", "yes"};
    for (int i = 0; i < 6; i++)
        if (node->kind == RLTI_NODE_SCALAR && strcasecmp(node->text, words[i]) == 0 &&
            strlen(node->text) == node->length) {
            *value = i & 1;
            return 1;
        }
    return rlti_value_problem(place, node, "must be on or off");
}

/* "straight | wavy" as "straight, wavy", and the choice closest to a misspelt word, if any. */
static void describe_choices(const rlti_row *row, const char *word, char *list, size_t size, char *closest) {
    int best = 1000;
    size_t used = 0;
    closest[0] = '\0';
    for (const char *choice = row->range; choice != NULL;) {
        const char *end = strstr(choice, " | ");
        int length = (int)(end == NULL ? strlen(choice) : (size_t)(end - choice));
        char name[64];
        snprintf(name, sizeof name, "%.*s", length, choice);
        int wrote = snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
        used = used + (size_t)wrote < size ? used + (size_t)wrote : size - 1;
        int distance;
        if (rlti_words_close(name, word, &distance) && distance < best) {
            best = distance;
            memcpy(closest, name, sizeof name);
        }
        choice = end == NULL ? NULL : end + 3;
    }
}

static int read_choice(const rlti_place *place, const rlti_row *row, const rlti_node *node, int *value) {
    int choice = node->kind == RLTI_NODE_SCALAR && strlen(node->text) == node->length
                     ? rlti_choice_value(row, node->text)
                     : -1;
    if (choice < 0) {
        char list[512], closest[64];
        describe_choices(row, node->text, list, sizeof list, closest);
        return rlti_value_problem(place, node, "must be one of %s%s%s%s", list,
                                  closest[0] ? "; did you mean " : "", closest, closest[0] ? "?" : "");
    }
    *value = choice;
    return 1;
}

static int read_text(const rlti_place *place, const rlti_row *row, const rlti_node *node, char *value) {
    if (node->kind != RLTI_NODE_SCALAR)
        return rlti_value_problem(place, node, "must be text");
    for (size_t i = 0; i < node->length; i++)
        if ((unsigned char)node->text[i] < 0x20 || node->text[i] == 0x7f)
            return rlti_value_problem(place, node, "must be one line of text without control characters");
    if (node->length >= row->size)
        return rlti_value_problem(place, node, "must be at most %zu bytes", row->size - 1);
    memset(value, 0, row->size);
    memcpy(value, node->text, node->length);
    return 1;
}

static int read_preset(const rlti_place *place, const rlti_row *row, const rlti_node *node, char *value) {
    char name[RLTI_NAME_SIZE] = "";
    if (!read_text(place, row, node, name))
        return 0;
    const rlti_embedded *found = rlti_embedded_find(rlti_embedded_presets, name);
    if (name[0] != '\0' && found == NULL) {
        char known[512];
        const char *closest = rlti_embedded_closest(rlti_embedded_presets, name);
        rlti_embedded_names(rlti_embedded_presets, known, sizeof known);
        return rlti_value_problem(place, node, "unknown preset; known are %s%s%s%s", known,
                                  closest != NULL ? "; did you mean " : "", closest != NULL ? closest : "",
                                  closest != NULL ? "?" : "");
    }
    memset(value, 0, row->size);
    if (found != NULL)
        snprintf(value, row->size, "%s", found->name); /* as the table has it, whatever its case */
    return 1;
}

/* The same place with "[i]" after the key. */
typedef struct element {
    rlti_place place;
    char key[160];
} element;

static const rlti_place *element_place(element *e, const rlti_place *place, int i) {
    snprintf(e->key, sizeof e->key, "%.140s[%d]", place->key, i);
    e->place = *place;
    e->place.key = e->key;
    return &e->place;
}

/* Exactly `count` numbers. */
static int read_numbers(const rlti_place *place, const rlti_row *row, const rlti_node *node, int count,
                        double *values) {
    if (node->kind != RLTI_NODE_LIST || node->count != count)
        return rlti_value_problem(place, node, "must be %d numbers, as in %s", count,
                                  count == 3 ? "[0, -1, 0]" : "[1, 2]");
    int good = 1, i = 0;
    double read[3] = {0};
    for (const rlti_node *item = node->first; item != NULL; item = item->next, i++) {
        element e;
        good &= rlti_number_read(element_place(&e, place, i), row, item, &read[i]);
    }
    if (good)
        memcpy(values, read, (size_t)count * sizeof(double));
    return good;
}

static int read_range(const rlti_place *place, const rlti_row *row, const rlti_node *node, double *values) {
    double read[2] = {0.0, 0.0};
    if (!read_numbers(place, row, node, 2, read))
        return 0;
    if (!(read[1] > read[0]))
        return rlti_value_problem(place, node, "must increase");
    memcpy(values, read, sizeof read);
    return 1;
}

/* One [position, value] pair as knot i. */
static int read_knot(const rlti_place *place, const rlti_row *row, const rlti_node *pair, int i,
                     rlti_ramp *ramp) {
    if (pair->kind != RLTI_NODE_LIST || pair->count != 2)
        return rlti_value_problem(place, pair, "must be a [position, value] pair");
    const rlti_node *position = pair->first;
    int good = finite_number(place, NULL, position, "position must be a number", &ramp->position[i]);
    if (good && !(ramp->position[i] >= 0.0 && ramp->position[i] <= 1.0)) {
        rlti_value_problem(place, position, "position must be within 0..1");
        good = 0;
    }
    if (good && i > 0 && !(ramp->position[i] > ramp->position[i - 1])) {
        rlti_value_problem(place, position, "positions must increase");
        good = 0;
    }
    return rlti_number_read(place, row, position->next, &ramp->value[i]) && good;
}

static int read_ramp(const rlti_place *place, const rlti_row *row, const rlti_node *node, rlti_ramp *value) {
    rlti_ramp ramp = {0};
    int good = 1;
    if (rlti_map_is(node))
        return rlti_map_read(place, node, value);
    if (node->kind == RLTI_NODE_LIST && node->count > RLTI_RAMP_KNOTS)
        return rlti_value_problem(place, node, "must have at most %d pairs", RLTI_RAMP_KNOTS);
    if (node->kind == RLTI_NODE_LIST && node->count > 0) {
        for (const rlti_node *pair = node->first; pair != NULL; pair = pair->next) {
            element e;
            good &= read_knot(element_place(&e, place, ramp.count), row, pair, ramp.count, &ramp);
            ramp.count++;
        }
    } else {
        ramp.count = 1;
        good = finite_number(place, row, node,
                             "must be a number, a list of [position, value] pairs, or attribute:NAME",
                             &ramp.value[0]) &&
               in_range(place, row, node, ramp.value[0]);
    }
    if (good)
        *value = ramp;
    return good;
}

/* A list of names, or one name alone. */
static int read_names(const rlti_place *place, const rlti_node *node, rlti_names *value) {
    const rlti_row name = {.size = RLTI_NAME_SIZE};
    rlti_names names = {0};
    if (node->kind == RLTI_NODE_LIST && node->count > RLTI_NAMES_MAX)
        return rlti_value_problem(place, node, "must have at most %d names", RLTI_NAMES_MAX);
    if (node->kind == RLTI_NODE_MAP || rlti_node_is_null(node))
        return rlti_value_problem(place, node, "must be a list of names, as in [hat, scarf]");
    int good = 1, is_list = node->kind == RLTI_NODE_LIST;
    for (const rlti_node *item = is_list ? node->first : node; item != NULL;
         item = is_list ? item->next : NULL) {
        element e;
        const rlti_place *at = is_list ? element_place(&e, place, names.count) : place;
        good &= read_text(at, &name, item, names.name[names.count++]);
    }
    if (good)
        *value = names;
    return good;
}

int rlti_frames_has(const rlti_frames *frames, int frame) {
    int i = 0;
    while (i < frames->count && frames->frame[i] != frame)
        i++;
    return i < frames->count;
}

/* A list of frames, or one frame alone. */
static int read_frames(const rlti_place *place, const rlti_row *row, const rlti_node *node,
                       rlti_frames *value) {
    rlti_frames frames = {0};
    int good = 1, is_list = node->kind == RLTI_NODE_LIST;
    if (is_list && node->count > RLTI_FRAMES_MAX)
        return rlti_value_problem(place, node, "must have at most %d frames", RLTI_FRAMES_MAX);
    for (const rlti_node *item = is_list ? node->first : node; item != NULL;
         item = is_list ? item->next : NULL) {
        element e;
        const rlti_place *at = is_list ? element_place(&e, place, frames.count) : place;
        int *frame = &frames.frame[frames.count++];
        good = read_integer(at, row, item, frame) && good;
        if (good && frames.count > 1 && frame[0] <= frame[-1]) {
            rlti_value_problem(at, item, "frames must increase");
            good = 0;
        }
    }
    if (good)
        *value = frames;
    return good;
}

int rlti_value_read(const rlti_place *place, const rlti_row *row, const rlti_node *node, void *part) {
    void *member = (char *)part + row->offset;
    switch (row->type) {
    case RLTI_TYPE_NUMBER:
        return read_number(place, row, node, member);
    case RLTI_TYPE_INTEGER:
        return read_integer(place, row, node, member);
    case RLTI_TYPE_SWITCH:
        return read_switch(place, node, member);
    case RLTI_TYPE_CHOICE:
        return read_choice(place, row, node, member);
    case RLTI_TYPE_TEXT:
        return read_text(place, row, node, member);
    case RLTI_TYPE_PRESET:
        return read_preset(place, row, node, member);
    case RLTI_TYPE_VECTOR:
        return read_numbers(place, row, node, 3, member);
    case RLTI_TYPE_RANGE:
        return read_range(place, row, node, member);
    case RLTI_TYPE_RAMP:
        return read_ramp(place, row, node, member);
    case RLTI_TYPE_NAMES:
        return read_names(place, node, member);
    case RLTI_TYPE_STRANDS:
        return rlti_strands_read(place, row, node, part);
    case RLTI_TYPE_KEYS:
        return rlti_keys_read(place, node, member);
    case RLTI_TYPE_TRACK:
        return rlti_track_read(place, row, node, member);
    case RLTI_TYPE_FRAMES:
        return read_frames(place, row, node, member);
    }
    return 0;
}
