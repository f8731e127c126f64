/* Whole heads of hair for the tests of contacts: volume, rest, pruning. A head is a scene of the program, by
 * default with fewer hairs, in one of two forms:
 * - thinned out: each hair stands for more. Its contact radius grows with the square root of the hairs left
 *   out, so that all locks together fill the same space;
 * - a small head: the same hairs to an area and the same radii, so that as many hairs and points touch as on
 *   the whole head. */
#ifndef RINGLET_APP_VALIDATE_HEAD_H
#define RINGLET_APP_VALIDATE_HEAD_H

#include "validate/validate.h"

enum { HEAD_SETTINGS = 24, HEAD_SETTING = 96 };

typedef struct head_ramp head_ramp;

typedef struct head_kind {
    const char *name, *scene;
    int hairs;               /* of the scene */
    int few, few_points;     /* in place of these, and points of one */
    int force_steps;         /* of small runs: as few as the material allows */
    double size;             /* of a small head, 1: thinned out */
    double length;           /* of a hair where it is shorter than in the scene, else 0 [unit] */
    const head_ramp *radius; /* the preset's contact.radius */
    int outer_steps;         /* in a second */
    double fall; /* hair.fall it was measured with, where the scene is groomed in another way; else 0 */
} head_kind;

/* By name: the scenes' names, and "redhead-small", a small head. */
const head_kind *head_find(const char *name);

/* Overrides of a scene. */
typedef struct head_settings {
    char texts[HEAD_SETTINGS][HEAD_SETTING];
    const char *list[HEAD_SETTINGS];
    int count;
} head_settings;

/* Starts the list with what leaves hairs out; with nothing where `full`. */
void head_begin(head_settings *settings, const head_kind *kind, int full);
void head_set(head_settings *settings, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A run that diverges adds a failed result and returns RLT_DIVERGED. */
rlt_status head_simulate(validate_run *run, const head_kind *kind, head_settings *settings,
                         validate_frame on_frame, void *context);

/* Number of cells of a cubic grid with at least one of the points in it; -1 when out of memory. */
long head_cells(const double *points, int count, double size);

/* Contact radius of every point [unit], with fewer hairs or all. */
void head_radii(const head_kind *kind, int full, const rlt_frame_view *view, double *radii);

/* Pairs of points of different hairs nearer to each other than `share` of the distance at which they touch:
 * the sum of their radii, or their distance in the groom where that is less. -1 when out of memory. */
long head_near_pairs(const rlt_frame_view *view, const double *radii, double share);

double head_distance(const double *a, const double *b); /* of two points */

/* Length of each hair in the groom [unit], and the mean of the points of each, [hairs][3]. */
void head_lengths(const rlt_frame_view *view, double *lengths);
void head_middles(const rlt_frame_view *view, double *middles);

#endif
