/* Command lines: one table per command gives parsing, checking and the help text. */
#ifndef RINGLET_APP_ARGS_H
#define RINGLET_APP_ARGS_H

#include "ringlet/status.h"

typedef enum args_kind {
    ARGS_FLAG,     /* int *: set to 1 */
    ARGS_INT,      /* int *: a number, at least `minimum` */
    ARGS_NUMBER,   /* double *: a finite number, at least `minimum` */
    ARGS_POSITIVE, /* double *: a finite number above 0 */
    ARGS_TEXT,     /* const char **: the last one given wins */
    ARGS_LIST,     /* args_list *: every one given, in order */
    ARGS_FRAMES,   /* args_frames *: A:B, A: or :B, and what the command takes besides */
    ARGS_CHOICE,   /* int *: index into `choices` */
    ARGS_MAYBE     /* int *: the same, but the word may be missing: then it is choice 1 */
} args_kind;

/* Texts given with a repeated option, or the arguments that are not options. They belong to argv; the array
 * is freed by args_list_free. */
typedef struct args_list {
    int count, capacity;
    const char **texts;
} args_list;

/* A range of frames, each end only where given. */
typedef struct args_frames {
    int takes_one;    /* set by the command: "A" is frame A alone */
    int takes_step;   /* set by the command: and "A:B:S" every S-th */
    const char *text; /* as given; NULL: not */
    int has_first, has_last;
    int first, last;
    int step; /* 0: not given */
} args_frames;

typedef struct args_option {
    const char *name; /* "threads" for --threads */
    char letter;      /* 't' for -t, or 0 */
    args_kind kind;
    void *value;                /* where the value goes, by kind; holds the default before parsing */
    const char *argument;       /* name of the value in the help: "N"; NULL for a flag */
    const char *help;           /* one line */
    int minimum;                /* ARGS_INT and ARGS_NUMBER only */
    const char *const *choices; /* ARGS_CHOICE and ARGS_MAYBE only, ends with NULL */
} args_option;

/* Options that many commands have. */
#define ARGS_SET(list)                                                                                       \
    { "set", 0, ARGS_LIST, (list), "KEY=VALUE", "replace a value of the scene; may be repeated", 0, NULL }
#define ARGS_VARIANT(list)                                                                                   \
    {                                                                                                        \
        "variant", 0, ARGS_LIST, (list), "SET=NAME",                                                         \
            "USD: take this variant of every set of that name; may be repeated", 0, NULL                     \
    }
#define ARGS_THREADS(count)                                                                                  \
    { "threads", 't', ARGS_INT, (count), "N", "worker threads; 0 = one per core (default)", 0, NULL }
#define ARGS_FORCE(flag)                                                                                     \
    { "force", 0, ARGS_FLAG, (flag), NULL, "replace an output that exists", 0, NULL }
#define ARGS_QUIET(flag)                                                                                     \
    { "quiet", 'q', ARGS_FLAG, (flag), NULL, "no progress", 0, NULL }
#define ARGS_JSON(flag)                                                                                      \
    { "json", 0, ARGS_FLAG, (flag), NULL, "print one JSON object about the run on standard output", 0, NULL }

typedef struct args_command {
    const char *name;           /* "simulate" */
    const char *usage;          /* "SCENE -o OUT.usda [options]" */
    const char *summary;        /* a sentence or two; lines are broken as it is printed */
    const args_option *options; /* ends with a row whose name is NULL; --help is always there */
    const char *examples;       /* lines, each ends with a newline; may be NULL */
    int minimum, maximum;       /* how many arguments that are not options; maximum -1 = any number */
    int alone;                  /* 1: refused in a job of several processes */
} args_command;

typedef enum args_result {
    ARGS_RUN,  /* continue */
    ARGS_DONE, /* help was asked for and printed: exit 0 */
    ARGS_WRONG /* wrong use, message printed: exit 2 */
} args_result;

/* Parses argv[1..]; the options' values and `rest` are filled. A value may follow as `--name value` or
 * `--name=value`; `--` ends the options. The lists must be freed whatever the result. */
args_result args_parse(const args_command *command, int argc, char **argv, args_list *rest);

/* Appends to a list; exits the program when out of memory. */
void args_list_add(args_list *list, const char *text);
void args_list_free(args_list *list);

/* The variants given with ARGS_VARIANT as the library takes them; 0, and a message printed, where
 * they cannot be. */
enum { ARGS_VARIANTS = 512 };
int args_join_variants(const args_list *list, char text[ARGS_VARIANTS]);

/* Prints that `text` is none of `names` (count of them): "PROBLEM 'TEXT'; did you mean 'NAME'?", or where
 * none is near enough to be meant "PROBLEM 'TEXT'; REMEDY". Returns RLT_BAD_INPUT. */
rlt_status args_unknown(const char *problem, const char *text, const char *const *names, int count,
                        const char *remedy);

/* A whole decimal number that fits an int. Returns 1 when `text` is exactly that. */
int args_integer(const char *text, int *value);

#endif
