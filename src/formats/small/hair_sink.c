/* Cem Yuksel's .hair: strands of all curve prims after another, in the world, at the first time. Widths,
 * transparency and colours become values per point, or the header's one value where all are the same. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/messages.h"
#include "formats/tree/still_sink.h"

enum {
    HEADER_BYTES = 128,
    INFO_BYTES = 88,
    HAS_SEGMENTS = 1,
    HAS_POINTS = 2,
    SEGMENTS_MAX = 65535,
    SOME = 1024 /* values at a time */
};

/* Values that a strand or point may carry besides its place. */
typedef struct extra {
    const char *name;
    rlti_attribute_class class_;
    int arity;
    uint32_t bit;
    float usual[3]; /* where the groom has none */
} extra;

static const extra extras[] = {{"widths", RLTI_BUILT_IN, 1, 4, {0.0f, 0.0f, 0.0f}},
                               {"transparency", RLTI_PRIMVAR, 1, 8, {0.0f, 0.0f, 0.0f}},
                               {"displayColor", RLTI_PRIMVAR, 3, 16, {1.0f, 1.0f, 1.0f}}};
enum { EXTRAS = sizeof extras / sizeof extras[0] };

static int wants(const rlti_prim *prim, const rlti_attribute *attribute) {
    if (prim->kind != RLTI_PRIM_CURVES)
        return 0;
    if (attribute->class_ == RLTI_BUILT_IN &&
        (strcmp(attribute->name, "points") == 0 || strcmp(attribute->name, "curveVertexCounts") == 0))
        return 1;
    for (int i = 0; i < EXTRAS; i++)
        if (attribute->class_ == extras[i].class_ && strcmp(attribute->name, extras[i].name) == 0)
            return attribute->type.arity == extras[i].arity && attribute->type.element != RLTI_TEXT;
    return 0;
}

/* One prim's share of the file. */
typedef struct share {
    rlti_array points, counts;
    int is_used;
} share;

typedef struct totals {
    uint64_t strands, points;
    int64_t segments; /* of every strand; -1: they differ */
} totals;

static int count_at(const share *s, size_t i, int *count) {
    rlti_array one = {.type = s->counts.type,
                      .count = 1,
                      .data = (const char *)s->counts.data + i * rlti_element_size(s->counts.type.element)};
    return s->counts.type.arity == 1 && rlti_array_to_ints(&one, count);
}

static void find_share(const rlti_sink *sink, int prim, share *s) {
    *s = (share){0};
    s->is_used = sink->prims[prim].kind == RLTI_PRIM_CURVES &&
                 rlti_still_value_of(sink, prim, RLTI_BUILT_IN, "points", &s->points, NULL) &&
                 rlti_still_value_of(sink, prim, RLTI_BUILT_IN, "curveVertexCounts", &s->counts, NULL);
}

static rlt_status add_share(const rlti_sink *sink, int prim, const share *s, totals *t,
                            rlt_messages *messages) {
    const char *path = sink->prims[prim].path;
    uint64_t sum = 0;
    for (size_t i = 0; i < s->counts.count; i++) {
        int count;
        if (!count_at(s, i, &count) || count < 1 || count > SEGMENTS_MAX + 1)
            return rlti_refuse(messages,
                               "%s: %s: strand %zu: a .hair file holds strands of 1 to 65536 points",
                               sink->path, path, i);
        sum += (uint64_t)count;
        t->segments = t->strands + i == 0 || t->segments == count - 1 ? count - 1 : -1;
    }
    if (sum != s->points.count || s->points.type.arity != 3)
        return rlti_refuse(messages, "%s: %s: %zu points, but its curves have %llu together", sink->path,
                           path, s->points.count, (unsigned long long)sum);
    t->strands += s->counts.count;
    t->points += sum;
    if (t->strands > UINT32_MAX || t->points > UINT32_MAX)
        return rlti_refuse(messages, "%s: too many points for a .hair file", sink->path);
    return RLT_OK;
}

static rlt_status count_all(const rlti_sink *sink, totals *t, rlt_messages *messages) {
    *t = (totals){0};
    for (int prim = 0; prim < sink->prim_count; prim++) {
        share s;
        find_share(sink, prim, &s);
        rlt_status status = s.is_used ? add_share(sink, prim, &s, t, messages) : RLT_OK;
        if (status != RLT_OK)
            return status;
    }
    if (t->strands == 0)
        return rlti_refuse(messages, "%s: nothing to write: there are no curves", sink->path);
    return RLT_OK;
}

/* ---- values besides the points ---- */

/* One prim's values of one kind. */
typedef struct source {
    rlti_array values, indices;
    rlti_interpolation interpolation;
    int has_values, has_indices;
    double factor; /* widths grow with the prim's transform */
} source;

static size_t places(const source *o) {
    return o->has_indices ? o->indices.count : o->values.count;
}

static void find_source(const rlti_sink *sink, int prim, const share *s, const extra *e, source *o) {
    int attribute;
    double world[16];
    *o = (source){.factor = 1.0};
    if (!rlti_still_value_of(sink, prim, e->class_, e->name, &o->values, &attribute))
        return;
    const rlti_attribute *a = &sink->attributes[attribute];
    o->interpolation = a->interpolation;
    if (a->indices >= 0)
        o->has_indices = rlti_still_indices_of(sink, attribute, &o->indices);
    size_t count = places(o);
    if (o->interpolation == RLTI_VARYING)
        o->interpolation = RLTI_VERTEX;
    o->has_values = o->values.count > 0 && a->element_size <= 1 &&
                    count == (o->interpolation == RLTI_CONSTANT  ? 1
                              : o->interpolation == RLTI_UNIFORM ? s->counts.count
                                                                 : s->points.count);
    if (e->class_ == RLTI_BUILT_IN && rlti_still_world(sink, prim, world)) {
        double sum = 0.0;
        for (int i = 0; i < 12; i++)
            sum += i % 4 < 3 ? world[i] * world[i] : 0.0;
        o->factor = sqrt(sum / 3.0);
        if (fabs(o->factor - 1.0) < 1e-6) /* a rotation: rounding must not change the widths */
            o->factor = 1.0;
    }
}

/* The value at a place; the usual one where there is none. */
static void value_at(const extra *e, const source *o, size_t place, float *to) {
    double numbers[3];
    size_t index = place;
    memcpy(to, e->usual, sizeof(float) * (size_t)e->arity);
    if (!o->has_values)
        return;
    if (o->has_indices) {
        int found = -1;
        rlti_array one = {.type = o->indices.type,
                          .count = 1,
                          .data = (const char *)o->indices.data +
                                  place * rlti_element_size(o->indices.type.element)};
        if (!rlti_array_to_ints(&one, &found) || found < 0 || (size_t)found >= o->values.count)
            return;
        index = (size_t)found;
    }
    size_t size = rlti_element_size(o->values.type.element) * (size_t)e->arity;
    rlti_array one = {
        .type = o->values.type, .count = 1, .data = (const char *)o->values.data + index * size};
    if (o->values.type.element == RLTI_FLOAT && o->factor == 1.0)
        memcpy(to, one.data, size);
    else if (rlti_array_to_doubles(&one, numbers))
        for (int c = 0; c < e->arity; c++)
            to[c] = (float)(numbers[c] * o->factor);
}

/* 1 when all prims have one and the same value, now in `value`. */
static int is_one_value(const rlti_sink *sink, const extra *e, float value[3]) {
    int is_first = 1;
    memcpy(value, e->usual, sizeof e->usual);
    for (int prim = 0; prim < sink->prim_count; prim++) {
        share s;
        source o;
        float own[3] = {0.0f, 0.0f, 0.0f};
        find_share(sink, prim, &s);
        if (!s.is_used)
            continue;
        find_source(sink, prim, &s, e, &o);
        if (o.has_values && o.interpolation != RLTI_CONSTANT)
            return 0;
        value_at(e, &o, 0, own);
        if (!is_first && memcmp(own, value, sizeof(float) * (size_t)e->arity) != 0)
            return 0;
        memcpy(value, own, sizeof(float) * (size_t)e->arity);
        is_first = 0;
    }
    return 1;
}

static void write_extra(const rlti_sink *sink, const extra *e, rlti_stream *out) {
    for (int prim = 0; prim < sink->prim_count; prim++) {
        share s;
        source o;
        size_t point = 0;
        find_share(sink, prim, &s);
        if (!s.is_used)
            continue;
        find_source(sink, prim, &s, e, &o);
        for (size_t i = 0; i < s.counts.count; i++) {
            int count = 0;
            if (o.has_values && o.interpolation == RLTI_VERTEX && i % 4096 == 4095)
                rlti_still_forget(sink, &o.values, o.has_indices ? 0 : point);
            count_at(&s, i, &count);
            for (int k = 0; k < count; k++, point++) {
                float value[3];
                value_at(e, &o,
                         o.interpolation == RLTI_CONSTANT  ? 0
                         : o.interpolation == RLTI_UNIFORM ? i
                                                           : point,
                         value);
                rlti_stream_write(out, value, sizeof(float) * (size_t)e->arity);
            }
        }
    }
}

/* ---- the file ---- */

static void write_segments(const rlti_sink *sink, rlti_stream *out) {
    for (int prim = 0; prim < sink->prim_count; prim++) {
        share s;
        find_share(sink, prim, &s);
        for (size_t i = 0; s.is_used && i < s.counts.count; i++) {
            int count = 1;
            count_at(&s, i, &count);
            unsigned char bytes[2] = {(unsigned char)((count - 1) & 255), (unsigned char)((count - 1) >> 8)};
            rlti_stream_write(out, bytes, sizeof bytes);
        }
    }
}

static rlt_status write_points(const rlti_sink *sink, rlti_stream *out, rlt_messages *messages) {
    for (int prim = 0; prim < sink->prim_count; prim++) {
        share s;
        double world[16];
        find_share(sink, prim, &s);
        if (!s.is_used)
            continue;
        int moves = rlti_still_world(sink, prim, world);
        for (size_t first = 0; first < s.points.count; first += SOME) {
            size_t count = s.points.count - first < SOME ? s.points.count - first : SOME;
            float scratch[3 * SOME];
            if (!rlti_still_points(&s.points, first, count, moves ? world : NULL, scratch))
                return rlti_refuse(messages, "%s: %s.points: not numbers", sink->path,
                                   sink->prims[prim].path);
            rlti_stream_write(out, scratch, count * sizeof(float[3]));
            if (first / SOME % 256 == 255)
                rlti_still_forget(sink, &s.points, first);
        }
    }
    return RLT_OK;
}

static rlt_status compose(const rlti_sink *sink, rlti_stream *out, rlt_messages *messages) {
    totals t;
    unsigned char header[HEADER_BYTES] = "HAIR";
    uint32_t arrays = HAS_POINTS;
    rlt_status status = count_all(sink, &t, messages);
    if (status != RLT_OK)
        return status;
    size_t at = 20;
    for (int i = 0; i < EXTRAS; i++) {
        float value[3];
        if (!is_one_value(sink, &extras[i], value)) {
            arrays |= extras[i].bit;
            memcpy(value, extras[i].usual, sizeof value);
        }
        memcpy(header + at, value, sizeof(float) * (size_t)extras[i].arity);
        at += sizeof(float) * (size_t)extras[i].arity;
    }
    if (t.segments < 0)
        arrays |= HAS_SEGMENTS;
    uint32_t numbers[4] = {(uint32_t)t.strands, (uint32_t)t.points, arrays,
                           t.segments < 0 ? 0 : (uint32_t)t.segments};
    memcpy(header + 4, numbers, sizeof numbers);
    if (sink->def.title != NULL)
        strncpy((char *)header + at, sink->def.title, INFO_BYTES - 1);
    if (sink->fingerprint[0] != '\0') {
        char *info = (char *)header + at, mark[INFO_BYTES - RLTI_HAIR_MARK_AT + 1];
        snprintf(mark, sizeof mark, RLTI_HAIR_MARK "%s", sink->fingerprint);
        info[RLTI_HAIR_MARK_AT - 1] = '\0';
        memcpy(info + RLTI_HAIR_MARK_AT, mark, sizeof mark - 1);
    }
    rlti_stream_write(out, header, sizeof header);
    if (t.segments < 0)
        write_segments(sink, out);
    status = write_points(sink, out, messages);
    for (int i = 0; i < EXTRAS; i++)
        if (arrays & extras[i].bit)
            write_extra(sink, &extras[i], out);
    rlti_sink_seal(sink, out);
    return status;
}

const rlti_still_format rlti_hair_format = {".hair", "curves with widths, colours and transparency", wants,
                                            compose};
