/* The paper's characters (Table 2): hair-hair contacts, bodies, walk cycle and writing, timed by phase. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/bench_compare.h"
#include "console.h"
#include "progress.h"

/* State of one workload while it runs. */
typedef struct character {
    const bench_workload *workload;
    const bench_settings *settings;
    rlt_messages *messages;
    rlt_scene *scene;
    bench_variant *main;
    bench_compare compare;
    double peak;       /* [byte] before what --compare adds; 0: at the end */
    char folder[4096]; /* of the file that is written; empty: none */
    char file[4120];
} character;

/* ---- the file, on rank 0 only: as slow to write as any, and gone in the end ---- */

static rlt_status open_file(character *c) {
    const char *place = getenv("TMPDIR");
    place = place != NULL && place[0] != '\0' ? place : "/tmp";
    int length = snprintf(c->folder, sizeof c->folder, "%s/ringlet-bench-XXXXXX", place);
    if (length < 0 || length >= (int)sizeof c->folder || mkdtemp(c->folder) == NULL) {
        c->folder[0] = '\0';
        return console_fail(RLT_FAILED, "bench: cannot make a folder in %s; set TMPDIR to another one",
                            place);
    }
    snprintf(c->file, sizeof c->file, "%s/hair.usda", c->folder);
    rlt_writer_def def = {.size = sizeof def,
                          .frames_per_second = rlt_scene_frames_per_second(c->scene),
                          .metres_per_unit = rlt_scene_metres_per_unit(c->scene),
                          .title = rlt_scene_title(c->scene)};
    return rlt_writer_open(c->file, &def, c->messages, &c->main->writer);
}

static void remove_file(character *c) {
    if (c->main->writer != NULL)
        rlt_writer_abandon(c->main->writer);
    c->main->writer = NULL;
    if (c->folder[0] != '\0')
        rmdir(c->folder);
}

/* ---- running ---- */

static rlt_status warm_up(character *c) {
    int warmup = bench_warmup(c->workload, c->settings);
    progress bar;
    rlt_status status = RLT_OK;
    progress_begin(&bar, c->settings->quiet || !bench_leads(c->settings), 1 - warmup, 1, 1);
    for (int frame = 1 - warmup; frame < 1 && status == RLT_OK; frame++) {
        status = bench_variant_frame(c->main, c->settings, 0, c->messages);
        progress_frame(&bar, frame + 1, c->main->now.fastest);
    }
    progress_end(&bar);
    return status;
}

static rlt_status prepare(character *c) {
    const bench_settings *settings = c->settings;
    int warmup = bench_warmup(c->workload, settings);
    bench_say(settings, "%s: warm-up, %d frames", c->workload->name, warmup);
    bench_peak_restart();
    rlt_status status = bench_load(c->workload->scene, settings, warmup, NULL, 0, c->messages, &c->scene);
    if (status == RLT_OK)
        status = bench_variant_create(c->main, c->scene, settings, bench_threads(settings), c->messages);
    if (status == RLT_OK)
        status = warm_up(c);
    if (status == RLT_OK && settings->compare) {
        c->peak = bench_peak();
        status = bench_compare_create(&c->compare, c->main, c->workload, settings, c->scene, c->messages);
    }
    if (status == RLT_OK)
        status = rlt_ranks_agree(settings->ranks, bench_leads(settings) ? open_file(c) : RLT_OK, c->messages);
    return status;
}

static rlt_status run_frames(character *c) {
    int frames = bench_frames(c->workload, c->settings);
    progress bar;
    rlt_status status = RLT_OK;
    bench_say(c->settings, "%s: %d timed frames", c->workload->name, frames);
    progress_begin(&bar, c->settings->quiet || !bench_leads(c->settings), 1, 1, frames + 1);
    for (int i = 0; i < frames && status == RLT_OK; i++) {
        status = bench_variant_frame(c->main, c->settings, 1, c->messages);
        if (status == RLT_OK && c->settings->compare)
            status = bench_compare_frame(&c->compare, c->settings, c->messages);
        progress_frame(&bar, i + 2, c->main->now.fastest);
    }
    progress_end(&bar);
    return status;
}

/* ---- results ---- */

static void write_json(const character *c, const bench_totals *totals, json *out) {
    json_begin_object(out, NULL);
    bench_json_common(out, c->workload, c->settings, c->main, totals);
    if (c->settings->compare)
        bench_compare_json(out, &c->compare);
    json_end_object(out);
}

static void print_text(const character *c, const bench_totals *t) {
    const bench_variant *v = c->main;
    const rlt_statistics *s = &v->now;
    int ranks = rlt_ranks_count(c->settings->ranks);
    printf("%s: %d hairs, %d points; %d threads", c->workload->name, s->strands, s->points, s->threads);
    if (ranks > 1)
        printf(" on each of %d ranks", ranks);
    printf("; %d frames\n", v->count);
    printf("  %.3f s a frame (best %.3f), %.3f CPU-seconds (best %.3f)\n",
           bench_median(v->frame_wall, v->count), bench_best(v->frame_wall, v->count),
           bench_median(v->frame_cpu, v->count), bench_best(v->frame_cpu, v->count));
    for (int i = 0; i < BENCH_PHASES; i++)
        printf("%s %s %.3f", i == 0 ? "  CPU-seconds:" : ",", bench_phase_names[i], t->cpu.of[i]);
    printf("\n  %d of %d points take part in contacts; %lld pairs of hairs of %lld near and %lld in all; "
           "%.0f contacts, at most %lld\n",
           s->particles, s->particles_before, s->edges, s->edges_near, s->edges_full, v->contacts / v->count,
           s->hair_contacts_worst);
    printf("  %.0f bytes a point, at most %.0f MB in all\n", t->bytes / s->points, 1e-6 * t->peak);
    if (c->settings->compare)
        bench_compare_print(&c->compare);
}

rlt_status bench_character(const bench_workload *workload, const bench_settings *settings,
                           rlt_messages *messages, json *out) {
    character c = {.workload = workload, .settings = settings, .messages = messages};
    c.main = bench_allocate(settings, 1, sizeof(bench_variant));
    if (c.main == NULL)
        return RLT_FAILED;
    rlt_status status = prepare(&c);
    if (status == RLT_OK)
        status = run_frames(&c);
    if (status == RLT_OK && settings->compare)
        status = bench_compare_finish(&c.compare, settings, c.scene, messages);
    if (status == RLT_OK) {
        bench_variant_sum(c.main, settings);
        bench_totals totals = bench_total(c.main, settings, c.peak);
        if (bench_leads(settings) && settings->json)
            write_json(&c, &totals, out);
        else if (bench_leads(settings))
            print_text(&c, &totals);
    }
    remove_file(&c);
    bench_compare_destroy(&c.compare);
    bench_variant_destroy(c.main);
    rlt_scene_destroy(c.scene);
    free(c.main);
    return status;
}
