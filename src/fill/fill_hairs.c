/* Hairs of one frame, from the guides of it. Everything is a loop over the samples of one hair. */
#include <string.h>

#include "base/random.h"
#include "fill/fill_data.h"

static void add_rows(float (*to)[RLT_FILL_POINTS_MAX], const float *rows, int samples, int count,
                     float share) {
    for (int k = 0; k < 3; k++) {
        const float *row = rows + (size_t)k * (size_t)samples;
        float *sum = to[k];
        for (int i = 0; i < count; i++)
            sum[i] += share * row[i];
    }
}

static void clear_rows(float (*rows)[RLT_FILL_POINTS_MAX], int count) {
    for (int k = 0; k < 3; k++)
        memset(rows[k], 0, (size_t)count * sizeof(float));
}

/* One sum of unit vectors made unit again; where they cancel, `instead`. Rows do not overlap: a compiler may
 * take several samples at once, also because no branch is left. */
static void make_unit(float *restrict x, float *restrict y, float *restrict z, const float *restrict instead,
                      int samples, int count) {
    for (int i = 0; i < count; i++) {
        float ax = x[i], ay = y[i], az = z[i];
        float bx = instead[i], by = instead[samples + i], bz = instead[2 * samples + i];
        float square = ax * ax + ay * ay + az * az;
        float good = square > 1e-4f ? 1.0f : 0.0f;
        ax = good * ax + (1.0f - good) * bx;
        ay = good * ay + (1.0f - good) * by;
        az = good * az + (1.0f - good) * bz;
        float one = 1.0f / sqrtf(good * square + (1.0f - good));
        x[i] = ax * one;
        y[i] = ay * one;
        z[i] = az * one;
    }
}

/* The component of n across t. */
static void make_across(float *restrict nx, float *restrict ny, float *restrict nz, const float *restrict tx,
                        const float *restrict ty, const float *restrict tz, int count) {
    for (int i = 0; i < count; i++) {
        float along = nx[i] * tx[i] + ny[i] * ty[i] + nz[i] * tz[i];
        nx[i] -= along * tx[i];
        ny[i] -= along * ty[i];
        nz[i] -= along * tz[i];
    }
}

/* Blended directions are made orthonormal again. Where they cancel, those of the first guide stand. */
static void straighten(rlti_fill_scratch *r, const float *tangent, const float *normal, int samples,
                       int count) {
    make_unit(r->tangent[0], r->tangent[1], r->tangent[2], tangent, samples, count);
    make_across(r->normal[0], r->normal[1], r->normal[2], r->tangent[0], r->tangent[1], r->tangent[2], count);
    make_unit(r->normal[0], r->normal[1], r->normal[2], normal, samples, count);
}

/* The curl of the first guide, turned by the hair's own angle and as wide as its guides' curls are in the
 * mean, wound around the middle line. */
static void wind(const rlti_fill_scratch *r, const float *curl, int samples, int count, float cosine,
                 float sine, float wide, float *points) {
    for (int i = 0; i < count; i++) {
        float a = wide * (cosine * curl[i] - sine * curl[samples + i]);
        float b = wide * (sine * curl[i] + cosine * curl[samples + i]);
        float c = curl[2 * samples + i];
        float tx = r->tangent[0][i], ty = r->tangent[1][i], tz = r->tangent[2][i];
        float nx = r->normal[0][i], ny = r->normal[1][i], nz = r->normal[2][i];
        points[3 * i] = r->core[0][i] + a * nx + b * (ty * nz - tz * ny) + c * tx;
        points[3 * i + 1] = r->core[1][i] + a * ny + b * (tz * nx - tx * nz) + c * ty;
        points[3 * i + 2] = r->core[2][i] + a * nz + b * (tx * ny - ty * nx) + c * tz;
    }
}

static void blend_curls(const rlt_fill *fill, const rlti_fill_hair *hair, const float turned[2], float wider,
                        int count, rlti_fill_scratch *r, float *points) {
    int n = fill->samples, first = hair->guide[0];
    float wide = 0.0f, own = fill->guides[first].radius;
    clear_rows(r->core, count);
    clear_rows(r->tangent, count);
    clear_rows(r->normal, count);
    for (int j = 0; j < hair->count; j++) {
        int g = hair->guide[j];
        add_rows(r->core, rlti_fill_row(fill, g, FILL_CORE), n, count, hair->share[j]);
        add_rows(r->tangent, rlti_fill_row(fill, g, FILL_T), n, count, hair->share[j]);
        add_rows(r->normal, rlti_fill_row(fill, g, FILL_N), n, count, hair->share[j]);
        wide += hair->share[j] * fill->guides[g].radius;
    }
    wide = own > 0.0f ? wide / own : 1.0f;
    wide = wider * (wide < 0.5f ? 0.5f : (wide > 2.0f ? 2.0f : wide));
    straighten(r, rlti_fill_row(fill, first, FILL_T), rlti_fill_row(fill, first, FILL_N), n, count);
    wind(r, rlti_fill_row(fill, first, FILL_CURL), n, count, turned[0], turned[1], wide, points);
}

static void blend_points(const rlt_fill *fill, const rlti_fill_hair *hair, int count, rlti_fill_scratch *r,
                         float *points) {
    clear_rows(r->core, count);
    for (int j = 0; j < hair->count; j++)
        add_rows(r->core, rlti_fill_row(fill, hair->guide[j], FILL_AT), fill->samples, count, hair->share[j]);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            points[3 * i + k] = r->core[k][i];
}

void rlti_fill_root(const rlt_fill *fill, int g, int triangle, const float at[3], float root[3]) {
    int n = fill->samples;
    rlti_vec3 from = fill->roots[g];
    if (triangle >= 0) {
        const int *corner = fill->triangles + 3 * (size_t)triangle;
        double sum[3] = {0.0, 0.0, 0.0};
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                sum[k] += (double)at[c] * fill->corners[3 * (size_t)corner[c] + (size_t)k];
        for (int k = 0; k < 3; k++)
            root[k] = (float)sum[k];
        return;
    }
    const float *t = rlti_fill_row(fill, g, FILL_T), *m = rlti_fill_row(fill, g, FILL_N);
    float b[3] = {t[n] * m[2 * n] - t[2 * n] * m[n], t[2 * n] * m[0] - t[0] * m[2 * n],
                  t[0] * m[n] - t[n] * m[0]};
    const double origin[3] = {from.x, from.y, from.z};
    for (int k = 0; k < 3; k++)
        root[k] = (float)(origin[k] + (double)(at[0] * m[(size_t)k * (size_t)n] + at[1] * b[k] +
                                               at[2] * t[(size_t)k * (size_t)n]));
}

/* Points are moved so that the first is the root, and are drawn to the first guide towards the tip. */
static void place(const rlt_fill *fill, const rlti_fill_hair *hair, float clump, int count, float *points) {
    int n = fill->samples, g = hair->guide[0];
    const float *guide = rlti_fill_row(fill, g, FILL_AT);
    float root[3], world[3] = {(float)fill->roots[g].x, (float)fill->roots[g].y, (float)fill->roots[g].z};
    rlti_fill_root(fill, hair->home, hair->triangle, hair->at, root);
    float start[3] = {points[0] - root[0], points[1] - root[1], points[2] - root[2]};
    for (int i = 0; i < count; i++) {
        float pull = clump * rlti_fill_ramp(fill, i);
        for (int k = 0; k < 3; k++) {
            float free = points[3 * i + k] - start[k];
            points[3 * i + k] = free + pull * (world[k] + guide[(size_t)k * (size_t)n + (size_t)i] - free);
        }
    }
}

void rlti_fill_wind(const rlt_fill *fill, const rlti_fill_hair *middle, const float turned[2], float wide,
                    float pull, int count, rlti_fill_scratch *r, float *points) {
    blend_curls(fill, middle, turned, wide, count, r, points);
    place(fill, middle, pull, count, points);
}

/* A wisp: the guide, and around it an offset in its frames that narrows towards the tip. */
static void follow(const rlt_fill *fill, const rlti_fill_hair *hair, int count, float *points) {
    int n = fill->samples, g = hair->guide[0];
    const float *at = rlti_fill_row(fill, g, FILL_AT), *t = rlti_fill_row(fill, g, FILL_T);
    const float *m = rlti_fill_row(fill, g, FILL_N);
    float world[3] = {(float)fill->roots[g].x, (float)fill->roots[g].y, (float)fill->roots[g].z};
    float tip = (float)fill->def.wisp_tip;
    for (int i = 0; i < count; i++) {
        float wide = 1.0f + (tip - 1.0f) * (float)i / (float)(n - 1);
        float u = wide * hair->at[0], v = wide * hair->at[1];
        float tx = t[i], ty = t[n + i], tz = t[2 * n + i], nx = m[i], ny = m[n + i], nz = m[2 * n + i];
        points[3 * i] = world[0] + at[i] + u * nx + v * (ty * nz - tz * ny);
        points[3 * i + 1] = world[1] + at[n + i] + u * ny + v * (tz * nx - tx * nz);
        points[3 * i + 2] = world[2] + at[2 * n + i] + u * nz + v * (tx * ny - ty * nx);
    }
}

/* A wave is at least so many samples long: shorter ones would be corners, not waves. */
enum { WAVE_SAMPLES = 4 };

/* Two waves per axis, `maximum` high and `wave_length` long, of the random numbers from `from` on. A wave
 * is a pointer on a circle that turns by the same step from sample to sample, so that no sine is taken
 * inside; the axes of a wave differ by where they begin. */
static void add_waves(const rlt_fill *fill, long long h, double maximum, double wave_length, uint64_t from,
                      int count, float *points) {
    enum { AXES = 3, WAVES = 2 };
    const rlt_fill_def *def = &fill->def;
    double length = fill->guides[h % fill->guide_count].length;
    float c[WAVES][AXES], s[WAVES][AXES], dc[WAVES], ds[WAVES];
    for (int wave = 0; wave < WAVES; wave++) {
        uint64_t stream = from + (uint64_t)wave * (AXES + 1);
        double turns =
            length / wave_length * (wave + 0.6 + 0.8 * rlti_random(def->seed, (uint64_t)h, stream));
        double step = 2.0 * RLTI_PI * fmin(turns / (fill->samples - 1), 1.0 / WAVE_SAMPLES),
               high = maximum / (1.0 + wave);
        dc[wave] = (float)rlti_cos(step);
        ds[wave] = (float)rlti_sin(step);
        for (int k = 0; k < AXES; k++) {
            double start = 2.0 * RLTI_PI * rlti_random(def->seed, (uint64_t)h, stream + 1 + (uint64_t)k);
            c[wave][k] = (float)(high * rlti_cos(start));
            s[wave][k] = (float)(high * rlti_sin(start));
        }
    }
    float last = 1.0f / (float)(fill->samples - 1);
    for (int i = 0; i < count; i++) {
        float grow = (float)i * last;
        for (int k = 0; k < AXES; k++)
            points[3 * i + k] += grow * (s[0][k] + s[1][k]);
        for (int wave = 0; wave < WAVES; wave++)
            for (int k = 0; k < AXES; k++) {
                float next = c[wave][k] * dc[wave] - s[wave][k] * ds[wave];
                s[wave][k] = s[wave][k] * dc[wave] + c[wave][k] * ds[wave];
                c[wave][k] = next;
            }
    }
}

/* Points of a hair that is shorter by this share. */
static int points_of(const rlt_fill *fill, double shorter) {
    int count = 1 + (int)floor((1.0 - shorter) * (fill->samples - 1) + 0.5);
    return count < 2 ? 2 : count;
}

/* A hair blended by itself, or one of a wisp. */
static int make_blend(const rlt_fill *fill, long long h, rlti_fill_scratch *r, float *points) {
    const rlt_fill_def *def = &fill->def;
    const rlti_fill_hair *hair = &fill->hairs[h];
    int is_guide = h < fill->guide_count;
    double shorter =
        is_guide ? 0.0 : def->length_variation * rlti_random(def->seed, (uint64_t)h, RANDOM_LENGTH);
    int count = points_of(fill, shorter);
    double phase =
        is_guide ? 0.0
                 : def->phase * RLTI_PI / 180.0 * rlti_random_signed(def->seed, (uint64_t)h, RANDOM_PHASE);
    const float turned[2] = {(float)rlti_cos(phase), (float)rlti_sin(phase)};
    if (def->blend == RLT_FILL_WISPS) {
        follow(fill, hair, count, points);
    } else if (def->blend == RLT_FILL_CURLS) {
        rlti_fill_wind(fill, hair, turned, 1.0f, (float)def->clump, count, r, points);
    } else {
        blend_points(fill, hair, count, r, points);
        place(fill, hair, (float)def->clump, count, points);
    }
    return count;
}

/* Strays go far: their slow waves are so many times as high, and as long. */
#define STRAY_HIGH 6.0
#define STRAY_LONG 3.0

static void add_disorder(const rlt_fill *fill, long long h, int count, float *points) {
    const rlt_fill_def *def = &fill->def;
    int stray = rlti_random(def->seed, (uint64_t)h, RANDOM_STRAY) < def->strays;
    if (def->noise > 0.0)
        add_waves(fill, h, (stray ? STRAY_HIGH : 1.0) * def->noise,
                  (stray ? STRAY_LONG : 1.0) * def->noise_length, RANDOM_NOISE, count, points);
    if (def->frizz > 0.0)
        add_waves(fill, h, def->frizz, def->frizz_length, RANDOM_FRIZZ, count, points);
}

static int make_hair(const rlt_fill *fill, long long h, rlti_fill_scratch *r, float *points, float *widths) {
    const rlt_fill_def *def = &fill->def;
    int is_guide = h < fill->guide_count; /* the first hair of each guide is as the guide is */
    int count = fill->locks != NULL ? rlti_locks_hair(fill, h, points) : make_blend(fill, h, r, points);
    float wide = (float)def->width * fill->guides[h % fill->guide_count].width, tip = (float)def->tip;
    float start = (float)def->tip_start, scale = start < 1.0f ? 1.0f / (1.0f - start) : 0.0f;
    if (fill->locks != NULL)
        wide *= 1.0f - 0.5f * fill->strands[h].edge;
    if (!is_guide) {
        add_disorder(fill, h, count, points);
        rlti_fill_keep_outside(fill, wide, count, points);
    }
    for (int i = 0; i < count; i++) {
        float s = ((float)i / (float)(count - 1) - start) * scale;
        s = s > 0.0f ? s : 0.0f;
        widths[i] = wide * (1.0f + (tip - 1.0f) * s * s);
    }
    return count;
}

void rlt_fill_block(const rlt_fill *fill, long long first, int count, float *points, float *widths,
                    int *counts) {
    rlti_fill_scratch r;
    size_t n = (size_t)fill->samples;
    for (int i = 0; i < count; i++) {
        const rlt_fill *from = fill;
        long long hair = first + i;
        if (fill->parts != NULL) {
            from = fill->parts[fill->order[hair].part];
            hair = fill->order[hair].hair;
        }
        counts[i] = make_hair(from, hair, &r, points + 3 * n * (size_t)i, widths + n * (size_t)i);
    }
}
