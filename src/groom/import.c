#include "groom/import.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/messages.h"

/* One section while it is read. */
typedef struct importing {
    const rlti_scene_data *scene;
    const rlti_hair_data *hair;
    int index;
    const rlti_stage *stage;
    int count;            /* prims */
    rlti_curves *curves;  /* [count] */
    unsigned char **take; /* [count][curve_count] */
} importing;

static rlt_status open_prims(importing *in, rlt_messages *messages) {
    int *prims = RLTI_NEW(int, in->stage->prim_count + 1);
    int count = 0;
    if (prims == NULL)
        return rlti_out_of_memory(messages);
    rlt_status status =
        rlti_files_select(in->stage, RLTI_PRIM_CURVES, in->hair->prim, messages, prims, &count);
    if (status == RLT_OK) {
        in->curves = RLTI_NEW(rlti_curves, count);
        in->take = (unsigned char **)rlti_allocate((size_t)count, sizeof(unsigned char *));
        if (in->curves == NULL || in->take == NULL)
            status = rlti_out_of_memory(messages);
    }
    /* continue after bad input: all prims' problems at once */
    for (int i = 0; i < count && in->curves != NULL && in->take != NULL && status != RLT_FAILED; i++) {
        rlti_curves *curves = &in->curves[in->count++];
        rlt_status one = rlti_curves_open(in->scene, in->index, in->stage, prims[i], messages, curves);
        in->take[i] = RLTI_NEW(unsigned char, curves->curve_count);
        if (in->take[i] == NULL)
            one = rlti_out_of_memory(messages);
        status = one != RLT_OK ? one : status;
    }
    rlti_free(prims);
    return status;
}

/* Marks the curves that hair.guides means. */
static rlt_status take_guides(importing *in, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    long long guides = 0, all = 0;
    for (int i = 0; i < in->count && status == RLT_OK; i++) {
        status = rlti_curves_guides(&in->curves[i], messages, in->take[i]);
        for (int c = 0; c < in->curves[i].curve_count; c++)
            guides += in->take[i][c];
        all += in->curves[i].curve_count;
    }
    rlti_guides wanted = in->hair->guides;
    if (wanted == RLTI_GUIDES_AUTO)
        wanted = guides > 0 ? RLTI_GUIDES_ONLY : RLTI_GUIDES_ALL;
    for (int i = 0; i < in->count; i++)
        for (int c = 0; c < in->curves[i].curve_count; c++)
            in->take[i][c] = wanted == RLTI_GUIDES_ALL || (wanted == RLTI_GUIDES_ONLY) == in->take[i][c];
    if (status == RLT_OK && wanted == RLTI_GUIDES_ONLY && guides == 0)
        status = rlti_refuse(messages,
                             "%s: hair.guides: guides, but none of %lld curves is marked as a guide (purpose "
                             "guide, groom_guide); choose all",
                             in->stage->file, all);
    if (status == RLT_OK && wanted == RLTI_GUIDES_NOT && guides == all && all > 0)
        status = rlti_refuse(messages, "%s: hair.guides: hairs, but all %lld curves are guides; choose all",
                             in->stage->file, all);
    if (status == RLT_OK && in->hair->guides == RLTI_GUIDES_AUTO && guides > 0 && guides < all)
        rlti_message(
            messages, RLT_NOTE,
            "%s: %lld guides are simulated, %lld other curves are left as they are (hair.guides: all "
            "takes both)",
            in->stage->file, guides, all - guides);
    return status;
}

static rlt_status take_group(importing *in, rlt_messages *messages) {
    for (int i = 0; i < in->count && in->hair->group >= 0; i++) {
        double *groups = NULL;
        rlt_status status = rlti_curves_groups(&in->curves[i], messages, &groups);
        for (int c = 0; c < in->curves[i].curve_count; c++)
            if (groups == NULL || groups[c] != (double)in->hair->group)
                in->take[i][c] = 0;
        rlti_free(groups);
        if (status != RLT_OK)
            return status;
    }
    return RLT_OK;
}

/* Prims of which nothing is simulated are no sources. */
static void drop_empty(importing *in) {
    int kept = 0;
    for (int i = 0; i < in->count; i++) {
        if (in->curves[i].strand_count == 0) {
            rlti_curves_close(&in->curves[i]);
            rlti_free(in->take[i]);
            continue;
        }
        in->curves[kept] = in->curves[i];
        in->take[kept++] = in->take[i];
    }
    in->count = kept;
}

static rlt_status choose(importing *in, rlt_messages *messages) {
    long long strands = 0, points = 0;
    rlt_status status = take_guides(in, messages);
    if (status == RLT_OK)
        status = take_group(in, messages);
    for (int i = 0; i < in->count && status == RLT_OK; i++) {
        rlti_curves *curves = &in->curves[i];
        status = rlti_curves_choose(curves, in->take[i], messages);
        strands += curves->strand_count;
        for (int s = 0; s < curves->strand_count; s++)
            points += curves->counts[s];
    }
    drop_empty(in);
    if (status == RLT_OK && strands == 0)
        status = rlti_refuse(messages, "%s: has no curve to simulate", in->stage->file);
    if (status == RLT_OK && points > 100000000)
        status = rlti_refuse(
            messages, "%s: %lld points are more than 100000000; choose fewer curves, or lower hair.resample",
            in->stage->file, points);
    return status;
}

static rlt_status fill_lock(const importing *in, rlt_messages *messages, rlti_lock *lock) {
    int strands = 0, at = 0;
    for (int i = 0; i < in->count; i++)
        strands += in->curves[i].strand_count;
    int *counts = RLTI_NEW(int, strands);
    if (counts == NULL)
        return rlti_out_of_memory(messages);
    for (int i = 0; i < in->count; i++)
        for (int s = 0; s < in->curves[i].strand_count; s++)
            counts[at++] = in->curves[i].counts[s];
    int ok = rlti_lock_create(strands, counts, lock);
    rlti_free(counts);
    if (!ok)
        return rlti_out_of_memory(messages);
    if (!RLTI_ALLOCATE(RLTI_ITEMS(lock->widths, lock->point_count), RLTI_ITEMS(lock->minimum, strands)))
        return rlti_out_of_memory(messages);
    at = 0;
    for (int i = 0; i < in->count; i++) {
        rlti_curves *curves = &in->curves[i];
        for (int s = 0; s < curves->strand_count; s++, at++) {
            rlti_curves_strand(curves, s, lock->points + lock->first[at]);
            lock->minimum[at] = curves->minimum[curves->curve[s]];
            if (curves->widths != NULL)
                rlti_curves_values(curves, s, curves->widths, lock->widths + lock->first[at]);
        }
    }
    return RLT_OK;
}

static void report_counts(const rlti_curves *curves, rlt_messages *messages) {
    const rlti_prim *prim = &curves->stage->prims[curves->prim];
    static const char *const types[] = {"cubic", "linear", "variable order"};
    static const char *const bases[] = {"bezier", "bspline", "catmullRom", "hermite", "power", "none"};
    static const char *const wraps[] = {"nonperiodic", "periodic", "pinned"};
    long long points = 0;
    for (int s = 0; s < curves->strand_count; s++)
        points += curves->counts[s];
    int is_cubic = prim->curve_type == RLTI_CURVE_CUBIC;
    rlti_message(messages, RLT_NOTE, "%s: %s: %d strands, %lld points of %d curves (%s%s%s, %s)%s",
                 curves->stage->file, prim->path, curves->strand_count, points, curves->curve_count,
                 types[prim->curve_type], is_cubic ? " " : "", is_cubic ? bases[prim->basis] : "",
                 wraps[prim->wrap], curves->along != NULL ? ", resampled" : "");
}

static rlt_status bind_lock(const importing *in, const rlti_body *body, const rlti_mesh_tree *tree,
                            rlt_messages *messages, rlti_lock *lock) {
    rlt_status status = RLT_OK;
    for (int i = 0, at = 0; i < in->count && status == RLT_OK; i++) {
        const rlti_curves *curves = &in->curves[i];
        report_counts(curves, messages);
        status =
            rlti_curves_bind(curves, body, tree, lock->first + at, lock->points, messages, lock->roots + at);
        at += curves->strand_count;
    }
    return status;
}

rlt_status rlti_import(const rlti_scene_data *scene, const rlti_body *body, const rlti_mesh_tree *tree,
                       int index, rlt_messages *messages, rlti_lock *lock) {
    importing in = {.scene = scene, .hair = &scene->hair[index], .index = index};
    int first_message = rlt_messages_count(messages);
    char prefix[RLTI_PLACE_SIZE + 48];
    *lock = (rlti_lock){0};
    rlt_status status = rlti_files_open(rlti_body_files(body), in.hair->file, messages, &in.stage);
    if (status == RLT_OK)
        status = open_prims(&in, messages);
    if (status == RLT_OK)
        status = choose(&in, messages);
    if (status == RLT_OK)
        status = fill_lock(&in, messages, lock);
    if (status == RLT_OK)
        status = bind_lock(&in, body, tree, messages, lock);
    /* from now on the lock's */
    lock->curves = in.curves;
    lock->source_count = in.count;
    if (status == RLT_OK)
        status = rlti_lock_read_maps(scene, index, messages, lock);
    if (status == RLT_OK)
        status = rlti_lock_read_physics(scene, index, messages, lock);
    for (int i = 0; i < in.count; i++)
        rlti_free(in.take[i]);
    rlti_free(in.take);
    snprintf(prefix, sizeof prefix, "%s%s%s.file", in.hair->file_place,
             in.hair->file_place[0] != '\0' ? ": " : "", rlti_section(scene, index).text);
    rlti_messages_prefix(messages, first_message, prefix);
    if (status == RLT_OK) /* reported with the constraint's place, not with this one's */
        status = rlti_lock_read_constraint_maps(scene, index, messages, lock);
    if (status != RLT_OK)
        rlti_lock_clear(lock);
    return status;
}
