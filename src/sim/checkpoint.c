/* The state of a simulation to a checkpoint and back: docs/design/checkpoint.md.
 *
 * Everything goes in the order of the groom, whatever tiles, lanes, threads and ranks there are: a checkpoint
 * of one run can be read by any other. */
#include "ringlet/checkpoint.h"

#include <string.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "base/messages.h"
#include "distribute/ranks.h"
#include "io/inputs.h"
#include "ringlet/ringlet.h"
#include "scene/files.h"
#include "scene/fingerprint.h"
#include "sim/state.h"

static const char inputs_field[] = "inputs"; /* checksums of the files that drive the run */

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

uint64_t rlt_simulation_fingerprint(const rlt_simulation *sim) {
    const uint64_t *sums = NULL;
    int32_t precision = rlti_state_precision(sim);
    int count = 0;
    if (rlti_simulation_contents(sim, NULL, &sums, &count) != RLT_OK)
        return 0;
    uint64_t hash = rlti_checksum(sim->fingerprint, &precision, sizeof precision);
    return rlti_checksum(hash, sums, (size_t)count * sizeof *sums);
}

/* ---- writing ---- */

/* On rank 0, which has everything. First the frames, then the checkpoint that counts on them. */
static rlt_status save_state(const char *path, const rlt_simulation *sim, rlti_state *s, rlt_writer *writer,
                             rlt_messages *messages) {
    rlti_field fields[RLTI_STATE_FIELDS_MAX];
    const uint64_t *sums = NULL;
    int input_count = 0, count = rlti_state_fields(sim, s, fields);
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

/* A checkpoint does not hold what a caller has moved. */
static rlt_status refuse_live(const rlt_simulation *sim, rlt_messages *messages) {
    if (sim->live == NULL)
        return RLT_OK;
    return rlti_refuse(messages,
                       "%s: is live, checkpoints are not for it; use rlt_simulation_save and "
                       "rlt_simulation_load",
                       sim->file);
}

rlt_status rlt_checkpoint_write(const char *path, rlt_simulation *sim, rlt_writer *writer,
                                rlt_messages *messages) {
    rlt_status status = refuse_live(sim, messages);
    if (status == RLT_OK)
        status = rlti_simulation_require_whole(sim, "no checkpoint", messages);
    if (status != RLT_OK) /* on every rank */
        return status;
    rlt_ranks *ranks = rlti_simulation_ranks(sim);
    rlti_state s;
    status = rlti_state_create(sim, &s) ? RLT_OK : rlti_out_of_memory(messages);
    status = rlt_ranks_agree(ranks, status, messages);
    if (status == RLT_OK) {
        rlti_state_take(sim, &s);
        status = rlti_state_gather(sim, &s, messages);
    }
    if (status == RLT_OK) {
        if (rlt_ranks_rank(ranks) == 0)
            status = save_state(path, sim, &s, writer, messages);
        status = rlt_ranks_agree(ranks, status, messages);
    }
    rlti_state_destroy(&s);
    return status;
}

/* ---- reading ---- */

/* Is this a checkpoint of this scene, for this program and precision? */
static rlt_status check_origin(const rlt_simulation *sim, const char *path, const rlti_state *s,
                               rlt_messages *messages) {
    if (memchr(s->version, 0, RLTI_STATE_VERSION) == NULL || strcmp(s->version, rlt_version()) != 0)
        return rlti_refuse(messages,
                           "%s: is a checkpoint of Ringlet %.*s, this is %s, which may give other bytes",
                           path, RLTI_STATE_VERSION, s->version, rlt_version());
    if (s->fingerprint != sim->fingerprint)
        return rlti_refuse(
            messages,
            "%s: is a checkpoint of another scene, or %s has changed since; only the title, "
            "time.last, contacts.margin and health may, and the look where the file does not carry it",
            path, sim->file);
    if (s->precision != rlti_state_precision(sim))
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

static rlt_status check_numbers(const rlt_simulation *sim, const char *path, const rlti_state *s,
                                const rlti_field *fields, int count, rlt_messages *messages) {
    const rlti_time_data *time = &sim->scene->time;
    if (s->frame < time->first - time->preroll)
        return rlti_refuse(messages, "%s: frame %d lies before the scene's start", path, (int)s->frame);
    if (!rlti_state_is_finite(fields, count))
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
static rlt_status load_state(const rlt_simulation *sim, const rlti_checkpoint *file, rlti_state *s,
                             rlt_messages *messages) {
    const char *path = rlti_checkpoint_name(file);
    rlti_field fields[RLTI_STATE_FIELDS_MAX];
    rlt_status status = RLT_OK;
    int count = rlti_state_fields(sim, s, fields);
    for (int f = 0; f < count && status == RLT_OK; f++) {
        if (f == RLTI_STATE_ORIGIN)
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
    rlti_state s = {0};
    rlt_status status = refuse_live(sim, messages);
    if (status == RLT_OK)
        status = load_file(ranks, path, messages, &file);
    if (status == RLT_OK)
        status =
            rlti_state_create(sim, &s) ? load_state(sim, file, &s, messages) : rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = rlti_drive_place_body(sim->drive, s.frame, messages);
    if (status == RLT_OK)
        status = rlti_groom_place_sources(sim->strands, s.frame, messages);
    /* all ranks, or none */
    status = rlt_ranks_agree(ranks, status, messages);
    if (status == RLT_OK) /* the last that can fail */
        status = rlt_ranks_agree(ranks, rlti_contact_state_give(sim->drive, &s.contacts, messages), messages);
    if (status == RLT_OK && s.origins != NULL) /* the second follows from the first */
        rlti_state_give(sim, &s);
    rlti_checkpoint_destroy(file);
    rlti_state_destroy(&s);
    return status;
}
