/* The preview renderer's parts. A picture is made in this order:
 *   camera    where the frame is seen from                          (camera.c)
 *   wisps     each simulated strand becomes a wisp of thin hairs     (wisps.c)
 *   occlusion how much hair lies between a point and each light      (occlusion.c)
 *   surface   the body's triangles into colour and depth             (surface.c)
 *   hair      shaded hairs, blended over it from far to near         (hair.c, lines.c)
 *   picture   tone curve, gamma, PNG                                 (picture.c)
 * Colours are linear light until the last step. Everything is made of basic operations and base/math.h, so
 * that the same frame gives the same picture on every machine. */
#ifndef RLTI_RENDER_RENDER_H
#define RLTI_RENDER_RENDER_H

#include "base/math.h"
#include "ringlet/fill.h"
#include "ringlet/preview.h"

/* ---- picture ---- */

#define RLTI_SUPERSAMPLING 2 /* samples per pixel along each axis */

/* Colour and depth together: hairs touch samples in no order, and each touch should cost one cache line. */
typedef struct rlti_sample {
    float colour[3]; /* linear light */
    float depth;     /* distance along the view axis of the nearest surface [unit]; < 0: see rlti_edge */
} rlti_sample;

/* A sample that a surface covers in part: its sample's colour is what lies behind, until settled. */
typedef struct rlti_edge {
    float colour[3], cover; /* of the near surface, and how much of the sample it covers */
    float near, far;        /* depths of it and of the surface behind */
} rlti_edge;

typedef struct rlti_picture {
    int pixel_width, pixel_height;
    int width, height;    /* samples */
    rlti_sample *samples; /* [height][width] */
    rlti_edge *edges;     /* [height][width], of samples with a depth < 0; may be NULL without these */
} rlti_picture;

rlt_status rlti_picture_create(rlti_picture *picture, int width, int height, rlt_messages *messages);
void rlti_picture_destroy(rlti_picture *picture);
/* The background: a soft vertical gradient, brighter behind the middle. */
void rlti_picture_clear(rlti_picture *picture);
rlt_status rlti_picture_save(const rlti_picture *picture, const char *path, rlt_messages *messages);

/* ---- camera ---- */

typedef struct rlti_camera {
    rlti_vec3 eye;
    rlti_vec3 right, up, back; /* unit; back points from the target to the eye */
    double focal;              /* samples per unit of slope */
    double centre_x, centre_y; /* [samples] */
    double nearest;            /* nothing closer than this is drawn [unit] */
} rlti_camera;

rlti_camera rlti_camera_create(const rlt_frame_view *view, const rlt_preview_def *def,
                               const rlti_picture *picture);

typedef struct rlti_projected {
    double x, y;  /* [samples], y down */
    double depth; /* distance along the view axis [unit] */
} rlti_projected;

static inline rlti_projected rlti_camera_project(const rlti_camera *camera, rlti_vec3 p) {
    rlti_vec3 d = rlti_sub(p, camera->eye);
    rlti_projected out = {0.0, 0.0, -rlti_dot(d, camera->back)};
    if (out.depth > camera->nearest) {
        double scale = camera->focal / out.depth;
        out.x = camera->centre_x + scale * rlti_dot(d, camera->right);
        out.y = camera->centre_y - scale * rlti_dot(d, camera->up);
    }
    return out;
}

/* ---- wisps ---- */

/* One strand stands for many hairs: the fill's wisps (ringlet/fill.h), of sizes that the picture can show. */
typedef struct rlti_wisps {
    const rlt_frame_view *view;
    rlt_fill *fill;
    float *scratch; /* [longest][4] one hair */
    double spread;  /* radius of a wisp at the root [unit] */
    double width;   /* drawn diameter of one hair [unit] */
    int copies;     /* hairs per strand */
    int pieces;     /* curve pieces per edge */
    int longest;    /* points of a hair of full length */
} rlti_wisps;

rlt_status rlti_wisps_create(rlti_wisps *wisps, const rlt_frame_view *view, const rlti_camera *camera,
                             rlt_messages *messages);
void rlti_wisps_destroy(rlti_wisps *wisps);
/* Control points of one hair into `points` [longest]; returns how many. */
int rlti_wisps_hair(const rlti_wisps *wisps, int strand, int copy, rlti_vec3 *points);

/* ---- lights and occlusion ---- */

enum { RLTI_LIGHT_KEY, RLTI_LIGHT_FILL, RLTI_LIGHT_RIM, RLTI_LIGHT_COUNT };

typedef struct rlti_light {
    rlti_vec3 direction; /* unit, towards the light */
    float colour[3];
} rlti_light;

/* Optical depth of hair towards one light, on a grid aligned with it. */
typedef struct rlti_occlusion {
    rlti_vec3 axes[3];  /* unit; the last points towards the light */
    double low[3];      /* the grid's lower corner along the axes */
    double cell;        /* [unit] */
    double per_unit;    /* 1 / cell */
    int size[3];        /* cells along each axis */
    float *optical;     /* [size 2][size 1][size 0] */
    float *solid_depth; /* [size 1][size 0] where the body begins along the last axis, seen from the light */
} rlti_occlusion;

typedef struct rlti_lighting {
    rlti_light lights[RLTI_LIGHT_COUNT];
    rlti_occlusion occlusion[RLTI_LIGHT_COUNT];
    float falloff[512]; /* exp(-x), x = 0 .. 8 */
} rlti_lighting;

rlt_status rlti_lighting_create(rlti_lighting *lighting, const rlti_wisps *wisps, const rlti_camera *camera,
                                rlt_messages *messages);
void rlti_lighting_destroy(rlti_lighting *lighting);
/* Optical depth of the hair between p and the light. */
double rlti_occlusion_hair(const rlti_occlusion *occlusion, rlti_vec3 p);
/* 0 (open) .. 1 (the body stands between p and the light), soft at the edge. */
double rlti_occlusion_body(const rlti_occlusion *occlusion, rlti_vec3 p);

/* exp(-x) for x >= 0, from the table */
static inline float rlti_falloff(const rlti_lighting *lighting, double x) {
    double at = x * (511.0 / 8.0);
    if (!(at < 511.0))
        return 0.0f;
    int i = (int)at;
    float f = (float)(at - i);
    return lighting->falloff[i] + f * (lighting->falloff[i + 1] - lighting->falloff[i]);
}

/* ---- drawing ---- */

/* Unit vertex normals, area weighted; NULL when out of memory. Free with rlti_free. */
rlti_vec3 *rlti_surface_normals(const rlt_frame_view *view);
/* Per vertex 0 (skin) .. 1 (scalp under hair), wisps being `spread` wide; NULL when out of memory. */
float *rlti_surface_scalp(const rlt_frame_view *view, double spread);
/* Without lighting, normals and scalp (all NULL) only depth is drawn, whichever side is seen. */
void rlti_surface_draw(rlti_picture *picture, const rlti_camera *camera, const rlti_lighting *lighting,
                       const rlt_frame_view *view, const rlti_vec3 *normals, const float *scalp);

rlt_status rlti_hair_draw(rlti_picture *picture, const rlti_camera *camera, const rlti_lighting *lighting,
                          const rlti_wisps *wisps, rlt_messages *messages);

#endif
