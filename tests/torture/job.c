#include "job.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void job_simulate(trial *t, job *j, const shot *s, const char *more) {
    static const char *const endings[] = {".usda", ".usdc", ".abc", ".hair"};
    *j = (job){.resumes = 1, .light = s->light};
    snprintf(j->ending, sizeof j->ending, "%s", endings[trial_pick(t, 13) * 4 / 13]);
    snprintf(j->before, sizeof j->before, "simulate %s%s%s%s -o", s->scene, s->settings,
             trial_one_in(t, 4)   ? " --no-velocities"
             : trial_one_in(t, 4) ? " --standalone"
                                  : "",
             more);
}

void job_any(trial *t, job *j, const shot *s, const char *source) {
    int what = source == NULL ? 0 : 1 + trial_pick(t, 7);
    job_simulate(t, j, s, "");
    if (what > 0)
        j->resumes = 0;
    if (what >= 1 && what <= 3) {
        snprintf(j->before, sizeof j->before, "convert %s", source);
    } else if (what >= 4 && what <= 6) {
        snprintf(j->before, sizeof j->before, "fill %s -o", source);
        snprintf(j->after, sizeof j->after, " --hairs %d", 20 + trial_pick(t, 100));
    } else if (what == 7) {
        snprintf(j->before, sizeof j->before, "render %s -o", source);
        snprintf(j->after, sizeof j->after, " --size 48x48 --samples %d", 1 + trial_pick(t, 3));
        snprintf(j->ending, sizeof j->ending, ".png");
    }
}

void job_free(job *j) {
    bytes_free(&j->whole);
}

void job_name(const job *j, const char *stem, char *name, size_t size) {
    snprintf(name, size, "%s%s", stem, j->ending);
}

launch job_launch(trial *t, const job *j, const char *output, const char *options) {
    launch w = {.ranks = 1};
    size_t size = sizeof w.arguments;
    int length = snprintf(w.arguments, size, "%s %s%s%s --force -q", j->before, output, j->after, options);
    int threads = strncmp(j->before, "convert", 7) != 0;
    if (threads && length < (int)size)
        length +=
            snprintf(w.arguments + length, size - (size_t)length, " --threads %d", 1 + trial_pick(t, 3));
    const char *simd = t->torture->simds[trial_pick(t, t->torture->simd_count)];
    if (j->light && trial_one_in(t, 8))
        simd = "portable";
    if (j->resumes && length < (int)size)
        length += snprintf(w.arguments + length, size - (size_t)length, " --simd %s --checkpoint %d", simd,
                           1 + trial_pick(t, 6));
    if (length >= (int)size)
        trial_fail(t, "the torture program made a command that is too long");
    if (j->resumes && t->torture->has_ranks && trial_one_in(t, 16)) {
        w.ranks = 2;
        w.rank = trial_pick(t, 2);
    }
    return w;
}

int job_refer(trial *t, job *j, const char *name, int may_fail) {
    launch w = job_launch(t, j, name, "");
    snprintf(j->reference, sizeof j->reference, "%s", name);
    ending e = child_run(t, &w);
    j->seconds = e.seconds;
    bytes_free(&j->whole);
    if (e.code == 0)
        j->whole = file_read(name);
    if (!may_fail && job_check_exit(t, &e, DONE, "the unbroken run") && j->whole.data == NULL)
        trial_fail(t, "%s: exit 0, but there is no such file", name);
    return j->whole.data != NULL;
}

/* ---- what is to be true ---- */

int job_check_exit(trial *t, const ending *e, int allowed, const char *what) {
    if (e->late)
        trial_fail(t, "%s: took longer than %.0f s", what, e->seconds);
    else if (e->code < 0)
        trial_fail(t, "%s: ended by signal %d (%s)", what, -e->code, strsignal(-e->code));
    else if (e->code > 30 || !(allowed >> e->code & 1))
        trial_fail(t, "%s: exit code %d; it said: %s", what, e->code, e->said);
    else if (e->code != 0 && e->said[0] == '\0')
        trial_fail(t, "%s: exit code %d without a word", what, e->code);
    return !t->failed;
}

int job_check_bytes(trial *t, const job *j, const char *output) {
    bytes found = file_read(output);
    if (found.data == NULL)
        trial_fail(t, "%s: there is no such file", output);
    else if (!bytes_equal(&found, &j->whole))
        trial_fail(t, "%s: differs from the unbroken run's %s at byte %zu (%zu and %zu bytes)", output,
                   j->reference, bytes_differ_at(&found, &j->whole), found.size, j->whole.size);
    bytes_free(&found);
    return !t->failed;
}

/* The part of a path behind its folder, and the folder. */
static const char *base_of(const char *path, char *folder, size_t size) {
    const char *slash = strrchr(path, '/');
    snprintf(folder, size, "%.*s", slash != NULL ? (int)(slash - path) : 1, slash != NULL ? path : ".");
    return slash != NULL ? slash + 1 : path;
}

int job_check_whole(trial *t, const job *j, const char *output) {
    char left[1024], folder_a[PATH_SIZE], folder_b[PATH_SIZE];
    const char *a = base_of(j->reference, folder_a, sizeof folder_a),
               *b = base_of(output, folder_b, sizeof folder_b);
    if (job_check_bytes(t, j, output) && !file_same_endings(folder_a, a, folder_b, b, left, sizeof left))
        trial_fail(t, "%s: an unbroken run leaves other files beside its output than these: %s", output,
                   left[0] != '\0' ? left : "none");
    return !t->failed;
}

int job_check_readable(trial *t, const char *output) {
    launch w = {.ranks = 1};
    if (!file_exists(output))
        return 1;
    snprintf(w.arguments, sizeof w.arguments, "inspect %s", output);
    ending e = child_run(t, &w);
    if (e.code != 0)
        trial_fail(t, "%s: there, but not readable: %s", output, e.said);
    return !t->failed;
}

/* ---- broken runs ---- */

int job_kill(trial *t, const job *j, const char *output, const char *options) {
    char kept[128];
    snprintf(kept, sizeof kept, "%s.checkpoint", output);
    launch w = job_launch(t, j, output, options);
    w.signal = SIGKILL;
    w.after = trial_fraction(t) * j->seconds * 1.1;
    if (w.ranks == 1 && trial_one_in(t, 3)) {
        w.signal = 0;
        w.limit_kills = 1;
        w.file_limit = 512 * (1 + (long long)(trial_fraction(t) * (double)j->whole.size / 512 * 1.1));
    } else if (w.ranks == 1 && trial_one_in(t, 2)) {
        w.await = kept;
        w.after = trial_fraction(t) * 0.3 * j->seconds;
    }
    ending e = child_run(t, &w);
    if (w.ranks > 1)
        child_sweep(); /* the other ranks have ended, too */
    int ended = e.code == -SIGKILL || (w.limit_kills && e.code == -SIGXFSZ) || (w.ranks > 1 && e.code != 0);
    if (!ended)
        job_check_exit(t, &e, DONE, "a run that was not killed in time");
    return ended;
}

int job_leave_checkpoint(trial *t, const job *j, const char *output) {
    char kept[128];
    snprintf(kept, sizeof kept, "%s.checkpoint", output);
    for (int attempt = 0; attempt < 8 && !t->failed; attempt++) {
        if (job_kill(t, j, output, "") && file_exists(kept))
            return 1;
        unlink(output);
        trial_log(t, "rm -f %s", output);
    }
    return 0;
}

int job_resume(trial *t, const job *j, const char *output) {
    launch w = job_launch(t, j, output, " --resume");
    ending e = child_run(t, &w);
    return job_check_exit(t, &e, DONE, "--resume") && job_check_whole(t, j, output);
}
