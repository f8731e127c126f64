#include "base/messages.h"
#include "formats/writers.h"

const rlti_sink_writer rlti_abc_sink = {.format = "abc"};

rlt_status rlti_abc_sink_open(rlti_sink *sink, rlt_messages *messages) {
    return rlti_fail(messages, RLT_BAD_INPUT, "%s: cannot be written yet", sink->path);
}
