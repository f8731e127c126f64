/* A rigid motion given by keys: Catmull-Rom through them, whatever their spacing. */
#include "body/motion.h"

static const double degree = RLTI_PI / 180.0;

/* The slope at key k, in units per frame: of the parabola through it and its neighbours; 0 at the ends, where
 * the motion begins and ends at rest. */
static double slope(const rlti_key_list *keys, int k, int value) {
    if (k <= 0 || k + 1 >= keys->count)
        return 0.0;
    const double *before = keys->key[k - 1], *at = keys->key[k], *after = keys->key[k + 1];
    double h0 = at[0] - before[0], h1 = after[0] - at[0];
    double d0 = (at[value] - before[value]) / h0, d1 = (after[value] - at[value]) / h1;
    return (h1 * d0 + h0 * d1) / (h0 + h1);
}

/* How many keys are at the frame or before it. */
static int keys_before(const rlti_key_list *keys, double frame) {
    int low = 0, high = keys->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (keys->key[middle][0] <= frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A value at a frame that has k keys before it. */
static double value_at(const rlti_key_list *keys, int k, double frame, int value) {
    if (k == 0)
        return keys->key[0][value];
    if (k == keys->count)
        return keys->key[k - 1][value];
    const double *a = keys->key[k - 1], *b = keys->key[k];
    double h = b[0] - a[0], s = (frame - a[0]) / h, d = b[value] - a[value];
    double m0 = h * slope(keys, k - 1, value), m1 = h * slope(keys, k, value);
    return a[value] + s * (m0 + s * (3.0 * d - 2.0 * m0 - m1 + s * (m0 + m1 - 2.0 * d)));
}

rlti_key_list rlti_key_list_of(const rlti_keys *keys) {
    return (rlti_key_list){keys->count, keys->key};
}

rlti_pose rlti_keys_at(const rlti_key_list *keys, double share, double frame) {
    rlti_pose pose = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (keys->count == 0)
        return pose;
    double turn = degree * share;
    int k = keys_before(keys, frame);
    pose.translation =
        rlti_v3(value_at(keys, k, frame, 1), value_at(keys, k, frame, 2), value_at(keys, k, frame, 3));
    rlti_quat x = rlti_quat_axis_angle(rlti_v3(1, 0, 0), turn * value_at(keys, k, frame, 4));
    rlti_quat y = rlti_quat_axis_angle(rlti_v3(0, 1, 0), turn * value_at(keys, k, frame, 5));
    rlti_quat z = rlti_quat_axis_angle(rlti_v3(0, 0, 1), turn * value_at(keys, k, frame, 6));
    /* about x first: USD's rotateXYZ */
    pose.rotation = rlti_quat_multiply(z, rlti_quat_multiply(y, x));
    return pose;
}
