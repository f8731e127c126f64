/* Forces of contacts in the last step, for pictures: of points on planes of bodies, by the engine's
 * multipliers, and of the contacts that were solved between hairs and of edges with bodies. */
#include "solve/rod_solver_contacts.h"

static double weight_of(const rod_solver *s, int strand) {
    const double *gravity = s->def.scene->gravity;
    double g = rlti_length(rlti_v3_at(gravity, 0)), mass = 0.0;
    for (int i = s->def.strands->first[strand]; i < s->def.strands->first[strand + 1]; i++)
        mass += s->model->mass[i];
    return mass * (g > 0.0 ? g : 9.81 / s->def.scene->metres_per_unit);
}

/* Of a strand's points. */
static int list_planes(const rod_solver *s, int strand, const rlti_vec3 *points, rlti_contact_force *forces) {
    const rlti_place *at = &s->layout.places[strand];
    int first = s->def.strands->first[strand], count = s->def.strands->first[strand + 1] - first, slips;
    int pressing = 0;
    rlti_vec3 force;
    for (int j = 0; j < RLTI_IMPLICIT_SIDES * count; j++) {
        if (!s->engine->get_pressing(s->tiles[at->tile], at->lane, j, &force, &slips))
            continue;
        rlti_vec3 place = points[first + j / RLTI_IMPLICIT_SIDES];
        if (forces != NULL)
            forces[pressing] = (rlti_contact_force){.place = place,
                                                    .other = place,
                                                    .force = rlti_scale(1.0 / weight_of(s, strand), force),
                                                    .slips = slips};
        pressing++;
    }
    return pressing;
}

static rlti_vec3 on_edge(const rod_solver *s, const rlti_couple_contact *c, int side,
                         const rlti_vec3 *points) {
    const rlti_vec3 *p = points + s->def.strands->first[c->strand[side]] + c->edge[side];
    return rlti_madd(p[0], c->share[side], rlti_sub(p[1], p[0]));
}

int rlti_rod_solver_forces(const rlti_solver *solver, const rlti_vec3 *points, rlti_contact_force *forces) {
    const rod_solver *s = (const rod_solver *)solver;
    int count = 0;
    for (int strand = 0; strand < s->def.strands->strand_count; strand++)
        if (s->layout.places[strand].tile >= 0)
            count += list_planes(s, strand, points, forces != NULL ? forces + count : NULL);
    for (int k = 0; s->contacts != NULL && k < s->contacts->count; k++) {
        const rlti_couple_contact *c = &s->contacts->list[k];
        if (!(rlti_dot(c->force, c->normal) > 0.0))
            continue;
        rlti_vec3 place = on_edge(s, c, 0, points);
        if (forces != NULL)
            forces[count] =
                (rlti_contact_force){.place = place,
                                     .other = c->strand[1] < 0 ? place : on_edge(s, c, 1, points),
                                     .force = rlti_scale(1.0 / weight_of(s, c->strand[0]), c->force),
                                     .slips = c->state == RLTI_CONTACT_SLIP};
        count++;
    }
    return count;
}
