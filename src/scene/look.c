#include "ringlet/look.h"

#include <string.h>

#include "scene/scene_data.h"

_Static_assert((int)RLTI_FILL_CURLS == (int)RLT_FILL_CURLS && (int)RLTI_FILL_POINTS == (int)RLT_FILL_POINTS &&
                   (int)RLTI_FILL_WISPS == (int)RLT_FILL_WISPS,
               "the words of hair.fill.blend stand in the order of rlt_fill_blend");

void rlt_scene_fill(const rlt_scene *scene, rlt_fill_def *def) {
    const rlti_scene_data *data = rlti_scene_get(scene);
    if (data->hair_count == 0)
        return;
    const rlti_fill_data *fill = &data->hair[0].fill;
    def->blend = (rlt_fill_blend)fill->blend;
    def->hairs = fill->count;
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

void rlt_scene_look(const rlt_scene *scene, rlt_render_def *def) {
    const rlti_scene_data *data = rlti_scene_get(scene);
    const rlti_picture_data *picture = &data->picture;
    if (data->hair_count > 0)
        set_look(&data->hair[0].look, &def->hair);
    def->look_count = data->hair_count < RLT_RENDER_LOOKS_MAX ? data->hair_count : RLT_RENDER_LOOKS_MAX;
    for (int h = 0; h < def->look_count; h++) {
        def->looks[h] = def->hair;
        set_look(&data->hair[h].look, &def->looks[h]);
    }
    def->camera.azimuth = picture->azimuth;
    def->camera.elevation = picture->elevation;
    def->camera.hair_only = picture->hair_only;
    def->camera.margin = picture->margin;
    def->camera.field_of_view = picture->field_of_view;
    def->camera.aperture = picture->aperture;
    def->camera.focus = picture->focus;
    for (int c = 0; c < 3; c++)
        if (picture->eye[c] != picture->target[c])
            def->camera.automatic = 0;
    if (!def->camera.automatic) {
        memcpy(def->camera.eye, picture->eye, sizeof def->camera.eye);
        memcpy(def->camera.target, picture->target, sizeof def->camera.target);
    }
    def->exposure = picture->exposure;
    def->body = picture->body;
    def->ground = picture->ground;
    def->exact = picture->exact;
    memcpy(def->skin, picture->skin, sizeof def->skin);
    memcpy(def->background[0], picture->background_top, sizeof def->background[0]);
    memcpy(def->background[1], picture->background_bottom, sizeof def->background[1]);
    scale_light(&def->key, picture->key);
    scale_light(&def->fill, picture->fill);
    scale_light(&def->rim, picture->rim);
}
