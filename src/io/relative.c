#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* realpath */
#endif
#include "io/relative.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

char *rlti_relative_path(const char *file, const char *from) {
    char *whole = realpath(file, NULL), *folder = NULL, *made = NULL;
    const char *slash = strrchr(from, '/');
    size_t length = slash != NULL ? (size_t)(slash - from) : 0;
    char *parent = rlti_allocate(length + 2, 1);
    if (parent != NULL) {
        memcpy(parent, from, length);
        if (length == 0)
            parent[0] = slash != NULL ? '/' : '.';
        folder = realpath(parent, NULL);
    }
    if (whole != NULL && folder != NULL) {
        size_t same = 0, ups = 0;
        for (size_t i = 0;; i++) { /* the longest common run of whole names */
            int folder_ends = folder[i] == '\0' || folder[i] == '/', file_ends = whole[i] == '/';
            if (folder_ends && file_ends)
                same = i;
            if (folder[i] == '\0' || whole[i] == '\0' || folder[i] != whole[i])
                break;
        }
        for (size_t i = same; folder[i] != '\0'; i++)
            ups += folder[i] == '/' && folder[i + 1] != '\0';
        const char *rest = whole + same + 1;
        made = rlti_allocate(3 * ups + strlen(rest) + 3, 1);
        char *out = made;
        for (size_t i = 0; made != NULL && i < ups; i++, out += 3)
            memcpy(out, "../", 3);
        if (made != NULL && ups == 0) { /* else USD looks along its search path */
            memcpy(out, "./", 2);
            out += 2;
        }
        if (made != NULL)
            memcpy(out, rest, strlen(rest) + 1);
    }
    rlti_free(parent);
    free(whole);  /* of realpath */
    free(folder); /* of realpath */
    return made;
}
