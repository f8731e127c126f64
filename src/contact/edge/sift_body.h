/* The body of all builds of the sieve: boxes and pairs of edges in lanes of single precision. Define
 * RLTI_EDGE_SIEVE_NAME and one of the RLTI_LANES_ builds before.
 *
 * With both edges at the end of the step, x(s) = a + s u and y(t) = b + t v, the square of the distance is a
 * convex function of s and t in [0, 1]. So at any s and t its value less what its gradient can gain within
 * the square is a bound from below, whatever the edges: at the nearest points it is the square itself, and
 * where the lines are too parallel to tell these, it is only less sharp.
 *
 * Where both ends of one edge lie beyond the end of the other, along that one, its end is nearest: the pair
 * is counted with the edge that follows (is_counted_next in pairs.c), and dropped as well. */
#include <string.h>

#include "base/lanes.h"
#include "contact/edge/sift.h"

/* Rounding of a sum of some numbers, as a share of their sizes. */
static const float rounding = 5e-7f;

/* About 1 / a, about the square root of a > 0, and how many times more the root may be. Bounds hold for any
 * places on edges and any larger lengths: these need not be exact, only fast. */
#if defined(RLTI_LANES_AVX512)
static const float root_error = 1.0002f;
static inline lane about_inverse(lane a) {
    return _mm512_rcp14_ps(a);
}
static inline lane about_root(lane a) {
    return a * _mm512_rsqrt14_ps(a);
}
#elif defined(RLTI_LANES_AVX2)
static const float root_error = 1.001f;
static inline lane about_inverse(lane a) {
    return _mm256_rcp_ps(a);
}
static inline lane about_root(lane a) {
    return a * _mm256_rsqrt_ps(a);
}
#else
static const float root_error = 1.000001f;
static inline lane about_inverse(lane a) {
    return lane_set(1.0f) / a;
}
static inline lane about_root(lane a) {
    return lane_sqrt(a);
}
#endif

/* The square root of a, or a little more. */
static inline lane root_above(lane a) {
    return about_root(lane_maximum(a, lane_set(1e-30f))) * lane_set(root_error);
}

static inline lane within(lane a) {
    return lane_minimum(lane_maximum(a, lane_set(0.0f)), lane_set(1.0f));
}

/* The sum of the coordinates' sizes. */
static inline lane size(lane3 a) {
    return lane_maximum(a.x, -a.x) + lane_maximum(a.y, -a.y) + lane_maximum(a.z, -a.z);
}

/* Pairs LANES part to LANES (part + 1) - 1 of a group and a run: the group's value, and the run's. */
#if defined(RLTI_LANES_AVX512)
static inline lane own_of(const float *column, int a, int part) {
    (void)part;
    return lane_halves(column[a], column[a + 1]);
}
static inline lane other_of(const float *column, int b, int part) {
    (void)part;
    return _mm512_broadcast_f32x8(_mm256_loadu_ps(column + b));
}
#else
static inline lane own_of(const float *column, int a, int part) {
    return lane_set(column[a + part * LANES / 8]);
}
static inline lane other_of(const float *column, int b, int part) {
    lane value;
    memcpy(&value, column + b + part * LANES % 8, sizeof value);
    return value;
}
#endif

/* Edges: ends and motions of both points. */
typedef struct edges {
    lane3 x[2], v[2];
    lane radius, strand; /* as the columns have them */
} edges;

/* The group's, and what is measured of them once. */
typedef struct own_edges {
    edges e;
    lane length, sizes; /* sizes of place and motion of the first point, which rounding is measured by */
} own_edges;

static inline lane3 own3(float *const *columns, int a, int part) {
    return (lane3){own_of(columns[0], a, part), own_of(columns[1], a, part), own_of(columns[2], a, part)};
}
static inline lane3 other3(float *const *columns, int b, int part) {
    return (lane3){other_of(columns[0], b, part), other_of(columns[1], b, part),
                   other_of(columns[2], b, part)};
}

static inline own_edges own_edges_of(float *const *columns, int a, int part) {
    own_edges own = {.e = {.radius = own_of(columns[RLTI_EDGE_RADIUS], a, part),
                           .strand = own_of(columns[RLTI_EDGE_STRAND], a, part)}};
    for (int k = 0; k < 2; k++) {
        own.e.x[k] = own3(columns + RLTI_EDGE_END, a + k, part);
        own.e.v[k] = own3(columns + RLTI_EDGE_MOTION, a + k, part);
    }
    lane3 u = sub3(own.e.x[1], own.e.x[0]);
    own.length = root_above(dot3(u, u));
    own.sizes = size(own.e.x[0]) + size(own.e.v[0]);
    return own;
}

static inline edges other_edges(float *const *columns, int b, int part) {
    edges e = {.radius = other_of(columns[RLTI_EDGE_RADIUS], b, part),
               .strand = other_of(columns[RLTI_EDGE_STRAND], b, part)};
    for (int k = 0; k < 2; k++) {
        e.x[k] = other3(columns + RLTI_EDGE_END, b + k, part);
        e.v[k] = other3(columns + RLTI_EDGE_MOTION, b + k, part);
    }
    return e;
}

/* ---- boxes ---- */

/* Parts of eight values. */
enum { BOX_PARTS = LANES < 8 ? 8 / LANES : 1 };

static inline void put_row(float *row, int part, lane value) {
#if defined(RLTI_LANES_AVX512)
    (void)part;
    _mm256_storeu_ps(row, _mm512_castps512_ps256(value));
#else
    memcpy(row + part * LANES, &value, sizeof value);
#endif
}

/* One axis at one end of the step: larger than both points by `far`, and by what is rounded. Lanes that are
 * not used have an empty box. */
static inline void box_axis(const float *column, int a, int part, lane far, lane_mask used, float *low,
                            float *high) {
    const lane little = lane_set(rounding);
    lane x = other_of(column, a, part), y = other_of(column, a + 1, part), least = lane_minimum(x, y),
         most = lane_maximum(x, y);
    lane more = far + little * (far + lane_maximum(lane_maximum(most, -most), lane_maximum(least, -least)));
    put_row(low, part, lane_select(used, least - more, lane_set(HUGE_VALF)));
    put_row(high, part, lane_select(used, most + more, lane_set(-HUGE_VALF)));
}

static unsigned box_lanes(float *const *columns, int a, int count, double far, rlti_sweep_node *node) {
    static const float place[8] = {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f};
    const lane none = lane_set(0.0f), below = lane_set(-1.0f);
    unsigned alive = 0;
    for (int part = 0; part < BOX_PARTS; part++) {
        lane sum = none;
        for (int c = 0; c < 9; c++)
            for (int i = 0; i < 2; i++) { /* 0 x is not a number where x is not finite */
                lane x = other_of(columns[c], a + i, part);
                sum = sum + none * x;
            }
        sum = lane_select(lane_less(other_of(place, 0, part), lane_set((float)count)), sum, below + below);
        lane_mask used = lane_less(below, sum);
        lane reach = other_of(columns[RLTI_EDGE_RADIUS], a, part) + lane_set((float)far * 1.000001f);
        for (int k = 0; k < 3; k++) {
            box_axis(columns[RLTI_EDGE_START + k], a, part, none, used, node->low[0][k], node->high[0][k]);
            box_axis(columns[RLTI_EDGE_END + k], a, part, reach, used, node->low[1][k], node->high[1][k]);
        }
        alive |= (lane_bits(used) & 0xffu) << (part * LANES);
    }
    return alive & 0xffu;
}

/* The pairs of one part of a group and a run: bits of those whose boxes are apart, on one axis and to the
 * same side at both ends of the step. */
static inline unsigned apart_bits(const lane own[2][2][3], const rlti_sweep_node *node, int part) {
    unsigned apart = 0;
    for (int k = 0; k < 3; k++) {
        lane low[2] = {other_of(node->low[0][k], 0, part), other_of(node->low[1][k], 0, part)},
             high[2] = {other_of(node->high[0][k], 0, part), other_of(node->high[1][k], 0, part)};
        apart |= (lane_bits(lane_less(own[1][0][k], low[0])) & lane_bits(lane_less(own[1][1][k], low[1]))) |
                 (lane_bits(lane_less(high[0], own[0][0][k])) & lane_bits(lane_less(high[1], own[0][1][k])));
    }
    return apart;
}

static int meet_lanes(const rlti_sweep_node *own, int item, const rlti_sweep_node *nodes, const int *place,
                      rlti_edge_near *others, int count) {
    enum { PARTS = 16 / LANES };
    const unsigned all = (unsigned)((1ull << LANES) - 1u);
    lane box[PARTS][2][2][3]; /* low and high, start and end */
    int left = 0;
    for (int part = 0; part < PARTS; part++)
        for (int e = 0; e < 2; e++)
            for (int k = 0; k < 3; k++) {
                box[part][0][e][k] = own_of(own->low[e][k], item, part);
                box[part][1][e][k] = own_of(own->high[e][k], item, part);
            }
    for (int i = 0; i < count; i++) {
        unsigned mask = 0;
        for (int part = 0; part < PARTS; part++)
            mask |= (~apart_bits((const lane(*)[2][3])box[part], nodes + place[others[i].run], part) & all)
                    << (part * LANES);
        others[left] = others[i];
        others[left].mask = (uint16_t)(others[i].mask & mask);
        left += others[left].mask != 0;
    }
    return left;
}

/* ---- pairs ---- */

/* The pairs of one part, and what bounds them. */
typedef struct bounds {
    lane square;    /* of the distance at the end of the step: no more than that */
    lane reach;     /* no point of one edge gets nearer to one of the other in the step than by this */
    lane places;    /* rounding of coordinates */
    lane more;      /* rounding of squares */
    lane after[2];  /* both ends of the other edge lie beyond the end of this one where this is negative */
    lane length[2]; /* of the edges */
    lane whole;     /* no two of the four points are further apart */
} bounds;

/* No point of a gets nearer to one of b in the step than by this. */
static inline lane reach_of(const edges *a, const edges *b) {
    lane most = lane_set(0.0f);
    for (int k = 0; k < 4; k++) {
        lane3 d = sub3(a->v[k & 1], b->v[k >> 1]);
        most = lane_maximum(most, dot3(d, d));
    }
    return root_above(most);
}

/* A point b0 lies beyond the end a1 = a0 + u along u where u (a1 - b0) = u u + u w is negative, w = a0 - b0;
 * b1 where that less u v is. Sizes, sums of coordinates, are at most sqrt(3) lengths. */
static inline bounds bound(const own_edges *own, const edges *b) {
    const lane tiny = lane_set(1e-30f), one = lane_set(1.0f), none = lane_set(0.0f),
               little = lane_set(rounding), double_little = lane_set(2.0f * rounding);
    const edges *a = &own->e;
    lane3 u = sub3(a->x[1], a->x[0]), v = sub3(b->x[1], b->x[0]), w = sub3(a->x[0], b->x[0]);
    lane uu = lane_maximum(dot3(u, u), tiny), vv = lane_maximum(dot3(v, v), tiny), uv = dot3(u, v),
         uw = dot3(u, w), vw = dot3(v, w);
    lane s = within((uv * vw - uw * vv) * about_inverse(lane_maximum(uu * vv - uv * uv, tiny)));
    lane t = within((vw + s * uv) * about_inverse(vv));
    s = within((t * uv - uw) * about_inverse(uu));
    lane3 d = fused3(s, u, fused3(-t, v, w));
    lane gs = dot3(u, d), gt = -dot3(v, d);
    lane gain = lane_maximum(gs * s, gs * (s - one)) + lane_maximum(gt * t, gt * (t - one));
    lane other = root_above(vv), whole = own->length + other + root_above(dot3(w, w)), reach = reach_of(a, b),
         places = fused(double_little, whole, little * own->sizes), less = lane_maximum(none, -uv);
    return (bounds){.square = dot3(d, d) - (gain + gain),
                    .reach = fused(lane_set(8.0f * rounding), reach, reach) + places,
                    .places = places,
                    .more = lane_set(3.1f * rounding) * whole * whole,
                    .after = {uu + uw + less, vv - vw + less},
                    .length = {own->length, other},
                    .whole = whole};
}

/* With a margin, the distance may become smaller, and the motion larger. */
static inline unsigned may_touch(const edges *a, const edges *b, const bounds *of, float reach) {
    lane far = a->radius + b->radius + lane_set(reach) + of->places;
    return ~lane_bits(lane_less(far * far + of->more, of->square));
}
static inline unsigned may_pass(const bounds *of, float margin) {
    lane may = of->reach + lane_set(2.0f * margin);
    return ~lane_bits(lane_less(may * may + of->more, of->square));
}

/* Which pairs are surely counted with the edge that follows one of them, whatever the four points do against
 * each other within the margin. */
static inline unsigned counted_next(const edges *a, const edges *b, const bounds *of, float margin) {
    const lane none = lane_set(0.0f);
    lane by = lane_set(margin) + of->places, rest = lane_set(1e-6f) * of->whole * of->whole,
         after_a = of->after[0] + by * (of->length[0] + of->whole + by) + rest,
         after_b = of->after[1] + by * (of->length[1] + of->whole + by) + rest;
    unsigned next = (lane_bits(lane_less(after_a, none)) & lane_bits(lane_less(none, a->strand))) |
                    (lane_bits(lane_less(after_b, none)) & lane_bits(lane_less(none, b->strand)));
    lane one = lane_maximum(a->strand, -a->strand), other = lane_maximum(b->strand, -b->strand);
    return next & (lane_bits(lane_less(one, other)) | lane_bits(lane_less(other, one)));
}

/* One part of a group and a run: what is near now, may pass now, and stays listed. */
static inline void sift_part(const own_edges *own, const edges *b, int part, float offset, float margin,
                             unsigned found[3]) {
    const unsigned all = (unsigned)((1ull << LANES) - 1u);
    const edges *a = &own->e;
    bounds of = bound(own, b);
    float most = margin > 0.0f ? margin : 0.0f;
    unsigned touch = may_touch(a, b, &of, offset + most), pass = may_pass(&of, most);
    if (((touch | pass) & all) == 0)
        return;
    unsigned pass_now = margin > 0.0f ? may_pass(&of, 0.0f) : pass,
             touch_now = margin > 0.0f ? may_touch(a, b, &of, offset) : touch;
    found[0] |= (((touch_now & ~counted_next(a, b, &of, 0.0f)) | pass_now) & all) << (part * LANES);
    found[1] |= (pass_now & all) << (part * LANES);
    if (margin >= 0.0f)
        found[2] |= (((touch & ~counted_next(a, b, &of, margin)) | pass) & all) << (part * LANES);
}

static void sift_lanes(float *const *columns, int a, const int *first, double offset, double margin,
                       rlti_edge_near *others, int count) {
    enum { PARTS = 16 / LANES };
    float far = (float)offset * 1.000001f, more = (float)margin * 1.000001f;
    own_edges own[PARTS];
    for (int part = 0; part < PARTS; part++)
        own[part] = own_edges_of(columns, a, part);
    for (int k = 0; k < count; k++) {
        unsigned found[3] = {0, 0, 0}, mask = others[k].mask;
        for (int part = 0; part < PARTS; part++) {
            edges b = other_edges(columns, first[others[k].run], part);
            sift_part(&own[part], &b, part, far, more, found);
        }
        others[k].near = (uint16_t)(found[0] & mask);
        others[k].pass = (uint16_t)(found[1] & mask);
        others[k].mask = (uint16_t)(margin >= 0.0 ? found[2] & mask : mask);
    }
}

const rlti_edge_sieve RLTI_EDGE_SIEVE_NAME = {box_lanes, meet_lanes, sift_lanes};
