/* Hair as a cloud: how many hairs a ray crosses per unit of its path, and in which direction they run, in
 * cells of a grid. Light that comes from afar, or has bounced, has met too many hairs for single ones to
 * matter; their density gives the mean of what tracing each would, without its noise and at a fraction of its
 * time (as J. T. Moon and others do for scattered light: Efficient Multiple Scattering in Hair Using
 * Spherical Harmonics, SIGGRAPH 2008). */

#include "base/memory.h"
#include "base/messages.h"
#include "render/trace_sample.h"

static const float ACROSS_ALL = 0.617f; /* (pi/4)^2: mean sine of directions all around, squared */

/* The point in the middle of the shutter. */
static rlti_f3 place_at(const rlti_hairs *hairs, size_t vertex) {
    const float *a = hairs->vertices[0] + 4 * vertex;
    rlti_f3 place = rlti_f3_of(a[0], a[1], a[2]);
    if (hairs->steps == 2) {
        const float *b = hairs->vertices[1] + 4 * vertex;
        place = rlti_f3_scale(0.5f, rlti_f3_add(place, rlti_f3_of(b[0], b[1], b[2])));
    }
    return place;
}

/* ---- making it ---- */

/* Shares a weight among the eight cells whose middles are around the place. The grid has an empty rim. */
static void deposit(rlti_density *density, rlti_f3 place, float weight, rlti_f3 direction) {
    float at[3] = {(place.x - density->low.x) * density->inverse - 0.5f,
                   (place.y - density->low.y) * density->inverse - 0.5f,
                   (place.z - density->low.z) * density->inverse - 0.5f};
    int cell[3];
    for (int c = 0; c < 3; c++) {
        cell[c] = (int)at[c];
        if (!(at[c] >= 0.0f) || cell[c] > density->size[c] - 2)
            return;
        at[c] -= (float)cell[c];
    }
    for (int corner = 0; corner < 8; corner++) {
        int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
        float w =
            weight * (x ? at[0] : 1.0f - at[0]) * (y ? at[1] : 1.0f - at[1]) * (z ? at[2] : 1.0f - at[2]);
        size_t index = ((size_t)(cell[2] + z) * (size_t)density->size[1] + (size_t)(cell[1] + y)) *
                           (size_t)density->size[0] +
                       (size_t)(cell[0] + x);
        float *to = density->cells + 4 * index;
        to[0] += w;
        to[1] += w * direction.x;
        to[2] += w * direction.y;
        to[3] += w * direction.z;
    }
}

static void deposit_hair(rlti_density *density, const rlti_hairs *hairs, long long hair, float scale) {
    size_t first = (size_t)hair * (size_t)hairs->stride + 1;
    for (int i = 0; i + 1 < hairs->counts[hair]; i++) {
        rlti_f3 a = place_at(hairs, first + (size_t)i), b = place_at(hairs, first + (size_t)i + 1);
        rlti_f3 chord = rlti_f3_sub(b, a);
        float length = sqrtf(rlti_f3_dot(chord, chord));
        if (!(length > 0.0f))
            continue;
        float width = hairs->vertices[0][4 * (first + (size_t)i) + 3] +
                      hairs->vertices[0][4 * (first + (size_t)i) + 7]; /* two radii */
        int parts = 1 + (int)rlti_min(length * density->inverse, 64.0f);
        float weight = scale * width * length / (float)parts;
        for (int k = 0; k < parts; k++)
            deposit(density, rlti_f3_madd(a, ((float)k + 0.5f) / (float)parts, chord), weight,
                    rlti_f3_scale(1.0f / length, chord));
    }
}

/* One hair of each run of so many stands for the run, any of them: hairs take turns around their guides, and
 * with every second one half of the guides would have no hair. At `count` and beyond there is none. */
static long long hair_of_run(long long run, long long every) {
    return run * every + (long long)(rlti_hash32((uint32_t)run) % (uint32_t)every);
}

static void extent_of(const rlti_hairs *hairs, long long every, rlti_f3 *low, rlti_f3 *high) {
    *low = rlti_f3_of(HUGE_VALF, HUGE_VALF, HUGE_VALF);
    *high = rlti_f3_scale(-1.0f, *low);
    for (long long run = 0, h; (h = hair_of_run(run, every)) < hairs->count; run++)
        for (int i = 0; i < hairs->counts[h]; i++) {
            rlti_f3 p = place_at(hairs, (size_t)h * (size_t)hairs->stride + 1 + (size_t)i);
            *low = rlti_f3_of(rlti_min(low->x, p.x), rlti_min(low->y, p.y), rlti_min(low->z, p.z));
            *high = rlti_f3_of(rlti_max(high->x, p.x), rlti_max(high->y, p.y), rlti_max(high->z, p.z));
        }
}

rlt_status rlti_density_create(rlti_density *density, const rlti_hairs *hairs, size_t enough, int cells,
                               rlt_messages *messages) {
    *density = (rlti_density){0};
    if (hairs->segment_count == 0)
        return RLT_OK;
    long long every = 1 + (long long)(hairs->segment_count / enough);
    rlti_f3 low, high;
    extent_of(hairs, every, &low, &high);
    rlti_f3 side = rlti_f3_sub(high, low);
    float longest = rlti_f3_largest(side);
    if (!(longest > 0.0f) || !(longest < 1e30f))
        return RLT_OK;
    density->cell = longest / (float)(cells - 3);
    density->inverse = 1.0f / density->cell;
    density->low = rlti_f3_sub(low, rlti_f3_of(density->cell, density->cell, density->cell));
    density->size[0] = (int)(side.x * density->inverse) + 3;
    density->size[1] = (int)(side.y * density->inverse) + 3;
    density->size[2] = (int)(side.z * density->inverse) + 3;
    size_t count = (size_t)density->size[0] * (size_t)density->size[1] * (size_t)density->size[2];
    density->cells = RLTI_NEW(float, 4 * count);
    if (density->cells == NULL)
        return rlti_out_of_memory(messages);
    /* one after the other: sums must not depend on the number of threads */
    for (long long run = 0, h; (h = hair_of_run(run, every)) < hairs->count; run++)
        deposit_hair(density, hairs, h, (float)every);
    float volume = density->cell * density->cell * density->cell;
    for (size_t i = 0; i < count; i++) {
        float *cell = density->cells + 4 * i;
        float inverse = cell[0] > 0.0f ? 1.0f / cell[0] : 0.0f;
        cell[0] /= volume;
        for (int c = 1; c < 4; c++)
            cell[c] *= inverse;
    }
    return RLT_OK;
}

void rlti_density_destroy(rlti_density *density) {
    rlti_free(density->cells);
    *density = (rlti_density){0};
}

void rlti_density_scale(rlti_density *density, float factor) {
    size_t count = (size_t)density->size[0] * (size_t)density->size[1] * (size_t)density->size[2];
    for (size_t i = 0; density->cells != NULL && i < count; i++)
        density->cells[4 * i] *= factor;
}

size_t rlti_density_bytes(const rlti_density *density) {
    return 16 * (size_t)density->size[0] * (size_t)density->size[1] * (size_t)density->size[2];
}

/* ---- going through it ---- */

/* A ray's path through the grid: steps of a cell first, of two cells farther on. */
typedef struct march {
    float at[3], step[3]; /* in cells */
    float distance;       /* at the middle of the next step [unit] */
    float length;         /* of a step [unit] */
    float end;            /* [unit] */
    int fine;             /* steps of a cell still to come */
} march;

enum { FINE_STEPS = 8 };

static march march_start(const rlti_density *density, const rlti_ray *ray, float jitter) {
    march m = {.end = -1.0f};
    const float origin[3] = {ray->origin.x - density->low.x, ray->origin.y - density->low.y,
                             ray->origin.z - density->low.z};
    const float direction[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    float from = ray->near, to = ray->far;
    if (density->cells == NULL)
        return m;
    for (int c = 0; c < 3; c++) {
        float high = (float)density->size[c] * density->cell;
        if (fabsf(direction[c]) > 1e-9f) {
            float a = -origin[c] / direction[c], b = (high - origin[c]) / direction[c];
            from = rlti_max(from, rlti_min(a, b));
            to = rlti_min(to, rlti_max(a, b));
        } else if (!(origin[c] >= 0.0f && origin[c] <= high)) {
            return m;
        }
    }
    m.distance = from + jitter * density->cell;
    m.length = density->cell;
    m.end = to;
    m.fine = FINE_STEPS;
    for (int c = 0; c < 3; c++) {
        m.at[c] = (origin[c] + m.distance * direction[c]) * density->inverse;
        m.step[c] = direction[c];
    }
    return m;
}

static inline int within_grid(float x, int size) {
    int cell = (int)x;
    return cell < 0 ? 0 : cell >= size ? size - 1 : cell;
}

/* The cell in the middle of the next step, whose length and place are set; NULL at the end. */
static inline const float *march_next(const rlti_density *density, march *m, float *length, float *distance) {
    if (!(m->distance < m->end))
        return NULL;
    int x = within_grid(m->at[0], density->size[0]), y = within_grid(m->at[1], density->size[1]),
        z = within_grid(m->at[2], density->size[2]);
    *length = m->length;
    *distance = m->distance;
    float steps = 1.0f; /* to the middle of the next step [cells] */
    if (--m->fine == 0) {
        m->length *= 2.0f;
        steps = 1.5f;
    } else if (m->fine < 0) {
        steps = 2.0f;
    }
    for (int c = 0; c < 3; c++)
        m->at[c] += steps * m->step[c];
    m->distance += steps * density->cell;
    return density->cells +
           4 * (((size_t)z * (size_t)density->size[1] + (size_t)y) * (size_t)density->size[0] + (size_t)x);
}

/* Sine of the angle between a ray and the hairs of a cell, squared: between hairs all of one direction and
 * hairs of all directions. */
static float across(const float *cell, rlti_f3 direction) {
    float order = cell[1] * cell[1] + cell[2] * cell[2] + cell[3] * cell[3];
    float along = direction.x * cell[1] + direction.y * cell[2] + direction.z * cell[3];
    return rlti_max(0.0f, ACROSS_ALL * (1.0f - order) + order - along * along);
}

rlti_f3 rlti_density_light(const rlti_density *density, const rlti_ray *ray, const rlti_forward *forward,
                           float jitter) {
    const float dark = 7.0f; /* in exponents: a thousandth */
    rlti_f3 depth = {0.0f, 0.0f, 0.0f};
    march m = march_start(density, ray, jitter);
    const float *cell;
    float length, distance;
    while ((cell = march_next(density, &m, &length, &distance)) != NULL) {
        if (!(cell[0] > 0.0f))
            continue;
        /* Poisson: the mean of pass^n over the number n of hairs crossed is exp(-mean (1 - pass)) */
        float square = across(cell, ray->direction);
        float crossed = cell[0] * length * sqrtf(square);
        rlti_f3 pass = rlti_forward_at(forward, sqrtf(rlti_max(0.0f, 1.0f - square)));
        depth = rlti_f3_madd(depth, crossed, rlti_f3_of(1.0f - pass.x, 1.0f - pass.y, 1.0f - pass.z));
        if (depth.x > dark && depth.y > dark && depth.z > dark)
            return rlti_f3_of(0.0f, 0.0f, 0.0f);
    }
    return rlti_f3_of(expf(-depth.x), expf(-depth.y), expf(-depth.z));
}

int rlti_density_meet(const rlti_density *density, const rlti_ray *ray, const float u[2], float *distance,
                      rlti_f3 *direction) {
    float until = -logf(rlti_max(1e-7f, 1.0f - u[0])); /* hairs crossed before one scatters */
    march m = march_start(density, ray, u[1]);
    const float *cell;
    float length;
    while ((cell = march_next(density, &m, &length, distance)) != NULL) {
        until -= cell[0] > 0.0f ? cell[0] * length * sqrtf(across(cell, ray->direction)) : 0.0f;
        if (until <= 0.0f) {
            *direction = rlti_f3_of(cell[1], cell[2], cell[3]);
            return 1;
        }
    }
    return 0;
}
