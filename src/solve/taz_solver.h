/* The Taz strand as a solver: explicit nested steps, sixteen strands to a block, one strand a lane. */
#ifndef RLTI_SOLVE_TAZ_SOLVER_H
#define RLTI_SOLVE_TAZ_SOLVER_H

#include "solve/solver.h"

extern const rlti_solver_type rlti_taz_solver;

#endif
