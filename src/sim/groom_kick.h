/* A small kick for strands whose equilibrium nothing else can look at: do they come back? */
#ifndef RLTI_SIM_GROOM_KICK_H
#define RLTI_SIM_GROOM_KICK_H

#include "shape/sag.h"
#include "sim/simulation_data.h"

/* Kicks the worst of the strands that hair.sag.check could not look at (stable = 2), some of each section, in
 * the step kernel itself, and says so in their results. `loads` as in rlti_sag_def. Collective; the same
 * strands for any number of ranks. Fails only when out of memory. */
rlt_status rlti_simulation_kick_groom(rlt_simulation *sim, const rlti_vec3 *loads, rlti_sag_result *results,
                                      rlt_messages *messages);

#endif
