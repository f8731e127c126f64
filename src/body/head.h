/* The generated character at scale 1, centred at the origin: head, neck, shoulders. */
#ifndef RLTI_BODY_HEAD_H
#define RLTI_BODY_HEAD_H

#include "body/body.h"

/* Builds the mesh and its regions into `mesh` (zeroed). Returns 0 when out of memory, 1 else. */
int rlti_head_build(int resolution, rlti_mesh *mesh);

/* How much a rest point (scale 1) moves with torso, neck and head; the three add up to 1. */
void rlti_head_weights(rlti_vec3 point, double weights[3]);

#endif
