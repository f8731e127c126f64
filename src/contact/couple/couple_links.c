/* Links: damped springs between points, each one number in the solution.
 *
 * With the extension s at the step's end, a side (pull or push) has the force K (s + q z): K is stiffness and
 * damping together, q the share of damping, z what the link would have grown by at s = 0. In the local model
 * s = c - w force, so force = (c + q z) / (w + 1 / K): bounded by what stops the points, whatever K. Pull
 * acts above -q0 z only, push below -q1 z. So the force is a function of c that rises in up to three straight
 * pieces: there is one solution, whatever the values. */
#include <math.h>

#include "contact/couple/couple_data.h"

/* ---- the law ---- */

/* Where both act. */
static double force_of_both(const rlti_couple_spring *spring, const rlti_couple_memory *memory, double v) {
    if (v > memory->bound[0])
        return -spring->slope[0] * (v - spring->zero[0]);
    return v < memory->bound[1] ? -spring->slope[1] * (v - spring->zero[1])
                                : memory->middle[0] * v + memory->middle[1];
}

/* The force on the first point, along the link; 0 where something is not a number. */
static inline double force_of(const rlti_couple_spring *spring, const rlti_couple_memory *memory, double v) {
    double pull = v - spring->zero[0], push = v - spring->zero[1];
    if (!(fabs(v) < HUGE_VAL))
        return 0.0;
    if (spring->zero[0] < spring->zero[1])
        return force_of_both(spring, memory, v);
    return pull > 0.0 ? -spring->slope[0] * pull : (push < 0.0 ? -spring->slope[1] * push : 0.0);
}

/* The slope of stiffness and damping that act together; and the extension at which their force is 0. */
static double make_slope(double stiffness, double damping, double z, double w, double *zero) {
    double all = stiffness + damping;
    *zero = all > 0.0 ? -damping / all * z : HUGE_VAL;
    return all > 0.0 ? 1.0 / (w + 1.0 / all) : 0.0;
}

static void make_law(const rlti_couple_link *link, double extension, rlti_couple_spring *spring,
                     rlti_couple_memory *memory) {
    const double *k = link->stiffness, *c = link->damping;
    double z = link->grown - extension, w = spring->model, pull, push, both;
    spring->slope[0] = make_slope(k[0], c[0], z, w, &pull);
    spring->slope[1] = make_slope(k[1], c[1], z, w, &push);
    push = push < HUGE_VAL ? push : -HUGE_VAL;
    spring->zero[0] = pull - extension;
    spring->zero[1] = push - extension;
    if (!(spring->zero[0] < spring->zero[1]))
        return; /* where both are without force there is a gap, or nothing */
    double slope = make_slope(k[0] + k[1], c[0] + c[1], z, w, &both);
    memory->middle[0] = -slope;
    memory->middle[1] = slope * (both - extension);
    memory->bound[0] = push + w * (k[0] + c[0]) * (push - pull) - extension;
    memory->bound[1] = pull - w * (k[1] + c[1]) * (push - pull) - extension;
}

double rlti_couple_link_force(const rlti_couple_spring *spring, const rlti_couple_memory *memory, double v) {
    return force_of(spring, memory, v);
}

/* ---- the local model ---- */

/* Direction and force as they begin; the model holds the length, 0: there is no direction. */
static void begin_link(const rlti_couple_link *link, int warm, rlti_couple_spring *spring) {
    double length = rlti_length(link->apart);
    int known = length > 0.0 && isfinite(1.0 / length) && isfinite(length);
    rlti_v3_put(spring->axis, known ? rlti_scale(1.0 / length, link->apart) : rlti_v3(0, 0, 0));
    spring->model = known ? length : 0.0;
    spring->r = warm && known ? link->force : 0.0;
}

void rlti_couple_place_link(rlti_couple *couple, const rlti_couple_link *links, int warm, int k) {
    rlti_couple_spring *spring = &couple->springs[k];
    const rlti_couple_link *link = &links[spring->item];
    begin_link(link, warm, spring);
    for (int side = 0; side < 2; side++)
        spring->point[side] = couple->first[link->strand[side]] + link->point[side];
    couple->memory[k] = (rlti_couple_memory){.base = spring->r, .last = spring->r};
}

/* The law of a link whose points move by `sum` a force. */
static void finish_link(const rlti_couple_link *link, double sum, rlti_couple_spring *spring,
                        rlti_couple_memory *memory) {
    double length = spring->model;
    int moves = length > 0.0 && sum > 0.0 && spring->point[0] != spring->point[1];
    spring->model = moves ? sum : 0.0;
    if (moves && isfinite(sum) && isfinite(link->grown)) {
        make_law(link, length - link->rest, spring, memory);
        return;
    }
    spring->r = spring->slope[0] = spring->slope[1] = 0.0; /* nothing that it could do */
    spring->zero[0] = HUGE_VAL;
    spring->zero[1] = -HUGE_VAL;
}

void rlti_couple_make_link(const rlti_couple *couple, const rlti_couple_link *link, const double softness[2],
                           int warm, rlti_couple_spring *spring, rlti_couple_memory *memory) {
    begin_link(link, warm, spring);
    for (int side = 0; side < 2; side++)
        spring->point[side] = couple->first[link->strand[side]] + link->point[side];
    finish_link(link, softness[0] + softness[1], spring, memory);
}

typedef struct corners {
    rlti_couple *couple;
    const rlti_couple_operator *strands;
} corners;

static void fill_corners(void *context, int index, int worker) {
    const corners *c = context;
    int strand = c->couple->touched[index], first = c->couple->first[strand];
    int edges = c->couple->first[strand + 1] - first - 1;
    (void)worker;
    for (int e = 0; e < edges; e++) {
        double block[6][6];
        c->strands->block(c->strands->context, strand, e, block);
        for (int at = 0; at < (e == edges - 1 ? 6 : 3); at += 3) {
            double *to = c->couple->corner[first + e + at / 3];
            for (int i = 0, k = 0; i < 3; i++)
                for (int j = i; j < 3; j++)
                    to[k++] = block[at + i][at + j];
        }
    }
}

void rlti_couple_corners(rlti_couple *couple, rlti_pool *pool, const rlti_couple_operator *strands) {
    corners c = {couple, strands};
    rlti_pool_for(pool, couple->touched_count, fill_corners, &c);
}

/* How far a force along the link moves a point. */
static double inverse_of(const double b[6], const double n[3]) {
    return n[0] * (n[0] * b[0] + 2.0 * (n[1] * b[1] + n[2] * b[2])) +
           n[1] * (n[1] * b[3] + 2.0 * n[2] * b[4]) + n[2] * n[2] * b[5];
}

void rlti_couple_prepare_link(rlti_couple *couple, rlti_couple_block kind, const rlti_couple_link *links,
                              int k) {
    rlti_couple_spring *spring = &couple->springs[k];
    const rlti_couple_link *link = &links[spring->item];
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        int strand = link->strand[side];
        double often = kind == RLTI_COUPLE_INVERSE
                           ? (double)(couple->strand_first[strand + 1] - couple->strand_first[strand])
                           : 1.0;
        sum += often * inverse_of(couple->corner[spring->point[side]], spring->axis);
    }
    finish_link(link, sum, spring, &couple->memory[k]);
}

/* ---- solving ---- */

/* From where dq is 0. */
static inline double extension_of(const rlti_couple_spring *spring, const rlti_vec3 *moved) {
    return rlti_dot(rlti_v3_at(spring->axis, 0), rlti_sub(moved[spring->point[0]], moved[spring->point[1]]));
}

static inline double next_force(const rlti_couple *couple, int k, double u) {
    const rlti_couple_spring *spring = &couple->springs[k];
    return force_of(spring, &couple->memory[k], u - spring->model * spring->r);
}

void rlti_couple_measure_link(rlti_couple *couple, int k) {
    const rlti_couple_spring *spring = &couple->springs[k];
    rlti_couple_memory *memory = &couple->memory[k];
    memory->u = extension_of(spring, couple->work);
    memory->base = spring->r;
    memory->off = spring->model * fabs(next_force(couple, k, memory->u) - spring->r);
}

void rlti_couple_update_link(rlti_couple *couple, int k) {
    rlti_couple_spring *spring = &couple->springs[k];
    spring->r =
        force_of(spring, &couple->memory[k], couple->memory[k].u - spring->model * couple->memory[k].base);
}

double rlti_couple_change_link(const rlti_couple *couple, int k) {
    const rlti_couple_spring *spring = &couple->springs[k];
    return next_force(couple, k, extension_of(spring, couple->work)) - spring->r;
}

double rlti_couple_links_back(const rlti_couple *couple, int count) {
    double back = 0.0;
    for (int k = 0; k < count; k++) {
        const rlti_couple_spring *spring = &couple->springs[k];
        const rlti_couple_memory *memory = &couple->memory[k];
        back += spring->model * (memory->base - spring->r) * (spring->r - memory->last);
    }
    return back;
}

void rlti_couple_carry_links(rlti_couple *couple, int count, double share) {
    for (int k = 0; k < count; k++) {
        double now = couple->springs[k].r;
        couple->springs[k].r += share * (now - couple->memory[k].last);
        couple->memory[k].last = now;
    }
}
