/* Motions as functions of time, from still, twice continuously differentiable except for the brake of the
 * stop, whose deceleration jumps on purpose. Angles are in degrees in the tables: yaw turns to the
 * character's left
 * (+X), nod bows forward, tilt leans to the character's right (-X). */
#include "body/motion.h"

/* Seconds of getting under way. */
static const double walk_ease = 0.75;
static const double spin_ease = 1.0;
/* The spin begins to slow down after this long and stands one spin_ease later. */
static const double spin_time = 4.0;
static const double stop_run_up = 1.5;
static const double stop_cruise = 0.5;
static const double stop_frames = 3.0;

/* Quintic blend from 0 to 1: first and second derivatives vanish at both ends. */
static double ease(double s) {
    s = s < 0.0 ? 0.0 : (s > 1.0 ? 1.0 : s);
    return s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

/* Its integral from 0, continuing with slope 1 past the end. */
static double ease_integral(double s) {
    if (s <= 0.0)
        return 0.0;
    if (s >= 1.0)
        return s - 0.5;
    return s * s * s * s * (2.5 + s * (s - 3.0));
}

static rlti_quat turn(double yaw, double nod, double tilt) {
    const double degree = RLTI_PI / 180.0;
    rlti_quat y = rlti_quat_axis_angle(rlti_v3(0, 1, 0), yaw * degree);
    rlti_quat n = rlti_quat_axis_angle(rlti_v3(1, 0, 0), nod * degree);
    rlti_quat t = rlti_quat_axis_angle(rlti_v3(0, 0, 1), tilt * degree);
    return rlti_quat_multiply(y, rlti_quat_multiply(n, t));
}

typedef struct key {
    double time; /* [s] */
    double yaw, nod, tilt;
} key;

/* The angles between keys; each key is a rest, so the blend is smooth whatever the spacing. */
static key key_at(const key *keys, int count, double time) {
    if (time <= keys[0].time)
        return keys[0];
    for (int k = 0; k + 1 < count; k++) {
        const key *a = &keys[k];
        const key *b = &keys[k + 1];
        if (time >= b->time)
            continue;
        double w = ease((time - a->time) / (b->time - a->time));
        key now = {time, a->yaw + w * (b->yaw - a->yaw), a->nod + w * (b->nod - a->nod),
                   a->tilt + w * (b->tilt - a->tilt)};
        return now;
    }
    return keys[count - 1];
}

/* Two steps make one stride; the body rises and falls once a step and sways once a stride. The head follows
 * the torso late and looks ahead, so part of the torso's yaw is taken back at the neck. */
static void walk(const rlti_motion_data *motion, double t, rlti_joints *joints) {
    const double step = 2.0 * RLTI_PI * 1.9; /* [rad/s] */
    const double stride = 0.5 * step;
    const double late = 0.09; /* [s] head behind torso */
    double a = motion->amount * ease(t / walk_ease);
    double sway = rlti_sin(stride * t);

    joints->travel.x = a * 1.6 * sway;
    joints->travel.y = a * 1.25 * (1.0 - rlti_cos(step * t));
    joints->travel.z =
        motion->speed * walk_ease * ease_integral(t / walk_ease) + a * 0.5 * rlti_sin(step * t + 0.6);
    joints->torso = turn(a * 5.0 * rlti_sin(stride * t + 0.4), a * 1.2 * rlti_sin(step * t), -a * 2.0 * sway);
    joints->neck = turn(-a * 3.0 * rlti_sin(stride * (t - late) + 0.4), a * 1.0 * rlti_sin(step * (t - late)),
                        a * 1.4 * rlti_sin(stride * (t - late)));
    joints->head = turn(a * 2.0 * rlti_sin(stride * (t - 2.0 * late)),
                        a * (2.2 * rlti_sin(step * (t - 2.0 * late)) + 0.8 * rlti_sin(stride * t)),
                        a * 1.8 * rlti_sin(stride * (t - 2.0 * late)));
}

/* Turn, nod, tilt, over and over. The neck takes two fifths of each angle, the head the rest. */
static void calisthenics(const rlti_motion_data *motion, double t, rlti_joints *joints) {
    static const key keys[] = {
        {0.0, 0, 0, 0},   {1.2, 60, 0, 0}, {2.8, -60, 0, 0}, {4.0, 0, 0, 0},   {5.0, 0, 30, 0},
        {6.4, 0, -30, 0}, {7.4, 0, 0, 0},  {8.4, 0, 0, 25},  {9.8, 0, 0, -25}, {10.8, 0, 0, 0},
    };
    int count = (int)(sizeof keys / sizeof keys[0]);
    double period = keys[count - 1].time;
    key now = key_at(keys, count, t - period * floor(t / period));
    double a = motion->amount;
    joints->neck = turn(0.4 * a * now.yaw, 0.4 * a * now.nod, 0.4 * a * now.tilt);
    joints->head = turn(0.6 * a * now.yaw, 0.6 * a * now.nod, 0.6 * a * now.tilt);
}

/* Bow slowly, hold, throw the head back, settle. */
static void flip(const rlti_motion_data *motion, double t, rlti_joints *joints) {
    static const key keys[] = {
        {0.0, 0, 0, 0}, {1.6, 0, 75, 0}, {2.1, 0, 75, 0}, {2.45, 0, -22, 0}, {3.4, 0, 0, 0},
    };
    double nod = motion->amount * key_at(keys, (int)(sizeof keys / sizeof keys[0]), t).nod;
    joints->torso = turn(0.0, 0.35 * nod, 0.0);
    joints->neck = turn(0.0, 0.30 * nod, 0.0);
    joints->head = turn(0.0, 0.35 * nod, 0.0);
}

static void spin(const rlti_motion_data *motion, double t, rlti_joints *joints) {
    double seconds = spin_ease * (ease_integral(t / spin_ease) - ease_integral((t - spin_time) / spin_ease));
    double turns = motion->spin * seconds;
    /* whole turns change nothing but the quaternion's sign; taking them off keeps the angle exact */
    joints->torso = turn(360.0 * (turns - floor(turns)), 0.0, 0.0);
}

void rlti_motion_stop_brake(const rlti_scene_data *scene, double *seconds, double *speed) {
    /* The brake begins on a frame sample: only then do the three samples in it all see it. */
    double fps = scene->time.fps;
    *seconds = ceil((scene->motion.start + stop_run_up + stop_cruise) * fps - 1e-6) / fps;
    double standard_gravity = 9.81 / scene->metres_per_unit; /* [unit/s^2] */
    *speed = scene->motion.stop_g * standard_gravity * stop_frames / fps;
}

static void stop(const rlti_scene_data *scene, double t, rlti_joints *joints) {
    double brake, speed;
    rlti_motion_stop_brake(scene, &brake, &speed);
    brake -= scene->motion.start;
    double span = stop_frames / scene->time.fps;
    double run = t < brake ? t : brake;
    double after = t < brake ? 0.0 : (t > brake + span ? span : t - brake);
    joints->travel.z =
        speed * (stop_run_up * ease_integral(run / stop_run_up) + after - 0.5 * after * after / span);
}

rlti_joints rlti_motion_at(const rlti_scene_data *scene, double seconds) {
    const rlti_quat identity = {1.0, 0.0, 0.0, 0.0};
    rlti_joints joints = {{0.0, 0.0, 0.0}, identity, identity, identity};
    double t = seconds - scene->motion.start;
    if (!(t > 0.0) || !(seconds > 0.0))
        return joints;
    switch (scene->motion.kind) {
    case RLTI_MOTION_STILL:
        break;
    case RLTI_MOTION_WALK:
        walk(&scene->motion, t, &joints);
        break;
    case RLTI_MOTION_CALISTHENICS:
        calisthenics(&scene->motion, t, &joints);
        break;
    case RLTI_MOTION_STOP:
        stop(scene, t, &joints);
        break;
    case RLTI_MOTION_SPIN:
        spin(&scene->motion, t, &joints);
        break;
    case RLTI_MOTION_FLIP:
        flip(&scene->motion, t, &joints);
        break;
    }
    return joints;
}
