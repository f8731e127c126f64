/* One contact with dry friction, solved exactly.
 *
 * In the frame (normal, two tangents) the relative displacement of both sides over the step is u = W r + c,
 * where r is the force on the first side, W symmetric positive definite and c the displacement without it;
 * u_n counts from touching. Signorini: r_n >= 0, u_n >= 0, r_n u_n = 0. Coulomb: |r_t| <= mu r_n, and where
 * u_t is not 0, r_t = -mu r_n u_t / |u_t|. mu is the static coefficient as long as the contact sticks, the
 * kinetic one when it slips.
 *
 * open    c_n >= 0: r = 0
 * stick   W r = -c, if that is within the static cone
 * slip    u_t = -lambda r_t with lambda > 0, so (W + lambda T) r = -c with T = diag(0, 1, 1): one linear
 *         system a lambda. At lambda = 0 its solution is outside of the cone; for large lambda r_t vanishes
 *         and r_n = -c_n / W_nn > 0. So there is a lambda with |r_t| = mu r_n for every W and c, found within
 *         a bracket. */
#ifndef RLTI_CONTACT_COUPLE_COULOMB_H
#define RLTI_CONTACT_COUPLE_COULOMB_H

typedef enum rlti_coulomb_state {
    RLTI_CONTACT_OPEN,
    RLTI_CONTACT_STICK,
    RLTI_CONTACT_SLIP
} rlti_coulomb_state;

/* W with the normal part eliminated, in its own axes: r_t = -b_i / (s_i + lambda) there, b the tangential
 * part of c less (x, y) c_n, and r_n = (-c_n / W_nn) + sum of lean_i b_i / (s_i + lambda). */
typedef struct rlti_coulomb_block {
    double normal;  /* W_nn */
    double x, y;    /* W_nt / W_nn */
    double axis[2]; /* the first principal axis; the second is (-axis[1], axis[0]) */
    double s[2], lean[2];
    int plain; /* 1: normal and tangents have nothing to do with each other, and tangents are alike: s[0] */
} rlti_coulomb_block;

void rlti_coulomb_prepare(const double w[3][3], rlti_coulomb_block *block);

/* Fills in r. Where W is not positive definite, or something is not a number, r is 0 and the contact open.
 * `lambda` is that of the last slip of the same contact, 0 at first: where to begin. */
rlti_coulomb_state rlti_coulomb_solve(const rlti_coulomb_block *block, const double c[3],
                                      const double friction[2], double *lambda, double r[3]);

#endif
