/* Runs that end before their time, and resumed ones: SIGKILL, SIGINT and SIGTERM at any instant, and damage
 * to what they leave behind. */
#include "kinds.h"

#include <signal.h>
#include <unistd.h>

static int begin(trial *t, shot *s, job *j, char *output, size_t size) {
    char whole[64];
    shot_make(t, s, 0);
    job_simulate(t, j, s, "");
    job_name(j, "out", output, size);
    job_name(j, "whole", whole, sizeof whole);
    return !t->failed && job_refer(t, j, whole, 0);
}

#define ATTEMPTS 12 /* at most, until a run is struck */

/* After a run that was done before it could be struck the next one begins anew, mostly. */
static void forget_done(trial *t, const char *output, int strikes) {
    if (strikes > 0 && trial_one_in(t, 4))
        return;
    unlink(output);
    trial_log(t, "rm -f %s", output);
}

/* Killed again and again, resumed or begun anew each time; under the output's name is nothing or the whole.
 */
void kind_kill(trial *t) {
    shot s;
    job j = {0};
    char output[64];
    int kills = 0, wanted = 1 + trial_pick(t, 5);
    int ready = begin(t, &s, &j, output, sizeof output);
    for (int i = 0; ready && (i < wanted || (kills == 0 && i < ATTEMPTS)) && !t->failed; i++) {
        int killed = job_kill(t, &j, output, trial_one_in(t, 5) ? "" : " --resume");
        kills += killed;
        if (file_exists(output) && job_check_bytes(t, &j, output) && !killed)
            forget_done(t, output, kills);
    }
    if (ready && !t->failed)
        job_resume(t, &j, output);
    if (!t->failed && kills == 0)
        trial_skip(t, "never killed in time");
    job_free(&j);
}

/* One run that is asked to stop; the frames so far are a whole file. */
static int interrupt(trial *t, const job *j, const char *output) {
    char kept[128];
    snprintf(kept, sizeof kept, "%s.checkpoint", output);
    launch w = job_launch(t, j, output, " --resume");
    w.signal = w.ranks > 1 || trial_one_in(t, 2) ? SIGTERM : SIGINT;
    w.after = trial_fraction(t) * j->seconds * 1.1;
    if (w.ranks == 1 && trial_one_in(t, 2)) {
        w.await = kept;
        w.after = trial_fraction(t) * 0.3 * j->seconds;
    }
    ending e = child_run(t, &w);
    if (e.code == -w.signal || (w.ranks > 1 && e.code > 128)) /* before anything was begun */
        return 1;
    return job_check_exit(t, &e, DONE | 1 << 1, "a run that was asked to stop") &&
           job_check_readable(t, output) && e.code != 0;
}

void kind_interrupt(trial *t) {
    shot s;
    job j = {0};
    char output[64];
    int stops = 0, wanted = 1 + trial_pick(t, 4);
    int ready = begin(t, &s, &j, output, sizeof output);
    for (int i = 0; ready && (i < wanted || (stops == 0 && i < ATTEMPTS)) && !t->failed; i++)
        if (interrupt(t, &j, output))
            stops++;
        else if (!t->failed)
            forget_done(t, output, stops);
    if (ready && !t->failed)
        job_resume(t, &j, output);
    if (!t->failed && stops == 0)
        trial_skip(t, "never stopped in time");
    job_free(&j);
}

/* Removes all that stands beside the output, as a user would who is asked to. */
static void clean_up(trial *t, const char *output) {
    names left = {0};
    file_list(".", output, &left);
    for (int i = 0; i < left.count; i++) {
        unlink(left.name[i]);
        trial_log(t, "rm -f %s", left.name[i]);
    }
}

/* Resumes with damaged files: refused, or the right bytes. What was refused can be begun anew, at the latest
 * when the damaged files are gone. */
static void resume_damaged(trial *t, const job *j, const char *output) {
    launch w = job_launch(t, j, output, " --resume");
    ending e = child_run(t, &w);
    if (!job_check_exit(t, &e, DONE | REFUSED, "--resume with damaged files"))
        return;
    if (e.code == 0) {
        job_check_whole(t, j, output);
        return;
    }
    if (file_exists(output) && !job_check_bytes(t, j, output))
        return;
    for (int cleaned = 0; cleaned < 2 && e.code != 0 && !t->failed; cleaned++) {
        if (cleaned)
            clean_up(t, output);
        w = job_launch(t, j, output, "");
        e = child_run(t, &w);
        job_check_exit(t, &e, cleaned ? DONE : DONE | REFUSED, "a new run after damage");
    }
    if (!t->failed)
        job_check_whole(t, j, output);
}

void kind_damage(trial *t) {
    shot s;
    job j = {0};
    char output[64];
    names left = {0};
    int ready = begin(t, &s, &j, output, sizeof output) && job_leave_checkpoint(t, &j, output);
    if (ready)
        file_list(".", output, &left);
    if (left.count == 0) {
        if (!t->failed)
            trial_skip(t, "no checkpoint was left");
    } else {
        for (int i = trial_one_in(t, 4); i >= 0; i--) { /* one damage, or two */
            const char *name = left.name[trial_pick(t, left.count)];
            if (file_exists(name))
                file_damage(t, name);
        }
        resume_damaged(t, &j, output);
    }
    job_free(&j);
}
