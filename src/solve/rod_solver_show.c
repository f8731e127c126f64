/* The Rod from inside, for pictures: material frames, where each edge would be at rest, twist and curvature
 * against rest, and Newton's residuals. */
#include "solve/rod_solver_data.h"

#include <math.h>

/* Tangent and two directors. */
static void put_frame(double *frame, rlti_vec3 tangent, rlti_vec3 director) {
    rlti_v3_put(frame, tangent);
    rlti_v3_put(frame + 3, director);
    rlti_v3_put(frame + 6, rlti_cross(tangent, director));
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

/* The turning angle of a joint from its parts about the directors. */
static double turning(double phi_0, double phi_1) {
    return sqrt(phi_0 * phi_0 + phi_1 * phi_1);
}

/* Strains of the joints less those at rest, over the joints' lengths. */
static void show_joints(rod_solver *s, int strand, rlt_diagnostics *d) {
    int first = s->def.strands->first[strand], count = s->model->strands[strand].points;
    rlti_place at = s->layout.places[strand];
    _Static_assert(RLTI_ROD_STRAINS <= 6, "positions and velocities are of six numbers a point");
    double *strains = &s->work[0].positions->x;
    rlti_implicit_view view = {.strains = strains};
    s->engine->derive(s->tiles[at.tile], at.lane, rod_scratch(s, 0), &view);
    for (int i = 0; i < count; i++) {
        const double *c = s->model->constants[first + i], *now = strains + (size_t)i * RLTI_ROD_STRAINS;
        if (i + 1 == count) { /* a tip has no joint */
            d->twist[first + i] = d->twist[first + i - 1];
            d->curvature[first + i] = d->curvature[first + i - 1];
            break;
        }
        double before = i > 0 ? s->model->constants[first + i - 1][RLTI_ROD_LENGTH] : 0.0;
        double length = 0.5 * (before + c[RLTI_ROD_LENGTH]);
        double turned = turning(now[RLTI_ROD_STRAIN_PHI_0], now[RLTI_ROD_STRAIN_PHI_1]);
        d->twist[first + i] = now[RLTI_ROD_STRAIN_TWIST] / (s->model->coil ? c[RLTI_ROD_LENGTH] : length);
        d->curvature[first + i] = (turned - turning(c[RLTI_ROD_PHI_0], c[RLTI_ROD_PHI_1])) / length;
    }
}

/* Where each frame is: the root's at the root, an edge's in its middle. */
static void show_origins(const rlti_vec3 *points, int count, double *origins) {
    rlti_v3_put(origins, points[0]);
    for (int i = 1; i < count; i++)
        rlti_v3_put(origins + 3 * (size_t)i, rlti_scale(0.5, rlti_add(points[i - 1], points[i])));
}

void rlti_coil_solver_show(rlti_solver *solver, int strand, const rlti_vec3 *points, rlt_diagnostics *d) {
    rod_solver *s = (rod_solver *)solver;
    (void)points;
    show_joints(s, strand, d);
    s->engine->residuals(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane,
                         rod_scratch(s, 0), d->residual + s->def.strands->first[strand]);
}

void rlti_rod_solver_show(rlti_solver *solver, int strand, const rlti_vec3 *points, rlt_diagnostics *d) {
    rod_solver *s = (rod_solver *)solver;
    int first = s->def.strands->first[strand], count = s->model->strands[strand].points;
    double *frames = d->frames + 9 * (size_t)first;
    rlti_vec3 *targets = (rlti_vec3 *)(void *)d->targets + first;
    rlti_rod_solver_frames(solver, strand, frames);
    show_origins(points, count, d->frame_origins + 3 * (size_t)first);
    show_joints(s, strand, d);
    s->engine->residuals(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane,
                         rod_scratch(s, 0), d->residual + first);
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
