/* ringlet check: every problem of a scene, without running it. */
#include <stdio.h>

#include "args.h"
#include "commands.h"
#include "console.h"
#include "progress.h"
#include "ringlet/ringlet.h"
#include "run.h"

/* Builds the groom and the model too, since a scene can be well written and still have bad geometry. */
static rlt_status check_scene(const char *name, const args_list *overrides, int syntax_only,
                              rlt_messages *messages, char *summary, size_t size) {
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    int used = 0;
    rlt_status status = run_load(name, 0, NULL, overrides, messages, &scene);
    if (status == RLT_OK && !syntax_only) {
        rlt_simulation_def def = rlt_simulation_defaults();
        status = rlt_simulation_create(scene, &def, messages, &simulation);
    }
    if (status == RLT_OK && simulation) {
        rlt_frame_view view = {.size = sizeof view};
        rlt_simulation_view(simulation, &view);
        used = snprintf(summary, size, "%d strands, %d points, ", view.strand_count, view.point_count);
        rlt_statistics stats = {.size = sizeof stats};
        rlt_simulation_statistics(simulation, &stats);
        if (view.source_count > 0)
            used += snprintf(summary + used, size - (size_t)used, "files read and bound in %.2f s, ",
                             rlt_named_find(stats.phases, stats.phase_count, "load"));
    }
    if (status == RLT_OK)
        snprintf(summary + used, size - (size_t)used, "frames %d to %d at %g frames/s",
                 rlt_scene_first_frame(scene), rlt_scene_last_frame(scene),
                 rlt_scene_frames_per_second(scene));
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    return status;
}

int command_check(int argc, char **argv) {
    args_list scenes = {0}, overrides = {0};
    int syntax_only = 0, exit_code = 0;
    const args_option options[] = {
        ARGS_SET(&overrides),
        {"syntax-only", 0, ARGS_FLAG, &syntax_only, NULL, "do not grow the hair", 0, NULL},
        {0},
    };
    const args_command command = {
        "check",
        "SCENE... [options]",
        "Checks scene files (or embedded scenes) and lists all problems with line and column. The hair is "
        "grown\n"
        "as well, so that bad geometry is found. Exit code 0 when all are good, 2 otherwise.",
        options,
        "  ringlet check shot.yaml\n"
        "  ringlet check redhead --set hair.count=50\n",
        1,
        -1,
    };
    args_result parsed = args_parse(&command, argc, argv, &scenes);
    for (int i = 0; parsed == ARGS_RUN && i < scenes.count; i++) {
        char summary[160] = "";
        rlt_messages *messages = rlt_messages_create();
        rlt_status status = RLT_FAILED;
        progress_wait(scenes.texts[i]);
        if (messages)
            status = check_scene(scenes.texts[i], &overrides, syntax_only, messages, summary, sizeof summary);
        progress_wait_end();
        if (messages)
            console_messages(messages, 0);
        if (status == RLT_OK)
            printf("%s: ok (%s)\n", scenes.texts[i], summary);
        else if (exit_code != RLT_FAILED)
            exit_code = (int)status;
        rlt_messages_destroy(messages);
    }
    args_list_free(&scenes);
    args_list_free(&overrides);
    return parsed == ARGS_WRONG ? RLT_BAD_INPUT : exit_code;
}
