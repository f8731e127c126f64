/* Searches by several ranks. Every rank knows all points, and has the tree of all runs; each searches from
 * the runs of a part of the chunks, which follow each other in the tree, and sends what it has found to the
 * others. So each has the list of all, as one rank alone would have made it. */
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "contact/edge/contacts_data.h"

int rlti_edge_contacts_set_ranks(rlti_edge_contacts *contacts, rlt_ranks *ranks) {
    int count = rlt_ranks_count(ranks);
    if (count < 2)
        return 1;
    contacts->ranks = ranks;
    return RLTI_ALLOCATE(RLTI_ITEMS(contacts->rank_chunk, count + 1), RLTI_ITEMS(contacts->rank_bytes, count),
                         RLTI_ITEMS(contacts->counts, contacts->run_count));
}

/* The work of a chunk, by its contacts in the last search: those of a run, and as much as some of them for
 * the walk through the tree. */
static long long work_of(const rlti_edge_contacts *contacts, int chunk) {
    enum { WALK = 8 };
    long long work = 0;
    for (int place = chunk * RLTI_EDGE_CHUNK;
         place < (chunk + 1) * RLTI_EDGE_CHUNK && place < contacts->run_count; place++)
        work += WALK + contacts->counts[place].count;
    return work;
}

/* Parts of about equal work. All ranks know the same counts, and come to the same parts. */
static void divide(rlti_edge_contacts *contacts) {
    int ranks = rlt_ranks_count(contacts->ranks), rank = 0;
    long long all = 0, sum = 0;
    for (int c = 0; c < contacts->chunk_count; c++) {
        contacts->chunks[c].pairs = 0; /* another rank may have it now */
        all += work_of(contacts, c);
    }
    for (int c = 0; c < contacts->chunk_count; c++) {
        while (rank < ranks && sum * ranks >= all * rank) /* the chunk begins at or beyond the rank's share */
            contacts->rank_chunk[rank++] = c;
        sum += work_of(contacts, c);
    }
    while (rank <= ranks)
        contacts->rank_chunk[rank++] = contacts->chunk_count;
}

void rlti_edge_share_chunks(rlti_edge_contacts *contacts, int *first, int *end) {
    if (contacts->ranks == NULL)
        return;
    if (contacts->renew) /* lists of pairs stay where they were made, else */
        divide(contacts);
    *first = contacts->rank_chunk[rlt_ranks_rank(contacts->ranks)];
    *end = contacts->rank_chunk[rlt_ranks_rank(contacts->ranks) + 1];
}

/* The runs of a rank's chunks: the first in the order of the tree; those of `rank_count` are all. */
static int first_place(const rlti_edge_contacts *contacts, int rank) {
    int place = contacts->rank_chunk[rank] * RLTI_EDGE_CHUNK;
    return place < contacts->run_count ? place : contacts->run_count;
}

/* How many contacts each run has. */
static void share_counts(rlti_edge_contacts *contacts) {
    int rank = rlt_ranks_rank(contacts->ranks), first = first_place(contacts, rank);
    for (int place = first; place < first_place(contacts, rank + 1); place++) {
        const rlti_edge_found *found = &contacts->run_found[contacts->tree.run[place]];
        int failed = contacts->chunks[place / RLTI_EDGE_CHUNK].failed;
        contacts->counts[place] = (rlti_edge_counts){failed ? -1 : found->count, found->passages};
    }
    for (int r = 0; r < rlt_ranks_count(contacts->ranks); r++)
        contacts->rank_bytes[r] =
            (size_t)(first_place(contacts, r + 1) - first_place(contacts, r)) * sizeof *contacts->counts;
    rlti_ranks_share(contacts->ranks, contacts->counts + first, contacts->rank_bytes, contacts->counts);
}

/* Where the contacts of each run will stand; how many bytes each rank sends. Returns how many contacts there
 * are, -1 where a rank was out of memory. */
static long long place_found(rlti_edge_contacts *contacts) {
    long long count = 0;
    int failed = 0;
    for (int r = 0; r < rlt_ranks_count(contacts->ranks); r++) {
        long long before = count;
        for (int place = first_place(contacts, r); place < first_place(contacts, r + 1); place++) {
            failed |= contacts->counts[place].count < 0 || count > INT32_MAX / 2;
            rlti_edge_found *found = &contacts->run_found[contacts->tree.run[place]];
            found->first = failed ? 0 : (int)count;
            found->count = failed ? 0 : contacts->counts[place].count;
            found->passages = contacts->counts[place].passages;
            count += found->count;
        }
        contacts->rank_bytes[r] = (size_t)(count - before) * sizeof *contacts->shared;
    }
    return failed ? -1 : count;
}

int rlti_edge_share_found(rlti_edge_contacts *contacts) {
    int rank = rlt_ranks_rank(contacts->ranks);
    share_counts(contacts);
    long long count = place_found(contacts);
    double failed =
        count < 0 || !RLTI_LIST_RESERVE(contacts->shared, 0, (int)count + 1, contacts->shared_capacity);
    rlt_ranks_sum(contacts->ranks, &failed, 1);
    if (failed > 0.0)
        return 0;
    size_t before = 0;
    for (int r = 0; r < rank; r++)
        before += contacts->rank_bytes[r];
    rlti_edge_contact *mine = contacts->shared + before / sizeof *mine, *to = mine;
    for (int c = contacts->rank_chunk[rank]; c < contacts->rank_chunk[rank + 1]; c++) {
        if (contacts->chunks[c].count > 0)
            memcpy(to, contacts->chunks[c].items, (size_t)contacts->chunks[c].count * sizeof *to);
        to += contacts->chunks[c].count;
    }
    rlti_ranks_share(contacts->ranks, mine, contacts->rank_bytes, contacts->shared);
    contacts->shared_count = (int)count;
    return rlti_edge_seconds(contacts->shared, 0, (int)count, &contacts->second, &contacts->second_capacity);
}
