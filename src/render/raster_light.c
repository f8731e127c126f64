/* How much hair and body are between a place and each light.
 *
 * The cloud of hairs is swept once for each light, slice by slice away from it: light crosses up to a cell
 * what it crossed up to the slice before, where its path passes, and the cell itself. */
#include "base/memory.h"
#include "base/messages.h"
#include "render/raster.h"

enum { SOLID_SIDE = 160 };
#define SOLID 8.0f /* hairs that the body counts as */

static size_t cell_index(const rlti_density *d, const int at[3]) {
    return ((size_t)at[2] * (size_t)d->size[1] + (size_t)at[1]) * (size_t)d->size[0] + (size_t)at[0];
}

/* ---- sweeping ---- */

typedef struct sweep {
    const rlti_density *density;
    rlti_f3 direction; /* towards the light */
    float *crossed;    /* of this light in the first cell */
    int axis[3];       /* the steepest first */
    float offset[2];   /* cells by which the path moves sideways from slice to slice */
    int first, step;   /* slices, from the light */
    float length;      /* of the path through one [unit] */
    float own;
} sweep;

/* The mean of the slice before, where the path to the light passes. */
static float before(const sweep *s, int slice, float x, float y) {
    int nx = s->density->size[s->axis[1]], ny = s->density->size[s->axis[2]];
    int ix = (int)floorf(x), iy = (int)floorf(y);
    float fx = x - (float)ix, fy = y - (float)iy, sum = 0.0f;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) {
            int at[3], cx = ix + i, cy = iy + j;
            if (cx < 0 || cy < 0 || cx >= nx || cy >= ny)
                continue;
            at[s->axis[0]] = slice;
            at[s->axis[1]] = cx;
            at[s->axis[2]] = cy;
            sum += (i ? fx : 1.0f - fx) * (j ? fy : 1.0f - fy) *
                   s->crossed[RASTER_DEPTHS * cell_index(s->density, at)];
        }
    return sum;
}

/* Hairs that a path through this cell crosses. */
static float crossed_in(const float *cell, rlti_f3 direction, float length) {
    if (!(cell[0] > 0.0f))
        return 0.0f;
    float order = cell[1] * cell[1] + cell[2] * cell[2] + cell[3] * cell[3];
    float along = direction.x * cell[1] + direction.y * cell[2] + direction.z * cell[3];
    return cell[0] * length * sqrtf(rlti_max(0.0f, 0.617f * (1.0f - order) + order - along * along));
}

/* A cell of slice k, by its places along the other two axes. */
static size_t slice_cell(const sweep *s, int k, int x, int y) {
    int at[3];
    at[s->axis[0]] = s->first + k * s->step;
    at[s->axis[1]] = x;
    at[s->axis[2]] = y;
    return cell_index(s->density, at);
}

/* Takes back what a cell's hairs stand in the shadow of its own too much. */
static void lift_slice(const sweep *s, int k) {
    const rlti_density *d = s->density;
    int nx = d->size[s->axis[1]], ny = d->size[s->axis[2]];
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            size_t index = slice_cell(s, k, x, y);
            s->crossed[RASTER_DEPTHS * index] -=
                (1.0f - s->own) * crossed_in(d->cells + 4 * index, s->direction, s->length);
        }
}

static void sweep_slice(const sweep *s, int k) {
    const rlti_density *d = s->density;
    int nx = d->size[s->axis[1]], ny = d->size[s->axis[2]], slice = s->first + k * s->step;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            size_t index = slice_cell(s, k, x, y);
            float sum = crossed_in(d->cells + 4 * index, s->direction, s->length);
            if (k > 0)
                sum += before(s, slice - s->step, (float)x + s->offset[0], (float)y + s->offset[1]);
            s->crossed[RASTER_DEPTHS * index] = sum;
        }
}

static sweep sweep_of(const rlti_density *density, rlti_f3 direction, float own, float *crossed) {
    const float d[3] = {direction.x, direction.y, direction.z};
    int a = fabsf(d[0]) > fabsf(d[1]) ? 0 : 1;
    a = fabsf(d[2]) > fabsf(d[a]) ? 2 : a;
    sweep s = {.density = density, .direction = direction, .crossed = crossed, .own = own};
    s.axis[0] = a;
    s.axis[1] = a == 0 ? 1 : 0;
    s.axis[2] = a == 2 ? 1 : 2;
    s.offset[0] = d[s.axis[1]] / fabsf(d[a]);
    s.offset[1] = d[s.axis[2]] / fabsf(d[a]);
    s.first = d[a] > 0.0f ? density->size[a] - 1 : 0;
    s.step = d[a] > 0.0f ? -1 : 1;
    s.length = density->cell / fabsf(d[a]);
    return s;
}

typedef struct sweeps {
    sweep one[RASTER_DEPTHS];
} sweeps;

static void run_sweep(void *context, int index, int worker) {
    const sweep *s = &((sweeps *)context)->one[index];
    (void)worker;
    for (int k = 0; s->density != NULL && k < s->density->size[s->axis[0]]; k++)
        sweep_slice(s, k);
    for (int k = 0; s->density != NULL && s->own < 1.0f && k < s->density->size[s->axis[0]]; k++)
        lift_slice(s, k);
}

/* ---- the body ---- */

static void to_light(const rlti_raster_light *light, int l, rlti_f3 p, float at[3]) {
    at[0] = (rlti_f3_dot(p, light->axes[l][0]) - light->low[l][0]) * light->per_unit[l];
    at[1] = (rlti_f3_dot(p, light->axes[l][1]) - light->low[l][1]) * light->per_unit[l];
    at[2] = rlti_f3_dot(p, light->axes[l][2]);
}

/* Marks how far towards the light the triangle reaches, in every column that it covers. */
static void mark(float *solid, const float a[3], const float b[3], const float c[3]) {
    float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (!(fabsf(area) > 1e-9f))
        return;
    int x0 = (int)rlti_max(0.0f, ceilf(rlti_min(a[0], rlti_min(b[0], c[0]))));
    int x1 = (int)rlti_min(SOLID_SIDE - 1.0f, floorf(rlti_max(a[0], rlti_max(b[0], c[0]))));
    int y0 = (int)rlti_max(0.0f, ceilf(rlti_min(a[1], rlti_min(b[1], c[1]))));
    int y1 = (int)rlti_min(SOLID_SIDE - 1.0f, floorf(rlti_max(a[1], rlti_max(b[1], c[1]))));
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            float wb = (((float)x - a[0]) * (c[1] - a[1]) - ((float)y - a[1]) * (c[0] - a[0])) / area;
            float wc = ((b[0] - a[0]) * ((float)y - a[1]) - (b[1] - a[1]) * ((float)x - a[0])) / area;
            if (wb < 0.0f || wc < 0.0f || wb + wc > 1.0f)
                continue;
            float z = a[2] + wb * (b[2] - a[2]) + wc * (c[2] - a[2]);
            float *to = solid + y * SOLID_SIDE + x;
            *to = z > *to ? z : *to;
        }
}

static rlti_f3 vertex_of(const rlti_mesh_shape *body, uint32_t v) {
    const float *p = body->vertices[0] + 3 * (size_t)v;
    return rlti_f3_of(p[0], p[1], p[2]);
}

static rlt_status mark_body(rlti_raster_light *light, const rlti_world *world, int l,
                            rlt_messages *messages) {
    const rlti_mesh_shape *body = world->body;
    light->solid[l] = RLTI_NEW(float, SOLID_SIDE *SOLID_SIDE);
    if (light->solid[l] == NULL)
        return rlti_out_of_memory(messages);
    for (int i = 0; i < SOLID_SIDE * SOLID_SIDE; i++)
        light->solid[l][i] = -HUGE_VALF;
    light->axes[l][0] = world->lights[l].side[0];
    light->axes[l][1] = world->lights[l].side[1];
    light->axes[l][2] = world->lights[l].direction;
    float low[2] = {HUGE_VALF, HUGE_VALF}, high[2] = {-HUGE_VALF, -HUGE_VALF};
    for (int v = 0; v < body->vertex_count; v++)
        for (int c = 0; c < 2; c++) {
            float x = rlti_f3_dot(vertex_of(body, (uint32_t)v), light->axes[l][c]);
            low[c] = rlti_min(low[c], x);
            high[c] = rlti_max(high[c], x);
        }
    float side = rlti_max(1e-6f, rlti_max(high[0] - low[0], high[1] - low[1]));
    light->per_unit[l] = (SOLID_SIDE - 3) / side;
    for (int c = 0; c < 2; c++)
        light->low[l][c] = low[c] - 1.0f / light->per_unit[l];
    for (int t = 0; t < body->triangle_count; t++) {
        float at[3][3];
        for (int i = 0; i < 3; i++)
            to_light(light, l, vertex_of(body, body->triangles[3 * t + i]), at[i]);
        mark(light->solid[l], at[0], at[1], at[2]);
    }
    return RLT_OK;
}

/* Where there is hair, the body's shadow is added to the hair's. */
static void darken_layer(void *context, int z, int worker) {
    const rlti_raster_light *light = context;
    const rlti_density *d = light->density;
    (void)worker;
    for (int y = 0; y + 1 < d->size[1]; y++)
        for (int x = 0; x + 1 < d->size[0]; x++) {
            const int at[3] = {x, y, z};
            size_t index = cell_index(d, at), row = (size_t)d->size[0], layer = row * (size_t)d->size[1];
            if (!(d->cells[4 * index] + d->cells[4 * (index + 1)] + d->cells[4 * (index + row)] +
                      d->cells[4 * (index + layer)] + (x > 0 ? d->cells[4 * (index - 1)] : 0.0f) +
                      (y > 0 ? d->cells[4 * (index - row)] : 0.0f) +
                      (z > 0 ? d->cells[4 * (index - layer)] : 0.0f) >
                  0.0f))
                continue;
            rlti_f3 p =
                rlti_f3_madd(d->low, d->cell, rlti_f3_of((float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f));
            for (int l = 0; l < light->lights; l++)
                light->crossed[RASTER_DEPTHS * index + (size_t)l] +=
                    SOLID * (1.0f - rlti_raster_open(light, l, p, rlti_f3_of(0.0f, 0.0f, 0.0f)));
        }
}

static int sum_below(rlti_raster_light *light) {
    const rlti_density *d = light->density;
    size_t row = (size_t)d->size[0] + 1;
    light->below = RLTI_NEW(double, row *((size_t)d->size[2] + 1));
    if (light->below == NULL)
        return 0;
    for (int z = 0; z < d->size[2]; z++) {
        double sum = 0.0;
        for (int x = 0; x < d->size[0]; x++) {
            const int at[3] = {x, 0, z};
            double *corner = light->below + (size_t)z * row + (size_t)x;
            sum += (double)light->crossed[RASTER_DEPTHS * cell_index(d, at) + RASTER_SKY];
            corner[row + 1] = corner[1] + sum;
        }
    }
    return 1;
}

/* ---- all ---- */

rlt_status rlti_raster_light_create(rlti_raster_light *light, const rlti_world *world, float own,
                                    rlti_pool *pool, rlt_messages *messages) {
    *light = (rlti_raster_light){.density = world->density};
    const rlti_density *d = world->density;
    rlt_status status = RLT_OK;
    for (int l = 0; l < world->light_count && status == RLT_OK && world->body->triangle_count > 0; l++)
        status = mark_body(light, world, l, messages);
    if (status != RLT_OK || d->cells == NULL)
        return status;
    sweeps all = {0};
    size_t cells = (size_t)d->size[0] * (size_t)d->size[1] * (size_t)d->size[2];
    light->crossed = RLTI_NEW(float, RASTER_DEPTHS *cells);
    if (light->crossed == NULL)
        return rlti_out_of_memory(messages);
    for (int l = 0; l < RASTER_DEPTHS; l++)
        if (l < world->light_count || l == RASTER_SKY)
            all.one[l] =
                sweep_of(d, l == RASTER_SKY ? rlti_f3_of(0.0f, 1.0f, 0.0f) : world->lights[l].direction, own,
                         light->crossed + l);
    rlti_pool_for(pool, RASTER_DEPTHS, run_sweep, &all);
    light->lights = world->light_count;
    if (!sum_below(light))
        return rlti_out_of_memory(messages);
    if (world->body->triangle_count > 0)
        rlti_pool_for(pool, d->size[2] - 1, darken_layer, light);
    return RLT_OK;
}

void rlti_raster_light_destroy(rlti_raster_light *light) {
    RLTI_FREE(light->crossed, light->below);
    for (int l = 0; l < RLTI_LIGHTS_MAX; l++)
        rlti_free(light->solid[l]);
    *light = (rlti_raster_light){0};
}

/* Cells of the cloud around a place within it, and how much each counts. */
typedef struct around {
    const float *corner; /* the lowest of eight */
    float at[3];
} around;

static around around_of(const rlti_raster_light *light, rlti_f3 p) {
    const rlti_density *d = light->density;
    around a = {.at = {(p.x - d->low.x) * d->inverse - 0.5f, (p.y - d->low.y) * d->inverse - 0.5f,
                       (p.z - d->low.z) * d->inverse - 0.5f}};
    int cell[3];
    for (int c = 0; c < 3; c++) {
        a.at[c] = rlti_min((float)d->size[c] - 1.001f, rlti_max(0.0f, a.at[c]));
        cell[c] = (int)a.at[c];
        a.at[c] -= (float)cell[c];
    }
    a.corner = light->crossed + RASTER_DEPTHS * cell_index(d, cell);
    return a;
}

static const float *corner_of(const rlti_density *d, const around *a, size_t k, float *weight) {
    size_t row = (size_t)d->size[0], layer = row * (size_t)d->size[1];
    *weight = (k & 1 ? a->at[0] : 1.0f - a->at[0]) * (k & 2 ? a->at[1] : 1.0f - a->at[1]) *
              (k & 4 ? a->at[2] : 1.0f - a->at[2]);
    return a->corner + RASTER_DEPTHS * ((k & 1) + (k >> 1 & 1) * row + (k >> 2) * layer);
}

void rlti_raster_crossed(const rlti_raster_light *light, rlti_f3 p, float crossed[RASTER_DEPTHS]) {
    for (int l = 0; l < RASTER_DEPTHS; l++)
        crossed[l] = 0.0f;
    if (light->density->cells == NULL)
        return;
    around a = around_of(light, p);
    for (size_t k = 0; k < 8; k++) {
        float w;
        const float *c = corner_of(light->density, &a, k, &w);
        for (int l = 0; l < RASTER_DEPTHS; l++)
            crossed[l] += w * c[l];
    }
}

/* Of one light alone. */
static float crossed_of(const rlti_raster_light *light, int l, rlti_f3 p) {
    around a = around_of(light, p);
    float sum = 0.0f;
    for (size_t k = 0; k < 8; k++) {
        float w;
        const float *c = corner_of(light->density, &a, k, &w);
        sum += w * c[l];
    }
    return sum;
}

/* How far a path from p goes until it is in the cloud: 0 where it is, HUGE_VALF where it never will be. */
static float way_in(const rlti_density *d, rlti_f3 p, rlti_f3 direction) {
    const float from[3] = {p.x, p.y, p.z}, to[3] = {direction.x, direction.y, direction.z},
                low[3] = {d->low.x, d->low.y, d->low.z};
    float near = 0.0f, far = HUGE_VALF;
    for (int c = 0; c < 3; c++) {
        float high = low[c] + d->cell * (float)d->size[c];
        if (fabsf(to[c]) < 1e-6f) {
            if (from[c] < low[c] || from[c] > high)
                return HUGE_VALF;
            continue;
        }
        float a = (low[c] - from[c]) / to[c], b = (high - from[c]) / to[c];
        near = rlti_max(near, rlti_min(a, b));
        far = rlti_min(far, rlti_max(a, b));
    }
    return near <= far ? near : HUGE_VALF;
}

/* 1 where neither the cloud is straight above nor straight below a place that is not in it. */
static int is_beside(const rlti_density *d, rlti_f3 p) {
    float x = (p.x - d->low.x) * d->inverse, z = (p.z - d->low.z) * d->inverse;
    return x < 0.0f || z < 0.0f || x > (float)d->size[0] || z > (float)d->size[2];
}

/* Light of the sky comes from all sides: its shadow grows wide and faint below the hair, by this share of the
 * way. Few places of a wide shadow would be stripes, so it is a mean over all. */
#define SKY_SPREAD 0.75f

/* The sum over cells before a place, between four corners. */
static double sum_before(const rlti_raster_light *light, float x, float z) {
    int nx = light->density->size[0], nz = light->density->size[2];
    x = rlti_min((float)nx, rlti_max(0.0f, x));
    z = rlti_min((float)nz, rlti_max(0.0f, z));
    int i = x < (float)nx ? (int)x : nx - 1, k = z < (float)nz ? (int)z : nz - 1;
    double u = (double)x - i, v = (double)z - k;
    const double *at = light->below + (size_t)k * (size_t)(nx + 1) + (size_t)i, *next = at + nx + 1;
    return (1.0 - v) * ((1.0 - u) * at[0] + u * at[1]) + v * ((1.0 - u) * next[0] + u * next[1]);
}

static float crossed_of_sky(const rlti_raster_light *light, rlti_f3 p, float way) {
    const rlti_density *d = light->density;
    float half = rlti_max(1.0f, SKY_SPREAD * way * d->inverse);
    float x = (p.x - d->low.x) * d->inverse, z = (p.z - d->low.z) * d->inverse;
    double sum = sum_before(light, x + half, z + half) - sum_before(light, x - half, z + half) -
                 sum_before(light, x + half, z - half) + sum_before(light, x - half, z - half);
    float size = 0.5f * d->cell * (float)d->size[0];
    return rlti_max(0.0f, (float)sum) / (4.0f * half * half) * size / (size + way);
}

/* Lights are not points: shadows of hair on a body are soft by these [cells], and by this share of the way
 * from it. */
#define SOFT       1.3f
#define SOFT_SHARE 0.15f

void rlti_raster_crossed_below(const rlti_raster_light *light, const rlti_world *world, rlti_f3 p,
                               rlti_f3 normal, float crossed[RASTER_DEPTHS]) {
    const rlti_density *d = light->density;
    float way = d->cells != NULL ? d->low.y - p.y : 0.0f;
    int beside = d->cells != NULL && is_beside(d, p);
    int within = !beside && !(way > 0.0f) && !(p.y > d->low.y + d->cell * (float)d->size[1]);
    for (int l = 0; l < RASTER_DEPTHS; l++)
        crossed[l] = 0.0f;
    if (d->cells == NULL)
        return;
    for (int l = 0; l < light->lights; l++) {
        const rlti_source_light *source = &world->lights[l];
        if (rlti_f3_dot(normal, source->direction) < -0.25f)
            continue; /* it does not shine there */
        float in = within ? 0.0f : way_in(d, p, source->direction);
        if (!(in < HUGE_VALF))
            continue;
        rlti_f3 at = rlti_f3_madd(p, in, source->direction);
        float wide = SOFT * d->cell + SOFT_SHARE * in;
        crossed[l] = 0.2f * crossed_of(light, l, at);
        for (int k = 0; k < 4; k++)
            crossed[l] +=
                0.2f * crossed_of(light, l, rlti_f3_madd(at, k & 1 ? wide : -wide, source->side[k >> 1]));
    }
    if (within)
        crossed[RASTER_SKY] = crossed_of(light, RASTER_SKY, p);
    else if (way > 0.0f)
        crossed[RASTER_SKY] = crossed_of_sky(light, p, way);
}

/* How open a point of the shadow map is; beyond the map it is. */
static float open_at(const rlti_raster_light *light, int l, int x, int y, float depth) {
    if (x < 0 || y < 0 || x > SOLID_SIDE - 1 || y > SOLID_SIDE - 1)
        return 1.0f;
    float inside = (light->solid[l][y * SOLID_SIDE + x] - depth) * light->per_unit[l] / 3.0f;
    return 1.0f - rlti_min(1.0f, rlti_max(0.0f, inside));
}

/* The mean over a square of the map, whose edges lie between points: one point alone shows as a tooth along
 * the edge of a shadow. */
float rlti_raster_open(const rlti_raster_light *light, int l, rlti_f3 p, rlti_f3 normal) {
    enum { SIDE = 4 };
    if (light->solid[l] == NULL)
        return 1.0f;
    float step = 1.0f / light->per_unit[l], at[3], open = 0.0f;
    to_light(light, l, rlti_f3_madd(p, 2.0f * step, normal), at);
    float across = rlti_min(1e6f, rlti_max(-1e6f, at[0] - 1.5f)),
          up = rlti_min(1e6f, rlti_max(-1e6f, at[1] - 1.5f));
    int x = (int)floorf(across), y = (int)floorf(up);
    float u = across - (float)x, v = up - (float)y;
    for (int j = 0; j <= SIDE; j++)
        for (int i = 0; i <= SIDE; i++) {
            float wide = i == 0 ? 1.0f - u : (i == SIDE ? u : 1.0f),
                  high = j == 0 ? 1.0f - v : (j == SIDE ? v : 1.0f);
            open += wide * high * open_at(light, l, x + i, y + j, at[2]);
        }
    return open / (SIDE * SIDE);
}
