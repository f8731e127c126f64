/* Changing the state from outside. */
#include "sim/simulation_data.h"

void rlt_simulation_kick(rlt_simulation *sim, const double velocity[3]) {
    rlti_vec3 more = rlti_v3(velocity[0], velocity[1], velocity[2]);
    for (int tile = 0; tile < sim->layout.tile_count; tile++)
        for (int i = sim->layout.first[tile]; i < sim->layout.first[tile + 1]; i++) {
            int s = sim->layout.order[i], first = sim->strands->first[s], lane = i - sim->layout.first[tile];
            sim->kernel->get_state(sim->tiles[tile], lane, sim->points + first, sim->velocities + first);
            for (int p = first + 1; p < sim->strands->first[s + 1]; p++)
                sim->velocities[p] = rlti_add(sim->velocities[p], more);
            sim->kernel->set_state(sim->tiles[tile], lane, sim->points + first, sim->velocities + first);
        }
    rlti_simulation_show(sim);
}
