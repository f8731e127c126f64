#include "contact/hair/springs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/messages.h"
#include "contact/hair/springs_data.h"

/* A particle's contacts together may take this part of its relative velocity in an outer step. The other side
 * does the same, so that twice this must stay below 1, or two particles would swap their velocities again and
 * again. */
static const float bearable = 0.4f;

void rlti_springs_destroy(rlti_springs *s) {
    if (s == NULL)
        return;
    for (int h = 0; s->near != NULL && h < s->def.particles->strand_count; h++)
        if (s->near[h].own)
            rlti_free(s->near[h].items);
    for (int t = 0; s->workers != NULL && t < s->def.threads; t++)
        RLTI_FREE(s->workers[t].items, s->workers[t].spare, s->workers[t].force, s->workers[t].awake);
    RLTI_FREE(s->workers, s->near, s->blocks, s->wakes, s->empty_until, s->reserve, s->laws, s->fresh,
              s->local, s->sparse, s->cluster_of);
    for (int c = 0; c < s->cluster_count; c++)
        rlti_flow_destroy(s->clusters[c].flow);
    RLTI_FREE(s->clusters, s->rest, s->seen, s->rows, s->share, s->last, s->path, s->drift, s->reach_of,
              s->margin, s->place, s->first_run, s->runs, s->boxes, s->live, s->limited, s->searches,
              s->spared, s);
}

static rlti_spring_law law_of(const rlti_hair_data *a, const rlti_hair_data *b, double outer_step) {
    double ramp = 0.5 * (a->contact_ramp + b->contact_ramp);
    rlti_spring_law law = {
        .stiffness = (float)(0.5 * (a->contact_stiffness + b->contact_stiffness)),
        .damping = (float)(0.5 * (a->contact_damping + b->contact_damping)),
        .rise = (float)(ramp > outer_step ? outer_step / ramp : 1.0),
        .break_at = (float)(0.5 * (a->contact_break + b->contact_break)),
        .cling = (float)(0.5 * (a->contact_cling + b->contact_cling)),
        .friction = (float)(0.5 * (a->contact_friction + b->contact_friction)),
        .charge = (float)(0.5 * (a->contact_charge + b->contact_charge)),
        .charge_range = (float)(0.5 * (a->contact_charge_range + b->contact_charge_range)),
    };
    return law;
}

static void make_laws(rlti_springs *s) {
    const rlti_scene_data *scene = s->def.scene;
    double step = s->def.outer_step;
    s->reach = 1.0f;
    for (int a = 0; a < scene->hair_count; a++)
        for (int b = 0; b < scene->hair_count; b++) {
            rlti_spring_law law = law_of(&scene->hair[a], &scene->hair[b], s->def.outer_step);
            s->laws[a * scene->hair_count + b] = law;
            s->reach = fmaxf(s->reach, law.break_at);
            double load = step * ((double)law.damping + step * (double)law.stiffness);
            s->fresh[a] = fmaxf(s->fresh[a], (float)load);
            if (law.charge > 0.0f)
                s->reach = fmaxf(s->reach, law.charge_range);
        }
}

/* The share of its contact forces that a particle can bear in the next step, from what all of them take of
 * its motion in this one. Contacts that are made meanwhile are not known yet: two are always counted with, so
 * that they cannot throw a particle back faster than it came. */
static float share_of(const rlti_springs *s, int section, float inverse_mass, float load) {
    float new_ones = 2.0f * s->fresh[section] * inverse_mass;
    float expected = load > new_ones ? load : new_ones;
    return expected > bearable ? bearable / expected : 1.0f;
}

/* Connected parts of the graph, by depth-first walks from each hair not yet reached. `stack` has the capacity
 * for all. */
static void find_clusters(rlti_springs *s, int *stack) {
    const rlti_graph *graph = s->def.graph;
    for (int h = 0; h < graph->count; h++)
        s->cluster_of[h] = -1;
    for (int h = 0; h < graph->count; h++) {
        if (s->cluster_of[h] >= 0 || graph->first[h] == graph->first[h + 1])
            continue;
        int depth = 0;
        s->clusters[s->cluster_count].strand = h;
        s->cluster_of[h] = s->cluster_count;
        stack[depth++] = h;
        while (depth > 0) {
            int at = stack[--depth];
            for (long long e = graph->first[at]; e < graph->first[at + 1]; e++)
                if (s->cluster_of[graph->to[e]] < 0) {
                    s->cluster_of[graph->to[e]] = s->cluster_count;
                    stack[depth++] = graph->to[e];
                }
        }
        s->cluster_count++;
    }
}

/* Gives a flow to each cluster that has many hairs here: some thousand samples spread over them. 0: out of
 * memory. */
static int make_flows(rlti_springs *s) {
    enum { FEW = 64, EVERY = 16, SAMPLES_MINIMUM = 1024, SAMPLES = 32768 };
    const int *first = s->def.particles->first;
    int strands = s->def.particles->strand_count, done = 1;
    int *samples = RLTI_NEW(int, SAMPLES), *hairs = RLTI_NEW(int, s->cluster_count);
    long long *particles = RLTI_NEW(long long, s->cluster_count);
    done = samples != NULL && hairs != NULL && particles != NULL;
    for (int h = 0; h < strands && done; h++)
        if (s->cluster_of[h] >= 0 && s->local[h]) {
            hairs[s->cluster_of[h]]++;
            particles[s->cluster_of[h]] += first[h + 1] - first[h];
        }
    for (int c = 0; c < s->cluster_count && done; c++) {
        if (hairs[c] < FEW)
            continue;
        long long wanted = particles[c] / EVERY, at = 0;
        wanted = wanted < SAMPLES_MINIMUM ? SAMPLES_MINIMUM : wanted < SAMPLES ? wanted : SAMPLES;
        long long skip = particles[c] / wanted + 1;
        int count = 0;
        for (int h = 0; h < strands; h++)
            for (int p = first[h]; s->cluster_of[h] == c && s->local[h] && p < first[h + 1]; p++)
                if (at++ % skip == 0)
                    samples[count++] = p;
        s->clusters[c].flow = rlti_flow_create(samples, count);
        done = s->clusters[c].flow != NULL;
    }
    RLTI_FREE(samples, hairs, particles);
    return done;
}

static int allocate(rlti_springs *s) {
    const rlti_particles *particles = s->def.particles;
    const rlti_graph *graph = s->def.graph;
    int strands = particles->strand_count, sections = s->def.scene->hair_count, most = 0;
    long long neighbours = 0;
    for (int h = 0; h < strands; h++) {
        int count = particles->first[h + 1] - particles->first[h];
        long long degree = graph->first[h + 1] - graph->first[h];
        most = count > most ? count : most;
        neighbours = degree > neighbours ? degree : neighbours;
    }
    size_t run_count = (size_t)particles->count / RLTI_RUN + (size_t)strands + 1;
    s->is_large = run_count * 4 * RLTI_RUN * sizeof(float) > (1u << 22);
    int done = RLTI_ALLOCATE(
        RLTI_ITEMS(s->near, strands), RLTI_ITEMS(s->workers, s->def.threads),
        RLTI_ITEMS(s->laws, (size_t)sections * (size_t)sections), RLTI_ITEMS(s->fresh, sections),
        RLTI_ITEMS(s->local, strands), RLTI_ITEMS(s->sparse, strands), RLTI_ITEMS(s->cluster_of, strands),
        RLTI_ITEMS(s->clusters, strands), RLTI_ITEMS(s->rest, particles->count),
        RLTI_ITEMS(s->seen, particles->count), RLTI_ITEMS(s->rows, run_count * 4 * RLTI_RUN),
        RLTI_ITEMS(s->share, particles->count), RLTI_ITEMS(s->last, particles->count),
        RLTI_ITEMS(s->path, strands), RLTI_ITEMS(s->drift, strands), RLTI_ITEMS(s->reach_of, strands),
        RLTI_ITEMS(s->margin, strands), RLTI_ITEMS(s->place, strands), RLTI_ITEMS(s->first_run, strands + 1),
        RLTI_ITEMS(s->runs, run_count), RLTI_ITEMS(s->boxes, strands), RLTI_ITEMS(s->live, strands),
        RLTI_ITEMS(s->limited, strands), RLTI_ITEMS(s->searches, strands), RLTI_ITEMS(s->spared, strands));
    for (int t = 0; t < s->def.threads && done; t++) {
        s->workers[t].force = rlti_allocate((size_t)most, sizeof(*s->workers[t].force));
        s->workers[t].awake = RLTI_NEW(rlti_awake, neighbours);
        done = s->workers[t].force != NULL && s->workers[t].awake != NULL;
    }
    return done;
}

/* The mean radius of a hair's particles, and their mean distance [unit]. */
static void find_means(const rlti_particles *particles, int strand, double *radius, double *apart) {
    int first = particles->first[strand], count = particles->first[strand + 1] - first;
    double radii = 0.0, length = 0.0;
    for (int p = first; p < first + count; p++) {
        radii += (double)particles->radius[p];
        if (p > first)
            length += rlti_length(rlti_sub(particles->rest[p], particles->rest[p - 1]));
    }
    *radius = count > 0 ? radii / count : 0.0;
    *apart = count > 1 ? length / (count - 1) : 0.0;
}

/* The margin of each hair: as the scene says, or what suits it: a fifth of the mean distance of its
 * particles, but neither less than 3/4 of their mean radius nor more than twice that, so that the pairs
 * listed stay few where hair is thin and dense. */
static void set_margins(rlti_springs *s) {
    const rlti_particles *particles = s->def.particles;
    /* never nothing: what is searched for must be more than what acts, also after rounding */
    const double least = 1e-3 * particles->largest + 1e-6, given = s->def.scene->contact_margin;
    for (int h = 0; h < particles->strand_count; h++) {
        double radius, apart;
        find_means(particles, h, &radius, &apart);
        double suits = fmax(fmin(0.2 * apart, 2.0 * radius), 0.75 * radius);
        s->margin[h] = (float)fmax(given == RLTI_AUTO ? suits : given, least);
        s->sparse[h] = apart > 5.0 * radius;
    }
}

/* A block to be searched at the next push. */
static void forget(rlti_springs *s, rlti_near_list *list, rlti_block *block, int first) {
    list->wakes[block - list->blocks] = -HUGE_VAL;
    block->first = first;
    block->count = block->room = 0;
    block->valid = block->still = -HUGE_VAL;
    rlti_near_tell_twin(s, block, -HUGE_VAL);
}

/* Where a hair stands among the neighbours of another, which are in ascending order. */
static int place_among(const rlti_graph *graph, int strand, int other) {
    long long low = graph->first[other], high = graph->first[other + 1] - 1;
    while (low < high) {
        long long middle = (low + high) / 2;
        if (graph->to[middle] < strand)
            low = middle + 1;
        else
            high = middle;
    }
    return (int)(low - graph->first[other]);
}

/* One block for each neighbour of each local strand. */
static int make_blocks(rlti_springs *s) {
    const rlti_graph *graph = s->def.graph;
    size_t count = 0;
    for (int h = 0; h < graph->count; h++)
        count += s->local[h] ? (size_t)(graph->first[h + 1] - graph->first[h]) : 0;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(s->blocks, count), RLTI_ITEMS(s->wakes, count),
                       RLTI_ITEMS(s->empty_until, count)))
        return 0;
    rlti_block *next = s->blocks;
    int runs = 0;
    for (int k = 0; k < graph->count; k++) {
        int h = graph->order[k], particles = s->def.particles->first[h + 1] - s->def.particles->first[h];
        s->place[h] = k;
        s->first_run[k] = runs;
        runs += (particles + RLTI_RUN - 1) / RLTI_RUN;
    }
    s->first_run[graph->count] = runs;
    for (int k = 0; k < graph->count; k++) {
        int h = graph->order[k];
        s->near[h].blocks = next;
        s->near[h].wakes = s->wakes + (next - s->blocks);
        for (long long e = graph->first[h]; s->local[h] && e < graph->first[h + 1]; e++, next++) {
            next->strand = graph->to[e];
            forget(s, &s->near[h], next, 0);
        }
    }
    for (int k = 0; k < graph->count; k++)
        for (long long h = graph->order[k], b = 0; s->local[h] && b < graph->first[h + 1] - graph->first[h];
             b++) {
            rlti_block *block = &s->near[h].blocks[b];
            ptrdiff_t start = s->near[block->strand].blocks - s->blocks;
            block->twin = s->local[block->strand] && start < INT_MAX / 2
                              ? (int)start + place_among(graph, (int)h, block->strand)
                              : -1;
        }
    return 1;
}

rlt_status rlti_springs_create(const rlti_springs_def *def, rlt_messages *messages, rlti_springs **springs) {
    rlti_springs *s = RLTI_NEW(rlti_springs, 1);
    int strands = def->particles->strand_count;
    int *stack = RLTI_NEW(int, strands);
    *springs = NULL;
    if (s != NULL)
        s->def = *def;
    if (s == NULL || stack == NULL || !allocate(s)) {
        rlti_springs_destroy(s);
        rlti_free(stack);
        return rlti_out_of_memory(messages);
    }
    s->rate = def->scene->time.fps;
    for (int h = 0; h < strands; h++)
        s->local[h] = def->local == NULL || def->local[h];
    s->def.local = s->local;
    set_margins(s);
    make_laws(s);
    for (int p = 0; p < def->particles->count; p++)
        s->share[p] =
            share_of(s, def->strands->hair[def->particles->strand[p]], def->particles->inverse_mass[p], 0.0f);
    find_clusters(s, stack);
    rlti_free(stack);
    for (int h = 0; h < strands; h++)
        for (int p = def->particles->first[h]; p < def->particles->first[h + 1]; p++)
            s->reach_of[h] = fmaxf(s->reach_of[h], s->reach * def->particles->radius[p]);
    if (!make_flows(s) || !make_blocks(s) || !rlti_near_prepare(s)) {
        rlti_springs_destroy(s);
        return rlti_out_of_memory(messages);
    }
    *springs = s;
    return RLT_OK;
}

size_t rlti_springs_bytes(const rlti_springs *s) {
    const rlti_graph *graph = s->def.graph;
    size_t particles = (size_t)s->def.particles->count, strands = (size_t)s->def.particles->strand_count;
    size_t bytes = sizeof(*s);
    for (int h = 0; h < graph->count; h++) {
        bytes += (size_t)s->near[h].room * sizeof(rlti_near);
        if (s->local[h])
            bytes += (size_t)(graph->first[h + 1] - graph->first[h]) *
                     (sizeof(rlti_block) + sizeof(double) + sizeof(float));
    }
    bytes += (size_t)graph->first[graph->count] * sizeof(int) + strands * sizeof(long long);
    for (int t = 0; t < s->def.threads; t++)
        bytes += (size_t)(s->workers[t].room + s->workers[t].spare_room) * sizeof(rlti_near);
    bytes += particles * (sizeof(rlti_seen) + 8 * sizeof(float)); /* rest, last, share */
    bytes += (particles / RLTI_RUN + strands) * (sizeof(rlti_run_box) + 4 * sizeof(float) * RLTI_RUN);
    bytes += particles * (2 * sizeof(float) + 2 * sizeof(int) + sizeof(rlti_vec3)); /* rlti_particles */
    return bytes + strands * (sizeof(rlti_near_list) + sizeof(rlti_cluster) + sizeof(rlti_run_box) + 60);
}

/* ---- looking ---- */

void rlti_springs_begin_frame(rlti_springs *s, int frame) {
    for (int c = 0; c < s->cluster_count; c++)
        rlti_body_root_segment(s->def.body, &s->def.strands->roots[s->clusters[c].strand], frame,
                               &s->clusters[c].motion);
}

/* Is a flow worth its cost in the next step? To find out where it takes ten particles costs about as much as
 * a search; hair of which each strand moves by itself gains nothing. */
static int wants_flow(rlti_springs *s) {
    enum { PER_SEARCH = 10, PAUSE = 30 };
    const long long particles = s->def.particles->count;
    long long searched = 0, spared = 0;
    int moved = 0; /* 1: some cluster had a flow in the last step */
    for (int c = 0; c < s->cluster_count; c++)
        moved = moved || rlti_flow_moves(s->clusters[c].flow);
    for (int h = 0; h < s->def.particles->strand_count; h++) {
        searched += s->searches[h];
        spared += s->spared[h];
    }
    long long now_searched = searched - s->searched, now_spared = spared - s->all_spared;
    s->searched = searched;
    s->all_spared = spared;
    if (s->unmoved > 0)
        s->unmoved--;
    else if (moved && PER_SEARCH * now_spared < particles)
        s->unmoved = PAUSE;
    return s->unmoved == 0 && PER_SEARCH * (now_searched + now_spared) > 2 * particles;
}

void rlti_springs_pose(rlti_springs *s, double at) {
    int flows = wants_flow(s);
    for (int c = 0; c < s->cluster_count; c++) {
        rlti_cluster *cluster = &s->clusters[c];
        if (cluster->flow != NULL)
            rlti_flow_update(cluster->flow, (const float(*)[3])s->last, flows);
        cluster->strain += rlti_flow_slope(cluster->flow);
        rlti_vec3 velocity;
        rlti_quat q, rate;
        rlti_motion_segment_at(&cluster->motion, at, s->rate, &cluster->origin, &velocity, &q, &rate);
        q = rlti_quat_normalize(q);
        rlti_quat back = rlti_quat_conjugate(q);
        const rlti_vec3 axes[3] = {rlti_quat_rotate(back, rlti_v3(1, 0, 0)),
                                   rlti_quat_rotate(back, rlti_v3(0, 1, 0)),
                                   rlti_quat_rotate(back, rlti_v3(0, 0, 1))};
        for (int column = 0; column < 3; column++) {
            cluster->turn[column] = (float)axes[column].x;
            cluster->turn[3 + column] = (float)axes[column].y;
            cluster->turn[6 + column] = (float)axes[column].z;
        }
    }
}

int rlti_springs_has(const rlti_springs *s, int strand) {
    return s->cluster_of[strand] >= 0;
}

rlti_seen *rlti_springs_seen(rlti_springs *s, int strand) {
    return s->seen + s->def.particles->first[strand];
}

/* The larger of a square and that of the particle's displacement less the flow's, where it was before. */
static float drift2(const rlti_flow *flow, const float last[3], const float at[3], float largest) {
    float carried[3], square = 0.0f;
    rlti_flow_at(flow, last, carried);
    for (int axis = 0; axis < 3; axis++) {
        float own = at[axis] - last[axis] - carried[axis];
        square += own * own;
    }
    return square > largest ? square : largest;
}

void rlti_springs_looked(rlti_springs *s, int strand) {
    const int *first = s->def.particles->first;
    const rlti_cluster *cluster = &s->clusters[s->cluster_of[strand]];
    const float *turn = cluster->turn;
    int flows = rlti_flow_moves(cluster->flow);
    float most = 0.0f, drift = 0.0f;
    for (int p = first[strand]; p < first[strand + 1]; p++) {
        const float *x = s->seen[p].position;
        float *last = s->last[p], at[3], square = 0.0f;
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = turn[3 * axis] * x[0] + turn[3 * axis + 1] * x[1] + turn[3 * axis + 2] * x[2];
            square += (at[axis] - last[axis]) * (at[axis] - last[axis]);
        }
        most = square > most ? square : most;
        if (flows)
            drift = drift2(cluster->flow, last, at, drift);
        memcpy(last, at, sizeof at);
    }
    rlti_near_boxes(s, strand);
    /* a little more than the displacement, for the rounding of all this: some units in the last place of the
     * largest coordinate, in each of the two steps between which a displacement is taken */
    const rlti_run_box *box = &s->boxes[s->place[strand]];
    float largest = 0.0f;
    for (int axis = 0; axis < 3; axis++)
        largest = fmaxf(largest, fmaxf(-box->low[axis], box->high[axis]));
    double rounding = 1e-6 + 3e-6 * (double)largest;
    s->path[strand] += (double)sqrtf(most) * 1.0001 + rounding;
    s->drift[strand] += (double)sqrtf(flows ? drift : most) * 1.0001 + rounding;
}

void rlti_springs_look(rlti_springs *s, int strand, const rlti_vec3 *origin, const float *positions,
                       const float *velocities) {
    const rlti_particles *particles = s->def.particles;
    rlti_vec3 shift = rlti_sub(*origin, s->clusters[s->cluster_of[strand]].origin);
    const double from[3] = {shift.x, shift.y, shift.z};
    for (int p = particles->first[strand]; p < particles->first[strand + 1]; p++) {
        rlti_seen *seen = &s->seen[p];
        int i = 3 * particles->point[p];
        for (int axis = 0; axis < 3; axis++) {
            seen->position[axis] = (float)(from[axis] + (double)positions[i + axis]);
            seen->velocity[axis] = velocities[i + axis];
        }
        seen->share = s->share[p];
        seen->radius = particles->radius[p];
    }
    rlti_springs_looked(s, strand);
}

/* ---- pushing ---- */

/* How much nearer the pairs that are not listed may still come before one of them can act [unit]. */
static double slack_of(const rlti_springs *s, int strand, const rlti_block *block) {
    double strain = s->clusters[s->cluster_of[strand]].strain - block->strain;
    return block->still - (s->drift[strand] + s->drift[block->strand]) - strain * (double)block->span;
}

/* Fetches what a search of a block will read: with many hairs it is not in the cache. */
static void fetch_runs(const rlti_springs *s, double paths, const rlti_block *block) {
    enum { LINE = 64 };
    if (paths < block->valid)
        return;
    const int *range = &s->first_run[s->place[block->strand]];
    int run = range[0], runs = range[1] - run;
    size_t bytes = 4 * sizeof(float) * RLTI_RUN;
    const char *boxes = (const char *)&s->runs[run], *rows = (const char *)s->rows + (size_t)run * bytes;
    for (size_t at = 0; at < (size_t)runs * sizeof *s->runs; at += LINE)
        __builtin_prefetch(boxes + at);
    for (size_t at = 0; at < (size_t)runs * bytes; at += LINE)
        __builtin_prefetch(rows + at);
}

/* Nothing is near, and nothing acts before the paths have come so far. */
static void sleep_until(rlti_springs *s, rlti_near_list *list, rlti_block *block, double paths) {
    list->wakes[block - list->blocks] = block->valid = paths;
    block->count = 0;
    rlti_near_tell_twin(s, block, paths);
}

/* Most pairs of hairs have nothing near: what one of the two has found the other need not search for. */
static int sleeps_as_twin(rlti_springs *s, int strand, rlti_block *block, double paths) {
    if (block->twin < 0 || block->count > 0) /* where something was near, the twin will hardly know better */
        return 0;
    double until = (double)atomic_load_explicit(&s->empty_until[block->twin], memory_order_relaxed);
    if (!(until > paths))
        return 0;
    sleep_until(s, &s->near[strand], block, until);
    return 1;
}

/* Lists the blocks of a strand that are awake, and brings those up to date that may be incomplete; the clock
 * is read once for all. Returns how many are awake, or -1 when out of memory. */
static int wake_blocks(rlti_springs *s, int strand, rlti_springs_worker *worker, double *search_seconds) {
    const rlti_graph *graph = s->def.graph;
    const int *to = graph->to + graph->first[strand];
    rlti_near_list *list = &s->near[strand];
    rlti_block *blocks = list->blocks;
    int degree = (int)(graph->first[strand + 1] - graph->first[strand]), awake = 0, old = 0;
    double begun = 0.0, path = s->path[strand];
    for (int b = 0; b < degree; b++) {
        double paths = path + s->path[to[b]];
        if (paths < list->wakes[b]) /* never after `valid` */
            continue;
        rlti_block *block = &blocks[b];
        double slack = paths < block->valid ? 0.0 : slack_of(s, strand, block);
        if (slack > 0.0) {
            block->valid = paths + slack;
            s->spared[strand]++;
        }
        if (slack > 0.0 && block->count == 0) {
            sleep_until(s, list, block, block->valid);
        } else {
            worker->awake[awake++] = (rlti_awake){b, paths};
            __builtin_prefetch(list->items + block->first); /* for the push */
        }
        if (s->is_large && block->twin >= 0)
            __builtin_prefetch((const void *)&s->empty_until[block->twin]);
    }
    for (int k = 0; k < awake; k++) {
        rlti_block *block = &blocks[worker->awake[k].block];
        double paths = worker->awake[k].paths;
        if (s->is_large && k + 2 < awake)
            fetch_runs(s, worker->awake[k + 2].paths, &blocks[worker->awake[k + 2].block]);
        if (paths < block->valid || sleeps_as_twin(s, strand, block, paths))
            continue;
        if (old++ == 0 && search_seconds != NULL)
            begun = rlti_seconds(CLOCK_MONOTONIC);
        if (!rlti_near_search(s, strand, block, paths, worker))
            return -1;
    }
    if (old > 0 && search_seconds != NULL)
        *search_seconds += rlti_seconds(CLOCK_MONOTONIC) - begun;
    return awake;
}

int rlti_springs_push(rlti_springs *s, int strand, int worker_index, float (*acceleration)[3],
                      double *search_seconds) {
    const rlti_particles *particles = s->def.particles;
    rlti_springs_worker *worker = &s->workers[worker_index];
    int first = particles->first[strand], count = particles->first[strand + 1] - first;
    memset(worker->force, 0, (size_t)count * sizeof(*worker->force));
    int awake = wake_blocks(s, strand, worker, search_seconds);
    if (awake < 0)
        return 0;

    const int *hair = s->def.strands->hair;
    const rlti_spring_law *laws = s->laws + (size_t)hair[strand] * (size_t)s->def.scene->hair_count;
    rlti_block *blocks = s->near[strand].blocks;
    double *wakes = s->near[strand].wakes;
    int live = 0, limited = 0;
    for (int k = 0; k < awake; k++) {
        int b = worker->awake[k].block;
        rlti_block *block = &blocks[b];
        double paths = worker->awake[k].paths;
        if (paths < wakes[b]) /* a search has found nothing */
            continue;
        float gap = s->def.lanes->push(s->seen, &laws[hair[block->strand]], (float)s->def.outer_step,
                                       s->reach, s->near[strand].items + block->first, block->count, first,
                                       worker->force, &live);
        /* nothing new can appear before the list has to be searched again */
        wakes[b] = fmin(paths + (double)gap, block->valid);
    }
    for (int k = 0; k < count; k++) {
        const float *force = worker->force[k];
        float inverse_mass = particles->inverse_mass[first + k], load = force[3] * inverse_mass;
        s->share[first + k] = share_of(s, hair[strand], inverse_mass, load);
        limited += load > 0.0f && s->share[first + k] < 1.0f;
        for (int axis = 0; axis < 3; axis++)
            acceleration[k][axis] = inverse_mass * force[axis];
    }
    s->live[strand] = live;
    s->limited[strand] = limited;
    return 1;
}

rlti_springs_count rlti_springs_counts(const rlti_springs *s) {
    rlti_springs_count count = {0};
    for (int h = 0; h < s->def.particles->strand_count; h++) {
        count.ends += s->live[h];
        count.limited += s->limited[h];
        count.searches += s->searches[h];
    }
    return count;
}

/* ---- memory ---- */

static int by_particles(const void *a, const void *b) {
    const rlti_spring_memory *x = a, *y = b;
    if (x->particle != y->particle)
        return x->particle < y->particle ? -1 : 1;
    return x->other < y->other ? -1 : 1;
}

long long rlti_springs_save(const rlti_springs *s, rlti_spring_memory *memories, long long room) {
    const rlti_graph *graph = s->def.graph;
    long long count = 0;
    for (int h = 0; h < graph->count; h++)
        for (long long b = 0; s->local[h] && b < graph->first[h + 1] - graph->first[h]; b++) {
            const rlti_block *block = &s->near[h].blocks[b];
            for (int k = 0; k < block->count; k++) {
                const rlti_near *near = &s->near[h].items[block->first + k];
                if (!(near->age > 0.0f) || near->other < near->mine)
                    continue;
                if (count < room)
                    memories[count] = (rlti_spring_memory){near->mine, near->other, near->age};
                count++;
            }
        }
    if (count <= room && count > 0)
        qsort(memories, (size_t)count, sizeof(*memories), by_particles);
    return count;
}

/* A contact from one end, with its place in the lists: strand, block, run of mine, run of other, item. */
typedef struct end {
    int strand, block, mine_run, other_run;
    rlti_near item;
} end;

static int by_place(const void *a, const void *b) {
    const end *x = a, *y = b;
    const int keys[][2] = {{x->strand, y->strand},       {x->block, y->block},
                           {x->mine_run, y->mine_run},   {x->other_run, y->other_run},
                           {x->item.mine, y->item.mine}, {x->item.other, y->item.other}};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (keys[k][0] != keys[k][1])
            return keys[k][0] < keys[k][1] ? -1 : 1;
    return 0;
}

static end make_end(const rlti_springs *s, int mine, int other, float age) {
    const int *strand = s->def.particles->strand, *first = s->def.particles->first;
    end e = {.strand = strand[mine],
             .block = strand[other],
             .mine_run = (mine - first[strand[mine]]) / RLTI_RUN,
             .other_run = (other - first[strand[other]]) / RLTI_RUN,
             .item = {.mine = mine, .other = other, .age = age}};
    return e;
}

/* Capacity for all of them, before any is given: a failure leaves the contacts as they were. */
static int reserve(rlti_springs *s, const end *ends, long long count) {
    for (long long i = 0, stop; i < count; i = stop) {
        rlti_near_list *list = &s->near[ends[i].strand];
        for (stop = i; stop < count && ends[stop].strand == ends[i].strand;)
            stop++;
        if (s->local[ends[i].strand] &&
            (stop - i > 1000000000 || !rlti_near_list_room(list, (int)(stop - i))))
            return 0;
    }
    return 1;
}

/* Gives one strand the contacts from *next on that are its own, as if a search had found just them: the next
 * search takes the ages from here. */
static void remember(rlti_springs *s, int strand, const end *ends, long long count, long long *next) {
    rlti_near_list *list = &s->near[strand];
    long long degree = s->def.graph->first[strand + 1] - s->def.graph->first[strand], stop = *next;
    while (stop < count && ends[stop].strand == strand)
        stop++;
    list->used = 0;
    for (long long b = 0; b < degree; b++) {
        rlti_block *block = &list->blocks[b];
        forget(s, list, block, list->used);
        while (*next < stop && ends[*next].block < block->strand)
            (*next)++; /* not in the graph */
        for (; *next < stop && ends[*next].block == block->strand; (*next)++) {
            list->items[list->used++] = ends[*next].item;
            block->count++;
        }
        block->room = block->count;
    }
    *next = stop;
}

rlt_status rlti_springs_restore(rlti_springs *s, const rlti_spring_memory *memories, long long count,
                                rlt_messages *messages) {
    end *ends = rlti_allocate((size_t)count * 2 + 1, sizeof(*ends));
    int done = ends != NULL;
    long long both = 0, next = 0;
    for (long long i = 0; done && i < count; i++) {
        ends[both++] = make_end(s, memories[i].particle, memories[i].other, memories[i].age);
        ends[both++] = make_end(s, memories[i].other, memories[i].particle, memories[i].age);
    }
    if (done)
        qsort(ends, (size_t)both, sizeof(*ends), by_place);
    done = done && reserve(s, ends, both);
    for (int h = 0; done && h < s->def.particles->strand_count; h++) {
        if (s->local[h])
            remember(s, h, ends, both, &next);
        while (next < both && ends[next].strand == h)
            next++;
    }
    rlti_free(ends);
    return done ? RLT_OK : rlti_out_of_memory(messages);
}

void rlti_springs_get_shares(const rlti_springs *s, int strand, float *shares) {
    const int *first = s->def.particles->first;
    memcpy(shares, s->share + first[strand], (size_t)(first[strand + 1] - first[strand]) * sizeof(float));
}

void rlti_springs_set_shares(rlti_springs *s, int strand, const float *shares) {
    const int *first = s->def.particles->first;
    memcpy(s->share + first[strand], shares, (size_t)(first[strand + 1] - first[strand]) * sizeof(float));
}
