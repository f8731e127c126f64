/* From guides to a head of hair: many hairs around and between a few simulated ones.
 *
 * Hairs are made when asked for, block by block, so that a million of them need no more memory than a block.
 */
#ifndef RINGLET_FILL_H
#define RINGLET_FILL_H

#include <stddef.h>
#include <stdint.h>

#include "ringlet/simulation.h"
#include "ringlet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a hair between guides gets its shape. */
typedef enum rlt_fill_blend {
    RLT_FILL_CURLS,  /* the middle lines of the curls are blended, the curl is wound around the result */
    RLT_FILL_POINTS, /* point by point: curls of different phase cancel; for comparison, and straight hair */
    RLT_FILL_WISPS,  /* each guide by itself, shown as hairs that follow its frames */
    RLT_FILL_LOCKS   /* locks between guides, each with a curl of its own; hairs gather in them */
} rlt_fill_blend;

#define RLT_FILL_NEIGHBOURS_MAX 8
#define RLT_FILL_POINTS_MAX     1024
#define RLT_FILL_LOCKS_MAX      64

/* Start from rlt_fill_defaults(). Lengths in scene units. */
typedef struct rlt_fill_def {
    size_t size; /* of this struct: sizeof */
    rlt_fill_blend blend;
    long long hairs; /* in all; 0: hairs_per_guide for each guide */
    double hairs_per_guide;
    int points;              /* of a hair of full length; 0: as many as the longest guide has */
    int neighbours;          /* guides that a hair is blended from, 1..8 */
    double spread;           /* how far from its guide's root a hair may grow, in mean distances of guides */
    double parting;          /* guides whose hair falls in directions this far apart do not blend [degrees] */
    double clump;            /* how far a hair is drawn to its guide or lock, 0: not at all, 1: altogether */
    double clump_start;      /* fraction of the length at which that begins; full at the tip */
    double wisp_radius;      /* of a wisp at its widest; 0: half the mean distance of guides */
    double wisp_tip;         /* the same at the tip, as a share */
    double phase;            /* hairs are turned about the curl's middle line by up to this angle [degrees] */
    double length_variation; /* hairs are shorter by up to this share */
    double noise;            /* deviation of single hairs, full at the tip */
    double noise_length;     /* over which it changes */
    double width;            /* factor on the guide's width */
    double tip;              /* width at the tip, as a share of that at the root */
    int outside;             /* 1: hairs between guides are kept out of the view's body */
    uint64_t seed;
    int locks;           /* locks a guide, of different sizes, 1..64 */
    int full;            /* guides at which hair is full: rlt_fill_fit; 0: any number */
    double clump_large;  /* how far locks are drawn to their guide */
    double clump_small;  /* how far hairs of a lock gather in small groups */
    double lock_radius;  /* of a lock at its widest; 0: from the distance of locks */
    double frizz;        /* short waves of single hairs, full at the tip */
    double frizz_length; /* of one wave */
    double strays;       /* share of hairs that leave their lock */
    double hairline;     /* how far hair thins and shortens where it ends, 0..1 */
    double tip_start;    /* fraction of the length at which hairs begin to taper to `tip` */
    /* [section_count] definitions of the view's hair sections, where these differ; of this one then only
     * hairs and points (0: as each section's) count. Need not outlive rlt_fill_create. NULL: this for all */
    const struct rlt_fill_def *sections;
    int section_count;
} rlt_fill_def;

/* Sets all of it but its size to the defaults. */
rlt_status rlt_fill_def_reset(rlt_fill_def *def);
static inline rlt_fill_def rlt_fill_defaults(void) {
    rlt_fill_def def;
    def.size = sizeof def;
    rlt_fill_def_reset(&def);
    return def;
}

/* Turns the definition into the one that counts for this many guides. Fewer than `full` carry as many hairs
 * and locks more each, and one wisp a guide becomes several locks of that size, so that hair stays full.
 * rlt_fill_create does it by itself. */
rlt_status rlt_fill_fit(rlt_fill_def *def, int guides);

typedef struct rlt_fill rlt_fill;

/* Decides how many hairs grow where and from which guides they take their shape. The view is any frame (the
 * first, usually); its `rest` (or, without, its points) is the groom. RLT_BAD_INPUT names what is wrong: no
 * guides, guides of one point, numbers out of range. */
rlt_status rlt_fill_create(const rlt_frame_view *view, const rlt_fill_def *def, rlt_messages *messages,
                           rlt_fill **fill);
void rlt_fill_destroy(rlt_fill *fill);

/* How many hairs there are, in all. */
long long rlt_fill_hairs(const rlt_fill *fill);
/* Points of the longest hair: what a block needs for each. */
int rlt_fill_points(const rlt_fill *fill);

/* Takes the guides of another frame of the same strands and mesh. */
rlt_status rlt_fill_frame(rlt_fill *fill, const rlt_frame_view *view, rlt_messages *messages);

/* Hairs `first` to `first` + `count` - 1 in that frame. Each has rlt_fill_points() places in `points` and
 * `widths`, of which counts[i] are filled. May be called from several threads at once. */
void rlt_fill_block(const rlt_fill *fill, long long first, int count, float *points /* [count][points][3] */,
                    float *widths /* [count][points] */, int *counts /* [count] */);

/* The guide a hair grew around. */
int rlt_fill_guide(const rlt_fill *fill, long long hair);

#ifdef __cplusplus
}
#endif

#endif
