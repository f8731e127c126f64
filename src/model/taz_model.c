#include "model/taz_model.h"

#include "base/checksum.h"
#include "base/memory.h"
#include "base/messages.h"
#include "model/fold.h"

double rlti_taz_lag(double segment, double alpha) {
    double beta = rlti_fold_beta(segment, alpha);
    return segment * (1.0 + 2.0 * (1.0 - beta) / beta);
}

/* A near-degenerate edge (real grooms have some of a thousandth of a unit) counts as a fifth of the strand's
 * mean segment: its true stiffness would need thousands of steps for nothing anyone can see. A whole strand
 * of such edges takes a share of what its groom has elsewhere (rlti_strands.minimum). */
static double effective_length(double minimum, double length) {
    return length > minimum ? length : minimum;
}

static double minimum_length(const rlti_taz_strand *s, const rlti_strands *strands, int index) {
    double minimum = 0.2 * s->segment;
    if (strands->minimum != NULL && strands->minimum[index] > minimum)
        minimum = strands->minimum[index];
    return minimum;
}

/* Edge constants: coefficients at the edge's middle, rescaled to its length (docs/design/resolution.md). */
static void set_edges(rlti_taz_model *model, const rlti_taz_strand *s, const rlti_strands *strands,
                      const rlti_hair_data *hair, double total, double minimum) {
    double lag_ratio = rlti_taz_lag(1.0, hair->bend_smoothing) /
                       rlti_taz_lag(effective_length(minimum, s->segment), hair->bend_smoothing);
    double along = 0.0;
    for (int i = 0; i + 1 < s->points; i++) {
        int p = s->first + i;
        double l = model->rest[p];
        double at = (along + 0.5 * l) / total;
        along += l;
        double per_length = 1.0 / effective_length(minimum, l);
        model->stretch_k[p] = rlti_strands_edge_value(strands, &hair->stretch_stiffness, p, at) * per_length;
        model->stretch_c[p] = rlti_strands_edge_value(strands, &hair->stretch_damping, p, at) * per_length;
        model->bend_k[p] = rlti_strands_edge_value(strands, &hair->bend_stiffness, p, at) * per_length *
                           lag_ratio * lag_ratio;
        model->bend_c[p] = rlti_strands_edge_value(strands, &hair->bend_damping, p, at) * per_length;
        model->core_k[p] = rlti_strands_edge_value(strands, &hair->core_stiffness, p, at) * per_length;
        model->core_dk[p] = rlti_strands_edge_value(strands, &hair->core_stiffness_max, p, at) * per_length -
                            model->core_k[p];
        model->core_c[p] = rlti_strands_edge_value(strands, &hair->core_damping, p, at) * per_length;
        model->core_dc[p] =
            rlti_strands_edge_value(strands, &hair->core_damping_max, p, at) * per_length - model->core_c[p];
    }
}

/* Point masses: half of each adjoining edge's; density and drag are ramps too. */
static void set_points(rlti_taz_model *model, const rlti_taz_strand *s, const rlti_strands *strands,
                       const rlti_hair_data *hair, double total, double minimum) {
    double along = 0.0;
    for (int i = 0; i < s->points; i++) {
        int p = s->first + i;
        double before = i > 0 ? model->rest[p - 1] : 0.0,
               mass_before = i > 0 ? effective_length(minimum, before) : 0.0;
        double mass_after = i + 1 < s->points ? effective_length(minimum, model->rest[p]) : 0.0;
        along += before;
        model->mass[p] =
            rlti_strands_value(strands, &hair->mass, p, along / total) * 0.5 * (mass_before + mass_after);
        model->drag[p] = rlti_strands_value(strands, &hair->drag, p, along / total);
    }
}

/* Lengths, and what is stated in terms of them. Returns the strand's. */
static double set_lengths(rlti_taz_model *model, rlti_taz_strand *s, const rlti_hair_data *hair,
                          const rlti_vec3 *points) {
    double total = 0.0;
    for (int i = 0; i + 1 < s->points; i++) {
        int p = s->first + i;
        model->rest[p] = rlti_length(rlti_sub(points[i + 1], points[i]));
        model->stretch_limit[p] = hair->stretch_limit > 0.0 ? hair->stretch_limit * model->rest[p] : HUGE_VAL;
        total += model->rest[p];
    }
    s->segment = total / (s->points - 1);
    model->matter->segment[s - model->strands] = s->segment;
    s->velocity_limit = hair->velocity_limit > 0.0 ? hair->velocity_limit * s->segment : HUGE_VAL;
    return total;
}

/* Rest targets tbar_i and rest core |bbar_i|. */
static void set_rest_shape(rlti_taz_model *model, rlti_taz_strand *s, const rlti_vec3 *points) {
    rlti_fold_root root = rlti_fold_root_of(points);
    s->root_direction = root.u;
    s->root_normal = root.n;
    rlti_fold(s->bend_beta, s->points, root, points, model->target + s->first);
    rlti_fold_smooth(s->core_beta, s->points, points, model->core_rest + s->first);
    s->core_length = 0.0;
    for (int i = 0; i + 1 < s->points; i++)
        s->core_length += model->core_rest[s->first + i];
}

void rlti_taz_model_reshape(rlti_taz_model *model, int index, const rlti_hair_data *hair,
                            const rlti_vec3 *points) {
    rlti_taz_strand *s = &model->strands[index];
    set_lengths(model, s, hair, points);
    set_rest_shape(model, s, points);
}

static void set_strand(rlti_taz_model *model, int index, const rlti_strands *strands,
                       const rlti_hair_data *hair) {
    rlti_taz_strand *s = &model->strands[index];
    s->first = strands->first[index];
    s->points = strands->first[index + 1] - s->first;
    s->hair = strands->hair[index];
    const rlti_vec3 *points = strands->points + s->first;

    double total = set_lengths(model, s, hair, points);
    s->bend_beta = rlti_fold_beta(s->segment, hair->bend_smoothing);
    s->core_beta = rlti_fold_beta(s->segment, hair->core_smoothing);
    s->core_begin = hair->core_blend[0];
    s->core_end = hair->core_blend[1];
    double minimum = minimum_length(s, strands, index);
    set_edges(model, s, strands, hair, total, minimum);
    set_points(model, s, strands, hair, total, minimum);
    set_rest_shape(model, s, points);
}

/* How much of a core coefficient counts where steps are judged: the core acts through the smoothing S on both
 * sides, and a chain answers a wave of k radians per edge with 4 sin^2(k/2), so the greatest |S(k)|^2
 * sin^2(k/2) over all waves. |S(k)| = beta^2 / (1 - 2 q cos k + q^2). */
static double core_share(double beta) {
    double q = 1.0 - beta, greatest = 0.0;
    for (int i = 1; i <= 64; i++) {
        double k = RLTI_PI * i / 64, s = beta * beta / (1.0 - 2.0 * q * rlti_cos(k) + q * q),
               half = rlti_sin(0.5 * k);
        double share = s * s * half * half;
        greatest = share > greatest ? share : greatest;
    }
    return greatest;
}

/* The same for bending: the target of an edge turns with the smoothed direction of the edges before it, so a
 * wave meets |1 - e^{-ik} S(k)|^2 sin^2(k/2), S = beta^2 / (1 - q e^{-ik})^2: up to 4 without smoothing,
 * about 1 with much. */
static double bend_share(double beta) {
    double q = 1.0 - beta, greatest = 0.0;
    for (int i = 1; i <= 64; i++) {
        double k = RLTI_PI * i / 64, c = rlti_cos(k), s = rlti_sin(k), half = rlti_sin(0.5 * k);
        double a = 1.0 - q * c, b = q * s;                         /* 1 - q e^{-ik} = a + ib */
        double square_re = a * a - b * b, square_im = 2.0 * a * b; /* its square */
        double size2 = square_re * square_re + square_im * square_im;
        double smooth_re = beta * beta * square_re / size2, smooth_im = -beta * beta * square_im / size2;
        double re = 1.0 - (c * smooth_re + s * smooth_im), im = -(c * smooth_im - s * smooth_re);
        double share = (re * re + im * im) * half * half;
        greatest = share > greatest ? share : greatest;
    }
    return greatest;
}

static const double safety = 0.95; /* of the exact limit of a uniform chain */

/* The root does not move: only the free end of the first edge has a finite mass. */
static double edge_mobility(const rlti_taz_model *model, const rlti_taz_strand *strand, int edge) {
    int p = strand->first + edge;
    return (edge > 0 ? 1.0 / model->mass[p] : 0.0) + 1.0 / model->mass[p + 1];
}

double rlti_taz_bend_max(const rlti_taz_model *model, int index, int edge, double force_step) {
    const rlti_taz_strand *strand = &model->strands[index];
    int p = strand->first + edge;
    double limit = 2.0 * safety / force_step;
    double k = limit * limit / (2.0 * edge_mobility(model, strand, edge)) - model->stretch_k[p] -
               core_share(strand->core_beta) * (model->core_k[p] + model->core_dk[p]);
    return k > 0.0 ? k / bend_share(strand->bend_beta) : 0.0;
}

/* All damping of an edge, with the core's share. */
static double edge_damping(const rlti_taz_model *model, int p, double core) {
    double c = model->stretch_c[p] > model->bend_c[p] ? model->stretch_c[p] : model->bend_c[p];
    return c + core * (model->core_c[p] + model->core_dc[p]);
}

rlti_taz_load rlti_taz_model_load(const rlti_taz_model *model, double force_step, int damping_steps) {
    double damping_step = force_step / (damping_steps > 0 ? damping_steps : 1);
    rlti_taz_load load = {0};
    for (int s = 0; s < model->strand_count; s++) {
        const rlti_taz_strand *strand = &model->strands[s];
        double share = core_share(strand->core_beta), bend = bend_share(strand->bend_beta);
        for (int i = 0; i + 1 < strand->points; i++) {
            int p = strand->first + i;
            double mobility = edge_mobility(model, strand, i);
            double k = model->stretch_k[p] + bend * model->bend_k[p] +
                       share * (model->core_k[p] + model->core_dk[p]);
            double c = edge_damping(model, p, share);
            double force = force_step * sqrt(2.0 * k * mobility) / (2.0 * safety);
            double damping = damping_step * 2.0 * c * mobility / (2.0 * safety);
            if (force > load.force) {
                load.force = force;
                load.force_strand = s;
            }
            if (damping > load.damping) {
                load.damping = damping;
                load.damping_strand = s;
            }
        }
    }
    return load;
}

int rlti_taz_model_relieve(rlti_taz_model *model, double force_step, int damping_steps, double share,
                           double *least) {
    double damping_step = force_step / (damping_steps > 0 ? damping_steps : 1);
    int count = 0;
    *least = 1.0;
    for (int s = 0; s < model->strand_count; s++) {
        const rlti_taz_strand *strand = &model->strands[s];
        double core = core_share(strand->core_beta);
        int lowered = 0;
        for (int i = 0; i + 1 < strand->points; i++) {
            int p = strand->first + i;
            double load =
                damping_step * edge_damping(model, p, core) * edge_mobility(model, strand, i) / safety;
            double factor = load > share ? share / load : 1.0;
            if (factor == 1.0)
                continue;
            model->stretch_c[p] *= factor;
            model->bend_c[p] *= factor;
            model->core_c[p] *= factor;
            model->core_dc[p] *= factor;
            *least = factor < *least ? factor : *least;
            lowered = 1;
        }
        count += lowered;
    }
    return count;
}

double rlti_taz_model_return(const rlti_taz_model *model, double force_step, int damping_steps, int *strand) {
    double longest = 0.0;
    for (int s = 0; s < model->strand_count; s++)
        for (int i = 0; i + 1 < model->strands[s].points && damping_steps > 0; i++) {
            int p = model->strands[s].first + i;
            double mobility = edge_mobility(model, &model->strands[s], i);
            double left = fabs(1.0 - force_step / damping_steps * model->stretch_c[p] * mobility), kept = 1.0;
            for (int n = 0; n < damping_steps; n++)
                kept *= left;
            /* a step gives h k w and keeps that part; the rest of it continues from step to step */
            double gained = force_step * force_step * model->stretch_k[p] * mobility * kept;
            if (!(gained > 0.0) || !(kept < 1.0))
                continue;
            double time = force_step * (1.0 - kept) / gained;
            if (time > longest) {
                longest = time;
                *strand = s;
            }
        }
    return longest;
}

rlt_status rlti_taz_model_create(const rlti_scene_data *scene, const rlti_strands *strands,
                                 const unsigned char *mine, rlti_matter *matter, rlt_messages *messages,
                                 rlti_taz_model **result) {
    *result = NULL;
    rlti_taz_model *model = RLTI_NEW(rlti_taz_model, 1);
    if (model == NULL)
        return rlti_out_of_memory(messages);
    model->strand_count = strands->strand_count;
    model->point_count = strands->point_count;
    model->matter = matter;
    model->mass = matter->mass;
    model->drag = matter->drag;
    model->rest = matter->rest;
    model->strands = RLTI_NEW(rlti_taz_strand, strands->strand_count);
    int ok = model->strands != NULL;
#define MAKE(array)                                                                                          \
    model->array = rlti_allocate((size_t)model->point_count, sizeof *model->array);                          \
    ok = ok && model->array != NULL;
    RLTI_TAZ_ARRAYS(MAKE)
    if (!ok) {
        rlti_taz_model_destroy(model);
        return rlti_out_of_memory(messages);
    }
    for (int s = 0; s < strands->strand_count; s++)
        if (mine == NULL || mine[s])
            set_strand(model, s, strands, &scene->hair[strands->hair[s]]);
    *result = model;
    return RLT_OK;
}

void rlti_taz_model_destroy(rlti_taz_model *model) {
    if (model == NULL)
        return;
#define FREE(array) rlti_free(model->array);
    RLTI_TAZ_ARRAYS(FREE)
    RLTI_FREE(model->strands, model);
}

size_t rlti_taz_model_bytes(const rlti_taz_model *model) {
    size_t point = 0;
#define ADD(array) point += sizeof *model->array;
    RLTI_TAZ_ARRAYS(ADD)
    return sizeof *model + (size_t)model->strand_count * sizeof *model->strands +
           (size_t)model->point_count * point;
}

uint64_t rlti_taz_model_checksum(const rlti_taz_model *model, uint64_t hash) {
#define HASH(array)                                                                                          \
    hash = rlti_checksum(hash, model->array, (size_t)model->point_count * sizeof *model->array);
    RLTI_TAZ_ARRAYS(HASH)
    return hash;
}
