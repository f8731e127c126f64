/* Keeping the groom from sagging, when a simulation is built. */
#ifndef RLTI_SIM_GROOM_HOLD_H
#define RLTI_SIM_GROOM_HOLD_H

#include "sim/simulation_data.h"

/* Applies hair.sag to the model, with the forces of contacts that the groom has, and tells what was done.
 * After the working memory is made, before the tiles, which copy the model. Collective. */
rlt_status rlti_simulation_hold_groom(rlt_simulation *sim, rlt_messages *messages);

#endif
