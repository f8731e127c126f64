/* Layers in text form: docs/design/formats.md. A parser by recursive descent; values are stepped over and
 * read when asked for. */
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usda_parse.h"
#include "formats/usd/usda_values.h"

enum { DEPTH_MAX = 256 }; /* prims inside each other */

int rlti_usda_count_path(rlti_usda_parser *p, size_t bytes, const char *place) {
    size_t size = (size_t)(p->c.end - p->c.start);
    p->path_bytes += bytes;
    return p->path_bytes <= 32 * size + (size_t)1024 * 1024 ||
           rlti_usda_fail(&p->c, place, "the names of these prims are too long");
}

static rlti_usd_prim *prim_at(const rlti_usda_parser *p, int index) {
    return (rlti_usd_prim *)p->prims.items + index;
}

static int is_there(const rlti_usda_parser *p, uint64_t hash, int parent, const char *name) {
    for (rlti_table_search s = rlti_table_begin(&p->prim_table, hash); rlti_table_next(&p->prim_table, &s);) {
        const rlti_usd_prim *prim = prim_at(p, s.number);
        if (prim->parent == parent && strcmp(prim->name, name) == 0)
            return 1;
    }
    return 0;
}

static int set_path(rlti_usda_parser *p, rlti_usd_prim *prim, const char *name, const char *place) {
    const char *parent = prim->parent >= 0 ? prim_at(p, prim->parent)->path : "";
    size_t before = strlen(parent), length = strlen(name);
    if (!rlti_usda_count_path(p, before, place))
        return 0;
    char *path = rlti_arena_keep(p->arena, before + length + 2, 1);
    if (path == NULL)
        return rlti_usda_no_memory(&p->c);
    memcpy(path, parent, before);
    path[before] = '/';
    memcpy(path + before + 1, name, length + 1);
    prim->path = path;
    prim->name = path + before + 1;
    return 1;
}

/* An empty prim; -1 on failure. */
static int put_prim(rlti_usda_parser *p, int parent, const char *name, const char *type, const char *place) {
    uint64_t hash = rlti_hash_name(parent, name, strlen(name));
    if (is_there(p, hash, parent, name)) {
        rlti_usda_fail(&p->c, place, "a prim or variant of this name is already there");
        return -1;
    }
    rlti_usd_prim *made = rlti_usda_list_add(p, &p->prims, sizeof *made);
    if (made == NULL)
        return -1;
    int index = p->prims.count - 1;
    made->parent = parent;
    made->kind = made->doc = "";
    made->name = "";
    made->type_name = type;
    if (!rlti_table_add(&p->prim_table, hash, index)) {
        rlti_usda_no_memory(&p->c);
        return -1;
    }
    return index;
}

/* The words before the body: Type "name"; -1 on failure. */
static int add_prim(rlti_usda_parser *p, int parent, rlti_usd_specifier specifier) {
    rlti_usda_cursor *c = &p->c;
    rlti_usda_skip_blanks(c);
    rlti_usda_piece type = rlti_usda_word(c, 1);
    rlti_usda_skip_blanks(c);
    const char *place = c->at;
    rlti_usda_piece quoted = rlti_usda_quoted(c);
    if (quoted.at == NULL)
        return -1;
    const char *name = rlti_usda_keep_text(c, p->arena, quoted);
    if (name == NULL)
        return -1;
    if (name[0] == '\0' || strchr(name, '/') != NULL) {
        rlti_usda_fail(c, place, "this cannot be the name of a prim");
        return -1;
    }
    const char *type_name = rlti_arena_text(p->arena, type.at, type.length);
    if (type_name == NULL) {
        rlti_usda_no_memory(c);
        return -1;
    }
    int index = put_prim(p, parent, name, type_name, place);
    if (index < 0)
        return -1;
    prim_at(p, index)->specifier = specifier;
    return set_path(p, prim_at(p, index), name, place) ? index : -1;
}

static int specifier_of(rlti_usda_piece word) {
    return rlti_usda_is(word, "def")     ? RLTI_USD_DEF
           : rlti_usda_is(word, "over")  ? RLTI_USD_OVER
           : rlti_usda_is(word, "class") ? RLTI_USD_CLASS
                                         : -1;
}

/* The variant of a set: no prim of its own, so its path is that of the prim it varies. */
static int add_variant(rlti_usda_parser *p, int prim, const char *set) {
    rlti_usda_cursor *c = &p->c;
    rlti_usda_skip_blanks(c);
    const char *place = c->at;
    rlti_usda_piece quoted = rlti_usda_quoted(c);
    const char *variant = quoted.at != NULL ? rlti_usda_keep_text(c, p->arena, quoted) : NULL;
    if (variant == NULL || !rlti_usda_count_path(p, strlen(set), place))
        return -1;
    const char *name = rlti_usd_variant_name(p->arena, set, variant);
    if (name == NULL) {
        rlti_usda_no_memory(c);
        return -1;
    }
    int index = put_prim(p, prim, name, "", place);
    if (index >= 0) {
        rlti_usd_prim *made = prim_at(p, index);
        made->is_variant = 1;
        made->specifier = RLTI_USD_OVER;
        made->name = name;
        made->path = prim_at(p, prim)->path;
    }
    return index;
}

static int read_body(rlti_usda_parser *p, int prim, int depth);

/* variantSet "name" = { "variant" (metadata) { what it holds } ... } */
static int read_variant_set(rlti_usda_parser *p, int prim, int depth) {
    rlti_usda_cursor *c = &p->c;
    rlti_usda_piece quoted = rlti_usda_quoted(c);
    const char *set = quoted.at != NULL ? rlti_usda_keep_text(c, p->arena, quoted) : NULL;
    if (set == NULL || !rlti_usda_expect(c, '=', "after the name of a variant set") ||
        !rlti_usda_expect(c, '{', "before the variants"))
        return 0;
    if (depth > DEPTH_MAX)
        return rlti_usda_fail(c, c->at, "more than %d prims and variants inside each other", DEPTH_MAX);
    while (c->status == RLT_OK && !rlti_usda_accept(c, '}')) {
        if (rlti_usda_accept(c, ';'))
            continue;
        int variant = add_variant(p, prim, set);
        if (variant < 0 || !read_body(p, variant, depth))
            return 0;
    }
    return c->status == RLT_OK;
}

/* "reorder nameChildren = [...]": only how things are listed. Returns -1 where it is a relationship. */
static int read_reorder(rlti_usda_parser *p) {
    size_t commas;
    const char *start = p->c.at;
    rlti_usda_piece what = rlti_usda_word(&p->c, 0);
    if (rlti_usda_is(what, "nameChildren") || rlti_usda_is(what, "properties") ||
        rlti_usda_is(what, "rootPrims"))
        return rlti_usda_expect(&p->c, '=', "after what is put in order") &&
               rlti_usda_skip_value(&p->c, &commas);
    p->c.at = start;
    return -1;
}

static int read_prim(rlti_usda_parser *p, int parent, rlti_usd_specifier specifier, int depth);

/* One thing inside a prim. */
static int read_item(rlti_usda_parser *p, int prim, int depth) {
    rlti_usda_piece word = rlti_usda_word(&p->c, 1);
    int specifier = specifier_of(word);
    if (word.length == 0)
        return rlti_usda_fail(&p->c, p->c.at, "a prim, an attribute or '}' is needed");
    if (specifier >= 0)
        return read_prim(p, prim, (rlti_usd_specifier)specifier, depth + 1);
    if (rlti_usda_is(word, "variantSet"))
        return read_variant_set(p, prim, depth + 1);
    int read = rlti_usda_is(word, "reorder") ? read_reorder(p) : -1;
    return read >= 0 ? read : rlti_usda_property_statement(p, prim, word);
}

/* (metadata) { what a prim or variant holds } */
static int read_body(rlti_usda_parser *p, int prim, int depth) {
    rlti_usda_cursor *c = &p->c;
    if ((rlti_usda_accept(c, '(') && !rlti_usda_prim_metadata(p, prim)) ||
        !rlti_usda_expect(c, '{', "before what a prim holds"))
        return 0;
    while (c->status == RLT_OK && !rlti_usda_accept(c, '}')) {
        if (rlti_usda_accept(c, ';'))
            continue;
        if (c->at >= c->end)
            return rlti_usda_expect(c, '}', "after what a prim holds");
        if (!read_item(p, prim, depth))
            return 0;
    }
    return c->status == RLT_OK;
}

static int read_prim(rlti_usda_parser *p, int parent, rlti_usd_specifier specifier, int depth) {
    if (depth > DEPTH_MAX)
        return rlti_usda_fail(&p->c, p->c.at, "more than %d prims and variants inside each other", DEPTH_MAX);
    int prim = add_prim(p, parent, specifier);
    return prim >= 0 && read_body(p, prim, depth);
}

/* ---- the file ---- */

/* "#usda 1.0 ..." */
static int read_header(rlti_usda_parser *p) {
    rlti_usda_cursor *c = &p->c;
    static const char mark[] = "#usda ";
    size_t length = sizeof mark - 1;
    rlti_usda_reach(c, c->at);
    if (c->end - c->at >= 3 && memcmp(c->at, "\xef\xbb\xbf", 3) == 0)
        c->at += 3;
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, mark, length) != 0)
        return rlti_usda_fail(c, c->at, "the first line must start with \"#usda 1.0\"");
    const char *version = c->at + length, *end = version;
    while (end < c->end && ((*end >= '0' && *end <= '9') || *end == '.'))
        end++;
    if (end - version < 2 || version[0] != '1' || version[1] != '.')
        return rlti_usda_fail(c, version, "this version of the format is not known; 1.0 is");
    p->layer->version = rlti_arena_text(p->arena, version, (size_t)(end - version));
    if (p->layer->version == NULL)
        return rlti_usda_no_memory(c);
    while (rlti_usda_has(c, c->at) && *c->at != '\n' && *c->at != '\r')
        c->at++;
    return 1;
}

static int read_layer(rlti_usda_parser *p) {
    rlti_usda_cursor *c = &p->c;
    if (!read_header(p) || (rlti_usda_accept(c, '(') && !rlti_usda_layer_metadata(p)))
        return 0;
    for (;;) {
        if (rlti_usda_accept(c, ';'))
            continue;
        rlti_usda_skip_blanks(c);
        if (c->at >= c->end || c->status != RLT_OK)
            return c->status == RLT_OK;
        rlti_usda_piece word = rlti_usda_word(c, 0);
        int specifier = specifier_of(word);
        int read = specifier >= 0                  ? read_prim(p, -1, (rlti_usd_specifier)specifier, 1)
                   : rlti_usda_is(word, "reorder") ? read_reorder(p)
                                                   : -1;
        if (read < 0)
            return rlti_usda_fail(c, word.at, "def, over or class is needed");
        if (read == 0)
            return 0;
    }
}

static int finish(rlti_usda_parser *p) {
    if (!rlti_usda_finish_properties(p))
        return 0;
    rlti_usd_items prims, relocates;
    p->layer->prim_count = p->prims.count;
    if (!rlti_usda_list_keep(p, &p->prims, sizeof(rlti_usd_prim), &prims) ||
        !rlti_usda_list_keep(p, &p->relocates, sizeof(rlti_usd_relocate), &relocates))
        return 0;
    p->layer->prims = (rlti_usd_prim *)prims.items;
    p->layer->relocates = relocates.items;
    p->layer->relocate_count = relocates.count;
    return 1;
}

static rlt_status read_value(const rlti_usd_layer *layer, const rlti_usd_value *value, rlt_messages *messages,
                             rlti_array *to) {
    const rlti_usda_own *own = layer->own;
    rlti_usda_cursor c = {.file = layer->file, .start = own->start, .end = own->end, .messages = messages};
    char *copy = NULL;
    if (value->kind != RLTI_USD_VALUE) {
        if (rlti_array_reserve(to, value->type, 0) == NULL)
            return rlti_out_of_memory(messages);
        to->blocked = 1;
        return RLT_OK;
    }
    c.at = own->start + value->where;
    if (own->pages != NULL) { /* of a long text only this value is read, and it is nobody else's */
        copy = rlti_allocate((size_t)value->size + 1, 1);
        if (copy == NULL)
            return rlti_out_of_memory(messages);
        rlti_file_pages_copy(own->pages, c.at, (size_t)value->size, copy);
        c.pages = own->pages;
        c.text = own->start;
        c.before = (size_t)value->where;
        c.start = c.at = copy;
        c.end = copy + value->size;
    }
    c.ready = c.end;
    if (!rlti_usda_value(&c, value->type, to))
        to->count = 0;
    rlti_free(copy);
    return c.status;
}

static void close_layer(rlti_usd_layer *layer) {
    rlti_usda_own *own = layer->own;
    if (own != NULL)
        rlti_arena_clear(&own->arena);
    rlti_free(own);
}

static const rlti_usd_layer_reader reader = {"usda", read_value, close_layer};

static rlti_usd_layer *create(const char *file, const char *bytes, size_t size) {
    rlti_usd_layer *layer = RLTI_NEW(rlti_usd_layer, 1);
    rlti_usda_own *own = RLTI_NEW(rlti_usda_own, 1);
    if (layer == NULL || own == NULL) {
        RLTI_FREE(layer, own);
        return NULL;
    }
    own->start = bytes;
    own->end = bytes + size;
    layer->reader = &reader;
    layer->own = own;
    layer->file = rlti_arena_text(&own->arena, file, strlen(file));
    layer->version = layer->default_prim = layer->documentation = layer->fingerprint = "";
    if (layer->file == NULL) {
        rlti_usd_layer_close(layer);
        return NULL;
    }
    return layer;
}

rlt_status rlti_usda_layer_open(const char *file, const unsigned char *bytes, size_t size,
                                const rlti_file_pages *pages, rlt_messages *messages,
                                rlti_usd_layer **layer) {
    static const char nothing[1] = "";
    const char *text = bytes != NULL ? (const char *)bytes : nothing;
    *layer = NULL;
    rlti_usd_layer *made = create(file, text, bytes != NULL ? size : 0);
    if (made == NULL)
        return rlti_out_of_memory(messages);
    rlti_usda_own *own = made->own;
    own->pages = pages;
    rlti_usda_parser p = {.c = {.file = made->file,
                                .start = own->start,
                                .end = own->end,
                                .at = own->start,
                                .ready = pages != NULL ? own->start : own->end,
                                .pages = pages,
                                .text = own->start,
                                .messages = messages},
                          .layer = made,
                          .arena = &own->arena};
    if (read_layer(&p))
        finish(&p);
    RLTI_FREE(p.prims.items, p.properties.items, p.texts.items, p.arcs.items, p.samples.items,
              p.relocates.items);
    rlti_table_clear(&p.prim_table);
    rlti_table_clear(&p.property_table);
    rlti_file_pages_forget(pages, own->start, (size_t)(own->end - own->start));
    if (p.c.status != RLT_OK) {
        rlti_usd_layer_close(made);
        return p.c.status;
    }
    *layer = made;
    return RLT_OK;
}
