#include "sim/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "ringlet/ringlet.h"

int rlti_state_fields(const rlt_simulation *sim, rlti_state *s, rlti_field fields[RLTI_STATE_FIELDS_MAX]) {
    long long points = sim->strands->point_count, strands = sim->strands->strand_count;
    int count = 0;
    fields[count++] = (rlti_field){"version", 1, RLTI_STATE_VERSION, s->version};
    fields[count++] = (rlti_field){"fingerprint", 8, 1, &s->fingerprint};
    fields[count++] = (rlti_field){"precision", 4, 1, &s->precision};
    fields[count++] = (rlti_field){"frame", 4, 1, &s->frame};
    fields[count++] = (rlti_field){"origins", 8, strands * 3, s->origins};
    for (int a = 0; a < s->array_count; a++) {
        const rlti_state_field *f = &s->arrays[a].field;
        fields[count++] = (rlti_field){s->arrays[a].name, f->bytes,
                                       points * f->per_point + strands * f->per_strand, s->arrays[a].data};
    }
    return count;
}

static size_t element_bytes(const rlti_state_array *a) {
    return (size_t)a->field.bytes * (size_t)(a->field.per_point + a->field.per_strand);
}

/* A solver's arrays; 0: out of memory. */
static int add_arrays(const rlt_simulation *sim, int index, rlti_state *s) {
    const rlti_solver *solver = sim->solvers[index];
    rlti_state_field fields[RLTI_FIELDS_MAX];
    int count = solver->type->fields(solver, fields), done = 1;
    for (int f = 0; f < count; f++) {
        rlti_state_array *a = &s->arrays[s->array_count++];
        *a = (rlti_state_array){.solver = solver, .field = fields[f], .index = f};
        size_t elements = (size_t)sim->strands->point_count * (size_t)fields[f].per_point +
                          (size_t)sim->strands->strand_count * (size_t)fields[f].per_strand;
        snprintf(a->name, sizeof a->name, "%d.%s", index, fields[f].name);
        a->data = rlti_allocate(elements, (size_t)fields[f].bytes);
        done = done && a->data != NULL;
    }
    return done;
}

int rlti_state_create(const rlt_simulation *sim, rlti_state *s) {
    memset(s, 0, sizeof *s);
    s->origins = RLTI_NEW(rlti_vec3, sim->strands->strand_count);
    int done = rlti_hold_state_create(sim->drive, &s->holds);
    for (int k = 0; k < sim->solver_count; k++)
        done = add_arrays(sim, k, s) && done;
    return done && s->origins != NULL;
}

void rlti_state_destroy(rlti_state *s) {
    for (int a = 0; a < s->array_count; a++)
        rlti_free(s->arrays[a].data);
    rlti_free(s->origins);
    rlti_contact_state_free(&s->contacts);
    rlti_hold_state_free(&s->holds);
}

/* 8: the reference builds, in plain doubles; 4: lanes. The two give other bytes, also where both compute in
 * doubles. */
int32_t rlti_state_precision(const rlt_simulation *sim) {
    return strcmp(sim->statistics.simd, rlt_simd_name(RLT_SIMD_REFERENCE)) == 0 ? 8 : 4;
}

/* Where one strand's part of each array of its solver begins. */
static void list_parts(const rlt_simulation *sim, const rlti_state *s, int strand,
                       void *parts[RLTI_FIELDS_MAX]) {
    for (int i = 0; i < s->array_count; i++) {
        const rlti_state_array *a = &s->arrays[i];
        size_t at = a->field.per_point > 0 ? (size_t)sim->strands->first[strand] : (size_t)strand;
        if (a->solver == rlti_simulation_solver(sim, strand))
            parts[a->index] = a->data + at * element_bytes(a);
    }
}

/* This rank's strands. */
void rlti_state_take(const rlt_simulation *sim, rlti_state *s) {
    memcpy(s->version, rlt_version(), strlen(rlt_version()));
    s->fingerprint = sim->fingerprint;
    s->precision = rlti_state_precision(sim);
    s->frame = sim->frame;
    for (int strand = 0; strand < sim->strands->strand_count; strand++) {
        void *parts[RLTI_FIELDS_MAX] = {0};
        const rlti_solver *solver = rlti_simulation_solver(sim, strand);
        if (!rlti_simulation_is_local(sim, strand))
            continue;
        list_parts(sim, s, strand, parts);
        solver->type->save(solver, strand, parts);
        s->origins[strand] = rlti_drive_origins(sim->drive)[strand];
    }
}

/* Everybody's strands and contacts, on rank 0. */
rlt_status rlti_state_gather(const rlt_simulation *sim, rlti_state *s, rlt_messages *messages) {
    rlti_spread *spread = rlti_drive_spread(sim->drive);
    for (int i = 0; i < s->array_count; i++) {
        const rlti_state_array *a = &s->arrays[i];
        if (a->field.per_point > 0)
            rlti_spread_gather_points(spread, a->data, element_bytes(a));
        else
            rlti_spread_gather_strands(spread, a->data, element_bytes(a));
    }
    rlti_spread_gather_strands(spread, s->origins, sizeof(rlti_vec3));
    rlti_hold_state_take(sim->drive, &s->holds);
    return rlti_contact_state_take(sim->drive, &s->contacts, messages);
}

void rlti_state_give(rlt_simulation *sim, const rlti_state *s) {
    sim->frame = s->frame;
    sim->broken = RLT_OK;
    for (int strand = 0; strand < sim->strands->strand_count; strand++) {
        void *parts[RLTI_FIELDS_MAX] = {0};
        rlti_solver *solver = rlti_simulation_solver(sim, strand);
        if (!rlti_simulation_is_local(sim, strand))
            continue;
        rlti_drive_origins(sim->drive)[strand] = s->origins[strand];
        list_parts(sim, s, strand, parts);
        solver->type->load(solver, strand, (const void *const *)parts);
    }
    rlti_hold_state_give(sim->drive, sim->frame, &s->holds);
    rlti_simulation_show(sim);
    rlti_groom_show_sources(sim->strands);
}

static int all_finite(const void *data, long long count, int real_bytes) {
    const float *floats = data;
    const double *doubles = data;
    for (long long i = 0; i < count; i++)
        if (real_bytes == (int)sizeof(float) ? !isfinite(floats[i]) : !isfinite(doubles[i]))
            return 0;
    return 1;
}

int rlti_state_is_finite(const rlti_field *fields, int count) {
    int finite = 1;
    for (int f = RLTI_STATE_OWN - 1; f < count; f++) /* origins, and all arrays of solvers */
        finite = finite && all_finite(fields[f].data, fields[f].count, fields[f].element);
    return finite;
}
