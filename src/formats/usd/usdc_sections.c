/* The tables of a crate: everything is checked here, so that the rest can trust indices. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usdc_crate.h"
#include "formats/usd/usdc_pack.h"

enum { BOOTSTRAP = 88, SECTION_ENTRY = 32, SECTION_COUNT = 6 };

typedef struct section {
    const char *name;
    rlti_span span;
    int found;
} section;

rlt_status rlti_crate_damaged(const rlti_crate *crate, rlt_messages *messages, const char *place,
                              const char *what) {
    return rlti_refuse(messages, "%s: %s: %s", crate->file, place, what);
}

static rlt_status damaged(const rlti_crate *crate, const section *in, const char *what) {
    char place[40];
    snprintf(place, sizeof place, "section %s", in->name);
    return rlti_crate_damaged(crate, crate->messages, place, what);
}

int rlti_crate_spend(rlti_crate *crate, uint64_t items) {
    if (items > crate->items_left) {
        crate->items_left = 0;
        return 0;
    }
    crate->items_left -= items;
    return 1;
}

/* ---- header ---- */

static rlt_status read_version(rlti_crate *crate) {
    unsigned major = crate->bytes[8], minor = crate->bytes[9], patch = crate->bytes[10];
    crate->version = (int)(100 * minor + patch);
    if (major != 0)
        return rlti_refuse(
            crate->messages,
            "%s: crate version %u.%u.%u is not known; write it as an older one: usdcat IN.usdc "
            "-o OUT.usda",
            crate->file, major, minor, patch);
    if (minor > 12)
        rlti_warn(crate->messages,
                  "%s: crate version 0.%u.%u is newer than 0.12: what is new in it is not read", crate->file,
                  minor, patch);
    return RLT_OK;
}

static int overlap(const section *a, const section *b) {
    return a->span.bytes < b->span.bytes + b->span.size && b->span.bytes < a->span.bytes + a->span.size;
}

static rlt_status read_contents(rlti_crate *crate, section sections[SECTION_COUNT]) {
    rlti_span span = {.bytes = crate->bytes, .size = crate->size, .pages = crate->pages};
    rlti_span_seek(&span, 16);
    uint64_t offset = rlti_span_u64(&span);
    rlti_span_seek(&span, offset);
    uint64_t count = rlti_span_u64(&span);
    if (span.failed || offset < BOOTSTRAP)
        return rlti_crate_damaged(crate, crate->messages, "table of contents",
                                  "outside the file, which is cut off or was never finished");
    if (!rlti_span_has(&span, count, SECTION_ENTRY) || count > 64)
        return rlti_crate_damaged(crate, crate->messages, "table of contents", "damaged");
    for (uint64_t i = 0; i < count; i++) {
        const char *name = (const char *)rlti_span_take(&span, 16);
        uint64_t start = rlti_span_u64(&span), size = rlti_span_u64(&span);
        for (int s = 0; s < SECTION_COUNT; s++) {
            if (strncmp(name, sections[s].name, 16) != 0)
                continue;
            if (sections[s].found || start < BOOTSTRAP || start > crate->size || size > crate->size - start)
                return damaged(crate, &sections[s], "outside the file, or there twice");
            sections[s].found = 1;
            sections[s].span =
                (rlti_span){.bytes = crate->bytes + start, .size = (size_t)size, .pages = crate->pages};
        }
    }
    for (int s = 0; s < SECTION_COUNT; s++) {
        if (!sections[s].found)
            return damaged(crate, &sections[s], "missing");
        for (int t = 0; t < s; t++)
            if (overlap(&sections[s], &sections[t]))
                return damaged(crate, &sections[s], "lies over another one");
    }
    return RLT_OK;
}

/* ---- packed lists ---- */

/* A compressed list of `count` 32-bit integers; kept in the arena, or until freed when `arena` is 0. */
static rlt_status read_ints(rlti_crate *crate, section *in, uint64_t count, uint32_t **list) {
    uint64_t size = rlti_span_u64(&in->span);
    const unsigned char *packed =
        size <= SIZE_MAX ? rlti_span_take(&in->span, (size_t)size) : rlti_span_take(&in->span, SIZE_MAX);
    *list = NULL;
    if (packed == NULL)
        return damaged(crate, in, "a list is longer than its section");
    rlti_ints ints;
    rlti_ints_result result = rlti_ints_begin(&ints, packed, (size_t)size, count, 4);
    if (result == RLTI_INTS_DAMAGED)
        return damaged(crate, in, "a list cannot be unpacked");
    if (result == RLTI_INTS_OK)
        *list = RLTI_NEW(uint32_t, ints.count);
    if (*list != NULL)
        rlti_ints_decode(&ints, *list);
    rlti_ints_end(&ints);
    return *list != NULL ? RLT_OK : rlti_out_of_memory(crate->messages);
}

/* A list of files before 0.4: of every `stride` integers that with the number `wanted`. */
static rlt_status read_plain(rlti_crate *crate, section *in, uint64_t count, int stride, int wanted,
                             uint32_t **list) {
    *list = NULL;
    if (!rlti_span_has(&in->span, count, 4 * (size_t)stride))
        return damaged(crate, in, "a list is longer than its section");
    *list = RLTI_NEW(uint32_t, count);
    if (*list == NULL)
        return rlti_out_of_memory(crate->messages);
    rlti_span span = in->span; /* the next list starts at the same place */
    for (uint64_t i = 0; i < count; i++)
        for (int k = 0; k < stride; k++) {
            uint32_t value = rlti_span_u32(&span);
            if (k == wanted)
                (*list)[i] = value;
        }
    return RLT_OK;
}

/* Before 0.4 nothing in the tables is compressed; before 0.1 structures begin with four bytes of filling. */
static int is_plain(const rlti_crate *crate) {
    return crate->version < 400;
}

/* Compressed bytes of which the count is known, with NUL after them. */
static rlt_status read_packed(rlti_crate *crate, section *in, uint64_t count, uint64_t size, void **bytes) {
    const unsigned char *packed =
        size <= rlti_span_left(&in->span) ? rlti_span_take(&in->span, (size_t)size) : NULL;
    *bytes = NULL;
    if (packed != NULL && is_plain(crate)) {
        *bytes = count == size ? rlti_allocate((size_t)count + 1, 1) : NULL;
        if (*bytes != NULL && count > 0)
            memcpy(*bytes, packed, (size_t)count);
        return *bytes != NULL  ? RLT_OK
               : count == size ? rlti_out_of_memory(crate->messages)
                               : damaged(crate, in, "its size is wrong");
    }
    if (packed == NULL || count > rlti_fast_limit((size_t)size))
        return damaged(crate, in, "its size is wrong");
    *bytes = rlti_allocate((size_t)count + 1, 1);
    if (*bytes == NULL)
        return rlti_out_of_memory(crate->messages);
    size_t got = 0;
    if (count > 0 && (!rlti_fast_unpack(packed, (size_t)size, *bytes, (size_t)count, &got) || got != count)) {
        rlti_free(*bytes);
        *bytes = NULL;
        return damaged(crate, in, "cannot be unpacked");
    }
    return RLT_OK;
}

/* ---- tokens, strings, fields ---- */

static rlt_status read_tokens(rlti_crate *crate, section *in) {
    uint64_t count = rlti_span_u64(&in->span), bytes = rlti_span_u64(&in->span),
             packed = is_plain(crate) ? bytes : rlti_span_u64(&in->span);
    if (in->span.failed || count > bytes || count > INT32_MAX)
        return damaged(crate, in, "more tokens than bytes for them");
    void *text;
    rlt_status status = read_packed(crate, in, bytes, packed, &text);
    if (status != RLT_OK || text == NULL)
        return status;
    crate->token_text = text;
    if (bytes > 0 && crate->token_text[bytes - 1] != '\0')
        return damaged(crate, in, "the last token has no end");
    crate->tokens = RLTI_NEW(const char *, count);
    if (crate->tokens == NULL)
        return rlti_out_of_memory(crate->messages);
    const char *at = crate->token_text, *end = at + bytes;
    for (uint64_t i = 0; i < count; i++) {
        if (at >= end)
            return damaged(crate, in, "fewer tokens than it says");
        crate->tokens[i] = at;
        at += strlen(at) + 1;
    }
    crate->token_count = (size_t)count;
    return RLT_OK;
}

static rlt_status read_strings(rlti_crate *crate, section *in) {
    uint64_t count = rlti_span_u64(&in->span);
    if (!rlti_span_has(&in->span, count, 4))
        return damaged(crate, in, "more strings than bytes for them");
    crate->strings = RLTI_NEW(uint32_t, count);
    if (crate->strings == NULL)
        return rlti_out_of_memory(crate->messages);
    for (uint64_t i = 0; i < count; i++) {
        crate->strings[i] = rlti_span_u32(&in->span);
        if (crate->strings[i] >= crate->token_count)
            return damaged(crate, in, "a string leads to no token");
    }
    crate->string_count = (size_t)count;
    return RLT_OK;
}

/* Fields of files before 0.4: four bytes of filling, name, rep. */
static rlt_status read_plain_fields(rlti_crate *crate, section *in, uint64_t count) {
    rlt_status status = read_plain(crate, in, count, 4, 1, &crate->field_tokens);
    crate->field_reps = status == RLT_OK ? RLTI_NEW(uint64_t, count) : NULL;
    if (crate->field_reps == NULL)
        return status == RLT_OK ? rlti_out_of_memory(crate->messages) : status;
    for (uint64_t i = 0; i < count; i++) {
        if (crate->field_tokens[i] >= crate->token_count)
            return damaged(crate, in, "a field's name leads to no token");
        (void)rlti_span_u64(&in->span);
        crate->field_reps[i] = rlti_span_u64(&in->span);
    }
    crate->field_count = (size_t)count;
    return RLT_OK;
}

static rlt_status read_fields(rlti_crate *crate, section *in) {
    uint64_t count = rlti_span_u64(&in->span);
    if (is_plain(crate))
        return read_plain_fields(crate, in, count);
    rlt_status status = read_ints(crate, in, count, &crate->field_tokens);
    if (status != RLT_OK)
        return status;
    for (uint64_t i = 0; i < count && crate->field_tokens != NULL; i++)
        if (crate->field_tokens[i] >= crate->token_count)
            return damaged(crate, in, "a field's name leads to no token");
    uint64_t size = rlti_span_u64(&in->span);
    void *bytes;
    status = read_packed(crate, in, 8 * count, size, &bytes);
    if (status != RLT_OK)
        return status;
    rlti_span reps = {.bytes = bytes, .size = (size_t)(8 * count)};
    crate->field_reps = RLTI_NEW(uint64_t, count);
    if (crate->field_reps == NULL)
        status = rlti_out_of_memory(crate->messages);
    for (uint64_t i = 0; i < count && status == RLT_OK; i++)
        crate->field_reps[i] = rlti_span_u64(&reps);
    rlti_free(bytes);
    crate->field_count = (size_t)count;
    return status;
}

static rlt_status read_field_sets(rlti_crate *crate, section *in) {
    uint64_t count = rlti_span_u64(&in->span), run = 0;
    rlt_status status = is_plain(crate) ? read_plain(crate, in, count, 1, 0, &crate->field_sets)
                                        : read_ints(crate, in, count, &crate->field_sets);
    for (uint64_t i = 0; i < count && status == RLT_OK && crate->field_sets != NULL; i++) {
        uint32_t field = crate->field_sets[i];
        run = field == UINT32_MAX ? 0 : run + 1;
        if (field != UINT32_MAX && field >= crate->field_count)
            status = damaged(crate, in, "a set leads to no field");
        else if (run > RLTI_CRATE_FIELDS)
            status = damaged(crate, in, "a set has too many fields");
    }
    if (status == RLT_OK && run > 0)
        status = damaged(crate, in, "the last set has no end");
    crate->field_set_count = (size_t)count;
    return status;
}

/* ---- paths ---- */

typedef struct path_lists {
    uint32_t *index, *token, *jump;
    size_t count;
    uint8_t *names; /* [token_count] what is known of them */
} path_lists;

enum { SEEN = 1, FITS_PRIM = 2, FITS_PROPERTY = 4 };

/* Checks whether a name can be a path's last part: not empty, without what separates parts. */
static uint8_t check_name(const char *text) {
    if (text[0] == '\0')
        return SEEN;
    for (const char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == '/' || *c == '<' || *c == '>' || (*c == '.' && text[0] != '{'))
            return SEEN;
    return text[0] != '{' ? SEEN | FITS_PRIM | FITS_PROPERTY : SEEN | FITS_PRIM;
}

/* Each name is checked once: many paths may have one long name. */
static int is_element(const rlti_crate *crate, const path_lists *lists, int32_t token) {
    size_t number = (size_t)(token < 0 ? -token : token);
    if (lists->names[number] == 0)
        lists->names[number] = check_name(crate->tokens[number]);
    return lists->names[number] & (token < 0 ? FITS_PROPERTY : FITS_PRIM);
}

static const char *link_path(rlti_crate *crate, const path_lists *lists, uint32_t index, int32_t token,
                             int parent, int depth) {
    if (index >= crate->path_count)
        return "an entry leads to no path";
    rlti_crate_path *path = &crate->paths[index];
    if (path->parent != -2)
        return "a path is there twice";
    if (token == INT32_MIN || (size_t)(token < 0 ? -token : token) >= crate->token_count)
        return "a name leads to no token";
    path->parent = parent;
    path->token = token;
    path->depth = (uint16_t)depth;
    if (parent < 0)
        return NULL;
    /* target paths and connections have elements in brackets: nothing here needs them, so they stay unlinked
     */
    if (!is_element(crate, lists, token))
        return NULL;
    path->sibling = crate->paths[parent].child;
    crate->paths[parent].child = (int)index;
    return NULL;
}

/* Entries stand in the order of a walk; where an entry has a child and a sibling, the sibling waits. */
static const char *walk_paths(rlti_crate *crate, const path_lists *lists) {
    size_t at = 0, waiting = 0;
    int parent = -1, depth = 0;
    struct {
        size_t at;
        int parent;
    } siblings[RLTI_CRATE_DEPTH + 1];
    const char *wrong = NULL;
    if (lists->count == 0)
        return "it has no root";
    for (;;) {
        if (at >= lists->count)
            return "an entry lies behind the last";
        wrong = link_path(crate, lists, lists->index[at], (int32_t)lists->token[at], parent, depth);
        if (wrong != NULL)
            return wrong;
        int32_t jump = (int32_t)lists->jump[at];
        if (jump < -2 || (parent < 0 && jump >= 0))
            return "the tree of paths is damaged";
        if (jump > 0) {
            if ((uint32_t)jump >= lists->count - at || waiting >= RLTI_CRATE_DEPTH)
                return "the tree of paths is damaged";
            siblings[waiting].at = at + (size_t)jump;
            siblings[waiting++].parent = parent;
        }
        if (jump > 0 || jump == -1) {
            parent = (int)lists->index[at];
            depth++;
            at++;
        } else if (jump == 0) {
            at++;
        } else if (waiting > 0) {
            at = siblings[--waiting].at;
            parent = siblings[waiting].parent;
            depth = crate->paths[parent].depth + 1;
        } else {
            return NULL;
        }
        if (depth > RLTI_CRATE_DEPTH)
            return "prims are nested too deep";
    }
}

/* Paths of files before 0.4: each has its index, name and flags, and where it has a child and a sibling, the
 * place in the file where the sibling is. No path is taken twice, so that it ends. */
static const char *walk_plain_paths(rlti_crate *crate, section *in, const path_lists *lists) {
    enum { HAS_CHILD = 1, HAS_SIBLING = 2, IS_PROPERTY = 4 };
    struct {
        uint64_t at;
        int parent;
    } siblings[RLTI_CRATE_DEPTH + 1];
    size_t waiting = 0;
    int parent = -1, depth = 0;
    rlti_span span = {.bytes = crate->bytes, .size = crate->size, .pages = crate->pages};
    rlti_span_seek(&span, (uint64_t)(in->span.bytes - crate->bytes) + in->span.at);
    for (;;) {
        if (crate->version < 100)
            (void)rlti_span_u32(&span);
        uint32_t index = rlti_span_u32(&span), token = rlti_span_u32(&span), bits = rlti_span_u32(&span);
        int has_child = (bits & HAS_CHILD) != 0, has_sibling = (bits & HAS_SIBLING) != 0;
        uint64_t sibling = has_child && has_sibling ? rlti_span_u64(&span) : 0;
        if (span.failed || token > INT32_MAX || (parent < 0 && has_sibling))
            return "the tree of paths is damaged";
        const char *wrong = link_path(crate, lists, index,
                                      bits & IS_PROPERTY ? -(int32_t)token : (int32_t)token, parent, depth);
        if (wrong != NULL)
            return wrong;
        if (has_child && has_sibling) {
            if (waiting >= RLTI_CRATE_DEPTH)
                return "the tree of paths is damaged";
            siblings[waiting].at = sibling;
            siblings[waiting++].parent = parent;
        }
        if (has_child) {
            parent = (int)index;
            depth++;
        } else if (!has_sibling && waiting > 0) {
            rlti_span_seek(&span, siblings[--waiting].at);
            parent = siblings[waiting].parent;
            depth = crate->paths[parent].depth + 1;
        } else if (!has_sibling) {
            return NULL;
        }
        if (depth > RLTI_CRATE_DEPTH)
            return "prims are nested too deep";
    }
}

/* Children were linked last first. */
static void turn_children(rlti_crate *crate) {
    for (size_t i = 0; i < crate->path_count; i++) {
        int turned = -1;
        for (int c = crate->paths[i].child; c >= 0;) {
            int next = crate->paths[c].sibling;
            crate->paths[c].sibling = turned;
            turned = c;
            c = next;
        }
        crate->paths[i].child = turned;
    }
}

static rlt_status read_paths(rlti_crate *crate, section *in) {
    uint64_t count = rlti_span_u64(&in->span), entries = is_plain(crate) ? count : rlti_span_u64(&in->span);
    if (in->span.failed || count > 4096 + 16 * (uint64_t)crate->size || count > INT_MAX || entries > count ||
        count - entries > 1024)
        return damaged(crate, in, "more paths than the table can hold");
    path_lists lists = {.count = (size_t)entries};
    rlt_status status = is_plain(crate) ? RLT_OK : read_ints(crate, in, entries, &lists.index);
    if (status == RLT_OK && !is_plain(crate))
        status = read_ints(crate, in, entries, &lists.token);
    if (status == RLT_OK && !is_plain(crate))
        status = read_ints(crate, in, entries, &lists.jump);
    if (status == RLT_OK) {
        if (!RLTI_ALLOCATE(RLTI_ITEMS(crate->paths, count), RLTI_ITEMS(lists.names, crate->token_count)))
            status = rlti_out_of_memory(crate->messages);
    }
    if (status == RLT_OK) {
        crate->path_count = (size_t)count;
        for (size_t i = 0; i < crate->path_count; i++)
            crate->paths[i] = (rlti_crate_path){.parent = -2, .child = -1, .sibling = -1};
        const char *wrong = is_plain(crate) ? walk_plain_paths(crate, in, &lists) : walk_paths(crate, &lists);
        if (wrong != NULL)
            status = damaged(crate, in, wrong);
        turn_children(crate);
    }
    RLTI_FREE(lists.index, lists.token, lists.jump, lists.names);
    return status;
}

/* ---- specs ---- */

static const char *add_spec(rlti_crate *crate, uint32_t index, uint32_t set, uint32_t kind) {
    if (index >= crate->path_count || crate->paths[index].parent == -2)
        return "a spec leads to no path";
    if (set >= crate->field_set_count || (set > 0 && crate->field_sets[set - 1] != UINT32_MAX))
        return "a spec leads to no set of fields";
    if (kind == 0 || kind >= RLTI_SPEC_KINDS)
        return "a spec is of no known kind";
    rlti_crate_path *path = &crate->paths[index];
    if (path->spec != 0)
        return "two specs have one path";
    path->spec = (uint8_t)kind;
    path->field_set = set;
    crate->prim_specs += kind == RLTI_SPEC_PRIM || kind == RLTI_SPEC_VARIANT;
    crate->property_specs += kind == RLTI_SPEC_ATTRIBUTE || kind == RLTI_SPEC_RELATIONSHIP;
    return NULL;
}

static rlt_status read_specs(rlti_crate *crate, section *in) {
    uint64_t count = rlti_span_u64(&in->span);
    uint32_t *path = NULL, *set = NULL, *kind = NULL;
    if (in->span.failed || count > crate->path_count || count > 4096 + 4 * (uint64_t)crate->size)
        return damaged(crate, in, "more specs than paths");
    uint32_t **const lists[] = {&path, &set, &kind};
    int filling = crate->version < 100; /* integers before these three */
    rlt_status status = RLT_OK;
    for (int i = 0; i < 3 && status == RLT_OK; i++)
        status = is_plain(crate) ? read_plain(crate, in, count, 3 + filling, i + filling, lists[i])
                                 : read_ints(crate, in, count, lists[i]);
    const char *wrong = NULL;
    int complete = path != NULL && set != NULL && kind != NULL;
    for (uint64_t i = 0; i < count && status == RLT_OK && complete && wrong == NULL; i++)
        wrong = add_spec(crate, path[i], set[i], kind[i]);
    if (wrong != NULL)
        status = damaged(crate, in, wrong);
    RLTI_FREE(path, set, kind);
    return status;
}

rlt_status rlti_crate_read_tables(rlti_crate *crate) {
    section sections[SECTION_COUNT] = {{.name = "TOKENS"},    {.name = "STRINGS"}, {.name = "FIELDS"},
                                       {.name = "FIELDSETS"}, {.name = "PATHS"},   {.name = "SPECS"}};
    rlt_status (*const readers[SECTION_COUNT])(rlti_crate *, section *) = {
        read_tokens, read_strings, read_fields, read_field_sets, read_paths, read_specs};
    rlti_file_pages_need(crate->pages, crate->bytes, crate->size < BOOTSTRAP ? crate->size : BOOTSTRAP);
    if (crate->size < BOOTSTRAP || memcmp(crate->bytes, "PXR-USDC", 8) != 0)
        return rlti_crate_damaged(crate, crate->messages, "header", "not a USD crate, or cut off");
    rlt_status status = read_version(crate);
    if (status == RLT_OK)
        status = read_contents(crate, sections);
    for (int s = 0; s < SECTION_COUNT && status == RLT_OK; s++)
        status = readers[s](crate, &sections[s]);
    return status;
}

void rlti_crate_free(rlti_crate *crate) {
    if (crate == NULL)
        return;
    rlti_arena_clear(&crate->arena);
    RLTI_FREE(crate->token_text, crate->tokens, crate->strings, crate->field_tokens, crate->field_reps,
              crate->field_sets, crate->paths, crate);
}

/* ---- texts ---- */

const char *rlti_crate_token(const rlti_crate *crate, uint64_t index) {
    return index < crate->token_count ? crate->tokens[index] : NULL;
}

const char *rlti_crate_string(const rlti_crate *crate, uint64_t index) {
    return index < crate->string_count ? crate->tokens[crate->strings[index]] : NULL;
}

static const char *element_of(const rlti_crate *crate, const rlti_crate_path *path) {
    return crate->tokens[path->token < 0 ? -path->token : path->token];
}

const char *rlti_crate_path_text(rlti_crate *crate, uint64_t index) {
    if (index >= crate->path_count || crate->paths[index].parent == -2)
        return NULL;
    size_t length = 0;
    const rlti_crate_path *path = &crate->paths[index];
    if (path->parent < 0)
        return "/";
    for (const rlti_crate_path *p = path; p->parent >= 0; p = &crate->paths[p->parent])
        length += 1 + strlen(element_of(crate, p));
    if (length > crate->text_left)
        return NULL;
    crate->text_left -= length;
    char *text = rlti_arena_keep(&crate->arena, length + 1, 1);
    if (text == NULL)
        return NULL;
    size_t end = length;
    for (const rlti_crate_path *p = path; p->parent >= 0; p = &crate->paths[p->parent]) {
        const char *element = element_of(crate, p);
        size_t size = strlen(element);
        int has_mark = element[0] != '{' && element[0] != '['; /* variants and targets stand without one */
        end -= size;
        memcpy(text + end, element, size);
        if (has_mark)
            text[--end] = p->token < 0 ? '.' : '/';
    }
    return text + end; /* marks left out leave bytes before it */
}
