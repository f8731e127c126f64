/* The cost of each kind of constraint: redhead without any, and with 10,000 points held, in turns, frame by
 * frame. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"

/* 132 hairs of 77 points: the roots are not held. */
#define HELD "last_strand: 131"

static const struct {
    const char *name, *constraints;
} kinds[] = {
    {"none", "constraints=[]"},
    {"centroid", "constraints=[{kind: centroid, stiffness: 1e4, " HELD "}]"},
    {"scalp", "constraints=[{kind: scalp, stiffness: 1e4, " HELD "}]"},
    {"pin", "constraints=[{kind: pin, stiffness: 1e4, " HELD "}]"},
    {"blend", "constraints=[{kind: blend, ramp: 0.5, " HELD "}]"},
    {"attach", "constraints=[{kind: attach, object: body, stiffness: 1e4, " HELD "}]"},
    {"field", "constraints=[{kind: field, object: body, stiffness: 1e4, " HELD "}]"},
    {"tips", "constraints=[{kind: tips, touch: 3, neighbours: 1, stiffness: 1e4, " HELD "}]"},
    {"bound", "constraints=[{kind: bound, along: [0.99, 1], stiffness: 1e4}]"},
    {"pose", "constraints=[{kind: pose, frame: 1000, lead: 2000, " HELD "}]"},
    {"freeze", "constraints=[{kind: freeze, " HELD "}]"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Extra time over the run without constraints, as a share of it. */
static double cost(const bench_variant *variants, int kind) {
    return bench_paired(variants[kind].cpu, variants[0].cpu, variants[0].count) - 1.0;
}

static void write_json(const bench_workload *workload, const bench_settings *settings,
                       const bench_variant *variants, json *out) {
    json_begin_object(out, NULL);
    json_string(out, "name", workload->name);
    json_string(out, "model", variants[0].now.model);
    json_string(out, "scene", workload->scene);
    json_integer(out, "hairs", variants[0].now.strands);
    json_integer(out, "points", variants[0].now.points);
    json_integer(out, "threads", variants[0].now.threads);
    json_integer(out, "ranks", rlt_ranks_count(settings->ranks));
    json_integer(out, "frames", variants[0].count);
    json_number(out, "seconds_per_frame", bench_median(variants[0].wall, variants[0].count));
    json_number(out, "cpu_seconds_per_frame", bench_median(variants[0].cpu, variants[0].count));
    json_integer(out, "constraints", variants[1].now.constraints);
    json_begin_object(out, "constraint_cost");
    for (int k = 1; k < KINDS; k++)
        json_number(out, kinds[k].name, cost(variants, k));
    json_end_object(out);
    json_end_object(out);
}

static void print_text(const bench_workload *workload, const bench_variant *variants) {
    printf("%s: %d hairs, %d points; %d threads; %d frames; %.3f CPU-seconds a frame without\n",
           workload->name, variants[0].now.strands, variants[0].now.points, variants[0].now.threads,
           variants[0].count, bench_median(variants[0].cpu, variants[0].count));
    for (int k = 1; k < KINDS; k++)
        printf("  %-16s %6d points held, %+.1f%% of the frame's time\n", kinds[k].name,
               variants[k].now.constraints, 100.0 * cost(variants, k));
}

rlt_status bench_constraints(const bench_workload *workload, const bench_settings *settings,
                             rlt_messages *messages, json *out) {
    rlt_scene *scenes[KINDS] = {0};
    bench_variant *variants = bench_allocate(settings, KINDS, sizeof *variants);
    if (variants == NULL)
        return RLT_FAILED;
    bench_say(settings, "%s: %d kinds in turns", workload->name, KINDS - 1);
    rlt_status status = RLT_OK;
    for (int k = 0; k < KINDS && status == RLT_OK; k++) {
        status = bench_load(workload->scene, settings, bench_warmup(workload, settings),
                            &kinds[k].constraints, 1, messages, &scenes[k]);
        if (status == RLT_OK)
            status =
                bench_variant_create(&variants[k], scenes[k], settings, bench_threads(settings), messages);
    }
    bench_variant *turns[KINDS];
    for (int k = 0; k < KINDS; k++)
        turns[k] = &variants[k];
    if (status == RLT_OK)
        status = bench_variants_run(turns, KINDS, workload, settings, messages);
    for (int k = 0; k < KINDS && status == RLT_OK; k++)
        bench_variant_sum(&variants[k], settings);
    if (status == RLT_OK && bench_leads(settings) && settings->json)
        write_json(workload, settings, variants, out);
    else if (status == RLT_OK && bench_leads(settings))
        print_text(workload, variants);
    for (int k = 0; k < KINDS; k++) {
        bench_variant_destroy(&variants[k]);
        rlt_scene_destroy(scenes[k]);
    }
    free(variants);
    return status;
}
