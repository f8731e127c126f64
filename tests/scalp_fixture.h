/* How well hair keeps its distance from the scalp. */
#ifndef RLT_SCALP_FIXTURE_H
#define RLT_SCALP_FIXTURE_H

#include "body/body.h"
#include "groom/mesh_tree.h"
#include "run_fixture.h"
#include "scene/scene_data.h"

/* Greatest change of the distance to the place on the scalp that was nearest in the groom; the head is still.
 */
static inline double scalp_off(const run *r) {
    const rlti_scene_data *scene = rlti_scene_get(r->scene);
    rlti_body *body = NULL;
    rlt_frame_view view = run_view(r);
    double worst = 0.0;
    assert_int_equal(rlti_body_create(scene, r->messages, &body), RLT_OK);
    rlti_mesh_tree *tree = rlti_mesh_tree_create(rlti_body_mesh(body));
    assert_non_null(tree);
    for (int p = 0; p < view.point_count; p++) {
        const double *rest = view.rest + 3 * (size_t)p;
        rlti_nearest nearest;
        rlti_mesh_tree_nearest(tree, rlti_v3(rest[0], rest[1], rest[2]), &nearest);
        const double at[3] = {nearest.point.x, nearest.point.y, nearest.point.z};
        worst = fmax(worst, fabs(run_distance(view.points + 3 * (size_t)p, at) - run_distance(rest, at)));
    }
    rlti_mesh_tree_destroy(tree);
    rlti_body_destroy(body);
    return worst;
}

#endif
