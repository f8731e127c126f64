/* The contact springs in lanes: one pair of particles per lane. Included by the step kernel, once per
 * instruction set.
 *
 * The life of one spring, as a function of distance and of one remembered number, its age:
 *
 *   distance          stiffness                      damping
 *   < touch           rises with age from 0 to full  full at once      made, or engaged again
 *   touch .. half     a share (cling), fading to 0   full              coming apart
 *   half .. break     0                              fading to 0
 *   >= break          -                              -                 broken: age 0
 *
 * Between touch and break the age is kept, so that a particle that comes back meets a spring at full strength
 * and does not pass through.
 *
 * Seen from the other particle every difference changes its sign and nothing else, so that the two forces are
 * opposite to the last bit. */
#ifndef RLTI_CONTACT_HAIR_SPRING_LANES_H
#define RLTI_CONTACT_HAIR_SPRING_LANES_H

#include <stddef.h>

#include "base/lanes.h"
#include "contact/hair/spring_law.h"

/* Cubic from 0 to 1 over [0, 1], constant outside. */
static inline lane spring_smooth(lane x) {
    lane t = lane_minimum(lane_maximum(x, lane_set(0)), lane_set(1));
    return t * t * (lane_set(3) - lane_set(2) * t);
}

/* Weights of stiffness and damping; advances the age by one outer step. */
static inline void spring_live(const rlti_spring_law *law, lane distance, lane touch, lane *age,
                               lane *stiffness, lane *damping) {
    const lane zero = lane_set(0), one = lane_set(1);
    lane_mask pressed = lane_less(distance, touch);
    lane width = lane_maximum(touch * lane_set((real)law->break_at - 1), lane_set((real)1e-12));
    lane way = (distance - touch) / width; /* 0 at touch, 1 at the break */
    /* out of touch and before the break, a spring that lives keeps its age */
    lane kept = lane_select(lane_less(way, one), *age, zero);
    lane older = lane_minimum(*age + lane_set((real)law->rise), one);
    *age = lane_select(pressed, older, kept);
    lane_mask alive = lane_less(zero, *age);
    lane risen = spring_smooth(*age);
    lane fade = lane_set((real)law->cling) * (one - spring_smooth(way + way));
    *stiffness = risen * lane_select(pressed, one, fade);
    lane slower = one - spring_smooth(way + way - one);
    *damping = lane_select(alive, lane_select(pressed, one, slower), zero);
}

/* Static charge: repulsion that fades to nothing at its range. */
static inline lane spring_charge(const rlti_spring_law *law, lane distance, lane touch) {
    lane range = lane_maximum(touch * lane_set((real)law->charge_range), lane_set((real)1e-12));
    lane left = lane_maximum(lane_set(1) - distance / range, lane_set(0));
    return lane_set((real)law->charge) * left * left;
}

/* Velocities and shares of both sides; with `law` the force on mine, and what it takes of the motion. */
static inline lane3 spring_force(const rlti_spring_law *law, lane step, lane3 apart, lane distance,
                                 lane touch, lane *age, lane3 velocity, lane share, lane *load) {
    lane weight_k, weight_c;
    spring_live(law, distance, touch, age, &weight_k, &weight_c);
    lane k = lane_set((real)law->stiffness) * weight_k, c = lane_set((real)law->damping) * weight_c;
    lane3 n = scale3(lane_set(1) / lane_maximum(distance, lane_set((real)1e-12)), apart);
    lane parting = dot3(velocity, n);
    lane press = k * (touch - distance) - c * parting, push = press;
    if (law->charge > 0.0f)
        push = push + spring_charge(law, distance, touch);
    lane3 force = scale3(push, n);
    if (law->friction > 0.0f) {
        lane3 across = fused3(-parting, n, velocity);
        lane speed = lane_maximum(lane_sqrt(dot3(across, across)), lane_set((real)1e-12));
        lane most = lane_set((real)law->friction) * lane_maximum(press, lane_set(0)) / speed;
        force = fused3(-lane_minimum(c, most), across, force);
    }
    /* with the full stiffness: it may have risen by the next step */
    lane most_k = lane_select(lane_less(lane_set(0), *age), lane_set((real)law->stiffness), lane_set(0));
    *load = step * (c + step * most_k);
    return scale3(share, force);
}

/* Pairs compared before those that act are computed. */
#define SPRING_BATCH 64

/* touch and age of an item, seen as the last two of four floats */
_Static_assert(sizeof(rlti_near) == 16 && offsetof(rlti_near, touch) == 8, "an item is four floats wide");
_Static_assert(sizeof(rlti_seen) == 32 && offsetof(rlti_seen, velocity) == 16, "two rows of four floats");

/* LANES pairs, the last ones repeated where there are fewer. */
typedef struct spring_pairs {
    const float *item[LANES], *mine[LANES], *other[LANES];
} spring_pairs;

static inline void spring_point(spring_pairs *pairs, int k, const rlti_seen *seen, const rlti_near *item) {
    pairs->item[k] = (const float *)(const void *)item;
    pairs->mine[k] = seen[item->mine].position;
    pairs->other[k] = seen[item->other].position;
}

/* Which of up to SPRING_BATCH pairs act? Lists them, and lowers *least. */
static inline int spring_acting(const rlti_seen *seen, float reach, rlti_near *near, int count, lane *least,
                                int acting[SPRING_BATCH]) {
    int found = 0;
    for (int base = 0; base < count; base += LANES) {
        int used = count - base < LANES ? count - base : LANES;
        unsigned all = (1u << used) - 1u;
        spring_pairs pairs;
        for (int k = 0; k < LANES; k++)
            spring_point(&pairs, k, seen, &near[base + (k < used ? k : used - 1)]);
        lane p[4], q[4], item[4];
        lane_gather4(pairs.item, item);
        lane_gather4(pairs.mine, p);
        lane_gather4(pairs.other, q);
        lane3 apart = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
        lane far = item[2] * lane_set((real)reach), distance = lane_sqrt(dot3(apart, apart));
        unsigned acts = lane_bits(lane_less(distance, far)) & all;
        unsigned lived = lane_bits(lane_less(lane_set(0), item[3])) & all & ~acts;
        *least = lane_minimum(distance - far, *least);
        for (; acts != 0; acts &= acts - 1u)
            acting[found++] = base + __builtin_ctz(acts);
        for (; lived != 0; lived &= lived - 1u)
            near[base + __builtin_ctz(lived)].age = 0.0f;
    }
    return found;
}

/* The pairs that act, LANES at a time. */
static inline void spring_act(const rlti_seen *seen, const rlti_spring_law *law, float step, rlti_near *near,
                              const int *acting, int count, int first, float (*force)[4], int *live) {
    for (int base = 0; base < count; base += LANES) {
        int used = count - base < LANES ? count - base : LANES;
        spring_pairs pairs;
        _Alignas(64) real sign[LANES], ages[LANES];
        _Alignas(64) float rows[LANES][4];
        for (int k = 0; k < LANES; k++) {
            const rlti_near *item = &near[acting[base + (k < used ? k : used - 1)]];
            spring_point(&pairs, k, seen, item);
            sign[k] = item->mine < item->other ? (real)1e-12 : (real)-1e-12;
        }
        lane p[4], q[4], pv[4], qv[4], item[4], sums[4];
        lane_gather4(pairs.item, item);
        lane_gather4(pairs.mine, p);
        lane_gather4(pairs.other, q);
        for (int k = 0; k < LANES; k++) { /* the velocity is the second row of what is seen */
            pairs.mine[k] += 4;
            pairs.other[k] += 4;
        }
        lane_gather4(pairs.mine, pv);
        lane_gather4(pairs.other, qv);
        lane3 apart = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
        lane3 velocity = {pv[0] - qv[0], pv[1] - qv[1], pv[2] - qv[2]};
        lane distance = lane_sqrt(dot3(apart, apart)), age = item[3];
        /* in the same place any direction will do, as long as the two take opposite ones */
        apart.y = lane_select(lane_less(lane_set(0), distance), apart.y, lane_load(sign));
        lane3 f = spring_force(law, lane_set((real)step), apart, distance, item[2], &age, velocity,
                               lane_minimum(p[3], q[3]), &sums[3]);
        sums[0] = f.x;
        sums[1] = f.y;
        sums[2] = f.z;
        lane_scatter4(sums, rows);
        lane_store(ages, age);
        for (int k = 0; k < used; k++) {
            rlti_near *to = &near[acting[base + k]];
            float *sum = force[to->mine - first];
            to->age = (float)ages[k];
            for (int row = 0; row < 4; row++)
                sum[row] += rows[k][row];
            *live += to->age > 0.0f;
        }
    }
}

static inline float spring_smallest(lane of) {
    _Alignas(64) real values[LANES];
    lane_store(values, of);
    real smallest = values[0];
    for (int k = 1; k < LANES; k++)
        smallest = values[k] < smallest ? values[k] : smallest;
    return (float)smallest;
}

static float spring_push(const rlti_seen *seen, const rlti_spring_law *law, float step, float reach,
                         rlti_near *items, int count, int first, float (*force)[4], int *live) {
    int acting[SPRING_BATCH];
    lane least = lane_set((real)1e30);
    for (int base = 0; base < count; base += SPRING_BATCH) {
        int used = count - base < SPRING_BATCH ? count - base : SPRING_BATCH;
        int found = spring_acting(seen, reach, items + base, used, &least, acting);
        spring_act(seen, law, step, items + base, acting, found, first, force, live);
    }
    return spring_smallest(least);
}

/* Particles of mine that are compared with a run at once: with more lanes than a run has particles, two. */
enum { SPRING_MINE = LANES > RLTI_RUN ? LANES / RLTI_RUN : 1 };

/* LANES numbers of a row of a run, from a multiple of LANES on; those of a short row again. */
static inline lane spring_load(const float *row) {
#if LANES == 1 /* of another type */
    return lane_set((real)row[0]);
#elif LANES > RLTI_RUN
    _Static_assert(LANES == 2 * RLTI_RUN, "a run is half as wide as the lanes");
    return lane_twice(row);
#else
    return lane_load(row);
#endif
}

/* A number of each of the particles of mine, for the lanes that compare it. */
static inline lane spring_mine(const float *numbers, int stride, const int mine[SPRING_MINE]) {
#if LANES > RLTI_RUN
    return lane_halves(numbers[mine[0] * stride], numbers[mine[1] * stride]);
#else
    return lane_set((real)numbers[mine[0] * stride]);
#endif
}

/* Particles to be compared with others: positions and radii. Their places in the groom are fetched when the
 * first of them is near, which most never are. */
typedef struct spring_others {
    lane at[4], rest[4];
    const float (*groom)[4]; /* [count] where they are in the groom; NULL: it does not matter */
    int count, has_rest;
} spring_others;

/* The distance at which particles of mine and others touch, where what overlaps in the groom stays so. */
static inline lane spring_groomed(const float *rest, const int mine[SPRING_MINE], spring_others *others,
                                  lane touches) {
    if (!others->has_rest) {
        const float *rests[LANES];
        for (int k = 0; k < LANES; k++)
            rests[k] = others->groom[k % RLTI_RUN < others->count ? k % RLTI_RUN : others->count - 1];
        lane_gather4(rests, others->rest);
        others->has_rest = 1;
    }
    lane3 apart = {spring_mine(rest, 4, mine) - others->rest[0],
                   spring_mine(rest + 1, 4, mine) - others->rest[1],
                   spring_mine(rest + 2, 4, mine) - others->rest[2]};
    return lane_minimum(lane_sqrt(dot3(apart, apart)), touches);
}

/* SPRING_MINE particles against others; *least becomes smaller where one that is left out is less out of
 * reach. */
static inline unsigned spring_near_some(const rlti_near_runs *runs, const int mine[SPRING_MINE],
                                        spring_others *others, lane reach, lane margin, real touch[],
                                        lane *least) {
    const float *p = runs->mine;
    lane3 apart = {spring_mine(p, 1, mine) - others->at[0],
                   spring_mine(p + RLTI_RUN, 1, mine) - others->at[1],
                   spring_mine(p + 2 * RLTI_RUN, 1, mine) - others->at[2]};
    lane square = dot3(apart, apart), touches = spring_mine(p + 3 * RLTI_RUN, 1, mine) + others->at[3];
    lane far = fused(touches, reach, margin), distance = lane_sqrt(square);
    if (!lane_any(lane_less(square, far * far))) {
        *least = lane_minimum(*least, distance - touches * reach);
        return 0;
    }
    if (others->groom != NULL) {
        touches = spring_groomed(runs->mine_rest[0], mine, others, touches);
        far = fused(touches, reach, margin);
    }
    lane_store(touch, touches);
    lane_mask near = lane_less(square, far * far);
    *least = lane_select(near, *least, lane_minimum(*least, distance - touches * reach));
    return lane_bits(near);
}

/* Which particles of mine are within the margin of the other run's box? The rest cannot act: *least becomes
 * smaller where one is less out of reach. */
static inline unsigned spring_near_box(const rlti_near_runs *runs, lane reach, lane margin, lane *least) {
    unsigned near = 0;
    for (int base = 0; base < runs->mine_count; base += LANES) {
        lane square = lane_set(0);
        for (int axis = 0; axis < 3; axis++) {
            lane x = spring_load(runs->mine + axis * RLTI_RUN + base);
            lane below = lane_set((real)runs->other_low[axis]) - x;
            lane gap = lane_maximum(below, x - lane_set((real)runs->other_high[axis]));
            gap = lane_maximum(gap, lane_set(0));
            square = fused(gap, gap, square);
        }
        lane far = lane_sqrt(square) - spring_load(runs->mine + 3 * RLTI_RUN + base) * reach;
        lane_mask close = lane_less(far, margin);
        *least = lane_select(close, *least, lane_minimum(*least, far));
        near |= lane_bits(close) << base;
    }
    return near & ((1u << runs->mine_count) - 1u);
}

/* The next SPRING_MINE of the bits of *left, the last one again where there are fewer. */
static inline void spring_take(unsigned *left, int mine[SPRING_MINE]) {
    for (int k = 0; k < SPRING_MINE; k++) {
        mine[k] = *left != 0 ? __builtin_ctz(*left) : mine[0];
        *left &= *left - (*left != 0);
    }
}

static float spring_near(const rlti_near_runs *runs, float reach, float margin, int keep,
                         unsigned char masks[RLTI_RUN], float touch[RLTI_RUN][RLTI_RUN]) {
    for (int i = 0; i < runs->mine_count; i++)
        masks[i] = 0;
    lane least = lane_set((real)1e30);
    unsigned close = (1u << runs->mine_count) - 1u;
    if (runs->other_low != NULL)
        close = spring_near_box(runs, lane_set((real)reach), lane_set((real)margin), &least);
    for (int base = 0; base < runs->other_count && close != 0; base += LANES) {
        const unsigned all =
            (1u << (runs->other_count - base < LANES ? runs->other_count - base : LANES)) - 1u;
        _Alignas(64) real touches[LANES];
        spring_others others; /* the rest of it is set where it is needed */
        others.groom = keep ? runs->other_rest + base : NULL;
        others.count = runs->other_count - base;
        others.has_rest = 0;
        for (int row = 0; row < 4; row++)
            others.at[row] = spring_load(runs->other + row * RLTI_RUN + base);
        for (unsigned left = close; left != 0;) {
            int mine[SPRING_MINE];
            spring_take(&left, mine);
            unsigned near = spring_near_some(runs, mine, &others, lane_set((real)reach),
                                             lane_set((real)margin), touches, &least);
            for (int k = 0; k < SPRING_MINE && near != 0; k++) {
                unsigned bits = near >> k * RLTI_RUN & all;
                masks[mine[k]] = (unsigned char)(masks[mine[k]] | bits << base);
                for (; bits != 0; bits &= bits - 1u)
                    touch[mine[k]][base + __builtin_ctz(bits)] =
                        (float)touches[k * RLTI_RUN + __builtin_ctz(bits)];
            }
        }
    }
    return spring_smallest(least);
}

#endif
