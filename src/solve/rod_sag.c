#include "solve/rod_sag.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/messages.h"
#include "scene/readers.h"
#include "solve/coil_sag_strand.h"
#include "solve/rod_sag_strand.h"

/* Longer strands are solved, but kicked instead of checked. */
enum { CHECKED_POINTS_MAX = 1000 };

/* Each time the equilibrium is not stable, bending and twisting of the strand become this much stiffer. */
static const double boost_step = 1.5;

struct rlti_rod_sag {
    int threads;
    const rlti_implicit *engine;    /* for checks, or NULL */
    rlti_vec3 **forces;             /* [threads][points of the longest] */
    rlti_rod_sag_scratch **scratch; /* [threads], or NULL: nothing is checked */
};

typedef struct job {
    const rlti_solver_def *def;
    rlti_rod_model *model;
    const unsigned char *local;
    const rlti_vec3 *loads;
    rlti_rod_sag *sag;
    rlti_sag_result *results;
    int *no_memory; /* [threads] */
} job;

/* Forces on the points beyond each one. Of a preload, that share of the weight only, and maybe only the next
 * point's own. */
static void sum_forces(const rlti_rod_model *model, const rlti_scene_data *scene, const rlti_sag_data *sag,
                       const rlti_vec3 *loads, int strand, rlti_vec3 *forces) {
    const rlti_rod_strand *s = &model->strands[strand];
    const double *g = scene->gravity, share = sag->mode == RLTI_SAG_PRELOAD ? sag->amount : 1.0;
    int alone = sag->mode == RLTI_SAG_PRELOAD && sag->mass == RLTI_SAG_POINT;
    rlti_vec3 sum = rlti_v3(0, 0, 0);
    for (int i = s->points - 1; i >= 0; i--) {
        forces[i] = sum;
        int p = s->first + i;
        rlti_vec3 weight = rlti_scale(share * model->mass[p], rlti_v3(g[0], g[1], g[2]));
        sum = alone ? weight : rlti_add(sum, weight);
        if (loads != NULL && !alone)
            sum = rlti_add(sum, loads[p]);
    }
}

static void stiffen(rlti_rod_model *model, int strand, double factor) {
    const rlti_rod_strand *s = &model->strands[strand];
    for (int p = s->first; p < s->first + s->points; p++)
        for (int k = RLTI_ROD_EI_0; k <= RLTI_ROD_GJ; k++)
            model->stiffness[p][k] *= factor;
}

static rlti_rod_sag_outcome solve(rlti_rod_model *model, int strand, const rlti_vec3 *points,
                                  const rlti_vec3 *forces) {
    return model->coil ? rlti_coil_sag_solve(model, strand, points, forces)
                       : rlti_rod_sag_solve(model, strand, points, forces);
}

static int is_stable(const job *j, int strand, int worker, const rlti_vec3 *points) {
    return j->model->coil ? rlti_coil_sag_is_stable(j->sag->engine, j->model, strand, points)
                          : rlti_rod_sag_is_stable(j->sag->scratch[worker], j->model, strand, points);
}

/* Solve, check, stiffen, solve again. */
static void solve_strand(const job *j, int strand, int worker, rlti_sag_result *result) {
    const rlti_scene_data *scene = j->def->scene;
    const rlti_sag_data *sag = &scene->hair[j->def->strands->hair[strand]].sag;
    const rlti_vec3 *points = j->def->strands->points + j->def->strands->first[strand];
    rlti_vec3 *forces = j->sag->forces[worker];
    int solving = sag->mode == RLTI_SAG_SOLVE;
    sum_forces(j->model, scene, sag, j->loads, strand, forces);
    for (;;) {
        rlti_rod_sag_outcome outcome = solve(j->model, strand, points, forces);
        result->ratio = outcome.ratio;
        result->solved = (unsigned char)(solving && outcome.solved);
        if (!solving || !sag->check || j->model->strands[strand].points > CHECKED_POINTS_MAX)
            return;
        result->stable = (unsigned char)is_stable(j, strand, worker, points);
        j->no_memory[worker] = j->no_memory[worker] || result->stable == 2;
        if (result->stable != 0 || !outcome.solved || result->factor * boost_step > sag->stiffen)
            return;
        result->factor *= boost_step;
        stiffen(j->model, strand, boost_step);
        rlti_rod_model_reshape(j->model, strand, points);
    }
}

static void hold_strand(void *context, int strand, int worker) {
    const job *j = context;
    if (!j->local[strand] || !j->def->mine[strand])
        return;
    j->results[strand] = (rlti_sag_result){.ratio = 1.0, .factor = 1.0, .stable = 2};
    if (j->def->scene->hair[j->def->strands->hair[strand]].sag.mode != RLTI_SAG_OFF)
        solve_strand(j, strand, worker, &j->results[strand]);
}

void rlti_rod_sag_destroy(rlti_rod_sag *sag) {
    if (sag == NULL)
        return;
    for (int t = 0; t < sag->threads; t++) {
        if (sag->forces != NULL)
            rlti_free(sag->forces[t]);
        if (sag->scratch != NULL)
            rlti_rod_sag_scratch_destroy(sag->scratch[t]);
    }
    RLTI_FREE(sag->forces, sag->scratch, sag);
}

/* `engine`: for checks of stability, or NULL. */
static rlti_rod_sag *create(const rlti_rod_model *model, int threads, const rlti_implicit *engine) {
    int longest = rlti_matter_longest(model->matter);
    int checked = longest < CHECKED_POINTS_MAX ? longest : CHECKED_POINTS_MAX;
    rlti_rod_sag *sag = RLTI_NEW(rlti_rod_sag, 1);
    if (sag == NULL)
        return NULL;
    sag->threads = threads;
    sag->engine = engine;
    sag->forces = RLTI_NEW(rlti_vec3 *, threads);
    sag->scratch = engine != NULL ? RLTI_NEW(rlti_rod_sag_scratch *, threads) : NULL;
    int fine = sag->forces != NULL && (engine == NULL || sag->scratch != NULL);
    for (int t = 0; fine && t < threads; t++) {
        sag->forces[t] = RLTI_NEW(rlti_vec3, longest);
        fine = sag->forces[t] != NULL;
        if (fine && engine != NULL) {
            sag->scratch[t] = rlti_rod_sag_scratch_create(engine, checked);
            fine = sag->scratch[t] != NULL;
        }
    }
    if (fine)
        return sag;
    rlti_rod_sag_destroy(sag);
    return NULL;
}

rlti_rod_sag *rlti_rod_sag_create(const rlti_rod_model *model, int threads) {
    return create(model, threads, NULL);
}

rlt_status rlti_rod_sag_apply(rlti_rod_model *model, const rlti_solver_def *def, const unsigned char *local,
                              const rlti_vec3 *loads, rlt_messages *messages, rlti_sag_result *results) {
    rlti_rod_sag *sag = create(model, rlti_pool_threads(def->pool), rlti_implicit_select(def->simd));
    if (sag == NULL)
        return rlti_out_of_memory(messages);
    int *no_memory = RLTI_NEW(int, sag->threads), fine = no_memory != NULL;
    job j = {def, model, local, loads, sag, results, no_memory};
    if (fine)
        rlti_pool_for(def->pool, model->strand_count, hold_strand, &j);
    for (int t = 0; t < sag->threads && fine; t++)
        fine = !no_memory[t];
    rlti_free(no_memory);
    rlti_rod_sag_destroy(sag);
    return fine ? RLT_OK : rlti_out_of_memory(messages);
}

void rlti_rod_sag_again(rlti_rod_sag *sag, rlti_rod_model *model, const rlti_solver_def *def,
                        const rlti_vec3 *loads, int strand, int worker, const rlti_vec3 *points) {
    sum_forces(model, def->scene, &def->scene->hair[def->strands->hair[strand]].sag, loads, strand,
               sag->forces[worker]);
    solve(model, strand, points, sag->forces[worker]);
}

void rlti_rod_sag_describe(const rlti_hair_data *hair, double ratio, rlti_sag_words *words) {
    double degrees = sqrt(fmax(ratio * ratio - 1.0, 0.0)) * 180.0 / RLTI_PI;
    int coil = rlti_hair_is_coil(hair), converted = hair->rod.converted;
    *words = (rlti_sag_words){
        .weak = coil ? "straight places, which have no plane to bend in, or too little stiffness"
                     : "joints without bending stiffness, or folded by more than 150 degrees",
        .stiffen = coil        ? "straight hair: set hair.model to rod; limp hair: raise hair.coil.bend and "
                                 "hair.coil.torsion"
                   : converted ? "raise hair.bend.stiffness, which is converted"
                               : "raise hair.rod.young or hair.rod.radius",
        .steady = coil        ? "raise hair.coil.bend and hair.coil.torsion, or hair.sag.stiffen"
                  : converted ? "raise hair.bend.stiffness, which is converted, or hair.sag.stiffen"
                              : "raise hair.rod.young, hair.rod.radius or hair.sag.stiffen",
    };
    snprintf(words->changed, sizeof words->changed, "changes rest angles by up to %.0f degrees at a point",
             degrees);
    snprintf(words->reach, sizeof words->reach, "rest angles changed by up to %.0f degrees at a point",
             degrees);
}
