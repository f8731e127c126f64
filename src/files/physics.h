/* Physics of deformable curves in USD, of the draft that docs/guide/formats.md names: rest shape, masses, and
 * a material of the prim's own. */
#ifndef RLTI_FILES_PHYSICS_H
#define RLTI_FILES_PHYSICS_H

#include "files/writer_data.h"

/* "A B" with the schemas of simulated curves, for rlti_prim.api_schemas; free it with rlti_free. NULL when
 * out of memory. */
char *rlti_physics_schemas(const char *schemas);

/* 1 for an attribute of a source's prim that the declared physics replaces: a file may have it without the
 * schema, as one that came through Alembic. */
int rlti_physics_replaces(const rlt_writer *writer, const rlti_prim *prim, const rlti_attribute *attribute);

/* Declares the physics of the scene's own hair on a prim, or of source `k`, whose file may have its own: that
 * is kept as it is. */
rlt_status rlti_physics_declare_own(rlt_writer *writer, const rlt_frame_view *view, int prim, int writes,
                                    rlt_messages *messages);
rlt_status rlti_physics_declare_source(rlt_writer *writer, const rlt_frame_view *view, int k, int writes,
                                       rlt_messages *messages);

#endif
