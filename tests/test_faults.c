/* Allocation faults in writers, readers, fill, pictures and movies: see faults_fixture.h. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "faults_files.h"

#define CHECKPOINT "made.checkpoint"

/* Simulations whose frames are written: of generated hair, of hair and body from a USD file, of hair from an
 * Alembic file, and of hair and bodies from files of all formats. */
enum { GENERATED, OF_USD, OF_ALEMBIC, OF_MANY, HEADS };

static struct {
    rlt_scene *scene;
    rlt_simulation *simulation;
    rlt_frame_view view;
} heads[HEADS];

/* The same strands a frame later. */
static rlt_frame_view later(const rlt_frame_view *view) {
    static rlt_source sources[8];
    static const rlt_source *list[8];
    rlt_frame_view next = *view;
    next.frame++;
    next.time += 1.0 / 24.0;
    assert_true(view->source_count <= 8);
    for (int i = 0; i < view->source_count; i++) {
        sources[i] = *view->sources[i];
        sources[i].time_code++;
        list[i] = &sources[i];
    }
    next.sources = list;
    return next;
}

/* ---- writers ---- */

static rlt_writer_def writer_def(const operation *o) {
    return (rlt_writer_def){.size = sizeof(rlt_writer_def),
                            .frames_per_second = 24.0,
                            .metres_per_unit = 0.01,
                            .title = "faults",
                            .mode = (rlt_writer_mode)o->mode,
                            .unreal = o->unreal ? RLT_UNREAL_CACHE : 0,
                            .fingerprint = 7};
}

static rlt_status run_writer(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_writer_def def = writer_def(o);
    rlt_writer *writer = NULL;
    rlt_frame_view next = later(o->view);
    rlt_status status = rlt_writer_open(o->to, &def, messages, &writer);
    if (status == RLT_OK)
        status = rlt_writer_add(writer, o->view, messages);
    if (status == RLT_OK)
        status = rlt_writer_publish(writer, messages);
    if (status == RLT_OK)
        status = rlt_writer_add(writer, &next, messages);
    if (status == RLT_OK)
        status = rlt_writer_close(writer, messages);
    else
        rlt_writer_abandon(writer);
    if (status == RLT_OK) {
        rlt_writer_made(o->to, &def, o->view->frame, next.frame);
        faults_take(o->to, result);
    } else
        remove(o->to); /* published */
    return status;
}

static const char *const names[] = {"made.usda", "made.usdc", "made.abc", "made.hair", "made.obj"};

static void test_writers(void **state) {
    (void)state;
    for (int head = 0; head < HEADS; head++) /* layouts own, source, over */
        for (int i = 0; i < 4; i++)
            for (int mode = RLT_WRITE_STANDALONE; mode <= (head == OF_USD && i < 2 ? RLT_WRITE_OVER : 1);
                 mode++)
                faults_walk(&(operation){.name = names[i],
                                         .run = run_writer,
                                         .to = names[i],
                                         .view = &heads[head].view,
                                         .mode = mode,
                                         .unreal = head == GENERATED && i < 3});
    faults_none();
}

/* Removes all that a run of a writer and its checkpoint have left. */
static void remove_made(operation *o) {
    (void)o;
    DIR *here = opendir(".");
    for (const struct dirent *entry; here != NULL && (entry = readdir(here)) != NULL;)
        if (strncmp(entry->d_name, "made.", 5) == 0 || strncmp(entry->d_name, ".made.", 6) == 0)
            remove(entry->d_name);
    closedir(here);
}

/* A frame, a checkpoint, another frame, and the process ends. */
static rlt_status write_parts(const operation *o, rlt_messages *messages) {
    rlt_writer_def def = writer_def(o);
    rlt_writer *writer = NULL;
    rlt_frame_view next = later(o->view);
    rlt_status status = rlt_writer_open(o->to, &def, messages, &writer);
    if (status == RLT_OK)
        status = rlt_writer_add(writer, o->view, messages);
    if (status == RLT_OK)
        status = rlt_checkpoint_write(CHECKPOINT, o->simulation, writer, messages);
    if (status == RLT_OK)
        status = rlt_writer_add(writer, &next, messages);
    rlt_writer_leave(writer);
    return status;
}

static rlt_status run_parts(const operation *o, rlt_messages *messages, uint64_t *result) {
    (void)result;
    return write_parts(o, messages);
}

static void begin_parts(operation *o) {
    assert_int_equal(write_parts(o, NULL), RLT_OK);
}

static rlt_status run_resume(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_writer_def def = writer_def(o);
    rlt_writer *writer = NULL;
    rlt_frame_view next = later(o->view);
    rlt_status status = rlt_writer_resume(o->to, &def, CHECKPOINT, o->view, messages, &writer);
    if (status == RLT_OK)
        status = rlt_writer_add(writer, &next, messages);
    if (status == RLT_OK)
        status = rlt_writer_close(writer, messages);
    else
        rlt_writer_leave(writer);
    if (status == RLT_OK)
        faults_take(o->to, result);
    return status;
}

static void test_resume(void **state) {
    (void)state;
    for (int i = 0; i < 4 * HEADS; i++) {
        int head = i / 4;
        operation o = {.name = names[i % 4],
                       .run = run_parts,
                       .after = remove_made,
                       .to = names[i % 4],
                       .view = &heads[head].view,
                       .simulation = heads[head].simulation};
        faults_walk(&o);
        o.run = run_resume;
        o.before = begin_parts;
        faults_walk(&o);
    }
    faults_none();
}

/* ---- readers ---- */

static const char *const files[] = {
    "tests/corpus/abc/hair.abc",
    "tests/corpus/abc/mesh.abc",
    "tests/corpus/abc/small.abc",
    "tests/corpus/hair/all.hair",
    "tests/corpus/tfx/all.tfx",
    "tests/corpus/obj/mesh.obj",
    "tests/corpus/usdz/mesh.usda",
    "tests/corpus/usdz/rig.usda",
    "tests/corpus/usdz/layers.usdz",
    "scenes/files/blend.usda",
    "scenes/files/grow.usda",
    "scenes/files/puffball.usda",
    "kept.usdc",
    "kept.abc",
};
enum { FILES = sizeof files / sizeof files[0] };

static const char *file_path(int i, char *path, size_t size) {
    if (strchr(files[i], '/') == NULL)
        return files[i];
    snprintf(path, size, "%s/%s", RLT_SOURCE_DIR, files[i]);
    return path;
}

static void take_text(uint64_t *result, const char *text) {
    faults_hash(result, text, strlen(text) + 1);
}

static rlt_status run_inspect(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_file *file = NULL;
    long long bytes = 0;
    rlt_status status = rlt_file_open(o->from, messages, &file);
    if (status == RLT_OK) {
        rlt_file_facts facts = {.size = sizeof facts};
        rlt_file_prim prim;
        rlt_file_attribute attribute;
        rlt_file_get(file, &facts);
        take_text(result, facts.version);
        for (int p = 0; rlt_file_get_prim(file, p, &prim); p++) {
            const long long counts[] = {prim.curves, prim.faces, prim.points, prim.transform_samples};
            take_text(result, prim.path);
            faults_hash(result, counts, sizeof counts);
            for (int a = 0; rlt_file_get_attribute(file, p, a, &attribute); a++) {
                const long long values[] = {attribute.values, attribute.bytes, attribute.samples};
                take_text(result, attribute.name);
                faults_hash(result, values, sizeof values);
            }
        }
        status = rlt_file_read_all(file, messages, &bytes);
        faults_hash(result, &bytes, sizeof bytes);
    }
    rlt_file_close(file);
    return status;
}

/* Problems have no status of their own: what cannot be read is an error among the messages. */
static rlt_status run_problems(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_file *file = NULL;
    rlt_status status = rlt_file_open(o->from, messages, &file);
    if (status == RLT_OK) {
        int count = rlt_file_problems(file, messages);
        faults_hash(result, &count, sizeof count);
        status = atomic_load(&faults.failed) && faults_has_error(messages) ? RLT_FAILED : RLT_OK;
    }
    rlt_file_close(file);
    return status;
}

static rlt_status run_cache(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_cache *cache = NULL;
    rlt_cache_facts facts = {.size = sizeof facts};
    rlt_status status = rlt_cache_open(o->from, messages, &cache);
    if (status == RLT_OK)
        rlt_cache_get(cache, &facts);
    for (int k = 0; status == RLT_OK && k < 2; k++) {
        rlt_frame_view view = {.size = sizeof view};
        status = rlt_cache_view(cache, k == 0 ? facts.first : facts.last, messages, &view);
        if (status != RLT_OK)
            break;
        faults_hash(result, view.points, 3 * sizeof(double) * (size_t)view.point_count);
        faults_hash(result, view.velocities, 3 * sizeof(double) * (size_t)view.point_count);
        faults_hash(result, view.widths, sizeof(double) * (size_t)view.point_count);
        faults_hash(result, view.vertices, 3 * sizeof(double) * (size_t)view.vertex_count);
        faults_hash(result, rlt_cache_vertex_velocities(cache),
                    3 * sizeof(double) * (size_t)view.vertex_count);
        int inputs = rlt_inputs_count(view.inputs);
        faults_hash(result, &inputs, sizeof inputs);
    }
    rlt_cache_close(cache);
    return status;
}

static rlt_status run_convert(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_convert_def def = rlt_convert_defaults();
    rlt_status status = rlt_convert(o->from, o->to, &def, messages, NULL);
    if (status == RLT_OK)
        faults_take(o->to, result);
    return status;
}

/* Walks an operation on a file where it is possible at all: a mesh is no cache, say. */
static int walk_possible(operation *o) {
    uint64_t result = 0;
    if (o->run(o, NULL, &result) != RLT_OK)
        return 0;
    faults_walk(o);
    return 1;
}

static void test_readers(void **state) {
    (void)state;
    int caches = 0, converted = 0;
    for (int i = 0; i < FILES; i++) {
        char path[1024];
        operation o = {.name = files[i], .run = run_inspect, .from = file_path(i, path, sizeof path)};
        faults_walk(&o);
        o.run = run_problems;
        faults_walk(&o);
        o.run = run_cache;
        caches += walk_possible(&o);
        o.run = run_convert;
        int few = faults_level() == FAULTS_QUICK; /* each format is written from some */
        for (int k = few ? i % 3 : 0; k < 5; k += few ? 3 : 1) {
            o.to = names[k];
            converted += walk_possible(&o);
        }
    }
    assert_true(caches >= 7 && converted >= 20);
    faults_none();
}

/* ---- hairs ---- */

static rlt_status run_fill(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_fill_def def = rlt_fill_defaults();
    rlt_fill_writer_def to = rlt_fill_writer_defaults();
    rlt_fill *fill = NULL;
    rlt_fill_writer *writer = NULL;
    rlt_frame_view next = later(o->view);
    def.hairs = 8;
    def.blend = (rlt_fill_blend)o->mode;
    def.outside = 1;
    to.threads = 1;
    rlt_status status = rlt_fill_create(o->view, &def, messages, &fill);
    if (status == RLT_OK)
        status = rlt_fill_writer_open(o->to, &to, messages, &writer);
    if (status == RLT_OK)
        status = rlt_fill_writer_add(writer, fill, o->view->frame, messages);
    if (status == RLT_OK)
        status = rlt_fill_frame(fill, &next, messages);
    if (status == RLT_OK)
        status = rlt_fill_writer_add(writer, fill, next.frame, messages);
    if (status == RLT_OK)
        status = rlt_fill_writer_close(writer, messages);
    else
        rlt_fill_writer_abandon(writer);
    rlt_fill_destroy(fill);
    if (status == RLT_OK)
        faults_take(o->to, result);
    return status;
}

/* The guides of a file, as the program's fill has them. */
static rlt_status run_fill_cache(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_cache *cache = NULL;
    rlt_cache_facts facts = {.size = sizeof facts};
    rlt_frame_view view = {.size = sizeof view};
    operation guides = *o;
    rlt_status status = rlt_cache_open(o->from, messages, &cache);
    if (status == RLT_OK)
        rlt_cache_get(cache, &facts);
    if (status == RLT_OK)
        status = rlt_cache_view(cache, facts.first, messages, &view);
    guides.view = &view;
    if (status == RLT_OK)
        status = run_fill(&guides, messages, result);
    rlt_cache_close(cache);
    return status;
}

static void test_fill(void **state) {
    (void)state;
    for (int i = 0; i < 5; i++)
        faults_walk(&(operation){
            .name = names[i], .run = run_fill, .to = names[i], .view = &heads[0].view, .mode = i % 3});
    for (int i = 0; i < 3; i++)
        faults_walk(&(operation){
            .name = names[i], .run = run_fill_cache, .from = "kept.abc", .to = names[i], .mode = i % 3});
    faults_none();
}

/* ---- pictures ---- */

static rlt_status run_render(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_render_def def = rlt_render_defaults();
    rlt_fill_def hairs = rlt_fill_defaults();
    rlt_render *render = NULL;
    rlt_fill *fill = NULL;
    rlt_image *image = NULL;
    def.width = def.height = 16;
    def.samples = 1;
    def.exact = o->mode;
    hairs.hairs = 30;
    rlt_status status = rlt_render_create(1, messages, &render);
    if (status == RLT_OK && o->mode == 0)
        status = rlt_fill_create(o->view, &hairs, messages, &fill);
    if (status == RLT_OK)
        status = rlt_render_frame(render, o->view, fill, &def, messages, &image);
    if (status == RLT_OK)
        status = rlt_image_write_png(image, "made.png", o->mode, messages);
    if (status == RLT_OK)
        faults_take("made.png", result);
    if (status == RLT_OK && rlt_image_exr_available())
        status = rlt_image_write_exr(image, "made.exr", messages);
    if (status == RLT_OK && rlt_image_exr_available())
        faults_take("made.exr", result);
    rlt_image_destroy(image);
    rlt_fill_destroy(fill);
    rlt_render_destroy(render);
    return status;
}

static rlt_status run_overlay(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_overlay_def def = rlt_overlay_defaults();
    rlt_render_camera camera = rlt_render_defaults().camera;
    rlt_diagnostics *diagnostics = NULL;
    rlt_image *image = rlt_image_create(64, 64);
    def.show = 127u | RLT_SHOW_STRETCH;
    def.body = 1;
    rlt_status status = image == NULL ? rlti_out_of_memory(messages) : RLT_OK;
    if (status == RLT_OK)
        status = rlt_render_camera_fit(o->view, 64, 64, &camera, messages);
    if (status == RLT_OK)
        status = rlt_simulation_diagnose(o->simulation, messages, &diagnostics);
    if (status == RLT_OK)
        status = rlt_image_overlay(image, &camera, o->view, diagnostics, &def, messages);
    if (status == RLT_OK)
        faults_hash(result, image->rgba, (size_t)4 * 64 * 64 * sizeof(float));
    rlt_diagnostics_destroy(diagnostics);
    rlt_image_destroy(image);
    return status;
}

static rlt_status run_preview(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_preview_def def = rlt_preview_defaults();
    def.width = def.height = 32;
    rlt_status status = rlt_preview_write("made.png", o->view, &def, messages);
    if (status == RLT_OK)
        faults_take("made.png", result);
    return status;
}

static rlt_status run_movie(const operation *o, rlt_messages *messages, uint64_t *result) {
    (void)o;
    (void)result; /* encoders need not give the same bytes twice */
    static const uint8_t picture[32][32][3];
    rlt_movie *movie = NULL;
    rlt_status status = rlt_movie_open("made.mp4", 32, 32, 24.0, NULL, messages, &movie);
    if (status == RLT_OK)
        status = rlt_movie_add(movie, &picture[0][0][0], messages);
    if (status == RLT_OK)
        status = rlt_movie_close(movie, messages);
    else
        rlt_movie_abandon(movie);
    if (status == RLT_OK)
        remove("made.mp4");
    return status;
}

static rlt_status run_inputs(const operation *o, rlt_messages *messages, uint64_t *result) {
    rlt_lock *lock = NULL;
    rlt_inputs *inputs = rlt_inputs_create();
    rlt_status status = inputs == NULL ? rlti_out_of_memory(messages) : RLT_OK;
    if (status == RLT_OK)
        status = rlt_inputs_add(inputs, o->from, messages);
    if (status == RLT_OK)
        status = rlt_inputs_check(inputs, "made.usda", messages);
    if (status == RLT_OK)
        status = rlt_lock_take("made.usda", messages, &lock);
    if (status == RLT_OK)
        status = rlt_bytes_write("made.usda", "text", 4, messages);
    if (status == RLT_OK)
        faults_take("made.usda", result);
    rlt_lock_release(lock);
    rlt_inputs_destroy(inputs);
    return status;
}

static void test_pictures(void **state) {
    (void)state;
    operation o = {.view = &heads[0].view, .simulation = heads[0].simulation, .from = "kept.abc"};
    o.name = "preview", o.run = run_preview;
    faults_walk(&o);
    o.name = "overlay", o.run = run_overlay;
    faults_walk(&o);
    o.name = "inputs, lock", o.run = run_inputs;
    faults_walk(&o);
    if (rlt_movie_available()) {
        o.name = "movie", o.run = run_movie;
        faults_walk(&o);
    }
    for (o.mode = 0; rlt_render_available() && o.mode < 2; o.mode++) {
        o.name = "render", o.run = run_render;
        faults_walk(&o);
    }
    faults_none();
}

static void keep(const char *path) {
    rlt_writer *writer;
    rlt_writer_def def = {.size = sizeof def, .frames_per_second = 24.0, .metres_per_unit = 0.01};
    rlt_frame_view next = later(&heads[0].view);
    assert_int_equal(rlt_writer_open(path, &def, NULL, &writer), RLT_OK);
    assert_int_equal(rlt_writer_add(writer, &heads[0].view, NULL), RLT_OK);
    assert_int_equal(rlt_writer_add(writer, &next, NULL), RLT_OK);
    assert_int_equal(rlt_writer_close(writer, NULL), RLT_OK);
}

static int begin(void **state) {
    if (faults_enter(state) != 0)
        return 1;
    faults_make_files();
    const char *small[] = {"time.outer_steps=12", "time.preroll=0", "character.resolution=8", "hair.count=6",
                           "hair.total_points=90"};
    const rlt_simulation_def alone = {.size = sizeof alone, .threads = 1};
    const char *file = RLT_SOURCE_DIR "/scenes/files/puffball.yaml";
    assert_int_equal(rlt_scene_load_embedded("redhead", small, 5, NULL, &heads[0].scene), RLT_OK);
    assert_int_equal(rlt_scene_load_file(file, NULL, 0, NULL, &heads[1].scene), RLT_OK);
    assert_int_equal(faults_load(faults_one, NULL, &heads[OF_ALEMBIC].scene), RLT_OK);
    assert_int_equal(faults_load(faults_many, NULL, &heads[OF_MANY].scene), RLT_OK);
    for (int i = 0; i < HEADS; i++) {
        assert_int_equal(rlt_simulation_create(heads[i].scene, &alone, NULL, &heads[i].simulation), RLT_OK);
        heads[i].view.size = sizeof(rlt_frame_view);
        rlt_simulation_view(heads[i].simulation, &heads[i].view);
    }
    keep("kept.usdc");
    keep("kept.abc");
    return 0;
}

static int end(void **state) {
    faults_remove_files();
    for (int i = 0; i < HEADS; i++) {
        rlt_simulation_destroy(heads[i].simulation);
        rlt_scene_destroy(heads[i].scene);
    }
    return remove("kept.usdc") != 0 || remove("kept.abc") != 0 || faults_leave(state) != 0;
}

int main(int argc, char **argv) {
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writers), cmocka_unit_test(test_resume),   cmocka_unit_test(test_readers),
        cmocka_unit_test(test_fill),    cmocka_unit_test(test_pictures),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
