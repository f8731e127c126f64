/* coil-clumps: balls of coils are shaken and left to rest, with so few wisps that they can lean on each
 * other, and with so many that they cannot. Measured is how far a wisp's outer end is from the nearest
 * other one, over how far from the twelfth, against the same of places scattered at random: 1 is random, less
 * is clumped, more is evenly spread. The twelfth stands for the density around, which weight changes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_contacts.h"
#include "validate/validate_hairs.h"

enum { LAST = 12 /* points of the outermost turn */, FAR = 12 /* the neighbour that shows the density */ };

typedef struct ball {
    int wisps, frame;
    double (*ends)[3];      /* [wisps] directions from the ball's middle */
    double groomed, shaken; /* evenness at first and at the end */
} ball;

/* Directions of the wisps' ends: of the middle of their last turn. */
static void find_ends(ball *b, const rlt_frame_view *view) {
    double middle[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < b->wisps; i++) /* roots are all over the ball */
        for (int k = 0; k < 3; k++)
            middle[k] += view->points[3 * (size_t)view->first[i] + k] / b->wisps;
    for (int i = 0; i < b->wisps; i++) {
        double *end = b->ends[i], length;
        for (int k = 0; k < 3; k++) {
            end[k] = -middle[k];
            for (int j = 1; j <= LAST; j++)
                end[k] += view->points[3 * (size_t)(view->first[i + 1] - j) + k] / LAST;
        }
        length = sqrt(hairs_dot(end, end));
        for (int k = 0; k < 3; k++)
            end[k] /= length;
    }
}

/* Cosines of the nearest FAR others, the greatest first. */
static void find_nearest(const ball *b, int wisp, double nearest[FAR]) {
    for (int k = 0; k < FAR; k++)
        nearest[k] = -1.0;
    for (int j = 0; j < b->wisps; j++) {
        double cosine = j == wisp ? -1.0 : hairs_dot(b->ends[wisp], b->ends[j]);
        for (int k = FAR - 1; k >= 0 && cosine > nearest[k]; k--) {
            if (k + 1 < FAR)
                nearest[k + 1] = nearest[k];
            nearest[k] = cosine;
        }
    }
}

/* Mean of nearest over twelfth, against scattered places: the k-th is at Gamma(k + 1/2) / Gamma(k) / sqrt(pi
 * density) in the mean. */
static double evenness(const ball *b) {
    double sum = 0.0, nearest[FAR];
    for (int i = 0; i < b->wisps; i++) {
        find_nearest(b, i, nearest);
        sum += acos(fmin(1.0, nearest[0])) / acos(fmin(1.0, nearest[FAR - 1])) / b->wisps;
    }
    return sum * tgamma(FAR + 0.5) / tgamma(FAR) / tgamma(1.5);
}

static int watch(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    ball *b = context;
    (void)simulation;
    if (view->strand_count != b->wisps)
        return 0;
    find_ends(b, view);
    if (b->frame++ == 0)
        b->groomed = evenness(b);
    return 1;
}

static rlt_status measure(validate_run *run, const char *name, int wisps, ball *b) {
    char text[BENCH_SCENE_SIZE], diverged[VALIDATE_TEXT];
    *b = (ball){.wisps = wisps, .ends = malloc((size_t)wisps * sizeof *b->ends)};
    if (b->ends == NULL || !bench_contacts_scene(name, text, sizeof text)) {
        free(b->ends);
        return RLT_FAILED;
    }
    validate_note(run, "%s", name);
    rlt_status status = validate_simulate(run, text, watch, b, diverged);
    b->shaken = evenness(b);
    free(b->ends);
    b->ends = NULL;
    return status;
}

static const struct crowd {
    const char *name;
    int wisps;
    int clumps; /* 1: clumps form in the talk, 0: none */
} crowds[] = {{"coilball-2k", 2000, 1}, {"coilball-4k", 4000, 0}, {"coilball-8k", 8000, 0}};
enum { CROWDS = sizeof crowds / sizeof crowds[0] };

rlt_status validate_coil_clumps(validate_run *run) {
    rlt_status status = RLT_OK;
    for (int k = 0; k < (validate_full(run) ? CROWDS : 1) && status == RLT_OK; k++) {
        ball b;
        status = measure(run, crowds[k].name, crowds[k].wisps, &b);
        if (status != RLT_OK)
            break;
        validate_result r = {.model = "coil", .unit = "", .measured = b.shaken, .reference = 1.0};
        int pass = crowds[k].clumps > 0 ? b.shaken < 1.0 : b.shaken >= 1.0;
        r.rule = crowds[k].clumps > 0 ? "measured < reference" : "measured >= reference";
        r.verdict = pass ? VALIDATE_PASS : (crowds[k].clumps > 0 ? VALIDATE_NOT_EXPECTED : VALIDATE_FAIL);
        snprintf(r.name, sizeof r.name, "%d wisps", crowds[k].wisps);
        snprintf(r.reason, sizeof r.reason, "Groomed %.3g, shaken and at rest %.3g; 1 is random.%s",
                 b.groomed, b.shaken,
                 pass ? "" : " Solved contacts only push: nothing holds wisps together that have met.");
        validate_detail(&r, "groomed", b.groomed);
        validate_detail(&r, "shaken", b.shaken);
        status = validate_add(run, &r);
    }
    return status;
}
