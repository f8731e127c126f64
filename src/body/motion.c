/* Motions as functions of time, from still, twice continuously differentiable except for the brake of the
 * stop, whose deceleration jumps on purpose. Angles are in degrees in the tables (rlti_turn). */
#include "body/motion.h"

/* Seconds of getting under way. */
static const double walk_ease = 0.75;
static const double spin_ease = 1.0;
/* The spin begins to slow down after this long and stands one spin_ease later. */
static const double spin_time = 4.0;
static const double stop_run_up = 1.5;
static const double stop_cruise = 0.5;
static const double stop_frames = 3.0;

double rlti_ease(double s) {
    s = s < 0.0 ? 0.0 : (s > 1.0 ? 1.0 : s);
    return s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

double rlti_ease_integral(double s) {
    if (s <= 0.0)
        return 0.0;
    if (s >= 1.0)
        return s - 0.5;
    return s * s * s * s * (2.5 + s * (s - 3.0));
}

rlti_quat rlti_turn(double yaw, double nod, double tilt) {
    const double degree = RLTI_PI / 180.0;
    rlti_quat y = rlti_quat_axis_angle(rlti_v3(0, 1, 0), yaw * degree);
    rlti_quat n = rlti_quat_axis_angle(rlti_v3(1, 0, 0), nod * degree);
    rlti_quat t = rlti_quat_axis_angle(rlti_v3(0, 0, 1), tilt * degree);
    return rlti_quat_multiply(y, rlti_quat_multiply(n, t));
}

rlti_key rlti_key_at(const rlti_key *keys, int count, double time) {
    if (time <= keys[0].time)
        return keys[0];
    for (int k = 0; k + 1 < count; k++) {
        const rlti_key *a = &keys[k];
        const rlti_key *b = &keys[k + 1];
        if (time >= b->time)
            continue;
        double w = rlti_ease((time - a->time) / (b->time - a->time));
        rlti_key now = {time, a->yaw + w * (b->yaw - a->yaw), a->nod + w * (b->nod - a->nod),
                        a->tilt + w * (b->tilt - a->tilt)};
        return now;
    }
    return keys[count - 1];
}

/* Two steps make one stride; the body rises and falls once a step and sways once a stride. The head follows
 * the torso late and looks ahead, so part of the torso's yaw is taken back at the neck. */
static void walk(const rlti_motion_data *motion, double t, double share, rlti_joints *joints) {
    const double step = 2.0 * RLTI_PI * 1.9; /* [rad/s] */
    const double stride = 0.5 * step;
    const double late = 0.09; /* [s] head behind torso */
    double a = motion->amount * rlti_ease(t / walk_ease) * share;
    double sway = rlti_sin(stride * t);

    joints->travel.x = a * 1.6 * sway;
    joints->travel.y = a * 1.25 * (1.0 - rlti_cos(step * t));
    joints->travel.z =
        motion->speed * walk_ease * rlti_ease_integral(t / walk_ease) + a * 0.5 * rlti_sin(step * t + 0.6);
    joints->turn[RLTI_BONE_TORSO] =
        rlti_turn(a * 5.0 * rlti_sin(stride * t + 0.4), a * 1.2 * rlti_sin(step * t), -a * 2.0 * sway);
    joints->turn[RLTI_BONE_NECK] =
        rlti_turn(-a * 3.0 * rlti_sin(stride * (t - late) + 0.4), a * 1.0 * rlti_sin(step * (t - late)),
                  a * 1.4 * rlti_sin(stride * (t - late)));
    joints->turn[RLTI_BONE_HEAD] =
        rlti_turn(a * 2.0 * rlti_sin(stride * (t - 2.0 * late)),
                  a * (2.2 * rlti_sin(step * (t - 2.0 * late)) + 0.8 * rlti_sin(stride * t)),
                  a * 1.8 * rlti_sin(stride * (t - 2.0 * late)));
}

/* Turn, nod, tilt, over and over. The neck takes two fifths of each angle, the head the rest. */
static void calisthenics(const rlti_motion_data *motion, double t, rlti_joints *joints) {
    static const rlti_key keys[] = {
        {0.0, 0, 0, 0},   {1.2, 60, 0, 0}, {2.8, -60, 0, 0}, {4.0, 0, 0, 0},   {5.0, 0, 30, 0},
        {6.4, 0, -30, 0}, {7.4, 0, 0, 0},  {8.4, 0, 0, 25},  {9.8, 0, 0, -25}, {10.8, 0, 0, 0},
    };
    int count = (int)(sizeof keys / sizeof keys[0]);
    double period = keys[count - 1].time;
    rlti_key now = rlti_key_at(keys, count, t - period * floor(t / period));
    double a = motion->amount;
    joints->turn[RLTI_BONE_NECK] = rlti_turn(0.4 * a * now.yaw, 0.4 * a * now.nod, 0.4 * a * now.tilt);
    joints->turn[RLTI_BONE_HEAD] = rlti_turn(0.6 * a * now.yaw, 0.6 * a * now.nod, 0.6 * a * now.tilt);
}

/* Bow slowly, hold, throw the head back, settle. */
static void flip(const rlti_motion_data *motion, double t, rlti_joints *joints) {
    static const rlti_key keys[] = {
        {0.0, 0, 0, 0}, {1.6, 0, 75, 0}, {2.1, 0, 75, 0}, {2.45, 0, -22, 0}, {3.4, 0, 0, 0},
    };
    double nod = motion->amount * rlti_key_at(keys, (int)(sizeof keys / sizeof keys[0]), t).nod;
    joints->turn[RLTI_BONE_TORSO] = rlti_turn(0.0, 0.35 * nod, 0.0);
    joints->turn[RLTI_BONE_NECK] = rlti_turn(0.0, 0.30 * nod, 0.0);
    joints->turn[RLTI_BONE_HEAD] = rlti_turn(0.0, 0.35 * nod, 0.0);
}

/* To and fro and around, twice a second, growing and fading over a quarter of a second: at most 5 units and
 * 20 degrees. */
static void shake(const rlti_motion_data *motion, double t, rlti_joints *joints) {
    const double rise = 0.25, seconds = 2.0, rate = 2.0 * 2.0 * RLTI_PI;
    double share = rlti_ease(t / rise) * (1.0 - rlti_ease((t - seconds + rise) / rise));
    double a = motion->amount * share;
    joints->travel.x = a * 5.0 * rlti_sin(rate * t);
    joints->turn[RLTI_BONE_TORSO] = rlti_turn(a * 20.0 * rlti_sin(rate * t + 1.0), 0.0, 0.0);
}

/* Walks, shakes the head to both sides while walking on, and stops within a quarter of a second. */
static void walk_shake(const rlti_motion_data *motion, double t, rlti_joints *joints) {
    const double from = 1.5, to = 3.0, rise = 0.3, brake = 3.5, span = 0.25, rate = 2.0 * RLTI_PI * 2.2;
    double after = (t - brake) / span;
    walk(motion, t, 1.0 - rlti_ease(after), joints);
    joints->travel.z -= motion->speed * span * rlti_ease_integral(after);
    double share = rlti_ease((t - from) / rise) * (1.0 - rlti_ease((t - to + rise) / rise));
    double yaw = motion->amount * share * 30.0 * rlti_sin(rate * (t - from));
    joints->turn[RLTI_BONE_NECK] =
        rlti_quat_multiply(rlti_turn(0.4 * yaw, 0.0, 0.0), joints->turn[RLTI_BONE_NECK]);
    joints->turn[RLTI_BONE_HEAD] =
        rlti_quat_multiply(rlti_turn(0.6 * yaw, 0.0, 0.0), joints->turn[RLTI_BONE_HEAD]);
}

static void spin(const rlti_motion_data *motion, double t, rlti_joints *joints) {
    double seconds =
        spin_ease * (rlti_ease_integral(t / spin_ease) - rlti_ease_integral((t - spin_time) / spin_ease));
    double turns = motion->spin * seconds;
    /* whole turns change nothing but the quaternion's sign; taking them off keeps the angle exact */
    joints->turn[RLTI_BONE_TORSO] = rlti_turn(360.0 * (turns - floor(turns)), 0.0, 0.0);
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
        speed * (stop_run_up * rlti_ease_integral(run / stop_run_up) + after - 0.5 * after * after / span);
}

/* Motion of one's own: held before the first frame. The angles are shared as in calisthenics. */
static void keyed(const rlti_scene_data *scene, const rlti_key_list *keys, double t, rlti_joints *joints) {
    double frame = scene->time.first + (t > 0.0 ? t : 0.0) * scene->time.fps;
    rlti_pose whole = rlti_keys_at(keys, 1.0, frame);
    joints->travel = whole.translation;
    if (scene->motion.pivot == RLTI_PIVOT_TORSO || scene->character.kind == RLTI_CHARACTER_BALL) {
        joints->turn[RLTI_BONE_TORSO] = whole.rotation;
        return;
    }
    joints->turn[RLTI_BONE_NECK] = rlti_keys_at(keys, 0.4, frame).rotation;
    joints->turn[RLTI_BONE_HEAD] = rlti_keys_at(keys, 0.6, frame).rotation;
}

rlti_joints rlti_motion_at(const rlti_scene_data *scene, const rlti_key_list *keys, double seconds) {
    const rlti_quat identity = {1.0, 0.0, 0.0, 0.0};
    rlti_joints joints = {.travel = {0.0, 0.0, 0.0}};
    for (int b = 0; b < RLTI_BONE_COUNT; b++)
        joints.turn[b] = identity;
    int is_horse = scene->character.kind == RLTI_CHARACTER_HORSE;
    double t = seconds - scene->motion.start;
    if (scene->motion.kind == RLTI_MOTION_KEYS) {
        keyed(scene, keys, t, &joints);
        return joints;
    }
    if (!(t > 0.0) || (!(seconds > 0.0) && !(scene->motion.start < 0.0)))
        return joints;
    switch (scene->motion.kind) {
    case RLTI_MOTION_STILL:
        break;
    case RLTI_MOTION_WALK:
        if (is_horse)
            rlti_horse_walk(scene, t, &joints);
        else
            walk(&scene->motion, t, 1.0, &joints);
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
    case RLTI_MOTION_SIDESTEP:
        rlti_horse_sidestep(scene, t, &joints);
        break;
    case RLTI_MOTION_SHAKE:
        shake(&scene->motion, t, &joints);
        break;
    case RLTI_MOTION_WALK_SHAKE:
        walk_shake(&scene->motion, t, &joints);
        break;
    case RLTI_MOTION_KEYS:
        break; /* above */
    }
    return joints;
}
