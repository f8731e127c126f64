/* Files that values name (textures), seen from the file that is written. */
#ifndef RLTI_FILES_ASSETS_H
#define RLTI_FILES_ASSETS_H

#include "formats/tree/stage.h"

/* 1 for attributes whose values are names of files. */
int rlti_is_asset(const rlti_attribute *attribute);

/* Makes names of files, which are relative to the layer that has them, relative to the file `to`; those that
 * are looked up elsewhere (search paths, the net) stay. */
rlt_status rlti_move_assets(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *attribute,
                            const char *to, rlt_messages *messages, rlti_array *value);

#endif
