/* Kinds that hold two points together. A pair is a group of two: each point is held at its part of the
 * distance from their common middle, so that what acts on one acts, turned round, on the other. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "shape/constraint_data.h"

/* Chosen points a and b (in the selection) keep a distance within [low, high]. 0 when out of memory. */
static int add_pair(rlti_holds *h, int constraint, const rlti_selection *chosen, int a, int b, double low,
                    double high) {
    const int both[2] = {a, b};
    const double masses[2] = {h->def.mass[chosen->point[a]], h->def.mass[chosen->point[b]]};
    double mass = masses[0] + masses[1];
    rlti_hold_group group = {.constraint = constraint, .strand = chosen->strand[a], .count = 2};
    int done = rlti_holds_add_group(h, &group);
    for (int k = 0; k < 2 && done; k++) {
        rlti_hold_entry entry = rlti_hold_entry_of(h, chosen, both[k], constraint);
        entry.share = (float)fmin(chosen->share[a], chosen->share[b]); /* one spring has one stiffness */
        entry.kind = RLTI_SOFT_DISTANCE;
        entry.group = h->group_count - 1;
        entry.mass = (float)(2.0 * masses[k] / mass);
        entry.low = (float)(low * masses[1 - k] / mass);
        entry.high = (float)(high * masses[1 - k] / mass);
        done = rlti_holds_add(h, &entry);
    }
    return done;
}

/* ---- tips ---- */

typedef struct tip {
    int chosen; /* in the selection */
    double radius;
    rlti_vec3 rest;
} tip;

typedef struct tie {
    int a, b; /* in the selection, a < b */
    double distance;
} tie;

static int by_x(const void *left, const void *right) {
    const tip *a = left, *b = right;
    if (a->rest.x < b->rest.x || a->rest.x > b->rest.x)
        return a->rest.x < b->rest.x ? -1 : 1;
    return a->chosen < b->chosen ? -1 : 1;
}

static int by_distance(const void *left, const void *right) {
    const tie *x = left, *y = right;
    if (x->distance < y->distance || x->distance > y->distance)
        return x->distance < y->distance ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : 1;
}

static int by_points(const void *left, const void *right) {
    const tie *x = left, *y = right;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : (x->b > y->b);
}

/* Pairs that touch, from tips sorted along x; returns how many there are and writes at most `capacity`. */
static long long find_ties(const rlti_selection *chosen, const tip *tips, double touch, double widest,
                           tie *ties, long long capacity, double *nearest) {
    long long count = 0;
    for (int i = 0; i < chosen->count; i++)
        for (int j = i + 1; j < chosen->count && tips[j].rest.x - tips[i].rest.x <= touch * 2.0 * widest;
             j++) {
            int a = tips[i].chosen, b = tips[j].chosen;
            if (chosen->strand[a] == chosen->strand[b])
                continue;
            double distance = rlti_length(rlti_sub(tips[i].rest, tips[j].rest));
            *nearest = fmin(*nearest, distance);
            if (distance > touch * (tips[i].radius + tips[j].radius))
                continue;
            if (ties != NULL && count < capacity)
                ties[count] = (tie){a < b ? a : b, a < b ? b : a, distance};
            count++;
        }
    return count;
}

/* Nearest first, at most so many at each point; the rest of the list is lost. */
static int keep_nearest(tie *ties, long long count, int maximum, int *used) {
    int kept = 0;
    qsort(ties, (size_t)count, sizeof *ties, by_distance);
    for (long long t = 0; t < count; t++) {
        if (used[ties[t].a] >= maximum || used[ties[t].b] >= maximum)
            continue;
        used[ties[t].a]++;
        used[ties[t].b]++;
        ties[kept++] = ties[t];
    }
    if (kept > 0)
        qsort(ties, (size_t)kept, sizeof *ties, by_points);
    return kept;
}

static rlt_status refuse_apart(const rlti_constraint_data *data, double nearest, double reach,
                               rlt_messages *messages) {
    char apart[32], touching[32];
    rlti_number_short(reach, touching, sizeof touching);
    if (!(nearest < HUGE_VAL))
        return rlti_refuse(
            messages,
            "%s: constraint '%s': no chosen points of two strands come within %s units of each other",
            data->place, data->name, touching);
    rlti_number_short(nearest, apart, sizeof apart);
    return rlti_refuse(
        messages,
        "%s: constraint '%s': no chosen points touch: the nearest are %s units apart, and touch within "
        "%s; raise touch, or hair.contact.radius",
        data->place, data->name, apart, touching);
}

rlt_status rlti_holds_add_tips(rlti_holds *h, int constraint, const rlti_selection *chosen,
                               rlt_messages *messages) {
    const rlti_scene_data *scene = h->def.scene;
    const rlti_constraint_data *data = &scene->constraints[constraint];
    const rlti_strands *strands = h->def.strands;
    double widest = 0.0, nearest = HUGE_VAL;
    tie *ties = NULL;
    tip *tips = RLTI_NEW(tip, chosen->count);
    int *used = RLTI_NEW(int, chosen->count);
    rlt_status status = tips != NULL && used != NULL ? RLT_OK : rlti_out_of_memory(messages);
    for (int i = 0; i < chosen->count && status == RLT_OK; i++) {
        int p = chosen->point[i], s = chosen->strand[i], first = strands->first[s];
        double along = (double)(p - first) / (strands->first[s + 1] - first - 1);
        const rlti_ramp *radius = &scene->hair[strands->hair[s]].contact_radius;
        tips[i] = (tip){i, rlti_strands_value(strands, radius, p, along), strands->points[p]};
        widest = fmax(widest, tips[i].radius);
    }
    long long count = 0;
    if (status == RLT_OK) {
        qsort(tips, (size_t)chosen->count, sizeof *tips, by_x);
        count = find_ties(chosen, tips, data->touch, widest, NULL, 0, &nearest);
        ties = rlti_allocate((size_t)count + 1, sizeof *ties);
        if (ties == NULL)
            status = rlti_out_of_memory(messages);
        else if (count == 0)
            status = refuse_apart(data, nearest, data->touch * 2.0 * widest, messages);
    }
    if (status == RLT_OK && ties != NULL && used != NULL) {
        find_ties(chosen, tips, data->touch, widest, ties, count, &nearest);
        int kept = keep_nearest(ties, count, data->neighbours, used);
        for (int t = 0; t < kept && status == RLT_OK; t++)
            if (!add_pair(h, constraint, chosen, ties[t].a, ties[t].b, ties[t].distance, ties[t].distance))
                status = rlti_out_of_memory(messages);
    }
    RLTI_FREE(ties, tips, used);
    return status;
}

/* ---- bounds ---- */

/* From the root to one point. */
static int add_leash(rlti_holds *h, int constraint, const rlti_selection *chosen, int i, double low,
                     double high) {
    rlti_hold_motion motion = {.carrier = RLTI_CARRIER_ROOT,
                               .strand = chosen->strand[i],
                               .root = h->def.strands->roots[chosen->strand[i]]};
    rlti_hold_entry entry = rlti_hold_entry_of(h, chosen, i, constraint);
    entry.kind = h->def.scene->constraints[constraint].hard ? RLTI_HARD_DISTANCE : RLTI_SOFT_DISTANCE;
    entry.motion = h->motion_count;
    entry.low = (float)low;
    entry.high = (float)high;
    return rlti_holds_add_motion(h, &motion) && rlti_holds_add(h, &entry);
}

rlt_status rlti_holds_add_bound(rlti_holds *h, int constraint, const rlti_selection *chosen,
                                rlt_messages *messages) {
    const rlti_strands *strands = h->def.strands;
    const double *bounds = h->def.scene->constraints[constraint].bounds;
    int done = 1;
    for (int i = 0; i < chosen->count && done;) {
        int strand = chosen->strand[i], last = i;
        while (last + 1 < chosen->count && chosen->strand[last + 1] == strand)
            last++;
        rlti_vec3 from = strands->points[last > i ? chosen->point[i] : strands->first[strand]];
        double distance = rlti_length(rlti_sub(strands->points[chosen->point[last]], from));
        double low = bounds[0] * distance, high = bounds[1] * distance;
        done = last > i ? add_pair(h, constraint, chosen, i, last, low, high)
                        : add_leash(h, constraint, chosen, i, low, high);
        i = last + 1;
    }
    return done ? RLT_OK : rlti_out_of_memory(messages);
}
