#include "frames.h"

#include <stdio.h>
#include <string.h>

#include "console.h"
#include "interrupt.h"
#include "progress.h"
#include "run.h"

#define SHOW_SECONDS 5.0 /* a word about frames that are only simulated */

/* One whole number of "A:B:S", which may be missing. */
static int parse_part(const char **text, int *has, int *value) {
    char part[16];
    size_t length = strcspn(*text, ":");
    if (length >= sizeof part)
        return 0;
    memcpy(part, *text, length);
    part[length] = 0;
    *text += length;
    *has = length > 0;
    return length == 0 || args_integer(part, value);
}

static int parse_text(const char *text, frames_range *range) {
    int has_step = 0;
    if (!parse_part(&text, &range->has_first, &range->first))
        return 0;
    if (*text == 0) { /* one frame */
        range->last = range->first;
        range->has_last = range->has_first;
        return range->has_first;
    }
    text++;
    if (!parse_part(&text, &range->has_last, &range->last))
        return 0;
    if (*text == ':') {
        text++;
        if (!parse_part(&text, &has_step, &range->step) || *text || !has_step || range->step < 1)
            return 0;
    }
    return *text == 0;
}

rlt_status frames_parse(frames_range *range) {
    range->step = 1;
    if (!range->text || parse_text(range->text, range))
        return RLT_OK;
    console_error("--frames %s: must be A, A:B or A:B:STEP with whole numbers", range->text);
    return RLT_BAD_INPUT;
}

/* Scenes are YAML or have no ending; everything else is a file with curves. */
int frames_is_scene(const char *name) {
    const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');
    if (!dot || (slash && dot < slash))
        return 1;
    return strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0;
}

static rlt_status open_scene(frames_input *input, const frames_range *range, rlt_messages *messages) {
    rlt_status status = run_load(input->name, 0, NULL, input->overrides, messages, &input->scene);
    if (status != RLT_OK)
        return status;
    input->first = rlt_scene_first_frame(input->scene);
    /* a scene has no end of its own */
    input->last = range->has_last ? range->last : rlt_scene_last_frame(input->scene);
    input->frames_per_second = rlt_scene_frames_per_second(input->scene);
    rlt_simulation_def def = rlt_simulation_defaults();
    def.threads = input->threads;
    if (!input->quiet)
        progress_wait(input->name);
    status = rlt_simulation_create(input->scene, &def, messages, &input->simulation);
    progress_wait_end();
    return status;
}

static rlt_status open_cache(frames_input *input, rlt_messages *messages) {
    rlt_cache_facts facts = {.size = sizeof facts};
    if (input->overrides && input->overrides->count > 0) {
        console_error("--set: %s is not a scene; set its look by the command's own options", input->name);
        return RLT_BAD_INPUT;
    }
    rlt_status status = rlt_cache_open(input->name, messages, &input->cache);
    if (status != RLT_OK)
        return status;
    rlt_cache_get(input->cache, &facts);
    input->first = facts.first;
    input->last = facts.last;
    input->frames_per_second = facts.frames_per_second;
    return RLT_OK;
}

rlt_status frames_open(frames_input *input, const frames_range *range, rlt_messages *messages) {
    return frames_is_scene(input->name) ? open_scene(input, range, messages) : open_cache(input, messages);
}

const rlt_inputs *frames_inputs(const frames_input *input) {
    return input->simulation ? rlt_simulation_inputs(input->simulation) : rlt_cache_inputs(input->cache);
}

rlt_status frames_check_output(const frames_input *input, const char *output, rlt_messages *messages) {
    rlt_inputs *one = rlt_inputs_create();
    rlt_status status = RLT_OK;
    /* what is not there is no file, but may be an embedded scene */
    if (one && rlt_inputs_add(one, input->name, NULL) == RLT_OK)
        status = rlt_inputs_check(one, output, messages);
    rlt_inputs_destroy(one);
    return status;
}

rlt_status frames_choose(const frames_input *input, frames_range *range) {
    int first = input->first, last = input->last;
    range->first = range->has_first ? range->first : first;
    range->last = range->has_last ? range->last : last;
    if (range->first > range->last || range->first < first || range->last > last) {
        console_error("--frames %s: %s has frames %d to %d", range->text ? range->text : "", input->name,
                      first, last);
        return RLT_BAD_INPUT;
    }
    return RLT_OK;
}

static int is_wanted(const frames_range *range, int frame) {
    return frame >= range->first && frame <= range->last && (frame - range->first) % range->step == 0;
}

static rlt_status each_of_scene(frames_input *input, const frames_range *range, const frames_watch *watch,
                                rlt_messages *messages) {
    rlt_frame_view view = {.size = sizeof view};
    rlt_status status = RLT_OK;
    double reported = console_seconds();
    for (;;) {
        rlt_simulation_view(input->simulation, &view);
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
        if (!input->quiet && view.frame < range->first && console_seconds() - reported > SHOW_SECONDS) {
            console_line("frame %d  simulated, up to frame %d", view.frame, range->first);
            reported = console_seconds();
        }
        status = rlt_simulation_advance(input->simulation, messages);
        if (status != RLT_OK)
            return status;
    }
}

static rlt_status each_of_cache(frames_input *input, const frames_range *range, const frames_watch *watch,
                                rlt_messages *messages) {
    rlt_status status = RLT_OK;
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

rlt_status frames_each(frames_input *input, const frames_range *range, const frames_watch *watch,
                       rlt_messages *messages) {
    return input->simulation ? each_of_scene(input, range, watch, messages)
                             : each_of_cache(input, range, watch, messages);
}

void frames_close(frames_input *input) {
    rlt_cache_close(input->cache);
    rlt_simulation_destroy(input->simulation);
    rlt_scene_destroy(input->scene);
    input->cache = NULL;
    input->simulation = NULL;
    input->scene = NULL;
}

const char *const frames_blend_names[] = {"curls", "points", "wisps", "scene", NULL};

void frames_hairs_apply(const frames_hairs *hairs, rlt_fill_def *def) {
    if (hairs->count > 0)
        def->hairs = hairs->count;
    if (hairs->points > 0)
        def->points = hairs->points;
    if (hairs->blend != FRAMES_BLEND_OF_SCENE)
        def->blend = (rlt_fill_blend)hairs->blend;
}

int frames_command(const args_command *command, int argc, char **argv, const char **input,
                   args_list *overrides, rlt_status (*run)(void *settings, rlt_messages *messages),
                   void *settings) {
    args_list rest = {0};
    int exit_code = 0;
    rlt_messages *messages = rlt_messages_create();
    if (!messages) {
        console_error("out of memory");
        return RLT_FAILED;
    }
    args_result parsed = args_parse(command, argc, argv, &rest);
    if (parsed == ARGS_WRONG) {
        exit_code = RLT_BAD_INPUT;
    } else if (parsed == ARGS_RUN) {
        *input = rest.texts[0];
        exit_code = (int)run_alone(command->name);
        if (exit_code == RLT_OK)
            exit_code = (int)run(settings, messages);
    }
    rlt_messages_destroy(messages);
    args_list_free(&rest);
    args_list_free(overrides);
    return exit_code;
}
