#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files.h"

#define WORD_LIMIT  128
#define TICK        0.0005 /* seconds between two looks at a child */
#define SWEEP_LIMIT 5.0    /* seconds that processes left behind may take */

/* One rank of a job is sent the signal; the others run as they are. */
static const char one_rank[] =
    "if test \"$OMPI_COMM_WORLD_RANK\" = %d; then \"$@\" & sleep %.4f; kill -%d $!; wait $!;"
    " else exec \"$@\"; fi";

double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void sleep_seconds(double seconds) {
    struct timespec span = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    if (seconds > 0)
        nanosleep(&span, NULL);
}

/* ---- the script ---- */

/* The program and its arguments as a line for the shell. */
static void describe(const launch *w, char *line, size_t size) {
    static const char *const closing[] = {" <&-", " >&-", " 2>&-"};
    char wrapped[320] = "";
    if (w->ranks > 1 && w->signal != 0) {
        char inner[256];
        snprintf(inner, sizeof inner, one_rank, w->rank, w->after, w->signal);
        snprintf(wrapped, sizeof wrapped, "sh -c '%s' sh ", inner);
    }
    int length = 0;
    if (w->ranks > 1)
        length = snprintf(line, size, "mpirun -n %d %s$R %s", w->ranks, wrapped, w->arguments);
    else
        length = snprintf(line, size, "$R %s", w->arguments);
    for (int d = 0; d < 3 && length < (int)size; d++)
        if (w->closed >> d & 1)
            length += snprintf(line + length, size - (size_t)length, "%s", closing[d]);
}

static void log_launch(trial *t, const launch *w) {
    char line[ARGUMENT_SIZE + 600];
    describe(w, line, sizeof line);
    if (w->file_limit > 0)
        trial_log(t, "(%sulimit -f %lld; exec %s) &", w->limit_kills ? "" : "trap '' XFSZ; ",
                  w->file_limit / 512, line);
    else
        trial_log(t, "%s &", line);
    trial_log(t, "child%d=$!", t->launches);
    if (w->signal != 0 && w->ranks <= 1) {
        if (w->await != NULL)
            trial_log(t, "while kill -0 $child%d && ! test -e %s; do sleep 0.001; done", t->launches,
                      w->await);
        trial_log(t, "sleep %.4f; kill -%d $child%d", w->after, w->signal, t->launches);
    }
}

/* ---- the child's side ---- */

static void limit_file(const launch *w) {
    struct rlimit none = {0, 0}, size = {(rlim_t)w->file_limit, (rlim_t)w->file_limit};
    setrlimit(RLIMIT_CORE, &none);
    if (w->file_limit > 0)
        setrlimit(RLIMIT_FSIZE, &size);
    if (w->file_limit > 0 && !w->limit_kills)
        signal(SIGXFSZ, SIG_IGN);
}

static void redirect(int descriptor, const char *path, int flags) {
    int file = open(path, flags, 0666);
    if (file < 0 || dup2(file, descriptor) < 0)
        _exit(98);
    if (file != descriptor)
        close(file);
}

static void set_descriptors(const launch *w, int number) {
    char path[64];
    redirect(0, "/dev/null", O_RDONLY);
    snprintf(path, sizeof path, "../said/%d.out", number);
    redirect(1, path, O_WRONLY | O_CREAT | O_TRUNC);
    snprintf(path, sizeof path, "../said/%d.err", number);
    redirect(2, path, O_WRONLY | O_CREAT | O_TRUNC);
    for (int d = 0; d < 3; d++)
        if (w->closed >> d & 1)
            close(d);
}

static _Noreturn void execute(const trial *t, const launch *w, int number) {
    char *words[WORD_LIMIT], text[ARGUMENT_SIZE], ranks[16], wrapped[256];
    int count = 0;
    snprintf(text, sizeof text, "%s", w->arguments);
    snprintf(ranks, sizeof ranks, "%d", w->ranks);
    snprintf(wrapped, sizeof wrapped, one_rank, w->rank, w->after, w->signal);
    if (w->ranks > 1) {
        words[count++] = "mpirun";
        words[count++] = "-n";
        words[count++] = ranks;
    }
    if (w->ranks > 1 && w->signal != 0) {
        words[count++] = "sh";
        words[count++] = "-c";
        words[count++] = wrapped;
        words[count++] = "sh";
    }
    words[count++] = (char *)t->torture->program;
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL && count < WORD_LIMIT - 1;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    words[count] = NULL;
    limit_file(w);
    set_descriptors(w, number);
    execvp(words[0], words);
    _exit(98);
}

/* ---- our side ---- */

child child_start(trial *t, const launch *what) {
    child c = {.number = ++t->launches, .begun = clock_seconds(), .what = *what};
    log_launch(t, what);
    c.pid = fork();
    if (c.pid == 0) {
        setpgid(0, 0);
        execute(t, what, c.number);
    }
    if (c.pid < 0)
        c.ended = 1;
    else
        setpgid(c.pid, c.pid); /* whoever of the two is first */
    return c;
}

int child_has_ended(child *c) {
    int status;
    if (!c->ended && waitpid(c->pid, &status, WNOHANG) == c->pid) {
        c->ended = 1;
        c->status = status;
    }
    return c->ended;
}

int child_stop(child *c) {
    int status;
    if (child_has_ended(c) || kill(c->pid, SIGSTOP) != 0 || waitpid(c->pid, &status, WUNTRACED) != c->pid)
        return 0;
    if (WIFSTOPPED(status))
        return 1;
    c->ended = 1;
    c->status = status;
    return 0;
}

void child_continue(child *c) {
    if (!c->ended)
        kill(c->pid, SIGCONT);
}

/* Waits until a time, or until the child has ended. */
static void wait_until(child *c, double time) {
    for (double now = clock_seconds(); now < time && !child_has_ended(c); now = clock_seconds())
        sleep_seconds(time - now < TICK ? time - now : TICK);
}

static void send_signal(child *c) {
    double from = c->begun;
    while (c->what.await != NULL && !file_exists(c->what.await) && !child_has_ended(c) &&
           clock_seconds() < c->begun + CHILD_SECONDS) {
        sleep_seconds(0.0002);
        from = clock_seconds();
    }
    wait_until(c, from + c->what.after);
    if (!c->ended)
        kill(c->pid, c->what.signal);
}

static void read_said(const child *c, ending *e) {
    char path[64];
    snprintf(path, sizeof path, "../said/%d.err", c->number);
    bytes b = file_read(path);
    snprintf(e->said, sizeof e->said, "%s", b.data != NULL ? b.data : "");
    bytes_free(&b);
}

ending child_wait(trial *t, child *c) {
    ending e = {0};
    if (c->what.signal != 0 && c->what.ranks <= 1)
        send_signal(c);
    double limit = c->what.seconds > 0 ? c->what.seconds : CHILD_SECONDS;
    while (!child_has_ended(c) && !e.late) {
        wait_until(c, clock_seconds() + 0.05);
        e.late = clock_seconds() > c->begun + limit || torture_is_stopped();
    }
    if (!c->ended) {
        kill(-c->pid, SIGKILL);
        waitpid(c->pid, &c->status, 0);
        c->ended = 1;
    }
    e.seconds = clock_seconds() - c->begun;
    e.code = WIFEXITED(c->status) ? WEXITSTATUS(c->status) : -WTERMSIG(c->status);
    read_said(c, &e);
    trial_log(t, "wait $child%d; echo \"child%d: $?\" # %s%d, %.3f s", c->number, c->number,
              e.late ? "too late, " : "", e.code, e.seconds);
    return e;
}

ending child_run(trial *t, const launch *what) {
    child c = child_start(t, what);
    return child_wait(t, &c);
}

int child_command(trial *t, const char *line, double seconds) {
    trial_log(t, "%s", line);
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        redirect(0, "/dev/null", O_RDONLY);
        redirect(1, "/dev/null", O_WRONLY);
        redirect(2, "/dev/null", O_WRONLY);
        execlp("sh", "sh", "-c", line, (char *)NULL);
        _exit(98);
    }
    child c = {.pid = pid, .ended = pid < 0, .status = 1};
    wait_until(&c, clock_seconds() + seconds);
    if (!c.ended) {
        kill(-pid, SIGKILL);
        waitpid(pid, &c.status, 0);
    }
    return WIFEXITED(c.status) && WEXITSTATUS(c.status) == 0;
}

/* Ends the children that the system knows of; they became ours when their parents died. */
static int end_children(void) {
    int count = 0;
    char path[64], text[4096], *rest = NULL;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[size > 0 ? size : 0] = '\0';
    for (char *word = strtok_r(text, " \n", &rest); word != NULL; word = strtok_r(NULL, " \n", &rest)) {
        kill((pid_t)strtol(word, NULL, 10), SIGKILL);
        count++;
    }
    return count;
}

int child_sweep(void) {
    int ended = 0;
    double begun = clock_seconds();
    for (;;) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid < 0 && errno == ECHILD)
            return ended;
        if (pid == 0 && clock_seconds() > begun + SWEEP_LIMIT) {
            int now = end_children();
            ended += now;
            if (now == 0 || ended > 100) /* some cannot be ended */
                return ended;
            begun = clock_seconds();
        } else if (pid == 0)
            sleep_seconds(0.005);
    }
}
