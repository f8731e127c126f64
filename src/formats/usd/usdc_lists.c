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
enum { EXPLICIT, ADDED, PREPENDED, APPENDED, DELETED, ORDERED, PART_COUNT };
static const uint8_t part_bits[PART_COUNT] = {2, 4, 32, 64, 8, 16};

typedef struct parts {
    uint64_t at[PART_COUNT]; /* of the first item */
    uint64_t count[PART_COUNT];
} parts;

typedef int skipper(rlti_crate *crate, rlti_span *span);

static int skip_index(rlti_crate *crate, rlti_span *span) {
    (void)crate;
    return rlti_span_take(span, 4) != NULL;
}

static int find_parts(rlti_crate *crate, rlti_span *span, size_t minimum, skipper *skip, parts *found) {
    *found = (parts){0};
    uint8_t header = rlti_span_u8(span);
    for (int p = 0; p < PART_COUNT; p++) {
        if (!(header & part_bits[p]))
            continue;
        uint64_t count = rlti_span_u64(span);
        if (!rlti_span_has(span, count, minimum) || !rlti_crate_spend(crate, count))
            return 0;
        found->at[p] = span->at;
        found->count[p] = count;
        for (uint64_t i = 0; i < count; i++)
            if (!skip(crate, span))
                return 0;
    }
    return !span->failed;
}

/* Strongest first. */
static const int strength[] = {EXPLICIT, PREPENDED, ADDED, APPENDED};
enum { STRENGTHS = 4 };

/* Memory for the items of all that count, and how many these are; NULL: too many, or out of memory. */
static void *keep_items(rlti_crate *crate, const parts *found, size_t size, int *count) {
    uint64_t items = 0;
    for (int s = 0; s < STRENGTHS; s++)
        items += found->count[strength[s]];
    *count = items <= INT_MAX ? (int)items : 0;
    return items <= INT_MAX ? rlti_arena_keep(&crate->arena, (size_t)items, size) : NULL;
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

static int read_edited(rlti_crate *crate, uint64_t rep, rlti_crate_item item, int *count,
                       const char *const **texts) {
    rlti_span span = span_at(crate, RLTI_REP_PAYLOAD(rep));
    parts found;
    if (!find_parts(crate, &span, 4, skip_index, &found))
        return 0;
    const char **list = keep_items(crate, &found, sizeof *list, count);
    uint64_t done = 0;
    for (int s = 0; list != NULL && s < STRENGTHS; s++) {
        span = span_at(crate, found.at[strength[s]]);
        if (!take_texts(crate, &span, item, found.count[strength[s]], list + done))
            return 0;
        done += found.count[strength[s]];
    }
    *texts = list;
    return list != NULL;
}

int rlti_crate_texts(rlti_crate *crate, uint64_t rep, int *count, const char *const **texts) {
    static const struct {
        int type;
        rlti_crate_item item;
        int (*read)(rlti_crate *crate, uint64_t rep, rlti_crate_item item, int *count,
                    const char *const **texts);
    } kinds[] = {{RLTI_CRATE_TOKEN_VECTOR, RLTI_ITEM_TOKEN, read_vector},
                 {RLTI_CRATE_STRING_VECTOR, RLTI_ITEM_STRING, read_vector},
                 {RLTI_CRATE_PATH_VECTOR, RLTI_ITEM_PATH, read_vector},
                 {RLTI_CRATE_TOKEN_LIST, RLTI_ITEM_TOKEN, read_edited},
                 {RLTI_CRATE_STRING_LIST, RLTI_ITEM_STRING, read_edited},
                 {RLTI_CRATE_PATH_LIST, RLTI_ITEM_PATH, read_edited}};
    rep = rlti_crate_resolve(crate, rep);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if ((int)RLTI_REP_TYPE(rep) == kinds[i].type)
            return kinds[i].read(crate, rep, kinds[i].item, count, texts);
    return 0;
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

const char *rlti_crate_entry(rlti_crate *crate, uint64_t rep, const char *key) {
    rep = rlti_crate_resolve(crate, rep);
    if (RLTI_REP_TYPE(rep) != RLTI_CRATE_DICTIONARY || rep & (RLTI_REP_ARRAY | RLTI_REP_INLINED))
        return NULL;
    rlti_span span = span_at(crate, RLTI_REP_PAYLOAD(rep));
    uint64_t count = rlti_span_u64(&span), value;
    uint32_t name;
    if (!rlti_span_has(&span, count, 4) || !rlti_crate_spend(crate, count))
        return NULL;
    for (uint64_t i = 0; i < count && take_entry(&span, &name, &value); i++) {
        const char *found = rlti_crate_string(crate, name);
        if (found != NULL && strcmp(found, key) == 0)
            return rlti_crate_text(crate, value);
    }
    return NULL;
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

int rlti_crate_arcs(rlti_crate *crate, uint64_t rep, int *count, const rlti_usd_arc **arcs) {
    rep = rlti_crate_resolve(crate, rep);
    int type = RLTI_REP_TYPE(rep), is_reference = type == RLTI_CRATE_REFERENCE_LIST;
    rlti_span span = span_at(crate, RLTI_REP_PAYLOAD(rep));
    parts found = {.at = {[EXPLICIT] = RLTI_REP_PAYLOAD(rep)}, .count = {[EXPLICIT] = 1}};
    if (type == RLTI_CRATE_PAYLOAD) {
        if (!rlti_crate_spend(crate, 1))
            return 0;
    } else if (!is_reference && type != RLTI_CRATE_PAYLOAD_LIST) {
        return 0;
    } else if (!find_parts(crate, &span, 8, is_reference ? skip_reference : skip_payload, &found)) {
        return 0;
    }
    rlti_usd_arc *list = keep_items(crate, &found, sizeof *list, count), *next = list;
    for (int s = 0; list != NULL && s < STRENGTHS; s++) {
        span = span_at(crate, found.at[strength[s]]);
        for (uint64_t i = 0; i < found.count[strength[s]]; i++)
            if (!take_arc(crate, &span, is_reference, next++))
                return 0;
    }
    *arcs = list;
    return list != NULL;
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

int rlti_crate_variant_selection(rlti_crate *crate, uint64_t rep, int *count, const char **first) {
    rep = rlti_crate_resolve(crate, rep);
    if (RLTI_REP_TYPE(rep) != RLTI_CRATE_VARIANT_SELECTION)
        return 0;
    rlti_span span = span_at(crate, RLTI_REP_PAYLOAD(rep));
    uint64_t items = rlti_span_u64(&span);
    if (!rlti_span_has(&span, items, 8) || items > INT_MAX)
        return 0;
    *count = (int)items;
    if (items > 0)
        *first = rlti_crate_string(crate, rlti_span_u32(&span));
    return items == 0 || *first != NULL;
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
