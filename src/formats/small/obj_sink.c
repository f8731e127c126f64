/* Wavefront .obj: meshes as faces with their texture coordinates, curves as lines, in the world, at the first
 * time. */
#include <string.h>

#include "base/messages.h"
#include "base/number.h"
#include "formats/tree/still_sink.h"

enum { SOME = 1024 /* points at a time */ };

static int wants(const rlti_prim *prim, const rlti_attribute *attribute) {
    const char *name = attribute->name;
    if (attribute->class_ == RLTI_PRIMVAR)
        return prim->kind == RLTI_PRIM_MESH && strcmp(name, "st") == 0 && attribute->type.arity == 2 &&
               attribute->type.element == RLTI_FLOAT && attribute->element_size <= 1 &&
               attribute->interpolation >= RLTI_VARYING;
    if (attribute->class_ != RLTI_BUILT_IN)
        return 0;
    if (prim->kind == RLTI_PRIM_CURVES)
        return strcmp(name, "points") == 0 || strcmp(name, "curveVertexCounts") == 0;
    return prim->kind == RLTI_PRIM_MESH &&
           (strcmp(name, "points") == 0 || strcmp(name, "faceVertexCounts") == 0 ||
            strcmp(name, "faceVertexIndices") == 0);
}

static int int_at(const rlti_array *array, size_t i, int *value) {
    rlti_array one = {.type = array->type,
                      .count = 1,
                      .data = (const char *)array->data + i * rlti_element_size(array->type.element)};
    return i < array->count && array->type.arity == 1 && rlti_array_to_ints(&one, value);
}

static rlt_status write_points(const rlti_sink *sink, int prim, const rlti_array *points, rlti_stream *out,
                               rlt_messages *messages) {
    double world[16];
    int moves = rlti_still_world(sink, prim, world);
    for (size_t first = 0; first < points->count; first += SOME) {
        size_t count = points->count - first < SOME ? points->count - first : SOME;
        float scratch[3 * SOME];
        if (!rlti_still_points(points, first, count, moves ? world : NULL, scratch))
            return rlti_refuse(messages, "%s: %s.points: not points", sink->path, sink->prims[prim].path);
        for (size_t i = 0; i < count; i++) {
            char *text = rlti_stream_reserve(out, 4 + 3 * RLTI_FLOAT_TEXT), *at = text;
            *at++ = 'v';
            for (int c = 0; c < 3; c++) {
                *at++ = ' ';
                at += rlti_format_float(scratch[3 * i + (size_t)c], at);
            }
            *at++ = '\n';
            rlti_stream_take(out, (size_t)(at - text));
        }
    }
    return RLT_OK;
}

static void write_index(rlti_stream *out, char before, uint64_t index) {
    char *text = rlti_stream_reserve(out, 24), digits[24];
    int count = 0;
    do
        digits[count++] = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    *text++ = before;
    for (int i = count; i > 0; i--)
        *text++ = digits[i - 1];
    rlti_stream_take(out, (size_t)count + 1);
}

/* Texture coordinates of a mesh. */
typedef struct textures {
    rlti_array values, indices;
    int has_values, has_indices;
    int by_corner; /* else by point */
    uint64_t first;
} textures;

static void find_textures(const rlti_sink *sink, int prim, size_t points, size_t corners, uint64_t first,
                          textures *t) {
    int attribute;
    *t = (textures){.first = first};
    if (sink->prims[prim].kind != RLTI_PRIM_MESH ||
        !rlti_still_value_of(sink, prim, RLTI_PRIMVAR, "st", &t->values, &attribute))
        return;
    const rlti_attribute *a = &sink->attributes[attribute];
    t->has_indices = a->indices >= 0 && rlti_still_indices_of(sink, attribute, &t->indices);
    t->by_corner = a->interpolation == RLTI_FACE_VARYING;
    t->has_values =
        (t->has_indices ? t->indices.count : t->values.count) == (t->by_corner ? corners : points);
}

static void write_textures(const textures *t, rlti_stream *out) {
    const float *pair = t->values.data;
    for (size_t i = 0; t->has_values && i < t->values.count; i++, pair += 2) {
        char *text = rlti_stream_reserve(out, 8 + 2 * RLTI_FLOAT_TEXT), *at = text;
        *at++ = 'v';
        *at++ = 't';
        for (int c = 0; c < 2; c++) {
            *at++ = ' ';
            at += rlti_format_float(pair[c], at);
        }
        *at++ = '\n';
        rlti_stream_take(out, (size_t)(at - text));
    }
}

/* The number of the texture coordinates at a corner, from 0; -1 where they lead nowhere. */
static int64_t texture_at(const textures *t, size_t corner, int point) {
    size_t place = t->by_corner ? corner : (size_t)point;
    int index = 0;
    if (!t->has_indices)
        return (int64_t)place;
    return int_at(&t->indices, place, &index) && index >= 0 && (size_t)index < t->values.count ? index : -1;
}

/* Runs of corners as lines ("l", indices NULL: point after point) or faces. */
static rlt_status write_runs(const rlti_sink *sink, int prim, const rlti_array *counts,
                             const rlti_array *indices, size_t points, uint64_t first, const textures *t,
                             rlti_stream *out, rlt_messages *messages) {
    size_t corner = 0, corners = indices != NULL ? indices->count : points;
    int turns = indices != NULL && sink->prims[prim].left_handed;
    for (size_t i = 0; i < counts->count; i++) {
        int count = 0;
        if (!int_at(counts, i, &count) || count < 0 || (size_t)count > corners - corner)
            break;
        if (count >= (indices != NULL ? 3 : 2)) {
            rlti_stream_text(out, indices != NULL ? "f" : "l");
            for (int k = 0; k < count; k++) {
                int index = 0;
                size_t place = corner + (size_t)(turns && k > 0 ? count - k : k);
                if (indices != NULL &&
                    (!int_at(indices, place, &index) || index < 0 || (size_t)index >= points))
                    return rlti_refuse(messages,
                                       "%s: %s.faceVertexIndices: corner %zu does not lead to a point",
                                       sink->path, sink->prims[prim].path, place);
                write_index(out, ' ', first + (indices != NULL ? (uint64_t)index : place));
                int64_t texture = t->has_values ? texture_at(t, place, index) : -1;
                if (texture >= 0)
                    write_index(out, '/', t->first + (uint64_t)texture);
            }
            rlti_stream_text(out, "\n");
        }
        corner += (size_t)count;
    }
    if (corner != corners)
        return rlti_refuse(messages, "%s: %s: its counts do not fit its %s", sink->path,
                           sink->prims[prim].path, indices != NULL ? "faceVertexIndices" : "points");
    return RLT_OK;
}

static rlt_status compose(const rlti_sink *sink, rlti_stream *out, rlt_messages *messages) {
    uint64_t first = 1, first_texture = 1; /* indices count from 1, over the whole file */
    if (sink->def.title != NULL && strpbrk(sink->def.title, "\r\n") == NULL) {
        rlti_stream_text(out, "# ");
        rlti_stream_text(out, sink->def.title);
        rlti_stream_text(out, "\n");
    }
    for (int prim = 0; prim < sink->prim_count; prim++) {
        rlti_array points, counts, indices;
        int is_mesh = sink->prims[prim].kind == RLTI_PRIM_MESH;
        if (!rlti_still_value_of(sink, prim, RLTI_BUILT_IN, "points", &points, NULL) ||
            !rlti_still_value_of(sink, prim, RLTI_BUILT_IN,
                                 is_mesh ? "faceVertexCounts" : "curveVertexCounts", &counts, NULL) ||
            (is_mesh && !rlti_still_value_of(sink, prim, RLTI_BUILT_IN, "faceVertexIndices", &indices, NULL)))
            continue;
        rlti_stream_text(out, "o ");
        rlti_stream_text(out, sink->prims[prim].name);
        rlti_stream_text(out, "\n");
        textures t;
        find_textures(sink, prim, points.count, is_mesh ? indices.count : 0, first_texture, &t);
        rlt_status status = write_points(sink, prim, &points, out, messages);
        write_textures(&t, out);
        if (status == RLT_OK)
            status = write_runs(sink, prim, &counts, is_mesh ? &indices : NULL, points.count, first, &t, out,
                                messages);
        if (status != RLT_OK)
            return status;
        first += points.count;
        first_texture += t.has_values ? t.values.count : 0;
    }
    if (first == 1)
        return rlti_refuse(messages, "%s: nothing to write: there are no meshes", sink->path);
    return RLT_OK;
}

const rlti_still_format rlti_obj_format = {".obj", "meshes with texture coordinates and lines", wants,
                                           compose};
