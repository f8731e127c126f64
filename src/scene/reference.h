/* The reference page of the scene format; its public side is rlt_schema_reference in ringlet/scene.h. */
#ifndef RLTI_SCENE_REFERENCE_H
#define RLTI_SCENE_REFERENCE_H

#include <stddef.h>

/* The page as far as it fits in `size` bytes, with a zero byte at the end; returns its whole length. */
size_t rlti_reference_write(char *text, size_t size);

#endif
