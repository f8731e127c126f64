/* Bodies as contacts of edges, beside the planes of points.
 *
 * Points lie on bodies by planes, within Newton's iteration. What planes do not see is solved with the
 * contacts of hair: edges that cut a ridge, a rim or a capsule between their points, and points and edges
 * that pass through a thin body or a sheet within a step. A point that has passed would find planes that lead
 * on to the far side: these are left out for the rest of the step. */
#include <string.h>

#include "base/memory.h"
#include "scene/readers.h"
#include "solve/rod_solver_contacts.h"

/* Bodies that leave a point no place would stretch its hair without end. So no plane presses with more than
 * what stretches an edge by this: the hair gives way instead, and is reported. A whole hair of default
 * material weighs a hundredth of it at 30 g. */
#define ROD_PRESS 0.02

double rlti_rod_solver_press(const rod_solver *s, int strand) {
    const rlti_rod_strand *rod = &s->model->strands[strand];
    if (s->drive == NULL || !rlti_hair_solves_contacts(&s->def.scene->hair[s->def.strands->hair[strand]]))
        return 0.0;
    const double *edge = s->model->constants[rod->first];
    return ROD_PRESS * edge[RLTI_ROD_STRETCH] * edge[RLTI_ROD_LENGTH];
}

int rlti_rod_solver_ask_bodies(rod_solver *s, rod_contacts *c) {
    int count = s->def.strands->strand_count, any = 0;
    unsigned char *met = RLTI_NEW(unsigned char, count);
    c->anew = RLTI_NEW(unsigned, s->layout.tile_count);
    c->press = RLTI_NEW(double, count);
    for (int k = 0; met != NULL && c->press != NULL && k < count; k++) {
        c->press[k] = rlti_rod_solver_press(s, k);
        met[k] = c->group[k] >= 0 && s->def.scene->hair[s->def.strands->hair[k]].collide;
        any = any || met[k];
    }
    int done =
        met != NULL && c->press != NULL && c->anew != NULL && (!any || rlti_drive_ask_edges(s->drive, met));
    rlti_free(met);
    if (done && any) {
        rlti_drive_edge_rules(s->drive, &c->strands);
        c->passed = rlti_drive_passed(s->drive);
    }
    return done;
}

void rlti_rod_solver_move_bodies(rod_solver *s) {
    rod_contacts *c = s->contacts;
    const rlti_interval *now = &s->now;
    int steps = rlti_rod_solver_steps(s, rlti_rod_solver_touching(s));
    double from = (now->first + now->count * c->from / steps) / now->steps;
    c->body_count = 0;
    if (c->passed != NULL)
        c->body_count = rlti_drive_move_edges(s->drive, from, c->at, &c->bodies);
}

/* Notes the side for one point; its planes are sought anew where it had none. */
static void note(rod_solver *s, const rlti_edge_contact *found, int strand, int point) {
    rod_contacts *c = s->contacts;
    rlti_passed *passed = &c->passed[s->def.strands->first[strand] + point];
    rlti_place at = s->layout.places[strand];
    if (point == 0 || passed->surface != 0)
        return;
    passed->surface = found->strand[1] - c->strands.strand_count + 1;
    rlti_v3_round(passed->normal, found->normal);
    c->any_passed = 1;
    if (at.tile >= 0)
        c->anew[at.tile] |= 1u << at.lane;
}

void rlti_rod_solver_lead_back(rod_solver *s) {
    const rod_contacts *c = s->contacts;
    const rlti_edge_contact *p;
    for (int k = 0; c->body_count > 0 && (p = rlti_edge_contacts_passage(c->found, k)) != NULL; k++) {
        if (p->strand[1] < c->strands.strand_count)
            continue;
        if (p->share[0] < 1.0)
            note(s, p, p->strand[0], p->edge[0]);
        if (p->share[0] > 0.0)
            note(s, p, p->strand[0], p->edge[0] + 1);
    }
}

void rlti_rod_solver_plane_anew(rod_solver *s, int index, int worker, double seconds) {
    rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    unsigned lanes = c->anew[tile];
    c->anew[tile] = 0;
    for (int lane = 0; rod_has_planes(s, tile) && s->now.ahead && lanes >> lane != 0; lane++)
        if (lanes >> lane & 1u)
            rlti_rod_solver_meet(s, &c->jobs[index], lane, worker, seconds, -1.0, 1);
}

void rlti_rod_solver_end_bodies(rod_solver *s) {
    rod_contacts *c = s->contacts;
    if (!c->any_passed)
        return;
    memset(c->passed, 0, (size_t)c->strands.first[c->strands.strand_count] * sizeof *c->passed);
    c->any_passed = 0;
}
