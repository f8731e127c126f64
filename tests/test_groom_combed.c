/* Hair that is combed over the skull, or gathered into a tie. */
#include "groom_fixture.h"

#include "groom/mesh_tree.h"

/* Length of the way from p to the nearest point of strand k [unit]. */
static double nearest_of(const rlti_strands *strands, int k, rlti_vec3 p) {
    double nearest = 1e9;
    for (int i = strands->first[k]; i < strands->first[k + 1]; i++)
        nearest = fmin(nearest, rlti_length(rlti_sub(strands->points[i], p)));
    return nearest;
}

/* The sharpest bend of a strand: the least cosine between two segments in a row. */
static double sharpest(const rlti_strands *strands, int k) {
    double least = 1.0;
    for (int i = strands->first[k] + 1; i + 1 < strands->first[k + 1]; i++) {
        const rlti_vec3 *p = strands->points + i;
        rlti_vec3 in = rlti_normalize(rlti_sub(p[0], p[-1])), out = rlti_normalize(rlti_sub(p[1], p[0]));
        least = fmin(least, rlti_dot(in, out));
    }
    return least;
}

/* Greatest distance from the body of a strand's points above `low`, the height of the ears [unit]. */
static double stands_off(const rlti_strands *strands, int k, const rlti_mesh_tree *tree, double low) {
    double most = 0.0;
    for (int i = strands->first[k]; i < strands->first[k + 1] && strands->points[i].y > low; i++) {
        rlti_nearest nearest;
        rlti_mesh_tree_nearest(tree, strands->points[i], &nearest);
        most = fmax(most, nearest.distance);
    }
    return most;
}

/* How straight out of the skin a strand grows: 1 along its normal. */
static double rises(const rlti_strands *strands, int k, const rlti_mesh_tree *tree) {
    const rlti_vec3 *p = strands->points + strands->first[k];
    rlti_nearest nearest;
    rlti_mesh_tree_nearest(tree, p[0], &nearest);
    return rlti_dot(rlti_normalize(rlti_sub(p[1], p[0])), nearest.normal);
}

/* Hair of ordinary values that is tied goes through the tie, keeps its length and stays off the head, from
 * its root on; beyond it a bun stays within its ball, that of curls too (they ended in spikes), and a tail
 * falls. What is left loose lies close, also over the ears. */
static void test_tied(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        rlti_hair_data hair = redhead();
        int style = kind == 0 ? RLTI_TIE_PONYTAIL : RLTI_TIE_BUN, curly = kind == 2;
        hair.style = curly ? RLTI_STYLE_HELIX : RLTI_STYLE_STRAIGHT;
        hair.count = 60;
        hair.total_points = 0;
        hair.length = 45.0;
        hair.tie = (rlti_tie_data){.style = (rlti_tie_style)style,
                                   .position = {3.0, 157.0, -13.5},
                                   .radius = 1.1,
                                   .size = 3.4,
                                   .share = curly ? 1.0 : 0.5};
        fixture f;
        set_up(&f, hair, 48);
        grow_well(&f);
        rlti_vec3 tie = rlti_v3(3.0, 157.0, -13.5);
        double lowest_tied = 1e9, highest_loose = -1e9, off = 0.0, bend = 1.0, steep = 0.0;
        int tied = 0;
        rlti_mesh_tree *tree = rlti_mesh_tree_create(rlti_body_mesh(f.body));
        assert_non_null(tree);
        for (int k = 0; k < f.strands->strand_count; k++) {
            double length, height = f.strands->roots[k].position.y;
            rlti_vec3 tip = f.strands->points[f.strands->first[k + 1] - 1];
            (void)unevenness(f.strands, k, &length);
            assert_true(length > 0.85 * 45.0 * 0.9 && length < 45.0 * 1.1 * 1.01); /* it varies by a tenth */
            if (nearest_of(f.strands, k, tie) > 1.6) {
                highest_loose = fmax(highest_loose, height);
                off = fmax(off, stands_off(f.strands, k, tree, 148.0));
                continue;
            }
            tied++;
            bend = fmin(bend, sharpest(f.strands, k));
            steep += rises(f.strands, k, tree);
            lowest_tied = fmin(lowest_tied, height);
            if (style == RLTI_TIE_BUN)
                assert_true(rlti_length(rlti_sub(tip, tie)) < 3.4 + 1.0);
            else
                assert_true(tip.y < tie.y - 10.0);
        }
        assert_int_equal(tied, curly ? 60 : 30);
        assert_true(steep / tied < 0.6);                  /* straight out it had hooks at its roots */
        assert_true(style == RLTI_TIE_BUN || bend > 0.5); /* not folded at the tie, which a bun winds about */
        assert_true(lowest_tied >= highest_loose);
        assert_true(off < 3.5); /* 8.6 where it hangs as hair does that is not tied */
        rlti_mesh_tree_destroy(tree);
        tear_down(&f);
    }
}

static void test_bad_ties(void **state) {
    (void)state;
    rlti_hair_data hair = redhead();
    hair.count = 20;
    hair.total_points = 0;
    hair.tie = (rlti_tie_data){
        .style = RLTI_TIE_PONYTAIL, .position = {3.0, 150.0, -2.0}, .radius = 1.1, .share = 1.0};
    fixture f;
    set_up(&f, hair, 24);
    assert_int_equal(grow(&f), RLT_BAD_INPUT);
    assert_non_null(
        strstr(rlt_messages_text(f.messages, 0), "units inside the body; just off the skin there is ["));
    f.hair[0].tie.position[1] = 200.0;
    assert_int_equal(grow(&f), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(f.messages, 0), "units off the body"));
    f.hair[0].tie.position[1] = 157.0;
    f.hair[0].tie.position[2] = -13.5;
    f.hair[0].length = 8.0;
    assert_int_equal(grow(&f), RLT_OK);
    assert_non_null(strstr(rlt_messages_text(f.messages, 0), "too short to reach the tie and stay loose"));
    strcpy(f.hair[0].region, "none");
    assert_int_equal(grow(&f), RLT_BAD_INPUT);
    assert_non_null(
        strstr(rlt_messages_text(f.messages, 0), "hair.tie.style: needs hair that grows on a body"));
    tear_down(&f);
}

/* Combed hair on the head follows the skull: straight hair stays within two units of it above the ears, on
 * both sides of the parting, and none of it is in the skin. */
static void test_combed_hair_lies_on_the_head(void **state) {
    (void)state;
    fixture f;
    rlti_hair_data hair = redhead();
    hair.style = RLTI_STYLE_STRAIGHT;
    hair.total_points = 0;
    hair.count = 200;
    hair.length = 40.0;
    hair.comb = 0.6;
    set_up(&f, hair, 32);
    grow_well(&f);
    rlti_mesh_tree *tree = rlti_mesh_tree_create(rlti_body_mesh(f.body));
    assert_non_null(tree);
    int sides[2] = {0, 0};
    double farthest = 0.0;
    for (int s = 0; s < f.strands->strand_count; s++) {
        const int *first = f.strands->first + s;
        for (int i = first[0]; i < first[1]; i++) {
            rlti_vec3 p = f.strands->points[i];
            rlti_nearest nearest;
            rlti_mesh_tree_nearest(tree, p, &nearest);
            assert_true(nearest.distance > -0.1);
            if (p.y > 156.0)
                farthest = fmax(farthest, nearest.distance);
        }
        sides[f.strands->points[first[1] - 1].x > 3.0]++;
    }
    print_message("at most %.2f off the skull above the ears\n", farthest);
    assert_true(farthest < 2.6);
    assert_true(sides[0] > 60 && sides[1] > 60);
    rlti_mesh_tree_destroy(tree);
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_combed_hair_lies_on_the_head),
        cmocka_unit_test(test_tied),
        cmocka_unit_test(test_bad_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
