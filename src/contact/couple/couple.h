/* Contacts solved together with what strands do by themselves: the hybrid solver of the Rod's paper
 * (Algorithm 1, lines 19 to 38), over an abstract operator.
 *
 * Each strand has a linear system A dq = b, factored; `free` is its solution without contacts. Wanted are
 * forces at the contacts, each by Signorini's and Coulomb's law (coulomb.h), with dq = free + inverse(A)
 * J^T f. An iteration
 *   - solves all strands that have contacts with the forces so far (the back-solve);
 *   - stops if every contact's law holds to the tolerance;
 *   - updates forces with a model of the strands that is local, `max_lcp` times over all contacts of a task:
 *     those of two objects, or of one. Tasks see each other by pools, in which no object is twice.
 * The local model is never stiffer than the strands: forces then approach the solution instead of
 * overshooting.
 *   lumped   each point is free with its own mass: Gauss-Seidel, within tasks and from pool to pool
 *   inverse  the blocks of inverse(A) at a contact's points, as often as its strands have contacts. Contacts
 *            do not see each other within an iteration.
 * Links are springs between points, solved with the contacts: each is one number, its force along the
 * direction that it has where dq is 0, as of the end of the step: any stiffness is stable.
 * A contact gives way to its force by `compliance` times what that would move the freer points of its edges
 * by. Sets that cannot be solved share their error then, and forces stay bounded; also where a contact is
 * next to a point that is held, such as a root.
 *
 * The result does not depend on the number of threads. It does depend on the order of contacts before it
 * has converged. */
#ifndef RLTI_CONTACT_COUPLE_COUPLE_H
#define RLTI_CONTACT_COUPLE_COUPLE_H

#include "base/math.h"
#include "contact/couple/coulomb.h"
#include "distribute/ranks.h"
#include "parallel/pool.h"

/* Of two edges, or of an edge and something that is moved by others. */
typedef struct rlti_couple_contact {
    int strand[2];   /* the second negative: a body, -1 - its number */
    int edge[2];     /* of a body: any number */
    double share[2]; /* 0: the edge's first point, 1: its second */
    rlti_vec3 normal;
    double gap; /* along the normal, where dq is 0 [unit] */
    rlti_vec3
        slip; /* displacement of the first side against the second since the step began, where dq is 0 */
    double friction[2]; /* static, kinetic */
    double most;        /* the force along the normal is at most this; 0: as it must be [mass unit/s^2] */

    /* results; the force may be where they start */
    rlti_vec3 force; /* on the first side; the opposite on the second */
    rlti_coulomb_state state;
} rlti_couple_contact;

/* A damped spring of two points, biphasic: it pulls with one stiffness and damping, and pushes with another.
 * At the end of the step, where it is longer than at rest by e, and has grown by g in the step,
 *   force = -(k0 e + c0 g) where that pulls, -(k1 e + c1 g) where that pushes, and their sum.
 * With the same ratio of stiffness and damping for both, only one acts. A link whose points are in the same
 * place has no direction, and no force. */
typedef struct rlti_couple_link {
    int strand[2];       /* may be the same */
    int point[2];        /* counted from the root */
    rlti_vec3 apart;     /* from the second point to the first, where dq is 0 [unit] */
    double grown;        /* length since the step began, where dq is 0 [unit] */
    double rest;         /* length without force [unit] */
    double stiffness[2]; /* of pull and push, >= 0 [mass/s^2] */
    double damping[2];   /* of pull and push over the length of the step, >= 0 [mass/s^2] */

    double force; /* result: on the first point, along `apart`; the opposite on the second */
} rlti_couple_link;

/* Strands as the solver's matrices have them. */
typedef struct rlti_couple_operator {
    void *context;
    /* Displacements that these forces on the points of the listed strands cause; both [points]. Called by one
     * thread: it runs the pool itself. Its last call has the forces of the solution. */
    void (*solve)(void *context, const int *strands, int count, const rlti_vec3 *force, rlti_vec3 *moved);
    /* The block of the inverse for an edge's two points, rows and columns x, y, z, x, y, z; 0 where the
     * strand stands still. May be NULL where only lumped masses are used. Called by any thread. */
    void (*block)(void *context, int strand, int edge, double block[6][6]);
    /* Adds to `moved`, [points of the strand], what a force on each point of an edge moves them by: f[0..2]
     * on the first, f[3..5] on the second. May be NULL unless whole inverses are used. Called by any thread.
     */
    void (*push)(void *context, int strand, int edge, const double f[6], rlti_vec3 *moved);
    const double
        *softness; /* [points] displacement a force of the point alone, h^2 / m; 0: moved by others */
    /* Takes the forces of the solution without solving: for solutions that are not measured. May be NULL. */
    void (*leave)(void *context, const rlti_vec3 *force);
} rlti_couple_operator;

typedef enum rlti_couple_block {
    RLTI_COUPLE_LUMPED,
    RLTI_COUPLE_INVERSE,
    RLTI_COUPLE_WHOLE
} rlti_couple_block;

typedef struct rlti_couple_settings {
    rlti_couple_block block;
    int max_cbs;      /* back-solves, >= 1 */
    int max_lcp;      /* sweeps over all contacts for each of them, >= 1 */
    double tolerance; /* stops when no contact is further off than this [unit]; 0: all back-solves are made */
    double compliance; /* >= 0; 1e-3 is little; 0 only where every contact can be closed */
    int accelerate;    /* 1: Nesterov's, begun anew where it leads astray; the last iteration is plain */
    int warm;          /* 1: contacts have forces to start with */
    int unmeasured;    /* 1: by lumped masses, the result of the last back-solve has counts only, because
                        * rlti_couple_measure_again follows; nor is `moved` wanted: that back-solve is left
                        * out where the operator can leave forces */
    int single;        /* 1: by lumped masses, sweeps in single precision: laws hold to 1e-6 of what moves,
                        * which is far below what few iterations leave */
} rlti_couple_settings;

typedef struct rlti_couple_result {
    int contacts, touching, slipping;
    int bodies, bodies_touching; /* of these, with bodies */
    int iterations;              /* back-solves with forces */
    double residual; /* how far the worst contact or link is from its law, by its displacement [unit] */
    int unresolved;  /* contacts further off than the tolerance */
    int links, unresolved_links;
    double deepest;       /* penetration that is left [unit] */
    double deepest_of[2]; /* of hair in hair, and of hair in bodies [unit] */
    int deepest_contact;  /* the one of hair in hair; -1: none is deep */
    int pools;            /* that are worked on one after the other */
    int tasks;            /* pairs of objects */
} rlti_couple_result;

typedef struct rlti_couple rlti_couple;

/* Strands have points first[s] to first[s + 1] - 1, and belong to objects numbered from 0. Arrays are
 * copied. NULL when out of memory. */
rlti_couple *rlti_couple_create(int strand_count, const int *first, const int *object);
void rlti_couple_destroy(rlti_couple *couple);
/* Before the first solution: lumped masses without the machine's vector instructions, for comparing; the same
 * bytes. */
void rlti_couple_set_plain(rlti_couple *couple);
/* Before the first solution: ranks share the work by lumped masses, each with the strands that are its own in
 * `owner` [strand_count]. All of them have the same contacts and links; each gets the forces of its tasks,
 * and `solve` and `leave` are asked for a rank's own strands. The same bytes. 0 when out of memory, on this
 * rank. */
int rlti_couple_set_ranks(rlti_couple *couple, rlt_ranks *ranks, const int *owner);
/* 1: this rank solves what two strands have with each other, the second negative: the first with a body. */
int rlti_couple_is_solved_here(const rlti_couple *couple, int strand, int other);
size_t rlti_couple_bytes(const rlti_couple *couple); /* memory, lists that grow included [byte] */

/* Objects of strands that follow each other in `order`, [strand_count], or NULL: as they are, with about so
 * many points each; returns how many. */
int rlti_couple_group(int strand_count, const int *first, const int *order, int points,
                      int *object /* [strand_count] */);

/* Solves the contacts and links, and fills in `moved`, [points], which begins as the motion without them.
 * Both should be sorted by strands. Allocates only while there are more than ever; returns 0 when out of
 * memory. */
int rlti_couple_solve(rlti_couple *couple, rlti_pool *pool, const rlti_couple_operator *strands,
                      const rlti_couple_settings *settings, rlti_couple_contact *contacts, int count,
                      rlti_couple_link *links, int link_count, rlti_vec3 *moved, rlti_couple_result *result);

/* Measures the same contacts and links again, with the forces of that solution, where points have really
 * `moved`, [points], since dq was 0: strands may have taken only a share of their step, and are not linear.
 * Iterations stay as they are. */
void rlti_couple_measure_again(rlti_couple *couple, rlti_pool *pool, const rlti_couple_operator *strands,
                               const rlti_couple_settings *settings, rlti_couple_contact *contacts, int count,
                               rlti_couple_link *links, int link_count, const rlti_vec3 *moved,
                               rlti_couple_result *result);

#endif
