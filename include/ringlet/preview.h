/* Preview pictures: a frame as it is, in a moment and without a tracer. */
#ifndef RINGLET_PREVIEW_H
#define RINGLET_PREVIEW_H

#include <stddef.h>

#include "ringlet/simulation.h"
#include "ringlet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A quick preview of one frame: hair as shaded lines over the shaded body, to a PNG file. The camera aims at
 * the hair and body from `azimuth` degrees (0 = front, 90 = from the character's left) and `elevation`
 * degrees. */
typedef struct rlt_preview_def {
    size_t size;       /* of this struct: sizeof */
    int width, height; /* pixels */
    double azimuth, elevation;
    int fit_mode;     /* 0: fit to this frame; 1: fit to target and span below */
    double target[3]; /* where the camera aims [unit] */
    double span;      /* visible height at the target [unit] */
} rlt_preview_def;

/* Sets all of it but its size to the defaults. */
rlt_status rlt_preview_def_reset(rlt_preview_def *def);
static inline rlt_preview_def rlt_preview_defaults(void) {
    rlt_preview_def def;
    def.size = sizeof def;
    rlt_preview_def_reset(&def);
    return def;
}
rlt_status rlt_preview_write(const char *path, const rlt_frame_view *view, const rlt_preview_def *def,
                             rlt_messages *messages);

#ifdef __cplusplus
}
#endif

#endif
