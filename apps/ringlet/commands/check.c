/* ringlet check: every problem of a scene, without running it. */
#include <stdio.h>

#include "command.h"
#include "commands.h"
#include "console.h"
#include "progress.h"
#include "run.h"

typedef struct check_settings {
    args_list overrides;
    int syntax_only;
} check_settings;

/* Builds the groom and the model too, since a scene can be well written and still have bad geometry. */
static rlt_status check_scene(const char *name, const check_settings *settings, rlt_messages *messages,
                              char *summary, size_t size) {
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    int used = 0;
    rlt_status status = run_load(name, 0, NULL, &settings->overrides, messages, &scene);
    if (status == RLT_OK && settings->syntax_only) {
        status = rlt_model_check(scene, messages);
    } else if (status == RLT_OK) {
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

static rlt_status check(void *settings, const args_list *scenes, rlt_messages *messages) {
    rlt_status worst = RLT_OK;
    for (int i = 0; i < scenes->count; i++) {
        char summary[160] = "";
        progress_wait(scenes->texts[i]);
        rlt_status status = check_scene(scenes->texts[i], settings, messages, summary, sizeof summary);
        progress_wait_end();
        console_messages(messages, 0);
        rlt_messages_clear(messages);
        if (status == RLT_OK)
            printf("%s: ok (%s)\n", scenes->texts[i], summary);
        else if (worst != RLT_FAILED)
            worst = status;
    }
    return worst;
}

int command_check(int argc, char **argv) {
    check_settings settings = {0};
    const args_option options[] = {
        ARGS_SET(&settings.overrides),
        {"syntax-only", 0, ARGS_FLAG, &settings.syntax_only, NULL, "do not grow the hair", 0, NULL},
        {0},
    };
    const args_command command = {
        .name = "check",
        .usage = "SCENE... [options]",
        .summary =
            "Checks scene files (or embedded scenes) and lists all problems with line and column. The hair "
            "is grown as well, so that bad geometry is found. Exit code 0 when all are good, 2 otherwise.",
        .options = options,
        .examples = "  ringlet check shot.yaml\n"
                    "  ringlet check curls --set hair.count=50\n",
        .minimum = 1,
        .maximum = -1,
    };
    return command_run(&command, argc, argv, NULL, check, &settings);
}
