/* Checkpoints: everything a run needs to resume, in one file. A resumed run gives the bytes that
 * it would have given unbroken, with any number of threads and ranks and any SIMD width. */
#ifndef RINGLET_CHECKPOINT_H
#define RINGLET_CHECKPOINT_H

#include "ringlet/simulation.h"
#include "ringlet/write.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the state at the present frame. With a writer (or NULL), first everything added to it is put on the
 * disk, so that rlt_writer_resume can continue from there. An older checkpoint of that name stays whole until
 * it is replaced. Collective where there are several ranks: rank 0 writes, and the others' path and writer
 * are not used. */
rlt_status rlt_checkpoint_write(const char *path, rlt_simulation *simulation, rlt_writer *writer,
                                rlt_messages *messages);

/* Brings a simulation to the frame of a checkpoint. The scene must be the one the checkpoint was made with,
 * but for title, time.last, contacts.margin, and all of health, hair.fill, hair.look and render; the version
 * of Ringlet must be the same. On failure the simulation is as before. Collective where there are several
 * ranks: rank 0 reads the file. */
rlt_status rlt_checkpoint_read(const char *path, rlt_simulation *simulation, rlt_messages *messages);

/* Removes a checkpoint, and what a run killed while writing one has left. No error where there is none. */
rlt_status rlt_checkpoint_remove(const char *path, rlt_messages *messages);

#ifdef __cplusplus
}
#endif

#endif
