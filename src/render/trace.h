/* The tracing renderer's parts. A frame is made in this order:
 *
 * - hairs: render hairs into curves, a block at a time (trace_hairs.c)
 * - body: the mesh with normals, and where it is scalp (trace_body.c)
 * - tracer: Embree's trees over both (trace_embree.c, or trace_none.c without)
 * - density: the hairs as a cloud, for light from afar (trace_density.c)
 * - camera: rays through pixels, lens and shutter (trace_camera.c)
 * - path: light along a ray: lights, bounces, hair, skin, ground (trace_path.c, hair_scatter.c)
 * - kept: light at the points of hairs, found once for all rays (trace_kept.c)
 * - scattered: light that went from hair to hair, scaled to what paths find (trace_scattered.c)
 * - frame: pixels, tile by tile, over threads (trace_frame.c, trace_check.c)
 *
 * Only trace_embree.c knows Embree. */
#ifndef RLTI_RENDER_TRACE_H
#define RLTI_RENDER_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "parallel/pool.h"
#include "render/dress.h"
#include "render/hair_scatter.h"
#include "render/trace_vector.h"
#include "ringlet/render.h"

/* ---- hairs ---- */

/* Cubic curves through their points (Catmull and Rom). Hair i has counts[i] points, the first of its two end
 * points beyond the curve at vertex i * stride. With motion there is a second set of vertices, at the end of
 * the shutter. */
typedef struct rlti_hairs {
    long long count;
    int stride;         /* vertices kept for each hair, two more than points */
    float *vertices[2]; /* [count * stride][4] place and radius [unit] */
    int *counts;        /* [count] points drawn */
    uint8_t *looks;     /* [count] number of its look; NULL: all have the first */
    uint32_t *segments; /* [segment_count] vertex before the segment's first point */
    size_t segment_count;
    long long points; /* of all hairs */
    int steps;        /* 1, or 2 with motion */
    float widest;     /* radius [unit] */
    float *cover;     /* [count * stride] share of its drawn width that a hair fills; NULL: all of it */
} rlti_hairs;

/* The fill is brought to the view's frame. Beyond def->points hairs have fewer of them; with `fewer` there
 * are fewer hairs, which are wider. */
rlt_status rlti_hairs_create(rlti_hairs *hairs, const rlt_frame_view *view, rlt_fill *fill,
                             const rlt_render_def *def, int fewer, rlti_pool *pool, rlt_messages *messages);
void rlti_hairs_destroy(rlti_hairs *hairs);
struct rlti_lens;
/* Hairs thinner than a pixel are drawn wider, and let as much more through: no ray misses them. */
rlt_status rlti_hairs_widen(rlti_hairs *hairs, const struct rlti_lens *lens, rlt_messages *messages);

/* Number of the look of a segment's hair. */
static inline int rlti_hairs_look(const rlti_hairs *hairs, uint32_t segment) {
    return hairs->looks != NULL ? hairs->looks[hairs->segments[segment] / (uint32_t)hairs->stride] : 0;
}

/* Place, direction and radius of a hair at u in [0, 1] of a segment, and time in [0, 1] of the shutter. */
typedef struct rlti_hair_point {
    rlti_f3 place, tangent;
    rlti_f3 middle, chord; /* of the straight ribbon that the tracer knows; the chord is not unit */
    float radius;
    float cover; /* share of the width that it fills */
} rlti_hair_point;
rlti_hair_point rlti_hairs_at(const rlti_hairs *hairs, uint32_t segment, float u, float time);

/* ---- body ---- */

typedef struct rlti_mesh_shape {
    int vertex_count, triangle_count;
    float *vertices[2]; /* [vertex_count][3] */
    float *normals;     /* [vertex_count][3] */
    float *scalp;       /* [vertex_count] 0 (skin) .. 1 (under hair) */
    uint8_t *coat;      /* [vertex_count] the look of the hair that is nearest there */
    const float *rest;  /* [rest_count][3] of a generated character, which is painted: dress.h */
    int rest_count, is_horse;
    uint32_t *triangles; /* [triangle_count][3] */
    int steps;
} rlti_mesh_shape;

/* How much of each vertex is under hair, 0 (skin) to 1, and under which look. Returns 0 without memory. */
int rlti_find_scalp(const rlt_frame_view *view, int looks, rlti_pool *pool, float *scalp, uint8_t *coat);

rlt_status rlti_mesh_shape_create(rlti_mesh_shape *body, const rlt_frame_view *view,
                                  const rlt_render_def *def, const rlti_dress *dress, rlti_pool *pool,
                                  rlt_messages *messages);
void rlti_mesh_shape_destroy(rlti_mesh_shape *body);

/* ---- looks ---- */

/* How one kind of hair scatters light. */
typedef struct rlti_hair_look {
    rlti_fibre fibre;
    rlti_f3 absorption;
    float variation; /* of the absorption, between hairs */
    float around;    /* roughness around the hair */
    rlti_forward forward;
} rlti_hair_look;

/* ---- tracer ---- */

typedef struct rlti_ray {
    rlti_f3 origin, direction; /* unit */
    float near, far;           /* [unit] */
    float time;                /* 0..1 of the shutter */
} rlti_ray;

typedef enum rlti_thing { RLTI_NOTHING, RLTI_HAIR, RLTI_BODY, RLTI_GROUND } rlti_thing;

typedef struct rlti_hit {
    rlti_thing thing;
    uint32_t primitive; /* segment or triangle */
    float distance;
    float u, v;
    rlti_f3 normal; /* of the triangle, not unit */
} rlti_hit;

typedef struct rlti_tracer rlti_tracer;

rlt_status rlti_tracer_create(rlt_messages *messages, rlti_tracer **tracer);
void rlti_tracer_destroy(rlti_tracer *tracer);
/* Both must outlive the next call to this or to rlti_tracer_clear. */
rlt_status rlti_tracer_build(rlti_tracer *tracer, const rlti_hairs *hairs, const rlti_mesh_shape *body,
                             rlt_messages *messages);
void rlti_tracer_clear(rlti_tracer *tracer);
void rlti_tracer_bytes(const rlti_tracer *tracer, size_t *now, size_t *maximum);

/* Rays that start close to each other and go about the same direction are quicker together. */
enum { RLTI_PACKET = 8 };

void rlti_tracer_closest(const rlti_tracer *tracer, const rlti_ray *ray, rlti_hit *hit);
/* The same for `count` rays, at most RLTI_PACKET. */
void rlti_tracer_closest_all(const rlti_tracer *tracer, const rlti_ray *rays, int count, rlti_hit *hits);
/* The body alone; hairs alone, before what `hits` say, which are replaced where one is met. */
void rlti_tracer_body_all(const rlti_tracer *tracer, const rlti_ray *rays, int count, rlti_hit *hits);
void rlti_tracer_hairs_all(const rlti_tracer *tracer, const rlti_ray *rays, int count, rlti_hit *hits);
void rlti_tracer_closest_body(const rlti_tracer *tracer, const rlti_ray *ray, rlti_hit *hit);

/* For rays towards lights: the share of light that comes through hairs on the path, as far as `reach` [unit];
 * 0 behind the body, however far. Dim light is followed by chance, of which the keys decide. Rays with
 * `wanted` 0 are left out; hair number `own`, on which they begin, does not count. */
#define RLTI_NO_HAIR UINT32_MAX
void rlti_tracer_light(const rlti_tracer *tracer, const rlti_ray *rays, const int *wanted, int count,
                       uint32_t own, float reach, const rlti_hair_look *looks, const uint32_t *keys,
                       rlti_f3 *light);
/* 1 where anything is on the path; where the body is. */
int rlti_tracer_blocked(const rlti_tracer *tracer, const rlti_ray *ray);
int rlti_tracer_blocked_body(const rlti_tracer *tracer, const rlti_ray *ray);

/* ---- density ---- */

/* Hairs as a cloud. No cells: no hairs. */
typedef struct rlti_density {
    int size[3];
    float cell, inverse; /* side [unit], and 1 / side */
    rlti_f3 low;         /* corner */
    float *cells; /* [z][y][x][4] hairs crossed per unit of a path across them, and their mean direction */
} rlti_density;

/* Of more than `enough` segments, evenly chosen hairs stand for the others; `cells`: of the longest side. */
rlt_status rlti_density_create(rlti_density *density, const rlti_hairs *hairs, size_t enough, int cells,
                               rlt_messages *messages);
void rlti_density_destroy(rlti_density *density);
size_t rlti_density_bytes(const rlti_density *density);
void rlti_density_scale(rlti_density *density, float factor);
/* The mean share of light that hairs between the ray's near and far let through. */
rlti_f3 rlti_density_light(const rlti_density *density, const rlti_ray *ray, const rlti_forward *forward,
                           float jitter);
/* Where the ray meets a hair, by chance (u: two numbers in [0, 1)); 0: it comes through. The direction is the
 * mean of the hairs there, shorter than 1 the less they agree. */
int rlti_density_meet(const rlti_density *density, const rlti_ray *ray, const float u[2], float *distance,
                      rlti_f3 *direction);

/* ---- camera ---- */

typedef struct rlti_lens {
    rlti_f3 eye, right, up, back; /* unit axes */
    float slope_x, slope_y;       /* of the picture's edges */
    float radius, focus;          /* of the lens, and sharp distance along the axis [unit] */
    float width, height;          /* pixels */
    float filter[65];             /* pixel filter's quantiles [pixels] */
} rlti_lens;

void rlti_lens_prepare(const rlt_render_camera *camera, int width, int height, rlti_lens *lens);
/* Through pixel (x, y) with filter, lens and time numbers in [0, 1). */
rlti_ray rlti_lens_ray(const rlti_lens *lens, int x, int y, const float u[5]);
/* Pixels from the left and the top. */
void rlti_lens_project(const rlti_lens *lens, rlti_f3 p, float pixel[2]);

/* ---- light along a path ---- */

typedef struct rlti_source_light {
    rlti_f3 direction; /* unit, towards it */
    rlti_f3 side[2];   /* unit, across */
    rlti_f3 colour;
    float cos_size; /* of half its diameter */
} rlti_source_light;

enum { RLTI_LIGHTS_MAX = 3 };

typedef struct rlti_kept rlti_kept;

/* All that is fixed for a frame. */
typedef struct rlti_world {
    const rlti_tracer *tracer;
    const rlti_hairs *hairs;
    const rlti_mesh_shape *body;
    const rlti_density *density; /* NULL: each hair is traced, however far */
    rlti_kept *kept;             /* light at points of hairs; NULL: each ray finds it anew */
    float reach;                 /* hairs farther from what is lit than this count by density [unit] */
    rlti_lens lens;
    rlti_source_light lights[RLTI_LIGHTS_MAX];
    float light_share[RLTI_LIGHTS_MAX]; /* of all light, for choosing one */
    int light_count;
    rlti_f3 sky, horizon, floor;
    rlti_hair_look looks[RLT_RENDER_LOOKS_MAX];
    rlti_f3 skin, brow, scalp[RLT_RENDER_LOOKS_MAX]; /* scalp under hair of each look */
    int ground;
    float ground_level, ground_radius;
    rlti_f3 ground_middle, ground_colour;
    float clamp;               /* maximum that light bounced to the eye may bring: no specks */
    float step;                /* what a ray on a surface must leave behind to be off it [unit] */
    int bounces, hair_bounces; /* from body and ground; from hairs, where light is kept */
    uint32_t follow;           /* bits of a pixel's key that are 0 where paths are followed */
    uint64_t seed;
} rlti_world;

/* Hash-keyed numbers of one sample of one pixel. Light on surfaces, which is smoothed over pixels, has
 * numbers of its own: pixels of a block take turns in one sequence, along a Z (A. Ahmed, P. Wonka:
 * Screen-Space Blue-Noise Diffusion of Monte Carlo Sampling Error via Hierarchical Ordering of Pixels, 2020).
 * Each pixel has even samples, and so have pixels side by side together: no blotches. */
typedef struct rlti_sampler {
    uint32_t key;                /* of the pixel */
    uint32_t index;              /* of the sample */
    uint32_t pair;               /* of the next two numbers */
    uint32_t block, block_index; /* key and index of the sequence that pixels share */
} rlti_sampler;

typedef struct rlti_counts {
    long long primary, shadow, bounce;
    double cpu; /* [s] */
} rlti_counts;

/* Result of one sample. */
typedef struct rlti_sight {
    rlti_f3 light; /* premultiplied */
    float alpha;
    float depth; /* along the view axis; infinite for nothing */
    rlti_f3 tangent;
    float motion[2];
    uint32_t id;
    /* where light is kept, not in `light`: that of hairs that has been scattered more than once */
    rlti_f3 scattered; /* as modelled */
    rlti_f3 followed;  /* of the same hairs, along a path */
    int follows;       /* 1: samples that have a path */
    /* and body and ground */
    float surface;         /* share of the sample that shows it */
    rlti_f3 reached, tint; /* light there for a white surface, and its colour */
    rlti_f3 normal;
} rlti_sight;

/* Light along `count` rays from the eye, at most RLTI_PACKET; the rays are quicker the closer they are. */
void rlti_path_trace(const rlti_world *world, const rlti_ray *rays, rlti_sampler *samplers, int count,
                     rlti_sight *sights, rlti_counts *counts);

/* The share of each light that reaches a place of a hair, one ray each. */
void rlti_path_lights(const rlti_world *world, rlti_f3 place, uint32_t hair, float clear,
                      rlti_sampler *sampler, rlti_f3 shares[RLTI_LIGHTS_MAX], rlti_counts *counts);

/* ---- light kept at points of hairs ---- */

/* Light that reaches a hair: the share of each light, and the light that has been scattered among hairs. */
typedef struct rlti_hair_light {
    rlti_f3 share[RLTI_LIGHTS_MAX];
    rlti_f3 scattered; /* towards the eye */
} rlti_hair_light;

/* Hairs lie in locks, and light passes between these: scales the cloud so that as much comes from the lights
 * to hairs, in the mean, as traced through each. */
void rlti_kept_fit_cloud(const rlti_world *world, rlti_density *density);

struct rlti_raster_light;
struct rlti_raster_table;
/* Both must outlive it. */
rlt_status rlti_kept_create(const rlti_hairs *hairs, const struct rlti_raster_light *light,
                            const struct rlti_raster_table *table, rlt_messages *messages, rlti_kept **kept);
void rlti_kept_destroy(rlti_kept *kept);
size_t rlti_kept_bytes(const rlti_kept *kept);
/* Light at u of a segment; points that are asked for the first time are lit. Any thread may ask. */
rlti_hair_light rlti_kept_at(const rlti_world *world, uint32_t segment, float u, rlti_counts *counts);
/* Light that a hair thinner than a pixel sends to the eye, as a mean over its width: scattered once. */
rlti_f3 rlti_kept_thin(const rlti_world *world, uint32_t segment, rlti_f3 tangent, const rlti_hair_light *at);
/* Hairs differ in pigment: a factor on the light of a segment's hair. */
rlti_f3 rlti_kept_tint(const rlti_world *world, uint32_t segment);

/* Colours of the scalp under each look, and of brows. */
void rlti_paint_colours(const rlt_render_def *def, rlti_f3 scalp[RLT_RENDER_LOOKS_MAX], rlti_f3 *brow);

/* Colour of a place of the body, weighed between a triangle's corners: skin (0), or scalp under hair and
 * cloth (1), which do not shine. */
static inline rlti_f3 rlti_mesh_colour(const rlti_world *world, uint32_t triangle, const float weights[3],
                                       float *scalp) {
    const rlti_mesh_shape *body = world->body;
    const uint32_t *corners = body->triangles + 3 * (size_t)triangle;
    rlti_f3 rest = {0.0f, 0.0f, 0.0f}, skin = world->skin;
    uint32_t last = 0;
    float matte = 0.0f;
    *scalp = 0.0f;
    for (int i = 0; i < 3; i++) {
        *scalp += weights[i] * body->scalp[corners[i]];
        last = corners[i] > last ? corners[i] : last;
    }
    if (last < (uint32_t)body->rest_count) {
        for (int i = 0; i < 3; i++) {
            const float *p = body->rest + 3 * (size_t)corners[i];
            rest = rlti_f3_madd(rest, weights[i], rlti_f3_of(p[0], p[1], p[2]));
        }
        rlti_makeup makeup = rlti_dress_at(rest, body->is_horse);
        skin = rlti_painted(skin, world->brow, &makeup);
        matte = rlti_max(makeup.cloth, makeup.coat);
    }
    rlti_f3 under = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < 3; i++)
        under = rlti_f3_madd(under, weights[i], world->scalp[body->coat[corners[i]]]);
    rlti_f3 colour = rlti_f3_mix(skin, under, *scalp);
    *scalp = rlti_max(*scalp, matte);
    return colour;
}

/* ---- light on surfaces, smoothed ---- */

/* Sums over a pixel's samples of light on body and ground. Light changes slowly there while colours may not:
 * so light alone is the mean over pixels around that face the same way at about the same depth. */
typedef struct rlti_surface_pixel {
    rlti_f3 reached, tint, normal; /* weighed by the share */
    float share, depth;
    rlti_f3 light; /* reached, once smoothed, times the share */
} rlti_surface_pixel;

typedef struct rlti_surfaces {
    int width, height;
    rlti_surface_pixel *pixels; /* [height][width]; NULL: not used */
} rlti_surfaces;

void rlti_surfaces_add(rlti_surface_pixel *pixel, const rlti_sight *sight, float share);
/* Adds them to the image. */
void rlti_surfaces_finish(const rlti_surfaces *surfaces, rlti_pool *pool, rlt_image *image);

/* ---- light scattered among hairs ---- */

/* Paths know how much of it there is, but are grainy; a model of it (rlti_hair_light.scattered) knows where
 * there is more and where less. So the model is scaled, by the quotient of both around a place. */
enum { RLTI_SCATTERED_TILE = 8 }; /* pixels along a side of a part; the pixels of one have one thread */
typedef struct rlti_scattered_tile {
    rlti_f3 followed, modelled; /* of the same samples */
} rlti_scattered_tile;

typedef struct rlti_scattered {
    int width, height, tiles_x, tiles_y;
    rlti_f3 *pixels;            /* [height][width] modelled; NULL: not used */
    rlti_scattered_tile *tiles; /* [tiles_y][tiles_x] */
} rlti_scattered;

rlt_status rlti_scattered_create(rlti_scattered *scattered, int width, int height, rlt_messages *messages);
void rlti_scattered_destroy(rlti_scattered *scattered);
/* A sample of a pixel, which is this share of it. */
void rlti_scattered_add(rlti_scattered *scattered, int x, int y, const rlti_sight *sight, float share);
/* Adds it to the image. */
rlt_status rlti_scattered_finish(rlti_scattered *scattered, rlt_image *image, rlt_messages *messages);

/* ---- checks ---- */

/* Everything in view and def that could not be drawn is RLT_BAD_INPUT; oddities are warnings. */
rlt_status rlti_render_check(const rlt_frame_view *view, const rlt_render_def *def, rlt_messages *messages);

#endif
