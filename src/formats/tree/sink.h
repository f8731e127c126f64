/* Writing scene files, in no format's words: prims and attributes are declared, then values are handed over,
 * frame by frame. A value is on its way to the disk when rlti_sink_write returns: memory stays the same
 * however many frames there are. The file appears under its name when it is closed; until then its parts
 * stand beside it under temporary names.
 *
 * Words and names are those of formats/tree/stage.h, so that what one reader reads every writer can write. */
#ifndef RLTI_FORMATS_TREE_SINK_H
#define RLTI_FORMATS_TREE_SINK_H

#include "base/arena.h"
#include "formats/tree/stage.h"
#include "io/output.h"
#include "ringlet/lock.h"

typedef struct rlti_sink rlti_sink;

typedef struct rlti_sink_def {
    double codes_per_second;      /* of the times handed over */
    double frames_per_second;     /* hint for players */
    double metres_per_unit;       /* 0: unknown (then USD says nothing) */
    char up_axis;                 /* of what is handed over: 'Y', 'Z' or 0 */
    int keeps_axis;               /* 1: Alembic, whose readers expect Y up, is not turned from Z up */
    double first_time, last_time; /* of the shot; written when last_time >= first_time; see rlti_sink_range */
    const char *title;            /* documentation; may be NULL */
    const char *default_prim;     /* name of a root prim; may be NULL */
    const char *over;             /* USD: the layer this one stands on, as a path relative to this one; prims
                                     are then `over`. NULL: standalone */
    const rlt_lock *lock;         /* of the file, where the caller has it; NULL: the sink takes it */
    int resumes; /* 1: the parts of an earlier run are there: opening touches none of them, and
                    rlti_sink_resume follows the declarations */
} rlti_sink_def;

/* A part file: the end of its name, and the bytes that may wait in memory. */
typedef struct rlti_sink_part {
    const char *suffix; /* NULL: there is none */
    size_t buffer;
} rlti_sink_part;

enum { RLTI_SINK_PARTS = 3 };

/* One format. Handles (prim, attribute) are small numbers from 0 in the order of declaration. */
typedef struct rlti_sink_writer {
    const char *format;
    rlti_sink_part parts[RLTI_SINK_PARTS]; /* the first holds the values */
    const char *temporary;                 /* the end of the file's name while it is put together */
    int appends;         /* 1: the file is its first part with more behind it; 0: it is written anew */
    const void *details; /* of functions that serve several formats */
    size_t own_bytes;    /* of `own`, zeroed */
    rlt_status (*open)(rlti_sink *sink, rlt_messages *messages); /* fills in `own`; NULL: zeros will do */
    void (*start)(rlti_sink *sink); /* writes the first bytes of new parts; NULL: there are none */
    rlt_status (*prim)(rlti_sink *sink, int index, const rlti_prim *prim, rlt_messages *messages);
    rlt_status (*attribute)(rlti_sink *sink, int index, int prim, const rlti_attribute *attribute,
                            rlt_messages *messages);
    rlt_status (*write)(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                        rlt_messages *messages);
    rlt_status (*transform)(rlti_sink *sink, int prim, double time, const double matrix[16],
                            rlt_messages *messages);
    /* One array of numbers in pieces; rlti_sink_begin and those after it have checked the order, and that
     * times increase. */
    rlt_status (*begin)(rlti_sink *sink, int attribute, rlt_messages *messages);
    rlt_status (*piece)(rlti_sink *sink, int attribute, const rlti_array *piece, rlt_messages *messages);
    rlt_status (*end)(rlti_sink *sink, int attribute, double time, rlt_messages *messages);
    /* Values that wait for others are written as they are before the file is published; there is no mark as
     * long as some wait. NULL: none ever do. */
    rlt_status (*settle)(rlti_sink *sink, int publishes, rlt_messages *messages);
    /* Makes a complete file from what was written so far; the sink continues. Where it appends, `out` holds
     * the first part already. */
    rlt_status (*compose)(rlti_sink *sink, rlti_stream *out, rlt_messages *messages);
    /* After everything was declared again as in the earlier run, with the parts open: finds the values. */
    rlt_status (*restore)(rlti_sink *sink, rlt_messages *messages);
    void (*free)(rlti_sink *sink); /* frees `own`, which is not NULL */
} rlti_sink_writer;

#define RLTI_SINK_MARKS 16 /* of a checkpoint: at least as many as part files */

struct rlti_sink {
    const rlti_sink_writer *writer;
    void *own;
    rlti_stream parts[RLTI_SINK_PARTS]; /* open where has_parts */
    int has_parts;                      /* 0: a run that resumes has not stated where it was */
    char *path;
    rlt_lock *lock;    /* of the file; NULL where the caller has it */
    rlti_sink_def def; /* its texts are copies */
    int failed;        /* a write failed: nothing can be published any more */
    int in_pieces;     /* an array is being written in pieces: */
    int piece_of;      /* of this attribute */
    double piece_time;
    int said_pinned; /* rlti_tell_pinned: 1 Catmull-Rom curves, 2 B-splines */
    int closes;      /* the file is being published for the last time: parts may become the file */
    char fingerprint[RLTI_FINGERPRINT_SIZE]; /* of what the file is made from; "": it does not say */
    int prim_count, attribute_count;
    int prim_capacity, attribute_capacity; /* of the lists */
    rlti_prim *prims;                      /* [prim_count] as declared; texts are copies */
    rlti_attribute *attributes;            /* [attribute_count] as declared; `times` unused */
    int *owner;                            /* [attribute_count] the prim of each */
    double *value_times;                   /* [attribute_count] the last time written; -infinity: none */
    double *transform_times;               /* [prim_count] of prims' transforms */
    rlti_arena arena;                      /* of links */
    rlti_link *links;                      /* [link_count] as declared; all texts are copies */
    int *link_owner;                       /* [link_count] the prim of each */
    int link_count, link_capacity;
};

/* Handles of transforms among those of attributes, and back. */
#define RLTI_TRANSFORM_OF(prim) (-1 - (prim))

/* The format goes by the name's extension: .usda .usdc .usd (crate) .abc .hair .obj. RLT_BAD_INPUT for
 * others, naming these. Nothing but a lock and a first part file is made, so that a folder without permission
 * is reported early. */
rlt_status rlti_sink_open(const char *path, const rlti_sink_def *def, rlt_messages *messages,
                          rlti_sink **sink);

/* Replaces the definition before the first prim is declared: what the file stands on may show only with the
 * first frame. Writers read it from the first declaration on, but for `resumes`. */
rlt_status rlti_sink_redefine(rlti_sink *sink, const rlti_sink_def *def, rlt_messages *messages);

/* Declares a prim; `parent` is a handle or -1, the rest as in rlti_prim (path is made here). Returns its
 * handle in *index. What a format cannot hold is a warning once, and then left out. */
rlt_status rlti_sink_prim(rlti_sink *sink, int parent, const rlti_prim *prim, rlt_messages *messages,
                          int *index);
rlt_status rlti_sink_attribute(rlti_sink *sink, int prim, const rlti_attribute *attribute,
                               rlt_messages *messages, int *index);

/* Declares what leads from a prim of USD to others. An attribute of the same name gets the connections and
 * the metadata; other links stand for themselves, but for those of attributes whose values are not written.
 * Formats without links pass over it. */
rlt_status rlti_sink_link(rlti_sink *sink, int prim, const rlti_link *link, rlt_messages *messages);

/* A value; `time` NaN: without a time. Times of an attribute increase. The array's type must be the declared
 * one; `blocked` writes "no value" where the format can. The same bytes again may be stored once. */
rlt_status rlti_sink_write(rlti_sink *sink, int attribute, double time, const rlti_array *value,
                           rlt_messages *messages);

/* An array of numbers that is larger than memory: begin, its pieces in their order, end. Nothing else is
 * written between them. Every piece has the declared type; an array without pieces is empty. It is never
 * packed, nor compared with earlier ones. */
rlt_status rlti_sink_begin(rlti_sink *sink, int attribute, double time, rlt_messages *messages);
rlt_status rlti_sink_piece(rlti_sink *sink, const rlti_array *piece, rlt_messages *messages);
rlt_status rlti_sink_end(rlti_sink *sink, rlt_messages *messages);

/* Declares an attribute of one value per place: with times where it `moves`, else without. */
rlt_status rlti_sink_declare(rlti_sink *sink, int prim, const char *name, rlti_attribute_class class_,
                             rlti_array_type type, rlti_interpolation place, int moves,
                             rlt_messages *messages, int *index);

/* Declares one attribute, and writes it without a time if so asked. */
rlt_status rlti_sink_still(rlti_sink *sink, int prim, const char *name, rlti_attribute_class class_,
                           rlti_array_type type, rlti_interpolation place, const void *data, size_t count,
                           int writes, rlt_messages *messages);

/* A prim's own transform (row vectors); `time` NaN: it does not change. */
rlt_status rlti_sink_transform(rlti_sink *sink, int prim, double time, const double matrix[16],
                               rlt_messages *messages);

/* The range of times, where it was not known when the sink was opened; it counts when publishing. */
void rlti_sink_range(rlti_sink *sink, double first_time, double last_time);

/* The origin that the file states, with a checksum as its end: it counts when publishing. */
void rlti_sink_fingerprint(rlti_sink *sink, uint64_t fingerprint);

/* For writers: ends a file that states its origin with the checksum (io/seal.h). */
void rlti_sink_seal(const rlti_sink *sink, rlti_stream *file);

rlt_status rlti_sink_publish(rlti_sink *sink, rlt_messages *messages);
rlt_status rlti_sink_marks(rlti_sink *sink, rlti_stream_mark marks[RLTI_SINK_MARKS], int *count,
                           rlt_messages *messages);
rlt_status rlti_sink_resume(rlti_sink *sink, const rlti_stream_mark *marks, int count,
                            rlt_messages *messages);

/* Publishes, removes the parts and frees, also on failure. */
rlt_status rlti_sink_close(rlti_sink *sink, rlt_messages *messages);
/* Frees; the parts stay on the disk (leave) or go (abandon). */
void rlti_sink_leave(rlti_sink *sink);
void rlti_sink_abandon(rlti_sink *sink);

#endif
