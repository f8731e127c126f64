#include "groom/curl.h"

#include "base/memory.h"

int rlti_axis_reserve(rlti_axis *axis, int capacity) {
    if (capacity <= axis->capacity)
        return 1;
    rlti_axis_clear(axis);
    if (!RLTI_ALLOCATE(RLTI_ITEMS(axis->points, capacity), RLTI_ITEMS(axis->normals, capacity))) {
        rlti_axis_clear(axis);
        return 0;
    }
    axis->capacity = capacity;
    return 1;
}

void rlti_axis_clear(rlti_axis *axis) {
    RLTI_FREE(axis->points, axis->normals);
    *axis = (rlti_axis){0};
}

void rlti_axis_straight(rlti_vec3 root, rlti_vec3 direction, double length, rlti_axis *axis) {
    direction = rlti_normalize(direction);
    axis->count = 2;
    axis->step = length;
    axis->points[0] = root;
    axis->points[1] = rlti_madd(root, length, direction);
    axis->normals[0] = axis->normals[1] = rlti_perpendicular(direction);
}

static double clamp(double x, double low, double high) {
    return x < low ? low : (x > high ? high : x);
}

/* The horizontal direction in which hair leaves the crown: away from the middle of the head, turned a little
 * by `aside` so that neighbours do not coincide, and in front to the side of the part. */
static rlti_vec3 sideways(const rlti_growth *growth, const rlti_surroundings *around) {
    if (rlti_length(growth->over) > 0.0)
        return growth->over;
    rlti_vec3 n = growth->normal;
    rlti_vec3 out = rlti_v3(n.x, 0.0, n.z);
    out = rlti_add(out, rlti_scale(0.6 * growth->aside, rlti_v3(n.z, 0.0, -n.x)));
    if (around->has_face) {
        double back = around->face_low.z;
        double depth = around->face_high.z - back;
        double front = rlti_smoothstep((growth->root.z - (back - 0.35 * depth)) / (0.8 * depth));
        /* behind the part a little backwards, or the back of the head would lie bare between two sides */
        out = rlti_madd(rlti_scale(1.0 - 0.8 * front, out), front, rlti_v3(growth->part, 0.0, -0.45));
        out = rlti_madd(out, 0.4 * (1.0 - front), rlti_v3(0.0, 0.0, -1.0));
    }
    if (rlti_length(out) < 1e-6)
        out = rlti_v3(growth->part, 0.0, 0.0);
    return rlti_normalize(out);
}

/* Bends `target` away from the body where the point is nearer to it than `clear`: first loses the component
 * into the surface, then gains one out of it. */
static rlti_vec3 avoid_body(rlti_vec3 target, rlti_vec3 p, double clear, double strength,
                            const rlti_surroundings *around) {
    rlti_vec3 normal;
    double gap = rlti_distance_grid_at(around->grid, p, &normal) - clear;
    double near = rlti_smoothstep(1.0 - gap / (3.0 * around->size));
    double inward = rlti_dot(target, normal);
    if (inward < 0.0)
        target = rlti_madd(target, -strength * near * inward, normal);
    return rlti_madd(target, strength * clamp(-gap / around->size, 0.0, 1.5), normal);
}

/* Pushes to the part's side in front of the face, also below it, so that the face stays visible. */
static rlti_vec3 avoid_face(rlti_vec3 target, rlti_vec3 p, const rlti_growth *growth, double strength,
                            const rlti_surroundings *around) {
    double middle = 0.5 * (around->face_low.x + around->face_high.x);
    double half = 0.5 * (around->face_high.x - around->face_low.x);
    double depth = around->face_high.z - around->face_low.z;
    double forward = rlti_smoothstep((p.z - around->face_low.z) / (0.5 * depth));
    double below = rlti_smoothstep((around->face_high.y + 3.0 * around->size - p.y) / (4.0 * around->size));
    double across = growth->part * (p.x - middle);
    double lack = half + growth->radius - across;
    double push = strength * forward * below * clamp(lack / (2.5 * around->size), 0.0, 1.0);
    return rlti_madd(target, 1.6 * push, rlti_v3(growth->part, 0.0, -0.25));
}

/* Normals across the axis, carried from node to node by the smallest rotation (double reflection, Wang et al.
 * 2008), so that the axis' own bends add no twist to the curl. */
static void carry_normals(rlti_axis *axis, rlti_vec3 first_direction) {
    rlti_vec3 tangent = first_direction;
    axis->normals[0] = rlti_perpendicular(tangent);
    for (int i = 0; i + 1 < axis->count; i++) {
        int last = i + 2 < axis->count ? i + 2 : i + 1;
        rlti_vec3 next = rlti_normalize(rlti_sub(axis->points[last], axis->points[i]));
        rlti_vec3 chord = rlti_sub(axis->points[i + 1], axis->points[i]);
        double square = rlti_dot(chord, chord);
        rlti_vec3 normal = axis->normals[i];
        rlti_vec3 mirrored = rlti_madd(normal, -2.0 * rlti_dot(chord, normal) / square, chord);
        rlti_vec3 tangent_mirrored = rlti_madd(tangent, -2.0 * rlti_dot(chord, tangent) / square, chord);
        rlti_vec3 turn = rlti_sub(next, tangent_mirrored);
        double turn_square = rlti_dot(turn, turn);
        if (turn_square > 0.0)
            mirrored = rlti_madd(mirrored, -2.0 * rlti_dot(turn, mirrored) / turn_square, turn);
        axis->normals[i + 1] = rlti_normalize(rlti_madd(mirrored, -rlti_dot(mirrored, next), next));
        tangent = next;
    }
}

/* Makes each strand leave its course: slow waves in two directions across it, of 0.8 to 1.6 times its
 * length. */
static rlti_vec3 stray_at(const rlti_growth *growth, double along) {
    rlti_vec3 aside = rlti_perpendicular(growth->start), on = rlti_cross(growth->start, aside);
    double x = along / growth->length, two_pi = 2.0 * RLTI_PI, most = 1.6 * growth->stray;
    double a = rlti_sin(two_pi * (x / (0.8 + 0.8 * growth->strays[2]) + growth->strays[0]));
    double b = rlti_sin(two_pi * (x / (0.8 + 0.8 * growth->strays[3]) + growth->strays[1]));
    return rlti_add(rlti_scale(most * a, aside), rlti_scale(most * b, on));
}

/* Distance that a strand keeps from the body, so far from its root. */
static double clearance(const rlti_growth *growth, double along, double size) {
    if (!(growth->rise > 0.0))
        return growth->clear * rlti_smoothstep(along / (2.0 * growth->clear + size));
    double low = fmin(growth->clear, 0.25 * size);
    return low * rlti_smoothstep(along / size) +
           (growth->clear - low) * rlti_smoothstep(along / growth->rise);
}

/* Turns what leads a strand over the head along the skin where it is now, and out of it or towards it by what
 * it lacks of its distance. */
static rlti_vec3 lie_down(rlti_vec3 led, rlti_vec3 p, double along, const rlti_growth *growth,
                          const rlti_surroundings *around) {
    rlti_vec3 normal;
    double gap = rlti_distance_grid_at(around->grid, p, &normal);
    double lack = clearance(growth, along, around->size) - gap;
    double much = rlti_length(led);
    led = rlti_madd(led, -rlti_dot(led, normal), normal);
    return rlti_madd(led, 0.5 * much * clamp(lack / around->size, -1.0, 1.0), normal);
}

void rlti_axis_grow(const rlti_growth *growth, const rlti_surroundings *around, int nodes, rlti_axis *axis) {
    const rlti_vec3 down = rlti_v3(0.0, -1.0, 0.0);
    double size = around->size;
    rlti_vec3 side = sideways(growth, around);
    rlti_vec3 across = rlti_cross(down, side); /* meanders keep neighbouring strands from lying in step */
    /* neither fall nor comb nor stray: straight along the normal */
    int is_led = growth->is_combed || growth->stray > 0.0;
    double strength = is_led ? 1.0 : rlti_smoothstep(4.0 * growth->fall);
    double lag = 1.5 * size;
    if (growth->stray > 0.0) /* short hair strays as far for its length */
        lag = fmin(lag, 0.17 * growth->length);
    rlti_vec3 direction = growth->start;
    rlti_vec3 p = growth->root;
    axis->count = nodes;
    axis->step = growth->length / (nodes - 1);
    axis->points[0] = p;
    for (int i = 1; i < nodes; i++) {
        double along = (i - 0.5) * axis->step;
        double w = growth->fall * rlti_smoothstep(along / growth->bend);
        rlti_vec3 target = rlti_scale(1.0 - w, growth->start);
        target = rlti_madd(target, 3.0 * w * (1.0 - w), side);
        if (growth->rise > 0.0)
            target = lie_down(target, p, along, growth, around);
        target = rlti_madd(target, w, down);
        target = rlti_normalize(target);
        target = rlti_madd(target, 0.25 * w * rlti_sin(growth->wander + along / (2.5 * size)), across);
        if (growth->stray > 0.0)
            target = rlti_add(target, stray_at(growth, along));
        double clear = clearance(growth, along, size);
        target = avoid_body(target, p, clear, strength, around);
        if (around->has_face)
            target = avoid_face(target, p, growth, strength, around);
        /* the direction follows its target over about a unit, which rounds every corner of the field */
        double follow = clamp(axis->step / lag, 0.0, 1.0);
        direction = rlti_normalize(rlti_madd(direction, follow, rlti_sub(rlti_normalize(target), direction)));
        p = rlti_madd(p, axis->step, direction);
        axis->points[i] = p;
    }
    carry_normals(axis, growth->start);
}

/* ---- tied hair ---- */

/* The way that a bun is wound: rings around its axis that wander over the ball's outside, from the tie out.
 */
static rlti_vec3 bun_place(const rlti_tie *tie, double wound) {
    rlti_vec3 right = rlti_perpendicular(tie->out), up = rlti_cross(tie->out, right);
    double r = hypot(tie->inside[0], tie->inside[1]);
    double around = wound / (0.62 * tie->bun) + 2.0 * RLTI_PI * tie->turn;
    double over = 2.0 * RLTI_PI * tie->turn + 0.13 * wound / tie->bun;
    double out = tie->bun * (0.62 + 0.3 * sqrt(r) * rlti_cos(over));
    double height = tie->bun * 0.42 * sqrt(r) * rlti_sin(over);
    rlti_vec3 p = rlti_madd(tie->place, height, tie->out);
    p = rlti_madd(p, out * rlti_cos(around), right);
    return rlti_madd(p, out * rlti_sin(around), up);
}

/* Direction of the hair behind the tie, `on` units from it. */
static rlti_vec3 behind_tie(const rlti_tie *tie, rlti_vec3 p, double on, const rlti_growth *growth,
                            const rlti_surroundings *around) {
    double size = around->size;
    if (tie->bun > 0.0)
        return rlti_normalize(rlti_sub(bun_place(tie, on + 1.2 * size), p));
    /* out of the tie, over in an arc, and down; a tail is widest a hand's breadth below the tie */
    rlti_vec3 right = rlti_perpendicular(tie->out), up = rlti_cross(tie->out, right);
    double w = rlti_smoothstep(on / (6.0 * size)), left = clamp(1.0 - on / (0.7 * growth->length), -0.3, 1.0);
    rlti_vec3 target = rlti_madd(rlti_scale(1.0 - w, tie->out), w, rlti_v3(0.0, -1.0, 0.0));
    target = rlti_madd(target, 0.16 * left * tie->inside[0], right);
    target = rlti_madd(target, 0.16 * left * tie->inside[1], up);
    return avoid_body(rlti_normalize(target), p, growth->clear + size * (1.0 + tie->inside[1]), 1.0, around);
}

#define ROOT_LEAN 2.0 /* slope of a root towards the tie */

double rlti_axis_tie(const rlti_growth *growth, const rlti_surroundings *around, const rlti_tie *tie,
                     int nodes, rlti_axis *axis) {
    double size = around->size, reached = 0.0, nearest = HUGE_VAL;
    rlti_vec3 right = rlti_perpendicular(tie->out), up = rlti_cross(tie->out, right);
    rlti_vec3 gate = rlti_madd(tie->place, 0.7 * tie->radius * tie->inside[0], right);
    gate = rlti_madd(gate, 0.7 * tie->radius * tie->inside[1], up);
    /* out of the skin it leans towards the tie, or it would have a hook at the root */
    rlti_vec3 p = growth->root, ahead = rlti_sub(gate, p);
    ahead = rlti_normalize(rlti_madd(ahead, -rlti_dot(ahead, growth->normal), growth->normal));
    rlti_vec3 direction = rlti_normalize(rlti_madd(growth->normal, ROOT_LEAN, ahead));
    axis->count = nodes;
    axis->step = growth->length / (nodes - 1);
    axis->points[0] = p;
    for (int i = 1; i < nodes; i++) {
        rlti_vec3 target, to = rlti_sub(gate, p);
        double distance = rlti_length(to), along = i * axis->step;
        double follow = clamp(axis->step / (0.8 * size), 0.0, 1.0);
        /* there, or as near as its bends allow: from here on, since turning back to the gate would fold it */
        if (!(reached > 0.0) &&
            (distance < 0.75 * axis->step || (distance < 2.0 * tie->radius && distance > nearest)))
            reached = along;
        nearest = distance;
        if (reached > 0.0) {
            target = behind_tie(tie, p, along - reached, growth, around);
        } else {
            /* along the skin, until the tie is near */
            double near = rlti_smoothstep(1.0 - distance / (4.0 * size));
            target = avoid_body(rlti_normalize(to), p, growth->clear * (1.0 - near), 1.0 - near, around);
            follow = fmax(follow, near);
        }
        target = rlti_normalize(target);
        direction = rlti_normalize(rlti_madd(direction, follow, rlti_sub(target, direction)));
        p = rlti_madd(p, axis->step, direction);
        axis->points[i] = p;
    }
    carry_normals(axis, growth->normal);
    return reached > 0.0 && reached < 0.9 * growth->length ? reached / growth->length : 0.0;
}
