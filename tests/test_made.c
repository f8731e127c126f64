/* --resume without a checkpoint: a finished file is taken for done only where it was made from the same. */
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "folder_fixture.h"
#include "json_fixture.h"
#include "program_fixture.h"

static const char scene[] =
    "time: {last: 24, outer_steps: 12, force_steps: 15, damping_steps: 5}\n"
    "motion: {kind: walk, amount: 2}\n"
    "character: {kind: none}\n"
    "hair: {preset: redhead, region: none, spacing: 1, count: 5, total_points: 100, length: 20,"
    " stretch: {stiffness: 1e6, damping: 1000}}\n";

static int exists(const char *path) {
    return access(path, F_OK) == 0;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* `ringlet simulate SCENE -o OUTPUT --resume OPTIONS`: says that it is complete, or runs and gives what a run
 * into an empty place gives. */
static void assert_resume(const char *file, const char *output, const char *options, int is_done) {
    char line[512];
    snprintf(line, sizeof line, "simulate %s -o %s -q -t 1 --resume --json %s", file, output, options);
    assert_int_equal(ringlet(line), 0);
    if ((strstr(err_text, "nothing to do") != NULL) != is_done)
        fail_msg("%s: %s", line, err_text);
    snprintf(line, sizeof line, "simulate %s -o new-%s -q -t 1 %s", file, output, options);
    assert_int_equal(ringlet(line), 0);
    snprintf(line, sizeof line, "cmp %s new-%s", output, output);
    assert_int_equal(system(line), 0);
}

static void only_what_was_made_from_the_same_is_done(void **state) {
    (void)state;
    static const char *const outputs[] = {"o.usda", "o.usdc", "o.abc", "o.hair"};
    write_file("edit.yaml", scene);
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        const char *o = outputs[i];
        assert_resume("edit.yaml", o, "--frames :4", 0);
        assert_resume("edit.yaml", o, "--frames :4", 1);
        assert_resume("edit.yaml", o, "--frames :4 --threads 2 --simd portable --checkpoint 0", 1);
        assert_resume("edit.yaml", o, "--frames :4 --set health.speed_limit=1e6", 1);
        assert_resume("edit.yaml", o, "--frames :4 --set motion.amount=1", 0);
        if (i > 0) /* the rest has nothing to do with the format */
            continue;
        assert_resume("edit.yaml", o, "--frames :4 --set motion.amount=1", 1);
        assert_resume("edit.yaml", o, "--frames :4 --set title=other", 0);
        assert_resume("edit.yaml", o, "--frames 2:4", 0);
        assert_resume("edit.yaml", o, "--frames 2:5", 0);
        assert_resume("edit.yaml", o, "--frames 2:5 --no-velocities", 0);
        assert_resume("edit.yaml", o, "--frames 2:5 --no-velocities", 1);
        assert_resume("edit.yaml", o, "--frames 2:5 --unreal", 0);
        assert_resume("edit.yaml", o, "--frames 2:5 --unreal groom", 0);
        assert_resume("edit.yaml", o, "--frames 2:5 --unreal groom", 1);
        assert_resume("edit.yaml", o, "--frames 2:5 --simd reference", 0);
        assert_resume("edit.yaml", o, "--frames 2:5", 0);
    }
    /* the scene's own text changes */
    write_file("edit.yaml", "title: edited\n");
    FILE *file = fopen("edit.yaml", "a");
    assert_non_null(file);
    assert_true(fputs(scene, file) >= 0);
    fclose(file);
    assert_resume("edit.yaml", "o.usda", "--frames 2:5", 0);
    assert_resume("edit.yaml", "o.usda", "--frames 2:5", 1);
    assert_int_equal(ringlet("simulate shot.yaml -o o.usda -q -t 1 --frames 2:5 --resume"), 0);
    assert_says(err_text, "o.usda: was made from another scene, with other frames or options or by another "
                          "version");
}

/* Changes a byte of the file at a share of its length, or cuts the file there. */
static void damage(const char *path, double share, int cuts) {
    struct stat found;
    assert_int_equal(stat(path, &found), 0);
    long at = (long)(share * (double)(found.st_size - 1));
    if (cuts) {
        assert_int_equal(truncate(path, at), 0);
        return;
    }
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    int byte = fgetc(file);
    assert_true(byte != EOF && fseek(file, at, SEEK_SET) == 0);
    assert_true(fputc(byte >= '0' && byte <= '8' ? byte + 1 : byte ^ 1, file) != EOF);
    assert_int_equal(fclose(file), 0);
}

/* --resume without --force never replaces a finished file that is not its own, whatever made it. */
static void what_another_made_is_kept(void **state) {
    (void)state;
    static const char *const others[] = {"--frames :5", "--frames 2:4", "--frames :4 --set motion.amount=1",
                                         "--frames :4 --no-velocities"};
    char line[300];
    assert_int_equal(ringlet("simulate shot.yaml -o kept.usda -q -t 1 --frames :4"), 0);
    assert_int_equal(system("cp kept.usda before.usda"), 0);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        snprintf(line, sizeof line, "simulate shot.yaml -o kept.usda -q -t 1 --resume %s", others[i]);
        assert_int_equal(ringlet_as_is(line), 2);
        assert_says(err_text, "kept.usda: was made from another scene, with other frames or options or by "
                              "another version of Ringlet; --force replaces it, or give another name");
        assert_int_equal(system("cmp kept.usda before.usda && test ! -e kept.usda.part"), 0);
    }
    assert_int_equal(ringlet_as_is("simulate shot.yaml -o kept.usda -q -t 1 --resume --frames :4"), 0);
    assert_says(err_text, "nothing to do");
    write_file("notes.usda", "not a layer");
    assert_int_equal(ringlet_as_is("simulate shot.yaml -o notes.usda -q -t 1 --resume --frames :4"), 2);
    assert_says(err_text, "notes.usda: exists; --force replaces it");
    assert_int_equal(system("printf 'not a layer' | cmp - notes.usda"), 0);
    assert_int_equal(ringlet("convert kept.usda notes.usda -q"), 0);
    assert_int_equal(ringlet_as_is("simulate shot.yaml -o notes.usda -q -t 1 --resume --frames :4"), 2);
    assert_says(err_text, "notes.usda: does not state what it was made from; --force replaces it");
    damage("kept.usda", 0.5, 0);
    assert_int_equal(ringlet_as_is("simulate shot.yaml -o kept.usda -q -t 1 --resume --frames :4"), 2);
    assert_says(err_text, "; --force replaces it");
    assert_int_equal(ringlet_as_is("simulate shot.yaml -o kept.usda -q -t 1 --resume --force --frames :4"),
                     0);
    assert_int_equal(system("cmp kept.usda before.usda"), 0);
}

/* A finished report is one, too. */
static void a_report_is_not_replaced_unasked(void **state) {
    (void)state;
    assert_int_equal(ringlet("simulate shot.yaml -o r.usda -q -t 1 --frames :2 --report page --json"), 0);
    /* its times add up */
    static const char *const parts[] = {"build", "simulate", "write", "checkpoint", "other"};
    const char *wall = strstr(out_text, "\"wall\": {");
    assert_non_null(wall);
    double sum = 0.0, all = json_number_of(out_text, "seconds");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        assert_true(json_number_of(wall, parts[i]) >= 0.0);
        sum += json_number_of(wall, parts[i]);
    }
    assert_true(fabs(sum - all) < 1e-6);
    assert_true(json_number_of(wall, "simulate") > 0.0 && json_number_of(wall, "other") < 0.5 * all);
    assert_int_equal(ringlet_as_is("simulate shot.yaml -o s.usda -q -t 1 --frames :2 --report page"), 2);
    assert_says(err_text, "page/index.html: exists; --force replaces it");
    assert_false(exists("s.usda"));
    assert_int_equal(ringlet_as_is("simulate shot.yaml -o s.usda -q -t 1 --frames :2 --report page --force"),
                     0);
}

/* What a run adds to a file, its mark and its checksum, is nothing to warn of when it is read. */
static void finished_files_are_read_without_a_warning(void **state) {
    (void)state;
    static const char *const outputs[] = {"w.usda", "w.usdc", "w.abc", "w.hair"};
    char line[100];
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        snprintf(line, sizeof line, "simulate shot.yaml -o %s -q -t 1 --frames :1", outputs[i]);
        assert_int_equal(ringlet(line), 0);
        snprintf(line, sizeof line, "inspect %s", outputs[i]);
        assert_int_equal(ringlet(line), 0);
        assert_string_equal(err_text, "");
        assert_says(out_text, "\nno problems\n");
    }
    FILE *file = fopen("w.hair", "ab");
    assert_non_null(file);
    assert_int_equal(fputs("more", file) < 0, 0);
    fclose(file);
    assert_int_equal(ringlet("inspect w.hair"), 0);
    assert_says(out_text, "1 problem\n  w.hair: 40 bytes after the end are left out");
}

static void a_file_that_does_not_say_is_not_done(void **state) {
    (void)state;
    assert_int_equal(ringlet("simulate shot.yaml -o o.usda -q -t 1 --frames :4"), 0);
    assert_int_equal(ringlet("convert o.usda p.usda -q"), 0);
    assert_int_equal(ringlet("simulate shot.yaml -o p.usda -q -t 1 --frames :4 --resume"), 0);
    assert_says(err_text, "p.usda: does not state what it was made from; a complete new one will replace it");
    assert_int_equal(system("cmp o.usda p.usda"), 0);
    write_file("p.usda", "not a layer");
    assert_resume("shot.yaml", "p.usda", "--frames :4", 0);
}

static void a_damaged_file_is_not_done(void **state) {
    (void)state;
    static const char *const outputs[] = {"d.usda", "d.usdc", "d.abc", "d.hair"};
    static const double places[] = {0.5, 0.9, 1.0};
    char line[200];
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        snprintf(line, sizeof line, "simulate shot.yaml -o %s -q -t 1 --frames :4", outputs[i]);
        assert_int_equal(ringlet(line), 0);
        for (int p = 0; p < 2 * (int)(sizeof places / sizeof places[0]); p++) {
            damage(outputs[i], places[p / 2], p % 2);
            assert_resume("shot.yaml", outputs[i], "--frames :4", 0);
        }
        snprintf(line, sizeof line, "echo >> %s", outputs[i]);
        assert_int_equal(system(line), 0);
        assert_resume("shot.yaml", outputs[i], "--frames :4", 0);
        assert_resume("shot.yaml", outputs[i], "--frames :4", 1);
    }
    damage("d.usdc", 0.5, 0);
    assert_int_equal(ringlet("simulate shot.yaml -o d.usdc -q -t 1 --frames :4 --resume"), 0);
    assert_says(err_text,
                "d.usdc: was damaged or changed since it was written; a complete new one will replace it");
}

/* The old file is complete; the run of the edited scene is killed before its first checkpoint. */
static void killed_early_an_edited_scene_is_not_done(void **state) {
    (void)state;
    write_file("edit.yaml", scene);
    assert_int_equal(ringlet("simulate edit.yaml -o o.usda -q -t 1"), 0);
    assert_int_equal(system("sed -i 's/amount: 2/amount: 1/' edit.yaml"), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl(RLT_PROGRAM, RLT_PROGRAM, "simulate", "edit.yaml", "-o", "o.usda", "--force", "-q", "-t", "1",
              (char *)NULL);
        _exit(98);
    }
    for (int i = 0; i < 20000 && !exists("o.usda.part"); i++)
        nanosleep(&(struct timespec){0, 200000}, NULL);
    kill(child, SIGKILL);
    int code = 0;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFSIGNALED(code));
    assert_false(exists("o.usda.checkpoint"));
    assert_resume("edit.yaml", "o.usda", "", 0);
}

/* What is copied from the groom's file counts, too, although it is not simulated. */
static void the_file_of_the_groom_counts(void **state) {
    (void)state;
    static const char groom[] = "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n)\n"
                                "def BasisCurves \"hair\"\n{\n"
                                "    uniform token type = \"linear\"\n"
                                "    int[] curveVertexCounts = [4]\n"
                                "    point3f[] points = [(0, 0, 0), (0, 3, 0), (0, 6, 0), (0, 9, 0)]\n"
                                "    float[] primvars:shade = [0.5]\n}\n";
    static const char file_scene[] = "time: {last: 3}\n"
                                     "character: {kind: none}\n"
                                     "hair: {file: groom.usda}\n";
    write_file("groom.usda", groom);
    write_file("file.yaml", file_scene);
    assert_resume("file.yaml", "g.usda", "", 0);
    assert_resume("file.yaml", "g.usda", "", 1);
    assert_resume("file.yaml", "g.usda", "--standalone", 0);
    assert_resume("file.yaml", "g.usda", "--standalone", 1);
    assert_int_equal(system("sed -i 's/0.5/0.25/' groom.usda"), 0);
    assert_resume("file.yaml", "g.usda", "--standalone", 0);
    assert_resume("file.yaml", "g.usda", "--standalone", 1);
}

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("made") != 0)
        return 1;
    write_file("shot.yaml", scene);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_was_made_from_the_same_is_done),
        cmocka_unit_test(what_another_made_is_kept),
        cmocka_unit_test(a_report_is_not_replaced_unasked),
        cmocka_unit_test(finished_files_are_read_without_a_warning),
        cmocka_unit_test(a_file_that_does_not_say_is_not_done),
        cmocka_unit_test(a_damaged_file_is_not_done),
        cmocka_unit_test(killed_early_an_edited_scene_is_not_done),
        cmocka_unit_test(the_file_of_the_groom_counts),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
