/* coil-clumps: balls of coils are shaken and left to rest, with so many wisps that have room to lean on each
 * other, and with so many that they have none. Measured is the mean distance of a wisp's outer end to the
 * nearest other one, against that of as many places scattered at random over a ball of the same size (Clark
 * and Evans): 1 is random, less is clumped, more is evenly spread. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_contacts.h"
#include "validate/validate_hairs.h"

enum { LAST = 12 /* points of the outermost turn */ };

typedef struct ball {
    int wisps, frame;
    double (*ends)[3];      /* [wisps] directions from the ball's middle */
    double groomed, shaken; /* Clark and Evans, at first and at the end */
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

/* Mean distance to the nearest over that of a random arrangement, 1 / (2 sqrt(density)). */
static double clark_evans(const ball *b) {
    double sum = 0.0;
    for (int i = 0; i < b->wisps; i++) {
        double nearest = -1.0; /* cosine */
        for (int j = 0; j < b->wisps; j++)
            if (j != i)
                nearest = fmax(nearest, hairs_dot(b->ends[i], b->ends[j]));
        sum += acos(fmin(1.0, nearest)) / b->wisps;
    }
    return sum / (0.5 * sqrt(4.0 * HAIRS_PI / b->wisps));
}

static int watch(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    ball *b = context;
    (void)simulation;
    if (view->strand_count != b->wisps)
        return 0;
    find_ends(b, view);
    if (b->frame++ == 0)
        b->groomed = clark_evans(b);
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
    b->shaken = clark_evans(b);
    free(b->ends);
    b->ends = NULL;
    return status;
}

static const struct crowd {
    const char *name;
    int wisps;
    int clumps; /* 1: clumps are meant to form, -1: not, 0: the talk says neither */
} crowds[] = {{"coilball-2k", 2000, 1}, {"coilball-4k", 4000, 0}, {"coilball-8k", 8000, -1}};
enum { CROWDS = sizeof crowds / sizeof crowds[0] };

rlt_status validate_coil_clumps(validate_run *run) {
    rlt_status status = RLT_OK;
    for (int k = 0; k < (validate_full(run) ? CROWDS : 1) && status == RLT_OK; k++) {
        ball b;
        status = measure(run, crowds[k].name, crowds[k].wisps, &b);
        if (status != RLT_OK)
            break;
        validate_result r = {.model = "coil", .unit = "", .measured = b.shaken, .reference = b.groomed};
        r.rule = "reported";
        snprintf(r.name, sizeof r.name, "%d wisps", crowds[k].wisps);
        validate_detail(&r, "groomed", b.groomed);
        validate_detail(&r, "shaken", b.shaken);
        status = validate_add(run, &r);
    }
    return status;
}
