/* A tile of strands inside one build of the implicit engine: its rows, how they are filled, state in and out.
 *
 * Arrays are rows of LANES values, [point][row][lane]. Strands shorter than the tile, and lanes without a
 * strand, are padded with points that are not free and have no constants: they never move. */
#ifndef RLTI_SOLVE_IMPLICIT_TILE_H
#define RLTI_SOLVE_IMPLICIT_TILE_H

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "model/coil_matrix.h"
#include "model/rod_tangent_second.h"
#include "solve/band.h"
#include "solve/implicit.h"

/* Most that an energy has of each. */
enum { UNKNOWNS_MAX = 4, CONSTANT_ROWS_MAX = 24 };

/* Rows of masses and of their weights in a step: of the point, of the other unknown. */
enum { MASS_POINT, MASS_OTHER, MASS_ROWS };

/* Contact plane per point. */
enum {
    P_NORMAL,
    P_OFFSET = P_NORMAL + 3,
    P_VELOCITY,
    P_FORCE = P_VELOCITY + 3, /* multiplier of the normal */
    P_GRIP,                   /* multipliers of friction */
    P_STUCK = P_GRIP + 3,     /* 1: sticks without a bound until the next multipliers */
    P_STIFF,
    P_ROWS
};
#define INLINE static inline __attribute__((always_inline))

/* Planes of a point: the two sides of a crease. */
enum { SIDES = RLTI_IMPLICIT_SIDES };

/* Stiffness of a plane over the hair's own, and the gap (of a segment) that counts as closed. */
#define PLANE_STIFFNESS 100.0
#define PLANE_CLOSED    1e-3

/* Offset of a plane that is never touched. */
#define NO_PLANE ((real)-1e30)

/* A hold as a step needs it: see implicit_holds.h. */
typedef struct implicit_hold {
    rlti_hold given;
    rlti_vec3 anchor;          /* at the time that is solved for */
    rlti_vec3 still;           /* where the point would be if it moved with the anchor */
    rlti_vec3 along;           /* direction of damping, by distance */
    double stiffness, damping; /* [mass/s^2], the second over the step */
    double cap;                /* excess that counts, at most [unit] */
} implicit_hold;

/* The clamp at the start of the step, at its end, and at the time that is solved for. */
enum { CLAMP_START, CLAMP_END, CLAMP_NOW, CLAMPS };

/* Progress of one lane within a step. */
typedef struct implicit_lane {
    int points, hold_count;
    int root_given, clamp_known;
    int chain; /* 1: nothing but the root is pinned */
    int since; /* iterations with the present planes */
    double segment;
    rlti_implicit_result result;
} implicit_lane;

struct rlti_implicit_tile {
    const energy_type *energy;
    int points;   /* rows: of the longest strand */
    int capacity; /* rows that there is memory for */
    int strands;  /* lanes in use */
    int free_root, hold_capacity, damped;
    int lumped;       /* 1: forces of contacts are found by lumped masses */
    int plain;        /* 1: steps are full: there is no search that would judge a sharp matrix */
    int pinned;       /* 1: there have been pinned directors */
    unsigned open;    /* lanes that iterate */
    unsigned paused;  /* lanes that wait for new planes */
    unsigned renewed; /* lanes whose planes or holds were set since the last iteration */
    unsigned stepped; /* lanes whose state is that of the last step's end */
    uint64_t serial;  /* counts iterates: which one the scratch has */
    unsigned middle;  /* lanes that take this step, or took the last one, by midpoint */
    /* seconds of a lane's implicit solve; from the time of planes and anchors to its end */
    real solved[LANES], elapsed[LANES];
    real press[LANES]; /* greatest force of a plane */
    double friction;   /* of the present step, or the last one */
    const real *start; /* [unknowns] the start of the step: the state, but for residuals */
    size_t bytes;
    implicit_lane lanes[LANES];
    real *q0, *v, *own0; /* [unknowns], [unknowns], [own] state, the start of the step */
    real *q, *own;       /* iterate */
    real *aim;           /* [unknowns] where inertia and drag would bring it */
    real *weight, *mass; /* [MASS_ROWS] */
    real *constants;     /* [constant_rows] */
    real *free;          /* [FREE_ROWS] */
    real *place; /* [3] of kinematic points at the time that is solved for; without holds of the root */
    real *pins;  /* [3] directors of kinematic edges at the end of the step, 0: none; NULL: no directors */
    real *root;  /* [3] the root at the end of the step */
    real *clamps[CLAMPS]; /* [CLAMP_ROWS] */
    real *before;         /* [strains] */
    real *spare;          /* [1] midpoint: of the energy's lead(); 0 for other lanes; NULL: has none */
    real *drag;           /* [1] */
    real *air, *load;     /* [3] */
    real *push;           /* [3] */
    real *planes;         /* [SIDES][P_ROWS]; NULL: never any */
    real *reaction;       /* [3] forces that would keep points at rest where the step began; with planes */
    real *hard;           /* [1] scale of stiffness */
    uint8_t *touched;     /* [points][SIDES] 1: some lane has a plane here */
    implicit_hold *holds; /* [lane][hold_capacity] */

    /* of strands that meet others (implicit_body.h); NULL: they do not */
    real *factor;            /* [unknowns][width + 1] of Newton's matrix */
    real *gradient, *newton; /* [unknowns] at the iterate; Newton's step without the others */
    real *forces;            /* [3] of contacts */
    real *response;          /* [unknowns] displacements that they cause */
    real *columns;           /* [3][unknowns] of the matrix's inverse; NULL: never asked for */
    real potential[LANES];   /* at the iterate */
    band_report report;      /* of the factor */
};

static real *row_of(real *base, int rows, int point, int which, int lane_index) {
    return energy_row(base, rows, point, which) + lane_index;
}

static rlti_vec3 get3(const real *base, int rows, int point, int lane_index) {
    const real *p = energy_at(base, rows, point, 0) + lane_index;
    return rlti_v3((double)p[0], (double)p[LANES], (double)p[2 * LANES]);
}
static void put3(real *base, int rows, int point, int lane_index, rlti_vec3 a) {
    real *p = row_of(base, rows, point, 0, lane_index);
    p[0] = (real)a.x;
    p[LANES] = (real)a.y;
    p[2 * LANES] = (real)a.z;
}

/* The director of the edge after point i in the state; 0 where the energy has none. */
static rlti_vec3 get_director(const rlti_implicit_tile *t, int i, int k) {
    if (t->energy->director == ENERGY_NO_DIRECTOR)
        return rlti_v3(0, 0, 0);
    return get3(t->own0 + (ptrdiff_t)t->energy->director * LANES, t->energy->own, i, k);
}
static void put_director(rlti_implicit_tile *t, int i, int k, rlti_vec3 d) {
    if (t->energy->director != ENERGY_NO_DIRECTOR)
        put3(t->own0 + (ptrdiff_t)t->energy->director * LANES, t->energy->own, i, k, d);
}

/* A lane from one value for each, and back. */
static inline lane lane_of(const real values[LANES]) {
    lane a;
    memcpy(&a, values, sizeof(a));
    return a;
}
static inline void lane_out(lane a, real values[LANES]) {
    memcpy(values, &a, sizeof(a));
}
static inline lane lane_of_bits(unsigned bits) {
    real values[LANES];
    for (int k = 0; k < LANES; k++)
        values[k] = (real)(bits >> k & 1u);
    return lane_of(values);
}

static const energy_type *energy_of(rlti_energy_kind kind) {
    static const energy_type *const all[RLTI_ENERGY_KINDS] = {
        [RLTI_ENERGY_ROD] = &rod_energy,
        [RLTI_ENERGY_ROD_PRINTED] = &rod_energy_printed,
        [RLTI_ENERGY_COIL] = &coil_energy,
        [RLTI_ENERGY_COIL_STRETCH] = &coil_energy_stretch,
        [RLTI_ENERGY_COIL_GAUSS] = &coil_energy_gauss,
        [RLTI_ENERGY_COIL_UNFILTERED] = &coil_energy_unfiltered,
        [RLTI_ENERGY_TANGENT] = &rod_tangent_energy,
        [RLTI_ENERGY_TANGENT_STRETCH] = &rod_tangent_energy_stretch,
        [RLTI_ENERGY_TANGENT_GAUSS] = &rod_tangent_energy_gauss,
        [RLTI_ENERGY_TANGENT_UNFILTERED] = &rod_tangent_energy_unfiltered,
    };
    return all[kind];
}

/* ---- constants ---- */

static void set_constants(rlti_implicit_tile *t, int k, const rlti_implicit_strand *s) {
    const energy_type *e = t->energy;
    t->lanes[k].segment = s->segment;
    t->press[k] = s->press > 0.0 ? (real)s->press : (real)INFINITY;
    for (int i = 0; i < t->points; i++) {
        double rows[CONSTANT_ROWS_MAX];
        int here = i < t->lanes[k].points;
        e->fill(s->constants + (size_t)(here ? i : 0) * (size_t)e->constants, i, here ? s->points : i + 1,
                !t->free_root, rows);
        for (int r = 0; r < e->constant_rows; r++)
            *row_of(t->constants, e->constant_rows, i, r, k) = (real)rows[r];
        const double *c = s->constants + (size_t)(here ? i : 0) * (size_t)e->constants;
        *row_of(t->mass, MASS_ROWS, i, MASS_POINT, k) = (real)(here ? s->mass[i] : 0.0);
        *row_of(t->mass, MASS_ROWS, i, MASS_OTHER, k) =
            (real)(here && i + 1 < s->points ? c[e->inertia] : 0.0);
        *row_of(t->drag, 1, i, 0, k) = (real)(here && s->drag != NULL ? s->drag[i] : 0.0);
        *row_of(t->hard, 1, i, 0, k) = (real)(here ? e->hardness(s->constants, i, s->points) : 0.0);
    }
    for (int i = 0; i < s->points; i++)
        for (int r = e->damping; r < e->damping + 3; r++)
            t->damped |= s->constants[(size_t)i * (size_t)e->constants + (size_t)r] > 0.0;
}

/* ---- making ---- */

static void destroy(rlti_implicit_tile *t) {
    if (t == NULL)
        return;
    rlti_free(t->q0);
    rlti_free(t->holds);
    rlti_free(t);
}

/* Gives each array its part of one piece of memory; with `base` NULL, only counts rows. */
static size_t share_rows(rlti_implicit_tile *t, const rlti_implicit_def *def, real *base) {
    const energy_type *e = t->energy;
    struct {
        real **array;
        int rows;
    } list[] = {{&t->q0, e->unknowns},
                {&t->v, e->unknowns},
                {&t->own0, e->own},
                {&t->q, e->unknowns},
                {&t->own, e->own},
                {&t->aim, e->unknowns},
                {&t->weight, MASS_ROWS},
                {&t->mass, MASS_ROWS},
                {&t->free, FREE_ROWS},
                {&t->constants, e->constant_rows},
                {&t->place, def->holds > 0 ? 3 : 0},
                {&t->pins, e->director != ENERGY_NO_DIRECTOR ? 3 : 0},
                {&t->before, e->strains},
                {&t->spare, e->lead != NULL ? 1 : 0},
                {&t->drag, 1},
                {&t->air, 3},
                {&t->load, def->unloaded ? 0 : 3},
                {&t->push, 3},
                {&t->hard, 1},
                {&t->planes, def->planes ? SIDES * P_ROWS : 0},
                {&t->reaction, def->planes ? 3 : 0},
                {&t->factor, def->meets ? e->unknowns * (e->width + 1) : 0},
                {&t->gradient, def->meets ? e->unknowns : 0},
                {&t->newton, def->meets ? e->unknowns : 0},
                {&t->forces, def->meets ? 3 : 0},
                {&t->response, def->meets ? e->unknowns : 0},
                {&t->columns, def->inverts ? 3 * e->unknowns : 0}};
    size_t rows = 0, few = 6 + CLAMPS * CLAMP_ROWS; /* rows of the strand */
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        if (base != NULL && list[i].rows > 0)
            *list[i].array = base + rows * LANES;
        rows += (size_t)list[i].rows * (size_t)t->points;
    }
    if (base != NULL) {
        t->root = base + rows * LANES;
        for (int c = 0; c < CLAMPS; c++)
            t->clamps[c] = base + (rows + 6 + (size_t)c * CLAMP_ROWS) * LANES;
        if (def->holds == 0)
            t->place = t->root + (ptrdiff_t)3 * LANES;
        t->touched = (uint8_t *)(base + (rows + few) * LANES);
    }
    return rows + few + (SIDES * (size_t)t->points + LANES * sizeof(real) - 1) / (LANES * sizeof(real));
}

static rlti_implicit_tile *create(const rlti_implicit_def *def) {
    rlti_implicit_tile *t = RLTI_NEW(rlti_implicit_tile, 1);
    if (t == NULL)
        return NULL;
    t->energy = energy_of(def->energy);
    t->strands = def->count;
    t->free_root = def->free_root;
    t->hold_capacity = def->holds;
    for (int k = 0; k < def->count; k++) {
        t->lanes[k].points = def->strands[k].points;
        t->points = t->lanes[k].points > t->points ? t->lanes[k].points : t->points;
    }
    t->capacity = t->points;
    size_t rows = share_rows(t, def, NULL);
    real *memory = rlti_allocate(rows, LANES * sizeof(real));
    t->holds = RLTI_NEW(implicit_hold, (size_t)def->holds * LANES);
    t->bytes = sizeof(*t) + rows * LANES * sizeof(real) + (size_t)def->holds * LANES * sizeof(implicit_hold);
    t->q0 = memory;
    if (memory == NULL || t->holds == NULL) {
        destroy(t);
        return NULL;
    }
    share_rows(t, def, memory);
    t->start = t->q0;
    for (int i = 0; t->planes != NULL && i < SIDES * t->points; i++)
        for (int k = 0; k < LANES; k++)
            *row_of(t->planes, P_ROWS, i, P_OFFSET, k) = NO_PLANE;
    for (int k = 0; k < LANES; k++) /* a lane without a strand has the constants of none */
        set_constants(t, k, &def->strands[k < def->count ? k : 0]);
    return t;
}

static size_t bytes(const rlti_implicit_tile *t) {
    return t->bytes;
}

/* ---- state ---- */

/* The smallest rotation from t to u, applied to d; as rod_carry. */
static rlti_vec3 carry_director(rlti_vec3 d, rlti_vec3 t, rlti_vec3 u) {
    double sum = 1.0 + rlti_dot(t, u);
    return sum < 1e-12 ? d : rlti_madd(d, -rlti_dot(d, u) / sum, rlti_add(t, u));
}

/* Directors for new positions x: each edge's carried from its old tangent; those of a strand that had none,
 * along the strand. An edge without length changes nothing. */
static void carry_directors(rlti_implicit_tile *t, int k, const rlti_vec3 *x) {
    int u = t->energy->unknowns;
    rlti_vec3 last_t = rlti_v3(0, 0, 0), last_d = last_t;
    for (int i = 0; i + 1 < t->lanes[k].points; i++) {
        rlti_vec3 d = get_director(t, i, k);
        rlti_vec3 old = rlti_normalize(rlti_sub(get3(t->q0, u, i + 1, k), get3(t->q0, u, i, k)));
        rlti_vec3 now = rlti_normalize(rlti_sub(x[i + 1], x[i]));
        int none = !(rlti_dot(d, d) > 0.0), flat = !(rlti_dot(now, now) > 0.0);
        if (flat)
            now = i > 0 ? last_t : rlti_v3(0, 0, 1);
        if (none)
            d = i > 0 ? carry_director(last_d, last_t, now) : rlti_perpendicular(now);
        else if (rlti_dot(old, old) > 0.0 && !flat)
            d = carry_director(d, old, now);
        put_director(t, i, k, d);
        last_t = now;
        last_d = d;
    }
}

static void set_state(rlti_implicit_tile *t, int k, const rlti_vec3 *positions, const rlti_vec3 *velocities,
                      const rlti_vec3 *directors, const double *spins) {
    int u = t->energy->unknowns, n = t->lanes[k].points;
    t->stepped &= ~(1u << k);
    if (directors == NULL)
        carry_directors(t, k, positions);
    for (int i = 0; i < n; i++) {
        put3(t->q0, u, i, k, positions[i]);
        put3(t->v, u, i, k, velocities != NULL ? velocities[i] : rlti_v3(0, 0, 0));
        if (i + 1 < n && directors != NULL)
            put_director(t, i, k, directors[i]);
        if (u > 3)
            *row_of(t->v, u, i, 3, k) = (real)(i + 1 < n && spins != NULL ? spins[i] : 0.0);
    }
}

static void get_state(const rlti_implicit_tile *t, int k, rlti_vec3 *positions, rlti_vec3 *velocities,
                      rlti_vec3 *directors, double *spins) {
    int u = t->energy->unknowns, n = t->lanes[k].points;
    for (int i = 0; i < n; i++) {
        if (positions != NULL)
            positions[i] = get3(t->q0, u, i, k);
        if (velocities != NULL)
            velocities[i] = get3(t->v, u, i, k);
        if (directors != NULL && i + 1 < n)
            directors[i] = get_director(t, i, k);
        if (spins != NULL && i + 1 < n)
            spins[i] = u > 3 ? (double)*row_of(t->v, u, i, 3, k) : 0.0;
    }
}

static void get_iterate(const rlti_implicit_tile *t, int k, rlti_vec3 *positions) {
    for (int i = 0; i < t->lanes[k].points; i++)
        positions[i] = get3(t->q, t->energy->unknowns, i, k);
}

static void shift(rlti_implicit_tile *t, int k, rlti_vec3 by) {
    int u = t->energy->unknowns;
    for (int i = 0; i < t->lanes[k].points; i++)
        put3(t->q0, u, i, k, rlti_sub(get3(t->q0, u, i, k), by));
}

static void put_clamp(rlti_implicit_tile *t, int k, int which, rlti_vec3 direction, rlti_vec3 director) {
    put3(t->clamps[which], CLAMP_ROWS, 0, k, direction);
    put3(t->clamps[which] + CLAMP_DIRECTOR * LANES, CLAMP_ROWS, 0, k, director);
}

/* The same as unit vectors across each other. */
static void square_clamp(rlti_implicit_tile *t, int k, int which, rlti_vec3 direction, rlti_vec3 director) {
    rlti_vec3 u = rlti_normalize(direction),
              d = rlti_normalize(rlti_madd(director, -rlti_dot(director, u), u));
    put_clamp(t, k, which, u, rlti_dot(d, d) > 0.0 ? d : rlti_perpendicular(u));
}

/* State: taken as it is, so that a resumed run has the same bits. */
static void set_clamp(rlti_implicit_tile *t, int k, rlti_vec3 direction, rlti_vec3 director) {
    t->lanes[k].clamp_known = 1;
    put_clamp(t, k, CLAMP_START, direction, director);
}

/* A clamp that was never set is the first edge as it is. */
static void know_clamps(rlti_implicit_tile *t) {
    int u = t->energy->unknowns;
    for (int k = 0; k < LANES; k++)
        if (!t->lanes[k].clamp_known) {
            square_clamp(t, k, CLAMP_START, rlti_sub(get3(t->q0, u, 1, k), get3(t->q0, u, 0, k)),
                         get_director(t, 0, k));
            t->lanes[k].clamp_known = 1;
        }
}

static void get_clamp(rlti_implicit_tile *t, int k, rlti_vec3 *direction, rlti_vec3 *director) {
    know_clamps(t);
    *direction = get3(t->clamps[CLAMP_START], CLAMP_ROWS, 0, k);
    *director = get3(t->clamps[CLAMP_START] + CLAMP_DIRECTOR * LANES, CLAMP_ROWS, 0, k);
}

static void carry(rlti_implicit_tile *t, int k, rlti_quat turn, rlti_vec3 velocity) {
    int u = t->energy->unknowns;
    rlti_vec3 direction, director;
    get_clamp(t, k, &direction, &director);
    set_clamp(t, k, rlti_quat_rotate(turn, direction), rlti_quat_rotate(turn, director));
    rlti_vec3 x0 = get3(t->q0, u, 0, k), v0 = get3(t->v, u, 0, k);
    for (int i = 0; i < t->lanes[k].points; i++) {
        rlti_vec3 x = rlti_sub(get3(t->q0, u, i, k), x0), v = rlti_sub(get3(t->v, u, i, k), v0);
        rlti_vec3 d = get_director(t, i, k);
        put3(t->q0, u, i, k, rlti_quat_rotate(turn, x));
        put3(t->v, u, i, k, rlti_add(rlti_quat_rotate(turn, v), velocity));
        put_director(t, i, k, rlti_quat_rotate(turn, d));
    }
}

/* ---- the next step ---- */

static void set_root(rlti_implicit_tile *t, int k, rlti_vec3 position, rlti_vec3 direction,
                     rlti_vec3 director) {
    t->lanes[k].root_given = 1;
    put3(t->root, 3, 0, k, position);
    square_clamp(t, k, CLAMP_END, direction, director);
}

static void pin_director(rlti_implicit_tile *t, int k, int edge, const rlti_vec3 *director) {
    if (t->pins == NULL)
        return;
    t->pinned |= director != NULL;
    put3(t->pins, 3, edge, k, director != NULL ? *director : rlti_v3(0, 0, 0));
}

/* Stiffness of plane j of all lanes, over the seconds that are solved for. */
static void stiffen_plane(rlti_implicit_tile *t, int j) {
    lane solved = lane_of(t->solved), per_square = lane_set(1) / (solved * solved);
    lane mass = lane_load(energy_at(t->mass, MASS_ROWS, j / SIDES, MASS_POINT));
    lane scale = fused(mass, per_square, lane_load(energy_at(t->hard, 1, j / SIDES, 0)));
    lane least = lane_set((real)1e-30); /* padding */
    lane_store(energy_row(t->planes, P_ROWS, j, P_STIFF),
               lane_maximum(lane_set((real)PLANE_STIFFNESS) * scale, least));
}

/* Nothing to touch there. */
static void clear_plane(rlti_implicit_tile *t, int k, int j) {
    real *p = row_of(t->planes, P_ROWS, j, 0, k);
    p[P_OFFSET * LANES] = NO_PLANE;
    for (int r = P_FORCE; r < P_STIFF; r++)
        p[r * LANES] = 0;
}

/* Forces of plane j where friction acts: a point that touched it when the step began starts with what would
 * keep it at rest there, and sticks if friction can hold that and stop what speed there is. Found from the
 * state alone, so that no force has to outlive a step. */
static void expect_force(rlti_implicit_tile *t, int k, int j) {
    real *p = row_of(t->planes, P_ROWS, j, 0, k);
    int i = j / SIDES, u = t->energy->unknowns;
    rlti_vec3 n = get3(t->planes, P_ROWS, j, k), r = get3(t->reaction, 3, i, k);
    rlti_vec3 v = get3(t->planes + (ptrdiff_t)P_VELOCITY * LANES, P_ROWS, j, k);
    double h = (double)t->solved[k], force = rlti_dot(n, r), bound = t->friction * force;
    double at = (double)p[P_OFFSET * LANES] + ((double)t->elapsed[k] - h) * rlti_dot(n, v);
    double gap = rlti_dot(n, get3(t->q0, u, i, k)) - at; /* when the step began */
    if (!(bound > 0.0 && gap < PLANE_CLOSED * t->lanes[k].segment))
        return;
    rlti_vec3 grip = rlti_madd(r, -force, n), slide = rlti_sub(get3(t->v, u, i, k), v);
    double holds = rlti_length(grip), weight = (double)*row_of(t->weight, MASS_ROWS, i, MASS_POINT, k);
    double stops = h * weight * rlti_length(rlti_madd(slide, -rlti_dot(n, slide), n));
    p[P_FORCE * LANES] = (real)force;
    p[P_STUCK * LANES] = (real)(holds + stops <= bound);
    put3(t->planes + (ptrdiff_t)P_GRIP * LANES, P_ROWS, j, k,
         holds > bound ? rlti_scale(bound / holds, grip) : grip);
}

static void put_plane(rlti_implicit_tile *t, int k, int j, const rlti_plane *plane) {
    real *p = row_of(t->planes, P_ROWS, j, 0, k);
    int fresh = !(p[P_OFFSET * LANES] > NO_PLANE);
    for (int axis = 0; axis < 3; axis++) {
        p[(P_NORMAL + axis) * LANES] = (real)plane->normal[axis];
        p[(P_VELOCITY + axis) * LANES] = (real)plane->velocity[axis];
    }
    p[P_OFFSET * LANES] = (real)plane->offset;
    if (!t->touched[j] && t->solved[k] > 0) /* there was a step */
        stiffen_plane(t, j);
    t->touched[j] = 1;
    if (fresh)
        expect_force(t, k, j);
}

/* A point that keeps a side keeps its multipliers; a step begins with new ones anyway. */
static void set_planes(rlti_implicit_tile *t, int k, const rlti_plane *planes, int count) {
    if (t->planes == NULL)
        return;
    for (int i = 0, next = 0; i < t->lanes[k].points; i++) {
        while (next < count && planes[next].point < i)
            next++;
        for (int side = 0; side < SIDES; side++) {
            if (next < count && planes[next].point == i)
                put_plane(t, k, SIDES * i + side, &planes[next++]);
            else if (t->touched[SIDES * i + side])
                clear_plane(t, k, SIDES * i + side);
        }
    }
    t->lanes[k].since = 0;
    t->renewed |= 1u << k;
}

static void set_holds(rlti_implicit_tile *t, int k, const rlti_hold *holds, int count) {
    count = count < t->hold_capacity ? count : t->hold_capacity;
    for (int j = 0; j < count; j++)
        t->holds[k * t->hold_capacity + j].given = holds[j];
    t->lanes[k].hold_count = count;
    t->renewed |= 1u << k;
}

static void set_air(rlti_implicit_tile *t, int k, const float *air) {
    for (int i = 0; i < t->lanes[k].points; i++)
        put3(t->air, 3, i, k, air != NULL ? rlti_hold_vector(air + 3 * (size_t)i) : rlti_v3(0, 0, 0));
}

static void set_loads(rlti_implicit_tile *t, int k, const rlti_vec3 *forces) {
    for (int i = 0; i < t->lanes[k].points; i++)
        put3(t->load, 3, i, k, forces != NULL ? forces[i] : rlti_v3(0, 0, 0));
}

static void set_pushes(rlti_implicit_tile *t, int k, const int *points, const float (*accelerations)[3],
                       int count) {
    for (int i = 0; i < t->lanes[k].points; i++)
        put3(t->push, 3, i, k, rlti_v3(0, 0, 0));
    for (int j = 0; j < count; j++)
        put3(t->push, 3, points[j], k, rlti_hold_vector(accelerations[j]));
}

#endif
