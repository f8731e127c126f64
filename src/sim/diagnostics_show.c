/* Names of the parts of diagnostics, and which of them a scene's hair has. */
#include <stdio.h>

#include "base/messages.h"
#include "ringlet/diagnostics.h"
#include "sim/simulation_data.h"

static const char *const names[] = {"guides",   "smoothed", "core",      "frames",      "targets",
                                    "contacts", "pruned",   "stretch",   "penetration", "speed",
                                    "holds",    "twist",    "curvature", "residual",    "forces"};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

const char *rlt_show_name(int index) {
    return index >= 0 && index < NAMES ? names[index] : NULL;
}

unsigned rlti_simulation_shows(const rlt_simulation *sim) {
    unsigned shows = 0;
    for (int k = 0; k < sim->solver_count; k++)
        shows |= sim->solvers[k]->type->shows;
    return shows;
}

/* The models that have a part, with commas between. */
static void list_models(unsigned bit, char *text, size_t size) {
    const rlti_solver_type *type;
    int used = 0;
    text[0] = '\0';
    for (int i = 0; (type = rlti_solver_type_at(i)) != NULL && used < (int)size; i++)
        if (type->shows & bit)
            used += snprintf(text + used, size - (size_t)used, "%s%s", used > 0 ? ", " : "", type->name);
}

static rlt_status check_section(const rlt_simulation *sim, const rlti_hair_data *hair, unsigned bit,
                                const char *name, rlt_messages *messages) {
    char models[256];
    const rlti_solver_type *type = rlti_solver_find(hair->model);
    if (type == NULL || (type->shows & bit))
        return RLT_OK;
    if (rlti_simulation_shows(sim) & bit) {
        rlti_warn(messages,
                  "%s: hair '%s': hair.model: %s cannot show %s; it is shown of the other hair only",
                  hair->model_place, hair->name, type->name, name);
        return RLT_OK;
    }
    list_models(bit, models, sizeof models);
    return rlti_refuse(
        messages, "%s: hair.model = %s: cannot show %s; choose a model that can (%s), or show something else",
        hair->model_place, type->name, name, models);
}

rlt_status rlt_simulation_check_show(const rlt_simulation *sim, unsigned show, rlt_messages *messages) {
    if (show >= 1u << NAMES)
        return rlti_refuse(messages, "diagnostics: show = %u: must be some of the %d bits", show, (int)NAMES);
    for (int i = 0; i < NAMES; i++)
        for (int h = 0; h < sim->scene->hair_count && (show & RLTI_SHOW_OWN & (1u << i)); h++) {
            rlt_status status = check_section(sim, &sim->scene->hair[h], 1u << i, names[i], messages);
            if (status != RLT_OK)
                return status;
        }
    return RLT_OK;
}
