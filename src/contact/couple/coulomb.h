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

/* Fills in r. Where W is not positive definite, or something is not a number, r is 0 and the contact open. */
rlti_coulomb_state rlti_coulomb_solve(const double w[3][3], const double c[3], const double friction[2],
                                      double r[3]);

#endif
