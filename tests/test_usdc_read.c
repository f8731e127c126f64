/* USD crates of every version, made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "crate_fixture.h"
#include "edits_fixture.h"
#include "formats/usd/usd_layer.h"

static rlti_usd_layer *open_good(const unsigned char *bytes, size_t size, rlt_messages *messages) {
    rlti_usd_layer *layer;
    if (rlti_usdc_layer_open("x.usdc", bytes, size, NULL, messages, &layer) != RLT_OK)
        fail_msg("%s", rlt_messages_text(messages, 0));
    return layer;
}

/* The message must hold the text. */
static void refuse(unsigned char *bytes, size_t size, const char *text) {
    rlti_usd_layer *layer;
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlti_usdc_layer_open("x.usdc", bytes, size, NULL, messages, &layer), RLT_BAD_INPUT);
    assert_null(layer);
    const char *said = rlt_messages_text(messages, rlt_messages_count(messages) - 1);
    if (strstr(said, text) == NULL || strncmp(said, "x.usdc: ", 8) != 0)
        fail_msg("'%s' instead of '%s'", said, text);
    rlt_messages_destroy(messages);
    free(bytes);
}

static const rlti_usd_property *property(const rlti_usd_layer *layer, int prim, const char *name) {
    const rlti_usd_prim *p = &layer->prims[prim];
    for (int i = 0; i < p->property_count; i++)
        if (strcmp(layer->properties[p->first_property + i].name, name) == 0)
            return &layer->properties[p->first_property + i];
    fail_msg("no %s", name);
    return NULL;
}

static void read_value(const rlti_usd_layer *layer, const rlti_usd_value *value, rlti_array *to) {
    rlt_messages *messages = rlt_messages_create();
    if (rlti_usd_layer_read(layer, value, messages, to) != RLT_OK)
        fail_msg("%s", rlt_messages_text(messages, 0));
    rlt_messages_destroy(messages);
}

static void check_metadata(const rlti_usd_layer *layer, int version) {
    assert_true(layer->metres_per_unit == (double)0.01F);
    assert_int_equal(layer->up_axis, 'Z');
    assert_int_equal(layer->sublayer_count, 1);
    assert_string_equal(layer->sublayers[0].asset, "below.usd");
    assert_true(layer->sublayers[0].offset == 3.0 && layer->sublayers[0].scale == 0.5);
    /* in the order of primChildren; then the variant of A and the prim in it */
    assert_int_equal(layer->prim_count, 4);
    assert_true(layer->prims[2].is_variant && layer->prims[2].parent == 1 && layer->prims[3].parent == 2);
    assert_string_equal(layer->prims[2].name, "{lod=high}");
    assert_string_equal(layer->prims[3].name, "Inside");
    const rlti_usd_prim *b = &layer->prims[0], *a = &layer->prims[1];
    assert_string_equal(b->path, "/B");
    assert_int_equal(b->specifier, RLTI_USD_OVER);
    const rlti_usd_arc *reference = edits_arc(b->references, RLTI_USD_PREPENDED, 0);
    assert_int_equal(edits_count(b->references, RLTI_USD_PREPENDED), 1);
    assert_string_equal(reference->asset, "asset.usd");
    assert_string_equal(reference->prim_path, "/A");
    assert_true(reference->offset == 10.0 && reference->scale == 2.0);
    const rlti_usd_arc *payload = edits_arc(b->payloads, RLTI_USD_EXPLICIT, 0);
    assert_int_equal(edits_count(b->payloads, RLTI_USD_EXPLICIT), 1);
    assert_true(b->payloads->is_explicit);
    assert_string_equal(payload->asset, "heavy.usd");
    assert_string_equal(payload->prim_path, "");
    assert_true(payload->offset == (version >= 8 ? 5.0 : 0.0));
    assert_int_equal(b->active, RLTI_USD_FALSE);
    assert_int_equal(b->instanceable, RLTI_USD_TRUE);
    assert_true(a->active == RLTI_USD_UNSAID && a->instanceable == RLTI_USD_UNSAID);
    assert_string_equal(b->kind, "component");
    assert_string_equal(a->path, "/A");
    assert_string_equal(a->type_name, "BasisCurves");
    assert_int_equal(edits_count(a->api_schemas, RLTI_USD_PREPENDED), 1);
    assert_string_equal(edits_text(a->api_schemas, RLTI_USD_PREPENDED, 0), "GroomAPI");
    assert_string_equal(edits_text(a->variant_sets, RLTI_USD_PREPENDED, 0), "lod");
}

static void check_values(const rlti_usd_layer *layer, int version) {
    static const float points[4][3] = {{0.5F, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, -0.25F}};
    rlti_array value = {0};
    const rlti_usd_property *p = property(layer, 1, "points");
    assert_int_equal(p->sample_count, 2);
    assert_true(p->times[0] == 1.0 && p->times[1] == 2.5);
    assert_int_equal(p->samples[1].kind, RLTI_USD_BLOCKED);
    read_value(layer, &p->samples[0], &value);
    assert_int_equal(value.count, 4);
    assert_memory_equal(value.data, points, sizeof points);
    p = property(layer, 1, "counts");
    read_value(layer, &p->value, &value);
    assert_int_equal(value.count, CRATE_COUNT);
    for (int i = 0; i < CRATE_COUNT; i++)
        assert_int_equal(((const int *)value.data)[i], 3 * i - 7);
    if (version >= 6) {
        p = property(layer, 1, "whole");
        double numbers[CRATE_COUNT];
        read_value(layer, &p->value, &value);
        assert_int_equal(value.type.element, RLTI_HALF);
        assert_true(rlti_array_to_doubles(&value, numbers));
        for (int i = 0; i < CRATE_COUNT; i++)
            assert_true(numbers[i] == 3 * i - 7);
        p = property(layer, 1, "few");
        read_value(layer, &p->value, &value);
        for (int i = 0; i < CRATE_COUNT; i++) {
            float expected = i % 2 == 0 ? 0.25F : -0.0F;
            assert_memory_equal((const float *)value.data + i, &expected, 4);
        }
    }
    p = property(layer, 1, "xformOp:transform");
    read_value(layer, &p->value, &value);
    static const double diagonal[4] = {1, 2, -3, 1};
    for (int i = 0; i < 16; i++)
        assert_true(((const double *)value.data)[i] == (i % 5 == 0 ? diagonal[i / 5] : 0.0));
    p = property(layer, 1, "tint");
    assert_true(p->is_custom && p->is_uniform && p->element_size == 3);
    assert_string_equal(p->interpolation, "constant");
    read_value(layer, &p->value, &value);
    assert_int_equal(value.type.role, RLTI_ROLE_COLOUR);
    assert_true(((const float *)value.data)[0] == 1.0F && ((const float *)value.data)[2] == -1.0F);
    p = property(layer, 1, "look");
    assert_true(p->is_relationship);
    assert_string_equal(edits_text(p->targets, RLTI_USD_EXPLICIT, 0), "/A");
    assert_ptr_equal(p, &layer->properties[layer->prims[1].first_property]); /* as `properties` says */
    rlti_array_clear(&value);
}

static void every_version_is_read(void **state) {
    (void)state;
    crate *c = malloc(sizeof *c);
    for (int version = 0; version <= 14; version++) {
        size_t size;
        crate_example(c, version);
        unsigned char *bytes = crate_finish(c, 1, &size);
        rlt_messages *messages = rlt_messages_create();
        rlti_usd_layer *layer = open_good(bytes, size, messages);
        assert_int_equal(rlt_messages_count(messages), version > 12); /* a warning */
        check_metadata(layer, version);
        check_values(layer, version);
        rlti_usd_layer_close(layer);
        rlt_messages_destroy(messages);
        free(bytes);
    }
    free(c);
}

static void other_versions_are_refused(void **state) {
    (void)state;
    crate *c = malloc(sizeof *c);
    size_t size;
    crate_example(c, 8);
    unsigned char *bytes = crate_finish(c, 1, &size);
    bytes[8] = 1;
    refuse(bytes, size, "usdcat");
    crate_example(c, 8); /* what is packed cannot be read as what is not */
    bytes = crate_finish(c, 1, &size);
    bytes[9] = 2;
    refuse(bytes, size, "section ");
    free(c);
}

static void what_is_new_is_left_out(void **state) {
    (void)state;
    crate *c = malloc(sizeof *c);
    size_t size;
    crate_begin(c, 13);
    crate_spec(c, RLTI_SPEC_ROOT, "", 0, -1);
    crate_spec(c, RLTI_SPEC_PRIM, "A", 0, -1);
    crate_spec(c, RLTI_SPEC_ATTRIBUTE, "x", 1, 0);
    crate_field(c, "typeName", crate_token_rep(c, "double"));
    crate_field(c, "spline", crate_rep(RLTI_CRATE_SPLINE, 88));
    crate_spec(c, RLTI_SPEC_ATTRIBUTE, "y", 1, -2);
    crate_field(c, "typeName", crate_token_rep(c, "thing"));
    crate_field(c, "default", crate_rep(99, 88));
    unsigned char *bytes = crate_finish(c, 1, &size);
    rlt_messages *messages = rlt_messages_create();
    rlti_usd_layer *layer = open_good(bytes, size, messages);
    assert_int_equal(rlt_messages_count(messages), 3);
    assert_non_null(strstr(rlt_messages_text(messages, 1), "/A.x: animation splines"));
    assert_non_null(strstr(rlt_messages_text(messages, 2), "/A.y: a value of type 99"));
    assert_int_equal(layer->property_count, 2);
    assert_int_equal(layer->properties[1].value.kind, RLTI_USD_NO_VALUE);
    assert_int_equal(layer->properties[1].type.arity, 0);
    rlti_usd_layer_close(layer);
    rlt_messages_destroy(messages);
    free(bytes);
    free(c);
}

/* ---- lies ---- */

typedef struct lie {
    const char *says;
    void (*tell)(crate *c);
    int ends;
} lie;

static void twice(crate *c) {
    c->path_index[3] = c->path_index[2];
}
static void far_jump(crate *c) {
    c->path_jump[1] = 1000;
}
static void over_sibling(crate *c) {
    c->path_jump[1] = 2; /* into its own children */
}
static void no_leaf(crate *c) {
    c->path_jump[c->path_count - 1] = 0;
}
static void far_path(crate *c) {
    c->path_index[4] = 100000;
}
static void far_name(crate *c) {
    c->path_token[4] = (uint32_t)-100000;
}
static void far_token(crate *c) {
    c->field_tokens[0] = 100000;
}
static void far_string(crate *c) {
    c->strings[0] = 100000;
}
static void far_field(crate *c) {
    c->sets[0] = 100000;
}
static void far_set(crate *c) {
    c->spec_set[2] = 100000;
}
static void inside_set(crate *c) {
    c->spec_set[1] = 1;
}
static void no_kind(crate *c) {
    c->spec_kind[1] = 77;
}
static void two_specs(crate *c) {
    c->spec_path[2] = c->spec_path[1];
}
static void no_root(crate *c) {
    c->spec_kind[0] = RLTI_SPEC_PRIM;
}
static void endless_text(crate *c) {
    c->text[c->text_bytes - 1] = 'x';
}
static void many_tokens(crate *c) {
    c->token_count++;
}
static void nothing(crate *c) {
    (void)c;
}
static void one_name(crate *c) {
    c->path_token[3] = c->path_token[2];
}
static void long_list(crate *c) {
    uint64_t count = (uint64_t)1 << 60; /* of primChildren, the third field */
    memcpy(c->values + (RLTI_REP_PAYLOAD(c->field_reps[2]) - CRATE_START), &count, 8);
}
static void no_times(crate *c) {
    double back[2] = {2.0, 1.0};
    uint64_t rep = crate_samples(c, back, (const uint64_t[]){1, 1}, 2);
    for (uint32_t i = 0; i < c->field_count; i++)
        if (RLTI_REP_TYPE(c->field_reps[i]) == RLTI_CRATE_TIME_SAMPLES)
            c->field_reps[i] = rep;
}

static void lies_are_found(void **state) {
    (void)state;
    static const lie lies[] = {
        {"section PATHS: a path is there twice", twice, 1},
        {"section PATHS: the tree of paths is damaged", far_jump, 1},
        {"section PATHS: a path is there twice", over_sibling, 1},
        {"section PATHS: an entry lies behind the last", no_leaf, 1},
        {"section PATHS: an entry leads to no path", far_path, 1},
        {"section PATHS: a name leads to no token", far_name, 1},
        {"section FIELDS: a field's name leads to no token", far_token, 1},
        {"section STRINGS: a string leads to no token", far_string, 1},
        {"section FIELDSETS: a set leads to no field", far_field, 1},
        {"section FIELDSETS: the last set has no end", nothing, 0},
        {"section SPECS: a spec leads to no set of fields", far_set, 1},
        {"section SPECS: a spec leads to no set of fields", inside_set, 1},
        {"section SPECS: a spec is of no known kind", no_kind, 1},
        {"section SPECS: two specs have one path", two_specs, 1},
        {"section SPECS: the layer itself has no spec", no_root, 1},
        {"section TOKENS: the last token has no end", endless_text, 1},
        {"section TOKENS: fewer tokens than it says", many_tokens, 1},
        {"/A.points: path: there twice", one_name, 1},
        {"/: primChildren: damaged", long_list, 1},
        {"/A.points: timeSamples: damaged, or its times do not increase", no_times, 1},
    };
    crate *c = malloc(sizeof *c);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        size_t size;
        crate_example(c, 8);
        lies[i].tell(c);
        unsigned char *bytes = crate_finish(c, lies[i].ends, &size);
        refuse(bytes, size, lies[i].says);
    }
    free(c);
}

static void a_deep_tree_is_refused(void **state) {
    (void)state;
    crate *c = malloc(sizeof *c);
    size_t size;
    crate_begin(c, 8);
    crate_spec(c, RLTI_SPEC_ROOT, "", 0, -1);
    for (int i = 1; i < CRATE_LIST - 1; i++)
        crate_spec(c, 0, "deep", 0, -1);
    unsigned char *bytes = crate_finish(c, 1, &size);
    refuse(bytes, size, "section PATHS: an entry lies behind the last");
    /* by hand: more entries than the fixture has room for */
    enum { DEPTH = 600 };
    uint32_t *lists = calloc((size_t)3 * DEPTH, 4);
    for (uint32_t i = 0; i < DEPTH; i++) {
        lists[i] = i;
        lists[2 * DEPTH + i] = (uint32_t)(i + 1 < DEPTH ? -1 : -2);
    }
    crate_begin(c, 8);
    crate_spec(c, RLTI_SPEC_ROOT, "", 0, -2);
    bytes = crate_finish(c, 1, &size);
    uint64_t contents;
    memcpy(&contents, bytes + 16, 8);
    crate_file f = {0};
    crate_append(&f, bytes, size);
    uint64_t start = f.size;
    crate_append_u64(&f, DEPTH);
    crate_append_u64(&f, DEPTH);
    for (size_t k = 0; k < 3; k++)
        crate_append_ints(&f, lists + k * DEPTH, DEPTH);
    uint64_t length = f.size - start;
    memcpy(f.bytes + contents + 8 + 4 * 32 + 16, &start, 8); /* the fifth entry is PATHS */
    memcpy(f.bytes + contents + 8 + 4 * 32 + 24, &length, 8);
    free(bytes);
    free(lists);
    refuse(f.bytes, f.size, "section PATHS: prims are nested too deep");
    free(c);
}

/* A value that claims more than the file has is refused when it is read, before memory is asked for. */
static void lying_values_are_refused(void **state) {
    (void)state;
    static const uint64_t counts[] = {100, 1000, (uint64_t)1 << 40, UINT64_MAX, UINT64_MAX / 12 + 2};
    crate *c = malloc(sizeof *c);
    for (size_t i = 0; i < 2 * sizeof counts / sizeof counts[0]; i++) {
        size_t size;
        crate_begin(c, 8);
        crate_spec(c, RLTI_SPEC_ROOT, "", 0, -1);
        crate_spec(c, RLTI_SPEC_PRIM, "A", 0, -1);
        crate_spec(c, RLTI_SPEC_ATTRIBUTE, "x", 1, -2);
        uint64_t at = crate_array(c, counts[i / 2]);
        if (i % 2 == 0)
            crate_field(c, "default", RLTI_REP_ARRAY | crate_rep(15, at));
        else
            crate_field(c, "default", RLTI_REP_ARRAY | RLTI_REP_COMPRESSED | crate_rep(RLTI_CRATE_INT, at));
        unsigned char *bytes = crate_finish(c, 1, &size);
        rlt_messages *messages = rlt_messages_create();
        rlti_usd_layer *layer = open_good(bytes, size, messages);
        rlti_array value = {0};
        assert_int_equal(rlti_usd_layer_read(layer, &layer->properties[0].value, messages, &value),
                         RLT_BAD_INPUT);
        assert_non_null(strstr(rlt_messages_text(messages, 0), "x.usdc: value at byte 88: damaged"));
        rlti_array_clear(&value);
        rlti_usd_layer_close(layer);
        rlt_messages_destroy(messages);
        free(bytes);
    }
    free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_is_read),   cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(what_is_new_is_left_out), cmocka_unit_test(lies_are_found),
        cmocka_unit_test(a_deep_tree_is_refused),  cmocka_unit_test(lying_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
