#include "live/scene_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/values.h"
#include "outfile.h"

enum { KEYS_MAX = 256, TEXT_VALUE = 1 << 16, TEXT_NAME = 600, TEXT_DEPTH = 8, TEXT_SECTIONS = 64 };

/* A text that is being made. */
typedef struct writer {
    FILE *out;
    const rlt_scene *scene, *plain; /* plain: the presets alone; NULL: compare with the defaults */
    const char *folder;
    char *value, *other; /* [TEXT_VALUE] */
    char path[TEXT_DEPTH][64];
    int depth;
    int is_item;                /* the next key is the first of an item of a list */
    const scene_motion *motion; /* in place of the scene's own; NULL: none */
    unsigned left_out;          /* bits of what may_follow knows */
} writer;

/* ---- keys by indentation ---- */

static void indent(writer *w, int depth) {
    for (int i = 0; i < depth; i++)
        fputs(i == depth - 1 && w->is_item && depth == 2 ? "- " : "  ", w->out);
    if (depth == 2)
        w->is_item = 0;
}

/* Opens the sections of a key that are not open, and prints the key's own word and a colon. `extra` is
 * how much deeper everything is, within the item of a list. */
static void print_key(writer *w, const char *key, int extra) {
    char copy[256];
    snprintf(copy, sizeof copy, "%s", key);
    int depth = 0;
    char *next = NULL;
    for (char *word = strtok_r(copy, ".", &next); word != NULL && depth < TEXT_DEPTH; depth++) {
        char *after = strtok_r(NULL, ".", &next);
        if (after != NULL && (depth >= w->depth || strcmp(w->path[depth], word) != 0)) {
            indent(w, depth + (depth > 0 ? extra : 0));
            fprintf(w->out, "%s:\n", word);
            snprintf(w->path[depth], sizeof w->path[depth], "%s", word);
            w->depth = depth + 1;
        } else if (after == NULL) {
            w->depth = depth < w->depth ? depth : w->depth;
            indent(w, depth + (depth > 0 ? extra : 0));
            fprintf(w->out, "%s: ", word);
        }
        word = after;
    }
}

/* ---- values ---- */

/* 1: the row has to be written for this section. Its value is in w->value then. */
static int differs(writer *w, const char *key, int row, int section) {
    int is_default = 1;
    if (!rlt_scene_value(w->scene, row, section, w->value, TEXT_VALUE, &is_default))
        return 0;
    int is_given =
        strcmp(key, "hair.preset") == 0 || strcmp(key, "hair.count") == 0; /* in the plain one, too */
    if (w->plain != NULL && !is_given && strncmp(key, "hair.", 5) == 0 &&
        rlt_scene_value(w->plain, row, section, w->other, TEXT_VALUE, NULL))
        return strcmp(w->value, w->other) != 0;
    return !is_default;
}

static int is_file_name(const char *key) {
    size_t size = strlen(key);
    return size > 5 && strcmp(key + size - 5, ".file") == 0;
}

/* Names of files are relative to the scene's file, which will be elsewhere. */
static void print_value(writer *w, const rlt_schema_entry *row) {
    const char *bare = w->value + (w->value[0] == '"');
    if (is_file_name(row->key) && bare[0] != '/' && w->folder[0] != '\0' && bare[0] != '\0' && bare[0] != '"')
        fprintf(w->out, "%s%s/%s\n", bare == w->value ? "" : "\"", w->folder, bare);
    else
        fprintf(w->out, "%s\n", w->value);
}

/* Strands that are given point by point are copied as they stand in the text. */
static void copy_strands(writer *w) {
    const char *text = rlt_scene_text(w->scene), *at = strstr(text, "strands:");
    if (at == NULL)
        return;
    const char *line = at;
    while (line > text && line[-1] != '\n')
        line--;
    size_t column = (size_t)(at - line);
    const char *end = strchr(at, '\n');
    fprintf(w->out, "%.*s\n", end != NULL ? (int)(end - at - (long)strlen("strands:")) : 0,
            at + strlen("strands:"));
    for (at = end != NULL ? end + 1 : ""; *at != '\0'; at = end != NULL ? end + 1 : "") {
        size_t deep = strspn(at, " ");
        end = strchr(at, '\n');
        int size = end != NULL ? (int)(end - at) : (int)strlen(at);
        if (size > (int)deep && deep <= column && at[deep] != '-')
            break;
        if (size > (int)column)
            fprintf(w->out, "  %.*s\n", size - (int)column, at + column);
    }
}

/* 1: a motion that was recorded takes the place of this value. */
static int is_replaced(const scene_motion *motion, const char *key) {
    return motion != NULL && (strncmp(key, "motion.", 7) == 0 || strcmp(key, "time.last") == 0);
}

/* A bit of what reading a scene may find by itself: steps that no hair takes, the collider that is the body.
 * 0: the key is none of that. */
static unsigned may_follow(const char *key) {
    return strcmp(key, "time.outer_steps") == 0 ? 1u : (strncmp(key, "colliders.", 10) == 0 ? 2u : 0u);
}

static void print_row(writer *w, const rlt_schema_entry *row, int index, int section, int extra) {
    if (is_replaced(w->motion, row->key)) {
        if (strcmp(row->key, "time.last") == 0 && w->motion->count > 0) {
            print_key(w, row->key, extra);
            fprintf(w->out, "%.0f\n", w->motion->keys[w->motion->count - 1][0]);
        }
        return;
    }
    if ((w->left_out & may_follow(row->key)) || !differs(w, row->key, index, section))
        return;
    print_key(w, row->key, extra);
    if (strcmp(row->type, "strands") == 0)
        copy_strands(w);
    else
        print_value(w, row);
}

/* "hair.", "colliders." or "constraints."; 0: the key is of no list. */
static size_t list_of(const char *key) {
    static const char *const lists[] = {"hair.", "colliders.", "constraints."};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (strncmp(key, lists[i], strlen(lists[i])) == 0)
            return strlen(lists[i]);
    return 0;
}

/* All sections of a list, which begins at row `first`: one as it is, several as items. Returns the row
 * after. */
static int print_list(writer *w, int first, size_t head) {
    rlt_schema_entry row = {.size = sizeof row};
    char name[32];
    rlt_schema_get(first, &row);
    snprintf(name, sizeof name, "%.*s", (int)head, row.key);
    int sections = live_values_sections(w->scene, first), last = first;
    while (rlt_schema_get(last, &row) && strncmp(row.key, name, head) == 0)
        last++;
    for (int s = 0; s < sections; s++) {
        w->is_item = sections > 1;
        w->depth = s > 0 && w->depth > 0 ? 1 : w->depth;
        for (int i = first; i < last && rlt_schema_get(i, &row); i++)
            print_row(w, &row, i, s, sections > 1);
    }
    return last;
}

static void print_rows(writer *w) {
    rlt_schema_entry row = {.size = sizeof row};
    for (int i = 0; rlt_schema_get(i, &row);) {
        size_t head = list_of(row.key);
        if (head > 0) {
            i = print_list(w, i, head);
            continue;
        }
        print_row(w, &row, i, 0, 0);
        i++;
    }
}

/* ---- the whole ---- */

static int row_of(const char *key) {
    rlt_schema_entry row = {.size = sizeof row};
    for (int i = 0; rlt_schema_get(i, &row); i++)
        if (strcmp(row.key, key) == 0)
            return i;
    return -1;
}

/* A scene of the presets alone, with as many sections; its other values are the defaults. */
static rlt_scene *load_plain(const rlt_scene *scene) {
    rlt_scene *plain = NULL;
    outfile text;
    char name[TEXT_NAME];
    int row = row_of("hair.preset"), sections = live_values_sections(scene, row);
    if (!outfile_begin(&text))
        return NULL;
    fprintf(text.text, "hair:\n");
    for (int s = 0; s < sections; s++) {
        rlt_scene_value(scene, row, s, name, sizeof name, NULL);
        fprintf(text.text, "  - preset: %s\n    count: 1\n", name);
    }
    if (fclose(text.text) == 0 && sections > 0)
        (void)rlt_scene_load_text("presets", text.bytes, text.size, NULL, 0, NULL, &plain);
    free(text.bytes);
    return plain;
}

/* Loads what was written: every value must be what it was. */
static int check_text(const rlt_scene *scene, const char *text, const scene_motion *motion, char *problem,
                      size_t size) {
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *again = NULL;
    rlt_schema_entry row = {.size = sizeof row};
    char *a = malloc(2 * (size_t)TEXT_VALUE), *b = a != NULL ? a + TEXT_VALUE : NULL;
    int good =
        a != NULL && rlt_scene_load_text("saved", text, strlen(text), NULL, 0, messages, &again) == RLT_OK;
    if (!good)
        snprintf(problem, size, "the scene cannot be saved: %s",
                 rlt_messages_count(messages) > 0 ? rlt_messages_text(messages, 0) : "out of memory");
    for (int i = 0; good && rlt_schema_get(i, &row); i++)
        for (int s = 0; good && s < TEXT_SECTIONS; s++) {
            int here = rlt_scene_value(scene, i, s, a, TEXT_VALUE, NULL);
            int there = rlt_scene_value(again, i, s, b, TEXT_VALUE, NULL);
            if (!here && !there)
                break;
            good =
                here == there && (strcmp(a, b) == 0 || is_file_name(row.key) || is_replaced(motion, row.key));
            if (!good)
                snprintf(problem, size, "the scene cannot be saved: %s = %.60s would become %.60s", row.key,
                         a, there ? b : "nothing");
        }
    rlt_scene_destroy(again);
    rlt_messages_destroy(messages);
    free(a);
    return good;
}

/* As many keys as a scene may have, at equal distances; the motion is smooth between them. */
static void print_motion(FILE *out, const scene_motion *motion) {
    int every = (motion->count + KEYS_MAX - 2) / (KEYS_MAX - 1);
    fprintf(out, "\n# The head as it was moved: frame, shift, degrees about x, y and z.\nmotion:\n  kind: "
                 "keys\n  keys:\n");
    for (int i = 0; i < motion->count;
         i += i + every < motion->count || i + 1 == motion->count ? every : motion->count - 1 - i) {
        const double *k = motion->keys[i];
        fprintf(out, "    - [%.0f, %.9g, %.9g, %.9g, %.9g, %.9g, %.9g]\n", k[0], k[1], k[2], k[3], k[4], k[5],
                k[6]);
    }
}

/* The text as the writer has it; NULL where it does not say the same scene, and why. To be freed. */
static char *write_text(writer *w, char *problem, size_t size) {
    outfile text;
    snprintf(problem, size, "out of memory");
    if (!outfile_begin(&text))
        return NULL;
    w->out = text.text;
    w->depth = 0;
    fprintf(w->out, "# Saved by `ringlet live`: what differs from the defaults and the preset.\n");
    print_rows(w);
    if (w->motion != NULL)
        print_motion(w->out, w->motion);
    if (fclose(text.text) == 0 && check_text(w->scene, text.bytes, w->motion, problem, size))
        return text.bytes;
    free(text.bytes);
    return NULL;
}

char *scene_text(const rlt_scene *scene, const char *folder, const scene_motion *motion, char *problem,
                 size_t size) {
    writer w = {.scene = scene, .folder = folder, .motion = motion};
    char *result = NULL;
    if (motion != NULL && (row_of("motion.keys") < 0 || motion->count < 2)) {
        snprintf(problem, size, "the scene cannot be saved with a motion: %s",
                 motion->count < 2 ? "the head was not moved since the last reset"
                                   : "scenes hold no keys of one");
        return NULL;
    }
    w.value = malloc(TEXT_VALUE);
    w.other = malloc(TEXT_VALUE);
    snprintf(problem, size, "out of memory");
    if (w.value != NULL && w.other != NULL) {
        rlt_scene *plain = load_plain(scene);
        w.plain = plain;
        for (int left_out = 3; left_out >= 0 && result == NULL; left_out--) {
            w.left_out = (unsigned)left_out;
            result = write_text(&w, problem, size);
        }
        rlt_scene_destroy(plain);
    }
    free(w.value);
    free(w.other);
    return result;
}
