#include "base/matrix.h"

#include <string.h>

void rlti_matrix_identity(double m[16]) {
    for (int i = 0; i < 16; i++)
        m[i] = i % 5 == 0 ? 1.0 : 0.0;
}

int rlti_matrix_is_identity(const double m[16]) {
    int is = 1;
    for (int i = 0; i < 16; i++)
        is &= m[i] == (i % 5 == 0 ? 1.0 : 0.0);
    return is;
}

void rlti_matrix_multiply(const double a[16], const double b[16], double product[16]) {
    double made[16];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            made[4 * r + c] = a[4 * r] * b[c] + a[4 * r + 1] * b[4 + c] + a[4 * r + 2] * b[8 + c] +
                              a[4 * r + 3] * b[12 + c];
    memcpy(product, made, sizeof made);
}

/* Gauss-Jordan with the greatest pivot of each column. */
int rlti_matrix_inverse(const double m[16], double inverse[16]) {
    double a[4][8];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 8; c++)
            a[r][c] = c < 4 ? m[4 * r + c] : (c - 4 == r ? 1.0 : 0.0);
    for (int k = 0; k < 4; k++) {
        int best = k;
        for (int r = k + 1; r < 4; r++)
            if (fabs(a[r][k]) > fabs(a[best][k]))
                best = r;
        if (!(fabs(a[best][k]) > 0.0) || !isfinite(a[best][k]))
            return 0;
        for (int c = 0; c < 8; c++) {
            double swap = a[k][c];
            a[k][c] = a[best][c];
            a[best][c] = swap;
        }
        double pivot = a[k][k];
        for (int c = 0; c < 8; c++)
            a[k][c] /= pivot;
        for (int r = 0; r < 4; r++) {
            double factor = a[r][k];
            for (int c = 0; r != k && c < 8; c++)
                a[r][c] -= factor * a[k][c];
        }
    }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            if (!isfinite(a[r][4 + c]))
                return 0;
            inverse[4 * r + c] = a[r][4 + c];
        }
    return 1;
}

double rlti_matrix_determinant3(const double m[16]) {
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

double rlti_matrix_adjugate3(const double m[16], double to[16]) {
    memset(to, 0, 16 * sizeof *to);
    to[0] = m[5] * m[10] - m[6] * m[9];
    to[1] = m[2] * m[9] - m[1] * m[10];
    to[2] = m[1] * m[6] - m[2] * m[5];
    to[4] = m[6] * m[8] - m[4] * m[10];
    to[5] = m[0] * m[10] - m[2] * m[8];
    to[6] = m[2] * m[4] - m[0] * m[6];
    to[8] = m[4] * m[9] - m[5] * m[8];
    to[9] = m[1] * m[8] - m[0] * m[9];
    to[10] = m[0] * m[5] - m[1] * m[4];
    return rlti_matrix_determinant3(m);
}

void rlti_matrix_inverse_shift(const double m[16], double inverse[16]) {
    for (int k = 0; k < 3; k++)
        inverse[12 + k] = -(m[12] * inverse[k] + m[13] * inverse[4 + k] + m[14] * inverse[8 + k]);
    inverse[15] = 1.0;
}

rlti_vec3 rlti_matrix_vector(const double m[16], rlti_vec3 v) {
    return rlti_v3(v.x * m[0] + v.y * m[4] + v.z * m[8], v.x * m[1] + v.y * m[5] + v.z * m[9],
                   v.x * m[2] + v.y * m[6] + v.z * m[10]);
}

rlti_vec3 rlti_matrix_point(const double m[16], rlti_vec3 p) {
    return rlti_add(rlti_matrix_vector(m, p), rlti_v3(m[12], m[13], m[14]));
}

void rlti_matrix_rotation(rlti_quat q, double m[16]) {
    rlti_matrix_identity(m);
    for (int i = 0; i < 3; i++) {
        rlti_vec3 row = rlti_quat_rotate(q, rlti_v3(i == 0, i == 1, i == 2));
        m[4 * i] = row.x;
        m[4 * i + 1] = row.y;
        m[4 * i + 2] = row.z;
    }
}

void rlti_degrees(double degrees, double *sine, double *cosine) {
    double turn = degrees - 360.0 * floor(degrees / 360.0); /* exact where it matters: multiples of 90 */
    if (turn == 0.0 || turn == 90.0 || turn == 180.0 || turn == 270.0) {
        *sine = turn == 90.0 ? 1.0 : (turn == 270.0 ? -1.0 : 0.0);
        *cosine = turn == 0.0 ? 1.0 : (turn == 180.0 ? -1.0 : 0.0);
        return;
    }
    double angle = degrees * (RLTI_PI / 180.0);
    *sine = rlti_sin(angle);
    *cosine = rlti_cos(angle);
}

/* The angle in [0, pi/2] with this cosine, by Newton's method from the first terms of its series. */
static double angle_of(double cosine) {
    double rest = 1.0 - cosine, angle = sqrt(2.0 * rest) * (1.0 + rest / 12.0);
    for (int i = 0; i < 4; i++)
        angle += (rlti_cos(angle) - cosine) / rlti_sin(angle);
    return angle;
}

rlti_quat rlti_quat_slerp(rlti_quat a, rlti_quat b, double share) {
    a = rlti_quat_normalize(a);
    b = rlti_quat_normalize(b);
    double cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    double sign = cosine < 0.0 ? -1.0 : 1.0, from = 1.0 - share, to = share;
    cosine *= sign;
    if (cosine < 0.9999999) {
        double angle = angle_of(cosine), sine = rlti_sin(angle);
        from = rlti_sin((1.0 - share) * angle) / sine;
        to = rlti_sin(share * angle) / sine;
    }
    to *= sign;
    rlti_quat q = {from * a.w + to * b.w, from * a.x + to * b.x, from * a.y + to * b.y,
                   from * a.z + to * b.z};
    return rlti_quat_normalize(q);
}

rlti_quat rlti_quat_from_matrix(const double m[16]) {
    /* rows are where the axes go, which are the columns of the matrix for column vectors */
    return rlti_quat_from_axes(rlti_v3(m[0], m[1], m[2]), rlti_v3(m[4], m[5], m[6]),
                               rlti_v3(m[8], m[9], m[10]));
}
