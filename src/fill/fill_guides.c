/* The guides of one frame: resampled, and taken apart into the curl's middle line, frames along it, and the
 * curl around it. */
#include <string.h>

#include "fill/fill_data.h"

/* Four points around a piece of the guide, by Catmull and Rom's cubic; ends go straight on. */
static rlti_vec3 sample(const rlti_fill_guide *guide, const double *points, int at, double t) {
    int last = guide->first + guide->count - 1, i = guide->first + at;
    rlti_vec3 b = rlti_v3_at(points, i), c = rlti_v3_at(points, i + 1);
    rlti_vec3 a = i > guide->first ? rlti_v3_at(points, i - 1) : rlti_sub(rlti_scale(2.0, b), c);
    rlti_vec3 d = i + 1 < last ? rlti_v3_at(points, i + 2) : rlti_sub(rlti_scale(2.0, c), b);
    double t2 = t * t, t3 = t2 * t;
    rlti_vec3 p = rlti_scale(0.5 * (-t3 + 2.0 * t2 - t), a);
    p = rlti_madd(p, 0.5 * (3.0 * t3 - 5.0 * t2 + 2.0), b);
    p = rlti_madd(p, 0.5 * (-3.0 * t3 + 4.0 * t2 + t), c);
    return rlti_madd(p, 0.5 * (t3 - t2), d);
}

/* The middle line: a mean over the curve with weights that fall by exp(-distance / smoothing length) on both
 * sides, as two recursions. With one turn as smoothing length a fortieth of the curl is left in it. */
static void smooth(const rlti_vec3 *at, int count, double keep, rlti_vec3 *core, double *weight) {
    rlti_vec3 sum = rlti_v3(0, 0, 0);
    for (int i = 0; i < count; i++) {
        sum = rlti_madd(at[i], keep, sum);
        weight[i] = 1.0 + (i > 0 ? keep * weight[i - 1] : 0.0);
        core[i] = sum;
    }
    sum = rlti_v3(0, 0, 0);
    for (int i = count - 1; i >= 0; i--) {
        /* weights of the points after this one mirror those before the mirrored one */
        double total = weight[i] + weight[count - 1 - i] - 1.0;
        core[i] = rlti_scale(1.0 / total, rlti_add(core[i], sum));
        sum = rlti_scale(keep, rlti_add(at[i], sum));
    }
}

static rlti_vec3 tangent_at(const rlti_vec3 *core, int count, int i, rlti_vec3 before) {
    int from = i > 0 ? i - 1 : 0, to = i + 1 < count ? i + 1 : count - 1;
    rlti_vec3 t = rlti_normalize(rlti_sub(core[to], core[from]));
    return rlti_dot(t, t) > 0.5 ? t : before;
}

/* `v` made perpendicular to the unit vector t, as a unit vector. */
static rlti_vec3 across(rlti_vec3 v, rlti_vec3 t) {
    rlti_vec3 n = rlti_normalize(rlti_madd(v, -rlti_dot(v, t), t));
    return rlti_dot(n, n) > 0.5 ? n : rlti_perpendicular(t);
}

/* v turned by the smallest rotation that takes the unit vector a to the unit vector b. */
static rlti_vec3 turned(rlti_vec3 v, rlti_vec3 a, rlti_vec3 b) {
    double c = 1.0 + rlti_dot(a, b);
    if (c < 1e-9)
        return v;
    rlti_vec3 k = rlti_cross(a, b), kv = rlti_cross(k, v);
    return rlti_add(rlti_add(v, kv), rlti_scale(1.0 / c, rlti_cross(k, kv)));
}

static void set_row(float *row, int samples, int i, rlti_vec3 v) {
    row[i] = (float)v.x;
    row[samples + i] = (float)v.y;
    row[2 * samples + i] = (float)v.z;
}

/* `start` is N at the root, as far as it is known. */
static void take_apart(rlt_fill *fill, int g, const double *points, rlti_vec3 start) {
    const rlti_fill_guide *guide = &fill->guides[g];
    int n = fill->samples;
    rlti_vec3 *at = fill->scratch, *core = at + n;
    const int *from = fill->sample_at + (size_t)g * (size_t)n;
    const float *share = fill->sample_share + (size_t)g * (size_t)n;
    rlti_vec3 root = rlti_v3_at(points, guide->first);
    for (int i = 0; i < n; i++)
        at[i] = rlti_sub(sample(guide, points, from[i], (double)share[i]), root);
    smooth(at, n, (double)guide->smoothing, core, fill->weights);

    rlti_vec3 t = tangent_at(core, n, 0, guide->tangent), normal = across(start, t);
    float *rows = rlti_fill_row(fill, g, 0);
    size_t three = 3 * (size_t)n;
    for (int i = 0; i < n; i++) {
        rlti_vec3 next = tangent_at(core, n, i, t);
        normal = across(turned(normal, t, next), next);
        t = next;
        rlti_vec3 off = rlti_sub(at[i], core[i]), side = rlti_cross(t, normal);
        set_row(rows + FILL_CORE / 3 * three, n, i, rlti_sub(core[i], core[0]));
        set_row(rows + FILL_T / 3 * three, n, i, t);
        set_row(rows + FILL_N / 3 * three, n, i, normal);
        set_row(rows + FILL_CURL / 3 * three, n, i,
                rlti_v3(rlti_dot(off, normal), rlti_dot(off, side), rlti_dot(off, t)));
        set_row(rows + FILL_AT / 3 * three, n, i, at[i]);
    }
    fill->roots[g] = root;
}

/* Length of one turn of the curl: the path over which the direction turns by a full circle, added up. Hair
 * that is nearly straight has no turns worth the name: an eighth of its length then, so that its bends belong
 * to the middle line. */
static double turn_length(const rlti_fill_guide *guide, const double *points) {
    double angle = 0.0;
    rlti_vec3 before = rlti_v3(0, 0, 0);
    for (int i = guide->first; i + 1 < guide->first + guide->count; i++) {
        rlti_vec3 e = rlti_normalize(rlti_sub(rlti_v3_at(points, i + 1), rlti_v3_at(points, i)));
        /* chord of the unit circle: exact enough below a quarter turn, and needs no arc cosine */
        if (i > guide->first) {
            double half = 0.5 * rlti_length(rlti_sub(e, before));
            half = half < 1.0 ? half : 1.0;
            angle += 2.0 * half * (1.0 + half * half * (1.0 / 6.0 + 0.075 * half * half));
        }
        before = e;
    }
    double longest = 0.125 * guide->length;
    double turn = angle > 0.0 ? 2.0 * RLTI_PI * guide->length / angle : longest;
    return turn < longest ? turn : longest;
}

void rlti_fill_measure(rlt_fill *fill, const double *points) {
    int n = fill->samples;
    for (int g = 0; g < fill->guide_count; g++) {
        rlti_fill_guide *guide = &fill->guides[g];
        double turn = turn_length(guide, points);
        guide->smoothing = turn > 0.0 ? (float)rlti_exp(-guide->length / (n - 1) / turn) : 0.0f;
        guide->tangent =
            rlti_normalize(rlti_sub(rlti_v3_at(points, guide->first + 1), rlti_v3_at(points, guide->first)));
        if (rlti_dot(guide->tangent, guide->tangent) < 0.5)
            guide->tangent = rlti_v3(0, -1, 0);
        take_apart(fill, g, points, rlti_perpendicular(guide->tangent));
        const float *t = rlti_fill_row(fill, g, FILL_T), *across0 = rlti_fill_row(fill, g, FILL_N);
        const float *curl = rlti_fill_row(fill, g, FILL_CURL);
        guide->tangent = rlti_v3((double)t[0], (double)t[n], (double)t[2 * n]);
        guide->across = rlti_v3((double)across0[0], (double)across0[n], (double)across0[2 * n]);
        double square = 0.0;
        for (int i = 0; i < 2 * n; i++) /* across the middle line only */
            square += (double)curl[i] * (double)curl[i] / n;
        guide->radius = (float)sqrt(square);
        rlti_vec3 middle = rlti_v3_at(points, guide->first + guide->count / 2);
        guide->direction = rlti_normalize(rlti_sub(middle, rlti_v3_at(points, guide->first)));
        const float *core = rlti_fill_row(fill, g, FILL_CORE) + n / 4;
        guide->early = rlti_normalize(rlti_v3((double)core[0], (double)core[n], (double)core[2 * n]));
    }
}

/* An edge of the mesh at the root turns with the head; a fixed axis would make curls crawl around. */
static rlti_vec3 root_across(const rlt_fill *fill, const rlti_fill_guide *guide, const double *vertices) {
    if (guide->triangle < 0)
        return guide->across;
    const int *corner = fill->triangles + 3 * (size_t)guide->triangle;
    return rlti_sub(rlti_v3_at(vertices, corner[1]), rlti_v3_at(vertices, corner[0]));
}

void rlti_fill_take(rlt_fill *fill, const double *points, const double *vertices) {
    if (fill->vertex_count > 0)
        memcpy(fill->corners, vertices, 3 * (size_t)fill->vertex_count * sizeof(double));
    for (int g = 0; g < fill->guide_count; g++)
        take_apart(fill, g, points, root_across(fill, &fill->guides[g], vertices));
}
