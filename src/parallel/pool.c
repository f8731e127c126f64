#define _GNU_SOURCE /* sched_getaffinity */
#include "parallel/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/memory.h"

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
    pthread_cond_t end;   /* all workers have left the round */
    atomic_uint round;    /* written under the mutex, read without it while spinning */
    atomic_int busy;
    int stop;
    rlti_task *task;
    void *context;
    int count;
    atomic_int next;  /* next index to hand out */
    worker *workers;  /* [threads - 1] */
    rlti_runner *run; /* borrowed threads; NULL: own ones */
    void *user;
};

/* Rounds follow each other within microseconds, and waking a sleeping thread takes longer than that: look
 * this many times before going to sleep (some tens of microseconds). */
#define LOOKS 4000

static void breathe(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void take_all(rlti_pool *pool, int self) {
    for (;;) {
        int index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= pool->count)
            return;
        pool->task(pool->context, index, self);
    }
}

static void *work(void *argument) {
    worker *self = argument;
    rlti_pool *pool = self->pool;
    unsigned seen = 0;
    for (;;) {
        for (int look = 0; look < LOOKS && atomic_load(&pool->round) == seen; look++)
            breathe();
        pthread_mutex_lock(&pool->mutex);
        while (atomic_load(&pool->round) == seen && !pool->stop)
            pthread_cond_wait(&pool->begin, &pool->mutex);
        seen = atomic_load(&pool->round);
        int stop = pool->stop;
        pthread_mutex_unlock(&pool->mutex);
        if (stop)
            return NULL;
        take_all(pool, self->index);
        pthread_mutex_lock(&pool->mutex);
        if (atomic_fetch_sub(&pool->busy, 1) == 1)
            pthread_cond_signal(&pool->end);
        pthread_mutex_unlock(&pool->mutex);
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
    if (pool->workers == NULL) {
        rlti_free(pool);
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
    pool->stop = 1;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->begin);
    pthread_cond_destroy(&pool->end);
    pthread_mutex_destroy(&pool->mutex);
    RLTI_FREE(pool->workers, pool);
}

int rlti_pool_threads(const rlti_pool *pool) {
    return pool->threads;
}

void rlti_pool_for(rlti_pool *pool, int count, rlti_task *task, void *context) {
    pool->task = task;
    pool->context = context;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    if (pool->run != NULL && count > 1) {
        pool->run(pool->user, pool->threads < count ? pool->threads : count, work_once, pool);
        return;
    }
    if (pool->started == 0 || count <= 1) {
        take_all(pool, 0);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->busy, pool->started);
    atomic_fetch_add(&pool->round, 1);
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->mutex);

    take_all(pool, 0);

    for (int look = 0; look < LOOKS && atomic_load(&pool->busy) > 0; look++)
        breathe();
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load(&pool->busy) > 0)
        pthread_cond_wait(&pool->end, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

int rlti_core_count(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    return 1;
}
