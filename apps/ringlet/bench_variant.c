/* One way to run a workload: advancing, writing, timing, and the fields that all workloads report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "console.h"

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
    return rlt_simulation_create(scene, &def, messages, &variant->simulation);
}

rlt_status bench_variant_frame(bench_variant *variant, const bench_settings *settings, int timed,
                               rlt_messages *messages) {
    rlt_status status = bench_go_on(settings);
    if (status != RLT_OK)
        return status;
    if (timed && variant->count == 0)
        rlt_simulation_statistics(variant->simulation, &variant->start);
    double wall = console_seconds(), cpu = bench_cpu_seconds();
    status = rlt_simulation_advance(variant->simulation, messages);
    double moved = console_seconds(), moved_cpu = bench_cpu_seconds();
    if (status == RLT_OK && timed && variant->writer != NULL) {
        rlt_frame_view view;
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

void bench_variant_sum(bench_variant *variant, const bench_settings *settings) {
    rlt_ranks_sum(settings->ranks, variant->cpu, variant->count);
    rlt_ranks_sum(settings->ranks, variant->write_cpu, variant->count);
    for (int i = 0; i < variant->count; i++) {
        variant->frame_wall[i] = variant->wall[i] + variant->write_wall[i];
        variant->frame_cpu[i] = variant->cpu[i] + variant->write_cpu[i];
    }
}

void bench_variant_destroy(bench_variant *variant) {
    rlt_simulation_destroy(variant->simulation);
    variant->simulation = NULL;
}

bench_totals bench_total(const bench_variant *variant, const bench_settings *settings, double peak) {
    const rlt_statistics *a = &variant->start, *b = &variant->now;
    double frames = variant->count, write = 0.0;
    for (int i = 0; i < variant->count; i++)
        write += variant->writer != NULL ? variant->write_wall[i] : 0.0;
    double sums[] = {
        b->seconds_drive - a->seconds_drive,
        b->seconds_detect - a->seconds_detect,
        b->seconds_internal - a->seconds_internal,
        b->seconds_contact - a->seconds_contact,
        b->seconds_damping - a->seconds_damping,
        b->seconds_collide - a->seconds_collide,
        b->seconds_exchange - a->seconds_exchange,
        b->seconds_check - a->seconds_check,
        write,
        (double)b->bytes,
        peak > 0.0 ? peak : bench_peak(),
    };
    rlt_ranks_sum(settings->ranks, sums, (int)(sizeof sums / sizeof sums[0]));
    return (bench_totals){.drive = sums[0] / frames,
                          .detect = sums[1] / frames,
                          .internal = sums[2] / frames,
                          .contact = sums[3] / frames,
                          .damping = sums[4] / frames,
                          .collide = sums[5] / frames,
                          .exchange = sums[6] / frames,
                          .check = sums[7] / frames,
                          .write = sums[8] / frames,
                          .bytes = sums[9],
                          .peak = sums[10]};
}

static void json_phases(json *out, const bench_totals *totals) {
    json_begin_object(out, "phases");
    json_number(out, "detect", totals->detect);
    json_number(out, "internal", totals->internal);
    json_number(out, "contact", totals->contact);
    json_number(out, "damping", totals->damping);
    json_number(out, "collide", totals->collide);
    json_number(out, "exchange", totals->exchange);
    json_number(out, "write", totals->write);
    json_number(out, "drive", totals->drive);
    json_number(out, "check", totals->check);
    json_end_object(out);
}

void bench_json_common(json *out, const bench_workload *workload, const bench_settings *settings,
                       const bench_variant *variant, const bench_totals *totals) {
    const rlt_statistics *s = &variant->now;
    int frames = variant->count;
    json_string(out, "name", workload->name);
    json_string(out, "model", "taz");
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
    json_phases(out, totals);
    json_integer(out, "particles_before", s->particles_before);
    json_integer(out, "particles", s->particles);
    json_integer(out, "edges_full", s->edges_full);
    json_integer(out, "edges_near", s->edges_near);
    json_integer(out, "edges", s->edges);
    json_number(out, "contacts_mean", variant->contacts / frames);
    json_integer(out, "contacts_worst", s->hair_contacts_worst);
    json_integer(out, "body_contacts", s->contacts);
    json_integer(out, "constraints", 0); /* springs and penalties only */
    json_integer(out, "exchange_bytes", s->exchange_bytes);
    json_integer(out, "peak_bytes", (long long)totals->peak);
    json_integer(out, "model_bytes", (long long)totals->bytes);
    json_number(out, "bytes_per_point", totals->bytes / s->points);
}
