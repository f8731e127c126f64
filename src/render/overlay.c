/* Overlays: the picture they are drawn into, and the order in which they are drawn. */
#include "render/overlay.h"

#include "base/messages.h"
#include "base/sized.h"
#include "io/frame_check.h"
#include "render/image.h"

rlt_status rlt_overlay_def_reset(rlt_overlay_def *def) {
    const rlt_overlay_def standard = {.ghost = 0.3, .body = 1, .legend = 1, .metres_per_unit = 0.01};
    return RLTI_WRITE(rlt_overlay_def, def, &standard, NULL);
}

/* ---- what can be drawn ---- */

static const void *data_of(const rlt_diagnostics *d, rlt_show what) {
    switch (what) {
    case RLT_SHOW_SMOOTHED:
        return d->smoothed;
    case RLT_SHOW_CORE:
        return d->core;
    case RLT_SHOW_FRAMES:
        return d->frame_origins != NULL ? d->frames : NULL;
    case RLT_SHOW_TARGETS:
        return d->targets;
    case RLT_SHOW_CONTACTS:
    case RLT_SHOW_PRUNED:
        return d->radii != NULL ? d->particle : NULL;
    case RLT_SHOW_STRETCH:
        return d->stretch;
    case RLT_SHOW_PENETRATION:
        return d->penetration;
    case RLT_SHOW_SPEED:
        return d->speed;
    case RLT_SHOW_HOLDS:
        return d->hold_forces;
    case RLT_SHOW_TWIST:
        return d->twist;
    case RLT_SHOW_CURVATURE:
        return d->curvature;
    case RLT_SHOW_RESIDUAL:
        return d->residual;
    case RLT_SHOW_FORCES:
        return d->force_sizes;
    default:
        return d;
    }
}

static int count_names(void) {
    int count = 0;
    while (rlt_show_name(count) != NULL)
        count++;
    return count;
}

static rlt_status check_def(const rlt_render_camera *camera, const rlt_overlay_def *def,
                            rlt_messages *messages) {
    unsigned values = def->show & RLT_SHOW_VALUES;
    double away = 0.0;
    for (int c = 0; c < 3; c++)
        away += fabs(camera->eye[c] - camera->target[c]);
    int names = count_names();
    if (def->show == 0 || def->show >= 1u << names)
        return rlti_refuse(messages, "overlay: show = %u: must be some of the %d bits", def->show, names);
    if ((values & (values - 1)) != 0)
        return rlti_refuse(
            messages, "overlay: stretch, penetration, speed, holds, twist, curvature, residual and forces "
                      "each have a scale of colours: show one of them");
    if (!(def->ghost >= 0.0 && def->ghost <= 1.0) || !(def->range >= 0.0 && def->range < 1e30))
        return rlti_refuse(messages, "overlay: ghost must be 0 to 1, and the range finite and not negative");
    if (camera->automatic || !(away > 0.0) || !isfinite(away) ||
        !(camera->field_of_view > 0.0 && camera->field_of_view < 180.0))
        return rlti_refuse(
            messages,
            "overlay: the camera must stand: eye and target apart, the field of view between 0 and 180");
    return RLT_OK;
}

static rlt_status check_data(const rlt_frame_view *view, const rlt_diagnostics *d, const rlt_overlay_def *def,
                             rlt_messages *messages) {
    rlt_status status = rlti_frame_check("overlay", view, messages);
    int points = view->strand_count > 0 ? view->point_count : 0;
    if (status == RLT_OK && (d->strand_count != view->strand_count || d->point_count != points))
        return rlti_refuse(messages, "overlay: the diagnostics are of another view");
    for (int i = 0; rlt_show_name(i) != NULL && status == RLT_OK; i++)
        if ((def->show & (1u << i)) && data_of(d, (rlt_show)(1u << i)) == NULL)
            status = rlti_refuse(messages, "overlay: %s: the diagnostics do not hold it", rlt_show_name(i));
    for (long long k = 0; k < d->spring_count && status == RLT_OK; k++)
        if (d->springs[k].point < 0 || d->springs[k].other < 0 || d->springs[k].point >= points ||
            d->springs[k].other >= points)
            status = rlti_refuse(messages, "overlay: a contact spring of a point that is not there");
    for (int k = 0; k < d->hold_count && status == RLT_OK; k++)
        if (d->hold_points[k] < 0 || d->hold_points[k] >= points)
            status = rlti_refuse(messages, "overlay: a hold of a point that is not there");
    return status;
}

/* ---- the picture ---- */

static rlti_camera camera_of(const rlt_render_camera *from, const rlti_picture *picture) {
    rlti_camera camera = {.eye = rlti_v3(from->eye[0], from->eye[1], from->eye[2])};
    rlti_vec3 away = rlti_sub(camera.eye, rlti_v3(from->target[0], from->target[1], from->target[2]));
    camera.back = rlti_normalize(away);
    camera.right = rlti_cross(rlti_v3(0, 1, 0), camera.back);
    /* straight up or down its right is the world's, as for rays */
    camera.right = rlti_length(camera.right) > 1e-9 ? rlti_normalize(camera.right) : rlti_v3(1, 0, 0);
    camera.up = rlti_cross(camera.back, camera.right);
    double half = 0.5 * from->field_of_view * (RLTI_PI / 180.0);
    camera.focal = 0.5 * picture->height * rlti_cos(half) / rlti_sin(half);
    camera.centre_x = 0.5 * picture->width;
    camera.centre_y = 0.5 * picture->height;
    camera.nearest = 0.01 * rlti_length(away);
    return camera;
}

static void fade(rlt_image *image, float share) {
    size_t count = 4 * (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < count; i++)
        image->rgba[i] *= share; /* premultiplied: alpha with the rest */
}

static void take_image(const rlt_image *image, rlti_picture *picture) {
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++) {
            rlti_sample *sample = &picture->samples[(size_t)y * (size_t)picture->width + (size_t)x];
            rlti_image_shown(image, x / RLTI_SUPERSAMPLING, y / RLTI_SUPERSAMPLING, sample->colour);
            sample->depth = HUGE_VALF;
        }
}

/* Only pixels that something was drawn into. */
static void give_image(const rlti_picture *picture, rlt_image *image) {
    const float share = 1.0f / (RLTI_SUPERSAMPLING * RLTI_SUPERSAMPLING);
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++) {
            float before[3], sum[3] = {0.0f, 0.0f, 0.0f};
            int changed = 0;
            rlti_image_shown(image, x, y, before);
            for (int j = 0; j < RLTI_SUPERSAMPLING; j++)
                for (int i = 0; i < RLTI_SUPERSAMPLING; i++) {
                    size_t row = (size_t)(RLTI_SUPERSAMPLING * y + j) * (size_t)picture->width;
                    const float *colour = picture->samples[row + (size_t)(RLTI_SUPERSAMPLING * x + i)].colour;
                    for (int c = 0; c < 3; c++) {
                        changed = changed || colour[c] != before[c];
                        sum[c] += share * colour[c];
                    }
                }
            if (changed)
                rlti_image_show(image, x, y, sum);
        }
}

static rlt_status draw_all(rlti_drawing *drawing, rlt_overlay_def *def, rlt_messages *messages) {
    rlti_value_scale scale;
    rlt_status status = RLT_OK;
    /* lines of their own, over all others */
    int lines = (def->show & (RLT_SHOW_HOLDS | RLT_SHOW_FORCES)) != 0;
    if (def->show & RLT_SHOW_VALUES) {
        const rlt_diagnostics *d = drawing->diagnostics;
        rlt_show what = (rlt_show)(def->show & RLT_SHOW_VALUES);
        drawing->values = data_of(d, what);
        int count = what == RLT_SHOW_HOLDS    ? d->hold_count
                    : what == RLT_SHOW_FORCES ? d->force_count
                                              : d->point_count;
        scale = rlti_scale_of(what, drawing->values, count, def->metres_per_unit, &def->range);
        drawing->scale = &scale;
        if (!lines)
            status = rlti_draw_show(drawing, scale.what, messages);
    }
    /* each over those before it */
    for (int i = 0; rlt_show_name(i) != NULL && status == RLT_OK; i++) {
        unsigned bit = 1u << i;
        int coloured = bit == RLT_SHOW_GUIDES && drawing->scale != NULL && !lines; /* drawn already */
        if ((def->show & bit) && !(bit & RLT_SHOW_VALUES) && !coloured)
            status = rlti_draw_show(drawing, (rlt_show)bit, messages);
    }
    if (status == RLT_OK && lines)
        status = rlti_draw_show(drawing, drawing->scale->what, messages);
    if (status == RLT_OK && def->legend)
        rlti_draw_legend(drawing->picture, def->show, drawing->scale);
    drawing->scale = NULL;
    return status;
}

rlt_status rlt_image_label(rlt_image *image, const char *text, int x, int y, int size,
                           rlt_messages *messages) {
    rlti_picture picture = {0};
    rlt_status status = size < 1 || size > 100
                            ? rlti_refuse(messages, "label: size = %d: must be 1 to 100", size)
                            : rlti_picture_create(&picture, image->width, image->height, messages);
    if (status == RLT_OK) {
        take_image(image, &picture);
        rlti_draw_label(&picture, text, x, y, size);
        give_image(&picture, image);
    }
    rlti_picture_destroy(&picture);
    return status;
}

rlt_status rlt_image_overlay(rlt_image *image, const rlt_render_camera *camera, const rlt_frame_view *view,
                             const rlt_diagnostics *diagnostics, rlt_overlay_def *def,
                             rlt_messages *messages) {
    rlti_picture picture = {0};
    rlt_frame_view own_view = {0};
    rlt_diagnostics own = {0};
    rlt_overlay_def own_def = rlt_overlay_defaults();
    if (RLTI_READ(rlt_frame_view, &own_view, view, messages) != RLT_OK ||
        RLTI_READ(rlt_diagnostics, &own, diagnostics, messages) != RLT_OK ||
        RLTI_READ(rlt_overlay_def, &own_def, def, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    rlt_status status = check_def(camera, &own_def, messages);
    if (status == RLT_OK)
        status = check_data(&own_view, &own, &own_def, messages);
    if (status == RLT_OK)
        status = rlti_picture_create(&picture, image->width, image->height, messages);
    if (status == RLT_OK) {
        rlti_drawing drawing = {.view = &own_view,
                                .diagnostics = &own,
                                .picture = &picture,
                                .camera = camera_of(camera, &picture)};
        drawing.pen = RLTI_SUPERSAMPLING * fmax(1.0, image->height / 480.0);
        fade(image, (float)own_def.ghost);
        take_image(image, &picture);
        if (own_def.body)
            rlti_surface_draw(&picture, &drawing.camera, NULL, &own_view, NULL, NULL);
        status = draw_all(&drawing, &own_def, messages);
        if (status == RLT_OK)
            give_image(&picture, image);
    }
    rlti_picture_destroy(&picture);
    if (status == RLT_OK)
        status = RLTI_WRITE(rlt_overlay_def, def, &own_def, messages); /* the range */
    return status;
}
