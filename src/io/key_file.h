/* Keys of a rigid motion from a text file, as animation programs bake them. */
#ifndef RLTI_IO_KEY_FILE_H
#define RLTI_IO_KEY_FILE_H

#include <stddef.h>

#include "io/inputs.h"
#include "ringlet/status.h"

/* Reads lines of seven numbers: frame, x, y, z [unit], rx, ry, rz [degrees], with commas, semicolons or
 * blanks between; # begins a comment. A first line of words names the columns, in any order; those it leaves
 * out are 0. Frames increase. The file is added to `inputs`, whose motion depends on it. Problems are
 * "FILE:LINE:COLUMN: ..." and RLT_BAD_INPUT; else *keys (rlti_free) holds *count, at least 1. */
rlt_status rlti_key_file_read(const char *path, rlt_inputs *inputs, rlt_messages *messages,
                              double (**keys)[7], int *count);

/* The same of a text; `name` stands for the file in messages. */
rlt_status rlti_key_text_read(const char *name, const char *text, size_t size, rlt_messages *messages,
                              double (**keys)[7], int *count);

#endif
