/* Are the explicit steps of a Taz scene short enough for its stiffness and damping? And how many are taken
 * where the scene leaves that open. */
#include <math.h>
#include <stdio.h>

#include "base/messages.h"
#include "base/number.h"
#include "scene/readers.h"
#include "solve/taz_solver_data.h"

enum {
    FORCE_MOST = 4,    /* times the force steps that are usual: as many as are taken unasked */
    FORCE_LIMIT = 1000 /* what the keys may say */
};
#define OUTER_LIMIT   10000.0
#define DAMPING_SHARE 0.5  /* of the limit, that is left where damping is lowered */
#define SLOW          0.2  /* [s] edges that take so long to come back are noted, */
#define VERY_SLOW     1.0  /* [s] and from here on warned of: hair looks stretched for many frames */
#define QUICK         0.05 /* [s] and this is good enough */

/* Flops of a force step with so many damping steps, in proportion to another number of these. */
static double damping_cost(int steps, double other) {
    double force = rlti_kernel_force_flops(1), damping = rlti_kernel_damping_flops(1);
    return (force + damping * other) / (force + damping * steps);
}

/* How segments of a strand get `longer` without harm, "" where they cannot. In a groom from a file a floor of
 * up to the median helps those that are shorter; beyond that all of them are too short, and strands that are
 * left with two short segments need the floor as well. A curl needs some points on each turn. */
static void advise_segments(const taz_solver *s, int strand, double longer, char *text, size_t size) {
    const rlti_hair_data *hair = &s->def.scene->hair[s->model->strands[strand].hair];
    double share = hair->segment_floor * longer / s->model->strands[strand].segment * 1.05;
    double turn = hair->file[0] != '\0' ? 0.0 : rlti_hair_turn(hair);
    char number[32];
    text[0] = '\0';
    if (hair->strand_count > 0) /* point by point */
        return;
    if (hair->file[0] != '\0' && hair->segment_floor > 0.0 && share <= 1.0) {
        rlti_number_short(share, number, sizeof number);
        snprintf(text, size, "set hair.segment_floor to %s (nothing; only short segments change), ", number);
    } else if (!(turn > 0.0 && RLTI_TURN_POINTS * 1.05 * longer > turn)) {
        rlti_number_short(longer * 1.05, number, sizeof number);
        snprintf(text, size, "make segments %s units long by %s (fewer points, a shorter run), ", number,
                 hair->file[0] != '\0'    ? "hair.resample_segment with hair.segment_floor: 1"
                 : hair->total_points > 0 ? "a lower hair.total_points"
                                          : "hair.segment");
    }
}

/* One refusal: `key` has `steps`, which is `load` times too few; it grows with a power of the segment. Each
 * remedy comes with its cost. */
static rlt_status refuse_steps(const taz_solver *s, const char *place, const char *key, int steps,
                               int is_force, double load, int strand, rlt_messages *messages) {
    double needed = ceil(steps * load), outer = ceil(s->def.scene->time.outer_steps * load);
    double segment = s->model->strands[strand].segment;
    const char *what = is_force ? "stiffness" : "damping";
    char shown[32], times[32], softer[32], advice[128] = "", longer[160];
    rlti_number_short(segment, shown, sizeof shown);
    rlti_number_short(is_force ? load : damping_cost(steps, needed), times, sizeof times);
    rlti_number_short(is_force ? 1.0 / (load * load) : 1.0 / load, softer, sizeof softer);
    if (needed <= FORCE_LIMIT)
        snprintf(advice, sizeof advice, "raise it to %d (a run takes %s times as long), ", (int)needed,
                 times);
    else if (outer <= OUTER_LIMIT)
        snprintf(advice, sizeof advice, "raise time.outer_steps to %d, ", (int)outer);
    advise_segments(s, strand, segment * (is_force ? load : sqrt(load)), longer, sizeof longer);
    return rlti_fail(
        messages, RLT_BAD_INPUT,
        "%s: %s = %d: too few for the %s of strand %d (segments of %s units); %s%slower the %s to %s of it "
        "(softer hair), set hair.model to rod (steps of any length), or set health.check_steps: off (it may "
        "jitter)",
        place, key, steps, what, strand, shown, advice, longer, what, softer);
}

/* Force steps in which edges come back quickly; more than FORCE_LIMIT: none. */
static int quick_steps(const taz_solver *s, int damping_steps) {
    int steps = s->force_steps, other;
    do
        steps++;
    while (steps < FORCE_LIMIT && rlti_taz_model_return(s->model, s->force_step * s->force_steps / steps,
                                                        damping_steps, &other) > QUICK);
    return steps < FORCE_LIMIT ? steps : FORCE_LIMIT + 1;
}

/* Damping that the steps bear may still be so strong that springs cannot work against it: an edge that was
 * pulled or pressed once keeps its wrong length for many frames. */
static void warn_of_slow_edges(const taz_solver *s, rlt_messages *messages) {
    const rlti_time_data *time = &s->def.scene->time;
    int strand = 0;
    double seconds = rlti_taz_model_return(s->model, s->force_step, time->damping_steps, &strand);
    char shown[32], segment[32], advice[64] = "lower stretch.damping, or make segments longer";
    if (seconds < SLOW)
        return;
    int steps = quick_steps(s, time->damping_steps);
    if (steps <= FORCE_LIMIT)
        snprintf(advice, sizeof advice, "raise it to %d, or lower stretch.damping", steps);
    rlti_number_format(floor(seconds * 100.0 + 0.5) / 100.0, shown, sizeof shown);
    if (seconds > 60.0)
        snprintf(shown, sizeof shown, "more than a minute");
    rlti_number_short(s->model->strands[strand].segment, segment, sizeof segment);
    rlti_message(
        messages, seconds < VERY_SLOW ? RLT_NOTE : RLT_WARNING,
        "%s: time.force_steps = %d: with so strong a damping, strand %d (segments of %s units) takes "
        "%s%s to come back to its length; %s",
        time->force_steps_place, s->force_steps, strand, segment, shown, seconds > 60.0 ? "" : " s", advice);
}

/* More force steps than are usual, where the stiffness needs them. 0: not even the maximum is
 * enough. */
static int raise_force_steps(taz_solver *s, rlt_messages *messages) {
    const rlti_time_data *time = &s->def.scene->time;
    rlti_taz_load load = rlti_taz_model_load(s->model, s->force_step, time->damping_steps);
    double needed = ceil(s->force_steps * load.force);
    if (!(load.force > 1.0))
        return 1;
    if (!(needed <= (double)FORCE_MOST * s->force_steps))
        return 0;
    double segment = s->model->strands[load.force_strand].segment;
    char shown[32], longer[32], times[32];
    rlti_number_short(segment, shown, sizeof shown);
    rlti_number_short(segment * load.force * 1.05, longer, sizeof longer);
    rlti_number_short(needed / s->force_steps, times, sizeof times);
    rlti_message(
        messages, RLT_NOTE,
        "%s: time.steps = auto: %d force steps instead of %d, for the stiffness of strand %d (segments "
        "of %s units): a run takes %s times as long; with segments of %s units it would not",
        time->force_steps_place, (int)needed, s->force_steps, load.force_strand, shown, times, longer);
    s->force_steps = (int)needed;
    s->force_step = 1.0 / (time->fps * time->outer_steps * s->force_steps);
    return 1;
}

/* Less damping, where the steps cannot bear it or springs do not come up against it. */
static void lower_damping(taz_solver *s, rlt_messages *messages) {
    const rlti_time_data *time = &s->def.scene->time;
    rlti_taz_load load = rlti_taz_model_load(s->model, s->force_step, time->damping_steps);
    int strand = 0;
    double back = rlti_taz_model_return(s->model, s->force_step, time->damping_steps, &strand), least;
    if (!(load.damping > 1.0) && (time->force_given || back < SLOW))
        return;
    int count = rlti_taz_model_relieve(s->model, s->force_step, time->damping_steps, DAMPING_SHARE, &least);
    char factor[32], segment[32];
    rlti_number_short(least, factor, sizeof factor);
    rlti_number_short(s->model->strands[load.damping_strand].segment, segment, sizeof segment);
    rlti_message(
        messages, RLT_NOTE,
        "%s: time.steps = auto: the damping of %d strand%s was lowered to what %d damping steps bear, to "
        "%s of it at least (strand %d, segments of %s units)",
        time->damping_steps_place, count, count == 1 ? "" : "s", time->damping_steps, factor,
        load.damping_strand, segment);
}

void rlti_taz_solver_choose_steps(taz_solver *s, rlt_messages *messages) {
    const rlti_scene_data *scene = s->def.scene;
    if (scene->time.steps != RLTI_STEPS_AUTO || !scene->check_steps)
        return;
    int enough = scene->time.force_given || raise_force_steps(s, messages); /* else it is refused */
    if (enough && !scene->time.damping_given)
        lower_damping(s, messages);
}

/* Explicit steps too long for the stiffness do not always diverge, because the limiters hold hair together,
 * but then it jitters. Better to say so before the run, with the number of steps that is enough. */
rlt_status rlti_taz_solver_admit(const rlti_solver *solver, rlt_messages *messages) {
    const taz_solver *s = (const taz_solver *)solver;
    const rlti_time_data *time = &s->def.scene->time;
    rlti_taz_load load = rlti_taz_model_load(s->model, s->force_step, time->damping_steps);
    rlt_status status = RLT_OK;
    if (load.force > 1.0)
        status = refuse_steps(s, time->force_steps_place, "time.force_steps", s->force_steps, 1, load.force,
                              load.force_strand, messages);
    /* where the damping is lowered as soon as the force steps are enough, there is but one thing to mend */
    int lowers = status != RLT_OK && time->steps == RLTI_STEPS_AUTO && !time->damping_given;
    if (load.damping > 1.0 && !lowers)
        status = refuse_steps(s, time->damping_steps_place, "time.damping_steps", time->damping_steps, 0,
                              load.damping, load.damping_strand, messages);
    if (status == RLT_OK)
        warn_of_slow_edges(s, messages);
    return status;
}
