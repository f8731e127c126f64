#include "live/runner.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "json.h"
#include "live/again.h"

enum { NAME = 1024, LINE = 400 };

struct live_runner {
    live_board *board;
    pthread_mutex_t mutex;
    pthread_t thread;
    int has_thread, is_running; /* by the mutex */
    pid_t process;
    int pipe; /* its standard error */
    char scene[NAME], output[NAME], line[LINE];
    int last;
};

live_runner *live_runner_create(live_board *board) {
    live_runner *runner = calloc(1, sizeof *runner);
    if (runner == NULL || pthread_mutex_init(&runner->mutex, NULL) != 0) {
        free(runner);
        return NULL;
    }
    runner->board = board;
    return runner;
}

static void publish(live_runner *runner, const char *status) {
    json out = {0};
    json_begin_object(&out, NULL);
    json_string(&out, "kind", "run");
    json_string(&out, "status", status);
    json_string(&out, "scene", runner->scene);
    json_string(&out, "output", runner->output);
    json_integer(&out, "last", runner->last);
    json_string(&out, "line", runner->line);
    json_end_object(&out);
    if (!out.failed)
        live_board_publish(runner->board, LIVE_RUN, live_document_text(out.text, out.size));
    json_free(&out);
}

/* Keeps the last line that was printed; a line that is being rewritten ends with a carriage return. */
static void take_lines(live_runner *runner, const char *bytes, ssize_t size, char *partial, size_t *used) {
    for (ssize_t i = 0; i < size; i++) {
        if (bytes[i] == '\n' || bytes[i] == '\r') {
            partial[*used] = '\0';
            if (*used > 0) {
                memcpy(runner->line, partial, *used + 1);
                publish(runner, "running");
            }
            *used = 0;
        } else if (*used + 1 < LINE) {
            partial[(*used)++] = bytes[i];
        }
    }
}

static void *watch(void *context) {
    live_runner *runner = context;
    char bytes[512], partial[LINE];
    size_t used = 0;
    ssize_t size;
    while ((size = read(runner->pipe, bytes, sizeof bytes)) > 0 || (size < 0 && errno == EINTR))
        take_lines(runner, bytes, size, partial, &used);
    close(runner->pipe);
    int code = 0;
    while (waitpid(runner->process, &code, 0) < 0 && errno == EINTR)
        ;
    publish(runner, WIFEXITED(code) && WEXITSTATUS(code) == 0   ? "done"
                    : WIFEXITED(code) && WEXITSTATUS(code) == 3 ? "diverged"
                                                                : "stopped");
    pthread_mutex_lock(&runner->mutex);
    runner->is_running = 0;
    pthread_mutex_unlock(&runner->mutex);
    return NULL;
}

static void join(live_runner *runner) {
    if (runner->has_thread)
        pthread_join(runner->thread, NULL);
    runner->has_thread = 0;
}

const char *live_runner_start(live_runner *runner, const char *scene, const char *output, int last) {
    pthread_mutex_lock(&runner->mutex);
    int busy = runner->is_running;
    pthread_mutex_unlock(&runner->mutex);
    if (busy)
        return "a run is under way; wait for its end or stop it";
    join(runner);
    snprintf(runner->scene, sizeof runner->scene, "%s", scene);
    snprintf(runner->output, sizeof runner->output, "%s", output);
    snprintf(runner->line, sizeof runner->line, "starting");
    runner->last = last;
    const char *arguments[] = {"simulate", runner->scene, "-o", runner->output, NULL};
    if (!again_start(arguments, AGAIN_ERRORS | AGAIN_GROUP, &runner->process, &runner->pipe))
        return "the program cannot be started again";
    runner->is_running = 1;
    publish(runner, "running");
    if (pthread_create(&runner->thread, NULL, watch, runner) != 0) {
        kill(runner->process, SIGTERM);
        (void)watch(runner);
        return "no thread for it";
    }
    runner->has_thread = 1;
    return NULL;
}

void live_runner_stop(live_runner *runner) {
    pthread_mutex_lock(&runner->mutex);
    if (runner->is_running)
        kill(runner->process, SIGINT);
    pthread_mutex_unlock(&runner->mutex);
}

void live_runner_destroy(live_runner *runner) {
    if (runner == NULL)
        return;
    live_runner_stop(runner);
    join(runner);
    pthread_mutex_destroy(&runner->mutex);
    free(runner);
}
