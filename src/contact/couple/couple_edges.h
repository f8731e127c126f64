/* Contacts as they are found, in the form in which they are solved. */
#ifndef RLTI_CONTACT_COUPLE_COUPLE_EDGES_H
#define RLTI_CONTACT_COUPLE_COUPLE_EDGES_H

#include "contact/couple/couple.h"
#include "contact/edge/contacts.h"

/* Contact k of those found becomes contacts[place[k]]; NULL: contacts[k]. Where that is negative it becomes
 * contacts[-1 - place[k]] and is not to be solved: only who meets whom is filled in. `travel`, [points]:
 * displacements from the start of the search to its end, where those to solve for begin. `press`: the most
 * that each strand is pressed with along a normal; NULL: any. */
void rlti_couple_take(const rlti_edge_strands *strands, const rlti_edge_contact *found, int count,
                      const rlti_vec3 *travel, const double *press, const int *place,
                      rlti_couple_contact *contacts);

#endif
