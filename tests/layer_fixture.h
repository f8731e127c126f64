/* USD layers from texts in tests. */
#ifndef TESTS_LAYER_FIXTURE_H
#define TESTS_LAYER_FIXTURE_H

#include "stage_fixture.h"

#include "formats/usd/usd_layer.h"

/* A layer of a text, which must be good but for what so many warnings say. The text must live as long. */
static inline rlti_usd_layer *layer_open_warned(const char *text, int warnings) {
    rlti_usd_layer *layer;
    rlt_messages *messages = rlt_messages_create();
    stage_ok(
        rlti_usda_layer_open("test.usda", (const unsigned char *)text, strlen(text), NULL, messages, &layer),
        messages);
    assert_int_equal(rlt_messages_count(messages), warnings);
    rlt_messages_destroy(messages);
    return layer;
}

static inline rlti_usd_layer *layer_open(const char *text) {
    return layer_open_warned(text, 0);
}

static inline const rlti_usd_prim *layer_prim(const rlti_usd_layer *layer, const char *path) {
    for (int i = 0; i < layer->prim_count; i++)
        if (strcmp(layer->prims[i].path, path) == 0)
            return &layer->prims[i];
    fail_msg("no prim %s", path);
    return NULL;
}

static inline const rlti_usd_property *layer_property(const rlti_usd_layer *layer, const char *path,
                                                      const char *name) {
    const rlti_usd_prim *prim = layer_prim(layer, path);
    for (int i = 0; i < prim->property_count; i++)
        if (strcmp(layer->properties[prim->first_property + i].name, name) == 0)
            return &layer->properties[prim->first_property + i];
    fail_msg("%s has no %s", path, name);
    return NULL;
}

static inline void layer_value(const rlti_usd_layer *layer, const rlti_usd_value *value, rlti_array *to) {
    rlt_messages *messages = rlt_messages_create();
    stage_ok(rlti_usd_layer_read(layer, value, messages, to), messages);
    rlt_messages_destroy(messages);
}

#endif
