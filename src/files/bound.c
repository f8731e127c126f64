/* Which material a prim is bound to (OpenUSD's UsdShadeMaterialBindingAPI says the rules). */
#include <stdio.h>
#include <string.h>

#include "base/messages.h"
#include "files/looks.h"

#define BINDING    "material:binding"
#define COLLECTION "collection:"

enum { DEPTH = 8 }; /* of collections that include others */

/* ---- collections ---- */

/* 1 where `path` is `above`, or is below it. */
static int is_at(const char *path, const char *above, int with_below) {
    size_t length = strcmp(above, "/") == 0 ? 0 : strlen(above);
    return strncmp(path, above, length) == 0 && (path[length] == '\0' || (with_below && path[length] == '/'));
}

/* The value of "collection:NAME:what"; its count is 0 where there is none. */
static rlt_status read_rule(const rlti_stage *stage, const rlti_prim *prim, const char *collection,
                            const char *what, rlti_array *value, rlt_messages *messages) {
    char name[200];
    snprintf(name, sizeof name, "%s:%s", collection, what);
    const rlti_attribute *a = rlti_stage_attribute(stage, prim, RLTI_CUSTOM, name);
    value->count = 0;
    return a != NULL ? rlti_stage_value(stage, prim, a, stage->first_time, messages, value) : RLT_OK;
}

typedef struct member {
    const rlti_stage *stage;
    const char *path;
    int expands;    /* what is below the included prims is in it, too */
    size_t nearest; /* length of the longest path that counts, and one more */
    int is_in;
} member;

static rlt_status find_member(const rlti_stage *stage, const char *collection, const char *path, int depth,
                              rlt_messages *messages, int *is_in);

/* Looks through the includes or excludes of a collection. */
static rlt_status walk_members(member *m, const rlti_link *link, int includes, int depth,
                               rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int i = 0; i < link->target_count && status == RLT_OK; i++) {
        const char *target = link->targets[i];
        size_t length = strlen(target) + 1;
        if (strchr(target, '.') != NULL && includes) {
            int is_in = 0;
            status = find_member(m->stage, target, m->path, depth + 1, messages, &is_in);
            m->is_in |= is_in && m->nearest == 0;
        } else if (is_at(m->path, target, m->expands || !includes) && length >= m->nearest) {
            m->nearest = length;
            m->is_in = includes;
        }
    }
    return status;
}

/* Whether the collection "/Prim.collection:NAME" holds a prim: the nearest path that is included or excluded
 * decides, and of the same path the exclusion. */
static rlt_status find_member(const rlti_stage *stage, const char *collection, const char *path, int depth,
                              rlt_messages *messages, int *is_in) {
    const char *dot = strchr(collection, '.');
    char owner[1024], name[200];
    *is_in = 0;
    if (dot == NULL || !rlti_text_starts(dot + 1, COLLECTION) || depth > DEPTH ||
        (size_t)(dot - collection) >= sizeof owner)
        return RLT_OK;
    memcpy(owner, collection, (size_t)(dot - collection));
    owner[dot - collection] = '\0';
    int prim = rlti_stage_find(stage, owner), count;
    if (prim < 0)
        return RLT_OK;
    const rlti_prim *of = &stage->prims[prim];
    const rlti_link *links = rlti_stage_links(stage, of, &count);
    member m = {.stage = stage, .path = path, .expands = 1};
    rlti_array value = {0};
    rlt_status status = read_rule(stage, of, dot + 1, "expansionRule", &value, messages);
    if (status == RLT_OK && value.count == 1 && value.type.element == RLTI_TEXT)
        m.expands = strcmp(((const char *const *)value.data)[0], "explicitOnly") != 0;
    if (status == RLT_OK)
        status = read_rule(stage, of, dot + 1, "includeRoot", &value, messages);
    if (status == RLT_OK && value.count == 1 && value.type.element == RLTI_BOOL)
        m.is_in = m.expands && ((const unsigned char *)value.data)[0] != 0;
    rlti_array_clear(&value);
    for (int includes = 1; includes >= 0; includes--)
        for (int i = 0; i < count && status == RLT_OK; i++) {
            snprintf(name, sizeof name, "%s:%s", dot + 1, includes ? "includes" : "excludes");
            if (strcmp(links[i].name, name) == 0)
                status = walk_members(&m, &links[i], includes, depth, messages);
        }
    *is_in = m.is_in;
    return status;
}

/* ---- bindings ---- */

typedef struct found {
    rlti_bound *list;
    int *at;       /* [count] the prim that binds */
    int *directly; /* [count] */
    int count;
} found;

/* Takes a binding of prim `at` where it counts before what was found further down. */
static void take(found *f, const char *name, int material, const rlti_link *link, int at, int directly) {
    const char *strength = link->notes.texts[0];
    int is_stronger = strength != NULL && strcmp(strength, "strongerThanDescendants") == 0, i = 0;
    while (i < f->count && strcmp(f->list[i].name, name) != 0)
        i++;
    if (i == RLTI_BOUND || strlen(name) >= sizeof f->list[0].name)
        return;
    if (i < f->count && !is_stronger && !(f->at[i] == at && f->directly[i] && !directly))
        return;
    if (i < f->count && f->at[i] == at && !f->directly[i])
        return; /* of several collections of one prim the first */
    f->count += i == f->count;
    strcpy(f->list[i].name, name);
    f->list[i].material = material;
    f->at[i] = at;
    f->directly[i] = directly;
}

static int find_material(const rlti_stage *stage, const char *path) {
    int prim = rlti_stage_find(stage, path);
    return prim >= 0 && stage->prims[prim].kind == RLTI_PRIM_OTHER ? prim : -1;
}

/* Bindings of one prim through collections: "material:binding:collection:NAME" or ":PURPOSE:NAME". */
static rlt_status take_collection(found *f, const rlti_stage *stage, int prim, int at, const rlti_link *link,
                                  rlt_messages *messages) {
    const char *rest = link->name + strlen(BINDING ":" COLLECTION), *colon = strchr(rest, ':');
    char name[96] = BINDING;
    int is_in = 0;
    if (colon != NULL)
        snprintf(name, sizeof name, BINDING ":%.*s", (int)(colon - rest), rest);
    if (link->target_count != 2)
        return RLT_OK;
    int collection = strchr(link->targets[0], '.') != NULL ? 0 : 1;
    int material = find_material(stage, link->targets[1 - collection]);
    rlt_status status =
        find_member(stage, link->targets[collection], stage->prims[prim].path, 0, messages, &is_in);
    if (status == RLT_OK && is_in && material >= 0)
        take(f, name, material, link, at, 0);
    return status;
}

rlt_status rlti_find_bound(const rlti_stage *stage, int prim, rlt_messages *messages,
                           rlti_bound list[RLTI_BOUND], int *count) {
    int at[RLTI_BOUND], directly[RLTI_BOUND];
    found f = {list, at, directly, 0};
    rlt_status status = RLT_OK;
    for (int p = prim; p >= 0 && status == RLT_OK; p = stage->prims[p].parent) {
        int links_count;
        const rlti_link *links = rlti_stage_links(stage, &stage->prims[p], &links_count);
        for (int through = 0; through < 2; through++) /* direct ones first */
            for (int i = 0; i < links_count && status == RLT_OK; i++) {
                int is_collection = rlti_text_starts(links[i].name, BINDING ":" COLLECTION);
                if (!rlti_is_binding(&links[i]) || is_collection != through)
                    continue;
                int material =
                    !through && links[i].target_count > 0 ? find_material(stage, links[i].targets[0]) : -1;
                if (material >= 0)
                    take(&f, links[i].name, material, &links[i], p, 1);
                if (through)
                    status = take_collection(&f, stage, prim, p, &links[i], messages);
            }
    }
    *count = f.count;
    return status;
}
