/* Contact planes of the Rod solver, found where Newton's iterate is. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "solve/rod_solver_contacts.h"

static rod_met *met_of(const rod_solver *s, const rod_job *job, int lane) {
    return job->met + (size_t)lane * (size_t)s->work[0].longest;
}

/* Remembers a plane that a point has met. The last one of a side that faces it stays: in a crease, such as
 * the bend of a leg, what leads out of one side leads into the other. */
static void remember(rod_met *met, const rlti_plane *found) {
    rlti_vec3 n = rlti_hold_vector(found->normal);
    int side = met->count > 0 && rlti_dot(n, rlti_hold_vector(met->planes[0].normal)) < 0.0;
    met->planes[side] = *found;
    met->count = met->count > side + 1 ? met->count : side + 1;
}

/* Where the sides of a crease leave a point at x no place within `reach`, it is pinched: both give way to
 * where it is equally deep in them. */
static void share_depth(rlti_plane *one, rlti_plane *other, rlti_vec3 x, double reach) {
    const double opposed = 0.02; /* sine squared of the angle between the sides */
    rlti_vec3 n = rlti_hold_vector(one->normal), m = rlti_hold_vector(other->normal);
    double c = rlti_dot(n, m), g = rlti_dot(n, x) - (double)one->offset,
           h = rlti_dot(m, x) - (double)other->offset, square = 1.0 - c * c;
    if (h + fmax(-g, 0.0) * c >= 0.0 || g + fmax(-h, 0.0) * c >= 0.0)
        return;                                                /* out of one is out of both */
    double a = (c * h - g) / square, b = (c * g - h) / square; /* x + a n + b m is on both */
    if (square > opposed && rlti_length(rlti_add(rlti_scale(a, n), rlti_scale(b, m))) < reach)
        return;
    double by = (h - g) / (1.0 - c);
    rlti_vec3 middle = by > 0.0 ? rlti_add(x, rlti_scale(by, n)) : rlti_sub(x, rlti_scale(by, m));
    one->offset = fminf(one->offset, (float)rlti_dot(n, middle));
    other->offset = fminf(other->offset, (float)rlti_dot(m, middle));
}

/* Planes of the strand where its iterate is; what it has met before in this step counts unless it is to
 * `forget` it. Returns how many points have one now. */
static int seek(rod_solver *s, const rod_job *job, int lane, int worker, int forget,
                const rlti_plane **planes) {
    const rod_work *w = &s->work[worker];
    rod_met *met = met_of(s, job, lane);
    int strand = rlti_layout_strand(&s->layout, job->tile, lane);
    rlti_look board = rlti_drive_board(s->drive, strand);
    s->engine->get_iterate(s->tiles[job->tile], lane, w->positions);
    const double *x = &w->positions->x; /* three doubles in a row */
    for (int k = 0; k < 3 * s->model->strands[strand].points; k++)
        board.positions[k] = (float)x[k];
    int count = rlti_drive_planes(s->drive, strand, worker, planes);
    for (int k = 0; k < s->model->strands[strand].points && forget; k++)
        met[k].count = 0;
    for (int k = 0; k < count; k++)
        remember(&met[(*planes)[k].point], &(*planes)[k]);
    return count;
}

/* The sides that a point at x has met; returns how many. */
static int sides_of(const rod_met *met, rlti_vec3 x, double reach, rlti_plane *list) {
    memcpy(list, met->planes, (size_t)met->count * sizeof(rlti_plane));
    if (met->count > 1)
        share_depth(&list[0], &list[1], x, reach);
    return met->count;
}

int rlti_rod_solver_meet(rod_solver *s, const rod_job *job, int lane, int worker, double seconds,
                         double depth, int forget) {
    const rod_work *w = &s->work[worker];
    const rlti_plane *planes = NULL;
    int tile = job->tile, strand = rlti_layout_strand(&s->layout, tile, lane), set = depth < 0.0;
    int sides = 0, count = seek(s, job, lane, worker, forget, &planes);
    for (int k = 0; k < count; k++) {
        int point = planes[k].point;
        rlti_vec3 at = w->positions[point];
        rlti_plane *list = w->planes + sides;
        int end = sides + sides_of(met_of(s, job, lane) + point, at, s->model->strands[strand].segment, list);
        for (; sides < end; sides++, list++) {
            rlti_vec3 n = rlti_hold_vector(list->normal), v = rlti_hold_vector(list->velocity);
            set = set || rlti_dot(n, at) < (double)list->offset - depth;
            list->offset -= (float)(seconds * rlti_dot(n, v));
        }
    }
    if (set)
        s->engine->set_planes(s->tiles[tile], lane, w->planes, sides);
    return set;
}

/* The depth that a point may have in a body before it counts as inside [unit]. */
static double own_of(const rod_solver *s, int tile, int strand) {
    const double least = 0.02; /* of a segment, where hair has no thickness */
    return fmax(rod_hair(s, tile)->thickness, least * s->model->strands[strand].segment);
}

double rlti_rod_solver_pinched(const rod_solver *s, const rod_job *job, int lane, int worker) {
    const rod_work *w = &s->work[worker];
    const rod_met *met = met_of(s, job, lane);
    int strand = rlti_layout_strand(&s->layout, job->tile, lane), any = 0;
    double deepest = 0.0, own = own_of(s, job->tile, strand);
    for (int k = 0; k < s->model->strands[strand].points; k++)
        any = any || met[k].count > 1;
    if (any)
        s->engine->get_iterate(s->tiles[job->tile], lane, w->positions);
    for (int k = 0; any && k < s->model->strands[strand].points; k++) {
        double depth = met[k].count > 1 ? HUGE_VAL : 0.0;
        for (int side = 0; side < met[k].count; side++) {
            rlti_vec3 n = rlti_hold_vector(met[k].planes[side].normal);
            depth = fmin(depth, (double)met[k].planes[side].offset - rlti_dot(n, w->positions[k]));
        }
        deepest = depth > own ? fmax(deepest, depth) : deepest;
    }
    return deepest;
}

/* ---- free hair ---- */

/* Where a point would come to within the step by its weight counts as near: nothing but planes may hold it.
 */
static void lean(const rod_solver *s, int tile, int lane, int worker, double seconds) {
    const rod_work *w = &s->work[worker];
    int strand = rlti_layout_strand(&s->layout, tile, lane);
    rlti_look board = rlti_drive_board(s->drive, strand);
    s->engine->get_state(s->tiles[tile], lane, NULL, w->velocities, NULL, NULL);
    const double *v = &w->velocities->x;
    for (int k = 0; k < 3 * s->model->strands[strand].points; k++)
        board.velocities[k] = (float)(v[k] + seconds * s->now.gravity[k % 3]);
}

/* The sides that a point has met, as contacts at the end of the present part of the step. `late` is what is
 * left of the step after it. A point that begins deeper than `own` is led out by a tenth of that in a whole
 * step: at once it would be thrown. */
static void support_point(const rod_solver *s, const rod_met *met, int point, rlti_vec3 x, double reach,
                          double own, double seconds, double late) {
    const rod_contacts *c = s->contacts;
    double stays = 1.0 - 0.1 * c->part;
    rlti_plane list[RLTI_IMPLICIT_SIDES];
    int count = sides_of(met, x, reach, list);
    for (int side = 0; side < count; side++) {
        rod_support *support = &c->supports[RLTI_IMPLICIT_SIDES * (size_t)point + (size_t)side];
        rlti_vec3 n = rlti_normalize(rlti_hold_vector(list[side].normal)),
                  v = rlti_hold_vector(list[side].velocity);
        support->normal = n;
        support->gap = rlti_dot(n, x) - ((double)list[side].offset - late * rlti_dot(n, v));
        support->slip = rlti_madd(rlti_sub(c->end[point], c->start[point]), -seconds, v);
        support->depth = rlti_dot(n, support->slip) - support->gap;
        support->gap += stays * fmax(support->depth - own, 0.0);
    }
}

void rlti_rod_solver_support_tile(rod_solver *s, int index, int worker, unsigned seeks, unsigned forgets) {
    const rod_contacts *c = s->contacts;
    const rod_job *job = &c->jobs[index];
    int tile = c->tiles[index];
    rlti_implicit_step step = rlti_rod_solver_how_meeting(s, tile);
    double late = rlti_rod_solver_until(s, tile, &step) - step.seconds;
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        const rlti_plane *planes;
        int strand = rlti_layout_strand(&s->layout, tile, lane), first = s->def.strands->first[strand];
        const rod_met *met = met_of(s, job, lane);
        if (seeks >> lane & 1u) {
            lean(s, tile, lane, worker, step.seconds);
            seek(s, job, lane, worker, (int)(forgets >> lane & 1u), &planes);
        }
        for (int p = 0; p < s->model->strands[strand].points; p++)
            support_point(s, &met[p], first + p,
                          rlti_sub(c->end[first + p], rlti_drive_origins(s->drive)[strand]),
                          s->model->strands[strand].segment, own_of(s, tile, strand), step.seconds, late);
    }
}
