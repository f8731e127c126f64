/* Questions of strands to the drive. Each answer depends on the pose, the blackboard and this strand only, so
 * any thread may ask; it lies in the worker's memory. */
#include <string.h>

#include "drive/drive_data.h"
#include "scene/readers.h"

const rlti_vec3 *rlti_drive_rest(rlti_drive *d, int strand, int worker) {
    return d->reshapes ? rlti_reshape_strand(d->reshape, strand, worker) : NULL;
}

const double *rlti_drive_sizes(const rlti_drive *d) {
    return d->size;
}

/* A worker's list of holds. */
static rlti_hold *hold_list(const rlti_drive *d, int worker) {
    int largest = d->holds != NULL ? rlti_holds_largest(d->holds) : 0;
    return d->hold_list + (size_t)worker * (size_t)(largest + rlti_drive_pull_capacity(d));
}

int rlti_drive_pulled_holds(const rlti_drive *d, int strand, int worker, const rlti_hold **holds) {
    const double speed = 500.0; /* at most [unit/s] */
    rlti_hold *list = hold_list(d, worker);
    int count = rlti_drive_holds(d, strand, worker, holds), pulled = 0;
    *holds = list;
    for (int k = 0; k < d->pull_count && pulled < RLTI_PULLS_STRAND; k++) {
        const rlti_pull *pull = &d->pulls[k];
        if (pull->strand != strand)
            continue;
        list[count + pulled] = (rlti_hold){.point = pull->point,
                                           .kind = RLTI_SOFT_PLACE,
                                           .stiffness = d->pull_stiffness,
                                           .damping = 2.0 * sqrt(d->pull_stiffness),
                                           .speed = (float)speed,
                                           .fresh = 1};
        rlti_v3_put(list[count + pulled].anchor, rlti_sub(pull->target, d->origins[strand]));
        pulled++;
    }
    return count + pulled;
}

int rlti_drive_holds(const rlti_drive *d, int strand, int worker, const rlti_hold **holds) {
    if (d->holds == NULL)
        return 0;
    rlti_hold *list = hold_list(d, worker);
    rlti_holds_fill(d->holds, strand, &d->origins[strand], list);
    *holds = list;
    return rlti_holds_of(d->holds, strand);
}

int rlti_drive_live(const rlti_drive *d, int strand) {
    return d->holds != NULL && rlti_holds_live(d->holds, strand);
}

int rlti_drive_groups_act(const rlti_drive *d, const void *solver) {
    return d->holds != NULL && rlti_holds_acts(d->holds, solver);
}

void rlti_drive_foresee(rlti_drive *d, int strand, const rlti_vec3 *ends, const rlti_vec3 *accelerations) {
    rlti_holds_foresee(d->holds, strand, &d->origins[strand], ends, accelerations);
}

int rlti_drive_stirs(const rlti_drive *d, int strand) {
    return rlti_holds_stirs(d->holds, strand);
}

double rlti_drive_off(const rlti_drive *d, int strand) {
    return rlti_holds_off(d->holds, strand);
}

/* Planes of one strand; `memory` makes it faster within a frame. */
static int find_planes(const rlti_drive *d, int s, rlti_memory *memory, rlti_plane *planes) {
    int section = d->def.strands->hair[s], first = d->def.strands->first[s];
    const rlti_hair_data *hair = &d->def.scene->hair[section];
    if (!hair->collide || !rlti_drive_has_planes(d))
        return 0;
    rlti_look look = rlti_drive_board(d, s);
    rlti_allowance allowance = {d->thickness + first, d->home + first, d->any_side[s],
                                d->passed != NULL ? d->passed + first : NULL, rlti_hair_root_is_free(hair)};
    return rlti_colliders_find(d->colliders, section, &d->origins[s], rlti_matter_points(d->def.matter, s),
                               look.positions, look.velocities, hair->thickness, &allowance, d->outer_step,
                               memory, planes);
}

int rlti_drive_planes(rlti_drive *d, int s, int worker, const rlti_plane **planes) {
    rlti_plane *list = d->planes + (size_t)worker * (size_t)d->longest;
    int count = find_planes(d, s, d->memory + d->def.strands->first[s], list);
    *planes = list;
    d->plane_counts[s] = count;
    return count;
}

void rlti_drive_depths(rlti_drive *d, int s, double *depths) {
    rlti_look look = rlti_drive_board(d, s);
    int count = find_planes(d, s, NULL, d->planes);
    for (int k = 0; k < count; k++) {
        const rlti_plane *plane = &d->planes[k];
        const float *x = look.positions + 3 * (size_t)plane->point;
        double height = (double)plane->normal[0] * (double)x[0] + (double)plane->normal[1] * (double)x[1] +
                        (double)plane->normal[2] * (double)x[2];
        double depth = (double)plane->offset - height;
        depths[plane->point] = depth > 0.0 ? depth : 0.0;
    }
}

const float *rlti_drive_air(rlti_drive *d, int s, int worker) {
    if (!d->airs)
        return NULL;
    const rlti_time_data *time = &d->def.scene->time;
    double seconds = (d->now.frame - time->first) / time->fps + d->now.first * d->outer_step;
    float *air = d->air + (size_t)worker * (size_t)d->longest * 3;
    const float *x = rlti_drive_board(d, s).positions;
    const rlti_vec3 *o = &d->origins[s];
    for (int p = 0; p < rlti_matter_points(d->def.matter, s); p++) {
        double world[3] = {o->x + (double)x[3 * p], o->y + (double)x[3 * p + 1], o->z + (double)x[3 * p + 2]};
        double v[3];
        rlti_wind_at(&d->wind, world, seconds, v);
        for (int axis = 0; axis < 3; axis++)
            air[3 * p + axis] = (float)(d->wind_strength * v[axis]);
    }
    return air;
}

/* Pushes of other hair; returns how many. */
static int push_hair(rlti_drive *d, int s, int worker, float (*pushes)[3], const int **points) {
    rlti_laps *laps = &d->laps[worker];
    if (d->springs == NULL || !rlti_springs_has(d->springs, s))
        return 0;
    if (!rlti_springs_push(d->springs, s, worker, pushes, &laps->detect)) {
        laps->out_of_memory = 1;
        return 0;
    }
    *points = d->particles->point + d->particles->first[s];
    return d->particles->first[s + 1] - d->particles->first[s];
}

/* Acceleration that draws a point to its target, over an outer step: implicit, so any stiffness is stable. */
static rlti_vec3 pull_point(const rlti_drive *d, const rlti_pull *pull) {
    const double speed = 500.0; /* at most [unit/s] */
    rlti_look look = rlti_drive_board(d, pull->strand);
    rlti_vec3 x =
        rlti_add(rlti_hold_vector(look.positions + 3 * (size_t)pull->point), d->origins[pull->strand]);
    double step = rlti_interval_seconds(&d->now), k = d->pull_stiffness;
    rlti_hold_step over = rlti_hold_over(step, k, 2.0 * sqrt(k));
    rlti_hold_terms terms = {.keep = (double)over.keep, .pull = (double)over.pull, .speed = speed};
    rlti_vec3 change = rlti_hold_change(&terms, RLTI_SOFT_PLACE, rlti_sub(x, pull->target),
                                        rlti_hold_vector(look.velocities + 3 * (size_t)pull->point));
    return rlti_scale(1.0 / step, change);
}

/* Adds the strand's pulls to its pushes; returns how many there are then. */
static int add_pulls(rlti_drive *d, int s, int *points, float (*pushes)[3], int count) {
    for (int k = 0; k < d->pull_count; k++) {
        const rlti_pull *pull = &d->pulls[k];
        int at = 0;
        if (pull->strand != s)
            continue;
        rlti_vec3 a = pull_point(d, pull);
        while (at < count && points[at] != pull->point)
            at++;
        if (at == count) {
            points[count] = pull->point;
            memset(pushes[count++], 0, sizeof *pushes);
        }
        a = rlti_add(a, rlti_hold_vector(pushes[at]));
        rlti_v3_round(pushes[at], a);
    }
    return count;
}

int rlti_drive_pushes(rlti_drive *d, int s, int worker, const int **points,
                      const float (**accelerations)[3]) {
    float(*pushes)[3] = d->pushes + (size_t)worker * (size_t)d->longest;
    *accelerations = (const float(*)[3])pushes;
    return push_hair(d, s, worker, pushes, points);
}

int rlti_drive_pulled_pushes(rlti_drive *d, int s, int worker, const int **points,
                             const float (**accelerations)[3]) {
    size_t scratch = (size_t)worker * (size_t)d->longest;
    float(*pushes)[3] = d->pushes + scratch;
    int count = rlti_drive_pushes(d, s, worker, points, accelerations);
    if (d->pull_count == 0)
        return count;
    int *own = d->push_points + scratch;
    if (count > 0)
        memcpy(own, *points, (size_t)count * sizeof *own);
    *points = own;
    return add_pulls(d, s, own, pushes, count);
}
