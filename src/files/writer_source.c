/* The part of a written file that follows the files hair was read from: paths, transforms, kept attributes.
 */
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/messages.h"
#include "files/assets.h"
#include "files/convert.h"
#include "files/looks.h"
#include "files/physics.h"
#include "files/transform_times.h"
#include "files/unreal.h"
#include "files/writer_data.h"
#include "io/relative.h"

rlt_status rlti_writer_open_sources(rlt_writer *writer, const rlt_frame_view *view, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int k = 0; k < view->source_count && status == RLT_OK; k++) {
        const rlt_source *source = view->sources[k];
        rlti_written_source *to = &writer->sources[k];
        for (int j = 0; j < k && to->stage == NULL; j++)
            if (strcmp(view->sources[j]->file, source->file) == 0)
                to->stage = writer->sources[j].stage;
        if (to->stage == NULL) {
            status = rlti_inputs_still(view->inputs, source->file, messages);
            if (status != RLT_OK)
                return status;
            status = rlti_stage_open_as(source->file, source->variants, NULL,
                                        &writer->stages[k]); /* warnings were reported before */
            if (status != RLT_OK)
                status = rlti_stage_open_as(source->file, source->variants, messages, &writer->stages[k]);
            to->stage = writer->stages[k];
        }
        to->from = status == RLT_OK ? rlti_stage_find(to->stage, source->prim) : -1;
        if (status == RLT_OK && to->from < 0)
            status =
                rlti_fail(messages, RLT_BAD_INPUT, "%s: %s: no longer exists", source->file, source->prim);
    }
    return status;
}

/* ---- where the file stands ---- */

rlt_status rlti_writer_define(const rlt_writer *writer, const rlt_frame_view *view, rlti_sink_def *def,
                              char **over, rlt_messages *messages) {
    const char *path = writer->sink->path;
    *over = NULL;
    *def = writer->sink->def;
    for (int k = 0; k < view->source_count; k++) {
        rlt_status status = rlt_inputs_check(writer->sources[k].stage->inputs, path, messages);
        if (status != RLT_OK)
            return status;
    }
    def->default_prim = "Ringlet";
    char up = writer->layout == RLTI_LAYOUT_OWN ? 'Y' : view->sources[0]->up;
    if (writer->def.keep_axis)
        rlti_warn_axis(path, strcmp(writer->sink->writer->format, "abc") == 0, up, messages);
    if (writer->layout == RLTI_LAYOUT_OWN)
        return RLT_OK;
    const rlt_source *source = view->sources[0];
    const rlti_stage *stage = writer->sources[0].stage;
    def->metres_per_unit = source->metres_per_unit;
    def->up_axis = source->up;
    /* Alembic back into the space of the Alembic file it is from */
    int same_space = strcmp(source->format, "abc") == 0 && source->up == 'Z';
    def->keeps_axis = writer->def.keep_axis || same_space;
    if (same_space && strcmp(writer->sink->writer->format, "abc") == 0)
        rlti_message(messages, RLT_NOTE, "%s: Z is up, as in %s (files.up)", path, source->file);
    def->default_prim = stage->prims[rlti_stage_root(stage, writer->sources[0].from)].name;
    if (writer->layout != RLTI_LAYOUT_OVER)
        return RLT_OK;
    def->codes_per_second = source->codes_per_second;
    if (stage->default_prim >= 0)
        def->default_prim = stage->prims[stage->default_prim].name;
    *over = rlti_relative_path(source->file, path);
    def->over = *over;
    return *over != NULL
               ? RLT_OK
               : rlti_fail(messages, RLT_FAILED, "%s: cannot find a relative path to %s", path, source->file);
}

rlt_status rlti_writer_to_file(const rlt_writer *writer, const rlt_frame_view *view, double matrix[16],
                               rlt_messages *messages) {
    double world[16];
    const rlti_written_source *to = &writer->sources[0];
    rlt_status status = rlti_stage_world(to->stage, to->from, view->sources[0]->time_code, messages, world);
    if (status == RLT_OK)
        rlti_matrix_multiply(view->sources[0]->to_source, world, matrix);
    /* units and axes only: what is left of the prim's own motion is rounding */
    for (int i = 0; i < 16 && status == RLT_OK; i++)
        if (fabs(matrix[i] - floor(matrix[i] + 0.5)) < 1e-12)
            matrix[i] = floor(matrix[i] + 0.5);
    return status;
}

/* ---- what is declared ---- */

static rlt_status carry(rlt_writer *writer, int source, int from, const rlti_attribute *attribute, int to,
                        rlt_messages *messages) {
    if (!RLTI_LIST_RESERVE(writer->carried, writer->carried_count, 1, writer->carried_capacity))
        return rlti_out_of_memory(messages);
    writer->carried[writer->carried_count++] = (rlti_carried){source, from, attribute, to, 0.0};
    return RLT_OK;
}

static rlt_status carry_transform(rlt_writer *writer, int source, int from, int to, rlt_messages *messages) {
    const rlti_stage *stage = writer->sources[source].stage;
    rlt_status status = carry(writer, source, from, NULL, to, messages);
    if (status == RLT_OK)
        status = rlti_transform_extent(stage, &stage->prims[from], messages,
                                       &writer->carried[writer->carried_count - 1].extent);
    return status;
}

/* Attributes that the simulation replaces. */
static int is_replaced(const rlti_attribute *a) {
    static const char *const names[] = {"points", "velocities", "accelerations", "extent"};
    for (size_t i = 0; a->class_ == RLTI_BUILT_IN && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(a->name, names[i]) == 0)
            return 1;
    return 0;
}

/* In the scene's world directions and places of the prim's own space mean nothing. */
static int is_kept(const rlt_writer *writer, const rlti_prim *prim, const rlti_attribute *a) {
    int is_placed = a->type.role == RLTI_ROLE_POINT || a->type.role == RLTI_ROLE_VECTOR ||
                    a->type.role == RLTI_ROLE_NORMAL;
    if (is_replaced(a) || rlti_physics_replaces(writer, prim, a) ||
        (a->sample_count == 0 && !a->has_default) || (a->is_index && rlti_sink_expands(writer->sink, a)))
        return 0;
    return writer->layout != RLTI_LAYOUT_OWN || !is_placed;
}

static rlt_status write_kept(rlt_writer *writer, const rlt_source *source, const rlti_stage *stage, int from,
                             const rlti_attribute *a, int to, double time, rlt_messages *messages) {
    rlt_status status = (rlti_sink_expands(writer->sink, a) ? rlti_stage_flat : rlti_stage_value)(
        stage, &stage->prims[from], a, source->time_code, messages, &writer->value);
    if (status == RLT_OK && rlti_is_asset(a))
        status =
            rlti_move_assets(stage, &stage->prims[from], a, writer->sink->path, messages, &writer->value);
    if (status == RLT_OK && !writer->value.blocked)
        status = rlti_writer_scale_value(&writer->value, rlti_writer_kept_scale(writer, source, a), messages);
    if (status == RLT_OK && !writer->value.blocked)
        status = rlti_sink_write(writer->sink, to, time, &writer->value, messages);
    return status;
}

rlt_status rlti_writer_keep(rlt_writer *writer, const rlt_source *source, int k, int from,
                            const rlti_attribute *a, int indices, int prim, int writes,
                            rlt_messages *messages) {
    const rlti_stage *stage = writer->sources[k].stage;
    rlti_attribute made = *a;
    int to = -1, moves = a->sample_count > 1;
    if (rlti_sink_expands(writer->sink, a)) /* expanded values move with their indices */
        moves |= stage->attributes[stage->prims[from].first_attribute + a->indices].sample_count > 1;
    moves = moves && writer->def.unreal != RLT_UNREAL_GROOM;
    made.indices = indices;
    made.has_default = !moves;
    made.sample_count = moves;
    rlt_status status = rlti_sink_attribute(writer->sink, prim, &made, messages, &to);
    if (status == RLT_OK && moves)
        status = carry(writer, k, from, a, to, messages);
    else if (status == RLT_OK && writes)
        status = write_kept(writer, source, stage, from, a, to, (double)NAN, messages);
    return status;
}

static rlt_status declare_kept(rlt_writer *writer, const rlt_frame_view *view, int k, int prim, int writes,
                               rlt_messages *messages) {
    const rlti_stage *stage = writer->sources[k].stage;
    int from = writer->sources[k].from;
    const rlti_prim *source = &stage->prims[from];
    rlt_status status = RLT_OK;
    for (int i = 0; i < source->attribute_count && status == RLT_OK; i++) {
        const rlti_attribute *a = &stage->attributes[source->first_attribute + i];
        int indices = -1;
        if (!is_kept(writer, source, a))
            continue;
        if (a->indices >= 0 && !rlti_sink_expands(writer->sink, a)) {
            indices = 0;
            for (int j = 0; j < a->indices; j++)
                indices += is_kept(writer, source, &stage->attributes[source->first_attribute + j]);
        }
        status = rlti_writer_keep(writer, view->sources[k], k, from, a, indices, prim, writes, messages);
    }
    return status;
}

/* Attributes that a prim above the curves has for itself or for all below: its user properties, primvars that
 * curves inherit, visibility. */
static rlt_status declare_above(rlt_writer *writer, const rlt_source *source, int k, int from, int prim,
                                int writes, rlt_messages *messages) {
    const rlti_stage *stage = writer->sources[k].stage;
    const rlti_prim *above = &stage->prims[from];
    rlt_status status = RLT_OK;
    for (int i = 0; i < above->attribute_count && status == RLT_OK; i++) {
        const rlti_attribute *a = &stage->attributes[above->first_attribute + i];
        int counts = a->class_ == RLTI_CUSTOM || rlti_is_visibility(a) ||
                     (a->class_ == RLTI_PRIMVAR && a->interpolation == RLTI_CONSTANT);
        if (counts && a->indices < 0 && !a->is_index && (a->has_default || a->sample_count > 0))
            status = rlti_writer_keep(writer, source, k, from, a, -1, prim, writes, messages);
    }
    return status;
}

static int has_name(const rlti_stage *stage, const rlti_prim *prim, const char *const *names) {
    for (; *names != NULL; names++)
        for (int c = RLTI_BUILT_IN; c <= RLTI_CUSTOM; c++)
            if (rlti_stage_attribute(stage, prim, (rlti_attribute_class)c, *names) != NULL)
                return 1;
    return 0;
}

/* The groom itself, under the name other tools look for. */
static rlt_status declare_rest(rlt_writer *writer, const rlt_source *source, int k, int prim, int writes,
                               rlt_messages *messages) {
    static const char *const names[] = {"rest", "pref", "Pref", NULL};
    static const rlti_array_type type = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1};
    const rlti_written_source *to = &writer->sources[k];
    if (writer->layout != RLTI_LAYOUT_SOURCE || has_name(to->stage, &to->stage->prims[to->from], names))
        return RLT_OK;
    return rlti_sink_still(writer->sink, prim, "rest", RLTI_PRIMVAR, type, RLTI_VERTEX, source->points,
                           (size_t)source->point_count, writes, messages);
}

/* The greatest half width of the curves [unit of what is written] at the file's first time, wherever a run
 * resumes; 0 where the file does not say. */
static rlt_status find_half_width(const rlt_writer *writer, const rlt_source *source, rlti_written_source *to,
                                  rlt_messages *messages) {
    const rlti_prim *prim = &to->stage->prims[to->from];
    const rlti_attribute *a = rlti_stage_attribute(to->stage, prim, RLTI_BUILT_IN, "widths");
    if (a == NULL)
        return RLT_OK;
    rlti_array value = {0};
    double *widths = NULL, greatest = 0.0;
    int first_message = rlt_messages_count(messages);
    rlt_status status = rlti_stage_value(to->stage, prim, a, to->stage->first_time, messages, &value);
    if (status == RLT_OK && !value.blocked) {
        size_t count = value.count * (size_t)value.type.arity;
        widths = RLTI_NEW(double, count);
        if (widths == NULL)
            status = rlti_out_of_memory(messages);
        for (size_t i = 0; widths != NULL && rlti_array_to_doubles(&value, widths) && i < count; i++)
            greatest = widths[i] > greatest && isfinite(widths[i]) ? widths[i] : greatest;
    }
    rlti_free(widths);
    rlti_array_clear(&value);
    to->half_width = 0.5 * greatest * rlti_writer_kept_scale(writer, source, a);
    if (status != RLT_BAD_INPUT)
        return status;
    rlti_messages_drop(messages, first_message); /* the file cannot say how wide: as if it did not */
    return RLT_OK;
}

rlt_status rlti_writer_declare_path(rlt_writer *writer, const rlt_source *source, int k, int from, int writes,
                                    int *handles, rlt_messages *messages) {
    const rlti_stage *stage = writer->sources[k].stage;
    const rlti_prim *prim = &stage->prims[from];
    int is_over = writer->layout == RLTI_LAYOUT_OVER, is_root = prim->parent < 0;
    int is_curves = from == writer->sources[k].from;
    if (handles[from] >= 0)
        return RLT_OK;
    rlt_status status =
        is_root ? RLT_OK
                : rlti_writer_declare_path(writer, source, k, prim->parent, writes, handles, messages);
    rlti_prim made = *prim;
    char *schemas = NULL, *kept = NULL;
    made.api_schemas = NULL;
    if (status == RLT_OK && !is_over && rlti_sink_is_usd(writer->sink)) {
        status = rlti_keep_schemas(prim->api_schemas, 0, messages, &kept);
        made.api_schemas = kept;
    }
    if (!is_curves) {
        made.kind = prim->has_transform ? RLTI_PRIM_XFORM : RLTI_PRIM_GROUP;
        if (prim->kind != made.kind)
            made.type_name = "";
    }
    int moves_below = is_over && prim->transform_time_count > 1 && writer->def.unreal == RLT_UNREAL_GROOM;
    if (status == RLT_OK && moves_below)
        status = rlti_refuse(messages,
                             "%s: %s of %s moves, and a layer over it cannot hold it still in the one frame "
                             "of a groom; write a standalone file",
                             writer->sink->path, prim->path, stage->file);
    if (is_over)
        made.has_transform = 0;
    if (is_root && writer->def.unreal != RLT_UNREAL_NONE) {
        schemas = rlti_unreal_schemas(made.api_schemas);
        made.api_schemas = schemas;
    }
    if (is_curves && writer->def.physics != NULL) {
        char *simulated = rlti_physics_schemas(made.api_schemas);
        rlti_free(schemas);
        made.api_schemas = schemas = simulated;
    }
    if (status == RLT_OK)
        status = rlti_sink_prim(writer->sink, is_root ? -1 : handles[prim->parent], &made, messages,
                                &handles[from]);
    RLTI_FREE(schemas, kept);
    if (status == RLT_OK && !is_over)
        rlti_report_resets(writer->sink, stage, prim, messages);
    if (status == RLT_OK && !is_over)
        status = rlti_carry_links(writer->sink, handles[from], stage, prim, rlti_is_not_skel, messages);
    int moves = prim->transform_time_count > 0 && writer->def.unreal != RLT_UNREAL_GROOM;
    if (status == RLT_OK && made.has_transform && moves) {
        status = carry_transform(writer, k, from, handles[from], messages);
    } else if (status == RLT_OK && made.has_transform && writes) {
        double matrix[16];
        int resets;
        status = stage->reader->transform(stage, prim, source->time_code, messages, matrix, &resets);
        if (status == RLT_OK)
            status = rlti_sink_transform(writer->sink, handles[from], (double)NAN, matrix, messages);
    }
    if (status == RLT_OK && !is_curves && !is_over)
        status = declare_above(writer, source, k, from, handles[from], writes, messages);
    if (status == RLT_OK && is_root && writer->def.unreal != RLT_UNREAL_NONE &&
        (is_over || rlti_stage_attribute(stage, prim, RLTI_PRIMVAR, "groom_version_major") == NULL))
        status = rlti_unreal_top(writer->sink, handles[from], writes, messages);
    return status;
}

/* Under /Ringlet, with a name that no other has. */
static rlt_status declare_beside(rlt_writer *writer, int k, int root, int *handle, rlt_messages *messages) {
    const rlti_prim *prim = &writer->sources[k].stage->prims[writer->sources[k].from];
    rlti_prim made = *prim;
    rlti_bound bound[RLTI_BOUND];
    int is_bound = 0;
    char *name = rlti_writer_free_name(writer, -1, prim->name);
    rlt_status status = name != NULL ? RLT_OK : rlti_out_of_memory(messages);
    if (status == RLT_OK && rlti_sink_is_usd(writer->sink))
        status =
            rlti_find_bound(writer->sources[k].stage, writer->sources[k].from, messages, bound, &is_bound);
    made.name = name;
    made.has_transform = 0;
    int owner; /* visibility that changes is declared as such */
    made.is_hidden = prim->is_hidden &&
                     rlti_stage_visibility(writer->sources[k].stage, writer->sources[k].from, &owner) == NULL;
    made.is_hidden_above = 0; /* what hid it is not there */
    made.api_schemas = is_bound ? "MaterialBindingAPI" : NULL;
    if (status == RLT_OK)
        status = rlti_sink_prim(writer->sink, root, &made, messages, handle);
    rlti_free(name);
    return status;
}

/* Visibility that changes above the prim, where the prims above it are not written. */
static rlt_status declare_inherited(rlt_writer *writer, const rlt_source *source, int k, int prim, int writes,
                                    rlt_messages *messages) {
    const rlti_written_source *to = &writer->sources[k];
    int owner;
    const rlti_attribute *a = rlti_stage_visibility(to->stage, to->from, &owner);
    if (a == NULL || owner == to->from)
        return RLT_OK;
    return rlti_writer_keep(writer, source, k, owner, a, -1, prim, writes, messages);
}

/* A prim is written once, whatever the number of sections that simulate its curves. */
static int is_written(const rlt_frame_view *view, int k) {
    return view->sources[k]->first_of_prim == k;
}

/* Links, where hair is not all from one file. */
static rlt_status declare_links(rlt_writer *writer, const rlt_frame_view *view, int root, int writes,
                                rlt_messages *messages) {
    int count = 0;
    if (rlti_sink_is_usd(writer->sink))
        return rlti_writer_declare_bound(writer, view, root, writes, messages);
    for (int k = 0; k < view->source_count; k++)
        if (is_written(view, k) && writer->sources[k].stage != NULL)
            count += rlti_stage_count_links(writer->sources[k].stage,
                                            &writer->sources[k].stage->prims[writer->sources[k].from]);
    rlti_warn_links(writer->sink->path, count, messages);
    return RLT_OK;
}

static rlt_status declare_source(rlt_writer *writer, const rlt_frame_view *view, int k, int root, int writes,
                                 int *handles, rlt_messages *messages) {
    const rlt_source *source = view->sources[k];
    rlti_written_source *to = &writer->sources[k];
    rlt_status status =
        writer->layout == RLTI_LAYOUT_OWN
            ? declare_beside(writer, k, root, &to->prim, messages)
            : rlti_writer_declare_path(writer, source, k, to->from, writes, handles, messages);
    if (status == RLT_OK && writer->layout != RLTI_LAYOUT_OWN)
        to->prim = handles[to->from];
    if (status == RLT_OK)
        status = find_half_width(writer, source, to, messages);
    rlti_report_pinned(writer->sink, to->stage, to->from, messages);
    if (writer->layout == RLTI_LAYOUT_OVER &&
        rlti_stage_attribute(to->stage, &to->stage->prims[to->from], RLTI_PRIMVAR, "skel:jointIndices"))
        rlti_message(messages, RLT_WARNING,
                     "%s: %s is skinned in %s: a program that reads both moves it twice; write it standalone",
                     writer->sink->path, source->prim, source->file);
    if (status == RLT_OK && writer->layout != RLTI_LAYOUT_OVER)
        status = declare_kept(writer, view, k, to->prim, writes, messages);
    if (status == RLT_OK && writer->layout == RLTI_LAYOUT_OWN)
        status = declare_inherited(writer, source, k, to->prim, writes, messages);
    if (status == RLT_OK)
        status = rlti_writer_declare_width(writer, view, k, writes, messages);
    if (status == RLT_OK)
        status = declare_rest(writer, source, k, to->prim, writes, messages);
    if (status == RLT_OK && writer->def.unreal != RLT_UNREAL_NONE)
        status = rlti_unreal_from_stage(to->stage, to->from, source->time_code, writer->sink, to->prim,
                                        writes, messages);
    if (status == RLT_OK && writer->def.physics != NULL)
        status = rlti_physics_declare_source(writer, view, k, writes, messages);
    if (status == RLT_OK)
        status = rlti_writer_declare_moving(writer, to->prim, writer->has_velocities, &to->moving, messages);
    return status;
}

rlt_status rlti_writer_declare_sources(rlt_writer *writer, const rlt_frame_view *view, int root, int writes,
                                       rlt_messages *messages) {
    int prims = writer->sources[0].stage->prim_count;
    int *handles = RLTI_NEW(int, prims);
    if (handles == NULL)
        return rlti_out_of_memory(messages);
    for (int i = 0; i < prims; i++)
        handles[i] = -1;
    rlt_status status = RLT_OK;
    for (int k = 0; k < view->source_count && status == RLT_OK; k++)
        if (is_written(view, k))
            status = declare_source(writer, view, k, root, writes, handles, messages);
    if (status == RLT_OK && writer->layout == RLTI_LAYOUT_SOURCE)
        status = rlti_writer_declare_looks(writer, view, writes, handles, messages);
    if (status == RLT_OK && writer->layout == RLTI_LAYOUT_OWN)
        status = declare_links(writer, view, root, writes, messages);
    rlti_free(handles);
    return status;
}

/* ---- every frame ---- */

/* Of an affine matrix; zeros where there is none. */
static void invert(const double m[16], double inverse[16]) {
    double determinant = rlti_matrix_adjugate3(m, inverse);
    double factor = determinant != 0.0 ? 1.0 / determinant : 0.0; /* not divided: files keep these bytes */
    for (int i = 0; i < 11; i++)
        inverse[i] *= i % 4 < 3 ? factor : 1.0;
    rlti_matrix_inverse_shift(m, inverse);
}

/* From the prim's space back to the scene's world, where all files share one. */
static void to_world(const rlt_writer *writer, const rlt_source *source, float *points, float *velocities) {
    double inverse[16];
    invert(source->to_source, inverse);
    for (size_t i = 0; i < 3 * (size_t)source->point_count; i += 3) {
        double p[3] = {(double)points[i], (double)points[i + 1], (double)points[i + 2]}, x[3];
        for (size_t c = 0; c < 3; c++)
            x[c] = p[0] * inverse[c] + p[1] * inverse[4 + c] + p[2] * inverse[8 + c] + inverse[12 + c];
        if (velocities != NULL) { /* v' = v M + p R, and back */
            double v[3];
            const double *r = source->to_source_rate;
            for (size_t c = 0; c < 3; c++)
                v[c] =
                    (double)velocities[i + c] - (x[0] * r[c] + x[1] * r[4 + c] + x[2] * r[8 + c] + r[12 + c]);
            for (size_t c = 0; c < 3; c++)
                velocities[i + c] =
                    (float)(v[0] * inverse[c] + v[1] * inverse[4 + c] + v[2] * inverse[8 + c]);
        }
        for (size_t c = 0; c < 3; c++)
            points[i + c] = (float)(x[c] - writer->shift[c]);
    }
}

static rlt_status add_source(rlt_writer *writer, const rlt_frame_view *view, int k, double time,
                             rlt_messages *messages) {
    const rlt_source *source = view->sources[k];
    const rlti_written_source *to = &writer->sources[k];
    float extent[6], *velocities = to->moving.velocities >= 0 ? writer->more : NULL;
    rlt_source_points(source, view, writer->vectors, velocities);
    if (writer->layout == RLTI_LAYOUT_OWN)
        to_world(writer, source, writer->vectors, velocities);
    rlti_writer_extent(writer->vectors, source->point_count, NULL, to->half_width, extent);
    rlt_status status = rlti_writer_write_vectors(writer, to->moving.points, time, writer->vectors,
                                                  source->point_count, messages);
    if (status == RLT_OK && velocities != NULL)
        status = rlti_writer_write_vectors(writer, to->moving.velocities, time, velocities,
                                           source->point_count, messages);
    if (status == RLT_OK)
        status = rlti_writer_write_vectors(writer, to->moving.extent, time, extent, 2, messages);
    return status;
}

static rlt_status write_transform(const rlt_writer *writer, const rlti_carried *c, double at, double time,
                                  rlt_messages *messages) {
    const rlti_stage *stage = writer->sources[c->source].stage;
    double matrix[16];
    int resets;
    rlt_status status =
        stage->reader->transform(stage, &stage->prims[c->from], at, messages, matrix, &resets);
    return status == RLT_OK ? rlti_sink_transform(writer->sink, c->to, time, matrix, messages) : status;
}

/* Writes the samples between the frame before and this one that blended matrices need to follow the source.
 * The frame before is worked out from this one, so that a run that is resumed writes the same. */
static rlt_status add_between(rlt_writer *writer, const rlt_frame_view *view, const rlti_carried *c,
                              double time, rlt_messages *messages) {
    const rlti_stage *stage = writer->sources[c->source].stage;
    double per_frame = stage->codes_per_second / writer->def.frames_per_second;
    double to = view->sources[c->source]->time_code,
           from = to - (double)(view->frame - writer->last_frame) * per_frame;
    rlti_transform_times times = {0};
    rlt_status status = rlti_transform_times_add(stage, &stage->prims[c->from], from, to, c->extent,
                                                 1e-3 * per_frame, messages, &times);
    for (int i = 1; i + 1 < times.count && status == RLT_OK; i++) {
        double share = (times.list[i] - from) / (to - from);
        status = write_transform(writer, c, times.list[i],
                                 writer->last_time + share * (time - writer->last_time), messages);
    }
    if (times.is_coarse && !writer->reported_coarse)
        rlti_message(messages, RLT_WARNING,
                     "%s: %s: turns too fast; in %s it is off by more than %g of its size between frames",
                     stage->file, stage->prims[c->from].path, writer->sink->path, RLTI_TRANSFORM_ERROR);
    writer->reported_coarse |= times.is_coarse;
    rlti_free(times.list);
    return status;
}

rlt_status rlti_writer_add_sources(rlt_writer *writer, const rlt_frame_view *view, double time,
                                   rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int k = 0; k < view->source_count && status == RLT_OK; k++)
        if (is_written(view, k))
            status = add_source(writer, view, k, time, messages);
    for (int i = 0; i < writer->carried_count && status == RLT_OK; i++) {
        const rlti_carried *c = &writer->carried[i];
        const rlti_stage *stage = writer->sources[c->source].stage;
        double at = view->sources[c->source]->time_code;
        if (c->attribute != NULL) {
            status = write_kept(writer, view->sources[c->source], stage, c->from, c->attribute, c->to, time,
                                messages);
            continue;
        }
        if (writer->frame_count > 0)
            status = add_between(writer, view, c, time, messages);
        if (status == RLT_OK)
            status = write_transform(writer, c, at, time, messages);
    }
    return status;
}
