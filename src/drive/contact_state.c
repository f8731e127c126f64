#include "drive/contact_state.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/messages.h"
#include "distribute/ranks.h"

/* Lists are saved as four-byte numbers, whichever of them are floats. */
_Static_assert(sizeof(rlti_spring_memory) == 12, "three numbers of four bytes");
_Static_assert(sizeof(rlti_share_memory) == 8, "two numbers of four bytes");

void rlti_contact_fields(rlti_contact_state *state, rlti_field fields[RLTI_CONTACT_FIELDS]) {
    fields[0] = (rlti_field){"springs", 4, 3 * state->spring_count, state->springs};
    fields[1] = (rlti_field){"shares", 4, 2 * state->share_count, state->shares};
}

void rlti_contact_state_free(rlti_contact_state *state) {
    RLTI_FREE(state->springs, state->shares);
    *state = (rlti_contact_state){0};
}

/* ---- out of the simulation ---- */

/* This rank's share memory: most particles bear all, and are not listed. */
static int list_shares(const rlti_drive *drive, rlti_contact_state *state) {
    const int *first = drive->particles->first;
    const unsigned char *local = rlti_spread_local(drive->spread);
    float *shares = RLTI_NEW(float, drive->longest);
    state->shares = RLTI_NEW(rlti_share_memory, drive->particles->count);
    for (int s = 0; s < drive->particles->strand_count && shares != NULL && state->shares != NULL; s++) {
        if (!local[s])
            continue;
        rlti_springs_get_shares(drive->springs, s, shares);
        for (int p = first[s]; p < first[s + 1]; p++)
            if (shares[p - first[s]] != 1.0f)
                state->shares[state->share_count++] = (rlti_share_memory){p, shares[p - first[s]]};
    }
    int done = shares != NULL && state->shares != NULL;
    rlti_free(shares);
    return done;
}

static int list_springs(const rlti_drive *drive, rlti_contact_state *state) {
    state->spring_count = rlti_springs_save(drive->springs, NULL, 0);
    state->springs = RLTI_NEW(rlti_spring_memory, state->spring_count);
    if (state->springs != NULL)
        rlti_springs_save(drive->springs, state->springs, state->spring_count);
    return state->springs != NULL;
}

/* Puts the records of all ranks, one rank after the other, in the place of rank 0's; the other ranks' list
 * becomes empty. Collective. */
static rlt_status gather(rlt_ranks *ranks, size_t size, void **records, long long *count,
                         rlt_messages *messages) {
    int ranks_count = rlt_ranks_count(ranks), leads = rlt_ranks_rank(ranks) == 0;
    long long *counts = RLTI_NEW(long long, ranks_count), total = 0;
    size_t *bytes = RLTI_NEW(size_t, ranks_count);
    void *all = NULL;
    int done = counts != NULL && bytes != NULL;
    rlt_status status = rlt_ranks_agree(ranks, done ? RLT_OK : rlti_out_of_memory(messages), messages);
    if (status == RLT_OK) {
        rlti_ranks_all(ranks, *count, counts);
        for (int r = 0; r < ranks_count; r++) {
            total += counts[r];
            bytes[r] = (size_t)counts[r] * size;
        }
        all = leads ? rlti_allocate((size_t)total, size) : NULL;
        done = !leads || all != NULL;
        status = rlt_ranks_agree(ranks, done ? RLT_OK : rlti_out_of_memory(messages), messages);
    }
    if (status == RLT_OK) {
        rlti_ranks_gather(ranks, *records, bytes, all);
        rlti_free(*records);
        *records = all;
        *count = leads ? total : 0;
    } else {
        rlti_free(all);
    }
    RLTI_FREE(counts, bytes);
    return status;
}

/* Both kinds of record begin with a particle; springs have a second one. */
static int by_pair(const void *a, const void *b) {
    const rlti_spring_memory *x = a, *y = b;
    if (x->particle != y->particle)
        return x->particle < y->particle ? -1 : 1;
    return x->other < y->other ? -1 : x->other > y->other;
}

static int by_particle(const void *a, const void *b) {
    const rlti_share_memory *x = a, *y = b;
    return x->particle < y->particle ? -1 : x->particle > y->particle;
}

rlt_status rlti_contact_state_take(const rlti_drive *drive, rlti_contact_state *state,
                                   rlt_messages *messages) {
    if (drive->springs == NULL)
        return RLT_OK; /* on every rank */
    rlt_ranks *ranks = rlti_spread_handle(drive->spread);
    int done = list_springs(drive, state) && list_shares(drive, state);
    rlt_status status = rlt_ranks_agree(ranks, done ? RLT_OK : rlti_out_of_memory(messages), messages);
    if (status != RLT_OK || rlt_ranks_count(ranks) == 1)
        return status;
    void *springs = state->springs, *shares = state->shares;
    status = gather(ranks, sizeof(rlti_spring_memory), &springs, &state->spring_count, messages);
    if (status == RLT_OK)
        status = gather(ranks, sizeof(rlti_share_memory), &shares, &state->share_count, messages);
    state->springs = springs;
    state->shares = shares;
    if (status == RLT_OK && state->springs != NULL && state->shares != NULL) {
        qsort(state->springs, (size_t)state->spring_count, sizeof(rlti_spring_memory), by_pair);
        qsort(state->shares, (size_t)state->share_count, sizeof(rlti_share_memory), by_particle);
    }
    return status;
}

/* ---- into the simulation ---- */

/* Sorted, no pair twice, two particles that may meet, an age. */
static int springs_are_sound(const rlti_drive *drive, const rlti_contact_state *state) {
    int particles = drive->springs != NULL ? drive->particles->count : 0;
    for (long long i = 0; i < state->spring_count; i++) {
        const rlti_spring_memory *m = &state->springs[i];
        if (m->particle < 0 || m->other <= m->particle || m->other >= particles ||
            drive->particles->strand[m->particle] == drive->particles->strand[m->other] ||
            !(m->age > 0.0f && m->age <= 1.0f) || (i > 0 && by_pair(m - 1, m) >= 0))
            return 0;
    }
    return 1;
}

static int shares_are_sound(const rlti_drive *drive, const rlti_contact_state *state) {
    int particles = drive->springs != NULL ? drive->particles->count : 0;
    for (long long i = 0; i < state->share_count; i++) {
        const rlti_share_memory *m = &state->shares[i];
        if (m->particle < 0 || m->particle >= particles || !(m->share >= 0.0f && m->share <= 1.0f) ||
            (i > 0 && by_particle(m - 1, m) >= 0))
            return 0;
    }
    return 1;
}

rlt_status rlti_contact_state_load(const rlti_drive *drive, const rlti_checkpoint *checkpoint,
                                   rlti_contact_state *state, rlt_messages *messages) {
    rlti_field fields[RLTI_CONTACT_FIELDS];
    long long springs = rlti_checkpoint_count(checkpoint, "springs", 4),
              shares = rlti_checkpoint_count(checkpoint, "shares", 4);
    /* what does not divide, or is missing, is refused below: no field has that count */
    state->spring_count = springs > 0 ? springs / 3 : 0;
    state->share_count = shares > 0 ? shares / 2 : 0;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(state->springs, state->spring_count),
                       RLTI_ITEMS(state->shares, state->share_count)))
        return rlti_out_of_memory(messages);
    rlti_contact_fields(state, fields);
    rlt_status status = RLT_OK;
    for (int f = 0; f < RLTI_CONTACT_FIELDS && status == RLT_OK; f++)
        status = rlti_checkpoint_get(checkpoint, &fields[f], messages);
    if (status == RLT_OK && (!springs_are_sound(drive, state) || !shares_are_sound(drive, state)))
        status = rlti_refuse(messages, "%s: is damaged: a contact between hairs is out of range",
                             rlti_checkpoint_name(checkpoint));
    return status;
}

rlt_status rlti_contact_state_give(rlti_drive *drive, const rlti_contact_state *state,
                                   rlt_messages *messages) {
    if (drive->springs == NULL)
        return RLT_OK;
    const int *first = drive->particles->first;
    const unsigned char *local = rlti_spread_local(drive->spread);
    float *shares = RLTI_NEW(float, drive->particles->count);
    if (shares == NULL)
        return rlti_out_of_memory(messages);
    rlt_status status = rlti_springs_restore(drive->springs, state->springs, state->spring_count, messages);
    for (int p = 0; p < drive->particles->count; p++)
        shares[p] = 1.0f;
    for (long long i = 0; i < state->share_count; i++)
        shares[state->shares[i].particle] = state->shares[i].share;
    for (int s = 0; s < drive->particles->strand_count && status == RLT_OK; s++)
        if (local[s])
            rlti_springs_set_shares(drive->springs, s, shares + first[s]);
    rlti_free(shares);
    return status;
}
