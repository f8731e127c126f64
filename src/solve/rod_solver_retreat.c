/* The last resort of contacts between strands: Newton has used up its iterations, and hair is still beyond
 * hair that it has met within the step. Strands that have passed are brought back towards where the step
 * started, half of what is left at a time, until none has.
 *
 * Back is where they do not move against each other: a strand whose root is held goes along with its root.
 * Free strands go along with the held ones of their cluster (strands that have passed each other), or all by
 * the cluster's mean displacement, which keeps its momentum. */
#include <string.h>

#include "scene/readers.h"
#include "solve/rod_solver_contacts.h"

enum { TRIALS = 12, HALVES = 5 }; /* after so many halves, the whole */

/* Marks clusters that have strands beyond each other now. Returns 0 where there are none. */
static int mark_passed(rod_contacts *c) {
    int any = 0;
    memset(c->beyond, 0, (size_t)c->strands.strand_count);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < rlti_edge_contacts_part_count(c->found); i++) {
            rlti_edge_part part = rlti_edge_contacts_part(c->found, i);
            for (const rlti_edge_contact *k = part.items; k < part.items + part.count; k++) {
                if (!k->passage || k->gap + k->radius >= 0.0)
                    continue;
                if (pass == 0)
                    rlti_clusters_unite(c, k->strand[0], k->strand[1]);
                else
                    c->beyond[rlti_clusters_find(c, k->strand[0])] = 1;
                any = 1;
            }
        }
    return any;
}

static int is_free(const rod_solver *s, int strand) {
    return rlti_hair_root_is_free(&s->def.scene->hair[s->def.strands->hair[strand]]);
}

/* Sums of weight and displacement of each cluster: of roots that are held, or of all mass. */
static void add_common(const rod_solver *s, rod_contacts *c, int held) {
    for (int k = 0; k < c->strands.strand_count; k++) {
        int cluster = rlti_clusters_find(c, k), first = c->strands.first[k];
        int end = held ? first + 1 : c->strands.first[k + 1];
        if (!c->beyond[cluster] || is_free(s, k) == held || (!held && c->weight[cluster] < 0.0))
            continue;
        for (int i = first; i < end; i++) {
            double weight = held ? 1.0 : s->model->mass[i];
            rlti_vec3 by = rlti_sub(c->end[i], c->start[i]);
            c->common[cluster] = rlti_madd(c->common[cluster], weight, by);
            c->weight[cluster] += weight;
        }
    }
}

/* The displacement of each cluster as one piece. */
static void find_common(const rod_solver *s, rod_contacts *c) {
    int strands = c->strands.strand_count;
    memset(c->common, 0, (size_t)strands * sizeof *c->common);
    memset(c->weight, 0, (size_t)strands * sizeof *c->weight);
    for (int held = 1; held >= 0; held--) {
        add_common(s, c, held);
        for (int k = 0; k < strands; k++)
            if (c->weight[k] > 0.0) {
                c->common[k] = rlti_scale(1.0 / c->weight[k], c->common[k]);
                c->weight[k] = -1.0; /* known */
            }
    }
}

static void retreat_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    unsigned lanes = 0;
    rlti_vec3 by[RLTI_BLOCK_STRANDS] = {{0}};
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        int strand = rlti_layout_strand(&s->layout, tile, lane), root = c->strands.first[strand];
        if (!c->beyond[rlti_clusters_find(c, strand)])
            continue;
        lanes |= 1u << lane;
        by[lane] = is_free(s, strand) ? c->common[rlti_clusters_find(c, strand)]
                                      : rlti_sub(c->end[root], c->start[root]);
    }
    if (lanes != 0)
        s->engine->retreat(s->tiles[tile], lanes, c->retreat, by, rod_scratch(s, worker));
}

int rlti_rod_solver_retreat(rod_solver *s) {
    rod_contacts *c = s->contacts;
    int done = 1, strands = c->strands.strand_count;
    rlti_clusters_clear(c);
    for (int trial = 0; done && trial <= TRIALS; trial++) {
        rlti_rod_solver_show_ends(s);
        done = rlti_edge_contacts_find_passages(c->found, s->def.pool, c->start, c->end);
        if (!done || !mark_passed(c) || trial == TRIALS)
            break;
        find_common(s, c);
        c->retreat = trial < HALVES ? 0.5 : 1.0;
        rlti_pool_for(s->def.pool, c->tile_count, retreat_tile, s);
    }
    memset(c->beyond, 0, (size_t)strands);
    for (int k = 0; k < strands; k++)
        if (c->cluster[k] != k)
            c->beyond[k] = c->beyond[c->cluster[k]] = 1;
    for (int k = 0; k < strands; k++)
        c->tally.retreated += c->beyond[k];
    return done;
}
