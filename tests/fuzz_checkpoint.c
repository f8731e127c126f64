/* libFuzzer entry: checkpoints, as they come and with a checksum that is right, so that the sizes inside are
 * tried too. Build with `cmake --preset fuzz`. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "io/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const rlti_checkpoint *checkpoint) {
    static const char *const names[] = {"version", "frame", "points", "writer.lengths", ""};
    static const int elements[] = {1, 4, 8};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (size_t e = 0; e < sizeof elements / sizeof elements[0]; e++) {
            long long count = rlti_checkpoint_count(checkpoint, names[n], elements[e]);
            if (count < 0)
                continue;
            /* a count that was believed fits into the input */
            void *copy = malloc((size_t)count * (size_t)elements[e] + 1);
            if (copy == NULL)
                abort();
            rlti_field field = {names[n], elements[e], count, copy};
            if (rlti_checkpoint_get(checkpoint, &field, NULL) != RLT_OK)
                abort();
            free(copy);
        }
}

static void parse(const uint8_t *data, size_t size) {
    rlt_messages *messages = rlt_messages_create();
    rlti_checkpoint *checkpoint = NULL;
    rlt_status status = rlti_checkpoint_parse("fuzz", data, size, messages, &checkpoint);
    /* a refusal always says why, and only success gives a checkpoint */
    if ((status == RLT_OK) != (checkpoint != NULL) || (status != RLT_OK && rlt_messages_count(messages) == 0))
        abort();
    if (checkpoint != NULL)
        look(checkpoint);
    rlti_checkpoint_destroy(checkpoint);
    rlt_messages_destroy(messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    parse(data, size);
    uint8_t *repaired = malloc(size + 8);
    if (repaired == NULL || size < 16 || size % 8 != 0) {
        free(repaired);
        return 0;
    }
    memcpy(repaired, data, size);
    memcpy(repaired, "RINGLETC\1\0\0", 12);
    uint64_t sum = rlti_checksum(0, repaired, size);
    for (int i = 0; i < 8; i++)
        repaired[size + (size_t)i] = (uint8_t)(sum >> (8 * i));
    parse(repaired, size + 8);
    free(repaired);
    return 0;
}
