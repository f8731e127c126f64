/* Value clips: files that hold the samples of a prim and of those below it, each for a part of the time. They
 * are weaker than the layers that name them, and stronger than what those reference. Samples of all clips
 * make one list here, so that values between two clips are blended where OpenUSD holds the earlier. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usd_node.h"
#include "formats/usd/usd_stage.h"

enum { CLIPS_MAX = 4000 };

struct rlti_usd_clip_set {
    const char *anchor;          /* path in the stage of the prim that has them */
    const rlti_usd_stack *stack; /* whose layers are stronger */
    const rlti_usd_clips *clips;
    double offset, scale; /* time of the stage = scale * time of the layer + offset */
    int count;
    int *layers; /* [count] of the list of layers; -1: cannot be had */
    int active_count, time_count;
    const double (*active)[2], (*times)[2];
};

/* ---- which files ---- */

/* "clip.###.usda" or "clip.###.##.usda" at a time; NULL when out of memory, "" where it is no such name. */
static const char *name_at(rlti_arena *arena, const char *name, double time) {
    size_t before = strcspn(name, "#"), whole = strspn(name + before, "#"), part = 0;
    const char *behind = name + before + whole;
    if (behind[0] == '.' && behind[1] == '#')
        part = strspn(behind + 1, "#");
    if (whole == 0 || whole > 20 || part > 9)
        return "";
    char number[64];
    if (part > 0)
        snprintf(number, sizeof number, "%0*.*f", (int)(whole + 1 + part), (int)part, time);
    else
        snprintf(number, sizeof number, "%0*.0f", (int)whole, time);
    char *start = rlti_arena_text(arena, name, before);
    return start == NULL ? NULL : rlti_arena_join(arena, start, number, behind + (part > 0 ? part + 1 : 0));
}

/* Files and times that a template stands for; 0 when out of memory. */
static int expand_template(rlti_arena *arena, const rlti_usd_clips *from, rlti_usd_clips *to) {
    double span = from->template_end - from->template_start;
    if (!(from->template_stride > 0.0) || !(span >= 0.0) || !(span / from->template_stride < CLIPS_MAX))
        return 1;
    int count = (int)floor(span / from->template_stride + 1e-9) + 1;
    const char **assets = rlti_arena_keep(arena, (size_t)count, sizeof *assets);
    double(*active)[2] = rlti_arena_keep(arena, (size_t)count, sizeof *active);
    double(*times)[2] = rlti_arena_keep(arena, (size_t)count, sizeof *times);
    if (assets == NULL || active == NULL || times == NULL)
        return 0;
    for (int i = 0; i < count; i++) {
        double time = from->template_start + i * from->template_stride;
        assets[i] = name_at(arena, from->template_asset, time);
        if (assets[i] == NULL)
            return 0;
        active[i][0] = times[i][0] = times[i][1] = time;
        active[i][1] = i;
    }
    to->assets = assets;
    to->asset_count = to->active_count = to->time_count = count;
    to->active = (const double(*)[2])active;
    to->times = (const double(*)[2])times;
    return 1;
}

static int member_index(const rlti_usd_site *site) {
    const rlti_usd_stack *stack = site->node->stack;
    for (int i = 0; i < stack->count; i++)
        if (stack->members[i].layer == site->layer)
            return stack->members[i].index;
    return 0;
}

static rlt_status open_files(rlti_usd_own *own, const rlti_usd_site *site, const rlti_usd_clips *clips,
                             rlt_messages *messages, rlti_usd_clip_set *set) {
    char *start = rlti_arena_join(&own->arena, site->layer->file, ": ", site->prim->path);
    set->layers = rlti_arena_keep(&own->arena, (size_t)clips->asset_count, sizeof *set->layers);
    if (start == NULL || set->layers == NULL)
        return rlti_out_of_memory(messages);
    set->count = clips->asset_count;
    for (int i = 0; i < set->count; i++) {
        const rlti_usd_stack *stack = NULL;
        char *place = rlti_arena_join(&own->arena, start, ": value clip ", clips->assets[i]);
        if (place == NULL)
            return rlti_out_of_memory(messages);
        rlt_status status =
            clips->assets[i][0] == '\0'
                ? RLT_BAD_INPUT
                : rlti_usd_layers_stack(own->layers, member_index(site), clips->assets[i], place,
                                        clips->template_asset[0] == '\0' ? messages : NULL, &stack);
        if (status == RLT_FAILED)
            return status;
        set->layers[i] = stack != NULL ? stack->root : -1;
    }
    return RLT_OK;
}

rlt_status rlti_usd_clips_open(rlti_usd_own *own, int prim, rlt_messages *messages) {
    const rlti_usd_composed_prim *composed = &own->composed.prims[prim];
    own->clips[prim] = composed->parent >= 0 ? own->clips[composed->parent] : NULL;
    for (int s = 0; s < composed->site_count; s++) {
        const rlti_usd_site *site = &composed->sites[s];
        if (site->prim->clip_count == 0)
            continue;
        rlti_usd_clip_set *set = rlti_arena_keep(&own->arena, 1, sizeof *set);
        rlti_usd_clips clips = site->prim->clips[0];
        if (set == NULL || (clips.template_asset[0] != '\0' && clips.asset_count == 0 &&
                            !expand_template(&own->arena, &clips, &clips)))
            return rlti_out_of_memory(messages);
        *set = (rlti_usd_clip_set){.anchor = composed->path,
                                   .stack = site->node->stack,
                                   .clips = &site->prim->clips[0],
                                   .offset = site->offset,
                                   .scale = site->scale,
                                   .active_count = clips.active_count,
                                   .time_count = clips.time_count,
                                   .active = clips.active,
                                   .times = clips.times};
        own->clips[prim] = set;
        if (clips.asset_count > CLIPS_MAX || clips.prim_path[0] != '/') {
            rlti_warn(messages, "%s: %s: value clips: %s; left out", site->layer->file, site->prim->path,
                      clips.prim_path[0] != '/' ? "primPath is needed" : "too many files");
            return RLT_OK;
        }
        return open_files(own, site, &clips, messages, set);
    }
    return RLT_OK;
}

int rlti_usd_clips_place(const rlti_usd_own *own, int prim) {
    const rlti_usd_composed_prim *composed = &own->composed.prims[prim];
    int place = -1;
    for (int s = 0; s < composed->site_count; s++) {
        const rlti_usd_node *node = composed->sites[s].node;
        int is_below = 0;
        for (const rlti_usd_node *n = node->parent; n != NULL; n = n->parent)
            is_below |= n->stack == own->clips[prim]->stack && n->stack != node->stack;
        if (!is_below)
            place = s;
    }
    return place;
}

/* ---- samples ---- */

typedef struct clip_sample {
    double time;
    const rlti_usd_layer *layer;
    const rlti_usd_value *value;
} clip_sample;

typedef struct gathering {
    int count, capacity;
    clip_sample *list;
    int failed;
} gathering;

/* The property in a clip, or NULL. */
static const rlti_usd_property *find_property(rlti_usd_own *own, const rlti_usd_clip_set *set, int layer,
                                              const char *path, const char *name) {
    const rlti_usd_layer *from = rlti_usd_layers_get(own->layers, layer);
    int prim = -1;
    const char *const parts[] = {set->clips->prim_path, path + strlen(set->anchor)};
    for (int i = 0; i < 2; i++)
        for (const char *p = parts[i]; *p == '/' && p[1] != '\0';) {
            size_t length = strcspn(p + 1, "/");
            char *one = rlti_arena_text(&own->arena, p + 1, length);
            prim = one != NULL ? rlti_usd_layers_child(own->layers, layer, prim, one) : -1;
            if (prim < 0)
                return NULL;
            p += 1 + length;
        }
    for (int i = 0; prim >= 0 && i < from->prims[prim].property_count; i++) {
        const rlti_usd_property *p = &from->properties[from->prims[prim].first_property + i];
        if (strcmp(p->name, name) == 0)
            return p;
    }
    return NULL;
}

/* Notes one sample where its clip counts at that time. */
static void note(const rlti_usd_clip_set *set, int interval, double time, clip_sample sample, gathering *g) {
    int is_first = interval == 0, is_last = interval + 1 >= set->active_count;
    if ((!is_first && time < set->active[interval][0]) ||
        (!is_last && time >= set->active[interval + 1][0]) || !isfinite(time))
        return;
    if (g->count >= g->capacity) {
        g->failed = 1;
        return;
    }
    sample.time = set->scale * time + set->offset;
    g->list[g->count++] = sample;
}

static void gather_clip(const rlti_usd_clip_set *set, int interval, const rlti_usd_layer *layer,
                        const rlti_usd_property *p, gathering *g) {
    for (int i = 0; i < p->sample_count; i++) {
        clip_sample sample = {0.0, layer, &p->samples[i]};
        double inner = p->times[i];
        if (set->time_count < 2)
            note(set, interval, set->time_count == 0 ? inner : inner - set->times[0][1] + set->times[0][0],
                 sample, g);
        for (int k = 0; k + 1 < set->time_count; k++) {
            const double *a = set->times[k], *b = set->times[k + 1];
            int is_last = k + 2 == set->time_count;
            double share = b[1] != a[1] ? (inner - a[1]) / (b[1] - a[1]) : inner == a[1] ? 0.0 : -1.0;
            if (share >= 0.0 && (share < 1.0 || (is_last && share <= 1.0)))
                note(set, interval, a[0] + share * (b[0] - a[0]), sample, g);
        }
    }
}

static int compare_samples(const void *a, const void *b) {
    double x = ((const clip_sample *)a)->time, y = ((const clip_sample *)b)->time;
    return (x > y) - (x < y);
}

/* The list as a property has it; 0 when out of memory. */
static int keep(rlti_usd_own *own, gathering *g, rlti_usd_resolved *to) {
    qsort(g->list, (size_t)g->count, sizeof *g->list, compare_samples);
    rlti_usd_property *made = rlti_arena_keep(&own->arena, 1, sizeof *made);
    double *times = rlti_arena_keep(&own->arena, (size_t)g->count, sizeof *times);
    rlti_usd_value *values = rlti_arena_keep(&own->arena, (size_t)g->count, sizeof *values);
    const rlti_usd_layer **layers = rlti_arena_keep(&own->arena, (size_t)g->count, sizeof *layers);
    if (made == NULL || times == NULL || values == NULL || layers == NULL)
        return 0;
    for (int i = 0; i < g->count; i++) {
        if (made->sample_count > 0 && times[made->sample_count - 1] == g->list[i].time)
            continue;
        times[made->sample_count] = g->list[i].time;
        values[made->sample_count] = *g->list[i].value;
        layers[made->sample_count++] = g->list[i].layer;
    }
    made->times = times;
    made->samples = values;
    to->samples = made;
    to->sample_layers = layers;
    to->sample_layer = layers[0];
    to->offset = 0.0;
    to->scale = 1.0;
    return 1;
}

rlt_status rlti_usd_clips_apply(rlti_usd_own *own, int prim, rlti_usd_resolved *to, rlt_messages *messages) {
    const rlti_usd_clip_set *set = own->clips[prim];
    const char *path = own->composed.prims[prim].path;
    gathering g = {0};
    if (!rlti_usd_has_prefix(path, set->anchor))
        return RLT_OK;
    for (int pass = 0; pass < 2; pass++) { /* counts, then gathers */
        size_t maximum = 0;
        for (int i = 0; i < set->active_count; i++) {
            double number = set->active[i][1];
            int layer = number >= 0.0 && number < set->count ? set->layers[(int)number] : -1;
            const rlti_usd_property *p = layer >= 0 ? find_property(own, set, layer, path, to->name) : NULL;
            if (p == NULL || p->sample_count == 0)
                continue;
            maximum += (size_t)p->sample_count * (set->time_count > 1 ? (size_t)set->time_count : 1);
            if (pass == 1)
                gather_clip(set, i, rlti_usd_layers_get(own->layers, layer), p, &g);
        }
        if (maximum == 0)
            return RLT_OK;
        if (pass == 0) {
            g.capacity = maximum < 10000000 ? (int)maximum : 10000000;
            g.list = RLTI_NEW(clip_sample, g.capacity);
            if (g.list == NULL)
                return rlti_out_of_memory(messages);
        }
    }
    int ok = g.count == 0 || keep(own, &g, to);
    rlti_free(g.list);
    return ok ? RLT_OK : rlti_out_of_memory(messages);
}
