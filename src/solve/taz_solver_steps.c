/* Are the explicit steps of a Taz scene short enough for its stiffness and damping? */
#include <math.h>
#include <stdio.h>

#include "base/messages.h"
#include "base/number.h"
#include "solve/taz_solver_data.h"

/* One refusal: `key` has `steps`, which is `load` times too few. */
static rlt_status refuse_steps(const taz_solver *s, const char *place, const char *key, int steps,
                               double load, const char *what, int strand, rlt_messages *messages) {
    const double maximum = 1000.0, maximum_outer = 10000.0; /* what the keys may say */
    double needed = ceil(steps * load), outer = ceil(s->def.scene->time.outer_steps * load);
    char segment[32], advice[96];
    rlti_number_short(s->model->strands[strand].segment, segment, sizeof(segment));
    if (needed <= maximum)
        snprintf(advice, sizeof(advice), "raise it to %d", (int)needed);
    else if (outer <= maximum_outer)
        snprintf(advice, sizeof(advice), "raise time.outer_steps to %d", (int)outer);
    else
        snprintf(advice, sizeof(advice), "give it longer segments");
    return rlti_fail(messages, RLT_BAD_INPUT,
                     "%s: %s = %d: too few for the %s of strand %d (segments of %s units); %s, lower the %s, "
                     "or set health.check_steps: off",
                     place, key, steps, what, strand, segment, advice, what);
}

/* Damping that the steps bear may still be so strong that springs cannot work against it: an edge that was
 * pulled or pressed once keeps its wrong length for many frames. */
static void warn_of_slow_edges(const taz_solver *s, rlt_messages *messages) {
    const rlti_time_data *time = &s->def.scene->time;
    const double slow = 0.2, quick = 0.05; /* [s] */
    const int maximum = 1000;              /* what the key may say */
    int strand = 0, other, steps = time->force_steps;
    double seconds = rlti_taz_model_return(s->model, s->force_step, time->damping_steps, &strand);
    char shown[32], segment[32], advice[64] = "lower stretch.damping";
    if (seconds < slow)
        return;
    do
        steps++;
    while (steps < maximum && rlti_taz_model_return(s->model, s->force_step * time->force_steps / steps,
                                                    time->damping_steps, &other) > quick);
    if (steps < maximum)
        snprintf(advice, sizeof advice, "raise it to %d, or lower stretch.damping", steps);
    rlti_number_format(floor(seconds * 100.0 + 0.5) / 100.0, shown, sizeof shown);
    rlti_number_short(s->model->strands[strand].segment, segment, sizeof segment);
    rlti_message(
        messages, RLT_NOTE,
        "%s: time.force_steps = %d: with so strong a damping, strand %d (segments of %s units) takes "
        "%s s to come back to its length; %s",
        time->force_steps_place, time->force_steps, strand, segment, shown, advice);
}

/* Explicit steps too long for the stiffness do not always diverge, because the limiters hold hair together,
 * but then it jitters. Better to say so before the run, with the number of steps that is enough. */
rlt_status rlti_taz_solver_admit(const rlti_solver *solver, rlt_messages *messages) {
    const taz_solver *s = (const taz_solver *)solver;
    const rlti_time_data *time = &s->def.scene->time;
    rlti_taz_load load = rlti_taz_model_load(s->model, s->force_step, time->damping_steps);
    rlt_status status = RLT_OK;
    if (load.force > 1.0)
        status = refuse_steps(s, time->force_steps_place, "time.force_steps", time->force_steps, load.force,
                              "stiffness", load.force_strand, messages);
    if (load.damping > 1.0)
        status = refuse_steps(s, time->damping_steps_place, "time.damping_steps", time->damping_steps,
                              load.damping, "damping", load.damping_strand, messages);
    if (status == RLT_OK)
        warn_of_slow_edges(s, messages);
    return status;
}
