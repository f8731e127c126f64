/* ringlet scenes: what is built in. ringlet schema: what a scene file may say. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "console.h"

static void list_scenes(void) {
    for (int i = 0; rlt_embedded_scene_name(i); i++) {
        rlt_scene *scene = NULL;
        const char *title = "";
        if (rlt_scene_load_embedded(rlt_embedded_scene_name(i), NULL, 0, NULL, &scene) == RLT_OK)
            title = rlt_scene_title(scene);
        printf("%-16s %s\n", rlt_embedded_scene_name(i), title);
        rlt_scene_destroy(scene);
    }
}

static rlt_status print_scene(const char *name) {
    const char *names[64];
    int count = 0;
    for (int i = 0; rlt_embedded_scene_name(i) && count < 64; i++) {
        names[count++] = rlt_embedded_scene_name(i);
        if (strcmp(name, rlt_embedded_scene_name(i)) == 0) {
            fputs(rlt_embedded_scene_text(i), stdout);
            return RLT_OK;
        }
    }
    return args_unknown("no embedded scene", name, names, count, "`ringlet scenes` lists them");
}

static rlt_status scenes(void *settings, const args_list *rest, rlt_messages *messages) {
    (void)settings;
    (void)messages;
    if (rest->count == 1)
        return print_scene(rest->texts[0]);
    list_scenes();
    return RLT_OK;
}

static rlt_status schema(void *settings, const args_list *rest, rlt_messages *messages) {
    char *text = rlt_schema_reference();
    (void)settings;
    (void)rest;
    (void)messages;
    if (!text)
        return console_fail(RLT_FAILED, "out of memory");
    fputs(text, stdout);
    rlt_text_free(text);
    return RLT_OK;
}

int command_scenes(int argc, char **argv) {
    const args_option options[] = {{0}};
    const args_command command = {
        .name = "scenes",
        .usage = "[NAME]",
        .summary = "Lists the scenes built into the program, or prints one of them as a start for your own.",
        .options = options,
        .examples = "  ringlet scenes\n"
                    "  ringlet scenes curls > shot.yaml\n",
        .maximum = 1,
    };
    return command_run(&command, argc, argv, NULL, scenes, NULL);
}

int command_schema(int argc, char **argv) {
    const args_option options[] = {{0}};
    const args_command command = {
        .name = "schema",
        .usage = "",
        .summary = "Prints the reference of the scene format as Markdown: every key with type, unit, range, "
                   "default and help.",
        .options = options,
        .examples = "  ringlet schema | less\n",
    };
    return command_run(&command, argc, argv, NULL, schema, NULL);
}
