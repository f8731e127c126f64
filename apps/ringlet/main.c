/* ringlet: the command-line program. This file only picks the command. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "commands.h"
#include "console.h"
#include "ringlet/ringlet.h"

typedef struct command {
    const char *name;
    command_function *run;
    const char *help; /* one line */
} command;

static const command commands[] = {
    {"demo", command_demo, "run an embedded scene: animation file, pictures, report"},
    {"live", command_live, "drag the head and see hair move, in the browser"},
    {"simulate", command_simulate, "run a scene file and write the animation"},
    {"render", command_render, "make pictures or a movie of a scene or of a file"},
    {"fill", command_fill, "write all hairs between the guides of a scene or of a file"},
    {"check", command_check, "check a scene file and list every problem"},
    {"inspect", command_inspect, "list what is in a file (USD, Alembic, .hair, ...)"},
    {"convert", command_convert, "write a file (USD, Alembic, .hair, ...) in another format"},
    {"wedge", command_wedge, "run a scene with every combination of some values: sheet and table"},
    {"new", command_new, "write a commented scene to start from"},
    {"presets", command_presets, "list the kinds of hair, or print one, or picture all"},
    {"scenes", command_scenes, "list the embedded scenes, or print one to start from"},
    {"schema", command_schema, "print the reference of all keys of a scene file"},
    {"plan", command_plan, "predict what more processes gain, from the contact graph"},
    {"bench", command_bench, "run the timed workloads"},
    {"validate", command_validate, "run the physical tests, pass or fail each"},
};

#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

static void print_help(FILE *file) {
    fprintf(file, "ringlet %s: hair simulation\n\nusage: ringlet COMMAND [options]\n\ncommands:\n",
            rlt_version());
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(file, "  %-10s %s\n", commands[i].name, commands[i].help);
    fprintf(file, "\n`ringlet COMMAND --help` explains a command. Start with: ringlet demo\n");
}

static int unknown_command(const char *name) {
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    return args_unknown(name[0] == '-' ? "unknown option" : "unknown command", name, names, COMMAND_COUNT,
                        "`ringlet --help` lists the commands");
}

/* A full disk behind standard output must not look like success. */
static int finish(int code) {
    if (fflush(stdout) != 0 || ferror(stdout)) {
        console_error("cannot write to standard output");
        return code != RLT_OK ? code : RLT_FAILED;
    }
    return code;
}

/* Standard streams that are closed would be the next files that are opened: what is printed would land in an
 * output. The null device takes their place; for standard output read only, so that what is lost there is
 * still an error. Returns 0 where that fails. */
static int hold_standard_streams(void) {
    static const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", modes[stream]) != stream)
            return 0;
    return 1;
}

/* The command that the first word names. */
static int run_command(int argc, char **argv) {
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[0], commands[i].name) == 0)
            return finish(commands[i].run(argc, argv));
    }
    return unknown_command(argv[0]);
}

int main(int argc, char **argv) {
    if (!hold_standard_streams())
        return RLT_FAILED; /* and nowhere to say it */
    if (argc < 2) {
        print_help(stderr);
        return RLT_BAD_INPUT;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("ringlet %s\n", rlt_version());
        return finish(RLT_OK);
    }
    if (strcmp(name, "help") == 0 && argc > 2) { /* as COMMAND --help */
        static char option[] = "--help";
        char *words[] = {argv[2], option, NULL};
        return run_command(2, words);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return finish(RLT_OK);
    }
    return run_command(argc - 1, argv + 1);
}
