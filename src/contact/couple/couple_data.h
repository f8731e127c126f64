/* Inside of the solver's handle, shared by couple.c, couple_model.c and couple_tasks.c. */
#ifndef RLTI_CONTACT_COUPLE_COUPLE_DATA_H
#define RLTI_CONTACT_COUPLE_COUPLE_DATA_H

#include <stdint.h>

#include "contact/couple/couple.h"

/* A contact in its own frame: axis 0 is the normal. */
typedef struct rlti_couple_local {
    double axis[3][3];
    int point[2];         /* first point of the edges in all arrays; the second -1: none */
    int between;          /* of two objects */
    double weight[4];     /* of the points a0, a1, b0, b1, negative for b */
    double w[3][3];       /* displacement a force, of this contact alone */
    double model[3][3];   /* of the local model: not less than w, compliance included */
    double give;          /* compliance [unit a force] */
    double u[3];          /* displacement at the last back-solve */
    double r[3], base[3]; /* force now, and at the last back-solve */
    double friction[2];   /* static and kinetic; the same once it has stuck again too often */
    rlti_coulomb_state state;
    int again;                 /* how often it has stuck after it had slipped */
    double last[3];            /* force that the last iteration came to, before it was carried on */
    double near_u[3], next[3]; /* displacement at `base`, and the force from there (couple_descent.c) */
    double last_u[3];          /* displacement at `last` */
    double off;                /* how far it was from its law at the last back-solve [unit] */
} rlti_couple_local;

/* Two objects, or twice the same, and their contacts: list[first] to list[first + count - 1]. */
typedef struct rlti_couple_task {
    int object[2];
    int first, count;
} rlti_couple_task;

/* Contacts that one task of a pool takes. */
enum { RLTI_COUPLE_BLOCK = 256 };

/* Of a block of contacts: see couple_descent.c. */
typedef struct rlti_couple_sums {
    double bent, model; /* d W d and d D d of a step d of all forces */
    double back;        /* how much the step points back */
    double off;         /* the worst contact's */
} rlti_couple_sums;

struct rlti_couple {
    int strand_count, object_count, point_count;
    int *first;  /* [strand_count + 1] */
    int *object; /* [strand_count] */

    /* of points */
    rlti_vec3 *free, *work, *old; /* [point_count] without contacts, now, at the start of the sweep */
    rlti_vec3 *force;             /* [point_count] of contacts */
    int *share; /* [point_count] contacts between objects that meet the point, and 1 for all others */

    /* of strands */
    int *strand_first; /* [strand_count + 1] into strand_list */
    int *touched;      /* [strand_count] strands with contacts */
    int touched_count;

    /* of contacts */
    int capacity;
    rlti_couple_local *locals;
    int *strand_list;                 /* [2 capacity] contacts of each strand, in order: 2 * contact + side */
    int *list;                        /* [capacity] contacts of each task, in order */
    uint64_t *keys;                   /* [capacity] */
    rlti_couple_task *tasks, *sorted; /* [capacity] */
    int task_count;
    int *pool_first; /* [capacity + 1] tasks of each pool, in `tasks` */
    int pool_count;
    int *colour;            /* [capacity] of a task */
    rlti_couple_sums *sums; /* [capacity], one for each block of contacts */

    int marks;
    uint64_t *used; /* [marks] colours of objects: bits */
};

/* One solution. */
typedef struct rlti_couple_work {
    rlti_couple *couple;
    const rlti_couple_operator *strands;
    const rlti_couple_settings *settings;
    rlti_couple_contact *contacts;
    int count;
    int pool_first;     /* of the present pool */
    double carry, size; /* couple_descent.c: momentum, and how far the model is enlarged */
} rlti_couple_work;

/* Moves strands by the forces of all their contacts: free + inverse(A) J^T r to couple->work. */
void rlti_couple_solve_strands(rlti_couple_work *work, rlti_pool *pool);

/* The law of a contact that gives way by `model`. */
void rlti_couple_apply(rlti_couple_local *local, const double model[3][3], const double c[3], double r[3]);

/* Forces by blocks of the inverse; returns how many back-solves it took. */
int rlti_couple_descend(rlti_couple_work *work, rlti_pool *pool);

/* Forces by whole inverses; returns how many sweeps it took. */
int rlti_couple_sweep(rlti_couple_work *work, rlti_pool *pool);

/* Sorts the contacts into tasks and these into pools, an object at most once in each. Returns 0 when out of
 * memory. */
int rlti_couple_schedule(rlti_couple *couple, const rlti_couple_contact *contacts, int count);

/* Frames, weights and blocks. */
void rlti_couple_prepare(rlti_couple *couple, rlti_pool *pool, const rlti_couple_operator *strands,
                         const rlti_couple_settings *settings, const rlti_couple_contact *contacts,
                         int count);

/* Relative displacement of a contact, in its frame, where points have moved so. */
void rlti_couple_measure(const rlti_couple_local *local, const rlti_couple_contact *contact,
                         const rlti_vec3 *moved, double u[3]);

#endif
