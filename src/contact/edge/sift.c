/* Pairs of edges that are surely apart, four at a time in single precision.
 *
 * With both edges at the end of the step, x(s) = a + s u and y(t) = b + t v, the square of the distance is a
 * convex function of s and t in [0, 1]. So at any s and t its value less what its gradient can gain within
 * the square is a bound from below, whatever the edges: at the nearest points it is the square itself, and
 * where the lines are too parallel to tell these, it is only less sharp. */
#include "contact/edge/contacts_data.h"
#include "contact/edge/four.h"

typedef rlti_four four;
typedef rlti_four_bits four_bits;

typedef struct four3 {
    four x, y, z;
} four3;

/* What rounding makes of a sum of some numbers, as a share of their sizes. */
static const float rounding = 5e-7f;

static four pick(four_bits which, four yes, four no) {
    return (four)(((four_bits)yes & which) | ((four_bits)no & ~which));
}

static four lower(four a, four b) {
    return pick(a < b, a, b);
}

static four upper(four a, four b) {
    return pick(a > b, a, b);
}

static four absolute(four a) {
    return upper(a, -a);
}

static four within(four a) {
    return lower(upper(a, (four){0}), (four){0} + 1.0f);
}

static four3 minus(four3 a, four3 b) {
    return (four3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static four times(four3 a, four3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static four size(four3 a) {
    return absolute(a.x) + absolute(a.y) + absolute(a.z);
}

/* Four rows as columns. */
static four3 columns(const float *const rows[4], int at, four *fourth) {
    four r[4];
    for (int k = 0; k < 4; k++)
        r[k] = *(const four *)(rows[k] + at);
    const four_bits low = {0, 4, 1, 5}, high = {2, 6, 3, 7}, first = {0, 1, 4, 5}, second = {2, 3, 6, 7};
    four a = __builtin_shuffle(r[0], r[1], low), b = __builtin_shuffle(r[2], r[3], low),
         c = __builtin_shuffle(r[0], r[1], high), d = __builtin_shuffle(r[2], r[3], high);
    *fourth = __builtin_shuffle(c, d, second);
    return (four3){__builtin_shuffle(a, b, first), __builtin_shuffle(a, b, second),
                   __builtin_shuffle(c, d, first)};
}

/* A bound of the square of the distance, and the sizes that its rounding is measured by. */
static four distance_of(four3 a0, four3 a1, four3 b0, four3 b1, four *sizes) {
    const four tiny = (four){0} + 1e-30f;
    four3 u = minus(a1, a0), v = minus(b1, b0), w = minus(a0, b0);
    four uu = upper(times(u, u), tiny), vv = upper(times(v, v), tiny), uv = times(u, v), uw = times(u, w),
         vw = times(v, w);
    four s = within((uv * vw - uw * vv) / upper(uu * vv - uv * uv, tiny));
    four t = within((vw + s * uv) / vv);
    s = within((t * uv - uw) / uu);
    four3 d = {w.x + s * u.x - t * v.x, w.y + s * u.y - t * v.y, w.z + s * u.z - t * v.z};
    four gs = times(u, d), gt = -times(v, d);
    four gain = upper(gs * s, gs * (s - 1.0f)) + upper(gt * t, gt * (t - 1.0f));
    *sizes = size(u) + size(v) + size(w);
    return times(d, d) - 2.0f * gain;
}

/* No point of a gets nearer to one of b in the step than by this. */
static four reach_of(four3 a0, four3 a1, four3 b0, four3 b1, four *sizes) {
    four3 d = minus(a0, b0);
    four most = times(d, d);
    *sizes = size(a0) + size(d);
    d = minus(a0, b1);
    most = upper(most, times(d, d));
    *sizes += size(d);
    d = minus(a1, b0);
    most = upper(most, times(d, d));
    *sizes += size(d);
    d = minus(a1, b1);
    return rlti_four_sqrt(upper(most, times(d, d)));
}

/* Bit k: the k-th pair may have contacts; bit k of `pass`: it may pass. */
static unsigned sift_four(const float (*flat)[8], const int a[4], const int b[4], float offset, float margin,
                          unsigned *pass) {
    const float *rows[4][4];
    for (int k = 0; k < 4; k++) {
        rows[0][k] = flat[a[k]];
        rows[1][k] = flat[a[k] + 1];
        rows[2][k] = flat[b[k]];
        rows[3][k] = flat[b[k] + 1];
    }
    four radius[4], unused[4], sizes, moves;
    four3 x[4], v[4];
    for (int k = 0; k < 4; k++) {
        x[k] = columns(rows[k], 0, &radius[k]);
        v[k] = columns(rows[k], 4, &unused[k]);
    }
    four square = distance_of(x[0], x[1], x[2], x[3], &sizes);
    four reach = reach_of(v[0], v[1], v[2], v[3], &moves);
    four places = rounding * (size(x[0]) + sizes); /* coordinates themselves are rounded */
    four far = upper(radius[0], radius[1]) + upper(radius[2], radius[3]) + offset + margin + places;
    /* with the margin, the distance may become smaller, and the motion larger */
    four may = reach + 2.0f * margin + places + rounding * moves, passing = may * may;
    four more_square = rounding * sizes * sizes;
    four_bits apart = square > far * far + more_square, passed = square > passing + more_square;
    *pass = ~rlti_four_which(passed) & 15u;
    return (~rlti_four_which(apart) & 15u) | *pass;
}

int rlti_edge_sift(const rlti_edge_contacts *contacts, int run, double margin, const uint64_t *keys,
                   int count, uint64_t *left) {
    int kept = 0, own = contacts->run_point[run];
    float offset = (float)contacts->strands.offset * (1.0f + rounding),
          more = (float)margin * (1.0f + rounding);
    for (int from = 0; from < count; from += 4) {
        int a[4], b[4], last = count - from < 4 ? count - from : 4;
        for (int k = 0; k < 4; k++) {
            uint64_t key = keys[from + (k < last ? k : 0)], other = rlti_edge_key_other(key);
            a[k] = own + rlti_edge_key_item(key);
            b[k] = contacts->run_point[other / RLTI_SWEEP_WIDTH] + (int)(other % RLTI_SWEEP_WIDTH);
        }
        unsigned pass, bits = sift_four((const float(*)[8])contacts->flat, a, b, offset, more, &pass);
        for (bits &= (1u << last) - 1u; bits != 0; bits &= bits - 1u) {
            int k = __builtin_ctz(bits);
            left[kept++] = keys[from + k] | (pass >> k & 1u);
        }
    }
    return kept;
}
