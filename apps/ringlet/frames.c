#include "frames.h"

#include <stdio.h>
#include <string.h>

#include "console.h"
#include "studio.h"
#include "interrupt.h"
#include "progress.h"
#include "run.h"

#define SHOW_SECONDS 5.0 /* a word about frames that are only simulated */

/* Scenes are YAML or have no ending; everything else is a file with curves. */
int frames_is_scene(const char *name) {
    const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');
    if (!dot || (slash && dot < slash))
        return 1;
    return strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0;
}

static rlt_status open_scene(frames_input *input, rlt_messages *messages) {
    const frames_settings *s = input->settings;
    rlt_status status = run_load(s->input, 0, NULL, &s->overrides, messages, &input->scene);
    if (status != RLT_OK)
        return status;
    input->first = rlt_scene_first_frame(input->scene);
    /* a scene has no end of its own */
    input->last = s->frames.has_last ? s->frames.last : rlt_scene_last_frame(input->scene);
    input->frames_per_second = rlt_scene_frames_per_second(input->scene);
    if (!s->quiet)
        run_say_beyond(&s->frames, rlt_scene_last_frame(input->scene));
    rlt_simulation_def def = rlt_simulation_defaults();
    def.threads = s->threads;
    if (!s->quiet)
        progress_wait(s->input);
    status = rlt_simulation_create(input->scene, &def, messages, &input->simulation);
    progress_wait_end();
    return status;
}

static int is_of_pictures(const char *override) {
    static const char *const groups[] = {"hair.fill.", "hair.look.", "render."};
    for (int i = 0; i < 3; i++)
        if (strncmp(override, groups[i], strlen(groups[i])) == 0)
            return 1;
    return 0;
}

/* The look of a file: that of the scene asked for, or what it says itself, with what --set changes. */
static rlt_status open_look(frames_input *input, rlt_messages *messages) {
    const frames_settings *s = input->settings;
    static const char plain[] = "{character: {kind: none}, hair: {region: none, count: 1}}";
    const char *own = rlt_cache_look(input->cache);
    if (s->look)
        return run_load(s->look, 0, NULL, &s->overrides, messages, &input->look);
    if (!own && s->overrides.count == 0)
        return RLT_OK;
    const char *text = own ? own : plain;
    rlt_status status = rlt_scene_load_text(s->input, text, strlen(text), s->overrides.texts,
                                            s->overrides.count, messages, &input->look);
    rlt_scene *alone = NULL; /* what --set says may be what is wrong */
    if (status != RLT_OK && own &&
        rlt_scene_load_text(s->input, own, strlen(own), NULL, 0, NULL, &alone) != RLT_OK)
        console_line("note: the look in %s is not understood; --look SCENE gives it another", s->input);
    rlt_scene_destroy(alone);
    return status;
}

static rlt_status open_cache(frames_input *input, rlt_messages *messages) {
    const frames_settings *s = input->settings;
    rlt_cache_facts facts = {.size = sizeof facts};
    for (int i = 0; i < s->overrides.count; i++)
        if (!is_of_pictures(s->overrides.texts[i]))
            return console_fail(RLT_BAD_INPUT,
                                "--set %s: %s is not a scene but a file with curves, which has hair.fill.*, "
                                "hair.look.* and render.* only",
                                s->overrides.texts[i], s->input);
    rlt_status status = rlt_cache_open(s->input, messages, &input->cache);
    if (status == RLT_OK)
        status = open_look(input, messages);
    if (status != RLT_OK)
        return status;
    rlt_cache_get(input->cache, &facts);
    input->first = facts.first;
    input->last = facts.last;
    input->frames_per_second = facts.frames_per_second;
    return RLT_OK;
}

rlt_status frames_open(frames_input *input, rlt_messages *messages) {
    return frames_is_scene(input->settings->input) ? open_scene(input, messages)
                                                   : open_cache(input, messages);
}

const rlt_inputs *frames_inputs(const frames_input *input) {
    return input->simulation ? rlt_simulation_inputs(input->simulation) : rlt_cache_inputs(input->cache);
}

int frames_links(const frames_input *input) {
    rlt_cache_facts facts = {.size = sizeof facts};
    rlt_frame_view view = {.size = sizeof view};
    int links = 0;
    if (!input->simulation)
        return rlt_cache_get(input->cache, &facts) == RLT_OK ? facts.links : 0;
    if (rlt_simulation_view(input->simulation, &view) == RLT_OK)
        for (int i = 0; i < view.source_count; i++)
            links += view.sources[i]->first_of_prim == i ? view.sources[i]->links : 0;
    return links;
}

rlt_status frames_check(const frames_settings *settings, const char *names, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    if (!settings->output)
        return console_fail(RLT_BAD_INPUT, "no output is named; add -o %s", names);
    rlt_inputs *one = rlt_inputs_create();
    /* what is not there is no file, but may be an embedded scene */
    if (one && rlt_inputs_add(one, settings->input, NULL) == RLT_OK)
        status = rlt_inputs_check(one, settings->output, messages);
    rlt_inputs_destroy(one);
    return status;
}

rlt_status frames_choose(frames_input *input, frames_capacity capacity, const char *why) {
    int first = input->first, last = input->last;
    const char *name = input->settings->input;
    args_frames *range = &input->settings->frames;
    range->first = range->has_first ? range->first : first;
    range->last = range->has_last ? range->last : last;
    range->step = range->step > 0 ? range->step : 1;
    if (input->scene && range->first < first) /* its last frame may be one that was asked for */
        return console_fail(
            RLT_BAD_INPUT,
            "--frames %s: %s begins with frame %d (time.first); ask for that one or later ones",
            range->text ? range->text : "", name, first);
    if (range->first > range->last || range->first < first || range->last > last)
        return console_fail(RLT_BAD_INPUT, "--frames %s: %s has frames %d to %d",
                            range->text ? range->text : "", name, first, last);
    if (!range->text && capacity == FRAMES_FIRST)
        range->last = range->first;
    if (!range->text && capacity == FRAMES_LAST)
        range->first = range->last;
    if (capacity != FRAMES_ALL && range->last - range->first >= range->step)
        return console_fail(RLT_BAD_INPUT, "-o %s: %s", input->settings->output, why);
    return RLT_OK;
}

const char *frames_left(const frames_input *input, int frame, char *text, size_t size) {
    int done = frame - input->begun_frame + 1, left = input->settings->frames.last - frame;
    char clock[24];
    text[0] = 0;
    if (left > 0 && done > 0) {
        progress_clock(clock, sizeof clock, (console_seconds() - input->begun) / done * left);
        snprintf(text, size, "  left %s", clock);
    }
    return text;
}

static int is_wanted(const args_frames *range, int frame) {
    return frame >= range->first && frame <= range->last && (frame - range->first) % range->step == 0;
}

static rlt_status each_of_scene(frames_input *input, const frames_watch *watch, rlt_messages *messages) {
    const args_frames *range = &input->settings->frames;
    rlt_frame_view view = {.size = sizeof view};
    rlt_status status = RLT_OK;
    double reported = console_seconds();
    rlt_simulation_view(input->simulation, &view);
    input->begun_frame = view.frame;
    for (;;) {
        rlt_simulation_view(input->simulation, &view);
        if (view.frame == range->first) { /* from here on frames take longer */
            input->begun = console_seconds();
            input->begun_frame = view.frame;
        }
        if (watch->take && is_wanted(range, view.frame))
            status = watch->take(&view, NULL, watch->context);
        if (watch->pass)
            watch->pass(&view, watch->context);
        if (status != RLT_OK || view.frame >= range->last)
            return status;
        if (interrupt_asked()) {
            input->interrupted = 1;
            return RLT_FAILED;
        }
        if (!input->settings->quiet && view.frame < range->first &&
            console_seconds() - reported > SHOW_SECONDS) {
            char left[32];
            console_line("frame %d  simulated, up to frame %d%s", view.frame, range->first,
                         frames_left(input, view.frame, left, sizeof left));
            reported = console_seconds();
        }
        status = rlt_simulation_advance(input->simulation, messages);
        if (status != RLT_OK)
            return status;
    }
}

static rlt_status each_of_cache(frames_input *input, const frames_watch *watch, rlt_messages *messages) {
    const args_frames *range = &input->settings->frames;
    rlt_status status = RLT_OK;
    input->begun_frame = range->first;
    for (int frame = range->first; frame <= range->last && status == RLT_OK; frame += range->step) {
        rlt_frame_view view = {.size = sizeof view};
        if (interrupt_asked()) {
            input->interrupted = 1;
            return RLT_FAILED;
        }
        status = rlt_cache_view(input->cache, frame, messages, &view);
        if (status == RLT_OK && watch->take)
            status = watch->take(&view, rlt_cache_vertex_velocities(input->cache), watch->context);
    }
    return status;
}

rlt_status frames_each(frames_input *input, const frames_watch *watch, rlt_messages *messages) {
    input->begun = console_seconds();
    return input->simulation ? each_of_scene(input, watch, messages) : each_of_cache(input, watch, messages);
}

void frames_close(frames_input *input) {
    rlt_cache_close(input->cache);
    rlt_simulation_destroy(input->simulation);
    rlt_scene_destroy(input->scene);
    rlt_scene_destroy(input->look);
    input->look = NULL;
    input->cache = NULL;
    input->simulation = NULL;
    input->scene = NULL;
}

const char *const frames_blend_names[] = {"curls", "points", "wisps", "locks", "scene", NULL};

const rlt_scene *frames_look(const frames_input *input) {
    return input->scene ? input->scene : input->look;
}

static void apply_hairs(const frames_hairs *hairs, rlt_fill_def *def) {
    if (hairs->points > 0)
        def->points = hairs->points;
    if (hairs->blend != FRAMES_BLEND_OF_SCENE)
        def->blend = (rlt_fill_blend)hairs->blend;
}

int frames_hairs_apply(const frames_hairs *hairs, const rlt_scene *scene, rlt_fill_def *def,
                       rlt_fill_def sections[RLT_RENDER_LOOKS_MAX]) {
    int count = scene ? studio_fills(scene, sections) : 0;
    *def = rlt_fill_defaults();
    if (scene)
        rlt_scene_fill(scene, def);
    if (hairs->count > 0)
        def->hairs = hairs->count;
    apply_hairs(hairs, def);
    for (int i = 0; i < count; i++)
        apply_hairs(hairs, &sections[i]);
    if (count > 0)
        def->points = hairs->points > 0 ? hairs->points : 0;
    return count;
}

void frames_report(const frames_input *input, const rlt_messages *messages) {
    console_messages(messages, 0);
    if (input->interrupted)
        console_error("stopped on request");
}

void frames_json(json *out, const frames_input *input, rlt_status status, int written) {
    json_begin_object(out, NULL);
    json_string(out, "status", console_status_name(status, input->interrupted));
    json_string(out, "input", input->settings->input);
    json_string(out, "output", input->settings->output);
    json_integer(out, "frames", written);
}
