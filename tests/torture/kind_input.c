/* Outputs that are inputs, by any of their names: refused, and every input stays as it was. */
#include "kinds.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char scene[] =
    "time: {first: 1, last: 6, outer_steps: 30}\n"
    "character: {kind: file, file: body.usda, prim: /puffball/skin}\n"
    "colliders: [{kind: body}, {name: other, kind: mesh, file: wall.usda, prim: /puffball/skin}]\n"
    "hair: {name: fuzz, file: top.usda, prim: /puffball/hair, contact: {radius: 0.4}}\n";

static const char layer[] =
    "#usda 1.0\n(\n    defaultPrim = \"puffball\"\n    subLayers = [@./groom.usda@]\n)\n";
static const char reference[] =
    "#usda 1.0\n(\n    defaultPrim = \"puffball\"\n)\n"
    "def Xform \"puffball\" (\n    prepend references = @./groom.usda@</puffball>\n)\n{\n}\n";

/* Files that are read; groom.usda by top.usda. */
static const char *const files[] = {"scene.yaml", "body.usda", "wall.usda", "groom.usda", "top.usda"};
#define FILES 5

typedef struct input_state {
    bytes content[FILES];
    struct stat about[FILES];
} input_state;

static void remember(input_state *state) {
    for (int i = 0; i < FILES; i++) {
        state->content[i] = file_read(files[i]);
        stat(files[i], &state->about[i]);
    }
}

static void compare(trial *t, const input_state *state) {
    for (int i = 0; i < FILES; i++) {
        bytes now = file_read(files[i]);
        struct stat about = {0};
        if (!bytes_equal(&now, &state->content[i]))
            trial_fail(t, "%s: an input was changed", files[i]);
        else if (stat(files[i], &about) != 0 || about.st_ino != state->about[i].st_ino)
            trial_fail(t, "%s: an input was replaced", files[i]);
        bytes_free(&now);
    }
}

/* Another name of an input, or its own. */
static void choose_output(trial *t, const char *input, char *output, size_t size) {
    char line[128];
    int way = trial_pick(t, 5);
    if (way >= 2) {
        snprintf(line, sizeof line, "ln %s %s %s", way == 2 ? "" : "-s", way == 4 ? "." : input,
                 way == 4 ? "here" : "alias.usda");
        child_command(t, line, 20);
    }
    if (way == 2 || way == 3)
        snprintf(output, size, "alias.usda");
    else
        snprintf(output, size, "%s%s", way == 0 ? "" : way == 1 ? "./" : "here/", input);
}

static void choose_command(trial *t, launch *w, const char **input) {
    static const struct {
        const char *before, *after;
        int first, count; /* the inputs among `files` */
    } commands[] = {
        {"simulate scene.yaml -q -t 1 -o", "", 1, 4},
        {"simulate scene.yaml -q -t 1 --standalone -o", "", 1, 4},
        {"simulate scene.yaml -q -t 1 --resume -o", "", 1, 4},
        {"convert top.usda", "-q", 3, 2},
        {"fill top.usda -q -o", "--hairs 50", 3, 2},
        {"fill scene.yaml -q -o", "--hairs 50", 1, 4},
    };
    char output[64];
    int which = trial_pick(t, 6);
    *input = files[commands[which].first + trial_pick(t, commands[which].count)];
    choose_output(t, *input, output, sizeof output);
    snprintf(w->arguments, sizeof w->arguments, "%s %s %s --force", commands[which].before, output,
             commands[which].after);
}

/* A groom whose name is that of a temporary file of the output: it may be in the way, but it stays. */
static void temporary_name(trial *t) {
    static const char *const endings[] = {"part", "tmp", "checkpoint", "checkpoint.tmp", "lock"};
    char name[64];
    launch w = {.ranks = 1};
    snprintf(name, sizeof name, "out.usda.%s", endings[trial_pick(t, 5)]);
    file_input_copy(t, "puffball.usda", name);
    if (trial_one_in(t, 2))
        snprintf(w.arguments, sizeof w.arguments, "fill %s -o out.usda --hairs 50 -q", name);
    else
        snprintf(w.arguments, sizeof w.arguments, "convert %s out.usda -q", name);
    bytes before = file_read(name);
    ending e = child_run(t, &w);
    bytes after = file_read(name);
    if (job_check_exit(t, &e, DONE | REFUSED, "an input with the name of a temporary file") &&
        !bytes_equal(&before, &after))
        trial_fail(t, "%s: an input was changed or removed (exit code %d)", name, e.code);
    bytes_free(&before);
    bytes_free(&after);
}

void kind_input(trial *t) {
    input_state state = {0};
    launch w = {.ranks = 1};
    const char *input = NULL;
    if (trial_one_in(t, 8)) {
        temporary_name(t);
        return;
    }
    file_input(t, "scene.yaml", scene);
    file_input_copy(t, "puffball.usda", "body.usda");
    file_input_copy(t, "puffball.usda", "wall.usda");
    file_input_copy(t, "puffball.usda", "groom.usda");
    file_input(t, "top.usda", trial_one_in(t, 2) ? layer : reference);
    remember(&state);
    choose_command(t, &w, &input);
    ending e = child_run(t, &w);
    if (job_check_exit(t, &e, REFUSED, "an output that is an input"))
        compare(t, &state);
    for (int i = 0; i < FILES; i++)
        bytes_free(&state.content[i]);
}
