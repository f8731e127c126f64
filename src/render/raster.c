/* A rasterised frame: hairs shaded by table and blended as lines over the body. */
#include "render/raster.h"

#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "render/trace_sample.h"

/* Hairs shaded at once by one thread; points between those at which the cloud is asked: light that comes
 * through it changes little from point to point. */
enum { BLOCK = 128, EVERY = 4 };
#define SURFACE 0.025f /* of the light from all sides that a hair's surface sends back */
#define PALE    0.25f  /* share of scattered light that is too much at albedo 1, by traced pictures */
#define OWN     0.55f  /* what is seen of a cell's hairs is mostly what light reaches first */
enum { ACROSS = 8 };   /* places across a hair in the table */

typedef struct shader {
    const rlti_world *world;
    const rlti_raster_light *light;
    const rlti_raster_table *table;
    rlti_line_vertex *lines; /* [hairs * stride] */
    float focal;             /* pixels per unit of slope */
    rlti_f3 around;          /* mean light of the surroundings */
} shader;

/* About exp(-x), x >= 0: (1 + x / 16)^-16, which falls off a little slower, as scattered light does. */
static float fade(float x) {
    float y = 1.0f / (1.0f + x * (1.0f / 16.0f));
    y *= y;
    y *= y;
    y *= y;
    return y * y;
}

rlti_f3 rlti_raster_fade(float crossed, rlti_f3 pass) {
    return rlti_f3_of(fade(crossed * (1.0f - pass.x)), fade(crossed * (1.0f - pass.y)),
                      fade(crossed * (1.0f - pass.z)));
}

rlti_f3 rlti_raster_around(const rlti_world *world) {
    return rlti_f3_scale(0.4f, rlti_f3_add(rlti_f3_add(world->sky, world->horizon), world->floor));
}

rlti_f3 rlti_raster_scattered(const rlti_world *world, rlti_f3 albedo, rlti_f3 around, rlti_f3 tangent,
                              const float crossed[RASTER_DEPTHS]) {
    rlti_f3 sum = rlti_f3_scale(0.10f + 0.90f * fade(0.35f * crossed[RASTER_SKY]), around);
    for (int l = 0; l < world->light_count; l++) {
        float sine = rlti_f3_dot(tangent, world->lights[l].direction);
        float diffuse = 0.30f * sqrtf(rlti_max(0.0f, 1.0f - sine * sine)) * fade(0.4f * crossed[l]);
        sum = rlti_f3_madd(sum, diffuse, world->lights[l].colour);
    }
    return rlti_f3_times(sum, albedo);
}

/* Light from one place of a hair to the eye: each light as far as it comes through, scattered once by the
 * table; and what has been scattered more often. */
static rlti_f3 shade_point(const shader *s, int look, rlti_f3 tangent, const float crossed[RASTER_DEPTHS]) {
    const rlti_raster_table *table = s->table;
    int square = rlti_raster_table_at(tangent);
    rlti_f3 albedo = table->albedo[look], paler = rlti_f3_madd(rlti_f3_of(1.0f, 1.0f, 1.0f), -PALE, albedo);
    rlti_f3 light =
        rlti_f3_times(paler, rlti_raster_scattered(s->world, albedo, s->around, tangent, crossed));
    /* the surface reflects the sky, which is most of what black hair shows in the shade */
    light = rlti_f3_madd(light, SURFACE * fade(0.35f * crossed[RASTER_SKY]), s->around);
    for (int l = 0; l < s->world->light_count; l++)
        light = rlti_f3_add(light, rlti_f3_times(table->value[look * table->lights + l][square],
                                                 rlti_raster_fade(crossed[l], table->pass[look])));
    return light;
}

rlti_f3 rlti_raster_tint(const rlti_hair_look *look, rlti_f3 albedo, uint32_t hair) {
    uint32_t a = rlti_hash32(hair ^ 0x51ed270bu), b = rlti_hash32(a);
    float bell = rlti_unit_float(a) + rlti_unit_float(b) + rlti_unit_float(rlti_hash32(b)) - 1.5f;
    float x = 0.5f * look->variation * bell; /* of the exponent of the albedo */
    return rlti_f3_of(powf(rlti_max(albedo.x, 0.01f), x), powf(rlti_max(albedo.y, 0.01f), x),
                      powf(rlti_max(albedo.z, 0.01f), x));
}

static rlti_f3 vertex_place(const float *vertex) {
    return rlti_f3_of(vertex[0], vertex[1], vertex[2]);
}

/* Hairs crossed from a hair's points to the lights: asked at every fourth point, and between these on a
 * line. */
typedef struct crossing {
    float from[RASTER_DEPTHS], to[RASTER_DEPTHS];
} crossing;

static void crossed_at(const shader *s, const float *vertices, int count, int i, crossing *c,
                       float crossed[RASTER_DEPTHS]) {
    if (i == 0)
        rlti_raster_crossed(s->light, vertex_place(vertices + 4), c->to);
    if (i % EVERY == 0) {
        int next = i + EVERY < count ? i + EVERY : count - 1;
        memcpy(c->from, c->to, sizeof c->from);
        rlti_raster_crossed(s->light, vertex_place(vertices + 4 * (size_t)(next + 1)), c->to);
    }
    int first = i - i % EVERY, length = first + EVERY < count ? EVERY : count - 1 - first;
    float share = length > 0 ? (float)(i - first) / (float)length : 0.0f;
    for (int l = 0; l < RASTER_DEPTHS; l++)
        crossed[l] = c->from[l] + share * (c->to[l] - c->from[l]);
}

static void shade_hair(const shader *s, long long hair) {
    const rlti_world *world = s->world;
    const rlti_hairs *hairs = world->hairs;
    int count = hairs->counts[hair];
    int look = hairs->looks != NULL ? hairs->looks[hair] : 0;
    const float *vertices = hairs->vertices[0] + 4 * (size_t)hair * (size_t)hairs->stride;
    rlti_line_vertex *lines = s->lines + (size_t)hair * (size_t)hairs->stride;
    rlti_f3 tint = rlti_raster_tint(&world->looks[look], s->table->albedo[look], (uint32_t)hair);
    crossing span;
    for (int i = 0; i < count; i++) {
        float crossed[RASTER_DEPTHS];
        const float *v = vertices + 4 * (size_t)(i + 1);
        crossed_at(s, vertices, count, i, &span, crossed);
        rlti_f3 place = vertex_place(v);
        rlti_f3 tangent = rlti_f3_normalize(rlti_f3_sub(vertex_place(v + 4), vertex_place(v - 4)));
        float pixel[2];
        rlti_f3 from = rlti_f3_sub(place, world->lens.eye);
        float depth = -rlti_f3_dot(from, world->lens.back);
        rlti_line_vertex *to = &lines[i];
        if (!(depth > 1e-3f))
            continue;
        rlti_lens_project(&world->lens, place, pixel);
        if (!(fabsf(pixel[0]) < 1e6f && fabsf(pixel[1]) < 1e6f))
            continue;
        to->x = pixel[0];
        to->y = pixel[1];
        to->depth = depth;
        to->width = 2.0f * v[3] * s->focal / depth;
        rlti_f3 light = rlti_f3_times(tint, shade_point(s, look, tangent, crossed));
        to->colour[0] = light.x;
        to->colour[1] = light.y;
        to->colour[2] = light.z;
    }
}

static void shade_block(void *context, int index, int worker) {
    const shader *s = context;
    (void)worker;
    long long first = (long long)index * BLOCK, end = first + BLOCK;
    end = end > s->world->hairs->count ? s->world->hairs->count : end;
    for (long long hair = first; hair < end; hair++)
        shade_hair(s, hair);
}

static rlt_status draw_hairs(const rlti_world *world, const rlti_raster_light *light,
                             const rlti_raster_table *table, rlti_pool *pool, rlti_picture *picture,
                             rlt_messages *messages) {
    const rlti_hairs *hairs = world->hairs;
    size_t count = (size_t)hairs->count * (size_t)hairs->stride;
    if (hairs->segment_count == 0)
        return RLT_OK;
    if (count > INT32_MAX / 4)
        return rlti_refuse(messages, "render: %zu points are more than a preview can draw; limit the hairs",
                           count);
    shader s = {.world = world, .light = light, .table = table};
    s.focal = 0.5f * world->lens.height / world->lens.slope_y;
    s.around = rlti_raster_around(world);
    s.lines = RLTI_NEW(rlti_line_vertex, count);
    if (s.lines == NULL)
        return rlti_out_of_memory(messages);
    rlti_pool_for(pool, (int)((hairs->count + BLOCK - 1) / BLOCK), shade_block, &s);
    rlti_line_vertex *smooth = NULL;
    int smooth_count = 0;
    rlt_status status =
        rlti_lines_smooth(picture, s.lines, (int)count, pool, &smooth, &smooth_count, messages);
    rlti_free(s.lines);
    if (status == RLT_OK)
        status = rlti_lines_draw(picture, smooth, smooth_count, pool, messages);
    rlti_free(smooth);
    return status;
}

static void clear(rlti_picture *picture, const rlt_image *image) {
    for (int y = 0; y < picture->height; y++) {
        rlti_sample row = {.depth = HUGE_VALF};
        float v = ((float)y + 0.5f) / (float)picture->height;
        for (int c = 0; c < 3; c++)
            row.colour[c] = image->background[0][c] + v * (image->background[1][c] - image->background[0][c]);
        for (int x = 0; x < picture->width; x++)
            picture->samples[(size_t)y * (size_t)picture->width + (size_t)x] = row;
    }
}

rlt_status rlti_raster_frame(const rlti_world *world, int looks, rlti_pool *pool, rlt_image *image,
                             rlt_messages *messages) {
    rlti_raster_light light = {0};
    rlti_raster_table table = {0};
    size_t pixels = (size_t)image->width * (size_t)image->height;
    rlti_picture picture = {.pixel_width = image->width,
                            .pixel_height = image->height,
                            .width = image->width,
                            .height = image->height,
                            .samples = RLTI_NEW(rlti_sample, pixels),
                            .edges = RLTI_NEW(rlti_edge, pixels)};
    rlt_status status =
        picture.samples != NULL && picture.edges != NULL ? RLT_OK : rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = rlti_raster_light_create(&light, world, OWN, pool, messages);
    if (status == RLT_OK)
        status = rlti_raster_table_create(&table, world, looks, ACROSS, pool, messages);
    if (status == RLT_OK) {
        clear(&picture, image);
        status = rlti_raster_body(world, &light, &table, pool, &picture, messages);
    }
    if (status == RLT_OK)
        status = draw_hairs(world, &light, &table, pool, &picture, messages);
    for (size_t i = 0; i < pixels && status == RLT_OK; i++) {
        if (picture.samples[i].depth < 0.0f)
            rlti_edge_settle(&picture.edges[i], &picture.samples[i]);
        memcpy(image->rgba + 4 * i, picture.samples[i].colour, 3 * sizeof(float));
        image->rgba[4 * i + 3] = 1.0f;
        image->depth[i] = picture.samples[i].depth;
        image->id[i] = picture.samples[i].depth < HUGE_VALF ? RLT_RENDER_ID_BODY : RLT_RENDER_ID_NONE;
    }
    rlti_raster_light_destroy(&light);
    rlti_raster_table_destroy(&table);
    RLTI_FREE(picture.samples, picture.edges);
    return status;
}
