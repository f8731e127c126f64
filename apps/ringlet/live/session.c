#include "live/session.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "console.h"
#include "live/runner.h"
#include "live/saver.h"
#include "live/stage.h"

enum { QUEUE = 512, FIT_STEPS = 24, FITTINGS = 3 };

static const double FILE_PERIOD = 0.3;   /* [s] between two checks of the scene's file */
static const double NOTICE_PERIOD = 0.5; /* and between two notices about the motion */

static const double FIT_SLACK = 1.25; /* live quality is fitted anew above so many times what is allowed, */
static const double FIT_SHARE_MIN = 0.4;  /* by no more than this at once, */
static const double FIT_LATE = 0.75;      /* and where a step takes so much of its tick */
static const double FIT_GAIN = 0.85;      /* it has helped where steps take less than this of before */
static const double FIT_SPEED_MIN = 0.06; /* and not beyond this */

/* Overlays that a document may hold; guides are in every frame. */
static const unsigned OVERLAYS = RLT_SHOW_SIMULATION | RLT_SHOW_STRETCH | RLT_SHOW_SPEED;

struct live_session {
    live_session_def def;
    live_board *board;
    pthread_t thread;
    int has_thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    /* by the mutex */
    live_input queue[QUEUE];
    int queued;
    double received; /* when the first of them came */
    int dropped;     /* inputs that found no place since the last look */
    char bad[96];    /* the last line that could not be read, and why; "": none */
    int pages, stop;
    live_session_facts facts;
    /* of the thread */
    live_stage stage;
    live_runner *runner;
    live_input batch[QUEUE];
    char id[20];
    int is_paused, steps_asked;
    double rate;
    int replayed; /* lines of the replay that were done */
    int is_replaying;
    struct timespec file_time;
    off_t file_size;
    double file_looked, notice_shown;
    double next;     /* when the next step is due */
    long long taken; /* inputs so far */
    double asked;    /* when the first input came that no step has answered; 0: none */
    /* steps whose CPU time is being measured, that time before them, and fittings so far */
    int watched, fittings;
    double watched_from, wall_from;   /* CPU and wall time of steps before those that are watched */
    double mean_before, speed_before; /* before the last fitting */
};

rlt_status live_session_create(const live_session_def *def, live_session **session) {
    live_session *self = calloc(1, sizeof *self);
    uint64_t id = 0;
    pthread_condattr_t attributes;
    *session = self;
    if (self == NULL)
        return console_fail(RLT_FAILED, "out of memory");
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    (void)!getrandom(&id, sizeof id, 0);
    snprintf(self->id, sizeof self->id, "%016" PRIx64, id);
    self->def = *def;
    self->board = self->stage.board = def->board;
    self->rate = 1.0;
    self->runner = live_runner_create(def->board);
    live_stage *stage = &self->stage;
    const recorder_start *start = def->replay != NULL ? &def->replay->start : NULL;
    snprintf(stage->scene, sizeof stage->scene, "%s", start != NULL ? start->scene : def->scene);
    stage->is_embedded = def->is_embedded;
    stage->threads = def->threads;
    stage->is_full = start != NULL ? start->is_full : def->is_full;
    stage->speed = start != NULL && start->speed > 0.0 ? start->speed : 1.0;
    stage->is_split = start != NULL && start->is_split;
    int good =
        self->runner != NULL && live_values_copy(&stage->base, start != NULL ? &start->base : def->base);
    for (int i = 0; good && start != NULL && i < STAGE_SIDES; i++)
        good = live_values_copy(&stage->sides[i].values, &start->side[i]);
    return good ? RLT_OK : console_fail(RLT_FAILED, "out of memory");
}

void live_session_destroy(live_session *session) {
    if (session == NULL)
        return;
    live_session_stop(session);
    live_runner_destroy(session->runner);
    stage_clear(&session->stage);
    pthread_cond_destroy(&session->wake);
    pthread_mutex_destroy(&session->mutex);
    free(session);
}

/* ---- from the server's thread ---- */

void live_session_receive(void *context, const char *text, size_t size) {
    live_session *session = context;
    live_input input;
    const char *problem = live_input_read(text, size, &input);
    pthread_mutex_lock(&session->mutex);
    if (problem != NULL)
        snprintf(session->bad, sizeof session->bad, "%s", problem);
    else if (session->queued == QUEUE)
        session->dropped++;
    else {
        session->received = session->queued == 0 ? console_seconds() : session->received;
        session->queue[session->queued++] = input;
    }
    pthread_cond_signal(&session->wake);
    pthread_mutex_unlock(&session->mutex);
}

void live_session_present(void *context, int pages) {
    live_session *session = context;
    pthread_mutex_lock(&session->mutex);
    session->pages = pages;
    pthread_cond_signal(&session->wake);
    pthread_mutex_unlock(&session->mutex);
}

void live_session_facts_get(live_session *session, live_session_facts *facts) {
    pthread_mutex_lock(&session->mutex);
    *facts = session->facts;
    pthread_mutex_unlock(&session->mutex);
}

/* ---- what pages see ---- */

static void publish_json(live_session *session, live_slot slot, json *out) {
    if (!out->failed)
        live_board_publish(session->board, slot, live_document_text(out->text, out->size));
    json_free(out);
}

static void publish_hello(live_session *session) {
    json out = {0};
    json_begin_object(&out, NULL);
    json_string(&out, "kind", "hello");
    json_string(&out, "session", session->id);
    json_string(&out, "version", rlt_version());
    live_values_names(&out);
    json_begin_array(&out, "shows");
    for (int i = 0; rlt_show_name(i) != NULL; i++)
        json_string(&out, NULL, rlt_show_name(i));
    json_end_array(&out);
    live_values_schema(&out);
    json_end_object(&out);
    publish_json(session, LIVE_HELLO, &out);
}

static void print_side(json *out, const stage_side *side) {
    json_begin_object(out, NULL);
    live_values_print(out, "values", side->scene);
    json_begin_array(out, "changed");
    for (int i = 0; i < side->values.count; i++)
        json_string(out, NULL, side->values.texts[i]);
    json_end_array(out);
    json_end_object(out);
}

static void publish_state(live_session *session) {
    const live_stage *stage = &session->stage;
    json out = {0};
    json_begin_object(&out, NULL);
    json_string(&out, "kind", "state");
    json_string(&out, "session", session->id);
    json_string(&out, "scene", stage->scene);
    json_string(&out, "title", stage->sides[0].scene != NULL ? rlt_scene_title(stage->sides[0].scene) : "");
    json_boolean(&out, "full", stage->is_full);
    json_boolean(&out, "split", stage->is_split);
    json_boolean(&out, "plays", stage->plays);
    json_boolean(&out, "paused", session->is_paused);
    json_boolean(&out, "inertia", stage->follow.inertia);
    json_boolean(&out, "replaying", session->is_replaying);
    json_boolean(&out, "recording", recorder_is_whole(&stage->recorder));
    json_number(&out, "rate", session->rate);
    json_integer(&out, "show", stage->show);
    json_number(&out, "tick", stage_tick(stage));
    json_begin_array(&out, "pivot");
    for (int k = 0; k < 3; k++)
        json_number(&out, NULL, stage->pivot[k]);
    json_end_array(&out);
    json_begin_array(&out, "sides");
    for (int i = 0; i < (stage->is_split ? STAGE_SIDES : 1) && stage->sides[i].scene != NULL; i++)
        print_side(&out, &stage->sides[i]);
    json_end_array(&out);
    json_end_object(&out);
    publish_json(session, LIVE_STATE, &out);
}

/* ---- inputs ---- */

static void save(live_session *session, const live_input *input) {
    live_stage *stage = &session->stage;
    char path[STAGE_NAME], problem[NOTICE_TEXT] = "";
    rlt_status status = RLT_FAILED;
    if (stage->sides[0].simulation == NULL)
        return;
    if (input->kind == INPUT_TAKE)
        status = saver_recording(stage, session->def.folder, input->text, path, sizeof path, problem);
    else
        status = saver_scene(stage, session->def.folder, input->text, input->kind == INPUT_MOTION, path,
                             sizeof path, problem);
    if (status == RLT_OK && input->kind == INPUT_RUN) {
        char output[STAGE_NAME + 8];
        snprintf(output, sizeof output, "%.*s.usdc", (int)(strlen(path) - strlen(".yaml")), path);
        const char *why =
            live_runner_start(session->runner, path, output, rlt_scene_last_frame(stage->sides[0].scene));
        if (why != NULL) {
            snprintf(problem, sizeof problem, "%.300s: cannot be simulated: %.250s", path, why);
            status = RLT_FAILED;
        }
    }
    if (status == RLT_OK)
        notice_say(&stage->notice, NOTICE_ASKED, RLT_NOTE, "saved %s", path);
    else
        notice_say(&stage->notice, NOTICE_ASKED, RLT_ERROR, "%s", problem);
}

static void do_input(live_session *session, const live_input *input) {
    live_stage *stage = &session->stage;
    switch ((int)input->kind) {
    case INPUT_PAUSE:
        session->is_paused = (int)input->numbers[0];
        break;
    case INPUT_STEP:
        session->is_paused = 1;
        session->steps_asked = 1;
        break;
    case INPUT_RATE:
        session->rate = input->numbers[0];
        break;
    case INPUT_SHOW:
        stage->show = (unsigned)input->numbers[0] & OVERLAYS;
        live_board_publish(session->board, LIVE_OVERLAY, NULL);
        stage_publish_frame(stage);
        break;
    case INPUT_SAVE:
    case INPUT_MOTION:
    case INPUT_TAKE:
    case INPUT_RUN:
        save(session, input);
        break;
    case INPUT_STOP:
        live_runner_stop(session->runner);
        break;
    default:
        if (session->is_replaying)
            return; /* nobody else has a say until it has ended */
        stage_input(stage, input);
        return;
    }
    stage->changed = 1;
}

/* Of two changes of one value, or two poses, before the same step only the last matters. */
static int is_overtaken(const live_input *batch, int count, int at) {
    const live_input *input = &batch[at];
    for (int i = at + 1; i < count; i++) {
        const live_input *later = &batch[i];
        if (later->kind != input->kind || (input->kind != INPUT_SET && input->kind != INPUT_POSE &&
                                           input->kind != INPUT_PULL && input->kind != INPUT_RATE))
            return 0; /* something else happened in between */
        size_t size = live_values_key(input->text);
        if (input->kind != INPUT_SET || (later->side == input->side && live_values_key(later->text) == size &&
                                         memcmp(later->text, input->text, size) == 0))
            return 1;
    }
    return 0;
}

/* Waits for inputs until `until` (console_seconds) and takes them; returns how many. */
static int take_inputs(live_session *session, double until) {
    struct timespec when = {.tv_sec = (time_t)until,
                            .tv_nsec = (long)(1e9 * (until - (double)(time_t)until))};
    char bad[sizeof session->bad];
    pthread_mutex_lock(&session->mutex);
    while (session->queued == 0 && !session->stop && session->bad[0] == '\0' && session->dropped == 0)
        if (pthread_cond_timedwait(&session->wake, &session->mutex, &when) == ETIMEDOUT)
            break;
    int count = session->queued, dropped = session->dropped;
    if (count > 0 && session->asked == 0.0)
        session->asked = session->received;
    session->taken += count;
    memcpy(session->batch, session->queue, (size_t)count * sizeof session->queue[0]);
    memcpy(bad, session->bad, sizeof bad);
    session->queued = session->dropped = 0;
    session->bad[0] = '\0';
    pthread_mutex_unlock(&session->mutex);
    if (bad[0] != '\0')
        notice_say(&session->stage.notice, NOTICE_ASKED, RLT_WARNING, "the page sent what means nothing: %s",
                   bad);
    if (dropped > 0)
        notice_say(&session->stage.notice, NOTICE_ASKED, RLT_WARNING,
                   "%d inputs were dropped: the simulation is slower than they came", dropped);
    return count;
}

/* ---- the scene's file ---- */

static int file_changed(live_session *session) {
    struct stat facts;
    if (session->stage.is_embedded || stat(session->stage.scene, &facts) != 0 || facts.st_size == 0)
        return 0; /* an editor may be writing it */
    int changed = facts.st_mtim.tv_sec != session->file_time.tv_sec ||
                  facts.st_mtim.tv_nsec != session->file_time.tv_nsec || facts.st_size != session->file_size;
    session->file_time = facts.st_mtim;
    session->file_size = facts.st_size;
    return changed;
}

static void watch_file(live_session *session, double now) {
    if (now - session->file_looked < FILE_PERIOD)
        return;
    session->file_looked = now;
    if (file_changed(session))
        (void)stage_reload(&session->stage);
}

/* ---- replays ---- */

/* Wall time of all steps. */
static double step_seconds(const live_stage *stage) {
    return stage->sides[0].seconds_sum + stage->sides[1].seconds_sum;
}

/* Inputs of the replay that come before the next step; at its end, whether it is the same. */
static void replay_inputs(live_session *session) {
    const live_recorder *replay = session->def.replay;
    live_stage *stage = &session->stage;
    while (session->replayed < replay->count && replay->lines[session->replayed].step <= stage->step)
        stage_input(stage, replay->lines[session->replayed++].input);
    if (stage->step < replay->steps)
        return;
    session->is_replaying = 0;
    session->is_paused = 1;
    stage->changed = 1;
    if (stage_hash(stage) == replay->hash)
        notice_say(&stage->notice, NOTICE_ASKED, RLT_NOTE, "replayed %lld steps to the same bytes",
                   replay->steps);
    else
        notice_say(&stage->notice, NOTICE_ASKED, RLT_WARNING,
                   "replayed %lld steps, but the end is different: the scene, its files or the program have "
                   "changed since it was recorded",
                   replay->steps);
}

/* Builds what is on stage; what is wrong with the scene is printed, and shown by the page. */
static rlt_status load(live_session *session) {
    live_stage *stage = &session->stage;
    rlt_status status = stage_load(stage);
    for (int i = 0; status != RLT_OK && i < stage->notice.count; i++)
        console_line("%s", stage->notice.items[i].text);
    return status;
}

rlt_status live_session_replay(live_session *session, int *is_same) {
    live_stage *stage = &session->stage;
    rlt_status status = load(session);
    session->is_replaying = 1;
    while (status == RLT_OK && session->is_replaying) {
        replay_inputs(session);
        if (session->is_replaying)
            stage_step(stage);
    }
    session->facts.steps = stage->step;
    session->facts.step_seconds = step_seconds(stage);
    session->facts.cpu_seconds = stage->cpu_seconds;
    session->facts.hash = stage_hash(stage);
    *is_same = status == RLT_OK && session->facts.hash == session->def.replay->hash;
    return status;
}

/* ---- the thread ---- */

static int is_stopped(live_session *session) {
    pthread_mutex_lock(&session->mutex);
    int stop = session->stop;
    pthread_mutex_unlock(&session->mutex);
    return stop;
}

static int may_step(live_session *session) {
    pthread_mutex_lock(&session->mutex);
    int pages = session->pages;
    pthread_mutex_unlock(&session->mutex);
    return session->stage.sides[0].simulation != NULL && pages > 0 &&
           (!session->is_paused || session->steps_asked > 0);
}

static void step(live_session *session) {
    live_stage *stage = &session->stage;
    if (session->is_replaying)
        replay_inputs(session);
    stage_step(stage);
    stage->answer = session->asked > 0.0 ? console_seconds() - session->asked : 0.0;
    session->asked = 0.0;
    stage->answered = session->taken;
    stage_publish_frame(stage);
    session->steps_asked = 0;
    pthread_mutex_lock(&session->mutex);
    session->facts.steps = stage->step;
    session->facts.checksum = stage->checksum;
    session->facts.step_seconds = step_seconds(stage);
    session->facts.pack_seconds = stage->pack_seconds;
    session->facts.cpu_seconds = stage->cpu_seconds;
    pthread_mutex_unlock(&session->mutex);
}

/* Live quality for a machine of this speed: an input as the user's are, so that a recording has it. */
static void fit(live_session *session, double speed) {
    live_input input = {.kind = INPUT_FIT, .numbers = {speed}};
    stage_input(&session->stage, &input);
}

/* Mean CPU time of the last FIT_STEPS steps [s]; 0: there are not so many yet. */
static double measure_steps(live_session *session) {
    const live_stage *stage = &session->stage;
    if (stage->step <= 1) /* built anew */
        session->fittings = 0;
    if (stage->step <= 1 || stage->is_full || session->is_replaying)
        session->watched = 0;
    if (session->watched++ == 0)
        session->watched_from = stage->cpu_seconds; /* the first step is dearer */
    if (session->watched == 1)
        session->wall_from = step_seconds(stage);
    if (session->watched <= FIT_STEPS)
        return 0.0;
    session->watched = 0;
    return (stage->cpu_seconds - session->watched_from) / FIT_STEPS;
}

/* Fewer guides where steps take more of the processors than keeps up with time, and are late: this machine is
 * slower than the one that costs were measured on, or the scene is dearer than they say. Where that does not
 * help, guides are not what takes the time, and all come back. */
static void watch_load(live_session *session) {
    live_stage *stage = &session->stage;
    double mean = measure_steps(session), allowed = stage_allowed();
    double late = (step_seconds(stage) - session->wall_from) / FIT_STEPS;
    if (mean < FIT_SLACK * allowed || late < FIT_LATE * stage_tick(stage) / session->rate ||
        session->fittings >= FITTINGS)
        return;
    double before = stage_work(stage);
    if (session->fittings > 0 && mean > FIT_GAIN * session->mean_before) {
        fit(session, session->speed_before);
        session->fittings = FITTINGS;
        notice_say(&stage->notice, NOTICE_ASKED, RLT_NOTE,
                   "steps take %.0f ms of the processors with fewer guides, too: the scene is slow here",
                   1e3 * mean);
        return;
    }
    session->mean_before = mean;
    session->speed_before = stage->speed;
    double share = fmax(0.9 * allowed / mean, FIT_SHARE_MIN);
    fit(session, fmax(stage->speed * share, FIT_SPEED_MIN));
    int fewer = stage_work(stage) < before;
    session->fittings = fewer ? session->fittings + 1 : FITTINGS;
    notice_say(&stage->notice, NOTICE_ASKED, RLT_NOTE,
               "steps took %.0f ms of the processors, and %.0f keep up: %s; full quality (F) has all guides",
               1e3 * mean, 1e3 * allowed, fewer ? "there are fewer guides or steps now" : "hair may be slow");
}

/* When the next step is due, after one that began at `now`. Where steps are too slow, or something was built
 * meanwhile, time is not made up for: those ticks are dropped. */
static void keep_time(live_session *session, double now) {
    double tick = stage_tick(&session->stage) / session->rate;
    int late = console_seconds() > session->next + tick;
    long long dropped = 0;
    session->next += tick;
    if (session->next < now - stage_tick(&session->stage)) {
        dropped = (long long)ceil((now - session->next) / tick);
        session->next = now;
    }
    pthread_mutex_lock(&session->mutex);
    session->facts.late += late;
    session->facts.dropped += dropped;
    pthread_mutex_unlock(&session->mutex);
}

static void *run(void *context) {
    live_session *session = context;
    live_stage *stage = &session->stage;
    publish_hello(session);
    (void)file_changed(session);
    (void)load(session);
    session->is_replaying = session->def.replay != NULL;
    stage->changed = 1;
    session->next = console_seconds();
    while (!is_stopped(session)) {
        double now = console_seconds(), idle = now + FILE_PERIOD;
        int ready = may_step(session);
        /* what the user does is answered at once: the step of this tick is brought forward, never another */
        double open = session->next - stage_tick(stage) / session->rate;
        double due = session->asked > 0.0 ? open : session->next;
        int count = take_inputs(session, ready && due < idle ? due : idle);
        for (int i = 0; i < count; i++)
            if (!is_overtaken(session->batch, count, i))
                do_input(session, &session->batch[i]);
        now = console_seconds();
        int early = session->asked > 0.0 && now >= open;
        if (may_step(session) && (now >= session->next || early || session->steps_asked > 0)) {
            step(session);
            keep_time(session, now);
            watch_load(session);
        } else if (!ready) {
            session->next = now;
            session->asked = 0.0;
        }
        watch_file(session, now);
        if (now - session->notice_shown > NOTICE_PERIOD || count > 0) {
            session->notice_shown = now;
            notice_publish(&stage->notice, session->board);
        }
        if (stage->changed) {
            stage->changed = 0;
            publish_state(session);
        }
    }
    return NULL;
}

rlt_status live_session_start(live_session *session) {
    if (pthread_create(&session->thread, NULL, run, session) != 0)
        return console_fail(RLT_FAILED, "live: no thread for the simulation");
    session->has_thread = 1;
    return RLT_OK;
}

void live_session_stop(live_session *session) {
    pthread_mutex_lock(&session->mutex);
    session->stop = 1;
    pthread_cond_signal(&session->wake);
    pthread_mutex_unlock(&session->mutex);
    if (session->has_thread)
        pthread_join(session->thread, NULL);
    if (session->has_thread)
        session->facts.hash = stage_hash(&session->stage);
    session->has_thread = 0;
}
