#include "progress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "console.h"

#define LOG_FRAMES  10   /* a plain line every so many frames */
#define LOG_SECONDS 5.0  /* or after this long */
#define TTY_SECONDS 0.05 /* a terminal is not redrawn more often */

void progress_begin(progress *state, int silent, int start, int first, int last) {
    memset(state, 0, sizeof *state);
    state->silent = silent;
    state->terminal = isatty(STDERR_FILENO);
    state->start = start;
    state->first = first;
    state->last = last;
    state->shown_frame = start;
    state->begun = console_seconds();
    state->shown_time = state->begun;
}

static int is_due(const progress *state, int frame, double now) {
    if (frame == state->last)
        return 1;
    if (state->terminal)
        return now - state->shown_time >= TTY_SECONDS;
    return frame - state->shown_frame >= LOG_FRAMES || now - state->shown_time >= LOG_SECONDS;
}

void progress_clock(char *text, size_t size, double seconds) {
    long whole = (long)(seconds + 0.5);
    if (whole >= 3600)
        snprintf(text, size, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(text, size, "%ld:%02ld", whole / 60, whole % 60);
}

void progress_frame(progress *state, int frame, double fastest) {
    double now = console_seconds();
    if (state->silent || !is_due(state, frame, now))
        return;
    int done = frame - state->start;
    double each = done > 0 ? (now - state->begun) / done : 0.0;
    char left[32], line[160];
    progress_clock(left, sizeof left, each * (state->last - frame));
    snprintf(line, sizeof line, "%s %d/%d  %.2f s/frame  left %s  fastest %.3g unit/s",
             frame < state->first ? "preroll frame" : "frame", frame, state->last, each, left, fastest);
    int length = (int)strlen(line);
    if (state->terminal)
        fprintf(stderr, "\r%-*s", state->shown_length, line);
    else
        fprintf(stderr, "%s\n", line);
    fflush(stderr);
    state->shown_length = length;
    state->shown_frame = frame;
    state->shown_time = now;
}

void progress_end(progress *state) {
    if (!state->silent && state->terminal && state->shown_length > 0)
        fputc('\n', stderr);
    state->shown_length = 0;
}

#define WAIT_FIRST 2 /* seconds */
#define WAIT_NEXT  5

/* A signal handler has nowhere else to look. */
static char waiting_for[400];
static volatile sig_atomic_t waited;

/* Only what a handler may do: the number is put together by hand. */
static void show_waiting(int signal_number) {
    char text[sizeof waiting_for + 32], digits[16];
    size_t length = 0, count = 0;
    (void)signal_number;
    int error = errno, seconds = waited += waited == 0 ? WAIT_FIRST : WAIT_NEXT;
    for (const char *c = waiting_for; *c != '\0'; c++)
        text[length++] = *c;
    text[length++] = ',';
    text[length++] = ' ';
    for (; seconds > 0; seconds /= 10)
        digits[count++] = (char)('0' + seconds % 10);
    while (count > 0)
        text[length++] = digits[--count];
    memcpy(text + length, " s\n", 3);
    if (write(STDERR_FILENO, text, length + 3) >= 0)
        alarm(WAIT_NEXT);
    errno = error;
}

void progress_wait(const char *scene) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = show_waiting;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    snprintf(waiting_for, sizeof waiting_for, "%.300s: is being built", scene);
    waited = 0;
    if (sigaction(SIGALRM, &action, NULL) == 0)
        alarm(WAIT_FIRST);
}

void progress_wait_end(void) {
    alarm(0);
}
