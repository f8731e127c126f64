/* Meshes from files as colliders: balls that must act like spheres, sheets, skin, sequences, jumps, groups.
 */
#include "obj_fixture.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "base/random.h"
#include "contact/body/collide.h"

typedef struct rig {
    rlti_scene_data scene;
    rlti_hair_data hair[2];
    rlti_collider_data items[40];
    rlti_body *body;
    rlti_colliders *colliders;
    rlt_messages *messages;
} rig;

static void set_up(rig *stage, const char *folder) {
    memset(stage, 0, sizeof *stage);
    rlti_scene_data *scene = &stage->scene;
    snprintf(scene->folder, sizeof scene->folder, "%s", folder);
    scene->metres_per_unit = 0.01;
    scene->time = (rlti_time_data){.fps = 24.0, .first = 1, .last = 100, .outer_steps = 60};
    scene->character.scale = 1.0;
    scene->motion = (rlti_motion_data){.amount = 1.0, .spin = 1.0};
    scene->hair_count = 2;
    scene->hair = stage->hair;
    scene->colliders = stage->items;
    for (int h = 0; h < 2; h++) {
        stage->hair[h].collide = 1;
        stage->hair[h].thickness = 0.25;
    }
    stage->messages = rlt_messages_create();
}

static rlti_collider_data *add(rig *stage, rlti_collider_kind kind, const char *name, const char *file) {
    rlti_collider_data *item = &stage->items[stage->scene.collider_count++];
    *item = (rlti_collider_data){.kind = kind, .enabled = 1, .radius = 3.0};
    snprintf(item->name, sizeof item->name, "%s", name);
    snprintf(item->file, sizeof item->file, "%s", file);
    snprintf(item->group, sizeof item->group, "all");
    return item;
}

static rlt_status try_start(rig *stage) {
    assert_int_equal(rlti_body_create(&stage->scene, NULL, &stage->body), RLT_OK);
    return rlti_colliders_create(&stage->scene, stage->body, stage->messages, &stage->colliders);
}

static void start(rig *stage) {
    rlt_status status = try_start(stage);
    if (status != RLT_OK)
        print_message("%s\n", rlt_messages_text(stage->messages, 0));
    assert_int_equal(status, RLT_OK);
}

static void begin(rig *stage, int frame) {
    assert_int_equal(rlti_colliders_begin_frame(stage->colliders, frame, stage->messages), RLT_OK);
}

static void tear_down(rig *stage) {
    rlti_colliders_destroy(stage->colliders);
    rlti_body_destroy(stage->body);
    rlt_messages_destroy(stage->messages);
}

static void write_ball(const char *folder, const char *name, double x, double y, double z, double radius,
                       int turned) {
    static char text[65536];
    const double centre[3] = {x, y, z};
    obj_ball(text, sizeof text, centre, radius, 12, turned);
    obj_write(folder, name, text);
}

/* A square of n x n quads of side 2 `half` at height y, facing up. */
static void write_sheet(const char *folder, const char *name, double half, double y) {
    enum { N = 8 };
    char text[16384];
    size_t used = 0;
    for (int i = 0; i <= N; i++)
        for (int j = 0; j <= N; j++)
            used += (size_t)snprintf(text + used, sizeof text - used, "v %.9g %.9g %.9g\n",
                                     half * (2.0 * i / N - 1.0), y, half * (2.0 * j / N - 1.0));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int a = i * (N + 1) + j + 1;
            used += (size_t)snprintf(text + used, sizeof text - used, "f %d %d %d %d\n", a, a + 1, a + N + 2,
                                     a + N + 1);
        }
    obj_write(folder, name, text);
}

/* The planes of a strand of points given in the world; the root first. */
static int find(const rig *stage, int hair, const double (*points)[3], int count, int any_side,
                rlti_plane *planes) {
    float positions[64 * 3], velocities[64 * 3] = {0};
    rlti_vec3 origin = rlti_v3(points[0][0], points[0][1], points[0][2]);
    float thickness[64];
    rlti_allowance allowance = {.thickness = thickness, .any_side = any_side};
    assert_true(count <= 64);
    for (int i = 0; i < count; i++)
        thickness[i] = 0.25f;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            positions[3 * i + k] = (float)(points[i][k] - points[0][k]);
    return rlti_colliders_find(stage->colliders, hair, &origin, count, positions, velocities, 0.25,
                               &allowance, 1e-3, NULL, planes);
}

/* Signed distance of a world point from the plane's surface. */
static double over(const rlti_plane *plane, const double root[3], const double at[3]) {
    double sum = 0.25 - (double)plane->offset;
    for (int k = 0; k < 3; k++)
        sum += (double)plane->normal[k] * (at[k] - root[k]);
    return sum;
}

/* A ball from a file, also one that is inside out, acts like a sphere, from within to without. */
static void test_ball_acts_like_a_sphere(void **state) {
    const char *folder = *state;
    for (int turned = 0; turned <= 1; turned++) {
        rig stage;
        set_up(&stage, folder);
        write_ball(folder, "ball.obj", 1, 2, 3, 3.0, turned);
        add(&stage, RLTI_COLLIDER_MESH, "ball", "ball.obj");
        start(&stage);
        assert_int_equal(rlti_colliders_count(stage.colliders), 1);
        assert_int_equal(rlt_messages_count(stage.messages), turned);
        begin(&stage, 1);
        rlti_colliders_pose(stage.colliders, 0.5);
        for (int i = 0; i < 300; i++) {
            rlti_vec3 out = rlti_normalize(rlti_v3(rlti_random_signed(1, (uint64_t)i, 0),
                                                   rlti_random_signed(1, (uint64_t)i, 1),
                                                   rlti_random_signed(1, (uint64_t)i, 2)));
            double r = 4.0 * rlti_random(1, (uint64_t)i, 3);
            rlti_vec3 at = rlti_madd(rlti_v3(1, 2, 3), r, out);
            const double points[2][3] = {{9, 9, 9}, {at.x, at.y, at.z}};
            rlti_plane plane;
            int count = find(&stage, 0, points, 2, 0, &plane);
            assert_int_equal(count, r < 3.0 || count);
            assert_true(count == 0 || r < 3.4);
            if (count == 0)
                continue;
            double along = out.x * (double)plane.normal[0] + out.y * (double)plane.normal[1] +
                           out.z * (double)plane.normal[2];
            assert_true(r < 2.0 || along > 0.95); /* deep inside several facets are as near */
            assert_true(r < 1.0 || fabs(over(&plane, points[0], points[1]) - (r - 3.0)) < 0.12);
            assert_true(fabs(rlti_colliders_distance(stage.colliders, 0, at, 5.0, NULL) - (r - 3.0)) < 0.12);
        }
        tear_down(&stage);
        obj_remove(folder, "ball.obj");
    }
}

/* On a spinning bone the mesh has the sphere's places and velocities. */
static void test_ball_on_a_bone(void **state) {
    const char *folder = *state;
    rig mesh, sphere;
    write_ball(folder, "ball.obj", 8, 0, 0, 3.0, 0);
    rig *rigs[] = {&mesh, &sphere};
    for (int i = 0; i < 2; i++) {
        set_up(rigs[i], folder);
        rigs[i]->scene.motion.kind = RLTI_MOTION_SPIN;
        rlti_collider_data *item = add(rigs[i], i == 0 ? RLTI_COLLIDER_MESH : RLTI_COLLIDER_SPHERE, "ball",
                                       i == 0 ? "ball.obj" : "");
        item->bone = RLTI_BONE_TORSO;
        item->position[0] = 8.0;
        start(rigs[i]);
        begin(rigs[i], 40);
        rlti_colliders_pose(rigs[i]->colliders, 0.3);
    }
    int planes = 0;
    for (int i = 0; i < 400; i++) {
        double angle = 2.0 * RLTI_PI * i / 400.0;
        const double points[2][3] = {{0, 9, 0}, {8 * rlti_cos(angle), 2.9, 8 * rlti_sin(angle)}};
        rlti_plane a, b;
        int count = find(&mesh, 0, points, 2, 0, &a);
        if (count == 0 || find(&sphere, 0, points, 2, 0, &b) == 0)
            continue;
        planes++;
        for (int k = 0; k < 3; k++) {
            assert_true(fabs((double)a.normal[k] - (double)b.normal[k]) < 0.15);
            assert_true(fabs((double)a.velocity[k] - (double)b.velocity[k]) < 1.5); /* of about 50 */
        }
    }
    assert_true(planes > 5);
    tear_down(&mesh);
    tear_down(&sphere);
    obj_remove(folder, "ball.obj");
}

/* Two balls that overlap in one file are the union of two solids: where each lies within the other there is
 * no outside. */
static void test_overlapping_pieces_are_a_union(void **state) {
    const char *folder = *state;
    static char text[1 << 17];
    const double left[3] = {-2, 0, 0}, right[3] = {2, 0, 0};
    rig stage;
    set_up(&stage, folder);
    obj_ball(text, 65536, left, 3.0, 12, 0);
    char *second = text + strlen(text);
    obj_ball(second, 65536, right, 3.0, 12, 0);
    /* the second ball's positive indices count from its own first vertex */
    static char shifted[1 << 17];
    size_t used = (size_t)(second - text);
    memcpy(shifted, text, used);
    int vertices = 11 * 24 + 2;
    for (char *line = strtok(second, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        int v[4], n = sscanf(line, "f %d %d %d %d", &v[0], &v[1], &v[2], &v[3]);
        if (n < 3) {
            used += (size_t)snprintf(shifted + used, sizeof shifted - used, "%s\n", line);
            continue;
        }
        used += (size_t)snprintf(shifted + used, sizeof shifted - used, "f");
        for (int k = 0; k < n; k++)
            used += (size_t)snprintf(shifted + used, sizeof shifted - used, " %d",
                                     v[k] > 0 ? v[k] + vertices : v[k]);
        used += (size_t)snprintf(shifted + used, sizeof shifted - used, "\n");
    }
    obj_write(folder, "two.obj", shifted);
    add(&stage, RLTI_COLLIDER_MESH, "two", "two.obj");
    start(&stage);
    assert_int_equal(rlti_colliders_count(stage.colliders), 2);
    assert_int_equal(rlt_messages_count(stage.messages), 0);
    for (double x = -4.5; x <= 4.5; x += 0.25) {
        double expected = fmin(fabs(x - 2.0), fabs(x + 2.0)) - 3.0;
        double distance = rlti_colliders_distance(stage.colliders, 0, rlti_v3(x, 0, 0), 5.0, NULL);
        assert_true(fabs(distance - expected) < 0.15);
    }
    tear_down(&stage);
    obj_remove(folder, "two.obj");
}

static void test_self_intersection_is_told(void **state) {
    const char *folder = *state;
    rig stage;
    set_up(&stage, folder);
    /* a long box, folded so that its upper half cuts through the lower: a quad strip tube would do, but two
     * fins of one open piece are enough: a strip that loops through itself */
    obj_write(folder, "loop.obj",
              "v 0 0 0\nv 0 0 4\nv 4 0 0\nv 4 0 4\nv 4 3 1\nv 4 3 3\nv 1 3 1\nv 1 3 3\nv 1 -2 1\nv 1 -2 3\n"
              "f 1 2 4 3\nf 3 4 6 5\nf 5 6 8 7\nf 7 8 10 9\n");
    add(&stage, RLTI_COLLIDER_MESH, "loop", "loop.obj");
    start(&stage);
    assert_int_equal(rlt_messages_count(stage.messages), 2);
    assert_non_null(strstr(rlt_messages_text(stage.messages, 0), "the mesh is open"));
    const char *told = rlt_messages_text(stage.messages, 1);
    assert_int_equal(strncmp(told, "collider 'loop': ", 17), 0);
    assert_non_null(strstr(told, " pairs of triangles cut through each other at rest, the first near ["));
    int pairs = atoi(told + 17);
    assert_true(pairs >= 2 && pairs <= 4);
    tear_down(&stage);
    obj_remove(folder, "loop.obj");
}

/* A sheet keeps a strand on the side it grows from, also when points have come through; a strand that may
 * pass is kept away from either side only. */
static void test_sheet_leads_back(void **state) {
    const char *folder = *state;
    rig stage;
    set_up(&stage, folder);
    write_sheet(folder, "sheet.obj", 6.0, 0.0);
    add(&stage, RLTI_COLLIDER_MESH, "cape", "sheet.obj");
    start(&stage);
    begin(&stage, 3);
    rlti_colliders_pose(stage.colliders, 0.25);
    rlti_plane planes[8];
    for (int side = -1; side <= 1; side += 2) { /* the root above, or below */
        const double s = side;
        /* comes near, passes, stays behind: points 2 to 4 are led back, 5 is too far behind */
        const double through[6][3] = {{0.3, 3 * s, 0.2},    {0.3, 0.1 * s, 0.2},   {0.3, -0.1 * s, 0.2},
                                      {0.3, -0.6 * s, 0.2}, {0.3, -0.01 * s, 0.7}, {0.3, -5.0 * s, 0.2}};
        int count = find(&stage, 0, through, 6, 0, planes);
        assert_int_equal(count, 4);
        for (int i = 0; i < count; i++) {
            assert_int_equal(planes[i].point, i + 1);
            assert_true(fabs((double)planes[i].normal[1] - s) < 1e-6);
            assert_true(fabs(over(&planes[i], through[0], through[i + 1]) - s * through[i + 1][1]) < 1e-5);
        }
        count = find(&stage, 0, through, 6, 1, planes);
        assert_int_equal(count, 3); /* -0.6 is further than the thickness */
        assert_true((double)planes[1].normal[1] * s < -0.99);
        /* round the rim it may go to the other side */
        const double round_rim[5][3] = {
            {5, 3 * s, 0}, {6.5, 1 * s, 0}, {6.5, -1 * s, 0}, {5, -0.5 * s, 0}, {4, -0.1 * s, 0}};
        count = find(&stage, 0, round_rim, 5, 0, planes);
        assert_int_equal(count, 1);
        assert_true((double)planes[0].normal[1] * s < -0.99);
        /* a root on the sheet grows to the side it takes */
        const double rooted[3][3] = {{1, -1e-4 * s, 1}, {1, 0.1 * s, 1}, {1, 1 * s, 1}};
        count = find(&stage, 0, rooted, 3, 0, planes);
        assert_int_equal(count, 1);
        assert_true((double)planes[0].normal[1] * s > 0.99);
    }
    rlti_vec3 points[3] = {{0.3, 3, 0.2}, {0.3, 1, 0.2}, {0.3, -1, 0.2}};
    assert_true(rlti_colliders_pass_through(stage.colliders, 0, 3, points, 0.25));
    assert_false(rlti_colliders_pass_through(stage.colliders, 0, 2, points, 0.25));
    /* exactly through a vertex and along the diagonals, parity must come out odd */
    for (int i = 0; i <= 16; i++) {
        double x = -3.0 + 6.0 * i / 16.0;
        const double straight[3][3] = {{x, 2, x}, {x, 1, x}, {x, -0.125, x}};
        int count = find(&stage, 0, straight, 3, 0, planes);
        assert_true(count >= 1 && (double)planes[count - 1].normal[1] > 0.99);
    }
    tear_down(&stage);
    obj_remove(folder, "sheet.obj");
}

/* As skin the same sheet has a below, but only under its faces and as deep as the grid looks. */
static void test_skin_has_one_side(void **state) {
    const char *folder = *state;
    rig stage;
    set_up(&stage, folder);
    write_sheet(folder, "sheet.obj", 6.0, 0.0);
    add(&stage, RLTI_COLLIDER_MESH, "scalp", "sheet.obj")->sides = RLTI_SIDES_ONE;
    start(&stage);
    assert_true(fabs(rlti_colliders_distance(stage.colliders, 0, rlti_v3(1, -0.5, 1), 1.0, NULL) + 0.5) <
                1e-5);
    assert_true(fabs(rlti_colliders_distance(stage.colliders, 0, rlti_v3(1, 0.5, 1), 1.0, NULL) - 0.5) <
                1e-5);
    /* beside the rim, lower than the sheet: outside */
    double beside = rlti_colliders_distance(stage.colliders, 0, rlti_v3(6.3, -0.4, 0), 1.0, NULL);
    assert_true(fabs(beside - 0.5) < 1e-5);
    assert_true(rlti_colliders_distance(stage.colliders, 0, rlti_v3(1, -40, 1), 1.0, NULL) == 1.0);
    rlti_plane plane;
    const double points[2][3] = {{0, 3, 0}, {1, -0.5, 1}};
    assert_int_equal(find(&stage, 0, points, 2, 0, &plane), 1);
    assert_true((double)plane.normal[1] > 0.99);
    tear_down(&stage);
    obj_remove(folder, "sheet.obj");
}

static size_t allocated(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

/* The height of the sheet's plane at s, and its velocity. */
static double sheet_at(rig *stage, double s, double y, double *velocity) {
    rlti_colliders_pose(stage->colliders, s);
    const double points[2][3] = {{0.3, y + 3, 0.3}, {0.3, y + 0.1, 0.3}};
    rlti_plane plane = {0};
    assert_int_equal(find(stage, 0, points, 2, 0, &plane), 1);
    *velocity = (double)plane.velocity[1];
    return points[1][1] - over(&plane, points[0], points[1]);
}

/* Heights 0.2 t^2 in frames: the cubic through the samples is exact, and nothing is allocated on the way. */
static void test_sequence_is_smooth(void **state) {
    const char *folder = *state;
    rig stage;
    char name[64];
    set_up(&stage, folder);
    for (int f = 1; f <= 8; f++) {
        snprintf(name, sizeof name, "s.%04d.obj", f);
        write_sheet(folder, name, 6.0, 0.2 * f * f);
    }
    add(&stage, RLTI_COLLIDER_MESH, "s", "s.####.obj");
    start(&stage);
    size_t before = 0;
    for (int f = 2; f < 7; f++) {
        begin(&stage, f);
        for (int step = 0; step <= 4; step++) {
            double t = f + 0.25 * step, velocity;
            double y = sheet_at(&stage, 0.25 * step, 0.2 * t * t, &velocity);
            assert_true(fabs(y - 0.2 * t * t) < 1e-4);
            assert_true(fabs(velocity - 24.0 * 0.4 * t) < 1e-2);
        }
        if (f == 2)
            before = allocated();
    }
    assert_true(allocated() == before);
    /* beyond the ends the nearest file holds */
    double velocity;
    begin(&stage, 100);
    assert_true(fabs(sheet_at(&stage, 0.5, 0.2 * 64, &velocity) - 0.2 * 64) < 1e-5 && velocity == 0.0);
    begin(&stage, -100);
    assert_true(fabs(sheet_at(&stage, 0.5, 0.2, &velocity) - 0.2) < 1e-5 && velocity == 0.0);
    /* going back gives the same as going forward */
    begin(&stage, 4);
    assert_true(fabs(sheet_at(&stage, 0.5, 0.2 * 4.5 * 4.5, &velocity) - 0.2 * 4.5 * 4.5) < 1e-4);
    assert_int_equal(rlt_messages_count(stage.messages), 1); /* open; no jump */
    tear_down(&stage);

    /* a file that has gone is an error that names it */
    set_up(&stage, folder);
    add(&stage, RLTI_COLLIDER_MESH, "s", "s.####.obj");
    start(&stage);
    obj_remove(folder, "s.0006.obj");
    assert_int_equal(rlti_colliders_begin_frame(stage.colliders, 5, stage.messages), RLT_BAD_INPUT);
    const char *told = rlt_messages_text(stage.messages, 1);
    assert_non_null(strstr(told, "s.0006.obj: cannot be read: No such file"));
    tear_down(&stage);

    /* and one that is missing from the start is found before anything runs */
    set_up(&stage, folder);
    add(&stage, RLTI_COLLIDER_MESH, "s", "s.####.obj");
    assert_int_equal(try_start(&stage), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(stage.messages, 0),
                           "s.0006.obj: is missing; the sequence runs from 1 to 8"));
    tear_down(&stage);
    for (int f = 1; f <= 8; f++) {
        snprintf(name, sizeof name, "s.%04d.obj", f);
        obj_remove(folder, name);
    }
}

/* A ball that moves 2 units a frame, jumps by 100 between frames 5 and 6, and moves on: at no time is it
 * faster than before. */
static void test_jump_has_no_speed(void **state) {
    const char *folder = *state;
    rig stage;
    char name[64];
    set_up(&stage, folder);
    for (int f = 1; f <= 10; f++) {
        snprintf(name, sizeof name, "b.%02d.obj", f);
        write_ball(folder, name, 2.0 * f + (f > 5 ? 100.0 : 0.0), 0, 0, 3.0, 0);
    }
    add(&stage, RLTI_COLLIDER_MESH, "b", "b.##.obj");
    start(&stage);
    for (int f = 1; f < 10; f++) {
        begin(&stage, f);
        for (int step = 0; step < 4; step++) {
            double s = 0.25 * step, x = 2.0 * (f + s) + (f > 5 ? 100.0 : 0.0);
            rlti_colliders_pose(stage.colliders, s);
            rlti_plane plane;
            const double points[2][3] = {{x, 9, 0}, {x, 2.9, 0}};
            assert_int_equal(find(&stage, 0, points, 2, 0, &plane), 1);
            if (f > 1 && f < 9) /* it starts and stops at the ends */
                assert_true(fabs((double)plane.velocity[0] - 48.0) < 1e-3);
            else
                assert_true(fabs((double)plane.velocity[0]) < 75.0);
        }
        assert_int_equal(rlt_messages_count(stage.messages), f >= 5);
    }
    const char *told = rlt_messages_text(stage.messages, 0);
    assert_int_equal(rlt_messages_severity(stage.messages, 0), RLT_WARNING);
    assert_non_null(strstr(told, "collider 'b' jumps from frame 5 to 6 (vertex "));
    assert_non_null(strstr(told, " by 100 units)"));
    tear_down(&stage);
    for (int f = 1; f <= 10; f++) {
        snprintf(name, sizeof name, "b.%02d.obj", f);
        obj_remove(folder, name);
    }
}

/* Who meets whom. */
static void test_groups_and_switches(void **state) {
    const char *folder = *state;
    rig stage;
    rlti_plane planes[4];
    set_up(&stage, folder);
    write_ball(folder, "ball.obj", 0, 0, 0, 3.0, 0);
    add(&stage, RLTI_COLLIDER_MESH, "head", "ball.obj");
    rlti_collider_data *hat = add(&stage, RLTI_COLLIDER_SPHERE, "hat", "");
    hat->position[1] = 10.0;
    snprintf(hat->group, sizeof hat->group, "wear");
    rlti_collider_data *off = add(&stage, RLTI_COLLIDER_SPHERE, "off", "");
    off->position[1] = 20.0;
    off->enabled = 0;
    stage.hair[0].groups.count = 1;
    snprintf(stage.hair[0].groups.name[0], RLTI_NAME_SIZE, "wear");
    stage.hair[1].except.count = 1;
    snprintf(stage.hair[1].except.name[0], RLTI_NAME_SIZE, "hat");
    start(&stage);
    assert_int_equal(rlti_colliders_count(stage.colliders), 2);
    const double points[4][3] = {{9, 0, 0}, {0, 2, 0}, {0, 10, 0}, {0, 20, 0}};
    assert_int_equal(find(&stage, 0, points, 4, 0, planes), 1);
    assert_int_equal(planes[0].point, 2);
    assert_int_equal(find(&stage, 1, points, 4, 0, planes), 1);
    assert_int_equal(planes[0].point, 1);
    assert_int_equal(find(&stage, RLTI_ALL_COLLIDERS, points, 4, 0, planes), 2);
    assert_true(rlti_colliders_distance(stage.colliders, 0, rlti_v3(0, 0, 0), 1.0, NULL) == 1.0);
    assert_true(rlti_colliders_distance(stage.colliders, 1, rlti_v3(0, 0, 0), 1.0, NULL) < -2.8);
    tear_down(&stage);
    obj_remove(folder, "ball.obj");
}

/* A point groomed deep inside one collider is not let into another. */
static void test_groomed_depth_is_for_one_collider(void **state) {
    rig stage;
    set_up(&stage, *state);
    add(&stage, RLTI_COLLIDER_SPHERE, "a", "");
    add(&stage, RLTI_COLLIDER_SPHERE, "b", "")->position[0] = 10.0;
    start(&stage);
    int home[2] = {-1, -1};
    rlti_vec3 origin = rlti_v3(0, 9, 0);
    float thickness[2] = {
        0.0f, (float)rlti_colliders_distance(stage.colliders, 0, rlti_v3(0, 1, 0), 0.25, &home[1])};
    assert_true(thickness[1] == -2.0f && home[1] == 0);
    rlti_allowance allowance = {.thickness = thickness, .home = home};
    const float velocities[6] = {0};
    for (int b = 0; b <= 1; b++) { /* one unit below the surface of a, then of b */
        const float positions[6] = {0, 0, 0, b ? 10.0f : 0.0f, 2.0f - 9.0f, 0};
        rlti_plane plane;
        assert_int_equal(rlti_colliders_find(stage.colliders, 0, &origin, 2, positions, velocities, 0.25,
                                             &allowance, 1e-3, NULL, &plane),
                         b);
        if (b)
            assert_true(fabs((double)plane.offset - (3.0 - 9.0)) < 1e-5); /* out to the surface itself */
    }
    tear_down(&stage);
}

/* Many colliders far away change nothing for a strand near one of them. */
static void test_many_colliders(void **state) {
    const char *folder = *state;
    rig one, many;
    write_ball(folder, "ball.obj", 0, 0, 0, 3.0, 0);
    set_up(&one, folder);
    set_up(&many, folder);
    add(&one, RLTI_COLLIDER_MESH, "ball", "ball.obj");
    add(&many, RLTI_COLLIDER_MESH, "ball", "ball.obj");
    for (int i = 0; i < 36; i++)
        add(&many, RLTI_COLLIDER_SPHERE, "far", "")->position[0] = 20.0 + 7.0 * i;
    start(&one);
    start(&many);
    assert_int_equal(rlti_colliders_count(many.colliders), 37);
    rlti_plane a[4], b[4];
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    const double points[4][3] = {{0, 4, 0}, {0, 2, 0}, {1, 2.5, 0}, {0, 3.1, 1}};
    assert_int_equal(find(&one, 0, points, 4, 0, a), find(&many, 0, points, 4, 0, b));
    assert_memory_equal(a, b, sizeof a);
    const double far[2][3] = {{20, 4, 0}, {20.0 + 7.0 * 35, 2, 0}};
    assert_int_equal(find(&many, 0, far, 2, 0, b), 1);
    tear_down(&one);
    tear_down(&many);
    obj_remove(folder, "ball.obj");
}

static void test_bad_files(void **state) {
    const char *folder = *state;
    rig stage;
    set_up(&stage, folder);
    obj_write(folder, "nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n");
    add(&stage, RLTI_COLLIDER_MESH, "a", "nan.obj");
    add(&stage, RLTI_COLLIDER_MESH, "b", "absent.obj");
    assert_int_equal(try_start(&stage), RLT_BAD_INPUT);
    assert_null(stage.colliders);
    assert_int_equal(rlt_messages_count(stage.messages), 2); /* both are told */
    assert_non_null(
        strstr(rlt_messages_text(stage.messages, 0), "nan.obj:2: a coordinate is not finite: 'nan'"));
    assert_non_null(strstr(rlt_messages_text(stage.messages, 1), "absent.obj: cannot be read: "));
    tear_down(&stage);
    obj_remove(folder, "nan.obj");
}

static int make_folder(void **state) {
    static char folder[64];
    obj_folder("mesh", folder, sizeof folder);
    *state = folder;
    return 0;
}

static int remove_folder(void **state) {
    rmdir(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball_acts_like_a_sphere),
        cmocka_unit_test(test_ball_on_a_bone),
        cmocka_unit_test(test_overlapping_pieces_are_a_union),
        cmocka_unit_test(test_self_intersection_is_told),
        cmocka_unit_test(test_sheet_leads_back),
        cmocka_unit_test(test_skin_has_one_side),
        cmocka_unit_test(test_sequence_is_smooth),
        cmocka_unit_test(test_jump_has_no_speed),
        cmocka_unit_test(test_groups_and_switches),
        cmocka_unit_test(test_groomed_depth_is_for_one_collider),
        cmocka_unit_test(test_many_colliders),
        cmocka_unit_test(test_bad_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
