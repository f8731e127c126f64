/* ringlet bench files: a groom of 2,228 hairs of 32 points through every format; a cache of it written and
 * read back, beside a plain write and read of as many bytes in the same run. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"
#include "console.h"

enum { STRANDS = 2228, POINTS = 32, ROUNDS = 5, CHUNK = 1 << 20 };

typedef struct groom {
    int *first;     /* [STRANDS + 1] */
    double *points; /* of the frame */
    double *widths;
    rlt_frame_view view;
} groom;

static int groom_create(groom *g) {
    size_t points = (size_t)STRANDS * POINTS;
    g->first = malloc((STRANDS + 1) * sizeof *g->first);
    g->points = malloc(3 * points * sizeof *g->points);
    g->widths = malloc(points * sizeof *g->widths);
    if (!g->first || !g->points || !g->widths)
        return 0;
    for (int s = 0; s <= STRANDS; s++)
        g->first[s] = s * POINTS;
    for (size_t i = 0; i < points; i++)
        g->widths[i] = 0.01;
    g->view = (rlt_frame_view){.size = sizeof(rlt_frame_view),
                               .strand_count = STRANDS,
                               .point_count = STRANDS * POINTS,
                               .first = g->first,
                               .points = g->points,
                               .rest = g->points,
                               .widths = g->widths};
    return 1;
}

static void groom_free(groom *g) {
    free(g->first);
    free(g->points);
    free(g->widths);
}

/* Hairs on a sheet that bend with the frame: no two frames are the same. */
static void groom_pose(groom *g, int frame) {
    double phase = 0.02 * frame;
    for (int s = 0; s < STRANDS; s++)
        for (int p = 0; p < POINTS; p++) {
            double *at = g->points + 3 * ((size_t)s * POINTS + (size_t)p), t = p / 8.0;
            at[0] = 0.1 * (s % 47) + phase * t * t;
            at[1] = 10.0 + t - 0.05 * t * t;
            at[2] = 0.1 * (s / 47) - phase * t * (s % 7);
        }
    g->view.frame = frame;
}

typedef struct place {
    char folder[512];
    char cache[600], plain[600];
} place;

static int place_create(place *p, const char *ending) {
    const char *base = getenv("TMPDIR");
    snprintf(p->folder, sizeof p->folder, "%.400s/ringlet-bench-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(p->folder))
        return 0;
    snprintf(p->cache, sizeof p->cache, "%s/cache%s", p->folder, ending);
    snprintf(p->plain, sizeof p->plain, "%s/plain", p->folder);
    return 1;
}

static void place_remove(const place *p) {
    unlink(p->cache);
    unlink(p->plain);
    rmdir(p->folder);
}

/* ---- what is timed ---- */

/* Only the time in the writer counts, not that of making frames. */
static rlt_status write_cache(groom *g, const char *path, int frames, double *seconds,
                              rlt_messages *messages) {
    rlt_writer *writer = NULL;
    rlt_writer_def def = {.size = sizeof def, .frames_per_second = 24.0, .metres_per_unit = 0.01};
    double begun = console_seconds();
    rlt_status status = rlt_writer_open(path, &def, messages, &writer);
    *seconds = console_seconds() - begun;
    for (int f = 1; f <= frames && status == RLT_OK; f++) {
        groom_pose(g, f);
        begun = console_seconds();
        status = rlt_writer_add(writer, &g->view, messages);
        *seconds += console_seconds() - begun;
    }
    begun = console_seconds();
    if (status == RLT_OK)
        status = rlt_writer_close(writer, messages);
    else
        rlt_writer_abandon(writer);
    *seconds += console_seconds() - begun;
    return status;
}

static rlt_status read_cache(const char *path, double *seconds, rlt_messages *messages) {
    rlt_file *file = NULL;
    long long bytes;
    double begun = console_seconds();
    rlt_status status = rlt_file_open(path, messages, &file);
    if (status == RLT_OK)
        status = rlt_file_read_all(file, messages, &bytes);
    rlt_file_close(file);
    *seconds = console_seconds() - begun;
    return status;
}

/* As many bytes, with nothing but write and fsync. */
static int write_plain(const char *path, double bytes, char *chunk, double *seconds) {
    double begun = console_seconds();
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), good = file >= 0;
    for (double left = bytes; left > 0.0 && good; left -= CHUNK) {
        size_t size = left < CHUNK ? (size_t)left : CHUNK;
        chunk[0]++;
        good = write(file, chunk, size) == (ssize_t)size;
    }
    good = good && fsync(file) == 0;
    if (file >= 0)
        close(file);
    *seconds = console_seconds() - begun;
    return good;
}

static int read_plain(const char *path, char *chunk, double *seconds) {
    double begun = console_seconds();
    int file = open(path, O_RDONLY);
    ssize_t got = file >= 0 ? 1 : -1;
    while (got > 0)
        got = read(file, chunk, CHUNK);
    if (file >= 0)
        close(file);
    *seconds = console_seconds() - begun;
    return got == 0;
}

typedef struct times {
    double load[ROUNDS];
    double write, read, plain_write, plain_read; /* the best of the rounds [s] */
    double write_ratio, read_ratio;              /* to plain, of the round's own; median */
    double bytes, load_bytes, peak;
} times;

static rlt_status fail_plain(const char *path) {
    return console_fail(RLT_FAILED, "%s: cannot be written or read", path);
}

static rlt_status time_cache(groom *g, const char *ending, int frames, int rounds, times *t,
                             const bench_settings *settings, rlt_messages *messages) {
    double w[ROUNDS], r[ROUNDS], pw[ROUNDS], pr[ROUNDS];
    place p = {0};
    char *chunk = calloc(1, CHUNK);
    if (!chunk || !place_create(&p, ending)) {
        free(chunk);
        return console_fail(RLT_FAILED,
                            "bench files: cannot make a temporary file; set TMPDIR to another folder");
    }
    bench_peak_restart();
    rlt_status status = RLT_OK;
    for (int k = 0; k < rounds && status == RLT_OK; k++) {
        status = write_cache(g, p.cache, frames, &w[k], messages);
        if (k == 0) /* later rounds have pages of the file that was read */
            t->peak = bench_peak();
        t->bytes = (double)console_file_size(p.cache);
        if (status == RLT_OK && !write_plain(p.plain, t->bytes, chunk, &pw[k]))
            status = fail_plain(p.plain);
        if (status == RLT_OK)
            status = read_cache(p.cache, &r[k], messages);
        if (status == RLT_OK && !read_plain(p.plain, chunk, &pr[k]))
            status = fail_plain(p.plain);
        if (status == RLT_OK)
            status = bench_continue(settings);
    }
    place_remove(&p);
    free(chunk);
    if (status != RLT_OK)
        return status;
    t->write = bench_best(w, rounds);
    t->read = bench_best(r, rounds);
    t->plain_write = bench_best(pw, rounds);
    t->plain_read = bench_best(pr, rounds);
    t->write_ratio = bench_paired(pw, w, rounds);
    t->read_ratio = bench_paired(pr, r, rounds);
    return RLT_OK;
}

/* Opening a groom of one frame and reading all of it. */
static rlt_status time_load(groom *g, const char *ending, times *t, rlt_messages *messages) {
    place p = {0};
    double seconds;
    if (!place_create(&p, ending))
        return console_fail(RLT_FAILED,
                            "bench files: cannot make a temporary file; set TMPDIR to another folder");
    rlt_status status = write_cache(g, p.cache, 1, &seconds, messages);
    t->load_bytes = (double)console_file_size(p.cache);
    for (int k = 0; k < ROUNDS && status == RLT_OK; k++)
        status = read_cache(p.cache, &t->load[k], messages);
    place_remove(&p);
    return status;
}

static void report(const bench_workload *workload, const char *ending, int frames, const times *t,
                   const bench_settings *settings, json *out) {
    double mb = 1e-6 * t->bytes;
    if (!settings->json) {
        printf("%s %s: load %.4f s (%.1f MB)", workload->name, ending, bench_median(t->load, ROUNDS),
               1e-6 * t->load_bytes);
        if (frames > 0)
            printf("; %d frames, %.0f MB: written %.0f MB/s (%.2f of plain), read %.0f MB/s (%.2f of plain), "
                   "peak memory %.0f MB",
                   frames, mb, mb / t->write, t->write_ratio, mb / t->read, t->read_ratio, 1e-6 * t->peak);
        printf("\n");
        return;
    }
    json_begin_object(out, NULL);
    json_string(out, "name", workload->name);
    json_string(out, "format", ending + 1);
    json_integer(out, "strands", STRANDS);
    json_integer(out, "points", (long long)STRANDS * POINTS);
    json_number(out, "load_seconds", bench_median(t->load, ROUNDS));
    json_number(out, "load_bytes", t->load_bytes);
    json_integer(out, "frames", frames);
    if (frames > 0) {
        json_number(out, "bytes", t->bytes);
        json_number(out, "write_mb_per_second", mb / t->write);
        json_number(out, "read_mb_per_second", mb / t->read);
        json_number(out, "plain_write_mb_per_second", mb / t->plain_write);
        json_number(out, "plain_read_mb_per_second", mb / t->plain_read);
        json_number(out, "write_ratio", t->write_ratio);
        json_number(out, "read_ratio", t->read_ratio);
        json_number(out, "peak_bytes", t->peak);
    }
    json_end_object(out);
}

/* Text takes ten times as long and three times the space: a tenth of the frames shows as much. */
static int frames_of(const char *ending, int frames) {
    if (strcmp(ending, ".hair") == 0)
        return 0;
    return strcmp(ending, ".usda") == 0 ? (frames + 9) / 10 : frames;
}

rlt_status bench_files(const bench_workload *workload, const bench_settings *settings, rlt_messages *messages,
                       json *out) {
    static const char *const endings[] = {".usda", ".usdc", ".abc", ".hair"};
    int large = strcmp(workload->name, "files-large") == 0;
    groom g = {0};
    rlt_status status = RLT_OK;
    if (!bench_leads(settings))
        return RLT_OK;
    if (!groom_create(&g)) {
        console_error("out of memory");
        status = RLT_FAILED;
    }
    if (large)
        g.view.velocities = g.points; /* any numbers will do */
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && status == RLT_OK; i++) {
        times t = {0};
        int frames = frames_of(endings[i], bench_frames(workload, settings));
        if (large && strcmp(endings[i], ".usdc") != 0 && strcmp(endings[i], ".abc") != 0)
            continue;
        bench_say(settings, "%s %s ...", workload->name, endings[i]);
        status = time_load(&g, endings[i], &t, messages);
        if (status == RLT_OK && frames > 0)
            status = time_cache(&g, endings[i], frames, large ? 1 : 3, &t, settings, messages);
        if (status == RLT_OK)
            report(workload, endings[i], frames, &t, settings, out);
    }
    groom_free(&g);
    return status;
}
