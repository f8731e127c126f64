#include "solve/rod_sag_strand.h"

#include <string.h>

#include "base/memory.h"

/* Angles have the same bits on every machine. */
#define RLTI_LANES_REFERENCE
#include "base/lanes_math.h"

/* ---- one joint ---- */

/* Derivatives of a joint's two bends and its twist by its edges, before and after (model/rod.h). */
typedef struct joint {
    rlti_vec3 before[3], after[3]; /* [1/unit] */
    double turn[2];                /* of the bends, by the turn of either edge; that of the twist is -1, +1 */
    rlti_vec3 tangent;             /* of the edge after */
    double angle;
} joint;

/* d phi / d e without its sign and length: beta (t x d) + (1 - beta) (d.b) (t x b). */
static rlti_vec3 bend_slope(rlti_vec3 t, rlti_vec3 d, rlti_vec3 b, double beta) {
    return rlti_madd(rlti_scale(beta, rlti_cross(t, d)), (1.0 - beta) * rlti_dot(d, b), rlti_cross(t, b));
}

static joint joint_at(const rlti_vec3 *points, int i, rlti_vec3 director, const double *constants) {
    rlti_vec3 e1 = rlti_sub(points[i + 1], points[i]);
    rlti_vec3 e0 = i > 0 ? rlti_sub(points[i], points[i - 1]) : e1; /* the clamp stands like the groom */
    double l0 = rlti_length(e0), l1 = rlti_length(e1);
    rlti_vec3 t0 = rlti_scale(1.0 / l0, e0), t1 = rlti_scale(1.0 / l1, e1), b = rlti_cross(t0, t1);
    double sine = rlti_length(b), angle = lane_atan2(sine, rlti_dot(t0, t1));
    const double straight = 1e-6; /* [rad] below it the binormal makes no difference */
    b = angle > straight ? rlti_scale(1.0 / sine, b) : rlti_v3(0, 0, 0);
    double half_sine = rlti_sin(0.5 * angle), half_cosine = rlti_cos(0.5 * angle);
    double beta = angle > straight ? 0.5 * angle / half_sine : 1.0;
    double tangent = angle > straight ? half_sine / half_cosine : 0.0;
    /* the director half way back */
    rlti_vec3 along = rlti_scale(rlti_dot(director, b), b), across = rlti_sub(director, along);
    rlti_vec3 d0 =
        rlti_add(along, rlti_madd(rlti_scale(half_cosine, across), -half_sine, rlti_cross(b, across)));
    rlti_vec3 d1 = rlti_cross(rlti_normalize(rlti_add(t0, t1)), d0);
    joint j = {.turn = {0.5 * constants[RLTI_ROD_PHI_1], -0.5 * constants[RLTI_ROD_PHI_0]},
               .tangent = t1,
               .angle = angle};
    j.before[0] = rlti_scale(1.0 / l0, bend_slope(t0, d0, b, beta));
    j.before[1] = rlti_scale(1.0 / l0, bend_slope(t0, d1, b, beta));
    j.before[2] = rlti_scale(tangent / l0, b);
    j.after[0] = rlti_scale(-1.0 / l1, bend_slope(t1, d0, b, beta));
    j.after[1] = rlti_scale(-1.0 / l1, bend_slope(t1, d1, b, beta));
    j.after[2] = rlti_scale(tangent / l1, b);
    return j;
}

/* Moments and torque for which the edge after the joint is pushed by `force` across itself, and by `torque`.
 * 0: there are none. */
static int solve_joint(const joint *j, rlti_vec3 director, rlti_vec3 force, double torque, double stress[3]) {
    rlti_vec3 u = director, v = rlti_cross(j->tangent, director);
    double a[2][2], r[2]; /* without the torque: T = torque - turn . M */
    for (int row = 0; row < 2; row++) {
        rlti_vec3 axis = row == 0 ? u : v;
        double twist = rlti_dot(j->after[2], axis);
        r[row] = rlti_dot(force, axis) - twist * torque;
        for (int k = 0; k < 2; k++)
            a[row][k] = rlti_dot(j->after[k], axis) - twist * j->turn[k];
    }
    double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    if (!(fabs(determinant) > 0.0))
        return 0;
    stress[0] = (r[0] * a[1][1] - a[0][1] * r[1]) / determinant;
    stress[1] = (a[0][0] * r[1] - r[0] * a[1][0]) / determinant;
    stress[2] = torque - j->turn[0] * stress[0] - j->turn[1] * stress[1];
    return isfinite(stress[0]) && isfinite(stress[1]) && isfinite(stress[2]);
}

/* ---- a strand ---- */

/* Rest strains from stresses; 0 where a stiffness is missing. */
static int relax(double *c, const double stress[3], double *angle) {
    if (!(c[RLTI_ROD_BEND_0] > 0.0 && c[RLTI_ROD_BEND_1] > 0.0 && c[RLTI_ROD_TWIST] > 0.0))
        return 0;
    double bend_0 = stress[0] / c[RLTI_ROD_BEND_0], bend_1 = stress[1] / c[RLTI_ROD_BEND_1];
    c[RLTI_ROD_PHI_0] -= bend_0;
    c[RLTI_ROD_PHI_1] -= bend_1;
    c[RLTI_ROD_THETA] -= stress[2] / c[RLTI_ROD_TWIST];
    double here = sqrt(bend_0 * bend_0 + bend_1 * bend_1);
    *angle = here > *angle ? here : *angle;
    return 1;
}

/* The tension's part: 0 where the edge would have no length left. */
static int relax_edge(rlti_rod_model *model, int p, double tension) {
    double *c = model->constants[p], length = c[RLTI_ROD_LENGTH];
    if (!(c[RLTI_ROD_STRETCH] > 0.0))
        return 0;
    length -= tension / c[RLTI_ROD_STRETCH];
    if (!(length > 0.1 * c[RLTI_ROD_LENGTH]))
        return 0;
    c[RLTI_ROD_LENGTH] = model->rest[p] = length;
    return 1;
}

rlti_rod_sag_outcome rlti_rod_sag_solve(rlti_rod_model *model, int strand, const rlti_vec3 *points,
                                        const rlti_vec3 *forces) {
    const rlti_rod_strand *s = &model->strands[strand];
    const double folded = RLTI_PI * 150.0 / 180.0; /* there twist begins to fade: model/rod.h */
    rlti_vec3 beyond = rlti_v3(0, 0, 0);           /* what the joint beyond does to this edge */
    double turned = 0.0, angle = 0.0;              /* and to its turn */
    rlti_rod_sag_outcome outcome = {.solved = 1};
    for (int i = s->points - 2; i >= 0; i--) {
        int p = s->first + i;
        double stress[3] = {0};
        rlti_vec3 director = rlti_v3_at(model->directors[p], 0);
        joint j = joint_at(points, i, director, model->constants[p]);
        rlti_vec3 force = rlti_sub(forces[i], beyond);
        int fine = j.angle < folded && solve_joint(&j, director, force, -turned, stress) &&
                   relax(model->constants[p], stress, &angle) &&
                   relax_edge(model, p, rlti_dot(force, j.tangent));
        outcome.solved = outcome.solved && fine;
        beyond = rlti_v3(0, 0, 0);
        for (int k = 0; k < 3 && fine; k++)
            beyond = rlti_madd(beyond, stress[k], j.before[k]);
        turned = fine ? j.turn[0] * stress[0] + j.turn[1] * stress[1] - stress[2] : 0.0;
    }
    outcome.ratio = sqrt(1.0 + angle * angle);
    return outcome;
}

/* ---- stability ---- */

enum { UNKNOWNS = 4, WIDTH = 10, COLOURS = 2 * WIDTH + 1 };

struct rlti_rod_sag_scratch {
    const rlti_implicit *engine;
    void *memory;                            /* the engine's */
    rlti_vec3 *points, *directors;           /* [points] */
    double (*constants)[RLTI_ROD_CONSTANTS]; /* [points] */
    double *gradient;                        /* [2][points][UNKNOWNS] */
    double (*matrix)[2 * WIDTH + 1];         /* [points * UNKNOWNS] */
};

void rlti_rod_sag_scratch_destroy(rlti_rod_sag_scratch *w) {
    if (w == NULL)
        return;
    RLTI_FREE(w->memory, w->points, w->directors, w->constants, w->gradient, w->matrix, w);
}

rlti_rod_sag_scratch *rlti_rod_sag_scratch_create(const rlti_implicit *engine, int points) {
    size_t n = (size_t)points;
    rlti_rod_sag_scratch *w = RLTI_NEW(rlti_rod_sag_scratch, 1);
    if (w == NULL)
        return NULL;
    w->engine = engine;
    w->memory = rlti_allocate(engine->scratch_bytes(RLTI_ENERGY_ROD, points), 1);
    w->points = RLTI_NEW(rlti_vec3, n);
    w->directors = RLTI_NEW(rlti_vec3, n);
    w->constants = rlti_allocate(n, sizeof *w->constants);
    w->gradient = RLTI_NEW(double, 2 * UNKNOWNS * n);
    w->matrix = rlti_allocate(UNKNOWNS * n, sizeof *w->matrix);
    if (w->memory != NULL && w->points != NULL && w->directors != NULL && w->constants != NULL &&
        w->gradient != NULL && w->matrix != NULL)
        return w;
    rlti_rod_sag_scratch_destroy(w);
    return NULL;
}

/* All but the root; the tip has no edge. */
static int is_free(int unknown, int points) {
    int point = unknown / UNKNOWNS;
    return unknown % UNKNOWNS < 3 ? point > 0 : point + 1 < points;
}

/* Hardly stretched hair bends alike however stiff it is along, and the softer it is the less is lost to
 * rounding in differences: edges become as soft as a hundred times the stiffest joint, with the tension they
 * have. */
static void soften(const rlti_rod_model *model, int strand, const rlti_vec3 *points,
                   double (*constants)[RLTI_ROD_CONSTANTS]) {
    const rlti_rod_strand *s = &model->strands[strand];
    const double *mass = model->mass + s->first;
    double stiffest = 0.0, weight = 0.0;
    for (int i = 0; i < s->points; i++) {
        double *c = constants[i];
        memcpy(c, model->constants[s->first + i], sizeof *constants);
        double bend = c[RLTI_ROD_BEND_0] > c[RLTI_ROD_BEND_1] ? c[RLTI_ROD_BEND_0] : c[RLTI_ROD_BEND_1];
        stiffest = bend > stiffest ? bend : stiffest;
        weight += mass[i];
    }
    double enough = 100.0 * (stiffest / (s->segment * s->segment) + 1e3 * weight / s->segment);
    for (int i = 0; i + 1 < s->points; i++) {
        double *c = constants[i], k = c[RLTI_ROD_STRETCH] < enough ? c[RLTI_ROD_STRETCH] : enough;
        double length = rlti_length(rlti_sub(points[i + 1], points[i]));
        double tension = c[RLTI_ROD_STRETCH] * (length - c[RLTI_ROD_LENGTH]);
        c[RLTI_ROD_STRETCH] = k;
        c[RLTI_ROD_LENGTH] = length - (k > 0.0 ? tension / k : 0.0);
    }
}

/* The gradient with every unknown of one colour moved by `step`. */
static void gradient_at(rlti_rod_sag_scratch *w, rlti_implicit_tile *tile, const rlti_rod_model *model,
                        int strand, const rlti_vec3 *points, int colour, double step, double *gradient) {
    const rlti_rod_strand *s = &model->strands[strand];
    const rlti_vec3 *directors = (const rlti_vec3 *)(const void *)model->directors[s->first];
    for (int i = 0; i < s->points; i++) {
        w->points[i] = rlti_sub(points[i], points[0]);
        w->directors[i] = directors[i];
    }
    /* frames first: they are carried to where the points are then */
    for (int u = colour; u < UNKNOWNS * s->points; u += COLOURS) {
        int i = u / UNKNOWNS;
        if (u % UNKNOWNS == 3 && is_free(u, s->points))
            w->directors[i] = rlti_quat_rotate(
                rlti_quat_axis_angle(rlti_normalize(rlti_sub(points[i + 1], points[i])), step / s->segment),
                directors[i]);
    }
    w->engine->set_state(tile, 0, w->points, NULL, w->directors, NULL);
    for (int u = colour; u < UNKNOWNS * s->points; u += COLOURS) {
        rlti_vec3 *x = &w->points[u / UNKNOWNS];
        double *const axes[UNKNOWNS] = {&x->x, &x->y, &x->z, NULL}, *moved = axes[u % UNKNOWNS];
        if (moved != NULL && is_free(u, s->points))
            *moved += step;
    }
    w->engine->set_state(tile, 0, w->points, NULL, NULL, NULL);
    rlti_implicit_view view = {.gradient = gradient};
    w->engine->derive(tile, 0, w->memory, &view);
}

/* Differences of gradients; turns count in segments. */
static void fill_matrix(rlti_rod_sag_scratch *w, rlti_implicit_tile *tile, const rlti_rod_model *model,
                        int strand, const rlti_vec3 *points) {
    const rlti_rod_strand *s = &model->strands[strand];
    int n = UNKNOWNS * s->points;
    double step = 1e-5 * s->segment, *plus = w->gradient, *minus = w->gradient + n;
    for (int colour = 0; colour < COLOURS; colour++) {
        gradient_at(w, tile, model, strand, points, colour, step, plus);
        gradient_at(w, tile, model, strand, points, colour, -step, minus);
        for (int u = colour; u < n; u += COLOURS)
            for (int k = -WIDTH; k <= WIDTH; k++) {
                int row = u + k;
                if (row < 0 || row >= n)
                    continue;
                double scale = row % UNKNOWNS == 3 ? 1.0 / s->segment : 1.0;
                w->matrix[row][WIDTH - k] = scale * (plus[row] - minus[row]) / (2.0 * step);
            }
    }
}

/* L D L^T of the symmetric part, of free unknowns: are all pivots positive? */
static int is_positive(rlti_rod_sag_scratch *w, int points) {
    int n = UNKNOWNS * points;
    for (int i = 0; i < n; i++) {
        double *row = w->matrix[i];
        for (int j = i - WIDTH > 0 ? i - WIDTH : 0; j <= i; j++) {
            int mine = is_free(i, points) && is_free(j, points);
            double a = 0.5 * (row[WIDTH + j - i] + w->matrix[j][WIDTH + i - j]);
            a = mine ? a : i == j ? 1.0 : 0.0;
            for (int k = i - WIDTH > 0 ? i - WIDTH : 0; k < j; k++)
                if (j - k <= WIDTH)
                    a -= row[WIDTH + k - i] * w->matrix[j][WIDTH + k - j] * w->matrix[k][WIDTH];
            row[WIDTH + j - i] = j < i ? a / w->matrix[j][WIDTH] : a;
        }
        if (!(row[WIDTH] > 0.0))
            return 0;
    }
    return 1;
}

int rlti_rod_sag_is_stable(rlti_rod_sag_scratch *w, const rlti_rod_model *model, int strand,
                           const rlti_vec3 *points) {
    const rlti_rod_strand *s = &model->strands[strand];
    soften(model, strand, points, w->constants);
    rlti_implicit_strand constants = {.points = s->points,
                                      .segment = s->segment,
                                      .mass = model->mass + s->first,
                                      .constants = w->constants[0]};
    rlti_implicit_def def = {.energy = RLTI_ENERGY_ROD, .strands = &constants, .count = 1};
    rlti_implicit_tile *tile = w->engine->create(&def);
    if (tile == NULL)
        return 2;
    w->engine->set_clamp(tile, 0, s->direction, s->director);
    fill_matrix(w, tile, model, strand, points);
    w->engine->destroy(tile);
    return is_positive(w, s->points);
}
