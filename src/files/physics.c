#include "files/physics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"

static const double pi = 3.14159265358979323846;

#define SIMULATED "PhysicsCurvesDeformableSimAPI"
#define MATERIAL  "Physics"
#define REST      "physics:restShapePoints"
#define NORMALS   "physics:restNormals"
#define MASSES    "physics:masses"

static const rlti_array_type number = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 0};
static const rlti_array_type numbers = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1};
static const rlti_array_type places = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1};
static const rlti_array_type directions = {RLTI_FLOAT, 3, RLTI_ROLE_NORMAL, 1};

/* One prim while it is declared. */
typedef struct bodies {
    int curve_count, point_count;
    int *counts;                         /* [curve_count] */
    float *rest;                         /* [point_count][3] in the prim's own space */
    float *masses;                       /* [point_count] kg; 0: the curve is not simulated */
    float *normals;                      /* [point_count][3] */
    int strands;                         /* in the sums below */
    double radius, stretch, bend, twist; /* sums over points: [m], moduli [Pa] */
    double mass, volume;                 /* sums [kg], [m^3] */
    int points, elastic;                 /* in the sums; of these: of a model with such stiffness */
} bodies;

static int create(bodies *b, int curve_count, int point_count) {
    b->curve_count = curve_count;
    b->point_count = point_count;
    return RLTI_ALLOCATE(RLTI_ITEMS(b->counts, curve_count), RLTI_ITEMS(b->rest, 3 * (size_t)point_count),
                         RLTI_ITEMS(b->masses, point_count), RLTI_ITEMS(b->normals, 3 * (size_t)point_count));
}

static void clear(bodies *b) {
    RLTI_FREE(b->counts, b->rest, b->masses, b->normals);
}

char *rlti_physics_schemas(const char *schemas) {
    static const char *const more[] = {"PhysicsDeformableBodyAPI", SIMULATED, "MaterialBindingAPI"};
    size_t used = schemas != NULL ? strlen(schemas) : 0, size = used + 96;
    char *made = rlti_allocate(size, 1);
    if (made == NULL)
        return NULL;
    if (used > 0)
        memcpy(made, schemas, used);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        if (strstr(made, more[i]) == NULL)
            used += (size_t)snprintf(made + used, size - used, "%s%s", used > 0 ? " " : "", more[i]);
    return made;
}

/* 1 where the prim is simulated by physics of its own, which is kept as it is. */
static int has_physics(const rlti_prim *prim) {
    return prim->api_schemas != NULL && strstr(prim->api_schemas, SIMULATED) != NULL;
}

int rlti_physics_replaces(const rlt_writer *writer, const rlti_prim *prim, const rlti_attribute *attribute) {
    const char *name = attribute->name;
    return writer->def.physics != NULL && writer->layout != RLTI_LAYOUT_OWN && !has_physics(prim) &&
           attribute->class_ == RLTI_CUSTOM &&
           (strcmp(name, REST) == 0 || strcmp(name, NORMALS) == 0 || strcmp(name, MASSES) == 0);
}

/* ---- values ---- */

/* Length of the view's rest shape that a point stands for [m]. */
static double length_at(const rlt_writer *writer, const rlt_frame_view *view, int strand, int p) {
    double length = 0.0;
    for (int q = p; q <= p + 1; q++) {
        if (q == view->first[strand] || q == view->first[strand + 1])
            continue;
        const double *a = view->rest + 3 * (size_t)(q - 1), *b = a + 3;
        double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
        length += 0.5 * sqrt(x * x + y * y + z * z);
    }
    return length * writer->def.metres_per_unit;
}

/* Adds a strand to the material, which is the mean of all. */
static void add_strand(const rlt_writer *writer, const rlt_frame_view *view, int strand, bodies *b) {
    for (int p = view->first[strand]; p < view->first[strand + 1]; p++) {
        const double *from = writer->def.physics + (size_t)p * RLT_PHYSICS_COUNT;
        double r = from[RLT_PHYSICS_RADIUS], area = pi * r * r;
        b->points++;
        b->radius += r;
        b->mass += from[RLT_PHYSICS_MASS];
        b->volume += area * length_at(writer, view, strand, p);
        if (!(from[RLT_PHYSICS_BEND] > 0.0))
            continue;
        b->elastic++;
        b->stretch += from[RLT_PHYSICS_STRETCH] / area;
        b->bend += from[RLT_PHYSICS_BEND] / (0.25 * area * r * r);
        b->twist += from[RLT_PHYSICS_TWIST] / (0.5 * area * r * r);
    }
}

/* Normals that turn about the rest shape as little as may be: hair without a twist of its own. */
static void carry_normals(bodies *b) {
    for (int c = 0, at = 0; c < b->curve_count; at += b->counts[c++]) {
        double n[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < b->counts[c]; i++) {
            const float *x = b->rest + 3 * (size_t)(at + (i + 1 < b->counts[c] ? i : i > 0 ? i - 1 : i));
            double t[3] = {0.0, 0.0, 0.0}, length = 0.0, along = 0.0, size = 0.0;
            for (int k = 0; k < 3 && b->counts[c] > 1; k++)
                t[k] = (double)x[3 + k] - (double)x[k];
            length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
            for (int k = 0; k < 3; k++)
                t[k] = length > 0.0 ? t[k] / length : 0.0;
            if (i == 0) /* the axis that the strand is least along */
                n[fabs(t[0]) <= fabs(t[1]) && fabs(t[0]) <= fabs(t[2]) ? 0
                  : fabs(t[1]) <= fabs(t[2])                           ? 1
                                                                       : 2] = 1.0;
            for (int k = 0; k < 3; k++)
                along += n[k] * t[k];
            for (int k = 0; k < 3; k++)
                n[k] -= along * t[k];
            size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            for (int k = 0; k < 3; k++) {
                n[k] = size > 0.0 ? n[k] / size : (double)(k == 0);
                b->normals[3 * (size_t)(at + i) + (size_t)k] = (float)n[k];
            }
        }
    }
}

/* ---- declaring ---- */

static rlt_status add_number(rlt_writer *writer, int prim, const char *name, double value, int writes,
                             rlt_messages *messages) {
    float narrow = (float)value;
    return rlti_sink_still(writer->sink, prim, name, RLTI_CUSTOM, number, RLTI_CONSTANT, &narrow, 1, writes,
                           messages);
}

/* The mean material, below the prim, which is bound to it. The file's masses are in kilograms. */
static rlt_status declare_material(rlt_writer *writer, int prim, const bodies *b, int writes,
                                   rlt_messages *messages) {
    double m = writer->sink->def.metres_per_unit > 0.0 ? writer->sink->def.metres_per_unit : 1.0;
    const rlti_prim made = {.name = MATERIAL,
                            .type_name = "Material",
                            .api_schemas = "PhysicsMaterialAPI PhysicsCurvesDeformableMaterialAPI",
                            .kind = RLTI_PRIM_OTHER};
    int to = -1;
    rlt_status status = rlti_sink_prim(writer->sink, prim, &made, messages, &to);
    const struct {
        const char *name;
        double value;
    } rows[] = {{"physics:thickness", b->points > 0 ? 2.0 * b->radius / b->points / m : 0.0},
                {"physics:density", b->volume > 0.0 ? b->mass / b->volume * m * m * m : 0.0},
                {"physics:stretchStiffness", b->elastic > 0 ? b->stretch / b->elastic * m : 0.0},
                {"physics:bendStiffness", b->elastic > 0 ? b->bend / b->elastic * m : 0.0},
                {"physics:twistStiffness", b->elastic > 0 ? b->twist / b->elastic * m : 0.0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == RLT_OK; i++)
        if (rows[i].value > 0.0)
            status = add_number(writer, to, rows[i].name, rows[i].value, writes, messages);
    if (status != RLT_OK)
        return status;
    const char *target = writer->sink->prims[to].path;
    const rlti_link link = {
        .name = "material:binding:physics", .type_name = "", .target_count = 1, .targets = &target};
    return rlti_sink_link(writer->sink, prim, &link, messages);
}

static rlt_status declare(rlt_writer *writer, int prim, bodies *b, int writes, rlt_messages *messages) {
    size_t points = (size_t)b->point_count;
    carry_normals(b);
    rlt_status status = rlti_sink_still(writer->sink, prim, REST, RLTI_CUSTOM, places, RLTI_CONSTANT, b->rest,
                                        points, writes, messages);
    if (status == RLT_OK)
        status = rlti_sink_still(writer->sink, prim, NORMALS, RLTI_CUSTOM, directions, RLTI_CONSTANT,
                                 b->normals, points, writes, messages);
    if (status == RLT_OK)
        status = rlti_sink_still(writer->sink, prim, MASSES, RLTI_CUSTOM, numbers, RLTI_CONSTANT, b->masses,
                                 points, writes, messages);
    if (status == RLT_OK)
        status = declare_material(writer, prim, b, writes, messages);
    if (status == RLT_OK && b->elastic < b->points)
        rlti_message(
            messages, RLT_NOTE,
            "%s: %s: hair of model taz has springs, not the stiffness of a section: its physics has the "
            "rest shape and masses alone",
            writer->sink->path, writer->sink->prims[prim].path);
    return status;
}

rlt_status rlti_physics_declare_own(rlt_writer *writer, const rlt_frame_view *view, int prim, int writes,
                                    rlt_messages *messages) {
    bodies b = {0};
    size_t at = 0;
    if (!create(&b, writer->own_count, writer->own_points)) {
        clear(&b);
        return rlti_out_of_memory(messages);
    }
    for (int k = 0; k < writer->own_count; k++) {
        int strand = writer->own[k];
        b.counts[k] = view->first[strand + 1] - view->first[strand];
        add_strand(writer, view, strand, &b);
        for (int p = view->first[strand]; p < view->first[strand + 1]; p++, at++) {
            b.masses[at] = (float)writer->def.physics[(size_t)p * RLT_PHYSICS_COUNT + RLT_PHYSICS_MASS];
            for (size_t c = 0; c < 3; c++)
                b.rest[3 * at + c] = (float)(view->rest[3 * (size_t)p + c] - writer->shift[c]);
        }
    }
    rlt_status status = declare(writer, prim, &b, writes, messages);
    clear(&b);
    return status;
}

/* The rest shape that the file has under a name of its own, instead of its points. */
static rlt_status read_rest(const rlti_written_source *to, const rlt_source *source, rlt_messages *messages,
                            bodies *b) {
    static const char *const names[] = {"rest", "pref", "Pref", "restPosition", "rest_position"};
    const rlti_prim *prim = &to->stage->prims[to->from];
    rlt_status status = RLT_OK;
    for (size_t i = 0; i < 3 * (size_t)b->point_count; i++)
        b->rest[i] = source->points[i];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const rlti_attribute *a = rlti_stage_attribute(to->stage, prim, RLTI_PRIMVAR, names[i]);
        rlti_array array = {0};
        if (a == NULL || a->type.arity != 3 || a->type.element != RLTI_FLOAT)
            continue;
        status = rlti_stage_flat(to->stage, prim, a, source->time_code, messages, &array);
        if (status == RLT_OK && !array.blocked && array.count == (size_t)b->point_count)
            memcpy(b->rest, array.data, 3 * array.count * sizeof(float));
        rlti_array_clear(&array);
        break;
    }
    return status;
}

/* The mass of a strand on the points of its curve, which may be others: by the length each stands for. */
static void spread_mass(const rlt_writer *writer, const rlt_frame_view *view, const rlt_source *source, int s,
                        int first, bodies *b) {
    int strand = source->first_strand + s, count = source->counts[source->curve[s]];
    double mass = 0.0, length = 0.0;
    for (int p = view->first[strand]; p < view->first[strand + 1]; p++)
        mass += writer->def.physics[(size_t)p * RLT_PHYSICS_COUNT + RLT_PHYSICS_MASS];
    for (int turn = 0; turn < 2; turn++)
        for (int i = 1; i < count; i++) {
            const float *x = b->rest + 3 * (size_t)(first + i - 1);
            double d[3], edge;
            for (int k = 0; k < 3; k++)
                d[k] = (double)x[3 + k] - (double)x[k];
            edge = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            if (turn == 0) {
                length += edge;
            } else if (length > 0.0) {
                b->masses[first + i - 1] += (float)(0.5 * mass * edge / length);
                b->masses[first + i] += (float)(0.5 * mass * edge / length);
            }
        }
}

rlt_status rlti_physics_declare_source(rlt_writer *writer, const rlt_frame_view *view, int k, int writes,
                                       rlt_messages *messages) {
    const rlt_source *first = view->sources[k];
    const rlti_written_source *to = &writer->sources[k];
    bodies b = {0};
    if (writer->layout == RLTI_LAYOUT_OWN)
        rlti_warn(messages, "%s: %s: has no physics: hair of the file is not all from one file",
                  writer->sink->path, first->prim);
    if (writer->layout == RLTI_LAYOUT_OWN || has_physics(&to->stage->prims[to->from]))
        return RLT_OK;
    int *starts = RLTI_NEW(int, first->curve_count + 1);
    int ok = create(&b, first->curve_count, first->point_count) && starts != NULL;
    rlt_status status = ok ? read_rest(to, first, messages, &b) : rlti_out_of_memory(messages);
    for (int c = 0; c < first->curve_count && ok; c++) {
        b.counts[c] = first->counts[c];
        starts[c + 1] = starts[c] + first->counts[c];
    }
    for (int other = k, more = 1; more && status == RLT_OK;) {
        const rlt_source *source = view->sources[other];
        for (int s = 0; s < source->strand_count; s++) {
            int curve = source->curve[s], strand = source->first_strand + s;
            add_strand(writer, view, strand, &b);
            if (source->resampled)
                spread_mass(writer, view, source, s, starts[curve], &b);
            for (int i = 0; i < source->counts[curve] && !source->resampled; i++)
                b.masses[starts[curve] + i] =
                    (float)writer->def.physics[(size_t)(view->first[strand] + i) * RLT_PHYSICS_COUNT];
        }
        other = source->next_of_prim;
        more = other > 0;
    }
    if (status == RLT_OK && to->stage->prims[to->from].curve_type != RLTI_CURVE_LINEAR)
        rlti_warn(messages, "%s: %s: the physics of USD knows linear curves only, and these are not",
                  writer->sink->path, first->prim);
    if (status == RLT_OK)
        status = declare(writer, to->prim, &b, writes, messages);
    rlti_free(starts);
    clear(&b);
    return status;
}
