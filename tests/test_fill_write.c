/* Many hairs to files (ringlet/fill_write.h, `ringlet fill`): what is read back is what was made. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "stage_fixture.h"

#include <signal.h>
#include <sys/resource.h>

#include "program_fixture.h"
#include "ringlet/ringlet.h"

enum { GUIDES = 5, POINTS = 9, HAIRS = 1003 };

static char directory[256];

static int enter(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/ringlet-fill-XXXXXX", base != NULL ? base : ".");
    return mkdtemp(directory) != NULL && chdir(directory) == 0 && getcwd(directory, sizeof directory) != NULL
               ? 0
               : -1;
}

static int leave(void **state) {
    (void)state;
    char line[300];
    snprintf(line, sizeof line, "rm -rf -- '%s'", directory);
    return chdir("..") == 0 && system(line) == 0 ? 0 : -1;
}

/* Guides in a row that bend more with every frame. */
typedef struct row {
    int first[GUIDES + 1], hair[GUIDES];
    double points[GUIDES * POINTS * 3], rest[GUIDES * POINTS * 3], widths[GUIDES * POINTS];
    rlt_frame_view view;
} row;

static void pose(row *r, int frame) {
    for (int g = 0; g < GUIDES; g++)
        for (int i = 0; i < POINTS; i++) {
            double *p = r->points + 3 * (g * POINTS + i);
            p[0] = g + 0.02 * frame * i * i;
            p[1] = -i;
            p[2] = 0.25 * (i % 2);
        }
    r->view.frame = frame;
}

static row *make_row(void) {
    row *r = calloc(1, sizeof *r);
    assert_non_null(r);
    for (int g = 0; g <= GUIDES; g++)
        r->first[g] = g * POINTS;
    for (int g = 0; g < GUIDES; g++)
        r->hair[g] = g / 3;
    for (int i = 0; i < GUIDES * POINTS; i++)
        r->widths[i] = 0.05 + 0.01 * (i / POINTS);
    r->view = (rlt_frame_view){.size = sizeof(rlt_frame_view),
                               .strand_count = GUIDES,
                               .point_count = GUIDES * POINTS,
                               .first = r->first,
                               .points = r->points,
                               .velocities = r->points,
                               .rest = r->rest,
                               .widths = r->widths,
                               .hair = r->hair};
    pose(r, 0);
    memcpy(r->rest, r->points, sizeof r->rest);
    return r;
}

/* The hairs of a frame, one behind the other, in one go. */
typedef struct expected {
    size_t points;
    float *at, *widths;
    int32_t counts[HAIRS];
} expected;

static void expect(const rlt_fill *fill, expected *e) {
    size_t n = (size_t)rlt_fill_points(fill);
    assert_int_equal(rlt_fill_hairs(fill), HAIRS);
    e->at = malloc(HAIRS * n * 3 * sizeof(float));
    e->widths = malloc(HAIRS * n * sizeof(float));
    e->points = 0;
    rlt_fill_block(fill, 0, HAIRS, e->at, e->widths, e->counts);
    for (size_t h = 0; h < HAIRS; h++) {
        size_t count = (size_t)e->counts[h];
        memmove(e->at + 3 * e->points, e->at + 3 * n * h, 3 * count * sizeof(float));
        memmove(e->widths + e->points, e->widths + n * h, count * sizeof(float));
        e->points += count;
    }
}

static void free_expected(expected *e) {
    free(e->at);
    free(e->widths);
}

/* With LONG points a hair, all hairs are two blocks of the writer. */
enum { SHORT = 23, LONG = 270 };

static rlt_fill *make_fill(const row *r, int points) {
    rlt_fill *fill;
    rlt_fill_def def = rlt_fill_defaults();
    def.hairs = HAIRS;
    def.points = points;
    rlt_messages *messages = rlt_messages_create();
    stage_ok(rlt_fill_create(&r->view, &def, messages, &fill), messages);
    rlt_messages_destroy(messages);
    return fill;
}

/* Two blocks are enough for the binary ones. */
static int points_of(const char *path) {
    return strstr(path, ".usdc") != NULL || strstr(path, ".abc") != NULL ? LONG : SHORT;
}

static void write_frames(const char *path, row *r, int first, int last, int threads) {
    rlt_fill_writer *writer;
    rlt_fill_writer_def def = rlt_fill_writer_defaults();
    rlt_messages *messages = rlt_messages_create();
    def.threads = threads;
    pose(r, first);
    rlt_fill *fill = make_fill(r, points_of(path));
    stage_ok(rlt_fill_writer_open(path, &def, messages, &writer), messages);
    assert_int_equal(rlt_fill_writer_points(writer), 0);
    for (int frame = first; frame <= last; frame++) {
        pose(r, frame);
        stage_ok(rlt_fill_frame(fill, &r->view, messages), messages);
        expected e;
        stage_ok(rlt_fill_writer_add(writer, fill, frame, messages), messages);
        expect(fill, &e);
        assert_int_equal(rlt_fill_writer_points(writer), (long long)e.points); /* of one frame */
        free_expected(&e);
    }
    stage_ok(rlt_fill_writer_close(writer, messages), messages);
    assert_int_equal(rlt_messages_count(messages), 0);
    rlt_fill_destroy(fill);
    rlt_messages_destroy(messages);
}

static void same(const rlti_stage *stage, const char *name, rlti_attribute_class class_, int sample,
                 const void *wanted, size_t count, size_t size) {
    rlti_array value = {0};
    const rlti_prim *prim = &stage->prims[stage->prim_count - 1];
    stage_read(stage, prim, stage_need(stage, prim, class_, name), sample, &value);
    assert_int_equal(value.count, count);
    assert_memory_equal(value.data, wanted, count * size);
    rlti_array_clear(&value);
}

/* The box holds every point with its width, and little more. */
static void check_extent(const rlti_stage *stage, int sample, const expected *e) {
    rlti_array value = {0};
    const rlti_prim *prim = &stage->prims[stage->prim_count - 1];
    stage_read(stage, prim, stage_need(stage, prim, RLTI_BUILT_IN, "extent"), sample, &value);
    double box[6];
    assert_true(rlti_array_to_doubles(&value, box));
    for (int c = 0; c < 3; c++) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (size_t i = 0; i < e->points; i++) {
            least = fmin(least, (double)e->at[3 * i + (size_t)c]);
            most = fmax(most, (double)e->at[3 * i + (size_t)c]);
        }
        assert_true(box[c] <= least - 0.025 && box[c] > least - 0.1);
        assert_true(box[3 + c] >= most + 0.025 && box[3 + c] < most + 0.1);
    }
    rlti_array_clear(&value);
}

static void what_is_read_is_what_was_made(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int last, has_more;
    } files[] = {{"h.usda", 4, 1}, {"h.usdc", 4, 1}, {"h.usd", 4, 1}, {"h.abc", 4, 1}, {"h.hair", 3, 0}};
    row *r = make_row();
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        write_frames(files[f].path, r, 3, files[f].last, 2);
        rlti_stage *stage = stage_open_good(files[f].path);
        const rlti_prim *prim = &stage->prims[stage->prim_count - 1];
        assert_int_equal(prim->kind, RLTI_PRIM_CURVES);
        pose(r, 3);
        rlt_fill *fill = make_fill(r, points_of(files[f].path));
        for (int frame = 3; frame <= files[f].last; frame++) {
            expected e;
            int sample = files[f].has_more ? frame - 3 : -1;
            pose(r, frame);
            assert_int_equal(rlt_fill_frame(fill, &r->view, NULL), RLT_OK);
            expect(fill, &e);
            same(stage, "points", RLTI_BUILT_IN, sample, e.at, e.points, sizeof(float[3]));
            same(stage, "widths", RLTI_BUILT_IN, -1, e.widths, e.points, sizeof(float));
            same(stage, "curveVertexCounts", RLTI_BUILT_IN, -1, e.counts, HAIRS, sizeof(int32_t));
            if (files[f].has_more)
                check_extent(stage, sample, &e);
            free_expected(&e);
        }
        if (files[f].has_more) {
            int32_t ids[3][HAIRS];
            for (int h = 0; h < HAIRS; h++) {
                ids[0][h] = h;
                ids[1][h] = rlt_fill_guide(fill, h);
                ids[2][h] = r->hair[ids[1][h]];
            }
            assert_string_equal(prim->path, "/Ringlet/Hair");
            same(stage, "hairId", RLTI_PRIMVAR, -1, ids[0], HAIRS, sizeof(int32_t));
            same(stage, "guideId", RLTI_PRIMVAR, -1, ids[1], HAIRS, sizeof(int32_t));
            same(stage, "groupId", RLTI_PRIMVAR, -1, ids[2], HAIRS, sizeof(int32_t));
        }
        rlt_fill_destroy(fill);
        rlti_stage_close(stage);
        remove(files[f].path);
    }
    free(r);
}

static void threads_change_no_byte(void **state) {
    (void)state;
    static const char *const paths[] = {"t.usda", "t.usdc", "t.abc", "t.hair"};
    static const int threads[] = {2, 5};
    row *r = make_row();
    for (size_t f = 0; f < sizeof paths / sizeof paths[0]; f++) {
        size_t size, again;
        int last = strcmp(paths[f], "t.hair") == 0 ? 1 : 2;
        write_frames(paths[f], r, 1, last, 1);
        unsigned char *wanted = bytes_read(paths[f], &size);
        for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
            write_frames(paths[f], r, 1, last, threads[i]);
            unsigned char *bytes = bytes_read(paths[f], &again);
            assert_int_equal(size, again);
            assert_memory_equal(bytes, wanted, size);
            free(bytes);
        }
        free(wanted);
        remove(paths[f]);
    }
    free(r);
}

/* ---- what goes wrong ---- */

static void nothing_is_left(const char *name) {
    char line[300];
    snprintf(line, sizeof line, "test -z \"$(find . -name '%s*')\"", name);
    assert_int_equal(system(line), 0);
}

static rlt_fill_writer *open_writer(const char *path, rlt_fill_writer_def def, rlt_status wanted,
                                    const char *text) {
    rlt_fill_writer *writer;
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlt_fill_writer_open(path, &def, messages, &writer), wanted);
    if (wanted != RLT_OK) {
        assert_null(writer);
        if (strstr(rlt_messages_text(messages, 0), text) == NULL)
            fail_msg("%s", rlt_messages_text(messages, 0));
    }
    rlt_messages_destroy(messages);
    return writer;
}

static void bad_input_is_told(void **state) {
    (void)state;
    rlt_fill_writer_def good = rlt_fill_writer_defaults(), def = good;
    row *r = make_row();
    rlt_fill *fill = make_fill(r, SHORT);
    rlt_messages *messages = rlt_messages_create();
    open_writer("w.jpg", good, RLT_BAD_INPUT, "must end in .usda, .usdc");
    open_writer("w", good, RLT_BAD_INPUT, "must end in .usda, .usdc");
    bytes_write("plain", "", 0);
    open_writer("plain/w.usdc", good, RLT_FAILED, "plain");
    def.frames_per_second = 0.0;
    open_writer("w.usdc", def, RLT_BAD_INPUT, "frames per second");
    def = good;
    def.metres_per_unit = (double)NAN;
    open_writer("w.usdc", def, RLT_BAD_INPUT, "metres per unit");
    /* no frame, no file */
    rlt_fill_writer *writer = open_writer("w.usdc", good, RLT_OK, NULL);
    assert_int_equal(rlt_fill_writer_close(writer, messages), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "w.usdc: not written: no frame was added"));
    /* frames in order, of one fill; what was good before is kept */
    rlt_messages_clear(messages);
    writer = open_writer("w.usdc", good, RLT_OK, NULL);
    stage_ok(rlt_fill_writer_add(writer, fill, 3, messages), messages);
    assert_int_equal(rlt_fill_writer_add(writer, fill, 3, messages), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "frame 3 comes after frame 3"));
    rlt_fill_def other = rlt_fill_defaults();
    rlt_fill *another;
    assert_int_equal(rlt_fill_create(&r->view, &other, messages, &another), RLT_OK);
    assert_int_equal(rlt_fill_writer_add(writer, another, 4, messages), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 1), "other hairs than the first"));
    stage_ok(rlt_fill_writer_close(writer, messages), messages);
    rlti_stage_close(stage_open_good("w.usdc"));
    remove("w.usdc");
    /* points that are no numbers */
    rlt_messages_clear(messages);
    r->points[3 * (2 * POINTS + 5)] = (double)NAN;
    assert_int_equal(rlt_fill_frame(fill, &r->view, messages), RLT_OK);
    writer = open_writer("w.abc", good, RLT_OK, NULL);
    assert_int_equal(rlt_fill_writer_add(writer, fill, 1, messages), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "points or widths that are no numbers"));
    assert_int_equal(rlt_fill_writer_close(writer, messages), RLT_FAILED);
    nothing_is_left("w.");
    rlt_fill_writer_abandon(NULL);
    assert_int_equal(rlt_fill_writer_close(NULL, messages), RLT_OK);
    rlt_fill_destroy(another);
    rlt_fill_destroy(fill);
    rlt_messages_destroy(messages);
    free(r);
}

static int stop(double share, void *context) {
    double *last = context;
    assert_true(share > *last && share <= 1.0);
    *last = share;
    return 1;
}

static int go_on(double share, void *context) {
    stop(share, context);
    return 0;
}

static void progress_stops(void **state) {
    (void)state;
    rlt_fill_writer_def def = rlt_fill_writer_defaults();
    row *r = make_row();
    rlt_fill *fill = make_fill(r, SHORT);
    rlt_messages *messages = rlt_messages_create();
    double last = 0.0;
    def.progress = go_on;
    def.context = &last;
    rlt_fill_writer *writer = open_writer("p.usda", def, RLT_OK, NULL);
    stage_ok(rlt_fill_writer_add(writer, fill, 1, messages), messages);
    assert_true(last == 1.0);
    rlt_fill_writer_abandon(writer);
    last = 0.0;
    def.progress = stop;
    writer = open_writer("p.usda", def, RLT_OK, NULL);
    assert_int_equal(rlt_fill_writer_add(writer, fill, 1, messages), RLT_FAILED);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "p.usda: not written: stopped"));
    assert_int_equal(rlt_fill_writer_close(writer, messages), RLT_FAILED);
    nothing_is_left("p.");
    rlt_fill_destroy(fill);
    rlt_messages_destroy(messages);
    free(r);
}

/* A limit on file size stands in for a full disk. */
static void a_full_disk_is_an_error_and_leaves_nothing(void **state) {
    (void)state;
    static const char *const paths[] = {"f.usda", "f.usdc", "f.abc", "f.hair"};
    row *r = make_row();
    rlt_fill *fill = make_fill(r, SHORT);
    for (size_t f = 0; f < sizeof paths / sizeof paths[0]; f++) {
        struct rlimit before;
        getrlimit(RLIMIT_FSIZE, &before);
        struct rlimit limit = {.rlim_cur = 50000, .rlim_max = before.rlim_max};
        rlt_messages *messages = rlt_messages_create();
        signal(SIGXFSZ, SIG_IGN);
        rlt_fill_writer *writer = open_writer(paths[f], rlt_fill_writer_defaults(), RLT_OK, NULL);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        rlt_status status = rlt_fill_writer_add(writer, fill, 1, messages);
        rlt_status closed = rlt_fill_writer_close(writer, messages);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_true(status == RLT_FAILED || closed == RLT_FAILED);
        assert_non_null(strstr(rlt_messages_text(messages, 0), ": cannot write: File too large"));
        nothing_is_left("f.");
        rlt_messages_destroy(messages);
    }
    rlt_fill_destroy(fill);
    free(r);
}

/* ---- the command ---- */

#define SMALL                                                                                                \
    "--set time.preroll=0 --set hair.count=12 --set hair.total_points=120 --set time.outer_steps=20 "        \
    "--set character.resolution=12 --threads 1 "

static void wrong(const char *arguments, int code, const char *part) {
    assert_int_equal(ringlet(arguments), code);
    if (strstr(err_text, part) == NULL)
        fail_msg("%s: %s", arguments, err_text);
}

static void the_command(void **state) {
    (void)state;
    assert_int_equal(ringlet("simulate redhead -o g.usdc --frames 1:2 --checkpoint 0 -q " SMALL), 0);
    assert_int_equal(ringlet("fill g.usdc -o new/a.usdc --hairs 300 --json"), 0);
    assert_non_null(strstr(out_text, "\"status\": \"done\""));
    assert_non_null(strstr(out_text, "\"frames\": 2"));
    assert_non_null(strstr(out_text, "\"hairs\": 300"));
    assert_non_null(strstr(err_text, "frame 2/2"));
    assert_int_equal(ringlet("inspect new/a.usdc"), 0);
    assert_non_null(strstr(out_text, "300 curves"));
    assert_non_null(strstr(out_text, "no problems"));
    assert_int_equal(ringlet("fill g.usdc -o b.usdc --hairs 300 -q --threads 3"), 0);
    assert_string_equal(err_text, "");
    assert_int_equal(ringlet("fill g.usdc -o c.hair --hairs 300 --points 5 --blend wisps"), 0);
    assert_int_equal(ringlet("inspect c.hair"), 0);
    assert_non_null(strstr(out_text, "300 curves"));
    assert_int_equal(ringlet("fill redhead -o d.abc --frames 2 --set hair.fill.count=77 " SMALL), 0);
    assert_int_equal(ringlet("inspect d.abc"), 0);
    assert_non_null(strstr(out_text, "77 curves"));
}

/* Hairs of a filled file, filled as its look says, are themselves: ends and widths, and no more of them. */
static void check_drawn(rlt_cache *cache, const rlt_scene *look, int hairs) {
    rlt_fill_def def = rlt_fill_defaults();
    rlt_frame_view view = {.size = sizeof view};
    rlt_fill *fill;
    rlt_cache_facts facts = {.size = sizeof facts};
    rlt_fill_def sections[RLT_RENDER_LOOKS_MAX];
    rlt_scene_fill(look, &def);
    def.sections = sections;
    def.section_count = rlt_scene_fill_sections(look);
    for (int k = 0; k < def.section_count; k++) {
        sections[k] = rlt_fill_defaults();
        assert_int_equal(rlt_scene_section_fill(look, k, &sections[k]), RLT_OK);
    }
    assert_int_equal(rlt_cache_get(cache, &facts), RLT_OK);
    assert_int_equal(rlt_cache_view(cache, facts.first, NULL, &view), RLT_OK);
    assert_int_equal(view.strand_count, hairs);
    assert_int_equal(rlt_fill_create(&view, &def, NULL, &fill), RLT_OK);
    assert_int_equal(rlt_fill_hairs(fill), hairs);
    size_t n = (size_t)rlt_fill_points(fill);
    float *at = malloc(3 * n * sizeof(float)), *widths = malloc(n * sizeof(float));
    for (int h = 0; h < hairs; h++) {
        int count, guide = rlt_fill_guide(fill, h);
        rlt_fill_block(fill, h, 1, at, widths, &count);
        size_t first = (size_t)view.first[guide], last = (size_t)view.first[guide + 1] - 1;
        const float *tip = at + 3 * ((size_t)count - 1);
        for (size_t c = 0; c < 3; c++) {
            assert_true(fabs((double)at[c] - view.points[3 * first + c]) < 1e-4);
            assert_true(fabs((double)tip[c] - view.points[3 * last + c]) < 1e-4);
        }
        assert_true(fabs((double)widths[0] / view.widths[first] - 1.0) < 1e-5);
        assert_true(fabs((double)widths[count - 1] / view.widths[last] - 1.0) < 1e-5);
    }
    free(at);
    free(widths);
    rlt_fill_destroy(fill);
}

/* The colour of each hair is that of its section. */
static void check_colours(const char *path, const rlt_render_def *def) {
    rlti_stage *stage = stage_open_good(path);
    const rlti_prim *prim = &stage->prims[stage->prim_count - 1];
    rlti_array colours = {0}, groups = {0};
    int seen[2] = {0, 0};
    stage_read(stage, prim, stage_need(stage, prim, RLTI_PRIMVAR, "displayColor"), -1, &colours);
    stage_read(stage, prim, stage_need(stage, prim, RLTI_PRIMVAR, "groupId"), -1, &groups);
    assert_int_equal(colours.count, groups.count);
    for (size_t h = 0; h < groups.count; h++) {
        int section = ((const int32_t *)groups.data)[h];
        double wanted[3];
        assert_in_range(section, 0, 1);
        seen[section]++;
        rlt_render_hair_colour(&def->looks[section], wanted);
        for (size_t c = 0; c < 3; c++)
            assert_true(fabs((double)((const float *)colours.data)[3 * h + c] - wanted[c]) < 1e-6);
    }
    assert_true(seen[0] > 0 && seen[1] > 0);
    rlti_array_clear(&colours);
    rlti_array_clear(&groups);
    rlti_stage_close(stage);
}

static void a_filled_file_has_the_look_of_its_guides(void **state) {
    (void)state;
    static const char scene[] =
        "{time: {last: 1, preroll: 0}, character: {kind: none}, render: {azimuth: 77}, hair: ["
        "{region: none, count: 6, length: 8, look: {dye: [0, 0, 0.5]}, fill: {tip: 0.5, width: 2}}, "
        "{region: none, count: 5, length: 5, look: {eumelanin: 8}}]}";
    static const char *const names[] = {"l.usda", "l.usdc", "l.abc"};
    bytes_write("look.yaml", scene, sizeof scene - 1);
    assert_int_equal(ringlet("simulate look.yaml -o guides.usdc --checkpoint 0 -q --threads 1"), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char line[128];
        rlt_cache *cache;
        rlt_scene *look;
        rlt_render_def def = rlt_render_defaults();
        /* from the scene and from its file */
        snprintf(line, sizeof line, "fill %s -o %s --hairs 90 -q --threads 1",
                 i == 0 ? "look.yaml" : "guides.usdc", names[i]);
        assert_int_equal(ringlet(line), 0);
        assert_int_equal(rlt_cache_open(names[i], NULL, &cache), RLT_OK);
        const char *text = rlt_cache_look(cache);
        assert_non_null(text);
        assert_int_equal(rlt_scene_load_text("look", text, strlen(text), NULL, 0, NULL, &look), RLT_OK);
        rlt_scene_look(look, &def);
        assert_int_equal(def.look_count, 2);
        assert_true(def.looks[0].dyed && def.looks[0].dye[2] == 0.5 && def.camera.azimuth == 77.0);
        assert_true(!def.looks[1].dyed && def.looks[1].eumelanin == 8.0);
        check_drawn(cache, look, 90);
        check_colours(names[i], &def);
        rlt_scene_destroy(look);
        rlt_cache_close(cache);
    }
}

static void wrong_use_is_told(void **state) {
    (void)state;
    wrong("fill g.usdc", 2, "no output is named; add -o ");
    wrong("fill nobody -o z.png", 2, "must end in .usda, .usdc"); /* before anything is read */
    wrong("fill nobody -o plain/z.usdc", 1, "plain");
    wrong("fill g.usdc -o z.usdc --frames 7", 2, "has frames 1 to 2");
    wrong("fill g.usdc -o z.usdc --frames 2:1", 2, "--frames 2:1");
    wrong("fill g.usdc -o z.hair --frames 1:2", 2, "holds one frame");
    wrong("fill g.usdc -o z.usdc --set hair.count=1", 2, "is not a scene");
    wrong("fill g.usdc -o z.usdc --points 5000", 2, "points must be 0 to 1024");
    wrong("fill none.usdc -o z.usdc", 2, "none.usdc");
    bytes_write("empty.usda", "#usda 1.0\ndef Xform \"a\" {}\n", 27);
    wrong("fill empty.usda -o z.usdc", 2, "empty.usda: has no curves");
    nothing_is_left("z.");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_what_was_made),
        cmocka_unit_test(threads_change_no_byte),
        cmocka_unit_test(bad_input_is_told),
        cmocka_unit_test(progress_stops),
        cmocka_unit_test(a_full_disk_is_an_error_and_leaves_nothing),
        cmocka_unit_test(the_command),
        cmocka_unit_test(a_filled_file_has_the_look_of_its_guides),
        cmocka_unit_test(wrong_use_is_told),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
