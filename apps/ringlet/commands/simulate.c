/* ringlet simulate: a scene from its first to its last frame, into an animation file. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "commands.h"
#include "console.h"
#include "quality.h"
#include "report/page.h"
#include "run.h"

static int has_ending(const char *text) {
    static const char *const endings[] = {".usda", ".usdc", ".usd", ".abc", ".hair"};
    const char *dot = strrchr(text, '.');
    for (size_t i = 0; dot && dot != text && i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(dot, endings[i]) == 0)
            return 1;
    return 0;
}

/* "frames 1 to 24", or the one that a format without time holds. */
static void name_frames(const char *output, const run_result *result, char text[64]) {
    const char *dot = strrchr(output, '.');
    if (dot != NULL && strcmp(dot, ".hair") == 0)
        snprintf(text, 64, "frame %d", result->first);
    else
        snprintf(text, 64, "frames %d to %d", result->first, result->last);
}

/* The outcome in words, on standard error. */
static void say_outcome(const run_settings *settings, const run_result *result) {
    char frames[64];
    name_frames(settings->output, result, frames);
    if (result->interrupted)
        console_error("stopped on request");
    if (result->was_complete)
        return;
    if (result->output_kept && result->status == RLT_OK && !settings->quiet)
        console_line("%s: %s, %d strands, %.1f s", settings->output, frames, result->statistics.strands,
                     result->seconds);
    else if (result->output_kept && result->status != RLT_OK)
        console_line("%s: keeps %s", settings->output, frames);
    else if (result->status == RLT_DIVERGED || result->interrupted)
        console_line("%s: not written, no frame was finished", settings->output);
    if (result->resumable && result->status != RLT_BAD_INPUT)
        console_line("%s: a checkpoint of frame %d is left; --resume continues from it", settings->output,
                     result->resumable_from);
}

/* Only a run has something to report: after none the page of an earlier one must be there. */
static rlt_status check_old_report(const char *path) {
    if (access(path, F_OK) == 0) {
        console_line("note: %s: left as it was: nothing was simulated", path);
        return RLT_OK;
    }
    return console_fail(
        RLT_FAILED,
        "%s: the report asked for does not exist, and nothing was simulated to make it from; run "
        "without --resume",
        path);
}

/* Runs the scene, and where `folder` is not NULL leaves the page about it there. */
static rlt_status run_with_report(run_settings *settings, const char *folder, rlt_messages *messages,
                                  run_result *result) {
    page report = {.threads = settings->threads};
    rlt_status status = RLT_OK;
    int leads = rlt_ranks_rank(settings->ranks) == 0;
    memset(result, 0, sizeof *result);
    if (folder)
        status = rlt_ranks_agree(settings->ranks, leads ? page_open(&report, folder, "index.html") : RLT_OK,
                                 messages);
    settings->others[0] = report.path;
    if (folder && status == RLT_OK)
        settings->watch = (run_watch){page_begin, page_step, page_frame, page_end, &report};
    result->status = status;
    if (status == RLT_OK) {
        status = run_scene(settings, messages, result);
        console_messages(messages, 0);
        say_outcome(settings, result);
    }
    if (folder && leads && report.history.count > 0) {
        rlt_status written = page_write(&report, settings, result, messages);
        if (written == RLT_OK && !settings->quiet)
            console_line("%s: the report", report.path);
        else if (written != RLT_OK)
            console_error("%s: the report asked for is missing or incomplete%s", report.path,
                          result->output_kept ? "; the animation is not affected" : "");
        status = status == RLT_OK ? written : status;
    }
    if (folder && leads && result->was_complete)
        status = check_old_report(report.path);
    page_close(&report);
    return status;
}

typedef struct simulate_settings {
    run_settings run;
    const char *report; /* folder, or NULL */
    args_list variants;
    int quality; /* of enum quality */
    int as_json;
} simulate_settings;

/* Runs what the command line asks for, unless it cannot be meant. */
static rlt_status simulate(void *context, const args_list *rest, rlt_messages *messages) {
    simulate_settings *settings = context;
    run_settings *run = &settings->run;
    run_result result;
    char variants[ARGS_VARIANTS], replaced[ARGS_VARIANTS + 16];
    run->scene = rest->texts[0];
    if (!args_join_variants(&settings->variants, variants))
        return RLT_BAD_INPUT;
    if (variants[0] != '\0') {
        snprintf(replaced, sizeof replaced, "files.variants=%s", variants);
        args_list_add(&run->overrides, replaced);
    }
    if (!run->output)
        return console_fail(RLT_BAD_INPUT, "no output is named; add -o OUT.usda (or .usdc, .abc, .hair)");
    if (!has_ending(run->output))
        return console_fail(RLT_BAD_INPUT, "-o %s: the name must end in .usda, .usdc, .usd, .abc or .hair",
                            run->output);
    rlt_status status = quality_apply((quality)settings->quality, run, messages);
    if (status != RLT_OK) {
        console_messages(messages, 0);
        run_free_texts(run);
        return status;
    }
    status = run_with_report(run, settings->report, messages, &result);
    if (settings->as_json && rlt_ranks_rank(run->ranks) == 0) {
        json out = {0};
        json_begin_object(&out, NULL);
        run_json(&out, run, &result);
        status = console_json_end(&out, messages, status);
    }
    run_free_texts(run);
    return status;
}

int command_simulate(int argc, char **argv) {
    simulate_settings settings = {.run.checkpoint = KEEPER_AUTOMATIC};
    run_settings *run = &settings.run;
    static const char *const unreal[] = {"none", "cache", "groom", NULL};
    const args_option options[] = {
        {"output", 'o', ARGS_TEXT, &run->output, "OUT",
         "animation file to write (required): .usda, .usdc, .usd, .abc or .hair", 0, NULL},
        {"frames", 'f', ARGS_FRAMES, &run->frames, "A:B",
         "write these frames only; the run still starts where the scene does", 0, NULL},
        ARGS_THREADS(&run->threads),
        {"simd", 0, ARGS_CHOICE, &run->simd, "NAME", "auto, portable, avx2, avx512 or reference", 0,
         run_simd_names},
        QUALITY_OPTION(&settings.quality),
        ARGS_SET(&run->overrides),
        ARGS_VARIANT(&settings.variants),
        {"checkpoint", 0, ARGS_INT, &run->checkpoint, "N",
         "frames between checkpoints; 0 = none (default: 10, fewer where they cost over 2%)", 0, NULL},
        ARGS_FORCE(&run->force),
        {"resume", 0, ARGS_FLAG, &run->resume, NULL,
         "resume from the checkpoint of an earlier run, if there is one; a finished file stays as it is", 0,
         NULL},
        {"salvage", 0, ARGS_FLAG, &run->salvage, NULL,
         "close the file with the frames of the checkpoint; simulate nothing", 0, NULL},
        {"report", 0, ARGS_TEXT, &settings.report, "DIR",
         "write a page about the run to DIR/index.html: pictures, charts, values, health, times", 0, NULL},
        {"standalone", 0, ARGS_FLAG, &run->mode, NULL,
         "hair from a USD file: a whole file, not a layer over that one", 0, NULL},
        {"no-velocities", 0, ARGS_FLAG, &run->no_velocities, NULL, "leave velocities out", 0, NULL},
        {"keep-axis", 0, ARGS_FLAG, &run->keep_axis, NULL,
         "Alembic of hair from a Z-up file: Z stays up; by default it becomes Y", 0, NULL},
        {"unreal", 0, ARGS_MAYBE, &run->unreal, "[KIND]",
         "add Unreal's groom_* attributes: cache (all frames, usual) or groom (the first)", 0, unreal},
        {"physics", 0, ARGS_FLAG, &run->physics, NULL,
         "USD: add rest shape, masses and stiffness for other simulators; a whole file", 0, NULL},
        ARGS_QUIET(&run->quiet),
        ARGS_JSON(&settings.as_json),
        {0},
    };
    const args_command command = {
        .name = "simulate",
        .usage = "SCENE -o OUT [options]",
        .summary =
            "Simulates a scene file (or an embedded scene) and writes hair and body over time, in the format "
            "of the name: USD as text or binary (.usda, .usdc), Alembic (.abc), the first frame as .hair. "
            "Hair that came from a USD file is written as a layer over that file: only what moved. The "
            "result is the same, byte for byte, for any number of threads and any --simd but reference. "
            "An output that exists is replaced only with --force, also by --resume, which has nothing to do "
            "where the file is what this run would make. Ctrl-C finishes the present frame and "
            "keeps what was written. Stopped or killed, --resume "
            "continues from the last checkpoint, and gives the bytes of an unbroken run. Exit codes: 0 done, "
            "1 failed or stopped, 2 wrong use or bad scene, 3 the simulation diverged.",
        .options = options,
        .examples = "  ringlet simulate shot.yaml -o shot.usda\n"
                    "  ringlet simulate curls -o hair.usda --frames 1:48 --set motion.amount=0.5\n"
                    "  ringlet simulate shot.yaml -o shot.usda --quality draft --force\n"
                    "  ringlet simulate shot.yaml -o shot.abc --unreal\n"
                    "  ringlet simulate shot.yaml -o shot.usdc --resume\n",
        .minimum = 1,
        .maximum = 1,
    };
    return command_run(&command, argc, argv, &run->ranks, simulate, &settings);
}
