/* The overlay's parts: colours (overlay_colour.c), shapes (overlay_shapes.c), letters (overlay_text.c), and
 * the picture they go into (overlay.c). Colours are light as shown on a screen, after the tone curve: lines
 * blend there as they should look. */
#ifndef RLTI_RENDER_OVERLAY_H
#define RLTI_RENDER_OVERLAY_H

#include "render/lines.h"
#include "ringlet/overlay.h"

/* ---- colours ---- */

typedef struct rlti_colour {
    float c[3]; /* linear, 0..1 */
} rlti_colour;

/* A scale of values. */
typedef struct rlti_value_scale {
    rlt_show what;
    double low, middle, high;
    char title[48];
} rlti_value_scale;

/* The colour of what is drawn: RLT_SHOW_GUIDES to RLT_SHOW_PRUNED. */
rlti_colour rlti_show_colour(rlt_show what);
/* Of the axes of frames, of points that are kept, of contact springs, and of spheres without. */
rlti_colour rlti_axis_colour(int axis);
rlti_colour rlti_spring_colour(void);
rlti_colour rlti_kept_colour(void);
rlti_colour rlti_free_colour(void);
/* Of contacts that slip, and of those that friction holds. */
rlti_colour rlti_grip_colour(int slips);
/* The scale for values of `what`, and raises *range. Values that are not finite do not count. */
rlti_value_scale rlti_scale_of(rlt_show what, const double *values, int count, double metres_per_unit,
                               double *range);
/* Values that are not numbers have the colour of no value. */
rlti_colour rlti_scale_colour(const rlti_value_scale *scale, double value);
/* Where a value is on its scale: 0..1 within. */
double rlti_scale_share(const rlti_value_scale *scale, double value);
/* The value at a share of the scale's length, 0..1. */
double rlti_scale_value(const rlti_value_scale *scale, double share);

/* ---- shapes ---- */

/* Sources and tools of the drawing. */
typedef struct rlti_drawing {
    const rlt_frame_view *view;
    const rlt_diagnostics *diagnostics;
    const rlti_value_scale *scale; /* NULL: no values */
    const double *values;          /* that it is of */
    rlti_picture *picture;
    rlti_camera camera;
    double pen; /* width of a line [samples] */
} rlti_drawing;

/* Draws one overlay, its nearer parts over its farther ones. */
rlt_status rlti_draw_show(const rlti_drawing *drawing, rlt_show what, rlt_messages *messages);

/* ---- letters ---- */

enum { RLTI_LETTER_WIDTH = 6, RLTI_LETTER_HEIGHT = 9 }; /* pixels at size 1, with the gap to the next */

/* Small letters, digits and a few signs at (x, y), the left top [pixels of the picture]; others are blank. */
/* Text on a shade. */
void rlti_draw_label(rlti_picture *picture, const char *text, int x, int y, int size);
void rlti_draw_text(rlti_picture *picture, const char *text, int x, int y, int size, rlti_colour colour);
/* Names and colours at the left top, the scale at the left bottom. */
void rlti_draw_legend(rlti_picture *picture, unsigned show, const rlti_value_scale *scale);

#endif
