/* The list of strand models. */
#include <string.h>

#include "solve/kernel.h"
#include "solve/solver.h"
#include "solve/taz_solver.h"

static const rlti_solver_type *const own[] = {&rlti_taz_solver};
enum { OWN = sizeof own / sizeof own[0] };

/* A definition elsewhere takes its place. */
__attribute__((weak)) const rlti_solver_type *const rlti_more_solvers[] = {NULL};

const rlti_solver_type *rlti_solver_type_at(int index) {
    int more = 0;
    if (index < OWN)
        return own[index];
    while (rlti_more_solvers[more] != NULL && more < index - OWN)
        more++;
    return rlti_more_solvers[more];
}

const rlti_solver_type *rlti_solver_find(const char *name) {
    const rlti_solver_type *type = NULL;
    for (int i = 0; (type = rlti_solver_type_at(i)) != NULL && strcmp(type->name, name) != 0;)
        i++;
    return type;
}

const rlti_spring_lanes *rlti_solver_springs(rlt_simd simd) {
    const rlti_kernel *kernel = rlti_kernel_select(simd);
    return kernel != NULL ? &kernel->springs : NULL;
}

rlt_simd rlti_solver_simd(rlt_simd simd) {
    const rlti_kernel *kernel = rlti_kernel_select(simd);
    return kernel != NULL ? kernel->simd : simd;
}
