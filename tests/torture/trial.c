#include "trial.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "files.h"

/* SplitMix64: any seed is as good as any other. */
static uint64_t next_random(trial *t) {
    uint64_t z = t->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int trial_pick(trial *t, int count) {
    return count > 1 ? (int)(next_random(t) % (uint64_t)count) : 0;
}

double trial_fraction(trial *t) {
    return (double)(next_random(t) >> 11) * 0x1p-53;
}

int trial_one_in(trial *t, int count) {
    return trial_pick(t, count) == 0;
}

void trial_log(trial *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(t->script, format, arguments);
    va_end(arguments);
    fputc('\n', t->script);
    fflush(t->script); /* a child must not write it a second time */
}

void trial_fail(trial *t, const char *format, ...) {
    if (t->failed || torture_is_stopped()) /* what Ctrl-C breaks is no failure */
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->why, sizeof t->why, format, arguments);
    va_end(arguments);
    for (char *c = t->why; *c != '\0'; c++) /* one line: the script holds it as a comment */
        if (*c == '\n')
            *c = c[1] != '\0' ? '|' : '\0';
    t->failed = 1;
    trial_log(t, "# FAILED: %s", t->why);
}

void trial_skip(trial *t, const char *why) {
    t->skipped = 1;
    snprintf(t->why, sizeof t->why, "%s", why);
}

static int make_folder(const trial *t, const char *name) {
    char path[PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/%s", t->folder, name);
    return mkdir(path, 0777) == 0;
}

int trial_begin(trial *t, const torture *settings, const char *name, uint64_t seed) {
    char path[PATH_SIZE + 16];
    *t = (trial){.torture = settings, .random = seed};
    int length = snprintf(t->folder, sizeof t->folder, "%s/%s", settings->root, name);
    if (length >= (int)sizeof t->folder || mkdir(t->folder, 0777) != 0 || !make_folder(t, "inputs") ||
        !make_folder(t, "work") || !make_folder(t, "said"))
        return 0;
    snprintf(path, sizeof path, "%s/commands.sh", t->folder);
    t->script = fopen(path, "w");
    snprintf(path, sizeof path, "%s/work", t->folder);
    if (t->script == NULL || chdir(path) != 0)
        return 0;
    trial_log(
        t,
        "#!/bin/sh\n# Does it again, in a new folder beside this script; times are those of this machine.");
    trial_log(t,
              "cd \"$(dirname \"$0\")\" && rm -rf again && mkdir again && cp -a inputs/. again && cd again");
    trial_log(t, "R=%s", settings->program);
    return 1;
}

void trial_end(trial *t, int keep) {
    if (t->mounted && keep) /* what is in it is lost otherwise */
        child_command(t, "cp -a small small-copy", 20);
    if (t->mounted)
        child_command(t, "umount -l small", 20);
    if (t->script != NULL)
        fclose(t->script);
    t->script = NULL;
    if (chdir(t->torture->root) == 0 && !keep)
        file_remove_tree(t->folder);
}
