/* Where hair came from: which curves of which file a simulation's strands are, so that results can be written
 * back over their source with the same curves, the same points and the same order. */
#ifndef RINGLET_SOURCE_H
#define RINGLET_SOURCE_H

#include <stddef.h>

#include "ringlet/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One prim of curves that a hair section was read from. A section may have several; generated hair has none.
 * Sections may share a prim, each with curves of its own: a source for each. Texts and arrays belong to the
 * simulation and live as long as it. */
struct rlt_source {
    size_t size;        /* of this struct, set by the library */
    int hair;           /* hair section of the scene */
    const char *file;   /* as it was opened */
    const char *format; /* "usda", "usdc", "usdz", "abc", "hair", "tfx" */
    const char *prim;   /* "/ratboy/mohawk" */
    const char *type;   /* "linear", "cubic", "variable" */
    const char *basis;  /* "bezier", "bspline", "catmullRom", "hermite", "power", "none" */
    const char *wrap;   /* "nonperiodic", "periodic", "pinned" */

    /* what the prim has in its file */
    int curve_count, point_count;
    const int *counts;   /* [curve_count] points of each curve */
    const float *points; /* [point_count][3] in the prim's own space, at the rest frame */
    /* the same at the frame the view shows, and per second: NULL where the file does not move its points, or
     * where every curve is simulated; kept by the first source of the prim (below) */
    const float *moved, *moved_velocities;

    /* what became of it */
    int first_strand, strand_count; /* strands of the simulation, in the order of the curves */
    const int *curve;               /* [strand_count] the curve each of them is; others were left out */
    int resampled;                  /* 1: a strand's points are not the curve's own */
    const double *along; /* [point_count] or NULL: where on its strand a curve's point is when resampled, as
                          * index of the strand's point before it plus a fraction */

    /* the same prim in other sections: who writes it back does so once, at the first */
    int first_of_prim; /* number of the first source with this prim, in the view */
    int next_of_prim;  /* number of the next one, or 0: there is none */

    /* units and axes the file's numbers were taken to have: what it states, or else the scene's `files` */
    double metres_per_unit;
    char up;          /* 'Y' or 'Z' */
    double time_code; /* the file's time of the frame the view shows (seconds in Alembic) */
    double codes_per_second;

    /* from the scene's world at the frame the view shows to the prim's own space: row vectors, p' = p M, and
     * what M changes by in a second; units and axes are in it */
    double to_source[16];
    double to_source_rate[16];

    double length_scale;  /* a length of 1 of the prim's own space in the scene's unit, at the rest frame */
    double width;         /* drawn diameter of its curves [unit], from the scene; 0: the file has widths */
    const char *variants; /* the file was opened with, "set=name,..."; "": those it chooses itself */
    int links;            /* of its prim to others: material bindings, relationships */
};

/* All points of a source's prim at the frame of the view, in the prim's own space and the file's order: those
 * simulated, in whichever section, where they are now, those left out where the file has them at that frame.
 * `source` is one of the view's. `points` is [point_count][3]; `velocities`, unless NULL, too: per second, in
 * the prim's own space; of those left out the file's own, else differences over one frame. */
rlt_status rlt_source_points(const rlt_source *source, const rlt_frame_view *view, float *points,
                             float *velocities);

#ifdef __cplusplus
}
#endif

#endif
