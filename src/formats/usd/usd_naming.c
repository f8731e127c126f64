/* Names as USD allows them: letters, digits and '_', no digit first, parts of attributes' names joined by
 * ':'. Bytes above 127 stay: newer USD has letters of every script, and a layer on top of such a file needs
 * them. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/table.h"
#include "formats/usd/usd_author.h"

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

static int is_taken(const rlti_table *taken, const char *const *names, const int *owners, int owner,
                    const char *name) {
    uint64_t hash = rlti_hash_name(owner, name, strlen(name));
    for (rlti_table_search s = rlti_table_begin(taken, hash); rlti_table_next(taken, &s);)
        if (owners[s.number] == owner && strcmp(names[s.number], name) == 0)
            return 1;
    return 0;
}

/* Gives names[i] to owners[i], with a number where it is taken; those that stayed as they were (`is_same`)
 * come first and keep them. */
static int settle(rlti_arena *arena, const char **names, const int *owners, const unsigned char *is_same,
                  int count) {
    rlti_table taken = {0};
    int ok = 1;
    for (int pass = 0; pass < 2 && ok; pass++)
        for (int i = 0; i < count && ok; i++) {
            if ((is_same[i] != 0) != (pass == 0))
                continue;
            const char *name = names[i];
            for (int number = 1; name != NULL && is_taken(&taken, names, owners, owners[i], name); number++)
                name = with_number(arena, names[i], number);
            names[i] = name;
            ok = name != NULL && rlti_table_add(&taken, rlti_hash_name(owners[i], name, strlen(name)), i);
        }
    rlti_table_clear(&taken);
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
    RLTI_FREE(parents, is_same);
    return ok;
}

/* 1 where the writer makes the attribute itself, from fields of the prim. */
static int is_made(const rlti_link *link) {
    static const char *const names[] = {
        "type", "basis", "wrap", "orientation", "subdivisionScheme", "purpose", "visibility", "xformOpOrder"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], link->name) == 0)
            return 1;
    return strncmp(link->name, "xformOp:", 8) == 0;
}

/* 1 where a link that was declared later has this name. */
static int is_chained(const rlti_sink *sink, const rlti_usd_naming *names, int prim, const char *name) {
    for (int i = names->first_link[prim]; i >= 0; i = names->next_link[i])
        if (strcmp(sink->links[i].name, name) == 0)
            return 1;
    return 0;
}

/* Finds the attribute that each link belongs to; the others are a chain of their prim. Of two with one name
 * the one declared last counts. */
static int place_links(const rlti_sink *sink, rlti_usd_naming *names) {
    rlti_table table = {0};
    int ok = 1;
    for (int i = 0; i < sink->attribute_count; i++)
        names->link_of[i] = -1;
    for (int i = 0; i < sink->prim_count; i++)
        names->first_link[i] = -1;
    for (int i = 0; i < sink->attribute_count && ok && sink->link_count > 0; i++)
        ok = rlti_table_add(
            &table, rlti_hash_name(sink->owner[i], names->attributes[i], strlen(names->attributes[i])), i);
    for (int i = sink->link_count - 1; i >= 0 && ok; i--) {
        const rlti_link *link = &sink->links[i];
        int owner = sink->link_owner[i], found = -1;
        uint64_t hash = rlti_hash_name(owner, link->name, strlen(link->name));
        for (rlti_table_search s = rlti_table_begin(&table, hash); rlti_table_next(&table, &s) && found < 0;)
            if (sink->owner[s.number] == owner && strcmp(names->attributes[s.number], link->name) == 0)
                found = s.number;
        if (found >= 0 && names->link_of[found] < 0)
            names->link_of[found] = i;
        if (found >= 0 || is_made(link) || is_chained(sink, names, owner, link->name) ||
            (link->type_name[0] != '\0' && link->has_value))
            continue;
        names->next_link[i] = names->first_link[owner];
        names->first_link[owner] = i;
    }
    rlti_table_clear(&table);
    return ok;
}

int rlti_usd_naming_make(const rlti_sink *sink, rlti_usd_naming *names) {
    *names = (rlti_usd_naming){0};
    names->prims = rlti_arena_keep(&names->arena, (size_t)sink->prim_count, sizeof *names->prims);
    names->attributes =
        rlti_arena_keep(&names->arena, (size_t)sink->attribute_count, sizeof *names->attributes);
    names->first = rlti_arena_keep(&names->arena, (size_t)sink->prim_count, sizeof *names->first);
    names->next = rlti_arena_keep(&names->arena, (size_t)sink->attribute_count, sizeof *names->next);
    names->link_of = rlti_arena_keep(&names->arena, (size_t)sink->attribute_count, sizeof *names->link_of);
    names->first_link = rlti_arena_keep(&names->arena, (size_t)sink->prim_count, sizeof *names->first_link);
    names->next_link = rlti_arena_keep(&names->arena, (size_t)sink->link_count, sizeof *names->next_link);
    int ok = names->prims != NULL && names->attributes != NULL && names->first != NULL &&
             names->next != NULL && names->link_of != NULL && names->first_link != NULL &&
             names->next_link != NULL;
    if (ok) {
        chain(sink, names);
        ok = name_prims(sink, names) && name_attributes(sink, names) && place_links(sink, names);
    }
    if (!ok)
        rlti_usd_naming_clear(names);
    return ok;
}

void rlti_usd_naming_clear(rlti_usd_naming *names) {
    rlti_arena_clear(&names->arena);
    *names = (rlti_usd_naming){0};
}
