/* Movies: pictures go in, and come out again with libavformat. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef RLTI_HAVE_MOVIE
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
#endif

#include "ringlet/ringlet.h"

#define WIDTH  65 /* odd, which most encoders do not like */
#define HEIGHT 48
#define FRAMES 10

static char directory[256];

static int make_directory(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/ringlet-movie-XXXXXX", base != NULL ? base : ".");
    if (mkdtemp(directory) == NULL || chdir(directory) != 0)
        return -1;
    return getcwd(directory, sizeof directory) != NULL ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    char line[300];
    snprintf(line, sizeof line, "rm -rf -- '%s'", directory);
    return chdir("..") == 0 && system(line) == 0 ? 0 : -1;
}

static void names_of_movies(void **state) {
    (void)state;
    assert_true(rlt_movie_is_name("a.mp4"));
    assert_true(rlt_movie_is_name("b/c.WEBM"));
    assert_false(rlt_movie_is_name(".mp4"));
    assert_false(rlt_movie_is_name("a.png"));
    assert_false(rlt_movie_is_name(""));
}

#ifdef RLTI_HAVE_MOVIE

/* The colour of frame i: the mean must come back. */
static void colour_of(int i, int *rgb) {
    rgb[0] = 40 + 18 * i;
    rgb[1] = 200 - 15 * i;
    rgb[2] = 90;
}

static void add_frames(rlt_movie *movie, rlt_messages *messages) {
    uint8_t *pixels = malloc(3 * WIDTH * HEIGHT);
    assert_non_null(pixels);
    for (int i = 0; i < FRAMES; i++) {
        int rgb[3];
        colour_of(i, rgb);
        for (int k = 0; k < WIDTH * HEIGHT; k++)
            for (int c = 0; c < 3; c++)
                pixels[3 * k + c] = (uint8_t)rgb[c];
        assert_int_equal(rlt_movie_add(movie, pixels, messages), RLT_OK);
    }
    free(pixels);
}

static void write_movie(const char *path, const char *codec) {
    rlt_messages *messages = rlt_messages_create();
    rlt_movie *movie = NULL;
    rlt_status status = rlt_movie_open(path, WIDTH, HEIGHT, 24.0, codec, messages, &movie);
    if (status != RLT_OK)
        print_message("%s\n", rlt_messages_text(messages, 0));
    assert_int_equal(status, RLT_OK);
    assert_true(rlt_movie_encoder(movie)[0] != '\0');
    add_frames(movie, messages);
    assert_int_not_equal(access(path, F_OK), 0); /* not before it is closed */
    assert_int_equal(rlt_movie_close(movie, messages), RLT_OK);
    assert_int_equal(rlt_messages_count(messages), 0);
    rlt_messages_destroy(messages);
}

/* Mean colour of a decoded frame against what went in. */
static void check_frame(const AVFrame *frame, int i) {
    assert_int_equal(frame->width, WIDTH + 1);
    assert_int_equal(frame->height, HEIGHT);
    uint8_t *rgb = malloc((size_t)frame->width * (size_t)frame->height * 3);
    assert_non_null(rgb);
    uint8_t *planes[4] = {rgb};
    int strides[4] = {3 * frame->width};
    struct SwsContext *scaler =
        sws_getContext(frame->width, frame->height, frame->format, frame->width, frame->height,
                       AV_PIX_FMT_RGB24, SWS_BICUBIC | SWS_ACCURATE_RND, NULL, NULL, NULL);
    assert_non_null(scaler);
    const int *table =
        sws_getCoefficients(frame->colorspace == AVCOL_SPC_BT709 ? SWS_CS_ITU709 : SWS_CS_DEFAULT);
    sws_setColorspaceDetails(scaler, table, frame->color_range == AVCOL_RANGE_JPEG, table, 1, 0, 1 << 16,
                             1 << 16);
    sws_scale(scaler, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, planes,
              strides);
    int wanted[3];
    colour_of(i, wanted);
    for (int c = 0; c < 3; c++) {
        double sum = 0.0;
        for (int k = 0; k < frame->width * frame->height; k++)
            sum += rgb[3 * k + c];
        double mean = sum / (frame->width * frame->height);
        if (mean < wanted[c] - 5.0 || mean > wanted[c] + 5.0)
            fail_msg("frame %d, channel %d: %g instead of %d", i, c, mean, wanted[c]);
    }
    sws_freeContext(scaler);
    free(rgb);
}

static int decode(AVCodecContext *decoder, const AVPacket *packet, AVFrame *frame, int count) {
    assert_true(avcodec_send_packet(decoder, packet) >= 0);
    while (avcodec_receive_frame(decoder, frame) >= 0)
        check_frame(frame, count++);
    return count;
}

static void read_movie(const char *path, const char *codec) {
    AVFormatContext *format = NULL;
    assert_true(avformat_open_input(&format, path, NULL, NULL) >= 0);
    assert_true(avformat_find_stream_info(format, NULL) >= 0);
    assert_int_equal(format->nb_streams, 1);
    AVStream *stream = format->streams[0];
    assert_string_equal(avcodec_get_name(stream->codecpar->codec_id), codec);
    assert_int_equal(stream->avg_frame_rate.num, 24 * stream->avg_frame_rate.den);
    AVCodecContext *decoder = avcodec_alloc_context3(avcodec_find_decoder(stream->codecpar->codec_id));
    assert_true(avcodec_parameters_to_context(decoder, stream->codecpar) >= 0);
    decoder->thread_count = 1;
    assert_true(avcodec_open2(decoder, NULL, NULL) >= 0);
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    int count = 0;
    while (av_read_frame(format, packet) >= 0) {
        count = decode(decoder, packet, frame, count);
        av_packet_unref(packet);
    }
    count = decode(decoder, NULL, frame, count);
    assert_int_equal(count, FRAMES);
    av_frame_free(&frame);
    av_packet_free(&packet);
    avcodec_free_context(&decoder);
    avformat_close_input(&format);
}

static void frames_come_back(void **state) {
    (void)state;
    const char *best = avcodec_find_encoder_by_name("libx264") != NULL ? "h264" : "mpeg4";
    write_movie("new/folder/a.mp4", NULL);
    read_movie("new/folder/a.mp4", best);
    write_movie("a.mkv", "mpeg4");
    read_movie("a.mkv", "mpeg4");
    if (avcodec_find_encoder_by_name("libvpx-vp9") != NULL) {
        write_movie("a.webm", "vp9");
        read_movie("a.webm", "vp9");
    }
    assert_int_not_equal(access("a.mkv.tmp", F_OK), 0);
}

static void a_gif_has_a_name_of_its_own(void **state) {
    (void)state;
    char head[7] = "";
    write_movie("a.gif", NULL);
    FILE *file = fopen("a.gif", "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, 6, file), 6);
    fclose(file);
    assert_string_equal(head, "GIF89a");
}

static void the_same_pictures_give_the_same_bytes(void **state) {
    (void)state;
    write_movie("b.mp4", NULL);
    write_movie("c.mp4", NULL);
    assert_int_equal(system("cmp -s b.mp4 c.mp4"), 0);
}

/* `part` must be in the one message. */
static void refused(const char *path, int width, double fps, const char *codec, rlt_status wanted,
                    const char *part) {
    rlt_messages *messages = rlt_messages_create();
    rlt_movie *movie = NULL;
    assert_int_equal(rlt_movie_open(path, width, HEIGHT, fps, codec, messages, &movie), wanted);
    assert_null(movie);
    assert_int_equal(rlt_messages_count(messages), 1);
    if (strstr(rlt_messages_text(messages, 0), part) == NULL)
        fail_msg("%s", rlt_messages_text(messages, 0));
    rlt_messages_destroy(messages);
}

static void wrong_use_is_told(void **state) {
    (void)state;
    refused("d.mp4", WIDTH, 24.0, "h246", RLT_BAD_INPUT,
            "codec h246: not available for this kind of file; available are: ");
    refused("d.mp4", WIDTH, 24.0, "h246", RLT_BAD_INPUT, "mpeg4");
    refused("d.webm", WIDTH, 24.0, "mpeg4", RLT_BAD_INPUT, "codec mpeg4: not available");
    refused("d.avi", WIDTH, 24.0, NULL, RLT_BAD_INPUT, ".mp4, .mkv");
    refused("d.mp4", 1, 24.0, NULL, RLT_BAD_INPUT, "1 x 48 pixels");
    refused("d.mp4", WIDTH, 0.0, NULL, RLT_BAD_INPUT, "frames per second");
    FILE *file = fopen("plain", "w");
    assert_non_null(file);
    fclose(file);
    refused("plain/d.mp4", WIDTH, 24.0, NULL, RLT_FAILED, "plain/d.mp4");
}

static void without_a_picture_there_is_no_file(void **state) {
    (void)state;
    rlt_movie *movie = NULL;
    assert_int_equal(rlt_movie_open("e.mp4", WIDTH, HEIGHT, 24.0, NULL, NULL, &movie), RLT_OK);
    assert_int_equal(rlt_movie_close(movie, NULL), RLT_OK);
    assert_int_equal(rlt_movie_open("f.mp4", WIDTH, HEIGHT, 24.0, NULL, NULL, &movie), RLT_OK);
    add_frames(movie, NULL);
    rlt_movie_abandon(movie);
    assert_int_equal(system("test -z \"$(ls e.mp4* f.mp4* 2> /dev/null)\""), 0);
}

#else

static void a_build_without_says_so(void **state) {
    (void)state;
    rlt_messages *messages = rlt_messages_create();
    rlt_movie *movie = NULL;
    assert_false(rlt_movie_available());
    assert_int_equal(rlt_movie_open("a.mp4", WIDTH, HEIGHT, 24.0, NULL, messages, &movie), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "built without libav*"));
    rlt_messages_destroy(messages);
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_movies),
#ifdef RLTI_HAVE_MOVIE
        cmocka_unit_test(frames_come_back),
        cmocka_unit_test(a_gif_has_a_name_of_its_own),
        cmocka_unit_test(the_same_pictures_give_the_same_bytes),
        cmocka_unit_test(wrong_use_is_told),
        cmocka_unit_test(without_a_picture_there_is_no_file),
#else
        cmocka_unit_test(a_build_without_says_so),
#endif
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
