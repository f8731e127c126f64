/* Alembic's own layer on Ogawa: what the whole file has (times, texts that several things share), and the
 * headers of objects and properties. Nothing is copied: texts point into the mapped file.
 *
 * Functions return NULL, or what is wrong. */
#ifndef RLTI_FORMATS_ALEMBIC_ABC_ARCHIVE_H
#define RLTI_FORMATS_ALEMBIC_ABC_ARCHIVE_H

#include "formats/tree/array.h"
#include "formats/alembic/ogawa.h"

enum { RLTI_ABC_SHARED_TEXTS = 255 };

typedef struct rlti_abc_text {
    const char *at;
    size_t size;
} rlti_abc_text;

/* When samples were taken [s]. */
typedef struct rlti_abc_sampling {
    double cycle;               /* seconds after which the times repeat */
    uint32_t count;             /* times in one cycle; 1: evenly spaced */
    const unsigned char *times; /* [count] doubles, not aligned */
} rlti_abc_sampling;

typedef struct rlti_abc_archive {
    rlti_ogawa ogawa;
    int32_t library_version; /* 10812 is 1.8.12 */
    uint64_t top;            /* the object above all others */
    rlti_abc_text metadata;
    int sampling_count;
    rlti_abc_sampling *samplings; /* [sampling_count] owned */
    rlti_abc_text shared[RLTI_ABC_SHARED_TEXTS];
    int shared_count;
} rlti_abc_archive;

typedef enum rlti_abc_kind {
    RLTI_ABC_COMPOUND,
    RLTI_ABC_SCALAR,
    RLTI_ABC_ARRAY,
    RLTI_ABC_ARRAY_OF_ONE /* every sample has one value */
} rlti_abc_kind;

enum { RLTI_ABC_STRING = 12, RLTI_ABC_WSTRING = 13, RLTI_ABC_PODS = 14 };

typedef struct rlti_abc_property {
    rlti_abc_text name, metadata;
    rlti_ogawa_group group;
    rlti_abc_kind kind;
    int pod, extent;
    uint32_t sample_count;
    uint32_t first, last; /* samples 0 to first - 1 are the same, those from last on too */
    uint32_t sampling;
} rlti_abc_property;

typedef struct rlti_abc_object {
    rlti_abc_text name, metadata;
    uint64_t group;
} rlti_abc_object;

extern const char rlti_abc_no_memory[]; /* what is wrong when out of memory */

const char *rlti_abc_archive_open(rlti_abc_archive *archive, const unsigned char *bytes, size_t size,
                                  const rlti_file_pages *pages);
void rlti_abc_archive_close(rlti_abc_archive *archive);

/* Lists of headers; free with rlti_free. */
const char *rlti_abc_properties(const rlti_abc_archive *archive, const rlti_ogawa_group *compound,
                                rlti_abc_property **list, int *count);
const char *rlti_abc_objects(const rlti_abc_archive *archive, const rlti_ogawa_group *object,
                             rlti_abc_object **list, int *count);

/* The value of a key in "key=value;key=value"; size 0 where missing. */
rlti_abc_text rlti_abc_metadata(rlti_abc_text metadata, const char *key);
int rlti_abc_text_is(rlti_abc_text text, const char *other);

/* Time of a sample [s]. */
double rlti_abc_time(const rlti_abc_sampling *sampling, uint32_t sample);

/* How many different samples the file holds: stored ones, and one more where the first stays a while, so that
 * it is still there just before the next. */
uint32_t rlti_abc_step_count(const rlti_abc_property *property);
/* The sample that is step k, as the file counts samples. */
uint32_t rlti_abc_step_sample(const rlti_abc_property *property, uint32_t step);

/* Where a sample is, without the key; its bytes may not be read yet. */
const char *rlti_abc_locate(const rlti_abc_archive *archive, const rlti_abc_property *property,
                            uint32_t sample, rlti_ogawa_data *data);

/* The same, for reading. */
const char *rlti_abc_sample(const rlti_abc_archive *archive, const rlti_abc_property *property,
                            uint32_t sample, rlti_ogawa_data *data);

#endif
