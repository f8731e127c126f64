/* Groom generators and inline strands. */
#include "groom_fixture.h"

#include "base/random.h"
#include "groom/mesh_tree.h"
#include "groom/placement.h"

/* Crossings of a slanted ray with the mesh: odd means inside. */
static int is_inside(const rlti_mesh *mesh, rlti_vec3 p) {
    rlti_vec3 ray = rlti_normalize(rlti_v3(0.3127, 0.8231, 0.4713));
    int crossings = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        rlti_vec3 a = mesh->vertices[v[0]];
        rlti_vec3 e1 = rlti_sub(mesh->vertices[v[1]], a);
        rlti_vec3 e2 = rlti_sub(mesh->vertices[v[2]], a);
        rlti_vec3 h = rlti_cross(ray, e2);
        double determinant = rlti_dot(e1, h);
        if (determinant == 0.0)
            continue;
        rlti_vec3 d = rlti_sub(p, a);
        rlti_vec3 q = rlti_cross(d, e1);
        double u = rlti_dot(d, h) / determinant;
        double w = rlti_dot(ray, q) / determinant;
        double along = rlti_dot(e2, q) / determinant;
        crossings += u >= 0.0 && w >= 0.0 && u + w <= 1.0 && along > 0.0;
    }
    return crossings % 2;
}

static void check_roots(const fixture *f) {
    const rlti_mesh *mesh = rlti_body_mesh(f->body);
    int scalp = rlti_body_region(f->body, "scalp");
    for (int s = 0; s < f->strands->strand_count; s++) {
        const rlti_root *root = &f->strands->roots[s];
        assert_true(root->triangle >= 0 && root->triangle < mesh->triangle_count);
        assert_true((mesh->regions[root->triangle] >> scalp) & 1u);
        rlti_vec3 p = {0, 0, 0};
        double sum = 0.0;
        for (int k = 0; k < 3; k++) {
            assert_true(root->barycentric[k] >= 0.0);
            sum += root->barycentric[k];
            p = rlti_madd(p, root->barycentric[k], mesh->vertices[mesh->triangles[root->triangle][k]]);
        }
        assert_true(fabs(sum - 1.0) < 1e-12);
        assert_true(rlti_length(rlti_sub(p, root->position)) < 1e-12);
        assert_true(rlti_length(rlti_sub(p, f->strands->points[f->strands->first[s]])) < 1e-12);
        assert_int_equal(f->strands->hair[s], 0);
    }
}

/* No root is much nearer to its neighbour, and no scalp point much farther from a root, than even spacing
 * gives. */
static void check_evenness(const fixture *f) {
    const rlti_mesh *mesh = rlti_body_mesh(f->body);
    int scalp = rlti_body_region(f->body, "scalp");
    double spacing = sqrt(rlti_region_area(mesh, scalp) / f->strands->strand_count);
    double closest = 1e9;
    for (int a = 0; a < f->strands->strand_count; a++)
        for (int b = 0; b < a; b++)
            closest = fmin(
                closest, rlti_length(rlti_sub(f->strands->roots[a].position, f->strands->roots[b].position)));
    assert_true(closest > 0.6 * spacing);
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (!((mesh->regions[t] >> scalp) & 1u))
            continue;
        double nearest = 1e9;
        for (int s = 0; s < f->strands->strand_count; s++)
            nearest = fmin(nearest, rlti_length(rlti_sub(f->strands->roots[s].position,
                                                         mesh->vertices[mesh->triangles[t][0]])));
        assert_true(nearest < 1.3 * spacing);
    }
}

static void check_outside(const fixture *f) {
    const rlti_mesh *mesh = rlti_body_mesh(f->body);
    rlti_mesh_tree *tree = rlti_mesh_tree_create(mesh);
    assert_non_null(tree);
    for (int s = 0; s < f->strands->strand_count; s += 12)
        for (int i = f->strands->first[s] + 1; i < f->strands->first[s + 1]; i++) {
            rlti_nearest nearest;
            rlti_mesh_tree_nearest(tree, f->strands->points[i], &nearest);
            int inside = is_inside(mesh, f->strands->points[i]);
            if (fabs(nearest.distance) > 1e-9)
                assert_int_equal(inside, nearest.distance < 0.0);
            if (inside)
                assert_true(-nearest.distance <= f->hair[0].thickness);
        }
    rlti_mesh_tree_destroy(tree);
}

/* The face can be seen: no point in front of it. */
static void check_face(const fixture *f) {
    for (int i = 0; i < f->strands->point_count; i++) {
        rlti_vec3 p = rlti_sub(f->strands->points[i], rlti_v3(3.0, 150.0, -2.0));
        assert_false(p.z > 4.0 && p.y < 3.0 && p.y > -11.0 && fabs(p.x) < 4.0);
    }
}

static void test_redhead_totals_and_shape(void **state) {
    (void)state;
    fixture f;
    set_up(&f, redhead(), 48);
    grow_well(&f);
    assert_int_equal(f.strands->strand_count, 579);
    assert_int_equal(f.strands->point_count, 44552);
    assert_int_equal(f.strands->first[579], 44552);
    double shortest = 1e9, longest = 0.0;
    for (int s = 0; s < 579; s++) {
        double length;
        assert_true(unevenness(f.strands, s, &length) < 1.001);
        double edge = length / (points_of(f.strands, s) - 1);
        shortest = fmin(shortest, edge);
        longest = fmax(longest, edge);
    }
    /* the same segment length on all strands, about one unit */
    assert_true(shortest > 0.94 && longest < 1.01);
    assert_true(longest / shortest < 1.05);
    check_roots(&f);
    check_evenness(&f);
    check_outside(&f);
    check_face(&f);
    tear_down(&f);
}

static void test_all_styles_stay_outside(void **state) {
    (void)state;
    static const rlti_style styles[] = {RLTI_STYLE_STRAIGHT, RLTI_STYLE_WAVY, RLTI_STYLE_COIL};
    fixture f;
    rlti_hair_data hair = redhead();
    hair.count = 150;
    hair.total_points = 0;
    set_up(&f, hair, 32);
    for (int k = 0; k < 3; k++) {
        f.hair[0].style = styles[k];
        f.hair[0].length = 40.0;
        f.hair[0].radius = 0.5;
        f.hair[0].pitch = styles[k] == RLTI_STYLE_COIL ? 0.5 : 4.0;
        f.hair[0].segment = 0.4;
        grow_well(&f);
        check_roots(&f);
        check_outside(&f);
        for (int s = 0; s < f.strands->strand_count; s++) {
            double length;
            assert_true(unevenness(f.strands, s, &length) < 1.02);
        }
    }
    tear_down(&f);
}

static void test_points_from_points_per_turn_and_segment(void **state) {
    (void)state;
    fixture f;
    rlti_hair_data hair = single();
    hair.points_per_turn = 8.0;
    hair.radius = 1.0;
    hair.pitch = 3.0;
    hair.length = 70.0;
    set_up(&f, hair, 0);
    grow_well(&f);
    double turn = sqrt(9.0 + 4.0 * RLTI_PI * RLTI_PI);
    assert_int_equal(f.strands->point_count, 1 + (int)floor(70.0 / (turn / 8.0) + 0.5));
    f.hair[0].points_per_turn = 0.0;
    f.hair[0].segment = 0.5;
    grow_well(&f);
    assert_int_equal(f.strands->point_count, 141);
    f.hair[0].segment = 1000.0;
    grow_well(&f);
    assert_int_equal(f.strands->point_count, 3);
    f.hair[0].style = RLTI_STYLE_STRAIGHT; /* has no turns */
    f.hair[0].points_per_turn = 8.0;
    f.hair[0].segment = 1.0;
    grow_well(&f);
    assert_int_equal(f.strands->point_count, 71);
    tear_down(&f);
}

static void test_hung_helix_has_radius_pitch_and_hand(void **state) {
    (void)state;
    fixture f;
    rlti_hair_data hair = single();
    hair.segment = 0.25;
    hair.radius = 1.5;
    hair.pitch = 4.0;
    set_up(&f, hair, 0);
    grow_well(&f);
    const rlti_vec3 *p = f.strands->points;
    int count = f.strands->point_count;
    assert_int_equal(f.strands->roots[0].triangle, -1);
    assert_int_equal(f.strands->roots[0].bone, RLTI_BONE_HEAD);
    assert_true(p[0].x == 3.0 && p[0].y == 150.0 && p[0].z == -2.0);
    double turn = sqrt(16.0 + 9.0 * RLTI_PI * RLTI_PI);
    /* height lost over the whole length */
    assert_true(fabs((150.0 - p[count - 1].y) / (4.0 * 76.0 / turn) - 1.0) < 1e-3);
    /* the axis is vertical: its place is the mean over whole turns */
    double x = 0.0, z = 0.0;
    int whole = (int)floor(floor(76.0 / turn) * turn / (76.0 / (count - 1)) + 0.5);
    for (int i = 0; i < whole; i++) {
        x += p[i].x / whole;
        z += p[i].z / whole;
    }
    double winding = 0.0;
    for (int i = 0; i < count; i++) {
        double dx = p[i].x - x, dz = p[i].z - z;
        assert_true(fabs(sqrt(dx * dx + dz * dz) - 1.5) < 0.015);
        if (i > 0)
            winding += atan2((p[i - 1].z - z) * dx - (p[i - 1].x - x) * dz,
                             (p[i - 1].x - x) * dx + (p[i - 1].z - z) * dz);
    }
    /* right-handed about the direction of growth, which is down: seen from above, clockwise; measured about
     * +Y from +Z to +X this is negative */
    assert_true(fabs(winding + 2.0 * RLTI_PI * 76.0 / turn) < 0.1);
    tear_down(&f);
}

static void test_hung_wave_is_planar(void **state) {
    (void)state;
    fixture f;
    rlti_hair_data hair = single();
    hair.style = RLTI_STYLE_WAVY;
    hair.radius = 0.8;
    hair.pitch = 5.0;
    hair.segment = 0.2;
    set_up(&f, hair, 0);
    grow_well(&f);
    double low = 1e9, high = -1e9;
    for (int i = 0; i < f.strands->point_count; i++) {
        assert_true(fabs(f.strands->points[i].z + 2.0) < 1e-9);
        low = fmin(low, f.strands->points[i].x);
        high = fmax(high, f.strands->points[i].x);
    }
    assert_true(fabs(high - low - 1.6) < 0.016);
    tear_down(&f);
}

static void test_taper_and_straight_root(void **state) {
    (void)state;
    fixture f;
    rlti_hair_data hair = single();
    hair.segment = 0.25;
    hair.straight_root = 0.2;
    hair.taper = 0.5;
    set_up(&f, hair, 0);
    grow_well(&f);
    const rlti_vec3 *p = f.strands->points;
    int count = f.strands->point_count;
    /* with a straight root the axis starts at the root, so distances are from the vertical through it */
    double middle = 0.0, tip = 0.0;
    for (int i = 0; i < count; i++) {
        double r = sqrt((p[i].x - 3.0) * (p[i].x - 3.0) + (p[i].z + 2.0) * (p[i].z + 2.0));
        if (i < count / 100)
            assert_true(r < 0.02);
        if (i > count * 48 / 100 && i < count * 52 / 100)
            middle = fmax(middle, r);
        if (i > count * 98 / 100)
            tip = fmax(tip, r);
    }
    assert_true(fabs(middle - 0.75 * 1.2) < 0.02);
    assert_true(fabs(tip - 0.5 * 1.2) < 0.02);
    tear_down(&f);
}

static void test_hung_strands_stand_on_a_grid(void **state) {
    (void)state;
    fixture f;
    rlti_hair_data hair = single();
    hair.count = 5;
    hair.spacing = 2.5;
    set_up(&f, hair, 0);
    grow_well(&f);
    static const double expected[5][2] = {{0, 0}, {2.5, 0}, {5, 0}, {0, 2.5}, {2.5, 2.5}};
    for (int s = 0; s < 5; s++) {
        rlti_vec3 p = f.strands->roots[s].position;
        assert_true(rlti_length(rlti_sub(p, rlti_v3(3.0 + expected[s][0], 150.0, -2.0 + expected[s][1]))) <
                    1e-9);
        /* all alike without variation */
        rlti_vec3 tip = rlti_sub(f.strands->points[f.strands->first[s + 1] - 1], p);
        rlti_vec3 first_tip =
            rlti_sub(f.strands->points[f.strands->first[1] - 1], f.strands->roots[0].position);
        assert_true(rlti_length(rlti_sub(tip, first_tip)) < 1e-9);
    }
    tear_down(&f);
}

static uint64_t hash_points(const rlti_strands *strands) {
    uint64_t hash = 1;
    for (int i = 0; i < strands->point_count; i++) {
        uint64_t bits[3];
        memcpy(bits, &strands->points[i], sizeof bits);
        for (int k = 0; k < 3; k++)
            hash = rlti_hash64(hash ^ bits[k]);
    }
    return hash;
}

static void test_seed_decides(void **state) {
    (void)state;
    fixture f;
    rlti_hair_data hair = redhead();
    hair.count = 40;
    hair.total_points = 0;
    set_up(&f, hair, 24);
    grow_well(&f);
    uint64_t first = hash_points(f.strands);
    grow_well(&f);
    assert_true(hash_points(f.strands) == first);
    f.hair[0].seed = 2;
    grow_well(&f);
    assert_true(hash_points(f.strands) != first);
    tear_down(&f);
}

static void test_both_hands_occur(void **state) {
    (void)state;
    fixture f;
    rlti_hair_data hair = redhead();
    hair.count = 200;
    hair.total_points = 0;
    hair.fall = 0.0;
    set_up(&f, hair, 24);
    grow_well(&f);
    int right = 0;
    for (int s = 0; s < 200; s++) {
        /* sign of the torsion: edges e1 x e2 . e3 */
        double torsion = 0.0;
        for (int i = f.strands->first[s]; i + 3 < f.strands->first[s + 1]; i++) {
            const rlti_vec3 *p = &f.strands->points[i];
            rlti_vec3 e1 = rlti_sub(p[1], p[0]), e2 = rlti_sub(p[2], p[1]), e3 = rlti_sub(p[3], p[2]);
            torsion += rlti_dot(rlti_cross(e1, e2), e3);
        }
        right += torsion > 0.0;
    }
    assert_true(right > 70 && right < 130);
    tear_down(&f);
}

static void test_density_gives_the_count(void **state) {
    (void)state;
    fixture f;
    rlti_hair_data hair = redhead();
    strcpy(hair.region, "top");
    hair.count = 0;
    hair.density = 0.5;
    hair.total_points = 0;
    set_up(&f, hair, 24);
    grow_well(&f);
    double area = rlti_region_area(rlti_body_mesh(f.body), rlti_body_region(f.body, "top"));
    assert_int_equal(f.strands->strand_count, (int)floor(0.5 * area + 0.5));
    tear_down(&f);
}

static void test_exact_totals_with_short_strands(void **state) {
    (void)state;
    fixture f;
    rlti_hair_data hair = single();
    hair.count = 17;
    hair.length_variation = 0.9;
    hair.total_points = 57; /* six more than the least */
    set_up(&f, hair, 0);
    grow_well(&f);
    assert_int_equal(f.strands->point_count, 57);
    for (int s = 0; s < 17; s++)
        assert_true(points_of(f.strands, s) >= 3);
    f.hair[0].total_points = 1001;
    grow_well(&f);
    assert_int_equal(f.strands->point_count, 1001);
    tear_down(&f);
}

static void expect_error(fixture *f, const char *text) {
    assert_int_equal(grow(f), RLT_BAD_INPUT);
    assert_null(f->strands);
    assert_true(rlt_messages_count(f->messages) >= 1);
    assert_string_equal(rlt_messages_text(f->messages, 0), text);
    assert_int_equal(rlt_messages_severity(f->messages, 0), RLT_ERROR);
}

static void test_bad_settings_name_the_key(void **state) {
    (void)state;
    fixture f;
    set_up(&f, redhead(), 24);
    strcpy(f.hair[0].region, "scalpp");
    expect_error(
        &f, "hair.region = \"scalpp\": no such region; known: all, scalp, top, front, left, right, back, "
            "nape, face, neck, shoulders, none");
    f.hair[0] = redhead();
    f.hair[0].total_points = 100;
    expect_error(&f, "hair.total_points = 100: 579 strands need at least 1737");
    f.hair[0] = redhead();
    f.hair[0].pitch = 0.0;
    expect_error(&f, "hair.pitch = 0: must be > 0 for curled hair");
    f.hair[0] = single();
    f.hair[0].count = 0;
    expect_error(&f, "hair.count = 0: needs a count when the region is none");
    f.hair[0] = redhead();
    f.hair[0].count = 0;
    expect_error(
        &f,
        "hair.density = 0: gives no strand on region \"scalp\" (636 square units); raise it, or give count");
    /* two sections: both problems are listed, each with its section */
    f.scene.hair_count = 2;
    strcpy(f.hair[0].region, "ear");
    strcpy(f.hair[1].region, "beard");
    assert_int_equal(grow(&f), RLT_BAD_INPUT);
    assert_int_equal(rlt_messages_count(f.messages), 2);
    assert_non_null(strstr(rlt_messages_text(f.messages, 0), "hair[0].region = \"ear\""));
    assert_non_null(strstr(rlt_messages_text(f.messages, 1), "hair[1].region = \"beard\""));
    tear_down(&f);
}

/* Numbers that no hair has end soon, as a groom of finite points or with a message. */
static void test_extreme_settings_end_soon(void **state) {
    (void)state;
    static const double values[] = {1e-300, 1e-30, 1e-12, 1e12, 1e30, 1e300};
    enum { KEYS = 7 };
    for (int resolution = 0; resolution <= 12; resolution += 12)
        for (int key = 0; key < KEYS; key++)
            for (size_t v = 0; v < 2 * sizeof values / sizeof values[0]; v++) {
                fixture f;
                rlti_hair_data hair = resolution > 0 ? redhead() : single();
                hair.count = 3;
                hair.total_points = v % 2 == 0 ? 0 : 100;
                double *const keys[KEYS] = {&hair.length,  &hair.segment,   &hair.radius, &hair.pitch,
                                            &hair.spacing, &hair.thickness, &hair.density};
                *keys[key] = values[v / 2];
                set_up(&f, hair, resolution);
                if (resolution == 0) /* roots at the origin, where single precision is finest */
                    memset(f.scene.character.position, 0, sizeof f.scene.character.position);
                rlt_status status = grow(&f);
                if (status != RLT_OK && status != RLT_BAD_INPUT)
                    fail_msg("key %d = %g: status %d: %s", key, values[v / 2], (int)status,
                             rlt_messages_text(f.messages, 0));
                for (int i = 0; status == RLT_OK && i < f.strands->first[f.strands->strand_count]; i++)
                    if (!(rlti_length(f.strands->points[i]) < 1e10))
                        fail_msg("key %d = %g: point %d is not finite", key, values[v / 2], i);
                tear_down(&f);
            }
    fixture f;
    set_up(&f, single(), 0);
    f.hair[0].length = 1e-30;
    expect_error(&f, "hair.length = 1e-30: segments of 5e-31 are too short for single precision where the "
                     "strands grow; longer hair or fewer points");
    f.hair[0] = single();
    f.hair[0].pitch = 1e-30;
    expect_error(&f, "hair.pitch = 1e-30: too many turns on a length of 76; a greater pitch or shorter hair");
    f.hair[0] = single();
    f.hair[0].total_points = 10000000;
    expect_error(&f, "hair.total_points = 10000000: strand 0 gets 10000000; at most 1000001");
    tear_down(&f);
}

static void test_region_without_a_mesh(void **state) {
    (void)state;
    fixture f;
    set_up(&f, redhead(), 0);
    expect_error(&f, "hair.region = \"scalp\": no such region; known: none");
    tear_down(&f);
}

static void test_inline_strands(void **state) {
    (void)state;
    fixture f;
    double above[] = {3.0, 162.3, -3.5, 3.0, 165.0, -3.5, 3.0, 168.0, -4.0};
    double away[] = {3.0, 180.0, -3.5, 3.0, 185.0, -3.5};
    rlti_strand_data strands[2] = {{3, above}, {2, away}};
    rlti_hair_data hair = redhead();
    hair.strand_count = 2;
    hair.strands = strands;
    set_up(&f, hair, 48);
    assert_int_equal(grow(&f), RLT_OK);
    assert_int_equal(rlt_messages_count(f.messages), 1);
    assert_int_equal(rlt_messages_severity(f.messages, 0), RLT_WARNING);
    assert_string_equal(
        rlt_messages_text(f.messages, 0),
        "hair: 1 strand with a root more than 1 unit off the surface (1); moved to the closest point");
    assert_int_equal(f.strands->strand_count, 2);
    assert_int_equal(f.strands->point_count, 5);
    assert_true(f.strands->roots[0].triangle >= 0);
    assert_true(rlti_length(rlti_sub(f.strands->points[0], f.strands->roots[0].position)) == 0.0);
    assert_true(fabs(f.strands->points[0].y - 162.0) < 0.5);
    assert_true(fabs(f.strands->points[2].y - f.strands->points[1].y - 3.0) < 1e-9);

    strcpy(f.hair[0].region, "none"); /* carried by the head bone, exactly where they are */
    grow_well(&f);
    assert_int_equal(f.strands->roots[1].triangle, -1);
    assert_true(f.strands->points[3].y == 180.0);

    strands[1].point_count = 1;
    expect_error(&f, "hair: 1 strand with fewer than 2 points (1); give at least 2");
    strands[1].point_count = 2;
    away[4] = 180.0;
    expect_error(&f, "hair: 1 strand with two successive points at one place (1); remove one of the two");
    away[4] = (double)NAN;
    expect_error(&f, "hair: 1 strand with a point that is not finite (1); mend or remove it");
    tear_down(&f);
}

static void test_sections_follow_each_other(void **state) {
    (void)state;
    fixture f;
    rlti_hair_data hair = single();
    hair.count = 3;
    set_up(&f, hair, 0);
    f.scene.hair_count = 2;
    f.hair[1].count = 2;
    f.hair[1].length = 10.0;
    grow_well(&f);
    assert_int_equal(f.strands->strand_count, 5);
    static const int expected[5] = {0, 0, 0, 1, 1};
    for (int s = 0; s < 5; s++) {
        assert_int_equal(f.strands->hair[s], expected[s]);
        assert_int_equal(points_of(f.strands, s), expected[s] ? 11 : 77);
    }
    tear_down(&f);
}

/* Counting makes no hair, and counts what making would: with a count, and by density. */
static void test_counts_are_those_of_the_groom(void **state) {
    (void)state;
    fixture f;
    rlti_hair_data hair = redhead();
    hair.count = 40;
    hair.total_points = 0;
    set_up(&f, hair, 16);
    f.scene.hair_count = 2;
    f.hair[1].count = 0;
    f.hair[1].density = 0.02;
    f.hair[1].seed = 7;
    grow_well(&f);
    rlti_groom_size sizes[2] = {{0}}, made[2] = {{0}};
    for (int s = 0; s < f.strands->strand_count; s++) {
        made[f.strands->hair[s]].strands++;
        made[f.strands->hair[s]].points += points_of(f.strands, s);
    }
    assert_int_equal(rlti_groom_count(&f.scene, f.messages, sizes), RLT_OK);
    assert_true(made[1].strands > 1);
    for (int h = 0; h < 2; h++) {
        assert_int_equal(sizes[h].strands, made[h].strands);
        assert_int_equal(sizes[h].points, made[h].points);
    }
    f.hair[1].density = 1e-9;
    assert_int_equal(rlti_groom_count(&f.scene, f.messages, sizes), RLT_BAD_INPUT);
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_redhead_totals_and_shape),
        cmocka_unit_test(test_all_styles_stay_outside),
        cmocka_unit_test(test_points_from_points_per_turn_and_segment),
        cmocka_unit_test(test_hung_helix_has_radius_pitch_and_hand),
        cmocka_unit_test(test_hung_wave_is_planar),
        cmocka_unit_test(test_taper_and_straight_root),
        cmocka_unit_test(test_hung_strands_stand_on_a_grid),
        cmocka_unit_test(test_seed_decides),
        cmocka_unit_test(test_both_hands_occur),
        cmocka_unit_test(test_density_gives_the_count),
        cmocka_unit_test(test_exact_totals_with_short_strands),
        cmocka_unit_test(test_bad_settings_name_the_key),
        cmocka_unit_test(test_extreme_settings_end_soon),
        cmocka_unit_test(test_region_without_a_mesh),
        cmocka_unit_test(test_inline_strands),
        cmocka_unit_test(test_sections_follow_each_other),
        cmocka_unit_test(test_counts_are_those_of_the_groom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
