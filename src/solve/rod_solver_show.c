/* The Rod from inside, for pictures: material frames, and where each edge would be at rest. */
#include "solve/rod_solver_data.h"

static void put(double *out, rlti_vec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

/* Tangent and two directors. */
static void put_frame(double *frame, rlti_vec3 tangent, rlti_vec3 director) {
    put(frame, tangent);
    put(frame + 3, director);
    put(frame + 6, rlti_cross(tangent, director));
}

void rlti_rod_solver_frames(rlti_solver *solver, int strand, double *frames) {
    rod_solver *s = (rod_solver *)solver;
    const rod_work *w = &s->work[0];
    rlti_vec3 *directors = s->spare + s->model->strands[strand].first;
    int edges = s->model->strands[strand].points - 1;
    s->engine->get_state(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane, w->positions,
                         NULL, directors, NULL);
    for (int i = 0; i < edges; i++)
        put_frame(frames + 9 * (size_t)(i + 1),
                  rlti_normalize(rlti_sub(w->positions[i + 1], w->positions[i])), directors[i]);
    rlti_vec3 direction, director;
    s->engine->get_clamp(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane, &direction,
                         &director);
    put_frame(frames, direction, director);
}

void rlti_rod_solver_show(rlti_solver *solver, int strand, const rlti_vec3 *points, rlt_diagnostics *d) {
    rod_solver *s = (rod_solver *)solver;
    int first = s->def.strands->first[strand], count = s->model->strands[strand].points;
    double *frames = d->frames + 9 * (size_t)first;
    rlti_vec3 *targets = (rlti_vec3 *)(void *)d->targets + first;
    rlti_rod_solver_frames(solver, strand, frames);
    for (int i = 0; i < count; i++) {
        put(d->smoothed + 3 * (size_t)(first + i), points[i]);
        put(d->core + 3 * (size_t)(first + i), points[i]);
    }
    targets[count - 1] = rlti_v3(0, 0, 0);
    for (int i = 0; i + 1 < count; i++) { /* the edge before, bent as at rest */
        const double *f = frames + 9 * (size_t)i, *c = s->model->constants[first + i];
        rlti_vec3 axis = rlti_add(rlti_scale(c[RLTI_ROD_PHI_0], rlti_v3_at(f, 1)),
                                  rlti_scale(c[RLTI_ROD_PHI_1], rlti_v3_at(f, 2)));
        double angle = rlti_length(axis);
        rlti_vec3 t = rlti_v3_at(f, 0);
        if (angle > 0.0)
            t = rlti_quat_rotate(rlti_quat_axis_angle(rlti_scale(1.0 / angle, axis), angle), t);
        targets[i] = rlti_scale(c[RLTI_ROD_LENGTH], t);
    }
}
