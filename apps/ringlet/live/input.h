/* Requests of a page: one line of text, a word and its arguments. The same lines are what a recording
 * holds. */
#ifndef RINGLET_APP_LIVE_INPUT_H
#define RINGLET_APP_LIVE_INPUT_H

#include <stddef.h>

/* The slowest machine that live quality is fitted to (INPUT_FIT). */
#define LIVE_SPEED_MIN 0.05

typedef enum live_input_kind {
    /* these change the motion and are recorded */
    INPUT_POSE,    /* x y z qx qy qz qw: where the head is to go, from its own place [unit] */
    INPUT_GRAB,    /* side point x y z: takes a lock of hair at this point */
    INPUT_PULL,    /* x y z: and draws it there */
    INPUT_RELEASE, /* and releases it */
    INPUT_PLAY,    /* 0 or 1: the scene's own motion */
    INPUT_INERTIA, /* 0 or 1: the head follows like a mass on a spring */
    INPUT_SET,     /* side key=value; side 0: A, 1: B, 2: both */
    INPUT_UNSET,   /* side key */
    INPUT_FIT,     /* 0.05..1: live quality for a machine of that speed (rlt_live_budget.speed) */
    /* these begin a new recording */
    INPUT_RESET,
    INPUT_QUALITY, /* 0 live, 1 full */
    INPUT_SPLIT,   /* 0 or 1: a second side with values of its own */
    INPUT_SCENE,   /* the name of an embedded scene */
    /* these change nothing of the motion */
    INPUT_PAUSE, /* 0 or 1 */
    INPUT_STEP,
    INPUT_RATE,   /* 0.02..4: slow motion */
    INPUT_SHOW,   /* bits of rlt_show */
    INPUT_SAVE,   /* name: the scene as it is now, to NAME.yaml */
    INPUT_MOTION, /* name: the same with the motion that was recorded */
    INPUT_TAKE,   /* name: the recording, to NAME.inputs */
    INPUT_RUN,    /* name: saves the scene and simulates it in full */
    INPUT_STOP,   /* ends that */
    INPUT_KINDS
} live_input_kind;

enum { INPUT_TEXT = 1024, INPUT_NUMBERS = 8, INPUT_NAME = 64 };

typedef struct live_input {
    live_input_kind kind;
    int side; /* INPUT_SET, INPUT_UNSET, INPUT_GRAB */
    int point;
    double numbers[INPUT_NUMBERS];
    char text[INPUT_TEXT]; /* a name, a key, or "key=value" */
} live_input;

/* Reads a line. Returns NULL, or what is wrong with it: an unknown word, numbers that are missing, not finite
 * or absurd, names with other letters than a-z, A-Z, 0-9, - and _. */
const char *live_input_read(const char *text, size_t size, live_input *input);

/* Writes it as a line without its end, so that reading gives the same bits. */
void live_input_print(const live_input *input, char *text, size_t size);

/* 1: it changes the motion. */
int live_input_is_recorded(const live_input *input);

#endif
