/* A sheet of small pictures, each with lines of text: of wedges and of presets. */
#ifndef RINGLET_APP_GALLERY_H
#define RINGLET_APP_GALLERY_H

#include "studio.h"

/* Starts all zero, but for the size of a picture and the columns. */
typedef struct gallery {
    int size;    /* pixels of a picture's side */
    int columns; /* side by side */
    int hairs;   /* of a picture; 0: as the scene says */
    int threads;
    double margin; /* factor on the camera's, where hair of later pictures may be larger; 0: 1 */
    rlt_image *page;
    int rows;
    rlt_render_camera camera; /* of the first picture: all others are taken with it */
    int has_camera;
} gallery;

/* Makes a page for `count` pictures. */
rlt_status gallery_begin(gallery *g, int count);

/* Takes a picture of a frame as a scene looks, rasterised, and puts it at place `index` with its text, whose
 * lines are divided by \n. */
rlt_status gallery_add(gallery *g, int index, const rlt_scene *scene, const rlt_frame_view *view,
                       const char *text, rlt_messages *messages);

/* Writes a text in place of a picture that there is none of. */
rlt_status gallery_skip(gallery *g, int index, const char *text, rlt_messages *messages);

/* Writes the page, if `path` is not NULL, and frees it. */
rlt_status gallery_end(gallery *g, const char *path, rlt_messages *messages);

#endif
