/* SVG charts of the validation reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../apps/ringlet/console.c"
#include "../apps/ringlet/report/html.c"
#include "../apps/ringlet/json.c"
#include "../apps/ringlet/list.c"
#include "../apps/ringlet/outfile.c"
#include "../apps/ringlet/report/plot.c"

static const char path[] = "test_plot.svg";

static char *read_chart(void) {
    static char text[100000];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    remove(path);
    return text;
}

static void a_chart_has_its_parts(void **state) {
    (void)state;
    double x[3] = {0.0, 5.0, 10.0};
    double y[3] = {0.0, NAN, 4.0};
    plot *p = plot_create("Speed & <limit>", "time [s]", "speed [unit/s]");
    assert_non_null(p);
    assert_true(plot_series(p, "\"a\"", x, y, 3));
    assert_true(plot_line(p, "limit", 2.0));
    assert_int_equal(plot_write(p, path), 0);
    plot_destroy(p);
    char *text = read_chart();
    assert_memory_equal(text, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39);
    assert_non_null(strstr(text, ">Speed &amp; &lt;limit&gt;</text>"));
    assert_non_null(strstr(text, ">time [s]</text>"));
    assert_non_null(strstr(text, ">speed [unit/s]</text>"));
    assert_non_null(strstr(text, ">&quot;a&quot;</text>"));
    /* axes 0..10 and 0..4; the missing middle breaks the curve */
    assert_non_null(strstr(text, "<path d=\"M84.00 378.00M736.00 56.00\""));
    assert_non_null(
        strstr(text, "<line x1=\"84.00\" y1=\"217.00\" x2=\"736.00\" y2=\"217.00\" stroke=\"#1f2427\""));
    assert_string_equal(text + strlen(text) - 7, "</svg>\n");
}

static void log_axes_count_in_powers(void **state) {
    (void)state;
    double x[3] = {1.0, 10.0, 100.0};
    double y[3] = {1e-6, 0.0, 1.0};
    plot *p = plot_create("t", "x", "y");
    assert_true(plot_series(p, "s", x, y, 3));
    plot_scales(p, PLOT_LOG, PLOT_LOG);
    assert_int_equal(plot_write(p, path), 0);
    plot_destroy(p);
    char *text = read_chart();
    assert_non_null(strstr(text, ">1e-6</text>"));
    assert_non_null(strstr(text, ">0.001</text>"));
    assert_non_null(strstr(text, ">100</text>"));
    assert_non_null(strstr(text, "<path d=\"M84.00 378.00M736.00 56.00\""));
}

static void empty_charts_and_failures(void **state) {
    (void)state;
    double bad = NAN;
    plot *p = plot_create("t", "x", "y");
    assert_true(plot_series(p, "nothing", &bad, &bad, 1));
    assert_true(plot_series(p, "empty", &bad, &bad, 0));
    assert_int_equal(plot_write(p, path), 0);
    assert_non_null(strstr(read_chart(), ">1</text>"));
    assert_int_equal(plot_write(p, "/dev/null/x.svg"), RLT_FAILED);
    assert_int_equal(plot_write(p, "/dev/full"), RLT_FAILED);
    plot_destroy(p);
    plot_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chart_has_its_parts),
        cmocka_unit_test(log_axes_count_in_powers),
        cmocka_unit_test(empty_charts_and_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
