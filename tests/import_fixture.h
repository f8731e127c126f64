/* Scenes with files of their own: written to a folder, run, looked at, removed. */
#ifndef TESTS_IMPORT_FIXTURE_H
#define TESTS_IMPORT_FIXTURE_H

#include "run_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include "groom/strands.h"
#include "model/taz_model.h"
#include "scene/scene_data.h"

typedef struct import {
    char folder[128]; /* with its slash */
    char written[16][160];
    int written_count;
    rlt_messages *messages;
    rlt_scene *scene;
    rlt_simulation *simulation;
} import;

static inline int import_setup(void **state) {
    static int number;
    import *f = calloc(1, sizeof *f);
    assert_non_null(f);
    snprintf(f->folder, sizeof f->folder, "import-%ld-%d/", (long)getpid(), number++);
    assert_int_equal(mkdir(f->folder, 0777), 0);
    f->messages = rlt_messages_create();
    *state = f;
    return f->messages == NULL;
}

static inline void import_close(import *f) {
    rlt_simulation_destroy(f->simulation);
    rlt_scene_destroy(f->scene);
    f->simulation = NULL;
    f->scene = NULL;
}

static inline int import_teardown(void **state) {
    import *f = *state;
    import_close(f);
    rlt_messages_destroy(f->messages);
    for (int i = 0; i < f->written_count; i++)
        remove(f->written[i]);
    rmdir(f->folder);
    free(f);
    return 0;
}

static inline void import_write_bytes(import *f, const char *name, const void *bytes, size_t size) {
    char path[160];
    snprintf(path, sizeof path, "%s%s", f->folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    for (int i = 0; i < f->written_count; i++)
        if (strcmp(f->written[i], path) == 0)
            return;
    assert_true(f->written_count < 16);
    memcpy(f->written[f->written_count++], path, sizeof path);
}

static inline void import_write(import *f, const char *name, const char *text) {
    import_write_bytes(f, name, text, strlen(text));
}

/* Builds the simulation of a scene text, whose files are in the folder. */
static inline rlt_status import_try(import *f, const char *text) {
    char name[160];
    import_close(f);
    rlt_messages_clear(f->messages);
    snprintf(name, sizeof name, "%ss.yaml", f->folder);
    rlt_status status = rlt_scene_load_text(name, text, strlen(text), NULL, 0, f->messages, &f->scene);
    rlt_simulation_def def = {.size = sizeof def, .threads = 1, .simd = RLT_SIMD_AUTO};
    return status == RLT_OK ? rlt_simulation_create(f->scene, &def, f->messages, &f->simulation) : status;
}

static inline void import_print(const import *f) {
    for (int i = 0; i < rlt_messages_count(f->messages); i++)
        print_message("%s\n", rlt_messages_text(f->messages, i));
}

static inline rlt_frame_view import_good(import *f, const char *text) {
    rlt_frame_view view = {.size = sizeof view};
    rlt_status status = import_try(f, text);
    if (status != RLT_OK)
        import_print(f);
    assert_int_equal(status, RLT_OK);
    rlt_simulation_view(f->simulation, &view);
    return view;
}

static inline rlt_frame_view import_advance(import *f, int frames) {
    rlt_frame_view view = {.size = sizeof view};
    for (int i = 0; i < frames; i++) {
        rlt_status status = rlt_simulation_advance(f->simulation, f->messages);
        if (status != RLT_OK)
            import_print(f);
        assert_int_equal(status, RLT_OK);
    }
    rlt_simulation_view(f->simulation, &view);
    return view;
}

/* The message that begins (after the folder's name) with `start` and has `part` in it; NULL: there is none.
 */
static inline const char *import_message(const import *f, const char *start, const char *part) {
    size_t length = strlen(f->folder);
    for (int i = 0; i < rlt_messages_count(f->messages); i++) {
        const char *text = rlt_messages_text(f->messages, i);
        text = strncmp(text, f->folder, length) == 0 ? text + length : text;
        if (strncmp(text, start, strlen(start)) == 0 && strstr(text, part) != NULL)
            return text;
    }
    return NULL;
}

static inline void import_expect(const import *f, const char *start, const char *part) {
    if (import_message(f, start, part) == NULL) {
        print_message("expected: %s ... %s\n", start, part);
        import_print(f);
    }
    assert_non_null(import_message(f, start, part));
}

static inline void import_refuse(import *f, const char *text, const char *start, const char *part) {
    assert_int_equal(import_try(f, text), RLT_BAD_INPUT);
    assert_null(f->simulation);
    import_expect(f, start, part);
}

static inline void import_no_message(const import *f, const char *part) {
    if (import_message(f, "", part) != NULL)
        import_print(f);
    assert_null(import_message(f, "", part));
}

/* Metres, Y up: a square of skin at y = 0 from -0.1 to 0.1, and strands that stand on it. */
#define USDA_HEAD "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n"

#define USDA_SKIN                                                                                            \
    "def Mesh \"skin\"\n{\n    uniform token subdivisionScheme = \"none\"\n"                                 \
    "    int[] faceVertexCounts = [4]\n    int[] faceVertexIndices = [0, 1, 2, 3]\n"                         \
    "    point3f[] points = [(-0.1, 0, 0.1), (0.1, 0, 0.1), (0.1, 0, -0.1), (-0.1, 0, -0.1)]\n"              \
    "    texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)] (\n"                                    \
    "        interpolation = \"vertex\"\n    )\n}\n"

/* Three strands of four points, 6 cm high. */
#define USDA_CURVES                                                                                          \
    "def BasisCurves \"hair\"\n{\n    uniform token type = \"linear\"\n"                                     \
    "    int[] curveVertexCounts = [4, 4, 4]\n    point3f[] points = [\n"                                    \
    "        (0, 0.001, 0), (0, 0.02, 0), (0, 0.04, 0), (0, 0.06, 0),\n"                                     \
    "        (0.05, 0, 0), (0.05, 0.02, 0), (0.05, 0.04, 0), (0.05, 0.06, 0),\n"                             \
    "        (0, 0, 0.05), (0, 0.02, 0.05), (0, 0.04, 0.05), (0, 0.06, 0.05)]\n"

#define SCENE_FILES                                                                                          \
    "time: {last: 4, outer_steps: 10, force_steps: 60, damping_steps: 20}\n"                                 \
    "character: {kind: file, file: s.usda}\n"

#define SCENE_HAIR                                                                                           \
    "hair: {file: s.usda, contact: {enabled: off}, core: {stiffness: 0, stiffness_max: 0, damping: 0, "      \
    "damping_max: 0}, stretch: {stiffness: 1e6, damping: 1500}, bend: {damping: 400}"

#endif
