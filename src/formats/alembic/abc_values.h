/* Values of Alembic properties as arrays. */
#ifndef RLTI_FORMATS_ALEMBIC_ABC_VALUES_H
#define RLTI_FORMATS_ALEMBIC_ABC_VALUES_H

#include "formats/alembic/abc_archive.h"

/* How a value is changed while it is read. */
typedef enum rlti_abc_reading {
    RLTI_ABC_PLAIN,
    RLTI_ABC_BOX,        /* six doubles become two corners of floats, rounded outwards */
    RLTI_ABC_QUATERNION, /* w x y z becomes x y z w */
    RLTI_ABC_VISIBLE     /* 0 becomes "invisible", others "inherited" */
} rlti_abc_reading;

/* The type of a property's values; *element_size more than 1 where its extent is no arity we have. */
rlti_array_type rlti_abc_type(const rlti_abc_property *property, int *element_size);
const char *rlti_abc_pod_name(int pod); /* "float32_t" */

/* Values of a sample, straight from the file where they are aligned. Returns NULL or what is wrong. */
const char *rlti_abc_value(const rlti_abc_archive *archive, const rlti_abc_property *property,
                           uint32_t sample, rlti_abc_reading reading, rlti_array *to);

/* How many values a sample has, without reading them; 0 where it is not known. */
size_t rlti_abc_value_count(const rlti_abc_archive *archive, const rlti_abc_property *property,
                            uint32_t sample);

#endif
