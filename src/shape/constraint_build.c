/* From the scene's constraints to holds of single points. */
#include <stdlib.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "shape/constraint_data.h"

int rlti_holds_add(rlti_holds *h, const rlti_hold_entry *entry) {
    if (!RLTI_LIST_RESERVE(h->entries, h->entry_count, 1, h->entry_capacity))
        return 0;
    h->entries[h->entry_count++] = *entry;
    return 1;
}

int rlti_holds_add_group(rlti_holds *h, const rlti_hold_group *group) {
    if (!RLTI_LIST_RESERVE(h->groups, h->group_count, 1, h->group_capacity))
        return 0;
    h->groups[h->group_count++] = *group;
    return 1;
}

int rlti_holds_add_motion(rlti_holds *h, const rlti_hold_motion *motion) {
    if (!RLTI_LIST_RESERVE(h->motions, h->motion_count, 1, h->motion_capacity))
        return 0;
    h->motions[h->motion_count++] = *motion;
    return 1;
}

/* ---- kinds ---- */

rlti_hold_entry rlti_hold_entry_of(const rlti_holds *h, const rlti_selection *chosen, int i, int constraint) {
    int strand = chosen->strand[i];
    return (rlti_hold_entry){.strand = strand,
                             .point = chosen->point[i] - h->def.strands->first[strand],
                             .constraint = constraint,
                             .group = -1,
                             .motion = -1,
                             .share = (float)chosen->share[i]};
}

/* Each point keeps its groomed distance from the middle of all. */
static rlt_status add_centroid(rlti_holds *h, int constraint, const rlti_selection *chosen,
                               rlt_messages *messages) {
    const rlti_constraint_data *data = &h->def.scene->constraints[constraint];
    const rlti_vec3 *rest = h->def.strands->points;
    if (chosen->count < 2)
        return rlti_refuse(
            messages,
            "%s: constraint '%s' chooses one point (strand %d): a centroid needs at least two; widen along",
            data->place, data->name, chosen->strand[0]);
    double mass = 0.0;
    rlti_vec3 middle = rlti_v3(0, 0, 0);
    for (int i = 0; i < chosen->count; i++) {
        int p = chosen->point[i];
        mass += h->def.mass[p];
        middle = rlti_madd(middle, h->def.mass[p], rlti_sub(rest[p], rest[chosen->point[0]]));
    }
    middle = rlti_madd(rest[chosen->point[0]], 1.0 / mass, middle);
    rlti_hold_group group = {
        .constraint = constraint, .strand = chosen->strand[0], .count = chosen->count, .reacts = 1};
    int done = rlti_holds_add_group(h, &group);
    for (int i = 0; i < chosen->count && done; i++) {
        int p = chosen->point[i];
        rlti_hold_entry entry = rlti_hold_entry_of(h, chosen, i, constraint);
        entry.kind = RLTI_SOFT_DISTANCE;
        entry.group = h->group_count - 1;
        entry.low = entry.high = (float)rlti_length(rlti_sub(rest[p], middle));
        entry.mass = (float)(h->def.mass[p] * chosen->count / mass);
        done = rlti_holds_add(h, &entry);
    }
    h->reacts = 1;
    return done ? RLT_OK : rlti_out_of_memory(messages);
}

/* How a point is held in place. Where a blend is less than everything, bodies win. */
static rlti_hold_class class_of_pin(const rlti_constraint_data *data, const rlti_hold_entry *entry) {
    int hard = data->kind == RLTI_CONSTRAINT_BLEND ? (double)entry->share >= RLTI_BLEND_EXACT : data->hard;
    return hard ? RLTI_HARD_PLACE : RLTI_SOFT_PLACE;
}

rlt_status rlti_holds_add_carried(rlti_holds *h, int constraint, const rlti_selection *chosen,
                                  const rlti_vec3 *offsets, rlt_messages *messages) {
    const rlti_strands *strands = h->def.strands;
    rlt_status status = RLT_OK;
    for (int i = 0, by_curve = 0; i < chosen->count && status == RLT_OK; i++) {
        int strand = chosen->strand[i], begins = i == 0 || chosen->strand[i - 1] != strand, done = 1;
        if (begins && offsets == NULL)
            by_curve = rlti_hold_curves_lead(h, constraint, strand, messages, &status);
        rlti_hold_entry entry = rlti_hold_entry_of(h, chosen, i, constraint);
        rlti_hold_motion motion = {
            .carrier = RLTI_CARRIER_ROOT, .strand = strand, .turns = 1, .root = strands->roots[strand]};
        if (by_curve)
            motion = (rlti_hold_motion){
                .carrier = RLTI_CARRIER_CURVE, .strand = strand, .curve_point = chosen->point[i]};
        else
            entry.offset = offsets != NULL ? offsets[i]
                                           : rlti_sub(strands->points[chosen->point[i]],
                                                      strands->points[strands->first[strand]]);
        if (status == RLT_OK && (begins || by_curve)) /* a root carries all points of its strand */
            done = rlti_holds_add_motion(h, &motion);
        entry.kind = class_of_pin(&h->def.scene->constraints[constraint], &entry);
        entry.motion = h->motion_count - 1;
        if (status == RLT_OK && !(done && rlti_holds_add(h, &entry)))
            status = rlti_out_of_memory(messages);
    }
    return status;
}

/* Points that are carried along: where they are led to is for the target to say. */
static rlt_status add_led(rlti_holds *h, int constraint, const rlti_selection *chosen,
                          rlt_messages *messages) {
    const rlti_constraint_data *data = &h->def.scene->constraints[constraint];
    if (data->kind != RLTI_CONSTRAINT_FREEZE && data->target == RLTI_TARGET_SHAPE)
        return rlti_holds_add_shape(h, constraint, chosen, messages);
    if (data->kind == RLTI_CONSTRAINT_POSE && data->target == RLTI_TARGET_FILE)
        return rlti_holds_add_pose(h, constraint, chosen, messages);
    return rlti_holds_add_carried(h, constraint, chosen, NULL, messages);
}

static rlt_status add_constraint(rlti_holds *h, int constraint, rlt_messages *messages) {
    static rlti_hold_maker *const makers[] = {[RLTI_CONSTRAINT_CENTROID] = add_centroid,
                                              [RLTI_CONSTRAINT_SCALP] = rlti_holds_add_scalp,
                                              [RLTI_CONSTRAINT_PIN] = add_led,
                                              [RLTI_CONSTRAINT_BLEND] = add_led,
                                              [RLTI_CONSTRAINT_POSE] = add_led,
                                              [RLTI_CONSTRAINT_FREEZE] = add_led,
                                              [RLTI_CONSTRAINT_ATTACH] = rlti_holds_add_attach,
                                              [RLTI_CONSTRAINT_FIELD] = rlti_holds_add_field,
                                              [RLTI_CONSTRAINT_TIPS] = rlti_holds_add_tips,
                                              [RLTI_CONSTRAINT_BOUND] = rlti_holds_add_bound};
    const rlti_constraint_data *data = &h->def.scene->constraints[constraint];
    rlti_selection chosen;
    rlt_status status = rlti_select(h->def.scene, h->def.body, h->def.strands, data, messages, &chosen);
    if (status != RLT_OK)
        return status;
    status = makers[data->kind](h, constraint, &chosen, messages);
    rlti_selection_free(&chosen);
    return status;
}

/* ---- all together ---- */

static int by_strand(const void *a, const void *b) {
    const rlti_hold_entry *x = a, *y = b;
    const int keys[][2] = {
        {x->strand, y->strand}, {x->constraint, y->constraint}, {x->group, y->group}, {x->point, y->point}};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (keys[k][0] != keys[k][1])
            return keys[k][0] < keys[k][1] ? -1 : 1;
    return 0;
}

/* Motions of many strands first, then by strand; `to` is where each went. */
static int sort_motions(rlti_holds *h) {
    int count = h->motion_count, strands = h->def.strands->strand_count, next = 0;
    rlti_hold_motion *sorted = RLTI_NEW(rlti_hold_motion, count);
    int *to = RLTI_NEW(int, count), *sums = RLTI_NEW(int, strands + 2);
    int done = sorted != NULL && to != NULL && sums != NULL;
    for (int m = 0; done && m < count; m++)
        sums[h->motions[m].strand + 1]++;
    for (int s = 0; done && s < strands + 2; s++) {
        int here = sums[s];
        sums[s] = next;
        next += here;
    }
    for (int s = 0; done && s <= strands; s++)
        h->first_motion[s] = sums[s + 1];
    h->shared_motions = done ? sums[1] : 0;
    for (int m = 0; done && m < count; m++) {
        to[m] = sums[h->motions[m].strand + 1]++;
        sorted[to[m]] = h->motions[m];
    }
    for (int e = 0; done && e < h->entry_count; e++)
        if (h->entries[e].motion >= 0)
            h->entries[e].motion = to[h->entries[e].motion];
    RLTI_FREE(to, sums, done ? h->motions : sorted);
    if (done) {
        h->motions = sorted;
        h->motion_capacity = count;
    }
    return done;
}

static int finish(rlti_holds *h) {
    int strands = h->def.strands->strand_count;
    h->longest = rlti_longest_run(h->def.strands->first, strands);
    if (!RLTI_ALLOCATE(RLTI_ITEMS(h->first, strands + 1), RLTI_ITEMS(h->seen, h->entry_count),
                       RLTI_ITEMS(h->exchange, 12 * (size_t)h->group_count),
                       RLTI_ITEMS(h->first_motion, strands + 1)) ||
        !sort_motions(h))
        return 0;
    if (h->entry_count > 0)
        qsort(h->entries, (size_t)h->entry_count, sizeof *h->entries, by_strand);
    for (int s = 0, e = 0; s < strands; s++) {
        h->first[s] = e;
        while (e < h->entry_count && h->entries[e].strand == s)
            e++;
        h->first[s + 1] = e;
        h->maximum = e - h->first[s] > h->maximum ? e - h->first[s] : h->maximum;
    }
    return rlti_holds_find_live(h);
}

/* Kinds that remember something. */
static int count_kinds(rlti_holds *h) {
    const rlti_scene_data *scene = h->def.scene;
    h->ordinal = RLTI_NEW(int, scene->constraint_count);
    for (int c = 0; c < scene->constraint_count && h->ordinal != NULL; c++) {
        const rlti_constraint_data *data = &scene->constraints[c];
        if (data->enabled && data->kind == RLTI_CONSTRAINT_POSE)
            h->ordinal[c] = h->pose_count++;
        if (data->enabled && data->kind == RLTI_CONSTRAINT_FREEZE)
            h->ordinal[c] = h->freeze_count++;
    }
    return RLTI_ALLOCATE(RLTI_ITEMS(h->efforts, (size_t)h->pose_count * (size_t)h->def.strands->strand_count),
                         RLTI_ITEMS(h->pose_steps, h->pose_count)) &&
           h->ordinal != NULL;
}

rlt_status rlti_holds_create(const rlti_holds_def *def, rlt_messages *messages, rlti_holds **holds) {
    rlt_status status = RLT_OK;
    int enabled = 0;
    *holds = NULL;
    for (int c = 0; c < def->scene->constraint_count; c++)
        enabled += def->scene->constraints[c].enabled;
    if (enabled == 0)
        return RLT_OK;
    rlti_holds *h = RLTI_NEW(rlti_holds, 1);
    if (h == NULL)
        return rlti_out_of_memory(messages);
    h->def = *def;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(h->laws, def->scene->constraint_count),
                       RLTI_ITEMS(h->size, def->scene->hair_count)) ||
        !count_kinds(h))
        status = rlti_out_of_memory(messages);
    for (int c = 0; c < def->scene->constraint_count && status != RLT_FAILED; c++) {
        rlt_status one = def->scene->constraints[c].enabled ? add_constraint(h, c, messages) : RLT_OK;
        status = one != RLT_OK ? one : status;
    }
    if (status == RLT_OK && !finish(h))
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = rlti_holds_check(h, messages);
    if (status != RLT_OK) {
        rlti_holds_destroy(h);
        return status;
    }
    *holds = h;
    return RLT_OK;
}
