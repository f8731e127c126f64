/* A disk that is full: by a limit on the size of files, or a small file system where one can be mounted. */
#include "kinds.h"

#include <string.h>
#include <sys/stat.h>

/* Exit 1 and a message, or done since all did fit. What is there after a failure can be read: the frames so
 * far where it was a checkpoint that found no space, and else nothing. */
static void check_full(trial *t, const job *j, const char *output, const ending *e) {
    if (!job_check_exit(t, e, DONE | 1 << 1, "a run on a full disk"))
        return;
    if (e->code == 0)
        job_check_whole(t, j, output);
    else if (j->resumes)
        job_check_readable(t, output);
    else if (file_exists(output))
        job_check_bytes(t, j, output);
}

/* With space again the run is resumed; what cannot be resumed is begun anew. */
static void run_with_space(trial *t, const job *j, const char *output) {
    if (t->failed)
        return;
    launch w = job_launch(t, j, output, j->resumes ? " --resume" : "");
    ending e = child_run(t, &w);
    if (job_check_exit(t, &e, DONE, "a run with space again"))
        job_check_whole(t, j, output);
}

/* Files beyond a size cannot be written. The limit leaves enough for the message, which is a file too. */
static void limited(trial *t, const job *j) {
    char output[64];
    job_name(j, "out", output, sizeof output);
    for (int i = trial_pick(t, 3); i >= 0 && !t->failed; i--) {
        launch w = job_launch(t, j, output, j->resumes && trial_one_in(t, 2) ? " --resume" : "");
        w.ranks = 1; /* mpirun writes files of its own */
        w.file_limit = 4096 + 512 * (long long)(trial_fraction(t) * (double)j->whole.size * 1.1 / 512);
        ending e = child_run(t, &w);
        check_full(t, j, output, &e);
    }
    run_with_space(t, j, output);
}

static int mount_small(trial *t, long long kilobytes) {
    char line[128];
    snprintf(line, sizeof line, "mkdir small && mount -t tmpfs -o size=%lldk none small", kilobytes);
    t->mounted = child_command(t, line, 20);
    if (!t->mounted)
        trial_fail(t, "a small file system could be mounted at first, but not now");
    return t->mounted;
}

static void mounted(trial *t, const job *j) {
    char output[64];
    job_name(j, "small/out", output, sizeof output);
    if (!mount_small(t, 8 + (long long)(trial_fraction(t) * 2.2 * (double)j->whole.size / 1024)))
        return;
    launch w = job_launch(t, j, output, "");
    ending e = child_run(t, &w);
    check_full(t, j, output, &e);
    if (!child_command(t, "mount -o remount,size=64m small", 20))
        trial_fail(t, "the small file system could not be made larger");
    run_with_space(t, j, output);
}

/* The report finds no space: the animation must be there all the same, whether or not the exit code is 0. */
static void reported(trial *t, const job *j) {
    char output[64], report[64] = " --report small/report";
    job_name(j, "out", output, sizeof output);
    if (t->torture->has_mounts && !mount_small(t, 16 + trial_pick(t, 100)))
        return;
    launch w = job_launch(t, j, output, report);
    w.ranks = 1;
    if (!t->torture->has_mounts) /* larger than the animation's files, smaller than the page mostly */
        w.file_limit = (long long)(2 * j->whole.size / 512 + 64) * 512;
    ending e = child_run(t, &w);
    if (job_check_exit(t, &e, DONE | 1 << 1, "a run with a report on a full disk"))
        job_check_whole(t, j, output);
}

void kind_full(trial *t) {
    shot s;
    job source = {0}, j = {0};
    char whole[64], from[64];
    int how = trial_pick(t, 12);
    int on_mount = how >= 7 && how < 11 && t->torture->has_mounts;
    if (on_mount && mkdir("roomy", 0777) == 0)
        trial_log(t, "mkdir roomy");
    shot_make(t, &s, 0);
    job_simulate(t, &source, &s, "");
    job_name(&source, "source", from, sizeof from);
    if (how < 4 && !t->failed && job_refer(t, &source, from, 0))
        job_any(t, &j, &s, from);
    else
        job_any(t, &j, &s, NULL);
    if (how == 11 && strcmp(j.ending, ".hair") == 0)
        snprintf(j.ending, sizeof j.ending, ".abc"); /* one frame would be there in any case */
    job_name(&j, on_mount ? "roomy/whole" : "whole", whole, sizeof whole);
    if (!t->failed && job_refer(t, &j, whole, 0)) {
        if (how == 11)
            reported(t, &j);
        else if (on_mount)
            mounted(t, &j);
        else
            limited(t, &j);
    }
    job_free(&source);
    job_free(&j);
}
