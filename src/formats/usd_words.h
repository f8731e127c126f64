/* What the neutral words (stage.h) are called in USD: for both writers, text and crate. */
#ifndef RLTI_FORMATS_USD_WORDS_H
#define RLTI_FORMATS_USD_WORDS_H

#include "formats/stage.h"

/* "Xform", "BasisCurves"; the prim's own type name where it is one of USD that fits its kind; "" for a prim
 * without a type. */
const char *rlti_usd_prim_type(const rlti_prim *prim);

/* What a prim says by words that USD has as attributes with one token: type, basis, wrap, purpose,
 * visibility, subdivisionScheme, orientation. */
typedef struct rlti_usd_word {
    const char *name, *value;
    int is_uniform;
} rlti_usd_word;
#define RLTI_USD_WORDS 8
int rlti_usd_words(const rlti_prim *prim, rlti_usd_word words[RLTI_USD_WORDS]);

/* "points", "primvars:st"; free with rlti_free. NULL when out of memory. Characters USD does not allow become
 * '_'. */
char *rlti_usd_property_name(const rlti_attribute *attribute);
char *rlti_usd_prim_name(const char *name);

/* The word of the metadata `interpolation`, or "" where the attribute has none. */
const char *rlti_usd_interpolation(const rlti_attribute *attribute);

/* Whether the attribute is written as `custom`. */
int rlti_usd_is_custom(const rlti_attribute *attribute);

/* The type that is written for a type, always one that rlti_usd_type_name knows: small integers become int,
 * matrices of floats double, boxes float3[], and what USD has no tuple for a longer array of plain numbers.
 */
rlti_array_type rlti_usd_stored_type(rlti_array_type type);

/* The value in that type: `from` itself where nothing is to be done, else made in `scratch`. NULL when out of
 * memory. */
const rlti_array *rlti_usd_stored(const rlti_array *from, rlti_array_type stored, rlti_array *scratch);

#endif
