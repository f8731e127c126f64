/* Contacts of strands with strands, with themselves and with bodies, for solvers that ask within a step:
 * one sorted list, whoever computed it. docs/design/strand-contacts.md has the rules and what was measured.
 *
 * The motion is that of one step: every point goes evenly from where the step started to where the solver's
 * iterate has it now. Two edges (or a strand's point or edge and a body's triangle) make
 *   a passage    where they meet in between: continuous detection, without radii. Its normal points to
 *                the side where they came from, so its gap is negative until they are back there;
 *   a proximity  else, where they are nearer at the end than their radii and the offset. */
#ifndef RLTI_CONTACT_EDGE_CONTACTS_H
#define RLTI_CONTACT_EDGE_CONTACTS_H

#include <stddef.h>

#include "contact/edge/mesh.h"
#include "ringlet/ranks.h"

typedef struct rlti_edge_contact {
    int strand[2];      /* the second: number of strands + body, where it is a body */
    int edge[2];        /* counted from the root; the second: a triangle, where it is a body */
    int part;           /* of a pair 0 or 1; of a triangle 0 its face, 1 to 3 its sides; of a shape 1 */
    int passage;        /* 1: they meet within the step */
    double share[2];    /* where on the edge: 0 its first point, 1 its second; the second 0 of a body */
    rlti_vec3 normal;   /* unit, from the second to the first */
    double gap;         /* along the normal at the end of the motion, less the radius [unit] */
    double radius;      /* sum of both, or less: see `keep` [unit] */
    double friction[2]; /* static, kinetic */
    double time;        /* of the passage in [0, 1], 1 for a proximity */
    rlti_vec3 moved;    /* displacement of the body's material there in the step [unit]; else 0 */
} rlti_edge_contact;

/* Strands as they are all through a simulation. All arrays must outlive the contacts. */
typedef struct rlti_edge_strands {
    int strand_count;
    const int *first;                 /* [strand_count + 1] points of each strand */
    const rlti_vec3 *rest;            /* [points] the groom */
    const double *radius;             /* [points] against other hair [unit] */
    const double *body_radius;        /* [points] against bodies, may be negative; NULL: radius */
    const double (*friction)[2];      /* [strand_count] static and kinetic; a pair takes the mean */
    const double (*body_friction)[2]; /* [strand_count] or NULL: friction */
    const int *body_home;          /* [points] the body a negative radius is for, else it is 0; NULL: all */
    const double *body_slack;      /* [points] less radius for the edge that begins there; NULL: 0 */
    const unsigned char *any_side; /* [strand_count] 1: may pass through sheets; NULL: none */
    const int *section;            /* [strand_count] row of `meets` */
    const unsigned char *meets;    /* [sections][bodies] 1: they meet; NULL: all do */
    int planes; /* 1: points are kept out of bodies otherwise, and make passages only; edges keep half of
                 * their radius, so that round bodies, on which points lie, are not met twice */
    const int *group; /* [strand_count] strands of equal number meet, -1: none; NULL: all do */
    double offset;    /* proximities are listed up to this beyond the radii [unit] */
    int self;         /* 1: a strand meets itself, too */
    int keep;         /* 1: the radius of a pair is at most its distance in the groom, which is free then */
} rlti_edge_strands;

typedef struct rlti_edge_contacts rlti_edge_contacts;

/* NULL when out of memory. */
rlti_edge_contacts *rlti_edge_contacts_create(const rlti_edge_strands *strands);
void rlti_edge_contacts_destroy(rlti_edge_contacts *contacts);
/* Searches without the machine's vector instructions, for comparing; the same contacts. */
void rlti_edge_contacts_set_plain(rlti_edge_contacts *contacts);

/* From now on these ranks, if there are several, search together: each from a part of the edges. All get the
 * whole list, with the same bytes. All searches are collective then. Returns 0 when out of memory. */
int rlti_edge_contacts_set_ranks(rlti_edge_contacts *contacts, rlt_ranks *ranks);

/* A new step begins: passages of the last one are forgotten. */
void rlti_edge_contacts_begin(rlti_edge_contacts *contacts);

/* Finds all contacts of the motion from `start` to `end`, both [points], world. Bodies are as
 * rlti_edge_mesh_move left them. Passages that an earlier search of the same step has found stay in the
 * list, with the gap they have now, unless their pair passes near them again: hair that is pushed back in
 * one place would else pass in another, by turns. Points that are not finite have no contact. The list has
 * the same bytes for any pool. Allocates only while lists grow; returns 0 when out of memory (the list is
 * empty then). */
int rlti_edge_contacts_find(rlti_edge_contacts *contacts, rlti_pool *pool, const rlti_vec3 *start,
                            const rlti_vec3 *end, const rlti_edge_mesh *const *bodies, int body_count);

/* The same for passages of edges alone, without those of earlier searches, which stay for later ones. */
int rlti_edge_contacts_find_passages(rlti_edge_contacts *contacts, rlti_pool *pool, const rlti_vec3 *start,
                                     const rlti_vec3 *end);

/* The list of the last search, by strand[0], edge[0], strand[1], edge[1], part. In a pair of edges the
 * first is the one of lower strand, then lower edge. It lies in parts, one after the other, as it was found;
 * `first` is the place in the list. */
typedef struct rlti_edge_part {
    const rlti_edge_contact *items;
    const int *second; /* the second strand of each, to be read by itself */
    int first, count;
} rlti_edge_part;
int rlti_edge_contacts_count(const rlti_edge_contacts *contacts);
int rlti_edge_contacts_part_count(const rlti_edge_contacts *contacts);
rlti_edge_part rlti_edge_contacts_part(const rlti_edge_contacts *contacts, int index);
/* Contacts whose first side is this strand are those of the parts from this one on, up to the next strand's
 * first. */
int rlti_edge_contacts_first_part(const rlti_edge_contacts *contacts, int strand);

/* The same in one piece, copied: empty when out of memory. */
const rlti_edge_contact *rlti_edge_contacts_list(rlti_edge_contacts *contacts, int *count);

/* The passages that the last rlti_edge_contacts_find has listed, in order; NULL beyond the last. */
const rlti_edge_contact *rlti_edge_contacts_passage(const rlti_edge_contacts *contacts, int index);

/* Of the last search: pairs of edges, and of edges and triangles, that were near enough to be looked into;
 * memory of all lists [byte]. */
typedef struct rlti_edge_contacts_cost {
    long long pairs;
    size_t bytes;
} rlti_edge_contacts_cost;
rlti_edge_contacts_cost rlti_edge_contacts_cost_of(const rlti_edge_contacts *contacts);

/* Whether two edges of one strand, first < second, never meet: neighbours, and those that the hair between
 * them is too short to bring into contact any other way than by a fold within their radii: an arc at rest
 * of less than half a turn around radii and offset. */
int rlti_edge_contacts_neighbours(const rlti_edge_contacts *contacts, int strand, int first, int second);

#endif
