/* A set of names that remembers the order in which they came. */
#ifndef RLTI_FORMATS_USD_USD_NAMES_H
#define RLTI_FORMATS_USD_USD_NAMES_H

#include "base/table.h"

typedef struct rlti_usd_names {
    const char **list; /* [count] not copied */
    int count;
    rlti_table table; /* places in the list */
} rlti_usd_names;

/* A capacity of up to `maximum` names; 0 when out of memory. Free in both cases. */
int rlti_usd_names_create(rlti_usd_names *names, int maximum);
void rlti_usd_names_free(rlti_usd_names *names);

/* The place of a name, added at the end where it is new. */
int rlti_usd_names_put(rlti_usd_names *names, const char *name);

/* Its place, or -1. */
int rlti_usd_names_find(const rlti_usd_names *names, const char *name);

#endif
