/* Contacts as they are found, in the form in which they are solved. */
#ifndef RLTI_CONTACT_COUPLE_COUPLE_EDGES_H
#define RLTI_CONTACT_COUPLE_COUPLE_EDGES_H

#include "contact/couple/couple.h"
#include "contact/edge/contacts.h"

/* Contact k of those found becomes contacts[place[k]]; NULL: contacts[k]. `travel`, [points]: displacements
 * from the start of the search to its end, where those to solve for begin. */
void rlti_couple_take(const rlti_edge_strands *strands, const rlti_edge_contact *found, int count,
                      const rlti_vec3 *travel, const int *place, rlti_couple_contact *contacts);

#endif
