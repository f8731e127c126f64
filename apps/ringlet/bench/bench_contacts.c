/* Contacts between hairs and links solved together with elasticity (hair.contact.method: solve), on scenes
 * with the counts of the Rod's paper and its fixed iterations, printed beside its numbers. With --compare
 * also one and two threads and the plain double build, which take turns frame by frame. */
#include "bench/bench_contacts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/history.h"
#include "console.h"

enum { MAIN, ONE, TWO, SCALAR, VARIANTS };
static const int published_threads[BENCH_PUBLISHED_THREADS] = {1, 4, 8, 12};

/* Of contacts and links, over the timed frames of the main variant. */
typedef struct tally {
    double contacts, touching, slipping, unresolved, newton, sweeps; /* means */
    double residual, deepest;                                        /* the worst */
    long long crossings_checked, crossings, crossings_missed;
} tally;

typedef struct contacts_run {
    const bench_workload *workload;
    const bench_settings *settings;
    const bench_published *published;
    rlt_messages *messages;
    rlt_scene *scene;
    bench_variant *variants;        /* [VARIANTS] */
    const bench_variant *one, *two; /* NULL: not run */
    tally sums;
    int vertices; /* of the body */
    double peak;  /* [byte] of the process, all variants */
    int same_bytes;
} contacts_run;

/* ---- running ---- */

static rlt_status load(contacts_run *r) {
    char text[BENCH_SCENE_SIZE], preroll[40];
    args_list overrides = {0};
    if (!bench_contacts_scene(r->workload->name, text, sizeof text))
        return console_fail(RLT_FAILED, "bench: %s: no scene", r->workload->name);
    snprintf(preroll, sizeof preroll, "time.preroll=%d", bench_warmup(r->workload, r->settings));
    args_list_add(&overrides, preroll);
    for (int i = 0; i < r->settings->overrides.count; i++)
        args_list_add(&overrides, r->settings->overrides.texts[i]);
    rlt_status status = rlt_scene_load_text(r->workload->name, text, strlen(text), overrides.texts,
                                            overrides.count, r->messages, &r->scene);
    args_list_free(&overrides);
    return rlt_ranks_agree(r->settings->ranks, status, r->messages);
}

static rlt_status create(contacts_run *r, int which, int threads) {
    bench_variant *v = &r->variants[which];
    rlt_simulation_def def = rlt_simulation_defaults();
    def.threads = threads;
    def.ranks = r->settings->ranks;
    def.simd = which == SCALAR ? RLT_SIMD_REFERENCE : RLT_SIMD_AUTO;
    v->start.size = v->now.size = sizeof v->now;
    return rlt_simulation_create(r->scene, &def, which == MAIN ? r->messages : NULL, &v->simulation);
}

static rlt_status create_all(contacts_run *r) {
    int threads = bench_threads(r->settings);
    bench_say(r->settings, "%s: building", r->workload->name);
    bench_peak_restart();
    rlt_status status = load(r);
    if (status == RLT_OK)
        status = create(r, MAIN, threads);
    if (status != RLT_OK || !r->settings->compare)
        return status;
    r->one = &r->variants[threads == 1 ? MAIN : ONE];
    r->two = &r->variants[threads == 2 ? MAIN : TWO];
    if (threads != 1)
        status = create(r, ONE, 1);
    if (status == RLT_OK && threads != 2)
        status = create(r, TWO, 2);
    if (status == RLT_OK)
        status = create(r, SCALAR, 1);
    return status;
}

static void count(tally *sums, const rlt_statistics *s, int frames) {
    sums->contacts += s->solved_contacts / frames;
    sums->touching += s->solved_touching / frames;
    sums->slipping += s->solved_slipping / frames;
    sums->unresolved += s->solved_unresolved / frames;
    sums->newton += s->solved_newton / frames;
    sums->sweeps += s->solved_sweeps / frames;
    sums->residual = fmax(sums->residual, s->solved_residual);
    sums->deepest = fmax(sums->deepest, s->solved_deepest);
    sums->crossings_checked += s->crossings_checked;
    sums->crossings += s->crossings;
    sums->crossings_missed += s->crossings_missed;
}

static rlt_status run_frames(contacts_run *r) {
    int frames = bench_frames(r->workload, r->settings), warmup = bench_warmup(r->workload, r->settings);
    rlt_status status = RLT_OK;
    for (int frame = 1 - warmup; frame <= frames && status == RLT_OK; frame++) {
        bench_say(r->settings, "%s: frame %d of %d", r->workload->name, frame, frames);
        for (int v = 0; v < VARIANTS && status == RLT_OK; v++)
            if (r->variants[v].simulation != NULL)
                status = bench_variant_frame(&r->variants[v], r->settings, frame >= 1,
                                             v == MAIN ? r->messages : NULL); /* one warns for all */
        if (status == RLT_OK && frame >= 1)
            count(&r->sums, &r->variants[MAIN].now, frames);
    }
    return status;
}

static void finish(contacts_run *r) {
    rlt_frame_view view = {.size = sizeof view};
    r->peak = bench_peak();
    rlt_ranks_sum(r->settings->ranks, &r->peak, 1);
    rlt_simulation_view(r->variants[MAIN].simulation, &view);
    r->vertices = view.vertex_count;
    for (int v = 0; v < VARIANTS; v++)
        if (r->variants[v].simulation != NULL)
            bench_variant_sum(&r->variants[v], r->settings);
    r->same_bytes = !r->settings->compare ||
                    rlt_simulation_hash(r->one->simulation) == rlt_simulation_hash(r->two->simulation);
}

/* ---- results ---- */

static double phase(const bench_variant *v, const char *name) {
    return history_phase(&v->now, name) - history_phase(&v->start, name);
}

/* CPU-seconds of a frame in a phase: the phases' clocks run on while something else has the processor, so
 * they only say how the CPU-seconds are shared out. */
static double cpu_phase(const bench_variant *v, const char *name) {
    double all = 0.0, cpu = 0.0;
    for (int p = 0; p < HISTORY_PHASES; p++)
        all += phase(v, history_phase_names[p]);
    for (int i = 0; i < v->count; i++)
        cpu += v->cpu[i] / v->count;
    return all > 0.0 ? cpu * phase(v, name) / all : 0.0;
}

/* Finding contacts, with hair and with bodies / all. */
static double detect_share(const bench_variant *v) {
    double all = 0.0;
    for (int p = 0; p < HISTORY_PHASES; p++)
        all += phase(v, history_phase_names[p]);
    return all > 0.0 ? (phase(v, "detect") + phase(v, "collide")) / all : 0.0;
}

static double mean(const double *values, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += values[i] / count;
    return sum;
}

static double slowest(const double *values, int count) {
    double worst = 0.0;
    for (int i = 0; i < count; i++)
        worst = fmax(worst, values[i]);
    return worst;
}

/* Frames of these took turns, so a slow spell of the machine hits both. CPU-seconds, because lanes are about
 * work, not about waiting. */
static double lanes_over_scalar(const contacts_run *r) {
    return bench_paired(r->variants[SCALAR].cpu, r->one->cpu, r->one->count);
}

/* The same of strands by themselves: assembly and solve, the part that lanes are for. */
static double step_lanes_over_scalar(const contacts_run *r) {
    double lanes = cpu_phase(r->one, "step");
    return lanes > 0.0 ? cpu_phase(&r->variants[SCALAR], "step") / lanes : 0.0;
}

static double threads2_over_1(const contacts_run *r) {
    return bench_paired(r->one->wall, r->two->wall, r->one->count);
}

/* Strands by themselves: CPU-time of a point and Newton iteration. */
static double microseconds(const contacts_run *r) {
    const bench_variant *v = &r->variants[MAIN];
    double work = (double)v->now.points * (double)v->now.solved_steps * r->sums.newton;
    return work > 0.0 ? 1e6 * cpu_phase(v, "step") / work : 0.0;
}

static void write_published(json *out, const bench_published *p) {
    json_begin_object(out, "published");
    json_integer(out, "hairs", p->hairs);
    json_integer(out, "points", p->points);
    json_integer(out, "body_vertices", p->vertices);
    json_integer(out, "links", p->links);
    json_integer(out, "contacts_mean", p->contacts);
    for (int i = 0; i < BENCH_PUBLISHED_THREADS; i++) {
        char name[40];
        snprintf(name, sizeof name, "seconds_per_frame_%d_threads", published_threads[i]);
        json_known(out, name, p->seconds[i], p->seconds[i] > 0.0);
    }
    json_known(out, "seconds_per_frame_slowest", p->slowest, p->slowest > 0.0);
    json_known(out, "detect_seconds_per_frame", p->detect, p->detect > 0.0);
    json_end_object(out);
}

static void write_counts(json *out, const contacts_run *r) {
    const rlt_statistics *s = &r->variants[MAIN].now;
    json_string(out, "name", r->workload->name);
    json_string(out, "model", s->model);
    json_integer(out, "hairs", s->strands);
    json_integer(out, "points", s->points);
    json_integer(out, "body_vertices", r->vertices);
    json_integer(out, "links", s->solved_links);
    json_integer(out, "steps_per_frame", s->solved_steps);
    json_integer(out, "threads", s->threads);
    json_integer(out, "ranks", s->ranks);
    json_string(out, "simd", s->simd);
    json_integer(out, "frames", r->variants[MAIN].count);
    json_integer(out, "warmup", bench_warmup(r->workload, r->settings));
}

static void write_tally(json *out, const contacts_run *r) {
    const tally *t = &r->sums;
    const bench_variant *v = &r->variants[MAIN];
    json_number(out, "contacts_mean", t->contacts);
    json_number(out, "touching", t->touching);
    json_number(out, "slipping", t->slipping);
    json_number(out, "unresolved", t->unresolved);
    json_number(out, "newton", t->newton);
    json_number(out, "sweeps", t->sweeps);
    json_number(out, "residual", t->residual);
    json_number(out, "deepest", t->deepest);
    json_integer(out, "crossings_checked", t->crossings_checked);
    json_integer(out, "crossings", t->crossings);
    json_integer(out, "crossings_missed", t->crossings_missed);
    json_integer(out, "body_contacts", v->now.contacts);
    json_integer(out, "newton_failed", v->now.newton_failed - v->start.newton_failed);
}

static void write_json(json *out, const contacts_run *r) {
    const bench_variant *v = &r->variants[MAIN];
    json_begin_object(out, NULL);
    write_counts(out, r);
    json_number(out, "seconds_per_frame", bench_median(v->wall, v->count));
    json_number(out, "seconds_per_frame_mean", mean(v->wall, v->count));
    json_number(out, "seconds_per_frame_best", bench_best(v->wall, v->count));
    json_number(out, "seconds_per_frame_slowest", slowest(v->wall, v->count));
    json_number(out, "cpu_seconds_per_frame", bench_median(v->cpu, v->count));
    json_number(out, "cpu_seconds_per_frame_best", bench_best(v->cpu, v->count));
    json_begin_object(out, "cpu_phases");
    for (int p = 0; p < HISTORY_PHASES; p++)
        json_number(out, history_phase_names[p], cpu_phase(v, history_phase_names[p]));
    json_end_object(out);
    json_number(out, "detect_share", detect_share(v));
    json_number(out, "microseconds_per_vertex_newton", microseconds(r));
    json_number(out, "bytes_per_vertex", v->now.points > 0 ? (double)v->now.bytes / v->now.points : 0.0);
    write_tally(out, r);
    json_integer(out, "model_bytes", (long long)v->now.bytes);
    json_integer(out, "peak_bytes", (long long)r->peak);
    if (r->settings->compare) {
        json_number(out, "lanes_over_scalar", lanes_over_scalar(r));
        json_number(out, "step_lanes_over_scalar", step_lanes_over_scalar(r));
        json_number(out, "threads2_over_1", threads2_over_1(r));
        json_number(out, "one_thread_seconds_per_frame", bench_median(r->one->wall, r->one->count));
        json_number(out, "two_threads_seconds_per_frame", bench_median(r->two->wall, r->two->count));
        json_boolean(out, "same_bytes", r->same_bytes);
    }
    write_published(out, r->published);
    json_end_object(out);
}

static void print_times(const contacts_run *r) {
    const bench_variant *v = &r->variants[MAIN];
    const bench_published *p = r->published;
    printf("  %.3f s a frame with %d threads (best %.3f, slowest %.3f), %.3f CPU-seconds",
           bench_median(v->wall, v->count), v->now.threads, bench_best(v->wall, v->count),
           slowest(v->wall, v->count), bench_median(v->cpu, v->count));
    if (p->seconds[0] > 0.0)
        printf("; published: %.3f s with 1 thread", p->seconds[0]);
    if (p->seconds[BENCH_PUBLISHED_THREADS - 1] > 0.0)
        printf("%s %.3f s with 12",
               p->seconds[0] > 0.0 ? "," : "; published:", p->seconds[BENCH_PUBLISHED_THREADS - 1]);
    printf("\n");
    for (int i = 0; i < HISTORY_PHASES; i++)
        printf("%s %s %.3f", i == 0 ? "  CPU-seconds:" : ",", history_phase_names[i],
               cpu_phase(v, history_phase_names[i]));
    printf("; detection %.0f%%\n", 100.0 * detect_share(v));
}

static void print_text(const contacts_run *r) {
    const bench_variant *v = &r->variants[MAIN];
    const rlt_statistics *s = &v->now;
    const bench_published *p = r->published;
    const tally *t = &r->sums;
    printf("%s: %d frames, %lld steps each (published counts in brackets)\n", r->workload->name, v->count,
           s->solved_steps);
    printf("  %d hairs (%d), %d points (%d), body of %d vertices (%d), %lld links (%d), %.0f contacts (%d)\n",
           s->strands, p->hairs, s->points, p->points, r->vertices, p->vertices, s->solved_links, p->links,
           t->contacts, p->contacts);
    print_times(r);
    printf("  %.0f contacts touch, %.0f slip, %.0f unresolved; %.1f Newton iterations of %.1f sweeps a step; "
           "residual %.2g and deepest %.2g mean radii\n",
           t->touching, t->slipping, t->unresolved, t->newton, t->sweeps, t->residual, t->deepest);
    printf("  crossings: %lld of %lld edges checked, %lld missed; %.0f MB in all\n", t->crossings,
           t->crossings_checked, t->crossings_missed, 1e-6 * r->peak);
    if (r->settings->compare)
        printf(
            "  lanes %.2f times the plain double (strands by themselves %.2f times), two threads %.2f times "
            "one (%.3f s, %.3f s), %s bytes\n",
            lanes_over_scalar(r), step_lanes_over_scalar(r), threads2_over_1(r),
            bench_median(r->one->wall, r->one->count), bench_median(r->two->wall, r->two->count),
            r->same_bytes ? "the same" : "DIFFERENT");
}

rlt_status bench_contacts(const bench_workload *workload, const bench_settings *settings,
                          rlt_messages *messages, json *out) {
    contacts_run r = {.workload = workload,
                      .settings = settings,
                      .messages = messages,
                      .published = bench_contacts_published(workload->name),
                      .variants = bench_allocate(settings, VARIANTS, sizeof(bench_variant))};
    if (r.variants == NULL)
        return RLT_FAILED;
    rlt_status status = create_all(&r);
    if (status == RLT_OK)
        status = run_frames(&r);
    if (status == RLT_OK) {
        finish(&r);
        if (bench_leads(settings) && settings->json)
            write_json(out, &r);
        else if (bench_leads(settings))
            print_text(&r);
    }
    for (int v = 0; v < VARIANTS; v++)
        bench_variant_destroy(&r.variants[v]);
    rlt_scene_destroy(r.scene);
    free(r.variants);
    return status;
}
