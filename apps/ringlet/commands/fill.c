/* ringlet fill: all hairs between the guides of a scene or of a file, to a file. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "frames.h"
#include "interrupt.h"
#include "outfile.h"

#define SHOW_SECONDS 2.0 /* between two words about a frame that takes long */

/* State of one run. */
typedef struct fill_state {
    const frames_settings *settings;
    rlt_messages *messages;
    frames_input input;
    rlt_fill_def def, sections[RLT_RENDER_LOOKS_MAX];
    rlt_fill *fill; /* made at the first frame */
    rlt_fill_writer *writer;
    rlt_lock *lock; /* on the output, from before the simulation on */
    int frame, written;
    double reported;
    long long hairs, points;
    char *look; /* rlt_scene_look_text of what is written */
    double colours[RLT_RENDER_LOOKS_MAX][3];
    int colour_count;
} fill_state;

/* A word about long frames. A file with frames in it ends with a whole one; without, it stops at once. */
static int progress(double share, void *context) {
    fill_state *state = context;
    double now = console_seconds();
    if (interrupt_asked() && state->written == 0) {
        state->input.interrupted = 1;
        return 1;
    }
    if (!state->settings->quiet && share < 1.0 && now - state->reported > SHOW_SECONDS) {
        state->reported = now;
        console_line("frame %d  %.0f%%", state->frame, 100.0 * share);
    }
    return 0;
}

static int has_ending(const char *name, const char *ending) {
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ending) == 0;
}

/* Formats without time: the first frame, unless one is asked for. */
static frames_capacity capacity_of(const char *output) {
    return has_ending(output, ".hair") || has_ending(output, ".obj") ? FRAMES_FIRST : FRAMES_ALL;
}

/* Fills in what the file says about pictures of it: the look of the guides, with every hair as it is in the
 * file. Guides without a look get that of pictures of them, and no colours. */
static rlt_status find_look(fill_state *state) {
    static const char *const as_written[] = {"hair.fill.count=0", "hair.fill.per_guide=1",
                                             "hair.fill.blend=wisps", "hair.fill.points=0",
                                             "hair.fill.width=1"};
    const rlt_scene *look = frames_look(&state->input);
    const char *name = state->settings->input;
    rlt_render_def def = rlt_render_defaults();
    rlt_scene *scene = NULL;
    char plain[256];
    snprintf(plain, sizeof plain,
             "{character: {kind: none}, hair: {region: none, count: 1, look: {eumelanin: %g, "
             "pheomelanin: %g}}}",
             def.hair.eumelanin, def.hair.pheomelanin);
    char *own = look ? rlt_scene_look_text(look) : NULL;
    if (look && !own)
        return console_fail(RLT_FAILED, "out of memory");
    const char *text = own ? own : plain;
    rlt_status status = rlt_scene_load_text(name, text, strlen(text), as_written, 5, state->messages, &scene);
    rlt_text_free(own);
    if (status != RLT_OK)
        return status;
    rlt_scene_look(scene, &def);
    state->colour_count = look ? def.look_count : 0;
    for (int i = 0; i < state->colour_count; i++)
        rlt_render_hair_colour(&def.looks[i], state->colours[i]);
    state->look = rlt_scene_look_text(scene);
    rlt_scene_destroy(scene);
    return state->look ? RLT_OK : console_fail(RLT_FAILED, "out of memory");
}

static rlt_status build(fill_state *state) {
    const frames_settings *s = state->settings;
    frames_input *input = &state->input;
    rlt_fill_writer_def def = rlt_fill_writer_defaults();
    char title[256];
    rlt_status status = frames_check(s, "OUT.usdc, OUT.usda, OUT.abc or OUT.hair", state->messages);
    if (status == RLT_OK) { /* what cannot be written is reported before time is spent */
        status = rlt_fill_writer_open(s->output, &def, state->messages, &state->writer);
        rlt_fill_writer_abandon(state->writer);
        state->writer = NULL;
    }
    if (status == RLT_OK) /* first: what another run is about to finish is a file, too */
        status = rlt_lock_take(s->output, state->messages, &state->lock);
    if (status == RLT_OK)
        status = outfile_check_new(s->output, s->force);
    if (status == RLT_OK)
        status = frames_open(input, state->messages);
    if (status == RLT_OK)
        status = frames_choose(input, capacity_of(s->output),
                               "this format holds one frame; choose it with --frames");
    if (status == RLT_OK)
        status = find_look(state);
    if (status != RLT_OK)
        return status;
    int sections = frames_hairs_apply(&s->hairs, frames_look(input), &state->def, state->sections);
    state->def.sections = sections > 0 ? state->sections : NULL;
    state->def.section_count = sections;
    if (input->scene)
        def.metres_per_unit = rlt_scene_metres_per_unit(input->scene);
    snprintf(title, sizeof title, "Hair between the guides of %s, made with Ringlet", s->input);
    def.frames_per_second = input->frames_per_second;
    def.title = title;
    def.threads = s->threads;
    def.inputs = frames_inputs(input);
    def.links = frames_links(input);
    def.progress = progress;
    def.context = state;
    def.lock = state->lock;
    def.look = state->look;
    def.colours = state->colour_count > 0 ? state->colours[0] : NULL;
    def.colour_count = state->colour_count;
    return rlt_fill_writer_open(s->output, &def, state->messages, &state->writer);
}

static rlt_status take(const rlt_frame_view *view, const double *velocities, void *context) {
    fill_state *state = context;
    const frames_settings *s = state->settings;
    double begun = console_seconds();
    char left[32];
    (void)velocities;
    state->frame = view->frame;
    state->reported = begun;
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
        console_line("frame %d/%d  %.1f s  %lld hairs  %lld points%s", view->frame, s->frames.last,
                     console_seconds() - begun, state->hairs, state->points,
                     frames_left(&state->input, view->frame, left, sizeof left));
    return RLT_OK;
}

static rlt_status print_json(const fill_state *state, rlt_status status, int kept, double seconds) {
    const char *output = state->settings->output;
    json out = {0};
    frames_json(&out, &state->input, status, kept ? state->written : 0);
    json_integer(&out, "hairs", state->hairs);
    json_integer(&out, "points", state->points);
    json_integer(&out, "bytes", kept ? console_file_size(output) : 0);
    json_number(&out, "seconds", seconds);
    return console_json_end(&out, state->messages, status);
}

static rlt_status fill(void *context, const args_list *rest, rlt_messages *messages) {
    frames_settings *settings = context;
    fill_state state = {.settings = settings, .messages = messages, .input.settings = settings};
    const frames_watch watch = {take, NULL, &state};
    double begun = console_seconds();
    int kept = 0;
    settings->input = rest->texts[0];
    interrupt_catch();
    rlt_status status = build(&state);
    if (status == RLT_OK)
        status = frames_each(&state.input, &watch, messages);
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
    frames_report(&state.input, messages);
    if (kept && !settings->quiet)
        console_line("%s: %d frames, %lld hairs, %.1f MB, %.1f s", settings->output, state.written,
                     state.hairs, 1e-6 * (double)console_file_size(settings->output), seconds);
    if (settings->as_json)
        status = print_json(&state, status, kept, seconds);
    rlt_fill_destroy(state.fill);
    rlt_text_free(state.look);
    frames_close(&state.input);
    return status;
}

int command_fill(int argc, char **argv) {
    frames_settings s = FRAMES_SETTINGS;
    const args_option options[] = {
        FRAMES_FIRST_OPTIONS(&s,
                             "file to write: .usdc, .usda, .usd, .abc, .hair or .obj, which gets lines "
                             "(required)",
                             "frame A, frames A to B, every S-th (default: all; .hair, .obj: the first)"),
        {"points", 0, ARGS_INT, &s.hairs.points, "N",
         "points of a hair of full length (default: as the longest guide)", 0, NULL},
        FRAMES_LAST_OPTIONS(&s),
        {0},
    };
    const args_command command = {
        .name = "fill",
        .usage = "SCENE|FILE -o OUT [options]",
        .summary = "Writes the hairs that pictures show: many between the guides of a scene (which is "
                   "simulated) or of a file with curves. One object of curves with points, widths, extent "
                   "and the numbers of hair, guide and section. Hairs are made and written in blocks: a "
                   "million of them need little memory. Exit codes: 0 done, 1 failed or stopped, 2 wrong use "
                   "or bad input, 3 the simulation diverged.",
        .options = options,
        .examples = "  ringlet fill shot.usdc -o hair.usdc --hairs 100000\n"
                    "  ringlet fill curls -o hair.abc --frames 1:24 --set hair.fill.clump=0.8\n"
                    "  ringlet fill groom.abc -o groom.hair --hairs 20000 --points 64\n",
        .minimum = 1,
        .maximum = 1,
        .alone = 1,
    };
    return command_run(&command, argc, argv, NULL, fill, &s);
}
