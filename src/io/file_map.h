/* A file's bytes in memory, without reading those nobody asks for.
 *
 * Inputs are copied, not mapped: who overwrites or shortens a file while it is read can neither end the
 * program by a signal nor change what was read already. Small files are read whole when they are opened,
 * large ones page by page when they are asked for. Whenever something is read the file must still be what it
 * was when it was opened; else what is missing reads as zeros, and the list of inputs reports it
 * (rlti_inputs_settle). */
#ifndef RLTI_IO_FILE_MAP_H
#define RLTI_IO_FILE_MAP_H

#include <stddef.h>

#include "io/inputs.h"
#include "ringlet/status.h"

typedef struct rlti_file_pages rlti_file_pages;

enum { RLTI_COPIED = 4096 }; /* [bytes] values of this size are better copied than kept */

typedef struct rlti_file_map {
    const unsigned char *bytes; /* NULL when empty */
    size_t size;
    void *mapping;          /* the same, to be given back; NULL when there is nothing to */
    rlt_inputs *inputs;     /* the list it is in, or NULL */
    rlti_file_pages *pages; /* NULL: all bytes are there */
} rlti_file_map;

/* Opens a regular file; "FILE: cannot read: REASON" is RLT_BAD_INPUT. Folders and devices are refused. The
 * file is added to `inputs`. Without a list (a file of our own) it is mapped as it is. */
rlt_status rlti_file_map_open(const char *path, rlt_inputs *inputs, rlt_messages *messages,
                              rlti_file_map *map);

/* Reads these bytes of the file, which are part of it, where they are not there yet. To be called before they
 * are used; NULL pages have all. Thread-safe. */
void rlti_file_pages_need(const rlti_file_pages *pages, const void *bytes, size_t size);

/* Copies these bytes to memory of the caller: for large values, of which the map keeps nothing. */
void rlti_file_pages_copy(const rlti_file_pages *pages, const void *bytes, size_t size, void *to);

/* Gives memory back that holds these bytes, whole pages of it, which are absent again then. Only while no
 * other thread uses the file. */
void rlti_file_pages_forget(const rlti_file_pages *pages, const void *bytes, size_t size);

/* Gives memory back that holds these bytes of a mapped file, whole pages of it; they are read again when
 * used. */
void rlti_file_map_forget(const rlti_file_map *map, const void *bytes, size_t size);

void rlti_file_map_close(rlti_file_map *map); /* harmless on a zeroed one */

#endif
