/* How the paths of one namespace become those of another: pairs of prefixes, one to one. */
#ifndef RLTI_FORMATS_USD_USD_MAP_H
#define RLTI_FORMATS_USD_USD_MAP_H

#include "base/arena.h"

typedef struct rlti_usd_pair {
    const char *source, *target; /* paths of prims */
} rlti_usd_pair;

typedef struct rlti_usd_map {
    int has_rest; /* paths that no pair has stay as they are */
    int count;
    const rlti_usd_pair *pairs;
} rlti_usd_map;

/* 1 where the path is `prefix`, or something below it. */
int rlti_usd_has_prefix(const char *path, const char *prefix);

/* The path of the target, or NULL where it has none: no pair leads there, or another pair has taken its place
 * (and when out of memory). */
const char *rlti_usd_map_forth(rlti_arena *arena, const rlti_usd_map *map, const char *path);
const char *rlti_usd_map_back(rlti_arena *arena, const rlti_usd_map *map, const char *path);

/* One pair; 0 when out of memory. */
int rlti_usd_map_one(rlti_arena *arena, const char *source, const char *target, int has_rest,
                     rlti_usd_map *map);
/* First `inner`, then `outer`. */
int rlti_usd_map_join(rlti_arena *arena, const rlti_usd_map *outer, const rlti_usd_map *inner,
                      rlti_usd_map *map);
int rlti_usd_map_turn(rlti_arena *arena, const rlti_usd_map *map, rlti_usd_map *turned);
int rlti_usd_map_same(const rlti_usd_map *a, const rlti_usd_map *b);

#endif
