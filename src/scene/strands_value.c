/* Strands given point by point in the scene file. */
#include <stdio.h>

#include "base/memory.h"
#include "scene/value.h"

/* Two points closer than this are one point [unit]. */
#define SHORTEST_EDGE 1e-9

/* The place of one point, with a buffer for its name. */
typedef struct inside {
    rlti_place place;
    char key[200];
} inside;

static const rlti_place *point_place(inside *in, const rlti_place *place, int strand, int point) {
    snprintf(in->key, sizeof in->key, "%.140s: strand %d, point %d", place->key, strand, point);
    in->place = *place;
    in->place.key = in->key;
    return &in->place;
}

static int read_point(const rlti_place *place, const rlti_row *row, const rlti_node *node, double *point) {
    if (node->kind != RLTI_NODE_LIST || node->count != 3)
        return rlti_value_problem(place, node, "must be 3 numbers, as in [0, -1, 0]");
    int good = 1;
    for (const rlti_node *item = node->first; item != NULL; item = item->next)
        good &= rlti_number_read(place, row, item, point++);
    return good;
}

static int is_zero_edge(const double *a, const double *b) {
    double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    return !(x * x + y * y + z * z > SHORTEST_EDGE * SHORTEST_EDGE);
}

static int read_points(const rlti_place *place, const rlti_row *row, const rlti_node *node, int strand,
                       double *points) {
    int good = 1, before = 0, i = 0; /* before: the previous point is good */
    for (const rlti_node *item = node->first; item != NULL && !rlti_problems_full(place->problems);
         item = item->next, i++) {
        inside in;
        double *point = points + 3 * (size_t)i;
        int here = read_point(point_place(&in, place, strand, i), row, item, point);
        if (here && before && is_zero_edge(point - 3, point)) {
            rlti_problem_at(place->problems, place->source, item->line, item->column,
                            "%s: strand %d, edge %d: has zero length; remove one of its two points",
                            place->key, strand, i - 1);
            good = 0;
        }
        good &= here;
        before = here;
    }
    return good;
}

static int read_strand(const rlti_place *place, const rlti_row *row, const rlti_node *node, int index,
                       rlti_strand_data *strand) {
    if (node->kind != RLTI_NODE_LIST) {
        rlti_problem_at(place->problems, place->source, node->line, node->column,
                        "%s: strand %d: must be a list of points", place->key, index);
        return 0;
    }
    if (node->count < 2) {
        rlti_problem_at(place->problems, place->source, node->line, node->column,
                        "%s: strand %d has %d point%s: needs at least 2", place->key, index, node->count,
                        node->count == 1 ? "" : "s");
        return 0;
    }
    if (!rlti_budget_take(place, node, 4 * (long long)node->count))
        return 0;
    strand->points = RLTI_NEW(double, 3 * (size_t)node->count);
    if (strand->points == NULL) {
        rlti_problems_no_memory(place->problems);
        return 0;
    }
    strand->point_count = node->count;
    return read_points(place, row, node, index, strand->points);
}

int rlti_strands_read(const rlti_place *place, const rlti_row *row, const rlti_node *node,
                      rlti_hair_data *hair) {
    if (node->kind != RLTI_NODE_LIST)
        return rlti_value_problem(place, node, "must be a list of strands, each a list of [x, y, z] points%s",
                                  node->kind == RLTI_NODE_SCALAR ? "; how many are grown is hair.count" : "");
    rlti_strands_free(hair);
    if (node->count == 0)
        return 1;
    hair->strands = RLTI_NEW(rlti_strand_data, node->count);
    if (hair->strands == NULL) {
        rlti_problems_no_memory(place->problems);
        return 0;
    }
    hair->strand_count = node->count;
    int good = 1, i = 0;
    for (const rlti_node *item = node->first; item != NULL && !rlti_problems_full(place->problems);
         item = item->next, i++)
        good &= read_strand(place, row, item, i, &hair->strands[i]);
    return good;
}

void rlti_strands_free(rlti_hair_data *hair) {
    for (int i = 0; i < hair->strand_count; i++)
        rlti_free(hair->strands[i].points);
    rlti_free(hair->strands);
    hair->strands = NULL;
    hair->strand_count = 0;
}
