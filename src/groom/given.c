/* Strands that a caller has in memory, bound to the body where they are. */
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "groom/generate.h"
#include "groom/import.h"

static rlt_status check_counts(const rlti_given_groom *groom, const char *section, rlt_messages *messages) {
    rlti_findings few = {0};
    for (int s = 0; s < groom->strand_count; s++)
        if (groom->counts[s] < 2)
            rlti_find(&few, s);
    if (few.count == 0)
        return RLT_OK;
    return rlti_refuse(messages, "%s: %d strands with fewer than 2 points (%s); give at least 2", section,
                       few.count, rlti_list_ids(&few).text);
}

/* Weights of the point of a triangle that is closest to p, near enough: of its foot on the plane, without
 * what lies beside the triangle. */
static void weigh(const rlti_vec3 corner[3], rlti_vec3 p, double weights[3]) {
    rlti_vec3 a = rlti_sub(corner[1], corner[0]), b = rlti_sub(corner[2], corner[0]);
    rlti_vec3 d = rlti_sub(p, corner[0]);
    double aa = rlti_dot(a, a), ab = rlti_dot(a, b), bb = rlti_dot(b, b), det = aa * bb - ab * ab;
    double da = rlti_dot(d, a), db = rlti_dot(d, b);
    double u = det > 0.0 ? (bb * da - ab * db) / det : 0.0, v = det > 0.0 ? (aa * db - ab * da) / det : 0.0;
    const double w[3] = {fmax(1.0 - u - v, 0.0), fmax(u, 0.0), fmax(v, 0.0)};
    for (int k = 0; k < 3; k++)
        weights[k] = w[k] / (w[0] + w[1] + w[2]);
}

static rlt_status refuse_root(const char *section, int strand, const char *why, rlt_messages *messages) {
    return rlti_refuse(messages, "%s: strand %d: %s", section, strand, why);
}

/* A root keeps its place: what lies between it and the skin turns with the skin. */
static rlt_status bind(const rlti_given_groom *groom, int strand, const rlti_mesh *mesh,
                       const rlti_mesh_tree *tree, const char *section, rlt_messages *messages,
                       rlti_vec3 place, rlti_root *root) {
    *root = (rlti_root){.triangle = -1, .bone = RLTI_BONE_HEAD, .position = place};
    int triangle = groom->triangles != NULL ? groom->triangles[strand] : 0;
    if (tree == NULL || triangle == -1)
        return RLT_OK;
    if (groom->triangles == NULL) {
        rlti_nearest nearest;
        rlti_mesh_tree_nearest(tree, place, &nearest);
        triangle = nearest.triangle;
        memcpy(root->barycentric, nearest.barycentric, sizeof root->barycentric);
    }
    if (triangle < 0 || triangle >= mesh->triangle_count)
        return refuse_root(section, strand, "its root triangle is not one of the body's", messages);
    rlti_vec3 corner[3], foot = rlti_v3(0, 0, 0);
    for (int k = 0; k < 3; k++)
        corner[k] = mesh->vertices[mesh->triangles[triangle][k]];
    if (groom->weights != NULL)
        memcpy(root->barycentric, groom->weights + 3 * (size_t)strand, sizeof root->barycentric);
    else if (groom->triangles != NULL)
        weigh(corner, place, root->barycentric);
    double sum = root->barycentric[0] + root->barycentric[1] + root->barycentric[2];
    if (!(fabs(sum - 1.0) < 1e-3))
        return refuse_root(section, strand, "its root weights do not add up to 1", messages);
    for (int k = 0; k < 3; k++)
        foot = rlti_madd(foot, root->barycentric[k], corner[k]);
    root->triangle = triangle;
    root->offset = rlti_sub(place, foot);
    return RLT_OK;
}

rlt_status rlti_lock_given(const rlti_given_groom *groom, const rlti_mesh *mesh, const rlti_mesh_tree *tree,
                           const char *section, rlt_messages *messages, rlti_lock *lock) {
    rlt_status status = check_counts(groom, section, messages);
    if (status != RLT_OK)
        return status;
    if (!rlti_lock_create(groom->strand_count, groom->counts, lock))
        return rlti_out_of_memory(messages);
    for (int p = 0; p < lock->point_count; p++)
        lock->points[p] = rlti_v3_at(groom->points, p);
    for (int s = 0; s < lock->strand_count && status == RLT_OK; s++)
        status = bind(groom, s, mesh, tree, section, messages, lock->points[lock->first[s]], &lock->roots[s]);
    if (status != RLT_OK || groom->widths == NULL)
        return status;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(lock->widths, lock->point_count),
                       RLTI_ITEMS(lock->minimum, lock->strand_count)))
        return rlti_out_of_memory(messages);
    memcpy(lock->widths, groom->widths, (size_t)lock->point_count * sizeof *lock->widths);
    return RLT_OK;
}
