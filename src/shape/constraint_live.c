/* Live groups: their middles and pushes within a step, until they are those of where the strands come to.
 *
 * Strands are computed with a displacement of the middle and a push; from where they end follow the true
 * ones. That map is nearly linear, and repeating it contracts, but slowly where groups are stiff. Anderson's
 * method combines the last few steps such that what was wrong with them cancels; for a linear map it is
 * GMRES, done after as many rounds as there are values. Values of groups that share strands depend on each
 * other, so they are combined as one, a knot. Every rank has all groups and does the same sums in the same
 * order. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "shape/constraint_data.h"

/* Rounds after which a knot is given up. */
enum { ROUNDS = 60 };

/* A change of which newer ones contain all but this part, squared, is left out. */
#define DEPENDENT 1e-9

/* A round that is worse than the one before it by this factor is not built upon; the reach of a step shrinks
 * then, and grows otherwise. */
#define WORSE  2.0
#define SHRINK 0.3
#define GROWTH 5.0

/* ---- which groups ---- */

static const void *solver_of(const rlti_holds *h, int strand) {
    return h->def.meets != NULL ? h->def.meets[h->def.strands->hair[strand]] : NULL;
}

/* A group is live where one solver has all of its points. */
static void find_solvers(rlti_holds *h) {
    for (int e = 0; e < h->entry_count; e++)
        if (h->entries[e].group >= 0)
            h->groups[h->entries[e].group].solver = solver_of(h, h->groups[h->entries[e].group].strand);
    for (int e = 0; e < h->entry_count; e++) {
        int group = h->entries[e].group;
        if (group >= 0 && h->groups[group].solver != solver_of(h, h->entries[e].strand))
            h->groups[group].solver = NULL;
    }
}

static int is_live(const rlti_holds *h, int e) {
    return h->entries[e].group >= 0 && h->groups[h->entries[e].group].solver != NULL;
}

static int top_of(int *up, int group) {
    while (up[group] != group)
        group = up[group] = up[up[group]];
    return group;
}

/* Joins groups of the same strand: up[g] leads to the first group of the knot. */
static void join(const rlti_holds *h, int *up) {
    for (int g = 0; g < h->group_count; g++)
        up[g] = g;
    for (int s = 0; s < h->def.strands->strand_count; s++)
        for (int e = h->first[s], last = -1; e < h->first[s + 1]; e++) {
            if (!is_live(h, e))
                continue;
            int here = top_of(up, h->entries[e].group), there = last >= 0 ? top_of(up, last) : here;
            up[here > there ? here : there] = here > there ? there : here;
            last = h->entries[e].group;
        }
}

/* Groups by knot, each in their order; `to` is the knot of a first group. */
static void sort_groups(rlti_holds *h, int *up, int *to) {
    for (int g = 0; g < h->group_count; g++)
        if (h->groups[g].solver != NULL) {
            int top = top_of(up, g);
            if (top == g) {
                to[g] = h->knot_count;
                h->knots[h->knot_count++] = (rlti_hold_knot){0};
            }
            h->knots[to[top]].count++;
        }
    for (int k = 1; k < h->knot_count; k++)
        h->knots[k].first = h->knots[k - 1].first + h->knots[k - 1].count;
    for (int k = 0; k < h->knot_count; k++)
        h->knots[k].count = 0;
    for (int g = 0; g < h->group_count; g++)
        if (h->groups[g].solver != NULL) {
            rlti_hold_knot *knot = &h->knots[to[top_of(up, g)]];
            h->knotted[knot->first + knot->count++] = g;
        }
    for (int s = 0; s < h->def.strands->strand_count; s++) {
        h->knot_of[s] = -1;
        for (int e = h->first[s]; e < h->first[s + 1]; e++)
            if (is_live(h, e))
                h->knot_of[s] = to[top_of(up, h->entries[e].group)];
    }
}

int rlti_holds_find_live(rlti_holds *h) {
    int live = 0, *up, *to;
    find_solvers(h);
    h->def.meets = NULL; /* no longer there when this is done */
    for (int g = 0; g < h->group_count; g++)
        live += h->groups[g].solver != NULL;
    h->live_count = live;
    if (live == 0)
        return 1;
    int done =
        RLTI_ALLOCATE(RLTI_ITEMS(up, h->group_count), RLTI_ITEMS(to, h->group_count),
                      RLTI_ITEMS(h->knots, live), RLTI_ITEMS(h->knotted, live), RLTI_ITEMS(h->open, live),
                      RLTI_ITEMS(h->trials, live), RLTI_ITEMS(h->knot_of, h->def.strands->strand_count));
    if (done) {
        join(h, up);
        sort_groups(h, up, to);
    }
    RLTI_FREE(up, to);
    return done;
}

size_t rlti_holds_live_bytes(const rlti_holds *h) {
    return (size_t)h->live_count *
               (sizeof *h->trials + sizeof *h->knots + sizeof *h->knotted + sizeof *h->open) +
           (h->knot_of != NULL ? (size_t)h->def.strands->strand_count * sizeof *h->knot_of : 0);
}

int rlti_holds_live(const rlti_holds *h, int strand) {
    return h->knot_of != NULL && h->knot_of[strand] >= 0;
}

/* ---- a step ---- */

void rlti_holds_begin_live(rlti_holds *h) {
    for (int k = 0; k < h->knot_count; k++) {
        rlti_hold_knot *knot = &h->knots[k];
        int active = 0;
        for (int i = 0; i < knot->count && !active; i++)
            active = rlti_constraint_acts(h, h->groups[h->knotted[knot->first + i]].constraint);
        *knot = (rlti_hold_knot){.first = knot->first,
                                 .count = knot->count,
                                 .active = active,
                                 .done = !active,
                                 .least = HUGE_VAL,
                                 .reach = HUGE_VAL};
    }
}

/* The solver of all groups of a knot is this one. */
static int is_of(const rlti_holds *h, const rlti_hold_knot *knot, const void *solver) {
    return h->groups[h->knotted[knot->first]].solver == solver;
}

int rlti_holds_acts(const rlti_holds *h, const void *solver) {
    int acts = 0;
    for (int k = 0; k < h->knot_count; k++)
        acts = acts || (h->knots[k].active && is_of(h, &h->knots[k], solver));
    return acts;
}

void rlti_holds_foresee(rlti_holds *h, int strand, const rlti_vec3 *origin, const rlti_vec3 *ends,
                        const rlti_vec3 *accelerations) {
    for (int e = h->first[strand]; e < h->first[strand + 1]; e++) {
        const rlti_hold_entry *entry = &h->entries[e];
        if (!is_live(h, e) || !rlti_constraint_acts(h, entry->constraint))
            continue;
        rlti_hold_group *group = &h->groups[entry->group];
        rlti_vec3 x = rlti_add(rlti_sub(*origin, group->reference), ends[entry->point]);
        rlti_vec3 v = rlti_scale(h->def.outer_step, accelerations[e - h->first[strand]]);
        const double values[6] = {x.x, x.y, x.z, v.x, v.y, v.z};
        for (int k = 0; k < 6; k++)
            __atomic_fetch_add(&group->sum[k], rlti_hold_whole((double)entry->mass * values[k]),
                               __ATOMIC_RELAXED);
    }
}

/* ---- Anderson's method ---- */

/* Compares what a group was given with what was foreseen. */
static void compare(const rlti_holds *h, rlti_hold_group *group, rlti_hold_values *now) {
    double step = h->def.outer_step, seen[6];
    for (int k = 0; k < 6; k++)
        seen[k] = (double)group->sum[k] / (RLTI_SUM_SCALE * group->count);
    memset(group->sum, 0, sizeof group->sum);
    rlti_v3_put(now->given, rlti_scale(step, group->velocity));
    rlti_v3_put(now->given + 3, rlti_scale(step * step, group->push));
    memset(now->off, 0, sizeof now->off);
    if (!rlti_constraint_acts(h, group->constraint))
        return;
    rlti_vec3 middle = rlti_sub(rlti_v3_at(seen, 0), group->middle);
    rlti_v3_put(now->off, rlti_sub(middle, rlti_v3_at(now->given, 0)));
    if (group->reacts)
        rlti_v3_put(now->off + 3,
                    rlti_sub(rlti_scale(-step, rlti_v3_at(seen, 1)), rlti_v3_at(now->given, 1)));
}

/* How far points are moved by what a group is off, at most: by its push, and by holds that follow its middle
 * as far as they are stiff [unit]. */
static double effect_of(const rlti_holds *h, const rlti_hold_group *group, const double off[6]) {
    double step = h->def.outer_step, stiff = step * step * h->laws[group->constraint].stiffness;
    stiff = stiff < RLTI_LIVE_LIMIT ? stiff : RLTI_LIVE_LIMIT;
    return fmax(rlti_length(rlti_v3_at(off, 0)) * stiff / (1.0 + stiff), rlti_length(rlti_v3_at(off, 1)));
}

/* Takes what was foreseen for a knot, and the change since the round before as a step to remember. */
static void take(rlti_holds *h, rlti_hold_knot *knot) {
    int slot = knot->rounds > 0 ? (knot->rounds - 1) % RLTI_TRIALS : -1;
    knot->off = 0.0;
    for (int i = knot->first; i < knot->first + knot->count; i++) {
        rlti_hold_trial *trial = &h->trials[i];
        rlti_hold_values now;
        rlti_hold_group *group = &h->groups[h->knotted[i]];
        compare(h, group, &now);
        for (int k = 0; k < 6 && slot >= 0; k++) {
            trial->change[slot].given[k] = now.given[k] - trial->now.given[k];
            trial->change[slot].off[k] = now.off[k] - trial->now.off[k];
        }
        trial->now = now;
        double far = effect_of(h, group, now.off);
        knot->off = far > knot->off || isnan(far) ? far : knot->off;
    }
}

static double dot6(const double *a, const double *b) {
    double sum = 0.0;
    for (int k = 0; k < 6; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Shares of the remembered changes, newest first, whose errors come nearest to that of the base: least
 * squares by the normal equations; a change that the newer ones all but contain gets none. */
static void find_shares(const rlti_holds *h, const rlti_hold_knot *knot, const int *slots, int n,
                        double shares[RLTI_TRIALS]) {
    double a[RLTI_TRIALS][RLTI_TRIALS + 1] = {{0}}, whole[RLTI_TRIALS];
    for (int i = knot->first; i < knot->first + knot->count; i++)
        for (int r = 0; r < n; r++) {
            const rlti_hold_trial *trial = &h->trials[i];
            for (int c = 0; c < n; c++)
                a[r][c] += dot6(trial->change[slots[r]].off, trial->change[slots[c]].off);
            a[r][n] += dot6(trial->change[slots[r]].off, trial->base.off);
        }
    for (int r = 0; r < n; r++)
        whole[r] = a[r][r];
    for (int p = 0; p < n; p++) { /* elimination; a pivot of 0 is left out */
        if (!(a[p][p] > DEPENDENT * whole[p]))
            a[p][p] = 0.0;
        for (int r = p + 1; r < n; r++) {
            double factor = a[p][p] > 0.0 ? a[r][p] / a[p][p] : 0.0;
            for (int c = p; c <= n; c++)
                a[r][c] -= factor * a[p][c];
        }
    }
    for (int r = n - 1; r >= 0; r--) {
        double sum = a[r][n];
        for (int c = r + 1; c < n; c++)
            sum -= a[r][c] * shares[c];
        shares[r] = a[r][r] > 0.0 ? sum / a[r][r] : 0.0;
    }
}

/* The step from the base; returns how far it moves a group [unit]. */
static double find_step(rlti_holds *h, const rlti_hold_knot *knot) {
    double shares[RLTI_TRIALS] = {0}, farthest = 0.0;
    int steps = knot->rounds - 1, slots[RLTI_TRIALS], n = steps < RLTI_TRIALS ? steps : RLTI_TRIALS;
    for (int r = 0; r < n; r++)
        slots[r] = (steps - 1 - r) % RLTI_TRIALS;
    find_shares(h, knot, slots, n, shares);
    for (int i = knot->first; i < knot->first + knot->count; i++) {
        rlti_hold_trial *trial = &h->trials[i];
        for (int k = 0; k < 6; k++) {
            trial->step[k] = trial->base.off[k];
            for (int r = 0; r < n; r++)
                trial->step[k] -=
                    shares[r] * (trial->change[slots[r]].given[k] + trial->change[slots[r]].off[k]);
        }
        farthest = fmax(
            farthest, fmax(rlti_length(rlti_v3_at(trial->step, 0)), rlti_length(rlti_v3_at(trial->step, 1))));
    }
    return farthest;
}

/* Gives the groups of a knot values that are so much of the step away from the base. */
static void give(rlti_holds *h, const rlti_hold_knot *knot, double share) {
    double step = h->def.outer_step;
    for (int i = knot->first; i < knot->first + knot->count; i++) {
        const rlti_hold_trial *trial = &h->trials[i];
        rlti_hold_group *group = &h->groups[h->knotted[i]];
        double given[6];
        for (int k = 0; k < 6; k++)
            given[k] = trial->base.given[k] + share * trial->step[k];
        group->velocity = rlti_scale(1.0 / step, rlti_v3_at(given, 0));
        group->push = rlti_scale(1.0 / (step * step), rlti_v3_at(given, 1));
    }
}

/* Better values for a knot: a step from the base, which is the last round that was not much worse than the
 * best; shorter where a step led astray. */
static void improve(rlti_holds *h, rlti_hold_knot *knot) {
    int better = knot->off < WORSE * knot->least;
    if (better)
        knot->least = knot->off;
    knot->reach *= better ? GROWTH : SHRINK;
    for (int i = knot->first; better && i < knot->first + knot->count; i++)
        h->trials[i].base = h->trials[i].now;
    double farthest = find_step(h, knot), share = farthest > knot->reach ? knot->reach / farthest : 1.0;
    knot->reach = share * farthest;
    give(h, knot, knot->rounds < ROUNDS ? share : 0.0); /* given up: the base, once more */
}

/* Sums of the groups that a solver still compares; those of other knots are 0. */
static void sum_open(rlti_holds *h, const void *solver, rlt_ranks *ranks) {
    int count = 0;
    for (int k = 0; k < h->knot_count; k++) {
        const rlti_hold_knot *knot = &h->knots[k];
        for (int i = 0; !knot->done && is_of(h, knot, solver) && i < knot->count; i++)
            h->open[count++] = h->knotted[knot->first + i];
    }
    rlti_holds_sum(h, h->open, count, ranks);
}

int rlti_holds_agree(rlti_holds *h, const void *solver, double tolerance, rlt_ranks *ranks) {
    int again = 0;
    sum_open(h, solver, ranks);
    for (int k = 0; k < h->knot_count; k++) {
        rlti_hold_knot *knot = &h->knots[k];
        if (knot->done || !is_of(h, knot, solver))
            continue;
        take(h, knot);
        knot->done = !(knot->off > tolerance) || ++knot->rounds > ROUNDS;
        if (knot->done)
            continue;
        improve(h, knot);
        again = 1;
    }
    return again;
}

int rlti_holds_stirs(const rlti_holds *h, int strand) {
    return rlti_holds_live(h, strand) && !h->knots[h->knot_of[strand]].done;
}

double rlti_holds_off(const rlti_holds *h, int strand) {
    return rlti_holds_live(h, strand) ? h->knots[h->knot_of[strand]].off : 0.0;
}
