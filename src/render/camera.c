#include "render/render.h"

#define HALF_SLOPE 0.22 /* tangent of half the vertical angle of view: a long lens, as for a portrait */
#define MARGIN     1.06

typedef struct box {
    double low[3], high[3];
} box;

static void box_grow(box *b, const rlti_camera *camera, const double *points, int count) {
    for (int i = 0; i < count; i++) {
        rlti_vec3 p = rlti_v3_at(points, i);
        double along[3] = {rlti_dot(p, camera->right), rlti_dot(p, camera->up), rlti_dot(p, camera->back)};
        for (int c = 0; c < 3; c++) {
            b->low[c] = along[c] < b->low[c] ? along[c] : b->low[c];
            b->high[c] = along[c] > b->high[c] ? along[c] : b->high[c];
        }
    }
}

/* How far back the eye must stand from the target to see every point: a point at (x, y, z) relative to the
 * target needs distance >= z + |y| / slope. */
static double distance_for(const rlti_camera *camera, rlti_vec3 target, double aspect, const double *points,
                           int count) {
    double distance = 0.0;
    for (int i = 0; i < count; i++) {
        rlti_vec3 d = rlti_sub(rlti_v3_at(points, i), target);
        double x = fabs(rlti_dot(d, camera->right)) / aspect;
        double y = fabs(rlti_dot(d, camera->up));
        double needed = rlti_dot(d, camera->back) + MARGIN * (x > y ? x : y) / HALF_SLOPE;
        distance = needed > distance ? needed : distance;
    }
    return distance;
}

rlti_camera rlti_camera_create(const rlt_frame_view *view, const rlt_preview_def *def,
                               const rlti_picture *picture) {
    double azimuth = def->azimuth * (RLTI_PI / 180.0);
    double elevation = def->elevation * (RLTI_PI / 180.0);
    rlti_camera camera = {
        .right = rlti_v3(rlti_cos(azimuth), 0.0, -rlti_sin(azimuth)),
        .back = rlti_v3(rlti_sin(azimuth) * rlti_cos(elevation), rlti_sin(elevation),
                        rlti_cos(azimuth) * rlti_cos(elevation)),
        .focal = 0.5 * picture->height / HALF_SLOPE,
        .centre_x = 0.5 * picture->width,
        .centre_y = 0.5 * picture->height,
    };
    camera.up = rlti_cross(camera.back, camera.right);

    rlti_vec3 target = rlti_v3(def->target[0], def->target[1], def->target[2]);
    double distance = 0.5 * def->span / HALF_SLOPE;
    if (def->fit_mode == 0) {
        int points = view->strand_count > 0 ? view->point_count : 0;
        box b = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
        box_grow(&b, &camera, view->points, points);
        box_grow(&b, &camera, view->vertices, view->vertex_count);
        target = rlti_scale(0.5 * (b.low[0] + b.high[0]), camera.right);
        target = rlti_madd(target, 0.5 * (b.low[1] + b.high[1]), camera.up);
        target = rlti_madd(target, 0.5 * (b.low[2] + b.high[2]), camera.back);
        double aspect = (double)picture->width / picture->height;
        double hair = distance_for(&camera, target, aspect, view->points, points);
        double body = distance_for(&camera, target, aspect, view->vertices, view->vertex_count);
        distance = hair > body ? hair : body;
        if (!(distance > 0.0))
            distance = 1.0; /* all points in one place */
    }
    camera.eye = rlti_madd(target, distance, camera.back);
    camera.nearest = 0.01 * distance;
    return camera;
}
