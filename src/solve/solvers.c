/* The list of strand models. */
#include <string.h>

#include "solve/kernel.h"
#include "solve/rod_solver.h"
#include "solve/solver.h"
#include "solve/taz_solver.h"

static const rlti_solver_type *const own[] = {&rlti_taz_solver, &rlti_rod_solver, &rlti_coil_solver};
enum { OWN = sizeof own / sizeof own[0] };

/* A definition elsewhere takes its place. */
__attribute__((weak)) const rlti_solver_type *rlti_more_solvers(int index) {
    (void)index;
    return NULL;
}

const rlti_solver_type *rlti_solver_type_at(int index) {
    return index < OWN ? own[index] : rlti_more_solvers(index - OWN);
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

rlti_solver_cost rlti_solver_cost_of(const rlti_solver *solver) {
    const rlti_solver_cost unknown = {.lanes = 1};
    return solver->type->cost != NULL ? solver->type->cost(solver) : unknown;
}

uint64_t rlti_solver_checksum(const rlti_solver *solver, uint64_t hash) {
    return solver->type->checksum != NULL ? solver->type->checksum(solver, hash) : hash;
}

double rlti_solver_shortest_step(const rlti_solver *solver, double outer_step) {
    return solver->type->shortest_step != NULL ? solver->type->shortest_step(solver) : outer_step;
}
