/* libFuzzer entry: .hair files, with every value and all geometry read. Build with `make fuzz`. */
#include "stage_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rlt_messages *messages = rlt_messages_create();
    walk_bytes_with(rlti_hair_stage_open, data, size, messages);
    rlt_messages_destroy(messages);
    return 0;
}
