/* What rlt_file and its search for problems share. */
#ifndef RLTI_FORMATS_INSPECT_H
#define RLTI_FORMATS_INSPECT_H

#include "formats/stage.h"
#include "ringlet/files.h"

const rlti_stage *rlti_file_stage(const rlt_file *file);

#endif
