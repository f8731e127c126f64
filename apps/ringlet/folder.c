#include "folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int make_one(const char *path) {
    struct stat found;
    if (mkdir(path, 0777) == 0)
        return 1;
    if (errno != EEXIST)
        return 0;
    if (stat(path, &found) == 0 && S_ISDIR(found.st_mode))
        return 1;
    errno = ENOTDIR;
    return 0;
}

int folder_make(const char *path) {
    size_t size = strlen(path) + 1;
    char *part = malloc(size);
    if (part == NULL)
        return 0;
    memcpy(part, path, size);
    int good = size > 1;
    if (!good)
        errno = ENOENT;
    for (char *p = part + 1; good && *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        good = make_one(part);
        *p = '/';
    }
    good = good && make_one(part);
    int error = errno;
    free(part);
    errno = error;
    return good;
}

char *folder_join(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}
