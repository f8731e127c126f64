/* Inputs that are edited between a run and its resumption: the scene, or the content of a file it reads, with
 * size and times as before. */
#include "kinds.h"

#include <string.h>

/* Edits something, and refers anew: `j` then stands for what the edited scene gives. */
static int edit(trial *t, job *j, shot *s) {
    char name[64];
    job_name(j, "edited", name, sizeof name);
    if (s->inputs.count == 0 || trial_one_in(t, 4)) {
        if (s->generated) {
            shot_change(t, s);
        } else {
            snprintf(j->after, sizeof j->after, " --set hair.drag=%.2f", 1 + trial_fraction(t));
        }
        return job_refer(t, j, name, 0);
    }
    const char *file = s->inputs.name[trial_pick(t, s->inputs.count)];
    for (int attempt = 0; attempt < 4 && !t->failed;
         attempt++) /* what the program refuses is edited further */
        if (file_edit_digit(t, file) && job_refer(t, j, name, 1))
            return 1;
    return 0;
}

/* Never anything but the edited scene's bytes, or a refusal that leaves the output as it was. */
static void resume_edited(trial *t, const job *j, const char *output) {
    bytes before = file_read(output);
    launch w = job_launch(t, j, output, " --resume");
    ending e = child_run(t, &w);
    if (job_check_exit(t, &e, DONE | REFUSED, "--resume after an edit")) {
        if (e.code == 0) {
            job_check_whole(t, j, output);
        } else {
            bytes now = file_read(output);
            if ((before.data == NULL) != (now.data == NULL) ||
                (now.data != NULL && !bytes_equal(&now, &before)))
                trial_fail(t, "%s: refused, but not as it was", output);
            bytes_free(&now);
        }
    }
    if (!t->failed && e.code != 0) {
        w = job_launch(t, j, output, "");
        e = child_run(t, &w);
        if (job_check_exit(t, &e, DONE, "a new run after an edit"))
            job_check_whole(t, j, output);
    }
    bytes_free(&before);
}

/* A run that is done or killed, an edit, perhaps another run that is killed, and the resumption. */
void kind_edit(trial *t) {
    shot s;
    job j = {0};
    char output[64], name[64];
    shot_make(t, &s, trial_one_in(t, 2));
    job_simulate(t, &j, &s, "");
    job_name(&j, "out", output, sizeof output);
    job_name(&j, "whole", name, sizeof name);
    int ready = !t->failed && job_refer(t, &j, name, 0);
    if (ready && trial_one_in(t, 3)) {
        launch w = job_launch(t, &j, output, "");
        ending e = child_run(t, &w);
        ready = job_check_exit(t, &e, DONE, "the run before the edit");
    } else if (ready) {
        job_kill(t, &j, output, "");
    }
    ready = ready && !t->failed && edit(t, &j, &s);
    if (ready && trial_one_in(t, 3)) /* the edited scene is killed, perhaps before its first checkpoint */
        job_kill(t, &j, output, "");
    if (ready && !t->failed)
        resume_edited(t, &j, output);
    else if (!t->failed)
        trial_skip(t, "no edit that the program accepts");
    job_free(&j);
}
