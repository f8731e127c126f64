/* Every key of the schema with values that are wrong for it, and scenes changed at random: each is refused
 * with a message, or loads. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "scene/schema.h"
#include "scene_fixture.h"

/* The key, nested as it must be, with one bad value: told with its place and its name, and nothing is built.
 */
static void assert_told(fixture *f, const rlti_row *row, const char *value) {
    static char text[8192];
    size_t used = 0;
    int depth = 0;
    for (const char *part = row->key; part != NULL; depth++) {
        const char *dot = strchr(part, '.');
        int length = dot != NULL ? (int)(dot - part) : (int)strlen(part);
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%.*s: ", depth > 0 ? "{" : "", length, part);
        part = dot != NULL ? dot + 1 : NULL;
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "%s", value);
    for (; depth > 1; depth--)
        used += (size_t)snprintf(text + used, sizeof text - used, "}");
    rlt_status status = load_with(f, text, NULL, 0);
    int told = 0;
    for (int i = 0; i < rlt_messages_count(f->messages); i++) {
        const char *message = rlt_messages_text(f->messages, i);
        told += strncmp(message, "s.yaml:1:", 9) == 0 && strstr(message, row->key) != NULL;
    }
    if (status != RLT_BAD_INPUT || f->scene != NULL || told == 0)
        fail_msg("%s\nstatus %d, %s", text, (int)status,
                 rlt_messages_count(f->messages) > 0 ? rlt_messages_text(f->messages, 0) : "nothing is said");
}

/* Numbers just outside the row's range, in the form its type has. */
static void assert_range(fixture *f, const rlti_row *row, const char *form) {
    char value[256], number[64];
    if (row->min > -HUGE_VAL) {
        snprintf(number, sizeof number, "%.17g",
                 row->exclusive ? row->min : row->min - fmax(1.0, fabs(row->min)));
        snprintf(value, sizeof value, form, number, number);
        assert_told(f, row, value);
    }
    if (row->max < HUGE_VAL) {
        snprintf(number, sizeof number, "%.17g", row->max + fmax(1.0, fabs(row->max)));
        snprintf(value, sizeof value, form, number, number);
        assert_told(f, row, value);
    }
    for (int k = 0; k < 2; k++) {
        snprintf(value, sizeof value, form, k == 0 ? ".nan" : ".inf", k == 0 ? ".nan" : ".inf");
        assert_told(f, row, value);
    }
}

static void assert_all_told(fixture *f, const rlti_row *row, const char *const *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_told(f, row, values[i]);
}

#define ALL_TOLD(...)                                                                                        \
    assert_all_told(f, row, (const char *const[]){__VA_ARGS__},                                              \
                    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void assert_row(fixture *f, const rlti_row *row) {
    static char value[4096];
    switch (row->type) {
    case RLTI_TYPE_NUMBER:
    case RLTI_TYPE_INTEGER:
        ALL_TOLD("word", "[1]", "{a: 1}", "on");
        assert_range(f, row, "%s");
        break;
    case RLTI_TYPE_SWITCH:
        ALL_TOLD("maybe", "2", "[on]", "{on: off}");
        break;
    case RLTI_TYPE_CHOICE:
    case RLTI_TYPE_PRESET:
        ALL_TOLD("nonsense", "2", "[a]", "{a: b}");
        break;
    case RLTI_TYPE_TEXT:
        ALL_TOLD("[a]", "{a: b}", "\"a\\tb\"");
        memset(value, 'x', row->size);
        value[row->size] = 0;
        assert_told(f, row, value);
        break;
    case RLTI_TYPE_NAMES:
        ALL_TOLD("{a: 1}", "[[a]]", "[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q]");
        break;
    case RLTI_TYPE_VECTOR:
        ALL_TOLD("1", "[1, 2]", "[1, 2, up]", "{a: 1}");
        break;
    case RLTI_TYPE_RANGE:
        ALL_TOLD("1", "[1]", "[1, 2, 3]", "[low, high]", "[1, 0.5]", "{a: 1}");
        assert_range(f, row, "[%s, %s]");
        break;
    case RLTI_TYPE_RAMP:
        ALL_TOLD("word", "[[0]]", "[[0, up]]", "[[0.5, 1], [0.2, 1]]", "{a: 1}", "'attribute:'");
        assert_range(f, row, "[[0, %s], [1, %s]]");
        break;
    case RLTI_TYPE_FRAMES:
        ALL_TOLD("word", "1.5", "[2, 1]", "[3, 3]", "[[1]]", "{a: 1}", "[9999999]");
        break;
    case RLTI_TYPE_TRACK:
        ALL_TOLD("word", "[[1]]", "[[1, up]]", "[[2, 1], [1, 1]]", "{a: 1}");
        assert_range(f, row, "[[1, %s], [2, %s]]");
        break;
    case RLTI_TYPE_STRANDS:
    case RLTI_TYPE_KEYS:
        ALL_TOLD("word", "5", "[5]", "[[a]]", "{a: 1}");
        break;
    }
}

static void test_every_key(void **state) {
    for (int r = 0; r < rlti_schema_count(); r++)
        assert_row(*state, rlti_schema_row(r));
}

/* Cut short and changed at random, scenes load or are refused with a message; nothing else. */
static void test_mutations(void **state) {
    fixture *f = *state;
    static char text[131072];
    int scenes = 0;
    while (rlt_embedded_scene_name(scenes) != NULL)
        scenes++;
    assert_true(scenes > 0);
    for (int i = 0; i < 3000; i++) {
        uint64_t id = (uint64_t)i;
        const char *source = rlt_embedded_scene_text(i % scenes);
        size_t size = strlen(source);
        assert_true(size < sizeof text);
        memcpy(text, source, size);
        if (i % 2 == 0)
            size = (size_t)(rlti_random(1, id, 0) * (double)size);
        int changes = 1 + (int)(6 * rlti_random(1, id, 1));
        static const char alphabet[] = "[]{},:-#&*!|>'\"%@\n \t0123456789.eE\xff\x80\xc3\x01null~";
        for (int c = 0; c < changes && size > 0; c++) {
            size_t at = (size_t)(rlti_random(2, id, (uint64_t)c) * (double)size);
            text[at] = alphabet[(size_t)(rlti_random(3, id, (uint64_t)c) * (sizeof alphabet - 1))];
        }
        rlt_messages_clear(f->messages);
        rlt_scene_destroy(f->scene);
        rlt_status status = rlt_scene_load_text("m", text, size, NULL, 0, f->messages, &f->scene);
        if (status == RLT_OK) {
            assert_non_null(f->scene);
        } else {
            assert_int_equal(status, RLT_BAD_INPUT);
            assert_null(f->scene);
            assert_true(rlt_messages_count(f->messages) > 0);
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_every_key),
        TEST(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
