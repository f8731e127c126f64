#include "studio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"

#define SHUTTER 0.5 /* open for this share of a frame, as film cameras are */
/* Points of hairs where no movie waits for the next preview: locks have depth, none is of wires. */
#define STILL_POINTS 4.0   /* for each pixel */
#define STILL_LEAST  1.2e6 /* in all: coils of small pictures are full */
/* Hairs of a wisp in previews of motion, where STILL_POINTS allow it: a wisp of one hair is a wire. */
#define WISP_LEAST 3.0

int studio_fills(const rlt_scene *scene, rlt_fill_def fills[RLT_RENDER_LOOKS_MAX]) {
    int count = rlt_scene_fill_sections(scene);
    count = count < RLT_RENDER_LOOKS_MAX ? count : RLT_RENDER_LOOKS_MAX;
    for (int i = 0; i < count; i++) {
        fills[i] = rlt_fill_defaults();
        rlt_scene_section_fill(scene, i, &fills[i]);
    }
    return count;
}

void studio_defaults(studio *s, const rlt_scene *scene, double frames_per_second) {
    s->fill_def = rlt_fill_defaults();
    s->def = rlt_render_defaults();
    s->frames_per_second = frames_per_second;
    if (scene) {
        rlt_scene_fill(scene, &s->fill_def);
        s->fill_count = studio_fills(scene, s->fills);
        if (s->fill_count > 0)
            s->fill_def.points = 0; /* as many as each section says */
        rlt_scene_look(scene, &s->def);
    }
}

void studio_draft(studio *s, int size) {
    s->def.draft = 1;
    s->def.samples = 8;
    s->def.width = s->def.height = size;
}

rlt_status studio_open(studio *s, int threads, rlt_messages *messages) {
    return s->preview ? rlt_render_create_preview(threads, messages, &s->render)
                      : rlt_render_create(threads, messages, &s->render);
}

void studio_close(studio *s) {
    rlt_fill_destroy(s->fill);
    rlt_render_destroy(s->render);
    free(s->before);
    free(s->velocity);
    memset(s, 0, sizeof *s);
}

/* Without memory there is no motion blur of the body: no reason to fail. */
static int reserve(studio *s, int vertex_count) {
    if (s->vertex_count == vertex_count && s->before)
        return 1;
    free(s->before);
    free(s->velocity);
    size_t size = 3 * (size_t)(vertex_count > 0 ? vertex_count : 1) * sizeof(double);
    s->before = malloc(size);
    s->velocity = malloc(size);
    s->vertex_count = 0;
    return s->before && s->velocity;
}

void studio_watch(studio *s, const rlt_frame_view *view) {
    if (!reserve(s, view->vertex_count))
        return;
    s->vertex_count = view->vertex_count;
    s->before_time = view->time;
    if (view->vertex_count > 0)
        memcpy(s->before, view->vertices, 3 * (size_t)view->vertex_count * sizeof(double));
}

static const double *body_velocities(studio *s, const rlt_frame_view *view) {
    double step = view->time - s->before_time;
    if (s->vertex_count != view->vertex_count || !s->before || !(step > 0.0))
        return NULL;
    for (size_t k = 0; k < 3 * (size_t)view->vertex_count; k++)
        s->velocity[k] = (view->vertices[k] - s->before[k]) / step;
    return s->velocity;
}

static void add_statistics(studio *s) {
    rlt_render_statistics now = {.size = sizeof now}, *all = &s->statistics;
    rlt_render_statistics_get(s->render, &now);
    all->hairs = now.hairs;
    all->points = now.points;
    all->rays_primary += now.rays_primary;
    all->rays_shadow += now.rays_shadow;
    all->rays_bounce += now.rays_bounce;
    all->seconds_fill += now.seconds_fill;
    all->seconds_build += now.seconds_build;
    all->seconds_trace += now.seconds_trace;
    all->bytes_most = now.bytes_most > all->bytes_most ? now.bytes_most : all->bytes_most;
    all->threads = now.threads;
}

static double preview_points(const studio *s, const rlt_frame_view *view) {
    double pixels = (double)s->def.width * s->def.height, most = fmax(STILL_POINTS, STILL_LEAST / pixels);
    if (s->still)
        return most;
    double wisps = s->fill_def.blend == RLT_FILL_WISPS ? WISP_LEAST * view->strand_count : 0.0;
    return fmin(most, fmax(s->def.preview_points, wisps * rlt_fill_points(s->fill) / pixels));
}

rlt_status studio_shot(studio *s, const rlt_frame_view *view, const double *vertex_velocities,
                       rlt_messages *messages, rlt_image **image) {
    double begun = console_seconds();
    rlt_render_def def = s->def;
    rlt_status status = RLT_OK;
    *image = NULL;
    if (!s->fill) {
        rlt_fill_def fill = s->fill_def;
        fill.sections = s->fill_count > 0 ? s->fills : NULL;
        fill.section_count = s->fill_count;
        status = rlt_fill_create(view, &fill, messages, &s->fill);
    }
    if (status == RLT_OK && !s->fitted && s->def.camera.automatic) {
        status = rlt_render_camera_fit(view, def.width, def.height, &s->def.camera, messages);
        def.camera = s->def.camera;
    }
    s->fitted = 1;
    def.preview_points = preview_points(s, view);
    def.shutter = s->no_blur || s->frames_per_second <= 0.0 ? 0.0 : SHUTTER / s->frames_per_second;
    def.vertex_velocities = vertex_velocities ? vertex_velocities : body_velocities(s, view);
    if (status == RLT_OK)
        status = rlt_render_frame(s->render, view, s->fill, &def, messages, image);
    if (status == RLT_OK)
        add_statistics(s);
    s->pictures++;
    s->seconds += console_seconds() - begun;
    return status;
}
