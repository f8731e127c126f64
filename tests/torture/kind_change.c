/* Inputs that change while they are read. The child is stopped while a file is written, so it sees the old
 * bytes before that instant and the new ones after it, and never a half-written file that nobody could blame
 * it for. */
#include "kinds.h"

#include <string.h>
#include <unistd.h>

typedef struct change {
    const char *file;
    bytes old, other; /* two good versions */
    long long cut;    /* length of the file while it is cut, -1: never cut */
    int steps;        /* changes: a cut and the old version again, or the other and the old one in turn */
} change;

static void put(trial *t, const change *c, const bytes *content, const char *from) {
    if (!file_write(c->file, content->data, content->size))
        trial_fail(t, "%s: the torture program cannot write it", c->file);
    trial_log(t, "cat %s > %s", from, c->file);
}

static void cut(trial *t, const change *c) {
    if (truncate(c->file, (off_t)c->cut) != 0)
        trial_fail(t, "%s: the torture program cannot cut it", c->file);
    trial_log(t, "truncate -s %lld %s", c->cut, c->file);
}

/* Does something to the file between SIGSTOP and SIGCONT: cuts it, or puts a version in its place. */
static void while_stopped(trial *t, child *run, const change *c, int step) {
    int stopped = child_stop(run);
    trial_log(t, "kill -STOP $child%d", run->number);
    if (c->cut >= 0 && step == 0)
        cut(t, c);
    else if (c->cut >= 0 || step % 2 == 1)
        put(t, c, &c->old, "old-version");
    else
        put(t, c, &c->other, "other-version");
    trial_log(t, "kill -CONT $child%d", run->number);
    if (stopped)
        child_continue(run);
}

static void pause_script(trial *t, double seconds) {
    trial_log(t, "sleep %.4f", seconds);
    sleep_seconds(seconds);
}

/* Runs the job, and changes the file at a random instant. */
static ending run_changed(trial *t, const job *j, const char *output, const change *c) {
    launch w = job_launch(t, j, output, "");
    w.ranks = 1;
    child run = child_start(t, &w);
    double early = trial_fraction(t); /* most is read at the begin */
    pause_script(t, early * early * j->seconds);
    for (int step = 0; step < c->steps; step++) {
        if (step > 0)
            pause_script(t, trial_fraction(t) * 0.1 * j->seconds);
        while_stopped(t, &run, c, step);
    }
    return child_wait(t, &run);
}

/* What the cut file gives by itself: a run that opened it after the cut may end in the same manner. */
static int as_if_cut(trial *t, const job *j, const char *output, const change *c, const ending *e) {
    char name[64];
    job alone = *j;
    alone.whole = (bytes){NULL, 0};
    job_name(j, "cut", name, sizeof name);
    cut(t, c);
    int done = job_refer(t, &alone, name, 1);
    bytes found = file_read(output);
    int same = done ? e->code == 0 && bytes_equal(&found, &alone.whole) : e->code == 2;
    bytes_free(&found);
    job_free(&alone);
    return same;
}

static void check_changed(trial *t, const job jobs[2], const char *output, const change *c, const ending *e) {
    if (!job_check_exit(t, e, DONE | REFUSED, "an input that changed while it was read"))
        return;
    bytes found = file_read(output);
    int good = e->code == 0 && (bytes_equal(&found, &jobs[0].whole) || bytes_equal(&found, &jobs[1].whole));
    good = good || (e->code == 1 && strstr(e->said, "changed while read") != NULL);
    good = good || (c->cut >= 0 && as_if_cut(t, &jobs[0], output, c, e));
    if (!good && e->code == 0)
        trial_fail(t, "%s: exit 0 with the bytes of neither version of %s", output, c->file);
    else if (!good)
        trial_fail(t, "exit code %d without 'changed while read': %s", e->code, e->said);
    bytes_free(&found);
}

/* Makes the second version of an input, and what it gives. */
static int make_other(trial *t, job jobs[2], const char *input, change *c) {
    char name[64];
    int ready = 0;
    c->old = file_read(input);
    for (int attempt = 0; attempt < 6 && !ready && !t->failed; attempt++) {
        for (int edits = 0; edits < 8; edits++) /* all over the file: a mix must be seen */
            file_edit_digit(t, input);
        job_name(&jobs[1], "whole-other", name, sizeof name);
        ready = job_refer(t, &jobs[1], name, 1);
        if (!ready)
            put(t, c, &c->old, "old-version");
    }
    c->other = file_read(input);
    put(t, c, &c->old, "old-version");
    return ready && c->old.data != NULL && c->other.data != NULL;
}

/* The shot's own simulation, or a conversion of what it gives. */
static int make_jobs(trial *t, shot *s, job jobs[2], char *input, size_t size) {
    job source = {0};
    char name[64];
    int ready = 1, file = trial_pick(t, s->inputs.count);
    snprintf(input, size, "%s", s->inputs.name[file]);
    if (trial_one_in(t, 2)) {
        job_simulate(t, &source, s, " --standalone");
        snprintf(source.ending, sizeof source.ending, ".usda"); /* a text can be edited */
        snprintf(input, size, "source.usda");
        ready = job_refer(t, &source, input, 0);
    }
    job_any(t, &jobs[0], s, source.whole.data != NULL ? input : NULL);
    job_free(&source);
    jobs[1] = jobs[0];
    job_name(&jobs[0], "whole", name, sizeof name);
    return ready && job_refer(t, &jobs[0], name, 0);
}

void kind_change(trial *t) {
    shot s;
    job jobs[2] = {0};
    change c = {.cut = -1, .steps = 1 + trial_pick(t, 3)};
    char input[128], output[64];
    shot_make(t, &s, 1);
    int ready = !t->failed && make_jobs(t, &s, jobs, input, sizeof input);
    c.file = input;
    trial_log(t, "cp %s old-version", input);
    ready = ready && make_other(t, jobs, input, &c);
    file_write("old-version", c.old.data, c.old.size);
    file_write("other-version", c.other.data, c.other.size);
    if (trial_one_in(t, 2)) {
        c.cut = (long long)(trial_fraction(t) * (double)c.old.size);
        c.steps = 1 + trial_pick(t, 2);
    }
    job_name(&jobs[0], "out", output, sizeof output);
    if (ready && !t->failed) {
        ending e = run_changed(t, &jobs[0], output, &c);
        check_changed(t, jobs, output, &c, &e);
    } else if (!t->failed) {
        trial_skip(t, "no second version that the program accepts");
    }
    bytes_free(&c.old);
    bytes_free(&c.other);
    job_free(&jobs[0]);
    job_free(&jobs[1]);
}
