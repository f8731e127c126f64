/* Masses and stiffness of hair in SI units, for files that state them. */
#include "base/memory.h"
#include "base/messages.h"
#include "model/rod_material.h"
#include "scene/readers.h"
#include "sim/simulation_data.h"

static const double pi = 3.14159265358979323846;
static const double default_radius = 40e-6, default_density = 1320.0; /* [m], [kg/m^3]: rod_material.c */

/* One strand. A mass of 1 is that of a unit of default hair. */
static void measure_strand(const rlt_simulation *sim, int strand, double *scratch, double *physics) {
    const rlti_strands *strands = sim->strands;
    const rlti_hair_data *hair = &sim->scene->hair[strands->hair[strand]];
    int first = strands->first[strand], end = strands->first[strand + 1];
    int has_stiffness = rlti_hair_reads(hair, "hair.rod.young");
    double u = sim->scene->metres_per_unit, line = pi * default_radius * default_radius * default_density;
    double length = rlti_points_length(strands->points + first, end - first), along = 0.0;
    rlti_rod_curl curl = {0};
    if (has_stiffness && hair->rod.converted)
        curl = rlti_rod_curl_of(strands, strand, hair, scratch);
    for (int p = first; p < end; p++) {
        double *to = physics + (size_t)p * RLT_PHYSICS_COUNT;
        double before = p > first ? rlti_length(rlti_sub(strands->points[p], strands->points[p - 1])) : 0.0,
               after = p + 1 < end ? rlti_length(rlti_sub(strands->points[p + 1], strands->points[p])) : 0.0;
        along += before;
        double position = length > 0.0 ? along / length : 0.0;
        double mass = rlti_strands_value(strands, &hair->mass, p, position), radius = 1e6 * default_radius;
        if (has_stiffness) {
            rlti_rod_material m = rlti_rod_material_at(sim->scene, strands, hair, &curl, p, 0, position);
            mass = m.mass;
            if (!hair->rod.converted)
                radius = rlti_strands_value(strands, &hair->rod.radius, p, position);
            to[RLT_PHYSICS_STRETCH] = m.stretch * line * u * u;
            to[RLT_PHYSICS_BEND] = 0.5 * (m.bend_0 + m.bend_1) * line * u * u * u * u;
            to[RLT_PHYSICS_TWIST] = m.twist * line * u * u * u * u;
        }
        to[RLT_PHYSICS_MASS] = mass * line * 0.5 * (before + after) * u;
        to[RLT_PHYSICS_RADIUS] = 1e-6 * radius;
    }
}

rlt_status rlt_simulation_physics(const rlt_simulation *sim, rlt_messages *messages, double *physics) {
    const rlti_strands *strands = sim->strands;
    double *scratch = RLTI_NEW(double, strands->point_count);
    if (scratch == NULL)
        return rlti_out_of_memory(messages);
    for (size_t i = 0; i < (size_t)strands->point_count * RLT_PHYSICS_COUNT; i++)
        physics[i] = 0.0;
    for (int s = 0; s < strands->strand_count; s++)
        measure_strand(sim, s, scratch, physics);
    rlti_free(scratch);
    return RLT_OK;
}
