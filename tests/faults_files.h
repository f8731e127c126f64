/* A simulation that reads every format there is: .abc, .hair, .tfx and .usdc hold its strands, .usdz its
 * body, .obj and .abc its colliders. Some files are made in the test's folder. */
#ifndef TESTS_FAULTS_FILES_H
#define TESTS_FAULTS_FILES_H

#include "faults_fixture.h"
#include "zip_fixture.h"

#define FAULTS_CORPUS RLT_SOURCE_DIR "/tests/corpus"
#define FAULTS_BODY   "body.usdz"
#define FAULTS_GROOM  "groom.usdc"

static const char faults_many[] =
    "time: {first: 1, last: 9, outer_steps: 4, force_steps: 4, damping_steps: 2}\n"
    "health: {check_steps: off}\n"
    "character: {kind: file, file: " FAULTS_BODY "}\n"
    "colliders:\n"
    "  - {name: skin, kind: body}\n"
    "  - {name: a, kind: mesh, file: '" FAULTS_CORPUS "/obj/mesh.obj'}\n"
    "  - {name: b, kind: mesh, file: '" FAULTS_CORPUS "/abc/mesh.abc'}\n"
    "hair:\n"
    "  - {name: abc, preset: straight, file: '" FAULTS_CORPUS "/abc/hair.abc', bind: none}\n"
    "  - {name: hair, preset: straight, file: '" FAULTS_CORPUS "/hair/all.hair', bind: none}\n"
    "  - {name: tfx, preset: straight, file: '" FAULTS_CORPUS "/tfx/points.tfx', bind: none}\n"
    "  - {name: usdc, preset: straight, file: " FAULTS_GROOM ", bind: none}\n"
    "  - {name: own, preset: straight, region: all, count: 2}\n";

/* Hair of one Alembic file, which a writer takes the layout from. */
static const char faults_one[] =
    "time: {first: 1, last: 9, outer_steps: 4, force_steps: 4, damping_steps: 2}\n"
    "health: {check_steps: off}\n"
    "character: {kind: none}\n"
    "hair: {preset: straight, file: '" FAULTS_CORPUS "/abc/hair.abc', bind: none}\n";

/* Makes the files in the present folder. */
static inline void faults_make_files(void) {
    static zip package;
    char text[4096] = {0};
    FILE *file = fopen(FAULTS_CORPUS "/usdz/mesh.usda", "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_in_range(size, 1, sizeof text - 2);
    zip_make(&package, 1, (const char *const[]){"mesh.usda"}, (const char *const[]){text}, 64);
    assert_int_equal(rlt_bytes_write(FAULTS_BODY, (const char *)package.bytes, package.size, NULL), RLT_OK);
    rlt_convert_def def = rlt_convert_defaults();
    assert_int_equal(rlt_convert(FAULTS_CORPUS "/abc/hair.abc", FAULTS_GROOM, &def, NULL, NULL), RLT_OK);
}

static inline void faults_remove_files(void) {
    remove(FAULTS_BODY);
    remove(FAULTS_GROOM);
}

static inline rlt_status faults_load(const char *text, rlt_messages *messages, rlt_scene **scene) {
    return rlt_scene_load_text("text.yaml", text, strlen(text), NULL, 0, messages, scene);
}

#endif
