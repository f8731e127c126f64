/* Shared by the writers of images. */
#ifndef RLTI_RENDER_IMAGE_H
#define RLTI_RENDER_IMAGE_H

#include "ringlet/render.h"

/* Puts a whole file under its name at once. */
rlt_status rlti_image_publish(const char *path, const void *bytes, size_t size, rlt_messages *messages);

#endif
