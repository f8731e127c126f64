/* Anchors on a surface: the scalp, or an object that points are attached to. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "contact/body/collide_data.h"
#include "groom/mesh_tree.h"
#include "shape/constraint_data.h"

/* Some triangles of a mesh as a mesh of its own, with a tree. */
typedef struct part {
    rlti_mesh mesh; /* its vertices are those of the whole */
    int *whole;     /* [triangle_count] index in the whole mesh */
    rlti_mesh_tree *tree;
} part;

static void part_free(part *p) {
    rlti_mesh_tree_destroy(p->tree);
    RLTI_FREE(p->mesh.triangles, p->whole);
}

static int has_area(const rlti_mesh *mesh, const int corner[3]) {
    rlti_vec3 a = rlti_sub(mesh->vertices[corner[1]], mesh->vertices[corner[0]]);
    rlti_vec3 b = rlti_sub(mesh->vertices[corner[2]], mesh->vertices[corner[0]]);
    double minimum = 1e-12 * rlti_length(a) * rlti_length(b);
    return rlti_length(rlti_cross(a, b)) > minimum;
}

/* The triangles with one of the region's bits (0: all), without those that have no area. */
static rlt_status part_create(const rlti_mesh *mesh, uint32_t bit, const rlti_constraint_data *data,
                              rlt_messages *messages, part *p) {
    int flat = 0, first_flat = -1;
    memset(p, 0, sizeof *p);
    p->mesh.vertex_count = mesh->vertex_count;
    p->mesh.vertices = mesh->vertices;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(p->mesh.triangles, (size_t)mesh->triangle_count + 1),
                       RLTI_ITEMS(p->whole, mesh->triangle_count + 1)))
        return rlti_out_of_memory(messages);
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (bit != 0 && !(mesh->regions[t] & bit))
            continue;
        if (!has_area(mesh, mesh->triangles[t])) {
            first_flat = flat++ == 0 ? t : first_flat;
            continue;
        }
        memcpy(p->mesh.triangles[p->mesh.triangle_count], mesh->triangles[t], 3 * sizeof(int));
        p->whole[p->mesh.triangle_count++] = t;
    }
    if (flat > 0)
        rlti_warn(messages, "%s: constraint '%s': %d triangles without area are left out (first triangle %d)",
                  data->place, data->name, flat, first_flat);
    if (p->mesh.triangle_count == 0)
        return rlti_refuse(messages, "%s: constraint '%s': its surface has no triangles with area",
                           data->place, data->name);
    p->tree = rlti_mesh_tree_create(&p->mesh);
    return p->tree != NULL ? RLT_OK : rlti_out_of_memory(messages);
}

rlt_status rlti_holds_add_scalp(rlti_holds *h, int constraint, const rlti_selection *chosen,
                                rlt_messages *messages) {
    const rlti_constraint_data *data = &h->def.scene->constraints[constraint];
    int usual = rlti_body_region(h->def.body, "scalp");
    uint32_t bit = usual < 0 ? 0 : (uint32_t)1 << usual;
    part scalp;
    if (data->scalp[0] != '\0' &&
        !rlti_select_region(h->def.body, data, "scalp", data->scalp, messages, &bit))
        return RLT_BAD_INPUT;
    rlt_status status = part_create(rlti_body_mesh(h->def.body), bit, data, messages, &scalp);
    for (int i = 0; i < chosen->count && status == RLT_OK; i++) {
        rlti_nearest nearest;
        rlti_vec3 rest = h->def.strands->points[chosen->point[i]];
        rlti_mesh_tree_nearest(scalp.tree, rest, &nearest);
        rlti_hold_motion motion = {.carrier = RLTI_CARRIER_ROOT, .strand = chosen->strand[i]};
        motion.root.triangle = scalp.whole[nearest.triangle];
        memcpy(motion.root.barycentric, nearest.barycentric, sizeof nearest.barycentric);
        motion.root.position = nearest.point;
        rlti_hold_entry entry = rlti_hold_entry_of(h, chosen, i, constraint);
        entry.kind = data->hard ? RLTI_HARD_DISTANCE : RLTI_SOFT_DISTANCE;
        entry.motion = h->motion_count;
        entry.low = entry.high = (float)rlti_length(rlti_sub(rest, nearest.point));
        if (!rlti_holds_add_motion(h, &motion) || !rlti_holds_add(h, &entry))
            status = rlti_out_of_memory(messages);
    }
    part_free(&scalp);
    return status;
}

/* ---- objects ---- */

int rlti_hold_object(const rlti_holds *h, int constraint) {
    const rlti_scene_data *scene = h->def.scene;
    for (int c = 0; c < scene->collider_count; c++)
        if (strcmp(scene->colliders[c].name, scene->constraints[constraint].object) == 0)
            return c;
    return -1;
}

/* The mesh of a collider from a file, or NULL. */
static const rlti_mesh_motion *find_mesh(const rlti_colliders *colliders, int collider) {
    for (int f = 0; f < colliders->loaded_count; f++)
        for (int i = 0; i < colliders->item_count; i++)
            if (colliders->items[i].collider == collider &&
                colliders->items[i].mesh == &colliders->meshes[colliders->loaded[f].first_mesh])
                return &colliders->loaded[f].motion;
    return NULL;
}

/* One motion for all points: spheres and capsules are rigid. */
static rlt_status attach_to_bone(rlti_holds *h, int constraint, const rlti_collider_data *object,
                                 const rlti_selection *chosen, rlt_messages *messages) {
    const rlti_constraint_data *data = &h->def.scene->constraints[constraint];
    int inside = data->grip == RLTI_GRIP_INSIDE;
    rlti_bone bone = rlti_body_collider_bone(h->def.body, (int)(object - h->def.scene->colliders));
    rlti_hold_motion motion = {.carrier = RLTI_CARRIER_BONE, .strand = -1, .turns = 1, .bone = bone};
    int done = rlti_holds_add_motion(h, &motion);
    for (int i = 0; i < chosen->count && done; i++) {
        rlti_hold_entry entry = rlti_hold_entry_of(h, chosen, i, constraint);
        entry.kind = inside ? (data->hard ? RLTI_HARD_DISTANCE : RLTI_SOFT_DISTANCE)
                            : (data->hard ? RLTI_HARD_PLACE : RLTI_SOFT_PLACE);
        entry.motion = h->motion_count - 1;
        entry.offset = inside ? rlti_v3(object->position[0], object->position[1], object->position[2])
                              : h->def.strands->points[chosen->point[i]];
        entry.high = inside ? (float)object->radius : 0.0f;
        done = rlti_holds_add(h, &entry);
    }
    return done ? RLT_OK : rlti_out_of_memory(messages);
}

/* Each point rides on the nearest triangle: `mesh` NULL is the body. */
static rlt_status attach_to_mesh(rlti_holds *h, int constraint, const rlti_mesh_motion *mesh,
                                 const rlti_selection *chosen, rlt_messages *messages) {
    const rlti_constraint_data *data = &h->def.scene->constraints[constraint];
    rlti_mesh loaded = {0};
    if (mesh != NULL) {
        loaded.vertex_count = mesh->obj->vertex_count;
        loaded.triangle_count = mesh->obj->triangle_count;
        loaded.vertices = (rlti_vec3 *)(void *)mesh->obj->vertices; /* both are three doubles in a row */
        loaded.triangles = mesh->obj->triangles;
    }
    part surface;
    rlt_status status =
        part_create(mesh != NULL ? &loaded : rlti_body_mesh(h->def.body), 0, data, messages, &surface);
    for (int i = 0; i < chosen->count && status == RLT_OK; i++) {
        rlti_nearest nearest;
        rlti_vec3 rest = h->def.strands->points[chosen->point[i]];
        rlti_mesh_tree_nearest(surface.tree, rest, &nearest);
        int triangle = surface.whole[nearest.triangle];
        rlti_hold_motion motion = {.carrier = mesh != NULL ? RLTI_CARRIER_MESH : RLTI_CARRIER_ROOT,
                                   .strand = chosen->strand[i],
                                   .turns = 1,
                                   .mesh = mesh};
        rlti_hold_entry entry = rlti_hold_entry_of(h, chosen, i, constraint);
        entry.kind = data->hard ? RLTI_HARD_PLACE : RLTI_SOFT_PLACE;
        entry.motion = h->motion_count;
        entry.offset = rlti_sub(rest, nearest.point);
        memcpy(motion.barycentric, nearest.barycentric, sizeof nearest.barycentric);
        if (mesh != NULL) {
            memcpy(motion.corners, loaded.triangles[triangle], sizeof motion.corners);
            for (int k = 0; k < 3; k++) /* the rest pose, to see how the triangle lies in it */
                motion.corner[0][k] = loaded.vertices[motion.corners[k]];
            rlti_quat turn;
            rlti_hold_motion_at(&motion, 0.0, &turn);
            entry.offset = rlti_quat_rotate(rlti_quat_conjugate(turn), entry.offset);
        } else {
            motion.root.triangle = triangle;
            motion.root.position = nearest.point;
            memcpy(motion.root.barycentric, nearest.barycentric, sizeof nearest.barycentric);
        }
        if (!rlti_holds_add_motion(h, &motion) || !rlti_holds_add(h, &entry))
            status = rlti_out_of_memory(messages);
    }
    part_free(&surface);
    return status;
}

rlt_status rlti_holds_add_attach(rlti_holds *h, int constraint, const rlti_selection *chosen,
                                 rlt_messages *messages) {
    const rlti_scene_data *scene = h->def.scene;
    const rlti_constraint_data *data = &scene->constraints[constraint];
    int collider = rlti_hold_object(h, constraint);
    if (collider < 0)
        return rlti_refuse(messages, "%s: constraint '%s': object = %s: no collider has this name",
                           data->place, data->name, data->object);
    const rlti_collider_data *object = &scene->colliders[collider];
    if (object->kind == RLTI_COLLIDER_BODY)
        return attach_to_mesh(h, constraint, NULL, chosen, messages);
    if (object->kind != RLTI_COLLIDER_MESH)
        return attach_to_bone(h, constraint, object, chosen, messages);
    const rlti_mesh_motion *mesh = find_mesh(h->def.colliders, collider);
    if (mesh == NULL)
        return rlti_refuse(messages, "%s: constraint '%s': object = %s: its mesh has no triangles with area",
                           data->place, data->name, data->object);
    return attach_to_mesh(h, constraint, mesh, chosen, messages);
}
