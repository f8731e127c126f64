/* A character that jumps from one frame to the next, as at a cut or when an animator moves it out of the way:
 * what comes before the jump and what comes after it are two motions, and neither may be smoothed into the
 * other. */
#ifndef RLTI_BODY_JUMP_H
#define RLTI_BODY_JUMP_H

#include "base/math.h"

/* Which of the three intervals between four samples are jumps: before, at and after the interval of interest
 * (bits 1, 2, 4). */
typedef enum rlti_jumps { RLTI_JUMP_BEFORE = 1, RLTI_JUMP_NOW = 2, RLTI_JUMP_AFTER = 4 } rlti_jumps;

/* Replaces samples on the far side of a jump by continuing evenly from those on the near side; where the
 * interval itself is a jump, the near side is its end: the character is there already, and moves as it will.
 */
void rlti_jump_positions(rlti_vec3 p[4], int jumps);
void rlti_jump_rotations(rlti_quat q[4], int jumps);

#endif
