/* One writer per format. */
#ifndef RLTI_FORMATS_TREE_WRITERS_H
#define RLTI_FORMATS_TREE_WRITERS_H

#include "formats/tree/sink.h"

extern const rlti_sink_writer rlti_usda_sink, rlti_usdc_sink, rlti_abc_sink, rlti_hair_sink, rlti_obj_sink;

#endif
