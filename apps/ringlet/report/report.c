#include "report/report.h"

#include <stdio.h>

#include "report/history.h"

#include "console.h"
#include "outfile.h"

rlt_status report_write_json(const char *path, const run_settings *settings, const run_result *result,
                             const rlt_messages *messages) {
    json out = {0};
    rlt_status status = RLT_FAILED;
    json_begin_object(&out, NULL);
    json_string(&out, "version", rlt_version());
    run_json(&out, settings, result);
    console_json_messages(&out, messages);
    json_end_object(&out);
    outfile file;
    if (outfile_begin(&file))
        status = outfile_end(&file, json_print(&out, file.text), path);
    json_free(&out);
    return status;
}

static void print_settings(FILE *file, const run_settings *settings, const run_result *result) {
    const rlt_statistics *s = &result->statistics;
    fprintf(file, "Ringlet %s: %s (%s)\n\n", rlt_version(), settings->scene, result->title);
    fprintf(file, "result          %s\n", run_status_name(result));
    fprintf(file, "frames          %d to %d at %g frames/s\n", result->first, result->last,
            result->frames_per_second);
    fprintf(file, "hair            %d strands, %d points\n", s->strands, s->points);
    fprintf(file, "run with        %d threads, %s\n", s->threads, s->simd);
    for (int i = 0; i < settings->overrides.count; i++)
        fprintf(file, "changed         %s\n", settings->overrides.texts[i]);
    fprintf(file, "memory          %.1f MB\n", (double)s->bytes / 1e6);
    fprintf(file, "hash            %016llx\n", result->hash);
}

/* Wall seconds add up to all of them; those of the simulation follow by phase, of all threads. */
static void print_times(FILE *file, const run_result *result) {
    const rlt_statistics *s = &result->statistics;
    const struct {
        const char *name;
        double seconds;
    } parts[] = {
        {"build", result->seconds_build},       {"simulation", result->seconds_simulate},
        {"write, draw", result->seconds_write}, {"checkpoints", result->seconds_checkpoint},
        {"other", run_seconds_other(result)},
    };
    double per_cent = result->seconds > 0.0 ? 100.0 / result->seconds : 0.0, phases[HISTORY_PHASES];
    fprintf(file, "\ntime, wall seconds\n");
    for (int i = 0; i < (int)(sizeof parts / sizeof parts[0]); i++)
        fprintf(file, "  %-12s %9.3f  %5.1f%%\n", parts[i].name, parts[i].seconds,
                per_cent * parts[i].seconds);
    fprintf(file, "  %-12s %9.3f\n", "all", result->seconds);
    if (result->written > 0)
        fprintf(file, "  %-12s %9.3f\n", "per written", result->seconds / result->written);
    fprintf(file, "\ntime of the simulation, seconds of all threads (CPU in steps %.3f)\n", s->cpu_seconds);
    history_phases(s, phases);
    for (int i = 0; i < HISTORY_PHASES; i++)
        fprintf(file, "  %-12s %9.3f\n", history_phase_names[i], phases[i]);
}

static void print_state(FILE *file, const run_result *result) {
    const rlt_statistics *s = &result->statistics;
    fprintf(file, "\nat the last frame\n");
    fprintf(file, "  fastest point   %.4g unit/s\n", s->fastest);
    fprintf(file, "  longest edge    %.4g times its rest length\n", s->longest);
    if (s->newton_steps > 0)
        fprintf(file,
                "  Newton          %.3g iterations a step; %lld of %lld steps did not converge, %lld of them "
                "off by more than 0.01 of a segment (worst %.2g)\n",
                (double)s->newton_iterations / (double)s->newton_steps, s->newton_unconverged,
                s->newton_steps, s->newton_off, s->newton_worst);
    if (s->newton_fast > 0)
        fprintf(file, "  midpoint        %lld steps were left to Euler: edges turned too far in them\n",
                s->newton_fast);
    fprintf(file, "  contacts        %lld with the body\n", s->contacts);
    if (s->solved_steps > 0)
        fprintf(file,
                "  hair on hair    %.0f contacts in the mean, %.0f touch, %.0f of them slip; %.0f unresolved "
                "(worst "
                "%.2g of the mean radius off), deepest %.2g of it; %lld links; %lld crossings in %lld edges, "
                "%lld "
                "missed\n",
                s->solved_contacts, s->solved_touching, s->solved_slipping, s->solved_unresolved,
                s->solved_residual, s->solved_deepest, s->solved_links, s->crossings, s->crossings_checked,
                s->crossings_missed);
    if (s->solved_steps > 0)
        fprintf(file,
                "  hair on bodies  %.0f contacts of edges in the mean, %.0f touch, deepest %.2g of the mean "
                "radius; "
                "%lld edges passed through a body; %lld crossings in %lld edges, %lld missed\n",
                s->solved_bodies, s->solved_bodies_touching, s->solved_bodies_deepest, s->solved_passed,
                s->crossings_bodies, s->crossings_checked, s->crossings_bodies_missed);
    if (s->sag.strands > 0)
        fprintf(file,
                "  sag             %d of %d strands solved, %d stiffened (up to %.4g times), %d not stable\n",
                s->sag.solved, s->sag.strands, s->sag.stiffened, s->sag.factor, s->sag.unstable);
    for (int i = 0; i < s->energy_count; i++)
        fprintf(file, "%s%s %.6g%s", i == 0 ? "  energies        " : "", s->energies[i].name,
                s->energies[i].value, i + 1 < s->energy_count ? ", " : "\n");
}

rlt_status report_write_text(const char *path, const run_settings *settings, const run_result *result,
                             const rlt_messages *messages) {
    outfile out;
    if (!outfile_begin(&out))
        return RLT_FAILED;
    print_settings(out.text, settings, result);
    print_times(out.text, result);
    print_state(out.text, result);
    if (rlt_messages_count(messages) > 0)
        fprintf(out.text, "\nmessages\n");
    for (int i = 0; i < rlt_messages_count(messages); i++)
        fprintf(out.text, "  %s\n", rlt_messages_text(messages, i));
    return outfile_end(&out, 1, path);
}
