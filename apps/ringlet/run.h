/* One run of a scene, from its file to the written frames: shared by simulate and demo. */
#ifndef RINGLET_APP_RUN_H
#define RINGLET_APP_RUN_H

#include "args.h"
#include "json.h"
#include "keeper.h"
#include "ringlet/ringlet.h"
#include "solved.h"

/* Settings of a run. */
typedef struct run_start {
    const rlt_scene *scene;
    const rlt_statistics *statistics;
    int first, last; /* frames that will be written */
    int resumed;     /* the first of them are in the file already and will not be shown */
} run_start;

/* Those who watch a run, on rank 0 only. Each may be NULL; a failure stops the run. */
typedef struct run_watch {
    rlt_status (*begin)(const run_start *start, rlt_messages *messages, void *context);
    /* every frame that is simulated, the preroll's too, with its wall time */
    rlt_status (*step)(const rlt_frame_view *view, const rlt_statistics *statistics, double seconds,
                       void *context);
    /* every frame that is written */
    rlt_status (*frame)(const rlt_frame_view *view, rlt_messages *messages, void *context);
    /* the last good frame, whatever ended the run */
    void (*end)(const rlt_frame_view *view, void *context);
    void *context;
} run_watch;

enum { RUN_OTHERS_MAX = 8 };

typedef struct run_settings {
    const char *scene;   /* a file, or the name of an embedded scene */
    int embedded;        /* the scene is an embedded one, whatever files there are */
    const char *output;  /* the file; its ending says the format */
    int mode;            /* rlt_writer_mode */
    int no_velocities;   /* leave them out */
    int keep_axis;       /* Alembic of a Z-up file stays Z up */
    int unreal;          /* rlt_unreal */
    int physics;         /* write rest shape, masses and stiffness to USD */
    args_frames frames;  /* which frames are written; the run always starts where the scene does */
    args_list overrides; /* key=value */
    args_list owned;     /* texts among them that are the run's own; run_free_texts */
    int takes_up;        /* with resume: no note where there is nothing to take up */
    int threads;         /* 0 = one per core */
    int simd;            /* rlt_simd */
    int quiet;           /* no progress */
    rlt_ranks *ranks;    /* the processes that share the work; all call run_scene alike */
    int checkpoint;      /* frames between two checkpoints, 0 = none, KEEPER_AUTOMATIC */
    int force;           /* replace an output that is finished */
    int resume;          /* resume from the checkpoint, if there is one */
    int salvage;         /* only close the file with the checkpoint's frames */
    run_watch watch;
    const char *others[RUN_OTHERS_MAX]; /* other files that those who watch write; NULL: no more */
} run_settings;

enum { RUN_POSES_MAX = 32 }; /* reported one by one; messages have all */

typedef struct run_result {
    rlt_status status;
    int interrupted;    /* stopped by a signal; status is RLT_FAILED */
    int written;        /* frames in the file */
    int first, last;    /* frame numbers in the file, where written > 0 */
    int output_kept;    /* the file stands under its name */
    int resumed;        /* resumed from a checkpoint */
    int resumed_from;   /* its frame */
    int resumable;      /* a checkpoint is left */
    int resumable_from; /* its frame */
    int was_complete;   /* --resume found the whole file: nothing to do */
    char title[256];    /* of the scene */
    double frames_per_second;
    double seconds;            /* wall, everything */
    double seconds_build;      /* wall, until the first frame */
    double seconds_simulate;   /* wall, from frame to frame */
    double seconds_write;      /* wall, in writers and for pictures */
    double seconds_checkpoint; /* wall */
    unsigned long long hash;   /* of the last good frame: equal hashes, equal bytes */
    rlt_statistics statistics; /* of the last frame */
    solved_frames solved;
    rlt_pose_report poses[RUN_POSES_MAX]; /* the first of statistics.poses */
} run_result;

/* The choices of --simd, in the order of rlt_simd; ends with NULL. */
extern const char *const run_simd_names[];

/* Loads SCENE: an embedded one if so asked, else a file, or where there is none of that name an embedded
 * scene. A last frame in `frames` (which may be NULL) replaces the scene's. */
rlt_status run_load(const char *name, int embedded, const args_frames *frames, const args_list *overrides,
                    rlt_messages *messages, rlt_scene **scene);

/* Says where frames are asked for that the scene does not have: it continues to them. */
void run_say_beyond(const args_frames *frames, int scene_last);

/* Frees the texts that the run owns. */
void run_free_texts(run_settings *settings);

/* The row of the schema that has this key; -1: none. */
int run_schema_row(const char *key);

/* Wall seconds beside those: beginning and ending, progress. */
double run_seconds_other(const run_result *result);

/* Runs to the end, to the first error or to Ctrl-C; the frames written until then are kept, and with
 * checkpoints on everything that a resumed run needs. */
rlt_status run_scene(const run_settings *settings, rlt_messages *messages, run_result *result);

/* The members of one object about a run, but for the messages. */
void run_json(json *out, const run_settings *settings, const run_result *result);

/* "done", "failed", "bad input", "diverged" or "interrupted". */
const char *run_status_name(const run_result *result);

#endif
