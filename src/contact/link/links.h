/* Links: pairs of points that are near each other in the groom and are held together by damped springs
 * (contact/couple). Which pairs depends on the groom alone: nearest first, at most so many at each point. */
#ifndef RLTI_CONTACT_LINK_LINKS_H
#define RLTI_CONTACT_LINK_LINKS_H

#include "base/math.h"

/* Of lower strand first, then lower point. */
typedef struct rlti_link {
    int strand[2];
    int point[2]; /* counted from the root */
    double rest;  /* distance in the groom [unit] */
} rlti_link;

/* Strands as groomed. Roots, and points that are not finite, have no links. */
typedef struct rlti_link_strands {
    int strand_count;
    const int *first;      /* [strand_count + 1] points of each strand */
    const rlti_vec3 *rest; /* [points] */
    const int *group;      /* [strand_count] strands of equal number are linked, -1: none */
    const int *most;       /* [strand_count] links of a point, at most */
    const double *reach;   /* [strand_count] distance of a pair, at most; the mean of both [unit] */
    const double *self;    /* [strand_count] points of one strand are linked where the hair between them is
                            * longer than this [unit]; 0: never */
} rlti_link_strands;

/* All links, sorted by their first strand, within it by rounds in which each point has one, by points. Equal
 * distances are taken in the order of points. Points in the same place are not linked: nothing says in which
 * direction. Free `links` with rlti_free. Returns 0 when out of memory.
 * Takes time and memory for some pairs a point, whatever the reach. */
int rlti_links_find(const rlti_link_strands *strands, rlti_link **links, int *count);

#endif
