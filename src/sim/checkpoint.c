/* The state of a simulation to a checkpoint and back: docs/design/checkpoint.md.
 *
 * Everything goes in the order of the groom, whatever tiles, lanes, threads and ranks there are: a checkpoint
 * of one run can be read by any other. */
#include "ringlet/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "base/messages.h"
#include "distribute/ranks.h"
#include "drive/contact_state.h"
#include "drive/hold_state.h"
#include "io/checkpoint.h"
#include "io/inputs.h"
#include "ringlet/ringlet.h"
#include "scene/files.h"
#include "scene/fingerprint.h"
#include "sim/simulation_data.h"

#define VERSION_MAX 32
#define NAME_MAX    16 /* io/checkpoint.h */

/* One array of a solver's state over the whole groom; "0.positions" is the first solver's. */
typedef struct array {
    const rlti_solver *solver;
    rlti_state_field field;
    int index; /* of the field in its solver's list */
    char name[NAME_MAX];
    char *data;
} array;

enum {
    ORIGIN_FIELDS = 3, /* say whether the rest can be used at all */
    OWN_FIELDS = 5,
    ARRAYS_MAX = RLTI_SOLVERS_MAX * RLTI_FIELDS_MAX,
    FIELDS_MAX = OWN_FIELDS + ARRAYS_MAX + RLTI_CONTACT_FIELDS + RLTI_HOLD_FIELDS + RLTI_MARKED_FIELDS + 1
};

/* All that changes, as one checkpoint holds it. */
typedef struct state {
    char version[VERSION_MAX]; /* of the library: another one may give other bytes */
    uint64_t fingerprint;      /* of the scene and what was built from it */
    int32_t precision;         /* 8: by the reference builds; 4: by lanes */
    int32_t frame;
    rlti_vec3 *origins; /* [strand_count] world [unit] */
    int array_count;
    array arrays[ARRAYS_MAX];
    rlti_contact_state contacts;
    rlti_hold_state holds;
} state;

static const char inputs_field[] = "inputs"; /* checksums of the files that drive the run */

/* The one list of what a checkpoint holds, but for contacts, holds and the writer, which have lists of their
 * own: saving and loading both follow it. Returns how many. */
static int list_fields(const rlt_simulation *sim, state *s, rlti_field fields[FIELDS_MAX]) {
    long long points = sim->strands->point_count, strands = sim->strands->strand_count;
    int count = 0;
    fields[count++] = (rlti_field){"version", 1, VERSION_MAX, s->version};
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

static size_t element_bytes(const array *a) {
    return (size_t)a->field.bytes * (size_t)(a->field.per_point + a->field.per_strand);
}

/* A solver's arrays; 0: out of memory. */
static int add_arrays(const rlt_simulation *sim, int index, state *s) {
    const rlti_solver *solver = sim->solvers[index];
    rlti_state_field fields[RLTI_FIELDS_MAX];
    int count = solver->type->fields(solver, fields), done = 1;
    for (int f = 0; f < count; f++) {
        array *a = &s->arrays[s->array_count++];
        *a = (array){.solver = solver, .field = fields[f], .index = f};
        size_t elements = (size_t)sim->strands->point_count * (size_t)fields[f].per_point +
                          (size_t)sim->strands->strand_count * (size_t)fields[f].per_strand;
        snprintf(a->name, sizeof a->name, "%d.%s", index, fields[f].name);
        a->data = rlti_allocate(elements, (size_t)fields[f].bytes);
        done = done && a->data != NULL;
    }
    return done;
}

static int create_state(const rlt_simulation *sim, state *s) {
    memset(s, 0, sizeof *s);
    s->origins = RLTI_NEW(rlti_vec3, sim->strands->strand_count);
    int done = rlti_hold_state_create(sim->drive, &s->holds);
    for (int k = 0; k < sim->solver_count; k++)
        done = add_arrays(sim, k, s) && done;
    return done && s->origins != NULL;
}

static void destroy_state(state *s) {
    for (int a = 0; a < s->array_count; a++)
        rlti_free(s->arrays[a].data);
    rlti_free(s->origins);
    rlti_contact_state_free(&s->contacts);
    rlti_hold_state_free(&s->holds);
}

/* The scene's values, and what the groom and the models made of them. */
uint64_t rlti_simulation_fingerprint(const rlt_simulation *sim) {
    uint64_t hash = rlti_scene_fingerprint(sim->scene) ^ rlti_drive_checksum(sim->drive);
    hash = rlti_checksum(hash, sim->strands->first, ((size_t)sim->strands->strand_count + 1) * sizeof(int));
    hash = rlti_checksum(hash, sim->strands->points, (size_t)sim->strands->point_count * sizeof(rlti_vec3));
    hash = rlti_matter_checksum(sim->matter, hash);
    for (int k = 0; k < sim->solver_count; k++)
        hash = rlti_solver_checksum(sim->solvers[k], hash);
    return hash;
}

/* 8: the reference builds, in plain doubles; 4: lanes. The two give other bytes, also where both compute in
 * doubles. */
static int32_t precision_of(const rlt_simulation *sim) {
    return strcmp(sim->statistics.simd, rlt_simd_name(RLT_SIMD_REFERENCE)) == 0 ? 8 : 4;
}

uint64_t rlt_simulation_fingerprint(const rlt_simulation *sim) {
    const uint64_t *sums = NULL;
    int32_t precision = precision_of(sim);
    int count = 0;
    if (rlti_simulation_contents(sim, NULL, &sums, &count) != RLT_OK)
        return 0;
    uint64_t hash = rlti_checksum(sim->fingerprint, &precision, sizeof precision);
    return rlti_checksum(hash, sums, (size_t)count * sizeof *sums);
}

/* Where one strand's part of each array of its solver begins. */
static void list_parts(const rlt_simulation *sim, const state *s, int strand, void *parts[RLTI_FIELDS_MAX]) {
    for (int i = 0; i < s->array_count; i++) {
        const array *a = &s->arrays[i];
        size_t at = a->field.per_point > 0 ? (size_t)sim->strands->first[strand] : (size_t)strand;
        if (a->solver == rlti_simulation_solver(sim, strand))
            parts[a->index] = a->data + at * element_bytes(a);
    }
}

/* This rank's strands. */
static void take_state(const rlt_simulation *sim, state *s) {
    memcpy(s->version, rlt_version(), strlen(rlt_version()));
    s->fingerprint = sim->fingerprint;
    s->precision = precision_of(sim);
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
static rlt_status gather_state(const rlt_simulation *sim, state *s, rlt_messages *messages) {
    rlti_spread *spread = rlti_drive_spread(sim->drive);
    for (int i = 0; i < s->array_count; i++) {
        const array *a = &s->arrays[i];
        if (a->field.per_point > 0)
            rlti_spread_gather_points(spread, a->data, element_bytes(a));
        else
            rlti_spread_gather_strands(spread, a->data, element_bytes(a));
    }
    rlti_spread_gather_strands(spread, s->origins, sizeof(rlti_vec3));
    rlti_hold_state_take(sim->drive, &s->holds);
    return rlti_contact_state_take(sim->drive, &s->contacts, messages);
}

static void give_state(rlt_simulation *sim, const state *s) {
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

/* ---- writing ---- */

/* On rank 0, which has everything. First the frames, then the checkpoint that counts on them. */
static rlt_status save_state(const char *path, const rlt_simulation *sim, state *s, rlt_writer *writer,
                             rlt_messages *messages) {
    rlti_field fields[FIELDS_MAX];
    const uint64_t *sums = NULL;
    int input_count = 0, count = list_fields(sim, s, fields);
    rlt_status read = rlti_simulation_contents(sim, messages, &sums, &input_count);
    if (read != RLT_OK)
        return read;
    rlti_contact_fields(&s->contacts, fields + count);
    count += RLTI_CONTACT_FIELDS;
    rlti_hold_fields(sim->drive, &s->holds, fields + count);
    count += RLTI_HOLD_FIELDS;
    fields[count++] = (rlti_field){inputs_field, 8, input_count, (void *)sums};
    if (writer != NULL) {
        rlti_marked *marked = (rlti_marked *)writer; /* it begins with that */
        rlt_status status = marked->mark(marked, fields + count, messages);
        if (status != RLT_OK)
            return status;
        count += RLTI_MARKED_FIELDS;
    }
    return rlti_checkpoint_save(path, fields, count, messages);
}

rlt_status rlt_checkpoint_write(const char *path, rlt_simulation *sim, rlt_writer *writer,
                                rlt_messages *messages) {
    rlt_status status = rlti_simulation_require_whole(sim, "no checkpoint", messages);
    if (status != RLT_OK) /* on every rank */
        return status;
    rlt_ranks *ranks = rlti_simulation_ranks(sim);
    state s;
    status = create_state(sim, &s) ? RLT_OK : rlti_out_of_memory(messages);
    status = rlt_ranks_agree(ranks, status, messages);
    if (status == RLT_OK) {
        take_state(sim, &s);
        status = gather_state(sim, &s, messages);
    }
    if (status == RLT_OK) {
        if (rlt_ranks_rank(ranks) == 0)
            status = save_state(path, sim, &s, writer, messages);
        status = rlt_ranks_agree(ranks, status, messages);
    }
    destroy_state(&s);
    return status;
}

/* ---- reading ---- */

static int all_finite(const void *data, long long count, int real_bytes) {
    const float *floats = data;
    const double *doubles = data;
    for (long long i = 0; i < count; i++)
        if (real_bytes == (int)sizeof(float) ? !isfinite(floats[i]) : !isfinite(doubles[i]))
            return 0;
    return 1;
}

/* Is this a checkpoint of this scene, for this program and precision? */
static rlt_status check_origin(const rlt_simulation *sim, const char *path, const state *s,
                               rlt_messages *messages) {
    if (memchr(s->version, 0, VERSION_MAX) == NULL || strcmp(s->version, rlt_version()) != 0)
        return rlti_refuse(messages,
                           "%s: is a checkpoint of Ringlet %.*s, this is %s, which may give other bytes",
                           path, VERSION_MAX, s->version, rlt_version());
    if (s->fingerprint != sim->fingerprint)
        return rlti_refuse(messages,
                           "%s: is a checkpoint of another scene, or %s has changed since; only the title, "
                           "time.last, contacts.margin, health, hair.fill, hair.look and render may",
                           path, sim->file);
    if (s->precision != precision_of(sim))
        return rlti_refuse(
            messages,
            "%s: was made %s the double-precision reference build (--simd reference), and this run is %s it",
            path, s->precision == 8 ? "with" : "without", s->precision == 8 ? "without" : "with");
    return RLT_OK;
}

rlt_status rlti_simulation_contents(const rlt_simulation *sim, rlt_messages *messages, const uint64_t **sums,
                                    int *count) {
    return rlti_inputs_contents(rlti_files_inputs(rlti_body_files(sim->body)), messages, sums, count);
}

/* Do the files that drive the run hold what they did? Rank 0 asks for all. */
static rlt_status check_inputs(const rlt_simulation *sim, const rlti_checkpoint *file,
                               rlt_messages *messages) {
    const char *path = rlti_checkpoint_name(file);
    const uint64_t *sums = NULL;
    int count = 0, same = 0;
    if (rlt_ranks_rank(rlti_simulation_ranks(sim)) != 0)
        return RLT_OK;
    rlt_status status = rlti_simulation_contents(sim, messages, &sums, &count);
    long long saved = rlti_checkpoint_count(file, inputs_field, 8);
    if (status == RLT_OK && saved != count)
        return rlti_refuse(
            messages,
            "%s: was made with %lld files of bodies and grooms, now there are %d; without --resume "
            "the run starts over",
            path, saved < 0 ? 0 : saved, count);
    uint64_t *before = RLTI_NEW(uint64_t, count);
    if (status == RLT_OK && before == NULL)
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = rlti_checkpoint_get(file, &(rlti_field){inputs_field, 8, count, before}, messages);
    while (status == RLT_OK && same < count && sums[same] == before[same])
        same++;
    rlti_free(before);
    if (status == RLT_OK && same < count)
        status = rlti_refuse(
            messages,
            "%s: has changed since the checkpoint %s was made; put the old one back, or start over "
            "without --resume",
            rlti_inputs_driver(rlt_simulation_inputs(sim), same), path);
    return status;
}

static rlt_status check_numbers(const rlt_simulation *sim, const char *path, const state *s,
                                const rlti_field *fields, int count, rlt_messages *messages) {
    const rlti_time_data *time = &sim->scene->time;
    int finite = 1;
    if (s->frame < time->first - time->preroll)
        return rlti_refuse(messages, "%s: frame %d lies before the scene's start", path, (int)s->frame);
    for (int f = OWN_FIELDS - 1; f < count; f++) /* origins, and all arrays of solvers */
        finite = finite && all_finite(fields[f].data, fields[f].count, fields[f].element);
    if (!finite)
        return rlti_refuse(messages, "%s: a number is not finite", path);
    return RLT_OK;
}

/* Rank 0 reads the file and sends it to the others, whose machines may not see it. Collective. */
static rlt_status load_file(rlt_ranks *ranks, const char *path, rlt_messages *messages,
                            rlti_checkpoint **file) {
    int leads = rlt_ranks_rank(ranks) == 0;
    rlt_status status =
        rlt_ranks_agree(ranks, leads ? rlti_checkpoint_load(path, messages, file) : RLT_OK, messages);
    if (status != RLT_OK || rlt_ranks_count(ranks) == 1)
        return status;
    size_t size = 0;
    void *bytes = leads ? rlti_checkpoint_bytes(*file, &size) : NULL;
    rlti_ranks_broadcast(ranks, &size, sizeof size);
    void *copy = leads ? NULL : rlti_allocate(size, 1);
    int done = leads || copy != NULL;
    status = rlt_ranks_agree(ranks, done ? RLT_OK : rlti_out_of_memory(messages), messages);
    if (status == RLT_OK) {
        rlti_ranks_broadcast(ranks, leads ? bytes : copy, size);
        status = leads ? RLT_OK : rlti_checkpoint_parse(path, copy, size, messages, file);
    }
    rlti_free(copy);
    return status;
}

/* Loads all fields of the file, checked. */
static rlt_status load_state(const rlt_simulation *sim, const rlti_checkpoint *file, state *s,
                             rlt_messages *messages) {
    const char *path = rlti_checkpoint_name(file);
    rlti_field fields[FIELDS_MAX];
    rlt_status status = RLT_OK;
    int count = list_fields(sim, s, fields);
    for (int f = 0; f < count && status == RLT_OK; f++) {
        if (f == ORIGIN_FIELDS)
            status = check_origin(sim, path, s, messages);
        if (status == RLT_OK)
            status = rlti_checkpoint_get(file, &fields[f], messages);
    }
    if (status == RLT_OK)
        status = check_inputs(sim, file, messages);
    if (status == RLT_OK)
        status = rlti_contact_state_load(sim->drive, file, &s->contacts, messages);
    if (status == RLT_OK)
        status = rlti_hold_state_load(sim->drive, file, &s->holds, messages);
    if (status == RLT_OK)
        status = check_numbers(sim, path, s, fields, count, messages);
    return status;
}

rlt_status rlt_checkpoint_read(const char *path, rlt_simulation *sim, rlt_messages *messages) {
    rlt_ranks *ranks = rlti_simulation_ranks(sim);
    rlti_checkpoint *file = NULL;
    state s = {0};
    rlt_status status = load_file(ranks, path, messages, &file);
    if (status == RLT_OK)
        status = create_state(sim, &s) ? load_state(sim, file, &s, messages) : rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = rlti_drive_place_body(sim->drive, s.frame, messages);
    if (status == RLT_OK)
        status = rlti_groom_place_sources(sim->strands, s.frame, messages);
    /* all ranks, or none */
    status = rlt_ranks_agree(ranks, status, messages);
    if (status == RLT_OK) /* the last that can fail */
        status = rlt_ranks_agree(ranks, rlti_contact_state_give(sim->drive, &s.contacts, messages), messages);
    if (status == RLT_OK && s.origins != NULL) /* the second follows from the first */
        give_state(sim, &s);
    rlti_checkpoint_destroy(file);
    destroy_state(&s);
    return status;
}
