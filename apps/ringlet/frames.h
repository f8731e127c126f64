/* Frames for pictures, one after the other: of a scene, which is simulated for it, or of a file with
 * curves. */
#ifndef RINGLET_APP_FRAMES_H
#define RINGLET_APP_FRAMES_H

#include "args.h"
#include "ringlet/ringlet.h"

/* Which frames are wanted: "A", "A:B", "A:", ":B", each with ":STEP". */
typedef struct frames_range {
    const char *text; /* as given; NULL: not */
    int has_first, has_last;
    int first, last, step;
} frames_range;

/* Starts all zero but for the first lines. */
typedef struct frames_input {
    const char *name;           /* a scene file, an embedded scene or a file with curves */
    const args_list *overrides; /* key=value, of a scene */
    int threads;                /* for the simulation; 0 = one per core */
    int quiet;                  /* no progress of frames */
    /* known once it is open */
    rlt_scene *scene; /* NULL: a file with curves */
    rlt_simulation *simulation;
    rlt_cache *cache;
    int first, last; /* frames there are */
    double frames_per_second;
    int interrupted; /* stopped by a signal */
} frames_input;

/* Those who look. Each may be NULL; a failure stops. `velocities` of the mesh's vertices may be NULL. */
typedef struct frames_watch {
    rlt_status (*take)(const rlt_frame_view *view, const double *velocities, void *context);
    void (*pass)(const rlt_frame_view *view, void *context); /* every frame simulated, after `take` */
    void *context;
} frames_watch;

/* 1: a scene by its name, 0: a file with curves. */
int frames_is_scene(const char *name);

/* Reads range->text, where given. What is wrong with it is printed. */
rlt_status frames_parse(frames_range *range);

/* Loads a scene and builds its simulation, or opens a file. The range says how far a scene goes. */
rlt_status frames_open(frames_input *input, const frames_range *range, rlt_messages *messages);

/* Fills the range in: all frames where nothing was asked for. Frames that are not there are refused, with a
 * line printed. */
rlt_status frames_choose(const frames_input *input, frames_range *range);

/* Shows the wanted frames in their order. */
rlt_status frames_each(frames_input *input, const frames_range *range, const frames_watch *watch,
                       rlt_messages *messages);

/* The files that were opened for it. */
const rlt_inputs *frames_inputs(const frames_input *input);

/* Before anything is opened: `output` must not be the input itself. */
rlt_status frames_check_output(const frames_input *input, const char *output, rlt_messages *messages);

void frames_close(frames_input *input);

/* ---- common to the commands that show frames ---- */

/* Options about hairs between guides; 0, or FRAMES_BLEND_OF_SCENE, is what the scene says. */
typedef struct frames_hairs {
    int count, points, blend;
} frames_hairs;

enum { FRAMES_BLEND_OF_SCENE = 3 };
extern const char *const frames_blend_names[]; /* of rlt_fill_blend, in its order, and of the scene's */

void frames_hairs_apply(const frames_hairs *hairs, rlt_fill_def *def);

/* Parses the arguments, of which one is the input, and runs. Frees the overrides; returns the exit code. */
int frames_command(const args_command *command, int argc, char **argv, const char **input,
                   args_list *overrides, rlt_status (*run)(void *settings, rlt_messages *messages),
                   void *settings);

#endif
