/* Contacts as they are found, in the form in which they are solved. */
#ifndef RLTI_CONTACT_COUPLE_COUPLE_EDGES_H
#define RLTI_CONTACT_COUPLE_COUPLE_EDGES_H

#include "contact/couple/couple.h"
#include "contact/edge/contacts.h"

/* `start` and `end` are those of the search, [points]: displacements to solve for begin at `end`. */
void rlti_couple_take(const rlti_edge_strands *strands, const rlti_edge_contact *found, int count,
                      const rlti_vec3 *start, const rlti_vec3 *end, rlti_couple_contact *contacts);

#endif
