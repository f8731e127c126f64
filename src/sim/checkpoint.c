/* The state of a simulation to a checkpoint and back: docs/design/checkpoint.md.
 *
 * Everything goes in the order of the groom, whatever tiles, lanes, threads and ranks there are: a checkpoint
 * of one run can be read by any other. */
#include "ringlet/checkpoint.h"

#include <math.h>
#include <string.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "base/messages.h"
#include "distribute/ranks.h"
#include "formats/writer_state.h"
#include "io/checkpoint.h"
#include "ringlet/ringlet.h"
#include "scene/fingerprint.h"
#include "sim/contact_state.h"
#include "sim/hold_state.h"

/* Real numbers of each, as in kernel.h. */
#define POSITION_REALS ((size_t)6) /* high, low */
#define VELOCITY_REALS ((size_t)3)
#define ROOT_REALS     ((size_t)6) /* direction, normal */
#define VERSION_MAX    32

/* All that changes, as one checkpoint holds it. */
typedef struct state {
    char version[VERSION_MAX]; /* of the library: another one may give other bytes */
    uint64_t fingerprint;      /* of the scene and what was built from it */
    int32_t precision;         /* bytes of a real number */
    int32_t frame;
    char *positions;    /* [point_count][6] real */
    char *velocities;   /* [point_count][3] real */
    char *roots;        /* [strand_count][6] real */
    rlti_vec3 *origins; /* [strand_count] world [unit] */
    rlti_contact_state contacts;
    rlti_hold_state holds;
} state;

/* The one list of what a checkpoint holds: saving and loading both go by it. Those before STATE_ARRAYS say
 * whether the rest can be used at all. */
enum { STATE_ARRAYS = 4, STATE_FIELDS = 8 };

static void list_fields(const rlt_simulation *sim, state *s, rlti_field fields[STATE_FIELDS]) {
    long long points = sim->model->point_count, strands = sim->model->strand_count;
    int real = sim->kernel->real_bytes;
    const rlti_field all[STATE_FIELDS] = {
        {"version", 1, VERSION_MAX, s->version},
        {"fingerprint", 8, 1, &s->fingerprint},
        {"precision", 4, 1, &s->precision},
        {"frame", 4, 1, &s->frame},
        {"positions", real, points * (long long)POSITION_REALS, s->positions},
        {"velocities", real, points * (long long)VELOCITY_REALS, s->velocities},
        {"roots", real, strands * (long long)ROOT_REALS, s->roots},
        {"origins", 8, strands * 3, s->origins},
    };
    memcpy(fields, all, sizeof all);
}

static int create_state(const rlt_simulation *sim, state *s) {
    size_t real = (size_t)sim->kernel->real_bytes;
    memset(s, 0, sizeof *s);
    s->positions = rlti_allocate((size_t)sim->model->point_count * POSITION_REALS, real);
    s->velocities = rlti_allocate((size_t)sim->model->point_count * VELOCITY_REALS, real);
    s->roots = rlti_allocate((size_t)sim->model->strand_count * ROOT_REALS, real);
    s->origins = RLTI_NEW(rlti_vec3, sim->model->strand_count);
    int held = rlti_hold_state_create(sim, &s->holds);
    return held && s->positions != NULL && s->velocities != NULL && s->roots != NULL && s->origins != NULL;
}

static void destroy_state(state *s) {
    rlti_free(s->positions);
    rlti_free(s->velocities);
    rlti_free(s->roots);
    rlti_free(s->origins);
    rlti_contact_state_free(&s->contacts);
    rlti_hold_state_free(&s->holds);
}

/* The scene's values, and what the groom and the model made of them. */
uint64_t rlti_simulation_fingerprint(const rlt_simulation *sim) {
    const rlti_taz_model *m = sim->model;
    const double *const arrays[] = {m->mass,    m->drag,      m->rest,         m->stretch_k, m->stretch_c,
                                    m->bend_k,  m->bend_c,    m->core_k,       m->core_dk,   m->core_c,
                                    m->core_dc, m->core_rest, &m->target[0][0]};
    size_t points = (size_t)m->point_count, count = sizeof arrays / sizeof arrays[0];
    uint64_t hash = rlti_scene_fingerprint(sim->scene) ^ rlti_colliders_checksum(sim->colliders);
    hash = rlti_checksum(hash, sim->strands->first, ((size_t)m->strand_count + 1) * sizeof(int));
    hash = rlti_checksum(hash, sim->strands->points, points * sizeof(rlti_vec3));
    for (size_t a = 0; a < count; a++)
        hash = rlti_checksum(hash, arrays[a], (a + 1 < count ? 1 : 3) * points * sizeof(double));
    return hash;
}

/* Where one strand's numbers stand. */
typedef struct place {
    char *positions, *velocities, *root;
} place;

static place place_of(const rlt_simulation *sim, const state *s, int strand) {
    size_t real = (size_t)sim->kernel->real_bytes, first = (size_t)sim->strands->first[strand];
    place at = {s->positions + first * POSITION_REALS * real, s->velocities + first * VELOCITY_REALS * real,
                s->roots + (size_t)strand * ROOT_REALS * real};
    return at;
}

/* This rank's strands. */
static void take_state(const rlt_simulation *sim, state *s) {
    memcpy(s->version, rlt_version(), strlen(rlt_version()));
    s->fingerprint = sim->fingerprint;
    s->precision = sim->kernel->real_bytes;
    s->frame = sim->frame;
    for (int t = 0; t < sim->layout.tile_count; t++)
        for (int i = sim->layout.first[t]; i < sim->layout.first[t + 1]; i++) {
            int strand = sim->layout.order[i];
            place at = place_of(sim, s, strand);
            sim->kernel->save(sim->tiles[t], i - sim->layout.first[t], at.positions, at.velocities, at.root);
            s->origins[strand] = sim->origins[strand];
        }
}

/* Everybody's strands and contacts, on rank 0. */
static rlt_status gather_state(const rlt_simulation *sim, state *s, rlt_messages *messages) {
    size_t real = (size_t)sim->kernel->real_bytes;
    rlti_spread_gather_points(sim->spread, s->positions, POSITION_REALS * real);
    rlti_spread_gather_points(sim->spread, s->velocities, VELOCITY_REALS * real);
    rlti_spread_gather_strands(sim->spread, s->roots, ROOT_REALS * real);
    rlti_spread_gather_strands(sim->spread, s->origins, sizeof(rlti_vec3));
    rlti_hold_state_take(sim, &s->holds);
    return rlti_contact_state_take(sim, &s->contacts, messages);
}

static void give_state(rlt_simulation *sim, const state *s) {
    sim->frame = s->frame;
    sim->diverged = 0;
    for (int t = 0; t < sim->layout.tile_count; t++)
        for (int i = sim->layout.first[t]; i < sim->layout.first[t + 1]; i++) {
            int strand = sim->layout.order[i];
            sim->origins[strand] = s->origins[strand];
            place at = place_of(sim, s, strand);
            sim->kernel->load(sim->tiles[t], i - sim->layout.first[t], at.positions, at.velocities, at.root);
        }
    rlti_hold_state_give(sim, &s->holds);
    rlti_simulation_show(sim);
}

/* ---- writing ---- */

/* On rank 0, which has everything. First the frames, then the checkpoint that counts on them. */
static rlt_status save_state(const char *path, const rlt_simulation *sim, state *s, rlt_writer *writer,
                             rlt_messages *messages) {
    rlti_field fields[STATE_FIELDS + RLTI_CONTACT_FIELDS + RLTI_HOLD_FIELDS + RLTI_WRITER_FIELDS];
    rlti_writer_state written;
    int count = STATE_FIELDS + RLTI_CONTACT_FIELDS + RLTI_HOLD_FIELDS;
    list_fields(sim, s, fields);
    rlti_contact_fields(&s->contacts, fields + STATE_FIELDS);
    rlti_hold_fields(sim, &s->holds, fields + STATE_FIELDS + RLTI_CONTACT_FIELDS);
    if (writer != NULL) {
        rlt_status status = rlti_writer_mark(writer, &written, messages);
        if (status != RLT_OK)
            return status;
        rlti_writer_fields(&written, fields + count);
        count += RLTI_WRITER_FIELDS;
    }
    return rlti_checkpoint_save(path, fields, count, messages);
}

rlt_status rlt_checkpoint_write(const char *path, rlt_simulation *sim, rlt_writer *writer,
                                rlt_messages *messages) {
    if (sim->diverged) /* on every rank */
        return rlti_fail(messages, RLT_DIVERGED, "%s: no checkpoint: the simulation has diverged", sim->file);
    rlt_ranks *ranks = rlti_spread_handle(sim->spread);
    state s;
    rlt_status status = create_state(sim, &s) ? RLT_OK : rlti_out_of_memory(messages);
    status = rlt_ranks_agree(ranks, status, messages);
    if (status == RLT_OK) {
        take_state(sim, &s);
        status = gather_state(sim, &s, messages);
    }
    if (status == RLT_OK) {
        if (rlti_spread_rank(sim->spread) == 0)
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
        return rlti_fail(messages, RLT_BAD_INPUT,
                         "%s: is a checkpoint of Ringlet %.*s, this is %s, which may give other bytes", path,
                         VERSION_MAX, s->version, rlt_version());
    if (s->fingerprint != sim->fingerprint)
        return rlti_fail(messages, RLT_BAD_INPUT,
                         "%s: is a checkpoint of another scene, or %s has changed since; only the title, "
                         "time.last, contacts.margin and health may",
                         path, sim->file);
    if (s->precision != sim->kernel->real_bytes)
        return rlti_fail(messages, RLT_BAD_INPUT,
                         "%s: was made %s the double-precision reference build of the step kernel, and this "
                         "run is %s it",
                         path, s->precision == 8 ? "with" : "without",
                         s->precision == 8 ? "without" : "with");
    return RLT_OK;
}

static rlt_status check_numbers(const rlt_simulation *sim, const char *path, const state *s,
                                rlt_messages *messages) {
    const rlti_time_data *time = &sim->scene->time;
    int real = sim->kernel->real_bytes;
    long long points = sim->model->point_count, strands = sim->model->strand_count;
    if (s->frame < time->first - time->preroll)
        return rlti_fail(messages, RLT_BAD_INPUT, "%s: frame %d lies before the scene's start", path,
                         (int)s->frame);
    if (!all_finite(s->positions, points * (long long)POSITION_REALS, real) ||
        !all_finite(s->velocities, points * (long long)VELOCITY_REALS, real) ||
        !all_finite(s->roots, strands * (long long)ROOT_REALS, real) ||
        !all_finite(s->origins, strands * 3, (int)sizeof(double)))
        return rlti_fail(messages, RLT_BAD_INPUT, "%s: a number is not finite", path);
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

/* What the file says, checked. */
static rlt_status load_state(const rlt_simulation *sim, const rlti_checkpoint *file, state *s,
                             rlt_messages *messages) {
    const char *path = rlti_checkpoint_name(file);
    rlti_field fields[STATE_FIELDS];
    rlt_status status = RLT_OK;
    list_fields(sim, s, fields);
    for (int f = 0; f < STATE_FIELDS && status == RLT_OK; f++) {
        if (f == STATE_ARRAYS)
            status = check_origin(sim, path, s, messages);
        if (status == RLT_OK)
            status = rlti_checkpoint_get(file, &fields[f], messages);
    }
    if (status == RLT_OK)
        status = rlti_contact_state_load(sim, file, &s->contacts, messages);
    if (status == RLT_OK)
        status = rlti_hold_state_load(sim, file, &s->holds, messages);
    if (status == RLT_OK)
        status = check_numbers(sim, path, s, messages);
    return status;
}

rlt_status rlt_checkpoint_read(const char *path, rlt_simulation *sim, rlt_messages *messages) {
    rlt_ranks *ranks = rlti_spread_handle(sim->spread);
    rlti_checkpoint *file = NULL;
    state s = {0};
    rlt_status status = load_file(ranks, path, messages, &file);
    if (status == RLT_OK)
        status = create_state(sim, &s) ? load_state(sim, file, &s, messages) : rlti_out_of_memory(messages);
    /* all ranks, or none */
    status = rlt_ranks_agree(ranks, status, messages);
    if (status == RLT_OK)
        status = rlt_ranks_agree(ranks, rlti_contact_state_give(sim, &s.contacts, messages), messages);
    if (status == RLT_OK)
        status = rlt_ranks_agree(ranks, rlti_simulation_begin_frame(sim, s.frame, messages), messages);
    if (status == RLT_OK && s.origins != NULL) /* the second follows from the first */
        give_state(sim, &s);
    if (status == RLT_OK)
        status = rlti_groom_place_sources(sim->strands, sim->frame, messages);
    rlti_checkpoint_destroy(file);
    destroy_state(&s);
    return status;
}
