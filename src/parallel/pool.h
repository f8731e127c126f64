/* The only place with threads: a fixed set of workers and one verb, `for each index do`.
 *
 * Which worker does which index is not fixed, so a task may write only to what belongs to its index (or to
 * its worker's own scratch memory). Results then cannot depend on the number of threads. Nothing is allocated
 * per call. */
#ifndef RLTI_PARALLEL_POOL_H
#define RLTI_PARALLEL_POOL_H

typedef struct rlti_pool rlti_pool;

/* `index` is in [0, count), `worker` in [0, threads). */
typedef void rlti_task(void *context, int index, int worker);

/* threads >= 1; the calling thread is one of them. NULL when threads cannot be started. */
rlti_pool *rlti_pool_create(int threads);
/* The same with somebody else's threads: run(user, n, job, context) calls job(context, i) for every i below
 * n, on any threads. */
typedef void rlti_job(void *context, int index);
typedef void rlti_runner(void *user, int count, rlti_job *job, void *context);
rlti_pool *rlti_pool_borrow(int threads, rlti_runner *run, void *user);
void rlti_pool_destroy(rlti_pool *pool);
int rlti_pool_threads(const rlti_pool *pool);

/* Runs task(context, i, worker) for every i and returns when all are done. Not reentrant. */
void rlti_pool_for(rlti_pool *pool, int count, rlti_task *task, void *context);

/* The same for a part of a longer list that begins at `origin` of it: an item of that goes to the same
 * worker first, whichever part it is in, so that what it is about stays in that one's cache. Workers that
 * have done their own take those of others. */
void rlti_pool_for_from(rlti_pool *pool, int origin, int count, rlti_task *task, void *context);

/* Cores this process may use. */
int rlti_core_count(void);

#endif
