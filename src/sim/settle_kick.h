/* A small kick for strands whose equilibrium nothing else can check: do they come back? */
#ifndef RLTI_SIM_SETTLE_KICK_H
#define RLTI_SIM_SETTLE_KICK_H

#include "shape/sag.h"
#include "sim/simulation_data.h"

/* Kicks the worst of the strands that hair.sag.check could not judge (stable = 2), some of each section, in a
 * trial of their own solver, and says so in their results. `loads` press on them all the while; NULL: none.
 * Collective; the same strands for any number of ranks. Fails only when out of memory. */
rlt_status rlti_simulation_kick_groom(rlt_simulation *sim, const rlti_vec3 *loads, rlti_sag_result *results,
                                      rlt_messages *messages);

#endif
