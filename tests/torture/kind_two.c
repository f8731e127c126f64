/* Two runs with one output, the second begun at some instant of the first. */
#include "kinds.h"

#include <string.h>

/* The bytes under the output's name are those of one of the two that may have written them. */
static void check_one_of(trial *t, const job *a, const job *b, const char *output, const char *when) {
    bytes found = file_read(output);
    if (found.data == NULL)
        trial_fail(t, "%s: %s there is no such file", output, when);
    else if (!(a != NULL && bytes_equal(&found, &a->whole)) && !(b != NULL && bytes_equal(&found, &b->whole)))
        trial_fail(t, "%s: %s it has the bytes of no run that ended with exit 0 (%zu bytes)", output, when,
                   found.size);
    bytes_free(&found);
}

/* Waits for the two; where one is done and the other is not, its file must be there already. */
static void wait_both(trial *t, const job *a, const job *b, child *first, child *second, ending ends[2],
                      const char *output) {
    while (!child_has_ended(first) && !child_has_ended(second) && !torture_is_stopped() &&
           clock_seconds() < second->begun + CHILD_SECONDS)
        sleep_seconds(0.0005);
    child *done = first->ended ? first : second;
    if (done->ended && done->status == 0) /* the other one may have put its own in place just now */
        check_one_of(t, a, b, output, "after the first end");
    ends[0] = child_wait(t, first);
    ends[1] = child_wait(t, second);
}

static void run_both(trial *t, const job *a, const job *b, const char *output) {
    ending ends[2];
    char left[1024];
    int resumes[2] = {a->resumes && trial_one_in(t, 3), b->resumes && trial_one_in(t, 3)};
    launch first = job_launch(t, a, output, resumes[0] ? " --resume" : ""),
           second = job_launch(t, b, output, resumes[1] ? " --resume" : "");
    double delay = trial_one_in(t, 4) ? 0 : trial_fraction(t) * a->seconds * 1.1;
    child one = child_start(t, &first);
    trial_log(t, "sleep %.4f", delay);
    sleep_seconds(delay);
    child two = child_start(t, &second);
    wait_both(t, a, b, &one, &two, ends, output);
    /* a resumed run may find the other one's file, and refuse it as bad input */
    if (!job_check_exit(t, &ends[0], DONE | (resumes[0] ? REFUSED : 1 << 1), "the first run") ||
        !job_check_exit(t, &ends[1], DONE | (resumes[1] ? REFUSED : 1 << 1), "the second run"))
        return;
    if (ends[0].code != 0 && ends[1].code != 0) {
        trial_fail(t, "both runs failed: %s%s", ends[0].said, ends[1].said);
        return;
    }
    check_one_of(t, ends[0].code == 0 ? a : NULL, ends[1].code == 0 ? b : NULL, output, "at the end");
    if (!t->failed && !file_same_endings(".", a->reference, ".", output, left, sizeof left) &&
        !file_same_endings(".", b->reference, ".", output, left, sizeof left))
        trial_fail(t, "%s: an unbroken run leaves other files beside its output than these: %s", output,
                   left);
}

/* Chooses two jobs with the same kind of output: the same twice, or a simulation and anything else. */
static void choose_jobs(trial *t, const shot *s, const char *source, job *a, job *b) {
    job_any(t, a, s, trial_one_in(t, 2) ? NULL : source);
    *b = *a;
    if (strcmp(a->ending, ".png") == 0 || trial_one_in(t, 3)) /* no simulation writes a picture */
        return;
    job_simulate(t, b, s, " --set hair.drag=4");
    snprintf(b->ending, sizeof b->ending, "%s", a->ending);
    if (trial_one_in(t, 2)) {
        job swapped = *a;
        *a = *b;
        *b = swapped;
    }
}

void kind_two(trial *t) {
    shot s;
    job source = {0}, a = {0}, b = {0};
    char output[64], from[64], name[64];
    shot_make(t, &s, 0);
    job_simulate(t, &source, &s, " --set hair.drag=3");
    job_name(&source, "source", from, sizeof from);
    int ready = !t->failed && job_refer(t, &source, from, 0);
    if (ready) {
        choose_jobs(t, &s, from, &a, &b);
        job_name(&a, "a", name, sizeof name);
        ready = job_refer(t, &a, name, 0);
        job_name(&b, "b", name, sizeof name);
        ready = ready && job_refer(t, &b, name, 0);
    }
    job_name(&a, "out", output, sizeof output);
    if (ready)
        run_both(t, &a, &b, output);
    job_free(&source);
    job_free(&a);
    job_free(&b);
}
