/* An energy as the implicit engine asks it, over the lane type: a table of functions, one for each model.
 * Newton and the band solver know no more of a model than this.
 *
 * Arrays are rows of LANES values, [point][row][lane]. A strand shorter than its tile continues with points
 * whose constants are 0 and whose unknowns are not free.
 *
 * Unknowns q of a point: its position, then what the energy has besides (the Rod: the turn of the edge after
 * it about itself since the start of the step). A configuration is q and rows of the energy's own that follow
 * it (the Rod: tangents and directors). Derivatives are taken at a configuration, with its own rows as the
 * reference, so they need no history. */
#ifndef RLTI_MODEL_ENERGY_H
#define RLTI_MODEL_ENERGY_H

#include <stddef.h>

#include "base/lanes_math.h"

#define ENERGY_INLINE static inline __attribute__((always_inline))

enum { ENERGY_PARTS = 3 }; /* energies reported one by one */

enum { ENERGY_NO_DIRECTOR = -1 };

/* When Newton adds what the matrix leaves out (sharpen): from the second iteration on, with a line search,
 * where the matrix stays positive, never, or always, and shifts the matrix where it is not. */
typedef enum energy_sharpness {
    ENERGY_SHARP_LATER,
    ENERGY_SHARP_NEVER,
    ENERGY_SHARP_ALWAYS
} energy_sharpness;

/* The diagonal block of a point that the engine adds, lower half: position, and the other unknown. */
enum { BLOCK_XX, BLOCK_YX, BLOCK_YY, BLOCK_ZX, BLOCK_ZY, BLOCK_ZZ, BLOCK_OTHER, BLOCK_ROWS };
/* Rows of `free`: 1, or 0 where the position or the other unknown is kinematic. */
enum { FREE_POINT, FREE_OTHER, FREE_ROWS };

/* Frame of the kinematic edge before the root: tangent and first director. */
enum { CLAMP_TANGENT, CLAMP_DIRECTOR = 3, CLAMP_ROWS = 6 };

/* The tile as an energy sees it. */
typedef struct energy_rows {
    int points;
    const real *constants; /* [points][constant_rows] */
    const real *free;      /* [points][FREE_ROWS] */
    const real *clamp;     /* [CLAMP_ROWS] the kinematic edge before the root; NULL: the root is free */
    const real *before;    /* [points][strains] at the start of the step: damping acts on the difference */
    lane rate;             /* 1 / seconds since then; 0: no damping */
    const real *spare;     /* [points] midpoint: what lead() found; NULL: Euler */
} energy_rows;

/* Points of a strand. */
typedef struct energy_range {
    int first, end;
} energy_range;

/* Sums over the strand. */
typedef struct energy_sums {
    lane parts[ENERGY_PARTS]; /* elastic */
    lane damping;             /* potential of the viscous part */
} energy_sums;

/* A displacement of all unknowns by share * step, lane by lane; 0 leaves a lane as it is, to the bit. */
typedef struct energy_step {
    lane share;
    const real *step; /* [points][unknowns] */
    int chain;        /* 1: edges are turned and put together from the root, so that a large turn does not
                       * stretch them; to first order the same. 0: points move in straight lines */
    unsigned pinned;  /* lanes with kinematic points beside the root, which a chain must meet */
    int keep_lengths; /* 1: chained edges keep their lengths altogether */
} energy_step;

/* A rotation about a point, and where that point comes to. */
typedef struct energy_turn {
    lane3 rows[3]; /* of the matrix */
    lane3 from, to;
} energy_turn;

typedef struct energy_type {
    int approximate;   /* 1: the gradient is not the energy's, and the energy cannot judge a step */
    int constants;     /* a point, as callers give them */
    int constant_rows; /* a point, as the functions below read them */
    int unknowns, width, strains;
    int own;      /* rows a point of a configuration besides q */
    int terms;    /* rows a point between evaluate and assemble; one point more on either side */
    int inertia;  /* the constant that is the mass of the other unknown */
    int damping;  /* the first of three constants that are damping times */
    int length;   /* the constant row that is the rest length of the edge after the point */
    int director; /* the first of three own rows that are state: the edge's director; or ENERGY_NO_DIRECTOR */
    int reach;    /* points after a joint whose rows the joints behind it still add to: 1, or 2 */
    energy_sharpness sharp;

    /* Constants of point i into constant_rows values (`rooted`: the root is clamped); and a scale of its
     * stiffness [mass/s^2]. */
    void (*fill)(const double *constants, int i, int points, int rooted, double *rows);
    double (*hardness)(const double *constants, int i, int points);

    /* Makes the own rows right for q: they hold directors alone. */
    void (*start)(const energy_rows *rows, const real *q, real *own);
    /* Where `free` has 0 for the other unknown, it gets its place: [points][3] directors, 0: none. */
    void (*pin)(const energy_rows *rows, const real *directors, real *own);
    void (*move)(const energy_rows *rows, const energy_step *step, const real *q, const real *own, real *q_to,
                 real *own_to);
    /* The whole strand as one piece. */
    void (*turn)(const energy_rows *rows, const energy_turn *turn, const real *q, const real *own, real *q_to,
                 real *own_to);

    /* Midpoint: forces of the last evaluate's form at q that its potential must leave out, so that their
     * work from q0 over the whole step is what the energy loses: constant until the next call. NULL:
     * never. */
    void (*lead)(const energy_rows *rows, const real *q0, const real *q, real *spare);
    /* Energy, gradient [points][unknowns] (0 where not free), and what assemble needs. */
    energy_sums (*evaluate)(const energy_rows *rows, const real *q, const real *own, real *terms,
                            real *gradient);
    /* Energy, to the same bits, and strains [points][strains] unless NULL. */
    energy_sums (*weigh)(const energy_rows *rows, const real *q, const real *own, real *strains);
    /* Rows of the points first .. end - 1 of the matrix of the last evaluate plus the blocks, every row
     * written once, as solve/band.h has it: [row][width + 1]. Rows that are not free have their block
     * alone. */
    void (*assemble)(const energy_rows *rows, const real *terms, const real *blocks, energy_range range,
                     real *matrix);
    /* Adds a share of what that matrix leaves out: with 1 it is the second derivative, and no longer always
     * positive. It is the part of the joints at the points first .. end - 1, and of the edges behind them:
     * their rows, and those of the next points on either side, or of the next and the two (reach) before.
     * Lanes with 0 keep their bits. NULL: never. */
    void (*sharpen)(const energy_rows *rows, const real *q, const real *own, lane share, energy_range range,
                    real *matrix);
} energy_type;

ENERGY_INLINE real *energy_row(real *base, int rows, int point, int which) {
    return base + ((ptrdiff_t)point * rows + which) * LANES;
}
ENERGY_INLINE const real *energy_at(const real *base, int rows, int point, int which) {
    return base + ((ptrdiff_t)point * rows + which) * LANES;
}

/* Row `unknown` of a point's matrix, entries e[k] = A(i, i - k): what the edges before and after it add, and
 * its block. All three are lower halves by rows: xx, yx yy, zx zy zz. `free` is 0 where the point is held,
 * `both` where one of the edge's points is. */
ENERGY_INLINE void energy_take_edges(const real *before, const real *after, const real *block, lane free,
                                     lane both, int unknowns, int unknown, lane *e) {
#pragma GCC unroll 3
    for (int c = 0; c < 3; c++) {
        int high = c > unknown ? c : unknown, low = c > unknown ? unknown : c;
        int at = (high * (high + 1) / 2 + low) * LANES;
        lane edge = lane_load(before + at);
        if (c <= unknown)
            e[unknown - c] = fused(free, edge + lane_load(after + at), lane_load(block + at));
        e[unknowns + unknown - c] = -both * edge;
    }
}

/* An edge shorter than this part of its rest length has no direction of its own. */
#define ENERGY_NO_LENGTH ((real)1e-9)

/* A unit vector across the unit vector a. */
static inline lane3 energy_perpendicular(lane3 a) {
    lane limit = lane_set((real)0.6), one = lane_set(1), zero = lane_set(0);
    lane_mask x = lane_less(lane_absolute(a.x), limit), y = lane_less(lane_absolute(a.y), limit);
    lane3 axis = {lane_select(x, one, zero), lane_select(x, zero, lane_select(y, one, zero)),
                  lane_select(x, zero, lane_select(y, zero, one))};
    lane3 across = fused3(-dot3(axis, a), a, axis);
    return scale3(one / lane_sqrt(dot3(across, across)), across);
}

/* e / |e|, or `other` for an edge without length. */
ENERGY_INLINE lane3 energy_direction(lane3 e, lane length, lane rest, lane3 other) {
    lane_mask has = lane_less(lane_set(ENERGY_NO_LENGTH) * rest, length);
    return select3(has, scale3(lane_set(1) / length, e), other);
}

#endif
