/* Objects of strands, between which contacts are solved pool by pool, and which ranks own as a whole. */
#ifndef RLTI_CONTACT_COUPLE_COUPLE_OBJECTS_H
#define RLTI_CONTACT_COUPLE_COUPLE_OBJECTS_H

#include "groom/strands.h"

/* The object of each strand, [strand_count]: strands that grow near each other, as far as they fit, are in
 * one, so that most contacts are within objects and pairs of objects that touch are few. They are numbered
 * along a curve through all of them. Returns how many, 0 when out of memory. */
int rlti_couple_objects(const rlti_strands *strands, int *object);

#endif
