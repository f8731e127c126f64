/* Radii near roots of hair that pushes (contact.groom: push). Roots stay where they are: where two are nearer
 * to each other than their radii, no force moves them apart, and whole inverses, which know how much
 * force a place beside a root would take, shake the rest of the hair with it. So radii there are what hair
 * can reach that leans away from its neighbours from the root on. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/messages.h"
#include "solve/rod_solver_contacts.h"

/* Hair moves aside by this much of its length from the root: 6 degrees. Of a crowd all lean: with 27
 * degrees a dozen hairs never came to rest. */
#define LEAN 0.1

typedef struct held_root {
    rlti_vec3 at;
    int strand, group;
    double near; /* distance of the nearest other one of its group [unit] */
} held_root;

static int by_place(const void *a, const void *b) {
    const held_root *p = a, *q = b;
    if (p->at.x != q->at.x)
        return p->at.x < q->at.x ? -1 : 1;
    return (p->strand > q->strand) - (p->strand < q->strand);
}

/* No root counts that is further away than two radii. */
static int list_roots(const rod_solver *s, const rod_contacts *c, held_root *roots) {
    const rlti_strands *strands = s->def.strands;
    double most = 0.0;
    int count = 0;
    for (int p = 0; p < strands->first[strands->strand_count]; p++)
        most = fmax(most, c->radius[p]);
    for (int k = 0; k < strands->strand_count; k++)
        if (c->group[k] >= 0 && !rlti_hair_root_is_free(&s->def.scene->hair[strands->hair[k]]))
            roots[count++] = (held_root){strands->points[strands->first[k]], k, c->group[k], 2.0 * most};
    return count;
}

/* Roots lie in the order of x: those on one side, as far as they can be nearer than what is known. */
static void find_nearest(held_root *roots, int count, int k, int by) {
    for (int i = k + by; i >= 0 && i < count; i += by) {
        if (fabs(roots[i].at.x - roots[k].at.x) >= roots[k].near)
            return;
        if (roots[i].group == roots[k].group)
            roots[k].near = fmin(roots[k].near, rlti_length(rlti_sub(roots[i].at, roots[k].at)));
    }
}

/* Returns 1 where less than half of a radius is left. */
static int limit_strand(const rod_solver *s, rod_contacts *c, const held_root *root) {
    const rlti_strands *strands = s->def.strands;
    double along = 0.0;
    int most = 0;
    for (int p = strands->first[root->strand]; p < strands->first[root->strand + 1]; p++) {
        if (p > strands->first[root->strand])
            along += rlti_length(rlti_sub(strands->points[p], strands->points[p - 1]));
        double fits = 0.5 * root->near + LEAN * along;
        most = most || fits < 0.5 * c->radius[p];
        c->radius[p] = fmin(c->radius[p], fits);
    }
    return most;
}

int rlti_rod_solver_limit_radii(const rod_solver *s, rod_contacts *c, rlt_messages *messages) {
    held_root *roots = RLTI_NEW(held_root, s->def.strands->strand_count);
    int limited = 0, first = -1;
    if (roots == NULL)
        return 0;
    int count = list_roots(s, c, roots);
    qsort(roots, (size_t)count, sizeof *roots, by_place);
    for (int k = 0; k < count; k++) {
        find_nearest(roots, count, k, -1);
        find_nearest(roots, count, k, 1);
    }
    for (int k = 0; k < count; k++)
        if (limit_strand(s, c, &roots[k])) {
            first = first < 0 || roots[k].strand < roots[first].strand ? k : first;
            limited++;
        }
    if (limited > 0)
        rlti_warn(
            messages,
            "%s: %d strand%s nearer to %s neighbours at the root than half of hair.contact.radius (first is "
            "strand %d, %.3g units from the next root): near roots radii are as large as fits; let the "
            "ramp of hair.contact.radius begin smaller, or set hair.contact.groom to keep",
            s->def.file, limited, limited == 1 ? " is" : "s are", limited == 1 ? "its" : "their",
            roots[first].strand, roots[first].near);
    rlti_free(roots);
    return 1;
}
