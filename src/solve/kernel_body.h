/* The step kernel, compiled once per instruction set: kernel_avx2.c and its siblings define RLTI_LANES_...,
 * RLTI_KERNEL_NAME and RLTI_KERNEL_SIMD and include this file. Read kernel.h first. In reading order:
 * kernel_tile.h (data), kernel_forces.h (springs), kernel_motion.h (damping, positions), then `run` below. */

#include "base/clock.h"
#include "contact/hair/spring_lanes.h"
#include "solve/kernel_motion.h"

static void run(rlti_tile *t, const rlti_step *step) {
    double *const seconds = step->seconds;
    double before = seconds != NULL ? rlti_seconds(CLOCK_MONOTONIC) : 0.0;
    for (int f = 0; f < step->force_steps; f++) {
        if (t->driven)
            drive_root(t, (step->first_force_step + f) * step->frame_step, step->frame_step, step->rate);
        forces(t, step->gravity);
        double begun = seconds != NULL ? rlti_seconds(CLOCK_MONOTONIC) : 0.0;
        damp(t);
        if (seconds != NULL) {
            double ended = rlti_seconds(CLOCK_MONOTONIC);
            seconds[0] += begun - before;
            seconds[1] += ended - begun;
            before = ended;
        }
        hold_distances(t, RLTI_HARD_DISTANCE);
        hold_places(t, RLTI_HARD_PLACE);
        move(t);
        t->contact_time += (real)t->force_step;
        t->hold_time += (real)t->force_step;
    }
    if (seconds != NULL)
        seconds[0] += rlti_seconds(CLOCK_MONOTONIC) - before;
    if (t->driven)
        aim_root(t, (step->first_force_step + step->force_steps) * step->frame_step);
}

/* ---- looking ---- */

/* Energies and health of all strands of the tile, by the same functions as the forces. */
static void measure(rlti_tile *t, const double gravity[3], rlti_measure *out) {
    smooth_edges(t);
    carry_frames(t);
    core_sums sums = reach_of_core(t);
    lane zero = lane_set(0), slope;
    lane rise = taz_core_rise(sums.length, strand_row(t, L_CORE_PER_LENGTH), strand_row(t, L_CORE_BEGIN),
                              strand_row(t, L_CORE_SCALE), &slope);
    lane per_segment = strand_row(t, L_PER_SEGMENT);
    lane core = rise * sums.rise, bend = zero, stretch = zero, longest2 = zero, fastest2 = zero,
         kinetic = zero;
    for (int i = 0; i + 1 < t->points; i++) {
        const real *c = t->constant + (size_t)i * C_ROWS * LANES;
        const real *s = t->scratch + (size_t)i * S_ROWS * LANES;
        lane3 e = load3(s + S_EDGE * LANES);
        lane rest = lane_load(c + C_REST * LANES), square = dot3(e, e);
        stretch = stretch + taz_stretch_energy(lane_load(c + C_KS * LANES), lane_sqrt(square), rest);
        bend = bend + taz_bend_energy(lane_load(c + C_KB * LANES), e, load3(s + S_TARGET * LANES));
        /* the forward pass left x; the base stiffness multiplies P(x / l) */
        lane z = lane_load(s + S_REACH * LANES) * per_segment;
        core = core + lane_load(c + C_KC * LANES) * taz_core_potential(z) / (per_segment * per_segment);
        longest2 = lane_maximum(lane_load(c + C_REAL * LANES) * square / (rest * rest), longest2);
    }
    lane pull[3] = {zero, zero, zero}, total = zero;
    lane not_finite = zero;
    for (int i = 0; i < t->points; i++) {
        lane mass = lane_load(t->mass + (size_t)i * LANES);
        lane there = lane_select(lane_less(zero, mass), lane_set(1), zero);
        lane3 v = load3(t->v + (size_t)i * 3 * LANES), x = load3(t->x + (size_t)i * 6 * LANES);
        lane square = dot3(v, v);
        /* (a - a) is zero unless a is infinite or not a number. Padding is always finite; it is not known
         * from the rest by its mass here, since one too small for this precision is 0, too. One too large is
         * infinite, and its point would stand still. */
        lane sum = square + (x.x + x.y + x.z) + mass;
        not_finite =
            lane_maximum(lane_select(lane_less(sum - sum, lane_set(1)), zero, lane_set(1)), not_finite);
        fastest2 = lane_maximum(there * square, fastest2);
        kinetic = fused(lane_set((real)0.5) * mass, square, kinetic);
        total = total + mass;
        pull[0] = fused(mass, x.x, pull[0]);
        pull[1] = fused(mass, x.y, pull[1]);
        pull[2] = fused(mass, x.z, pull[2]);
    }
    lane weight = -(lane_set((real)gravity[0]) * pull[0] + lane_set((real)gravity[1]) * pull[1] +
                    lane_set((real)gravity[2]) * pull[2]);
    const lane values[] = {
        not_finite, lane_sqrt(fastest2), lane_sqrt(longest2), kinetic, stretch, bend, core, weight, total};
    real table[sizeof(values) / sizeof(values[0])][LANES];
    memcpy(table, values, sizeof(table));
    for (int k = 0; k < t->strands; k++)
        out[k] = (rlti_measure){.finite = table[0][k] == 0,
                                .fastest = (double)table[1][k],
                                .longest = (double)table[2][k],
                                .kinetic = (double)table[3][k],
                                .energies = {[RLTI_TAZ_ENERGY_STRETCH] = (double)table[4][k],
                                             [RLTI_TAZ_ENERGY_BEND] = (double)table[5][k],
                                             [RLTI_TAZ_ENERGY_CORE] = (double)table[6][k]},
                                .gravity = (double)table[7][k],
                                .mass = (double)table[8][k]};
}

static void write_frame(double *out, const taz_frame *frame, int lane_index) {
    const lane3 columns[3] = {frame->u, frame->n, cross3(frame->u, frame->n)};
    real table[9][LANES];
    memcpy(table, columns, sizeof(table));
    for (int k = 0; k < 9; k++)
        out[k] = (double)table[k][lane_index];
}

static void frames_of(rlti_tile *t, int lane_index, double *frames) {
    smooth_edges(t);
    taz_frame frame = root_frame(t);
    write_frame(frames, &frame, lane_index);
    for (int i = 0; i + 1 < t->lane_points[lane_index]; i++) {
        taz_frame_carry(&frame, load3(t->scratch + ((size_t)i * S_ROWS + S_U) * LANES));
        write_frame(frames + 9 * (i + 1), &frame, lane_index);
    }
}

/* Nothing but independent fused multiply-adds in registers: the peak of this core. Returns the
 * operations. */
static double spin(long iterations, double *sink) {
    enum { CHAINS = 12 }; /* enough to hide a latency of four or five cycles at two per cycle */
    lane sums[CHAINS], factor = lane_set((real)0.999), term = lane_set((real)1e-3);
    for (int c = 0; c < CHAINS; c++)
        sums[c] = lane_set((real)c);
    for (long i = 0; i < iterations; i++) {
#pragma GCC unroll 12
        for (int c = 0; c < CHAINS; c++)
            sums[c] = fused(sums[c], factor, term);
    }
    union {
        lane all;
        real each[LANES];
    } out;
    for (int c = 0; c < CHAINS; c++) {
        out.all = sums[c];
        *sink += (double)out.each[0];
    }
    return (double)iterations * CHAINS * 2.0 * LANES;
}

const rlti_kernel RLTI_KERNEL_NAME = {
    .simd = RLTI_KERNEL_SIMD,
    .lanes = LANES,
    .real_bytes = (int)sizeof(real),
    .create = create,
    .destroy = destroy,
    .bytes = tile_bytes,
    .reshape = reshape,
    .set_state = set_state,
    .get_state = get_state,
    .get_floats = get_floats,
    .save = save,
    .load = load,
    .carry = carry,
    .begin_frame = begin_frame,
    .clear_planes = clear_planes,
    .set_planes = set_planes,
    .set_wind = set_wind,
    .clear_pushes = clear_pushes,
    .set_pushes = set_pushes,
    .begin_holds = begin_holds,
    .set_hold = set_hold,
    .scratch_bytes = scratch_bytes,
    .bind = bind,
    .run = run,
    .measure = measure,
    .frames = frames_of,
    .forces = forces,
    .damp = damp,
    .move = move,
    .set_root_frame = set_root_frame,
    .root_torque = root_torque,
    .free_root = free_root,
    .springs = {.push = spring_push, .near = spring_near},
    .spin = spin,
};
