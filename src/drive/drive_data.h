/* Inside of the drive, shared by the files of drive/. */
#ifndef RLTI_DRIVE_DRIVE_DATA_H
#define RLTI_DRIVE_DRIVE_DATA_H

#include "drive/drive.h"
#include "drive/wind.h"
#include "shape/reshape.h"

struct rlti_drive {
    rlti_drive_def def;
    int longest;       /* points of the longest strand */
    double outer_step; /* [s] */
    int slow_interval; /* outer steps between two samples of the wind and of rest shapes that change */

    /* which strands are computed here */
    rlti_particles *particles; /* of hair-hair contacts */
    rlti_graph *graph;         /* which hairs may touch */
    rlti_spread *spread;
    int local_count, *local; /* strands computed here, ascending */

    /* bodies that hair must not pass */
    rlti_colliders *colliders;
    int posed;               /* the frame whose interval they are in; INT_MIN: still at rest */
    float *thickness;        /* [point_count] how far each point stays from bodies: less near the roots */
    int *home;               /* [point_count] the collider it was groomed nearest to, or -1 */
    rlti_memory *memory;     /* [point_count] of colliders near by, within the present frame */
    unsigned char *any_side; /* [strand_count] 1: groomed through a sheet, and left so */
    double *widths;          /* [point_count] drawn diameter [unit] */

    rlti_drive_edges *edges; /* bodies for contacts of edges; NULL: no solver asks for them */
    rlti_passed *passed;     /* [point_count] in the present step, or NULL */

    rlti_wind wind;
    rlti_springs *springs;  /* hair-hair contacts: their memory is state; NULL: none */
    rlti_holds *holds;      /* constraints; NULL: none */
    rlt_pose_report *poses; /* [rlti_pose_count] */
    rlti_reshape *reshape;  /* a rest shape that changes; NULL: it does not */
    int pull_count;
    rlti_pull pulls[RLTI_PULLS_MAX];
    double pull_stiffness; /* [1/s^2] */
    double *size;          /* [hair_count] how large its hair is now, against the groom */

    /* state */
    rlti_vec3 *origins;      /* [strand_count] world */
    float *positions;        /* [point_count][3] the blackboard */
    float *velocities;       /* [point_count][3] */
    rlti_interval now;       /* the present step */
    int airs, reshapes;      /* 1: the wind, rest shapes are sampled in this step */
    double wind_strength;    /* in this step */
    double *contact_ends;    /* [outer_steps] of hair-hair contacts here, in each step of the frame */
    long long *plane_counts; /* [strand_count] in the last step */
    double seconds_exchange; /* waiting for other ranks, and sending */
    long long limited, searches;

    /* working memory of one worker each */
    rlti_laps *laps;      /* [threads] */
    rlti_plane *planes;   /* [threads][longest] */
    float *air;           /* [threads][longest][3] */
    float (*pushes)[3];   /* [threads][longest] */
    int *push_points;     /* [threads][longest] where points are pulled */
    rlti_hold *hold_list; /* [threads][maximum of holds of a strand] */
};

/* drive_edges.c: once the thickness is known, and bodies are at rest; 0: out of memory. */
int rlti_drive_settle_edges(rlti_drive *drive, rlt_messages *messages);
void rlti_drive_free_edges(rlti_drive *drive);
size_t rlti_drive_edges_bytes(const rlti_drive *drive);

/* drive_thickness.c: rest distances of the groom, with warnings for hair inside colliders. */
void rlti_drive_set_thickness(rlti_drive *drive, rlt_messages *messages);

#endif
