/* The search goes outward in rings, each twice as wide as all before it. A point that has all its links takes
 * no further part, and those that are left have fewer neighbours among each other than links: so few pairs
 * are measured, even where the reach is as wide as the groom. Within a ring pairs are sorted by distance,
 * which makes it the same as taking all pairs of the groom in that order. */
#include "contact/link/links.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/memory.h"

/* The first ring is this part of the reach: 2^-RINGS. */
enum { RINGS = 6 };

/* Cells of a grid along an axis, as a power of two: three of these fit into a key, with one to spare at
 * either end. */
enum { CELL_BITS = 20 };

typedef struct place {
    uint64_t cell;
    int point;
} place;

typedef struct pair {
    double distance;
    int a, b;          /* points, a < b */
    int strand, round; /* of those kept: the first point's, and links that it has before this one */
} pair;

typedef struct search {
    const rlti_link_strands *strands;
    int *strand;   /* [points] */
    int *used;     /* [points] links so far */
    double *along; /* [points] along the hair [unit] */
    place *places; /* [points] of those that may have more links, by cell */
    int place_count;
    pair *pairs; /* of the present ring */
    int pair_count, pair_capacity;
    pair *kept;
    int kept_count, kept_capacity;
    rlti_vec3 low;
    double from, to, cell; /* the present ring */
} search;

static int by_cell(const void *left, const void *right) {
    const place *x = left, *y = right;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return x->point < y->point ? -1 : x->point > y->point;
}

static int by_points(const void *left, const void *right) {
    const pair *x = left, *y = right;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static int by_rounds(const void *left, const void *right) {
    const pair *x = left, *y = right;
    if (x->strand != y->strand)
        return x->strand < y->strand ? -1 : 1;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    return by_points(left, right);
}

static int by_distance(const void *left, const void *right) {
    const pair *x = left, *y = right;
    if (x->distance < y->distance || x->distance > y->distance)
        return x->distance < y->distance ? -1 : 1;
    return by_points(left, right);
}

static int is_finite(rlti_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/* 1: a point may have (more) links. */
static int is_open(const search *s, int point) {
    const rlti_link_strands *strands = s->strands;
    int strand = s->strand[point];
    return point > strands->first[strand] && strands->group[strand] >= 0 &&
           s->used[point] < strands->most[strand] && strands->reach[strand] > 0.0 &&
           is_finite(strands->rest[point]);
}

/* ---- the grid ---- */

static uint64_t key_of(long long x, long long y, long long z) {
    return ((uint64_t)(x + 1) << (2 * (CELL_BITS + 1))) | ((uint64_t)(y + 1) << (CELL_BITS + 1)) |
           (uint64_t)(z + 1);
}

static void cell_of(const search *s, int point, long long cell[3]) {
    rlti_vec3 at = rlti_sub(s->strands->rest[point], s->low);
    cell[0] = (long long)(at.x / s->cell);
    cell[1] = (long long)(at.y / s->cell);
    cell[2] = (long long)(at.z / s->cell);
}

/* Places of all open points; cells are as wide as the ring, or wider where there would be too many. */
static void fill_grid(search *s) {
    int points = s->strands->first[s->strands->strand_count];
    rlti_vec3 low = rlti_v3(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = rlti_scale(-1.0, low);
    s->place_count = 0;
    for (int p = 0; p < points; p++) {
        rlti_vec3 at = s->strands->rest[p];
        if (!is_open(s, p))
            continue;
        s->places[s->place_count++].point = p;
        low = rlti_v3(fmin(low.x, at.x), fmin(low.y, at.y), fmin(low.z, at.z));
        high = rlti_v3(fmax(high.x, at.x), fmax(high.y, at.y), fmax(high.z, at.z));
    }
    double extent = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
    s->low = low;
    s->cell = fmax(s->to, extent / ((1 << CELL_BITS) - 4));
    for (int k = 0; k < s->place_count; k++) {
        long long cell[3];
        cell_of(s, s->places[k].point, cell);
        s->places[k].cell = key_of(cell[0], cell[1], cell[2]);
    }
    if (s->place_count > 0)
        qsort(s->places, (size_t)s->place_count, sizeof *s->places, by_cell);
}

/* The first place whose cell is not before this one. */
static int find_place(const search *s, uint64_t cell) {
    int low = 0, high = s->place_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->places[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- pairs ---- */

static int may_link(const search *s, int a, int b, double distance) {
    const rlti_link_strands *strands = s->strands;
    int first = s->strand[a], second = s->strand[b];
    if (distance <= s->from || distance > s->to ||
        distance > 0.5 * (strands->reach[first] + strands->reach[second]))
        return 0;
    if (first != second)
        return strands->group[first] == strands->group[second];
    return strands->self[first] > 0.0 && s->along[b] - s->along[a] > strands->self[first];
}

/* Pairs of a point with those of a row of three cells; 0 when out of memory. */
static int search_row(search *s, int point, uint64_t first, uint64_t last) {
    const rlti_vec3 *rest = s->strands->rest;
    for (int k = find_place(s, first); k < s->place_count && s->places[k].cell <= last; k++) {
        int other = s->places[k].point;
        double distance = other > point ? rlti_length(rlti_sub(rest[other], rest[point])) : 0.0;
        if (other <= point || !may_link(s, point, other, distance))
            continue;
        if (!RLTI_LIST_RESERVE(s->pairs, s->pair_count, 1, s->pair_capacity))
            return 0;
        s->pairs[s->pair_count++] = (pair){.distance = distance, .a = point, .b = other};
    }
    return 1;
}

static int search_ring(search *s) {
    fill_grid(s);
    s->pair_count = 0;
    for (int k = 0; k < s->place_count; k++) {
        long long cell[3];
        cell_of(s, s->places[k].point, cell);
        for (int row = 0; row < 9; row++) {
            long long x = cell[0] + row / 3 - 1, y = cell[1] + row % 3 - 1;
            if (!search_row(s, s->places[k].point, key_of(x, y, cell[2] - 1), key_of(x, y, cell[2] + 1)))
                return 0;
        }
    }
    if (s->pair_count > 0)
        qsort(s->pairs, (size_t)s->pair_count, sizeof *s->pairs, by_distance);
    return 1;
}

/* Keeps the nearest pairs of a ring; 0 when out of memory. */
static int keep_pairs(search *s) {
    for (int k = 0; k < s->pair_count; k++) {
        const pair *p = &s->pairs[k];
        if (!is_open(s, p->a) || !is_open(s, p->b))
            continue;
        if (!RLTI_LIST_RESERVE(s->kept, s->kept_count, 1, s->kept_capacity))
            return 0;
        s->kept[s->kept_count++] = *p;
        s->used[p->a]++;
        s->used[p->b]++;
    }
    return 1;
}

static double measure_strands(search *s) {
    const rlti_link_strands *strands = s->strands;
    double reach = 0.0;
    for (int k = 0; k < strands->strand_count; k++) {
        int first = strands->first[k];
        for (int p = first; p < strands->first[k + 1]; p++) {
            s->strand[p] = k;
            s->along[p] =
                p > first ? s->along[p - 1] + rlti_length(rlti_sub(strands->rest[p], strands->rest[p - 1]))
                          : 0.0;
        }
        if (strands->group[k] >= 0 && strands->most[k] > 0)
            reach = fmax(reach, strands->reach[k]);
    }
    return reach;
}

/* Sorts by the first strand, and within it by rounds of one link a point: so links that follow each other in
 * a sweep do not wait for each other. */
static void sort_links(search *s) {
    int points = s->strands->first[s->strands->strand_count];
    if (s->kept_count == 0)
        return;
    qsort(s->kept, (size_t)s->kept_count, sizeof *s->kept, by_points);
    for (int p = 0; p < points; p++)
        s->used[p] = 0;
    for (int k = 0; k < s->kept_count; k++) {
        s->kept[k].strand = s->strand[s->kept[k].a];
        s->kept[k].round = s->used[s->kept[k].a]++;
    }
    qsort(s->kept, (size_t)s->kept_count, sizeof *s->kept, by_rounds);
}

static int take_links(const search *s, rlti_link **links) {
    *links = RLTI_NEW(rlti_link, s->kept_count);
    for (int k = 0; *links != NULL && k < s->kept_count; k++) {
        const pair *p = &s->kept[k];
        int first = s->strand[p->a], second = s->strand[p->b];
        (*links)[k] = (rlti_link){{first, second},
                                  {p->a - s->strands->first[first], p->b - s->strands->first[second]},
                                  p->distance};
    }
    return *links != NULL;
}

int rlti_links_find(const rlti_link_strands *strands, rlti_link **links, int *count) {
    int points = strands->first[strands->strand_count];
    search s = {.strands = strands};
    int done = RLTI_ALLOCATE(RLTI_ITEMS(s.strand, points), RLTI_ITEMS(s.used, points),
                             RLTI_ITEMS(s.along, points), RLTI_ITEMS(s.places, points));
    double reach = done ? measure_strands(&s) : 0.0;
    *links = NULL;
    *count = 0;
    for (int ring = RINGS; ring >= 0 && done && reach > 0.0; ring--) {
        s.to = ldexp(reach, -ring);
        done = search_ring(&s) && keep_pairs(&s);
        s.from = s.to;
    }
    if (done)
        sort_links(&s);
    done = done && take_links(&s, links);
    *count = done ? s.kept_count : 0;
    RLTI_FREE(s.strand, s.used, s.along, s.places, s.pairs, s.kept);
    return done;
}
