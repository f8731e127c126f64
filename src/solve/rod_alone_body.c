/* A body, by contact planes, and loads that act on one rod by itself. */
#include <math.h>

#include "base/messages.h"
#include "base/sized.h"
#include "solve/rod_alone.h"

rlt_status rlt_rod_body_reset(rlt_rod_body *body) {
    const rlt_rod_body floor = {.axis = {0, 0, 1}};
    return RLTI_WRITE(rlt_rod_body, body, &floor, NULL);
}

static int is_body(const rlt_rod_body *b) {
    double sum = 0.0, square = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += b->point[k] + b->velocity[k];
        square += b->axis[k] * b->axis[k];
    }
    return isfinite(sum) && square > 0.0 && isfinite(square) && b->radius >= 0.0 && isfinite(b->radius) &&
           b->friction >= 0.0 && isfinite(b->friction);
}

rlt_status rlt_rod_touch(rlt_rod *rod, const rlt_rod_body *given, rlt_messages *messages) {
    rlt_rod_body body = rlt_rod_body_defaults();
    rlt_status status = RLT_OK;
    if (given != NULL)
        status = RLTI_READ(rlt_rod_body, &body, given, messages);
    if (status != RLT_OK)
        return status;
    if (!is_body(&body)) {
        rlti_message(messages, RLT_ERROR,
                     "rod: no body; give finite numbers, an axis of some length, a radius and a friction of "
                     "at least 0");
        return RLT_BAD_INPUT;
    }
    rlti_v3_put(body.axis, rlti_normalize(rlti_v3_at(body.axis, 0)));
    rod->body = body;
    rod->touches = given != NULL;
    if (!rod->touches)
        rod->engine->set_planes(rod->tile, 0, NULL, 0);
    return RLT_OK;
}

void rlt_rod_load(rlt_rod *rod, const double *forces) {
    for (int i = 0; forces != NULL && i < rod->points; i++)
        rod->work[0][i] = rlti_v3_at(forces, i);
    rod->engine->set_loads(rod->tile, 0, forces != NULL ? rod->work[0] : NULL);
}

/* The plane of the body that faces x. */
static rlti_plane plane_at(const rlt_rod_body *b, rlti_vec3 x, int point) {
    rlti_vec3 at = rlti_v3_at(b->point, 0), axis = rlti_v3_at(b->axis, 0), n = axis;
    if (b->radius > 0.0) {
        rlti_vec3 arm = rlti_sub(x, at), out = rlti_madd(arm, -rlti_dot(arm, axis), axis);
        n = rlti_dot(out, out) > 0.0 ? rlti_normalize(out) : rlti_perpendicular(axis);
    }
    return (rlti_plane){.point = point,
                        .normal = {(float)n.x, (float)n.y, (float)n.z},
                        .offset = (float)(rlti_dot(n, at) + b->radius),
                        .velocity = {(float)b->velocity[0], (float)b->velocity[1], (float)b->velocity[2]}};
}

/* Planes where the iterate is; unless it is the first time in a step (depth < 0), only if a point has come
 * deeper than `depth` below one. 1: they were set. */
static int meet(rlt_rod *rod, double depth) {
    int set = depth < 0.0;
    rod->engine->get_iterate(rod->tile, 0, rod->work[0]);
    for (int i = 0; i < rod->points; i++) {
        rlti_plane *p = &rod->planes[i];
        *p = plane_at(&rod->body, rod->work[0][i], i);
        set = set || rlti_dot(rlti_hold_vector(p->normal), rod->work[0][i]) < (double)p->offset - depth;
    }
    if (set)
        rod->engine->set_planes(rod->tile, 0, rod->planes, rod->points);
    return set;
}

void rlti_rod_alone_step(rlt_rod *rod, const rlti_implicit_step *step, rlti_implicit_result *result) {
    const int rounds = rod->touches ? 5 : 1; /* as in scenes: rod_solver_newton.c */
    const double deep = 2e-3 * rod->segment;
    if (rod->touches)
        rod->engine->set_planes(rod->tile, 0, NULL, 0);
    rod->engine->begin(rod->tile, step, rod->scratch);
    for (int round = 0; round < rounds; round++) {
        if (rod->touches && !meet(rod, round == 0 ? -1.0 : deep))
            break;
        while (rod->engine->iterate(rod->tile, step, rod->scratch) != 0) {
        }
    }
    rod->engine->finish(rod->tile, step, rod->scratch, result);
}
