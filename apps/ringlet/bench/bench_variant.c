/* A variant of a workload: advancing, writing, timing, and the fields that all workloads report. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "report/history.h"
#include "console.h"
#include "progress.h"

rlt_status bench_load(const char *scene, const bench_settings *settings, int warmup, const char *const *more,
                      int more_count, rlt_messages *messages, rlt_scene **loaded) {
    args_list all = {0};
    char preroll[40];
    snprintf(preroll, sizeof preroll, "time.preroll=%d", warmup);
    for (int i = 0; i < settings->overrides.count; i++)
        args_list_add(&all, settings->overrides.texts[i]);
    for (int i = 0; i < more_count; i++)
        args_list_add(&all, more[i]);
    args_list_add(&all, preroll);
    rlt_status status = rlt_scene_load_embedded(scene, all.texts, all.count, messages, loaded);
    args_list_free(&all);
    return rlt_ranks_agree(settings->ranks, status, messages);
}

rlt_status bench_variant_create(bench_variant *variant, const rlt_scene *scene,
                                const bench_settings *settings, int threads, rlt_messages *messages) {
    rlt_simulation_def def = rlt_simulation_defaults();
    def.threads = threads;
    def.ranks = settings->ranks;
    def.time_phases = 1;
    variant->start.size = variant->now.size = sizeof variant->now;
    return rlt_simulation_create(scene, &def, messages, &variant->simulation);
}

rlt_status bench_variant_frame(bench_variant *variant, const bench_settings *settings, int timed,
                               rlt_messages *messages) {
    rlt_status status = bench_continue(settings);
    if (status != RLT_OK)
        return status;
    if (timed && variant->count == 0)
        rlt_simulation_statistics(variant->simulation, &variant->start);
    double wall = console_seconds(), cpu = bench_cpu_seconds();
    status = rlt_simulation_advance(variant->simulation, messages);
    double moved = console_seconds(), moved_cpu = bench_cpu_seconds();
    if (status == RLT_OK && timed && variant->writer != NULL) {
        rlt_frame_view view = {.size = sizeof view};
        rlt_simulation_view(variant->simulation, &view);
        status = rlt_writer_add(variant->writer, &view, messages);
    }
    double written = console_seconds(), written_cpu = bench_cpu_seconds();
    status = rlt_ranks_agree(settings->ranks, status, messages);
    rlt_simulation_statistics(variant->simulation, &variant->now);
    if (status != RLT_OK || !timed)
        return status;
    int i = variant->count++;
    variant->wall[i] = moved - wall;
    variant->cpu[i] = moved_cpu - cpu;
    variant->write_wall[i] = written - moved;
    variant->write_cpu[i] = written_cpu - moved_cpu;
    variant->contacts += variant->now.hair_contacts_mean;
    return RLT_OK;
}

rlt_status bench_variants_run(bench_variant *const *variants, int count, const bench_workload *workload,
                              const bench_settings *settings, rlt_messages *messages) {
    int warmup = bench_warmup(workload, settings), frames = bench_frames(workload, settings);
    rlt_status status = RLT_OK;
    progress bar;
    progress_begin(&bar, settings->quiet || !bench_leads(settings), 1 - warmup, 1, frames + 1);
    for (int frame = 1 - warmup; frame <= frames && status == RLT_OK; frame++) {
        for (int i = 0; i < count && status == RLT_OK; i++)
            status = bench_variant_frame(variants[i], settings, frame >= 1, messages);
        progress_frame(&bar, frame + 1, variants[count - 1]->now.fastest);
    }
    progress_end(&bar);
    return status;
}

void bench_variant_sum(bench_variant *variant, const bench_settings *settings) {
    rlt_ranks_sum(settings->ranks, variant->cpu, variant->count);
    rlt_ranks_sum(settings->ranks, variant->write_cpu, variant->count);
    for (int i = 0; i < variant->count; i++) {
        if (variant->writer == NULL) /* nothing but the calls of the clock */
            variant->write_wall[i] = 0.0;
        variant->frame_wall[i] = variant->wall[i] + variant->write_wall[i];
        variant->frame_cpu[i] = variant->cpu[i] + variant->write_cpu[i];
    }
}

void bench_variant_destroy(bench_variant *variant) {
    rlt_simulation_destroy(variant->simulation);
    variant->simulation = NULL;
}

const char *const bench_phase_names[BENCH_PHASES] = {"detect",   "internal", "contact", "damping", "collide",
                                                     "exchange", "write",    "drive",   "check"};

/* Seconds since the first timed frame, on this rank; writing is not the simulation's. */
static bench_phases since_start(const bench_variant *variant) {
    bench_phases p = {0};
    for (int i = 0; i < BENCH_PHASES; i++)
        if (i != BENCH_WRITE)
            p.of[i] = history_phase(&variant->now, bench_phase_names[i]) -
                      history_phase(&variant->start, bench_phase_names[i]);
    return p;
}

/* `workers` scales what the worker threads do, `rest` what one thread of a rank does alone. */
static bench_phases scaled(const bench_phases *p, double workers, double rest) {
    bench_phases result = {0};
    for (int i = 0; i < BENCH_PHASES; i++)
        result.of[i] = (i <= BENCH_COLLIDE ? workers : rest) * p->of[i];
    return result;
}

static double mean(const double *values, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

bench_totals bench_total(const bench_variant *variant, const bench_settings *settings, double peak) {
    int frames = variant->count, ranks = rlt_ranks_count(settings->ranks);
    bench_phases sums = since_start(variant);
    double memory[2] = {(double)variant->now.bytes, peak > 0.0 ? peak : bench_peak()};
    rlt_ranks_sum(settings->ranks, sums.of, BENCH_PHASES);
    rlt_ranks_sum(settings->ranks, memory, 2);
    bench_totals totals = {.bytes = memory[0], .peak = memory[1]};
    totals.wall =
        scaled(&sums, 1.0 / ((double)frames * ranks * variant->now.threads), 1.0 / ((double)frames * ranks));
    totals.wall.of[BENCH_WRITE] = mean(variant->write_wall, frames);
    /* the clocks of the phases run on while something else has the processor; the shares are right */
    double all = 0.0;
    for (int i = 0; i < BENCH_PHASES; i++)
        all += sums.of[i];
    double share = all > 0.0 ? mean(variant->cpu, frames) / all : 0.0;
    totals.cpu = scaled(&sums, share, share);
    totals.cpu.of[BENCH_WRITE] = mean(variant->write_cpu, frames);
    return totals;
}

void bench_json_phases(json *out, const char *name, const bench_phases *phases) {
    json_begin_object(out, name);
    for (int i = 0; i < BENCH_PHASES; i++)
        json_number(out, bench_phase_names[i], phases->of[i]);
    json_end_object(out);
}

void bench_json_common(json *out, const bench_workload *workload, const bench_settings *settings,
                       const bench_variant *variant, const bench_totals *totals) {
    const rlt_statistics *s = &variant->now;
    int frames = variant->count;
    json_string(out, "name", workload->name);
    json_string(out, "model", variant->now.model);
    json_string(out, "scene", workload->scene);
    json_integer(out, "hairs", s->strands);
    json_integer(out, "points", s->points);
    json_integer(out, "threads", s->threads);
    json_integer(out, "ranks", rlt_ranks_count(settings->ranks));
    json_integer(out, "frames", frames);
    json_integer(out, "warmup", bench_warmup(workload, settings));
    json_integer(out, "force_steps_per_frame", (s->force_steps - variant->start.force_steps) / frames);
    json_string(out, "simd", s->simd);
    json_number(out, "seconds_per_frame", bench_median(variant->frame_wall, frames));
    json_number(out, "seconds_per_frame_best", bench_best(variant->frame_wall, frames));
    json_number(out, "cpu_seconds_per_frame", bench_median(variant->frame_cpu, frames));
    json_number(out, "cpu_seconds_per_frame_best", bench_best(variant->frame_cpu, frames));
    bench_json_phases(out, "phases", &totals->wall);
    bench_json_phases(out, "cpu_phases", &totals->cpu);
    json_integer(out, "particles_before", s->particles_before);
    json_integer(out, "particles", s->particles);
    json_integer(out, "edges_full", s->edges_full);
    json_integer(out, "edges_near", s->edges_near);
    json_integer(out, "edges", s->edges);
    json_number(out, "contacts_mean", variant->contacts / frames);
    json_integer(out, "contacts_worst", s->hair_contacts_worst);
    json_integer(out, "body_contacts", s->contacts);
    json_integer(out, "constraints", s->constraints); /* points held */
    json_integer(out, "exchange_bytes", s->exchange_bytes);
    json_integer(out, "peak_bytes", (long long)totals->peak);
    json_integer(out, "model_bytes", (long long)totals->bytes);
    json_number(out, "bytes_per_point", totals->bytes / s->points);
}
