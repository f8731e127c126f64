/* Constraints with values at random, of every key the schema has: a scene is refused with its place, or it
 * runs and stays finite. */
#include "base/random.h"
#include "import_fixture.h"
#include "scene/schema.h"

#define HEAD "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n"

/* An octahedron with a face without area, hair on it, curves and a plate that move. */
static void write_files(import *f) {
    import_write(
        f, "body.usda",
        HEAD
        "def Mesh \"body\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
        "    int[] faceVertexCounts = [3, 3, 3, 3, 3, 3, 3, 3, 3]\n"
        "    int[] faceVertexIndices = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, "
        "3, 5, 0, 0, 4]\n"
        "    point3f[] points = [(8, 0, 0), (-8, 0, 0), (0, 0, -8), (0, 0, 8), (0, 8, 0), (0, -8, "
        "0)]\n}\n");
    import_write(f, "led.usda",
                 HEAD "def BasisCurves \"hair\"\n{\n    uniform token type = \"linear\"\n"
                      "    int[] curveVertexCounts = [4, 4]\n    point3f[] points.timeSamples = {\n"
                      "        1: [(0, 9, 0), (2, 9, 0), (4, 9, 0), (6, 9, 0), (0, 9, 1), (2, 9, 1), (4, 9, "
                      "1), (6, 9, 1)],\n"
                      "        3: [(0, 9, 0), (2, 9, 1), (4, 10, 0), (6, 9, 1), (0, 9, 1), (2, 9, 2), (4, 9, "
                      "3), (6, 9, 4)]\n"
                      "    }\n    float[] primvars:hold = [0, 0.5, 1, 1, 0, 0, 0.2, 0.4] (\n"
                      "        interpolation = \"vertex\"\n    )\n}\n");
    import_write(f, "plate.usda",
                 HEAD "def Mesh \"plate\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
                      "    int[] faceVertexCounts = [3]\n    int[] faceVertexIndices = [0, 1, 2]\n"
                      "    point3f[] points.timeSamples = {\n"
                      "        1: [(7, 8, -1), (10, 8, -1), (7, 8, 2)],\n"
                      "        3: [(7, 9, -1), (10, 8, -1), (7, 9, -1)]\n    }\n}\n");
}

#define SCENE                                                                                                \
    "time: {last: 4, preroll: 1, outer_steps: 3, force_steps: 20, damping_steps: 4}\n"                       \
    "character: {kind: file, file: body.usda}\nmotion: {kind: spin, spin: 4}\n"                              \
    "hair:\n  - {name: own, preset: straight, region: all, count: 4, length: 8, segment: 2}\n"               \
    "  - {name: led, preset: straight, file: led.usda, bind: none}\n"                                        \
    "colliders:\n  - {name: skin, kind: body}\n"                                                             \
    "  - {name: ball, kind: sphere, bone: torso, position: [4, 4, 0], radius: 3}\n"                          \
    "  - {name: plate, kind: mesh, file: plate.usda}\nconstraints:\n"

/* ---- values ---- */

typedef struct dice {
    uint64_t seed, count;
} dice;

static double roll(dice *d) {
    return rlti_random(7, d->seed, d->count++);
}

static int pick(dice *d, int sides) {
    return (int)(roll(d) * sides);
}

/* Within the row's range; small and large ones are as likely, and so are its ends. */
static double number(dice *d, const rlti_row *row) {
    double low = row->min > -1e9 ? row->min : -1e3, high = row->max < 1e15 ? row->max : 1e9;
    int kind = pick(d, 6);
    if (kind == 0)
        return row->exclusive ? low + 1e-9 : low;
    if (kind == 1)
        return high;
    if (kind == 2 || high - low < 20.0)
        return low + roll(d) * (high - low);
    return fmin(high, fmax(low, 0.0) + 1e-3 * pow(1e6, roll(d)));
}

static void choice(dice *d, const rlti_row *row, char *to, size_t size) {
    const char *word = row->range;
    int words = 1;
    for (const char *at = word; (at = strstr(at, " | ")) != NULL; at += 3)
        words++;
    for (int skip = pick(d, words); skip > 0; skip--)
        word = strstr(word, " | ") + 3;
    const char *end = strstr(word, " | ");
    snprintf(to, size, "%.*s", end != NULL ? (int)(end - word) : (int)strlen(word), word);
}

static void value(dice *d, const rlti_row *row, char *to, size_t size) {
    static const char *const objects[] = {"skin", "ball", "plate", "ball"}, *const regions[] = {"''", "all"};
    static const char *const names[] = {"own", "led", "[own, led]", "[]"};
    double a = number(d, row), b = number(d, row);
    switch (row->type) {
    case RLTI_TYPE_NUMBER:
        snprintf(to, size, "%.17g", a);
        break;
    case RLTI_TYPE_INTEGER:
        snprintf(to, size, "%.0f", pick(d, 3) == 0 ? floor(a) : fmin(fmax(row->min, pick(d, 5)), row->max));
        break;
    case RLTI_TYPE_SWITCH:
        snprintf(to, size, "%s", pick(d, 4) > 0 ? "on" : "off");
        break;
    case RLTI_TYPE_CHOICE:
        choice(d, row, to, size);
        break;
    case RLTI_TYPE_NAMES:
        snprintf(to, size, "%s", names[pick(d, 4)]);
        break;
    case RLTI_TYPE_VECTOR:
        snprintf(to, size, "[%.9g, %.9g, %.9g]", a, b, number(d, row));
        break;
    case RLTI_TYPE_RANGE:
        snprintf(to, size, "[%.17g, %.17g]", fmin(a, b), fmax(a, b));
        break;
    case RLTI_TYPE_RAMP:
        if (pick(d, 4) == 0)
            snprintf(to, size, "'attribute:hold'");
        else
            snprintf(to, size, "[[0, %.17g], [1, %.17g]]", a, b);
        break;
    case RLTI_TYPE_TRACK:
        snprintf(to, size, "[[%d, %.17g], [%d, %.17g]]", pick(d, 3), a, 3 + pick(d, 3), b);
        break;
    default:
        snprintf(to, size, "%s",
                 strcmp(row->key, "constraints.object") == 0 ? objects[pick(d, 4)] : regions[pick(d, 2)]);
        break;
    }
}

/* One constraint, in one line: kind and object always, every other key now and then. */
static void constraint(dice *d, char *to, size_t size) {
    size_t used = 0;
    char text[256];
    for (int r = 0; r < rlti_schema_count(); r++) {
        const rlti_row *row = rlti_schema_row(r);
        const char *key = row->key + strlen("constraints.");
        int always = strcmp(row->key, "constraints.kind") == 0 || strcmp(row->key, "constraints.object") == 0;
        if (row->part != RLTI_PART_CONSTRAINT || strchr(key, '.') != NULL || strcmp(key, "name") == 0 ||
            (!always && pick(d, 4) > 0))
            continue;
        value(d, row, text, sizeof text);
        used += (size_t)snprintf(to + used, size - used, "%s%s: %s", used > 0 ? ", " : "  - {", key, text);
    }
    snprintf(to + used, size - used, "}\n");
}

/* ---- */

static void test_random_constraints(void **state) {
    import *f = *state;
    static char text[8192];
    int ran = 0, refused = 0, scenes = 400;
    write_files(f);
    for (int i = 0; i < scenes; i++) {
        dice d = {(uint64_t)i, 0};
        size_t used = (size_t)snprintf(text, sizeof text, SCENE);
        for (int c = 1 + pick(&d, 3); c > 0; c--) {
            constraint(&d, text + used, sizeof text - used);
            used = strlen(text);
        }
        rlt_status status = import_try(f, text);
        for (int frame = 0; frame < 2 && status == RLT_OK; frame++)
            status = rlt_simulation_advance(f->simulation, f->messages);
        if (status == RLT_BAD_INPUT) { /* lines of the constraints, or of the groom they choose from */
            refused++;
            assert_non_null(import_message(f, "s.yaml:", ""));
            continue;
        }
        if (status != RLT_OK) {
            import_print(f);
            fail_msg("%s", text);
        }
        rlt_frame_view view = {.size = sizeof view};
        rlt_simulation_view(f->simulation, &view);
        for (int k = 0; k < 3 * view.point_count; k++)
            assert_true(isfinite(view.points[k]));
        ran++;
    }
    print_message("%d of %d ran, %d were refused\n", ran, scenes, refused);
    assert_true(ran > scenes / 10 && refused > scenes / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_constraints, import_setup, import_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
