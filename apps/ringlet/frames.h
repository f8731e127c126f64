/* Frames for pictures, one after the other: of a scene, which is simulated for it, or of a file with
 * curves. */
#ifndef RINGLET_APP_FRAMES_H
#define RINGLET_APP_FRAMES_H

#include "command.h"
#include "json.h"

/* Hairs between guides, as options say; 0, or FRAMES_BLEND_OF_SCENE, is what the scene says. */
typedef struct frames_hairs {
    int count, points, blend;
} frames_hairs;

enum { FRAMES_BLEND_OF_SCENE = 4 };
extern const char *const frames_blend_names[]; /* of rlt_fill_blend, in its order, and of the scene's */

/* Settings that every command that shows frames has. */
typedef struct frames_settings {
    const char *input;   /* a scene file, an embedded scene or a file with curves */
    const char *output;  /* NULL: not named */
    args_list overrides; /* key=value, of a scene; of a file what is about pictures */
    const char *look;    /* a scene whose look a file is to have; NULL: its own */
    args_frames frames;  /* which are wanted; all of it is filled in by frames_choose */
    frames_hairs hairs;
    int threads; /* 0 = one per core */
    int quiet, as_json;
    int force; /* replace an output that exists */
} frames_settings;

#define FRAMES_SETTINGS                                                                                      \
    {                                                                                                        \
        .frames = {.takes_one = 1, .takes_step = 1}, .hairs = {.blend = FRAMES_BLEND_OF_SCENE }              \
    }

/* Rows of their options, at the beginning and at the end of a command's table. */
#define FRAMES_FIRST_OPTIONS(s, output_help, frames_help)                                                    \
    {"output", 'o', ARGS_TEXT, &(s)->output, "OUT", (output_help), 0, NULL},                                 \
        {"frames", 'f', ARGS_FRAMES, &(s)->frames, "A:B:S", (frames_help), 0, NULL},                         \
        {"hairs", 0,   ARGS_INT, &(s)->hairs.count, "N", "hairs in all (default: hair.fill of the scene)",   \
         0,       NULL},                                                                                     \
    {                                                                                                        \
        "blend", 0, ARGS_CHOICE, &(s)->hairs.blend, "HOW",                                                   \
            "how hairs between guides are made: locks, curls, points or wisps", 0, frames_blend_names        \
    }
#define FRAMES_LAST_OPTIONS(s)                                                                               \
    ARGS_FORCE(&(s)->force), ARGS_THREADS(&(s)->threads), ARGS_SET(&(s)->overrides),                         \
        ARGS_QUIET(&(s)->quiet), ARGS_JSON(&(s)->as_json)

/* Starts with its settings, else all zero. */
typedef struct frames_input {
    frames_settings *settings;
    /* known once it is open */
    rlt_scene *scene; /* NULL: a file with curves */
    rlt_scene *look;  /* what pictures are to show it by: of a file; NULL: not given */
    rlt_simulation *simulation;
    rlt_cache *cache;
    int first, last; /* frames there are */
    double frames_per_second;
    int interrupted; /* stopped by a signal */
    double begun;    /* console_seconds() when the first frame began */
    int begun_frame;
} frames_input;

/* Those who watch. Each may be NULL; a failure stops. `velocities` of the mesh's vertices may be NULL. */
typedef struct frames_watch {
    rlt_status (*take)(const rlt_frame_view *view, const double *velocities, void *context);
    void (*pass)(const rlt_frame_view *view, void *context); /* every frame simulated, after `take` */
    void *context;
} frames_watch;

/* 1: a scene by its name, 0: a file with curves. */
int frames_is_scene(const char *name);

/* Before anything is opened: the output must be named (`names` are examples of it) and not be the input. */
rlt_status frames_check(const frames_settings *settings, const char *names, rlt_messages *messages);

/* Loads a scene and builds its simulation, or opens a file. The wanted frames say how far a scene goes. */
rlt_status frames_open(frames_input *input, rlt_messages *messages);

/* How many frames an output takes, and which one where none was asked for. */
typedef enum frames_capacity { FRAMES_ALL, FRAMES_FIRST, FRAMES_LAST } frames_capacity;

/* Fills the wanted frames in. Those that are not there are refused, with a line printed, and more than one
 * where the output takes one: `why` says so. */
rlt_status frames_choose(frames_input *input, frames_capacity capacity, const char *why);

/* Shows the wanted frames in their order. */
rlt_status frames_each(frames_input *input, const frames_watch *watch, rlt_messages *messages);

/* "  left 1:20" once `frame` is done, "" after the last one. */
const char *frames_left(const frames_input *input, int frame, char *text, size_t size);

/* The files that were opened for it. */
const rlt_inputs *frames_inputs(const frames_input *input);
/* Links of the hair it has to other prims: material bindings, relationships. */
int frames_links(const frames_input *input);

void frames_close(frames_input *input);

/* The scene that says how pictures show the input; NULL: none does. */
const rlt_scene *frames_look(const frames_input *input);

/* Hairs between guides: the library's defaults, the scene's values (it may be NULL), then the options'.
 * Returns how many of `sections` there are, for rlt_fill_def.sections; 0: the definition is that of all. */
int frames_hairs_apply(const frames_hairs *hairs, const rlt_scene *scene, rlt_fill_def *def,
                       rlt_fill_def sections[RLT_RENDER_LOOKS_MAX]);

/* Prints the messages, and where a signal ended it that. */
void frames_report(const frames_input *input, const rlt_messages *messages);

/* The beginning of the object about a run: status, input, output and number of frames. */
void frames_json(json *out, const frames_input *input, rlt_status status, int written);

#endif
