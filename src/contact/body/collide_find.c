/* Looking up contact planes and distances in the present pose. Nothing here changes the colliders. */
#include <float.h>
#include <string.h>

#include "contact/body/collide_data.h"
#include "contact/body/crossing.h"

/* A root this much further from a sheet than the thickness does not grow on it. [unit] */
static const double root_slack = 0.01;

/* The items a hair section meets. */
static const rlti_collider_item *const *items_of(const rlti_colliders *colliders, int hair, int *count) {
    int h = hair >= 0 && hair < colliders->hair_count ? hair : colliders->hair_count;
    *count = colliders->first[h + 1] - colliders->first[h];
    return colliders->list + colliders->first[h];
}

/* One strand that looks for planes. */
typedef struct strand {
    rlti_vec3 origin;
    int count;
    const float *positions, *velocities; /* [count][3] */
    double thickness, seconds;
    rlti_allowance allowance; /* all zero where there is none */
    rlti_memory *memory;      /* [count] or NULL */
} strand;

/* Memory of one item while a strand is walked from root to tip. */
typedef struct course {
    const rlti_collider_item *item;
    float shift[3]; /* from the strand's origin to the mesh's centre */
    int through;    /* passed a sheet an odd number of times */
    int remembers;  /* the strand's memory is of this mesh */
} course;

/* Of the colliders whose boxes a strand touches, the first ones of the scene up to this many are checked.
 */
enum { COURSES = 256 };

static void local_position(const course *c, const float position[3], float local[3]) {
    for (int k = 0; k < 3; k++)
        local[k] = position[k] + c->shift[k];
}

static int is_finite(const float position[3], const float velocity[3]) {
    float sum = 0.0f; /* x - x is NaN for NaN and infinity */
    for (int k = 0; k < 3; k++)
        sum += (position[k] - position[k]) + (velocity[k] - velocity[k]);
    return sum == 0.0f;
}

/* The box of a strand's finite points, and how far beyond it surfaces matter: none that moves at `speed` is
 * missed that is `gap` + speed * time away. */
static int strand_box(const strand *s, rlti_box *box, double *gap) {
    float minimum[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, maximum[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    float fastest2 = 0.0f; /* [unit^2/s^2] */
    double thickest = s->thickness;
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        const float *p = s->positions + 3 * (size_t)i, *v = s->velocities + 3 * (size_t)i;
        if (!is_finite(p, v))
            continue;
        for (int k = 0; k < 3; k++) {
            minimum[k] = p[k] < minimum[k] ? p[k] : minimum[k];
            maximum[k] = p[k] > maximum[k] ? p[k] : maximum[k];
        }
        float speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        fastest2 = speed2 > fastest2 ? speed2 : fastest2;
        if (s->allowance.thickness != NULL && (double)s->allowance.thickness[i] > thickest)
            thickest = (double)s->allowance.thickness[i];
        count++;
    }
    const double origin[3] = {s->origin.x, s->origin.y, s->origin.z};
    for (int k = 0; k < 3; k++) {
        box->minimum[k] = origin[k] + (double)minimum[k];
        box->maximum[k] = origin[k] + (double)maximum[k];
    }
    *gap = fmax(thickest, 0.0) + RLTI_CONTACT_SLACK + s->seconds * (double)sqrtf(fastest2);
    return count > 0;
}

/* A mesh's box covers all that its grid can find. */
static int is_far(const rlti_collider_item *it, const strand *s, const rlti_box *box, double gap) {
    if (it->mesh != NULL)
        return rlti_box_apart(&it->mesh->box, box, 0.01);
    return rlti_box_apart(&it->shape->box, box, gap + s->seconds * it->shape->fastest);
}

static course begin_course(const rlti_colliders *colliders, const rlti_collider_item *it, const strand *s) {
    course c = {.item = it};
    c.remembers = s->memory != NULL && it->mesh != NULL && it->mesh == colliders->meshes;
    if (it->mesh != NULL) {
        rlti_vec3 from_centre = rlti_sub(s->origin, it->mesh->surface.centre);
        c.shift[0] = (float)from_centre.x;
        c.shift[1] = (float)from_centre.y;
        c.shift[2] = (float)from_centre.z;
    }
    return c;
}

/* How near to the rim a passage of this edge may be explained by the rim. */
static float rim_margin(const float from[3], const float to[3], double thickness) {
    const float edge[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    return 1.5f * rlti_length3(edge) + (float)thickness;
}

/* Follows the strand through a sheet: the edge that ends at point i. A root at the sheet grows out of it, to
 * the side its first edge takes. */
static void follow(const strand *s, int i, course *c) {
    const rlti_mesh_collider *mesh = c->item->mesh;
    const float *p = s->positions + 3 * (size_t)i, *before = i > 0 ? p - 3 : p;
    if (i == 0 || mesh == NULL || mesh->surface.sides != RLTI_SHEET || s->allowance.any_side ||
        !is_finite(p, before))
        return;
    float from[3], to[3];
    local_position(c, before, from);
    local_position(c, p, to);
    if (i == 1) {
        rlti_vec3 root =
            rlti_add(s->origin, rlti_v3((double)before[0], (double)before[1], (double)before[2]));
        double near = s->thickness + root_slack;
        if (rlti_mesh_collider_distance(mesh, root, near) < near)
            return;
    }
    c->through ^=
        rlti_crossing_count(&mesh->grid, &mesh->surface, from, to, rim_margin(from, to, s->thickness)) & 1;
}

/* Whether the point may reach the plane within the time. */
static int is_near(const rlti_hit *found, const float velocity[3], double thickness, double seconds) {
    double approach = 0.0;
    for (int k = 0; k < 3; k++)
        approach -= found->normal[k] * ((double)velocity[k] - found->velocity[k]);
    double path = approach > 0.0 ? approach * seconds : 0.0;
    return found->distance < thickness + path + RLTI_CONTACT_SLACK;
}

/* How near a point may come to one surface. */
static double thickness_at(const strand *s, int i, const course *c) {
    const rlti_allowance *a = &s->allowance;
    if (a->thickness == NULL)
        return s->thickness;
    double own = (double)a->thickness[i];
    return own < 0.0 && a->home != NULL && a->home[i] != c->item->surface ? 0.0 : own;
}

/* Whether a hit leads away from the side that the point is to return to. */
static int leads_astray(const strand *s, int i, const course *c, const rlti_hit *hit) {
    const rlti_passed *passed = s->allowance.passed != NULL ? &s->allowance.passed[i] : NULL;
    if (passed == NULL || passed->surface != c->item->surface + 1)
        return 0;
    double along = 0.0;
    for (int k = 0; k < 3; k++)
        along += (double)passed->normal[k] * hit->normal[k];
    return along < 0.0;
}

/* The deepest of the surfaces point i may touch, with the thickness towards it; returns 0 if there is none.
 */
static int find_hit(const strand *s, int i, course *courses, int course_count, rlti_hit *best,
                    double *thickness) {
    const float *position = s->positions + 3 * (size_t)i, *velocity = s->velocities + 3 * (size_t)i;
    int found = 0;
    for (int k = 0; k < course_count; k++) {
        course *c = &courses[k];
        double own = thickness_at(s, i, c);
        rlti_hit next;
        int hit;
        if (c->item->mesh != NULL) {
            float local[3];
            follow(s, i, c);
            local_position(c, position, local);
            hit = rlti_mesh_collider_hit(c->item->mesh, local, velocity, own, s->seconds, c->through,
                                         c->remembers ? &s->memory[i] : NULL, &next);
        } else {
            rlti_vec3 world =
                rlti_add(s->origin, rlti_v3((double)position[0], (double)position[1], (double)position[2]));
            hit = rlti_shape_hit(c->item->shape, world, velocity, own, s->seconds, &next);
        }
        if (hit && is_near(&next, velocity, own, s->seconds) && !leads_astray(s, i, c, &next) &&
            (!found || next.distance - own < best->distance - *thickness)) {
            *best = next;
            *thickness = own;
            found = 1;
        }
    }
    return found;
}

static void write_plane(const rlti_hit *found, int point, const float position[3], double thickness,
                        rlti_plane *plane) {
    double offset = thickness - found->height;
    for (int k = 0; k < 3; k++) {
        offset += found->normal[k] * (double)position[k];
        plane->normal[k] = (float)found->normal[k];
        plane->velocity[k] = (float)found->velocity[k];
    }
    plane->point = point;
    plane->offset = (float)offset;
}

static int find_planes(const strand *s, course *courses, int course_count, rlti_plane *planes) {
    int count = 0;
    for (int i = s->allowance.free_root ? 0 : 1; i < s->count; i++) {
        const float *position = s->positions + 3 * (size_t)i, *velocity = s->velocities + 3 * (size_t)i;
        rlti_hit found = {0};
        double thickness = 0.0;
        if (is_finite(position, velocity) && find_hit(s, i, courses, course_count, &found, &thickness))
            write_plane(&found, i, position, thickness, &planes[count++]);
    }
    return count;
}

int rlti_colliders_find(const rlti_colliders *colliders, int hair, const rlti_vec3 *origin, int point_count,
                        const float *positions, const float *velocities, double thickness,
                        const rlti_allowance *allowance, double seconds, rlti_memory *memory,
                        rlti_plane *planes) {
    strand s = {.origin = *origin,
                .count = point_count,
                .positions = positions,
                .velocities = velocities,
                .thickness = thickness,
                .seconds = seconds,
                .memory = memory};
    if (allowance != NULL)
        s.allowance = *allowance;
    course courses[COURSES];
    int item_count, course_count = 0;
    const rlti_collider_item *const *items = items_of(colliders, hair, &item_count);
    rlti_box box;
    double gap;
    if (item_count == 0 || !strand_box(&s, &box, &gap))
        return 0;
    for (int i = 0; i < item_count && course_count < COURSES; i++)
        if (!is_far(items[i], &s, &box, gap))
            courses[course_count++] = begin_course(colliders, items[i], &s);
    return course_count > 0 ? find_planes(&s, courses, course_count, planes) : 0;
}

double rlti_colliders_distance(const rlti_colliders *colliders, int hair, rlti_vec3 point, double reach,
                               int *nearest) {
    int count, surface = -1;
    const rlti_collider_item *const *items = items_of(colliders, hair, &count);
    double minimum = reach;
    for (int i = 0; i < count; i++) {
        double distance = items[i]->mesh != NULL ? rlti_mesh_collider_distance(items[i]->mesh, point, reach)
                                                 : rlti_shape_distance(items[i]->shape, point);
        if (distance < minimum) {
            minimum = distance;
            surface = items[i]->surface;
        }
    }
    if (nearest != NULL)
        *nearest = surface;
    return minimum;
}

/* Into the surface and out of it again: an end inside is another matter. */
static int pierces_mesh(const rlti_mesh_collider *mesh, rlti_vec3 from, rlti_vec3 to) {
    float a[3], b[3];
    rlti_v3_round(a, rlti_sub(from, mesh->surface.centre));
    rlti_v3_round(b, rlti_sub(to, mesh->surface.centre));
    return mesh->surface.sides != RLTI_SHEET &&
           rlti_crossing_count(&mesh->grid, &mesh->surface, a, b, 0.0f) >= 2;
}

static int pierces_shape(const rlti_shape *shape, rlti_vec3 from, rlti_vec3 to) {
    enum { PLACES = 8 };
    if (!(rlti_shape_distance(shape, from) > 0.0 && rlti_shape_distance(shape, to) > 0.0))
        return 0;
    for (int k = 1; k < PLACES; k++)
        if (rlti_shape_distance(shape, rlti_madd(from, (double)k / PLACES, rlti_sub(to, from))) < 0.0)
            return 1;
    return 0;
}

int rlti_colliders_pierced(const rlti_colliders *colliders, int hair, rlti_vec3 from, rlti_vec3 to) {
    int count;
    const rlti_collider_item *const *items = items_of(colliders, hair, &count);
    for (int i = 0; i < count; i++)
        if (items[i]->mesh != NULL ? pierces_mesh(items[i]->mesh, from, to)
                                   : pierces_shape(items[i]->shape, from, to))
            return 1;
    return 0;
}

int rlti_colliders_pass_through(const rlti_colliders *colliders, int hair, int point_count,
                                const rlti_vec3 *points, double thickness) {
    int count;
    const rlti_collider_item *const *items = items_of(colliders, hair, &count);
    for (int i = 0; i < count; i++) {
        const rlti_mesh_collider *mesh = items[i]->mesh;
        if (mesh == NULL || mesh->surface.sides != RLTI_SHEET)
            continue;
        float from[3] = {0}, to[3];
        for (int p = 0; p < point_count; p++) {
            rlti_vec3 local = rlti_sub(points[p], mesh->surface.centre);
            rlti_v3_round(to, local);
            int grows_here = p == 1 && rlti_mesh_collider_distance(mesh, points[0], thickness + root_slack) <
                                           thickness + root_slack;
            if (p > 0 && !grows_here &&
                rlti_crossing_count(&mesh->grid, &mesh->surface, from, to, rim_margin(from, to, thickness)) >
                    0)
                return 1;
            memcpy(from, to, sizeof from);
        }
    }
    return 0;
}
