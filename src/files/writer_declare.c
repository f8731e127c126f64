/* Contents of a file of simulated frames: prims, attributes, and the values without a time. */
#include <math.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/messages.h"
#include "files/looks.h"
#include "files/physics.h"
#include "files/unreal.h"
#include "files/writer_data.h"

/* Beyond this distance [unit] a float resolves less than 1e-3 units: points are written relative to a shift.
 */
#define FAR_FROM_ORIGIN 1e4

static const rlti_array_type int_array = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1};
static const rlti_array_type float_array = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1};
static const rlti_array_type point_array = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1};
static const rlti_array_type vector_array = {RLTI_FLOAT, 3, RLTI_ROLE_VECTOR, 1};
static const rlti_array_type box = {RLTI_FLOAT, 3, RLTI_ROLE_NONE, 1};

static rlt_status declare(rlt_writer *writer, int prim, const char *name, rlti_array_type type,
                          rlti_interpolation place, int *index, rlt_messages *messages) {
    int moves = writer->def.unreal != RLT_UNREAL_GROOM;
    return rlti_sink_declare(writer->sink, prim, name, RLTI_BUILT_IN, type, place, moves, messages, index);
}

rlt_status rlti_writer_declare_moving(rlt_writer *writer, int prim, int velocities, rlti_moving *moving,
                                      rlt_messages *messages) {
    *moving = (rlti_moving){-1, -1, -1};
    rlt_status status = declare(writer, prim, "points", point_array, RLTI_VERTEX, &moving->points, messages);
    if (status == RLT_OK && velocities)
        status =
            declare(writer, prim, "velocities", vector_array, RLTI_VERTEX, &moving->velocities, messages);
    if (status == RLT_OK)
        status = declare(writer, prim, "extent", box, RLTI_CONSTANT, &moving->extent, messages);
    return status;
}

rlt_status rlti_writer_write_vectors(rlt_writer *writer, int attribute, double time, const float *values,
                                     int count, rlt_messages *messages) {
    rlti_array value = {
        .type = writer->sink->attributes[attribute].type, .count = (size_t)count, .data = values};
    return rlti_sink_write(writer->sink, attribute, time, &value, messages);
}

void rlti_writer_extent(const float *vectors, int count, const double *widths, double half, float extent[6]) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < (size_t)count; i++) {
        double grow = widths != NULL ? 0.5 * widths[i] : half;
        for (size_t c = 0; c < 3; c++) {
            double x = (double)vectors[3 * i + c];
            low[c] = x - grow < low[c] ? x - grow : low[c];
            high[c] = x + grow > high[c] ? x + grow : high[c];
        }
    }
    for (int c = 0; c < 3; c++) {
        extent[c] = (float)low[c];
        extent[3 + c] = (float)high[c];
        if ((double)extent[c] > low[c])
            extent[c] = nextafterf(extent[c], -HUGE_VALF);
        if ((double)extent[3 + c] < high[c])
            extent[3 + c] = nextafterf(extent[3 + c], HUGE_VALF);
    }
}

/* ---- the scene's own prims ---- */

static void grow_box(const double *points, int count, double low[3], double high[3]) {
    for (size_t i = 0; i < 3 * (size_t)count; i++) {
        low[i % 3] = points[i] < low[i % 3] ? points[i] : low[i % 3];
        high[i % 3] = points[i] > high[i % 3] ? points[i] : high[i % 3];
    }
}

static void choose_shift(rlt_writer *writer, const rlt_frame_view *view) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    grow_box(view->points, view->strand_count > 0 ? view->point_count : 0, low, high);
    grow_box(view->vertices, view->vertex_count, low, high);
    int is_far = 0;
    for (int c = 0; c < 3; c++)
        is_far |= high[c] > FAR_FROM_ORIGIN || low[c] < -FAR_FROM_ORIGIN;
    for (int c = 0; c < 3; c++) {
        double centre = floor(0.5 * (low[c] + high[c]) + 0.5);
        writer->shift[c] = is_far && isfinite(centre) ? centre : 0.0;
    }
}

/* The look that pictures show: all of it as text for Ringlet, a colour of each strand for others. */
static rlt_status declare_look(rlt_writer *writer, const int *groups, int prim, int writes,
                               rlt_messages *messages) {
    static const rlti_array_type text = {RLTI_TEXT, 1, RLTI_ROLE_NONE, 0};
    static const rlti_array_type colour = {RLTI_FLOAT, 3, RLTI_ROLE_COLOUR, 1};
    const rlt_writer_def *def = &writer->def;
    size_t strands = (size_t)writer->own_count;
    rlt_status status = RLT_OK;
    if (def->look != NULL)
        status = rlti_sink_still(writer->sink, prim, RLTI_LOOK_NAME, RLTI_PRIMVAR, text, RLTI_CONSTANT,
                                 &def->look, 1, writes, messages);
    if (def->colours == NULL || def->colour_count < 1 || status != RLT_OK)
        return status;
    float *colours = RLTI_NEW(float, 3 * strands);
    if (colours == NULL)
        return rlti_out_of_memory(messages);
    for (size_t k = 0; k < strands; k++) {
        int section = groups[k] >= 0 && groups[k] < def->colour_count ? groups[k] : 0;
        for (size_t c = 0; c < 3; c++)
            colours[3 * k + c] = (float)def->colours[3 * (size_t)section + c];
    }
    status = rlti_sink_still(writer->sink, prim, "displayColor", RLTI_PRIMVAR, colour, RLTI_UNIFORM, colours,
                             strands, writes, messages);
    rlti_free(colours);
    return status;
}

/* Values per strand and per point that never change. */
static rlt_status declare_hair_values(rlt_writer *writer, const rlt_frame_view *view, int prim, int writes,
                                      rlt_messages *messages) {
    rlti_sink *sink = writer->sink;
    size_t strands = (size_t)writer->own_count, points = (size_t)writer->own_points, at = 0;
    int *counts = RLTI_NEW(int, strands), *groups = RLTI_NEW(int, strands);
    float *widths = RLTI_NEW(float, points), *rest = RLTI_NEW(float, 3 * points);
    rlt_status status = counts != NULL && groups != NULL && widths != NULL && rest != NULL
                            ? RLT_OK
                            : rlti_out_of_memory(messages);
    for (size_t k = 0; k < strands && status == RLT_OK; k++) {
        int strand = writer->own[k];
        size_t first = (size_t)view->first[strand];
        counts[k] = view->first[strand + 1] - view->first[strand];
        groups[k] = view->hair != NULL ? view->hair[strand] : 0;
        for (int i = 0; i < counts[k]; i++, at++) {
            size_t p = first + (size_t)i;
            widths[at] = (float)view->widths[p];
            for (size_t c = 0; c < 3 && view->rest != NULL; c++)
                rest[3 * at + c] = (float)(view->rest[3 * p + c] - writer->shift[c]);
        }
    }
    if (status == RLT_OK)
        status = rlti_sink_still(sink, prim, "curveVertexCounts", RLTI_BUILT_IN, int_array, RLTI_UNIFORM,
                                 counts, strands, writes, messages);
    if (status == RLT_OK)
        status = rlti_sink_still(sink, prim, "widths", RLTI_BUILT_IN, float_array, RLTI_VERTEX, widths,
                                 points, writes, messages);
    if (status == RLT_OK)
        status = rlti_sink_still(sink, prim, "hairId", RLTI_PRIMVAR, int_array, RLTI_UNIFORM, writer->own,
                                 strands, writes, messages);
    if (status == RLT_OK && view->hair != NULL)
        status = rlti_sink_still(sink, prim, "groupId", RLTI_PRIMVAR, int_array, RLTI_UNIFORM, groups,
                                 strands, writes, messages);
    if (status == RLT_OK)
        status = declare_look(writer, groups, prim, writes, messages);
    if (status == RLT_OK && view->rest != NULL)
        status = rlti_sink_still(sink, prim, "rest", RLTI_PRIMVAR, point_array, RLTI_VERTEX, rest, points,
                                 writes, messages);
    if (status == RLT_OK && writer->def.unreal != RLT_UNREAL_NONE) {
        rlti_unreal_curves unreal = {.curve_count = writer->own_count,
                                     .group_ids = groups,
                                     .ids = writer->own,
                                     .widths = widths,
                                     .width_count = points,
                                     .width_place = RLTI_VERTEX};
        status = rlti_unreal_add(sink, prim, &unreal, NULL, writes, messages);
    }
    RLTI_FREE(counts, groups, widths, rest);
    return status;
}

/* The curve passes through every simulated point, to both ends: only a pinned one does. Formats without them
 * have their writer's method to reach the ends (abc_curves.c). */
static rlt_status declare_hair(rlt_writer *writer, const rlt_frame_view *view, int root, int writes,
                               rlt_messages *messages) {
    int prim;
    rlti_prim hair = {.name = "Hair",
                      .type_name = "BasisCurves",
                      .kind = RLTI_PRIM_CURVES,
                      .curve_type = RLTI_CURVE_CUBIC,
                      .basis = RLTI_BASIS_CATMULL_ROM,
                      .wrap = RLTI_WRAP_PINNED};
    char *schemas = writer->def.physics != NULL ? rlti_physics_schemas(NULL) : NULL;
    if (schemas != NULL) { /* all that USD's physics knows */
        hair.api_schemas = schemas;
        hair.curve_type = RLTI_CURVE_LINEAR;
        hair.wrap = RLTI_WRAP_NONPERIODIC;
    }
    rlt_status status = rlti_sink_prim(writer->sink, root, &hair, messages, &prim);
    rlti_free(schemas);
    if (status == RLT_OK)
        status = declare_hair_values(writer, view, prim, writes, messages);
    if (status == RLT_OK && writer->def.physics != NULL)
        status = rlti_physics_declare_own(writer, view, prim, writes, messages);
    if (status == RLT_OK)
        status = rlti_writer_declare_moving(writer, prim, writer->has_velocities, &writer->hair, messages);
    return status;
}

static rlt_status declare_body(rlt_writer *writer, const rlt_frame_view *view, int root, int writes,
                               rlt_messages *messages) {
    int prim;
    size_t faces = (size_t)view->triangle_count;
    rlti_prim body = {.name = "Body", .type_name = "Mesh", .kind = RLTI_PRIM_MESH};
    int *counts = RLTI_NEW(int, faces);
    if (counts == NULL)
        return rlti_out_of_memory(messages);
    for (size_t i = 0; i < faces; i++)
        counts[i] = 3;
    rlt_status status = rlti_sink_prim(writer->sink, root, &body, messages, &prim);
    if (status == RLT_OK)
        status = rlti_sink_still(writer->sink, prim, "faceVertexCounts", RLTI_BUILT_IN, int_array,
                                 RLTI_UNIFORM, counts, faces, writes, messages);
    if (status == RLT_OK)
        status = rlti_sink_still(writer->sink, prim, "faceVertexIndices", RLTI_BUILT_IN, int_array,
                                 RLTI_FACE_VARYING, view->triangles, 3 * faces, writes, messages);
    if (status == RLT_OK)
        status = rlti_writer_declare_moving(writer, prim, 0, &writer->body, messages);
    rlti_free(counts);
    return status;
}

/* "/Ringlet" carries the shift, or the transform from the scene's world to the source file's. */
static rlt_status declare_root(rlt_writer *writer, const rlt_frame_view *view, int writes, int *root,
                               rlt_messages *messages) {
    double matrix[16];
    rlt_status status = RLT_OK;
    rlti_matrix_identity(matrix);
    for (int c = 0; c < 3; c++)
        matrix[12 + c] = writer->shift[c];
    if (writer->layout == RLTI_LAYOUT_SOURCE)
        status = rlti_writer_to_file(writer, view, matrix, messages);
    int moves = !rlti_matrix_is_identity(matrix);
    rlti_prim prim = {
        .name = "Ringlet", .type_name = "Xform", .kind = RLTI_PRIM_XFORM, .has_transform = moves};
    int is_groom = writer->def.unreal != RLT_UNREAL_NONE && writer->layout == RLTI_LAYOUT_OWN;
    if (is_groom)
        prim.api_schemas = RLTI_UNREAL_SCHEMA;
    if (status == RLT_OK)
        status = rlti_sink_prim(writer->sink, -1, &prim, messages, root);
    if (status == RLT_OK && moves && writes)
        status = rlti_sink_transform(writer->sink, *root, (double)NAN, matrix, messages);
    if (status == RLT_OK && is_groom)
        status = rlti_unreal_top(writer->sink, *root, writes, messages);
    return status;
}

rlt_status rlti_writer_declare(rlt_writer *writer, const rlt_frame_view *view, int writes,
                               rlt_messages *messages) {
    int root = -1, has_body = view->vertex_count > 0 && writer->layout != RLTI_LAYOUT_OVER;
    rlt_status status = RLT_OK;
    writer->hair = writer->body = (rlti_moving){-1, -1, -1};
    if (writes && writer->layout == RLTI_LAYOUT_OWN)
        choose_shift(writer, view);
    if (writer->layout == RLTI_LAYOUT_OWN)
        status = declare_root(writer, view, writes, &root, messages);
    if (status == RLT_OK && writer->own_count > 0)
        status = declare_hair(writer, view, root, writes, messages);
    if (status == RLT_OK && writer->source_count > 0)
        status = rlti_writer_declare_sources(writer, view, root, writes, messages);
    if (status == RLT_OK && has_body && writer->layout == RLTI_LAYOUT_SOURCE)
        status = declare_root(writer, view, writes, &root, messages);
    if (status == RLT_OK && has_body)
        status = declare_body(writer, view, root, writes, messages);
    return status;
}
