/* Hairs of a fill to a file. They are made a block at a time on all threads, in short runs whose hairs then
 * lie one behind the other, and each run is handed to the sink as a piece of the frame's one array. */
#include "ringlet/fill_write.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "files/convert.h"
#include "files/looks.h"
#include "files/writer_data.h"
#include "fill/fill_data.h"
#include "parallel/pool.h"
#include "ringlet/inputs.h"

enum {
    RUN = 32,               /* hairs that one thread makes at a time */
    BLOCK_POINTS = 1 << 18, /* about so many points wait to be written: 4 MB with their widths */
    SOME = 4096             /* numbers of hairs at a time */
};

/* Result of a thread for a run. */
typedef struct run {
    size_t points;
    float minimum[3], maximum[3], widest;
    int bad; /* the first of its hairs with a point that is no number, or -1 */
} run;

struct rlt_fill_writer {
    rlti_sink *sink;
    rlti_pool *pool;
    rlt_fill_writer_def def;
    int frame_count, first_frame, last_frame;
    /* since the first frame */
    long long hair_count, point_count;
    int samples;
    int points, extent;  /* attributes */
    int visibility;      /* the same, or -1 */
    int reported_hidden; /* that a part of the guides is hidden */
    double half_width;   /* of the widest point */
    /* a block */
    int run_count;
    run *runs;     /* [run_count] */
    float *at;     /* [run_count][RUN][samples][3] */
    float *widths; /* [run_count][RUN][samples] */
    int *counts;   /* [run_count][RUN] */
};

rlt_status rlt_fill_writer_def_reset(rlt_fill_writer_def *def) {
    const rlt_fill_writer_def standard = {.frames_per_second = 24.0, .metres_per_unit = 0.01};
    return RLTI_WRITE(rlt_fill_writer_def, def, &standard, NULL);
}

static void destroy(rlt_fill_writer *writer) {
    if (writer->pool != NULL)
        rlti_pool_destroy(writer->pool);
    RLTI_FREE(writer->runs, writer->at, writer->widths, writer->counts, writer);
}

void rlt_fill_writer_abandon(rlt_fill_writer *writer) {
    if (writer == NULL)
        return;
    rlti_sink_abandon(writer->sink);
    destroy(writer);
}

long long rlt_fill_writer_points(const rlt_fill_writer *writer) {
    return writer->point_count;
}

rlt_status rlt_fill_writer_open(const char *path, const rlt_fill_writer_def *def, rlt_messages *messages,
                                rlt_fill_writer **writer) {
    rlt_fill_writer_def own = rlt_fill_writer_defaults();
    *writer = NULL;
    if (RLTI_READ(rlt_fill_writer_def, &own, def, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    def = &own;
    if (!(def->frames_per_second > 0.0) || !isfinite(def->frames_per_second))
        return rlti_refuse(messages, "%s: frames per second must be > 0", path);
    if (!(def->metres_per_unit > 0.0) || !isfinite(def->metres_per_unit))
        return rlti_refuse(messages, "%s: metres per unit must be > 0", path);
    if (def->threads < 0)
        return rlti_refuse(messages, "%s: threads must be >= 0", path);
    if (def->links > 0)
        rlti_warn(
            messages,
            "%s: hairs do not get the %d links of their guides (material bindings, relationships); bind "
            "a material to /Ringlet",
            path, def->links);
    rlt_status status = rlt_inputs_check(def->inputs, path, messages);
    if (status != RLT_OK)
        return status;
    rlt_fill_writer *made = RLTI_NEW(rlt_fill_writer, 1);
    if (made == NULL)
        return rlti_out_of_memory(messages);
    rlti_sink_def sink = {.codes_per_second = def->frames_per_second,
                          .frames_per_second = def->frames_per_second,
                          .metres_per_unit = def->metres_per_unit,
                          .up_axis = 'Y',
                          .last_time = -1.0, /* not known yet */
                          .title = def->title != NULL && def->title[0] != '\0' ? def->title
                                                                               : "Hair made with Ringlet",
                          .default_prim = "Ringlet",
                          .lock = def->lock};
    made->def = *def;
    made->def.title = NULL; /* the sink has a copy */
    status = rlti_sink_open(path, &sink, messages, &made->sink);
    if (status != RLT_OK) {
        destroy(made);
        return status;
    }
    made->pool = rlti_pool_create(def->threads > 0 ? def->threads : rlti_core_count());
    if (made->pool == NULL) {
        rlt_fill_writer_abandon(made);
        return rlti_fail(messages, RLT_FAILED, "%s: cannot start threads", path);
    }
    *writer = made;
    return RLT_OK;
}

/* ---- a block of hairs ---- */

typedef struct block {
    rlt_fill_writer *writer;
    const rlt_fill *fill;
    long long first; /* hair */
    long long count;
} block;

/* Adds a hair's points to what the run's are. */
static void measure(run *r, const float *points, const float *widths, int count, int hair) {
    float sum = 0.0f;
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) {
            float x = points[3 * i + c];
            r->minimum[c] = x < r->minimum[c] ? x : r->minimum[c];
            r->maximum[c] = x > r->maximum[c] ? x : r->maximum[c];
            sum += x * 0.0f; /* 0, unless it is no number */
        }
        r->widest = widths[i] > r->widest ? widths[i] : r->widest;
        sum += widths[i] * 0.0f;
    }
    if (sum != 0.0f && r->bad < 0)
        r->bad = hair;
}

static void make_run(void *context, int index, int worker) {
    const block *b = context;
    rlt_fill_writer *writer = b->writer;
    (void)worker;
    long long first = (long long)index * RUN;
    int count = b->count - first < RUN ? (int)(b->count - first) : RUN;
    size_t n = (size_t)writer->samples, slot = (size_t)index * RUN;
    float *at = writer->at + 3 * n * slot, *widths = writer->widths + n * slot;
    int *counts = writer->counts + slot;
    run *r = &writer->runs[index];
    *r = (run){.minimum = {HUGE_VALF, HUGE_VALF, HUGE_VALF},
               .maximum = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF},
               .bad = -1};
    rlt_fill_block(b->fill, b->first + first, count, at, widths, counts);
    for (int h = 0; h < count; h++) {
        size_t from = n * (size_t)h, points = (size_t)counts[h];
        if (from > r->points) { /* one behind the other */
            memmove(at + 3 * r->points, at + 3 * from, points * sizeof(float[3]));
            memmove(widths + r->points, widths + from, points * sizeof(float));
        }
        measure(r, at + 3 * r->points, widths + r->points, counts[h], h);
        r->points += points;
    }
}

static rlt_status allocate(rlt_fill_writer *writer, const rlt_fill *fill, rlt_messages *messages) {
    writer->samples = rlt_fill_points(fill);
    writer->hair_count = rlt_fill_hairs(fill);
    writer->run_count = BLOCK_POINTS / (RUN * writer->samples);
    writer->run_count = writer->run_count > 0 ? writer->run_count : 1;
    size_t hairs = (size_t)writer->run_count * RUN, points = hairs * (size_t)writer->samples;
    return RLTI_ALLOCATE(RLTI_ITEMS(writer->runs, writer->run_count), RLTI_ITEMS(writer->at, 3 * points),
                         RLTI_ITEMS(writer->widths, points), RLTI_ITEMS(writer->counts, hairs))
               ? RLT_OK
               : rlti_out_of_memory(messages);
}

/* ---- passes over all hairs ---- */

/* Work of a pass on the runs of a block; `first` is its first hair. */
typedef rlt_status use_runs(rlt_fill_writer *writer, const block *b, int runs, void *context,
                            rlt_messages *messages);

static rlt_status check_runs(const rlt_fill_writer *writer, const block *b, int runs,
                             rlt_messages *messages) {
    for (int i = 0; i < runs; i++)
        if (writer->runs[i].bad >= 0)
            return rlti_refuse(messages, "%s: hair %lld has points or widths that are no numbers",
                               writer->sink->path, b->first + (long long)i * RUN + writer->runs[i].bad);
    return RLT_OK;
}

/* `from`, `to`: the share of the frame that this pass is, for the progress. */
static rlt_status pass(rlt_fill_writer *writer, const rlt_fill *fill, double from, double to, use_runs *use,
                       void *context, rlt_messages *messages) {
    long long size = (long long)writer->run_count * RUN;
    for (long long first = 0; first < writer->hair_count; first += size) {
        long long left = writer->hair_count - first;
        block b = {writer, fill, first, left < size ? left : size};
        int runs = (int)((b.count + RUN - 1) / RUN);
        rlti_pool_for(writer->pool, runs, make_run, &b);
        rlt_status status = check_runs(writer, &b, runs, messages);
        if (status == RLT_OK)
            status = use(writer, &b, runs, context, messages);
        double share = from + (to - from) * (double)(first + b.count) / (double)writer->hair_count;
        if (status == RLT_OK && writer->def.progress != NULL &&
            writer->def.progress(share, writer->def.context) != 0)
            status = rlti_fail(messages, RLT_FAILED, "%s: not written: stopped", writer->sink->path);
        if (status != RLT_OK)
            return status;
    }
    return RLT_OK;
}

/* All runs as pieces of the array that has begun. */
static rlt_status put_runs(rlt_fill_writer *writer, int runs, int is_points, rlt_messages *messages) {
    size_t n = (size_t)writer->samples;
    rlt_status status = RLT_OK;
    for (int i = 0; i < runs && status == RLT_OK; i++) {
        size_t slot = n * (size_t)i * RUN;
        rlti_array piece = {.type = {RLTI_FLOAT, is_points ? 3 : 1, RLTI_ROLE_NONE, 1},
                            .count = writer->runs[i].points,
                            .data = is_points ? writer->at + 3 * slot : writer->widths + slot};
        status = rlti_sink_piece(writer->sink, &piece, messages);
    }
    return status;
}

/* ---- the first frame: what never changes ---- */

/* Widths to the file; counts, one for each hair, to `context`. */
static rlt_status use_widths(rlt_fill_writer *writer, const block *b, int runs, void *context,
                             rlt_messages *messages) {
    int *counts = context;
    memcpy(counts + b->first, writer->counts, (size_t)b->count * sizeof *counts);
    for (int i = 0; i < runs; i++) {
        writer->point_count += (long long)writer->runs[i].points;
        writer->half_width = fmax(writer->half_width, 0.5 * (double)writer->runs[i].widest);
    }
    return put_runs(writer, runs, 0, messages);
}

static const rlti_array_type int_array = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1},
                             float_array = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1},
                             point_array = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1},
                             box_array = {RLTI_FLOAT, 3, RLTI_ROLE_NONE, 1},
                             colour_array = {RLTI_FLOAT, 3, RLTI_ROLE_COLOUR, 1},
                             word = {RLTI_TEXT, 1, RLTI_ROLE_TOKEN, 0},
                             plain_text = {RLTI_TEXT, 1, RLTI_ROLE_NONE, 0};

/* Numbers of a hair: its own, of the guide it grew around, of that one's section. */
enum { HAIR_ID, GUIDE_ID, GROUP_ID, IDS };
static const char *const id_names[IDS] = {"hairId", "guideId", "groupId"};

static rlt_status write_ids(rlt_fill_writer *writer, const rlt_fill *fill, int attribute, int kind,
                            rlt_messages *messages) {
    int ids[SOME];
    rlt_status status = rlti_sink_begin(writer->sink, attribute, (double)NAN, messages);
    for (long long first = 0; first < writer->hair_count && status == RLT_OK; first += SOME) {
        long long left = writer->hair_count - first;
        rlti_array piece = {.type = int_array, .count = left < SOME ? (size_t)left : SOME, .data = ids};
        for (size_t i = 0; i < piece.count; i++) {
            long long hair = first + (long long)i;
            int guide = rlt_fill_guide(fill, hair);
            ids[i] = kind == HAIR_ID ? (int)hair : kind == GUIDE_ID ? guide : fill->guides[guide].group;
        }
        status = rlti_sink_piece(writer->sink, &piece, messages);
    }
    return status == RLT_OK ? rlti_sink_end(writer->sink, messages) : status;
}

static rlt_status write_colours(rlt_fill_writer *writer, const rlt_fill *fill, int attribute,
                                rlt_messages *messages) {
    float colours[SOME][3];
    const rlt_fill_writer_def *def = &writer->def;
    rlt_status status = rlti_sink_begin(writer->sink, attribute, (double)NAN, messages);
    for (long long first = 0; first < writer->hair_count && status == RLT_OK; first += SOME) {
        long long left = writer->hair_count - first;
        rlti_array piece = {
            .type = colour_array, .count = left < SOME ? (size_t)left : SOME, .data = colours};
        for (size_t i = 0; i < piece.count; i++) {
            int group = fill->guides[rlt_fill_guide(fill, first + (long long)i)].group;
            int section = group >= 0 && group < def->colour_count ? group : 0;
            for (int c = 0; c < 3; c++)
                colours[i][c] = (float)def->colours[3 * section + c];
        }
        status = rlti_sink_piece(writer->sink, &piece, messages);
    }
    return status == RLT_OK ? rlti_sink_end(writer->sink, messages) : status;
}

/* All of the look as text for Ringlet, a colour of each hair for others. */
static rlt_status write_look(rlt_fill_writer *writer, const rlt_fill *fill, int prim,
                             rlt_messages *messages) {
    const rlt_fill_writer_def *def = &writer->def;
    int attribute;
    rlt_status status = RLT_OK;
    if (def->look != NULL)
        status = rlti_sink_still(writer->sink, prim, RLTI_LOOK_NAME, RLTI_PRIMVAR, plain_text, RLTI_CONSTANT,
                                 &def->look, 1, 1, messages);
    if (status != RLT_OK || def->colours == NULL || def->colour_count < 1)
        return status;
    status = rlti_sink_declare(writer->sink, prim, "displayColor", RLTI_PRIMVAR, colour_array, RLTI_UNIFORM,
                               0, messages, &attribute);
    return status == RLT_OK ? write_colours(writer, fill, attribute, messages) : status;
}

/* Curves pass through every point, as those of rlt_writer do (writer_declare.c says why). */
static rlt_status declare_prims(rlti_sink *sink, int *hair, rlt_messages *messages) {
    int root = -1;
    rlti_prim top = {.name = "Ringlet", .type_name = "Xform", .kind = RLTI_PRIM_XFORM},
              curves = {.name = "Hair",
                        .type_name = "BasisCurves",
                        .kind = RLTI_PRIM_CURVES,
                        .curve_type = RLTI_CURVE_CUBIC,
                        .basis = RLTI_BASIS_CATMULL_ROM,
                        .wrap = RLTI_WRAP_PINNED};
    rlt_status status = rlti_sink_prim(sink, -1, &top, messages, &root);
    return status == RLT_OK ? rlti_sink_prim(sink, root, &curves, messages, hair) : status;
}

/* Widths go to the file while hairs are counted; their counts follow. */
static rlt_status write_shape(rlt_fill_writer *writer, const rlt_fill *fill, int counts, int widths,
                              rlt_messages *messages) {
    int *list = RLTI_NEW(int, writer->hair_count);
    if (list == NULL)
        return rlti_out_of_memory(messages);
    rlt_status status = rlti_sink_begin(writer->sink, widths, (double)NAN, messages);
    if (status == RLT_OK)
        status = pass(writer, fill, 0.0, 0.5, use_widths, list, messages);
    if (status == RLT_OK)
        status = rlti_sink_end(writer->sink, messages);
    rlti_array value = {.type = int_array, .count = (size_t)writer->hair_count, .data = list};
    if (status == RLT_OK)
        status = rlti_sink_write(writer->sink, counts, (double)NAN, &value, messages);
    rlti_free(list);
    return status;
}

static rlt_status begin(rlt_fill_writer *writer, const rlt_fill *fill, rlt_messages *messages) {
    rlti_sink *sink = writer->sink;
    int prim, counts, widths, ids[IDS];
    /* formats of hair alone have no place for numbers, and no boxes */
    int has_more = rlti_sink_is_usd(sink) || strcmp(sink->writer->format, "abc") == 0;
    writer->extent = writer->visibility = -1;
    rlt_status status = allocate(writer, fill, messages);
    if (status == RLT_OK)
        status = declare_prims(sink, &prim, messages);
    if (status == RLT_OK)
        status = rlti_sink_declare(sink, prim, "curveVertexCounts", RLTI_BUILT_IN, int_array, RLTI_UNIFORM, 0,
                                   messages, &counts);
    if (status == RLT_OK)
        status = rlti_sink_declare(sink, prim, "widths", RLTI_BUILT_IN, float_array, RLTI_VERTEX, 0, messages,
                                   &widths);
    if (status == RLT_OK)
        status = rlti_sink_declare(sink, prim, "points", RLTI_BUILT_IN, point_array, RLTI_VERTEX, 1, messages,
                                   &writer->points);
    if (status == RLT_OK && has_more)
        status = rlti_sink_declare(sink, prim, "extent", RLTI_BUILT_IN, box_array, RLTI_CONSTANT, 1, messages,
                                   &writer->extent);
    if (status == RLT_OK && has_more && fill->hidden_guides >= 0)
        status = rlti_sink_declare(sink, prim, "visibility", RLTI_BUILT_IN, word, RLTI_CONSTANT, 1, messages,
                                   &writer->visibility);
    for (int i = 0; i < IDS && has_more && status == RLT_OK; i++)
        status = rlti_sink_declare(sink, prim, id_names[i], RLTI_PRIMVAR, int_array, RLTI_UNIFORM, 0,
                                   messages, &ids[i]);
    if (status == RLT_OK && has_more)
        status = write_look(writer, fill, prim, messages);
    if (status == RLT_OK)
        status = write_shape(writer, fill, counts, widths, messages);
    for (int i = 0; i < IDS && has_more && status == RLT_OK; i++)
        status = write_ids(writer, fill, ids[i], i, messages);
    return status;
}

/* ---- every frame ---- */

/* Points to the file; the corners of their box to `context`. */
static rlt_status use_points(rlt_fill_writer *writer, const block *b, int runs, void *context,
                             rlt_messages *messages) {
    float *corners = context;
    (void)b;
    for (int i = 0; i < runs; i++)
        for (int c = 0; c < 3; c++) {
            const run *r = &writer->runs[i];
            corners[c] = r->minimum[c] < corners[c] ? r->minimum[c] : corners[c];
            corners[3 + c] = r->maximum[c] > corners[3 + c] ? r->maximum[c] : corners[3 + c];
        }
    return put_runs(writer, runs, 1, messages);
}

static rlt_status write_points(rlt_fill_writer *writer, const rlt_fill *fill, int frame,
                               rlt_messages *messages) {
    float corners[6] = {HUGE_VALF, HUGE_VALF, HUGE_VALF, -HUGE_VALF, -HUGE_VALF, -HUGE_VALF}, extent[6];
    rlt_status status = rlti_sink_begin(writer->sink, writer->points, frame, messages);
    if (status == RLT_OK)
        status = pass(writer, fill, writer->frame_count == 0 ? 0.5 : 0.0, 1.0, use_points, corners, messages);
    if (status == RLT_OK)
        status = rlti_sink_end(writer->sink, messages);
    if (status != RLT_OK || writer->extent < 0)
        return status;
    rlti_writer_extent(corners, 2, NULL, writer->half_width, extent);
    rlti_array box = {.type = box_array, .count = 2, .data = extent};
    return rlti_sink_write(writer->sink, writer->extent, frame, &box, messages);
}

/* One object of curves is hidden as a whole. */
static rlt_status write_visibility(rlt_fill_writer *writer, const rlt_fill *fill, int frame,
                                   rlt_messages *messages) {
    int all = fill->hidden_guides == fill->guide_count;
    const char *text = all ? "invisible" : "inherited";
    if (fill->hidden_guides > 0 && (!all || writer->visibility < 0) && !writer->reported_hidden) {
        writer->reported_hidden = 1;
        rlti_warn(messages, "%s: frame %d: %s of its guides %s hidden; all hair is written as visible",
                  writer->sink->path, frame, all ? "all" : "a part", all ? "are" : "is");
    }
    rlti_array value = {.type = word, .count = 1, .data = &text};
    return writer->visibility >= 0
               ? rlti_sink_write(writer->sink, writer->visibility, frame, &value, messages)
               : RLT_OK;
}

rlt_status rlt_fill_writer_add(rlt_fill_writer *writer, const rlt_fill *fill, int frame,
                               rlt_messages *messages) {
    const char *path = writer->sink->path;
    rlt_status status = RLT_OK;
    if (writer->frame_count > 0 && frame <= writer->last_frame)
        return rlti_refuse(messages, "%s: frame %d comes after frame %d: frames must increase", path, frame,
                           writer->last_frame);
    if (writer->frame_count > 0 &&
        (rlt_fill_hairs(fill) != writer->hair_count || rlt_fill_points(fill) != writer->samples))
        return rlti_refuse(messages, "%s: frame %d: has other hairs than the first frame", path, frame);
    if (writer->frame_count == 0)
        status = begin(writer, fill, messages);
    if (status == RLT_OK)
        status = write_points(writer, fill, frame, messages);
    if (status == RLT_OK)
        status = write_visibility(writer, fill, frame, messages);
    if (status != RLT_OK) {
        writer->sink->failed = 1; /* half an array is on the disk */
        return status;
    }
    writer->first_frame = writer->frame_count == 0 ? frame : writer->first_frame;
    writer->last_frame = frame;
    writer->frame_count++;
    return RLT_OK;
}

rlt_status rlt_fill_writer_close(rlt_fill_writer *writer, rlt_messages *messages) {
    if (writer == NULL)
        return RLT_OK;
    rlt_status status = RLT_OK;
    if (writer->frame_count == 0) {
        if (!writer->sink->failed)
            status = rlti_refuse(messages, "%s: not written: no frame was added", writer->sink->path);
        else
            status = RLT_FAILED; /* the reason was reported */
        rlti_sink_abandon(writer->sink);
    } else {
        rlti_sink_range(writer->sink, writer->first_frame, writer->last_frame);
        status = rlti_sink_close(writer->sink, messages);
    }
    destroy(writer);
    return status;
}
