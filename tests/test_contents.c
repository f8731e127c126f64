/* A resumed run goes on only where every file that drives it holds what it did. */
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

/* A skin that is skinned to one joint, which moves at frame 8; its motion is in a layer of its own. */
#define SKIN                                                                                                 \
    "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n"                 \
    "    subLayers = [@./motion.usda@]\n)\n" USDA_SKIN
#define MOTION(height)                                                                                       \
    USDA_HEAD "over \"skin\"\n{\n    point3f[] points.timeSamples = {\n"                                     \
              "        1: [(-0.1, 0, 0.1), (0.1, 0, 0.1), (0.1, 0, -0.1), (-0.1, 0, -0.1)],\n"               \
              "        12: [(-0.1, " height                                                                  \
              ", 0.1), (0.1, 0, 0.1), (0.1, 0, -0.1), (-0.1, 0, -0.1)]\n    }\n}\n"

#define BALL(y) "v -1 " y " 0\nv 1 -9 0\nv 0 -8 1\nv 0 -8 -1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"

static void write_inputs(void) {
    put("shot.yaml", "title: first\ntime: {last: 12, outer_steps: 10, force_steps: 60, damping_steps: 20}\n"
                     "character: {kind: file, file: skin.usda}\nmotion: {kind: spin, spin: 20, start: 0.2}\n"
                     "colliders:\n  - {name: ball, kind: mesh, file: ball.####.obj}\n"
                     "hair: {file: groom.usda, " MODEL "}\n");
    put("skin.usda", SKIN);
    put("motion.usda", MOTION("0.01"));
    put("groom.usda", USDA_HEAD USDA_CURVES "}\n");
    for (int i = 1; i <= 12; i++) {
        char name[32];
        snprintf(name, sizeof name, "ball.%04d.obj", i);
        put(name, BALL("-9"));
    }
}

#define KEYED                                                                                                \
    "title: keyed\ntime: {last: 12, outer_steps: 10}\ncharacter: {kind: none}\nhair: {region: none, count: " \
    "4, length: 12, " MODEL "}\n"
#define CURVE "# baked\nry;frame\n0;1\n9.5;4\n-70;7\n80;12\n"

/* Keys from a file are the same motion, byte by byte, as those in the scene; a file that has changed stops a
 * run that is resumed, and the output never replaces it. */
static void keys_from_a_file(void **state) {
    (void)state;
    put("keyed.yaml", KEYED "motion: {kind: keys, file: head.csv}\n");
    put("plain.yaml", KEYED "motion: {kind: keys, keys: [[1, 0, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 9.5, 0], "
                            "[7, 0, 0, 0, 0, -70, 0], [12, 0, 0, 0, 0, 80, 0]]}\n");
    put("head.csv", CURVE);
    assert_int_equal(ringlet("simulate keyed.yaml -q -t 1 -o keyed.usda"), 0);
    assert_int_equal(ringlet("simulate plain.yaml -q -t 1 -o plain.usda"), 0);
    assert_int_equal(system("grep -v ringlet[FC] keyed.usda > a; grep -v ringlet[FC] plain.usda | cmp a -"),
                     0);
    int code = ringlet("simulate keyed.yaml -q -t 1 -o part.usda --checkpoint 2 --set health.speed_limit=60");
    if (code != 3)
        fail_msg("exit %d:\n%s", code, err_text);
    put("head.csv", CURVE "13;0\n14;20\n");
    assert_int_equal(ringlet("simulate keyed.yaml -q -t 1 -o part.usda --resume"), 2);
    assert_non_null(strstr(err_text, "head.csv:7:1: frames must increase"));
    put("head.csv", CURVE "0;13\n");
    assert_int_equal(ringlet("simulate keyed.yaml -q -t 1 -o part.usda --resume"), 2);
    assert_non_null(strstr(err_text, "head.csv: has changed since the checkpoint"));
    put("head.csv", CURVE);
    assert_int_equal(ringlet("simulate keyed.yaml -q -t 1 -o part.usda --resume"), 0);
    assert_int_equal(system("cmp keyed.usda part.usda"), 0);
    assert_int_equal(ringlet("simulate keyed.yaml -q -t 1 -o keyed.usda --force --set motion.file=gone.csv"),
                     2);
    assert_non_null(strstr(err_text, "motion.file: gone.csv: cannot read"));
    assert_int_equal(
        ringlet("simulate keyed.yaml -q -t 1 -o late.usda --set time.first=100 --set time.last=101"), 0);
    assert_non_null(strstr(err_text, "motion.file: its keys are of frames 1 to 12, the shot is 100 to 101"));
}

/* A run that ends half way with a checkpoint. */
static void begin(void) {
    assert_int_equal(system("rm -rf out.usda*"), 0);
    int code = ringlet("simulate shot.yaml -q -t 1 -o out.usda --checkpoint 2 --set health.speed_limit=20");
    if (code != 3)
        fail_msg("exit %d:\n%s", code, err_text);
    assert_int_equal(access("out.usda.checkpoint", F_OK), 0);
}

static void assert_refused(const char *file) {
    char wanted[128];
    int code = ringlet("simulate shot.yaml -q -t 1 -o out.usda --resume");
    snprintf(wanted, sizeof wanted, "%s: has changed since the checkpoint out.usda.checkpoint was made",
             file);
    if (code != 2 || strstr(err_text, wanted) == NULL)
        fail_msg("%s: exit %d:\n%s", file, code, err_text);
}

static void changed_content_is_refused_by_name(void **state) {
    (void)state;
    static const struct {
        const char *file, *text;
    } changes[] = {{"motion.usda", MOTION("0.02")}, /* a layer below the body */
                   {"ball.0003.obj", BALL("-8")},   /* read before the checkpoint */
                   {"ball.0012.obj", BALL("-8")},   /* not read yet */
                   {"skin.usda", SKIN "\n"},
                   {"groom.usda", USDA_HEAD USDA_CURVES "    float[] widths = [0.001]\n}\n"}};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        write_inputs();
        begin();
        put(changes[i].file, changes[i].text);
        assert_refused(changes[i].file);
    }
    /* the old content is back: when it was written does not count */
    write_inputs();
    assert_int_equal(ringlet("simulate shot.yaml -q -t 1 -o out.usda --resume"), 0);
    assert_int_equal(rename("out.usda", "resumed.usda"), 0);
    assert_int_equal(ringlet("simulate shot.yaml -q -t 1 -o out.usda"), 0);
    assert_int_equal(system("cmp out.usda resumed.usda"), 0);
}

static void more_files_are_refused(void **state) {
    (void)state;
    write_inputs();
    begin();
    put("ball.0013.obj", BALL("-9"));
    assert_int_equal(ringlet("simulate shot.yaml -q -t 1 -o out.usda --resume"), 2);
    assert_non_null(strstr(err_text, "was made with 15 files of bodies and grooms, now there are 16"));
    assert_int_equal(unlink("ball.0013.obj"), 0);
}

/* Comments in the scene, and its title, are nobody's motion. */
static void the_scene_may_change_where_it_does_not_matter(void **state) {
    (void)state;
    write_inputs();
    begin();
    assert_int_equal(system("sed -i 's/title: first/title: second # note/' shot.yaml"), 0);
    assert_int_equal(ringlet("simulate shot.yaml -q -t 1 -o out.usda --resume"), 0);
}

static void ranks_have_one_fingerprint(void **state) {
    (void)state;
    mpi_needed();
    write_inputs();
    begin();
    assert_int_equal(system("cp out.usda.checkpoint one.checkpoint"), 0);
    assert_int_equal(system("rm -rf out.usda*"), 0);
    assert_int_equal(mpi_run(2, "'" RLT_PROGRAM "' simulate shot.yaml -q -t 1 -o out.usda --checkpoint 2 "
                                "--set health.speed_limit=20"),
                     3);
    assert_int_equal(system("cmp out.usda.checkpoint one.checkpoint"), 0);
    put("ball.0012.obj", BALL("-8"));
    assert_int_equal(mpi_run(2, "'" RLT_PROGRAM "' simulate shot.yaml -q -t 1 -o out.usda --resume"), 2);
    const char *said = strstr(err_text, "ball.0012.obj: has changed since");
    assert_non_null(said);
    assert_null(strstr(said + 1, "ball.0012.obj: has changed since"));
    write_inputs();
    assert_int_equal(mpi_run(2, "'" RLT_PROGRAM "' simulate shot.yaml -q -t 1 -o out.usda --resume"), 0);
}

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("contents");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_content_is_refused_by_name),
        cmocka_unit_test(keys_from_a_file),
        cmocka_unit_test(more_files_are_refused),
        cmocka_unit_test(the_scene_may_change_where_it_does_not_matter),
        cmocka_unit_test(ranks_have_one_fingerprint),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
