/* Warnings of values that a scene gives and that nothing reads: beside another source of the groom, or in
 * hair of another strand model, or of a wind that does not blow. Values of presets are nobody's mistake. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/parse.h"
#include "scene/readers.h"

/* 1 when the scene itself gives a value, or an override. */
static int is_given(const rlti_loader *loader, const rlti_given *given) {
    return given->node != NULL && !given->failed && given->source->order >= loader->layers[0].source.order;
}

/* ---- the groom's source ---- */

static void warn_idle(rlti_loader *loader, const rlti_section *section, const char *const *keys,
                      const char *fact) {
    int row;
    for (; *keys != NULL; keys++)
        if (is_given(loader, rlti_given_for(section, *keys, &row)) &&
            rlti_hair_reads(section->data, rlti_schema_row(row)->key))
            rlti_warn_of(loader, section, *keys, fact);
}

/* 1 when an override has given `chosen`: what the file says for another choice is nobody's mistake. */
static int is_overridden(const rlti_loader *loader, const rlti_section *section, const char *chosen) {
    int row;
    const rlti_given *given = rlti_given_for(section, chosen, &row);
    return given->node != NULL && given->source->order > loader->layers[0].source.order;
}

/* Values that nothing reads as `chosen` is. */
static void warn_beside(rlti_loader *loader, const rlti_section *section, const char *chosen,
                        const char *const *keys, const char *fact) {
    int row, overridden = is_overridden(loader, section, chosen);
    for (; *keys != NULL; keys++) {
        const rlti_given *given = rlti_given_for(section, *keys, &row);
        if (is_given(loader, given) && !(overridden && given->source == &loader->layers[0].source))
            rlti_warn_of(loader, section, *keys, fact);
    }
}

/* Of the values that say how many points a generated strand has, one counts. */
static void warn_of_points(rlti_loader *loader, const rlti_section *section) {
    static const char *const segment[] = {"segment", NULL};
    const rlti_hair_data *hair = section->data;
    int winds = hair->style != RLTI_STYLE_STRAIGHT && hair->points_per_turn > 0.0;
    if (winds && hair->total_points == 0)
        warn_idle(
            loader, section, segment,
            "does nothing: hair.points_per_turn says how many points there are; set that, or set it to 0");
}

static void warn_of_source(rlti_loader *loader, const rlti_section *section) {
    static const char *const generated[] = {"style",        "radius",        "variation",
                                            "seed",         "count",         "density",
                                            "total_points", "length",        "length_variation",
                                            "segment",      "pitch",         "points_per_turn",
                                            "taper",        "straight_root", "fall",
                                            "comb",         "wander",        "tie.style",
                                            "direction",    "spacing",       NULL};
    static const char *const from_file[] = {"prim",     "guides",           "group", "rest",
                                            "resample", "resample_segment", "cut",   "segment_floor",
                                            "bind",     "bind_limit",       NULL};
    static const char *const grown[] = {"region", NULL};
    static const char *const density[] = {"density", NULL};
    static const char *const tie[] = {"tie.position", "tie.radius", "tie.size", "tie.share", NULL};
    static const char *const curl[] = {"radius",        "pitch",           "variation", "taper",
                                       "straight_root", "points_per_turn", NULL};
    const rlti_hair_data *hair = section->data;
    if (hair->file[0] != '\0') {
        warn_idle(loader, section, generated, "does nothing: the groom comes from a file; remove it");
        warn_idle(loader, section, grown,
                  "does nothing: roots from a file are bound where they are (hair.bind); remove it");
    } else {
        warn_idle(loader, section, from_file, "does nothing without a groom from a file; give hair.file");
    }
    if (hair->file[0] == '\0' && hair->strand_count == 0)
        warn_of_points(loader, section);
    if (hair->file[0] == '\0' && hair->strand_count == 0 && hair->style == RLTI_STYLE_STRAIGHT)
        warn_beside(loader, section, "style", curl,
                    "does nothing with style: straight; set hair.style to wavy or helix, or remove it");
    if (hair->file[0] == '\0' && hair->strand_count == 0 && hair->count > 0)
        warn_beside(loader, section, "count", density,
                    "does nothing: hair.count says how many strands there are; set that to 0, or remove it");
    if (hair->tie.style == RLTI_TIE_NONE)
        warn_beside(loader, section, "tie.style", tie,
                    "does nothing without a tie; set hair.tie.style to ponytail or bun, or remove it");
    if (hair->file[0] == '\0' && hair->strand_count > 0)
        warn_idle(loader, section, generated, "does nothing: strands are given point by point; remove it");
}

/* ---- hairs of pictures, and motion ---- */

/* Each way to blend hairs reads values of its own. The first section says it for all hair. */
static void warn_of_blend(rlti_loader *loader, const rlti_section *section) {
    static const char *const locks[] = {"fill.clump_large", "fill.clump_small", "fill.locks",
                                        "fill.lock_radius", "fill.hairline",    NULL};
    static const char *const others[] = {"fill.clump",   "fill.clump_start", "fill.phase", "fill.spread",
                                         "fill.parting", "fill.neighbours",  NULL};
    static const char *const phase[] = {"fill.phase", NULL};
    static const char *const words[] = {
        [RLTI_FILL_CURLS] = "curls", [RLTI_FILL_POINTS] = "points", [RLTI_FILL_WISPS] = "wisps"};
    const rlti_hair_data *hair = section->data;
    char fact[128];
    if (hair->fill.blend == RLTI_FILL_LOCKS)
        return;
    snprintf(fact, sizeof fact, "does nothing with blend: %s; set hair.fill.blend to locks, or remove it",
             words[hair->fill.blend]);
    warn_beside(loader, section, "fill.blend", locks, fact);
    if (hair->fill.blend == RLTI_FILL_POINTS)
        warn_beside(loader, section, "fill.blend", phase, fact);
    if (hair->fill.blend == RLTI_FILL_WISPS)
        warn_beside(loader, section, "fill.blend", others, fact);
}

/* Motions that are not generated, or have no measure of their own, leave these unread. */
static void warn_of_motion(rlti_loader *loader) {
    static const char *const amount[] = {"motion.amount", NULL}, *const speed[] = {"motion.speed", NULL};
    int kind = (int)loader->data->motion.kind;
    int walks = kind == RLTI_MOTION_WALK || kind == RLTI_MOTION_WALK_SHAKE;
    if (kind == RLTI_MOTION_STILL || kind == RLTI_MOTION_STOP || kind == RLTI_MOTION_SPIN ||
        kind == RLTI_MOTION_KEYS)
        warn_beside(loader, loader->scene, "motion.kind", amount,
                    "does nothing with this motion.kind, which has its own measures; remove it");
    if (!walks)
        warn_beside(loader, loader->scene, "motion.kind", speed,
                    "does nothing: only walk and walk-shake have a speed (motion.kind); remove it");
}

/* ---- the strand model ---- */

/* Values of the file that a model does not read where an override has chosen it: the file serves another
 * model, so all are named at once. */
typedef struct passed {
    const rlti_given *model; /* the override */
    char keys[600];
} passed;

/* The override that has chosen the model of a section over the file's, or NULL. */
static const rlti_given *model_override(const rlti_loader *loader, const rlti_section *section) {
    int row;
    const rlti_given *given = rlti_given_for(section, "model", &row);
    return given->node != NULL && given->source->order > loader->layers[0].source.order ? given : NULL;
}

/* One more of them. */
static void pass(passed *list, const char *key) {
    size_t used = strlen(list->keys);
    snprintf(list->keys + used, sizeof list->keys - used, "%s%s", used > 0 ? ", " : "", key);
}

/* 1 when a section before `index` has the value of the same text, and does not read it either: an override of
 * all sections. */
static int is_repeated(const rlti_loader *loader, int index, int row, const char *key) {
    for (int i = 0; i < index; i++) {
        const rlti_section *other = &loader->hair.sections[i];
        if (other->given[row].node == loader->hair.sections[index].given[row].node &&
            !rlti_hair_reads(other->data, key))
            return 1;
    }
    return 0;
}

static void warn_of_value(rlti_loader *loader, const rlti_section *section, const rlti_reader *reader) {
    const rlti_hair_data *hair = section->data;
    char reason[128], fact[384];
    if (rlti_reader_converts(reader, hair->model))
        snprintf(reason, sizeof reason, "has a material of its own (hair.%s)", hair->model);
    else
        snprintf(reason, sizeof reason, "does not read it");
    snprintf(fact, sizeof fact, "does nothing: model %s %s; %s", hair->model, reason, reader->instead);
    rlti_warn_of(loader, section, reader->key + strlen("hair."), fact);
}

static void warn_of_model(rlti_loader *loader, int index, passed *before) {
    const rlti_section *section = &loader->hair.sections[index];
    const rlti_hair_data *hair = section->data;
    const rlti_reader *reader;
    passed list = {.model = model_override(loader, section)};
    for (int i = 0; (reader = rlti_reader_at(i)) != NULL; i++) {
        int row = rlti_schema_find(reader->key);
        const rlti_given *given = &section->given[row];
        if (rlti_schema_row(row)->part != RLTI_PART_HAIR || rlti_hair_reads(hair, reader->key) ||
            !is_given(loader, given))
            continue;
        if (list.model != NULL && given->source == &loader->layers[0].source)
            pass(&list, reader->key);
        else if (!is_repeated(loader, index, row, reader->key))
            warn_of_value(loader, section, reader);
    }
    if (list.model != NULL && list.keys[0] != '\0' &&
        (before->model == NULL || before->model->node != list.model->node ||
         strcmp(before->keys, list.keys) != 0))
        rlti_remark_at(
            loader->problems, RLT_WARNING, list.model->source, list.model->node->line,
            list.model->node->column,
            "%s.model = \"%s\": does not read all that the scene gives for another model: %s; give "
            "its own values (hair.%s) where they matter",
            section->shown, hair->model, list.keys, hair->model);
    *before = list;
}

/* The first hair that is simulated; NULL: none. */
static const rlti_section *first_hair(const rlti_loader *loader) {
    for (int i = 0; i < loader->hair.count; i++)
        if (((const rlti_hair_data *)loader->hair.sections[i].data)->role == RLTI_ROLE_HAIR)
            return &loader->hair.sections[i];
    return NULL;
}

/* Values of the whole scene that no hair reads. */
static void warn_of_scene(rlti_loader *loader) {
    const rlti_reader *reader;
    const rlti_section *section = first_hair(loader);
    if (section == NULL)
        return;
    passed list = {.model = model_override(loader, section)};
    const char *model = ((const rlti_hair_data *)section->data)->model;
    for (int i = 0; (reader = rlti_reader_at(i)) != NULL; i++) {
        int row = rlti_schema_find(reader->key);
        const rlti_given *given = &loader->scene->given[row];
        if (rlti_schema_row(row)->part != RLTI_PART_SCENE || !is_given(loader, given) ||
            rlti_scene_reads(loader->data, reader->key))
            continue;
        char fact[384];
        snprintf(fact, sizeof fact, "does nothing: all hair is of model %s, which does not read it; %s",
                 model, reader->instead);
        if (list.model != NULL && given->source == &loader->layers[0].source)
            pass(&list, reader->key);
        else
            rlti_warn_of(loader, loader->scene, reader->key, fact);
    }
    if (list.model != NULL && list.keys[0] != '\0')
        rlti_remark_at(loader->problems, RLT_NOTE, list.model->source, list.model->node->line,
                       list.model->node->column, "%s.model = \"%s\": no hair is left that reads %s",
                       section->shown, model, list.keys);
}

/* Rods take no fewer steps than all hair does. */
static void warn_of_steps(rlti_loader *loader, const rlti_section *section) {
    const rlti_hair_data *hair = section->data;
    int row, steps = loader->data->time.outer_steps;
    const rlti_given *given = rlti_given_for(section, "rod.steps", &row);
    if (!is_given(loader, given) || !rlti_hair_reads(hair, "hair.rod.steps") || hair->rod.steps >= steps)
        return;
    char fact[128];
    snprintf(fact, sizeof fact, "acts as %d: other hair of the scene takes so many steps a frame; remove it",
             steps);
    rlti_warn_of(loader, section, "rod.steps", fact);
}

/* Links are solved with contacts, where there are any. */
static void warn_of_links(rlti_loader *loader, const rlti_section *section) {
    static const char *const count[] = {"link.count", NULL};
    static const char *const others[] = {"link.reach",
                                         "link.self",
                                         "link.stretch_stiffness",
                                         "link.stretch_damping",
                                         "link.compress_stiffness",
                                         "link.compress_damping",
                                         "link.fade",
                                         NULL};
    const rlti_hair_data *hair = section->data;
    int row, asked = is_given(loader, rlti_given_for(section, "link.count", &row));
    if (hair->link.count == 0 && !asked) /* 0 may be asked for, to see what links do */
        warn_idle(loader, section, others,
                  "does nothing: there are no links; set hair.link.count, or remove it");
    else if (!hair->contact)
        warn_idle(
            loader, section, count,
            "does nothing: this hair has no contacts to be solved with; set hair.contact.enabled to on");
    else if (hair->link.count > 0 && hair->contact_method != RLTI_CONTACT_SOLVE)
        warn_idle(loader, section, count,
                  "does nothing: links are solved with contacts; set hair.contact.method to solve");
}

/* How many sections of hair solve their contacts. */
static int count_solved(const rlti_loader *loader) {
    int count = 0;
    for (int i = 0; i < loader->hair.count; i++) {
        const rlti_hair_data *hair = loader->hair.sections[i].data;
        count += hair->role == RLTI_ROLE_HAIR && hair->contact && rlti_hair_solves_contacts(hair);
    }
    return count;
}

/* How many sections of hair meet this one by springs. */
static int count_springs(const rlti_loader *loader, const rlti_hair_data *mine) {
    int count = 0;
    for (int i = 0; i < loader->hair.count; i++) {
        const rlti_hair_data *hair = loader->hair.sections[i].data;
        count += hair->role == RLTI_ROLE_HAIR && hair->contact && !rlti_hair_solves_with(mine, hair);
    }
    return count;
}

/* Springs push hair only where it meets hair whose contacts are not solved. */
static void warn_of_springs(rlti_loader *loader, const rlti_section *section) {
    static const char *const springs[] = {"contact.stiffness",    "contact.damping", "contact.ramp",
                                          "contact.break",        "contact.cling",   "contact.charge",
                                          "contact.charge_range", "prune.pairs",     "prune.particles",
                                          "prune.random",         "prune.sparsity",  NULL};
    static const char *const midpoint[] = {"rod.integration", NULL};
    static const char *const solved[] = {"contact.static_friction", NULL};
    const rlti_hair_data *hair = section->data;
    if (!rlti_hair_solves_contacts(hair)) {
        warn_idle(loader, section, solved,
                  "does nothing: springs have one friction; set hair.contact.method to solve, or remove it");
        return;
    }
    if (count_springs(loader, hair) == 0)
        warn_idle(loader, section, springs,
                  "does nothing: contacts are solved, not met by springs (hair.contact.method); remove it");
    if (hair->rod.integration == RLTI_ROD_MIDPOINT)
        warn_idle(loader, section, midpoint,
                  "does nothing: hair whose contacts are solved takes Euler's steps; remove it");
}

/* Values of a solution that there is not. */
static void warn_of_contacts(rlti_loader *loader) {
    static const char *const solved[] = {"contacts.block",      "contacts.newton", "contacts.early",
                                         "contacts.iterations", "contacts.sweeps", "contacts.tolerance",
                                         "contacts.compliance", "contacts.self",   NULL};
    for (int i = 0; solved[i] != NULL && count_solved(loader) == 0; i++)
        if (is_given(loader, &loader->scene->given[rlti_schema_find(solved[i])]))
            rlti_warn_of(loader, loader->scene, solved[i],
                         "does nothing: no hair solves its contacts; set hair.contact.method to solve, of "
                         "model rod or coil");
}

/* 1 when the scene itself gives a value that is the whole scene's. */
static int gives(const rlti_loader *loader, const char *key) {
    return is_given(loader, &loader->scene->given[rlti_schema_find(key)]);
}

/* Values of a wind that does not blow. A wind that is given as 0 was asked for, to see what it does. */
static void warn_of_wind(rlti_loader *loader) {
    const rlti_wind_data *wind = &loader->data->wind;
    const double *v = wind->velocity;
    int steady = v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0 || gives(loader, "wind.velocity");
    int turbulent = wind->turbulence > 0.0 || gives(loader, "wind.turbulence");
    const struct {
        const char *key, *fact;
        int idle;
    } values[] = {
        {"wind.strength", "does nothing: there is no wind; give wind.velocity or wind.turbulence",
         !steady && !turbulent},
        {"wind.gust_strength",
         "does nothing: gusts are of the steady wind, and there is none; give wind.velocity", !steady},
        {"wind.gust_period",
         "does nothing: gusts are of the steady wind, and there is none; give wind.velocity", !steady},
        {"wind.turbulence_length", "does nothing: there is no turbulence; give wind.turbulence", !turbulent},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (values[i].idle && gives(loader, values[i].key))
            rlti_warn_of(loader, loader->scene, values[i].key, values[i].fact);
}

/* Whoever makes gravity weaker, stronger or sideways wants to see hair hang otherwise: it does not where the
 * groom is where it rests. */
static void warn_of_gravity(rlti_loader *loader) {
    const double *g = loader->data->gravity, metres = loader->data->metres_per_unit;
    double off = sqrt(g[0] * g[0] + g[2] * g[2]) * metres + fabs(g[1] * metres + 9.81); /* [m/s^2] */
    int solved = 0;
    for (int i = 0; i < loader->hair.count; i++) {
        const rlti_hair_data *hair = loader->hair.sections[i].data;
        solved += hair->role == RLTI_ROLE_HAIR && hair->sag.mode == RLTI_SAG_SOLVE;
    }
    if (solved > 0 && off > 1.0 && gives(loader, "gravity"))
        rlti_warn_of(loader, loader->scene, "gravity",
                     "does not change how hair hangs: hair.sag.mode is solve, so the groom is where it rests "
                     "under any gravity; set it to off to let hair fall");
}

/* Hair from a file beside the head that every scene has unless it says else. */
static void note_head(rlti_loader *loader) {
    const rlti_section *section = NULL;
    for (int i = 0; i < loader->hair.count; i++) {
        const rlti_section *one = &loader->hair.sections[i];
        if (!rlti_section_is_map(one) || ((const rlti_hair_data *)one->data)->file[0] == '\0')
            return;
        section = section != NULL ? section : one;
    }
    for (int r = 0; r < rlti_schema_count(); r++)
        if (strncmp(rlti_schema_row(r)->key, "character.", 10) == 0 && loader->scene->given[r].node != NULL)
            return;
    if (section != NULL && loader->data->character.kind == RLTI_CHARACTER_HEAD)
        rlti_remark_at(loader->problems, RLT_NOTE, section->source, section->node->line,
                       section->node->column,
                       "%s: no character is given, so a default head is added, which hair keeps out of; give "
                       "your own (character.file), or none (character: {kind: none})",
                       section->shown);
}

void rlti_idle_check(rlti_loader *loader) {
    passed before = {0};
    for (int i = 0; i < loader->hair.count; i++) {
        const rlti_section *section = &loader->hair.sections[i];
        const rlti_hair_data *hair = section->data;
        if (!rlti_section_is_map(section))
            continue;
        warn_of_source(loader, section);
        if (i == 0)
            warn_of_blend(loader, section);
        if (hair->role != RLTI_ROLE_HAIR)
            continue; /* a shape has no model */
        warn_of_model(loader, i, &before);
        warn_of_steps(loader, section);
        warn_of_links(loader, section);
        warn_of_springs(loader, section);
    }
    warn_of_motion(loader);
    warn_of_scene(loader);
    warn_of_contacts(loader);
    warn_of_wind(loader);
    warn_of_gravity(loader);
    note_head(loader);
}
