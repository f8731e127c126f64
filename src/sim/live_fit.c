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
static const double implicit_point = 0.8e-6; /* a point, an iteration of Newton, in motion and in contact */
static const double skin_seconds = 6e-3;     /* a tick: the head's skin, its distance grid and colliders */
static const double horse_seconds = 15e-3;   /* and the horse's, in cells that are HORSE_CELLS times larger */
static const double spin_factor = 0.4;       /* more of that for a turn a second: it is swept */
static const double bare_seconds = 2e-3;     /* and without a mesh */
static const double pose_seconds = 0.4e-3;   /* the head's skin, an outer step of taz */
static const double hair_seconds = 10e-3;    /* a tick, for hair at least: guides do not go below that */
static const double usual_iterations = 12.0; /* where Newton takes as many as it needs */
static const double with_constraints = 1.6;  /* times as much: springs, */
static const double with_hard = 3.5;         /* what is reached in every step, */
static const double with_groups = 7.0;       /* and what strands have to agree on */
static const double later_step = 0.5;        /* of what the first step of a tick costs, each further one */

enum {
    LIVE_ITERATIONS = 6,
    LIVE_STEPS_MAX = 3, /* a tick, where there is time for more than one */
    LIVE_CONTACT_ROUNDS = 1,
    LIVE_CONTACT_SWEEPS = 4,
    LIVE_OUTER_STEPS = 6,
    LIVE_BOUND_STIFFNESS = 30000, /* [1/s^2] */
    GUIDES_MIN = 16,              /* fewer of them are no head of hair, however slow it is */
    HEAD_CELLS = 2, /* bodies' grids have cells so many times larger: few guides meet few of them */
    HORSE_CELLS = 8,
    TEXT = 96,
    EACH = 8
};

rlt_status rlt_live_budget_reset(rlt_live_budget *budget) {
    const rlt_live_budget standard = {.rate = 24.0, .cores = 2, .share = 0.42, .speed = 1.0};
    return RLTI_WRITE(rlt_live_budget, budget, &standard, NULL);
}

typedef struct fitting {
    const rlti_scene_data *scene;
    rlti_groom_size *sizes; /* [hair_count] */
    double *seconds;        /* [hair_count] of a tick */
    char (*texts)[TEXT];    /* [EACH hair_count] overrides */
    const char **overrides;
    int count;
    int softened;        /* bounds are held by springs */
    int steps;           /* a tick, implicit */
    double whole, least; /* of a tick, for everything, and for hair in any case [s] */
} fitting;

static int is_implicit(const rlti_hair_data *hair) {
    return strcmp(hair->model, "taz") != 0;
}

/* Strands whose points meet in one are solved again until they do. Points that are held in place cost what
 * springs do. */
static double constraint_factor(const rlti_constraint_data *constraint, int softened) {
    if (softened && constraint->kind == RLTI_CONSTRAINT_BOUND)
        return with_constraints;
    if (constraint->kind == RLTI_CONSTRAINT_CENTROID || constraint->kind == RLTI_CONSTRAINT_TIPS)
        return with_groups;
    int in_place = constraint->kind == RLTI_CONSTRAINT_PIN || constraint->kind == RLTI_CONSTRAINT_FREEZE;
    return constraint->hard && !in_place ? with_hard : with_constraints;
}

static double implicit_cost(const rlti_scene_data *scene, double points, double iterations, int softened) {
    double factor = 1.0;
    for (int c = 0; c < scene->constraint_count; c++)
        factor = fmax(factor, constraint_factor(&scene->constraints[c], softened));
    return implicit_point * points * iterations * factor;
}

static double cost_of(const rlti_scene_data *scene, const rlti_hair_data *hair, double points) {
    const rlti_time_data *time = &scene->time;
    if (!is_implicit(hair))
        return taz_point * points * time->outer_steps * time->force_steps * (2.0 + time->damping_steps);
    double iterations = fmin(hair->rod.iterations, usual_iterations);
    return implicit_cost(scene, points, iterations * hair->rod.steps, 0);
}

/* A tick of everything but hair, with taz as it is or as rods. */
static double body_cost(const rlti_scene_data *scene, int as_rods) {
    rlti_character_kind kind = scene->character.kind;
    double grid = kind == RLTI_CHARACTER_NONE    ? bare_seconds
                  : kind == RLTI_CHARACTER_HORSE ? horse_seconds
                                                 : skin_seconds;
    if (scene->motion.kind == RLTI_MOTION_SPIN)
        grid *= 1.0 + spin_factor * fmin(scene->motion.spin, 3.0);
    int poses = 0;
    for (int h = 0; h < scene->hair_count; h++)
        if (!as_rods && !is_implicit(&scene->hair[h]) && scene->hair[h].role == RLTI_ROLE_HAIR)
            poses = scene->time.outer_steps;
    return grid + pose_seconds * poses * grid / skin_seconds;
}

/* The strands that the scene makes, by section. Warnings come again with the simulation: here only errors. */
static rlt_status count_strands(fitting *f, rlt_messages *messages) {
    rlt_status status = rlti_groom_count(f->scene, NULL, f->sizes);
    if (status == RLT_BAD_INPUT)
        status = rlti_groom_count(f->scene, messages, f->sizes);
    return status;
}

static double add_up(const fitting *f) {
    double sum = 0.0;
    for (int h = 0; h < f->scene->hair_count; h++)
        sum += f->seconds[h];
    return sum;
}

/* Budget of a tick that is left for hair [s]. */
static double hair_budget(const fitting *f, int as_rods) {
    return fmax(f->whole - body_cost(f->scene, as_rods), f->least);
}

static void give(fitting *f, int h, const char *key, const char *value) {
    char *text = f->texts[f->count];
    snprintf(text, TEXT, "hair[%d].%s=%s", h, key, value);
    f->overrides[f->count++] = text;
}

/* A value of the whole scene. */
static void give_scene(fitting *f, const char *key, int value) {
    char *text = f->texts[f->count];
    snprintf(text, TEXT, "%s=%d", key, value);
    f->overrides[f->count++] = text;
}

static void give_whole(fitting *f, int h, const char *key, int value) {
    char text[32];
    snprintf(text, sizeof text, "%d", value);
    give(f, h, key, text);
}

/* Long steps, and a fixed number of iterations. */
static void lengthen_steps(fitting *f, int h) {
    const rlti_hair_data *hair = &f->scene->hair[h];
    if (!is_implicit(hair))
        give(f, h, "model", "rod");
    if (hair->rod.iterations > LIVE_ITERATIONS)
        give_whole(f, h, "rod.iterations", LIVE_ITERATIONS);
    if (is_implicit(hair) && hair->contact_method == RLTI_CONTACT_SOLVE && hair->link.count == 0)
        give(f, h, "contact.method", "springs");
    f->seconds[h] = implicit_cost(f->scene, (double)f->sizes[h].points, LIVE_ITERATIONS, 0);
}

/* Contacts stay solved, because of links. */
static int has_links(const fitting *f) {
    int linked = 0;
    for (int h = 0; h < f->scene->hair_count; h++)
        linked |= is_implicit(&f->scene->hair[h]) && f->scene->hair[h].link.count > 0;
    return linked;
}

/* Few rounds of them. */
static void shorten_contacts(fitting *f) {
    int solved = has_links(f);
    if (solved && f->scene->contact_newton > LIVE_CONTACT_ROUNDS)
        give_scene(f, "contacts.newton", LIVE_CONTACT_ROUNDS);
    if (solved && f->scene->contact_iterations > LIVE_CONTACT_SWEEPS)
        give_scene(f, "contacts.iterations", LIVE_CONTACT_SWEEPS);
}

/* Hard bounds are solved again and again until all of them hold; stiff springs are one solve, and hold nearly
 * as well. */
static void soften_bounds(fitting *f, rlt_messages *messages) {
    for (int c = 0; c < f->scene->constraint_count; c++) {
        const rlti_constraint_data *constraint = &f->scene->constraints[c];
        if (!constraint->hard || constraint->kind != RLTI_CONSTRAINT_BOUND)
            continue;
        snprintf(f->texts[f->count], TEXT, "constraints[%d].hold=soft", c);
        snprintf(f->texts[f->count + 1], TEXT, "constraints[%d].stiffness=%d", c, LIVE_BOUND_STIFFNESS);
        f->overrides[f->count] = f->texts[f->count];
        f->overrides[f->count + 1] = f->texts[f->count + 1];
        f->count += 2;
        f->softened = 1;
    }
    for (int h = 0; h < f->scene->hair_count && f->softened; h++)
        if (f->scene->hair[h].role == RLTI_ROLE_HAIR)
            f->seconds[h] = implicit_cost(f->scene, (double)f->sizes[h].points, LIVE_ITERATIONS, 1);
    if (f->softened)
        rlti_message(messages, RLT_NOTE,
                     "live: hard bounds are held by stiff springs: hair may give a little more");
}

/* Taz that stays: collisions are found less often, with as many steps of its springs. */
static void shorten_taz(fitting *f, rlt_messages *messages) {
    const rlti_time_data *time = &f->scene->time;
    int outer = time->outer_steps / 3;
    if (outer < LIVE_OUTER_STEPS)
        return;
    int force = (time->outer_steps * time->force_steps + outer - 1) / outer;
    give_scene(f, "time.outer_steps", outer);
    give_scene(f, "time.force_steps", force);
    rlti_message(messages, RLT_NOTE, "live: collisions are found %d times a frame instead of %d", outer,
                 time->outer_steps);
}

/* The shape that hair is blended with has as many strands. */
static void thin_shape(fitting *f, const char *name, int fewer) {
    for (int h = 0; h < f->scene->hair_count && name[0] != '\0'; h++) {
        const rlti_hair_data *shape = &f->scene->hair[h];
        if (shape->role != RLTI_ROLE_SHAPE || strcmp(shape->name, name) != 0 || shape->count <= 0)
            continue;
        give_whole(f, h, "count", fewer);
        if (shape->total_points > 0)
            give_whole(f, h, "total_points", (int)((double)shape->total_points * fewer / shape->count));
    }
}

/* Fewer guides, with as many hairs in pictures. */
static void thin_out(fitting *f, int h, double share, rlt_messages *messages) {
    const rlti_hair_data *hair = &f->scene->hair[h];
    int strands = f->sizes[h].strands, fewer = (int)(share * strands);
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
    thin_shape(f, hair->reshape.groom, fewer);
    if (hair->total_points > 0)
        give_whole(f, h, "total_points", (int)((double)hair->total_points * fewer / strands));
    int full = hair->fill.full; /* fewer guides than that carry more by themselves */
    double more = (double)(strands > full ? strands : full) / (fewer > full ? fewer : full);
    if (hair->fill.count == 0 && more > 1.0) {
        char text[32];
        rlti_number_short(hair->fill.per_guide * more, text, sizeof text);
        give(f, h, "fill.per_guide", text);
    }
    rlti_message(messages, RLT_NOTE, "live: hair '%s': %d guides instead of %d", hair->name, fewer, strands);
}

/* How many steps a tick takes: one, or more of them where `share` of what hair costs may be spent. With more
 * of them less of what moves is damped. No more than the scene has. */
static void choose_steps(fitting *f, double share) {
    f->steps = 1;
    if (share > 1.0 && !has_links(f))
        f->steps += (int)fmin((share - 1.0) / later_step, LIVE_STEPS_MAX - 1);
    for (int h = 0; h < f->scene->hair_count; h++) {
        const rlti_hair_data *hair = &f->scene->hair[h];
        int own = is_implicit(hair) ? hair->rod.steps : f->scene->time.outer_steps;
        if (hair->role == RLTI_ROLE_HAIR)
            f->steps = f->steps < own ? f->steps : own;
    }
    for (int h = 0; h < f->scene->hair_count; h++)
        if (f->scene->hair[h].role == RLTI_ROLE_HAIR)
            give_whole(f, h, "rod.steps", f->steps);
}

static void note_steps(const fitting *f, rlt_messages *messages) {
    for (int h = 0; h < f->scene->hair_count; h++) {
        const rlti_hair_data *hair = &f->scene->hair[h];
        int solved = is_implicit(hair) && hair->contact_method == RLTI_CONTACT_SOLVE && hair->link.count == 0;
        if (hair->role != RLTI_ROLE_HAIR)
            continue;
        rlti_message(messages, RLT_NOTE,
                     "live: hair '%s': %s%d step%s a frame, at most %d Newton iterations%s", hair->name,
                     is_implicit(hair) ? "" : "model rod in place of taz, ", f->steps,
                     f->steps > 1 ? "s" : "", LIVE_ITERATIONS, solved ? ", contacts by springs" : "");
    }
}

/* How much larger cells of the bodies' grids are. A head that spins fast sweeps many of them: there larger
 * ones are slower. */
static double cells_of(const rlti_scene_data *scene) {
    int spins = scene->motion.kind == RLTI_MOTION_SPIN;
    return scene->character.kind == RLTI_CHARACTER_HORSE ? HORSE_CELLS : (spins ? 1.0 : HEAD_CELLS);
}

static rlt_status fit(fitting *f, const rlt_scene *scene, rlt_messages *messages, rlt_scene **fitted) {
    rlt_status status = count_strands(f, messages);
    if (status != RLT_OK)
        return status;
    for (int h = 0; h < f->scene->hair_count; h++)
        f->seconds[h] = cost_of(f->scene, &f->scene->hair[h], (double)f->sizes[h].points);
    if (add_up(f) <= hair_budget(f, 0))
        return rlt_scene_change(scene, NULL, 0, messages, fitted);
    for (int h = 0; h < f->scene->hair_count; h++)
        if (f->scene->hair[h].role == RLTI_ROLE_HAIR)
            lengthen_steps(f, h);
    shorten_contacts(f);
    /* constraints that only taz knows: then it is fewer guides of it */
    rlt_scene *other = NULL;
    int taken = rlt_scene_change(scene, f->overrides, f->count, NULL, &other) == RLT_OK &&
                rlt_model_check(other, NULL) == RLT_OK;
    rlt_scene_destroy(other);
    if (!taken) {
        f->count = 0;
        shorten_taz(f, messages);
    }
    for (int h = 0; h < f->scene->hair_count && !taken; h++)
        f->seconds[h] = cost_of(f->scene, &f->scene->hair[h], (double)f->sizes[h].points);
    if (taken && add_up(f) > hair_budget(f, taken))
        soften_bounds(f, messages);
    double share = hair_budget(f, taken) / add_up(f);
    if (taken) {
        choose_steps(f, share);
        note_steps(f, messages);
    }
    for (int h = 0; h < f->scene->hair_count && share < 1.0; h++)
        if (f->scene->hair[h].role == RLTI_ROLE_HAIR)
            thin_out(f, h, share, messages);
    status = rlt_scene_change(scene, f->overrides, f->count, messages, fitted);
    if (status == RLT_OK)
        rlti_scene_set_coarse(*fitted, cells_of(f->scene));
    return status;
}

rlt_status rlt_live_fit(const rlt_scene *scene, const rlt_live_budget *budget, rlt_messages *messages,
                        rlt_scene **fitted) {
    if (fitted == NULL)
        return rlti_refuse(messages, "rlt_live_fit: no place for the scene is given (NULL)");
    *fitted = NULL;
    rlt_live_budget own = rlt_live_budget_defaults();
    if (budget != NULL && RLTI_READ(rlt_live_budget, &own, budget, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    double time = own.share * own.speed / own.rate;
    if (scene == NULL || !(own.rate > 0.0) || own.cores < 1 || !(own.share > 0.0) || !(own.speed > 0.0) ||
        !isfinite(time))
        return rlti_refuse(
            messages,
            "rlt_live_fit: the scene is NULL, or a number of the budget is not above 0 or not finite");
    fitting f = {.scene = rlti_scene_get(scene)};
    size_t hair = (size_t)f.scene->hair_count;
    f.whole = own.cores * time;
    f.least = hair_seconds * own.speed;
    size_t texts = EACH * hair + EACH + 2 * (size_t)f.scene->constraint_count;
    int done = RLTI_ALLOCATE(RLTI_ITEMS(f.sizes, hair), RLTI_ITEMS(f.seconds, hair),
                             RLTI_ITEMS(f.texts, texts), RLTI_ITEMS(f.overrides, texts));
    rlt_status status = done ? fit(&f, scene, messages, fitted) : rlti_out_of_memory(messages);
    RLTI_FREE(f.sizes, f.seconds, f.texts, f.overrides);
    return status;
}
