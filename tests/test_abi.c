/* Structs that cross the API, of callers compiled with older, newer and no sizes. Each ends where a page ends
 * behind which nothing may be touched. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <sys/mman.h>
#include <unistd.h>

#include "run_fixture.h"

#define HAIR                                                                                                 \
    "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n"           \
    "def BasisCurves \"hair\"\n{\n    int[] curveVertexCounts = [4, 4]\n"                                    \
    "    uniform token type = \"linear\"\n    float[] widths = [0.1] (interpolation = \"constant\")\n"       \
    "    point3f[] points.timeSamples = {\n"                                                                 \
    "        1: [(0, 0, 0), (2, 0, 0), (4, 0, 0), (6, 0, 0), (0, 0, 5), (2, 0, 5), (4, 0, 5), (6, 0, 5)],\n" \
    "        3: [(0, 0, 0), (2, 2, 0), (4, 2, 0), (6, 2, 0), (0, 0, 5), (2, 2, 5), (4, 2, 5), (6, 2, 5)],\n" \
    "    }\n}\n"
#define SCENE                                                                                                \
    "time: {last: 4}\ncharacter: {kind: none}\nhair: {preset: straight, file: abi.usda}\n"                   \
    "constraints: {kind: pose, target: file, frame: 3}\n"

/* Elements of arrays and parts of others have no size: they never change (docs/design/abi.md). */
_Static_assert(sizeof(void *) != 8 || (sizeof(rlt_contact_spring) == 16 && sizeof(rlt_named) == 16 &&
                                       sizeof(rlt_sag_report) == 56 && sizeof(rlt_render_camera) == 104 &&
                                       sizeof(rlt_render_light) == 48 && sizeof(rlt_render_hair) == 96),
               "structs without a size stay as they are");

#define MORE 64 /* bytes that a newer caller's struct has beyond ours */

typedef struct world {
    run r;
    rlt_cache *cache;
    rlt_file *file;
    rlt_plan *plan;
    rlt_fill *fill;
    rlt_render *render; /* NULL where there is no Embree */
    rlt_diagnostics *diagnostics;
    rlt_image *image;
    rlt_frame_view view;
    rlt_messages *messages;
} world;

static world w;

/* ---- structs that the library fills ---- */

/* Returns 1 where the struct was filled. */
typedef int fill_function(void *to);

#define FILLS(name, call)                                                                                    \
    static int name(void *to) {                                                                              \
        return (call);                                                                                       \
    }
FILLS(fill_view, rlt_simulation_view(w.r.simulation, to) == RLT_OK)
FILLS(fill_cache_view, rlt_cache_view(w.cache, 1, NULL, to) == RLT_OK)
FILLS(fill_statistics, rlt_simulation_statistics(w.r.simulation, to) == RLT_OK)
FILLS(fill_pose, rlt_simulation_pose(w.r.simulation, 0, to) == RLT_OK)
FILLS(fill_cache_facts, rlt_cache_get(w.cache, to) == RLT_OK)
FILLS(fill_file_facts, rlt_file_get(w.file, to) == RLT_OK)
FILLS(fill_file_prim, rlt_file_get_prim(w.file, 0, to))
FILLS(fill_file_attribute, rlt_file_get_attribute(w.file, 0, 0, to))
FILLS(fill_plan_summary, rlt_plan_summarise(w.plan, to) == RLT_OK)
FILLS(fill_plan_line, rlt_plan_get(w.plan, 0, to))
FILLS(fill_schema_entry, rlt_schema_get(0, to))
FILLS(fill_render_statistics, rlt_render_statistics_get(w.render, to) == RLT_OK)
FILLS(reset_simulation, rlt_simulation_def_reset(to) == RLT_OK)
FILLS(reset_live, rlt_live_def_reset(to) == RLT_OK)
FILLS(reset_live_groom, rlt_live_groom_reset(to) == RLT_OK)
FILLS(reset_live_body, rlt_live_body_reset(to) == RLT_OK)
FILLS(reset_live_budget, rlt_live_budget_reset(to) == RLT_OK)
FILLS(reset_plan, rlt_plan_def_reset(to) == RLT_OK)
FILLS(reset_fill, rlt_fill_def_reset(to) == RLT_OK)
FILLS(reset_rod, rlt_rod_def_reset(to) == RLT_OK)
FILLS(reset_rod_body, rlt_rod_body_reset(to) == RLT_OK)
FILLS(reset_rod_step, rlt_rod_step_reset(to) == RLT_OK)
FILLS(reset_fill_writer, rlt_fill_writer_def_reset(to) == RLT_OK)
FILLS(reset_convert, rlt_convert_def_reset(to) == RLT_OK)
FILLS(reset_overlay, rlt_overlay_def_reset(to) == RLT_OK)
FILLS(reset_render, rlt_render_def_reset(to) == RLT_OK)
FILLS(reset_preview, rlt_preview_def_reset(to) == RLT_OK)

static int fill_convert_result(void *to) {
    rlt_convert_def def = rlt_convert_defaults();
    return rlt_convert("abi.usda", "abi_converted.usda", &def, NULL, to) == RLT_OK;
}

static const struct filled {
    const char *name;
    size_t size;
    fill_function *fill;
} all_filled[] = {
    {"rlt_frame_view", sizeof(rlt_frame_view), fill_view},
    {"rlt_frame_view", sizeof(rlt_frame_view), fill_cache_view},
    {"rlt_statistics", sizeof(rlt_statistics), fill_statistics},
    {"rlt_pose_report", sizeof(rlt_pose_report), fill_pose},
    {"rlt_cache_facts", sizeof(rlt_cache_facts), fill_cache_facts},
    {"rlt_file_facts", sizeof(rlt_file_facts), fill_file_facts},
    {"rlt_file_prim", sizeof(rlt_file_prim), fill_file_prim},
    {"rlt_file_attribute", sizeof(rlt_file_attribute), fill_file_attribute},
    {"rlt_plan_summary", sizeof(rlt_plan_summary), fill_plan_summary},
    {"rlt_plan_line", sizeof(rlt_plan_line), fill_plan_line},
    {"rlt_schema_entry", sizeof(rlt_schema_entry), fill_schema_entry},
    {"rlt_convert_result", sizeof(rlt_convert_result), fill_convert_result},
    {"rlt_render_statistics", sizeof(rlt_render_statistics), fill_render_statistics},
    {"rlt_simulation_def", sizeof(rlt_simulation_def), reset_simulation},
    {"rlt_live_def", sizeof(rlt_live_def), reset_live},
    {"rlt_live_groom", sizeof(rlt_live_groom), reset_live_groom},
    {"rlt_live_body", sizeof(rlt_live_body), reset_live_body},
    {"rlt_live_budget", sizeof(rlt_live_budget), reset_live_budget},
    {"rlt_plan_def", sizeof(rlt_plan_def), reset_plan},
    {"rlt_fill_def", sizeof(rlt_fill_def), reset_fill},
    {"rlt_fill_writer_def", sizeof(rlt_fill_writer_def), reset_fill_writer},
    {"rlt_convert_def", sizeof(rlt_convert_def), reset_convert},
    {"rlt_overlay_def", sizeof(rlt_overlay_def), reset_overlay},
    {"rlt_render_def", sizeof(rlt_render_def), reset_render},
    {"rlt_preview_def", sizeof(rlt_preview_def), reset_preview},
    {"rlt_rod_def", sizeof(rlt_rod_def), reset_rod},
    {"rlt_rod_step", sizeof(rlt_rod_step), reset_rod_step},
    {"rlt_rod_body", sizeof(rlt_rod_body), reset_rod_body},
};
enum { FILLED = sizeof all_filled / sizeof all_filled[0] };

/* ---- structs that the library reads ---- */

typedef rlt_status read_function(const void *from);

#define READS(name, call)                                                                                    \
    static rlt_status name(const void *from) {                                                               \
        return (call);                                                                                       \
    }

static rlt_status read_simulation(const void *from) {
    rlt_simulation *made = NULL;
    rlt_status status = rlt_simulation_create(w.r.scene, from, w.messages, &made);
    if (status == RLT_OK && rlt_simulation_advance(made, NULL) == RLT_OK)
        assert_true(rlt_simulation_hash(made) == rlt_simulation_hash(w.r.simulation));
    rlt_simulation_destroy(made);
    return status;
}

static rlt_status read_plan(const void *from) {
    rlt_plan *made = NULL;
    rlt_status status = rlt_plan_create(w.r.scene, from, w.messages, &made);
    rlt_plan_destroy(made);
    return status;
}

static rlt_status create_fill(const rlt_frame_view *view, const rlt_fill_def *def) {
    rlt_fill *made = NULL;
    rlt_status status = rlt_fill_create(view, def, w.messages, &made);
    assert_true(made == NULL || rlt_fill_hairs(made) == rlt_fill_hairs(w.fill));
    rlt_fill_destroy(made);
    return status;
}
READS(read_fill, create_fill(&w.view, from))

static rlt_status fill_from_view(const void *from) {
    rlt_fill_def def = rlt_fill_defaults();
    return create_fill(from, &def);
}

static rlt_status read_fill_writer(const void *from) {
    rlt_fill_writer *made = NULL;
    rlt_status status = rlt_fill_writer_open("abi_fill.usda", from, w.messages, &made);
    rlt_fill_writer_abandon(made);
    return status;
}

/* A rod's arrays and counts belong together: what is cut off is the choice of the build, and other flags. */
static int begin_rod(void *to) {
    static const double shape[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    rlt_rod_def *def = to;
    if (!reset_rod(to))
        return 0;
    def->points = 3;
    def->shape = shape;
    def->mass = 1.0;
    return 1;
}

static rlt_status read_rod(const void *from) {
    rlt_rod *made = NULL;
    rlt_status status = rlt_rod_create(from, w.messages, &made);
    rlt_rod_destroy(made);
    return status;
}

/* Its function has no status: a step that is taken says so with its iterations. */
static rlt_status read_rod_step(const void *from) {
    rlt_rod_def def = rlt_rod_defaults();
    rlt_rod *made = NULL;
    assert_true(begin_rod(&def));
    assert_int_equal(rlt_rod_create(&def, NULL, &made), RLT_OK);
    int iterations = rlt_rod_advance(made, from);
    rlt_rod_destroy(made);
    return iterations > 0 ? RLT_OK : RLT_BAD_INPUT;
}

static rlt_status read_rod_body(const void *from) {
    rlt_rod_def def = rlt_rod_defaults();
    rlt_rod *made = NULL;
    assert_true(begin_rod(&def));
    assert_int_equal(rlt_rod_create(&def, NULL, &made), RLT_OK);
    rlt_status status = rlt_rod_touch(made, from, w.messages);
    rlt_rod_destroy(made);
    return status;
}

READS(read_convert, rlt_convert("abi.usda", "abi_converted.usda", from, w.messages, NULL))

static rlt_status read_writer(const void *from) {
    rlt_writer *made = NULL;
    (void)rlt_writer_made("abi.usda", from, 1, 1);
    rlt_status status = rlt_writer_open("abi_second.usda", from, w.messages, &made);
    rlt_writer_abandon(made);
    return status;
}

static rlt_status overlay(const rlt_frame_view *view, const rlt_diagnostics *d, const rlt_overlay_def *def) {
    const rlt_render_camera camera = {.eye = {0, 0, 40}, .field_of_view = 30};
    rlt_overlay_def copy = rlt_overlay_defaults();
    if (def == NULL)
        copy.show = RLT_SHOW_GUIDES;
    else /* it is written to as well: at the end of the page */
        return rlt_image_overlay(w.image, &camera, view, d, (rlt_overlay_def *)(uintptr_t)def, w.messages);
    return rlt_image_overlay(w.image, &camera, view, d, &copy, w.messages);
}
READS(read_overlay, overlay(&w.view, w.diagnostics, from))
READS(overlay_of_view, overlay(from, w.diagnostics, NULL))
READS(overlay_of_diagnostics, overlay(&w.view, from, NULL))
READS(read_preview, rlt_preview_write("abi.png", &w.view, from, w.messages))
READS(fill_frame_of_view, rlt_fill_frame(w.fill, from, w.messages))
READS(scene_fill, rlt_scene_fill(w.r.scene, (rlt_fill_def *)(uintptr_t)from))
READS(fit_fill, rlt_fill_fit((rlt_fill_def *)(uintptr_t)from, 1))
READS(scene_look, rlt_scene_look(w.r.scene, (rlt_render_def *)(uintptr_t)from))

static rlt_status preview_of_view(const void *from) {
    rlt_preview_def def = rlt_preview_defaults();
    def.width = def.height = 16;
    return rlt_preview_write("abi.png", from, &def, w.messages);
}

static rlt_status diagnose_view(const void *from) {
    rlt_diagnostics *made = NULL;
    rlt_status status = rlt_view_diagnose(from, w.messages, &made);
    assert_true(made == NULL || made->size == sizeof *made);
    rlt_diagnostics_destroy(made);
    return status;
}

static rlt_status fit_camera(const void *from) {
    rlt_render_camera camera = rlt_render_defaults().camera;
    return rlt_render_camera_fit(from, 8, 8, &camera, w.messages);
}

static rlt_status render(const rlt_frame_view *view, const rlt_render_def *def) {
    rlt_image *made = NULL;
    rlt_status status = rlt_render_frame(w.render, view, NULL, def, w.messages, &made);
    assert_true(made == NULL || made->size == sizeof *made);
    rlt_image_destroy(made);
    return status;
}
READS(read_render, render(&w.view, from))

static rlt_status render_of_view(const void *from) {
    rlt_render_def def = rlt_render_defaults();
    def.width = def.height = 8;
    def.samples = 1;
    return render(from, &def);
}

static rlt_status writer_add_view(const void *from) {
    rlt_writer_def def = {.size = sizeof def, .frames_per_second = 24, .metres_per_unit = 0.01};
    rlt_writer *made = NULL;
    assert_int_equal(rlt_writer_open("abi_second.usda", &def, NULL, &made), RLT_OK);
    rlt_status status = rlt_writer_add(made, from, w.messages);
    rlt_writer_abandon(made);
    return status;
}

static rlt_status source_points_of_view(const void *from) {
    float points[8 * 3];
    assert_int_equal(w.view.source_count, 1);
    assert_true(w.view.sources[0]->size == sizeof(rlt_source) && w.view.sources[0]->point_count == 8);
    return rlt_source_points(w.view.sources[0], from, points, NULL);
}

static rlt_status read_live(const void *from) {
    rlt_simulation *made = NULL;
    rlt_status status = rlt_live_create(from, w.messages, &made);
    rlt_simulation_destroy(made);
    return status;
}

static rlt_status read_live_budget(const void *from) {
    rlt_scene *made = NULL;
    rlt_status status = rlt_live_fit(w.r.scene, from, w.messages, &made);
    rlt_scene_destroy(made);
    return status;
}

#define DEFAULTS 0 /* may be cut anywhere: the rest are defaults */
#define VIEW     offsetof(rlt_frame_view, inputs)

static const struct read {
    const char *name;
    size_t size, least; /* `least`: cut no shorter, since counts and their arrays belong together */
    read_function *read;
    fill_function *begin; /* makes a good one */
    int has_messages;
} all_read[] = {
    {"rlt_simulation_def", sizeof(rlt_simulation_def), DEFAULTS, read_simulation, reset_simulation, 1},
    {"rlt_live_def", sizeof(rlt_live_def), DEFAULTS, read_live, reset_live, 1},
    {"rlt_live_budget", sizeof(rlt_live_budget), DEFAULTS, read_live_budget, reset_live_budget, 1},
    {"rlt_plan_def", sizeof(rlt_plan_def), DEFAULTS, read_plan, reset_plan, 1},
    {"rlt_fill_def", sizeof(rlt_fill_def), DEFAULTS, read_fill, reset_fill, 1},
    {"rlt_fill_def", sizeof(rlt_fill_def), DEFAULTS, scene_fill, reset_fill, 0},
    {"rlt_fill_def", sizeof(rlt_fill_def), DEFAULTS, fit_fill, reset_fill, 0},
    {"rlt_fill_writer_def", sizeof(rlt_fill_writer_def), DEFAULTS, read_fill_writer, reset_fill_writer, 1},
    {"rlt_convert_def", sizeof(rlt_convert_def), DEFAULTS, read_convert, reset_convert, 1},
    {"rlt_overlay_def", sizeof(rlt_overlay_def), DEFAULTS, read_overlay, reset_overlay, 1},
    {"rlt_preview_def", sizeof(rlt_preview_def), DEFAULTS, read_preview, reset_preview, 1},
    {"rlt_rod_def", sizeof(rlt_rod_def), offsetof(rlt_rod_def, gyration), read_rod, begin_rod, 1},
    {"rlt_rod_step", sizeof(rlt_rod_step), DEFAULTS, read_rod_step, reset_rod_step, 0},
    {"rlt_rod_body", sizeof(rlt_rod_body), DEFAULTS, read_rod_body, reset_rod_body, 1},
    {"rlt_render_def", sizeof(rlt_render_def), DEFAULTS, scene_look, reset_render, 0},
    {"rlt_frame_view", sizeof(rlt_frame_view), VIEW, fill_from_view, fill_view, 1},
    {"rlt_frame_view", sizeof(rlt_frame_view), VIEW, fill_frame_of_view, fill_view, 1},
    {"rlt_frame_view", sizeof(rlt_frame_view), VIEW, overlay_of_view, fill_view, 1},
    {"rlt_frame_view", sizeof(rlt_frame_view), VIEW, preview_of_view, fill_view, 1},
    {"rlt_frame_view", sizeof(rlt_frame_view), VIEW, diagnose_view, fill_view, 1},
    {"rlt_frame_view", sizeof(rlt_frame_view), VIEW, fit_camera, fill_view, 1},
    {"rlt_frame_view", sizeof(rlt_frame_view), VIEW, writer_add_view, fill_view, 1},
    {"rlt_frame_view", sizeof(rlt_frame_view), VIEW, source_points_of_view, fill_view, 0},
    {"rlt_frame_view", sizeof(rlt_frame_view), VIEW, render_of_view, fill_view, 1},
};
enum { READ = sizeof all_read / sizeof all_read[0] };

/* ---- memory ---- */

static char *page; /* followed by one that may not be touched */
static size_t page_size;

/* A struct of `size` bytes at the end of the page, all else of which is 0xa5. */
static void *at_end(size_t size) {
    memset(page, 0xa5, page_size);
    return page + page_size - size;
}

static void set_size(void *to, size_t size) {
    memcpy(to, &size, sizeof size);
}

static size_t get_size(const void *from) {
    size_t size;
    memcpy(&size, from, sizeof size);
    return size;
}

static void assert_bytes(const char *from, size_t count, int value) {
    for (size_t i = 0; i < count; i++)
        assert_int_equal((unsigned char)from[i], value);
}

static int is_there(const char *name) {
    return w.render != NULL || strncmp(name, "rlt_render", strlen("rlt_render")) != 0;
}

static int needs_render(read_function *f) {
    return f == read_render || f == render_of_view;
}

static int set_up(void **state) {
    (void)state;
    FILE *file = fopen("abi.usda", "w");
    assert_non_null(file);
    fputs(HAIR, file);
    assert_int_equal(fclose(file), 0);
    page_size = 4 * (size_t)sysconf(_SC_PAGESIZE);
    page = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED && mprotect(page + page_size, page_size, PROT_NONE) == 0);
    w.messages = rlt_messages_create();
    run_begin(&w.r, RLT_SIMD_AUTO, 0, SCENE);
    run_frames(&w.r, 1);
    w.view = run_view(&w.r);
    w.image = rlt_image_create(8, 8);
    rlt_plan_def plan = rlt_plan_defaults();
    const int one = 1;
    plan.counts = &one;
    plan.count = 1;
    plan.seconds = 1.0;
    rlt_fill_def fill = rlt_fill_defaults();
    assert_int_equal(rlt_cache_open("abi.usda", NULL, &w.cache), RLT_OK);
    assert_int_equal(rlt_file_open("abi.usda", NULL, &w.file), RLT_OK);
    assert_int_equal(rlt_plan_create(w.r.scene, &plan, NULL, &w.plan), RLT_OK);
    assert_int_equal(rlt_fill_create(&w.view, &fill, NULL, &w.fill), RLT_OK);
    assert_int_equal(rlt_view_diagnose(&w.view, NULL, &w.diagnostics), RLT_OK);
    if (rlt_render_available())
        assert_int_equal(rlt_render_create(1, NULL, &w.render), RLT_OK);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    rlt_render_destroy(w.render);
    rlt_diagnostics_destroy(w.diagnostics);
    rlt_image_destroy(w.image);
    rlt_fill_destroy(w.fill);
    rlt_plan_destroy(w.plan);
    rlt_file_close(w.file);
    rlt_cache_close(w.cache);
    rlt_messages_destroy(w.messages);
    run_end(&w.r);
    munmap(page, 2 * page_size);
    unlink("abi.usda");
    unlink("abi_converted.usda");
    unlink("abi.png");
    return 0;
}

/* ---- tests ---- */

/* Every word of it is written (each has a byte of some member), and nothing else. */
static void an_older_struct_is_filled_up_to_its_size(void **state) {
    (void)state;
    for (int k = 0; k < FILLED; k++) {
        const struct filled *f = &all_filled[k];
        for (size_t size = 2 * sizeof size; size <= f->size && is_there(f->name); size += sizeof size) {
            char *cut = at_end(size);
            set_size(cut, size);
            assert_true(f->fill(cut));
            assert_int_equal(get_size(cut), size);
            for (size_t at = 0; at < size; at += sizeof size)
                assert_memory_not_equal(cut + at, page, sizeof size);
            assert_bytes(page, page_size - size, 0xa5);
        }
    }
}

static void an_older_view_has_the_same_values(void **state) {
    (void)state;
    rlt_frame_view view = {.size = offsetof(rlt_frame_view, source_count), .inputs = w.view.inputs};
    assert_int_equal(rlt_simulation_view(w.r.simulation, &view), RLT_OK);
    assert_int_equal(view.frame, w.view.frame);
    assert_ptr_equal(view.points, w.view.points);
    assert_ptr_equal(view.triangles, w.view.triangles);
    assert_int_equal(view.source_count, 0);
}

static void what_a_newer_struct_has_beyond_is_cleared(void **state) {
    (void)state;
    for (int k = 0; k < FILLED; k++) {
        const struct filled *f = &all_filled[k];
        if (!is_there(f->name))
            continue;
        char *larger = at_end(f->size + MORE);
        set_size(larger, f->size + MORE);
        assert_true(f->fill(larger));
        assert_int_equal(get_size(larger), f->size + MORE);
        assert_bytes(larger + f->size, MORE, 0);
        assert_bytes(page, page_size - f->size - MORE, 0xa5);
    }
}

static const size_t no_sizes[] = {0, sizeof(size_t), 3 * sizeof(size_t) + 1, 65536 + sizeof(size_t),
                                  (size_t)-1 - (size_t)-1 % sizeof(size_t)};
enum { NO_SIZES = sizeof no_sizes / sizeof no_sizes[0] };

static void a_size_that_is_not_set_is_refused_and_nothing_written(void **state) {
    (void)state;
    for (int k = 0; k < FILLED; k++)
        for (int i = 0; i < NO_SIZES && is_there(all_filled[k].name); i++) {
            char *to = at_end(all_filled[k].size);
            set_size(to, no_sizes[i]);
            assert_false(all_filled[k].fill(to));
            assert_bytes(to + sizeof(size_t), all_filled[k].size - sizeof(size_t), 0xa5);
        }
}

static void a_size_that_is_not_set_is_refused_with_the_type_and_the_remedy(void **state) {
    (void)state;
    for (int k = 0; k < READ; k++)
        for (int i = 0; i < NO_SIZES && (w.render != NULL || !needs_render(all_read[k].read)); i++) {
            const struct read *r = &all_read[k];
            char *from = at_end(r->size), message[160];
            set_size(from, r->size);
            assert_true(r->begin(from));
            set_size(from, no_sizes[i]);
            rlt_messages_clear(w.messages);
            assert_int_equal(r->read(from), RLT_BAD_INPUT);
            snprintf(message, sizeof message, "%s: its size is %zu; begin with %s x = {.size = sizeof x}",
                     r->name, no_sizes[i], r->name);
            assert_int_equal(rlt_messages_count(w.messages), r->has_messages);
            if (r->has_messages)
                assert_string_equal(rlt_messages_text(w.messages, 0), message);
        }
}

/* Plans need counts, overlays what to show: short ones are refused for that, and that alone. */
static void an_older_struct_is_read_up_to_its_size(void **state) {
    (void)state;
    for (int k = 0; k < READ; k++) {
        const struct read *r = &all_read[k];
        size_t word = sizeof(size_t), half = r->size / 2 / word * word;
        const size_t sizes[] = {2 * word, half, r->size - word, r->size};
        char *whole = malloc(r->size);
        assert_non_null(whole);
        set_size(whole, r->size);
        assert_true(r->begin(whole));
        for (int i = 0; i < 4 && (w.render != NULL || !needs_render(r->read)); i++) {
            if (sizes[i] < r->least)
                continue;
            char *cut = at_end(sizes[i]);
            memcpy(cut, whole, sizes[i]);
            set_size(cut, sizes[i]);
            rlt_messages_clear(w.messages);
            int incomplete = r->read == read_plan || r->read == read_overlay;
            assert_int_equal(r->read(cut), incomplete ? RLT_BAD_INPUT : RLT_OK);
            assert_true(!incomplete || strstr(rlt_messages_text(w.messages, 0), "size") == NULL);
            assert_bytes(page, page_size - sizes[i], 0xa5);
            assert_int_equal(get_size(cut), sizes[i]);
        }
        free(whole);
    }
}

static void what_a_newer_struct_has_beyond_is_not_read(void **state) {
    (void)state;
    for (int k = 0; k < READ; k++) {
        const struct read *r = &all_read[k];
        if (r->read == read_plan || r->read == read_overlay || (w.render == NULL && needs_render(r->read)))
            continue;
        char *larger = at_end(r->size + MORE);
        set_size(larger, r->size);
        assert_true(r->begin(larger));
        set_size(larger, r->size + MORE);
        assert_int_equal(r->read(larger), RLT_OK);
    }
}

static void an_older_writer_def_misses_nothing_but_what_it_lacks(void **state) {
    (void)state;
    rlt_writer_def def = {.size = sizeof def, .frames_per_second = 24, .metres_per_unit = 0.01};
    char *cut = at_end(offsetof(rlt_writer_def, fingerprint));
    memcpy(cut, &def, offsetof(rlt_writer_def, fingerprint));
    set_size(cut, offsetof(rlt_writer_def, fingerprint));
    assert_int_equal(read_writer(cut), RLT_OK);
    set_size(cut, 0);
    rlt_messages_clear(w.messages);
    assert_int_equal(read_writer(cut), RLT_BAD_INPUT);
    assert_string_equal(rlt_messages_text(w.messages, 0),
                        "rlt_writer_def: its size is 0; begin with rlt_writer_def x = {.size = sizeof x}");
    assert_int_equal(rlt_writer_made("abi.usda", (const rlt_writer_def *)(const void *)cut, 1, 1),
                     RLT_MADE_BY_OTHERS);
}

static void diagnostics_and_pictures_too(void **state) {
    (void)state;
    rlt_diagnostics d = *w.diagnostics;
    d.size = 0;
    assert_int_equal(overlay_of_diagnostics(&d), RLT_BAD_INPUT);
    d.size = sizeof d;
    assert_int_equal(overlay_of_diagnostics(&d), RLT_OK);
    if (w.render == NULL)
        return;
    size_t size = offsetof(rlt_render_def, camera); /* of a picture in which nothing but its size is given */
    rlt_render_def def = {.size = size, .width = 8, .height = 8, .samples = 1, .bounces = 1};
    char *cut = at_end(size);
    memcpy(cut, &def, size);
    assert_int_equal(read_render(cut), RLT_OK);
    set_size(cut, 0);
    assert_int_equal(read_render(cut), RLT_BAD_INPUT);
}

/* rlt_overlay_def goes in and out. */
static void what_goes_in_and_out_keeps_its_size(void **state) {
    (void)state;
    size_t size = sizeof(rlt_overlay_def);
    rlt_overlay_def def = rlt_overlay_defaults();
    def.show = RLT_SHOW_SPEED;
    char *larger = at_end(size + MORE);
    memcpy(larger, &def, size);
    set_size(larger, size + MORE);
    assert_int_equal(read_overlay(larger), RLT_OK);
    memcpy(&def, larger, size);
    assert_int_equal(def.size, size + MORE);
    assert_true(def.range > 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_struct_is_filled_up_to_its_size),
        cmocka_unit_test(an_older_view_has_the_same_values),
        cmocka_unit_test(what_a_newer_struct_has_beyond_is_cleared),
        cmocka_unit_test(a_size_that_is_not_set_is_refused_and_nothing_written),
        cmocka_unit_test(a_size_that_is_not_set_is_refused_with_the_type_and_the_remedy),
        cmocka_unit_test(an_older_struct_is_read_up_to_its_size),
        cmocka_unit_test(what_a_newer_struct_has_beyond_is_not_read),
        cmocka_unit_test(an_older_writer_def_misses_nothing_but_what_it_lacks),
        cmocka_unit_test(diagnostics_and_pictures_too),
        cmocka_unit_test(what_goes_in_and_out_keeps_its_size),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
