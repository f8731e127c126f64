/* Faces of a mesh prim: checked, smoothed, cut into triangles; values at their corners. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "geometry/geometry_data.h"
#include "base/matrix.h"
#include "geometry/triangulate.h"

static const rlti_prim *prim_of(const rlti_geometry_private *p) {
    return &p->out.stage->prims[p->out.prim];
}

static rlt_status check_faces(const rlti_geometry_private *p, rlt_messages *messages) {
    const char *file = p->out.stage->file, *path = prim_of(p)->path;
    long long sum = 0;
    for (int f = 0; f < p->face_count; f++) {
        if (p->face_counts[f] < 0)
            return rlti_refuse(messages, "%s: %s.faceVertexCounts: face %d has %d corners", file, path, f,
                               p->face_counts[f]);
        sum += p->face_counts[f];
    }
    if (sum != p->corner_count)
        return rlti_refuse(messages,
                           "%s: %s: faceVertexCounts add up to %lld, but there are %d faceVertexIndices",
                           file, path, sum, p->corner_count);
    for (int f = 0, c = 0; f < p->face_count; f++)
        for (int i = 0; i < p->face_counts[f]; i++, c++)
            if (p->corners[c] < 0 || p->corners[c] >= p->out.cage_count)
                return rlti_refuse(
                    messages,
                    "%s: %s.faceVertexIndices: corner %d of face %d is point %d, but there are %d "
                    "points",
                    file, path, i, f, p->corners[c], p->out.cage_count);
    return RLT_OK;
}

static rlt_status smooth(rlti_geometry_private *p, rlt_messages *messages) {
    const rlti_prim *prim = prim_of(p);
    rlti_cage cage = {p->out.cage_count, p->face_count, p->face_counts, p->corners};
    char place[1024];
    p->out.point_count = p->out.cage_count;
    if (p->def.levels == 0 || prim->scheme == RLTI_SCHEME_NONE)
        return RLT_OK;
    snprintf(place, sizeof place, "%s: %s", p->out.stage->file, prim->path);
    rlt_status status = rlti_subdivide(place, prim->scheme, 0, p->def.levels, &cage, messages, &p->smooth);
    if (status == RLT_OK)
        p->out.point_count = p->smooth->point_count;
    return status;
}

/* Faces to be drawn, and how many triangles they give; holes and faces of less than three corners are not. */
typedef struct face_list {
    int count;
    const int *counts, *corners, *from; /* from NULL: faces of the file themselves */
    unsigned char *is_left_out;         /* [face_count of the file] */
    int triangles, largest;
} face_list;

static rlt_status list_faces(rlti_geometry_private *p, rlt_messages *messages, face_list *list) {
    int degenerate = 0;
    long long triangles = 0;
    *list = (face_list){p->face_count, p->face_counts, p->corners, NULL, NULL, 0, 0};
    if (p->smooth != NULL)
        *list = (face_list){p->smooth->face_count,
                            p->smooth->face_counts,
                            p->smooth->corners,
                            p->smooth->face_from,
                            NULL,
                            0,
                            0};
    list->is_left_out = RLTI_NEW(unsigned char, p->face_count);
    if (list->is_left_out == NULL)
        return rlti_out_of_memory(messages);
    for (int i = 0; i < p->hole_count; i++)
        if (p->holes[i] >= 0 && p->holes[i] < p->face_count)
            list->is_left_out[p->holes[i]] = 1;
    for (int f = 0; f < p->face_count; f++)
        if (p->face_counts[f] < 3 && !list->is_left_out[f]) {
            list->is_left_out[f] = 1;
            degenerate++;
        }
    for (int f = 0; f < list->count; f++) {
        if (list->is_left_out[list->from != NULL ? list->from[f] : f])
            continue;
        triangles += list->counts[f] - 2;
        list->largest = list->counts[f] > list->largest ? list->counts[f] : list->largest;
    }
    const char *file = p->out.stage->file, *path = prim_of(p)->path;
    if (degenerate > 0)
        rlti_warn(messages, "%s: %s: %d faces of less than three corners left out", file, path, degenerate);
    if (triangles == 0)
        return rlti_refuse(messages, "%s: %s: the mesh has no faces", file, path);
    if (triangles > INT_MAX / 4)
        return rlti_refuse(messages, "%s: %s: too many faces", file, path);
    list->triangles = (int)triangles;
    return RLT_OK;
}

static rlt_status cut(rlti_geometry_private *p, const face_list *list, int flips, rlt_messages *messages) {
    size_t count = (size_t)list->triangles;
    int *scratch = RLTI_NEW(int, 2 * (size_t)list->largest);
    double(*points)[3] = rlti_allocate((size_t)p->out.point_count, sizeof *points);
    int ok = RLTI_ALLOCATE(RLTI_ITEMS(p->triangles, count), RLTI_ITEMS(p->triangle_corners, count),
                           RLTI_ITEMS(p->triangle_faces, count)) &&
             scratch != NULL && points != NULL;
    if (ok && p->smooth != NULL)
        rlti_subdivision_apply(p->smooth, 3, p->cage[0], points[0]);
    else if (ok)
        memcpy(points, p->cage, (size_t)p->out.cage_count * sizeof *points);
    int made = 0;
    for (int f = 0, first = 0; ok && f < list->count; first += list->counts[f++]) {
        int from = list->from != NULL ? list->from[f] : f, n = list->counts[f];
        if (list->is_left_out[from])
            continue;
        rlti_triangulate((const double(*)[3])points, list->corners + first, n, scratch,
                         &p->triangle_corners[made]);
        for (int t = 0; t < n - 2; t++, made++) {
            int *corners = p->triangle_corners[made];
            int swap = corners[1];
            if (flips) {
                corners[1] = corners[2];
                corners[2] = swap;
            }
            for (int k = 0; k < 3; k++) {
                corners[k] += first;
                p->triangles[made][k] = list->corners[corners[k]];
            }
            p->triangle_faces[made] = from;
        }
    }
    RLTI_FREE(scratch, points);
    return ok ? RLT_OK : rlti_out_of_memory(messages);
}

rlt_status rlti_geometry_open_mesh(rlti_geometry_private *p, rlt_messages *messages) {
    double matrix[16];
    face_list list = {0};
    rlt_status status = check_faces(p, messages);
    if (status == RLT_OK)
        status = smooth(p, messages);
    if (status == RLT_OK)
        status = rlti_geometry_matrix(&p->out, p->def.time, messages, matrix);
    if (status == RLT_OK)
        status = list_faces(p, messages, &list);
    if (status == RLT_OK) {
        int mirrors = rlti_matrix_determinant3(matrix) < 0.0;
        status = cut(p, &list, mirrors != (prim_of(p)->left_handed != 0), messages);
    }
    rlti_free(list.is_left_out);
    p->out.triangle_count = status == RLT_OK ? list.triangles : 0;
    p->out.triangles = (const int(*)[3])p->triangles;
    p->out.triangle_corners = (const int(*)[3])p->triangle_corners;
    p->out.triangle_faces = p->triangle_faces;
    return status;
}

/* ---- values at corners ---- */

/* The refinement of values at corners: every face by itself, linear. */
static rlt_status smooth_corners(rlti_geometry_private *p, rlt_messages *messages) {
    if (p->smooth == NULL || p->smooth_corners != NULL)
        return RLT_OK;
    int *own = RLTI_NEW(int, p->corner_count);
    if (own == NULL)
        return rlti_out_of_memory(messages);
    for (int c = 0; c < p->corner_count; c++)
        own[c] = c;
    rlti_cage cage = {p->corner_count, p->face_count, p->face_counts, own};
    rlt_status status = rlti_subdivide(prim_of(p)->path, prim_of(p)->scheme, 1, p->def.levels, &cage,
                                       messages, &p->smooth_corners);
    rlti_free(own);
    return status;
}

static size_t places_of(const rlti_geometry_private *p, rlti_interpolation interpolation) {
    switch (interpolation) {
    case RLTI_CONSTANT:
        return 1;
    case RLTI_UNIFORM:
        return (size_t)p->face_count;
    case RLTI_FACE_VARYING:
        return (size_t)p->corner_count;
    default:
        return (size_t)p->out.cage_count;
    }
}

/* Where the value of a triangle's corner is, among values per place (refined where they are). */
static int place_at(const rlti_geometry_private *p, rlti_interpolation interpolation, int triangle, int k) {
    switch (interpolation) {
    case RLTI_CONSTANT:
        return 0;
    case RLTI_UNIFORM:
        return p->triangle_faces[triangle];
    case RLTI_FACE_VARYING: {
        int corner = p->triangle_corners[triangle][k];
        return p->smooth_corners != NULL ? p->smooth_corners->corners[corner] : corner;
    }
    default:
        return p->triangles[triangle][k];
    }
}

rlt_status rlti_geometry_corner_values(rlti_geometry *geometry, const rlti_attribute *attribute, double time,
                                       rlt_messages *messages, double *values) {
    rlti_geometry_private *p = (rlti_geometry_private *)geometry;
    const rlti_stage *stage = geometry->stage;
    const rlti_prim *prim = prim_of(p);
    rlti_array array = {0};
    double *plain = NULL, *refined = NULL;
    rlti_interpolation where = attribute->interpolation;
    rlt_status status = where == RLTI_FACE_VARYING ? smooth_corners(p, messages) : RLT_OK;
    if (status == RLT_OK)
        status = rlti_stage_flat(stage, prim, attribute, time, messages, &array);
    int arity = array.type.arity;
    if (status == RLT_OK && (array.blocked || array.type.element == RLTI_TEXT || arity < 1 ||
                             array.count != places_of(p, where) || attribute->element_size > 1))
        status = rlti_refuse(messages, "%s: %s.%s: %zu values, but there are %zu places for them",
                             stage->file, prim->path, attribute->name, array.count, places_of(p, where));
    const rlti_subdivision *by = where == RLTI_FACE_VARYING                      ? p->smooth_corners
                                 : where == RLTI_VERTEX || where == RLTI_VARYING ? p->smooth
                                                                                 : NULL;
    if (status == RLT_OK) {
        plain = RLTI_NEW(double, array.count *(size_t)arity);
        if (by != NULL)
            refined = RLTI_NEW(double, (size_t)by->point_count *(size_t)arity);
        if (plain == NULL || (by != NULL && refined == NULL) || !rlti_array_to_doubles(&array, plain))
            status = rlti_out_of_memory(messages);
    }
    if (status == RLT_OK) {
        if (by != NULL)
            rlti_subdivision_apply(by, arity, plain, refined);
        const double *from = by != NULL ? refined : plain;
        size_t one = (size_t)arity * sizeof *values;
        for (int t = 0; t < geometry->triangle_count; t++)
            for (int k = 0; k < 3; k++)
                memcpy(values + (size_t)(3 * t + k) * (size_t)arity,
                       from + (size_t)place_at(p, where, t, k) * (size_t)arity, one);
    }
    RLTI_FREE(plain, refined);
    rlti_array_clear(&array);
    return status;
}
