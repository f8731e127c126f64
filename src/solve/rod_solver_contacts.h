/* Contacts of the Rod solver, shared by rod_solver_contacts.c, rod_solver_meet.c and rod_solver_give.c. */
#ifndef RLTI_SOLVE_ROD_SOLVER_CONTACTS_H
#define RLTI_SOLVE_ROD_SOLVER_CONTACTS_H

#include <string.h>

#include "contact/couple/couple_edges.h"
#include "scene/readers.h"
#include "solve/rod_solver_data.h"

/* A side of a body that a point of free hair has met: a contact of the solution, where hair that is held has
 * a plane in its own Newton iteration. Numbers only: ranks share them. */
typedef struct rod_support {
    rlti_vec3 normal; /* 0: none */
    double gap;
    double depth; /* where the step began; below 0: outside */
    rlti_vec3 slip;
} rod_support;

/* A contact of the search before, and the force that it had. */
typedef struct rod_before {
    int strand[2], edge[2];
    rlti_vec3 force;
} rod_before;

struct rod_contacts {
    rlti_edge_strands strands;
    double *radius;        /* [points] */
    double (*friction)[2]; /* [strands] */
    int *group, *object;   /* [strands] */
    double edge;           /* mean length of an edge at rest [unit] */
    rlti_edge_contacts *found;
    rlti_couple *couple;
    rlti_couple_settings settings;
    rlti_couple_contact *list;
    rod_before *before; /* of the last search of the step */
    int count, capacity, before_capacity;
    int sorts; /* 1: contacts are sorted by objects before all else */
    int object_count, lot_count;
    int *lot_first, *lot_strands;   /* [lot_count + 1], [strands] strands whose contacts are taken together */
    int *strand_found;              /* [strands] contacts that each has found as the first side */
    int *list_first, *before_first; /* [lot_count + 1] where a lot's contacts begin */
    int *bins;                      /* [threads][objects + 1] */
    int *place, place_capacity;     /* of contacts as found, in the list */
    rlti_couple_link *links;        /* [link_count] of the last solution */
    int link_count;
    rlti_vec3 *start, *end, *moved; /* [points] world */
    double *softness;               /* [points] */
    float *inverses;                /* whole ones of the strands that move */
    size_t *inverse_at;             /* [strands] where each begins */
    size_t *rank_bytes;             /* [ranks] bytes of those that each one computes */
    unsigned char *moves;           /* [strands] 1: it has one */
    unsigned char *touches;         /* [strands] 1: it has contacts, by the last search */
    int *cluster;                   /* [strands] strands that have passed each other: the lowest of them */
    unsigned char *beyond;          /* [strands] 1: strands of that cluster are beyond each other */
    rlti_vec3 *common;              /* [strands] displacement of that cluster as one piece */
    double *weight;                 /* [strands] */
    double retreat;                 /* share of the way back */
    size_t inverse_capacity;
    int tile_count;
    int *tiles;      /* [tile_count] whose strands touch others */
    rod_job *jobs;   /* [tile_count] */
    unsigned *lanes; /* [tiles of the layout] with contacts, or open */
    unsigned *had;   /* [tiles of the layout] free strands that had contacts in this step */
    rod_met *met;    /* of all jobs */
    const rlti_edge_mesh *const *bodies; /* [body_count] as they move in the present step */
    int body_count;
    rlti_passed *passed; /* [points] sides of bodies that points are led back to; NULL: no bodies */
    unsigned *anew;      /* [tiles of the layout] lanes whose planes are to be sought anew for that */
    int any_passed;
    double *press;             /* [strands] greatest force of a contact */
    rod_support *supports;     /* [points][RLTI_IMPLICIT_SIDES] of free hair; NULL: none */
    rlti_vec3 *support_forces; /* [points][RLTI_IMPLICIT_SIDES] of the last solution of the step */
    int found_count;           /* contacts of the list that were found; supports follow */

    /* the present step */
    double at;    /* its end, 0..1 of the frame interval */
    double from;  /* its start, counted in whole steps from the interval's */
    double part;  /* of a whole step that it takes: 1, or less where Newton was lost */
    double ahead; /* what is left of that step after it, as a share of it */
    int round;
    int too_deep;            /* 1: free hair has begun the step deeper in a body than an edge is long */
    rod_contact_tally tally; /* of the frame */
};

static inline rlt_ranks *rod_ranks(const rod_solver *s) {
    return rlti_spread_handle(rlti_drive_spread(s->drive));
}

/* All ranks know all points: those of others come when they are shared. */
static inline void rod_clear_points(const rod_solver *s, rlti_vec3 *points) {
    memset(points, 0, (size_t)s->def.strands->first[s->def.strands->strand_count] * sizeof *points);
}
static inline void rod_share_points(const rod_solver *s, rlti_vec3 *points) {
    rlti_spread_share_points(rlti_drive_spread(s->drive), points, sizeof *points);
}

/* rod_solver_bodies.c: bodies as contacts of edges: asks for them, 0 when out of memory; their motion in the
 * present step; passages among the contacts that were found, which planes of points must not oppose; planes
 * without those; and, at the end of the step, what has passed all the same. */
int rlti_rod_solver_ask_bodies(rod_solver *s, rod_contacts *c);
void rlti_rod_solver_move_bodies(rod_solver *s);
void rlti_rod_solver_lead_back(rod_solver *s);
void rlti_rod_solver_plane_anew(rod_solver *s, int index, int worker, double seconds);
void rlti_rod_solver_end_bodies(rod_solver *s);

/* rod_solver_roots.c: radii near held roots of hair that pushes, and says where they are much smaller; 0 when
 * out of memory. */
int rlti_rod_solver_limit_radii(const rod_solver *s, rod_contacts *c, rlt_messages *messages);

/* The first section that touches others: all of them take the same steps. */
const rlti_hair_data *rlti_rod_solver_touching(const rod_solver *s);

/* rod_solver_take.c: contacts that were found, into the list; 0 when out of memory. Lots of strands for that.
 */
int rlti_rod_solver_make_lots(const rod_solver *s, rod_contacts *c);
void rlti_rod_solver_free_lots(rod_contacts *c);
size_t rlti_rod_solver_lot_bytes(const rod_solver *s, const rod_contacts *c);
int rlti_rod_solver_take_found(rod_solver *s);

/* rod_solver_give.c: how strands give way to forces, by the factors of their tiles; their whole inverses, 0
 * when out of memory. */
rlti_couple_operator rlti_rod_solver_operator(rod_solver *s);
int rlti_rod_solver_invert(rod_solver *s);

/* Whether the strands of a tile lie on bodies by supports; rod_solver_planes.c: makes those of a tile where
 * the iterates are, with planes that are sought anew, or after all that was met before is forgotten, in some
 * lanes; rod_solver_support.c: of all tiles, and adds them to the contacts; 0 when out of memory; keeps their
 * forces for the next solution of the step. */
static inline int rod_is_supported(const rod_solver *s, int tile) {
    return s->contacts->supports != NULL && s->now.ahead && rod_has_planes(s, tile) &&
           rlti_hair_root_is_free(rod_hair(s, tile));
}
void rlti_rod_solver_support_tile(rod_solver *s, int index, int worker, unsigned seeks, unsigned forgets);
int rlti_rod_solver_ask_supports(rod_solver *s, rod_contacts *c);
int rlti_rod_solver_support(rod_solver *s);
void rlti_rod_solver_keep_supports(rod_solver *s);

/* rod_solver_meet.c: where the iterates are now, into `end`; and how a tile takes the present step. */
void rlti_rod_solver_show_ends(rod_solver *s);
rlti_implicit_step rlti_rod_solver_how_meeting(const rod_solver *s, int tile);

/* rod_solver_balance.c: strands that touch each other, and nothing else, keep their momentum. */
void rlti_rod_solver_balance(rod_solver *s);
/* Clusters of strands: each by itself; the one of a strand, its lowest number; and two made one. */
void rlti_clusters_clear(rod_contacts *c);
int rlti_clusters_find(const rod_contacts *c, int strand);
void rlti_clusters_unite(rod_contacts *c, int a, int b);

/* rod_solver_retreat.c: brings strands back that have passed each other; 0 when out of memory. */
int rlti_rod_solver_retreat(rod_solver *s);

#endif
