/* The core alone, as a plug-in links it: the program has every object of libringlet and nothing else of
 * Ringlet. A scene, frames, points, a checkpoint; and no heavy library in the process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ringlet/checkpoint.h"
#include "ringlet/scene.h"
#include "ringlet/simulation.h"

static const char *const heavy[] = {"mpi", "pmix", "embree", "libav", "swscale", "OpenEXR", "libpng"};
enum { HEAVY = sizeof heavy / sizeof heavy[0] };

/* No line of the file names a heavy library. */
static void assert_light(const char *name) {
    char line[4096];
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    int lines = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *base = strrchr(line, '/') != NULL ? strrchr(line, '/') : line;
        for (int i = 0; i < HEAVY; i++)
            if (strstr(base, heavy[i]) != NULL)
                fail_msg("%s: %s", name, line);
        lines++;
    }
    fclose(file);
    assert_true(lines > 3);
}

static rlt_simulation *begin(rlt_scene **scene) {
    const char *overrides[] = {"hair.count=40", "time.last=4"};
    rlt_simulation *simulation = NULL;
    rlt_simulation_def def = rlt_simulation_defaults();
    def.threads = 2;
    assert_int_equal(rlt_scene_load_embedded("wavy", overrides, 2, NULL, scene), RLT_OK);
    assert_int_equal(rlt_simulation_create(*scene, &def, NULL, &simulation), RLT_OK);
    return simulation;
}

static void a_scene_runs_and_its_points_can_be_read(void **state) {
    (void)state;
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = begin(&scene);
    rlt_frame_view view = {.size = sizeof view};
    rlt_statistics statistics = {.size = sizeof statistics};
    uint64_t hash = rlt_simulation_hash(simulation);
    for (int i = 0; i < 3; i++)
        assert_int_equal(rlt_simulation_advance(simulation, NULL), RLT_OK);
    assert_int_equal(rlt_simulation_view(simulation, &view), RLT_OK);
    assert_int_equal(rlt_simulation_statistics(simulation, &statistics), RLT_OK);
    assert_int_equal(view.strand_count, 40);
    assert_int_equal(statistics.ranks, 1);
    assert_true(view.points[3 * view.point_count - 1] == view.points[3 * view.point_count - 1]);
    assert_true(rlt_simulation_hash(simulation) != hash);
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
}

static void a_checkpoint_needs_no_writer(void **state) {
    (void)state;
    rlt_scene *scene = NULL, *again = NULL;
    rlt_simulation *first = begin(&scene), *second = begin(&again);
    assert_int_equal(rlt_simulation_advance(first, NULL), RLT_OK);
    assert_int_equal(rlt_checkpoint_write("core.checkpoint", first, NULL, NULL), RLT_OK);
    assert_int_equal(rlt_checkpoint_read("core.checkpoint", second, NULL), RLT_OK);
    assert_true(rlt_simulation_hash(first) == rlt_simulation_hash(second));
    assert_int_equal(rlt_checkpoint_remove("core.checkpoint", NULL), RLT_OK);
    rlt_simulation_destroy(first);
    rlt_simulation_destroy(second);
    rlt_scene_destroy(scene);
    rlt_scene_destroy(again);
}

static void nothing_heavy_is_in_the_process(void **state) {
    (void)state;
    if (access("/proc/self/maps", R_OK) != 0)
        skip();
    assert_light("/proc/self/maps");
}

static void nor_does_the_pkg_config_file_ask_for_it(void **state) {
    (void)state;
    assert_light(RLT_PC_FILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_runs_and_its_points_can_be_read),
        cmocka_unit_test(a_checkpoint_needs_no_writer),
        cmocka_unit_test(nothing_heavy_is_in_the_process),
        cmocka_unit_test(nor_does_the_pkg_config_file_ask_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
