#include "sim/groom_kick.h"

#include "base/memory.h"
#include "base/messages.h"

enum { KICKED = 16, SPANS = 3 }; /* strands of a section; times that are compared */

/* Of points and their force and damping steps, over all sections: about a second of one core. */
static const double most_work = 1e8;
static const double kick_speed = 1.0; /* [unit/s] along each axis */

/* The strands of a tile, and how far from the groom each came in each span of time [unit]. */
typedef struct kicked {
    int count;
    int strand[KICKED];
    double way[SPANS][KICKED];
} kicked;

/* What decides who is kicked: long rest targets are what makes hair leave its shape. 0: not in question. */
static void set_scores(const rlt_simulation *sim, const rlti_sag_result *results, double *scores) {
    const unsigned char *local = rlti_spread_local(sim->spread);
    for (int s = 0; s < sim->model->strand_count; s++) {
        const rlti_sag_data *sag = &sim->scene->hair[sim->strands->hair[s]].sag;
        int open = sag->mode == RLTI_SAG_SOLVE && sag->check && (local == NULL || local[s]) &&
                   results[s].solved && results[s].stable == 2;
        scores[s] = open ? results[s].ratio : 0.0;
    }
    rlti_ranks_max(rlti_spread_handle(sim->spread), scores, sim->model->strand_count);
}

/* The worst of a section, the first of equals. Those taken are out of question then. */
static kicked choose(const rlt_simulation *sim, int hair, double *scores) {
    kicked chosen = {0};
    while (chosen.count < KICKED) {
        int worst = -1;
        for (int s = 0; s < sim->model->strand_count; s++)
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
        const rlti_taz_strand *strand = &sim->model->strands[k->strand[i]];
        longest = fmax(longest, strand->segment * (strand->points - 1));
    }
    double seconds = gravity > 0.0 ? RLTI_PI * sqrt(longest / gravity) : 1.0;
    return (int)ceil(fmin(seconds, 100.0) * sim->scene->time.fps);
}

static double work_of(const rlt_simulation *sim, const kicked *k) {
    const rlti_time_data *time = &sim->scene->time;
    double points = 0.0;
    for (int i = 0; i < k->count; i++)
        points = fmax(points, sim->model->strands[k->strand[i]].points);
    return points * SPANS * span_frames(sim, k) * time->outer_steps * time->force_steps *
           (1.0 + time->damping_steps);
}

/* One strand as groomed, its root at the origin, with what presses on it at rest. */
static void place(rlt_simulation *sim, rlti_tile *tile, int lane, int s, const rlti_vec3 *loads) {
    const rlti_taz_strand *strand = &sim->model->strands[s];
    int first = sim->strands->first[s], count = 0;
    const rlti_vec3 *rest = sim->strands->points + first;
    const rlti_motion_segment still = {.rotation = {{1.0, 0.0, 0.0, 0.0}}};
    rlti_vec3 *points = sim->points + first, *velocities = sim->velocities + first;
    for (int p = 0; p < strand->points; p++) {
        double speed = p > 0 ? kick_speed : 0.0;
        points[p] = rlti_sub(rest[p], rest[0]);
        velocities[p] = rlti_v3(speed, speed, speed);
    }
    sim->kernel->set_state(tile, lane, points, velocities);
    sim->kernel->set_root_frame(tile, lane, strand->root_direction, strand->root_normal);
    sim->kernel->begin_frame(tile, lane, &still, rlti_v3(0, 0, 0));
    if (sim->springs == NULL)
        return;
    const rlti_particles *particles = sim->particles;
    for (int k = particles->first[s]; k < particles->first[s + 1]; k++, count++) {
        int p = first + particles->point[k];
        rlti_vec3 a = rlti_scale(1.0 / sim->model->mass[p], loads[p]);
        sim->pushes[count][0] = (float)a.x;
        sim->pushes[count][1] = (float)a.y;
        sim->pushes[count][2] = (float)a.z;
    }
    sim->kernel->set_pushes(tile, lane, particles->point + particles->first[s],
                            (const float(*)[3])sim->pushes, count);
}

static double way_of(rlt_simulation *sim, const rlti_tile *tile, int lane, int s) {
    int first = sim->strands->first[s];
    const rlti_vec3 *rest = sim->strands->points + first;
    double way = 0.0;
    sim->kernel->get_state(tile, lane, sim->points + first, sim->velocities + first);
    for (int p = 1; p < sim->strands->first[s + 1] - first; p++) {
        double here = rlti_length(rlti_sub(sim->points[first + p], rlti_sub(rest[p], rest[0])));
        way = here <= way ? way : here; /* also where it is not a number */
    }
    return way;
}

/* Runs the strands from..from + count - 1 of `k`; 0 when out of memory. */
static int run_tile(rlt_simulation *sim, const rlti_vec3 *loads, int from, int count, kicked *k) {
    const rlti_time_data *time = &sim->scene->time;
    rlti_tile_def def = {.model = sim->model,
                         .hair = &sim->scene->hair[sim->strands->hair[k->strand[from]]],
                         .strands = k->strand + from,
                         .count = count,
                         .force_step = sim->force_step,
                         .damping_steps = time->damping_steps,
                         .wind = 1,
                         .pushed = sim->springs != NULL};
    rlti_step step = {.gravity = {sim->scene->gravity[0], sim->scene->gravity[1], sim->scene->gravity[2]},
                      .frame_step = 1.0 / ((double)time->outer_steps * time->force_steps),
                      .force_steps = time->outer_steps * time->force_steps,
                      .rate = time->fps};
    rlti_tile *tile = sim->kernel->create(&def);
    if (tile == NULL)
        return 0;
    for (int lane = 0; lane < count; lane++)
        place(sim, tile, lane, k->strand[from + lane], loads);
    sim->kernel->bind(tile, sim->scratch);
    for (int span = 0, frames = span_frames(sim, k); span < SPANS; span++)
        for (int f = 0; f < frames; f++) {
            sim->kernel->run(tile, &step);
            for (int lane = 0; lane < count; lane++) {
                double way = way_of(sim, tile, lane, k->strand[from + lane]);
                double *most = &k->way[span][from + lane];
                *most = way <= *most ? *most : way;
            }
        }
    sim->kernel->destroy(tile);
    return 1;
}

/* It swings less far each time, and less than at first; below a hundredth of that it is there. */
static int comes_back(const kicked *k, int i) {
    double first = k->way[0][i], before = k->way[SPANS - 2][i], last = k->way[SPANS - 1][i];
    return last <= 0.01 * first || (last <= before && last <= first);
}

static int kick_section(rlt_simulation *sim, const rlti_vec3 *loads, kicked *k, rlti_sag_result *results) {
    const unsigned char *local = rlti_spread_local(sim->spread);
    int here = 0, fine = 1;
    for (int i = 0; i < k->count; i++) /* each strand where it is computed */
        if (local == NULL || local[k->strand[i]])
            k->strand[here++] = k->strand[i];
    k->count = here;
    for (int from = 0; from < here && fine; from += sim->kernel->lanes)
        fine = run_tile(sim, loads, from, here - from < sim->kernel->lanes ? here - from : sim->kernel->lanes,
                        k);
    for (int i = 0; i < here && fine; i++) {
        results[k->strand[i]].kicked = 1;
        results[k->strand[i]].stable = (unsigned char)comes_back(k, i);
    }
    return fine;
}

rlt_status rlti_simulation_kick_groom(rlt_simulation *sim, const rlti_vec3 *loads, rlti_sag_result *results,
                                      rlt_messages *messages) {
    double *scores = RLTI_NEW(double, sim->model->strand_count), work = 0.0;
    int fine = scores != NULL;
    rlt_status status = fine ? RLT_OK : rlti_out_of_memory(messages);
    status = rlt_ranks_agree(rlti_spread_handle(sim->spread), status, messages);
    if (status == RLT_OK)
        set_scores(sim, results, scores);
    for (int h = 0; h < sim->scene->hair_count && status == RLT_OK; h++) {
        kicked k = choose(sim, h, scores);
        work += work_of(sim, &k);
        if (k.count > 0 && work <= most_work && !kick_section(sim, loads, &k, results))
            status = rlti_out_of_memory(messages);
    }
    rlti_free(scores);
    return status;
}
