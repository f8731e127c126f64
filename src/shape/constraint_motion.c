/* Carriers of anchors: points of the body, bones, triangles of colliders, curves of the groom's file. */
#include "body/segment.h"
#include "shape/constraint_data.h"

void rlti_hold_motion_begin(const rlti_holds *holds, rlti_hold_motion *motion, int frame) {
    switch (motion->carrier) {
    case RLTI_CARRIER_ROOT:
        rlti_body_root_segment(holds->def.body, &motion->root, frame, &motion->segment);
        break;
    case RLTI_CARRIER_BONE:
        rlti_body_bone_segment(holds->def.body, motion->bone, frame, &motion->segment);
        break;
    case RLTI_CARRIER_MESH:
        rlti_mesh_motion_segment(motion->mesh, motion->corners, 3, &motion->corner[0][0]);
        break;
    case RLTI_CARRIER_CURVE:
        rlti_hold_curves_segment(holds, frame, motion);
        break;
    }
}

/* Along the first edge, across it, along the normal; a triangle without area has the frame of the axes. */
static rlti_quat frame_of(const rlti_vec3 corners[3]) {
    rlti_vec3 edge = rlti_sub(corners[1], corners[0]);
    rlti_vec3 normal = rlti_cross(edge, rlti_sub(corners[2], corners[0]));
    if (!(rlti_length(normal) > 0.0))
        return (rlti_quat){1.0, 0.0, 0.0, 0.0};
    normal = rlti_normalize(normal);
    edge = rlti_normalize(edge);
    return rlti_quat_from_axes(edge, rlti_cross(normal, edge), normal);
}

rlti_vec3 rlti_hold_motion_at(const rlti_hold_motion *motion, double at, rlti_quat *turn) {
    rlti_vec3 place = rlti_v3(0, 0, 0), corners[3];
    if (motion->carrier != RLTI_CARRIER_MESH) {
        if (motion->turns)
            *turn = rlti_quat_normalize(rlti_segment_rotation(&motion->segment, at));
        return rlti_segment_position(&motion->segment, at);
    }
    for (int k = 0; k < 3; k++) {
        corners[k] = rlti_cubic_vector(&motion->corner[0][k], 3, at);
        place = rlti_madd(place, motion->barycentric[k], corners[k]);
    }
    *turn = frame_of(corners);
    return place;
}
