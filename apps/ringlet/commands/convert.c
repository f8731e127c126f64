/* ringlet convert: one scene file into another format. */
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "commands.h"
#include "console.h"
#include "interrupt.h"
#include "outfile.h"

#define SHOW_SECONDS 1.0 /* shorter conversions show no progress */

typedef struct watch {
    int quiet, terminal, shown;
    double begun, last;
} watch;

/* A line now and then; not 0 stops. */
static int watch_progress(double share, void *context) {
    watch *w = context;
    double now = console_seconds();
    double pause = w->terminal ? 0.2 : 5.0;
    if (interrupt_asked())
        return 1;
    if (w->quiet || now - w->begun < SHOW_SECONDS || now - w->last < pause)
        return 0;
    w->last = now;
    w->shown = 1;
    fprintf(stderr, w->terminal ? "\r%3.0f%%" : "%.0f%%\n", 100.0 * share);
    fflush(stderr);
    return 0;
}

typedef struct convert_settings {
    rlt_convert_def def;
    args_frames frames;
    int up, unreal, quiet, as_json, force;
    args_list variants;
} convert_settings;

static const char *const axis_names[] = {"file", "Y", "Z", NULL};

static rlt_status convert(void *context, const args_list *rest, rlt_messages *messages) {
    const convert_settings *s = context;
    const char *from = rest->texts[0], *to = rest->texts[1];
    rlt_convert_def def = s->def;
    rlt_convert_result result = {.size = sizeof result};
    watch w = {.quiet = s->quiet, .terminal = isatty(STDERR_FILENO), .begun = console_seconds()};
    w.last = w.begun;
    interrupt_catch();
    def.has_first = s->frames.has_first;
    def.has_last = s->frames.has_last;
    def.first = s->frames.first;
    def.last = s->frames.last;
    def.up_axis = (char)(s->up > 0 ? axis_names[s->up][0] : 0);
    def.unreal = (rlt_unreal)s->unreal;
    char variants[ARGS_VARIANTS];
    if (!args_join_variants(&s->variants, variants))
        return RLT_BAD_INPUT;
    def.variants = variants;
    if (outfile_check_new(to, s->force) != RLT_OK)
        return RLT_BAD_INPUT;
    def.progress = watch_progress;
    def.context = &w;
    rlt_status status = rlt_convert(from, to, &def, messages, &result);
    double seconds = console_seconds() - w.begun;
    if (w.shown && w.terminal)
        fputc('\n', stderr);
    console_messages(messages, 0);
    if (status == RLT_OK && !s->quiet)
        console_line("%s: %d prims, %d attributes, %lld values, %.1f MB, %.1f s", to, result.prims,
                     result.attributes, result.samples, 1e-6 * (double)console_file_size(to), seconds);
    if (s->as_json) {
        json out = {0};
        json_begin_object(&out, NULL);
        json_string(&out, "status", status == RLT_OK ? "done" : interrupt_asked() ? "interrupted" : "failed");
        json_string(&out, "from", from);
        json_string(&out, "to", to);
        json_integer(&out, "prims", result.prims);
        json_integer(&out, "attributes", result.attributes);
        json_integer(&out, "values", result.samples);
        json_integer(&out, "bytes", status == RLT_OK ? console_file_size(to) : 0);
        json_number(&out, "seconds", seconds);
        status = console_json_end(&out, messages, status);
    }
    return status;
}

int command_convert(int argc, char **argv) {
    static const char *const unreal[] = {"none", "cache", "groom", NULL};
    convert_settings s = {.def = rlt_convert_defaults(), .frames.takes_one = 1};
    const args_option options[] = {
        {"frames", 'f', ARGS_FRAMES, &s.frames, "A:B", "frame A or frames A to B (default: all)", 0, NULL},
        {"static", 0, ARGS_FLAG, &s.def.is_still, NULL, "write one frame, without a time: the first of these",
         0, NULL},
        {"prim", 'p', ARGS_TEXT, &s.def.prims, "PATTERN",
         "only these prims and what is below them; * is any characters, ? any one", 0, NULL},
        ARGS_VARIANT(&s.variants),
        {"metres-per-unit", 0, ARGS_POSITIVE, &s.def.metres_per_unit, "N",
         "length of a unit of the input in metres, where it states none (.abc .hair .tfx .obj)", 0, NULL},
        {"up", 0, ARGS_CHOICE, &s.up, "AXIS", "axis of the input that is up, where it states none: Y or Z", 0,
         axis_names},
        {"keep-axis", 0, ARGS_FLAG, &s.def.keep_axis, NULL,
         "to Alembic: Z stays up; by default it becomes Y, which its readers expect", 0, NULL},
        {"fps", 0, ARGS_POSITIVE, &s.def.frames_per_second, "N",
         "frames per second, where the input states none", 0, NULL},
        {"unreal", 0, ARGS_MAYBE, &s.unreal, "[KIND]",
         "add Unreal's groom_* attributes: cache (all frames, default) or groom (the first)", 0, unreal},
        {"no-velocities", 0, ARGS_FLAG, &s.def.no_velocities, NULL, "leave velocities out", 0, NULL},
        ARGS_FORCE(&s.force),
        ARGS_QUIET(&s.quiet),
        {"json", 0, ARGS_FLAG, &s.as_json, NULL, "print one JSON object about it on standard output", 0,
         NULL},
        {0},
    };
    const args_command command = {
        .name = "convert",
        .usage = "IN OUT [options]",
        .summary =
            "Writes a file of hair and meshes in another format: reads .usda .usdc .usdz .abc .hair .tfx "
            ".obj (by content), writes .usda .usdc .usd .abc .hair .obj (by name). No number is changed; "
            "what the target cannot hold is left out with a warning, and Alembic of a Z-up file is turned to "
            "Y up. Exit codes: 0 done, 1 failed or stopped, 2 wrong use or bad input.",
        .options = options,
        .examples = "  ringlet convert groom.abc groom.usda --metres-per-unit 0.01\n"
                    "  ringlet convert cache.usdc frame.hair --frames 12\n"
                    "  ringlet convert groom.usda groom.abc --unreal groom\n",
        .minimum = 2,
        .maximum = 2,
        .alone = 1,
    };
    return command_run(&command, argc, argv, NULL, convert, &s);
}
