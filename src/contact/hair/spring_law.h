/* The law of a contact spring, and what the lanes of the step kernel do for the springs: the formulas are in
 * spring_lanes.h, compiled once per instruction set with the kernel. */
#ifndef RLTI_CONTACT_HAIR_SPRING_LAW_H
#define RLTI_CONTACT_HAIR_SPRING_LAW_H

/* One particle as the others see it: at the start of an outer step, relative to its cluster's origin (a
 * cluster is a connected part of the contact graph: nothing touches across clusters). */
typedef struct rlti_seen {
    float position[3]; /* [unit] */
    float share;       /* of its contact forces that the particle can bear in a step, 0..1 */
    float velocity[3]; /* world [unit/s] */
    float radius;      /* [unit] */
} rlti_seen;

/* Of a pair of hair sections. */
typedef struct rlti_spring_law {
    float stiffness;    /* [mass/s^2] */
    float damping;      /* [mass/s] */
    float rise;         /* of the age in one outer step */
    float break_at;     /* multiple of touch, >= 1 */
    float cling;        /* 0..1 */
    float friction;     /* Coulomb */
    float charge;       /* [mass unit/s^2] */
    float charge_range; /* multiple of touch, >= 1 */
} rlti_spring_law;

/* A particle of one hair near one of another. */
typedef struct rlti_near {
    int mine, other; /* particles */
    float touch;     /* distance at which the two touch [unit] */
    float age;       /* the spring's memory, 0..1; 0: no contact */
} rlti_near;

/* Particles in a run: what shares a box. */
#define RLTI_RUN 8

/* Where nothing is, in the rows of a run; its square is still a number. */
#define RLTI_FAR_AWAY 1e18f

/* Two runs to be compared. Rows are x, y, z and radius of the run's particles; where there are fewer,
 * RLTI_FAR_AWAY. Aligned to a cache line. */
typedef struct rlti_near_runs {
    const float *mine, *other;                     /* [4][RLTI_RUN] */
    const float (*mine_rest)[4], (*other_rest)[4]; /* in the groom; the fourth is not used */
    /* [3] corners of the other's box, spheres as far as they act; NULL: most of mine are near it anyhow */
    const float *other_low, *other_high;
    int mine_count, other_count; /* 1 .. RLTI_RUN */
} rlti_near_runs;

typedef struct rlti_spring_lanes {
    /* Advances all springs between two hairs by one outer step [s]: ages; force[mine - first] gets the sum of
     * the forces [mass unit/s^2] and, as the fourth, of what they take of the particle's motion in the step
     * [mass]. Returns the smallest distance of a pair from acting (reach times touch), negative where some
     * pair acts [unit]; adds to *live the contacts. */
    float (*push)(const rlti_seen *seen, const rlti_spring_law *law, float step, float reach,
                  rlti_near *items, int count, int first, float (*force)[4], int *live);

    /* Two runs of particles: bit j of masks[i] says that the i-th of the one and the j-th of the other are
     * nearer than reach times the distance at which they touch, plus the margin; that distance is
     * touch[i][j]: the sum of their radii, or the distance in the groom if that is less and `keep` is set.
     * Returns how far the nearest of the others are from acting, or less than that; 1e17 or more where there
     * are none [unit]. */
    float (*near)(const rlti_near_runs *runs, float reach, float margin, int keep,
                  unsigned char masks[RLTI_RUN], float touch[RLTI_RUN][RLTI_RUN]);
} rlti_spring_lanes;

#endif
