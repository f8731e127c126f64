/* A groom with its contact particles and graph, from a scene given as text: for tests of hair-hair contacts
 * without a simulation. */
#ifndef CONTACT_FIXTURE_H
#define CONTACT_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/random.h"
#include "contact/hair/graph.h"
#include "model/taz_model.h"
#include "contact/hair/particles.h"
#include "ringlet/ringlet.h"

typedef struct bundle {
    rlt_messages *messages;
    rlt_scene *scene;
    const rlti_scene_data *data;
    rlti_body *body;
    rlti_strands *strands;
    rlti_matter *matter;
    rlti_taz_model *model;
    rlti_pool *pool;
    rlti_particles *particles;
    rlti_graph *graph;
} bundle;

static inline void bundle_begin(bundle *b, int threads, const char *format, ...) {
    static char text[65536];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    assert_true(size > 0 && size < (int)sizeof(text));
    memset(b, 0, sizeof(*b));
    b->messages = rlt_messages_create();
    rlt_status status = rlt_scene_load_text("test", text, (size_t)size, NULL, 0, b->messages, &b->scene);
    if (status == RLT_OK) {
        b->data = rlti_scene_get(b->scene);
        status = rlti_body_create(b->data, b->messages, &b->body);
    }
    if (status == RLT_OK)
        status = rlti_groom_create(b->data, b->body, b->messages, &b->strands);
    if (status == RLT_OK)
        b->matter = rlti_matter_create(b->strands);
    if (status == RLT_OK)
        status = rlti_taz_model_create(b->data, b->strands, NULL, b->matter, b->messages, &b->model);
    if (status == RLT_OK)
        status = rlti_particles_create(b->data, b->strands, b->matter, b->messages, &b->particles);
    b->pool = rlti_pool_create(threads);
    assert_non_null(b->pool);
    if (status == RLT_OK)
        status = rlti_graph_create(b->data, b->strands, b->particles, b->pool, b->messages, &b->graph);
    for (int i = 0; status != RLT_OK && i < rlt_messages_count(b->messages); i++)
        print_message("%s\n", rlt_messages_text(b->messages, i));
    assert_int_equal(status, RLT_OK);
}

static inline void bundle_end(bundle *b) {
    rlti_graph_destroy(b->graph);
    rlti_particles_destroy(b->particles);
    rlti_taz_model_destroy(b->model);
    rlti_matter_destroy(b->matter);
    rlti_groom_destroy(b->strands);
    rlti_body_destroy(b->body);
    rlti_pool_destroy(b->pool);
    rlt_scene_destroy(b->scene);
    rlt_messages_destroy(b->messages);
}

/* A straight strand in the scene's language: `points` points from (x, y, z) along (dx, dy, dz). */
static inline const char *straight(char *text, size_t size, int points, double x, double y, double z,
                                   double dx, double dy, double dz) {
    size_t used = 0;
    for (int i = 0; i < points; i++)
        used += (size_t)snprintf(text + used, size - used, "%s[%.17g, %.17g, %.17g]%s", i == 0 ? "[" : "",
                                 x + i * dx, y + i * dy, z + i * dz, i + 1 < points ? ", " : "]");
    assert_true(used < size);
    return text;
}

/* Does hair s know hair t? */
static inline int joined(const rlti_graph *graph, int s, int t) {
    for (long long e = graph->first[s]; e < graph->first[s + 1]; e++)
        if (graph->to[e] == t)
            return 1;
    return 0;
}

#endif
