#include "files/transform_times.h"

#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/messages.h"

enum {
    SPLITS_MAX = 12,     /* halvings between two keys: ten turns need them */
    SAMPLES_MAX = 400000 /* of one transform */
};

#define SAME     1e-3  /* of the minimum distance: a key this near to an end is the end */
#define ROUNDING 1e-12 /* of a place that stays where it is */

/* Where blends are compared besides the middle: not in even parts, which a whole number of turns would pass.
 */
static const double probes[] = {0.21132486540518713, 0.78867513459481287};
enum { PROBE_COUNT = sizeof probes / sizeof probes[0] };

typedef struct search {
    const rlti_stage *stage;
    const rlti_prim *prim;
    rlt_messages *messages;
    double extent, minimum;
    rlti_transform_times *times;
} search;

static rlt_status matrix_at(const search *s, double time, double matrix[16]) {
    int resets;
    return s->stage->reader->transform(s->stage, s->prim, time, s->messages, matrix, &resets);
}

static rlt_status push(const search *s, double time) {
    rlti_transform_times *to = s->times;
    if (!RLTI_LIST_RESERVE(to->list, to->count, 1, to->capacity))
        return rlti_out_of_memory(s->messages);
    to->list[to->count++] = time;
    return RLT_OK;
}

static double length3(const double *v) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* 1 where the blend of two matrices is near enough to the one that should be there. */
static int is_near(const search *s, const double a[16], const double b[16], double share,
                   const double wanted[16]) {
    double difference[16], size = 0.0;
    for (int i = 0; i < 16; i++)
        difference[i] = (1.0 - share) * a[i] + share * b[i] - wanted[i];
    for (size_t row = 0; row < 12; row += 4)
        size = fmax(size, fmax(length3(wanted + row), fmax(length3(a + row), length3(b + row))));
    for (size_t row = 0; row < 12; row += 4)
        if (length3(difference + row) > RLTI_TRANSFORM_ERROR * size)
            return 0;
    return length3(difference + 12) <= RLTI_TRANSFORM_ERROR * s->extent + ROUNDING * length3(wanted + 12);
}

/* Adds the times between two, whose matrices these are. */
static rlt_status split(const search *s, double from, const double a[16], double to, const double b[16],
                        int depth) {
    double middle[16], here[16], time = from + 0.5 * (to - from);
    rlt_status status = matrix_at(s, time, middle);
    int fits = status == RLT_OK && is_near(s, a, b, 0.5, middle);
    for (int i = 0; i < PROBE_COUNT && fits && status == RLT_OK; i++) {
        status = matrix_at(s, from + probes[i] * (to - from), here);
        fits = status == RLT_OK && is_near(s, a, b, probes[i], here);
    }
    if (status != RLT_OK || fits || to - from < 2.0 * s->minimum || !(time > from && time < to))
        return status;
    if (depth == SPLITS_MAX || s->times->count >= SAMPLES_MAX) {
        s->times->is_coarse = 1;
        return RLT_OK;
    }
    status = split(s, from, a, time, middle, depth + 1);
    if (status == RLT_OK)
        status = push(s, time);
    return status == RLT_OK ? split(s, time, middle, to, b, depth + 1) : status;
}

rlt_status rlti_transform_times_add(const rlti_stage *stage, const rlti_prim *prim, double from, double to,
                                    double extent, double minimum, rlt_messages *messages,
                                    rlti_transform_times *times) {
    search s = {stage, prim, messages, extent, minimum, times};
    double a[16], b[16], start = from;
    rlt_status status = matrix_at(&s, from, a);
    if (status == RLT_OK)
        status = push(&s, from);
    for (int i = 0; i <= prim->transform_time_count && status == RLT_OK && start < to; i++) {
        double end = i < prim->transform_time_count ? prim->transform_times[i] : to;
        if (end <= start || end - from < SAME * minimum)
            continue;
        end = to - end < SAME * minimum ? to : end;
        status = matrix_at(&s, end, b);
        if (status == RLT_OK)
            status = split(&s, start, a, end, b, 0);
        if (status == RLT_OK)
            status = push(&s, end);
        memcpy(a, b, sizeof a);
        start = end;
    }
    return status;
}

rlt_status rlti_transform_extent(const rlti_stage *stage, const rlti_prim *prim, rlt_messages *messages,
                                 double *extent) {
    search s = {.stage = stage, .prim = prim, .messages = messages};
    double first[16] = {0}, here[16];
    const double *times = prim->transform_times;
    rlt_status status = RLT_OK;
    *extent = 0.0;
    for (int i = 0; i < prim->transform_time_count && status == RLT_OK; i++) {
        int ends = i + 1 == prim->transform_time_count;
        for (int k = -1; k < (ends ? 0 : PROBE_COUNT) && status == RLT_OK; k++) {
            double time = k < 0 ? times[i] : times[i] + probes[k] * (times[i + 1] - times[i]);
            status = matrix_at(&s, time, here);
            if (i == 0 && k < 0)
                memcpy(first, here, sizeof first);
            for (int c = 12; c < 15; c++)
                here[c] -= first[c];
            *extent = fmax(*extent, length3(here + 12));
        }
    }
    return status;
}
