/* libFuzzer entry: .hair, .tfx and .obj files, whichever the first bytes look like, with every value read.
 * Build with `make fuzz`. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rlti_file_map map = {data, size, NULL};
    rlti_stage *stage = NULL;
    rlti_array value = {0};
    rlt_messages *messages = rlt_messages_create();
    const char *format = rlti_stage_format(data, size);
    rlt_status status =
        format != NULL && strcmp(format, "tfx") == 0   ? rlti_tfx_stage_open("fuzz", &map, messages, &stage)
        : format != NULL && strcmp(format, "obj") == 0 ? rlti_obj_stage_open("fuzz", &map, messages, &stage)
                                                       : rlti_hair_stage_open("fuzz", &map, messages, &stage);
    if ((status == RLT_OK) != (stage != NULL) || (status != RLT_OK && rlt_messages_count(messages) == 0))
        abort();
    for (int i = 0; stage != NULL && i < stage->attribute_count; i++) {
        size_t sum = 0;
        if (stage->reader->read(stage, &stage->prims[0], &stage->attributes[i], -1, messages, &value) !=
            RLT_OK)
            abort(); /* all was checked when it was opened */
        for (size_t k = 0; k < value.count * (size_t)value.type.arity * 4; k++)
            sum += ((const unsigned char *)value.data)[k];
        if (sum == SIZE_MAX)
            abort();
    }
    rlti_array_clear(&value);
    rlti_stage_close(stage);
    rlt_messages_destroy(messages);
    return 0;
}
