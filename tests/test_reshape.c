/* Rest shapes that change: folding and unfolding, blending with another groom, curves of a file, the
 * character's size; that hair gets there, and what is said about bad ones. */
#include <unistd.h>

#include "model/fold.h"
#include "mpi_fixture.h"
#include "run_fixture.h"
#include "strand_fixture.h"

enum { POINTS = 60 };

/* ---- folding ---- */

static double apart(const rlti_vec3 *a, const rlti_vec3 *b, int count) {
    double worst = 0.0;
    for (int i = 0; i < count; i++)
        worst = fmax(worst, rlti_length(rlti_sub(a[i], b[i])));
    return worst;
}

static void unfolding_undoes_folding(void **state) {
    fixture f;
    rlti_vec3 helix[POINTS], back[POINTS];
    double target[POINTS][3];
    (void)state;
    fixture_begin(&f, "redhead");
    fixture_helix(helix, POINTS, 40.0, 1.2, 4.5);
    for (int i = 40; i < POINTS; i++) /* and a fold */
        helix[i].y = helix[39].y + 0.3 * (i - 39);
    fixture_build(&f, RLT_SIMD_REFERENCE, helix, POINTS, 1, 0);
    rlti_fold_root root = rlti_fold_root_of(helix);
    rlti_fold(f.model->strands[0].bend_beta, f.model->strands[0].points, root, helix, target);
    for (int i = 0; i + 1 < POINTS; i++)
        for (int k = 0; k < 3; k++)
            assert_true(target[i][k] == f.model->target[i][k]); /* the model's own targets */
    back[0] = helix[0];
    rlti_unfold(f.model->strands[0].bend_beta, f.model->strands[0].points, root, (const double(*)[3])target,
                back);
    print_message("unfolded within %.2g\n", apart(helix, back, POINTS));
    assert_true(apart(helix, back, POINTS) < 1e-11);
    /* a frame that is carried stays one, also to the opposite side */
    rlti_vec3 to[] = {{0, 1, 0}, {1, 0, 0}, rlti_scale(-1.0, root.u), root.u};
    for (int i = 0; i < 4; i++) {
        rlti_fold_root c = rlti_fold_root_carry(root, to[i]);
        assert_true(fabs(rlti_dot(c.u, c.n)) < 1e-12 && fabs(rlti_length(c.n) - 1.0) < 1e-12);
    }
    fixture_end(&f);
}

/* The model in a new shape is the model made of that shape, but for what is meant to stay. */
static void a_model_takes_a_shape(void **state) {
    fixture f, g;
    rlti_vec3 helix[POINTS], large[POINTS];
    (void)state;
    fixture_begin(&f, "redhead");
    fixture_helix(helix, POINTS, 40.0, 1.2, 4.5);
    for (int i = 0; i < POINTS; i++)
        large[i] = rlti_scale(2.0, helix[i]);
    fixture_build(&f, RLT_SIMD_REFERENCE, helix, POINTS, 1, 0);
    fixture_begin(&g, "redhead");
    fixture_build(&g, RLT_SIMD_REFERENCE, helix, POINTS, 1, 0);
    rlti_taz_model_reshape(g.model, 0, &g.hair, large);
    for (int i = 0; i + 1 < POINTS; i++) {
        assert_true(fabs(g.model->rest[i] - 2.0 * f.model->rest[i]) < 1e-12);
        assert_true(fabs(g.model->core_rest[i] - 2.0 * f.model->core_rest[i]) < 1e-12);
        assert_true(fabs(g.model->stretch_limit[i] - 2.0 * f.model->stretch_limit[i]) < 1e-12);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(g.model->target[i][k] - 2.0 * f.model->target[i][k]) < 1e-12);
        assert_true(g.model->bend_k[i] == f.model->bend_k[i] && g.model->mass[i] == f.model->mass[i]);
    }
    rlti_taz_model_reshape(g.model, 0, &g.hair, helix); /* and back, to the bit */
    for (int i = 0; i + 1 < POINTS; i++) {
        assert_true(g.model->rest[i] == f.model->rest[i] && g.model->core_rest[i] == f.model->core_rest[i]);
        for (int k = 0; k < 3; k++)
            assert_true(g.model->target[i][k] == f.model->target[i][k]);
    }
    fixture_end(&f);
    fixture_end(&g);
}

/* ---- blending ---- */

/* Curls that become straight hair: same seed, same roots. */
#define BLEND(blend, more)                                                                                   \
    "time: {last: 60, outer_steps: 20, force_steps: 20, damping_steps: 10}\n"                                \
    "character: {resolution: 24}\n"                                                                          \
    "hair:\n"                                                                                                \
    "  - {name: curls, preset: redhead, count: 12, length: 24, length_variation: 0, variation: 0.1,\n"       \
    "     segment: 1, contact: {enabled: off}, drag: 6,\n"                                                   \
    "     sag: {mode: solve}, reshape: {groom: wet, blend: " blend "}}\n"                                    \
    "  - {name: wet, role: shape, preset: straight, count: 12, length_variation: 0, length: " more "}\n"

/* The other groom by itself, simulated: its rest is what the blend should lead to. */
#define WET                                                                                                  \
    "time: {last: 60, outer_steps: 20, force_steps: 20, damping_steps: 10}\n"                                \
    "character: {resolution: 24}\n"                                                                          \
    "hair: {name: wet, preset: straight, count: 12, length: 24, length_variation: 0, contact: {enabled: "    \
    "off}}\n"

/* How far tips are from those of another groom at rest, in the mean, as a share of the strand. */
static double tips_off(const run *r, const run *goal) {
    rlt_frame_view a = run_view(r), b = run_view(goal);
    double sum = 0.0;
    assert_int_equal(a.strand_count, b.strand_count);
    for (int s = 0; s < a.strand_count; s++)
        sum += run_distance(a.points + 3 * (size_t)(a.first[s + 1] - 1),
                            b.rest + 3 * (size_t)(b.first[s + 1] - 1));
    return sum / a.strand_count / 24.0;
}

static void hair_goes_over_to_another_groom(void **state) {
    run r, wet, start;
    (void)state;
    run_begin(&r, RLT_SIMD_AUTO, 1, BLEND("[[4, 0], [28, 1]]", "24"));
    run_begin(&wet, RLT_SIMD_AUTO, 1, WET);
    run_begin(&start, RLT_SIMD_AUTO, 1, BLEND("1", "24")); /* it begins as the other */
    double before = tips_off(&r, &wet), begins = tips_off(&start, &wet);
    run_frames(&r, 59);
    run_frames(&start, 24);
    double after = tips_off(&r, &wet), stays = tips_off(&start, &wet);
    print_message("tips off the other groom: %.3f before, %.4f after; from the start: %.2g, then %.4f\n",
                  before, after, begins, stays);
    assert_true(before > 0.2);
    assert_true(after < 0.04);
    assert_true(begins < 1e-9);
    assert_true(stays < 0.01); /* and stands there: sag is solved for each shape */
    run_end(&r);
    run_end(&wet);
    run_end(&start);
}

/* Half way, strands are as long as the mean of both. */
static void lengths_go_over_evenly(void **state) {
    run r;
    (void)state;
    run_begin(&r, RLT_SIMD_AUTO, 1, BLEND("0.5", "36"));
    rlt_frame_view view = run_view(&r);
    for (int s = 0; s < view.strand_count; s++) {
        double now = 0.0, curls = 0.0;
        for (int p = view.first[s] + 1; p < view.first[s + 1]; p++) {
            now += run_distance(view.points + 3 * (size_t)p, view.points + 3 * (size_t)(p - 1));
            curls += run_distance(view.rest + 3 * (size_t)p, view.rest + 3 * (size_t)(p - 1));
        }
        assert_true(fabs(now - 0.5 * (curls + 36.0)) < 0.05);
    }
    run_end(&r);
}

static void nothing_blended_is_nothing(void **state) {
    run r, plain;
    (void)state;
    run_begin(&r, RLT_SIMD_AUTO, 1, BLEND("0", "24"));
    run_begin(&plain, RLT_SIMD_AUTO, 1,
              "time: {last: 60, outer_steps: 20, force_steps: 20, damping_steps: 10}\n"
              "character: {resolution: 24}\n"
              "hair: {name: curls, preset: redhead, count: 12, length: 24, length_variation: 0, variation: "
              "0.1, segment: 1, contact: {enabled: off}, drag: 6, sag: {mode: solve}}\n");
    run_frames(&r, 3);
    run_frames(&plain, 3);
    assert_true(rlt_simulation_hash(r.simulation) == rlt_simulation_hash(plain.simulation));
    run_end(&r);
    run_end(&plain);
}

/* ---- files ---- */

static void begin_file(run *r, const char *scene, const char *const *overrides, int count) {
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/files/%s.yaml", RLT_SOURCE_DIR, scene);
    r->messages = rlt_messages_create();
    assert_int_equal(rlt_scene_load_file(path, overrides, count, r->messages, &r->scene), RLT_OK);
    rlt_simulation_def def = {.size = sizeof def, .threads = 2};
    assert_int_equal(rlt_simulation_create(r->scene, &def, r->messages, &r->simulation), RLT_OK);
}

/* Mean length of a strand, root to tip along it. */
static double mean_length(const run *r) {
    rlt_frame_view view = run_view(r);
    double sum = 0.0;
    for (int s = 0; s < view.strand_count; s++)
        for (int p = view.first[s] + 1; p < view.first[s + 1]; p++)
            sum += run_distance(view.points + 3 * (size_t)p, view.points + 3 * (size_t)(p - 1));
    return sum / view.strand_count;
}

static void hair_grows_with_its_character(void **state) {
    const char *few[] = {"hair.count=12", "hair.reshape.scale=off"};
    run grown, kept;
    (void)state;
    begin_file(&grown, "grow", few, 1);
    begin_file(&kept, "grow", few, 2);
    double length = mean_length(&grown);
    run_frames(&grown, 48);
    run_frames(&kept, 48);
    print_message("twice the character: hair %.4f times as long, without %.4f\n",
                  mean_length(&grown) / length, mean_length(&kept) / length);
    assert_true(fabs(mean_length(&grown) / length - 2.0) < 0.01);
    assert_true(fabs(mean_length(&kept) / length - 1.0) < 0.02);
    run_end(&grown);
    run_end(&kept);
}

/* Mean distance of each tip to the nearest other. */
static double tip_distance(const run *r) {
    rlt_frame_view view = run_view(r);
    double sum = 0.0;
    for (int s = 0; s < view.strand_count; s++) {
        double least = 1e30;
        for (int t = 0; t < view.strand_count; t++)
            if (t != s)
                least = fmin(least, run_distance(view.points + 3 * (size_t)(view.first[s + 1] - 1),
                                                 view.points + 3 * (size_t)(view.first[t + 1] - 1)));
        sum += least;
    }
    return sum / view.strand_count;
}

/* Links of hair that grows are as long as hair is large: stiff ones do not draw it together. */
static void links_grow_with_hair(void **state) {
    const char *linked[] = {"hair.count=30",
                            "hair.model=rod",
                            "hair.preset=straight",
                            "hair.segment=2",
                            "hair.fill.per_guide=1",
                            "hair.rod.steps=1",
                            "hair.contact.method=solve",
                            "hair.contact.radius=0.05",
                            "hair.link.count=4",
                            "hair.link.reach=12",
                            "hair.link.stretch_stiffness=1e5",
                            "hair.link.compress_stiffness=1e5"};
    run r;
    (void)state;
    begin_file(&r, "grow", linked, (int)(sizeof linked / sizeof *linked));
    double apart = tip_distance(&r);
    run_frames(&r, 48);
    print_message("twice the character: linked tips %.4f times as far apart\n", tip_distance(&r) / apart);
    assert_true(fabs(tip_distance(&r) / apart - 2.0) < 0.06);
    run_end(&r);
}

/* Root to tip in a straight line: curls are short. */
static double mean_reach(const run *r) {
    rlt_frame_view view = run_view(r);
    double sum = 0.0;
    for (int s = 0; s < view.strand_count; s++)
        sum += run_distance(view.points + 3 * (size_t)view.first[s],
                            view.points + 3 * (size_t)(view.first[s + 1] - 1));
    return sum / view.strand_count;
}

/* The curves of wind-up.usda wind up to 0.57 of their reach while the ball turns. */
static void rest_follows_curves(void **state) {
    const char *off[] = {"hair.reshape.curves=off"}, *rest[] = {"hair.reshape.curves=rest"};
    run posed, kept, turned;
    (void)state;
    begin_file(&posed, "wind-up", NULL, 0);
    begin_file(&kept, "wind-up", off, 1);
    begin_file(&turned, "wind-up", rest, 1);
    double reach = mean_reach(&posed);
    run_frames(&posed, 45);
    run_frames(&kept, 45);
    run_frames(&turned, 45);
    print_message("reach: %.3f of the first, without %.3f\n", mean_reach(&posed) / reach,
                  mean_reach(&kept) / reach);
    assert_true(mean_reach(&posed) < 0.65 * reach);
    assert_true(mean_reach(&kept) > 0.95 * reach);
    /* taken for a change of the rest pose, the ball's turn would turn hair twice */
    double *a = run_points(&posed), *b = run_points(&turned);
    rlt_frame_view view = run_view(&posed);
    double most = 0.0;
    for (int p = 0; p < view.point_count; p++)
        most = fmax(most, run_distance(a + 3 * (size_t)p, b + 3 * (size_t)p));
    print_message("as a change of the rest pose: up to %.2f off\n", most);
    assert_true(most > 1.0);
    free(a);
    free(b);
    run_end(&posed);
    run_end(&kept);
    run_end(&turned);
}

/* ---- constraints ---- */

/* Curls that are led to the other groom, instead of becoming it. */
#define LED(constraint)                                                                                      \
    "time: {last: 60, outer_steps: 20, force_steps: 20, damping_steps: 10}\n"                                \
    "character: {resolution: 24}\n"                                                                          \
    "hair:\n"                                                                                                \
    "  - {name: curls, preset: redhead, count: 12, length: 24, length_variation: 0, variation: 0.1,\n"       \
    "     segment: 1, contact: {enabled: off}, sag: {mode: solve}}\n"                                        \
    "  - {name: wet, role: shape, preset: straight, count: 12, length_variation: 0, length: 24}\n"           \
    "constraints: {target: shape, shape: wet, " constraint "}\n"

static void hair_is_led_to_another_groom(void **state) {
    run pin, pose, wet;
    (void)state;
    run_begin(&wet, RLT_SIMD_AUTO, 1, WET);
    run_begin(&pin, RLT_SIMD_AUTO, 1, LED("kind: pin, stiffness: 1e5"));
    run_begin(&pose, RLT_SIMD_AUTO, 1, LED("kind: pose, frame: 20, lead: 16, stiffness: 1e5"));
    run_frames(&pin, 19);
    run_frames(&pose, 19);
    double pinned = tips_off(&pin, &wet), posed = tips_off(&pose, &wet);
    run_frames(&pose, 30);
    print_message("tips off the other groom: %.4f pinned, %.4f posed, %.3f let go\n", pinned, posed,
                  tips_off(&pose, &wet));
    assert_true(pinned < 0.03);
    assert_true(posed < 0.05);
    assert_true(tips_off(&pose, &wet) > 0.3);
    run_end(&pin);
    run_end(&pose);
    run_end(&wet);
}

/* Mean distance from the place that a groom of twice the size has, on a character of twice the size. */
static double off_twice(const run *r) {
    rlt_frame_view view = run_view(r);
    double sum = 0.0;
    for (int p = 0; p < view.point_count; p++) {
        double large[3] = {2.0 * view.rest[3 * p], 2.0 * view.rest[3 * p + 1], 2.0 * view.rest[3 * p + 2]};
        sum += run_distance(view.points + 3 * (size_t)p, large);
    }
    return sum / view.point_count;
}

static void constraints_grow_with_the_hair(void **state) {
    static const char *const kinds[] = {
        "constraints={kind: centroid, stiffness: 1e4}", "constraints={kind: scalp, stiffness: 1e4}",
        "constraints={kind: pin, hold: hard}", "constraints={kind: freeze, weight: [[2, 0], [3, 1]]}",
        "constraints={kind: bound, bounds: [0.99, 1.01], stiffness: 1e4}"};
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const char *overrides[] = {"hair.count=6", "time.outer_steps=30", "time.force_steps=30", kinds[k]};
        run r;
        begin_file(&r, "grow", overrides, 4);
        run_frames(&r, 47);
        print_message("%s: %.3f units off\n", kinds[k], off_twice(&r));
        assert_true(off_twice(&r) < 0.05);
        run_end(&r);
    }
}

/* ---- the same bytes ---- */

static void threads_and_breaks_do_not_show(void **state) {
    run one, three, resumed;
    (void)state;
    run_begin(&one, RLT_SIMD_AUTO, 1, BLEND("[[2, 0], [10, 1]]", "24"));
    run_begin(&three, RLT_SIMD_PORTABLE, 3, BLEND("[[2, 0], [10, 1]]", "24"));
    run_begin(&resumed, RLT_SIMD_AUTO, 2, BLEND("[[2, 0], [10, 1]]", "24"));
    run_frames(&one, 5);
    assert_int_equal(rlt_checkpoint_write("reshape.test", one.simulation, NULL, one.messages), RLT_OK);
    assert_int_equal(rlt_checkpoint_read("reshape.test", resumed.simulation, resumed.messages), RLT_OK);
    unlink("reshape.test");
    run_frames(&one, 2);
    run_frames(&three, 7);
    run_frames(&resumed, 2);
    assert_true(rlt_simulation_hash(one.simulation) == rlt_simulation_hash(three.simulation));
    assert_true(rlt_simulation_hash(one.simulation) == rlt_simulation_hash(resumed.simulation));
    run_end(&one);
    run_end(&three);
    run_end(&resumed);
}

static void ranks_do_not_show(void **state) {
    (void)state;
    mpi_needed();
    FILE *file = fopen("reshape.yaml", "w");
    assert_non_null(file);
    fputs(BLEND("[[2, 0], [4, 1]]", "24"), file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(ringlet("simulate reshape.yaml -o reshape-1.usda --quiet --threads 2 --set time.last=5"),
                     0);
    assert_int_equal(mpi_run(3, RLT_PROGRAM " simulate reshape.yaml -o reshape-3.usda --quiet --threads 1 "
                                            "--set time.last=3 --checkpoint 1"),
                     0);
    /* a checkpoint of three ranks goes on in one process */
    assert_int_equal(ringlet("simulate reshape.yaml -o reshape-3.usda --quiet --threads 2 --set time.last=5 "
                             "--resume"),
                     0);
    assert_int_equal(system("cmp reshape-1.usda reshape-3.usda"), 0);
    assert_int_equal(system("rm -f reshape.yaml reshape-1.usda reshape-3.usda reshape-3.usda.*"), 0);
}

/* ---- bad ones ---- */

static void assert_refused(const char *hair, const char *message) {
    char text[1024];
    snprintf(text, sizeof text, "character: {resolution: 16}\nhair:\n%s", hair);
    run_assert_refused(text, 0, message);
}

static void bad_ones_are_told(void **state) {
    (void)state;
    assert_refused("  - {name: a, count: 3, reshape: {groom: b}}\n",
                   "s.yaml:3:42: hair[0].reshape.groom = \"b\": no hair has this name");
    assert_refused("  - {name: a, count: 3, reshape: {groom: b}}\n  - {name: b, count: 3}\n",
                   "s.yaml:3:42: hair[0].reshape.groom = \"b\": is hair of its own; give it role: shape");
    assert_refused("  - {name: a, count: 3, reshape: {blend: 1}}\n",
                   "s.yaml:3:42: hair[0].reshape.blend = 1: needs reshape.groom, the shape to blend with");
    assert_refused("  - {name: a, count: 3, reshape: {curves: rest}}\n",
                   "s.yaml:3:43: hair[0].reshape.curves = \"rest\": needs a groom from a file");
    assert_refused("  - {name: a, count: 3, reshape: {groom: b}}\n  - {name: b, count: 4, role: shape}\n",
                   "s.yaml:3:42: shape 'b' has 4 strands, hair 'a' has 3: they must have as many");
    assert_refused("  - {name: a, count: 3, role: shape, reshape: {scale: on}}\n",
                   "s.yaml:3:31: hair[0].role = \"shape\": a shape does not change itself");
    assert_refused("  - {name: a, count: 3}\nconstraints: {kind: pin, target: shape}\n",
                   "s.yaml:4:14: constraints.shape = \"\": no hair has this name");
    assert_refused("  - {name: a, count: 3}\n  - {name: b, count: 2, role: shape}\n"
                   "constraints: {kind: pin, target: shape, shape: b}\n",
                   "s.yaml:5:14: shape 'b' has 2 strands, hair 'a' has 3: they must have as many");
    assert_refused("  - {name: a, count: 3}\n  - {name: b, count: 3, role: shape}\n"
                   "constraints: {hair: b}\n",
                   "s.yaml:5:21: constraints.hair = \"b\": b is a shape, which is not simulated");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unfolding_undoes_folding),
        cmocka_unit_test(a_model_takes_a_shape),
        cmocka_unit_test(hair_goes_over_to_another_groom),
        cmocka_unit_test(lengths_go_over_evenly),
        cmocka_unit_test(nothing_blended_is_nothing),
        cmocka_unit_test(hair_grows_with_its_character),
        cmocka_unit_test(links_grow_with_hair),
        cmocka_unit_test(rest_follows_curves),
        cmocka_unit_test(hair_is_led_to_another_groom),
        cmocka_unit_test(constraints_grow_with_the_hair),
        cmocka_unit_test(threads_and_breaks_do_not_show),
        cmocka_unit_test(ranks_do_not_show),
        cmocka_unit_test(bad_ones_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
