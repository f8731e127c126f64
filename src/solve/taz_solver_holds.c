/* Holds of constraints in tiles: a row for each class and point, with at most one hold of every lane. */
#include <string.h>

#include "solve/taz_solver_data.h"

/* Where each point's rows of one class begin, from the maximum that any strand has there; holds get their
 * row. */
static int rows_of_class(taz_solver *s, const int *strands, int count, int kind, int *counts, int used) {
    const rlti_holds *holds = rlti_drive_constraints(s->drive);
    int points = rlti_matter_longest(s->def.matter), *maximum = counts, *mine = counts + points;
    memset(maximum, 0, (size_t)points * sizeof *maximum);
    for (int k = 0; k < count; k++) {
        int *rows = s->hold_rows + s->first_row[strands[k]];
        memset(mine, 0, (size_t)points * sizeof *mine);
        for (int h = 0; h < rlti_holds_of(holds, strands[k]); h++) {
            rlti_hold_slot slot = rlti_holds_slot(holds, strands[k], h);
            if ((int)slot.kind != kind)
                continue;
            rows[h] = mine[slot.point]++;
            maximum[slot.point] = rows[h] + 1 > maximum[slot.point] ? rows[h] + 1 : maximum[slot.point];
        }
    }
    for (int p = 0; p < points; p++) {
        int here = maximum[p];
        maximum[p] = used;
        used += here;
    }
    for (int k = 0; k < count; k++) {
        int *rows = s->hold_rows + s->first_row[strands[k]];
        for (int h = 0; h < rlti_holds_of(holds, strands[k]); h++) {
            rlti_hold_slot slot = rlti_holds_slot(holds, strands[k], h);
            rows[h] += (int)slot.kind == kind ? maximum[slot.point] : 0;
        }
    }
    return used;
}

int rlti_taz_hold_rows(taz_solver *s, const int *strands, int count, int *counts, rlti_hold_slot *rows,
                       int capacity) {
    const rlti_holds *holds = rlti_drive_constraints(s->drive);
    int used = 0;
    for (int kind = 0; kind < RLTI_HOLD_CLASSES; kind++)
        used = rows_of_class(s, strands, count, kind, counts, used);
    for (int k = 0; k < count; k++)
        for (int h = 0; h < rlti_holds_of(holds, strands[k]); h++) {
            int row = s->hold_rows[s->first_row[strands[k]] + h];
            if (row < capacity)
                rows[row] = rlti_holds_slot(holds, strands[k], h);
        }
    return used;
}

void rlti_taz_hold_tile(taz_solver *s, int tile, int worker) {
    s->kernel->begin_holds(s->tiles[tile]);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        int strand = rlti_layout_strand(&s->layout, tile, lane);
        const rlti_hold *holds = NULL;
        int count = rlti_drive_holds(s->drive, strand, worker, &holds);
        for (int k = 0; k < count; k++)
            s->kernel->set_hold(s->tiles[tile], lane, s->hold_rows[s->first_row[strand] + k], &holds[k]);
    }
}
