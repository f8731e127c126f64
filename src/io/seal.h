/* The last line of a finished file: a checksum of all before it. Binary formats pass over what follows their
 * end, and texts take it for a comment. */
#ifndef RLTI_IO_SEAL_H
#define RLTI_IO_SEAL_H

#include "io/output.h"

/* Writes the line; nothing may follow. */
void rlti_seal_write(rlti_stream *stream);

/* 1: these bytes look like such a line; whether it holds is not checked. */
int rlti_seal_is(const unsigned char *bytes, size_t count);

/* 1: the file has such a line, and all bytes are as they were written. Reads all of it. */
int rlti_seal_holds(const char *path);

#endif
