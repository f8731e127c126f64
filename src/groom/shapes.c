#include "groom/shapes.h"

#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "groom/generate.h"

static double edge_length(const rlti_vec3 *points, int i) {
    return rlti_length(rlti_sub(points[i + 1], points[i]));
}

/* `to` gets a point of `from` for each of `like`'s, at the same share of the length. */
static void spread(const rlti_vec3 *from, int from_count, const rlti_vec3 *like, int count, rlti_vec3 *to) {
    double scale = rlti_points_length(from, from_count) / rlti_points_length(like, count), wanted = 0.0,
           passed = 0.0;
    int at = 0;
    to[0] = from[0];
    for (int i = 1; i < count; i++) {
        wanted += scale * edge_length(like, i - 1);
        while (at + 2 < from_count && passed + edge_length(from, at) < wanted)
            passed += edge_length(from, at++);
        double share = (wanted - passed) / edge_length(from, at);
        share = i + 1 < count && share < 1.0 ? share : 1.0;
        to[i] = rlti_madd(from[at], share, rlti_sub(from[at + 1], from[at]));
    }
}

/* The lock's strands, one for each of the section's. */
static void spread_all(const rlti_lock *lock, const rlti_strands *strands, int hair, rlti_vec3 *to) {
    int index = 0;
    for (int s = 0; s < strands->strand_count; s++) {
        if (strands->hair[s] != hair)
            continue;
        int count = strands->first[s + 1] - strands->first[s];
        const rlti_vec3 *from = lock->points + lock->first[index];
        int from_count = lock->first[index + 1] - lock->first[index];
        if (count == from_count)
            memcpy(to, from, (size_t)count * sizeof *to);
        else
            spread(from, from_count, strands->points + strands->first[s], count, to);
        to += count;
        index++;
    }
}

rlt_status rlti_shape_points(const rlti_scene_data *scene, const rlti_body *body, const rlti_strands *strands,
                             int hair, int shape, const char *place, rlt_messages *messages,
                             rlti_vec3 **points) {
    const rlti_mesh *mesh = rlti_body_mesh(body);
    rlti_mesh_tree *tree = mesh->triangle_count > 0 ? rlti_mesh_tree_create(mesh) : NULL;
    rlti_lock lock = {0};
    int strand_count = 0, point_count = 0;
    *points = NULL;
    for (int s = 0; s < strands->strand_count; s++) {
        strand_count += strands->hair[s] == hair;
        point_count += strands->hair[s] == hair ? strands->first[s + 1] - strands->first[s] : 0;
    }
    rlt_status status = RLT_OK;
    if (mesh->triangle_count > 0 && tree == NULL)
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = rlti_lock_make(scene, body, tree, shape, hair, messages, &lock);
    if (status == RLT_OK && lock.strand_count != strand_count)
        status = rlti_refuse(
            messages, "%s: shape '%s' has %d strands, hair '%s' has %d: they must have as many", place,
            scene->hair[shape].name, lock.strand_count, scene->hair[hair].name, strand_count);
    if (status == RLT_OK) {
        *points = RLTI_NEW(rlti_vec3, point_count);
        if (*points != NULL)
            spread_all(&lock, strands, hair, *points);
        else
            status = rlti_out_of_memory(messages);
    }
    rlti_lock_clear(&lock);
    rlti_mesh_tree_destroy(tree);
    return status;
}
