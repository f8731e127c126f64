/* Contacts that ranks solve together: the same bytes, and the same report, as by one rank alone, for both
 * blocks, precisions and models, with links, with free hair on bodies, and in a run that goes on with another
 * number of ranks. */
#include "folder_fixture.h"
#include "mpi_fixture.h"

/* Objects have 1,000 points: five, of which no rank has its own, so that all hand points on to all. */
#define HEAD                                                                                                 \
    "time: {last: 3, preroll: 0}\nmotion: {kind: walk, amount: 3}\ncharacter: {kind: head, resolution: "     \
    "16}\n"
#define HAIR(more)                                                                                           \
    "hair: {name: a, preset: straight, region: nape, density: 0, count: 100, total_points: 4600, length: "   \
    "16, fall: 1, rod: {steps: 2}, contact: {method: solve, radius: 0.5, groom: keep}" more "}\n"
#define ROD    ", model: rod"
#define LINKED ", link: {count: 6, reach: 1.2}"

/* Hair that falls on a ball and on itself. */
#define FREE                                                                                                 \
    "time: {last: 8}\ncharacter: {kind: none}\ncolliders: {kind: sphere, position: [0, -24, 0], radius: "    \
    "6}\nhair: {model: rod, preset: straight, region: none, spacing: 0.3, count: 40, total_points: 2400, "   \
    "length: 16, rod: {root: free, steps: 2}, contact: {method: solve, radius: 0.2, groom: keep}}\n"

static const struct {
    const char *name, *scene;
    int ranks[3];
} cases[] = {
    {"few.yaml",
     HEAD "contacts: {block: lumped, newton: 2, iterations: 3, early: 0, self: on}\n" HAIR(ROD LINKED),
     {2, 3, 5}},
    {"accelerated.yaml",
     HEAD "contacts: {block: lumped, newton: 3, iterations: 12}\n" HAIR(ROD LINKED),
     {2, 3}},
    {"double.yaml", HEAD "contacts: {block: lumped, newton: 2, iterations: 22}\n" HAIR(ROD), {2, 3}},
    {"whole.yaml", HEAD "contacts: {block: whole, newton: 3}\n" HAIR(ROD LINKED), {2, 3, 5}},
    {"coil.yaml", HEAD "contacts: {block: lumped, newton: 3, iterations: 3}\n" HAIR(", model: coil"), {2, 3}},
    {"free.yaml", FREE "contacts: {block: lumped, newton: 4, iterations: 8}\n", {2, 3}},
};

static int simulate(int ranks, const char *scene, const char *options) {
    char line[1024];
    snprintf(line, sizeof line, "'%s' simulate %s -o shot.usda -q -t 1 --json %s", RLT_PROGRAM, scene,
             options);
    return mpi_run(ranks, line);
}

/* What is said of the contacts, and all messages. */
static void keep_report(char *contacts, char *messages, size_t size) {
    const char *from = strstr(out_text, "\"solved_contacts\""), *said = strstr(out_text, "\"messages\"");
    assert_non_null(from);
    assert_non_null(said);
    snprintf(contacts, size, "%.*s", (int)strcspn(from, "}"), from);
    snprintf(messages, size, "%s", said);
}

static void assert_shared(const char *scene, int ranks) {
    static char contacts[2][4096], messages[2][4096];
    assert_int_equal(simulate(1, scene, ""), 0);
    keep_report(contacts[0], messages[0], sizeof contacts[0]);
    assert_int_equal(rename("shot.usda", "one.usda"), 0);
    int code = simulate(ranks, scene, "");
    if (code != 0)
        fail_msg("%s, %d ranks: exit code %d\n%s", scene, ranks, code, err_text);
    keep_report(contacts[1], messages[1], sizeof contacts[1]);
    if (system("cmp shot.usda one.usda") != 0)
        fail_msg("%s: %d ranks have other bytes", scene, ranks);
    assert_string_equal(contacts[0], contacts[1]);
    assert_string_equal(messages[0], messages[1]);
}

static void write_scene(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void ranks_share_the_solution(void **state) {
    (void)state;
    mpi_needed();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        write_scene(cases[k].name, cases[k].scene);
        for (int i = 0; i < 3 && cases[k].ranks[i] > 0; i++)
            assert_shared(cases[k].name, cases[k].ranks[i]);
        const char *touching = strstr(out_text, "\"touching\": ");
        assert_non_null(touching);
        assert_true(atof(touching + strlen("\"touching\": ")) > 50.0); /* else it says little */
    }
}

/* As many objects as let ranks own them whole. */
static void ranks_own_whole_objects(void **state) {
    (void)state;
    mpi_needed();
    write_scene("many.yaml", HEAD
                "contacts: {block: lumped, newton: 2, iterations: 3}\nhair: {name: a, model: rod, preset: "
                "straight, region: scalp, count: 450, total_points: 18000, length: 20, fall: 1, "
                "rod: {steps: 1}, contact: {method: solve, radius: 0.4}}\n");
    assert_shared("many.yaml", 2);
}

static void going_on_with_other_ranks(void **state) {
    (void)state;
    mpi_needed();
    write_scene(cases[0].name, cases[0].scene);
    assert_int_equal(simulate(2, cases[0].name, ""), 0);
    assert_int_equal(rename("shot.usda", "one.usda"), 0);
    assert_int_not_equal(simulate(3, cases[0].name, "--checkpoint 1 --set health.speed_limit=24"), 0);
    assert_int_equal(simulate(2, cases[0].name, "--resume"), 0);
    assert_non_null(strstr(out_text, "\"resumed_from\": "));
    assert_null(strstr(out_text, "\"resumed_from\": null"));
    assert_int_equal(system("cmp shot.usda one.usda"), 0);
}

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("rod-ranks");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_share_the_solution),
        cmocka_unit_test(ranks_own_whole_objects),
        cmocka_unit_test(going_on_with_other_ranks),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
