/* Any bytes as a scene file: never a crash, and on failure always a message and no scene. */
#include <stdint.h>
#include <stdlib.h>

#include "ringlet/ringlet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rlt_scene *scene = NULL;
    rlt_messages *messages = rlt_messages_create();
    rlt_status status = rlt_scene_load_text("fuzz.yaml", (const char *)data, size, NULL, 0, messages, &scene);
    if ((status == RLT_OK) != (scene != NULL))
        abort();
    if (status != RLT_OK && rlt_messages_count(messages) == 0)
        abort();
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
    return 0;
}
