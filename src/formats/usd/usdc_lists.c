/* Lists of a crate's metadata: names, targets, references, time samples. A file may name one list many times;
 * rlti_crate_spend keeps a small file from making much of that. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "formats/usd/usdc_crate.h"

static rlti_span span_at(const rlti_crate *crate, uint64_t at) {
    rlti_span span = {.bytes = crate->bytes, .size = crate->size, .pages = crate->pages};
    rlti_span_seek(&span, at);
    return span;
}

/* ---- edited lists ---- */

/* Bits of the header, in the order in which the lists follow. */
static const uint8_t edit_bits[RLTI_USD_EDITS] = {2, 4, 32, 64, 8, 16};

typedef struct parts {
    int is_explicit;
    uint64_t at[RLTI_USD_EDITS]; /* of the first item */
    uint64_t count[RLTI_USD_EDITS];
} parts;

typedef int skipper(rlti_crate *crate, rlti_span *span);

static int skip_index(rlti_crate *crate, rlti_span *span) {
    (void)crate;
    return rlti_span_take(span, 4) != NULL;
}

static int find_parts(rlti_crate *crate, rlti_span *span, size_t minimum, skipper *skip, parts *found) {
    *found = (parts){0};
    uint8_t header = rlti_span_u8(span);
    found->is_explicit = (header & 3) != 0; /* one bit says so, the other that there are items */
    for (int p = 0; p < RLTI_USD_EDITS; p++) {
        if (!(header & edit_bits[p]))
            continue;
        uint64_t count = rlti_span_u64(span);
        if (!rlti_span_has(span, count, minimum) || count > INT_MAX || !rlti_crate_spend(crate, count))
            return 0;
        found->at[p] = span->at;
        found->count[p] = count;
        for (uint64_t i = 0; i < count; i++)
            if (!skip(crate, span))
                return 0;
    }
    return !span->failed;
}

/* ---- texts ---- */

static const char *text_of(rlti_crate *crate, rlti_crate_item item, uint32_t index) {
    switch (item) {
    case RLTI_ITEM_TOKEN:
        return rlti_crate_token(crate, index);
    case RLTI_ITEM_STRING:
        return rlti_crate_string(crate, index);
    default:
        return rlti_crate_path_text(crate, index);
    }
}

static int take_texts(rlti_crate *crate, rlti_span *span, rlti_crate_item item, uint64_t count,
                      const char **texts) {
    for (uint64_t i = 0; i < count; i++) {
        texts[i] = text_of(crate, item, rlti_span_u32(span));
        if (span->failed || texts[i] == NULL)
            return 0;
    }
    return 1;
}

static int read_vector(rlti_crate *crate, uint64_t rep, rlti_crate_item item, int *count,
                       const char *const **texts) {
    rlti_span span = span_at(crate, RLTI_REP_PAYLOAD(rep));
    uint64_t items = rlti_span_u64(&span);
    if (!rlti_span_has(&span, items, 4) || items > INT_MAX || !rlti_crate_spend(crate, items))
        return 0;
    const char **list = rlti_arena_keep(&crate->arena, (size_t)items, sizeof *list);
    if (list == NULL || !take_texts(crate, &span, item, items, list))
        return 0;
    *count = (int)items;
    *texts = list;
    return 1;
}

int rlti_crate_texts(rlti_crate *crate, uint64_t rep, int *count, const char *const **texts) {
    rep = rlti_crate_resolve(crate, rep);
    switch (RLTI_REP_TYPE(rep)) {
    case RLTI_CRATE_TOKEN_VECTOR:
        return read_vector(crate, rep, RLTI_ITEM_TOKEN, count, texts);
    case RLTI_CRATE_STRING_VECTOR:
        return read_vector(crate, rep, RLTI_ITEM_STRING, count, texts);
    case RLTI_CRATE_PATH_VECTOR:
        return read_vector(crate, rep, RLTI_ITEM_PATH, count, texts);
    default:
        return 0;
    }
}

static int read_edited(rlti_crate *crate, uint64_t rep, rlti_crate_item item, rlti_usd_list *list) {
    rlti_span span = span_at(crate, RLTI_REP_PAYLOAD(rep));
    parts found;
    if (!find_parts(crate, &span, 4, skip_index, &found))
        return 0;
    list->is_explicit = found.is_explicit;
    for (int e = 0; e < RLTI_USD_EDITS; e++) {
        const char **texts = rlti_arena_keep(&crate->arena, (size_t)found.count[e], sizeof *texts);
        span = span_at(crate, found.at[e]);
        if (texts == NULL || !take_texts(crate, &span, item, found.count[e], texts))
            return 0;
        list->edits[e] = (rlti_usd_items){(int)found.count[e], texts};
    }
    return 1;
}

int rlti_crate_text_list(rlti_crate *crate, uint64_t rep, const rlti_usd_list **list) {
    static const struct {
        int type;
        rlti_crate_item item;
    } kinds[] = {{RLTI_CRATE_TOKEN_LIST, RLTI_ITEM_TOKEN},
                 {RLTI_CRATE_STRING_LIST, RLTI_ITEM_STRING},
                 {RLTI_CRATE_PATH_LIST, RLTI_ITEM_PATH}};
    rlti_usd_list *made = rlti_arena_keep(&crate->arena, 1, sizeof *made);
    int count;
    const char *const *texts;
    rep = rlti_crate_resolve(crate, rep);
    *list = made;
    for (size_t i = 0; made != NULL && i < sizeof kinds / sizeof kinds[0]; i++)
        if (RLTI_REP_TYPE(rep) == kinds[i].type)
            return read_edited(crate, rep, kinds[i].item, made);
    if (made == NULL || !rlti_crate_texts(crate, rep, &count, &texts)) /* a plain list in older files */
        return 0;
    made->is_explicit = 1;
    made->edits[RLTI_USD_EXPLICIT] = (rlti_usd_items){count, texts};
    return 1;
}

int rlti_crate_token_vector(rlti_crate *crate, uint64_t rep, rlti_span *items, size_t *count) {
    rep = rlti_crate_resolve(crate, rep);
    if (RLTI_REP_TYPE(rep) != RLTI_CRATE_TOKEN_VECTOR)
        return 0;
    *items = span_at(crate, RLTI_REP_PAYLOAD(rep));
    uint64_t number = rlti_span_u64(items);
    if (!rlti_span_has(items, number, 4) || !rlti_crate_spend(crate, number))
        return 0;
    *count = (size_t)number;
    return 1;
}

/* ---- references and payloads ---- */

/* One entry: its key, and the rep of its value, which comes after the value itself. */
static int take_entry(rlti_span *span, uint32_t *key, uint64_t *rep) {
    *key = rlti_span_u32(span);
    uint64_t at = span->at, jump = rlti_span_u64(span);
    rlti_span_seek(span, at + jump);
    *rep = rlti_span_u64(span);
    return !span->failed;
}

static int skip_dictionary(rlti_crate *crate, rlti_span *span) {
    uint64_t count = rlti_span_u64(span), rep;
    uint32_t key;
    if (!rlti_span_has(span, count, 4) || !rlti_crate_spend(crate, count))
        return 0;
    for (uint64_t i = 0; i < count; i++)
        if (!take_entry(span, &key, &rep))
            return 0;
    return 1;
}

int rlti_crate_dictionary(rlti_crate *crate, uint64_t rep, rlti_crate_visit *visit, void *context) {
    rep = rlti_crate_resolve(crate, rep);
    if (RLTI_REP_TYPE(rep) != RLTI_CRATE_DICTIONARY || rep & (RLTI_REP_ARRAY | RLTI_REP_INLINED))
        return 0;
    rlti_span span = span_at(crate, RLTI_REP_PAYLOAD(rep));
    uint64_t count = rlti_span_u64(&span), value;
    uint32_t name;
    if (!rlti_span_has(&span, count, 4) || !rlti_crate_spend(crate, count))
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        const char *key = take_entry(&span, &name, &value) ? rlti_crate_string(crate, name) : NULL;
        if (key == NULL || !visit(crate, key, value, context))
            return 0;
    }
    return 1;
}

typedef struct wanted {
    const char *key, *text;
} wanted;

static int find_text(rlti_crate *crate, const char *key, uint64_t rep, void *context) {
    wanted *w = context;
    if (w->text == NULL && strcmp(key, w->key) == 0)
        w->text = rlti_crate_text(crate, rep);
    return 1;
}

const char *rlti_crate_entry(rlti_crate *crate, uint64_t rep, const char *key) {
    wanted w = {key, NULL};
    (void)rlti_crate_dictionary(crate, rep, find_text, &w);
    return w.text;
}

static int take_arc(rlti_crate *crate, rlti_span *span, int is_reference, rlti_usd_arc *arc) {
    uint32_t asset = rlti_span_u32(span), path = rlti_span_u32(span);
    double offset = 0.0, scale = 1.0;
    if (is_reference || crate->version >= 800) {
        offset = rlti_span_double(span);
        scale = rlti_span_double(span);
    }
    if (span->failed || (is_reference && !skip_dictionary(crate, span)))
        return 0;
    if (arc == NULL)
        return 1;
    arc->asset = rlti_crate_string(crate, asset);
    /* no path is written as an index that leads nowhere, or as one that has no name */
    arc->prim_path = path < crate->path_count ? rlti_crate_path_text(crate, path) : "";
    if (arc->prim_path == NULL || strcmp(arc->prim_path, "/") == 0)
        arc->prim_path = "";
    arc->offset = isfinite(offset) ? offset : 0.0;
    arc->scale = isfinite(scale) ? scale : 1.0;
    return arc->asset != NULL;
}

static int skip_reference(rlti_crate *crate, rlti_span *span) {
    return take_arc(crate, span, 1, NULL);
}

static int skip_payload(rlti_crate *crate, rlti_span *span) {
    return take_arc(crate, span, 0, NULL);
}

int rlti_crate_arc_list(rlti_crate *crate, uint64_t rep, const rlti_usd_list **list) {
    rep = rlti_crate_resolve(crate, rep);
    int type = RLTI_REP_TYPE(rep), is_reference = type == RLTI_CRATE_REFERENCE_LIST;
    rlti_span span = span_at(crate, RLTI_REP_PAYLOAD(rep));
    parts found = {.is_explicit = 1,
                   .at = {[RLTI_USD_EXPLICIT] = RLTI_REP_PAYLOAD(rep)},
                   .count = {[RLTI_USD_EXPLICIT] = 1}};
    if (type == RLTI_CRATE_PAYLOAD) {
        if (!rlti_crate_spend(crate, 1))
            return 0;
    } else if (!is_reference && type != RLTI_CRATE_PAYLOAD_LIST) {
        return 0;
    } else if (!find_parts(crate, &span, 8, is_reference ? skip_reference : skip_payload, &found)) {
        return 0;
    }
    rlti_usd_list *made = rlti_arena_keep(&crate->arena, 1, sizeof *made);
    *list = made;
    if (made == NULL)
        return 0;
    made->is_explicit = found.is_explicit;
    for (int e = 0; e < RLTI_USD_EDITS; e++) {
        rlti_usd_arc *arcs = rlti_arena_keep(&crate->arena, (size_t)found.count[e], sizeof *arcs);
        if (arcs == NULL)
            return 0;
        made->edits[e] = (rlti_usd_items){(int)found.count[e], arcs};
        span = span_at(crate, found.at[e]);
        for (uint64_t i = 0; i < found.count[e]; i++)
            if (!take_arc(crate, &span, is_reference, &arcs[i]))
                return 0;
    }
    return 1;
}

int rlti_crate_layer_offsets(rlti_crate *crate, uint64_t rep, rlti_usd_arc *arcs, int count) {
    rep = rlti_crate_resolve(crate, rep);
    if (RLTI_REP_TYPE(rep) != RLTI_CRATE_LAYER_OFFSETS)
        return 0;
    rlti_span span = span_at(crate, RLTI_REP_PAYLOAD(rep));
    uint64_t items = rlti_span_u64(&span);
    if (!rlti_span_has(&span, items, 16))
        return 0;
    for (uint64_t i = 0; i < items && i < (uint64_t)count; i++) {
        double offset = rlti_span_double(&span), scale = rlti_span_double(&span);
        arcs[i].offset = isfinite(offset) ? offset : 0.0;
        arcs[i].scale = isfinite(scale) ? scale : 1.0;
    }
    return 1;
}

int rlti_crate_selections(rlti_crate *crate, uint64_t rep, int *count, const rlti_usd_selection **list) {
    rep = rlti_crate_resolve(crate, rep);
    if (RLTI_REP_TYPE(rep) != RLTI_CRATE_VARIANT_SELECTION)
        return 0;
    rlti_span span = span_at(crate, RLTI_REP_PAYLOAD(rep));
    uint64_t items = rlti_span_u64(&span);
    if (!rlti_span_has(&span, items, 8) || items > INT_MAX || !rlti_crate_spend(crate, items))
        return 0;
    rlti_usd_selection *made = rlti_arena_keep(&crate->arena, (size_t)items, sizeof *made);
    for (uint64_t i = 0; made != NULL && i < items; i++) {
        made[i].set = rlti_crate_string(crate, rlti_span_u32(&span));
        made[i].variant = rlti_crate_string(crate, rlti_span_u32(&span));
        if (made[i].set == NULL || made[i].variant == NULL)
            return 0;
    }
    *count = (int)items;
    *list = made;
    return made != NULL;
}

int rlti_crate_relocates(rlti_crate *crate, uint64_t rep, int *count, const rlti_usd_relocate **list) {
    rep = rlti_crate_resolve(crate, rep);
    if (RLTI_REP_TYPE(rep) != RLTI_CRATE_RELOCATES)
        return 0;
    rlti_span span = span_at(crate, RLTI_REP_PAYLOAD(rep));
    uint64_t items = rlti_span_u64(&span);
    if (!rlti_span_has(&span, items, 8) || items > INT_MAX || !rlti_crate_spend(crate, items))
        return 0;
    rlti_usd_relocate *made = rlti_arena_keep(&crate->arena, (size_t)items, sizeof *made);
    for (uint64_t i = 0; made != NULL && i < items; i++) {
        made[i].source = rlti_crate_path_text(crate, rlti_span_u32(&span));
        uint32_t target = rlti_span_u32(&span);
        made[i].target = target < crate->path_count ? rlti_crate_path_text(crate, target) : "";
        if (made[i].source == NULL || made[i].target == NULL)
            return 0;
    }
    *count = (int)items;
    *list = made;
    return made != NULL;
}

/* ---- time samples ---- */

static const double *take_times(rlti_crate *crate, uint64_t rep, uint64_t *count) {
    rep = rlti_crate_resolve(crate, rep);
    if (crate->times != NULL && crate->times_rep == rep) {
        *count = crate->time_count;
        return crate->times;
    }
    rlti_span span = span_at(crate, RLTI_REP_PAYLOAD(rep));
    *count = RLTI_REP_TYPE(rep) == RLTI_CRATE_DOUBLE_VECTOR ? rlti_span_u64(&span) : 0;
    if (!rlti_span_has(&span, *count, 8) || *count > INT_MAX || !rlti_crate_spend(crate, *count))
        return NULL;
    double *times = rlti_arena_keep(&crate->arena, (size_t)*count, sizeof *times);
    for (uint64_t i = 0; times != NULL && i < *count; i++) {
        times[i] = rlti_span_double(&span);
        if (!isfinite(times[i]) || (i > 0 && !(times[i] > times[i - 1])))
            return NULL;
    }
    crate->times = times;
    crate->times_rep = rep;
    crate->time_count = *count;
    return times;
}

int rlti_crate_time_samples(rlti_crate *crate, uint64_t rep, int *count, const double **times,
                            rlti_span *reps) {
    rep = rlti_crate_resolve(crate, rep);
    if (RLTI_REP_TYPE(rep) != RLTI_CRATE_TIME_SAMPLES)
        return 0;
    rlti_span span = span_at(crate, RLTI_REP_PAYLOAD(rep));
    uint64_t at = span.at, jump = rlti_span_u64(&span), number = 0;
    rlti_span_seek(&span, at + jump);
    uint64_t times_rep = rlti_span_u64(&span);
    if (span.failed)
        return 0;
    *times = take_times(crate, times_rep, &number);
    at = span.at;
    jump = rlti_span_u64(&span);
    rlti_span_seek(&span, at + jump);
    uint64_t values = rlti_span_u64(&span);
    if (span.failed || *times == NULL || values != number || !rlti_span_has(&span, values, 8) ||
        !rlti_crate_spend(crate, number))
        return 0;
    *count = (int)number;
    *reps = span;
    return 1;
}
