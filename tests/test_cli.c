/* The program from outside: what it prints, what it writes, and its exit codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "folder_fixture.h"
#include "json_fixture.h"
#include "program_fixture.h"
#include "ringlet/ringlet.h"

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

static int exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0;
}

/* ---- scenes ---- */

/* Three short strands without a character, four frames of few steps: runs in milliseconds. */
static const char *const tiny_scene = "title: three short strands\n"
                                      "time: {first: 1, last: 4, outer_steps: 10}\n"
                                      "character: {kind: none}\n"
                                      "hair:\n"
                                      "  - name: row\n"
                                      "    region: none\n"
                                      "    drag: 0.5\n"
                                      "    strands:\n"
                                      "      - [[0, 0, 0], [0, -1, 0], [0, -2, 0], [0, -3, 0], [0, -4, 0]]\n"
                                      "      - [[2, 0, 0], [3, 0, 0], [4, 0, 0], [5, 0, 0]]\n"
                                      "      - [[4, 0, 0], [4, -1, 0], [4, -2, 0]]\n";

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("cli") != 0)
        return -1;
    write_file("tiny.yaml", tiny_scene);
    return 0;
}

/* ---- help and wrong use ---- */

static void help_names_every_command(void **state) {
    static const char *const names[] = {"demo",  "simulate", "render",  "check", "scenes", "schema",
                                        "wedge", "new",      "presets", "plan",  "bench",  "validate"};
    (void)state;
    assert_int_equal(ringlet("--help"), 0);
    assert_string_equal(err_text, "");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "\n  %s ", names[i]);
        assert_int_equal(ringlet("--help"), 0);
        assert_says(out_text, line);
        snprintf(line, sizeof line, "%s --help", names[i]);
        assert_int_equal(ringlet(line), 0);
        snprintf(line, sizeof line, "usage: ringlet %s ", names[i]);
        assert_says(out_text, line);
        assert_says(out_text, "\nexamples:\n");
        assert_says(out_text, "--help");
    }
}

static void no_command_is_wrong_use(void **state) {
    (void)state;
    assert_int_equal(ringlet(""), 2);
    assert_string_equal(out_text, "");
    assert_says(err_text, "usage: ringlet COMMAND");
}

static void version_is_one_line(void **state) {
    (void)state;
    assert_int_equal(ringlet("--version"), 0);
    assert_string_equal(err_text, "");
    int major, minor, patch, end = 0;
    assert_int_equal(sscanf(out_text, "ringlet %d.%d.%d\n%n", &major, &minor, &patch, &end), 3);
    assert_int_equal(strlen(out_text), end);
}

static void unknown_command_gets_a_suggestion(void **state) {
    (void)state;
    assert_int_equal(ringlet("simulat x"), 2);
    assert_string_equal(err_text, "ringlet: unknown command 'simulat'; did you mean 'simulate'?\n");
    assert_int_equal(ringlet("xyzzy"), 2);
    assert_string_equal(err_text, "ringlet: unknown command 'xyzzy'; `ringlet --help` lists the commands\n");
}

static void help_of_a_command_is_its_help(void **state) {
    (void)state;
    char expected[TEXT_SIZE];
    assert_int_equal(ringlet("simulate --help"), 0);
    memcpy(expected, out_text, sizeof expected);
    assert_int_equal(ringlet("help simulate"), 0);
    assert_string_equal(out_text, expected);
    assert_int_equal(ringlet("help simulat"), 2);
    assert_says(err_text, "did you mean 'simulate'?");
}

/* A finished output is replaced on request only; what is not finished, or empty, by itself. */
static void outputs_are_replaced_with_force(void **state) {
    static const char *const again[] = {"simulate tiny.yaml -o kept.usda", "convert kept.usda kept.usdc",
                                        "fill kept.usda -o kept.hair"};
    (void)state;
    assert_int_equal(system(": > kept.usda"), 0); /* a place made for it */
    for (int i = 0; i < 3; i++) {
        char line[200], name[64], said[200];
        assert_int_equal(ringlet_as_is(again[i]), 0);
        snprintf(name, sizeof name, "kept.%s", i == 0 ? "usda" : i == 1 ? "usdc" : "hair");
        snprintf(line, sizeof line, "cp %s before", name);
        assert_int_equal(system(line), 0);
        assert_int_equal(ringlet_as_is(again[i]), 2);
        snprintf(said, sizeof said, "ringlet: %s: exists; --force replaces it, or give another name\n", name);
        assert_says(err_text, said);
        snprintf(line, sizeof line, "cmp -s %s before", name);
        assert_int_equal(system(line), 0);
        snprintf(line, sizeof line, "%s --force", again[i]);
        assert_int_equal(ringlet_as_is(line), 0);
    }
    assert_int_equal(ringlet_as_is("simulate tiny.yaml -o beyond.usda --frames 1:6"), 0);
    assert_says(err_text,
                "note: --frames 1:6: the scene ends with frame 4 (time.last); the run continues to 6\n");
    assert_int_equal(ringlet_as_is("simulate tiny.yaml -o before.usda --frames 0:2"), 0);
    assert_says(err_text, "note: --frames 0:2: the scene begins with frame 1 (time.first); none before it is "
                          "written\n");
    assert_says(err_text, "before.usda: frames 1 to 2, ");
    assert_int_equal(ringlet_as_is("fill tiny.yaml -o before.usdc --frames 0"), 2);
    assert_says(err_text, "--frames 0: tiny.yaml begins with frame 1 (time.first); ask for that one or later "
                          "ones\n");
}

static void wrong_options_are_told(void **state) {
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"simulate tiny.yaml --frmes 1:2",
         "ringlet simulate: unknown option --frmes; did you mean --frames?\n"},
        {"simulate tiny.yaml -o a.usda --zzzzzzzz", "ringlet simulate: unknown option --zzzzzzzz\n"},
        {"simulate tiny.yaml -z", "ringlet simulate: unknown option -z\n"},
        {"simulate tiny.yaml -o a.usda --threads two", "--threads two: must be a whole number\n"},
        {"simulate tiny.yaml -o a.usda --threads -1", "--threads: must be at least 0\n"},
        {"simulate tiny.yaml -o a.usda --threads", "--threads: needs a value: N\n"},
        {"simulate tiny.yaml -o a.usda --frames 3",
         "--frames 3: one number could mean two things: 3:3 is that frame, :3 all up to it\n"},
        {"simulate tiny.yaml -o a.usda --frames 3-9",
         "--frames 3-9: must be A:B, A: or :B with whole numbers\n"},
        {"simulate tiny.yaml -o a.usda --frames 1:x",
         "--frames 1:x: must be A:B, A: or :B with whole numbers\n"},
        {"simulate tiny.yaml -o a.usda --frames 3:2", "--frames 3:2: the first frame is after the last\n"},
        {"simulate tiny.yaml -o a.usda --simd sse9",
         "--simd sse9: must be one of auto, portable, avx2, avx512, reference\n"},
        {"simulate tiny.yaml -o a.usda --quiet=1", "--quiet: takes no value\n"},
        {"simulate tiny.yaml", "ringlet: no output is named; add -o OUT.usda (or .usdc, .abc, .hair)\n"},
        {"simulate tiny.yaml -o a.fbx",
         "ringlet: -o a.fbx: the name must end in .usda, .usdc, .usd, .abc or .hair\n"},
        {"simulate -o a.usda", "ringlet simulate: an argument is missing"},
        {"simulate tiny.yaml more.yaml -o a.usda", "ringlet simulate: unexpected argument 'more.yaml'\n"},
        {"schema extra", "ringlet schema: unexpected argument 'extra'\n"},
        {"simulate tiny.yaml -o a.usda --frames 9:",
         "--frames: frame 9 is after the scene's last frame, 4; give both ends (A:B) to run beyond it\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(ringlet(cases[i].arguments), 2);
        assert_string_equal(out_text, "");
        assert_says(err_text, cases[i].message);
    }
    assert_false(exists("a.usda"));
}

/* ---- check, scenes, schema ---- */

static void check_accepts_a_good_scene(void **state) {
    (void)state;
    assert_int_equal(ringlet("check tiny.yaml"), 0);
    assert_string_equal(out_text, "tiny.yaml: ok (3 strands, 12 points, frames 1 to 4 at 24 frames/s)\n");
    assert_int_equal(ringlet("check --syntax-only tiny.yaml --set time.last=9"), 0);
    assert_string_equal(out_text, "tiny.yaml: ok (frames 1 to 9 at 24 frames/s)\n");
    assert_int_equal(ringlet("check --syntax-only tiny.yaml --set hair.model=tax"), 2);
    assert_non_null(strstr(err_text, "--set:1:12: hair.model = tax: must be one of taz, rod"));
}

static void check_lists_every_problem(void **state) {
    (void)state;
    write_file("bad.yaml", "time:\n  fps: fast\n  lst: 9\ncharacter: {kind: none}\n");
    assert_int_equal(ringlet("check bad.yaml"), 2);
    assert_string_equal(out_text, "");
    assert_says(err_text, "bad.yaml:2:8: ");
    assert_says(err_text, "bad.yaml:3:3: ");
    /* a good scene beside a bad one is still told to be good */
    assert_int_equal(ringlet("check bad.yaml tiny.yaml"), 2);
    assert_says(out_text, "tiny.yaml: ok (");
    assert_int_equal(ringlet("check missing.yaml"), 2);
    assert_says(err_text, "missing.yaml");
    assert_int_equal(ringlet("check redhaed"), 2);
    assert_says(err_text, "redhead");
    assert_int_equal(ringlet("check tiny.yaml --set time.last=x"), 2);
    assert_says(err_text, "--set:1:");
}

static void scenes_are_listed_and_printed(void **state) {
    static char expected[TEXT_SIZE];
    (void)state;
    assert_int_equal(ringlet("scenes"), 0);
    assert_says(out_text, "redhead ");
    assert_says(out_text, "horse ");
    read_file(RLT_SOURCE_DIR "/scenes/redhead.yaml", expected);
    assert_int_equal(ringlet("scenes redhead"), 0);
    assert_string_equal(out_text, expected);
    assert_int_equal(ringlet("scenes redhat"), 2);
    assert_string_equal(err_text, "ringlet: no embedded scene 'redhat'; did you mean 'redhead'?\n");
}

static void schema_is_printed(void **state) {
    (void)state;
    assert_int_equal(ringlet("schema"), 0);
    assert_says(out_text, "hair.bend.stiffness");
    assert_says(out_text, "time.outer_steps");
}

/* ---- simulate ---- */

static void simulate_writes_all_frames(void **state) {
    (void)state;
    assert_int_equal(ringlet("simulate tiny.yaml -o tiny.usda"), 0);
    assert_string_equal(out_text, "");
    assert_says(err_text, "frame 4/4  ");
    assert_says(err_text, " unit/s\n");
    assert_says(err_text, "tiny.usda: frames 1 to 4, 3 strands, ");
    static char usda[TEXT_SIZE];
    read_file("tiny.usda", usda);
    assert_says(usda, "#usda 1.0");
    assert_says(usda, "startTimeCode = 1\n");
    assert_says(usda, "endTimeCode = 4\n");
    assert_int_equal(ringlet("simulate tiny.yaml -o quiet.usda --quiet"), 0);
    assert_string_equal(err_text, "");
}

static void frames_limits_what_is_written(void **state) {
    static char usda[TEXT_SIZE];
    (void)state;
    assert_int_equal(ringlet("simulate tiny.yaml -o part.usda --frames 2:3 -q --json"), 0);
    assert_says(out_text, "\"frames\": 2,");
    assert_says(out_text, "\"first_frame\": 2,");
    assert_says(out_text, "\"last_frame\": 3,");
    read_file("part.usda", usda);
    assert_says(usda, "startTimeCode = 2\n");
    assert_says(usda, "endTimeCode = 3\n");
    assert_int_equal(ringlet("simulate tiny.yaml -o more.usda --frames :6 -q"), 0);
    read_file("more.usda", usda);
    assert_says(usda, "startTimeCode = 1\n");
    assert_says(usda, "endTimeCode = 6\n");
}

/* The value of "hash" in out_text. */
static void take_hash(char *hash) {
    const char *at = strstr(out_text, "\"hash\": \"");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "\"hash\": \"%16[0-9a-f]\"", hash), 1);
    assert_int_equal(strlen(hash), 16);
}

static void json_is_one_object_and_hashes_agree(void **state) {
    char one[20], two[20], other[20];
    (void)state;
    assert_int_equal(ringlet("simulate tiny.yaml -o a.usda --json --threads 1"), 0);
    assert_one_json_object(out_text);
    assert_says(out_text, "\"status\": \"done\"");
    assert_says(out_text, "\"frames\": 4,");
    assert_says(out_text, "\"strands\": 3,");
    assert_says(out_text, "\"points\": 12,");
    assert_says(out_text, "\"threads\": 1,");
    assert_says(out_text, "\"a.usda\"");
    take_hash(one);
    assert_int_equal(ringlet("simulate tiny.yaml -o b.usda --json --threads 2 --simd portable"), 0);
    take_hash(two);
    assert_string_equal(one, two);
    assert_int_equal(system("cmp -s a.usda b.usda"), 0);
    assert_int_equal(ringlet("simulate tiny.yaml -o c.usda --json --set 'gravity=[0, -500, 0]'"), 0);
    take_hash(other);
    assert_string_not_equal(one, other);
    /* also where nothing could be run */
    assert_int_equal(ringlet("simulate missing.yaml -o c.usda --json"), 2);
    assert_one_json_object(out_text);
    assert_says(out_text, "\"status\": \"bad input\"");
}

static void unwritable_output_fails(void **state) {
    (void)state;
    assert_int_equal(ringlet("simulate tiny.yaml -o tiny.yaml/a.usda -q --json"), 1);
    assert_says(err_text, "tiny.yaml/a.usda");
    assert_one_json_object(out_text);
    assert_says(out_text, "\"status\": \"failed\"");
}

/* Edges too stiff for the step: they blow up at once when gravity swings the sideways strand. */
static void divergence_keeps_the_frames_before(void **state) {
    static char usda[TEXT_SIZE];
    (void)state;
    assert_int_equal(ringlet("simulate tiny.yaml -o boom.usda -q --json --set time.last=50 "
                             "--set hair.stretch.stiffness=1e13 --set hair.stretch.limit=0 "
                             "--set hair.stretch.velocity_limit=0 --set health.check_steps=off"),
                     3);
    assert_one_json_object(out_text);
    assert_says(out_text, "\"status\": \"diverged\"");
    assert_says(err_text, "strand ");
    assert_says(err_text, "frame ");
    assert_says(err_text, "boom.usda: keeps frames 1 to ");
    read_file("boom.usda", usda);
    assert_says(usda, "startTimeCode = 1\n");
}

/* Starts a run far too long to finish, and stops it once it has shown that it is stepping. */
static void interrupt_keeps_the_frames_so_far(void **state) {
    static char usda[TEXT_SIZE];
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("stop.txt", "w", stderr))
            _exit(99);
        execl(RLT_PROGRAM, RLT_PROGRAM, "simulate", "tiny.yaml", "-o", "stop.usda", "--set",
              "time.last=1000000", (char *)NULL);
        _exit(98);
    }
    int code = 0, seen = 0, ended = 0;
    for (int tries = 0; tries < 1200 && !seen && !ended; tries++) {
        nanosleep(&(struct timespec){0, 100000000}, NULL);
        if (exists("stop.txt")) {
            read_file("stop.txt", err_text);
            seen = strstr(err_text, "frame ") != NULL;
        }
        ended = waitpid(child, &code, WNOHANG) != 0;
    }
    if (ended)
        fail_msg("ended too early, having said:\n%s", err_text);
    kill(child, seen ? SIGINT : SIGKILL);
    for (int tries = 0; tries < 1200 && !ended; tries++) {
        nanosleep(&(struct timespec){0, 100000000}, NULL);
        ended = waitpid(child, &code, WNOHANG) != 0;
    }
    if (!ended) {
        kill(child, SIGKILL);
        waitpid(child, &code, 0);
    }
    assert_true(seen);
    assert_true(ended);
    assert_true(WIFEXITED(code));
    assert_int_equal(WEXITSTATUS(code), 1);
    read_file("stop.txt", err_text);
    assert_says(err_text, "ringlet: stopped on request\n");
    assert_says(err_text, "stop.usda: keeps frames 1 to ");
    read_file("stop.usda", usda);
    assert_says(usda, "startTimeCode = 1\n");
}

/* ---- demo ---- */

static void demo_leaves_animation_pictures_and_report(void **state) {
    static const char *const files[] = {"redhead.usdc", "redhead.png", "report.json", "report.txt",
                                        "report.html"};
    static char report[TEXT_SIZE];
    (void)state;
    assert_int_equal(ringlet("demo redhead --out some/demo --draft --frames 1:2 --set hair.fill.count=60 "
                             "--set time.preroll=0 --set "
                             "time.outer_steps=2 --set health.check_steps=off "
                             "--set hair.count=8 --set hair.total_points=0 --threads 1 "
                             "--set character.kind=none --set hair.region=none --set motion.kind=still"),
                     0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "some/demo/%s", files[i]);
        assert_true(exists(path));
        assert_says(out_text, path);
    }
    assert_true(exists("some/demo/redhead.mp4") == (rlt_movie_available() && rlt_render_available()));
    read_file("some/demo/report.json", report);
    assert_one_json_object(report);
    assert_says(report, "\"status\": \"done\"");
    read_file("some/demo/report.txt", report);
    assert_says(report, "fastest point");
    assert_int_equal(ringlet("demo redhat"), 2);
    assert_says(err_text, "redhead");
}

#define SMALL_DEMO                                                                                           \
    "demo straight --draft --set hair.fill.count=60 --set time.preroll=0 --set hair.count=8 "                \
    "--set hair.total_points=0 --threads 1 --set time.outer_steps=2 --set health.check_steps=off "           \
    "--set character.kind=none --set hair.region=none --set motion.kind=still "

/* Frames in an MP4 file: the count of its table of sample sizes. */
static int movie_frames(const char *path) {
    static unsigned char bytes[TEXT_SIZE];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    assert_true(size < sizeof bytes);
    fclose(file);
    for (size_t i = 0; i + 16 <= size; i++)
        if (memcmp(bytes + i, "stsz", 4) == 0)
            return (int)bytes[i + 14] << 8 | bytes[i + 15];
    return 0;
}

/* Nothing to simulate: good results stay, and what is gone is made from the animation. */
static void demo_resumed_when_complete_keeps_and_completes(void **state) {
    (void)state;
    int movie = rlt_movie_available() && rlt_render_available();
    assert_int_equal(ringlet(SMALL_DEMO "--out dm --frames 1:4"), 0);
    assert_int_equal(system("rm -rf kept && cp -a dm kept"), 0);
    assert_int_equal(ringlet(SMALL_DEMO "--out dm --frames 1:4 --resume"), 0);
    assert_int_equal(system("diff -r dm kept"), 0);
    remove("dm/straight.png");
    remove("dm/straight.mp4");
    assert_int_equal(ringlet(SMALL_DEMO "--out dm --frames 1:4 --resume"), 0);
    assert_true(exists("dm/straight.png"));
    if (movie)
        assert_int_equal(movie_frames("dm/straight.mp4"), 4);
    assert_int_equal(system("cmp dm/report.html kept/report.html"), 0);
    remove("dm/report.html");
    assert_int_equal(ringlet(SMALL_DEMO "--out dm --frames 1:4 --resume"), 1);
    assert_says(err_text, "dm/report.html: the report is missing");
    assert_says(err_text, "run without --resume");
    assert_false(exists("dm/report.html"));
    assert_int_equal(system("cmp dm/report.txt kept/report.txt && cmp dm/report.json kept/report.json"), 0);
}

/* Stopped half the way and resumed: movie, picture and report are of all frames. */
static void demo_stopped_and_resumed_is_whole(void **state) {
    (void)state;
    char line[2048];
    static char report[TEXT_SIZE];
    int movie = rlt_movie_available() && rlt_render_available();
    assert_int_equal(ringlet(SMALL_DEMO "--out once --frames 1:40"), 0);
    snprintf(line, sizeof line,
             "'%s' " SMALL_DEMO "--out twice --frames 1:40 > stdout.txt 2> stderr.txt & p=$!; "
             "sleep 0.5; kill -TERM $p; wait $p",
             RLT_PROGRAM);
    int code = system(line);
    if (!exists("twice/straight.usdc.checkpoint")) {
        print_message("it ended before it was stopped (%d)\n", code);
        skip();
    }
    read_file("stdout.txt", out_text);
    assert_says(out_text, "the same command with --resume continues from it");
    if (movie && exists("twice/straight.mp4"))
        assert_says(out_text, "only, of 1 to 40");
    assert_int_equal(ringlet(SMALL_DEMO "--out twice --frames 1:40 --resume"), 0);
    assert_null(strstr(out_text, "only, of"));
    assert_int_equal(system("cmp once/straight.usdc twice/straight.usdc"), 0);
    assert_true(exists("twice/straight.png"));
    if (movie)
        assert_int_equal(movie_frames("twice/straight.mp4"), 40);
    assert_int_equal(system("test $(grep -o 'data:image/png' twice/report.html | wc -l) = 3"), 0);
    read_file("twice/report.json", report);
    assert_says(report, "\"status\": \"done\"");
    assert_says(report, "\"frames\": 40");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_names_every_command),
        cmocka_unit_test(no_command_is_wrong_use),
        cmocka_unit_test(version_is_one_line),
        cmocka_unit_test(unknown_command_gets_a_suggestion),
        cmocka_unit_test(help_of_a_command_is_its_help),
        cmocka_unit_test(outputs_are_replaced_with_force),
        cmocka_unit_test(wrong_options_are_told),
        cmocka_unit_test(check_accepts_a_good_scene),
        cmocka_unit_test(check_lists_every_problem),
        cmocka_unit_test(scenes_are_listed_and_printed),
        cmocka_unit_test(schema_is_printed),
        cmocka_unit_test(simulate_writes_all_frames),
        cmocka_unit_test(frames_limits_what_is_written),
        cmocka_unit_test(json_is_one_object_and_hashes_agree),
        cmocka_unit_test(unwritable_output_fails),
        cmocka_unit_test(divergence_keeps_the_frames_before),
        cmocka_unit_test(interrupt_keeps_the_frames_so_far),
        cmocka_unit_test(demo_leaves_animation_pictures_and_report),
        cmocka_unit_test(demo_resumed_when_complete_keeps_and_completes),
        cmocka_unit_test(demo_stopped_and_resumed_is_whole),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
