/* Headers and groups of an Alembic file while it is published. */
#ifndef RLTI_FORMATS_ALEMBIC_ABC_HEADERS_H
#define RLTI_FORMATS_ALEMBIC_ABC_HEADERS_H

#include "formats/alembic/abc_out.h"

/* Bytes that grow. */
typedef struct rlti_abc_bytes {
    unsigned char *at;
    size_t size, capacity;
} rlti_abc_bytes;

/* Evenly spaced times, or a list. */
typedef struct rlti_abc_times_entry {
    double start, cycle;         /* [s] */
    const rlti_abc_track *track; /* not NULL: its times one by one */
    uint32_t maximum;            /* samples of the property with the maximum of them */
} rlti_abc_times_entry;

typedef struct rlti_abc_headers {
    rlti_stream *out;
    double codes_per_second, frames_per_second;
    int failed;            /* out of memory */
    rlti_abc_bytes shared; /* texts that have an index: a byte with the length, then the text */
    int shared_count;
    rlti_abc_bytes samplings; /* of rlti_abc_times_entry */
} rlti_abc_headers;

/* A compound while properties are added. */
typedef struct rlti_abc_compound {
    rlti_abc_bytes children, headers, hashes;
} rlti_abc_compound;

/* The objects below one object. */
typedef rlti_abc_compound rlti_abc_children;

/* How samples are described in a property's header. */
typedef struct rlti_abc_span {
    uint32_t samples;  /* 0: as the track has them */
    uint32_t sampling; /* for those */
} rlti_abc_span;

void rlti_abc_append(rlti_abc_headers *h, rlti_abc_bytes *bytes, const void *data, size_t size);

/* How many samples a track has in the file, and the index of their times; 0 for a still one. Times that are
 * among those of frames, with what is held between them, are even. */
rlti_abc_span rlti_abc_span_of(rlti_abc_headers *h, const rlti_abc_track *track);

/* Adds a property whose samples are in the track. `span` may give a still one the count of its siblings. */
void rlti_abc_add_track(rlti_abc_headers *h, rlti_abc_compound *to, const char *name, const char *metadata,
                        rlti_array_type type, const rlti_abc_track *track, const rlti_abc_span *span);
/* Adds one whose only sample is made here. */
void rlti_abc_add_still(rlti_abc_headers *h, rlti_abc_compound *to, const char *name, const char *metadata,
                        rlti_array_type type, const void *bytes, size_t size, const rlti_abc_span *span);
/* Ends a compound and adds it to another; nothing where it is empty. */
void rlti_abc_add_compound(rlti_abc_headers *h, rlti_abc_compound *to, const char *name, const char *metadata,
                           rlti_abc_compound *compound);
/* Ends a compound: its group and its hash. */
uint64_t rlti_abc_end_compound(rlti_abc_headers *h, rlti_abc_compound *compound, uint64_t hash[2]);

/* Ends an object with these properties and children, and adds it to its parent's children. */
void rlti_abc_add_object(rlti_abc_headers *h, rlti_abc_children *to, const char *name, const char *metadata,
                         rlti_abc_compound *properties, rlti_abc_children *children);
/* Ends the object above all others; returns its group. */
uint64_t rlti_abc_end_top(rlti_abc_headers *h, rlti_abc_children *children);

/* The archive's own parts and the root. */
void rlti_abc_end_archive(rlti_abc_headers *h, uint64_t top, const char *metadata);
void rlti_abc_headers_free(rlti_abc_headers *h);

#endif
