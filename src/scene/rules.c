/* Rules between values, which no single row of the schema can check. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/math.h"
#include "base/number.h"
#include "scene/parse.h"
#include "scene/readers.h"
#include "scene/rules.h"

#define POINTS_PER_STRAND_MAX 100000.0
#define POINTS_MAX            100000000.0

const rlti_given *rlti_given_for(const rlti_section *section, const char *key, int *row) {
    char path[128];
    snprintf(path, sizeof path, "%s%s%s", section->prefix, section->prefix[0] != '\0' ? "." : "", key);
    *row = rlti_schema_find(path);
    return &section->given[*row];
}

static int failed(const rlti_section *section, const char *key) {
    int row;
    return rlti_given_for(section, key, &row)->failed;
}

/* 1 where a text gives the value, be it a preset's. */
static int is_given(const rlti_section *section, const char *key) {
    int row;
    return rlti_given_for(section, key, &row)->node != NULL;
}

void rlti_broken(rlti_loader *loader, const rlti_section *section, const char *key, const char *other,
                 const char *format, ...) {
    int row, other_row;
    const rlti_given *given = rlti_given_for(section, key, &row);
    const rlti_given *second = other != NULL ? rlti_given_for(section, other, &other_row) : given;
    if (given->failed || second->failed)
        return;
    char reason[256], value[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    rlti_type type = rlti_schema_row(row)->type;
    int is_word =
        (type == RLTI_TYPE_TEXT || type == RLTI_TYPE_CHOICE) && rlti_schema_row(row)->default_value[0] != '"';
    if (given->node != NULL)
        rlti_node_show(given->node, value, sizeof value);
    else
        snprintf(value, sizeof value, is_word ? "\"%s\"" : "%s", rlti_schema_row(row)->default_value);

    const rlti_source *source = section->source;
    const rlti_node *node = section->node;
    int order = source->order - 1; /* presets lie below: their lines are not the user's */
    const rlti_given *candidates[] = {given, second};
    for (int i = 0; i < 2; i++)
        if (candidates[i]->node != NULL && candidates[i]->source->order > order) {
            source = candidates[i]->source;
            node = candidates[i]->node;
            order = source->order;
        }
    rlti_problem_at(loader->problems, source, node->line, node->column, "%s%s%s = %s: %s", section->shown,
                    section->shown[0] != '\0' ? "." : "", key, value, reason);
}

void rlti_warn_of(rlti_loader *loader, const rlti_section *section, const char *key, const char *fact) {
    int row;
    const rlti_given *given = rlti_given_for(section, key, &row);
    char value[64];
    if (given->node == NULL || given->failed)
        return;
    rlti_node_show(given->node, value, sizeof value);
    rlti_remark_at(loader->problems, RLT_WARNING, given->source, given->node->line, given->node->column,
                   "%s%s%s = %s: %s", section->shown, section->shown[0] != '\0' ? "." : "", key, value, fact);
}

/* Remembers where a value was given, for checks that need the whole model, or its files. */
void rlti_note_place(const rlti_loader *loader, const rlti_section *section, const char *key,
                     char place[RLTI_PLACE_SIZE]) {
    int row;
    const rlti_given *given = rlti_given_for(section, key, &row);
    if (given->node != NULL)
        snprintf(place, RLTI_PLACE_SIZE, "%s:%d:%d", given->source->name, given->node->line,
                 given->node->column);
    else
        snprintf(place, RLTI_PLACE_SIZE, "%s", loader->layers[0].source.name);
}

static void check_time(rlti_loader *loader) {
    const rlti_time_data *time = &loader->data->time;
    if (time->last < time->first)
        rlti_broken(loader, loader->scene, "time.last", "time.first", "must be >= time.first (%d)",
                    time->first);
}

/* A position at which ramp a is not below (or, with `or_equal`, above) ramp b: between knots both are linear,
 * so the knots decide. */
static int first_above(const rlti_ramp *a, const rlti_ramp *b, int or_equal, double *position) {
    const rlti_ramp *ramps[] = {a, b};
    if (a->attribute[0] != '\0' || b->attribute[0] != '\0')
        return 0; /* known once the groom is read: groom/maps.c */
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < ramps[r]->count; i++) {
            double p = ramps[r]->position[i];
            double x = rlti_ramp_at(a, p), y = rlti_ramp_at(b, p);
            if (x > y || (or_equal && x == y && x > 0.0)) {
                *position = p;
                return 1;
            }
        }
    return 0;
}

static void check_core(rlti_loader *loader, const rlti_section *section) {
    const rlti_hair_data *hair = section->data;
    double p;
    char value[32], at[32];
    if (first_above(&hair->core_stiffness, &hair->core_stiffness_max, 0, &p)) {
        rlti_number_format(rlti_ramp_at(&hair->core_stiffness, p), value, sizeof value);
        rlti_broken(loader, section, "core.stiffness_max", "core.stiffness",
                    "must be >= %s.core.stiffness (%s)", section->shown, value);
    }
    if (first_above(&hair->core_damping, &hair->core_damping_max, 0, &p)) {
        rlti_number_format(rlti_ramp_at(&hair->core_damping, p), value, sizeof value);
        rlti_broken(loader, section, "core.damping_max", "core.damping", "must be >= %s.core.damping (%s)",
                    section->shown, value);
    }
    /* the paper, section 3.3: stable only with k_c < k_s */
    if (first_above(&hair->core_stiffness_max, &hair->stretch_stiffness, 1, &p)) {
        rlti_number_format(rlti_ramp_at(&hair->stretch_stiffness, p), value, sizeof value);
        rlti_number_format(p, at, sizeof at);
        rlti_broken(loader, section, "core.stiffness_max", "stretch.stiffness",
                    "must be below %s.stretch.stiffness (%s at position %s)", section->shown, value, at);
    }
}

/* A value of a section and the text that gives it; NULL: all that were asked for are defaults. */
typedef struct latest {
    const rlti_given *given;
    const char *key;
} latest;

/* 1 when the first comes from a later text. */
static int is_later(const rlti_given *a, const rlti_given *b) {
    return a != NULL && a->node != NULL &&
           (b == NULL || b->node == NULL || a->source->order > b->source->order);
}

static void take_later(const rlti_section *section, const char *key, latest *found) {
    int row;
    const rlti_given *given = rlti_given_for(section, key, &row);
    if (!is_later(given, found->given))
        return;
    found->given = given;
    found->key = key;
}

/* Of the values that a model makes its own material of. */
static latest latest_converted(const rlti_section *section, const char *model) {
    latest found = {0};
    const rlti_reader *reader;
    for (int i = 0; (reader = rlti_reader_at(i)) != NULL; i++)
        if (reader->material && rlti_reader_converts(reader, model))
            take_later(section, reader->key + strlen("hair."), &found);
    return found;
}

/* 1 where some knot lies outside; what a map brings is known once the groom is read. */
static int is_outside(const rlti_ramp *ramp, double low, double high) {
    for (int i = 0; i < ramp->count && ramp->attribute[0] == '\0'; i++)
        if (!(ramp->value[i] >= low && ramp->value[i] <= high))
            return 1;
    return 0;
}

/* Whose material a Rod has: its own, or Taz's where that was given later. */
static void set_conversion(const rlti_loader *loader, const rlti_section *section) {
    static const char *const material[] = {"rod.radius", "rod.eccentricity", "rod.young", "rod.shear",
                                           "rod.density"};
    rlti_hair_data *hair = section->data;
    latest taz = latest_converted(section, "rod"), rod = {0};
    int row;
    for (size_t k = 0; k < sizeof material / sizeof material[0]; k++)
        take_later(section, material[k], &rod);
    const rlti_given *given = taz.given, *own = rod.given;
    hair->rod.converted = is_later(given, own);
    hair->rod.damping_converted =
        hair->rod.converted && is_later(given, rlti_given_for(section, "rod.damping", &row));
    if (!hair->rod.converted)
        return;
    if (own == NULL)
        snprintf(hair->rod.reason, sizeof hair->rod.reason,
                 "no hair.rod material is given, so Taz's is converted");
    else if (own->source->order < loader->layers[0].source.order)
        snprintf(hair->rod.reason, sizeof hair->rod.reason,
                 "hair.%s (%.100s:%d:%d) is given over the preset's material, so Taz's is converted", taz.key,
                 given->source->name, given->node->line, given->node->column);
    else
        snprintf(hair->rod.reason, sizeof hair->rod.reason,
                 "hair.%s (%.100s:%d:%d) is given after hair.%s, so Taz's material is converted and that of "
                 "hair.rod does nothing",
                 taz.key, given->source->name, given->node->line, given->node->column, rod.key);
}

/* Which of the values that a groom's file may have, too, the section gives itself. */
static void set_given(const rlti_section *section) {
    rlti_hair_data *hair = section->data;
    const struct {
        const char *key;
        unsigned char *given;
    } rows[] = {{"mass", &hair->given.mass},           {"rod.radius", &hair->given.radius},
                {"rod.young", &hair->given.young},     {"rod.shear", &hair->given.shear},
                {"rod.density", &hair->given.density}, {"coil.stretch", &hair->given.stretch}};
    int row;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        *rows[i].given = rlti_given_for(section, rows[i].key, &row)->node != NULL;
}

/* The Rod's material: numbers that no material has, or that are in other units than they seem. */
static void check_rod(rlti_loader *loader, const rlti_section *section) {
    const double softest = RLTI_MODULUS_MIN, hardest = RLTI_MODULUS_MAX;
    const rlti_hair_data *hair = section->data;
    if (is_outside(&hair->rod.young, softest, hardest))
        rlti_broken(loader, section, "rod.young", NULL, RLTI_YOUNG_REFUSAL);
    if (is_outside(&hair->rod.shear, softest, hardest))
        rlti_broken(loader, section, "rod.shear", NULL, RLTI_SHEAR_REFUSAL);
    double at;
    rlti_ramp half = hair->rod.young;
    for (int i = 0; i < half.count; i++)
        half.value[i] *= 0.5;
    if (!is_outside(&hair->rod.shear, softest, hardest) && first_above(&hair->rod.shear, &half, 0, &at))
        rlti_warn_of(loader, section, "rod.shear", RLTI_SHEAR_WARNING);
    if (is_outside(&hair->rod.radius, RLTI_RADIUS_MIN, RLTI_RADIUS_MAX))
        rlti_broken(loader, section, "rod.radius", NULL, RLTI_RADIUS_REFUSAL);
    else if (is_outside(&hair->rod.radius, RLTI_RADIUS_THIN, RLTI_RADIUS_THICK))
        rlti_warn_of(loader, section, "rod.radius", RLTI_RADIUS_WARNING);
}

/* 1 where somewhere one stiffness of the Coil is more than so many times another that is there. */
static int is_far_above(const rlti_ramp *a, const rlti_ramp *b, double times) {
    rlti_ramp most = *b;
    double at;
    for (int i = 0; i < most.count; i++)
        most.value[i] *= times;
    return first_above(a, &most, 0, &at);
}

/* The key of two that the section gives, for a message's place. */
static const char *given_of(const rlti_section *section, const char *first, const char *second) {
    int row;
    return rlti_given_for(section, first, &row)->node != NULL ? first : second;
}

/* The Coil's stiffnesses: such that Newton does not converge whatever the steps, as measured on coils of
 * one hair (docs/design/coil.md, Stiffness far apart). */
static void check_coil(rlti_loader *loader, const rlti_section *section) {
    const rlti_coil_data *coil = &((const rlti_hair_data *)section->data)->coil;
    if (is_far_above(&coil->torsion, &coil->bend, 100.0))
        rlti_warn_of(loader, section, given_of(section, "coil.bend", "coil.torsion"),
                     "torsion is more than 100 times as stiff as bending, which Newton hardly converges for; "
                     "raise coil.bend to at least a hundredth of coil.torsion, or lower coil.torsion");
    if (is_far_above(&coil->bend, &coil->stretch, 1e6))
        rlti_warn_of(loader, section, given_of(section, "coil.stretch", "coil.bend"),
                     "bending is more than a million times as stiff as stretching, so hair grows longer "
                     "instead of bending; raise coil.stretch, or lower coil.bend");
}

/* A groom that somebody has made is kept as it was made; hair that grows here may settle. */
static void set_sag(const rlti_section *section) {
    rlti_hair_data *hair = section->data;
    if (hair->sag.mode != RLTI_SAG_AUTO)
        return;
    int keeps = hair->file[0] != '\0' && hair->role == RLTI_ROLE_HAIR && !rlti_hair_root_is_free(hair) &&
                rlti_model_is_known(hair->model);
    hair->sag.mode = keeps ? RLTI_SAG_SOLVE : RLTI_SAG_OFF;
}

/* Values along the strand, each by the model that reads it. */
static void check_material(rlti_loader *loader, const rlti_section *section) {
    const rlti_hair_data *hair = section->data;
    if (rlti_hair_reads(hair, "hair.core.blend"))
        check_core(loader, section);
    if (rlti_hair_reads(hair, "hair.rod.young"))
        check_rod(loader, section);
    if (rlti_hair_reads(hair, "hair.coil.bend"))
        check_coil(loader, section);
    if (hair->contact_static_friction != RLTI_AUTO && hair->contact_static_friction < hair->contact_friction)
        rlti_broken(
            loader, section, "contact.static_friction", "contact.friction",
            "hair that slides is not held harder than hair that sticks; give at least contact.friction (%g), "
            "or auto",
            hair->contact_friction);
    if (rlti_hair_root_is_free(hair) && hair->sag.mode != RLTI_SAG_OFF)
        rlti_broken(loader, section, "rod.root", "sag.mode",
                    "hair that nothing holds falls whatever its rest shape; set hair.sag.mode to off");
    if (rlti_hair_reads(hair, "hair.stretch.limit") && hair->stretch_limit > 0.0 &&
        hair->stretch_limit <= 1.0)
        rlti_broken(loader, section, "stretch.limit", NULL, "must be > 1, or 0 for no limit");
}

/* Where no hair takes the scene's outer steps nothing needs more steps than hair of model rod does. */
static void set_outer_steps(rlti_loader *loader) {
    rlti_scene_data *data = loader->data;
    int steps = 0;
    if (rlti_scene_reads(data, "time.outer_steps"))
        return;
    for (int h = 0; h < data->hair_count; h++)
        if (data->hair[h].role == RLTI_ROLE_HAIR && data->hair[h].rod.steps > steps)
            steps = data->hair[h].rod.steps;
    data->time.outer_steps = steps;
}

int rlti_section_is_map(const rlti_section *section) {
    return section->node->kind == RLTI_NODE_MAP || rlti_node_is_null(section->node);
}

/* Midpoint is for edges that turn by less than about 0.1 rad in a step (solve/implicit.h), else Euler takes
 * it; hair that moves at all turns by 20 rad/s. */
static void check_midpoint(rlti_loader *loader) {
    const double longest = 1.0 / 240; /* [s] */
    const rlti_scene_data *data = loader->data;
    for (int i = 0; i < loader->hair.count; i++) {
        const rlti_section *section = &loader->hair.sections[i];
        const rlti_hair_data *hair = section->data;
        double a_second = data->time.fps * data->time.outer_steps;
        if (!rlti_section_is_map(section) || !rlti_hair_reads(hair, "hair.rod.integration") ||
            hair->rod.integration != RLTI_ROD_MIDPOINT || !(a_second * longest < 1.0 - 1e-9))
            continue;
        char fact[200];
        snprintf(
            fact, sizeof fact,
            "steps of 1/%.4g s are too long for it where hair moves fast: strands take those by Euler, which "
            "damps; set hair.rod.steps to %.0f or more",
            a_second, ceil(1.0 / (longest * data->time.fps) - 1e-9));
        rlti_warn_of(loader, section, "rod.integration", fact);
    }
}

/* Points of the longest strand the generator may make. */
static double points_per_strand(const rlti_hair_data *hair) {
    double length = hair->length * (1.0 + hair->length_variation);
    if (!(hair->points_per_turn > 0.0))
        return length / hair->segment + 1.0;
    double round = 2.0 * RLTI_PI * hair->radius;
    double turn = sqrt(round * round + hair->pitch * hair->pitch);
    return hair->points_per_turn * length / turn + 1.0;
}

/* A curl with too few points for its shape. */
static void check_turns(rlti_loader *loader, const rlti_section *section) {
    static const char *const keys[] = {"segment", "points_per_turn", "total_points",
                                       "radius",  "pitch",           "count"};
    const rlti_hair_data *hair = section->data;
    double turn = rlti_hair_turn(hair), segment = hair->segment;
    latest last = {0};
    if (!(turn > 0.0))
        return;
    if (hair->total_points > 0 && hair->count > 0)
        segment = hair->length * hair->count / hair->total_points;
    else if (hair->points_per_turn > 0.0)
        segment = turn / hair->points_per_turn;
    if (!(turn < RLTI_TURN_POINTS * segment * (1.0 - 1e-9)))
        return;
    int shares = hair->total_points > 0; /* only then the count says how many points a strand has */
    for (size_t k = 0; k < sizeof keys / sizeof keys[0] - !shares; k++)
        take_later(section, keys[k], &last);
    char points[32], wanted[32], fact[240];
    rlti_number_short(turn / segment, points, sizeof points);
    rlti_number_short(0.1 * turn, wanted, sizeof wanted);
    snprintf(fact, sizeof fact,
             "makes %s points on a turn of the curl, which is a corner each and moves like one; below %.0f "
             "that is "
             "too few: hair.segment: %s makes 10%s",
             points, RLTI_TURN_POINTS, wanted,
             hair->total_points > 0      ? " (and hair.total_points: 0)"
             : hair->points_per_turn > 0 ? " (and hair.points_per_turn: 0)"
                                         : "");
    if (last.given != NULL)
        rlti_warn_of(loader, section, last.key, fact);
}

/* From here on combed hair hangs; below, what is combed off the face goes around behind the ears. */
#define COMBED_FALL   0.7
#define COMBED_LENGTH 0.12 /* [m] and this is long enough to get there */

/* Long hair that is combed, but held up. Among curls it does not show. */
static void check_comb(rlti_loader *loader, const rlti_section *section) {
    static const char *const keys[] = {"fall", "comb", "length"};
    const rlti_hair_data *hair = section->data;
    latest last = {0};
    if (loader->data->character.kind != RLTI_CHARACTER_HEAD || !(hair->comb > 0.0) ||
        (hair->style != RLTI_STYLE_STRAIGHT && hair->style != RLTI_STYLE_WAVY) || hair->fall >= COMBED_FALL ||
        hair->tie.style != RLTI_TIE_NONE || hair->length * loader->data->metres_per_unit < COMBED_LENGTH)
        return;
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        take_later(section, keys[k], &last);
    if (last.given != NULL)
        rlti_warn_of(
            loader, section, last.key,
            "hair that is combed and does not fall winds up behind the ears; set hair.fall to 0.8 or "
            "more, or hair.comb to 0");
}

/* 1 when an override replaces what the scene says. The order of overrides says nothing. */
static int overrules(const rlti_loader *loader, const rlti_given *a, const rlti_given *b) {
    int scene = loader->layers[0].source.order;
    return a->node != NULL && a->source->order > scene && b->source->order <= scene;
}

/* Values that total_points leaves nothing to say. */
static void check_total(rlti_loader *loader, const rlti_section *section) {
    static const char *const unread[] = {"segment", "points_per_turn"};
    const rlti_hair_data *hair = section->data;
    int row;
    const rlti_given *total = rlti_given_for(section, "total_points", &row);
    for (int k = 0; k < 2; k++) {
        const rlti_given *given = rlti_given_for(section, unread[k], &row);
        if (given->node != NULL && given->source->order > 0 && !overrules(loader, total, given))
            rlti_broken(loader, section, unread[k], "total_points",
                        "says nothing beside hair.total_points (%d); set that to 0, or remove one of them",
                        hair->total_points);
    }
}

/* A scene's total of points is stated for its own count of strands: another count on top of it keeps the
 * distance between points, not their number. */
static void drop_total(rlti_loader *loader, const rlti_section *section) {
    rlti_hair_data *hair = section->data;
    int row, scene = loader->layers[0].source.order;
    const rlti_given *total = rlti_given_for(section, "total_points", &row),
                     *count = rlti_given_for(section, "count", &row);
    if (hair->total_points <= 0 || total->node == NULL || count->node == NULL || count->failed ||
        total->source->order > scene || count->source->order <= scene)
        return;
    rlti_remark_at(loader->problems, RLT_NOTE, count->source, count->node->line, count->node->column,
                   "%s.count = %d: hair.total_points (%d) was for another count and is left out; points are "
                   "hair.segment apart",
                   section->shown, hair->count, hair->total_points);
    hair->total_points = 0;
}

static void check_size(rlti_loader *loader, const rlti_section *section) {
    const rlti_hair_data *hair = section->data;
    drop_total(loader, section);
    if (hair->total_points > 0) {
        check_total(loader, section);
        if ((double)hair->total_points < 3.0 * hair->count)
            rlti_broken(loader, section, "total_points", "count", "must be at least 3 per strand (%.0f)",
                        3.0 * hair->count);
        else
            check_turns(loader, section);
        return;
    }
    double points = points_per_strand(hair);
    if (!(points <= POINTS_PER_STRAND_MAX))
        rlti_broken(loader, section, hair->points_per_turn > 0.0 ? "points_per_turn" : "segment", "length",
                    "makes more than %.0f points a strand", POINTS_PER_STRAND_MAX);
    else if (!(points * hair->count <= POINTS_MAX))
        rlti_broken(loader, section, "count", NULL, "makes more than %.0f points", POINTS_MAX);
    else
        check_turns(loader, section);
    check_comb(loader, section);
}

static void check_region(rlti_loader *loader, const rlti_section *section) {
    static const char *const of_head[] = {RLTI_HEAD_REGIONS, "none"};
    static const char *const of_horse[] = {RLTI_HORSE_REGIONS, "none"};
    static const char *const of_ball[] = {RLTI_BALL_REGIONS, "none"};
    int is_horse = loader->data->character.kind == RLTI_CHARACTER_HORSE,
        is_ball = loader->data->character.kind == RLTI_CHARACTER_BALL;
    const char *const *known = is_horse ? of_horse : (is_ball ? of_ball : of_head);
    const int count = (int)(is_horse  ? sizeof of_horse
                            : is_ball ? sizeof of_ball
                                      : sizeof of_head) /
                      (int)sizeof known[0];
    const rlti_hair_data *hair = section->data;
    char list[160] = "";
    for (int i = 0; i < count; i++) {
        if (strcmp(hair->region, known[i]) == 0)
            return;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", known[i]);
    }
    rlti_broken(loader, section, "region", NULL, "no such region of the %s; known: %s",
                is_horse ? "horse" : (is_ball ? "ball" : "head"), list);
}

static void check_groom_file(rlti_loader *loader, const rlti_section *section) {
    const rlti_hair_data *hair = section->data;
    if (hair->strand_count > 0)
        rlti_broken(loader, section, "strands", "file", "either strands or a file, not both");
    if (hair->cut > 0.0 && hair->reshape.curves != RLTI_RESHAPE_OFF)
        rlti_broken(loader, section, "cut", "reshape.curves",
                    "curves that move in the file cannot be cut; set one off");
    if (hair->resample > 0 && hair->resample < 3)
        rlti_broken(loader, section, "resample", NULL, "must be at least 3, or 0 for the curves' own points");
    if (loader->data->character.kind == RLTI_CHARACTER_NONE &&
        (hair->bind == RLTI_BIND_UV || hair->bind == RLTI_BIND_CLOSEST))
        rlti_broken(loader, section, "bind", "file", "needs a character: character.kind is none");
}

/* Only a groom from a file has attributes. */
static void check_maps(rlti_loader *loader, const rlti_section *section) {
    for (int r = 0; r < rlti_schema_count(); r++) {
        const rlti_row *row = rlti_schema_row(r);
        if (row->part != RLTI_PART_HAIR || row->type != RLTI_TYPE_RAMP)
            continue;
        const rlti_ramp *ramp = (const rlti_ramp *)((const char *)section->data + row->offset);
        if (ramp->attribute[0] != '\0')
            rlti_broken(loader, section, row->key + strlen("hair."), NULL,
                        "needs a groom from a file: generated strands have no attributes");
    }
}

static void check_growth(rlti_loader *loader, const rlti_section *section) {
    const rlti_hair_data *hair = section->data;
    int floating = strcmp(hair->region, "none") == 0;
    if (hair->file[0] != '\0') {
        check_groom_file(loader, section);
        return;
    }
    check_maps(loader, section);
    /* the regions of a body from a file are known once it is read */
    if (loader->data->character.kind != RLTI_CHARACTER_NONE &&
        loader->data->character.kind != RLTI_CHARACTER_FILE)
        check_region(loader, section);
    if (failed(section, "strands") || hair->strand_count > 0)
        return;
    if (failed(section, "count") || failed(section, "density") || failed(section, "region"))
        return;
    if (hair->count == 0 && (floating || !(hair->density > 0.0)))
        rlti_problem_at(loader->problems, section->source, section->node->line, section->node->column,
                        "%s: %s", section->shown,
                        floating ? "needs count where region is none" : "needs count or density");
    if (!floating && loader->data->character.kind == RLTI_CHARACTER_NONE)
        rlti_broken(loader, section, "region", NULL, "must be none where character.kind is none");
    const double *d = hair->direction;
    if (floating && d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0)
        rlti_broken(loader, section, "direction", NULL, "must not be zero");
    check_size(loader, section);
}

const char *rlti_motion_refusal(rlti_character_kind character, rlti_motion_kind motion) {
    if (character == RLTI_CHARACTER_FILE && motion != RLTI_MOTION_STILL && motion != RLTI_MOTION_STOP &&
        motion != RLTI_MOTION_SPIN)
        return "a body from a file moves as its file says; it can also do still, stop, spin, and "
               "character.keys";
    if (motion == RLTI_MOTION_SIDESTEP && character != RLTI_CHARACTER_HORSE)
        return "sidestep needs legs: set character.kind to horse";
    if (motion == RLTI_MOTION_FLIP && character == RLTI_CHARACTER_HORSE)
        return "a horse cannot flip its hair; it can do still, walk, calisthenics, stop, spin, sidestep, "
               "shake";
    if (motion == RLTI_MOTION_WALK_SHAKE && character == RLTI_CHARACTER_HORSE)
        return "walk-shake is for the head; a horse can do still, walk, calisthenics, stop, spin, sidestep, "
               "shake";
    return NULL;
}

int rlti_track_is_zero(const rlti_track *track) {
    for (int i = 0; i < track->count; i++)
        if (track->key[i][1] != 0.0)
            return 0;
    return 1;
}

static void check_motion(rlti_loader *loader) {
    const rlti_scene_data *data = loader->data;
    const char *refusal = rlti_motion_refusal(data->character.kind, data->motion.kind);
    if (refusal != NULL)
        rlti_broken(loader, loader->scene, "motion.kind", "character.kind", "%s", refusal);
    int is_keyed = data->motion.kind == RLTI_MOTION_KEYS, has_file = data->motion.file[0] != '\0';
    if (is_keyed && data->motion.keys.count == 0 && !has_file)
        rlti_broken(
            loader, loader->scene, "motion.kind", "motion.keys",
            "needs motion.keys, as in [[1, 0, 0, 0, 0, 0, 0], [12, 0, 0, 0, 0, 45, 0]], or a motion.file");
    if (is_keyed && data->motion.keys.count > 0 && has_file)
        rlti_broken(loader, loader->scene, "motion.file", "motion.keys", "either keys or a file, not both");
    if (!is_keyed && data->motion.keys.count > 0)
        rlti_warn_of(loader, loader->scene, "motion.keys", "does nothing: set motion.kind to keys");
    if (!is_keyed && has_file)
        rlti_warn_of(loader, loader->scene, "motion.file", "does nothing: set motion.kind to keys");
    if (data->character.strap > 0.0 && data->character.kind != RLTI_CHARACTER_HEAD)
        rlti_broken(loader, loader->scene, "character.strap", "character.kind",
                    "only the generated head has a strap");
    if (!rlti_track_is_zero(&data->motion.brows) && data->character.kind != RLTI_CHARACTER_HEAD)
        rlti_broken(loader, loader->scene, "motion.brows", "character.kind",
                    "only the generated head has brows");
}

static void check_character(rlti_loader *loader) {
    const rlti_character_data *character = &loader->data->character;
    if (character->kind == RLTI_CHARACTER_FILE && character->file[0] == '\0')
        rlti_broken(loader, loader->scene, "character.file", "character.kind", "must name a file");
    if (character->kind != RLTI_CHARACTER_FILE && character->file[0] != '\0')
        rlti_broken(loader, loader->scene, "character.file", "character.kind", "needs character.kind: file");
    if (character->keys.count > 0 && character->kind != RLTI_CHARACTER_FILE &&
        character->kind != RLTI_CHARACTER_NONE)
        rlti_broken(loader, loader->scene, "character.keys", "character.kind",
                    "a generated character moves by motion.kind; keys move a body from a file");
}

static void check_bone(rlti_loader *loader, const rlti_section *section) {
    const rlti_collider_data *collider = section->data;
    if (collider->bone > RLTI_BONE_HEAD && loader->data->character.kind != RLTI_CHARACTER_HORSE)
        rlti_broken(loader, section, "bone", NULL,
                    "a bone of the horse; without one (character.kind) there are torso, neck, head, none");
}

static void check_collider(rlti_loader *loader, const rlti_section *section) {
    const rlti_collider_data *collider = section->data;
    if (collider->kind == RLTI_COLLIDER_BODY) {
        if (loader->data->character.kind == RLTI_CHARACTER_NONE)
            rlti_broken(loader, section, "kind", NULL, "needs a character: character.kind is none");
        return;
    }
    check_bone(loader, section);
    if (collider->kind == RLTI_COLLIDER_MESH) {
        if (collider->file[0] == '\0')
            rlti_broken(loader, section, "file", "kind", "must name the file of a mesh");
        return;
    }
    if (!(collider->radius > 0.0))
        rlti_broken(loader, section, "radius", "kind", "must be > 0 for a %s",
                    collider->kind == RLTI_COLLIDER_SPHERE ? "sphere" : "capsule");
    const double *from = collider->position, *to = collider->end;
    if (collider->kind == RLTI_COLLIDER_CAPSULE && from[0] == to[0] && from[1] == to[1] && from[2] == to[2])
        rlti_broken(loader, section, "end", "position", "must differ from %s.position", section->shown);
}

void rlti_rules_check(rlti_loader *loader) {
    check_time(loader);
    check_motion(loader);
    check_character(loader);
    rlti_note_place(loader, loader->scene, "time.force_steps", loader->data->time.force_steps_place);
    rlti_note_place(loader, loader->scene, "time.damping_steps", loader->data->time.damping_steps_place);
    loader->data->time.force_given = is_given(loader->scene, "time.force_steps");
    loader->data->time.damping_given = is_given(loader->scene, "time.damping_steps");
    rlti_note_place(loader, loader->scene,
                    loader->data->motion.file[0] != '\0' ? "motion.file" : "motion.keys",
                    loader->data->motion.file_place);
    rlti_note_place(loader, loader->scene, "character.file", loader->data->character.file_place);
    for (int i = 0; i < loader->hair.count; i++) {
        const rlti_section *section = &loader->hair.sections[i];
        const rlti_hair_data *hair = section->data;
        if (!rlti_section_is_map(section))
            continue;
        rlti_note_place(loader, section, "file", loader->data->hair[i].file_place);
        rlti_note_place(loader, section, "model", loader->data->hair[i].model_place);
        rlti_note_place(loader, section, "contact.radius", loader->data->hair[i].contact_place);
        set_conversion(loader, section);
        set_given(section);
        set_sag(section);
        check_growth(loader, section);
        check_material(loader, section);
        rlti_check_reshape(loader, section);
        rlti_check_names(loader, section, "collide.groups", &hair->groups, 1);
        rlti_check_names(loader, section, "collide.except", &hair->except, 0);
    }
    for (int i = 0; i < loader->colliders.count; i++)
        if (rlti_section_is_map(&loader->colliders.sections[i])) {
            rlti_note_place(loader, &loader->colliders.sections[i], "file",
                            loader->data->colliders[i].file_place);
            check_collider(loader, &loader->colliders.sections[i]);
        }
    for (int i = 0; i < loader->constraints.count; i++)
        if (rlti_section_is_map(&loader->constraints.sections[i]))
            rlti_check_constraint(loader, &loader->constraints.sections[i]);
    set_outer_steps(loader);
    check_midpoint(loader);
    rlti_idle_check(loader);
    if (loader->hair.count == 0 && rlti_problems_errors(loader->problems) == 0)
        rlti_remark_at(loader->problems, RLT_WARNING, &loader->layers[0].source, 0, 0,
                       "hair: there is none to simulate");
}
