/* One file's path as another one says it. */
#ifndef RLTI_IO_RELATIVE_H
#define RLTI_IO_RELATIVE_H

/* The path of `file`, which exists, as seen from the folder of `from`, which exists: "./x.usda",
 * "../a/x.usda". Free it with rlti_free. NULL: out of memory, or a place that does not exist. */
char *rlti_relative_path(const char *file, const char *from);

#endif
