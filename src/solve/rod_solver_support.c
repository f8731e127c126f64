/* Free hair on bodies: contacts of its points, solved together with those of hair.
 *
 * Hair that is held lies on bodies by planes, within its own Newton iteration, which costs no sweep. Free
 * hair carries all that lies on it: the load changes with every solution of the contacts, and planes, whose
 * forces follow an iteration behind, answered with steps that led astray (the line search of a pile took less
 * than a tenth of one step in twelve). So its sides of bodies are contacts like any other. */
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "solve/rod_solver_contacts.h"

int rlti_rod_solver_ask_supports(rod_solver *s, rod_contacts *c) {
    int any = 0, count = RLTI_IMPLICIT_SIDES * s->def.strands->first[s->def.strands->strand_count];
    for (int k = 0; k < s->def.strands->strand_count; k++) {
        const rlti_hair_data *hair = &s->def.scene->hair[s->def.strands->hair[k]];
        any = any || (c->group[k] >= 0 && hair->collide && rlti_hair_root_is_free(hair));
    }
    return !any || !rlti_drive_has_planes(s->drive) ||
           RLTI_ALLOCATE(RLTI_ITEMS(c->supports, count), RLTI_ITEMS(c->support_forces, count));
}

/* Planes are sought for strands that have moved, and for those that have passed through a body. */
static void support_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    const rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    if (!rod_is_supported(s, tile))
        return;
    unsigned forgets = c->round == 0 ? ~0u : c->anew[tile];
    rlti_rod_solver_support_tile(s, index, worker, forgets | c->lanes[tile], forgets);
    c->anew[tile] = 0;
}

/* Points are ends of edges. */
static rlti_couple_contact contact_of(const rod_solver *s, int strand, int point, int side) {
    const rod_contacts *c = s->contacts;
    int last = s->def.strands->first[strand + 1] - 1;
    size_t at = RLTI_IMPLICIT_SIDES * (size_t)point + (size_t)side;
    const rod_support *support = &c->supports[at];
    const double *friction =
        c->strands.body_friction != NULL ? c->strands.body_friction[strand] : c->friction[strand];
    return (rlti_couple_contact){.strand = {strand, -1},
                                 .edge = {point - s->def.strands->first[strand] - (point == last), side},
                                 .share = {point == last ? 1.0 : 0.0, 0.0},
                                 .normal = support->normal,
                                 .gap = support->gap,
                                 .slip = support->slip,
                                 .friction = {friction[0], friction[1]},
                                 .most = c->press[strand],
                                 .force = c->round > 0 ? c->support_forces[at] : rlti_v3(0, 0, 0)};
}

int rlti_rod_solver_support(rod_solver *s) {
    rod_contacts *c = s->contacts;
    int points = s->def.strands->first[s->def.strands->strand_count], sides = RLTI_IMPLICIT_SIDES, count = 0;
    c->found_count = c->count;
    if (c->supports == NULL)
        return 1;
    memset(c->supports, 0, (size_t)(sides * points) * sizeof *c->supports);
    rlti_pool_for(s->def.pool, c->tile_count, support_tile, s);
    rlt_ranks_sum(rod_ranks(s), &c->supports->normal.x, /* those of others are 0 here */
                  sides * points * (int)(sizeof *c->supports / sizeof(double)));
    for (int k = 0; k < sides * points; k++)
        count += rlti_dot(c->supports[k].normal, c->supports[k].normal) > 0.5;
    if (!RLTI_LIST_RESERVE(c->list, c->count, count, c->capacity))
        return 0;
    for (int strand = 0; strand < s->def.strands->strand_count; strand++)
        for (int k = sides * s->def.strands->first[strand]; k < sides * s->def.strands->first[strand + 1];
             k++) {
            if (!(rlti_dot(c->supports[k].normal, c->supports[k].normal) > 0.5))
                continue;
            c->list[c->count++] = contact_of(s, strand, k / sides, k % sides);
            c->too_deep = c->too_deep || c->supports[k].depth > c->edge;
            c->touches[strand] = 1;
        }
    return 1;
}

void rlti_rod_solver_keep_supports(rod_solver *s) {
    const rod_contacts *c = s->contacts;
    int points = s->def.strands->first[s->def.strands->strand_count];
    if (c->supports == NULL)
        return;
    memset(c->support_forces, 0, (size_t)(RLTI_IMPLICIT_SIDES * points) * sizeof *c->support_forces);
    for (int k = c->found_count; k < c->count; k++) {
        const rlti_couple_contact *contact = &c->list[k];
        int point = s->def.strands->first[contact->strand[0]] + contact->edge[0] + (contact->share[0] > 0.5);
        c->support_forces[RLTI_IMPLICIT_SIDES * (size_t)point + (size_t)contact->edge[1]] = contact->force;
    }
}
