/* hair-order: the same hairs in another order. Contacts are solved one after the other, so before they have
 * converged their order counts; ids say nothing about hair, so it should count for little. Two tufts that
 * grow into each other are shaken; the hairs of each run are compared with those of the first by what they
 * are, not by their number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/validate_hairs.h"

enum { HAIRS = 60, POINTS = 13, FRAMES = 24 };

static const double edge = 0.8;   /* [unit] */
static const double nudge = 1e-9; /* [unit] */

typedef struct tuft {
    hairs h;
    int order[HAIRS];
    double *end; /* [HAIRS][POINTS][3] at the last frame, by what they are */
    double touching, residual;
} tuft;

static int keep(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    tuft *t = context;
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(simulation, &s);
    t->touching = fmax(t->touching, s.solved_touching);
    t->residual = fmax(t->residual, s.solved_residual);
    for (int k = 0; k < HAIRS; k++)
        memcpy(t->end + (size_t)t->order[k] * POINTS * 3, view->points + (size_t)k * POINTS * 3,
               sizeof(double) * POINTS * 3);
    return 1;
}

/* Hairs that hang down, spread over a disc, leaning to and fro. */
static void make(tuft *t) {
    for (int hair = 0; hair < HAIRS; hair++) {
        double out = 2.0 * sqrt(hairs_random(&t->h, 0.0, 1.0)), at = hairs_random(&t->h, 0.0, 2.0 * HAIRS_PI),
               lean = hairs_random(&t->h, -0.5, 0.5), *x = hairs_at(&t->h, hair, 0);
        double along[3] = {lean, -1.0, hairs_random(&t->h, -0.3, 0.3)},
               length = sqrt(hairs_dot(along, along));
        for (int i = 0; i < POINTS; i++, x += 3) {
            x[0] = out * cos(at) + edge * i * along[0] / length;
            x[1] = edge * i * along[1] / length;
            x[2] = out * sin(at) + edge * i * along[2] / length;
        }
    }
}

/* How the hairs are made: as they are; another order (Fisher and Yates); points moved by next to nothing. */
enum { AS_MADE, SHUFFLED, NUDGED };

static rlt_status shake(validate_run *run, int how, const char *contacts, int last, tuft *t) {
    if (!hairs_create(&t->h, HAIRS, POINTS, 7))
        return RLT_FAILED;
    t->end = calloc(HAIRS, sizeof(double) * POINTS * 3);
    if (t->end == NULL)
        return RLT_FAILED;
    make(t);
    for (int k = 0; k < HAIRS; k++)
        t->order[k] = k;
    for (int i = 0; how == NUDGED && i < HAIRS * POINTS * 3; i++)
        hairs_at(&t->h, 0, 0)[i] += hairs_random(&t->h, -nudge, nudge);
    for (int k = HAIRS - 1; how == SHUFFLED && k > 0; k--) {
        int other = (int)hairs_random(&t->h, 0.0, k + 1.0), was = t->order[k];
        t->order[k] = t->order[other];
        t->order[other] = was;
    }
    hairs_add(
        &t->h,
        "time: {first: 0, last: %d}\n"
        "character: {kind: none, keys: [[0, 0, 0, 0, 0, 0, 0], [6, 4, 0, 0, 0, 0, 0], [12, -4, 0, 0, 0, "
        "0, 0], [18, 0, 0, 0, 0, 0, 0]]}\n"
        "contacts: {%s}\nhair:\n- model: rod\n  rod: {tolerance: 1e-6}\n"
        "  contact: {method: solve, radius: 0.2, friction: 0.3, groom: keep}\n",
        last, contacts);
    hairs_list(&t->h, 0, HAIRS, t->order);
    return validate_simulate(run, t->h.text, keep, t, NULL);
}

static void destroy(tuft *t) {
    hairs_destroy(&t->h);
    free(t->end);
}

/* The mean and the greatest distance of the same points, over the length. */
static void compare(const tuft *a, const tuft *b, double *mean, double *most) {
    double length = edge * (POINTS - 1);
    for (int i = 0; i < HAIRS * POINTS; i++) {
        double off = hairs_distance(a->end + 3 * (size_t)i, b->end + 3 * (size_t)i) / length;
        *mean += off / (HAIRS * POINTS);
        *most = fmax(*most, off);
    }
}

/* Another order should make no more difference than the limit. Where contacts open and close by turns,
 * anything grows, whatever its size was: then it should make no more than a nudge does. */
static rlt_status one(validate_run *run, const char *name, const char *contacts, int last, double limit) {
    tuft tufts[3];
    double mean[3] = {0}, most[3] = {0};
    rlt_status status = RLT_OK;
    memset(tufts, 0, sizeof tufts);
    validate_note(run, "%s", name);
    for (int how = AS_MADE; status == RLT_OK && how <= NUDGED; how++) {
        status = shake(run, how, contacts, last, &tufts[how]);
        if (status == RLT_OK)
            compare(&tufts[AS_MADE], &tufts[how], &mean[how], &most[how]);
    }
    double grown = 2.0 * mean[NUDGED], allowed = fmax(limit, grown);
    validate_result r = {.model = "rod",
                         .unit = "length",
                         .measured = mean[SHUFFLED],
                         .reference = allowed,
                         .rule = allowed > limit ? "mean difference of points < twice that of a nudge"
                                                 : "mean difference of points < reference"};
    snprintf(r.name, sizeof r.name, "%s, %d frames", name, last);
    snprintf(r.reason, sizeof r.reason,
             "At most %.1e of the length; %.1e in the mean where points begin %.0e units off in the same "
             "order; up to %.0f contacts touch.",
             most[SHUFFLED], mean[NUDGED], nudge, tufts[0].touching);
    validate_detail(&r, "maximum", most[SHUFFLED]);
    validate_detail(&r, "nudged", mean[NUDGED]);
    validate_detail(&r, "touching", tufts[0].touching);
    validate_detail(&r, "residual_of_radius", tufts[0].residual);
    r.verdict = mean[SHUFFLED] < allowed && tufts[0].touching > 20.0 ? VALIDATE_PASS : VALIDATE_FAIL;
    for (int k = 0; k < 3; k++)
        destroy(&tufts[k]);
    return status == RLT_OK ? validate_add(run, &r) : status;
}

rlt_status validate_hair_order(validate_run *run) {
    rlt_status status = one(run, "as usual", "block: whole", 6, 0.001);
    if (status == RLT_OK)
        status = one(run, "as usual", "block: whole", FRAMES, 0.01);
    return status == RLT_OK ? one(run, "paper's lumped masses", "block: lumped", FRAMES, 0.01) : status;
}
