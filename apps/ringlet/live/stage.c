#include "live/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "console.h"
#include "live/pack.h"

static const double LOCK_RADIUS = 0.04;   /* [m] of a lock that is taken */
static const double LOCK_SPEED = 3.0;     /* [m/s] that it is drawn at, at most */
static const double LOCK_STIFFNESS = 2e3; /* [1/s^2] */

static int side_count(const live_stage *stage) {
    return stage->is_split ? STAGE_SIDES : 1;
}

double stage_tick(const live_stage *stage) {
    return stage->sides[0].simulation != NULL ? rlt_simulation_tick(stage->sides[0].simulation) : 1.0 / 24.0;
}

/* One number for both sides. */
static uint64_t join(uint64_t all, uint64_t side) {
    return all * 0x9e3779b97f4a7c15u + side;
}

uint64_t stage_hash(const live_stage *stage) {
    uint64_t hash = 0;
    for (int i = 0; i < side_count(stage); i++)
        if (stage->sides[i].simulation != NULL)
            hash = join(hash, rlt_simulation_hash(stage->sides[i].simulation));
    return hash;
}

static double units(const live_stage *stage, double metres) {
    return metres / rlt_scene_metres_per_unit(stage->sides[0].scene);
}

/* ---- a lock of hair ---- */

static double distance(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* Takes the point and, of strands near it, the point that is nearest: a lock, in which all keep their
 * places. */
static void lock_take(live_stage *stage, const live_input *input) {
    stage_lock *lock = &stage->lock;
    rlt_frame_view view = {.size = sizeof view};
    int side = input->side < side_count(stage) ? input->side : 0;
    rlt_simulation_view(stage->sides[side].simulation, &view);
    lock->count = 0;
    if (input->point >= view.point_count)
        return;
    const double *middle = view.points + 3 * (size_t)input->point;
    double radius = units(stage, LOCK_RADIUS);
    for (int s = 0; s < view.strand_count && lock->count < STAGE_LOCK_MAX; s++) {
        int nearest = -1;
        double least = radius;
        for (int p = view.first[s] + 1; p < view.first[s + 1]; p++) { /* a root does not give way */
            double d = distance(view.points + 3 * (size_t)p, middle);
            if (d < least) {
                least = d;
                nearest = p;
            }
        }
        if (nearest < 0)
            continue;
        for (int k = 0; k < 3; k++)
            lock->offsets[3 * lock->count + k] = view.points[3 * (size_t)nearest + (size_t)k] - middle[k];
        lock->points[lock->count++] = nearest;
    }
    memcpy(lock->at, middle, sizeof lock->at);
    memcpy(lock->wanted, input->numbers, sizeof lock->wanted);
    lock->side = side;
}

/* The hand goes to where the mouse is, no faster than a hand would. */
static void lock_pull(live_stage *stage, double seconds, rlt_messages *messages) {
    stage_lock *lock = &stage->lock;
    double targets[3 * STAGE_LOCK_MAX];
    double far = distance(lock->at, lock->wanted), most = units(stage, LOCK_SPEED) * seconds;
    for (int k = 0; k < 3; k++)
        lock->at[k] += (lock->wanted[k] - lock->at[k]) * (far > most ? most / far : 1.0);
    for (int i = 0; i < lock->count; i++)
        for (int k = 0; k < 3; k++)
            targets[3 * i + k] = lock->at[k] + lock->offsets[3 * i + k];
    rlt_array array = {.data = targets, .type = RLT_DOUBLE};
    for (int i = 0; i < side_count(stage); i++)
        (void)rlt_simulation_pull(stage->sides[i].simulation, lock->count, lock->points, &array,
                                  LOCK_STIFFNESS, messages);
}

static void lock_release(live_stage *stage) {
    rlt_array none = {0};
    for (int i = 0; stage->lock.count > 0 && i < side_count(stage); i++)
        (void)rlt_simulation_pull(stage->sides[i].simulation, 0, NULL, &none, LOCK_STIFFNESS, NULL);
    stage->lock.count = 0;
}

/* ---- inputs ---- */

static void split(live_stage *stage, int on) {
    if (on == stage->is_split)
        return;
    stage->is_split = on;
    if (on && !live_values_copy(&stage->sides[1].values, &stage->sides[0].values)) {
        stage->is_split = 0;
        return;
    }
    if (stage_load(stage) != RLT_OK)
        stage->is_split = !on;
}

/* Begins anew with something else on stage; what was there stays where that cannot be built. */
static void restart(live_stage *stage, const live_input *input) {
    char scene[STAGE_NAME];
    int embedded = stage->is_embedded, is_full = stage->is_full;
    double speed = stage->speed;
    memcpy(scene, stage->scene, sizeof scene);
    if (input->kind == INPUT_QUALITY)
        stage->is_full = (int)input->numbers[0];
    live_values kept[STAGE_SIDES] = {stage->sides[0].values, stage->sides[1].values}, base = stage->base;
    if (input->kind == INPUT_SCENE) {
        snprintf(stage->scene, sizeof stage->scene, "%s", input->text);
        stage->is_embedded = 1;
        stage->speed = 1.0;
        stage->sides[0].values = stage->sides[1].values = stage->base = (live_values){0};
    }
    int good = stage_load(stage) == RLT_OK;
    if (!good) {
        memcpy(stage->scene, scene, sizeof scene);
        stage->is_embedded = embedded;
        stage->is_full = is_full;
        stage->speed = speed;
    }
    if (input->kind != INPUT_SCENE)
        return;
    for (int i = 0; i < STAGE_SIDES; i++) {
        if (good)
            live_values_clear(&kept[i]);
        else
            stage->sides[i].values = kept[i];
    }
    if (good)
        live_values_clear(&base);
    else
        stage->base = base;
}

static void play(live_stage *stage, int on) {
    stage->plays = on;
    for (int i = 0; i < side_count(stage); i++)
        (void)rlt_simulation_play(stage->sides[i].simulation, on, NULL);
}

void stage_input(live_stage *stage, const live_input *input) {
    if (stage->sides[0].simulation == NULL && input->kind != INPUT_SCENE)
        return;
    if (live_input_is_recorded(input))
        recorder_add(&stage->recorder, stage->step, input);
    switch ((int)input->kind) {
    case INPUT_POSE:
        memcpy(stage->follow.wanted.at, input->numbers, 3 * sizeof(double));
        memcpy(stage->follow.wanted.turn, input->numbers + 3, 4 * sizeof(double));
        stage->was_moved = 1;
        return; /* frames show it: the state that pages see is the same */
    case INPUT_GRAB:
        lock_take(stage, input);
        return;
    case INPUT_PULL:
        memcpy(stage->lock.wanted, input->numbers, 3 * sizeof(double));
        return;
    case INPUT_RELEASE:
        lock_release(stage);
        return;
    case INPUT_PLAY:
        play(stage, (int)input->numbers[0]);
        break;
    case INPUT_INERTIA:
        stage->follow.inertia = (int)input->numbers[0];
        break;
    case INPUT_SET:
    case INPUT_UNSET:
        stage_set_value(stage, input);
        break;
    case INPUT_FIT:
        stage_fit(stage, input->numbers[0]);
        break;
    case INPUT_SPLIT:
        split(stage, (int)input->numbers[0]);
        break;
    case INPUT_RESET:
    case INPUT_QUALITY:
    case INPUT_SCENE:
        restart(stage, input);
        break;
    default:
        return;
    }
    stage->changed = 1;
}

/* ---- time ---- */

/* The head on its neck, or the whole character where it has none. */
static void move_head(live_stage *stage, double seconds, rlt_messages *messages) {
    live_follow *follow = &stage->follow;
    double matrix[16];
    live_follow_step(follow, seconds);
    for (int i = 0; i < side_count(stage); i++) {
        rlt_simulation *simulation = stage->sides[i].simulation;
        live_pose whole = follow->now, head = live_pose_none;
        if (stage->has_head) {
            memcpy(head.turn, whole.turn, sizeof head.turn);
            memcpy(whole.turn, live_pose_none.turn, sizeof whole.turn);
            const double origin[3] = {0, 0, 0};
            live_pose_matrix(&head, origin, matrix);
            (void)rlt_simulation_move(simulation, "head", matrix, messages);
        }
        live_pose_matrix(&whole, stage->pivot, matrix);
        (void)rlt_simulation_move(simulation, NULL, matrix, messages);
    }
}

/* The path of the head, for a scene with that motion: frame, shift, and turns about x, y, z [degree], in the
 * order in which keys of a scene are applied (x first). */
static void remember_pose(live_stage *stage) {
    if (stage->path_count == stage->path_capacity) {
        int capacity = 2 * stage->path_capacity + 256;
        void *path = stage->path_capacity < STAGE_PATH_MAX
                         ? realloc(stage->path, (size_t)capacity * 7 * sizeof(double))
                         : NULL;
        if (path == NULL)
            return;
        stage->path = path;
        stage->path_capacity = capacity;
    }
    const double *q = stage->follow.now.turn, degrees = 180.0 / 3.14159265358979323846;
    double x = q[0], y = q[1], z = q[2], w = q[3], sine = 2 * (w * y - z * x);
    double *key = stage->path[stage->path_count++];
    key[0] = rlt_scene_first_frame(stage->sides[0].scene) + (double)stage->step;
    memcpy(key + 1, stage->follow.now.at, 3 * sizeof(double));
    key[4] = degrees * atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
    key[5] = degrees * asin(sine > 1 ? 1 : (sine < -1 ? -1 : sine));
    key[6] = degrees * atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}

static double cpu_seconds(clockid_t which) {
    struct timespec cpu;
    clock_gettime(which, &cpu);
    return (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec;
}

void stage_step(live_stage *stage) {
    if (stage->sides[0].simulation == NULL)
        return;
    double seconds = stage_tick(stage), cpu = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
    rlt_messages *messages = rlt_messages_create();
    if (stage->was_moved)
        move_head(stage, seconds, messages);
    if (stage->lock.count > 0)
        lock_pull(stage, seconds, messages);
    for (int i = 0; i < side_count(stage); i++) {
        stage_side *side = &stage->sides[i];
        double begun = console_seconds();
        rlt_status status = rlt_simulation_step(side->simulation, seconds, messages);
        side->seconds = console_seconds() - begun;
        side->seconds_sum += side->seconds;
        side->load = side->load == 0.0 ? side->seconds : side->load + (side->seconds - side->load) / 12.0;
        if (status == RLT_DIVERGED && rlt_simulation_reset(side->simulation, messages) == RLT_OK)
            notice_say(
                &stage->notice, NOTICE_ASKED, RLT_WARNING,
                "side %c diverged at step %lld, and hair was put back into its groom; softer values, or "
                "full quality, stay stable",
                'A' + i, stage->step);
    }
    notice_take(&stage->notice, NOTICE_MOTION, messages);
    rlt_messages_destroy(messages);
    stage->cpu_seconds += cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    stage->step++;
    remember_pose(stage);
}

/* ---- to the pages ---- */

void stage_publish_groom(live_stage *stage) {
    for (int i = 0; i < STAGE_SIDES; i++) {
        const stage_side *side = &stage->sides[i];
        live_document *document = NULL;
        if (i < side_count(stage) && side->simulation != NULL)
            document = pack_groom(side->simulation, side->scene, i, stage->hairs / side_count(stage), NULL);
        live_board_publish(stage->board, i == 0 ? LIVE_GROOM_A : LIVE_GROOM_B, document);
    }
    stage_publish_frame(stage);
}

static void print_named(json *out, const char *name, const rlt_named *list, int count) {
    json_begin_object(out, name);
    for (int i = 0; i < count; i++)
        json_rounded(out, list[i].name, list[i].value);
    json_end_object(out);
}

/* Where the hand has the head in this frame: a page draws ahead from there. */
static void print_pose(json *out, const live_pose *pose) {
    json_begin_array(out, "pose");
    for (int k = 0; k < 3; k++)
        json_rounded(out, NULL, pose->at[k]);
    for (int k = 0; k < 4; k++)
        json_rounded(out, NULL, pose->turn[k]);
    json_end_array(out);
}

static void print_facts(const live_stage *stage, const stage_side *side, json *out) {
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(side->simulation, &s);
    json_begin_object(out, NULL);
    json_rounded(out, "seconds", side->seconds);
    json_rounded(out, "load", side->load);
    json_rounded(out, "answer", stage->answer);
    json_integer(out, "answered", stage->answered);
    print_pose(out, &stage->follow.now);
    json_string(out, "model", s.model);
    json_integer(out, "strands", s.strands);
    json_integer(out, "points", s.points);
    json_rounded(out, "fastest", s.fastest);
    json_rounded(out, "longest", s.longest);
    json_integer(out, "contacts", s.contacts);
    json_rounded(out, "hair_contacts", s.solved_steps > 0 ? s.solved_touching : s.hair_contacts_mean);
    print_named(out, "energies", s.energies, s.energy_count);
    print_named(out, "phases", s.phases, s.phase_count);
    json_end_object(out);
}

static void publish_overlay(live_stage *stage) {
    rlt_diagnostics *diagnostics = NULL;
    if (rlt_simulation_diagnose(stage->sides[0].simulation, NULL, &diagnostics) != RLT_OK)
        return;
    live_board_publish(stage->board, LIVE_OVERLAY, pack_overlay(diagnostics, stage->show, 0, stage->step));
    rlt_diagnostics_destroy(diagnostics);
}

void stage_publish_frame(live_stage *stage) {
    double begun = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    uint64_t all = 0;
    for (int i = 0; i < side_count(stage); i++) {
        stage_side *side = &stage->sides[i];
        if (side->simulation == NULL)
            return;
        rlt_frame_view view = {.size = sizeof view};
        rlt_buffer turns = {.data = side->turns, .type = RLT_FLOAT};
        json facts = {0};
        rlt_simulation_view(side->simulation, &view);
        int turned = rlt_simulation_read(side->simulation, RLT_READ_TURNS, &turns, NULL) == RLT_OK;
        uint64_t checksum = rlt_simulation_checksum(side->simulation);
        all = join(all, checksum);
        print_facts(stage, side, &facts);
        pack_facts frame = {i,
                            stage->step,
                            view.time,
                            checksum,
                            facts.failed ? "" : facts.text,
                            facts.failed ? 0 : facts.size};
        live_board_publish(stage->board, i == 0 ? LIVE_FRAME_A : LIVE_FRAME_B,
                           pack_frame(&view, turned ? side->turns : NULL, &frame));
        json_free(&facts);
    }
    stage->checksum = all;
    if (stage->show != 0)
        publish_overlay(stage);
    stage->pack_seconds += cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - begun;
}
