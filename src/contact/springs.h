/* Hair-hair contacts while the simulation runs: candidates, contact springs and their memory (Taz paper
 * section 4.3). How a spring lives is told in docs/design/contacts.md.
 *
 * Every hair sees the others where they were at the start of the outer step, whoever computes them: the force
 * is then the same for any number of threads and ranks, and equal and opposite to the last bit. */
#ifndef RLTI_CONTACT_SPRINGS_H
#define RLTI_CONTACT_SPRINGS_H

#include "contact/graph.h"

typedef struct rlti_springs rlti_springs;

/* What the others see of one particle: at the start of an outer step, relative to a common moving origin. */
typedef struct rlti_seen {
    float position[3]; /* [unit] */
    float velocity[3]; /* world [unit/s] */
    float share;       /* of its contact forces that the particle can bear in a step, 0..1 */
} rlti_seen;

/* One contact that lives, for checkpoints: particles (indices into rlti_particles) and the spring's memory.
 */
typedef struct rlti_spring_memory {
    int particle, other; /* particle < other */
    float age;           /* 0..1: how far the stiffness has risen */
} rlti_spring_memory;

/* Contacts that live, each once, sorted by (particle, other); only those whose first particle is of a local
 * strand. Returns how many there are; writes at most `room`. */
long long rlti_springs_save(const rlti_springs *springs, rlti_spring_memory *memories, long long room);

/* Takes memories saved by any number of ranks (all of them together, sorted). */
rlt_status rlti_springs_restore(rlti_springs *springs, const rlti_spring_memory *memories, long long count,
                                rlt_messages *messages);

#endif
