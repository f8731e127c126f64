/* Overlays: diagnostics drawn over a picture, with a key to their colours.
 *
 * Needs neither Embree nor a simulation: an empty image will do, and what the diagnostics hold is drawn. */
#ifndef RINGLET_OVERLAY_H
#define RINGLET_OVERLAY_H

#include <stddef.h>

#include "ringlet/diagnostics.h"
#include "ringlet/render.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Things to draw: any of them together, but of the last four one, because each has a scale of colours. */
typedef enum rlt_show {
    RLT_SHOW_GUIDES = 1,        /* the simulated strands */
    RLT_SHOW_SMOOTHED = 2,      /* the smoothed curve that bending takes its frames from */
    RLT_SHOW_CORE = 4,          /* the smoothed curve of the core springs */
    RLT_SHOW_FRAMES = 8,        /* frames on the smoothed curve: tangent red, normal green, binormal blue */
    RLT_SHOW_TARGETS = 16,      /* the vectors that bending draws each edge to, from the edge's root side */
    RLT_SHOW_CONTACTS = 32,     /* contact spheres, and springs between those that touch */
    RLT_SHOW_PRUNED = 64,       /* which points take part in contacts, and which are left out */
    RLT_SHOW_STRETCH = 128,     /* length over rest length, as colour */
    RLT_SHOW_PENETRATION = 256, /* depth within the distance to keep from bodies, as colour */
    RLT_SHOW_SPEED = 512,       /* as colour */
    RLT_SHOW_HOLDS = 1024       /* lines from points to what constraints draw them to; the force as colour */
} rlt_show;

#define RLT_SHOW_VALUES     (RLT_SHOW_STRETCH | RLT_SHOW_PENETRATION | RLT_SHOW_SPEED | RLT_SHOW_HOLDS)
#define RLT_SHOW_SIMULATION 1406 /* those that need the diagnostics of a simulation */

/* "guides", "smoothed", ...: the name of bit `index`; NULL past the last. */
const char *rlt_show_name(int index);

/* Start from rlt_overlay_defaults(). */
typedef struct rlt_overlay_def {
    size_t size;            /* of this struct: sizeof */
    unsigned show;          /* of rlt_show */
    double ghost;           /* how much of the picture stays to be seen below, 0..1 */
    int body;               /* 1: what is behind the view's mesh is hidden by it */
    int legend;             /* 1: names and colours, and the scale of values */
    double metres_per_unit; /* of the view: cm, m and mm are called so, others "unit" */
    double range;           /* greatest value on the scale (of stretch: greatest distance from 1) at least;
                             * rlt_image_overlay raises it to a round number that holds all values, so that
                             * keeping the def from frame to frame keeps the scale of a movie */
} rlt_overlay_def;

/* Sets all of it but its size to the defaults. */
rlt_status rlt_overlay_def_reset(rlt_overlay_def *def);
static inline rlt_overlay_def rlt_overlay_defaults(void) {
    rlt_overlay_def def;
    def.size = sizeof def;
    rlt_overlay_def_reset(&def);
    return def;
}

/* Draws into the image, as the camera (not an automatic one) sees it. The view is that of the diagnostics.
 * What is drawn over becomes opaque; depth and the other channels stay. The same bytes on every machine for
 * the same image. RLT_BAD_INPUT names what is wrong, and what the diagnostics do not hold. */
rlt_status rlt_image_overlay(rlt_image *image, const rlt_render_camera *camera, const rlt_frame_view *view,
                             const rlt_diagnostics *diagnostics, rlt_overlay_def *def,
                             rlt_messages *messages);

#ifdef __cplusplus
}
#endif

#endif
