/* ringlet demo: an embedded scene from start to finish, with pictures and a report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "commands.h"
#include "console.h"
#include "frames.h"
#include "quality.h"
#include "report/page.h"
#include "picture_file.h"
#include "report/report.h"
#include "run.h"

#define DEFAULT_FRAMES 48 /* two seconds: keeps the default scene below three minutes on two cores */
#define PATH_SIZE      1024
#define FILE_LIMIT     8

#define STILL_SIZE    640 /* pixels */
#define STILL_SAMPLES 16
#define STILL_HAIRS   30000
#define STILL_BOUNCES 4
#define MOVIE_SIZE    512
#define MOVIE_HAIRS   20000

/* Files that the demo writes, and what watches its run. */
typedef struct demo {
    const char *directory, *name;
    int first, last; /* frames that will be written */
    int draft;       /* small pictures */
    int threads;
    int later;   /* pictures are made from the finished animation: not all of it is of this run */
    int no_page; /* nothing is simulated, so that there is nothing to report */
    int movie_first, movie_count; /* frames in the movie */
    rlt_messages *messages;       /* of those that are made later */
    char files[FILE_LIMIT][PATH_SIZE];
    int file_count;
    char animation[PATH_SIZE], still[PATH_SIZE], movie[PATH_SIZE], json[PATH_SIZE], text[PATH_SIZE];
    page page;
    studio still_studio, movie_studio;
    picture_file movie_file;
} demo;

/* `directory`/`name``ending` into `path`; returns 0 when it does not fit. */
static int join(char *path, const char *directory, const char *name, const char *ending) {
    int length = snprintf(path, PATH_SIZE, "%s/%s%s", directory, name, ending);
    return length > 0 && length < PATH_SIZE;
}

static void remember(demo *state, const char *path) {
    if (state->file_count < FILE_LIMIT)
        snprintf(state->files[state->file_count++], PATH_SIZE, "%s", path);
}

static rlt_status open_studios(demo *state, const run_start *start, rlt_messages *messages) {
    double fps = rlt_scene_frames_per_second(start->scene);
    studio *still = &state->still_studio, *movie = &state->movie_studio;
    studio_defaults(still, start->scene, fps);
    studio_defaults(movie, start->scene, fps);
    movie->preview = 1; /* clean, and ten times as quick as tracing */
    movie->def.width = movie->def.height = MOVIE_SIZE;
    still->def.width = still->def.height = STILL_SIZE;
    still->def.samples = STILL_SAMPLES;
    still->def.bounces = STILL_BOUNCES;
    if (state->draft)
        studio_draft(still, MOVIE_SIZE / 2);
    if (state->draft)
        movie->def.width = movie->def.height = MOVIE_SIZE / 4;
    if (still->fill_def.hairs == 0) {
        still->fill_def.hairs = STILL_HAIRS;
        movie->fill_def.hairs = MOVIE_HAIRS;
    }
    /* hair swings wider than it hangs at the first frame, which places the camera of all pictures */
    movie->def.camera.margin *= 1.14;
    still->no_blur = 1;
    rlt_status status = studio_open(still, state->threads, messages);
    if (status == RLT_OK)
        status = studio_open(movie, state->threads, messages);
    if (status == RLT_OK)
        status = picture_file_open(&state->movie_file, state->movie, NULL, fps);
    return status;
}

static rlt_status begin(const run_start *start, rlt_messages *messages, void *context) {
    demo *state = context;
    state->later = start->resumed;
    rlt_status status = page_begin(start, messages, &state->page);
    if (status == RLT_OK && rlt_render_available())
        status = open_studios(state, start, messages);
    else if (status == RLT_OK)
        console_line("note: built without Embree: a preview instead of a rendered picture, and no movie");
    return status;
}

static rlt_status step(const rlt_frame_view *view, const rlt_statistics *statistics, double seconds,
                       void *context) {
    demo *state = context;
    return page_step(view, statistics, seconds, &state->page);
}

static rlt_status take_still(demo *state, const rlt_frame_view *view, rlt_messages *messages) {
    rlt_image *image = NULL;
    if (state->movie_studio.fitted) /* the movie's camera */
        state->still_studio.def.camera = state->movie_studio.def.camera;
    rlt_status status = studio_shot(&state->still_studio, view, NULL, messages, &image);
    if (status == RLT_OK)
        status = rlt_image_write_png(image, state->still, 0, messages);
    if (status == RLT_OK && !state->no_page)
        page_add_image(&state->page, image, view->frame);
    rlt_image_destroy(image);
    return status;
}

static rlt_status take_preview(const demo *state, const rlt_frame_view *view, rlt_messages *messages) {
    rlt_preview_def def = rlt_preview_defaults();
    def.width = def.height = state->draft ? MOVIE_SIZE : STILL_SIZE;
    return rlt_preview_write(state->still, view, &def, messages);
}

static rlt_status add_to_movie(demo *state, const rlt_frame_view *view, rlt_messages *messages) {
    rlt_image *image = NULL;
    rlt_status status = studio_shot(&state->movie_studio, view, NULL, messages, &image);
    if (status == RLT_OK)
        status =
            picture_file_check(&state->movie_file, view->inputs, view->frame, view->frame, 1, 1, messages);
    if (status == RLT_OK)
        status = picture_file_add(&state->movie_file, image, view->frame, messages);
    if (status == RLT_OK && state->movie_count++ == 0)
        state->movie_first = view->frame;
    /* the report's other pictures are the movie's: a better one would take as long as ten of these */
    if (status == RLT_OK && !state->no_page && view->frame != state->last &&
        page_wants(&state->page, view->frame))
        page_add_image(&state->page, image, view->frame);
    rlt_image_destroy(image);
    studio_watch(&state->movie_studio, view);
    return status;
}

/* Every frame goes into the movie; the last becomes the still. */
static rlt_status take_pictures(demo *state, const rlt_frame_view *view, rlt_messages *messages) {
    int renders = rlt_render_available(), is_last = view->frame == state->last;
    rlt_status status = renders ? add_to_movie(state, view, messages) : RLT_OK;
    if (status == RLT_OK && is_last) {
        status = renders ? take_still(state, view, messages) : take_preview(state, view, messages);
        if (status == RLT_OK)
            remember(state, state->still);
    }
    return status == RLT_OK && !state->no_page ? page_frame(view, messages, &state->page) : status;
}

static rlt_status frame(const rlt_frame_view *view, rlt_messages *messages, void *context) {
    demo *state = context;
    double begun = console_seconds(), before = state->page.seconds_pictures;
    rlt_status status = state->later ? RLT_OK : take_pictures(state, view, messages);
    state->page.seconds_pictures = before + console_seconds() - begun; /* not of the writer */
    return status;
}

static void end(const rlt_frame_view *view, void *context) {
    demo *state = context;
    if (!state->later || view->frame < state->last)
        page_end(view, &state->page);
}

/* ---- from the finished animation ---- */

static rlt_status take_frame(const rlt_frame_view *view, const double *velocities, void *context) {
    demo *state = context;
    (void)velocities; /* as in a run: from the frame before */
    return take_pictures(state, view, state->messages);
}

/* The pictures of all frames in the animation file. A movie that is not whole does not replace another. */
static rlt_status film(demo *state, const run_settings *settings, const run_result *result,
                       rlt_messages *messages) {
    frames_settings animation = {
        .input = state->animation,
        .frames = {.has_first = 1, .has_last = 1, .first = result->first, .last = result->last},
        .threads = state->threads,
        .quiet = 1};
    frames_input input = {.settings = &animation};
    const frames_watch watch = {take_frame, NULL, state};
    double before = state->page.seconds_pictures; /* the report's times are the run's, which has ended */
    state->messages = messages;
    if (!settings->quiet)
        console_line("note: the picture and the movie are made from %s", state->animation);
    rlt_status status = frames_open(&input, messages);
    if (status == RLT_OK)
        status = frames_choose(&input, FRAMES_ALL, NULL);
    if (status == RLT_OK)
        status = frames_each(&input, &watch, messages);
    frames_close(&input);
    state->page.seconds_pictures = before;
    if (status != RLT_OK) {
        rlt_movie_abandon(state->movie_file.movie);
        state->movie_file.movie = NULL;
        console_error(
            "%s: the picture, the movie and the report are not made anew; `ringlet render %s -o %s` "
            "makes the movie",
            state->directory, state->animation, state->movie);
    }
    return status;
}

/* 1 where the reports are of a run that came to its end, and not older than the animation: report.json is
 * written last. */
static int reports_are_whole(const demo *state, const run_result *result) {
    struct stat animation, report;
    char wanted[3][64], text[512];
    if (access(state->page.path, F_OK) != 0 || access(state->text, F_OK) != 0 ||
        stat(state->json, &report) != 0 || stat(state->animation, &animation) != 0)
        return 0;
    if (report.st_mtim.tv_sec < animation.st_mtim.tv_sec ||
        (report.st_mtim.tv_sec == animation.st_mtim.tv_sec &&
         report.st_mtim.tv_nsec < animation.st_mtim.tv_nsec))
        return 0;
    FILE *file = fopen(state->json, "r");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[size] = 0;
    if (file)
        fclose(file);
    snprintf(wanted[0], sizeof wanted[0], "\"status\": \"done\"");
    snprintf(wanted[1], sizeof wanted[1], "\"first_frame\": %d,", result->first);
    snprintf(wanted[2], sizeof wanted[2], "\"last_frame\": %d,", result->last);
    return strstr(text, wanted[0]) && strstr(text, wanted[1]) && strstr(text, wanted[2]);
}

/* Nothing was simulated: what is missing beside the animation is made from it. */
static rlt_status complete(demo *state, const run_settings *settings, const run_result *result,
                           rlt_messages *messages) {
    int whole = reports_are_whole(state, result);
    int wants_movie = rlt_render_available() && rlt_movie_available();
    rlt_scene *scene = NULL;
    rlt_status status = RLT_OK;
    state->no_page = 1;
    if (!whole || access(state->still, F_OK) != 0 || (wants_movie && access(state->movie, F_OK) != 0)) {
        status = run_load(settings->scene, 1, &settings->frames, &settings->overrides, messages, &scene);
        run_start start = {.scene = scene, .first = result->first, .last = result->last};
        if (status == RLT_OK && rlt_render_available())
            status = open_studios(state, &start, messages);
        if (status == RLT_OK)
            status = film(state, settings, result, messages);
        rlt_scene_destroy(scene);
    }
    if (!whole) {
        console_error("%s: the report is missing or not of the whole animation, and nothing was simulated to "
                      "make it from; run without --resume",
                      state->page.path);
        status = status == RLT_OK ? RLT_FAILED : status;
    }
    return status;
}

/* ---- the run ---- */

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
    rlt_status status = page_write(&state->page, settings, result, messages);
    if (status == RLT_OK)
        remember(state, state->page.path);
    if (status == RLT_OK)
        status = report_write_text(state->text, settings, result, messages);
    if (status == RLT_OK)
        remember(state, state->text);
    if (status == RLT_OK) /* last: see reports_are_whole */
        status = report_write_json(state->json, settings, result, messages);
    if (status == RLT_OK)
        remember(state, state->json);
    return status;
}

static void say_what_was_written(const demo *state, const run_result *result) {
    if (state->file_count > 0 || !result->was_complete)
        printf("\nwritten in %.1f s:\n", result->seconds);
    if (result->output_kept && !result->was_complete)
        printf("  %s  frames %d to %d\n", state->animation, result->first, result->last);
    for (int i = 0; i < state->file_count; i++)
        printf("  %s\n", state->files[i]);
    if (result->resumable)
        printf("\na checkpoint of frame %d is left; the same command with --resume continues from it\n",
               result->resumable_from);
    if (result->output_kept)
        printf("\nto view the animation: usdview %s\n"
               "  or in Blender: File > Import > Universal Scene Description; Houdini and Maya read it as "
               "well\n",
               state->animation);
}

/* Closes the movie; says where it ends too early. */
static rlt_status close_movie(demo *state, rlt_messages *messages) {
    char line[PATH_SIZE];
    int has_movie = state->movie_file.movie != NULL, last = state->movie_first + state->movie_count - 1;
    rlt_status status = picture_file_close(&state->movie_file, messages);
    if (!has_movie || status != RLT_OK)
        return status;
    if (last < state->last)
        snprintf(line, sizeof line, "%.900s  frames %d to %d only, of %d to %d", state->movie,
                 state->movie_first, last, state->first, state->last);
    else
        snprintf(line, sizeof line, "%s", state->movie);
    remember(state, line);
    return RLT_OK;
}

/* Makes what stands beside the animation, after the run. */
static rlt_status finish(demo *state, const run_settings *settings, const run_result *result,
                         rlt_status status, rlt_messages *messages) {
    int reports = result->written > 0 && !result->was_complete;
    if (result->was_complete) {
        status = complete(state, settings, result, messages);
    } else if (state->later && result->interrupted) {
        reports = 0;
        console_line("note: %s: the picture, the movie and the report are left as they were; --resume makes "
                     "them at the end",
                     state->directory);
    } else if (state->later && result->output_kept) {
        rlt_status filmed = film(state, settings, result, messages);
        reports = reports && filmed == RLT_OK;
        status = status == RLT_OK ? filmed : status;
    }
    rlt_status closed = close_movie(state, messages);
    status = status == RLT_OK ? closed : status;
    console_messages(messages, 0);
    if (result->interrupted)
        console_error("stopped on request");
    if (reports) {
        rlt_status reported = write_reports(state, settings, result, messages);
        if (reported != RLT_OK)
            console_error("%s: cannot write the report", state->directory);
        status = status == RLT_OK ? reported : status;
    }
    if (result->written > 0)
        say_what_was_written(state, result);
    return status;
}

static rlt_status run_demo(demo *state, run_settings *settings, rlt_messages *messages) {
    run_result result;
    int leads = rlt_ranks_rank(settings->ranks) == 0;
    rlt_status status = choose_frames(settings->scene, &settings->overrides, &settings->frames, messages);
    if (status == RLT_OK)
        status = rlt_ranks_agree(settings->ranks,
                                 leads ? page_open(&state->page, state->directory, "report.html") : RLT_OK,
                                 messages);
    if (status != RLT_OK) {
        console_messages(messages, 0);
        return status;
    }
    state->first = settings->frames.first;
    state->last = settings->frames.last;
    if (!settings->quiet)
        console_line("demo %s: frames %d to %d, into %s", settings->scene, state->first, state->last,
                     state->directory);
    state->threads = state->page.threads = settings->threads;
    settings->watch = (run_watch){begin, step, frame, end, state};
    settings->embedded = 1;
    settings->output = state->animation;
    settings->others[0] = state->page.path;
    settings->others[1] = state->still;
    settings->others[2] = state->movie;
    settings->others[3] = state->json;
    settings->others[4] = state->text;
    status = run_scene(settings, messages, &result);
    return leads ? finish(state, settings, &result, status, messages) : status;
}

typedef struct demo_settings {
    run_settings run;
    const char *directory; /* NULL: out/NAME */
    int draft, quality;
} demo_settings;

static rlt_status demo_named(void *context, const args_list *rest, rlt_messages *messages) {
    demo_settings *settings = context;
    const char *name = rest->count ? rest->texts[0] : "curls";
    char default_directory[PATH_SIZE];
    rlt_status status = RLT_BAD_INPUT;
    demo *state = calloc(1, sizeof *state);
    if (!state)
        return console_fail(RLT_FAILED, "out of memory");
    snprintf(default_directory, sizeof default_directory, "out/%.200s", name);
    state->directory = settings->directory ? settings->directory : default_directory;
    state->draft = settings->draft || settings->quality == QUALITY_DRAFT;
    settings->run.scene = name;
    settings->run.embedded = 1;
    if (quality_apply((quality)settings->quality, &settings->run, messages) != RLT_OK)
        console_messages(messages, 0);
    else if (join(state->animation, state->directory, name, ".usdc") &&
             join(state->still, state->directory, name, ".png") &&
             join(state->movie, state->directory, name, ".mp4") &&
             join(state->json, state->directory, "report", ".json") &&
             join(state->text, state->directory, "report", ".txt"))
        status = run_demo(state, &settings->run, messages);
    else
        console_error("--out: the name is too long; choose a shorter one");
    studio_close(&state->still_studio);
    studio_close(&state->movie_studio);
    page_close(&state->page);
    run_free_texts(&settings->run);
    free(state);
    return status;
}

int command_demo(int argc, char **argv) {
    demo_settings settings = {.run.checkpoint = KEEPER_AUTOMATIC};
    const args_option options[] = {
        {"out", 'o', ARGS_TEXT, &settings.directory, "DIR", "folder for the results (default out/NAME)", 0,
         NULL},
        {"frames", 'f', ARGS_FRAMES, &settings.run.frames, "A:B",
         "frames to write (default the scene's first 48)", 0, NULL},
        {"draft", 0, ARGS_FLAG, &settings.draft, NULL, "small pictures, to be done sooner", 0, NULL},
        ARGS_THREADS(&settings.run.threads),
        QUALITY_OPTION(&settings.quality),
        ARGS_SET(&settings.run.overrides),
        ARGS_FORCE(&settings.run.force),
        {"resume", 0, ARGS_FLAG, &settings.run.resume, NULL,
         "resume from the checkpoint of an earlier run, if there is one, and make what is missing", 0, NULL},
        ARGS_QUIET(&settings.run.quiet),
        {0},
    };
    const args_command command = {
        .name = "demo",
        .usage = "[NAME] [options]",
        .summary = "Runs an embedded scene (default curls) and leaves an animation file, a picture, a movie "
                   "and a report in a folder. `ringlet scenes` lists the names.",
        .options = options,
        .examples = "  ringlet demo\n"
                    "  ringlet demo horse --out horse --frames 1:24\n",
        .maximum = 1,
    };
    return command_run(&command, argc, argv, &settings.run.ranks, demo_named, &settings);
}
