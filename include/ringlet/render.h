/* Pictures of hair: frames traced with light, and images.
 *
 * Rays are traced by Embree. A library built without it says so when a renderer is asked for; images can
 * still be made and written. The same frame gives the same bytes for any number of threads (on one machine:
 * Embree's instructions differ between processors). */
#ifndef RINGLET_RENDER_H
#define RINGLET_RENDER_H

#include <stddef.h>
#include <stdint.h>

#include "ringlet/fill.h"
#include "ringlet/simulation.h"
#include "ringlet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RLT_IMAGE_SIZE_MAX       8192
#define RLT_RENDER_SAMPLES_MAX   65536
#define RLT_RENDER_THREADS_MAX   1024
#define RLT_RENDER_LOOKS_MAX     16
#define RLT_RENDER_ID_NONE       0u /* nothing there */
#define RLT_RENDER_ID_BODY       1u
#define RLT_RENDER_ID_GROUND     2u
#define RLT_RENDER_ID_FIRST_HAIR 16u /* hair i of the picture has RLT_RENDER_ID_FIRST_HAIR + i */

/* ---- images ---- */

/* Linear light, rows from the top. Colours are premultiplied by alpha and without the background. */
typedef struct rlt_image {
    size_t size; /* of this struct, set by the library */
    int width, height;
    float *rgba;            /* [height][width][4] */
    float *depth;           /* [height][width] along the view axis [unit]; infinite where nothing is */
    float *tangent;         /* [height][width][3] of the hair in the world, the normal on body and ground */
    float *motion;          /* [height][width][2] pixels while the shutter is open, x right, y down */
    uint32_t *id;           /* [height][width] of the nearest thing */
    float background[2][3]; /* behind it: at the top and the bottom */
    double exposure;        /* factor on light in rlt_image_bytes and rlt_image_write_png */
} rlt_image;

/* A clear image, all of alpha 0; NULL when out of memory or a size is not 1 to RLT_IMAGE_SIZE_MAX. */
rlt_image *rlt_image_create(int width, int height);
void rlt_image_destroy(rlt_image *image);

/* As shown on a screen: sRGB with highlights that roll off. channels 3: over the background; 4: with alpha,
 * not premultiplied. */
void rlt_image_bytes(const rlt_image *image, int channels, uint8_t *bytes /* [height][width][channels] */);

/* Puts `from`, with the background behind it, into `to` with its upper left corner at (x, y): for sheets of
 * pictures. What would be outside is left out. */
void rlt_image_paste(rlt_image *to, const rlt_image *from, int x, int y);

/* Writes a line of text (letters, digits, some signs), with a shade below it, from (x, y) to the right;
 * `size` is that of a dot of the letters in pixels, which are 9 dots high. */
rlt_status rlt_image_label(rlt_image *image, const char *text, int x, int y, int size,
                           rlt_messages *messages);

/* Writes 8 bit sRGB, or with alpha and no background. */
rlt_status rlt_image_write_png(const rlt_image *image, const char *path, int with_alpha,
                               rlt_messages *messages);

/* Writes linear light: R G B A as half, Z, tangent.X .Y .Z, motion.X .Y as float, id as uint. RLT_BAD_INPUT
 * where built without OpenEXR. */
rlt_status rlt_image_write_exr(const rlt_image *image, const char *path, rlt_messages *messages);

/* 1 where this library was built with them. */
int rlt_render_available(void);
int rlt_image_exr_available(void);

/* ---- cameras ---- */

typedef struct rlt_render_camera {
    int automatic;             /* 1: eye and target are found so that hair and body fill the picture */
    int hair_only;             /* 1: an automatic camera aims at the hair, however large the body is */
    double azimuth, elevation; /* of an automatic camera, as in rlt_preview_def [degrees] */
    double margin; /* of an automatic camera: 1 = just fits; more leaves a margin, less goes closer */
    double eye[3], target[3]; /* y is up */
    double field_of_view;     /* vertical [degrees] */
    double aperture;          /* diameter of the lens [unit]; 0: all is sharp */
    double focus;             /* distance that is sharp [unit]; 0: the target's */
} rlt_render_camera;

/* Fills eye and target in for this view and picture size, and clears `automatic`: one camera for a whole
 * movie. */
rlt_status rlt_render_camera_fit(const rlt_frame_view *view, int width, int height, rlt_render_camera *camera,
                                 rlt_messages *messages);

/* Where a camera (not an automatic one) sees a point: pixels from the left and the top, and depth along the
 * view axis. Returns 0 for a point behind the eye. For drawing over an image. */
int rlt_render_project(const rlt_render_camera *camera, int width, int height, const double point[3],
                       double pixel[3]);

/* ---- frames ---- */

/* Far away, like a soft box in a studio. Angles are relative to the camera: azimuth 0 is from the camera, 90
 * from its right; the elevation is above the horizon [degrees]. */
typedef struct rlt_render_light {
    double azimuth, elevation;
    double size;      /* diameter seen from the scene [degrees]; larger: softer shadows */
    double colour[3]; /* irradiance on a surface that faces it; 0: off */
} rlt_render_light;

/* Material of hair. Scattering after Chiang and others 2016. */
typedef struct rlt_render_hair {
    double eumelanin, pheomelanin; /* pigments: black to brown, and red: about 0 (white) to 8 (black) */
    int dyed;                      /* 1: `dye` instead of the pigments */
    double dye[3];                 /* colour of a mass of such hair, linear, 0..1 */
    double roughness;              /* of highlights along the hair, 0..1 */
    double roughness_around;       /* and around it, 0..1 */
    double tilt;                   /* of the cuticle's scales [degrees] */
    double ior;                    /* index of refraction */
    double variation;              /* between hairs, as a share of the pigment */
    double width;                  /* factor on the hairs' widths */
} rlt_render_hair;

/* The colour of a mass of such hair, linear, 0..1: for programs that show hair by a colour alone. */
void rlt_render_hair_colour(const rlt_render_hair *hair, double colour[3]);

/* Called now and then with the share done, 0..1, by the thread that called rlt_render_frame. Anything but 0
 * stops the frame. */
typedef int rlt_render_progress(void *context, double done);

/* Start from rlt_render_defaults(). */
typedef struct rlt_render_def {
    size_t size;       /* of this struct: sizeof */
    int width, height; /* pixels */
    int samples;       /* per pixel */
    int draft;         /* 1: fewer bounces: for draft movies */
    int bounces;       /* of light, at most */
    int exact;         /* 1: each hair is traced; 0: far hairs are a cloud of their density, much quicker */
    uint64_t seed;     /* of the samples; another for each frame of a movie makes noise move */
    long long points;  /* of all hairs, at most: beyond, hairs are drawn with fewer points; 0: no limit */
    rlt_render_camera camera;
    double shutter;                  /* open for this long, around the frame's time [s]; 0: no motion blur */
    const double *vertex_velocities; /* [vertex_count][3] of the body, for motion blur; may be NULL */
    rlt_render_light key, fill, rim;
    double sky[3], horizon[3], floor[3]; /* light from above, from the sides and from below */
    rlt_render_hair hair;                /* of all hair, unless there are: */
    int look_count; /* looks[i] is that of hair section i of the view; beyond, the first */
    rlt_render_hair looks[RLT_RENDER_LOOKS_MAX];
    double skin[3]; /* colour of the body */
    int body;       /* 1: the body's mesh is there */
    int ground;     /* 1: a floor under the body that takes shadows */
    double ground_colour[3];
    double background[2][3]; /* at the top and the bottom of the picture */
    double exposure;
    rlt_render_progress *progress; /* may be NULL */
    void *progress_context;
    double preview_points; /* of hairs, for each pixel of a preview, at most: fewer, wider hairs stand for the
                              others; 1.1 is quick enough for movies, 4 for a still */
} rlt_render_def;

/* ---- what a body is painted with, for programs that draw it themselves ---- */

/* Colours without light, linear, as pictures of a view have them: of skin, also under hair; and of the
 * generated head its ears, its shirt, and its face as a picture (lips, lids, brows, cheeks). */
typedef struct rlt_render_paint_buffers {
    size_t size;    /* of this struct: sizeof */
    float *colours; /* [vertex_count][3] without the face's picture and the shirt */
    float *shirt;   /* [vertex_count] how far it is within the shirt, negative beside it [unit] */
    float *cloth;   /* [3] the shirt's colour */
    float *
        places; /* [vertex_count][3]: where in the face's picture a vertex is, 0..1 from its lower left, and how
                     * much of it is there, 0..1; all 0 where the body is not the generated head */
    int face_size; /* the face's picture: pixels of a side, at least 2 */
    int reserved;  /* 0 */
    float *face;   /* [face_size][face_size][3] factor on colours, the lowest row first */
} rlt_render_paint_buffers;

/* Fills the caller's buffers. RLT_BAD_INPUT where one is missing. */
rlt_status rlt_render_paint(const rlt_frame_view *view, const rlt_render_def *def,
                            const rlt_render_paint_buffers *buffers, rlt_messages *messages);

/* Sets all of it but its size to the defaults. */
rlt_status rlt_render_def_reset(rlt_render_def *def);
static inline rlt_render_def rlt_render_defaults(void) {
    rlt_render_def def;
    def.size = sizeof def;
    rlt_render_def_reset(&def);
    return def;
}

typedef struct rlt_render rlt_render;

/* Threads: 1.., 0 = one per core. RLT_BAD_INPUT where built without Embree. */
rlt_status rlt_render_create(int threads, rlt_messages *messages, rlt_render **render);
/* A renderer whose frames are rasterised: lit by the same model in a fraction of a second, without bounces,
 * blur and ground; their images have the background in them. Needs no Embree. */
rlt_status rlt_render_create_preview(int threads, rlt_messages *messages, rlt_render **render);
void rlt_render_destroy(rlt_render *render);

/* Traces one frame. The hairs are those of `fill`, which is brought to this view's frame; with NULL they are
 * the strands of the view themselves. The image is the caller's: destroy it. RLT_BAD_INPUT names what is
 * wrong with view or def, an empty view too; hairs of no width and an eye within the hair are warnings. A
 * frame that `progress` stops is RLT_FAILED. */
rlt_status rlt_render_frame(rlt_render *render, const rlt_frame_view *view, rlt_fill *fill,
                            const rlt_render_def *def, rlt_messages *messages, rlt_image **image);

/* Of the last frame. */
typedef struct rlt_render_statistics {
    size_t size; /* of this struct: sizeof */
    long long hairs, points;
    long long rays_primary, rays_shadow, rays_bounce;
    double seconds_fill;  /* making hairs */
    double seconds_build; /* the tree of boxes */
    double seconds_trace;
    double cpu_trace;  /* the same, of all threads together, without waiting for others' work */
    size_t bytes;      /* the geometry's and its tree's, as it stands */
    size_t bytes_most; /* at any time */
    int threads;
} rlt_render_statistics;

rlt_status rlt_render_statistics_get(const rlt_render *render, rlt_render_statistics *statistics);

/* Rays of the last frame again, for about `seconds` on one core, with nothing but Embree's intersection:
 * primary and shadow rays per second. 0 where no frame was traced. */
double rlt_render_bare_rate(rlt_render *render, double seconds);

#ifdef __cplusplus
}
#endif

#endif
