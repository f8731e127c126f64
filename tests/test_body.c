/* The generated character: mesh, regions, skeleton, motions and what lies between their samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "body/body.h"
#include "body/motion.h"
#include "base/memory.h"
#include "io/key_file.h"

static const rlti_motion_kind all_motions[] = {RLTI_MOTION_STILL, RLTI_MOTION_WALK, RLTI_MOTION_CALISTHENICS,
                                               RLTI_MOTION_STOP,  RLTI_MOTION_SPIN, RLTI_MOTION_FLIP};
enum { MOTIONS = 6 };

static rlti_scene_data make_scene(rlti_motion_kind motion) {
    rlti_scene_data scene;
    memset(&scene, 0, sizeof scene);
    scene.metres_per_unit = 0.01;
    scene.time.fps = 24.0;
    scene.time.first = 1;
    scene.time.last = 232;
    scene.character.kind = RLTI_CHARACTER_HEAD;
    scene.character.resolution = 24; /* quick to build */
    scene.character.scale = 1.0;
    scene.motion.kind = motion;
    scene.motion.amount = 1.0;
    scene.motion.speed = 120.0;
    scene.motion.stop_g = 10.0;
    scene.motion.spin = 1.0;
    return scene;
}

static rlti_body *make_body(const rlti_scene_data *scene) {
    rlti_body *body = NULL;
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlti_body_create(scene, messages, &body), RLT_OK);
    assert_int_equal(rlt_messages_count(messages), 0);
    rlt_messages_destroy(messages);
    assert_non_null(body);
    return body;
}

static int compare_edges(const void *a, const void *b) {
    const int *x = a;
    const int *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] < y[1] ? -1 : (x[1] > y[1]));
}

/* Every directed edge occurs once and its reverse once: closed, and all triangles turn the same way. */
static void check_closed(const rlti_mesh *mesh) {
    int count = 3 * mesh->triangle_count;
    int(*edges)[2] = malloc((size_t)count * sizeof *edges);
    assert_non_null(edges);
    for (int i = 0; i < count; i++) {
        const int *v = mesh->triangles[i / 3];
        edges[i][0] = v[i % 3];
        edges[i][1] = v[(i + 1) % 3];
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 0; i < count; i++) {
        if (i > 0)
            assert_int_not_equal(compare_edges(edges[i - 1], edges[i]), 0);
        int reverse[2] = {edges[i][1], edges[i][0]};
        assert_non_null(bsearch(reverse, edges, (size_t)count, sizeof *edges, compare_edges));
    }
    free(edges);
}

static void test_mesh_is_closed_and_outward(void **state) {
    (void)state;
    static const int resolutions[] = {1, 24, 29, 37, 48, 53, 64};
    int last_count = 0;
    for (int r = 0; r < 7; r++) {
        rlti_scene_data scene = make_scene(RLTI_MOTION_STILL);
        scene.character.resolution = resolutions[r];
        rlti_body *body = make_body(&scene);
        const rlti_mesh *mesh = rlti_body_mesh(body);
        check_closed(mesh);
        double volume = 0.0;
        for (int t = 0; t < mesh->triangle_count; t++) {
            const int *v = mesh->triangles[t];
            rlti_vec3 a = mesh->vertices[v[0]], b = mesh->vertices[v[1]], c = mesh->vertices[v[2]];
            rlti_vec3 ab = rlti_sub(b, a), ac = rlti_sub(c, a), bc = rlti_sub(c, b);
            double area = 0.5 * rlti_length(rlti_cross(ab, ac));
            double longest = fmax(rlti_length(ab), fmax(rlti_length(ac), rlti_length(bc)));
            /* height over the longest side, relative to it: an equilateral triangle has 0.87 */
            assert_true(2.0 * area / (longest * longest) > 0.02);
            volume += rlti_dot(a, rlti_cross(b, c)) / 6.0;
        }
        /* head, neck and bust: about nine litres */
        assert_true(volume > 8000.0 && volume < 10500.0);
        assert_true(mesh->triangle_count >= last_count);
        last_count = mesh->triangle_count;
        if (resolutions[r] == 48)
            assert_true(mesh->triangle_count > 3000 && mesh->triangle_count < 7000);
        rlti_body_destroy(body);
    }
}

static double volume_from(const rlti_mesh *mesh, int first) {
    double volume = 0.0;
    for (int t = first; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        volume +=
            rlti_dot(mesh->vertices[v[0]], rlti_cross(mesh->vertices[v[1]], mesh->vertices[v[2]])) / 6.0;
    }
    return volume;
}

/* A closed piece of its own, outward, without regions; the skin stays as it is. */
static void test_a_strap(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_STILL);
    rlti_body *plain = make_body(&scene);
    scene.character.strap = 1.5;
    rlti_body *body = make_body(&scene);
    const rlti_mesh *mesh = rlti_body_mesh(body), *skin = rlti_body_mesh(plain);
    check_closed(mesh);
    double volume = volume_from(mesh, skin->triangle_count);
    assert_true(volume > 50.0 && volume < 110.0); /* about 75 units around, 2.8 wide, 0.4 thick */
    assert_true(mesh->triangle_count > skin->triangle_count + 1000);
    assert_memory_equal(mesh->vertices, skin->vertices, (size_t)skin->vertex_count * sizeof(rlti_vec3));
    for (int t = skin->triangle_count; t < mesh->triangle_count; t++)
        assert_int_equal(mesh->regions[t], 0);
    rlti_body_destroy(body);
    rlti_body_destroy(plain);
}

static void test_head_has_the_stated_size(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_STILL);
    scene.character.resolution = 48;
    rlti_body *body = make_body(&scene);
    const rlti_mesh *mesh = rlti_body_mesh(body);
    double crown = -1e9, chin = 1e9, half_width = 0.0, front = -1e9, back = 1e9, shoulders = -1e9;
    for (int v = 0; v < mesh->vertex_count; v++) {
        rlti_vec3 p = mesh->vertices[v];
        crown = fmax(crown, p.y);
        if (p.z > 5.0)
            chin = fmin(chin, p.y > -14.0 ? p.y : 1e9);
        if (p.y > 0.0) {
            half_width = fmax(half_width, fabs(p.x));
            back = fmin(back, p.z);
        }
        if (p.y > -10.0)
            front = fmax(front, p.z);
        if (fabs(p.x) > 10.0)
            shoulders = fmax(shoulders, p.y);
    }
    assert_true(fabs(crown - 12.0) < 0.5);
    assert_true(fabs(chin + 11.0) < 0.7);
    assert_true(fabs(2.0 * half_width - 16.0) < 1.0);
    assert_true(fabs(front - back - 21.0) < 1.5); /* with the nose */
    assert_true(fabs(shoulders + 20.0) < 2.0);
    rlti_body_destroy(body);
}

static void test_regions(void **state) {
    (void)state;
    static const char *const names[] = {"all",  "scalp", "top",  "front", "left",     "right",
                                        "back", "nape",  "face", "neck",  "shoulders"};
    rlti_scene_data scene = make_scene(RLTI_MOTION_STILL);
    scene.character.resolution = 48;
    rlti_body *body = make_body(&scene);
    const rlti_mesh *mesh = rlti_body_mesh(body);
    assert_int_equal(mesh->region_count, 11);
    int counts[11] = {0};
    for (int r = 0; r < 11; r++) {
        int region = rlti_body_region(body, names[r]);
        assert_true(region >= 0);
        for (int t = 0; t < mesh->triangle_count; t++)
            counts[r] += (int)((mesh->regions[t] >> region) & 1u);
        assert_true(counts[r] > 20);
    }
    assert_int_equal(counts[0], mesh->triangle_count);
    assert_int_equal(rlti_body_region(body, "scalpp"), -1);

    uint32_t scalp = 1u << rlti_body_region(body, "scalp");
    uint32_t bare = (1u << rlti_body_region(body, "face")) | (1u << rlti_body_region(body, "neck")) |
                    (1u << rlti_body_region(body, "shoulders"));
    uint32_t part = 0;
    for (int r = 2; r <= 7; r++)
        part |= 1u << rlti_body_region(body, names[r]);
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (mesh->regions[t] & scalp)
            assert_int_equal(mesh->regions[t] & bare, 0);
        if (mesh->regions[t] & part)
            assert_true(mesh->regions[t] & scalp);
        if (!(mesh->regions[t] & scalp))
            continue;
        for (int k = 0; k < 3; k++) {
            rlti_vec3 p = mesh->vertices[mesh->triangles[t][k]];
            assert_true(p.y > -9.5);             /* on the head, not on the neck */
            assert_true(p.y > 3.0 || p.z < 6.5); /* not in the face */
        }
    }
    rlti_body_destroy(body);
}

static void test_no_character_has_an_empty_mesh_and_moving_bones(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_STOP);
    scene.character.kind = RLTI_CHARACTER_NONE;
    rlti_body *body = make_body(&scene);
    assert_int_equal(rlti_body_mesh(body)->triangle_count, 0);
    assert_int_equal(rlti_body_mesh(body)->vertex_count, 0);
    assert_int_equal(rlti_body_region(body, "scalp"), -1);
    assert_true(rlti_body_bone_sample(body, RLTI_BONE_HEAD, 40).translation.z > 100.0);
    assert_true(rlti_body_bone_sample(body, RLTI_BONE_NONE, 40).translation.z == 0.0);
    rlti_body_destroy(body);
}

static void test_bad_settings_are_refused(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_STILL);
    scene.character.scale = 0.0;
    rlt_messages *messages = rlt_messages_create();
    rlti_body *body = NULL;
    assert_int_equal(rlti_body_create(&scene, messages, &body), RLT_BAD_INPUT);
    assert_null(body);
    assert_int_equal(rlt_messages_count(messages), 1);
    assert_string_equal(rlt_messages_text(messages, 0), "character.scale = 0: must be > 0");
    rlt_messages_destroy(messages);
}

static double vec_error(rlti_vec3 a, rlti_vec3 b) {
    return rlti_length(rlti_sub(a, b));
}

static double quat_dot(rlti_quat a, rlti_quat b) {
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Angular velocity 2 q' q* / |q|^2 [rad/s]: the same for q and -q. */
static rlti_vec3 angular_velocity(rlti_quat q, rlti_quat rate) {
    rlti_quat inverse = {q.w, -q.x, -q.y, -q.z};
    rlti_quat w = rlti_quat_multiply(rate, inverse);
    return rlti_scale(2.0 / quat_dot(q, q), rlti_v3(w.x, w.y, w.z));
}

static void check_joined(const rlti_motion_segment *a, const rlti_motion_segment *b, double rate) {
    rlti_vec3 pa, va, pb, vb;
    rlti_quat qa, ra, qb, rb;
    rlti_motion_segment_at(a, 1.0, rate, &pa, &va, &qa, &ra);
    rlti_motion_segment_at(b, 0.0, rate, &pb, &vb, &qb, &rb);
    assert_true(vec_error(pa, pb) < 1e-9);
    assert_true(vec_error(va, vb) < 1e-7);
    assert_true(fabs(fabs(quat_dot(qa, qb)) - 1.0) < 1e-12);
    assert_true(vec_error(angular_velocity(qa, ra), angular_velocity(qb, rb)) < 1e-8);
}

/* A root on the nape's skin, one on the neck (blended by two bones), one hung on the head bone. */
static void sample_roots(const rlti_body *body, rlti_root roots[3]) {
    const rlti_mesh *mesh = rlti_body_mesh(body);
    static const char *const names[2] = {"nape", "neck"};
    for (int r = 0; r < 2; r++) {
        int region = rlti_body_region(body, names[r]);
        int t = 0;
        while (!((mesh->regions[t] >> region) & 1u))
            t++;
        roots[r] = (rlti_root){.triangle = t, .barycentric = {0.2, 0.3, 0.5}, .bone = RLTI_BONE_HEAD};
    }
    roots[2] = (rlti_root){.triangle = -1, .bone = RLTI_BONE_HEAD, .position = {1.0, 2.0, 3.0}};
}

static void test_segments_join_and_meet_samples(void **state) {
    (void)state;
    for (int m = 0; m < MOTIONS; m++) {
        rlti_scene_data scene = make_scene(all_motions[m]);
        rlti_body *body = make_body(&scene);
        rlti_root roots[3];
        sample_roots(body, roots);
        for (int frame = -2; frame < 140; frame++) {
            rlti_motion_segment now, next;
            for (int r = 0; r < 3; r++) {
                rlti_body_root_segment(body, &roots[r], frame, &now);
                rlti_body_root_segment(body, &roots[r], frame + 1, &next);
                check_joined(&now, &next, scene.time.fps);
            }
            rlti_body_bone_segment(body, RLTI_BONE_NECK, frame, &now);
            rlti_body_bone_segment(body, RLTI_BONE_NECK, frame + 1, &next);
            check_joined(&now, &next, scene.time.fps);

            rlti_pose pose = rlti_body_bone_sample(body, RLTI_BONE_NECK, frame);
            rlti_vec3 p, v;
            rlti_quat q, rate;
            rlti_motion_segment_at(&now, 0.0, scene.time.fps, &p, &v, &q, &rate);
            assert_true(vec_error(p, pose.translation) < 1e-12);
            assert_true(fabs(fabs(quat_dot(q, pose.rotation)) - 1.0) < 1e-12);
            /* the polynomial never nears zero, so normalising it is safe */
            rlti_motion_segment_at(&now, 0.5, scene.time.fps, &p, &v, &q, &rate);
            assert_true(fabs(quat_dot(q, q) - 1.0) < 0.01);
        }
        rlti_body_destroy(body);
    }
}

static void test_first_pose_is_rest_and_holds_before(void **state) {
    (void)state;
    for (int m = 0; m < MOTIONS; m++) {
        rlti_scene_data scene = make_scene(all_motions[m]);
        scene.motion.start = 0.5;
        rlti_body *body = make_body(&scene);
        for (int bone = RLTI_BONE_TORSO; bone < RLTI_BONE_COUNT; bone++)
            for (int frame = -100; frame <= 13; frame += 1) { /* frame 13 is half a second in */
                rlti_pose pose = rlti_body_bone_sample(body, (rlti_bone)bone, frame);
                assert_true(rlti_length(pose.translation) == 0.0);
                assert_true(pose.rotation.w == 1.0);
            }
        if (all_motions[m] != RLTI_MOTION_STILL) {
            rlti_pose pose = rlti_body_bone_sample(body, RLTI_BONE_HEAD, 40);
            assert_true(rlti_length(pose.translation) > 0.01 || pose.rotation.w < 0.9999);
        }
        rlti_body_destroy(body);
    }
}

static rlti_joints motion_at(const rlti_scene_data *scene, double seconds) {
    rlti_key_list keys = rlti_key_list_of(&scene->motion.keys);
    return rlti_motion_at(scene, &keys, seconds);
}

/* Keys of one's own: the head turns by all of the angle, the neck by two fifths of it; held before
 * the first frame. */
static void test_motion_by_keys(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_KEYS);
    const double keys[2][7] = {{1, 0, 0, 0, 0, 0, 0}, {13, 0, 2, 0, 0, 90, 0}};
    scene.motion.keys.count = 2;
    memcpy(scene.motion.keys.key, keys, sizeof keys);
    double end = (13 - scene.time.first) / scene.time.fps;
    rlti_joints at = motion_at(&scene, end);
    rlti_quat both = rlti_quat_multiply(at.turn[RLTI_BONE_NECK], at.turn[RLTI_BONE_HEAD]);
    rlti_quat want = rlti_turn(90.0, 0.0, 0.0), neck = rlti_turn(36.0, 0.0, 0.0);
    assert_true(fabs(at.travel.y - 2.0) < 1e-12 && fabs(at.turn[RLTI_BONE_TORSO].w - 1.0) < 1e-15);
    assert_true(fabs(both.w - want.w) < 1e-12 && fabs(both.y - want.y) < 1e-12);
    assert_true(fabs(at.turn[RLTI_BONE_NECK].y - neck.y) < 1e-12);
    scene.motion.pivot = RLTI_PIVOT_TORSO;
    at = motion_at(&scene, end);
    assert_true(fabs(at.turn[RLTI_BONE_TORSO].y - want.y) < 1e-12 &&
                fabs(at.turn[RLTI_BONE_HEAD].w - 1.0) < 1e-15);
    at = motion_at(&scene, -1.0);
    assert_true(fabs(at.turn[RLTI_BONE_TORSO].w - 1.0) < 1e-15 && fabs(at.travel.y) < 1e-15);
}

static void assert_keys(const char *text, int count, const double *last) {
    double(*keys)[7];
    int found;
    assert_int_equal(rlti_key_text_read("k.csv", text, strlen(text), NULL, &keys, &found), RLT_OK);
    assert_int_equal(found, count);
    for (int i = 0; i < 7; i++)
        assert_true(keys[count - 1][i] == last[i]);
    rlti_free(keys);
}

static void test_key_files(void **state) {
    (void)state;
    const double seven[] = {2, 1, 2, 3, 40, 50, 60}, few[] = {3.5, 0, 0, -1, 0, 30, 0};
    assert_keys("1 0 0 0 0 0 0\n2 1 2 3 40 50 60\n", 2, seven);
    assert_keys("\xef\xbb\xbf# baked\r\n\r\n1,0,0,0,0,0,0\r\n2,1, 2,3,4e1,50,60 # end", 2, seven);
    assert_keys("frame\ttx\tty\ttz\trx\try\trz\n2\t1\t2\t3\t40\t50\t60", 1, seven);
    assert_keys("rotateY;Frame;translateZ\n30;3.5;-1\n", 1, few);
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "k.csv: has no keys; a line is frame, x, y, z, rx, ry, rz"},
        {"frame,x\n", "k.csv: has no keys; a line is frame, x, y, z, rx, ry, rz"},
        {"1,0,0,0,0,0\n", "k.csv:1:1: has 6 numbers, not 7; a key is frame, x, y, z, rx, ry, rz"},
        {"1,0,0,0,0,0,0,7\n", "k.csv:1:1: has 8 numbers, not 7; a key is frame, x, y, z, rx, ry, rz"},
        {"frame,ry\n1,2\n 2,3,4\n", "k.csv:3:2: has 3 numbers, not 2; a key is as the first line names them"},
        {"1,0,0,0,0,0,0\n2,0,,0,0,0,0\n", "k.csv:2:5: \"\" is no number"},
        {"1,0,0,0,0,0,0\n2,0,0,0,12deg,0,0\n", "k.csv:2:9: \"12deg\" is no number"},
        {"1,0,0,0,0,nan,0\n", "k.csv:1:11: nan: must be within -1e9..1e9"},
        {"1,0,0,0,0,1e10,0\n", "k.csv:1:11: 1e10: must be within -1e9..1e9"},
        {"1,0,0,0,0,0,0\n1,0,0,0,0,0,0\n", "k.csv:2:1: frames must increase"},
        {"frame,yaw\n", "k.csv:1:7: \"yaw\" is no column; there are frame, x, y, z, rx, ry, rz"},
        {"frame,ry,ry\n", "k.csv:1:10: \"ry\": the column is there already; remove one"},
        {"rx,ry\n", "k.csv:1:1: the columns need one named frame; there are frame, x, y, z, rx, ry, rz"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rlt_messages *messages = rlt_messages_create();
        double(*keys)[7];
        int count;
        assert_int_equal(
            rlti_key_text_read("k.csv", bad[i].text, strlen(bad[i].text), messages, &keys, &count),
            RLT_BAD_INPUT);
        assert_string_equal(rlt_messages_text(messages, 0), bad[i].message);
        assert_true(keys == NULL && count == 0);
        rlt_messages_destroy(messages);
    }
}

/* Hair of a head leaves its parting to both sides, and the forehead backwards; nowhere upwards. */
static void test_heads_are_combed_from_a_parting(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_STILL);
    rlti_body *body = make_body(&scene);
    int scalp = rlti_body_region(body, "scalp");
    for (int x = -6; x <= 6; x += 4) {
        rlti_vec3 crown, brow;
        assert_true(rlti_body_comb(body, scalp, rlti_v3(x, 11, 0), &crown));
        assert_true(rlti_body_comb(body, scalp, rlti_v3(x, 6, 7), &brow));
        assert_true(fabs(rlti_length(crown) - 1.0) < 1e-12 && fabs(rlti_length(brow) - 1.0) < 1e-12);
        assert_true(crown.x * (x - 1.2) > 0 && brow.x * (x - 1.2) > 0);
        assert_true(brow.z < -0.3 && brow.y < 0 && crown.y < 0);
    }
    rlti_body_destroy(body);
}

/* Jumps of velocity from one 1 ms to the next would show as accelerations of many g. */
static void test_motions_are_smooth_in_time(void **state) {
    (void)state;
    for (int m = 0; m < MOTIONS; m++) {
        if (all_motions[m] == RLTI_MOTION_STOP)
            continue;
        rlti_scene_data scene = make_scene(all_motions[m]);
        const double h = 1e-3;
        double last = 0.0;
        for (int i = 0; i < 12000; i++) {
            rlti_joints a = motion_at(&scene, (i - 1) * h);
            rlti_joints b = motion_at(&scene, i * h);
            rlti_joints c = motion_at(&scene, (i + 1) * h);
            rlti_vec3 second = rlti_add(rlti_sub(a.travel, b.travel), rlti_sub(c.travel, b.travel));
            double acceleration = rlti_length(second) / (h * h);
            if (i > 0)
                assert_true(fabs(acceleration - last) < 40.0); /* its own change in 1 ms: no jump */
            last = acceleration;
            /* the head turns at most 15 degrees a frame, so that 24 samples a second describe it */
            double turn = fabs(quat_dot(b.turn[RLTI_BONE_HEAD], c.turn[RLTI_BONE_HEAD]));
            assert_true(turn > 1.0 - 1e-4);
        }
    }
}

static void test_calisthenics_reach_their_angles(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_CALISTHENICS);
    rlti_body *body = make_body(&scene);
    double yaw = 0.0, nod = 0.0, tilt = 0.0;
    for (int frame = 1; frame <= 260; frame++) {
        rlti_quat q = rlti_body_bone_sample(body, RLTI_BONE_HEAD, frame).rotation;
        yaw = fmax(yaw, fabs(rlti_quat_rotate(q, rlti_v3(0, 0, 1)).x));
        nod = fmax(nod, fabs(rlti_quat_rotate(q, rlti_v3(0, 0, 1)).y));
        tilt = fmax(tilt, fabs(rlti_quat_rotate(q, rlti_v3(0, 1, 0)).x));
    }
    assert_true(fabs(yaw - 0.866) < 0.01);
    assert_true(fabs(nod - 0.5) < 0.01);
    assert_true(fabs(tilt - 0.4226) < 0.01);
    rlti_body_destroy(body);
}

static void test_walk_travels_and_bobs(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_WALK);
    rlti_body *body = make_body(&scene);
    double low = 1e9, high = -1e9;
    for (int frame = 48; frame <= 232; frame++) {
        rlti_pose pose = rlti_body_bone_sample(body, RLTI_BONE_TORSO, frame);
        rlti_vec3 p = rlti_add(rlti_quat_rotate(pose.rotation, rlti_v3(0, -24, 0)), pose.translation);
        low = fmin(low, p.y);
        high = fmax(high, p.y);
    }
    assert_true(fabs(high - low - 2.5) < 0.1);
    double distance = rlti_body_bone_sample(body, RLTI_BONE_TORSO, 232).translation.z;
    assert_true(fabs(distance - 120.0 * (231.0 / 24.0 - 0.375)) < 3.0);
    rlti_body_destroy(body);
}

static void test_flip_bows_and_whips(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_FLIP);
    rlti_body *body = make_body(&scene);
    double deepest = 0.0;
    for (int frame = 1; frame <= 120; frame++) {
        rlti_quat q = rlti_body_bone_sample(body, RLTI_BONE_HEAD, frame).rotation;
        deepest = fmax(deepest, -rlti_quat_rotate(q, rlti_v3(0, 0, 1)).y);
    }
    assert_true(fabs(deepest - 0.9659) < 0.005); /* sin 75 degrees */
    rlti_quat end = rlti_body_bone_sample(body, RLTI_BONE_HEAD, 120).rotation;
    assert_true(fabs(end.w - 1.0) < 1e-12);
    rlti_body_destroy(body);
}

static void test_spin_turns_and_stands(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_SPIN);
    scene.motion.spin = 0.3;
    scene.character.position[0] = 7.0;
    rlti_body *body = make_body(&scene);
    /* 4 s at full speed, counting the halves of start and stop */
    rlti_pose end = rlti_body_bone_sample(body, RLTI_BONE_HEAD, 1 + 24 * 6);
    rlti_vec3 facing = rlti_quat_rotate(end.rotation, rlti_v3(0, 0, 1));
    double angle = 2.0 * RLTI_PI * 1.2;
    assert_true(vec_error(facing, rlti_v3(sin(angle), 0.0, cos(angle))) < 1e-12);
    /* about the vertical through the position */
    rlti_vec3 at = rlti_add(rlti_quat_rotate(end.rotation, rlti_v3(7, 5, 0)), end.translation);
    assert_true(vec_error(at, rlti_v3(7, 5, 0)) < 1e-12);
    rlti_pose later = rlti_body_bone_sample(body, RLTI_BONE_HEAD, 1 + 24 * 9);
    assert_true(fabs(fabs(quat_dot(later.rotation, end.rotation)) - 1.0) < 1e-12);
    rlti_body_destroy(body);
}

/* The stop as the hair sees it: interpolated between samples. The frame in the middle of the brake has
 * exactly the deceleration asked for; the frames before and after ramp over it (at most 1.5 times). */
static void check_stop(double stop_g, double fps, double start) {
    rlti_scene_data scene = make_scene(RLTI_MOTION_STOP);
    scene.motion.stop_g = stop_g;
    scene.motion.start = start;
    scene.time.fps = fps;
    rlti_body *body = make_body(&scene);
    double brake, speed;
    rlti_motion_stop_brake(&scene, &brake, &speed);
    double asked = stop_g * 981.0;
    assert_true(fabs(speed - asked * 3.0 / fps) < 1e-6);
    int first = scene.time.first + (int)floor(brake * fps + 0.5);
    double greatest = 0.0;
    const double h = 1e-4;
    for (int frame = first - 2; frame < first + 5; frame++) {
        rlti_motion_segment segment;
        rlti_body_bone_segment(body, RLTI_BONE_HEAD, frame, &segment);
        for (double s = h; s < 1.0; s += 0.01) {
            rlti_vec3 p, v0, v1;
            rlti_quat q, rate;
            rlti_motion_segment_at(&segment, s - h, fps, &p, &v0, &q, &rate);
            rlti_motion_segment_at(&segment, s, fps, &p, &v1, &q, &rate);
            double deceleration = (v0.z - v1.z) * fps / h;
            greatest = fmax(greatest, deceleration);
            if (frame == first + 1)
                assert_true(fabs(deceleration / asked - 1.0) < 1e-3);
        }
    }
    assert_true(greatest > asked && greatest < 1.51 * asked);
    rlti_motion_segment before, after;
    rlti_vec3 p, v;
    rlti_quat q, rate;
    rlti_body_bone_segment(body, RLTI_BONE_HEAD, first - 2, &before);
    rlti_body_bone_segment(body, RLTI_BONE_HEAD, first + 4, &after);
    rlti_motion_segment_at(&before, 0.0, fps, &p, &v, &q, &rate);
    assert_true(fabs(v.z - speed) < 1e-6 * speed);
    rlti_motion_segment_at(&after, 0.5, fps, &p, &v, &q, &rate);
    assert_true(fabs(v.z) < 1e-9 * speed);
    rlti_body_destroy(body);
}

static void test_stop_reaches_its_deceleration(void **state) {
    (void)state;
    check_stop(10.0, 24.0, 0.0);
    check_stop(30.0, 24.0, 0.0);
    check_stop(10.0, 25.0, 0.37); /* a start between two frames */
}

/* All of the scalp turns with the head, whatever the triangle. */
static void test_scalp_roots_turn_as_one(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_CALISTHENICS);
    rlti_body *body = make_body(&scene);
    const rlti_mesh *mesh = rlti_body_mesh(body);
    int scalp = rlti_body_region(body, "scalp");
    for (int t = 0; t < mesh->triangle_count; t += 7) {
        if (!((mesh->regions[t] >> scalp) & 1u))
            continue;
        rlti_root root = {.triangle = t, .barycentric = {0.25, 0.25, 0.5}, .bone = RLTI_BONE_HEAD};
        for (int frame = 20; frame < 220; frame += 40) {
            rlti_motion_segment segment;
            rlti_body_root_segment(body, &root, frame, &segment);
            rlti_pose pose = rlti_body_bone_sample(body, RLTI_BONE_HEAD, frame);
            rlti_quat q = segment.rotation[0];
            assert_true(fabs(quat_dot(q, q) - 1.0) < 1e-12);
            assert_true(fabs(fabs(quat_dot(q, pose.rotation)) - 1.0) < 1e-12);
        }
    }
    rlti_body_destroy(body);
}

static void test_vertices_agree_with_roots(void **state) {
    (void)state;
    rlti_scene_data scene = make_scene(RLTI_MOTION_FLIP);
    scene.character.position[1] = 150.0;
    scene.character.scale = 1.2;
    rlti_body *body = make_body(&scene);
    const rlti_mesh *mesh = rlti_body_mesh(body);
    size_t count = (size_t)mesh->vertex_count;
    rlti_vec3 *coefficients = malloc(4 * count * sizeof(rlti_vec3));
    rlti_vec3 *positions = malloc(count * sizeof(rlti_vec3));
    rlti_vec3 *velocities = malloc(count * sizeof(rlti_vec3));
    rlti_vec3 *sample = malloc(count * sizeof(rlti_vec3));
    assert_true(coefficients != NULL && positions != NULL && velocities != NULL && sample != NULL);
    int frame = 55; /* in the whip */
    rlti_body_vertex_segment(body, frame, coefficients);
    rlti_body_vertices_at(body, coefficients, 0.0, 24.0, positions, NULL);
    rlti_body_vertices_sample(body, frame, sample);
    for (size_t v = 0; v < count; v++)
        assert_true(vec_error(positions[v], sample[v]) < 1e-12);
    rlti_body_vertices_at(body, coefficients, 0.4, 24.0, positions, velocities);
    rlti_root roots[3];
    sample_roots(body, roots);
    for (int r = 0; r < 2; r++) {
        rlti_motion_segment segment;
        rlti_vec3 p, v, sum = {0, 0, 0}, rate_sum = {0, 0, 0};
        rlti_quat q, rate;
        rlti_body_root_segment(body, &roots[r], frame, &segment);
        rlti_motion_segment_at(&segment, 0.4, 24.0, &p, &v, &q, &rate);
        for (int k = 0; k < 3; k++) {
            int corner = mesh->triangles[roots[r].triangle][k];
            sum = rlti_madd(sum, roots[r].barycentric[k], positions[corner]);
            rate_sum = rlti_madd(rate_sum, roots[r].barycentric[k], velocities[corner]);
        }
        assert_true(vec_error(p, sum) < 1e-10);
        assert_true(vec_error(v, rate_sum) < 1e-8);
        assert_true(rlti_length(v) > 10.0);
    }
    free(coefficients);
    free(positions);
    free(velocities);
    free(sample);
    rlti_body_destroy(body);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mesh_is_closed_and_outward),
        cmocka_unit_test(test_motion_by_keys),
        cmocka_unit_test(test_key_files),
        cmocka_unit_test(test_a_strap),
        cmocka_unit_test(test_head_has_the_stated_size),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_no_character_has_an_empty_mesh_and_moving_bones),
        cmocka_unit_test(test_bad_settings_are_refused),
        cmocka_unit_test(test_segments_join_and_meet_samples),
        cmocka_unit_test(test_first_pose_is_rest_and_holds_before),
        cmocka_unit_test(test_motions_are_smooth_in_time),
        cmocka_unit_test(test_calisthenics_reach_their_angles),
        cmocka_unit_test(test_walk_travels_and_bobs),
        cmocka_unit_test(test_flip_bows_and_whips),
        cmocka_unit_test(test_spin_turns_and_stands),
        cmocka_unit_test(test_heads_are_combed_from_a_parting),
        cmocka_unit_test(test_stop_reaches_its_deceleration),
        cmocka_unit_test(test_scalp_roots_turn_as_one),
        cmocka_unit_test(test_vertices_agree_with_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
