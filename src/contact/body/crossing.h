/* Where segments pass through triangles: hair through a sheet, and a mesh through itself. */
#ifndef RLTI_CONTACT_BODY_CROSSING_H
#define RLTI_CONTACT_BODY_CROSSING_H

#include "contact/body/grid.h"

/* How often the segment passes through the surface in its present pose; coordinates are relative to the
 * surface's centre. Exact also where it hits an edge: one of the two faces counts. Passages nearer to the
 * surface's rim than `rim_margin` do not count: hair that hangs over a rim has been led round it, and only
 * the straight line between two of its points cuts the corner. */
int rlti_crossing_count(const rlti_grid *grid, const rlti_surface *surface, const float from[3],
                        const float to[3], float rim_margin);

/* Pairs of triangles without a common vertex that cut each other in the present pose; *first gets the indices
 * of the first pair. Returns -1 when out of memory. */
long long rlti_crossing_pairs(const rlti_grid *grid, const rlti_surface *surface, int first[2]);

#endif
