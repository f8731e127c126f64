/* Maps between namespaces, as OpenUSD defines them: of several pairs that fit, the longest counts, and no two
 * paths come to the same place. */
#include "formats/usd/usd_map.h"

#include <string.h>

int rlti_usd_has_prefix(const char *path, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(path, prefix, length) == 0 &&
           (path[length] == '/' || path[length] == '.' || path[length] == '\0');
}

/* A path by the pairs from side `from` (0: source) to the other; `but` is left out, -1 leaves out none. */
static const char *map_path(rlti_arena *arena, const rlti_usd_map *map, int from, int but, const char *path) {
    const char *best = NULL, *place = NULL;
    for (int i = 0; i < map->count; i++) {
        const char *here = from == 0 ? map->pairs[i].source : map->pairs[i].target;
        if (i != but && rlti_usd_has_prefix(path, here) && (best == NULL || strlen(here) > strlen(best))) {
            best = here;
            place = from == 0 ? map->pairs[i].target : map->pairs[i].source;
        }
    }
    if (best == NULL && !map->has_rest)
        return NULL;
    const char *made = best == NULL ? path : rlti_arena_join(arena, place, path + strlen(best), "");
    size_t length = best == NULL ? 0 : strlen(place);
    for (int i = 0; made != NULL && i < map->count; i++) { /* another pair may lead there, and nearer */
        const char *there = from == 0 ? map->pairs[i].target : map->pairs[i].source;
        if (i != but && strlen(there) > length && rlti_usd_has_prefix(made, there))
            return NULL;
    }
    return made;
}

const char *rlti_usd_map_forth(rlti_arena *arena, const rlti_usd_map *map, const char *path) {
    return map_path(arena, map, 0, -1, path);
}

const char *rlti_usd_map_back(rlti_arena *arena, const rlti_usd_map *map, const char *path) {
    return map_path(arena, map, 1, -1, path);
}

int rlti_usd_map_one(rlti_arena *arena, const char *source, const char *target, int has_rest,
                     rlti_usd_map *map) {
    rlti_usd_pair *pair = rlti_arena_keep(arena, 1, sizeof *pair);
    *map = (rlti_usd_map){.has_rest = has_rest, .pairs = pair};
    if (pair == NULL)
        return 0;
    *pair = (rlti_usd_pair){source, target};
    map->count = !(has_rest && strcmp(source, target) == 0);
    return 1;
}

static void add_pair(rlti_usd_pair *pairs, int *count, const char *source, const char *target) {
    if (source == NULL || target == NULL)
        return;
    for (int i = 0; i < *count; i++)
        if (strcmp(pairs[i].source, source) == 0 || strcmp(pairs[i].target, target) == 0)
            return;
    pairs[(*count)++] = (rlti_usd_pair){source, target};
}

int rlti_usd_map_join(rlti_arena *arena, const rlti_usd_map *outer, const rlti_usd_map *inner,
                      rlti_usd_map *map) {
    rlti_usd_pair *pairs = rlti_arena_keep(arena, (size_t)(outer->count + inner->count) + 1, sizeof *pairs);
    *map = (rlti_usd_map){.has_rest = outer->has_rest && inner->has_rest, .pairs = pairs};
    if (pairs == NULL)
        return 0;
    for (int i = 0; i < inner->count; i++)
        add_pair(pairs, &map->count, inner->pairs[i].source,
                 rlti_usd_map_forth(arena, outer, inner->pairs[i].target));
    for (int i = 0; i < outer->count; i++)
        add_pair(pairs, &map->count, rlti_usd_map_back(arena, inner, outer->pairs[i].source),
                 outer->pairs[i].target);
    for (int i = map->count - 1; i >= 0; i--) { /* without those that follow from the others */
        const char *made = map_path(arena, map, 0, i, pairs[i].source);
        if (made == NULL || strcmp(made, pairs[i].target) != 0)
            continue;
        memmove(&pairs[i], &pairs[i + 1], (size_t)(map->count - i - 1) * sizeof *pairs);
        map->count--;
    }
    return 1;
}

int rlti_usd_map_turn(rlti_arena *arena, const rlti_usd_map *map, rlti_usd_map *turned) {
    rlti_usd_pair *pairs = rlti_arena_keep(arena, (size_t)map->count + 1, sizeof *pairs);
    *turned = (rlti_usd_map){map->has_rest, map->count, pairs};
    for (int i = 0; pairs != NULL && i < map->count; i++)
        pairs[i] = (rlti_usd_pair){map->pairs[i].target, map->pairs[i].source};
    return pairs != NULL;
}

int rlti_usd_map_same(const rlti_usd_map *a, const rlti_usd_map *b) {
    if (a->count != b->count || a->has_rest != b->has_rest)
        return 0;
    for (int i = 0; i < a->count; i++) {
        int is_there = 0;
        for (int k = 0; k < b->count; k++)
            is_there |= strcmp(a->pairs[i].source, b->pairs[k].source) == 0 &&
                        strcmp(a->pairs[i].target, b->pairs[k].target) == 0;
        if (!is_there)
            return 0;
    }
    return 1;
}
