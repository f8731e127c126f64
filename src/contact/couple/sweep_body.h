/* The body of all builds of the sweeps: contacts and links in lanes of double precision, or of
 * single precision with RLTI_COUPLE_SINGLE. Define
 * RLTI_COUPLE_KERNEL_NAME and one of the RLTI_LANES_ builds before.
 *
 * No fused products: the portable build would call a function for each. */
#if !defined(RLTI_COUPLE_SINGLE)
#define RLTI_LANES_DOUBLE
#endif
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/lanes.h"
#include "contact/couple/sweep_names_body.h"

enum { PARTS = BATCH / LANES };

/* ---- rows ---- */

#if defined(RLTI_COUPLE_SINGLE) && defined(RLTI_LANES_AVX512)

/* Column c gets the c-th of each point's row. */
static inline void gather(const point_row *rows, const int *p, lane columns[4]) {
    __m512 r[4];
    for (int k = 0; k < 4; k++)
        r[k] = rlti_four_rows(rows[p[k]], rows[p[k + 4]], rows[p[k + 8]], rows[p[k + 12]]);
    __m512 a = _mm512_unpacklo_ps(r[0], r[1]), b = _mm512_unpackhi_ps(r[0], r[1]);
    __m512 c = _mm512_unpacklo_ps(r[2], r[3]), d = _mm512_unpackhi_ps(r[2], r[3]);
    columns[0] = _mm512_shuffle_ps(a, c, 0x44);
    columns[1] = _mm512_shuffle_ps(a, c, 0xee);
    columns[2] = _mm512_shuffle_ps(b, d, 0x44);
    columns[3] = _mm512_shuffle_ps(b, d, 0xee);
}
/* The inverse, for lanes whose bits are set. */
static inline void scatter(point_row *rows, const int *p, unsigned bits, const lane columns[4]) {
    __m512 a = _mm512_unpacklo_ps(columns[0], columns[1]), b = _mm512_unpackhi_ps(columns[0], columns[1]);
    __m512 c = _mm512_unpacklo_ps(columns[2], columns[3]), d = _mm512_unpackhi_ps(columns[2], columns[3]);
    const __m512 r[4] = {_mm512_shuffle_ps(a, c, 0x44), _mm512_shuffle_ps(a, c, 0xee),
                         _mm512_shuffle_ps(b, d, 0x44), _mm512_shuffle_ps(b, d, 0xee)};
    for (int k = 0; k < 4; k++) {
        if (bits >> k & 1u)
            _mm_store_ps(rows[p[k]], _mm512_castps512_ps128(r[k]));
        if (bits >> (k + 4) & 1u)
            _mm_store_ps(rows[p[k + 4]], _mm512_extractf32x4_ps(r[k], 1));
        if (bits >> (k + 8) & 1u)
            _mm_store_ps(rows[p[k + 8]], _mm512_extractf32x4_ps(r[k], 2));
        if (bits >> (k + 12) & 1u)
            _mm_store_ps(rows[p[k + 12]], _mm512_extractf32x4_ps(r[k], 3));
    }
}

#elif defined(RLTI_COUPLE_SINGLE) && defined(RLTI_LANES_AVX2)

static inline void gather(const point_row *rows, const int *p, lane columns[4]) {
    const float *each[LANES];
    for (int k = 0; k < LANES; k++)
        each[k] = rows[p[k]];
    lane_gather4(each, columns);
}
static inline void scatter(point_row *rows, const int *p, unsigned bits, const lane columns[4]) {
    _Alignas(64) float row[LANES][4];
    lane_scatter4(columns, row);
    for (int k = 0; k < LANES; k++)
        if (bits >> k & 1u)
            _mm_store_ps(rows[p[k]], _mm_load_ps(row[k]));
}

#elif defined(RLTI_LANES_AVX512)

static inline __m512d two_rows(const point_row *rows, int a, int b) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(rows[a])), _mm256_load_pd(rows[b]), 1);
}
/* Column c gets the c-th of each point's row. */
static inline void gather(const point_row *rows, const int *p, lane columns[4]) {
    __m512d a = two_rows(rows, p[0], p[2]), b = two_rows(rows, p[1], p[3]), c = two_rows(rows, p[4], p[6]),
            d = two_rows(rows, p[5], p[7]);
    __m512d even[2] = {_mm512_unpacklo_pd(a, b), _mm512_unpacklo_pd(c, d)},
            odd[2] = {_mm512_unpackhi_pd(a, b), _mm512_unpackhi_pd(c, d)};
    columns[0] = _mm512_shuffle_f64x2(even[0], even[1], 0x88);
    columns[1] = _mm512_shuffle_f64x2(odd[0], odd[1], 0x88);
    columns[2] = _mm512_shuffle_f64x2(even[0], even[1], 0xdd);
    columns[3] = _mm512_shuffle_f64x2(odd[0], odd[1], 0xdd);
}
static inline void scatter(point_row *rows, const int *p, unsigned bits, const lane columns[4]) {
    const __m512i low = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0),
                  high = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
    __m512d even[2] = {_mm512_unpacklo_pd(columns[0], columns[1]),
                       _mm512_unpacklo_pd(columns[2], columns[3])},
            odd[2] = {_mm512_unpackhi_pd(columns[0], columns[1]), _mm512_unpackhi_pd(columns[2], columns[3])};
    const __m512d pair[4] = {
        _mm512_permutex2var_pd(even[0], low, even[1]), _mm512_permutex2var_pd(odd[0], low, odd[1]),
        _mm512_permutex2var_pd(even[0], high, even[1]), _mm512_permutex2var_pd(odd[0], high, odd[1])};
    for (int k = 0; k < 4; k++) { /* rows 0 and 2, 1 and 3, 4 and 6, 5 and 7 */
        int first = (k & 1) + 2 * (k & 2);
        if (bits >> first & 1u)
            _mm256_store_pd(rows[p[first]], _mm512_castpd512_pd256(pair[k]));
        if (bits >> (first + 2) & 1u)
            _mm256_store_pd(rows[p[first + 2]], _mm512_extractf64x4_pd(pair[k], 1));
    }
}

#elif defined(RLTI_LANES_AVX2)

static inline void gather(const point_row *rows, const int *p, lane columns[4]) {
    __m256d a = _mm256_load_pd(rows[p[0]]), b = _mm256_load_pd(rows[p[1]]), c = _mm256_load_pd(rows[p[2]]),
            d = _mm256_load_pd(rows[p[3]]);
    __m256d even[2] = {_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d)},
            odd[2] = {_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d)};
    columns[0] = _mm256_permute2f128_pd(even[0], even[1], 0x20);
    columns[1] = _mm256_permute2f128_pd(odd[0], odd[1], 0x20);
    columns[2] = _mm256_permute2f128_pd(even[0], even[1], 0x31);
    columns[3] = _mm256_permute2f128_pd(odd[0], odd[1], 0x31);
}
static inline void scatter(point_row *rows, const int *p, unsigned bits, const lane columns[4]) {
    __m256d even[2] = {_mm256_unpacklo_pd(columns[0], columns[1]),
                       _mm256_unpacklo_pd(columns[2], columns[3])},
            odd[2] = {_mm256_unpackhi_pd(columns[0], columns[1]), _mm256_unpackhi_pd(columns[2], columns[3])};
    const __m256d row[4] = {
        _mm256_permute2f128_pd(even[0], even[1], 0x20), _mm256_permute2f128_pd(odd[0], odd[1], 0x20),
        _mm256_permute2f128_pd(even[0], even[1], 0x31), _mm256_permute2f128_pd(odd[0], odd[1], 0x31)};
    for (int k = 0; k < 4; k++)
        if (bits >> k & 1u)
            _mm256_store_pd(rows[p[k]], row[k]);
}

#else

static inline void gather(const point_row *rows, const int *p, lane columns[4]) {
    for (int c = 0; c < 4; c++)
        for (int k = 0; k < LANES; k++)
            columns[c][k] = rows[p[k]][c];
}
/* The inverse, for lanes whose bits are set. */
static inline void scatter(point_row *rows, const int *p, unsigned bits, const lane columns[4]) {
    for (int k = 0; k < LANES; k++)
        if (bits >> k & 1u)
            for (int c = 0; c < 4; c++)
                rows[p[k]][c] = columns[c][k];
}

#endif

/* Moves the points of these lanes by weight times the change of their force. */
static inline void move(point_row *rows, const int *points, unsigned bits, const lane before[4], lane weight,
                        lane3 change) {
    const unsigned all = (1u << LANES) - 1u;
    lane by = weight * before[3];
    const lane columns[4] = {before[0] + by * change.x, before[1] + by * change.y, before[2] + by * change.z,
                             before[3]};
    if ((bits & all) == all)
        scatter(rows, points, all, columns); /* without conditions */
    else
        scatter(rows, points, bits, columns);
}

static inline lane part_of(const number row[BATCH], int part) {
    return lane_load(row + part * LANES);
}
static inline lane3 part3(const number (*rows)[BATCH], int part) {
    return (lane3){part_of(rows[0], part), part_of(rows[1], part), part_of(rows[2], part)};
}
static inline lane dot(lane3 a, lane3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Both points of the lanes' edges. */
static inline void gather_edge(const point_row *rows, const int *points, lane first[4], lane second[4]) {
    gather(rows, points, first);
    gather(rows + 1, points, second);
}

/* ---- contacts ---- */

static inline lane place(lane share, lane a, lane b) {
    return (lane_set((number)1.0) - share) * a + share * b;
}

/* Remembers what slips, and gives contacts that stick again and again the kinetic coefficient. */
static void remember(lumps *l, int part, unsigned slips, unsigned sticks) {
    unsigned all = (1u << LANES) - 1u, before = (unsigned)l->slips >> (part * LANES) & all;
    for (unsigned again = before & sticks; again != 0; again &= again - 1u) {
        int k = part * LANES + __builtin_ctz(again);
        if (l->again[k] < RLTI_COUPLE_AGAIN)
            l->again[k]++;
        if (l->again[k] >= RLTI_COUPLE_AGAIN && l->friction[1][k] < l->friction[0][k])
            l->friction[0][k] = l->friction[1][k];
    }
    l->slips = (uint16_t)((l->slips & ~(all << (part * LANES))) | slips << (part * LANES));
}

/* The law where points have moved so: docs/design/strand-contacts.md, "One contact", for a block that is a
 * number. */
static inline lane3 law(lumps *l, int part, lane3 normal, lane3 moved, lane3 r) {
    const lane none = lane_set((number)0.0), below = lane_set((number)-1.0);
    lane model = part_of(l->model, part), slide = part_of(l->inverse[1], part), most = part_of(l->most, part),
         gap = part_of(l->gap, part);
    lane3 slip = part3(l->slip, part);
    lane push = -(gap + dot(normal, moved) - model * dot(normal, r)) * part_of(l->inverse[0], part);
    lane3 q = {moved.x + slip.x - model * r.x, moved.y + slip.y - model * r.y,
               moved.z + slip.z - model * r.z};
    lane along = dot(normal, q);
    lane3 slid = {q.x - along * normal.x, q.y - along * normal.y, q.z - along * normal.z};
    lane rub = lane_sqrt(dot(slid, slid)) * slide;
    lane_mask slips = lane_less(part_of(l->friction[0], part) * push, rub), pushes = lane_less(none, push),
              known = lane_less(below, rub); /* not so of what is not a number */
    lane share = lane_select(slips, part_of(l->friction[1], part) * push / rub * slide, slide);
    lane less = lane_select(lane_less(most, push), most / push, lane_set((number)1.0));
    lane3 force = {(push * normal.x - share * slid.x) * less, (push * normal.y - share * slid.y) * less,
                   (push * normal.z - share * slid.z) * less};
    unsigned acts = lane_bits(pushes) & lane_bits(known);
    remember(l, part, acts & lane_bits(slips), acts & ~lane_bits(slips));
    return select3(pushes, select3(known, force, zero3()), zero3());
}

static lane sweep_contacts(lumps *l, int part, point_row *rows, int *acts, lane largest) {
    const int *a = l->point[0] + part * LANES, *b = l->point[1] + part * LANES;
    const lane one = lane_set((number)1.0);
    const unsigned all = (1u << LANES) - 1u;
    unsigned used = (unsigned)l->used >> (part * LANES), hair = (unsigned)l->hair >> (part * LANES);
    lane x[4][4], s = part_of(l->share[0], part), t = part_of(l->share[1], part);
    gather_edge((const point_row *)rows, a, x[0], x[1]);
    gather_edge((const point_row *)rows, b, x[2], x[3]);
    lane3 moved = {place(s, x[0][0], x[1][0]) - place(t, x[2][0], x[3][0]),
                   place(s, x[0][1], x[1][1]) - place(t, x[2][1], x[3][1]),
                   place(s, x[0][2], x[1][2]) - place(t, x[2][2], x[3][2])};
    lane3 normal = part3((const number(*)[BATCH])l->normal, part), r = zero3();
    unsigned works = lane_bits(lane_less(part_of(l->gap, part) + dot(normal, moved), lane_set((number)0.0)));
    if ((l->forces >> (part * LANES) & all) != 0) {
        r = part3((const number(*)[BATCH])l->r, part);
        works |= lane_bits(lane_less(lane_set((number)0.0), dot(r, r)));
    }
    if ((works & used) == 0) { /* all are open, and stay so; nothing is written that is there already */
        if (((unsigned)l->slips >> (part * LANES) & all) != 0)
            remember(l, part, 0, 0);
        return largest;
    }
    *acts = 1;
    lane3 force = law(l, part, normal, moved, r), change = sub3(force, r);
    l->forces = (uint16_t)(l->forces | all << (part * LANES));
    lane model = part_of(l->model, part);
    lane_store(l->r[0] + part * LANES, force.x);
    lane_store(l->r[1] + part * LANES, force.y);
    lane_store(l->r[2] + part * LANES, force.z);
    move(rows, a, used, x[0], one - s, change);
    move(rows + 1, a, used, x[1], s, change);
    move(rows, b, hair, x[2], t - one, change);
    move(rows + 1, b, hair, x[3], -t, change);
    return lane_maximum(model * model * dot(change, change), largest);
}

/* ---- filling ---- */

/* Numbers that follow each other in an item; NULL: zeros. */
static inline void round_numbers(const double *from, int count, number *to) {
    for (int i = 0; i < count; i++)
        to[i] = from != NULL ? (number)from[i] : (number)0.0;
}

/* A contact's numbers as they stand in it, from `share` on, in rows of four. */
enum { GIVEN = 15, GIVEN_ROWS = 4 };
_Static_assert(offsetof(rlti_couple_contact, force) + sizeof(rlti_vec3) ==
                   offsetof(rlti_couple_contact, share) + GIVEN * sizeof(double),
               "numbers of a contact follow each other");

static void fill_part(lumps *l, int part, const point_row *given, int warm, int nowhere) {
    const lane none = lane_set((number)0.0);
    int at[GIVEN_ROWS][LANES];
    lane x[GIVEN_ROWS][4];
    _Alignas(64) number some[LANES], hair[LANES];
    for (int k = 0; k < LANES; k++) {
        int item = part * LANES + k;
        unsigned other = l->point[1][item] != nowhere;
        for (int row = 0; row < GIVEN_ROWS; row++)
            at[row][k] = GIVEN_ROWS * item + row;
        l->used = (uint16_t)(l->used | (unsigned)(l->item[item] >= 0) << item);
        l->hair = (uint16_t)(l->hair | other << item);
        hair[k] = (number)other;
    }
    for (int row = 0; row < GIVEN_ROWS; row++)
        gather(given, at[row], x[row]);
    lane holds = lane_maximum(x[2][1], none), most = x[2][3];
    const lane force[3] = {x[3][0] + none, x[3][1] + none, x[3][2] + none}; /* no force has one sign */
    const lane normal[3] = {x[0][2], x[0][3], x[1][0]}, slip[3] = {x[1][2], x[1][3], x[2][0]};
    for (int i = 0; i < 3; i++) {
        lane_store(l->normal[i] + part * LANES, normal[i]);
        lane_store(l->slip[i] + part * LANES, slip[i]);
        lane_store(l->r[i] + part * LANES, warm ? force[i] : none);
    }
    lane_store(l->gap + part * LANES, x[1][1]);
    lane_store(l->share[0] + part * LANES, x[0][0]);
    lane_store(l->share[1] + part * LANES, lane_select(lane_less(none, lane_load(hair)), x[0][1], none));
    lane_store(l->friction[0] + part * LANES, holds);
    lane_store(l->friction[1] + part * LANES, lane_minimum(lane_maximum(x[2][2], none), holds));
    lane_store(l->most + part * LANES, lane_select(lane_less(none, most), most, lane_set((number)HUGE_VAL)));
    /* forces that do not count are written over in the end, as those that are 0 and have been others */
    lane_store(some, lane_maximum(force[0], -force[0]) + lane_maximum(force[1], -force[1]) +
                         lane_maximum(force[2], -force[2]));
    for (int k = 0; k < LANES; k++)
        l->forces = (uint16_t)(l->forces | (unsigned)(some[k] != (number)0.0) << (part * LANES + k));
}

static void fill_batch(lumps *l, const rlti_couple_contact *contacts, int warm, int nowhere) {
    _Alignas(64) point_row given[BATCH * GIVEN_ROWS];
    memset(l->again, 0, sizeof l->again);
    l->used = l->hair = l->slips = l->forces = l->sticks = l->slides = l->shown = l->idle = 0;
    for (int k = 0; k < BATCH; k++) {
        const rlti_couple_contact *c = l->item[k] >= 0 ? &contacts[l->item[k]] : NULL;
        round_numbers(c != NULL ? c->share : NULL, GIVEN, given[k * GIVEN_ROWS]);
        given[k * GIVEN_ROWS + GIVEN_ROWS - 1][3] = (number)0.0;
        l->shown = (uint16_t)(l->shown | (unsigned)(c != NULL && c->state != RLTI_CONTACT_OPEN) << k);
    }
    for (int part = 0; part < PARTS; part++)
        fill_part(l, part, (const point_row *)given, warm, nowhere);
}

/* ---- blocks ---- */

/* Sum of what a force on each of the four points moves them by. */
static inline lane block_of(lane s, lane t, const lane softness[4]) {
    const lane one = lane_set((number)1.0), weight[4] = {one - s, s, one - t, t};
    lane sum = lane_set((number)0.0);
    for (int k = 0; k < 4; k++)
        sum = sum + weight[k] * weight[k] * softness[k];
    return sum;
}

/* How far a force along the normal moves the freer point of each edge: what compliance is measured by. A
 * place next to a point that is held moves little, and would take any force to be moved. */
static inline lane give_of(lane compliance, const lane softness[4]) {
    return compliance * (lane_maximum(softness[0], softness[1]) + lane_maximum(softness[2], softness[3]));
}

static void block_part(lumps *l, int part, const point_row *points, lane compliance) {
    const lane none = lane_set((number)0.0), one = lane_set((number)1.0);
    lane x[4][4];
    gather_edge(points, l->point[0] + part * LANES, x[0], x[1]);
    gather_edge(points, l->point[1] + part * LANES, x[2], x[3]);
    const lane softness[4] = {x[0][3], x[1][3], x[2][3], x[3][3]};
    lane model = block_of(part_of(l->share[0], part), part_of(l->share[1], part), softness);
    lane all = model + give_of(compliance, softness);
    lane_mask moves = lane_less(none, model),
              finite = lane_less(all + one / model, lane_set((number)HUGE_VAL));
    model = lane_select(moves, lane_select(finite, model, none), none);
    lane_mask some = lane_less(none, model);
    lane_store(l->model + part * LANES, model);
    lane_store(l->inverse[0] + part * LANES, lane_select(some, one / all, none));
    lane_store(l->inverse[1] + part * LANES, lane_select(some, one / model, none));
}

/* ---- sums of forces ---- */

/* Adds a force to both points of an edge. */
static inline void push_edge(rlti_vec3 *at, double share, rlti_vec3 force) {
    at[0] = rlti_madd(at[0], 1.0 - share, force);
    at[1] = rlti_madd(at[1], share, force);
}

static void push_contact_part(const lumps *l, int part, rlti_vec3 *forces) {
    lane3 r = part3((const number(*)[BATCH])l->r, part);
    lane size = lane_maximum(r.x, -r.x) + lane_maximum(r.y, -r.y) + lane_maximum(r.z, -r.z);
    unsigned some = lane_bits(lane_less(lane_set((number)0.0), size)) & (unsigned)l->used >> (part * LANES);
    for (; some != 0; some &= some - 1u) {
        int k = part * LANES + __builtin_ctz(some);
        rlti_vec3 force = rlti_v3(l->r[0][k], l->r[1][k], l->r[2][k]);
        push_edge(forces + l->point[0][k], l->share[0][k], force);
        if (l->hair >> k & 1)
            push_edge(forces + l->point[1][k], l->share[1][k], rlti_scale(-1.0, force));
    }
}

static void push_link(const springs *l, int k, rlti_vec3 *forces) {
    rlti_vec3 force = rlti_scale(l->r[k], rlti_v3(l->axis[0][k], l->axis[1][k], l->axis[2][k])),
              *at[2] = {&forces[l->point[0][k]], &forces[l->point[1][k]]};
    *at[0] = rlti_add(*at[0], force);
    *at[1] = rlti_sub(*at[1], force);
}

/* ---- measuring ---- */

/* The law of contacts whose points have moved so: their force where they give way by `own`, and by `give`
 * along the normal. `acts` and `slips`: which have one, and which of those slip. */
static inline lane3 law_of(const lumps *l, int part, lane3 normal, lane3 moved, lane3 r, lane own, lane give,
                           unsigned *acts, unsigned *slips) {
    const lane none = lane_set((number)0.0), one = lane_set((number)1.0);
    lane_mask some = lane_less(none, own);
    lane inverse[2] = {lane_select(some, one / (own + give), none), lane_select(some, one / own, none)};
    lane push = -(part_of(l->gap, part) + dot(normal, moved) - own * dot(normal, r)) * inverse[0],
         most = part_of(l->most, part);
    lane3 slip = part3((const number(*)[BATCH])l->slip, part);
    lane3 q = {moved.x + slip.x - own * r.x, moved.y + slip.y - own * r.y, moved.z + slip.z - own * r.z};
    lane along = dot(normal, q);
    lane3 slid = {q.x - along * normal.x, q.y - along * normal.y, q.z - along * normal.z};
    lane rub = lane_sqrt(dot(slid, slid)) * inverse[1];
    lane_mask slide = lane_less(part_of(l->friction[0], part) * push, rub), pushes = lane_less(none, push),
              known = lane_less(lane_set((number)-1.0), rub); /* not so of what is not a number */
    lane share = lane_select(slide, part_of(l->friction[1], part) * push / rub * inverse[1], inverse[1]);
    lane less = lane_select(lane_less(most, push), most / push, one); /* it stays in its cone */
    lane3 force = {(push * normal.x - share * slid.x) * less, (push * normal.y - share * slid.y) * less,
                   (push * normal.z - share * slid.z) * less};
    *acts = lane_bits(pushes) & lane_bits(known);
    *slips = *acts & lane_bits(slide);
    return select3(pushes, select3(known, force, zero3()), zero3());
}

/* Which of the lanes is the deepest so far, of hair in hair and of hair in bodies. */
static void note_deepest(const lumps *l, int part, lane deep, rlti_couple_result *result) {
    const unsigned all = (1u << LANES) - 1u;
    unsigned used = (unsigned)l->used >> (part * LANES) & all, hair = (unsigned)l->hair >> (part * LANES);
    unsigned deeper = (lane_bits(lane_less(lane_set((number)result->deepest_of[0]), deep)) & hair) |
                      (lane_bits(lane_less(lane_set((number)result->deepest_of[1]), deep)) & ~hair);
    _Alignas(64) number values[LANES];
    if ((deeper & used) == 0)
        return;
    lane_store(values, deep);
    for (unsigned bits = deeper & used; bits != 0; bits &= bits - 1u) {
        int k = __builtin_ctz(bits);
        double *deepest = &result->deepest_of[!(hair >> k & 1u)];
        result->deepest = values[k] > result->deepest ? values[k] : result->deepest;
        if (!(values[k] > *deepest))
            continue;
        *deepest = values[k];
        if (hair >> k & 1u)
            result->deepest_contact = l->item[part * LANES + k];
    }
}

static lane measure_part(lumps *l, int part, const point_row *points, const rlti_couple_settings *settings,
                         lane largest, rlti_couple_result *result) {
    const unsigned all = (1u << LANES) - 1u;

    unsigned used = (unsigned)l->used >> (part * LANES) & all,
             bodies = used & ~((unsigned)l->hair >> (part * LANES)), acts, slips;
    lane x[4][4], s = part_of(l->share[0], part), t = part_of(l->share[1], part);
    gather_edge(points, l->point[0] + part * LANES, x[0], x[1]);
    gather_edge(points, l->point[1] + part * LANES, x[2], x[3]);
    const lane softness[4] = {x[0][3], x[1][3], x[2][3], x[3][3]};
    lane3 moved = {place(s, x[0][0], x[1][0]) - place(t, x[2][0], x[3][0]),
                   place(s, x[0][1], x[1][1]) - place(t, x[2][1], x[3][1]),
                   place(s, x[0][2], x[1][2]) - place(t, x[2][2], x[3][2])};
    lane3 normal = part3((const number(*)[BATCH])l->normal, part),
          r = part3((const number(*)[BATCH])l->r, part);
    lane own = block_of(s, t, softness), give = give_of(lane_set((number)settings->compliance), softness);
    lane3 change = sub3(law_of(l, part, normal, moved, r, own, give, &acts, &slips), r);
    lane along = dot(change, normal),
         across = lane_maximum(dot(change, change) - along * along, lane_set((number)0.0));
    lane off = lane_sqrt(across * own * own + along * along * (own + give) * (own + give));
    unsigned touches = lane_bits(lane_less(lane_set((number)0.0), dot(r, normal))) & used;
    unsigned close =
        lane_bits(lane_less(off, lane_set((number)HUGE_VAL))) & /* not so of what is not a number */
        ~lane_bits(lane_less(lane_set((number)settings->tolerance), off));
    result->unresolved += __builtin_popcount(used & ~close);
    result->touching += __builtin_popcount(touches);
    result->bodies += __builtin_popcount(bodies);
    result->bodies_touching += __builtin_popcount(bodies & touches);
    result->slipping += __builtin_popcount(touches & slips);
    note_deepest(l, part, -(part_of(l->gap, part) + dot(normal, moved)), result);
    l->sticks = (uint16_t)((l->sticks & ~(all << (part * LANES))) | (acts & ~slips & used) << (part * LANES));
    l->slides = (uint16_t)((l->slides & ~(all << (part * LANES))) | (slips & used) << (part * LANES));
    return lane_maximum(off, largest);
}

/* ---- links ---- */

static inline lane force_of(const springs *l, int part, lane v) {
    const lane none = lane_set((number)0.0);
    lane zero[2] = {part_of(l->zero[0], part), part_of(l->zero[1], part)},
         slope[2] = {part_of(l->slope[0], part), part_of(l->slope[1], part)};
    lane pull = v - zero[0], push = v - zero[1];
    lane pulls = -slope[0] * pull, pushes = -slope[1] * push;
    lane force = lane_select(lane_less(none, pull), pulls, lane_select(lane_less(push, none), pushes, none));
    if (l->both != 0) {
        lane middle = part_of(l->middle[0], part) * v + part_of(l->middle[1], part);
        lane either = lane_select(lane_less(part_of(l->bound[0], part), v), pulls,
                                  lane_select(lane_less(v, part_of(l->bound[1], part)), pushes, middle));
        force = lane_select(lane_less(zero[0], zero[1]), either, force);
    }
    return lane_select(lane_less(lane_maximum(v, -v), lane_set((number)HUGE_VAL)), force, none);
}

static lane sweep_links(springs *l, int part, point_row *rows, lane largest) {
    const int *a = l->point[0] + part * LANES, *b = l->point[1] + part * LANES;
    unsigned used = (unsigned)l->used >> (part * LANES);
    lane x[2][4], r = part_of(l->r, part), model = part_of(l->model, part);
    lane3 axis = part3((const number(*)[BATCH])l->axis, part);
    gather((const point_row *)rows, a, x[0]);
    gather((const point_row *)rows, b, x[1]);
    lane grown = axis.x * (x[0][0] - x[1][0]) + axis.y * (x[0][1] - x[1][1]) + axis.z * (x[0][2] - x[1][2]);
    lane force = force_of(l, part, grown - model * r), change = force - r;
    lane_store(l->r + part * LANES, force);
    move(rows, a, used, x[0], change, axis);
    move(rows, b, used, x[1], -change, axis);
    return lane_maximum(model * lane_maximum(change, -change), largest);
}

/* A side of a link, pull or push: its slope, and the extension at which its force is 0 (couple_links.c). */
static inline lane slope_of(lane stiffness, lane damping, lane z, lane w, lane *zero) {
    const lane none = lane_set((number)0.0), one = lane_set((number)1.0);
    lane all = stiffness + damping;
    lane_mask some = lane_less(none, all);
    *zero = lane_select(some, -damping / all * z, lane_set((number)HUGE_VAL));
    return lane_select(some, one / (w + one / all), none);
}

/* 1 where a number is finite, else 0. */
static inline lane_mask is_finite(lane a) {
    return lane_less(lane_maximum(-a, a), lane_set((number)HUGE_VAL));
}

/* A link's numbers as they stand in it, from `apart` on, in rows of four. */
enum { GIVEN_LINK = 10, LINK_ROWS = 3 };
_Static_assert(offsetof(rlti_couple_link, force) + sizeof(double) ==
                   offsetof(rlti_couple_link, apart) + GIVEN_LINK * sizeof(double),
               "numbers of a link follow each other");

/* A stiffness that is too great for single precision is as good as none that gives way. */
static inline lane stiff(lane value) {
    return lane_minimum(value, lane_set((number)(sizeof(number) < sizeof(double) ? 1e30 : HUGE_VAL)));
}

static void make_link_part(springs *l, int part, const point_row *given, int warm, const point_row *points) {
    const lane none = lane_set((number)0.0), one = lane_set((number)1.0), most = lane_set((number)HUGE_VAL);
    const int *a = l->point[0] + part * LANES, *b = l->point[1] + part * LANES;
    lane x[2][4], g[LINK_ROWS][4], zero[2];
    int at[LINK_ROWS][LANES];
    unsigned same = 0;
    for (int k = 0; k < LANES; k++) {
        same |= (unsigned)(a[k] == b[k]) << k;
        for (int row = 0; row < LINK_ROWS; row++)
            at[row][k] = LINK_ROWS * (part * LANES + k) + row;
    }
    for (int row = 0; row < LINK_ROWS; row++)
        gather(given, at[row], g[row]);
    gather(points, a, x[0]);
    gather(points, b, x[1]);
    lane3 apart = {g[0][0], g[0][1], g[0][2]};
    lane length = lane_sqrt(dot(apart, apart)), over = one / length, grown = g[0][3], sum = x[0][3] + x[1][3];
    lane known =
        lane_select(lane_less(none, length),
                    lane_select(is_finite(over), lane_select(is_finite(length), one, none), none), none);
    lane_mask directed = lane_less(none, known);
    lane model = lane_select(directed, lane_select(lane_less(none, sum), sum, none), none);
    lane3 axis = select3(directed, scale3(over, apart), zero3());
    lane extension = length - g[1][0], z = grown - extension;
    lane pulls = slope_of(stiff(g[1][1]), stiff(g[1][3]), z, model, &zero[0]),
         pushes = slope_of(stiff(g[1][2]), stiff(g[2][0]), z, model, &zero[1]);
    zero[1] = lane_select(lane_less(zero[1], most), zero[1], -most);
    lane acts =
        lane_select(lane_less(none, model),
                    lane_select(is_finite(model), lane_select(is_finite(grown), one, none), none), none);
    _Alignas(64) number mask[LANES];
    lane_store(mask, acts);
    for (int k = 0; k < LANES; k++) /* a link of a point with itself does nothing */
        mask[k] = same >> k & 1u ? (number)0.0 : mask[k];
    lane_mask works = lane_less(none, lane_load(mask));
    lane begins[2] = {lane_select(works, zero[0] - extension, most),
                      lane_select(works, zero[1] - extension, -most)};
    lane_store(l->r + part * LANES, lane_select(works, warm ? g[2][1] : none, none));
    lane_store(l->model + part * LANES, lane_select(works, model, none));
    lane_store(l->slope[0] + part * LANES, lane_select(works, pulls, none));
    lane_store(l->slope[1] + part * LANES, lane_select(works, pushes, none));
    lane_store(l->zero[0] + part * LANES, begins[0]);
    lane_store(l->zero[1] + part * LANES, begins[1]);
    lane_store(l->axis[0] + part * LANES, axis.x);
    lane_store(l->axis[1] + part * LANES, axis.y);
    lane_store(l->axis[2] + part * LANES, axis.z);
    l->both = (uint16_t)(l->both | (lane_bits(lane_less(begins[0], begins[1])) << (part * LANES) & l->used));
}

static lane measure_link_part(const springs *l, int part, const point_row *points,
                              const rlti_couple_settings *settings, lane largest,
                              rlti_couple_result *result) {
    unsigned used = (unsigned)l->used >> (part * LANES) & ((1u << LANES) - 1u);
    lane x[2][4], r = part_of(l->r, part), model = part_of(l->model, part);
    lane3 axis = part3((const number(*)[BATCH])l->axis, part);
    gather(points, l->point[0] + part * LANES, x[0]);
    gather(points, l->point[1] + part * LANES, x[1]);
    lane grown = axis.x * (x[0][0] - x[1][0]) + axis.y * (x[0][1] - x[1][1]) + axis.z * (x[0][2] - x[1][2]);
    lane change = force_of(l, part, grown - model * r) - r;
    lane off = model * lane_maximum(change, -change);
    unsigned close =
        lane_bits(lane_less(off, lane_set((number)HUGE_VAL))) & /* not so of what is not a number */
        ~lane_bits(lane_less(lane_set((number)settings->tolerance), off));
    result->unresolved_links += __builtin_popcount(used & ~close);
    return lane_maximum(off, largest);
}

/* ---- batches ---- */

static double largest_of(lane a) {
    _Alignas(64) number values[LANES];
    double most = 0.0;
    lane_store(values, a);
    for (int k = 0; k < LANES; k++)
        most = values[k] > most ? values[k] : most;
    return most;
}

/* Asks for a batch: what is read of open contacts, or all of it. */
static inline void fetch_batch(const lumps *batch, int all) {
    const char *at = (const char *)batch;
    size_t size = all ? sizeof *batch : offsetof(lumps, slip);
    for (size_t byte = 0; byte < size; byte += 64)
        __builtin_prefetch(at + byte);
}

static double sweep_contact_batches(lumps *batches, int count, point_row *points, int again) {
    lane largest = lane_set((number)0.0);
    for (int k = 0; k < count; k++) {
        int acts = 0;
        if (again && batches[k].idle)
            continue;
        if (!again && k + 3 < count)
            fetch_batch(&batches[k + 3], !batches[k].idle);
        for (int part = 0; part < PARTS; part++)
            largest = sweep_contacts(&batches[k], part, points, &acts, largest);
        if (batches[k].idle != !acts)
            batches[k].idle = !acts;
    }
    return largest_of(largest);
}

static double sweep_link_batches(springs *batches, int count, point_row *points) {
    lane largest = lane_set((number)0.0);
    for (int k = 0; k < count; k++)
        for (int part = 0; part < PARTS; part++)
            largest = sweep_links(&batches[k], part, points, largest);
    return largest_of(largest);
}

static void block_batches(lumps *batches, int count, const point_row *points, double compliance) {
    for (int k = 0; k < count * PARTS; k++)
        block_part(&batches[k / PARTS], k % PARTS, points, lane_set((number)compliance));
}

static void push_contact_batches(const lumps *batches, int count, rlti_vec3 *forces) {
    for (int k = 0; k < count * PARTS; k++)
        if (batches[k / PARTS].forces != 0)
            push_contact_part(&batches[k / PARTS], k % PARTS, forces);
}

static void push_link_batches(const springs *batches, int count, rlti_vec3 *forces) {
    for (int b = 0; b < count; b++)
        for (unsigned used = batches[b].used; used != 0; used &= used - 1u)
            push_link(&batches[b], __builtin_ctz(used), forces);
}

/* By lanes first, then over these: the same sums for any width. */
static double turn_batches(const lumps *batches, int count, const carried_lumps *carried) {
    const lane none = lane_set((number)0.0), one = lane_set((number)1.0);
    _Alignas(64) number values[BATCH];
    double sums[BATCH] = {0}, back = 0.0;
    for (int b = 0; b < count; b++) {
        const lumps *l = &batches[b];
        if (l->forces == 0)
            continue;
        for (int part = 0; part < PARTS; part++) {
            lane3 r = part3((const number(*)[BATCH])l->r, part),
                  base = part3((const number(*)[BATCH])carried[b].base, part),
                  last = part3((const number(*)[BATCH])carried[b].last, part);
            lane inverse = part_of(l->inverse[0], part),
                 gives = lane_select(lane_less(none, inverse), one / inverse, none);
            lane_store(values + part * LANES, gives * dot(sub3(base, r), sub3(r, last)));
        }
        for (int k = 0; k < BATCH; k++)
            sums[k] += values[k];
    }
    for (int k = 0; k < BATCH; k++)
        back += sums[k];
    return back;
}

static void carry_batches(lumps *batches, int count, carried_lumps *carried, number share) {
    for (int b = 0; b < count; b++) {
        lumps *l = &batches[b];
        if (l->forces == 0)
            continue;
        l->forces = UINT16_MAX; /* they are carried on from what they were */
        for (int i = 0; i < 3 * PARTS; i++) {
            number *at = *l->r + i * LANES, *last = *carried[b].last + i * LANES;
            lane now = lane_load(at), next = now + lane_set(share) * (now - lane_load(last));
            lane_store(at, next);
            lane_store(*carried[b].base + i * LANES, next);
            lane_store(last, now);
        }
    }
}

static void measure_batches(lumps *batches, int count, const point_row *points,
                            const rlti_couple_settings *settings, rlti_couple_result *result) {
    lane largest = lane_set((number)result->residual);
    for (int k = 0; k < count * PARTS; k++)
        largest = measure_part(&batches[k / PARTS], k % PARTS, points, settings, largest, result);
    result->residual = largest_of(largest);
}

static void make_links(springs *batch, const rlti_couple_link *links, int warm, const point_row *points) {
    _Alignas(64) point_row given[BATCH * LINK_ROWS];
    for (int k = 0; k < BATCH; k++) {
        round_numbers(batch->item[k] >= 0 ? &links[batch->item[k]].apart.x : NULL, GIVEN_LINK,
                      given[k * LINK_ROWS]);
        given[k * LINK_ROWS + LINK_ROWS - 1][2] = given[k * LINK_ROWS + LINK_ROWS - 1][3] = (number)0.0;
    }
    batch->both = 0;
    for (int part = 0; part < PARTS; part++)
        make_link_part(batch, part, (const point_row *)given, warm, points);
}

static void measure_link_batches(const springs *batches, int count, const point_row *points,
                                 const rlti_couple_settings *settings, rlti_couple_result *result) {
    lane largest = lane_set((number)result->residual);
    for (int k = 0; k < count * PARTS; k++)
        largest = measure_link_part(&batches[k / PARTS], k % PARTS, points, settings, largest, result);
    result->residual = largest_of(largest);
}

const kernel RLTI_COUPLE_KERNEL_NAME = {
    .contacts = sweep_contact_batches,
    .links = sweep_link_batches,
    .fill = fill_batch,
    .blocks = block_batches,
    .make_links = make_links,
    .push_contacts = push_contact_batches,
    .push_links = push_link_batches,
    .turn = turn_batches,
    .carry = carry_batches,
    .measure = measure_batches,
    .measure_links = measure_link_batches,
};
