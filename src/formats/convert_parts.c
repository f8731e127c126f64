#include "formats/convert.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

int rlti_path_fits(const char *path, const char *pattern) {
    if (*pattern == '\0')
        return *path == '\0';
    if (*pattern == '*') {
        int any = pattern[1] == '*';
        const char *rest = pattern + (any ? 2 : 1);
        for (const char *p = path;; p++) {
            if (rlti_path_fits(p, rest))
                return 1;
            if (*p == '\0' || (*p == '/' && !any))
                return 0;
        }
    }
    if (*path == '\0' || (*pattern != '?' && *pattern != *path) || (*pattern == '?' && *path == '/'))
        return 0;
    return rlti_path_fits(path + 1, pattern + 1);
}

int rlti_choose_prims(const rlti_stage *stage, const char *pattern, unsigned char *take) {
    int chosen = 0;
    for (int i = 0; i < stage->prim_count; i++) {
        int parent = stage->prims[i].parent;
        int fits = pattern == NULL || rlti_path_fits(stage->prims[i].path, pattern);
        chosen += fits;
        take[i] = fits || (parent >= 0 && take[parent] == 2) ? 2 : 0;
        for (int p = parent; fits && p >= 0 && take[p] == 0; p = stage->prims[p].parent)
            take[p] = 1;
    }
    return chosen;
}

static int is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

int rlti_usd_name(const char *name, int colons, char *room) {
    char *out = room;
    int starts = 1; /* a part of the name: no digit may stand here */
    if (*name == '\0' || (*name >= '0' && *name <= '9')) {
        *out++ = '_';
        starts = 0;
    }
    for (const char *c = name; *c != '\0'; c++) {
        int is_colon = colons && *c == ':' && !starts && c[1] != '\0';
        int is_digit = *c >= '0' && *c <= '9' && !starts;
        *out++ = (char)(is_letter(*c) || is_digit || is_colon ? *c : '_');
        starts = is_colon;
    }
    *out = '\0';
    return strcmp(name, room) != 0;
}

rlti_array_type rlti_usd_wide_type(rlti_array_type type) {
    if (type.element == RLTI_INT8 || type.element == RLTI_INT16 || type.element == RLTI_UINT16)
        type.element = RLTI_INT32;
    return type;
}

int rlti_array_widen(const rlti_array *from, rlti_array_type type, rlti_array *to) {
    int32_t *room = rlti_array_room(to, type, from->count);
    if (room == NULL)
        return 0;
    to->blocked = from->blocked;
    size_t count = from->blocked ? 0 : from->count * (size_t)type.arity;
    for (size_t i = 0; i < count; i++)
        room[i] = from->type.element == RLTI_INT8    ? ((const int8_t *)from->data)[i]
                  : from->type.element == RLTI_INT16 ? ((const int16_t *)from->data)[i]
                                                     : ((const uint16_t *)from->data)[i];
    return 1;
}

int rlti_sink_is_usd(const rlti_sink *sink) {
    return strncmp(sink->writer->format, "usd", 3) == 0;
}

int rlti_sink_is_still(const rlti_sink *sink) {
    return strcmp(sink->writer->format, "hair") == 0 || strcmp(sink->writer->format, "obj") == 0;
}

double rlti_snap_time(double time) {
    double whole = floor(time + 0.5);
    return fabs(time - whole) <= 1e-6 ? whole : time;
}
