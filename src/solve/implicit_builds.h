/* The builds of the implicit engine that exist. */
#ifndef RLTI_SOLVE_IMPLICIT_BUILDS_H
#define RLTI_SOLVE_IMPLICIT_BUILDS_H

#include "solve/implicit.h"

extern const rlti_implicit rlti_implicit_avx512;
extern const rlti_implicit rlti_implicit_avx2;
extern const rlti_implicit rlti_implicit_portable;
extern const rlti_implicit rlti_implicit_reference;

#endif
