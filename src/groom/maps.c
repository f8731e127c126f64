/* Maps: attributes of a groom that drive ramps of its hair section, per strand or per point. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "groom/import.h"
#include "scene/readers.h"
#include "scene/schema.h"

enum { SHOWN = 24 };

static const rlti_map *find_map(const rlti_map *maps, int count, const rlti_ramp *ramp) {
    for (int m = 0; m < count; m++)
        if (maps[m].ramp == ramp)
            return &maps[m];
    return NULL;
}

/* The value of a map at a point; 0 where the ramp has none there. A constraint's ramp has one map in each
 * hair section it chooses from. */
static int map_value(const rlti_strands *strands, const rlti_ramp *ramp, int point, double *value) {
    for (int m = 0; m < strands->map_count; m++) {
        const rlti_map *map = &strands->maps[m];
        if (map->ramp != ramp || point < map->first || point >= map->first + map->count)
            continue;
        *value = map->values[point - map->first];
        return 1;
    }
    return 0;
}

double rlti_strands_value(const rlti_strands *strands, const rlti_ramp *ramp, int point, double position) {
    double value = 0.0;
    if (map_value(strands, ramp, point, &value) || ramp->attribute[0] != '\0')
        return value;
    return rlti_ramp_at(ramp, position);
}

double rlti_strands_edge_value(const rlti_strands *strands, const rlti_ramp *ramp, int point,
                               double position) {
    double first = 0.0, second = 0.0;
    if (map_value(strands, ramp, point, &first) || ramp->attribute[0] != '\0') {
        map_value(strands, ramp, point + 1, &second);
        return 0.5 * (first + second);
    }
    return rlti_ramp_at(ramp, position);
}

/* ---- reading ---- */

static int is_map_type(const rlti_attribute *a) {
    return a->type.arity == 1 && a->type.element != RLTI_TEXT && !a->is_index &&
           strcmp(a->name, "curveVertexCounts") != 0;
}

/* "stiffMap, st, ..." of what rides on the curves. */
static void list_attributes(const rlti_curves *curves, const char *wanted, char *list, size_t size) {
    const rlti_prim *prim = &curves->stage->prims[curves->prim];
    size_t used = 0;
    int count = 0, best = 1000, distance;
    const char *closest = NULL;
    list[0] = '\0';
    for (int i = 0; i < prim->attribute_count; i++) {
        const rlti_attribute *a = &curves->stage->attributes[prim->first_attribute + i];
        if (!is_map_type(a))
            continue;
        if (count++ < SHOWN && used < size)
            used += (size_t)snprintf(list + used, size - used, "%s%.64s", count > 1 ? ", " : "", a->name);
        if (rlti_words_close(a->name, wanted, &distance) && distance < best) {
            best = distance;
            closest = a->name;
        }
    }
    if (count == 0)
        snprintf(list, size, "none");
    else if (closest != NULL && used < size)
        snprintf(list + used, size - used, "; did you mean %.64s?", closest);
}

/* Values that break a rule: in how many strands, and the worst of them, the first of equals. */
typedef struct fault {
    int strands, last;
    int strand, point; /* along the strand */
    double value, off; /* by how much, in the rule's measure */
} fault;

static void note_fault(fault *f, int strand, int point, double value, double off) {
    int first = f->strands == 0;
    f->strands += first || f->last != strand;
    f->last = strand;
    if (!first && !(off > f->off))
        return;
    f->strand = strand;
    f->point = point;
    f->value = value;
    f->off = off;
}

typedef struct fault_text {
    char text[1024];
} fault_text;

/* "groom.usda: /hair.thick: curve 3" of the prim's strand. */
static fault_text fault_place(const rlti_curves *curves, const rlti_ramp *ramp, int strand) {
    fault_text place;
    snprintf(place.text, sizeof place.text, "%.400s: %.256s.%.64s: curve %d", curves->stage->file,
             rlti_curves_path(curves), ramp->attribute, curves->curve[strand]);
    return place;
}

/* " (the worst of 3 curves)", where there are more. */
static fault_text fault_count(const fault *f) {
    fault_text count = {""};
    if (f->strands > 1)
        snprintf(count.text, sizeof count.text, " (the worst of %d curves)", f->strands);
    return count;
}

/* Values out of the row's range. */
static rlt_status refuse_values(const rlti_curves *curves, const rlti_row *row, const rlti_ramp *ramp,
                                const fault *f, rlt_messages *messages) {
    char number[32];
    if (isfinite(f->value))
        rlti_number_format(f->value, number, sizeof number);
    else
        snprintf(number, sizeof number, "not a finite number");
    return rlti_refuse(messages, "%s makes %s %s%s: must be %s%s; mend the attribute, or scale and offset",
                       fault_place(curves, ramp, f->strand).text, row->key, number, fault_count(f).text,
                       strstr(row->range, "..") != NULL ? "within " : "", row->range);
}

/* The values of one prim's strands, from `values` on. */
static rlt_status read_curves(const rlti_curves *curves, const rlti_row *row, const rlti_ramp *ramp,
                              rlt_messages *messages, double *values) {
    const rlti_prim *owner = NULL;
    const rlti_attribute *a = rlti_curves_attribute(curves, ramp->attribute, &owner);
    const char *file = curves->stage->file, *path = rlti_curves_path(curves);
    char list[2048];
    if (a == NULL) {
        list_attributes(curves, ramp->attribute, list, sizeof list);
        return rlti_refuse(messages, "%s: %s: %s = attribute:%s: there is no such attribute; there are: %s",
                           file, path, row->key, ramp->attribute, list);
    }
    if (!is_map_type(a))
        return rlti_refuse(messages, "%s: %s.%s: cannot drive %s: a map has one number per place", file, path,
                           ramp->attribute, row->key);
    double *per_point = RLTI_NEW(double, curves->point_count);
    if (per_point == NULL)
        return rlti_out_of_memory(messages);
    fault f = {0};
    rlt_status status = rlti_curves_per_point(curves, owner, a, messages, per_point);
    for (int s = 0; s < curves->strand_count && status == RLT_OK; s++) {
        rlti_curves_values(curves, s, per_point, values);
        for (int i = 0; i < curves->counts[s]; i++) {
            double v = values[i] = ramp->scale * values[i] + ramp->offset;
            int low = row->exclusive ? v > row->min : v >= row->min;
            if (!low || !(v <= row->max) || !isfinite(v))
                note_fault(&f, s, i, v, isfinite(v) ? fmax(row->min - v, v - row->max) : HUGE_VAL);
        }
        values += curves->counts[s];
    }
    rlti_free(per_point);
    return f.strands > 0 ? refuse_values(curves, row, ramp, &f, messages) : status;
}

static rlt_status read_map(const rlti_row *row, const rlti_ramp *ramp, rlt_messages *messages,
                           rlti_lock *lock) {
    rlti_map *map = &lock->maps[lock->map_count];
    double *values = RLTI_NEW(double, lock->point_count);
    if (values == NULL)
        return rlti_out_of_memory(messages);
    *map = (rlti_map){.ramp = ramp, .count = lock->point_count, .values = values};
    lock->map_count++;
    rlt_status status = RLT_OK;
    for (int c = 0, point = 0; c < lock->source_count && status == RLT_OK; c++) {
        const rlti_curves *curves = &lock->curves[c];
        status = read_curves(curves, row, ramp, messages, values + point);
        for (int s = 0; s < curves->strand_count; s++)
            point += curves->counts[s];
    }
    return status;
}

/* ---- rules between values, as scene/rules.c has them for ramps ---- */

static double lock_value(const rlti_lock *lock, const rlti_ramp *ramp, int point, double position) {
    const rlti_map *map = find_map(lock->maps, lock->map_count, ramp);
    return map != NULL ? map->values[point] : rlti_ramp_at(ramp, position);
}

static rlt_status check_pair(const rlti_lock *lock, const rlti_ramp *low, const char *low_key,
                             const rlti_ramp *high, const char *high_key, int or_equal,
                             rlt_messages *messages) {
    if (low->attribute[0] == '\0' && high->attribute[0] == '\0')
        return RLT_OK;
    for (int s = 0; s < lock->strand_count; s++)
        for (int p = lock->first[s]; p < lock->first[s + 1]; p++) {
            double at = (double)(p - lock->first[s]) / (lock->first[s + 1] - lock->first[s] - 1);
            double a = lock_value(lock, low, p, at), b = lock_value(lock, high, p, at);
            if (!(a > b || (or_equal && a == b && a > 0.0)))
                continue;
            char first[32], second[32];
            rlti_number_format(a, first, sizeof first);
            rlti_number_format(b, second, sizeof second);
            return rlti_refuse(messages, "%s is %s at strand %d, point %d: must be %s %s (%s)", low_key,
                               first, s, p - lock->first[s], or_equal ? "below" : "at most", high_key,
                               second);
        }
    return RLT_OK;
}

static rlt_status check_core(const rlti_hair_data *hair, const rlti_lock *lock, rlt_messages *messages) {
    rlt_status status = check_pair(lock, &hair->core_stiffness, "hair.core.stiffness",
                                   &hair->core_stiffness_max, "hair.core.stiffness_max", 0, messages);
    if (status == RLT_OK)
        status = check_pair(lock, &hair->core_damping, "hair.core.damping", &hair->core_damping_max,
                            "hair.core.damping_max", 0, messages);
    /* stable only so: the paper, section 3.3 */
    if (status == RLT_OK)
        status = check_pair(lock, &hair->core_stiffness_max, "hair.core.stiffness_max",
                            &hair->stretch_stiffness, "hair.stretch.stiffness", 1, messages);
    return status;
}

/* Values of a map outside a range, by the factor. */
static fault find_outside(const rlti_lock *lock, const rlti_ramp *ramp, double low, double high) {
    const rlti_map *map = find_map(lock->maps, lock->map_count, ramp);
    fault f = {0};
    for (int s = 0; map != NULL && s < lock->strand_count; s++)
        for (int p = lock->first[s]; p < lock->first[s + 1]; p++) {
            double value = map->values[p]; /* > 0, by its row */
            if (!(value >= low && value <= high))
                note_fault(&f, s, p - lock->first[s], value, fmax(low / value, value / high));
        }
    return f;
}

/* Shear moduli above half of Young's, where either has a map, by the factor. */
static fault find_hard_shear(const rlti_lock *lock, const rlti_rod_data *rod) {
    fault f = {0};
    int mapped = rod->shear.attribute[0] != '\0' || rod->young.attribute[0] != '\0';
    for (int s = 0; mapped && s < lock->strand_count; s++)
        for (int p = lock->first[s]; p < lock->first[s + 1]; p++) {
            double at = (double)(p - lock->first[s]) / (lock->first[s + 1] - lock->first[s] - 1);
            double shear = lock_value(lock, &rod->shear, p, at),
                   half = 0.5 * lock_value(lock, &rod->young, p, at);
            if (shear > half)
                note_fault(&f, s, p - lock->first[s], shear, shear / half);
        }
    return f;
}

/* The place of a lock's fault, in the prim it comes from. */
static fault_text lock_place(const rlti_lock *lock, const rlti_ramp *ramp, const fault *f) {
    int prim = 0, strand = f->strand;
    while (strand >= lock->curves[prim].strand_count)
        strand -= lock->curves[prim++].strand_count;
    return fault_place(&lock->curves[prim], ramp, strand);
}

/* "groom.usda: /hair.thick: curve 3 makes hair.rod.radius 0.04 (the worst of 3 curves), at point 0". */
static fault_text describe(const rlti_lock *lock, const rlti_ramp *ramp, const char *key, const fault *f) {
    fault_text fact;
    char number[32];
    rlti_number_short(f->value, number, sizeof number);
    snprintf(fact.text, sizeof fact.text, "%.800s makes %s %s%.64s, at point %d",
             lock_place(lock, ramp, f).text, key, number, fault_count(f).text, f->point);
    return fact;
}

/* A modulus that no material has. */
static rlt_status check_modulus(const rlti_lock *lock, const rlti_ramp *ramp, const char *key,
                                const char *refusal, rlt_messages *messages) {
    fault f = find_outside(lock, ramp, RLTI_MODULUS_MIN, RLTI_MODULUS_MAX);
    if (f.strands == 0)
        return RLT_OK;
    return rlti_refuse(messages, "%s: %s; mend its scale", describe(lock, ramp, key, &f).text, refusal);
}

static rlt_status check_radius(const rlti_lock *lock, const rlti_ramp *ramp, rlt_messages *messages) {
    fault f = find_outside(lock, ramp, RLTI_RADIUS_MIN, RLTI_RADIUS_MAX);
    if (f.strands > 0)
        return rlti_refuse(messages, "%s: %s; mend its scale",
                           describe(lock, ramp, "hair.rod.radius", &f).text, RLTI_RADIUS_REFUSAL);
    f = find_outside(lock, ramp, RLTI_RADIUS_THIN, RLTI_RADIUS_THICK);
    if (f.strands > 0)
        rlti_warn(messages, "%s: %s; mend its scale", describe(lock, ramp, "hair.rod.radius", &f).text,
                  RLTI_RADIUS_WARNING);
    return RLT_OK;
}

static rlt_status check_rod(const rlti_rod_data *rod, const rlti_lock *lock, rlt_messages *messages) {
    rlt_status status = check_modulus(lock, &rod->young, "hair.rod.young", RLTI_YOUNG_REFUSAL, messages);
    if (status == RLT_OK)
        status = check_modulus(lock, &rod->shear, "hair.rod.shear", RLTI_SHEAR_REFUSAL, messages);
    if (status == RLT_OK)
        status = check_radius(lock, &rod->radius, messages);
    fault f = status == RLT_OK ? find_hard_shear(lock, rod) : (fault){0};
    const rlti_ramp *mapped = rod->shear.attribute[0] != '\0' ? &rod->shear : &rod->young;
    char ratio[32];
    rlti_number_short(0.5 * f.off, ratio, sizeof ratio);
    if (f.strands > 0)
        rlti_warn(messages, "%s, %s times hair.rod.young: %s; mend its scale",
                  describe(lock, mapped, "hair.rod.shear", &f).text, ratio, RLTI_SHEAR_WARNING);
    return status;
}

/* Rules of the model that reads the values. */
static rlt_status check_material(const rlti_hair_data *hair, const rlti_lock *lock, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    if (rlti_hair_reads(hair, "hair.core.blend"))
        status = check_core(hair, lock, messages);
    if (status == RLT_OK && rlti_hair_reads(hair, "hair.rod.young"))
        status = check_rod(&hair->rod, lock, messages);
    return status;
}

rlt_status rlti_lock_read_constraint_maps(const rlti_scene_data *scene, int index, rlt_messages *messages,
                                          rlti_lock *lock) {
    const rlti_hair_data *hair = &scene->hair[index];
    const rlti_row *row = rlti_schema_row(rlti_schema_find("constraints.ramp"));
    rlt_status status = RLT_OK;
    for (int c = 0; c < scene->constraint_count && status == RLT_OK; c++) {
        const rlti_constraint_data *constraint = &scene->constraints[c];
        if (constraint->ramp.attribute[0] == '\0' || !rlti_constraint_chooses(constraint, hair->name))
            continue;
        int first_message = rlt_messages_count(messages);
        status = read_map(row, &constraint->ramp, messages, lock);
        rlti_messages_prefix(messages, first_message, constraint->place);
    }
    return status;
}

rlt_status rlti_lock_read_maps(const rlti_scene_data *scene, int index, rlt_messages *messages,
                               rlti_lock *lock) {
    const rlti_hair_data *hair = &scene->hair[index];
    rlt_status status = RLT_OK;
    lock->maps = RLTI_NEW(rlti_map, rlti_schema_count() + scene->constraint_count);
    if (lock->maps == NULL)
        return rlti_out_of_memory(messages);
    for (int r = 0; r < rlti_schema_count() && status != RLT_FAILED; r++) {
        const rlti_row *row = rlti_schema_row(r);
        if (row->part != RLTI_PART_HAIR || row->type != RLTI_TYPE_RAMP)
            continue;
        const rlti_ramp *ramp = (const rlti_ramp *)(const void *)((const char *)hair + row->offset);
        if (ramp->attribute[0] == '\0' || !rlti_hair_reads(hair, row->key))
            continue;
        rlt_status one = read_map(row, ramp, messages, lock);
        status = one != RLT_OK ? one : status;
    }
    return status == RLT_OK ? check_material(hair, lock, messages) : status;
}
