/* Builds of the sweeps by lumped masses: one source, an instruction set each. All of them round alike. */
#ifndef RLTI_CONTACT_COUPLE_SWEEP_H
#define RLTI_CONTACT_COUPLE_SWEEP_H

#include <stdint.h>

#include "contact/couple/couple.h"

/* Items of a batch share no point: they are solved at once. */
enum { RLTI_COUPLE_BATCH = 8 };

/* A point: its displacement, and by how much a force moves it. */
typedef double rlti_couple_row[4];

/* Contacts of lumped masses, in world axes. Lanes that are not used, and sides that are bodies, have the row
 * of no point, which is 0. What stands first is all that a sweep reads of contacts that are open. */
typedef struct rlti_couple_lumps {
    _Alignas(64) double normal[3][RLTI_COUPLE_BATCH]; /* rows of lanes are loaded whole */
    double gap[RLTI_COUPLE_BATCH], share[2][RLTI_COUPLE_BATCH];
    int point[2][RLTI_COUPLE_BATCH];  /* first point of the edges in all arrays */
    int item[RLTI_COUPLE_BATCH];      /* the contact's number; -1: not used */
    uint8_t again[RLTI_COUPLE_BATCH]; /* how often it has stuck after it had slipped */
    uint8_t used, hair;               /* bits: lanes with a contact, and with hair on its second side */
    uint8_t slips;                    /* bits: slipped in the last sweep */
    uint8_t forces;                   /* bits: lanes whose force may be other than 0 */
    uint8_t sticks, slides;           /* bits: by the last measure, those that act and stick, or slip */
    uint8_t shown;                    /* bits: lanes whose contact is known to stick or slip */

    _Alignas(64) double slip[3][RLTI_COUPLE_BATCH], r[3][RLTI_COUPLE_BATCH]; /* r: force */
    double model[RLTI_COUPLE_BATCH];                                         /* displacement a force */
    double inverse[2][RLTI_COUPLE_BATCH]; /* 1 / (model + compliance), 1 / model */
    double friction[2]
                   [RLTI_COUPLE_BATCH]; /* static and kinetic; the same once it has stuck again too often */
    double most[RLTI_COUPLE_BATCH];     /* force along the normal */
} rlti_couple_lumps;

/* Links of lumped masses: the fields of rlti_couple_spring. */
typedef struct rlti_couple_springs {
    _Alignas(64) double axis[3][RLTI_COUPLE_BATCH];
    double r[RLTI_COUPLE_BATCH], model[RLTI_COUPLE_BATCH];
    double slope[2][RLTI_COUPLE_BATCH], zero[2][RLTI_COUPLE_BATCH];
    int point[2][RLTI_COUPLE_BATCH];
    int item[RLTI_COUPLE_BATCH];
    uint8_t used, both; /* bits: lanes with a link, and with one whose pull and push may both act */
    double middle[2][RLTI_COUPLE_BATCH], bound[2][RLTI_COUPLE_BATCH]; /* where pull and push both act */
} rlti_couple_springs;

/* Contacts that have stuck again so often after slipping have the kinetic coefficient only. */
enum { RLTI_COUPLE_AGAIN = 4 };

typedef struct rlti_couple_kernel {
    /* Batches one after the other. Items read `seen`, which may be `work`, and move points of `work`. Return
     * by how much the largest change of a force moves its contact, squared, and its link. */
    double (*contacts)(rlti_couple_lumps *batches, int count, rlti_couple_row *work,
                       const rlti_couple_row *seen);
    double (*links)(rlti_couple_springs *batches, int count, rlti_couple_row *work,
                    const rlti_couple_row *seen);
    /* How contacts give way: `points` has softness, and the number of items that share the point. Contacts
     * that nothing can move have no force. */
    void (*blocks)(rlti_couple_lumps *batches, int count, const rlti_couple_row *points, double compliance);
    /* Adds the forces of items to those of their points: rows x, y, z, 1. */
    void (*push_contacts)(const rlti_couple_lumps *batches, int count, rlti_couple_row *forces);
    void (*push_links)(const rlti_couple_springs *batches, int count, rlti_couple_row *forces);
    /* Adds to `result` how far contacts are from their laws where points are, and what they do there. */
    void (*measure)(rlti_couple_lumps *batches, int count, const rlti_couple_row *points,
                    const rlti_couple_settings *settings, rlti_couple_result *result);
} rlti_couple_kernel;

extern const rlti_couple_kernel rlti_couple_kernel_avx512;
extern const rlti_couple_kernel rlti_couple_kernel_avx2;
extern const rlti_couple_kernel rlti_couple_kernel_portable;

#endif
