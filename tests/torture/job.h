/* Jobs: commands of the program with scenes to run them on, the bytes an unbroken run gives, and what is to
 * be true afterwards. */
#ifndef TORTURE_JOB_H
#define TORTURE_JOB_H

#include "child.h"
#include "files.h"

#define REFUSED (1 << 1 | 1 << 2) /* exit codes 1 and 2, as bits */
#define DONE    (1 << 0)

/* A scene in the current folder. */
typedef struct shot {
    char scene[32];
    char settings[128]; /* --set ... */
    int generated;      /* its text was made up; else it is one of scenes/files */
    int light;          /* quick even without SIMD */
    int frames;
    names inputs; /* the files it reads */
} shot;

/* A command but for its output, and what an unbroken run of it gives. */
typedef struct job {
    char before[384], after[192]; /* the output's name is between the two */
    char ending[8];
    int resumes;        /* it knows --resume and --checkpoint */
    int light;          /* as its shot */
    char reference[64]; /* file of the unbroken run */
    bytes whole;        /* its bytes */
    double seconds;     /* it took */
} job;

/* Writes a random scene with its files. With `files` it has at least one. */
void shot_make(trial *t, shot *s, int files);
/* Writes the text of a generated scene anew, with other numbers. */
void shot_change(trial *t, const shot *s);

/* Simulates the shot, with further options. */
void job_simulate(trial *t, job *j, const shot *s, const char *more);
/* Converts, fills or renders a file with curves; or simulates, where `source` is NULL. */
void job_any(trial *t, job *j, const shot *s, const char *source);
/* Runs the job to `name` and keeps the bytes; 0 where it does not succeed, a failure unless `may_fail`. */
int job_refer(trial *t, job *j, const char *name, int may_fail);
void job_free(job *j);

/* The command with an output and random threads, ranks, --simd and --checkpoint. */
launch job_launch(trial *t, const job *j, const char *output, const char *options);
/* The name of a job's output: a folder or "", a word, and the job's ending. */
void job_name(const job *j, const char *stem, char *name, size_t size);

/* Each notes a broken promise and returns 0.
 * job_check_exit: one of the exit codes in `allowed` (bits), in time, with a message where it is not 0.
 * job_check_whole: the file has the reference's bytes, and beside it is nothing that is not beside that.
 * job_check_readable: there is no such file, or `ringlet inspect` can read it. */
int job_check_exit(trial *t, const ending *e, int allowed, const char *what);
int job_check_bytes(trial *t, const job *j, const char *output);
int job_check_whole(trial *t, const job *j, const char *output);
int job_check_readable(trial *t, const char *output);

/* Runs a job that is ended by SIGKILL at a random instant, or in the middle of a write; 1 where it was ended.
 */
int job_kill(trial *t, const job *j, const char *output, const char *options);
/* Does so until a checkpoint is left; 0 where that does not come about. */
int job_leave_checkpoint(trial *t, const job *j, const char *output);
/* Resumes a broken run, which must give the unbroken one's bytes. */
int job_resume(trial *t, const job *j, const char *output);

#endif
