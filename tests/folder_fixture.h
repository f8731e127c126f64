/* A folder of a test's own to run in, gone with all its files afterwards. */
#ifndef FOLDER_FIXTURE_H
#define FOLDER_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder_name[64];

/* Makes it below the present one and goes there; returns 0, as cmocka's set-ups do. */
static inline int folder_enter(const char *name) {
    snprintf(folder_name, sizeof folder_name, "%s-%ld.tmp", name, (long)getpid());
    return mkdir(folder_name, 0777) != 0 || chdir(folder_name) != 0;
}

/* For cmocka's groups. */
static inline int folder_leave(void **state) {
    (void)state;
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", folder_name);
    return chdir("..") != 0 || system(line) != 0;
}

#endif
