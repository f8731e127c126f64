#include "formats/usd/usd_names.h"

#include <string.h>

#include "base/memory.h"

int rlti_usd_names_create(rlti_usd_names *names, int most) {
    *names = (rlti_usd_names){0};
    names->size = 16;
    while (names->size < 2 * (size_t)most)
        names->size *= 2;
    names->list = RLTI_NEW(const char *, most);
    names->table = RLTI_NEW(int, names->size);
    return names->list != NULL && names->table != NULL;
}

void rlti_usd_names_free(rlti_usd_names *names) {
    rlti_free(names->list);
    rlti_free(names->table);
    *names = (rlti_usd_names){0};
}

/* Where a name stands in the table, or the free place where it would. */
static size_t slot_of(const rlti_usd_names *names, const char *name) {
    size_t hash = 5381;
    for (const char *s = name; *s != '\0'; s++)
        hash = hash * 33 + (unsigned char)*s;
    size_t at = (hash ^ hash >> 17) & (names->size - 1);
    while (names->table[at] != 0 && strcmp(names->list[names->table[at] - 1], name) != 0)
        at = (at + 1) & (names->size - 1);
    return at;
}

int rlti_usd_names_find(const rlti_usd_names *names, const char *name) {
    return names->table[slot_of(names, name)] - 1;
}

int rlti_usd_names_put(rlti_usd_names *names, const char *name) {
    size_t at = slot_of(names, name);
    if (names->table[at] == 0) {
        names->list[names->count++] = name;
        names->table[at] = names->count;
    }
    return names->table[at] - 1;
}
