#include "partition/partition.h"

#include "base/memory.h"
#include "base/messages.h"
#include "partition/partition_methods.h"

#include <limits.h>
#include <string.h>

void rlti_partition_runs(int count, const int *work, int parts, int *part) {
    long long total = 0, done = 0;
    for (int h = 0; h < count; h++)
        total += work[h];
    for (int h = 0, p = 0; h < count; h++) {
        /* by the middle of the hair, so that parts are as equal as whole hairs can be */
        long long wanted =
            total > 0 ? (2 * done + work[h]) * parts / (2 * total) : (long long)h * parts / count;
        if (h > 0 && wanted > p && p < parts - 1)
            p++;
        if (p < parts - (count - h)) /* a hair is left for each part to come */
            p = parts - (count - h);
        part[h] = p;
        done += work[h];
    }
}

long long rlti_partition_limit(int count, const int *work, int parts, int *part, long long *loads) {
    const double tolerance = 1.03;
    long long total = 0, maximum = 0;
    rlti_partition_runs(count, work, parts, part);
    memset(loads, 0, (size_t)parts * sizeof *loads);
    for (int h = 0; h < count; h++) {
        total += work[h];
        loads[part[h]] += work[h];
        maximum = loads[part[h]] > maximum ? loads[part[h]] : maximum;
    }
    long long limit = (long long)(tolerance * (double)total / parts);
    return limit > maximum ? limit : maximum;
}

long long rlti_partition_cut(const rlti_graph *graph, const int *part) {
    long long cut = 0;
    for (int h = 0; h < graph->count; h++)
        for (long long e = graph->first[h]; e < graph->first[h + 1]; e++)
            cut += part[h] != part[graph->to[e]];
    return cut / 2;
}

/* Shakes that there is time for. */
static int count_shakes(const rlti_graph *graph) {
    long long shakes = 1000000 / (graph->first[graph->count] + 1);
    return shakes < 100 ? (int)shakes : 100;
}

/* The best of some answers of METIS, each evened out and improved by swaps, if that is better than `part`
 * already is. Returns 0 when out of memory. */
static int try_metis(const rlti_graph *graph, const int *work, int parts, long long limit, int *part) {
    /* large graphs are cut well at once, and take seconds */
    int attempts = graph->first[graph->count] < 500000 ? 8 : 2, ok = 1;
    size_t bytes = (size_t)graph->count * sizeof *part;
    int *tried = RLTI_NEW(int, graph->count), *best = RLTI_NEW(int, graph->count);
    long long best_cut = LLONG_MAX;
    if (tried == NULL || best == NULL)
        ok = 0;
    for (int i = 0; ok && i < attempts && rlti_partition_metis(graph, work, parts, i, tried); i++) {
        int even = rlti_partition_even_out(graph, work, parts, limit, tried);
        ok = even >= 0 && rlti_partition_swap(graph, work, parts, limit, 0, tried);
        long long cut = ok ? rlti_partition_cut(graph, tried) : LLONG_MAX;
        if (even == 1 && cut < best_cut) {
            best_cut = cut;
            memcpy(best, tried, bytes);
        }
    }
    if (ok && best_cut < LLONG_MAX) {
        ok = rlti_partition_swap(graph, work, parts, limit, count_shakes(graph), best);
        if (ok && rlti_partition_cut(graph, best) <= rlti_partition_cut(graph, part))
            memcpy(part, best, bytes);
    }
    RLTI_FREE(tried, best);
    return ok;
}

rlt_status rlti_partition(const rlti_graph *graph, const int *work, int parts, rlt_partition method,
                          rlt_messages *messages, int *part) {
    long long *loads = RLTI_NEW(long long, parts);
    if (loads == NULL)
        return rlti_out_of_memory(messages);
    long long limit = rlti_partition_limit(graph->count, work, parts, part, loads);
    rlti_free(loads);

    int ok = 1;
    if (method != RLT_PARTITION_SPLIT && parts > 1) /* the paper's method: from equal runs, by swaps */
        ok = rlti_partition_swap(graph, work, parts, limit, count_shakes(graph), part);
    if (ok && (method == RLT_PARTITION_METIS || method == RLT_PARTITION_AUTO) && parts > 1)
        ok = try_metis(graph, work, parts, limit, part);
    return ok ? RLT_OK : rlti_out_of_memory(messages);
}

/* Hairs by part: `member` lists them, those of part p from first[p] to first[p + 1] - 1. */
static void list_members(int count, int parts, const int *part, int *first, int *member) {
    memset(first, 0, ((size_t)parts + 1) * sizeof *first);
    for (int h = 0; h < count; h++)
        first[part[h]]++;
    for (int p = 1; p <= parts; p++)
        first[p] += first[p - 1]; /* the ends of the parts, which become their beginnings */
    for (int h = count - 1; h >= 0; h--)
        member[--first[part[h]]] = h;
}

/* How many other parts the hairs of part p have neighbours in. `seen` is [parts], and holds no p + 1 yet. */
static int count_neighbours(const rlti_graph *graph, const int *part, int p, const int *first,
                            const int *member, int *seen) {
    int count = 0;
    for (int i = first[p]; i < first[p + 1]; i++)
        for (long long e = graph->first[member[i]]; e < graph->first[member[i] + 1]; e++) {
            int other = part[graph->to[e]];
            if (other != p && seen[other] != p + 1) {
                seen[other] = p + 1;
                count++;
            }
        }
    return count;
}

rlt_status rlti_partition_measure(const rlti_graph *graph, const int *work, int parts, const int *part,
                                  rlt_messages *messages, rlti_partition_quality *quality) {
    int *first = RLTI_NEW(int, (size_t)parts + 1), *member = RLTI_NEW(int, graph->count),
        *seen = RLTI_NEW(int, parts);
    rlt_status status = RLT_OK;
    *quality = (rlti_partition_quality){.balance = 1.0};
    if (first == NULL || member == NULL || seen == NULL) {
        status = rlti_out_of_memory(messages);
    } else {
        list_members(graph->count, parts, part, first, member);
        quality->cut = rlti_partition_cut(graph, part);
        quality->minimum = graph->count;
        long long heaviest = 0, total = 0;
        for (int p = 0; p < parts; p++) {
            int hairs = first[p + 1] - first[p],
                neighbours = count_neighbours(graph, part, p, first, member, seen);
            long long load = 0;
            for (int i = first[p]; i < first[p + 1]; i++)
                load += work[member[i]];
            total += load;
            heaviest = load > heaviest ? load : heaviest;
            quality->maximum = hairs > quality->maximum ? hairs : quality->maximum;
            quality->minimum = hairs < quality->minimum ? hairs : quality->minimum;
            if (neighbours > quality->largest_neighbours)
                quality->largest_neighbours = neighbours;
        }
        if (total > 0)
            quality->balance = (double)heaviest * parts / (double)total;
        long long edges = graph->first[graph->count] / 2;
        quality->split_share = edges > 0 ? (double)quality->cut / (double)edges : 0.0;
    }
    RLTI_FREE(first, member, seen);
    return status;
}
