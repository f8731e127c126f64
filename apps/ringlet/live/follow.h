/* The head follows the mouse: a pose that goes to where it is asked, no faster than a neck could. */
#ifndef RINGLET_APP_LIVE_FOLLOW_H
#define RINGLET_APP_LIVE_FOLLOW_H

typedef struct live_pose {
    double at[3];   /* shift from its own place [unit] */
    double turn[4]; /* x, y, z, w */
} live_pose;

extern const live_pose live_pose_none;

/* Starts from live_follow_begin. */
typedef struct live_follow {
    live_pose now, wanted;
    double velocity[3], spin[3]; /* [unit/s], [rad/s] */
    int inertia;
    double speed_limit; /* [unit/s] */
    int held_back;      /* 1: the last step would have been faster than that */
} live_follow;

void live_follow_begin(live_follow *follow, double metres_per_unit);

/* One step of that many seconds towards `wanted`. With inertia a critically damped spring, half way there
 * after a fifth of a second; without, all the way, but for the limit on speed. */
void live_follow_step(live_follow *follow, double seconds);

/* As a matrix of row vectors (p' = p M): the turn about `pivot`, then the shift. */
void live_pose_matrix(const live_pose *pose, const double pivot[3], double matrix[16]);

#endif
