/* Streams: the checksum of a file that grows and is patched, and going on after a mark. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "io/output.h"

enum { LENGTH = 20000, CAPACITY = 300 };

static const char target[] = "test_stream.out";

/* Whole, and in pieces of any size: the same sum. */
static void pieces_do_not_matter(void **state) {
    (void)state;
    unsigned char bytes[1000];
    for (int i = 0; i < 1000; i++)
        bytes[i] = (unsigned char)rlti_hash64((uint64_t)i);
    for (size_t length = 0; length < sizeof bytes; length += 13) {
        rlti_sum whole = {0};
        rlti_sum_add(&whole, bytes, length);
        for (size_t piece = 1; piece < 20; piece++) {
            rlti_sum sum = {0};
            for (size_t at = 0; at < length; at += piece)
                rlti_sum_add(&sum, bytes + at, length - at < piece ? length - at : piece);
            assert_true(sum.length == length);
            assert_true(rlti_sum_value(&sum) == rlti_sum_value(&whole));
        }
    }
}

static void every_bit_and_order_count(void **state) {
    (void)state;
    unsigned char bytes[64] = {1, 2, 3};
    rlti_sum sum = {0}, other;
    rlti_sum_add(&sum, bytes, 61);
    for (int bit = 0; bit < 8 * 61; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        other = (rlti_sum){0};
        rlti_sum_add(&other, bytes, 61);
        assert_true(rlti_sum_value(&other) != rlti_sum_value(&sum));
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    bytes[8] = 1; /* the first two words change places */
    bytes[0] = bytes[1] = bytes[2] = 0;
    bytes[9] = 2;
    bytes[10] = 3;
    other = (rlti_sum){0};
    rlti_sum_add(&other, bytes, 61);
    assert_true(rlti_sum_value(&other) != rlti_sum_value(&sum));
}

/* Writes and patches at random, also across the end of what a word holds; the mark is that of the bytes. */
static void patches_count(void **state) {
    (void)state;
    unsigned char *model = calloc(LENGTH, 1), data[400];
    size_t length = 0;
    uint64_t turn = 0;
    rlti_stream stream;
    assert_int_equal(rlti_stream_open(&stream, target, ".part", CAPACITY, NULL), RLT_OK);
    while (length < LENGTH - sizeof data) {
        size_t size = rlti_hash64(++turn) % sizeof data;
        for (size_t i = 0; i < size; i++)
            data[i] = (unsigned char)rlti_hash64(turn << 16 | i);
        size_t at = length;
        if (turn % 3 == 0 && size < length) {
            at = rlti_hash64(turn << 8) % (length - size + 1);
            rlti_stream_patch(&stream, (long long)at, data, size);
        } else {
            rlti_stream_write(&stream, data, size);
            length += size;
        }
        memcpy(model + at, data, size);
        assert_true(rlti_stream_length(&stream) == (long long)length);
        rlti_stream_mark mark = rlti_stream_sync(&stream);
        rlti_sum sum = {0};
        rlti_sum_add(&sum, model, length);
        assert_int_equal(rlti_stream_check(&stream, NULL), RLT_OK);
        assert_true(mark.length == (long long)length && mark.sum == rlti_sum_value(&sum));
    }
    /* goes on after the mark, and knows the sum of what is before */
    rlti_stream_mark mark = rlti_stream_sync(&stream);
    rlti_stream_write(&stream, "cut off", 7);
    rlti_stream_leave(&stream);
    assert_int_equal(rlti_stream_reopen(&stream, target, ".part", CAPACITY, &mark, NULL), RLT_OK);
    rlti_stream_write(&stream, "more", 4);
    rlti_sum sum = {0};
    rlti_sum_add(&sum, model, length);
    rlti_sum_add(&sum, "more", 4);
    mark = rlti_stream_sync(&stream);
    assert_true(mark.sum == rlti_sum_value(&sum));
    /* what was never written cannot be patched */
    rlti_stream_patch(&stream, mark.length - 1, "xy", 2);
    assert_int_equal(rlti_stream_check(&stream, NULL), RLT_FAILED);
    rlti_stream_discard(&stream);
    assert_int_not_equal(access("test_stream.out.part", F_OK), 0);
    free(model);
}

/* The temporary file goes, or another takes its place: that is not published, and nothing of it is removed.
 */
static void another_file_is_not_published(void **state) {
    (void)state;
    rlti_stream stream;
    for (int replaced = 0; replaced < 2; replaced++) {
        assert_int_equal(rlti_stream_open(&stream, target, ".part", CAPACITY, NULL), RLT_OK);
        rlti_stream_text(&stream, "text");
        assert_int_equal(unlink("test_stream.out.part"), 0);
        if (replaced) {
            FILE *file = fopen("test_stream.out.part", "w");
            assert_non_null(file);
            fclose(file);
        }
        assert_int_equal(rlti_stream_publish(&stream, NULL), RLT_FAILED);
        assert_int_not_equal(access(target, F_OK), 0);
        assert_int_equal(access("test_stream.out.part", F_OK), replaced ? 0 : -1);
    }
    unlink("test_stream.out.part");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(every_bit_and_order_count),
        cmocka_unit_test(patches_count),
        cmocka_unit_test(another_file_is_not_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
