/* Numbers from times, and what the system knows about this process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench/bench.h"

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double bench_median(const double *values, int count) {
    double sorted[BENCH_FRAMES_MAX];
    if (count < 1)
        return 0.0;
    memcpy(sorted, values, (size_t)count * sizeof(double));
    qsort(sorted, (size_t)count, sizeof(double), ascending);
    return count % 2 == 1 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

double bench_best(const double *values, int count) {
    double minimum = values[0];
    for (int i = 1; i < count; i++)
        minimum = values[i] < minimum ? values[i] : minimum;
    return minimum;
}

double bench_paired(const double *a, const double *b, int count) {
    double ratios[BENCH_FRAMES_MAX];
    for (int i = 0; i < count; i++)
        ratios[i] = a[i] / b[i];
    return bench_median(ratios, count);
}

double bench_cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_peak(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0.0;
}

/* Several workloads run in one process: each should have its own peak. Linux forgets the old one when asked
 * to; where that fails the peak is only too high. */
void bench_peak_restart(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file == NULL)
        return;
    fputs("5", file);
    fclose(file);
}
