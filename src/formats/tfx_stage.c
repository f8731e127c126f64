#include "base/messages.h"
#include "formats/readers.h"

rlt_status rlti_tfx_stage_open(const char *path, rlti_file_map *map, rlt_messages *messages,
                               rlti_stage **stage) {
    *stage = NULL;
    rlti_file_map_close(map);
    return rlti_fail(messages, RLT_BAD_INPUT, "%s: cannot be read yet", path);
}
