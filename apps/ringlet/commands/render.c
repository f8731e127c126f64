/* ringlet render: pictures and movies of a scene or of a file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "frames.h"
#include "interrupt.h"
#include "picture_file.h"
#include "shot.h"
#include "show.h"
#include "studio.h"

typedef struct render_settings {
    frames_settings common;
    const char *size, *codec, *show;
    int width, height;
    int samples, draft, preview, final, every, no_body, no_blur;
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
    if (s->size && !parse_size(s->size, &s->width, &s->height))
        return console_fail(RLT_BAD_INPUT, "--size %s: must be WIDTHxHEIGHT, 1 to %d each", s->size,
                            RLT_IMAGE_SIZE_MAX);
    if (s->show && !show_parse(s->show, show))
        return RLT_BAD_INPUT;
    if (!frames_is_scene(s->common.input) && !show_fits_file(*show, s->common.input))
        return RLT_BAD_INPUT;
    return RLT_OK;
}

static void apply_options(render_state *state) {
    const render_settings *s = state->settings;
    studio *own = &state->studio;
    if (s->draft)
        studio_draft(own, 320);
    if (state->file.sheet)
        own->def.width = own->def.height = 320;
    if (s->size) {
        own->def.width = s->width;
        own->def.height = s->height;
    }
    if (own->def.exact && !s->draft)
        own->def.samples = 64; /* each finds its own light */
    if (s->samples > 0)
        own->def.samples = s->samples;
    own->fill_count =
        frames_hairs_apply(&s->common.hairs, frames_look(&state->input), &own->fill_def, own->fills);
    if (isfinite(s->azimuth))
        own->def.camera.azimuth = s->azimuth;
    if (isfinite(s->elevation))
        own->def.camera.elevation = s->elevation;
    if (isfinite(s->eumelanin))
        own->def.hair.eumelanin = s->eumelanin;
    if (isfinite(s->eumelanin) || isfinite(s->pheomelanin))
        own->def.hair.dyed = own->def.look_count = 0; /* one look for all hair */
    if (isfinite(s->pheomelanin))
        own->def.hair.pheomelanin = s->pheomelanin;
    if (s->no_body)
        own->def.body = 0;
    /* diagnostics are of one moment */
    own->no_blur = s->no_blur || state->overlay.show != 0;
    state->overlay.body = own->def.body;
    if (state->input.scene)
        state->overlay.metres_per_unit = rlt_scene_metres_per_unit(state->input.scene);
}

/* Movies and sheets are for judging motion: rasterised, unless options say how to trace. */
static rlt_status choose_kind(render_state *state) {
    render_settings *s = state->settings;
    picture_file *file = &state->file;
    if (s->preview && (s->final || s->draft || s->samples > 0))
        return console_fail(RLT_BAD_INPUT,
                            "--preview: is rasterised; leave --final, --draft and --samples out");
    if (s->every > 0) {
        file->sheet = !picture_file_takes_many(file);
        s->common.frames.step = s->every;
    }
    if (file->sheet && file->is_exr)
        return console_fail(RLT_BAD_INPUT, "-o %s: a sheet of pictures is a .png", s->common.output);
    state->studio.preview = s->preview || (!s->final && !s->draft && s->samples <= 0 &&
                                           (file->is_movie || file->sheet || !rlt_render_available()));
    state->studio.still = file->sheet || !picture_file_takes_many(file);
    return RLT_OK;
}

static rlt_status build(render_state *state) {
    render_settings *s = state->settings;
    frames_input *input = &state->input;
    const args_frames *range = &s->common.frames;
    rlt_status status =
        frames_check(&s->common, "OUT.png, OUT.####.png, OUT.exr or OUT.mp4", state->messages);
    if (status == RLT_OK)
        status = check_settings(s, &state->overlay.show);
    if (status == RLT_OK)
        status = picture_file_open(&state->file, s->common.output, s->codec, 24.0);
    if (status == RLT_OK) /* before minutes go into it */
        status = picture_file_check_name(&state->file, s->common.force);
    if (status == RLT_OK)
        status = choose_kind(state);
    if (status == RLT_OK) /* a build that cannot render says so first */
        status = studio_open(&state->studio, s->common.threads, state->messages);
    if (status == RLT_OK)
        status = frames_open(input, state->messages);
    if (status == RLT_OK && input->simulation)
        status = rlt_simulation_check_show(input->simulation, state->overlay.show, state->messages);
    if (status == RLT_OK)
        status = frames_choose(input,
                               picture_file_takes_many(&state->file) ? FRAMES_ALL
                               : frames_is_scene(s->common.input)    ? FRAMES_FIRST
                                                                     : FRAMES_LAST,
                               "for more than one frame the name needs a run of #, as in out.####.png");
    if (status == RLT_OK && state->file.sheet)
        state->file.sheet = (range->last - range->first) / range->step + 1;
    if (status == RLT_OK)
        status = picture_file_check(&state->file, frames_inputs(input), range->first, range->last,
                                    range->step, s->common.force, state->messages);
    if (status != RLT_OK)
        return status;
    state->file.frames_per_second = input->frames_per_second / range->step;
    studio_defaults(&state->studio, frames_look(input), input->frames_per_second);
    apply_options(state);
    int found = state->studio.def.camera.automatic;
    status = shot_camera(&state->studio, input, state->messages);
    const rlt_render_camera *camera = &state->studio.def.camera;
    if (status == RLT_OK && found && !s->common.quiet)
        console_line("camera: --set render.eye=[%.2f,%.2f,%.2f] --set render.target=[%.2f,%.2f,%.2f]",
                     camera->eye[0], camera->eye[1], camera->eye[2], camera->target[0], camera->target[1],
                     camera->target[2]);
    return status;
}

/* Previews and drafts draw fewer, wider hairs than the fill makes: said with the first picture. */
static void say_fewer(const render_state *state) {
    const studio *own = &state->studio;
    long long all = own->fill ? rlt_fill_hairs(own->fill) : 0, drawn = own->statistics.hairs;
    if (state->written == 0 && (own->preview || own->def.draft) && drawn < all)
        console_line("%s: %lld of %lld hairs stand for all; %s them all", own->preview ? "preview" : "draft",
                     drawn, all, own->preview ? "traced pictures show" : "a picture without --draft shows");
}

static rlt_status take(const rlt_frame_view *view, const double *velocities, void *context) {
    render_state *state = context;
    const frames_settings *s = &state->settings->common;
    rlt_image *image = NULL;
    double begun = console_seconds();
    char left[32];
    rlt_status status = studio_shot(&state->studio, view, velocities, state->messages, &image);
    if (status == RLT_OK && state->overlay.show)
        status = show_draw(image, &state->studio.def.camera, view, state->input.simulation, &state->overlay,
                           state->messages);
    if (status == RLT_OK)
        status = picture_file_add(&state->file, image, view->frame, state->messages);
    rlt_image_destroy(image);
    if (status != RLT_OK)
        return status;
    if (!s->quiet)
        say_fewer(state);
    state->written++;
    if (!s->quiet)
        console_line("frame %d/%d  %.1f s  %lld hairs%s  %s", view->frame, s->frames.last,
                     console_seconds() - begun, state->studio.statistics.hairs,
                     frames_left(&state->input, view->frame, left, sizeof left), state->file.last);
    return RLT_OK;
}

static void pass(const rlt_frame_view *view, void *context) {
    render_state *state = context;
    studio_watch(&state->studio, view);
}

static rlt_status print_json(const render_state *state, rlt_status status, double seconds) {
    const rlt_render_statistics *r = &state->studio.statistics;
    long long rays = r->rays_primary + r->rays_shadow + r->rays_bounce;
    json out = {0};
    frames_json(&out, &state->input, status, state->written);
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

static rlt_status render(void *context, const args_list *rest, rlt_messages *messages) {
    render_settings *settings = context;
    frames_settings *common = &settings->common;
    render_state state = {.settings = settings, .messages = messages, .input.settings = common};
    const frames_watch watch = {take, pass, &state};
    double begun = console_seconds();
    common->input = rest->texts[0];
    interrupt_catch();
    state.overlay = rlt_overlay_defaults();
    rlt_status status = build(&state);
    if (status == RLT_OK)
        status = frames_each(&state.input, &watch, messages);
    /* what there is of a movie is kept */
    rlt_status closed = picture_file_close(&state.file, messages);
    status = status == RLT_OK ? closed : status;
    frames_report(&state.input, messages);
    if (state.written > 0 && state.file.is_movie && closed == RLT_OK && !common->quiet)
        console_line("%s: %d frames, %.1f s", common->output, state.written, console_seconds() - begun);
    if (common->as_json)
        status = print_json(&state, status, console_seconds() - begun);
    studio_close(&state.studio);
    frames_close(&state.input);
    return status;
}

int command_render(int argc, char **argv) {
    render_settings s = {
        .common = FRAMES_SETTINGS, .azimuth = NAN, .elevation = NAN, .eumelanin = NAN, .pheomelanin = NAN};
    const args_option options[] = {
        FRAMES_FIRST_OPTIONS(
            &s.common,
            "picture (.png, .exr), numbered pictures (a.####.png) or movie (.mp4, .mkv, .webm) to write "
            "(required)",
            "frame A, frames A to B, every S-th (default: all; in a single picture the first of a scene, the "
            "last of a file)"),
        {"size", 0, ARGS_TEXT, &s.size, "WxH", "pixels (default 640x640; 320x320 with --draft)", 0, NULL},
        {"samples", 0, ARGS_INT, &s.samples, "N", "rays per pixel (default 12; 8 with --draft)", 0, NULL},
        {"draft", 0, ARGS_FLAG, &s.draft, NULL, "small, few samples, few bounces: to judge motion", 0, NULL},
        {"preview", 0, ARGS_FLAG, &s.preview, NULL,
         "rasterised: a lit picture in a fraction of a second (the default for movies)", 0, NULL},
        {"final", 0, ARGS_FLAG, &s.final, NULL, "traced: for movies, which are previews else", 0, NULL},
        {"every", 0, ARGS_INT, &s.every, "N",
         "every N-th frame; into a single .png side by side, as a sheet of pictures", 1, NULL},
        {"azimuth", 0, ARGS_NUMBER, &s.azimuth, "DEGREES",
         "direction of the camera: 0 = front, 90 = the character's left", -360, NULL},
        {"elevation", 0, ARGS_NUMBER, &s.elevation, "DEGREES", "height of the camera above the horizon", -90,
         NULL},
        {"eumelanin", 0, ARGS_NUMBER, &s.eumelanin, "X", "brown-black pigment: 0.1 blond, 1.3 brown, 4 black",
         0, NULL},
        {"pheomelanin", 0, ARGS_NUMBER, &s.pheomelanin, "X", "red-yellow pigment: 1.3 red", 0, NULL},
        {"look", 0, ARGS_TEXT, &s.common.look, "SCENE",
         "of a file: hair and light as in this scene (default: as the file says)", 0, NULL},
        {"no-body", 0, ARGS_FLAG, &s.no_body, NULL, "do not show the body", 0, NULL},
        {"no-motion-blur", 0, ARGS_FLAG, &s.no_blur, NULL, "do not blur what moves", 0, NULL},
        {"show", 0, ARGS_TEXT, &s.show, "LIST",
         "diagnostics over the picture: guides, smoothed, core, frames, targets, contacts, pruned, and one "
         "of stretch, penetration, speed, holds, twist, curvature, residual, forces",
         0, NULL},
        {"codec", 0, ARGS_TEXT, &s.codec, "NAME",
         "of a movie: h264, vp9, ... (default: by the name's ending)", 0, NULL},
        FRAMES_LAST_OPTIONS(&s.common),
        {0},
    };
    const args_command command = {
        .name = "render",
        .usage = "SCENE|FILE -o OUT [options]",
        .summary =
            "Makes pictures or a movie. A scene (file or embedded) is simulated, and its frames are rendered "
            "as they come; a file with curves (USD, Alembic, .hair, .tfx; by Ringlet or by others) is "
            "rendered as it is. Between the curves as many hairs are made as asked for. Movies and sheets "
            "are "
            "previews (rasterised, several frames a second) unless --final, --samples or --draft is given; "
            "stills are traced unless --preview is. In previews and drafts fewer, wider hairs stand for all. "
            "Exit codes: 0 done, "
            "1 failed or stopped, 2 wrong use or bad input, 3 the simulation diverged.",
        .options = options,
        .examples =
            "  ringlet render curls -o curls.png --frames 24 --hairs 30000\n"
            "  ringlet render shot.usda -o shot.mp4\n"
            "  ringlet render shot.usda -o sheet.png --every 8\n"
            "  ringlet render coil -o why.png --frames 12 --show guides,frames,targets --set hair.count=20\n"
            "  ringlet render shot.abc -o shot.####.exr --frames 1:48:2 --size 1280x720 --samples 256\n",
        .minimum = 1,
        .maximum = 1,
        .alone = 1,
    };
    return command_run(&command, argc, argv, NULL, render, &s);
}
