/* Cameras: framed automatically or given, and their rays. */
#include <math.h>

#include "base/math.h"
#include "base/messages.h"
#include "base/sized.h"
#include "io/frame_check.h"
#include "render/trace.h"

static rlti_vec3 vector_at(const double *points, size_t i) {
    return rlti_v3(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
}

/* The axes of a camera that looks along -back; straight up or down, its right is the world's. */
static void axes_of(rlti_vec3 back, rlti_vec3 *right, rlti_vec3 *up) {
    *right = rlti_cross(rlti_v3(0, 1, 0), back);
    *right = rlti_length(*right) > 1e-9 ? rlti_normalize(*right) : rlti_v3(1, 0, 0);
    *up = rlti_cross(back, *right);
}

/* ---- automatic framing ---- */

typedef struct frame_fit {
    rlti_vec3 right, up, back;
    double slope_x, slope_y; /* that points may reach, less the margin */
    double low[3], high[3];  /* along the axes */
    double distance;         /* that shows all points, from the target */
} frame_fit;

static void grow(frame_fit *fit, const double *points, int count) {
    for (int i = 0; i < count; i++) {
        rlti_vec3 p = vector_at(points, (size_t)i);
        double along[3] = {rlti_dot(p, fit->right), rlti_dot(p, fit->up), rlti_dot(p, fit->back)};
        for (int c = 0; c < 3; c++) {
            fit->low[c] = along[c] < fit->low[c] ? along[c] : fit->low[c];
            fit->high[c] = along[c] > fit->high[c] ? along[c] : fit->high[c];
        }
    }
}

static void step_back(frame_fit *fit, rlti_vec3 target, const double *points, int count) {
    for (int i = 0; i < count; i++) {
        rlti_vec3 d = rlti_sub(vector_at(points, (size_t)i), target);
        double x = fabs(rlti_dot(d, fit->right)) / fit->slope_x;
        double y = fabs(rlti_dot(d, fit->up)) / fit->slope_y;
        double needed = rlti_dot(d, fit->back) + (x > y ? x : y);
        fit->distance = needed > fit->distance ? needed : fit->distance;
    }
}

rlt_status rlt_render_camera_fit(const rlt_frame_view *view, int width, int height, rlt_render_camera *camera,
                                 rlt_messages *messages) {
    rlt_frame_view own = {0};
    if (RLTI_READ(rlt_frame_view, &own, view, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    view = &own;
    rlt_status status = rlti_frame_check("camera", view, messages);
    if (status != RLT_OK || !camera->automatic)
        return status;
    if (width < 1 || height < 1 || !(camera->field_of_view > 0.0 && camera->field_of_view < 180.0) ||
        !(fabs(camera->elevation) <= 90.0) || !(fabs(camera->azimuth) <= 1e6) || !(camera->margin > 0.0))
        return rlti_refuse(
            messages, "camera: the elevation must be -90 to 90 degrees, the field of view between 0 and 180, "
                      "the margin above 0");
    double azimuth = camera->azimuth * (RLTI_PI / 180.0);
    double elevation = camera->elevation * (RLTI_PI / 180.0);
    frame_fit fit = {.low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, .high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    fit.right = rlti_v3(rlti_cos(azimuth), 0.0, -rlti_sin(azimuth));
    fit.back = rlti_v3(rlti_sin(azimuth) * rlti_cos(elevation), rlti_sin(elevation),
                       rlti_cos(azimuth) * rlti_cos(elevation));
    fit.up = rlti_cross(fit.back, fit.right);
    fit.slope_y = tan(0.5 * camera->field_of_view * (RLTI_PI / 180.0)) / camera->margin;
    fit.slope_x = fit.slope_y * width / height;
    int points = view->strand_count > 0 ? view->point_count : 0;
    int vertices = camera->hair_only && points > 0 ? 0 : view->vertex_count;
    grow(&fit, view->points, points);
    grow(&fit, view->vertices, vertices);
    rlti_vec3 target = rlti_scale(0.5 * (fit.low[0] + fit.high[0]), fit.right);
    target = rlti_madd(target, 0.5 * (fit.low[1] + fit.high[1]), fit.up);
    target = rlti_madd(target, 0.5 * (fit.low[2] + fit.high[2]), fit.back);
    step_back(&fit, target, view->points, points);
    step_back(&fit, target, view->vertices, vertices);
    double distance = fit.distance > 0.0 ? fit.distance : 1.0; /* all points in one place */
    rlti_v3_put(camera->target, target);
    rlti_v3_put(camera->eye, rlti_madd(target, distance, fit.back));
    camera->automatic = 0;
    return RLT_OK;
}

int rlt_render_project(const rlt_render_camera *camera, int width, int height, const double point[3],
                       double pixel[3]) {
    rlti_vec3 eye = vector_at(camera->eye, 0);
    rlti_vec3 back = rlti_normalize(rlti_sub(eye, vector_at(camera->target, 0)));
    rlti_vec3 right, up;
    axes_of(back, &right, &up);
    rlti_vec3 d = rlti_sub(vector_at(point, 0), eye);
    double depth = -rlti_dot(d, back);
    pixel[0] = pixel[1] = pixel[2] = 0.0;
    if (!(depth > 0.0))
        return 0;
    double scale = 0.5 * height / (tan(0.5 * camera->field_of_view * (RLTI_PI / 180.0)) * depth);
    pixel[0] = 0.5 * width + scale * rlti_dot(d, right);
    pixel[1] = 0.5 * height - scale * rlti_dot(d, up);
    pixel[2] = depth;
    return 1;
}

/* ---- rays ---- */

#define FILTER_RADIUS 1.5 /* pixels */

/* Blackman and Harris' window, wide as three pixels. */
static double window(double x) {
    double t = 2.0 * RLTI_PI * (0.5 + 0.5 * x / FILTER_RADIUS);
    return 0.35875 - 0.48829 * rlti_cos(t) + 0.14128 * rlti_cos(2.0 * t) - 0.01168 * rlti_cos(3.0 * t);
}

/* Where the window's mass is reached in equal steps: samples placed by it need no weights and stay in their
 * pixel. */
static void make_filter(float filter[65]) {
    enum { FINE = 4096 };
    double total = 0.0;
    for (int i = 0; i < FINE; i++)
        total += window(FILTER_RADIUS * (2.0 * (i + 0.5) / FINE - 1.0));
    double sum = 0.0;
    int next = 0;
    for (int i = 0; i < FINE && next < 65; i++) {
        double x = FILTER_RADIUS * (2.0 * (i + 0.5) / FINE - 1.0);
        sum += window(x);
        while (next < 65 && sum >= total * next / 64.0)
            filter[next++] = (float)x;
    }
    while (next < 65)
        filter[next++] = (float)FILTER_RADIUS;
}

static rlti_f3 single(rlti_vec3 v) {
    return rlti_f3_of((float)v.x, (float)v.y, (float)v.z);
}

void rlti_lens_prepare(const rlt_render_camera *camera, int width, int height, rlti_lens *lens) {
    rlti_vec3 eye = vector_at(camera->eye, 0);
    rlti_vec3 to_eye = rlti_sub(eye, vector_at(camera->target, 0));
    rlti_vec3 back = rlti_normalize(to_eye);
    rlti_vec3 right, up;
    axes_of(back, &right, &up);
    lens->eye = single(eye);
    lens->right = single(right);
    lens->up = single(up);
    lens->back = single(back);
    lens->slope_y = (float)tan(0.5 * camera->field_of_view * (RLTI_PI / 180.0));
    lens->slope_x = lens->slope_y * (float)width / (float)height;
    lens->radius = 0.5f * (float)camera->aperture;
    lens->focus = camera->focus > 0.0 ? (float)camera->focus : (float)rlti_length(to_eye);
    lens->width = (float)width;
    lens->height = (float)height;
    make_filter(lens->filter);
}

static float filter_at(const float filter[65], float u) {
    float at = 64.0f * u;
    int i = (int)at;
    i = i > 63 ? 63 : i;
    return filter[i] + (at - (float)i) * (filter[i + 1] - filter[i]);
}

rlti_ray rlti_lens_ray(const rlti_lens *lens, int x, int y, const float u[5]) {
    float px = (float)x + 0.5f + filter_at(lens->filter, u[0]);
    float py = (float)y + 0.5f + filter_at(lens->filter, u[1]);
    float across = lens->slope_x * (2.0f * px / lens->width - 1.0f);
    float above = lens->slope_y * (1.0f - 2.0f * py / lens->height);
    rlti_f3 direction = rlti_f3_madd(rlti_f3_scale(across, lens->right), above, lens->up);
    direction = rlti_f3_sub(direction, lens->back);
    rlti_ray ray = {.origin = lens->eye, .near = 0.0f, .far = HUGE_VALF, .time = u[4]};
    if (lens->radius > 0.0f) {
        float radius = lens->radius * sqrtf(u[2]);
        float angle = 2.0f * RLTI_PI_F * u[3];
        rlti_f3 sharp = rlti_f3_madd(lens->eye, lens->focus, direction);
        ray.origin = rlti_f3_madd(ray.origin, radius * cosf(angle), lens->right);
        ray.origin = rlti_f3_madd(ray.origin, radius * sinf(angle), lens->up);
        direction = rlti_f3_sub(sharp, ray.origin);
    }
    ray.direction = rlti_f3_normalize(direction);
    return ray;
}

void rlti_lens_project(const rlti_lens *lens, rlti_f3 p, float pixel[2]) {
    rlti_f3 d = rlti_f3_sub(p, lens->eye);
    float depth = rlti_max(-rlti_f3_dot(d, lens->back), 1e-6f);
    pixel[0] = 0.5f * lens->width * (1.0f + rlti_f3_dot(d, lens->right) / (depth * lens->slope_x));
    pixel[1] = 0.5f * lens->height * (1.0f - rlti_f3_dot(d, lens->up) / (depth * lens->slope_y));
}
