/* The body of all builds of the sieve: pairs of edges in lanes of single precision. Define
 * RLTI_EDGE_SIEVE_NAME and one of the RLTI_LANES_ builds before.
 *
 * With both edges at the end of the step, x(s) = a + s u and y(t) = b + t v, the square of the distance is a
 * convex function of s and t in [0, 1]. So at any s and t its value less what its gradient can gain within
 * the square is a bound from below, whatever the edges: at the nearest points it is the square itself, and
 * where the lines are too parallel to tell these, it is only less sharp. */
#include "base/lanes.h"
#include "contact/edge/sift.h"

/* Rounding of a sum of some numbers, as a share of their sizes. */
static const float rounding = 5e-7f;

static inline lane within(lane a) {
    return lane_minimum(lane_maximum(a, lane_set(0.0f)), lane_set(1.0f));
}

/* The sum of the coordinates' sizes. */
static inline lane size(lane3 a) {
    return lane_maximum(a.x, -a.x) + lane_maximum(a.y, -a.y) + lane_maximum(a.z, -a.z);
}

/* A bound of the square of the distance, and the sizes that its rounding is measured by. */
static inline lane distance_of(const lane3 x[4], lane *sizes) {
    const lane tiny = lane_set(1e-30f), one = lane_set(1.0f);
    lane3 u = sub3(x[1], x[0]), v = sub3(x[3], x[2]), w = sub3(x[0], x[2]);
    lane uu = lane_maximum(dot3(u, u), tiny), vv = lane_maximum(dot3(v, v), tiny), uv = dot3(u, v),
         uw = dot3(u, w), vw = dot3(v, w);
    lane s = within((uv * vw - uw * vv) / lane_maximum(uu * vv - uv * uv, tiny));
    lane t = within((vw + s * uv) / vv);
    s = within((t * uv - uw) / uu);
    lane3 d = fused3(s, u, fused3(-t, v, w));
    lane gs = dot3(u, d), gt = -dot3(v, d);
    lane gain = lane_maximum(gs * s, gs * (s - one)) + lane_maximum(gt * t, gt * (t - one));
    *sizes = size(u) + size(v) + size(w);
    return dot3(d, d) - (gain + gain);
}

/* No point of a gets nearer to one of b in the step than by this. */
static inline lane reach_of(const lane3 v[4], lane *sizes) {
    lane most = lane_set(0.0f);
    *sizes = size(v[0]);
    for (int k = 0; k < 4; k++) {
        lane3 d = sub3(v[k & 1], v[2 + (k >> 1)]);
        most = lane_maximum(most, dot3(d, d));
        *sizes = *sizes + size(d);
    }
    return lane_sqrt(most);
}

static unsigned sift_lanes(const float (*flat)[8], const int *a, const int *b, float offset, float margin,
                           unsigned *pass) {
    const float *rows[LANES];
    lane3 x[4], v[4];
    lane radius[4], sizes, moves, column[4];
    for (int p = 0; p < 4; p++)
        for (int at = 0; at < 8; at += 4) {
            for (int k = 0; k < LANES; k++)
                rows[k] = flat[(p < 2 ? a[k] : b[k]) + (p & 1)] + at;
            lane_gather4(rows, column);
            lane3 *to = at == 0 ? &x[p] : &v[p];
            *to = (lane3){column[0], column[1], column[2]};
            if (at == 0)
                radius[p] = column[3];
        }
    lane square = distance_of(x, &sizes), reach = reach_of(v, &moves), little = lane_set(rounding);
    lane places = little * (size(x[0]) + sizes); /* coordinates themselves are rounded */
    lane far = lane_maximum(radius[0], radius[1]) + lane_maximum(radius[2], radius[3]) +
               lane_set(offset + margin) + places;
    /* with the margin, the distance may become smaller, and the motion larger */
    lane may = reach + lane_set(2.0f * margin) + places + little * moves, more = little * sizes * sizes;
    unsigned all = (unsigned)((1ull << LANES) - 1u);
    *pass = ~lane_bits(lane_less(may * may + more, square)) & all;
    return (~lane_bits(lane_less(far * far + more, square)) & all) | *pass;
}

const rlti_edge_sieve RLTI_EDGE_SIEVE_NAME = {LANES, sift_lanes};
