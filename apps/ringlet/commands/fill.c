/* ringlet fill: all hairs between the guides of a scene or of a file, to a file. */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "console.h"
#include "frames.h"
#include "interrupt.h"

#define SHOW_SECONDS 2.0 /* between two words about a frame that takes long */

typedef struct fill_settings {
    const char *input, *output;
    args_list overrides;
    frames_range frames;
    frames_hairs hairs;
    int threads, quiet, as_json;
} fill_settings;

/* State of one run. */
typedef struct fill_state {
    fill_settings *settings;
    rlt_messages *messages;
    frames_input input;
    rlt_fill_def def;
    rlt_fill *fill; /* made at the first frame */
    rlt_fill_writer *writer;
    rlt_lock *lock; /* on the output, from before the simulation on */
    int frame, written;
    double told;
    long long hairs, points;
} fill_state;

/* A word about long frames. A file with frames in it ends with a whole one; without, it stops at once. */
static int progress(double share, void *context) {
    fill_state *state = context;
    double now = console_seconds();
    if (interrupt_asked() && state->written == 0) {
        state->input.interrupted = 1;
        return 1;
    }
    if (!state->settings->quiet && share < 1.0 && now - state->told > SHOW_SECONDS) {
        state->told = now;
        console_line("frame %d  %.0f%%", state->frame, 100.0 * share);
    }
    return 0;
}

static int has_ending(const char *name, const char *ending) {
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ending) == 0;
}

/* Formats without time: the first frame, unless one is asked for. */
static rlt_status choose_frames(fill_state *state) {
    fill_settings *s = state->settings;
    rlt_status status = frames_choose(&state->input, &s->frames);
    if (status != RLT_OK || !(has_ending(s->output, ".hair") || has_ending(s->output, ".obj")))
        return status;
    if (!s->frames.text)
        s->frames.last = s->frames.first;
    if (s->frames.last - s->frames.first >= s->frames.step) {
        console_error("-o %s: this format holds one frame; --frames %d takes the first of these", s->output,
                      s->frames.first);
        return RLT_BAD_INPUT;
    }
    return RLT_OK;
}

static rlt_status build(fill_state *state) {
    fill_settings *s = state->settings;
    frames_input *input = &state->input;
    rlt_fill_writer_def def = rlt_fill_writer_defaults();
    char title[256];
    *input = (frames_input){
        .name = s->input, .overrides = &s->overrides, .threads = s->threads, .quiet = s->quiet};
    rlt_status status = frames_parse(&s->frames);
    if (status == RLT_OK)
        status = frames_check_output(input, s->output, state->messages);
    if (status == RLT_OK) { /* what cannot be written is reported before time is spent */
        status = rlt_fill_writer_open(s->output, &def, state->messages, &state->writer);
        rlt_fill_writer_abandon(state->writer);
        state->writer = NULL;
    }
    if (status == RLT_OK)
        status = rlt_lock_take(s->output, state->messages, &state->lock);
    if (status == RLT_OK)
        status = frames_open(input, &s->frames, state->messages);
    if (status == RLT_OK)
        status = choose_frames(state);
    if (status != RLT_OK)
        return status;
    state->def = rlt_fill_defaults();
    if (input->scene) {
        rlt_scene_fill(input->scene, &state->def);
        def.metres_per_unit = rlt_scene_metres_per_unit(input->scene);
    }
    frames_hairs_apply(&s->hairs, &state->def);
    snprintf(title, sizeof title, "Hair between the guides of %s, made with Ringlet", s->input);
    def.frames_per_second = input->frames_per_second;
    def.title = title;
    def.threads = s->threads;
    def.inputs = frames_inputs(input);
    def.progress = progress;
    def.context = state;
    def.lock = state->lock;
    return rlt_fill_writer_open(s->output, &def, state->messages, &state->writer);
}

static rlt_status take(const rlt_frame_view *view, const double *velocities, void *context) {
    fill_state *state = context;
    const fill_settings *s = state->settings;
    double begun = console_seconds();
    (void)velocities;
    state->frame = view->frame;
    state->told = begun;
    rlt_status status = state->fill ? rlt_fill_frame(state->fill, view, state->messages)
                                    : rlt_fill_create(view, &state->def, state->messages, &state->fill);
    if (status == RLT_OK)
        status = rlt_fill_writer_add(state->writer, state->fill, view->frame, state->messages);
    if (status != RLT_OK)
        return status;
    state->written++;
    state->hairs = rlt_fill_hairs(state->fill);
    state->points = rlt_fill_writer_points(state->writer);
    if (!s->quiet)
        console_line("frame %d/%d  %.1f s  %lld hairs  %lld points", view->frame, s->frames.last,
                     console_seconds() - begun, state->hairs, state->points);
    return RLT_OK;
}

static rlt_status print_json(const fill_state *state, rlt_status status, int kept, double seconds) {
    const fill_settings *s = state->settings;
    json out = {0};
    json_begin_object(&out, NULL);
    json_string(&out, "status", console_status_name(status, state->input.interrupted));
    json_string(&out, "input", s->input);
    json_string(&out, "output", s->output);
    json_integer(&out, "frames", kept ? state->written : 0);
    json_integer(&out, "hairs", state->hairs);
    json_integer(&out, "points", state->points);
    json_integer(&out, "bytes", kept ? console_file_size(s->output) : 0);
    json_number(&out, "seconds", seconds);
    return console_json_end(&out, state->messages, status);
}

static rlt_status fill(void *context, rlt_messages *messages) {
    fill_settings *settings = context;
    fill_state state = {.settings = settings, .messages = messages};
    const frames_watch watch = {take, NULL, &state};
    double begun = console_seconds();
    int kept = 0;
    if (!settings->output) {
        console_error("no output is named; add -o OUT.usdc, OUT.usda, OUT.abc or OUT.hair");
        return RLT_BAD_INPUT;
    }
    interrupt_catch();
    rlt_status status = build(&state);
    if (status == RLT_OK)
        status = frames_each(&state.input, &settings->frames, &watch, messages);
    /* whole frames are kept, whatever ended the run */
    if (state.written > 0) {
        rlt_status closed = rlt_fill_writer_close(state.writer, messages);
        kept = closed == RLT_OK;
        status = status == RLT_OK ? closed : status;
    } else {
        rlt_fill_writer_abandon(state.writer);
    }
    rlt_lock_release(state.lock);
    double seconds = console_seconds() - begun;
    console_messages(messages, 0);
    if (state.input.interrupted)
        console_error("stopped on request");
    if (kept && !settings->quiet)
        console_line("%s: %d frames, %lld hairs, %.1f MB, %.1f s", settings->output, state.written,
                     state.hairs, 1e-6 * (double)console_file_size(settings->output), seconds);
    if (settings->as_json)
        status = print_json(&state, status, kept, seconds);
    rlt_fill_destroy(state.fill);
    frames_close(&state.input);
    return status;
}

int command_fill(int argc, char **argv) {
    fill_settings s = {.hairs.blend = FRAMES_BLEND_OF_SCENE};
    const args_option options[] = {
        {"output", 'o', ARGS_TEXT, &s.output, "OUT",
         "file to write: .usdc, .usda, .usd, .abc, .hair or .obj, which gets lines (required)", 0, NULL},
        {"frames", 'f', ARGS_TEXT, &s.frames.text, "A:B:S",
         "frame A, frames A to B, every S-th (default: all; .hair, .obj: the first)", 0, NULL},
        {"hairs", 0, ARGS_INT, &s.hairs.count, "N", "hairs in all (default: hair.fill of the scene)", 0,
         NULL},
        {"points", 0, ARGS_INT, &s.hairs.points, "N",
         "points of a hair of full length (default: as the longest guide)", 0, NULL},
        {"blend", 0, ARGS_CHOICE, &s.hairs.blend, "HOW", "curls, points or wisps: hairs between guides", 0,
         frames_blend_names},
        ARGS_THREADS(&s.threads),
        ARGS_SET(&s.overrides),
        ARGS_QUIET(&s.quiet),
        ARGS_JSON(&s.as_json),
        {0},
    };
    const args_command command = {
        "fill",
        "SCENE|FILE -o OUT [options]",
        "Writes the hairs that pictures show: many between the guides of a scene (which is simulated) or of "
        "a\n"
        "file with curves. One object of curves with points, widths, extent and the numbers of hair, guide "
        "and\n"
        "section. Hairs are made and written in blocks: a million of them need little memory. Exit codes: 0\n"
        "done, 1 failed or stopped, 2 wrong use or bad input, 3 the simulation diverged.",
        options,
        "  ringlet fill shot.usdc -o hair.usdc --hairs 100000\n"
        "  ringlet fill redhead -o hair.abc --frames 1:24 --set hair.fill.clump=0.8\n"
        "  ringlet fill groom.abc -o groom.hair --hairs 20000 --points 64\n",
        1,
        1,
    };
    return frames_command(&command, argc, argv, &s.input, &s.overrides, fill, &s);
}
