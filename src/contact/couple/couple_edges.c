#include "contact/couple/couple_edges.h"

#include "contact/edge/nearest.h"

void rlti_couple_take(const rlti_edge_strands *strands, const rlti_edge_contact *found, int count,
                      const rlti_vec3 *travel, const double *press, const int *place,
                      rlti_couple_contact *contacts) {
    for (int k = 0; k < count; k++) {
        const rlti_edge_contact *f = &found[k];
        int body = f->strand[1] >= strands->strand_count, at = place != NULL ? place[k] : k;
        rlti_couple_contact *c = &contacts[at >= 0 ? at : -1 - at];
        c->strand[0] = f->strand[0];
        c->strand[1] = body ? strands->strand_count - 1 - f->strand[1] : f->strand[1];
        c->edge[0] = f->edge[0];
        c->edge[1] = f->edge[1];
        c->gap = f->gap;
        c->force = rlti_v3(0, 0, 0);
        c->most = press != NULL ? press[f->strand[0]] : 0.0;
        if (press != NULL && !body)
            c->most = press[f->strand[1]] < c->most ? press[f->strand[1]] : c->most;
        if (at < 0)
            continue;
        const rlti_vec3 *first = travel + strands->first[f->strand[0]] + f->edge[0],
                        *second = body ? NULL : travel + strands->first[f->strand[1]] + f->edge[1];
        rlti_vec3 slip = rlti_between(first[0], first[1], f->share[0]);
        slip = rlti_sub(slip, body ? f->moved : rlti_between(second[0], second[1], f->share[1]));
        c->share[0] = f->share[0];
        c->share[1] = f->share[1];
        c->normal = f->normal;
        c->slip = slip;
        c->friction[0] = f->friction[0];
        c->friction[1] = f->friction[1];
        c->state = RLTI_CONTACT_OPEN;
    }
}
