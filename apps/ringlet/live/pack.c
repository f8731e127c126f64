#include "live/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROOM_MAGIC = 0x31474c52,   /* "RLG1" */
    FRAME_MAGIC = 0x31464c52,   /* "RLF1" */
    OVERLAY_MAGIC = 0x314f4c52, /* "RLO1" */
    FRAME_HEADER = 96,          /* [byte] */
    FRAME_SUMMED = 48           /* where the bytes begin that the checksum is of */
};

/* ---- bytes; all of it is little endian, as browsers' machines are ---- */

static unsigned char *put(unsigned char *at, const void *bytes, size_t size) {
    if (size > 0)
        memcpy(at, bytes, size);
    return at + size;
}

static unsigned char *put_count(unsigned char *at, long long value) {
    uint32_t word = (uint32_t)value;
    return put(at, &word, sizeof word);
}

static unsigned char *put_floats(unsigned char *at, const double *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        float value = (float)from[i];
        at = put(at, &value, sizeof value);
    }
    return at;
}

static size_t padded(size_t size) {
    return (size + 3) & ~(size_t)3;
}

/* FNV-1a over words of four bytes, in four chains that take turns, and over these: a page sees whether it has
 * what was sent. */
static uint32_t checksum(const unsigned char *bytes, size_t size) {
    enum { CHAINS = 4 };
    const uint32_t start = 2166136261u, factor = 16777619u;
    uint32_t chain[CHAINS] = {start, start, start, start}, sum = start;
    size_t words = size / 4;
    for (size_t i = 0; i < words; i += CHAINS)
        for (size_t k = 0; k < CHAINS && i + k < words; k++) {
            uint32_t word;
            memcpy(&word, bytes + 4 * (i + k), 4);
            chain[k] = (chain[k] ^ word) * factor;
        }
    for (int k = 0; k < CHAINS; k++)
        sum = (sum ^ chain[k]) * factor;
    return sum;
}

/* ---- positions ---- */

typedef struct box {
    float low[3], size[3];
} box;

/* Numbers of four points in three registers of four, number i of them along the axis i % 3. Compilers make
 * vector instructions of these types; of plain loops with comparisons they do not. */
enum { ROW = 12, LANES = 4, ROWS = ROW / LANES };
typedef double four __attribute__((vector_size(LANES * sizeof(double))));
typedef long long four_masks __attribute__((vector_size(LANES * sizeof(long long))));
typedef int four_places __attribute__((vector_size(LANES * sizeof(int))));
typedef uint16_t four_shorts __attribute__((vector_size(LANES * sizeof(uint16_t))));

/* A function would take them in registers that the program may be built without. */
#define CHOOSE(where, yes, no) ((four)(((four_masks)(yes) & (where)) | ((four_masks)(no) & ~(where))))

static inline __attribute__((always_inline)) box box_of_any(const double *points, int count) {
    double low[ROW] = {0}, high[ROW] = {0};
    four least[ROWS], most[ROWS], x;
    size_t size = 3 * (size_t)count, whole = size - size % ROW;
    for (size_t i = 0; i < ROW && count > 0; i++)
        low[i] = high[i] = points[i % 3];
    memcpy(least, low, sizeof low);
    memcpy(most, high, sizeof high);
    for (size_t at = 0; at < whole; at += ROW)
        for (size_t r = 0; r < ROWS; r++) {
            memcpy(&x, points + at + LANES * r, sizeof x);
            least[r] = CHOOSE(x < least[r], x, least[r]);
            most[r] = CHOOSE(x > most[r], x, most[r]);
        }
    memcpy(low, least, sizeof low);
    memcpy(high, most, sizeof high);
    for (size_t i = 0; i < size - whole; i++) {
        low[i] = fmin(points[whole + i], low[i]);
        high[i] = fmax(points[whole + i], high[i]);
    }
    box b;
    for (int k = 0; k < 3; k++) {
        double from = fmin(fmin(low[k], low[k + 3]), fmin(low[k + 6], low[k + 9]));
        double to = fmax(fmax(high[k], high[k + 3]), fmax(high[k + 6], high[k + 9]));
        b.low[k] = (float)from;
        b.size[k] = (float)(to - from);
    }
    return b;
}

/* Each number to the nearest of 65,536 places within the box. */
static inline __attribute__((always_inline)) unsigned char *
put_points_any(unsigned char *at, const double *points, int count, const box *b) {
    double lows[ROW], scales[ROW], rest[ROW] = {0};
    four low[ROWS], scale[ROWS], x;
    const four zero = {0}, top = {65535.0, 65535.0, 65535.0, 65535.0};
    for (int i = 0; i < ROW; i++) {
        lows[i] = (double)b->low[i % 3];
        scales[i] = b->size[i % 3] > 0.0f ? 65535.0 / (double)b->size[i % 3] : 0.0;
    }
    memcpy(low, lows, sizeof low);
    memcpy(scale, scales, sizeof scale);
    size_t size = 3 * (size_t)count;
    for (size_t from = 0; from < size; from += ROW) {
        size_t left = size - from < ROW ? size - from : ROW;
        const double *row = points + from;
        four_shorts out[ROWS];
        if (left < ROW)
            row = memcpy(rest, row, left * sizeof *row);
        for (size_t r = 0; r < ROWS; r++) {
            memcpy(&x, row + LANES * r, sizeof x);
            x = (x - low[r]) * scale[r] + 0.5;
            x = CHOOSE(x > zero, x, zero);
            x = CHOOSE(x < top, x, top);
            out[r] = __builtin_convertvector(__builtin_convertvector(x, four_places), four_shorts);
        }
        memcpy(at + 2 * from, out, left < ROW ? left * sizeof(uint16_t) : sizeof out);
    }
    if (count % 2 != 0) /* an odd count leaves two bytes */
        memset(at + 2 * size, 0, 2);
    return at + padded(6 * (size_t)count);
}

/* The same twice where a processor may have wider registers: the numbers are the same. */
#if defined(__x86_64__)
__attribute__((target("avx2"))) static box box_of_wide(const double *points, int count) {
    return box_of_any(points, count);
}

__attribute__((target("avx2"))) static unsigned char *put_points_wide(unsigned char *at, const double *points,
                                                                      int count, const box *b) {
    return put_points_any(at, points, count, b);
}
#endif

static box box_of(const double *points, int count) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return box_of_wide(points, count);
#endif
    return box_of_any(points, count);
}

static unsigned char *put_points(unsigned char *at, const double *points, int count, const box *b) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return put_points_wide(at, points, count, b);
#endif
    return put_points_any(at, points, count, b);
}

static unsigned char *put_turns(unsigned char *at, const float *turns, int count) {
    for (size_t i = 0; i < 4 * (size_t)count; i++) {
        int16_t value = turns != NULL ? (int16_t)lrintf(32767.0f * turns[i]) : (i % 4 == 3 ? 32767 : 0);
        at = put(at, &value, sizeof value);
    }
    return at;
}

live_document *pack_frame(const rlt_frame_view *view, const float *turns, const pack_facts *facts) {
    size_t size = FRAME_HEADER + padded(6 * (size_t)view->point_count) +
                  padded(6 * (size_t)view->vertex_count) + 8 * (size_t)view->strand_count;
    live_document *document = live_document_create(padded(size + facts->json_size), 0);
    if (document == NULL)
        return NULL;
    box hair = box_of(view->points, view->point_count), body = box_of(view->vertices, view->vertex_count);
    unsigned char *start = document->bytes, *at = put_count(start, FRAME_MAGIC);
    at = put_count(at, facts->side);
    at = put_count(at, facts->step);
    at = put_count(at, view->point_count);
    at = put_count(at, view->vertex_count);
    at = put_count(at, view->strand_count);
    at = put_count(at, (long long)facts->json_size);
    unsigned char *sum = at;
    at = put_count(at, 0);
    at = put(at, &facts->checksum, sizeof facts->checksum);
    at = put(at, &facts->time, sizeof facts->time);
    at = put(at, &hair, sizeof hair);
    at = put(at, &body, sizeof body);
    at = put_points(at, view->points, view->point_count, &hair);
    at = put_points(at, view->vertices, view->vertex_count, &body);
    at = put_turns(at, turns, view->strand_count);
    at = put(at, facts->json, facts->json_size);
    memset(at, ' ', document->size - (size_t)(at - start));
    put_count(sum, checksum(start + FRAME_SUMMED, document->size - FRAME_SUMMED));
    return document;
}

/* ---- what stays ---- */

static void json_vector(json *out, const char *name, const double v[3]) {
    json_begin_array(out, name);
    for (int k = 0; k < 3; k++)
        json_number(out, NULL, v[k]);
    json_end_array(out);
}

static void json_light(json *out, const char *name, const rlt_render_light *light) {
    json_begin_object(out, name);
    json_number(out, "azimuth", light->azimuth);
    json_number(out, "elevation", light->elevation);
    json_vector(out, "colour", light->colour);
    json_end_object(out);
}

static void json_hair(json *out, const rlt_render_hair *hair) {
    json_begin_object(out, NULL);
    json_number(out, "eumelanin", hair->eumelanin);
    json_number(out, "pheomelanin", hair->pheomelanin);
    json_boolean(out, "dyed", hair->dyed);
    json_vector(out, "dye", hair->dye);
    json_number(out, "roughness", hair->roughness);
    json_number(out, "roughness_around", hair->roughness_around);
    json_number(out, "ior", hair->ior);
    json_number(out, "tilt", hair->tilt);
    json_number(out, "variation", hair->variation);
    json_number(out, "width", hair->width);
    json_end_object(out);
}

static void json_look(json *out, const rlt_render_def *def) {
    json_begin_object(out, "look");
    json_begin_array(out, "hair");
    for (int i = 0; i < def->look_count || i == 0; i++)
        json_hair(out, def->look_count > 0 ? &def->looks[i] : &def->hair);
    json_end_array(out);
    json_vector(out, "skin", def->skin);
    json_boolean(out, "body", def->body);
    json_vector(out, "top", def->background[0]);
    json_vector(out, "bottom", def->background[1]);
    json_vector(out, "sky", def->sky);
    json_vector(out, "horizon", def->horizon);
    json_vector(out, "floor", def->floor);
    json_number(out, "exposure", def->exposure);
    json_light(out, "key", &def->key);
    json_light(out, "fill", &def->fill);
    json_light(out, "rim", &def->rim);
    json_end_object(out);
    json_begin_object(out, "camera");
    json_vector(out, "eye", def->camera.eye);
    json_vector(out, "target", def->camera.target);
    json_number(out, "field_of_view", def->camera.field_of_view);
    json_end_object(out);
}

static void json_fill(json *out, const rlt_fill_def *def) {
    json_begin_object(out, "fill");
    json_integer(out, "blend", (int)def->blend);
    json_integer(out, "neighbours", def->neighbours);
    json_number(out, "parting", def->parting);
    json_number(out, "clump", def->clump);
    json_number(out, "clump_start", def->clump_start);
    json_number(out, "wisp_tip", def->wisp_tip);
    json_number(out, "phase", def->phase);
    json_number(out, "length_variation", def->length_variation);
    json_number(out, "noise", def->noise);
    json_number(out, "noise_length", def->noise_length);
    json_number(out, "width", def->width);
    json_number(out, "tip", def->tip);
    json_number(out, "tip_start", def->tip_start);
    json_integer(out, "locks", def->locks);
    json_number(out, "clump_large", def->clump_large);
    json_number(out, "clump_small", def->clump_small);
    json_number(out, "lock_radius", def->lock_radius);
    json_number(out, "frizz", def->frizz);
    json_number(out, "frizz_length", def->frizz_length);
    json_number(out, "strays", def->strays);
    json_end_object(out);
}

/* The quaternion's inverse turns v: from how a strand is turned back to its rest. */
static void turn_back(const float q[4], const double v[3], float out[3]) {
    double x = -(double)q[0], y = -(double)q[1], z = -(double)q[2], w = (double)q[3];
    double t[3] = {2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])};
    out[0] = (float)(v[0] + w * t[0] + y * t[2] - z * t[1]);
    out[1] = (float)(v[1] + w * t[1] + z * t[0] - x * t[2]);
    out[2] = (float)(v[2] + w * t[2] + x * t[1] - y * t[0]);
}

/* Where hairs grow: from the guide's root, as it is at rest. Two points a hair are enough to know its
 * root. */
static unsigned char *put_hairs(unsigned char *at, const rlt_frame_view *view, const rlt_fill *fill,
                                const float *turns, long long hairs) {
    enum { BLOCK = 64 };
    float points[BLOCK * 2 * 3], widths[BLOCK * 2];
    int counts[BLOCK];
    unsigned char *guides = at + 12 * (size_t)hairs;
    for (long long first = 0; first < hairs; first += BLOCK) {
        int count = hairs - first < BLOCK ? (int)(hairs - first) : BLOCK;
        rlt_fill_block(fill, first, count, points, widths, counts);
        for (int i = 0; i < count; i++) {
            int guide = rlt_fill_guide(fill, first + i);
            const double *root = view->points + 3 * (size_t)view->first[guide];
            double from[3];
            float offset[3];
            for (int k = 0; k < 3; k++)
                from[k] = (double)points[6 * i + k] - root[k];
            turn_back(turns + 4 * (size_t)guide, from, offset);
            at = put(at, offset, sizeof offset);
            guides = put_count(guides, guide);
        }
    }
    return guides;
}

/* ---- the body's paint ---- */

enum { FACE = 192 }; /* pixels of the face's picture */

/* Memory for all of it, in one piece; 0: out of memory. */
static int paint_allocate(rlt_render_paint_buffers *paint, int vertices) {
    size_t colours = 3 * (size_t)vertices;
    float *all = calloc(2 * colours + 3 * (size_t)FACE * FACE + (size_t)vertices + 3, sizeof *all);
    *paint = (rlt_render_paint_buffers){.size = sizeof *paint, .face_size = FACE};
    paint->colours = all;
    paint->places = all != NULL ? all + colours : NULL;
    paint->face = all != NULL ? all + 2 * colours : NULL;
    paint->cloth = all != NULL ? paint->face + 3 * (size_t)FACE * FACE : NULL;
    paint->shirt = all != NULL ? paint->cloth + 3 : NULL;
    return all != NULL;
}

static unsigned char byte_of(float share) {
    return (unsigned char)lrintf(255.0f * fminf(1.0f, fmaxf(0.0f, share)));
}

/* Bytes as the square root of light: dark colours have as many steps as the eye sees. The fourth has `other`,
 * -4 to 4, where that is given. */
static unsigned char *put_colours(unsigned char *at, const float *colours, const float *other, size_t count,
                                  float most) {
    for (size_t i = 0; i < count; i++) {
        unsigned char bytes[4];
        for (size_t k = 0; k < 3; k++)
            bytes[k] = byte_of(sqrtf(fmaxf(0.0f, colours[3 * i + k] / most)));
        bytes[3] = other != NULL ? byte_of(0.5f + 0.125f * other[i]) : 255;
        at = put(at, bytes, sizeof bytes);
    }
    return at;
}

static unsigned char *put_paint(unsigned char *at, const rlt_render_paint_buffers *paint, int vertices) {
    const float face_most = 1.25f; /* a cheek is brighter than skin */
    at = put_colours(at, paint->colours, paint->shirt, (size_t)vertices, 1.0f);
    at = put(at, paint->places, 12 * (size_t)vertices);
    return put_colours(at, paint->face, NULL, (size_t)FACE * FACE, face_most);
}

static live_document *write_groom(const rlt_frame_view *view, const rlt_fill *fill, const float *turns,
                                  int side, const rlt_render_paint_buffers *paint, const json *facts) {
    size_t strands = (size_t)view->strand_count, points = (size_t)view->point_count;
    size_t triangles = (size_t)view->triangle_count;
    long long hairs = rlt_fill_hairs(fill);
    size_t size = 32 + 4 * (strands + 1) + 12 * points + 8 * strands + 12 * triangles + 16 * (size_t)hairs +
                  16 * (size_t)view->vertex_count + 4 * (size_t)FACE * FACE;
    live_document *document = live_document_create(size + facts->size, 0);
    if (document == NULL)
        return NULL;
    unsigned char *at = put_count(document->bytes, GROOM_MAGIC);
    at = put_count(at, side);
    at = put_count(at, view->strand_count);
    at = put_count(at, view->point_count);
    at = put_count(at, view->vertex_count);
    at = put_count(at, view->triangle_count);
    at = put_count(at, hairs);
    at = put_count(at, (long long)facts->size);
    at = put(at, view->first, 4 * (strands + 1));
    at = put_floats(at, view->rest != NULL ? view->rest : view->points, 3 * points);
    for (size_t s = 0; s < strands; s++)
        at = put_floats(at, &view->widths[view->first[s]], 1);
    for (size_t s = 0; s < strands; s++)
        at = put_count(at, view->hair != NULL ? view->hair[s] : 0);
    at = put(at, view->triangles, 12 * triangles);
    at = put_hairs(at, view, fill, turns, hairs);
    at = put_paint(at, paint, view->vertex_count);
    put(at, facts->text, facts->size);
    return document;
}

/* Where most guides were left out, wisps around the others would be tufts: hair between them is blended. */
static void blend_few(rlt_fill_def *def, long long hairs, int strands) {
    const double most = 3.0; /* times as many hairs of a guide as the scene has */
    if (def->blend == RLT_FILL_WISPS && def->hairs_per_guide > 0 &&
        (double)hairs > most * def->hairs_per_guide * strands) {
        def->blend = RLT_FILL_CURLS;
        def->phase = 180.0;
        def->clump = 0.0;
    }
}

live_document *pack_groom(const rlt_simulation *simulation, const rlt_scene *scene, int side, long long hairs,
                          rlt_messages *messages) {
    enum { PICTURE = 480 };
    rlt_frame_view view = {.size = sizeof view};
    rlt_fill_def def = rlt_fill_defaults();
    rlt_render_def look = rlt_render_defaults();
    rlt_fill *fill = NULL;
    live_document *document = NULL;
    rlt_simulation_view(simulation, &view);
    float *turns = malloc(4 * sizeof(float) * ((size_t)view.strand_count + 1));
    rlt_buffer buffer = {.data = turns, .type = RLT_FLOAT};
    rlt_scene_fill(scene, &def);
    rlt_scene_look(scene, &look);
    (void)rlt_render_camera_fit(&view, PICTURE, PICTURE, &look.camera, NULL);
    blend_few(&def, hairs, view.strand_count);
    def.hairs = hairs < PACK_HAIRS_MAX ? hairs : PACK_HAIRS_MAX;
    rlt_fill_fit(&def, view.strand_count);
    def.points = 2;
    def.outside = 0;
    rlt_render_paint_buffers paint = {0};
    if (turns != NULL && paint_allocate(&paint, view.vertex_count) &&
        rlt_render_paint(&view, &look, &paint, messages) == RLT_OK &&
        rlt_simulation_read(simulation, RLT_READ_TURNS, &buffer, messages) == RLT_OK &&
        rlt_fill_create(&view, &def, messages, &fill) == RLT_OK) {
        json facts = {0};
        json_begin_object(&facts, NULL);
        json_string(&facts, "title", rlt_scene_title(scene));
        json_integer(&facts, "face", FACE);
        const double cloth[3] = {(double)paint.cloth[0], (double)paint.cloth[1], (double)paint.cloth[2]};
        json_vector(&facts, "cloth", cloth);
        json_number(&facts, "metres_per_unit", rlt_scene_metres_per_unit(scene));
        json_number(&facts, "frames_per_second", rlt_scene_frames_per_second(scene));
        json_fill(&facts, &def);
        json_look(&facts, &look);
        json_end_object(&facts);
        if (!facts.failed)
            document = write_groom(&view, fill, turns, side, &paint, &facts);
        json_free(&facts);
    }
    rlt_fill_destroy(fill);
    free(paint.colours);
    free(turns);
    return document;
}

/* ---- overlays ---- */

typedef struct overlay_part {
    const char *name;
    const double *values;
    size_t count;
} overlay_part;

static unsigned char *put_springs(unsigned char *at, const rlt_diagnostics *d) {
    for (long long i = 0; i < d->spring_count; i++) {
        double row[3] = {d->springs[i].point, d->springs[i].other, d->springs[i].age};
        at = put_floats(at, row, 3);
    }
    return at;
}

live_document *pack_overlay(const rlt_diagnostics *d, unsigned show, int side, long long step) {
    size_t n = (size_t)d->point_count;
    const overlay_part parts[] = {
        {"smoothed", show & RLT_SHOW_SMOOTHED ? d->smoothed : NULL, 3 * n},
        {"core", show & RLT_SHOW_CORE ? d->core : NULL, 3 * n},
        {"frames", show & RLT_SHOW_FRAMES ? d->frames : NULL, 9 * n},
        {"origins", show & RLT_SHOW_FRAMES ? d->frame_origins : NULL, 3 * n},
        {"targets", show & RLT_SHOW_TARGETS ? d->targets : NULL, 3 * n},
        {"radii", show & RLT_SHOW_CONTACTS ? d->radii : NULL, n},
        {"stretch", show & RLT_SHOW_STRETCH ? d->stretch : NULL, n},
        {"speed", show & RLT_SHOW_SPEED ? d->speed : NULL, n},
        {"penetration", show & RLT_SHOW_PENETRATION ? d->penetration : NULL, n},
        {"twist", show & RLT_SHOW_TWIST ? d->twist : NULL, n},
        {"curvature", show & RLT_SHOW_CURVATURE ? d->curvature : NULL, n},
    };
    enum { PARTS = sizeof parts / sizeof parts[0] };
    size_t springs = show & RLT_SHOW_CONTACTS ? 3 * (size_t)d->spring_count : 0, values = springs;
    json facts = {0};
    json_begin_object(&facts, NULL);
    json_integer(&facts, "side", side);
    json_integer(&facts, "step", step);
    for (int i = 0; i < PARTS; i++) {
        json_integer(&facts, parts[i].name, parts[i].values != NULL ? (long long)parts[i].count : 0);
        values += parts[i].values != NULL ? parts[i].count : 0;
    }
    json_integer(&facts, "springs", (long long)springs);
    json_end_object(&facts);
    live_document *document =
        facts.failed ? NULL : live_document_create(8 + padded(facts.size) + 4 * values, 0);
    if (document != NULL) {
        unsigned char *at = put_count(document->bytes, OVERLAY_MAGIC);
        at = put_count(at, (long long)padded(facts.size));
        memset(at, ' ', padded(facts.size));
        put(at, facts.text, facts.size);
        at += padded(facts.size);
        for (int i = 0; i < PARTS; i++)
            at = put_floats(at, parts[i].values, parts[i].values != NULL ? parts[i].count : 0);
        if (springs > 0)
            put_springs(at, d);
    }
    json_free(&facts);
    return document;
}
