/* Parts of `ringlet live` that need no socket: lines of a page, tokens and headers, the pose that follows the
 * mouse, recordings, what is packed for a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../apps/ringlet/console.c"
#include "../apps/ringlet/json.c"
#include "../apps/ringlet/live/board.c"
#include "../apps/ringlet/live/follow.c"
#include "../apps/ringlet/live/gate.c"
#include "../apps/ringlet/live/input.c"
#include "../apps/ringlet/live/pack.c"
#include "../apps/ringlet/live/recorder.c"
#include "../apps/ringlet/live/scene_text.c"
#include "../apps/ringlet/live/values.c"
#include "../apps/ringlet/outfile.c"

/* ---- lines ---- */

static const char *reads(const char *line, live_input *input) {
    return live_input_read(line, strlen(line), input);
}

static void lines_are_read_and_printed_to_the_same_bits(void **state) {
    (void)state;
    static const char *const lines[] = {
        "pose 0.10000000000000001 -2 3.3333333333333335 0 0 0.5 1",
        "grab 1 77 1 2 3",
        "pull 1 2 3",
        "release",
        "play 1",
        "inertia 0",
        "set 2 hair.bend.stiffness=[[0, 7.2e4], [1, 100]]",
        "unset 0 hair.length",
        "fit 0.5",
        "scene redhead",
        "quality 1",
        "split 1",
        "rate 0.25",
        "show 12",
        "save a-b_9",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        live_input input, again;
        char text[INPUT_TEXT + 64];
        assert_null(reads(lines[i], &input));
        live_input_print(&input, text, sizeof text);
        assert_string_equal(text, lines[i]);
        assert_null(reads(text, &again));
        assert_memory_equal(input.numbers, again.numbers, sizeof input.numbers);
    }
}

static void bad_lines_are_refused(void **state) {
    (void)state;
    static const char *const lines[] = {
        "",
        " ",
        "jump",
        "pose",
        "pose 1 2 3 0 0 0",
        "pose nan 0 0 0 0 0 1",
        "pose inf 0 0 0 0 0 1",
        "pose 1e300 0 0 0 0 0 1",
        "pose 0 0 0 0 0 0 0",
        "pose 0 0 0 0 0 0 1 7",
        "pose 0x 0 0 0 0 0 1",
        "grab 0 -1 0 0 0",
        "grab 0 1.5 0 0 0",
        "play 2",
        "fit 0",
        "fit 1.5",
        "play",
        "rate 0",
        "set 3 a=b",
        "set 0 a",
        "set 0",
        "unset 0 a=b",
        "set 0 a=b\nreset",
        "save ../../etc/passwd",
        "save -rf",
        "save a/b",
        "scene a.b",
        "show -1",
        "release now",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        live_input input;
        assert_non_null(reads(lines[i], &input));
    }
    live_input input;
    assert_non_null(live_input_read("play\0 1", 7, &input));
    char *longest = malloc(100000);
    memset(longest, 'a', 100000);
    assert_non_null(live_input_read(longest, 100000, &input));
    memcpy(longest, "set 0 a=", 8);
    assert_non_null(live_input_read(longest, INPUT_TEXT + 30, &input));
    free(longest);
}

/* ---- the gate ---- */

static void only_the_token_opens(void **state) {
    (void)state;
    char token[GATE_TOKEN + 1], other[GATE_TOKEN + 1], path[64];
    assert_int_equal(gate_token(0, token), 1);
    assert_int_equal(gate_token(0, other), 1);
    assert_int_equal(strlen(token), GATE_TOKEN);
    assert_string_not_equal(token, other);
    snprintf(path, sizeof path, "/%s/", token);
    assert_string_equal(gate_path(path, token), "");
    snprintf(path, sizeof path, "/%s/socket", token);
    assert_string_equal(gate_path(path, token), "socket");
    assert_null(gate_path(path, other));
    assert_null(gate_path("/", token));
    assert_null(gate_path("", token));
    snprintf(path, sizeof path, "/%s", token);
    assert_null(gate_path(path, token));
    path[10] ^= 1;
    assert_null(gate_path(path, token));
}

static void headers_must_be_exact(void **state) {
    (void)state;
    assert_true(gate_host("127.0.0.1:80", 80) && gate_origin("http://127.0.0.1:80", 80));
    static const char *const bad[] = {"127.0.0.1",     "127.0.0.1:81", "localhost:80",
                                      "127.0.0.1:80 ", "evil.example", ""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(gate_host(bad[i], 80));
    static const char *const from[] = {"null", "https://127.0.0.1:80", "http://127.0.0.1:80/",
                                       "http://127.0.0.1:8", "http://127.0.0.1:80.evil.example"};
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++)
        assert_false(gate_origin(from[i], 80));
    assert_false(gate_host(NULL, 80) || gate_origin(NULL, 80));
}

static void pages_send_only_so_much(void **state) {
    (void)state;
    gate_bucket bucket = {0};
    int allowed = 0;
    for (int i = 0; i < 5 * GATE_BURST; i++)
        allowed += gate_allow(&bucket, 100.0);
    assert_int_equal(allowed, GATE_BURST);
    assert_false(gate_allow(&bucket, 100.0));
    allowed = 0;
    for (int i = 0; i < 5 * GATE_BURST; i++)
        allowed += gate_allow(&bucket, 101.0);
    assert_int_equal(allowed, GATE_RATE);
}

/* ---- the pose ---- */

static void the_head_goes_where_it_is_asked(void **state) {
    (void)state;
    live_follow follow;
    live_follow_begin(&follow, 0.01);
    follow.wanted.at[0] = 3.0;
    follow.wanted.turn[1] = sqrt(0.5);
    follow.wanted.turn[3] = sqrt(0.5);
    live_follow_step(&follow, 0.1);
    assert_false(follow.held_back);
    assert_true(fabs(follow.now.at[0] - 3.0) < 1e-12 && fabs(follow.now.turn[1] - sqrt(0.5)) < 1e-12);
    /* a quarter turn about y takes z to x: row vectors, about a pivot that stays */
    double matrix[16], pivot[3] = {1, 2, 3};
    live_pose_matrix(&follow.now, pivot, matrix);
    double z[3] = {0, 0, 1}, to[3];
    for (int k = 0; k < 3; k++)
        to[k] = z[0] * matrix[k] + z[1] * matrix[4 + k] + z[2] * matrix[8 + k];
    assert_true(fabs(to[0] - 1.0) < 1e-12 && fabs(to[2]) < 1e-12);
    for (int k = 0; k < 3; k++)
        to[k] = pivot[0] * matrix[k] + pivot[1] * matrix[4 + k] + pivot[2] * matrix[8 + k] + matrix[12 + k];
    assert_true(fabs(to[0] - 4.0) < 1e-12 && fabs(to[1] - 2.0) < 1e-12 && fabs(to[2] - 3.0) < 1e-12);
}

static void no_head_is_faster_than_a_neck(void **state) {
    (void)state;
    live_follow follow;
    live_follow_begin(&follow, 0.01);
    follow.wanted.at[1] = 1000.0; /* ten metres */
    live_follow_step(&follow, 1.0 / 24.0);
    assert_true(follow.held_back);
    assert_true(fabs(follow.now.at[1] - 600.0 / 24.0) < 1e-9);
    for (int i = 0; i < 100; i++)
        live_follow_step(&follow, 1.0 / 24.0);
    assert_true(fabs(follow.now.at[1] - 1000.0) < 1e-9);
}

/* Critically damped: it never passes its goal, and steps of any length lie on one curve. */
static void inertia_is_smooth(void **state) {
    (void)state;
    live_follow coarse, fine;
    live_follow_begin(&coarse, 0.01);
    coarse.inertia = 1;
    coarse.wanted.at[0] = 10.0;
    fine = coarse;
    for (int i = 0; i < 24; i++) {
        double before = coarse.now.at[0];
        live_follow_step(&coarse, 1.0 / 24.0);
        for (int k = 0; k < 10; k++)
            live_follow_step(&fine, 1.0 / 240.0);
        assert_true(coarse.now.at[0] > before && coarse.now.at[0] < 10.0);
        assert_true(fabs(coarse.now.at[0] - fine.now.at[0]) < 1e-9);
    }
    assert_true(coarse.now.at[0] > 9.9);
}

/* ---- recordings ---- */

static void recordings_are_read_back(void **state) {
    (void)state;
    const char *path = "live-parts.inputs";
    char problem[200] = "";
    live_recorder written = {0}, read = {0};
    live_input input;
    remove(path);
    snprintf(written.start.scene, sizeof written.start.scene, "a scene with blanks.yaml");
    assert_true(live_values_set(&written.start.base, "hair.count=7"));
    assert_true(live_values_set(&written.start.side[1], "wind.velocity=[1, 2, 3]"));
    written.start.speed = 0.1; /* what live quality was fitted to: without it guides would be others */
    assert_null(reads("pose 0.1 0 0 0 0 0 1", &input));
    recorder_add(&written, 3, &input);
    assert_null(reads("set 0 hair.length=0.1", &input));
    recorder_add(&written, 9, &input);
    assert_int_equal(recorder_write(&written, path, 12, 0xfedcba9876543210u, problem, sizeof problem),
                     RLT_OK);
    assert_int_equal(recorder_read(&read, path), RLT_OK);
    assert_string_equal(read.start.scene, written.start.scene);
    assert_string_equal(read.start.base.texts[0], "hair.count=7");
    assert_string_equal(read.start.side[1].texts[0], "wind.velocity=[1, 2, 3]");
    assert_true(read.start.speed == 0.1);
    assert_int_equal(read.count, 2);
    assert_int_equal(read.lines[1].step, 9);
    assert_memory_equal(read.lines[0].input->numbers, written.lines[0].input->numbers, 7 * sizeof(double));
    assert_true(read.steps == 12 && read.hash == 0xfedcba9876543210u);
    /* never over a file that is there, and not where it would not be whole */
    assert_int_equal(recorder_write(&written, path, 12, 1, problem, sizeof problem), RLT_FAILED);
    remove(path);
    written.is_broken = 1;
    assert_int_equal(recorder_write(&written, path, 12, 1, problem, sizeof problem), RLT_FAILED);
    recorder_clear(&written);
    recorder_clear(&read);
}

static void bad_recordings_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "ringlet-live 2\nend 1 0\n",
        "ringlet-live 1\nscene a\n",
        "ringlet-live 1\n5 play 1\n4 play 0\nend 9 0\n",
        "ringlet-live 1\n5 reset\nend 9 0\n",
        "ringlet-live 1\n5 pose nan 0 0 0 0 0 1\nend 9 0\n",
        "ringlet-live 1\nplay 1\nend 9 0\n",
        "ringlet-live 1\nvalue 7 a=b\nend 9 0\n",
        "ringlet-live 1\nspeed 0\nend 9 0\n",
        "ringlet-live 1\nspeed nan\nend 9 0\n",
        "ringlet-live 1\nend x\n",
    };
    const char *path = "live-parts-bad.inputs";
    console_silence();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        live_recorder read = {0};
        FILE *file = fopen(path, "w");
        fputs(texts[i], file);
        fclose(file);
        assert_int_equal(recorder_read(&read, path), RLT_BAD_INPUT);
        recorder_clear(&read);
    }
    remove(path);
}

/* ---- scenes ---- */

/* Every embedded scene, with some values changed, is saved so that it loads to the same values;
 * scene_text checks that itself, and this that it holds no more than it must. */
/* The body's collider, and steps that no hair takes, are found by reading and are no change; others are. */
static void what_follows_is_not_saved(void **state) {
    (void)state;
    static const char *const scenes[] = {
        "hair: {preset: 3b, count: 80}\n", "hair: {preset: straight, count: 80}\ntime: {outer_steps: 12}\n",
        "hair: {preset: 3b, count: 80}\ncolliders: [{name: body, kind: body, group: skin}]\n"};
    for (int k = 0; k < 3; k++) {
        rlt_scene *scene = NULL;
        char problem[300] = "";
        assert_int_equal(rlt_scene_load_text("short", scenes[k], strlen(scenes[k]), NULL, 0, NULL, &scene),
                         RLT_OK);
        char *text = scene_text(scene, "", NULL, problem, sizeof problem);
        assert_non_null(text);
        assert_int_equal(strstr(text, "outer_steps: 12") != NULL, k == 1);
        assert_int_equal(strstr(text, "colliders:") != NULL, k == 2);
        free(text);
        rlt_scene_destroy(scene);
    }
}

static void scenes_are_saved_with_what_differs(void **state) {
    (void)state;
    const char *changes[] = {"hair.length=33", "wind.velocity=[1, 2, 3]"};
    for (int i = 0; rlt_embedded_scene_name(i) != NULL; i++) {
        rlt_scene *scene = NULL, *again = NULL;
        char problem[300] = "";
        assert_int_equal(rlt_scene_load_embedded(rlt_embedded_scene_name(i), changes, 2, NULL, &scene),
                         RLT_OK);
        char *text = scene_text(scene, "", NULL, problem, sizeof problem);
        if (text == NULL)
            print_error("%s: %s\n", rlt_embedded_scene_name(i), problem);
        assert_non_null(text);
        assert_non_null(strstr(text, "length: 33"));
        assert_non_null(strstr(text, "velocity: [1, 2, 3]"));
        assert_null(strstr(text, "stretch:")); /* as the preset has it */
        assert_int_equal(rlt_scene_load_text("saved", text, strlen(text), NULL, 0, NULL, &again), RLT_OK);
        free(text);
        rlt_scene_destroy(again);
        rlt_scene_destroy(scene);
    }
}

/* ---- the board ---- */

static void readers_get_the_newest_only(void **state) {
    (void)state;
    live_board *board = live_board_create();
    for (int i = 0; i < 5; i++)
        live_board_publish(board, LIVE_FRAME_A, live_document_text(&"abcde"[i], 1));
    live_document *held = live_board_take(board, LIVE_FRAME_A, 0);
    assert_int_equal(held->bytes[0], 'e');
    assert_null(live_board_take(board, LIVE_FRAME_A, held->version));
    assert_true(live_board_has(board, LIVE_FRAME_A, 0));
    assert_false(live_board_has(board, LIVE_FRAME_A, held->version));
    live_board_publish(board, LIVE_FRAME_A, live_document_text("f", 1)); /* one that is being sent stays */
    assert_int_equal(held->bytes[0], 'e');
    live_document *next = live_board_take(board, LIVE_FRAME_A, held->version);
    assert_int_equal(next->bytes[0], 'f');
    live_board_publish(board, LIVE_FRAME_A, NULL); /* taken away: nothing to wait for */
    assert_false(live_board_has(board, LIVE_FRAME_A, 0));
    live_board_release(board, held);
    live_board_release(board, next);
    live_board_destroy(board);
}

/* ---- frames ---- */

/* Of any count, with numbers at the box's ends and one axis without extent: within half of a place. */
static void positions_are_packed_within_their_box(void **state) {
    (void)state;
    enum { MOST = 29 };
    double points[3 * MOST];
    for (int count = 0; count <= MOST; count++) {
        for (int i = 0; i < count; i++) {
            points[3 * i] = (i * 7919 % 31) - 9.5;
            points[3 * i + 1] = 1e-3 * (i * 104729 % 37);
            points[3 * i + 2] = -4.0;
        }
        rlt_frame_view view = {.size = sizeof view, .point_count = count, .points = points};
        pack_facts facts = {.step = 7, .checksum = 0x123456789abcdef0u};
        live_document *document = pack_frame(&view, NULL, &facts);
        assert_non_null(document);
        assert_int_equal(document->size, 96 + (6 * count + 3) / 4 * 4);
        float ends[6];
        uint64_t sum;
        memcpy(&sum, document->bytes + 32, sizeof sum);
        assert_true(sum == facts.checksum);
        memcpy(ends, document->bytes + 48, sizeof ends);
        for (int i = 0; i < 3 * count; i++) {
            uint16_t place;
            memcpy(&place, document->bytes + 96 + 2 * i, sizeof place);
            double size = (double)ends[3 + i % 3], x = (double)ends[i % 3] + size * place / 65535.0;
            assert_true(fabs(x - points[i]) <= 0.51 * size / 65535.0 + 1e-6);
        }
        free(document);
    }
}

/* Widths of registers make no difference to what is packed; of odd counts and of few points, too. */
static void positions_are_packed_alike_by_all_processors(void **state) {
    enum { POINTS = 37 };
    double points[3 * POINTS];
    (void)state;
    for (int i = 0; i < 3 * POINTS; i++)
        points[i] = 0.37 * ((i * 7919) % 1009) - 100.0;
    for (int count = 0; count <= POINTS; count++) {
        unsigned char one[6 * POINTS + 8] = {0}, other[sizeof one] = {0};
        box a = box_of(points, count), b = box_of_any(points, count);
        assert_memory_equal(&a, &b, sizeof a);
        assert_true(put_points(one, points, count, &a) - one ==
                    put_points_any(other, points, count, &b) - other);
        assert_memory_equal(one, other, sizeof one);
    }
}

static void rounded_numbers_read_back(void **state) {
    static const double numbers[] = {0.0,         -0.0,     1.0,  -24.0,  0.1,         1.0 / 3.0,   1e6,
                                     123456789.0, -6.02e23, 3e-7, 1e-300, 999999999.6, 0.000123456, 1e300};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        json out = {0};
        char *end;
        json_begin_array(&out, NULL);
        json_rounded(&out, NULL, numbers[i]);
        json_end_array(&out);
        double read = strtod(out.text + 1, &end);
        assert_true(*end == ']' || strchr(" \n", *end) != NULL);
        assert_true(fabs(read - numbers[i]) <= 1e-8 * fabs(numbers[i]) + 1e-99);
        json_free(&out);
    }
    json out = {0};
    json_rounded(&out, NULL, HUGE_VAL);
    assert_non_null(strstr(out.text, "null"));
    json_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read_and_printed_to_the_same_bits),
        cmocka_unit_test(bad_lines_are_refused),
        cmocka_unit_test(only_the_token_opens),
        cmocka_unit_test(headers_must_be_exact),
        cmocka_unit_test(pages_send_only_so_much),
        cmocka_unit_test(the_head_goes_where_it_is_asked),
        cmocka_unit_test(no_head_is_faster_than_a_neck),
        cmocka_unit_test(inertia_is_smooth),
        cmocka_unit_test(recordings_are_read_back),
        cmocka_unit_test(bad_recordings_are_refused),
        cmocka_unit_test(scenes_are_saved_with_what_differs),
        cmocka_unit_test(what_follows_is_not_saved),
        cmocka_unit_test(readers_get_the_newest_only),
        cmocka_unit_test(positions_are_packed_within_their_box),
        cmocka_unit_test(positions_are_packed_alike_by_all_processors),
        cmocka_unit_test(rounded_numbers_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
