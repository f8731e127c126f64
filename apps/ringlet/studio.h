/* Takes pictures of frames: many hairs from the guides, traced. */
#ifndef RINGLET_APP_STUDIO_H
#define RINGLET_APP_STUDIO_H

#include "ringlet/ringlet.h"

/* Starts all zero; then studio_defaults, changes to the definitions, studio_open. */
typedef struct studio {
    rlt_fill_def fill_def, fills[RLT_RENDER_LOOKS_MAX];
    int fill_count; /* of `fills`, those of hair sections; 0: fill_def is that of all */
    rlt_render_def def;
    int no_blur;
    int preview; /* rasterised */
    int still;   /* a preview that no movie waits for: more hairs are drawn */
    double frames_per_second;
    rlt_render *render;
    rlt_fill *fill;   /* made at the first picture */
    int fitted;       /* the camera stands */
    double *before;   /* [vertex_count][3] of the frame before, for the body's motion blur */
    double *velocity; /* [vertex_count][3] */
    int vertex_count;
    double before_time;
    double seconds; /* wall, for all pictures */
    int pictures;
    rlt_render_statistics statistics; /* of all pictures; hairs and points of the last */
} studio;

/* The fills of hair sections, for rlt_fill_def.sections, and how many; 0: all say the same. */
int studio_fills(const rlt_scene *scene, rlt_fill_def fills[RLT_RENDER_LOOKS_MAX]);

/* Takes the values of the scene (or NULL). */
void studio_defaults(studio *s, const rlt_scene *scene, double frames_per_second);

/* A quick picture, shown while others are made: fewer samples and bounces. */
void studio_draft(studio *s, int size);

rlt_status studio_open(studio *s, int threads, rlt_messages *messages);
void studio_close(studio *s);

/* Shows where the body was, for its motion blur: every frame, or those before pictures. */
void studio_watch(studio *s, const rlt_frame_view *view);

/* Takes a picture; the camera stands still after the first. The body's velocities may be NULL: then they come
 * from studio_watch. */
rlt_status studio_shot(studio *s, const rlt_frame_view *view, const double *vertex_velocities,
                       rlt_messages *messages, rlt_image **image);

#endif
