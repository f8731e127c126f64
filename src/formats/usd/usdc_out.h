/* Inside of the crate writer. Values go to the data part as they come (usdc_sink.c); the tables are made when
 * the file is published (usdc_tables.c), behind the values. */
#ifndef RLTI_FORMATS_USD_USDC_OUT_H
#define RLTI_FORMATS_USD_USDC_OUT_H

#include "base/table.h"
#include "formats/tree/sink.h"
#include "formats/usd/usdc_crate.h"

/* ---- texts ---- */

/* Texts with numbers. Number 0 is taken, since the sign of a name's number says whether it is a property's.
 */
typedef struct rlti_crate_tokens {
    char *text; /* one after the other, each with its end */
    size_t used, capacity;
    size_t *starts; /* [count] */
    size_t start_capacity;
    uint32_t count;
    rlti_table table; /* numbers */
} rlti_crate_tokens;

/* The number of a text, which is new where *is_new; UINT32_MAX when out of memory. */
uint32_t rlti_crate_tokens_put(rlti_crate_tokens *tokens, const char *text, int *is_new);
void rlti_crate_tokens_free(rlti_crate_tokens *tokens);

/* ---- values ---- */

/* Record of one property as written. */
typedef struct rlti_crate_track {
    double *times;
    uint64_t *reps;
    int count, capacity;
    uint64_t value; /* rep of the one without a time; 0: there is none */
    /* the array written last: the same again is not written again */
    uint64_t last, last_count, last_bytes;
    uint64_t last_mark; /* checksum of some of its bytes */
    int is_time;        /* its values are time codes, which crates have from version 0.9 on */
} rlti_crate_track;

typedef struct rlti_crate_sink {
    rlti_stream *data;  /* of the sink's parts */
    rlti_stream *log;   /* a record for each value */
    rlti_stream *texts; /* tokens in the order of their numbers, from 1 */
    rlti_crate_tokens tokens;
    rlti_crate_track *tracks; /* [track_count] of attributes */
    int track_count;
    rlti_crate_track *transforms; /* [transform_count] of prims */
    int transform_count;
    rlti_array scratch;             /* a value in the type that is written */
    uint64_t piece_at, piece_count; /* of the array in pieces: where, and its elements so far */
} rlti_crate_sink;

#define RLTI_CRATE_HEADER 88 /* [bytes] before the first value */

/* The number of a token, noted in the part that a later run reads; UINT32_MAX when out of memory. */
uint32_t rlti_crate_sink_token(rlti_crate_sink *own, const char *text);

/* The rep of a value, which is written where it does not fit into that; 0 when out of memory. An array that
 * is the same as the track's last one is not written again. */
uint64_t rlti_crate_put(rlti_crate_sink *own, rlti_crate_track *track, const rlti_array *value);

/* An array in pieces, of which there is one at a time. The end returns its rep. */
void rlti_crate_begin(rlti_crate_sink *own);
void rlti_crate_piece(rlti_crate_sink *own, const rlti_array *piece);
uint64_t rlti_crate_end(rlti_crate_sink *own, rlti_crate_track *track, rlti_array_type type);

/* A checksum of the ends and the middle: arrays that differ mostly differ there. */
uint64_t rlti_crate_mark(const unsigned char *bytes, size_t size);

/* The rep of a number. */
uint64_t rlti_crate_put_double(rlti_stream *out, double value);

/* Writes tables and header behind the values. */
rlt_status rlti_crate_compose(rlti_sink *sink, rlti_stream *out, rlt_messages *messages);

#endif
