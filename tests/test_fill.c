/* Render hairs between guides (ringlet/fill.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ringlet/ringlet.h"

enum { GUIDES = 9, POINTS = 81 };

static const double pi = 3.14159265358979323846;

/* Helices hanging in a row along x, 2 units apart: radius 1, 6 turns over 24 units, each with its own phase.
 */
typedef struct row_of_guides {
    int first[GUIDES + 1];
    double points[GUIDES * POINTS * 3], widths[GUIDES * POINTS];
    int hair[GUIDES];
    rlt_frame_view view;
} row_of_guides;

static row_of_guides *make_row(double phase_step, double radius) {
    row_of_guides *row = calloc(1, sizeof *row);
    for (int g = 0; g < GUIDES; g++) {
        row->first[g] = g * POINTS;
        for (int i = 0; i < POINTS; i++) {
            double s = (double)i / (POINTS - 1), angle = 2.0 * pi * 6.0 * s + phase_step * g;
            double *p = row->points + 3 * (g * POINTS + i);
            double in = s < 0.1 ? s / 0.1 : 1.0; /* curls fade in from the root */
            p[0] = 2.0 * g + in * radius * cos(angle);
            p[1] = -24.0 * s;
            p[2] = in * radius * sin(angle);
            row->widths[g * POINTS + i] = 0.1;
        }
    }
    row->first[GUIDES] = GUIDES * POINTS;
    row->view = (rlt_frame_view){.size = sizeof(rlt_frame_view),
                                 .strand_count = GUIDES,
                                 .point_count = GUIDES * POINTS,
                                 .first = row->first,
                                 .points = row->points,
                                 .velocities = row->points,
                                 .rest = row->points,
                                 .widths = row->widths,
                                 .hair = row->hair};
    return row;
}

typedef struct block {
    int points;
    long long hairs;
    float *at, *widths;
    int *counts;
} block;

static block make_hairs(const rlt_frame_view *view, const rlt_fill_def *def) {
    rlt_messages *messages = rlt_messages_create();
    rlt_fill *fill = NULL;
    assert_int_equal(rlt_fill_create(view, def, messages, &fill), RLT_OK);
    block b = {.points = rlt_fill_points(fill), .hairs = rlt_fill_hairs(fill)};
    b.at = calloc((size_t)b.hairs * (size_t)b.points, 3 * sizeof(float));
    b.widths = calloc((size_t)b.hairs * (size_t)b.points, sizeof(float));
    b.counts = calloc((size_t)b.hairs, sizeof(int));
    rlt_fill_block(fill, 0, (int)b.hairs, b.at, b.widths, b.counts);
    rlt_fill_destroy(fill);
    rlt_messages_destroy(messages);
    return b;
}

static void free_block(block *b) {
    free(b->at);
    free(b->widths);
    free(b->counts);
}

/* The smooth kind of hair these tests look at: no noise, full length. */
static rlt_fill_def plain(rlt_fill_blend blend) {
    rlt_fill_def def = rlt_fill_defaults();
    def.blend = blend;
    def.hairs_per_guide = 20;
    def.clump = def.clump_large = def.clump_small = def.phase = def.length_variation = def.noise = 0.0;
    def.frizz = def.strays = def.hairline = 0.0;
    return def;
}

/* Distance of a point from the polyline of a guide. */
static double distance_to_guide(const row_of_guides *row, int g, const float *at) {
    double least = HUGE_VAL;
    for (int i = 0; i + 1 < POINTS; i++) {
        const double *p = row->points + 3 * (g * POINTS + i), *q = p + 3;
        double along = 0.0, length = 0.0, square = 0.0;
        for (int k = 0; k < 3; k++) {
            along += ((double)at[k] - p[k]) * (q[k] - p[k]);
            length += (q[k] - p[k]) * (q[k] - p[k]);
        }
        double t = fmin(fmax(along / length, 0.0), 1.0);
        for (int k = 0; k < 3; k++)
            square += pow((double)at[k] - p[k] - t * (q[k] - p[k]), 2);
        least = fmin(least, sqrt(square));
    }
    return least;
}

static void the_first_hair_of_each_guide_is_the_guide(void **state) {
    (void)state;
    row_of_guides *row = make_row(0.7, 1.0);
    for (int blend = RLT_FILL_CURLS; blend <= RLT_FILL_LOCKS; blend++) {
        rlt_fill_def def = rlt_fill_defaults();
        def.blend = (rlt_fill_blend)blend;
        def.neighbours = 1;
        block b = make_hairs(&row->view, &def);
        for (int g = 0; g < GUIDES; g++) {
            assert_int_equal(b.counts[g], POINTS);
            for (int i = 0; i < POINTS; i++)
                assert_true(distance_to_guide(row, g, b.at + 3 * (POINTS * g + i)) < 0.04);
            const float *tip = b.at + 3 * (POINTS * g + POINTS - 1);
            for (int k = 0; k < 3; k++)
                assert_true(fabs((double)tip[k] - row->points[3 * (POINTS * g + POINTS - 1) + k]) < 1e-4);
        }
        free_block(&b);
    }
    free(row);
}

/* Fewer guides than hair is full with carry as many hairs and wisps more, and reach the skin between them. */
static void few_guides_stay_full(void **state) {
    (void)state;
    row_of_guides *row = make_row(0.7, 1.0);
    rlt_fill_def def = plain(RLT_FILL_WISPS);
    def.wisp_radius = 0.1;
    block sparse = make_hairs(&row->view, &def);
    def.full = 4 * GUIDES;
    rlt_fill_def fit = def;
    assert_int_equal(rlt_fill_fit(&fit, GUIDES), RLT_OK);
    assert_int_equal(fit.blend, RLT_FILL_LOCKS);
    assert_int_equal(fit.locks, 4);
    assert_true(fabs(fit.hairs_per_guide - 80.0) < 1e-12 && fabs(fit.lock_radius - 0.1) < 1e-12);
    block full = make_hairs(&row->view, &def);
    assert_int_equal(full.hairs, 4 * sparse.hairs);
    double most[2] = {0.0, 0.0};
    const block *both[2] = {&sparse, &full};
    for (int k = 0; k < 2; k++)
        for (long long h = 0; h < both[k]->hairs; h++) { /* at the root */
            const float *at = both[k]->at + 3 * (size_t)h * (size_t)both[k]->points;
            double least = HUGE_VAL;
            for (int g = 0; g < GUIDES; g++)
                least = fmin(least, distance_to_guide(row, g, at));
            most[k] = fmax(most[k], least);
        }
    assert_true(most[0] < 0.11 && most[1] > 3.0 * most[0]);
    free_block(&sparse);
    free_block(&full);
    /* as many guides as that, or more: nothing changes */
    def.full = GUIDES;
    fit = def;
    assert_int_equal(rlt_fill_fit(&fit, GUIDES), RLT_OK);
    assert_int_equal(fit.blend, RLT_FILL_WISPS);
    assert_true(fabs(fit.hairs_per_guide - def.hairs_per_guide) < 1e-12);
    def.full = -1;
    rlt_fill *none = NULL;
    assert_int_equal(rlt_fill_create(&row->view, &def, NULL, &none), RLT_BAD_INPUT);
    free(row);
}

/* Mean distance of the points from the straight axis that a hair hangs along (half way to the tip and on). */
static double curl_radius(const block *b, long long h) {
    double x = 0.0, z = 0.0, sum = 0.0;
    int from = b->points / 4, to = b->points * 3 / 4;
    const float *at = b->at + 3 * (size_t)h * (size_t)b->points;
    for (int i = from; i < to; i++) {
        x += (double)at[3 * i] / (to - from);
        z += (double)at[3 * i + 2] / (to - from);
    }
    for (int i = from; i < to; i++)
        sum += hypot((double)at[3 * i] - x, (double)at[3 * i + 2] - z) / (to - from);
    return sum;
}

static double least_radius(rlt_fill_blend blend) {
    row_of_guides *row = make_row(pi, 1.0); /* neighbours have opposite phases */
    rlt_fill_def def = plain(blend);
    block b = make_hairs(&row->view, &def);
    double least = HUGE_VAL;
    for (long long h = 0; h < b.hairs; h++)
        least = fmin(least, curl_radius(&b, h));
    free_block(&b);
    free(row);
    return least;
}

static void curls_of_opposite_phase_stay_curls(void **state) {
    (void)state;
    assert_true(least_radius(RLT_FILL_CURLS) > 0.85);
    assert_true(least_radius(RLT_FILL_POINTS) < 0.3); /* what the other way does to them */
}

static void blended_curls_have_no_kinks(void **state) {
    (void)state;
    row_of_guides *row = make_row(2.1, 1.0);
    rlt_fill_def def = plain(RLT_FILL_CURLS);
    block b = make_hairs(&row->view, &def);
    double sharpest = 1.0, guide_sharpest = 1.0;
    for (long long h = 0; h < b.hairs; h++) {
        const float *at = b.at + 3 * (size_t)h * (size_t)b.points;
        for (int i = 1; i + 1 < b.points; i++) {
            double dot = 0.0, one = 0.0, two = 0.0;
            for (int k = 0; k < 3; k++) {
                double u = (double)at[3 * i + k] - (double)at[3 * i - 3 + k];
                double v = (double)at[3 * i + 3 + k] - (double)at[3 * i + k];
                dot += u * v;
                one += u * u;
                two += v * v;
            }
            double *to = h < GUIDES ? &guide_sharpest : &sharpest;
            *to = fmin(*to, dot / sqrt(one * two));
        }
    }
    assert_true(sharpest > guide_sharpest - 0.1);
    free_block(&b);
    free(row);
}

/* The right half of the guides is combed the other way: no hair may lie between. */
static void partings_are_not_blended_across(void **state) {
    (void)state;
    row_of_guides *row = make_row(0.0, 0.0);
    for (int g = 0; g < GUIDES; g++)
        for (int i = 0; i < POINTS; i++) {
            double s = (double)i / (POINTS - 1), *p = row->points + 3 * (g * POINTS + i);
            p[0] = 2.0 * g + (g < 4 ? -20.0 : 20.0) * s;
            p[1] = -8.0 * s;
            p[2] = 0.0;
        }
    rlt_fill_def def = plain(RLT_FILL_LOCKS);
    block b = make_hairs(&row->view, &def);
    for (long long h = 0; h < b.hairs; h++) {
        const float *at = b.at + 3 * (size_t)h * (size_t)b.points;
        double way = (double)at[3 * (b.points - 1)] - (double)at[0];
        assert_true(fabs(way) > 19.0);
        assert_int_equal(way > 0.0, h % GUIDES >= 4);
    }
    free_block(&b);

    /* the same by groups, where the directions would blend */
    def.parting = 180.0;
    for (int g = 0; g < GUIDES; g++)
        row->hair[g] = g >= 4;
    b = make_hairs(&row->view, &def);
    for (long long h = 0; h < b.hairs; h++) {
        const float *at = b.at + 3 * (size_t)h * (size_t)b.points;
        assert_true(fabs((double)at[3 * (b.points - 1)] - (double)at[0]) > 19.0);
    }
    free_block(&b);
    free(row);
}

/* Long hair that parts and then hangs down: its middles lie in like directions, its beginnings do not. A
 * blend would hang in between, through the head. */
static void long_hair_is_not_blended_across_its_parting(void **state) {
    (void)state;
    row_of_guides *row = make_row(0.0, 0.0);
    for (int g = 0; g < GUIDES; g++)
        for (int i = 0; i < POINTS; i++) {
            double s = (double)i / (POINTS - 1), *p = row->points + 3 * (g * POINTS + i);
            double side = s < 0.2 ? s / 0.2 : 1.0, down = s < 0.2 ? 0.0 : s - 0.2;
            p[0] = 0.5 * g + (g < 4 ? -10.0 : 10.0) * side;
            p[1] = -40.0 * down;
            p[2] = 0.0;
        }
    rlt_fill_def def = plain(RLT_FILL_LOCKS);
    block b = make_hairs(&row->view, &def);
    for (long long h = 0; h < b.hairs; h++) {
        const float *at = b.at + 3 * (size_t)h * (size_t)b.points;
        assert_true(fabs((double)at[3 * (b.points - 1)] - (double)at[0]) > 9.0);
    }
    free_block(&b);
    free(row);
}

static void clumps_close_towards_the_tip(void **state) {
    (void)state;
    row_of_guides *row = make_row(0.3, 0.5);
    double tip[2] = {0.0, 0.0}, root[2] = {0.0, 0.0};
    for (int clumped = 0; clumped < 2; clumped++) {
        rlt_fill_def def = plain(RLT_FILL_CURLS);
        def.neighbours = 1;
        def.spread = 0.4; /* so that the guide a hair grew around is the nearest */
        def.clump = clumped ? 1.0 : 0.0;
        block b = make_hairs(&row->view, &def);
        for (long long h = GUIDES; h < b.hairs; h++) {
            size_t g = (size_t)(h % GUIDES), last = 3 * (size_t)(b.points - 1);
            const float *at = b.at + 3 * (size_t)h * (size_t)b.points,
                        *guide = b.at + 3 * g * (size_t)b.points;
            tip[clumped] += hypot((double)(at[last] - guide[last]), (double)(at[last + 2] - guide[last + 2]));
            root[clumped] += hypot((double)(at[0] - guide[0]), (double)(at[2] - guide[2]));
        }
        free_block(&b);
    }
    assert_true(tip[1] <
                0.2 * tip[0]); /* a hair may be nearer to another guide than the one it grew around */
    assert_true(fabs(root[1] - root[0]) < 1e-3 * root[0]);
    free(row);
}

static void blocks_and_repetition_change_nothing(void **state) {
    (void)state;
    row_of_guides *row = make_row(1.3, 0.8);
    rlt_messages *messages = rlt_messages_create();
    rlt_fill_def def = rlt_fill_defaults();
    def.hairs = 257;
    def.points = 64;
    rlt_fill *fill = NULL;
    assert_int_equal(rlt_fill_create(&row->view, &def, messages, &fill), RLT_OK);
    assert_int_equal(rlt_fill_hairs(fill), 257);
    assert_int_equal(rlt_fill_points(fill), 64);
    size_t size = 257 * 64;
    float *whole = calloc(size, 3 * sizeof(float)), *parts = calloc(size, 3 * sizeof(float));
    float *widths = calloc(size, sizeof(float));
    int counts[257], again[257];
    rlt_fill_block(fill, 0, 257, whole, widths, counts);
    assert_int_equal(rlt_fill_frame(fill, &row->view, messages), RLT_OK);
    for (int h = 0; h < 257; h += 10)
        rlt_fill_block(fill, h, h + 10 < 257 ? 10 : 257 - h, parts + 3 * 64 * h, widths + 64 * h, again + h);
    assert_memory_equal(whole, parts, size * 3 * sizeof(float));
    assert_memory_equal(counts, again, sizeof counts);
    int shorter = 0;
    for (int h = 0; h < 257; h++) {
        shorter += counts[h] < 64;
        assert_true(counts[h] >= 2 && counts[h] <= 64);
        assert_true(widths[64 * h] > widths[64 * h + counts[h] - 1]); /* they taper */
        assert_true(rlt_fill_guide(fill, h) == h % GUIDES);
    }
    assert_true(shorter > 100); /* and differ in length */
    free(whole);
    free(parts);
    free(widths);
    rlt_fill_destroy(fill);
    rlt_messages_destroy(messages);
    free(row);
}

/* On the redhead's head: every root on the skin, and it stays there when the head moves. */
static void roots_ride_on_the_skin(void **state) {
    (void)state;
    const char *overrides[] = {
        "hair.count=40",      "hair.total_points=800",    "time.preroll=0",         "time.last=4",
        "time.outer_steps=4", "hair.contact.enabled=off", "health.check_steps=off", "motion.kind=spin"};
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *scene = NULL;
    rlt_simulation *sim = NULL;
    rlt_fill *fill = NULL;
    rlt_frame_view view = {.size = sizeof view};
    rlt_simulation_def run = rlt_simulation_defaults();
    rlt_fill_def def = rlt_fill_defaults();
    def.hairs = 400;
    assert_int_equal(rlt_scene_load_embedded("redhead", overrides, 8, messages, &scene), RLT_OK);
    assert_int_equal(rlt_simulation_create(scene, &run, messages, &sim), RLT_OK);
    rlt_simulation_view(sim, &view);
    assert_int_equal(rlt_fill_create(&view, &def, messages, &fill), RLT_OK);
    int n = rlt_fill_points(fill);
    float *points = calloc((size_t)(400 * n), 3 * sizeof(float)),
          *widths = calloc((size_t)(400 * n), sizeof(float));
    int counts[400];
    double first[400];
    for (int frame = 0; frame < 2; frame++) {
        rlt_fill_block(fill, 0, 400, points, widths, counts);
        for (int h = 0; h < 400; h++) {
            /* distance to the nearest vertex is that of the same skin in both frames */
            const float *p = points + 3 * (size_t)(h * n);
            double least = HUGE_VAL;
            for (int v = 0; v < view.vertex_count; v++) {
                double square = 0.0;
                for (int k = 0; k < 3; k++) {
                    double d = view.vertices[3 * v + k] - (double)p[k];
                    square += d * d;
                }
                least = fmin(least, sqrt(square));
            }
            assert_true(least < 1.5);
            if (frame > 0)
                assert_true(fabs(least - first[h]) < 0.02);
            first[h] = least;
            for (int i = 0; i < 3 * counts[h]; i++)
                assert_true(isfinite(p[i]));
        }
        assert_int_equal(rlt_simulation_advance(sim, messages), RLT_OK);
        rlt_simulation_view(sim, &view);
        assert_int_equal(rlt_fill_frame(fill, &view, messages), RLT_OK);
    }
    free(points);
    free(widths);
    rlt_fill_destroy(fill);
    rlt_simulation_destroy(sim);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
}

static void bad_input_is_told(void **state) {
    (void)state;
    row_of_guides *row = make_row(0.0, 1.0);
    rlt_messages *messages = rlt_messages_create();
    rlt_fill *fill = NULL;
    rlt_fill_def def = rlt_fill_defaults();
    rlt_frame_view view = row->view;
    view.strand_count = 0;
    assert_int_equal(rlt_fill_create(&view, &def, messages, &fill), RLT_BAD_INPUT);
    assert_null(fill);
    view = row->view;
    int first[2] = {0, 1};
    view.first = first;
    view.strand_count = view.point_count = 1;
    assert_int_equal(rlt_fill_create(&view, &def, messages, &fill), RLT_BAD_INPUT);
    def.neighbours = 0;
    assert_int_equal(rlt_fill_create(&row->view, &def, messages, &fill), RLT_BAD_INPUT);
    def = rlt_fill_defaults();
    def.width = (double)NAN;
    assert_int_equal(rlt_fill_create(&row->view, &def, messages, &fill), RLT_BAD_INPUT);
    def = rlt_fill_defaults();
    assert_int_equal(rlt_fill_create(&row->view, &def, messages, &fill), RLT_OK);
    view = row->view;
    view.strand_count--;
    assert_int_equal(rlt_fill_frame(fill, &view, messages), RLT_BAD_INPUT);
    rlt_fill_destroy(fill);

    /* all points of a guide in one place, and a single guide */
    memset(row->points, 0, sizeof row->points);
    block b = make_hairs(&row->view, &def);
    for (long long i = 0; i < b.hairs * b.points * 3; i++)
        assert_true(isfinite(b.at[i]));
    free_block(&b);
    view = row->view;
    view.strand_count = 1;
    view.point_count = POINTS;
    b = make_hairs(&view, &def);
    for (long long i = 0; i < b.hairs * b.points * 3; i++)
        assert_true(isfinite(b.at[i]));
    free_block(&b);
    rlt_messages_destroy(messages);
    free(row);
}

/* Guides lie on both sides of a roof with its edge along x; hairs that stray would pass through it. */
static void hairs_stay_out_of_the_body(void **state) {
    (void)state;
    double points[2 * 11 * 3], widths[22],
        vertices[18] = {-10, 0, -5, 10, 0, -5, -10, 5, 0, 10, 5, 0, -10, 0, 5, 10, 0, 5};
    int first[3] = {0, 11, 22}, hair[2] = {0, 0};
    int triangles[24] = {0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5, 0, 1, 4, 1, 5, 4, 0, 4, 2, 1, 3, 5};
    for (int g = 0; g < 2; g++)
        for (int i = 0; i < 11; i++) {
            double *p = points + 3 * (11 * g + i), z = g == 0 ? -2.0 : 2.0;
            p[0] = -6.0 + 1.2 * i;
            p[1] = 3.1; /* the roof is at 3 there */
            p[2] = z;
            widths[11 * g + i] = 0.02;
        }
    rlt_frame_view view = {.size = sizeof view,
                           .strand_count = 2,
                           .point_count = 22,
                           .first = first,
                           .points = points,
                           .rest = points,
                           .widths = widths,
                           .hair = hair,
                           .vertex_count = 6,
                           .triangle_count = 8,
                           .vertices = vertices,
                           .triangles = triangles};
    rlt_fill_def def = plain(RLT_FILL_POINTS);
    def.hairs = 200;
    def.noise = 0.4;
    def.spread = 0.2;
    int inside[2] = {0, 0};
    for (int outside = 0; outside < 2; outside++) {
        def.outside = outside;
        block b = make_hairs(&view, &def);
        for (long long h = 2; h < b.hairs; h++)
            for (int i = 1; i < b.counts[h]; i++) {
                const float *p = b.at + 3 * ((size_t)h * (size_t)b.points + (size_t)i);
                double depth = (5.0 - fabs((double)p[2]) - (double)p[1]) * sqrt(0.5);
                inside[outside] += depth > 0.12; /* the lattice rounds the edge off by less than its step */
            }
        free_block(&b);
    }
    assert_true(inside[0] > 100);
    assert_int_equal(inside[1], 0);
}

/* Waves shorter than what the points of a hair can show become longer ones, not corners at every point. */
static void waves_have_no_corners(void **state) {
    (void)state;
    row_of_guides *row = make_row(0.0, 0.0);
    rlt_fill_def def = plain(RLT_FILL_POINTS);
    def.noise = 0.1;
    def.noise_length = 0.7; /* waves of 0.3 to 1.2: one to four points of 0.3 */
    block b = make_hairs(&row->view, &def);
    int turns = 0, most = 0;
    for (long long h = GUIDES; h < b.hairs; h++) {
        const float *p = b.at + 3 * (size_t)h * (size_t)b.points;
        int before = turns;
        for (int i = 1; i + 1 < b.counts[h]; i++)
            turns += (p[3 * i + 2] - p[3 * i - 1]) * (p[3 * i + 5] - p[3 * i + 2]) < 0.0f;
        most = turns - before > most ? turns - before : most;
    }
    print_message("to and fro at %d of %d points at most\n", most, POINTS);
    assert_in_range(most, POINTS / 4, POINTS * 6 / 10); /* half of them, where a wave has four */
    free_block(&b);
    free(row);
}

/* The distance of two hairs at their tips, less that of their roots. */
static double tip_distance(const block *b, long long h, long long other) {
    int last = (b->counts[h] < b->counts[other] ? b->counts[h] : b->counts[other]) - 1;
    const float *p = b->at + 3 * ((size_t)h * (size_t)b->points + (size_t)last);
    const float *q = b->at + 3 * ((size_t)other * (size_t)b->points + (size_t)last);
    return hypot(hypot((double)(p[0] - q[0]), (double)(p[1] - q[1])), (double)(p[2] - q[2]));
}

/* Distance of a hair's tip from the nearest of the other hairs of its guide, in the mean. */
static double nearest_tip(const block *b) {
    double sum = 0.0;
    int count = 0;
    for (long long h = GUIDES; h < b->hairs; h++, count++) {
        double least = HUGE_VAL;
        for (long long other = h % GUIDES; other < b->hairs; other += GUIDES)
            least = other != h ? fmin(least, tip_distance(b, h, other)) : least;
        sum += least;
    }
    return sum / count;
}

/* Curls of every phase between guides: none is flattened, and the clump draws hairs into locks, of which a
 * guide has several. */
static void hairs_gather_in_locks_that_keep_their_curl(void **state) {
    (void)state;
    row_of_guides *row = make_row(2.1, 1.0);
    double apart[2], widest[2] = {0.0, 0.0};
    for (int clumped = 0; clumped < 2; clumped++) {
        rlt_fill_def def = plain(RLT_FILL_LOCKS);
        def.hairs_per_guide = 40;
        def.phase = 180.0;
        def.clump = clumped ? 1.0 : 0.0;
        def.lock_radius = 0.02;
        block b = make_hairs(&row->view, &def);
        double thinnest = HUGE_VAL;
        for (long long h = 0; h < b.hairs; h++)
            thinnest = fmin(thinnest, curl_radius(&b, h));
        assert_true(thinnest > 0.6); /* locks are 0.75 to 1.15 times as wide as the curl of 1 */
        apart[clumped] = nearest_tip(&b);
        for (long long h = GUIDES; h < b.hairs; h++)
            widest[clumped] = fmax(widest[clumped], tip_distance(&b, h, h % GUIDES));
        free_block(&b);
    }
    assert_true(apart[1] < 0.2 * apart[0]);
    assert_true(widest[1] > 0.5); /* of several locks, not of one */
    free(row);
}

/* Each of the controls moves hairs, and by what it says. */
static void controls_of_disorder_do_something(void **state) {
    (void)state;
    row_of_guides *row = make_row(0.3, 0.5);
    rlt_fill_def still = plain(RLT_FILL_LOCKS);
    block none = make_hairs(&row->view, &still);
    for (int control = 0; control < 5; control++) {
        rlt_fill_def def = still;
        *(control == 0   ? &def.frizz
          : control == 1 ? &def.noise
          : control == 2 ? &def.clump
          : control == 3 ? &def.phase
                         : &def.length_variation) = control == 3 ? 120.0 : 0.3;
        block b = make_hairs(&row->view, &def);
        double moved = 0.0;
        int shorter = 0;
        for (long long h = GUIDES; h < b.hairs; h++) {
            const float *p = b.at + 3 * ((size_t)h * (size_t)b.points + (size_t)b.points / 2);
            const float *q = none.at + (p - b.at);
            moved += hypot(hypot((double)(p[0] - q[0]), (double)(p[1] - q[1])), (double)(p[2] - q[2]));
            shorter += b.counts[h] < none.counts[h];
        }
        moved /= (double)(b.hairs - GUIDES);
        assert_true(control == 4 ? shorter > b.hairs / 2 : moved > 0.03 && moved < 1.2);
        free_block(&b);
    }
    /* strays: as many as asked for leave their lock */
    rlt_fill_def def = still;
    def.noise = 0.01;
    def.hairs = 2000;
    block calm = make_hairs(&row->view, &def);
    def.strays = 0.2;
    block b = make_hairs(&row->view, &def);
    int left = 0;
    for (long long h = GUIDES; h < b.hairs; h++) {
        size_t from = 3 * (size_t)h * (size_t)b.points;
        left += memcmp(b.at + from, calm.at + from, 3 * (size_t)b.points * sizeof(float)) != 0;
    }
    assert_in_range(left, 320, 480);
    free_block(&none);
    free_block(&calm);
    free_block(&b);
    free(row);
}

/* A square of guides: where hair ends it is shorter and thinner, and fewer hairs grow beyond the last guides;
 * inside nothing changes. */
static void the_hairline_thins(void **state) {
    (void)state;
    enum { SIDE = 12, COUNT = SIDE * SIDE };
    double points[COUNT * 4 * 3], widths[COUNT * 4];
    int first[COUNT + 1], hair[COUNT] = {0};
    for (int g = 0; g < COUNT; g++) {
        first[g] = 4 * g;
        for (int i = 0; i < 4; i++) {
            const double at[3] = {g % SIDE, -3.0 * i, g / SIDE};
            memcpy(points + 3 * (4 * g + i), at, sizeof at);
            widths[4 * g + i] = 0.01;
        }
    }
    first[COUNT] = 4 * COUNT;
    rlt_frame_view view = {.size = sizeof view,
                           .strand_count = COUNT,
                           .point_count = 4 * COUNT,
                           .first = first,
                           .points = points,
                           .rest = points,
                           .widths = widths,
                           .hair = hair};
    rlt_fill_def def = plain(RLT_FILL_LOCKS);
    def.points = 40;
    int beyond[2] = {0, 0}, length[2] = {0, 0}, inner[2] = {0, 0};
    for (int soft = 0; soft < 2; soft++) {
        def.hairline = soft;
        block b = make_hairs(&view, &def);
        for (long long h = COUNT; h < b.hairs; h++) {
            const float *root = b.at + 3 * (size_t)h * (size_t)b.points;
            float x = root[0], z = root[2];
            int out = x < -0.2f || z < -0.2f || x > SIDE - 0.8f || z > SIDE - 0.8f;
            beyond[soft] += out;
            length[soft] += out ? b.counts[h] : 0;
            inner[soft] += x > 2.0f && z > 2.0f && x < SIDE - 3.0f && z < SIDE - 3.0f && b.counts[h] < 40;
        }
        free_block(&b);
    }
    assert_true(beyond[1] < 0.7 * beyond[0] && beyond[1] > 0);
    assert_true((double)length[1] / beyond[1] < 0.85 * length[0] / beyond[0]);
    assert_int_equal(inner[1], inner[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_hair_of_each_guide_is_the_guide),
        cmocka_unit_test(few_guides_stay_full),
        cmocka_unit_test(curls_of_opposite_phase_stay_curls),
        cmocka_unit_test(blended_curls_have_no_kinks),
        cmocka_unit_test(partings_are_not_blended_across),
        cmocka_unit_test(long_hair_is_not_blended_across_its_parting),
        cmocka_unit_test(clumps_close_towards_the_tip),
        cmocka_unit_test(blocks_and_repetition_change_nothing),
        cmocka_unit_test(roots_ride_on_the_skin),
        cmocka_unit_test(hairs_stay_out_of_the_body),
        cmocka_unit_test(waves_have_no_corners),
        cmocka_unit_test(hairs_gather_in_locks_that_keep_their_curl),
        cmocka_unit_test(controls_of_disorder_do_something),
        cmocka_unit_test(the_hairline_thins),
        cmocka_unit_test(bad_input_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
