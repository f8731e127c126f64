/* A scene that keeps up with time: fewer guides, longer steps. The costs are those of docs/design/live.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "base/sized.h"
#include "groom/strands.h"
#include "ringlet/live.h"
#include "sim/simulation_data.h"

/* CPU seconds on one core of the machine that they were measured on. */
static const double taz_point = 7e-9;        /* a point, a force step, with a share of its damping steps */
static const double implicit_point = 1.7e-6; /* a point, an iteration of Newton, in motion and in contact */
static const double body_seconds = 4e-3;     /* a tick: body and colliders */
static const double usual_iterations = 12.0; /* where Newton takes as many as it needs */
static const double with_constraints = 2.5;  /* times as much */

enum { LIVE_ITERATIONS = 6, GUIDES_MIN = 8, TEXT = 96, EACH = 8 };

rlt_status rlt_live_budget_reset(rlt_live_budget *budget) {
    const rlt_live_budget standard = {.rate = 24.0, .cores = 2, .share = 0.7, .speed = 1.0};
    return RLTI_WRITE(rlt_live_budget, budget, &standard, NULL);
}

/* One hair section: its size and its cost. */
typedef struct section {
    int strands, points;
    double seconds; /* of a tick */
} section;

typedef struct fitting {
    const rlti_scene_data *scene;
    section *sections;   /* [hair_count] */
    char (*texts)[TEXT]; /* [EACH hair_count] overrides */
    const char **overrides;
    int count;
    double budget; /* of a tick, for hair [s] */
} fitting;

static int is_implicit(const rlti_hair_data *hair) {
    return strcmp(hair->model, "taz") != 0;
}

static double implicit_cost(const rlti_scene_data *scene, int points, double iterations) {
    return implicit_point * points * iterations * (scene->constraint_count > 0 ? with_constraints : 1.0);
}

static double cost_of(const rlti_scene_data *scene, const rlti_hair_data *hair, int points) {
    const rlti_time_data *time = &scene->time;
    if (!is_implicit(hair))
        return taz_point * points * time->outer_steps * time->force_steps * (2.0 + time->damping_steps);
    double iterations = fmin(hair->rod.iterations, usual_iterations);
    return implicit_cost(scene, points, iterations * hair->rod.steps);
}

/* The strands that the scene makes, by section. */
static rlt_status count_strands(fitting *f, rlt_messages *messages) {
    rlti_body *body = NULL;
    rlti_strands *strands = NULL;
    rlt_status status = rlti_body_create(f->scene, messages, &body);
    if (status == RLT_OK)
        status = rlti_groom_create(f->scene, body, messages, &strands);
    for (int s = 0; status == RLT_OK && s < strands->strand_count; s++) {
        f->sections[strands->hair[s]].strands++;
        f->sections[strands->hair[s]].points += strands->first[s + 1] - strands->first[s];
    }
    rlti_groom_destroy(strands);
    rlti_body_destroy(body);
    return status;
}

static double add_up(const fitting *f) {
    double sum = 0.0;
    for (int h = 0; h < f->scene->hair_count; h++)
        sum += f->sections[h].seconds;
    return sum;
}

static void give(fitting *f, int h, const char *key, const char *value) {
    char *text = f->texts[f->count];
    snprintf(text, TEXT, "hair[%d].%s=%s", h, key, value);
    f->overrides[f->count++] = text;
}

static void give_whole(fitting *f, int h, const char *key, int value) {
    char text[32];
    snprintf(text, sizeof text, "%d", value);
    give(f, h, key, text);
}

/* One long step a tick, and a fixed number of iterations. */
static void lengthen_steps(fitting *f, int h) {
    const rlti_hair_data *hair = &f->scene->hair[h];
    if (!is_implicit(hair))
        give(f, h, "model", "rod");
    give(f, h, "rod.steps", "1");
    if (hair->rod.iterations > LIVE_ITERATIONS)
        give_whole(f, h, "rod.iterations", LIVE_ITERATIONS);
    if (is_implicit(hair) && hair->contact_method == RLTI_CONTACT_SOLVE && hair->link.count == 0)
        give(f, h, "contact.method", "springs");
    f->sections[h].seconds = implicit_cost(f->scene, f->sections[h].points, LIVE_ITERATIONS);
}

/* Fewer guides, with as many hairs in pictures. */
static void thin_out(fitting *f, int h, double share, rlt_messages *messages) {
    const rlti_hair_data *hair = &f->scene->hair[h];
    int strands = f->sections[h].strands, fewer = (int)(share * strands);
    fewer = fewer > GUIDES_MIN ? fewer : GUIDES_MIN;
    if (hair->file[0] != '\0' || hair->strand_count > 0) {
        rlti_message(
            messages, RLT_NOTE,
            "live: hair '%s': its %d strands are given one by one and all of them stay; it may be too "
            "slow",
            hair->name, strands);
        return;
    }
    if (fewer >= strands)
        return;
    give_whole(f, h, "count", fewer);
    if (hair->total_points > 0)
        give_whole(f, h, "total_points", (int)((double)hair->total_points * fewer / strands));
    if (hair->fill.count == 0) {
        char text[32];
        rlti_number_short(hair->fill.per_guide * strands / fewer, text, sizeof text);
        give(f, h, "fill.per_guide", text);
    }
    rlti_message(messages, RLT_NOTE, "live: hair '%s': %d guides instead of %d", hair->name, fewer, strands);
}

static void note_steps(const fitting *f, rlt_messages *messages) {
    for (int h = 0; h < f->scene->hair_count; h++) {
        const rlti_hair_data *hair = &f->scene->hair[h];
        int solved = is_implicit(hair) && hair->contact_method == RLTI_CONTACT_SOLVE && hair->link.count == 0;
        if (hair->role != RLTI_ROLE_HAIR)
            continue;
        rlti_message(messages, RLT_NOTE, "live: hair '%s': %s1 step a frame, at most %d Newton iterations%s",
                     hair->name, is_implicit(hair) ? "" : "model rod in place of taz, ", LIVE_ITERATIONS,
                     solved ? ", contacts by springs" : "");
    }
}

static rlt_status fit(fitting *f, const rlt_scene *scene, rlt_messages *messages, rlt_scene **fitted) {
    rlt_status status = count_strands(f, messages);
    if (status != RLT_OK)
        return status;
    for (int h = 0; h < f->scene->hair_count; h++)
        f->sections[h].seconds = cost_of(f->scene, &f->scene->hair[h], f->sections[h].points);
    if (add_up(f) <= f->budget)
        return rlt_scene_change(scene, NULL, 0, messages, fitted);
    for (int h = 0; h < f->scene->hair_count; h++)
        if (f->scene->hair[h].role == RLTI_ROLE_HAIR)
            lengthen_steps(f, h);
    /* constraints that only taz knows: then it is fewer guides of it */
    rlt_scene *other = NULL;
    int taken = rlt_scene_change(scene, f->overrides, f->count, NULL, &other) == RLT_OK &&
                rlt_model_check(other, NULL) == RLT_OK;
    rlt_scene_destroy(other);
    if (taken)
        note_steps(f, messages);
    else
        f->count = 0;
    for (int h = 0; h < f->scene->hair_count && !taken; h++)
        f->sections[h].seconds = cost_of(f->scene, &f->scene->hair[h], f->sections[h].points);
    double share = f->budget / add_up(f);
    for (int h = 0; h < f->scene->hair_count && share < 1.0; h++)
        if (f->scene->hair[h].role == RLTI_ROLE_HAIR)
            thin_out(f, h, share, messages);
    return rlt_scene_change(scene, f->overrides, f->count, messages, fitted);
}

rlt_status rlt_live_fit(const rlt_scene *scene, const rlt_live_budget *budget, rlt_messages *messages,
                        rlt_scene **fitted) {
    *fitted = NULL;
    rlt_live_budget own = rlt_live_budget_defaults();
    if (budget != NULL && RLTI_READ(rlt_live_budget, &own, budget, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    if (scene == NULL || !(own.rate > 0.0) || own.cores < 1 || !(own.share > 0.0) || !(own.speed > 0.0))
        return rlti_refuse(messages,
                           "rlt_live_fit: the scene is NULL, or a number of the budget is not above 0");
    fitting f = {.scene = rlti_scene_get(scene)};
    size_t hair = (size_t)f.scene->hair_count;
    f.budget = fmax(own.share * own.cores * own.speed / own.rate - body_seconds, 1e-3);
    int done = RLTI_ALLOCATE(RLTI_ITEMS(f.sections, hair), RLTI_ITEMS(f.texts, EACH * hair),
                             RLTI_ITEMS(f.overrides, EACH * hair));
    rlt_status status = done ? fit(&f, scene, messages, fitted) : rlti_out_of_memory(messages);
    RLTI_FREE(f.sections, f.texts, f.overrides);
    return status;
}
