/* libFuzzer entry: whole USD stages. The input is a package, a crate or a text; what opens is read through.
 * Build with `make fuzz`. */
#include "stage_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *format = rlti_stage_format(data, size);
    if (format == NULL || strncmp(format, "usd", 3) != 0)
        return 0;
    rlt_messages *messages = rlt_messages_create();
    walk_bytes(data, size, messages);
    rlt_messages_destroy(messages);
    return 0;
}
