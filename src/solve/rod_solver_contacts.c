/* Contacts between strands, solved together with their elasticity: Algorithm 1 of the Rod's paper.
 *
 * A step of all strands that touch: each tile begins it and iterates a little by itself. Then, until nothing
 * moves any more, contacts are found where the iterates are; all tiles with open strands, or strands that
 * have contacts, factor their matrices; forces are solved for all of them at once (contact/couple); and every
 * strand takes Newton's step with its forces. Contacts do not outlive a step, so there is nothing to keep in
 * checkpoints. All ranks know all points and solve for the same forces; each moves its own strands. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "contact/couple/couple_edges.h"
#include "contact/hair/particles.h"
#include "scene/readers.h"
#include "solve/rod_solver_data.h"

/* Points of an object: contacts within it see each other at once. */
enum { ROD_OBJECT = 1000 };

struct rod_contacts {
    rlti_edge_strands strands;
    double *radius;        /* [points] */
    double (*friction)[2]; /* [strands] */
    int *group, *object;   /* [strands] */
    rlti_edge_contacts *found;
    rlti_couple *couple;
    rlti_couple_settings settings;
    rlti_couple_contact *list, *before; /* now, and in the last search of the step */
    int count, capacity, before_count, before_capacity;
    rlti_vec3 *start, *end, *moved, *force; /* [points] world */
    double *softness;                       /* [points] */
    double *inverses;                       /* whole ones of the strands that move */
    size_t *inverse_at;                     /* [strands] where each begins */
    unsigned char *moves;                   /* [strands] 1: it has one */
    size_t inverse_capacity;
    int tile_count;
    int *tiles;      /* [tile_count] whose strands touch others */
    rod_job *jobs;   /* [tile_count] */
    unsigned *lanes; /* [tiles of the layout] with contacts, or open */
    rod_met *met;    /* of all jobs */

    /* the present step */
    double at; /* its end, 0..1 of the frame interval */
    int index; /* counted from the interval's start */
    int round;
    rod_contact_tally tally; /* of the frame */
};

/* 1: the section's strands meet others within the solve. */
static int touches(const rod_solver *s, int hair) {
    return rlti_hair_solves_contacts(&s->def.scene->hair[hair]);
}

static int is_mine(const rod_solver *s, int strand) {
    return s->def.mine[strand] && touches(s, s->def.strands->hair[strand]);
}

int rlti_rod_solver_touches(const rod_solver *s, int tile) {
    return s->contacts != NULL && touches(s, s->def.strands->hair[rlti_layout_strand(&s->layout, tile, 0)]);
}

/* ---- building ---- */

/* Sections with the same name of a group meet; -1: none. */
static int group_of(const rod_solver *s, int hair) {
    const rlti_hair_data *list = s->def.scene->hair;
    for (int h = 0; h < hair; h++)
        if (touches(s, h) && strcmp(list[h].contact_group, list[hair].contact_group) == 0)
            return h;
    return hair;
}

static void fill_strands(const rod_solver *s, rod_contacts *c) {
    const rlti_strands *strands = s->def.strands;
    for (int k = 0; k < strands->strand_count; k++) {
        const rlti_hair_data *hair = &s->def.scene->hair[strands->hair[k]];
        c->group[k] = is_mine(s, k) ? group_of(s, strands->hair[k]) : -1;
        c->friction[k][0] = c->friction[k][1] = hair->contact_friction;
    }
    rlti_particles_radii(s->def.scene, strands, s->def.matter, c->radius);
}

/* Contacts stay listed while they are open by less than this: a tenth of the mean radius. */
static double offset_of(const rod_solver *s, const rod_contacts *c) {
    double sum = 0.0;
    int count = 0;
    for (int k = 0; k < s->def.strands->strand_count; k++)
        for (int i = s->def.strands->first[k]; c->group[k] >= 0 && i < s->def.strands->first[k + 1]; i++) {
            sum += c->radius[i];
            count++;
        }
    return count > 0 ? 0.1 * sum / count : 0.0;
}

static int make_tiles(rod_solver *s, rod_contacts *c) {
    size_t each = rlti_rod_solver_met(s);
    int all = s->layout.tile_count;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(c->tiles, all), RLTI_ITEMS(c->jobs, all), RLTI_ITEMS(c->lanes, all)))
        return 0;
    for (int t = 0; t < all; t++)
        if (touches(s, s->def.strands->hair[rlti_layout_strand(&s->layout, t, 0)]))
            c->tiles[c->tile_count++] = t;
    c->met = RLTI_NEW(rod_met, (size_t)c->tile_count * each);
    for (int k = 0; c->met != NULL && k < c->tile_count; k++)
        c->jobs[k] = (rod_job){.tile = -1, .met = c->met + (size_t)k * each};
    return c->met != NULL;
}

/* NULL where nothing touches. Returns 0 when out of memory. */
int rlti_rod_solver_find_contacts(rod_solver *s, rlt_messages *messages) {
    const rlti_strands *strands = s->def.strands;
    int any = 0, count = strands->strand_count, points = strands->first[count];
    for (int k = 0; k < count; k++)
        any = any || is_mine(s, k);
    if (!any || s->drive == NULL)
        return 1;
    rod_contacts *c = s->contacts = RLTI_NEW(rod_contacts, 1);
    if (c == NULL ||
        !RLTI_ALLOCATE(RLTI_ITEMS(c->radius, points), RLTI_ITEMS(c->friction, count),
                       RLTI_ITEMS(c->group, count), RLTI_ITEMS(c->object, count),
                       RLTI_ITEMS(c->start, points), RLTI_ITEMS(c->end, points), RLTI_ITEMS(c->moved, points),
                       RLTI_ITEMS(c->force, points), RLTI_ITEMS(c->softness, points),
                       RLTI_ITEMS(c->inverse_at, count), RLTI_ITEMS(c->moves, count)))
        return 0;
    fill_strands(s, c);
    rlti_couple_group(count, strands->first, ROD_OBJECT, c->object);
    c->strands = (rlti_edge_strands){.strand_count = count,
                                     .first = strands->first,
                                     .rest = strands->points,
                                     .radius = c->radius,
                                     .friction = (const double(*)[2])c->friction,
                                     .group = c->group,
                                     .offset = offset_of(s, c),
                                     .self = s->def.scene->contact_self,
                                     .keep = 1};
    memcpy(c->end, strands->points, (size_t)points * sizeof *c->end);
    memcpy(c->start, strands->points, (size_t)points * sizeof *c->start);
    c->settings = (rlti_couple_settings){
        .block = s->def.scene->contact_block == RLTI_BLOCK_LUMPED ? RLTI_COUPLE_LUMPED : RLTI_COUPLE_WHOLE,
        .max_cbs = s->def.scene->contact_iterations,
        .max_lcp = s->def.scene->contact_sweeps,
        .tolerance = s->def.scene->contact_tolerance * 10.0 * c->strands.offset,
        .compliance = s->def.scene->contact_compliance,
        .accelerate = 1,
        .warm = 1};
    c->found = rlti_edge_contacts_create(&c->strands);
    c->couple = rlti_couple_create(count, strands->first, c->object);
    return c->found != NULL && c->couple != NULL && make_tiles(s, c) &&
           rlti_rod_solver_find_links(s, c->group, messages);
}

void rlti_rod_solver_free_contacts(rod_solver *s) {
    rod_contacts *c = s->contacts;
    if (c == NULL)
        return;
    rlti_rod_solver_free_links(s);
    rlti_edge_contacts_destroy(c->found);
    rlti_couple_destroy(c->couple);
    RLTI_FREE(c->radius, c->friction, c->group, c->object, c->list, c->before, c->start, c->end, c->moved,
              c->force, c->softness, c->inverses, c->inverse_at, c->moves, c->tiles, c->jobs, c->lanes,
              c->met);
    rlti_free(c);
    s->contacts = NULL;
}

/* ---- where strands are ---- */

static rlt_ranks *ranks_of(const rod_solver *s) {
    return rlti_spread_handle(rlti_drive_spread(s->drive));
}

/* All ranks know all points: those of others are 0 here. */
static void share_points(rod_solver *s, rlti_vec3 *points) {
    rlt_ranks_sum(ranks_of(s), &points->x, 3 * s->def.strands->first[s->def.strands->strand_count]);
}

/* Points of strands elsewhere are 0, until they are shared. */
static void clear_points(const rod_solver *s, rlti_vec3 *points) {
    memset(points, 0, (size_t)s->def.strands->first[s->def.strands->strand_count] * sizeof *points);
}

static void show_strand(rod_solver *s, int tile, int lane, int at_start) {
    rod_contacts *c = s->contacts;
    int strand = rlti_layout_strand(&s->layout, tile, lane), first = s->def.strands->first[strand];
    rlti_vec3 origin = rlti_drive_origins(s->drive)[strand], *x = (at_start ? c->start : c->end) + first;
    if (at_start)
        s->engine->get_state(s->tiles[tile], lane, x, NULL, NULL, NULL);
    else
        s->engine->get_iterate(s->tiles[tile], lane, x);
    for (int i = 0; i < s->model->strands[strand].points; i++)
        x[i] = rlti_add(x[i], origin);
}

static void show_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    (void)worker;
    for (int lane = 0; lane < rlti_layout_size(&s->layout, s->contacts->tiles[index]); lane++)
        show_strand(s, s->contacts->tiles[index], lane, 0);
}

/* ---- a step ---- */

static rlti_implicit_step how(const rod_solver *s, int tile) {
    rlti_implicit_step step = rlti_rod_solver_how(s, rod_hair(s, tile));
    step.posed = -s->contacts->index;
    step.midpoint = 0; /* contacts that are met half-way bounce */
    return step;
}

/* The first iterates, of strands by themselves. */
static void begin_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    rlti_implicit_step step = how(s, tile);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++)
        rlti_rod_solver_root(s, rlti_layout_strand(&s->layout, tile, lane), c->at);
    rlti_rod_solver_begin(s, &c->jobs[index], tile, worker, &step);
    rlti_rod_solver_next_round(s, &c->jobs[index], worker, &step);
    c->lanes[tile] = ~0u;
    for (int k = 0; k < s->def.scene->contact_early && c->lanes[tile] != 0; k++)
        c->lanes[tile] = s->engine->iterate(s->tiles[tile], &step, rod_scratch(s, worker));
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++)
        show_strand(s, tile, lane, 1);
    rlti_lap(&clock, &rlti_drive_laps(s->drive, worker)->step);
}

/* Which lanes have contacts or links. */
static void mark_lanes(rod_solver *s) {
    rod_contacts *c = s->contacts;
    rlti_rod_solver_mark_links(s, c->lanes);
    for (int k = 0; k < 2 * c->count; k++) {
        int strand = c->list[k / 2].strand[k & 1];
        if (strand < 0 || s->layout.places[strand].tile < 0)
            continue;
        c->lanes[s->layout.places[strand].tile] |= 1u << s->layout.places[strand].lane;
    }
}

static void linearize_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    rlti_implicit_step step = how(s, tile);
    step.iterations += c->round + 1;
    unsigned moving = 0;
    if (c->lanes[tile] != 0)
        moving = s->engine->linearize(s->tiles[tile], &step, c->lanes[tile], rod_scratch(s, worker));
    c->lanes[tile] = moving;
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        int strand = rlti_layout_strand(&s->layout, tile, lane), first = s->def.strands->first[strand];
        int points = s->model->strands[strand].points;
        if (moving >> lane & 1u) {
            s->engine->get_newton(s->tiles[tile], lane, c->moved + first);
            s->engine->get_softness(s->tiles[tile], lane, c->softness + first);
        } else {
            memset(c->moved + first, 0, (size_t)points * sizeof *c->moved);
            memset(c->softness + first, 0, (size_t)points * sizeof *c->softness);
        }
    }
    rlti_lap(&clock, &rlti_drive_laps(s->drive, worker)->step);
}

typedef struct response {
    rod_solver *s;
    const rlti_vec3 *force;
    rlti_vec3 *moved;
} response;

/* Strands without contacts have no forces; their part of `moved` stays. */
static void respond_tile(void *context, int index, int worker) {
    const response *r = context;
    rod_solver *s = r->s;
    int tile = s->contacts->tiles[index];
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    unsigned lanes = s->contacts->lanes[tile];
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++)
        if (lanes >> lane & 1u)
            s->engine->set_forces(s->tiles[tile], lane,
                                  r->force +
                                      s->def.strands->first[rlti_layout_strand(&s->layout, tile, lane)]);
    if (lanes != 0)
        s->engine->respond(s->tiles[tile]);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        int strand = rlti_layout_strand(&s->layout, tile, lane), first = s->def.strands->first[strand];
        if (lanes >> lane & 1u)
            s->engine->get_response(s->tiles[tile], lane, r->moved + first);
        else
            memset(r->moved + first, 0, (size_t)s->model->strands[strand].points * sizeof *r->moved);
    }
    rlti_lap(&clock, &rlti_drive_laps(s->drive, worker)->contact);
}

static void respond(void *context, const int *strands, int count, const rlti_vec3 *force, rlti_vec3 *moved) {
    response r = {context, force, moved};
    rod_solver *s = context;
    (void)strands;
    (void)count;
    clear_points(s, moved);
    rlti_pool_for(s->def.pool, s->contacts->tile_count, respond_tile, &r);
    share_points(s, moved);
}

/* The whole inverse of a strand, or NULL where it stands still. */
static const double *inverse_of(const rod_solver *s, int strand) {
    return s->contacts->moves[strand] ? s->contacts->inverses + s->contacts->inverse_at[strand] : NULL;
}

static void block_of(void *context, int strand, int edge, double block[6][6]) {
    const rod_solver *s = context;
    const double *inverse = inverse_of(s, strand);
    size_t size = 3 * (size_t)s->model->strands[strand].points, first = 3 * (size_t)edge;
    memset(block, 0, 36 * sizeof **block);
    for (size_t i = 0; inverse != NULL && i < 36; i++)
        block[i / 6][i % 6] = inverse[(first + i / 6) * size + first + i % 6];
}

static void push_strand(void *context, int strand, int edge, const double f[6], rlti_vec3 *moved) {
    const rod_solver *s = context;
    const double *inverse = inverse_of(s, strand);
    int size = 3 * s->model->strands[strand].points;
    if (inverse != NULL)
        s->engine->add_columns(inverse + 3 * (size_t)edge * (size_t)size, size, f, &moved->x);
}

static void invert_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    double *inverses[RLTI_BLOCK_STRANDS] = {NULL}, clock = rlti_seconds(CLOCK_MONOTONIC);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++)
        if (c->moves[rlti_layout_strand(&s->layout, tile, lane)])
            inverses[lane] = c->inverses + c->inverse_at[rlti_layout_strand(&s->layout, tile, lane)];
    if (c->lanes[tile] != 0)
        s->engine->get_inverse(s->tiles[tile], inverses);
    rlti_lap(&clock, &rlti_drive_laps(s->drive, worker)->contact);
}

/* 1: some point of the strand gives way to forces; all ranks know. */
static unsigned char gives_way(const rod_solver *s, int strand) {
    for (int i = s->def.strands->first[strand]; i < s->def.strands->first[strand + 1]; i++)
        if (s->contacts->softness[i] > 0.0)
            return 1;
    return 0;
}

/* All ranks know all inverses: those of others are 0 here. */
static void share_inverses(rod_solver *s, rod_contacts *c, size_t count) {
    const size_t most = 1u << 28;
    for (size_t done = 0; done < count; done += most)
        rlt_ranks_sum(ranks_of(s), c->inverses + done, (int)(count - done < most ? count - done : most));
}

/* Whole inverses of all strands that move. Returns 0 when out of memory. */
static int invert_strands(rod_solver *s, rod_contacts *c) {
    size_t sum = 0;
    for (int k = 0; k < c->strands.strand_count; k++) {
        size_t size = 3 * (size_t)(s->def.strands->first[k + 1] - s->def.strands->first[k]);
        c->moves[k] = gives_way(s, k);
        c->inverse_at[k] = sum;
        sum += c->moves[k] ? size * size : 0;
    }
    if (sum > c->inverse_capacity) {
        rlti_free(c->inverses);
        c->inverse_capacity = sum + sum / 4;
        c->inverses = rlti_allocate(c->inverse_capacity, sizeof(double));
    }
    if (c->inverses == NULL) {
        c->inverse_capacity = 0;
        return sum == 0;
    }
    if (rlti_spread_ranks(rlti_drive_spread(s->drive)) > 1)
        memset(c->inverses, 0, sum * sizeof *c->inverses);
    rlti_pool_for(s->def.pool, c->tile_count, invert_tile, s);
    share_inverses(s, c, sum);
    return 1;
}

/* Newton's steps with the forces, and planes where they lead. */
static void advance_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    rlti_implicit_step step = how(s, tile);
    step.iterations += c->round + 1;
    if (c->lanes[tile] == 0)
        return;
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++)
        if (c->lanes[tile] >> lane & 1u)
            s->engine->set_forces(s->tiles[tile], lane,
                                  c->force +
                                      s->def.strands->first[rlti_layout_strand(&s->layout, tile, lane)]);
    c->jobs[index].lanes = c->lanes[tile];
    c->lanes[tile] = s->engine->advance(s->tiles[tile], &step, rod_scratch(s, worker));
    c->jobs[index].round = 1;
    if (rlti_rod_solver_next_round(s, &c->jobs[index], worker, &step) && rod_has_planes(s, tile))
        c->lanes[tile] |= c->jobs[index].changed;
    rlti_lap(&clock, &rlti_drive_laps(s->drive, worker)->step);
}

static void end_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rlti_implicit_step step = how(s, s->contacts->tiles[index]);
    rlti_rod_solver_end(s, &s->contacts->jobs[index], worker, &step, NULL);
}

/* Forces of the list, and of links, on points. */
static void sum_forces(const rod_solver *s, rod_contacts *c) {
    memset(c->force, 0, (size_t)s->def.strands->first[c->strands.strand_count] * sizeof *c->force);
    for (int k = 0; k < 2 * c->count; k++) {
        const rlti_couple_contact *contact = &c->list[k / 2];
        int side = k & 1;
        if (contact->strand[side] < 0)
            continue;
        rlti_vec3 *f = c->force + s->def.strands->first[contact->strand[side]] + contact->edge[side];
        double sign = side == 0 ? 1.0 : -1.0, share = contact->share[side];
        f[0] = rlti_madd(f[0], sign * (1.0 - share), contact->force);
        f[1] = rlti_madd(f[1], sign * share, contact->force);
    }
    rlti_rod_solver_push_links(s, c->force);
}

/* Contacts in the order of the list. */
static int compare(const rlti_couple_contact *a, const rlti_couple_contact *b) {
    const int one[4] = {a->strand[0], a->edge[0], a->strand[1], a->edge[1]},
              other[4] = {b->strand[0], b->edge[0], b->strand[1], b->edge[1]};
    for (int k = 0; k < 4; k++)
        if (one[k] != other[k])
            return one[k] < other[k] ? -1 : 1;
    return 0;
}

/* Contacts that were there in the last search begin with the forces they had: the k-th of a pair with the
 * k-th's. */
static void take_forces(rod_contacts *c) {
    for (int i = 0, j = 0; i < c->count && j < c->before_count;) {
        int order = compare(&c->list[i], &c->before[j]);
        if (order == 0)
            c->list[i].force = c->before[j].force;
        i += order <= 0;
        j += order >= 0;
    }
}

static int find(rod_solver *s, rod_contacts *c) {
    double clock = rlti_seconds(CLOCK_MONOTONIC), spent = 0.0;
    int count = 0;
    if (!rlti_edge_contacts_find(c->found, s->def.pool, c->start, c->end, NULL, 0))
        return 0;
    const rlti_edge_contact *found = rlti_edge_contacts_list(c->found, &count);
    rlti_couple_contact *list = c->list;
    int capacity = c->capacity;
    c->list = c->before;
    c->capacity = c->before_capacity;
    c->before = list;
    c->before_capacity = capacity;
    c->before_count = c->round > 0 ? c->count : 0;
    if (!RLTI_LIST_RESERVE(c->list, 0, count, c->capacity))
        return 0;
    c->count = count;
    rlti_couple_take(&c->strands, found, count, c->start, c->end, c->list);
    take_forces(c);
    rlti_lap(&clock, &spent);
    for (int w = 0; w < rlti_pool_threads(s->def.pool); w++)
        rlti_drive_laps(s->drive, w)->detect += spent;
    return 1;
}

/* Length of a step, which is the same for all that touch [s]. */
static double step_seconds(const rod_solver *s) {
    for (int h = 0; h < s->def.scene->hair_count; h++)
        if (touches(s, h))
            return rlti_rod_solver_how(s, &s->def.scene->hair[h]).seconds;
    return 1.0;
}

static int solve_forces(rod_solver *s, rod_contacts *c, rlti_couple_result *result) {
    double clock = rlti_seconds(CLOCK_MONOTONIC), spent = 0.0;
    const rlti_couple_operator strands = {s, respond, block_of, push_strand, c->softness};
    int link_count;
    rlti_couple_link *links =
        rlti_rod_solver_take_links(s, c->start, c->end, step_seconds(s), c->round > 0, &link_count);
    share_points(s, c->moved);
    rlt_ranks_sum(ranks_of(s), c->softness, s->def.strands->first[c->strands.strand_count]);
    int done = c->settings.block != RLTI_COUPLE_WHOLE || invert_strands(s, c);
    done = done && rlti_couple_solve(c->couple, s->def.pool, &strands, &c->settings, c->list, c->count, links,
                                     link_count, c->moved, result);
    sum_forces(s, c);
    rlti_lap(&clock, &spent);
    rlti_drive_laps(s->drive, 0)->contact += spent;
    return done;
}

static int is_open(rod_solver *s, const rod_contacts *c) {
    double open = 0.0;
    for (int k = 0; k < c->tile_count; k++)
        open += c->lanes[c->tiles[k]] != 0;
    rlt_ranks_sum(ranks_of(s), &open, 1);
    return open > 0.0;
}

static void count_contacts(rod_contacts *c, const rlti_couple_result *result) {
    rod_contact_tally *t = &c->tally;
    double radius = 10.0 * c->strands.offset;
    t->steps++;
    t->contacts += result->contacts;
    t->touching += result->touching;
    t->slipping += result->slipping;
    t->unresolved += result->unresolved;
    t->residual = fmax(t->residual, radius > 0.0 ? result->residual / radius : 0.0);
    t->deepest = fmax(t->deepest, radius > 0.0 ? result->deepest / radius : 0.0);
}

/* Whether hair has passed through hair in the last step of a frame: some edges, others in every frame. */
static void count_crossings(rod_solver *s) {
    enum { SAMPLE = 64 };
    rod_contacts *c = s->contacts;
    clear_points(s, c->end);
    rlti_pool_for(s->def.pool, c->tile_count, show_tile, s);
    share_points(s, c->end);
    c->tally.missed =
        rlti_missed_count(c->found, c->start, c->end, NULL, 0, SAMPLE, (uint64_t)(uint32_t)s->now.frame);
}

static void take_step(rod_solver *s) {
    rod_contacts *c = s->contacts;
    rlti_pool *pool = s->def.pool;
    rlti_couple_result result = {0};
    int done = 1;
    clear_points(s, c->start);
    rlti_pool_for(pool, c->tile_count, begin_tile, s);
    share_points(s, c->start);
    rlti_edge_contacts_begin(c->found);
    for (c->round = 0; done && c->round < s->def.scene->contact_newton; c->round++) {
        clear_points(s, c->end);
        rlti_pool_for(pool, c->tile_count, show_tile, s);
        share_points(s, c->end);
        done = find(s, c);
        mark_lanes(s);
        if (!done || !is_open(s, c))
            break;
        clear_points(s, c->moved);
        memset(c->softness, 0, (size_t)c->strands.first[c->strands.strand_count] * sizeof *c->softness);
        rlti_pool_for(pool, c->tile_count, linearize_tile, s);
        done = solve_forces(s, c, &result);
        c->tally.rounds++;
        c->tally.sweeps += result.iterations;
        rlti_pool_for(pool, c->tile_count, advance_tile, s);
        if (!is_open(s, c))
            break;
    }
    rlti_drive_laps(s->drive, 0)->out_of_memory |= !done;
    count_contacts(c, &result);
    if (c->at >= 1.0)
        count_crossings(s);
    rlti_pool_for(pool, c->tile_count, end_tile, s);
}

void rlti_rod_solver_meet_contacts(rod_solver *s) {
    rod_contacts *c = s->contacts;
    const rlti_interval *now = &s->now;
    int steps = c->tile_count > 0 ? rlti_rod_solver_steps(s, rod_hair(s, c->tiles[0])) : 1;
    for (c->index = 0; c->index < steps; c->index++) {
        c->at = (now->first + now->count * (c->index + 1.0) / steps) / now->steps;
        take_step(s);
    }
}

void rlti_rod_solver_report_contacts(rod_solver *s, int frame, rlt_statistics *statistics,
                                     rlt_messages *messages) {
    const double deep = 0.5; /* of the mean radius: it is seen */
    rod_contact_tally t = s->contacts->tally;
    double steps = fmax(t.steps, 1.0), rounds = fmax((double)t.rounds, 1.0);
    s->contacts->tally = (rod_contact_tally){0};
    statistics->solved_steps = t.steps;
    statistics->solved_contacts = (double)t.contacts / steps;
    statistics->solved_touching = (double)t.touching / steps;
    statistics->solved_slipping = (double)t.slipping / steps;
    statistics->solved_unresolved = (double)t.unresolved / steps;
    statistics->solved_newton = (double)t.rounds / steps;
    statistics->solved_sweeps = (double)t.sweeps / rounds;
    statistics->solved_residual = t.residual;
    statistics->solved_deepest = t.deepest;
    statistics->solved_links = rlti_rod_solver_link_count(s);
    statistics->crossings_checked = t.missed.edges;
    statistics->crossings = t.missed.passed;
    statistics->crossings_missed = t.missed.missed;
    if (t.deepest > deep)
        rlti_warn(
            messages,
            "%s: frame %d: hair is up to %.2g mean contact radii deep in hair; raise contacts.iterations "
            "or hair.rod.steps, or lower hair.contact.radius",
            s->def.file, frame, t.deepest);
}
