#include "base/messages.h"
#include "formats/usd_layer.h"

rlt_status rlti_usdc_layer_open(const char *file, const unsigned char *bytes, size_t size,
                                rlt_messages *messages, rlti_usd_layer **layer) {
    (void)bytes;
    (void)size;
    *layer = NULL;
    return rlti_fail(messages, RLT_BAD_INPUT, "%s: cannot be read yet", file);
}
