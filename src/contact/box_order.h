/* An order of boxes in which neighbours lie together in space: along Hilbert's curve. Trees of boxes are
 * made of runs of it. */
#ifndef RLTI_CONTACT_BOX_ORDER_H
#define RLTI_CONTACT_BOX_ORDER_H

#include "contact/hair/run_box.h"

/* Boxes of the same cell stay in the order of their numbers, so there is one answer. Returns 0 when out of
 * memory. */
int rlti_box_order(const rlti_run_box *boxes, int count, int *order /* [count] numbers of boxes */);

#endif
