/* Live simulations: the same bytes as the file way, states, values, pulls, jumps, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "ringlet/checkpoint.h"
#include "ringlet/live.h"

/* A head of few hairs that is shaken, of one model, with contacts, wind, sag and colliders. */
static const char *const models[] = {"taz", "rod", "coil"};
enum { MODELS = 3, TICKS = 6 };

static const char text[] = "time: {preroll: 0, outer_steps: 20, force_steps: 40}\n"
                           "character: {resolution: 12}\n"
                           "motion: {kind: shake, amount: 1}\n"
                           "wind: {velocity: [60, 0, 0], turbulence: 30}\n"
                           "hair: {count: 18, length: 13, segment: 1.5, sag: {mode: solve},\n"
                           "  contact: {radius: 4, groom: push}, rod: {steps: 2, young: 4e9}}\n"
                           "colliders:\n"
                           "  - {name: body, kind: body}\n"
                           "  - {name: hand, kind: sphere, radius: 5, position: [30, 0, 0]}\n";

static rlt_scene *load(const char *model, const char *more) {
    char named[64];
    const char *overrides[2] = {named, more};
    rlt_scene *scene = NULL;
    rlt_messages *messages = rlt_messages_create();
    snprintf(named, sizeof named, "hair.model=%s", model);
    if (rlt_scene_load_text("live", text, sizeof text - 1, overrides, more != NULL ? 2 : 1, messages,
                            &scene) != RLT_OK)
        fail_msg("%s", rlt_messages_text(messages, 0));
    rlt_messages_destroy(messages);
    return scene;
}

static rlt_simulation *begin(const rlt_scene *scene, rlt_live_motion motion, int threads) {
    rlt_live_def def = rlt_live_defaults();
    rlt_simulation_def run = rlt_simulation_defaults();
    rlt_simulation *sim = NULL;
    rlt_messages *messages = rlt_messages_create();
    run.threads = threads;
    def.simulation = &run;
    def.scene = scene;
    def.motion = motion;
    if (rlt_live_create(&def, messages, &sim) != RLT_OK)
        fail_msg("%s", rlt_messages_text(messages, rlt_messages_count(messages) - 1));
    rlt_messages_destroy(messages);
    return sim;
}

static void step(rlt_simulation *sim) {
    rlt_messages *messages = rlt_messages_create();
    if (rlt_simulation_step(sim, rlt_simulation_tick(sim), messages) != RLT_OK)
        fail_msg("%s", rlt_messages_text(messages, rlt_messages_count(messages) - 1));
    rlt_messages_destroy(messages);
}

static rlt_frame_view view_of(const rlt_simulation *sim) {
    rlt_frame_view view = {.size = sizeof view};
    assert_int_equal(rlt_simulation_view(sim, &view), RLT_OK);
    return view;
}

/* ---- the same bytes as the file way ---- */

/* Hashes of an ordinary run, and its vertices at every frame. */
static void run_ordinary(const rlt_scene *scene, uint64_t *hashes, double **vertices) {
    rlt_simulation *sim = NULL;
    rlt_simulation_def def = rlt_simulation_defaults();
    def.threads = 1;
    assert_int_equal(rlt_simulation_create(scene, &def, NULL, &sim), RLT_OK);
    for (int f = 0; f <= TICKS + 1; f++) {
        rlt_frame_view view = view_of(sim);
        size_t size = 3 * (size_t)view.vertex_count * sizeof(double);
        hashes[f] = rlt_simulation_hash(sim);
        vertices[f] = malloc(size);
        assert_non_null(vertices[f]);
        memcpy(vertices[f], view.vertices, size);
        assert_int_equal(rlt_simulation_advance(sim, NULL), RLT_OK);
    }
    rlt_simulation_destroy(sim);
}

static void the_motion_of_the_scene_gives_the_bytes_of_an_ordinary_run(void **state) {
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        uint64_t hashes[TICKS + 2];
        double *vertices[TICKS + 2];
        rlt_scene *scene = load(models[m], NULL);
        run_ordinary(scene, hashes, vertices);
        rlt_simulation *own = begin(scene, RLT_MOTION_DELAYED, 2);
        rlt_simulation *fed = begin(scene, RLT_MOTION_DELAYED, 1);
        step(own); /* one tick late */
        for (int f = 1; f <= TICKS; f++) {
            assert_true(rlt_simulation_hash(own) == hashes[f - 1]);
            step(own);
            const rlt_array given = {.data = vertices[f]};
            assert_int_equal(rlt_simulation_move_vertices(fed, &given, NULL), RLT_OK);
            step(fed);
            assert_true(rlt_simulation_hash(fed) == hashes[f - 1]);
            assert_memory_equal(view_of(fed).vertices, vertices[f - 1],
                                3 * (size_t)view_of(fed).vertex_count * sizeof(double));
        }
        assert_true(hashes[TICKS] != hashes[0]);
        for (int f = 0; f <= TICKS + 1; f++)
            free(vertices[f]);
        rlt_simulation_destroy(own);
        rlt_simulation_destroy(fed);
        rlt_scene_destroy(scene);
    }
}

/* Steps of any length are ticks: the same poses at the same times, the same bytes. */
static void ticks_do_not_depend_on_how_time_is_cut(void **state) {
    (void)state;
    rlt_scene *scene = load("rod", NULL);
    rlt_simulation *whole = begin(scene, RLT_MOTION_CAUSAL, 1), *cut = begin(scene, RLT_MOTION_CAUSAL, 1);
    double tick = rlt_simulation_tick(whole), left = 0.0;
    for (int k = 0; k < 4; k++)
        step(whole);
    for (int k = 0; k < 10; k++)
        assert_int_equal(rlt_simulation_step(cut, 0.3 * tick, NULL), RLT_OK);
    assert_int_equal(rlt_simulation_ticks(cut, &left), 3);
    assert_true(left == 0.0);
    assert_int_equal(rlt_simulation_step(cut, 1.5 * tick, NULL), RLT_OK);
    assert_int_equal(rlt_simulation_ticks(cut, &left), 4);
    assert_true(fabs(left - 0.5 * tick) < 1e-9);
    assert_true(rlt_simulation_hash(whole) == rlt_simulation_hash(cut));
    rlt_simulation_destroy(whole);
    rlt_simulation_destroy(cut);
    rlt_scene_destroy(scene);
}

/* ---- memory ---- */

static long long allocated;

int rlti_memory_watch(int change);

/* Stands in for the library's own, which always lets it. */
int rlti_memory_watch(int change) {
    if (change >= 0)
        __atomic_fetch_add(&allocated, 1, __ATOMIC_RELAXED);
    return 1;
}

static void steps_allocate_nothing(void **state) {
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        rlt_scene *scene = load(models[m], "hair.contact.enabled=off"); /* crowds may grow their lists */
        rlt_simulation *sim = begin(scene, RLT_MOTION_CAUSAL, 1);
        const double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1};
        double points[3000][3];
        const rlt_buffer out = {.data = points};
        assert_true(view_of(sim).point_count < 3000);
        assert_int_equal(rlt_simulation_step(sim, rlt_simulation_tick(sim), NULL), RLT_OK);
        long long before = allocated;
        for (int k = 0; k < 2; k++) {
            assert_int_equal(rlt_simulation_move(sim, NULL, matrix, NULL), RLT_OK);
            assert_int_equal(rlt_simulation_move_collider(sim, "hand", matrix, NULL), RLT_OK);
            assert_int_equal(rlt_simulation_step(sim, rlt_simulation_tick(sim), NULL), RLT_OK);
            assert_int_equal(rlt_simulation_read(sim, RLT_READ_POINTS, &out, NULL), RLT_OK);
        }
        assert_true(before > 0);
        assert_int_equal(allocated, before);
        rlt_simulation_destroy(sim);
        rlt_scene_destroy(scene);
    }
}

/* ---- a caller's task system ---- */

typedef struct tasks {
    int calls, jobs;
} tasks;

/* One after the other, last first. */
static void run_backwards(void *user, int count, rlt_job *job, void *context) {
    tasks *seen = user;
    seen->calls++;
    for (int i = count - 1; i >= 0; i--, seen->jobs++)
        job(context, i);
}

static void a_task_system_of_the_callers_gives_the_same_bytes(void **state) {
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        tasks seen = {0};
        rlt_scene *scene = load(models[m], NULL);
        rlt_simulation *own = begin(scene, RLT_MOTION_CAUSAL, 1), *lent = NULL;
        rlt_live_def def = rlt_live_defaults();
        rlt_simulation_def run = rlt_simulation_defaults();
        run.threads = 3;
        run.run = run_backwards;
        run.run_user = &seen;
        def.simulation = &run;
        def.scene = scene;
        assert_int_equal(rlt_live_create(&def, NULL, &lent), RLT_OK);
        for (int k = 0; k < 3; k++) {
            step(own);
            step(lent);
        }
        assert_true(rlt_simulation_hash(own) == rlt_simulation_hash(lent));
        assert_true(seen.calls > 3 && seen.jobs > seen.calls);
        rlt_simulation_destroy(own);
        rlt_simulation_destroy(lent);
        rlt_scene_destroy(scene);
    }
}

/* ---- states ---- */

static void *save(rlt_simulation *sim, size_t *size) {
    assert_int_equal(rlt_simulation_save(sim, NULL, 0, size, NULL), RLT_OK);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(rlt_simulation_save(sim, bytes, *size - 1, size, NULL), RLT_BAD_INPUT);
    assert_int_equal(rlt_simulation_save(sim, bytes, *size, size, NULL), RLT_OK);
    return bytes;
}

static void shift_head(rlt_simulation *sim, double x, double y) {
    const double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, 0, 1};
    assert_int_equal(rlt_simulation_move(sim, NULL, matrix, NULL), RLT_OK);
}

static void the_same_state_gives_the_same_following_bytes(void **state) {
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        size_t size = 0, again = 0;
        uint64_t hashes[3];
        rlt_scene *scene = load(models[m], NULL);
        rlt_simulation *sim = begin(scene, m == 1 ? RLT_MOTION_DELAYED : RLT_MOTION_CAUSAL, 1);
        rlt_simulation *other = begin(scene, m == 1 ? RLT_MOTION_DELAYED : RLT_MOTION_CAUSAL, 2);
        const int points[1] = {10};
        const double place[3] = {10, 10, 10};
        const rlt_array target = {.data = place};
        for (int k = 0; k < 3; k++) {
            shift_head(sim, k, 0);
            step(sim);
        }
        assert_int_equal(rlt_simulation_pull(sim, 1, points, &target, 500.0, NULL), RLT_OK);
        void *bytes = save(sim, &size);
        for (int k = 0; k < 3; k++) {
            shift_head(sim, 3, k);
            step(sim);
            hashes[k] = rlt_simulation_hash(sim);
        }
        assert_int_equal(rlt_simulation_load(sim, bytes, size, NULL), RLT_OK);
        assert_int_equal(rlt_simulation_load(other, bytes, size, NULL), RLT_OK);
        void *copy = save(other, &again);
        assert_int_equal(size, again);
        assert_memory_equal(bytes, copy, size);
        for (int k = 0; k < 3; k++) {
            shift_head(sim, 3, k);
            shift_head(other, 3, k);
            step(sim);
            step(other);
            assert_true(rlt_simulation_hash(sim) == hashes[k]);
            assert_true(rlt_simulation_hash(other) == hashes[k]);
        }
        ((unsigned char *)bytes)[size / 2] ^= 1; /* damaged */
        assert_int_equal(rlt_simulation_load(sim, bytes, size, NULL), RLT_BAD_INPUT);
        assert_int_equal(rlt_simulation_load(sim, bytes, size / 2, NULL), RLT_BAD_INPUT);
        assert_true(rlt_simulation_hash(sim) == hashes[2]);
        free(bytes);
        free(copy);
        rlt_simulation_destroy(sim);
        rlt_simulation_destroy(other);
        rlt_scene_destroy(scene);
    }
}

/* ---- values ---- */

static void check_set(const char *model, const char *override) {
    size_t size = 0;
    rlt_scene *scene = load(model, NULL), *other = load(model, override);
    rlt_simulation *sim = begin(scene, RLT_MOTION_CAUSAL, 1), *fresh = begin(other, RLT_MOTION_CAUSAL, 1);
    rlt_messages *messages = rlt_messages_create();
    step(sim);
    step(sim);
    void *bytes = save(sim, &size);
    if (rlt_simulation_set(sim, &override, 1, messages) != RLT_OK)
        fail_msg("%s: %s", override, rlt_messages_text(messages, rlt_messages_count(messages) - 1));
    assert_int_equal(rlt_simulation_load(fresh, bytes, size, NULL), RLT_OK);
    for (int k = 0; k < 2; k++) {
        step(sim);
        step(fresh);
        if (rlt_simulation_hash(sim) != rlt_simulation_hash(fresh))
            fail_msg("%s, %s: tick %d differs from that of a simulation made so", model, override, k);
    }
    /* and it does something */
    rlt_simulation *old = begin(scene, RLT_MOTION_CAUSAL, 1);
    assert_int_equal(rlt_simulation_load(old, bytes, size, NULL), RLT_OK);
    step(old);
    step(old);
    if (rlt_simulation_hash(old) == rlt_simulation_hash(sim))
        fail_msg("%s, %s: changes nothing", model, override);
    free(bytes);
    rlt_messages_destroy(messages);
    rlt_simulation_destroy(sim);
    rlt_simulation_destroy(fresh);
    rlt_simulation_destroy(old);
    rlt_scene_destroy(scene);
    rlt_scene_destroy(other);
}

static void values_change_as_if_it_had_been_made_with_them(void **state) {
    (void)state;
    check_set("taz", "wind.velocity=[0, 0, 200]");
    check_set("taz", "wind.strength=0.2");
    check_set("taz", "gravity=[0, 300, 0]");
    check_set("taz", "hair.bend.stiffness=3000");
    check_set("taz", "hair.contact.stiffness=9000"); /* they push each other from the start */
    check_set("rod", "hair.rod.young=1e9");
    check_set("rod", "hair.rod.damping=0.1");
    check_set("coil", "hair.coil.bend=3");
    check_set("coil", "hair.drag=5");
}

static void a_scene_that_is_changed_knows_each_key_once(void **state) {
    (void)state;
    rlt_scene *scene = load("rod", "hair.count=7"), *a = NULL, *b = NULL;
    const char *more[2] = {"hair.count=8", "gravity=[0, 0, 0]"}, *last = "hair.count = 9";
    const char *wrong = "hair.count=many";
    assert_int_equal(rlt_scene_change(scene, more, 2, NULL, &a), RLT_OK);
    assert_int_equal(rlt_scene_change(a, &last, 1, NULL, &b), RLT_OK);
    assert_string_equal(rlt_scene_text(b), text);
    assert_string_equal(rlt_scene_override(b, 0), "hair.model=rod");
    assert_string_equal(rlt_scene_override(b, 1), "gravity=[0, 0, 0]");
    assert_string_equal(rlt_scene_override(b, 2), "hair.count = 9");
    assert_null(rlt_scene_override(b, 3));
    rlt_scene_destroy(a);
    assert_int_equal(rlt_scene_change(b, &wrong, 1, NULL, &a), RLT_BAD_INPUT);
    assert_null(a);
    rlt_scene_destroy(scene);
    rlt_scene_destroy(b);
}

static void values_that_need_a_rebuild_say_so(void **state) {
    (void)state;
    rlt_scene *scene = load("rod", NULL);
    rlt_simulation *sim = begin(scene, RLT_MOTION_CAUSAL, 1);
    rlt_messages *messages = rlt_messages_create();
    const char *length = "hair.length=20", *count = "hair.count=30", *wrong = "hair.rod.young=-1";
    const char *young = "hair.rod.young=2e9";
    int kept = 1, known = 0;
    rlt_schema_entry entry = {.size = sizeof entry};
    for (int i = 0; rlt_schema_get(i, &entry); i++) {
        known += strcmp(entry.key, "wind.velocity") == 0 && entry.live == RLT_LIVE_SET;
        known += strcmp(entry.key, "hair.count") == 0 && entry.live == RLT_LIVE_REBUILD;
        known += strcmp(entry.key, "hair.look.tilt") == 0 && entry.live == RLT_LIVE_LOOK &&
                 entry.group_length == 9 && entry.minimum == -10.0 && entry.maximum == 10.0;
    }
    assert_int_equal(known, 3);
    step(sim);
    uint64_t hash = rlt_simulation_hash(sim);
    assert_int_equal(rlt_simulation_set(sim, &length, 1, messages), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "hair.length"));
    assert_non_null(strstr(rlt_messages_text(messages, 0), "rlt_simulation_rebuild"));
    assert_int_equal(rlt_simulation_set(sim, &wrong, 1, messages), RLT_BAD_INPUT);
    assert_true(rlt_simulation_hash(sim) == hash);

    assert_int_equal(rlt_simulation_rebuild(sim, NULL, &young, 1, NULL, &kept), RLT_OK);
    assert_int_equal(kept, 1);
    assert_true(rlt_simulation_hash(sim) == hash);
    assert_int_equal(rlt_simulation_rebuild(sim, NULL, &count, 1, NULL, &kept), RLT_OK);
    assert_int_equal(kept, 0);
    assert_int_equal(view_of(sim).strand_count, 30);
    assert_string_equal(rlt_scene_override(rlt_simulation_scene(sim), 2), "hair.count=30");
    step(sim);
    assert_int_equal(rlt_simulation_rebuild(sim, NULL, &wrong, 1, NULL, &kept), RLT_BAD_INPUT);
    step(sim);
    rlt_messages_destroy(messages);
    rlt_simulation_destroy(sim);
    rlt_scene_destroy(scene);
}

/* ---- a caller's body and hair ---- */

/* A tetrahedron with three hairs on it. */
static const double corners[4][3] = {{0, 0, 0}, {8, 0, 0}, {0, 8, 0}, {0, 0, 8}};
static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
enum { HAIRS = 3, EACH = 8 };

typedef struct vertex { /* as a game has them */
    float place[3], normal[3], uv[2];
} vertex;

static void fill_hair(double points[HAIRS * EACH][3], vertex *floats) {
    for (int h = 0; h < HAIRS; h++)
        for (int p = 0; p < EACH; p++) {
            double *to = points[h * EACH + p];
            to[0] = 2.0 + h + 0.75 * p;
            to[1] = 3.0 + 0.75 * p - 0.5 * h;
            to[2] = 3.0 + 0.75 * p - 0.5 * h;
            for (int k = 0; k < 3; k++)
                floats[h * EACH + p].place[k] = (float)to[k];
        }
}

static rlt_simulation *begin_given(const char *model, int as_floats, int bound, rlt_live_motion motion) {
    static const int counts[HAIRS] = {EACH, EACH, EACH}, triangles[HAIRS] = {3, 3, -1};
    char yaml[96];
    double points[HAIRS * EACH][3];
    vertex floats[HAIRS * EACH], body_floats[4];
    rlt_live_groom groom = rlt_live_groom_defaults();
    rlt_live_body body = rlt_live_body_defaults();
    rlt_live_def def = rlt_live_defaults();
    rlt_scene *scene = NULL;
    rlt_simulation *sim = NULL;
    rlt_messages *messages = rlt_messages_create();
    snprintf(yaml, sizeof yaml, "hair: {count: 1, model: %s, rod: {steps: 1}}\n", model);
    assert_int_equal(rlt_scene_load_text("given", yaml, strlen(yaml), NULL, 0, NULL, &scene), RLT_OK);
    fill_hair(points, floats);
    for (int v = 0; v < 4; v++)
        for (int k = 0; k < 3; k++)
            body_floats[v].place[k] = (float)corners[v][k];
    groom.strand_count = HAIRS;
    groom.counts = counts;
    groom.points = as_floats ? (rlt_array){floats, RLT_FLOAT, sizeof(vertex)} : (rlt_array){.data = points};
    groom.root_triangles = bound ? triangles : NULL;
    body.vertex_count = body.triangle_count = 4;
    body.vertices =
        as_floats ? (rlt_array){body_floats, RLT_FLOAT, sizeof(vertex)} : (rlt_array){.data = corners};
    body.triangles = faces[0];
    def.scene = scene;
    def.groom = &groom;
    def.body = &body;
    def.motion = motion;
    if (rlt_live_create(&def, messages, &sim) != RLT_OK)
        fail_msg("%s", rlt_messages_text(messages, rlt_messages_count(messages) - 1));
    rlt_messages_destroy(messages);
    rlt_scene_destroy(scene);
    return sim;
}

static void move_corners(rlt_simulation *sim, double x) {
    double moved[4][3];
    const rlt_array vertices = {.data = moved};
    memcpy(moved, corners, sizeof moved);
    for (int v = 0; v < 4; v++)
        moved[v][0] += x;
    assert_int_equal(rlt_simulation_move_vertices(sim, &vertices, NULL), RLT_OK);
}

static void arrays_of_the_caller_become_hair_on_a_body(void **state) {
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        rlt_simulation *a = begin_given(models[m], 0, 0, RLT_MOTION_CAUSAL);
        rlt_simulation *b = begin_given(models[m], 1, 0, RLT_MOTION_CAUSAL);
        rlt_simulation *c = begin_given(models[m], 0, 1, RLT_MOTION_CAUSAL);
        vertex seen[HAIRS * EACH];
        double points[HAIRS * EACH][3], turns[HAIRS][4], frames[HAIRS * EACH][9], rest[HAIRS * EACH][3];
        const rlt_buffer out = {seen, RLT_FLOAT, sizeof(vertex)}, all = {.data = points};
        int numbers = 0;
        fill_hair(rest, seen);
        assert_int_equal(rlt_simulation_read(a, RLT_READ_POINTS, &all, NULL), RLT_OK);
        for (int p = 0; p < HAIRS * EACH; p++)
            assert_true(fabs(points[p][0] - rest[p][0]) < 1e-5);
        for (int k = 1; k < 5; k++) {
            move_corners(a, 0.5 * k);
            move_corners(b, 0.5 * k);
            move_corners(c, 0.5 * k);
            step(a);
            step(b);
            step(c);
        }
        assert_true(rlt_simulation_hash(a) == rlt_simulation_hash(b));
        assert_int_equal(rlt_simulation_read_count(a, RLT_READ_FRAMES, &numbers), HAIRS * EACH);
        assert_int_equal(numbers, 9);
        assert_int_equal(rlt_simulation_read(a, RLT_READ_POINTS, &all, NULL), RLT_OK);
        assert_int_equal(rlt_simulation_read(a, RLT_READ_POINTS, &out, NULL), RLT_OK);
        assert_true(fabs(points[0][0] - (rest[0][0] + 2.0)) < 1e-4); /* the root goes along */
        assert_true((double)seen[5].place[1] == (double)(float)points[5][1]);
        const rlt_buffer turned = {.data = turns}, framed = {.data = frames};
        assert_int_equal(rlt_simulation_read(a, RLT_READ_TURNS, &turned, NULL), RLT_OK);
        assert_true(fabs(turns[0][3] - 1.0) < 1e-9);
        rlt_status has = rlt_simulation_read(a, RLT_READ_FRAMES, &framed, NULL);
        assert_true(has == RLT_OK || m == 2);
        /* the third hair of c is on no triangle: it stays, since nothing moves the character as a whole */
        assert_int_equal(rlt_simulation_read(c, RLT_READ_POINTS, &all, NULL), RLT_OK);
        assert_true(fabs(points[0][0] - (rest[0][0] + 2.0)) < 1e-4);
        assert_true(fabs(points[(HAIRS - 1) * EACH][0] - rest[(HAIRS - 1) * EACH][0]) < 1e-9);
        rlt_simulation_destroy(a);
        rlt_simulation_destroy(b);
        rlt_simulation_destroy(c);
    }
}

/* Roots that are given move as vertices would move them. */
static void roots_can_be_moved_themselves(void **state) {
    (void)state;
    rlt_simulation *a = begin_given("rod", 0, 0, RLT_MOTION_CAUSAL);
    rlt_simulation *b = begin_given("rod", 0, 0, RLT_MOTION_CAUSAL);
    double roots[HAIRS][3], seen[2][HAIRS * EACH][3], turns[HAIRS][4] = {{0}};
    const rlt_buffer read = {.data = roots};
    const rlt_array moved = {.data = roots}, still = {.data = turns};
    assert_int_equal(rlt_simulation_move_roots(b, &moved, &still, NULL),
                     RLT_BAD_INPUT); /* quaternions of 0 */
    for (int k = 1; k < 5; k++) {
        move_corners(a, 0.4 * k);
        step(a);
        assert_int_equal(rlt_simulation_read(a, RLT_READ_ROOTS, &read, NULL), RLT_OK);
        assert_int_equal(rlt_simulation_move_roots(b, &moved, NULL, NULL), RLT_OK);
        step(b);
    }
    const rlt_buffer ours = {.data = seen[0]}, theirs = {.data = seen[1]};
    assert_int_equal(rlt_simulation_read(a, RLT_READ_POINTS, &ours, NULL), RLT_OK);
    assert_int_equal(rlt_simulation_read(b, RLT_READ_POINTS, &theirs, NULL), RLT_OK);
    for (int p = 0; p < HAIRS * EACH; p++) /* but for the body, which did not come along */
        assert_true(fabs(seen[0][p][0] - seen[1][p][0]) < 0.5);
    assert_true(fabs(seen[0][0][0] - seen[1][0][0]) < 1e-6);
    rlt_simulation_destroy(a);
    rlt_simulation_destroy(b);
}

/* ---- motion ---- */

/* Where a root is, and how fast: with one hair of one model that follows its root. */
static void root_of(const rlt_simulation *sim, double x[3], double v[3]) {
    double points[HAIRS * EACH][3], velocities[HAIRS * EACH][3];
    const rlt_buffer a = {.data = points}, b = {.data = velocities};
    assert_int_equal(rlt_simulation_read(sim, RLT_READ_POINTS, &a, NULL), RLT_OK);
    assert_int_equal(rlt_simulation_read(sim, RLT_READ_VELOCITIES, &b, NULL), RLT_OK);
    memcpy(x, points[0], sizeof points[0]);
    memcpy(v, velocities[0], sizeof velocities[0]);
}

/* A causal motion ends each tick with the velocity of the last difference of poses. */
static void causal_motion_is_where_it_is_told_and_as_fast_as_it_came(void **state) {
    (void)state;
    rlt_simulation *sim = begin_given("taz", 0, 0, RLT_MOTION_CAUSAL);
    double x[3], v[3], begun[3], rate = 1.0 / rlt_simulation_tick(sim);
    static const double path[] = {0.0, 1.0, 3.0, 3.0, 3.0, 2.0};
    root_of(sim, begun, v);
    for (int k = 1; k < 6; k++) {
        move_corners(sim, path[k]);
        step(sim);
        root_of(sim, x, v);
        assert_true(fabs(x[0] - begun[0] - path[k]) < 1e-5);
        assert_true(fabs(v[0] - (path[k] - path[k - 1]) * rate) < 0.02 * rate);
    }
    rlt_simulation_destroy(sim);
}

static void a_body_that_jumps_takes_its_hair_along(void **state) {
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        rlt_simulation *sim = begin_given(models[m], 0, 0, RLT_MOTION_CAUSAL);
        rlt_simulation *still = begin_given(models[m], 0, 0, RLT_MOTION_CAUSAL);
        double before[HAIRS * EACH][3], after[HAIRS * EACH][3], x[3], v[3];
        const rlt_buffer a = {.data = before}, b = {.data = after};
        for (int k = 0; k < 2; k++) {
            step(sim);
            step(still);
        }
        move_corners(sim, 100.0); /* a metre in a tick */
        step(sim);
        step(still);
        assert_int_equal(rlt_simulation_read(still, RLT_READ_POINTS, &a, NULL), RLT_OK);
        assert_int_equal(rlt_simulation_read(sim, RLT_READ_POINTS, &b, NULL), RLT_OK);
        for (int p = 0; p < HAIRS * EACH; p++) /* its shape is that of hair whose body stood still */
            for (int k = 0; k < 3; k++)
                assert_true(fabs(after[p][k] - before[p][k] - (k == 0 ? 100.0 : 0.0)) < 0.05);
        root_of(sim, x, v);
        assert_true(fabs(v[0]) < 1.0);
        for (int k = 0; k < 3; k++)
            step(sim);
        rlt_simulation_destroy(sim);
        rlt_simulation_destroy(still);
    }
}

/* ---- pulling ---- */

static void a_point_that_is_pulled_comes_and_goes(void **state) {
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        rlt_simulation *sim = begin_given(models[m], 0, 0, RLT_MOTION_CAUSAL);
        const int tip[1] = {EACH - 1};
        double points[HAIRS * EACH][3], target[3], distance[3] = {0};
        const rlt_array to = {.data = target};
        const rlt_buffer out = {.data = points};
        for (int k = 0; k < 12; k++)
            step(sim);
        assert_int_equal(rlt_simulation_read(sim, RLT_READ_POINTS, &out, NULL), RLT_OK);
        memcpy(target, points[EACH - 1], sizeof target);
        target[0] -= 1.5; /* across the hair, which does not stretch, and away from the body */
        target[1] += 1.5;
        for (int phase = 0; phase < 2; phase++) { /* drag it, let it go */
            assert_int_equal(rlt_simulation_pull(sim, phase == 0, tip, &to, 1e6, NULL), RLT_OK);
            for (int k = 0; k < 16; k++)
                step(sim);
            assert_int_equal(rlt_simulation_read(sim, RLT_READ_POINTS, &out, NULL), RLT_OK);
            for (int k = 0; k < 3; k++)
                distance[phase] += (points[EACH - 1][k] - target[k]) * (points[EACH - 1][k] - target[k]);
        }
        if (!(sqrt(distance[0]) < 0.55 * sqrt(distance[1])) || !(sqrt(distance[1]) > 1.5))
            fail_msg("%s: %g while it is pulled, %g after", models[m], sqrt(distance[0]), sqrt(distance[1]));
        rlt_simulation_destroy(sim);
    }
}

/* ---- what is refused ---- */

static void absurd_numbers_are_refused_and_change_nothing(void **state) {
    (void)state;
    rlt_simulation *sim = begin_given("rod", 0, 0, RLT_MOTION_CAUSAL), *same = begin_given("rod", 0, 0, 0);
    rlt_messages *messages = rlt_messages_create();
    double bad[4][3], scaled[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1};
    const rlt_array vertices = {.data = bad};
    const int points[2] = {3, 3};
    memcpy(bad, corners, sizeof bad);
    bad[2][1] = NAN;
    assert_int_equal(rlt_simulation_move_vertices(sim, &vertices, messages), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "element 2"));
    bad[2][1] = 1e30;
    assert_int_equal(rlt_simulation_move_vertices(sim, &vertices, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_simulation_move_roots(sim, &vertices, NULL, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_simulation_move(sim, NULL, scaled, messages), RLT_BAD_INPUT);
    scaled[0] = INFINITY;
    assert_int_equal(rlt_simulation_move(sim, NULL, scaled, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_simulation_move(sim, "tail", NULL, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_simulation_move_collider(sim, "hand", NULL, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_simulation_pull(sim, 2, points, &vertices, 100.0, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_simulation_pull(sim, 1, points, &vertices, NAN, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_simulation_step(sim, NAN, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_simulation_step(sim, 0.0, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_simulation_step(sim, 1e9, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_simulation_seek(sim, 2000000000, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_checkpoint_write("live.checkpoint", sim, NULL, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_checkpoint_read("live.checkpoint", sim, messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_simulation_read(sim, (rlt_read)99, NULL, messages), RLT_BAD_INPUT);
    step(sim);
    step(same);
    assert_true(rlt_simulation_hash(sim) == rlt_simulation_hash(same));
    rlt_messages_destroy(messages);
    rlt_simulation_destroy(sim);
    rlt_simulation_destroy(same);
}

static void a_simulation_that_diverged_can_be_loaded_and_reset(void **state) {
    (void)state;
    size_t size = 0;
    rlt_simulation *sim = begin_given("rod", 0, 0, RLT_MOTION_CAUSAL);
    const char *slow = "health.speed_limit=1", *fast = "health.speed_limit=20000";
    step(sim);
    void *bytes = save(sim, &size);
    uint64_t begun = rlt_simulation_hash(sim);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(rlt_simulation_set(sim, &slow, 1, NULL), RLT_OK);
        move_corners(sim, 5.0);
        assert_int_equal(rlt_simulation_step(sim, rlt_simulation_tick(sim), NULL), RLT_DIVERGED);
        assert_int_equal(rlt_simulation_step(sim, rlt_simulation_tick(sim), NULL), RLT_DIVERGED);
        assert_int_equal(rlt_simulation_save(sim, NULL, 0, &size, NULL), RLT_DIVERGED);
        assert_int_equal(rlt_simulation_set(sim, &fast, 1, NULL), RLT_OK);
        if (round == 0) {
            assert_int_equal(rlt_simulation_load(sim, bytes, size, NULL), RLT_OK);
            assert_true(rlt_simulation_hash(sim) == begun);
        } else {
            double x[3], v[3];
            assert_int_equal(rlt_simulation_reset(sim, NULL), RLT_OK);
            root_of(sim, x, v);
            assert_true(fabs(x[0] - 7.0) < 1e-5); /* where it was moved to */
            assert_true(v[0] == 0.0);
        }
        step(sim);
    }
    free(bytes);
    rlt_simulation_destroy(sim);
}

/* A sphere that is moved by its matrix pushes hair away. */
static void a_collider_is_where_its_matrix_says(void **state) {
    (void)state;
    rlt_scene *scene = load("rod", "motion.kind=still");
    rlt_simulation *sim = begin(scene, RLT_MOTION_CAUSAL, 1), *none = begin(scene, RLT_MOTION_CAUSAL, 1);
    double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    for (int k = 1; k <= 8; k++) {
        matrix[12] = -2.5 * k; /* from beside the head to it */
        assert_int_equal(rlt_simulation_move_collider(sim, "hand", matrix, NULL), RLT_OK);
        step(sim);
        step(none);
    }
    assert_true(rlt_simulation_hash(sim) != rlt_simulation_hash(none));
    rlt_frame_view a = view_of(sim);
    for (int p = 0; p < a.point_count; p++) {
        rlti_vec3 arm = rlti_sub(rlti_v3_at(a.points, p), rlti_v3(10, 0, 0));
        assert_true(rlti_length(arm) > 4.5);
    }
    rlt_simulation_destroy(sim);
    rlt_simulation_destroy(none);
    rlt_scene_destroy(scene);
}

static int says(const rlt_messages *messages, const char *what) {
    for (int i = 0; i < rlt_messages_count(messages); i++)
        if (strstr(rlt_messages_text(messages, i), what) != NULL)
            return 1;
    return 0;
}

/* Too large a scene gets fewer guides and longer steps, and says so; one that fits stays as it is. */
static void a_scene_is_fitted_to_what_a_machine_can_do(void **state) {
    (void)state;
    rlt_scene *scenes[2] = {load("rod", "hair.count=4"), load("taz", "hair.count=900")};
    rlt_scene *fitted[2] = {NULL, NULL};
    rlt_messages *messages = rlt_messages_create();
    rlt_live_budget budget = rlt_live_budget_defaults();
    assert_int_equal(rlt_live_fit(scenes[0], NULL, messages, &fitted[0]), RLT_OK);
    assert_false(says(messages, "live: ")); /* but a word of the scene of that name, "live:5:40: " */
    assert_int_equal(rlt_live_fit(scenes[1], &budget, messages, &fitted[1]), RLT_OK);
    assert_true(says(messages, "guides instead of 900"));
    assert_true(says(messages, "model rod in place of taz"));
    rlt_simulation *sim = begin(fitted[1], RLT_MOTION_CAUSAL, 1);
    int strands = view_of(sim).strand_count;
    assert_true(strands > 20 && strands < 900);
    step(sim);
    rlt_scene_destroy(fitted[0]);
    budget.cores = 1; /* about half of it */
    assert_int_equal(rlt_live_fit(scenes[1], &budget, NULL, &fitted[0]), RLT_OK);
    rlt_simulation *half = begin(fitted[0], RLT_MOTION_CAUSAL, 1);
    assert_true(view_of(half).strand_count < 0.6 * strands);
    budget.rate = 0.0;
    rlt_scene *none = NULL;
    assert_int_equal(rlt_live_fit(scenes[1], &budget, NULL, &none), RLT_BAD_INPUT);
    for (int k = 0; k < 2; k++) {
        rlt_scene_destroy(scenes[k]);
        rlt_scene_destroy(fitted[k]);
    }
    rlt_messages_destroy(messages);
    rlt_simulation_destroy(sim);
    rlt_simulation_destroy(half);
}

/* Play, pause, go to a frame; a bone that is turned. */
static void its_own_motion_can_be_stopped_and_turned(void **state) {
    (void)state;
    rlt_scene *scene = load("rod", NULL);
    rlt_simulation *sim = begin(scene, RLT_MOTION_CAUSAL, 1);
    const double quarter[16] = {0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}; /* about y */
    double turns[18][4];
    const rlt_buffer out = {.data = turns};
    assert_true(rlt_simulation_is_live(sim));
    step(sim);
    assert_int_equal(rlt_simulation_motion_frame(sim), 2);
    assert_int_equal(rlt_simulation_play(sim, 0, NULL), RLT_OK);
    step(sim);
    double before = view_of(sim).vertices[0];
    step(sim);
    assert_true(view_of(sim).vertices[0] == before);
    assert_int_equal(rlt_simulation_motion_frame(sim), 2);
    assert_int_equal(rlt_simulation_seek(sim, 1, NULL), RLT_OK); /* at rest */
    assert_int_equal(rlt_simulation_move(sim, "head", quarter, NULL), RLT_OK);
    for (int k = 0; k < 2; k++)
        step(sim);
    assert_int_equal(rlt_simulation_motion_frame(sim), 1);
    assert_int_equal(rlt_simulation_read(sim, RLT_READ_TURNS, &out, NULL), RLT_OK);
    double seen = 2.0 * atan2(turns[0][1], turns[0][3]);
    assert_true(fabs(fabs(seen) - 0.5 * RLTI_PI) < 0.2); /* skin near the neck goes along in part */
    assert_int_equal(rlt_simulation_move(sim, "head", NULL, NULL), RLT_OK);
    step(sim);
    assert_int_equal(rlt_simulation_read(sim, RLT_READ_TURNS, &out, NULL), RLT_OK);
    assert_true(fabs(turns[0][1]) < 1e-9);
    rlt_simulation_destroy(sim);
    rlt_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_motion_of_the_scene_gives_the_bytes_of_an_ordinary_run),
        cmocka_unit_test(ticks_do_not_depend_on_how_time_is_cut),
        cmocka_unit_test(a_task_system_of_the_callers_gives_the_same_bytes),
        cmocka_unit_test(the_same_state_gives_the_same_following_bytes),
        cmocka_unit_test(values_change_as_if_it_had_been_made_with_them),
        cmocka_unit_test(a_scene_that_is_changed_knows_each_key_once),
        cmocka_unit_test(values_that_need_a_rebuild_say_so),
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(arrays_of_the_caller_become_hair_on_a_body),
        cmocka_unit_test(roots_can_be_moved_themselves),
        cmocka_unit_test(causal_motion_is_where_it_is_told_and_as_fast_as_it_came),
        cmocka_unit_test(a_body_that_jumps_takes_its_hair_along),
        cmocka_unit_test(a_point_that_is_pulled_comes_and_goes),
        cmocka_unit_test(absurd_numbers_are_refused_and_change_nothing),
        cmocka_unit_test(a_simulation_that_diverged_can_be_loaded_and_reset),
        cmocka_unit_test(a_collider_is_where_its_matrix_says),
        cmocka_unit_test(a_scene_is_fitted_to_what_a_machine_can_do),
        cmocka_unit_test(its_own_motion_can_be_stopped_and_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
