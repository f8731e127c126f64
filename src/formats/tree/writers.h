/* One writer per format: `open` makes the sink's `own` and its first part file. */
#ifndef RLTI_FORMATS_TREE_WRITERS_H
#define RLTI_FORMATS_TREE_WRITERS_H

#include "formats/tree/sink.h"

extern const rlti_sink_writer rlti_usda_sink, rlti_usdc_sink, rlti_abc_sink, rlti_hair_sink, rlti_obj_sink;

/* The sink has path and def already; on failure `own` is freed and NULL. */
rlt_status rlti_usda_sink_open(rlti_sink *sink, rlt_messages *messages);
rlt_status rlti_usdc_sink_open(rlti_sink *sink, rlt_messages *messages);
rlt_status rlti_abc_sink_open(rlti_sink *sink, rlt_messages *messages);
rlt_status rlti_hair_sink_open(rlti_sink *sink, rlt_messages *messages);
rlt_status rlti_obj_sink_open(rlti_sink *sink, rlt_messages *messages);

#endif
