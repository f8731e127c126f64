/* Names of files in USD layers. Compared as texts after "." and ".." are taken out, so that each file is
 * opened once. */
#include <string.h>

#include "formats/usd/usd_layers.h"

/* Takes "." and "name/.." out of a path in place. */
static void simplify(char *path) {
    char *out = path, *in = path;
    int is_absolute = *in == '/';
    char *floor = path + is_absolute; /* ".." goes no further back than this */
    if (is_absolute) {
        out++;
        in++;
    }
    while (*in != '\0') {
        size_t length = strcspn(in, "/");
        int is_last = in[length] == '\0';
        if (length == 0 || (length == 1 && in[0] == '.')) {
            /* nothing */
        } else if (length == 2 && in[0] == '.' && in[1] == '.' && (out > floor || is_absolute)) {
            if (out > floor)
                out--; /* the slash */
            while (out > floor && out[-1] != '/')
                out--;
        } else {
            int climbs = length == 2 && in[0] == '.' && in[1] == '.';
            memmove(out, in, length);
            out += length;
            if (!is_last)
                *out++ = '/';
            if (climbs)
                floor = out; /* a leading ".." stays */
        }
        in += length + !is_last;
    }
    *out = '\0';
}

/* Without what USD may put after a file's name (":SDF_FORMAT_ARGS:..."). */
static size_t plain_length(const char *asset) {
    const char *arguments = strstr(asset, ":SDF_FORMAT_ARGS:");
    return arguments != NULL ? (size_t)(arguments - asset) : strlen(asset);
}

static char *beside(rlti_arena *arena, const char *from, size_t from_length, const char *asset,
                    size_t asset_length) {
    size_t folder = from_length;
    while (folder > 0 && from[folder - 1] != '/')
        folder--;
    if (asset_length > 0 && asset[0] == '/')
        folder = 0;
    char *made = rlti_arena_keep(arena, folder + asset_length + 1, 1);
    if (made != NULL) {
        memcpy(made, from, folder);
        memcpy(made + folder, asset, asset_length);
        simplify(made);
    }
    return made;
}

char *rlti_usd_resolve(rlti_arena *arena, const char *from, const char *asset) {
    size_t length = plain_length(asset), from_length = strlen(from);
    const char *inner = from_length > 0 && from[from_length - 1] == ']' ? strchr(from, '[') : NULL;
    const char *bracket = length > 0 && asset[length - 1] == ']' ? memchr(asset, '[', length) : NULL;
    if (inner != NULL && bracket == NULL && asset[0] != '/') { /* within the same package */
        char *name = beside(arena, inner + 1, from_length - (size_t)(inner - from) - 2, asset, length);
        char *package = rlti_arena_text(arena, from, (size_t)(inner - from));
        char *open = name != NULL && package != NULL ? rlti_arena_join(arena, package, "[", name) : NULL;
        return open != NULL ? rlti_arena_join(arena, open, "]", "") : NULL;
    }
    size_t outer = bracket != NULL ? (size_t)(bracket - asset) : length;
    size_t base = inner != NULL ? (size_t)(inner - from) : from_length;
    char *file = beside(arena, from, base, asset, outer);
    if (file == NULL || bracket == NULL)
        return file;
    char *rest = rlti_arena_text(arena, bracket, length - outer);
    return rest != NULL ? rlti_arena_join(arena, file, rest, "") : NULL;
}

double rlti_usd_codes_per_second(const rlti_usd_layer *layer) {
    if (layer->time_codes_per_second > 0.0)
        return layer->time_codes_per_second;
    return layer->frames_per_second > 0.0 ? layer->frames_per_second : 24.0;
}
