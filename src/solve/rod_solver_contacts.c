/* Contacts between strands that are solved with their elasticity: what there is of them, and what is
 * reported. rod_solver_meet.c has a step. */
#include "solve/rod_solver_contacts.h"

#include <math.h>

#include "base/memory.h"
#include "base/messages.h"
#include "contact/hair/graph.h"
#include "scene/readers.h"

/* Points of an object: contacts within it see each other at once. */
enum { ROD_OBJECT = 1000 };

/* 1: the section's strands meet others within the solve. */
static int touches(const rod_solver *s, int hair) {
    return rlti_hair_solves_contacts(&s->def.scene->hair[hair]);
}

static int is_mine(const rod_solver *s, int strand) {
    return s->def.mine[strand] && touches(s, s->def.strands->hair[strand]);
}

const rlti_hair_data *rlti_rod_solver_touching(const rod_solver *s) {
    int h = 0;
    while (!touches(s, h))
        h++;
    return &s->def.scene->hair[h];
}

int rlti_rod_solver_touches(const rod_solver *s, int tile) {
    return s->contacts != NULL && touches(s, s->def.strands->hair[rlti_layout_strand(&s->layout, tile, 0)]);
}

double rlti_rod_solver_until(const rod_solver *s, int tile, const rlti_implicit_step *step) {
    if (!rlti_rod_solver_touches(s, tile) || !(s->contacts->ahead > 0.0))
        return step->seconds;
    return step->seconds * (1.0 + s->contacts->ahead / s->contacts->part);
}

/* ---- building ---- */

static void fill_strands(const rod_solver *s, rod_contacts *c) {
    const rlti_strands *strands = s->def.strands;
    for (int k = 0; k < strands->strand_count; k++) {
        const rlti_hair_data *hair = &s->def.scene->hair[strands->hair[k]];
        c->group[k] = is_mine(s, k) ? rlti_graph_group(s->def.scene, strands->hair[k]) : -1;
        c->friction[k][1] = hair->contact_friction;
        c->friction[k][0] = hair->contact_static_friction == RLTI_AUTO ? hair->contact_friction
                                                                       : hair->contact_static_friction;
    }
    rlti_particles_radii(s->def.scene, strands, s->def.matter, c->radius);
}

/* As groomed, nothing pushes, unless all hair that touches asks for it. */
static int keeps_groom(const rod_solver *s) {
    for (int h = 0; h < s->def.scene->hair_count; h++)
        if (touches(s, h) && s->def.scene->hair[h].contact_groom == RLTI_GROOM_KEEP)
            return 1;
    return 0;
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
    if (!RLTI_ALLOCATE(RLTI_ITEMS(c->tiles, all), RLTI_ITEMS(c->jobs, all), RLTI_ITEMS(c->lanes, all),
                       RLTI_ITEMS(c->had, all)))
        return 0;
    for (int t = 0; t < all; t++)
        if (touches(s, s->def.strands->hair[rlti_layout_strand(&s->layout, t, 0)]))
            c->tiles[c->tile_count++] = t;
    c->met = RLTI_NEW(rod_met, (size_t)c->tile_count * each);
    for (int k = 0; c->met != NULL && k < c->tile_count; k++)
        c->jobs[k] = (rod_job){.tile = -1, .met = c->met + (size_t)k * each};
    return c->met != NULL;
}

/* Whole inverses grow with the square of a hair's points: beyond what a machine may spare, lumped masses. */
static rlti_couple_block choose_block(const rod_solver *s, rlt_messages *messages) {
    const double most = 2e9; /* bytes */
    double bytes = 0.0;
    int longest = 0;
    for (int k = 0; k < s->def.strands->strand_count; k++) {
        int points = s->def.strands->first[k + 1] - s->def.strands->first[k];
        if (!is_mine(s, k))
            continue;
        bytes += 9.0 * points * points * (double)sizeof(double);
        longest = points > longest ? points : longest;
    }
    if (s->def.scene->contact_block == RLTI_BLOCK_LUMPED || bytes <= most)
        return s->def.scene->contact_block == RLTI_BLOCK_LUMPED ? RLTI_COUPLE_LUMPED : RLTI_COUPLE_WHOLE;
    rlti_warn(messages,
              "%s: contacts.block = whole would take up to %.1f GB for hairs of up to %d points, so lumped "
              "masses are used; take fewer points a hair, or set it to lumped",
              s->def.file, 1e-9 * bytes, longest);
    return RLTI_COUPLE_LUMPED;
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
    if (c == NULL || !RLTI_ALLOCATE(RLTI_ITEMS(c->radius, points), RLTI_ITEMS(c->friction, count),
                                    RLTI_ITEMS(c->group, count), RLTI_ITEMS(c->object, count),
                                    RLTI_ITEMS(c->start, points), RLTI_ITEMS(c->end, points),
                                    RLTI_ITEMS(c->moved, points), RLTI_ITEMS(c->softness, points),
                                    RLTI_ITEMS(c->inverse_at, count), RLTI_ITEMS(c->moves, count),
                                    RLTI_ITEMS(c->cluster, count), RLTI_ITEMS(c->passed, count),
                                    RLTI_ITEMS(c->common, count), RLTI_ITEMS(c->weight, count)))
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
                                     .keep = keeps_groom(s)};
    c->settings =
        (rlti_couple_settings){.block = choose_block(s, messages),
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
              c->softness, c->inverses, c->inverse_at, c->moves, c->cluster, c->passed, c->common, c->weight,
              c->tiles, c->jobs, c->lanes, c->had, c->met);
    rlti_free(c);
    s->contacts = NULL;
}

size_t rlti_rod_solver_contact_bytes(const rod_solver *s) {
    const rod_contacts *c = s->contacts;
    if (c == NULL)
        return 0;
    size_t points = (size_t)s->def.strands->first[c->strands.strand_count],
           strands = (size_t)c->strands.strand_count;
    return sizeof *c + points * (3 * sizeof(rlti_vec3) + 2 * sizeof(double)) +
           strands * (sizeof *c->friction + 3 * sizeof(int) + sizeof *c->inverse_at + 2 + sizeof *c->common +
                      sizeof *c->weight) +
           (size_t)(c->capacity + c->before_capacity) * sizeof *c->list +
           c->inverse_capacity * sizeof *c->inverses +
           (size_t)s->layout.tile_count * (sizeof *c->jobs + sizeof *c->tiles + 2 * sizeof *c->lanes) +
           (size_t)c->tile_count * rlti_rod_solver_met(s) * sizeof *c->met + rlti_couple_bytes(c->couple) +
           rlti_edge_contacts_cost_of(c->found).bytes;
}

/* ---- reports ---- */

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
    statistics->solved_retreated = (double)t.retreated / steps;
    statistics->solved_halved = t.halved;
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
