/* Repairs the balance of a partition that comes from elsewhere. */
#include "base/memory.h"
#include "partition/partition_methods.h"

#include <limits.h>

typedef struct balance {
    const rlti_graph *graph;
    const int *work;
    int parts;
    int *part;
    long long *load; /* [parts] */
    int *hairs;      /* [parts] how many */
    int *known;      /* [parts] neighbours of the present hair; zero between two hairs */
} balance;

static void move(balance *b, int hair, int to) {
    int from = b->part[hair];
    b->load[from] -= b->work[hair];
    b->load[to] += b->work[hair];
    b->hairs[from]--;
    b->hairs[to]++;
    b->part[hair] = to;
}

/* The part with capacity for the hair that knows most of its neighbours, the lightest of these; -1 if there
 * is none. *gain is by how much the cut falls. */
static int find_lighter_part(balance *b, int hair, long long limit, int *gain) {
    const rlti_graph *graph = b->graph;
    for (long long e = graph->first[hair]; e < graph->first[hair + 1]; e++)
        b->known[b->part[graph->to[e]]]++;
    int best = -1, own = b->known[b->part[hair]];
    for (int p = 0; p < b->parts; p++) {
        if (p == b->part[hair] || b->load[p] + b->work[hair] > limit)
            continue;
        if (best < 0 || b->known[p] > b->known[best] ||
            (b->known[p] == b->known[best] && b->load[p] < b->load[best]))
            best = p;
    }
    *gain = best >= 0 ? b->known[best] - own : INT_MIN;
    for (long long e = graph->first[hair]; e < graph->first[hair + 1]; e++)
        b->known[b->part[graph->to[e]]] = 0;
    return best;
}

/* Takes one hair out of a part that is too heavy, the one that costs least; returns 0 when none finds a
 * place. */
static int relieve(balance *b, int part, long long limit) {
    int best = -1, best_to = -1, best_gain = INT_MIN;
    for (int h = 0; h < b->graph->count; h++) {
        if (b->part[h] != part)
            continue;
        int gain = 0, to = find_lighter_part(b, h, limit, &gain);
        if (to >= 0 && gain > best_gain) {
            best = h;
            best_to = to;
            best_gain = gain;
        }
    }
    if (best >= 0)
        move(b, best, best_to);
    return best >= 0;
}

/* An empty part takes the lightest hair of the part with most hairs. */
static void fill(balance *b, int part) {
    int fullest = 0, hair = -1;
    for (int p = 1; p < b->parts; p++)
        if (b->hairs[p] > b->hairs[fullest])
            fullest = p;
    for (int h = 0; h < b->graph->count; h++)
        if (b->part[h] == fullest && (hair < 0 || b->work[h] < b->work[hair]))
            hair = h;
    move(b, hair, part);
}

int rlti_partition_even_out(const rlti_graph *graph, const int *work, int parts, long long limit, int *part) {
    balance b = {.graph = graph, .work = work, .parts = parts, .part = part};
    int result =
        RLTI_ALLOCATE(RLTI_ITEMS(b.load, parts), RLTI_ITEMS(b.hairs, parts), RLTI_ITEMS(b.known, parts)) ? 1
                                                                                                         : -1;
    if (result == 1) {
        for (int h = 0; h < graph->count; h++) {
            b.load[part[h]] += work[h];
            b.hairs[part[h]]++;
        }
        for (int p = 0; p < parts; p++)
            if (b.hairs[p] == 0)
                fill(&b, p);
        for (int p = 0; p < parts; p++)
            while (b.load[p] > limit && b.hairs[p] > 1 && relieve(&b, p, limit))
                continue;
        for (int p = 0; p < parts; p++)
            if (b.load[p] > limit)
                result = 0;
    }
    RLTI_FREE(b.load, b.hairs, b.known);
    return result;
}
