#include "formats/usd/usd_layers.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/table.h"
#include "formats/tree/stage.h"
#include "formats/usd/usdz.h"

enum { LAYERS_MAX = 4096, STACK_MAX = 1024, STACK_DEPTH = 64, FIRST_BYTES = 4096 };

typedef struct opened_file { /* a file, which may be a package with many layers */
    char *path;
    rlti_file_map map;
    rlti_usdz *package; /* NULL: a plain layer */
} opened_file;

typedef struct entry { /* a layer with what finds its prims */
    const char *key;   /* resolved name */
    rlti_usd_layer *layer;
    unsigned char *copy; /* of bytes in a package that are not aligned */
    int *first, *next;   /* [prim_count + 1] (0: roots), [prim_count] */
    rlti_table table;    /* prims and variants by (parent, name) */
    rlti_usd_stack *stack;
    int is_bad; /* could not be read: said once */
} entry;

struct rlti_usd_layers {
    rlti_arena *arena;
    int file_count, count, capacity, file_capacity;
    opened_file *files;
    entry *list;
    size_t specs;
    rlt_inputs *inputs; /* every file, or NULL */
};

/* ---- finding prims ---- */

static int index_prims(entry *e) {
    const rlti_usd_layer *layer = e->layer;
    int count = layer->prim_count;
    e->first = RLTI_NEW(int, (size_t)count + 1);
    e->next = RLTI_NEW(int, count);
    int *last = RLTI_NEW(int, (size_t)count + 1);
    int ok =
        e->first != NULL && e->next != NULL && last != NULL && rlti_table_reserve(&e->table, (size_t)count);
    for (int i = 0; ok && i <= count; i++)
        e->first[i] = last[i] = -1;
    for (int i = 0; ok && i < count; i++) {
        int parent = layer->prims[i].parent;
        e->next[i] = -1;
        if (!layer->prims[i].is_variant) {
            if (last[parent + 1] >= 0)
                e->next[last[parent + 1]] = i;
            else
                e->first[parent + 1] = i;
            last[parent + 1] = i;
        }
        const char *name = layer->prims[i].name;
        ok = rlti_table_add(&e->table, rlti_hash_name(parent, name, strlen(name)), i);
    }
    rlti_free(last);
    return ok;
}

int rlti_usd_layers_child(const rlti_usd_layers *layers, int layer, int parent, const char *name) {
    const entry *e = &layers->list[layer];
    uint64_t hash = rlti_hash_name(parent, name, strlen(name));
    for (rlti_table_search s = rlti_table_begin(&e->table, hash); rlti_table_next(&e->table, &s);) {
        const rlti_usd_prim *prim = &e->layer->prims[s.number];
        if (prim->parent == parent && strcmp(prim->name, name) == 0)
            return s.number;
    }
    return -1;
}

int rlti_usd_layers_first(const rlti_usd_layers *layers, int layer, int parent) {
    return layers->list[layer].first[parent + 1];
}

int rlti_usd_layers_next(const rlti_usd_layers *layers, int layer, int prim) {
    return layers->list[layer].next[prim];
}

const rlti_usd_layer *rlti_usd_layers_get(const rlti_usd_layers *layers, int index) {
    return layers->list[index].layer;
}

size_t rlti_usd_layers_specs(const rlti_usd_layers *layers) {
    return layers->specs;
}

/* ---- opening ---- */

static entry *add_entry(rlti_usd_layers *layers, const char *key) {
    if (!RLTI_LIST_RESERVE(layers->list, layers->count, 1, layers->capacity))
        return NULL;
    layers->list[layers->count] = (entry){.key = key};
    return &layers->list[layers->count++];
}

static int find_entry(const rlti_usd_layers *layers, const char *key) {
    for (int i = 0; i < layers->count; i++)
        if (strcmp(layers->list[i].key, key) == 0)
            return i;
    return -1;
}

/* By the first bytes. */
static const char *format_of(const unsigned char *bytes, size_t size, const rlti_file_pages *pages) {
    size_t first = size < FIRST_BYTES ? size : FIRST_BYTES;
    rlti_file_pages_need(pages, bytes, first);
    return rlti_stage_format(bytes, first);
}

static rlt_status add_file(rlti_usd_layers *layers, const char *path, rlti_file_map *map,
                           rlt_messages *messages, int *index) {
    char *copy = rlti_arena_text(layers->arena, path, strlen(path));
    if (copy == NULL || !RLTI_LIST_RESERVE(layers->files, layers->file_count, 1, layers->file_capacity)) {
        rlti_file_map_close(map);
        return rlti_out_of_memory(messages);
    }
    *index = layers->file_count++;
    opened_file *made = &layers->files[*index];
    *made = (opened_file){copy, *map, NULL};
    const char *format = format_of(map->bytes, map->size, map->pages);
    if (format != NULL && strcmp(format, "usdz") == 0)
        return rlti_usdz_open(path, map->bytes, map->size, map->pages, messages, &made->package);
    return RLT_OK;
}

static int find_file(const rlti_usd_layers *layers, const char *path) {
    for (int i = 0; i < layers->file_count; i++)
        if (strcmp(layers->files[i].path, path) == 0)
            return i;
    return -1;
}

/* Makes the entry `key` from these bytes. */
static rlt_status open_layer(rlti_usd_layers *layers, const char *key, const unsigned char *bytes,
                             size_t size, const rlti_file_pages *pages, rlt_messages *messages, int *index) {
    const char *format = format_of(bytes, size, pages);
    if (layers->count >= LAYERS_MAX)
        return rlti_refuse(messages, "%s: more than %d layers; flatten the file: usdcat --flatten", key,
                           LAYERS_MAX);
    entry *e = add_entry(layers, key);
    if (e == NULL)
        return rlti_out_of_memory(messages);
    *index = layers->count - 1;
    int is_crate = format != NULL && strcmp(format, "usdc") == 0;
    if ((uintptr_t)bytes % 16 != 0)
        rlti_file_pages_need(pages, bytes, size);
    if ((uintptr_t)bytes % 16 != 0 && size > 0) {
        e->copy = rlti_allocate(size, 1);
        if (e->copy == NULL)
            return rlti_out_of_memory(messages);
        memcpy(e->copy, bytes, size);
        bytes = e->copy;
        pages = NULL;
    }
    rlt_status status;
    if (format != NULL && strcmp(format, "usda") == 0)
        status = rlti_usda_layer_open(key, bytes, size, pages, messages, &e->layer);
    else if (is_crate)
        status = rlti_usdc_layer_open(key, bytes, size, pages, messages, &e->layer);
    else if (format != NULL && strcmp(format, "abc") == 0 && strchr(key, '[') == NULL)
        status = rlti_usd_alembic_open(key, messages, &e->layer);
    else if (rlti_stage_foreign(bytes, size < FIRST_BYTES ? size : FIRST_BYTES) != NULL)
        status = rlti_refuse(messages, "%s: %s", key,
                             rlti_stage_foreign(bytes, size < FIRST_BYTES ? size : FIRST_BYTES));
    else
        status = rlti_refuse(messages, "%s: not a USD layer (text or crate)", key);
    e->is_bad = status != RLT_OK;
    if (status == RLT_OK && !index_prims(e))
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK)
        layers->specs += (size_t)e->layer->prim_count + (size_t)e->layer->property_count;
    return status;
}

/* A layer of a package; `name` NULL is its first. */
static rlt_status open_inner(rlti_usd_layers *layers, int file, const char *name, rlt_messages *messages,
                             int *index) {
    const opened_file *from = &layers->files[file];
    const rlti_usdz_entry *inner =
        name == NULL ? from->package->entries : rlti_usdz_find(from->package, name);
    if (inner == NULL)
        return rlti_refuse(messages, "%s: has no entry '%s'", from->path, name);
    char *open = rlti_arena_join(layers->arena, from->path, "[", inner->name);
    char *key = open != NULL ? rlti_arena_join(layers->arena, open, "]", "") : NULL;
    if (key == NULL)
        return rlti_out_of_memory(messages);
    *index = find_entry(layers, key);
    if (*index >= 0)
        return RLT_OK;
    return open_layer(layers, key, inner->bytes, inner->size, from->map.pages, messages, index);
}

/* The layer of a resolved name, opened where it is not yet. */
static rlt_status open_key(rlti_usd_layers *layers, char *key, rlt_messages *messages, int *index) {
    size_t length = strlen(key);
    char *bracket = length > 0 && key[length - 1] == ']' ? strchr(key, '[') : NULL;
    *index = find_entry(layers, key);
    if (*index >= 0)
        return RLT_OK;
    char *path = rlti_arena_text(layers->arena, key, bracket != NULL ? (size_t)(bracket - key) : length);
    if (path == NULL)
        return rlti_out_of_memory(messages);
    int file = find_file(layers, path);
    if (file < 0) {
        rlti_file_map map;
        rlt_status status = rlti_file_map_open(path, layers->inputs, messages, &map);
        if (status == RLT_OK)
            status = add_file(layers, path, &map, messages, &file);
        if (status != RLT_OK)
            return status;
    }
    const opened_file *from = &layers->files[file];
    if (bracket != NULL && from->package == NULL)
        return rlti_refuse(messages, "%s: not a package, so it has no entries in []", path);
    if (from->package == NULL)
        return open_layer(layers, path, from->map.bytes, from->map.size, from->map.pages, messages, index);
    if (bracket == NULL)
        return open_inner(layers, file, NULL, messages, index);
    char *name = rlti_arena_text(layers->arena, bracket + 1, length - (size_t)(bracket - key) - 2);
    return name == NULL ? rlti_out_of_memory(messages) : open_inner(layers, file, name, messages, index);
}

static rlti_usd_layers *create(rlti_arena *arena) {
    rlti_usd_layers *layers = RLTI_NEW(rlti_usd_layers, 1);
    if (layers != NULL)
        layers->arena = arena;
    return layers;
}

rlt_status rlti_usd_layers_open(const char *path, rlti_file_map *map, rlti_arena *arena,
                                rlt_messages *messages, rlti_usd_layers **layers) {
    rlti_usd_layers *made = create(arena);
    int file = 0, index = 0;
    *layers = NULL;
    if (made == NULL) {
        rlti_file_map_close(map);
        return rlti_out_of_memory(messages);
    }
    made->inputs = map->inputs;
    rlt_status status = add_file(made, path, map, messages, &file);
    if (status == RLT_OK)
        status = made->files[file].package != NULL ? open_inner(made, file, NULL, messages, &index)
                                                   : open_layer(made, made->files[file].path, map->bytes,
                                                                map->size, map->pages, messages, &index);
    if (status == RLT_OK)
        *layers = made;
    else
        rlti_usd_layers_close(made);
    return status;
}

void rlti_usd_layers_close(rlti_usd_layers *layers) {
    if (layers == NULL)
        return;
    for (int i = 0; i < layers->count; i++) {
        entry *e = &layers->list[i];
        if (e->layer != NULL)
            rlti_usd_layer_close(e->layer);
        RLTI_FREE(e->copy, e->first, e->next);
        rlti_table_clear(&e->table);
    }
    for (int i = 0; i < layers->file_count; i++) {
        rlti_usdz_close(layers->files[i].package);
        rlti_file_map_close(&layers->files[i].map);
    }
    RLTI_FREE(layers->files, layers->list, layers);
}

/* ---- stacks ---- */

typedef struct chain { /* the path from a stack's root to a sub-layer */
    const struct chain *up;
    int layer;
    int depth;
} chain;

typedef struct builder {
    rlti_usd_layers *layers;
    rlt_messages *messages;
    rlti_usd_member *members; /* [STACK_MAX] */
    int count;
} builder;

static int is_remote(const char *asset) {
    const char *colon = strstr(asset, "://");
    return colon != NULL || strncmp(asset, "anon:", 5) == 0;
}

/* Warns of what could not be read. */
static rlt_status left_out(rlt_messages *messages, const char *place, const char *why) {
    rlti_warn(messages, "%s: %s; left out", place, why);
    return RLT_BAD_INPUT;
}

/* Opens what `asset` names; messages start with `place`. */
static rlt_status open_asset(rlti_usd_layers *layers, int from, const char *asset, const char *place,
                             rlt_messages *messages, int *index) {
    *index = -1;
    if (is_remote(asset))
        return left_out(messages, place, "not a local file, which is not read; copy it beside the others");
    char *key = rlti_usd_resolve(layers->arena, layers->list[from].key, asset);
    if (key == NULL)
        return rlti_out_of_memory(messages);
    rlt_messages *own = rlt_messages_create();
    rlt_status status = own != NULL ? open_key(layers, key, own, index) : rlti_out_of_memory(messages);
    size_t length = strlen(key);
    for (int i = 0; i < rlt_messages_count(own); i++) {
        const char *text = rlt_messages_text(own, i);
        if (strncmp(text, key, length) == 0 && strncmp(text + length, ": cannot read", 13) == 0)
            text += length + 2; /* the place names the file already */
        rlt_severity severity = rlt_messages_severity(own, i);
        int is_refused = severity == RLT_ERROR && status == RLT_BAD_INPUT;
        rlti_message(messages, is_refused ? RLT_WARNING : severity, "%s: %s%s", place, text,
                     is_refused ? "; left out" : "");
    }
    if (status == RLT_OK && layers->list[*index].is_bad) /* reported before */
        status = left_out(messages, place, "cannot be read, see above");
    rlt_messages_destroy(own);
    return status;
}

static void report_ring(const builder *b, const chain *at, int again) {
    char text[1024] = "";
    size_t used = 0;
    const rlti_usd_layer *layer = b->layers->list[again].layer;
    /* from the second meeting backwards */
    for (const chain *c = at; c != NULL && used + 1 < sizeof text; c = c->layer == again ? NULL : c->up) {
        const char *name = b->layers->list[c->layer].key;
        size_t length = strlen(name);
        if (used + length + 5 >= sizeof text)
            break;
        memcpy(text + used, " <- ", 4);
        memcpy(text + used + 4, name, length + 1);
        used += length + 4;
    }
    rlti_warn(b->messages, "%s: sub-layers form a cycle: %s%s; left out", layer->file, layer->file, text);
}

static rlt_status add_member(builder *b, const chain *at, double offset, double scale);

/* Adds a sub-layer; one that cannot be had is left out with a warning. */
static rlt_status add_sublayer(builder *b, const chain *at, const rlti_usd_arc *arc, double offset,
                               double scale) {
    const rlti_usd_layer *layer = b->layers->list[at->layer].layer;
    char *place = rlti_arena_join(b->layers->arena, layer->file, ": sub-layer ", arc->asset);
    chain next = {at, -1, at->depth + 1};
    if (place == NULL)
        return rlti_out_of_memory(b->messages);
    rlt_status status = open_asset(b->layers, at->layer, arc->asset, place, b->messages, &next.layer);
    if (status != RLT_OK)
        return status == RLT_BAD_INPUT ? RLT_OK : status;
    for (const chain *c = at; c != NULL; c = c->up)
        if (c->layer == next.layer) {
            report_ring(b, at, next.layer);
            return RLT_OK;
        }
    for (int m = 0; m < b->count; m++)
        if (b->members[m].index == next.layer)
            return RLT_OK; /* again in the same stack: its strongest place counts */
    /* layers with other time codes per second are fitted, as USD does */
    double ratio =
        rlti_usd_codes_per_second(layer) / rlti_usd_codes_per_second(b->layers->list[next.layer].layer);
    double own = arc->scale * ratio;
    if (!(own > 0.0) || !isfinite(own) || !isfinite(arc->offset)) {
        (void)left_out(b->messages, place, "its time scale must be > 0");
        return RLT_OK;
    }
    return add_member(b, &next, offset + scale * arc->offset, scale * own);
}

static rlt_status add_member(builder *b, const chain *at, double offset, double scale) {
    const rlti_usd_layer *layer = b->layers->list[at->layer].layer;
    if (b->count >= STACK_MAX || at->depth > STACK_DEPTH) {
        rlti_warn(b->messages, "%s: too many or too deep sub-layers (limits %d, %d); left out", layer->file,
                  STACK_MAX, STACK_DEPTH);
        return RLT_OK;
    }
    b->members[b->count++] = (rlti_usd_member){layer, at->layer, offset, scale};
    rlt_status status = RLT_OK;
    for (int i = 0; i < layer->sublayer_count && status == RLT_OK; i++)
        if (layer->sublayers[i].asset[0] != '\0')
            status = add_sublayer(b, at, &layer->sublayers[i], offset, scale);
    return status;
}

/* Relocates of all members, those of the strongest first. */
static rlt_status gather_relocates(rlti_usd_layers *layers, rlti_usd_stack *stack, rlt_messages *messages) {
    enum { RELOCATES_MAX = 10000 };
    int count = 0;
    for (int i = 0; i < stack->count; i++) {
        int own = stack->members[i].layer->relocate_count;
        count += own < RELOCATES_MAX - count ? own : RELOCATES_MAX - count;
    }
    rlti_usd_relocate *list = rlti_arena_keep(layers->arena, (size_t)count, sizeof *list);
    if (list == NULL)
        return rlti_out_of_memory(messages);
    for (int i = 0; i < stack->count; i++) {
        const rlti_usd_layer *layer = stack->members[i].layer;
        for (int k = 0; k < layer->relocate_count && stack->relocate_count < count; k++)
            list[stack->relocate_count++] = layer->relocates[k];
    }
    stack->relocates = list;
    return RLT_OK;
}

static rlt_status make_stack(rlti_usd_layers *layers, int index, rlt_messages *messages) {
    builder b = {layers, messages, RLTI_NEW(rlti_usd_member, STACK_MAX), 0};
    rlti_usd_stack *stack = rlti_arena_keep(layers->arena, 1, sizeof *stack);
    chain root = {NULL, index, 0};
    rlt_status status =
        b.members == NULL || stack == NULL ? rlti_out_of_memory(messages) : add_member(&b, &root, 0.0, 1.0);
    if (status == RLT_OK && stack != NULL && b.members != NULL) {
        stack->root = index;
        stack->count = b.count;
        stack->codes_per_second = rlti_usd_codes_per_second(layers->list[index].layer);
        stack->members = rlti_arena_keep(layers->arena, (size_t)b.count, sizeof *b.members);
        if (stack->members == NULL)
            status = rlti_out_of_memory(messages);
        else
            memcpy(stack->members, b.members, (size_t)b.count * sizeof *b.members);
        if (status == RLT_OK)
            status = gather_relocates(layers, stack, messages);
    }
    if (status == RLT_OK)
        layers->list[index].stack = stack;
    else
        layers->list[index].is_bad = 1;
    rlti_free(b.members);
    return status;
}

rlt_status rlti_usd_layers_root(rlti_usd_layers *layers, rlt_messages *messages,
                                const rlti_usd_stack **stack) {
    rlt_status status = layers->list[0].stack == NULL ? make_stack(layers, 0, messages) : RLT_OK;
    *stack = layers->list[0].stack;
    return status;
}

rlt_status rlti_usd_layers_stack(rlti_usd_layers *layers, int from, const char *asset, const char *place,
                                 rlt_messages *messages, const rlti_usd_stack **stack) {
    int index;
    *stack = NULL;
    rlt_status status = open_asset(layers, from, asset, place, messages, &index);
    if (status == RLT_OK && layers->list[index].stack == NULL)
        status = make_stack(layers, index, messages);
    if (status == RLT_OK)
        *stack = layers->list[index].stack;
    return status;
}
