/* One strand of the sag-free solve: its edges, their sweeps, and the two questions asked of them. In the
 * plain double build of the lanes, as the model's rest shape is. */
#ifndef RLTI_SOLVE_TAZ_SAG_STRAND_H
#define RLTI_SOLVE_TAZ_SAG_STRAND_H

#define RLTI_LANES_REFERENCE
#include "base/lanes.h"
#include "model/taz_bend.h"
#include "model/taz_filter.h"
#include "model/taz_model.h"
#include "model/taz_stretch.h"

/* Found at an edge by the sweep from root to tip. */
typedef struct sag_sweep {
    taz_filter_state state; /* before the edge */
    taz_frame before;       /* the frame the edge's target lives in */
    lane3 u;                /* direction of the smoothed curve */
    taz_carry carry;
    double g, across; /* of taz_direction */
} sag_sweep;

typedef struct sag_edge {
    lane3 e;           /* in the groom */
    lane3 load;        /* T: what the edge must carry, the sum of all forces on the points beyond it */
    lane3 target;      /* t, world */
    lane3 c;           /* t in its frame: tbar */
    sag_sweep at;      /* in the groom */
    sag_sweep moved;   /* of a trial */
    double length;     /* |e| */
    double stretch_k;  /* k_s */
    double rest;       /* l */
    double bend_k;     /* k_b now */
    double bend_given; /* k_b of the scene */
    double bend_min;   /* where a solve starts from */
    double bend_max;   /* the maximum that the time step and the scene allow */
} sag_edge;

typedef struct sag_strand {
    int edges;
    int variational;
    double segment;
    taz_filter bend;
    double floor, inverse_floor;
    taz_frame root;
    sag_edge *edge;  /* [edges] */
    double *forces;  /* [3 edges] of the edges in the groom */
    double *hessian; /* [3 edges][3 edges], or NULL: too long to check */
} sag_strand;

/* Sets up edges, sweep and stiffness bounds; loads are filled in by the caller. `points` are the strand's. */
void rlti_sag_strand_begin(sag_strand *s, const rlti_taz_model *model, int index, const rlti_vec3 *points,
                           double force_step, double stiffen);

/* Targets lifted by the preload: t = e - c M g / k_b, with M g the load (or a point's share of it) in `lift`.
 */
void rlti_sag_strand_preload(sag_strand *s, const lane3 *lift, double amount);

/* The pass from tip to root. k_b rises where |t| / |e| would exceed `limit`, and everywhere by `boost`.
 * Returns the greatest |t| / |e|. */
double rlti_sag_strand_solve(sag_strand *s, double limit, double boost);

/* Edge forces at the groom with the present targets: the sum of stretch and bending gradients, into
 * s->forces. */
void rlti_sag_strand_forces(sag_strand *s);

/* 1: the energy's second derivative is positive definite, with a margin, so that the equilibrium is stable.
 * Only for the variational form, whose forces have an energy. */
int rlti_sag_strand_is_stable(sag_strand *s);

#endif
