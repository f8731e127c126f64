/* Reading OBJ files and numbered sequences, good and bad. */
#include "obj_fixture.h"

#include "contact/body/mesh_parts.h"
#include "io/obj.h"
#include "io/sequence.h"

static rlt_status parse(const char *text, rlt_messages *messages, rlti_obj **obj) {
    return rlti_obj_parse("m.obj", text, strlen(text), messages, obj);
}

static rlti_obj *parse_good(const char *text) {
    rlti_obj *obj;
    rlt_messages *messages = rlt_messages_create();
    rlt_status status = parse(text, messages, &obj);
    if (status != RLT_OK)
        print_message("%s\n", rlt_messages_text(messages, 0));
    assert_int_equal(status, RLT_OK);
    rlt_messages_destroy(messages);
    return obj;
}

static void test_everything_a_file_may_hold(void **state) {
    (void)state;
    rlti_obj *obj = parse_good("# a comment\n"
                               "mtllib some.mtl\r\n"
                               "o prop\n"
                               "v 0 0 0\n"
                               "v 1 0 0 1.0 # with a weight\n"
                               "  v\t1  1e0 0 0.5 0.5 0.5\r\n"
                               "v 0 +1 -0\n"
                               "v 0.5 .5 2.\n"
                               "vt 0 0\nvn 0 0 1\n"
                               "g side\ns off\nusemtl red\n"
                               "f 1/1 2/1 3/1 4/1\n"
                               "f 1//1 2//1 \\\n 5//1\n"
                               "f -5/1/1 -4/1/1 -1/-1/-1\n"
                               "l 1 2 3\np 1\ncurv 0 1 1 2\n\n"
                               "f 1 2 6\n"
                               "v 3 3 3"); /* no newline, and used before */
    assert_int_equal(obj->vertex_count, 6);
    assert_int_equal(obj->face_count, 4);
    assert_int_equal(obj->triangle_count, 5);
    static const int expected[5][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 4}, {0, 1, 4}, {0, 1, 5}};
    assert_memory_equal(obj->triangles, expected, sizeof expected);
    assert_true(obj->vertices[4][1] == 0.5 && obj->vertices[4][2] == 2.0 && obj->vertices[2][1] == 1.0);
    rlti_obj_destroy(obj);
}

/* Each text with the only message it gives. */
static void test_bad_texts(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "m.obj: holds no faces (is it an OBJ file?)"},
        {"\x7f"
         "ELF\x01\x02 rubbish\n\n\n",
         "m.obj: holds no faces (is it an OBJ file?)"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\n", "m.obj: holds no faces (is it an OBJ file?)"},
        {"v 0 0\nf 1 1 1\n", "m.obj:1: a vertex needs three numbers"},
        {"\nv 0 zero 0\n", "m.obj:2: not a number: 'zero'"},
        {"v 0 1,5 0\n", "m.obj:1: not a number: '1,5'"},
        {"v nan 0 0\n", "m.obj:1: a coordinate is not finite: 'nan'"},
        {"v 0 -inf 0\n", "m.obj:1: a coordinate is not finite: '-inf'"},
        {"v 1e999 0 0\n", "m.obj:1: a coordinate is not finite: '1e999'"},
        {"v 2e9 0 0\n", "m.obj:1: a coordinate is beyond 1e9: '2e9'"},
        {"v 0 0 0\nf 1 2\n", "m.obj:2: a face has 2 corners: needs at least 3"},
        {"v 0 0 0\nf\n", "m.obj:2: a face has 0 corners: needs at least 3"},
        {"v 0 0 0\nf 1 0 1\n", "m.obj:2: a face uses vertex 0: there is 1 before it"},
        {"v 0 0 0\nf 1 -2 1\n", "m.obj:2: a face uses vertex -2: there is 1 before it"},
        {"v 0 0 0\nv 1 0 0\n\nf 1 2 3\n", "m.obj:4: a face uses vertex 3: the file has 2"},
        {"f 1 2 99999999999999999999\n", "m.obj:1: not a corner of a face: '99999999999999999999'"},
        {"f 1 2 999999999999\n", "m.obj:1: a face uses vertex 999999999999: at most 100000000 are allowed"},
        {"f 1 2 x\n", "m.obj:1: not a corner of a face: 'x'"},
        {"f 1.5 2 3\n", "m.obj:1: not a corner of a face: '1.5'"},
        {"f 1 2 \x80\xff\n", "m.obj:1: not a corner of a face: '?\?'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rlt_messages *messages = rlt_messages_create();
        rlti_obj *obj;
        rlt_status status = parse(cases[i].text, messages, &obj);
        assert_string_equal(rlt_messages_text(messages, 0), cases[i].message);
        assert_int_equal(status, RLT_BAD_INPUT);
        assert_null(obj);
        assert_int_equal(rlt_messages_count(messages), 1);
        rlt_messages_destroy(messages);
    }
}

static void test_many_problems_end(void **state) {
    (void)state;
    char text[4096] = "";
    for (int i = 0; i < 100; i++)
        strcat(text, "v x y z\n");
    rlt_messages *messages = rlt_messages_create();
    rlti_obj *obj;
    assert_int_equal(parse(text, messages, &obj), RLT_BAD_INPUT);
    assert_int_equal(rlt_messages_count(messages), 11);
    assert_string_equal(rlt_messages_text(messages, 9), "m.obj:10: not a number: 'x'");
    assert_string_equal(rlt_messages_text(messages, 10), "m.obj: there may be more problems");
    rlt_messages_destroy(messages);
}

/* Cut off anywhere, and with any one byte changed, a file is read or refused. */
static void test_damaged_files_are_survived(void **state) {
    (void)state;
    static char text[4096];
    const double centre[3] = {0, 0, 0};
    obj_ball(text, sizeof text, centre, 2.0, 4, 0);
    size_t size = strlen(text);
    int read = 0;
    for (size_t i = 0; i < size; i++) {
        rlt_messages *messages = rlt_messages_create();
        rlti_obj *obj;
        if (rlti_obj_parse("cut", text, i, messages, &obj) == RLT_OK)
            read++;
        else
            assert_true(rlt_messages_count(messages) > 0);
        rlti_obj_destroy(obj);
        char old = text[i];
        text[i] = (char)(i * 37 + 11);
        rlti_obj_parse("changed", text, size, messages, &obj);
        rlti_obj_destroy(obj);
        text[i] = old;
        rlt_messages_destroy(messages);
    }
    assert_true(read > 10);
}

static void test_files(void **state) {
    (void)state;
    char folder[64], path[128];
    rlt_messages *messages = rlt_messages_create();
    rlti_obj *obj;
    obj_folder("files", folder, sizeof folder);
    obj_write(folder, "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    obj_write(folder, "b.obj", "v 0 0 5\nv 1 0 5\nv 0 1 5\nf 1 2 3\n");
    obj_write(folder, "more.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 1 1\nf 1 2 3\n");
    obj_write(folder, "other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 3 2\n");
    snprintf(path, sizeof path, "%sa.obj", folder);
    assert_int_equal(rlti_obj_read(path, messages, &obj), RLT_OK);
    double vertices[3][3];
    char next[128];
    snprintf(next, sizeof next, "%sb.obj", folder);
    assert_int_equal(rlti_obj_read_vertices(next, obj, path, messages, vertices), RLT_OK);
    assert_true(vertices[2][1] == 1.0 && vertices[2][2] == 5.0);
    assert_int_equal(rlt_messages_count(messages), 0);
    snprintf(next, sizeof next, "%smore.obj", folder);
    assert_int_equal(rlti_obj_read_vertices(next, obj, path, messages, vertices), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "has 4 vertices, "));
    snprintf(next, sizeof next, "%sother.obj", folder);
    assert_int_equal(rlti_obj_read_vertices(next, obj, path, messages, vertices), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 1), "has other faces than "));
    rlti_obj_destroy(obj);
    /* what is not there, and what is a folder */
    assert_int_equal(rlti_obj_read("no/such.obj", messages, &obj), RLT_BAD_INPUT);
    assert_string_equal(rlt_messages_text(messages, 2),
                        "no/such.obj: cannot be read: No such file or directory");
    assert_int_equal(rlti_obj_read(folder, messages, &obj), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 3), "Is a directory"));
    rlt_messages_destroy(messages);
    static const char *const names[] = {"a.obj", "b.obj", "more.obj", "other.obj"};
    for (int i = 0; i < 4; i++)
        obj_remove(folder, names[i]);
    rmdir(folder);
}

static void test_sequences(void **state) {
    (void)state;
    char folder[64], path[160], pattern[128];
    rlti_sequence sequence;
    rlt_messages *messages = rlt_messages_create();
    obj_folder("sequence", folder, sizeof folder);
    static const char *const names[] = {"b.-01.obj", "b.000.obj",  "b.001.obj", "b.002.obj",
                                        "b.1.obj",   "b.0003.obj", "b.003.txt", "xb.003.obj"};
    for (int i = 0; i < 8; i++)
        obj_write(folder, names[i], "");
    snprintf(pattern, sizeof pattern, "%sb.###.obj", folder);
    assert_int_equal(rlti_sequence_open(pattern, messages, &sequence), RLT_OK);
    assert_true(rlti_sequence_is_numbered(&sequence));
    assert_int_equal(sequence.first, -1);
    assert_int_equal(sequence.last, 2);
    assert_int_equal(rlti_sequence_hold(&sequence, -50), -1);
    assert_int_equal(rlti_sequence_hold(&sequence, 1), 1);
    assert_int_equal(rlti_sequence_hold(&sequence, 50), 2);
    rlti_sequence_path(&sequence, 1, path, sizeof path);
    char expected[160];
    snprintf(expected, sizeof expected, "%sb.001.obj", folder);
    assert_string_equal(path, expected);
    rlti_sequence_close(&sequence);

    obj_remove(folder, "b.001.obj");
    assert_int_equal(rlti_sequence_open(pattern, messages, &sequence), RLT_BAD_INPUT);
    snprintf(expected, sizeof expected, "%sb.001.obj: is missing; the sequence runs from -1 to 2", folder);
    assert_string_equal(rlt_messages_text(messages, 0), expected);
    snprintf(pattern, sizeof pattern, "%sc.####.obj", folder);
    assert_int_equal(rlti_sequence_open(pattern, messages, &sequence), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 1), "there is no file of this name"));
    assert_int_equal(rlti_sequence_open("a.##.b.##.obj", messages, &sequence), RLT_BAD_INPUT);
    assert_int_equal(rlti_sequence_open("a##/b.obj", messages, &sequence), RLT_BAD_INPUT);
    assert_int_equal(rlti_sequence_open("b.##########.obj", messages, &sequence), RLT_BAD_INPUT);
    assert_int_equal(rlti_sequence_open("no/folder.##.obj", messages, &sequence), RLT_BAD_INPUT);
    assert_int_equal(rlti_sequence_open("plain.obj", messages, &sequence), RLT_OK);
    assert_false(rlti_sequence_is_numbered(&sequence));
    rlti_sequence_close(&sequence);
    rlt_messages_destroy(messages);
    for (int i = 0; i < 8; i++)
        obj_remove(folder, names[i]);
    rmdir(folder);
}

/* Parts and messages of a text; returns the number of parts, or -1 when refused. */
static int make_parts(const char *text, rlti_sides sides, rlti_mesh_parts *parts, rlt_messages *messages) {
    rlti_obj *obj = parse_good(text);
    rlt_status status = rlti_mesh_parts_create("c", obj, sides, messages, parts);
    rlti_obj_destroy(obj);
    return status == RLT_OK ? parts->count : -1;
}

static double volume6(const rlti_mesh *mesh) {
    double sum = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        sum += rlti_dot(mesh->vertices[v[0]], rlti_cross(mesh->vertices[v[1]], mesh->vertices[v[2]]));
    }
    return sum;
}

static void test_parts_of_a_ball(void **state) {
    (void)state;
    static char text[65536];
    const double centre[3] = {3, 4, 5};
    rlti_mesh_parts parts;
    for (int turned = 0; turned <= 1; turned++) {
        rlt_messages *messages = rlt_messages_create();
        obj_ball(text, sizeof text, centre, 2.0, 12, turned);
        assert_int_equal(make_parts(text, RLTI_SIDES_AUTO, &parts, messages), 1);
        assert_int_equal(parts.part[0].sides, RLTI_SOLID);
        assert_true(fabs(volume6(&parts.part[0].mesh) / 6.0 - 33.5) < 1.2);
        assert_int_equal(rlt_messages_count(messages), turned);
        if (turned)
            assert_string_equal(rlt_messages_text(messages, 0),
                                "collider 'c': 1 piece of the mesh was inside out: turned");
        rlti_mesh_parts_destroy(&parts);
        rlt_messages_destroy(messages);
    }
    /* without its last face it is open */
    rlt_messages *messages = rlt_messages_create();
    obj_ball(text, sizeof text, centre, 2.0, 12, 0);
    *strrchr(text, 'f') = '#';
    assert_int_equal(make_parts(text, RLTI_SIDES_AUTO, &parts, messages), 1);
    assert_int_equal(parts.part[0].sides, RLTI_SHEET);
    assert_string_equal(
        rlt_messages_text(messages, 0),
        "collider 'c': the mesh is open: 3 edges with one face; open pieces are sheets that keep "
        "hair on the side it grows from (colliders.sides)");
    rlti_mesh_parts_destroy(&parts);
    assert_int_equal(make_parts(text, RLTI_SIDES_ONE, &parts, messages), 1);
    assert_int_equal(parts.part[0].sides, RLTI_SKIN);
    rlti_mesh_parts_destroy(&parts);
    rlt_messages_destroy(messages);
}

static void test_parts_of_broken_meshes(void **state) {
    (void)state;
    rlti_mesh_parts parts;
    rlt_messages *messages = rlt_messages_create();
    /* a tetrahedron as a soup of triangles, one of them wound wrongly, one without area, one doubled corner
     */
    assert_int_equal(make_parts("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 3 2\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 4 5 6\n"
                                "v 1 0 0\nv 0 1 0\nv 0 0 1\nf 7 8 9\nv 0 0 0\nv 0 1 0\nv 0 0 1\nf 10 11 12\n"
                                "f 1 2 5\n",
                                RLTI_SIDES_AUTO, &parts, messages),
                     1);
    assert_int_equal(parts.part[0].sides, RLTI_SOLID);
    assert_int_equal(parts.part[0].mesh.vertex_count, 4);
    assert_int_equal(parts.part[0].mesh.triangle_count, 4);
    assert_true(fabs(volume6(&parts.part[0].mesh) - 1.0) < 1e-12);
    rlti_mesh_parts_destroy(&parts);
    assert_string_equal(rlt_messages_text(messages, 0),
                        "collider 'c': 8 vertices at the place of another were joined with it");
    assert_string_equal(rlt_messages_text(messages, 1), "collider 'c': 1 triangle without area is ignored");
    assert_string_equal(rlt_messages_text(messages, 2),
                        "collider 'c': 1 triangle wound against the neighbours: turned");
    assert_int_equal(rlt_messages_count(messages), 3);
    rlt_messages_clear(messages);

    /* three leaves on one edge: sheets */
    assert_int_equal(make_parts("v 0 0 0\nv 0 1 0\nv 1 0 0\nv 0 0 1\nv -1 0 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n",
                                RLTI_SIDES_AUTO, &parts, messages),
                     1);
    assert_int_equal(parts.part[0].sides, RLTI_SHEET);
    rlti_mesh_parts_destroy(&parts);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "the mesh is open: 6 edges"));
    assert_non_null(strstr(rlt_messages_text(messages, 1), "1 edge with more than two faces"));
    rlt_messages_clear(messages);

    /* the same triangle there and back encloses nothing */
    assert_int_equal(
        make_parts("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n", RLTI_SIDES_AUTO, &parts, messages), 1);
    assert_int_equal(parts.part[0].sides, RLTI_SHEET);
    rlti_mesh_parts_destroy(&parts);
    rlt_messages_clear(messages);

    /* a Moebius strip of 3 quads has one side */
    assert_int_equal(make_parts("v 0 0 0\nv 0 1 0\nv 3 0 0\nv 3 1 0\nv 1.5 0 3\nv 1.5 1 3\n"
                                "f 1 3 4 2\nf 3 5 6 4\nf 5 2 1 6\n",
                                RLTI_SIDES_ONE, &parts, messages),
                     1);
    assert_int_equal(parts.part[0].sides, RLTI_SHEET);
    rlti_mesh_parts_destroy(&parts);
    assert_non_null(strstr(rlt_messages_text(messages, 1), "1 piece of the mesh cannot have an inside"));
    rlt_messages_clear(messages);

    assert_int_equal(make_parts("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", RLTI_SIDES_AUTO, &parts, messages),
                     -1);
    assert_string_equal(rlt_messages_text(messages, 0), "collider 'c': no triangle of the mesh has an area");
    rlt_messages_destroy(messages);
}

/* Many balls and a leaf: the balls are solids in as many parts as there are, the leaf a sheet. */
static void test_pieces_become_parts(void **state) {
    (void)state;
    static char text[1 << 18], ball[16384];
    text[0] = '\0';
    for (int i = 0; i < 12; i++) {
        const double centre[3] = {5.0 * i, 0, 0};
        obj_ball(ball, sizeof ball, centre, 1.0, 5, 0);
        char *line = strtok(ball, "\n");
        int before = i * 42;
        for (; line != NULL; line = strtok(NULL, "\n")) {
            int v[4], n;
            if (line[0] == 'v') {
                strcat(strcat(text, line), "\n");
                continue;
            }
            n = sscanf(line, "f %d %d %d %d", &v[0], &v[1], &v[2], &v[3]);
            strcat(text, "f");
            for (int k = 0; k < n; k++) {
                char number[16];
                snprintf(number, sizeof number, " %d", v[k] < 0 ? before + 43 + v[k] : before + v[k]);
                strcat(text, number);
            }
            strcat(text, "\n");
        }
    }
    strcat(text, "v 0 9 0\nv 1 9 0\nv 0 9 1\nf -3 -2 -1\n");
    rlti_mesh_parts parts;
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(make_parts(text, RLTI_SIDES_AUTO, &parts, messages), RLTI_PARTS_MAX);
    int triangles = 0;
    for (int p = 0; p < parts.count; p++) {
        assert_int_equal(parts.part[p].sides, p == 0 ? RLTI_SHEET : RLTI_SOLID);
        triangles += parts.part[p].mesh.triangle_count;
        if (p > 0)
            assert_true(volume6(&parts.part[p].mesh) > 0.0);
    }
    assert_int_equal(triangles, 12 * 80 + 1);
    rlti_mesh_parts_destroy(&parts);
    rlt_messages_destroy(messages);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_a_file_may_hold),
        cmocka_unit_test(test_bad_texts),
        cmocka_unit_test(test_many_problems_end),
        cmocka_unit_test(test_damaged_files_are_survived),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_parts_of_a_ball),
        cmocka_unit_test(test_parts_of_broken_meshes),
        cmocka_unit_test(test_pieces_become_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
