#include "sim/settle_kick.h"

#include "base/memory.h"
#include "base/messages.h"

enum { KICKED = 16, SPANS = 3 }; /* strands of a section; times that are compared */

/* Of points and their force and damping steps, over all sections: about a second of one core. */
static const double largest_work = 1e8;
static const double kick_speed = 1.0; /* [unit/s] along each axis */

/* Strands of a section, and how far from the groom each came in each span of time [unit]. */
typedef struct kicked {
    int count;
    int strand[KICKED];
    double displacement[SPANS][KICKED];
} kicked;

/* Urgency of a kick: long rest targets are what makes hair leave its shape. 0: not applicable. */
static void set_scores(const rlt_simulation *sim, const rlti_sag_result *results, double *scores) {
    const unsigned char *local = rlti_drive_local(sim->drive);
    for (int s = 0; s < sim->strands->strand_count; s++) {
        const rlti_sag_data *sag = &sim->scene->hair[sim->strands->hair[s]].sag;
        int open = sag->mode == RLTI_SAG_SOLVE && sag->check && local[s] && results[s].solved &&
                   results[s].stable == 2;
        scores[s] = open ? results[s].ratio : 0.0;
    }
    rlti_ranks_max(rlti_simulation_ranks(sim), scores, sim->strands->strand_count);
}

/* The worst of a section, the first of equals. Those taken are out of question then. */
static kicked choose(const rlt_simulation *sim, int hair, double *scores) {
    kicked chosen = {0};
    while (chosen.count < KICKED) {
        int worst = -1;
        for (int s = 0; s < sim->strands->strand_count; s++)
            if (sim->strands->hair[s] == hair && scores[s] > (worst >= 0 ? scores[worst] : 0.0))
                worst = s;
        if (worst < 0)
            break;
        chosen.strand[chosen.count++] = worst;
        scores[worst] = 0.0;
    }
    return chosen;
}

/* Frames in half a swing of the longest strand, hanging: the slowest motion there is. */
static int span_frames(const rlt_simulation *sim, const kicked *k) {
    const double *g = sim->scene->gravity;
    double gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), longest = 0.0;
    for (int i = 0; i < k->count; i++) {
        int s = k->strand[i];
        longest = fmax(longest, sim->matter->segment[s] * (rlti_matter_points(sim->matter, s) - 1));
    }
    double seconds = gravity > 0.0 ? RLTI_PI * sqrt(longest / gravity) : 1.0;
    return (int)ceil(fmin(seconds, 100.0) * sim->scene->time.fps);
}

static double work_of(const rlt_simulation *sim, const kicked *k) {
    const rlti_time_data *time = &sim->scene->time;
    double points = 0.0;
    for (int i = 0; i < k->count; i++)
        points = fmax(points, rlti_matter_points(sim->matter, k->strand[i]));
    return points * SPANS * span_frames(sim, k) * time->outer_steps * time->force_steps *
           (1.0 + time->damping_steps);
}

/* One strand as groomed, its root at the origin. */
static void place(rlt_simulation *sim, rlti_solver *trial, int s) {
    int first = sim->strands->first[s];
    const rlti_vec3 *rest = sim->strands->points + first;
    const rlti_quat upright = {1.0, 0.0, 0.0, 0.0};
    rlti_vec3 *points = sim->points + first, *velocities = sim->velocities + first;
    for (int p = 0; p < rlti_matter_points(sim->matter, s); p++) {
        double speed = p > 0 ? kick_speed : 0.0;
        points[p] = rlti_sub(rest[p], rest[0]);
        velocities[p] = rlti_v3(speed, speed, speed);
    }
    trial->type->set(trial, s, points, velocities, &upright);
}

/* How far it is from the groom now [unit]. */
static double displacement(rlt_simulation *sim, const rlti_solver *trial, int s) {
    int first = sim->strands->first[s];
    const rlti_vec3 *rest = sim->strands->points + first;
    double farthest = 0.0;
    trial->type->get(trial, s, sim->points + first, sim->velocities + first);
    for (int p = 1; p < rlti_matter_points(sim->matter, s); p++) {
        double here = rlti_length(rlti_sub(sim->points[first + p], rlti_sub(rest[p], rest[0])));
        farthest = here <= farthest ? farthest : here; /* also where it is not a number */
    }
    return farthest;
}

/* Runs the strands of `k`, which are all computed here. */
static rlt_status run_trial(rlt_simulation *sim, const rlti_vec3 *loads, kicked *k, rlt_messages *messages) {
    const rlti_time_data *time = &sim->scene->time;
    const rlti_solver *solver = rlti_simulation_solver(sim, k->strand[0]);
    const double *g = sim->scene->gravity;
    rlti_solver *trial = NULL;
    unsigned char *here = RLTI_NEW(unsigned char, sim->strands->strand_count);
    rlti_interval frame = {.count = time->outer_steps,
                           .steps = time->outer_steps,
                           .rate = time->fps,
                           .gravity = {g[0], g[1], g[2]}};
    for (int i = 0; here != NULL && i < k->count; i++)
        here[k->strand[i]] = 1;
    rlt_status status = here != NULL ? solver->type->trial(solver, here, loads, messages, &trial)
                                     : rlti_out_of_memory(messages);
    rlti_free(here);
    if (status != RLT_OK || trial == NULL)
        return status != RLT_OK ? status : rlti_out_of_memory(messages);
    for (int i = 0; i < k->count; i++)
        place(sim, trial, k->strand[i]);
    trial->type->begin_frame(trial);
    for (int span = 0, frames = span_frames(sim, k); span < SPANS; span++)
        for (int f = 0; f < frames; f++) {
            trial->type->step(trial, &frame);
            for (int i = 0; i < k->count; i++) {
                double now = displacement(sim, trial, k->strand[i]), *maximum = &k->displacement[span][i];
                *maximum = now <= *maximum ? *maximum : now;
            }
        }
    trial->type->destroy(trial);
    return RLT_OK;
}

/* It swings less far each time, and less than at first; below a hundredth of that it is there. */
static int comes_back(const kicked *k, int i) {
    double first = k->displacement[0][i], before = k->displacement[SPANS - 2][i],
           last = k->displacement[SPANS - 1][i];
    return last <= 0.01 * first || (last <= before && last <= first);
}

static rlt_status kick_section(rlt_simulation *sim, const rlti_vec3 *loads, kicked *k,
                               rlti_sag_result *results, rlt_messages *messages) {
    int here = 0;
    for (int i = 0; i < k->count; i++) /* each strand where it is computed */
        if (rlti_simulation_is_local(sim, k->strand[i]))
            k->strand[here++] = k->strand[i];
    k->count = here;
    if (here == 0)
        return RLT_OK;
    rlt_status status = run_trial(sim, loads, k, messages);
    for (int i = 0; i < here && status == RLT_OK; i++) {
        results[k->strand[i]].kicked = 1;
        results[k->strand[i]].stable = (unsigned char)comes_back(k, i);
    }
    return status;
}

rlt_status rlti_simulation_kick_groom(rlt_simulation *sim, const rlti_vec3 *loads, rlti_sag_result *results,
                                      rlt_messages *messages) {
    double *scores = RLTI_NEW(double, sim->strands->strand_count), work = 0.0;
    int fine = scores != NULL;
    rlt_status status = fine ? RLT_OK : rlti_out_of_memory(messages);
    status = rlt_ranks_agree(rlti_simulation_ranks(sim), status, messages);
    if (status == RLT_OK)
        set_scores(sim, results, scores);
    for (int h = 0; h < sim->scene->hair_count && status == RLT_OK; h++) {
        kicked k = choose(sim, h, scores);
        work += work_of(sim, &k);
        if (k.count > 0 && work <= largest_work)
            status = kick_section(sim, loads, &k, results, messages);
    }
    rlti_free(scores);
    return status;
}
