/* Triangle meshes from Wavefront OBJ text: vertices and faces. Everything else in the file (texture
 * coordinates, normals, groups, materials, lines, comments) is passed over.
 *
 * A polygon becomes a fan of triangles around its first corner. Indices count from 1, negative ones back from
 * the last vertex before the face. The text is read as a stream, so memory depends on what is kept only: at
 * most about ten bytes per byte of the file. */
#ifndef RLTI_IO_OBJ_H
#define RLTI_IO_OBJ_H

#include <stddef.h>
#include <stdint.h>

#include "ringlet/status.h"

#define RLTI_OBJ_VERTICES_MAX  100000000 /* in one file */
#define RLTI_OBJ_TRIANGLES_MAX 200000000
#define RLTI_OBJ_FURTHEST      1e9 /* greatest coordinate [unit] */

typedef struct rlti_obj {
    int vertex_count, triangle_count;
    int face_count;        /* polygons, before they became triangles */
    double (*vertices)[3]; /* [vertex_count] */
    int (*triangles)[3];   /* [triangle_count] from 0 */
    uint64_t topology;     /* a hash of the triangles: two files with the same one have the same faces */
} rlti_obj;

/* Reads a file. Problems come as "file:line: what"; the first ten are listed. A file without triangles,
 * or that cannot be read, is RLT_BAD_INPUT; RLT_FAILED is out of memory. Free with rlti_obj_destroy. */
rlt_status rlti_obj_read(const char *path, rlt_messages *messages, rlti_obj **obj);

/* The same from memory; `name` is for messages. */
rlt_status rlti_obj_parse(const char *name, const char *text, size_t size, rlt_messages *messages,
                          rlti_obj **obj);
void rlti_obj_destroy(rlti_obj *obj);

/* Reads another file of a sequence into `vertices`, [like->vertex_count]: it must have as many vertices as
 * `like` and the same faces. `first` names the file `like` came from, for the message. Allocates nothing that
 * stays. After a failure the vertices are partly overwritten. */
rlt_status rlti_obj_read_vertices(const char *path, const rlti_obj *like, const char *first,
                                  rlt_messages *messages, double (*vertices)[3]);

#endif
