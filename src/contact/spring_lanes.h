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
#ifndef RLTI_CONTACT_SPRING_LANES_H
#define RLTI_CONTACT_SPRING_LANES_H

#include "base/lanes.h"
#include "contact/spring_law.h"

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
    *load = step * (c + step * k);
    return scale3(share, force);
}

/* One float for each lane, anywhere in memory. */
static inline lane lane_pick(const float *const values[LANES]) {
    union {
        lane all;
        real each[LANES];
    } picked;
    for (int k = 0; k < LANES; k++)
        picked.each[k] = (real)*values[k];
    return picked.all;
}

/* Pairs looked at before those that act are computed. */
#define SPRING_BATCH 64

/* Which of up to SPRING_BATCH pairs act? Lists them, and lowers *least. */
static inline int spring_acting(const rlti_seen *seen, float reach, rlti_near *near, int count, lane *least,
                                int acting[SPRING_BATCH]) {
    int found = 0;
    for (int base = 0; base < count; base += LANES) {
        int used = count - base < LANES ? count - base : LANES;
        const float *mine[LANES], *other[LANES], *rest[LANES];
        for (int k = 0; k < LANES; k++) {
            const rlti_near *item = &near[base + (k < used ? k : 0)];
            mine[k] = seen[item->mine].position;
            other[k] = seen[item->other].position;
            rest[k] = &item->touch;
        }
        lane p[4], q[4], touch = lane_pick(rest);
        lane_gather4(mine, p);
        lane_gather4(other, q);
        lane3 apart = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
        lane far = touch * lane_set((real)reach), distance = lane_sqrt(dot3(apart, apart));
        unsigned bits = lane_bits(lane_less(distance, far));
        *least = lane_minimum(distance - far, *least);
        for (int k = 0; k < used; k++) {
            acting[found] = base + k;
            found += bits >> k & 1u;
            if (!(bits >> k & 1u))
                near[base + k].age = 0.0f;
        }
    }
    return found;
}

/* The pairs that act, LANES at a time. */
static inline void spring_act(const rlti_seen *seen, const rlti_spring_law *law, float step, rlti_near *near,
                              const int *acting, int count, int first, float (*force)[4], int *live) {
    _Alignas(64) real table[5][LANES];
    for (int base = 0; base < count; base += LANES) {
        int used = count - base < LANES ? count - base : LANES;
        const float *mine[LANES], *other[LANES], *v[LANES], *w[LANES], *touches[LANES], *ages[LANES];
        _Alignas(64) real sign[LANES];
        for (int k = 0; k < LANES; k++) {
            const rlti_near *item = &near[acting[base + (k < used ? k : 0)]];
            mine[k] = seen[item->mine].position;
            other[k] = seen[item->other].position;
            v[k] = seen[item->mine].velocity;
            w[k] = seen[item->other].velocity;
            touches[k] = &item->touch;
            ages[k] = &item->age;
            sign[k] = item->mine < item->other ? 1 : -1;
        }
        lane p[4], q[4], pv[4], qv[4], load, age = lane_pick(ages);
        lane_gather4(mine, p);
        lane_gather4(other, q);
        lane_gather4(v, pv);
        lane_gather4(w, qv);
        lane3 apart = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
        lane3 velocity = {pv[0] - qv[0], pv[1] - qv[1], pv[2] - qv[2]};
        lane distance = lane_sqrt(dot3(apart, apart));
        /* in the same place any direction will do, as long as the two take opposite ones */
        apart.y =
            lane_select(lane_less(lane_set(0), distance), apart.y, lane_load(sign) * lane_set((real)1e-12));
        lane3 f = spring_force(law, lane_set((real)step), apart, distance, lane_pick(touches), &age, velocity,
                               lane_minimum(p[3], q[3]), &load);
        store3(table[0], f);
        lane_store(table[3], load);
        lane_store(table[4], age);
        for (int k = 0; k < used; k++) {
            rlti_near *item = &near[acting[base + k]];
            float *to = force[item->mine - first];
            item->age = (float)table[4][k];
            for (int row = 0; row < 4; row++)
                to[row] += (float)table[row][k];
            *live += item->age > 0.0f;
        }
    }
}

static float spring_push(const rlti_seen *seen, const rlti_spring_law *law, float step, float reach,
                         rlti_near *items, int count, int first, float (*force)[4], int *live) {
    int acting[SPRING_BATCH];
    _Alignas(64) real gaps[LANES];
    lane least = lane_set((real)1e30);
    for (int base = 0; base < count; base += SPRING_BATCH) {
        int used = count - base < SPRING_BATCH ? count - base : SPRING_BATCH;
        int found = spring_acting(seen, reach, items + base, used, &least, acting);
        spring_act(seen, law, step, items + base, acting, found, first, force, live);
    }
    lane_store(gaps, least);
    real smallest = gaps[0];
    for (int k = 1; k < LANES; k++)
        smallest = gaps[k] < smallest ? gaps[k] : smallest;
    return (float)smallest;
}

static void spring_near(const rlti_seen *mine, int mine_count, const rlti_seen *other, int other_count,
                        float reach, float margin, unsigned char masks[RLTI_RUN]) {
    lane more = lane_set((real)margin), times = lane_set((real)reach);
    for (int i = 0; i < mine_count; i++)
        masks[i] = 0;
    for (int base = 0; base < other_count; base += LANES) {
        int used = other_count - base < LANES ? other_count - base : LANES;
        const float *positions[LANES], *radii[LANES];
        for (int k = 0; k < LANES; k++) {
            positions[k] = other[base + (k < used ? k : 0)].position;
            radii[k] = &other[base + (k < used ? k : 0)].radius;
        }
        lane q[4], radius = lane_pick(radii);
        lane_gather4(positions, q);
        lane3 at = {q[0], q[1], q[2]};
        for (int i = 0; i < mine_count; i++) {
            const rlti_seen *p = &mine[i];
            lane3 here = {lane_set((real)p->position[0]), lane_set((real)p->position[1]),
                          lane_set((real)p->position[2])};
            lane3 apart = sub3(here, at);
            lane far = fused(lane_set((real)p->radius) + radius, times, more);
            unsigned bits = lane_bits(lane_less(dot3(apart, apart), far * far)) & ((1u << used) - 1u);
            masks[i] = (unsigned char)(masks[i] | bits << base);
        }
    }
}

#endif
