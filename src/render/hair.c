/* Hairs: shaded, and made into lines. */
#include "render/lines.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/random.h"

enum { RANDOM_SHADE = 100, RANDOM_HUE };

/* ---- shading ---- */

/* Scattering along the hair: a bell of sin(in) + sin(out) about the lobe's shift (the scales tilt the first
 * reflection towards the root and the inner one towards the tip). */
static float lobe(const rlti_lighting *lighting, double sum, double shift, double width) {
    double x = (sum - shift) / width;
    return rlti_falloff(lighting, 0.5 * x * x);
}

typedef struct strand_colour {
    float body[3]; /* the colour light takes on inside the hair */
} strand_colour;

static strand_colour colour_of(int strand, int copy) {
    static const float copper[3] = {0.47f, 0.100f, 0.028f};
    static const float gold[3] = {0.62f, 0.23f, 0.070f};
    uint64_t seed = (uint64_t)strand;
    float shade = 0.72f + 0.45f * (float)rlti_random(seed, (uint64_t)copy, RANDOM_SHADE);
    float own = (float)rlti_random(seed, (uint64_t)copy, RANDOM_HUE);
    float shared = (float)rlti_random(seed, 0, RANDOM_HUE); /* a wisp keeps together in hue */
    float hue = 0.25f * own + 0.45f * shared * shared;
    strand_colour colour;
    for (int c = 0; c < 3; c++)
        colour.body[c] = shade * (copper[c] + hue * (gold[c] - copper[c]));
    return colour;
}

/* Light scattered from one light towards the eye: Kajiya and Kay's diffuse term and three lobes (reflected
 * off the surface, through the hair, reflected inside it). `blocked` is optical depth; red passes deeper than
 * blue. */
static void add_light(const rlti_lighting *lighting, const rlti_light *light, const strand_colour *hair,
                      rlti_vec3 t, rlti_vec3 view, double blocked, float open, float colour[3]) {
    static const double absorb[3] = {0.66, 0.98, 1.22};
    double sin_in = rlti_dot(t, light->direction);
    double sin_out = rlti_dot(t, view);
    double cos_in = sqrt(fmax(0.0, 1.0 - sin_in * sin_in));
    double cos_out = sqrt(fmax(0.0, 1.0 - sin_out * sin_out));
    /* cosine of the angle between light and eye seen along the hair */
    double around = (rlti_dot(light->direction, view) - sin_in * sin_out) / (cos_in * cos_out + 1e-3);
    around = around < -1.0 ? -1.0 : (around > 1.0 ? 1.0 : around);

    double sum = sin_in + sin_out;
    float front = (float)sqrt(0.5 + 0.5 * around);
    float through = (float)(0.5 - 0.5 * around);
    through *= through;
    through *= through;
    float diffuse = 0.46f * (float)cos_in * (0.45f + 0.55f * front);
    float surface = 0.20f * front * lobe(lighting, sum, -0.14, 0.11) * (float)cos_in;
    float inner = 1.10f * front * lobe(lighting, sum, 0.22, 0.24) * (float)cos_in;
    float passed = 1.10f * through * lobe(lighting, sum, 0.07, 0.28) * (float)cos_in;
    for (int c = 0; c < 3; c++) {
        float body = hair->body[c];
        float reaches = open * rlti_falloff(lighting, absorb[c] * blocked);
        colour[c] += light->colour[c] * reaches * (body * (diffuse + inner + passed) + surface);
    }
}

static void shade(const rlti_lighting *lighting, const rlti_camera *camera, const strand_colour *hair,
                  rlti_vec3 p, rlti_vec3 t, double along, float colour[3]) {
    static const float ambient[3] = {0.26f, 0.25f, 0.26f};
    rlti_vec3 view = rlti_normalize(rlti_sub(camera->eye, p));
    double blocked[RLTI_LIGHT_COUNT];
    double minimum = HUGE_VAL;
    for (int l = 0; l < RLTI_LIGHT_COUNT; l++) {
        blocked[l] = rlti_occlusion_hair(&lighting->occlusion[l], p);
        minimum = blocked[l] < minimum ? blocked[l] : minimum;
    }
    float sky = 0.06f + 0.94f * rlti_falloff(lighting, 0.9 * minimum);
    for (int c = 0; c < 3; c++)
        colour[c] = ambient[c] * hair->body[c] * sky;
    for (int l = 0; l < RLTI_LIGHT_COUNT; l++) {
        float open = (float)(1.0 - rlti_occlusion_body(&lighting->occlusion[l], p));
        if (open > 0.0f && blocked[l] < 16.0)
            add_light(lighting, &lighting->lights[l], hair, t, view, blocked[l], open, colour);
    }
    float root = 0.45f + 0.55f * (float)rlti_smoothstep(along / 0.22);
    for (int c = 0; c < 3; c++)
        colour[c] *= root;
}

/* ---- from curves to lines ---- */

/* Catmull-Rom through p[1] and p[2]; the missing neighbours at the ends mirror, as in the written curves. */
static void curve_at(const rlti_vec3 *points, int count, int i, double f, rlti_vec3 *p, rlti_vec3 *tangent) {
    rlti_vec3 b = points[i];
    rlti_vec3 c = points[i + 1];
    rlti_vec3 a = i > 0 ? points[i - 1] : rlti_sub(rlti_scale(2.0, b), c);
    rlti_vec3 d = i + 2 < count ? points[i + 2] : rlti_sub(rlti_scale(2.0, c), b);
    rlti_vec3 start = rlti_scale(0.5, rlti_sub(c, a));
    rlti_vec3 end = rlti_scale(0.5, rlti_sub(d, b));
    rlti_vec3 chord = rlti_sub(c, b);
    /* b + f (start + f (quadratic + f cubic)) */
    rlti_vec3 quadratic = rlti_sub(rlti_sub(rlti_scale(3.0, chord), rlti_scale(2.0, start)), end);
    rlti_vec3 cubic = rlti_sub(rlti_add(start, end), rlti_scale(2.0, chord));
    *p = rlti_madd(rlti_madd(rlti_madd(b, f, start), f * f, quadratic), f * f * f, cubic);
    *tangent = rlti_normalize(rlti_madd(rlti_madd(start, 2.0 * f, quadratic), 3.0 * f * f, cubic));
}

/* Appends the drawn vertices of one hair; returns how many. */
static int make_line(const rlti_camera *camera, const rlti_lighting *lighting, const rlti_wisps *wisps,
                     int strand, int copy, rlti_vec3 *points, rlti_line_vertex *line) {
    int count = rlti_wisps_hair(wisps, strand, copy, points);
    int pieces = (count - 1) * wisps->pieces;
    strand_colour hair = colour_of(strand, copy);
    for (int j = 0; j <= pieces; j++) {
        int edge = j == pieces ? count - 2 : j / wisps->pieces;
        double f = (double)(j - edge * wisps->pieces) / wisps->pieces;
        double along = (double)j / pieces;
        rlti_vec3 p, tangent;
        curve_at(points, count, edge, f, &p, &tangent);
        rlti_projected at = rlti_camera_project(camera, p);
        rlti_line_vertex *v = &line[j];
        memset(v, 0, sizeof *v);
        if (!(at.depth > camera->nearest) || !(fabs(at.x) < 1e6) || !(fabs(at.y) < 1e6))
            continue;
        v->x = (float)at.x;
        v->y = (float)at.y;
        v->depth = (float)at.depth;
        double taper = 1.0 - 0.65 * along * along * along;
        v->width = (float)(taper * wisps->width * camera->focal / at.depth);
        shade(lighting, camera, &hair, p, tangent, along, v->colour);
    }
    return pieces + 1;
}

rlt_status rlti_hair_draw(rlti_picture *picture, const rlti_camera *camera, const rlti_lighting *lighting,
                          const rlti_wisps *wisps, rlt_messages *messages) {
    const rlt_frame_view *view = wisps->view;
    if (view->strand_count == 0)
        return RLT_OK;
    /* each hair ends with a vertex of depth 0, which separates it from the next */
    size_t maximum = (size_t)wisps->copies * (size_t)view->strand_count *
                     ((size_t)wisps->longest * (size_t)wisps->pieces + 2);
    rlti_line_vertex *vertices = maximum < INT32_MAX ? RLTI_NEW(rlti_line_vertex, maximum) : NULL;
    rlti_vec3 *points = RLTI_NEW(rlti_vec3, wisps->longest);
    rlt_status status = RLT_OK;
    if (vertices == NULL || points == NULL) {
        status = rlti_out_of_memory(messages);
    } else {
        int count = 0;
        for (int s = 0; s < view->strand_count; s++)
            for (int copy = 0; copy < wisps->copies; copy++) {
                count += make_line(camera, lighting, wisps, s, copy, points, vertices + count);
                vertices[count++].depth = 0.0f;
            }
        status = rlti_lines_draw(picture, vertices, count, NULL, messages);
    }
    RLTI_FREE(vertices, points);
    return status;
}
