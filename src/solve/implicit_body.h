/* The implicit engine, compiled once per instruction set: implicit_avx2.c and its siblings define
 * RLTI_LANES_..., RLTI_IMPLICIT_NAME and RLTI_IMPLICIT_SIMD and include this file. Read implicit.h first. In
 * reading order: implicit_tile.h (data), implicit_newton.h (iteration) with implicit_holds.h and
 * implicit_planes.h, implicit_begin.h (start of a step), implicit_gather.h (strands that take long), then the
 * end of a step below. */

#include "solve/implicit_begin.h"
#include "solve/implicit_gather.h"

/* ---- a step ---- */

/* Kinematic points that were moved since: straight, and frames with them. */
static void follow_pins(rlti_implicit_tile *t, workspace *w) {
    int u = t->energy->unknowns;
    unsigned moved = 0;
    memset(w->step, 0, (size_t)t->points * (size_t)u * LANES * sizeof(real));
    for (int k = 0; k < t->strands; k++) {
        if (!(t->renewed >> k & 1u) || t->hold_capacity == 0 || !aim_holds(t, k))
            continue;
        for (int i = t->free_root ? 0 : 1; i < t->lanes[k].points; i++) {
            rlti_vec3 by = rlti_sub(get3(t->place, 3, i, k), get3(t->q, u, i, k));
            if ((double)*row_of(t->free, FREE_ROWS, i, FREE_POINT, k) > 0.0 || !(rlti_dot(by, by) > 0.0))
                continue;
            put3(w->step, u, i, k, by);
            moved |= 1u << k;
        }
    }
    if (moved == 0)
        return;
    energy_rows r = rows_of_tile(t);
    energy_step by = {lane_of_bits(moved), w->step, 1, pinned_lanes(t), 0};
    t->energy->move(&r, &by, t->q, t->own, w->q, w->own);
    lane_store(w->base, evaluate(t, w, w->q, w->own));
    accept(t, w);
}

/* The workspace with the evaluation of the present iterate, after all that was set anew since. */
static void renew(rlti_implicit_tile *t, const rlti_implicit_step *step, void *scratch, workspace *w) {
    if (!open_workspace(t, scratch, w)) {
        lane_store(w->base, evaluate(t, w, t->q, t->own));
        keep_workspace(t, w);
    }
    if (t->renewed == 0)
        return;
    for (int k = 0; k < t->strands; k++) {
        const rlti_implicit_result *r = &t->lanes[k].result;
        if ((t->renewed >> k & 1u) && !r->failed && r->iterations < step->iterations)
            t->open |= 1u << k;
    }
    follow_pins(t, w);
    t->renewed = 0;
}

static unsigned iterate(rlti_implicit_tile *t, const rlti_implicit_step *step, void *scratch) {
    workspace w;
    renew(t, step, scratch, &w);
    if (t->open != 0)
        iterate_once(t, step, &w);
    return t->open;
}

/* ---- strands that meet others ---- */

/* Memory that outlives the working memory between two parts of an iteration. */
static void keep_in_tile(const rlti_implicit_tile *t, workspace *w) {
    w->factor = t->factor;
    w->all = t->gradient;
    w->step = t->newton;
}

static unsigned linearize(rlti_implicit_tile *t, const rlti_implicit_step *step, unsigned lanes,
                          void *scratch) {
    workspace w;
    lane before;
    t->renewed |= lanes;
    renew(t, step, scratch, &w);
    keep_in_tile(t, &w);
    memset(t->forces, 0, (size_t)t->points * 3 * LANES * sizeof(real));
    lead(t, &w);
    propose(t, step->friction, &w, segments_of(t), &t->report, &before);
    lane_out(before, t->potential);
    return t->open & ~t->report.failed;
}

static void get_newton(const rlti_implicit_tile *t, int k, rlti_vec3 *moved) {
    for (int i = 0; i < t->lanes[k].points; i++)
        moved[i] = get3(t->newton, t->energy->unknowns, i, k);
}

/* Kinematic points feel none. */
static void set_forces(rlti_implicit_tile *t, int k, const rlti_vec3 *forces) {
    for (int i = 0; i < t->lanes[k].points; i++)
        put3(t->forces, 3, i, k,
             rlti_scale((double)*row_of(t->free, FREE_ROWS, i, FREE_POINT, k), forces[i]));
}

static void respond(rlti_implicit_tile *t) {
    int u = t->energy->unknowns, rows = t->points * u;
    for (int i = 0; i < t->points; i++) {
        store3(energy_row(t->response, u, i, 0), load3(energy_at(t->forces, 3, i, 0)));
        for (int c = 3; c < u; c++)
            lane_store(energy_row(t->response, u, i, c), lane_set(0));
    }
    if (t->energy->width == 10)
        band_solve(t->factor, t->response, rows, 10);
    else
        band_solve(t->factor, t->response, rows, BAND_WIDTH_MAXIMUM);
}

static void get_response(const rlti_implicit_tile *t, int k, rlti_vec3 *moved) {
    for (int i = 0; i < t->lanes[k].points; i++)
        moved[i] = get3(t->response, t->energy->unknowns, i, k);
}

/* Puts the columns of point p into the inverse of strand k, from that point on, and the rows that are the
 * same in the transposed. */
static void put_columns(const rlti_implicit_tile *t, int k, int p, float *inverse) {
    int u = t->energy->unknowns, points = t->lanes[k].points;
    size_t size = 3 * (size_t)points, rows = (size_t)(t->points * u) * LANES;
    float *column = inverse + 3 * (size_t)p * size, *row = inverse + 3 * (size_t)p;
    for (int i = p; i < points; i++)
        for (int d = 0; d < 3; d++) {
            const real *x = t->columns + (size_t)(i * u + d) * LANES + (size_t)k;
            size_t at = 3 * (size_t)i + (size_t)d;
            for (size_t c = 0; c < 3; c++)
                row[at * size + c] = column[c * size + at] = (float)x[c * rows];
        }
}

/* Three columns at a time: those of a point, from its rows on, since an inverse is symmetric. */
static void get_inverse(rlti_implicit_tile *t, float *const inverses[]) {
    int u = t->energy->unknowns, rows = t->points * u, width = t->energy->width;
    for (int p = 0; p < t->points; p++) {
        int first = p * u;
        size_t apart = (size_t)rows * LANES;
        for (size_t c = 0; c < 3; c++) {
            real *x = t->columns + c * apart + (size_t)first * LANES;
            memset(x, 0, (size_t)(rows - first) * LANES * sizeof(real));
            lane_store(x + c * LANES, lane_load(energy_at(t->free, FREE_ROWS, p, FREE_POINT)));
        }
        if (width == 10)
            band_solve_three(t->factor, t->columns, apart, first, rows, 10);
        else
            band_solve_three(t->factor, t->columns, apart, first, rows, BAND_WIDTH_MAXIMUM);
        for (int k = 0; k < t->strands; k++)
            if (inverses[k] != NULL && p < t->lanes[k].points)
                put_columns(t, k, p, inverses[k]);
    }
}

#if LANES == 1
static inline lane widen(const float *from) {
    return (real)*from;
}
#else
typedef float narrow __attribute__((vector_size(LANES * sizeof(float))));
static inline lane widen(const float *from) {
    narrow four;
    memcpy(&four, from, sizeof four);
    return (lane) __builtin_convertvector(four, lane);
}
#endif

/* x += columns f, LANES rows. */
static inline lane some_rows(const float *columns, int size, const lane *forces, int count, lane sum) {
    for (int c = 0; c < count; c++)
        sum = fused(forces[c], widen(columns + (size_t)c * (size_t)size), sum);
    return sum;
}

static inline void add_some_columns(const float *columns, int size, const double *f, int count, double *x) {
    lane forces[6], sum;
    int i = 0;
    for (int c = 0; c < count; c++)
        forces[c] = lane_set((real)f[c]);
    for (; i + LANES <= size; i += LANES) {
        memcpy(&sum, x + i, sizeof sum);
        sum = some_rows(columns + i, size, forces, count, sum);
        memcpy(x + i, &sum, sizeof sum);
    }
    /* the last ones by themselves: what is behind them belongs to others */
    float rest[6 * LANES] = {0.0f};
    real last[LANES] = {0};
    for (int k = 0; i + k < size; k++) {
        for (int c = 0; c < count; c++)
            rest[c * LANES + k] = columns[(size_t)c * (size_t)size + (size_t)(i + k)];
        last[k] = x[i + k];
    }
    lane_store(last, some_rows(rest, LANES, forces, count, lane_load(last)));
    for (int k = 0; i + k < size; k++)
        x[i + k] = last[k];
}

/* Links push one point of an edge only: half of the work. */
static void add_columns(const float *columns, int size, const double f[6], double *x) {
    int first = f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0, second = f[3] != 0.0 || f[4] != 0.0 || f[5] != 0.0;
    if (first && second)
        add_some_columns(columns, size, f, 6, x);
    else if (first)
        add_some_columns(columns, size, f, 3, x);
    else if (second)
        add_some_columns(columns + 3 * (size_t)size, size, f + 3, 3, x);
}

static void get_softness(const rlti_implicit_tile *t, int k, double *softness) {
    for (int i = 0; i < t->lanes[k].points; i++) {
        double weight = (double)*row_of(t->weight, MASS_ROWS, i, MASS_POINT, k);
        softness[i] = weight > 0.0 ? 1.0 / weight : 0.0; /* kinematic points have none */
    }
}

/* Newton's step again, with the forces. */
static unsigned advance(rlti_implicit_tile *t, const rlti_implicit_step *step, void *scratch) {
    int u = t->energy->unknowns;
    workspace w;
    open_workspace(t, scratch, &w);
    keep_in_tile(t, &w);
    for (int i = 0; i < t->points; i++) {
        real *row = energy_row(t->gradient, u, i, 0);
        store3(row, sub3(load3(row), load3(energy_at(t->forces, 3, i, 0))));
    }
    descent d = solve(t, &w, segments_of(t));
    take(t, step, &w, &t->report, &d, lane_of(t->potential), 1);
    return t->open;
}

static double get_correction(const rlti_implicit_tile *t, int k) {
    return t->lanes[k].result.correction;
}

static int get_pressing(const rlti_implicit_tile *t, int k, int j, rlti_vec3 *force, int *slips) {
    if (!has_plane(t, j) || !(*row_of(t->planes, P_ROWS, j, P_FORCE, k) > 0))
        return 0;
    rlti_vec3 normal = get3(t->planes + (ptrdiff_t)P_NORMAL * LANES, P_ROWS, j, k),
              grip = get3(t->planes + (ptrdiff_t)P_GRIP * LANES, P_ROWS, j, k);
    *force = rlti_madd(grip, (double)*row_of(t->planes, P_ROWS, j, P_FORCE, k), normal);
    *slips = !(*row_of(t->planes, P_ROWS, j, P_STUCK, k) > 0);
    return 1;
}

/* Lanes that nothing but contacts with hair acts on from outside: planes and holds take momentum away. */
static unsigned lanes_alone(const rlti_implicit_tile *t) {
    unsigned lanes = ~planes_lanes(t);
    for (int k = 0; k < t->strands; k++)
        if (t->lanes[k].hold_count > 0)
            lanes &= ~(1u << k);
    return lanes;
}

static unsigned get_unbalanced(rlti_implicit_tile *t, const rlti_implicit_step *step, rlti_vec3 *forces,
                               double *weights, void *scratch) {
    workspace w;
    int u = t->energy->unknowns;
    real sums[4 * LANES];
    lane3 sum = {lane_set(0), lane_set(0), lane_set(0)};
    lane weight = lane_set(0);
    open_workspace(t, scratch, &w);
    evaluate(t, &w, t->q, t->own);
    outside(t, step->friction, t->q, w.gradient);
    for (int i = 0; i < t->points; i++) {
        lane free = lane_load(energy_at(t->free, FREE_ROWS, i, FREE_POINT));
        lane3 force = sub3(load3(energy_at(t->forces, 3, i, 0)), load3(energy_at(w.gradient, u, i, 0)));
        sum = fused3(free, force, sum);
        weight = weight + lane_load(energy_at(t->weight, MASS_ROWS, i, MASS_POINT));
    }
    store3(sums, sum);
    lane_store(sums + (ptrdiff_t)3 * LANES, weight);
    for (int k = 0; k < t->strands; k++) {
        forces[k] = get3(sums, 4, 0, k);
        weights[k] = (double)sums[3 * LANES + k];
    }
    w.mark->tile = NULL; /* the matrix is another iterate's */
    return lanes_alone(t);
}

static void move_iterate(rlti_implicit_tile *t, unsigned lanes, const rlti_vec3 *by) {
    int u = t->energy->unknowns;
    real common[3 * LANES] = {0};
    for (int k = 0; k < t->strands; k++)
        if (lanes >> k & 1u)
            put3(common, 3, 0, k, by[k]);
    for (int i = 0; i < t->points; i++) {
        lane free = lane_load(energy_at(t->free, FREE_ROWS, i, FREE_POINT));
        real *row = energy_row(t->q, u, i, 0);
        store3(row, fused3(free, load3(common), load3(row)));
    }
    t->serial++;
}

static void retreat(rlti_implicit_tile *t, unsigned lanes, double share, const rlti_vec3 *by, void *scratch) {
    workspace w;
    int u = t->energy->unknowns;
    real common[3 * LANES] = {0};
    for (int k = 0; k < t->strands; k++)
        put3(common, 3, 0, k, by[k]);
    open_workspace(t, scratch, &w);
    for (int i = 0; i < t->points; i++) {
        const real *free = energy_at(t->free, FREE_ROWS, i, 0);
        real *back = energy_row(w.step, u, i, 0);
        lane3 to = add3(load3(energy_at(t->q0, u, i, 0)), load3(common));
        store3(back, scale3(lane_load(free), sub3(to, load3(energy_at(t->q, u, i, 0)))));
        if (u > 3) /* turns count from the start of the step */
            lane_store(back + (ptrdiff_t)3 * LANES,
                       -lane_load(free + LANES) * lane_load(energy_at(t->q, u, i, 3)));
    }
    energy_rows r = rows_of_tile(t);
    energy_step step = {lane_set((real)share) * lane_of_bits(lanes), w.step, 0, 0, 0};
    t->energy->move(&r, &step, t->q, t->own, w.q, w.own);
    accept(t, &w);
    w.mark->tile = NULL; /* it is not evaluated */
}

static unsigned take_paused(rlti_implicit_tile *t) {
    unsigned paused = t->paused;
    t->paused = 0;
    return paused;
}

static void foresee(const rlti_implicit_tile *t, int k, rlti_vec3 *ends, rlti_vec3 *accelerations) {
    int u = t->energy->unknowns;
    const implicit_hold *holds = holds_of(t, k);
    for (int j = 0; j < t->lanes[k].hold_count; j++) {
        int p = holds[j].given.point;
        double mass = (double)*row_of(t->mass, MASS_ROWS, p, MASS_POINT, k);
        rlti_vec3 slope;
        hold_potential(t, k, &holds[j], get3(t->q, u, p, k), &slope);
        accelerations[j] = rlti_sub(rlti_scale(-1.0 / mass, slope), rlti_v3_at(holds[j].given.push, 0));
    }
    for (int i = 0; i < t->lanes[k].points; i++) {
        rlti_vec3 q = get3(t->q, u, i, k);
        ends[i] = t->middle >> k & 1u ? rlti_sub(rlti_scale(2.0, q), get3(t->q0, u, i, k)) : q;
    }
}

/* Outcome for each strand, with its depth below planes. */
static void report(const rlti_implicit_tile *t, rlti_implicit_result *results) {
    real depths[LANES];
    lane_out(planes_depth(t, t->q, lane_set(1) / segments_of(t)), depths);
    for (int k = 0; k < t->strands; k++) {
        results[k] = t->lanes[k].result;
        results[k].depth = (double)depths[k];
    }
}

/* Euler: the iterate is the end of the step, in the lanes with 1 in `which`. */
static void end_euler(rlti_implicit_tile *t, lane which) {
    int u = t->energy->unknowns;
    lane per_step = lane_set(1) / lane_of(t->solved), half = lane_set((real)0.5);
    lane_mask ours = lane_less(half, which);
    for (int i = 0; i < t->points; i++) {
        const real *q = energy_at(t->q, u, i, 0);
        real *q0 = energy_row(t->q0, u, i, 0), *v = energy_row(t->v, u, i, 0);
        lane3 x = load3(q), x0 = load3(q0);
        store3(v, select3(ours, scale3(per_step, sub3(x, x0)), load3(v)));
        store3(q0, select3(ours, x, x0));
        if (u > 3) {
            real *spin = v + (ptrdiff_t)3 * LANES;
            lane_store(spin,
                       lane_select(ours, per_step * lane_load(q + (ptrdiff_t)3 * LANES), lane_load(spin)));
        }
    }
    copy_lanes(t->own0, t->own, (size_t)t->points * (size_t)t->energy->own, which);
}

/* Midpoint: as far again, unknowns without inertia, too: left in the middle, they would do half of the work
 * that the forces there, dampers' most of all, do on the others, and energy would grow at any step. Kinematic
 * unknowns come to their end. */
static void end_midpoint(rlti_implicit_tile *t, workspace *w, lane which) {
    int u = t->energy->unknowns;
    lane per_step = lane_set(1) / lane_of(t->solved), two = lane_set(2), half = lane_set((real)0.5),
         zero = lane_set(0);
    lane_mask ours = lane_less(half, which);
    for (int i = 0; i < t->points; i++) {
        const real *q = energy_at(t->q, u, i, 0), *mass = energy_at(t->mass, MASS_ROWS, i, 0);
        const real *q0 = energy_at(t->q0, u, i, 0);
        real *v = energy_row(t->v, u, i, 0), *by = energy_row(w->step, u, i, 0);
        lane3 half_way = sub3(load3(q), load3(q0)), mean = scale3(per_step, half_way), old = load3(v);
        lane_mask free = lane_less(half, lane_load(energy_at(t->free, FREE_ROWS, i, FREE_POINT)));
        store3(v, select3(ours, select3(free, sub3(scale3(two, mean), old), mean), old));
        store3(by, half_way);
        if (u > 3) {
            lane turn = lane_load(q + (ptrdiff_t)3 * LANES), spin = lane_load(v + (ptrdiff_t)3 * LANES);
            lane_mask heavy = lane_less(zero, lane_load(mass + LANES));
            lane after = lane_select(heavy, fused(two * per_step, turn, -spin), zero);
            lane_store(by + (ptrdiff_t)3 * LANES, turn);
            lane_store(v + (ptrdiff_t)3 * LANES, lane_select(ours, after, spin));
        }
    }
    energy_rows r = rows_of_tile(t);
    energy_step by = {which, w->step, 0, 0, 0};
    t->energy->move(&r, &by, t->q, t->own, w->q, w->own);
    if (t->pinned)
        t->energy->pin(&r, t->pins, w->own);
    copy_lanes(t->q0, w->q, (size_t)t->points * (size_t)u, which);
    copy_lanes(t->own0, w->own, (size_t)t->points * (size_t)t->energy->own, which);
    for (int k = 0; k < t->strands && !t->free_root; k++)
        if (t->middle >> k & 1u)
            put3(t->q0, u, 0, k, get3(t->root, 3, 0, k));
}

static void finish(rlti_implicit_tile *t, const rlti_implicit_step *step, void *scratch,
                   rlti_implicit_result *results) {
    workspace w;
    open_workspace(t, scratch, &w);
    if (results != NULL)
        report(t, results);
    if (t->middle != 0)
        end_midpoint(t, &w, lane_of_bits(t->middle));
    end_euler(t, lane_of_bits(~t->middle));
    if (t->energy->unknowns > 3) /* turns count from the start of a step */
        for (int i = 0; i < t->points; i++)
            lane_store(energy_row(t->q0, t->energy->unknowns, i, 3), lane_set(0));
    memcpy(t->clamps[CLAMP_START], t->clamps[CLAMP_END], CLAMP_ROWS * LANES * sizeof(real));
    t->serial++;
    t->stepped = ~0u;
    t->friction = step->friction;
}

static void take_step(rlti_implicit_tile *t, const rlti_implicit_step *step, void *scratch,
                      rlti_implicit_result *results) {
    begin(t, step, scratch);
    while (iterate(t, step, scratch) != 0) {
    }
    finish(t, step, scratch, results);
}

/* ---- measures ---- */

/* Points at the start of the last step, from where they are and came to. */
static void find_start(const rlti_implicit_tile *t, real *start) {
    int u = t->energy->unknowns;
    lane two = lane_set(2), back = -lane_of(t->solved), half = lane_set((real)0.5);
    lane_mask middle_lanes = lane_less(half, lane_of_bits(t->middle));
    for (int i = 0; i < t->points; i++) {
        lane3 end = load3(energy_at(t->q0, u, i, 0)), v = load3(energy_at(t->v, u, i, 0));
        lane3 middle = load3(energy_at(t->q, u, i, 0));
        store3(energy_row(start, u, i, 0),
               select3(middle_lanes, sub3(scale3(two, middle), end), fused3(back, v, end)));
    }
}

/* The iterate of the last step, its aims, planes and holds are in the tile until the next one begins. */
static void residuals(rlti_implicit_tile *t, int k, void *scratch, double *out) {
    int u = t->energy->unknowns, n = t->lanes[k].points;
    unsigned open = t->open;
    workspace w;
    band_report failure;
    lane before, zero = lane_set(0), segment = segments_of(t);
    for (int i = 0; i < n; i++)
        out[i] = NAN;
    if (!(t->stepped >> k & 1u))
        return;
    open_workspace(t, scratch, &w);
    w.mark->tile = NULL;
    lane_store(w.base, evaluate(t, &w, t->q, t->own));
    find_start(t, w.q);
    t->open = 1u << k; /* as if it were to be iterated once more */
    t->start = w.q;
    lead(t, &w);
    propose(t, t->friction, &w, segment, &failure, &before);
    t->start = t->q0;
    t->open = open;
    for (int i = 0; i < n; i++) {
        real values[LANES];
        lane3 by = load3(energy_at(w.step, u, i, 0));
        lane turn = u > 3 ? lane_absolute(lane_load(energy_at(w.step, u, i, 3))) : zero;
        lane_out(correction_of(dot3(by, by), turn, segment), values);
        out[i] = failure.failed >> k & 1u ? HUGE_VAL : (double)values[k] / t->lanes[k].segment;
    }
}

/* The state as an energy takes it, with w->own: all unknowns free, no damping. */
static energy_rows open_state(rlti_implicit_tile *t, void *scratch, workspace *w) {
    open_workspace(t, scratch, w);
    w->mark->tile = NULL;
    t->serial++;
    know_clamps(t);
    energy_rows r = rows_of_tile(t);
    r.rate = lane_set(0);
    r.spare = NULL;
    r.free = w->free;
    r.clamp = t->free_root ? NULL : t->clamps[CLAMP_START];
    for (int i = 0; i < t->points * FREE_ROWS; i++)
        lane_store(w->free + (ptrdiff_t)i * LANES, lane_set(1));
    memcpy(w->own, t->own0, (size_t)t->points * (size_t)t->energy->own * LANES * sizeof(real));
    t->energy->start(&r, t->q0, w->own);
    return r;
}

static rlti_measure measure_lane(const rlti_implicit_tile *t, const workspace *w, const double gravity[3],
                                 int k) {
    const energy_type *e = t->energy;
    rlti_measure m = {.finite = 1};
    rlti_vec3 g = rlti_v3(gravity[0], gravity[1], gravity[2]);
    for (int i = 0; i < t->lanes[k].points; i++) {
        rlti_vec3 x = get3(t->q0, e->unknowns, i, k), v = get3(t->v, e->unknowns, i, k);
        double mass = (double)*row_of(t->mass, MASS_ROWS, i, MASS_POINT, k), speed = rlti_length(v);
        double inertia = (double)*row_of(t->mass, MASS_ROWS, i, MASS_OTHER, k);
        double spin = e->unknowns > 3 ? (double)*row_of(t->v, e->unknowns, i, 3, k) : 0.0;
        double sum = x.x + x.y + x.z + speed + spin;
        m.finite = m.finite && fabs(sum) < HUGE_VAL;
        m.fastest = speed > m.fastest ? speed : m.fastest;
        m.kinetic += 0.5 * mass * speed * speed + 0.5 * inertia * spin * spin;
        m.gravity -= mass * rlti_dot(g, x);
        m.mass += mass;
        if (i + 1 >= t->lanes[k].points)
            continue;
        double rest = (double)*row_of(t->constants, e->constant_rows, i, e->length, k);
        double length = (double)*row_of(w->strains, e->strains, i, 0, k) / rest;
        m.longest = length > m.longest ? length : m.longest;
    }
    return m;
}

static void measure(rlti_implicit_tile *t, const double gravity[3], void *scratch, rlti_measure *measures) {
    workspace w;
    energy_rows r = open_state(t, scratch, &w);
    energy_sums sums = t->energy->weigh(&r, t->q0, w.own, w.strains);
    for (int k = 0; k < t->strands; k++) {
        measures[k] = measure_lane(t, &w, gravity, k);
        for (int part = 0; part < ENERGY_PARTS; part++) {
            real values[LANES];
            lane_out(sums.parts[part], values);
            measures[k].energies[part] = (double)values[k];
        }
    }
}

static void copy_lane(const real *rows, size_t count, int k, double *out) {
    for (size_t i = 0; out != NULL && i < count; i++)
        out[i] = (double)rows[i * LANES + (size_t)k];
}

static void derive_energies(const rlti_implicit_tile *t, const workspace *w, const energy_rows *r, int k,
                            const rlti_implicit_view *view) {
    size_t tip = (size_t)(t->lanes[k].points - 1), strains = (size_t)t->energy->strains;
    energy_sums sums = t->energy->weigh(r, t->q0, w->own, w->strains);
    for (int part = 0; view->energies != NULL && part < ENERGY_PARTS; part++) {
        real values[LANES];
        lane_out(sums.parts[part], values);
        view->energies[part] = (double)values[k];
    }
    copy_lane(w->strains, tip * strains, k, view->strains);
    for (size_t i = 0; view->strains != NULL && i < strains; i++)
        view->strains[tip * strains + i] = 0.0; /* a longer strand of the tile has one there */
}

static void derive(rlti_implicit_tile *t, int k, void *scratch, const rlti_implicit_view *view) {
    const energy_type *e = t->energy;
    workspace w;
    energy_rows r = open_state(t, scratch, &w);
    size_t n = (size_t)t->lanes[k].points, u = (size_t)e->unknowns;
    energy_range all = {0, t->points};
    if (view->energies != NULL || view->strains != NULL)
        derive_energies(t, &w, &r, k, view);
    if (view->gradient == NULL && view->matrix == NULL && view->second == NULL)
        return;
    e->evaluate(&r, t->q0, w.own, w.terms, w.gradient);
    copy_lane(w.gradient, n * u, k, view->gradient);
    if (view->matrix == NULL && view->second == NULL)
        return;
    memset(w.blocks, 0, (size_t)t->points * BLOCK_ROWS * LANES * sizeof(real));
    e->assemble(&r, w.terms, w.blocks, all, w.matrix);
    copy_lane(w.matrix, n * u * (size_t)(e->width + 1), k, view->matrix);
    if (view->second != NULL && e->sharpen != NULL)
        e->sharpen(&r, t->q0, w.own, lane_set(1), all, w.matrix);
    copy_lane(w.matrix, n * u * (size_t)(e->width + 1), k, view->second);
}

/* A matrix whose diagonal dominates, the same in all lanes. */
static void exercise(rlti_energy_kind kind, int points, int times, void *scratch) {
    const energy_type *e = energy_of(kind);
    int rows = points * e->unknowns, width = e->width;
    workspace w;
    band_report report;
    share_scratch(e, points, scratch, &w);
    w.mark->tile = NULL;
    for (int n = 0; n < times; n++) {
        if (n == 0)
            for (int i = 0; i < rows * (width + 1); i++)
                lane_store(w.matrix + (ptrdiff_t)i * LANES,
                           lane_set((real)(i % (width + 1) == 0 ? 4 * width : -1.0 / (1 + i % 7))));
        for (int i = 0; i < rows; i++)
            lane_store(w.step + (ptrdiff_t)i * LANES, lane_set((real)(1 + n)));
        if (width == 10) {
            band_factor(w.matrix, w.factor, rows, 10, &report);
            band_solve(w.factor, w.step, rows, 10);
        } else {
            band_factor(w.matrix, w.factor, rows, BAND_WIDTH_MAXIMUM, &report);
            band_solve(w.factor, w.step, rows, BAND_WIDTH_MAXIMUM);
        }
    }
}

/* ---- the table ---- */

static int constants_of(rlti_energy_kind kind) {
    return energy_of(kind)->constants;
}
static int unknowns_of(rlti_energy_kind kind) {
    return energy_of(kind)->unknowns;
}
static int width_of(rlti_energy_kind kind) {
    return energy_of(kind)->width;
}
static int strains_of(rlti_energy_kind kind) {
    return energy_of(kind)->strains;
}
static size_t scratch_bytes(rlti_energy_kind kind, int points) {
    workspace none;
    return share_scratch(energy_of(kind), points, NULL, &none);
}

const rlti_implicit RLTI_IMPLICIT_NAME = {
    .simd = RLTI_IMPLICIT_SIMD,
    .lanes = LANES,
    .constants = constants_of,
    .unknowns = unknowns_of,
    .width = width_of,
    .strains = strains_of,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .set_constants = set_constants,
    .set_state = set_state,
    .get_state = get_state,
    .shift = shift,
    .carry = carry,
    .set_clamp = set_clamp,
    .get_clamp = get_clamp,
    .set_root = set_root,
    .pin_director = pin_director,
    .set_planes = set_planes,
    .set_holds = set_holds,
    .set_air = set_air,
    .set_loads = set_loads,
    .set_pushes = set_pushes,
    .scratch_bytes = scratch_bytes,
    .begin = begin,
    .iterate = iterate,
    .take_paused = take_paused,
    .get_iterate = get_iterate,
    .foresee = foresee,
    .finish = finish,
    .step = take_step,
    .linearize = linearize,
    .get_newton = get_newton,
    .set_forces = set_forces,
    .respond = respond,
    .get_response = get_response,
    .get_inverse = get_inverse,
    .add_columns = add_columns,
    .get_softness = get_softness,
    .advance = advance,
    .get_correction = get_correction,
    .get_pressing = get_pressing,
    .get_unbalanced = get_unbalanced,
    .move_iterate = move_iterate,
    .retreat = retreat,
    .gather = gather,
    .scatter = scatter,
    .residuals = residuals,
    .measure = measure,
    .derive = derive,
    .exercise = exercise,
};
