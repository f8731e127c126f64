#include "scene/fingerprint.h"

#include <string.h>

#include "base/checksum.h"
#include "scene/schema.h"

/* No effect on any motion or byte before the checkpoint. */
static int is_free(const char *key) {
    static const char *const keys[] = {"title", "time.last", "contacts.margin"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(key, keys[i]) == 0)
            return 1;
    static const char *const sections[] = {"health.", "hair.fill.", "hair.look.", "render."};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strncmp(key, sections[i], strlen(sections[i])) == 0)
            return 1;
    return 0;
}

static uint64_t hash_strands(uint64_t hash, const rlti_hair_data *hair) {
    hash = rlti_checksum(hash, &hair->strand_count, sizeof hair->strand_count);
    for (int s = 0; s < hair->strand_count; s++) {
        const rlti_strand_data *strand = &hair->strands[s];
        hash = rlti_checksum(hash, &strand->point_count, sizeof strand->point_count);
        hash = rlti_checksum(hash, strand->points, 3 * (size_t)strand->point_count * sizeof(double));
    }
    return hash;
}

static uint64_t hash_ramp(uint64_t hash, const rlti_ramp *ramp) {
    size_t size = (size_t)ramp->count * sizeof(double);
    hash = rlti_checksum(hash, &ramp->count, sizeof ramp->count);
    hash = rlti_checksum(hash, ramp->position, size);
    if (ramp->attribute[0] != '\0') {
        hash = rlti_checksum(hash, ramp->attribute, strlen(ramp->attribute) + 1);
        hash = rlti_checksum(hash, &ramp->scale, sizeof ramp->scale);
        hash = rlti_checksum(hash, &ramp->offset, sizeof ramp->offset);
    }
    return rlti_checksum(hash, ramp->value, size);
}

static uint64_t hash_text(uint64_t hash, const char *text) {
    return rlti_checksum(hash, text, strlen(text) + 1);
}

static uint64_t hash_names(uint64_t hash, const rlti_names *names) {
    hash = rlti_checksum(hash, &names->count, sizeof names->count);
    for (int i = 0; i < names->count; i++)
        hash = hash_text(hash, names->name[i]);
    return hash;
}

/* The value of a row in the struct it counts in. */
static uint64_t hash_value(uint64_t hash, const rlti_row *row, const void *data) {
    const char *value = (const char *)data + row->offset;
    switch (row->type) {
    case RLTI_TYPE_TEXT:
    case RLTI_TYPE_PRESET:
        return hash_text(hash, value);
    case RLTI_TYPE_NAMES:
        return hash_names(hash, (const rlti_names *)(const void *)value);
    case RLTI_TYPE_RAMP:
        return hash_ramp(hash, (const rlti_ramp *)(const void *)value);
    case RLTI_TYPE_STRANDS:
        return hash_strands(hash, data);
    default:
        return rlti_checksum(hash, value, row->size);
    }
}

static uint64_t hash_part(uint64_t hash, rlti_part part, const void *data) {
    for (int r = 0; r < rlti_schema_count(); r++) {
        const rlti_row *row = rlti_schema_row(r);
        if (row->part != part || is_free(row->key))
            continue;
        hash = hash_text(hash, row->key);
        hash = hash_value(hash, row, data);
    }
    return hash;
}

uint64_t rlti_scene_fingerprint(const rlti_scene_data *scene) {
    uint64_t hash = hash_part(0, RLTI_PART_SCENE, scene);
    for (int h = 0; h < scene->hair_count; h++)
        hash = hash_part(hash, RLTI_PART_HAIR, &scene->hair[h]);
    for (int c = 0; c < scene->collider_count; c++)
        hash = hash_part(hash, RLTI_PART_COLLIDER, &scene->colliders[c]);
    for (int c = 0; c < scene->constraint_count; c++)
        hash = hash_part(hash, RLTI_PART_CONSTRAINT, &scene->constraints[c]);
    return hash;
}
