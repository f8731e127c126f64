/* The Rod as a solver: implicit steps of elastic rods, one strand a lane (docs/design/rod.md). */
#ifndef RLTI_SOLVE_ROD_SOLVER_H
#define RLTI_SOLVE_ROD_SOLVER_H

#include "solve/solver.h"

extern const rlti_solver_type rlti_rod_solver;
/* The Coil in its place (docs/design/coil.md): other constants and another energy, all else alike. */
extern const rlti_solver_type rlti_coil_solver;

#endif
