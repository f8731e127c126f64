/* Building the drive. What happens in a frame is in drive_frame.c, what strands ask in drive_ask.c. */
#include <limits.h>

#include "base/memory.h"
#include "base/messages.h"
#include "contact/couple/couple_objects.h"
#include "drive/drive_data.h"
#include "scene/readers.h"

void rlti_drive_destroy(rlti_drive *d) {
    if (d == NULL)
        return;
    rlti_drive_free_edges(d);
    rlti_colliders_destroy(d->colliders);
    rlti_springs_destroy(d->springs);
    rlti_holds_destroy(d->holds);
    rlti_reshape_destroy(d->reshape);
    rlti_spread_destroy(d->spread);
    rlti_graph_destroy(d->graph);
    rlti_particles_destroy(d->particles);
    RLTI_FREE(d->local, d->thickness, d->home, d->memory, d->any_side, d->widths, d->poses, d->size,
              d->origins, d->positions, d->velocities, d->laps, d->planes, d->contact_ends, d->plane_counts,
              d->air, d->pushes, d->push_points, d->hold_list, d);
}

/* Objects of strands whose contacts ranks solve together; NULL: there are none. */
static rlt_status find_objects(const rlti_drive_def *def, rlt_messages *messages, int **object) {
    int any = 0;
    *object = NULL;
    for (int h = 0; h < def->scene->hair_count; h++)
        any = any || rlti_hair_solves_contacts(&def->scene->hair[h]);
    if (!any || rlt_ranks_count(def->ranks) < 2 || def->strands->strand_count == 0)
        return RLT_OK;
    *object = RLTI_NEW(int, def->strands->strand_count);
    return *object != NULL && rlti_couple_objects(def->strands, *object) > 0 ? RLT_OK
                                                                             : rlti_out_of_memory(messages);
}

/* Who may touch whom, which strands are computed here, and the springs between them. */
static rlt_status create_contacts(rlti_drive *d, rlt_messages *messages) {
    const rlti_drive_def *def = &d->def;
    int *object = NULL;
    rlt_status status = find_objects(def, messages, &object);
    if (status == RLT_OK)
        status = rlti_particles_create(def->scene, def->strands, def->matter, messages, &d->particles);
    if (status == RLT_OK)
        status = rlti_graph_create(def->scene, def->strands, d->particles, def->pool, messages, &d->graph);
    if (status == RLT_OK)
        status = rlti_spread_create(def->ranks, def->partition, object, def->strands, d->particles, d->graph,
                                    messages, &d->spread);
    rlti_free(object);
    if (status != RLT_OK || d->graph->edges_final == 0)
        return status;
    rlti_springs_def springs = {.scene = def->scene,
                                .strands = def->strands,
                                .particles = d->particles,
                                .graph = d->graph,
                                .body = def->body,
                                .lanes = def->springs,
                                .local = rlti_spread_local(d->spread),
                                .threads = rlti_pool_threads(def->pool),
                                .outer_step = d->outer_step};
    return rlti_springs_create(&springs, messages, &d->springs);
}

static rlt_status create_holds(rlti_drive *d, rlt_messages *messages) {
    rlti_holds_def def = {.scene = d->def.scene,
                          .strands = d->def.strands,
                          .body = d->def.body,
                          .colliders = d->colliders,
                          .mass = d->def.matter->mass,
                          .size = d->size,
                          .meets = d->def.meets,
                          .outer_step = d->outer_step,
                          .shortest_step = d->def.shortest_step};
    rlt_status status = rlti_holds_create(&def, messages, &d->holds);
    if (status != RLT_OK || d->holds == NULL)
        return status;
    d->poses = RLTI_NEW(rlt_pose_report, rlti_pose_count(d->holds));
    if (d->poses == NULL)
        return rlti_out_of_memory(messages);
    for (int p = 0; p < rlti_pose_count(d->holds); p++)
        rlti_pose_name(d->holds, p, &d->poses[p]);
    return RLT_OK;
}

static int create_arrays(rlti_drive *d) {
    size_t n = (size_t)d->def.matter->point_count, strands = (size_t)d->def.matter->strand_count;
    size_t threads = (size_t)rlti_pool_threads(d->def.pool), longest = (size_t)d->longest;
    size_t holds =
        (d->holds != NULL ? (size_t)rlti_holds_largest(d->holds) : 0) + (size_t)rlti_drive_pull_capacity(d);
    const unsigned char *local = rlti_spread_local(d->spread);
    if (!RLTI_ALLOCATE(
            RLTI_ITEMS(d->local, strands), RLTI_ITEMS(d->thickness, n), RLTI_ITEMS(d->home, n),
            RLTI_ITEMS(d->memory, n), RLTI_ITEMS(d->any_side, strands), RLTI_ITEMS(d->widths, n),
            RLTI_ITEMS(d->origins, strands), RLTI_ITEMS(d->positions, 3 * n),
            RLTI_ITEMS(d->velocities, 3 * n), RLTI_ITEMS(d->contact_ends, d->def.scene->time.outer_steps),
            RLTI_ITEMS(d->plane_counts, strands), RLTI_ITEMS(d->laps, threads),
            RLTI_ITEMS(d->planes, threads * longest), RLTI_ITEMS(d->air, threads * longest * 3),
            RLTI_ITEMS(d->pushes, threads * longest), RLTI_ITEMS(d->push_points, threads * longest),
            RLTI_ITEMS(d->hold_list, threads * holds)))
        return 0;
    for (int s = 0; s < d->def.matter->strand_count; s++)
        if (local[s])
            d->local[d->local_count++] = s;
    return 1;
}

static rlt_status build(rlti_drive *d, rlt_messages *messages) {
    const rlti_scene_data *scene = d->def.scene;
    const rlti_time_data *time = &scene->time;
    d->posed = INT_MIN;
    d->outer_step = 1.0 / (time->fps * time->outer_steps);
    d->slow_interval = time->outer_steps / 10 > 1 ? time->outer_steps / 10 : 1;
    d->longest = rlti_matter_longest(d->def.matter);
    rlti_wind_create(&scene->wind, &d->wind);
    d->size = RLTI_NEW(double, scene->hair_count);
    if (d->size == NULL)
        return rlti_out_of_memory(messages);
    for (int h = 0; h < scene->hair_count; h++)
        d->size[h] = 1.0;
    int first_message = rlt_messages_count(messages);
    rlt_status status = rlti_colliders_create(scene, d->def.body, messages, &d->colliders);
    rlti_messages_prefix(messages, first_message, d->def.file);
    if (status == RLT_OK)
        rlti_colliders_share(d->colliders, d->def.pool);
    if (status == RLT_OK)
        status = create_holds(d, messages);
    if (status == RLT_OK)
        status = create_contacts(d, messages);
    if (status == RLT_OK && !create_arrays(d))
        status = rlti_out_of_memory(messages);
    return status;
}

rlt_status rlti_drive_create(const rlti_drive_def *def, rlt_messages *messages, rlti_drive **drive) {
    *drive = NULL;
    rlti_drive *d = RLTI_NEW(rlti_drive, 1);
    if (d == NULL)
        return rlti_out_of_memory(messages);
    d->def = *def;
    rlt_status status = build(d, messages);
    d->def.meets = NULL;
    if (status != RLT_OK) {
        rlti_drive_destroy(d);
        return status;
    }
    *drive = d;
    return RLT_OK;
}

/* A rest shape that changes, and what it is at the first frame. */
static rlt_status create_reshape(rlti_drive *d, int frame, rlt_messages *messages) {
    if (!rlti_reshape_wanted(d->def.scene))
        return RLT_OK;
    rlti_reshape_def def = {.scene = d->def.scene,
                            .strands = d->def.strands,
                            .body = d->def.body,
                            .size = d->size,
                            .pool = d->def.pool};
    int first_message = rlt_messages_count(messages);
    rlt_status status = rlti_reshape_create(&def, messages, &d->reshape);
    if (status == RLT_OK)
        status = rlti_reshape_begin_frame(d->reshape, frame, messages);
    rlti_messages_prefix(messages, first_message, d->def.file);
    if (status != RLT_OK)
        return status;
    for (int s = 0; s < d->def.strands->strand_count; s++)
        rlti_reshape_begin_strand(d->reshape, s, frame);
    rlti_reshape_pose(d->reshape, frame, 0.0);
    d->reshapes = 1;
    return RLT_OK;
}

rlt_status rlti_drive_settle(rlti_drive *d, int frame, rlt_messages *messages) {
    rlti_drive_set_thickness(d, messages);
    if (!rlti_drive_settle_edges(d, messages))
        return rlti_out_of_memory(messages);
    rlt_status status = rlti_drive_place_body(d, frame, messages);
    return status == RLT_OK ? create_reshape(d, frame, messages) : status;
}

void rlti_drive_retune(rlti_drive *d) {
    rlti_wind_create(&d->def.scene->wind, &d->wind);
}

void rlti_drive_pull(rlti_drive *d, const rlti_pull *pulls, int count, double stiffness) {
    d->pull_count = count < RLTI_PULLS_MAX ? count : RLTI_PULLS_MAX;
    d->pull_stiffness = stiffness;
    for (int k = 0; k < d->pull_count; k++)
        d->pulls[k] = pulls[k];
}

int rlti_drive_pull_capacity(const rlti_drive *d) {
    return d->def.pulls ? RLTI_PULLS_STRAND : 0;
}

const rlti_pull *rlti_drive_pulls(const rlti_drive *d, int *count, double *stiffness) {
    *count = d->pull_count;
    *stiffness = d->pull_stiffness;
    return d->pulls;
}

size_t rlti_drive_bytes(const rlti_drive *d) {
    size_t points = (size_t)d->def.matter->point_count, strands = (size_t)d->def.matter->strand_count;
    size_t threads = (size_t)rlti_pool_threads(d->def.pool), longest = (size_t)d->longest;
    size_t point = sizeof *d->thickness + sizeof *d->home + sizeof *d->memory + sizeof *d->widths +
                   3 * (sizeof *d->positions + sizeof *d->velocities);
    size_t strand = sizeof *d->local + sizeof *d->any_side + sizeof *d->origins + sizeof *d->plane_counts;
    size_t worker = sizeof *d->laps + longest * (sizeof *d->planes + 3 * sizeof *d->air + sizeof *d->pushes +
                                                 sizeof *d->push_points);
    size_t sum = sizeof *d + points * point + strands * strand + threads * worker + rlti_drive_edges_bytes(d);
    if (d->holds != NULL)
        sum +=
            rlti_holds_bytes(d->holds) + threads * (size_t)rlti_holds_largest(d->holds) * sizeof(rlti_hold);
    if (d->reshape != NULL)
        sum += rlti_reshape_bytes(d->reshape);
    if (d->springs != NULL) /* the graph and the particles are in there */
        sum += rlti_springs_bytes(d->springs);
    return sum;
}

uint64_t rlti_drive_checksum(const rlti_drive *d) {
    return rlti_colliders_checksum(d->colliders);
}

rlti_spread *rlti_drive_spread(const rlti_drive *d) {
    return d->spread;
}

const unsigned char *rlti_drive_local(const rlti_drive *d) {
    return rlti_spread_local(d->spread);
}

rlti_vec3 *rlti_drive_origins(rlti_drive *d) {
    return d->origins;
}

const rlti_holds *rlti_drive_constraints(const rlti_drive *d) {
    return d->holds;
}

const rlti_particles *rlti_drive_particles(const rlti_drive *d) {
    return d->particles;
}

rlti_springs *rlti_drive_springs(const rlti_drive *d) {
    return d->springs;
}

const double *rlti_drive_widths(const rlti_drive *d) {
    return d->widths;
}

rlti_laps *rlti_drive_laps(const rlti_drive *d, int worker) {
    return &d->laps[worker];
}

double rlti_drive_seconds_exchange(const rlti_drive *d) {
    return d->seconds_exchange;
}

const rlti_graph *rlti_drive_graph(const rlti_drive *d) {
    return d->graph;
}
