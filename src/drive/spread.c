#include "drive/spread.h"

#include <string.h>

#include "base/memory.h"
#include "base/messages.h"

/* Exchange with one other rank: the particles of these strands, ascending. */
typedef struct neighbour {
    int rank;
    int *send, *receive; /* strands */
    int send_count, receive_count;
} neighbour;

struct rlti_spread {
    rlt_ranks *ranks;
    int rank, rank_count;
    const rlti_strands *strands;
    const rlti_particles *particles;
    int *part;            /* [strand_count] rank that computes it */
    unsigned char *local; /* [strand_count] */

    neighbour *neighbours; /* [neighbour_count] */
    rlti_neighbour *links; /* [neighbour_count] their buffers */
    int neighbour_count;
    rlti_exchange *exchange;
    size_t sent; /* bytes per exchange */

    long long *points, *counts; /* [rank_count] points and strands of each rank */
    size_t *bytes;              /* [rank_count] */
    char *pack;                 /* own data, in a row; `pack_capacity` bytes of scratch */
    char *all;                  /* everybody's */
    size_t pack_capacity, all_capacity;
};

void rlti_spread_destroy(rlti_spread *s) {
    if (s == NULL)
        return;
    rlti_exchange_destroy(s->exchange);
    for (int n = 0; s->neighbours != NULL && n < s->neighbour_count; n++)
        RLTI_FREE(s->neighbours[n].send, s->neighbours[n].receive, s->links[n].send, s->links[n].receive);
    RLTI_FREE(s->neighbours, s->links, s->part, s->local, s->points, s->counts, s->bytes, s->pack, s->all, s);
}

static size_t particle_bytes(const rlti_spread *s, const int *strands, int count) {
    size_t particles = 0;
    for (int k = 0; k < count; k++)
        particles += (size_t)(s->particles->first[strands[k] + 1] - s->particles->first[strands[k]]);
    return particles * sizeof(rlti_seen);
}

/* 1 if the strand, computed on rank `from`, has a neighbour on rank `to`. */
static int is_seen(const rlti_spread *s, const rlti_graph *graph, int strand, int from, int to) {
    if (s->part[strand] != from)
        return 0;
    for (long long e = graph->first[strand]; e < graph->first[strand + 1]; e++)
        if (s->part[graph->to[e]] == to)
            return 1;
    return 0;
}

/* Strands of `from` that are seen from `to`, ascending: both ranks make the same list. */
static int list_seen(const rlti_spread *s, const rlti_graph *graph, int from, int to, int *list) {
    int count = 0;
    for (int strand = 0; strand < graph->count; strand++)
        if (is_seen(s, graph, strand, from, to))
            list[count++] = strand;
    return count;
}

static int copy_list(const int *from, int count, int **to) {
    *to = RLTI_NEW(int, count);
    if (*to != NULL)
        memcpy(*to, from, (size_t)count * sizeof(int));
    return *to != NULL;
}

static int find_neighbours(rlti_spread *s, const rlti_graph *graph) {
    unsigned char *meets = RLTI_NEW(unsigned char, s->rank_count);
    int *list = RLTI_NEW(int, graph->count), done = meets != NULL && list != NULL;
    s->neighbours = RLTI_NEW(neighbour, s->rank_count);
    s->links = RLTI_NEW(rlti_neighbour, s->rank_count);
    done = done && s->neighbours != NULL && s->links != NULL;
    for (int strand = 0; done && strand < graph->count; strand++)
        for (long long e = graph->first[strand]; s->local[strand] && e < graph->first[strand + 1]; e++)
            meets[s->part[graph->to[e]]] = 1;
    for (int r = 0; done && r < s->rank_count; r++) {
        if (r == s->rank || !meets[r])
            continue;
        neighbour *n = &s->neighbours[s->neighbour_count];
        rlti_neighbour *link = &s->links[s->neighbour_count++];
        n->rank = link->rank = r;
        n->send_count = list_seen(s, graph, s->rank, r, list);
        done = copy_list(list, n->send_count, &n->send);
        n->receive_count = list_seen(s, graph, r, s->rank, list);
        done = done && copy_list(list, n->receive_count, &n->receive);
        if (!done)
            break;
        link->send_bytes = particle_bytes(s, n->send, n->send_count);
        link->receive_bytes = particle_bytes(s, n->receive, n->receive_count);
        link->send = rlti_allocate(1, link->send_bytes + 1);
        link->receive = rlti_allocate(1, link->receive_bytes + 1);
        done = link->send != NULL && link->receive != NULL;
        s->sent += link->send_bytes;
    }
    RLTI_FREE(meets, list);
    if (done && s->rank_count > 1)
        done = (s->exchange = rlti_exchange_create(s->ranks, s->links, s->neighbour_count)) != NULL;
    return done;
}

/* Runs of objects with about as many points, at least `few` objects to a rank; 0: it cannot be done, -1: out
 * of memory. */
static int share_objects(rlti_spread *s, const int *object, const int *work, int few) {
    int strands = s->strands->strand_count, objects = 0;
    long long all = 0, before = 0;
    for (int k = 0; k < strands; k++) {
        objects = object[k] + 1 > objects ? object[k] + 1 : objects;
        all += work[k];
    }
    long long *points = RLTI_NEW(long long, objects);
    int *ranks = RLTI_NEW(int, objects), known = points != NULL && ranks != NULL, done = known;
    for (int k = 0; done && k < strands; k++)
        points[object[k]] += work[k];
    for (int o = 0, rank = -1; done && o < objects; o++) {
        int next = (int)((2 * before + points[o]) * s->rank_count / (2 * all));
        done = next == rank || next == rank + 1;
        ranks[o] = rank = next;
        before += points[o];
        done = done && (o + 1 < objects || rank == s->rank_count - 1);
    }
    done = done && objects >= few * s->rank_count;
    for (int k = 0; done && k < strands; k++)
        s->part[k] = ranks[object[k]];
    RLTI_FREE(points, ranks);
    return known ? done : -1;
}

static rlt_status share_out(rlti_spread *s, rlt_partition method, const int *object, const rlti_graph *graph,
                            rlt_messages *messages) {
    enum { FEW = 8 }; /* objects of a rank: no rank has an eighth more than the mean */
    rlt_status status = RLT_OK;
    int *work = RLTI_NEW(int, graph->count);
    if (work == NULL)
        return rlti_out_of_memory(messages);
    for (int strand = 0; strand < graph->count; strand++)
        work[strand] = s->strands->first[strand + 1] - s->strands->first[strand];
    int shared = 0;
    if (s->rank_count > 1 && object != NULL && method == RLT_PARTITION_AUTO)
        shared = share_objects(s, object, work, FEW);
    if (shared < 0)
        status = rlti_out_of_memory(messages);
    else if (s->rank_count > 1 && !shared)
        status = rlti_partition(graph, work, s->rank_count, method, messages, s->part);
    for (int strand = 0; strand < graph->count && status == RLT_OK; strand++) {
        s->local[strand] = s->part[strand] == s->rank;
        s->points[s->part[strand]] += work[strand];
        s->counts[s->part[strand]]++;
    }
    rlti_free(work);
    return status;
}

rlt_status rlti_spread_create(rlt_ranks *ranks, rlt_partition method, const int *object,
                              const rlti_strands *strands, const rlti_particles *particles,
                              const rlti_graph *graph, rlt_messages *messages, rlti_spread **spread) {
    rlti_spread *s = RLTI_NEW(rlti_spread, 1);
    *spread = NULL;
    if (s == NULL)
        return rlti_out_of_memory(messages);
    s->ranks = ranks;
    s->rank = rlt_ranks_rank(ranks);
    s->rank_count = rlt_ranks_count(ranks);
    s->strands = strands;
    s->particles = particles;
    rlt_status status = RLT_OK;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(s->part, graph->count), RLTI_ITEMS(s->local, graph->count),
                       RLTI_ITEMS(s->points, s->rank_count), RLTI_ITEMS(s->counts, s->rank_count),
                       RLTI_ITEMS(s->bytes, s->rank_count)))
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK && graph->count == 0)
        status = rlti_refuse(messages, "there is no hair to simulate; a scene has it in its section hair");
    if (status == RLT_OK && s->rank_count > graph->count)
        status =
            rlti_refuse(messages, "%d ranks for %d hairs: at most one rank per hair; start fewer processes",
                        s->rank_count, graph->count);
    if (status == RLT_OK)
        status = share_out(s, method, object, graph, messages);
    if (status == RLT_OK && s->rank_count > 1) {
        /* the largest thing gathered is a point's position and velocity; measures of strands are smaller */
        s->pack_capacity = (size_t)s->points[s->rank] * 6 * sizeof(double) + (size_t)s->counts[s->rank] * 256;
        s->all_capacity = (size_t)strands->point_count * 6 * sizeof(double) + (size_t)graph->count * 256;
        s->pack = rlti_allocate(1, s->pack_capacity + 1);
        s->all = rlti_allocate(1, s->all_capacity + 1);
        if (s->pack == NULL || s->all == NULL || !find_neighbours(s, graph))
            status = rlti_out_of_memory(messages);
    }
    if (status != RLT_OK) {
        rlti_spread_destroy(s);
        return status;
    }
    *spread = s;
    return RLT_OK;
}

int rlti_spread_rank(const rlti_spread *s) {
    return s->rank;
}

int rlti_spread_ranks(const rlti_spread *s) {
    return s->rank_count;
}

rlt_ranks *rlti_spread_handle(const rlti_spread *s) {
    return s->ranks;
}

const unsigned char *rlti_spread_local(const rlti_spread *s) {
    return s->local;
}

int rlti_spread_owner(const rlti_spread *s, int strand) {
    return s->rank_count > 1 ? s->part[strand] : 0;
}

size_t rlti_spread_bytes(const rlti_spread *s) {
    return s->sent;
}

void rlti_spread_exchange(rlti_spread *s, rlti_springs *springs) {
    if (s->exchange == NULL)
        return;
    const int *first = s->particles->first;
    for (int n = 0; n < s->neighbour_count; n++) {
        rlti_seen *to = s->links[n].send;
        for (int k = 0; k < s->neighbours[n].send_count; k++) {
            int strand = s->neighbours[n].send[k];
            size_t count = (size_t)(first[strand + 1] - first[strand]);
            memcpy(to, rlti_springs_seen(springs, strand), count * sizeof(rlti_seen));
            to += count;
        }
    }
    rlti_exchange_begin(s->exchange);
    rlti_exchange_finish(s->exchange);
    for (int n = 0; n < s->neighbour_count; n++) {
        const rlti_seen *from = s->links[n].receive;
        for (int k = 0; k < s->neighbours[n].receive_count; k++) {
            int strand = s->neighbours[n].receive[k];
            size_t count = (size_t)(first[strand + 1] - first[strand]);
            memcpy(rlti_springs_seen(springs, strand), from, count * sizeof(rlti_seen));
            rlti_springs_looked(springs, strand);
            from += count;
        }
    }
}

/* Items of one strand in `data`. */
static char *items_of(const rlti_spread *s, void *data, size_t size, int by_point, int strand,
                      size_t *bytes) {
    const int *first = s->strands->first;
    *bytes = by_point ? (size_t)(first[strand + 1] - first[strand]) * size : size;
    return (char *)data + (by_point ? (size_t)first[strand] : (size_t)strand) * size;
}

/* Everybody's strands, to rank 0 or to all. */
static void gather(rlti_spread *s, void *data, size_t size, int by_point, int to_all) {
    size_t bytes;
    if (s->rank_count == 1)
        return;
    char *to = s->pack;
    for (int strand = 0; strand < s->strands->strand_count; strand++) {
        if (!s->local[strand])
            continue;
        const char *items = items_of(s, data, size, by_point, strand, &bytes);
        memcpy(to, items, bytes);
        to += bytes;
    }
    for (int r = 0; r < s->rank_count; r++)
        s->bytes[r] = (size_t)(by_point ? s->points[r] : s->counts[r]) * size;
    if (to_all)
        rlti_ranks_share(s->ranks, s->pack, s->bytes, s->all);
    else
        rlti_ranks_gather(s->ranks, s->pack, s->bytes, s->all);
    if (s->rank > 0 && !to_all)
        return;
    const char *from = s->all;
    for (int r = 0; r < s->rank_count; r++)
        for (int strand = 0; strand < s->strands->strand_count; strand++) {
            if (s->part[strand] != r)
                continue;
            char *items = items_of(s, data, size, by_point, strand, &bytes);
            memcpy(items, from, bytes);
            from += bytes;
        }
}

void rlti_spread_gather_points(rlti_spread *s, void *data, size_t size) {
    gather(s, data, size, 1, 0);
}

void rlti_spread_gather_strands(rlti_spread *s, void *data, size_t size) {
    gather(s, data, size, 0, 0);
}

void rlti_spread_share_points(rlti_spread *s, void *data, size_t size) {
    gather(s, data, size, 1, 1);
}

void rlti_spread_share_strands(rlti_spread *s, void *data, size_t size) {
    gather(s, data, size, 0, 1);
}
