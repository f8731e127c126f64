/* A frame: geometry, tree, and pixels tile by tile. Tiles are shared over the threads; each pixel is the work
 * of one, and no sample reaches beyond its pixel, so that the picture is the same for any number of threads.
 */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "render/raster.h"
#include "render/trace.h"
#include "render/trace_sample.h"

enum { ACROSS = 16 }; /* places across a hair in the table of its light */
#define TILE  16      /* pixels */
#define REACH 1.0f    /* cells of the cloud within which each hair throws its shadow */

/* Segments of which the cloud is made; of more, evenly chosen hairs stand for the others. */
enum { SEGMENTS_TRACED = 3000000, SEGMENTS_PREVIEW = 120000 };
enum { CELLS_TRACED = 80, CELLS_PREVIEW = 68 }; /* of the cloud along its longest side */
enum { FOLLOW_ALL = 1 << 16 }; /* pixels; of more, every fourth has paths for light scattered among hairs */
/* Points of hairs for each pixel of a draft, at most; and in all, of small pictures. */
#define DRAFT_POINTS 2.0
enum { PREVIEW_LEAST = 400000, DRAFT_LEAST = 250000 };

struct rlt_render {
    rlti_pool *pool;
    rlti_tracer *tracer; /* NULL: frames are rasterised */
    rlti_hairs hairs;    /* of the last frame */
    rlti_mesh_shape body;
    rlti_dress dress;
    rlti_density density;
    rlti_raster_light light; /* traced: of light scattered among hairs */
    rlti_raster_table table;
    rlti_kept *kept;
    rlti_world world;
    int traced; /* 1: there is a last frame */
    rlt_render_statistics statistics;
};

static rlt_status create(int threads, int traces, rlt_messages *messages, rlt_render **out) {
    *out = NULL;
    if (threads < 0 || threads > RLT_RENDER_THREADS_MAX)
        return rlti_refuse(messages, "render: threads = %d: must be 0 to %d", threads,
                           RLT_RENDER_THREADS_MAX);
    rlt_render *render = RLTI_NEW(rlt_render, 1);
    if (render == NULL)
        return rlti_out_of_memory(messages);
    rlt_status status = traces ? rlti_tracer_create(messages, &render->tracer) : RLT_OK;
    if (status == RLT_OK) {
        render->pool = rlti_pool_create(threads > 0 ? threads : rlti_core_count());
        if (render->pool == NULL)
            status = rlti_fail(messages, RLT_FAILED, "render: cannot start %d threads", threads);
    }
    if (status != RLT_OK) {
        rlt_render_destroy(render);
        return status;
    }
    render->statistics.threads = rlti_pool_threads(render->pool);
    *out = render;
    return RLT_OK;
}

rlt_status rlt_render_create(int threads, rlt_messages *messages, rlt_render **render) {
    return create(threads, 1, messages, render);
}

rlt_status rlt_render_create_preview(int threads, rlt_messages *messages, rlt_render **render) {
    return create(threads, 0, messages, render);
}

static void forget_frame(rlt_render *render) {
    if (render->tracer != NULL)
        rlti_tracer_clear(render->tracer);
    rlti_hairs_destroy(&render->hairs);
    rlti_mesh_shape_destroy(&render->body);
    rlti_density_destroy(&render->density);
    rlti_raster_light_destroy(&render->light);
    rlti_raster_table_destroy(&render->table);
    rlti_kept_destroy(render->kept);
    render->kept = NULL;
    render->traced = 0;
}

void rlt_render_destroy(rlt_render *render) {
    if (render == NULL)
        return;
    forget_frame(render);
    rlti_dress_destroy(&render->dress);
    if (render->tracer != NULL)
        rlti_tracer_destroy(render->tracer);
    if (render->pool != NULL)
        rlti_pool_destroy(render->pool);
    rlti_free(render);
}

rlt_status rlt_render_statistics_get(const rlt_render *render, rlt_render_statistics *statistics) {
    return RLTI_WRITE(rlt_render_statistics, statistics, &render->statistics, NULL);
}

/* ---- the world ---- */

static void add_light(rlti_world *world, const rlt_render_light *def) {
    rlti_f3 colour = rlti_f3_of_doubles(def->colour);
    if (!(rlti_f3_largest(colour) > 0.0f))
        return;
    rlti_source_light *light = &world->lights[world->light_count];
    /* around the vertical, from where the camera stands */
    rlti_f3 back = world->lens.back;
    double camera = atan2((double)back.x, (double)back.z);
    double azimuth = camera + def->azimuth * (RLTI_PI / 180.0);
    double elevation = def->elevation * (RLTI_PI / 180.0);
    light->direction = rlti_f3_of((float)(sin(azimuth) * cos(elevation)), (float)sin(elevation),
                                  (float)(cos(azimuth) * cos(elevation)));
    light->side[0] = rlti_f3_perpendicular(light->direction);
    light->side[1] = rlti_f3_cross(light->direction, light->side[0]);
    light->colour = colour;
    light->cos_size = (float)cos(0.5 * def->size * (RLTI_PI / 180.0));
    world->light_share[world->light_count++] = rlti_f3_luminance(colour) + 1e-3f * rlti_f3_largest(colour);
}

static void add_lights(rlti_world *world, const rlt_render_def *def) {
    add_light(world, &def->key);
    add_light(world, &def->fill);
    add_light(world, &def->rim);
    float sum = 0.0f;
    for (int l = 0; l < world->light_count; l++)
        sum += world->light_share[l];
    for (int l = 0; l < world->light_count; l++)
        world->light_share[l] /= sum;
    world->sky = rlti_f3_of_doubles(def->sky);
    world->horizon = rlti_f3_of_doubles(def->horizon);
    world->floor = rlti_f3_of_doubles(def->floor);
}

typedef struct extent {
    double low[3], high[3];
} extent;

static void extend(extent *e, const double *points, int count) {
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            double x = points[3 * (size_t)i + (size_t)c];
            e->low[c] = x < e->low[c] ? x : e->low[c];
            e->high[c] = x > e->high[c] ? x : e->high[c];
        }
}

static void set_scale(rlti_world *world, const rlt_frame_view *view, const rlt_render_def *def) {
    extent e = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    extend(&e, view->points, view->strand_count > 0 ? view->point_count : 0);
    extend(&e, view->vertices, view->vertex_count);
    double size = 0.0, reach = 0.0;
    for (int c = 0; c < 3; c++) {
        size = fmax(size, e.high[c] - e.low[c]);
        reach = fmax(reach, fmax(fabs(e.low[c]), fabs(e.high[c])));
    }
    /* single precision: a few steps of the largest coordinate, or of the size */
    world->step = (float)fmax(1e-5 * size, 4e-7 * reach);
    world->ground = def->ground;
    world->ground_level = (float)e.low[1] - world->step;
    world->ground_middle = rlti_f3_of((float)(0.5 * (e.low[0] + e.high[0])), (float)e.low[1],
                                      (float)(0.5 * (e.low[2] + e.high[2])));
    world->ground_radius = (float)(2.5 * size);
    world->ground_colour = rlti_f3_of_doubles(def->ground_colour);
}

static void set_hair(rlti_world *world, const rlt_render_def *def) {
    for (int i = 0; i < (def->look_count > 0 ? def->look_count : 1); i++) {
        const rlt_render_hair *hair = def->look_count > 0 ? &def->looks[i] : &def->hair;
        rlti_hair_look *look = &world->looks[i];
        rlti_fibre_prepare(hair, &look->fibre);
        look->absorption = rlti_fibre_absorption(hair);
        look->variation = (float)hair->variation;
        look->around = (float)hair->roughness_around;
        rlti_forward_prepare(&look->fibre, look->absorption, &look->forward);
    }
    world->skin = rlti_f3_of_doubles(def->skin);
    rlti_paint_colours(def, world->scalp, &world->brow);
}

static void prepare_world(rlt_render *render, const rlt_frame_view *view, const rlt_render_camera *camera,
                          const rlt_render_def *def) {
    rlti_world *world = &render->world;
    *world = (rlti_world){.tracer = render->tracer, .hairs = &render->hairs, .body = &render->body};
    rlti_lens_prepare(camera, def->width, def->height, &world->lens);
    add_lights(world, def);
    set_scale(world, view, def);
    set_hair(world, def);
    world->reach = HUGE_VALF;
    if (!def->exact || render->tracer == NULL) {
        world->density = &render->density;
        world->reach = REACH * render->density.cell;
    }
    float brightest = rlti_f3_largest(world->sky);
    for (int l = 0; l < world->light_count; l++)
        brightest = rlti_max(brightest, rlti_f3_largest(world->lights[l].colour));
    world->clamp = 0.6f * brightest;
    world->bounces = def->draft && def->bounces > 2 ? 2 : def->bounces;
    world->hair_bounces = def->bounces;
    world->follow = (long long)def->width * def->height > FOLLOW_ALL ? 3 : 0;
    world->seed = def->seed;
}

/* ---- pixels ---- */

typedef struct job {
    const rlti_world *world;
    const rlt_render_def *def;
    rlt_image *image;
    rlti_surfaces surfaces;
    rlti_scattered scattered;
    rlti_counts *counts; /* [workers] */
    int tiles_x, tiles;
    _Atomic int done;
    _Atomic int stopped;
} job;

/* A packet of the samples of a pixel. */
static void trace_samples(const rlti_world *world, int x, int y, rlti_sampler from, int count,
                          rlti_sight *sights, rlti_counts *counts) {
    rlti_sampler samplers[RLTI_PACKET];
    rlti_ray rays[RLTI_PACKET];
    for (int s = 0; s < count; s++) {
        float u[6];
        samplers[s] = from;
        samplers[s].index += (uint32_t)s;
        samplers[s].block_index += (uint32_t)s;
        for (int i = 0; i < 3; i++)
            rlti_sampler_next(&samplers[s], u + 2 * i);
        rays[s] = rlti_lens_ray(&world->lens, x, y, u);
    }
    rlti_path_trace(world, rays, samplers, count, sights, counts);
}

/* Where a pixel's samples begin. */
static rlti_sampler first_sample(const rlti_world *world, int x, int y, int samples) {
    enum { BITS = 5 }; /* of a pixel's place in its block, along a side */
    uint32_t key = rlti_hash32((uint32_t)world->seed ^ rlti_hash32((uint32_t)(world->seed >> 32)));
    uint32_t place = 0;
    for (int bit = 0; bit < BITS; bit++)
        place |= ((uint32_t)(x >> bit & 1) | (uint32_t)(y >> bit & 1) << 1) << (2 * bit);
    return (rlti_sampler){.key = rlti_hash32(rlti_hash32(key ^ (uint32_t)x) ^ (uint32_t)y),
                          .block =
                              rlti_hash32(rlti_hash32(~key ^ (uint32_t)(x >> BITS)) ^ (uint32_t)(y >> BITS)),
                          .block_index = place * (uint32_t)samples};
}

static int any_hair(const rlti_sight *sights, int count) {
    int any = 0;
    for (int s = 0; s < count; s++)
        any |= sights[s].id >= RLT_RENDER_ID_FIRST_HAIR;
    return any;
}

/* Colours are the mean over the samples; depth and the like, whose mean would lie between things, are those
 * of the nearest. */
static void trace_pixel(job *j, int x, int y, rlti_counts *counts) {
    int samples = j->def->samples;
    float share = 1.0f / (float)samples;
    rlt_image *image = j->image;
    size_t pixel = (size_t)y * (size_t)image->width + (size_t)x;
    rlti_sampler from = first_sample(j->world, x, y, samples);
    rlti_f3 light = {0.0f, 0.0f, 0.0f};
    float alpha = 0.0f;
    rlti_sight nearest = {.depth = HUGE_VALF};
    for (int first = 0; first < samples; first += RLTI_PACKET) {
        int count = samples - first < RLTI_PACKET ? samples - first : RLTI_PACKET;
        rlti_sight sights[RLTI_PACKET];
        trace_samples(j->world, x, y, from, count, sights, counts);
        from.index += (uint32_t)count;
        from.block_index += (uint32_t)count;
        if (first == 0 && j->surfaces.pixels != NULL && !any_hair(sights, count)) {
            samples = count; /* its light is a mean over the pixels around, too */
            share = 1.0f / (float)samples;
        }
        for (int s = 0; s < count; s++) {
            light = rlti_f3_add(light, sights[s].light);
            alpha += sights[s].alpha;
            if (j->surfaces.pixels != NULL)
                rlti_surfaces_add(&j->surfaces.pixels[pixel], &sights[s], share);
            if (j->scattered.pixels != NULL)
                rlti_scattered_add(&j->scattered, x, y, &sights[s], share);
            if (sights[s].depth < nearest.depth)
                nearest = sights[s];
        }
    }
    const float rgba[4] = {share * light.x, share * light.y, share * light.z, share * alpha};
    const float tangent[3] = {nearest.tangent.x, nearest.tangent.y, nearest.tangent.z};
    memcpy(image->rgba + 4 * pixel, rgba, sizeof rgba);
    memcpy(image->tangent + 3 * pixel, tangent, sizeof tangent);
    memcpy(image->motion + 2 * pixel, nearest.motion, sizeof nearest.motion);
    image->depth[pixel] = nearest.depth;
    image->id[pixel] = nearest.id;
}

static void trace_tile(void *context, int index, int worker) {
    job *j = context;
    if (atomic_load(&j->stopped))
        return;
    int x0 = (index % j->tiles_x) * TILE;
    int y0 = (index / j->tiles_x) * TILE;
    double start = rlti_seconds(CLOCK_THREAD_CPUTIME_ID);
    for (int y = y0; y < y0 + TILE && y < j->image->height; y++)
        for (int x = x0; x < x0 + TILE && x < j->image->width; x++)
            trace_pixel(j, x, y, &j->counts[worker]);
    j->counts[worker].cpu += rlti_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    int done = atomic_fetch_add(&j->done, 1) + 1;
    /* worker 0 is the caller's thread */
    if (worker == 0 && j->def->progress != NULL &&
        j->def->progress(j->def->progress_context, (double)done / j->tiles) != 0)
        atomic_store(&j->stopped, 1);
}

/* Memory for light that is a mean over pixels. */
static rlt_status prepare_means(job *j, int kept, rlt_messages *messages) {
    int width = j->def->width, height = j->def->height;
    j->surfaces = (rlti_surfaces){.width = width, .height = height};
    if (!kept)
        return RLT_OK;
    j->surfaces.pixels = RLTI_NEW(rlti_surface_pixel, (size_t)width * (size_t)height);
    if (j->surfaces.pixels == NULL)
        return rlti_out_of_memory(messages);
    return rlti_scattered_create(&j->scattered, width, height, messages);
}

static void add_counts(const job *j, int workers, rlt_render_statistics *statistics) {
    statistics->rays_primary = statistics->rays_shadow = statistics->rays_bounce = 0;
    statistics->cpu_trace = 0.0;
    for (int w = 0; w < workers; w++) {
        statistics->rays_primary += j->counts[w].primary;
        statistics->rays_shadow += j->counts[w].shadow;
        statistics->rays_bounce += j->counts[w].bounce;
        statistics->cpu_trace += j->counts[w].cpu;
    }
}

static rlt_status trace_image(rlt_render *render, const rlt_render_def *def, rlt_image *image,
                              rlt_messages *messages) {
    int workers = rlti_pool_threads(render->pool);
    job j = {.world = &render->world, .def = def, .image = image};
    j.counts = RLTI_NEW(rlti_counts, workers);
    j.tiles_x = (def->width + TILE - 1) / TILE;
    j.tiles = j.tiles_x * ((def->height + TILE - 1) / TILE);
    rlt_status status =
        j.counts != NULL ? prepare_means(&j, render->kept != NULL, messages) : rlti_out_of_memory(messages);
    if (status == RLT_OK) {
        rlti_pool_for(render->pool, j.tiles, trace_tile, &j);
        add_counts(&j, workers, &render->statistics);
        if (atomic_load(&j.stopped))
            status = rlti_fail(messages, RLT_FAILED, "render: stopped");
    }
    if (status == RLT_OK && render->kept != NULL) {
        rlti_surfaces_finish(&j.surfaces, render->pool, image);
        status = rlti_scattered_finish(&j.scattered, image, messages);
    }
    rlti_scattered_destroy(&j.scattered);
    rlti_free(j.surfaces.pixels);
    rlti_free(j.counts);
    return status;
}

/* ---- a frame ---- */

static void warn(const rlt_render *render, const rlt_render_camera *camera, const rlt_frame_view *view,
                 rlt_messages *messages) {
    if (render->hairs.count > 0 && !(render->hairs.widest > 0.0f))
        rlti_warn(messages, "render: the hairs have no width, so none can be seen; raise hair.width");
    extent e = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    extend(&e, view->points, view->strand_count > 0 ? view->point_count : 0);
    int inside = 1;
    for (int c = 0; c < 3; c++)
        inside = inside && camera->eye[c] >= e.low[c] && camera->eye[c] <= e.high[c];
    if (inside)
        rlti_warn(messages, "render: the camera's eye is within the hair; move render.eye back");
}

static rlt_status build_geometry(rlt_render *render, const rlt_frame_view *view, rlt_fill *fill,
                                 const rlt_render_def *def, rlt_messages *messages) {
    rlt_render_statistics *statistics = &render->statistics;
    double start = rlti_seconds(CLOCK_MONOTONIC);
    rlt_render_def still = *def;
    int fewer = render->tracer == NULL || (def->draft && !def->exact);
    if (fewer) {
        double each = render->tracer == NULL ? def->preview_points : DRAFT_POINTS;
        long long points = (long long)((double)def->width * def->height * each);
        long long least = render->tracer == NULL ? PREVIEW_LEAST : DRAFT_LEAST;
        points = points < least ? least : points;
        still.points = def->points > 0 && def->points < points ? def->points : points;
        still.shutter = render->tracer == NULL ? 0.0 : def->shutter; /* previews are of one moment */
        def = &still;
    }
    rlt_status status = rlti_hairs_create(&render->hairs, view, fill, def, fewer, render->pool, messages);
    if (status == RLT_OK)
        status = rlti_dress_find(&render->dress, view, messages);
    if (status == RLT_OK)
        status = rlti_mesh_shape_create(&render->body, view, def, &render->dress, render->pool, messages);
    double made = rlti_seconds(CLOCK_MONOTONIC);
    if (status == RLT_OK && render->tracer == NULL)
        status =
            rlti_density_create(&render->density, &render->hairs, SEGMENTS_PREVIEW, CELLS_PREVIEW, messages);
    else if (status == RLT_OK && !def->exact)
        status =
            rlti_density_create(&render->density, &render->hairs, SEGMENTS_TRACED, CELLS_TRACED, messages);
    statistics->seconds_fill = made - start;
    statistics->seconds_build = rlti_seconds(CLOCK_MONOTONIC) - made;
    statistics->hairs = render->hairs.count;
    statistics->points = render->hairs.points;
    return status;
}

static void count_bytes(rlt_render *render) {
    const rlti_hairs *hairs = &render->hairs;
    rlt_render_statistics *statistics = &render->statistics;
    size_t vertices = (size_t)hairs->count * (size_t)hairs->stride;
    size_t own = vertices * 16 * (size_t)hairs->steps + (hairs->cover != NULL ? vertices * 4 : 0) +
                 hairs->segment_count * sizeof(uint32_t) + (size_t)hairs->count * sizeof(int) +
                 rlti_density_bytes(&render->density) + rlti_kept_bytes(render->kept);
    statistics->bytes = statistics->bytes_most = 0;
    if (render->tracer != NULL)
        rlti_tracer_bytes(render->tracer, &statistics->bytes, &statistics->bytes_most);
    statistics->bytes += own;
    statistics->bytes_most += own;
}

/* Embree's trees, and what light at hairs is found from: after the cloud, which knows the hairs' own widths.
 */
static rlt_status build_tracer(rlt_render *render, const rlt_render_def *def, rlt_messages *messages) {
    rlti_world *world = &render->world;
    double start = rlti_seconds(CLOCK_MONOTONIC);
    rlt_status status = RLT_OK;
    if (!def->exact)
        status = rlti_hairs_widen(&render->hairs, &world->lens, messages);
    if (status == RLT_OK)
        status = rlti_tracer_build(render->tracer, &render->hairs, &render->body, messages);
    if (status == RLT_OK && !def->exact)
        rlti_kept_fit_cloud(world, &render->density);
    if (status == RLT_OK && !def->exact)
        status = rlti_raster_light_create(&render->light, world, 1.0f, render->pool, messages);
    if (status == RLT_OK && !def->exact)
        status = rlti_raster_table_create(&render->table, world, def->look_count > 0 ? def->look_count : 1,
                                          ACROSS, render->pool, messages);
    if (status == RLT_OK && !def->exact)
        status = rlti_kept_create(&render->hairs, &render->light, &render->table, messages, &render->kept);
    world->kept = render->kept;
    render->statistics.seconds_build += rlti_seconds(CLOCK_MONOTONIC) - start;
    return status;
}

rlt_status rlt_render_frame(rlt_render *render, const rlt_frame_view *view, rlt_fill *fill,
                            const rlt_render_def *def, rlt_messages *messages, rlt_image **out) {
    rlt_frame_view own_view = {0};
    rlt_render_def own_def = rlt_render_defaults();
    *out = NULL;
    if (RLTI_READ(rlt_frame_view, &own_view, view, messages) != RLT_OK ||
        RLTI_READ(rlt_render_def, &own_def, def, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    view = &own_view;
    def = &own_def;
    forget_frame(render);
    rlt_status status = rlti_render_check(view, def, messages);
    rlt_render_camera camera = def->camera;
    if (status == RLT_OK && camera.automatic)
        status = rlt_render_camera_fit(view, def->width, def->height, &camera, messages);
    if (status == RLT_OK)
        status = build_geometry(render, view, fill, def, messages);
    if (status != RLT_OK) {
        forget_frame(render);
        return status;
    }
    rlt_image *image = rlt_image_create(def->width, def->height);
    if (image == NULL) {
        forget_frame(render);
        return rlti_out_of_memory(messages);
    }
    for (int i = 0; i < 6; i++)
        image->background[i / 3][i % 3] = (float)def->background[i / 3][i % 3];
    image->exposure = def->exposure;
    warn(render, &camera, view, messages);
    prepare_world(render, view, &camera, def);
    if (render->tracer != NULL)
        status = build_tracer(render, def, messages);
    count_bytes(render);
    if (status != RLT_OK) {
        rlt_image_destroy(image);
        forget_frame(render);
        return status;
    }
    double start = rlti_seconds(CLOCK_MONOTONIC);
    if (render->tracer != NULL)
        status = trace_image(render, def, image, messages);
    else
        status = rlti_raster_frame(&render->world, def->look_count > 0 ? def->look_count : 1, render->pool,
                                   image, messages);
    render->statistics.seconds_trace = rlti_seconds(CLOCK_MONOTONIC) - start;
    render->traced = render->tracer != NULL;
    if (status == RLT_OK)
        *out = image;
    else
        rlt_image_destroy(image);
    return status;
}

/* ---- Embree alone ---- */

double rlt_render_bare_rate(rlt_render *render, double seconds) {
    if (!render->traced)
        return 0.0;
    const rlti_world *world = &render->world;
    double start = rlti_seconds(CLOCK_THREAD_CPUTIME_ID), elapsed = 0.0;
    long long rays = 0;
    uint32_t state = 1;
    while (elapsed < seconds) {
        for (int i = 0; i < 1024; i++) {
            state = rlti_hash32(state + 0x9e3779b9u);
            uint32_t x = state % (uint32_t)world->lens.width;
            uint32_t y = rlti_hash32(state) % (uint32_t)world->lens.height;
            const float u[5] = {0.5f, 0.5f, 0.0f, 0.0f, 0.5f};
            rlti_ray ray = rlti_lens_ray(&world->lens, (int)x, (int)y, u);
            rlti_hit hit;
            rlti_tracer_closest(world->tracer, &ray, &hit);
            rays++;
            if (hit.thing == RLTI_NOTHING)
                continue;
            rlti_f3 place = rlti_f3_madd(ray.origin, hit.distance, ray.direction);
            for (int l = 0; l < world->light_count; l++) {
                rlti_ray shadow = {place, world->lights[l].direction, 10.0f * world->step, HUGE_VALF, 0.5f};
                (void)rlti_tracer_blocked(world->tracer, &shadow);
                rays++;
            }
        }
        elapsed = rlti_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    }
    return elapsed > 0.0 ? (double)rays / elapsed : 0.0;
}
