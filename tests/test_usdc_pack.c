/* How a USD crate packs bytes and integers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/usd/usdc_pack.h"

/* One chunk of 13 bytes that LZ4 left as they are: the commonest difference 1, seven codes, and 123, 100000,
 * 0, 0 in 1, 4, 1 and 1 bytes. */
static const unsigned char seven[] = {0, 0xd0, 1, 0, 0, 0, 0xc1, 0x11, 123, 0xa0, 0x86, 0x01, 0, 0, 0};
static const uint32_t seven_ints[7] = {123, 124, 125, 100125, 100125, 100126, 100126};

static void integers_from_the_book(void **state) {
    (void)state;
    rlti_ints ints;
    uint32_t made[7];
    assert_int_equal(rlti_ints_begin(&ints, seven, sizeof seven, 7, 4), RLTI_INTS_OK);
    rlti_ints_decode(&ints, made);
    rlti_ints_end(&ints);
    assert_memory_equal(made, seven_ints, sizeof made);

    unsigned char packed[128], coded[64];
    size_t got;
    assert_true(rlti_ints_bound(7, 4) <= sizeof packed);
    size_t size = rlti_ints_pack(seven_ints, 7, 4, packed);
    assert_true(rlti_fast_unpack(packed, size, coded, sizeof coded, &got));
    assert_int_equal(got, 13);
    assert_memory_equal(coded, seven + 2, 13);
}

static void chunks_follow_each_other(void **state) {
    (void)state;
    static const unsigned char two[] = {2, 4, 0, 0, 0, 0x30, 'a', 'b', 'c', 3, 0, 0, 0, 0x20, 'd', 'e'};
    char made[8] = {0};
    size_t got;
    assert_true(rlti_fast_unpack(two, sizeof two, made, sizeof made, &got));
    assert_int_equal(got, 5);
    assert_string_equal(made, "abcde");
    assert_false(rlti_fast_unpack(two, sizeof two, made, 4, &got)); /* too little room */
    for (size_t cut = 0; cut < sizeof two; cut++)
        assert_false(rlti_fast_unpack(two, cut, made, sizeof made, &got));
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33 ^ *state << 31;
}

static void there_and_back(const void *from, size_t count, size_t width) {
    unsigned char *packed = malloc(rlti_ints_bound(count, width));
    size_t size = rlti_ints_pack(from, count, width, packed);
    void *made = malloc(count * width);
    rlti_ints ints;
    assert_true(size > 0 && size <= rlti_ints_bound(count, width));
    assert_int_equal(rlti_ints_begin(&ints, packed, size, count, width), RLTI_INTS_OK);
    rlti_ints_decode(&ints, made);
    rlti_ints_end(&ints);
    assert_memory_equal(made, from, count * width);
    /* more than there are */
    assert_int_equal(rlti_ints_begin(&ints, packed, size, 5 * count + 16, width), RLTI_INTS_DAMAGED);
    assert_int_equal(rlti_ints_begin(&ints, packed, size, UINT64_MAX, width), RLTI_INTS_DAMAGED);
    free(made);
    free(packed);
}

static void any_integers_come_back(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    uint64_t random = 1, wide[COUNT];
    uint32_t narrow[COUNT];
    for (int shift = 0; shift < 64; shift += 3) {
        for (int i = 0; i < COUNT; i++) {
            wide[i] = next_random(&random) >> shift;
            narrow[i] = (uint32_t)wide[i];
        }
        for (size_t count = 1; count < COUNT; count = 3 * count + 1) {
            there_and_back(wide, count, 8);
            there_and_back(narrow, count, 4);
        }
    }
    static const uint32_t edges[] = {0, UINT32_MAX, 0, 0x80000000, 0x7fffffff, 128, 0, 32768, 0, 32767, 127};
    there_and_back(edges, sizeof edges / sizeof edges[0], 4);
    static const uint64_t wide_edges[] = {0, UINT64_MAX, 0, (uint64_t)1 << 63, 32768, 0, 0x80000000, 0};
    there_and_back(wide_edges, sizeof wide_edges / sizeof wide_edges[0], 8);
}

static void even_steps_are_small(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    uint32_t *ints = malloc(COUNT * sizeof *ints);
    unsigned char *packed = malloc(rlti_ints_bound(COUNT, 4));
    for (uint32_t i = 0; i < COUNT; i++)
        ints[i] = 7 * i;
    assert_true(rlti_ints_pack(ints, COUNT, 4, packed) < COUNT / 500);
    free(packed);
    free(ints);
}

static void damage_is_found(void **state) {
    (void)state;
    unsigned char bytes[sizeof seven];
    rlti_ints ints;
    uint32_t made[7];
    for (size_t i = 0; i < 8 * sizeof seven; i++) {
        memcpy(bytes, seven, sizeof seven);
        bytes[i / 8] ^= (unsigned char)(1 << (i % 8));
        if (rlti_ints_begin(&ints, bytes, sizeof bytes, 7, 4) == RLTI_INTS_OK)
            rlti_ints_decode(&ints, made);
        rlti_ints_end(&ints);
    }
    for (size_t cut = 0; cut < sizeof seven; cut++)
        assert_int_equal(rlti_ints_begin(&ints, seven, cut, 7, 4), RLTI_INTS_DAMAGED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_from_the_book), cmocka_unit_test(chunks_follow_each_other),
        cmocka_unit_test(any_integers_come_back), cmocka_unit_test(even_steps_are_small),
        cmocka_unit_test(damage_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
