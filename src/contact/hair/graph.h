/* The contact graph: which pairs of hairs may touch (Taz paper section 4.2). Built once, from the groom at
 * rest, and the same on every rank: who talks to whom never changes during a run. */
#ifndef RLTI_CONTACT_HAIR_GRAPH_H
#define RLTI_CONTACT_HAIR_GRAPH_H

#include "contact/hair/particles.h"
#include "parallel/pool.h"

/* Compressed rows: the neighbours of hair h are to[first[h]] .. to[first[h + 1] - 1], ascending. Every edge
 * stands twice, once from each end; no hair is its own neighbour. */
typedef struct rlti_graph {
    int count;        /* hairs */
    long long *first; /* [count + 1] */
    int *to;          /* [first[count]] */
    int *order;       /* [count] all hairs; those that lie together in the groom stand together */
    /* what pruning left, in edges (each counted once) */
    long long edges_full;  /* pairs of hairs that could meet at all: both with contacts, same group */
    long long edges_near;  /* after the reach and the count of touches (r_c, n_t) */
    long long edges_final; /* after the random fraction: first[count] / 2 */
    long long looked;      /* work of making it: pairs of hairs and boxes of a tree looked at */
} rlti_graph;

/* Fails only when out of memory. */
rlt_status rlti_graph_create(const rlti_scene_data *scene, const rlti_strands *strands,
                             const rlti_particles *particles, rlti_pool *pool, rlt_messages *messages,
                             rlti_graph **graph);
void rlti_graph_destroy(rlti_graph *graph);

/* The group of a section's contacts: sections share a number when theirs has the same name. -1: no contacts.
 */
int rlti_graph_group(const rlti_scene_data *scene, int hair);

#endif
