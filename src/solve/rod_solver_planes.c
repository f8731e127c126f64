/* Contact planes of the Rod solver, found where Newton's iterate is. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "solve/rod_solver_data.h"

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

int rlti_rod_solver_meet(rod_solver *s, const rod_job *job, int lane, int worker, double seconds,
                         double depth, int forget) {
    const rod_work *w = &s->work[worker];
    const rlti_plane *planes = NULL;
    rod_met *met = job->met + (size_t)lane * (size_t)w->longest;
    int tile = job->tile, strand = rlti_layout_strand(&s->layout, tile, lane), set = depth < 0.0;
    rlti_look board = rlti_drive_board(s->drive, strand);
    s->engine->get_iterate(s->tiles[tile], lane, w->positions);
    const double *x = &w->positions->x; /* three doubles in a row */
    for (int k = 0; k < 3 * s->model->strands[strand].points; k++)
        board.positions[k] = (float)x[k];
    int count = rlti_drive_planes(s->drive, strand, worker, &planes);
    for (int k = 0; k < s->model->strands[strand].points && forget; k++)
        met[k].count = 0;
    int sides = 0;
    for (int k = 0; k < count; k++) {
        int point = planes[k].point;
        rlti_vec3 at = w->positions[point];
        rlti_plane *list = w->planes + sides;
        remember(&met[point], &planes[k]);
        memcpy(list, met[point].planes, (size_t)met[point].count * sizeof(rlti_plane));
        if (met[point].count > 1)
            share_depth(&list[0], &list[1], at, s->model->strands[strand].segment);
        for (int side = 0; side < met[point].count; side++, sides++) {
            rlti_vec3 n = rlti_hold_vector(list[side].normal), v = rlti_hold_vector(list[side].velocity);
            set = set || rlti_dot(n, at) < (double)list[side].offset - depth;
            list[side].offset -= (float)(seconds * rlti_dot(n, v));
        }
    }
    if (set)
        s->engine->set_planes(s->tiles[tile], lane, w->planes, sides);
    return set;
}
