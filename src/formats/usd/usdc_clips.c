/* Value clips of a prim in a crate. */
#include <limits.h>
#include <string.h>

#include "formats/usd/usdc_crate.h"

/* Reads the value of a key as this type; 0 where it is something else. */
static int read_as(const rlti_crate *crate, uint64_t rep, rlti_element element, int arity,
                   rlti_array *value) {
    rlti_array_type type;
    rep = rlti_crate_resolve(crate, rep);
    return rlti_crate_array_type(rep, &type) && type.element == element && type.arity == arity &&
           rlti_crate_read_value(crate, rep, type, NULL, value) == RLT_OK && !value->blocked &&
           value->count <= INT_MAX;
}

static int read_texts(rlti_crate *crate, uint64_t rep, int *count, const char *const **texts) {
    rlti_array value = {0};
    const char **list = NULL;
    if (read_as(crate, rep, RLTI_TEXT, 1, &value) && rlti_crate_spend(crate, value.count)) {
        list = rlti_arena_keep(&crate->arena, value.count, sizeof *list);
        if (list != NULL && value.count > 0)
            memcpy(list, value.data, value.count * sizeof *list); /* the texts are the crate's */
        *count = list != NULL ? (int)value.count : 0;
        *texts = list;
    }
    rlti_array_clear(&value);
    return list != NULL;
}

static int read_pairs(rlti_crate *crate, uint64_t rep, int *count, const double (**pairs)[2]) {
    rlti_array value = {0};
    double(*list)[2] = NULL;
    if (read_as(crate, rep, RLTI_DOUBLE, 2, &value) && rlti_crate_spend(crate, value.count)) {
        list = rlti_arena_keep(&crate->arena, value.count, sizeof *list);
        if (list != NULL && value.count > 0)
            memcpy(list, value.data, value.count * sizeof *list);
        *count = list != NULL ? (int)value.count : 0;
        *pairs = (const double(*)[2])list;
    }
    rlti_array_clear(&value);
    return list != NULL;
}

static int read_key(rlti_crate *crate, const char *key, uint64_t rep, void *context) {
    rlti_usd_clips *clips = context;
    const char *text = rlti_crate_text(crate, rep);
    if (strcmp(key, "assetPaths") == 0)
        return read_texts(crate, rep, &clips->asset_count, &clips->assets);
    if (strcmp(key, "active") == 0)
        return read_pairs(crate, rep, &clips->active_count, &clips->active);
    if (strcmp(key, "times") == 0)
        return read_pairs(crate, rep, &clips->time_count, &clips->times);
    if (strcmp(key, "primPath") == 0)
        clips->prim_path = text != NULL ? text : "";
    else if (strcmp(key, "templateAssetPath") == 0)
        clips->template_asset = text != NULL ? text : "";
    else if (strcmp(key, "templateStartTime") == 0)
        (void)rlti_crate_number(crate, rep, &clips->template_start);
    else if (strcmp(key, "templateEndTime") == 0)
        (void)rlti_crate_number(crate, rep, &clips->template_end);
    else if (strcmp(key, "templateStride") == 0)
        (void)rlti_crate_number(crate, rep, &clips->template_stride);
    return 1;
}

static int count_entry(rlti_crate *crate, const char *key, uint64_t rep, void *context) {
    (void)crate;
    (void)key;
    (void)rep;
    return ++*(int *)context < INT_MAX;
}

static int read_set(rlti_crate *crate, const char *key, uint64_t rep, void *context) {
    rlti_usd_clips **next = context, *clips = (*next)++;
    *clips = (rlti_usd_clips){.name = key, .prim_path = "", .template_asset = ""};
    return rlti_crate_dictionary(crate, rep, read_key, clips);
}

int rlti_crate_clips(rlti_crate *crate, uint64_t rep, int *count, const rlti_usd_clips **list) {
    int sets = 0;
    if (!rlti_crate_dictionary(crate, rep, count_entry, &sets))
        return 0;
    rlti_usd_clips *made = rlti_arena_keep(&crate->arena, (size_t)sets, sizeof *made), *next = made;
    if (made == NULL || !rlti_crate_dictionary(crate, rep, read_set, &next))
        return 0;
    *count = sets;
    *list = made;
    return 1;
}
