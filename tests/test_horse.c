/* The generated horse: mesh, regions, weights, walk and side-step, and the grooms of the horse scenes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body/character.h"
#include "body/mesh.h"
#include "groom/mesh_tree.h"
#include "groom/placement.h"
#include "groom/strands.h"
#include "ringlet/ringlet.h"

static rlti_scene_data make_scene(rlti_motion_kind motion, int resolution) {
    rlti_scene_data scene;
    memset(&scene, 0, sizeof scene);
    scene.metres_per_unit = 0.01;
    scene.time.fps = 24.0;
    scene.time.first = 1;
    scene.time.last = 119;
    scene.character.kind = RLTI_CHARACTER_HORSE;
    scene.character.resolution = resolution;
    scene.character.scale = 1.0;
    scene.motion.kind = motion;
    scene.motion.amount = 1.0;
    scene.motion.stop_g = 10.0;
    scene.motion.spin = 0.5;
    return scene;
}

static rlti_body *make_body(const rlti_scene_data *scene) {
    rlti_body *body = NULL;
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlti_body_create(scene, messages, &body), RLT_OK);
    assert_int_equal(rlt_messages_count(messages), 0);
    rlt_messages_destroy(messages);
    return body;
}

static int compare_edges(const void *a, const void *b) {
    const int *x = a;
    const int *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] < y[1] ? -1 : (x[1] > y[1]));
}

static int find_top(int *above, int v) {
    while (above[v] != v) {
        above[v] = above[above[v]];
        v = above[v];
    }
    return v;
}

/* No triangle is folded over: hair and colliders tell inside from outside by its normal. */
static void check_folds(const rlti_mesh *mesh) {
    rlti_vec3 *normals = calloc((size_t)mesh->vertex_count, sizeof *normals);
    assert_non_null(normals);
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < mesh->triangle_count; t++) {
            const int *v = mesh->triangles[t];
            rlti_vec3 a = mesh->vertices[v[0]];
            rlti_vec3 n = rlti_cross(rlti_sub(mesh->vertices[v[1]], a), rlti_sub(mesh->vertices[v[2]], a));
            for (int k = 0; k < 3; k++) {
                if (pass == 0)
                    normals[v[k]] = rlti_add(normals[v[k]], n);
                else
                    assert_true(rlti_dot(normals[v[k]], n) > 0.0);
            }
        }
    free(normals);
}

/* Closed, consistently wound, in one piece, without handles, outward. */
static void check_surface(const rlti_mesh *mesh) {
    int count = 3 * mesh->triangle_count;
    int(*edges)[2] = malloc((size_t)count * sizeof *edges);
    int *above = malloc((size_t)mesh->vertex_count * sizeof *above);
    assert_true(edges != NULL && above != NULL);
    for (int v = 0; v < mesh->vertex_count; v++)
        above[v] = v;
    double volume = 0.0;
    for (int i = 0; i < count; i++) {
        const int *v = mesh->triangles[i / 3];
        edges[i][0] = v[i % 3];
        edges[i][1] = v[(i + 1) % 3];
        above[find_top(above, edges[i][0])] = find_top(above, edges[i][1]);
        if (i % 3 == 0)
            volume +=
                rlti_dot(mesh->vertices[v[0]], rlti_cross(mesh->vertices[v[1]], mesh->vertices[v[2]])) / 6.0;
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 0; i < count; i++) {
        if (i > 0)
            assert_int_not_equal(compare_edges(edges[i - 1], edges[i]), 0);
        int reverse[2] = {edges[i][1], edges[i][0]};
        assert_non_null(bsearch(reverse, edges, (size_t)count, sizeof *edges, compare_edges));
    }
    int pieces = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        pieces += above[v] == v;
    assert_int_equal(pieces, 1);
    assert_int_equal(mesh->vertex_count - count / 2 + mesh->triangle_count, 2); /* Euler: a sphere */
    assert_true(volume > 6e5 && volume < 9e5);                                  /* [unit^3] a heavy horse */
    free(edges);
    free(above);
    check_folds(mesh);
}

static void test_mesh_is_closed(void **state) {
    static const int resolutions[] = {8, 37};
    for (int r = 0; r < 2; r++) {
        rlti_mesh mesh = {0};
        assert_true(rlti_horse.build(resolutions[r], &mesh));
        check_surface(&mesh);
        rlti_mesh_clear(&mesh);
    }
    const rlti_mesh *mesh = rlti_body_mesh(*state);
    check_surface(mesh);
    assert_true(mesh->triangle_count > 10000 && mesh->triangle_count < 20000);
}

/* The horse at the default resolution and its character's coordinates, shared by the tests. */
static rlti_scene_data default_scene;

static int set_up(void **state) {
    default_scene = make_scene(RLTI_MOTION_STILL, 48);
    *state = make_body(&default_scene);
    return 0;
}

static int tear_down(void **state) {
    rlti_body_destroy(*state);
    return 0;
}

static void test_size(void **state) {
    rlti_mesh mesh = *rlti_body_mesh(*state);
    double withers = 0.0, top = 0.0, ground = 1e9, nose = 0.0, tail = 0.0, left = 0.0, right = 0.0;
    for (int v = 0; v < mesh.vertex_count; v++) {
        rlti_vec3 p = mesh.vertices[v];
        top = fmax(top, p.y);
        ground = fmin(ground, p.y);
        nose = fmax(nose, p.z);
        tail = fmin(tail, p.z);
        left = fmax(left, p.x);
        right = fmin(right, p.x);
        if (p.z > 15.0 && p.z < 30.0)
            withers = fmax(withers, p.y);
    }
    assert_true(fabs(withers - 160.0) < 4.0);
    assert_true(fabs(top - 214.0) < 2.0);
    assert_true(fabs(ground) < 0.3);
    assert_true(nose > 143.0 && nose < 149.0);
    assert_true(tail < -103.0 && tail > -108.0);
    assert_true(fabs(left + right) < 0.2 && left > 30.0 && left < 36.0);
}

static double region_area(const rlti_body *body, const char *name) {
    int region = rlti_body_region(body, name);
    assert_true(region >= 0);
    return rlti_region_area(rlti_body_mesh(body), region);
}

static void test_regions(void **state) {
    static const struct {
        const char *name;
        double least, most; /* [unit^2] */
        double low, high;   /* of its vertices [unit] */
    } expected[] = {
        {"all", 50000, 75000, -0.3, 216},    {"body", 30000, 55000, 58, 208},
        {"mane", 900, 2500, 150, 209},       {"forelock", 60, 300, 186, 209},
        {"tail", 350, 800, 100, 146},        {"fetlocks_front", 900, 2500, 8, 37},
        {"fetlocks_rear", 900, 2500, 8, 37}, {"head", 4000, 8000, 132, 216},
        {"neck", 5000, 13000, 110, 209},     {"legs", 11000, 22000, -0.3, 90},
        {"hooves", 1500, 3500, -0.3, 12},
    };
    const int count = (int)(sizeof expected / sizeof expected[0]);
    rlti_body *body = *state;
    const rlti_mesh *mesh = rlti_body_mesh(body);
    assert_int_equal(mesh->region_count, count);
    for (int r = 0; r < count; r++) {
        double area = region_area(body, expected[r].name);
        if (area < expected[r].least || area > expected[r].most)
            print_message("%s: %.0f square units\n", expected[r].name, area);
        assert_true(area > expected[r].least && area < expected[r].most);
        int bit = rlti_body_region(body, expected[r].name);
        for (int t = 0; t < mesh->triangle_count; t++)
            for (int k = 0; k < 3 && (mesh->regions[t] >> bit) & 1u; k++) {
                double y = mesh->vertices[mesh->triangles[t][k]].y;
                assert_true(y > expected[r].low && y < expected[r].high);
            }
    }
    /* the five grooms do not overlap */
    static const char *const grooms[] = {"body", "mane", "tail", "fetlocks_front", "fetlocks_rear"};
    uint32_t mask = 0;
    for (int g = 0; g < 5; g++)
        mask |= 1u << rlti_body_region(body, grooms[g]);
    for (int t = 0; t < mesh->triangle_count; t++) {
        uint32_t bits = mesh->regions[t] & mask;
        assert_true((bits & (bits - 1)) == 0);
    }
    assert_int_equal(rlti_body_region(body, "scalp"), -1);
}

static void test_weights_are_smooth(void **state) {
    rlti_mesh mesh = *rlti_body_mesh(*state);
    double most[RLTI_BONE_COUNT] = {0};
    for (int t = 0; t < mesh.triangle_count; t++) {
        double w[3][RLTI_BONE_COUNT];
        for (int k = 0; k < 3; k++) {
            double sum = 0.0;
            rlti_horse.weigh(mesh.vertices[mesh.triangles[t][k]], w[k]);
            for (int j = 0; j < rlti_horse.joint_count; j++) {
                assert_true(w[k][j] >= -1e-15);
                sum += w[k][j];
                most[j] = fmax(most[j], w[k][j]);
            }
            assert_true(fabs(sum - 1.0) < 1e-12);
        }
        for (int j = 0; j < rlti_horse.joint_count; j++) /* from one vertex to the next */
            assert_true(fabs(w[0][j] - w[1][j]) < 0.75 && fabs(w[1][j] - w[2][j]) < 0.75);
    }
    for (int j = 0; j < rlti_horse.joint_count; j++)
        assert_true(most[j] > 0.8); /* every bone has skin of its own */
}

/* A toe in the world. */
static rlti_vec3 toe_at(const rlti_body *body, rlti_bone leg, int frame) {
    double side = leg == RLTI_BONE_FRONT_LEFT || leg == RLTI_BONE_REAR_LEFT ? 1.0 : -1.0;
    rlti_vec3 rest = leg < RLTI_BONE_REAR_LEFT ? rlti_v3(side * 16.5, 0, 55) : rlti_v3(side * 15.5, 0, -56);
    rlti_pose pose = rlti_body_bone_sample(body, (rlti_bone)(leg + 3), frame);
    return rlti_pose_apply(&pose, rest);
}

static const rlti_bone legs[4] = {RLTI_BONE_REAR_LEFT, RLTI_BONE_FRONT_LEFT, RLTI_BONE_REAR_RIGHT,
                                  RLTI_BONE_FRONT_RIGHT};

/* The greatest differences of place and velocity of all vertices between frame f and f + period. */
static void check_loop(rlti_motion_kind kind, int period, double speed) {
    rlti_scene_data scene = make_scene(kind, 8);
    scene.time.last = period;
    scene.motion.start = -1.0; /* under way at the first frame */
    scene.motion.speed = speed;
    rlti_body *body = make_body(&scene);
    size_t n = (size_t)rlti_body_mesh(body)->vertex_count;
    rlti_vec3 *now = calloc(8 * n, sizeof *now);
    assert_non_null(now);
    rlti_vec3 *later = now + 4 * n;
    double ahead = speed * period / scene.time.fps;
    for (int frame = 1; frame <= period; frame += 13) {
        rlti_body_vertex_segment(body, frame, now);
        rlti_body_vertex_segment(body, frame + period, later);
        for (size_t i = 0; i < 4 * n; i++) { /* all four coefficients: place, velocity and beyond */
            rlti_vec3 d = rlti_sub(later[i], now[i]);
            d.z -= i < n ? ahead : 0.0;
            assert_true(rlti_length(d) < 1e-9);
        }
    }
    free(now);
    rlti_body_destroy(body);
}

static void test_motions_loop(void **state) {
    (void)state;
    check_loop(RLTI_MOTION_WALK, 119, 0.0);
    check_loop(RLTI_MOTION_WALK, 119, 104.0);
    check_loop(RLTI_MOTION_SIDESTEP, 96, 0.0);
}

/* In a four-beat walk left hind, left fore, right hind, right fore land one quarter of a stride apart; a hoof
 * on the ground stays where it is. */
static void test_walk_has_four_beats(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_WALK, 8);
    scene.time.fps = 240.0; /* to time the beats */
    scene.time.last = 1200; /* frames in this range are quick to get */
    scene.motion.start = -1.0;
    scene.motion.speed = 80.0 / 0.62 / (119.0 / 96.0);
    rlti_body *body = make_body(&scene);
    double landed[4] = {0};
    int cycle = 1190;
    for (int leg = 0; leg < 4; leg++) {
        int landings = 0, standing = 0;
        for (int frame = 1; frame <= cycle; frame++) {
            rlti_vec3 before = toe_at(body, legs[leg], frame - 1), p = toe_at(body, legs[leg], frame);
            rlti_vec3 after = toe_at(body, legs[leg], frame + 1);
            assert_true(p.y > -0.8 && p.y < 14.0);
            double here = rlti_length(rlti_sub(p, before)) * scene.time.fps;
            double next = rlti_length(rlti_sub(after, p)) * scene.time.fps;
            standing += here < 20.0;
            if (here >= 20.0 && next < 20.0 && p.y < 1.5) {
                landed[leg] = frame;
                landings++;
            }
        }
        assert_int_equal(landings, 4); /* strides in the cycle */
        assert_true(standing > 0.5 * cycle && standing < 0.7 * cycle);
    }
    double quarter = cycle / 16.0;
    for (int leg = 0; leg < 4; leg++) {
        double apart = (landed[(leg + 1) % 4] - landed[leg]) / quarter;
        apart -= 4.0 * floor(apart / 4.0);
        assert_true(fabs(apart - 1.0) < 0.25);
    }
    rlti_body_destroy(body);
}

static void test_sidestep_steps_aside_and_tosses_the_head(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_SIDESTEP, 8);
    scene.motion.start = -1.0;
    rlti_body *body = make_body(&scene);
    double far = 0.0, near = 1e9, up = 0.0, down = 0.0, gap = 1e9, lift = 0.0;
    for (int frame = 1; frame <= 96; frame++) {
        double x = rlti_body_bone_sample(body, RLTI_BONE_TORSO, frame).translation.x;
        rlti_quat q = rlti_body_bone_sample(body, RLTI_BONE_HEAD, frame).rotation;
        double nod = -rlti_quat_rotate(q, rlti_v3(0, 0, 1)).y;
        far = fmax(far, x);
        near = fmin(near, x);
        up = fmin(up, nod);
        down = fmax(down, nod);
        for (int pair = 0; pair < 2; pair++) {
            rlti_vec3 left = toe_at(body, legs[pair], frame), right = toe_at(body, legs[pair + 2], frame);
            gap = fmin(gap, left.x - right.x);
            lift = fmax(lift, left.y);
        }
    }
    assert_true(far - near > 35.0);       /* to the side and back */
    assert_true(up < -0.4 && down > 0.2); /* sines of the angles */
    assert_true(gap > 24.0);              /* hooves are 19 wide: they do not meet */
    assert_true(lift > 6.0);
    rlti_body_destroy(body);
}

/* Positions of all joints at 1 ms: accelerations do not jump. */
static void test_motions_are_smooth_in_time(void **state) {
    (void)state;
    static const rlti_motion_kind kinds[] = {RLTI_MOTION_WALK, RLTI_MOTION_SIDESTEP, RLTI_MOTION_CALISTHENICS,
                                             RLTI_MOTION_SPIN};
    for (int m = 0; m < 4; m++) {
        rlti_scene_data scene = make_scene(kinds[m], 8);
        scene.time.fps = 1000.0;
        scene.time.last = 4000;
        rlti_body *body = make_body(&scene);
        rlti_vec3 last[4] = {{0}};
        for (int frame = 1; frame < 4000; frame++)
            for (int leg = 0; leg < 4; leg++) {
                rlti_vec3 a = toe_at(body, legs[leg], frame), b = toe_at(body, legs[leg], frame + 1),
                          c = toe_at(body, legs[leg], frame + 2);
                rlti_vec3 second = rlti_scale(1e6, rlti_add(rlti_sub(a, b), rlti_sub(c, b)));
                if (frame > 1) /* [unit/s^2] in 1 ms; a jump of velocity would be 1e5 */
                    assert_true(rlti_length(rlti_sub(second, last[leg])) < 900.0);
                last[leg] = second;
            }
        rlti_body_destroy(body);
    }
}

static void test_still_stop_spin(void **state) {
    (void)state;
    static const rlti_motion_kind kinds[] = {RLTI_MOTION_STILL, RLTI_MOTION_STOP, RLTI_MOTION_SPIN,
                                             RLTI_MOTION_CALISTHENICS};
    for (int m = 0; m < 4; m++) {
        rlti_scene_data scene = make_scene(kinds[m], 8);
        rlti_body *body = make_body(&scene);
        rlti_pose rest = rlti_body_bone_sample(body, RLTI_BONE_HEAD, -5);
        assert_true(rest.rotation.w == 1.0 && rlti_length(rest.translation) == 0.0);
        rlti_pose pose = rlti_body_bone_sample(body, RLTI_BONE_HEAD, 40);
        int moved = rlti_length(pose.translation) > 0.1 || pose.rotation.w < 0.999;
        assert_int_equal(moved, kinds[m] != RLTI_MOTION_STILL);
        rlti_body_destroy(body);
    }
}

static void test_scale_and_position(void **state) {
    (void)state;
    rlti_scene_data small = make_scene(RLTI_MOTION_WALK, 8), large = small;
    small.motion.start = large.motion.start = -1.0;
    large.character.scale = 2.0;
    large.character.position[0] = 10.0;
    rlti_body *a = make_body(&small), *b = make_body(&large);
    size_t n = (size_t)rlti_body_mesh(a)->vertex_count;
    rlti_vec3 *p = calloc(2 * n, sizeof *p);
    assert_non_null(p);
    rlti_body_vertices_sample(a, 17, p);
    rlti_body_vertices_sample(b, 17, p + n);
    for (size_t v = 0; v < n; v++) {
        rlti_vec3 wanted = rlti_madd(rlti_v3(10, 0, 0), 2.0, p[v]);
        assert_true(rlti_length(rlti_sub(p[n + v], wanted)) < 1e-9);
    }
    free(p);
    rlti_body_destroy(a);
    rlti_body_destroy(b);
}

static void expect_refused(rlti_scene_data scene, const char *text) {
    rlti_body *body = NULL;
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlti_body_create(&scene, messages, &body), RLT_BAD_INPUT);
    assert_null(body);
    assert_string_equal(rlt_messages_text(messages, 0), text);
    rlt_messages_destroy(messages);
}

static void test_refusals(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_FLIP, 8);
    expect_refused(scene, "motion.kind: a horse cannot flip its hair; it can do still, walk, calisthenics, "
                          "stop, spin, sidestep, shake");
    scene.motion.kind = RLTI_MOTION_SIDESTEP;
    scene.character.kind = RLTI_CHARACTER_HEAD;
    expect_refused(scene, "motion.kind: sidestep needs legs: set character.kind to horse");
    scene.motion.kind = RLTI_MOTION_STILL;
    /* a ball has no coat; a head is combed from its parting, test_body.c */
    scene.character.kind = RLTI_CHARACTER_BALL;
    rlti_body *body = make_body(&scene);
    rlti_vec3 direction;
    assert_false(rlti_body_comb(body, 0, rlti_v3(0, 0, 0), &direction));
    rlti_body_destroy(body);
}

/* Table 2 of the paper. */
static const struct {
    const char *scene, *region;
    int hairs, points;
} table[] = {
    {"horse-mane", "mane", 2604, 43591},
    {"horse-tail", "tail", 425, 18275},
    {"horse-fetlocks-front", "fetlocks_front", 996, 17928},
    {"horse-fetlocks-rear", "fetlocks_rear", 726, 13068},
    {"horse-body", "body", 4949, 24745},
};

static rlt_scene *load(const char *name, rlt_messages *messages) {
    rlt_scene *scene = NULL;
    assert_int_equal(rlt_scene_load_embedded(name, NULL, 0, messages, &scene), RLT_OK);
    return scene;
}

static void check_times(const rlti_scene_data *data, int last) {
    const rlti_time_data *time = &data->time;
    assert_int_equal(time->first, 1);
    assert_int_equal(time->last, last);
    assert_true(time->fps == 24.0 && time->outer_steps == 30 && time->force_steps == 15);
    assert_int_equal(time->damping_steps, 10);
    assert_int_equal(data->character.kind, RLTI_CHARACTER_HORSE);
}

/* Table 1's column Horse. */
static void check_material(const rlti_hair_data *hair) {
    assert_int_equal(hair->style, RLTI_STYLE_STRAIGHT);
    assert_true(hair->bend_smoothing >= 0.0 && hair->bend_smoothing <= 1.0 && hair->core_smoothing == 0.0);
    for (int k = 0; k <= 10; k++) {
        double at = 0.1 * k;
        assert_true(rlti_ramp_at(&hair->stretch_stiffness, at) == 3e5);
        assert_true(rlti_ramp_at(&hair->stretch_damping, at) == 6025.0);
        double kb = rlti_ramp_at(&hair->bend_stiffness, at), cb = rlti_ramp_at(&hair->bend_damping, at);
        assert_true(kb >= 300.0 && kb <= 4.7e4 && cb >= 22.0 && cb <= 1083.0);
        assert_true(rlti_ramp_at(&hair->core_stiffness_max, at) == 0.0);
        assert_true(rlti_ramp_at(&hair->contact_radius, at) <= 2.5);
    }
    assert_true(rlti_ramp_at(&hair->contact_radius, 1.0) >= 1.0);
    assert_true(hair->prune_reach >= 3.0 && hair->prune_reach <= 4.0);
    assert_true(hair->prune_touches >= 3 && hair->prune_touches <= 20);
}

static void test_scenes_have_the_counts_of_the_paper(void **state) {
    (void)state;
    rlt_messages *messages = rlt_messages_create();
    static const char *const whole[] = {"horse", "horse-sidestep"};
    for (int w = 0; w < 2; w++) {
        rlt_scene *scene = load(whole[w], messages);
        const rlti_scene_data *data = rlti_scene_get(scene);
        int hairs = 0, points = 0;
        check_times(data, w == 0 ? 119 : 96);
        assert_int_equal(data->hair_count, 5);
        for (int h = 0; h < 5; h++) {
            assert_string_equal(data->hair[h].region, table[h].region);
            assert_int_equal(data->hair[h].count, table[h].hairs);
            assert_int_equal(data->hair[h].total_points, table[h].points);
            check_material(&data->hair[h]);
            hairs += data->hair[h].count;
            points += data->hair[h].total_points;
        }
        assert_int_equal(hairs, 9700);
        assert_int_equal(points, 117607);
        rlt_scene_destroy(scene);
    }
    for (int h = 0; h < 5; h++) {
        rlt_scene *scene = load(table[h].scene, messages);
        const rlti_scene_data *data = rlti_scene_get(scene);
        check_times(data, 119);
        assert_int_equal(data->hair_count, 1);
        assert_string_equal(data->hair[0].region, table[h].region);
        assert_int_equal(data->hair[0].count, table[h].hairs);
        assert_int_equal(data->hair[0].total_points, table[h].points);
        rlt_scene_destroy(scene);
    }
    assert_int_equal(rlt_messages_count(messages), 0);
    rlt_messages_destroy(messages);
}

/* Where hair of each section goes: a strand's run from root to tip, relative to its root. */
static void check_direction(int section, rlti_vec3 root, rlti_vec3 run) {
    double length = rlti_length(run);
    switch (section) {
    case 0: /* mane: down; on the neck to the root's side of it */
        assert_true(run.y < -0.3 * length);
        if (root.z < 92.0 && fabs(root.x) > 1.0)
            assert_true(run.x * root.x > 0.0);
        break;
    case 1: /* tail */
        assert_true(run.y < -0.8 * length && run.z < 0.25 * length);
        break;
    case 2:
    case 3: /* feathers */
        assert_true(run.y < 0.3 * length);
        break;
    default:
        break;
    }
}

static void check_outside(const rlti_scene_data *data, const rlti_strands *strands,
                          const rlti_mesh_tree *tree) {
    for (int s = 0; s < strands->strand_count; s += 5) {
        const rlti_hair_data *hair = &data->hair[strands->hair[s]];
        for (int p = strands->first[s] + 1; p < strands->first[s + 1]; p++) {
            rlti_nearest nearest;
            rlti_mesh_tree_nearest(tree, strands->points[p], &nearest);
            assert_true(nearest.distance > -hair->thickness);
            if (strands->hair[s] == 4)
                assert_true(nearest.distance < 7.0); /* the coat lies on the skin */
        }
    }
}

static uint64_t mix(uint64_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

#define GOLDEN 0xc13bbaddfb2862f4u

static void test_groom(void **state) {
    (void)state;
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *scene = load("horse", messages);
    const rlti_scene_data *data = rlti_scene_get(scene);
    rlti_body *body = NULL;
    rlti_strands *strands = NULL;
    assert_int_equal(rlti_body_create(data, messages, &body), RLT_OK);
    assert_int_equal(rlti_groom_create(data, body, messages, &strands), RLT_OK);
    for (int i = 0; i < rlt_messages_count(messages); i++)
        print_message("%s\n", rlt_messages_text(messages, i));
    assert_int_equal(rlt_messages_count(messages), 0); /* nothing starts inside the horse */
    assert_int_equal(strands->strand_count, 9700);
    assert_int_equal(strands->point_count, 117607);
    int hairs[5] = {0}, points[5] = {0};
    double shortest = 1e9;
    rlti_vec3 coat = {0, 0, 0}, feathers = {0, 0, 0};
    for (int s = 0; s < strands->strand_count; s++) {
        int h = strands->hair[s], first = strands->first[s], n = strands->first[s + 1] - first;
        hairs[h]++;
        points[h] += n;
        if (h == 4)
            assert_int_equal(n, 5);
        rlti_vec3 run = rlti_sub(strands->points[first + n - 1], strands->points[first]);
        check_direction(h, strands->points[first], run);
        if (h == 4)
            coat = rlti_add(coat, rlti_normalize(run));
        if (h == 2 || h == 3)
            feathers = rlti_add(feathers, rlti_normalize(run));
        shortest = fmin(shortest, rlti_length(rlti_sub(strands->points[first + 1], strands->points[first])));
    }
    for (int h = 0; h < 5; h++) {
        assert_int_equal(hairs[h], table[h].hairs);
        assert_int_equal(points[h], table[h].points);
    }
    assert_true(coat.z < -0.5 * hairs[4]); /* to the tail */
    assert_true(coat.y < -0.2 * hairs[4]); /* and down */
    assert_true(feathers.y < -0.7 * (hairs[2] + hairs[3]));
    assert_true(shortest > 0.8); /* short segments would need shorter steps */
    rlti_mesh_tree *tree = rlti_mesh_tree_create(rlti_body_mesh(body));
    assert_non_null(tree);
    check_outside(data, strands, tree);

    /* the same bits everywhere: mesh, groom, and a pose of the walk */
    uint64_t hash = 0xcbf29ce484222325u;
    const rlti_mesh *mesh = rlti_body_mesh(body);
    rlti_vec3 *posed = calloc((size_t)mesh->vertex_count, sizeof *posed);
    assert_non_null(posed);
    rlti_body_vertices_sample(body, 30, posed);
    hash = mix(hash, mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    hash = mix(hash, posed, (size_t)mesh->vertex_count * sizeof *posed);
    hash = mix(hash, strands->points, (size_t)strands->point_count * sizeof *strands->points);
    if (hash != GOLDEN)
        print_message("this build gives 0x%016llxu\n", (unsigned long long)hash);
    assert_true(hash == GOLDEN);
    free(posed);
    rlti_mesh_tree_destroy(tree);
    rlti_groom_destroy(strands);
    rlti_body_destroy(body);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mesh_is_closed),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_weights_are_smooth),
        cmocka_unit_test(test_motions_loop),
        cmocka_unit_test(test_walk_has_four_beats),
        cmocka_unit_test(test_sidestep_steps_aside_and_tosses_the_head),
        cmocka_unit_test(test_motions_are_smooth_in_time),
        cmocka_unit_test(test_still_stop_spin),
        cmocka_unit_test(test_scale_and_position),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_scenes_have_the_counts_of_the_paper),
        cmocka_unit_test(test_groom),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
