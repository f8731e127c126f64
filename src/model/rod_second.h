/* Second derivatives of the Rod's strains in lanes: what Gauss-Newton leaves out of the matrix. They make
 * Newton quadratic near the minimum where stresses are great, at the price of a matrix that may be
 * indefinite elsewhere.
 *
 * With the stresses s_a fixed, the gradient of a joint is
 *   s_j t_j x w / |e^j|,  w = beta D + gamma phi kappa,  D = s_0 D_0 + s_1 D_1, phi = s_0 phi_0 + s_1 phi_1,
 * kappa = Phi b, and in the turns (s_0 phi_1 - s_1 phi_0) / 2. To differentiate it once more, the vertex
 * directors turn by
 *   omega = T x dT + T ((dtau0 + dtau1) / 2 + tan(Phi/4) / 2 b . (dt1 - dt0)),  dT = (dt0 + dt1) across T /
 *   (2 cos(Phi/2))
 * where T is the tangent halfway; so dD = omega x D, dkappa = dphi_0 D_0 + dphi_1 D_1 + omega x kappa, and
 * Phi dPhi = phi_0 dphi_0 + phi_1 dphi_1. The twist's gradient is s_2 h / |e^j|, h = t0 x t1 / (1 + t0 .
 * t1), where it does not fade (where it does, nothing is added). Frames are carried without twist, so
 * derivatives in different order differ by the holonomy times the torque on the turns, which is 0 in
 * equilibrium; the mean of both is taken. */
#ifndef RLTI_MODEL_ROD_SECOND_H
#define RLTI_MODEL_ROD_SECOND_H

#include "model/rod_matrix.h"

/* A joint with its stresses. */
typedef struct rod_stressed {
    rod_joint j;
    rod_slope slope[2];
    lane3 t[2], middle, w, director, quarter; /* quarter: tan(Phi/4) b */
    lane3 lever[2];                           /* t x w */
    lane inverse[2], stress[3], phi;
    lane beta_rate, gamma_rate; /* derivatives by Phi over Phi */
    lane half_cosine, twists;   /* cos(Phi/2); 1: the twist does not fade */
    lane half_secant, above;    /* 1 / (2 cos(Phi/2)); 1 / (1 + cos Phi) */
    lane3 h;
} rod_stressed;

ENERGY_INLINE void rod_rates(rod_stressed *s, lane square) {
    static const real b[] = {(real)(1.0 / 12), (real)(7.0 / 1440), (real)(31.0 / 161280),
                             (real)(127.0 / 19353600)};
    static const real g[] = {(real)(-7.0 / 2880), (real)(-31.0 / 241920), (real)(-127.0 / 25804800)};
    lane_mask flat = lane_less(square, lane_set((real)0.01));
    lane beta = s->j.beta * (lane_set(1) - s->j.beta * s->half_cosine) / square;
    s->beta_rate = lane_select(flat, RLTI_POLYNOMIAL(b, square), beta);
    s->gamma_rate = lane_select(flat, RLTI_POLYNOMIAL(g, square), -(beta + s->j.gamma + s->j.gamma) / square);
}

/* The rest of a joint whose stresses are set. */
ENERGY_INLINE void rod_stress_joint(rod_stressed *s) {
    lane one = lane_set(1), half = lane_set((real)0.5), above = one + s->j.cosine;
    s->above = one / lane_maximum(above, lane_set((real)1e-6));
    s->h = scale3(s->above, s->j.cross);
    lane3 sum = add3(s->t[0], s->t[1]);
    lane length = lane_maximum(lane_sqrt(dot3(sum, sum)), lane_set((real)1e-3));
    s->middle = scale3(one / length, sum);
    s->half_cosine = half * length;
    s->half_secant = one / length;
    s->director = fused3(s->stress[0], s->j.director[0], scale3(s->stress[1], s->j.director[1]));
    s->phi = fused(s->stress[0], s->j.phi[0], s->stress[1] * s->j.phi[1]);
    s->w = fused3(s->j.gamma * s->phi, s->j.turn, scale3(s->j.beta, s->director));
    s->lever[0] = cross3(s->t[0], s->w);
    s->lever[1] = cross3(s->t[1], s->w);
    s->quarter = scale3(half / (s->j.beta * (one + s->half_cosine)), s->j.turn);
    rod_rates(s, dot3(s->j.turn, s->j.turn));
}

/* A joint between edges a and b, without stresses. */
ENERGY_INLINE rod_stressed rod_stressed_between(const rod_edge *a, const rod_edge *b) {
    rod_stressed s = {.j = rod_joint_between(a->t, a->d, b->t, b->d), .t = {a->t, b->t}};
    s.inverse[0] = a->inverse;
    s.inverse[1] = b->inverse;
    for (int k = 0; k < 2; k++)
        s.slope[k] = rod_bend_slope(&s.j, k, 0, a->t, a->inverse, b->t, b->inverse);
    return s;
}

ENERGY_INLINE rod_stressed rod_stressed_joint(const energy_rows *r, int p, const rod_edge *a,
                                              const rod_edge *b) {
    rod_stressed s = rod_stressed_between(a, b);
    const real *start = energy_at(r->before, RLTI_ROD_STRAINS, p, RLTI_ROD_STRAIN_PHI_0);
    lane one = lane_set(1), zero = lane_set(0), half = lane_set((real)0.5);
    for (int k = 0; k < 2; k++) {
        lane viscous = r->rate * rod_constant(r, ROD_ROWS, p, ROD_VISCOUS_BEND + k);
        s.stress[k] = fused(rod_constant(r, ROD_ROWS, p, ROD_BEND + k),
                            s.j.phi[k] - rod_constant(r, ROD_ROWS, p, ROD_REST_PHI + k),
                            viscous * (s.j.phi[k] - lane_load(start + (ptrdiff_t)k * LANES)));
    }
    lane above = one + s.j.cosine, strain = s.j.theta - rod_constant(r, ROD_ROWS, p, ROD_REST_THETA);
    s.twists = lane_select(lane_less(above, lane_set(ROD_FADE)), zero, one);
    lane viscous = r->rate * rod_constant(r, ROD_ROWS, p, ROD_VISCOUS_TWIST);
    s.stress[2] = fused(rod_constant(r, ROD_ROWS, p, ROD_TWIST), strain,
                        viscous * (strain - lane_load(start + (ptrdiff_t)3 * LANES)));
    s.stress[2] = lane_select(lane_less(half, s.twists), s.stress[2], zero);
    rod_stress_joint(&s);
    return s;
}

ENERGY_INLINE lane rod_component(lane3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* An edge's tangent's change with the edge along an axis: the axis across the tangent over the length. */
ENERGY_INLINE lane3 rod_tangent_change(lane3 t, lane inverse, int axis) {
    lane one = lane_set(1);
    lane3 by = scale3(-rod_component(t, axis), t);
    if (axis == 0)
        by.x = by.x + one;
    else if (axis == 1)
        by.y = by.y + one;
    else
        by.z = by.z + one;
    return scale3(inverse, by);
}

/* The change of both edges' gradients with edge k along an axis. Written out for each k and axis. */
ENERGY_INLINE void rod_second_column(const rod_stressed *s, int k, int axis, lane3 out[2]) {
    lane half = lane_set((real)0.5);
    lane along = rod_component(s->t[k], axis) * s->inverse[k];
    lane3 dt = rod_tangent_change(s->t[k], s->inverse[k], axis);
    lane3 across = scale3(s->half_secant, fused3(-dot3(s->middle, dt), s->middle, dt));
    lane spin = (k == 0 ? -half : half) * dot3(s->quarter, dt);
    lane3 omega = fused3(spin, s->middle, cross3(s->middle, across));
    lane d0 = rod_component(s->slope[0].edge[k], axis), d1 = rod_component(s->slope[1].edge[k], axis);
    lane turn = fused(s->j.phi[0], d0, s->j.phi[1] * d1); /* Phi dPhi */
    lane dphi = fused(s->stress[0], d0, s->stress[1] * d1);
    lane3 dkappa = fused3(d0, s->j.director[0], fused3(d1, s->j.director[1], cross3(omega, s->j.turn)));
    lane3 dw = scale3(s->beta_rate * turn, s->director);
    dw = fused3(s->j.beta, cross3(omega, s->director), dw);
    dw = fused3(fused(s->gamma_rate * turn, s->phi, s->j.gamma * dphi), s->j.turn, dw);
    dw = fused3(s->j.gamma * s->phi, dkappa, dw);
    /* of h: the cosine's change is dt . the other tangent */
    lane3 other = s->t[1 - k], turned = k == 0 ? cross3(dt, other) : cross3(other, dt);
    lane3 dh = scale3(s->above, fused3(-dot3(dt, other), s->h, turned));
    for (int j = 0; j < 2; j++) {
        lane3 change = cross3(s->t[j], dw);
        if (j == k)
            change = add3(change, fused3(-along, s->lever[j], cross3(dt, s->w)));
        lane3 twist = j == k ? fused3(-along, s->h, dh) : dh;
        lane weight = j == 0 ? s->inverse[0] : -s->inverse[1];
        out[j] = fused3(s->inverse[j] * s->stress[2], twist, scale3(weight, change));
    }
}

/* Rows and columns of the joint's eight coordinates: edge 0, edge 1, both turns. */
enum { SECOND_TURN = 6, SECOND_ROWS = 8 };

/* The lower half of the mean of the matrix and its transpose. */
ENERGY_INLINE void rod_second_matrix(const rod_stressed *s, lane m[SECOND_ROWS][SECOND_ROWS]) {
    lane half = lane_set((real)0.5), full[SECOND_TURN][SECOND_TURN];
#pragma GCC unroll 11
    for (int c = 0; c < SECOND_TURN; c++) {
        lane3 column[2];
        rod_second_column(s, c / 3, c % 3, column);
#pragma GCC unroll 11
        for (int j = 0; j < SECOND_TURN; j++)
            full[j][c] = rod_component(column[j / 3], j % 3);
        /* of a turn: (stress_0 dphi_1 - stress_1 dphi_0) / 2 */
        lane mixed = half * fused(s->stress[0], rod_component(s->slope[1].edge[c / 3], c % 3),
                                  -s->stress[1] * rod_component(s->slope[0].edge[c / 3], c % 3));
        m[SECOND_TURN][c] = m[SECOND_TURN + 1][c] = mixed;
    }
#pragma GCC unroll 11
    for (int a = 0; a < SECOND_TURN; a++)
#pragma GCC unroll 11
        for (int b = 0; b <= a; b++)
            m[a][b] = half * (full[a][b] + full[b][a]);
    lane turns = lane_set((real)-0.25) * s->phi;
    m[SECOND_TURN][SECOND_TURN] = m[SECOND_TURN + 1][SECOND_TURN] = m[SECOND_TURN + 1][SECOND_TURN + 1] =
        turns;
}

/* Coordinates of a joint's unknowns: x of the points before, at and after it by edges, and the turns. */
static const struct rod_coordinate {
    int coordinate[2], sign[2];
} rod_coordinates[ROD_REACH] = {{{0, 0}, {-1, 0}}, {{1, 1}, {-1, 0}}, {{2, 2}, {-1, 0}}, {{6, 6}, {1, 0}},
                                {{0, 3}, {1, -1}}, {{1, 4}, {1, -1}}, {{2, 5}, {1, -1}}, {{7, 7}, {1, 0}},
                                {{3, 3}, {1, 0}},  {{4, 4}, {1, 0}},  {{5, 5}, {1, 0}}};

/* Entry (u, v) in the joint's unknowns. */
ENERGY_INLINE lane rod_second_entry(lane m[SECOND_ROWS][SECOND_ROWS], int u, int v) {
    const struct rod_coordinate *a = &rod_coordinates[u], *b = &rod_coordinates[v];
    lane sum = lane_set(0);
#pragma GCC unroll 11
    for (int i = 0; i < 2; i++)
#pragma GCC unroll 11
        for (int j = 0; j < 2; j++) {
            int sign = a->sign[i] * b->sign[j], from = a->coordinate[i], to = b->coordinate[j];
            lane entry = from >= to ? m[from][to] : m[to][from];
            if (sign > 0)
                sum = sum + entry;
            if (sign < 0)
                sum = sum - entry;
        }
    return sum;
}

/* Written out: which entries of m come together is then known in advance. */
ENERGY_INLINE void rod_spread_second(const energy_rows *r, int p, lane m[SECOND_ROWS][SECOND_ROWS],
                                     lane share, real *matrix) {
    lane free[ROD_REACH] = {0};
    lane_mask adds = lane_less(lane_set(0), share);
    int first = p > 0 ? 0 : 4; /* the clamp before the root has no unknowns */
#pragma GCC unroll 11
    for (int u = 0; u < ROD_REACH; u++) {
        if (u < first)
            continue;
        real *row = matrix + ((ptrdiff_t)(p - 1) * ROD_UNKNOWNS + u) * (ROD_WIDTH + 1) * LANES;
        free[u] = lane_load(energy_at(r->free, FREE_ROWS, p - 1 + u / 4, u % 4 == 3));
        lane scale = share * free[u];
#pragma GCC unroll 11
        for (int v = 0; v <= u; v++) {
            if (v < first)
                continue;
            lane old = lane_load(row + (ptrdiff_t)(u - v) * LANES);
            lane sum = fused(scale * free[v], rod_second_entry(m, u, v), old);
            lane_store(row + (ptrdiff_t)(u - v) * LANES, lane_select(adds, sum, old));
        }
    }
}

static void rod_add_second(const energy_rows *r, int p, const rod_stressed *s, lane share, real *matrix) {
    lane m[SECOND_ROWS][SECOND_ROWS];
    rod_second_matrix(s, m);
    rod_spread_second(r, p, m, share, matrix);
}

/* A compressed edge's part that the matrix without this leaves out. */
static void rod_add_compression(const energy_rows *r, int p, const rod_edge *e, lane share, real *matrix) {
    lane weight = lane_minimum(e->tension, lane_set(0)) * e->inverse, zero = lane_set(0);
    lane_mask adds = lane_less(zero, share);
    const lane t[3] = {e->t.x, e->t.y, e->t.z};
    lane f0 = lane_load(energy_at(r->free, FREE_ROWS, p, 0)),
         f1 = lane_load(energy_at(r->free, FREE_ROWS, p + 1, 0));
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            lane block = -weight * t[a] * t[b];
            if (a == b)
                block = block + weight;
            for (int part = b <= a ? 0 : 2; part < 3; part++) { /* both diagonal blocks, the one between */
                ptrdiff_t row = (ptrdiff_t)(part == 0 ? p : p + 1) * ROD_UNKNOWNS + a;
                real *entry = matrix + (row * (ROD_WIDTH + 1) + (part == 2 ? 4 + a - b : a - b)) * LANES;
                lane free = f0, old = lane_load(entry);
                if (part == 1)
                    free = f1;
                if (part == 2)
                    free = -f0 * f1;
                lane_store(entry, lane_select(adds, fused(share * free, block, old), old));
            }
        }
}

/* Adds a share of all of it to the matrix; lanes with 0 keep their bits. */
static void rod_sharpen(const energy_rows *r, const real *q, const real *own, lane share, energy_range range,
                        real *matrix) {
    rod_edge a = {.t = zero3()}, b;
    if (range.first > 0)
        a = rod_edge_of(r, q, own, range.first - 1);
    for (int p = range.first; p < range.end && p + 1 < r->points; p++) {
        b = rod_edge_of(r, q, own, p);
        rod_add_compression(r, p, &b, share, matrix);
        if (p == 0 && r->clamp != NULL)
            a = (rod_edge){.t = load3(r->clamp),
                           .d = load3(r->clamp + (ptrdiff_t)CLAMP_DIRECTOR * LANES),
                           .inverse = lane_set(0)};
        if (p > 0 || r->clamp != NULL) {
            rod_stressed s = rod_stressed_joint(r, p, &a, &b);
            rod_add_second(r, p, &s, share, matrix);
        }
        a = b;
    }
}

#define ROD_TABLE(evaluation, sharpening, off)                                                               \
    {                                                                                                        \
        .approximate = (off), .constants = RLTI_ROD_CONSTANTS, .constant_rows = ROD_ROWS,                    \
        .unknowns = ROD_UNKNOWNS, .width = ROD_WIDTH, .strains = RLTI_ROD_STRAINS, .own = ROD_OWN,           \
        .terms = ROD_TERMS, .inertia = RLTI_ROD_INERTIA, .damping = RLTI_ROD_DAMP_STRETCH,                   \
        .length = ROD_LENGTH, .director = ROD_DIRECTOR, .reach = 1, .fill = rod_fill,                        \
        .hardness = rod_hardness, .start = rod_start, .pin = rod_pin, .move = rod_move,                      \
        .turn = rod_turn_all, .lead = rod_lead, .evaluate = (evaluation), .weigh = rod_weigh,                \
        .assemble = rod_assemble, .sharpen = (sharpening)                                                    \
    }

static const energy_type rod_energy = ROD_TABLE(rod_evaluate, rod_sharpen, 0);
static const energy_type rod_energy_printed = ROD_TABLE(rod_evaluate_printed, NULL, 1);

#endif
