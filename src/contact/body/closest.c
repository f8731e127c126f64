#include "contact/body/closest.h"

#include <math.h>

static float dot(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void rlti_triangle_set(rlti_triangle *triangle, const float a[3], const float b[3], const float c[3]) {
    for (int k = 0; k < 3; k++) {
        triangle->corner[k] = a[k];
        triangle->edge1[k] = b[k] - a[k];
        triangle->edge2[k] = c[k] - a[k];
    }
    const float *u = triangle->edge1, *v = triangle->edge2;
    float normal[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    triangle->d11 = dot(u, u);
    triangle->d12 = dot(u, v);
    triangle->d22 = dot(v, v);

    float area2 = dot(normal, normal); /* = d11 d22 - d12^2, without the cancellation */
    float longest = triangle->d11 > triangle->d22 ? triangle->d11 : triangle->d22;
    /* rounding of the corners leaves about 1e-6 of the longest edge as height */
    int valid = area2 > 1e-11f * longest * longest && area2 > 1e-30f;
    float scale = valid ? 1.0f / sqrtf(area2) : 0.0f;
    for (int k = 0; k < 3; k++)
        triangle->normal[k] = scale * normal[k];
    triangle->inverse = valid ? 1.0f / area2 : 0.0f;
}

/* The closest point is a + v edge1 + w edge2 on the given feature. */
static int accept(const rlti_triangle *triangle, const float from_corner[3], int feature, float v, float w,
                  rlti_closest *closest) {
    float offset[3];
    for (int k = 0; k < 3; k++)
        offset[k] = from_corner[k] - v * triangle->edge1[k] - w * triangle->edge2[k];
    float distance2 = dot(offset, offset);
    if (!(distance2 < closest->distance2))
        return 0;
    closest->feature = feature;
    closest->weights[0] = 1.0f - v - w;
    closest->weights[1] = v;
    closest->weights[2] = w;
    for (int k = 0; k < 3; k++)
        closest->offset[k] = offset[k];
    closest->distance2 = distance2;
    return 1;
}

/* Walks the Voronoi regions of the triangle's corners, edges and face (Ericson, Real-Time Collision
 * Detection, 2005, section 5.1.5); the products at the other two corners follow from those at corner 0. */
int rlti_triangle_closest(const rlti_triangle *triangle, const float point[3], rlti_closest *closest) {
    float p[3] = {point[0] - triangle->corner[0], point[1] - triangle->corner[1],
                  point[2] - triangle->corner[2]};
    float height = dot(p, triangle->normal);
    if (triangle->inverse == 0.0f || !(height * height < closest->distance2))
        return 0;

    float a1 = dot(p, triangle->edge1), a2 = dot(p, triangle->edge2);
    if (a1 <= 0.0f && a2 <= 0.0f)
        return accept(triangle, p, RLTI_FEATURE_CORNER + 0, 0.0f, 0.0f, closest);
    float b1 = a1 - triangle->d11, b2 = a2 - triangle->d12;
    if (b1 >= 0.0f && b2 <= b1)
        return accept(triangle, p, RLTI_FEATURE_CORNER + 1, 1.0f, 0.0f, closest);
    float c1 = a1 - triangle->d12, c2 = a2 - triangle->d22;
    if (c2 >= 0.0f && c1 <= c2)
        return accept(triangle, p, RLTI_FEATURE_CORNER + 2, 0.0f, 1.0f, closest);

    float weight2 = a1 * b2 - b1 * a2;
    if (weight2 <= 0.0f && a1 >= 0.0f && b1 <= 0.0f)
        return accept(triangle, p, RLTI_FEATURE_EDGE + 0, a1 / triangle->d11, 0.0f, closest);
    float weight1 = c1 * a2 - a1 * c2;
    if (weight1 <= 0.0f && a2 >= 0.0f && c2 <= 0.0f)
        return accept(triangle, p, RLTI_FEATURE_EDGE + 2, 0.0f, a2 / triangle->d22, closest);
    float weight0 = b1 * c2 - c1 * b2;
    float from1 = b2 - b1, from2 = c1 - c2;
    if (weight0 <= 0.0f && from1 >= 0.0f && from2 >= 0.0f && from1 + from2 > 0.0f) {
        float w = from1 / (from1 + from2);
        return accept(triangle, p, RLTI_FEATURE_EDGE + 1, 1.0f - w, w, closest);
    }

    closest->feature = RLTI_FEATURE_FACE;
    closest->weights[1] = weight1 * triangle->inverse;
    closest->weights[2] = weight2 * triangle->inverse;
    closest->weights[0] = 1.0f - closest->weights[1] - closest->weights[2];
    for (int k = 0; k < 3; k++)
        closest->offset[k] = height * triangle->normal[k];
    closest->distance2 = height * height;
    return 1;
}

/* acos for x in [0, 1] as sqrt(1 - x) times a polynomial (Abramowitz and Stegun 4.4.46, error below 2e-8):
 * only operations that round the same everywhere. */
static double acos_positive(double x) {
    static const double c[] = {1.5707963050, -0.2145988016, 0.0889789874, -0.0501743046,
                               0.0308918810, -0.0170881256, 0.0066700901, -0.0012624911};
    double sum = c[7];
    for (int i = 6; i >= 0; i--)
        sum = sum * x + c[i];
    return sqrt(1.0 - x) * sum;
}

double rlti_angle(const double a[3], const double b[3]) {
    double aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    double bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    double ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    double scale = sqrt(aa * bb);
    if (!(scale > 0.0))
        return 0.0;
    double cosine = ab / scale;
    double magnitude = fabs(cosine) < 1.0 ? fabs(cosine) : 1.0;
    double angle = acos_positive(magnitude);
    return cosine < 0.0 ? 3.14159265358979323846 - angle : angle;
}
