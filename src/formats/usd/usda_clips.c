/* Value clips of a prim in a .usda text. */
#include <string.h>

#include "base/memory.h"
#include "formats/usd/usda_parse.h"
#include "formats/usd/usda_values.h"

/* The type before a key of a dictionary, with its brackets, and the key. */
static int read_key(rlti_usda_parser *p, rlti_usda_piece *type, int *is_array, rlti_usda_piece *key) {
    rlti_usda_cursor *c = &p->c;
    *type = rlti_usda_word(c, 1);
    *is_array = rlti_usda_accept(c, '[');
    if (type->length == 0)
        return rlti_usda_fail(c, c->at, "a type and a name are needed");
    if (*is_array && !rlti_usda_expect(c, ']', "after '[' of a type"))
        return 0;
    char first = rlti_usda_peek(c);
    *key = first == '"' || first == '\'' ? rlti_usda_quoted(c) : rlti_usda_word(c, 1);
    if (key->at == NULL || key->length == 0)
        return rlti_usda_fail(c, c->at, "the name of a value is needed");
    return rlti_usda_expect(c, '=', "after the name of a value");
}

static int next_entry(rlti_usda_cursor *c) {
    while (rlti_usda_accept(c, ';') || rlti_usda_accept(c, ','))
        ;
    return c->status == RLT_OK && rlti_usda_peek(c) != '}' && c->at < c->end;
}

/* Copies of texts, in the layer's memory. */
static const char *const *keep_texts(rlti_usda_parser *p, const rlti_array *array) {
    const char **list = rlti_arena_keep(p->arena, array->count, sizeof *list);
    const char *const *texts = array->data;
    for (size_t i = 0; list != NULL && i < array->count; i++)
        if ((list[i] = rlti_arena_text(p->arena, texts[i], strlen(texts[i]))) == NULL)
            list = NULL;
    if (list == NULL)
        rlti_usda_no_memory(&p->c);
    return list;
}

static const double (*keep_pairs(rlti_usda_parser *p, const rlti_array *array))[2] {
    double(*list)[2] = rlti_arena_keep(p->arena, array->count, sizeof *list);
    if (list == NULL)
        rlti_usda_no_memory(&p->c);
    else if (array->count > 0)
        memcpy(list, array->data, array->count * sizeof *list);
    return (const double(*)[2])list;
}

static int set_value(rlti_usda_parser *p, rlti_usda_piece key, const rlti_array *value,
                     rlti_usd_clips *clips) {
    const char *text =
        value->type.element == RLTI_TEXT && value->count == 1 ? *(const char *const *)value->data : "";
    double number =
        value->type.element == RLTI_DOUBLE && value->count > 0 ? *(const double *)value->data : 0.0;
    if (rlti_usda_is(key, "assetPaths")) {
        clips->asset_count = (int)value->count;
        return (clips->assets = keep_texts(p, value)) != NULL;
    }
    if (rlti_usda_is(key, "primPath"))
        return (clips->prim_path = rlti_arena_text(p->arena, text, strlen(text))) != NULL ||
               rlti_usda_no_memory(&p->c);
    if (rlti_usda_is(key, "templateAssetPath"))
        return (clips->template_asset = rlti_arena_text(p->arena, text, strlen(text))) != NULL ||
               rlti_usda_no_memory(&p->c);
    if (rlti_usda_is(key, "active")) {
        clips->active_count = (int)value->count;
        return (clips->active = keep_pairs(p, value)) != NULL;
    }
    if (rlti_usda_is(key, "times")) {
        clips->time_count = (int)value->count;
        return (clips->times = keep_pairs(p, value)) != NULL;
    }
    if (rlti_usda_is(key, "templateStartTime"))
        clips->template_start = number;
    else if (rlti_usda_is(key, "templateEndTime"))
        clips->template_end = number;
    else
        clips->template_stride = number;
    return 1;
}

/* The type that the value of a key must have; arity 0: the key does not matter. */
static rlti_array_type type_of(rlti_usda_piece key) {
    static const struct {
        const char *key;
        rlti_array_type type;
    } keys[] = {{"assetPaths", {RLTI_TEXT, 1, RLTI_ROLE_ASSET, 1}},
                {"primPath", {RLTI_TEXT, 1, RLTI_ROLE_NONE, 0}},
                {"templateAssetPath", {RLTI_TEXT, 1, RLTI_ROLE_NONE, 0}},
                {"active", {RLTI_DOUBLE, 2, RLTI_ROLE_NONE, 1}},
                {"times", {RLTI_DOUBLE, 2, RLTI_ROLE_NONE, 1}},
                {"templateStartTime", {RLTI_DOUBLE, 1, RLTI_ROLE_NONE, 0}},
                {"templateEndTime", {RLTI_DOUBLE, 1, RLTI_ROLE_NONE, 0}},
                {"templateStride", {RLTI_DOUBLE, 1, RLTI_ROLE_NONE, 0}}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (rlti_usda_is(key, keys[i].key))
            return keys[i].type;
    return (rlti_array_type){RLTI_TEXT, 0, RLTI_ROLE_NONE, 0};
}

static int read_set(rlti_usda_parser *p, rlti_usd_clips *clips) {
    rlti_usda_cursor *c = &p->c;
    size_t commas;
    clips->prim_path = clips->template_asset = "";
    if (!rlti_usda_expect(c, '{', "before a set of clips"))
        return 0;
    while (next_entry(c)) {
        rlti_usda_piece type, key;
        int is_array, ok;
        if (!read_key(p, &type, &is_array, &key))
            return 0;
        rlti_array_type wanted = type_of(key);
        if (wanted.arity == 0) {
            ok = rlti_usda_skip_value(c, &commas);
        } else {
            rlti_array value = {0};
            ok = rlti_usda_value(c, wanted, &value) && (value.blocked || set_value(p, key, &value, clips));
            rlti_array_clear(&value);
        }
        if (!ok)
            return 0;
    }
    return rlti_usda_expect(c, '}', "after a set of clips");
}

int rlti_usda_read_clips(rlti_usda_parser *p, int prim) {
    rlti_usda_cursor *c = &p->c;
    rlti_usda_list list = {0};
    rlti_usd_items items = {0};
    int ok = rlti_usda_expect(c, '{', "before the sets of clips");
    while (ok && next_entry(c)) {
        rlti_usda_piece type, key;
        int is_array;
        rlti_usd_clips *clips = rlti_usda_list_add(p, &list, sizeof *clips);
        ok = clips != NULL && read_key(p, &type, &is_array, &key);
        if (ok)
            ok = (clips->name = rlti_arena_text(p->arena, key.at, key.length)) != NULL ||
                 rlti_usda_no_memory(c);
        ok = ok && read_set(p, clips);
    }
    ok = ok && rlti_usda_expect(c, '}', "after the sets of clips") &&
         rlti_usda_list_keep(p, &list, sizeof(rlti_usd_clips), &items);
    rlti_usd_prim *made = (rlti_usd_prim *)p->prims.items + prim;
    made->clips = items.items;
    made->clip_count = items.count;
    rlti_free(list.items);
    return ok;
}
