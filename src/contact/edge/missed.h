/* An independent check of contacts: hair that has passed through in a step, counted without the tree, the
 * cubic and the nearest points that the search uses.
 *
 * A sample of edges is compared with all others, and their points with all triangles. The step is cut into
 * even parts; where the side of one seen from the other (the sign of the tetrahedron's volume) changes in a
 * part, and the lines then meet within both edges, or within the triangle, the pair has passed. */
#ifndef RLTI_CONTACT_EDGE_MISSED_H
#define RLTI_CONTACT_EDGE_MISSED_H

#include <stdint.h>

#include "contact/edge/contacts.h"

typedef struct rlti_missed {
    long long edges;  /* that were checked */
    long long passed; /* pairs that are on the other side of each other, or of a triangle, than they were */
    long long missed; /* of these, pairs without a contact of them or of their neighbours in the list */
    long long bodies_passed, bodies_missed; /* of these, pairs of hair and a body */
} rlti_missed;

/* Checks the motion from `start` to `end`, which need not be that of the last search, against its list.
 * `edges` edges are chosen by `seed`; as many as there are or more: all. Each pair is counted once where
 * all are checked. Takes a few nanoseconds for each point, and for each pair of a sampled edge and a
 * strand. */
rlti_missed rlti_missed_count(const rlti_edge_contacts *contacts, const rlti_vec3 *start,
                              const rlti_vec3 *end, const rlti_edge_mesh *const *bodies, int body_count,
                              int edges, uint64_t seed);

/* Edges that have passed through a body: of those that made such a passage in one of the step's searches, at
 * most so many. */
enum { RLTI_PASSED_MOST = 256 };
int rlti_missed_passed(const rlti_edge_contacts *contacts, const rlti_vec3 *start, const rlti_vec3 *end,
                       const rlti_edge_mesh *const *bodies, int body_count);

/* Whether there was any. */
int rlti_missed_suspects(const rlti_edge_contacts *contacts);

#endif
