/* Cases that take minutes: they run by `make validate` only, which sets RINGLET_LONG. */
#ifndef LONG_FIXTURE_H
#define LONG_FIXTURE_H

#include <stdlib.h>

static inline int is_long_run(void) {
    return getenv("RINGLET_LONG") != NULL;
}

#endif
