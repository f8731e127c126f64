/* Building a live simulation, and its time. docs/design/live.md. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "drive/wind.h"
#include "scene/live.h"
#include "sim/live_data.h"

rlt_status rlt_live_groom_reset(rlt_live_groom *groom) {
    const rlt_live_groom standard = {.hair = 0};
    return RLTI_WRITE(rlt_live_groom, groom, &standard, NULL);
}

rlt_status rlt_live_body_reset(rlt_live_body *body) {
    const rlt_live_body standard = {.vertex_count = 0};
    return RLTI_WRITE(rlt_live_body, body, &standard, NULL);
}

rlt_status rlt_live_def_reset(rlt_live_def *def) {
    const rlt_live_def standard = {.motion = RLT_MOTION_CAUSAL, .jump_speed = 20.0};
    return RLTI_WRITE(rlt_live_def, def, &standard, NULL);
}

/* ---- building ---- */

void rlti_live_destroy(rlti_live_run *live) {
    if (live == NULL)
        return;
    if (live->mesh != NULL)
        RLTI_FREE(live->mesh->vertices, live->mesh->triangles);
    rlti_live_input_clear(&live->last);
    rlti_live_input_clear(&live->next);
    rlt_scene_destroy(live->scene);
    RLTI_FREE(live->mesh, live->groom, live->points, live->widths, live->weights, live->counts,
              live->triangles, live);
}

static rlt_status take_body(rlti_live_run *live, const rlt_live_body *given, rlt_messages *messages) {
    rlt_live_body body = {0};
    if (RLTI_READ(rlt_live_body, &body, given, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    if (body.vertex_count < 3 || body.triangle_count < 1 || body.triangles == NULL)
        return rlti_refuse(messages, "body: %d vertices and %d triangles; a body has at least 3 and 1",
                           body.vertex_count, body.triangle_count);
    rlt_status status = rlti_numbers_check(&body.vertices, "body.vertices", body.vertex_count, 3, messages);
    if (status != RLT_OK)
        return status;
    for (int c = 0; c < 3 * body.triangle_count; c++)
        if (body.triangles[c] < 0 || body.triangles[c] >= body.vertex_count)
            return rlti_refuse(messages, "body: triangle %d names vertex %d of %d", c / 3, body.triangles[c],
                               body.vertex_count);
    live->mesh = RLTI_NEW(rlti_mesh, 1);
    if (live->mesh == NULL || !RLTI_ALLOCATE(RLTI_ITEMS(live->mesh->vertices, body.vertex_count),
                                             RLTI_ITEMS(live->mesh->triangles, body.triangle_count)))
        return rlti_out_of_memory(messages);
    live->mesh->vertex_count = body.vertex_count;
    live->mesh->triangle_count = body.triangle_count;
    rlti_numbers_copy(&body.vertices, body.vertex_count, 3, &live->mesh->vertices[0].x);
    memcpy(live->mesh->triangles, body.triangles,
           (size_t)body.triangle_count * sizeof *live->mesh->triangles);
    return RLT_OK;
}

/* Points of all strands; below 0: more than there may be. */
static long long count_points(const rlt_live_groom *groom) {
    long long points = 0;
    for (int s = 0; s < groom->strand_count; s++) {
        if (groom->counts[s] < 0)
            return -1;
        points += groom->counts[s];
    }
    return points <= INT32_MAX ? points : -1;
}

static rlt_status check_groom(const rlt_live_groom *groom, int sections, long long points,
                              rlt_messages *messages) {
    if (groom->hair < 0 || groom->hair >= sections)
        return rlti_refuse(messages, "groom.hair = %d: the scene has %d hair sections", groom->hair,
                           sections);
    if (points < 1)
        return rlti_refuse(messages, "groom: the counts of its points are out of range");
    rlt_status status = rlti_numbers_check(&groom->points, "groom.points", (int)points, 3, messages);
    if (status == RLT_OK && groom->widths.data != NULL)
        status = rlti_numbers_check(&groom->widths, "groom.widths", (int)points, 1, messages);
    if (status == RLT_OK && groom->root_weights.data != NULL && groom->root_triangles == NULL)
        status = rlti_refuse(messages, "groom.root_weights: of which triangles? give root_triangles, too");
    if (status == RLT_OK && groom->root_weights.data != NULL)
        status =
            rlti_numbers_check(&groom->root_weights, "groom.root_weights", groom->strand_count, 3, messages);
    return status;
}

/* Copies of the arrays that are given; 0: out of memory. */
static int copy_groom(rlti_live_run *live, const rlt_live_groom *groom, int points) {
    int strands = groom->strand_count;
    live->groom = RLTI_NEW(rlti_given_groom, 1);
    if (live->groom == NULL ||
        !RLTI_ALLOCATE(RLTI_ITEMS(live->counts, strands), RLTI_ITEMS(live->points, 3 * (size_t)points),
                       RLTI_ITEMS(live->widths, points), RLTI_ITEMS(live->triangles, strands),
                       RLTI_ITEMS(live->weights, 3 * (size_t)strands)))
        return 0;
    memcpy(live->counts, groom->counts, (size_t)strands * sizeof *live->counts);
    rlti_numbers_copy(&groom->points, points, 3, live->points);
    if (groom->widths.data != NULL)
        rlti_numbers_copy(&groom->widths, points, 1, live->widths);
    if (groom->root_triangles != NULL)
        memcpy(live->triangles, groom->root_triangles, (size_t)strands * sizeof *live->triangles);
    if (groom->root_weights.data != NULL)
        rlti_numbers_copy(&groom->root_weights, strands, 3, live->weights);
    *live->groom = (rlti_given_groom){.strand_count = strands,
                                      .point_count = points,
                                      .counts = live->counts,
                                      .points = live->points,
                                      .widths = groom->widths.data != NULL ? live->widths : NULL,
                                      .triangles = groom->root_triangles != NULL ? live->triangles : NULL,
                                      .weights = groom->root_weights.data != NULL ? live->weights : NULL};
    live->hair = groom->hair;
    return 1;
}

static rlt_status take_groom(rlti_live_run *live, const rlt_live_groom *given, int sections,
                             rlt_messages *messages) {
    rlt_live_groom groom = {0};
    if (RLTI_READ(rlt_live_groom, &groom, given, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    if (groom.strand_count < 1 || groom.counts == NULL)
        return rlti_refuse(messages, "groom: %d strands; it has at least one, with its count of points",
                           groom.strand_count);
    long long points = count_points(&groom);
    rlt_status status = check_groom(&groom, sections, points, messages);
    if (status == RLT_OK && !copy_groom(live, &groom, (int)points))
        status = rlti_out_of_memory(messages);
    return status;
}

/* A scene with further values, and with something to collide with where the caller has a body. */
static rlt_status fit_scene(const rlti_live_run *live, const rlt_scene *scene, const char *const *overrides,
                            int override_count, rlt_messages *messages, rlt_scene **fitted) {
    const rlti_scene_data *data = rlti_scene_get(scene);
    const char *more[1];
    int count = 0;
    if (override_count > 0) {
        rlt_scene *changed = NULL;
        rlt_status status = rlt_scene_change(scene, overrides, override_count, messages, &changed);
        if (status == RLT_OK)
            status = fit_scene(live, changed, NULL, 0, messages, fitted);
        rlt_scene_destroy(changed);
        return status;
    }
    if (live->mesh != NULL && data->collider_count == 0)
        more[count++] = "colliders=[{name: body, kind: body}]";
    return rlt_scene_change(scene, more, count, messages, fitted);
}

/* Gives the scene what of its caller's it cannot say. */
static void attach_given(rlti_live_run *live) {
    rlti_scene_data *data = rlti_scene_own(live->scene);
    data->character.given = live->mesh;
    if (live->groom != NULL)
        data->hair[live->hair].given_groom = live->groom;
}

static double jump_of(const rlt_simulation *sim) {
    const rlti_scene_data *scene = sim->scene;
    return sim->live->jump_speed / (scene->metres_per_unit * scene->time.fps);
}

/* Frames of another rate at the same time. */
static int same_time(const rlti_time_data *from, const rlti_time_data *to, int frame) {
    if (from->fps == to->fps)
        return frame;
    return to->first + (int)floor((frame - from->first) * to->fps / from->fps + 0.5);
}

/* Where a simulation that is rebuilt was, for the new one. */
static void take_over(const rlt_simulation *from, rlt_simulation *to) {
    const rlti_live_run *old = from->live;
    rlti_live_run *live = to->live;
    to->frame = same_time(&from->scene->time, &to->scene->time, from->frame);
    live->motion_frame = same_time(&from->scene->time, &to->scene->time, old->motion_frame);
    live->plays = old->plays;
    live->fresh = old->fresh;
    live->ticks = old->ticks;
    live->left_over = old->left_over;
    live->next.is_moved = old->next.is_moved;
    live->next.whole = old->next.whole;
    live->next.turned = old->next.turned;
    memcpy(live->next.turn, old->next.turn, sizeof live->next.turn);
    for (int c = 0; c < live->next.collider_count; c++)
        for (int o = 0; o < old->next.collider_count; o++)
            if (strcmp(to->scene->colliders[c].name, from->scene->colliders[o].name) == 0) {
                live->next.colliders[c] = old->next.colliders[o];
                live->next.collider_moved[c] = old->next.collider_moved[o];
            }
}

/* Vertices and roots that were given, where the new body and groom have as many. */
static int take_arrays(const rlt_simulation *from, rlt_simulation *to) {
    const rlti_live_input *old = &from->live->next;
    rlti_live_input *inputs[2] = {&to->live->last, &to->live->next};
    int vertices = old->has_vertices && old->vertex_count == rlti_body_mesh(to->body)->vertex_count;
    int strands = old->has_roots && old->strand_count == to->strands->strand_count;
    for (int k = 0; k < 2; k++) {
        if (!rlti_live_input_reserve(inputs[k], vertices ? old->vertex_count : 0,
                                     strands ? old->strand_count : 0, 0))
            return 0;
        if (vertices)
            memcpy(inputs[k]->vertices, old->vertices, (size_t)old->vertex_count * sizeof *old->vertices);
        for (int s = 0; s < old->strand_count && strands; s++) {
            inputs[k]->roots[s] = old->roots[s];
            inputs[k]->turns[s] = old->turns[s];
        }
        inputs[k]->has_vertices = vertices;
        inputs[k]->has_roots = strands;
    }
    return rlti_body_live_reserve(to->body, vertices ? old->vertex_count : 0,
                                  strands ? old->strand_count : 0);
}

rlt_status rlti_live_begin(rlt_simulation *sim, rlt_messages *messages) {
    rlti_live_run *live = sim->live;
    int vertices = rlti_body_is_file(sim->body) ? rlti_body_mesh(sim->body)->vertex_count : 0;
    const rlti_live def = {.is_causal = live->motion == RLT_MOTION_CAUSAL,
                           .jump = jump_of(sim),
                           .roots = sim->strands->roots,
                           .strand_count = sim->strands->strand_count};
    int colliders = sim->scene->collider_count;
    if (!rlti_body_go_live(sim->body, &def) ||
        !rlti_live_input_reserve(&live->last, vertices, 0, colliders) ||
        !rlti_live_input_reserve(&live->next, vertices, 0, colliders))
        return rlti_out_of_memory(messages);
    rlti_live_input_reset(&live->last);
    rlti_live_input_reset(&live->next);
    live->motion_frame = live->begins = sim->frame;
    live->plays = 1;
    live->fresh = 1;
    if (live->like != NULL) {
        take_over(live->like, sim);
        if (!take_arrays(live->like, sim))
            return rlti_out_of_memory(messages);
    }
    rlti_live_input_blend(&live->next, &live->next, 1.0, &live->last);
    return rlti_live_stand(sim, messages);
}

rlt_status rlti_live_stand(rlt_simulation *sim, rlt_messages *messages) {
    rlti_live_run *live = sim->live;
    rlt_status status = RLT_OK;
    for (int k = RLTI_LIVE_SAMPLES - 1; k >= 0 && status == RLT_OK; k--)
        status = rlti_body_live_push(sim->body, sim->frame - k, live->motion_frame, &live->next, &live->next,
                                     1.0, messages);
    return status;
}

static const char *const empty_scene = "hair: {count: 1}\n";

static rlt_status create(rlt_simulation *sim, const rlt_live_def *def, rlt_messages *messages) {
    rlt_scene *standard = NULL;
    rlti_live_run *live = sim->live;
    rlt_status status = RLT_OK;
    if (def->scene == NULL)
        status = rlt_scene_load_text("live", empty_scene, strlen(empty_scene), NULL, 0, messages, &standard);
    const rlt_scene *scene = def->scene != NULL ? def->scene : standard;
    if (status == RLT_OK && def->body != NULL)
        status = take_body(live, def->body, messages);
    if (status == RLT_OK && def->groom != NULL)
        status = take_groom(live, def->groom, rlti_scene_get(scene)->hair_count, messages);
    if (status == RLT_OK)
        status = fit_scene(live, scene, NULL, 0, messages, &live->scene);
    rlt_scene_destroy(standard);
    if (status == RLT_OK)
        attach_given(live);
    return status;
}

/* `like`: the simulation that it replaces, whose motion continues; NULL: it is new. */
static rlt_status create_from(const rlt_live_def *def, const rlt_simulation *like, rlt_messages *messages,
                              rlt_simulation **simulation) {
    rlt_simulation *sim = RLTI_NEW(rlt_simulation, 1);
    if (sim == NULL)
        return rlti_out_of_memory(messages);
    sim->def = *def->simulation;
    sim->live = RLTI_NEW(rlti_live_run, 1);
    rlt_status status = sim->live != NULL ? RLT_OK : rlti_out_of_memory(messages);
    if (status == RLT_OK) {
        sim->live->motion = def->motion;
        sim->live->jump_speed = def->jump_speed;
        sim->live->like = like;
        status = create(sim, def, messages);
    }
    if (status != RLT_OK) {
        rlt_simulation_destroy(sim);
        return status;
    }
    status = rlti_simulation_build(sim, sim->live->scene, NULL, messages);
    if (status != RLT_OK)
        return status;
    sim->live->like = NULL;
    *simulation = sim;
    return RLT_OK;
}

rlt_status rlt_live_create(const rlt_live_def *def, rlt_messages *messages, rlt_simulation **simulation) {
    if (simulation == NULL)
        return rlti_refuse(messages, "rlt_live_create: no place for the simulation is given (NULL)");
    *simulation = NULL;
    rlt_live_def own = rlt_live_defaults();
    rlt_simulation_def run = rlt_simulation_defaults();
    if (def != NULL && RLTI_READ(rlt_live_def, &own, def, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    if (own.simulation != NULL && RLTI_READ(rlt_simulation_def, &run, own.simulation, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    if (rlt_ranks_count(run.ranks) > 1)
        return rlti_refuse(messages, "a live simulation runs on one rank; leave ranks NULL");
    if (!(own.jump_speed >= 0.0) || (own.motion != RLT_MOTION_CAUSAL && own.motion != RLT_MOTION_DELAYED))
        return rlti_refuse(messages, "rlt_live_def: motion or jump_speed is out of range");
    own.simulation = &run;
    return create_from(&own, NULL, messages, simulation);
}

int rlt_simulation_is_live(const rlt_simulation *sim) {
    return sim != NULL && sim->live != NULL;
}

rlt_status rlti_live_require(const rlt_simulation *sim, const char *what, rlt_messages *messages) {
    if (rlt_simulation_is_live(sim))
        return RLT_OK;
    if (sim == NULL)
        return rlti_refuse(messages, "%s: the simulation is NULL", what);
    return rlti_refuse(messages, "%s: the simulation is not live; make it with rlt_live_create", what);
}

/* ---- time ---- */

double rlt_simulation_tick(const rlt_simulation *sim) {
    return sim != NULL ? 1.0 / sim->scene->time.fps : 0.0;
}

long long rlt_simulation_ticks(const rlt_simulation *sim, double *left_over) {
    int live = rlt_simulation_is_live(sim);
    if (left_over != NULL)
        *left_over = live ? sim->live->left_over : 0.0;
    return live ? sim->live->ticks : 0;
}

/* One tick: a new sample, `s` of the way from the last step's end to this one's, and the hair after it. */
static rlt_status tick(rlt_simulation *sim, double s, rlt_messages *messages) {
    rlti_live_run *live = sim->live;
    int delayed = live->motion == RLT_MOTION_DELAYED, primes = delayed && live->fresh;
    int motion = live->motion_frame + (live->plays && live->motion_frame < INT32_MAX);
    int frame = sim->frame + (delayed && !live->fresh ? 2 : 1);
    rlt_status status = rlti_body_live_push(sim->body, frame, motion, &live->last, &live->next, s, messages);
    if (status != RLT_OK)
        return status;
    live->motion_frame = motion;
    live->ticks++;
    live->fresh = 0;
    if (!primes)
        return rlti_simulation_advance(sim, messages);
    /* hair begins with the velocity of its roots, as where the motion is known from the start */
    status = rlti_drive_place_body(sim->drive, sim->frame, messages);
    if (status == RLT_OK)
        rlti_simulation_place_groom(sim);
    return status;
}

rlt_status rlt_simulation_step(rlt_simulation *sim, double seconds, rlt_messages *messages) {
    rlt_status status = rlti_live_require(sim, "rlt_simulation_step", messages);
    if (status == RLT_OK)
        status = rlti_simulation_require_whole(sim, "cannot step", messages);
    if (status != RLT_OK)
        return status;
    if (!(seconds > 0.0 && seconds <= 1.0))
        return rlti_refuse(messages, "rlt_simulation_step: seconds must be above 0 and at most 1");
    rlti_live_run *live = sim->live;
    const double slack = 1e-6; /* of a tick: sums of steps are not exact */
    double rate = sim->scene->time.fps, begin = live->left_over * rate, end = begin + seconds * rate;
    int count = (int)floor(end + slack);
    for (int k = 1; k <= count && status == RLT_OK; k++) {
        double s = (k - begin) / (end - begin);
        status = tick(sim, s < 1.0 - slack ? s : 1.0, messages);
    }
    live->left_over = fmax(end - count, 0.0) / rate;
    if (end - count < slack)
        live->left_over = 0.0;
    rlti_live_input_blend(&live->next, &live->next, 1.0, &live->last);
    return status;
}

/* ---- values ---- */

const rlt_scene *rlt_simulation_scene(const rlt_simulation *sim) {
    return rlt_simulation_is_live(sim) ? sim->live->scene : NULL;
}

/* Models and drive made anew with the scene's present values; hair stays as it is. */
static rlt_status renew(rlt_simulation *sim, rlt_messages *messages) {
    rlt_status broken = sim->broken;
    size_t size = 0;
    if (broken != RLT_OK) { /* there is no state to keep; it must still be loaded, or reset */
        rlt_status made = rlti_live_renew(sim, messages);
        sim->broken = broken;
        return made;
    }
    rlt_status status = rlti_live_save(sim, NULL, 0, &size, messages);
    void *bytes = status == RLT_OK ? rlti_allocate(size, 1) : NULL;
    if (status == RLT_OK)
        status =
            bytes != NULL ? rlti_live_save(sim, bytes, size, &size, messages) : rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = rlti_live_renew(sim, messages);
    if (status == RLT_OK)
        status = rlti_live_load(sim, bytes, size, 1, messages);
    rlti_free(bytes);
    return status;
}

static int is_calm(const rlti_scene_data *scene) {
    rlti_wind wind;
    rlti_wind_create(&scene->wind, &wind);
    return rlti_wind_is_zero(&wind);
}

/* 1 where a message speaks of a key that is given. */
static int speaks_of(const char *message, const char *const *overrides, int count) {
    for (int k = 0; k < count; k++) {
        char key[128];
        size_t length = strcspn(overrides[k], "= ");
        if (length == 0 || length >= sizeof key)
            continue;
        memcpy(key, overrides[k], length);
        key[length] = '\0';
        if (strstr(message, key) != NULL)
            return 1;
    }
    return 0;
}

/* Passes on errors, and messages about the keys given. All else has been reported when it was first
 * made. */
static void forward(const rlt_messages *from, const char *const *overrides, int count, rlt_messages *to) {
    for (int i = 0; i < rlt_messages_count(from); i++) {
        rlt_severity severity = rlt_messages_severity(from, i);
        const char *message = rlt_messages_text(from, i);
        if (severity == RLT_ERROR || speaks_of(message, overrides, count))
            rlti_message(to, severity, "%s", message);
    }
}

static rlt_status set(rlt_simulation *sim, const char *const *overrides, int override_count,
                      rlt_messages *messages) {
    rlt_status status = RLT_OK;
    rlti_live_run *live = sim->live;
    rlt_scene *other = NULL;
    const char *key = NULL;
    status = fit_scene(live, live->scene, overrides, override_count, messages, &other);
    if (status != RLT_OK)
        return status;
    rlti_change change = rlti_scene_compare(live->scene, other, &key);
    if (change == RLTI_CHANGE_REBUILD) {
        rlt_scene_destroy(other);
        return rlti_refuse(messages,
                           "%s: cannot change while the simulation runs; rebuild it "
                           "(rlt_simulation_rebuild), which keeps the pose",
                           key);
    }
    /* air that was not there has no place in the models yet */
    if (change == RLTI_CHANGE_DIRECT && is_calm(sim->scene) != is_calm(rlti_scene_get(other)))
        change = RLTI_CHANGE_DRIVE;
    rlti_scene_exchange(live->scene, other);
    if (change == RLTI_CHANGE_DRIVE) {
        status = renew(sim, messages);
        if (status != RLT_OK) /* as it was */
            rlti_scene_exchange(live->scene, other);
    }
    rlti_drive_retune(sim->drive);
    rlt_scene_destroy(other);
    return status;
}

rlt_status rlt_simulation_set(rlt_simulation *sim, const char *const *overrides, int override_count,
                              rlt_messages *messages) {
    rlt_status status = rlti_live_require(sim, "rlt_simulation_set", messages);
    if (status == RLT_OK && (override_count < 0 || (overrides == NULL && override_count > 0)))
        status = rlti_refuse(messages, "rlt_simulation_set: a required argument is NULL");
    for (int k = 0; k < override_count && status == RLT_OK; k++)
        if (overrides[k] == NULL)
            status = rlti_refuse(messages, "rlt_simulation_set: a required argument is NULL");
    if (status != RLT_OK)
        return status;
    rlt_messages *own = rlt_messages_create();
    status = own != NULL ? set(sim, overrides, override_count, own) : rlti_out_of_memory(messages);
    forward(own, overrides, override_count, messages);
    rlt_messages_destroy(own);
    return status;
}

/* Another simulation like this one, of a scene. */
static rlt_status create_like(const rlt_simulation *sim, const rlt_scene *scene, const char *const *overrides,
                              int override_count, rlt_messages *messages, rlt_simulation **made) {
    const rlti_live_run *old = sim->live;
    rlt_live_body body = rlt_live_body_defaults();
    rlt_live_groom groom = rlt_live_groom_defaults();
    rlt_live_def def = rlt_live_defaults();
    if (old->mesh != NULL) {
        body.vertex_count = old->mesh->vertex_count;
        body.triangle_count = old->mesh->triangle_count;
        body.vertices.data = old->mesh->vertices;
        body.triangles = old->mesh->triangles[0];
        def.body = &body;
    }
    if (old->groom != NULL) {
        groom.hair = old->hair;
        groom.strand_count = old->groom->strand_count;
        groom.counts = old->groom->counts;
        groom.points.data = old->groom->points;
        groom.widths.data = old->groom->widths;
        groom.root_triangles = old->groom->triangles;
        groom.root_weights.data = old->groom->weights;
        def.groom = &groom;
    }
    rlt_scene *changed = NULL;
    rlt_status status =
        rlt_scene_change(scene != NULL ? scene : old->scene, overrides, override_count, messages, &changed);
    def.scene = changed;
    def.simulation = &sim->def;
    def.motion = old->motion;
    def.jump_speed = old->jump_speed;
    if (status == RLT_OK)
        status = create_from(&def, sim, messages, made);
    rlt_scene_destroy(changed);
    return status;
}

/* Hair as it was, where it fits: 1 if it did. */
static int keep_state(rlt_simulation *from, rlt_simulation *to) {
    size_t size = 0;
    if (from->broken != RLT_OK || rlti_live_save(from, NULL, 0, &size, NULL) != RLT_OK)
        return 0;
    void *bytes = rlti_allocate(size, 1);
    int frame = to->frame, count;
    double stiffness;
    int kept = bytes != NULL && rlti_live_save(from, bytes, size, &size, NULL) == RLT_OK &&
               rlti_live_load(to, bytes, size, 0, NULL) == RLT_OK;
    rlti_free(bytes);
    if (!kept)
        return 0;
    to->frame = frame;
    const rlti_pull *pulls = rlti_drive_pulls(from->drive, &count, &stiffness);
    rlti_drive_pull(to->drive, pulls, count, stiffness);
    return 1;
}

rlt_status rlt_simulation_rebuild(rlt_simulation *sim, const rlt_scene *scene, const char *const *overrides,
                                  int override_count, rlt_messages *messages, int *kept) {
    rlt_simulation *made = NULL;
    if (kept != NULL)
        *kept = 0;
    rlt_status status = rlti_live_require(sim, "rlt_simulation_rebuild", messages);
    if (status == RLT_OK)
        status = create_like(sim, scene, overrides, override_count, messages, &made);
    if (status != RLT_OK)
        return status;
    int whole = keep_state(sim, made);
    if (kept != NULL)
        *kept = whole;
    rlt_simulation old = *sim; /* the handle stays */
    *sim = *made;
    *made = old;
    rlt_simulation_destroy(made);
    return RLT_OK;
}

rlt_status rlt_simulation_reset(rlt_simulation *sim, rlt_messages *messages) {
    rlt_status status = rlti_live_require(sim, "rlt_simulation_reset", messages);
    if (status == RLT_OK)
        status = rlti_live_renew(sim, messages);
    if (status == RLT_OK)
        status = rlti_live_stand(sim, messages);
    if (status == RLT_OK)
        status = rlti_drive_place_body(sim->drive, sim->frame, messages);
    if (status != RLT_OK)
        return status;
    rlti_simulation_place_groom(sim);
    rlti_live_input_blend(&sim->live->next, &sim->live->next, 1.0, &sim->live->last);
    sim->live->left_over = 0.0;
    sim->live->fresh = 1;
    return RLT_OK;
}
