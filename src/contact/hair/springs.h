/* Hair-hair contacts while the simulation runs: who is near whom, the contact springs and their memory (Taz
 * paper section 4.3). The life of a spring is in spring_law.h, the reasons are in
 * docs/design/contacts.md.
 *
 * Every hair sees the others where they were at the start of the outer step, whoever computes them: forces
 * are then the same for any number of threads and ranks, and equal and opposite to the last bit.
 *
 * In each outer step, in this order:
 *   rlti_springs_pose   where the clusters' origins are now
 *   rlti_springs_look   each strand shows its particles                        (any thread, one strand each)
 *   (exchange)          the particles of other ranks' strands arrive
 *   rlti_springs_push   each strand finds what is near it, where that may have changed, and gets the
 *                       accelerations of its particles                         (any thread, one strand each)
 */
#ifndef RLTI_CONTACT_HAIR_SPRINGS_H
#define RLTI_CONTACT_HAIR_SPRINGS_H

#include <stddef.h>

#include "contact/hair/graph.h"
#include "contact/hair/spring_law.h"

typedef struct rlti_springs rlti_springs;

typedef struct rlti_springs_def {
    const rlti_scene_data *scene;
    const rlti_strands *strands;
    const rlti_particles *particles;
    const rlti_graph *graph;
    const rlti_body *body;
    const rlti_spring_lanes *lanes; /* of the step kernel */
    const unsigned char *local;     /* [strand_count] 1: computed here; NULL: all are */
    int threads;                    /* of the pool that will call */
    double outer_step;              /* [s] */
} rlti_springs_def;

/* All of the def's pointers but `local` must outlive the springs. Fails only when out of memory. */
rlt_status rlti_springs_create(const rlti_springs_def *def, rlt_messages *messages, rlti_springs **springs);
void rlti_springs_destroy(rlti_springs *springs);
size_t rlti_springs_bytes(const rlti_springs *springs);

/* Once per frame interval, and once per outer step (`at` in [0, 1] of the interval). Not thread safe. */
void rlti_springs_begin_frame(rlti_springs *springs, int frame);
void rlti_springs_pose(rlti_springs *springs, double at);

/* 1: the strand has neighbours in the graph. The others need not be shown or pushed. */
int rlti_springs_has(const rlti_springs *springs, int strand);

/* A local strand's particles, from all its points. */
void rlti_springs_look(rlti_springs *springs, int strand, const rlti_vec3 *origin,
                       const float *positions /* [points][3] relative to origin */,
                       const float *velocities /* [points][3] world */);

/* The particles of a strand, to be sent or to be filled with what another rank sent; a strand that was filled
 * must be reported by rlti_springs_looked. */
rlti_seen *rlti_springs_seen(rlti_springs *springs, int strand);
void rlti_springs_looked(rlti_springs *springs, int strand);

/* Advances the springs of a local strand by one outer step. acceleration[k] of its k-th particle [unit/s^2].
 * Nothing is allocated unless hair is more crowded than ever before; returns 0 when out of memory then. Adds
 * the time spent on searching to *search_seconds unless NULL. */
int rlti_springs_push(rlti_springs *springs, int strand, int worker, float (*acceleration)[3],
                      double *search_seconds);

typedef struct rlti_springs_count {
    long long ends;     /* of contacts that act: each has two, maybe on two ranks */
    long long limited;  /* particles whose contacts are weakened because the step is too long for them */
    long long searches; /* pairs of hairs compared closely, since creation (each from both ends) */
} rlti_springs_count;

/* Of the last outer step, local strands only. */
rlti_springs_count rlti_springs_counts(const rlti_springs *springs);

/* One contact that lives, for checkpoints: particles (indices into rlti_particles) and the spring's memory.
 */
typedef struct rlti_spring_memory {
    int particle, other; /* particle < other */
    float age;           /* 0..1: how far the stiffness has risen */
} rlti_spring_memory;

/* Contacts that live, each once, sorted by (particle, other); only those whose first particle is of a local
 * strand. Returns how many there are; writes at most `room`. */
long long rlti_springs_save(const rlti_springs *springs, rlti_spring_memory *memories, long long room);

/* Takes memories saved by any number of ranks (all of them together, sorted). Indices have been checked. The
 * near pairs are found anew at the next update. Fails only when out of memory. */
rlt_status rlti_springs_restore(rlti_springs *springs, const rlti_spring_memory *memories, long long count,
                                rlt_messages *messages);

/* The shares of a strand's particles (state, too). */
void rlti_springs_get_shares(const rlti_springs *springs, int strand, float *shares);
void rlti_springs_set_shares(rlti_springs *springs, int strand, const float *shares);

#endif
