/* The body of all builds of the proximities of edges, in lanes of double precision. Define
 * RLTI_EDGE_KERNEL_NAME and one of the RLTI_LANES_ builds before. Every number is that of pairs.c and
 * nearest.c, in the same order of operations, and nothing is fused. */
#define RLTI_LANES_DOUBLE
#include <math.h>

#include "base/lanes.h"
#include "contact/edge/kernel_pairs.h"
#include "contact/edge/nearest.h"

enum { PACK = RLTI_EDGE_PACK, PARTS = PACK / LANES };

/* Two edges: a0, a1, b0, b1. */
typedef struct edges {
    lane3 x[4];
    lane radius[4];
} edges;

static inline lane dot(lane3 a, lane3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline lane3 place(lane3 a, lane3 b, lane s) {
    return (lane3){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.z + s * (b.z - a.z)};
}

/* One edge of each pair: eight numbers, in columns. */
#if defined(RLTI_LANES_AVX512)
static inline void load_columns(const rlti_edge_row *points, const int *first, lane column[8]) {
    lane low[4], high[4];
    for (int k = 0; k < 4; k++) {
        lane even = _mm512_loadu_pd(points + first[2 * k]), odd = _mm512_loadu_pd(points + first[2 * k + 1]);
        low[k] = _mm512_unpacklo_pd(even, odd);
        high[k] = _mm512_unpackhi_pd(even, odd);
    }
    for (int k = 0; k < 2; k++) {
        const lane *r = k == 0 ? low : high;
        lane a = _mm512_shuffle_f64x2(r[0], r[1], 0x88), b = _mm512_shuffle_f64x2(r[2], r[3], 0x88),
             c = _mm512_shuffle_f64x2(r[0], r[1], 0xdd), d = _mm512_shuffle_f64x2(r[2], r[3], 0xdd);
        column[k] = _mm512_shuffle_f64x2(a, b, 0x88);
        column[2 + k] = _mm512_shuffle_f64x2(c, d, 0x88);
        column[4 + k] = _mm512_shuffle_f64x2(a, b, 0xdd);
        column[6 + k] = _mm512_shuffle_f64x2(c, d, 0xdd);
    }
}
#else
static inline void load_columns(const rlti_edge_row *points, const int *first, lane column[8]) {
    double rows[8][LANES];
    for (int k = 0; k < LANES; k++)
        for (int i = 0; i < 2; i++) {
            const rlti_edge_row *row = &points[first[k] + i];
            rows[4 * i][k] = row->at.x;
            rows[4 * i + 1][k] = row->at.y;
            rows[4 * i + 2][k] = row->at.z;
            rows[4 * i + 3][k] = row->radius;
        }
    for (int c = 0; c < 8; c++)
        column[c] = lane_load(rows[c]);
}
#endif

static inline edges load_edges(const rlti_edge_row *points, const rlti_edge_pack *pack, int part) {
    edges e;
    for (int side = 0; side < 2; side++) {
        lane c[8];
        load_columns(points, pack->point[side] + (ptrdiff_t)part * LANES, c);
        for (int i = 0; i < 2; i++) {
            e.x[2 * side + i] = (lane3){c[4 * i], c[4 * i + 1], c[4 * i + 2]};
            e.radius[2 * side + i] = c[4 * i + 3];
        }
    }
    return e;
}

/* rlti_nearest_share */
static inline lane share_of(lane3 point, lane3 a, lane3 b) {
    const lane none = lane_set(0.0), one = lane_set(1.0);
    lane3 edge = sub3(b, a);
    lane along = dot(sub3(point, a), edge), square = dot(edge, edge);
    lane inner = lane_select(lane_less(along, square), along / square, one);
    return lane_select(lane_less(none, along), inner, none);
}

static inline lane square_at(const edges *e, lane s, lane t) {
    lane3 d = sub3(place(e->x[0], e->x[1], s), place(e->x[2], e->x[3], t));
    return dot(d, d);
}

/* rlti_nearest_edges; returns the square of the distance. */
static inline lane nearest(const edges *e, lane share[2]) {
    const lane none = lane_set(0.0), one = lane_set(1.0);
    lane3 u = sub3(e->x[1], e->x[0]), v = sub3(e->x[3], e->x[2]), w = sub3(e->x[0], e->x[2]);
    lane uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), uw = dot(u, w), vw = dot(v, w);
    lane denominator = uu * vv - uv * uv;
    lane s = (uv * vw - uw * vv) / denominator, t = (uu * vw - uv * uw) / denominator;
    lane inner = lane_select(lane_less(lane_set(RLTI_EDGE_SINGULAR) * uu * vv, denominator), one, none);
    inner = lane_select(lane_less(none, s), lane_select(lane_less(s, one), inner, none), none);
    inner = lane_select(lane_less(none, t), lane_select(lane_less(t, one), inner, none), none);
    lane_mask within = lane_less(none, inner);
    lane best = lane_set(HUGE_VAL);
    share[0] = share[1] = none;
    for (int k = 0; k < 4; k++) {
        int end = k & 1;
        lane fixed = end ? one : none;
        lane a = k < 2 ? fixed : share_of(e->x[2 + end], e->x[0], e->x[1]);
        lane b = k < 2 ? share_of(e->x[end], e->x[2], e->x[3]) : fixed;
        lane square = square_at(e, a, b);
        lane_mask better = lane_less(square, best);
        best = lane_select(better, square, best);
        share[0] = lane_select(better, a, share[0]);
        share[1] = lane_select(better, b, share[1]);
    }
    share[0] = lane_select(within, s, share[0]);
    share[1] = lane_select(within, t, share[1]);
    return lane_select(within, square_at(e, share[0], share[1]), best);
}

static inline lane radius_at(const edges *e, int side, lane share) {
    return (lane_set(1.0) - share) * e->radius[2 * side] + share * e->radius[2 * side + 1];
}

/* Bits: the place is the end of an edge that another one follows, and counted with that. */
static inline unsigned counted_next(const rlti_edge_pack *pack, int part, const lane share[2]) {
    unsigned inner = lane_bits(lane_less(share[0], lane_set(1.0))),
             other = lane_bits(lane_less(share[1], lane_set(1.0)));
    return (~inner & pack->follows[0] >> (part * LANES)) | (~other & pack->follows[1] >> (part * LANES));
}

/* One part of the lanes' pairs that are in `bits`. */
static inline void meet_part(const rlti_edge_pack *pack, const edges *e, int part, int which,
                             const lane share[2], unsigned bits, lane *rest, int *known,
                             rlti_edge_proximities *found) {
    lane3 between = sub3(place(e->x[0], e->x[1], share[0]), place(e->x[2], e->x[3], share[1]));
    lane offset = lane_set(pack->offset), square = dot(between, between);
    lane radius = radius_at(e, 0, share[0]) + radius_at(e, 1, share[1]), far = radius + offset;
    unsigned all = (1u << LANES) - 1u;
    bits &= all & ~counted_next(pack, part, share) &
            lane_bits(lane_less(square, far * far * lane_set(1.0 + 1e-9)));
    if (bits == 0)
        return;
    if (pack->rest != NULL && !*known) {
        lane unused[2];
        edges groom = load_edges(pack->rest, pack, part);
        *rest = lane_sqrt(nearest(&groom, unused));
        *known = 1;
    }
    radius = pack->rest != NULL ? lane_minimum(radius, *rest) : radius;
    lane distance = lane_sqrt(square), inverse = lane_set(1.0) / distance;
    lane3 u = sub3(e->x[1], e->x[0]),
          normal = {inverse * between.x, inverse * between.y, inverse * between.z};
    bits &= lane_bits(lane_less(distance, radius + offset));
    found->odd |= (bits & ~lane_bits(lane_less(lane_set(1e-12) * lane_sqrt(dot(u, u)), distance)))
                  << (part * LANES);
    found->near[which] |= bits << (part * LANES);
    ptrdiff_t at = (ptrdiff_t)part * LANES;
    lane_store(found->share[which][0] + at, share[0]);
    lane_store(found->share[which][1] + at, share[1]);
    lane_store(found->normal[which][0] + at, normal.x);
    lane_store(found->normal[which][1] + at, normal.y);
    lane_store(found->normal[which][2] + at, normal.z);
    lane_store(found->along[which] + at, dot(normal, between));
    lane_store(found->radius[which] + at, radius);
}

/* Both ends of the part in which parallel edges lie side by side; returns the bits of those. */
static inline unsigned ends_of_overlap(const edges *e, lane ends[2][2]) {
    lane3 u = sub3(e->x[1], e->x[0]), v = sub3(e->x[3], e->x[2]);
    lane3 n = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
    unsigned parallel = lane_bits(lane_less(dot(n, n), lane_set(RLTI_EDGE_PARALLEL) * dot(u, u) * dot(v, v)));
    if (parallel == 0)
        return 0;
    lane s = share_of(e->x[2], e->x[0], e->x[1]), t = share_of(e->x[3], e->x[0], e->x[1]);
    ends[0][0] = lane_minimum(s, t);
    ends[1][0] = lane_maximum(s, t);
    for (int k = 0; k < 2; k++)
        ends[k][1] = share_of(place(e->x[0], e->x[1], ends[k][0]), e->x[2], e->x[3]);
    return parallel & (lane_bits(lane_less(s, t)) | lane_bits(lane_less(t, s)));
}

/* Lanes whose bits are set take the first, the others the second. */
static inline lane choose(unsigned bits, lane yes, lane no) {
    double which[LANES];
    for (int k = 0; k < LANES; k++)
        which[k] = (double)(bits >> k & 1u);
    return lane_select(lane_less(lane_set(0.5), lane_load(which)), yes, no);
}

static void meet_lanes(const rlti_edge_pack *pack, rlti_edge_proximities *found) {
    const unsigned all = (1u << LANES) - 1u;
    found->near[0] = found->near[1] = found->odd = 0;
    for (int part = 0; part < PARTS; part++) {
        edges e = load_edges(pack->end, pack, part);
        lane ends[2][2], share[2], rest = lane_set(0.0);
        int known = 0;
        unsigned parallel = ends_of_overlap(&e, ends);
        if (parallel != all)
            nearest(&e, share);
        for (int side = 0; side < 2 && parallel != 0; side++)
            share[side] = parallel == all ? ends[0][side] : choose(parallel, ends[0][side], share[side]);
        meet_part(pack, &e, part, 0, share, all, &rest, &known, found);
        if (parallel != 0)
            meet_part(pack, &e, part, 1, ends[1], parallel, &rest, &known, found);
    }
}

const rlti_edge_kernel RLTI_EDGE_KERNEL_NAME = {meet_lanes};
