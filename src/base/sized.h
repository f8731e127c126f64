/* Structs of the public API begin with their size as their caller was compiled, so that caller and library
 * may be of different versions (docs/design/abi.md). Every one passes here on its path in and out. */
#ifndef RLTI_BASE_SIZED_H
#define RLTI_BASE_SIZED_H

#include <stddef.h>

#include "ringlet/status.h"

/* Copies a caller's struct to `ours` of `size` bytes, and no more than the caller's size of it: what an older
 * caller's lacks stays as it is in `ours`, what a newer one has beyond is not read. RLT_BAD_INPUT, and
 * nothing is copied, for a size that was not set. `name` is the type's. */
rlt_status rlti_sized_read(void *ours, const void *theirs, size_t size, const char *name,
                           rlt_messages *messages);

/* Copies `ours` to a caller's struct, whose size stays: no more than that is written, and what a newer
 * caller's has beyond becomes 0. Refuses as rlti_sized_read does. */
rlt_status rlti_sized_write(void *theirs, const void *ours, size_t size, const char *name,
                            rlt_messages *messages);

/* Both with the type checked: RLTI_READ(rlt_fill_def, &own, def, messages) */
#define RLTI_READ(type, ours, theirs, messages)                                                              \
    rlti_sized_read((type *){ours}, (const type *){theirs}, sizeof(type), #type, messages)
#define RLTI_WRITE(type, theirs, ours, messages)                                                             \
    rlti_sized_write((type *){theirs}, (const type *){ours}, sizeof(type), #type, messages)

#endif
