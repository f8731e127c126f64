/* coil-clumps: balls of coils are shaken and left to rest, with so few wisps that they can lean on each
 * other, and with so many that they cannot. Measured is how far the outer half of a wisp is from that of its
 * nearest neighbour, in the mean, over the same of a random arrangement: the same wisps, each turned about
 * the vertical by an angle of its own, so that what weight does to them stays. 1 is random, less is clumped,
 * more is evenly spread. A ball has no border, so nothing is to be corrected there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_contacts.h"
#include "validate/validate_hairs.h"

enum { TURN = 12 /* points of about a turn */, STATIONS = 6, DRAWS = 3 /* random arrangements */ };

/* The middle line of the outer half of a wisp: means over a turn. */
typedef double wisp[STATIONS][3];

typedef struct ball {
    int wisps, frame;
    wisp *now, *random;     /* [wisps] about the ball's middle */
    double groomed, shaken; /* evenness at first and at the end */
} ball;

static void find_wisps(ball *b, const rlt_frame_view *view) {
    double middle[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < b->wisps; i++) /* roots are all over the ball */
        for (int k = 0; k < 3; k++)
            middle[k] += view->points[3 * (size_t)view->first[i] + k] / b->wisps;
    for (int i = 0; i < b->wisps; i++)
        for (int s = 0; s < STATIONS; s++) {
            int count = view->first[i + 1] - view->first[i];
            int from = count / 2 + (count - count / 2 - TURN) * s / (STATIONS - 1);
            for (int k = 0; k < 3; k++) {
                b->now[i][s][k] = -middle[k];
                for (int j = from; j < from + TURN; j++)
                    b->now[i][s][k] += view->points[3 * (size_t)(view->first[i] + j) + k] / TURN;
            }
        }
}

/* Mean distance of a wisp from the nearest other. */
static double mean_nearest(const wisp *wisps, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        double nearest = HUGE_VAL;
        for (int j = 0; j < count; j++) {
            double apart = 0.0;
            for (int s = 0; s < STATIONS && j != i && apart < nearest * STATIONS; s++)
                apart += hairs_distance(wisps[i][s], wisps[j][s]);
            if (j != i)
                nearest = fmin(nearest, apart / STATIONS);
        }
        sum += nearest / count;
    }
    return sum;
}

/* Gravity is along y. */
static void turn_all(ball *b, hairs *random) {
    for (int i = 0; i < b->wisps; i++) {
        double turn = hairs_random(random, 0.0, 2.0 * HAIRS_PI), c = cos(turn), s = sin(turn);
        for (int k = 0; k < STATIONS; k++) {
            const double *p = b->now[i][k];
            b->random[i][k][0] = c * p[0] - s * p[2];
            b->random[i][k][1] = p[1];
            b->random[i][k][2] = s * p[0] + c * p[2];
        }
    }
}

static double evenness(ball *b) {
    hairs source = {.random = 11};
    double scattered = 0.0;
    for (int draw = 0; draw < DRAWS; draw++) {
        turn_all(b, &source);
        scattered += mean_nearest(b->random, b->wisps) / DRAWS;
    }
    return mean_nearest(b->now, b->wisps) / scattered;
}

static int watch(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    ball *b = context;
    (void)simulation;
    if (view->strand_count != b->wisps)
        return 0;
    find_wisps(b, view);
    if (b->frame++ == 0)
        b->groomed = evenness(b);
    return 1;
}

static rlt_status measure(validate_run *run, const char *name, int wisps, ball *b) {
    char text[BENCH_SCENE_SIZE], diverged[VALIDATE_TEXT];
    *b = (ball){.wisps = wisps,
                .now = malloc((size_t)wisps * sizeof *b->now),
                .random = malloc((size_t)wisps * sizeof *b->random)};
    rlt_status status = b->now != NULL && b->random != NULL && bench_contacts_scene(name, text, sizeof text)
                            ? RLT_OK
                            : RLT_FAILED;
    validate_note(run, "%s", name);
    if (status == RLT_OK)
        status = validate_simulate(run, text, watch, b, diverged);
    if (status == RLT_OK)
        b->shaken = evenness(b);
    free(b->now);
    free(b->random);
    b->now = b->random = NULL;
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
        validate_result r = {.model = "coil", .unit = "", .measured = b.shaken, .reference = 0.95};
        int pass = crowds[k].clumps > 0 ? b.shaken < 0.95 : b.shaken >= 0.95;
        r.rule = crowds[k].clumps > 0 ? "measured < reference" : "measured >= reference";
        r.verdict = pass ? VALIDATE_PASS : (crowds[k].clumps > 0 ? VALIDATE_NOT_EXPECTED : VALIDATE_FAIL);
        snprintf(r.name, sizeof r.name, "%d wisps", crowds[k].wisps);
        snprintf(r.reason, sizeof r.reason, "Groomed %.3g, shaken and at rest %.3g; 1 is random.%s",
                 b.groomed, b.shaken,
                 pass ? ""
                      : " Contacts let nothing pass: wisps that fall against each other are not held behind "
                        "each other.");
        validate_detail(&r, "groomed", b.groomed);
        validate_detail(&r, "shaken", b.shaken);
        status = validate_add(run, &r);
    }
    return status;
}
