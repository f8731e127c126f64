/* Keeping the groom from sagging, when a simulation is built. */
#ifndef RLTI_SIM_SETTLE_H
#define RLTI_SIM_SETTLE_H

#include "sim/simulation_data.h"

/* Applies hair.sag, with the forces of contacts that the groom has, and reports what was done. After the
 * drive is made, before the solvers' state, which follows from their constants. Collective. */
rlt_status rlti_simulation_settle(rlt_simulation *sim, rlt_messages *messages);

#endif
