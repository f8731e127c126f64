#include <string.h>
#include <strings.h>

#include "ringlet/movie.h"

int rlt_movie_is_name(const char *path) {
    static const char *const endings[] = {".mp4", ".mkv", ".mov", ".webm", ".gif"};
    size_t length = path != NULL ? strlen(path) : 0;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t size = strlen(endings[i]);
        if (length > size && strcasecmp(path + length - size, endings[i]) == 0)
            return 1;
    }
    return 0;
}
