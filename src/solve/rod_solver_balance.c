/* Momentum of free hair that touches hair. Every force of a contact acts on both sides, but a strand may have
 * taken only a share of Newton's last step, and not be where its forces say. What strands of a cluster, all
 * that touch each other, lack together is made good by moving the cluster in one piece: its strands stay
 * where they are to each other, so no contact is worse for it. (Each strand moved by what it lacks itself
 * threw hair about wherever forces were far from solved.) Clusters with a strand that is held, or on a body,
 * share their momentum with others, and stay. */
#include "scene/readers.h"
#include "solve/rod_solver_contacts.h"

void rlti_clusters_clear(rod_contacts *c) {
    for (int k = 0; k < c->strands.strand_count; k++)
        c->cluster[k] = k;
}

int rlti_clusters_find(const rod_contacts *c, int strand) {
    while (c->cluster[strand] != strand)
        strand = c->cluster[strand];
    return strand;
}

/* The lower number stands for both. */
void rlti_clusters_unite(rod_contacts *c, int a, int b) {
    a = rlti_clusters_find(c, a);
    b = rlti_clusters_find(c, b);
    c->cluster[a < b ? b : a] = a < b ? a : b;
}

/* A strand's own: force, and mass / h^2; negative where others than hair act on it, or it is held. */
static void measure_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    rlti_vec3 forces[RLTI_BLOCK_STRANDS] = {{0}};
    double weights[RLTI_BLOCK_STRANDS] = {0};
    unsigned alone = 0;
    rlti_implicit_step step = rlti_rod_solver_how_meeting(s, tile);
    if (rlti_hair_root_is_free(rod_hair(s, tile)) && c->had[tile] != 0)
        alone = s->engine->get_unbalanced(s->tiles[tile], &step, forces, weights, rod_scratch(s, worker));
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        int strand = rlti_layout_strand(&s->layout, tile, lane);
        int counts = (alone & c->had[tile]) >> lane & 1u;
        c->common[strand] = counts ? forces[lane] : rlti_v3(0, 0, 0);
        c->weight[strand] = counts ? weights[lane] : -1.0;
    }
}

static void move_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    unsigned lanes = 0;
    rlti_vec3 by[RLTI_BLOCK_STRANDS] = {{0}};
    (void)worker;
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        int cluster = rlti_clusters_find(c, rlti_layout_strand(&s->layout, tile, lane));
        if (!(c->weight[cluster] > 0.0))
            continue;
        lanes |= 1u << lane;
        by[lane] = rlti_scale(1.0 / c->weight[cluster], c->common[cluster]);
    }
    if (lanes != 0)
        s->engine->move_iterate(s->tiles[tile], lanes, by);
}

/* Clusters by the contacts and links of the last solution. Those on a body stay. */
static void find_clusters(rod_contacts *c) {
    rlti_clusters_clear(c);
    for (int k = c->found_count; k < c->count; k++)
        c->weight[c->list[k].strand[0]] = -1.0;
    for (int k = 0; k < c->count; k++)
        if (c->list[k].strand[1] >= 0)
            rlti_clusters_unite(c, c->list[k].strand[0], c->list[k].strand[1]);
    for (int k = 0; k < c->link_count; k++)
        rlti_clusters_unite(c, c->links[k].strand[0], c->links[k].strand[1]);
}

/* Sums over clusters, in the order of strands; a strand that cannot be moved keeps its cluster. */
static void sum_clusters(rod_contacts *c) {
    for (int k = 0; k < c->strands.strand_count; k++) {
        int cluster = rlti_clusters_find(c, k);
        if (cluster == k)
            continue;
        int stays = c->weight[k] < 0.0 || c->weight[cluster] < 0.0;
        c->common[cluster] = rlti_add(c->common[cluster], c->common[k]);
        c->weight[cluster] = stays ? -1.0 : c->weight[cluster] + c->weight[k];
    }
}

/* Whether there is free hair with contacts, on any rank. */
static int any_free(rod_solver *s) {
    double any = 0.0;
    for (int k = 0; k < s->contacts->tile_count; k++)
        any += rlti_hair_root_is_free(rod_hair(s, s->contacts->tiles[k])) &&
               s->contacts->had[s->contacts->tiles[k]] != 0;
    rlt_ranks_sum(rod_ranks(s), &any, 1);
    return any > 0.0;
}

void rlti_rod_solver_balance(rod_solver *s) {
    rod_contacts *c = s->contacts;
    int strands = c->strands.strand_count;
    if (!any_free(s))
        return;
    for (int k = 0; k < strands; k++) { /* those of other ranks are theirs to fill in */
        c->common[k] = rlti_v3(0, 0, 0);
        c->weight[k] = 0.0;
    }
    rlti_pool_for(s->def.pool, c->tile_count, measure_tile, s);
    rlti_spread_share_strands(rlti_drive_spread(s->drive), c->common, sizeof *c->common);
    rlti_spread_share_strands(rlti_drive_spread(s->drive), c->weight, sizeof *c->weight);
    find_clusters(c);
    sum_clusters(c);
    rlti_pool_for(s->def.pool, c->tile_count, move_tile, s);
}
