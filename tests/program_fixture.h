/* Runs the program through the shell in a folder of its own and keeps what it said. */
#ifndef PROGRAM_FIXTURE_H
#define PROGRAM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#define TEXT_SIZE 200000

/* What the last run said. One test at a time runs in this process. */
static char out_text[TEXT_SIZE];
static char err_text[TEXT_SIZE];

static inline void read_file(const char *path, char *text) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(text, 1, TEXT_SIZE - 1, file);
    text[size] = 0;
    fclose(file);
}

/* Runs `ringlet ARGUMENTS` without any addition; returns the exit code, fills out_text and err_text. */
static inline int ringlet_as_is(const char *arguments) {
    char line[4096];
    snprintf(line, sizeof line, "'%s' %s > stdout.txt 2> stderr.txt < /dev/null", RLT_PROGRAM, arguments);
    int code = system(line);
    assert_true(WIFEXITED(code));
    read_file("stdout.txt", out_text);
    read_file("stderr.txt", err_text);
    return WEXITSTATUS(code);
}

/* The same, and replaces outputs that exist: tests write to one name again and again. */
static inline int ringlet(const char *arguments) {
    static const char *const writers[] = {"simulate ", "render ", "fill ", "convert ", "demo "};
    char line[2100];
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        size_t length = strlen(writers[i]);
        if (strncmp(arguments, writers[i], length) == 0) {
            snprintf(line, sizeof line, "%s--force %s", writers[i], arguments + length);
            return ringlet_as_is(line);
        }
    }
    return ringlet_as_is(arguments);
}

#endif
