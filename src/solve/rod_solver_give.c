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

/* Leaves the forces in the tile. Strands that stand still do not move. */
static void respond_tile(void *context, int index, int worker) {
    const response *r = context;
    rod_solver *s = r->s;
    const int *first = s->def.strands->first;
    int tile = s->contacts->tiles[index], size = rlti_layout_size(&s->layout, tile);
    unsigned lanes = s->contacts->lanes[tile];
    (void)worker;
    for (int lane = 0; lane < size; lane++)
        if (lanes >> lane & 1u)
            s->engine->set_forces(s->tiles[tile], lane,
                                  r->force + first[rlti_layout_strand(&s->layout, tile, lane)]);
    if (lanes != 0)
        s->engine->respond(s->tiles[tile]);
    for (int lane = 0; lane < size; lane++) {
        int strand = rlti_layout_strand(&s->layout, tile, lane);
        memset(r->moved + first[strand], 0, (size_t)(first[strand + 1] - first[strand]) * sizeof *r->moved);
        if (lanes >> lane & 1u)
            s->engine->get_response(s->tiles[tile], lane, r->moved + first[strand]);
    }
}

static void respond(void *context, const int *strands, int count, const rlti_vec3 *force, rlti_vec3 *moved) {
    response r = {context, force, moved};
    rod_solver *s = context;
    (void)strands;
    (void)count;
    if (rlti_spread_ranks(rlti_drive_spread(s->drive)) > 1)
        rod_clear_points(s, moved); /* those of other ranks */
    rlti_pool_for(s->def.pool, s->contacts->tile_count, respond_tile, &r);
    rod_share_points(s, moved);
}

/* The whole inverse of a strand, or NULL where it stands still. */
static const double *inverse_of(const rod_solver *s, int strand) {
    return s->contacts->moves[strand] ? s->contacts->inverses + s->contacts->inverse_at[strand] : NULL;
}

static void block_of(void *context, int strand, int edge, double block[6][6]) {
    const rod_solver *s = context;
    const double *inverse = inverse_of(s, strand);
    size_t size = 3 * (size_t)s->model->strands[strand].points, first = 3 * (size_t)edge;
    memset(block, 0, 36 * sizeof **block);
    for (size_t i = 0; inverse != NULL && i < 36; i++)
        block[i / 6][i % 6] = inverse[(first + i / 6) * size + first + i % 6];
}

static void push_strand(void *context, int strand, int edge, const double f[6], rlti_vec3 *moved) {
    const rod_solver *s = context;
    const double *inverse = inverse_of(s, strand);
    int size = 3 * s->model->strands[strand].points;
    if (inverse != NULL)
        s->engine->add_columns(inverse + 3 * (size_t)edge * (size_t)size, size, f, &moved->x);
}

static void invert_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    double *inverses[RLTI_BLOCK_STRANDS] = {NULL};
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

/* All ranks know all inverses: those of others are 0 here. */
static void share_inverses(rod_solver *s, rod_contacts *c, size_t count) {
    const size_t most = 1u << 28;
    for (size_t done = 0; done < count; done += most)
        rlt_ranks_sum(rod_ranks(s), c->inverses + done, (int)(count - done < most ? count - done : most));
}

/* Whole inverses of all strands that move. Returns 0 when out of memory. */
int rlti_rod_solver_invert(rod_solver *s) {
    rod_contacts *c = s->contacts;
    size_t sum = 0;
    for (int k = 0; k < c->strands.strand_count; k++) {
        size_t size = 3 * (size_t)(s->def.strands->first[k + 1] - s->def.strands->first[k]);
        c->moves[k] = gives_way(s, k);
        c->inverse_at[k] = sum;
        sum += c->moves[k] ? size * size : 0;
    }
    if (sum > c->inverse_capacity) {
        rlti_free(c->inverses);
        c->inverse_capacity = sum + sum / 4;
        c->inverses = rlti_allocate(c->inverse_capacity, sizeof(double));
    }
    if (c->inverses == NULL) {
        c->inverse_capacity = 0;
        return sum == 0;
    }
    if (rlti_spread_ranks(rlti_drive_spread(s->drive)) > 1)
        memset(c->inverses, 0, sum * sizeof *c->inverses);
    rlti_pool_for(s->def.pool, c->tile_count, invert_tile, s);
    share_inverses(s, c, sum);
    return 1;
}

rlti_couple_operator rlti_rod_solver_operator(rod_solver *s) {
    return (rlti_couple_operator){s, respond, block_of, push_strand, s->contacts->softness};
}
