/* One simulation on any number of threads and ranks, however its hairs are shared: the same bytes, the same
 * numbers in the report, one message when something is wrong. Contacts are on everywhere. */
#include "folder_fixture.h"
#include "mpi_fixture.h"
#include "ringlet/ringlet.h"

static char self[1024];

/* Two kinds of hair on a walking head, in the wind; 40 hairs and no number of ranks divides them well. */
static const char scene[] =
    "time: {last: 3, outer_steps: 12, force_steps: 15, damping_steps: 5}\n"
    "motion: {kind: walk, amount: 2, start: -1}\n"
    "character: {kind: head, resolution: 24}\n"
    "wind: {velocity: [60, 0, 20], turbulence: 40}\n"
    "hair:\n"
    "  - {name: curls, preset: redhead, region: scalp, count: 34, total_points: 700, length: 20,"
    " length_variation: 0.4, drag: 2, stretch: {stiffness: 1e6, damping: 1000}, prune: {random: 0.2}}\n"
    "  - {name: straight, preset: horse, region: nape, count: 6, length: 12, drag: 1}\n";

/* ---- a rank ---- */

/* Two frames; rank 0 prints the hash and what was counted. */
static int work(rlt_partition method, int threads) {
    rlt_messages *messages = rlt_messages_create();
    rlt_ranks *ranks = NULL;
    rlt_scene *loaded = NULL;
    rlt_simulation *simulation = NULL;
    rlt_simulation_def def = {.size = sizeof def, .threads = threads, .partition = method};
    rlt_status status = rlt_ranks_start(messages, &ranks);
    def.ranks = ranks;
    if (status == RLT_OK)
        status = rlt_scene_load_text("shot", scene, strlen(scene), NULL, 0, messages, &loaded);
    if (status == RLT_OK)
        status = rlt_simulation_create(loaded, &def, messages, &simulation);
    for (int f = 0; f < 2 && status == RLT_OK; f++)
        status = rlt_simulation_advance(simulation, messages);
    if (status == RLT_OK && rlt_ranks_rank(ranks) == 0) {
        rlt_statistics s = {.size = sizeof s};
        rlt_simulation_statistics(simulation, &s);
        printf("%016llx planes %lld, contacts %lld %.9g %lld, limited %lld, kinetic %.12g\n",
               (unsigned long long)rlt_simulation_hash(simulation), s.contacts, s.hair_contacts,
               s.hair_contacts_mean, s.hair_contacts_worst, s.hair_contacts_limited,
               rlt_named_find(s.energies, s.energy_count, "kinetic"));
        if (s.hair_contacts < 20 || s.contacts < 5 || (s.ranks > 1) != (s.exchange_bytes > 0))
            printf("too little to say much\n");
    }
    for (int i = 0; i < rlt_messages_count(messages) && status != RLT_OK; i++)
        fprintf(stderr, "%s\n", rlt_messages_text(messages, i));
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(loaded);
    rlt_ranks_finish(ranks);
    rlt_messages_destroy(messages);
    return (int)status;
}

/* ---- the tests ---- */

static void assert_same_work(int ranks, rlt_partition method, int threads, const char *wanted) {
    char command[1200];
    snprintf(command, sizeof command, "'%s' %d %d", self, (int)method, threads);
    assert_int_equal(mpi_run(ranks, command), 0);
    assert_string_equal(out_text, wanted);
}

static void every_way_to_share(void **state) {
    (void)state;
    char line[1200];
    static char alone[TEXT_SIZE];
    snprintf(line, sizeof line, "'%s' 0 1 > alone.txt", self);
    assert_int_equal(system(line), 0);
    read_file("alone.txt", alone);
    print_message("%s", alone);
    assert_null(strstr(alone, "too little"));
    mpi_needed();
    assert_same_work(2, RLT_PARTITION_SPLIT, 2, alone);
    assert_same_work(3, RLT_PARTITION_GREEDY, 1, alone);
}

static int simulate(int ranks, const char *options) {
    char line[1024];
    snprintf(line, sizeof line, "'%s' simulate shot.yaml -o shot.usda -q %s", RLT_PROGRAM, options);
    return mpi_run(ranks, line);
}

/* Energies and counts of the report, without what depends on the machine. */
static void report(char *to, size_t size) {
    const char *begin = strstr(out_text, "\"force_steps\""), *end = strstr(out_text, "\"bytes\"");
    assert_true(begin != NULL && end != NULL && (size_t)(end - begin) < size);
    memcpy(to, begin, (size_t)(end - begin));
    to[end - begin] = 0;
}

static void threads_and_ranks_write_the_same_file(void **state) {
    (void)state;
    char first[4096], other[4096], line[256];
    assert_int_equal(ringlet("simulate shot.yaml -o one.usda -q -t 1 --json"), 0);
    report(first, sizeof first);
    for (int threads = 2; threads <= 8; threads += 3) {
        snprintf(line, sizeof line, "simulate shot.yaml -o shot.usda -q -t %d --json", threads);
        assert_int_equal(ringlet(line), 0);
        assert_int_equal(system("cmp one.usda shot.usda"), 0);
        report(other, sizeof other);
        assert_string_equal(other, first);
    }
    mpi_needed();
    for (int ranks = 1; ranks <= 4; ranks++) {
        assert_int_equal(unlink("shot.usda"), 0);
        assert_int_equal(simulate(ranks, ranks == 2 ? "-t 2 --json" : "-t 1 --json"), 0);
        assert_int_equal(system("cmp one.usda shot.usda"), 0);
        report(other, sizeof other);
        assert_string_equal(other, first);
    }
}

/* mpirun may add its own words about an exit code. */
static void assert_one_message(const char *wanted) {
    const char *at = strstr(err_text, wanted);
    if (at == NULL || strstr(at + 1, wanted) != NULL)
        fail_msg("'%s' once, not:\n%s", wanted, err_text);
}

static void more_ranks_than_hairs(void **state) {
    (void)state;
    mpi_needed();
    assert_int_equal(
        simulate(4, "-t 1 --set 'hair[0].count=2' --set 'hair[0].total_points=0' --set 'hair[1].count=1'"),
        2);
    assert_one_message("4 ranks for 3 hairs: at most one rank per hair; start fewer processes");
}

static void one_message_for_a_bad_scene(void **state) {
    (void)state;
    mpi_needed();
    assert_int_equal(simulate(3, "-t 1 --set 'hair[0].contact.radius=-1'"), 2);
    assert_one_message("contact.radius");
}

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("spread") != 0)
        return 1;
    FILE *file = fopen("shot.yaml", "w");
    return file == NULL || fputs(scene, file) < 0 || fclose(file) != 0;
}

int main(int argc, char **argv) {
    if (argc > 2)
        return work((rlt_partition)atoi(argv[1]), atoi(argv[2]));
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_share),
        cmocka_unit_test(threads_and_ranks_write_the_same_file),
        cmocka_unit_test(more_ranks_than_hairs),
        cmocka_unit_test(one_message_for_a_bad_scene),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
