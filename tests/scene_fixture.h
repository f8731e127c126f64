/* Loading scene texts in tests. */
#ifndef TESTS_SCENE_FIXTURE_H
#define TESTS_SCENE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ringlet/scene.h"
#include "scene/scene_data.h"

typedef struct fixture {
    rlt_messages *messages;
    rlt_scene *scene;
} fixture;

static inline int fixture_setup(void **state) {
    static fixture f;
    f.messages = rlt_messages_create();
    f.scene = NULL;
    *state = &f;
    return f.messages == NULL;
}

static inline int fixture_teardown(void **state) {
    fixture *f = *state;
    rlt_scene_destroy(f->scene);
    rlt_messages_destroy(f->messages);
    return 0;
}

/* Loads "s.yaml" from memory with up to `count` overrides. */
static inline rlt_status load_with(fixture *f, const char *text, const char *const *overrides, int count) {
    rlt_scene_destroy(f->scene);
    rlt_messages_clear(f->messages);
    return rlt_scene_load_text("s.yaml", text, strlen(text), overrides, count, f->messages, &f->scene);
}

static inline const rlti_scene_data *load_good(fixture *f, const char *text) {
    rlt_status status = load_with(f, text, NULL, 0);
    if (status != RLT_OK)
        print_error("%s\n", rlt_messages_text(f->messages, 0));
    assert_int_equal(status, RLT_OK);
    assert_non_null(f->scene);
    return rlti_scene_get(f->scene);
}

/* The messages must be exactly these lines. */
static inline void assert_messages(const fixture *f, const char *const *lines, int count) {
    for (int i = 0; i < count || i < rlt_messages_count(f->messages); i++)
        assert_string_equal(rlt_messages_text(f->messages, i), i < count ? lines[i] : "(no more)");
    assert_int_equal(rlt_messages_count(f->messages), count);
}

typedef struct bad {
    const char *text;
    const char *message;
} bad;

/* Scenes that load, with one warning each. */
static inline void assert_warnings(fixture *f, const bad *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(load_with(f, cases[i].text, NULL, 0), RLT_OK);
        assert_messages(f, &cases[i].message, 1);
        assert_int_equal(rlt_messages_severity(f->messages, 0), RLT_WARNING);
    }
}

#endif
