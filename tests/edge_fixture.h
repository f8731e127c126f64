/* Hair for tests of contacts of edges. */
#ifndef TESTS_EDGE_FIXTURE_H
#define TESTS_EDGE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "contact/edge/contacts_data.h"

enum { MOST_STRANDS = 60, MOST_POINTS = 1200 };

typedef struct hair {
    rlti_edge_strands strands;
    int first[MOST_STRANDS + 1];
    rlti_vec3 rest[MOST_POINTS], start[MOST_POINTS], end[MOST_POINTS];
    double radius[MOST_POINTS], friction[MOST_STRANDS][2];
    rlti_edge_contacts *contacts;
    rlti_pool *pool;
} hair;

static inline hair *make_hair(int strands, int points, double radius, double offset) {
    hair *h = calloc(1, sizeof *h);
    assert_non_null(h);
    assert_true(strands <= MOST_STRANDS && strands * points <= MOST_POINTS);
    h->pool = rlti_pool_create(1);
    for (int s = 0; s < strands; s++) {
        h->first[s + 1] = h->first[s] + points;
        h->friction[s][0] = 0.4 + 0.01 * s;
        h->friction[s][1] = 0.3;
    }
    for (int p = 0; p < strands * points; p++)
        h->radius[p] = radius;
    h->strands = (rlti_edge_strands){.strand_count = strands,
                                     .first = h->first,
                                     .rest = h->rest,
                                     .radius = h->radius,
                                     .friction = (const double(*)[2])h->friction,
                                     .offset = offset,
                                     .self = 1};
    return h;
}

static inline const rlti_edge_contact *find(hair *h, const rlti_edge_mesh *const *bodies, int body_count,
                                            int *count) {
    if (h->contacts == NULL)
        h->contacts = rlti_edge_contacts_create(&h->strands);
    assert_non_null(h->contacts);
    rlti_edge_contacts_begin(h->contacts);
    assert_true(rlti_edge_contacts_find(h->contacts, h->pool, h->start, h->end, bodies, body_count));
    return rlti_edge_contacts_list(h->contacts, count);
}

static inline void free_hair(hair *h) {
    rlti_edge_contacts_destroy(h->contacts);
    rlti_pool_destroy(h->pool);
    free(h);
}

static inline rlti_vec3 random_vector(uint64_t seed, int id, double size) {
    return rlti_v3(size * rlti_random_signed(seed, (uint64_t)id, 1),
                   size * rlti_random_signed(seed, (uint64_t)id, 2),
                   size * rlti_random_signed(seed, (uint64_t)id, 3));
}

/* Random walks from a box of 4 units, moved by `speed` each for itself and by a push in common. */
static inline void make_soup(hair *h, uint64_t seed, double speed) {
    int points = h->first[1];
    for (int s = 0; s < h->strands.strand_count; s++)
        for (int i = 0; i < points; i++) {
            int p = h->first[s] + i;
            rlti_vec3 step = random_vector(seed, p, 1.0);
            h->rest[p] = i == 0 ? rlti_scale(2.0, step) : rlti_add(h->rest[p - 1], step);
            h->start[p] = rlti_add(h->rest[p], random_vector(seed + 1, p, 0.1));
            h->end[p] =
                rlti_add(rlti_add(h->start[p], rlti_v3(30, -20, 10)), random_vector(seed + 2, p, speed));
        }
}

#endif
