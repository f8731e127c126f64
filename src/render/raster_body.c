/* The body's triangles, four samples a pixel. What is nearest is found first, and lit after: a pixel within a
 * surface once, with the colours of two samples; one along its edge four times. */
#include "base/memory.h"
#include "base/messages.h"
#include "render/raster.h"

enum { FINE = 2, STRIP = 32 }; /* samples along a pixel; pixels of a strip's height */

typedef struct corner {
    float x, y, depth; /* samples, and along the view axis */
} corner;

#define EDGE 6.0f /* pixels by which samples of one pixel differ in depth where a surface ends */

/* The nearest triangle at a sample, and where on it. */
typedef struct seen {
    float depth; /* HUGE_VALF: nothing */
    int triangle;
    float weights[2]; /* of its second and third corner */
} seen;

typedef struct painter {
    const rlti_world *world;
    const rlti_raster_light *light;
    rlti_picture *picture;
    rlti_f3 pass;    /* share of light that comes through one hair */
    float pixel;     /* its side at depth 1 */
    corner *corners; /* [vertex_count] */
    seen *fine;      /* [workers][STRIP * FINE][width * FINE] */
} painter;

/* ---- shading ---- */

/* How much of the sky's light comes to a place below so much hair. What does not come by itself comes from
 * skin and hair around, in their colour: without it shadows on a face are grey. */
static rlti_f3 sky_share(float crossed, rlti_f3 colour) {
    float open = 0.3f + 0.7f * expf(-0.4f * crossed), back = 0.8f * (1.0f - open);
    return rlti_f3_of(open / (1.0f - back * colour.x), open / (1.0f - back * colour.y),
                      open / (1.0f - back * colour.z));
}

/* How much of a light comes to skin through so much hair. What is scattered on its way has lost less of its
 * colour than what passes straight through, or shadows of red hair have orange seams. */
static rlti_f3 light_share(const painter *to, float crossed) {
    rlti_f3 share = rlti_raster_fade(crossed, to->pass);
    float grey = (share.x + share.y + share.z) / 3.0f;
    return rlti_f3_mix(share, rlti_f3_of(grey, grey, grey), 0.6f);
}

static rlti_f3 skin_value(const painter *to, rlti_f3 p, rlti_f3 normal, rlti_f3 out, rlti_f3 colour,
                          float bare) {
    const rlti_world *world = to->world;
    const rlti_raster_light *light = to->light;
    float crossed[RASTER_DEPTHS];
    rlti_raster_crossed_below(light, world, rlti_f3_madd(p, 1.5f * light->density->cell, normal), normal,
                              crossed);
    rlti_f3 sum = rlti_f3_mix(world->floor, world->sky, 0.5f + 0.5f * normal.y);
    sum = rlti_f3_times(sum, rlti_f3_times(colour, sky_share(crossed[RASTER_SKY], colour)));
    for (int l = 0; l < world->light_count; l++) {
        const rlti_source_light *source = &world->lights[l];
        float cosine = rlti_f3_dot(normal, source->direction);
        const float spread[3] = {0.22f * bare, 0.07f * bare, 0.03f * bare};
        if (!(cosine > -spread[0]))
            continue;
        rlti_f3 open =
            rlti_f3_scale(0.06f + 0.94f * rlti_raster_open(light, l, p, normal), light_share(to, crossed[l]));
        float w[3];
        for (int c = 0; c < 3; c++)
            w[c] = rlti_max(0.0f, (cosine + spread[c]) / (1.0f + spread[c])) / RLTI_PI_F;
        rlti_f3 half = rlti_f3_normalize(rlti_f3_add(source->direction, out));
        float sharp = rlti_max(0.0f, rlti_f3_dot(half, normal));
        sharp *= sharp;
        sharp *= sharp;
        sharp *= sharp;
        float sheen = 0.045f * bare * sharp * sharp * rlti_max(0.0f, cosine);
        rlti_f3 value = rlti_f3_times(colour, rlti_f3_of(w[0], w[1], w[2]));
        value = rlti_f3_add(value, rlti_f3_of(sheen, sheen, sheen));
        sum = rlti_f3_add(sum, rlti_f3_times(open, rlti_f3_times(value, source->colour)));
    }
    return sum;
}

static rlti_f3 colour_of(const painter *p, const seen *sample, float w[3], float *scalp) {
    w[0] = 1.0f - sample->weights[0] - sample->weights[1];
    w[1] = sample->weights[0];
    w[2] = sample->weights[1];
    return rlti_mesh_colour(p->world, (uint32_t)sample->triangle, w, scalp);
}

/* Light from what a sample shows, with half the colour of another; NULL: all its own. */
static rlti_f3 shade_sample(const painter *p, const seen *sample, const seen *other) {
    const rlti_world *world = p->world;
    const rlti_mesh_shape *body = world->body;
    float w[3], unused[3], scalp, there;
    rlti_f3 place = {0}, normal = {0}, skin = colour_of(p, sample, w, &scalp);
    if (other != NULL)
        skin = rlti_f3_mix(skin, colour_of(p, other, unused, &there), 0.5f);
    for (int i = 0; i < 3; i++) {
        size_t v = body->triangles[3 * (size_t)sample->triangle + (size_t)i];
        const float *at = body->vertices[0] + 3 * v, *n = body->normals + 3 * v;
        place = rlti_f3_madd(place, w[i], rlti_f3_of(at[0], at[1], at[2]));
        normal = rlti_f3_madd(normal, w[i], rlti_f3_of(n[0], n[1], n[2]));
    }
    rlti_f3 out = rlti_f3_normalize(rlti_f3_sub(world->lens.eye, place));
    normal = rlti_f3_normalize(normal);
    float away = rlti_f3_dot(normal, out);
    if (away < 0.0f)
        normal = rlti_f3_normalize(rlti_f3_madd(normal, -1.001f * away, out));
    return skin_value(p, place, normal, out, skin, 1.0f - scalp);
}

/* The near surface of a pixel and what lies behind it, kept apart: hair may come between. */
static void shade_edge(const painter *p, const seen *samples[FINE * FINE], float near, rlti_sample *to) {
    rlti_edge *edge = &p->picture->edges[to - p->picture->samples];
    rlti_f3 front = {0}, behind = {0}, sky = rlti_f3_of(to->colour[0], to->colour[1], to->colour[2]);
    int covered = 0;
    float far = 0.0f;
    for (int i = 0; i < FINE * FINE; i++) {
        rlti_f3 colour = samples[i]->depth < HUGE_VALF ? shade_sample(p, samples[i], NULL) : sky;
        if (samples[i]->depth - near < EDGE * near * p->pixel) {
            front = rlti_f3_add(front, colour);
            covered++;
        } else {
            behind = rlti_f3_add(behind, colour);
            far = rlti_max(far, samples[i]->depth);
        }
    }
    front = rlti_f3_scale(1.0f / (float)covered, front);
    behind = rlti_f3_scale(1.0f / (float)(FINE * FINE - covered), behind);
    *edge = (rlti_edge){{front.x, front.y, front.z}, (float)covered / (FINE * FINE), near, far};
    *to = (rlti_sample){{behind.x, behind.y, behind.z}, -1.0f};
}

/* The mean of a pixel's samples, whose first is here. */
static void shade_pixel(const painter *p, const seen *first, rlti_sample *to) {
    size_t row = (size_t)p->picture->width * FINE;
    const seen *samples[FINE * FINE] = {first, first + row + 1, first + 1, first + row};
    float near = HUGE_VALF, far = 0.0f;
    for (int i = 0; i < FINE * FINE; i++) {
        near = rlti_min(near, samples[i]->depth);
        far = rlti_max(far, samples[i]->depth);
    }
    if (!(near < HUGE_VALF))
        return;
    /* a surface falls away by less than this within a pixel, unless it is seen from the side */
    if (far - near < EDGE * near * p->pixel) {
        rlti_f3 colour = shade_sample(p, samples[0], samples[1]);
        *to = (rlti_sample){{colour.x, colour.y, colour.z}, near};
    } else {
        shade_edge(p, samples, near, to);
    }
}

/* ---- triangles ---- */

static void draw_triangle(const painter *p, int t, int top, int rows, seen *fine) {
    const uint32_t *v = p->world->body->triangles + 3 * (size_t)t;
    const corner *a = &p->corners[v[0]], *b = &p->corners[v[1]], *c = &p->corners[v[2]];
    float area = (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
    if (!(area < -1e-6f) || !(a->depth > 0.0f && b->depth > 0.0f && c->depth > 0.0f))
        return; /* seen from behind, as y points down */
    float one = 1.0f / area;
    int width = p->picture->width * FINE;
    int x0 = (int)rlti_max(0.0f, floorf(rlti_min(a->x, rlti_min(b->x, c->x))));
    int x1 = (int)rlti_min((float)width - 1.0f, rlti_max(a->x, rlti_max(b->x, c->x)));
    int y0 = (int)rlti_max((float)top, floorf(rlti_min(a->y, rlti_min(b->y, c->y))));
    int y1 = (int)rlti_min((float)(top + rows) - 1.0f, rlti_max(a->y, rlti_max(b->y, c->y)));
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            float dx = (float)x + 0.5f - a->x, dy = (float)y + 0.5f - a->y;
            float wb = (dx * (c->y - a->y) - dy * (c->x - a->x)) * one;
            float wc = ((b->x - a->x) * dy - (b->y - a->y) * dx) * one;
            if (wb < 0.0f || wc < 0.0f || wb + wc > 1.0f)
                continue;
            /* 1 / depth is linear on the screen */
            float w[3] = {(1.0f - wb - wc) / a->depth, wb / b->depth, wc / c->depth};
            float depth = 1.0f / (w[0] + w[1] + w[2]);
            seen *sample = fine + (size_t)(y - top) * (size_t)width + (size_t)x;
            if (depth < sample->depth)
                *sample = (seen){depth, t, {w[1] * depth, w[2] * depth}};
        }
}

/* A strip of the picture: its samples' mean becomes the pixels. */
static void paint_strip(void *context, int index, int worker) {
    const painter *p = context;
    int width = p->picture->width, top = index * STRIP;
    int rows = p->picture->height - top < STRIP ? p->picture->height - top : STRIP;
    seen *fine = p->fine + (size_t)worker * STRIP * FINE * (size_t)width * FINE;
    for (size_t i = 0; i < (size_t)rows * FINE * (size_t)width * FINE; i++)
        fine[i].depth = HUGE_VALF;
    for (int t = 0; t < p->world->body->triangle_count; t++)
        draw_triangle(p, t, top * FINE, rows * FINE, fine);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < width; x++)
            shade_pixel(p, fine + (size_t)(FINE * y) * (size_t)width * FINE + (size_t)(FINE * x),
                        &p->picture->samples[(size_t)(top + y) * (size_t)width + (size_t)x]);
}

rlt_status rlti_raster_body(const rlti_world *world, const rlti_raster_light *light,
                            const rlti_raster_table *table, rlti_pool *pool, rlti_picture *picture,
                            rlt_messages *messages) {
    const rlti_mesh_shape *body = world->body;
    if (body->triangle_count == 0)
        return RLT_OK;
    painter p = {.world = world, .light = light, .picture = picture};
    if (table->looks > 0)
        p.pass = table->pass[0];
    p.pixel = 2.0f * world->lens.slope_y / world->lens.height;
    size_t strip = (size_t)STRIP * FINE * (size_t)picture->width * FINE;
    p.corners = RLTI_NEW(corner, body->vertex_count);
    p.fine = RLTI_NEW(seen, strip * (size_t)rlti_pool_threads(pool));
    rlt_status status = p.corners != NULL && p.fine != NULL ? RLT_OK : rlti_out_of_memory(messages);
    for (int v = 0; v < body->vertex_count && status == RLT_OK; v++) {
        const float *at = body->vertices[0] + 3 * (size_t)v;
        rlti_f3 place = rlti_f3_of(at[0], at[1], at[2]);
        float pixel[2];
        rlti_lens_project(&world->lens, place, pixel);
        p.corners[v] = (corner){FINE * pixel[0], FINE * pixel[1],
                                -rlti_f3_dot(rlti_f3_sub(place, world->lens.eye), world->lens.back)};
    }
    if (status == RLT_OK)
        rlti_pool_for(pool, (picture->height + STRIP - 1) / STRIP, paint_strip, &p);
    RLTI_FREE(p.corners, p.fine);
    return status;
}
