/* Problems of a file for a simulation, or another program. One message for each kind of problem
 * of a prim, with how many there are and where the first is. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "files/convert.h"
#include "files/inspect.h"
#include "files/problems.h"

/* A strand below this share of its prim's mean length, and an edge below this share of its strand's mean, are
 * called degenerate: in single precision little is left of their direction. */
#define SHORT_STRAND 1e-3
#define SHORT_EDGE   1e-3

typedef struct search {
    const rlti_stage *stage;
    const rlti_prim *prim;
    rlt_messages *messages;
    int problems;
    rlt_status status;               /* RLT_FAILED: no memory, or the disk */
    double time;                     /* of the values; NAN: of the first sample */
    const unsigned char *unreadable; /* [attribute_count] 1: reported, and left out */
    int holds_points;                /* they are the caller's */
    rlti_array points, counts, indices, other;
} search;

#define PROBLEM(s, severity, ...)                                                                            \
    do {                                                                                                     \
        (s)->problems++;                                                                                     \
        rlti_message((s)->messages, severity, __VA_ARGS__);                                                  \
    } while (0)

static const rlti_attribute *built_in(const search *s, const char *name) {
    return rlti_stage_attribute(s->stage, s->prim, RLTI_BUILT_IN, name);
}

/* 1 for RLT_OK; anything else is a problem. */
static int succeeds(search *s, rlt_status status) {
    s->problems += status != RLT_OK;
    if (status == RLT_FAILED)
        s->status = status;
    return status == RLT_OK;
}

/* The value at a time; 0 where it is missing, blocked or cannot be read (which is reported). */
static int value_at(search *s, const rlti_attribute *a, double time, rlti_array *to) {
    if (a == NULL)
        return 0;
    return succeeds(s, rlti_stage_value(s->stage, s->prim, a, time, s->messages, to)) && !to->blocked;
}

static int whole_number(const rlti_array *array, size_t i, long long *value) {
    rlti_array one = {.type = array->type,
                      .count = 1,
                      .data = (const char *)array->data + i * rlti_element_size(array->type.element)};
    int number;
    one.type.arity = 1;
    if (!rlti_array_to_ints(&one, &number))
        return 0;
    *value = number;
    return 1;
}

/* Sum of counts, each at least `minimum`; -1 and a message where they make no sense. */
static long long sum_counts(search *s, const char *name, const rlti_array *counts, int minimum, double time) {
    long long sum = 0, bad = 0, first = 0;
    for (size_t i = 0; i < counts->count * (size_t)counts->type.arity; i++) {
        long long n = 0;
        if (!whole_number(counts, i, &n) || n < 0) {
            PROBLEM(s, RLT_WARNING, "%s: %s.%s: number %zu at time %g is no count", s->stage->file,
                    s->prim->path, name, i, time);
            return -1;
        }
        if (n < minimum && bad++ == 0)
            first = (long long)i;
        sum += n;
    }
    if (bad > 0)
        PROBLEM(s, RLT_WARNING, "%s: %s: %lld %s with fewer than %d points, the first is number %lld",
                s->stage->file, s->prim->path, bad, minimum == 2 ? "strands" : "faces", minimum, first);
    return sum;
}

/* The time at which an attribute is looked up. */
static double time_of(const search *s, const rlti_attribute *a) {
    if (!isnan(s->time))
        return s->time;
    return a->sample_count > 0 ? a->times[0] : 0.0;
}

static double component(const rlti_array *array, size_t i) {
    return array->type.element == RLTI_FLOAT    ? (double)((const float *)array->data)[i]
           : array->type.element == RLTI_DOUBLE ? ((const double *)array->data)[i]
           : array->type.element == RLTI_HALF   ? rlti_half_to_double(((const uint16_t *)array->data)[i])
                                                : 0.0;
}

/* How many numbers are not finite, and the first of them. */
static size_t count_not_finite(const rlti_array *array, size_t *first) {
    size_t bad = 0, elements = array->count * (size_t)array->type.arity;
    if (array->type.element == RLTI_FLOAT) { /* nearly always, and nearly always sound: quick */
        const float *numbers = array->data;
        int is_bad = 0;
        for (size_t i = 0; i < elements; i++)
            is_bad |= !(fabsf(numbers[i]) <= FLT_MAX);
        if (!is_bad)
            return 0;
    }
    for (size_t i = 0; i < elements; i++)
        if (!isfinite(component(array, i)) && bad++ == 0)
            *first = i;
    return bad;
}

int rlti_watch_points(rlti_points_watch *watch, const rlti_stage *stage, const rlti_prim *prim, double time,
                      const rlti_array *points, rlt_messages *messages) {
    search s = {.messages = messages};
    if (points->blocked)
        return 0;
    if (!watch->has_first)
        watch->first_count = points->count;
    watch->has_first = 1;
    if (points->count != watch->first_count && !watch->reported_count) {
        watch->reported_count = 1;
        PROBLEM(&s, RLT_WARNING, "%s: %s: topology changes: %zu points at time %g, %zu at first", stage->file,
                prim->path, points->count, time, watch->first_count);
    }
    size_t where = 0, bad = watch->reported_finite ? 0 : count_not_finite(points, &where);
    if (bad > 0) {
        watch->reported_finite = 1;
        PROBLEM(&s, RLT_WARNING, "%s: %s.points: not finite at time %g: %zu numbers, the first of point %zu",
                stage->file, prim->path, time, bad, where / (size_t)points->type.arity);
    }
    return s.problems;
}

/* Points at every sample: finite, and as many as at the first. */
static void check_points(search *s) {
    const rlti_attribute *a = built_in(s, "points");
    rlti_points_watch watch = {0};
    int last = a->sample_count > 0 ? a->sample_count : a->has_default;
    for (int k = 0; k < last; k++) {
        if (!succeeds(s, s->stage->reader->read(s->stage, s->prim, a, a->sample_count > 0 ? k : -1,
                                                s->messages, &s->points)))
            return;
        s->problems += rlti_watch_points(&watch, s->stage, s->prim, a->sample_count > 0 ? a->times[k] : 0.0,
                                         &s->points, s->messages);
    }
}

/* Counts or indices at every sample are those of the first. */
static void check_same(search *s, const char *name) {
    const rlti_attribute *a = built_in(s, name);
    if (a == NULL || a->sample_count < 2)
        return;
    if (!value_at(s, a, a->times[0], &s->other))
        return;
    for (int k = 1; k < a->sample_count; k++) {
        if (!value_at(s, a, a->times[k], &s->indices))
            return;
        if (!rlti_array_equal(&s->indices, &s->other)) {
            PROBLEM(s, RLT_WARNING, "%s: %s: topology changes: %s at time %g are not those of the first",
                    s->stage->file, s->prim->path, name, a->times[k]);
            return;
        }
    }
}

/* ---- strands without length ---- */

static double distance(const rlti_array *points, size_t a, size_t b) {
    double sum = 0.0;
    for (size_t c = 0; c < 3; c++) {
        double d = component(points, 3 * b + c) - component(points, 3 * a + c);
        sum += d * d;
    }
    return sqrt(sum);
}

/* Length of the strand, and its shortest edge. */
static double length_of(const rlti_array *points, size_t first, size_t count, double *shortest) {
    double length = 0.0;
    *shortest = HUGE_VAL;
    for (size_t i = first; i + 1 < first + count; i++) {
        double edge = distance(points, i, i + 1);
        length += edge;
        *shortest = edge < *shortest ? edge : *shortest;
    }
    return length;
}

static void check_lengths(search *s) {
    size_t strands = s->counts.count, first = 0, short_strands = 0, short_edges = 0, measured = 0;
    size_t strand_at = 0, edge_at = 0;
    double total = 0.0, shortest, minimum = HUGE_VAL, shortest_edge = HUGE_VAL;
    for (int pass = 0; pass < 2; pass++) {
        double mean = measured > 0 ? total / (double)measured : 0.0;
        first = 0;
        for (size_t k = 0; k < strands; k++) {
            long long count = 0;
            whole_number(&s->counts, k, &count);
            double length = length_of(&s->points, first, (size_t)count, &shortest);
            first += (size_t)count;
            if (count < 2 || !isfinite(length)) /* reported elsewhere */
                continue;
            if (pass == 0) {
                total += length;
                measured++;
                continue;
            }
            if (length <= SHORT_STRAND * mean && short_strands++ == 0) /* also where all are 0 long */
                strand_at = k;
            if (shortest < SHORT_EDGE * length / (double)(count - 1) && short_edges++ == 0)
                edge_at = k;
            minimum = length < minimum ? length : minimum;
            shortest_edge = shortest < shortest_edge ? shortest : shortest_edge;
        }
    }
    if (short_strands > 0)
        PROBLEM(s, RLT_WARNING,
                "%s: %s: %zu strands almost without length, the first is number %zu, the "
                "shortest %.3g long",
                s->stage->file, s->prim->path, short_strands, strand_at, minimum);
    if (short_edges > 0)
        PROBLEM(s, RLT_WARNING,
                "%s: %s: %zu strands with points almost in one place, the first is number %zu, the minimum "
                "distance %.3g",
                s->stage->file, s->prim->path, short_edges, edge_at, shortest_edge);
}

/* ---- attributes on the geometry ---- */

/* How many ends of segments the curves have: where "varying" values belong. */
static long long varying_count(const search *s) {
    const rlti_prim *p = s->prim;
    long long sum = 0, step = p->basis == RLTI_BASIS_BEZIER ? 3 : 1;
    for (size_t i = 0; i < s->counts.count; i++) {
        long long n = 0;
        whole_number(&s->counts, i, &n);
        if (p->curve_type == RLTI_CURVE_LINEAR || p->wrap == RLTI_WRAP_PINNED)
            sum += n;
        else if (p->wrap == RLTI_WRAP_PERIODIC)
            sum += n / step;
        else
            sum += (n - 4) / step + 2;
    }
    return sum;
}

static void check_attribute(search *s, const rlti_attribute *a, const long long expected[5]) {
    double time = time_of(s, a);
    long long wanted = expected[a->interpolation] * (a->element_size > 0 ? a->element_size : 1);
    if ((a->sample_count == 0 && !a->has_default) || a->is_index)
        return;
    if (!succeeds(s, rlti_stage_flat(s->stage, s->prim, a, time, s->messages, &s->other)))
        return;
    if (wanted >= 0 && a->type.is_array && !s->other.blocked && s->other.count > 0 &&
        (long long)s->other.count != wanted)
        PROBLEM(s, RLT_WARNING, "%s: %s.%s: %zu values, but %lld places", s->stage->file, s->prim->path,
                a->name, s->other.count, wanted);
}

static int rides_on_geometry(const rlti_attribute *a) {
    static const char *const names[] = {"widths", "velocities", "accelerations", "normals"};
    if (a->class_ == RLTI_PRIMVAR)
        return 1;
    for (size_t i = 0; a->class_ == RLTI_BUILT_IN && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(a->name, names[i]) == 0)
            return 1;
    return 0;
}

static void check_attributes(search *s, const long long expected[5]) {
    for (int i = 0; i < s->prim->attribute_count; i++) {
        const rlti_attribute *a = &s->stage->attributes[s->prim->first_attribute + i];
        if (rides_on_geometry(a) && !s->unreadable[s->prim->first_attribute + i])
            check_attribute(s, a, expected);
    }
}

/* ---- prims ---- */

/* Curves and meshes that place no numbers at all are of no use to anybody. */
static int has_points(search *s, const char *counts_name) {
    const rlti_attribute *points = built_in(s, "points"), *counts = built_in(s, counts_name);
    if (points == NULL || counts == NULL) {
        PROBLEM(s, RLT_WARNING, "%s: %s: has no %s", s->stage->file, s->prim->path,
                points == NULL ? "points" : counts_name);
        return 0;
    }
    if (points->type.arity == 3 && points->type.element >= RLTI_HALF && points->type.element <= RLTI_DOUBLE &&
        counts->type.arity == 1)
        return 1;
    PROBLEM(s, RLT_WARNING, "%s: %s: points or %s are of another type", s->stage->file, s->prim->path,
            counts_name);
    return 0;
}

/* A cubic segment needs four points; only pinned ends make do with two. */
static void check_short_cubics(search *s) {
    long long few = 0, first = 0;
    if (s->prim->curve_type != RLTI_CURVE_CUBIC || s->prim->wrap != RLTI_WRAP_NONPERIODIC)
        return;
    for (size_t i = 0; i < s->counts.count; i++) {
        long long n = 0;
        whole_number(&s->counts, i, &n);
        if ((n == 2 || n == 3) && few++ == 0)
            first = (long long)i;
    }
    if (few > 0)
        PROBLEM(
            s, RLT_WARNING,
            "%s: %s: %lld cubic curves of 2 or 3 points, the first is number %lld: others draw nothing of "
            "them; make the curves linear or pinned",
            s->stage->file, s->prim->path, few, first);
}

static void check_curves(search *s) {
    const rlti_attribute *points = built_in(s, "points");
    double time = time_of(s, points);
    if ((!s->holds_points && !value_at(s, points, time, &s->points)) ||
        !value_at(s, built_in(s, "curveVertexCounts"), time, &s->counts))
        return;
    long long sum = sum_counts(s, "curveVertexCounts", &s->counts, 2, time);
    if (sum < 0)
        return;
    if (sum != (long long)s->points.count) {
        PROBLEM(s, RLT_WARNING, "%s: %s: curveVertexCounts ask for %lld points, there are %zu",
                s->stage->file, s->prim->path, sum, s->points.count);
        return;
    }
    check_lengths(s);
    check_short_cubics(s);
    long long curves = (long long)s->counts.count;
    const long long expected[5] = {1, curves, varying_count(s), sum, -1};
    check_attributes(s, expected);
}

static void check_mesh(search *s) {
    const rlti_attribute *points = built_in(s, "points");
    double time = time_of(s, points);
    if ((!s->holds_points && !value_at(s, points, time, &s->points)) ||
        !value_at(s, built_in(s, "faceVertexCounts"), time, &s->counts) ||
        !value_at(s, built_in(s, "faceVertexIndices"), time, &s->indices))
        return;
    long long sum = sum_counts(s, "faceVertexCounts", &s->counts, 3, time);
    if (sum >= 0 && sum != (long long)s->indices.count) {
        PROBLEM(s, RLT_WARNING, "%s: %s: faceVertexCounts ask for %lld corners, there are %zu",
                s->stage->file, s->prim->path, sum, s->indices.count);
        return;
    }
    for (size_t i = 0; i < s->indices.count; i++) {
        long long v = -1;
        if (!whole_number(&s->indices, i, &v) || v < 0 || v >= (long long)s->points.count) {
            PROBLEM(s, RLT_WARNING, "%s: %s.faceVertexIndices: corner %zu names point %lld of %zu",
                    s->stage->file, s->prim->path, i, v, s->points.count);
            return;
        }
    }
    const long long expected[5] = {1, (long long)s->counts.count, (long long)s->points.count,
                                   (long long)s->points.count, sum};
    if (sum >= 0)
        check_attributes(s, expected);
}

/* Of curves and meshes; `moves`: at all times. `points`: those of all samples too. */
static void check_prim(search *s, int moves, int points) {
    int is_curves = s->prim->kind == RLTI_PRIM_CURVES;
    if ((!is_curves && s->prim->kind != RLTI_PRIM_MESH) ||
        !has_points(s, is_curves ? "curveVertexCounts" : "faceVertexCounts"))
        return;
    if (points)
        check_points(s);
    if (moves)
        check_same(s, is_curves ? "curveVertexCounts" : "faceVertexCounts");
    if (moves && !is_curves)
        check_same(s, "faceVertexIndices");
    if (is_curves)
        check_curves(s);
    else
        check_mesh(s);
}

static void clear(search *s) {
    if (!s->holds_points)
        rlti_array_clear(&s->points);
    rlti_array_clear(&s->counts);
    rlti_array_clear(&s->indices);
    rlti_array_clear(&s->other);
}

rlt_status rlti_prim_problems(const rlti_stage *stage, const rlti_prim *prim, double time, int is_still,
                              const rlti_array *points, const unsigned char *unreadable,
                              rlt_messages *messages) {
    search s = {.stage = stage,
                .prim = prim,
                .time = time,
                .unreadable = unreadable,
                .messages = rlt_messages_create()};
    if (s.messages == NULL)
        return rlti_out_of_memory(messages);
    if (points != NULL) {
        s.holds_points = 1;
        s.points = *points;
    }
    check_prim(&s, !is_still, 0);
    for (int i = 0; i < rlt_messages_count(s.messages); i++)
        if (rlt_messages_severity(s.messages, i) == RLT_WARNING || s.status != RLT_OK)
            rlti_message(messages, rlt_messages_severity(s.messages, i), "%s",
                         rlt_messages_text(s.messages, i));
    rlt_messages_destroy(s.messages);
    clear(&s);
    return s.status;
}

/* Attributes that convert leaves out. */
static void check_unreadable(search *s, const rlt_file *file, unsigned char *unreadable) {
    for (int i = 0; i < s->prim->attribute_count; i++) {
        int a = s->prim->first_attribute + i;
        unreadable[a] =
            !rlti_file_is_readable(file, a) &&
            rlti_is_unreadable(s->stage, s->prim, &s->stage->attributes[a], s->messages, &s->other);
        s->problems += unreadable[a];
    }
}

int rlt_file_problems(const rlt_file *file, rlt_messages *messages) {
    search s = {.stage = rlti_file_stage(file), .messages = messages, .time = (double)NAN};
    unsigned char *unreadable = rlti_allocate((size_t)s.stage->attribute_count + 1, 1);
    s.unreadable = unreadable;
    if (unreadable == NULL) {
        rlti_out_of_memory(messages);
        return 1;
    }
    for (int i = 0; i < s.stage->prim_count; i++) {
        s.prim = &s.stage->prims[i];
        check_unreadable(&s, file, unreadable);
        check_prim(&s, 1, 1);
    }
    clear(&s);
    rlti_free(unreadable);
    return s.problems;
}
