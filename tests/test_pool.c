/* The thread pool: every index once, whatever the number of threads and the size of the round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parallel/pool.h"

#define MOST        1000
#define MOST_THREAD 8

/* What a round leaves behind. Workers only count; the test's thread asserts. */
typedef struct tally {
    int threads;
    atomic_int done[MOST];
    atomic_int strays;              /* an index or a worker out of range */
    int count;                      /* of this round */
    int per_worker[MOST_THREAD];    /* each written by its worker only */
    atomic_int inside[MOST_THREAD]; /* tasks this worker is in now */
} tally;

static void note(void *context, int index, int worker) {
    tally *t = context;
    if (index < 0 || index >= t->count || worker < 0 || worker >= t->threads) {
        atomic_fetch_add(&t->strays, 1);
        return;
    }
    /* two threads that both take themselves for this worker would share its scratch memory */
    if (atomic_fetch_add(&t->inside[worker], 1) != 0)
        atomic_fetch_add(&t->strays, 1);
    atomic_fetch_add(&t->done[index], 1);
    t->per_worker[worker]++;
    atomic_fetch_sub(&t->inside[worker], 1);
}

static void assert_round(rlti_pool *pool, tally *t, int count) {
    t->count = count;
    for (int i = 0; i < MOST; i++)
        atomic_store_explicit(&t->done[i], 0, memory_order_relaxed);
    for (int w = 0; w < MOST_THREAD; w++)
        t->per_worker[w] = 0;
    rlti_pool_for(pool, count, note, t);
    int sum = 0;
    for (int w = 0; w < MOST_THREAD; w++)
        sum += t->per_worker[w];
    assert_int_equal(sum, count);
    assert_int_equal(atomic_load(&t->strays), 0);
    for (int i = 0; i < MOST; i++)
        if (atomic_load_explicit(&t->done[i], memory_order_relaxed) != (i < count))
            fail_msg("%d threads, %d indices: index %d was done %d times", t->threads, count, i,
                     atomic_load(&t->done[i]));
}

static void test_every_index_once(void **state) {
    (void)state;
    static const int counts[] = {0, 1, 2, 3, 7, 8, 9, 64, MOST};
    for (int threads = 1; threads <= MOST_THREAD; threads++) {
        static tally t;
        rlti_pool *pool = rlti_pool_create(threads);
        assert_non_null(pool);
        assert_int_equal(rlti_pool_threads(pool), threads);
        t.threads = threads;
        for (int round = 0; round < 270; round++)
            assert_round(pool, &t, counts[(size_t)round % (sizeof counts / sizeof counts[0])]);
        rlti_pool_destroy(pool);
    }
}

static void add_one(void *context, int index, int worker) {
    (void)worker;
    ((int *)context)[index]++;
}

/* Rounds so short that some workers come late: none may be lost and none may run into the next. What a round
 * wrote without atomics is seen by the next, whoever does it. */
static void test_thousands_of_short_rounds(void **state) {
    (void)state;
    rlti_pool *pool = rlti_pool_create(4);
    assert_non_null(pool);
    int sums[5] = {0};
    for (int round = 0; round < 6000; round++)
        rlti_pool_for(pool, round % 6, add_one, sums);
    for (int i = 0; i < 5; i++)
        assert_int_equal(sums[i], 1000 * (5 - i));
    rlti_pool_destroy(pool);
}

/* Parts of a list: every index of each, wherever it begins. */
static void test_parts_of_a_list(void **state) {
    (void)state;
    for (int threads = 1; threads <= MOST_THREAD; threads++) {
        int sums[40] = {0};
        rlti_pool *pool = rlti_pool_create(threads);
        assert_non_null(pool);
        for (int origin = 0; origin < 40; origin++)
            rlti_pool_for_from(pool, origin, 40 - origin, add_one, sums + origin);
        for (int i = 0; i < 40; i++)
            assert_int_equal(sums[i], i + 1);
        rlti_pool_destroy(pool);
    }
}

static void test_create_and_destroy(void **state) {
    (void)state;
    for (int again = 0; again < 200; again++) {
        int sums[4] = {0};
        rlti_pool *pool = rlti_pool_create(1 + again % MOST_THREAD);
        assert_non_null(pool);
        /* every other pool ends before it has worked */
        if (again % 2 == 0)
            rlti_pool_for(pool, 4, add_one, sums);
        rlti_pool_destroy(pool);
        for (int i = 0; i < 4; i++)
            assert_int_equal(sums[i], again % 2 == 0);
    }
    rlti_pool_destroy(NULL);
}

static void test_limits(void **state) {
    (void)state;
    assert_null(rlti_pool_create(0));
    assert_null(rlti_pool_create(-1));
    assert_true(rlti_core_count() >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_index_once), cmocka_unit_test(test_thousands_of_short_rounds),
        cmocka_unit_test(test_parts_of_a_list),  cmocka_unit_test(test_create_and_destroy),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
