#include "contact/body/mesh_collider.h"

#include <float.h>
#include <string.h>

#include "base/memory.h"

/* Closer than this the direction to the closest point is mostly rounding: the pseudonormal stands in. [unit]
 */
static const double tiny = 1e-3;

/* A stretch of the motion ends before a vertex gets further than this from its place half way, in cells of
 * the grid at rest. Shorter stretches make the grid know more and cost more builds than that saves. */
static const double stretch_travel = 0.5;
enum { STRETCHES_MAX = 32 };

/* How much further than asked to look for a point with a memory, so that it needs no search for a while. At
 * the usual 30 unit/s that is 20 to 30 outer steps. [unit] */
static const float look_ahead = 0.5f;

int rlti_mesh_collider_create(const rlti_mesh *mesh, rlti_surface_sides sides, float reach,
                              rlti_mesh_collider *collider) {
    memset(collider, 0, sizeof *collider);
    collider->reach = reach;
    collider->rest = RLTI_NEW(rlti_vec3, mesh->vertex_count);
    if (collider->rest == NULL || !rlti_surface_create(mesh, &collider->surface) ||
        !rlti_grid_create(&collider->surface, &collider->grid))
        return 0;
    memcpy(collider->rest, mesh->vertices, (size_t)mesh->vertex_count * sizeof(rlti_vec3));
    collider->surface.sides = sides;
    return 1;
}

void rlti_mesh_collider_destroy(rlti_mesh_collider *collider) {
    rlti_free(collider->rest);
    rlti_grid_destroy(&collider->grid);
    rlti_surface_destroy(&collider->surface);
}

/* As many equal stretches as keep the vertices near their places half way. */
void rlti_mesh_collider_set_motion(rlti_mesh_collider *collider) {
    rlti_surface_set_motion(&collider->surface);
    double travel = rlti_surface_sweep(&collider->surface, 0.0, 1.0, collider->grid.boxes, NULL);
    double stretches = collider->stretch > 0.0 ? ceil(travel / collider->stretch) : 1.0;
    collider->stretches = stretches < STRETCHES_MAX ? (int)stretches : STRETCHES_MAX;
    if (!(stretches >= 1.0))
        collider->stretches = 1;
    collider->grid_stretch = -1;
    collider->still = 0;
    collider->posed = 0;
    collider->s = 0.0;
    collider->fastest = collider->surface.fastest;
    collider->moved = 0.0f;
}

void rlti_mesh_collider_rest(rlti_mesh_collider *collider) {
    size_t count = (size_t)collider->surface.vertex_count;
    memset(collider->surface.coefficients, 0, 4 * count * sizeof(rlti_vec3));
    memcpy(collider->surface.coefficients, collider->rest, count * sizeof(rlti_vec3));
    rlti_mesh_collider_set_motion(collider);
    collider->still = 1;
}

static void set_box(rlti_mesh_collider *collider) {
    const rlti_grid *grid = &collider->grid;
    const rlti_vec3 *c = &collider->surface.centre;
    const double centre[3] = {c->x, c->y, c->z};
    for (int k = 0; k < 3; k++) {
        collider->box.minimum[k] = centre[k] + (double)grid->corner[k];
        collider->box.maximum[k] = collider->box.minimum[k] + (double)grid->size * grid->count[k];
    }
}

/* A grid that is valid at one time need not reach as far as the surface moves. */
static void build_grid(rlti_mesh_collider *collider, double s, int stretch) {
    double width = 1.0 / collider->stretches;
    double from = collider->instant ? s : stretch * width;
    double to = collider->instant ? s : (stretch + 1) * width;
    rlti_grid_build(&collider->grid, &collider->surface, from, to, collider->reach);
    collider->grid_stretch = stretch;
    if (collider->still)
        collider->stretch = stretch_travel * (double)collider->grid.size;
}

void rlti_mesh_collider_pose(rlti_mesh_collider *collider, double s, double rate) {
    if (collider->still && collider->posed)
        return;
    int stretch = (int)(s * collider->stretches);
    stretch = stretch < collider->stretches ? stretch : collider->stretches - 1;
    if (stretch != collider->grid_stretch || (collider->instant && s != collider->grid.middle))
        build_grid(collider, s, stretch);
    rlti_surface_pose(&collider->surface, s, rate);
    if (collider->spins)
        rlti_surface_spin(&collider->surface);
    collider->moved += (float)(1.001 * collider->fastest * fabs(s - collider->s));
    collider->s = s;
    set_box(collider);
    collider->posed = 1;
}

/* The direction of the signed distance's gradient: along the offset, turned outward; where the offset is tiny
 * the pseudonormal, and should that vanish the face's. A sheet's normal points to the point's own side. */
static void normal_at(const rlti_surface *surface, const rlti_closest *closest, double distance,
                      double normal[3]) {
    float pseudonormal[3];
    if (fabs(distance) > tiny) {
        for (int k = 0; k < 3; k++)
            normal[k] = (double)closest->offset[k] / distance;
        return;
    }
    rlti_surface_pseudonormal(surface, closest, pseudonormal);
    double square = 0.0, along = 0.0;
    for (int k = 0; k < 3; k++)
        square += (double)pseudonormal[k] * (double)pseudonormal[k];
    rlti_triangle scratch;
    const float *direction =
        square > 1e-6 ? pseudonormal : rlti_surface_face(surface, closest->triangle, &scratch)->normal;
    double length = square > 1e-6 ? sqrt(square) : 1.0;
    for (int k = 0; k < 3; k++)
        along += (double)direction[k] * (double)closest->offset[k];
    if (surface->sides == RLTI_SHEET && along < 0.0)
        length = -length;
    for (int k = 0; k < 3; k++)
        normal[k] = (double)direction[k] / length;
}

static void fill_hit(const rlti_surface *surface, const rlti_closest *closest, double distance,
                     rlti_hit *found) {
    const int *corners = surface->triangles[closest->triangle];
    found->distance = distance;
    normal_at(surface, closest, distance, found->normal);
    found->height = 0.0;
    float velocity[3][3];
    for (int corner = 0; corner < 3; corner++)
        rlti_surface_velocity(surface, corners[corner], velocity[corner]);
    for (int k = 0; k < 3; k++) {
        found->height += found->normal[k] * (double)closest->offset[k];
        found->velocity[k] = 0.0;
        for (int corner = 0; corner < 3; corner++)
            found->velocity[k] += (double)closest->weights[corner] * (double)velocity[corner][k];
    }
}

static int is_clear(const rlti_mesh_collider *collider, const rlti_memory *memory, const float local[3],
                    float reach) {
    const float moved[3] = {local[0] - memory->place[0], local[1] - memory->place[1],
                            local[2] - memory->place[2]};
    float left = memory->radius - collider->moved - reach - RLTI_SURFACE_ROUNDING;
    return left > 0.0f && moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2] < left * left;
}

static void remember(const rlti_mesh_collider *collider, const float local[3], float radius,
                     rlti_memory *memory) {
    if (memory == NULL)
        return;
    memcpy(memory->place, local, sizeof memory->place);
    memory->radius = radius + collider->moved;
}

/* A point that asks for what it may touch. */
typedef struct question {
    const float *local;
    float relative[3]; /* velocity against the surface, */
    float apart;       /* which has no other there than that and so much [unit/s] */
    double thickness;
    float gap, seconds; /* it is touched where it is nearer than that, or comes so near in the time */
    float reach;        /* so no further away than this */
    int outside;        /* 1: it is on the side that it is found to be on */
} question;

/* Whether what is near a cell is surely out of reach of a point: all of it lies behind a plane, `height`
 * below the point, so the angle of the shortest way to the plane's normal has a cosine of at least height
 * over distance, which bounds how fast the point comes nearer along it. */
static int stays_away(const rlti_mesh_collider *collider, const question *q, const rlti_grid_cell *cell,
                      int from, rlti_memory *memory) {
    const rlti_surface *surface = &collider->surface;
    const float little = 2.0f * RLTI_SURFACE_ROUNDING;
    float normal[3], height = rlti_grid_in_front(&collider->grid, surface, cell, q->local, normal) - little;
    if (!(height > 0.0f && height > q->gap))
        return 0;
    if (height > q->reach) {
        float margin = collider->grid.margin;
        remember(collider, q->local, height < margin ? height : margin, memory);
        return 1;
    }
    /* no further than a triangle that is near */
    if (from < 0)
        from = rlti_grid_seed(&collider->grid, surface, cell);
    rlti_closest closest = {.distance2 = FLT_MAX};
    rlti_triangle scratch;
    if (!rlti_triangle_closest(rlti_surface_face(surface, from, &scratch), q->local, &closest))
        return 0;
    float far = sqrtf(closest.distance2) + little, cosine = height / far,
          sine = sqrtf(1.0f - cosine * cosine), up = 0.0f, square = 0.0f;
    for (int k = 0; k < 3; k++) {
        up += normal[k] * q->relative[k];
        square += q->relative[k] * q->relative[k];
    }
    float beside = sqrtf(square - up * up > 0.0f ? square - up * up : 0.0f) + 1e-3f * sqrtf(square),
          away = (up > 0.0f ? cosine * up : up) - sine * beside - q->apart;
    return height + q->seconds * away > q->gap + little;
}

/* 1 with the closest point where the signed distance is below `reach`. */
static int find_closest(const rlti_mesh_collider *collider, const question *q, rlti_memory *memory,
                        rlti_closest *closest, float *distance) {
    const rlti_grid *grid = &collider->grid;
    const float *local = q->local, reach = q->reach;
    float from_centre2;
    if (memory != NULL && is_clear(collider, memory, local, reach))
        return 0;
    const rlti_grid_cell *cell = rlti_grid_look_up(grid, local, &from_centre2);
    if (cell == NULL) { /* so it lists no triangle: none comes nearer than the margin */
        remember(collider, local, grid->margin, memory);
        return 0;
    }
    float clear = rlti_grid_clear(grid, &collider->surface, cell), free = clear - reach;
    if (free > 0.0f && free * free > from_centre2) {
        remember(collider, local, clear - sqrtf(from_centre2), memory);
        return 0;
    }
    int from = memory != NULL && memory->triangle > 0 ? memory->triangle - 1 : -1;
    if (q->outside && q->reach > 1.5f * q->gap && stays_away(collider, q, cell, from, memory))
        return 0;
    if (memory == NULL || cell->count == 0)
        return rlti_grid_closest(grid, &collider->surface, cell, from_centre2, local, reach, -1, closest,
                                 distance);
    /* further than asked, but no further than the grid is exact */
    float ahead = reach + look_ahead < grid->margin ? reach + look_ahead : grid->margin;
    float far = ahead > reach ? ahead : reach;
    int found = rlti_grid_closest(grid, &collider->surface, cell, from_centre2, local, far,
                                  memory->triangle - 1, closest, distance);
    if (found)
        memory->triangle = closest->triangle + 1;
    if (found && *distance < reach)
        return 1;
    remember(collider, local, found ? *distance : far, memory);
    return 0;
}

/* A turn of the surface does not change its distance from a point that turns as well: so what brings a point
 * nearer is how it moves against what would be there, and how the surface moves otherwise. */
static void ask_speed(const rlti_surface *surface, const float velocity[3], double seconds, question *q) {
    const float *w = surface->spin, *d = surface->drift, *x = q->local;
    const float relative[3] = {velocity[0] - d[0], velocity[1] - d[1], velocity[2] - d[2]};
    q->relative[0] = relative[0] - (w[1] * x[2] - w[2] * x[1]);
    q->relative[1] = relative[1] - (w[2] * x[0] - w[0] * x[2]);
    q->relative[2] = relative[2] - (w[0] * x[1] - w[1] * x[0]);
    q->apart = surface->apart;
    float speed = 1.00001f * (q->apart + rlti_length3(q->relative)),
          other = surface->spread + rlti_length3(relative);
    if (!(speed < other)) {
        memcpy(q->relative, relative, sizeof relative);
        q->apart = surface->spread;
        speed = other;
    }
    q->reach = (float)(q->thickness + RLTI_CONTACT_SLACK + seconds * (double)speed);
}

int rlti_mesh_collider_hit(const rlti_mesh_collider *collider, const float local[3], const float velocity[3],
                           double thickness, double seconds, int wrong_side, rlti_memory *memory,
                           rlti_hit *found) {
    const rlti_surface *surface = &collider->surface;
    rlti_closest closest;
    float distance;
    question q = {.local = local, .thickness = thickness, .outside = !wrong_side};
    ask_speed(surface, velocity, seconds, &q);
    q.gap = (float)(thickness + RLTI_CONTACT_SLACK);
    q.seconds = (float)seconds;
    if (wrong_side && q.reach < collider->grid.margin)
        q.reach = collider->grid.margin;
    /* behind an open skin the side changes where no surface is */
    if (surface->sides == RLTI_SKIN)
        memory = NULL;
    if (!find_closest(collider, &q, memory, &closest, &distance))
        return 0;
    fill_hit(surface, &closest, (double)distance, found);
    if (wrong_side) {
        found->distance = -found->distance;
        found->height = -found->height;
        for (int k = 0; k < 3; k++)
            found->normal[k] = -found->normal[k];
    }
    return 1;
}

double rlti_mesh_collider_distance(const rlti_mesh_collider *collider, rlti_vec3 point, double reach) {
    const rlti_surface *surface = &collider->surface;
    const rlti_grid *grid = &collider->grid;
    rlti_vec3 from_centre = rlti_sub(point, surface->centre);
    const float local[3] = {(float)from_centre.x, (float)from_centre.y, (float)from_centre.z};
    rlti_closest closest;
    float from_centre2, distance = 0.0f;
    const rlti_grid_cell *cell = rlti_grid_look_up(grid, local, &from_centre2);
    int found = cell != NULL && rlti_grid_closest(grid, surface, cell, from_centre2, local, (float)reach, -1,
                                                  &closest, &distance);
    if (found && fabsf(distance) < grid->margin)
        return (double)distance;
    if (!found && reach <= (double)grid->margin)
        return reach;
    /* far away: the sign is known (what was not found is outside) */
    closest.distance2 = FLT_MAX;
    if (!rlti_surface_closest(surface, local, &closest))
        return reach;
    double length = sqrt((double)closest.distance2);
    return found && distance < 0.0f ? -length : fmin(length, reach);
}
