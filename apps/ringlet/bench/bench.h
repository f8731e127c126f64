/* Shared by the files of `ringlet bench`: settings, variants of a workload, and what is made of their times.
 */
#ifndef RINGLET_APP_BENCH_H
#define RINGLET_APP_BENCH_H

#include "args.h"
#include "json.h"
#include "ringlet/ringlet.h"

enum { BENCH_FRAMES_MAX = 1000 };

typedef struct bench_settings {
    int frames;          /* timed; 0 = what the workload has */
    int warmup;          /* frames before them; -1 = what the workload has */
    int threads;         /* of each rank; 0 = 2 alone, 1 under mpirun */
    int compare;         /* also without pruning, with 1 and 2 threads, and the cuts of partitions */
    int scene;           /* print the workload's scene, and do no more */
    int json, quiet;     /* one JSON object instead of text; no progress */
    args_list overrides; /* key=value */
    rlt_ranks *ranks;    /* NULL = alone */
} bench_settings;

typedef struct bench_workload bench_workload;

/* Runs a workload and, on rank 0 where all went well, adds one object to `out` or prints it. Collective. */
typedef rlt_status bench_function(const bench_workload *workload, const bench_settings *settings,
                                  rlt_messages *messages, json *out);

struct bench_workload {
    const char *name;
    const char *scene; /* embedded; empty: none, or made by the workload */
    bench_function *run;
    int frames, warmup; /* by default */
    int asked_only;     /* 1: not part of a run without names */
    const char *help;
};

bench_function bench_strands, bench_character, bench_scaling, bench_growth, bench_constraints, bench_rods,
    bench_contacts, bench_files, bench_pictures, bench_live;

/* The settings, or the workload's own where nothing was asked for. */
int bench_frames(const bench_workload *workload, const bench_settings *settings);
int bench_warmup(const bench_workload *workload, const bench_settings *settings);
int bench_threads(const bench_settings *settings);
/* Rank 0 writes and speaks. */
int bench_leads(const bench_settings *settings);
/* A line of progress, unless --quiet. */
void bench_say(const bench_settings *settings, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* RLT_FAILED on all ranks once Ctrl-C was pressed on one. Collective. */
rlt_status bench_continue(const bench_settings *settings);

/* Zeroed memory, or NULL, which is reported; where there are other ranks, that ends them all. */
void *bench_allocate(const bench_settings *settings, size_t count, size_t size);

/* ---- bench_variant.c ---- */

/* A variant of a workload, timed frame by frame. */
typedef struct bench_variant {
    rlt_simulation *simulation;
    rlt_writer *writer;                                   /* rank 0 of the one that writes, else NULL */
    int count;                                            /* frames timed */
    double wall[BENCH_FRAMES_MAX], cpu[BENCH_FRAMES_MAX]; /* [s] of each, writing not included */
    double write_wall[BENCH_FRAMES_MAX], write_cpu[BENCH_FRAMES_MAX]; /* [s] */
    double frame_wall[BENCH_FRAMES_MAX], frame_cpu[BENCH_FRAMES_MAX]; /* [s] both together */
    double contacts;           /* mean of an outer step, summed over frames */
    rlt_statistics start, now; /* before the first timed frame, and now */
} bench_variant;

/* Builds the simulation. Collective, as are the next two. */
rlt_status bench_variant_create(bench_variant *variant, const rlt_scene *scene,
                                const bench_settings *settings, int threads, rlt_messages *messages);
/* One frame, and its writing; kept only if `timed`. */
rlt_status bench_variant_frame(bench_variant *variant, const bench_settings *settings, int timed,
                               rlt_messages *messages);
/* Warm-up and timed frames of variants that take turns, so that a slow spell of the machine hits all. */
rlt_status bench_variants_run(bench_variant *const *variants, int count, const bench_workload *workload,
                              const bench_settings *settings, rlt_messages *messages);
/* After the last frame: CPU times become those of all ranks. */
void bench_variant_sum(bench_variant *variant, const bench_settings *settings);
void bench_variant_destroy(bench_variant *variant);

/* The embedded scene with a preroll of `warmup` frames, the settings' overrides and `more`. */
rlt_status bench_load(const char *scene, const bench_settings *settings, int warmup, const char *const *more,
                      int more_count, rlt_messages *messages, rlt_scene **loaded);

/* Up to BENCH_COLLIDE in the worker threads. */
enum {
    BENCH_DETECT,
    BENCH_INTERNAL,
    BENCH_CONTACT,
    BENCH_DAMPING,
    BENCH_COLLIDE,
    BENCH_EXCHANGE,
    BENCH_WRITE,
    BENCH_DRIVE,
    BENCH_CHECK,
    BENCH_PHASES
};
extern const char *const bench_phase_names[BENCH_PHASES];

/* Seconds of a frame by phase, mean over the timed frames. */
typedef struct bench_phases {
    double of[BENCH_PHASES];
} bench_phases;

/* Taken once after the last frame. */
typedef struct bench_totals {
    bench_phases wall; /* of a thread, mean over threads and ranks */
    bench_phases cpu;  /* of all ranks: their CPU-seconds, shared out in proportion to the above */
    double bytes;      /* of model and state, all ranks */
    double peak;       /* maximum of memory of the processes */
} bench_totals;

/* Collective, after bench_variant_sum. `peak` is this process's, or 0: what it is now. */
bench_totals bench_total(const bench_variant *variant, const bench_settings *settings, double peak);

/* An object of seconds by phase. */
void bench_json_phases(json *out, const char *name, const bench_phases *phases);

/* The fields that every workload but strands has, into an open object. */
void bench_json_common(json *out, const bench_workload *workload, const bench_settings *settings,
                       const bench_variant *variant, const bench_totals *totals);

/* ---- bench_measure.c ---- */

double bench_median(const double *values, int count);
/* The best round: whatever else the machine does only ever makes a round slower. */
double bench_best(const double *values, int count);
/* Median over the rounds of a / b. The two took turns, so a slow spell of the machine hits both. */
double bench_paired(const double *a, const double *b, int count);
/* Seconds of the processor that this process has used. */
double bench_cpu_seconds(void);
/* Most memory of this process since bench_peak_restart, or, where the system cannot restart, since its start
 * [byte]. */
double bench_peak(void);
void bench_peak_restart(void);

#endif
