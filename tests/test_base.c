/* base/: lists, tables, hashes, arenas and troubles. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/table.h"
#include "base/trouble.h"
#include "ringlet/status.h"

/* ---- list ---- */

static void a_list_keeps_what_it_has_and_adds_zeros(void **state) {
    (void)state;
    int *list = NULL, count = 0, capacity = 0, moves = 0;
    for (; count < 1000; count++) {
        int before = capacity;
        assert_true(RLTI_LIST_RESERVE(list, count, 1, capacity));
        assert_true(capacity > count);
        moves += capacity != before;
        assert_int_equal(list[count], 0);
        list[count] = count + 1;
    }
    assert_true(moves < 10); /* it doubles */
    for (int i = 0; i < count; i++)
        assert_int_equal(list[i], i + 1);
    rlti_free(list);
}

/* Lists with elements of any size that share a capacity grow alike; large ones have little to spare. */
static void lists_of_one_capacity_grow_alike(void **state) {
    (void)state;
    char *small = NULL;
    double(*wide)[16] = NULL;
    int capacity = 0;
    for (int count = 0; count < 30000; count++) {
        int shared = capacity;
        assert_true(RLTI_LIST_RESERVE(small, count, 1, shared));
        assert_true(RLTI_LIST_RESERVE(wide, count, 1, capacity));
        assert_int_equal(shared, capacity);
        assert_true(count < 8192 || capacity <= count + count / 4 + 1);
    }
    rlti_free(small);
    rlti_free(wide);
}

static void a_list_makes_place_for_many_at_once(void **state) {
    (void)state;
    char *bytes = NULL;
    size_t capacity = 0;
    assert_true(RLTI_LIST_RESERVE(bytes, 0, 5, capacity));
    memcpy(bytes, "abcd", 5);
    assert_true(RLTI_LIST_RESERVE(bytes, 5, 100000, capacity));
    assert_true(capacity >= 100005);
    assert_string_equal(bytes, "abcd");
    char *same = bytes;
    size_t old = capacity;
    assert_true(RLTI_LIST_RESERVE(bytes, capacity - 1, 1, capacity));
    assert_ptr_equal(bytes, same); /* enough: it stays */
    assert_true(capacity == old);
    rlti_free(bytes);
}

static void a_list_too_long_stays_as_it_was(void **state) {
    (void)state;
    double *list = NULL, *longs = NULL;
    int capacity = 0;
    size_t wide = 0;
    assert_true(RLTI_LIST_RESERVE(list, 0, 1, capacity));
    list[0] = 3.0;
    double *same = list;
    int old = capacity;
    assert_false(RLTI_LIST_RESERVE(list, 1, INT_MAX, capacity));
    assert_false(RLTI_LIST_RESERVE(list, INT_MAX, 1, capacity));
    assert_ptr_equal(list, same);
    assert_int_equal(capacity, old);
    assert_true(list[0] == 3.0);
    assert_false(RLTI_LIST_RESERVE(longs, SIZE_MAX, 1, wide));
    assert_false(RLTI_LIST_RESERVE(longs, 0, SIZE_MAX / 4, wide)); /* times 8 */
    assert_null(longs);
    assert_true(wide == 0);
    rlti_free(list);
}

/* ---- hash ---- */

/* Values of the authors' own test program (Fowler, Noll, Vo). */
static void the_hash_is_fnv_1a(void **state) {
    (void)state;
    assert_true(rlti_hash_bytes(RLTI_HASH_START, "", 0) == 0xcbf29ce484222325u);
    assert_true(rlti_hash_bytes(RLTI_HASH_START, "a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(rlti_hash_bytes(RLTI_HASH_START, "foobar", 6) == 0x85944171f73967e8u);
    uint64_t half = rlti_hash_bytes(RLTI_HASH_START, "foo", 3);
    assert_true(rlti_hash_bytes(half, "bar", 3) == 0x85944171f73967e8u);
    assert_true(rlti_hash_word(RLTI_HASH_START, 'a') == 0xaf63dc4c8601ec8cu);
}

/* ---- table ---- */

enum { KEYS = 5000 };

static int find(const rlti_table *table, const char (*names)[24], const char *name) {
    uint64_t hash = rlti_hash_name(3, name, strlen(name));
    for (rlti_table_search s = rlti_table_begin(table, hash); rlti_table_next(table, &s);)
        if (strcmp(names[s.number], name) == 0)
            return s.number;
    return -1;
}

static void a_table_finds_all_and_only_what_it_has(void **state) {
    (void)state;
    static char names[KEYS][24];
    rlti_table table = {0};
    assert_int_equal(find(&table, names, "nothing"), -1);
    for (int i = 0; i < KEYS; i++) {
        snprintf(names[i], sizeof names[i], "name_%d", i);
        assert_true(rlti_table_add(&table, rlti_hash_name(3, names[i], strlen(names[i])), i));
    }
    for (int i = 0; i < KEYS; i++)
        assert_int_equal(find(&table, names, names[i]), i);
    assert_int_equal(find(&table, names, "name_5000"), -1);
    rlti_table_clear(&table);
    assert_int_equal(find(&table, names, "name_0"), -1);
}

static void a_reserved_table_stays_where_it_is(void **state) {
    (void)state;
    rlti_table table = {0};
    assert_true(rlti_table_reserve(&table, KEYS));
    const rlti_table_slot *slots = table.slots;
    for (int i = 0; i < KEYS; i++)
        assert_true(rlti_table_add(&table, (uint64_t)i % 7, i));
    assert_ptr_equal(table.slots, slots);
    assert_true(2 * table.count <= table.slot_count);
    rlti_table_clear(&table);
}

/* Also where they lie around the table's end and it grows. */
static void numbers_of_one_hash_keep_their_order(void **state) {
    (void)state;
    static const uint64_t hashes[] = {0, 30, 31, 0xffffffffu, (uint64_t)1 << 32};
    for (size_t h = 0; h < sizeof hashes / sizeof hashes[0]; h++) {
        rlti_table table = {0};
        for (int i = 0; i < 100; i++) {
            assert_true(rlti_table_add(&table, hashes[h], 2 * i));
            assert_true(rlti_table_add(&table, hashes[h] + 1, 2 * i + 1));
        }
        for (int odd = 0; odd < 2; odd++) {
            rlti_table_search s = rlti_table_begin(&table, hashes[h] + (uint64_t)odd);
            for (int i = 0; i < 100; i++) {
                assert_true(rlti_table_next(&table, &s));
                assert_int_equal(s.number, 2 * i + odd);
            }
            assert_false(rlti_table_next(&table, &s));
            assert_int_equal(s.number, -1);
        }
        rlti_table_clear(&table);
    }
}

/* ---- arena ---- */

static void an_arena_gives_zeroed_memory_that_stays(void **state) {
    (void)state;
    rlti_arena arena = {0};
    static unsigned char *kept[2000];
    for (int i = 0; i < 2000; i++) {
        size_t size = (size_t)(i % 97);
        kept[i] = rlti_arena_keep(&arena, size, 1);
        assert_non_null(kept[i]);
        assert_true((uintptr_t)kept[i] % 8 == 0);
        for (size_t b = 0; b < size; b++)
            assert_int_equal(kept[i][b], 0);
        memset(kept[i], i % 251, size);
    }
    for (int i = 0; i < 2000; i++)
        for (int b = 0; b < i % 97; b++)
            assert_int_equal(kept[i][b], i % 251);
    assert_string_equal(rlti_arena_text(&arena, "abcdef", 3), "abc");
    assert_string_equal(rlti_arena_join(&arena, "a", "", "b"), "ab");
    assert_null(rlti_arena_keep(&arena, SIZE_MAX / 2, 4));
    rlti_arena_clear(&arena);
    assert_null(arena.blocks);
}

/* ---- matrix ---- */

static const double affine[16] = {0.5, 1.25, -2.0, 0.0, 3.0, 0.75, 0.125, 0.0,
                                  1.0, -1.5, 0.25, 0.0, 7.0, -8.0, 9.0,   1.0};

static void assert_is_identity(const double m[16]) {
    for (int i = 0; i < 16; i++)
        assert_true(fabs(m[i] - (i % 5 == 0 ? 1.0 : 0.0)) < 1e-12);
}

static void a_matrix_times_its_inverse_is_the_identity(void **state) {
    (void)state;
    double inverse[16], product[16];
    assert_true(rlti_matrix_inverse(affine, inverse));
    rlti_matrix_multiply(affine, inverse, product);
    assert_is_identity(product);
    double determinant = rlti_matrix_adjugate3(affine, inverse);
    assert_true(determinant == rlti_matrix_determinant3(affine));
    for (int i = 0; i < 11; i++)
        inverse[i] /= i % 4 < 3 ? determinant : 1.0;
    rlti_matrix_inverse_shift(affine, inverse);
    rlti_matrix_multiply(inverse, affine, inverse); /* in place */
    assert_is_identity(inverse);
}

static void the_identity_is_known(void **state) {
    (void)state;
    double m[16];
    rlti_matrix_identity(m);
    assert_true(rlti_matrix_is_identity(m));
    for (int i = 0; i < 16; i++) {
        double kept = m[i];
        m[i] += 1e-15;
        assert_false(rlti_matrix_is_identity(m));
        m[i] = kept;
    }
    assert_false(rlti_matrix_is_identity(affine));
}

/* ---- trouble ---- */

/* A thousand frames: said at first and each time it is twice as bad, and once in the end. */
static void a_trouble_is_said_when_it_begins_and_grows(void **state) {
    (void)state;
    rlti_trouble trouble = {0};
    rlt_messages *messages = rlt_messages_create();
    int told = 0;
    rlti_trouble_sum_up(&trouble, "a.yaml", "it was wrong", "units", messages);
    assert_int_equal(rlt_messages_count(messages), 0);
    assert_int_equal(rlti_trouble_note(&trouble, 10, 1.0), 1);
    rlti_trouble_sum_up(&trouble, "a.yaml", "it was wrong", "units", messages); /* it was said */
    assert_int_equal(rlt_messages_count(messages), 0);
    for (int frame = 11; frame <= 1000; frame++)
        told += rlti_trouble_note(&trouble, frame, frame == 500 ? 2.5 : frame == 501 ? 4.9 : 1.5);
    assert_int_equal(told, 1);
    rlti_trouble_sum_up(&trouble, "a.yaml", "it was wrong", "units", messages);
    assert_int_equal(rlt_messages_count(messages), 1);
    assert_string_equal(
        rlt_messages_text(messages, 0),
        "a.yaml: frames 10 to 1000: it was wrong in 991 of them; worst is frame 501, with 4.9 units");
    assert_int_equal(rlti_trouble_note(&trouble, 20, 0.5), 1); /* another run: it has gone back */
    assert_int_equal(trouble.first, 20);
    rlt_messages_destroy(messages);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_keeps_what_it_has_and_adds_zeros),
        cmocka_unit_test(lists_of_one_capacity_grow_alike),
        cmocka_unit_test(a_list_makes_place_for_many_at_once),
        cmocka_unit_test(a_list_too_long_stays_as_it_was),
        cmocka_unit_test(the_hash_is_fnv_1a),
        cmocka_unit_test(a_table_finds_all_and_only_what_it_has),
        cmocka_unit_test(a_reserved_table_stays_where_it_is),
        cmocka_unit_test(numbers_of_one_hash_keep_their_order),
        cmocka_unit_test(an_arena_gives_zeroed_memory_that_stays),
        cmocka_unit_test(a_matrix_times_its_inverse_is_the_identity),
        cmocka_unit_test(the_identity_is_known),
        cmocka_unit_test(a_trouble_is_said_when_it_begins_and_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
