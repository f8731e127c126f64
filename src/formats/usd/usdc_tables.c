/* The end of a crate: samples with their times, lists of names, and the tables that say what all of it is. */
#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/table.h"
#include "formats/usd/usd_author.h"
#include "formats/usd/usd_layer.h"
#include "formats/usd/usdc_out.h"
#include "formats/usd/usdc_pack.h"

enum { SECTION_COUNT = 6 };

/* A list that grows. */
typedef struct list {
    void *items;
    size_t count, capacity;
} list;

/* A path and its spec. Parents come before children. */
typedef struct node {
    int32_t token; /* negative: a property */
    int parent, first, last, next;
    uint32_t size; /* of its whole tree */
    uint32_t field_set;
    uint32_t spec;
} node;

/* Times that are in the file already. */
typedef struct written_times {
    const rlti_crate_track *track;
    uint64_t hash, rep;
} written_times;

typedef struct tables {
    rlti_sink *sink;
    rlti_crate_sink *own;
    rlti_stream *out;
    rlti_usd_naming names;
    rlti_table paths; /* nodes by parent and token, for targets */
    int lists_paths;  /* the table is there */
    list nodes, field_tokens, field_reps, field_sets, times;
    int no_memory;
    struct {
        uint64_t start, size;
    } sections[SECTION_COUNT];
} tables;

/* ---- lists ---- */

static void *extend(tables *t, list *l, size_t size) {
    t->no_memory = t->no_memory || !rlti_list_reserve_long(&l->items, size, l->count, 1, &l->capacity);
    return t->no_memory ? NULL : (char *)l->items + l->count++ * size;
}

static void add_u32(tables *t, list *l, uint32_t value) {
    uint32_t *place = extend(t, l, sizeof *place);
    if (place != NULL)
        *place = value;
}

static uint32_t token(tables *t, const char *text) {
    uint32_t number = rlti_crate_sink_token(t->own, text);
    t->no_memory |= number == UINT32_MAX;
    return number;
}

/* ---- fields ---- */

static void add_field(tables *t, const char *name, uint64_t rep) {
    add_u32(t, &t->field_sets, (uint32_t)t->field_tokens.count);
    add_u32(t, &t->field_tokens, token(t, name));
    uint64_t *place = extend(t, &t->field_reps, sizeof *place);
    if (place != NULL)
        *place = rep;
}

static uint64_t small_rep(rlti_crate_type type, uint32_t payload) {
    return RLTI_REP_INLINED | (uint64_t)type << 48 | payload;
}

static void add_token_field(tables *t, const char *name, const char *value) {
    add_field(t, name, small_rep(RLTI_CRATE_TOKEN, token(t, value)));
}

static void add_number_field(tables *t, const char *name, double value) {
    add_field(t, name, rlti_crate_put_double(t->out, value));
}

/* The names of a node's children of one kind, as a vector of tokens. */
static void add_children_field(tables *t, const char *name, int parent, int properties) {
    uint64_t count = 0;
    const node *nodes = t->nodes.items;
    for (int i = nodes[parent].first; i >= 0; i = nodes[i].next)
        count += (nodes[i].token < 0) == properties && nodes[i].spec != 0;
    if (count == 0 || t->no_memory)
        return;
    uint64_t at = rlti_stream_align(t->out);
    rlti_stream_u64(t->out, count);
    for (int i = nodes[parent].first; i >= 0; i = nodes[i].next)
        if ((nodes[i].token < 0) == properties && nodes[i].spec != 0)
            rlti_stream_u32(t->out, (uint32_t)(properties ? -nodes[i].token : nodes[i].token));
    add_field(t, name, (uint64_t)RLTI_CRATE_TOKEN_VECTOR << 48 | at);
}

/* "A B" as a list with these in front. */
static void add_schemas_field(tables *t, const char *schemas) {
    enum { PREPENDED = 32, MOST = 64, LONGEST = 256 };
    uint32_t found[MOST];
    uint64_t count = 0;
    for (const char *at = schemas; at != NULL && *at != '\0' && count < MOST;) {
        size_t length = strcspn(at, " ");
        char name[LONGEST];
        if (length > 0 && length < sizeof name) {
            memcpy(name, at, length);
            name[length] = '\0';
            found[count++] = token(t, name);
        }
        at += length;
        at += strspn(at, " ");
    }
    if (count == 0)
        return;
    uint64_t at = rlti_stream_align(t->out);
    unsigned char header = PREPENDED;
    rlti_stream_write(t->out, &header, 1);
    rlti_stream_u64(t->out, count);
    for (uint64_t i = 0; i < count; i++)
        rlti_stream_u32(t->out, found[i]);
    add_field(t, "apiSchemas", (uint64_t)RLTI_CRATE_TOKEN_LIST << 48 | at);
}

/* ---- paths and specs ---- */

static uint64_t path_hash(int parent, int32_t token) {
    return rlti_hash_name(parent, (const char *)&token, sizeof token);
}

/* Lists the nodes that are there, for targets that name some of them. */
static void list_paths(tables *t) {
    const node *nodes = t->nodes.items;
    for (size_t i = 1; i < t->nodes.count && !t->no_memory; i++)
        t->no_memory |= !rlti_table_add(&t->paths, path_hash(nodes[i].parent, nodes[i].token), (int)i);
    t->lists_paths = 1;
}

static int find_node(const tables *t, int parent, int32_t wanted) {
    const node *nodes = t->nodes.items;
    for (rlti_table_search s = rlti_table_begin(&t->paths, path_hash(parent, wanted));
         rlti_table_next(&t->paths, &s);)
        if (nodes[s.number].parent == parent && nodes[s.number].token == wanted)
            return s.number;
    return -1;
}

/* Makes a node; one that targets have named before gets its spec. Spec 0: only named by targets. */
static int add_node(tables *t, int parent, const char *name, int is_property, uint32_t spec) {
    int index = (int)t->nodes.count;
    uint32_t number = parent < 0 ? 0 : token(t, name);
    int32_t wanted = is_property ? -(int32_t)number : (int32_t)number;
    int found = t->lists_paths && parent >= 0 ? find_node(t, parent, wanted) : -1;
    if (found >= 0) {
        node *known = (node *)t->nodes.items + found;
        known->spec = spec != 0 ? spec : known->spec;
        return found;
    }
    node *made = extend(t, &t->nodes, sizeof *made);
    if (made == NULL)
        return -1;
    node *nodes = t->nodes.items;
    *made = (node){
        .token = wanted, .parent = parent, .first = -1, .last = -1, .next = -1, .size = 1, .spec = spec};
    if (parent >= 0) {
        if (nodes[parent].first < 0)
            nodes[parent].first = index;
        else
            nodes[nodes[parent].last].next = index;
        nodes[parent].last = index;
    }
    if (t->lists_paths)
        t->no_memory |= !rlti_table_add(&t->paths, path_hash(parent, wanted), index);
    return t->no_memory ? -1 : index;
}

/* The node of a path, "/Looks/Hair/Map.outputs:rgb"; -1 where it is none, or when out of memory. */
static int path_node(tables *t, const char *path) {
    enum { LONGEST = 1024 };
    int at = 0, is_property = 0;
    while (*path != '\0' && at >= 0 && !t->no_memory) {
        char name[LONGEST];
        if (is_property || (*path != '/' && *path != '.'))
            return -1;
        is_property = *path++ == '.';
        size_t length = is_property ? strlen(path) : strcspn(path, "/.");
        if (length == 0 || length >= sizeof name)
            return -1;
        memcpy(name, path, length);
        name[length] = '\0';
        path += length;
        at = add_node(t, at, name, is_property, 0);
    }
    return t->no_memory ? -1 : at;
}

static void begin_fields(tables *t, int index) {
    if (!t->no_memory)
        ((node *)t->nodes.items)[index].field_set = (uint32_t)t->field_sets.count;
}

static void end_fields(tables *t) {
    add_u32(t, &t->field_sets, UINT32_MAX);
}

/* ---- samples ---- */

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Attributes that change mostly change at the same times. */
static uint64_t times_rep(tables *t, const rlti_crate_track *track) {
    size_t bytes = (size_t)track->count * sizeof *track->times;
    uint64_t hash = rlti_checksum((uint64_t)track->count, track->times, bytes);
    const written_times *written = t->times.items;
    for (size_t i = t->times.count; i > 0; i--) {
        const written_times *w = &written[i - 1];
        if (w->hash == hash && w->track->count == track->count &&
            memcmp(w->track->times, track->times, bytes) == 0)
            return w->rep;
    }
    uint64_t at = rlti_stream_align(t->out);
    rlti_stream_u64(t->out, (uint64_t)track->count);
    for (int i = 0; i < track->count; i++)
        rlti_stream_u64(t->out, bits_of(track->times[i]));
    written_times *made = extend(t, &t->times, sizeof *made);
    uint64_t rep = (uint64_t)RLTI_CRATE_DOUBLE_VECTOR << 48 | at;
    if (made != NULL)
        *made = (written_times){track, hash, rep};
    return rep;
}

static void add_samples_field(tables *t, const rlti_crate_track *track) {
    if (track->count == 0)
        return;
    uint64_t times = times_rep(t, track), at = rlti_stream_align(t->out);
    rlti_stream_u64(t->out, 8); /* how far on from here */
    rlti_stream_u64(t->out, times);
    rlti_stream_u64(t->out, 8);
    rlti_stream_u64(t->out, (uint64_t)track->count);
    for (int i = 0; i < track->count; i++)
        rlti_stream_u64(t->out, track->reps[i]);
    add_field(t, "timeSamples", (uint64_t)RLTI_CRATE_TIME_SAMPLES << 48 | at);
}

/* ---- links ---- */

/* Targets, as an explicit list of paths. */
static void add_targets_field(tables *t, const char *name, const rlti_link *link) {
    enum { EXPLICIT = 1, HAS_ITEMS = 2 };
    uint32_t *found = RLTI_NEW(uint32_t, link->target_count + 1);
    uint64_t count = 0;
    t->no_memory |= found == NULL;
    for (int i = 0; i < link->target_count && !t->no_memory; i++) {
        int target = path_node(t, link->targets[i]);
        if (target > 0)
            found[count++] = (uint32_t)target;
    }
    uint64_t at = rlti_stream_align(t->out);
    unsigned char header = EXPLICIT | HAS_ITEMS;
    rlti_stream_write(t->out, &header, 1);
    rlti_stream_u64(t->out, count);
    for (uint64_t i = 0; i < count; i++)
        rlti_stream_u32(t->out, found[i]);
    add_field(t, name, (uint64_t)RLTI_CRATE_PATH_LIST << 48 | at);
    rlti_free(found);
}

static void add_notes(tables *t, const rlti_notes *notes) {
    for (int i = 0; i < RLTI_NOTES; i++) {
        int is_token;
        const char *name = rlti_usd_note_name(i, &is_token);
        if (notes->texts[i] != NULL)
            add_field(t, name,
                      small_rep(is_token ? RLTI_CRATE_TOKEN : RLTI_CRATE_STRING, token(t, notes->texts[i])));
    }
    if (notes->has_weight) {
        float weight = (float)notes->weight;
        uint32_t bits;
        memcpy(&bits, &weight, sizeof bits);
        add_field(t, "weight", small_rep(RLTI_CRATE_FLOAT, bits));
    }
}

/* ---- properties ---- */

static int has_values(const rlti_crate_track *track) {
    return track->value != 0 || track->count > 0;
}

static int add_attribute(tables *t, int parent, const char *name, const char *type_name, int is_uniform) {
    int index = add_node(t, parent, name, 1, RLTI_SPEC_ATTRIBUTE);
    begin_fields(t, index);
    add_token_field(t, "typeName", type_name);
    add_field(t, "variability", small_rep(RLTI_CRATE_VARIABILITY, is_uniform != 0));
    return index;
}

static void add_track(tables *t, const rlti_crate_track *track) {
    if (track->value != 0)
        add_field(t, "default", track->value);
    add_samples_field(t, track);
}

static void add_transform(tables *t, int parent, const rlti_crate_track *track, int resets) {
    if (!has_values(track))
        return;
    add_attribute(t, parent, "xformOp:transform", "matrix4d", 0);
    add_track(t, track);
    end_fields(t);
    uint64_t at = rlti_stream_align(t->out);
    rlti_stream_u64(t->out, resets ? 2 : 1);
    if (resets)
        rlti_stream_u32(t->out, token(t, "!resetXformStack!"));
    rlti_stream_u32(t->out, token(t, "xformOp:transform"));
    add_attribute(t, parent, "xformOpOrder", "token[]", 1);
    add_field(t, "default", RLTI_REP_ARRAY | (uint64_t)RLTI_CRATE_TOKEN << 48 | at);
    end_fields(t);
}

static void add_words(tables *t, int parent, int prim) {
    rlti_usd_token words[RLTI_USD_TOKENS];
    int count = rlti_usd_prim_tokens(t->sink, &t->names, prim, words);
    for (int i = 0; i < count; i++) {
        add_attribute(t, parent, words[i].name, "token", words[i].is_uniform);
        add_token_field(t, "default", words[i].value);
        end_fields(t);
    }
}

/* Types that crates have only after the version that is written: the same values under an older name. */
static const char *written_type(const char *name) {
    static const char *const newer[][2] = {{"pathExpression", "string"}, {"pathExpression[]", "string[]"}};
    for (size_t i = 0; i < sizeof newer / sizeof newer[0]; i++)
        if (strcmp(name, newer[i][0]) == 0)
            return newer[i][1];
    return name;
}

static void add_declared(tables *t, int parent, int index) {
    const rlti_attribute *attribute = &t->sink->attributes[index];
    const rlti_crate_track *track = &t->own->tracks[index];
    if (!has_values(track))
        return;
    rlti_usd_form form = rlti_usd_attribute_form(attribute);
    add_attribute(t, parent, t->names.attributes[index], written_type(form.type_name), attribute->is_uniform);
    if (attribute->class_ == RLTI_CUSTOM)
        add_field(t, "custom", small_rep(RLTI_CRATE_BOOL, 1));
    if (form.interpolation != NULL)
        add_token_field(t, "interpolation", form.interpolation);
    if (form.element_size > 1)
        add_field(t, "elementSize", small_rep(RLTI_CRATE_INT, (uint32_t)form.element_size));
    add_track(t, track);
    if (t->names.link_of[index] >= 0) {
        const rlti_link *link = &t->sink->links[t->names.link_of[index]];
        if (link->target_count > 0)
            add_targets_field(t, "connectionPaths", link);
        add_notes(t, &link->notes);
    }
    end_fields(t);
}

/* A relationship, or an attribute without a value. */
static void add_link(tables *t, int parent, const rlti_link *link) {
    int is_relationship = link->type_name[0] == '\0';
    if (is_relationship) {
        begin_fields(t, add_node(t, parent, link->name, 1, RLTI_SPEC_RELATIONSHIP));
        add_field(t, "variability", small_rep(RLTI_CRATE_VARIABILITY, 1));
    } else {
        add_attribute(t, parent, link->name, written_type(link->type_name), link->is_uniform);
    }
    if (link->is_custom)
        add_field(t, "custom", small_rep(RLTI_CRATE_BOOL, 1));
    if (link->target_count > 0)
        add_targets_field(t, is_relationship ? "targetPaths" : "connectionPaths", link);
    add_notes(t, &link->notes);
    end_fields(t);
}

/* ---- prims ---- */

static void add_layer_fields(tables *t) {
    const rlti_sink_def *def = &t->sink->def;
    if (def->over != NULL) {
        uint64_t at = rlti_stream_align(t->out);
        rlti_stream_u64(t->out, 1);
        rlti_stream_u32(t->out, token(t, def->over));
        add_field(t, "subLayers", (uint64_t)RLTI_CRATE_STRING_VECTOR << 48 | at);
        at = rlti_stream_align(t->out);
        rlti_stream_u64(t->out, 1);
        rlti_stream_u64(t->out, bits_of(0.0));
        rlti_stream_u64(t->out, bits_of(1.0));
        add_field(t, "subLayerOffsets", (uint64_t)RLTI_CRATE_LAYER_OFFSETS << 48 | at);
    }
    if (t->sink->fingerprint[0] != '\0') {
        uint64_t at = rlti_stream_align(t->out);
        rlti_stream_u64(t->out, 1);
        rlti_stream_u32(t->out, token(t, RLTI_FINGERPRINT_KEY));
        rlti_stream_u64(t->out, 8); /* from here to the rep: the text is in it */
        rlti_stream_u64(t->out, small_rep(RLTI_CRATE_STRING, token(t, t->sink->fingerprint)));
        add_field(t, "customLayerData", (uint64_t)RLTI_CRATE_DICTIONARY << 48 | at);
    }
    if (def->default_prim != NULL)
        add_token_field(t, "defaultPrim", def->default_prim);
    if (def->title != NULL)
        add_field(t, "documentation", small_rep(RLTI_CRATE_STRING, token(t, def->title)));
    if (def->metres_per_unit > 0.0)
        add_number_field(t, "metersPerUnit", def->metres_per_unit);
    if (def->up_axis != 0)
        add_token_field(t, "upAxis", def->up_axis == 'Z' ? "Z" : "Y");
    add_number_field(t, "timeCodesPerSecond", def->codes_per_second);
    if (def->frames_per_second > 0.0)
        add_number_field(t, "framesPerSecond", def->frames_per_second);
    if (def->last_time >= def->first_time) {
        add_number_field(t, "startTimeCode", def->first_time);
        add_number_field(t, "endTimeCode", def->last_time);
    }
}

static void add_prim_fields(tables *t, int prim, int index) {
    const rlti_prim *p = &t->sink->prims[prim];
    int is_over = t->sink->def.over != NULL;
    begin_fields(t, index);
    add_field(t, "specifier", small_rep(RLTI_CRATE_SPECIFIER, is_over ? RLTI_USD_OVER : RLTI_USD_DEF));
    if (!is_over)
        add_token_field(t, "typeName", rlti_usd_prim_type(p, has_values(&t->own->transforms[prim])));
    add_schemas_field(t, p->api_schemas);
    if (!is_over && p->doc != NULL)
        add_field(t, "documentation", small_rep(RLTI_CRATE_STRING, token(t, p->doc)));
    if (!is_over && p->model != NULL)
        add_token_field(t, "kind", p->model);
    add_children_field(t, "primChildren", index, 0);
    add_children_field(t, "properties", index, 1);
    end_fields(t);
}

/* All properties in their order, before targets name some of them. */
static void add_properties(tables *t, const int *prims) {
    const rlti_sink *sink = t->sink;
    for (int i = 0; i < sink->attribute_count && !t->no_memory; i++)
        if (has_values(&t->own->tracks[i]))
            add_node(t, prims[sink->owner[i]], t->names.attributes[i], 1, RLTI_SPEC_ATTRIBUTE);
    for (int i = 0; i < sink->prim_count && !t->no_memory; i++)
        for (int k = t->names.first_link[i]; k >= 0; k = t->names.next_link[k])
            add_node(t, prims[i], sink->links[k].name, 1,
                     sink->links[k].type_name[0] == '\0' ? RLTI_SPEC_RELATIONSHIP : RLTI_SPEC_ATTRIBUTE);
    list_paths(t);
}

/* Paths first, then what needs to know them. */
static void add_all(tables *t) {
    rlti_sink *sink = t->sink;
    int root = add_node(t, -1, "", 0, RLTI_SPEC_ROOT);
    int *prims = RLTI_NEW(int, sink->prim_count);
    t->no_memory |= prims == NULL;
    for (int i = 0; i < sink->prim_count && !t->no_memory; i++)
        prims[i] = add_node(t, sink->prims[i].parent < 0 ? root : prims[sink->prims[i].parent],
                            t->names.prims[i], 0, RLTI_SPEC_PRIM);
    for (int i = 0; i < sink->prim_count && !t->no_memory; i++) {
        add_transform(t, prims[i], &t->own->transforms[i], sink->prims[i].resets);
        add_words(t, prims[i], i);
    }
    if (sink->link_count > 0)
        add_properties(t, prims);
    for (int i = 0; i < sink->attribute_count && !t->no_memory; i++)
        add_declared(t, prims[sink->owner[i]], i);
    for (int i = 0; i < sink->prim_count && !t->no_memory; i++)
        for (int k = t->names.first_link[i]; k >= 0 && !t->no_memory; k = t->names.next_link[k])
            add_link(t, prims[i], &sink->links[k]);
    if (!t->no_memory) {
        begin_fields(t, root);
        add_layer_fields(t);
        add_children_field(t, "primChildren", root, 0);
        end_fields(t);
    }
    for (int i = 0; i < sink->prim_count && !t->no_memory; i++)
        add_prim_fields(t, i, prims[i]);
    rlti_free(prims);
}

/* ---- sections ---- */

/* Writes `made` compressed bytes (0: out of memory), their number before, and frees them. */
static void put_made(tables *t, unsigned char *packed, size_t made) {
    t->no_memory |= made == 0;
    rlti_stream_u64(t->out, made);
    if (made > 0)
        rlti_stream_write(t->out, packed, made);
    rlti_free(packed);
}

static void put_packed(tables *t, const void *bytes, size_t size) {
    unsigned char *packed = rlti_allocate(rlti_fast_bound(size), 1);
    put_made(t, packed, packed != NULL ? rlti_fast_pack(bytes, size, packed) : 0);
}

static void put_ints(tables *t, const uint32_t *ints, size_t count) {
    unsigned char *packed = rlti_allocate(rlti_ints_bound(count, 4), 1);
    put_made(t, packed, packed != NULL ? rlti_ints_pack(ints, count, 4, packed) : 0);
}

static void put_tokens(tables *t) {
    const rlti_crate_tokens *tokens = &t->own->tokens;
    rlti_stream_u64(t->out, tokens->count);
    rlti_stream_u64(t->out, tokens->used);
    put_packed(t, tokens->text, tokens->used);
}

/* Every token is a string too, under the same number. */
static void put_strings(tables *t) {
    rlti_stream_u64(t->out, t->own->tokens.count);
    for (uint32_t i = 0; i < t->own->tokens.count; i++)
        rlti_stream_u32(t->out, i);
}

static void put_fields(tables *t) {
    size_t count = t->field_reps.count;
    unsigned char *bytes = rlti_allocate(count, 8);
    const uint64_t *reps = t->field_reps.items;
    t->no_memory |= bytes == NULL;
    for (size_t i = 0; bytes != NULL && i < 8 * count; i++)
        bytes[i] = (unsigned char)(reps[i / 8] >> (8 * (i % 8)));
    rlti_stream_u64(t->out, count);
    put_ints(t, t->field_tokens.items, count);
    if (bytes != NULL)
        put_packed(t, bytes, 8 * count);
    rlti_free(bytes);
}

static void put_field_sets(tables *t) {
    rlti_stream_u64(t->out, t->field_sets.count);
    put_ints(t, t->field_sets.items, t->field_sets.count);
}

/* The node after this one in a walk from the top, children first. */
static int after(const node *nodes, int i) {
    if (nodes[i].first >= 0)
        return nodes[i].first;
    while (i >= 0 && nodes[i].next < 0)
        i = nodes[i].parent;
    return i >= 0 ? nodes[i].next : -1;
}

static int32_t jump_of(const node *n) {
    if (n->first >= 0)
        return n->next >= 0 ? (int32_t)n->size : -1;
    return n->next >= 0 ? 0 : -2;
}

static void put_paths(tables *t) {
    node *nodes = t->nodes.items;
    size_t count = t->nodes.count, at = 0;
    uint32_t *ints = RLTI_NEW(uint32_t, 3 * count);
    t->no_memory |= ints == NULL;
    if (ints == NULL)
        return;
    for (size_t i = count - 1; i > 0; i--)
        nodes[nodes[i].parent].size += nodes[i].size;
    for (int i = 0; i >= 0; i = after(nodes, i)) {
        ints[at] = (uint32_t)i;
        ints[count + at] = (uint32_t)nodes[i].token;
        ints[2 * count + at++] = (uint32_t)jump_of(&nodes[i]);
    }
    rlti_stream_u64(t->out, count);
    rlti_stream_u64(t->out, count);
    for (int k = 0; k < 3; k++)
        put_ints(t, ints + (size_t)k * count, count);
    rlti_free(ints);
}

static void put_specs(tables *t) {
    const node *nodes = t->nodes.items;
    size_t count = t->nodes.count;
    uint32_t *ints = RLTI_NEW(uint32_t, 3 * count);
    t->no_memory |= ints == NULL;
    if (ints == NULL)
        return;
    size_t specs = 0; /* what only targets name has none */
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].spec == 0)
            continue;
        ints[specs] = (uint32_t)i;
        ints[count + specs] = nodes[i].field_set;
        ints[2 * count + specs++] = nodes[i].spec;
    }
    rlti_stream_u64(t->out, specs);
    for (int k = 0; k < 3; k++)
        put_ints(t, ints + (size_t)k * count, specs);
    rlti_free(ints);
}

/* ---- the end ---- */

static void put_contents(tables *t, const char *const names[SECTION_COUNT]) {
    rlti_stream_u64(t->out, SECTION_COUNT);
    for (int s = 0; s < SECTION_COUNT; s++) {
        char name[16] = {0};
        snprintf(name, sizeof name, "%s", names[s]);
        rlti_stream_write(t->out, name, sizeof name);
        rlti_stream_u64(t->out, t->sections[s].start);
        rlti_stream_u64(t->out, t->sections[s].size);
    }
}

static void put_header(tables *t, uint64_t contents) {
    unsigned char header[RLTI_CRATE_HEADER] = "PXR-USDC";
    header[9] = 8; /* version 0.8.0, unless it has what came later */
    for (int i = 0; i < t->sink->attribute_count; i++)
        if (t->own->tracks[i].is_time && has_values(&t->own->tracks[i]))
            header[9] = 9;
    rlti_bytes_put(header + 16, contents, 8);
    rlti_stream_patch(t->out, 0, header, sizeof header);
}

rlt_status rlti_crate_compose(rlti_sink *sink, rlti_stream *out, rlt_messages *messages) {
    static const char *const names[SECTION_COUNT] = {"TOKENS",    "STRINGS", "FIELDS",
                                                     "FIELDSETS", "PATHS",   "SPECS"};
    static void (*const writers[SECTION_COUNT])(tables *) = {put_tokens,     put_strings, put_fields,
                                                             put_field_sets, put_paths,   put_specs};
    tables t = {.sink = sink, .own = sink->own, .out = out};
    t.no_memory = !rlti_usd_naming_make(sink, &t.names);
    if (!t.no_memory)
        add_all(&t);
    for (int s = 0; s < SECTION_COUNT && !t.no_memory; s++) {
        t.sections[s].start = rlti_stream_align(out);
        writers[s](&t);
        t.sections[s].size = (uint64_t)rlti_stream_length(out) - t.sections[s].start;
    }
    if (!t.no_memory) {
        uint64_t contents = rlti_stream_align(out);
        put_contents(&t, names);
        put_header(&t, contents);
    }
    rlti_usd_naming_clear(&t.names);
    rlti_table_clear(&t.paths);
    RLTI_FREE(t.nodes.items, t.field_tokens.items, t.field_reps.items, t.field_sets.items, t.times.items);
    if (t.no_memory)
        return rlti_out_of_memory(messages);
    rlti_sink_seal(sink, out);
    rlt_status status = rlti_stream_check(out, messages);
    return status == RLT_OK ? rlti_stream_check(t.own->texts, messages) : status;
}
