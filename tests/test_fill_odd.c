/* Guides as they come: of differing lengths and counts, alone in their region, without width. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ringlet/ringlet.h"

enum { GUIDES = 6, MOST = 400 };

/* Straight guides along x, 10 units long, down from y = 0. */
typedef struct guides {
    int first[GUIDES + 1], hair[GUIDES];
    double points[MOST][3], widths[MOST];
    rlt_frame_view view;
} guides;

static void make(guides *g, const int *counts, double width) {
    int at = 0;
    memset(g, 0, sizeof *g);
    for (int s = 0; s < GUIDES; s++) {
        g->first[s] = at;
        for (int i = 0; i < counts[s]; i++, at++) {
            g->points[at][0] = s;
            g->points[at][1] = -10.0 * i / (counts[s] - 1);
            g->widths[at] = width;
        }
    }
    g->first[GUIDES] = at;
    g->view = (rlt_frame_view){.size = sizeof(rlt_frame_view),
                               .strand_count = GUIDES,
                               .point_count = at,
                               .first = g->first,
                               .points = &g->points[0][0],
                               .velocities = &g->points[0][0],
                               .rest = &g->points[0][0],
                               .widths = g->widths,
                               .hair = g->hair};
}

typedef struct hairs {
    rlt_fill *fill;
    int points, count;
    float *at, *widths;
    int *counts;
} hairs;

/* All hairs, each of whose points and widths is a number. */
static hairs fill(const guides *g, const rlt_fill_def *def) {
    hairs h = {0};
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlt_fill_create(&g->view, def, messages, &h.fill), RLT_OK);
    h.points = rlt_fill_points(h.fill);
    h.count = (int)rlt_fill_hairs(h.fill);
    size_t all = (size_t)h.points * (size_t)h.count;
    h.at = calloc(3 * all, sizeof(float));
    h.widths = calloc(all, sizeof(float));
    h.counts = calloc((size_t)h.count, sizeof(int));
    rlt_fill_block(h.fill, 0, h.count, h.at, h.widths, h.counts);
    for (size_t i = 0; i < 3 * all; i++)
        assert_true(isfinite(h.at[i]) && isfinite(h.widths[i / 3]));
    for (int i = 0; i < h.count; i++)
        assert_true(h.counts[i] >= 2 && h.counts[i] <= h.points);
    rlt_messages_destroy(messages);
    return h;
}

static void done(hairs *h) {
    rlt_fill_destroy(h->fill);
    free(h->at);
    free(h->widths);
    free(h->counts);
}

static const rlt_fill_blend blends[] = {RLT_FILL_CURLS, RLT_FILL_POINTS, RLT_FILL_WISPS, RLT_FILL_LOCKS};

/* From 2 to 200 points, all straight lines: hairs between them are straight lines of the same length. */
static void guides_of_differing_point_counts(void **state) {
    (void)state;
    static const int counts[GUIDES] = {2, 200, 3, 57, 2, 11};
    guides g;
    make(&g, counts, 0.1);
    for (int b = 0; b < 4; b++) {
        rlt_fill_def def = rlt_fill_defaults();
        def.blend = blends[b];
        def.noise = def.length_variation = def.clump = def.clump_large = 0.0;
        def.frizz = def.strays = 0.0;
        hairs h = fill(&g, &def);
        assert_int_equal(h.points, 200);
        for (int i = 0; i < h.count; i++)
            for (int p = 0; p < h.counts[i]; p++) {
                const float *at = h.at + 3 * (i * h.points + p), *root = h.at + 3 * i * h.points;
                double down = -10.0 * p / (h.points - 1);
                assert_true(fabs((double)at[1] - (double)root[1] - down) < 1e-3);
                if (def.blend != RLT_FILL_WISPS) /* which narrow towards the tip */
                    assert_true(fabsf(at[0] - root[0]) < 1e-3f && fabsf(at[2] - root[2]) < 1e-3f);
            }
        done(&h);
        def.points = 2; /* fewer than any guide of three has */
        h = fill(&g, &def);
        assert_int_equal(h.points, 2);
        done(&h);
    }
}

/* A region with one guide, and no other near it: its hairs follow that one, however many are asked for. */
static void no_guides_near_a_region(void **state) {
    (void)state;
    static const int counts[GUIDES] = {20, 20, 20, 20, 20, 20};
    guides g;
    make(&g, counts, 0.1);
    for (int i = 0; i < counts[5]; i++) { /* the last one grows sideways, far away, by itself */
        double *p = g.points[g.first[5] + i];
        p[0] = 1000.0;
        p[2] = p[1];
        p[1] = 0.0;
    }
    g.hair[5] = 1;
    for (int b = 0; b < 4; b++) {
        rlt_fill_def def = rlt_fill_defaults();
        def.blend = blends[b];
        def.hairs = 600;
        def.noise = 0.0;
        hairs h = fill(&g, &def);
        for (int i = 5; i < h.count; i += GUIDES)
            for (int p = 0; p < h.counts[i]; p++) {
                const float *at = h.at + 3 * (i * h.points + p);
                double down = -10.0 * p / (h.points - 1);
                assert_int_equal(rlt_fill_guide(h.fill, i), 5);
                assert_true(fabs((double)at[2] - down) < 1.5 && fabsf(at[0] - 1000.0f) < 1.5f);
            }
        for (int i = 0; i < h.count; i++) /* nor do the others grow over all the room between */
            if (rlt_fill_guide(h.fill, i) != 5)
                assert_true(fabsf(h.at[3 * i * h.points]) < 7.0f);
        done(&h);
    }
}

/* Fewer hairs than guides; a single guide of two points. */
static void few(void **state) {
    (void)state;
    static const int counts[GUIDES] = {2, 2, 2, 2, 2, 2};
    guides g;
    make(&g, counts, 0.1);
    rlt_fill_def def = rlt_fill_defaults();
    def.hairs = 3;
    hairs h = fill(&g, &def);
    assert_int_equal(h.count, 3);
    done(&h);
    g.view.strand_count = 1;
    g.view.point_count = 2;
    def.hairs = 100;
    h = fill(&g, &def);
    assert_int_equal(h.count, 100);
    done(&h);
}

static void zero_width(void **state) {
    (void)state;
    static const int counts[GUIDES] = {9, 9, 9, 9, 9, 9};
    guides g;
    make(&g, counts, 0.0);
    rlt_fill_def def = rlt_fill_defaults();
    hairs h = fill(&g, &def);
    for (int i = 0; i < h.count; i++)
        for (int p = 0; p < h.counts[i]; p++)
            assert_true(h.widths[i * h.points + p] == 0.0f);
    done(&h);
    rlt_fill *none = NULL;
    rlt_messages *messages = rlt_messages_create();
    def.width = 0.0;
    assert_int_equal(rlt_fill_create(&g.view, &def, messages, &none), RLT_BAD_INPUT);
    assert_null(none);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "width must be"));
    rlt_messages_destroy(messages);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(guides_of_differing_point_counts),
                                       cmocka_unit_test(no_guides_near_a_region), cmocka_unit_test(few),
                                       cmocka_unit_test(zero_width)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
