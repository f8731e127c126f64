/* Diagnostics over the pictures of ringlet render: --show. */
#ifndef RINGLET_APP_SHOW_H
#define RINGLET_APP_SHOW_H

#include "ringlet/ringlet.h"

/* "frames,targets" as bits of rlt_show; says what is wrong and returns 0 for a name that is not known, or two
 * that do not go together. */
int show_parse(const char *list, unsigned *show);

/* Says so and returns 0 where `show` needs a simulation, and `input` is a file with curves. */
int show_fits_file(unsigned show, const char *input);

/* Draws over one picture. simulation NULL: what the view alone shows. */
rlt_status show_draw(rlt_image *image, const rlt_render_camera *camera, const rlt_frame_view *view,
                     rlt_simulation *simulation, rlt_overlay_def *def, rlt_messages *messages);

#endif
