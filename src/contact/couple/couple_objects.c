#include "contact/couple/couple_objects.h"

#include "base/memory.h"
#include "contact/box_order.h"
#include "contact/couple/couple.h"
#include "contact/edge/sweep_tree.h"

/* Points of an object: contacts within it see each other at once. */
enum { OBJECT_POINTS = 1000 };

int rlti_couple_objects(const rlti_strands *strands, int *object) {
    int count = strands->strand_count, *order = RLTI_NEW(int, count), objects = 0;
    rlti_run_box *boxes = RLTI_NEW(rlti_run_box, count);
    for (int k = 0; boxes != NULL && k < count; k++) {
        const rlti_vec3 *x = strands->points + strands->first[k];
        int points = strands->first[k + 1] - strands->first[k];
        boxes[k] = rlti_sweep_box_around(x, x, points, strands->points[0], 0.0).at[0];
    }
    if (order != NULL && boxes != NULL && rlti_box_order(boxes, count, order))
        objects = rlti_couple_group(count, strands->first, order, OBJECT_POINTS, object);
    RLTI_FREE(order, boxes);
    return objects;
}
