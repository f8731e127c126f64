/* Many hairs from guides (ringlet/fill.h) to a file, frame by frame, a block of hairs at a time: memory does
 * not grow with their points. */
#ifndef RINGLET_FILL_WRITE_H
#define RINGLET_FILL_WRITE_H

#include <stddef.h>

#include "ringlet/fill.h"
#include "ringlet/lock.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start from rlt_fill_writer_defaults(). */
typedef struct rlt_fill_writer_def {
    size_t size; /* of this struct: sizeof */
    double frames_per_second;
    double metres_per_unit;   /* what one unit of the points is [m] */
    const char *title;        /* becomes the file's documentation; may be NULL */
    int threads;              /* 1.., 0 = one per core; the file is the same for any number */
    const rlt_inputs *inputs; /* files that were read and must not be replaced; may be NULL */
    /* Called after every block with the share of the present frame that is written, 0..1; not 0 stops with
     * RLT_FAILED. May be NULL. */
    int (*progress)(double share, void *context);
    void *context;
    /* Of the file, taken before and released after the writer; NULL: the writer takes its own. */
    const rlt_lock *lock;
    int links; /* of the guides to materials and other prims, which hairs do not get: reported where not 0 */
    /* How pictures show these hairs (rlt_scene_look_text), for formats with attributes; and for each hair
     * section the colour that other programs show, [colour_count][3], linear. Both until the first frame is
     * added; NULL: not */
    const char *look;
    const double *colours;
    int colour_count;
    int reserved; /* 0 */
} rlt_fill_writer_def;

/* Sets all of it but its size to the defaults: 24 frames per second, centimetres. */
rlt_status rlt_fill_writer_def_reset(rlt_fill_writer_def *def);
static inline rlt_fill_writer_def rlt_fill_writer_defaults(void) {
    rlt_fill_writer_def def;
    def.size = sizeof def;
    rlt_fill_writer_def_reset(&def);
    return def;
}

typedef struct rlt_fill_writer rlt_fill_writer;

/* Opens a file in the format of the name's ending: .usda, .usdc, .usd (binary), .abc; .hair and .obj hold the
 * first frame only. It appears under its name when closed. RLT_BAD_INPUT for another ending, RLT_FAILED where
 * it cannot be written. RLT_BAD_INPUT where that would replace one of `inputs`. */
rlt_status rlt_fill_writer_open(const char *path, const rlt_fill_writer_def *def, rlt_messages *messages,
                                rlt_fill_writer **writer);

/* Writes all hairs as they are now (rlt_fill_create, rlt_fill_frame) as this frame: one object of curves,
 * /Ringlet/Hair, with points and extent at every frame and, of the first, widths and the numbers of hairs,
 * guides and sections. Frames come in increasing order, always of the same fill. */
rlt_status rlt_fill_writer_add(rlt_fill_writer *writer, const rlt_fill *fill, int frame,
                               rlt_messages *messages);

/* Points of all hairs in a frame; 0 before the first. */
long long rlt_fill_writer_points(const rlt_fill_writer *writer);

/* Finishes the file with the frames added so far and frees the writer, also on failure. NULL is harmless. */
rlt_status rlt_fill_writer_close(rlt_fill_writer *writer, rlt_messages *messages);

/* Throws away what was written and frees the writer. NULL is harmless. */
void rlt_fill_writer_abandon(rlt_fill_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
