/* Fields: chosen points stay at a distance from an object, pushed softly along the normal of its surface.
 *
 * Each outer step asks for the nearest place on the surface and makes a distance hold of it. Its anchor lies
 * ANCHOR_DEPTH below that place, so that points inside are pushed out, and points that slide along the
 * surface hardly turn the push. Nothing is remembered from step to step. */
#include <float.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "contact/body/collide_data.h"
#include "groom/mesh_tree.h"
#include "shape/constraint_data.h"

#define ANCHOR_DEPTH 16.0 /* [unit] */

/* One surface of a field's object. A mesh is a copy that finds points from further away than the collider
 * does, of the triangles that are meant. */
struct rlti_field_surface {
    int constraint;
    const rlti_shape *shape;          /* of the colliders, or NULL: a mesh */
    const rlti_mesh_collider *source; /* the same */
    rlti_mesh_collider mesh;
    int *vertex; /* [vertex_count of mesh] index in the source */
};

void rlti_hold_fields_free(rlti_holds *h) {
    for (int f = 0; f < h->field_count; f++)
        if (h->fields[f].source != NULL) {
            rlti_mesh_collider_destroy(&h->fields[f].mesh);
            rlti_free(h->fields[f].vertex);
        }
    rlti_free(h->fields);
}

/* ---- building ---- */

/* Marks the triangles of a collider's mesh that lie in the region (0: all): the body's nearest triangle
 * decides, since a collider may have them in another order. Returns how many, or -1 when out of memory. */
static int mark_part(const rlti_holds *h, uint32_t bit, const rlti_mesh_collider *source,
                     unsigned char *taken) {
    const rlti_mesh *body = rlti_body_mesh(h->def.body);
    const rlti_surface *surface = &source->surface;
    int count = 0;
    if (bit == 0) {
        memset(taken, 1, (size_t)surface->triangle_count);
        return surface->triangle_count;
    }
    rlti_mesh_tree *tree = rlti_mesh_tree_create(body);
    if (tree == NULL)
        return -1;
    for (int t = 0; t < surface->triangle_count; t++) {
        const int *corner = surface->triangles[t];
        rlti_vec3 sum = rlti_add(source->rest[corner[0]], source->rest[corner[1]]);
        rlti_nearest nearest;
        rlti_mesh_tree_nearest(tree, rlti_scale(1.0 / 3.0, rlti_add(sum, source->rest[corner[2]])), &nearest);
        taken[t] = (body->regions[nearest.triangle] & bit) != 0;
        count += taken[t];
    }
    rlti_mesh_tree_destroy(tree);
    return count;
}

/* The marked triangles as a mesh of their own. `scratch` is scratch, at most as large as the source. */
static void take_part(const rlti_mesh_collider *source, const unsigned char *taken, int *to, int *vertex,
                      rlti_mesh *scratch) {
    for (int v = 0; v < source->surface.vertex_count; v++)
        to[v] = -1;
    for (int t = 0; t < source->surface.triangle_count; t++)
        for (int k = 0; k < 3 && taken[t]; k++) {
            int v = source->surface.triangles[t][k];
            if (to[v] < 0) {
                to[v] = scratch->vertex_count++;
                vertex[to[v]] = v;
                scratch->vertices[to[v]] = source->rest[v];
            }
            scratch->triangles[scratch->triangle_count][k] = to[v];
            scratch->triangle_count += k == 2;
        }
}

/* The marked triangles become the field's own collider; a part of a closed mesh is skin. */
static int copy_part(const rlti_mesh_collider *source, const unsigned char *taken, double range,
                     rlti_field_surface *field) {
    const rlti_surface *surface = &source->surface;
    rlti_mesh part = {.vertices = RLTI_NEW(rlti_vec3, surface->vertex_count),
                      .triangles = rlti_allocate((size_t)surface->triangle_count, sizeof *part.triangles)};
    int *to = RLTI_NEW(int, surface->vertex_count);
    field->source = source;
    field->vertex = RLTI_NEW(int, surface->vertex_count);
    int done = part.vertices != NULL && part.triangles != NULL && to != NULL && field->vertex != NULL;
    if (done) {
        take_part(source, taken, to, field->vertex, &part);
        int whole = part.triangle_count == surface->triangle_count;
        done = rlti_mesh_collider_create(&part, whole ? surface->sides : RLTI_SKIN,
                                         (float)(range + RLTI_CONTACT_REACH), &field->mesh);
    }
    if (done) {
        rlti_mesh_collider_rest(&field->mesh);
        rlti_mesh_collider_pose(&field->mesh, 0.0, 1.0);
    }
    RLTI_FREE(part.vertices, part.triangles, to);
    return done;
}

/* One surface of the object; a mesh without triangles of the region is none. */
static rlt_status add_surface(rlti_holds *h, int constraint, uint32_t bit, const rlti_collider_item *item,
                              rlt_messages *messages) {
    rlti_field_surface *field = &h->fields[h->field_count];
    *field = (rlti_field_surface){.constraint = constraint, .shape = item->shape};
    if (item->shape != NULL) {
        h->field_count++;
        return RLT_OK;
    }
    unsigned char *taken = RLTI_NEW(unsigned char, item->mesh->surface.triangle_count);
    int count = taken != NULL ? mark_part(h, bit, item->mesh, taken) : -1, done = count >= 0;
    if (count > 0) {
        h->field_count++;
        done = copy_part(item->mesh, taken, h->def.scene->constraints[constraint].range, field);
    }
    rlti_free(taken);
    return done ? RLT_OK : rlti_out_of_memory(messages);
}

/* Memory for all surfaces of all fields, once. */
static int reserve_fields(rlti_holds *h) {
    size_t maximum = (size_t)h->def.scene->constraint_count * (size_t)h->def.colliders->item_count;
    if (h->fields == NULL)
        h->fields = rlti_allocate(maximum, sizeof *h->fields);
    return h->fields != NULL;
}

/* How far the groom is from the object, at most the range: hair that grows in the field may stay there. */
static double groomed_distance(const rlti_holds *h, int first_field, rlti_vec3 point, double range) {
    double minimum = range;
    for (int f = first_field; f < h->field_count; f++) {
        const rlti_field_surface *field = &h->fields[f];
        minimum =
            fmin(minimum, field->shape != NULL ? rlti_shape_distance(field->shape, point)
                                               : rlti_mesh_collider_distance(&field->mesh, point, range));
    }
    return minimum;
}

rlt_status rlti_holds_add_field(rlti_holds *h, int constraint, const rlti_selection *chosen,
                                rlt_messages *messages) {
    const rlti_constraint_data *data = &h->def.scene->constraints[constraint];
    int object = rlti_hold_object(h, constraint), first = h->field_count;
    uint32_t bit = 0;
    if (data->part[0] != '\0' && !rlti_select_region(h->def.body, data, "part", data->part, messages, &bit))
        return RLT_BAD_INPUT;
    rlt_status status = reserve_fields(h) ? RLT_OK : rlti_out_of_memory(messages);
    for (int i = 0; i < h->def.colliders->item_count && status == RLT_OK; i++)
        if (h->def.colliders->items[i].collider == object)
            status = add_surface(h, constraint, bit, &h->def.colliders->items[i], messages);
    if (status == RLT_OK && h->field_count == first)
        status = rlti_refuse(messages, "%s: constraint '%s': object = %s: it has no surface", data->place,
                             data->name, data->object);
    for (int i = 0; i < chosen->count && status == RLT_OK; i++) {
        rlti_hold_entry entry = rlti_hold_entry_of(h, chosen, i, constraint);
        double apart = groomed_distance(h, first, h->def.strands->points[chosen->point[i]], data->range);
        entry.kind = data->hard ? RLTI_HARD_DISTANCE : RLTI_SOFT_DISTANCE;
        entry.low = (float)fmax(ANCHOR_DEPTH + apart, 0.0);
        entry.high = FLT_MAX;
        if (!rlti_holds_add(h, &entry))
            status = rlti_out_of_memory(messages);
    }
    return status;
}

/* ---- running ---- */

void rlti_hold_fields_begin(rlti_holds *h) {
    for (int f = 0; f < h->field_count; f++) {
        rlti_field_surface *field = &h->fields[f];
        if (field->source == NULL || field->source->still)
            continue;
        rlti_surface *to = &field->mesh.surface;
        const rlti_surface *from = &field->source->surface;
        for (int k = 0; k < 4; k++)
            for (int v = 0; v < to->vertex_count; v++)
                to->coefficients[(size_t)k * (size_t)to->vertex_count + (size_t)v] =
                    from->coefficients[(size_t)k * (size_t)from->vertex_count + (size_t)field->vertex[v]];
        rlti_mesh_collider_set_motion(&field->mesh);
    }
}

void rlti_hold_fields_pose(rlti_holds *h, double at) {
    for (int f = 0; f < h->field_count; f++)
        if (h->fields[f].source != NULL && h->laws[h->fields[f].constraint].weight > 0.0)
            rlti_mesh_collider_pose(&h->fields[f].mesh, at, h->def.scene->time.fps);
}

static int find_hit(const rlti_field_surface *field, const rlti_vec3 *origin, const float position[3],
                    const float velocity[3], double range, double seconds, rlti_hit *found) {
    rlti_vec3 world =
        rlti_add(*origin, rlti_v3((double)position[0], (double)position[1], (double)position[2]));
    if (field->shape != NULL)
        return rlti_shape_hit(field->shape, world, velocity, range, seconds, found);
    rlti_vec3 centred = rlti_sub(world, field->mesh.surface.centre);
    const float local[3] = {(float)centred.x, (float)centred.y, (float)centred.z};
    return rlti_mesh_collider_hit(&field->mesh, local, velocity, range, seconds, 0, NULL, found);
}

void rlti_hold_field_look(const rlti_holds *h, const rlti_hold_entry *entry, const rlti_vec3 *origin,
                          const float position[3], const float velocity[3], float seen[6]) {
    /* where nothing is near, an anchor that is too far to act */
    rlti_hit best = {.distance = HUGE_VAL, .normal = {0.0, 1.0, 0.0}, .height = ANCHOR_DEPTH + entry->low};
    for (int f = 0; f < h->field_count; f++) {
        rlti_hit next;
        if (h->fields[f].constraint == entry->constraint &&
            find_hit(&h->fields[f], origin, position, velocity, (double)entry->low - ANCHOR_DEPTH,
                     h->def.outer_step, &next) &&
            next.distance < best.distance)
            best = next;
    }
    for (int k = 0; k < 3; k++) {
        seen[k] = (float)((double)position[k] - (ANCHOR_DEPTH + best.height) * best.normal[k]);
        seen[3 + k] = (float)best.velocity[k];
    }
}
