/* Inside of the .usda writer. */
#ifndef RLTI_FORMATS_USD_USDA_SINK_H
#define RLTI_FORMATS_USD_USDA_SINK_H

#include "formats/tree/sink.h"

/* Each attribute's samples must stand together in the file, but arrive frame by frame. So values go, as text
 * and in the order they come, into one part file, each followed by one of these; publishing copies them to
 * their places. The part alone is enough to resume after a crash. */
typedef struct rlti_usda_record {
    int64_t what;   /* attribute, or -1 - prim for its transform */
    double time;    /* NaN: without one */
    int64_t length; /* of the text before this record */
    uint64_t mark;
} rlti_usda_record;

/* The same in memory: where the text is. */
typedef struct rlti_usda_entry {
    int what;
    int next; /* of the same thing; -1 ends */
    double time;
    long long offset, length;
} rlti_usda_entry;

/* One attribute's or transform's values. */
typedef struct rlti_usda_track {
    int value;       /* entry without a time, or -1 */
    int first, last; /* entries with a time, or -1 */
} rlti_usda_track;

typedef struct rlti_usda_sink_own {
    rlti_usda_entry *entries;
    int entry_count, entry_capacity;
    rlti_usda_track *attributes, *transforms; /* one per attribute, one per prim */
    int attribute_capacity, prim_capacity;
    int warned; /* about what cannot be written */
    rlti_array fitted;
    long long piece_start; /* where the text of the array in pieces begins */
    int has_piece;         /* it has elements */
} rlti_usda_sink_own;

/* Writes the whole file from what the part holds. */
rlt_status rlti_usda_compose(rlti_sink *sink, rlti_stream *out, rlt_messages *messages);

#endif
