#include "io/output.h"
#include "ringlet/write.h"

rlt_status rlt_bytes_write(const char *path, const void *bytes, size_t size, rlt_messages *messages) {
    rlti_stream stream = {0};
    rlt_status status = rlti_output_prepare(path, messages);
    if (status == RLT_OK)
        status = rlti_stream_open(&stream, path, ".tmp", 4096, messages);
    if (status == RLT_OK) {
        rlti_stream_write(&stream, bytes, size);
        status = rlti_stream_publish(&stream, messages);
    }
    return status;
}
