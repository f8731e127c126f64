#define _GNU_SOURCE /* sched_getaffinity */
#include "parallel/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/memory.h"

/* Items of one worker, in a cache line of their own: items home, home + threads, home + 2 threads ... */
typedef struct share {
    _Alignas(RLTI_CACHE_LINE) atomic_int next; /* of these, the next to hand out */
} share;

typedef struct worker {
    rlti_pool *pool;
    int index;
    pthread_t thread;
} worker;

struct rlti_pool {
    int threads;
    int started; /* workers that really run, beside the caller */
    pthread_mutex_t mutex;
    pthread_cond_t begin; /* a new round, or the end */
    pthread_cond_t end;   /* no worker is in the round any more */
    rlti_task *task;
    void *context;
    int count, origin;
    unsigned round;
    share *shares;    /* [threads] */
    worker *workers;  /* [threads - 1] */
    rlti_runner *run; /* borrowed threads; NULL: own ones */
    void *user;
    _Alignas(RLTI_CACHE_LINE) atomic_uint open;  /* the round that workers may enter; 0: none */
    _Alignas(RLTI_CACHE_LINE) atomic_int inside; /* workers that have, or look whether they may */
    atomic_int sleeping, waiting, stop; /* workers; the caller, for the end; written under the mutex */
};

/* Rounds follow each other within microseconds, and waking a sleeping thread takes longer than that: look
 * this many times before going to sleep (some tens of microseconds). */
#define LOOKS 4000

static void breathe(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Its own items first, which it had the last time, too: what they are about is in its cache. Then what others
 * have left. */
static void take_all(rlti_pool *pool, int self) {
    int threads = pool->threads;
    for (int k = 0; k < threads; k++) {
        int home = (self + k) % threads, first = (home + threads - pool->origin) % threads;
        atomic_int *next = &pool->shares[home].next;
        while (atomic_load_explicit(next, memory_order_relaxed) < pool->count) {
            int index = first + threads * atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
            if (index >= pool->count)
                break;
            pool->task(pool->context, index, self);
        }
    }
}

/* A worker that is late, because it slept, may find the round closed: nobody waits for it then. Whoever
 * closes a round and whoever enters one first say so, and then look what the other has said. */
static unsigned join(rlti_pool *pool, int self, unsigned seen) {
    atomic_fetch_add(&pool->inside, 1);
    unsigned round = atomic_load(&pool->open);
    if (round != 0 && round != seen) {
        take_all(pool, self);
        seen = round;
    }
    if (atomic_fetch_sub(&pool->inside, 1) == 1 && atomic_load(&pool->waiting)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->end);
        pthread_mutex_unlock(&pool->mutex);
    }
    return seen;
}

static int is_new(rlti_pool *pool, unsigned seen) {
    unsigned round = atomic_load(&pool->open);
    return (round != 0 && round != seen) || atomic_load(&pool->stop);
}

static void *work(void *argument) {
    worker *self = argument;
    rlti_pool *pool = self->pool;
    unsigned seen = 0;
    for (;;) {
        int look = 0;
        for (; look < LOOKS && !is_new(pool, seen); look++)
            breathe();
        if (look == LOOKS) {
            pthread_mutex_lock(&pool->mutex);
            atomic_fetch_add(&pool->sleeping, 1);
            while (!is_new(pool, seen))
                pthread_cond_wait(&pool->begin, &pool->mutex);
            atomic_fetch_sub(&pool->sleeping, 1);
            pthread_mutex_unlock(&pool->mutex);
        }
        if (atomic_load(&pool->stop))
            return NULL;
        seen = join(pool, self->index, seen);
    }
}

/* Each job is a worker that takes what is left: so that jobs may come one after the other, too. */
static void work_once(void *context, int index) {
    take_all(context, index);
}

rlti_pool *rlti_pool_borrow(int threads, rlti_runner *run, void *user) {
    rlti_pool *pool = rlti_pool_create(1);
    if (pool == NULL || threads < 1)
        return pool;
    share *shares = RLTI_NEW(share, threads);
    if (shares == NULL) {
        rlti_pool_destroy(pool);
        return NULL;
    }
    rlti_free(pool->shares);
    pool->shares = shares;
    pool->threads = threads;
    pool->run = run;
    pool->user = user;
    return pool;
}

rlti_pool *rlti_pool_create(int threads) {
    if (threads < 1)
        return NULL;
    rlti_pool *pool = RLTI_NEW(rlti_pool, 1);
    if (pool == NULL)
        return NULL;
    pool->threads = threads;
    pool->workers = RLTI_NEW(worker, threads);
    pool->shares = RLTI_NEW(share, threads);
    if (pool->workers == NULL || pool->shares == NULL) {
        RLTI_FREE(pool->workers, pool->shares, pool);
        return NULL;
    }
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    for (int i = 0; i < threads - 1; i++) {
        pool->workers[i] = (worker){.pool = pool, .index = i + 1};
        if (pthread_create(&pool->workers[i].thread, NULL, work, &pool->workers[i]) != 0) {
            rlti_pool_destroy(pool);
            return NULL;
        }
        pool->started++;
    }
    return pool;
}

void rlti_pool_destroy(rlti_pool *pool) {
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->stop, 1);
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->begin);
    pthread_cond_destroy(&pool->end);
    pthread_mutex_destroy(&pool->mutex);
    RLTI_FREE(pool->workers, pool->shares, pool);
}

int rlti_pool_threads(const rlti_pool *pool) {
    return pool->threads;
}

/* Closes the round, and waits for the workers that are in it. */
static void close_round(rlti_pool *pool) {
    atomic_store(&pool->open, 0);
    for (int look = 0; look < LOOKS && atomic_load(&pool->inside) > 0; look++)
        breathe();
    if (atomic_load(&pool->inside) == 0)
        return;
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->waiting, 1);
    while (atomic_load(&pool->inside) > 0)
        pthread_cond_wait(&pool->end, &pool->mutex);
    atomic_store(&pool->waiting, 0);
    pthread_mutex_unlock(&pool->mutex);
}

void rlti_pool_for(rlti_pool *pool, int count, rlti_task *task, void *context) {
    rlti_pool_for_from(pool, 0, count, task, context);
}

void rlti_pool_for_from(rlti_pool *pool, int origin, int count, rlti_task *task, void *context) {
    if (pool->threads == 1 || count <= 1) {
        for (int index = 0; index < count; index++)
            task(context, index, 0);
        return;
    }
    pool->task = task;
    pool->context = context;
    pool->count = count;
    pool->origin = origin % pool->threads;
    for (int k = 0; k < pool->threads; k++)
        atomic_store_explicit(&pool->shares[k].next, 0, memory_order_relaxed);
    if (pool->run != NULL) {
        pool->run(pool->user, pool->threads < count ? pool->threads : count, work_once, pool);
        return;
    }
    pool->round = pool->round + 1 != 0 ? pool->round + 1 : 1;
    atomic_store(&pool->open, pool->round);
    if (atomic_load(&pool->sleeping) > 0) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->begin);
        pthread_mutex_unlock(&pool->mutex);
    }
    take_all(pool, 0);
    close_round(pool);
}

int rlti_core_count(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    return 1;
}
