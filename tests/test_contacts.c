/* Contacts between hairs that are moved by hand: blocks that sleep, lists that are kept, ranks and restored
 * runs must give what looking at every pair of particles in every step gives. */
#include "contact_fixture.h"

#include "contact/hair/springs_data.h"
#include "solve/kernel.h"

enum { OUTER_STEPS = 12 };
static const double outer_step = 1.0 / (24 * OUTER_STEPS);

/* ---- looking at everything ---- */

/* Every pair of particles of hairs that know each other, from both ends; never searched. */
typedef struct everything {
    const bundle *b;
    const rlti_spring_lanes *lanes;
    rlti_near **items; /* [strand] all neighbours, in the order of the graph */
    float reach;
    double size; /* of the groom */
} everything;

static rlti_spring_law law_between(const bundle *b, int s, int t) {
    const rlti_hair_data *x = &b->data->hair[b->strands->hair[s]], *y = &b->data->hair[b->strands->hair[t]];
    double ramp = (x->contact_ramp + y->contact_ramp) / 2;
    rlti_spring_law law = {
        .stiffness = (float)((x->contact_stiffness + y->contact_stiffness) / 2),
        .damping = (float)((x->contact_damping + y->contact_damping) / 2),
        .rise = (float)(ramp > outer_step ? outer_step / ramp : 1.0),
        .break_at = (float)((x->contact_break + y->contact_break) / 2),
        .cling = (float)((x->contact_cling + y->contact_cling) / 2),
        .friction = (float)((x->contact_friction + y->contact_friction) / 2),
        .charge = (float)((x->contact_charge + y->contact_charge) / 2),
        .charge_range = (float)((x->contact_charge_range + y->contact_charge_range) / 2),
    };
    return law;
}

/* The lanes decide to the last bit where two particles touch; this is where they should. */
static float touch_between(const everything *e, const rlti_springs *springs, int p, int q) {
    const bundle *b = e->b;
    const rlti_particles *all = b->particles;
    const rlti_hair_data *x = &b->data->hair[b->strands->hair[all->strand[p]]],
                         *y = &b->data->hair[b->strands->hair[all->strand[q]]];
    int keep = x->contact_groom == RLTI_GROOM_KEEP || y->contact_groom == RLTI_GROOM_KEEP;
    double wanted = (double)(all->radius[p] + all->radius[q]);
    if (keep)
        wanted = fmin(wanted, rlti_length(rlti_sub(all->rest[p], all->rest[q])));
    _Alignas(64) float one[4 * RLTI_RUN] = {0}, other[4 * RLTI_RUN] = {0}; /* in the same place */
    one[3 * RLTI_RUN] = all->radius[p];
    other[3 * RLTI_RUN] = all->radius[q];
    const float(*rest)[4] = (const float(*)[4])springs->rest;
    const float low[3] = {-1, -1, -1}, high[3] = {1, 1, 1};
    rlti_near_runs runs = {one, other, rest + p, rest + q, low, high, 1, 1};
    unsigned char masks[RLTI_RUN];
    float touch[RLTI_RUN][RLTI_RUN];
    e->lanes->near(&runs, 1.0f, 1.0f, keep, masks, touch);
    assert_int_equal(masks[0], 1);
    assert_true(fabs((double)touch[0][0] - wanted) < 1e-6 * (1 + e->size));
    return touch[0][0];
}

static everything look_at_everything(const bundle *b, const rlti_spring_lanes *lanes,
                                     const rlti_springs *springs) {
    everything e = {.b = b, .lanes = lanes, .reach = 1.0f};
    const int *first = b->particles->first;
    e.items = calloc((size_t)b->graph->count, sizeof *e.items);
    for (int p = 0; p < b->particles->count; p++)
        e.size = fmax(e.size, rlti_length(rlti_sub(b->particles->rest[p], b->particles->rest[0])));
    for (int h = 0; h < b->graph->count; h++) {
        size_t count = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (long long n = b->graph->first[h]; n < b->graph->first[h + 1]; n++) {
                int t = b->graph->to[n];
                rlti_spring_law law = law_between(b, h, t);
                e.reach = fmaxf(e.reach, law.break_at);
                if (law.charge > 0)
                    e.reach = fmaxf(e.reach, law.charge_range);
                for (int p = first[h]; pass == 1 && p < first[h + 1]; p++)
                    for (int q = first[t]; q < first[t + 1]; q++)
                        e.items[h][count++] = (rlti_near){p, q, touch_between(&e, springs, p, q), 0.0f};
                if (pass == 0)
                    count += (size_t)(first[h + 1] - first[h]) * (size_t)(first[t + 1] - first[t]);
            }
            if (pass == 0)
                e.items[h] = calloc(count + 1, sizeof(rlti_near));
            count = pass == 0 ? 0 : count;
        }
    }
    return e;
}

static void stop_looking(everything *e) {
    for (int h = 0; h < e->b->graph->count; h++)
        free(e->items[h]);
    free(e->items);
}

/* Clearly so: then it is not worth asking the lanes. */
static int out_of_reach(const everything *e, const rlti_seen *seen, rlti_near *item) {
    const float *x = seen[item->mine].position, *y = seen[item->other].position;
    float a = x[0] - y[0], b = x[1] - y[1], c = x[2] - y[2], far = 1.001f * e->reach * item->touch + 1e-6f;
    if (a * a + b * b + c * c < far * far)
        return 0;
    item->age = 0.0f;
    return 1;
}

/* One step of one hair; `rough` gets the sum of sizes, to compare by. Returns the contacts. */
static int push_everything(everything *e, const rlti_seen *seen, int h, float (*acceleration)[3],
                           double (*rough)[1]) {
    const bundle *b = e->b;
    const int *first = b->particles->first;
    int count = first[h + 1] - first[h], live = 0;
    float(*force)[4] = calloc((size_t)count + 1, sizeof *force);
    rlti_near *item = e->items[h];
    for (int k = 0; k < count; k++)
        rough[k][0] = 1e-3;
    for (long long n = b->graph->first[h]; n < b->graph->first[h + 1]; n++) {
        int t = b->graph->to[n];
        rlti_spring_law law = law_between(b, h, t);
        for (int p = first[h]; p < first[h + 1]; p++)
            for (int q = first[t]; q < first[t + 1]; q++, item++) {
                if (out_of_reach(e, seen, item))
                    continue;
                float one[1][4] = {{0}};
                e->lanes->push(seen, &law, (float)outer_step, e->reach, item, 1, p, one, &live);
                for (int row = 0; row < 4; row++)
                    force[p - first[h]][row] += one[0][row];
                rough[p - first[h]][0] +=
                    fabs((double)one[0][0]) + fabs((double)one[0][1]) + fabs((double)one[0][2]);
            }
    }
    for (int k = 0; k < count; k++)
        for (int axis = 0; axis < 3; axis++)
            acceleration[k][axis] = b->particles->inverse_mass[first[h] + k] * force[k][axis];
    free(force);
    return live;
}

/* ---- moving by hand ---- */

typedef struct dance {
    bundle b;
    const rlti_kernel *kernel;
    rlti_vec3 *offset; /* [strand] from the groom, in the axes of the first root */
    float *positions, *velocities;
    rlti_vec3 origin;
    int step;
    double scale; /* of all motion */
    uint64_t id;
} dance;

static void dance_begin(dance *d, rlt_simd build, const char *text) {
    memset(d, 0, sizeof *d);
    bundle_begin(&d->b, 1, "%s", text);
    d->kernel = rlti_kernel_select(build);
    d->offset = calloc((size_t)d->b.strands->strand_count, sizeof *d->offset);
    d->positions = calloc((size_t)d->b.strands->point_count * 3, sizeof(float));
    d->velocities = calloc((size_t)d->b.strands->point_count * 3, sizeof(float));
    d->scale = 1;
    d->step = -1;
}

static void dance_end(dance *d) {
    free(d->offset);
    free(d->positions);
    free(d->velocities);
    bundle_end(&d->b);
}

static rlti_springs *springs_of(const dance *d, const unsigned char *local) {
    rlti_springs_def def = {.scene = d->b.data,
                            .strands = d->b.strands,
                            .particles = d->b.particles,
                            .graph = d->b.graph,
                            .body = d->b.body,
                            .lanes = &d->kernel->springs,
                            .local = local,
                            .threads = 1,
                            .outer_step = outer_step};
    rlti_springs *springs;
    assert_int_equal(rlti_springs_create(&def, NULL, &springs), RLT_OK);
    return springs;
}

static double pick(dance *d, double scale) {
    return scale * rlti_random_signed(3, d->id++, 1);
}

/* How far each hair goes in one step: still, creeping, swinging, trembling, jumping now and then. */
static void move_hair(dance *d, int h) {
    rlti_vec3 *x = &d->offset[h];
    int n = d->step;
    switch (h % 6) {
    case 0:
        break;
    case 1:
        *x = rlti_add(*x, rlti_v3(3e-4 * d->scale * rlti_cos(0.7 * h), 0, 3e-4 * d->scale));
        break;
    case 2:
        *x = rlti_scale(6 * d->scale * rlti_sin(n * 0.05), rlti_v3(rlti_cos(h), 0, rlti_sin(h)));
        break;
    case 3:
        *x = rlti_add(*x, rlti_v3(pick(d, 0.05 * d->scale), pick(d, 0.05), pick(d, 0.05 * d->scale)));
        break;
    case 4:
        if (n % 37 == 0)
            *x = rlti_v3(pick(d, 3), pick(d, 3), pick(d, 3));
        break;
    default:
        *x = rlti_v3(0.4 * d->scale * rlti_sin(n * 0.2), 0, 0);
    }
}

/* The whole groom on its way: carried by the first root, each hair moved, tips wobbling. */
static void dance_step(dance *d, rlti_springs *const *springs, int count) {
    const rlti_strands *strands = d->b.strands;
    d->step++;
    int frame = 1 + d->step / OUTER_STEPS, o = d->step % OUTER_STEPS;
    rlti_motion_segment segment;
    rlti_vec3 root, velocity;
    rlti_quat turn, rate;
    rlti_body_root_segment(d->b.body, &strands->roots[0], frame, &segment);
    rlti_motion_segment_at(&segment, (double)o / OUTER_STEPS, 24, &root, &velocity, &turn, &rate);
    turn = rlti_quat_normalize(turn);
    d->origin = segment.position[0];
    for (int k = 0; k < count; k++) {
        if (o == 0)
            rlti_springs_begin_frame(springs[k], frame);
        rlti_springs_pose(springs[k], (double)o / OUTER_STEPS);
    }
    for (int h = 0; h < strands->strand_count; h++) {
        if (d->scale > 0)
            move_hair(d, h);
        for (int p = strands->first[h]; p < strands->first[h + 1]; p++) {
            rlti_vec3 rest = rlti_sub(strands->points[p], strands->points[0]);
            int i = p - strands->first[h];
            rest = rlti_add(rest, d->offset[h]);
            rest.y += h % 6 == 0 ? 0 : 0.05 * i * d->scale * rlti_sin(0.03 * d->step + i + h);
            rlti_vec3 at = rlti_sub(rlti_add(root, rlti_quat_rotate(turn, rest)), d->origin);
            double to[3] = {at.x, at.y, at.z};
            for (int axis = 0; axis < 3; axis++) {
                d->velocities[3 * p + axis] =
                    (float)((to[axis] - (double)d->positions[3 * p + axis]) / outer_step);
                d->positions[3 * p + axis] = (float)to[axis];
            }
        }
    }
}

static void show(const dance *d, rlti_springs *springs, int h) {
    const float *positions = d->positions + 3 * (size_t)d->b.strands->first[h],
                *velocities = d->velocities + 3 * (size_t)d->b.strands->first[h];
    if (rlti_springs_has(springs, h))
        rlti_springs_look(springs, h, &d->origin, positions, velocities);
}

/* ---- sleeping never misses a contact ---- */

/* The spring memories of both, in both orders of the pair. Returns how many live. */
static long long assert_same_memory(const everything *e, const rlti_springs *springs, int step) {
    static rlti_spring_memory memories[200000];
    long long count = rlti_springs_save(springs, memories, 200000), next = 0, wanted = 0;
    assert_true(count <= 200000);
    const int *first = e->b->particles->first;
    for (int h = 0; h < e->b->graph->count; h++) {
        const rlti_near *item = e->items[h];
        for (long long n = e->b->graph->first[h]; n < e->b->graph->first[h + 1]; n++) {
            int t = e->b->graph->to[n];
            int pairs = (first[h + 1] - first[h]) * (first[t + 1] - first[t]);
            for (int k = 0; k < pairs; k++, item++)
                wanted += item->age > 0 && item->mine < item->other;
        }
    }
    if (count != wanted)
        fail_msg("step %d: %lld contacts, there are %lld", step, count, wanted);
    /* each of ours is one of theirs, with its age; sorted, each once */
    for (next = 0; next < count; next++) {
        const rlti_spring_memory *m = &memories[next];
        assert_true(next == 0 || m[-1].particle < m->particle ||
                    (m[-1].particle == m->particle && m[-1].other < m->other));
        int h = e->b->particles->strand[m->particle], t = e->b->particles->strand[m->other];
        const rlti_near *item = e->items[h];
        for (long long n = e->b->graph->first[h]; e->b->graph->to[n] != t; n++) {
            int u = e->b->graph->to[n];
            assert_true(n + 1 < e->b->graph->first[h + 1]);
            item += (first[h + 1] - first[h]) * (first[u + 1] - first[u]);
        }
        item += (m->particle - first[h]) * (first[t + 1] - first[t]) + m->other - first[t];
        assert_true(item->mine == m->particle && item->other == m->other);
        assert_true(item->age == m->age);
    }
    return count;
}

/* Runs both; returns the contacts of all steps together. */
static long long assert_nothing_missed(dance *d, int steps) {
    rlti_springs *springs = springs_of(d, NULL);
    everything e = look_at_everything(&d->b, &d->kernel->springs, springs);
    int most = d->b.particles->count + 1, count = d->b.strands->strand_count;
    float(*ours)[3] = calloc((size_t)most, sizeof *ours), (*all)[3] = calloc((size_t)most, sizeof *all);
    double(*rough)[1] = calloc((size_t)most, sizeof *rough);
    const int *first = d->b.particles->first;
    long long contacts = 0;
    for (int n = 0; n < steps; n++) {
        dance_step(d, &springs, 1);
        for (int h = 0; h < count; h++)
            show(d, springs, h);
        const rlti_seen *seen = rlti_springs_seen(springs, 0);
        long long live = 0;
        for (int h = 0; h < count; h++) {
            if (!rlti_springs_has(springs, h))
                continue;
            live += push_everything(&e, seen, h, all, rough);
            assert_int_equal(rlti_springs_push(springs, h, 0, ours, NULL), 1);
            for (int p = first[h]; p < first[h + 1]; p++)
                for (int axis = 0; axis < 3; axis++) {
                    double a = (double)ours[p - first[h]][axis], w = (double)all[p - first[h]][axis];
                    double size = rough[p - first[h]][0] * (double)d->b.particles->inverse_mass[p];
                    if (!(fabs(a - w) <= 1e-5 * size))
                        fail_msg("step %d, hair %d, particle %d: %.9g is not %.9g", n, h, p - first[h], a, w);
                }
        }
        assert_int_equal(rlti_springs_counts(springs).ends, live);
        contacts += assert_same_memory(&e, springs, n);
    }
    free(ours);
    free(all);
    free(rough);
    stop_looking(&e);
    rlti_springs_destroy(springs);
    return contacts;
}

#define PLACE "character: {kind: none, position: [%s]}\nmotion: {kind: spin, spin: 3, start: -1}\n"
#define GROOM "region: none, count: 14, spacing: 1.2, length: 9, length_variation: 0.3, seed: 5"

/* What a bundle may be like; all are put into the same dance. */
static const char *const bundles[] = {
    "hair: {" GROOM "}\n",
    "hair: {" GROOM ", prune: {pairs: off}}\n",
    "contacts: {margin: 0.05}\nhair: {" GROOM ", prune: {random: 0}}\n",
    "contacts: {margin: 30}\nhair: {" GROOM ", prune: {random: 0}}\n",
    "contacts: {margin: 0}\nhair: {" GROOM ", prune: {random: 0}}\n",
    "contacts: {margin: 1e-25}\nhair: {" GROOM ", prune: {random: 0}}\n",
    "hair: {" GROOM ", prune: {random: 0, particles: off}, contact: {groom: push, friction: 0.3}}\n",
    "hair: {" GROOM ", prune: {random: 0}, contact: {groom: push, break: 1, ramp: 0}}\n",
    "hair: {" GROOM ", prune: {random: 0}, contact: {charge: 50, charge_range: 3}}\n",
    "hair: {" GROOM ", prune: {random: 0}, contact: {break: 2.5, stiffness: 1e6, damping: 1e4}}\n",
    "hair:\n"
    "  - {name: a, " GROOM ", prune: {random: 0}, contact: {break: 1.5, radius: 0.5}}\n"
    "  - {name: b, " GROOM ", prune: {random: 0}, contact: {charge: 30, stiffness: 100, groom: push}}\n"
    "  - {name: c, " GROOM ", contact: {enabled: off}}\n"
    "  - {name: d, " GROOM ", contact: {group: else}, prune: {pairs: off}}\n",
};

static void sleeping_misses_nothing(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof bundles / sizeof bundles[0]; k++)
        for (int slow = 0; slow < 2; slow++) {
            dance d;
            char text[4096];
            snprintf(text, sizeof text, PLACE "%s", slow ? "1e4, -2e4, 50" : "0, 0, 0", bundles[k]);
            dance_begin(&d, k % 3 == 0 ? RLT_SIMD_PORTABLE : RLT_SIMD_AUTO, text);
            d.scale = slow ? 0.03 : 1;
            long long contacts = assert_nothing_missed(&d, slow ? 110 : 180);
            assert_true(contacts > 2000);
            dance_end(&d);
        }
}

/* The hardest case for distances that are summed up: two hairs that come straight towards each other so
 * slowly that rounding matters, in a large cluster that turns. */
static void slow_meetings_far_from_the_first_root(void **state) {
    (void)state;
    static const double sizes[] = {0, 10, 300, 5000};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int trial = 0; trial < 8; trial++) {
            dance d;
            char text[16384], a[2048], b[2048], c[2048];
            double far = sizes[k], touch = 1, gap = 0.002 + 0.0011 * trial, speed = 1e-4 + 3e-5 * trial;
            snprintf(
                text, sizeof text,
                "character: {kind: none}\nmotion: {kind: spin, spin: 3, start: -1}\n"
                "hair: {region: none, strands: [%s, %s, %s], contact: {groom: push, break: 1, radius: 0.5},"
                " prune: {pairs: off}}\n",
                straight(a, sizeof a, 5, 0, 0, 0, 0, -1, 0), straight(b, sizeof b, 5, far, 50, 3, 0, -1, 0),
                straight(c, sizeof c, 5, far + touch + gap, 50, 3, 0, -1, 0));
            dance_begin(&d, RLT_SIMD_AUTO, text);
            rlti_springs *springs = springs_of(&d, NULL);
            everything e = look_at_everything(&d.b, &d.kernel->springs, springs);
            long long contacts = 0;
            d.scale = 0;
            for (int n = 0; n < 150; n++) {
                float(*out)[3] = calloc(64, sizeof *out);
                double rough[64][1];
                d.offset[1].x = speed * n / 2;
                d.offset[2].x = -speed * n / 2;
                dance_step(&d, &springs, 1);
                for (int h = 0; h < 3; h++)
                    show(&d, springs, h);
                for (int h = 0; h < 3; h++) {
                    push_everything(&e, rlti_springs_seen(springs, 0), h, out, rough);
                    assert_int_equal(rlti_springs_push(springs, h, 0, out, NULL), 1);
                }
                contacts += assert_same_memory(&e, springs, n);
                free(out);
            }
            assert_true(contacts > 20);
            stop_looking(&e);
            rlti_springs_destroy(springs);
            dance_end(&d);
        }
}

/* ---- ranks and restored runs ---- */

/* Some springs that share the hairs, as ranks do. */
typedef struct party {
    rlti_springs *springs[3];
    unsigned char *local[3];
    int count;
} party;

static party party_of(const dance *d, int count) {
    party p = {.count = count};
    int hairs = d->b.strands->strand_count;
    for (int k = 0; k < count; k++) {
        p.local[k] = calloc((size_t)hairs, 1);
        for (int h = 0; h < hairs; h++)
            p.local[k][h] = (h * 7 / 3) % count == k;
        p.springs[k] = springs_of(d, p.local[k]);
    }
    return p;
}

static void party_end(party *p) {
    for (int k = 0; k < p->count; k++) {
        rlti_springs_destroy(p->springs[k]);
        free(p->local[k]);
    }
}

/* One step of all; out[particle] gets the accelerations. */
static void party_step(const dance *d, party *p, float (*out)[3]) {
    const int *first = d->b.particles->first;
    for (int h = 0; h < d->b.strands->strand_count; h++) {
        int owner = 0;
        while (!p->local[owner][h])
            owner++;
        if (!rlti_springs_has(p->springs[owner], h))
            continue;
        show(d, p->springs[owner], h);
        for (int k = 0; k < p->count; k++) {
            if (k == owner)
                continue;
            memcpy(rlti_springs_seen(p->springs[k], h), rlti_springs_seen(p->springs[owner], h),
                   (size_t)(first[h + 1] - first[h]) * sizeof(rlti_seen));
            rlti_springs_looked(p->springs[k], h);
        }
    }
    for (int k = 0; k < p->count; k++)
        for (int h = 0; h < d->b.strands->strand_count; h++)
            if (p->local[k][h] && rlti_springs_has(p->springs[k], h))
                assert_int_equal(rlti_springs_push(p->springs[k], h, 0, out + first[h], NULL), 1);
}

static int by_pair(const void *a, const void *b) {
    const rlti_spring_memory *x = a, *y = b;
    return x->particle != y->particle ? (x->particle > y->particle) - (x->particle < y->particle)
                                      : (x->other > y->other) - (x->other < y->other);
}

/* What all of them remember, sorted. */
static long long remember_all(const party *p, rlti_spring_memory *memories, long long room) {
    long long count = 0;
    for (int k = 0; k < p->count; k++) {
        long long more = rlti_springs_save(p->springs[k], NULL, 0);
        assert_true(count + more <= room);
        assert_int_equal(rlti_springs_save(p->springs[k], memories + count, more), more);
        count += more;
    }
    qsort(memories, (size_t)count, sizeof *memories, by_pair);
    return count;
}

/* Everything that is state goes from one party to another. */
static long long hand_over(const dance *d, const party *from, party *to) {
    static rlti_spring_memory memories[50000];
    float shares[4096];
    long long count = remember_all(from, memories, 50000);
    for (int k = 0; k < to->count; k++)
        assert_int_equal(rlti_springs_restore(to->springs[k], memories, count, NULL), RLT_OK);
    for (int h = 0; h < d->b.strands->strand_count; h++)
        for (int k = 0; k < from->count; k++)
            if (from->local[k][h]) {
                rlti_springs_get_shares(from->springs[k], h, shares);
                for (int other = 0; other < to->count; other++)
                    if (to->local[other][h])
                        rlti_springs_set_shares(to->springs[other], h, shares);
            }
    return count;
}

static void assert_same_parties(dance *d, const char *name) {
    size_t bytes = (size_t)(d->b.particles->count + 1) * 3 * sizeof(float);
    float(*want)[3] = calloc(1, bytes), (*got)[3] = calloc(1, bytes);
    static rlti_spring_memory one[50000], other[50000];
    party alone = party_of(d, 1), two = party_of(d, 2), three = party_of(d, 3), again = party_of(d, 1);
    party *const others[] = {&two, &three, &again};
    long long limited = 0;
    for (int n = 0; n < 120; n++) {
        rlti_springs *all[7];
        int count = 0;
        all[count++] = alone.springs[0];
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < others[k]->count; i++)
                all[count++] = others[k]->springs[i];
        /* now and then some of them begin anew, or stand where others were */
        if (n == 50) {
            party_end(&again);
            again = party_of(d, 1);
            for (int k = 0; k < count; k++)
                all[k] = k + 1 == count ? again.springs[0] : all[k];
            rlti_springs_begin_frame(again.springs[0], 1 + d->step / OUTER_STEPS);
            assert_true(hand_over(d, &three, &again) > 10);
        }
        if (n == 70)
            hand_over(d, &alone, &three);
        if (n == 90)
            hand_over(d, &three, &two);
        dance_step(d, all, count);
        party_step(d, &alone, want);
        long long memories = remember_all(&alone, one, 50000);
        limited += rlti_springs_counts(alone.springs[0]).limited;
        for (int k = 0; k < 3; k++) {
            memset(got, 0, bytes);
            party_step(d, others[k], got);
            if (memcmp(want, got, bytes) != 0)
                fail_msg("%s: step %d, party %d", name, n, k);
            assert_int_equal(remember_all(others[k], other, 50000), memories);
            assert_memory_equal(one, other, (size_t)memories * sizeof *one);
        }
    }
    if (strstr(name, "1e4") != NULL)
        assert_true(limited > 100); /* or the shares would not have been tried */
    free(want);
    free(got);
    party_end(&alone);
    party_end(&two);
    party_end(&three);
    party_end(&again);
}

static void ranks_and_restored_runs_are_the_same(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof bundles / sizeof bundles[0]; k++) {
        dance d;
        char text[4096];
        snprintf(text, sizeof text, PLACE "%s", "100, 0, 0", bundles[k]);
        dance_begin(&d, RLT_SIMD_AUTO, text);
        d.scale = 0.3;
        assert_same_parties(&d, bundles[k]);
        dance_end(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleeping_misses_nothing),
        cmocka_unit_test(slow_meetings_far_from_the_first_root),
        cmocka_unit_test(ranks_and_restored_runs_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
