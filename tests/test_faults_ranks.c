/* Allocation faults of one rank among two: both get the same status, neither waits for the other forever, and
 * neither leaks. The program starts itself again under mpirun; see faults_fixture.h for the rest. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "faults_fixture.h"

#include "distribute/ranks.h"
#include "mpi_fixture.h"

#define CHECKPOINT "state.checkpoint"

static const char scene_text[] =
    "time: {first: 1, last: 9, outer_steps: 2, force_steps: 4, damping_steps: 2}\n"
    "health: {check_steps: off}\n"
    "character: {kind: none}\n"
    "hair:\n"
    "  name: row\n"
    "  preset: straight\n"
    "  contact: {enabled: on, radius: 0.3}\n"
    "  prune: {random: 0}\n"
    "  sag: {mode: solve}\n"
    "  strands:\n"
    "    - [[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 3, 0]]\n"
    "    - [[0.2, 0, 0], [0.2, 1, 0], [0.2, 2, 0], [0.2, 3, 0]]\n"
    "    - [[0.4, 0, 0], [0.4, 1, 0], [0.4, 2, 0], [0.4, 3, 0]]\n"
    "    - [[0.6, 0, 0], [0.6, 1, 0], [0.6, 2, 0], [0.6, 3, 0]]\n"
    "constraints: {kind: centroid, stiffness: 10}\n";

/* ---- what runs under mpirun ---- */

static rlt_ranks *all_ranks;
static int problems;

static void complain(const char *name, long long n, const char *what) {
    fprintf(stderr, "%s: %s in rank %d, with allocation %lld failing%s\n", name, what,
            rlt_ranks_rank(all_ranks), n, faults.all ? ", and all after it" : "");
    problems++;
}

typedef struct job {
    const char *name;
    rlt_status (*run)(rlt_simulation **simulation, const rlt_scene *scene, rlt_messages *messages);
    int begins; /* 1: with a simulation that has made a frame */
} job;

static rlt_status create(rlt_simulation **simulation, const rlt_scene *scene, rlt_messages *messages) {
    const rlt_simulation_def def = {.size = sizeof def, .threads = 1, .ranks = all_ranks};
    return rlt_simulation_create(scene, &def, messages, simulation);
}

static rlt_status advance(rlt_simulation **simulation, const rlt_scene *scene, rlt_messages *messages) {
    (void)scene;
    return rlt_simulation_advance(*simulation, messages);
}

static rlt_status save(rlt_simulation **simulation, const rlt_scene *scene, rlt_messages *messages) {
    (void)scene;
    return rlt_checkpoint_write(CHECKPOINT, *simulation, NULL, messages);
}

static rlt_status resume(rlt_simulation **simulation, const rlt_scene *scene, rlt_messages *messages) {
    (void)scene;
    return rlt_checkpoint_read(CHECKPOINT, *simulation, messages);
}

static const job jobs[] = {
    {"create", create, 0}, {"advance", advance, 1}, {"save", save, 1}, {"resume", resume, 1}};

/* Runs a job with the n-th allocation of one rank failing, -1: of none; returns how many this rank made. */
static long long step(const job *j, const rlt_scene *scene, int rank, long long n) {
    int mine = rank == rlt_ranks_rank(all_ranks);
    long long live = atomic_load(&faults.live), asked;
    rlt_simulation *simulation = NULL;
    rlt_messages *messages = rlt_messages_create();
    if (j->begins && (create(&simulation, scene, messages) != RLT_OK ||
                      rlt_simulation_advance(simulation, messages) != RLT_OK))
        complain(j->name, n, "no simulation");
    atomic_store(&faults.asked, 0);
    atomic_store(&faults.failed, 0);
    atomic_store(&faults.fails, mine ? n : -1);
    faults_go();
    rlt_status status = j->run(&simulation, scene, messages);
    faults_stop();
    asked = atomic_load(&faults.asked);
    int failed = atomic_load(&faults.failed);
    double most[3] = {(double)status, -(double)status, failed};
    rlti_ranks_max(all_ranks, most, 3);
    if (most[0] != -most[1])
        complain(j->name, n, "another status than the other's");
    if (n >= 0 && most[2] == 0.0)
        complain(j->name, n, "not reached");
    if (status != RLT_OK && (status != RLT_FAILED || n < 0))
        complain(j->name, n, "a wrong status");
    if (status != RLT_OK && rlt_ranks_rank(all_ranks) == 0 && !faults_has_error(messages))
        complain(j->name, n, "no message");
    rlt_simulation_destroy(simulation);
    rlt_messages_destroy(messages);
    if (atomic_load(&faults.live) != live)
        complain(j->name, n, "a leak");
    return asked;
}

static void walk(const job *j, const rlt_scene *scene) {
    step(j, scene, 0, -1); /* without what only the first run builds */
    for (int rank = 0; rank < 2; rank++) {
        long long totals[2];
        rlti_ranks_all(all_ranks, step(j, scene, 0, -1), totals);
        int stride = faults_level() == FAULTS_QUICK ? 2 * (int)(totals[rank] / FAULTS_SPREAD) + 1 : 1;
        for (faults.all = 0; faults.all < 2; faults.all++)
            for (long long n = faults.all * stride / 2; n < totals[rank]; n += stride)
                step(j, scene, rank, n);
        faults.all = 0;
    }
}

static int work(void) {
    rlt_scene *scene = NULL;
    if (rlt_ranks_start(NULL, &all_ranks) != RLT_OK ||
        rlt_scene_load_text("row.yaml", scene_text, strlen(scene_text), NULL, 0, NULL, &scene) != RLT_OK)
        return 1;
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        walk(&jobs[i], scene);
    rlt_scene_destroy(scene);
    rlt_ranks_finish(all_ranks);
    return problems > 0;
}

/* ---- the test ---- */

static void one_rank_fails(void **state) {
    (void)state;
    mpi_needed();
    char self[1024] = {0}, command[1200];
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(command, sizeof command, "'%s' work", self);
    int code = mpi_run(2, command);
    if (code != 0)
        print_error("%s%s", out_text, err_text);
    assert_int_equal(code, 0);
    unlink(CHECKPOINT);
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1)
        return work();
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_rank_fails)};
    return cmocka_run_group_tests(tests, faults_enter, faults_leave);
}
