/* The verbs between ranks. The program starts itself again under mpirun as `test_ranks CASE`; each case
 * prints one line per rank. */
#include <math.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/random.h"
#include "contact/edge/contacts.h"
#include "mpi/launcher.h"
#include "distribute/ranks.h"
#include "mpi_fixture.h"
#include "ringlet/plan.h"

/* ---- what runs under mpirun ---- */

static int failures;

static void expect(int truth, const char *what) {
    if (!truth) {
        fprintf(stderr, "not true: %s\n", what);
        failures++;
    }
}
#define EXPECT(condition) expect(condition, #condition)

/* Terms whose sum depends on the order: 1, 1e16, 1, -1e16, ... */
static double term(int rank, int i) {
    return (rank % 2 == 0 ? 1.0 : rank % 4 == 1 ? 1e16 : -1e16) + i;
}

static void sums(rlt_ranks *ranks) {
    enum { COUNT = 300 }; /* more than one round */
    int rank = rlt_ranks_rank(ranks), count = rlt_ranks_count(ranks);
    double values[COUNT], most[3] = {rank, -rank, rank == 0 ? NAN : 1.0};
    for (int i = 0; i < COUNT; i++)
        values[i] = term(rank, i);
    rlt_ranks_sum(ranks, values, COUNT);
    for (int i = 0; i < COUNT; i++) {
        double expected = term(0, i);
        for (int r = 1; r < count; r++)
            expected += term(r, i);
        EXPECT(values[i] == expected);
    }
    double shares[2] = {rank + 1.0, 0.25}; /* the public one: the same sums */
    rlt_ranks_sum(ranks, shares, 2);
    EXPECT(shares[0] == 0.5 * count * (count + 1));
    EXPECT(shares[1] == 0.25 * count);
    rlti_ranks_max(ranks, most, 3);
    EXPECT(most[0] == count - 1);
    EXPECT(most[1] == 0);
    EXPECT(isnan(most[2]));
}

static void gathers(rlt_ranks *ranks) {
    int rank = rlt_ranks_rank(ranks), count = rlt_ranks_count(ranks);
    size_t counts[16], total = 0;
    char mine[64], all[512];
    long long values[16];
    for (int r = 0; r < count; r++) {
        counts[r] = r == 1 ? 0 : 3 + (size_t)r * 5; /* rank 1 has nothing */
        total += counts[r];
    }
    memset(mine, 'a' + rank, sizeof mine);
    memset(all, '?', sizeof all);
    rlti_ranks_gather(ranks, mine, counts, rank == 0 ? all : NULL);
    if (rank == 0) {
        const char *at = all;
        for (int r = 0; r < count; r++)
            for (size_t i = 0; i < counts[r]; i++)
                EXPECT(*at++ == 'a' + r);
        EXPECT(all[total] == '?');
    }
    /* the caller may have rank 0's part in its place already */
    memset(all, 'a' + rank, sizeof all);
    rlti_ranks_gather(ranks, all, counts, rank == 0 ? all : NULL);
    if (rank == 0 && count > 2)
        EXPECT(all[counts[0]] == 'c');

    /* everybody's to everybody, from elsewhere and from where it belongs */
    memset(mine, 'a' + rank, sizeof mine);
    for (int in_place = 0; in_place < 2; in_place++) {
        size_t before = 0;
        for (int r = 0; r < rank; r++)
            before += counts[r];
        memset(all, '?', sizeof all);
        memset(all + before, in_place ? 'a' + rank : '?', counts[rank]);
        rlti_ranks_share(ranks, in_place ? all + before : mine, counts, all);
        const char *at = all;
        for (int r = 0; r < count; r++)
            for (size_t i = 0; i < counts[r]; i++)
                EXPECT(*at++ == 'a' + r);
        EXPECT(all[total] == '?');
    }

    rlti_ranks_all(ranks, 1LL << (40 + rank), values);
    for (int r = 0; r < count; r++)
        EXPECT(values[r] == 1LL << (40 + r));

    int number = rank == 0 ? 4711 : -1;
    rlti_ranks_broadcast(ranks, &number, sizeof number);
    EXPECT(number == 4711);
    rlti_ranks_broadcast(ranks, NULL, 0);
}

/* Rank r and r + 1 are neighbours, in a row; what goes up is larger than what comes down, and to rank 0
 * nothing comes at all. */
static void exchanges(rlt_ranks *ranks) {
    enum { UP = 100000, DOWN = 24 };
    static char up_send[UP], up_receive[UP], down_send[DOWN], down_receive[DOWN];
    int rank = rlt_ranks_rank(ranks), count = rlt_ranks_count(ranks), n = 0;
    rlti_neighbour neighbours[2];
    if (rank > 0)
        neighbours[n++] = (rlti_neighbour){rank - 1, rank == 1 ? 0 : DOWN, UP, down_send, up_receive};
    if (rank < count - 1)
        neighbours[n++] = (rlti_neighbour){rank + 1, UP, rank == 0 ? 0 : DOWN, up_send, down_receive};
    rlti_exchange *exchange = rlti_exchange_create(ranks, neighbours, n);
    EXPECT(exchange != NULL);
    for (int step = 0; exchange != NULL && step < 20; step++) {
        memset(up_send, 10 * rank + step, UP);
        memset(down_send, 100 + 10 * rank + step, DOWN);
        memset(up_receive, 0, UP);
        memset(down_receive, 0, DOWN);
        rlti_exchange_begin(exchange);
        rlti_exchange_finish(exchange);
        if (rank > 0)
            EXPECT(up_receive[0] == 10 * (rank - 1) + step && up_receive[UP - 1] == up_receive[0]);
        if (rank > 0 && rank < count - 1)
            EXPECT(down_receive[0] == (char)(100 + 10 * (rank + 1) + step) &&
                   down_receive[DOWN - 1] == down_receive[0]);
        if (rank == 0)
            EXPECT(down_receive[0] == 0);
    }
    rlti_exchange_destroy(exchange);
    rlti_exchange_destroy(NULL);
}

/* Each rank sends to the next as many values as its number, and to the one before one more than that. */
static void trades(rlt_ranks *ranks) {
    int rank = rlt_ranks_rank(ranks), count = rlt_ranks_count(ranks);
    int next = (rank + 1) % count, before = (rank + count - 1) % count;
    double sent[16], got[2][16] = {{0}};
    for (int k = 0; k < 16; k++)
        sent[k] = 100.0 * rank + k;
    const rlti_parcel parcels[] = {{next, 0, sent, rank},
                                   {before, 1, got[0], before},
                                   {before, 0, sent, rank + 1},
                                   {next, 1, got[1], next + 1}};
    if (count > 2)
        rlti_ranks_trade(ranks, parcels, 4);
    else if (count == 2) /* at most one to each */
        rlti_ranks_trade(ranks, parcels + 2, 2);
    else
        rlti_ranks_trade(ranks, parcels, 0);
    for (int k = 0; k < 16; k++) {
        EXPECT(got[0][k] == (count > 2 && k < before ? 100.0 * before + k : 0.0));
        EXPECT(got[1][k] == (count > 1 && k < next + 1 ? 100.0 * next + k : 0.0));
    }
}

static void pings(rlt_ranks *ranks) {
    double small = rlti_ranks_ping(ranks, 8, 20), large = rlti_ranks_ping(ranks, 1 << 20, 5);
    int alone = rlt_ranks_count(ranks) == 1;
    /* not which of the two is faster: other work on the machine decides that */
    EXPECT(alone ? small == 0.0 && large == 0.0 : small > 0.0 && small < 10.0 && large > 0.0 && large < 10.0);
    double same[2] = {large, -large};
    rlti_ranks_max(ranks, same, 2);
    EXPECT(same[0] == -same[1]); /* all ranks have the same answer */
    double latency = -1.0, bandwidth = -2.0;
    rlt_plan_measure_network(ranks, &latency, &bandwidth);
    if (alone)
        EXPECT(latency == -1.0 && bandwidth == -2.0);
    else
        EXPECT(latency > 0.0 && latency < 10.0 && bandwidth > 1e3 && bandwidth < 1e15);
}

/* Hairs of a random walk that moves: the list of all ranks together is that of one alone, for the first
 * search of a step and for later ones, and each rank looks into a part of the pairs. */
static void searches(rlt_ranks *ranks) {
    enum { STRANDS = 60, POINTS = 20, ALL = STRANDS * POINTS };
    static rlti_vec3 start[ALL], end[ALL];
    static double radius[ALL], friction[STRANDS][2];
    static int first[STRANDS + 1];
    rlti_edge_contacts *found[2];
    for (int s = 0; s < STRANDS; s++)
        first[s + 1] = first[s] + POINTS;
    for (int p = 0; p < ALL; p++) {
        double step = p % POINTS == 0 ? 3.0 : 0.3;
        radius[p] = 0.1;
        start[p] = rlti_v3(step * rlti_random_signed(1, (uint64_t)p, 1),
                           step * rlti_random_signed(1, (uint64_t)p, 2),
                           step * rlti_random_signed(1, (uint64_t)p, 3));
        if (p % POINTS > 0)
            start[p] = rlti_add(start[p], start[p - 1]);
    }
    rlti_edge_strands strands = {.strand_count = STRANDS,
                                 .first = first,
                                 .rest = start,
                                 .radius = radius,
                                 .friction = (const double(*)[2])friction,
                                 .offset = 0.05,
                                 .self = 1};
    rlti_pool *pool = rlti_pool_create(1);
    for (int k = 0; k < 2; k++)
        found[k] = rlti_edge_contacts_create(&strands);
    int ready =
        pool != NULL && found[0] != NULL && found[1] != NULL && rlti_edge_contacts_set_ranks(found[1], ranks);
    EXPECT(ready);
    for (int search = 0; search < 6 && ready; search++) {
        for (int p = 0; p < ALL; p++) /* steps of three searches, the later ones of small changes */
            end[p] = rlti_add(start[p],
                              rlti_v3(0.2 * rlti_random_signed(2 + (uint64_t)(search / 3), (uint64_t)p, 1) +
                                          1e-3 * (search % 3),
                                      0.0, 0.0));
        const rlti_edge_contact *list[2];
        int count[2];
        for (int k = 0; k < 2; k++) {
            if (search % 3 == 0)
                rlti_edge_contacts_begin(found[k]);
            EXPECT(rlti_edge_contacts_find(found[k], pool, start, end, NULL, 0));
            list[k] = rlti_edge_contacts_list(found[k], &count[k]);
        }
        EXPECT(count[0] > 100 && count[0] == count[1]);
        EXPECT(memcmp(list[0], list[1], (size_t)count[0] * sizeof *list[0]) == 0);
        double pairs = (double)rlti_edge_contacts_cost_of(found[1]).pairs,
               all = (double)rlti_edge_contacts_cost_of(found[0]).pairs, share = pairs / all;
        rlt_ranks_sum(ranks, &pairs, 1);
        EXPECT(pairs == all);
        EXPECT(rlt_ranks_count(ranks) == 1 || (share > 0.0 && share < 0.9));
    }
    for (int k = 0; k < 2; k++)
        rlti_edge_contacts_destroy(found[k]);
    rlti_pool_destroy(pool);
}

/* All ranks warn; rank `failing` and those after it fail. */
static void agrees(rlt_ranks *ranks, int failing, rlt_status status) {
    int rank = rlt_ranks_rank(ranks);
    rlt_messages *messages = rlt_messages_create();
    rlti_message(messages, RLT_WARNING, "all see this");
    if (rank == failing)
        rlti_message(messages, RLT_NOTE, "only here");
    rlt_status mine = RLT_OK;
    if (rank == failing)
        mine = rlti_fail(messages, status, "broken %d", rank);
    else if (rank > failing)
        mine = rlti_fail(messages, RLT_BAD_INPUT, "broken %d", rank);
    rlt_status result = rlt_ranks_agree(ranks, mine, messages);
    EXPECT(result == (failing < rlt_ranks_count(ranks) ? status : RLT_OK));
    if (failing >= rlt_ranks_count(ranks)) {
        EXPECT(rlt_messages_count(messages) == 1);
    } else if (rank > 0) {
        EXPECT(rlt_messages_count(messages) == 0);
    } else {
        EXPECT(rlt_messages_count(messages) == 3);
        EXPECT(strcmp(rlt_messages_text(messages, 0), "all see this") == 0);
        EXPECT(rlt_messages_severity(messages, 1) == RLT_NOTE);
        char text[64];
        if (failing > 0 && status == RLT_FAILED)
            snprintf(text, sizeof text, "rank %d: broken %d", failing, failing);
        else
            snprintf(text, sizeof text, "broken %d", failing);
        EXPECT(strcmp(rlt_messages_text(messages, 2), text) == 0);
        EXPECT(rlt_messages_severity(messages, 2) == RLT_ERROR);
    }
    rlt_messages_destroy(messages);
    /* without a list only the status travels */
    EXPECT(rlt_ranks_agree(ranks, rank == failing ? RLT_DIVERGED : RLT_OK, NULL) ==
           (failing < rlt_ranks_count(ranks) ? RLT_DIVERGED : RLT_OK));
}

static void verbs(rlt_ranks *ranks) {
    sums(ranks);
    gathers(ranks);
    exchanges(ranks);
    trades(ranks);
    pings(ranks);
    searches(ranks);
    for (int failing = 0; failing <= rlt_ranks_count(ranks); failing++) {
        agrees(ranks, failing, RLT_FAILED);
        agrees(ranks, failing, RLT_DIVERGED);
    }
}

static int work(const char *name) {
    rlt_messages *messages = rlt_messages_create();
    rlt_ranks *ranks = NULL;
    rlt_status status = rlt_ranks_start(messages, &ranks);
    for (int i = 0; i < rlt_messages_count(messages); i++)
        fprintf(stderr, "%s\n", rlt_messages_text(messages, i));
    rlt_messages_destroy(messages);
    if (status != RLT_OK)
        return (int)status;
    int rank = rlt_ranks_rank(ranks), count = rlt_ranks_count(ranks);
    if (strcmp(name, "verbs") == 0) {
        verbs(ranks);
    } else if (strcmp(name, "abort") == 0) {
        /* rank 0 waits for a message that never comes */
        if (rank == count - 1)
            rlt_ranks_abort(ranks, 3);
        double wait = 0.0;
        rlt_ranks_sum(ranks, &wait, 1);
        printf("not aborted\n");
    } else if (strcmp(name, "leave") == 0 && rank == count - 1) {
        _exit(9); /* as if killed */
    }
    rlt_ranks_finish(ranks);
    printf("rank %d of %d: %s\n", rank, count, failures == 0 ? "good" : "bad");
    return failures != 0;
}

/* ---- the tests ---- */

static char self[1024];

static int start(int ranks, const char *name) {
    char command[1200];
    snprintf(command, sizeof command, "'%s' %s", self, name);
    return mpi_run(ranks, command);
}

static void every_verb_with_1_to_4_ranks(void **state) {
    (void)state;
    mpi_needed();
    for (int count = 1; count <= 4; count++) {
        int code = start(count, "verbs");
        if (code != 0)
            print_message("%d ranks: exit code %d\n%s%s", count, code, out_text, err_text);
        assert_int_equal(code, 0);
        for (int rank = 0; rank < count; rank++) {
            char line[64];
            snprintf(line, sizeof line, "rank %d of %d: good\n", rank, count);
            assert_non_null(strstr(out_text, line));
        }
    }
}

static void abort_ends_all_ranks(void **state) {
    (void)state;
    mpi_needed();
    assert_int_equal(start(3, "abort"), 3);
    assert_string_equal(out_text, "");
    /* alone it does nothing */
    assert_int_equal(start(1, "abort"), 0);
    assert_string_equal(out_text, "not aborted\nrank 0 of 1: good\n");
}

static void a_lost_rank_ends_the_job(void **state) {
    (void)state;
    mpi_needed();
    assert_int_equal(start(3, "leave"), 9);
    assert_null(strstr(out_text, "good"));
}

/* The same verbs alone: no handle, no MPI. */
static void every_verb_alone(void **state) {
    (void)state;
    rlt_ranks *ranks = (rlt_ranks *)&failures;
    assert_int_equal(rlt_ranks_start(NULL, &ranks), RLT_OK);
    assert_null(ranks);
    assert_int_equal(rlt_ranks_rank(NULL), 0);
    assert_int_equal(rlt_ranks_count(NULL), 1);
    rlt_ranks_abort(NULL, 5);
    verbs(NULL);
    assert_int_equal(failures, 0);
    rlt_ranks_finish(NULL);
}

static void launchers_are_recognised(void **state) {
    (void)state;
    assert_false(rlti_launcher_find().found);
    setenv("SLURM_NTASKS", "5", 1); /* a batch job, but no launcher */
    assert_false(rlti_launcher_find().found);
    setenv("PMIX_RANK", "2", 1);
    rlti_launcher launcher = rlti_launcher_find();
    assert_true(launcher.found);
    assert_int_equal(launcher.rank, 2);
    assert_int_equal(launcher.count, 5);
    setenv("SLURM_NTASKS", "many", 1);
    assert_int_equal(rlti_launcher_find().count, -1);
    unsetenv("SLURM_NTASKS");
    assert_int_equal(rlti_launcher_find().count, -1);
    setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
    assert_int_equal(rlti_launcher_find().rank, 1);
    assert_int_equal(rlti_launcher_find().count, 3);
    unsetenv("OMPI_COMM_WORLD_RANK");
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("PMIX_RANK");
}

/* Each process of a launcher whose MPI is not ours (or there is none) refuses, and the first says why. */
static void a_foreign_launcher_is_refused(void **state) {
    static const struct {
        const char *environment;
        int code, says;
    } cases[] = {
        {"PMI_RANK=0 PMI_SIZE=2", 2, 1},
        {"PMI_RANK=1 PMI_SIZE=2", 2, 0},
        {"PMI_RANK=0 PMI_SIZE=1", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[1400], text[32];
        snprintf(text, sizeof text, "foreign-%ld.txt", (long)getpid());
        snprintf(line, sizeof line, MPI_ENVIRONMENT " %s '%s' start > %s 2>&1", cases[i].environment, self,
                 text);
        int code = system(line);
        assert_true(WIFEXITED(code));
        read_file(text, out_text);
        unlink(text);
        assert_int_equal(WEXITSTATUS(code), cases[i].code);
        assert_int_equal(strstr(out_text, "launcher") != NULL, cases[i].says);
    }
}

static void messages_survive_packing(void **state) {
    (void)state;
    rlt_messages *from = rlt_messages_create(), *to = rlt_messages_create();
    size_t size = 1;
    char *packed = rlti_messages_pack(NULL, &size);
    assert_non_null(packed);
    assert_int_equal(size, 0);
    rlti_messages_unpack(to, packed, size, NULL);
    assert_int_equal(rlt_messages_count(to), 0);
    rlti_free(packed);

    rlti_message(from, RLT_NOTE, "first: 100%% sure");
    rlti_message(from, RLT_ERROR, "%s", "");
    rlti_message(from, RLT_WARNING, "last");
    rlti_message(to, RLT_WARNING, "last");
    packed = rlti_messages_pack(from, &size);
    assert_non_null(packed);
    rlti_messages_unpack(to, packed, size, "rank 7");
    assert_int_equal(rlt_messages_count(to), 3);
    assert_string_equal(rlt_messages_text(to, 1), "rank 7: first: 100% sure");
    assert_int_equal(rlt_messages_severity(to, 1), RLT_NOTE);
    assert_string_equal(rlt_messages_text(to, 2), "rank 7: ");
    /* cut short anywhere, only whole messages come out */
    for (size_t cut = 0; cut < size; cut++) {
        rlt_messages_clear(to);
        rlti_messages_unpack(to, packed, cut, NULL);
        assert_true(rlt_messages_count(to) < 3);
    }
    rlti_free(packed);
    rlt_messages_destroy(from);
    rlt_messages_destroy(to);
}

int main(int argc, char **argv) {
    if (argc > 1)
        return work(argv[1]);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verb_alone),
        cmocka_unit_test(launchers_are_recognised),
        cmocka_unit_test(a_foreign_launcher_is_refused),
        cmocka_unit_test(messages_survive_packing),
        cmocka_unit_test(every_verb_with_1_to_4_ranks),
        cmocka_unit_test(abort_ends_all_ranks),
        cmocka_unit_test(a_lost_rank_ends_the_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
