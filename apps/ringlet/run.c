#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console.h"
#include "interrupt.h"
#include "outfile.h"
#include "progress.h"

const char *const run_simd_names[] = {"auto", "portable", "avx2", "avx512", "reference", NULL};

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

void run_free_texts(run_settings *settings) {
    for (int i = 0; i < settings->owned.count; i++) {
        char *text;
        memcpy(&text, &settings->owned.texts[i], sizeof text); /* it was made by malloc, and is ours */
        free(text);
    }
    args_list_free(&settings->owned);
}

int run_schema_row(const char *key) {
    rlt_schema_entry row = {.size = sizeof row};
    for (int i = 0; rlt_schema_get(i, &row); i++)
        if (strcmp(row.key, key) == 0)
            return i;
    return -1;
}

void run_say_beyond(const args_frames *frames, int scene_last) {
    if (frames->has_last && frames->last > scene_last)
        console_line("note: --frames %s: the scene ends with frame %d (time.last); the run continues to %d",
                     frames->text ? frames->text : "", scene_last, frames->last);
}

/* State of one run. */
typedef struct run_state {
    const run_settings *settings;
    rlt_messages *messages;
    run_result *result;
    rlt_scene *scene;
    rlt_simulation *simulation;
    rlt_writer *writer;
    keeper keeper;
    double *physics; /* rlt_simulation_physics, or NULL */
    char *look;      /* rlt_scene_look_text */
    double colours[RLT_RENDER_LOOKS_MAX][3];
    int colour_count;
    rlt_lock *lock; /* on the output, its parts and its checkpoint; rank 0 has it for all */
} run_state;

/* Rank 0 writes all files and decides what depends on them or on the clock; the others compute. */
static int leads(const run_state *run) {
    return rlt_ranks_rank(run->settings->ranks) == 0;
}

/* 1 where any rank says so, on all ranks. Collective. */
static int any_rank(const run_state *run, int yes) {
    return rlt_ranks_agree(run->settings->ranks, yes ? RLT_FAILED : RLT_OK, NULL) != RLT_OK;
}

/* The first failure of any rank, known to all. Collective. */
static rlt_status agree(const run_state *run, rlt_status status) {
    return rlt_ranks_agree(run->settings->ranks, status, run->messages);
}

/* The first frame that is written. */
static int first_written(const run_state *run) {
    const args_frames *frames = &run->settings->frames;
    int first = rlt_scene_first_frame(run->scene);
    return frames->has_first && frames->first > first ? frames->first : first;
}

/* And the last; a groom has one frame. */
static int last_written(const run_state *run) {
    return run->settings->unreal == RLT_UNREAL_GROOM ? first_written(run) : rlt_scene_last_frame(run->scene);
}

/* Fills in what --physics writes. */
static rlt_status measure_physics(run_state *run) {
    rlt_frame_view view = {.size = sizeof view};
    rlt_simulation_view(run->simulation, &view);
    run->physics = calloc((size_t)view.point_count + 1, RLT_PHYSICS_COUNT * sizeof(double));
    if (run->physics == NULL)
        return console_fail(RLT_FAILED, "out of memory");
    return rlt_simulation_physics(run->simulation, run->messages, run->physics);
}

/* 1 where all hair is from files, which say themselves how it looks. */
static int is_of_files(const run_state *run) {
    rlt_frame_view view = {.size = sizeof view};
    int strands = 0;
    rlt_simulation_view(run->simulation, &view);
    for (int i = 0; i < view.source_count; i++)
        strands += view.sources[i]->strand_count;
    return view.source_count > 0 && strands == view.strand_count;
}

/* Fills in what the file says about pictures of it. */
static rlt_status find_look(run_state *run) {
    rlt_render_def def = rlt_render_defaults();
    if (is_of_files(run))
        return RLT_OK;
    rlt_scene_look(run->scene, &def);
    for (int i = 0; i < def.look_count; i++)
        rlt_render_hair_colour(&def.looks[i], run->colours[i]);
    run->colour_count = def.look_count;
    run->look = rlt_scene_look_text(run->scene);
    return run->look ? RLT_OK : console_fail(RLT_FAILED, "out of memory");
}

static rlt_writer_def writer_def(const run_state *run) {
    rlt_writer_def def = {.size = sizeof def};
    def.frames_per_second = rlt_scene_frames_per_second(run->scene);
    def.metres_per_unit = rlt_scene_metres_per_unit(run->scene);
    def.title = rlt_scene_title(run->scene);
    def.mode = (rlt_writer_mode)run->settings->mode;
    def.no_velocities = run->settings->no_velocities;
    def.keep_axis = run->settings->keep_axis;
    def.unreal = (rlt_unreal)run->settings->unreal;
    def.fingerprint = rlt_simulation_fingerprint(run->simulation);
    def.lock = run->lock;
    def.physics = run->physics;
    def.look = run->look;
    def.colours = run->colour_count > 0 ? run->colours[0] : NULL;
    def.colour_count = run->colour_count;
    return def;
}

/* Removes what a killed run to this output has left: without a checkpoint nothing can resume it, and the
 * lock says that nobody writes it. Failing is harmless. */
static void remove_stale_parts(run_state *run) {
    rlt_writer_def def = writer_def(run);
    rlt_messages *messages = rlt_messages_create();
    rlt_writer *writer = NULL;
    /* the writer knows the names of its parts: opening takes them over, abandoning removes them */
    if (rlt_writer_open(run->settings->output, &def, messages, &writer) == RLT_OK)
        rlt_writer_abandon(writer);
    if (run->keeper.interval != 0)
        (void)keeper_remove(&run->keeper, messages); /* its temporary file */
    rlt_messages_destroy(messages);
}

/* The file that is there is what this run would make: it stays. */
static void keep_complete(run_state *run) {
    run_result *result = run->result;
    result->first = first_written(run);
    result->last = last_written(run);
    result->written = result->last - result->first + 1;
    result->output_kept = 1;
    console_line("note: %s: is complete, frames %d to %d; nothing to do", run->settings->output,
                 result->first, result->last);
    remove_stale_parts(run);
}

/* --resume without a checkpoint: *complete is 1 when there is nothing to do. RLT_BAD_INPUT, with a line,
 * where a finished file of anything else would be replaced without --force. */
static rlt_status check_finished(run_state *run, int *complete) {
    const run_settings *settings = run->settings;
    rlt_writer_def def = writer_def(run);
    rlt_made made = rlt_writer_made(settings->output, &def, first_written(run), last_written(run));
    const char *what = made == RLT_MADE_DIFFERENT
                           ? "was made from another scene, with other frames or options "
                             "or by another version of Ringlet"
                       : made == RLT_MADE_DAMAGED ? "was damaged or changed since it was written"
                                                  : "does not state what it was made from";
    *complete = made == RLT_MADE_THE_SAME;
    if (*complete)
        keep_complete(run);
    else if (made != RLT_MADE_NOTHING && !settings->force)
        return console_fail(RLT_BAD_INPUT, "%s: %s; --force replaces it, or give another name",
                            settings->output, what);
    else if (made == RLT_MADE_NOTHING && outfile_check_new(settings->output, settings->force) != RLT_OK)
        return RLT_BAD_INPUT; /* something that is no animation */
    else if (made != RLT_MADE_NOTHING)
        console_line("note: %s: %s; a complete new one will replace it", settings->output, what);
    if (!*complete && !settings->takes_up)
        console_line("note: %s: there is no checkpoint; starts from the beginning", run->keeper.path);
    return RLT_OK;
}

/* Resumes the file that the checkpoint was made with. */
static rlt_status resume_writer(run_state *run, const rlt_frame_view *view) {
    run_result *result = run->result;
    int from = first_written(run), expected = view->frame >= from ? view->frame - from + 1 : 0;
    rlt_writer_def def = writer_def(run);
    rlt_status status =
        rlt_writer_resume(run->settings->output, &def, run->keeper.path, view, run->messages, &run->writer);
    if (status != RLT_OK)
        return status;
    result->written = rlt_writer_frames(run->writer, &result->first, &result->last);
    if (result->written == expected && (expected == 0 || result->first == from))
        return RLT_OK;
    console_error(
        "%s: was made with another first frame; give that one (--frames), or start over without --resume",
        run->keeper.path);
    rlt_writer_leave(run->writer);
    run->writer = NULL;
    result->written = 0;
    return RLT_BAD_INPUT;
}

/* Resumes where the checkpoint stands. */
static rlt_status resume(run_state *run) {
    int last = rlt_scene_last_frame(run->scene);
    rlt_frame_view view = {.size = sizeof view};
    rlt_status status = rlt_checkpoint_read(run->keeper.path, run->simulation, run->messages);
    if (status != RLT_OK)
        return console_fail(status, "%s: cannot resume from this checkpoint; start over without --resume",
                            run->keeper.path);
    rlt_simulation_view(run->simulation, &view);
    run->keeper.exists = 1;
    keeper_begin(&run->keeper, view.frame);
    if (view.frame > last && !run->settings->salvage)
        return console_fail(
            RLT_BAD_INPUT,
            "%s: is at frame %d, after the last one asked for, %d; ask for frame %d or a later one, "
            "close the file with --salvage, or start over without --resume",
            run->keeper.path, view.frame, last, view.frame);
    status = agree(run, leads(run) ? resume_writer(run, &view) : RLT_OK);
    if (status != RLT_OK)
        return status;
    run->result->resumed = 1;
    run->result->resumed_from = view.frame;
    if (!run->settings->quiet)
        console_line("note: resumes after frame %d", view.frame);
    return RLT_OK;
}

/* Starts from the beginning. The old checkpoint goes first: it must never meet parts of another run. */
static rlt_status start(run_state *run) {
    rlt_writer_def def = writer_def(run);
    int found = keeper_finds(&run->keeper);
    if (found)
        console_line("note: %s: of an earlier run, removed; --resume would have continued from it",
                     run->keeper.path);
    /* also where there is none: a run killed in its first checkpoint leaves a temporary file */
    rlt_status status = RLT_OK;
    if (found || run->keeper.interval != 0)
        status = keeper_remove(&run->keeper, run->messages);
    if (status != RLT_OK)
        return status;
    return rlt_writer_open(run->settings->output, &def, run->messages, &run->writer);
}

/* No file that is read may be replaced. */
static rlt_status check_outputs(const run_state *run) {
    const run_settings *settings = run->settings;
    const rlt_inputs *inputs = rlt_simulation_inputs(run->simulation);
    rlt_status status = rlt_inputs_check(inputs, settings->output, run->messages);
    for (int i = 0; i < RUN_OTHERS_MAX && settings->others[i] && status == RLT_OK; i++)
        status = rlt_inputs_check(inputs, settings->others[i], run->messages);
    return status;
}

/* Finished files, those of who watches too, are not replaced without --force. */
static rlt_status check_new(const run_settings *settings) {
    rlt_status status = outfile_check_new(settings->output, settings->force);
    for (int i = 0; i < RUN_OTHERS_MAX && settings->others[i] && status == RLT_OK; i++)
        status = outfile_check_new(settings->others[i], settings->force);
    return status;
}

/* Says where frames are asked for that the scene does not have. Its last one they have replaced: it is
 * loaded again for that. */
static void say_beyond(const run_state *run) {
    const run_settings *settings = run->settings;
    const args_frames *frames = &settings->frames;
    int first = rlt_scene_first_frame(run->scene);
    rlt_scene *scene = NULL;
    if (settings->quiet || !leads(run))
        return;
    if (frames->has_first && frames->first < first)
        console_line("note: --frames %s: the scene begins with frame %d (time.first); none before it is "
                     "written",
                     frames->text ? frames->text : "", first);
    if (!frames->has_last)
        return;
    if (run_load(settings->scene, settings->embedded, NULL, &settings->overrides, NULL, &scene) == RLT_OK)
        run_say_beyond(&settings->frames, rlt_scene_last_frame(scene));
    rlt_scene_destroy(scene);
}

static rlt_status build(run_state *run) {
    const run_settings *settings = run->settings;
    rlt_status status = run_load(settings->scene, settings->embedded, &settings->frames, &settings->overrides,
                                 run->messages, &run->scene);
    if (status == RLT_OK)
        status = keeper_open(&run->keeper, settings->output, settings->checkpoint);
    status = agree(run, status);
    if (status != RLT_OK)
        return status;
    snprintf(run->result->title, sizeof run->result->title, "%s", rlt_scene_title(run->scene));
    run->result->frames_per_second = rlt_scene_frames_per_second(run->scene);

    int last = rlt_scene_last_frame(run->scene);
    if (settings->frames.has_first && settings->frames.first > last)
        return console_fail(
            RLT_BAD_INPUT,
            "--frames: frame %d is after the scene's last frame, %d; give both ends (A:B) to run beyond it",
            settings->frames.first, last);
    say_beyond(run);
    if (leads(run)) { /* before anything of an earlier run is read: it may still live */
        status = rlt_lock_take(settings->output, run->messages, &run->lock);
        if (status == RLT_OK)
            status = keeper_check(&run->keeper);
    }
    status = agree(run, status);
    if (status != RLT_OK)
        return status;
    int wanted = settings->resume || settings->salvage;
    int found = any_rank(run, leads(run) && keeper_finds(&run->keeper));
    if (settings->salvage && !found)
        return console_fail(RLT_BAD_INPUT, "%s: there is no checkpoint to salvage; run without --salvage",
                            run->keeper.path);
    /* what a stopped run has left is not finished */
    int is_new = !leads(run) || wanted || found;
    status = agree(run, is_new ? RLT_OK : check_new(settings));
    if (status != RLT_OK)
        return status;
    rlt_simulation_def def = rlt_simulation_defaults();
    def.threads = settings->threads;
    def.simd = (rlt_simd)settings->simd;
    def.ranks = settings->ranks;
    if (leads(run) && !settings->quiet)
        progress_wait(settings->scene);
    status = rlt_simulation_create(run->scene, &def, run->messages, &run->simulation);
    progress_wait_end();
    if (status == RLT_OK)
        status = agree(run, leads(run) ? check_outputs(run) : RLT_OK);
    if (status == RLT_OK && run->settings->physics)
        status = agree(run, measure_physics(run));
    if (status == RLT_OK)
        status = find_look(run);
    if (status != RLT_OK)
        return status;
    int complete = 0;
    if (wanted && !found && leads(run))
        status = check_finished(run, &complete);
    status = agree(run, status);
    run->result->was_complete = any_rank(run, complete);
    if (status != RLT_OK || run->result->was_complete)
        return status;
    return wanted && found ? resume(run) : agree(run, leads(run) ? start(run) : RLT_OK);
}

/* Writes the present frame if it was asked for. */
static rlt_status write_frame(run_state *run, const rlt_frame_view *view) {
    const run_settings *settings = run->settings;
    if (!leads(run) || view->frame < first_written(run))
        return RLT_OK;
    double begun = console_seconds();
    rlt_status status = rlt_writer_add(run->writer, view, run->messages);
    if (status == RLT_OK) {
        if (run->result->written == 0)
            run->result->first = view->frame;
        run->result->last = view->frame;
        run->result->written++;
        if (settings->watch.frame)
            status = settings->watch.frame(view, run->messages, settings->watch.context);
    }
    run->result->seconds_write += console_seconds() - begun;
    return status;
}

/* Ctrl-C: leaves a checkpoint of the last frame, unless asked to leave none. */
static rlt_status stop(run_state *run, int frame) {
    keeper *k = &run->keeper;
    run->result->interrupted = 1;
    if (k->interval != 0 && !(k->exists && k->frame == frame))
        (void)keeper_write(k, frame, run->simulation, run->writer, run->messages);
    return RLT_FAILED;
}

static rlt_status watch_begin(run_state *run) {
    const run_watch *watch = &run->settings->watch;
    rlt_simulation_statistics(run->simulation, &run->result->statistics);
    run_start facts = {run->scene, &run->result->statistics, first_written(run),
                       rlt_scene_last_frame(run->scene), run->result->resumed};
    return leads(run) && watch->begin ? watch->begin(&facts, run->messages, watch->context) : RLT_OK;
}

/* One frame on. */
static rlt_status advance(run_state *run, rlt_frame_view *view) {
    const run_watch *watch = &run->settings->watch;
    double begun = console_seconds();
    rlt_status status = rlt_simulation_advance(run->simulation, run->messages);
    double taken = console_seconds() - begun;
    run->result->seconds_simulate += taken;
    if (status != RLT_OK)
        return status;
    rlt_simulation_view(run->simulation, view);
    rlt_simulation_statistics(run->simulation, &run->result->statistics);
    solved_add(&run->result->solved, view->frame, &run->result->statistics);
    if (leads(run) && watch->step)
        status = watch->step(view, &run->result->statistics, taken, watch->context);
    return agree(run, status == RLT_OK ? write_frame(run, view) : status);
}

static rlt_status step_frames(run_state *run) {
    int last = last_written(run);
    rlt_frame_view view = {.size = sizeof view};
    progress bar;

    rlt_simulation_view(run->simulation, &view);
    progress_begin(&bar, run->settings->quiet || !leads(run), view.frame, rlt_scene_first_frame(run->scene),
                   last);
    keeper_begin(&run->keeper, view.frame);
    rlt_status status = watch_begin(run);
    if (status == RLT_OK && !run->result->resumed)
        status = write_frame(run, &view);
    status = agree(run, status);
    while (status == RLT_OK && view.frame < last) {
        if (any_rank(run, interrupt_asked())) {
            status = stop(run, view.frame);
            break;
        }
        if (any_rank(run, leads(run) && keeper_is_due(&run->keeper, view.frame))) {
            status = keeper_write(&run->keeper, view.frame, run->simulation, run->writer, run->messages);
            if (status != RLT_OK)
                break;
        }
        status = advance(run, &view);
        if (status == RLT_OK)
            progress_frame(&bar, view.frame, run->result->statistics.fastest);
    }
    progress_end(&bar);
    if (leads(run) && run->settings->watch.end) {
        double begun = console_seconds();
        rlt_simulation_view(run->simulation, &view);
        run->settings->watch.end(&view, run->settings->watch.context);
        run->result->seconds_write += console_seconds() - begun;
    }
    rlt_simulation_statistics(run->simulation, &run->result->statistics);
    for (int i = 0; i < run->result->statistics.poses && i < RUN_POSES_MAX; i++)
        (void)rlt_simulation_pose(run->simulation, i, &run->result->poses[i]);
    run->result->hash = rlt_simulation_hash(run->simulation);
    return status;
}

/* Without a checkpoint: a file without a frame is of no use to anybody. */
static rlt_status close_writer(run_state *run) {
    if (run->result->written == 0) {
        rlt_writer_abandon(run->writer);
        return RLT_OK;
    }
    rlt_status status = rlt_writer_close(run->writer, run->messages);
    run->result->output_kept = status == RLT_OK;
    return status;
}

/* With a checkpoint on the disk: it and the parts stay until the whole file stands, and after a run that did
 * not come to its end. */
static rlt_status publish_writer(run_state *run, int done) {
    rlt_status status = RLT_OK;
    if (run->result->written > 0) {
        status = rlt_writer_publish(run->writer, run->messages);
        run->result->output_kept = status == RLT_OK;
    }
    if (done && status == RLT_OK)
        status = keeper_remove(&run->keeper, run->messages);
    if (done && status == RLT_OK)
        rlt_writer_abandon(run->writer);
    else
        rlt_writer_leave(run->writer);
    return status;
}

/* Keeps what was written, whatever happened. */
static rlt_status close_output(run_state *run, rlt_status status) {
    if (run->writer) {
        double begun = console_seconds();
        int done = status == RLT_OK && !run->settings->salvage;
        rlt_status closed = run->keeper.exists ? publish_writer(run, done) : close_writer(run);
        run->result->seconds_write += console_seconds() - begun;
        status = status == RLT_OK ? closed : status;
    }
    run->result->resumable = run->keeper.exists;
    run->result->resumable_from = run->keeper.frame;
    run->result->seconds_checkpoint = run->keeper.seconds;
    return status;
}

rlt_status run_scene(const run_settings *settings, rlt_messages *messages, run_result *result) {
    run_state run = {.settings = settings, .messages = messages, .result = result};
    double begun = console_seconds();
    memset(result, 0, sizeof *result);
    result->statistics.size = sizeof result->statistics;
    for (int i = 0; i < RUN_POSES_MAX; i++)
        result->poses[i].size = sizeof result->poses[i];
    interrupt_catch();

    rlt_status status = build(&run);
    result->seconds_build = console_seconds() - begun;
    if (status == RLT_OK && !settings->salvage && !result->was_complete)
        status = step_frames(&run);
    status = agree(&run, close_output(&run, status));
    keeper_close(&run.keeper);
    rlt_lock_release(run.lock);
    free(run.physics);
    rlt_text_free(run.look);
    rlt_simulation_destroy(run.simulation);
    rlt_scene_destroy(run.scene);
    result->status = status;
    result->seconds = console_seconds() - begun;
    return status;
}

const char *run_status_name(const run_result *result) {
    return console_status_name(result->status, result->interrupted);
}

double run_seconds_other(const run_result *result) {
    double known =
        result->seconds_build + result->seconds_simulate + result->seconds_write + result->seconds_checkpoint;
    return result->seconds > known ? result->seconds - known : 0.0;
}

/* Newton's work, where a model has some. */
static void json_newton(json *out, const rlt_statistics *s) {
    if (s->newton_steps == 0)
        return;
    json_begin_object(out, "newton");
    json_integer(out, "steps", s->newton_steps);
    json_integer(out, "iterations", s->newton_iterations);
    json_integer(out, "unconverged", s->newton_unconverged);
    json_integer(out, "off", s->newton_off);
    json_number(out, "worst", s->newton_worst);
    json_integer(out, "fast", s->newton_fast);
    json_integer(out, "repaired", s->newton_repaired);
    json_integer(out, "failed", s->newton_failed);
    json_end_object(out);
}

/* Contacts that are solved with the hair. */
static void json_solved(json *out, const run_result *result) {
    const rlt_statistics *s = &result->statistics;
    if (s->solved_steps == 0)
        return;
    json_begin_object(out, "solved_contacts");
    json_number(out, "contacts", s->solved_contacts);
    json_number(out, "touching", s->solved_touching);
    json_number(out, "slipping", s->solved_slipping);
    json_number(out, "unresolved", s->solved_unresolved);
    json_number(out, "newton", s->solved_newton);
    json_number(out, "sweeps", s->solved_sweeps);
    json_number(out, "residual", s->solved_residual);
    json_number(out, "deepest", s->solved_deepest);
    json_integer(out, "links", s->solved_links);
    json_integer(out, "crossings_checked", s->crossings_checked);
    json_integer(out, "crossings", s->crossings);
    json_integer(out, "crossings_missed", s->crossings_missed);
    json_number(out, "bodies", s->solved_bodies);
    json_number(out, "bodies_touching", s->solved_bodies_touching);
    json_number(out, "bodies_deepest", s->solved_bodies_deepest);
    json_integer(out, "bodies_passed", s->solved_passed);
    json_integer(out, "bodies_crossings", s->crossings_bodies);
    json_integer(out, "bodies_crossings_missed", s->crossings_bodies_missed);
    json_number(out, "retreated", s->solved_retreated);
    json_integer(out, "halved", s->solved_halved);
    solved_json(out, &result->solved);
    json_end_object(out);
}

static void json_sag(json *out, const rlt_sag_report *sag) {
    json_begin_object(out, "sag");
    json_integer(out, "strands", sag->strands);
    json_integer(out, "solved", sag->solved);
    json_integer(out, "stiffened", sag->stiffened);
    json_integer(out, "unstable", sag->unstable);
    json_integer(out, "unchecked", sag->unchecked);
    json_integer(out, "kicked", sag->kicked);
    json_number(out, "greatest_target", sag->ratio);
    json_number(out, "greatest_factor", sag->factor);
    json_integer(out, "worst_strand", sag->worst);
    json_number(out, "seconds", sag->seconds);
    json_end_object(out);
}

static void json_poses(json *out, const run_result *result) {
    json_begin_array(out, "poses");
    for (int i = 0; i < result->statistics.poses && i < RUN_POSES_MAX; i++) {
        const rlt_pose_report *pose = &result->poses[i];
        json_begin_object(out, NULL);
        json_string(out, "name", pose->name);
        json_integer(out, "frame", pose->frame);
        json_boolean(out, "reached", pose->reached);
        json_integer(out, "strands", pose->strands);
        json_integer(out, "points", pose->points);
        json_number(out, "force_rms", pose->force_rms);
        json_number(out, "force_most", pose->force_most);
        json_integer(out, "force_strand", pose->force_strand);
        json_number(out, "off_mean", pose->off_mean);
        json_number(out, "off_most", pose->off_most);
        json_integer(out, "off_strand", pose->off_strand);
        json_end_object(out);
    }
    json_end_array(out);
}

/* Wall seconds, which add up; then those of threads, summed. */
static void json_phases(json *out, const run_result *result) {
    const rlt_statistics *s = &result->statistics;
    json_begin_object(out, "wall");
    json_number(out, "build", result->seconds_build);
    json_number(out, "simulate", result->seconds_simulate);
    json_number(out, "write", result->seconds_write);
    json_number(out, "checkpoint", result->seconds_checkpoint);
    json_number(out, "other", run_seconds_other(result));
    json_end_object(out);
    json_begin_object(out, "phases");
    json_number(out, "build", result->seconds_build);
    for (int i = 0; i < s->phase_count; i++)
        json_number(out, s->phases[i].name, s->phases[i].value);
    json_number(out, "write", result->seconds_write);
    json_number(out, "checkpoint", result->seconds_checkpoint);
    json_end_object(out);
}

void run_json(json *out, const run_settings *settings, const run_result *result) {
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
    json_known(out, "resumed_from", result->resumed_from, result->resumed);
    json_known(out, "checkpoint_frame", result->resumable_from, result->resumable);
    json_number(out, "frames_per_second", result->frames_per_second);
    json_integer(out, "strands", s->strands);
    json_integer(out, "points", s->points);
    json_integer(out, "threads", s->threads);
    json_integer(out, "ranks", rlt_ranks_count(settings->ranks));
    json_string(out, "simd", s->simd);
    json_string(out, "hash", hash);
    json_number(out, "seconds", result->seconds);
    json_number(out, "cpu_seconds", s->cpu_seconds);
    json_phases(out, result);
    json_integer(out, "force_steps", s->force_steps);
    json_number(out, "fastest", s->fastest);
    json_number(out, "longest", s->longest);
    json_begin_object(out, "energies");
    for (int i = 0; i < s->energy_count; i++)
        json_number(out, s->energies[i].name, s->energies[i].value);
    json_end_object(out);
    json_integer(out, "contacts", s->contacts);
    json_begin_object(out, "hair_contacts");
    json_integer(out, "points", s->particles_before);
    json_integer(out, "particles", s->particles);
    json_integer(out, "edges_full", s->edges_full);
    json_integer(out, "edges_near", s->edges_near);
    json_integer(out, "edges", s->edges);
    json_integer(out, "last", s->hair_contacts);
    json_number(out, "mean", s->hair_contacts_mean);
    json_integer(out, "worst", s->hair_contacts_worst);
    json_integer(out, "limited", s->hair_contacts_limited);
    json_end_object(out);
    json_solved(out, result);
    json_newton(out, s);
    json_sag(out, &s->sag);
    json_poses(out, result);
    json_integer(out, "bytes", (long long)s->bytes);
    json_begin_array(out, "outputs");
    if (result->output_kept)
        json_string(out, NULL, settings->output);
    json_end_array(out);
}
