/* The state of a live simulation as bytes: what a checkpoint holds, and where its motion is. Unlike a
 * checkpoint it fits every simulation with the same strands, points and models, whatever its values. */
#include <math.h>
#include <string.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "base/messages.h"
#include "ringlet/ringlet.h"
#include "sim/live_data.h"
#include "sim/state.h"

static const char name[] = "state"; /* for messages */

/* Of all that a state must agree in: strands, points, models. */
static uint64_t layout_of(const rlt_simulation *sim) {
    size_t strands = (size_t)sim->strands->strand_count;
    uint64_t hash = rlti_checksum(0, sim->strands->first, (strands + 1) * sizeof(int));
    hash = rlti_checksum(hash, sim->solver_of, strands);
    for (int k = 0; k < sim->solver_count; k++)
        hash = rlti_checksum(hash, sim->solvers[k]->type->name, strlen(sim->solvers[k]->type->name) + 1);
    return hash;
}

/* Of the particles that contacts are between: where these are others, contacts begin anew. */
static uint64_t particles_of(const rlt_simulation *sim) {
    const rlti_particles *p = rlti_drive_particles(sim->drive);
    uint64_t hash = rlti_checksum((uint64_t)p->count, p->first, ((size_t)p->strand_count + 1) * sizeof(int));
    return rlti_checksum(hash, p->point, (size_t)p->count * sizeof *p->point);
}

/* ---- where the motion is ---- */

static void pack_pulls(rlt_simulation *sim, rlti_packer *p) {
    int count;
    double stiffness;
    rlti_pull pulls[RLTI_PULLS_MAX];
    memcpy(pulls, rlti_drive_pulls(sim->drive, &count, &stiffness), sizeof pulls);
    count = (int)rlti_pack_whole(p, count);
    if (count < 0 || count > RLTI_PULLS_MAX) {
        p->bad = 1;
        return;
    }
    rlti_pack(p, &stiffness, 1);
    for (int k = 0; k < count; k++) {
        pulls[k].strand = (int)rlti_pack_whole(p, pulls[k].strand);
        pulls[k].point = (int)rlti_pack_whole(p, pulls[k].point);
        rlti_pack(p, &pulls[k].target, 3);
        p->bad = p->bad || pulls[k].strand < 0 || pulls[k].strand >= sim->strands->strand_count ||
                 pulls[k].point < 0 || pulls[k].point >= rlti_matter_points(sim->matter, pulls[k].strand);
        if (p->bad)
            return;
    }
    if (!p->dry && p->from != NULL)
        rlti_drive_pull(sim->drive, pulls, count, stiffness);
}

static void pack_run(rlt_simulation *sim, rlti_packer *p) {
    rlti_live_run *live = sim->live;
    int plays = (int)rlti_pack_whole(p, live->plays), fresh = (int)rlti_pack_whole(p, live->fresh);
    int motion_frame = (int)rlti_pack_whole(p, live->motion_frame);
    long long ticks = rlti_pack_whole(p, live->ticks);
    rlti_pack(p, &live->left_over, 1);
    if (!p->dry) {
        live->plays = plays != 0;
        live->fresh = fresh != 0;
        live->motion_frame = motion_frame;
        live->ticks = ticks;
    }
    rlti_live_input_pack(p, &live->last);
    rlti_live_input_pack(p, &live->next);
    rlti_body_live_pack(sim->body, p);
    pack_pulls(sim, p);
}

rlt_status rlti_live_renew(rlt_simulation *sim, rlt_messages *messages) {
    rlti_packer packer = {.to = NULL};
    rlti_live_run *live = sim->live;
    int frame = sim->frame;
    pack_run(sim, &packer);
    size_t count = packer.count;
    double *numbers = RLTI_NEW(double, count);
    if (numbers == NULL)
        return rlti_out_of_memory(messages);
    packer = (rlti_packer){.to = numbers};
    pack_run(sim, &packer);
    rlti_live_input_reset(&live->next);
    sim->frame = live->motion_frame = live->begins;
    rlt_status status = rlti_live_stand(sim, messages);
    if (status == RLT_OK)
        status = rlti_simulation_renew(sim, messages);
    packer = (rlti_packer){.from = numbers, .limit = count};
    pack_run(sim, &packer);
    rlti_free(numbers);
    sim->frame = frame;
    if (status != RLT_OK && sim->broken == RLT_OK)
        rlti_simulation_show(sim); /* the view's arrays were used */
    return status;
}

/* ---- saving ---- */

enum { FIELDS_MAX = RLTI_STATE_FIELDS_MAX + 3 };

static rlt_status write_state(rlt_simulation *sim, rlti_state *s, double *numbers, void *bytes,
                              size_t capacity, size_t *size, rlt_messages *messages) {
    rlti_field fields[FIELDS_MAX];
    rlti_packer p = {.to = numbers};
    uint64_t particles = particles_of(sim);
    int32_t large[2] = {sim->live->next.vertices != NULL, sim->live->next.roots != NULL};
    pack_run(sim, &p);
    s->fingerprint = layout_of(sim);
    int count = rlti_state_fields(sim, s, fields);
    rlti_contact_fields(&s->contacts, fields + count);
    count += RLTI_CONTACT_FIELDS;
    rlti_hold_fields(sim->drive, &s->holds, fields + count);
    count += RLTI_HOLD_FIELDS;
    fields[count++] = (rlti_field){"particles", 8, 1, &particles};
    fields[count++] = (rlti_field){"large", 4, 2, large};
    fields[count++] = (rlti_field){"live", 8, (long long)p.count, numbers};
    *size = rlti_checkpoint_size(fields, count);
    if (bytes == NULL)
        return RLT_OK;
    if (capacity < *size)
        return rlti_refuse(messages, "rlt_simulation_save: the state takes %zu bytes, the capacity is %zu",
                           *size, capacity);
    return rlti_checkpoint_put(fields, count, bytes, messages);
}

rlt_status rlti_live_save(rlt_simulation *sim, void *bytes, size_t capacity, size_t *size,
                          rlt_messages *messages) {
    rlti_state s;
    rlti_packer counting = {.to = NULL};
    pack_run(sim, &counting);
    double *numbers = RLTI_NEW(double, counting.count);
    rlt_status status = rlti_state_create(sim, &s) && numbers != NULL ? RLT_OK : rlti_out_of_memory(messages);
    if (status == RLT_OK) {
        rlti_state_take(sim, &s);
        status = rlti_state_gather(sim, &s, messages);
    }
    if (status == RLT_OK)
        status = write_state(sim, &s, numbers, bytes, capacity, size, messages);
    rlti_state_destroy(&s);
    rlti_free(numbers);
    return status;
}

rlt_status rlt_simulation_save(rlt_simulation *sim, void *bytes, size_t capacity, size_t *size,
                               rlt_messages *messages) {
    rlt_status status = rlti_live_require(sim, "rlt_simulation_save", messages);
    if (status == RLT_OK)
        status = rlti_simulation_require_whole(sim, "nothing to save", messages);
    if (status == RLT_OK && size == NULL)
        status = rlti_refuse(messages, "rlt_simulation_save: size is NULL");
    return status == RLT_OK ? rlti_live_save(sim, bytes, capacity, size, messages) : status;
}

/* ---- loading ---- */

static rlt_status check_origin(const rlt_simulation *sim, const rlti_state *s, rlt_messages *messages) {
    if (memchr(s->version, 0, RLTI_STATE_VERSION) == NULL || strcmp(s->version, rlt_version()) != 0)
        return rlti_refuse(messages, "%s: is of Ringlet %.*s, this is %s, which may give other bytes", name,
                           RLTI_STATE_VERSION, s->version, rlt_version());
    if (s->fingerprint != layout_of(sim))
        return rlti_refuse(messages, "%s: is of a simulation with other strands, points or models", name);
    if (s->precision != rlti_state_precision(sim))
        return rlti_refuse(messages, "%s: is of another precision (--simd reference)", name);
    return RLT_OK;
}

/* Contacts and holds where they fit what there is now; otherwise they begin anew. */
static rlt_status load_memory(const rlt_simulation *sim, const rlti_checkpoint *file, rlti_state *s,
                              rlt_messages *messages) {
    uint64_t particles = 0;
    rlt_status status = rlti_checkpoint_get(file, &(rlti_field){"particles", 8, 1, &particles}, messages);
    if (status == RLT_OK && particles == particles_of(sim))
        status = rlti_contact_state_load(sim->drive, file, &s->contacts, messages);
    if (status == RLT_OK && rlti_hold_state_load(sim->drive, file, &s->holds, NULL) != RLT_OK)
        s->holds.frozen_count = s->holds.pose_count = 0;
    return status;
}

static rlt_status load_state(const rlt_simulation *sim, const rlti_checkpoint *file, rlti_state *s,
                             rlt_messages *messages) {
    rlti_field fields[FIELDS_MAX];
    rlt_status status = RLT_OK;
    int count = rlti_state_fields(sim, s, fields);
    for (int f = 0; f < count && status == RLT_OK; f++) {
        if (f == RLTI_STATE_ORIGIN)
            status = check_origin(sim, s, messages);
        if (status == RLT_OK)
            status = rlti_checkpoint_get(file, &fields[f], messages);
    }
    if (status == RLT_OK && !rlti_state_is_finite(fields, count))
        status = rlti_refuse(messages, "%s: a number is not finite", name);
    return status == RLT_OK ? load_memory(sim, file, s, messages) : status;
}

/* Memory for what it has of its caller's arrays. */
static int reserve(rlt_simulation *sim, const int32_t large[2]) {
    int vertices = large[0] ? rlti_body_mesh(sim->body)->vertex_count : 0;
    int strands = large[1] ? sim->strands->strand_count : 0;
    return rlti_live_input_reserve(&sim->live->last, vertices, strands, 0) &&
           rlti_live_input_reserve(&sim->live->next, vertices, strands, 0) &&
           rlti_body_live_reserve(sim->body, vertices, strands);
}

/* The numbers of its motion, checked; to be freed. */
static rlt_status load_run(rlt_simulation *sim, const rlti_checkpoint *file, rlt_messages *messages,
                           double **numbers, size_t *count) {
    long long saved = rlti_checkpoint_count(file, "live", 8);
    int32_t large[2] = {0};
    rlt_status status = rlti_checkpoint_get(file, &(rlti_field){"large", 4, 2, large}, messages);
    *count = saved > 0 ? (size_t)saved : 0;
    *numbers = RLTI_NEW(double, *count);
    if (status == RLT_OK && (*numbers == NULL || !reserve(sim, large)))
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = rlti_checkpoint_get(file, &(rlti_field){"live", 8, saved, *numbers}, messages);
    if (status != RLT_OK)
        return status;
    rlti_packer p = {.from = *numbers, .limit = *count, .dry = 1};
    for (size_t k = 0; k < *count; k++)
        p.bad = p.bad || !isfinite((*numbers)[k]);
    if (!p.bad)
        pack_run(sim, &p);
    if (p.bad || p.count != *count)
        return rlti_refuse(messages, "%s: does not fit: the body, its colliders or what is pulled are others",
                           name);
    return RLT_OK;
}

rlt_status rlti_live_load(rlt_simulation *sim, const void *bytes, size_t size, int live,
                          rlt_messages *messages) {
    rlti_checkpoint *file = NULL;
    rlti_state s = {0};
    double *numbers = NULL;
    size_t count = 0;
    rlt_status status = rlti_checkpoint_parse(name, bytes, size, messages, &file);
    if (status == RLT_OK)
        status =
            rlti_state_create(sim, &s) ? load_state(sim, file, &s, messages) : rlti_out_of_memory(messages);
    if (status == RLT_OK && live)
        status = load_run(sim, file, messages, &numbers, &count);
    if (status == RLT_OK) /* the last that can fail */
        status = rlti_contact_state_give(sim->drive, &s.contacts, messages);
    if (status == RLT_OK && s.origins != NULL) {
        rlti_packer p = {.from = numbers, .limit = count};
        if (live)
            pack_run(sim, &p);
        rlti_state_give(sim, &s);
    }
    rlti_checkpoint_destroy(file);
    rlti_state_destroy(&s);
    rlti_free(numbers);
    return status;
}

rlt_status rlt_simulation_load(rlt_simulation *sim, const void *bytes, size_t size, rlt_messages *messages) {
    rlt_status status = rlti_live_require(sim, "rlt_simulation_load", messages);
    if (status == RLT_OK && bytes == NULL)
        status = rlti_refuse(messages, "rlt_simulation_load: bytes is NULL");
    return status == RLT_OK ? rlti_live_load(sim, bytes, size, 1, messages) : status;
}
