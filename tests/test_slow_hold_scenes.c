/* The scenes of the guide's page about holding the shape: what each control does, by a number with it and
 * without it. */
#include "run_fixture.h"

#define FILES RLT_SOURCE_DIR "/scenes/files/"

/* An embedded scene, or a file by its path, after `frames` more frames; `off` is "" or switches the control
 * off, `few` makes it quick. */
static void run_scene(run *r, const char *scene, const char *few, const char *off, int frames) {
    const char *const overrides[] = {few, off};
    int count = off[0] != '\0' ? 2 : 1;
    *r = (run){.messages = rlt_messages_create()};
    rlt_status status = strchr(scene, '/') != NULL
                            ? rlt_scene_load_file(scene, overrides, count, r->messages, &r->scene)
                            : rlt_scene_load_embedded(scene, overrides, count, r->messages, &r->scene);
    assert_int_equal(status, RLT_OK);
    assert_int_equal(rlt_simulation_create(r->scene, NULL, r->messages, &r->simulation), RLT_OK);
    run_frames(r, frames);
}

static size_t tip_of(const rlt_frame_view *v, int strand) {
    return 3 * (size_t)(v->first[strand + 1] - 1);
}

/* Mean distance of the tips from their place in the groom, carried by the root without its turn. */
static double tips_off_groom(const run *r) {
    rlt_frame_view v = run_view(r);
    double sum = 0.0;
    for (int s = 0; s < v.strand_count; s++) {
        double off[3];
        for (size_t k = 0, root = 3 * (size_t)v.first[s], tip = tip_of(&v, s); k < 3; k++)
            off[k] = v.points[tip + k] - v.points[root + k] - (v.rest[tip + k] - v.rest[root + k]);
        sum += run_distance(off, (const double[3]){0, 0, 0});
    }
    return sum / v.strand_count;
}

/* ---- preload ---- */

static void fur_stands(void **state) {
    run with, without;
    (void)state;
    run_scene(&with, "fur", "hair.count=30", "", 24);
    run_scene(&without, "fur", "hair.count=30", "hair.sag.mode=off", 24);
    double on = tips_off_groom(&with), off = tips_off_groom(&without);
    print_message("fur of 6 units lies down by %.2f, with preload by %.2f\n", off, on);
    assert_true(off > 2.5);
    assert_true(on < 0.3);
    run_end(&with);
    run_end(&without);
}

/* ---- pins ---- */

/* The brushed-up tips lose this much of their height over their roots. */
static double fringe_falls(const char *off) {
    run r;
    run_scene(&r, "fringe", "character.resolution=24", off, 23);
    rlt_frame_view v = run_view(&r);
    double sum = 0.0;
    for (int s = 0; s < v.strand_count; s++) {
        size_t root = 3 * (size_t)v.first[s] + 1, tip = tip_of(&v, s) + 1;
        sum += v.rest[tip] - v.rest[root] - (v.points[tip] - v.points[root]);
    }
    sum /= v.strand_count;
    run_end(&r);
    return sum;
}

static void fringe_is_pinned(void **state) {
    (void)state;
    double on = fringe_falls(""), off = fringe_falls("constraints=[]");
    print_message("the fringe falls by %.2f, pinned by %.2f\n", off, on);
    assert_true(off > 3.0);
    assert_true(on < 0.5);
}

/* ---- ties ---- */

/* Root mean square distance from their middle of the points that are groomed in the tie. */
static double tie_spreads(const char *off) {
    const double tie[3] = {0, 7, -12};
    run r;
    run_scene(&r, "ponytail", "time.preroll=0", off, 24);
    rlt_frame_view v = run_view(&r);
    double sum[3] = {0}, squares = 0.0;
    int count = 0;
    for (int p = 0; p < v.point_count; p++)
        if (run_distance(v.rest + 3 * (size_t)p, tie) < 1.0) {
            for (size_t k = 0; k < 3; k++) {
                sum[k] += v.points[3 * (size_t)p + k];
                squares += v.points[3 * (size_t)p + k] * v.points[3 * (size_t)p + k];
            }
            count++;
        }
    assert_true(count > 6);
    run_end(&r);
    return sqrt(squares / count - (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / count / count);
}

static void tie_holds_the_tail(void **state) {
    (void)state;
    double on = tie_spreads(""), off = tie_spreads("constraints=[]");
    print_message("hair in the tie spreads to %.2f, attached to %.2f\n", off, on);
    assert_true(off > 2.0 * on);
    assert_true(on < 1.0);
}

/* ---- tips ---- */

enum { SPIKE = 6 }; /* strands of a spike */

/* Mean over the spikes of the greatest distance between two of their tips. */
static double spikes_open(const char *off) {
    run r;
    run_scene(&r, "spikes", "character.resolution=24", off, 24);
    rlt_frame_view v = run_view(&r);
    double sum = 0.0;
    assert_int_equal(v.strand_count % SPIKE, 0);
    for (int first = 0; first < v.strand_count; first += SPIKE) {
        double widest = 0.0;
        for (int s = first; s < first + SPIKE; s++)
            for (int t = first; t < s; t++)
                widest = fmax(widest, run_distance(v.points + tip_of(&v, s), v.points + tip_of(&v, t)));
        sum += widest;
    }
    sum /= v.strand_count / SPIKE;
    run_end(&r);
    return sum;
}

static void spikes_stay_pointed(void **state) {
    (void)state;
    double on = spikes_open(""), off = spikes_open("constraints=[]");
    print_message("the tips of a spike, 0.6 apart, are %.2f apart, tied %.2f\n", off, on);
    assert_true(off > 2.0);
    assert_true(on < 0.8);
}

/* ---- bounds ---- */

/* Greatest way from root to tip in any frame, as a multiple of the groomed one. */
static double curls_reach(const char *off) {
    run r;
    double longest = 0.0;
    run_scene(&r, "whirl", "hair.count=12", off, 0);
    for (int frame = 0; frame < 30; frame++) {
        run_frames(&r, 1);
        rlt_frame_view v = run_view(&r);
        for (int s = 0; s < v.strand_count; s++) {
            size_t root = 3 * (size_t)v.first[s], tip = tip_of(&v, s);
            longest = fmax(longest, run_distance(v.points + root, v.points + tip) /
                                        run_distance(v.rest + root, v.rest + tip));
        }
    }
    run_end(&r);
    return longest;
}

static void curls_are_not_pulled_out(void **state) {
    (void)state;
    double on = curls_reach(""), off = curls_reach("constraints=[]");
    print_message("a spin pulls curls out to %.2f times their length, bound to %.3f\n", off, on);
    assert_true(off > 1.7);
    assert_true(on < 1.11);
}

/* ---- the pose eased in ---- */

/* How far the tips move in the first ten frames of the shot, on average. */
static double shot_settles(const char *off) {
    run r;
    run_scene(&r, FILES "pillow.yaml", "hair.count=16", off, 0);
    while (run_view(&r).frame < 1)
        run_frames(&r, 1);
    double *begin = run_points(&r), sum = 0.0;
    run_frames(&r, 10);
    rlt_frame_view v = run_view(&r);
    for (int s = 0; s < v.strand_count; s++)
        sum += run_distance(v.points + tip_of(&v, s), begin + tip_of(&v, s));
    sum /= v.strand_count;
    free(begin);
    run_end(&r);
    return sum;
}

static void shots_begin_at_rest(void **state) {
    (void)state;
    double on = shot_settles(""), off = shot_settles("time.preroll=0");
    print_message("tips move by %.2f in the first ten frames, eased in by %.2f\n", off, on);
    assert_true(off > 10.0);
    assert_true(on < 2.0);
}

/* ---- the jump ---- */

/* Greatest speed relative to the root two frames after the cut. */
static double cut_whips(const char *off) {
    run r;
    double fastest = 0.0;
    run_scene(&r, FILES "cut.yaml", "hair.count=16", off, 0);
    while (run_view(&r).frame < 14)
        run_frames(&r, 1);
    rlt_frame_view v = run_view(&r);
    for (int s = 0; s < v.strand_count; s++)
        for (int p = v.first[s]; p < v.first[s + 1]; p++)
            fastest = fmax(fastest, run_distance(v.velocities + 3 * p, v.velocities + 3 * v.first[s]));
    run_end(&r);
    return fastest;
}

static void hair_survives_a_cut(void **state) {
    (void)state;
    double on = cut_whips(""), off = cut_whips("character.jump=0");
    print_message("after the cut hair moves at %.0f unit/s, with jump at %.0f\n", off, on);
    assert_true(off > 500.0);
    assert_true(on < 100.0);
}

/* ---- poses ---- */

static void fringe_is_led_off_the_face(void **state) {
    run with, without;
    (void)state;
    run_scene(&with, "pose", "hair.count=16", "", 29);
    run_scene(&without, "pose", "hair.count=16", "constraints=[]", 29);
    double on = tips_off_groom(&with), off = tips_off_groom(&without);
    run_frames(&with, 24);
    double later = tips_off_groom(&with);
    print_message("the tips of the fringe are %.2f off, with the pose %.2f, a second later %.2f\n", off, on,
                  later);
    assert_true(off > 8.0);
    assert_true(on < 1.0);
    assert_true(later > 4.0);
    run_end(&with);
    run_end(&without);
}

/* ---- freezing ---- */

/* Mean height of the tips over the roots on one side of the head. */
static double tips_rise(const run *r, double side) {
    rlt_frame_view v = run_view(r);
    double sum = 0.0;
    int count = 0;
    for (int s = 0; s < v.strand_count; s++) {
        size_t root = 3 * (size_t)v.first[s];
        if (v.rest[root] * side > 3.0) {
            sum += v.points[tip_of(&v, s) + 1] - v.points[root + 1];
            count++;
        }
    }
    return sum / count;
}

static void one_side_freezes(void **state) {
    run with, without;
    (void)state;
    run_scene(&with, "freeze", "hair.count=40", "", 39);
    run_scene(&without, "freeze", "hair.count=40", "constraints=[]", 39);
    double left = tips_rise(&with, 1.0), right = tips_rise(&with, -1.0), off = tips_rise(&without, 1.0);
    print_message("tips over their roots: %.1f on the left, frozen %.1f; on the right %.1f\n", off, left,
                  right);
    assert_true(off < -8.0 && right < -8.0);
    assert_true(left > -2.0);
    run_end(&with);
    run_end(&without);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fur_stands),
        cmocka_unit_test(fringe_is_pinned),
        cmocka_unit_test(tie_holds_the_tail),
        cmocka_unit_test(spikes_stay_pointed),
        cmocka_unit_test(curls_are_not_pulled_out),
        cmocka_unit_test(shots_begin_at_rest),
        cmocka_unit_test(hair_survives_a_cut),
        cmocka_unit_test(fringe_is_led_off_the_face),
        cmocka_unit_test(one_side_freezes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
