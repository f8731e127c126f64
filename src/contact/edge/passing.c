#include "contact/edge/passing.h"

#include <float.h>

#include "contact/edge/nearest.h"

/* Parts of the step are halved no more than so often in all. What is undecided then slides along at almost no
 * distance, and counts as met. */
enum { HALVINGS = 400, DEPTH = 64 };

/* Parts up to this long, of which one half is left, are halved on without a distance: it would be within what
 * is left of the speed, or be too far at the end as well. Longer parts find most that do not meet. */
static const double brief = 0.125; /* of the step */

/* Distances below this share of the longer edge are none. */
static const double touch = 1e-6;

typedef struct trial {
    rlti_moving points[4]; /* relative to where the first starts */
    int face;              /* a point and a triangle, else two edges */
    double speed;          /* what the distance can change by in the step */
    double near;           /* distances below this are none */
    double zero;           /* rounding of the cubic */
} trial;

typedef struct part {
    double from, to, volume[4];
    int empty; /* 1: the volume is nowhere 0 */
    int alone; /* 1: its other half is empty, so the distance may wait */
} part;

static double size_at_most(rlti_vec3 a, rlti_vec3 b) {
    double x = fabs(a.x) + fabs(a.y) + fabs(a.z), y = fabs(b.x) + fabs(b.y) + fabs(b.z);
    return x > y ? x : y;
}

/* The three vectors whose product is the volume, at the start or at the end. */
static void sides_of(const trial *t, int end, rlti_vec3 side[3]) {
    rlti_vec3 x[4];
    for (int k = 0; k < 4; k++)
        x[k] = end ? t->points[k].to : t->points[k].from;
    side[0] = rlti_sub(x[1], x[0]);
    side[1] = rlti_sub(x[3], x[2]);
    side[2] = rlti_sub(x[2], x[0]);
}

/* Bernstein coefficients of the volume over the step. */
static void begin_volume(const rlti_vec3 a[3], const rlti_vec3 b[3], part *whole) {
    *whole = (part){.to = 1.0};
    rlti_vec3 aa = rlti_cross(a[1], a[2]), ab = rlti_cross(a[1], b[2]), ba = rlti_cross(b[1], a[2]),
              bb = rlti_cross(b[1], b[2]);
    whole->volume[0] = rlti_dot(a[0], aa);
    whole->volume[1] = (rlti_dot(b[0], aa) + rlti_dot(a[0], ba) + rlti_dot(a[0], ab)) / 3.0;
    whole->volume[2] = (rlti_dot(a[0], bb) + rlti_dot(b[0], ab) + rlti_dot(b[0], ba)) / 3.0;
    whole->volume[3] = rlti_dot(b[0], bb);
}

/* Bound of rounding, below which a volume counts as zero: of the sides' lengths, and of how far the points
 * are. */
static double zero_of(const double length[3], double far) {
    double product = length[0] * length[1] * length[2],
           pairs = length[0] * length[1] + length[1] * length[2] + length[2] * length[0];
    return 32.0 * DBL_EPSILON * (product + far * pairs);
}

/* The same from sums of coordinates instead of lengths: never less, and without roots. */
static double zero_at_most(const trial *t, const rlti_vec3 a[3], const rlti_vec3 b[3]) {
    double length[3], far = 0.0;
    for (int k = 0; k < 3; k++)
        length[k] = size_at_most(a[k], b[k]);
    for (int k = 0; k < 4; k++) {
        double size = size_at_most(t->points[k].from, t->points[k].to);
        far = size > far ? size : far;
    }
    return zero_of(length, far);
}

static double zero_exactly(const trial *t, const rlti_vec3 a[3], const rlti_vec3 b[3]) {
    double length[3], far = 0.0;
    for (int k = 0; k < 3; k++)
        length[k] = fmax(rlti_length(a[k]), rlti_length(b[k]));
    for (int k = 0; k < 4; k++)
        far = fmax(far, fmax(rlti_length(t->points[k].from), rlti_length(t->points[k].to)));
    return zero_of(length, far);
}

static int has_zero(const trial *t, const part *p) {
    const double *v = p->volume, zero = t->zero;
    if (v[0] > zero)
        return !(v[1] > zero && v[2] > zero && v[3] > zero);
    return !(v[0] < -zero && v[1] < -zero && v[2] < -zero && v[3] < -zero);
}

/* De Casteljau. */
static void halve(const part *p, part *early, part *late) {
    double middle = 0.5 * (p->from + p->to), line[4];
    *early = (part){.from = p->from, .to = middle};
    *late = (part){.from = middle, .to = p->to};
    for (int k = 0; k < 4; k++)
        line[k] = p->volume[k];
    for (int k = 0; k < 4; k++) {
        early->volume[k] = line[0];
        late->volume[3 - k] = line[3 - k];
        for (int i = 0; i < 3 - k; i++)
            line[i] = 0.5 * (line[i] + line[i + 1]);
    }
}

/* The distance at one time, and the weights of the points there. */
static double distance_at(const trial *t, double time, double weights[4]) {
    rlti_vec3 x[4];
    for (int k = 0; k < 4; k++)
        x[k] = rlti_moving_at(t->points[k], time);
    if (t->face) {
        weights[0] = 1.0;
        return rlti_nearest_face(x[0], x + 1, weights + 1);
    }
    double share[2], distance = rlti_nearest_edges(x, x + 2, share);
    for (int k = 0; k < 2; k++) {
        weights[2 * k] = 1.0 - share[k];
        weights[2 * k + 1] = share[k];
    }
    return distance;
}

/* How much the distance can change: both sides move, and what all have in common does not count. */
static double speed_of(const trial *t) {
    rlti_vec3 moved[4], mean = rlti_v3(0, 0, 0);
    for (int k = 0; k < 4; k++) {
        moved[k] = rlti_sub(t->points[k].to, t->points[k].from);
        mean = rlti_madd(mean, 0.25, moved[k]);
    }
    double speed[2] = {0.0, 0.0};
    for (int k = 0; k < 4; k++) {
        int second = t->face ? k > 0 : k > 1;
        speed[second] = fmax(speed[second], rlti_length(rlti_sub(moved[k], mean)));
    }
    return speed[0] + speed[1];
}

static int search(const trial *t, const part *whole, rlti_passing *passing) {
    part stack[DEPTH];
    int depth = 0;
    stack[depth++] = *whole;
    for (int count = 0; depth > 0; count++) {
        part p = stack[--depth];
        if (p.empty)
            continue;
        double middle = 0.5 * (p.from + p.to), half = 0.5 * (p.to - p.from) * t->speed;
        int done = half <= 0.25 * t->near || count >= HALVINGS || depth + 2 > DEPTH;
        if (done || !p.alone) {
            double weights[4], distance = distance_at(t, middle, weights);
            if (!(distance <= half + t->near))
                continue;
            if (done) {
                passing->time = middle;
                for (int k = 0; k < 4; k++)
                    passing->weights[k] = weights[k];
                return 1;
            }
        }
        part *late = &stack[depth++], *early = &stack[depth++];
        halve(&p, early, late);
        early->empty = !has_zero(t, early);
        late->empty = !has_zero(t, late);
        early->alone = late->alone = early->empty != late->empty && early->to - early->from <= brief;
    }
    return 0;
}

/* The length that distances are compared with: of the longest edge, or where all are points of what they
 * cover. */
static double size_of(const trial *t) {
    double size = 0.0;
    for (int k = 0; k < 4; k++) {
        int other = t->face ? (k == 0 ? 1 : k % 3 + 1) : k ^ 1;
        if (t->face && k == 0)
            continue;
        size = fmax(size, rlti_length(rlti_sub(t->points[k].from, t->points[other].from)));
        size = fmax(size, rlti_length(rlti_sub(t->points[k].to, t->points[other].to)));
    }
    return size > 0.0 ? size : t->speed;
}

static int meet(const rlti_moving points[4], int face, rlti_passing *passing) {
    trial t = {.face = face};
    part whole;
    for (int k = 0; k < 4; k++)
        t.points[k] =
            (rlti_moving){rlti_sub(points[k].from, points[0].from), rlti_sub(points[k].to, points[0].from)};
    rlti_vec3 a[3], b[3];
    sides_of(&t, 0, a);
    sides_of(&t, 1, b);
    begin_volume(a, b, &whole);
    t.zero = zero_at_most(&t, a, b);
    if (!has_zero(&t, &whole))
        return 0;
    t.zero = zero_exactly(&t, a, b);
    if (!has_zero(&t, &whole))
        return 0;
    t.speed = speed_of(&t);
    t.near = touch * size_of(&t);
    return search(&t, &whole, passing);
}

int rlti_passing_edges(const rlti_moving points[4], rlti_passing *passing) {
    return meet(points, 0, passing);
}

int rlti_passing_face(const rlti_moving points[4], rlti_passing *passing) {
    return meet(points, 1, passing);
}
