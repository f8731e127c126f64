/* Hair sections that are filled each in its own way: a whole of one fill for each. */
#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "fill/fill_data.h"

/* The strands of one part, in the arrays of all. */
static rlt_frame_view view_of(const rlt_fill *whole, const rlt_frame_view *view, int part) {
    rlt_frame_view own = *view;
    int first = whole->first_guide[part];
    own.strand_count = whole->first_guide[part + 1] - first;
    own.first += first;
    own.hair += first;
    own.hidden = view->hidden != NULL ? view->hidden + first : NULL;
    return own;
}

/* The definition of a section; of one without, the first. */
static rlt_status def_of(const rlt_fill_def *def, int section, rlt_messages *messages, rlt_fill_def *own) {
    size_t stride = def->sections->size; /* as the caller was compiled */
    size_t at = section >= 0 && section < def->section_count ? (size_t)section : 0;
    *own = rlt_fill_defaults();
    const void *from = (const char *)def->sections + at * stride;
    if (RLTI_READ(rlt_fill_def, own, from, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    own->hairs = 0;
    if (def->points >= 2)
        own->points = def->points;
    return rlti_fill_check(own, messages);
}

/* Runs of strands of one section become parts. */
static rlt_status find_parts(rlt_fill *whole, const rlt_frame_view *view, rlt_messages *messages) {
    int runs = 1;
    for (int s = 1; s < view->strand_count; s++)
        runs += view->hair[s] != view->hair[s - 1];
    if (!RLTI_ALLOCATE(RLTI_ITEMS(whole->guides, view->strand_count), RLTI_ITEMS(whole->parts, runs),
                       RLTI_ITEMS(whole->first_guide, (size_t)runs + 1)))
        return rlti_out_of_memory(messages);
    whole->part_count = runs;
    for (int s = 0, part = 0; s < view->strand_count; s++) {
        whole->guides[s].group = view->hair[s];
        if (s > 0 && view->hair[s] != view->hair[s - 1])
            whole->first_guide[++part] = s;
    }
    whole->first_guide[runs] = view->strand_count;
    return RLT_OK;
}

/* The body of a frame, which the parts share. */
static rlt_status take_body(rlt_fill *whole, const rlt_frame_view *view, rlt_messages *messages) {
    if (whole->triangles == NULL && view->triangle_count > 0) {
        whole->triangles = RLTI_NEW(int, 3 * (size_t)view->triangle_count);
        if (whole->triangles == NULL)
            return rlti_out_of_memory(messages);
        for (size_t i = 0; i < 3 * (size_t)view->triangle_count; i++)
            whole->triangles[i] = view->triangles[i];
    }
    return rlti_fill_take_body(whole, view->vertices) ? RLT_OK : rlti_out_of_memory(messages);
}

static int guides_of(const rlt_fill *whole, int part) {
    return whole->first_guide[part + 1] - whole->first_guide[part];
}

static rlt_status make_parts(rlt_fill *whole, const rlt_frame_view *view, const rlt_fill_def *defs,
                             double factor, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int part = 0; part < whole->part_count && status == RLT_OK; part++) {
        rlt_fill_def own = defs[part];
        rlt_frame_view view_here = view_of(whole, view, part);
        own.hairs_per_guide = fmin(factor * own.hairs_per_guide, 1e6);
        status = rlti_fill_make(&view_here, &own, whole, messages, &whole->parts[part]);
        if (status != RLT_OK)
            break;
        const rlt_fill *made = whole->parts[part];
        whole->hair_count += made->hair_count;
        whole->samples = made->samples > whole->samples ? made->samples : whole->samples;
    }
    return status;
}

/* Hairs of all parts take turns, each part's evenly over all: who draws the first so many draws some of
 * each. */
static rlt_status order_hairs(rlt_fill *whole, rlt_messages *messages) {
    long long *given = RLTI_NEW(long long, whole->part_count);
    whole->order = RLTI_NEW(rlti_fill_place, whole->hair_count);
    if (given == NULL || whole->order == NULL) {
        rlti_free(given);
        return rlti_out_of_memory(messages);
    }
    for (long long h = 0; h < whole->hair_count; h++) {
        int next = 0;
        double least = HUGE_VAL;
        for (int part = 0; part < whole->part_count; part++) {
            long long count = whole->parts[part]->hair_count;
            double share = given[part] < count ? ((double)given[part] + 0.5) / (double)count : HUGE_VAL;
            next = share < least ? part : next;
            least = fmin(least, share);
        }
        whole->order[h] = (rlti_fill_place){next, (int)given[next]++};
    }
    rlti_free(given);
    return RLT_OK;
}

/* Reads the definitions, and makes the parts. A number of hairs is shared out by one factor. */
static rlt_status fill_parts(rlt_fill *whole, const rlt_frame_view *view, const rlt_fill_def *def,
                             rlt_messages *messages) {
    rlt_fill_def *defs = RLTI_NEW(rlt_fill_def, whole->part_count);
    rlt_status status = defs != NULL ? RLT_OK : rlti_out_of_memory(messages);
    double all = 0.0;
    for (int part = 0; part < whole->part_count && status == RLT_OK; part++) {
        status = def_of(def, whole->guides[whole->first_guide[part]].group, messages, &defs[part]);
        rlt_fill_def fitted = defs[part];
        rlt_fill_fit(&fitted, guides_of(whole, part));
        all += fitted.hairs_per_guide * guides_of(whole, part);
        whole->def.outside |= defs[part].outside;
    }
    if (status == RLT_OK)
        status = take_body(whole, view, messages);
    if (status == RLT_OK)
        status = make_parts(whole, view, defs, def->hairs > 0 && all > 0.0 ? (double)def->hairs / all : 1.0,
                            messages);
    if (status == RLT_OK)
        status = order_hairs(whole, messages);
    rlti_free(defs);
    return status;
}

rlt_status rlti_fill_make_whole(const rlt_frame_view *view, const rlt_fill_def *def, rlt_messages *messages,
                                rlt_fill **fill) {
    rlt_fill *whole = RLTI_NEW(rlt_fill, 1);
    if (whole == NULL)
        return rlti_out_of_memory(messages);
    whole->def = *def;
    whole->def.outside = 0;
    whole->def.sections = NULL; /* the caller's */
    whole->guide_count = view->strand_count;
    whole->point_count = view->point_count;
    whole->vertex_count = view->vertex_count;
    whole->triangle_count = view->triangle_count;
    rlti_fill_take_hidden(whole, view);
    rlt_status status = find_parts(whole, view, messages);
    if (status == RLT_OK)
        status = fill_parts(whole, view, def, messages);
    if (status != RLT_OK) {
        rlt_fill_destroy(whole);
        return status;
    }
    *fill = whole;
    return RLT_OK;
}

rlt_status rlti_fill_frame_whole(rlt_fill *fill, const rlt_frame_view *view, rlt_messages *messages) {
    rlti_fill_take_hidden(fill, view);
    rlt_status status = fill->def.outside ? take_body(fill, view, messages) : RLT_OK;
    for (int part = 0; part < fill->part_count && status == RLT_OK; part++) {
        rlt_frame_view own = view_of(fill, view, part);
        status = rlt_fill_frame(fill->parts[part], &own, messages);
    }
    return status;
}
