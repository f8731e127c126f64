/* An edge of a strand and bodies: which meet, how near, and the contacts with spheres and capsules.
 *
 * A capsule is a segment with a radius, so it is met as another edge is; a sphere is one without length.
 * Their points are left to planes: only what is between two points is listed. An edge passes through a
 * capsule where it passes its axis. A sphere has none: hair that jumps over its middle has gone around it. */
#include "contact/edge/contacts_data.h"

/* Of the radius that points keep, what is kept between them. */
#define BETWEEN_POINTS 0.5

static double own_radius(const rlti_edge_strands *strands, int point, int body) {
    double radius = strands->body_radius != NULL ? strands->body_radius[point] : strands->radius[point];
    return radius < 0.0 && strands->body_home != NULL && strands->body_home[point] != body ? 0.0 : radius;
}

double rlti_edge_body_radius(const rlti_edge_contacts *contacts, const rlti_strand_edge *edge, int body,
                             double share, int between) {
    const rlti_edge_strands *strands = &contacts->strands;
    double radius = (1.0 - share) * own_radius(strands, edge->point, body) +
                    share * own_radius(strands, edge->point + 1, body);
    if (between && strands->planes && radius > 0.0)
        radius *= BETWEEN_POINTS;
    if (between && strands->body_slack != NULL)
        radius -= strands->body_slack[edge->point];
    return radius;
}

/* Where points are left to planes, no more than what is between them keeps, in and out of the body. */
double rlti_edge_body_reach(const rlti_edge_contacts *contacts, int point) {
    const rlti_edge_strands *strands = &contacts->strands;
    const double *radius = strands->body_radius != NULL ? strands->body_radius : strands->radius;
    double reach = rlti_edge_greatest_radius(radius, point);
    if (strands->planes) {
        double slack = strands->body_slack != NULL ? strands->body_slack[point] : 0.0,
               out = BETWEEN_POINTS * fmax(radius[point], radius[point + 1]),
               in = slack + fmax(0.0, -fmin(radius[point], radius[point + 1]));
        reach = fmax(out, in);
    }
    return reach + strands->offset;
}

int rlti_edge_meets(const rlti_edge_contacts *contacts, int strand, int body) {
    const rlti_edge_strands *strands = &contacts->strands;
    if (strands->group != NULL && strands->group[strand] < 0)
        return 0;
    if (strands->meets != NULL &&
        !strands->meets[(size_t)strands->section[strand] * (size_t)contacts->body_count + (size_t)body])
        return 0;
    return strands->any_side == NULL || !strands->any_side[strand] || !contacts->bodies[body]->sheet;
}

/* An edge and the axis of a capsule: points a0, a1 and its ends. */
typedef struct crossing {
    const rlti_edge_contacts *contacts;
    const rlti_edge_mesh *shape;
    rlti_strand_edge edge;
    int body;
    rlti_moving points[4];
} crossing;

/* From the axis to the edge. */
static rlti_vec3 apart(const crossing *c, const double share[2], double time) {
    rlti_vec3 x[4];
    for (int k = 0; k < 4; k++)
        x[k] = rlti_moving_at(c->points[k], time);
    return rlti_sub(rlti_between(x[0], x[1], share[0]), rlti_between(x[2], x[3], share[1]));
}

static rlti_edge_contact contact_at(const crossing *c, const double share[2], rlti_vec3 normal) {
    const rlti_edge_strands *strands = &c->contacts->strands;
    int strand = c->edge.strand;
    const double *friction =
        strands->body_friction != NULL ? strands->body_friction[strand] : strands->friction[strand];
    rlti_edge_contact contact = {.strand = {strand, strands->strand_count + c->body},
                                 .edge = {c->edge.edge, 0},
                                 .part = 1,
                                 .share = {share[0], 0.0},
                                 .normal = normal,
                                 .friction = {friction[0], friction[1]},
                                 .time = 1.0};
    contact.radius =
        c->shape->shape->radius + rlti_edge_body_radius(c->contacts, &c->edge, c->body, share[0], 1);
    contact.gap = rlti_dot(normal, apart(c, share, 1.0)) - contact.radius;
    rlti_vec3 axis = rlti_between(c->points[2].to, c->points[3].to, share[1]);
    contact.moved = rlti_edge_mesh_carried(c->shape, rlti_madd(axis, c->shape->shape->radius, normal));
    return contact;
}

/* The edge has passed the axis: it is to return to the side where it came from. */
static int find_passage(const crossing *c, rlti_edge_contact *found) {
    rlti_passing passing;
    if (!rlti_passing_edges(c->points, &passing))
        return 0;
    const double share[2] = {passing.weights[1], passing.weights[3]};
    rlti_vec3 x[4], before = apart(c, share, 0.0);
    for (int k = 0; k < 4; k++)
        x[k] = rlti_moving_at(c->points[k], passing.time);
    rlti_vec3 u = rlti_sub(x[1], x[0]), v = rlti_sub(x[3], x[2]), n = rlti_cross(u, v);
    if (!(rlti_dot(n, n) > 1e-12 * rlti_dot(u, u) * rlti_dot(v, v)) || rlti_dot(n, before) == 0.0)
        return 0;
    n = rlti_normalize(rlti_dot(n, before) < 0.0 ? rlti_scale(-1.0, n) : n);
    if (rlti_dot(n, apart(c, share, 1.0)) >= 0.0)
        return 0; /* it has returned already */
    *found = contact_at(c, share, n);
    found->passage = 1;
    found->time = passing.time;
    return 1;
}

static int find_proximity(const crossing *c, rlti_edge_contact *found) {
    const rlti_vec3 edge[2] = {c->points[0].to, c->points[1].to},
                    axis[2] = {c->points[2].to, c->points[3].to};
    double share[2], distance = rlti_nearest_edges(edge, axis, share);
    if (!(share[0] > 0.0 && share[0] < 1.0 && distance > 1e-9))
        return 0;
    *found = contact_at(c, share, rlti_scale(1.0 / distance, apart(c, share, 1.0)));
    return found->gap < c->contacts->strands.offset;
}

int rlti_edge_shape(const rlti_edge_contacts *contacts, const rlti_strand_edge *edge, int body,
                    rlti_edge_chunk *chunk) {
    crossing c = {.contacts = contacts, .shape = contacts->bodies[body], .edge = *edge, .body = body};
    rlti_edge_contact found;
    for (int k = 0; k < 2; k++) {
        c.points[k] = (rlti_moving){contacts->start[edge->point + k], contacts->end[edge->point + k]};
        c.points[2 + k] = c.shape->vertices[k];
    }
    if (edge->edge == 0 || (!find_passage(&c, &found) && !find_proximity(&c, &found)))
        return 1; /* the first edge has the root's direction */
    chunk->failed |= !rlti_edge_chunk_add(chunk, &found);
    return !chunk->failed;
}
