/* Limits of what a picture may be asked for. */
#include <math.h>

#include "base/messages.h"
#include "base/sized.h"
#include "io/frame_check.h"
#include "render/trace.h"

rlt_status rlt_render_def_reset(rlt_render_def *def) {
    const rlt_render_def standard = {
        .width = 640,
        .height = 640,
        .samples = 12,
        .bounces = 10,
        .points = 40000000,
        .camera = {.automatic = 1, .azimuth = 25.0, .elevation = 6.0, .margin = 1.06, .field_of_view = 25.0},
        .key = {.azimuth = 38.0, .elevation = 42.0, .size = 18.0, .colour = {7.5, 7.1, 6.6}},
        .fill = {.azimuth = -55.0, .elevation = 15.0, .size = 50.0, .colour = {1.3, 1.4, 1.6}},
        .rim = {.azimuth = -155.0, .elevation = 35.0, .size = 20.0, .colour = {3.6, 3.6, 3.7}},
        .sky = {0.56, 0.60, 0.68},
        .horizon = {0.38, 0.38, 0.39},
        .floor = {0.17, 0.15, 0.14},
        .hair = {.eumelanin = 0.04,
                 .pheomelanin = 1.05,
                 .dye = {0.5, 0.2, 0.1},
                 .roughness = 0.30,
                 .roughness_around = 0.45,
                 .tilt = 2.5,
                 .ior = 1.55,
                 .variation = 0.35,
                 .width = 1.0},
        .skin = {0.43, 0.31, 0.25},
        .body = 1,
        .ground_colour = {0.20, 0.20, 0.21},
        .background = {{0.035, 0.042, 0.055}, {0.16, 0.165, 0.175}},
        .exposure = 1.0,
        .preview_points = 1.1,
    };
    return RLTI_WRITE(rlt_render_def, def, &standard, NULL);
}

static int within(double x, double low, double high) {
    return x >= low && x <= high; /* not a number is not */
}

static rlt_status check_range(const char *what, double x, double low, double high, rlt_messages *messages) {
    if (within(x, low, high))
        return RLT_OK;
    return rlti_refuse(messages, "render: %s = %g: must be %g to %g", what, x, low, high);
}

static rlt_status check_colour(const char *what, const double c[3], double maximum, rlt_messages *messages) {
    if (within(c[0], 0.0, maximum) && within(c[1], 0.0, maximum) && within(c[2], 0.0, maximum))
        return RLT_OK;
    return rlti_refuse(messages, "render: %s = %g %g %g: must be 0 to %g each", what, c[0], c[1], c[2],
                       maximum);
}

static rlt_status worse(rlt_status a, rlt_status b) {
    return a == RLT_OK ? b : a;
}

static rlt_status check_camera(const rlt_render_camera *camera, rlt_messages *messages) {
    rlt_status status = check_range("field of view", camera->field_of_view, 0.1, 170.0, messages);
    status = worse(status, check_range("aperture", camera->aperture, 0.0, 1e30, messages));
    status = worse(status, check_range("focus", camera->focus, 0.0, 1e30, messages));
    if (camera->automatic) {
        status = worse(status, check_range("azimuth", camera->azimuth, -1e6, 1e6, messages));
        status = worse(status, check_range("elevation", camera->elevation, -90.0, 90.0, messages));
        return worse(status, check_range("margin", camera->margin, 0.05, 100.0, messages));
    }
    double square = 0.0;
    for (int c = 0; c < 3; c++) {
        double d = camera->eye[c] - camera->target[c];
        square += d * d;
    }
    if (!(square > 0.0 && square < 1e60))
        status = rlti_refuse(messages, "render: the camera's eye and target must be apart and finite");
    return status;
}

static rlt_status check_light(const char *what, const rlt_render_light *light, rlt_messages *messages) {
    rlt_status status = check_colour(what, light->colour, 1e6, messages);
    if (within(light->azimuth, -1e6, 1e6) && within(light->elevation, -90.0, 90.0) &&
        within(light->size, 0.0, 180.0))
        return status;
    return rlti_refuse(
        messages,
        "render: %s: the elevation must be -90 to 90 degrees, the size 0 to 180, the azimuth finite", what);
}

static rlt_status check_hair(const rlt_render_hair *hair, rlt_messages *messages) {
    rlt_status status = check_range("eumelanin", hair->eumelanin, 0.0, 100.0, messages);
    status = worse(status, check_range("pheomelanin", hair->pheomelanin, 0.0, 100.0, messages));
    if (hair->dyed)
        status = worse(status, check_colour("dye", hair->dye, 1.0, messages));
    status = worse(status, check_range("roughness", hair->roughness, 0.0, 1.0, messages));
    status = worse(status, check_range("roughness around", hair->roughness_around, 0.0, 1.0, messages));
    status = worse(status, check_range("tilt", hair->tilt, -20.0, 20.0, messages));
    status = worse(status, check_range("index of refraction", hair->ior, 1.01, 4.0, messages));
    status = worse(status, check_range("variation", hair->variation, 0.0, 2.0, messages));
    return worse(status, check_range("width", hair->width, 0.0, 1e6, messages));
}

static rlt_status check_numbers(const rlt_render_def *def, rlt_messages *messages) {
    rlt_status status = check_range("width", def->width, 1, RLT_IMAGE_SIZE_MAX, messages);
    status = worse(status, check_range("height", def->height, 1, RLT_IMAGE_SIZE_MAX, messages));
    status = worse(status, check_range("samples", def->samples, 1, RLT_RENDER_SAMPLES_MAX, messages));
    status = worse(status, check_range("bounces", def->bounces, 0, 64, messages));
    status = worse(status, check_range("shutter", def->shutter, 0.0, 1e6, messages));
    status = worse(status, check_range("points", (double)def->points, 0.0, 1e18, messages));
    status = worse(status, check_range("preview points", def->preview_points, 0.0, 1e9, messages));
    return worse(status, check_range("exposure", def->exposure, 0.0, 1e6, messages));
}

static rlt_status check_velocities(const rlt_frame_view *view, const rlt_render_def *def,
                                   rlt_messages *messages) {
    for (size_t i = 0; def->vertex_velocities != NULL && i < 3 * (size_t)view->vertex_count; i++)
        if (!(fabs(def->vertex_velocities[i]) <= 1e30))
            return rlti_refuse(messages, "render: the velocity of vertex %d is not finite", (int)(i / 3));
    return RLT_OK;
}

rlt_status rlti_render_check(const rlt_frame_view *view, const rlt_render_def *def, rlt_messages *messages) {
    rlt_status status = check_numbers(def, messages);
    status = worse(status, check_camera(&def->camera, messages));
    status = worse(status, check_light("key", &def->key, messages));
    status = worse(status, check_light("fill", &def->fill, messages));
    status = worse(status, check_light("rim", &def->rim, messages));
    status = worse(status, check_colour("sky", def->sky, 1e6, messages));
    status = worse(status, check_colour("horizon", def->horizon, 1e6, messages));
    status = worse(status, check_colour("floor", def->floor, 1e6, messages));
    status = worse(status, check_hair(&def->hair, messages));
    status = worse(status, check_range("look count", def->look_count, 0, RLT_RENDER_LOOKS_MAX, messages));
    for (int i = 0; i < def->look_count && status == RLT_OK; i++)
        status = check_hair(&def->looks[i], messages);
    status = worse(status, check_colour("skin", def->skin, 1.0, messages));
    status = worse(status, check_colour("ground", def->ground_colour, 1.0, messages));
    status = worse(status, check_colour("background", def->background[0], 1e6, messages));
    status = worse(status, check_colour("background", def->background[1], 1e6, messages));
    if (status == RLT_OK)
        status = rlti_frame_check("render", view, messages);
    return status == RLT_OK ? check_velocities(view, def, messages) : status;
}
