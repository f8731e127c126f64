/* One reader per format. Each takes over the map, also on failure (it is closed with the stage). */
#ifndef RLTI_FORMATS_TREE_READERS_H
#define RLTI_FORMATS_TREE_READERS_H

#include "formats/tree/stage.h"
#include "io/file_map.h"

typedef rlt_status rlti_stage_opener(const char *path, rlti_file_map *map, rlt_messages *messages,
                                     rlti_stage **stage);

/* The first: .usda, .usdc, .usdz, layers put together. */
rlti_stage_opener rlti_usd_stage_open, rlti_abc_stage_open, rlti_hair_stage_open, rlti_tfx_stage_open,
    rlti_obj_stage_open;

/* The first with variants as rlti_stage_open_as has them. */
rlt_status rlti_usd_stage_open_as(const char *path, rlti_file_map *map, const char *variants,
                                  rlt_messages *messages, rlti_stage **stage);

#endif
