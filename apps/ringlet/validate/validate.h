/* Shared by the tests of `ringlet validate`. A test is one file validate_<name>.c with one function and one
 * row in the table of validate.c. It simulates with validate_simulate, measures what the public API shows,
 * and adds one result per case with validate_add. */
#ifndef RINGLET_APP_VALIDATE_H
#define RINGLET_APP_VALIDATE_H

#include "report/plot.h"
#include "ringlet/ringlet.h"

typedef enum validate_verdict {
    VALIDATE_PASS,
    VALIDATE_FAIL,
    VALIDATE_NOT_EXPECTED /* run and reported, but this model is not meant to pass; the reason says why */
} validate_verdict;

enum { VALIDATE_DETAILS = 8, VALIDATE_TEXT = 512 };

/* One line of the report. */
typedef struct validate_result {
    char name[64];     /* what was varied: "redhead, tenth of the damping, paper form" */
    const char *model; /* the strand model; NULL: the one that scenes have unless they name another */
    const char *unit;  /* of measured, and of reference unless the rule says otherwise */
    double measured, reference, tolerance;
    const char *rule; /* when it passes, in these words: "measured <= reference" */
    validate_verdict verdict;
    char reason[VALIDATE_TEXT]; /* one or two sentences */
    struct {
        const char *name; /* a JSON member with its unit at the end: "rest_after_s" */
        double value;
    } details[VALIDATE_DETAILS];
    int detail_count;
} validate_result;

typedef struct validate_run validate_run;

/* Copies the result into the report; RLT_FAILED when out of memory. */
rlt_status validate_add(validate_run *run, const validate_result *result);

/* Adds a number to a result; silently full after VALIDATE_DETAILS. */
void validate_detail(validate_result *result, const char *name, double value);

/* Says on standard error what is being done now. */
void validate_note(const validate_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Called with the first pose and after each frame, preroll included; 0 ends the run there. */
typedef int (*validate_frame)(const rlt_simulation *simulation, const rlt_frame_view *view, void *context);

/* Runs a scene given as text to its last frame. RLT_DIVERGED is for the caller to judge; every other failure
 * has put its messages into the report. *diverged (may be NULL) then holds the message, cut to VALIDATE_TEXT.
 */
rlt_status validate_simulate(validate_run *run, const char *scene_text, validate_frame on_frame,
                             void *context, char *diverged);

/* The same for a scene built into the program, with overrides as --set takes them. */
rlt_status validate_simulate_scene(validate_run *run, const char *name, const char *const *overrides,
                                   int override_count, validate_frame on_frame, void *context,
                                   char *diverged);

/* Warnings of later simulations are what is tested: they are not printed. And how many the last one gave. */
void validate_expect_warnings(validate_run *run, int expected);
int validate_warnings(const validate_run *run);

/* Later simulations are kicked when they stand at `frame`; a velocity of NULL ends that. */
void validate_kick(validate_run *run, int frame, const double velocity[3]);

/* The same with a velocity for each point, [points][3], kept by the caller; NULL ends that. */
void validate_kick_points(validate_run *run, int frame, const double *velocities);

/* Appends formatted text to a scene of `size` bytes at *used; what does not fit makes the scene unreadable,
 * and its loading fails. */
void validate_text(char *text, int size, int *used, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Writes the chart as NAME.svg where --plots was given, and frees it (NULL counts as out of memory). */
rlt_status validate_plot(validate_run *run, plot *chart, const char *name);
/* 1 when --plots was given. */
int validate_plots(const validate_run *run);

/* 1 when --full was given: whole heads of hair and whole cycles, minutes to hours instead of seconds. */
int validate_full(const validate_run *run);

/* The tests. Each adds its results to the run; any status but RLT_OK ends the command. */
typedef rlt_status validate_function(validate_run *run);

validate_function validate_settle, validate_stop, validate_rotation, validate_volume, validate_rest,
    validate_sag, validate_root_frames, validate_pruning, validate_centroid, validate_scalp_relative,
    validate_cantilever, validate_elastica, validate_arc_couple, validate_michell_ring, validate_perversion,
    validate_helical_buckling, validate_bend_twist, validate_lateral_buckling, validate_helix_sag,
    validate_incline, validate_stick_slip, validate_capstan, validate_scissor, validate_dynamics,
    validate_throws, validate_hair_capstan, validate_pile, validate_hair_order, validate_hair_momentum,
    validate_coil_clumps, validate_coil_hanging, validate_coil_torture;

#endif
