/* A stylised draft horse as one implicit surface, like the head. Every dimension is in units (1 cm), the
 * ground below its middle at the origin, +Y up, +Z ahead, its left +X: 160 at the withers, 213 at the ears,
 * 240 from tail to nose. */
#include "body/character.h"
#include "body/mesh.h"
#include "body/shape.h"

/* Below this ears and dock are too thin for the lattice and their triangles fold. */
enum { RESOLUTION_MIN = 40 };

static rlti_vec3 flat(rlti_vec3 p, double factor) {
    return rlti_v3(factor * p.x, p.y, p.z);
}

/* The surface is mirror symmetric: callers pass |x|. */
static double trunk(rlti_vec3 p) {
    double d = rlti_shape_ellipsoid(p, rlti_v3(0, 116, -6), rlti_v3(30, 29, 66)); /* barrel */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(0, 118, 40), rlti_v3(25, 32, 29)), 12); /* chest */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(14, 122, 45), rlti_v3(13, 28, 18)),
                        10); /* shoulder */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(0, 142, 24), rlti_v3(10, 16, 30)),
                        14); /* withers */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(0, 131, -32), rlti_v3(19, 19, 44)), 12); /* loin */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(9, 127, -56), rlti_v3(20, 27, 28)),
                        10); /* croup */
    return rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(12, 110, -64), rlti_v3(15, 28, 20)),
                           10); /* buttock */
}

/* Deep from crest to throat, narrow from side to side. */
static double neck(rlti_vec3 p) {
    rlti_vec3 q = flat(p, 1.7);
    double d = rlti_shape_cone(q, rlti_v3(0, 132, 44), 31, rlti_v3(0, 166, 75), 22);
    return rlti_shape_join(d, rlti_shape_cone(q, rlti_v3(0, 166, 75), 22, rlti_v3(0, 189, 94), 14), 6);
}

static double head(rlti_vec3 p) {
    rlti_vec3 q = flat(p, 1.2);
    double d = rlti_shape_cone(q, rlti_v3(0, 186, 102), 13, rlti_v3(0, 164, 123), 10); /* skull */
    d = rlti_shape_join(d, rlti_shape_cone(q, rlti_v3(0, 170, 117), 9.5, rlti_v3(0, 149, 136), 7.5),
                        4); /* face */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(4.8, 169, 104), rlti_v3(5.8, 13, 12)),
                        3); /* jowl */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(0, 147, 138), rlti_v3(7.5, 8.5, 8.5)),
                        4);                                                                       /* muzzle */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(0, 140, 133), rlti_v3(4.5, 4, 5)), 4); /* chin */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(5, 149.5, 143), rlti_v3(2.8, 3, 3)),
                        2); /* nostril */
    return rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(9.6, 180, 113), rlti_v3(2.6, 3.2, 4)),
                           2.5); /* eye */
}

static double ear(rlti_vec3 p) {
    return rlti_shape_cone(p, rlti_v3(6.5, 196, 97), 4.6, rlti_v3(8.8, 210.5, 98.5), 2.7);
}

/* Cylinders about the bones, thicker at the joints; the sole is flat on the ground. */
static double foot(rlti_vec3 p, rlti_vec3 fetlock) {
    rlti_vec3 coronet = rlti_add(fetlock, rlti_v3(0, -10, 8));
    rlti_vec3 toe = rlti_add(fetlock, rlti_v3(0, -14, 11));
    double d = rlti_shape_cone(p, fetlock, 6.4, coronet, 6.2);
    d = rlti_shape_join(d, rlti_shape_cone(p, coronet, 7.2, toe, 9.6), 2);
    return rlti_shape_carve(d, p.y, 1.0);
}

static double front_leg(rlti_vec3 p) {
    double x = 16.5;
    double d = rlti_shape_cone(p, rlti_v3(x, 108, 50), 14, rlti_v3(x, 90, 41), 11.5);
    d = rlti_shape_join(d, rlti_shape_cone(p, rlti_v3(x, 92, 41), 11, rlti_v3(x, 54, 44), 6.6), 6);
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(x, 52, 44.5), rlti_v3(6.6, 9, 7.2)), 3); /* knee */
    d = rlti_shape_join(d, rlti_shape_cone(p, rlti_v3(x, 50, 43.5), 5.2, rlti_v3(x, 18, 41), 5.6), 3);
    return rlti_shape_join(d, foot(p, rlti_v3(x, 18, 41)), 3);
}

static double rear_leg(rlti_vec3 p) {
    double x = 15.5;
    double d = rlti_shape_cone(p, rlti_v3(14, 116, -58), 20.5, rlti_v3(x, 94, -48), 15);
    d = rlti_shape_join(d, rlti_shape_cone(p, rlti_v3(x, 94, -50), 14, rlti_v3(x, 60, -74), 7), 8);
    d = rlti_shape_join(d, rlti_shape_cone(p, rlti_v3(x, 64, -79), 4, rlti_v3(x, 54, -76), 6.8),
                        4); /* hock */
    d = rlti_shape_join(d, rlti_shape_cone(p, rlti_v3(x, 56, -75.5), 6.2, rlti_v3(x, 18, -70), 5.8), 3);
    return rlti_shape_join(d, foot(p, rlti_v3(x, 18, -70)), 3);
}

static double dock(rlti_vec3 p) {
    double d = rlti_shape_cone(p, rlti_v3(0, 143, -78), 6, rlti_v3(0, 134, -94), 5.2);
    return rlti_shape_join(d, rlti_shape_cone(p, rlti_v3(0, 134, -94), 5.2, rlti_v3(0, 111, -101.5), 4.4), 2);
}

static double horse_field(rlti_vec3 p) {
    p.x = fabs(p.x);
    /* each part is left out where it is farther from the skin than its seam is wide */
    double d = p.y > 70.0 && p.z < 95.0 ? trunk(p) : 1e3;
    if (p.z > -8.0)
        d = rlti_shape_join(d, neck(p), 16);
    if (p.z > 80.0) {
        d = rlti_shape_join(d, head(p), 7);
        d = rlti_shape_join(d, ear(p), 3);
    }
    if (p.z < -65.0)
        d = rlti_shape_join(d, dock(p), 5);
    if (p.z > 5.0 && p.y < 135.0)
        d = rlti_shape_join(d, front_leg(p), 9);
    if (p.z < -22.0 && p.y < 150.0)
        d = rlti_shape_join(d, rear_leg(p), 9);
    return d;
}

enum { ALL, BODY, MANE, FORELOCK, TAIL, FETLOCKS_FRONT, FETLOCKS_REAR, HEAD, NECK, LEGS, HOOVES, REGIONS };

static const char *const region_names[REGIONS] = {RLTI_HORSE_REGIONS};

/* Distance, seen from the side, to the line along the top of the neck from the withers to the poll. */
static double from_crest(rlti_vec3 p) {
    static const rlti_vec3 line[] = {{0, 158, 32}, {0, 166, 44}, {0, 181, 60}, {0, 200, 86}, {0, 201, 94}};
    p.x = 0.0;
    double minimum = HUGE_VAL;
    for (int k = 0; k + 1 < (int)(sizeof line / sizeof line[0]); k++)
        minimum = fmin(minimum, rlti_shape_cone(p, line[k], 0.0, line[k + 1], 0.0));
    return minimum;
}

static int is_fetlock(rlti_vec3 p) {
    /* all around the joint and the pastern, and up the back of the cannon */
    double middle = p.z > 0.0 ? 42.0 : -72.0;
    return p.y > 10.0 && p.y < (p.z < middle ? 34.0 : 24.0);
}

/* The underside of the dock is bare. */
static int is_tail(rlti_vec3 p) {
    double y = p.y - 134.0, z = p.z + 94.0; /* from the bend of the dock */
    double behind = p.y > 134.0 ? 0.87 * y - 0.49 * z : 0.316 * y - 0.949 * z;
    return p.z < -88.0 && behind > -1.0;
}

static uint32_t regions_at(rlti_vec3 p) {
    uint32_t bits = 1u << ALL;
    double side = fabs(p.x);
    if (p.y < 86.0) {
        bits |= 1u << LEGS;
        if (p.y < 9.0)
            bits |= 1u << HOOVES;
        else if (is_fetlock(p))
            bits |= 1u << (p.z > 0.0 ? FETLOCKS_FRONT : FETLOCKS_REAR);
        else if (p.y > 62.0)
            bits |= 1u << BODY;
        return bits;
    }
    if (p.z < -88.0)
        return is_tail(p) ? bits | 1u << TAIL : bits;
    if (side < 5.5 && p.z > 30.0 && p.z < 95.0 && from_crest(p) < 8.0)
        return bits | 1u << MANE | 1u << NECK;
    if (p.z > 95.0 && p.y > 136.0) {
        bits |= 1u << HEAD;
        if (side < 5.5 && p.z < 109.0 && p.y > 190.0)
            bits |= 1u << MANE | 1u << FORELOCK;
        return bits;
    }
    if (0.74 * (p.y - 140.0) + 0.67 * (p.z - 52.0) > 8.0)
        bits |= 1u << NECK;
    return bits | 1u << BODY;
}

static rlti_vec3 comb(int region, rlti_vec3 p) {
    double side = p.x < 0.0 ? -1.0 : 1.0;
    switch (region) {
    case MANE:
    case FORELOCK:
        if (p.z > 95.0) /* between the ears, onto the forehead */
            return rlti_v3(0.25 * p.x / 5.5, -0.35, 1.0);
        return rlti_v3(side, 0.1, -0.15);
    case TAIL:
        return rlti_v3(0.0, -0.75, -0.66);
    case FETLOCKS_FRONT:
    case FETLOCKS_REAR:
        return rlti_v3(0.0, -1.0, -0.3);
    default:
        break;
    }
    /* from nose to tail, on the flanks also down, on the legs straight down */
    double leg = rlti_smoothstep((105.0 - p.y) / 25.0);
    double ahead = rlti_smoothstep((p.z - 35.0) / 40.0);
    rlti_vec3 coat = rlti_v3(0.0, -0.35 - 0.35 * ahead, -1.0);
    return rlti_madd(rlti_scale(1.0 - leg, coat), leg, rlti_v3(0.0, -1.0, -0.1));
}

static int build(int resolution, rlti_mesh *mesh) {
    /* At the default 48 a cell of the head is 2.6 units, one of the trunk and the legs 3.4. */
    double fine = 124.8 / (resolution < RESOLUTION_MIN ? RESOLUTION_MIN : resolution);
    static const double ranges[3][4] = {
        {-36.0, 36.0, -10.0, 10.0}, {-1.0, 217.0, 145.0, 217.0}, {-110.0, 150.0, 95.0, 150.0}};
    return rlti_mesh_build(horse_field, ranges, fine, 1.3 * fine, mesh) &&
           rlti_mesh_name_regions(mesh, region_names, REGIONS, regions_at);
}

/* In the order of the bones. The torso's is on the vertical through the character's position, so that a spin
 * turns about it. */
static const rlti_joint joints[] = {
    {RLTI_BONE_TORSO, RLTI_BONE_NONE, {0, 120, 0}},
    {RLTI_BONE_NECK, RLTI_BONE_TORSO, {0, 142, 50}},
    {RLTI_BONE_HEAD, RLTI_BONE_NECK, {0, 187, 93}},
    {RLTI_BONE_HIPS, RLTI_BONE_TORSO, {0, 130, -30}},
    {RLTI_BONE_TAIL, RLTI_BONE_HIPS, {0, 139, -85}},

    {RLTI_BONE_FRONT_LEFT, RLTI_BONE_TORSO, {16.5, 116, 58}},
    {RLTI_BONE_FRONT_LEFT + 1, RLTI_BONE_FRONT_LEFT, {16.5, 93, 36}},
    {RLTI_BONE_FRONT_LEFT + 2, RLTI_BONE_FRONT_LEFT + 1, {16.5, 52, 46}},
    {RLTI_BONE_FRONT_LEFT + 3, RLTI_BONE_FRONT_LEFT + 2, {16.5, 18, 41}},

    {RLTI_BONE_FRONT_RIGHT, RLTI_BONE_TORSO, {-16.5, 116, 58}},
    {RLTI_BONE_FRONT_RIGHT + 1, RLTI_BONE_FRONT_RIGHT, {-16.5, 93, 36}},
    {RLTI_BONE_FRONT_RIGHT + 2, RLTI_BONE_FRONT_RIGHT + 1, {-16.5, 52, 46}},
    {RLTI_BONE_FRONT_RIGHT + 3, RLTI_BONE_FRONT_RIGHT + 2, {-16.5, 18, 41}},

    {RLTI_BONE_REAR_LEFT, RLTI_BONE_HIPS, {15.5, 128, -58}},
    {RLTI_BONE_REAR_LEFT + 1, RLTI_BONE_REAR_LEFT, {15.5, 96, -42}},
    {RLTI_BONE_REAR_LEFT + 2, RLTI_BONE_REAR_LEFT + 1, {15.5, 58, -76}},
    {RLTI_BONE_REAR_LEFT + 3, RLTI_BONE_REAR_LEFT + 2, {15.5, 18, -70}},

    {RLTI_BONE_REAR_RIGHT, RLTI_BONE_HIPS, {-15.5, 128, -58}},
    {RLTI_BONE_REAR_RIGHT + 1, RLTI_BONE_REAR_RIGHT, {-15.5, 96, -42}},
    {RLTI_BONE_REAR_RIGHT + 2, RLTI_BONE_REAR_RIGHT + 1, {-15.5, 58, -76}},
    {RLTI_BONE_REAR_RIGHT + 3, RLTI_BONE_REAR_RIGHT + 2, {-15.5, 18, -70}},
};

enum { JOINTS = (int)(sizeof joints / sizeof joints[0]) };

_Static_assert(sizeof joints / sizeof joints[0] == RLTI_BONE_COUNT - 1, "one joint for each bone");

static int joint_of(int bone) {
    return bone - 1;
}

/* Height at which a bone hands over to the next one down the leg, and over how much of it. */
typedef struct seam {
    double top, height;
} seam;

/* Gives `share` to the bones of the leg from `bone` down; returns what stays with the trunk. */
static double weigh_leg(int bone, const seam seams[4], double y, double share, double *weights) {
    double here = share * rlti_smoothstep((seams[0].top - y) / seams[0].height);
    double rest = share - here;
    for (int k = 0; k < 4; k++) {
        double below = k < 3 ? here * rlti_smoothstep((seams[k + 1].top - y) / seams[k + 1].height) : 0.0;
        weights[joint_of(bone + k)] = here - below;
        here = below;
    }
    return rest;
}

static void weigh(rlti_vec3 p, double *weights) {
    static const seam front[4] = {{118, 24}, {100, 14}, {58, 12}, {23, 9}};
    static const seam rear[4] = {{134, 30}, {102, 16}, {64, 12}, {23, 9}};
    for (int j = 0; j < JOINTS; j++)
        weights[j] = 0.0;
    double rest = 1.0;
    double part = p.y > 120.0 ? rlti_smoothstep((p.z - 87.0) / 9.0) : 0.0;
    weights[joint_of(RLTI_BONE_HEAD)] = part;
    rest -= part;
    part = rest * rlti_smoothstep((0.74 * (p.y - 140.0) + 0.67 * (p.z - 52.0) + 6.0) / 26.0) *
           rlti_smoothstep((p.y - 118.0) / 22.0) * rlti_smoothstep((p.z - 18.0) / 25.0);
    weights[joint_of(RLTI_BONE_NECK)] = part;
    rest -= part;
    part = p.y > 95.0 ? rest * rlti_smoothstep((-84.0 - p.z) / 7.0) : 0.0;
    weights[joint_of(RLTI_BONE_TAIL)] = part;
    rest -= part;

    /* Between the legs the skin stays with the trunk; lower down, where the legs are apart, all is leg. */
    double apart = rlti_smoothstep((92.0 - p.y) / 8.0);
    double across = rlti_smoothstep(fabs(p.x) / (12.0 - 6.0 * apart));
    int left = p.x > 0.0;
    double share = rest * across * rlti_smoothstep((p.z - 14.0) / 14.0);
    rest -= share;
    rest += weigh_leg(left ? RLTI_BONE_FRONT_LEFT : RLTI_BONE_FRONT_RIGHT, front, p.y, share, weights);
    share = rest * across * rlti_smoothstep((-24.0 - p.z) / 16.0);
    rest -= share;
    rest += weigh_leg(left ? RLTI_BONE_REAR_LEFT : RLTI_BONE_REAR_RIGHT, rear, p.y, share, weights);
    part = rest * rlti_smoothstep((-10.0 - p.z) / 40.0);
    weights[joint_of(RLTI_BONE_HIPS)] = part;
    weights[joint_of(RLTI_BONE_TORSO)] = rest - part;
}

const rlti_character rlti_horse = {
    .build = build, .joint_count = JOINTS, .joints = joints, .weigh = weigh, .comb = comb};
