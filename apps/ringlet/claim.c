#include "claim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "console.h"
#include "outfile.h"

enum { PATH_SIZE = 1100 };

int claim_holds(const char *path, const char *text, char word[32]) {
    FILE *file = fopen(path, "r");
    int same = file != NULL;
    word[0] = 0;
    for (const char *line = text; same && *line;) {
        size_t length = strcspn(line, "\n") + 1;
        char *found = calloc(length + 1, 1);
        same = found && fgets(found, (int)length + 1, file) && strncmp(found, line, length) == 0;
        if (!same)
            snprintf(word, 32, "%.*s", (int)strcspn(line, " \n"), line);
        free(found);
        line += line[length - 1] ? length : length - 1;
    }
    same = same && fgetc(file) == EOF;
    if (file)
        fclose(file);
    return same;
}

/* A file of a name of its own, beside `path`. */
static int write_apart(const char *path, const char *text, char apart[PATH_SIZE]) {
    int length = snprintf(apart, PATH_SIZE, "%s.XXXXXX", path);
    int file = length > 0 && length < PATH_SIZE ? mkstemp(apart) : -1;
    if (file < 0)
        return 0;
    size_t size = strlen(text);
    int good = fchmod(file, 0644) == 0 && write(file, text, size) == (ssize_t)size;
    good = close(file) == 0 && good;
    if (!good)
        unlink(apart);
    return good;
}

int claim_take(const char *path, const char *text, int force) {
    char apart[PATH_SIZE], word[32];
    if (claim_holds(path, text, word))
        return 1;
    if (!force && access(path, F_OK) == 0)
        return 0;
    if (!write_apart(path, text, apart)) {
        console_error("%s: cannot be written: %s", path, strerror(errno));
        return -1;
    }
    /* a link is made by one process alone; where there are none (some network disks) the last one wins */
    int taken = !force && link(apart, path) == 0;
    if (!taken && (force || errno != EEXIST))
        (void)rename(apart, path);
    (void)unlink(apart);
    return claim_holds(path, text, word);
}
