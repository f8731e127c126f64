/* Metadata of a .usda text: what stands in parentheses behind the header, a prim or a property. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "formats/tree/stage.h"
#include "formats/usd/usda_parse.h"
#include "formats/usd/usda_values.h"

rlti_usd_edit rlti_usda_read_op(rlti_usda_piece word, int *is_op) {
    static const struct {
        const char *word;
        rlti_usd_edit op;
    } ops[] = {{"prepend", RLTI_USD_PREPENDED}, {"append", RLTI_USD_APPENDED},
               {"add", RLTI_USD_ADDED},         {"delete", RLTI_USD_DELETED},
               {"reorder", RLTI_USD_ORDERED},   {"explicit", RLTI_USD_EXPLICIT}};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (rlti_usda_is(word, ops[i].word)) {
            *is_op = 1;
            return ops[i].op;
        }
    *is_op = 0;
    return RLTI_USD_EXPLICIT;
}

/* The keys of one place; `handle` reads the value, or returns -1 for keys that do not matter. */
typedef int key_handler(rlti_usda_parser *p, void *context, rlti_usda_piece key, rlti_usd_edit op);

/* "symmetryFunction = " and nothing, which USD writes to say that there is none. */
static int is_empty_value(rlti_usda_cursor *c, rlti_usda_piece key) {
    while (rlti_usda_has(c, c->at) && *c->at == ' ')
        c->at++;
    return rlti_usda_is(key, "symmetryFunction") && c->at < c->end && strchr(");\r\n", *c->at) != NULL;
}

/* "key = value" until the closing parenthesis; texts alone are comments. */
static int read_metadata(rlti_usda_parser *p, key_handler *handle, void *context) {
    rlti_usda_cursor *c = &p->c;
    size_t commas;
    for (;;) {
        char first = rlti_usda_peek(c);
        if (first == ')' || first == '\0')
            return rlti_usda_expect(c, ')', "after metadata");
        if (first == ';' || first == ',') {
            c->at++;
            continue;
        }
        if (first == '"' || first == '\'') {
            if (rlti_usda_quoted(c).at == NULL)
                return 0;
            continue;
        }
        int is_op;
        rlti_usda_piece key = rlti_usda_word(c, 1);
        rlti_usd_edit op = rlti_usda_read_op(key, &is_op);
        if (is_op)
            key = rlti_usda_word(c, 1);
        if (key.length == 0)
            return rlti_usda_fail(c, c->at, "the name of a value is needed");
        if (!rlti_usda_expect(c, '=', "after the name of a value"))
            return 0;
        if (is_empty_value(c, key))
            continue;
        int read = handle(p, context, key, op);
        if (read == 0 || (read < 0 && !rlti_usda_skip_value(c, &commas)))
            return 0;
    }
}

static int read_text(rlti_usda_parser *p, const char **to) {
    rlti_usda_piece piece = rlti_usda_quoted(&p->c);
    if (piece.at == NULL)
        return 0;
    *to = rlti_usda_keep_text(&p->c, p->arena, piece);
    return *to != NULL;
}

/* A number that must be finite, and > 0 where it is a rate or a size. */
static int read_number(rlti_usda_parser *p, double *to, int is_positive) {
    rlti_usda_skip_blanks(&p->c);
    const char *place = p->c.at;
    double value;
    if (!rlti_usda_number(&p->c, &value))
        return 0;
    if (!isfinite(value) || (is_positive && !(value > 0.0)))
        return rlti_usda_fail(&p->c, place, "the number must be finite%s", is_positive ? " and > 0" : "");
    *to = value;
    return 1;
}

static int read_flag(rlti_usda_parser *p, rlti_usd_flag *to) {
    rlti_array value = {0};
    int ok = rlti_usda_value(&p->c, (rlti_array_type){RLTI_BOOL, 1, RLTI_ROLE_NONE, 0}, &value);
    if (ok && !value.blocked)
        *to = *(const unsigned char *)value.data != 0 ? RLTI_USD_TRUE : RLTI_USD_FALSE;
    rlti_array_clear(&value);
    return ok;
}

/* ---- lists ---- */

typedef int item_reader(rlti_usda_parser *p, int prim);

/* One item, a list of them in brackets, or None. */
static int read_items(rlti_usda_parser *p, int prim, item_reader *read) {
    rlti_usda_cursor *c = &p->c;
    if (!rlti_usda_accept(c, '[')) {
        const char *place = c->at;
        rlti_usda_piece word = rlti_usda_word(c, 0);
        if (rlti_usda_is(word, "None"))
            return 1;
        c->at = place;
        return read(p, prim);
    }
    while (c->status == RLT_OK && rlti_usda_peek(c) != ']') {
        if (!read(p, prim))
            return 0;
        if (!rlti_usda_accept(c, ','))
            break;
    }
    return rlti_usda_expect(c, ']', "at the end of a list");
}

static int offset_key(rlti_usda_parser *p, void *context, rlti_usda_piece key, rlti_usd_edit op) {
    rlti_usd_arc *arc = context;
    (void)op;
    if (rlti_usda_is(key, "offset"))
        return read_number(p, &arc->offset, 0);
    if (rlti_usda_is(key, "scale"))
        return read_number(p, &arc->scale, 0);
    return -1;
}

/* @file@</prim> (offset = 1; scale = 2), each part optional but not both of the first two */
static int read_arc(rlti_usda_parser *p, int prim) {
    rlti_usda_cursor *c = &p->c;
    rlti_usd_arc arc = {"", "", 0.0, 1.0};
    char first = rlti_usda_peek(c);
    if (first != '@' && first != '<')
        return rlti_usda_fail(c, c->at, "@file@ or </prim> is needed");
    if (first == '@') {
        rlti_usda_piece asset = rlti_usda_asset(c);
        if (asset.at == NULL || (arc.asset = rlti_usda_keep_asset(c, p->arena, asset)) == NULL)
            return 0;
    }
    if (rlti_usda_peek(c) == '<' && (arc.prim_path = rlti_usda_target(p, prim)) == NULL)
        return 0;
    if (rlti_usda_accept(c, '(') && !read_metadata(p, offset_key, &arc))
        return 0;
    rlti_usd_arc *made = rlti_usda_list_add(p, &p->arcs, sizeof *made);
    if (made != NULL)
        *made = arc;
    return made != NULL;
}

/* "name", or name without quotes as old files have it */
static int read_name(rlti_usda_parser *p, int prim) {
    const char *name;
    (void)prim;
    char first = rlti_usda_peek(&p->c);
    if (first == '"' || first == '\'') {
        if (!read_text(p, &name))
            return 0;
    } else {
        rlti_usda_piece word = rlti_usda_word(&p->c, 1);
        if (word.length == 0)
            return rlti_usda_fail(&p->c, p->c.at, "a name is needed");
        name = rlti_arena_text(p->arena, word.at, word.length);
        if (name == NULL)
            return rlti_usda_no_memory(&p->c);
    }
    const char **made = rlti_usda_list_add(p, &p->texts, sizeof *made);
    if (made != NULL)
        *made = name;
    return made != NULL;
}

static int read_path_item(rlti_usda_parser *p, int prim) {
    const char **made = rlti_usda_list_add(p, &p->texts, sizeof *made);
    return made != NULL && (*made = rlti_usda_target(p, prim)) != NULL;
}

/* The items that read_arc, read_name or read_path_item make. */
static int read_all(rlti_usda_parser *p, int prim, item_reader *read, rlti_usd_items *to) {
    rlti_usda_list *list = read == read_arc ? &p->arcs : &p->texts;
    list->count = 0;
    return read_items(p, prim, read) &&
           rlti_usda_list_keep(p, list, read == read_arc ? sizeof(rlti_usd_arc) : sizeof(const char *), to);
}

/* A list, as one edit of it. */
static int read_list(rlti_usda_parser *p, int prim, rlti_usd_edit edit, item_reader *read,
                     const rlti_usd_list **list) {
    rlti_usd_items items;
    return read_all(p, prim, read, &items) && rlti_usda_set_edit(p, list, edit, items);
}

/* relocates = { <source> : <target>, ... }, absolute or seen from the prim */
static int read_relocates(rlti_usda_parser *p, int prim) {
    rlti_usda_cursor *c = &p->c;
    if (!rlti_usda_expect(c, '{', "before the relocates"))
        return 0;
    while (c->status == RLT_OK && rlti_usda_peek(c) != '}') {
        rlti_usd_relocate *made = rlti_usda_list_add(p, &p->relocates, sizeof *made);
        if (made == NULL || (made->source = rlti_usda_target(p, prim)) == NULL ||
            !rlti_usda_expect(c, ':', "after the source of a relocate") ||
            (made->target = rlti_usda_target(p, prim)) == NULL)
            return 0;
        if (!rlti_usda_accept(c, ','))
            break;
    }
    return rlti_usda_expect(c, '}', "after the relocates");
}

/* ---- the layer ---- */

typedef struct layer_context {
    int has_start, has_end;
    rlti_usd_items sublayers;
} layer_context;

static int up_axis(rlti_usda_parser *p) {
    rlti_usda_skip_blanks(&p->c);
    const char *place = p->c.at;
    rlti_usda_piece axis = rlti_usda_quoted(&p->c);
    if (axis.at == NULL)
        return 0;
    if (!rlti_usda_is(axis, "Y") && !rlti_usda_is(axis, "Z"))
        return rlti_usda_fail(&p->c, place, "upAxis must be \"Y\" or \"Z\"");
    p->layer->up_axis = axis.at[0];
    return 1;
}

/* customLayerData = { string ringletFingerprint = "..." }; whatever else it holds is passed over. */
static int read_custom(rlti_usda_parser *p, const char **fingerprint) {
    static const char before[] = "string " RLTI_FINGERPRINT_KEY " = ";
    size_t commas, length = sizeof before - 1;
    rlti_usda_skip_blanks(&p->c);
    const char *from = p->c.at;
    if (!rlti_usda_skip_value(&p->c, &commas))
        return 0;
    const rlti_usda_cursor behind = p->c;
    for (; (size_t)(behind.at - from) > length; from++)
        if (memcmp(from, before, length) == 0) {
            p->c.at = from + length;
            int read = rlti_usda_peek(&p->c) != '"' || read_text(p, fingerprint);
            p->c = behind;
            return read;
        }
    return 1;
}

static int layer_key(rlti_usda_parser *p, void *context, rlti_usda_piece key, rlti_usd_edit op) {
    layer_context *l = context;
    rlti_usd_layer *layer = p->layer;
    (void)op;
    if (rlti_usda_is(key, "subLayers"))
        return read_all(p, -1, read_arc, &l->sublayers); /* whatever the word before it */
    if (rlti_usda_is(key, "relocates"))
        return read_relocates(p, -1);
    if (rlti_usda_is(key, "upAxis"))
        return up_axis(p);
    if (rlti_usda_is(key, "metersPerUnit"))
        return read_number(p, &layer->metres_per_unit, 1);
    if (rlti_usda_is(key, "kilogramsPerUnit"))
        return read_number(p, &layer->kilograms_per_unit, 1);
    if (rlti_usda_is(key, "timeCodesPerSecond"))
        return read_number(p, &layer->time_codes_per_second, 1);
    if (rlti_usda_is(key, "framesPerSecond"))
        return read_number(p, &layer->frames_per_second, 1);
    if (rlti_usda_is(key, "startTimeCode") || (rlti_usda_is(key, "startFrame") && !l->has_start)) {
        l->has_start = 1;
        return read_number(p, &layer->start_time, 0);
    }
    if (rlti_usda_is(key, "endTimeCode") || (rlti_usda_is(key, "endFrame") && !l->has_end)) {
        l->has_end = 1;
        return read_number(p, &layer->end_time, 0);
    }
    if (rlti_usda_is(key, "defaultPrim"))
        return read_text(p, &layer->default_prim);
    if (rlti_usda_is(key, "customLayerData"))
        return read_custom(p, &layer->fingerprint);
    if (rlti_usda_is(key, "doc") || rlti_usda_is(key, "documentation"))
        return read_text(p, &layer->documentation);
    return -1;
}

int rlti_usda_layer_metadata(rlti_usda_parser *p) {
    layer_context l = {0};
    if (!read_metadata(p, layer_key, &l))
        return 0;
    p->layer->sublayers = l.sublayers.items;
    p->layer->sublayer_count = l.sublayers.count;
    p->layer->has_range = l.has_start && l.has_end;
    return 1;
}

/* ---- prims ---- */

static rlti_usd_prim *prim_at(const rlti_usda_parser *p, int index) {
    return (rlti_usd_prim *)p->prims.items + index;
}

/* variants = { string set = "choice" } */
static int read_selections(rlti_usda_parser *p, int prim) {
    rlti_usda_cursor *c = &p->c;
    rlti_usda_list list = {0};
    rlti_usd_items items = {0};
    int ok = rlti_usda_expect(c, '{', "before the chosen variants");
    while (ok) {
        if (rlti_usda_accept(c, ';') || rlti_usda_accept(c, ','))
            continue;
        if (rlti_usda_peek(c) == '}' || c->at >= c->end)
            break;
        rlti_usda_word(c, 0); /* string */
        p->texts.count = 0;
        rlti_usd_selection *made = rlti_usda_list_add(p, &list, sizeof *made);
        ok =
            made != NULL && read_name(p, prim) && rlti_usda_expect(c, '=', "after the name of a variant set");
        if (ok) {
            made->set = ((const char **)p->texts.items)[0];
            ok = read_text(p, &made->variant);
        }
    }
    ok = ok && rlti_usda_expect(c, '}', "after the chosen variants") &&
         rlti_usda_list_keep(p, &list, sizeof(rlti_usd_selection), &items);
    rlti_free(list.items);
    prim_at(p, prim)->selections = items.items;
    prim_at(p, prim)->selection_count = items.count;
    return ok;
}

static int prim_key(rlti_usda_parser *p, void *context, rlti_usda_piece key, rlti_usd_edit op) {
    int index = *(const int *)context;
    rlti_usd_prim *prim = prim_at(p, index);
    int is_quoted = rlti_usda_peek(&p->c) == '"' || rlti_usda_peek(&p->c) == '\'';
    if (rlti_usda_is(key, "references"))
        return read_list(p, index, op, read_arc, &prim->references);
    if (rlti_usda_is(key, "payload"))
        return read_list(p, index, op, read_arc, &prim->payloads);
    if (rlti_usda_is(key, "apiSchemas"))
        return read_list(p, index, op, read_name, &prim->api_schemas);
    if (rlti_usda_is(key, "inherits"))
        return read_list(p, index, op, read_path_item, &prim->inherits);
    if (rlti_usda_is(key, "specializes"))
        return read_list(p, index, op, read_path_item, &prim->specializes);
    if (rlti_usda_is(key, "variantSets"))
        return read_list(p, index, op, read_name, &prim->variant_sets);
    if (rlti_usda_is(key, "variants"))
        return read_selections(p, index);
    if (rlti_usda_is(key, "kind"))
        return read_text(p, &prim->kind);
    if (is_quoted && (rlti_usda_is(key, "doc") || rlti_usda_is(key, "documentation")))
        return read_text(p, &prim->doc);
    if (rlti_usda_is(key, "active"))
        return read_flag(p, &prim->active);
    if (rlti_usda_is(key, "instanceable"))
        return read_flag(p, &prim->instanceable);
    if (rlti_usda_is(key, "relocates"))
        return read_relocates(p, index);
    if (rlti_usda_is(key, "clips"))
        return rlti_usda_read_clips(p, index);
    return -1;
}

int rlti_usda_prim_metadata(rlti_usda_parser *p, int index) {
    return read_metadata(p, prim_key, &index);
}

/* ---- properties ---- */

/* The property's metadata, made where it has none; NULL when out of memory. */
static rlti_notes *notes_of(rlti_usda_parser *p, rlti_usd_property *property) {
    if (property->notes == NULL)
        property->notes = rlti_arena_keep(p->arena, 1, sizeof *property->notes);
    if (property->notes == NULL)
        rlti_usda_no_memory(&p->c);
    return property->notes;
}

/* One that is kept; -1: it is none, or not of the type that USD says. */
static int read_note(rlti_usda_parser *p, rlti_usd_property *property, rlti_usda_piece key) {
    int note = rlti_usd_note_find(key.at, key.length);
    char first = rlti_usda_peek(&p->c);
    if (note >= 0 && (first == '"' || first == '\''))
        return notes_of(p, property) != NULL && read_text(p, &property->notes->texts[note]);
    if (!rlti_usda_is(key, "weight") || strchr("+-.0123456789", first) == NULL || first == '\0')
        return -1;
    if (notes_of(p, property) == NULL || !read_number(p, &property->notes->weight, 0))
        return 0;
    property->notes->has_weight = 1;
    return 1;
}

static int property_key(rlti_usda_parser *p, void *context, rlti_usda_piece key, rlti_usd_edit op) {
    rlti_usd_property *property = &((rlti_usda_property *)p->properties.items + *(int *)context)->made;
    (void)op;
    if (rlti_usda_is(key, "interpolation"))
        return read_text(p, &property->interpolation);
    if (!rlti_usda_is(key, "elementSize"))
        return read_note(p, property, key);
    double size = 0.0;
    rlti_usda_skip_blanks(&p->c);
    const char *place = p->c.at;
    if (!read_number(p, &size, 1))
        return 0;
    if (size > 65536.0 || floor(size) != size)
        return rlti_usda_fail(&p->c, place, "elementSize must be a whole number from 1 to 65536");
    property->element_size = (int)size;
    return 1;
}

int rlti_usda_property_metadata(rlti_usda_parser *p, int property) {
    return read_metadata(p, property_key, &property);
}
