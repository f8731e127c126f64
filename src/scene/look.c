#include "ringlet/look.h"

#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "scene/scene_data.h"

_Static_assert((int)RLTI_FILL_CURLS == (int)RLT_FILL_CURLS && (int)RLTI_FILL_POINTS == (int)RLT_FILL_POINTS &&
                   (int)RLTI_FILL_WISPS == (int)RLT_FILL_WISPS && (int)RLTI_FILL_LOCKS == (int)RLT_FILL_LOCKS,
               "the words of hair.fill.blend stand in the order of rlt_fill_blend");

enum { VALUE_SIZE = 512 };

static void set_fill(const rlti_fill_data *fill, rlt_fill_def *def) {
    def->blend = (rlt_fill_blend)fill->blend;
    def->hairs_per_guide = fill->per_guide;
    def->points = fill->points;
    def->neighbours = fill->neighbours;
    def->spread = fill->spread;
    def->parting = fill->parting;
    def->clump = fill->clump;
    def->clump_start = fill->clump_start;
    def->wisp_radius = fill->wisp_radius;
    def->wisp_tip = fill->wisp_tip;
    def->phase = fill->phase;
    def->length_variation = fill->length_variation;
    def->noise = fill->noise;
    def->noise_length = fill->noise_length;
    def->width = fill->width;
    def->tip = fill->tip;
    def->outside = fill->outside;
    def->seed = (uint64_t)fill->seed;
    def->locks = fill->locks;
    def->full = fill->full;
    def->clump_large = fill->clump_large;
    def->clump_small = fill->clump_small;
    def->lock_radius = fill->lock_radius;
    def->frizz = fill->frizz;
    def->frizz_length = fill->frizz_length;
    def->strays = fill->strays;
    def->hairline = fill->hairline;
    def->tip_start = fill->tip_start;
}

rlt_status rlt_scene_fill(const rlt_scene *scene, rlt_fill_def *def) {
    rlt_fill_def own = {0};
    if (RLTI_READ(rlt_fill_def, &own, def, NULL) != RLT_OK)
        return RLT_BAD_INPUT;
    const rlti_scene_data *data = rlti_scene_get(scene);
    if (data->hair_count == 0)
        return RLT_OK;
    set_fill(&data->hair[0].fill, &own);
    own.hairs = 0;
    for (int h = 0; h < data->hair_count; h++)
        own.hairs = data->hair[h].fill.count > own.hairs ? data->hair[h].fill.count : own.hairs;
    return RLTI_WRITE(rlt_fill_def, def, &own, NULL);
}

/* Whether all values of hair.fill but the count are the same, as they are written. */
static int fills_alike(const rlt_scene *scene, int a, int b) {
    rlt_schema_entry entry = {.size = sizeof entry};
    char one[VALUE_SIZE], other[VALUE_SIZE];
    for (int i = 0; rlt_schema_get(i, &entry); i++)
        if (strncmp(entry.key, "hair.fill.", 10) == 0 && strcmp(entry.key, "hair.fill.count") != 0 &&
            rlt_scene_value(scene, i, a, one, sizeof one, NULL) &&
            rlt_scene_value(scene, i, b, other, sizeof other, NULL) && strcmp(one, other) != 0)
            return 0;
    return 1;
}

int rlt_scene_fill_sections(const rlt_scene *scene) {
    int count = rlti_scene_get(scene)->hair_count;
    for (int h = 1; h < count; h++)
        if (!fills_alike(scene, 0, h))
            return count;
    return 0;
}

rlt_status rlt_scene_section_fill(const rlt_scene *scene, int section, rlt_fill_def *def) {
    rlt_fill_def own = {0};
    const rlti_scene_data *data = rlti_scene_get(scene);
    if (section < 0 || section >= data->hair_count || RLTI_READ(rlt_fill_def, &own, def, NULL) != RLT_OK)
        return RLT_BAD_INPUT;
    set_fill(&data->hair[section].fill, &own);
    return RLTI_WRITE(rlt_fill_def, def, &own, NULL);
}

/* ---- as text ---- */

typedef struct text {
    char *bytes;
    size_t used, capacity;
    int failed;
} text;

static void add(text *t, const char *more) {
    size_t length = strlen(more);
    t->failed |= t->used + length + 1 > t->capacity;
    if (t->failed)
        return;
    memcpy(t->bytes + t->used, more, length + 1);
    t->used += length;
}

/* Values of one group ("hair.fill.") of a section that are not the default: "fill: {clump: 0.3}, ". */
static void add_group(text *t, const rlt_scene *scene, const char *group, const char *name, int section) {
    rlt_schema_entry entry = {.size = sizeof entry};
    int found = 0;
    for (int i = 0; rlt_schema_get(i, &entry); i++) {
        char value[VALUE_SIZE];
        int is_default = 1;
        if (strncmp(entry.key, group, strlen(group)) != 0 ||
            !rlt_scene_value(scene, i, section, value, sizeof value, &is_default) || is_default)
            continue;
        add(t, found++ ? ", " : name);
        add(t, found > 1 ? "" : ": {");
        add(t, entry.key + strlen(group));
        add(t, ": ");
        add(t, value);
    }
    add(t, found ? "}, " : "");
}

char *rlt_scene_look_text(const rlt_scene *scene) {
    const rlti_scene_data *data = rlti_scene_get(scene);
    text t = {.capacity = 16384 * ((size_t)data->hair_count + 1)}; /* several times what all keys take */
    t.bytes = rlti_allocate(t.capacity, 1);
    if (t.bytes == NULL)
        return NULL;
    add(&t, "{character: {kind: none}, ");
    add_group(&t, scene, "render.", "render", 0);
    add(&t, "hair: [");
    for (int h = 0; h < data->hair_count; h++) {
        add(&t, h > 0 ? ", {" : "{");
        add_group(&t, scene, "hair.fill.", "fill", h);
        add_group(&t, scene, "hair.look.", "look", h);
        add(&t, "region: none, count: 1}");
    }
    add(&t, "]}");
    if (!t.failed)
        return t.bytes;
    rlti_free(t.bytes);
    return NULL;
}

static void scale_light(rlt_render_light *light, double factor) {
    for (int c = 0; c < 3; c++)
        light->colour[c] *= factor;
}

static void set_look(const rlti_look_data *look, rlt_render_hair *hair) {
    hair->eumelanin = look->eumelanin;
    hair->pheomelanin = look->pheomelanin;
    hair->dyed = look->dye[0] > 0.0 || look->dye[1] > 0.0 || look->dye[2] > 0.0;
    if (hair->dyed)
        memcpy(hair->dye, look->dye, sizeof hair->dye);
    hair->roughness = look->roughness;
    hair->roughness_around = look->roughness_around;
    hair->tilt = look->tilt;
    hair->variation = look->variation;
}

rlt_status rlt_scene_look(const rlt_scene *scene, rlt_render_def *def) {
    rlt_render_def own = {0};
    if (RLTI_READ(rlt_render_def, &own, def, NULL) != RLT_OK)
        return RLT_BAD_INPUT;
    const rlti_scene_data *data = rlti_scene_get(scene);
    const rlti_picture_data *picture = &data->picture;
    if (data->hair_count > 0)
        set_look(&data->hair[0].look, &own.hair);
    own.look_count = data->hair_count < RLT_RENDER_LOOKS_MAX ? data->hair_count : RLT_RENDER_LOOKS_MAX;
    for (int h = 0; h < own.look_count; h++) {
        own.looks[h] = own.hair;
        set_look(&data->hair[h].look, &own.looks[h]);
    }
    own.camera.azimuth = picture->azimuth;
    own.camera.elevation = picture->elevation;
    own.camera.hair_only = picture->hair_only;
    own.camera.margin = picture->margin;
    own.camera.field_of_view = picture->field_of_view;
    own.camera.aperture = picture->aperture;
    own.camera.focus = picture->focus;
    for (int c = 0; c < 3; c++)
        if (picture->eye[c] != picture->target[c])
            own.camera.automatic = 0;
    if (!own.camera.automatic) {
        memcpy(own.camera.eye, picture->eye, sizeof own.camera.eye);
        memcpy(own.camera.target, picture->target, sizeof own.camera.target);
    }
    own.exposure = picture->exposure;
    own.body = picture->body;
    own.ground = picture->ground;
    own.exact = picture->exact;
    own.bounces = picture->bounces;
    memcpy(own.skin, picture->skin, sizeof own.skin);
    memcpy(own.background[0], picture->background_top, sizeof own.background[0]);
    memcpy(own.background[1], picture->background_bottom, sizeof own.background[1]);
    scale_light(&own.key, picture->key);
    scale_light(&own.fill, picture->fill);
    scale_light(&own.rim, picture->rim);
    return RLTI_WRITE(rlt_render_def, def, &own, NULL);
}
