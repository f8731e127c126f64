/* Building the Rod solver: which strand sits in which lane, tiles, working memory. */
#include "base/memory.h"
#include "base/messages.h"
#include "scene/readers.h"
#include "solve/rod_solver_data.h"

void rlti_rod_solver_clear(rod_solver *s) {
    for (int t = 0; s->tiles != NULL && t < s->layout.tile_count; t++)
        s->engine->destroy(s->tiles[t]);
    for (int w = 0; s->work != NULL && w < rlti_pool_threads(s->def.pool); w++) {
        s->engine->destroy(s->work[w].gathered);
        RLTI_FREE(s->work[w].positions, s->work[w].planes, s->work[w].met, s->work[w].accelerations);
    }
    rlti_rod_solver_free_contacts(s);
    rlti_free(s->tiles);
    rlti_layout_destroy(&s->layout);
    rlti_rod_sag_destroy(s->resag);
    RLTI_FREE(s->roots, s->tallies, s->scratch, s->work, s->spare, s->live, s->live_of, s->live_met);
    s->tiles = NULL;
}

/* Tiles that a worker has in a step at a time. */
static int job_count(const rod_solver *s) {
    return s->gathers ? s->engine->lanes + 1 : 1;
}

size_t rlti_rod_solver_met(const rod_solver *s) {
    int planes = s->drive != NULL && rlti_drive_has_planes(s->drive);
    return planes ? (size_t)s->engine->lanes * (size_t)rlti_matter_longest(s->def.matter) : 0;
}

static int make_jobs(const rod_solver *s, rod_work *work) {
    size_t each = rlti_rod_solver_met(s);
    work->met = RLTI_NEW(rod_met, (size_t)job_count(s) * each);
    for (int k = 0; k < s->engine->lanes; k++)
        work->seats[k].job = -1;
    for (int k = 0; k <= s->engine->lanes; k++)
        work->jobs[k].tile = -1;
    for (int k = 0; work->met != NULL && k < job_count(s); k++)
        work->jobs[k].met = work->met + (size_t)k * each;
    return work->met != NULL;
}

/* Frames are prepared at every point; the Coil has none. */
static size_t spare_count(const rod_solver *s) {
    return s->model->coil ? 1 : (size_t)s->model->point_count;
}

static int make_work(rod_solver *s) {
    size_t longest = (size_t)rlti_matter_longest(s->def.matter);
    int threads = rlti_pool_threads(s->def.pool);
    int done = RLTI_ALLOCATE(RLTI_ITEMS(s->work, threads), RLTI_ITEMS(s->spare, spare_count(s)));
    for (int w = 0; done && w < threads; w++) {
        rod_work *work = &s->work[w];
        done = RLTI_ALLOCATE(RLTI_ITEMS(work->positions, 2 * longest), /* and velocities */
                             RLTI_ITEMS(work->planes, RLTI_IMPLICIT_SIDES * longest)) &&
               make_jobs(s, work);
        work->velocities = done ? work->positions + longest : NULL;
        work->longest = (int)longest;
    }
    return done;
}

static rlti_energy_kind energy_of(const rlti_hair_data *hair) {
    static const rlti_energy_kind coils[] = {[RLTI_COIL_FILTERED] = RLTI_ENERGY_COIL,
                                             [RLTI_COIL_FILTERED_STRETCH] = RLTI_ENERGY_COIL_STRETCH,
                                             [RLTI_COIL_GAUSS_NEWTON] = RLTI_ENERGY_COIL_GAUSS,
                                             [RLTI_COIL_UNFILTERED] = RLTI_ENERGY_COIL_UNFILTERED};
    if (rlti_hair_is_coil(hair))
        return coils[hair->coil.matrix];
    return hair->rod.gradient == RLTI_ROD_EXACT ? RLTI_ENERGY_ROD : RLTI_ENERGY_ROD_PRINTED;
}

/* A worker's share must do for every section. */
static size_t scratch_bytes(const rod_solver *s) {
    size_t most = 0;
    for (int h = 0; h < s->def.scene->hair_count; h++) {
        size_t bytes =
            s->engine->scratch_bytes(energy_of(&s->def.scene->hair[h]), rlti_matter_longest(s->def.matter));
        most = bytes > most ? bytes : most;
    }
    return rlti_cache_lines(most);
}

static int make_tile(rod_solver *s, int t) {
    const rlti_holds *holds = s->drive != NULL ? rlti_drive_constraints(s->drive) : NULL;
    int pulls = s->drive != NULL ? rlti_drive_pull_capacity(s->drive) : 0;
    rlti_implicit_strand strands[RLTI_BLOCK_STRANDS];
    rlti_implicit_def def = {.energy = energy_of(rod_hair(s, t)),
                             .strands = strands,
                             .count = rlti_layout_size(&s->layout, t),
                             .planes = rod_has_planes(s, t),
                             .free_root = rlti_hair_root_is_free(rod_hair(s, t)),
                             .meets = s->drive != NULL && rlti_hair_solves_contacts(rod_hair(s, t))};
    def.unloaded = s->drive != NULL; /* trials alone have them */
    def.inverts = def.meets && s->def.scene->contact_block == RLTI_BLOCK_WHOLE;
    for (int lane = 0; lane < def.count; lane++) {
        int strand = rlti_layout_strand(&s->layout, t, lane);
        int count = (holds != NULL ? rlti_holds_of(holds, strand) : 0) + pulls;
        strands[lane] = rod_strand(s, strand);
        def.holds = count > def.holds ? count : def.holds;
    }
    s->tiles[t] = s->engine->create(&def);
    return s->tiles[t] != NULL;
}

/* Where a worker's strands that take long are finished: seats for the longest of them. */
static int make_gathered(rod_solver *s) {
    const rlti_holds *holds = s->drive != NULL ? rlti_drive_constraints(s->drive) : NULL;
    int pulls = s->drive != NULL ? rlti_drive_pull_capacity(s->drive) : 0;
    int threads = rlti_pool_threads(s->def.pool), longest = 0, done = 1;
    rlti_implicit_strand strands[RLTI_BLOCK_STRANDS];
    rlti_implicit_def def = {.strands = strands, .count = s->engine->lanes};
    for (int i = 0; i < s->layout.count; i++) {
        int strand = s->layout.order[i], count = (holds != NULL ? rlti_holds_of(holds, strand) : 0) + pulls;
        longest =
            s->model->strands[strand].points > s->model->strands[longest].points || i == 0 ? strand : longest;
        def.holds = count > def.holds ? count : def.holds;
    }
    for (int t = 0; t < s->layout.tile_count; t++)
        def.planes = def.planes || rod_has_planes(s, t);
    for (int k = 0; k < def.count; k++)
        strands[k] = rod_strand(s, longest);
    def.energy = energy_of(rod_hair(s, 0));
    for (int w = 0; done && w < threads; w++) {
        s->work[w].gathered = s->engine->create(&def);
        done = s->work[w].gathered != NULL;
    }
    return done;
}

rlt_status rlti_rod_solver_make(rod_solver *s, const unsigned char *local, rlt_messages *messages) {
    int strands = s->model->strand_count;
    s->scratch_bytes = scratch_bytes(s);
    if (!RLTI_ALLOCATE(RLTI_ITEMS(s->scratch, (size_t)rlti_pool_threads(s->def.pool) * s->scratch_bytes),
                       RLTI_ITEMS(s->roots, strands), RLTI_ITEMS(s->tallies, strands)) ||
        !rlti_layout_create(&s->def, s->drive, local, s->engine->lanes, &s->layout))
        return rlti_out_of_memory(messages);
    /* with few tiles for each worker there is little to gather, and its memory is a large part of all */
    s->gathers = s->engine->lanes > 1 && s->layout.tile_count >= ROD_TILES * rlti_pool_threads(s->def.pool);
    if (!make_work(s))
        return rlti_out_of_memory(messages);
    for (int k = 0; k < strands; k++)
        s->roots[k] = (rlti_motion_segment){.rotation = {{1.0, 0.0, 0.0, 0.0}}}; /* still */
    s->tiles = RLTI_NEW(rlti_implicit_tile *, s->layout.tile_count);
    int done = s->tiles != NULL;
    for (int t = 0; done && t < s->layout.tile_count; t++)
        done = make_tile(s, t);
    done = done && (!s->gathers || make_gathered(s)) && rlti_rod_solver_find_live(s) &&
           rlti_rod_solver_find_contacts(s, messages);
    return done ? RLT_OK : rlti_out_of_memory(messages);
}

size_t rlti_rod_solver_bytes(const rlti_solver *solver) {
    const rod_solver *s = (const rod_solver *)solver;
    size_t strands = (size_t)s->model->strand_count, threads = (size_t)rlti_pool_threads(s->def.pool);
    size_t work = (size_t)rlti_matter_longest(s->def.matter) *
                      (2 * sizeof(rlti_vec3) + RLTI_IMPLICIT_SIDES * sizeof(rlti_plane)) +
                  (size_t)job_count(s) * rlti_rod_solver_met(s) * sizeof(rod_met);
    if (s->gathers)
        work += s->engine->bytes(s->work[0].gathered);
    size_t sum = sizeof *s + spare_count(s) * sizeof *s->spare + rlti_rod_model_bytes(s->model) +
                 threads * (s->scratch_bytes + work) +
                 strands * (sizeof *s->layout.places + sizeof *s->roots + sizeof *s->tallies);
    for (int t = 0; t < s->layout.tile_count; t++)
        sum += s->engine->bytes(s->tiles[t]);
    return sum + rlti_rod_solver_contact_bytes(s) + rlti_rod_solver_live_bytes(s) +
           rlti_rod_solver_link_bytes(s);
}
