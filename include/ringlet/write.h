/* Writing results: animation files. */
#ifndef RINGLET_WRITE_H
#define RINGLET_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "ringlet/files.h"
#include "ringlet/lock.h"
#include "ringlet/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes hair and body over time, frame by frame, in the format of the name's ending: .usda, .usdc, .usd
 * (binary), .abc; .hair holds the first frame only. The file appears under its name only when closed; until
 * then its parts stand beside it under temporary names. */
typedef struct rlt_writer rlt_writer;

/* Contents of a file of hair that was read from files (ringlet/source.h). */
typedef enum rlt_writer_mode {
    RLT_WRITE_AUTO = 0,       /* over, where all hair is from one USD file and USD is written */
    RLT_WRITE_STANDALONE = 1, /* everything; curves keep their type, basis and attributes */
    RLT_WRITE_OVER = 2        /* USD: a layer on the source file, with the new points only */
} rlt_writer_mode;

typedef struct rlt_writer_def {
    size_t size; /* of this struct: sizeof */
    double frames_per_second;
    double metres_per_unit;
    const char *title; /* becomes the layer's documentation; may be NULL */
    rlt_writer_mode mode;
    int no_velocities; /* 1: leaves them out */
    int keep_axis;     /* 1: to Alembic, hair of a Z-up file stays Z up; usually Y, as its readers expect */
    rlt_unreal unreal; /* Unreal's groom_* attributes; as a groom only the first frame is written */
    /* rlt_simulation_fingerprint: the file says what it was made from; 0: it does not. */
    uint64_t fingerprint;
    /* Of the file, taken before and released after the writer; NULL: the writer takes its own. */
    const rlt_lock *lock;
    /* USD: rest shape, masses and stiffness, under the names of the draft for physics of curves, in a file
     * that stands alone. [point_count][RLT_PHYSICS_COUNT] of rlt_simulation_physics, as long as the writer;
     * NULL: no */
    const double *physics;
    /* How pictures show this hair: rlt_scene_look_text, written as text with curves of the file's own; and
     * for each hair section the colour that other programs show, [colour_count][3], linear. Both as long as
     * the writer; NULL: not */
    const char *look;
    const double *colours;
    int colour_count;
    int reserved; /* 0 */
} rlt_writer_def;

/* Opens a file for the frames to come; RLT_FAILED when it cannot be written there, or another writer has it
 * (ringlet/lock.h). A symbolic link under this name is replaced by the file, not followed. */
rlt_status rlt_writer_open(const char *path, const rlt_writer_def *def, rlt_messages *messages,
                           rlt_writer **writer);

/* Adds the frame the view shows; frames come in increasing order, topology never changes. */
rlt_status rlt_writer_add(rlt_writer *writer, const rlt_frame_view *view, rlt_messages *messages);

/* Finishes the file with the frames added so far and frees the writer, also on failure. */
rlt_status rlt_writer_close(rlt_writer *writer, rlt_messages *messages);

/* Throws away what was written and frees the writer. */
void rlt_writer_abandon(rlt_writer *writer);

/* Puts a complete file with the frames added so far under its name; the writer continues. */
rlt_status rlt_writer_publish(rlt_writer *writer, rlt_messages *messages);

/* How many frames were added, and the numbers of the first and last. */
int rlt_writer_frames(const rlt_writer *writer, int *first, int *last);

/* Frees the writer and leaves its parts on the disk, for rlt_writer_resume. */
void rlt_writer_leave(rlt_writer *writer);

/* Continues with the parts that an earlier run left beside `path`, whatever ended it: what was added after
 * the checkpoint (rlt_checkpoint_write with that run's writer) is cut off. `view` is the checkpoint's frame,
 * of a simulation brought there by rlt_checkpoint_read. RLT_BAD_INPUT where the parts are not those. */
rlt_status rlt_writer_resume(const char *path, const rlt_writer_def *def, const char *checkpoint,
                             const rlt_frame_view *view, rlt_messages *messages, rlt_writer **writer);

/* Writes a file of these bytes: it appears under its name whole or not at all. */
rlt_status rlt_bytes_write(const char *path, const void *bytes, size_t size, rlt_messages *messages);

/* Origin of a file that stands there already. */
typedef enum rlt_made {
    RLT_MADE_NOTHING = 0,   /* there is no file, or none that can be read */
    RLT_MADE_BY_OTHERS = 1, /* it does not say: another program's, an older version's, a converted one */
    RLT_MADE_DIFFERENT = 2, /* of another scene, with other options or frames, or by another version */
    RLT_MADE_THE_SAME = 3,  /* just what a writer with this definition would make of these frames */
    RLT_MADE_DAMAGED = 4    /* it was that, but its bytes have changed since */
} rlt_made;

/* Checks `path` against a writer with this definition, to which every frame from `first` to `last` would be
 * added. */
rlt_made rlt_writer_made(const char *path, const rlt_writer_def *def, int first, int last);

#ifdef __cplusplus
}
#endif

#endif
