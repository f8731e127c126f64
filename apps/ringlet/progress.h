/* Progress of a run on standard error: one updating line on a terminal, plain lines in a log. */
#ifndef RINGLET_APP_PROGRESS_H
#define RINGLET_APP_PROGRESS_H

#include <stddef.h>

typedef struct progress {
    int silent;
    int terminal;      /* standard error is one */
    int start, last;   /* frame before the first step, frame the run ends with */
    int first;         /* frames below are preroll */
    int shown_frame;   /* last frame a line was printed for */
    int shown_length;  /* columns to wipe on a terminal */
    double begun;      /* console_seconds() */
    double shown_time; /* console_seconds() of the last line */
} progress;

void progress_begin(progress *state, int silent, int start, int first, int last);

/* After each frame. `fastest` is the speed of the fastest point [unit/s]. */
void progress_frame(progress *state, int frame, double fastest);

/* Ends the updating line; call it before anything else is printed on standard error. */
void progress_end(progress *state);

/* Seconds as "1:20" or "2:01:20". */
void progress_clock(char *text, size_t size, double seconds);

/* While a scene is built, which cannot say how far it is: "SCENE: is being built, 2 s" after two seconds,
 * then every five. One at a time. */
void progress_wait(const char *scene);
void progress_wait_end(void);

#endif
