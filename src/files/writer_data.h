/* Inside of rlt_writer: what it knows of the file it writes. docs/design/output.md says why files look so. */
#ifndef RLTI_FILES_WRITER_DATA_H
#define RLTI_FILES_WRITER_DATA_H

#include "files/writer_state.h"
#include "formats/tree/sink.h"
#include "ringlet/source.h"
#include "ringlet/write.h"

/* How prims are laid out; fixed by the first frame. */
typedef enum rlti_layout {
    RLTI_LAYOUT_OWN,    /* /Ringlet/Hair and one prim per source, all in the scene's world and unit */
    RLTI_LAYOUT_SOURCE, /* all hair is from one file: its paths, transforms and unit */
    RLTI_LAYOUT_OVER    /* the same, as a layer on that file */
} rlti_layout;

/* Attributes of a prim of the file that are written at every frame; -1 where there is none. */
typedef struct rlti_moving {
    int points, velocities, extent;
} rlti_moving;

/* One prim of curves that stands for a prim of a source. */
typedef struct rlti_written_source {
    const rlti_stage *stage; /* of its file */
    int from;                /* prim of the stage */
    int prim;                /* handle */
    rlti_moving moving;
    double half_width; /* the greatest */
} rlti_written_source;

/* An attribute or transform of the source file that changes over time: written anew at every frame. */
typedef struct rlti_carried {
    int source;                      /* of the view */
    int from;                        /* prim of its stage */
    const rlti_attribute *attribute; /* NULL: the prim's transform */
    int to;                          /* handle of the attribute, or of the prim */
    double extent;                   /* of a transform: rlti_transform_extent */
} rlti_carried;

struct rlt_writer {
    rlti_marked marked;      /* a checkpoint counts on it */
    rlti_writer_state state; /* as of the last mark */
    rlti_sink *sink;
    char *title;
    rlt_writer_def def; /* its title is the one above */
    int frame_count, first_frame, last_frame;
    double first_time, last_time; /* time codes of these */
    /* fixed by the first frame */
    rlti_layout layout;
    int strand_count, point_count, vertex_count, triangle_count, source_count;
    int has_velocities;
    int *first;     /* [strand_count + 1] */
    int *triangles; /* [triangle_count][3] */
    int own_count;  /* strands of no source */
    int *own;       /* [own_count] which they are */
    int own_points;
    double *widths;  /* [own_points] of their points */
    double shift[3]; /* what the Xform adds [unit] */
    rlti_moving hair, body;
    rlti_stage **stages;          /* [source_count] files of sources; NULL where an earlier one has it */
    rlti_written_source *sources; /* [source_count] */
    rlti_carried *carried;        /* [carried_count] */
    int carried_count, carried_capacity;
    int reported_coarse;   /* that a transform turns faster than samples can follow */
    float *vectors, *more; /* [largest][3], points and velocities in single precision */
    rlti_array value;      /* of a carried attribute */
};

/* With the first frame, and where a run resumes: remembers what every later frame must have too, opens the
 * sources, defines the file and declares everything. `writes` 1: and writes what has no time. */
rlt_status rlti_writer_begin(rlt_writer *writer, const rlt_frame_view *view, int writes,
                             rlt_messages *messages);

/* Declares every prim and attribute. `writes` 1: and writes what has no time. */
rlt_status rlti_writer_declare(rlt_writer *writer, const rlt_frame_view *view, int writes,
                               rlt_messages *messages);

/* The sink's definition for the layout; the text of `over` is to be freed. */
rlt_status rlti_writer_define(const rlt_writer *writer, const rlt_frame_view *view, rlti_sink_def *def,
                              char **over, rlt_messages *messages);

/* A writer with an open sink. */
rlt_status rlti_writer_create(const char *path, const rlt_writer_def *def, int resumes,
                              rlt_messages *messages, rlt_writer **writer);

/* The file's documentation, which is never empty. */
const char *rlti_writer_title(const rlt_writer_def *def);

/* Number of all that is added for other programs and for pictures: below RLTI_LOOK_SHIFT options, from there
 * on bits of a checksum of the look. */
#define RLTI_LOOK_SHIFT 9
uint64_t rlti_writer_extras(const rlt_writer_def *def);

/* Of all that the bytes of a file with these frames depend on. */
uint64_t rlti_writer_fingerprint(const rlt_writer_def *def, int first, int last, int count);

/* The part of it that follows source files. */
rlt_status rlti_writer_open_sources(rlt_writer *writer, const rlt_frame_view *view, rlt_messages *messages);
rlt_status rlti_writer_declare_sources(rlt_writer *writer, const rlt_frame_view *view, int root, int writes,
                                       rlt_messages *messages);
rlt_status rlti_writer_add_sources(rlt_writer *writer, const rlt_frame_view *view, double time,
                                   rlt_messages *messages);
/* Declares one kept attribute of a prim of source `k`; `indices` is their place among those declared. */
rlt_status rlti_writer_keep(rlt_writer *writer, const rlt_source *source, int k, int from,
                            const rlti_attribute *attribute, int indices, int prim, int writes,
                            rlt_messages *messages);
/* Declares a prim and those above it; `handles` of the file's prims, -1 where not declared yet. */
rlt_status rlti_writer_declare_path(rlt_writer *writer, const rlt_source *source, int k, int from, int writes,
                                    int *handles, rlt_messages *messages);
/* Materials that the declared prims of the file are bound to (writer_looks.c). */
rlt_status rlti_writer_declare_looks(rlt_writer *writer, const rlt_frame_view *view, int writes, int *handles,
                                     rlt_messages *messages);
/* The same where hair is not all from one file: their materials, below "Looks" of the prim `root`, and links
 * to what is written. */
rlt_status rlti_writer_declare_bound(rlt_writer *writer, const rlt_frame_view *view, int root, int writes,
                                     rlt_messages *messages);
/* A name, with "_" behind it as long as another child of the prim has it (-1: as any prim has it); to be
 * freed. NULL when out of memory. */
char *rlti_writer_free_name(const rlt_writer *writer, int parent, const char *name);
/* The scene's width for curves whose file has none (writer_width.c); the prim of the source is declared. */
rlt_status rlti_writer_declare_width(rlt_writer *writer, const rlt_frame_view *view, int k, int writes,
                                     rlt_messages *messages);
/* Factor on a kept value: widths follow the curves into the scene's world, time codes the file's rate. */
double rlti_writer_kept_scale(const rlt_writer *writer, const rlt_source *source, const rlti_attribute *a);
rlt_status rlti_writer_scale_value(rlti_array *value, double scale, rlt_messages *messages);

/* From the scene's world to that of the source file, where its own points are. */
rlt_status rlti_writer_to_file(const rlt_writer *writer, const rlt_frame_view *view, double matrix[16],
                               rlt_messages *messages);

/* Shared by both. Declares points, velocities and extent of a prim, those that move. */
rlt_status rlti_writer_declare_moving(rlt_writer *writer, int prim, int velocities, rlti_moving *moving,
                                      rlt_messages *messages);
rlt_status rlti_writer_write_vectors(rlt_writer *writer, int attribute, double time, const float *values,
                                     int count, rlt_messages *messages);
/* Box of vectors, each grown by half its width (or by `half` where widths are NULL), rounded outward. */
void rlti_writer_extent(const float *vectors, int count, const double *widths, double half, float extent[6]);

#endif
