/* rlt_convert: every value of a stage to a sink, one after the other. Values at one time go out together, so
 * that a player finds what belongs to a frame in one place. */
#include "files/convert.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "files/assets.h"
#include "files/looks.h"
#include "files/problems.h"
#include "files/transform_times.h"
#include "files/unreal.h"
#include "formats/usd/usd_skel.h"
#include "formats/usd/usd_stage.h"
#include "ringlet/files.h"

/* One attribute or transform in transit. */
typedef struct track {
    int prim;                   /* of the stage */
    const rlti_attribute *from; /* NULL: the prim's transform */
    int to;                     /* handle of the attribute, or of the prim for a transform */
    int expands;                /* its indices go into its values */
    int is_points;              /* of curves or a mesh */
    const double *times;        /* [count] of the source, at which it is sampled */
    double *own_times;          /* those, where they are not the source's list; or NULL */
    int count;
    int at, end;                 /* samples still to come */
    int edge_before, edge_after; /* a value at the range's first or last time, between two samples */
} track;

typedef struct job {
    const rlt_convert_def *def;
    rlt_messages *messages;
    const rlti_stage *stage;
    rlti_sink *sink;
    unsigned char *take;       /* [prim_count] rlti_choose_prims */
    int *handle;               /* [prim_count] of the sink, -1 */
    unsigned char *unreadable; /* [attribute_count] left out, with a warning */
    rlti_points_watch *watch;  /* [prim_count] */
    track *tracks;
    int track_count;
    double scale;       /* times of the target per time of the source */
    double first, last; /* of the source: what is written */
    double slack;       /* times this near are the same */
    int is_still;
    long long done, total; /* values */
    int prims;
    rlti_array value;
} job;

rlt_status rlt_convert_def_reset(rlt_convert_def *def) {
    const rlt_convert_def standard = {0};
    return RLTI_WRITE(rlt_convert_def, def, &standard, NULL);
}

/* Reports the share done, and fails where the caller wants to stop. Between any two values, since one may be
 * most of the file. */
static rlt_status report_progress(const job *j, const char *to) {
    double share = (double)j->done / (double)(j->total > j->done ? j->total : j->done + 1);
    if (j->def->progress == NULL || j->def->progress(share, j->def->context) == 0)
        return RLT_OK;
    return rlti_fail(j->messages, RLT_FAILED, "%s: not written: stopped", to);
}

/* ---- times ---- */

static int says_seconds(const rlti_stage *stage) {
    return strncmp(stage->reader->format, "usd", 3) != 0;
}

/* The rate of the file itself. */
static double own_rate(const rlti_stage *s) {
    if (s->frames_per_second > 0.0)
        return s->frames_per_second;
    if (!says_seconds(s))
        return s->codes_per_second;
    for (int i = 0; i < s->attribute_count; i++) { /* from the first two samples that something has */
        const rlti_attribute *a = &s->attributes[i];
        if (a->type.element == RLTI_TEXT) /* visibility changes when it likes */
            continue;
        double gap = a->sample_count > 1 ? a->times[1] - a->times[0] : 0.0;
        if (gap > 1e-4 && gap <= 1.0)
            return rlti_snap_time(1.0 / gap);
    }
    return 24.0;
}

static double frames_per_second(const job *j) {
    return j->def->frames_per_second > 0.0 ? j->def->frames_per_second : own_rate(j->stage);
}

/* Sample times in seconds that lie between the frames of a rate. */
static int count_between(const rlti_stage *s, double rate) {
    int between = 0;
    for (int i = 0; i < s->attribute_count; i++)
        for (int k = 0; k < s->attributes[i].sample_count && s->attributes[i].type.element != RLTI_TEXT;
             k++) {
            double frame = s->attributes[i].times[k] * rate;
            between += fabs(frame - floor(frame + 0.5)) > 1e-3;
        }
    return between;
}

/* To the target's time. */
static double time_of(const job *j, double time) {
    return j->scale == 1.0 ? time : rlti_snap_time(time * j->scale);
}

/* Times of the source that are written. */
static void choose_range(job *j, double fps) {
    const rlti_stage *s = j->stage;
    double to_frame = says_seconds(s) ? fps : 1.0;
    j->slack = 1e-6 / to_frame;
    j->first = -HUGE_VAL;
    j->last = HUGE_VAL;
    if (j->def->has_first)
        j->first = j->def->first / to_frame;
    if (j->def->has_last)
        j->last = j->def->last / to_frame;
    if (j->is_still) {
        j->first = j->def->has_first ? j->def->first / to_frame : s->first_time;
        j->last = j->first;
    }
}

static void widen(double first, double last, double range[2]) {
    range[0] = first < range[0] ? first : range[0];
    range[1] = last > range[1] ? last : range[1];
}

/* First and last time of the source; 0 where nothing moves, so that it is the same at every time. */
static int times_of_source(const rlti_stage *s, double range[2]) {
    range[0] = HUGE_VAL;
    range[1] = -HUGE_VAL;
    if (s->first_time < s->last_time)
        widen(s->first_time, s->last_time, range);
    for (int i = 0; i < s->attribute_count; i++) {
        const rlti_attribute *a = &s->attributes[i];
        if (a->sample_count > 1)
            widen(a->times[0], a->times[a->sample_count - 1], range);
    }
    for (int i = 0; i < s->prim_count; i++) {
        const rlti_prim *prim = &s->prims[i];
        if (prim->transform_time_count > 1)
            widen(prim->transform_times[0], prim->transform_times[prim->transform_time_count - 1], range);
    }
    return range[0] < range[1];
}

/* Refuses frames of which the source has none; says where it has only a part of them. */
static rlt_status check_range(const job *j, double fps) {
    const rlti_stage *s = j->stage;
    double to_frame = says_seconds(s) ? fps : 1.0, range[2];
    if (!(j->def->has_first || j->def->has_last) || !times_of_source(s, range))
        return RLT_OK;
    double first = rlti_snap_time(range[0] * to_frame), last = rlti_snap_time(range[1] * to_frame);
    if (j->first > range[1] + j->slack || j->last < range[0] - j->slack)
        return rlti_fail(j->messages, RLT_BAD_INPUT, "%s: has frames %g to %g, none of those asked for",
                         s->file, first, last);
    if ((j->def->has_first && j->first < range[0] - j->slack) ||
        (j->def->has_last && !j->is_still && j->last > range[1] + j->slack))
        rlti_message(j->messages, RLT_WARNING,
                     "%s: has frames %g to %g only; the others asked for are not written", s->file, first,
                     last);
    return RLT_OK;
}

/* ---- what is declared ---- */

static int has_no_value(const rlti_attribute *a) {
    return !a->has_default && a->sample_count == 0;
}

static int is_left_out(const job *j, const rlti_attribute *a) {
    if (j->unreadable[a - j->stage->attributes])
        return 1;
    if (j->def->no_velocities && a->class_ == RLTI_BUILT_IN &&
        (strcmp(a->name, "velocities") == 0 || strcmp(a->name, "accelerations") == 0))
        return 1;
    if (a->is_index && rlti_sink_expands(j->sink, a))
        return 1;
    return has_no_value(a) && !rlti_sink_is_usd(j->sink);
}

/* Samples inside the range, and whether its ends lie between two. */
static void cut(const job *j, track *t, const double *times, int count, int blends) {
    while (t->at < count && times[t->at] < j->first - j->slack)
        t->at++;
    t->end = t->at;
    while (t->end < count && times[t->end] <= j->last + j->slack)
        t->end++;
    int has_inside = t->at < t->end;
    t->edge_before = t->at > 0 && !(has_inside && times[t->at] <= j->first + j->slack);
    t->edge_after = blends && t->end < count && t->end > 0 && !isinf(j->last) &&
                    !(has_inside && times[t->end - 1] >= j->last - j->slack) &&
                    !(t->edge_before && j->last <= j->first + j->slack);
}

static track *add_track(job *j, int prim, const rlti_attribute *from, int to, const double *times,
                        int count) {
    track *t = &j->tracks[j->track_count++];
    *t = (track){.prim = prim, .from = from, .to = to, .times = times, .count = count};
    if (!j->is_still)
        cut(j, t, times, count,
            from == NULL || from->type.element == RLTI_FLOAT || from->type.element == RLTI_DOUBLE ||
                from->type.element == RLTI_HALF);
    j->total += t->end - t->at + t->edge_before + t->edge_after;
    return t;
}

/* The place of the attribute's indices among those of the prim that are declared. */
static int place_of_indices(const job *j, const rlti_prim *prim, const rlti_attribute *a) {
    int place = 0;
    if (a->indices < 0)
        return -1;
    for (int i = 0; i < a->indices; i++)
        place += !is_left_out(j, &j->stage->attributes[prim->first_attribute + i]);
    return place;
}

/* Indices that go to the target as they are must name values that are there. What is expanded is checked on
 * the way. */
static rlt_status check_indices(const job *j, const rlti_prim *prim, const rlti_attribute *a) {
    int count = 0;
    double *times = NULL;
    rlti_array value = {0};
    if (a->indices < 0 || has_no_value(a) ||
        has_no_value(&j->stage->attributes[prim->first_attribute + a->indices]))
        return RLT_OK;
    rlt_status status = rlti_expanded_times(j->stage, prim, a, j->messages, &times, &count);
    for (int i = 0; i < (count > 0 ? count : 1) && status == RLT_OK; i++) {
        status = rlti_stage_flat(j->stage, prim, a, count > 0 ? times[i] : j->stage->first_time, j->messages,
                                 &value);
        if (status == RLT_OK)
            status = report_progress(j, j->sink->path);
    }
    rlti_array_clear(&value);
    rlti_free(times);
    return status;
}

static rlt_status declare_attribute(job *j, int prim, const rlti_attribute *a) {
    const rlti_prim *owner = &j->stage->prims[prim];
    rlti_attribute made = *a;
    int index, expands = rlti_sink_expands(j->sink, a), count = a->sample_count;
    double *times = NULL;
    rlt_status status = expands ? rlti_expanded_times(j->stage, owner, a, j->messages, &times, &count)
                                : check_indices(j, owner, a);
    made.indices = expands ? -1 : place_of_indices(j, owner, a);
    if (expands) {
        made.has_default = count == 0;
        made.sample_count = count;
    }
    if (j->is_still) {
        made.has_default = !has_no_value(a);
        made.sample_count = 0;
    }
    if (status == RLT_OK)
        status = rlti_sink_attribute(j->sink, j->handle[prim], &made, j->messages, &index);
    if (status != RLT_OK) {
        rlti_free(times);
        return status;
    }
    track *t = add_track(j, prim, a, index, expands ? times : a->times, count);
    t->expands = expands;
    t->is_points = a->class_ == RLTI_BUILT_IN && strcmp(a->name, "points") == 0 &&
                   (owner->kind == RLTI_PRIM_CURVES || owner->kind == RLTI_PRIM_MESH);
    t->own_times = times;
    return RLT_OK;
}

/* 1 where the transform goes to the target as the source has it, operation by operation. Not where the range
 * ends within an operation that is not blended straight. */
static int keeps_operations(const job *j, const rlti_prim *prim) {
    int is_cut = isfinite(j->first) || isfinite(j->last);
    return rlti_sink_is_usd(j->sink) && !j->is_still && rlti_usd_operation_count(j->stage, prim) > 0 &&
           !(is_cut && rlti_usd_turns_between(j->stage, prim));
}

static rlt_status declare_operations(job *j, int prim) {
    const rlti_attribute *list;
    const rlti_prim *from = &j->stage->prims[prim];
    rlt_status status = rlti_usd_operations(j->stage, from, j->messages, &list);
    for (int i = 0; i < rlti_usd_operation_count(j->stage, from) && status == RLT_OK; i++)
        status = declare_attribute(j, prim, &list[i]);
    return status;
}

/* The prim's transform at its keys, and between them where blended matrices would not follow it. */
static rlt_status declare_transform(job *j, int index) {
    const rlti_prim *prim = &j->stage->prims[index];
    rlti_transform_times made = {0};
    int count = prim->transform_time_count;
    double from = count > 1 ? fmax(prim->transform_times[0], j->first) : 0.0,
           to = count > 1 ? fmin(prim->transform_times[count - 1], j->last) : 0.0, extent;
    if (j->is_still || !(from < to)) {
        add_track(j, index, NULL, j->handle[index], prim->transform_times, count);
        return RLT_OK;
    }
    rlt_status status = rlti_transform_extent(j->stage, prim, j->messages, &extent);
    if (status == RLT_OK)
        status =
            rlti_transform_times_add(j->stage, prim, from, to, extent, 1e3 * j->slack, j->messages, &made);
    if (status != RLT_OK) {
        rlti_free(made.list);
        return status;
    }
    if (made.is_coarse)
        rlti_message(j->messages, RLT_WARNING,
                     "%s: %s: turns too fast between two keys; in %s it is off by more than %g of its size",
                     j->stage->file, prim->path, j->sink->path, RLTI_TRANSFORM_ERROR);
    add_track(j, index, NULL, j->handle[index], made.list, made.count)->own_times = made.list;
    return RLT_OK;
}

static int has_curves(const job *j, int root) {
    for (int i = root; i < j->stage->prim_count; i++)
        if (j->take[i] == 2 && j->stage->prims[i].kind == RLTI_PRIM_CURVES &&
            rlti_stage_root(j->stage, i) == root)
            return 1;
    return 0;
}

static int has_points(const rlti_stage *stage, const rlti_prim *prim) {
    const rlti_attribute *points = rlti_stage_attribute(stage, prim, RLTI_BUILT_IN, "points");
    return points != NULL && !has_no_value(points);
}

static rlt_status declare_prim(job *j, int index) {
    const rlti_prim *prim = &j->stage->prims[index];
    rlti_prim made = *prim;
    int parent = prim->parent >= 0 ? j->handle[prim->parent] : -1;
    if (j->take[index] == 2 && rlti_skel_is_bound(j->stage, index))
        rlti_message(j->messages, RLT_WARNING,
                     "%s: %s: moved by a skeleton; %s has its points as they are bound, without that motion",
                     j->stage->file, prim->path, j->sink->path);
    if (j->take[index] == 2)
        rlti_report_pinned(j->sink, j->stage, index, j->messages);
    rlti_report_resets(j->sink, j->stage, prim, j->messages);
    if (j->take[index] == 1) { /* above a chosen one: only its transform counts */
        made.kind = prim->has_transform ? RLTI_PRIM_XFORM : RLTI_PRIM_GROUP;
        made.type_name = "";
    }
    char *schemas = NULL, *looks = NULL;
    rlt_status status = RLT_OK;
    if (j->take[index] == 1) {
        status = rlti_keep_schemas(prim->api_schemas, 1, j->messages, &looks);
        made.api_schemas = rlti_sink_is_usd(j->sink) ? looks : NULL;
    }
    if (parent < 0 && j->def->unreal != RLT_UNREAL_NONE && has_curves(j, index)) {
        schemas = rlti_unreal_schemas(made.api_schemas);
        made.api_schemas = schemas;
    }
    if (status == RLT_OK)
        status = rlti_sink_prim(j->sink, parent, &made, j->messages, &j->handle[index]);
    RLTI_FREE(schemas, looks);
    int has_operations = prim->has_transform && keeps_operations(j, prim);
    if (status == RLT_OK && prim->has_transform && !has_operations)
        status = declare_transform(j, index);
    /* a binary file has what its tables say, but a text may have anything */
    int is_text = strcmp(j->stage->reader->format, "usda") == 0 && j->take[index] == 2;
    for (int i = 0; i < prim->attribute_count && is_text; i++) {
        int a = prim->first_attribute + i;
        j->unreadable[a] = (unsigned char)rlti_is_unreadable(j->stage, prim, &j->stage->attributes[a],
                                                             j->messages, &j->value);
    }
    if (status == RLT_OK && j->take[index] == 2 && !has_points(j->stage, prim))
        status = rlti_prim_problems(j->stage, prim, j->stage->first_time, j->is_still, NULL, j->unreadable,
                                    j->messages);
    for (int i = 0; i < prim->attribute_count && status == RLT_OK; i++) {
        const rlti_attribute *a = &j->stage->attributes[prim->first_attribute + i];
        if (j->take[index] == 2
                ? !is_left_out(j, a)
                : rlti_is_visibility(a) || (rlti_is_look_attribute(a) && rlti_sink_is_usd(j->sink)))
            status = declare_attribute(j, index, a);
    }
    if (status == RLT_OK)
        status = rlti_carry_links(j->sink, j->handle[index], j->stage, prim,
                                  j->take[index] == 2 ? NULL : rlti_is_look, j->messages);
    if (status == RLT_OK && has_operations) /* behind the others, whose places indices name */
        status = declare_operations(j, index);
    j->prims++;
    return status;
}

/* ---- writing ---- */

/* Warns of what inspect lists, when the points of a prim are in hand: of most at the first. */
static rlt_status warn_problems(job *j, const track *t, double time) {
    const rlti_prim *prim = &j->stage->prims[t->prim];
    rlti_points_watch *watch = &j->watch[t->prim];
    rlt_status status = RLT_OK;
    if (!watch->has_first && !j->value.blocked)
        status = rlti_prim_problems(j->stage, prim, time, j->is_still, &j->value, j->unreadable, j->messages);
    rlti_watch_points(watch, j->stage, prim, time, &j->value, j->messages);
    return status;
}

/* Hands what was read to the sink. Without a time, samples are what others see, not the default. */
static rlt_status put(job *j, const track *t, double source_time, double time) {
    rlt_status status = RLT_OK;
    if (t->is_points && (!isnan(time) || j->is_still || t->from->sample_count == 0))
        status = warn_problems(j, t, source_time);
    if (status != RLT_OK)
        return status;
    if (rlti_is_asset(t->from))
        status = rlti_move_assets(j->stage, &j->stage->prims[t->prim], t->from, j->sink->path, j->messages,
                                  &j->value);
    if (status == RLT_OK)
        status = rlti_sink_write(j->sink, t->to, time, &j->value, j->messages);
    j->done++;
    return status == RLT_OK ? report_progress(j, j->sink->path) : status;
}

static rlt_status put_transform(job *j, const track *t, double source_time, double time) {
    double matrix[16];
    int resets = 0;
    const rlti_prim *prim = &j->stage->prims[t->prim];
    rlt_status status =
        j->stage->reader->transform(j->stage, prim, source_time, j->messages, matrix, &resets);
    if (status == RLT_OK)
        status = rlti_sink_transform(j->sink, t->to, time, matrix, j->messages);
    j->done++;
    return status == RLT_OK ? report_progress(j, j->sink->path) : status;
}

/* At any time of the source, interpolated. */
static rlt_status put_at(job *j, track *t, double source_time, double time) {
    if (t->from == NULL)
        return put_transform(j, t, source_time, time);
    rlt_status status = (t->expands ? rlti_stage_flat : rlti_stage_value)(
        j->stage, &j->stage->prims[t->prim], t->from, source_time, j->messages, &j->value);
    return status == RLT_OK ? put(j, t, source_time, time) : status;
}

/* Values without a time, and all of a still. */
static rlt_status put_still(job *j, track *t) {
    const rlti_prim *prim = &j->stage->prims[t->prim];
    const rlti_attribute *a = t->from;
    double still = isfinite(j->first) ? j->first : j->stage->first_time;
    if (a == NULL)
        return j->is_still || prim->transform_time_count == 0 ? put_transform(j, t, still, (double)NAN)
                                                              : RLT_OK;
    if (j->is_still)
        return has_no_value(a) ? RLT_OK : put_at(j, t, still, (double)NAN);
    if (t->expands)
        return t->count == 0 ? put_at(j, t, still, (double)NAN) : RLT_OK;
    /* samples win over the default, and only USD has both */
    if (!a->has_default || (a->sample_count > 0 && !rlti_sink_is_usd(j->sink)))
        return RLT_OK;
    rlt_status status = j->stage->reader->read(j->stage, prim, a, -1, j->messages, &j->value);
    return status == RLT_OK ? put(j, t, 0.0, (double)NAN) : status;
}

/* The time of the track's next value, of the source; infinite when there is none. */
static double next_time(const job *j, const track *t) {
    if (t->edge_before)
        return j->first;
    if (t->at < t->end)
        return t->times[t->at];
    return t->edge_after ? j->last : HUGE_VAL;
}

static rlt_status put_next(job *j, track *t, double time) {
    int sample = -1;
    if (t->edge_before)
        t->edge_before = 0;
    else if (t->at < t->end)
        sample = t->at++;
    else
        t->edge_after = 0;
    if (sample < 0 || t->from == NULL || t->expands)
        return put_at(j, t, time, time_of(j, time));
    rlt_status status =
        j->stage->reader->read(j->stage, &j->stage->prims[t->prim], t->from, sample, j->messages, &j->value);
    return status == RLT_OK ? put(j, t, time, time_of(j, time)) : status;
}

static rlt_status put_times(job *j) {
    rlt_status status = RLT_OK;
    while (status == RLT_OK) {
        double now = HUGE_VAL;
        for (int i = 0; i < j->track_count; i++) {
            double next = next_time(j, &j->tracks[i]);
            now = next < now ? next : now;
        }
        if (isinf(now))
            break;
        for (int i = 0; i < j->track_count && status == RLT_OK; i++)
            if (next_time(j, &j->tracks[i]) <= now)
                status = put_next(j, &j->tracks[i], now);
    }
    return status;
}

/* ---- Unreal ---- */

static rlt_status add_unreal(job *j) {
    rlt_status status = RLT_OK;
    double still = isfinite(j->first) ? j->first : j->stage->first_time;
    int top = -1;
    for (int i = 0; i < j->stage->prim_count && status == RLT_OK; i++) {
        if (j->take[i] != 2 || j->stage->prims[i].kind != RLTI_PRIM_CURVES)
            continue;
        int root = rlti_stage_root(j->stage, i);
        if (root != top && rlti_stage_attribute(j->stage, &j->stage->prims[root], RLTI_PRIMVAR,
                                                "groom_version_major") == NULL)
            status = rlti_unreal_top(j->sink, j->handle[root], 1, j->messages);
        top = root;
        if (status == RLT_OK)
            status = rlti_unreal_from_stage(j->stage, i, still, j->sink, j->handle[i], 1, j->messages);
    }
    return status;
}

/* ---- the whole ---- */

/* The name of the root prim that a reference to the target means; NULL: none. */
static const char *default_prim(const job *j) {
    const rlti_stage *s = j->stage;
    int chosen = s->default_prim >= 0 ? rlti_stage_root(s, s->default_prim) : -1;
    for (int i = 0; i < s->prim_count && chosen < 0; i++)
        if (s->prims[i].parent < 0 && j->take[i] != 0 && s->prims[i].kind != RLTI_PRIM_OTHER)
            chosen = i;
    return chosen >= 0 && j->take[chosen] != 0 ? s->prims[chosen].name : NULL;
}

static rlt_status check_prims(job *j) {
    const rlti_stage *s = j->stage;
    size_t tracks = (size_t)s->attribute_count + (size_t)s->prim_count + 1;
    for (int i = 0; i < s->prim_count; i++)
        tracks += s->prims[i].has_transform ? (size_t)rlti_usd_operation_count(s, &s->prims[i]) : 0;
    j->take = rlti_allocate((size_t)s->prim_count + 1, 1);
    j->unreadable = rlti_allocate((size_t)s->attribute_count + 1, 1);
    j->watch = RLTI_NEW(rlti_points_watch, s->prim_count + 1);
    j->handle = RLTI_NEW(int, s->prim_count + 1);
    j->tracks = RLTI_NEW(track, tracks);
    if (j->take == NULL || j->unreadable == NULL || j->watch == NULL || j->handle == NULL ||
        j->tracks == NULL)
        return rlti_out_of_memory(j->messages);
    if (rlti_choose_prims(s, j->def->prims, j->take) > 0)
        return RLT_OK;
    return j->def->prims != NULL
               ? rlti_fail(j->messages, RLT_BAD_INPUT, "%s: has no prim that fits %s", s->file, j->def->prims)
               : rlti_fail(j->messages, RLT_BAD_INPUT, "%s: has no prims to write", s->file);
}

/* Refuses a unit or an axis other than those that the file states: its points would mean something else. */
static rlt_status check_units(const job *j) {
    const rlti_stage *s = j->stage;
    double unit = j->def->metres_per_unit;
    if (unit < 0.0 || !isfinite(unit))
        return rlti_fail(j->messages, RLT_BAD_INPUT, "%s: metres per unit = %g: must be > 0", s->file, unit);
    if (unit > 0.0 && s->states_unit && fabs(unit - s->metres_per_unit) > 1e-6 * unit)
        return rlti_fail(j->messages, RLT_BAD_INPUT,
                         "%s: states that its unit is %g m, which %g metres per unit contradicts; leave them "
                         "out, or change metersPerUnit in the file",
                         s->file, s->metres_per_unit, unit);
    if (j->def->up_axis != 0 && s->states_axis && j->def->up_axis != s->up_axis)
        return rlti_fail(j->messages, RLT_BAD_INPUT,
                         "%s: states that %c is up, not %c; leave the axis out, or change upAxis in the file",
                         s->file, s->up_axis, j->def->up_axis);
    return RLT_OK;
}

/* Refuses a rate other than the file's own, like units: its frames would mean other times. */
static rlt_status check_rate(const job *j) {
    const rlti_stage *s = j->stage;
    double rate = j->def->frames_per_second;
    if (rate < 0.0 || !isfinite(rate))
        return rlti_fail(j->messages, RLT_BAD_INPUT, "%s: frames per second = %g: must be > 0", s->file,
                         rate);
    if (rate > 0.0 && !says_seconds(s) && s->frames_per_second > 0.0 &&
        fabs(rate - s->frames_per_second) > 1e-6 * rate)
        return rlti_fail(j->messages, RLT_BAD_INPUT,
                         "%s: states %g frames per second, not %g; leave the rate out, or change "
                         "framesPerSecond in the file",
                         s->file, s->frames_per_second, rate);
    return RLT_OK;
}

static int ends_in(const char *file, const char *ending) {
    const char *dot = strrchr(file, '.');
    return dot != NULL && strncmp(dot, ending, strlen(ending)) == 0;
}

/* Warns of a rate at which samples that are frames of their file would lie between frames. */
static void warn_rate(const job *j, const char *to) {
    const rlti_stage *s = j->stage;
    double rate = j->def->frames_per_second, own = own_rate(s);
    if (!(rate > 0.0) || !says_seconds(s) || !ends_in(to, ".usd") || fabs(rate - own) <= 1e-6 * rate ||
        count_between(s, own) > 0 || count_between(s, rate) == 0)
        return;
    rlti_message(j->messages, RLT_WARNING,
                 "%s: its samples are frames of %g a second; at %g they lie between frames, with time codes "
                 "that have fractions; leave the rate out, or give %g",
                 s->file, own, rate, own);
}

/* Warns of settings that this target has no use for. */
static void warn_idle(const job *j, const char *to) {
    if (j->def->unreal != RLT_UNREAL_NONE && !ends_in(to, ".usd") && !ends_in(to, ".abc"))
        rlti_message(j->messages, RLT_WARNING,
                     "%s: cannot hold Unreal's attributes, which are left out; write .abc or .usda", to);
    if (j->def->keep_axis)
        rlti_warn_axis(to, ends_in(to, ".abc"),
                       (char)(j->def->up_axis != 0 ? j->def->up_axis : j->stage->up_axis), j->messages);
    warn_rate(j, to);
    int links = 0;
    for (int i = 0; i < j->stage->prim_count && !rlti_sink_is_usd(j->sink); i++)
        links += j->take[i] == 2 ? rlti_stage_count_links(j->stage, &j->stage->prims[i]) : 0;
    rlti_warn_links(to, links, j->messages);
}

/* Units and axis of the target; says so where they have to be guessed. */
static void choose_units(const job *j, const char *to, rlti_sink_def *sink) {
    const rlti_stage *s = j->stage;
    sink->metres_per_unit = j->def->metres_per_unit > 0.0 ? j->def->metres_per_unit : s->metres_per_unit;
    sink->up_axis = (char)(j->def->up_axis != 0 ? j->def->up_axis : s->up_axis);
    sink->keeps_axis = j->def->keep_axis;
    if (!ends_in(to, ".usd")) {
        int is_turned = ends_in(to, ".abc") && !sink->keeps_axis;
        if (s->metres_per_unit > 0.0)
            rlti_message(j->messages, RLT_NOTE, "%s: cannot state its unit (%g m) and that %c is up", to,
                         sink->metres_per_unit, sink->up_axis == 'Z' && !is_turned ? 'Z' : 'Y');
        return;
    }
    if (sink->metres_per_unit == 0.0 || sink->up_axis == 0) {
        sink->metres_per_unit = sink->metres_per_unit > 0.0 ? sink->metres_per_unit : 0.01;
        sink->up_axis = (char)(sink->up_axis != 0 ? sink->up_axis : 'Y');
        rlti_message(j->messages, RLT_WARNING,
                     "%s: does not state its unit and which axis is up: taken as %g m and %c; give metres "
                     "per unit and up axis where they differ",
                     s->file, sink->metres_per_unit, sink->up_axis);
    }
}

static rlt_status open_sink(job *j, const char *to) {
    const rlti_stage *s = j->stage;
    double fps = frames_per_second(j);
    rlti_sink_def def = {.codes_per_second = s->codes_per_second, .frames_per_second = fps};
    j->scale = 1.0;
    if (says_seconds(s) && ends_in(to, ".usd")) {
        j->scale = fps;
        def.codes_per_second = fps;
    }
    choose_range(j, fps);
    choose_units(j, to, &def);
    def.first_time = time_of(j, s->first_time > j->first ? s->first_time : j->first);
    def.last_time = time_of(j, s->last_time < j->last ? s->last_time : j->last);
    if (j->is_still || (s->first_time == s->last_time && s->first_time == 0.0)) {
        def.first_time = 0.0;
        def.last_time = -1.0;
    }
    def.default_prim = default_prim(j);
    def.title = s->doc;
    rlt_status status = check_range(j, fps);
    return status == RLT_OK ? rlti_sink_open(to, &def, j->messages, &j->sink) : status;
}

/* A format of one frame takes the first. */
static void hold_still(job *j) {
    const rlti_stage *s = j->stage;
    int moves = 0;
    for (int i = 0; i < s->attribute_count; i++)
        moves |= s->attributes[i].sample_count > 1;
    int is_one = j->def->has_first && j->def->has_last && j->def->first == j->def->last;
    if (moves && !j->is_still && !is_one)
        rlti_message(j->messages, RLT_WARNING, "%s: holds one frame only; the first is written",
                     j->sink->path);
    j->is_still = 1;
    choose_range(j, frames_per_second(j));
}

static rlt_status copy_all(job *j) {
    rlt_status status = rlti_sink_is_usd(j->sink) ? rlti_take_looks(j->stage, j->take, j->messages) : RLT_OK;
    for (int i = 0; i < j->stage->prim_count && status == RLT_OK; i++) {
        j->handle[i] = -1;
        if (j->take[i] != 0)
            status = declare_prim(j, i);
    }
    if (status == RLT_OK && j->def->unreal != RLT_UNREAL_NONE)
        status = add_unreal(j);
    for (int i = 0; i < j->track_count && status == RLT_OK; i++)
        status = put_still(j, &j->tracks[i]);
    if (status == RLT_OK && !j->is_still)
        status = put_times(j);
    return status;
}

rlt_status rlt_convert(const char *from, const char *to, const rlt_convert_def *def, rlt_messages *messages,
                       rlt_convert_result *result) {
    rlti_stage *stage = NULL;
    rlt_convert_def own = {0};
    job j = {.def = &own, .messages = messages};
    rlt_convert_result counts = {0}; /* written before the work: a size that is not set is found at once */
    if (RLTI_READ(rlt_convert_def, &own, def, messages) != RLT_OK ||
        (result != NULL && RLTI_WRITE(rlt_convert_result, result, &counts, messages) != RLT_OK))
        return RLT_BAD_INPUT;
    rlt_status status = rlti_stage_open_as(from, own.variants != NULL ? own.variants : "", messages, &stage);
    j.stage = stage;
    j.is_still = own.is_still || own.unreal == RLT_UNREAL_GROOM;
    if (status == RLT_OK)
        status = report_progress(&j, to); /* a long text takes a while to be opened */
    if (status == RLT_OK)
        status = check_prims(&j);
    if (status == RLT_OK)
        status = check_units(&j);
    if (status == RLT_OK)
        status = check_rate(&j);
    if (status == RLT_OK)
        status = rlt_inputs_check(stage->inputs, to, messages);
    if (status == RLT_OK)
        status = open_sink(&j, to);
    if (status == RLT_OK)
        warn_idle(&j, to);
    if (status == RLT_OK && rlti_sink_is_still(j.sink))
        hold_still(&j);
    if (status == RLT_OK)
        status = copy_all(&j);
    if (status == RLT_OK)
        status = rlti_sink_close(j.sink, messages);
    else
        rlti_sink_abandon(j.sink);
    counts = (rlt_convert_result){.prims = j.prims, .attributes = j.track_count, .samples = j.done};
    if (result != NULL && status == RLT_OK)
        RLTI_WRITE(rlt_convert_result, result, &counts, NULL);
    for (int i = 0; i < j.track_count; i++)
        rlti_free(j.tracks[i].own_times);
    RLTI_FREE(j.take, j.handle, j.tracks, j.unreadable, j.watch);
    rlti_array_clear(&j.value);
    rlti_stage_close(stage);
    return status;
}
