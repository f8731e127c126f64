/* Physics of deformable curves in USD, of the draft that docs/guide/formats.md names: masses, thickness and
 * stiffness become values of the hair section, as maps of its ramps. Values of the scene count before them.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "groom/import.h"
#include "scene/readers.h"

static const double pi = 3.14159265358979323846;

#define MATERIAL "PhysicsCurvesDeformableMaterialAPI"

/* Of one prim of curves, in SI units; 0, NULL: the file does not say. */
typedef struct physics {
    double thickness;            /* [m] diameter */
    double stretch, bend, twist; /* moduli [Pa] */
    double density;              /* [kg/m^3] */
    double mass;                 /* [kg] of all its curves */
    double *line;                /* [point_count] mass of a length, from masses of points [kg/m] */
    int shear;                   /* 1: the file has a stiffness against shear */
} physics;

/* A section while its values are made. */
typedef struct reading {
    const rlti_scene_data *scene;
    const rlti_hair_data *hair;
    rlti_lock *lock;
    physics *prims;   /* [source_count] */
    int takes_rod;    /* 1: the model reads hair.rod, and the scene does not have Taz's material instead */
    int takes_masses; /* 1: the scene has no mass and no density of its own */
} reading;

static int has_schema(const rlti_prim *prim, const char *name) {
    size_t length = strlen(name);
    for (const char *at = prim->api_schemas; at != NULL && (at = strstr(at, name)) != NULL; at += length)
        if ((at == prim->api_schemas || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return 1;
    return 0;
}

int rlti_curves_have_physics(const rlti_curves *curves) {
    return has_schema(&curves->stage->prims[curves->prim], "PhysicsCurvesDeformableSimAPI");
}

/* ---- reading ---- */

/* A number above 0 under this name, times `unit`; 0 where there is none. -inf is the draft's word for none.
 */
static rlt_status read_number(const rlti_curves *curves, const rlti_prim *prim, const char *name, double unit,
                              rlt_messages *messages, double *number) {
    const rlti_attribute *a = rlti_stage_attribute(curves->stage, prim, RLTI_CUSTOM, name);
    rlti_array array = {0};
    double value = 0.0;
    if (a == NULL)
        return RLT_OK;
    rlt_status status = rlti_stage_value(curves->stage, prim, a, curves->time, messages, &array);
    if (status == RLT_OK && !array.blocked) {
        int fits = array.count == 1 && array.type.arity == 1 && rlti_array_to_doubles(&array, &value);
        int is_none = fits && (value == -HUGE_VAL || value == 0.0);
        if (fits && isfinite(value) && value > 0.0)
            *number = value * unit;
        else if (!is_none)
            rlti_warn(messages, "%s: %s.%s: is not one number above 0; left out", curves->stage->file,
                      prim->path, name);
    }
    rlti_array_clear(&array);
    return status;
}

/* Warns where the prim is bound to a material that the stage does not have. */
static void check_binding(const rlti_curves *curves, const rlti_prim *prim, const char *binding,
                          rlt_messages *messages) {
    int count = 0;
    const rlti_link *links = rlti_stage_links(curves->stage, prim, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(links[i].name, binding) == 0 && links[i].target_count > 0)
            rlti_warn(messages, "%s: %s.%s: there is no %s, so nothing is taken from it", curves->stage->file,
                      prim->path, binding, links[i].targets[0]);
}

/* The material of a purpose that the curves, or the nearest prim above them, are bound to; NULL: none. */
static const rlti_prim *bound_material(const rlti_curves *curves, const char *binding,
                                       rlt_messages *messages) {
    const rlti_stage *stage = curves->stage;
    for (int p = curves->prim; p >= 0 && stage->reader->target != NULL; p = stage->prims[p].parent) {
        int target = stage->reader->target(stage, &stage->prims[p], binding);
        if (target >= 0)
            return &stage->prims[target];
        check_binding(curves, &stage->prims[p], binding, messages);
    }
    return NULL;
}

/* Moduli as the draft has them, or the stiffness of the whole section of its later form, which is divided by
 * what the section makes of a modulus. */
static rlt_status read_material(const rlti_curves *curves, const rlti_prim *material, double kg, double m,
                                double radius, rlt_messages *messages, physics *to) {
    double r = 0.0, ea = 0.0, ei = 0.0, gj = 0.0, shear = 0.0, curves_shear = 0.0;
    const double pascal = kg / m;
    const struct {
        const char *name;
        double unit, *number;
    } rows[] = {{"physics:thickness", m, &to->thickness},
                {"physics:density", kg / (m * m * m), &to->density},
                {"physics:stretchStiffness", pascal, &to->stretch},
                {"physics:bendStiffness", pascal, &to->bend},
                {"physics:twistStiffness", pascal, &to->twist},
                {"physics:shearStiffness", pascal, &shear},
                {"physics:curvesStretchStiffness", kg * m, &ea},
                {"physics:curvesBendStiffness", kg * m * m * m, &ei},
                {"physics:curvesTwistStiffness", kg * m * m * m, &gj},
                {"physics:curvesShearStiffness", kg * m, &curves_shear}};
    rlt_status status = RLT_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && status == RLT_OK; i++)
        status = read_number(curves, material, rows[i].name, rows[i].unit, messages, rows[i].number);
    r = to->thickness > 0.0 ? 0.5 * to->thickness : radius;
    to->stretch = ea > 0.0 ? ea / (pi * r * r) : to->stretch;
    to->bend = ei > 0.0 ? ei / (0.25 * pi * r * r * r * r) : to->bend;
    to->twist = gj > 0.0 ? gj / (0.5 * pi * r * r * r * r) : to->twist;
    to->shear = shear > 0.0 || curves_shear > 0.0;
    return status;
}

/* Mass of a length at each point; a point without mass is one that is held, and has that of its neighbour.
 * Returns what is wrong with the masses; NULL: nothing. */
static const char *spread_masses(const rlti_curves *curves, double *line) {
    double metres = curves->scene->metres_per_unit;
    const rlti_vec3 *x = curves->points;
    for (int c = 0; c < curves->curve_count; c++) {
        int first = curves->first[c], last = curves->first[c + 1] - 1, heavy = -1;
        for (int p = first; p <= last; p++) {
            double before = p > first ? rlti_length(rlti_sub(x[p], x[p - 1])) : 0.0,
                   after = p < last ? rlti_length(rlti_sub(x[p + 1], x[p])) : 0.0;
            double length = 0.5 * (before + after) * metres;
            if (!isfinite(line[p]))
                return "has a mass that is not finite";
            if (line[p] < 0.0)
                return "has a mass below 0";
            line[p] = length > 0.0 ? line[p] / length : 0.0;
            if (line[p] > 0.0 && heavy < 0)
                heavy = p;
        }
        for (int p = first; p <= last && heavy >= 0; p++)
            line[p] = line[p] > 0.0 ? line[p] : line[p < heavy ? heavy : p - 1];
        if (heavy < 0 && last > first)
            return "has a curve without mass";
    }
    return NULL;
}

/* The numbers of an attribute that has one for each point. */
static rlt_status read_points(const rlti_curves *curves, const rlti_prim *prim, const rlti_attribute *a,
                              rlt_messages *messages, double *values) {
    rlti_array array = {0};
    const char *file = curves->stage->file;
    rlt_status status = rlti_stage_value(curves->stage, prim, a, curves->time, messages, &array);
    size_t count = array.count * (size_t)array.type.arity;
    if (status == RLT_OK && array.blocked)
        status = rlti_refuse(messages, "%s: %s.%s: has no value", file, prim->path, a->name);
    else if (status == RLT_OK && (array.type.arity != 1 || array.count != (size_t)curves->point_count))
        status = rlti_refuse(messages, "%s: %s.%s: has %zu value%s, not one for each of %d points", file,
                             prim->path, a->name, count, count == 1 ? "" : "s", curves->point_count);
    else if (status == RLT_OK && !rlti_array_to_doubles(&array, values))
        status = rlti_refuse(messages, "%s: %s.%s: is not numbers", file, prim->path, a->name);
    rlti_array_clear(&array);
    return status;
}

/* Masses of points, in kilograms of the file. */
static rlt_status read_masses(const rlti_curves *curves, double kg, rlt_messages *messages, physics *to) {
    const rlti_prim *prim = &curves->stage->prims[curves->prim];
    const rlti_attribute *a = rlti_stage_attribute(curves->stage, prim, RLTI_CUSTOM, "physics:masses");
    const char *wrong = NULL;
    if (a == NULL || curves->point_count == 0)
        return RLT_OK;
    to->line = RLTI_NEW(double, curves->point_count);
    rlt_messages *own = rlt_messages_create();
    if (to->line == NULL || own == NULL) {
        rlt_messages_destroy(own);
        return rlti_out_of_memory(messages);
    }
    rlt_status status = read_points(curves, prim, a, own, to->line);
    for (int p = 0; p < curves->point_count && status == RLT_OK; p++)
        to->line[p] *= kg;
    if (status == RLT_OK && (wrong = spread_masses(curves, to->line)) != NULL)
        status = rlti_refuse(own, "%s: %s.%s: %s", curves->stage->file, prim->path, a->name, wrong);
    if (status == RLT_BAD_INPUT) {
        rlti_warn(messages, "%s; left out", rlt_messages_text(own, 0));
        rlti_free(to->line);
        to->line = NULL;
        status = RLT_OK;
    }
    rlt_messages_destroy(own);
    return status;
}

/* All that a prim has. The body's mass and density count before the material's. */
static rlt_status read_prim(const rlti_curves *curves, double radius, rlt_messages *messages, physics *to) {
    const rlti_stage *stage = curves->stage;
    double m = rlti_files_unit(curves->scene, stage), kg = stage->kilograms_per_unit;
    const rlti_prim *material = bound_material(curves, "material:binding:physics", messages);
    double density = 0.0;
    int is_for_physics = material != NULL; /* others may be looks alone */
    rlt_status status = RLT_OK;
    if (material == NULL)
        material = bound_material(curves, "material:binding", messages);
    if (material != NULL && has_schema(material, MATERIAL))
        status = read_material(curves, material, kg, m, radius, messages, to);
    else if (is_for_physics)
        rlti_warn(messages, "%s: %s: is bound for physics, but has no %s, so nothing is taken from it",
                  stage->file, material->path, MATERIAL);
    for (int p = curves->prim; p >= 0 && status == RLT_OK; p = stage->prims[p].parent)
        if (has_schema(&stage->prims[p], "PhysicsDeformableBodyAPI")) {
            status = read_number(curves, &stage->prims[p], "physics:mass", kg, messages, &to->mass);
            if (status == RLT_OK)
                status = read_number(curves, &stage->prims[p], "physics:density", kg / (m * m * m), messages,
                                     &density);
            break;
        }
    to->density = density > 0.0 ? density : to->density;
    return status == RLT_OK ? read_masses(curves, kg, messages, to) : status;
}

/* ---- values of the section ---- */

/* The lock's map of a ramp, made of the ramp's own values where there is none; NULL when out of memory. */
static double *map_of(rlti_lock *lock, const rlti_ramp *ramp) {
    for (int m = 0; m < lock->map_count; m++)
        if (lock->maps[m].ramp == ramp)
            return lock->maps[m].values;
    double *values = RLTI_NEW(double, lock->point_count);
    if (values == NULL)
        return NULL;
    for (int s = 0; s < lock->strand_count; s++) {
        int first = lock->first[s], count = lock->first[s + 1] - first;
        double length = rlti_points_length(lock->points + first, count), along = 0.0;
        for (int i = 0; i < count; i++) {
            along +=
                i > 0 ? rlti_length(rlti_sub(lock->points[first + i], lock->points[first + i - 1])) : 0.0;
            values[first + i] = rlti_ramp_at(ramp, length > 0.0 ? along / length : 0.0);
        }
    }
    lock->maps[lock->map_count++] = (rlti_map){.ramp = ramp, .count = lock->point_count, .values = values};
    return values;
}

/* Length of all curves of the prim that are simulated [m]. */
static double length_of(const reading *r, int strand, int count) {
    double length = 0.0;
    for (int s = strand; s < strand + count; s++)
        length += rlti_points_length(r->lock->points + r->lock->first[s],
                                     r->lock->first[s + 1] - r->lock->first[s]);
    return length * r->scene->metres_per_unit;
}

/* Mass of a length at each point of the prim's strands [kg/m], from whichever is given; 0: nothing is. */
static rlt_status gather_line(const reading *r, int k, int strand, const double *radius, double *line) {
    const physics *from = &r->prims[k];
    const rlti_curves *curves = &r->lock->curves[k];
    double length = length_of(r, strand, curves->strand_count);
    for (int s = 0; s < curves->strand_count; s++) {
        int first = r->lock->first[strand + s];
        if (from->line != NULL)
            rlti_curves_values(curves, s, from->line, line + first);
        for (int p = first; p < r->lock->first[strand + s + 1] && from->line == NULL; p++) {
            double metres = radius != NULL ? 1e-6 * radius[p] : 0.0;
            line[p] =
                from->mass > 0.0 && length > 0.0 ? from->mass / length : from->density * pi * metres * metres;
        }
    }
    return RLT_OK;
}

/* The values of a prim's points from `first` to before `end`, where the file has one. */
static void put(double *values, int first, int end, double value) {
    for (int p = first; p < end && values != NULL && value > 0.0; p++)
        values[p] = value;
}

/* Ramps of the Rod: radius, moduli, and masses in hairs of that radius and the section's density. Stiffness
 * follows hair.mass, so that moduli are divided by it. */
static rlt_status set_rod(const reading *r, rlt_messages *messages) {
    const rlti_hair_data *hair = r->hair;
    rlti_lock *lock = r->lock;
    double *radius = map_of(lock, &hair->rod.radius), *young = map_of(lock, &hair->rod.young),
           *shear = map_of(lock, &hair->rod.shear), *mass = map_of(lock, &hair->mass);
    double *stretch = rlti_hair_is_coil(hair) ? map_of(lock, &hair->coil.stretch) : NULL;
    double *line = RLTI_NEW(double, lock->point_count);
    int failed = radius == NULL || young == NULL || shear == NULL || mass == NULL || line == NULL ||
                 (rlti_hair_is_coil(hair) && stretch == NULL);
    for (int k = 0, s = 0; k < lock->source_count && !failed; s += lock->curves[k++].strand_count) {
        const physics *from = &r->prims[k];
        int first = lock->first[s], end = lock->first[s + lock->curves[k].strand_count];
        put(hair->given.radius ? NULL : radius, first, end, 0.5e6 * from->thickness);
        put(hair->given.young ? NULL : young, first, end, from->bend > 0.0 ? from->bend : from->stretch);
        put(hair->given.shear ? NULL : shear, first, end, from->twist);
        if (from->bend > 0.0)
            put(hair->given.stretch || hair->given.young ? NULL : stretch, first, end,
                from->stretch / from->bend);
        gather_line(r, k, s, radius, line);
        for (int p = first; p < end && r->takes_masses; p++) {
            double metres = 1e-6 * radius[p];
            if (!(line[p] > 0.0))
                continue;
            mass[p] = line[p] / (pi * metres * metres * hair->rod.density);
            young[p] /= mass[p];
            shear[p] /= mass[p];
        }
    }
    rlti_free(line);
    return failed ? rlti_out_of_memory(messages) : RLT_OK;
}

/* Taz's masses are those of its springs, not of hair: they are spread as the file has them, and their mean
 * over the section stays. */
static rlt_status set_taz(const reading *r, rlt_messages *messages) {
    rlti_lock *lock = r->lock;
    double *mass = map_of(lock, &r->hair->mass), *line = RLTI_NEW(double, lock->point_count);
    double sum = 0.0;
    int count = 0, failed = mass == NULL || line == NULL;
    for (int k = 0, s = 0; k < lock->source_count && !failed; s += lock->curves[k++].strand_count)
        gather_line(r, k, s, NULL, line);
    for (int p = 0; p < lock->point_count && !failed; p++) {
        sum += line[p];
        count += line[p] > 0.0;
    }
    for (int p = 0; p < lock->point_count && !failed; p++)
        if (line[p] > 0.0)
            mass[p] *= line[p] * count / sum;
    rlti_free(line);
    return failed ? rlti_out_of_memory(messages) : RLT_OK;
}

/* ---- what was taken ---- */

typedef struct listed {
    char text[400];
} listed;

static void list(listed *to, int counts, const char *name, double value, const char *unit) {
    size_t used = strlen(to->text);
    char number[32] = "";
    if (!counts)
        return;
    if (value > 0.0)
        rlti_number_short(value, number, sizeof number);
    snprintf(to->text + used, sizeof to->text - used, "%s%s%s%s%s", used > 0 ? ", " : "", name,
             value > 0.0 ? " " : "", number, value > 0.0 ? unit : "");
}

/* A note: what the model takes, what it cannot take, what the scene gives. */
static void report(const reading *r, int k, rlt_messages *messages) {
    const physics *from = &r->prims[k];
    const rlti_hair_data *hair = r->hair;
    const rlti_curves *curves = &r->lock->curves[k];
    listed taken = {""}, left = {""}, scene = {""};
    int rod = r->takes_rod, modulus = from->bend > 0.0 || from->stretch > 0.0;
    int stretches = rod && rlti_hair_is_coil(hair) && from->bend > 0.0 && from->stretch > 0.0;
    int weighs = from->line != NULL || from->mass > 0.0 || from->density > 0.0;
    list(&taken, rod && from->thickness > 0.0 && !hair->given.radius, "radius", 0.5e6 * from->thickness,
         " um");
    list(&taken, rod && modulus && !hair->given.young, "Young's modulus",
         from->bend > 0.0 ? from->bend : from->stretch, " Pa");
    list(&taken, stretches && !hair->given.stretch && !hair->given.young, "modulus against stretching",
         from->stretch, " Pa");
    list(&taken, rod && from->twist > 0.0 && !hair->given.shear, "shear modulus", from->twist, " Pa");
    list(&taken, from->line != NULL && r->takes_masses, "masses of points", 0.0, "");
    list(&taken, rod && from->line == NULL && from->mass > 0.0 && r->takes_masses, "mass", from->mass, " kg");
    list(&taken, rod && from->line == NULL && !(from->mass > 0.0) && from->density > 0.0 && r->takes_masses,
         "density", from->density, " kg/m^3");
    list(&scene, rod && from->thickness > 0.0 && hair->given.radius, "hair.rod.radius", 0.0, "");
    list(&scene, rod && modulus && hair->given.young, "hair.rod.young", 0.0, "");
    list(&scene, stretches && hair->given.stretch, "hair.coil.stretch", 0.0, "");
    list(&scene, rod && from->twist > 0.0 && hair->given.shear, "hair.rod.shear", 0.0, "");
    list(&scene, weighs && !r->takes_masses, hair->given.mass ? "hair.mass" : "hair.rod.density", 0.0, "");
    list(&left, !rod && (modulus || from->twist > 0.0 || from->thickness > 0.0), "stiffness and thickness",
         0.0, "");
    list(&left, !rod && from->line == NULL && weighs, "mass", 0.0, "");
    list(&left, rod && from->shear, "stiffness against shear", 0.0, "");
    list(&left,
         rod && !rlti_hair_is_coil(hair) && from->bend > 0.0 && from->stretch > 0.0 &&
             from->stretch != from->bend,
         "stiffness against stretching, which is that against bending here", 0.0, "");
    if (taken.text[0] != '\0' || left.text[0] != '\0' || scene.text[0] != '\0')
        rlti_message(messages, RLT_NOTE, "%s: %s: physics of the file: %s taken%s%s%s%s%s%s",
                     curves->stage->file, rlti_curves_path(curves),
                     taken.text[0] != '\0' ? taken.text : "nothing",
                     scene.text[0] != '\0' ? "; of the scene, and counts before it: " : "", scene.text,
                     left.text[0] != '\0' ? "; not of model " : "", left.text[0] != '\0' ? hair->model : "",
                     left.text[0] != '\0' ? ": " : "", left.text);
}

/* Values that no hair has, or that are in other units than they seem. */
static rlt_status check(const reading *r, int k, rlt_messages *messages) {
    const physics *from = &r->prims[k];
    const rlti_curves *curves = &r->lock->curves[k];
    double radius = 0.5e6 * from->thickness, young = from->bend > 0.0 ? from->bend : from->stretch;
    const struct {
        double value, low, high;
        int given;
        const char *name, *refusal, *key;
    } rows[] = {{radius, RLTI_RADIUS_MIN, RLTI_RADIUS_MAX, r->hair->given.radius, "half the thickness",
                 RLTI_RADIUS_REFUSAL, "hair.rod.radius"},
                {young, RLTI_MODULUS_MIN, RLTI_MODULUS_MAX, r->hair->given.young, "bendStiffness",
                 RLTI_YOUNG_REFUSAL, "hair.rod.young"},
                {from->twist, RLTI_MODULUS_MIN, RLTI_MODULUS_MAX, r->hair->given.shear, "twistStiffness",
                 RLTI_SHEAR_REFUSAL, "hair.rod.shear"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && r->takes_rod; i++) {
        char number[32];
        if (rows[i].given || !(rows[i].value > 0.0) ||
            (rows[i].value >= rows[i].low && rows[i].value <= rows[i].high))
            continue;
        rlti_number_short(rows[i].value, number, sizeof number);
        return rlti_refuse(messages, "%s: %s: physics of the file: %s is %s%s: %s; mend it, or give %s",
                           curves->stage->file, rlti_curves_path(curves), rows[i].name, number,
                           i == 0 ? " um" : " Pa", rows[i].refusal, rows[i].key);
    }
    return RLT_OK;
}

rlt_status rlti_lock_read_physics(const rlti_scene_data *scene, int index, rlt_messages *messages,
                                  rlti_lock *lock) {
    const rlti_hair_data *hair = &scene->hair[index];
    reading r = {.scene = scene, .hair = hair, .lock = lock};
    r.takes_rod = rlti_hair_reads(hair, "hair.rod.young") && !hair->rod.converted;
    r.takes_masses = !hair->given.mass && !hair->given.density;
    int found = 0;
    rlt_status status = RLT_OK;
    r.prims = RLTI_NEW(physics, lock->source_count);
    if (r.prims == NULL)
        return rlti_out_of_memory(messages);
    for (int k = 0; k < lock->source_count && status == RLT_OK; k++) {
        physics *prim = &r.prims[k];
        if (!rlti_curves_have_physics(&lock->curves[k]))
            continue;
        status = read_prim(&lock->curves[k], 1e-6 * rlti_ramp_at(&hair->rod.radius, 0.0), messages, prim);
        if (status == RLT_OK)
            status = check(&r, k, messages);
        if (status == RLT_OK)
            report(&r, k, messages);
        found |= prim->line != NULL ||
                 (r.takes_rod && (prim->thickness > 0.0 || prim->bend > 0.0 || prim->stretch > 0.0 ||
                                  prim->twist > 0.0 || prim->mass > 0.0 || prim->density > 0.0));
    }
    if (status == RLT_OK && found && r.takes_rod)
        status = set_rod(&r, messages);
    else if (status == RLT_OK && found && r.takes_masses)
        status = set_taz(&r, messages);
    for (int k = 0; k < lock->source_count; k++)
        rlti_free(r.prims[k].line);
    rlti_free(r.prims);
    return status;
}
