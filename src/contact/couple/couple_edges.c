#include "contact/couple/couple_edges.h"

#include "contact/edge/nearest.h"

/* The displacement of a place on an edge. */
static rlti_vec3 moved_by(const rlti_vec3 *start, const rlti_vec3 *end, int point, double share) {
    return rlti_between(rlti_sub(end[point], start[point]), rlti_sub(end[point + 1], start[point + 1]),
                        share);
}

void rlti_couple_take(const rlti_edge_strands *strands, const rlti_edge_contact *found, int count,
                      const rlti_vec3 *start, const rlti_vec3 *end, rlti_couple_contact *contacts) {
    for (int k = 0; k < count; k++) {
        const rlti_edge_contact *f = &found[k];
        int body = f->strand[1] >= strands->strand_count;
        rlti_couple_contact *c = &contacts[k];
        *c = (rlti_couple_contact){
            .strand = {f->strand[0], body ? strands->strand_count - 1 - f->strand[1] : f->strand[1]},
            .edge = {f->edge[0], f->edge[1]},
            .share = {f->share[0], f->share[1]},
            .normal = f->normal,
            .gap = f->gap,
            .friction = {f->friction[0], f->friction[1]}};
        rlti_vec3 first = moved_by(start, end, strands->first[f->strand[0]] + f->edge[0], f->share[0]);
        rlti_vec3 second =
            body ? f->moved : moved_by(start, end, strands->first[f->strand[1]] + f->edge[1], f->share[1]);
        c->slip = rlti_sub(first, second);
    }
}
