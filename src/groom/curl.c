#include "groom/curl.h"

#include "base/list.h"
#include "base/memory.h"

enum { STEPS_PER_TURN = 96, STEPS_PER_EDGE = 8, QUADRATURE = 64 };

static int winds(const rlti_curl *curl) {
    return curl->style != RLTI_STYLE_STRAIGHT && curl->radius > 0.0;
}

/* Arc length of one turn at radius r: a helix exactly, a sine wave by the midpoint rule. */
static double turn_length(rlti_style style, double r, double pitch) {
    double around = 2.0 * RLTI_PI * r;
    if (style != RLTI_STYLE_WAVY)
        return sqrt(pitch * pitch + around * around);
    double sum = 0.0;
    for (int i = 0; i < QUADRATURE; i++) {
        double slope = around * rlti_cos(2.0 * RLTI_PI * (i + 0.5) / QUADRATURE);
        sum += sqrt(pitch * pitch + slope * slope);
    }
    return sum / QUADRATURE;
}

double rlti_curl_turn(const rlti_curl *curl) {
    return winds(curl) ? turn_length(curl->style, curl->radius, curl->pitch) : curl->pitch;
}

/* Radius at a fraction of the strand's length. */
static double radius_at(const rlti_curl *curl, double u) {
    double fade = curl->straight_root > 0.0 ? rlti_smoothstep(u / curl->straight_root) : 1.0;
    double shrink = 1.0 - curl->taper * (u < 1.0 ? u : 1.0);
    return curl->radius * fade * shrink;
}

double rlti_curl_axis_length(const rlti_curl *curl) {
    if (!winds(curl))
        return curl->length;
    double sum = 0.0;
    for (int i = 0; i < QUADRATURE; i++)
        sum += curl->pitch / turn_length(curl->style, radius_at(curl, (i + 0.5) / QUADRATURE), curl->pitch);
    double length = 1.05 * curl->length * sum / QUADRATURE;
    return length < curl->length ? length : curl->length;
}

void rlti_fine_curve_clear(rlti_fine_curve *curve) {
    RLTI_FREE(curve->points, curve->arc);
    *curve = (rlti_fine_curve){0};
}

static int append(rlti_fine_curve *curve, rlti_vec3 p) {
    int capacity = curve->capacity;
    if (!RLTI_LIST_RESERVE(curve->points, curve->count, 1, capacity) ||
        !RLTI_LIST_RESERVE(curve->arc, curve->count, 1, curve->capacity))
        return 0;
    int i = curve->count++;
    curve->points[i] = p;
    curve->arc[i] = i == 0 ? 0.0 : curve->arc[i - 1] + rlti_length(rlti_sub(p, curve->points[i - 1]));
    return 1;
}

/* Point of the axis at `along`, and the two directions across it. */
static rlti_vec3 axis_at(const rlti_axis *axis, double along, rlti_vec3 *normal, rlti_vec3 *binormal) {
    int last = axis->count - 2;
    double x = along / axis->step;
    int i = x < (double)last ? (int)x : last;
    double f = x - i; /* beyond 1 past the end: straight on */
    rlti_vec3 chord = rlti_sub(axis->points[i + 1], axis->points[i]);
    rlti_vec3 tangent = rlti_normalize(chord);
    double g = f < 1.0 ? f : 1.0;
    rlti_vec3 n = rlti_madd(rlti_scale(1.0 - g, axis->normals[i]), g, axis->normals[i + 1]);
    *normal = rlti_normalize(rlti_madd(n, -rlti_dot(n, tangent), tangent));
    *binormal = rlti_cross(tangent, *normal);
    return rlti_madd(axis->points[i], f, chord);
}

/* Offset from the axis: around it for a helix or coil, to and fro for a wave. */
static rlti_vec3 offset_at(const rlti_curl *curl, double radius, double along, rlti_vec3 normal,
                           rlti_vec3 binormal) {
    double angle = curl->phase + curl->hand * 2.0 * RLTI_PI * along / curl->pitch;
    if (curl->style == RLTI_STYLE_WAVY)
        return rlti_scale(radius * rlti_sin(angle), normal);
    return rlti_add(rlti_scale(radius * rlti_cos(angle), normal),
                    rlti_scale(radius * rlti_sin(angle), binormal));
}

static double wind_step(const rlti_curl *curl, int edges) {
    double step = curl->length / ((double)edges * STEPS_PER_EDGE);
    return winds(curl) && curl->pitch / STEPS_PER_TURN < step ? curl->pitch / STEPS_PER_TURN : step;
}

double rlti_curl_steps(const rlti_curl *curl, int edges) {
    return curl->length / wind_step(curl, edges);
}

int rlti_curl_wind(const rlti_curl *curl, const rlti_axis *axis, rlti_vec3 root, int edges,
                   rlti_fine_curve *curve) {
    rlti_vec3 normal, binormal;
    double step = wind_step(curl, edges);
    /* The curve begins on the curl; the axis is shifted so that this point is the root. */
    rlti_vec3 shift = rlti_sub(root, axis_at(axis, 0.0, &normal, &binormal));
    if (winds(curl))
        shift = rlti_sub(shift, offset_at(curl, radius_at(curl, 0.0), 0.0, normal, binormal));
    curve->count = 0;
    if (!append(curve, root))
        return 0;
    for (int i = 1; curve->arc[curve->count - 1] < curl->length; i++) {
        double along = i * step;
        double u = curve->arc[curve->count - 1] / curl->length;
        rlti_vec3 p = rlti_add(axis_at(axis, along, &normal, &binormal), shift);
        if (winds(curl))
            p = rlti_add(p, offset_at(curl, radius_at(curl, u), along, normal, binormal));
        if (i > 2 * RLTI_CURL_STEPS_MAX || !append(curve, p))
            return 0;
    }
    /* cut the last step to the exact length */
    int last = curve->count - 1;
    double piece = curve->arc[last] - curve->arc[last - 1];
    double keep = piece > 0.0 ? (curl->length - curve->arc[last - 1]) / piece : 1.0;
    rlti_vec3 from = curve->points[last - 1];
    curve->points[last] = rlti_madd(from, keep, rlti_sub(curve->points[last], from));
    curve->arc[last] = curl->length;
    return 1;
}

/* A place on the curve: piece and fraction of it. */
typedef struct place {
    int piece;
    double fraction;
} place;

static rlti_vec3 point_at(const rlti_fine_curve *curve, place at) {
    rlti_vec3 a = curve->points[at.piece];
    return rlti_madd(a, at.fraction, rlti_sub(curve->points[at.piece + 1], a));
}

/* The next place at distance `chord` from `from` (straight through space); returns 0 past the end. */
static int next_place(const rlti_fine_curve *curve, rlti_vec3 from, double chord, place *at) {
    double square = chord * chord;
    for (int i = at->piece; i + 1 < curve->count; i++) {
        rlti_vec3 b = rlti_sub(curve->points[i + 1], from);
        if (rlti_dot(b, b) < square)
            continue;
        /* |a + t d|^2 = chord^2 with a inside, the end outside: the greater root */
        rlti_vec3 a = rlti_sub(curve->points[i], from);
        rlti_vec3 d = rlti_sub(curve->points[i + 1], curve->points[i]);
        double dd = rlti_dot(d, d);
        double ad = rlti_dot(a, d);
        double inside = ad * ad - dd * (rlti_dot(a, a) - square);
        double t = dd > 0.0 && inside > 0.0 ? (sqrt(inside) - ad) / dd : 1.0;
        at->piece = i;
        at->fraction = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
        return 1;
    }
    return 0;
}

/* Walks count - 1 chords from the root; fills the points passed. Returns 0 when the curve ends first. */
static int walk(const rlti_fine_curve *curve, double chord, int count, rlti_vec3 *points) {
    place at = {0, 0.0};
    points[0] = curve->points[0];
    for (int i = 1; i < count; i++) {
        if (!next_place(curve, points[i - 1], chord, &at))
            return 0;
        points[i] = point_at(curve, at);
    }
    return 1;
}

static void divide_by_arc(const rlti_fine_curve *curve, int count, rlti_vec3 *points) {
    double total = curve->arc[curve->count - 1];
    int piece = 0;
    for (int i = 0; i < count; i++) {
        double wanted = total * i / (count - 1);
        while (piece + 2 < curve->count && curve->arc[piece + 1] < wanted)
            piece++;
        double span = curve->arc[piece + 1] - curve->arc[piece];
        place at = {piece, span > 0.0 ? (wanted - curve->arc[piece]) / span : 0.0};
        points[i] = point_at(curve, at);
    }
}

void rlti_curve_divide(const rlti_fine_curve *curve, int count, rlti_vec3 *points) {
    /* Equal chords, not equal arcs: rest segments then have one length, whatever the curvature. The chord
     * whose last step ends at the tip is found by bisection; it is at most the mean arc. */
    double high = curve->arc[curve->count - 1] / (count - 1);
    double low = 0.0;
    for (int round = 0; round < 60; round++) {
        double middle = 0.5 * (low + high);
        if (walk(curve, middle, count, points))
            low = middle;
        else
            high = middle;
    }
    int found = walk(curve, low, count, points);
    rlti_vec3 tip = curve->points[curve->count - 1];
    double last = rlti_length(rlti_sub(tip, points[count - 2]));
    /* With fewer than about three points a turn the walk may jump across it; equal arcs are then the best. */
    if (!found || fabs(last - low) > 0.01 * low)
        divide_by_arc(curve, count, points);
    points[count - 1] = tip;
}
