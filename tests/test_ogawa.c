/* The container of Alembic files, and the hash by which samples are known. */
#include "stage_fixture.h"

#include "formats/alembic/murmur3.h"
#include "formats/alembic/ogawa.h"
#include "formats/alembic/ogawa_write.h"

/* Values of the published function (seed 0). */
static void test_murmur3(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t hash[2];
    } known[] = {
        {"", {0, 0}},
        {"hello", {0xcbd8a7b341bd9b02u, 0x5b1e906a48ae1d19u}},
        {"hello, world", {0x342fac623a5ebc8eu, 0x4cdcbc079642414du}},
        {"The quick brown fox jumps over the lazy dog.", {0xcd99481f9ee902c9u, 0x695da1a38987b6e7u}}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint64_t hash[2];
        rlti_murmur3(known[i].text, strlen(known[i].text), hash);
        assert_true(hash[0] == known[i].hash[0] && hash[1] == known[i].hash[1]);
    }
}

static size_t make_file(unsigned char **bytes) {
    rlti_stream out;
    size_t size;
    rlt_messages *messages = rlt_messages_create();
    stage_ok(rlti_stream_open(&out, "made.ogawa", ".part", 4096, messages), messages);
    rlti_ogawa_begin(&out);
    uint64_t key[2] = {1, 2}, children[3];
    children[0] = rlti_ogawa_put_data(&out, key, "abc", 3);
    children[1] = rlti_ogawa_put_data(&out, NULL, "", 0);
    uint64_t inner = rlti_ogawa_put_group(&out, children, 2);
    children[0] = inner;
    children[1] = rlti_ogawa_put_group(&out, NULL, 0);
    children[2] = rlti_ogawa_put_data(&out, NULL, "defg", 4);
    rlti_ogawa_end(&out, rlti_ogawa_put_group(&out, children, 3));
    long long length = rlti_stream_length(&out);
    stage_ok(rlti_stream_publish(&out, messages), messages);
    rlt_messages_destroy(messages);
    *bytes = bytes_read("made.ogawa", &size);
    assert_int_equal(size, length);
    remove("made.ogawa");
    return size;
}

static void test_written_and_read(void **state) {
    (void)state;
    unsigned char *bytes;
    size_t size = make_file(&bytes);
    rlti_ogawa ogawa;
    rlti_ogawa_group root, group;
    rlti_ogawa_data data;
    assert_null(rlti_ogawa_open(&ogawa, bytes, size, NULL, &root));
    assert_int_equal(root.count, 3);
    assert_null(rlti_ogawa_group_at(&ogawa, rlti_ogawa_child(&root, 0), &group));
    assert_int_equal(group.count, 2);
    assert_null(rlti_ogawa_data_at(&ogawa, rlti_ogawa_child(&group, 0), &data));
    assert_int_equal(data.size, RLTI_OGAWA_KEY + 3);
    assert_memory_equal(data.bytes + RLTI_OGAWA_KEY, "abc", 3);
    assert_int_equal((uintptr_t)(data.bytes - bytes) % 8, 0);
    assert_null(rlti_ogawa_data_at(&ogawa, rlti_ogawa_child(&group, 1), &data));
    assert_int_equal(data.size, 0);
    assert_null(rlti_ogawa_group_at(&ogawa, rlti_ogawa_child(&root, 1), &group));
    assert_int_equal(group.count, 0);
    assert_null(rlti_ogawa_data_at(&ogawa, rlti_ogawa_child(&root, 2), &data));
    assert_memory_equal(data.bytes, "defg", 4);
    assert_non_null(rlti_ogawa_data_at(&ogawa, rlti_ogawa_child(&root, 0), &data));
    assert_non_null(rlti_ogawa_group_at(&ogawa, rlti_ogawa_child(&root, 2), &group));
    free(bytes);
}

static void test_bad_headers(void **state) {
    (void)state;
    unsigned char *bytes;
    size_t size = make_file(&bytes);
    rlti_ogawa ogawa;
    rlti_ogawa_group root;
    assert_non_null(strstr(rlti_ogawa_open(&ogawa, bytes, 15, NULL, &root), "shorter than the header"));
    assert_non_null(strstr(rlti_ogawa_open(&ogawa, bytes, size - 1, NULL, &root), "cut off"));
    bytes[5] = 0;
    assert_non_null(strstr(rlti_ogawa_open(&ogawa, bytes, size, NULL, &root), "not closed"));
    bytes[5] = 0xff;
    bytes[7] = 2;
    assert_non_null(strstr(rlti_ogawa_open(&ogawa, bytes, size, NULL, &root), "newer version"));
    bytes[7] = 1;
    for (uint64_t offset = 0; offset < 64; offset++) { /* every place near the largest offset */
        uint64_t far = 0x7fffffffffffffffu - offset;
        memcpy(bytes + 8, &far, 8);
        assert_non_null(rlti_ogawa_open(&ogawa, bytes, size, NULL, &root));
    }
    free(bytes);
}

/* Counts near the largest number must not wrap around. */
static void test_lying_counts(void **state) {
    (void)state;
    unsigned char bytes[64] = "Ogawa\xff\0\1\x10";
    rlti_ogawa ogawa = {.bytes = bytes, .size = sizeof bytes};
    rlti_ogawa_group group;
    rlti_ogawa_data data;
    static const uint64_t counts[] = {
        6, 7, 41, UINT64_MAX, UINT64_MAX / 8, UINT64_MAX / 8 + 1, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        memcpy(bytes + 16, &counts[i], 8);
        assert_non_null(rlti_ogawa_group_at(&ogawa, 16, &group));
        if (counts[i] > 40)
            assert_non_null(rlti_ogawa_data_at(&ogawa, 16 | RLTI_OGAWA_IS_DATA, &data));
    }
    uint64_t fits = 5;
    memcpy(bytes + 16, &fits, 8);
    assert_null(rlti_ogawa_group_at(&ogawa, 16, &group));
    assert_non_null(rlti_ogawa_group_at(&ogawa, 8, &group)); /* inside the header */
    assert_non_null(rlti_ogawa_group_at(&ogawa, 57, &group));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_murmur3), cmocka_unit_test(test_written_and_read),
        cmocka_unit_test(test_bad_headers), cmocka_unit_test(test_lying_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
