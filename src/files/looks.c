#include "files/looks.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/table.h"

int rlti_text_starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

int rlti_is_binding(const rlti_link *link) {
    static const char name[] = "material:binding";
    char next = rlti_text_starts(link->name, name) ? link->name[sizeof name - 1] : '?';
    return link->type_name[0] == '\0' && (next == '\0' || next == ':');
}

int rlti_is_look(const rlti_link *link) {
    return rlti_is_binding(link) || rlti_text_starts(link->name, "collection:");
}

int rlti_is_look_attribute(const rlti_attribute *attribute) {
    return attribute->class_ == RLTI_CUSTOM && rlti_text_starts(attribute->name, "collection:");
}

int rlti_is_not_skel(const rlti_link *link) {
    return !rlti_text_starts(link->name, "skel:");
}

rlt_status rlti_keep_schemas(const char *schemas, int only_looks, rlt_messages *messages, char **kept) {
    *kept = NULL;
    if (schemas == NULL)
        return RLT_OK;
    char *made = rlti_allocate(strlen(schemas) + 1, 1), *out = made;
    if (made == NULL)
        return rlti_out_of_memory(messages);
    for (const char *at = schemas + strspn(schemas, " "); *at != '\0'; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        int is_look = rlti_text_starts(at, "MaterialBindingAPI") || rlti_text_starts(at, "CollectionAPI");
        if (only_looks ? is_look : !rlti_text_starts(at, "Skel")) {
            if (out > made)
                *out++ = ' ';
            memcpy(out, at, length);
            out += length;
        }
        at += length;
    }
    *out = '\0';
    if (out > made)
        *kept = made;
    else
        rlti_free(made);
    return RLT_OK;
}

typedef struct search {
    const rlti_stage *stage;
    unsigned char *take;
    rlti_table table; /* prims by path */
    int *queue;       /* [prim_count] prims of networks whose connections are still to be followed */
    int count;
} search;

/* The prim that a target is or has the property of; -1 where there is none. */
static int prim_of(const search *s, const char *target) {
    size_t length = strcspn(target, ".");
    for (rlti_table_search t = rlti_table_begin(&s->table, rlti_hash_name(0, target, length));
         rlti_table_next(&s->table, &t);) {
        const char *path = s->stage->prims[t.number].path;
        if (strncmp(path, target, length) == 0 && path[length] == '\0')
            return t.number;
    }
    return -1;
}

static int is_below(const rlti_stage *stage, int prim, int above) {
    while (prim > above)
        prim = stage->prims[prim].parent;
    return prim == above;
}

/* Takes a prim of a network, and what is below it. */
static void take_network(search *s, int prim) {
    const rlti_prim *prims = s->stage->prims;
    if (prim < 0 || prims[prim].kind != RLTI_PRIM_OTHER || s->take[prim] == 2)
        return;
    for (int i = prim; i < s->stage->prim_count && is_below(s->stage, i, prim); i++)
        if (s->take[i] != 2) {
            s->take[i] = 2;
            s->queue[s->count++] = i;
        }
    for (int p = prims[prim].parent; p >= 0 && s->take[p] == 0; p = prims[p].parent)
        s->take[p] = 1;
}

/* Follows the links of a prim to materials, or within a network. */
static void follow(search *s, int prim, int in_network) {
    int count;
    const rlti_link *links = rlti_stage_links(s->stage, &s->stage->prims[prim], &count);
    for (int i = 0; i < count; i++) {
        int is_followed = in_network ? links[i].type_name[0] != '\0' : rlti_is_binding(&links[i]);
        for (int k = 0; k < links[i].target_count && is_followed; k++)
            if (in_network || strchr(links[i].targets[k], '.') == NULL)
                take_network(s, prim_of(s, links[i].targets[k]));
    }
}

static int begin_search(search *s, const rlti_stage *stage, unsigned char *take) {
    *s = (search){.stage = stage, .take = take, .queue = RLTI_NEW(int, stage->prim_count)};
    int ok = s->queue != NULL && rlti_table_reserve(&s->table, (size_t)stage->prim_count);
    for (int i = 0; i < stage->prim_count && ok; i++)
        ok = rlti_table_add(&s->table, rlti_hash_name(0, stage->prims[i].path, strlen(stage->prims[i].path)),
                            i);
    return ok;
}

/* Follows the connections of all that was taken. */
static rlt_status end_search(search *s, int ok, rlt_messages *messages) {
    for (int i = 0; i < s->count && ok; i++)
        follow(s, s->queue[i], 1);
    rlti_table_clear(&s->table);
    rlti_free(s->queue);
    return ok ? RLT_OK : rlti_out_of_memory(messages);
}

rlt_status rlti_take_looks(const rlti_stage *stage, unsigned char *take, rlt_messages *messages) {
    search s;
    if (stage->reader->links == NULL)
        return RLT_OK;
    int ok = begin_search(&s, stage, take);
    for (int i = 0; i < stage->prim_count && ok; i++)
        if (take[i] != 0)
            follow(&s, i, 0);
    return end_search(&s, ok, messages);
}

rlt_status rlti_take_networks(const rlti_stage *stage, const int *roots, int count, unsigned char *take,
                              rlt_messages *messages) {
    search s;
    int ok = begin_search(&s, stage, take);
    for (int i = 0; i < count && ok; i++)
        take_network(&s, roots[i]);
    return end_search(&s, ok, messages);
}

int rlti_is_subset(const rlti_prim *prim) {
    return prim->kind == RLTI_PRIM_FACE_SET;
}
