/* Shared by the writers of images. */
#ifndef RLTI_RENDER_IMAGE_H
#define RLTI_RENDER_IMAGE_H

#include "ringlet/render.h"

/* A pixel as a screen shows it, before the sRGB curve: over the background, exposed, rolled off. */
void rlti_image_shown(const rlt_image *image, int x, int y, float colour[3]);
/* Makes it so; it becomes opaque. */
void rlti_image_show(rlt_image *image, int x, int y, const float colour[3]);

/* Writes pixels of 3 or 4 channels, row by row; `is_fast`: a larger file, sooner. */
rlt_status rlti_png_write(const char *path, const uint8_t *bytes, int width, int height, int channels,
                          int is_fast, rlt_messages *messages);

#endif
