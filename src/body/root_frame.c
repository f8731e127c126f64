#include "body/root_frame.h"

/* Orthonormal frame of a triangle: along its first edge, across it, along its normal. */
static rlti_quat triangle_frame(const rlti_vec3 corners[3]) {
    rlti_vec3 edge = rlti_sub(corners[1], corners[0]);
    rlti_vec3 normal = rlti_normalize(rlti_cross(edge, rlti_sub(corners[2], corners[0])));
    edge = rlti_normalize(edge);
    return rlti_quat_from_axes(edge, rlti_cross(normal, edge), normal);
}

rlti_quat rlti_rest_turned_back(const rlti_vec3 rest[3]) {
    return rlti_quat_conjugate(triangle_frame(rest));
}

rlti_quat rlti_rotation_by_cross(rlti_quat rest_turned_back, const rlti_vec3 now[3]) {
    return rlti_quat_normalize(rlti_quat_multiply(triangle_frame(now), rest_turned_back));
}

double rlti_triangle_twice_area(const rlti_vec3 corners[3]) {
    return rlti_length(rlti_cross(rlti_sub(corners[1], corners[0]), rlti_sub(corners[2], corners[0])));
}

/* m += a b^T */
static void add_outer(rlti_matrix3 *m, rlti_vec3 a, rlti_vec3 b) {
    m->column[0] = rlti_madd(m->column[0], b.x, a);
    m->column[1] = rlti_madd(m->column[1], b.y, a);
    m->column[2] = rlti_madd(m->column[2], b.z, a);
}

void rlti_deformation_add(rlti_matrix3 *sum, double weight, const rlti_vec3 rest[3], const rlti_vec3 now[3]) {
    rlti_vec3 e1 = rlti_sub(rest[1], rest[0]), e2 = rlti_sub(rest[2], rest[0]), across = rlti_cross(e1, e2);
    double twice = rlti_length(across);
    if (!(twice > 0.0) || !(weight > 0.0))
        return;
    rlti_vec3 n = rlti_scale(1.0 / twice, across);
    rlti_vec3 d1 = rlti_sub(now[1], now[0]), d2 = rlti_sub(now[2], now[0]);
    /* F = d1 g1^T + d2 g2^T + n' n^T, with g the dual basis of the edges in their plane */
    double per = weight / twice;
    add_outer(sum, d1, rlti_scale(per, rlti_cross(e2, n)));
    add_outer(sum, d2, rlti_scale(per, rlti_cross(n, e1)));
    add_outer(sum, rlti_normalize(rlti_cross(d1, d2)), rlti_scale(weight, n));
}

enum { SIZE = 4, SWEEPS_MAX = 12 };

/* One Jacobi rotation in the plane of p and q; v gathers the eigenvectors as columns. */
static void jacobi_rotate(double a[SIZE][SIZE], double v[SIZE][SIZE], int p, int q) {
    if (a[p][q] == 0.0)
        return;
    double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < SIZE; k++) {
        double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < SIZE; k++) {
        double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
    for (int k = 0; k < SIZE; k++) {
        double x = v[k][p], y = v[k][q];
        v[k][p] = c * x - s * y;
        v[k][q] = s * x + c * y;
    }
}

static double off_diagonal(double a[SIZE][SIZE]) {
    double sum = 0.0;
    for (int p = 0; p < SIZE; p++)
        for (int q = p + 1; q < SIZE; q++)
            sum += fabs(a[p][q]);
    return sum;
}

/* Horn's quaternion: the nearest rotation is the eigenvector of the greatest eigenvalue of a symmetric 4 x 4
 * matrix. Jacobi's method takes a fixed number of sweeps and only square roots: the same bits everywhere.
 * Eigenvalues that are all but equal to the greatest leave a choice; then the projection of "no rotation"
 * onto their space is the one with the smallest angle. */
rlti_quat rlti_nearest_rotation(const rlti_matrix3 *m) {
    const double same = 1e-9;
    const rlti_quat none = {1.0, 0.0, 0.0, 0.0};
    double xx = m->column[0].x, xy = m->column[0].y, xz = m->column[0].z;
    double yx = m->column[1].x, yy = m->column[1].y, yz = m->column[1].z;
    double zx = m->column[2].x, zy = m->column[2].y, zz = m->column[2].z;
    double a[SIZE][SIZE] = {{xx + yy + zz, yz - zy, zx - xz, xy - yx},
                            {yz - zy, xx - yy - zz, xy + yx, zx + xz},
                            {zx - xz, xy + yx, yy - xx - zz, yz + zy},
                            {xy - yx, zx + xz, yz + zy, zz - xx - yy}};
    double v[SIZE][SIZE] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    double size = 0.0;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            size += fabs(a[i][j]);
    if (!(size > 1e-30) || !(size < 1e300)) /* nothing, or not a number */
        return none;
    for (int sweep = 0; sweep < SWEEPS_MAX && off_diagonal(a) > 1e-18 * size; sweep++)
        for (int p = 0; p < SIZE; p++)
            for (int q = p + 1; q < SIZE; q++)
                jacobi_rotate(a, v, p, q);
    int best = 0;
    for (int i = 1; i < SIZE; i++)
        best = a[i][i] > a[best][best] ? i : best;
    double chosen[SIZE] = {0}, length = 0.0;
    for (int i = 0; i < SIZE; i++) {
        if (a[best][best] - a[i][i] > same * size)
            continue;
        for (int k = 0; k < SIZE; k++)
            chosen[k] += v[0][i] * v[k][i]; /* v[0]: along "no rotation" */
    }
    for (int k = 0; k < SIZE; k++)
        length += chosen[k] * chosen[k];
    if (!(length > 1e-20)) /* by half a turn, about whichever axis came first */
        for (int k = 0; k < SIZE; k++)
            chosen[k] = v[k][best];
    rlti_quat q = {chosen[0], chosen[1], chosen[2], chosen[3]};
    if (q.w < 0.0)
        q = (rlti_quat){-q.w, -q.x, -q.y, -q.z};
    return rlti_quat_normalize(q);
}
