/* Inside of the solver's handle, shared by couple*.c. */
#ifndef RLTI_CONTACT_COUPLE_COUPLE_DATA_H
#define RLTI_CONTACT_COUPLE_COUPLE_DATA_H

#include <stdint.h>

#include "contact/couple/couple.h"
#include "contact/couple/sweep.h"

/* A contact in its own frame: axis 0 is the normal. */
typedef struct rlti_couple_local {
    double axis[3][3];
    int point[2];           /* first point of the edges in all arrays; the second -1: none */
    double weight[4];       /* of the points a0, a1, b0, b1, negative for b */
    int made;               /* 1: the blocks are there; by whole inverses, once it touches */
    double w[3][3];         /* displacement a force, of this contact alone */
    double model[3][3];     /* w as often as its strands have items, compliance included */
    rlti_coulomb_block law; /* of the model that it is solved with */
    double lambda;          /* of its last slip: coulomb.h */
    double give;            /* compliance [unit a force] */
    double u[3];            /* displacement at the last back-solve */
    double r[3], base[3];   /* force now, and at the last back-solve */
    double friction[2];     /* static and kinetic; the same once it has stuck again too often */
    double most;            /* force along the normal */
    rlti_coulomb_state state;
    int again;      /* how often it has stuck after it had slipped */
    double last[3]; /* force that the last iteration came to, before it was carried on */
    double off;     /* how far it was from its law at the last back-solve [unit] */
} rlti_couple_local;

/* A link in its direction: its force is a function of the extension v that it would have without it, counted
 * from where dq is 0. It pulls where v is above the first zero, pushes where it is below the second. */
typedef struct rlti_couple_spring {
    double axis[3];
    double r;        /* force now */
    double model;    /* displacement a force, of the local model */
    double slope[2]; /* of pull and push */
    double zero[2];  /* where they begin [unit]; the first less than the second: both act in between */
    int point[2];    /* in all arrays */
    int item;        /* the link's number */
} rlti_couple_spring;

/* Memory of a link from one back-solve to the next. */
typedef struct rlti_couple_memory {
    double u;         /* extension at the last back-solve */
    double base;      /* force then */
    double last;      /* force that the last iteration came to, before it was carried on */
    double off;       /* how far it was from its law at the last back-solve [unit] */
    double middle[2]; /* slope and constant where both act */
    double bound[2];  /* of that: only pull above the first, only push below the second */
} rlti_couple_memory;

/* Items of a solution: contacts, then links. */
typedef struct rlti_couple_items {
    rlti_couple_contact *contacts;
    int contact_count;
    rlti_couple_link *links;
    int link_count;
} rlti_couple_items;

static inline int rlti_couple_count(const rlti_couple_items *items) {
    return items->contact_count + items->link_count;
}

/* The strand of one side of an item; -1: none. */
static inline int rlti_couple_strand(const rlti_couple_items *items, int item, int side) {
    return item < items->contact_count ? items->contacts[item].strand[side]
                                       : items->links[item - items->contact_count].strand[side];
}

/* Two objects, or twice the same, and their items, contacts first: list[first] to list[first + count - 1]. */
typedef struct rlti_couple_task {
    int object[2];
    int first, count, contacts;
    int rank;   /* that works on it */
    int spring; /* its first link, in the order of tasks: by inverses */

    /* by lumped masses */
    int batch, batches;  /* of its contacts */
    int link, links;     /* the task of the same objects in the plan of links, -1: none; and its links */
    int member, members; /* points that its items meet, in plan->members */
} rlti_couple_task;

/* A point of a task. */
typedef struct rlti_couple_member {
    double softness;
    int point;  /* in all arrays */
    int before; /* tasks that have met the point before this one; -1 - that: and none meets it after */
} rlti_couple_member;

/* The part of a contact that batches are made by: contacts themselves lie scattered, and are long. */
typedef struct rlti_couple_brief {
    int slot[2];    /* of the first points of its edges; the second -1: none */
    uint8_t odd;    /* 1: the number of its first edge is */
    uint8_t closed; /* 1: it begins with a force, or nearer than touching */
} rlti_couple_brief;

/* A key is the pair of objects, then the item: sorted, items of a task stand together and in order. */
enum { RLTI_COUPLE_OBJECT_BITS = 20, RLTI_COUPLE_ITEM_BITS = 24 };
static inline int rlti_couple_item(uint64_t key) {
    return (int)(key & ((1u << RLTI_COUPLE_ITEM_BITS) - 1u));
}

/* Which items are worked on at once. */
typedef struct rlti_couple_plan {
    int capacity;                     /* of items */
    int *list;                        /* [capacity] items of each task, in order */
    uint64_t *keys, *spare;           /* [capacity] the first: of each task, in order, as they were given */
    int task_capacity, task_count;    /* of tasks */
    rlti_couple_task *tasks, *sorted; /* [task_capacity] */
    int *pool_first;                  /* [task_capacity + 1] tasks of each pool, in `tasks` */
    int pool_count;
    int *colour; /* [task_capacity] of a task */
    double *off; /* [task_capacity] how far the worst item of a task was from its law [unit] */
    int marks;
    uint64_t *used; /* [marks] colours of objects: bits */

    /* by lumped masses */
    int place_capacity, batch_count;
    int *place; /* [place_capacity] of each item of the list: batch of its task * RLTI_COUPLE_BATCH + lane */
    int *open, *filled; /* [place_capacity] of batches: one at or after it that is not full; lanes taken */
    int (*points)[2]; /* [place_capacity] of each contact of the list, the first points of its edges, counted
                       * within its task; the second -1: none. Of links [batch_count * items of a batch], in
                       * the order of batches */
    int brief_capacity;
    rlti_couple_brief *briefs; /* [brief_capacity] of contacts, in their order; NULL: by inverses */
    int member_capacity;
    rlti_couple_member *members; /* [member_capacity] of tasks: each ascending by slots */
} rlti_couple_plan;

/* Points in the order of objects, by slots: those of an object, of its strands one after the other, begin
 * with a word of bits. So a task finds out which points it has, and in which order, by bits. */
typedef struct rlti_couple_slots {
    int *strand;     /* [strand_count] the slot of its root */
    int *object;     /* [object_count + 1] its first word */
    int *point;      /* [64 a word] in all arrays */
    int *rank;       /* [64 a word] how many points of the present task come before this one, if it has it */
    uint64_t *marks; /* [words] bits of points that the task has */
} rlti_couple_slots;

/* Points that ranks hand on in one solution. `first` counts by keys: of each pool, and then of all forces and
 * of all displacements, points that are sent to each rank and points that come from each. */
typedef struct rlti_couple_ranks {
    rlt_ranks *handle;
    int rank, count;
    int *object;         /* [object_count] the rank that works on it */
    int *point;          /* [point_count] the rank of its strand */
    unsigned char *near; /* [object_count] 1: this rank has strands or tasks of it */
    int *holder;         /* [point_count] the rank of the last task that has met it; -1: none */
    int *seen;           /* [strand_count] 1 + the last task that was found to have it, by whole inverses */
    int *stamp;          /* [point_count] 1 + the last rank that was found to need it */
    int pools;
    int *first;                 /* [2 * count * (pools + 2) + 1] */
    int (*entries)[2], *points; /* keys and points as found; points in the order of keys */
    double *values;             /* of one trade */
    size_t *bytes;              /* [count] of each rank's forces */
    rlti_parcel *parcels;       /* [2 * count] */
    int entry_count, first_capacity, entry_capacity, point_capacity, value_capacity;
} rlti_couple_ranks;

struct rlti_couple {
    rlti_couple_ranks *ranks; /* NULL: one alone */
    int strand_count, object_count, point_count;
    int *first;  /* [strand_count + 1] */
    int *object; /* [strand_count] */

    /* of points */
    const rlti_vec3 *free; /* [point_count] without contacts: the caller's, during a solution */
    rlti_vec3 *work;       /* [point_count] now */
    rlti_vec3 *force;      /* [point_count] of items */

    int corner_capacity;
    double (
        *corner)[6]; /* [point_count] with links, by inverses: xx, xy, xz, yy, yz, zz of the point's block */

    /* of strands */
    int *strand_first; /* [strand_count + 1] into strand_list; by lumped masses, whether it has items */
    int *touched;      /* [strand_count] strands with items */
    int touched_count;

    rlti_couple_plan plan; /* of all items by inverses, of contacts by lumped masses */
    int *bucket;           /* [object_count + 1] */

    /* by inverses: of contacts, links and items */
    int local_capacity, spring_capacity, memory_capacity, list_capacity;
    rlti_couple_local *locals;   /* [local_capacity] */
    rlti_couple_spring *springs; /* [spring_capacity] in the order of tasks */
    rlti_couple_memory *memory;  /* [memory_capacity] of each spring */
    int *strand_list;            /* [list_capacity] items of each strand, in order: 2 * item + side */

    /* by lumped masses; NULL before there was such a solution */
    int plain;
    const struct rlti_couple_form *form; /* double or single precision: what the arrays below are of */
    const void *kernel;
    rlti_couple_slots slots;
    void *rows; /* [point_count] displacements between two tasks that meet the point */
    int *share; /* [point_count] tasks that meet the point; while links are planned, the last batch of a task
                 * that has it */
    int lump_capacity, carried_capacity, part_capacity, most_members; /* the last: of a task */
    void *lumps;               /* [lump_capacity] batches, in the order of tasks */
    void *carried;             /* [carried_capacity] of each batch, where forces are carried on */
    rlti_couple_result *parts; /* [part_capacity] what tasks add to the result */
    char *scratch;             /* [scratch_capacity] of workers, scratch_bytes each: rows, then forces */
    size_t scratch_capacity, scratch_bytes;

    /* links by lumped masses: their plan stays as long as they do */
    rlti_couple_plan link_plan;
    int (*link_points)[2]; /* [link_count] */
    int (*link_slots)[2];  /* of each lane of all link batches; -1: not used */
    int *link_pairs;       /* tasks of links, ascending by their objects */
    unsigned char *linked; /* [strand_count] 1: strands with links; NULL: no links */
    int link_count;        /* that it is for */
    int link_capacity, link_slot_capacity, link_pair_capacity, springs_capacity, carried_links_capacity;
    void *link_batches;
    void *carried_links;
};

/* couple_ranks.c. 1: this rank works on the task. */
static inline int rlti_couple_is_mine(const rlti_couple *couple, const rlti_couple_task *task) {
    return couple->ranks == NULL || task->rank == couple->ranks->rank;
}
/* 1: it has points that this rank has as well. */
static inline int rlti_couple_is_near(const rlti_couple *couple, const rlti_couple_task *task) {
    return couple->ranks == NULL || couple->ranks->near[task->object[0]] ||
           couple->ranks->near[task->object[1]];
}
/* Which rank works on which task; and, once tasks know their members, what is handed on, 0 when out of
 * memory. */
void rlti_couple_assign(rlti_couple *couple);
int rlti_couple_plan_hands(rlti_couple *couple);
/* Before the tasks of a pool: points of theirs, from ranks that had them before. Where they are, in rows of
 * so many bytes (0: not), and the forces on them. */
void rlti_couple_hand_on(rlti_couple *couple, int pool, size_t row, int forces);
/* Forces of points to the ranks of their strands; displacements from these to all that need them. */
void rlti_couple_hand_forces(rlti_couple *couple);
void rlti_couple_hand_moved(rlti_couple *couple, rlti_vec3 *moved);
/* By whole inverses: which strands are handed on, 0 when out of memory; where they are, before the tasks of a
 * pool, or from the last to the first of the next sweep; and forces of all items, to all ranks. */
int rlti_couple_plan_strands(rlti_couple *couple, const rlti_couple_items *items);
void rlti_couple_hand_strands(rlti_couple *couple, int pool);
void rlti_couple_share_items(rlti_couple *couple);
/* The greatest value of all ranks; and sums of values that others have as 0. */
double rlti_couple_greatest(const rlti_couple *couple, double value);
void rlti_couple_add_up(const rlti_couple *couple, double *values, int count);
/* Results of all ranks, put together; `task`: of the deepest contact. */
void rlti_couple_combine(const rlti_couple *couple, int task, rlti_couple_result *result);
/* 1: something has failed on some rank. */
int rlti_couple_any_failed(const rlti_couple *couple, int failed);
size_t rlti_couple_rank_bytes(const rlti_couple *couple);
void rlti_couple_free_ranks(rlti_couple *couple);

/* One solution. */
typedef struct rlti_couple_work {
    rlti_couple *couple;
    const rlti_couple_operator *strands;
    const rlti_couple_settings *settings;
    rlti_couple_items items;
    int pool_first; /* of the present pool */
    double share;   /* of their last change that forces are carried on by */

    /* by lumped masses */
    rlti_vec3 *ends;           /* [points] without contacts; in the end, with them */
    const rlti_vec3 *moved[2]; /* [points] points have moved by the sum of both; the second may be NULL */
    int exact; /* 1: sweeps leave the sums of items' forces on points, 0: what these change by */
} rlti_couple_work;

/* Moves strands by the forces of all their items: free + inverse(A) J^T r to couple->work. */
void rlti_couple_solve_strands(rlti_couple_work *work, rlti_pool *pool);

/* Counts of items. */
void rlti_couple_begin_result(const rlti_couple_work *work, rlti_couple_result *result);

/* Lumped masses in one precision (couple_lumped_body.h). */
typedef struct rlti_couple_form {
    int batch;                                          /* items of one */
    size_t row, lumps, springs, carried, carried_links; /* sizes of what it is made of [byte] */
    const void *(*kernel)(int plain);                   /* its builds */
    void (*place_links)(rlti_couple *couple);           /* which links are in which batch, and who has them */
    /* Forces, 0 when out of memory; and how far items are from their laws. */
    int (*solve)(rlti_couple_work *work, rlti_pool *pool, rlti_couple_result *result);
    void (*measure)(rlti_couple_work *work, rlti_pool *pool, rlti_couple_result *result);
} rlti_couple_form;

extern const rlti_couple_form rlti_couple_form_double, rlti_couple_form_single;

/* The law of a contact that gives way by its model. */
void rlti_couple_apply(rlti_couple_local *local, const double c[3], double r[3]);

/* Forces by whole inverses; returns how many sweeps it took. */
int rlti_couple_sweep(rlti_couple_work *work, rlti_pool *pool);

/* Sorts the items into tasks and these into pools, an object at most once in each. By lumped masses it fills
 * in the briefs of contacts (`warm`: they begin with their forces), and tasks of the same objects in `links`,
 * or of those alone, are among them; else that is NULL. Returns 0 when out of memory. */
int rlti_couple_schedule(const rlti_couple *couple, rlti_pool *pool, rlti_couple_plan *plan,
                         const rlti_couple_items *items, int warm, const rlti_couple_plan *links);
void rlti_couple_plan_free(rlti_couple_plan *plan);
size_t rlti_couple_plan_bytes(const rlti_couple_plan *plan);

/* couple_batches.c: the precision of the solutions that follow; what was there for another one is gone. */
void rlti_couple_set_form(rlti_couple *couple, const rlti_couple_form *form);
/* Plans tasks, their points and batches, couple->lumps and couple->link_batches: these are not filled in yet,
 * but memory is there. Returns 0 when out of memory. */
int rlti_couple_lay_out(rlti_couple_work *work, rlti_pool *pool);
/* Memory of what is there for lumped masses only [byte]; and freed. */
size_t rlti_couple_batch_bytes(const rlti_couple *couple);
void rlti_couple_free_batches(rlti_couple *couple);

/* Frames, weights and blocks. */
void rlti_couple_prepare(rlti_couple *couple, rlti_pool *pool, const rlti_couple_operator *strands,
                         const rlti_couple_settings *settings, const rlti_couple_items *items);

/* Blocks of a contact. */
void rlti_couple_make_blocks(const rlti_couple *couple, const rlti_couple_operator *strands,
                             const rlti_couple_settings *settings, const rlti_couple_contact *contact,
                             rlti_couple_local *local);

/* Relative displacement of a contact, in its frame, where points have moved so. */
void rlti_couple_measure(const rlti_couple_local *local, const rlti_couple_contact *contact,
                         const rlti_vec3 *moved, double u[3]);

/* couple_links.c: blocks of the inverse at all points of strands that are touched. */
void rlti_couple_corners(rlti_couple *couple, rlti_pool *pool, const rlti_couple_operator *strands);
/* Points and forces of links as they begin; their laws, once points know who shares them. Links are counted
 * in the order of tasks here and below. */
void rlti_couple_place_link(rlti_couple *couple, const rlti_couple_link *links, int warm, int k);
void rlti_couple_prepare_link(rlti_couple *couple, rlti_couple_block kind, const rlti_couple_link *links,
                              int k);
/* How far a link is from its law, where the strands are now. */
void rlti_couple_measure_link(rlti_couple *couple, int k);
/* The law of a link by lumped masses, as spring and memory of its own; `softness` of both points, as often as
 * they are shared. */
void rlti_couple_make_link(const rlti_couple *couple, const rlti_couple_link *link, const double softness[2],
                           int warm, rlti_couple_spring *spring, rlti_couple_memory *memory);
/* The force of a link that has so much extension without it. */
double rlti_couple_link_force(const rlti_couple_spring *spring, const rlti_couple_memory *memory, double v);
/* A link by blocks of the inverse, for itself. */
void rlti_couple_update_link(rlti_couple *couple, int k);
/* A link by whole inverses: how much its force changes where the strands are now. */
double rlti_couple_change_link(const rlti_couple *couple, int k);
/* As contacts are carried on: how far forces turn back; and by a share of their last change. */
double rlti_couple_links_back(const rlti_couple *couple, int count);
void rlti_couple_carry_links(rlti_couple *couple, int count, double share);

#endif
