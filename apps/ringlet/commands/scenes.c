/* ringlet scenes: what is built in. ringlet schema: what a scene file may say. */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "console.h"
#include "ringlet/ringlet.h"

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

static int print_scene(const char *name) {
    const char *names[64];
    int count = 0;
    for (int i = 0; rlt_embedded_scene_name(i) && count < 64; i++) {
        names[count++] = rlt_embedded_scene_name(i);
        if (strcmp(name, rlt_embedded_scene_name(i)) == 0) {
            fputs(rlt_embedded_scene_text(i), stdout);
            return 0;
        }
    }
    const char *nearest = args_nearest(name, names, count);
    if (nearest)
        console_error("no embedded scene '%s'; did you mean '%s'?", name, nearest);
    else
        console_error("no embedded scene '%s'; `ringlet scenes` lists them", name);
    return RLT_BAD_INPUT;
}

int command_scenes(int argc, char **argv) {
    args_list rest = {0};
    int exit_code = 0;
    const args_option options[] = {{0}};
    const args_command command = {
        "scenes",
        "[NAME]",
        "Lists the scenes built into the program, or prints one of them as a start for your own.",
        options,
        "  ringlet scenes\n"
        "  ringlet scenes redhead > shot.yaml\n",
        0,
        1,
    };
    args_result parsed = args_parse(&command, argc, argv, &rest);
    if (parsed == ARGS_WRONG)
        exit_code = RLT_BAD_INPUT;
    else if (parsed == ARGS_RUN && rest.count == 1)
        exit_code = print_scene(rest.texts[0]);
    else if (parsed == ARGS_RUN)
        list_scenes();
    args_list_free(&rest);
    return exit_code;
}

int command_schema(int argc, char **argv) {
    args_list rest = {0};
    const args_option options[] = {{0}};
    const args_command command = {
        "schema",
        "",
        "Prints the reference of the scene format as Markdown: every key with type, unit, range, default and "
        "help.",
        options,
        "  ringlet schema | less\n",
        0,
        0,
    };
    args_result parsed = args_parse(&command, argc, argv, &rest);
    args_list_free(&rest);
    if (parsed != ARGS_RUN)
        return parsed == ARGS_WRONG ? RLT_BAD_INPUT : 0;
    char *text = rlt_schema_reference();
    if (!text) {
        console_error("out of memory");
        return RLT_FAILED;
    }
    fputs(text, stdout);
    rlt_text_free(text);
    return 0;
}
