/* Bodies for contacts of edges: their motion within a step, which hair meets them, and how near. Bodies are
 * numbered as their surfaces are. */
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "drive/drive_data.h"

struct rlti_drive_edges {
    int count;
    rlti_edge_mesh *bodies;      /* [count] */
    const rlti_edge_mesh **list; /* [count] */
    unsigned char *meets;        /* [hair_count][count] */
    int *group;                  /* [strand_count] each its own; -1: not met */
    double *radius;              /* [point_count] */
    double *slack;               /* [point_count] of the edge that begins there */
    double (*friction)[2];       /* [strand_count] */
};

static int make_body(const rlti_drive *d, int surface, rlti_edge_mesh *body) {
    const rlti_shape *shape = rlti_colliders_shape(d->colliders, surface);
    return shape != NULL ? rlti_edge_mesh_create_shape(shape, body)
                         : rlti_edge_mesh_create(rlti_colliders_surface(d->colliders, surface), body);
}

static void fill_meets(const rlti_drive *d, rlti_drive_edges *e) {
    for (int h = 0; h < d->def.scene->hair_count; h++)
        for (int b = 0; b < e->count; b++)
            e->meets[(size_t)h * (size_t)e->count + (size_t)b] =
                d->def.scene->hair[h].collide && rlti_colliders_meets(d->colliders, h, b);
}

int rlti_drive_ask_edges(rlti_drive *d, const unsigned char *met) {
    int strands = d->def.strands->strand_count, points = d->def.matter->point_count,
        count = rlti_colliders_surface_count(d->colliders);
    if (d->edges != NULL || count == 0)
        return 1;
    rlti_drive_edges *e = d->edges = RLTI_NEW(rlti_drive_edges, 1);
    if (e == NULL || !RLTI_ALLOCATE(RLTI_ITEMS(e->bodies, count), RLTI_ITEMS(e->list, count),
                                    RLTI_ITEMS(e->meets, (size_t)count * (size_t)d->def.scene->hair_count),
                                    RLTI_ITEMS(e->group, strands), RLTI_ITEMS(e->radius, points),
                                    RLTI_ITEMS(e->slack, points), RLTI_ITEMS(e->friction, strands),
                                    RLTI_ITEMS(d->passed, points)))
        return 0;
    for (; e->count < count; e->count++) {
        e->list[e->count] = &e->bodies[e->count];
        if (!make_body(d, e->count, &e->bodies[e->count]))
            return 0;
    }
    fill_meets(d, e);
    for (int s = 0; s < strands; s++) {
        double friction = d->def.scene->hair[d->def.strands->hair[s]].friction;
        e->group[s] = met[s] ? s : -1;
        e->friction[s][0] = e->friction[s][1] = friction;
    }
    return 1;
}

void rlti_drive_free_edges(rlti_drive *d) {
    rlti_drive_edges *e = d->edges;
    if (e == NULL)
        return;
    for (int b = 0; b < e->count && e->bodies != NULL; b++)
        rlti_edge_mesh_destroy(&e->bodies[b]);
    RLTI_FREE(e->bodies, e->list, e->meets, e->group, e->radius, e->slack, e->friction, d->passed, e);
    d->edges = NULL;
}

size_t rlti_drive_edges_bytes(const rlti_drive *d) {
    const rlti_drive_edges *e = d->edges;
    if (e == NULL)
        return 0;
    size_t strands = (size_t)d->def.strands->strand_count, points = (size_t)d->def.matter->point_count;
    size_t sum = sizeof *e + strands * (sizeof *e->group + sizeof *e->friction) +
                 points * (sizeof *e->radius + sizeof *e->slack + sizeof *d->passed);
    for (int b = 0; b < e->count; b++)
        sum += rlti_edge_mesh_bytes(&e->bodies[b]);
    return sum;
}

void rlti_drive_edge_rules(const rlti_drive *d, rlti_edge_strands *strands) {
    const rlti_drive_edges *e = d->edges;
    if (e == NULL)
        return;
    strands->body_radius = e->radius;
    strands->body_friction = (const double(*)[2])e->friction;
    strands->body_home = d->home;
    strands->body_slack = e->slack;
    strands->any_side = d->any_side;
    strands->section = d->def.strands->hair;
    strands->meets = e->meets;
    strands->planes = 1;
}

int rlti_drive_move_edges(rlti_drive *d, double from, double to, const rlti_edge_mesh *const **bodies) {
    rlti_drive_edges *e = d->edges;
    *bodies = e != NULL ? e->list : NULL;
    for (int b = 0; e != NULL && b < e->count; b++)
        rlti_edge_mesh_move(&e->bodies[b], from, to, d->def.pool);
    return e != NULL ? e->count : 0;
}

rlti_passed *rlti_drive_passed(const rlti_drive *d) {
    return d->passed;
}

/* As groomed, no edge is pushed: what lies nearer between its points, or cuts the body there, may do so. */
static void fill_slack(rlti_drive_edges *e, const rlti_edge_strands *strands,
                       const rlti_edge_contacts *contacts) {
    for (int i = 0; i < rlti_edge_contacts_part_count(contacts); i++) {
        rlti_edge_part part = rlti_edge_contacts_part(contacts, i);
        for (const rlti_edge_contact *k = part.items; k < part.items + part.count; k++) {
            int point = strands->first[k->strand[0]] + k->edge[0];
            if (k->part > 0 && -k->gap > e->slack[point])
                e->slack[point] = -k->gap;
        }
    }
}

/* The greatest thickness: what cuts a body deeper than that is not met, but where it passes. */
static double reach_of(const rlti_drive *d) {
    double reach = 0.0;
    for (int h = 0; h < d->def.scene->hair_count; h++)
        reach = d->def.scene->hair[h].thickness > reach ? d->def.scene->hair[h].thickness : reach;
    return reach;
}

/* Edges that go through a body with both of their points outside: no plane and no slack knows of them. The
 * first edge grows out of the skin. */
static void warn_of_pierced(const rlti_drive *d, rlt_messages *messages) {
    const rlti_strands *strands = d->def.strands;
    for (int h = 0; h < d->def.scene->hair_count; h++) {
        const rlti_hair_data *hair = &d->def.scene->hair[h];
        int edges = 0, first = -1;
        for (int s = 0; s < strands->strand_count && hair->collide; s++)
            for (int p = strands->first[s] + 1;
                 strands->hair[s] == h && d->edges->group[s] >= 0 && p + 1 < strands->first[s + 1]; p++)
                if (rlti_colliders_pierced(d->colliders, h, strands->points[p], strands->points[p + 1])) {
                    first = edges++ == 0 ? s : first;
                }
        if (edges > 0)
            rlti_warn(messages,
                      "%s: hair '%s': %d edge%s through a collider with both points outside (first in strand "
                      "%d): %s "
                      "may stay there; comb %s around it, or give hair more points",
                      d->def.file, hair->name, edges, edges == 1 ? " goes" : "s go", first,
                      edges == 1 ? "it" : "they", edges == 1 ? "it" : "them");
    }
}

int rlti_drive_settle_edges(rlti_drive *d, rlt_messages *messages) {
    rlti_drive_edges *e = d->edges;
    if (e == NULL)
        return 1;
    const rlti_edge_mesh *const *bodies;
    int points = d->def.matter->point_count, count = rlti_drive_move_edges(d, 0.0, 0.0, &bodies);
    for (int p = 0; p < points; p++) {
        e->radius[p] = (double)d->thickness[p];
        e->slack[p] = 0.0;
    }
    rlti_edge_strands strands = {.strand_count = d->def.strands->strand_count,
                                 .first = d->def.strands->first,
                                 .rest = d->def.strands->points,
                                 .radius = e->radius,
                                 .friction = (const double(*)[2])e->friction,
                                 .group = e->group,
                                 .offset = reach_of(d)};
    rlti_drive_edge_rules(d, &strands);
    strands.body_slack = NULL;
    rlti_edge_contacts *contacts = rlti_edge_contacts_create(&strands);
    int done = contacts != NULL &&
               rlti_edge_contacts_find(contacts, d->def.pool, strands.rest, strands.rest, bodies, count);
    if (done) {
        fill_slack(e, &strands, contacts);
        warn_of_pierced(d, messages);
    }
    rlti_edge_contacts_destroy(contacts);
    return done;
}
