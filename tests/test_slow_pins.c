/* Pins: scenes that together use everything that acts on hair give the bytes they gave when this list was
 * written, for any threads, ranks and instruction set, and resumed half way. A change of structure must not
 * move one of them; a change of formulas moves them on purpose: then look at the pictures, run
 * `ringlet validate`, and put in the values this test prints. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdlib.h>
#include "folder_fixture.h"
#include "mpi_fixture.h"
#include "ringlet/ringlet.h"

#define KEPT "half.checkpoint"

typedef struct pin {
    const char *name;
    const char *scene;         /* embedded, or a file in scenes/ */
    const char *overrides[16]; /* after those that make all of them quick */
    int frames;
    int contacts, planes, holds; /* 1: there must be some, or the pin says nothing about them */
    uint64_t hash;
} pin;

static const pin pins[] = {
    {.name = "redhead: contacts, head, walk",
     .scene = "redhead",
     .overrides = {"hair.count=60", "hair.total_points=1500", "hair.prune.random=0.2", "time.preroll=2"},
     .frames = 4,
     .contacts = 1,
     .planes = 1,
     .hash = 0x137eaea5c4500443u},
    {.name = "paper's form of bending",
     .scene = "redhead",
     .overrides = {"hair.count=20", "hair.total_points=600", "hair.formulation=paper",
                   "hair.contact.enabled=off"},
     .frames = 4,
     .hash = 0x07e463e703a61da2u},
    {.name = "horse: five kinds of hair",
     .scene = "horse",
     .overrides = {"hair[0].count=40", "hair[0].total_points=600", "hair[1].count=10",
                   "hair[1].total_points=300", "hair[2].count=10", "hair[2].total_points=100",
                   "hair[3].count=10", "hair[3].total_points=100", "hair[4].count=60",
                   "hair[4].total_points=300"},
     .frames = 3,
     .planes = 1,
     .hash = 0xbeedb55be4a611fbu},
    {.name = "bob: centroid, wind, gusts",
     .scene = "bob",
     .overrides = {"hair.count=40"},
     .frames = 6,
     .holds = 1,
     .hash = 0x93270e029d6f5a6cu},
    {.name = "bun: scalp", .scene = "bun", .frames = 6, .holds = 1, .hash = 0x04fef678ecf9af6du},
    {.name = "fringe: pin, calisthenics",
     .scene = "fringe",
     .frames = 6,
     .holds = 1,
     .hash = 0x3dc48d35d8bff6afu},
    {.name = "ponytail: attach, tips, bound",
     .scene = "ponytail",
     .frames = 6,
     .planes = 1,
     .holds = 1,
     .hash = 0x3a57bcdb785f1928u},
    {.name = "pose",
     .scene = "pose",
     .overrides = {"hair.count=24", "constraints.frame=5", "constraints.lead=3", "constraints.stay=1",
                   "constraints.release=1"},
     .frames = 7,
     .holds = 1,
     .hash = 0x923480abd0d0d3e0u},
    {.name = "freeze",
     .scene = "freeze",
     .overrides = {"hair.count=30", "constraints.weight=[[3, 0], [3.1, 1], [6, 1], [7, 0]]"},
     .frames = 8,
     .planes = 1,
     .holds = 1,
     .hash = 0x4af252473346e70fu},
    {.name = "face: fields",
     .scene = "face",
     .overrides = {"hair.count=30"},
     .frames = 6,
     .holds = 1,
     .hash = 0x262313a585b09b52u},
    {.name = "whirl: sag solved, hard bounds",
     .scene = "whirl",
     .overrides = {"hair.count=16", "hair.length=24"},
     .frames = 4,
     .holds = 1,
     .hash = 0x547f90837ab06304u},
    {.name = "stand: sag solved with contacts",
     .scene = "stand",
     .overrides = {"hair.count=30", "hair.total_points=900"},
     .frames = 4,
     .contacts = 1,
     .hash = 0xfdd7aa225623a288u},
    {.name = "fur: preload",
     .scene = "fur",
     .overrides = {"hair.count=60"},
     .frames = 4,
     .hash = 0x602a739fafee106cu},
    {.name = "dry: reshape to another groom, sag",
     .scene = "dry",
     .overrides = {"hair[0].count=20", "hair[1].count=20"},
     .frames = 4,
     .hash = 0x2ad5fcd374d7f4edu},
    {.name = "props: colliders",
     .scene = "props",
     .overrides = {"hair.count=40"},
     .frames = 6,
     .planes = 1,
     .hash = 0xd38e83e04004e478u},
    {.name = "cut: body from a file, jump",
     .scene = "files/cut.yaml",
     .overrides = {"hair.count=24"},
     .frames = 15,
     .planes = 1,
     .hash = 0x71f8bef44dbf47dbu},
    {.name = "pillow: eased preroll",
     .scene = "files/pillow.yaml",
     .overrides = {"hair.count=24", "time.preroll=3"},
     .frames = 6,
     .planes = 1,
     .hash = 0x8759eb920c758785u},
    {.name = "blend: animated curves",
     .scene = "files/blend.yaml",
     .overrides = {"hair.sag.mode=off"},
     .frames = 8,
     .holds = 1,
     .hash = 0x48271b214926e1bdu},
    {.name = "grow: hair grows with its file",
     .scene = "files/grow.yaml",
     .overrides = {"hair.count=20"},
     .frames = 5,
     .hash = 0x67c063233667d318u},
    {.name = "wind-up: rest shape of moving curves",
     .scene = "files/wind-up.yaml",
     .overrides = {"time.force_steps=30", "time.damping_steps=15"},
     .frames = 5,
     .hash = 0x00f74db1bde39835u},
    {.name = "puffball: groom and body from a file",
     .scene = "files/puffball.yaml",
     .overrides = {"hair.sag.mode=off"},
     .frames = 6,
     .planes = 1,
     .hash = 0x6f087292a4441764u},
    {.name = "collider from a file",
     .scene = "files/cut.yaml",
     .overrides = {"hair.count=20", "colliders=[{kind: mesh, file: bust.usda}]", "character.kind=head",
                   "character.file=", "character.subdivide=0", "character.jump=0", "character.keys=[]"},
     .frames = 5,
     .planes = 1,
     .hash = 0x3fae22ac84d227dbu},
    {.name = "gale: turbulence, drag, jump of a generated body",
     .scene = "straight",
     .overrides = {"hair.count=30", "hair.total_points=450", "hair.drag=3", "wind.velocity=[200, 0, 60]",
                   "wind.turbulence=80", "wind.gust_strength=0.4", "character.cuts=[4]", "hair.model=taz",
                   "hair.fall=0.85", "hair.comb=0", "hair.sag.mode=off"},
     .frames = 6,
     .planes = 1,
     .hash = 0x4fd7bed684983786u},
};
enum { PINS = sizeof pins / sizeof pins[0] };

static char self[1024];

static rlt_scene *load(const pin *p, rlt_messages *messages) {
    const char *all[32] = {"time.outer_steps=12", "time.force_steps=15", "time.damping_steps=5"};
    int count = 3;
    rlt_scene *scene = NULL;
    if (strstr(p->scene, ".yaml") == NULL) {
        all[count++] = "character.resolution=12";
        all[count++] = "time.preroll=0";
    }
    for (int k = 0; k < 16 && p->overrides[k] != NULL; k++)
        all[count++] = p->overrides[k];
    char path[2048];
    snprintf(path, sizeof path, "%s/scenes/%s", RLT_SOURCE_DIR, p->scene);
    rlt_status status = strstr(p->scene, ".yaml") != NULL
                            ? rlt_scene_load_file(path, all, count, messages, &scene)
                            : rlt_scene_load_embedded(p->scene, all, count, messages, &scene);
    return status == RLT_OK ? scene : NULL;
}

typedef struct outcome {
    rlt_status status;
    uint64_t hash;
    rlt_statistics statistics;
} outcome;

/* Runs a pin's frames; resumed: half of them, a checkpoint, and the rest in a new simulation. */
static outcome run(const pin *p, rlt_simulation_def def, int resumed) {
    outcome out = {.status = RLT_FAILED};
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *scene = load(p, messages);
    rlt_simulation *simulation = NULL;
    if (scene != NULL)
        out.status = rlt_simulation_create(scene, &def, messages, &simulation);
    for (int f = 0; f < p->frames && out.status == RLT_OK; f++) {
        if (resumed && f == p->frames / 2) {
            out.status = rlt_checkpoint_write(KEPT, simulation, NULL, messages);
            rlt_simulation_destroy(simulation);
            simulation = NULL;
            if (out.status == RLT_OK)
                out.status = rlt_simulation_create(scene, &def, messages, &simulation);
            if (out.status == RLT_OK)
                out.status = rlt_checkpoint_read(KEPT, simulation, messages);
        }
        if (out.status == RLT_OK)
            out.status = rlt_simulation_advance(simulation, messages);
    }
    if (out.status == RLT_OK) {
        out.hash = rlt_simulation_hash(simulation);
        out.statistics.size = sizeof out.statistics;
        rlt_simulation_statistics(simulation, &out.statistics);
    }
    for (int i = 0; i < rlt_messages_count(messages) && out.status != RLT_OK; i++)
        fprintf(stderr, "%s: %s\n", p->name, rlt_messages_text(messages, i));
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
    return out;
}

/* One rank of a job that runs every pin; rank 0 prints the hashes. */
static int work(void) {
    rlt_messages *messages = rlt_messages_create();
    rlt_simulation_def def = {.size = sizeof def, .threads = 1};
    rlt_status status = rlt_ranks_start(messages, &def.ranks);
    for (int k = 0; k < PINS && status == RLT_OK; k++) {
        outcome out = run(&pins[k], def, 0);
        status = out.status;
        if (rlt_ranks_rank(def.ranks) == 0)
            printf("%016llx\n", (unsigned long long)out.hash);
    }
    rlt_ranks_finish(def.ranks);
    rlt_messages_destroy(messages);
    return (int)status;
}

static int compare(const pin *p, const char *how, uint64_t hash) {
    if (hash != p->hash)
        print_error("%s, %s: 0x%016llxu instead of 0x%016llxu\n", p->name, how, (unsigned long long)hash,
                    (unsigned long long)p->hash);
    return hash != p->hash;
}

static int compare_run(const pin *p, const char *how, rlt_simulation_def def, int resumed) {
    if (!rlt_simd_available(def.simd)) {
        print_message("%s: not on this CPU\n", how);
        return 0;
    }
    outcome out = run(p, def, resumed);
    if (out.status != RLT_OK) {
        print_error("%s, %s: failed\n", p->name, how);
        return 1;
    }
    return compare(p, how, out.hash);
}

static void every_pin_uses_what_it_is_there_for(void **state) {
    (void)state;
    int wrong = 0;
    for (int k = 0; k < PINS; k++) {
        const pin *p = &pins[k];
        outcome out = run(p, (rlt_simulation_def){.size = sizeof(rlt_simulation_def), .threads = 1}, 0);
        wrong += out.status != RLT_OK || compare(p, "1 thread", out.hash);
        int empty = (p->contacts && out.statistics.hair_contacts_worst == 0) ||
                    (p->planes && out.statistics.contacts == 0) ||
                    (p->holds && out.statistics.constraints == 0);
        if (empty)
            print_error("%s: %lld contacts, %lld planes, %d holds: too little to say much\n", p->name,
                        out.statistics.hair_contacts_worst, out.statistics.contacts,
                        out.statistics.constraints);
        wrong += empty;
    }
    assert_int_equal(wrong, 0);
}

static void threads_and_instruction_sets(void **state) {
    (void)state;
    int wrong = 0;
    for (int k = 0; k < PINS; k++) {
        wrong += compare_run(&pins[k], "3 threads",
                             (rlt_simulation_def){.size = sizeof(rlt_simulation_def), .threads = 3}, 0);
        wrong += compare_run(
            &pins[k], "portable",
            (rlt_simulation_def){.size = sizeof(rlt_simulation_def), .threads = 2, .simd = RLT_SIMD_PORTABLE},
            0);
        wrong += compare_run(
            &pins[k], "avx2",
            (rlt_simulation_def){.size = sizeof(rlt_simulation_def), .threads = 2, .simd = RLT_SIMD_AVX2}, 0);
        wrong += compare_run(
            &pins[k], "avx512",
            (rlt_simulation_def){.size = sizeof(rlt_simulation_def), .threads = 2, .simd = RLT_SIMD_AVX512},
            0);
    }
    assert_int_equal(wrong, 0);
}

static void resumed_half_way(void **state) {
    (void)state;
    int wrong = 0;
    for (int k = 0; k < PINS; k++)
        wrong += compare_run(&pins[k], "resumed",
                             (rlt_simulation_def){.size = sizeof(rlt_simulation_def), .threads = 2}, 1);
    assert_int_equal(wrong, 0);
}

static void two_ranks(void **state) {
    (void)state;
    char command[1100];
    int wrong = 0;
    mpi_needed();
    snprintf(command, sizeof command, "'%s' rank", self);
    assert_int_equal(mpi_run(2, command), 0);
    char *at = out_text;
    for (int k = 0; k < PINS; k++)
        wrong += compare(&pins[k], "2 ranks", strtoull(at, &at, 16));
    assert_int_equal(wrong, 0);
}

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("pins");
}

int main(int argc, char **argv) {
    if (argc > 1)
        return work();
    if (realpath(argv[0], self) == NULL)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pin_uses_what_it_is_there_for),
        cmocka_unit_test(threads_and_instruction_sets),
        cmocka_unit_test(resumed_half_way),
        cmocka_unit_test(two_ranks),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
