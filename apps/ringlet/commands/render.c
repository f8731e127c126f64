/* ringlet render: pictures and movies of a scene or of a file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "console.h"
#include "frames.h"
#include "interrupt.h"
#include "picture_file.h"
#include "show.h"
#include "studio.h"

typedef struct render_settings {
    const char *input, *output, *size, *codec, *show;
    args_list overrides;
    frames_range frames;
    int width, height;
    frames_hairs hairs;
    int samples, threads, draft, no_body, no_blur, quiet, as_json;
    double azimuth, elevation, eumelanin, pheomelanin; /* not a number: as the scene says */
} render_settings;

/* State of one run. */
typedef struct render_state {
    render_settings *settings;
    rlt_messages *messages;
    frames_input input;
    studio studio;
    picture_file file;
    rlt_overlay_def overlay; /* show 0: none */
    int written;
} render_state;

/* "640x480", or "640" for a square. */
static int parse_size(const char *text, int *width, int *height) {
    char first[16];
    const char *x = strchr(text, 'x');
    size_t length = x ? (size_t)(x - text) : strlen(text);
    if (length >= sizeof first)
        return 0;
    memcpy(first, text, length);
    first[length] = 0;
    if (!args_integer(first, width))
        return 0;
    *height = *width;
    if (x && !args_integer(x + 1, height))
        return 0;
    return *width > 0 && *height > 0 && *width <= RLT_IMAGE_SIZE_MAX && *height <= RLT_IMAGE_SIZE_MAX;
}

static rlt_status check_settings(render_settings *s, unsigned *show) {
    if (!s->output) {
        console_error("no output is named; add -o OUT.png, OUT.####.png, OUT.exr or OUT.mp4");
        return RLT_BAD_INPUT;
    }
    if (s->size && !parse_size(s->size, &s->width, &s->height)) {
        console_error("--size %s: must be WIDTHxHEIGHT, 1 to %d each", s->size, RLT_IMAGE_SIZE_MAX);
        return RLT_BAD_INPUT;
    }
    if (s->show && !show_parse(s->show, show))
        return RLT_BAD_INPUT;
    if (!frames_is_scene(s->input) && !show_fits_file(*show, s->input))
        return RLT_BAD_INPUT;
    return frames_parse(&s->frames);
}

/* Several frames need a name with a place for their number. */
static rlt_status choose_frames(render_state *state) {
    render_settings *s = state->settings;
    rlt_status status = frames_choose(&state->input, &s->frames);
    if (status != RLT_OK || picture_file_takes_many(&state->file))
        return status;
    if (!s->frames.text)
        s->frames.first = s->frames.last;
    if (s->frames.last - s->frames.first >= s->frames.step) {
        console_error("-o %s: for more than one frame the name needs a run of #, as in out.####.png",
                      s->output);
        return RLT_BAD_INPUT;
    }
    return RLT_OK;
}

static void apply_options(render_state *state) {
    const render_settings *s = state->settings;
    studio *room = &state->studio;
    if (s->draft)
        studio_draft(room, 320);
    if (s->size) {
        room->def.width = s->width;
        room->def.height = s->height;
    }
    if (s->samples > 0)
        room->def.samples = s->samples;
    frames_hairs_apply(&s->hairs, &room->fill_def);
    if (isfinite(s->azimuth))
        room->def.camera.azimuth = s->azimuth;
    if (isfinite(s->elevation))
        room->def.camera.elevation = s->elevation;
    if (isfinite(s->eumelanin))
        room->def.hair.eumelanin = s->eumelanin;
    if (isfinite(s->eumelanin) || isfinite(s->pheomelanin))
        room->def.hair.dyed = room->def.look_count = 0; /* one look for all hair */
    if (isfinite(s->pheomelanin))
        room->def.hair.pheomelanin = s->pheomelanin;
    if (s->no_body)
        room->def.body = 0;
    /* diagnostics are of one moment */
    room->no_blur = s->no_blur || state->overlay.show != 0;
    state->overlay.body = room->def.body;
    if (state->input.scene)
        state->overlay.metres_per_unit = rlt_scene_metres_per_unit(state->input.scene);
}

static rlt_status build(render_state *state) {
    render_settings *s = state->settings;
    frames_input *input = &state->input;
    *input = (frames_input){
        .name = s->input, .overrides = &s->overrides, .threads = s->threads, .quiet = s->quiet};
    rlt_status status = frames_check_output(input, s->output, state->messages);
    if (status == RLT_OK)
        status = picture_file_open(&state->file, s->output, s->codec, 24.0);
    if (status == RLT_OK) /* a build that cannot render says so first */
        status = studio_open(&state->studio, s->threads, state->messages);
    if (status == RLT_OK)
        status = frames_open(input, &s->frames, state->messages);
    if (status == RLT_OK)
        status = choose_frames(state);
    if (status == RLT_OK)
        status = picture_file_check(&state->file, frames_inputs(input), s->frames.first, s->frames.last,
                                    s->frames.step, state->messages);
    if (status != RLT_OK)
        return status;
    state->file.frames_per_second = input->frames_per_second / s->frames.step;
    studio_defaults(&state->studio, input->scene, input->frames_per_second);
    apply_options(state);
    return RLT_OK;
}

static rlt_status take(const rlt_frame_view *view, const double *velocities, void *context) {
    render_state *state = context;
    const render_settings *s = state->settings;
    rlt_image *image = NULL;
    double begun = console_seconds();
    rlt_status status = studio_shot(&state->studio, view, velocities, state->messages, &image);
    if (status == RLT_OK && state->overlay.show)
        status = show_draw(image, &state->studio.def.camera, view, state->input.simulation, &state->overlay,
                           state->messages);
    if (status == RLT_OK)
        status = picture_file_add(&state->file, image, view->frame, state->messages);
    rlt_image_destroy(image);
    if (status != RLT_OK)
        return status;
    state->written++;
    if (!s->quiet)
        console_line("frame %d/%d  %.1f s  %lld hairs  %s", view->frame, s->frames.last,
                     console_seconds() - begun, state->studio.statistics.hairs, state->file.last);
    return RLT_OK;
}

static void pass(const rlt_frame_view *view, void *context) {
    render_state *state = context;
    studio_watch(&state->studio, view);
}

static rlt_status print_json(const render_state *state, rlt_status status, double seconds) {
    const rlt_render_statistics *r = &state->studio.statistics;
    const render_settings *s = state->settings;
    long long rays = r->rays_primary + r->rays_shadow + r->rays_bounce;
    json out = {0};
    json_begin_object(&out, NULL);
    json_string(&out, "status", console_status_name(status, state->input.interrupted));
    json_string(&out, "input", s->input);
    json_string(&out, "output", s->output);
    json_integer(&out, "frames", state->written);
    json_integer(&out, "width", state->studio.def.width);
    json_integer(&out, "height", state->studio.def.height);
    json_integer(&out, "samples", state->studio.def.samples);
    json_integer(&out, "hairs", r->hairs);
    json_integer(&out, "points", r->points);
    json_integer(&out, "rays", rays);
    json_number(&out, "rays_per_second", r->seconds_trace > 0.0 ? (double)rays / r->seconds_trace : 0.0);
    json_number(&out, "seconds", seconds);
    json_number(&out, "seconds_fill", r->seconds_fill);
    json_number(&out, "seconds_build", r->seconds_build);
    json_number(&out, "seconds_trace", r->seconds_trace);
    json_integer(&out, "bytes", (long long)r->bytes_most);
    return console_json_end(&out, state->messages, status);
}

static rlt_status render(void *context, rlt_messages *messages) {
    render_settings *settings = context;
    render_state state = {.settings = settings, .messages = messages};
    double begun = console_seconds();
    interrupt_catch();
    state.overlay = rlt_overlay_defaults();
    rlt_status status = check_settings(settings, &state.overlay.show);
    if (status == RLT_OK)
        status = build(&state);
    const frames_watch watch = {take, pass, &state};
    if (status == RLT_OK)
        status = frames_each(&state.input, &settings->frames, &watch, messages);
    /* what there is of a movie is kept */
    rlt_status closed = picture_file_close(&state.file, messages);
    status = status == RLT_OK ? closed : status;
    console_messages(messages, 0);
    if (state.input.interrupted)
        console_error("stopped on request");
    if (state.written > 0 && state.file.is_movie && closed == RLT_OK && !settings->quiet)
        console_line("%s: %d frames, %.1f s", settings->output, state.written, console_seconds() - begun);
    if (settings->as_json)
        status = print_json(&state, status, console_seconds() - begun);
    studio_close(&state.studio);
    frames_close(&state.input);
    return status;
}

int command_render(int argc, char **argv) {
    render_settings s = {.hairs.blend = FRAMES_BLEND_OF_SCENE,
                         .azimuth = NAN,
                         .elevation = NAN,
                         .eumelanin = NAN,
                         .pheomelanin = NAN};
    const args_option options[] = {
        {"output", 'o', ARGS_TEXT, &s.output, "OUT",
         "picture (.png, .exr), numbered pictures (a.####.png) or movie (.mp4, .mkv, .webm) to write "
         "(required)",
         0, NULL},
        {"frames", 'f', ARGS_TEXT, &s.frames.text, "A:B:S",
         "frame A, frames A to B, every S-th (default: all, or the last into a single picture)", 0, NULL},
        {"size", 0, ARGS_TEXT, &s.size, "WxH", "pixels (default 640x640; 320x320 with --draft)", 0, NULL},
        {"samples", 0, ARGS_INT, &s.samples, "N", "rays per pixel (default 64; 8 with --draft)", 0, NULL},
        {"draft", 0, ARGS_FLAG, &s.draft, NULL, "small, few samples, few bounces: to judge motion", 0, NULL},
        {"hairs", 0, ARGS_INT, &s.hairs.count, "N", "hairs in all (default: hair.fill of the scene)", 0,
         NULL},
        {"blend", 0, ARGS_CHOICE, &s.hairs.blend, "HOW",
         "how hairs between guides are made: curls, points or wisps", 0, frames_blend_names},
        {"azimuth", 0, ARGS_NUMBER, &s.azimuth, "DEGREES",
         "direction of the camera: 0 = front, 90 = the character's left", -360, NULL},
        {"elevation", 0, ARGS_NUMBER, &s.elevation, "DEGREES", "height of the camera above the horizon", -90,
         NULL},
        {"eumelanin", 0, ARGS_NUMBER, &s.eumelanin, "X", "brown-black pigment: 0.1 blond, 1.3 brown, 4 black",
         0, NULL},
        {"pheomelanin", 0, ARGS_NUMBER, &s.pheomelanin, "X", "red-yellow pigment: 1.3 red", 0, NULL},
        {"no-body", 0, ARGS_FLAG, &s.no_body, NULL, "do not show the body", 0, NULL},
        {"no-motion-blur", 0, ARGS_FLAG, &s.no_blur, NULL, "do not blur what moves", 0, NULL},
        {"show", 0, ARGS_TEXT, &s.show, "LIST",
         "diagnostics over the picture: guides, smoothed, core, frames, targets, contacts, pruned, and one "
         "of stretch, penetration, speed, holds",
         0, NULL},
        {"codec", 0, ARGS_TEXT, &s.codec, "NAME",
         "of a movie: h264, vp9, ... (default: by the name's ending)", 0, NULL},
        ARGS_THREADS(&s.threads),
        ARGS_SET(&s.overrides),
        ARGS_QUIET(&s.quiet),
        ARGS_JSON(&s.as_json),
        {0},
    };
    const args_command command = {
        "render",
        "SCENE|FILE -o OUT [options]",
        "Makes pictures or a movie. A scene (file or embedded) is simulated, and its frames are rendered as "
        "they\n"
        "come; a file with curves (USD, Alembic, .hair, .tfx; by Ringlet or by others) is rendered as it "
        "is.\n"
        "Between the curves as many hairs are made as asked for. Exit codes: 0 done, 1 failed or stopped, 2 "
        "wrong\n"
        "use or bad input, 3 the simulation diverged.",
        options,
        "  ringlet render redhead -o redhead.png --frames 24 --hairs 30000\n"
        "  ringlet render shot.usda -o shot.mp4 --draft\n"
        "  ringlet render coil -o why.png --frames 12 --show guides,frames,targets --set hair.count=20\n"
        "  ringlet render shot.abc -o shot.####.exr --frames 1:48:2 --size 1280x720 --samples 256\n",
        1,
        1,
    };
    return frames_command(&command, argc, argv, &s.input, &s.overrides, render, &s);
}
