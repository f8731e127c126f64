/* Odd surroundings: standard descriptors that are closed, and links, pipes and folders where the program
 * wants to put its temporary files. */
#include "kinds.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A job of any command, with its reference. */
static int begin(trial *t, job *j) {
    shot s;
    job source = {0};
    char name[64];
    shot_make(t, &s, 0);
    int simulates = trial_one_in(t, 2), ready = !t->failed;
    if (!simulates && ready) {
        job_simulate(t, &source, &s, "");
        job_name(&source, "source", name, sizeof name);
        ready = job_refer(t, &source, name, 0);
    }
    job_any(t, j, &s, simulates ? NULL : name);
    job_free(&source);
    job_name(j, "whole", name, sizeof name);
    return ready && job_refer(t, j, name, 0);
}

/* Drops `-q`, so that there is something to say. */
static void speak(launch *w) {
    char *quiet = strstr(w->arguments, " -q");
    if (quiet != NULL)
        memmove(quiet, quiet + 3, strlen(quiet + 3) + 1);
}

void kind_closed(trial *t) {
    job j = {0};
    char output[64];
    if (begin(t, &j)) {
        job_name(&j, "out", output, sizeof output);
        int prints = trial_one_in(t, 4), closed = trial_pick(t, 8);
        launch w = job_launch(t, &j, output, prints ? " --json" : "");
        w.ranks = 1;
        w.closed = closed;
        speak(&w);
        ending e = child_run(t, &w);
        int lost = prints && closed & 1 << 1; /* what was to be printed: exit code 1 says so, where it can */
        if (lost && e.code == 1 && closed & 1 << 2)
            snprintf(e.said, sizeof e.said, "nothing can be heard");
        if (job_check_exit(t, &e, DONE | (lost ? 1 << 1 : 0), "a run with closed descriptors"))
            job_check_whole(t, &j, output);
    }
    job_free(&j);
}

/* ---- in the way ---- */

/* The names a run has beside its output, learnt by watching one, and those of old. */
static void learn_names(trial *t, const job *j, const char *output, names *list) {
    static const char *const usual[] = {".part", ".tmp", ".checkpoint", ".checkpoint.tmp", ".lock"};
    launch w = job_launch(t, j, output, "");
    child c = child_start(t, &w);
    while (!child_has_ended(&c) && clock_seconds() < c.begun + CHILD_SECONDS) {
        file_list(".", output, list);
        sleep_seconds(0.0002);
    }
    ending e = child_wait(t, &c);
    job_check_exit(t, &e, DONE, "the run that is watched");
    for (size_t i = 0; i < sizeof usual / sizeof usual[0] && list->count < NAME_LIMIT; i++)
        snprintf(list->name[list->count++], sizeof list->name[0], "%s%s", output, usual[i]);
    unlink(output);
    trial_log(t, "rm -f %s", output);
}

static void put_in_the_way(trial *t, const char *name) {
    static const char *const ways[] = {"ln -sf victim", "ln -sf nowhere", "ln -f victim", "rm -f x; mkfifo",
                                       "mkdir -p"};
    char line[256];
    snprintf(line, sizeof line, "%s %s", ways[trial_pick(t, 5)], name);
    if (!child_command(t, line, 20))
        trial_fail(t, "the torture program cannot put %s in the way", name);
}

void kind_link(trial *t) {
    static const char text[] = "this file belongs to somebody else\n";
    const bytes victim = {(char *)text, sizeof text - 1};
    job j = {0};
    char output[64];
    names list = {0};
    if (begin(t, &j)) {
        job_name(&j, "out", output, sizeof output);
        file_input(t, "victim", text);
        learn_names(t, &j, output, &list);
    }
    if (list.count > 0 && !t->failed) {
        put_in_the_way(t, list.name[trial_pick(t, list.count)]);
        launch w = job_launch(t, &j, output, j.resumes && trial_one_in(t, 2) ? " --resume" : "");
        w.seconds = 20;
        ending e = child_run(t, &w);
        bytes now = file_read("victim");
        if (job_check_exit(t, &e, DONE | REFUSED, "a run with something in its way") && e.code == 0)
            job_check_bytes(t, &j, output);
        if (!bytes_equal(&now, &victim))
            trial_fail(t, "victim: a link was followed and changed it");
        if (file_exists("nowhere"))
            trial_fail(t, "nowhere: a link that led nowhere was followed");
        bytes_free(&now);
    }
    job_free(&j);
}
