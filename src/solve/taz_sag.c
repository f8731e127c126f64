#include "solve/taz_sag.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/messages.h"
#include "solve/taz_sag_strand.h"

/* Longer strands are solved, but the second derivative of so many points is not checked. */
enum { CHECKED_EDGES_MAX = 400, TRIES_MAX = 8 };

/* Each time the equilibrium is not stable, all bending of the strand becomes this much stiffer. */
static const double boost_step = 1.5;
static const double paper_boost = 5.0;

/* One worker's memory. */
typedef struct sag_scratch {
    sag_strand strand;
    lane3 *lift; /* [edges] weight of the point beyond, or of all beyond */
} sag_scratch;

struct rlti_taz_sag {
    int threads;
    sag_scratch *scratch; /* [threads] */
};

typedef struct job {
    const rlti_taz_sag_def *def;
    rlti_taz_model *model;
    rlti_sag_result *results;
    sag_scratch *all; /* [threads] */
} job;

/* The load of each edge: all forces on the points beyond it. With `point` only its own point's weight. */
static void set_loads(const rlti_taz_sag_def *def, const rlti_taz_model *model, int index,
                      sag_scratch *scratch, int point) {
    const rlti_taz_strand *strand = &model->strands[index];
    const double *g = def->scene->gravity;
    lane3 sum = zero3();
    for (int i = strand->points - 2; i >= 0; i--) {
        int p = strand->first + i + 1;
        double m = model->mass[p];
        lane3 weight = {m * g[0], m * g[1], m * g[2]};
        sum = point ? weight : add3(sum, weight);
        scratch->lift[i] = sum;
        scratch->strand.edge[i].load = sum;
    }
    if (def->loads == NULL)
        return;
    sum = zero3();
    for (int i = strand->points - 2; i >= 0; i--) {
        rlti_vec3 load = def->loads[strand->first + i + 1];
        lane3 more = {load.x, load.y, load.z};
        sum = add3(sum, more);
        scratch->strand.edge[i].load = add3(scratch->strand.edge[i].load, sum);
    }
}

/* Targets and stiffness go to the model. Damping follows the stiffness, so that the ratio to critical stays,
 * up to the damping of stretching, which the damping steps bear anyway. */
static double write_back(rlti_taz_model *model, int index, const sag_strand *s) {
    double greatest = 1.0;
    for (int i = 0; i < s->edges; i++) {
        const sag_edge *edge = &s->edge[i];
        int p = model->strands[index].first + i;
        model->target[p][0] = edge->c.x;
        model->target[p][1] = edge->c.y;
        model->target[p][2] = edge->c.z;
        model->rest[p] = edge->rest;
        if (edge->bend_k > edge->bend_given) {
            double factor = edge->bend_k / edge->bend_given, c = model->bend_c[p] * sqrt(factor);
            double maximum = model->stretch_c[p] > model->bend_c[p] ? model->stretch_c[p] : model->bend_c[p];
            model->bend_k[p] = edge->bend_k;
            model->bend_c[p] = c < maximum ? c : maximum;
            greatest = factor > greatest ? factor : greatest;
        }
    }
    return greatest;
}

/* The printed forces have no energy to check. What keeps them at the equilibrium was found by trying: some
 * times the stiffness that the variational form needs (docs/design/sag.md). */
static void start_as_stiff_as_variational(sag_strand *s, double limit) {
    s->variational = 1;
    rlti_sag_strand_solve(s, limit, paper_boost);
    s->variational = 0;
    for (int i = 0; i < s->edges; i++)
        s->edge[i].bend_min = s->edge[i].bend_k;
}

/* Solve, look, stiffen, solve again. */
static void solve_strand(const rlti_sag_data *sag, sag_scratch *scratch, rlti_sag_result *result) {
    sag_strand *s = &scratch->strand;
    double boost = 1.0;
    result->solved = 1;
    result->stable = 2;
    for (int i = 0; i < s->edges; i++)
        result->solved = result->solved && s->edge[i].bend_given > 0.0;
    if (!s->variational)
        start_as_stiff_as_variational(s, sag->limit);
    for (int tries = 0; tries < TRIES_MAX; tries++, boost *= boost_step) {
        result->ratio = rlti_sag_strand_solve(s, sag->limit, boost);
        if (!sag->check || !s->variational || s->edges > CHECKED_EDGES_MAX)
            return;
        result->stable = (unsigned char)rlti_sag_strand_is_stable(s);
        if (result->stable || sag->stiffen <= 1.0)
            return;
    }
}

/* One strand with the rest shape `points`. */
static void begin_strand(const rlti_taz_sag_def *def, const rlti_taz_model *model, int index, double stiffen,
                         const rlti_vec3 *points, sag_scratch *scratch) {
    const rlti_hair_data *hair = &def->scene->hair[def->strands->hair[index]];
    const rlti_sag_data *sag = &hair->sag;
    scratch->strand.variational = hair->formulation == RLTI_VARIATIONAL;
    rlti_sag_strand_begin(&scratch->strand, model, index, points, def->force_step, stiffen);
    set_loads(def, model, index, scratch, sag->mode == RLTI_SAG_PRELOAD && sag->mass == RLTI_SAG_POINT);
}

static void hold_strand(void *context, int index, int worker) {
    const job *j = context;
    const rlti_taz_sag_def *def = j->def;
    rlti_sag_result *result = &j->results[index];
    const rlti_sag_data *sag = &def->scene->hair[def->strands->hair[index]].sag;
    if ((def->mine != NULL && !def->mine[index]) || (def->local != NULL && !def->local[index]))
        return;
    *result = (rlti_sag_result){.ratio = 1.0, .factor = 1.0, .stable = 2};
    if (sag->mode == RLTI_SAG_OFF)
        return;
    sag_scratch *scratch = &j->all[worker];
    sag_strand *s = &scratch->strand;
    begin_strand(def, j->model, index, sag->stiffen, def->strands->points + def->strands->first[index],
                 scratch);
    if (sag->mode == RLTI_SAG_PRELOAD) {
        rlti_sag_strand_preload(s, scratch->lift, sag->amount);
        for (int i = 0; i < s->edges; i++) {
            const sag_edge *edge = &s->edge[i];
            double ratio = sqrt(dot3(edge->target, edge->target)) / edge->length;
            result->ratio = ratio > result->ratio ? ratio : result->ratio;
        }
    } else {
        solve_strand(sag, scratch, result);
    }
    result->factor = write_back(j->model, index, s);
}

static int scratch_create(sag_scratch *r, int edges, int checked) {
    size_t n = (size_t)edges, wide = 3 * (size_t)checked;
    r->strand.edge = RLTI_NEW(sag_edge, n);
    r->strand.forces = RLTI_NEW(double, 3 * n);
    r->strand.hessian = RLTI_NEW(double, wide *wide);
    r->lift = RLTI_NEW(lane3, n);
    return r->strand.edge != NULL && r->strand.forces != NULL && r->strand.hessian != NULL && r->lift != NULL;
}

static void scratch_destroy(sag_scratch *r) {
    RLTI_FREE(r->strand.edge, r->strand.forces, r->strand.hessian, r->lift);
}

void rlti_taz_sag_destroy(rlti_taz_sag *work) {
    if (work == NULL)
        return;
    for (int t = 0; work->scratch != NULL && t < work->threads; t++)
        scratch_destroy(&work->scratch[t]);
    rlti_free(work->scratch);
    rlti_free(work);
}

/* Scratch for the longest strand, and for checking the stability of one of up to `maximum` edges. */
static rlti_taz_sag *create(const rlti_taz_model *model, int threads, int maximum) {
    int edges = 1, fine = 1;
    for (int s = 0; s < model->strand_count; s++)
        edges = model->strands[s].points - 1 > edges ? model->strands[s].points - 1 : edges;
    rlti_taz_sag *work = RLTI_NEW(rlti_taz_sag, 1);
    if (work == NULL)
        return NULL;
    work->threads = threads;
    work->scratch = RLTI_NEW(sag_scratch, threads);
    fine = work->scratch != NULL;
    for (int t = 0; fine && t < threads; t++)
        fine = scratch_create(&work->scratch[t], edges, edges < maximum ? edges : maximum);
    if (fine)
        return work;
    rlti_taz_sag_destroy(work);
    return NULL;
}

rlti_taz_sag *rlti_taz_sag_create(const rlti_taz_model *model, int threads) {
    return create(model, threads, 0);
}

rlt_status rlti_taz_sag_apply(const rlti_taz_sag_def *def, rlti_taz_model *model, rlt_messages *messages,
                              rlti_sag_result *results) {
    rlti_taz_sag *work = create(model, rlti_pool_threads(def->pool), CHECKED_EDGES_MAX);
    if (work == NULL)
        return rlti_out_of_memory(messages);
    job j = {def, model, results, work->scratch};
    rlti_pool_for(def->pool, model->strand_count, hold_strand, &j);
    rlti_taz_sag_destroy(work);
    return RLT_OK;
}

void rlti_taz_sag_again(const rlti_taz_sag_def *def, rlti_taz_model *model, rlti_taz_sag *work, int strand,
                        int worker, const rlti_vec3 *points) {
    const rlti_sag_data *sag = &def->scene->hair[def->strands->hair[strand]].sag;
    sag_scratch *scratch = &work->scratch[worker];
    begin_strand(def, model, strand, 1.0, points, scratch); /* 1: no edge may become stiffer */
    if (sag->mode == RLTI_SAG_PRELOAD)
        rlti_sag_strand_preload(&scratch->strand, scratch->lift, sag->amount);
    else
        rlti_sag_strand_solve(&scratch->strand, sag->limit, 1.0);
    write_back(model, strand, &scratch->strand);
}

void rlti_taz_sag_describe(const rlti_hair_data *hair, double ratio, rlti_sag_words *words) {
    (void)hair;
    *words = (rlti_sag_words){
        .weak = "edges without bending stiffness",
        .stiffen = "raise bend.stiffness",
        .steady = "raise bend.stiffness, sag.stiffen or time.force_steps",
    };
    snprintf(words->changed, sizeof words->changed, "lifts rest targets to %.3g times their edges", ratio);
    snprintf(words->reach, sizeof words->reach, "rest targets up to %.3g times their edges", ratio);
}
