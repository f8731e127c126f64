#include "formats/usd/usd_names.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

int rlti_usd_names_create(rlti_usd_names *names, int maximum) {
    *names = (rlti_usd_names){0};
    names->list = RLTI_NEW(const char *, maximum);
    return names->list != NULL && rlti_table_reserve(&names->table, (size_t)maximum);
}

void rlti_usd_names_free(rlti_usd_names *names) {
    rlti_free(names->list);
    rlti_table_clear(&names->table);
    *names = (rlti_usd_names){0};
}

static uint64_t hash_of(const char *name) {
    return rlti_hash_bytes(RLTI_HASH_START, name, strlen(name));
}

int rlti_usd_names_find(const rlti_usd_names *names, const char *name) {
    for (rlti_table_search s = rlti_table_begin(&names->table, hash_of(name));
         rlti_table_next(&names->table, &s);)
        if (strcmp(names->list[s.number], name) == 0)
            return s.number;
    return -1;
}

int rlti_usd_names_put(rlti_usd_names *names, const char *name) {
    int found = rlti_usd_names_find(names, name);
    if (found >= 0)
        return found;
    names->list[names->count] = name;
    (void)rlti_table_add(&names->table, hash_of(name), names->count); /* reserved: cannot fail */
    return names->count++;
}
