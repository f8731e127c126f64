/* Checkpoints of runs that are shared between ranks: the same file for any number, a rank that is killed, and
 * going on with another number of ranks. */
#include "folder_fixture.h"
#include "mpi_fixture.h"
#include "ringlet/lock.h"

#define KEPT "shot.usda.checkpoint"

/* A row of curls that touch, on a bone that begins to spin. */
static const char scene[] =
    "time: {last: 16, outer_steps: 12, force_steps: 15, damping_steps: 5}\n"
    "motion: {kind: spin, spin: 20, start: 0.2}\n"
    "character: {kind: none}\n"
    "wind: {velocity: [60, 0, 20], turbulence: 40}\n"
    "hair: {preset: redhead, region: none, spacing: 1, count: 12, total_points: 250, length: 20,"
    " length_variation: 0.3, drag: 2, stretch: {stiffness: 1e6, damping: 1000}, prune: {random: 0}}\n";

static void assert_says(const char *text, const char *wanted) {
    if (!strstr(text, wanted))
        fail_msg("'%s' is not in:\n%s", wanted, text);
}

static int exists(const char *path) {
    return access(path, F_OK) == 0;
}

static void clean(void) {
    assert_int_equal(system("rm -rf shot.usda*"), 0);
}

/* The unbroken file of one process stands as whole.usda. */
static void assert_whole(void) {
    assert_int_equal(system("cmp shot.usda whole.usda"), 0);
    assert_int_equal(system("ls shot.usda.* > left.txt 2> /dev/null; test ! -s left.txt"), 0);
}

static int simulate(int ranks, const char *options) {
    char line[1024];
    snprintf(line, sizeof line, "'%s' simulate shot.yaml -o shot.usda -q -t 1 %s", RLT_PROGRAM, options);
    return mpi_run(ranks, line);
}

/* Ends the run of `ranks` ranks by killing the last one once there is a checkpoint. */
static void kill_a_rank(int ranks) {
    char line[2048];
    clean();
    snprintf(line, sizeof line,
             "sh -c 'set -- \"%s\" simulate shot.yaml -o shot.usda -q -t 1 --checkpoint 2; "
             "test $OMPI_COMM_WORLD_RANK -lt %d && exec \"$@\"; \"$@\" & child=$!; "
             "while ! test -e %s; do sleep 0.01; done; kill -9 $child; wait $child'",
             RLT_PROGRAM, ranks - 1, KEPT);
    int code = mpi_run(ranks, line);
    assert_int_not_equal(code, 0);
    assert_int_not_equal(code, 124); /* the job ended by itself */
    assert_false(exists("shot.usda"));
    assert_true(exists(KEPT));
}

static void a_killed_rank_ends_the_job_and_loses_nothing(void **state) {
    (void)state;
    mpi_needed();
    kill_a_rank(3);
    assert_int_equal(simulate(2, "--resume --json"), 0); /* with fewer */
    assert_says(out_text, "\"resumed_from\": ");
    assert_whole();
}

/* Rank 0 has the lock for the whole job; a job that finds it taken ends, all of it. */
static void a_job_refuses_what_another_run_writes(void **state) {
    (void)state;
    mpi_needed();
    clean();
    rlt_lock *lock = NULL;
    assert_int_equal(rlt_lock_take("shot.usda", NULL, &lock), RLT_OK);
    assert_int_equal(simulate(3, "--report pages"), 1);
    assert_says(err_text, "shot.usda: is being written by process ");
    rlt_lock_release(lock);
    assert_int_equal(rlt_lock_take("pages/index.html", NULL, &lock), RLT_OK);
    assert_int_equal(simulate(2, "--report pages"), 1);
    assert_says(err_text, "pages/index.html: is being written by process ");
    rlt_lock_release(lock);
    assert_int_equal(simulate(2, ""), 0);
    assert_whole();
}

/* A run that diverges leaves its last checkpoint: the same one, whoever computed it. */
static void checkpoints_do_not_tell_the_number_of_ranks(void **state) {
    (void)state;
    mpi_needed();
    clean();
    assert_int_equal(
        ringlet("simulate shot.yaml -o shot.usda -q -t 1 --checkpoint 5 --set health.speed_limit=100"), 3);
    assert_int_equal(rename(KEPT, "one.checkpoint"), 0);
    assert_int_equal(simulate(3, "--checkpoint 5 --set health.speed_limit=100"), 3);
    assert_says(err_text, "a checkpoint of frame ");
    assert_int_equal(system("cmp " KEPT " one.checkpoint"), 0);
    assert_int_equal(simulate(4, "--resume"), 0);
    assert_whole();
}

static void bad_checkpoints_are_told_once(void **state) {
    (void)state;
    mpi_needed();
    kill_a_rank(2);
    assert_int_equal(system("cp " KEPT " good.checkpoint"), 0);
    assert_int_equal(truncate(KEPT, 1000), 0);
    assert_int_equal(simulate(2, "--resume"), 2);
    const char *first = strstr(err_text, "cut short");
    assert_non_null(first);
    assert_null(strstr(first + 1, "cut short"));
    assert_false(exists("shot.usda"));
    assert_int_equal(rename("good.checkpoint", KEPT), 0);
    assert_int_equal(ringlet("simulate shot.yaml -o shot.usda -q -t 2 --resume"), 0); /* alone */
    assert_whole();
}

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("resume-ranks") != 0)
        return 1;
    FILE *file = fopen("shot.yaml", "w");
    if (file == NULL || fputs(scene, file) < 0 || fclose(file) != 0)
        return 1;
    int code = ringlet("simulate shot.yaml -o whole.usda -q --checkpoint 0 --json");
    if (code != 0 || strstr(out_text, "\"worst\": 0,") != NULL) {
        print_message("%s%s", err_text, out_text); /* without contacts the tests would say little */
        return 1;
    }
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_rank_ends_the_job_and_loses_nothing),
        cmocka_unit_test(a_job_refuses_what_another_run_writes),
        cmocka_unit_test(checkpoints_do_not_tell_the_number_of_ranks),
        cmocka_unit_test(bad_checkpoints_are_told_once),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
