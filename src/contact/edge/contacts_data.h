/* Inside of the contacts' handle, shared by contacts.c, share.c, pairs.c, faces.c and shapes.c. */
#ifndef RLTI_CONTACT_EDGE_CONTACTS_DATA_H
#define RLTI_CONTACT_EDGE_CONTACTS_DATA_H

#include <stdint.h>

#include "contact/edge/contacts.h"
#include "contact/edge/kernel_pairs.h"
#include "contact/edge/nearest.h"
#include "contact/edge/sift.h"
#include "distribute/ranks.h"

/* Runs that one task searches from, which follow each other in the tree: what is near one is in the cache for
 * the next. Each has lists of its own: how far they have grown does not depend on threads. */
enum { RLTI_EDGE_CHUNK = 16 };

/* Neighbours of a chunk's runs in the last full search: half runs, for each half of a run, and triangles, for
 * each run. The i-th has those from first[i] to first[i + 1] - 1. */
typedef struct rlti_edge_runs {
    int capacity, first[RLTI_EDGE_CHUNK * RLTI_EDGE_HALVES + 1];
    rlti_edge_near *items;
} rlti_edge_runs;
typedef struct rlti_edge_list {
    int capacity, first[RLTI_EDGE_CHUNK + 1];
    uint64_t *keys;
} rlti_edge_list;

typedef struct rlti_edge_chunk {
    int count, capacity;
    rlti_edge_contact *items;
    int second_capacity;
    int *second; /* strand[1] of each: rlti_edge_seconds */
    int eight_count, eight_capacity;
    rlti_edge_eight *eights; /* runs whose boxes meet that of one run */
    int wide_count, wide_capacity;
    uint32_t *wide; /* the same of the eight runs around it: rlti_edge_wide */
    int key_count, key_capacity;
    uint64_t *keys; /* triangles that edges of one run may have contacts with: rlti_edge_key */
    int other_count, other_capacity;
    int *others;                     /* edges that those of one run may have contacts with: rlti_edge_other */
    int other_end[RLTI_SWEEP_WIDTH]; /* beyond those of each edge of the run */
    int face_capacity;
    rlti_edge_near *faces; /* half runs of triangles that are near a half run of edges */
    int held_count, held_capacity;
    rlti_edge_contact *held;  /* contacts of its runs with bodies */
    rlti_edge_runs edges;     /* pairs that may have them in a search to come: candidates.c */
    rlti_edge_list triangles; /* the same */
    rlti_edge_runs old_edges; /* of the search before */
    rlti_edge_list old_triangles;
    long long pairs;
    int failed; /* out of memory */
} rlti_edge_chunk;

/* The contacts of a run: where they stand in its chunk, and in the list of all. */
typedef struct rlti_edge_found {
    int first, count, place;
    int passages; /* of these */
} rlti_edge_found;

/* The same of a run that another rank has searched from. */
typedef struct rlti_edge_counts {
    int count, passages; /* the first -1: out of memory there */
} rlti_edge_counts;

/* A passage of this step. */
typedef struct rlti_edge_kept {
    rlti_edge_contact contact;
    double level; /* of a body: its place along the normal at the end of the step */
} rlti_edge_kept;

struct rlti_edge_contacts {
    rlti_edge_strands strands;
    const rlti_edge_sieve *sieve;
    const rlti_edge_kernel *kernel;
    int run_count, chunk_count;
    int *first_run;           /* [strand_count + 1] */
    int *run_strand;          /* [run_count] */
    int *run_point;           /* [run_count] first point of its first edge */
    int *place_point;         /* [run_count] the same in the order of the tree */
    unsigned char *run_alive; /* [run_count] bit i: its i-th edge may have contacts at all */
    int (*half_end)[3]; /* [half runs] all edges are neighbours before the first, none from the second; where
                         * their bits begin in `neighbours` */
    uint16_t *neighbours; /* of each half run, with the half runs from its first to its second end */
    int neighbour_capacity;
    int short_edges;            /* 1: against radii; boxes tell no more then than chords do */
    double edge;                /* mean length at rest [unit] */
    rlti_edge_found *run_found; /* [run_count] of the last search */
    double *along;              /* [points] from the root along the groom [unit] */
    rlti_sweep_tree tree;
    rlti_edge_chords *chords; /* [run_count / 8, rounded up] in the order of the tree */
    rlti_edge_chunk *chunks;  /* [chunk_count] */

    /* known.c: lists of this step, and how long they last */
    int known;               /* 1: they are there */
    int known_bodies;        /* how many they are for */
    int renew, some;         /* 1: this search makes those of all runs anew; those of some, run_anew */
    int searches;            /* of this step so far */
    int wild;                /* 1: no lists are kept in this step: they would cost more than they save */
    unsigned char *run_anew; /* [run_count] */
    float *run_change;       /* [run_count] expected in the second search [unit] */
    float *margin;           /* [run_count] in the order of the tree: pairs are listed
                                                      * up to so much beyond their contacts [unit] */
    float *slack;            /* the same for pairs that are listed in this search */
    rlti_vec3 (*known_end)[RLTI_SWEEP_WIDTH + 1]; /* [run_count] where points ended then */
    rlti_sweep_tree anew;                         /* boxes of those runs alone, from level 1 on */

    /* of the last search */
    int only_passages; /* 1: of edges, nothing else is listed */
    const rlti_vec3 *start, *end;
    rlti_vec3 centre;
    float *columns[RLTI_EDGE_COLUMNS]; /* of points, in single precision: sift.h */
    rlti_edge_row *rows;               /* [points] where they end: kernel_pairs.h */
    rlti_edge_row *groom;              /* [points] the same at rest; NULL unless `keep` */
    const rlti_edge_mesh *const *bodies;
    int body_count;
    int count, capacity;
    rlti_edge_contact *items; /* in one piece, where somebody has asked for that */

    /* share.c: chunks of several ranks; NULL: one has all */
    rlt_ranks *ranks;
    int *rank_chunk;          /* [ranks + 1] first chunk of each */
    size_t *rank_bytes;       /* [ranks] */
    rlti_edge_counts *counts; /* [run_count] in the order of the tree */
    int shared_count, shared_capacity;
    rlti_edge_contact *shared; /* of all ranks, in that order */
    int second_capacity;
    int *second; /* the same as of chunks */

    /* passages of the step so far, in order */
    int kept_count, kept_capacity;
    rlti_edge_kept *kept;
};

/* An edge of a strand, with its first point in all arrays. */
typedef struct rlti_strand_edge {
    int strand, edge, point;
    int last; /* of its strand */
} rlti_strand_edge;

rlti_strand_edge rlti_strand_edge_of(const rlti_edge_contacts *contacts, int run, int item);

/* A radius on an edge. */
static inline double rlti_edge_radius(const double *radius, const rlti_strand_edge *edge, double share) {
    return (1.0 - share) * radius[edge->point] + share * radius[edge->point + 1];
}

/* A pair of a run's edge and a triangle, counted through all bodies. As numbers they are in the order of the
 * list. */
static inline uint64_t rlti_edge_key(int item, uint64_t triangle) {
    return (uint64_t)item << 60 | triangle;
}
static inline int rlti_edge_key_item(uint64_t key) {
    return (int)(key >> 60);
}
static inline uint64_t rlti_edge_key_triangle(uint64_t key) {
    return key << 4 >> 4;
}

/* Another edge, eight numbers for each run, and whether they may pass each other. */
static inline int rlti_edge_other(int edge, int pass) {
    return 2 * edge + pass;
}

/* The greater radius of an edge's points. */
static inline double rlti_edge_greatest_radius(const double *radius, int point) {
    return fmax(fabs(radius[point]), fabs(radius[point + 1]));
}

/* The place of a run among those of its chunk. */
static inline int rlti_edge_chunk_place(const rlti_edge_contacts *contacts, int run) {
    return contacts->tree.place[run] % RLTI_EDGE_CHUNK;
}

/* The chunk that a run belongs to. */
static inline rlti_edge_chunk *rlti_edge_chunk_of(const rlti_edge_contacts *contacts, int run) {
    return &contacts->chunks[contacts->tree.place[run] / RLTI_EDGE_CHUNK];
}

/* The contacts of a run, NULL where it has none. */
static inline const rlti_edge_contact *rlti_edge_run_items(const rlti_edge_contacts *contacts, int run) {
    const rlti_edge_found *found = &contacts->run_found[run];
    const rlti_edge_contact *items =
        contacts->ranks != NULL ? contacts->shared : rlti_edge_chunk_of(contacts, run)->items;
    return found->count > 0 ? items + found->first : NULL;
}

/* How many edges of a run there are. */
int rlti_edge_run_length(const rlti_edge_contacts *contacts, int run);

/* Whether lists of pairs have to be made anew, and for which runs. */
void rlti_edge_known_begin(rlti_edge_contacts *contacts, rlti_pool *pool);
int rlti_edge_is_anew(const rlti_edge_contacts *contacts, int run);

/* Before a search: lists of pairs that have to be made anew. Before those of a chunk. Of each run, its pairs
 * in order, to chunk->others and chunk->keys; 0 when out of memory. After it. */
void rlti_edge_candidates_begin(rlti_edge_contacts *contacts, rlti_pool *pool);
void rlti_edge_candidates_begin_chunk(const rlti_edge_contacts *contacts, rlti_edge_chunk *chunk);
int rlti_edge_candidates_find(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk);
void rlti_edge_candidates_end(rlti_edge_contacts *contacts, int done);

/* The contacts of two edges: none, one or two. `may_pass` is 0 only where they surely do not. */
int rlti_edge_pair(const rlti_edge_contacts *contacts, const rlti_strand_edge *a, const rlti_strand_edge *b,
                   int may_pass, rlti_edge_contact found[2]);

/* Contacts of the runs of a chunk, one after the other: pairs of edges wait until there are eight to be
 * looked into at once, also of several runs. */
typedef struct rlti_edge_waiting {
    int count;
    rlti_strand_edge edge[2][RLTI_EDGE_PACK];
    int place[RLTI_EDGE_PACK]; /* of the run that the pair is of */
    unsigned single, pass;     /* bits: to be looked into one by one; that may pass each other */
    rlti_edge_pack pack;
    int first, now; /* places of the chunk's first run, and of that whose contacts are next */
    int begun;      /* where these begin */
    int held, held_end[RLTI_EDGE_CHUNK]; /* the next of chunk->held; beyond those of each run */
} rlti_edge_waiting;
void rlti_edge_pairs_begin(const rlti_edge_contacts *contacts, int first, rlti_edge_waiting *waiting);

/* Adds the contacts of a run's edges with chunk->others, those of rlti_edge_pair, and those of chunk->held
 * with bodies among them, in order; and at the end those that still wait. They return 0 when out of
 * memory. */
int rlti_edge_pairs_meet(const rlti_edge_contacts *contacts, int run, rlti_edge_waiting *waiting,
                         rlti_edge_chunk *chunk);
int rlti_edge_pairs_end(const rlti_edge_contacts *contacts, int end, rlti_edge_waiting *waiting,
                        rlti_edge_chunk *chunk);

/* How near a place on an edge may come to a body: a point (share 1), or what is between points. */
double rlti_edge_body_radius(const rlti_edge_contacts *contacts, const rlti_strand_edge *edge, int body,
                             double share, int between);

/* Whether a strand meets a body at all. */
int rlti_edge_meets(const rlti_edge_contacts *contacts, int strand, int body);

/* Adds the contact of an edge with a sphere or capsule. Returns 0 when out of memory. */
int rlti_edge_shape(const rlti_edge_contacts *contacts, const rlti_strand_edge *edge, int body,
                    rlti_edge_chunk *chunk);

/* How far from a body the edge that begins at a point may have contacts with it. */
double rlti_edge_body_reach(const rlti_edge_contacts *contacts, int point);

/* Adds the contacts of an edge with these triangles of a body, given in increasing order. Returns 0 when
 * out of memory. */
int rlti_edge_faces(const rlti_edge_contacts *contacts, const rlti_strand_edge *edge, int body,
                    const uint64_t *triangles, int count, rlti_edge_chunk *chunk);

/* Adds the passages of earlier searches of the step to the list, and keeps all that it has then. Returns 0
 * when out of memory. */
int rlti_edge_contacts_keep(rlti_edge_contacts *contacts);

/* Chunks that this rank searches: first, and one beyond the last. */
void rlti_edge_share_chunks(rlti_edge_contacts *contacts, int *first, int *end);
/* Contacts that other ranks have found, to contacts->shared and run_found. Returns 0 when out of memory, on
 * any rank. */
int rlti_edge_share_found(rlti_edge_contacts *contacts);

/* Lists the second strands of the contacts of a list from `first` on. Returns 0 when out of memory. */
int rlti_edge_seconds(const rlti_edge_contact *items, int first, int count, int **second, int *capacity);

int rlti_edge_chunk_add(rlti_edge_chunk *chunk, const rlti_edge_contact *contact);

#endif
