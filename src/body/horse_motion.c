/* The horse's walk and side-step. The hooves' paths are given, and the legs follow by inverse kinematics: a
 * hoof that stands on the ground does so whatever the trunk does above it. Everything is twice continuously
 * differentiable and repeats after `walk_cycle` or `side_cycle`. Lengths at scale 1 [unit], angles in
 * degrees.
 */
#include "body/character.h"
#include "body/motion.h"

enum { LEGS = 4 };

/* Seconds of getting under way. */
static const double ease_in = 0.75;

/* The walk repeats after 119 frames at 24 frames a second: four strides of 1.24 s. */
static const double walk_cycle = 119.0 / 24.0;
static const double walk_strides = 4.0;
/* How long of a stride a hoof is on the ground, and how far the trunk moves past it in that time. */
static const double duty = 0.62;
static const double stance = 80.0;

static const double side_cycle = 4.0;

static const rlti_bone legs[LEGS] = {RLTI_BONE_REAR_LEFT, RLTI_BONE_FRONT_LEFT, RLTI_BONE_REAR_RIGHT,
                                     RLTI_BONE_FRONT_RIGHT};

static int is_front(int leg) {
    return legs[leg] < RLTI_BONE_REAR_LEFT;
}

/* Where a hoof is to be, relative to where it stands at rest. */
typedef struct step {
    rlti_vec3 move; /* of the toe */
    double heel;    /* how far the hoof is turned over its toe */
} step;

static rlti_vec3 pivot(int bone) {
    return rlti_horse.joints[bone - 1].pivot;
}

static double fraction(double x) {
    return x - floor(x);
}

static double wave(double turns) {
    return rlti_sin(2.0 * RLTI_PI * fraction(turns));
}

/* A hump from 0 to 1 and back over s in [0, 1], flat to second order at both ends. */
static double hump(double s) {
    s = s < 0.0 ? 0.0 : (s > 1.0 ? 1.0 : s);
    double h = 4.0 * s * (1.0 - s);
    return h * h * h;
}

/* A rotation in the plane of a leg, about +X. */
typedef struct turn2 {
    double c, s; /* cosine and sine of the angle */
} turn2;

/* The rotation that takes the direction (az, ay) to (bz, by). */
static turn2 between(double ay, double az, double by, double bz) {
    double scale = 1.0 / sqrt((ay * ay + az * az) * (by * by + bz * bz));
    turn2 t = {scale * (ay * by + az * bz), scale * (ay * bz - az * by)};
    return t;
}

static turn2 before(turn2 a, turn2 b) {
    turn2 t = {a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
    return t;
}

static turn2 undo(turn2 a) {
    turn2 t = {a.c, -a.s};
    return t;
}

/* By half-angle formulas; the legs never turn by as much as a half turn. */
static rlti_quat about_x(turn2 t) {
    double w = sqrt(fmax(0.0, 0.5 * (1.0 + t.c)));
    rlti_quat q = {w, w > 0.0 ? 0.5 * t.s / w : 1.0, 0.0, 0.0};
    return rlti_quat_normalize(q);
}

static turn2 degrees(double angle) {
    turn2 t = {rlti_cos(angle * (RLTI_PI / 180.0)), rlti_sin(angle * (RLTI_PI / 180.0))};
    return t;
}

static rlti_vec3 turned(turn2 t, rlti_vec3 v) {
    return rlti_v3(v.x, t.c * v.y - t.s * v.z, t.s * v.y + t.c * v.z);
}

/* A leg cannot be longer than its bones. From `free` on the distance falls behind and never reaches
 * `maximum`; value, slope and curvature are those of x itself at `free`. */
static double within_reach(double x, double free, double maximum) {
    if (x <= free)
        return x;
    double s = (x - free) / (maximum - free);
    return free + (maximum - free) * s / sqrt(1.0 + s * s);
}

/* The two bones of lengths a and b from `from` (the elbow or stifle) bend so that the second ends at `to`.
 * Returns the rotations of both from the rest pose. */
static void bend(rlti_vec3 from, rlti_vec3 to, int leg, turn2 *lower, turn2 *cannon) {
    rlti_vec3 top = pivot(legs[leg] + 1), middle = pivot(legs[leg] + 2), end = pivot(legs[leg] + 3);
    rlti_vec3 u = rlti_sub(middle, top), v = rlti_sub(end, middle), w = rlti_sub(end, top);
    double a = rlti_length(u), b = rlti_length(v), at_rest = rlti_length(w);
    rlti_vec3 d = rlti_sub(to, from);
    double apart = sqrt(d.y * d.y + d.z * d.z);
    double minimum = 0.35 * (a + b);
    double reach = within_reach(apart, fmax(at_rest, 0.983 * (a + b)), 0.9995 * (a + b));
    reach = reach < minimum ? minimum : reach;
    /* cosine rule: where along the line the middle joint is, and how far aside */
    double along = 0.5 * (a * a - b * b + reach * reach) / reach;
    double aside = sqrt(fmax(0.0, a * a - along * along));
    /* knees bend forward, hocks backward */
    double sign = is_front(leg) ? 1.0 : -1.0;
    double ey = d.y / apart, ez = d.z / apart;
    double my = along * ey + sign * aside * ez, mz = along * ez - sign * aside * ey;
    *lower = between(u.y, u.z, my, mz);
    *cannon = between(v.y, v.z, reach * ey - my, reach * ez - mz);
}

/* Sets the four rotations of a leg so that its hoof comes to the step's place; `parent` carries the leg. */
static void place_leg(int leg, const step *s, const rlti_pose *parent, rlti_joints *joints) {
    int bone = legs[leg];
    rlti_vec3 hip = pivot(bone), fetlock = pivot(bone + 3);
    rlti_vec3 toe = rlti_v3(fetlock.x, 0.0, fetlock.z + 14.0);
    rlti_quat back = {parent->rotation.w, -parent->rotation.x, -parent->rotation.y, -parent->rotation.z};

    /* the fetlock turns over the toe with the heel */
    turn2 heel = degrees(s->heel);
    rlti_vec3 target = rlti_add(rlti_add(toe, s->move), turned(heel, rlti_sub(fetlock, toe)));
    target = rlti_quat_rotate(back, rlti_sub(target, parent->translation));

    /* outwards about the hip, until the rest is in the plane of the leg */
    rlti_vec3 d = rlti_sub(target, hip);
    double down = sqrt(d.x * d.x + d.y * d.y);
    rlti_quat out = rlti_quat_normalize((rlti_quat){1.0 + -d.y / down, 0.0, 0.0, d.x / down});
    rlti_vec3 flat = rlti_v3(hip.x, hip.y - down, target.z);

    /* Shoulder and hip take a share of the swing, elbow and stifle do the rest. A shoulder that swings
     * forward also lowers the elbow, which the leg needs at either end of its reach. */
    double reach = (flat.z - fetlock.z) / (hip.y - fetlock.y);
    double swing = -(180.0 / RLTI_PI) * (is_front(leg) ? (0.45 + 0.8 * reach) * reach : 0.6 * reach);
    double lift = is_front(leg) ? -0.5 : -1.2; /* degrees per unit the fetlock is raised */
    turn2 upper = degrees(swing + lift * fmax(0.0, s->move.y));
    turn2 lower, cannon;
    rlti_vec3 top = rlti_add(hip, turned(upper, rlti_sub(pivot(bone + 1), hip)));
    bend(top, flat, leg, &lower, &cannon);

    joints->turn[bone] = rlti_quat_multiply(out, about_x(upper));
    joints->turn[bone + 1] = about_x(before(lower, undo(upper)));
    joints->turn[bone + 2] = about_x(before(cannon, undo(lower)));
    joints->turn[bone + 3] = about_x(before(heel, undo(cannon)));
}

/* With trunk and hips posed: all legs; then everything to the character's scale. */
static void finish(const rlti_scene_data *scene, const step steps[LEGS], rlti_joints *joints) {
    const rlti_pose world = {{1.0, 0.0, 0.0, 0.0}, joints->travel};
    rlti_pose torso = rlti_pose_attach(world, joints->turn[RLTI_BONE_TORSO], pivot(RLTI_BONE_TORSO));
    rlti_pose hips = rlti_pose_attach(torso, joints->turn[RLTI_BONE_HIPS], pivot(RLTI_BONE_HIPS));
    for (int leg = 0; leg < LEGS; leg++)
        place_leg(leg, &steps[leg], is_front(leg) ? &torso : &hips, joints);
    joints->travel = rlti_scale(scene->character.scale, joints->travel);
}

/* A hoof's path at `phase` of its stride, from landing on: back with the ground, then forward through the air
 * with the ground's speed at both ends. */
static step stride(double phase, double a, int front) {
    step s = {{0.0, 0.0, 0.0}, 0.0};
    /* a little behind the rest pose: the shoulder reaches less, and hind hooves must not meet the fore */
    double half = 0.5 * stance - 5.0;
    if (phase < duty) {
        s.move.z = a * (half - stance * phase / duty);
    } else {
        double air = (phase - duty) / (1.0 - duty);
        double slope = -stance / duty * (1.0 - duty);
        s.move.z = a * (half - stance + slope * air + (stance - slope) * rlti_ease(air));
        s.move.y = a * (front ? 9.0 : 7.0) * hump(air);
    }
    /* the heel leaves the ground before the toe does */
    double turning = (phase - (duty - 0.3)) / (0.97 - (duty - 0.3));
    s.heel = a * (front ? 58.0 : 44.0) * hump(turning);
    return s;
}

void rlti_horse_walk(const rlti_scene_data *scene, double t, rlti_joints *joints) {
    const rlti_motion_data *motion = &scene->motion;
    double a = motion->amount * rlti_ease(t / ease_in);
    double b =
        fmin(motion->amount, 1.5) * rlti_ease(t / ease_in); /* longer strides than this tear the legs */
    double now = fraction(t / walk_cycle) * walk_strides;   /* [strides] */
    step steps[LEGS];
    /* four beats: left hind, left fore, right hind, right fore land a quarter of a stride apart */
    for (int leg = 0; leg < LEGS; leg++)
        steps[leg] = stride(fraction(now - 0.25 * leg), b, is_front(leg));

    joints->travel.x = a * 1.3 * wave(now - 0.06);
    joints->travel.y = -b * 3.0 + a * 1.1 * wave(2.0 * now - 0.1);
    joints->turn[RLTI_BONE_TORSO] =
        rlti_turn(a * 1.2 * wave(now + 0.1), a * 0.8 * wave(2.0 * now + 0.2), a * 1.4 * wave(now - 0.1));
    joints->turn[RLTI_BONE_HIPS] = rlti_turn(a * 2.0 * wave(now - 0.2), 0.0, a * 1.5 * wave(now + 0.35));
    joints->turn[RLTI_BONE_NECK] =
        rlti_turn(-a * 1.5 * wave(now), a * (3.0 + 4.0 * wave(2.0 * now - 0.1)), 0.0);
    joints->turn[RLTI_BONE_HEAD] =
        rlti_turn(a * 1.5 * wave(now - 0.2), a * (-2.0 - 3.0 * wave(2.0 * now - 0.02)), 0.0);
    joints->turn[RLTI_BONE_TAIL] = rlti_turn(a * 9.0 * wave(now - 0.3), a * 2.0 * wave(2.0 * now), 0.0);
    finish(scene, steps, joints);
    joints->travel.z += motion->speed * ease_in * rlti_ease_integral(t / ease_in);
}

/* Two lateral steps to the left and two back. */
static const double side_reach = 44.0;
static const double side_step = 0.4; /* [s] one step of a hoof */
static const double side_time = 1.7; /* [s] all steps to one side; then it stands */

/* Where a hoof is on its path (0 to 1) and how high, when its two steps begin `late` and `late` + 2 steps
 * after the start. */
static double sideways(double t, double late, double *height) {
    double first = (t / side_step) - late;
    double second = first - 2.0;
    *height = hump(first) + hump(second);
    return 0.5 * (rlti_ease(first) + rlti_ease(second));
}

void rlti_horse_sidestep(const rlti_scene_data *scene, double t, rlti_joints *joints) {
    static const rlti_key neck[] = {
        {0.00, 0, 0, 0},     {0.35, 10, -16, 4}, {0.75, 6, 10, -2},    {1.10, 14, -13, 5},
        {1.60, 0, 4, 0},     {2.00, -4, 0, 0},   {2.35, -12, -17, -5}, {2.80, -6, 12, 3},
        {3.20, -12, -9, -3}, {3.65, 0, 3, 0},    {4.00, 0, 0, 0},
    };
    static const rlti_key head[] = {
        {0.00, 0, 0, 0},     {0.42, 6, -20, 6}, {0.82, 2, 14, -4},   {1.18, 8, -16, 6},
        {1.65, 0, 5, 0},     {2.05, -3, 0, 0},  {2.42, -8, -22, -7}, {2.86, 0, 15, 4},
        {3.28, -7, -12, -4}, {3.70, 0, 3, 0},   {4.00, 0, 0, 0},
    };
    double amount = scene->motion.amount;
    double a = amount * rlti_ease(t / ease_in);
    double b = fmin(amount, 1.3) * rlti_ease(t / ease_in);
    double low = fmin(amount, 1.5) * rlti_ease(t / ease_in);
    double now = side_cycle * fraction(t / side_cycle);
    int back = now >= 0.5 * side_cycle;
    double half = now - (back ? 0.5 * side_cycle : 0.0);
    step steps[LEGS];
    for (int leg = 0; leg < LEGS; leg++) {
        /* the legs of the side it goes to begin, or they would be hit; hind legs a little after fore
         */
        int left = legs[leg] == RLTI_BONE_FRONT_LEFT || legs[leg] == RLTI_BONE_REAR_LEFT;
        double late = (left == back ? 1.0 : 0.0) + (is_front(leg) ? 0.0 : 0.25);
        double height;
        double share = sideways(half, late, &height);
        double side = back ? 1.0 - share : share;
        steps[leg] = (step){{b * side_reach * side, b * (is_front(leg) ? 13.0 : 8.0) * height, 0.0},
                            b * (is_front(leg) ? 42.0 : 28.0) * height};
    }
    double share = rlti_ease(half / side_time);
    double lean = hump(half / side_time) * (back ? -1.0 : 1.0);
    double turns = now / side_cycle;
    joints->travel.x = b * side_reach * (back ? 1.0 - share : share);
    joints->travel.y = -low * 3.5 + a * 0.9 * wave(5.0 * turns);
    joints->turn[RLTI_BONE_TORSO] = rlti_turn(a * 4.0 * lean, -a * 1.5 * hump(half / 1.2), a * 3.0 * lean);
    joints->turn[RLTI_BONE_HIPS] = rlti_turn(-a * 5.0 * lean, 0.0, -a * 2.0 * lean);
    rlti_key n = rlti_key_at(neck, (int)(sizeof neck / sizeof neck[0]), now);
    rlti_key h = rlti_key_at(head, (int)(sizeof head / sizeof head[0]), now);
    joints->turn[RLTI_BONE_NECK] = rlti_turn(a * n.yaw, a * n.nod, a * n.tilt);
    joints->turn[RLTI_BONE_HEAD] = rlti_turn(a * h.yaw, a * h.nod, a * h.tilt);
    joints->turn[RLTI_BONE_TAIL] = rlti_turn(a * 24.0 * wave(3.0 * turns), -a * 6.0 * wave(2.0 * turns), 0.0);
    finish(scene, steps, joints);
}
