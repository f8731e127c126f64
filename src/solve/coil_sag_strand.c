#include "solve/coil_sag_strand.h"

#include "base/memory.h"
#include "model/coil.h"

/* Angles have the same bits on every machine. */
#define RLTI_LANES_REFERENCE
#include "model/coil_angles.h"

static const double least_moment = 1e-4; /* [rad] changes of rest angles that are not worth a report */
static const double most_torsion = 1.5;  /* [rad] by which torsion at rest may change */

static lane3 unit_of(rlti_vec3 a) {
    rlti_vec3 u = rlti_normalize(a);
    lane3 t = {u.x, u.y, u.z};
    return t;
}
static rlti_vec3 back(lane3 a) {
    return rlti_v3(a.x, a.y, a.z);
}

/* A strand's edges with the clamp's two before them: 0 and 1 are the clamp's, edge i is 2 + i. */
typedef struct chain {
    const rlti_rod_strand *s;
    const rlti_vec3 *points;
} chain;

static lane3 tangent_of(const chain *c, int edge, double *inverse) {
    *inverse = 1.0;
    if (edge == -2)
        return unit_of(rlti_scale(-1.0, c->s->direction));
    if (edge == -1)
        return unit_of(rlti_scale(-1.0, c->s->director));
    rlti_vec3 e = rlti_sub(c->points[edge + 1], c->points[edge]);
    double length = rlti_length(e);
    *inverse = length > 0.0 ? 1.0 / length : 0.0;
    return unit_of(e);
}

/* The turning angle before an edge, and the torsion about the edge before it. */
static coil_bend bend_before(const chain *c, int edge) {
    double inverse;
    return coil_bend_of(tangent_of(c, edge - 1, &inverse), tangent_of(c, edge, &inverse));
}
static coil_torsion torsion_before(const chain *c, int edge) {
    double inverse[3];
    lane3 t0 = tangent_of(c, edge - 2, &inverse[0]), t1 = tangent_of(c, edge - 1, &inverse[1]),
          t2 = tangent_of(c, edge, &inverse[2]);
    return coil_torsion_of(scale3(-1.0, t0), inverse[0], t1, inverse[1], t2, inverse[2]);
}

/* Tension, moment and torsion that an edge bears. */
typedef struct stresses {
    double tension, bend, torsion;
} stresses;

/* Rest values from stresses, as far as there is something to hold the strand with: what is not held is 0
 * then. `moment` is all that bends. 0: some of it that matters is not held. */
static int relax(rlti_rod_model *model, const rlti_rod_strand *s, int edge, double sine, double moment,
                 stresses *now, double *angle) {
    double *c = model->constants[s->first + edge];
    double *twisted = edge > 0 ? model->constants[s->first + edge - 1] : c;
    double hard = edge > 0 ? twisted[RLTI_COIL_TORSION] : c[RLTI_COIL_SIDE], soft = c[RLTI_COIL_BEND];
    double length = c[RLTI_COIL_LENGTH] - now->tension / c[RLTI_COIL_STRETCH];
    int bends = soft > 0.0 && (edge == 0 || sine > RLTI_COIL_STRAIGHT), little = moment < least_moment * soft;
    int twists = bends && hard > 0.0 && fabs(now->torsion) < most_torsion * hard;
    if (!(c[RLTI_COIL_STRETCH] > 0.0 && length > 0.1 * c[RLTI_COIL_LENGTH])) {
        *now = (stresses){0};
        return 0;
    }
    now->bend = bends ? now->bend : 0.0; /* a straight joint has no plane to bend in */
    now->torsion = twists ? now->torsion : 0.0;
    double turn = bends ? now->bend / soft : 0.0, twist = twists ? now->torsion / hard : 0.0;
    c[RLTI_COIL_LENGTH] = model->rest[s->first + edge] = length;
    c[RLTI_COIL_ANGLE] -= turn;
    twisted[edge > 0 ? RLTI_COIL_TAU : RLTI_COIL_SIDE_ANGLE] -= twist;
    *angle = fmax(*angle, fmax(fabs(turn), fabs(twist)));
    return (bends && twists) || little;
}

rlti_rod_sag_outcome rlti_coil_sag_solve(rlti_rod_model *model, int strand, const rlti_vec3 *points,
                                         const rlti_vec3 *forces) {
    chain c = {&model->strands[strand], points};
    rlti_rod_sag_outcome outcome = {.solved = 1};
    rlti_vec3 middle = rlti_v3(0, 0, 0), near = middle,
              far = middle; /* what is known of this edge and the next two */
    double angle = 0.0;
    for (int edge = c.s->points - 2; edge >= 0; edge--) {
        double inverse, before;
        coil_bend b = bend_before(&c, edge);
        coil_torsion t = torsion_before(&c, edge);
        lane3 along = tangent_of(&c, edge, &inverse);
        tangent_of(&c, edge - 1, &before);
        rlti_vec3 bears = rlti_sub(forces[edge], middle);
        stresses now = {rlti_dot(bears, back(along)), rlti_dot(bears, back(b.m1)) / inverse,
                        rlti_dot(bears, back(t.w2)) / t.inverse2};
        rlti_vec3 across = rlti_madd(bears, -now.tension, back(along));
        int whole = inverse > 0.0 && isfinite(now.bend) && isfinite(now.torsion);
        if (!whole)
            now = (stresses){0};
        int fine = relax(model, c.s, edge, b.sine, rlti_length(across) / inverse, &now, &angle);
        outcome.solved = outcome.solved && whole && fine;
        /* what these do to the two edges before */
        coil_pair bent = coil_bend_slope(&b, before, inverse);
        coil_triple turned = coil_torsion_slope(&t);
        near = rlti_madd(rlti_scale(now.bend, back(bent.e[0])), now.torsion, back(turned.e[1]));
        middle = rlti_add(near, far);
        far = rlti_scale(-now.torsion, back(turned.e[0]));
    }
    outcome.ratio = sqrt(1.0 + angle * angle);
    return outcome;
}

/* ---- stability ---- */

enum { UNKNOWNS = 3, WIDTH = 11 };

/* L D L^T in place, of all but the root: are all pivots positive? */
static int is_positive(double (*a)[WIDTH + 1], int rows) {
    for (int i = UNKNOWNS; i < rows; i++) {
        int first = i - WIDTH > UNKNOWNS ? i - WIDTH : UNKNOWNS;
        for (int j = first; j <= i; j++) {
            double sum = a[i][i - j];
            for (int k = first; k < j; k++)
                if (j - k <= WIDTH)
                    sum -= a[i][i - k] * a[j][j - k] * a[k][0];
            a[i][i - j] = j < i ? sum / a[j][0] : sum;
        }
        if (!(a[i][0] > 0.0))
            return 0;
    }
    return 1;
}

int rlti_coil_sag_is_stable(const rlti_implicit *engine, const rlti_rod_model *model, int strand,
                            const rlti_vec3 *points) {
    const rlti_rod_strand *s = &model->strands[strand];
    size_t n = (size_t)s->points;
    rlti_implicit_strand constants = {.points = s->points,
                                      .segment = s->segment,
                                      .mass = model->mass + s->first,
                                      .constants = model->constants[s->first]};
    rlti_implicit_def def = {.energy = RLTI_ENERGY_COIL, .strands = &constants, .count = 1};
    rlti_implicit_tile *tile = engine->create(&def);
    double(*second)[WIDTH + 1] = rlti_allocate(UNKNOWNS * n, sizeof *second);
    rlti_vec3 *x = RLTI_NEW(rlti_vec3, n);
    void *scratch = rlti_allocate(engine->scratch_bytes(RLTI_ENERGY_COIL, s->points), 1);
    int stable = 2;
    if (tile != NULL && second != NULL && x != NULL && scratch != NULL) {
        rlti_implicit_view view = {.second = second[0]};
        for (size_t i = 0; i < n; i++)
            x[i] = rlti_sub(points[i], points[0]);
        engine->set_state(tile, 0, x, NULL, NULL, NULL);
        engine->set_clamp(tile, 0, s->direction, s->director);
        engine->derive(tile, 0, scratch, &view);
        stable = is_positive(second, UNKNOWNS * s->points);
    }
    if (tile != NULL)
        engine->destroy(tile);
    RLTI_FREE(second, x, scratch);
    return stable;
}
