/* Locks: the space between guides is full of locks of different sizes, each with a curl of its own, and hairs
 * gather in them. Formulas: docs/design/fill.md. */
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "fill/fill_data.h"

/* Groups that the hairs of a lock may gather in. */
enum { GROUPS = 5 };

/* The edge of hair is looked for only where there are guides enough to tell it. */
enum { EDGE_GUIDES = 40 };
#define EDGE_REACH 2.6 /* in mean distances of guides */

static double lock_random(const rlt_fill *fill, int lock, int stream) {
    return rlti_random(fill->def.seed, (uint64_t)lock, (uint64_t)RANDOM_LOCK + (uint64_t)stream);
}

/* ---- the edge of the hair ---- */

/* From each guide to the middle of those around it, in mean distances: long where hair ends on one side. */
static void find_edges(const rlt_fill *fill, rlti_vec3 *inwards) {
    double reach = EDGE_REACH * fill->spacing;
    for (int g = 0; g < fill->guide_count; g++) {
        rlti_vec3 sum = rlti_v3(0, 0, 0);
        int count = 0;
        for (int other = 0; other < fill->guide_count; other++) {
            rlti_vec3 to = rlti_sub(fill->roots[other], fill->roots[g]);
            if (other == g || fill->guides[other].group != fill->guides[g].group ||
                !(rlti_dot(to, to) < reach * reach))
                continue;
            sum = rlti_add(sum, to);
            count++;
        }
        inwards[g] = count > 0 ? rlti_scale(1.0 / (count * fill->spacing), sum) : sum;
    }
}

/* How far outside a root is: 0 within, 1 beyond the last guides. */
static double edge_at(const rlt_fill *fill, const rlti_vec3 *inwards, int g, rlti_vec3 root) {
    double length = rlti_length(inwards[g]);
    if (!(length > 0.0))
        return 0.0;
    double out =
        -rlti_dot(rlti_sub(root, fill->roots[g]), inwards[g]) / (length * fill->spacing); /* -1 .. 1 */
    return rlti_smoothstep((length - 0.35) / 0.4) * rlti_smoothstep(0.35 + out);
}

/* ---- where they are ---- */

static void place_lock(rlt_fill *fill, const void *lists, int g, int j) {
    const rlt_fill_def *def = &fill->def;
    int index = g * def->locks + j;
    rlti_fill_lock *lock = &fill->locks[index];
    /* the first is around the guide, the others about evenly around it, smaller and smaller */
    double turn = 0.61803398875 * j + lock_random(fill, g * def->locks, 0);
    double radius = j == 0 ? 0.0 : def->spread * fill->spacing * sqrt((j + 0.2) / def->locks);
    double u = radius * rlti_cos(2.0 * RLTI_PI * turn), v = radius * rlti_sin(2.0 * RLTI_PI * turn);
    rlti_vec3 root = rlti_fill_place_root(fill, g, u, v, &lock->middle.triangle, lock->middle.at);
    rlti_fill_choose(fill, lists, g, root, &lock->middle);
    lock->middle.home = g;
    lock->offset = rlti_sub(root, fill->roots[g]);
    double size =
        0.6 + 0.8 * lock_random(fill, index, 1) * lock_random(fill, index, 2) + (j == 0 ? 0.3 : 0.0);
    lock->weight = (float)size;
    double apart = def->spread * fill->spacing / sqrt((double)def->locks);
    lock->radius = (float)(size * (def->lock_radius > 0.0 ? def->lock_radius : 0.5 * apart));
    double phase = j == 0 ? 0.0 : def->phase * RLTI_PI / 180.0 * (2.0 * lock_random(fill, index, 3) - 1.0);
    lock->cosine = (float)rlti_cos(phase);
    lock->sine = (float)rlti_sin(phase);
    lock->wide = j == 0 ? 1.0f : (float)(0.75 + 0.4 * lock_random(fill, index, 4));
    lock->keep = j == 0 ? 1.0f : (float)(1.0 - 0.6 * def->length_variation * lock_random(fill, index, 5));
}

/* The lock of guide g that a root belongs to: the nearest, large ones reaching farther. */
static int lock_of(const rlt_fill *fill, int g, rlti_vec3 offset) {
    int best = g * fill->def.locks;
    double nearest = HUGE_VAL;
    for (int j = 0; j < fill->def.locks; j++) {
        const rlti_fill_lock *lock = &fill->locks[g * fill->def.locks + j];
        double distance = rlti_length(rlti_sub(offset, lock->offset)) / (double)lock->weight;
        if (distance < nearest) {
            nearest = distance;
            best = g * fill->def.locks + j;
        }
    }
    return best;
}

static void place_strand(rlt_fill *fill, const rlti_vec3 *inwards, long long h) {
    const rlt_fill_def *def = &fill->def;
    rlti_fill_strand *strand = &fill->strands[h];
    int g = (int)(h % fill->guide_count);
    uint64_t id = (uint64_t)h;
    if (h < fill->guide_count) { /* the guide */
        *strand = (rlti_fill_strand){.lock = g * def->locks, .triangle = -1};
        return;
    }
    double reach = def->spread * fill->spacing;
    double radius = reach * sqrt(rlti_random(def->seed, id, RANDOM_RADIUS));
    double angle = 2.0 * RLTI_PI * rlti_random(def->seed, id, RANDOM_ANGLE);
    double u = radius * rlti_cos(angle), v = radius * rlti_sin(angle);
    rlti_vec3 root = rlti_fill_place_root(fill, g, u, v, &strand->triangle, strand->at);
    double edge = inwards != NULL ? def->hairline * edge_at(fill, inwards, g, root) : 0.0;
    if (edge > 0.0 && rlti_random(def->seed, id, RANDOM_EDGE) < 0.75 * edge) { /* grows inside instead */
        root = rlti_fill_place_root(fill, g, -u, -v, &strand->triangle, strand->at);
        edge = def->hairline * edge_at(fill, inwards, g, root);
    }
    strand->edge = (float)(edge * rlti_random(def->seed, id, RANDOM_EDGE + 1));
    strand->lock = lock_of(fill, g, rlti_sub(root, fill->roots[g]));
}

int rlti_locks_place(rlt_fill *fill, const void *lists) {
    rlti_vec3 *inwards = NULL;
    for (int g = 0; g < fill->guide_count; g++)
        for (int j = 0; j < fill->def.locks; j++)
            place_lock(fill, lists, g, j);
    if (fill->def.hairline > 0.0 && fill->guide_count >= EDGE_GUIDES) {
        inwards = RLTI_NEW(rlti_vec3, fill->guide_count);
        if (inwards == NULL)
            return 0;
        find_edges(fill, inwards);
    }
    for (long long h = 0; h < fill->hair_count; h++)
        place_strand(fill, inwards, h);
    rlti_free(inwards);
    return 1;
}

/* ---- frame by frame ---- */

static void take_lock(rlt_fill *fill, int index, rlti_fill_scratch *r) {
    const rlti_fill_lock *lock = &fill->locks[index];
    int n = fill->samples;
    const float turned[2] = {lock->cosine, lock->sine};
    rlti_fill_wind(fill, &lock->middle, turned, lock->wide, (float)fill->def.clump_large, n, r, r->points);
    float *at = rlti_lock_row(fill, index, LOCK_AT), *normal = rlti_lock_row(fill, index, LOCK_N),
          *across = rlti_lock_row(fill, index, LOCK_B);
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        for (int i = 0; i < n; i++) {
            at[k * n + i] = r->points[3 * i + k];
            normal[k * n + i] = r->normal[k][i];
            across[k * n + i] = r->tangent[a][i] * r->normal[b][i] - r->tangent[b][i] * r->normal[a][i];
        }
    }
}

void rlti_locks_take(rlt_fill *fill) {
    rlti_fill_scratch r;
    for (int lock = 0; lock < fill->guide_count * fill->def.locks; lock++)
        take_lock(fill, lock, &r);
}

/* ---- hairs ---- */

/* A guide as it is. */
static int copy_guide(const rlt_fill *fill, int g, float *points) {
    int n = fill->samples;
    const float *at = rlti_fill_row(fill, g, FILL_AT);
    const float world[3] = {(float)fill->roots[g].x, (float)fill->roots[g].y, (float)fill->roots[g].z};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            points[3 * i + k] = world[k] + at[k * n + i];
    return n;
}

/* A place in the unit disc. */
static void in_disc(uint64_t seed, uint64_t id, uint64_t stream, float at[2]) {
    double radius = sqrt(rlti_random(seed, id, stream));
    double angle = 2.0 * RLTI_PI * rlti_random(seed, id, stream + 1);
    at[0] = (float)(radius * rlti_cos(angle));
    at[1] = (float)(radius * rlti_sin(angle));
}

int rlti_locks_hair(const rlt_fill *fill, long long h, float *points) {
    const rlt_fill_def *def = &fill->def;
    const rlti_fill_strand *strand = &fill->strands[h];
    const rlti_fill_lock *lock = &fill->locks[strand->lock];
    uint64_t id = (uint64_t)h;
    int n = fill->samples, g = (int)(h % fill->guide_count);
    if (h < fill->guide_count)
        return copy_guide(fill, g, points);
    float root[3], own[2], group[2];
    rlti_fill_root(fill, g, strand->triangle, strand->at, root);
    in_disc(def->seed, id, RANDOM_DISC, own);
    int chosen = (int)(GROUPS * rlti_random(def->seed, id, RANDOM_GROUP));
    in_disc(def->seed, (uint64_t)strand->lock * GROUPS + (uint64_t)chosen, RANDOM_LOCK + 6, group);
    double keep = (double)lock->keep *
                  (1.0 - 0.7 * def->length_variation * rlti_random(def->seed, id, RANDOM_LENGTH)) *
                  (1.0 - 0.8 * (double)strand->edge);
    int count = 1 + (int)floor(keep * (n - 1) + 0.5);
    count = count < 2 ? 2 : count;
    const float *at = rlti_lock_row(fill, strand->lock, LOCK_AT);
    const float *normal = rlti_lock_row(fill, strand->lock, LOCK_N);
    const float *across = rlti_lock_row(fill, strand->lock, LOCK_B);
    float d[3] = {root[0] - at[0], root[1] - at[n], root[2] - at[2 * n]};
    float stray = rlti_random(def->seed, id, RANDOM_STRAY) < def->strays ? 0.2f : 1.0f;
    float clump = stray * (float)def->clump, narrow = (float)def->wisp_tip - 1.0f,
          last = 1.0f / (float)(n - 1);
    for (int i = 0; i < count; i++) {
        float ramp = rlti_fill_ramp(fill, i), q = clump * ramp, gather = (float)def->clump_small * ramp;
        float size = q * lock->radius * (1.0f + narrow * (float)i * last);
        float u = size * (own[0] + gather * (group[0] - own[0]));
        float v = size * (own[1] + gather * (group[1] - own[1]));
        for (int k = 0; k < 3; k++)
            points[3 * i + k] =
                at[k * n + i] + (1.0f - q) * d[k] + u * normal[k * n + i] + v * across[k * n + i];
    }
    return count;
}
