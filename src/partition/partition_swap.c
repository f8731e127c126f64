/* Greedy swaps (Taz paper section 4.2): two hairs of two parts change places if that lowers the number of
 * edges between parts, until no such pair is found. Where that ends is not always a good place: small graphs
 * are then shaken (some hairs of two parts mixed) and swapped again, and the better result is kept. */
#include "base/memory.h"
#include "base/random.h"
#include "partition/partition_counts.h"
#include "partition/partition_methods.h"

#include <string.h>

/* Parts that a hair searches for a partner: those that know most of its neighbours. */
#define TARGETS 8

/* Swaps at most, per hair; real graphs need fewer than ten. */
#define SWAPS_PER_HAIR 100

/* How many of the smaller part's hairs a shake exchanges with another part's. */
#define SHAKEN 0.3

typedef struct swapper {
    const rlti_graph *graph;
    const int *work;
    int parts;
    int *part;
    long long limit; /* no swap lifts a part above it */
    int *first;      /* [parts + 1] into member; the sizes never change */
    int *member;     /* [count] hairs, part by part */
    int *place;      /* [count] where each hair is in `member` */
    int *inside;     /* [count] neighbours in the own part */
    int *seen;       /* [count] 1 + the last hair checked that has this one as a neighbour */
    int *best;       /* [count] the best partition so far, between shakes */
    long long *load; /* [parts] */
    rlti_part_counts counts;
} swapper;

static void swapper_destroy(swapper *s) {
    RLTI_FREE(s->first, s->member, s->place, s->inside, s->seen, s->best, s->load);
    rlti_part_counts_destroy(&s->counts);
}

static int swapper_create(swapper *s) {
    size_t n = (size_t)s->graph->count, parts = (size_t)s->parts;
    return RLTI_ALLOCATE(RLTI_ITEMS(s->first, parts + 1), RLTI_ITEMS(s->member, n), RLTI_ITEMS(s->place, n),
                         RLTI_ITEMS(s->inside, n), RLTI_ITEMS(s->seen, n), RLTI_ITEMS(s->best, n),
                         RLTI_ITEMS(s->load, parts)) &&
           rlti_part_counts_create(s->graph, s->parts, &s->counts);
}

/* Everything that follows from s->part. */
static void swapper_load(swapper *s) {
    memset(s->first, 0, ((size_t)s->parts + 1) * sizeof *s->first);
    memset(s->load, 0, (size_t)s->parts * sizeof *s->load);
    rlti_part_counts_fill(&s->counts, s->graph, s->part);
    for (int h = 0; h < s->graph->count; h++) {
        s->first[s->part[h]]++;
        s->load[s->part[h]] += s->work[h];
        s->inside[h] = rlti_part_counts_get(&s->counts, h, s->part[h]);
    }
    for (int p = 1; p <= s->parts; p++)
        s->first[p] += s->first[p - 1]; /* the ends of the parts, which become their beginnings */
    for (int h = s->graph->count - 1; h >= 0; h--) {
        s->place[h] = --s->first[s->part[h]];
        s->member[s->place[h]] = h;
    }
}

/* Updates the neighbours of a hair that has gone from part a to part b. */
static void update_neighbours(swapper *s, int hair, int a, int b) {
    for (long long e = s->graph->first[hair]; e < s->graph->first[hair + 1]; e++) {
        int other = s->graph->to[e];
        rlti_part_counts_move(&s->counts, other, a, b);
        s->inside[other] += (s->part[other] == b) - (s->part[other] == a);
    }
}

static void swap(swapper *s, int h, int g) {
    int a = s->part[h], b = s->part[g], place = s->place[h];
    s->place[h] = s->place[g];
    s->place[g] = place;
    s->member[s->place[h]] = h;
    s->member[s->place[g]] = g;
    s->load[a] += s->work[g] - s->work[h];
    s->load[b] += s->work[h] - s->work[g];
    update_neighbours(s, h, a, b);
    s->part[h] = b;
    s->inside[h] = rlti_part_counts_get(&s->counts, h, b);
    update_neighbours(s, g, b, a);
    s->part[g] = a;
    s->inside[g] = rlti_part_counts_get(&s->counts, g, a);
}

/* The parts other than its own that know most of the hair's neighbours, best first; returns how many. */
static int find_targets(const swapper *s, int hair, int *targets) {
    const rlti_part_count *table = s->counts.table + s->counts.first[hair];
    long long size = s->counts.first[hair + 1] - s->counts.first[hair];
    int known[TARGETS], count = 0;
    for (long long i = 0; i < size; i++) {
        int target = table[i].part - 1, value = table[i].count, at = count;
        if (target < 0 || target == s->part[hair])
            continue;
        while (at > 0 && (value > known[at - 1] || (value == known[at - 1] && target < targets[at - 1])))
            at--;
        if (at == TARGETS)
            continue;
        count += count < TARGETS;
        for (int k = count - 1; k > at; k--) {
            known[k] = known[k - 1];
            targets[k] = targets[k - 1];
        }
        known[at] = value;
        targets[at] = target;
    }
    return count;
}

/* A part above the limit may still get lighter. */
static int may_take(const swapper *s, int part, long long change) {
    return change <= 0 || s->load[part] + change <= s->limit;
}

/* Swaps the hair with the partner that lowers the cut most; returns by how much, 0 if there is none. */
static int improve(swapper *s, int hair) {
    const rlti_graph *graph = s->graph;
    int targets[TARGETS], count = find_targets(s, hair, targets), a = s->part[hair];
    if (count == 0)
        return 0;
    for (long long e = graph->first[hair]; e < graph->first[hair + 1]; e++)
        s->seen[graph->to[e]] = hair + 1;
    int best = 0, partner = -1;
    for (int t = 0; t < count; t++) {
        int b = targets[t], gain = rlti_part_counts_get(&s->counts, hair, b) - s->inside[hair];
        for (int i = s->first[b]; i < s->first[b + 1]; i++) {
            int g = s->member[i];
            int both = gain - s->inside[g] - 2 * (s->seen[g] == hair + 1);
            int outside = (int)(graph->first[g + 1] - graph->first[g]) - s->inside[g];
            if (both + outside <= best)
                continue; /* even if all its neighbours outside were in a */
            both += rlti_part_counts_get(&s->counts, g, a);
            long long change = s->work[hair] - s->work[g];
            if (both > best && may_take(s, b, change) && may_take(s, a, -change)) {
                best = both;
                partner = g;
            }
        }
    }
    if (partner >= 0)
        swap(s, hair, partner);
    return best;
}

static void descend(swapper *s) {
    long long left = (long long)SWAPS_PER_HAIR * s->graph->count;
    for (int found = 1; found && left > 0;) {
        found = 0;
        for (int h = 0; h < s->graph->count; h++)
            if (improve(s, h) > 0) {
                found = 1;
                left--;
            }
    }
}

/* Exchanges some hairs of one part with hairs of another that knows it. */
static void shake(swapper *s, uint64_t seed) {
    int a = (int)(rlti_random(seed, 0, 0) * s->parts), size = s->first[a + 1] - s->first[a];
    int asked = s->member[s->first[a] + (int)(rlti_random(seed, 0, 1) * size)];
    int targets[TARGETS], count = find_targets(s, asked, targets);
    if (count == 0)
        return;
    int b = targets[(int)(rlti_random(seed, 0, 2) * (count < 3 ? count : 3))];
    for (int i = s->first[a]; i < s->first[a + 1]; i++) {
        if (rlti_random(seed, (uint64_t)i, 3) > SHAKEN)
            continue;
        int j = (int)(rlti_random(seed, (uint64_t)i, 4) * (s->first[b + 1] - s->first[b]));
        int h = s->member[i], g = s->member[s->first[b] + j];
        long long change = s->work[h] - s->work[g];
        if (may_take(s, b, change) && may_take(s, a, -change))
            swap(s, h, g);
    }
}

int rlti_partition_swap(const rlti_graph *graph, const int *work, int parts, long long limit, int shakes,
                        int *part) {
    size_t bytes = (size_t)graph->count * sizeof *part;
    swapper s = {.graph = graph, .work = work, .parts = parts, .part = part, .limit = limit};
    int ok = swapper_create(&s);
    if (ok) {
        swapper_load(&s);
        descend(&s);
    }
    if (ok && shakes > 0 && parts > 1) {
        long long best = rlti_partition_cut(graph, part);
        memcpy(s.best, part, bytes);
        for (int i = 0; i < shakes; i++) {
            shake(&s, (uint64_t)i);
            descend(&s);
            long long cut = rlti_partition_cut(graph, part);
            if (cut <= best) {
                best = cut;
                memcpy(s.best, part, bytes);
            } else {
                memcpy(part, s.best, bytes);
                swapper_load(&s);
            }
        }
    }
    swapper_destroy(&s);
    return ok;
}
