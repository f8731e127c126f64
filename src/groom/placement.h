/* Where strands grow on a mesh region: evenly, exactly as many as asked. */
#ifndef RLTI_GROOM_PLACEMENT_H
#define RLTI_GROOM_PLACEMENT_H

#include "body/body.h"

/* Area of the region [unit^2]. */
double rlti_region_area(const rlti_mesh *mesh, int region);

/* Fills `count` roots spread evenly over the region, which must have area. The same seed gives the same
 * roots. Returns 0 when out of memory, 1 else. */
int rlti_place_roots(const rlti_mesh *mesh, int region, int count, uint64_t seed, rlti_root *roots);

#endif
