/* Which model computes which strands. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "sim/simulation_data.h"

/* The names of all models, with commas between. */
static void list_models(char *text, size_t size) {
    const rlti_solver_type *type;
    int used = 0;
    for (int i = 0; (type = rlti_solver_type_at(i)) != NULL && used < (int)size; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%s", i > 0 ? ", " : "", type->name);
}

/* The model a misspelt word may mean: two letters of the same place in common, and as long but for one; or
 * NULL. */
static const char *closest_model(const char *word) {
    const rlti_solver_type *type;
    for (int i = 0; (type = rlti_solver_type_at(i)) != NULL; i++) {
        size_t length = strlen(type->name), given = strlen(word), same = 0;
        for (size_t k = 0; k < length && k < given; k++)
            same += type->name[k] == word[k];
        if (same >= 2 && given + 1 >= length && given <= length + 1)
            return type->name;
    }
    return NULL;
}

static rlt_status refuse_model(const rlti_hair_data *hair, rlt_messages *messages) {
    char list[256];
    const char *closest = closest_model(hair->model);
    list_models(list, sizeof list);
    return rlti_refuse(messages, "%s: hair.model = %s: must be one of %s%s%s%s", hair->model_place,
                       hair->model, list, closest != NULL ? "; did you mean " : "",
                       closest != NULL ? closest : "", closest != NULL ? "?" : "");
}

/* All that a section asks of its model and cannot have. */
static rlt_status check_section(const rlti_scene_data *scene, const rlti_hair_data *hair,
                                const rlti_solver_type *type, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    if (hair->sag.mode != RLTI_SAG_OFF && !type->settles)
        status = rlti_refuse(
            messages,
            "%s: hair.sag: not supported by hair.model: %s; set sag.mode: off, or choose another model",
            hair->model_place, type->name);
    int reshapes =
        hair->reshape.curves != RLTI_RESHAPE_OFF || hair->reshape.scale || hair->reshape.groom[0] != '\0';
    if (reshapes && !type->reshapes)
        status = rlti_refuse(
            messages,
            "%s: hair.reshape: not supported by hair.model: %s; leave it out, or choose another model",
            hair->model_place, type->name);
    for (int c = 0; c < scene->constraint_count; c++) {
        const rlti_constraint_data *constraint = &scene->constraints[c];
        if (constraint->enabled && rlti_constraint_chooses(constraint, hair->name) &&
            !(type->constraints >> constraint->kind & 1))
            status = rlti_refuse(messages,
                                 "%s: constraint '%s': its kind is not supported by hair.model: %s of hair "
                                 "'%s'; leave it out, or choose another model",
                                 constraint->place, constraint->name, type->name, hair->name);
    }
    return status;
}

/* The solver of a model, made a place for when it is the first of its kind. */
static int solver_index(const rlti_solver_type *type, const rlti_solver_type **types, int *count) {
    int k = 0;
    while (k < *count && types[k] != type)
        k++;
    if (k == *count && k < RLTI_SOLVERS_MAX)
        types[(*count)++] = type;
    return k;
}

/* The model of a section, NULL after a message. */
static const rlti_solver_type *find_model(const rlti_scene_data *scene, const rlti_hair_data *hair,
                                          rlt_messages *messages) {
    const rlti_solver_type *type = rlti_solver_find(hair->model);
    rlt_status status =
        type != NULL ? check_section(scene, hair, type, messages) : refuse_model(hair, messages);
    return status == RLT_OK ? type : NULL;
}

static rlt_status choose_models(const rlti_scene_data *scene, const rlti_solver_type **types, int *count,
                                int *of_section, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int h = 0; h < scene->hair_count; h++) {
        of_section[h] = 0;
        if (scene->hair[h].role != RLTI_ROLE_HAIR)
            continue;
        const rlti_solver_type *type = find_model(scene, &scene->hair[h], messages);
        if (type != NULL)
            of_section[h] = solver_index(type, types, count);
        else
            status = RLT_BAD_INPUT;
    }
    return status;
}

rlt_status rlt_model_check(const rlt_scene *scene, rlt_messages *messages) {
    if (scene == NULL)
        return rlti_refuse(messages, "rlt_model_check: a required argument is NULL");
    const rlti_scene_data *data = rlti_scene_get(scene);
    rlt_status status = RLT_OK;
    for (int h = 0; h < data->hair_count; h++)
        if (data->hair[h].role == RLTI_ROLE_HAIR && find_model(data, &data->hair[h], messages) == NULL)
            status = RLT_BAD_INPUT;
    return status;
}

const char *rlt_model_name(int index, const char **about) {
    const rlti_solver_type *type = index >= 0 ? rlti_solver_type_at(index) : NULL;
    if (about != NULL)
        *about = type != NULL ? type->about : NULL;
    return type != NULL ? type->name : NULL;
}

rlt_status rlti_simulation_create_solvers(rlt_simulation *sim, const rlt_simulation_def *def,
                                          rlt_messages *messages) {
    const rlti_solver_type *types[RLTI_SOLVERS_MAX];
    int *of_section = RLTI_NEW(int, sim->scene->hair_count), count = 0;
    sim->solver_of = RLTI_NEW(unsigned char, sim->strands->strand_count);
    if (of_section == NULL || sim->solver_of == NULL) {
        rlti_free(of_section);
        return rlti_out_of_memory(messages);
    }
    rlt_status status = choose_models(sim->scene, types, &count, of_section, messages);
    for (int s = 0; s < sim->strands->strand_count; s++)
        sim->solver_of[s] = (unsigned char)of_section[sim->strands->hair[s]];
    rlti_free(of_section);
    for (int k = 0; k < count && status == RLT_OK; k++) {
        sim->mine[k] = RLTI_NEW(unsigned char, sim->strands->strand_count);
        if (sim->mine[k] == NULL)
            return rlti_out_of_memory(messages);
        for (int s = 0; s < sim->strands->strand_count; s++)
            sim->mine[k][s] = sim->solver_of[s] == k;
        rlti_solver_def solver = {.scene = sim->scene,
                                  .file = sim->file,
                                  .strands = sim->strands,
                                  .matter = sim->matter,
                                  .mine = sim->mine[k],
                                  .simd = def->simd,
                                  .pool = sim->pool,
                                  .time_parts = def->time_phases};
        status = types[k]->create(&solver, messages, &sim->solvers[k]);
        sim->solver_count += status == RLT_OK;
    }
    return status;
}
