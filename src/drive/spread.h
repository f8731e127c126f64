/* How strands are spread over ranks: who computes which, and what the ranks send each other. Every rank has
 * built the whole groom, model and contact graph by itself, so that all agree without a word; only what moves
 * is sent. With one rank all strands are local and nothing is sent. */
#ifndef RLTI_DRIVE_SPREAD_H
#define RLTI_DRIVE_SPREAD_H

#include "partition/partition.h"
#include "contact/hair/springs.h"
#include "distribute/ranks.h"

typedef struct rlti_spread rlti_spread;

/* Shares out the strands along the contact graph; or by `object` [strand_count], where there are enough of
 * these, no method is asked for, and it is not NULL: each object as a whole, those that follow each other to
 * one rank. More ranks than strands is refused. Collective. */
rlt_status rlti_spread_create(rlt_ranks *ranks, rlt_partition method, const int *object,
                              const rlti_strands *strands, const rlti_particles *particles,
                              const rlti_graph *graph, rlt_messages *messages, rlti_spread **spread);
void rlti_spread_destroy(rlti_spread *spread);

int rlti_spread_rank(const rlti_spread *spread);
int rlti_spread_ranks(const rlti_spread *spread);
rlt_ranks *rlti_spread_handle(const rlti_spread *spread);
const unsigned char *rlti_spread_local(const rlti_spread *spread); /* [strand_count] 1: computed here */
int rlti_spread_owner(const rlti_spread *spread, int strand);      /* the rank that computes it */

/* Once per outer step, after all local strands were shown: sends the particles that others see,
 * takes in those that are seen from here. Collective. */
void rlti_spread_exchange(rlti_spread *spread, rlti_springs *springs);
size_t rlti_spread_bytes(const rlti_spread *spread); /* sent by this rank in one exchange */

/* Brings something that every strand has (`size` bytes per point, or per strand) to rank 0: `data` is indexed
 * by point or by strand over the whole groom; each rank has filled in its own strands. Collective. */
void rlti_spread_gather_points(rlti_spread *spread, void *data, size_t size);
void rlti_spread_gather_strands(rlti_spread *spread, void *data, size_t size);
/* The same to every rank. */
void rlti_spread_share_points(rlti_spread *spread, void *data, size_t size);
void rlti_spread_share_strands(rlti_spread *spread, void *data, size_t size);

#endif
