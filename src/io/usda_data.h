/* Inside of the .usda writer, shared by usda.c and usda_resume.c. */
#ifndef RLTI_IO_USDA_DATA_H
#define RLTI_IO_USDA_DATA_H

#include "io/output.h"
#include "ringlet/write.h"

/* Each attribute's samples must stand together in the file, but arrive frame by frame: so each has a part
 * file of its own. Closing joins the parts in this order. */
typedef enum rlti_usda_part {
    PART_HAIR, /* what does not change over time */
    PART_POINTS,
    PART_VELOCITIES,
    PART_EXTENT,
    PART_BODY,
    PART_BODY_POINTS,
    PART_BODY_EXTENT,
    PART_COUNT
} rlti_usda_part;

typedef struct rlti_usda_text {
    const char *suffix;
    const char *opening;
    const char *closing;
} rlti_usda_text;

extern const rlti_usda_text rlti_usda_texts[PART_COUNT];

/* One large write is far cheaper than many small ones, and seven of these are still small. */
#define RLTI_USDA_BUFFER ((size_t)256 * 1024)

struct rlt_writer {
    char *path;
    char *title;
    double frames_per_second;
    double metres_per_unit;
    rlti_stream parts[PART_COUNT]; /* closed (no name) where the scene has no such prim */
    int failed;                    /* a part is incomplete: nothing can be published any more */
    int frame_count;
    int first_frame, last_frame;
    /* fixed by the first frame */
    int strand_count, point_count, vertex_count, triangle_count;
    int has_velocities;
    int *first;      /* [strand_count + 1] */
    int *triangles;  /* [triangle_count][3] */
    double shift[3]; /* what the Xform adds [unit] */
    float *scratch;  /* [max(point_count, vertex_count)][3], one attribute in single precision */
};

/* A writer without streams: the path is made ready, the definition checked. */
rlt_status rlti_usda_create(const char *path, const rlt_writer_def *def, rlt_messages *messages,
                            rlt_writer **writer);

/* Remembers what every later frame must have too. */
rlt_status rlti_usda_remember(rlt_writer *writer, const rlt_frame_view *view, rlt_messages *messages);

/* 1 where the file has such a part; the topology must be known. */
int rlti_usda_has_part(const rlt_writer *writer, rlti_usda_part part);

#endif
