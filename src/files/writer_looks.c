/* Materials of what a run writes: those of the file that hair is from, where that is USD and the result, too.
 */
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "files/convert.h"
#include "files/looks.h"
#include "files/writer_data.h"

/* A material, shader or what else stands in a network, as it is in the file of source `k`, but for links;
 * `name` is its new one. */
static rlt_status declare_look(rlt_writer *writer, const rlt_frame_view *view, int k, int from, int parent,
                               const char *name, int writes, int *handle, rlt_messages *messages) {
    const rlti_stage *stage = writer->sources[k].stage;
    const rlti_prim *prim = &stage->prims[from];
    rlti_prim made = *prim;
    made.name = name;
    rlt_status status = rlti_sink_prim(writer->sink, parent, &made, messages, handle);
    for (int i = 0; i < prim->attribute_count && status == RLT_OK; i++) {
        const rlti_attribute *a = &stage->attributes[prim->first_attribute + i];
        if ((a->has_default || a->sample_count > 0) && a->indices < 0 && !a->is_index)
            status = rlti_writer_keep(writer, view->sources[k], k, from, a, -1, *handle, writes, messages);
    }
    return status;
}

/* ---- one file, under its own paths ---- */

rlt_status rlti_writer_declare_looks(rlt_writer *writer, const rlt_frame_view *view, int writes, int *handles,
                                     rlt_messages *messages) {
    const rlti_stage *stage = writer->sources[0].stage;
    if (!rlti_sink_is_usd(writer->sink)) {
        int links = 0;
        for (int i = 0; i < stage->prim_count; i++)
            links += handles[i] >= 0 ? rlti_stage_count_links(stage, &stage->prims[i]) : 0;
        rlti_warn_links(writer->sink->path, links, messages);
        return RLT_OK;
    }
    unsigned char *take = rlti_allocate((size_t)stage->prim_count + 1, 1);
    if (take == NULL)
        return rlti_out_of_memory(messages);
    for (int i = 0; i < stage->prim_count; i++) {
        const rlti_prim *prim = &stage->prims[i];
        take[i] = handles[i] >= 0;
        if (rlti_is_subset(prim) && prim->parent >= 0 && handles[prim->parent] >= 0)
            take[i] = 2;
    }
    rlt_status status = rlti_take_looks(stage, take, messages);
    for (int i = 0; i < stage->prim_count && status == RLT_OK; i++)
        if (handles[i] < 0 && take[i] == 2) {
            const rlti_prim *prim = &stage->prims[i];
            status = declare_look(writer, view, 0, i, prim->parent >= 0 ? handles[prim->parent] : -1,
                                  prim->name, writes, &handles[i], messages);
            if (status == RLT_OK)
                status = rlti_carry_links(writer->sink, handles[i], stage, prim, NULL, messages);
        } else if (handles[i] < 0 && take[i] == 1)
            status = rlti_writer_declare_path(writer, view->sources[0], 0, i, writes, handles, messages);
    rlti_free(take);
    return status;
}

/* ---- several files, under /Ringlet ---- */

/* One file while its looks are declared. */
typedef struct looks {
    rlt_writer *writer;
    const rlt_frame_view *view;
    int k; /* the first source of the file */
    const rlti_stage *stage;
    int writes;
    int *handles;        /* [prim_count] of the file's prims; -1: not written */
    unsigned char *take; /* [prim_count] as of rlti_take_networks */
    int *roots;          /* [root_count] materials that curves are bound to */
    int root_count, root_capacity;
    const char **targets; /* of a link, in the new file; [target_capacity] */
    int target_capacity;
    rlti_arena arena; /* of their texts */
    int lost;         /* links that lead to what is not written */
} looks;

char *rlti_writer_free_name(const rlt_writer *writer, int parent, const char *name) {
    size_t length = strlen(name);
    char *made = rlti_allocate(length + (size_t)writer->sink->prim_count + 2, 1);
    if (made == NULL)
        return NULL;
    memcpy(made, name, length);
    for (int other = 0; other < writer->sink->prim_count; other++)
        if ((parent < 0 || writer->sink->prims[other].parent == parent) &&
            strcmp(writer->sink->prims[other].name, made) == 0) {
            made[length++] = '_'; /* at most once for each prim */
            other = -1;
        }
    return made;
}

static int is_bound_curves(const looks *l, int k) {
    return l->writer->sources[k].stage == l->stage && l->view->sources[k]->first_of_prim == k;
}

static rlt_status add_root(looks *l, int prim, rlt_messages *messages) {
    if (!RLTI_LIST_RESERVE(l->roots, l->root_count, 1, l->root_capacity))
        return rlti_out_of_memory(messages);
    l->roots[l->root_count++] = prim;
    return RLT_OK;
}

/* The materials of curves, and of subsets below them. */
static rlt_status find_roots(looks *l, rlt_messages *messages) {
    rlti_bound bound[RLTI_BOUND];
    int count;
    rlt_status status = RLT_OK;
    for (int i = 0; i < l->stage->prim_count && status == RLT_OK; i++) {
        int parent = l->stage->prims[i].parent;
        int is_subset = rlti_is_subset(&l->stage->prims[i]) && parent >= 0 && l->handles[parent] >= 0;
        if (l->handles[i] < 0 && !is_subset)
            continue;
        status = rlti_find_bound(l->stage, i, messages, bound, &count);
        for (int b = 0; b < count && status == RLT_OK; b++)
            status = add_root(l, bound[b].material, messages);
        l->take[i] = 1;
    }
    return status;
}

/* A target's path in the new file: that of its prim, and the property behind it. NULL: it is not there. */
static const char *map_target(looks *l, const char *target, int *ok) {
    size_t length = strcspn(target, ".");
    char *own = rlti_arena_text(&l->arena, target, length);
    int prim = own != NULL ? rlti_stage_find(l->stage, own) : -1;
    *ok &= own != NULL;
    if (prim < 0 || l->handles[prim] < 0)
        return NULL;
    const char *path = l->writer->sink->prims[l->handles[prim]].path;
    size_t before = strlen(path), behind = strlen(target + length);
    char *made = rlti_arena_keep(&l->arena, before + behind + 1, 1);
    *ok &= made != NULL;
    if (made != NULL) {
        memcpy(made, path, before);
        memcpy(made + before, target + length, behind + 1);
    }
    return made;
}

/* Declares the links of a prim, their targets where these are now. */
static rlt_status carry_mapped(looks *l, int from, int (*wants)(const rlti_link *link),
                               rlt_messages *messages) {
    int count, ok = 1;
    const rlti_link *links = rlti_stage_links(l->stage, &l->stage->prims[from], &count);
    rlt_status status = RLT_OK;
    for (int i = 0; i < count && status == RLT_OK; i++) {
        rlti_link made = links[i];
        if (wants != NULL && !wants(&made))
            continue;
        int reserved = RLTI_LIST_RESERVE(l->targets, 0, made.target_count, l->target_capacity);
        made.target_count = 0;
        for (int t = 0; t < links[i].target_count && reserved; t++) {
            const char *target = map_target(l, links[i].targets[t], &ok);
            if (target != NULL)
                l->targets[made.target_count++] = target;
        }
        l->lost += made.target_count < links[i].target_count;
        made.targets = l->targets;
        status = ok && reserved ? RLT_OK : rlti_out_of_memory(messages);
        /* what has no target left may still be an attribute with metadata */
        if (status == RLT_OK && (made.target_count > 0 || made.type_name[0] != '\0'))
            status = rlti_sink_link(l->writer->sink, l->handles[from], &made, messages);
    }
    return status;
}

static int is_own_link(const rlti_link *link) {
    return rlti_is_not_skel(link) && !rlti_is_look(link);
}

/* Curves say directly what they were bound to, by whichever prim. */
static rlt_status bind(looks *l, int from, rlt_messages *messages) {
    rlti_bound bound[RLTI_BOUND];
    int count = 0, links_count;
    rlt_status status = rlti_find_bound(l->stage, from, messages, bound, &count);
    for (int b = 0; b < count && status == RLT_OK; b++) {
        const char *target = l->writer->sink->prims[l->handles[bound[b].material]].path;
        const rlti_link link = {
            .name = bound[b].name, .type_name = "", .target_count = 1, .targets = &target};
        status = rlti_sink_link(l->writer->sink, l->handles[from], &link, messages);
    }
    const rlti_link *links = rlti_stage_links(l->stage, &l->stage->prims[from], &links_count);
    for (int i = 0; i < links_count; i++) {
        int is_kept = 0;
        for (int b = 0; b < count; b++)
            is_kept |= strcmp(bound[b].name, links[i].name) == 0;
        l->lost += rlti_is_binding(&links[i]) && strstr(links[i].name, ":collection:") == NULL &&
                   links[i].target_count > 0 && !is_kept;
    }
    return status;
}

/* Declares the networks below "Looks", each by itself, under names that no other has. */
static rlt_status declare_networks(looks *l, int root, int *scope, rlt_messages *messages) {
    rlt_writer *writer = l->writer;
    rlt_status status = RLT_OK;
    for (int i = 0; i < l->stage->prim_count && status == RLT_OK; i++) {
        const rlti_prim *prim = &l->stage->prims[i];
        int above = prim->parent >= 0 ? l->handles[prim->parent] : -1;
        int is_subset = rlti_is_subset(prim) && above >= 0;
        if (l->handles[i] >= 0 || (l->take[i] != 2 && !is_subset))
            continue;
        if (*scope < 0 && above < 0) {
            char *name = rlti_writer_free_name(writer, root, "Looks");
            const rlti_prim made = {.name = name, .type_name = "Scope", .kind = RLTI_PRIM_OTHER};
            status = name != NULL ? rlti_sink_prim(writer->sink, root, &made, messages, scope)
                                  : rlti_out_of_memory(messages);
            rlti_free(name);
        }
        int parent = above >= 0 ? above : *scope;
        char *name = status == RLT_OK ? rlti_writer_free_name(writer, parent, prim->name) : NULL;
        if (status == RLT_OK && name == NULL)
            status = rlti_out_of_memory(messages);
        if (status == RLT_OK)
            status =
                declare_look(writer, l->view, l->k, i, parent, name, l->writes, &l->handles[i], messages);
        rlti_free(name);
    }
    return status;
}

/* The looks of one file. */
static rlt_status declare_file(looks *l, int root, int *scope, rlt_messages *messages) {
    int prims = l->stage->prim_count;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(l->handles, prims), RLTI_ITEMS(l->take, prims)))
        return rlti_out_of_memory(messages);
    for (int i = 0; i < prims; i++)
        l->handles[i] = -1;
    for (int k = 0; k < l->view->source_count; k++)
        if (is_bound_curves(l, k))
            l->handles[l->writer->sources[k].from] = l->writer->sources[k].prim;
    rlt_status status = find_roots(l, messages);
    if (status == RLT_OK)
        status = rlti_take_networks(l->stage, l->roots, l->root_count, l->take, messages);
    if (status == RLT_OK)
        status = declare_networks(l, root, scope, messages);
    for (int i = 0; i < prims && status == RLT_OK; i++) {
        int is_curves = l->stage->prims[i].kind == RLTI_PRIM_CURVES;
        if (l->handles[i] < 0)
            continue;
        status = carry_mapped(l, i, is_curves ? is_own_link : NULL, messages);
        if (status == RLT_OK && is_curves)
            status = bind(l, i, messages);
    }
    return status;
}

rlt_status rlti_writer_declare_bound(rlt_writer *writer, const rlt_frame_view *view, int root, int writes,
                                     rlt_messages *messages) {
    int scope = -1, lost = 0;
    rlt_status status = RLT_OK;
    for (int k = 0; k < view->source_count && status == RLT_OK; k++) {
        looks l = {.writer = writer, .view = view, .k = k, .stage = writer->stages[k], .writes = writes};
        if (l.stage == NULL || l.stage->reader->links == NULL)
            continue; /* an earlier source has it, or it has no links */
        status = declare_file(&l, root, &scope, messages);
        lost += l.lost;
        RLTI_FREE(l.handles, l.take, l.roots, l.targets);
        rlti_arena_clear(&l.arena);
    }
    if (lost > 0)
        rlti_warn(messages,
                  "%s: hair of several sources is written under /Ringlet: %d of its links lead to prims that "
                  "are not there, and are left out; to keep them, simulate one USD file that references all",
                  writer->sink->path, lost);
    return status;
}
