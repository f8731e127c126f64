/* The program killed and stopped at many instants: --resume gives the file of an unbroken run, byte by byte.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "folder_fixture.h"
#include "program_fixture.h"

#define KEPT "shot.usda.checkpoint"

static char *whole; /* the unbroken run's file */
static size_t whole_size;

/* Curls on a bone that walks, wind, a ball in the way: 24 frames of a few milliseconds each. */
static const char scene[] =
    "time: {last: 24, preroll: 2, outer_steps: 12, force_steps: 15, damping_steps: 5}\n"
    "motion: {kind: walk, amount: 2}\n"
    "character: {kind: none}\n"
    "colliders: {kind: sphere, bone: head, position: [8, -12, 0], radius: 4}\n"
    "wind: {velocity: [60, 0, 20], turbulence: 40}\n"
    "hair: {preset: redhead, region: none, spacing: 1, count: 9, total_points: 250, length: 26,"
    " length_variation: 0.4, drag: 2, stretch: {stiffness: 1e6, damping: 1000}}\n";

static void assert_says(const char *text, const char *wanted) {
    if (!strstr(text, wanted))
        fail_msg("'%s' is not in:\n%s", wanted, text);
}

static int exists(const char *path) {
    return access(path, F_OK) == 0;
}

static char *read_whole(const char *path, size_t *size) {
    struct stat found;
    assert_int_equal(stat(path, &found), 0);
    *size = (size_t)found.st_size;
    char *bytes = malloc(*size + 1);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_true(fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The file is the unbroken run's, and nothing else is left. */
static void assert_whole(void) {
    size_t size;
    char *bytes = read_whole("shot.usda", &size);
    if (size != whole_size || memcmp(bytes, whole, size) != 0)
        fail_msg("shot.usda differs from the unbroken run's (%zu and %zu bytes)", size, whole_size);
    free(bytes);
    assert_int_equal(system("ls shot.usda.* > left.txt 2> /dev/null; test ! -s left.txt"), 0);
}

static void clean(void) {
    assert_int_equal(system("rm -rf shot.usda*"), 0);
}

/* Starts `ringlet simulate shot.yaml -o shot.usda ...`; a file size limit ends it in the middle of a write
 * (SIGXFSZ), or with `ignore` makes that write fail. */
static pid_t start(const char *checkpoint, const char *threads, int resume, rlim_t limit, int ignore) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    struct rlimit none = {0, 0}, size = {limit, limit};
    setrlimit(RLIMIT_CORE, &none);
    if (limit > 0)
        setrlimit(RLIMIT_FSIZE, &size);
    if (ignore)
        signal(SIGXFSZ, SIG_IGN);
    if (!freopen("child.txt", "w", stderr))
        _exit(99);
    execl(RLT_PROGRAM, RLT_PROGRAM, "simulate", "shot.yaml", "-o", "shot.usda", "--quiet", "--checkpoint",
          checkpoint, "--threads", threads, resume ? "--resume" : (char *)NULL, (char *)NULL);
    _exit(98);
}

static int wait_for(pid_t child) {
    int code = 0;
    assert_int_equal(waitpid(child, &code, 0), child);
    return code;
}

static void sleep_ms(long ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* Waits until a file is there; 0 when the child ended before. */
static int wait_file(const char *path, pid_t child) {
    for (int i = 0; i < 20000; i++) {
        if (exists(path))
            return 1;
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child)
            return exists(path);
        sleep_ms(1);
    }
    return 0;
}

/* ---- killed ---- */

/* Killed again and again, each time a little later, with other threads each time. */
static void killed_at_any_instant_it_goes_on(void **state) {
    (void)state;
    static const char *const threads[] = {"1", "2", "3"};
    clean();
    int kills = 0;
    for (int attempt = 0; attempt < 6; attempt++) {
        pid_t child = start("1", threads[attempt % 3], attempt > 0, 0, 0);
        wait_file(KEPT, child);
        sleep_ms(9 * attempt);
        kill(child, SIGKILL);
        int code = wait_for(child);
        kills += WIFSIGNALED(code) && WTERMSIG(code) == SIGKILL;
    }
    print_message("killed %d times\n", kills);
    assert_true(kills > 0);
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda --resume -q -t 1"), 0);
    assert_whole();
}

/* Killed in the middle of a write: of a part, of the checkpoint, of the file being put together. */
static void killed_while_writing_it_goes_on(void **state) {
    (void)state;
    int kills = 0;
    for (int k = 1; k <= 6; k++) {
        clean();
        rlim_t limit = (rlim_t)whole_size * (rlim_t)(k * k) / 37;
        int code = wait_for(start("3", "1", 0, limit, 0));
        kills += WIFSIGNALED(code) && WTERMSIG(code) == SIGXFSZ;
        assert_false(exists("shot.usda"));
        assert_int_equal(ringlet("simulate shot.yaml -o shot.usda --resume -q -t 2"), 0);
        assert_whole();
    }
    assert_int_equal(kills, 6);
}

/* The disk is full: the same files, but the program sees the error and says so. */
static void a_full_disk_loses_nothing(void **state) {
    (void)state;
    clean();
    int code = wait_for(start("3", "1", 0, (rlim_t)whole_size / 3, 1));
    assert_true(WIFEXITED(code));
    assert_int_equal(WEXITSTATUS(code), 1);
    read_file("child.txt", err_text);
    assert_says(err_text, "cannot write: File too large");
    assert_says(err_text, "--resume continues from it");
    assert_true(exists(KEPT));
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda --resume -q -t 1"), 0);
    assert_whole();
    clean(); /* only the whole file does not fit */
    code = wait_for(start("3", "1", 0, (rlim_t)whole_size - 1, 1));
    assert_int_equal(WEXITSTATUS(code), 1);
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda --resume -q -t 1 --json"), 0);
    assert_says(out_text, "\"resumed_from\": 23");
    assert_whole();
}

/* ---- stopped ---- */

static void stopped_it_keeps_the_frames_and_goes_on(void **state) {
    (void)state;
    clean();
    pid_t child = start("1", "1", 0, 0, 0);
    assert_true(wait_file(KEPT, child));
    sleep_ms(10);
    kill(child, SIGINT);
    int code = wait_for(child);
    assert_true(WIFEXITED(code));
    if (WEXITSTATUS(code) == 0) {
        print_message("it was done before it could be stopped\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(code), 1);
    read_file("child.txt", err_text);
    assert_says(err_text, "stopped on request");
    assert_says(err_text, "--resume continues from it");
    assert_true(exists(KEPT));
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda --resume -q -t 1 --json --simd portable"), 0);
    assert_says(out_text, "\"resumed_from\": ");
    assert_says(out_text, "\"checkpoint_frame\": null");
    assert_whole();
}

static void salvage_closes_the_file_with_the_frames_so_far(void **state) {
    (void)state;
    clean();
    wait_for(start("5", "1", 0, (rlim_t)whole_size - 1, 0));
    assert_false(exists("shot.usda"));
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda --salvage"), 0);
    assert_says(err_text, "shot.usda: frames 1 to 19");
    size_t size;
    char *bytes = read_whole("shot.usda", &size);
    bytes[size] = 0;
    assert_says(bytes, "endTimeCode = 19\n");
    free(bytes);
    /* the same as a run that long */
    assert_int_equal(ringlet("simulate shot.yaml -o short.usda -q --frames :19"), 0);
    assert_int_equal(system("cmp shot.usda short.usda"), 0);
    /* and it can still go on */
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 1 --resume"), 0);
    assert_whole();
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda --salvage"), 2);
    assert_says(err_text, "no checkpoint");
    assert_whole();
}

/* Leaves a killed run with a checkpoint at frame 19. */
static void leave_killed(void) {
    clean();
    int code = wait_for(start("7", "1", 0, (rlim_t)whole_size - 1, 0));
    assert_true(WIFSIGNALED(code));
    assert_true(exists(KEPT));
    assert_true(exists("shot.usda.part"));
}

static void a_longer_run_may_be_asked_for(void **state) {
    (void)state;
    leave_killed();
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 1 --resume --frames :26"), 0);
    assert_int_equal(ringlet("simulate shot.yaml -o long.usda -q --frames :26"), 0);
    assert_int_equal(system("cmp shot.usda long.usda"), 0);
}

/* ---- refused ---- */

/* The checkpoint and the parts stay as they are, so that the right command can still go on. */
static void assert_refused(const char *options, const char *why) {
    char line[256];
    snprintf(line, sizeof line, "simulate shot.yaml -o shot.usda -q -t 1 --resume %s", options);
    assert_int_equal(ringlet(line), 2);
    assert_says(err_text, why);
    assert_true(exists(KEPT));
    assert_true(exists("shot.usda.part"));
    assert_false(exists("shot.usda"));
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    leave_killed();
    assert_refused("--set motion.amount=1", "another scene");
    assert_refused("--set hair.count=10", "another scene");
    assert_refused("--simd reference", "reference build");
    assert_refused("--frames 3:", "another first frame");
    assert_refused("--set hair.look.eumelanin=8", "was begun with another look");
    assert_refused("--set hair.fill.clump=0.1", "was begun with another look");
    assert_refused("--set render.azimuth=10", "was begun with another look");
    assert_refused("--no-velocities", "other options of the output");
    assert_refused("--frames :5", "after the last one asked for, 5; ask for frame ");
    assert_says(err_text, "--salvage, or start over without --resume");
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda --resume -q -t 1 --set title=other"), 0);
    leave_killed();
    assert_int_equal(truncate("shot.usda.part", 1000), 0);
    assert_refused("", "shot.usda.part: cannot resume it");
    leave_killed();
    FILE *file = fopen("shot.usda.part", "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)whole_size / 2, SEEK_SET), 0);
    assert_true(fputs("other", file) >= 0);
    fclose(file);
    assert_refused("", "shot.usda.part: cannot resume it: it is not what the checkpoint was made with; start "
                       "over");
    leave_killed();
    assert_int_equal(truncate(KEPT, 2000), 0);
    assert_refused("", "cut short");
    assert_says(err_text, "cannot resume from this checkpoint; start over without --resume");
    /* and it does */
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 1"), 0);
    assert_says(err_text, "of an earlier run, removed");
    assert_whole();
}

/* Four times the points: parts that are longer than any buffer. */
#define COUNT  "hair.count=36"
#define POINTS "hair.total_points=1000"
#define LARGER "--set " COUNT " --set " POINTS

/* Leaves a run that was stopped, with a checkpoint of its last frame. */
static void leave_stopped(const char *output) {
    char kept[64];
    snprintf(kept, sizeof kept, "%s.checkpoint", output);
    for (int wait = 200; wait > 1; wait /= 2) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            execl(RLT_PROGRAM, RLT_PROGRAM, "simulate", "shot.yaml", "-o", output, "--force", "-q", "-t", "1",
                  "--checkpoint", "1", "--set", COUNT, "--set", POINTS, (char *)NULL);
            _exit(98);
        }
        wait_file(kept, child);
        sleep_ms(wait);
        kill(child, SIGINT);
        wait_for(child);
        if (exists(kept))
            return;
    }
    fail_msg("%s: every run was done before it could be stopped", output);
}

/* Changes one bit; a second time changes it back. */
static void flip(const char *path, long at) {
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    int byte = fgetc(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_equal(fputc(byte ^ 4, file), (unsigned char)(byte ^ 4));
    assert_int_equal(fclose(file), 0);
}

static void assert_damage_is_found(const char *output, const char *part, int places) {
    char path[64], line[256];
    struct stat found;
    snprintf(path, sizeof path, "%s%s", output, part);
    snprintf(line, sizeof line, "simulate shot.yaml -o %s -q -t 1 --resume " LARGER, output);
    assert_int_equal(stat(path, &found), 0);
    print_message("%s: %lld bytes\n", path, (long long)found.st_size);
    for (int k = 0; k < places; k++) {
        long at = (long)(found.st_size * (2 * k + 1) / (2 * places));
        flip(path, at);
        if (ringlet(line) != 2)
            fail_msg("%s: a bit at %ld has changed, and nobody has seen it", path, at);
        assert_says(err_text, "is not what the checkpoint was made with");
        flip(path, at);
    }
}

static void damage_anywhere_in_a_part_is_found(void **state) {
    (void)state;
    static const char *const parts[][2] = {
        {"d.usda", ".part"},        {"d.usdc", ".values.part"}, {"d.usdc", ".index.part"},
        {"d.abc", ".samples.part"}, {"d.abc", ".index.part"},
    };
    char line[256];
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *output = parts[i][0];
        leave_stopped(output);
        assert_damage_is_found(output, parts[i][1], i == 0 ? 12 : 3);
        /* undamaged it goes on */
        snprintf(line, sizeof line, "simulate shot.yaml -o %s -q -t 1 --resume " LARGER, output);
        assert_int_equal(ringlet(line), 0);
        snprintf(line, sizeof line, "simulate shot.yaml -o fresh-%s -q " LARGER, output);
        assert_int_equal(ringlet(line), 0);
        snprintf(line, sizeof line, "cmp %s fresh-%s", output, output);
        assert_int_equal(system(line), 0);
    }
}

static void without_a_checkpoint_it_starts_over_or_is_done(void **state) {
    (void)state;
    clean();
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 1 --resume --json"), 0);
    assert_says(err_text, "starts from the beginning");
    assert_says(out_text, "\"resumed_from\": null");
    assert_whole();
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 1 --resume --json"), 0);
    assert_says(err_text, "shot.usda: is complete, frames 1 to 24");
    assert_says(out_text, "\"frames\": 24");
    assert_whole();
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 1 --resume --frames :25"), 0);
    assert_says(err_text, "starts from the beginning");
}

/* Files carry their look: one of another look is not the one asked for. */
static void a_finished_file_of_another_look_is_made_anew(void **state) {
    (void)state;
    clean();
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 1"), 0);
    assert_int_equal(system("grep -q 'eumelanin: 8' shot.usda"), 256);
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 1 --resume --set hair.look.eumelanin=8"),
                     0);
    assert_says(err_text, "was made from another scene");
    assert_int_equal(system("grep -q 'eumelanin: 8' shot.usda"), 0);
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 1 --resume --set hair.look.eumelanin=8"),
                     0);
    assert_says(err_text, "nothing to do");
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 1 --resume"), 0);
    assert_whole();
}

static void a_place_without_room_is_told_before_the_run(void **state) {
    (void)state;
    clean();
    assert_int_equal(mkdir(KEPT, 0777), 0);
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 1"), 1);
    assert_says(err_text, "is not a file, so checkpoints cannot be written; remove it");
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 1 --checkpoint 0"), 0);
    assert_int_equal(rmdir(KEPT), 0);
    assert_whole();
}

/* The last good checkpoint stays after a divergence. */
static void divergence_keeps_the_last_checkpoint(void **state) {
    (void)state;
    clean();
    assert_int_equal(
        ringlet("simulate shot.yaml -o shot.usda -q -t 1 --checkpoint 1 --set health.speed_limit=1"), 3);
    assert_false(exists("shot.usda")); /* at once: there was nothing to keep */
    leave_killed();
    assert_int_equal(
        ringlet(
            "simulate shot.yaml -o shot.usda -q -t 1 --resume --checkpoint 2 --set health.speed_limit=58"),
        3);
    assert_says(err_text, "keeps frames 1 to 2");
    assert_says(err_text, "--resume continues from it");
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 1 --resume"), 0);
    assert_whole();
}

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("resume") != 0)
        return 1;
    write_file("shot.yaml", scene);
    if (ringlet("simulate shot.yaml -o whole.usda -q --checkpoint 0") != 0) {
        print_message("%s", err_text);
        return 1;
    }
    whole = read_whole("whole.usda", &whole_size);
    return 0;
}

static int leave_folder(void **state) {
    free(whole);
    return folder_leave(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_any_instant_it_goes_on),
        cmocka_unit_test(killed_while_writing_it_goes_on),
        cmocka_unit_test(a_full_disk_loses_nothing),
        cmocka_unit_test(stopped_it_keeps_the_frames_and_goes_on),
        cmocka_unit_test(salvage_closes_the_file_with_the_frames_so_far),
        cmocka_unit_test(a_longer_run_may_be_asked_for),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(damage_anywhere_in_a_part_is_found),
        cmocka_unit_test(without_a_checkpoint_it_starts_over_or_is_done),
        cmocka_unit_test(a_finished_file_of_another_look_is_made_anew),
        cmocka_unit_test(a_place_without_room_is_told_before_the_run),
        cmocka_unit_test(divergence_keeps_the_last_checkpoint),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
