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

/* Pairs LANES part to LANES (part + 1) - 1 of two half runs: the value of this one's edge, and of the
 * other's. And eight values in a row, of which more lanes have the first again. */
#if defined(RLTI_LANES_AVX512)
static inline lane own_of(const float *column, int a, int part) {
    (void)part;
    return _mm512_permutexvar_ps(_mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0),
                                 _mm512_castps128_ps512(_mm_loadu_ps(column + a)));
}
static inline lane other_of(const float *column, int b, int part) {
    (void)part;
    return _mm512_broadcast_f32x4(_mm_loadu_ps(column + b));
}
static inline lane eight_of(const float *column, int b, int part) {
    (void)part;
    return _mm512_broadcast_f32x8(_mm256_loadu_ps(column + b));
}
#else
#if defined(RLTI_LANES_AVX2)
static inline lane own_of(const float *column, int a, int part) {
    return _mm256_insertf128_ps(_mm256_set1_ps(column[a + 2 * part]), _mm_set1_ps(column[a + 2 * part + 1]),
                                1);
}
static inline lane other_of(const float *column, int b, int part) {
    __m128 value = _mm_loadu_ps(column + b);
    (void)part;
    return _mm256_insertf128_ps(_mm256_castps128_ps256(value), value, 1);
}
#else
static inline lane own_of(const float *column, int a, int part) {
    return lane_set(column[a + part]);
}
static inline lane other_of(const float *column, int b, int part) {
    lane value;
    (void)part;
    memcpy(&value, column + b, sizeof value);
    return value;
}
#endif
static inline lane eight_of(const float *column, int b, int part) {
    lane value;
    memcpy(&value, column + b + (ptrdiff_t)part * LANES, sizeof value);
    return value;
}
#endif

/* Edges: ends and motions of both points. */
typedef struct edges {
    lane3 x[2], v[2];
    lane radius, strand; /* as the columns have them */
} edges;

/* The half run's, and what is measured of them once. */
typedef struct own_edges {
    edges e;
    lane length, sizes; /* sizes of place and motion of the first point, which rounding is measured by */
    lane moved;         /* sizes of both motions */
} own_edges;

static inline lane3 own3(float *const *columns, int a, int part) {
    return (lane3){own_of(columns[0], a, part), own_of(columns[1], a, part), own_of(columns[2], a, part)};
}
static inline lane3 other3(float *const *columns, int b, int part) {
    return (lane3){other_of(columns[0], b, part), other_of(columns[1], b, part),
                   other_of(columns[2], b, part)};
}

static inline void measure_own(own_edges *own) {
    lane3 u = sub3(own->e.x[1], own->e.x[0]);
    own->length = root_above(dot3(u, u));
    own->sizes = size(own->e.x[0]) + size(own->e.v[0]);
    own->moved = size(own->e.v[0]) + size(own->e.v[1]);
}

static inline own_edges own_edges_of(float *const *columns, int a, int part) {
    own_edges own = {.e = {.radius = own_of(columns[RLTI_EDGE_RADIUS], a, part),
                           .strand = own_of(columns[RLTI_EDGE_STRAND], a, part)}};
    for (int k = 0; k < 2; k++) {
        own.e.x[k] = own3(columns + RLTI_EDGE_END, a + k, part);
        own.e.v[k] = own3(columns + RLTI_EDGE_MOTION, a + k, part);
    }
    measure_own(&own);
    return own;
}

static inline edges other_edges(float *const *columns, int b, int part) {
    edges e = {.radius = other_of(columns[RLTI_EDGE_RADIUS], b, part),
               .strand = other_of(columns[RLTI_EDGE_STRAND], b, part)};
    for (int k = 0; k < 2; k++)
        e.x[k] = other3(columns + RLTI_EDGE_END, b + k, part);
    return e;
}
static inline void add_motion(float *const *columns, int b, int part, edges *e) {
    for (int k = 0; k < 2; k++)
        e->v[k] = other3(columns + RLTI_EDGE_MOTION, b + k, part);
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
    lane x = eight_of(column, a, part), y = eight_of(column, a + 1, part), least = lane_minimum(x, y),
         most = lane_maximum(x, y);
    lane more = far + little * (far + lane_maximum(lane_maximum(most, -most), lane_maximum(least, -least)));
    put_row(low, part, lane_select(used, least - more, lane_set(HUGE_VALF)));
    put_row(high, part, lane_select(used, most + more, lane_set(-HUGE_VALF)));
}

static unsigned box_lanes(float *const *columns, int column, int a, int count, double far,
                          rlti_sweep_node *node) {
    static const float place[8] = {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f};
    const lane none = lane_set(0.0f), below = lane_set(-1.0f);
    unsigned alive = 0;
    for (int part = 0; part < BOX_PARTS; part++) {
        lane sum = none;
        for (int c = 0; c < 9; c++)
            for (int i = 0; i < 2; i++) { /* 0 x is not a number where x is not finite */
                lane x = eight_of(columns[c], a + i, part);
                sum = sum + none * x;
            }
        sum = lane_select(lane_less(eight_of(place, 0, part), lane_set((float)count)), sum, below + below);
        lane_mask used = lane_less(below, sum);
        lane reach = eight_of(columns[column], a, part) + lane_set((float)far * 1.000001f);
        for (int k = 0; k < 3; k++) {
            box_axis(columns[RLTI_EDGE_START + k], a, part, none, used, node->low[k][0], node->high[k][0]);
            box_axis(columns[RLTI_EDGE_END + k], a, part, reach, used, node->low[k][1], node->high[k][1]);
        }
        alive |= (lane_bits(used) & 0xffu) << (part * LANES);
    }
    return alive & 0xffu;
}

/* The pairs of one part of two half runs: bits of those whose boxes are apart, on one axis and to the
 * same side at both ends of the step. */
static inline unsigned apart_bits(const lane own[2][2][3], const rlti_sweep_node *node, int first, int part) {
    unsigned apart = 0;
    for (int k = 0; k < 3; k++) {
        lane low[2] = {other_of(node->low[k][0], first, part), other_of(node->low[k][1], first, part)},
             high[2] = {other_of(node->high[k][0], first, part), other_of(node->high[k][1], first, part)};
        apart |= (lane_bits(lane_less(own[1][0][k], low[0])) & lane_bits(lane_less(own[1][1][k], low[1]))) |
                 (lane_bits(lane_less(high[0], own[0][0][k])) & lane_bits(lane_less(high[1], own[0][1][k])));
    }
    return apart;
}

static int meet_lanes(const rlti_sweep_node *own, int half, const rlti_sweep_node *nodes,
                      rlti_edge_near *others, int count) {
    enum { PARTS = 16 / LANES };
    const unsigned all = (unsigned)((1ull << LANES) - 1u);
    lane box[PARTS][2][2][3]; /* low and high, start and end */
    int left = 0;
    for (int part = 0; part < PARTS; part++)
        for (int e = 0; e < 2; e++)
            for (int k = 0; k < 3; k++) {
                box[part][0][e][k] = own_of(own->low[k][e], RLTI_EDGE_HALF * half, part);
                box[part][1][e][k] = own_of(own->high[k][e], RLTI_EDGE_HALF * half, part);
            }
    for (int i = 0; i < count; i++) {
        const rlti_sweep_node *other = nodes + others[i].half / RLTI_EDGE_HALVES;
        int first = others[i].half % RLTI_EDGE_HALVES * RLTI_EDGE_HALF;
        unsigned mask = 0;
        for (int part = 0; part < PARTS; part++)
            mask |= (~apart_bits((const lane(*)[2][3])box[part], other, first, part) & all) << (part * LANES);
        others[left] = others[i];
        others[left].mask = (uint16_t)(others[i].mask & mask);
        left += others[left].mask != 0;
    }
    return left;
}

/* ---- pairs ---- */

/* Two edges of a pair: what does not depend on where they are nearest. */
typedef struct between {
    lane3 u, v, w; /* from first to second points, and from the other's first point to this one's */
    lane uu, vv, uv, uw, vw;
    lane length;   /* of the other edge */
    lane whole;    /* no two of the four points are further apart */
    lane places;   /* rounding of coordinates */
    lane after[2]; /* both ends of the other edge lie beyond the end of this one where this is negative */
} between;

/* A point b0 lies beyond the end a1 = a0 + u along u where u (a1 - b0) = u u + u w is negative, w = a0 - b0;
 * b1 where that less u v is. Sizes, sums of coordinates, are at most sqrt(3) lengths. */
static inline between between_of(const own_edges *own, const edges *b) {
    const lane tiny = lane_set(1e-30f), none = lane_set(0.0f);
    const edges *a = &own->e;
    between p = {.u = sub3(a->x[1], a->x[0]), .v = sub3(b->x[1], b->x[0]), .w = sub3(a->x[0], b->x[0])};
    p.uu = lane_maximum(dot3(p.u, p.u), tiny);
    p.vv = lane_maximum(dot3(p.v, p.v), tiny);
    p.uv = dot3(p.u, p.v);
    p.uw = dot3(p.u, p.w);
    p.vw = dot3(p.v, p.w);
    p.length = root_above(p.vv);
    p.whole = own->length + p.length + root_above(dot3(p.w, p.w));
    p.places = fused(lane_set(2.0f * rounding), p.whole, lane_set(rounding) * own->sizes);
    lane less = lane_maximum(none, -p.uv);
    p.after[0] = p.uu + p.uw + less;
    p.after[1] = p.vv - p.vw + less;
    return p;
}

/* Where they are nearest, and what bounds their distance. */
typedef struct bounds {
    lane square; /* of the distance at the end of the step: no more than that */
    lane3 apart; /* from a place on the other edge to one on this, about where they are nearest */
    lane level;  /* along that, times its length: no two places of the edges are nearer */
    lane places; /* rounding of coordinates */
    lane more;   /* rounding of squares */
    lane whole;
} bounds;

static inline bounds bound(const between *p) {
    const lane tiny = lane_set(1e-30f), one = lane_set(1.0f);
    lane s = within((p->uv * p->vw - p->uw * p->vv) *
                    about_inverse(lane_maximum(p->uu * p->vv - p->uv * p->uv, tiny)));
    lane t = within((p->vw + s * p->uv) * about_inverse(p->vv));
    s = within((t * p->uv - p->uw) * about_inverse(p->uu));
    lane3 d = fused3(s, p->u, fused3(-t, p->v, p->w));
    lane gs = dot3(p->u, d), gt = -dot3(p->v, d), dd = dot3(d, d);
    lane gain = lane_maximum(gs * s, gs * (s - one)) + lane_maximum(gt * t, gt * (t - one));
    return (bounds){.square = dd - (gain + gain),
                    .apart = d,
                    .level = dd - gain,
                    .places = p->places,
                    .more = lane_set(3.1f * rounding) * p->whole * p->whole,
                    .whole = p->whole};
}

/* With a margin, the distance may become smaller, and the motion larger. */
static inline unsigned may_touch(lane radii, const bounds *of, float reach) {
    lane far = radii + lane_set(reach) + of->places;
    return ~lane_bits(lane_less(far * far + of->more, of->square));
}

/* Whether a plane across `apart` keeps both sides apart all through the step, by `far` and more: along it
 * they are apart by the level at the end, and were by as much less as they have come apart since, `parting`
 * at most, times its length. Near misses by a millionth of an edge count as met (passing.c); `moved` is the
 * size of motions, for rounding. */
static inline unsigned may_come_within(const bounds *of, lane far, lane parting, lane moved) {
    const lane little = lane_set(4.0f * rounding), none = lane_set(0.0f);
    lane length = root_above(dot3(of->apart, of->apart));
    far = far + of->places + of->places + little * (of->whole + of->whole + moved);
    return ~lane_bits(lane_less(length * far + lane_maximum(parting, none), of->level));
}

/* Whether edges may pass each other: the most that a point of a has parted from one of b along `apart`. */
static inline unsigned may_pass(const own_edges *own, const edges *b, const bounds *of, float margin) {
    lane of_a = lane_maximum(dot3(own->e.v[0], of->apart), dot3(own->e.v[1], of->apart)),
         of_b = lane_minimum(dot3(b->v[0], of->apart), dot3(b->v[1], of->apart));
    return may_come_within(of, lane_set(2.0f * margin), of_a - of_b,
                           own->moved + size(b->v[0]) + size(b->v[1]));
}

/* Which pairs are surely counted with the edge that follows one of them, whatever the four points do against
 * each other within the margin. */
static inline unsigned counted_next(const own_edges *own, const edges *b, const between *p, float margin) {
    const lane none = lane_set(0.0f);
    const edges *a = &own->e;
    lane by = lane_set(margin) + p->places, rest = lane_set(1e-6f) * p->whole * p->whole,
         after_a = p->after[0] + by * (own->length + p->whole + by) + rest,
         after_b = p->after[1] + by * (p->length + p->whole + by) + rest;
    unsigned next = (lane_bits(lane_less(after_a, none)) & lane_bits(lane_less(none, a->strand))) |
                    (lane_bits(lane_less(after_b, none)) & lane_bits(lane_less(none, b->strand)));
    lane one = lane_maximum(a->strand, -a->strand), other = lane_maximum(b->strand, -b->strand);
    return next & (lane_bits(lane_less(one, other)) | lane_bits(lane_less(other, one)));
}

/* Edges in the groom. */
typedef struct grooms {
    lane3 x, u;  /* the first point, and from that to the second */
    lane square; /* of its length, at least a little */
} grooms;

static inline grooms groom_of(lane3 first, lane3 second) {
    lane3 u = sub3(second, first);
    return (grooms){first, u, lane_maximum(dot3(u, u), lane_set(1e-30f))};
}

/* The distance of two edges in the groom, or more: that of any two places on them is. */
static inline lane groomed_above(const grooms *a, const grooms *b) {
    const lane tiny = lane_set(1e-30f);
    lane3 w = sub3(a->x, b->x);
    lane uv = dot3(a->u, b->u), uw = dot3(a->u, w), vw = dot3(b->u, w);
    lane s = within((uv * vw - uw * b->square) *
                    about_inverse(lane_maximum(a->square * b->square - uv * uv, tiny)));
    lane t = within((vw + s * uv) * about_inverse(b->square));
    s = within((t * uv - uw) * about_inverse(a->square));
    lane3 d = fused3(s, a->u, fused3(-t, b->u, w));
    lane rounded = size(a->x) + size(b->x) + size(a->u) + size(b->u);
    return fused(lane_set(4.0f * rounding), rounded, root_above(dot3(d, d)));
}

/* A half run in lanes. */
typedef struct own_half {
    own_edges now;
    grooms groom;
} own_half;

/* One part of two half runs: what is near now, may pass now, and both with the margin. Only those in `may`
 * can pass. */
static inline void sift_part(const own_half *own, float *const *columns, int b, int part, float offset,
                             float margin, int keep, unsigned may, unsigned found[4]) {
    const unsigned all = (unsigned)((1ull << LANES) - 1u);
    edges other = other_edges(columns, b, part);
    between pairs = between_of(&own->now, &other);
    float most = margin > 0.0f ? margin : 0.0f;
    unsigned next = counted_next(&own->now, &other, &pairs, most);
    if (may == 0 && (~next & all) == 0)
        return;
    bounds of = bound(&pairs);
    lane radii = own->now.e.radius + other.radius;
    unsigned touch = may_touch(radii, &of, offset + most), pass = 0;
    if (may != 0) {
        add_motion(columns, b, part, &other);
        pass = may_pass(&own->now, &other, &of, most) & may >> (part * LANES);
    }
    if (((touch | pass) & all) == 0)
        return;
    if (keep && (touch & all) != 0) {
        grooms groom = groom_of(other3(columns + RLTI_EDGE_REST, b, part),
                                other3(columns + RLTI_EDGE_REST, b + 1, part));
        radii = lane_minimum(groomed_above(&own->groom, &groom), radii);
        touch = may_touch(radii, &of, offset + most);
    }
    unsigned pass_now =
                 margin > 0.0f && (pass & all) != 0 ? pass & may_pass(&own->now, &other, &of, 0.0f) : pass,
             touch_now = margin > 0.0f ? may_touch(radii, &of, offset) : touch;
    unsigned next_now = margin > 0.0f ? counted_next(&own->now, &other, &pairs, 0.0f) : next;
    found[0] |= (((touch_now & ~next_now) | pass_now) & all) << (part * LANES);
    found[1] |= (pass_now & all) << (part * LANES);
    if (margin >= 0.0f) {
        found[2] |= (((touch & ~next) | pass) & all) << (part * LANES);
        found[3] |= (pass & all) << (part * LANES);
    }
}

static void sift_lanes(float *const *columns, int a, const int *first, const rlti_edge_limits *limits,
                       rlti_edge_near *others, int count) {
    enum { PARTS = 16 / LANES };
    float far = (float)limits->offset * 1.000001f;
    own_half own[PARTS];
    for (int part = 0; part < PARTS; part++) {
        own[part].now = own_edges_of(columns, a, part);
        own[part].groom =
            groom_of(own3(columns + RLTI_EDGE_REST, a, part), own3(columns + RLTI_EDGE_REST, a + 1, part));
    }
    for (int k = 0; k < count; k++) {
        unsigned found[4] = {0, 0, 0, 0}, mask = others[k].mask, may = others[k].may;
        int run = others[k].half / RLTI_EDGE_HALVES,
            b = first[run] + others[k].half % RLTI_EDGE_HALVES * RLTI_EDGE_HALF;
        float more = limits->margin != NULL ? (limits->own + limits->margin[run]) * 1.000001f : -1.0f;
        for (int part = 0; part < PARTS; part++)
            sift_part(&own[part], columns, b, part, far, more, limits->keep, may, found);
        others[k].near = (uint16_t)(found[0] & mask);
        others[k].pass = (uint16_t)(found[1] & mask);
        others[k].mask = (uint16_t)(limits->margin != NULL ? found[2] & mask : mask);
        others[k].may = (uint16_t)(limits->margin != NULL ? found[3] & mask : may);
    }
}

/* ---- triangles ---- */

/* Four triangles in lanes, at the end of the step: what bounds their motion and rounding. */
typedef struct faces {
    lane3 start, end; /* first corners */
    lane3 normal;     /* not of length 1 */
    lane length;      /* of the normal, or a little more */
    lane turned;      /* by how much the normal may differ within the step */
    lane sides;       /* sum of the lengths of two sides and of how they change */
    lane area;        /* product of these sides */
    lane size;        /* of coordinates */
} faces;

static inline lane3 corner_of(const rlti_edge_triangles *t, int corner, int end, int part) {
    return (lane3){other_of(t->at[corner][3 * end], 0, part), other_of(t->at[corner][3 * end + 1], 0, part),
                   other_of(t->at[corner][3 * end + 2], 0, part)};
}

static inline faces faces_of(const rlti_edge_triangles *t, int part) {
    lane3 start = corner_of(t, 0, 0, part), end = corner_of(t, 0, 1, part);
    lane3 u = sub3(corner_of(t, 1, 1, part), end), w = sub3(corner_of(t, 2, 1, part), end),
          du = sub3(u, sub3(corner_of(t, 1, 0, part), start)),
          dw = sub3(w, sub3(corner_of(t, 2, 0, part), start)), n = cross3(u, w);
    lane uu = root_above(dot3(u, u)), ww = root_above(dot3(w, w)), changed = root_above(dot3(du, du)),
         other = root_above(dot3(dw, dw)), length = root_above(dot3(n, n));
    return (faces){start,
                   end,
                   n,
                   length,
                   changed * (ww + other) + uu * other + lane_set(1.1e-5f) * length,
                   uu + ww + changed + other,
                   uu * ww,
                   size(start) + size(end) + lane_set(t->shift)};
}

/* Which pairs are surely without contact, as chances_of in faces.c has it: both points stay on one side of
 * the plane, and further away than contacts reach. Rounding of a difference of coordinates is at most
 * `little`, of the normal `blur`. */
static inline unsigned faces_apart(float *const *columns, int a, const faces *f, int part, float margin) {
    const lane none = lane_set(0.0f), by = lane_set(margin);
    lane reach = own_of(columns[RLTI_EDGE_BODY], a, part) + by;
    lane least = lane_set(HUGE_VALF), side[2];
    unsigned stay = ~0u;
    for (int k = 0; k < 2; k++) {
        lane3 at_end = own3(columns + RLTI_EDGE_END, a + k, part),
              at_start = own3(columns + RLTI_EDGE_START, a + k, part), to = sub3(at_end, f->end),
              from = sub3(at_start, f->start);
        lane little = lane_set(2.0f * rounding) * (f->size + f->sides + size(at_end) + size(at_start));
        lane blur = lane_set(4.0f) * little * (f->sides + little) + lane_set(4.0f * rounding) * f->area;
        lane start = dot3(f->normal, from), end = dot3(f->normal, to),
             longest = root_above(lane_maximum(dot3(to, to), dot3(from, from))) + by + little;
        lane far = (f->turned + blur + blur) * longest + f->length * (by + little + little),
             near = lane_minimum(lane_maximum(start, -start), lane_maximum(end, -end));
        stay &= lane_bits(lane_less(none, start * end)) & lane_bits(lane_less(far, near));
        lane away = lane_maximum(end, -end) - blur * longest - f->length * (little + little);
        least = lane_minimum(away, least);
        side[k] = end;
    }
    stay &= lane_bits(lane_less(none, side[0] * side[1]));
    return stay & lane_bits(lane_less(lane_set(1.00001f) * f->length * reach, least));
}

static unsigned faces_lanes(float *const *columns, int a, const rlti_edge_triangles *triangles,
                            double margin) {
    enum { PARTS = 16 / LANES };
    const unsigned all = (unsigned)((1ull << LANES) - 1u);
    unsigned near = 0;
    for (int part = 0; part < PARTS; part++) {
        faces f = faces_of(triangles, part);
        near |= (~faces_apart(columns, a, &f, part, (float)margin * 1.000001f) & all) << (part * LANES);
    }
    return near;
}

/* ---- the tree ---- */

/* Rows of sixteen: eight boxes at the start of the step, and at its end. */
enum { ROW_PARTS = 16 / LANES };
static inline lane row_lane(const float *row, int part) {
    lane value;
    memcpy(&value, row + part * LANES, sizeof value);
    return value;
}

/* A box in rows: at the start of the step, and at its end. */
typedef struct box_rows {
    lane low[3][ROW_PARTS], high[3][ROW_PARTS];
} box_rows;

static inline box_rows rows_of(const rlti_sweep_box *box) {
    box_rows rows;
    for (int k = 0; k < 3; k++)
        for (int part = 0; part < ROW_PARTS; part++) {
            float row[2][LANES];
            for (int i = 0; i < LANES; i++) {
                int e = (part * LANES + i) / 8;
                row[0][i] = box->at[e].low[k];
                row[1][i] = box->at[e].high[k];
            }
            rows.low[k][part] = row_lane(row[0], 0);
            rows.high[k][part] = row_lane(row[1], 0);
        }
    return rows;
}

/* Bit i: the i-th of eight boxes may meet the one whose rows these are. An empty box begins above all. */
static inline unsigned node_meets(const rlti_sweep_node *node, const box_rows *rows) {
    unsigned apart = 0;
    for (int k = 0; k < 3; k++) {
        unsigned above = 0, below = 0;
        for (int part = 0; part < ROW_PARTS; part++) {
            above |= lane_bits(lane_less(rows->high[k][part], row_lane(node->low[k][0], part)))
                     << (part * LANES);
            below |= lane_bits(lane_less(row_lane(node->high[k][0], part), rows->low[k][part]))
                     << (part * LANES);
        }
        apart |= (above & above >> 8) | (below & below >> 8);
    }
    return ~apart & 0xffu;
}

static int walk_lanes(rlti_sweep_walk *walk, rlti_edge_eight *found, int capacity) {
    const rlti_sweep_tree *tree = walk->tree;
    const box_rows rows = rows_of(&walk->box);
    int count = 0;
    while (walk->depth > 0 && count < capacity) {
        int level = walk->stack[--walk->depth][0], node = walk->stack[walk->depth][1];
        unsigned bits = 1u; /* a tree of one run has no level above */
        if (level > 0)
            bits = node_meets(&tree->nodes[tree->start[level] + node], &rows);
        if (level <= 1) {
            found[count] = (rlti_edge_eight){.node = node, .of = (unsigned char)bits};
            count += bits != 0;
            continue;
        }
        for (; bits != 0; bits &= bits - 1u) {
            walk->stack[walk->depth][0] = level - 1;
            walk->stack[walk->depth++][1] = node * 8 + __builtin_ctz(bits);
        }
    }
    return count;
}

static int narrow_lanes(const rlti_sweep_tree *tree, const rlti_sweep_box *box, const uint32_t *from,
                        int count, rlti_edge_eight *found) {
    const box_rows rows = rows_of(box);
    int left = 0;
    for (int k = 0; k < count; k++) {
        int node = rlti_edge_wide_node(from[k]);
        unsigned bits = from[k] & node_meets(&tree->nodes[tree->start[1] + node], &rows);
        found[left] = (rlti_edge_eight){.node = node, .of = (unsigned char)bits};
        left += bits != 0;
    }
    return left;
}

/* ---- chords of half runs ---- */

/* From the nearest place on a chord, which begins at the origin, to a point; returns its length squared. */
static float from_chord(const float at[3], const float chord[3], float length_square, float beside[3]) {
    float along = at[0] * chord[0] + at[1] * chord[1] + at[2] * chord[2], square = 0.0f;
    float share = along > 0.0f ? (along < length_square ? along / length_square : 1.0f) : 0.0f;
    for (int k = 0; k < 3; k++) {
        beside[k] = at[k] - share * chord[k];
        square += beside[k] * beside[k];
    }
    return square;
}

/* The greatest of the squares of a half's points from a chord; `most` is the way to that point. */
static float furthest_from_chord(float *const *columns, int a, int count, const float from[3],
                                 const float chord[3], float most[3]) {
    float length_square = chord[0] * chord[0] + chord[1] * chord[1] + chord[2] * chord[2], far = 0.0f;
    for (int i = 0; i <= count; i++) {
        float at[3], beside[3];
        for (int k = 0; k < 3; k++)
            at[k] = columns[RLTI_EDGE_END + k][a + i] - from[k];
        float square = from_chord(at, chord, length_square, beside);
        if (square > far) {
            far = square;
            memcpy(most, beside, sizeof beside);
        }
        far = square - square == 0.0f ? far : square; /* not a number */
    }
    return far;
}

/* The greatest difference of a half's points' motion from the mean, squared. */
static float furthest_from_mean(float *const *columns, int a, int count, const float mean[3]) {
    float far = 0.0f;
    for (int i = 0; i <= count; i++) {
        float square = 0.0f;
        for (int k = 0; k < 3; k++) {
            float d = columns[RLTI_EDGE_MOTION + k][a + i] - mean[k];
            square += d * d;
        }
        far = square > far ? square : far;
    }
    return far;
}

/* One half, of `count` edges from point a on: from its first point to its last, and half way to the point
 * that is furthest beside that, since most hair is bent to one side. The mean size of its points bounds what
 * rounding does. */
static void half_chord(float *const *columns, int a, int count, float margin, int lane_of_half,
                       rlti_edge_chords *chords) {
    float from[3], chord[3], mean[3], most[3] = {0.0f, 0.0f, 0.0f}, radius = 0.0f, sizes = 0.0f,
                                      share = 1.0f / (float)(count + 1);
    for (int k = 0; k < 3; k++) {
        const float *end = columns[RLTI_EDGE_END + k] + a, *motion = columns[RLTI_EDGE_MOTION + k] + a;
        from[k] = end[0];
        chord[k] = end[count] - end[0];
        mean[k] = 0.0f;
        for (int i = 0; i <= count; i++) {
            mean[k] += share * motion[i];
            sizes += fabsf(end[i]) + fabsf(motion[i]);
        }
    }
    furthest_from_chord(columns, a, count, from, chord, most);
    for (int k = 0; k < 3; k++) {
        from[k] += 0.5f * most[k];
        chords->end[0][k][lane_of_half] = from[k];
        chords->end[1][k][lane_of_half] = from[k] + chord[k];
        chords->motion[k][lane_of_half] = mean[k];
    }
    float far = furthest_from_chord(columns, a, count, from, chord, most),
          apart = furthest_from_mean(columns, a, count, mean);
    for (int i = 0; i < count; i++)
        radius = columns[RLTI_EDGE_RADIUS][a + i] > radius ? columns[RLTI_EDGE_RADIUS][a + i] : radius;
    float rounded = 4.0f * rounding * share * sizes, bulge = sqrtf(far) * 1.00001f + rounded;
    margin *= 1.000001f;
    chords->touch[lane_of_half] = bulge + radius + margin;
    chords->pass[lane_of_half] = bulge + sqrtf(apart) * 1.00001f + rounded + 2.0f * margin;
}

static void chord_lanes(float *const *columns, int a, int count, float margin, int place,
                        rlti_edge_chords *chords) {
    enum { HALF = RLTI_EDGE_HALF };
    for (int h = 0; h < RLTI_EDGE_HALVES; h++) {
        int at = RLTI_SWEEP_WIDTH * h + place, left = count - HALF * h;
        chords->used &= ~(1u << at);
        if (left <= 0)
            continue;
        chords->used |= 1u << at;
        half_chord(columns, a + HALF * h, left < HALF ? left : HALF, margin, at, chords);
    }
}

/* One half run against LANES of the others': bits of those that may be near, and of those that may pass. What
 * is not a number may. */
static inline void chords_near(const own_edges *own, lane pass, const rlti_edge_chords *others, int part,
                               float offset, unsigned found[2]) {
    const unsigned all = (unsigned)((1ull << LANES) - 1u);
    edges b;
    for (int e = 0; e < 2; e++) {
        b.x[e] = (lane3){row_lane(others->end[e][0], part), row_lane(others->end[e][1], part),
                         row_lane(others->end[e][2], part)};
    }
    lane3 motion = {row_lane(others->motion[0], part), row_lane(others->motion[1], part),
                    row_lane(others->motion[2], part)};
    between chords = between_of(own, &b);
    bounds of = bound(&chords);
    unsigned touch = may_touch(own->e.radius + row_lane(others->touch, part), &of, offset),
             passes = may_come_within(&of, pass + row_lane(others->pass, part),
                                      dot3(sub3(own->e.v[0], motion), of.apart), own->moved + size(motion));
    found[0] |= ((touch | passes) & all) << (part * LANES);
    found[1] |= (passes & all) << (part * LANES);
}

static void chords_lanes(const rlti_edge_chords *chords, int place, double offset, rlti_edge_eight *others,
                         int count) {
    enum { PARTS = RLTI_EDGE_CHORDS / LANES };
    const float far = (float)offset * 1.000001f;
    const rlti_edge_chords *mine = chords + place / RLTI_SWEEP_WIDTH;
    for (int h = 0; h < RLTI_EDGE_HALVES; h++) {
        int at = RLTI_SWEEP_WIDTH * h + place % RLTI_SWEEP_WIDTH;
        own_edges own = {.e = {.radius = lane_set(mine->touch[at])}};
        lane pass = lane_set(mine->pass[at]);
        for (int e = 0; e < 2; e++) {
            own.e.x[e] = (lane3){lane_set(mine->end[e][0][at]), lane_set(mine->end[e][1][at]),
                                 lane_set(mine->end[e][2][at])};
            own.e.v[e] = (lane3){lane_set(mine->motion[0][at]), lane_set(mine->motion[1][at]),
                                 lane_set(mine->motion[2][at])};
        }
        measure_own(&own);
        for (int i = 0; i < count; i++) {
            const rlti_edge_chords *other = chords + others[i].node;
            unsigned found[2] = {0, 0}, of = others[i].of | (unsigned)others[i].of << RLTI_SWEEP_WIDTH;
            for (int part = 0; part < PARTS; part++)
                chords_near(&own, pass, other, part, far, found);
            of &= mine->used >> at & 1u ? other->used : 0u;
            others[i].near[h] = (uint16_t)(found[0] & of);
            others[i].pass[h] = (uint16_t)(found[1] & of);
        }
    }
}

const rlti_edge_sieve RLTI_EDGE_SIEVE_NAME = {walk_lanes, narrow_lanes, chord_lanes, chords_lanes,
                                              box_lanes,  meet_lanes,   sift_lanes,  faces_lanes};
