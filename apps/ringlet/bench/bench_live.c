/* ringlet bench live: shipped scenes at live quality with a page's stand-in connected, and what the socket
 * carries. The stand-in draws nothing: a browser on the same two cores would take its share of them. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/socket.h"
#include "console.h"
#include "live/again.h"
#include "live/assets.h"
#include "live/pack.h"
#include "live/server.h"

enum { OUTPUT = 4096, FRAME_MAGIC = 0x31464c52, CLOCK = 40 };

/* ---- a scene, in another process ---- */

typedef struct scene_result {
    double first_picture; /* [s] from the command to the first frame */
    double rate;          /* frames a second that came */
    double step;          /* [s] of a step, mean */
    double cpu;           /* [s] of the processors in a step, mean */
    double possible;      /* frames a second that steps alone would allow */
    double share;         /* the server's CPU time over the solver's */
    int frames;
    int late, dropped; /* steps that were ready a tick too late; ticks without a step */
} scene_result;

/* Reads up to the end of the first line, or, with `all`, to the end of the file. */
static void read_output(int file, char *text, size_t size, int all) {
    size_t used = 0;
    while (used + 1 < size && read(file, text + used, 1) == 1)
        if (text[used++] == '\n' && !all)
            break;
    text[used] = '\0';
}

static double find_number(const char *text, const char *name) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *at = strstr(text, quoted);
    return at != NULL ? strtod(at + strlen(quoted), NULL) : 0.0;
}

static int is_frame(const bench_socket *page) {
    return !page->is_text && page->size > 96 && *(const unsigned *)(const void *)page->bytes == FRAME_MAGIC;
}

/* The next frame, acknowledged as a page does, two at once; 0 where none comes. */
static int next_frame(bench_socket *page) {
    while (bench_socket_read(page, 60.0))
        if (is_frame(page))
            return ++page->frames % 2 != 0 || bench_socket_send(page, "ack 6");
    return 0;
}

static int measure(const char *url, double begun, int frames, scene_result *result) {
    bench_socket page;
    int good = bench_socket_open(&page, url) && next_frame(&page);
    result->first_picture = console_seconds() - begun;
    good = good && bench_socket_send(&page, "play 1");
    for (int i = 0; good && i < 6; i++) /* the first steps are dearer */
        good = next_frame(&page);
    double start_time = console_seconds();
    for (result->frames = 0; good && result->frames < frames; result->frames++)
        good = next_frame(&page);
    result->rate = result->frames / (console_seconds() - start_time);
    bench_socket_close(&page);
    return good;
}

static int run_scene_live(const char *scene, int frames, scene_result *result) {
    char text[OUTPUT], url[256] = "";
    pid_t process;
    int output, code = 0;
    double begun = console_seconds();
    *result = (scene_result){0};
    const char *arguments[] = {"live", scene, "--port", "0", "--json", NULL};
    if (!again_start(arguments, 0, &process, &output))
        return 0;
    read_output(output, text, sizeof text, 0);
    int good = sscanf(text, "{\"url\": \"%255[^\"]", url) == 1 && measure(url, begun, frames, result);
    kill(process, SIGINT);
    read_output(output, text, sizeof text, 1);
    close(output);
    waitpid(process, &code, 0);
    double steps = find_number(text, "steps"), seconds = find_number(text, "step_seconds");
    double solver = find_number(text, "solver_cpu_seconds");
    result->step = steps > 0 ? seconds / steps : 0.0;
    result->cpu = steps > 0 ? solver / steps : 0.0;
    result->late = (int)find_number(text, "late");
    result->dropped = (int)find_number(text, "dropped");
    result->possible = steps > 0 ? steps / (seconds + find_number(text, "pack_seconds")) : 0.0;
    result->share =
        solver > 0 ? (find_number(text, "server_cpu_seconds") + find_number(text, "pack_seconds")) / solver
                   : 0.0;
    return good;
}

static void print_scene(const char *name, const scene_result *r, const bench_settings *settings, json *out) {
    if (!settings->json) {
        printf("  %-22s %6.1f frames/s (%6.1f possible)  %7.2f ms a step, %6.2f of CPU  first frame %5.2f s  "
               "server %4.1f%%  %d late, %d dropped\n",
               name, r->rate, r->possible, 1e3 * r->step, 1e3 * r->cpu, r->first_picture, 100.0 * r->share,
               r->late, r->dropped);
        fflush(stdout);
        return;
    }
    json_begin_object(out, NULL);
    json_string(out, "scene", name);
    json_integer(out, "frames", r->frames);
    json_number(out, "frames_per_second", r->rate);
    json_number(out, "possible_frames_per_second", r->possible);
    json_number(out, "step_seconds", r->step);
    json_number(out, "step_cpu_seconds", r->cpu);
    json_number(out, "first_picture_seconds", r->first_picture);
    json_number(out, "server_share", r->share);
    json_integer(out, "late_steps", r->late);
    json_integer(out, "dropped_ticks", r->dropped);
    json_end_object(out);
}

/* ---- the socket alone: frames of points that nothing simulates ---- */

typedef struct traffic {
    live_board *board;
    live_server *server;
    int points;
    double rate; /* asked for [1/s] */
    volatile int stop;
    int published;
    double pack_cpu;
} traffic;

static int traffic_stop(void *context) {
    return ((traffic *)context)->stop;
}

static void traffic_receive(void *context, const char *text, size_t size) {
    (void)context;
    (void)text;
    (void)size;
}

static void traffic_present(void *context, int pages) {
    (void)context;
    (void)pages;
}

static void *traffic_serve(void *context) {
    traffic *self = context;
    live_server_run(self->server, traffic_stop, self);
    return NULL;
}

static double thread_seconds(void) {
    struct timespec cpu;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    return (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec;
}

/* Publishes frames in time until stopped, each with the clock in it. */
static void *traffic_publish(void *context) {
    traffic *self = context;
    double *points = malloc(3 * sizeof(double) * (size_t)self->points);
    for (int i = 0; points != NULL && i < 3 * self->points; i++)
        points[i] = (i * 7919) % 1000;
    int first[2] = {0, self->points};
    rlt_frame_view view = {
        .size = sizeof view, .strand_count = 1, .point_count = self->points, .first = first};
    view.points = points;
    for (double next = console_seconds(); points != NULL && !self->stop; next += 1.0 / self->rate) {
        double wait = next - console_seconds(), cpu = thread_seconds();
        if (wait > 0.0)
            nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * (wait < 0.9 ? wait : 0.9))}, NULL);
        pack_facts facts = {.step = self->published, .time = console_seconds()};
        live_board_publish(self->board, LIVE_FRAME_A, pack_frame(&view, NULL, &facts));
        self->pack_cpu += thread_seconds() - cpu;
        self->published++;
    }
    free(points);
    return NULL;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Frames that a stand-in received in `seconds`, and how old they were. */
static int traffic_run(traffic *self, double seconds, double *received, double *delay, double *bytes) {
    enum { MOST = 1000 };
    double ages[MOST];
    int count = 0;
    pthread_t server, publisher;
    live_server_def def = {.board = self->board,
                           .assets = live_assets,
                           .receive = traffic_receive,
                           .present = traffic_present,
                           .context = self};
    if (live_server_create(&def, &self->server) != RLT_OK)
        return 0;
    int threads = pthread_create(&server, NULL, traffic_serve, self) == 0;
    threads += threads == 1 && pthread_create(&publisher, NULL, traffic_publish, self) == 0;
    bench_socket page;
    int good = threads == 2 && bench_socket_open(&page, live_server_url(self->server)) && next_frame(&page);
    double begun = console_seconds();
    *bytes = 0.0;
    while (good && console_seconds() - begun < seconds && count < MOST) {
        double sent;
        good = next_frame(&page);
        memcpy(&sent, page.bytes + CLOCK, sizeof sent);
        ages[count++] = console_seconds() - sent;
        *bytes += (double)page.size;
    }
    double taken = console_seconds() - begun;
    *received = count / taken;
    *bytes /= taken;
    qsort(ages, (size_t)count, sizeof ages[0], by_size);
    *delay = count > 0 ? ages[count / 2] : 0.0;
    self->stop = 1;
    if (threads >= 2)
        pthread_join(publisher, NULL);
    if (threads >= 1)
        pthread_join(server, NULL);
    bench_socket_close(&page);
    live_server_destroy(self->server);
    return good;
}

static rlt_status run_traffic(int points, double rate, const bench_settings *settings, json *out) {
    traffic self = {.board = live_board_create(), .points = points, .rate = rate};
    double received = 0, delay = 0, bytes = 0;
    int good = self.board != NULL && traffic_run(&self, 3.0, &received, &delay, &bytes);
    live_board_destroy(self.board);
    if (!good)
        return console_fail(RLT_FAILED, "bench live: the socket gave no frames");
    if (!settings->json) {
        printf("  %9d points at %3.0f Hz: %5.1f frames/s received, %6.1f MB/s, %5.1f ms old (median)\n",
               points, rate, received, 1e-6 * bytes, 1e3 * delay);
        return RLT_OK;
    }
    json_begin_object(out, NULL);
    json_integer(out, "points", points);
    json_number(out, "asked_frames_per_second", rate);
    json_number(out, "frames_per_second", received);
    json_number(out, "bytes_per_second", bytes);
    json_number(out, "median_age_seconds", delay);
    json_end_object(out);
    return RLT_OK;
}

rlt_status bench_live(const bench_workload *workload, const bench_settings *settings, rlt_messages *messages,
                      json *out) {
    (void)messages;
    rlt_status status = RLT_OK;
    if (settings->json) {
        json_begin_object(out, NULL);
        json_string(out, "workload", workload->name);
        json_string(out, "page", "a stand-in that draws nothing");
        json_begin_array(out, "socket");
    } else {
        printf("live: the socket alone, then shipped scenes at live quality, with a page's stand-in that "
               "draws nothing\n");
    }
    status = run_traffic(45000, 60.0, settings, out);
    if (status == RLT_OK)
        status = run_traffic(1000000, 10.0, settings, out);
    if (settings->json) {
        json_end_array(out);
        json_begin_array(out, "scenes");
    }
    for (int i = 0; status == RLT_OK && rlt_embedded_scene_name(i) != NULL; i++) {
        const char *name = rlt_embedded_scene_name(i);
        scene_result result;
        bench_say(settings, "live: %s", name);
        status = bench_continue(settings);
        if (status == RLT_OK && !run_scene_live(name, bench_frames(workload, settings), &result))
            console_error("bench live: %s gave no frames", name);
        else if (status == RLT_OK)
            print_scene(name, &result, settings, out);
    }
    if (settings->json) {
        json_end_array(out);
        json_end_object(out);
    }
    return status;
}
