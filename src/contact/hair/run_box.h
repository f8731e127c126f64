/* Boxes around spheres of hair, along the axes, in single precision. */
#ifndef RLTI_CONTACT_HAIR_RUN_BOX_H
#define RLTI_CONTACT_HAIR_RUN_BOX_H

#include <math.h>

typedef struct rlti_run_box {
    float low[3], high[3];
} rlti_run_box;

static inline rlti_run_box rlti_run_box_empty(void) {
    return (rlti_run_box){{HUGE_VALF, HUGE_VALF, HUGE_VALF}, {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF}};
}

/* The box of a sphere that reaches `far`. */
static inline rlti_run_box rlti_run_box_around(const float at[3], float far) {
    return (rlti_run_box){{at[0] - far, at[1] - far, at[2] - far}, {at[0] + far, at[1] + far, at[2] + far}};
}

static inline void rlti_run_box_include(rlti_run_box *box, const rlti_run_box *other) {
    for (int k = 0; k < 3; k++) {
        box->low[k] = other->low[k] < box->low[k] ? other->low[k] : box->low[k];
        box->high[k] = other->high[k] > box->high[k] ? other->high[k] : box->high[k];
    }
}

#endif
