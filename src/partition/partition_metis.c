/* METIS: a multilevel graph partitioner, by G. Karypis and V. Kumar. */
#include "partition/partition_methods.h"

#include "base/memory.h"

#if RLTI_HAVE_METIS

#include <metis.h>
#include <stdint.h>

int rlti_partition_has_metis(void) {
    return 1;
}

/* METIS may be built with 32 or 64 bits; its arrays are copied, whatever it has. */
typedef struct metis_graph {
    idx_t *first, *to, *work, *part;
} metis_graph;

static int copy_graph(const rlti_graph *graph, const int *work, metis_graph *copy) {
    long long ends = graph->first[graph->count];
    *copy = (metis_graph){0};
    if (sizeof(idx_t) < sizeof(long long) && ends > INT32_MAX)
        return 0;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(copy->first, (size_t)graph->count + 1), RLTI_ITEMS(copy->to, ends),
                       RLTI_ITEMS(copy->work, graph->count), RLTI_ITEMS(copy->part, graph->count)))
        return 0;
    for (int h = 0; h <= graph->count; h++)
        copy->first[h] = (idx_t)graph->first[h];
    for (long long e = 0; e < ends; e++)
        copy->to[e] = (idx_t)graph->to[e];
    for (int h = 0; h < graph->count; h++)
        copy->work[h] = (idx_t)work[h];
    return 1;
}

int rlti_partition_metis(const rlti_graph *graph, const int *work, int parts, int attempt, int *part) {
    metis_graph copy;
    idx_t count = graph->count, constraints = 1, wanted = parts, cut = 0, options[METIS_NOPTIONS];
    int ok = copy_graph(graph, work, &copy);
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = attempt + 1;
    /* Recursive bisection is quick for any number of parts and balances well; the direct method finds less
     * cut where parts are few. */
    int recursive = parts > 64 || attempt % 2 == 0;
    options[METIS_OPTION_UFACTOR] = recursive ? 4 : 30; /* thousandths above the mean */
    if (ok && recursive)
        ok = METIS_PartGraphRecursive(&count, &constraints, copy.first, copy.to, copy.work, NULL, NULL,
                                      &wanted, NULL, NULL, options, &cut, copy.part) == METIS_OK;
    else if (ok)
        ok = METIS_PartGraphKway(&count, &constraints, copy.first, copy.to, copy.work, NULL, NULL, &wanted,
                                 NULL, NULL, options, &cut, copy.part) == METIS_OK;
    for (int h = 0; ok && h < graph->count; h++)
        part[h] = (int)copy.part[h];
    RLTI_FREE(copy.first, copy.to, copy.work, copy.part);
    return ok;
}

#else

int rlti_partition_has_metis(void) {
    return 0;
}

int rlti_partition_metis(const rlti_graph *graph, const int *work, int parts, int attempt, int *part) {
    (void)graph;
    (void)work;
    (void)parts;
    (void)attempt;
    (void)part;
    return 0;
}

#endif
