#include "contact/collide.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "base/messages.h"
#include "contact/crossing.h"
#include "contact/mesh_collider.h"
#include "contact/mesh_motion.h"
#include "contact/mesh_parts.h"
#include "contact/shape.h"

/* A root this much further from a sheet than the thickness does not grow on it. [unit] */
static const double root_slack = 0.01;

/* A mesh read from files, and where its parts are among the items. */
typedef struct loaded {
    rlti_mesh_motion motion;
    rlti_mesh_parts parts;
    int first_mesh; /* of the parts, in `meshes` */
} loaded;

/* One thing to collide with: a shape or a mesh. */
typedef struct item {
    int collider; /* in the scene */
    const rlti_shape *shape;
    const rlti_mesh_collider *mesh;
} item;

struct rlti_colliders {
    const rlti_body *body;
    double rate; /* frames per second */
    int shape_count;
    rlti_shape *shapes;
    int mesh_count;
    rlti_mesh_collider *meshes;
    int body_mesh; /* the character's own in `meshes`, or -1 */
    int loaded_count;
    loaded *loaded;

    /* the items each hair section meets: those of list[first[h]] to list[first[h + 1] - 1]; the last section
     * stands for all */
    int item_count;
    item *items;
    int hair_count;
    int *first; /* [hair_count + 2] */
    const item **list;
};

/* Meshes of one scene at most: the generated body, and the parts of those from files. */
static int most_meshes(const rlti_scene_data *scene) {
    int count = 1;
    for (int c = 0; c < scene->collider_count; c++)
        if (scene->colliders[c].kind == RLTI_COLLIDER_MESH)
            count += RLTI_PARTS_MAX;
    return count;
}

static float greatest_reach(const rlti_scene_data *scene) {
    double thickness = 0.0;
    for (int h = 0; h < scene->hair_count; h++)
        if (scene->hair[h].collide && scene->hair[h].thickness > thickness)
            thickness = scene->hair[h].thickness;
    return (float)(thickness + RLTI_CONTACT_REACH);
}

static rlt_status add_mesh(rlti_colliders *made, const rlti_scene_data *scene, int collider,
                           const rlti_mesh *mesh, rlti_surface_sides sides, rlt_messages *messages) {
    rlti_mesh_collider *to = &made->meshes[made->mesh_count++];
    made->items[made->item_count++] = (item){.collider = collider, .mesh = to};
    if (!rlti_mesh_collider_create(mesh, sides, greatest_reach(scene), to))
        return rlti_out_of_memory(messages);
    return RLT_OK;
}

static rlt_status add_body(rlti_colliders *made, const rlti_scene_data *scene, int collider,
                           rlt_messages *messages) {
    const rlti_mesh *mesh = made->body == NULL ? NULL : rlti_body_mesh(made->body);
    if (mesh == NULL || mesh->triangle_count == 0) {
        rlti_message(messages, RLT_WARNING,
                     "collider '%s': the scene has no character, so there is no body mesh",
                     scene->colliders[collider].name);
        return RLT_OK;
    }
    if (made->body_mesh >= 0) { /* the same mesh again: it may be of another group */
        made->items[made->item_count++] =
            (item){.collider = collider, .mesh = &made->meshes[made->body_mesh]};
        return RLT_OK;
    }
    made->body_mesh = made->mesh_count;
    return add_mesh(made, scene, collider, mesh, RLTI_SOLID, messages);
}

/* Pieces that overlap are fine, each is a solid; a piece that cuts itself has places where inside is outside.
 */
static rlt_status check_crossing(const rlti_mesh_collider *mesh, const char *name, rlt_messages *messages) {
    int first[2];
    long long pairs = rlti_crossing_pairs(&mesh->grid, &mesh->surface, first);
    if (pairs < 0)
        return rlti_out_of_memory(messages);
    if (pairs == 0)
        return RLT_OK;
    const int *v = mesh->surface.triangles[first[0]];
    const rlti_vec3 *at = &mesh->rest[v[0]];
    rlti_message(
        messages, RLT_WARNING,
        "collider '%s': %lld pair%s of triangles cut through each other at rest, the first near [%.6g, "
        "%.6g, %.6g]: hair that gets in between may be held there",
        name, pairs, pairs == 1 ? "" : "s", at->x, at->y, at->z);
    return RLT_OK;
}

static rlt_status add_file(rlti_colliders *made, const rlti_scene_data *scene, int collider,
                           rlt_messages *messages) {
    const rlti_collider_data *data = &scene->colliders[collider];
    char path[RLTI_PATH_SIZE + RLTI_FILE_SIZE];
    loaded *file = &made->loaded[made->loaded_count++];
    snprintf(path, sizeof path, "%s%s", data->file[0] == '/' ? "" : scene->folder, data->file);
    file->first_mesh = made->mesh_count;
    rlt_status status = rlti_mesh_motion_open(scene, data, path, made->body, messages, &file->motion);
    if (status == RLT_OK)
        status = rlti_mesh_parts_create(data->name, file->motion.obj, data->sides, messages, &file->parts);
    for (int p = 0; p < file->parts.count && status == RLT_OK; p++) {
        const rlti_mesh_part *part = &file->parts.part[p];
        status = add_mesh(made, scene, collider, &part->mesh, part->sides, messages);
        if (status != RLT_OK)
            break;
        rlti_mesh_collider *mesh = &made->meshes[made->mesh_count - 1];
        rlti_mesh_collider_rest(mesh);
        rlti_mesh_collider_pose(mesh, 0.0, made->rate);
        status = check_crossing(mesh, data->name, messages);
    }
    return status;
}

static rlt_status add_collider(rlti_colliders *made, const rlti_scene_data *scene, int collider,
                               rlt_messages *messages) {
    const rlti_collider_data *data = &scene->colliders[collider];
    if (!data->enabled)
        return RLT_OK;
    if (data->kind == RLTI_COLLIDER_BODY)
        return add_body(made, scene, collider, messages);
    if (data->kind == RLTI_COLLIDER_MESH)
        return add_file(made, scene, collider, messages);
    rlti_shape *shape = &made->shapes[made->shape_count++];
    rlti_shape_create(data, shape);
    made->items[made->item_count++] = (item){.collider = collider, .shape = shape};
    return RLT_OK;
}

static int has_name(const rlti_names *names, const char *name) {
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0)
            return 1;
    return 0;
}

static int meets(const rlti_hair_data *hair, const rlti_collider_data *collider) {
    return (hair->groups.count == 0 || has_name(&hair->groups, collider->group)) &&
           !has_name(&hair->except, collider->name);
}

/* Meshes come first: which of two equally near surfaces wins must not change with the order of the scene. */
static void fill_lists(const rlti_scene_data *scene, rlti_colliders *made) {
    int used = 0;
    for (int h = 0; h <= scene->hair_count; h++) {
        made->first[h] = used;
        for (int shapes = 0; shapes <= 1; shapes++)
            for (int i = 0; i < made->item_count; i++) {
                const item *it = &made->items[i];
                if ((it->shape != NULL) == shapes &&
                    (h == scene->hair_count || meets(&scene->hair[h], &scene->colliders[it->collider])))
                    made->list[used++] = it;
            }
    }
    made->first[scene->hair_count + 1] = used;
    made->hair_count = scene->hair_count;
}

static int allocate(const rlti_scene_data *scene, rlti_colliders *made) {
    int meshes = most_meshes(scene);
    made->shapes = RLTI_NEW(rlti_shape, scene->collider_count);
    made->meshes = RLTI_NEW(rlti_mesh_collider, meshes);
    made->loaded = RLTI_NEW(loaded, scene->collider_count);
    made->items = RLTI_NEW(item, scene->collider_count + meshes);
    made->first = RLTI_NEW(int, scene->hair_count + 2);
    return made->shapes != NULL && made->meshes != NULL && made->loaded != NULL && made->items != NULL &&
           made->first != NULL;
}

rlt_status rlti_colliders_create(const rlti_scene_data *scene, const rlti_body *body, rlt_messages *messages,
                                 rlti_colliders **colliders) {
    rlt_status status = RLT_OK;
    rlti_colliders *made = RLTI_NEW(rlti_colliders, 1);
    *colliders = NULL;
    if (made == NULL)
        return rlti_out_of_memory(messages);
    made->body = body;
    made->rate = scene->time.fps;
    made->body_mesh = -1;
    if (!allocate(scene, made)) {
        rlti_colliders_destroy(made);
        return rlti_out_of_memory(messages);
    }
    /* all files are looked at, so that all problems are told at once */
    for (int c = 0; c < scene->collider_count; c++) {
        rlt_status one = add_collider(made, scene, c, messages);
        status = one == RLT_OK ? status : one;
        if (one == RLT_FAILED)
            break;
    }
    made->list = (const item **)rlti_allocate((size_t)made->item_count * ((size_t)scene->hair_count + 1),
                                              sizeof(item *));
    if (status == RLT_OK && made->list == NULL)
        status = rlti_out_of_memory(messages);
    if (status != RLT_OK || made->list == NULL) {
        rlti_colliders_destroy(made);
        return status;
    }
    fill_lists(scene, made);
    rlti_colliders_pose_rest(made);
    *colliders = made;
    return RLT_OK;
}

void rlti_colliders_destroy(rlti_colliders *colliders) {
    if (colliders == NULL)
        return;
    for (int m = 0; m < colliders->mesh_count; m++)
        rlti_mesh_collider_destroy(&colliders->meshes[m]);
    for (int f = 0; f < colliders->loaded_count; f++) {
        rlti_mesh_motion_close(&colliders->loaded[f].motion);
        rlti_mesh_parts_destroy(&colliders->loaded[f].parts);
    }
    rlti_free(colliders->shapes);
    rlti_free(colliders->meshes);
    rlti_free(colliders->loaded);
    rlti_free(colliders->items);
    rlti_free(colliders->first);
    rlti_free(colliders->list);
    rlti_free(colliders);
}

int rlti_colliders_count(const rlti_colliders *colliders) {
    return colliders->item_count;
}

void rlti_colliders_pose_rest(rlti_colliders *colliders) {
    for (int i = 0; i < colliders->shape_count; i++)
        rlti_shape_rest(&colliders->shapes[i]);
    for (int m = 0; m < colliders->mesh_count; m++)
        rlti_mesh_collider_rest(&colliders->meshes[m]);
    rlti_colliders_pose(colliders, 0.0);
}

uint64_t rlti_colliders_checksum(const rlti_colliders *colliders) {
    uint64_t hash = (uint64_t)colliders->mesh_count;
    for (int m = 0; m < colliders->mesh_count; m++) {
        const rlti_mesh_collider *mesh = &colliders->meshes[m];
        hash = rlti_checksum(hash, mesh->rest, (size_t)mesh->surface.vertex_count * sizeof(rlti_vec3));
    }
    return hash;
}

rlt_status rlti_colliders_begin_frame(rlti_colliders *colliders, int frame, rlt_messages *messages) {
    for (int f = 0; f < colliders->loaded_count; f++) {
        loaded *file = &colliders->loaded[f];
        if (rlti_mesh_motion_is_still(&file->motion))
            continue; /* as at rest */
        rlt_status status = rlti_mesh_motion_begin(&file->motion, frame, messages);
        if (status != RLT_OK)
            return status;
        for (int p = 0; p < file->parts.count; p++) {
            rlti_mesh_collider *mesh = &colliders->meshes[file->first_mesh + p];
            rlti_mesh_motion_segment(&file->motion, file->parts.part[p].from, mesh->surface.vertex_count,
                                     mesh->surface.coefficients);
            rlti_mesh_collider_set_motion(mesh);
        }
    }
    for (int i = 0; i < colliders->shape_count && colliders->body != NULL; i++)
        rlti_shape_begin_frame(&colliders->shapes[i], colliders->body, frame);
    if (colliders->body_mesh >= 0) {
        rlti_mesh_collider *mesh = &colliders->meshes[colliders->body_mesh];
        rlti_body_vertex_segment(colliders->body, frame, mesh->surface.coefficients);
        rlti_mesh_collider_set_motion(mesh);
    }
    return RLT_OK;
}

void rlti_colliders_pose(rlti_colliders *colliders, double s) {
    s = s >= 0.0 ? (s <= 1.0 ? s : 1.0) : 0.0;
    for (int i = 0; i < colliders->shape_count; i++)
        rlti_shape_pose(&colliders->shapes[i], s, colliders->rate);
    for (int m = 0; m < colliders->mesh_count; m++)
        rlti_mesh_collider_pose(&colliders->meshes[m], s, colliders->rate);
}

/* The items a hair section meets. */
static const item *const *items_of(const rlti_colliders *colliders, int hair, int *count) {
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
    const float *point_thickness; /* or NULL */
    int any_side;
} strand;

/* What a strand keeps in mind of one item while going from root to tip. */
typedef struct course {
    const item *item;
    float shift[3]; /* from the strand's origin to the mesh's centre */
    int through;    /* passed a sheet an odd number of times */
} course;

/* Of the colliders whose boxes a strand touches, the first ones of the scene up to this many are looked at.
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
    float least[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, most[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    double fastest = 0.0, thickest = s->thickness;
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        const float *p = s->positions + 3 * (size_t)i, *v = s->velocities + 3 * (size_t)i;
        if (!is_finite(p, v))
            continue;
        for (int k = 0; k < 3; k++) {
            least[k] = p[k] < least[k] ? p[k] : least[k];
            most[k] = p[k] > most[k] ? p[k] : most[k];
        }
        fastest = fmax(fastest, (double)rlti_length3(v));
        if (s->point_thickness != NULL)
            thickest = fmax(thickest, (double)s->point_thickness[i]);
        count++;
    }
    const double origin[3] = {s->origin.x, s->origin.y, s->origin.z};
    for (int k = 0; k < 3; k++) {
        box->least[k] = origin[k] + (double)least[k];
        box->most[k] = origin[k] + (double)most[k];
    }
    *gap = fmax(thickest, 0.0) + RLTI_CONTACT_SLACK + s->seconds * fastest;
    return count > 0;
}

/* A mesh's box covers all that its grid can find. */
static int is_far(const item *it, const strand *s, const rlti_box *box, double gap) {
    if (it->mesh != NULL)
        return rlti_box_apart(&it->mesh->box, box, 0.01);
    return rlti_box_apart(&it->shape->box, box, gap + s->seconds * it->shape->fastest);
}

static course begin_course(const item *it, const strand *s) {
    course c = {.item = it};
    if (it->mesh != NULL) {
        rlti_vec3 from_centre = rlti_sub(s->origin, it->mesh->surface.centre);
        c.shift[0] = (float)from_centre.x;
        c.shift[1] = (float)from_centre.y;
        c.shift[2] = (float)from_centre.z;
    }
    return c;
}

/* How near to the rim a passage of this edge may be explained by the rim. */
static float rim_room(const float from[3], const float to[3], double thickness) {
    const float edge[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    return 1.5f * rlti_length3(edge) + (float)thickness;
}

/* Follows the strand through a sheet: the edge that ends at point i. A root at the sheet grows out of it, to
 * the side its first edge takes. */
static void follow(const strand *s, int i, course *c) {
    const rlti_mesh_collider *mesh = c->item->mesh;
    const float *p = s->positions + 3 * (size_t)i, *before = p - 3;
    if (mesh == NULL || mesh->surface.sides != RLTI_SHEET || s->any_side || !is_finite(p, before))
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
        rlti_crossing_count(&mesh->grid, &mesh->surface, from, to, rim_room(from, to, s->thickness)) & 1;
}

/* Whether the point may reach the plane within the time. */
static int is_near(const rlti_hit *found, const float velocity[3], double thickness, double seconds) {
    double approach = 0.0;
    for (int k = 0; k < 3; k++)
        approach -= found->normal[k] * ((double)velocity[k] - found->velocity[k]);
    double path = approach > 0.0 ? approach * seconds : 0.0;
    return found->distance < thickness + path + RLTI_CONTACT_SLACK;
}

/* The deepest of the surfaces point i may touch; returns 0 if there is none. */
static int find_hit(const strand *s, int i, double thickness, course *courses, int course_count,
                    rlti_hit *best) {
    const float *position = s->positions + 3 * (size_t)i, *velocity = s->velocities + 3 * (size_t)i;
    int found = 0;
    for (int k = 0; k < course_count; k++) {
        course *c = &courses[k];
        rlti_hit next;
        int hit;
        if (c->item->mesh != NULL) {
            float local[3];
            follow(s, i, c);
            local_position(c, position, local);
            hit = rlti_mesh_collider_hit(c->item->mesh, local, velocity, thickness, s->seconds, c->through,
                                         &next);
        } else {
            rlti_vec3 world =
                rlti_add(s->origin, rlti_v3((double)position[0], (double)position[1], (double)position[2]));
            hit = rlti_shape_hit(c->item->shape, world, velocity, thickness, s->seconds, &next);
        }
        if (hit && is_near(&next, velocity, thickness, s->seconds) &&
            (!found || next.distance < best->distance)) {
            *best = next;
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
    for (int i = 1; i < s->count; i++) {
        const float *position = s->positions + 3 * (size_t)i, *velocity = s->velocities + 3 * (size_t)i;
        double own = s->point_thickness != NULL ? (double)s->point_thickness[i] : s->thickness;
        rlti_hit found = {0};
        if (is_finite(position, velocity) && find_hit(s, i, own, courses, course_count, &found))
            write_plane(&found, i, position, own, &planes[count++]);
    }
    return count;
}

int rlti_colliders_find(const rlti_colliders *colliders, int hair, const rlti_vec3 *origin, int point_count,
                        const float *positions, const float *velocities, double thickness,
                        const float *point_thickness, int any_side, double seconds, rlti_plane *planes) {
    const strand s = {*origin,   point_count, positions,       velocities,
                      thickness, seconds,     point_thickness, any_side};
    course courses[COURSES];
    int item_count, course_count = 0;
    const item *const *items = items_of(colliders, hair, &item_count);
    rlti_box box;
    double gap;
    if (item_count == 0 || !strand_box(&s, &box, &gap))
        return 0;
    for (int i = 0; i < item_count && course_count < COURSES; i++)
        if (!is_far(items[i], &s, &box, gap))
            courses[course_count++] = begin_course(items[i], &s);
    return course_count > 0 ? find_planes(&s, courses, course_count, planes) : 0;
}

double rlti_colliders_distance(const rlti_colliders *colliders, int hair, rlti_vec3 point, double reach) {
    int count;
    const item *const *items = items_of(colliders, hair, &count);
    double least = reach;
    for (int i = 0; i < count; i++) {
        double distance = items[i]->mesh != NULL ? rlti_mesh_collider_distance(items[i]->mesh, point, reach)
                                                 : rlti_shape_distance(items[i]->shape, point);
        least = fmin(least, distance);
    }
    return least;
}

int rlti_colliders_pass_through(const rlti_colliders *colliders, int hair, int point_count,
                                const rlti_vec3 *points, double thickness) {
    int count;
    const item *const *items = items_of(colliders, hair, &count);
    for (int i = 0; i < count; i++) {
        const rlti_mesh_collider *mesh = items[i]->mesh;
        if (mesh == NULL || mesh->surface.sides != RLTI_SHEET)
            continue;
        float from[3] = {0}, to[3];
        for (int p = 0; p < point_count; p++) {
            rlti_vec3 local = rlti_sub(points[p], mesh->surface.centre);
            to[0] = (float)local.x;
            to[1] = (float)local.y;
            to[2] = (float)local.z;
            int grows_here = p == 1 && rlti_mesh_collider_distance(mesh, points[0], thickness + root_slack) <
                                           thickness + root_slack;
            if (p > 0 && !grows_here &&
                rlti_crossing_count(&mesh->grid, &mesh->surface, from, to, rim_room(from, to, thickness)) > 0)
                return 1;
            memcpy(from, to, sizeof from);
        }
    }
    return 0;
}
