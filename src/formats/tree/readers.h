/* One reader per format. Each takes over the map, also on failure (it is closed with the stage). */
#ifndef RLTI_FORMATS_TREE_READERS_H
#define RLTI_FORMATS_TREE_READERS_H

#include "formats/tree/stage.h"
#include "io/file_map.h"

/* .usda, .usdc, .usdz: layers put together. */
rlt_status rlti_usd_stage_open(const char *path, rlti_file_map *map, rlt_messages *messages,
                               rlti_stage **stage);
rlt_status rlti_abc_stage_open(const char *path, rlti_file_map *map, rlt_messages *messages,
                               rlti_stage **stage);
rlt_status rlti_hair_stage_open(const char *path, rlti_file_map *map, rlt_messages *messages,
                                rlti_stage **stage);
rlt_status rlti_tfx_stage_open(const char *path, rlti_file_map *map, rlt_messages *messages,
                               rlti_stage **stage);
rlt_status rlti_obj_stage_open(const char *path, rlti_file_map *map, rlt_messages *messages,
                               rlti_stage **stage);

#endif
