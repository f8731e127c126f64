#include "partition/partition_counts.h"

#include "base/memory.h"

#include <string.h>

static void add(rlti_part_counts *counts, int hair, int part) {
    rlti_part_count *table = counts->table + counts->first[hair];
    unsigned mask = (unsigned)(counts->first[hair + 1] - counts->first[hair]) - 1;
    unsigned i = rlti_part_hash(part) & mask;
    while (table[i].part != 0 && table[i].part != part + 1)
        i = (i + 1) & mask;
    table[i].part = part + 1;
    table[i].count++;
}

/* Linear probing without tombstones: the entries after a removed one move up. */
static void take(rlti_part_counts *counts, int hair, int part) {
    rlti_part_count *table = counts->table + counts->first[hair];
    unsigned mask = (unsigned)(counts->first[hair + 1] - counts->first[hair]) - 1;
    unsigned i = rlti_part_hash(part) & mask;
    while (table[i].part != part + 1)
        i = (i + 1) & mask;
    if (--table[i].count > 0)
        return;
    for (unsigned next = (i + 1) & mask; table[next].part != 0; next = (next + 1) & mask) {
        unsigned home = rlti_part_hash(table[next].part - 1) & mask;
        if (((next - home) & mask) >= ((next - i) & mask)) {
            table[i] = table[next];
            i = next;
        }
    }
    table[i] = (rlti_part_count){0};
}

int rlti_part_counts_create(const rlti_graph *graph, int parts, rlti_part_counts *counts) {
    *counts = (rlti_part_counts){0};
    counts->first = RLTI_NEW(long long, (size_t)graph->count + 1);
    if (counts->first == NULL)
        return 0;
    for (int h = 0; h < graph->count; h++) {
        long long known = graph->first[h + 1] - graph->first[h], size = 2;
        known = known < parts ? known : parts;
        while (size < 2 * known)
            size *= 2;
        counts->first[h + 1] = counts->first[h] + size;
    }
    counts->table = RLTI_NEW(rlti_part_count, counts->first[graph->count]);
    return counts->table != NULL;
}

void rlti_part_counts_fill(rlti_part_counts *counts, const rlti_graph *graph, const int *part) {
    memset(counts->table, 0, (size_t)counts->first[graph->count] * sizeof *counts->table);
    for (int h = 0; h < graph->count; h++)
        for (long long e = graph->first[h]; e < graph->first[h + 1]; e++)
            add(counts, h, part[graph->to[e]]);
}

void rlti_part_counts_destroy(rlti_part_counts *counts) {
    RLTI_FREE(counts->first, counts->table);
}

void rlti_part_counts_move(rlti_part_counts *counts, int hair, int from, int to) {
    take(counts, hair, from);
    add(counts, hair, to);
}
