/* Contacts between hairs in whole simulations: bundles pressed together keep apart and come to rest, hair
 * keeps its volume, pruned pairs pass through each other and others do not; place and step length do not
 * matter. */
#include "run_fixture.h"

/* Two bundles of curls hang side by side. The air blows the first one against the second, which it cannot
 * move. Two outer steps to a frame, so that nothing goes unseen. */
static const char pressed[] =
    "time: {fps: 720, last: 9000, outer_steps: %d, force_steps: %d, damping_steps: 5}\n"
    "motion: {kind: still}\n"
    "character: {kind: none}\n"
    "wind: {velocity: [150, 0, 0]}\n"
    "hair:\n"
    "  - {name: blown, region: none, strands: [%s], drag: %g, %s}\n"
    "  - {name: still, region: none, strands: [%s], drag: 0, %s}\n";

/* Stiff enough to come to rest soon. */
#define MATERIAL                                                                                             \
    "mass: 1, stretch: {stiffness: 1e6, damping: 1000}, bend: {stiffness: 4e4, damping: 1500}, prune: {%s}," \
    " contact: {%s}"

enum { HAIRS = 9, POINTS = 21 };

/* A bundle of hairs hanging from a square at x, one unit apart. */
static const char *hang(char *text, size_t size, double x) {
    size_t used = 0;
    for (int k = 0; k < HAIRS; k++)
        for (int i = 0; i < POINTS; i++)
            used += (size_t)snprintf(text + used, size - used, "%s[%.10g, %g, %g]%s", i == 0 ? "[" : "",
                                     x + k % 3, 0.7 * -i + 0.05 * (k / 3), 1.0 * (k / 3) + 0.3 * (k % 3),
                                     i + 1 < POINTS  ? ", "
                                     : k + 1 < HAIRS ? "], "
                                                     : "]");
    assert_true(used < size);
    return text;
}

typedef struct press {
    double gap;   /* between the bundles */
    double drag;  /* of the blown one */
    double place; /* along x */
    const char *contact, *prune;
    int outer_steps, force_steps;
} press;

static const press standard = {2, 3, 0, "enabled: on", "random: 0", 2, 15};

static void press_begin(run *r, const press *p) {
    char a[8192], b[8192], material[512];
    snprintf(material, sizeof material, MATERIAL, p->prune, p->contact);
    run_begin(r, RLT_SIMD_AUTO, 2, pressed, p->outer_steps, p->force_steps, hang(a, sizeof a, p->place),
              p->drag, material, hang(b, sizeof b, p->place + p->gap + 2), material);
}

/* Mean x of the lower half of a bundle, relative to its roots' place in the groom. */
static double leaning(const run *r, int bundle) {
    rlt_frame_view view = run_view(r);
    double sum = 0;
    for (int h = bundle * HAIRS; h < (bundle + 1) * HAIRS; h++)
        for (int i = POINTS / 2; i < POINTS; i++) {
            int p = view.first[h] + i;
            sum += view.points[3 * p] - view.rest[3 * view.first[bundle * HAIRS]];
        }
    return sum / (HAIRS * (POINTS - POINTS / 2));
}

/* How far the middle of the blown bundle is in front of the other's, negative: behind. */
static double in_front(const run *r, double gap) {
    return gap + 2 + leaning(r, 1) - leaning(r, 0);
}

/* The greatest acceleration and speed of any point over some steps. */
static void watch(run *r, int steps, double *acceleration, double *speed) {
    rlt_frame_view view = run_view(r);
    size_t bytes = (size_t)view.point_count * 3 * sizeof(double);
    double *before = malloc(bytes), origin[3] = {0, 0, 0};
    *acceleration = *speed = 0;
    for (int n = 0; n < steps; n++) {
        memcpy(before, run_view(r).velocities, bytes);
        run_frames(r, 1);
        view = run_view(r);
        for (int p = 0; p < view.point_count; p++) {
            *acceleration = fmax(*acceleration, 720 * run_distance(view.velocities + 3 * p, before + 3 * p));
            *speed = fmax(*speed, run_distance(view.velocities + 3 * p, origin));
        }
    }
    free(before);
}

static double pressed_for(const press *p, int frames, double **points) {
    run r;
    press_begin(&r, p);
    run_frames(&r, frames);
    double result = in_front(&r, p->gap);
    if (points != NULL)
        *points = run_points(&r);
    run_end(&r);
    return result;
}

static void pressed_bundles_keep_apart_and_rest(void **state) {
    (void)state;
    press without = standard;
    without.contact = "enabled: off";
    double acceleration, speed, through = pressed_for(&without, 1000, NULL);
    run r;
    press_begin(&r, &standard);
    run_frames(&r, 1440);
    double apart = in_front(&r, standard.gap);
    watch(&r, 200, &acceleration, &speed);
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(r.simulation, &s);
    print_message("in front by %.3f, without contacts %.3f; acceleration %.3g, speed %.3g, %lld contacts\n",
                  apart, through, acceleration, speed, s.hair_contacts);
    assert_true(s.hair_contacts > 100);
    assert_true(apart > 2.2); /* the bundles' own half widths, at the least */
    assert_true(through < 0.6);
    assert_true(acceleration < 0.01 * 981);
    assert_true(speed < 0.5); /* friction is viscous where it does not slip: pressed hair creeps */
    run_end(&r);
}

/* Bundles that are apart in the groom and meet later are the known failure of pruning; less of it mends that.
 */
static void pruned_pairs_pass_through(void **state) {
    (void)state;
    press pruned = standard, all = standard;
    pruned.prune = "reach: 1, random: 0";
    all.prune = "pairs: off";
    double through = pressed_for(&pruned, 1000, NULL), apart = pressed_for(&all, 1000, NULL);
    print_message("in front by %.3f when pruned, %.3f when not\n", through, apart);
    assert_true(through < 0.6);
    assert_true(apart > 2.2);
}

static void compare(const char *name, const double *a, const double *b, double shift, double most) {
    double worst = 0, moved[3];
    for (int p = 0; p < 2 * HAIRS * POINTS; p++) {
        for (int axis = 0; axis < 3; axis++)
            moved[axis] = b[3 * p + axis] - (axis == 0 ? shift : 0);
        worst = fmax(worst, run_distance(a + 3 * p, moved));
    }
    print_message("%s: at most %.3g apart\n", name, worst);
    assert_true(worst < most);
}

static void place_and_steps_do_not_matter(void **state) {
    (void)state;
    press far = standard, half = standard, finer = standard;
    double *points, *others;
    far.place = 1e5;
    half.outer_steps = 4; /* the force steps stay nearly as long */
    half.force_steps = 8;
    finer.force_steps = 30;
    pressed_for(&standard, 500, &points);
    pressed_for(&far, 500, &others);
    compare("far from the origin", points, others, 1e5, 0.02);
    free(others);
    free(points);
    pressed_for(&standard, 1440, &points);
    pressed_for(&half, 1440, &others);
    compare("half the outer step", points, others, 0, 0.01);
    free(others);
    pressed_for(&finer, 1440, &others);
    compare("half the force step", points, others, 0, 0.01);
    free(others);
    free(points);
}

/* Curls on a head that stands still. */
static const char head[] = "time: {fps: 720, last: 9000, outer_steps: 2, force_steps: 15, damping_steps: 5}\n"
                           "motion: {kind: still}\n"
                           "character: {kind: head, resolution: 24}\n"
                           "hair: {preset: redhead, region: scalp, count: 70, length: 22, total_points: "
                           "2100, stretch: {stiffness: 1e6, damping: 1500},"
                           " contact: {enabled: %s}}\n";

/* Mean distance of all points from the axis of the head. */
static double width_of(const char *contact) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2, head, contact);
    run_frames(&r, 500);
    rlt_frame_view view = run_view(&r);
    double sum = 0;
    for (int p = 0; p < view.point_count; p++)
        sum += hypot(view.points[3 * p], view.points[3 * p + 2]);
    sum /= view.point_count;
    run_end(&r);
    return sum;
}

static void contacts_keep_volume(void **state) {
    (void)state;
    double with = width_of("on"), without = width_of("off");
    print_message("points are %.3f from the axis, without contacts %.3f\n", with, without);
    assert_true(with > without + 0.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressed_bundles_keep_apart_and_rest),
        cmocka_unit_test(pruned_pairs_pass_through),
        cmocka_unit_test(place_and_steps_do_not_matter),
        cmocka_unit_test(contacts_keep_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
