/* ringlet render: pictures and movies of scenes and of files, and what it says when it cannot. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <unistd.h>

#include <png.h>

#include "program_fixture.h"
#include "ringlet/ringlet.h"

static char directory[256];

#define SMALL                                                                                                \
    "--set time.preroll=0 --set hair.count=20 --set hair.total_points=400 --set time.outer_steps=20 "        \
    "--set character.resolution=12 --threads 1 "
#define QUICK "--size 40x32 --samples 2 --hairs 100 --draft --threads 1 "

static int make_cache(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/ringlet-render-XXXXXX", base != NULL ? base : ".");
    if (mkdtemp(directory) == NULL || chdir(directory) != 0 || getcwd(directory, sizeof directory) == NULL)
        return -1;
    assert_int_equal(ringlet("simulate redhead -o a.usda --frames 1:3 --checkpoint 0 -q " SMALL), 0);
    assert_int_equal(ringlet("simulate redhead -o a.abc --frames 1:3 --checkpoint 0 -q " SMALL), 0);
    return 0;
}

static int remove_directory(void **state) {
    (void)state;
    char line[300];
    snprintf(line, sizeof line, "rm -rf -- '%s'", directory);
    return chdir("..") == 0 && system(line) == 0 ? 0 : -1;
}

/* Size, and how far the pixels differ from each other. */
static double look_at(const char *path, unsigned width, unsigned height) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    uint8_t *bytes = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(bytes);
    assert_true(png_image_finish_read(&image, NULL, bytes, 0, NULL));
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    double sum = 0.0, squares = 0.0, count = (double)PNG_IMAGE_SIZE(image);
    for (size_t i = 0; i < PNG_IMAGE_SIZE(image); i++) {
        sum += bytes[i];
        squares += (double)bytes[i] * bytes[i];
    }
    free(bytes);
    return sqrt(squares / count - sum * sum / (count * count));
}

static int exists(const char *path) {
    return access(path, F_OK) == 0;
}

/* ---- caches ---- */

static void a_cache_shows_what_was_written(void **state) {
    (void)state;
    const char *const names[] = {"a.usda", "a.abc"};
    for (int i = 0; i < 2; i++) {
        rlt_cache *cache = NULL;
        rlt_cache_facts facts = {.size = sizeof facts};
        rlt_frame_view view = {.size = sizeof view};
        assert_int_equal(rlt_cache_open(names[i], NULL, &cache), RLT_OK);
        rlt_cache_get(cache, &facts);
        assert_int_equal(facts.first, 1);
        assert_int_equal(facts.last, 3);
        assert_true(facts.frames_per_second > 23.99 && facts.frames_per_second < 24.01);
        assert_int_equal(facts.strands, 20);
        assert_int_equal(facts.points, 400);
        assert_true(facts.triangles > 100);
        assert_int_equal(rlt_cache_view(cache, 2, NULL, &view), RLT_OK);
        assert_int_equal(view.frame, 2);
        assert_int_equal(view.first[view.strand_count], 400);
        assert_true(view.widths[0] > 0.049 && view.widths[0] < 0.051);
        /* the head stands about where it was made, in centimetres */
        double highest = -1e9, fastest = 0.0;
        for (int v = 0; v < view.vertex_count; v++)
            highest = fmax(highest, view.vertices[3 * v + 1]);
        assert_true(highest > 5.0 && highest < 40.0);
        for (int p = 0; p < view.point_count; p++)
            fastest = fmax(fastest, fabs(view.velocities[3 * p + 1]));
        assert_true(fastest > 1.0 && fastest < 20000.0);
        assert_int_equal(rlt_inputs_count(rlt_cache_inputs(cache)), 1);
        assert_non_null(strstr(rlt_inputs_path(rlt_cache_inputs(cache), 0), names[i]));
        rlt_messages *messages = rlt_messages_create();
        assert_int_equal(rlt_cache_view(cache, 4, messages, &view), RLT_BAD_INPUT);
        assert_non_null(strstr(rlt_messages_text(messages, 0), "there are frames 1 to 3"));
        rlt_messages_destroy(messages);
        rlt_cache_close(cache);
    }
}

/* A mesh has no velocities of its own in these files: differences to the next frame. */
static void a_cache_has_the_velocities_of_its_meshes(void **state) {
    (void)state;
    rlt_cache *cache = NULL;
    rlt_frame_view view = {.size = sizeof view};
    double fastest = 0.0;
    assert_int_equal(rlt_cache_open("a.usda", NULL, &cache), RLT_OK);
    assert_int_equal(rlt_cache_view(cache, 2, NULL, &view), RLT_OK);
    size_t count = 3 * (size_t)view.vertex_count;
    double *expected = malloc(count * sizeof *expected);
    assert_non_null(expected);
    memcpy(expected, view.vertices, count * sizeof *expected);
    assert_int_equal(rlt_cache_view(cache, 1, NULL, &view), RLT_OK);
    for (size_t k = 0; k < count; k++) {
        double velocity = rlt_cache_vertex_velocities(cache)[k];
        fastest = fmax(fastest, fabs(velocity));
        assert_true(fabs(velocity - 24.0 * (expected[k] - view.vertices[k])) < 1e-6 * (1.0 + fabs(velocity)));
    }
    assert_true(fastest > 1e-3); /* or the test says nothing */
    free(expected);
    rlt_cache_close(cache);
}

/* The file's first frame must be the simulation's, point for point. */
static void a_cache_agrees_with_the_simulation(void **state) {
    (void)state;
    const char *const overrides[] = {"time.preroll=0", "hair.count=20", "hair.total_points=400",
                                     "time.outer_steps=20", "character.resolution=12"};
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    rlt_cache *cache = NULL;
    rlt_frame_view wanted = {.size = sizeof wanted}, found = {.size = sizeof found};
    rlt_simulation_def def = rlt_simulation_defaults();
    def.threads = 1;
    assert_int_equal(rlt_scene_load_embedded("redhead", overrides, 5, NULL, &scene), RLT_OK);
    assert_int_equal(rlt_simulation_create(scene, &def, NULL, &simulation), RLT_OK);
    rlt_simulation_view(simulation, &wanted);
    assert_int_equal(rlt_cache_open("a.usda", NULL, &cache), RLT_OK);
    assert_int_equal(rlt_cache_view(cache, 1, NULL, &found), RLT_OK);
    assert_int_equal(found.point_count, wanted.point_count);
    assert_int_equal(found.vertex_count, wanted.vertex_count);
    for (int k = 0; k < 3 * wanted.point_count; k++) {
        assert_true(fabs(found.points[k] - wanted.points[k]) < 1e-4);
        assert_true(fabs(found.rest[k] - wanted.rest[k]) < 1e-4);
    }
    for (int k = 0; k < 3 * wanted.vertex_count; k++)
        assert_true(fabs(found.vertices[k] - wanted.vertices[k]) < 1e-4);
    rlt_cache_close(cache);
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
}

/* ---- what the scene says ---- */

static void a_scene_has_its_look(void **state) {
    (void)state;
    const char *const overrides[] = {"hair.fill.count=1234", "hair.fill.blend=wisps", "render.azimuth=-30",
                                     "render.key=2"};
    rlt_scene *scene = NULL;
    rlt_fill_def fill = rlt_fill_defaults();
    rlt_render_def def = rlt_render_defaults();
    double key = def.key.colour[1];
    assert_int_equal(rlt_scene_load_embedded("coil", overrides, 4, NULL, &scene), RLT_OK);
    rlt_scene_fill(scene, &fill);
    rlt_scene_look(scene, &def);
    assert_int_equal(fill.hairs, 1234);
    assert_int_equal(fill.blend, RLT_FILL_WISPS);
    assert_int_equal(fill.neighbours, 3);
    assert_true(def.camera.azimuth == -30.0);
    assert_true(def.key.colour[1] == 2.0 * key);
    assert_true(def.hair.eumelanin > 2.0); /* coils are dark */
    assert_true(def.camera.automatic);
    rlt_scene_destroy(scene);

    const char *const own[] = {"render.eye=[1, 150, 90]", "render.target=[0, 150, 0]", "render.aperture=2",
                               "render.focus=80",         "render.exact=on",           "render.bounces=3"};
    assert_int_equal(rlt_scene_load_embedded("coil", own, 6, NULL, &scene), RLT_OK);
    rlt_scene_look(scene, &def);
    assert_false(def.camera.automatic);
    assert_true(def.camera.eye[0] == 1.0 && def.camera.eye[2] == 90.0 && def.camera.target[1] == 150.0);
    assert_true(def.camera.aperture == 2.0 && def.camera.focus == 80.0 && def.exact == 1);
    assert_int_equal(def.bounces, 3);
    rlt_scene_destroy(scene);
}

/* What a scene that says nothing gets is what the library does by itself. */
static void defaults_agree(void **state) {
    (void)state;
    static const char text[] = "hair: {count: 3}\n";
    rlt_scene *scene = NULL;
    rlt_fill_def fill = rlt_fill_defaults(), filled = rlt_fill_defaults();
    rlt_render_def def = rlt_render_defaults(), looked = rlt_render_defaults();
    assert_int_equal(rlt_scene_load_text("t", text, sizeof text - 1, NULL, 0, NULL, &scene), RLT_OK);
    rlt_scene_fill(scene, &filled);
    rlt_scene_look(scene, &looked);
    assert_true(filled.hairs_per_guide == fill.hairs_per_guide && filled.clump == fill.clump &&
                filled.clump_start == fill.clump_start && filled.spread == fill.spread &&
                filled.parting == fill.parting && filled.phase == fill.phase && filled.noise == fill.noise &&
                filled.noise_length == fill.noise_length && filled.width == fill.width &&
                filled.tip == fill.tip && filled.wisp_tip == fill.wisp_tip &&
                filled.length_variation == fill.length_variation && filled.seed == fill.seed &&
                filled.neighbours == fill.neighbours && filled.blend == fill.blend &&
                filled.outside == fill.outside);
    assert_memory_equal(&looked.key, &def.key, sizeof def.key);
    assert_memory_equal(looked.skin, def.skin, sizeof def.skin);
    assert_memory_equal(looked.background, def.background, sizeof def.background);
    assert_true(looked.camera.margin == def.camera.margin && looked.exposure == def.exposure &&
                looked.camera.field_of_view == def.camera.field_of_view && looked.ground == def.ground &&
                looked.camera.automatic == def.camera.automatic && looked.exact == def.exact &&
                looked.bounces == def.bounces);
    rlt_scene_destroy(scene);
}

/* ---- the command ---- */

/* Hair of no width is not seen, and a file may have such. */
static void hair_without_width(void **state) {
    (void)state;
    if (!rlt_render_available())
        skip();
    FILE *file = fopen("thin.usda", "w");
    assert_non_null(file);
    fputs("#usda 1.0\ndef BasisCurves \"h\" { int[] curveVertexCounts = [2, 3]\n uniform token type = "
          "\"linear\"\n point3f[] points = [(0,0,0), (0,1,0), (1,0,0), (1,1,0), (1,2,0)]\n float[] widths = "
          "[0] "
          "(interpolation = \"constant\") }\n",
          file);
    fclose(file);
    assert_int_equal(ringlet("render thin.usda -o thin.png --size 24x24 --samples 1 --hairs 10 --threads 1"),
                     0);
    assert_non_null(strstr(err_text, "no width"));
}

static void need_renderer(void) {
    if (!rlt_render_available()) {
        print_message("skipped: built without Embree\n");
        skip();
    }
}

static void pictures_of_a_file(void **state) {
    (void)state;
    need_renderer();
    assert_int_equal(ringlet("render a.usda -o new/one.png --frames 2 " QUICK), 0);
    assert_true(look_at("new/one.png", 40, 32) > 5.0);
    assert_int_equal(ringlet("render a.usda -o b.###.png --frames 1:3:2 -q " QUICK), 0);
    assert_string_equal(err_text, "");
    assert_true(exists("b.001.png") && !exists("b.002.png") && exists("b.003.png"));
    /* the same file, the same bytes; without a name for more, the last frame */
    assert_int_equal(ringlet("render a.usda -o c.png -q " QUICK), 0);
    assert_int_equal(ringlet("render a.usda -o d.png --frames 3 -q " QUICK), 0);
    assert_int_equal(system("cmp -s c.png d.png"), 0);
    assert_int_equal(ringlet("render a.usda -o e.png --frames 3 --azimuth -90 --no-body -q " QUICK), 0);
    assert_int_not_equal(system("cmp -s c.png e.png"), 0);
}

static void a_movie_of_a_scene(void **state) {
    (void)state;
    need_renderer();
    if (!rlt_movie_available()) {
        assert_int_equal(ringlet("render redhead -o m.mp4 --frames 1:2 " SMALL QUICK), 0);
        assert_non_null(strstr(err_text, "built without libav*"));
        assert_true(exists("m.0001.png") && exists("m.0002.png"));
        return;
    }
    assert_int_equal(ringlet("render redhead -o m.mp4 --frames 1:2 --json " SMALL QUICK), 0);
    assert_true(exists("m.mp4"));
    assert_non_null(strstr(out_text, "\"status\": \"done\""));
    assert_non_null(strstr(out_text, "\"frames\": 2"));
    assert_non_null(strstr(out_text, "\"hairs\": 100"));
    assert_int_equal(ringlet("render a.usda -o n.mp4 --codec h246 " QUICK), 2);
    assert_non_null(strstr(err_text, "codec h246: not available"));
    assert_false(exists("n.mp4"));
}

static void wrong(const char *arguments, int code, const char *part) {
    assert_int_equal(ringlet(arguments), code);
    if (strstr(err_text, part) == NULL)
        fail_msg("%s: %s", arguments, err_text);
}

/* What a scene says about pictures comes back from its files, changed as options say. */
static void a_file_has_the_look_of_its_scene(void **state) {
    (void)state;
    static const char *const names[] = {"a.usda", "a.abc"};
    for (int i = 0; i < 2; i++) {
        rlt_cache *cache = NULL;
        rlt_scene *scene = NULL;
        rlt_render_def def = rlt_render_defaults();
        assert_int_equal(rlt_cache_open(names[i], NULL, &cache), RLT_OK);
        const char *text = rlt_cache_look(cache);
        assert_non_null(text);
        assert_int_equal(rlt_scene_load_text("look", text, strlen(text), NULL, 0, NULL, &scene), RLT_OK);
        rlt_scene_look(scene, &def);
        assert_int_equal(def.look_count, 1);
        assert_true(fabs(def.looks[0].pheomelanin - 1.8) < 1e-9 && !def.looks[0].dyed);
        double colour[3];
        rlt_render_hair_colour(&def.looks[0], colour);
        assert_true(colour[0] > 2.0 * colour[1] && colour[1] > 2.0 * colour[2]); /* red */
        char *again = rlt_scene_look_text(scene); /* what is read says the same */
        assert_string_equal(again, text);
        rlt_text_free(again);
        rlt_scene_destroy(scene);
        rlt_cache_close(cache);
    }
    assert_int_equal(
        ringlet("render a.usda -o look.png --preview --size 40 --hairs 100 --frames 1 --threads 1 "
                "--set hair.look.eumelanin=8 --set render.azimuth=90"),
        0);
    assert_non_null(strstr(err_text, "camera: --set render.eye=["));
    assert_int_equal(
        ringlet("render a.abc -o look2.png --preview --size 40 --hairs 100 --frames 1 --threads 1 "
                "--look straight"),
        0);
    wrong("render a.usda -o q.png --set hair.length=3", 2, "hair.look.*");
    wrong("render a.usda -o q.png --look nobody", 2, "nobody");
}

/* The camera of a shot needs to know where its body goes. */
static void a_body_travels(void **state) {
    (void)state;
    const char *overrides[] = {"hair.count=3", "character.resolution=24", "time.preroll=0"};
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    rlt_simulation_def def = rlt_simulation_defaults();
    assert_int_equal(rlt_scene_load_embedded("curls", overrides, 3, NULL, &scene), RLT_OK);
    assert_int_equal(rlt_simulation_create(scene, &def, NULL, &simulation), RLT_OK);
    double here[3], there[3];
    rlt_simulation_travel(simulation, 1, here);
    rlt_simulation_travel(simulation, 10, there);
    assert_true(fabs(here[0]) + fabs(here[1]) + fabs(here[2]) < 1e-9);
    assert_true(fabs(there[0]) + fabs(there[1]) + fabs(there[2]) > 0.1);
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
}

/* Hairs that the last picture has, by its JSON. */
static long hairs_drawn(void) {
    const char *at = strstr(out_text, "\"hairs\": ");
    return at ? strtol(at + strlen("\"hairs\": "), NULL, 10) : 0;
}

/* A single preview and a sheet have time for more hairs than pictures that are to be a movie. */
static void previews_of_stills(void **state) {
    (void)state;
    const char *names[] = {"many.#.png", "many.png", "many.png --every 1"};
    long hairs[3];
    for (int i = 0; i < 3; i++) {
        char command[200];
        snprintf(
            command, sizeof command,
            "render a.usda -o %s --force --preview --frames 2 --size 40x32 --hairs 90000 --json --threads 1",
            names[i]);
        assert_int_equal(ringlet(command), 0);
        hairs[i] = hairs_drawn();
    }
    print_message("hairs of a movie, a still, a sheet: %ld, %ld, %ld\n", hairs[0], hairs[1], hairs[2]);
    assert_true(hairs[0] > 1000 && hairs[1] > 2 * hairs[0]);
    assert_true(hairs[1] == hairs[2]);
}

/* Movies are previews, and say how to trace; a sheet has a picture for every N-th frame. */
static void previews_and_sheets(void **state) {
    (void)state;
    assert_int_equal(
        ringlet("render a.usda -o p.png --preview --frames 2 --size 40x32 --hairs 100 --json --threads 1"),
        0);
    assert_non_null(strstr(out_text, "\"rays\": 0"));
    assert_null(strstr(err_text, "stand for all"));
    assert_int_equal(
        ringlet("render a.usda -o p.png --force --preview --frames 2 --size 40x32 --hairs 60000"), 0);
    assert_non_null(strstr(err_text, " of 60000 hairs stand for all; traced pictures show them all\n"));
    assert_int_equal(
        ringlet("render a.usda -o sheet.png --every 2 --size 40x32 --hairs 100 --json --threads 1"), 0);
    assert_non_null(strstr(out_text, "\"frames\": 2"));
    assert_non_null(strstr(out_text, "\"rays\": 0"));
    png_image png = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&png, "sheet.png"));
    assert_int_equal(png.width, 2 * 40 + 4);
    assert_int_equal(png.height, 32);
    png_image_free(&png);
    wrong("render a.usda -o q.png --preview --samples 3", 2, "--preview");
    wrong("render a.usda -o q.exr --every 2", 2, "sheet");
}

/* Overlays of files and of scenes; all names are known. */
static void diagnostics_are_drawn(void **state) {
    (void)state;
    need_renderer();
    assert_int_equal(ringlet("render a.usda -o s0.png --frames 2 --no-motion-blur -q " QUICK), 0);
    const char *const of_files[] = {"guides", "stretch", "guides,speed"};
    for (int i = 0; i < 3; i++) {
        char line[300];
        snprintf(line, sizeof line, "render a.usda -o s1.png --frames 2 -q --show %s " QUICK, of_files[i]);
        assert_int_equal(ringlet(line), 0);
        assert_int_not_equal(system("cmp -s s0.png s1.png"), 0);
    }
    assert_int_equal(ringlet("render redhead -o s2.png --frames 2 -q " SMALL QUICK
                             "--show guides,smoothed,core,frames,targets,contacts,pruned,penetration"),
                     0);
    assert_int_equal(ringlet("render redhead -o s3.png --frames 2 -q " SMALL QUICK
                             "--show penetration,pruned,contacts,targets,frames,core,smoothed,guides"),
                     0);
    assert_int_equal(system("cmp -s s2.png s3.png"), 0); /* the order of names does not count */
    assert_int_equal(ringlet("render redhead -o s4.png --frames 2 -q " SMALL QUICK
                             "--show holds --set 'constraints=[{kind: centroid}]'"),
                     0);
    assert_true(look_at("s2.png", 40, 32) > 5.0);
    const char *const of_rods[] = {"guides,frames,targets", "twist", "curvature", "residual"};
    for (int i = 0; i < 4; i++) {
        char line[300];
        snprintf(line, sizeof line,
                 "render redhead -o s5.png --frames 2 -q --set hair.model=rod --show %s " SMALL QUICK,
                 of_rods[i]);
        assert_int_equal(ringlet(line), 0);
        assert_true(look_at("s5.png", 40, 32) > 5.0);
    }
}

static void wrong_use_is_told(void **state) {
    (void)state;
    wrong("render a.usda", 2, "no output is named; add -o ");
    wrong("render a.usda -o a.jpg", 2, "must end in .png");
    wrong("render a.usda -o a.png --size 0x9", 2, "--size 0x9");
    wrong("render a.usda -o a.png --frames :", 2, "needs a run of #");
    wrong("render a.usda -o a.png --frames a", 2, "must be A, A:B");
    wrong("render a.usda -o a.png --frames 1:9:0", 2, "must be A, A:B");
    wrong("render a.usda -o a.png --frames 4:5", 2, "has frames 1 to 3");
    wrong("render a.usda -o a.####.png --frames 3:2", 2, "--frames 3:2");
    wrong("render a.usda -o a.png --frames 1:3", 2, "needs a run of #");
    wrong("render a.usda -o a.png --codec h264", 2, "is for movies");
    wrong("render a.usda -o a.png --set hair.count=1", 2, "is not a scene");
    wrong("render a.usda -o a.png --set render.bounce=1", 2, "did you mean render.bounces?");
    wrong("render a.usda -o a.png --show frame", 2,
          "--show frame: not known; there are guides, smoothed, core, frames, targets, contacts, pruned, "
          "stretch, penetration, speed, holds, twist, curvature, residual and forces");
    wrong("render a.usda -o a.png --show guides,", 2, "not known");
    wrong("render a.usda -o a.png --show speed,stretch", 2, "stretch and speed each have a scale of colours");
    wrong(
        "render a.usda -o a.png --show guides,frames,contacts", 2,
        "--show frames and contacts: needs the simulation, and a.usda holds only its curves; give the scene");
    wrong("render a.usda -o a.png --show twist", 2, "--show twist: needs the simulation");
    wrong("render redhead -o a.png --frames 2 --show twist " SMALL, 2,
          "built-in scene redhead: hair.model = taz: cannot show twist; choose a model that can (rod, coil), "
          "or show "
          "something else");
    wrong("render redhead -o a.png --frames 2 --show core --set hair.model=rod " SMALL, 2,
          "hair.model = rod: cannot show core; choose a model that can (taz), or show something else");
    wrong("render none.usda -o a.png", 2, "none.usda");
    wrong("render nobody -o a.png", 2, "unknown scene");
    FILE *file = fopen("empty.usda", "w");
    assert_non_null(file);
    fputs("#usda 1.0\ndef Xform \"a\" {}\n", file);
    fclose(file);
    wrong("render empty.usda -o a.png", 2, "empty.usda: has no curves");
    /* what cannot be written is told before anything is read */
    file = fopen("plain", "w");
    assert_non_null(file);
    fclose(file);
    wrong("render nobody -o plain/a.png", 1, "-o plain/a.png: cannot write: Not a directory");
    wrong("render nobody -o plain/b/a.####.png", 1, "plain/b/a.####.png: cannot write: Not a directory");
    if (geteuid() != 0) { /* who may write everywhere is not told */
        assert_int_equal(system("mkdir closed && chmod 555 closed"), 0);
        wrong("render nobody -o closed/a.png", 1, "closed/a.png: cannot write: Permission denied");
        wrong("render nobody -o closed/b/a.png", 1, "closed/b/a.png: cannot write: Permission denied");
    }
    if (rlt_movie_available()) {
        wrong("render nobody -o plain/a.mp4", 1, "plain/a.mp4");
        wrong("render nobody -o n.mp4 --codec h246", 2, "codec h246: not available");
        assert_false(exists("n.mp4") || exists("n.mp4.tmp"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_shows_what_was_written),
        cmocka_unit_test(a_cache_has_the_velocities_of_its_meshes),
        cmocka_unit_test(a_cache_agrees_with_the_simulation),
        cmocka_unit_test(a_scene_has_its_look),
        cmocka_unit_test(defaults_agree),
        cmocka_unit_test(hair_without_width),
        cmocka_unit_test(pictures_of_a_file),
        cmocka_unit_test(a_movie_of_a_scene),
        cmocka_unit_test(previews_of_stills),
        cmocka_unit_test(previews_and_sheets),
        cmocka_unit_test(a_file_has_the_look_of_its_scene),
        cmocka_unit_test(a_body_travels),
        cmocka_unit_test(diagnostics_are_drawn),
        cmocka_unit_test(wrong_use_is_told),
    };
    return cmocka_run_group_tests(tests, make_cache, remove_directory);
}
