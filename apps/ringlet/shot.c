#include "shot.h"

#include <stdlib.h>

#include "console.h"

enum { SAMPLES = 12 };       /* frames */
enum { POINTS_EACH = 4000 }; /* of hair and of body, of each */

/* Hairs stand off the guides that the camera is placed by, and move between the frames that it knows. */
#define BESIDE_GUIDES 1.07

/* All that the camera should see. */
typedef struct cloud {
    double *points; /* [count][3] */
    int count, capacity;
} cloud;

/* About POINTS_EACH of them, each moved by `move`. */
static int add(cloud *c, const double *points, int count, const double move[3]) {
    int stride = count / POINTS_EACH + 1;
    for (int i = 0; i < count; i += stride) {
        if (c->count == c->capacity) {
            int capacity = c->capacity > 0 ? 2 * c->capacity : 4096;
            double *larger = realloc(c->points, 3 * (size_t)capacity * sizeof *larger);
            if (!larger)
                return 0;
            c->points = larger;
            c->capacity = capacity;
        }
        for (int k = 0; k < 3; k++)
            c->points[3 * (size_t)c->count + (size_t)k] = points[3 * (size_t)i + (size_t)k] + move[k];
        c->count++;
    }
    return 1;
}

static int add_view(cloud *c, const rlt_frame_view *view, const rlt_render_camera *camera,
                    const double move[3]) {
    int points = view->strand_count > 0 ? view->point_count : 0;
    int vertices = camera->hair_only && points > 0 ? 0 : view->vertex_count;
    return add(c, view->points, points, move) && add(c, view->vertices, vertices, move);
}

static rlt_status gather_scene(cloud *c, const frames_input *input, const rlt_render_camera *camera) {
    rlt_frame_view view = {.size = sizeof view};
    rlt_status status = rlt_simulation_view(input->simulation, &view);
    int first = rlt_scene_first_frame(input->scene), last = rlt_scene_last_frame(input->scene);
    for (int i = 0; i < SAMPLES && status == RLT_OK; i++) {
        double move[3];
        rlt_simulation_travel(input->simulation, first + (last - first) * i / (SAMPLES - 1), move);
        status = add_view(c, &view, camera, move) ? RLT_OK : console_fail(RLT_FAILED, "out of memory");
    }
    return status;
}

static rlt_status gather_file(cloud *c, const frames_input *input, const rlt_render_camera *camera,
                              rlt_messages *messages) {
    const double still[3] = {0.0, 0.0, 0.0};
    int count = input->last - input->first + 1, samples = count < SAMPLES ? count : SAMPLES;
    rlt_status status = RLT_OK;
    for (int i = 0; i < samples && status == RLT_OK; i++) {
        rlt_frame_view view = {.size = sizeof view};
        int frame = samples > 1 ? input->first + (count - 1) * i / (samples - 1) : input->first;
        status = rlt_cache_view(input->cache, frame, messages, &view);
        if (status == RLT_OK && !add_view(c, &view, camera, still))
            status = console_fail(RLT_FAILED, "out of memory");
    }
    return status;
}

rlt_status shot_camera(studio *s, frames_input *input, rlt_messages *messages) {
    rlt_render_camera *camera = &s->def.camera;
    cloud c = {0};
    if (!camera->automatic)
        return RLT_OK;
    rlt_status status =
        input->simulation ? gather_scene(&c, input, camera) : gather_file(&c, input, camera, messages);
    if (status == RLT_OK && c.count > 0) {
        rlt_frame_view all = {.size = sizeof all, .vertex_count = c.count, .vertices = c.points};
        camera->margin *= BESIDE_GUIDES;
        status = rlt_render_camera_fit(&all, s->def.width, s->def.height, camera, messages);
    }
    free(c.points);
    return status;
}
