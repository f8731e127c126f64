#define _XOPEN_SOURCE 700 /* realpath */
/* The torture program: does to ringlet what machines and people do to it (kills, damage, full disks, two runs
 * at once, edited inputs) for as long as asked, and looks whether its promises hold. See
 * docs/design/torture.md. */
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"
#include "../mpi_environment.h"

#define PROGRESS 10.0 /* seconds between two lines */

const kind kinds[] = {
    {"kill", "SIGKILL at any instant, then --resume", kind_kill},
    {"interrupt", "SIGINT or SIGTERM at any instant, then --resume", kind_interrupt},
    {"damage", "checkpoint or parts damaged between a kill and --resume", kind_damage},
    {"full", "a full disk", kind_full},
    {"two", "two runs with one output", kind_two},
    {"edit", "scene or files edited before --resume", kind_edit},
    {"input", "the output is an input", kind_input},
    {"change", "inputs that change while they are read", kind_change},
    {"closed", "closed standard descriptors", kind_closed},
    {"link", "links, pipes and folders under temporary names", kind_link},
};
const int kind_count = sizeof kinds / sizeof kinds[0];

typedef struct options {
    double seconds;
    int rounds; /* above 0: so many trials of each kind, however long they take */
    int only;   /* one kind, or -1 */
    int trial;  /* the number of the first one, from 0 */
    uint64_t seed;
    int each; /* a line for each trial */
    int keep; /* all folders */
} options;

typedef struct counts {
    int passed, failed, skipped;
} counts;

/* Set by Ctrl-C; a signal handler has nowhere else to put it. */
static volatile sig_atomic_t stopped;

static void ask_to_stop(int number) {
    (void)number;
    stopped = 1;
}

int torture_is_stopped(void) {
    return stopped;
}

/* ---- options ---- */

static _Noreturn void usage(int code) {
    FILE *out = code == 0 ? stdout : stderr;
    fprintf(out,
            "usage: torture [options]\n\n"
            "  --seconds N     how long (default 300)\n"
            "  --rounds N      so many trials of each kind instead\n"
            "  --seed N        of all choices (default: by the clock); times of signals still vary with the "
            "machine\n"
            "  --kind NAME     one kind only\n"
            "  --trial N       begin with this trial: with --seed, --kind and --rounds 1 the same again\n"
            "  --each          a line for each trial\n"
            "  --keep          keep all folders, not only those of failures\n"
            "  --program PATH  the ringlet to torment\n\nkinds:\n");
    for (int k = 0; k < kind_count; k++)
        fprintf(out, "  %-10s %s\n", kinds[k].name, kinds[k].about);
    exit(code);
}

static int find_kind(const char *name) {
    for (int k = 0; k < kind_count; k++)
        if (strcmp(name, kinds[k].name) == 0)
            return k;
    fprintf(stderr, "torture: no kind '%s'\n", name);
    usage(2);
}

static void read_options(int argc, char **argv, options *o, const char **program) {
    *o = (options){.seconds = 300, .only = -1, .seed = (uint64_t)time(NULL)};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(name, "--help") == 0)
            usage(0);
        if (strcmp(name, "--each") == 0 || strcmp(name, "--keep") == 0) {
            *(name[2] == 'e' ? &o->each : &o->keep) = 1;
            continue;
        }
        if (value == NULL)
            usage(2);
        i++;
        if (strcmp(name, "--seconds") == 0)
            o->seconds = strtod(value, NULL);
        else if (strcmp(name, "--rounds") == 0)
            o->rounds = (int)strtol(value, NULL, 10);
        else if (strcmp(name, "--seed") == 0)
            o->seed = strtoull(value, NULL, 0);
        else if (strcmp(name, "--kind") == 0)
            o->only = find_kind(value);
        else if (strcmp(name, "--trial") == 0)
            o->trial = (int)strtol(value, NULL, 10);
        else if (strcmp(name, "--program") == 0)
            *program = value;
        else
            usage(2);
    }
}

/* ---- surroundings ---- */

/* One variable after another of "A=1 B=2", unless it is set already. */
static void set_environment(const char *list) {
    char text[1024], *rest = NULL;
    snprintf(text, sizeof text, "%s", list);
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value = '\0';
        setenv(word, value + 1, 0);
    }
}

/* Tries what this machine can do, with a run of one frame. */
static int probe(torture *all) {
    static const char *const simds[] = {"auto", "avx2", "avx512"};
    static const char scene[] =
        "time: {last: 1}\ncharacter: {kind: none}\n"
        "hair: {preset: straight, region: none, spacing: 1, count: 2, total_points: 20}\n";
    trial t;
    int works = trial_begin(&t, all, "probe", 1);
    if (works)
        file_input(&t, "one.yaml", scene);
    for (int i = 0; works && i < 3; i++) {
        launch w = {.ranks = 1};
        snprintf(w.arguments, sizeof w.arguments, "simulate one.yaml -o one.usda -q --simd %s", simds[i]);
        ending e = child_run(&t, &w);
        if (e.code == 0)
            all->simds[all->simd_count++] = simds[i];
        else if (i == 0)
            fprintf(stderr, "torture: %s does not run: %s\n", all->program, e.said);
        w.ranks = 2;
        if (i == 0 && e.code == 0)
            all->has_ranks = child_run(&t, &w).code == 0;
    }
    if (works)
        all->has_mounts = geteuid() == 0 &&
                          child_command(&t, "mkdir m && mount -t tmpfs -o size=64k none m && umount m", 20);
    trial_end(&t, 0);
    child_sweep();
    return works && all->simd_count > 0;
}

static int prepare(torture *all, const char *program) {
    const char *folder = getenv("TMPDIR");
    *all = (torture){.simd_count = 0};
    char found[PATH_MAX];
    if (realpath(program, found) == NULL || strlen(found) >= sizeof all->program) {
        fprintf(stderr, "torture: %s: there is no such program; build it by make\n", program);
        return 0;
    }
    memcpy(all->program, found, strlen(found) + 1);
    snprintf(all->scenes, sizeof all->scenes, "%s/scenes/files", RLT_SOURCE_DIR);
    snprintf(all->root, sizeof all->root, "%s/ringlet-torture-XXXXXX", folder != NULL ? folder : "/tmp");
    if (mkdtemp(all->root) == NULL) {
        fprintf(stderr, "torture: %s: cannot make a folder there\n", all->root);
        return 0;
    }
    struct sigaction action = {.sa_handler = ask_to_stop};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    set_environment(MPI_ENVIRONMENT);
    /* a sanitizer's report must not pass for a refusal */
    setenv("ASAN_OPTIONS", "exitcode=99", 1);
    setenv("UBSAN_OPTIONS", "exitcode=99:print_stacktrace=1", 1);
#ifdef __linux__
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what outlives its parent becomes ours, and is swept up */
#endif
    return probe(all);
}

/* ---- trials ---- */

static uint64_t trial_seed(uint64_t seed, int k, int number) {
    return (seed * 0x100000001b3u + (uint64_t)k) * 0x9e3779b97f4a7c15u +
           (uint64_t)number * 0xd1342543de82ef95u;
}

static void print_script(const trial *t) {
    char path[PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/commands.sh", t->folder);
    bytes b = file_read(path);
    for (const char *line = b.data; line != NULL && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        printf("    %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    bytes_free(&b);
}

static void report_failure(const trial *t, const options *o, int k, int number) {
    printf("FAILED %s, trial %d: %s\n", kinds[k].name, number, t->why);
    printf("  kept: %s\n", t->folder);
    printf("  again: torture --seed %llu --kind %s --trial %d --rounds 1\n", (unsigned long long)o->seed,
           kinds[k].name, number);
    printf("  commands, which sh %s/commands.sh repeats:\n", t->folder);
    print_script(t);
    fflush(stdout);
}

static void run_trial(const torture *all, const options *o, int k, int number, counts *c) {
    trial t;
    char name[64];
    snprintf(name, sizeof name, "%s-%d", kinds[k].name, number);
    if (o->each)
        printf("[ RUN      ] %s\n", name);
    fflush(stdout);
    if (!trial_begin(&t, all, name, trial_seed(o->seed, k, number))) {
        printf("FAILED %s: no folder for it in %s\n", name, all->root);
        c->failed++;
        return;
    }
    kinds[k].run(&t);
    int left = child_sweep();
    if (left > 0)
        trial_fail(&t, "%d processes were left behind", left);
    trial_end(&t, t.failed || o->keep);
    if (stopped && !t.failed)
        return;
    c->passed += !t.failed && !t.skipped;
    c->failed += t.failed;
    c->skipped += !t.failed && t.skipped;
    if (t.failed)
        report_failure(&t, o, k, number);
    if (o->each)
        printf("%s %s\n", t.failed ? "[  FAILED  ]" : t.skipped ? "[  SKIPPED ]" : "[       OK ]", name);
}

static void print_progress(const counts *c, double seconds) {
    printf("%4.0f s:", seconds);
    for (int k = 0; k < kind_count; k++)
        if (c[k].passed + c[k].failed + c[k].skipped > 0)
            printf(" %s %d%s", kinds[k].name, c[k].passed, c[k].failed > 0 ? "!" : "");
    printf("\n");
    fflush(stdout);
}

static void run_trials(const torture *all, const options *o, counts *c) {
    double begun = clock_seconds(), said = begun;
    for (int number = o->trial; !stopped; number++) {
        if (o->rounds > 0 && number >= o->trial + o->rounds)
            return;
        for (int k = 0; k < kind_count && !stopped; k++) {
            if (o->rounds <= 0 && clock_seconds() - begun >= o->seconds)
                return;
            if (o->only < 0 || o->only == k)
                run_trial(all, o, k, number, &c[k]);
            if (clock_seconds() - said >= PROGRESS) {
                said = clock_seconds();
                print_progress(c, said - begun);
            }
        }
    }
}

static int sum_up(const options *o, const counts *c, double seconds) {
    counts sum = {0};
    printf("\n%-10s %8s %8s %8s\n", "kind", "passed", "failed", "skipped");
    for (int k = 0; k < kind_count; k++) {
        if (o->only >= 0 && o->only != k)
            continue;
        printf("%-10s %8d %8d %8d  %s\n", kinds[k].name, c[k].passed, c[k].failed, c[k].skipped,
               kinds[k].about);
        sum.passed += c[k].passed;
        sum.failed += c[k].failed;
        sum.skipped += c[k].skipped;
    }
    printf("seed %llu, %.0f s%s\n", (unsigned long long)o->seed, seconds,
           stopped ? ", stopped on request" : "");
    printf("%d passed, %d failed\n", sum.passed, sum.failed);
    return sum.failed > 0 || sum.passed + sum.skipped == 0; /* nothing was tried: no success */
}

int main(int argc, char **argv) {
    options o;
    torture all;
    counts c[sizeof kinds / sizeof kinds[0]] = {{0}};
    const char *program = RLT_PROGRAM;
    read_options(argc, argv, &o, &program);
    if (!prepare(&all, program)) {
        rmdir(all.root);
        return 1;
    }
    printf("torture of %s: seed %llu, %s, %s, %d kinds of SIMD beside portable\n", all.program,
           (unsigned long long)o.seed, all.has_ranks ? "1 or 2 ranks" : "no mpirun: 1 rank",
           all.has_mounts ? "a small file system" : "no leave to mount a small file system", all.simd_count);
    double begun = clock_seconds();
    run_trials(&all, &o, c);
    int code = sum_up(&o, c, clock_seconds() - begun);
    if (chdir("/") == 0)
        rmdir(all.root); /* stays where something was kept */
    return code;
}
