/* What surrounds a run: closed standard streams, a full disk under the report, names too long, long silences.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "folder_fixture.h"
#include "mpi_fixture.h"

/* Long enough for lines of progress. */
static const char scene[] = "time: {last: 24, outer_steps: 12, force_steps: 15, damping_steps: 5}\n"
                            "character: {kind: none}\n"
                            "hair: {region: none, spacing: 1, count: 5, total_points: 100, length: 20}\n";

static void assert_says(const char *text, const char *wanted) {
    if (!strstr(text, wanted))
        fail_msg("'%s' is not in:\n%s", wanted, text);
}

static int exists(const char *path) {
    return access(path, F_OK) == 0;
}

/* Through the shell, with its redirections; the exit code. */
static int shell(const char *arguments) {
    char line[2048];
    snprintf(line, sizeof line, "'%s' %s", RLT_PROGRAM, arguments);
    int code = system(line);
    assert_true(WIFEXITED(code));
    return WEXITSTATUS(code);
}

static void closed_streams_do_not_become_the_output(void **state) {
    (void)state;
    static const char *const closed[] = {"<&-",      ">&-",      "2>&-",        "<&- >&-",
                                         "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"};
    static const char *const endings[] = {"usda", "usdc", "abc"};
    char line[256];
    for (int e = 0; e < 3; e++) {
        snprintf(line, sizeof line, "simulate shot.yaml -o whole.%s -t 1 -q", endings[e]);
        assert_int_equal(ringlet(line), 0);
        for (size_t c = 0; c < sizeof closed / sizeof closed[0]; c++) {
            snprintf(line, sizeof line,
                     "simulate shot.yaml -o shot.%s -t 1 --force --checkpoint 2 2>> log.txt %s", endings[e],
                     closed[c]);
            assert_int_equal(shell(line), 0);
            snprintf(line, sizeof line, "cmp shot.%s whole.%s", endings[e], endings[e]);
            assert_int_equal(system(line), 0);
        }
    }
    assert_int_equal(shell("convert whole.usda back.usdc --force <&- >&- 2>&-"), 0);
    assert_int_equal(ringlet("convert whole.usda there.usdc"), 0);
    assert_int_equal(system("cmp back.usdc there.usdc"), 0);
    /* what was asked for and cannot be printed is still a failure */
    assert_int_equal(shell("schema 2>> log.txt >&-"), 1);
    assert_int_equal(shell("simulate shot.yaml -o shot.usda --force -q --json >&- 2>&-"), 1);
}

/* What is asked for is printed, or there is an error. */
static void nothing_printed_is_lost(void **state) {
    (void)state;
    static const char *const asked[] = {"--help",          "--version", "help",
                                        "simulate --help", "schema",    "scenes redhead"};
    char line[64];
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        snprintf(line, sizeof line, "%s > /dev/full 2> stderr.txt", asked[i]);
        if (shell(line) != 1)
            fail_msg("%s is lost on a full disk", asked[i]);
    }
}

static void closed_streams_under_mpirun(void **state) {
    (void)state;
    mpi_needed();
    char line[512];
    snprintf(line, sizeof line,
             "sh -c 'exec \"%s\" simulate shot.yaml -o ranks.usda --force -t 1 --checkpoint 2 <&- >&- 2>&-'",
             RLT_PROGRAM);
    assert_int_equal(mpi_run(2, line), 0);
    assert_int_equal(ringlet("simulate shot.yaml -o whole.usda -t 1 -q"), 0);
    assert_int_equal(system("cmp ranks.usda whole.usda"), 0);
}

/* Runs with a limit on the size of files that makes their writing fail; the exit code. */
static int run_limited(rlim_t limit, const char *const *arguments) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit size = {limit, limit};
        setrlimit(RLIMIT_FSIZE, &size);
        signal(SIGXFSZ, SIG_IGN);
        if (!freopen("stderr.txt", "w", stderr))
            _exit(99);
        execv(RLT_PROGRAM, (char *const *)arguments);
        _exit(98);
    }
    int code = 0;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code));
    read_file("stderr.txt", err_text);
    return WEXITSTATUS(code);
}

/* The animation fits on the disk, the report does not. */
static void a_report_that_fails_does_not_end_the_run(void **state) {
    (void)state;
    static const char *const arguments[] = {"ringlet",  "simulate", "shot.yaml", "-o", "full.usdc",
                                            "--report", "pages",    "--frames",  ":6", "--threads",
                                            "1",        "--force",  NULL};
    assert_int_equal(ringlet("simulate shot.yaml -o whole.usdc -t 1 -q --frames :6"), 0);
    struct stat found;
    assert_int_equal(stat("whole.usdc", &found), 0);
    assert_true(found.st_size < 30000);
    assert_int_equal(run_limited(30000, arguments), 1);
    assert_says(err_text, "warning: pages/index.html: the report will be incomplete: ");
    assert_says(err_text, "File too large; the run continues");
    assert_says(err_text, "full.usdc: frames 1 to 6");
    assert_says(
        err_text,
        "pages/index.html: the report asked for is missing or incomplete; the animation is not affected");
    assert_int_equal(system("cmp full.usdc whole.usdc"), 0);
    assert_false(exists("full.usdc.checkpoint"));
    assert_false(exists("pages/index.html.lock"));
    /* with room it is written, and the folder is clean */
    assert_int_equal(ringlet("simulate shot.yaml -o full.usdc -t 1 -q --frames :6 --report pages"), 0);
    assert_true(exists("pages/index.html"));
    assert_int_equal(system("test $(ls pages | wc -l) = 1"), 0);
    /* nothing to do, nothing to report */
    assert_int_equal(ringlet("simulate shot.yaml -o full.usdc -t 1 -q --frames :6 --report pages --resume"),
                     0);
    assert_says(err_text, "note: pages/index.html: left as it was: nothing was simulated");
    /* what was asked for and is not there is no success */
    assert_int_equal(remove("pages/index.html"), 0);
    assert_int_equal(ringlet("simulate shot.yaml -o full.usdc -t 1 -q --frames :6 --report pages --resume"),
                     1);
    assert_says(err_text, "pages/index.html: the report asked for does not exist");
    assert_says(err_text, "run without --resume");
}

/* What one process does is refused in a job of several, before a lock is taken. */
static void commands_of_one_process_refuse_mpirun(void **state) {
    (void)state;
    static const char *const commands[] = {"fill cache.usda -o many.usda --hairs 20",
                                           "render cache.usda -o many.png --draft",
                                           "convert cache.usda many.usdc"};
    mpi_needed();
    char line[512], wanted[128];
    assert_int_equal(ringlet("simulate shot.yaml -o cache.usda -t 1 -q --frames :2"), 0);
    for (int i = 0; i < 3; i++) {
        snprintf(line, sizeof line, "'%s' %s", RLT_PROGRAM, commands[i]);
        assert_int_equal(mpi_run(2, line), 2);
        snprintf(wanted, sizeof wanted, "ringlet: %.*s runs in one process; start it without mpirun\n",
                 (int)strcspn(commands[i], " "), commands[i]);
        assert_says(err_text, wanted);
        assert_null(strstr(strstr(err_text, wanted) + 1, wanted)); /* once, not once a rank */
        assert_null(strstr(err_text, "is being written"));
    }
    assert_int_equal(system("ls many.* > left.txt 2> /dev/null; test ! -s left.txt"), 0);
    /* a job of one is none */
    snprintf(line, sizeof line, "'%s' convert cache.usda one.usdc", RLT_PROGRAM);
    assert_int_equal(mpi_run(1, line), 0);
    assert_true(exists("one.usdc"));
}

/* No checkpoint is promised where none can be. */
static void places_that_take_no_file_promise_no_checkpoint(void **state) {
    (void)state;
    char name[300], line[512];
    for (int length = 200; length <= 260; length += 4) {
        memset(name, 'n', (size_t)length);
        memcpy(name + length - 5, ".usda", 6);
        snprintf(line, sizeof line, "simulate shot.yaml -o %s -t 1 -q --frames :2", name);
        int code = ringlet(line);
        assert_int_equal(code, length <= 240 ? 0 : 1);
        if (code != 0) {
            assert_null(strstr(err_text, "a checkpoint of frame"));
            assert_says(err_text, "too long");
        }
    }
    /* a file system that takes none, also from root */
    assert_int_equal(ringlet("simulate shot.yaml -o /sys/x.usda -t 1 -q --frames :2"), 1);
    assert_null(strstr(err_text, "a checkpoint of frame"));
    assert_says(err_text, "/sys/x.usda: cannot write: ");
    assert_int_equal(ringlet("simulate shot.yaml -o /sys/x.usda -t 1 -q --frames :2 --resume"), 1);
    assert_null(strstr(err_text, "a checkpoint of frame"));
}

/* A build that takes over two seconds is not silent. */
static void a_long_check_says_what_it_does(void **state) {
    (void)state;
    assert_int_equal(ringlet("check shot.yaml"), 0);
    assert_string_equal(err_text, "");
    time_t begun = time(NULL);
    assert_int_equal(ringlet("check shot.yaml --set character.kind=head --set character.resolution=240"), 0);
    if (time(NULL) - begun > 3)
        assert_says(err_text, "shot.yaml: is being built, 2 s\n");
    else
        print_message("it took less than four seconds\n");
}

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("streams") != 0)
        return 1;
    FILE *file = fopen("shot.yaml", "w");
    return file == NULL || fputs(scene, file) < 0 || fclose(file) != 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_streams_do_not_become_the_output),
        cmocka_unit_test(nothing_printed_is_lost),
        cmocka_unit_test(closed_streams_under_mpirun),
        cmocka_unit_test(a_report_that_fails_does_not_end_the_run),
        cmocka_unit_test(commands_of_one_process_refuse_mpirun),
        cmocka_unit_test(places_that_take_no_file_promise_no_checkpoint),
        cmocka_unit_test(a_long_check_says_what_it_does),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
