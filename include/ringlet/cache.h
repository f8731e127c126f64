/* Caches: hair and bodies of a scene file, frame by frame, as a simulation would show them. */
#ifndef RINGLET_CACHE_H
#define RINGLET_CACHE_H

#include <stddef.h>

#include "ringlet/simulation.h"
#include "ringlet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlt_cache rlt_cache;

/* Contents of a cache. */
typedef struct rlt_cache_facts {
    size_t size;     /* of this struct: sizeof */
    int first, last; /* frames; equal where nothing moves */
    double frames_per_second;
    int strands, points, vertices, triangles;
    const char *format; /* "usda", "usdc", "abc", ... */
    int links;          /* of its curves to other prims: material bindings, relationships */
} rlt_cache_facts;

/* Opens a file of curves (USD, Alembic, .hair, .tfx), by Ringlet or by others: all its visible curves of two
 * points or more, and its visible meshes. Lengths become centimetres (a file that does not say is taken to
 * be in these), y becomes up; control points of curves count as their points. RLT_BAD_INPUT for a file
 * without curves. */
rlt_status rlt_cache_open(const char *path, rlt_messages *messages, rlt_cache **cache);
void rlt_cache_close(rlt_cache *cache);

/* Fills the facts in. */
rlt_status rlt_cache_get(const rlt_cache *cache, rlt_cache_facts *facts);

/* How the program that wrote it shows its hair: the text of a scene (rlt_scene_load_text); NULL where it does
 * not say. */
const char *rlt_cache_look(const rlt_cache *cache);

/* The files it was read from (ringlet/inputs.h). */
const rlt_inputs *rlt_cache_inputs(const rlt_cache *cache);

/* Reads a frame. The arrays belong to the cache and stay valid until its next call. Where the file has no
 * velocities they are differences to the next frame. */
rlt_status rlt_cache_view(rlt_cache *cache, int frame, rlt_messages *messages, rlt_frame_view *view);

/* [vertex_count][3] of the frame that was read last: how fast the meshes move [unit/s]. */
const double *rlt_cache_vertex_velocities(const rlt_cache *cache);

#ifdef __cplusplus
}
#endif

#endif
