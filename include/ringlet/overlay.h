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

/* Start from rlt_overlay_defaults(). */
typedef struct rlt_overlay_def {
    size_t size;            /* of this struct: sizeof */
    unsigned show;          /* of rlt_show; of RLT_SHOW_VALUES one */
    double ghost;           /* how much of the picture stays to be seen below, 0..1 */
    int body;               /* 1: what is behind the view's mesh is hidden by it */
    int legend;             /* 1: names and colours, and the scale of values */
    double metres_per_unit; /* of the view: cm, m and mm are called so, others "unit" */
    double range;           /* greatest value on the scale (of stretch: greatest distance from 1; of twist
                             * and curvature: from 0) at least; rlt_image_overlay raises it to a round number
                             * that holds all finite values, so that keeping the def from frame to frame keeps
                             * the scale of a movie */
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
