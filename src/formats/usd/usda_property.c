/* Attributes and relationships of a .usda text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/messages.h"
#include "formats/usd/usda_parse.h"

static rlti_usda_property *property_at(const rlti_usda_parser *p, int index) {
    return (rlti_usda_property *)p->properties.items + index;
}

static int find_property(const rlti_usda_parser *p, uint64_t hash, int prim, rlti_usda_piece name) {
    for (rlti_table_search s = rlti_table_begin(&p->property_table, hash);
         rlti_table_next(&p->property_table, &s);) {
        const rlti_usda_property *property = property_at(p, s.number);
        if (property->prim == prim && rlti_usda_is(name, property->made.name))
            return s.number;
    }
    return -1;
}

/* The prim's property of this name, made where it is new; -1 on failure. */
static int find_or_add(rlti_usda_parser *p, int prim, rlti_usda_piece name, int is_relationship,
                       rlti_usda_piece type_name) {
    uint64_t hash = rlti_hash_name(prim, name.at, name.length);
    int found = find_property(p, hash, prim, name);
    if (found >= 0) {
        if (property_at(p, found)->made.is_relationship == is_relationship)
            return found;
        rlti_usda_fail(&p->c, name.at, "an attribute and a relationship have the same name");
        return -1;
    }
    rlti_usda_property *made = rlti_usda_list_add(p, &p->properties, sizeof *made);
    if (made == NULL)
        return -1;
    made->prim = prim;
    made->made.interpolation = "";
    made->made.is_relationship = is_relationship;
    made->made.name = rlti_arena_text(p->arena, name.at, name.length);
    made->made.type_name = rlti_arena_text(p->arena, type_name.at, type_name.length);
    int index = p->properties.count - 1;
    if (made->made.name == NULL || made->made.type_name == NULL ||
        !rlti_table_add(&p->property_table, hash, index)) {
        rlti_usda_no_memory(&p->c);
        return -1;
    }
    if (!is_relationship)
        rlti_usd_type(made->made.type_name, type_name.length, &made->made.type);
    return index;
}

/* ---- paths ---- */

/* The path's own place minus its last part. */
static size_t parent_length(const char *path, size_t length) {
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 1 ? length - 1 : 0; /* "" is the root, here */
}

const char *rlti_usda_target(rlti_usda_parser *p, int prim) {
    rlti_usda_piece piece = rlti_usda_path(&p->c);
    if (piece.at == NULL)
        return NULL;
    const char *base = prim >= 0 ? ((const rlti_usd_prim *)p->prims.items)[prim].path : "";
    const char *from = piece.at, *end = piece.at + piece.length;
    if (from == end) /* <> is the default prim, or nothing */
        return "";
    size_t kept = *from == '/' ? 0 : strlen(base);
    while (kept > 0 && from < end && *from == '.') {
        if (end - from >= 2 && from[1] == '.')
            kept = parent_length(base, kept);
        else if (end - from >= 2 && from[1] != '/')
            break; /* ".attribute" */
        from += end - from >= 2 && from[1] == '.' ? 2 : 1;
        from += from < end && *from == '/';
    }
    size_t length = (size_t)(end - from);
    int joins = length > 0 && *from != '/' && *from != '.';
    if (!rlti_usda_count_path(p, kept, piece.at))
        return NULL;
    char *made = rlti_arena_keep(p->arena, kept + length + 2, 1);
    if (made == NULL) {
        rlti_usda_no_memory(&p->c);
        return NULL;
    }
    memcpy(made, base, kept);
    if (joins)
        made[kept] = '/';
    memcpy(made + kept + joins, from, length);
    return made;
}

/* <a>, [<a>, <b>] or None. */
static int read_targets(rlti_usda_parser *p, int prim, rlti_usd_items *to) {
    rlti_usda_cursor *c = &p->c;
    p->texts.count = 0;
    char first = rlti_usda_peek(c);
    if (first != '<' && first != '[') {
        rlti_usda_piece word = rlti_usda_word(c, 0);
        if (!rlti_usda_is(word, "None"))
            return rlti_usda_fail(c, word.at, "a path between < and >, a list of them or None is needed");
    } else if (first == '<') {
        const char **target = rlti_usda_list_add(p, &p->texts, sizeof *target);
        if (target == NULL || (*target = rlti_usda_target(p, prim)) == NULL)
            return 0;
    } else {
        rlti_usda_accept(c, '[');
        while (rlti_usda_peek(c) != ']') {
            const char **target = rlti_usda_list_add(p, &p->texts, sizeof *target);
            if (target == NULL || (*target = rlti_usda_target(p, prim)) == NULL)
                return 0;
            if (!rlti_usda_accept(c, ','))
                break;
        }
        if (!rlti_usda_expect(c, ']', "at the end of a list of paths"))
            return 0;
    }
    return rlti_usda_list_keep(p, &p->texts, sizeof(const char *), to);
}

static int read_target_list(rlti_usda_parser *p, int prim, int index, rlti_usd_edit op) {
    rlti_usd_items items;
    return read_targets(p, prim, &items) &&
           rlti_usda_set_edit(p, &property_at(p, index)->made.targets, op, items);
}

/* ---- values ---- */

/* Remembers where a value is. */
static int note_value(rlti_usda_parser *p, rlti_array_type type, rlti_usd_value *to) {
    size_t commas;
    rlti_usda_skip_blanks(&p->c);
    const char *start = p->c.at;
    if (!rlti_usda_skip_value(&p->c, &commas))
        return 0;
    rlti_usda_piece whole = {start, (size_t)(p->c.at - start)};
    int blocked = rlti_usda_is(whole, "None") || rlti_usda_is(whole, "AnimationBlock");
    *to = (rlti_usd_value){blocked ? RLTI_USD_BLOCKED : RLTI_USD_VALUE, type, (uint64_t)(start - p->c.start),
                           whole.length};
    rlti_usda_forget(&p->c, start, p->c.at);
    return 1;
}

typedef struct sample {
    double time;
    rlti_usd_value value;
} sample;

/* By time; of one time, by the order in the file. */
static int compare_samples(const void *a, const void *b) {
    const sample *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->value.where < y->value.where ? -1 : x->value.where > y->value.where;
}

/* Sorted; of several values at one time the last counts. */
static int keep_samples(rlti_usda_parser *p, rlti_usd_property *property) {
    sample *list = p->samples.items;
    int count = p->samples.count, kept = 0, is_sorted = 1;
    for (int i = 1; i < count; i++)
        is_sorted &= list[i - 1].time < list[i].time;
    if (!is_sorted)
        qsort(list, (size_t)count, sizeof *list, compare_samples);
    double *times = rlti_arena_keep(p->arena, (size_t)count, sizeof *times);
    rlti_usd_value *values = rlti_arena_keep(p->arena, (size_t)count, sizeof *values);
    p->samples.count = 0;
    if (times == NULL || values == NULL)
        return rlti_usda_no_memory(&p->c);
    for (int i = 0; i < count; i++) {
        if (i + 1 < count && list[i + 1].time == list[i].time)
            continue;
        times[kept] = list[i].time;
        values[kept++] = list[i].value;
    }
    property->times = times;
    property->samples = values;
    property->sample_count = kept;
    return 1;
}

static int read_samples(rlti_usda_parser *p, rlti_array_type type, int index) {
    rlti_usda_cursor *c = &p->c;
    p->samples.count = 0;
    if (rlti_usda_peek(c) != '{') {
        rlti_usda_piece word = rlti_usda_word(c, 0);
        if (!rlti_usda_is(word, "None"))
            return rlti_usda_fail(c, word.at, "'{' is needed before time samples");
    } else {
        rlti_usda_accept(c, '{');
        while (rlti_usda_peek(c) != '}' && c->status == RLT_OK) {
            sample *made = rlti_usda_list_add(p, &p->samples, sizeof *made);
            const char *place = c->at;
            if (made == NULL || !rlti_usda_number(c, &made->time))
                return 0;
            if (!isfinite(made->time))
                return rlti_usda_fail(c, place, "a time must be finite");
            if (!rlti_usda_expect(c, ':', "after a time") || !note_value(p, type, &made->value))
                return 0;
            if (!rlti_usda_accept(c, ',') && rlti_usda_peek(c) != '}')
                return rlti_usda_fail(c, c->at, "',' or '}' is needed after a time sample");
        }
        if (!rlti_usda_expect(c, '}', "after the time samples"))
            return 0;
    }
    return keep_samples(p, &property_at(p, index)->made);
}

/* ---- statements ---- */

typedef struct statement {
    rlti_usda_piece name, type_name, suffix; /* suffix: what follows a '.' */
    rlti_usd_edit op;
    int is_custom, is_uniform, is_relationship;
    char array_name[48]; /* the type of an array, without blanks before its brackets */
} statement;

/* "custom uniform" and the like, then the type. */
static int read_type(rlti_usda_parser *p, rlti_usda_piece word, statement *s) {
    rlti_usda_cursor *c = &p->c;
    int is_op = 0;
    for (;; word = rlti_usda_word(c, 1)) {
        if (word.length == 0)
            return rlti_usda_fail(c, c->at, "a type and a name are needed");
        rlti_usd_edit op = rlti_usda_read_op(word, &is_op);
        if (is_op)
            s->op = op;
        else if (rlti_usda_is(word, "custom"))
            s->is_custom = 1;
        else if (rlti_usda_is(word, "uniform") || rlti_usda_is(word, "config"))
            s->is_uniform = 1;
        else if (!rlti_usda_is(word, "varying"))
            break;
    }
    s->type_name = word;
    s->is_relationship = rlti_usda_is(word, "rel");
    if (s->is_relationship)
        return 1;
    if (!rlti_usda_accept(c, '['))
        return 1;
    size_t length = word.length;
    if (length + 2 > sizeof s->array_name)
        return rlti_usda_fail(c, word.at, "the name of this type is too long");
    memcpy(s->array_name, word.at, length);
    memcpy(s->array_name + length, "[]", 2);
    s->type_name = (rlti_usda_piece){s->array_name, length + 2};
    return rlti_usda_expect(c, ']', "after '[' of a type");
}

static int read_name(rlti_usda_parser *p, statement *s) {
    rlti_usda_cursor *c = &p->c;
    s->name = rlti_usda_word(c, 1);
    if (s->name.length == 0)
        return rlti_usda_fail(c, c->at, "a name is needed");
    if (rlti_usda_has(c, c->at) && *c->at == '.') {
        c->at++;
        s->suffix = rlti_usda_word(c, 0);
        if (s->suffix.length == 0)
            return rlti_usda_fail(c, c->at, "timeSamples or connect is needed after '.'");
    }
    return 1;
}

/* Mappers of old files: x.mapper[</from>] = Name { ... } */
static int skip_mapper(rlti_usda_parser *p) {
    size_t commas;
    return (rlti_usda_peek(&p->c) != '[' || rlti_usda_skip_value(&p->c, &commas)) &&
           rlti_usda_expect(&p->c, '=', "after a mapper") && rlti_usda_skip_value(&p->c, &commas) &&
           (rlti_usda_peek(&p->c) != '{' || rlti_usda_skip_value(&p->c, &commas));
}

static int read_right_side(rlti_usda_parser *p, const statement *s, int prim, int index) {
    rlti_array_type type;
    size_t commas;
    if (s->is_relationship && s->suffix.length == 0)
        return read_target_list(p, prim, index, s->op);
    if (s->is_relationship)
        return rlti_usda_skip_value(&p->c, &commas);
    rlti_usd_type(s->type_name.at, s->type_name.length, &type);
    if (s->suffix.length == 0 || rlti_usda_is(s->suffix, "default"))
        return note_value(p, type, &property_at(p, index)->made.value);
    if (rlti_usda_is(s->suffix, "timeSamples"))
        return read_samples(p, type, index);
    if (rlti_usda_is(s->suffix, "connect"))
        return read_target_list(p, prim, index, s->op);
    if (!p->said_spline && rlti_usda_is(s->suffix, "spline"))
        rlti_warn(p->c.messages, "%s: %s.%.*s: animation splines are not read; bake them to time samples",
                  p->c.file, ((const rlti_usd_prim *)p->prims.items + prim)->path,
                  (int)(s->name.length < 80 ? s->name.length : 80), s->name.at);
    p->said_spline |= rlti_usda_is(s->suffix, "spline");
    return rlti_usda_skip_value(&p->c, &commas); /* splines and what comes after them */
}

int rlti_usda_property_statement(rlti_usda_parser *p, int prim, rlti_usda_piece word) {
    statement s = {.op = RLTI_USD_EXPLICIT};
    if (!read_type(p, word, &s) || !read_name(p, &s))
        return 0;
    int index = find_or_add(p, prim, s.name, s.is_relationship,
                            s.is_relationship ? (rlti_usda_piece){"", 0} : s.type_name);
    if (index < 0)
        return 0;
    property_at(p, index)->made.is_custom |= s.is_custom;
    property_at(p, index)->made.is_uniform |= s.is_uniform;
    if (rlti_usda_is(s.suffix, "mapper") && !skip_mapper(p))
        return 0;
    if (rlti_usda_accept(&p->c, '=') && !read_right_side(p, &s, prim, index))
        return 0;
    return !rlti_usda_accept(&p->c, '(') || rlti_usda_property_metadata(p, index);
}

/* ---- the end ---- */

int rlti_usda_finish_properties(rlti_usda_parser *p) {
    rlti_usd_prim *prims = p->prims.items;
    rlti_usda_property *list = p->properties.items;
    int count = p->properties.count;
    rlti_usd_property *made = rlti_arena_keep(p->arena, (size_t)count, sizeof *made);
    if (made == NULL)
        return rlti_usda_no_memory(&p->c);
    for (int i = 0; i < count; i++)
        prims[list[i].prim].property_count++;
    for (int i = 1; i < p->prims.count; i++)
        prims[i].first_property = prims[i - 1].first_property + prims[i - 1].property_count;
    for (int i = 0; i < p->prims.count; i++)
        prims[i].property_count = 0;
    for (int i = 0; i < count; i++) {
        rlti_usd_prim *prim = &prims[list[i].prim];
        made[prim->first_property + prim->property_count++] = list[i].made;
    }
    p->layer->properties = made;
    p->layer->property_count = count;
    return 1;
}
