/* `ringlet validate` from outside: verdicts, numbers, charts, exit codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder_fixture.h"
#include "long_fixture.h"
#include "program_fixture.h"

/* ---- just enough JSON: the program writes one object per result, and no braces inside texts ---- */

/* Takes the white space between the values out of out_text. */
static void squeeze(void) {
    int quoted = 0;
    char *to = out_text;
    for (const char *from = out_text; *from; from++) {
        if (*from == '"' && (from == out_text || from[-1] != '\\'))
            quoted = !quoted;
        if (quoted || strchr(" \n", *from) == NULL)
            *to++ = *from;
    }
    *to = 0;
}

/* The object of the result with this name and case, cut out into `object`. */
static void find_result(const char *name, const char *case_name, char *object, size_t size) {
    char wanted[200];
    snprintf(wanted, sizeof wanted, "\"case\":\"%s\"", case_name);
    const char *at = out_text;
    while ((at = strstr(at, "\"name\":\"")) != NULL) {
        const char *end = strstr(at + 1, "\"name\":\"");
        size_t length = end != NULL ? (size_t)(end - at) : strlen(at);
        if (length < size) {
            memcpy(object, at, length);
            object[length] = 0;
            if (strncmp(at + 8, name, strlen(name)) == 0 && at[8 + strlen(name)] == '"' &&
                strstr(object, wanted) != NULL)
                return;
        }
        at++;
    }
    fail_msg("no result \"%s\" with case \"%s\" in:\n%s\n%s", name, case_name, out_text, err_text);
}

static double number_of(const char *object, const char *member) {
    char wanted[100];
    snprintf(wanted, sizeof wanted, "\"%s\":", member);
    const char *at = strstr(object, wanted);
    if (at == NULL)
        fail_msg("no member %s in %s", member, object);
    at += strlen(wanted);
    return strncmp(at, "null", 4) == 0 ? INFINITY : strtod(at, NULL);
}

static void assert_verdict_of(const char *model, const char *object, const char *verdict) {
    char wanted[100];
    snprintf(wanted, sizeof wanted, "\"verdict\":\"%s\"", verdict);
    if (strstr(object, wanted) == NULL)
        fail_msg("verdict is not %s: %s", verdict, object);
    snprintf(wanted, sizeof wanted, "\"model\":\"%s\"", model);
    assert_non_null(strstr(object, wanted));
    assert_non_null(strstr(object, "\"tolerance\":"));
    assert_non_null(strstr(object, "\"reason\":\""));
}

static void assert_verdict(const char *object, const char *verdict) {
    assert_verdict_of("taz", object, verdict);
}

static void assert_chart(const char *path) {
    char text[TEXT_SIZE];
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    read_file(path, text);
    assert_non_null(strstr(text, "<svg"));
    assert_non_null(strstr(text, "<path"));
}

/* ---- tests ---- */

static void settles(void **state) {
    (void)state;
    if (!is_long_run()) /* three minutes */
        skip();
    static const char *const presets[] = {"redhead", "horse", "straight", "wavy", "coil"};
    static const char *const levels[] = {"preset's damping", "a tenth of the damping"};
    char object[4096], name[128], path[128];
    int code = ringlet("validate settle --json --plots charts");
    squeeze();
    for (int p = 0; p < 5; p++) {
        for (int l = 0; l < 2; l++) {
            snprintf(name, sizeof name, "%s, %s, variational", presets[p], levels[l]);
            find_result("settle", name, object, sizeof object);
            assert_verdict(object, "pass");
            double measured = number_of(object, "measured"), reference = number_of(object, "reference");
            assert_true(reference == 0.5 && measured >= 0.0 && measured < reference);
            assert_true(number_of(object, "speed_at_deadline_unit_per_s") <= measured);
            assert_true(number_of(object, "rest_after_s") <= (l == 0 ? 10.0 : 30.0));
            /* hair that never moved would pass too */
            assert_true(number_of(object, "rest_after_s") > 0.5);
            snprintf(name, sizeof name, "%s, %s, paper", presets[p], levels[l]);
            find_result("settle", name, object, sizeof object);
            assert_verdict(object, "not expected");
        }
        snprintf(path, sizeof path, "charts/settle-%s.svg", presets[p]);
        assert_chart(path);
    }
    /* the reason for the variational form to exist: with little damping the printed forces never rest */
    find_result("settle", "redhead, a tenth of the damping, paper", object, sizeof object);
    assert_true(number_of(object, "measured") > 100.0);
    /* said only when the test's damping is not the presets' */
    assert_null(strstr(out_text, "table of damping values"));
    assert_int_equal(code, 0);
}

static void stops(void **state) {
    (void)state;
    static const int g[] = {10, 30};
    char two_threads[4096], one_thread[4096];
    int code = ringlet("validate abrupt-stop --json --threads 2 --plots charts");
    squeeze();
    for (int k = 0; k < 2; k++) {
        char object[4096], name[64];
        snprintf(name, sizeof name, "redhead, %d g", g[k]);
        find_result("abrupt-stop", name, object, sizeof object);
        assert_verdict(object, "pass");
        double ratio = number_of(object, "measured");
        assert_true(ratio > 0.0 && ratio <= 0.6);
        double with = number_of(object, "elongation_with_unit");
        double without = number_of(object, "elongation_without_unit");
        assert_true(fabs(ratio - with / without) < 1e-9);
        /* the stop really pulls, from the same speed, at the deceleration named */
        assert_true(with > number_of(object, "settled_with_unit") + 5.0);
        assert_true(fabs(number_of(object, "speed_unit_per_s") - 367.875) < 0.01);
        assert_true(fabs(number_of(object, "deceleration_g") - g[k]) < 0.02 * g[k]);
    }
    assert_chart("charts/abrupt-stop.svg");
    assert_int_equal(code, 0);

    find_result("abrupt-stop", "redhead, 10 g", two_threads, sizeof two_threads);
    assert_int_equal(ringlet("validate abrupt-stop --json --threads 1"), 0);
    squeeze();
    find_result("abrupt-stop", "redhead, 10 g", one_thread, sizeof one_thread);
    assert_string_equal(one_thread, two_threads);
}

static void does_not_turn(void **state) {
    (void)state;
    char object[4096];
    int code = ringlet("validate curl-rotation --json --plots charts");
    squeeze();
    find_result("curl-rotation", "redhead, helix on the walk cycle", object, sizeof object);
    assert_verdict(object, "pass");
    double measured = number_of(object, "measured"), reference = number_of(object, "reference");
    assert_true(measured > 0.0 && measured <= 0.5 * reference);
    assert_true(number_of(object, "tolerance") == 0.5);
    assert_true(fabs(number_of(object, "ratio") - measured / reference) < 1e-9);
    assert_true(number_of(object, "curl_smoothed_degrees") < number_of(object, "curl_unsmoothed_degrees"));
    assert_chart("charts/curl-rotation.svg");
    assert_chart("charts/curl-rotation-visible.svg");
    assert_int_equal(code, 0);
}

static void keeps_volume(void **state) {
    (void)state;
    char object[4096];
    int code = ringlet("validate volume --json --plots charts");
    squeeze();
    find_result("volume", "redhead, walk, volume kept", object, sizeof object);
    assert_verdict(object, "pass");
    assert_true(number_of(object, "measured") > 0.0); /* the hair moves */
    assert_true(number_of(object, "least") < number_of(object, "most"));
    double settled = number_of(object, "settled");
    find_result("volume", "redhead, walk, against no contacts", object, sizeof object);
    assert_verdict(object, "pass");
    assert_true(settled > 1.15 * number_of(object, "settled"));
    assert_chart("charts/volume.svg");
    assert_int_equal(code, 0);
}

static void rests(void **state) {
    (void)state;
    if (!is_long_run()) /* a minute */
        skip();
    static const char *const heads[] = {"redhead", "wavy", "straight", "coil", "horse-mane"};
    char object[4096], name[64];
    int code = ringlet("validate rest --json --plots charts");
    squeeze();
    for (int k = 0; k < 5; k++) {
        snprintf(name, sizeof name, "%s, still", heads[k]);
        find_result("rest", name, object, sizeof object);
        assert_verdict(object, "pass");
        double mean = number_of(object, "measured");
        assert_true(mean > 0.0 && mean <= 0.001);
        assert_true(number_of(object, "acceleration_99_g") <= 0.01);
        assert_true(number_of(object, "contacts") > 100.0); /* nothing touches, nothing shown */
    }
    assert_chart("charts/rest.svg");
    assert_int_equal(code, 0);
}

static void prunes(void **state) {
    (void)state;
    if (!is_long_run()) /* a minute */
        skip();
    char object[4096];
    int code = ringlet("validate pruning --json --plots charts");
    squeeze();
    find_result("pruning", "redhead, walk", object, sizeof object);
    assert_verdict(object, "pass");
    double apart = number_of(object, "measured");
    assert_true(apart > 0.0 && apart <= 0.05);
    find_result("pruning", "wavy, hair flip, strong pruning", object, sizeof object);
    assert_verdict(object, "not expected");
    double strong = number_of(object, "measured");
    find_result("pruning", "wavy, hair flip, the preset's pruning", object, sizeof object);
    assert_verdict(object, "not expected");
    double usual = number_of(object, "measured");
    find_result("pruning", "wavy, hair flip, less pruning", object, sizeof object);
    assert_verdict(object, "pass");
    assert_true(strong > usual && usual > 2.0 * number_of(object, "measured"));
    assert_chart("charts/pruning-walk.svg");
    assert_chart("charts/pruning-flip.svg");
    assert_int_equal(code, 0);
}

/* All of the Rod's: none fails, and what is not expected to pass is what the guide lists. */
static void rods(void **state) {
    static const char *const names[] = {"cantilever", "elastica",         "arc-couple", "michell-ring",
                                        "perversion", "helical-buckling", "bend-twist", "lateral-buckling",
                                        "helix-sag",  "dynamics"};
    (void)state;
    int code = ringlet("validate rod --json --plots charts");
    squeeze();
    int open = 0;
    for (const char *at = out_text; (at = strstr(at, "\"verdict\":\"not expected\"")) != NULL; at++)
        open++;
    assert_int_equal(open, 9);
    static const char *const energies[] = {"energy, midpoint, 0.5 ms, exact",
                                           "energy, midpoint, 0.5 ms, printed form"};
    for (int i = 0; i < 2; i++) {
        char object[4096];
        find_result("dynamics", energies[i], object, sizeof object);
        assert_verdict_of("rod", object, "pass");
        assert_true(number_of(object, "seconds") == 10.0);
    }
    assert_null(strstr(out_text, "\"verdict\":\"fail\""));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "\"name\":\"%s\"", names[i]);
        assert_non_null(strstr(out_text, wanted));
    }
    assert_null(strstr(out_text, "\"model\":\"taz\""));
    assert_chart("charts/rod-figure-3.svg");
    assert_chart("charts/rod-figure-4.svg");
    assert_chart("charts/rod-figure-5.svg");
    assert_chart("charts/helical-buckling.svg");
    assert_int_equal(code, 0);
}

static void wrong_use(void **state) {
    (void)state;
    assert_int_equal(ringlet("validate setle"), 2);
    assert_string_equal(err_text, "ringlet: validate: no test 'setle'; did you mean 'settle'?\n");
    assert_string_equal(out_text, "");
    assert_int_equal(ringlet("validate settle nothing-like-it"), 2);
    assert_string_equal(
        err_text, "ringlet: validate: no test 'nothing-like-it'; `ringlet validate --help` lists them\n");
    assert_int_equal(ringlet("validate abrupt-stop --plots /dev/null/charts"), 1);
    assert_string_equal(err_text,
                        "ringlet: validate: cannot make the directory /dev/null/charts: Not a directory\n");
    assert_int_equal(ringlet("validate --help"), 0);
    assert_non_null(strstr(out_text, "abrupt-stop"));
}

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("validate");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_use),    cmocka_unit_test(stops), cmocka_unit_test(does_not_turn),
        cmocka_unit_test(keeps_volume), cmocka_unit_test(rests), cmocka_unit_test(prunes),
        cmocka_unit_test(settles),      cmocka_unit_test(rods),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
