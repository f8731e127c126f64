/* Writing OBJ files in tests. */
#ifndef TESTS_OBJ_FIXTURE_H
#define TESTS_OBJ_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ringlet/status.h"

/* A new folder below the build's own, with a slash; the tests' names keep them apart. */
static inline void obj_folder(const char *name, char *folder, size_t size) {
    snprintf(folder, size, "obj-%s-%ld/", name, (long)getpid());
    assert_int_equal(mkdir(folder, 0777), 0);
}

static inline void obj_remove(const char *folder, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s%s", folder, name);
    remove(path);
}

static inline void obj_write(const char *folder, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A ball of `rings` x 2 `rings` quads about a centre; `turned` winds it inside out. Fits in 64 KiB for 12
 * rings. */
static inline void obj_ball(char *text, size_t size, const double centre[3], double radius, int rings,
                            int turned) {
    const double pi = 3.14159265358979323846;
    size_t used = 0;
    int around = 2 * rings;
    for (int i = 1; i < rings; i++)
        for (int j = 0; j < around; j++) {
            double a = pi * i / rings, b = 2 * pi * j / around;
            used += (size_t)snprintf(text + used, size - used, "v %.9g %.9g %.9g\n",
                                     centre[0] + radius * sin(a) * sin(b), centre[1] + radius * cos(a),
                                     centre[2] + radius * sin(a) * cos(b));
        }
    used += (size_t)snprintf(text + used, size - used, "v %.9g %.9g %.9g\nv %.9g %.9g %.9g\n", centre[0],
                             centre[1] + radius, centre[2], centre[0], centre[1] - radius, centre[2]);
    for (int j = 0; j < around; j++) {
        int next = (j + 1) % around;
        for (int i = 0; i + 2 < rings; i++) {
            int a = i * around + j + 1, b = (i + 1) * around + j + 1, c = (i + 1) * around + next + 1,
                d = i * around + next + 1;
            used += (size_t)snprintf(text + used, size - used, "f %d %d %d %d\n", a, turned ? d : b, c,
                                     turned ? b : d);
        }
        int low = (rings - 2) * around;
        used += (size_t)snprintf(text + used, size - used,
                                 turned ? "f -2 %d %d\nf -1 %d %d\n" : "f -2 %2$d %1$d\nf -1 %4$d %3$d\n",
                                 next + 1, j + 1, low + j + 1, low + next + 1);
    }
    assert_true(used < size);
}

#endif
