/* Allocation faults in scenes, simulations, checkpoints and plans: see faults_fixture.h. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "faults_files.h"

#define CHECKPOINT "state.checkpoint"

/* A scene of everything that acts on hair, with the files of scenes/files. */
static const char everything[] =
    "time: {first: 1, last: 9, outer_steps: 4, force_steps: 4, damping_steps: 2}\n"
    "health: {check_steps: off}\n"
    "character: {kind: file, file: brow.usda}\n"
    "wind: {velocity: [300, 0, 100], turbulence: 50, gust_strength: 0.4}\n"
    "colliders:\n"
    "  - {name: skin, kind: body}\n"
    "  - {name: bust, kind: mesh, file: bust.usda, group: fields}\n"
    "  - {name: ball, kind: sphere, position: [0, 2, 0], radius: 0.5, group: fields}\n"
    "  - {name: rod, kind: capsule, position: [0, 2, 0], end: [1, 2, 0], radius: 0.5, group: fields}\n"
    "hair:\n"
    "  - name: wet\n"
    "    preset: straight\n"
    "    region: all\n"
    "    sag: {mode: solve}\n"
    "    collide: {groups: [all]}\n"
    "    contact: {enabled: on, radius: 0.3}\n"
    "    prune: {random: 0}\n"
    "    reshape: {groom: dry, blend: [[1, 1], [3, 0]]}\n"
    "    strands:\n"
    "      - [[-3, 0, -3], [-3, 0.6, -2.1], [-3, 1.2, -1.2], [-3, 1.8, -0.3], [-3, 2.4, 0.6], [-3, 3, 1.5]]\n"
    "      - [[-2.8, 0, -3], [-2.8, 0.6, -2.1], [-2.8, 1.2, -1.2], [-2.8, 1.8, -0.3], [-2.8, 2.4, 0.6], "
    "[-2.8, 3, 1.5]]\n"
    "      - [[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 3, 0]]\n"
    "      - [[0.2, 0, 0], [0.2, 1, 0], [0.2, 2, 0], [0.2, 3, 0]]\n"
    "  - name: dry\n"
    "    role: shape\n"
    "    preset: straight\n"
    "    region: all\n"
    "    strands:\n"
    "      - [[-3, 0, -3], [-3, 0.6, -2], [-3, 1.2, -1.2], [-3, 1.8, -0.3], [-3, 2.4, 0.6], [-3, 3, 1.5]]\n"
    "      - [[-2.8, 0, -3], [-2.8, 0.6, -2.1], [-2.8, 1.2, -1.2], [-2.8, 1.8, -0.3], [-2.8, 2.4, 0.6], "
    "[-2.8, 3, 1.5]]\n"
    "      - [[0, 0, 0], [0, 1, 0], [0, 2, 0.1], [0, 3, 0]]\n"
    "      - [[0.2, 0, 0], [0.2, 1, 0], [0.2, 2, 0], [0.2, 3, 0.2]]\n"
    "constraints:\n"
    "  - {name: a, kind: centroid, stiffness: 10}\n"
    "  - {name: b, kind: scalp, stiffness: 10}\n"
    "  - {name: c, kind: pin, along: [0.2, 0.4]}\n"
    "  - {name: d, kind: attach, object: ball, along: [0.9, 1]}\n"
    "  - {name: e, kind: tips, along: [0.8, 1], touch: 3}\n"
    "  - {name: f, kind: bound, hold: hard}\n"
    "  - {name: g, kind: blend, ramp: [[0, 1], [1, 0]]}\n"
    "  - {name: h, kind: pose, frame: 3, lead: 2}\n"
    "  - {name: i, kind: freeze, weight: [[0, 0], [1, 1]]}\n"
    "  - {name: j, kind: field, object: skin, range: 1, stiffness: 100}\n"
    "  - {name: k, kind: field, object: bust, range: 1, stiffness: 100}\n"
    "  - {name: l, kind: pin, target: shape, shape: dry, stiffness: 5}\n";

/* Two strands that are brought together: their lists of near points grow in the first frame. */
static const char crowding[] =
    "time: {first: 1, last: 9, outer_steps: 12, force_steps: 40, damping_steps: 10}\n"
    "health: {check_steps: off}\n"
    "character: {kind: none}\n"
    "gravity: [0, 0, 0]\n"
    "hair:\n"
    "  - name: apart\n"
    "    preset: straight\n"
    "    contact: {enabled: on, radius: 0.6, stiffness: 1}\n"
    "    prune: {particles: off, pairs: off, random: 0}\n"
    "    strands:\n"
    "      - [[-1.5, 0, 0], [-1.5, 0.5, 0], [-1.5, 1, 0], [-1.5, 1.5, 0], [-1.5, 2, 0], "
    "[-1.5, 2.5, 0], [-1.5, 3, 0], [-1.5, 3.5, 0], [-1.5, 4, 0], [-1.5, 4.5, 0], [-1.5, 5, 0], "
    "[-1.5, 5.5, 0], [-1.5, 6, 0], [-1.5, 6.5, 0], [-1.5, 7, 0], [-1.5, 7.5, 0], [-1.5, 8, 0], "
    "[-1.5, 8.5, 0], [-1.5, 9, 0], [-1.5, 9.5, 0]]\n"
    "      - [[1.5, 0, 0], [1.5, 0.5, 0], [1.5, 1, 0], [1.5, 1.5, 0], [1.5, 2, 0], [1.5, 2.5, 0], "
    "[1.5, 3, 0], [1.5, 3.5, 0], [1.5, 4, 0], [1.5, 4.5, 0], [1.5, 5, 0], [1.5, 5.5, 0], "
    "[1.5, 6, 0], [1.5, 6.5, 0], [1.5, 7, 0], [1.5, 7.5, 0], [1.5, 8, 0], [1.5, 8.5, 0], "
    "[1.5, 9, 0], [1.5, 9.5, 0]]\n"
    "  - name: together\n"
    "    role: shape\n"
    "    preset: straight\n"
    "    strands:\n"
    "      - [[-1.5, 0, 0], [-1, 0.5, 0], [-0.5, 1, 0], [0, 1.5, 0], [0, 2, 0], [0, 2.5, 0], "
    "[0, 3, 0], [0, 3.5, 0], [0, 4, 0], [0, 4.5, 0], [0, 5, 0], [0, 5.5, 0], [0, 6, 0], "
    "[0, 6.5, 0], [0, 7, 0], [0, 7.5, 0], [0, 8, 0], [0, 8.5, 0], [0, 9, 0], [0, 9.5, 0]]\n"
    "      - [[1.5, 0, 0], [1, 0.5, 0], [0.5, 1, 0], [0, 1.5, 0], [0, 2, 0], [0, 2.5, 0], "
    "[0, 3, 0], [0, 3.5, 0], [0, 4, 0], [0, 4.5, 0], [0, 5, 0], [0, 5.5, 0], [0, 6, 0], "
    "[0, 6.5, 0], [0, 7, 0], [0, 7.5, 0], [0, 8, 0], [0, 8.5, 0], [0, 9, 0], [0, 9.5, 0]]\n"
    "constraints: {kind: pin, target: shape, shape: together, stiffness: 5000}\n";

/* Small scenes that together use everything that is built for hair. */
typedef struct small {
    const char *name, *scene; /* embedded, or a file in scenes/, or a whole text */
    int stride;               /* of those that take long to build: each so many-th allocation; 0: as usual */
    const char *overrides[10];
} small;

/* The first are built in a millisecond or so; the first of these are what quick tests make frames of. */
enum { FIRST = 4, QUICK = 9 };

static const small scenes[] = {
    {"everything", everything, 0, {NULL}},
    {"crowding", crowding, 0, {NULL}},
    {"files of all formats", faults_many, 0, {NULL}},
    {"moving curves", "files/blend.yaml", 0, {NULL}},
    {"growth", "files/grow.yaml", 0, {"hair.count=4"}},
    {"rest of moving curves", "files/wind-up.yaml", 0, {NULL}},
    {"groom of a file", "files/puffball.yaml", 0, {NULL}},
    {"sag", "files/brow.yaml", 0, {NULL}},
    {"rods, sag", "files/brow.yaml", 0, {"hair.model=rod"}},
    {"body of a file", "files/cut.yaml", 9, {"hair.count=4", "time.preroll=0"}},
    {"eased preroll", "files/pillow.yaml", 9, {"hair.count=4", "time.preroll=1"}},
    {"head, contacts", "redhead", 9, {"hair.count=6", "hair.total_points=90", "hair.prune.random=0"}},
    {"horse",
     "horse",
     60,
     {"hair[0].count=3", "hair[0].total_points=24", "hair[1].count=2", "hair[1].total_points=16",
      "hair[2].count=2", "hair[2].total_points=16", "hair[3].count=2", "hair[3].total_points=16",
      "hair[4].count=3", "hair[4].total_points=12"}},
    {"centroid, wind", "bob", 30, {"hair.count=6"}},
    {"pin", "fringe", 30, {NULL}},
    {"fields", "face", 30, {"hair.count=4"}},
    {"preload", "fur", 30, {"hair.count=6"}},
    {"reshape", "dry", 30, {"hair[0].count=3", "hair[1].count=3"}},
    {"rods, reshape", "dry", 30, {"hair[0].count=3", "hair[1].count=3", "hair.model=rod"}},
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

static rlt_status load(const small *s, rlt_messages *messages, rlt_scene **scene) {
    const char *all[16] = {"time.outer_steps=2", "time.force_steps=4", "time.damping_steps=2",
                           "health.check_steps=off"};
    if (s->scene == faults_many)
        return faults_load(s->scene, messages, scene);
    if (strchr(s->scene, '\n') != NULL)
        return rlt_scene_load_text(RLT_SOURCE_DIR "/scenes/files/text.yaml", s->scene, strlen(s->scene), NULL,
                                   0, messages, scene);
    int count = 4, is_file = strstr(s->scene, ".yaml") != NULL;
    if (!is_file) {
        all[count++] = "character.resolution=8";
        all[count++] = "time.preroll=0";
    }
    for (int k = 0; k < 10 && s->overrides[k] != NULL; k++)
        all[count++] = s->overrides[k];
    char path[1024];
    snprintf(path, sizeof path, "%s/scenes/%s", RLT_SOURCE_DIR, s->scene);
    return is_file ? rlt_scene_load_file(path, all, count, messages, scene)
                   : rlt_scene_load_embedded(s->scene, all, count, messages, scene);
}

/* ---- scenes ---- */

static void take_scene(const rlt_scene *scene, uint64_t *result) {
    rlt_schema_entry row;
    char text[1024];
    for (int i = 0; rlt_schema_get(i, &row); i++)
        for (int section = 0; rlt_scene_value(scene, i, section, text, sizeof text, NULL) && section < 8;
             section++)
            faults_hash(result, text, strlen(text));
    int inputs = rlt_inputs_count(rlt_scene_inputs(scene));
    faults_hash(result, &inputs, sizeof inputs);
}

static rlt_status run_load(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_scene *scene = NULL;
    rlt_status status = load(&scenes[o->mode], messages, &scene);
    faults_stop();
    if (status == RLT_OK)
        take_scene(scene, result);
    else
        assert_null(scene);
    faults_go();
    rlt_scene_destroy(scene);
    return status;
}

static rlt_status run_reference(const operation *o, rlt_messages *messages, uint64_t *result) {
    (void)o;
    char *text = rlt_schema_reference();
    if (text == NULL)
        return rlti_out_of_memory(messages);
    faults_hash(result, text, strlen(text));
    rlt_text_free(text);
    return RLT_OK;
}

static void test_scenes(void **state) {
    (void)state;
    for (int i = 0; i < SCENES; i += 4)
        faults_walk(&(operation){.name = scenes[i].name, .run = run_load, .mode = i});
    faults_walk(&(operation){.name = "schema reference", .run = run_reference});
    faults_none();
}

/* ---- simulations ---- */

static const rlt_simulation_def alone = {.size = sizeof alone, .threads = 1};

static void begin_scene(operation *o) {
    assert_int_equal(load(&scenes[o->mode], NULL, &o->scene), RLT_OK);
}

static void end_scene(operation *o) {
    rlt_scene_destroy(o->scene);
}

static void begin_simulation(operation *o) {
    begin_scene(o);
    assert_int_equal(rlt_simulation_create(o->scene, &alone, NULL, &o->simulation), RLT_OK);
}

static void end_simulation(operation *o) {
    rlt_simulation_destroy(o->simulation);
    end_scene(o);
}

static void begin_frame(operation *o) {
    begin_simulation(o);
    assert_int_equal(rlt_simulation_advance(o->simulation, NULL), RLT_OK);
}

static void take_simulation(const rlt_simulation *simulation, uint64_t *result) {
    const uint64_t hashes[] = {rlt_simulation_hash(simulation), rlt_simulation_fingerprint(simulation)};
    int inputs = rlt_inputs_count(rlt_simulation_inputs(simulation));
    faults_hash(result, hashes, sizeof hashes);
    faults_hash(result, &inputs, sizeof inputs);
}

static rlt_status run_create(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_simulation *simulation = NULL;
    rlt_simulation_def def = {.size = sizeof def, .threads = o->threads > 0 ? o->threads : 1};
    rlt_status status = rlt_simulation_create(o->scene, &def, messages, &simulation);
    faults_stop();
    if (status == RLT_OK)
        take_simulation(simulation, result);
    else
        assert_null(simulation);
    faults_go();
    rlt_simulation_destroy(simulation);
    return status;
}

static void test_create(void **state) {
    (void)state;
    for (int i = 0; i < (faults_level() == FAULTS_QUICK ? QUICK : SCENES); i++) {
        operation o = {.name = scenes[i].name, .run = run_create, .stride = scenes[i].stride, .mode = i};
        begin_scene(&o);
        faults_walk(&o);
        end_scene(&o);
    }
    operation threads = {.name = "threads", .run = run_create, .threads = 3, .mode = 1};
    begin_scene(&threads);
    faults_walk(&threads);
    end_scene(&threads);
    faults_none();
}

#define BEFORE "before.ckpt"

static void begin_saved(operation *o) {
    begin_simulation(o);
    assert_int_equal(rlt_checkpoint_write(BEFORE, o->simulation, NULL, NULL), RLT_OK);
}

static void end_saved(operation *o) {
    end_simulation(o);
    remove(BEFORE);
}

static int broken_frames; /* memory ran out in the steps of so many */

/* Memory ran out amid a frame: nothing diverged, and nothing can follow but a checkpoint. */
static void check_broken(const operation *o, rlt_status status, const rlt_messages *words) {
    rlt_diagnostics *diagnostics = NULL;
    char expected[64];
    rlt_frame_view view = {.size = sizeof view};
    rlt_simulation_view(o->simulation, &view);
    snprintf(expected, sizeof expected, "frame %d failed earlier (", view.frame + 1);
    assert_int_equal(status, RLT_FAILED);
    assert_int_equal(rlt_messages_count(words), 1);
    assert_non_null(strstr(rlt_messages_text(words, 0), expected));
    assert_non_null(strstr(rlt_messages_text(words, 0), "resume it from a checkpoint"));
    assert_int_equal(rlt_simulation_diagnose(o->simulation, NULL, &diagnostics), RLT_FAILED);
    assert_int_equal(rlt_checkpoint_write("none.ckpt", o->simulation, NULL, NULL), RLT_FAILED);
    broken_frames += strstr(rlt_messages_text(words, 0), "(out of memory)") != NULL;
}

static rlt_status run_frame(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_status status = rlt_simulation_advance(o->simulation, messages);
    faults_stop();
    if (status == RLT_FAILED && faults_has_error(messages)) {
        /* once there is memory again: the same frame; or none, until a checkpoint is read */
        rlt_messages *words = rlt_messages_create();
        status = rlt_simulation_advance(o->simulation, words);
        if (status != RLT_OK) {
            check_broken(o, status, words);
            assert_int_equal(rlt_checkpoint_read(BEFORE, o->simulation, NULL), RLT_OK);
            status = rlt_simulation_advance(o->simulation, NULL);
            assert_int_equal(status, RLT_OK);
        }
        rlt_messages_destroy(words);
    }
    uint64_t hash = rlt_simulation_hash(o->simulation);
    faults_hash(result, &hash, sizeof hash);
    return status;
}

static void test_frame(void **state) {
    (void)state;
    for (int i = 0; i < (faults_level() == FAULTS_QUICK ? FIRST : QUICK); i++)
        faults_walk(&(operation){
            .name = scenes[i].name, .run = run_frame, .before = begin_saved, .after = end_saved, .mode = i});
    faults_none();
    assert_true(broken_frames > 0);
}

static rlt_status run_diagnose(const operation *o, rlt_messages *messages, uint64_t *result) {
    uint64_t hash = rlt_simulation_hash(o->simulation);
    rlt_diagnostics *diagnostics = NULL;
    rlt_status status = rlt_simulation_diagnose(o->simulation, messages, &diagnostics);
    if (status == RLT_OK) {
        faults_hash(result, diagnostics->targets, 3 * sizeof(double) * (size_t)diagnostics->point_count);
        faults_hash(result, &diagnostics->spring_count, sizeof diagnostics->spring_count);
        faults_hash(result, &diagnostics->hold_count, sizeof diagnostics->hold_count);
    }
    rlt_diagnostics_destroy(diagnostics);
    assert_true(hash == rlt_simulation_hash(o->simulation));
    return status;
}

static rlt_status run_view_diagnose(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_frame_view view = {.size = sizeof view};
    rlt_diagnostics *diagnostics = NULL;
    rlt_simulation_view(o->simulation, &view);
    rlt_status status = rlt_view_diagnose(&view, messages, &diagnostics);
    if (status == RLT_OK)
        faults_hash(result, diagnostics->speed, sizeof(double) * (size_t)diagnostics->point_count);
    rlt_diagnostics_destroy(diagnostics);
    return status;
}

static rlt_status run_fingerprint(const operation *o, rlt_messages *messages, uint64_t *result) {
    uint64_t fingerprint = rlt_simulation_fingerprint(o->simulation);
    if (fingerprint == 0)
        return rlti_out_of_memory(messages);
    faults_hash(result, &fingerprint, sizeof fingerprint);
    return RLT_OK;
}

static rlt_status run_plan(const operation *o, rlt_messages *messages, uint64_t *result) {
    const int counts[] = {1, 2, 3};
    rlt_plan_def def = rlt_plan_defaults();
    def.counts = counts;
    def.count = 3;
    def.seconds = o->partition > 0 ? 1.0 : 0.0;
    def.partition = (rlt_partition)o->partition;
    rlt_plan *plan = NULL;
    rlt_status status = rlt_plan_create(o->scene, &def, messages, &plan);
    rlt_plan_line line;
    for (int i = 0; status == RLT_OK && rlt_plan_get(plan, i, &line); i++)
        faults_hash(result, &line.edges_cut, sizeof line.edges_cut);
    rlt_plan_destroy(plan);
    return status;
}

static void test_others(void **state) {
    (void)state;
    for (int i = 0; i < (faults_level() == FAULTS_QUICK ? FIRST : QUICK); i++) {
        operation o = {.name = scenes[i].name, .run = run_diagnose, .mode = i};
        begin_frame(&o);
        faults_walk(&o);
        o.run = run_view_diagnose;
        faults_walk(&o);
        o.run = run_fingerprint;
        faults_walk(&o);
        end_simulation(&o);
    }
    for (int partition = 0; partition <= 2; partition++) {
        operation o = {.name = "plan",
                       .run = run_plan,
                       .partition = partition,
                       .mode = faults_level() == FAULTS_QUICK}; /* the second scene is small */
        begin_scene(&o);
        faults_walk(&o);
        end_scene(&o);
    }
    faults_none();
}

/* ---- checkpoints ---- */

static rlt_status run_save(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_status status = rlt_checkpoint_write(CHECKPOINT, o->simulation, NULL, messages);
    if (status == RLT_OK)
        faults_take(CHECKPOINT, result);
    return status;
}

/* A simulation at its first frame is brought to the second, or stays where it is. */
static rlt_status run_resume(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_frame_view before = {.size = sizeof before}, after = {.size = sizeof after};
    uint64_t hash = rlt_simulation_hash(o->simulation);
    rlt_simulation_view(o->simulation, &before);
    rlt_status status = rlt_checkpoint_read(CHECKPOINT, o->simulation, messages);
    rlt_simulation_view(o->simulation, &after);
    faults_stop();
    assert_int_equal(after.frame, before.frame + (status == RLT_OK));
    assert_true(status == RLT_OK || hash == rlt_simulation_hash(o->simulation));
    assert_int_equal(rlt_simulation_advance(o->simulation, NULL), RLT_OK); /* its state is whole */
    hash = rlt_simulation_hash(o->simulation);
    faults_go();
    faults_hash(result, &hash, sizeof hash);
    return status;
}

static void test_checkpoints(void **state) {
    (void)state;
    for (int i = 0; i < (faults_level() == FAULTS_QUICK ? FIRST : QUICK); i++) {
        operation o = {.name = scenes[i].name, .run = run_save, .mode = i};
        begin_frame(&o);
        faults_walk(&o);
        assert_int_equal(rlt_checkpoint_write(CHECKPOINT, o.simulation, NULL, NULL), RLT_OK);
        end_simulation(&o);
        o.run = run_resume;
        o.before = begin_simulation;
        o.after = end_simulation;
        faults_walk(&o);
        assert_int_equal(rlt_checkpoint_remove(CHECKPOINT, NULL), RLT_OK);
    }
    faults_none();
}

static int begin(void **state) {
    if (faults_enter(state) != 0)
        return 1;
    faults_make_files();
    return 0;
}

static int end(void **state) {
    faults_remove_files();
    return faults_leave(state);
}

int main(int argc, char **argv) {
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes), cmocka_unit_test(test_create),      cmocka_unit_test(test_frame),
        cmocka_unit_test(test_others), cmocka_unit_test(test_checkpoints),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
