/* The point of a triangle closest to a given point, and which feature (face, edge, corner) it lies on. Single
 * precision: coordinates are relative to the mesh's moving centre, so a bit is about 1e-6 unit. */
#ifndef RLTI_CONTACT_BODY_CLOSEST_H
#define RLTI_CONTACT_BODY_CLOSEST_H

/* Edge k runs from corner k to corner (k + 1) % 3. */
typedef enum rlti_feature {
    RLTI_FEATURE_FACE = 0,
    RLTI_FEATURE_EDGE = 1,  /* + edge: 1, 2, 3 */
    RLTI_FEATURE_CORNER = 4 /* + corner: 4, 5, 6 */
} rlti_feature;

/* One cache line. */
typedef struct rlti_triangle {
    float corner[3];     /* corner 0 */
    float edge1[3];      /* corner 1 - corner 0 */
    float edge2[3];      /* corner 2 - corner 0 */
    float normal[3];     /* unit, counter-clockwise */
    float d11, d12, d22; /* products of the edges */
    float inverse;       /* 1 / (d11 d22 - d12^2), 0 for a degenerate triangle: it is never the closest */
} rlti_triangle;

typedef struct rlti_closest {
    int triangle;
    int feature;      /* an rlti_feature, plus the index of the edge or corner */
    float weights[3]; /* barycentric */
    float offset[3];  /* from the closest point to the given point */
    float distance2;
} rlti_closest;

/* A triangle without area (to single precision) is marked degenerate: what it covers are the edges of its
 * neighbours. */
void rlti_triangle_set(rlti_triangle *triangle, const float a[3], const float b[3], const float c[3]);

/* Returns 1 and fills all of `closest` but its triangle index if the triangle is nearer than
 * closest->distance2; otherwise leaves it alone and returns 0. A NaN point is never nearer. */
int rlti_triangle_closest(const rlti_triangle *triangle, const float point[3], rlti_closest *closest);

/* The angle between two directions, radians, to 1e-7 (0 when one of them is zero). */
double rlti_angle(const double a[3], const double b[3]);

#endif
