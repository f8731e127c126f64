/* Thin lines, blended over a picture from far to near. */
#ifndef RLTI_RENDER_LINES_H
#define RLTI_RENDER_LINES_H

#include "parallel/pool.h"
#include "render/render.h"

/* One point of a drawn line. */
typedef struct rlti_line_vertex {
    float x, y;  /* [samples] */
    float depth; /* [unit]; 0: nothing is drawn to or from here, so lines that follow each other stay apart */
    float width; /* [samples] */
    float colour[3];
} rlti_line_vertex;

/* Lays the near surface over what lies behind it, in a sample whose depth is below 0. */
void rlti_edge_settle(const rlti_edge *edge, rlti_sample *sample);

/* Makes the same lines with more vertices where there are corners to be seen. The caller frees them. */
rlt_status rlti_lines_smooth(const rlti_picture *picture, const rlti_line_vertex *vertices, int count,
                             rlti_pool *pool, rlti_line_vertex **smooth, int *smooth_count,
                             rlt_messages *messages);

/* Draws the pieces between neighbouring vertices that have a depth, where no surface is in front, tile by
 * tile over the threads; pool NULL: in this one. */
rlt_status rlti_lines_draw(rlti_picture *picture, const rlti_line_vertex *vertices, int count,
                           rlti_pool *pool, rlt_messages *messages);

#endif
