/* All colliders of a scene: building, posing. Looking things up is in collide_find.c. */
#include "contact/body/collide_data.h"

#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "base/messages.h"
#include "contact/body/crossing.h"

/* Meshes of one scene at most: the generated body, and the parts of those from files. */
static int maximum_meshes(const rlti_scene_data *scene) {
    int count = 1;
    for (int c = 0; c < scene->collider_count; c++)
        if (scene->colliders[c].kind == RLTI_COLLIDER_MESH || scene->colliders[c].kind == RLTI_COLLIDER_BODY)
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

/* Steps of a frame so long that points are sought much further away for their speed. */
enum { LONG_STEPS = 4 };

static rlt_status add_mesh(rlti_colliders *made, const rlti_scene_data *scene, int collider,
                           const rlti_mesh *mesh, rlti_surface_sides sides, rlt_messages *messages) {
    rlti_mesh_collider *to = &made->meshes[made->mesh_count++];
    made->items[made->item_count++] =
        (rlti_collider_item){.collider = collider, .surface = made->surface_count++, .mesh = to};
    if (!rlti_mesh_collider_create(mesh, sides, greatest_reach(scene), to))
        return rlti_out_of_memory(messages);
    to->grid.coarse = scene->coarse > 1.0 ? (float)scene->coarse : 1.0f;
    to->instant = scene->coarse > 0.0 && scene->time.outer_steps == 1;
    to->spins = scene->time.outer_steps <= LONG_STEPS;
    return RLT_OK;
}

static rlt_status add_parts(rlti_colliders *made, const rlti_scene_data *scene, int collider,
                            rlti_loaded_mesh *file, rlti_sides sides, rlt_messages *messages);

/* A body from a file is checked as every mesh from a file is: it may have holes. */
static rlt_status add_body_file(rlti_colliders *made, const rlti_scene_data *scene, int collider,
                                rlt_messages *messages) {
    const rlti_collider_data *data = &scene->colliders[collider];
    if (made->body_loaded >= 0) { /* the same again: it may be of another group */
        const rlti_loaded_mesh *body = &made->loaded[made->body_loaded];
        int first = 0;
        while (made->items[first].mesh != &made->meshes[body->first_mesh])
            first++;
        for (int p = 0; p < body->parts.count; p++) {
            made->items[made->item_count] = made->items[first + p];
            made->items[made->item_count++].collider = collider;
        }
        return RLT_OK;
    }
    made->body_loaded = made->loaded_count++;
    rlti_loaded_mesh *file = &made->loaded[made->body_loaded];
    rlt_status status = rlti_mesh_motion_open_body(scene, data, made->body, messages, &file->motion);
    /* where it is open it is still skin, not cloth */
    rlti_sides sides = data->sides == RLTI_SIDES_AUTO ? RLTI_SIDES_ONE : data->sides;
    return status == RLT_OK ? add_parts(made, scene, collider, file, sides, messages) : status;
}

static rlt_status add_body(rlti_colliders *made, const rlti_scene_data *scene, int collider,
                           rlt_messages *messages) {
    const rlti_mesh *mesh = made->body == NULL ? NULL : rlti_body_mesh(made->body);
    if (mesh == NULL || mesh->triangle_count == 0) {
        rlti_warn(messages,
                  "collider '%s': the scene has no character, so there is no body mesh; set character.kind",
                  scene->colliders[collider].name);
        return RLT_OK;
    }
    if (rlti_body_is_file(made->body))
        return add_body_file(made, scene, collider, messages);
    if (made->body_mesh >= 0) { /* the same mesh again: it may be of another group */
        made->items[made->item_count++] = (rlti_collider_item){
            .collider = collider, .surface = made->body_surface, .mesh = &made->meshes[made->body_mesh]};
        return RLT_OK;
    }
    made->body_mesh = made->mesh_count;
    made->body_surface = made->surface_count;
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
    rlti_warn(messages,
              "collider '%s': %lld pair%s of triangles cut through each other at rest, the first near [%.6g, "
              "%.6g, %.6g]: hair that gets in between may be held there",
              name, pairs, pairs == 1 ? "" : "s", at->x, at->y, at->z);
    return RLT_OK;
}

static rlt_status add_parts(rlti_colliders *made, const rlti_scene_data *scene, int collider,
                            rlti_loaded_mesh *file, rlti_sides sides, rlt_messages *messages) {
    const rlti_collider_data *data = &scene->colliders[collider];
    file->first_mesh = made->mesh_count;
    rlt_status status = rlti_mesh_parts_create(data->name, file->motion.obj, sides, messages, &file->parts);
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

static rlt_status add_file(rlti_colliders *made, const rlti_scene_data *scene, int collider,
                           rlt_messages *messages) {
    const rlti_collider_data *data = &scene->colliders[collider];
    char path[RLTI_PATH_SIZE + RLTI_FILE_SIZE];
    rlti_loaded_mesh *file = &made->loaded[made->loaded_count++];
    rlti_files_path(scene, data->file, path, sizeof path);
    rlt_status status = rlti_mesh_motion_open(scene, data, path, made->body, messages, &file->motion);
    return status == RLT_OK ? add_parts(made, scene, collider, file, data->sides, messages) : status;
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
    if (made->body != NULL)
        shape->middle.bone = rlti_body_collider_bone(made->body, collider);
    made->items[made->item_count++] =
        (rlti_collider_item){.collider = collider, .surface = made->surface_count++, .shape = shape};
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
                const rlti_collider_item *it = &made->items[i];
                if ((it->shape != NULL) == shapes &&
                    (h == scene->hair_count || meets(&scene->hair[h], &scene->colliders[it->collider])))
                    made->list[used++] = it;
            }
    }
    made->first[scene->hair_count + 1] = used;
    made->hair_count = scene->hair_count;
}

static int allocate(const rlti_scene_data *scene, rlti_colliders *made) {
    int meshes = maximum_meshes(scene);
    return RLTI_ALLOCATE(
        RLTI_ITEMS(made->shapes, scene->collider_count), RLTI_ITEMS(made->meshes, meshes),
        RLTI_ITEMS(made->loaded, scene->collider_count),
        RLTI_ITEMS(made->items, (size_t)scene->collider_count * RLTI_PARTS_MAX + (size_t)meshes),
        RLTI_ITEMS(made->first, scene->hair_count + 2));
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
    made->body_mesh = made->body_loaded = -1;
    if (!allocate(scene, made)) {
        rlti_colliders_destroy(made);
        return rlti_out_of_memory(messages);
    }
    /* all files are checked, so that all problems are reported at once */
    for (int c = 0; c < scene->collider_count; c++) {
        rlt_status one = add_collider(made, scene, c, messages);
        status = one == RLT_OK ? status : one;
        if (one == RLT_FAILED)
            break;
    }
    made->list = (const rlti_collider_item **)rlti_allocate(
        (size_t)made->item_count * ((size_t)scene->hair_count + 1), sizeof(rlti_collider_item *));
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
    RLTI_FREE(colliders->shapes, colliders->meshes, colliders->loaded, colliders->items, colliders->first,
              colliders->list, colliders);
}

int rlti_colliders_count(const rlti_colliders *colliders) {
    return colliders->item_count;
}

int rlti_colliders_surface_count(const rlti_colliders *colliders) {
    return colliders->surface_count;
}

static const rlti_collider_item *item_of(const rlti_colliders *colliders, int surface) {
    int i = 0;
    while (colliders->items[i].surface != surface)
        i++;
    return &colliders->items[i];
}

const rlti_surface *rlti_colliders_surface(const rlti_colliders *colliders, int surface) {
    const rlti_mesh_collider *mesh = item_of(colliders, surface)->mesh;
    return mesh != NULL ? &mesh->surface : NULL;
}

const rlti_shape *rlti_colliders_shape(const rlti_colliders *colliders, int surface) {
    return item_of(colliders, surface)->shape;
}

int rlti_colliders_meets(const rlti_colliders *colliders, int hair, int surface) {
    for (int i = colliders->first[hair]; i < colliders->first[hair + 1]; i++)
        if (colliders->list[i]->surface == surface)
            return 1;
    return 0;
}

void rlti_colliders_share(rlti_colliders *colliders, rlti_pool *pool) {
    for (int m = 0; m < colliders->mesh_count; m++)
        colliders->meshes[m].grid.pool = pool;
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
        rlti_loaded_mesh *file = &colliders->loaded[f];
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
