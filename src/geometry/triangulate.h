/* Polygons to triangles. */
#ifndef RLTI_GEOMETRY_TRIANGULATE_H
#define RLTI_GEOMETRY_TRIANGULATE_H

/* Cuts a polygon of `count` corners (at least 3) into count - 2 triangles in its own winding. Convex ones,
 * and those no cut improves, become a fan around the first corner; others lose ear after ear. `corners` are
 * points; `scratch` [2 * count] is scratch. Triangles hold places in the polygon, 0 to count - 1. */
void rlti_triangulate(const double (*points)[3], const int *corners, int count, int *scratch,
                      int (*triangles)[3] /* [count - 2] */);

#endif
