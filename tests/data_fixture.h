/* Real files for tests. They are not in the repository: the folder is named by RINGLET_DATA, or is
 * ../shared/data beside the source tree. Tests skip, with a notice, where it is missing. */
#ifndef TESTS_DATA_FIXTURE_H
#define TESTS_DATA_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The path of a file of the folder; 0, with a notice, when it cannot be read. */
static inline int data_path(const char *name, char *path, size_t size) {
    const char *folder = getenv("RINGLET_DATA");
    if (folder != NULL && folder[0] != '\0')
        snprintf(path, size, "%s/%s", folder, name);
    else
        snprintf(path, size, "%s/../shared/data/%s", RLT_SOURCE_DIR, name);
    if (access(path, R_OK) == 0)
        return 1;
    printf("skipped: %s is not there (set RINGLET_DATA to the folder with the sample files)\n", name);
    return 0;
}

#endif
