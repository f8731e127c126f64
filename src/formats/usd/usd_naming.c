/* Names as USD allows them: letters, digits and '_', no digit first, parts of attributes' names joined by
 * ':'. Bytes above 127 stay: newer USD has letters of every script, and a layer on top of such a file needs
 * them. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "formats/usd/usd_author.h"

/* Names in use, each with its owner. */
typedef struct taken {
    const char **names;
    int *owners;
    size_t mask;
} taken;

static size_t hash_of(int owner, const char *name) {
    uint64_t hash = (14695981039346656037u ^ (uint64_t)(uint32_t)owner) * 1099511628211u; /* FNV-1a */
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32);
}

/* Returns 0 where the owner has this name already. */
static int take(taken *t, int owner, const char *name) {
    size_t slot = hash_of(owner, name) & t->mask;
    for (; t->names[slot] != NULL; slot = (slot + 1) & t->mask)
        if (t->owners[slot] == owner && strcmp(t->names[slot], name) == 0)
            return 0;
    t->names[slot] = name;
    t->owners[slot] = owner;
    return 1;
}

static int taken_make(taken *t, int count) {
    size_t size = 16;
    while (size < 2 * (size_t)count + 2)
        size *= 2;
    t->names = RLTI_NEW(const char *, size);
    t->owners = RLTI_NEW(int, size);
    t->mask = size - 1;
    return t->names != NULL && t->owners != NULL;
}

static void taken_clear(taken *t) {
    rlti_free(t->names);
    rlti_free(t->owners);
}

static int is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 128;
}

/* Writes at most 2 strlen(name) + 1 characters and a zero byte. */
static void make_legal(const char *name, int colons, char *out) {
    int starts = 1;
    if (*name == '\0')
        *out++ = '_';
    for (const char *c = name; *c != '\0'; c++) {
        int is_digit = *c >= '0' && *c <= '9';
        int is_colon = colons && *c == ':' && !starts && c[1] != '\0';
        if (is_digit && starts)
            *out++ = '_';
        *out++ = (char)(is_letter(*c) || is_digit || is_colon ? *c : '_');
        starts = is_colon;
    }
    *out = '\0';
}

/* A legal name that the owner has not yet; NULL when out of memory. `before` and `after` are put around it.
 */
static const char *make_name(rlti_arena *arena, const char *before, const char *name, const char *after,
                             int colons) {
    size_t first = strlen(before), length = strlen(name), last = strlen(after);
    char *made = rlti_arena_keep(arena, first + 2 * length + last + 2, 1);
    if (made == NULL)
        return NULL;
    memcpy(made, before, first);
    make_legal(name, colons, made + first);
    memcpy(made + strlen(made), after, last + 1);
    return made;
}

static const char *with_number(rlti_arena *arena, const char *name, int number) {
    size_t length = strlen(name);
    char *made = rlti_arena_keep(arena, length + 16, 1);
    if (made != NULL) {
        memcpy(made, name, length);
        snprintf(made + length, 16, "_%d", number);
    }
    return made;
}

/* Gives names[i] to owners[i], with a number where it is taken; those that stayed as they were (`is_same`)
 * come first and keep them. */
static int settle(rlti_arena *arena, const char **names, const int *owners, const unsigned char *is_same,
                  int count) {
    taken t = {0};
    int ok = taken_make(&t, count);
    for (int pass = 0; pass < 2 && ok; pass++)
        for (int i = 0; i < count && ok; i++) {
            if ((is_same[i] != 0) != (pass == 0))
                continue;
            const char *name = names[i];
            for (int number = 1; ok && !take(&t, owners[i], name); number++) {
                name = with_number(arena, names[i], number);
                ok = name != NULL;
            }
            names[i] = name;
        }
    taken_clear(&t);
    return ok;
}

/* Each prim's attributes as a chain, in their order. */
static void chain(const rlti_sink *sink, rlti_usd_naming *names) {
    for (int i = 0; i < sink->prim_count; i++)
        names->first[i] = -1;
    for (int i = sink->attribute_count - 1; i >= 0; i--) {
        names->next[i] = names->first[sink->owner[i]];
        names->first[sink->owner[i]] = i;
    }
}

/* The attribute whose values this one indexes, or -1. */
static int indexed_by(const rlti_sink *sink, const rlti_usd_naming *names, int index) {
    int place = 0, first = names->first[sink->owner[index]];
    for (int i = first; i != index; i = names->next[i])
        place++;
    for (int i = first; i >= 0; i = names->next[i])
        if (i != index && sink->attributes[i].indices == place)
            return i;
    return -1;
}

static const char *prefix_of(const rlti_attribute *a) {
    return a->class_ == RLTI_PRIMVAR && strncmp(a->name, "primvars:", 9) != 0 ? "primvars:" : "";
}

/* The one name that is not USD's own: formats/README.md has the table. */
static const char *usd_name_of(const rlti_attribute *a) {
    return a->class_ == RLTI_BUILT_IN && strcmp(a->name, "orders") == 0 ? "order" : a->name;
}

static int name_attributes(const rlti_sink *sink, rlti_usd_naming *names) {
    int count = sink->attribute_count;
    unsigned char *is_same = rlti_allocate((size_t)count + 1, 1);
    int ok = is_same != NULL;
    for (int i = 0; i < count && ok; i++) {
        const rlti_attribute *a = &sink->attributes[i];
        int of = a->is_index ? indexed_by(sink, names, i) : -1;
        if (of >= 0)
            a = &sink->attributes[of];
        names->attributes[i] =
            make_name(&names->arena, prefix_of(a), usd_name_of(a), of >= 0 ? ":indices" : "", 1);
        ok = names->attributes[i] != NULL;
        is_same[i] = ok && of < 0 && strcmp(names->attributes[i] + strlen(prefix_of(a)), a->name) == 0;
    }
    ok = ok && settle(&names->arena, names->attributes, sink->owner, is_same, count);
    rlti_free(is_same);
    return ok;
}

static int name_prims(const rlti_sink *sink, rlti_usd_naming *names) {
    int count = sink->prim_count;
    int *parents = RLTI_NEW(int, count + 1);
    unsigned char *is_same = rlti_allocate((size_t)count + 1, 1);
    int ok = parents != NULL && is_same != NULL;
    for (int i = 0; i < count && ok; i++) {
        parents[i] = sink->prims[i].parent;
        names->prims[i] = make_name(&names->arena, "", sink->prims[i].name, "", 0);
        ok = names->prims[i] != NULL;
        is_same[i] = ok && strcmp(names->prims[i], sink->prims[i].name) == 0;
    }
    ok = ok && settle(&names->arena, names->prims, parents, is_same, count);
    rlti_free(parents);
    rlti_free(is_same);
    return ok;
}

int rlti_usd_naming_make(const rlti_sink *sink, rlti_usd_naming *names) {
    *names = (rlti_usd_naming){0};
    names->prims = rlti_arena_keep(&names->arena, (size_t)sink->prim_count, sizeof *names->prims);
    names->attributes =
        rlti_arena_keep(&names->arena, (size_t)sink->attribute_count, sizeof *names->attributes);
    names->first = rlti_arena_keep(&names->arena, (size_t)sink->prim_count, sizeof *names->first);
    names->next = rlti_arena_keep(&names->arena, (size_t)sink->attribute_count, sizeof *names->next);
    int ok = names->prims != NULL && names->attributes != NULL && names->first != NULL && names->next != NULL;
    if (ok) {
        chain(sink, names);
        ok = name_prims(sink, names) && name_attributes(sink, names);
    }
    if (!ok)
        rlti_usd_naming_clear(names);
    return ok;
}

void rlti_usd_naming_clear(rlti_usd_naming *names) {
    rlti_arena_clear(&names->arena);
    *names = (rlti_usd_naming){0};
}
