/* Contacts between strands that are solved with their elasticity: what there is of them, and what is
 * reported. rod_solver_meet.c has a step. */
#include "solve/rod_solver_contacts.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "contact/couple/couple_objects.h"
#include "contact/hair/graph.h"
#include "scene/readers.h"

/* Back-solves by lumped masses that acceleration is not worth its time for. */
enum { FEW = 3 };

/* Back-solves that leave more than what single precision rounds off. */
enum { ROUGH = 20 };

/* 1: the section's strands meet others within the solve. */
static int touches(const rod_solver *s, int hair) {
    const rlti_hair_data *data = &s->def.scene->hair[hair];
    return rlti_hair_solves_contacts(data) && strcmp(data->model, s->base.type->name) == 0;
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

/* The mean length of edges of hair that touches. */
static double mean_edge(const rod_solver *s, const rod_contacts *c) {
    double sum = 0.0;
    int count = 0;
    for (int k = 0; k < s->def.strands->strand_count; k++)
        if (c->group[k] >= 0) {
            int edges = s->def.strands->first[k + 1] - s->def.strands->first[k] - 1;
            sum += s->model->strands[k].segment * edges;
            count += edges;
        }
    return count > 0 ? sum / count : 0.0;
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
        bytes += 9.0 * points * points * (double)sizeof(float);
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

/* Sweeps over all contacts of a solution. Nothing but contacts holds free hair, and forces have to find their
 * way through all that lies on each other: twice as many of the cheap sweeps by whole inverses. */
static int count_sweeps(const rod_solver *s, const rod_contacts *c, rlti_couple_block block) {
    return (c->supports != NULL && block == RLTI_COUPLE_WHOLE ? 2 : 1) * s->def.scene->contact_iterations;
}

/* Ranks share the solution. 0 when out of memory. */
static int share_couple(const rod_solver *s, const rod_contacts *c) {
    int *owner = RLTI_NEW(int, c->strands.strand_count), done = owner != NULL;
    for (int k = 0; done && k < c->strands.strand_count; k++)
        owner[k] = rlti_spread_owner(rlti_drive_spread(s->drive), k);
    done = done && rlti_couple_set_ranks(c->couple, rod_ranks(s), owner);
    rlti_free(owner);
    return done;
}

/* ---- input that is not meant so ---- */

/* Hair that is in the same place as other hair along most of its length: it was read twice, or is not combed
 * apart. Returns how many. */
static int warn_of_same(const rod_solver *s, const rod_contacts *c, const rlti_edge_contact *list, int count,
                        rlt_messages *messages) {
    const double near = 0.01; /* of the radii */
    const rlti_strands *strands = s->def.strands;
    int same = 0, first = 0, *edges = RLTI_NEW(int, strands->strand_count);
    for (int k = 0, last = -1; edges != NULL && k < count; k++) {
        int point = strands->first[list[k].strand[0]] + list[k].edge[0];
        if (list[k].strand[0] == list[k].strand[1] || point == last ||
            list[k].gap + list[k].radius > near * (c->radius[point] + c->radius[point + 1]))
            continue;
        last = point;
        edges[list[k].strand[0]]++;
    }
    for (int k = strands->strand_count - 1; edges != NULL && k >= 0; k--)
        if (2 * edges[k] > strands->first[k + 1] - strands->first[k]) {
            same++;
            first = k;
        }
    rlti_free(edges);
    if (same > 0)
        rlti_warn(messages,
                  "%s: %d hair%s in another hair along most of %s length (first strand %d), so contacts "
                  "cannot tell "
                  "their sides; remove %s, or comb them apart",
                  s->def.file, same, same == 1 ? " lies" : "s lie", same == 1 ? "its" : "their", first,
                  same == 1 ? "it" : "them");
    return same;
}

/* Hair that begins deep in other hair, and is pushed out of it at once. */
static void warn_of_deep(const rod_solver *s, const rlti_edge_contact *list, int count,
                         rlt_messages *messages) {
    const double deep = 0.5; /* of the radius of a pair: as far is warned of later */
    int worst = -1;
    for (int k = 0; k < count; k++)
        if (list[k].strand[0] != list[k].strand[1] && -list[k].gap > deep * list[k].radius &&
            (worst < 0 || list[k].gap < list[worst].gap))
            worst = k;
    if (worst >= 0)
        rlti_warn(
            messages,
            "%s: hair begins deep in other hair (worst are strands %d and %d, by %.3g of %.3g units), and "
            "is pushed apart at once; comb it apart, lower hair.contact.radius, or set "
            "hair.contact.groom to keep",
            s->def.file, list[worst].strand[0], list[worst].strand[1], -list[worst].gap, list[worst].radius);
}

/* Contacts are those of the groom, listed as far as their distance is known. */
static int warn_of_groom(const rod_solver *s, const rod_contacts *c, rlt_messages *messages) {
    const rlti_vec3 *groom = s->def.strands->points;
    int count;
    if (!rlti_edge_contacts_find(c->found, s->def.pool, groom, groom, NULL, 0))
        return 0;
    const rlti_edge_contact *list = rlti_edge_contacts_list(c->found, &count);
    if (warn_of_same(s, c, list, count, messages) == 0)
        warn_of_deep(s, list, count, messages);
    rlti_edge_contacts_begin(c->found);
    return 1;
}

/* Radii so large that an edge meets hair far beyond its neighbours. */
static void warn_of_radii(const rod_solver *s, const rod_contacts *c, rlt_messages *messages) {
    double radius = 10.0 * offset_of(s, c);
    if (c->edge > 0.0 && radius > 10.0 * c->edge)
        rlti_warn(
            messages,
            "%s: hair.contact.radius is %.3g units in the mean, more than ten times the %.3g of an edge: "
            "every edge meets a great many others; lower it, or give hair fewer points",
            s->def.file, radius, c->edge);
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
        !RLTI_ALLOCATE(
            RLTI_ITEMS(c->radius, points), RLTI_ITEMS(c->friction, count), RLTI_ITEMS(c->group, count),
            RLTI_ITEMS(c->object, count), RLTI_ITEMS(c->start, points), RLTI_ITEMS(c->end, points),
            RLTI_ITEMS(c->moved, points), RLTI_ITEMS(c->softness, points), RLTI_ITEMS(c->inverse_at, count),
            RLTI_ITEMS(c->rank_bytes, rlti_spread_ranks(rlti_drive_spread(s->drive))),
            RLTI_ITEMS(c->moves, count), RLTI_ITEMS(c->touches, count), RLTI_ITEMS(c->cluster, count),
            RLTI_ITEMS(c->beyond, count), RLTI_ITEMS(c->common, count), RLTI_ITEMS(c->weight, count)))
        return 0;
    fill_strands(s, c);
    c->edge = mean_edge(s, c);
    warn_of_radii(s, c, messages);
    if (!keeps_groom(s) && !rlti_rod_solver_limit_radii(s, c, messages))
        return 0;
    if (rlti_couple_objects(strands, c->object) == 0)
        return 0;
    c->strands = (rlti_edge_strands){.strand_count = count,
                                     .first = strands->first,
                                     .rest = strands->points,
                                     .radius = c->radius,
                                     .friction = (const double(*)[2])c->friction,
                                     .group = c->group,
                                     .offset = offset_of(s, c),
                                     .self = s->def.scene->contact_self,
                                     .keep = keeps_groom(s)};
    if (!rlti_rod_solver_ask_bodies(s, c) || !rlti_rod_solver_ask_supports(s, c))
        return 0;
    rlti_couple_block block = choose_block(s, messages);
    c->settings =
        (rlti_couple_settings){.block = block,
                               .max_cbs = count_sweeps(s, c, block),
                               .max_lcp = s->def.scene->contact_sweeps,
                               .tolerance = s->def.scene->contact_tolerance * 10.0 * c->strands.offset,
                               .compliance = s->def.scene->contact_compliance,
                               .accelerate = s->def.scene->contact_iterations > FEW,
                               .single = s->def.scene->contact_iterations <= ROUGH,
                               .warm = 1,
                               .unmeasured = 1};
    if (!rlti_rod_solver_make_lots(s, c))
        return 0;
    c->found = rlti_edge_contacts_create(&c->strands);
    c->couple = rlti_couple_create(count, strands->first, c->object);
    if (c->found == NULL || c->couple == NULL || !rlti_edge_contacts_set_ranks(c->found, rod_ranks(s)) ||
        !share_couple(s, c) || !make_tiles(s, c) || !warn_of_groom(s, c, messages))
        return 0;
    if (s->engine->lanes == 1) { /* the plain build of the engine */
        rlti_edge_contacts_set_plain(c->found);
        rlti_couple_set_plain(c->couple);
    }
    return rlti_rod_solver_find_links(s, c->group, messages);
}

void rlti_rod_solver_free_contacts(rod_solver *s) {
    rod_contacts *c = s->contacts;
    if (c == NULL)
        return;
    rlti_rod_solver_free_links(s);
    rlti_rod_solver_free_lots(c);
    rlti_edge_contacts_destroy(c->found);
    rlti_couple_destroy(c->couple);
    RLTI_FREE(c->radius, c->friction, c->group, c->object, c->list, c->before, c->start, c->end, c->moved,
              c->softness, c->inverses, c->inverse_at, c->rank_bytes, c->moves, c->touches, c->cluster,
              c->beyond, c->common, c->weight, c->tiles, c->jobs, c->lanes, c->had, c->met, c->anew, c->press,
              c->supports, c->support_forces);
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
           strands * (sizeof *c->friction + sizeof *c->press + 3 * sizeof(int) + sizeof *c->inverse_at + 3 +
                      sizeof *c->common + sizeof *c->weight) +
           (size_t)c->capacity * sizeof *c->list + (size_t)c->before_capacity * sizeof *c->before +
           c->inverse_capacity * sizeof *c->inverses + rlti_rod_solver_lot_bytes(s, c) +
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
    statistics->crossings_bodies = t.missed.bodies_passed;
    statistics->crossings_bodies_missed = t.missed.bodies_missed;
    statistics->solved_bodies = (double)t.bodies / steps;
    statistics->solved_bodies_touching = (double)t.bodies_touching / steps;
    statistics->solved_bodies_deepest = t.bodies_deepest;
    statistics->solved_passed = t.passed;
    if (t.passed > 0 && rlti_trouble_note(&s->troubles[ROD_TROUBLE_PASSED], frame, (double)t.passed))
        rlti_warn(
            messages,
            "%s: frame %d: %lld edges of hair have passed through a body: contacts hold them in from both "
            "sides, or the step is too long; raise hair.rod.steps or contacts.newton, or move the bodies "
            "apart",
            s->def.file, frame, t.passed);
    if (t.deepest > deep && rlti_trouble_note(&s->troubles[ROD_TROUBLE_DEEP], frame, t.deepest))
        rlti_warn(
            messages,
            "%s: frame %d: hair is up to %.2g mean contact radii deep in hair (worst are strands %d and "
            "%d); raise contacts.iterations or hair.rod.steps, or lower hair.contact.radius",
            s->def.file, frame, t.deepest, t.deepest_strands[0], t.deepest_strands[1]);
}
