/* Building the Taz solver: which strand sits in which lane, tiles, working memory. */
#include "base/memory.h"
#include "base/messages.h"
#include "solve/taz_solver_data.h"

void rlti_taz_solver_clear(taz_solver *s) {
    for (int t = 0; s->tiles != NULL && t < s->layout.tile_count; t++)
        s->kernel->destroy(s->tiles[t]);
    rlti_free(s->tiles);
    rlti_layout_destroy(&s->layout);
    rlti_taz_sag_destroy(s->resag);
    RLTI_FREE(s->scratch, s->hold_rows, s->first_row);
    s->tiles = NULL;
}

/* Memory for the rows of every hold of every strand. */
static int make_row_lists(taz_solver *s) {
    const rlti_holds *holds = s->drive != NULL ? rlti_drive_constraints(s->drive) : NULL;
    int count = 0;
    if (holds == NULL)
        return 1;
    s->first_row = RLTI_NEW(int, s->model->strand_count);
    if (s->first_row == NULL)
        return 0;
    for (int k = 0; k < s->model->strand_count; k++) {
        s->first_row[k] = count;
        count += rlti_holds_of(holds, k);
    }
    s->hold_rows = RLTI_NEW(int, count);
    return s->hold_rows != NULL;
}

/* Rows of holds in one tile; *rows is the caller's. 0 when out of memory. */
static int make_rows(taz_solver *s, const int *strands, int count, rlti_hold_slot **rows, int *row_count) {
    *rows = NULL;
    *row_count = 0;
    if (s->hold_rows == NULL)
        return 1;
    int *counts = RLTI_NEW(int, 2 * (size_t)rlti_matter_longest(s->def.matter));
    if (counts == NULL)
        return 0;
    *row_count = rlti_taz_hold_rows(s, strands, count, counts, NULL, 0);
    *rows = RLTI_NEW(rlti_hold_slot, *row_count);
    if (*rows != NULL)
        rlti_taz_hold_rows(s, strands, count, counts, *rows, *row_count);
    rlti_free(counts);
    return *rows != NULL;
}

static int make_tile(taz_solver *s, int t, int moving_air) {
    const int *strands = s->layout.order + s->layout.first[t];
    rlti_tile_def def = {.model = s->model,
                         .hair = &s->def.scene->hair[s->def.strands->hair[strands[0]]],
                         .strands = strands,
                         .count = rlti_layout_size(&s->layout, t),
                         .force_step = s->force_step,
                         .damping_steps = s->def.scene->time.damping_steps,
                         .wind = moving_air,
                         .pushed = s->drive != NULL ? rlti_drive_has_pushes(s->drive) : s->loads != NULL};
    rlti_hold_slot *rows;
    int made = make_rows(s, strands, def.count, &rows, &def.hold_count);
    def.holds = rows;
    s->tiles[t] = made ? s->kernel->create(&def) : NULL;
    rlti_free(rows);
    return s->tiles[t] != NULL;
}

rlt_status rlti_taz_solver_make(taz_solver *s, const unsigned char *local, rlt_messages *messages) {
    int moving_air = 0, done = 1;
    s->scratch_bytes = rlti_cache_lines(s->kernel->scratch_bytes(rlti_matter_longest(s->def.matter)));
    s->scratch = rlti_allocate((size_t)rlti_pool_threads(s->def.pool), s->scratch_bytes);
    if (s->scratch == NULL || !make_row_lists(s) ||
        !rlti_layout_create(&s->def, s->drive, local, s->kernel->lanes, &s->layout))
        return rlti_out_of_memory(messages);
    for (int p = 0; p < s->model->point_count; p++)
        moving_air = moving_air || s->model->drag[p] > 0.0;
    s->tiles = RLTI_NEW(rlti_tile *, s->layout.tile_count);
    done = s->tiles != NULL;
    for (int t = 0; done && t < s->layout.tile_count; t++)
        done = make_tile(s, t, moving_air);
    return done ? RLT_OK : rlti_out_of_memory(messages);
}
