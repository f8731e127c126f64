/* ringlet demo: an embedded scene from start to finish, with pictures and a report. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "commands.h"
#include "console.h"
#include "report.h"
#include "run.h"

#define DEFAULT_FRAMES 60 /* keeps the default scene below two minutes on two cores */
#define STILLS         4  /* pictures along the way */
#define PATH_SIZE      1024
#define FILE_LIMIT     (STILLS + 8)

/* What the demo writes, and what its frame hook needs. */
typedef struct demo {
    const char *directory;
    int first, last; /* frames that will be written */
    char files[FILE_LIMIT][PATH_SIZE];
    int file_count;
    char animation[PATH_SIZE];
} demo;

/* `directory`/`name` into `path`; returns 0 when it does not fit. */
static int join(char *path, const char *directory, const char *name) {
    int length = snprintf(path, PATH_SIZE, "%s/%s", directory, name);
    return length > 0 && length < PATH_SIZE;
}

/* mkdir -p */
static int make_directory(const char *path) {
    char part[PATH_SIZE];
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return 0;
    for (char *p = part + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return 0;
        *p = '/';
    }
    return mkdir(part, 0777) == 0 || errno == EEXIST;
}

static void remember(demo *state, const char *path) {
    if (state->file_count < FILE_LIMIT)
        snprintf(state->files[state->file_count++], PATH_SIZE, "%s", path);
}

static rlt_status write_picture(demo *state, const char *name, const rlt_frame_view *view, double azimuth,
                                rlt_messages *messages) {
    char path[PATH_SIZE];
    rlt_preview_def def = rlt_preview_defaults();
    def.width = def.height = 960; /* seven pictures should not take as long as the hair */
    def.azimuth = azimuth;
    if (!join(path, state->directory, name))
        return RLT_BAD_INPUT;
    rlt_status status = rlt_preview_write(path, view, &def, messages);
    if (status == RLT_OK)
        remember(state, path);
    return status;
}

/* Pictures: a few along the way from three quarters, the last frame from all sides. */
static rlt_status take_pictures(const rlt_frame_view *view, rlt_messages *messages, void *context) {
    demo *state = context;
    rlt_status status = RLT_OK;
    for (int k = 0; k < STILLS && status == RLT_OK; k++) {
        if (view->frame == state->first + (state->last - state->first) * k / STILLS) {
            char name[48];
            snprintf(name, sizeof name, "preview_frame_%04d.png", view->frame);
            status = write_picture(state, name, view, 35.0, messages);
            break;
        }
    }
    if (status == RLT_OK && view->frame == state->last) {
        static const struct {
            const char *name;
            double azimuth;
        } views[] = {{"preview_front.png", 0.0}, {"preview_side.png", 90.0}, {"preview_back.png", 180.0}};
        for (int i = 0; i < 3 && status == RLT_OK; i++)
            status = write_picture(state, views[i].name, view, views[i].azimuth, messages);
    }
    return status;
}

/* The frames to write: what was asked for, or the scene's first DEFAULT_FRAMES. */
static rlt_status choose_frames(const char *name, const args_list *overrides, args_frames *frames,
                                rlt_messages *messages) {
    rlt_scene *scene = NULL;
    rlt_status status = rlt_scene_load_embedded(name, overrides->texts, overrides->count, messages, &scene);
    if (status != RLT_OK)
        return status;
    int first = rlt_scene_first_frame(scene), last = rlt_scene_last_frame(scene);
    if (!frames->has_first || frames->first < first)
        frames->first = first;
    if (!frames->has_last)
        frames->last = last < frames->first + DEFAULT_FRAMES - 1 ? last : frames->first + DEFAULT_FRAMES - 1;
    frames->has_first = frames->has_last = 1;
    rlt_scene_destroy(scene);
    return RLT_OK;
}

static rlt_status write_reports(demo *state, const run_settings *settings, const run_result *result,
                                const rlt_messages *messages) {
    char path[PATH_SIZE];
    rlt_status status = RLT_FAILED;
    if (join(path, state->directory, "report.json"))
        status = report_write_json(path, settings, result, messages);
    if (status == RLT_OK)
        remember(state, path);
    if (status == RLT_OK && join(path, state->directory, "report.txt"))
        status = report_write_text(path, settings, result, messages);
    if (status == RLT_OK)
        remember(state, path);
    return status;
}

static void say_what_was_written(const demo *state, const run_result *result) {
    printf("\nwritten in %.1f s:\n", result->seconds);
    if (result->output_kept)
        printf("  %s  frames %d to %d\n", state->animation, result->first, result->last);
    for (int i = 0; i < state->file_count; i++)
        printf("  %s\n", state->files[i]);
    if (result->output_kept)
        printf("\nto view the animation: usdview %s\n"
               "  or in Blender: File > Import > Universal Scene Description; Houdini and Maya read it as "
               "well\n",
               state->animation);
}

static rlt_status run_demo(demo *state, run_settings *settings, rlt_messages *messages) {
    run_result result;
    rlt_status status = choose_frames(settings->scene, &settings->overrides, &settings->frames, messages);
    if (status == RLT_OK && !make_directory(state->directory)) {
        console_error("%s: cannot make this folder: %s", state->directory, strerror(errno));
        status = RLT_FAILED;
    }
    if (status != RLT_OK) {
        console_messages(messages, 0);
        return status;
    }
    state->first = settings->frames.first;
    state->last = settings->frames.last;
    if (!settings->quiet)
        console_line("demo %s: frames %d to %d, into %s", settings->scene, state->first, state->last,
                     state->directory);
    settings->watch = (run_watch){.frame = take_pictures, .context = state};
    settings->embedded = 1;
    settings->output = state->animation;
    status = run_scene(settings, messages, &result);
    console_messages(messages, 0);
    if (result.interrupted)
        console_error("stopped on request");
    if (result.written > 0) {
        rlt_status reported = write_reports(state, settings, &result, messages);
        if (reported != RLT_OK)
            console_error("%s: cannot write the report", state->directory);
        status = status == RLT_OK ? reported : status;
        say_what_was_written(state, &result);
    }
    return status;
}

static int demo_named(const char *name, const char *directory, run_settings *settings) {
    char default_directory[PATH_SIZE], file[PATH_SIZE];
    rlt_status status = RLT_FAILED;
    rlt_messages *messages = rlt_messages_create();
    demo *state = calloc(1, sizeof *state);
    if (!messages || !state) {
        console_error("out of memory");
        goto done;
    }
    status = run_join(messages, &settings->ranks);
    if (status != RLT_OK)
        goto done;
    snprintf(default_directory, sizeof default_directory, "out/%.200s", name);
    snprintf(file, sizeof file, "%.200s.usda", name);
    state->directory = directory ? directory : default_directory;
    settings->scene = name;
    if (join(state->animation, state->directory, file)) {
        status = run_demo(state, settings, messages);
    } else {
        console_error("--out: the name is too long");
        status = RLT_BAD_INPUT;
    }
done:
    rlt_ranks_finish(settings->ranks);
    free(state);
    rlt_messages_destroy(messages);
    return (int)status;
}

int command_demo(int argc, char **argv) {
    run_settings settings = {.checkpoint = KEEPER_AUTOMATIC};
    args_list rest = {0};
    const char *directory = NULL;
    int exit_code = 0;
    const args_option options[] = {
        {"out", 'o', ARGS_TEXT, &directory, "DIR", "folder for the results (default out/NAME)", 0, NULL},
        {"frames", 'f', ARGS_FRAMES, &settings.frames, "A:B",
         "frames to write (default the scene's first 60)", 0, NULL},
        {"threads", 't', ARGS_INT, &settings.threads, "N", "worker threads; 0 = one per core (default)", 0,
         NULL},
        {"set", 0, ARGS_LIST, &settings.overrides, "KEY=VALUE",
         "replace a value of the scene; may be repeated", 0, NULL},
        {"resume", 0, ARGS_FLAG, &settings.resume, NULL,
         "go on from the checkpoint of an earlier run, if there is one", 0, NULL},
        {"quiet", 'q', ARGS_FLAG, &settings.quiet, NULL, "no progress", 0, NULL},
        {0},
    };
    const args_command command = {
        "demo",
        "[NAME] [options]",
        "Runs an embedded scene (default redhead) and leaves an animation file, pictures and a report in a "
        "folder.\n"
        "`ringlet scenes` lists the names.",
        options,
        "  ringlet demo\n"
        "  ringlet demo horse --out horse --frames 1:24\n",
        0,
        1,
    };
    args_result parsed = args_parse(&command, argc, argv, &rest);
    if (parsed == ARGS_WRONG)
        exit_code = RLT_BAD_INPUT;
    else if (parsed == ARGS_RUN)
        exit_code = demo_named(rest.count ? rest.texts[0] : "redhead", directory, &settings);
    args_list_free(&rest);
    args_list_free(&settings.overrides);
    return exit_code;
}
