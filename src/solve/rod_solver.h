/* The Rod as a solver: implicit steps of elastic rods, one strand a lane (docs/design/rod.md). */
#ifndef RLTI_SOLVE_ROD_SOLVER_H
#define RLTI_SOLVE_ROD_SOLVER_H

#include "solve/solver.h"

extern const rlti_solver_type rlti_rod_solver;

#endif
