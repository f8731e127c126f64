#include "scene/readers.h"

#include <string.h>

#include "base/math.h"

#define TAZ(key, instead)                                                                                    \
    { key, "taz", NULL, 0, instead }
#define CONVERT(key, instead)                                                                                \
    { key, "taz", "rod and coil", 1, instead }
#define CONVERT_TOO(key, instead)                                                                            \
    { key, "taz", "rod and coil", 0, instead }
#define ROD(key)                                                                                             \
    { key, "rod", NULL, 0, "set hair.model to rod, or remove it" }
#define COIL(key)                                                                                            \
    { key, "coil", NULL, 0, "set hair.model to coil, or remove it" }
#define BOTH(key)                                                                                            \
    { key, "rod and coil", NULL, 0, "set hair.model to rod or coil, or remove it" }

static const rlti_reader readers[] = {
    TAZ("time.steps", "remove it: rods are stable in steps of any length"),
    TAZ("time.outer_steps", "set hair.rod.steps instead"),
    TAZ("time.force_steps", "set hair.rod.steps instead"),
    TAZ("time.damping_steps", "remove it: rods are stable with any damping"),
    TAZ("health.check_steps", "remove it: rods are stable in steps of any length"),

    TAZ("hair.segment_floor", "remove it: rods are stable with segments of any length"),
    TAZ("hair.formulation", "set hair.rod.gradient instead"),
    CONVERT("hair.stretch.stiffness", "set hair.rod.young instead"),
    TAZ("hair.stretch.damping", "set hair.rod.damping instead"),
    CONVERT_TOO("hair.stretch.limit", "remove it: rods stretch as hair.rod.young says"),
    TAZ("hair.stretch.velocity_limit", "remove it: rods are stable without it"),
    CONVERT("hair.bend.smoothing", "remove it: rods bend as hair.rod.young says"),
    CONVERT("hair.bend.stiffness", "set hair.rod.young instead"),
    CONVERT("hair.bend.damping", "set hair.rod.damping instead"),
    CONVERT("hair.core.smoothing",
            "remove it: curls of rods resist as hair.rod.young and hair.rod.shear say"),
    CONVERT("hair.core.stiffness", "set hair.rod.young and hair.rod.shear instead"),
    CONVERT("hair.core.stiffness_max", "set hair.rod.young and hair.rod.shear instead"),
    TAZ("hair.core.damping", "set hair.rod.damping instead"),
    TAZ("hair.core.damping_max", "set hair.rod.damping instead"),
    TAZ("hair.core.blend", "remove it: curls of rods resist as hair.rod.young and hair.rod.shear say"),
    TAZ("hair.sag.limit", "remove it: a rod is stiffened where its equilibrium is not stable"),
    TAZ("hair.collide.stiffness", "remove it: bodies do not give way to rods"),
    TAZ("hair.collide.damping", "remove it: bodies do not give way to rods"),

    BOTH("hair.contact.method"),
    BOTH("hair.contact.static_friction"),
    BOTH("hair.link.count"),
    BOTH("hair.link.reach"),
    BOTH("hair.link.self"),
    BOTH("hair.link.stretch_stiffness"),
    BOTH("hair.link.stretch_damping"),
    BOTH("hair.link.compress_stiffness"),
    BOTH("hair.link.compress_damping"),
    BOTH("hair.link.fade"),

    BOTH("hair.rod.radius"),
    ROD("hair.rod.eccentricity"),
    BOTH("hair.rod.young"),
    BOTH("hair.rod.shear"),
    BOTH("hair.rod.density"),
    BOTH("hair.rod.hairs"),
    BOTH("hair.rod.wet"),
    BOTH("hair.rod.damping"),
    BOTH("hair.rod.steps"),
    BOTH("hair.rod.iterations"),
    BOTH("hair.rod.tolerance"),
    ROD("hair.rod.integration"),
    ROD("hair.rod.gradient"),
    ROD("hair.rod.root"),

    COIL("hair.coil.stretch"),
    COIL("hair.coil.bend"),
    COIL("hair.coil.torsion"),
    COIL("hair.coil.matrix"),
};
enum { READERS = sizeof readers / sizeof readers[0] };

const rlti_reader *rlti_reader_at(int index) {
    return index < READERS ? &readers[index] : NULL;
}

const rlti_reader *rlti_reader_find(const char *key) {
    for (int i = 0; i < READERS; i++)
        if (strcmp(readers[i].key, key) == 0)
            return &readers[i];
    return NULL;
}

/* 1 when "rod and coil" names a model. */
static int names(const char *models, const char *model) {
    size_t length = strlen(model);
    for (const char *at = models; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, model, length) == 0 && (at[length] == ' ' || at[length] == '\0'))
            return length > 0;
    }
    return 0;
}

int rlti_reader_converts(const rlti_reader *reader, const char *model) {
    return reader->convert != NULL && names(reader->convert, model);
}

int rlti_model_is_known(const char *model) {
    for (int i = 0; i < READERS; i++)
        if (names(readers[i].model, model))
            return 1;
    return 0;
}

/* 1 where the section's material is such that its model converts the value. */
static int converts(const rlti_hair_data *hair, const char *key) {
    if (strcmp(key, "hair.bend.smoothing") == 0 && hair->reshape.groom[0] != '\0')
        return 1; /* of the frames in which shapes are blended */
    return strcmp(key, "hair.bend.damping") == 0 ? hair->rod.damping_converted : hair->rod.converted;
}

int rlti_hair_reads(const rlti_hair_data *hair, const char *key) {
    const rlti_reader *reader = rlti_reader_find(key);
    if (reader == NULL || names(reader->model, hair->model) || !rlti_model_is_known(hair->model))
        return 1;
    return rlti_reader_converts(reader, hair->model) && converts(hair, key);
}

int rlti_scene_reads(const rlti_scene_data *scene, const char *key) {
    int count = 0;
    for (int h = 0; h < scene->hair_count; h++) {
        if (scene->hair[h].role != RLTI_ROLE_HAIR)
            continue;
        if (rlti_hair_reads(&scene->hair[h], key))
            return 1;
        count++;
    }
    return count == 0;
}

const char *rlti_outer_steps_key(const rlti_scene_data *scene) {
    return rlti_scene_reads(scene, "time.outer_steps") ? "time.outer_steps" : "hair.rod.steps";
}

int rlti_hair_is_coil(const rlti_hair_data *hair) {
    return strcmp(hair->model, "coil") == 0;
}

int rlti_hair_counts_iterations(const rlti_hair_data *hair) {
    return rlti_hair_is_coil(hair) && !(hair->rod.tolerance > 0.0);
}

int rlti_hair_solves_contacts(const rlti_hair_data *hair) {
    const rlti_reader *reader = rlti_reader_find("hair.contact.method");
    return hair->contact && hair->contact_method == RLTI_CONTACT_SOLVE && names(reader->model, hair->model);
}

int rlti_hair_solves_with(const rlti_hair_data *a, const rlti_hair_data *b) {
    return rlti_hair_solves_contacts(a) && rlti_hair_solves_contacts(b) && strcmp(a->model, b->model) == 0;
}

int rlti_hair_root_is_free(const rlti_hair_data *hair) {
    const rlti_reader *reader = rlti_reader_find("hair.rod.root");
    return hair->rod.root == RLTI_ROD_FREE && strcmp(reader->model, hair->model) == 0;
}

double rlti_hair_turn(const rlti_hair_data *hair) {
    double round = hair->style == RLTI_STYLE_WAVY ? 4.0 * hair->radius : 2.0 * RLTI_PI * hair->radius;
    if (hair->style == RLTI_STYLE_STRAIGHT || !(hair->radius > 0.0))
        return 0.0;
    return sqrt(round * round + hair->pitch * hair->pitch);
}
