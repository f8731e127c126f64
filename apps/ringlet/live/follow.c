#include "live/follow.h"

#include <math.h>

static const double SPEED_MAX = 6.0;  /* [m/s], and 4 turns a second */
static const double SPIN_MAX = 25.0;  /* [rad/s] */
static const double STIFFNESS = 80.0; /* of the spring [1/s^2]; its damping is critical */

const live_pose live_pose_none = {{0, 0, 0}, {0, 0, 0, 1}};

void live_follow_begin(live_follow *follow, double metres_per_unit) {
    *follow = (live_follow){
        .now = live_pose_none, .wanted = live_pose_none, .speed_limit = SPEED_MAX / metres_per_unit};
}

static double length3(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void normalise(double q[4]) {
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++)
        q[k] /= length;
}

static void multiply(const double a[4], const double b[4], double out[4]) {
    double r[4] = {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
                   a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                   a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
                   a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    for (int k = 0; k < 4; k++)
        out[k] = r[k];
}

/* The shortest rotation from one turn to another, as a vector [rad]. */
static void turn_between(const double from[4], const double to[4], double out[3]) {
    double back[4] = {-from[0], -from[1], -from[2], from[3]}, q[4];
    multiply(to, back, q);
    double sign = q[3] < 0.0 ? -1.0 : 1.0, sine = length3(q);
    double angle = 2.0 * atan2(sine, sign * q[3]);
    double scale = sine > 1e-12 ? sign * angle / sine : 0.0;
    for (int k = 0; k < 3; k++)
        out[k] = scale * q[k];
}

static void rotate_by(double q[4], const double by[3]) {
    double angle = length3(by), scale = angle > 1e-12 ? sin(0.5 * angle) / angle : 0.0;
    double r[4] = {scale * by[0], scale * by[1], scale * by[2], cos(0.5 * angle)};
    multiply(r, q, q);
    normalise(q);
}

/* The way of one step towards `gap`, at most limit * seconds; velocity is what it has then. */
static int approach(const double gap[3], double velocity[3], int inertia, double limit, double seconds,
                    double way[3]) {
    if (inertia) {
        /* critically damped, exact over the step: x(t) = (a + b t) exp(-w t) */
        double w = sqrt(STIFFNESS), fall = exp(-w * seconds);
        for (int k = 0; k < 3; k++) {
            double a = -gap[k], b = velocity[k] + w * a, x = (a + b * seconds) * fall;
            velocity[k] = (b - w * (a + b * seconds)) * fall;
            way[k] = x - a;
        }
    } else {
        for (int k = 0; k < 3; k++)
            way[k] = gap[k];
    }
    double length = length3(way), most = limit * seconds;
    int held = length > most;
    for (int k = 0; k < 3; k++) {
        way[k] *= held ? most / length : 1.0;
        if (!inertia || held)
            velocity[k] = way[k] / seconds;
    }
    return held;
}

void live_follow_step(live_follow *follow, double seconds) {
    double gap[3], way[3];
    for (int k = 0; k < 3; k++)
        gap[k] = follow->wanted.at[k] - follow->now.at[k];
    follow->held_back = approach(gap, follow->velocity, follow->inertia, follow->speed_limit, seconds, way);
    for (int k = 0; k < 3; k++)
        follow->now.at[k] += way[k];
    double wanted[4] = {follow->wanted.turn[0], follow->wanted.turn[1], follow->wanted.turn[2],
                        follow->wanted.turn[3]};
    normalise(wanted);
    turn_between(follow->now.turn, wanted, gap);
    follow->held_back |= approach(gap, follow->spin, follow->inertia, SPIN_MAX, seconds, way);
    rotate_by(follow->now.turn, way);
}

void live_pose_matrix(const live_pose *pose, const double pivot[3], double matrix[16]) {
    double x = pose->turn[0], y = pose->turn[1], z = pose->turn[2], w = pose->turn[3];
    /* rows are the images of the axes */
    double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                      {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                      {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            matrix[4 * i + k] = r[i][k];
        matrix[4 * i + 3] = 0.0;
        matrix[12 + i] =
            pose->at[i] + pivot[i] - (pivot[0] * r[0][i] + pivot[1] * r[1][i] + pivot[2] * r[2][i]);
    }
    matrix[15] = 1.0;
}
