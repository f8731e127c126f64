/* No output replaces a file that is read, whatever names it has. */
#include <sys/stat.h>
#include <unistd.h>

#include "folder_fixture.h"
#include "import_fixture.h"
#include "mpi_fixture.h"

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#define MODEL                                                                                                \
    "contact: {enabled: off}, core: {stiffness: 0, stiffness_max: 0, damping: 0, damping_max: 0}, "          \
    "stretch: {stiffness: 1e6, damping: 1500}, bend: {damping: 400}"

#define SCENE(character, collider, hair)                                                                     \
    "time: {last: 3, outer_steps: 10, force_steps: 60, damping_steps: 20}\n"                                 \
    "character: {kind: file, file: " character "}\n"                                                         \
    "colliders:\n  - {name: ball, kind: mesh, file: " collider "}\n"                                         \
    "hair: {file: " hair ", " MODEL "}\n"

#define BALL "v -1 -9 0\nv 1 -9 0\nv 0 -8 1\nv 0 -8 -1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"

static void write_inputs(void) {
    put("shot.yaml", SCENE("skin.usda", "ball.####.obj", "groom.usda"));
    put("skin.usda", USDA_HEAD USDA_SKIN);
    put("groom.usda", "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n"
                      "    subLayers = [@./layer.usda@]\n)\n"
                      "over \"groom\" (\n    prepend payload = @./payload.usda@</hair>\n)\n{\n}\n"
                      "def Xform \"more\" (\n    prepend references = @./other.usda@</hair>\n)\n{\n}\n");
    put("layer.usda", USDA_HEAD "def BasisCurves \"groom\"\n{\n}\n");
    put("payload.usda", USDA_HEAD USDA_CURVES "}\n");
    put("other.usda", USDA_HEAD "def Xform \"hair\"\n{\n}\n");
    put("ball.0001.obj", BALL);
    put("ball.0002.obj", BALL);
    put("ball.0003.obj", BALL);
    assert_int_equal(system("rm -rf sub links; mkdir sub links; ln layer.usda links/hard.usda; "
                            "ln -s ../skin.usda links/soft.usda; ln skin.usda 'out.usda.points.part'; "
                            "sha256sum *.usda *.obj *.yaml links/* > sums"),
                     0);
}

/* Nothing that was there has changed, and nothing was added. */
static void assert_untouched(const char *arguments) {
    if (system("sha256sum --quiet -c sums > sums.txt 2>&1") != 0)
        fail_msg("%s: an input has changed", arguments);
}

static void refused(const char *arguments, const char *wanted) {
    int code = ringlet(arguments);
    assert_untouched(arguments);
    if (code != 2 || strstr(err_text, wanted) == NULL)
        fail_msg("%s: exit %d, wanted '%s':\n%s", arguments, code, wanted, err_text);
}

static void simulate_replaces_no_input(void **state) {
    (void)state;
    static const char *const names[] = {"skin.usda",        "groom.usda",      "layer.usda",
                                        "payload.usda",     "other.usda",      "./payload.usda",
                                        "sub/../skin.usda", "links/hard.usda", "links/soft.usda"};
    write_inputs();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char line[256];
        snprintf(line, sizeof line, "simulate shot.yaml -q -o %s", names[i]);
        refused(line, "give another name");
        snprintf(line, sizeof line, "simulate shot.yaml -q --standalone --checkpoint 1 --resume -o %s",
                 names[i]);
        if (strstr(names[i], "links/") == NULL)
            refused(line, "give another name");
    }
    refused("simulate shot.yaml -q -o out.usda", "out.usda: ");
    assert_int_equal(access("out.usda", F_OK), -1);
    refused("simulate shot.yaml -q -o out.usda", "such names belong to the output; give another name");
    assert_int_equal(unlink("out.usda.points.part"), 0);
    /* the files of a sequence that are read later, and a scene, by names that can be written */
    put("s.usda", SCENE("skin.usda", "ball.####.obj", "groom.usda"));
    assert_int_equal(ringlet("simulate s.usda -q -o s.usda"), 2);
    put("shot2.yaml", SCENE("skin.usda", "n.###.usda", "groom.usda"));
    put("n.001.usda", BALL);
    put("n.002.usda", BALL);
    put("n.003.usda", BALL);
    assert_int_equal(system("sha256sum *.usda *.obj *.yaml links/* > sums"), 0);
    refused("simulate shot2.yaml -q -o n.003.usda", "n.003.usda: is read, and would be replaced");
    refused("simulate s.usda -q -o s.usda", "s.usda: is read, and would be replaced; give another name");
    assert_int_equal(ringlet("simulate shot.yaml -q -o out.usda"), 0);
    assert_untouched("simulate");
    /* its own output is no input: a second run replaces it, and a resumed one reads it */
    assert_int_equal(ringlet("simulate shot.yaml -q -o out.usda"), 0);
    assert_int_equal(ringlet("simulate shot.yaml -q -o out.usda --resume"), 0);
}

/* A collider that is off and a shape that nothing uses are not read today; the scene has them all the
 * same. */
static void files_of_the_scene_that_are_not_read(void **state) {
    (void)state;
    write_inputs();
    put("off.yaml", "time: {last: 2, outer_steps: 10, force_steps: 60, damping_steps: 20}\n"
                    "character: {kind: none}\n"
                    "colliders: {kind: mesh, enabled: off, file: skin.usda}\n"
                    "hair:\n  - {file: groom.usda, " MODEL "}\n"
                    "  - {name: later, role: shape, file: sub/../payload.usda, " MODEL "}\n");
    assert_int_equal(system("sha256sum *.usda *.obj *.yaml links/* > sums"), 0);
    refused("simulate off.yaml -q -o skin.usda", "skin.usda: is named by the scene, and would be replaced");
    refused("simulate off.yaml -q -o links/soft.usda", "skin.usda, which is named by the scene and would");
    refused("fill off.yaml -q -o payload.usda --hairs 10", "payload.usda: is ");
    assert_int_equal(unlink("out.usda.points.part"), 0);
    assert_int_equal(ringlet("simulate off.yaml -q -o out.usda"), 0);
    assert_int_equal(ringlet("simulate off.yaml -q -o out.usda --resume"), 0);
}

static void convert_and_fill_replace_no_input(void **state) {
    (void)state;
    write_inputs();
    refused("convert groom.usda groom.usda", "groom.usda: is read");
    refused("convert groom.usda layer.usda", "layer.usda: is read");
    refused("convert groom.usda links/hard.usda", "which is read and would be replaced");
    refused("convert groom.usda payload.usda", "payload.usda: is read");
    refused("convert ./groom.usda sub/../other.usda", "which is read and would be replaced");
    refused("fill groom.usda -q -o groom.usda --hairs 10", "groom.usda: is read");
    refused("fill groom.usda -q -o payload.usda --hairs 10", "payload.usda: is read");
    refused("fill shot.yaml -q -o skin.usda --hairs 10", "skin.usda: is read");
    assert_int_equal(unlink("out.usda.points.part"), 0);
    assert_int_equal(ringlet("fill groom.usda -q -o out.usda --hairs 10"), 0);
    assert_int_equal(ringlet("convert groom.usda out.usda"), 0);
}

static void pictures_and_reports_replace_no_input(void **state) {
    (void)state;
    write_inputs();
    put("p.yaml", SCENE("skin.usda", "n.###.png", "groom.png"));
    put("groom.png", USDA_HEAD USDA_CURVES "}\n");
    put("n.001.png", BALL);
    put("n.002.png", BALL);
    put("n.003.png", BALL);
    assert_int_equal(mkdir("page", 0777), 0);
    put("page/index.html", USDA_HEAD USDA_SKIN);
    put("page/report.json", USDA_HEAD USDA_SKIN);
    put("r.yaml", SCENE("page/index.html", "n.###.png", "groom.usda"));
    assert_int_equal(system("sha256sum *.usda *.obj *.yaml *.png page/* > sums"), 0);
    if (rlt_render_available()) {
        refused("render p.yaml -q --draft -o n.###.png", "n.001.png: is read");
        refused("render p.yaml -q --draft -o groom.png", "groom.png: is read");
        refused("render groom.png -q --draft -o groom.png", "groom.png: is read");
        refused("render groom.png -q --draft -o page/../groom.png", "which is read and would be replaced");
    }
    refused("simulate r.yaml -q -o o.usda --report page", "page/index.html: is read");
    assert_int_equal(access("o.usda", F_OK), -1);
    refused("demo coil -q --draft -f 1:2 -o page --set character.kind=file --set hair.region=none "
            "--set character.file=page/report.json --set motion.kind=still --set colliders=[]",
            "page/report.json: is read");
}

static void ranks_agree(void **state) {
    (void)state;
    mpi_needed();
    write_inputs();
    assert_int_equal(mpi_run(2, "'" RLT_PROGRAM "' simulate shot.yaml -q -o layer.usda"), 2);
    const char *said = strstr(err_text, "layer.usda: is read");
    assert_non_null(said);
    assert_null(strstr(said + 1, "layer.usda: is read"));
    assert_untouched("mpirun");
}

/* Who uses the library gets the same. */
static void writers_refuse_too(void **state) {
    import *f = *state;
    char path[200];
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES "}\n");
    rlt_frame_view view = import_good(f, SCENE_FILES SCENE_HAIR "}\n");
    rlt_writer_def def = {.size = sizeof def, .frames_per_second = 24.0, .metres_per_unit = 0.01};
    rlt_writer *writer = NULL;
    snprintf(path, sizeof path, "%s./s.usda", f->folder);
    assert_int_equal(rlt_writer_open(path, &def, f->messages, &writer), RLT_OK);
    assert_int_equal(rlt_writer_add(writer, &view, f->messages), RLT_BAD_INPUT);
    rlt_writer_abandon(writer);
    import_expect(f, "./s.usda: is the file ", "which is read and would be replaced; give another name");
    rlt_fill_writer_def fill = rlt_fill_writer_defaults();
    rlt_fill_writer *filler = NULL;
    fill.inputs = view.inputs;
    assert_int_equal(rlt_fill_writer_open(path, &fill, f->messages, &filler), RLT_BAD_INPUT);
    assert_null(filler);
    assert_int_equal(rlt_inputs_count(view.inputs), 1);
    assert_non_null(strstr(rlt_inputs_path(view.inputs, 0), "s.usda"));
}

/* A list of one's own, and those of a scene and of a simulation. */
static void lists_refuse_what_was_read(void **state) {
    (void)state;
    rlt_messages *messages = rlt_messages_create();
    rlt_inputs *own = rlt_inputs_create();
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    write_inputs();
    assert_int_equal(rlt_inputs_add(own, "nothing.usda", messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_inputs_count(own), 0);
    assert_int_equal(rlt_inputs_add(own, "skin.usda", messages), RLT_OK);
    assert_int_equal(rlt_inputs_count(own), 1);
    assert_int_equal(rlt_inputs_check(own, "new.usda", messages), RLT_OK);
    assert_int_equal(rlt_inputs_check(NULL, "skin.usda", messages), RLT_OK);
    assert_int_equal(rlt_inputs_check(own, "sub/../skin.usda", messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_inputs_check(own, "links/soft.usda", messages), RLT_BAD_INPUT);
    rlt_inputs_destroy(own);
    assert_int_equal(rlt_scene_load_file("shot.yaml", NULL, 0, messages, &scene), RLT_OK);
    assert_int_equal(rlt_inputs_count(rlt_scene_inputs(scene)), 1);
    assert_int_equal(rlt_inputs_check(rlt_scene_inputs(scene), "shot.yaml", messages), RLT_BAD_INPUT);
    assert_int_equal(rlt_inputs_check(rlt_scene_inputs(scene), "payload.usda", messages), RLT_OK);
    assert_int_equal(rlt_simulation_create(scene, NULL, messages, &simulation), RLT_OK);
    const char *const read[] = {"shot.yaml", "payload.usda", "ball.0003.obj"}; /* the last not yet opened */
    for (int i = 0; i < 3; i++)
        assert_int_equal(rlt_inputs_check(rlt_simulation_inputs(simulation), read[i], messages),
                         RLT_BAD_INPUT);
    assert_int_equal(rlt_inputs_check(rlt_simulation_inputs(simulation), "new.usda", messages), RLT_OK);
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
}

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("inputs");
}

static int empty(void **state) {
    (void)state;
    return system("rm -rf ./*");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(simulate_replaces_no_input, empty),
        cmocka_unit_test_setup(files_of_the_scene_that_are_not_read, empty),
        cmocka_unit_test_setup(convert_and_fill_replace_no_input, empty),
        cmocka_unit_test_setup(pictures_and_reports_replace_no_input, empty),
        cmocka_unit_test_setup(ranks_agree, empty),
        cmocka_unit_test_setup(lists_refuse_what_was_read, empty),
        cmocka_unit_test_setup_teardown(writers_refuse_too, import_setup, import_teardown),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
