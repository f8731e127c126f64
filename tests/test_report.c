/* The report page of a run: complete in one file, and shown by a real browser without a complaint. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include "program_fixture.h"
#include "ringlet/ringlet.h"

#define PAGE_MOST 2000000

static char *page;          /* the whole of report/index.html */
static char directory[256]; /* where all of this happens */

#define RUN                                                                                                  \
    "simulate redhead -o a.usda --frames 1:3 --set time.preroll=1 --set hair.count=24 "                      \
    "--set hair.total_points=480 --set 'title=Curls & <more>' --set time.outer_steps=20 --threads 1 "        \
    "--checkpoint 0 --set hair.fill.count=40 --set render.body=off "

static char *read_whole(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = malloc(PAGE_MOST + 1);
    assert_non_null(text);
    *size = fread(text, 1, PAGE_MOST, file);
    text[*size] = 0;
    fclose(file);
    return text;
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (const char *p = strstr(text, part); p != NULL; p = strstr(p + 1, part))
        count++;
    return count;
}

static int make_page(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/ringlet-report-XXXXXX", base != NULL ? base : ".");
    if (mkdtemp(directory) == NULL || chdir(directory) != 0 || getcwd(directory, sizeof directory) == NULL)
        return -1;
    size_t size;
    assert_int_equal(ringlet(RUN "--report some/report"), 0);
    assert_non_null(strstr(err_text, "some/report/index.html: the report"));
    page = read_whole("some/report/index.html", &size);
    assert_true(size > 10000 && size < PAGE_MOST);
    return 0;
}

static int free_page(void **state) {
    (void)state;
    char line[300];
    free(page);
    snprintf(line, sizeof line, "rm -rf -- '%s'", directory);
    return chdir("..") == 0 && system(line) == 0 ? 0 : -1;
}

static void the_page_holds_everything(void **state) {
    (void)state;
    assert_memory_equal(page, "<!DOCTYPE html>", 15);
    assert_non_null(strstr(page, "<h1>Curls &amp; &lt;more&gt;</h1>"));
    assert_int_equal(count_of(page, "src=\"data:image/png;base64,iVBORw0KGgo"), 3);
    assert_non_null(strstr(page, "Frame 2</figcaption>"));
    assert_int_equal(count_of(page, "<svg class=\"plot\""), 6);
    assert_non_null(strstr(page, ">longest edge</text>"));
    assert_non_null(strstr(page, "reached its end without divergence"));
    assert_non_null(strstr(page, rlt_version()));
    /* nothing comes from elsewhere */
    assert_null(strstr(page, "http:"));
    assert_null(strstr(page, "https:"));
    assert_null(strstr(page, "<script"));
    /* only the page is left in the folder */
    assert_int_equal(system("test \"$(ls some/report)\" = index.html"), 0);
}

static void the_page_lists_the_values(void **state) {
    (void)state;
    rlt_schema_entry entry = {.size = sizeof entry};
    int rows = 0;
    for (; rlt_schema_get(rows, &entry); rows++)
        ;
    /* the count was set: it is in the short list and in the whole one */
    assert_int_equal(count_of(page, "<code>hair.count</code></th><td><code>24</code>"), 2);
    assert_int_equal(count_of(page, "<code>hair.taper</code>"), 1);
    const char *all = strstr(page, "<summary>All values</summary>");
    assert_non_null(all);
    assert_true(count_of(all, "<th scope=\"row\"><code>") > rows / 2);
}

static void the_run_is_the_same_without_a_report(void **state) {
    (void)state;
    assert_int_equal(ringlet(RUN), 0);
    assert_int_equal(rename("a.usda", "b.usda"), 0);
    assert_int_equal(ringlet(RUN "--report other"), 0);
    assert_int_equal(system("cmp -s a.usda b.usda"), 0);
}

static void a_folder_that_cannot_be_made_is_told_before_the_run(void **state) {
    (void)state;
    FILE *file = fopen("not-a-folder", "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(ringlet(RUN "--report not-a-folder/report"), 1);
    assert_non_null(strstr(err_text, "not-a-folder/report: cannot make this folder"));
    assert_null(strstr(err_text, "frame"));
}

/* Runs of a scene that goes wrong have the most to tell. */
static void a_diverged_run_has_a_report(void **state) {
    (void)state;
    size_t size;
    assert_int_equal(ringlet(RUN "--set health.speed_limit=1 --report wrong"), 3);
    assert_int_not_equal(access("wrong/index.html", F_OK), 0); /* not a frame was finished */
    assert_int_equal(ringlet(RUN "--set health.speed_limit=80 --report wrong"), 3);
    char *text = read_whole("wrong/index.html", &size);
    assert_non_null(strstr(text, "the simulation diverged"));
    assert_non_null(strstr(text, "<span class=\"bad\">error</span>"));
    assert_true(count_of(text, "src=\"data:image/png") >= 1);
    free(text);
}

/* Contacts that are solved with the hair say in the page, and in the JSON, how far they are from their law:
 * of all frames, too, since the worst one is seldom the last. */
static void solved_contacts_are_honest(void **state) {
    (void)state;
    size_t size;
    FILE *file = fopen("deep.yaml", "wb");
    assert_non_null(file);
    fputs(
        "time: {last: 6}\ncharacter: {kind: none}\nhair: {model: rod, contact: {method: solve, radius: 0.2, "
        "groom: push}, strands: [[[0, 0, 0], [0, -1, 0], [0, -2, 0], [0, -3, 0], [0, -4, 0]], "
        "[[0.2, 0, 0], [0.1, -1, 0], [0.1, -2, 0], [0.1, -3, 0], [0.1, -4, 0]]]}\n",
        file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(ringlet("simulate deep.yaml -o deep.usda --threads 1 --json --report deep"), 0);
    const char *all = strstr(out_text, "\"all_frames\"");
    assert_non_null(all);
    assert_non_null(strstr(all, "\"frames\": 5"));
    const char *deepest = strstr(all, "\"deepest\"");
    assert_non_null(deepest);
    assert_non_null(strstr(deepest, "\"frame\": 2"));
    char *text = read_whole("deep/index.html", &size);
    assert_non_null(strstr(text, "Solved contacts, over all frames"));
    assert_non_null(strstr(text, "hair deepest in hair, in mean radii"));
    assert_non_null(strstr(text, "hair through hair or bodies"));
    assert_non_null(strstr(text, "Errors of solved contacts"));
    free(text);
    assert_null(strstr(page, "Solved contacts")); /* of other hair there are none */
}

/* ---- in a browser ---- */

/* Looks at the page from inside and leaves what it saw in the document. The deliberate error proves that
 * errors in the console are seen. */
static const char probe[] =
    "<script>\n"
    "window.addEventListener('load', function () {\n"
    "  var images = Array.from(document.images), plots = Array.from(document.querySelectorAll('svg.plot'));\n"
    "  var seen = function (e) { var b = e.getBoundingClientRect(); return b.width > 99 && b.height > 99; "
    "};\n"
    "  var good = images.filter(function (i) { return i.naturalWidth > 99 && seen(i); }).length;\n"
    "  var drawn = plots.filter(function (p) { return seen(p) && p.querySelector('path').getTotalLength() > "
    "99; "
    "}).length;\n"
    "  var wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;\n"
    "  var out = document.createElement('p');\n"
    "  out.textContent = 'probe: images ' + good + ' plots ' + drawn + ' overflow ' + wide;\n"
    "  document.body.appendChild(out);\n"
    "  console.error('deliberate');\n"
    "});\n"
    "</script>\n</body>";

static void a_browser_shows_it(void **state) {
    (void)state;
    if (system("command -v chromium > /dev/null 2>&1") != 0) {
        print_message("skipped: chromium is not installed\n");
        skip();
    }
    char *end = strstr(page, "</body>");
    assert_non_null(end);
    FILE *file = fopen("probe.html", "wb");
    assert_non_null(file);
    fwrite(page, 1, (size_t)(end - page), file);
    fputs(probe, file);
    fputs("</html>\n", file);
    assert_int_equal(fclose(file), 0);
    int code = system("timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
                      "--user-data-dir=browser --enable-logging=stderr --window-size=1200,900 --dump-dom "
                      "\"file://$(pwd)/probe.html\" > dom.html 2> browser.txt < /dev/null");
    assert_int_equal(code, 0);
    size_t size;
    char *dom = read_whole("dom.html", &size);
    char *said = read_whole("browser.txt", &size);
    const char *found = strstr(dom, "<p>probe: ");
    assert_non_null(found);
    assert_memory_equal(found, "<p>probe: images 3 plots 6 overflow 0</p>", 41);
    assert_int_equal(count_of(said, "CONSOLE"), 1);
    assert_non_null(strstr(said, "deliberate"));
    free(dom);
    free(said);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_holds_everything),
        cmocka_unit_test(the_page_lists_the_values),
        cmocka_unit_test(the_run_is_the_same_without_a_report),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_told_before_the_run),
        cmocka_unit_test(a_diverged_run_has_a_report),
        cmocka_unit_test(solved_contacts_are_honest),
        cmocka_unit_test(a_browser_shows_it),
    };
    return cmocka_run_group_tests(tests, make_page, free_page);
}
