#include "run.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "console.h"
#include "progress.h"

const char *const run_simd_names[] = {"auto", "portable", "avx2", "avx512", "reference", NULL};

/* Set by the first Ctrl-C; a signal handler has nowhere else to put it. */
static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int signal_number) {
    (void)signal_number;
    stop_asked = 1;
}

/* SA_RESETHAND: the second signal ends the program at once. */
static void catch_signals(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ask_to_stop;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

rlt_status run_load(const char *name, int embedded, const args_frames *frames, const args_list *overrides,
                    rlt_messages *messages, rlt_scene **scene) {
    args_list all = {0};
    char last[40];
    for (int i = 0; i < overrides->count; i++)
        args_list_add(&all, overrides->texts[i]);
    if (frames && frames->has_last) {
        snprintf(last, sizeof last, "time.last=%d", frames->last);
        args_list_add(&all, last);
    }
    /* A bare word that is no file can only be meant as an embedded scene; the library then lists those. */
    if (!embedded)
        embedded = access(name, F_OK) != 0 && !strpbrk(name, "/.");
    rlt_status status = embedded ? rlt_scene_load_embedded(name, all.texts, all.count, messages, scene)
                                 : rlt_scene_load_file(name, all.texts, all.count, messages, scene);
    args_list_free(&all);
    return status;
}

/* What one run holds while it goes on. */
typedef struct run_state {
    const run_settings *settings;
    rlt_messages *messages;
    run_result *result;
    rlt_scene *scene;
    rlt_simulation *simulation;
    rlt_writer *writer;
} run_state;

static rlt_status build(run_state *run) {
    const run_settings *settings = run->settings;
    rlt_status status = run_load(settings->scene, settings->embedded, &settings->frames, &settings->overrides,
                                 run->messages, &run->scene);
    if (status != RLT_OK)
        return status;
    snprintf(run->result->title, sizeof run->result->title, "%s", rlt_scene_title(run->scene));
    run->result->frames_per_second = rlt_scene_frames_per_second(run->scene);

    int last = rlt_scene_last_frame(run->scene);
    if (settings->frames.has_first && settings->frames.first > last) {
        console_error("--frames: frame %d is after the scene's last frame, %d", settings->frames.first, last);
        return RLT_BAD_INPUT;
    }
    rlt_simulation_def def = rlt_simulation_defaults();
    def.threads = settings->threads;
    def.simd = (rlt_simd)settings->simd;
    status = rlt_simulation_create(run->scene, &def, run->messages, &run->simulation);
    if (status != RLT_OK)
        return status;

    rlt_writer_def writer = {0};
    writer.frames_per_second = rlt_scene_frames_per_second(run->scene);
    writer.metres_per_unit = rlt_scene_metres_per_unit(run->scene);
    writer.title = rlt_scene_title(run->scene);
    return rlt_writer_open(settings->output, &writer, run->messages, &run->writer);
}

/* Writes the present frame if it was asked for. */
static rlt_status write_frame(run_state *run, const rlt_frame_view *view) {
    const run_settings *settings = run->settings;
    int from = rlt_scene_first_frame(run->scene);
    if (settings->frames.has_first && settings->frames.first > from)
        from = settings->frames.first;
    if (view->frame < from)
        return RLT_OK;

    double begun = console_seconds();
    rlt_status status = rlt_writer_add(run->writer, view, run->messages);
    if (status == RLT_OK) {
        if (run->result->written == 0)
            run->result->first = view->frame;
        run->result->last = view->frame;
        run->result->written++;
        if (settings->hook)
            status = settings->hook(view, run->messages, settings->context);
    }
    run->result->seconds_write += console_seconds() - begun;
    return status;
}

static rlt_status step_frames(run_state *run) {
    int last = rlt_scene_last_frame(run->scene);
    rlt_frame_view view;
    progress bar;

    rlt_simulation_view(run->simulation, &view);
    progress_begin(&bar, run->settings->quiet, view.frame, rlt_scene_first_frame(run->scene), last);
    rlt_status status = write_frame(run, &view);
    while (status == RLT_OK && view.frame < last) {
        if (stop_asked) {
            run->result->interrupted = 1;
            status = RLT_FAILED;
            break;
        }
        status = rlt_simulation_advance(run->simulation, run->messages);
        if (status != RLT_OK)
            break;
        rlt_simulation_view(run->simulation, &view);
        rlt_simulation_statistics(run->simulation, &run->result->statistics);
        status = write_frame(run, &view);
        progress_frame(&bar, view.frame, run->result->statistics.fastest);
    }
    progress_end(&bar);
    rlt_simulation_statistics(run->simulation, &run->result->statistics);
    run->result->hash = rlt_simulation_hash(run->simulation);
    return status;
}

/* Keeps what was written, whatever happened; a file without a frame is of no use to anybody. */
static rlt_status close_output(run_state *run, rlt_status status) {
    if (!run->writer)
        return status;
    if (run->result->written == 0) {
        rlt_writer_abandon(run->writer);
        return status;
    }
    double begun = console_seconds();
    rlt_status closed = rlt_writer_close(run->writer, run->messages);
    run->result->seconds_write += console_seconds() - begun;
    run->result->output_kept = closed == RLT_OK;
    return status == RLT_OK ? closed : status;
}

rlt_status run_scene(const run_settings *settings, rlt_messages *messages, run_result *result) {
    run_state run = {.settings = settings, .messages = messages, .result = result};
    double begun = console_seconds();
    memset(result, 0, sizeof *result);
    stop_asked = 0;
    catch_signals();

    rlt_status status = build(&run);
    result->seconds_build = console_seconds() - begun;
    if (status == RLT_OK)
        status = step_frames(&run);
    status = close_output(&run, status);
    rlt_simulation_destroy(run.simulation);
    rlt_scene_destroy(run.scene);
    result->status = status;
    result->seconds = console_seconds() - begun;
    return status;
}

const char *run_status_name(const run_result *result) {
    static const char *const names[] = {"done", "failed", "bad input", "diverged"};
    return result->interrupted ? "interrupted" : names[result->status];
}

static void json_phases(json *out, const run_result *result) {
    const rlt_statistics *s = &result->statistics;
    json_begin_object(out, "phases");
    json_number(out, "build", result->seconds_build);
    json_number(out, "drive", s->seconds_drive);
    json_number(out, "collide", s->seconds_collide);
    json_number(out, "step", s->seconds_step);
    json_number(out, "check", s->seconds_check);
    json_number(out, "write", result->seconds_write);
    json_end_object(out);
}

void run_json(json *out, const run_settings *settings, const run_result *result,
              const rlt_messages *messages) {
    const rlt_statistics *s = &result->statistics;
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", result->hash);
    json_string(out, "status", run_status_name(result));
    json_string(out, "scene", settings->scene);
    json_string(out, "title", result->title);
    json_integer(out, "frames", result->written);
    if (result->written > 0) {
        json_integer(out, "first_frame", result->first);
        json_integer(out, "last_frame", result->last);
    }
    json_number(out, "frames_per_second", result->frames_per_second);
    json_integer(out, "strands", s->strands);
    json_integer(out, "points", s->points);
    json_integer(out, "threads", s->threads);
    json_string(out, "simd", s->simd);
    json_string(out, "hash", hash);
    json_number(out, "seconds", result->seconds);
    json_number(out, "cpu_seconds", s->cpu_seconds);
    json_phases(out, result);
    json_integer(out, "force_steps", s->force_steps);
    json_number(out, "fastest", s->fastest);
    json_number(out, "longest", s->longest);
    json_begin_object(out, "energies");
    json_number(out, "kinetic", s->kinetic);
    json_number(out, "stretch", s->stretch);
    json_number(out, "bend", s->bend);
    json_number(out, "core", s->core);
    json_number(out, "gravity", s->gravity);
    json_end_object(out);
    json_integer(out, "contacts", s->contacts);
    json_integer(out, "bytes", (long long)s->bytes);
    json_begin_array(out, "outputs");
    if (result->output_kept)
        json_string(out, NULL, settings->output);
    json_end_array(out);
    console_json_messages(out, messages);
}
