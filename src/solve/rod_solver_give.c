/* How strands of the Rod solver give way to forces of contacts: back-solves with the factors of their tiles,
 * and whole inverses. */
#include <string.h>

#include "base/memory.h"
#include "solve/rod_solver_contacts.h"

typedef struct response {
    rod_solver *s;
    const rlti_vec3 *force;
    rlti_vec3 *moved;
} response;

/* Leaves the forces in the tile. */
static void leave_tile(void *context, int index, int worker) {
    const response *r = context;
    rod_solver *s = r->s;
    int tile = s->contacts->tiles[index];
    (void)worker;
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++)
        if (s->contacts->lanes[tile] >> lane & 1u)
            s->engine->set_forces(s->tiles[tile], lane,
                                  r->force +
                                      s->def.strands->first[rlti_layout_strand(&s->layout, tile, lane)]);
}

/* The same, and where they lead. Strands that stand still do not move. */
static void respond_tile(void *context, int index, int worker) {
    const response *r = context;
    rod_solver *s = r->s;
    const int *first = s->def.strands->first;
    int tile = s->contacts->tiles[index], size = rlti_layout_size(&s->layout, tile);
    unsigned lanes = s->contacts->lanes[tile];
    leave_tile(context, index, worker);
    if (lanes != 0)
        s->engine->respond(s->tiles[tile]);
    for (int lane = 0; lane < size; lane++) {
        int strand = rlti_layout_strand(&s->layout, tile, lane);
        if (lanes >> lane & 1u)
            s->engine->get_response(s->tiles[tile], lane, r->moved + first[strand]);
        else
            memset(r->moved + first[strand], 0,
                   (size_t)(first[strand + 1] - first[strand]) * sizeof *r->moved);
    }
}

/* Of a rank's own strands. */
static void respond_here(void *context, const int *strands, int count, const rlti_vec3 *force,
                         rlti_vec3 *moved) {
    response r = {context, force, moved};
    (void)strands;
    (void)count;
    rlti_pool_for(r.s->def.pool, r.s->contacts->tile_count, respond_tile, &r);
}

/* Of all. */
static void respond(void *context, const int *strands, int count, const rlti_vec3 *force, rlti_vec3 *moved) {
    rod_solver *s = context;
    if (rlti_spread_ranks(rlti_drive_spread(s->drive)) > 1)
        rod_clear_points(s, moved); /* those of other ranks */
    respond_here(context, strands, count, force, moved);
    rod_share_points(s, moved);
}

static void leave(void *context, const rlti_vec3 *force) {
    response r = {context, force, NULL};
    rlti_pool_for(r.s->def.pool, r.s->contacts->tile_count, leave_tile, &r);
}

/* The whole inverse of a strand, or NULL where it stands still. */
static const float *inverse_of(const rod_solver *s, int strand) {
    return s->contacts->moves[strand] ? s->contacts->inverses + s->contacts->inverse_at[strand] : NULL;
}

static void block_of(void *context, int strand, int edge, double block[6][6]) {
    const rod_solver *s = context;
    const float *inverse = inverse_of(s, strand);
    size_t size = 3 * (size_t)s->model->strands[strand].points, first = 3 * (size_t)edge;
    memset(block, 0, 36 * sizeof **block);
    for (size_t i = 0; inverse != NULL && i < 36; i++)
        block[i / 6][i % 6] = (double)inverse[(first + i / 6) * size + first + i % 6];
}

static void push_strand(void *context, int strand, int edge, const double f[6], rlti_vec3 *moved) {
    const rod_solver *s = context;
    const float *inverse = inverse_of(s, strand);
    int size = 3 * s->model->strands[strand].points;
    if (inverse != NULL)
        s->engine->add_columns(inverse + 3 * (size_t)edge * (size_t)size, size, f, &moved->x);
}

static void invert_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    float *inverses[RLTI_BLOCK_STRANDS] = {NULL};
    (void)worker;
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++)
        if (c->moves[rlti_layout_strand(&s->layout, tile, lane)])
            inverses[lane] = c->inverses + c->inverse_at[rlti_layout_strand(&s->layout, tile, lane)];
    if (c->lanes[tile] != 0)
        s->engine->get_inverse(s->tiles[tile], inverses);
}

/* 1: some point of the strand gives way to forces; all ranks know. */
static unsigned char gives_way(const rod_solver *s, int strand) {
    for (int i = s->def.strands->first[strand]; i < s->def.strands->first[strand + 1]; i++)
        if (s->contacts->softness[i] > 0.0)
            return 1;
    return 0;
}

/* Where inverses begin: those of a rank stand together, so that it can send them as they are. `counts`
 * [rank count] are their bytes. Returns how many numbers all have. */
static size_t place_inverses(rod_solver *s, rod_contacts *c, size_t *counts) {
    const rlti_spread *spread = rlti_drive_spread(s->drive);
    size_t sum = 0;
    for (int rank = 0; rank < rlti_spread_ranks(spread); rank++) {
        size_t before = sum;
        for (int k = 0; k < c->strands.strand_count; k++) {
            size_t size = 3 * (size_t)(s->def.strands->first[k + 1] - s->def.strands->first[k]);
            if (rlti_spread_owner(spread, k) != rank)
                continue;
            c->moves[k] = gives_way(s, k);
            c->inverse_at[k] = sum;
            sum += c->moves[k] ? size * size : 0;
        }
        counts[rank] = (sum - before) * sizeof *c->inverses;
    }
    return sum;
}

/* Whole inverses of all strands that move, known to all ranks. Returns 0 when out of memory, on any. */
int rlti_rod_solver_invert(rod_solver *s) {
    rod_contacts *c = s->contacts;
    size_t sum = place_inverses(s, c, c->rank_bytes), before = 0;
    if (sum > c->inverse_capacity) {
        rlti_free(c->inverses);
        c->inverse_capacity = sum + sum / 4;
        c->inverses = rlti_allocate(c->inverse_capacity, sizeof *c->inverses);
    }
    double failed = c->inverses == NULL && sum > 0;
    rlt_ranks_sum(rod_ranks(s), &failed, 1);
    if (c->inverses == NULL)
        c->inverse_capacity = 0;
    if (failed > 0.0 || sum == 0)
        return failed == 0.0;
    rlti_pool_for(s->def.pool, c->tile_count, invert_tile, s);
    for (int rank = 0; rank < rlt_ranks_rank(rod_ranks(s)); rank++)
        before += c->rank_bytes[rank];
    rlti_ranks_share(rod_ranks(s), (char *)c->inverses + before, c->rank_bytes, c->inverses);
    return 1;
}

rlti_couple_operator rlti_rod_solver_operator(rod_solver *s) {
    int lumped = s->contacts->settings.block == RLTI_COUPLE_LUMPED;
    return (rlti_couple_operator){s,           lumped ? respond_here : respond, block_of,
                                  push_strand, s->contacts->softness,           leave};
}
