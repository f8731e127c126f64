/* Poisson-disc placement: many candidates spread by area, taken in turn if no taken one is within a distance;
 * the distance shrinks until exactly the asked number is reached. Neighbours come from a hash of cells, and
 * only for candidates whose last known neighbour is no longer too near, so the cost grows only linearly with
 * the count. */
#include "groom/placement.h"

#include "base/memory.h"
#include "base/random.h"

enum { CANDIDATES_PER_ROOT = 16 };

/* Streams of random numbers used here; generate.c begins at 16. */
enum { STREAM_START, STREAM_U, STREAM_V };

static double triangle_area(const rlti_mesh *mesh, int t) {
    const int *v = mesh->triangles[t];
    rlti_vec3 a = mesh->vertices[v[0]];
    return 0.5 *
           rlti_length(rlti_cross(rlti_sub(mesh->vertices[v[1]], a), rlti_sub(mesh->vertices[v[2]], a)));
}

static int in_region(const rlti_mesh *mesh, int t, int region) {
    return (mesh->regions[t] >> region) & 1u;
}

double rlti_region_area(const rlti_mesh *mesh, int region) {
    double area = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++)
        if (in_region(mesh, t, region))
            area += triangle_area(mesh, t);
    return area;
}

typedef struct discs {
    rlti_root *candidates;
    int *next;   /* [candidates] chain of taken candidates in the same bucket, -1 ends */
    char *taken; /* [candidates] */
    double *gap; /* [candidates] to some taken one, the nearest met so far; those once taken stay */
    int *bucket; /* [bucket_count] head of the chain */
    int candidate_count;
    int bucket_count; /* a power of two */
    double distance;
} discs;

/* First triangle whose running area exceeds `area`. */
static int find_triangle(const double *running, int count, double area) {
    int low = 0;
    int high = count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (running[middle] > area)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Candidate i lies at the golden-ratio sequence's i-th fraction of the region's area: successive candidates
 * are far apart, and any number of them covers all of the region alike. */
static void make_candidates(const rlti_mesh *mesh, const double *running, uint64_t seed, discs *d) {
    const double golden = 0.6180339887498949;
    double total = running[mesh->triangle_count - 1];
    double start = rlti_random(seed, 0, STREAM_START);
    for (int i = 0; i < d->candidate_count; i++) {
        double fraction = start + golden * (double)i;
        fraction -= floor(fraction);
        int t = find_triangle(running, mesh->triangle_count, fraction * total);
        double u = rlti_random(seed, (uint64_t)i, STREAM_U);
        double v = rlti_random(seed, (uint64_t)i, STREAM_V);
        if (u + v > 1.0) {
            u = 1.0 - u;
            v = 1.0 - v;
        }
        rlti_root *root = &d->candidates[i];
        *root = (rlti_root){.triangle = t, .barycentric = {1.0 - u - v, u, v}, .bone = RLTI_BONE_HEAD};
        const int *c = mesh->triangles[t];
        for (int k = 0; k < 3; k++)
            root->position = rlti_madd(root->position, root->barycentric[k], mesh->vertices[c[k]]);
    }
}

static int cell_of(double x, double cell) {
    return (int)floor(x / cell);
}

static int bucket_of(const discs *d, int i, int j, int k) {
    uint64_t key = (uint64_t)(uint32_t)i * 0x9e3779b1u ^ ((uint64_t)(uint32_t)j << 21) * 0x85ebca77u ^
                   ((uint64_t)(uint32_t)k << 42);
    return (int)(rlti_hash64(key) & (uint64_t)(d->bucket_count - 1));
}

static int is_free(discs *d, int candidate) {
    rlti_vec3 p = d->candidates[candidate].position;
    if (d->gap[candidate] < d->distance)
        return 0;
    int ci = cell_of(p.x, d->distance), cj = cell_of(p.y, d->distance), ck = cell_of(p.z, d->distance);
    for (int n = 0; n < 27; n++) {
        int bucket = bucket_of(d, ci + n % 3 - 1, cj + n / 3 % 3 - 1, ck + n / 9 - 1);
        for (int c = d->bucket[bucket]; c >= 0; c = d->next[c]) {
            double gap = rlti_length(rlti_sub(d->candidates[c].position, p));
            if (gap < d->distance) {
                d->gap[candidate] = gap;
                return 0;
            }
        }
    }
    return 1;
}

static void enter(discs *d, int candidate) {
    rlti_vec3 p = d->candidates[candidate].position;
    int bucket =
        bucket_of(d, cell_of(p.x, d->distance), cell_of(p.y, d->distance), cell_of(p.z, d->distance));
    d->next[candidate] = d->bucket[bucket];
    d->bucket[bucket] = candidate;
}

/* One pass over the candidates at the present distance. Returns how many roots there are afterwards. */
static int take_free(discs *d, int have, int count, rlti_root *roots) {
    for (int b = 0; b < d->bucket_count; b++)
        d->bucket[b] = -1;
    for (int c = 0; c < d->candidate_count; c++)
        if (d->taken[c])
            enter(d, c);
    for (int c = 0; c < d->candidate_count && have < count; c++) {
        if (d->taken[c] || !is_free(d, c))
            continue;
        d->taken[c] = 1;
        roots[have++] = d->candidates[c];
        enter(d, c);
    }
    return have;
}

static void fill_roots(discs *d, int have, int count, rlti_root *roots) {
    for (int c = 0; c < d->candidate_count && have < count; c++)
        if (!d->taken[c])
            roots[have++] = d->candidates[c];
}

int rlti_place_roots(const rlti_mesh *mesh, int region, int count, uint64_t seed, rlti_root *roots) {
    discs d = {0};
    int done = 0;
    d.candidate_count = count > INT32_MAX / CANDIDATES_PER_ROOT ? count : CANDIDATES_PER_ROOT * count;
    d.bucket_count = 1;
    while (d.bucket_count < count && d.bucket_count < (1 << 24))
        d.bucket_count *= 2;
    double *running = RLTI_NEW(double, mesh->triangle_count);
    if (RLTI_ALLOCATE(RLTI_ITEMS(d.candidates, d.candidate_count), RLTI_ITEMS(d.next, d.candidate_count),
                      RLTI_ITEMS(d.taken, d.candidate_count), RLTI_ITEMS(d.gap, d.candidate_count),
                      RLTI_ITEMS(d.bucket, d.bucket_count)) &&
        running != NULL) {
        double total = 0.0;
        for (int t = 0; t < mesh->triangle_count; t++) {
            total += in_region(mesh, t, region) ? triangle_area(mesh, t) : 0.0;
            running[t] = total;
        }
        make_candidates(mesh, running, seed, &d);
        for (int c = 0; c < d.candidate_count; c++)
            d.gap[c] = HUGE_VAL;
        /* 1.07 sqrt(area per root) is the spacing of the densest (hexagonal) packing */
        d.distance = 1.07 * sqrt(total / count);
        double minimum = 1e-3 * d.distance;
        int have = 0;
        for (; have < count && d.distance > minimum; d.distance *= 0.95)
            have = take_free(&d, have, count, roots);
        fill_roots(&d, have, count, roots);
        done = 1;
    }
    RLTI_FREE(running, d.candidates, d.next, d.taken, d.gap, d.bucket);
    return done;
}
