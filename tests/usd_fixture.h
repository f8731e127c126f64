/* Folders of USD layers for tests. */
#ifndef TESTS_USD_FIXTURE_H
#define TESTS_USD_FIXTURE_H

#include "stage_fixture.h"

#include <dirent.h>
#include <sys/stat.h>

/* The folder of the running test; one at a time. */
static char usd_folder[128];

static inline int usd_setup(void **state) {
    (void)state;
    static int count;
    snprintf(usd_folder, sizeof usd_folder, "usd-%ld-%d", (long)getpid(), count++);
    return mkdir(usd_folder, 0777);
}

static inline void usd_empty(const char *folder) {
    char path[1024];
    DIR *list = opendir(folder);
    for (struct dirent *entry = list != NULL ? readdir(list) : NULL; entry != NULL; entry = readdir(list)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length < (int)sizeof path && remove(path) != 0)
            usd_empty(path);
    }
    if (list != NULL)
        closedir(list);
    rmdir(folder);
}

static inline int usd_teardown(void **state) {
    (void)state;
    usd_empty(usd_folder);
    return 0;
}

static inline const char *usd_path(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", usd_folder, name);
    return path;
}

/* Writes a text layer; the header is added. */
static inline void usd_write(const char *name, const char *text) {
    FILE *file = fopen(usd_path(name), "w");
    assert_non_null(file);
    fprintf(file, "#usda 1.0\n%s", text);
    assert_int_equal(fclose(file), 0);
}

static inline rlti_stage *usd_open(const char *name) {
    return stage_open_good(usd_path(name));
}

/* The first message of a file that must be refused holds all of these. */
static inline void usd_refused(const char *name, const char *a, const char *b) {
    stage_open_bad(usd_path(name), a);
    stage_open_bad(usd_path(name), b);
}

/* A file that is read, with warnings of which the first holds both texts. */
static inline rlti_stage *usd_warned(const char *name, const char *a, const char *b) {
    rlt_messages *messages = rlt_messages_create();
    rlti_stage *stage = NULL;
    stage_ok(rlti_stage_open(usd_path(name), messages, &stage), messages);
    assert_true(rlt_messages_count(messages) > 0);
    assert_int_equal(rlt_messages_severity(messages, 0), RLT_WARNING);
    const char *text = rlt_messages_text(messages, 0);
    if (strstr(text, a) == NULL || strstr(text, b) == NULL)
        fail_msg("'%s' instead of '%s' and '%s'", text, a, b);
    rlt_messages_destroy(messages);
    return stage;
}

static inline const rlti_prim *usd_prim(const rlti_stage *stage, const char *path) {
    int index = rlti_stage_find(stage, path);
    if (index < 0)
        fail_msg("there is no %s", path);
    return &stage->prims[index];
}

/* One number of an attribute at a time. */
static inline double usd_number(const rlti_stage *stage, const char *path, const char *name, double time,
                                size_t place) {
    const rlti_prim *prim = usd_prim(stage, path);
    const rlti_attribute *a = NULL;
    for (int c = 0; c < 3 && a == NULL; c++)
        a = rlti_stage_attribute(stage, prim, (rlti_attribute_class)c, name);
    if (a == NULL)
        fail_msg("%s has no %s", path, name);
    rlti_array array = {0};
    double numbers[256];
    assert_int_equal(rlti_stage_value(stage, prim, a, time, NULL, &array), RLT_OK);
    assert_false(array.blocked);
    assert_true(place < array.count * (size_t)array.type.arity &&
                array.count * (size_t)array.type.arity < 256);
    assert_true(rlti_array_to_doubles(&array, numbers));
    rlti_array_clear(&array);
    return numbers[place];
}

static inline void near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g instead of %.17g", a, b);
}

#endif
