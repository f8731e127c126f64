/* ringlet/rod.h: one rod in a tile of its own. */
#include "solve/rod_alone.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "model/coil_shape.h"

/* Strains of a point that callers see: length, two bends, twist. */
enum { STRAINS = 4 };

rlt_status rlt_rod_def_reset(rlt_rod_def *def) {
    const rlt_rod_def none = {.simd = RLT_SIMD_AUTO};
    return RLTI_WRITE(rlt_rod_def, def, &none, NULL);
}

rlt_status rlt_rod_step_reset(rlt_rod_step *step) {
    const rlt_rod_step usual = {.seconds = 1.0 / 24, .iterations = 100, .tolerance = 1e-9};
    return RLTI_WRITE(rlt_rod_step, step, &usual, NULL);
}

static void get_vectors(const double *from, int count, rlti_vec3 *to) {
    for (int i = 0; i < count; i++)
        to[i] = rlti_v3(from[3 * i], from[3 * i + 1], from[3 * i + 2]);
}

static void put_vectors(const rlti_vec3 *from, int count, double *to) {
    for (int i = 0; to != NULL && i < count; i++) {
        to[3 * i] = from[i].x;
        to[3 * i + 1] = from[i].y;
        to[3 * i + 2] = from[i].z;
    }
}

/* ---- making ---- */

static rlt_status check(const rlt_rod_def *def, rlt_messages *messages) {
    const double values[] = {def->stretch, def->bend[0],  def->bend[1],
                             def->twist,   def->gyration, def->damping};
    int good = def->points >= 2 && def->shape != NULL && def->mass > 0.0 && isfinite(def->mass);
    if ((unsigned)def->energy >= RLT_ROD_ENERGIES) {
        rlti_message(messages, RLT_ERROR, "rod: there is no energy %d; take one of rlt_rod_energy",
                     (int)def->energy);
        return RLT_BAD_INPUT;
    }
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        good = good && values[i] >= 0.0 && isfinite(values[i]);
    if (!good) {
        rlti_message(messages, RLT_ERROR,
                     "rod: no material, or too few points; give at least 2 points, a mass above 0 and finite "
                     "stiffnesses of at least 0");
        return RLT_BAD_INPUT;
    }
    for (int i = 0; i + 1 < def->points; i++) {
        const double *a = def->shape + 3 * (size_t)i;
        double length = rlti_length(rlti_v3(a[3] - a[0], a[4] - a[1], a[5] - a[2]));
        if (length > 0.0 && isfinite(length))
            continue;
        rlti_message(messages, RLT_ERROR, "rod: edge %d has no length; move one of its points", i);
        return RLT_BAD_INPUT;
    }
    return RLT_OK;
}

/* Factors of the joint at a point, by the shape's turning angle. */
static rlti_rod_curve curve_at(const rlt_rod_def *def, const rlti_vec3 *shape, int i) {
    rlti_rod_curve none = {1.0, 1.0};
    if (!def->curved || i == 0 || i + 1 >= def->points)
        return none;
    rlti_vec3 t0 = rlti_normalize(rlti_sub(shape[i], shape[i - 1])),
              t1 = rlti_normalize(rlti_sub(shape[i + 1], shape[i]));
    double sine = rlti_length(rlti_cross(t0, t1)), cosine = rlti_dot(t0, t1);
    return rlti_rod_curve_of(atan2(sine, cosine), sine, cosine);
}

/* Material: edges and joints by their lengths, half an edge's mass at either end. */
static void set_material(rlt_rod *rod, const rlt_rod_def *def, const rlti_vec3 *shape) {
    for (int i = 0; i < rod->points; i++) {
        double *c = rod->constants[i], before = i > 0 ? rod->constants[i - 1][RLTI_ROD_LENGTH] : 0.0;
        double after = i + 1 < rod->points ? rlti_length(rlti_sub(shape[i + 1], shape[i])) : 0.0;
        double half = 0.5 * (before + after);
        c[RLTI_ROD_LENGTH] = after;
        c[RLTI_ROD_STRETCH] = after > 0.0 ? def->stretch / after : 0.0;
        c[RLTI_ROD_INERTIA] = def->mass * after * def->gyration;
        rlti_rod_curve curve = curve_at(def, shape, i);
        c[RLTI_ROD_BEND_0] = curve.bend * def->bend[0] / half;
        c[RLTI_ROD_BEND_1] = curve.bend * def->bend[1] / half;
        c[RLTI_ROD_TWIST] = curve.twist * def->twist / half;
        c[RLTI_ROD_DAMP_STRETCH] = c[RLTI_ROD_DAMP_BEND] = c[RLTI_ROD_DAMP_TWIST] = def->damping;
        rod->mass[i] = def->mass * half;
    }
}

/* The Coil's torsions are about edges, and none where the shape is straight. */
static int set_torsions(rlt_rod *rod, const rlt_rod_def *def, const rlti_vec3 *shape, rlti_vec3 director) {
    rlti_rod_curve *curve = RLTI_NEW(rlti_rod_curve, rod->points);
    if (curve == NULL)
        return 0;
    rlti_coil_shape(rod->points, shape, rlti_normalize(rlti_sub(shape[1], shape[0])), director,
                    rod->constants, curve);
    for (int i = 0; i + 1 < rod->points; i++) {
        double *c = rod->constants[i],
               half = 0.5 * ((i > 0 ? rod->constants[i - 1][RLTI_ROD_LENGTH] : 0.0) + c[RLTI_ROD_LENGTH]);
        double arcs = def->curved ? curve[i].twist : curve[i].twist > 0.0;
        c[RLTI_COIL_BEND] = c[RLTI_COIL_SIDE] = (def->curved ? curve[i].bend : 1.0) * def->bend[0] / half;
        c[RLTI_COIL_TORSION] = arcs * def->twist / c[RLTI_COIL_LENGTH];
    }
    rlti_coil_soften(rod->points, rod->constants);
    rlti_free(curve);
    return 1;
}

static rlti_energy_kind kind_of(const rlt_rod_def *def) {
    static const rlti_energy_kind kinds[RLT_ROD_ENERGIES] = {
        [RLT_ROD_ENERGY] = RLTI_ENERGY_ROD,
        [RLT_COIL_ENERGY] = RLTI_ENERGY_COIL,
        [RLT_COIL_ENERGY_STRETCH] = RLTI_ENERGY_COIL_STRETCH,
        [RLT_COIL_ENERGY_GAUSS_NEWTON] = RLTI_ENERGY_COIL_GAUSS,
        [RLT_COIL_ENERGY_UNFILTERED] = RLTI_ENERGY_COIL_UNFILTERED,
        [RLT_TANGENT_ENERGY] = RLTI_ENERGY_TANGENT,
        [RLT_TANGENT_ENERGY_STRETCH] = RLTI_ENERGY_TANGENT_STRETCH,
        [RLT_TANGENT_ENERGY_GAUSS_NEWTON] = RLTI_ENERGY_TANGENT_GAUSS,
        [RLT_TANGENT_ENERGY_UNFILTERED] = RLTI_ENERGY_TANGENT_UNFILTERED,
    };
    return def->energy == RLT_ROD_ENERGY && def->printed ? RLTI_ENERGY_ROD_PRINTED : kinds[def->energy];
}

static int make_tile(rlt_rod *rod, const rlt_rod_def *def, double length) {
    rlti_energy_kind kind = kind_of(def);
    rlti_implicit_strand strand = {.points = rod->points,
                                   .segment = length / (rod->points - 1),
                                   .mass = rod->mass,
                                   .constants = rod->constants[0]};
    rlti_implicit_def tile = {.energy = kind,
                              .strands = &strand,
                              .count = 1,
                              .holds = rod->points,
                              .planes = 1,
                              .free_root = def->free_root};
    rod->tile = rod->engine->create(&tile);
    rod->scratch = rlti_allocate(1, rod->engine->scratch_bytes(kind, rod->points));
    return rod->tile != NULL && rod->scratch != NULL;
}

/* Rest strains: given, or of the shape. */
static void set_rest(rlt_rod *rod, const rlt_rod_def *def, double length) {
    rlti_implicit_view view = {.strains = rod->strains};
    rod->engine->derive(rod->tile, 0, rod->scratch, &view);
    for (int i = 0; i < rod->points; i++)
        for (int k = 0; k < 3; k++)
            rod->constants[i][RLTI_ROD_PHI_0 + k] =
                def->rest != NULL ? def->rest[3 * i + k]
                                  : rod->strains[i * RLTI_ROD_STRAINS + RLTI_ROD_STRAIN_PHI_0 + k];
    rlti_implicit_strand strand = {.points = rod->points,
                                   .segment = length / (rod->points - 1),
                                   .mass = rod->mass,
                                   .constants = rod->constants[0]};
    rod->engine->set_constants(rod->tile, 0, &strand);
}

/* Directors without twist from the first one on. */
static void spread_directors(const rlt_rod_def *def, const rlti_vec3 *shape, rlti_vec3 *directors) {
    for (int i = 0; i + 1 < def->points; i++) {
        rlti_vec3 u = rlti_normalize(rlti_sub(shape[i + 1], shape[i])), d;
        if (i == 0) {
            d = def->director != NULL ? rlti_v3_at(def->director, 0) : rlti_perpendicular(u);
            d = rlti_madd(d, -rlti_dot(d, u), u);
            d = rlti_dot(d, d) > 0.0 ? d : rlti_perpendicular(u);
        } else {
            rlti_vec3 t = rlti_normalize(rlti_sub(shape[i], shape[i - 1]));
            double sum = 1.0 + rlti_dot(t, u);
            d = directors[i - 1];
            d = sum > 1e-12 ? rlti_madd(d, -rlti_dot(d, u) / sum, rlti_add(t, u)) : d;
        }
        directors[i] = rlti_normalize(d);
    }
}

static int make_arrays(rlt_rod *rod) {
    size_t n = (size_t)rod->points;
    int good =
        RLTI_ALLOCATE(RLTI_ITEMS(rod->constants, n), RLTI_ITEMS(rod->mass, n), RLTI_ITEMS(rod->places, n),
                      RLTI_ITEMS(rod->pinned, n), RLTI_ITEMS(rod->holds, n), RLTI_ITEMS(rod->spins, n),
                      RLTI_ITEMS(rod->strains, n * RLTI_ROD_STRAINS), RLTI_ITEMS(rod->planes, n));
    for (int k = 0; k < 3; k++) {
        rod->work[k] = RLTI_NEW(rlti_vec3, n);
        good = good && rod->work[k] != NULL;
    }
    return good;
}

rlt_status rlt_rod_create(const rlt_rod_def *given, rlt_messages *messages, rlt_rod **result) {
    *result = NULL;
    rlt_rod_def def = rlt_rod_defaults();
    rlt_status status = RLTI_READ(rlt_rod_def, &def, given, messages);
    if (status == RLT_OK)
        status = check(&def, messages);
    if (status != RLT_OK)
        return status;
    rlt_rod *rod = RLTI_NEW(rlt_rod, 1);
    if (rod == NULL)
        return rlti_out_of_memory(messages);
    rod->points = def.points;
    rod->coil = def.energy >= RLT_COIL_ENERGY && def.energy < RLT_TANGENT_ENERGY;
    rod->engine = rlti_implicit_select(def.simd);
    if (rod->engine == NULL) {
        rlti_message(messages, RLT_ERROR, "rod: this CPU cannot run the build asked for; take another");
        rlt_rod_destroy(rod);
        return RLT_BAD_INPUT;
    }
    int made = make_arrays(rod);
    double length = 0.0;
    if (made) {
        get_vectors(def.shape, def.points, rod->work[0]);
        set_material(rod, &def, rod->work[0]);
        spread_directors(&def, rod->work[0], rod->work[2]);
        made = !rod->coil || set_torsions(rod, &def, rod->work[0], rod->work[2][0]);
        for (int i = 0; i < def.points; i++)
            length += rod->constants[i][RLTI_ROD_LENGTH];
        rod->segment = length / (def.points - 1);
        made = made && make_tile(rod, &def, length);
    }
    if (!made) {
        rlt_rod_destroy(rod);
        return rlti_out_of_memory(messages);
    }
    rod->engine->set_state(rod->tile, 0, rod->work[0], NULL, rod->work[2], NULL);
    if (rod->coil)
        rod->engine->set_clamp(rod->tile, 0, rlti_normalize(rlti_sub(rod->work[0][1], rod->work[0][0])),
                               rod->work[2][0]);
    set_rest(rod, &def, length);
    *result = rod;
    return RLT_OK;
}

void rlt_rod_destroy(rlt_rod *rod) {
    if (rod == NULL)
        return;
    if (rod->engine != NULL && rod->tile != NULL)
        rod->engine->destroy(rod->tile);
    for (int k = 0; k < 3; k++)
        rlti_free(rod->work[k]);
    RLTI_FREE(rod->scratch, rod->constants, rod->mass, rod->places, rod->pinned, rod->holds, rod->spins,
              rod->strains, rod->planes, rod);
}

/* ---- state ---- */

void rlt_rod_set(rlt_rod *rod, const double *positions, const double *velocities, const double *directors,
                 const double *spins) {
    get_vectors(positions, rod->points, rod->work[0]);
    if (velocities != NULL)
        get_vectors(velocities, rod->points, rod->work[1]);
    if (directors != NULL)
        get_vectors(directors, rod->points - 1, rod->work[2]);
    rod->engine->set_state(rod->tile, 0, rod->work[0], velocities != NULL ? rod->work[1] : NULL,
                           directors != NULL ? rod->work[2] : NULL, spins);
}

void rlt_rod_get(const rlt_rod *rod, double *positions, double *velocities, double *directors,
                 double *spins) {
    rod->engine->get_state(rod->tile, 0, rod->work[0], rod->work[1], rod->work[2], spins);
    put_vectors(rod->work[0], rod->points, positions);
    put_vectors(rod->work[1], rod->points, velocities);
    put_vectors(rod->work[2], rod->points - 1, directors);
}

void rlt_rod_clamp(rlt_rod *rod, const double position[3], const double direction[3],
                   const double director[3]) {
    rlti_vec3 t = rlti_normalize(rlti_v3_at(direction, 0)), d = rlti_v3_at(director, 0);
    d = rlti_normalize(rlti_madd(d, -rlti_dot(d, t), t));
    rod->engine->set_clamp(rod->tile, 0, t, d);
    rod->engine->set_root(rod->tile, 0, rlti_v3_at(position, 0), t, d);
}

void rlt_rod_pin(rlt_rod *rod, int point, const double position[3]) {
    if (point < 0 || point >= rod->points)
        return;
    rod->pinned[point] = position != NULL;
    if (position != NULL)
        rod->places[point] = rlti_v3_at(position, 0);
    int count = 0;
    for (int i = 0; i < rod->points; i++) {
        if (!rod->pinned[i])
            continue;
        rlti_vec3 at = rod->places[i];
        rod->holds[count++] = (rlti_hold){.point = i,
                                          .kind = RLTI_HARD_PLACE,
                                          .anchor = {(float)at.x, (float)at.y, (float)at.z},
                                          .speed = INFINITY,
                                          .exact = 1};
    }
    rod->engine->set_holds(rod->tile, 0, rod->holds, count);
}

void rlt_rod_pin_director(rlt_rod *rod, int edge, const double director[3]) {
    if (edge < 0 || edge + 1 >= rod->points)
        return;
    rlti_vec3 d = director != NULL ? rlti_v3_at(director, 0) : rlti_v3(0, 0, 0);
    rod->engine->pin_director(rod->tile, 0, edge, director != NULL ? &d : NULL);
}

/* ---- steps and measures ---- */

static int is_step(const rlt_rod_step *step) {
    double pull = step->gravity[0] + step->gravity[1] + step->gravity[2];
    return step->seconds > 0.0 && isfinite(step->seconds) && isfinite(pull) && step->iterations > 0 &&
           step->tolerance >= 0.0 && isfinite(step->tolerance);
}

int rlt_rod_advance(rlt_rod *rod, const rlt_rod_step *given) {
    rlt_rod_step step = rlt_rod_step_defaults();
    if (RLTI_READ(rlt_rod_step, &step, given, NULL) != RLT_OK || !is_step(&step))
        return 0;
    rlti_implicit_step how = {.gravity = {step.gravity[0], step.gravity[1], step.gravity[2]},
                              .seconds = step.seconds,
                              .midpoint = step.midpoint && !rod->coil,
                              .iterations = step.iterations,
                              .tolerance = step.tolerance,
                              .posed = 1.0,
                              .friction = rod->body.friction,
                              .plain = step.plain,
                              .straight = step.straight};
    rlti_implicit_result result;
    rlti_rod_alone_step(rod, &how, &result);
    return result.converged && !result.failed ? result.iterations : 0;
}

void rlt_rod_energies(rlt_rod *rod, double energies[4]) {
    const double gravity[3] = {0};
    rlti_measure m;
    rod->engine->measure(rod->tile, gravity, rod->scratch, &m);
    for (int k = 0; k < 3; k++)
        energies[k] = m.energies[k];
    energies[3] = m.kinetic;
}

void rlt_rod_derivatives(rlt_rod *rod, double *gradient, double *hessian, double *strains) {
    rlti_implicit_view view = {.gradient = gradient, .second = hessian, .strains = rod->strains};
    rod->engine->derive(rod->tile, 0, rod->scratch, &view);
    for (int i = 0; strains != NULL && i < rod->points; i++)
        memcpy(strains + STRAINS * i, rod->strains + (size_t)RLTI_ROD_STRAINS * i, STRAINS * sizeof *strains);
}

static double factor_seconds(rlti_energy_kind kind, rlt_simd simd, int points, double seconds) {
    const rlti_implicit *engine = rlti_implicit_select(simd);
    if (engine == NULL || points < 2)
        return 0.0;
    void *scratch = rlti_allocate(1, engine->scratch_bytes(kind, points));
    double best = 0.0, start = rlti_seconds(CLOCK_MONOTONIC), since = start;
    while (scratch != NULL &&
           since - start < seconds) { /* rounds of about 1 ms; the best is least disturbed */
        int times = 1 + 2000 / points;
        engine->exercise(kind, points, times, scratch);
        double now = rlti_seconds(CLOCK_MONOTONIC), each = (now - since) / times / points / engine->lanes;
        best = best > 0.0 && best < each ? best : each;
        since = now;
    }
    rlti_free(scratch);
    return best;
}

double rlt_rod_factor_seconds(rlt_simd simd, int points, double seconds) {
    return factor_seconds(RLTI_ENERGY_ROD, simd, points, seconds);
}

double rlt_coil_factor_seconds(rlt_simd simd, int points, double seconds) {
    return factor_seconds(RLTI_ENERGY_COIL, simd, points, seconds);
}
