/* An edge of a strand and triangles of a body: the edge's second point and faces, the edge and sides. */
#include "contact/edge/contacts_data.h"

typedef struct meeting {
    const rlti_edge_contacts *contacts;
    const rlti_edge_mesh *mesh;
    rlti_strand_edge edge;
    int body;
    rlti_moving points[2]; /* of the edge */
    double reach;          /* that it has contacts in */
} meeting;

static void corners_of(const meeting *m, int triangle, rlti_moving corners[3]) {
    for (int k = 0; k < 3; k++)
        corners[k] = m->mesh->vertices[m->mesh->surface->triangles[triangle][k]];
}

/* A sheet has no inside: hair stays on the side where it was. */
static int is_sheet(const meeting *m) {
    return m->mesh->sheet;
}

/* Where the hair and the surface are, or were, at a share of the edge and weights of the corners. */
static rlti_vec3 apart(const meeting *m, const rlti_moving corners[3], double share, const double weights[3],
                       double time) {
    rlti_vec3 x = rlti_between(rlti_moving_at(m->points[0], time), rlti_moving_at(m->points[1], time), share);
    for (int k = 0; k < 3; k++)
        x = rlti_madd(x, -weights[k], rlti_moving_at(corners[k], time));
    return x;
}

static rlti_edge_contact contact_at(const meeting *m, int triangle, int part, double share,
                                    const double weights[3], rlti_vec3 normal) {
    const rlti_edge_strands *strands = &m->contacts->strands;
    const double *friction = strands->body_friction != NULL ? strands->body_friction[m->edge.strand]
                                                            : strands->friction[m->edge.strand];
    rlti_moving corners[3];
    corners_of(m, triangle, corners);
    rlti_edge_contact contact = {.strand = {m->edge.strand, strands->strand_count + m->body},
                                 .edge = {m->edge.edge, triangle},
                                 .part = part,
                                 .share = {share, 0.0},
                                 .normal = normal,
                                 .radius =
                                     rlti_edge_body_radius(m->contacts, &m->edge, m->body, share, part > 0),
                                 .friction = {friction[0], friction[1]},
                                 .time = 1.0};
    contact.gap = rlti_dot(normal, apart(m, corners, share, weights, 1.0)) - contact.radius;
    for (int k = 0; k < 3; k++)
        contact.moved = rlti_madd(contact.moved, weights[k], rlti_sub(corners[k].to, corners[k].from));
    return contact;
}

/* Inside, triangles are known as far as boxes reach: what is deeper is left to passages. */
static int is_too_deep(const meeting *m, double distance, double radius) {
    return distance < 0.0 && -distance > fabs(radius) + m->contacts->strands.offset;
}

/* Adds a passage with this direction across the surface, where it leads inside, or through a sheet. */
static int add_passage(const meeting *m, const rlti_passing *passing, int triangle, int part, double share,
                       const double weights[3], rlti_vec3 across, rlti_edge_chunk *chunk) {
    rlti_moving corners[3];
    corners_of(m, triangle, corners);
    rlti_vec3 normal = rlti_normalize(across), after = apart(m, corners, share, weights, 1.0),
              before = apart(m, corners, share, weights, 0.0);
    if (is_sheet(m) && rlti_dot(normal, rlti_sub(before, after)) < 0.0)
        normal = rlti_scale(-1.0, normal);
    if (!(rlti_dot(normal, after) < 0.0) || !(rlti_dot(normal, normal) > 0.5))
        return 0;
    rlti_edge_contact contact = contact_at(m, triangle, part, share, weights, normal);
    contact.passage = 1;
    contact.time = passing->time;
    chunk->failed |= !rlti_edge_chunk_add(chunk, &contact);
    return 1;
}

/* ---- the edge's second point and faces ---- */

/* The nearest of the triangles to the point at the end of the step. */
typedef struct nearest {
    rlti_edge_beside beside;
    double distance; /* signed */
} nearest;

static nearest nearest_on(const meeting *m, int triangle) {
    rlti_moving corners[3];
    rlti_vec3 x[3];
    nearest n = {.beside = {.triangle = triangle}};
    corners_of(m, triangle, corners);
    for (int k = 0; k < 3; k++)
        x[k] = corners[k].to;
    rlti_nearest_face(m->points[1].to, x, n.beside.weights);
    n.beside.offset = apart(m, corners, 1.0, n.beside.weights, 1.0);
    n.distance = rlti_edge_mesh_signed(m->mesh, &n.beside);
    return n;
}

static int point_passes(const meeting *m, int triangle, rlti_edge_chunk *chunk) {
    rlti_moving points[4] = {m->points[1]};
    rlti_passing passing;
    corners_of(m, triangle, points + 1);
    if (!rlti_passing_face(points, &passing))
        return 0;
    rlti_vec3 x[3];
    for (int k = 0; k < 3; k++)
        x[k] = rlti_moving_at(points[1 + k], passing.time);
    rlti_vec3 across = rlti_cross(rlti_sub(x[1], x[0]), rlti_sub(x[2], x[0]));
    return add_passage(m, &passing, triangle, 0, 1.0, passing.weights + 1, across, chunk);
}

/* Outside, every face that the point is over counts (the sides of a crease are two), and the nearest place;
 * inside only that: the other faces would ask for more than to come out. */
static void point_near(const meeting *m, int triangle, const nearest *best, rlti_edge_chunk *chunk) {
    nearest n = nearest_on(m, triangle);
    const double *w = n.beside.weights;
    int is_best = triangle == best->beside.triangle, over = w[0] > 0.0 && w[1] > 0.0 && w[2] > 0.0;
    if (!is_best && (!over || best->distance < 0.0 || n.distance < 0.0))
        return;
    double distance = rlti_length(n.beside.offset);
    rlti_vec3 normal = rlti_normalize(n.distance < 0.0 ? rlti_scale(-1.0, n.beside.offset) : n.beside.offset);
    if (!(distance > 1e-9))
        normal = rlti_normalize(rlti_edge_mesh_outward(m->mesh, &n.beside));
    rlti_moving corners[3];
    corners_of(m, triangle, corners);
    if (is_sheet(m) && over && rlti_dot(normal, apart(m, corners, 1.0, w, 0.0)) < 0.0)
        normal = rlti_scale(-1.0, normal);
    rlti_edge_contact contact = contact_at(m, triangle, 0, 1.0, w, normal);
    if (contact.gap < m->contacts->strands.offset && rlti_dot(normal, normal) > 0.5 &&
        !is_too_deep(m, n.distance, contact.radius))
        chunk->failed |= !rlti_edge_chunk_add(chunk, &contact);
}

/* ---- the edge and a triangle's sides ---- */

static int side_passes(const meeting *m, int triangle, int side, rlti_edge_chunk *chunk) {
    rlti_moving corners[3];
    corners_of(m, triangle, corners);
    int next = (side + 1) % 3;
    rlti_moving points[4] = {m->points[0], m->points[1], corners[side], corners[next]};
    rlti_passing passing;
    if (!rlti_passing_edges(points, &passing))
        return 0;
    rlti_edge_beside beside = {.triangle = triangle};
    beside.weights[side] = passing.weights[2];
    beside.weights[next] = passing.weights[3];
    rlti_vec3 x[4];
    for (int k = 0; k < 4; k++)
        x[k] = rlti_moving_at(points[k], passing.time);
    rlti_vec3 across = rlti_cross(rlti_sub(x[1], x[0]), rlti_sub(x[3], x[2]));
    if (!is_sheet(m) && rlti_dot(across, rlti_edge_mesh_outward(m->mesh, &beside)) < 0.0)
        across = rlti_scale(-1.0, across);
    return add_passage(m, &passing, triangle, 1 + side, passing.weights[1], beside.weights, across, chunk);
}

/* Whether a direction from a side is between those of its two faces: towards neither of them. */
static int leaves_side(const meeting *m, int triangle, int side, rlti_vec3 direction) {
    const rlti_surface *surface = m->mesh->surface;
    int faces[2] = {triangle, surface->adjacent[triangle][side]};
    const int *v = surface->triangles[triangle];
    rlti_vec3 from = m->mesh->vertices[v[side]].to, to = m->mesh->vertices[v[(side + 1) % 3]].to,
              along = rlti_normalize(rlti_sub(to, from));
    for (int f = 0; f < 2 && faces[f] >= 0; f++)
        for (int k = 0; k < 3; k++) {
            int corner = surface->triangles[faces[f]][k];
            if (corner == v[side] || corner == v[(side + 1) % 3])
                continue;
            rlti_vec3 inward = rlti_sub(m->mesh->vertices[corner].to, from);
            inward = rlti_normalize(rlti_madd(inward, -rlti_dot(inward, along), along));
            if (rlti_dot(direction, inward) > 1e-6)
                return 0;
        }
    return 1;
}

static void side_near(const meeting *m, int triangle, int side, rlti_edge_chunk *chunk) {
    rlti_moving corners[3];
    corners_of(m, triangle, corners);
    int next = (side + 1) % 3;
    rlti_vec3 edge[2] = {m->points[0].to, m->points[1].to}, other[2] = {corners[side].to, corners[next].to};
    double share[2], distance = rlti_nearest_edges(edge, other, share);
    if (!(share[0] > 0.0 && share[0] < 1.0 && share[1] > 0.0 && share[1] < 1.0 && distance > 1e-9) ||
        distance > m->reach) /* of a sheet: how far the other side is does not count */
        return;
    rlti_edge_beside beside = {.triangle = triangle};
    beside.weights[side] = 1.0 - share[1];
    beside.weights[next] = share[1];
    beside.offset = apart(m, corners, share[0], beside.weights, 1.0);
    double height = rlti_edge_mesh_signed(m->mesh, &beside);
    rlti_vec3 normal = rlti_normalize(height < 0.0 ? rlti_scale(-1.0, beside.offset) : beside.offset);
    if (is_sheet(m) && m->mesh->surface->adjacent[triangle][side] >= 0 &&
        rlti_dot(normal, apart(m, corners, share[0], beside.weights, 0.0)) < 0.0)
        normal = rlti_scale(-1.0, normal); /* to the side where it was */
    rlti_edge_contact contact = contact_at(m, triangle, 1 + side, share[0], beside.weights, normal);
    if (contact.gap < m->contacts->strands.offset && !is_too_deep(m, height, contact.radius) &&
        leaves_side(m, triangle, side, normal))
        chunk->failed |= !rlti_edge_chunk_add(chunk, &contact);
}

/* A side belongs to the first of its triangles. The first edge of a strand grows out of the skin: its
 * direction is the root's. */
static void meet_sides(const meeting *m, int triangle, int may_pass, rlti_edge_chunk *chunk) {
    for (int side = 0; side < 3 && m->edge.edge > 0; side++) {
        int other = m->mesh->surface->adjacent[triangle][side];
        if ((other < 0 || triangle < other) && !(may_pass && side_passes(m, triangle, side, chunk)))
            side_near(m, triangle, side, chunk);
    }
}

/* Contacts that an edge and a triangle may have. */
typedef struct chances {
    int near;         /* a proximity, with planes of a side */
    int point_passes; /* the edge's second point through the face */
    int sides_pass;   /* the edge through a side */
} chances;

/* A point does not pass where it stays on one side of the triangle's plane all through the step: with n its
 * normal at the end, and r from a corner to the point, n r is at both ends of the step further from 0 than
 * the normal's change can make of it. The edge does not pass where both points stay on the same side.
 * Nothing is near where they are also further from it than contacts reach at the end. */
static chances chances_of(const meeting *m, int triangle) {
    rlti_moving corners[3];
    corners_of(m, triangle, corners);
    rlti_vec3 u = rlti_sub(corners[1].to, corners[0].to), w = rlti_sub(corners[2].to, corners[0].to),
              du = rlti_sub(u, rlti_sub(corners[1].from, corners[0].from)),
              dw = rlti_sub(w, rlti_sub(corners[2].from, corners[0].from)), n = rlti_cross(u, w);
    const double little = 1e-5, more = 1.0 + 1e-6; /* of what is near enough to pass, and of rounding */
    double size = rlti_dot(n, n), turned = rlti_length(du) * (rlti_length(w) + rlti_length(dw)) +
                                           rlti_length(u) * rlti_length(dw) + little * sqrt(size);
    double end[2];
    int stays[2];
    for (int k = 0; k < 2; k++) {
        rlti_vec3 to = rlti_sub(m->points[k].to, corners[0].to),
                  from = rlti_sub(m->points[k].from, corners[0].from);
        double start = rlti_dot(n, from), least, longest = fmax(rlti_dot(to, to), rlti_dot(from, from));
        end[k] = rlti_dot(n, to);
        least = fmin(fabs(start), fabs(end[k]));
        stays[k] = start * end[k] > 0.0 && least > turned * sqrt(longest);
    }
    int beside = stays[0] && stays[1] && end[0] * end[1] > 0.0;
    double least = fmin(fabs(end[0]), fabs(end[1]));
    return (chances){!(beside && least * least > more * size * m->reach * m->reach), !stays[1], !beside};
}

int rlti_edge_faces(const rlti_edge_contacts *contacts, const rlti_strand_edge *edge, int body,
                    const uint64_t *triangles, int count, rlti_edge_chunk *chunk) {
    meeting m = {.contacts = contacts, .mesh = contacts->bodies[body], .edge = *edge, .body = body};
    for (int k = 0; k < 2; k++)
        m.points[k] = (rlti_moving){contacts->start[edge->point + k], contacts->end[edge->point + k]};
    nearest best = {.beside = {.triangle = -1}};
    int planes = contacts->strands.planes;
    for (int i = 0; i < count && !planes; i++) {
        nearest next = nearest_on(&m, (int)triangles[i]);
        if (i == 0 || fabs(next.distance) < fabs(best.distance))
            best = next;
    }
    m.reach = rlti_edge_body_reach(contacts, edge->point);
    for (int i = 0; i < count; i++) {
        int triangle = (int)triangles[i];
        chances may = chances_of(&m, triangle);
        if (!may.near)
            continue;
        if (!(may.point_passes && point_passes(&m, triangle, chunk)) && !planes)
            point_near(&m, triangle, &best, chunk);
        meet_sides(&m, triangle, may.sides_pass, chunk);
    }
    return !chunk->failed;
}
