/* The files that something was read from, so that no output replaces one of them. */
#ifndef RINGLET_INPUTS_H
#define RINGLET_INPUTS_H

#include "ringlet/scene.h"
#include "ringlet/simulation.h"
#include "ringlet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* rlt_inputs: every file that was opened for reading, and those that will be: layers, references and
 * payloads, all files of a numbered sequence. Those of a scene, simulation or cache belong to it and live as
 * long as it. */

/* A list of one's own. Adding a file that is not there is RLT_BAD_INPUT. */
rlt_inputs *rlt_inputs_create(void); /* NULL when out of memory */
rlt_status rlt_inputs_add(rlt_inputs *inputs, const char *path, rlt_messages *messages);
void rlt_inputs_destroy(rlt_inputs *inputs);

/* The files of a scene (its own) and of a simulation (with its scene's); rlt_cache_inputs: of a cache. NULL:
 * there is none. */
const rlt_inputs *rlt_scene_inputs(const rlt_scene *scene);
const rlt_inputs *rlt_simulation_inputs(const rlt_simulation *simulation);

/* How many there are, and the path of each as it was opened. */
int rlt_inputs_count(const rlt_inputs *inputs);
const char *rlt_inputs_path(const rlt_inputs *inputs, int index);

/* RLT_OK where `path` may be written. RLT_BAD_INPUT where it is one of the files, by whatever name (other
 * spellings, symbolic and hard links count), or where one of them stands under a name that belongs to the
 * output (PATH.something beside PATH: parts, checkpoints). NULL: nothing was read. */
rlt_status rlt_inputs_check(const rlt_inputs *inputs, const char *path, rlt_messages *messages);

#ifdef __cplusplus
}
#endif

#endif
