/* libFuzzer entry: scene texts, alone and as overrides. Build with
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined
 * together with src/scene, src/base and the embedded scenes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ringlet/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void load(const char *text, size_t size, const char *const *overrides, int count) {
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *scene = NULL;
    rlt_status status = rlt_scene_load_text("fuzz", text, size, overrides, count, messages, &scene);
    /* a refusal always says why, and only success gives a scene */
    if ((status == RLT_OK) != (scene != NULL) || (status != RLT_OK && rlt_messages_count(messages) == 0))
        abort();
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    load((const char *)data, size, NULL, 0);
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    const char *overrides[] = {text};
    static const char scene[] = "hair: [{count: 1}, {count: 2, preset: coil}]\n";
    load(scene, sizeof scene - 1, overrides, 1);
    free(text);
    return 0;
}
