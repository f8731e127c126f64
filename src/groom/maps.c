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

double rlti_strands_value(const rlti_strands *strands, const rlti_ramp *ramp, int point, double position) {
    if (ramp->attribute[0] == '\0')
        return rlti_ramp_at(ramp, position);
    /* a constraint's ramp has one map in each hair section it chooses from */
    for (int m = 0; m < strands->map_count; m++) {
        const rlti_map *map = &strands->maps[m];
        if (map->ramp == ramp && point >= map->first && point < map->first + map->count)
            return map->values[point - map->first];
    }
    return 0.0;
}

double rlti_strands_edge_value(const rlti_strands *strands, const rlti_ramp *ramp, int point,
                               double position) {
    if (ramp->attribute[0] == '\0')
        return rlti_ramp_at(ramp, position);
    return 0.5 * (rlti_strands_value(strands, ramp, point, position) +
                  rlti_strands_value(strands, ramp, point + 1, position));
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

/* One of the row's values that is out of its range: curve `c`. */
static rlt_status refuse_value(const rlti_curves *curves, const rlti_row *row, const rlti_ramp *ramp, int c,
                               double value, rlt_messages *messages) {
    char number[32];
    if (isfinite(value))
        rlti_number_format(value, number, sizeof number);
    else
        snprintf(number, sizeof number, "not a finite number");
    return rlti_fail(messages, RLT_BAD_INPUT, "%s: %s.%s: curve %d makes %s %s: must be %s%s",
                     curves->stage->file, rlti_curves_path(curves), ramp->attribute, c, row->key, number,
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
        return rlti_fail(messages, RLT_BAD_INPUT,
                         "%s: %s: %s = attribute:%s: there is no such attribute; there are: %s", file, path,
                         row->key, ramp->attribute, list);
    }
    if (!is_map_type(a))
        return rlti_fail(messages, RLT_BAD_INPUT,
                         "%s: %s.%s: cannot drive %s: a map has one number per place", file, path,
                         ramp->attribute, row->key);
    double *per_point = RLTI_NEW(double, curves->point_count);
    if (per_point == NULL)
        return rlti_out_of_memory(messages);
    rlt_status status = rlti_curves_per_point(curves, owner, a, messages, per_point);
    for (int s = 0; s < curves->strand_count && status == RLT_OK; s++) {
        rlti_curves_values(curves, s, per_point, values);
        for (int i = 0; i < curves->counts[s] && status == RLT_OK; i++) {
            values[i] = ramp->scale * values[i] + ramp->offset;
            int low = row->exclusive ? values[i] > row->min : values[i] >= row->min;
            if (!low || !(values[i] <= row->max) || !isfinite(values[i]))
                status = refuse_value(curves, row, ramp, curves->curve[s], values[i], messages);
        }
        values += curves->counts[s];
    }
    rlti_free(per_point);
    return status;
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
            return rlti_fail(messages, RLT_BAD_INPUT, "%s is %s at strand %d, point %d: must be %s %s (%s)",
                             low_key, first, s, p - lock->first[s], or_equal ? "below" : "at most", high_key,
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

/* A modulus that no material has. */
static rlt_status check_modulus(const rlti_lock *lock, const rlti_ramp *ramp, const char *key,
                                const char *refusal, rlt_messages *messages) {
    const rlti_map *map = find_map(lock->maps, lock->map_count, ramp);
    for (int s = 0; map != NULL && s < lock->strand_count; s++)
        for (int p = lock->first[s]; p < lock->first[s + 1]; p++) {
            char number[32];
            if (map->values[p] >= RLTI_MODULUS_MIN && map->values[p] <= RLTI_MODULUS_MAX)
                continue;
            rlti_number_short(map->values[p], number, sizeof number);
            return rlti_fail(messages, RLT_BAD_INPUT,
                             "%s: attribute:%s makes %s %s at strand %d, point %d: %s; mend its scale",
                             lock->curves[0].stage->file, ramp->attribute, key, number, s, p - lock->first[s],
                             refusal);
        }
    return RLT_OK;
}

/* Rules of the model that reads the values. */
static rlt_status check_material(const rlti_hair_data *hair, const rlti_lock *lock, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    if (rlti_hair_reads(hair, "hair.core.blend"))
        status = check_core(hair, lock, messages);
    if (status == RLT_OK && rlti_hair_reads(hair, "hair.rod.young"))
        status = check_modulus(lock, &hair->rod.young, "hair.rod.young", RLTI_YOUNG_REFUSAL, messages);
    if (status == RLT_OK && rlti_hair_reads(hair, "hair.rod.shear"))
        status = check_modulus(lock, &hair->rod.shear, "hair.rod.shear", RLTI_SHEAR_REFUSAL, messages);
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
