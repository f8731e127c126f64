/* ringlet bench pictures: hairs made between guides, and rays traced, per second of one core, on the groom of
 * the red-haired head; beside it Embree alone on rays of the same frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "console.h"

enum {
    HAIRS = 30000,
    LARGE_HAIRS = 1000000,
    BLOCK = 256,
    ROUNDS = 3,
    SIZE = 320,
    SAMPLES = 16,
    LARGE_SAMPLES = 4
};
#define BARE_SECONDS 2.0

/* ---- hairs ---- */

/* Makes all hairs once, block by block into the same memory; CPU-seconds, or less than 0 without memory. */
static double make_all(const rlt_fill *fill, long long *points) {
    size_t capacity = (size_t)BLOCK * (size_t)rlt_fill_points(fill);
    float *at = malloc(3 * capacity * sizeof *at), *widths = malloc(capacity * sizeof *widths);
    int counts[BLOCK];
    double start = bench_cpu_seconds();
    *points = 0;
    for (long long first = 0; at && widths && first < rlt_fill_hairs(fill); first += BLOCK) {
        long long left = rlt_fill_hairs(fill) - first;
        int count = left < BLOCK ? (int)left : BLOCK;
        rlt_fill_block(fill, first, count, at, widths, counts);
        for (int i = 0; i < count; i++)
            *points += counts[i];
    }
    double seconds = at && widths ? bench_cpu_seconds() - start : -1.0;
    free(at);
    free(widths);
    return seconds;
}

/* Points per second of one core, the best of some rounds. */
static rlt_status time_fill(const rlt_frame_view *view, rlt_fill_blend blend, double *rate,
                            rlt_messages *messages) {
    rlt_fill_def def = rlt_fill_defaults();
    rlt_fill *fill = NULL;
    double seconds[ROUNDS];
    long long points = 0;
    def.hairs = HAIRS;
    def.blend = blend;
    rlt_status status = rlt_fill_create(view, &def, messages, &fill);
    for (int k = 0; k < ROUNDS && status == RLT_OK; k++) {
        seconds[k] = make_all(fill, &points);
        if (seconds[k] < 0.0) {
            console_error("out of memory");
            status = RLT_FAILED;
        }
    }
    if (status == RLT_OK)
        *rate = (double)points / bench_best(seconds, ROUNDS);
    rlt_fill_destroy(fill);
    return status;
}

/* ---- rays ---- */

typedef struct shot {
    rlt_render_statistics statistics;
    double rays, rate; /* of all kinds; per second of one core */
    double bare;       /* Embree's, on rays of this frame */
} shot;

static rlt_status take_shot(const rlt_frame_view *view, rlt_fill *fill, const rlt_render_def *def,
                            int threads, int with_bare, shot *s, rlt_messages *messages) {
    rlt_render *render = NULL;
    rlt_image *image = NULL;
    rlt_status status = rlt_render_create(threads, messages, &render);
    if (status == RLT_OK)
        status = rlt_render_frame(render, view, fill, def, messages, &image);
    if (status == RLT_OK) {
        s->statistics.size = sizeof s->statistics;
        rlt_render_statistics_get(render, &s->statistics);
        s->rays =
            (double)(s->statistics.rays_primary + s->statistics.rays_shadow + s->statistics.rays_bounce);
        s->rate = s->rays / s->statistics.cpu_trace;
        s->bare = with_bare ? rlt_render_bare_rate(render, BARE_SECONDS) : 0.0;
    }
    rlt_image_destroy(image);
    rlt_render_destroy(render);
    return status;
}

typedef struct pictures {
    double fill[3];    /* points per second of one core: curls, points, wisps */
    shot still, moved; /* sharp, and with motion blur */
    shot exact;        /* every hair traced: --compare only */
    double peak;       /* [byte] */
} pictures;

static rlt_status measure(const rlt_frame_view *view, const bench_settings *settings, int large, pictures *p,
                          rlt_messages *messages) {
    rlt_fill_def fill_def = rlt_fill_defaults();
    rlt_render_def def = rlt_render_defaults();
    rlt_fill *fill = NULL;
    rlt_status status = RLT_OK;
    fill_def.hairs = large ? LARGE_HAIRS : HAIRS;
    def.width = def.height = large ? 2 * SIZE : SIZE;
    def.samples = large ? LARGE_SAMPLES : SAMPLES;
    for (int b = 0; b < 3 && status == RLT_OK && !large; b++)
        status = time_fill(view, (rlt_fill_blend)b, &p->fill[b], messages);
    bench_peak_restart();
    if (status == RLT_OK)
        status = rlt_fill_create(view, &fill_def, messages, &fill);
    if (status == RLT_OK)
        status = take_shot(view, fill, &def, bench_threads(settings), !large, &p->still, messages);
    p->peak = bench_peak();
    if (status == RLT_OK && !large) {
        def.shutter = 0.02;
        status = take_shot(view, fill, &def, bench_threads(settings), 1, &p->moved, messages);
    }
    if (status == RLT_OK && !large && settings->compare) {
        def.shutter = 0.0;
        def.exact = 1;
        status = take_shot(view, fill, &def, bench_threads(settings), 0, &p->exact, messages);
    }
    rlt_fill_destroy(fill);
    return status;
}

/* ---- report ---- */

static void print_shot(const char *what, const shot *s) {
    printf("%s: %.2f million rays (%.2f primary, %.2f shadow, %.2f bounced), %.3f million a second and core",
           what, 1e-6 * s->rays, 1e-6 * (double)s->statistics.rays_primary,
           1e-6 * (double)s->statistics.rays_shadow, 1e-6 * (double)s->statistics.rays_bounce,
           1e-6 * s->rate);
    if (s->bare > 0.0)
        printf("; Embree alone %.3f", 1e-6 * s->bare);
    printf("\n");
}

static void print_all(const bench_workload *workload, const pictures *p) {
    if (p->fill[0] > 0.0)
        printf("%s: million points a second and core: curls %.1f, points %.1f, wisps %.1f\n", workload->name,
               1e-6 * p->fill[0], 1e-6 * p->fill[1], 1e-6 * p->fill[2]);
    printf("%s: %lld hairs, %lld points: made in %.2f s, tree in %.2f s, traced in %.2f s, peak memory %.0f "
           "MB\n",
           workload->name, p->still.statistics.hairs, p->still.statistics.points,
           p->still.statistics.seconds_fill, p->still.statistics.seconds_build,
           p->still.statistics.seconds_trace, 1e-6 * p->peak);
    print_shot("  still", &p->still);
    if (p->moved.rays > 0.0)
        print_shot("  with motion blur", &p->moved);
    if (p->exact.rays > 0.0) {
        print_shot("  each hair traced", &p->exact);
        printf("  cloud over each hair: %.2f times as fast\n",
               p->exact.statistics.cpu_trace / p->still.statistics.cpu_trace);
    }
}

static void add_shot(json *out, const char *name, const shot *s) {
    json_begin_object(out, name);
    json_number(out, "rays", s->rays);
    json_integer(out, "rays_primary", s->statistics.rays_primary);
    json_integer(out, "rays_shadow", s->statistics.rays_shadow);
    json_integer(out, "rays_bounce", s->statistics.rays_bounce);
    json_number(out, "rays_per_second_per_core", s->rate);
    if (s->bare > 0.0)
        json_number(out, "bare_rays_per_second_per_core", s->bare);
    json_number(out, "cpu_seconds", s->statistics.cpu_trace);
    json_end_object(out);
}

static void add_all(json *out, const bench_workload *workload, const bench_settings *settings,
                    const pictures *p) {
    json_begin_object(out, NULL);
    json_string(out, "name", workload->name);
    json_integer(out, "hairs", p->still.statistics.hairs);
    json_integer(out, "points", p->still.statistics.points);
    json_integer(out, "threads", bench_threads(settings));
    if (p->fill[0] > 0.0) {
        json_number(out, "fill_curls_points_per_second_per_core", p->fill[0]);
        json_number(out, "fill_points_points_per_second_per_core", p->fill[1]);
        json_number(out, "fill_wisps_points_per_second_per_core", p->fill[2]);
    }
    json_number(out, "fill_seconds", p->still.statistics.seconds_fill);
    json_number(out, "build_seconds", p->still.statistics.seconds_build);
    json_number(out, "trace_seconds", p->still.statistics.seconds_trace);
    json_number(out, "peak_bytes", p->peak);
    add_shot(out, "still", &p->still);
    if (p->moved.rays > 0.0)
        add_shot(out, "motion_blur", &p->moved);
    if (p->exact.rays > 0.0) {
        add_shot(out, "exact", &p->exact);
        json_number(out, "cloud_over_exact_speed",
                    p->exact.statistics.cpu_trace / p->still.statistics.cpu_trace);
    }
    json_end_object(out);
}

rlt_status bench_pictures(const bench_workload *workload, const bench_settings *settings,
                          rlt_messages *messages, json *out) {
    pictures p = {0};
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    rlt_simulation_def def = rlt_simulation_defaults();
    if (!bench_leads(settings))
        return RLT_OK;
    bench_say(settings, "%s ...", workload->name);
    rlt_status status = bench_load(workload->scene, settings, 0, NULL, 0, messages, &scene);
    def.threads = bench_threads(settings);
    if (status == RLT_OK)
        status = rlt_simulation_create(scene, &def, messages, &simulation);
    if (status == RLT_OK) {
        rlt_frame_view view = {.size = sizeof view};
        rlt_simulation_view(simulation, &view);
        status = measure(&view, settings, strcmp(workload->name, "pictures-large") == 0, &p, messages);
    }
    if (status == RLT_OK && settings->json)
        add_all(out, workload, settings, &p);
    else if (status == RLT_OK)
        print_all(workload, &p);
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    return status;
}
