#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "io/frame_check.h"
#include "io/output.h"
#include "render/render.h"

#define PIXELS_MAX 4096 /* pixels; 1 GiB of samples */

rlt_status rlt_preview_def_reset(rlt_preview_def *def) {
    const rlt_preview_def standard = {.width = 1280, .height = 1280, .azimuth = 25.0, .elevation = 6.0};
    return RLTI_WRITE(rlt_preview_def, def, &standard, NULL);
}

static rlt_status check_def(const char *path, const rlt_preview_def *def, rlt_messages *messages) {
    if (def->width < 1 || def->width > PIXELS_MAX || def->height < 1 || def->height > PIXELS_MAX)
        return rlti_refuse(messages, "%s: a picture of %d x %d pixels: must be 1 to %d each", path,
                           def->width, def->height, PIXELS_MAX);
    if (!(fabs(def->azimuth) <= 1e6) || !(fabs(def->elevation) <= 90.0))
        return rlti_refuse(messages, "%s: the elevation must be -90 to 90 degrees, the azimuth finite", path);
    if (def->fit_mode != 0 && def->fit_mode != 1)
        return rlti_refuse(messages, "%s: fit mode %d: must be 0 or 1", path, def->fit_mode);
    if (def->fit_mode == 1 && (!(def->span > 0.0) || !isfinite(def->span) || !isfinite(def->target[0]) ||
                               !isfinite(def->target[1]) || !isfinite(def->target[2])))
        return rlti_refuse(messages, "%s: the span must be > 0 and the target finite", path);
    return RLT_OK;
}

static rlt_status draw(rlti_picture *picture, const rlt_frame_view *view, const rlt_preview_def *def,
                       const rlti_vec3 *normals, rlt_messages *messages) {
    rlti_wisps wisps = {0};
    rlti_lighting lighting = {0};
    rlti_camera camera = rlti_camera_create(view, def, picture);
    rlt_status status = rlti_wisps_create(&wisps, view, &camera, messages);
    if (status == RLT_OK)
        status = rlti_lighting_create(&lighting, &wisps, &camera, messages);
    float *scalp = rlti_surface_scalp(view, wisps.spread);
    if (status == RLT_OK && scalp == NULL)
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK) {
        rlti_picture_clear(picture);
        rlti_surface_draw(picture, &camera, &lighting, view, normals, scalp);
        status = rlti_hair_draw(picture, &camera, &lighting, &wisps, messages);
    }
    rlti_free(scalp);
    rlti_lighting_destroy(&lighting);
    rlti_wisps_destroy(&wisps);
    return status;
}

rlt_status rlt_preview_write(const char *path, const rlt_frame_view *view, const rlt_preview_def *def,
                             rlt_messages *messages) {
    rlt_frame_view own_view = {0};
    rlt_preview_def own_def = rlt_preview_defaults();
    if (RLTI_READ(rlt_frame_view, &own_view, view, messages) != RLT_OK ||
        RLTI_READ(rlt_preview_def, &own_def, def, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    view = &own_view;
    def = &own_def;
    rlt_status status = rlti_output_prepare(path, messages);
    if (status == RLT_OK)
        status = check_def(path, def, messages);
    if (status == RLT_OK)
        status = rlti_frame_check(path, view, messages);
    if (status != RLT_OK)
        return status;

    rlti_picture picture = {0};
    rlti_vec3 *normals = rlti_surface_normals(view);
    if (normals == NULL)
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = rlti_picture_create(&picture, def->width, def->height, messages);
    if (status == RLT_OK)
        status = draw(&picture, view, def, normals, messages);
    if (status == RLT_OK)
        status = rlti_picture_save(&picture, path, messages);
    rlti_picture_destroy(&picture);
    rlti_free(normals);
    return status;
}
