/* .usdz packages: layers within them, and every lie a zip file can tell. */
#include "usd_fixture.h"

#include "formats/usd/usdz.h"
#include "zip_fixture.h"

static const char *const names[] = {"root.usda", "parts/leaf.usda", "skin.png"};
static const char *const texts[] = {
    ("#usda 1.0\n(defaultPrim = \"A\"\n upAxis = \"Z\")\n"
     "def Xform \"A\" { def \"leaf\" (references = @./parts/leaf.usda@) {} }\n"),
    "#usda 1.0\n(defaultPrim = \"L\"\n subLayers = [@../root2.usda@])\n", "not a picture"};

static void make_good(zip *z, size_t align) {
    static const char *const all[] = {"root.usda", "parts/leaf.usda", "skin.png", "root2.usda"};
    const char *content[] = {texts[0], texts[1], texts[2], "#usda 1.0\ndef Mesh \"L\" { double v = 3 }\n"};
    zip_make(z, 4, all, content, align);
}

static void test_layers_within(void **state) {
    (void)state;
    zip z;
    for (size_t align = 1; align <= 64; align *= 64) {
        make_good(&z, align);
        bytes_write(usd_path("p.usdz"), z.bytes, z.size);
        rlti_stage *stage = usd_open("p.usdz");
        assert_string_equal(stage->reader->format, "usdz");
        assert_true(stage->up_axis == 'Z' && stage->default_prim == 0);
        assert_int_equal(usd_prim(stage, "/A/leaf")->kind, RLTI_PRIM_MESH);
        near(usd_number(stage, "/A/leaf", "v", 0, 0), 3, 0);
        rlti_stage_close(stage);
    }
    /* from a layer outside: the package itself, and one of its layers */
    usd_write("out.usda", "def \"X\" (references = @p.usdz@) {}\n"
                          "def \"Y\" (references = @./p.usdz[root2.usda]@</L>) {}\n");
    rlti_stage *stage = usd_open("out.usda");
    assert_int_equal(usd_prim(stage, "/X/leaf")->kind, RLTI_PRIM_MESH);
    assert_int_equal(usd_prim(stage, "/Y")->kind, RLTI_PRIM_MESH);
    rlti_stage_close(stage);
    usd_write("gone.usda", "def \"X\" (references = @p.usdz[none.usda]@</L>) {}\n");
    rlti_stage_close(
        usd_warned("gone.usda", "/X: reference to p.usdz[none.usda]", "has no entry 'none.usda'"));
    usd_write("plain.usda", "def \"X\" (references = @out.usda[a.usda]@</L>) {}\n");
    rlti_stage_close(usd_warned("plain.usda", "/X: reference to out.usda[a.usda]", "not a package"));
}

/* The message of a package in which some bytes were set. */
static void expect_message(const zip *z, const char *text) {
    rlt_messages *messages = rlt_messages_create();
    rlti_usdz *usdz;
    assert_int_equal(rlti_usdz_open("p.usdz", z->bytes, z->size, NULL, messages, &usdz), RLT_BAD_INPUT);
    assert_null(usdz);
    assert_int_equal(rlt_messages_count(messages), 1);
    if (strstr(rlt_messages_text(messages, 0), text) == NULL)
        fail_msg("'%s' instead of '%s'", rlt_messages_text(messages, 0), text);
    rlt_messages_destroy(messages);
}

static void test_lies(void **state) {
    (void)state;
    /* fields of a line of the list: 8 flags, 10 method, 20 and 24 sizes, 28 name, 42 place; of the end: 10
     * count, 12 size, 16 place */
    static const struct {
        size_t at;
        unsigned value;
        int bytes;
        int is_end;
        const char *message;
    } cases[] = {
        {10, 8, 2, 0, "p.usdz: root.usda: compressed (method 8)"},
        {8, 1, 2, 0, "p.usdz: root.usda: encrypted"},
        {20, 0xffffffff, 4, 0, "root.usda: a zip64 entry"},
        {24, 5, 4, 0, "root.usda: two sizes that differ"},
        {42, 0x7fffffff, 4, 0, "root.usda: lies outside the file"},
        {42, 3, 4, 0, "root.usda: lies outside the file"},
        {28, 0xffff, 2, 0, "entry 1: its place in the list is damaged"},
        {28, 0, 2, 0, "has no usable name"},
        {0, 0, 4, 0, "entry 1: its place in the list is damaged"},
        {10, 0xffff, 2, 1, "a zip64 package"},
        {16, 0xffffffff, 4, 1, "a zip64 package"},
        {16, 0x7fffffff, 4, 1, "lies outside the file"},
        {12, 0x7fffffff, 4, 1, "lies outside the file"},
        {10, 5000, 2, 1, "a package in several parts"},
        {4, 1, 2, 1, "a package in several parts"},
        {0, 0, 4, 1, "no end record"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        zip z;
        make_good(&z, 64);
        zip_set(&z, (cases[i].is_end ? z.end : z.central[0]) + cases[i].at, cases[i].value, cases[i].bytes);
        expect_message(&z, cases[i].message);
    }
    zip z;
    make_good(&z, 64);
    zip_set(&z, z.end + 8, 60000, 2);
    zip_set(&z, z.end + 10, 60000, 2);
    expect_message(&z, "states 60000 entries");
    zip_make(&z, 0, names, texts, 64);
    expect_message(&z, "the package is empty");
    /* the first entry must be a layer */
    zip_make(&z, 1, names + 2, texts + 2, 64);
    bytes_write(usd_path("png.usdz"), z.bytes, z.size);
    usd_refused("png.usdz", "png.usdz[skin.png]: not a USD layer", "png.usdz");
}

/* Cut anywhere, or with any byte changed: a message or a good package, never harm. */
static void test_damage(void **state) {
    (void)state;
    zip whole;
    make_good(&whole, 64);
    for (size_t size = 0; size < whole.size; size++) {
        unsigned char *copy = malloc(size + 1); /* exactly so large, for the sanitizers */
        rlti_usdz *usdz;
        memcpy(copy, whole.bytes, size);
        assert_int_equal(rlti_usdz_open("p", copy, size, NULL, NULL, &usdz), RLT_BAD_INPUT);
        free(copy);
    }
    unsigned char *copy = malloc(whole.size);
    for (size_t i = 0; i < 8 * whole.size; i++) {
        rlti_usdz *usdz;
        memcpy(copy, whole.bytes, whole.size);
        copy[i / 8] ^= (unsigned char)(1u << (i % 8));
        if (rlti_usdz_open("p", copy, whole.size, NULL, NULL, &usdz) == RLT_OK) {
            for (int k = 0; k < usdz->count; k++)
                assert_true(usdz->entries[k].bytes >= copy &&
                            usdz->entries[k].size <= whole.size - (size_t)(usdz->entries[k].bytes - copy));
            rlti_usdz_close(usdz);
        }
    }
    free(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_layers_within, usd_setup, usd_teardown),
        cmocka_unit_test_setup_teardown(test_lies, usd_setup, usd_teardown),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
