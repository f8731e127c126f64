/* Seconds of one of the system's clocks. Only for reports: no result may depend on it. */
#ifndef RLTI_BASE_CLOCK_H
#define RLTI_BASE_CLOCK_H

#include <time.h>

static inline double rlti_seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
