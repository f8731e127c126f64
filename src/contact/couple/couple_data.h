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
    int again;      /* how often it has stuck after it had slipped */
    double last[3]; /* force that the last iteration came to, before it was carried on */
    double off;     /* how far it was from its law at the last back-solve [unit] */
} rlti_couple_local;

/* Two objects, or twice the same, and their contacts: list[first] to list[first + count - 1]. */
typedef struct rlti_couple_task {
    int object[2];
    int first, count;
} rlti_couple_task;

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
    int *colour; /* [capacity] of a task */

    int marks;
    uint64_t *used; /* [marks] colours of objects: bits */
};

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
