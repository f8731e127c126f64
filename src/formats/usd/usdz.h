/* .usdz packages: a zip file whose entries are stored as they are, the root layer first. */
#ifndef RLTI_FORMATS_USD_USDZ_H
#define RLTI_FORMATS_USD_USDZ_H

#include <stddef.h>

#include "io/file_map.h"
#include "ringlet/status.h"

typedef struct rlti_usdz_entry {
    char *name; /* as in the package: "textures/skin.png" */
    const unsigned char *bytes;
    size_t size;
} rlti_usdz_entry;

typedef struct rlti_usdz {
    int count;
    rlti_usdz_entry *entries; /* in the order of the file: the first is the root layer */
} rlti_usdz;

/* `bytes` must stay valid. Compressed, encrypted or zip64 packages, and any lie about a place or a size, are
 * RLT_BAD_INPUT with "FILE: entry: what". */
rlt_status rlti_usdz_open(const char *file, const unsigned char *bytes, size_t size,
                          const rlti_file_pages *pages, rlt_messages *messages, rlti_usdz **usdz);
void rlti_usdz_close(rlti_usdz *usdz); /* NULL is allowed */

/* The entry of this name, or NULL. */
const rlti_usdz_entry *rlti_usdz_find(const rlti_usdz *usdz, const char *name);

#endif
