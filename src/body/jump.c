#include "body/jump.h"

/* The sample that follows a and b at an even pace. */
static rlti_vec3 next_position(rlti_vec3 a, rlti_vec3 b) {
    return rlti_sub(rlti_scale(2.0, b), a);
}

static rlti_quat next_rotation(rlti_quat a, rlti_quat b) {
    return rlti_quat_normalize(rlti_quat_multiply(rlti_quat_multiply(b, rlti_quat_conjugate(a)), b));
}

void rlti_jump_positions(rlti_vec3 p[4], int jumps) {
    if (jumps & RLTI_JUMP_NOW) {
        if (jumps & RLTI_JUMP_AFTER)
            p[3] = p[2];
        p[1] = next_position(p[3], p[2]);
        p[0] = next_position(p[2], p[1]);
        return;
    }
    if (jumps & RLTI_JUMP_BEFORE)
        p[0] = next_position(p[2], p[1]);
    if (jumps & RLTI_JUMP_AFTER)
        p[3] = next_position(p[1], p[2]);
}

void rlti_jump_rotations(rlti_quat q[4], int jumps) {
    if (jumps & RLTI_JUMP_NOW) {
        if (jumps & RLTI_JUMP_AFTER)
            q[3] = q[2];
        q[1] = next_rotation(q[3], q[2]);
        q[0] = next_rotation(q[2], q[1]);
        return;
    }
    if (jumps & RLTI_JUMP_BEFORE)
        q[0] = next_rotation(q[2], q[1]);
    if (jumps & RLTI_JUMP_AFTER)
        q[3] = next_rotation(q[1], q[2]);
}
