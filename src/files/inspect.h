/* Shared by rlt_file and its search for problems. */
#ifndef RLTI_FILES_INSPECT_H
#define RLTI_FILES_INSPECT_H

#include "formats/tree/stage.h"
#include "ringlet/files.h"

const rlti_stage *rlti_file_stage(const rlt_file *file);
/* 0 where the first value of an attribute could not be read. */
int rlti_file_is_readable(const rlt_file *file, int attribute);

#endif
