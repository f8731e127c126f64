/* A file's bytes in memory, without reading those nobody looks at. */
#ifndef RLTI_IO_FILE_MAP_H
#define RLTI_IO_FILE_MAP_H

#include <stddef.h>

#include "io/inputs.h"
#include "ringlet/status.h"

typedef struct rlti_file_map {
    const unsigned char *bytes; /* NULL when empty */
    size_t size;
    void *mapping;      /* the same, to be given back; NULL when there is nothing to */
    rlt_inputs *inputs; /* the list it is in, or NULL */
} rlti_file_map;

/* Maps a regular file; "FILE: cannot read: REASON" is RLT_BAD_INPUT. Folders and devices are refused. The
 * file is added to `inputs`, unless NULL. */
rlt_status rlti_file_map_open(const char *path, rlt_inputs *inputs, rlt_messages *messages,
                              rlti_file_map *map);

/* Gives memory back that holds these bytes, whole pages of it; they are read again when looked at. */
void rlti_file_map_forget(const rlti_file_map *map, const void *bytes, size_t size);

void rlti_file_map_close(rlti_file_map *map); /* harmless on a zeroed one */

#endif
