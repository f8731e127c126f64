/* USD crates: what the sink writes, the reader reads, to the bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "formats/tree/sink.h"
#include "formats/usd/usd_layer.h"
#include "io/file_map.h"

#define FILE_NAME "test_usdc.usdc"

typedef struct opened {
    rlti_file_map map;
    rlti_usd_layer *layer;
    rlt_messages *messages;
} opened;

static void fail_with(rlt_messages *messages) {
    for (int i = 0; i < rlt_messages_count(messages); i++)
        print_error("%s\n", rlt_messages_text(messages, i));
    fail();
}

static opened open_file(const char *path) {
    opened o = {.messages = rlt_messages_create()};
    if (rlti_file_map_open(path, NULL, o.messages, &o.map) != RLT_OK ||
        rlti_usdc_layer_open(path, o.map.bytes, o.map.size, NULL, o.messages, &o.layer) != RLT_OK)
        fail_with(o.messages);
    return o;
}

static void close_file(opened *o) {
    rlti_usd_layer_close(o->layer);
    rlti_file_map_close(&o->map);
    rlt_messages_destroy(o->messages);
}

static const rlti_usd_property *find(const opened *o, const char *prim, const char *name) {
    for (int i = 0; i < o->layer->prim_count; i++) {
        const rlti_usd_prim *p = &o->layer->prims[i];
        for (int k = 0; k < p->property_count && strcmp(p->path, prim) == 0; k++)
            if (strcmp(o->layer->properties[p->first_property + k].name, name) == 0)
                return &o->layer->properties[p->first_property + k];
    }
    return NULL;
}

static const rlti_usd_prim *find_prim(const opened *o, const char *path) {
    for (int i = 0; i < o->layer->prim_count; i++)
        if (strcmp(o->layer->prims[i].path, path) == 0)
            return &o->layer->prims[i];
    return NULL;
}

/* ---- writing ---- */

static rlti_sink *begin(const rlti_sink_def *def) {
    rlti_sink *sink;
    assert_int_equal(rlti_sink_open(FILE_NAME, def, NULL, &sink), RLT_OK);
    return sink;
}

static int prim(rlti_sink *sink, int parent, const char *name, rlti_prim_kind kind) {
    int index;
    rlti_prim made = {.name = name,
                      .type_name = "",
                      .kind = kind,
                      .curve_type = RLTI_CURVE_CUBIC,
                      .basis = RLTI_BASIS_CATMULL_ROM,
                      .wrap = RLTI_WRAP_PINNED,
                      .purpose = kind == RLTI_PRIM_CURVES ? RLTI_PURPOSE_GUIDE : RLTI_PURPOSE_DEFAULT};
    assert_int_equal(rlti_sink_prim(sink, parent, &made, NULL, &index), RLT_OK);
    return index;
}

static int attribute(rlti_sink *sink, int owner, const char *name, rlti_attribute_class class_,
                     rlti_array_type type) {
    int index;
    rlti_attribute made = {.name = name,
                           .class_ = class_,
                           .type = type,
                           .interpolation = RLTI_VERTEX,
                           .element_size = 1,
                           .indices = -1,
                           .type_name = ""};
    assert_int_equal(rlti_sink_attribute(sink, owner, &made, NULL, &index), RLT_OK);
    return index;
}

static void put(rlti_sink *sink, int index, double time, const void *data, size_t count) {
    rlti_array value = {.type = sink->attributes[index].type, .count = count, .data = data};
    assert_int_equal(rlti_sink_write(sink, index, time, &value, NULL), RLT_OK);
}

static const rlti_array_type points_type = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1};
static const rlti_array_type ints_type = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1};
static const rlti_sink_def plain = {.codes_per_second = 24.0, .last_time = -1.0};

/* ---- every type ---- */

enum { MOST = 40 };

typedef struct sample {
    rlti_array_type type;
    size_t count;
    unsigned char bytes[MOST * 16 * 8];
    const char *texts[MOST];
} sample;

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

/* Numbers of all kinds: whole and small ones (which a crate stores in another way), and any bits. */
static void fill(sample *s, rlti_array_type type, size_t count, int way, uint64_t *state) {
    static const char *const words[] = {"", "vertex", "a/b c", "\xc3\xa4", "default"};
    size_t numbers = count * (size_t)type.arity, size = rlti_element_size(type.element);
    *s = (sample){.type = type, .count = count};
    for (size_t i = 0; i < numbers; i++) {
        uint64_t bits = next_random(state) << 17 ^ next_random(state);
        int small = way == 0 ? (int)(bits % 200) - 100 : way == 1 ? (int)(bits % 3) * 70000 : 0;
        float single = (float)small;
        double number = small;
        uint16_t half = rlti_half_from_double(way == 1 ? number / 256.0 : number);
        if (type.element == RLTI_TEXT) {
            s->texts[i] = words[bits % 5];
            continue;
        }
        if (way == 3) { /* numbers without a fraction, -0 among them */
            single = -0.0F;
            number = -0.0;
            half = 0x8000;
        }
        if (way != 2) {
            int64_t whole = small;
            memcpy(&bits, &whole, 8);
            if (type.element == RLTI_FLOAT)
                memcpy(&bits, &single, 4);
            if (type.element == RLTI_DOUBLE)
                memcpy(&bits, &number, 8);
            if (type.element == RLTI_HALF)
                memcpy(&bits, &half, 2);
        }
        if (type.element == RLTI_BOOL)
            bits &= 1;
        memcpy(s->bytes + i * size, &bits, size);
    }
}

static const void *data_of(const sample *s) {
    return s->type.element == RLTI_TEXT ? (const void *)s->texts : (const void *)s->bytes;
}

static void every_type_comes_back(void **unused) {
    (void)unused;
    static const char *const names[] = {
        "bool",    "uchar",    "int",      "uint",    "int64",    "uint64",  "half",       "float",
        "double",  "string",   "token",    "asset",   "int2",     "int3",    "int4",       "half2",
        "half3",   "half4",    "float2",   "float3",  "float4",   "double2", "double3",    "double4",
        "point3f", "point3d",  "vector3h", "color4f", "normal3f", "quath",   "texCoord2f", "quatf",
        "quatd",   "matrix2d", "matrix3d", "matrix4d"};
    enum { NAMES = sizeof names / sizeof names[0], WAYS = 4, LENGTHS = 4, ALL = NAMES * WAYS * LENGTHS };
    static const size_t lengths[LENGTHS] = {1, 0, 15, MOST}; /* the first is a single value */
    sample *samples = malloc(ALL * sizeof *samples);
    uint64_t state = 7;
    rlti_sink *sink = begin(&plain);
    int owner = prim(sink, -1, "all", RLTI_PRIM_XFORM);
    for (int i = 0; i < ALL; i++) {
        const char *name = names[i / (WAYS * LENGTHS)];
        size_t length = lengths[i % LENGTHS];
        rlti_array_type type;
        char text[32];
        assert_true(rlti_usd_type(name, strlen(name), &type));
        type.is_array = i % LENGTHS != 0;
        fill(&samples[i], type, length, i / LENGTHS % WAYS, &state);
        snprintf(text, sizeof text, "a%d", i);
        int index = attribute(sink, owner, text, RLTI_CUSTOM, type);
        put(sink, index, (double)NAN, data_of(&samples[i]), length);
        put(sink, index, 3.0, data_of(&samples[i]), length);
    }
    assert_int_equal(rlti_sink_close(sink, NULL), RLT_OK);

    opened o = open_file(FILE_NAME);
    assert_string_equal(o.layer->version, "0.8.0");
    assert_int_equal(o.layer->property_count, ALL);
    rlti_array read = {0};
    for (int i = 0; i < ALL; i++) {
        const rlti_usd_property *p = &o.layer->properties[i];
        const rlti_array expected = {
            .type = samples[i].type, .count = samples[i].count, .data = data_of(&samples[i])};
        rlti_array_type declared;
        assert_true(rlti_usd_type(p->type_name, strlen(p->type_name), &declared));
        assert_memory_equal(&declared, &samples[i].type, sizeof declared);
        assert_true(p->is_custom);
        assert_int_equal(p->sample_count, 1);
        assert_true(p->times[0] == 3.0);
        for (int k = 0; k < 2; k++) {
            const rlti_usd_value *value = k == 0 ? &p->value : &p->samples[0];
            assert_int_equal(value->kind, RLTI_USD_VALUE);
            assert_int_equal(rlti_usd_layer_read(o.layer, value, o.messages, &read), RLT_OK);
            if (!rlti_array_equal(&read, &expected))
                fail_msg("%s %s %d", p->name, p->type_name, k);
        }
    }
    rlti_array_clear(&read);
    close_file(&o);
    free(samples);
}

/* ---- a cache ---- */

enum { STRANDS = 20, POINTS = 5 * STRANDS, FRAMES = 6 };

static void make_points(float points[POINTS][3], int frame) {
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++)
            points[i][k] = sinf((float)(3 * i + k)) + (float)frame * 0.1F;
}

typedef struct cache {
    rlti_sink *sink;
    int hair, points, extent, counts, widths;
} cache;

static cache declare_cache(const rlti_sink_def *def) {
    cache c = {.sink = begin(def)};
    int root = prim(c.sink, -1, "char", RLTI_PRIM_XFORM);
    c.hair = prim(c.sink, root, "hair", RLTI_PRIM_CURVES);
    c.points = attribute(c.sink, c.hair, "points", RLTI_BUILT_IN, points_type);
    c.extent = attribute(c.sink, c.hair, "extent", RLTI_BUILT_IN,
                         (rlti_array_type){RLTI_FLOAT, 3, RLTI_ROLE_BOX, 1});
    c.counts = attribute(c.sink, c.hair, "curveVertexCounts", RLTI_BUILT_IN, ints_type);
    c.widths = attribute(c.sink, c.hair, "widths", RLTI_BUILT_IN,
                         (rlti_array_type){RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1});
    return c;
}

static void write_still(const cache *c) {
    int counts[STRANDS];
    float widths[POINTS];
    for (int i = 0; i < STRANDS; i++)
        counts[i] = 5;
    for (int i = 0; i < POINTS; i++)
        widths[i] = 0.01F;
    put(c->sink, c->counts, (double)NAN, counts, STRANDS);
    put(c->sink, c->widths, (double)NAN, widths, POINTS);
}

static void write_frame(const cache *c, int frame) {
    float points[POINTS][3], box[2][3] = {{-1, -1, -1}, {2, 2, 2}};
    make_points(points, frame == 3 ? 2 : frame); /* frame 3 is the same as frame 2 */
    put(c->sink, c->points, frame, points, POINTS);
    put(c->sink, c->extent, frame, box, 2);
    double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5 * frame, 0, 0, 1};
    assert_int_equal(rlti_sink_transform(c->sink, c->hair, frame, matrix, NULL), RLT_OK);
}

static const rlti_sink_def cache_def = {.codes_per_second = 24.0,
                                        .frames_per_second = 24.0,
                                        .metres_per_unit = 0.01,
                                        .up_axis = 'Z',
                                        .first_time = 0.0,
                                        .last_time = FRAMES - 1,
                                        .title = "a test",
                                        .default_prim = "char"};

static void check_cache(const char *path, int frames) {
    opened o = open_file(path);
    const rlti_usd_property *p = find(&o, "/char/hair", "points");
    assert_non_null(p);
    assert_string_equal(p->type_name, "point3f[]");
    assert_int_equal(p->sample_count, frames);
    rlti_array read = {0};
    for (int i = 0; i < frames; i++) {
        float points[POINTS][3];
        make_points(points, i == 3 ? 2 : i);
        assert_true(p->times[i] == i);
        assert_int_equal(rlti_usd_layer_read(o.layer, &p->samples[i], o.messages, &read), RLT_OK);
        assert_int_equal(read.count, POINTS);
        assert_memory_equal(read.data, points, sizeof points);
        assert_int_equal(read.type.role, RLTI_ROLE_POINT);
        assert_null(read.owned); /* points are not copied */
    }
    if (frames > 3)
        assert_true(p->samples[2].where == p->samples[3].where);
    const rlti_usd_property *extent = find(&o, "/char/hair", "extent");
    assert_int_equal(extent->sample_count, frames);
    assert_true(extent->times == p->times); /* shared in the file too */
    for (int i = 1; i < frames; i++)
        assert_true(extent->samples[i].where == extent->samples[0].where);
    const rlti_usd_property *counts = find(&o, "/char/hair", "curveVertexCounts");
    assert_int_equal(rlti_usd_layer_read(o.layer, &counts->value, o.messages, &read), RLT_OK);
    assert_int_equal(read.count, STRANDS);
    for (int i = 0; i < STRANDS; i++)
        assert_int_equal(((const int *)read.data)[i], 5);
    rlti_array_clear(&read);
    close_file(&o);
}

static void a_cache_comes_back(void **unused) {
    (void)unused;
    cache c = declare_cache(&cache_def);
    write_still(&c);
    for (int i = 0; i < FRAMES; i++)
        write_frame(&c, i);
    assert_int_equal(rlti_sink_close(c.sink, NULL), RLT_OK);
    check_cache(FILE_NAME, FRAMES);

    opened o = open_file(FILE_NAME);
    const rlti_usd_layer *layer = o.layer;
    assert_int_equal(layer->up_axis, 'Z');
    assert_true(layer->metres_per_unit == 0.01);
    assert_true(layer->time_codes_per_second == 24.0 && layer->frames_per_second == 24.0);
    assert_true(layer->has_range && layer->start_time == 0.0 && layer->end_time == FRAMES - 1);
    assert_string_equal(layer->default_prim, "char");
    assert_string_equal(layer->documentation, "a test");
    assert_int_equal(layer->prim_count, 2);
    const rlti_usd_prim *hair = find_prim(&o, "/char/hair");
    assert_string_equal(hair->type_name, "BasisCurves");
    assert_int_equal(hair->specifier, RLTI_USD_DEF);
    assert_int_equal(hair->parent, 0);
    const rlti_usd_property *basis = find(&o, "/char/hair", "basis");
    assert_true(basis->is_uniform);
    rlti_array read = {0};
    assert_int_equal(rlti_usd_layer_read(layer, &basis->value, NULL, &read), RLT_OK);
    assert_string_equal(*(const char *const *)read.data, "catmullRom");
    const rlti_usd_property *order = find(&o, "/char/hair", "xformOpOrder");
    assert_int_equal(rlti_usd_layer_read(layer, &order->value, NULL, &read), RLT_OK);
    assert_int_equal(read.count, 1);
    assert_string_equal(*(const char *const *)read.data, "xformOp:transform");
    const rlti_usd_property *op = find(&o, "/char/hair", "xformOp:transform");
    assert_int_equal(rlti_usd_layer_read(layer, &op->samples[3], NULL, &read), RLT_OK);
    assert_true(((const double *)read.data)[12] == 1.5 && ((const double *)read.data)[15] == 1.0);
    assert_string_equal(find(&o, "/char/hair", "widths")->interpolation, "vertex");
    rlti_array_clear(&read);
    close_file(&o);
}

static void an_over_stands_on_its_source(void **unused) {
    (void)unused;
    rlti_sink_def def = cache_def;
    def.over = "source.usd";
    cache c = declare_cache(&def);
    write_frame(&c, 0);
    assert_int_equal(rlti_sink_close(c.sink, NULL), RLT_OK);
    opened o = open_file(FILE_NAME);
    assert_int_equal(o.layer->sublayer_count, 1);
    assert_string_equal(o.layer->sublayers[0].asset, "source.usd");
    assert_true(o.layer->sublayers[0].offset == 0.0 && o.layer->sublayers[0].scale == 1.0);
    const rlti_usd_prim *hair = find_prim(&o, "/char/hair");
    assert_int_equal(hair->specifier, RLTI_USD_OVER);
    assert_string_equal(hair->type_name, "");
    assert_null(find(&o, "/char/hair", "basis"));
    assert_null(find(&o, "/char/hair", "widths")); /* nothing was written of it */
    assert_non_null(find(&o, "/char/hair", "points"));
    close_file(&o);
}

/* ---- going on ---- */

static int exists(const char *path) {
    return access(path, F_OK) == 0;
}

static char *contents(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void publishing_goes_on(void **unused) {
    (void)unused;
    cache c = declare_cache(&cache_def);
    write_still(&c);
    write_frame(&c, 0);
    assert_int_equal(rlti_sink_publish(c.sink, NULL), RLT_OK);
    check_cache(FILE_NAME, 1);
    for (int i = 1; i < FRAMES; i++)
        write_frame(&c, i);
    check_cache(FILE_NAME, 1);
    assert_int_equal(rlti_sink_close(c.sink, NULL), RLT_OK);
    check_cache(FILE_NAME, FRAMES);
    assert_false(exists(FILE_NAME ".values.part") || exists(FILE_NAME ".index.part") ||
                 exists(FILE_NAME ".texts.part") || exists(FILE_NAME ".tmp"));
}

static void a_run_that_was_cut_off_goes_on(void **unused) {
    (void)unused;
    cache c = declare_cache(&cache_def);
    write_still(&c);
    for (int i = 0; i < FRAMES; i++)
        write_frame(&c, i);
    assert_int_equal(rlti_sink_close(c.sink, NULL), RLT_OK);
    size_t size, size_again;
    char *whole = contents(FILE_NAME, &size);
    unlink(FILE_NAME);

    rlti_stream_mark marks[RLTI_SINK_MARKS];
    int count;
    c = declare_cache(&cache_def);
    write_still(&c);
    for (int i = 0; i < 3; i++)
        write_frame(&c, i);
    assert_int_equal(rlti_sink_marks(c.sink, marks, &count, NULL), RLT_OK);
    write_frame(&c, 3); /* lost */
    rlti_sink_leave(c.sink);
    assert_false(exists(FILE_NAME));

    rlti_sink_def def = cache_def;
    def.resumes = 1;
    c = declare_cache(&def);
    assert_int_equal(rlti_sink_resume(c.sink, marks, count, NULL), RLT_OK);
    for (int i = 3; i < FRAMES; i++)
        write_frame(&c, i);
    assert_int_equal(rlti_sink_close(c.sink, NULL), RLT_OK);
    char *again = contents(FILE_NAME, &size_again);
    assert_int_equal(size, size_again);
    assert_memory_equal(whole, again, size);
    free(whole);
    free(again);
}

static void times_increase(void **unused) {
    (void)unused;
    cache c = declare_cache(&cache_def);
    write_frame(&c, 2);
    float points[POINTS][3] = {{0}};
    rlti_array value = {.type = points_type, .count = POINTS, .data = points};
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlti_sink_write(c.sink, c.points, 2.0, &value, messages), RLT_BAD_INPUT);
    assert_int_equal(rlti_sink_close(c.sink, messages), RLT_FAILED);
    rlt_messages_destroy(messages);
    assert_false(exists(FILE_NAME ".values.part"));
}

/* ---- damaged files ---- */

/* Opens and reads everything; only success or a message is right. */
static void read_all(const unsigned char *bytes, size_t size) {
    rlt_messages *messages = rlt_messages_create();
    rlti_usd_layer *layer;
    rlt_status status = rlti_usdc_layer_open("file", bytes, size, NULL, messages, &layer);
    assert_true((status == RLT_OK) == (layer != NULL));
    assert_true(status == RLT_OK || (status == RLT_BAD_INPUT && rlt_messages_count(messages) > 0));
    rlti_array read = {0};
    for (int i = 0; layer != NULL && i < layer->property_count; i++) {
        const rlti_usd_property *p = &layer->properties[i];
        for (int k = -1; k < p->sample_count; k++) {
            status = rlti_usd_layer_read(layer, k < 0 ? &p->value : &p->samples[k], messages, &read);
            assert_true(status == RLT_OK || status == RLT_BAD_INPUT);
        }
    }
    rlti_array_clear(&read);
    rlti_usd_layer_close(layer);
    rlt_messages_destroy(messages);
}

static void damaged_files_do_no_harm(void **unused) {
    (void)unused;
    cache c = declare_cache(&cache_def);
    write_still(&c);
    for (int i = 0; i < 2; i++)
        write_frame(&c, i);
    assert_int_equal(rlti_sink_close(c.sink, NULL), RLT_OK);
    size_t size;
    unsigned char *bytes = (unsigned char *)contents(FILE_NAME, &size);
    for (size_t cut = 0; cut < size; cut++) {
        /* a copy of just this size, so that sanitizers see a step beyond */
        unsigned char *part = malloc(cut > 0 ? cut : 1);
        memcpy(part, bytes, cut);
        read_all(part, cut);
        free(part);
    }
    for (size_t i = 0; i < 8 * size; i++) {
        bytes[i / 8] ^= (unsigned char)(1 << (i % 8));
        read_all(bytes, size);
        bytes[i / 8] ^= (unsigned char)(1 << (i % 8));
    }
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_comes_back),          cmocka_unit_test(a_cache_comes_back),
        cmocka_unit_test(an_over_stands_on_its_source),   cmocka_unit_test(publishing_goes_on),
        cmocka_unit_test(a_run_that_was_cut_off_goes_on), cmocka_unit_test(times_increase),
        cmocka_unit_test(damaged_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
